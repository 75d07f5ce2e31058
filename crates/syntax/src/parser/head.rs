//! Parses the parameters of a definition left of its `=`, and makes the type and the function that
//! they imply.

use super::{Parser, TermCategory};
use crate::ast::{
    BinaryOp, Binder, BinderAnnotation, BinderId, Head, Kind, Name, Parameter, ParameterGroup,
    TermId, TermKind,
};
use crate::lexer::{Token, TokenKind};
use crate::{Diagnostic, Dialect, Fix, Span};

/// The parameters left of `=` with the type that they imply, before the value has been parsed.
pub(crate) struct TypedHead {
    implicit: Box<[BinderId]>,
    groups: Vec<ParameterGroup>,
    result: Option<TermId>,
    /// The type of the definition.
    pub(crate) ty: TermId,
}

impl Parser<'_> {
    /// Parses the parameters after the name of a definition and the type of its result, up to the
    /// `=`. Returns `None` if there are no parameters, and in DPIA.
    pub(crate) fn head(&mut self) -> Option<TypedHead> {
        if self.dialect != Dialect::Rise || self.host.is_some() {
            return None;
        }
        let mut groups = Vec::new();
        loop {
            match self.kind() {
                TokenKind::LParen if self.peek_kind(1) == TokenKind::RParen => {
                    self.no_parameters();
                }
                TokenKind::LParen => groups.push(self.parameter_group()),
                TokenKind::LBrace if self.at_implicit_parameters() => {
                    groups.push(self.parameter_group());
                }
                TokenKind::LBracket => self.parameters_in_square_brackets(),
                TokenKind::Ident if !self.at_where() => groups.push(self.bare_parameters()),
                _ => break,
            }
        }
        let (first, last) = (groups.first()?.span, groups.last()?.span);
        if self.at(TokenKind::Arrow) {
            self.arrow_before_result(last);
        }
        let is_doubled = self.at(TokenKind::Colon)
            && self.slice(self.token().span.cover(self.peek(1).span)) == ":=";
        let result = match self.eat(TokenKind::Colon) {
            Some(colon) if is_doubled => {
                self.doubled_colon(colon);
                None
            }
            Some(colon) => {
                self.doubled_colon(colon);
                Some(match self.at_conditions_without_type() {
                    true => self.type_before_conditions(),
                    false => self.term(TermCategory::Type),
                })
            }
            None if self.at_where() => {
                self.conditions_without_result();
                Some(self.missing())
            }
            None => None,
        };
        let implicit = self.names_of_implicit_parameters(&groups);
        let ty = self.type_of_head(first.start, &implicit, &groups, result);
        let outside = std::mem::replace(&mut self.before_equals, true);
        let ty = self.conditions_of(ty);
        self.before_equals = outside;
        Some(TypedHead {
            implicit,
            groups,
            result,
            ty,
        })
    }

    /// Makes the head and the body of a definition from its parameters and its value.
    pub(crate) fn function_of_head(&mut self, head: TypedHead, value: TermId) -> (Head, TermId) {
        // Parameters of one sort are those of one function, unless implicit ones are between them.
        let mut runs: Vec<(bool, Vec<BinderId>)> = Vec::new();
        let mut is_new = true;
        for group in &head.groups {
            is_new |= group.implicit;
            for param in group.params.iter().filter(|_| !group.implicit) {
                let binder = &self.binders[param.binder.0 as usize];
                let dependent = matches!(binder.annotation, BinderAnnotation::Kind(..));
                match runs.last_mut() {
                    Some((last, run)) if *last == dependent && !is_new => run.push(param.binder),
                    _ => runs.push((dependent, vec![param.binder])),
                }
                is_new = false;
            }
        }
        let mut body = value;
        for (dependent, params) in runs.into_iter().rev() {
            let start = self.binders[params[0].0 as usize].span.start;
            let params = params.into_boxed_slice();
            let kind = match dependent {
                true => TermKind::DepFun { params, body },
                false => TermKind::Fun {
                    params,
                    grouped: false,
                    body,
                },
            };
            body = self.push_since(start, kind);
        }
        let head = Head {
            implicit: head.implicit,
            groups: head.groups.into_boxed_slice(),
            result: head.result,
            value,
        };
        (head, body)
    }

    // ----- parameters -----

    /// Parses `(a: A, b: B)` or `{n: Nat}`.
    fn parameter_group(&mut self) -> ParameterGroup {
        let open = self.bump();
        let implicit = open.kind == TokenKind::LBrace;
        let params = match implicit {
            true => self.list(open, TokenKind::RBrace, Self::implicit_parameter),
            false => self.list_of_head(open),
        };
        ParameterGroup {
            params: params.into_boxed_slice(),
            implicit,
            span: self.since(open.span.start),
        }
    }

    /// Parses the parameters after an opening parenthesis, up to the closing one.
    fn list_of_head(&mut self, open: Token) -> Vec<Parameter> {
        let mut params = Vec::new();
        loop {
            let param = self.head_parameter();
            let binder = param.binder;
            params.push(param);
            if !self.comma_is_missing(binder) && !self.next_in_list(open, TokenKind::RParen) {
                return params;
            }
        }
    }

    /// Returns true at the brace of `{n: Nat}`, which may be incomplete, and not at the block of a
    /// function in the notation of another language.
    fn at_implicit_parameters(&self) -> bool {
        use TokenKind::{Colon, Comma, End, Ident, RBrace};
        match self.peek_kind(1) {
            Ident => matches!(self.peek_kind(2), Colon | Comma | RBrace | End),
            next => matches!(next, RBrace | End),
        }
    }

    /// Parses a parameter in braces, `n: Nat`.
    fn implicit_parameter(&mut self) -> Parameter {
        Parameter {
            binder: self.kinded_binder(),
            ty: None,
            inout: None,
        }
    }

    /// Parses a parameter `n: Nat`, `x`, `x: f32` or `inout x: f32`.
    fn head_parameter(&mut self) -> Parameter {
        let is_marked = self.at(TokenKind::Ident)
            && self.slice(self.token().span) == "inout"
            && matches!(
                self.peek_kind(1),
                TokenKind::Ident | TokenKind::LParen | TokenKind::Underscore
            );
        let inout = is_marked.then(|| self.bump().span);
        let binder = self.name_or_pattern("a parameter");
        let mut ty = None;
        if self.eat(TokenKind::Colon).is_some() || self.colon_missing(binder) {
            match self.at(TokenKind::Kind) {
                true => {
                    self.no_pattern_of_kind(binder);
                    self.binders[binder.0 as usize].annotation = self.binder_kind();
                    if let Some(word) = inout {
                        self.kind_in_place(word);
                    }
                }
                false => ty = Some(self.type_of_parameter()),
            }
        }
        if let Some(word) = inout
            && self.binders[binder.0 as usize].name.is_empty()
        {
            self.error_at(
                word,
                "`inout` marks a parameter with a name, which is updated in place",
            );
        }
        Parameter { binder, ty, inout }
    }

    // ----- the type -----

    /// Makes the type of the definition: a function from the implicit parameters and those of the
    /// groups to the result. It reaches from `start` to the current token.
    fn type_of_head(
        &mut self,
        start: u32,
        implicit: &[BinderId],
        groups: &[ParameterGroup],
        result: Option<TermId>,
    ) -> TermId {
        let mut ty = match result {
            Some(result) => result,
            None => self.absent_type(self.last_end()),
        };
        for group in groups.iter().rev() {
            for param in group.params.iter().rev() {
                let binder = &self.binders[param.binder.0 as usize];
                let (span, annotation) = (binder.span, binder.annotation);
                let start = param.inout.map_or(span.start, |word| word.start);
                let kind = match annotation {
                    BinderAnnotation::Kind(..) => TermKind::Pi {
                        param: param.binder,
                        implicit: group.implicit,
                        body: ty,
                    },
                    _ => {
                        let from = match param.ty {
                            Some(from) => from,
                            None => self.absent_type(span.end),
                        };
                        TermKind::Arrow(from, ty)
                    }
                };
                ty = self.push_since(start, kind);
            }
        }
        for &param in implicit.iter().rev() {
            let kind = TermKind::Pi {
                param,
                implicit: true,
                body: ty,
            };
            ty = self.push_since(start, kind);
        }
        ty
    }

    /// Makes the hole that stands for a type that is not written.
    fn absent_type(&mut self, place: u32) -> TermId {
        self.push(TermKind::Hole, Span::empty(place))
    }

    /// Adds a binder for each name in the types of the parameters that is bound neither there nor
    /// by the head.
    fn names_of_implicit_parameters(&mut self, groups: &[ParameterGroup]) -> Box<[BinderId]> {
        let params = || groups.iter().flat_map(|group| &group.params);
        let bound = params().map(|param| self.binders[param.binder.0 as usize].name.clone());
        let bound = bound.filter(|name| !name.is_empty());
        let mut walk = FreeNames {
            parser: self,
            bound: bound.collect(),
            found: Vec::new(),
        };
        for ty in params().filter_map(|param| param.ty) {
            walk.in_type(ty);
        }
        let found = walk.found;
        let binders = found.into_iter().map(|(name, span, kind)| {
            let id = BinderId(self.binders.len() as u32);
            let annotation = BinderAnnotation::Kind(Some(kind), Span::empty(span.end));
            self.binders.push(Binder {
                name,
                span,
                annotation,
                parts: None,
            });
            id
        });
        binders.collect()
    }

    // ----- errors -----

    /// Reports a pattern or `_` in place of the name of a size or type.
    fn no_pattern_of_kind(&mut self, binder: BinderId) {
        let binder = &self.binders[binder.0 as usize];
        if binder.name.is_empty() {
            let span = binder.span;
            self.error_at(span, "a size or type that is a parameter needs a name");
        }
    }

    fn kind_in_place(&mut self, word: Span) {
        let message = "`inout` marks a value that is updated in place, and this is a size or type";
        self.error_at(word, message);
    }

    /// Reports `()` after the name of a definition, and skips it.
    fn no_parameters(&mut self) {
        let start = self.last_end();
        let open = self.bump();
        let close = self.bump();
        let span = open.span.cover(close.span);
        let message = "a definition without parameters has no parentheses";
        let fix = Fix::preferred(
            "Remove the parentheses",
            vec![(Span::new(start, span.end), String::new())],
        );
        self.report(Diagnostic::syntax(span, message).with_fix(Some(fix)));
    }

    /// Reports parameters in `[…]`, and skips them.
    fn parameters_in_square_brackets(&mut self) {
        let open = self.token().span;
        let is_kind = [1, 2, 3].map(|ahead| self.peek_kind(ahead))
            == [TokenKind::Ident, TokenKind::Colon, TokenKind::Kind];
        self.skip_brackets();
        let close = self.previous().map_or(open, |token| token.span);
        let message = "parameters are in parentheses, or in braces if they are inferred: write `(n: Nat)` or `{n: Nat}`";
        let fix = (is_kind && self.slice(close) == "]").then(|| {
            let edits = vec![(open, "{".to_owned()), (close, "}".to_owned())];
            Fix::preferred("Write braces", edits)
        });
        self.report(Diagnostic::syntax(open, message).with_fix(fix));
    }

    /// Parses and reports parameters without parentheses, `def f x y = …`.
    fn bare_parameters(&mut self) -> ParameterGroup {
        let before = self.last_end();
        let start = self.token().span;
        let mut params = Vec::new();
        while self.at(TokenKind::Ident) && !self.at_where() {
            let binder = self.binder("a parameter");
            params.push(Parameter {
                binder,
                ty: None,
                inout: None,
            });
        }
        let span = self.since(start.start);
        let names: Vec<&str> = (params.iter())
            .map(|param| self.slice(self.binders[param.binder.0 as usize].span))
            .collect();
        let name = self.definition_name();
        let list = format!("({})", names.join(", "));
        let shown = match list.len() < 60 {
            true => format!("def {name}{list} = …"),
            false => format!("def {name}(x) = …"),
        };
        let message = format!("parameters must be in parentheses: write `{shown}`");
        let fix = (matches!(self.kind(), TokenKind::Equals | TokenKind::Colon)).then(|| {
            let edits = vec![(Span::new(before, span.end), list)];
            Fix::preferred("Write parentheses", edits)
        });
        self.report(Diagnostic::syntax(start, message).with_fix(fix));
        ParameterGroup {
            params: params.into_boxed_slice(),
            implicit: false,
            span,
        }
    }

    /// Returns the name after `def`, or `f`.
    fn definition_name(&self) -> &str {
        let def = (self.tokens.iter()).position(|token| token.kind == TokenKind::Def);
        let name = def.and_then(|def| self.tokens.get(def + 1));
        name.map_or("f", |name| self.slice(name.span))
    }

    /// Reports `->` in place of the `:` before the type of the result, and reads it as `:`.
    fn arrow_before_result(&mut self, params: Span) {
        let arrow = self.token().span;
        let gap = Span::new(params.end, arrow.end);
        let message = "the type of the result must come after `:`, not `->`";
        self.report(Diagnostic::syntax(arrow, message).write(gap, ":"));
        self.tokens[self.pos].kind = TokenKind::Colon;
    }

    /// Reports `where` after parameters without the type of the result.
    fn conditions_without_result(&mut self) {
        let message = "expected `:` and the type of the result before `where`";
        let error = Diagnostic::syntax(self.last_char(), message);
        self.report(error.help(
            "conditions come after a complete type, or before the `def` as `@assume(4 | n)`",
        ));
    }
}

