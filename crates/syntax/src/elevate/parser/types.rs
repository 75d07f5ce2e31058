//! Parses types and parameters.

use super::Parser;
use crate::ast::{Ident, Name};
use crate::elevate::ast::{ParamId, ParamList, TypeId, TypeKind};
use crate::{Span, TokenKind};

impl Parser<'_> {
    /// Parses a type such as `a -> b -> c`.
    pub(super) fn ty(&mut self) -> TypeId {
        self.nested(Self::arrows)
            .unwrap_or_else(|| self.missing_type())
    }

    fn arrows(&mut self) -> TypeId {
        let mut parts = vec![self.type_atom()];
        while self.eat(TokenKind::Arrow).is_some() {
            parts.push(self.type_atom());
        }
        let last = parts.pop().unwrap_or_else(|| self.missing_type());
        parts.into_iter().rev().fold(last, |to, from| {
            let start = self.types.nodes[from.0 as usize].span;
            let span = start.cover(self.types.nodes[to.0 as usize].span);
            self.push_type(TypeKind::Arrow(from, to), span)
        })
    }

    fn missing_type(&mut self) -> TypeId {
        let span = Span::empty(self.rise.last_end());
        self.push_type(TypeKind::Missing, span)
    }

    fn type_atom(&mut self) -> TypeId {
        match self.kind() {
            TokenKind::Ident | TokenKind::Kind | TokenKind::Quoted => self.named_type(),
            TokenKind::LParen => {
                let open = self.bump();
                let parts = self.list_or_empty(open, TokenKind::RParen, Self::ty);
                let span = self.rise.since(open.span.start);
                self.push_type(TypeKind::Tuple(parts.into_boxed_slice()), span)
            }
            TokenKind::Scalar | TokenKind::Constructor => {
                let (span, text) = (self.span(), self.quoted());
                let message = format!(
                    "{text} is a type of RISE: a program has type `Expr` here, a type of RISE itself is a `Type`"
                );
                self.rise.error_at(span, message);
                self.rise.atom(crate::parser::TermCategory::Type);
                self.push_type(TypeKind::Missing, span)
            }
            _ => {
                self.rise.expected("a type such as `Strategy` or `Nat`");
                self.missing_type()
            }
        }
    }

    /// Parses `Nat` or `List[Nat]`.
    fn named_type(&mut self) -> TypeId {
        let span = self.bump().span;
        let name = self.name(span);
        let Some(open) = self.eat(TokenKind::LBracket) else {
            return self.push_type(TypeKind::Name(name), span);
        };
        let args = self.list(open, TokenKind::RBracket, Self::ty);
        let name = Ident { name, span };
        let span = self.rise.since(span.start);
        let args = args.into_boxed_slice();
        self.push_type(TypeKind::Apply { name, args }, span)
    }

    /// Parses a type annotation `: t`, if there is one.
    pub(super) fn type_annotation(&mut self) -> Option<TypeId> {
        self.eat(TokenKind::Colon).map(|_| self.ty())
    }

    /// Parses the parameter lists after a name; white space before a `(` is reported.
    pub(super) fn param_lists(&mut self) -> Box<[ParamList]> {
        let mut lists = Vec::new();
        while self.at(TokenKind::LParen) {
            if !self.at_call() {
                let gap = Span::new(self.rise.last_end(), self.span().start);
                let span = self.span();
                let mut error = crate::parser::loose_call(span, gap);
                error.message =
                    "the `(` of parameters follows the name without white space".to_owned();
                self.rise.report(error);
            }
            lists.push(self.param_list(true));
        }
        lists.into_boxed_slice()
    }

    /// Parses a parameter list `(a: t = x, b)`. `defaults` is false for an abstraction `(a, b) =>
    /// e`, whose parameters have no default values.
    pub(super) fn param_list(&mut self, defaults: bool) -> ParamList {
        let open = self.bump();
        let params = self.list_or_empty(open, TokenKind::RParen, |parser| {
            parser.bracketed(|parser| parser.param(defaults))
        });
        ParamList {
            params: params.into_boxed_slice(),
            span: self.rise.since(open.span.start),
        }
    }

    fn param(&mut self, defaults: bool) -> ParamId {
        let id = self.bound_name();
        let ty = self.type_annotation();
        self.params[id.0 as usize].ty = ty;
        if defaults && self.eat(TokenKind::Equals).is_some() {
            let value = self.expr();
            self.params[id.0 as usize].default = Some(value);
        }
        id
    }

    /// Parses the name of a parameter, which may be `_`. If it is missing, reports this and adds a
    /// parameter with an empty name.
    pub(super) fn bound_name(&mut self) -> ParamId {
        if self.at(TokenKind::Underscore) {
            let span = self.bump().span;
            return self.push_param(Name::new_static("_"), span);
        }
        match self.ident("a parameter") {
            Some(ident) => self.push_param(ident.name, ident.span),
            None => {
                let span = Span::empty(self.rise.last_end());
                self.push_param(Name::default(), span)
            }
        }
    }
}