/// Collects the free names of types, each once.
struct FreeNames<'p, 't> {
    parser: &'p Parser<'t>,
    bound: Vec<Name>,
    found: Vec<(Name, Span, Kind)>,
}

impl FreeNames<'_, '_> {
    fn name(&mut self, term: TermId, name: &Name, kind: Kind) {
        let is_found = self.found.iter().any(|(other, ..)| other == name);
        if !is_found && !self.bound.contains(name) {
            let span = self.parser.span_of(term);
            self.found.push((name.clone(), span, kind));
        }
    }

    fn under(&mut self, binder: BinderId, inner: impl FnOnce(&mut Self)) {
        let name = self.parser.binders[binder.0 as usize].name.clone();
        self.bound.push(name);
        inner(self);
        self.bound.pop();
    }

    fn in_type(&mut self, term: TermId) {
        match self.parser.kind_of(term) {
            TermKind::Name(name) => self.name(term, name, Kind::DataType),
            TermKind::Paren(inner) => self.in_type(*inner),
            TermKind::Array { size, elem, .. } | TermKind::Vector { size, elem } => {
                self.in_size(*size);
                self.in_type(*elem);
            }
            TermKind::Index(size) => self.in_size(*size),
            TermKind::DepArray { size, elem } => {
                self.in_size(*size);
                if !matches!(self.parser.kind_of(*elem), TermKind::Name(_)) {
                    self.in_type(*elem);
                }
            }
            TermKind::Pair(a, b) | TermKind::Tuple(a, b) | TermKind::Arrow(a, b) => {
                self.in_type(*a);
                self.in_type(*b);
            }
            TermKind::DataFun { param, body } | TermKind::DepPair { param, body } => {
                self.under(*param, |walk| walk.in_type(*body));
            }
            TermKind::Pi { param, body, .. } => self.under(*param, |walk| walk.in_type(*body)),
            TermKind::Where { ty, .. } => self.in_type(*ty),
            TermKind::Apply { args, .. } => args.iter().for_each(|&arg| self.in_size(arg)),
            _ => {}
        }
    }

    fn in_size(&mut self, term: TermId) {
        match self.parser.kind_of(term) {
            TermKind::Name(name) => self.name(term, name, Kind::Nat),
            TermKind::Paren(inner) => self.in_size(*inner),
            TermKind::Binary { op, lhs, rhs, .. } if *op != BinaryOp::Divides => {
                self.in_size(*lhs);
                self.in_size(*rhs);
            }
            TermKind::Apply { callee, args } => match (self.parser.text_of(*callee), &args[..]) {
                ("sum", [index, from, to, of]) => {
                    self.in_size(*from);
                    self.in_size(*to);
                    self.bound.push(Name::new(self.parser.text_of(*index)));
                    self.in_size(*of);
                    self.bound.pop();
                }
                _ => args.iter().for_each(|&arg| self.in_size(arg)),
            },
            TermKind::NatFun { param, body } => self.under(*param, |walk| walk.in_size(*body)),
            _ => {}
        }
    }
}
