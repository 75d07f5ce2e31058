//! Parses foreign functions, with error recovery for C declarations and RISE function types.

use super::recover_definitions::is_nearly_def;
use super::{Parser, TermCategory};
use crate::ast::{BinderAnnotation, BinderId, Ident, ItemKind, ScalarType, TermId, TermKind};
use crate::lexer::{Token, TokenKind};
use crate::{Diagnostic, Fix, Span, foreign_scalar};

/// The title of the fix that names every nameless parameter.
const NAME_PARAMETERS: &str = "Name the parameters";

/// The maximal number of parameters for which a fix proposes names.
const MAX_NAMED_PARAMETERS: usize = 16;

const EXAMPLE: &str = "a function of C is declared as in `foreign def hypot(x: f32, y: f32): f32`";

impl Parser<'_> {
    /// Parses `foreign def f(x: f32): f32`, perhaps with a body in C.
    pub(crate) fn foreign(&mut self) -> ItemKind {
        let word = self.bump();
        let word = self.def_of_foreign(word);
        let name = self.item_name(word);
        let params = match self.eat(TokenKind::LParen) {
            Some(open) => {
                let params = self.list(open, TokenKind::RParen, Self::foreign_parameter);
                params.into_boxed_slice()
            }
            None => self.no_foreign_parameters(name.as_ref()),
        };
        let result = match self.colon_of_result() {
            true => self.term(TermCategory::Type),
            false => self.missing(),
        };
        let body = match self.equals_of_body() {
            true => self.foreign_body(),
            false => None,
        };
        ItemKind::Foreign {
            name,
            params,
            result,
            body,
        }
    }

    /// Parses the `def` after `foreign`, or reports that it is missing. Returns the token before
    /// the name: `def`, a misspelt one, or `foreign`.
    fn def_of_foreign(&mut self, foreign: Token) -> Token {
        if let Some(def) = self.eat(TokenKind::Def) {
            return def;
        }
        let (place, next) = (self.last_char(), self.token());
        if next.kind == TokenKind::Ident
            && self.peek_kind(1) == TokenKind::Ident
            && is_nearly_def(self.slice(next.span))
        {
            let text = self.slice(next.span).to_owned();
            let message = format!("expected `def` after `foreign`, found `{text}`");
            self.report(Diagnostic::syntax(next.span, message).write(next.span, "def"));
            return self.bump();
        }
        let is_name = next.kind == TokenKind::Ident && self.peek_kind(1) == TokenKind::LParen;
        let message = "expected `def` after `foreign`";
        let error = Diagnostic::syntax(place, message).help(EXAMPLE);
        self.report(error.with_fix(
            is_name.then(|| Fix::replace("Insert `def`", Span::empty(next.span.start), "def ")),
        ));
        foreign
    }

    /// Parses a parameter `x: f32`.
    fn foreign_parameter(&mut self) -> BinderId {
        if self.at_type_before_name() {
            return self.type_before_name();
        }
        if matches!(self.kind(), TokenKind::Scalar | TokenKind::Constructor) {
            return self.nameless_parameter();
        }
        let id = self.binder("a parameter");
        let ty = match self.eat(TokenKind::Colon) {
            Some(_) => self.term(TermCategory::Type),
            None => {
                self.no_type_of_parameter(id);
                match matches!(self.kind(), TokenKind::Scalar | TokenKind::Constructor) {
                    true => self.term(TermCategory::Type),
                    false => self.missing(),
                }
            }
        };
        self.binders[id.0 as usize].annotation = BinderAnnotation::Type(ty);
        id
    }

    /// Reports a parameter without a type, `x`, or without its colon, `x f32`.
    fn no_type_of_parameter(&mut self, id: BinderId) {
        let name = self.binders[id.0 as usize].name.clone();
        let span = self.last_char();
        let is_typed = self.at(TokenKind::Scalar);
        let message =
            format!("expected `:` and the type of the parameter `{name}`, which is not inferred");
        let error = Diagnostic::syntax(span, message);
        self.report(
            error
                .with_fix(is_typed.then(|| Fix::replace("Insert `:`", Span::empty(span.end), ":"))),
        );
    }

    /// Returns true at a parameter in C notation: `f32 x` or `float x`.
    fn at_type_before_name(&self) -> bool {
        matches!(self.kind(), TokenKind::Scalar | TokenKind::Ident)
            && self.peek_kind(1) == TokenKind::Ident
            && matches!(self.peek_kind(2), TokenKind::Comma | TokenKind::RParen)
    }

    fn type_before_name(&mut self) -> BinderId {
        let ty = self.bump().span;
        let id = self.binder("a parameter");
        let name = self.binders[id.0 as usize].name.clone();
        let span = self.since(ty.start);
        let text = self.slice(ty);
        let scalar =
            ScalarType::from_text(text).map_or_else(|| foreign_scalar(text), |_| Some(text));
        let shown = scalar.unwrap_or("f32");
        let message =
            format!("the type of a parameter must come after its name: write `{name}: {shown}`");
        let error = Diagnostic::syntax(span, message);
        self.report(
            error.with_fix(scalar.map(|scalar| Fix::write(span, format!("{name}: {scalar}")))),
        );
        let missing = self.missing();
        self.binders[id.0 as usize].annotation = BinderAnnotation::Type(missing);
        id
    }

    /// Parses a parameter that consists of a type only, and reports it, unless the item has more
    /// than [`MAX_NAMED_PARAMETERS`] parameters up to it.
    fn nameless_parameter(&mut self) -> BinderId {
        let id = self.nameless_binder();
        let ty = self.term(TermCategory::Type);
        self.binders[id.0 as usize].annotation = BinderAnnotation::Type(ty);
        let span = self.span_of(ty);
        let text = self.slice(span);
        if self.binders.len() > MAX_NAMED_PARAMETERS {
            return id;
        }
        let names = self.names_of_parameters(self.binders.len());
        let name = names.last().map_or("x", String::as_str);
        let edit = (Span::empty(span.start), format!("{name}: "));
        if !self.extend_fix(NAME_PARAMETERS, std::slice::from_ref(&edit)) {
            let message = format!(
                "the parameter of a foreign function must have a name: write `{name}: {text}`"
            );
            self.report(Diagnostic::syntax(span, message).fix(NAME_PARAMETERS, vec![edit], true));
        }
        id
    }

    /// Returns `count` parameter names that do not occur in the item.
    fn names_of_parameters(&self, count: usize) -> Vec<String> {
        let letters = ["x", "y", "z"].map(str::to_owned).into_iter();
        let numbered = (1u32..).map(|number| format!("x{number}"));
        let is_used = |name: &String| self.tokens.iter().any(|t| self.slice(t.span) == name);
        let names = letters.chain(numbered).filter(|name| !is_used(name));
        names.take(count).collect()
    }

    /// Reports a missing parameter list, and parses the function type in its place, if there is
    /// one. Returns no parameters.
    fn no_foreign_parameters(&mut self, name: Option<&Ident>) -> Box<[BinderId]> {
        if !self.at(TokenKind::Colon) || self.error.is_some() {
            self.expected_with_help("`(` and the parameters", EXAMPLE);
            return Box::default();
        }
        let colon = self.bump();
        let start = self.tokens[self.pos.saturating_sub(2)].span.end;
        let ty = self.term(TermCategory::Type);
        let (from, result) = self.parts_of_function(ty);
        if from.is_empty() || from.len() > MAX_NAMED_PARAMETERS || self.error.is_some() {
            let name = name.map_or("f", |name| self.slice(name.span)).to_owned();
            let message = format!("expected the parameters of `{name}` before its result");
            self.report(Diagnostic::syntax(colon.span, message).help(EXAMPLE));
            return Box::default();
        }
        let names = self.names_of_parameters(from.len());
        let text = |term: TermId| self.text_of(term);
        let params = names.iter().zip(&from);
        let params: Vec<_> = params
            .map(|(name, ty)| format!("{name}: {}", text(*ty)))
            .collect();
        let written = format!("({}): {}", params.join(", "), text(result));
        let name = name.map_or("f", |name| self.slice(name.span));
        let span = Span::new(start, self.span_of(ty).end);
        let message = format!(
            "the parameters of a foreign function must have names: write `foreign def {name}{written}`"
        );
        self.report(Diagnostic::syntax(colon.span, message).replace(
            NAME_PARAMETERS,
            span,
            written,
        ));
        Box::default()
    }

    /// Splits a chain of arrows `a -> b -> c` into the types of its parameters, `a` and `b`, and
    /// its result.
    fn parts_of_function(&self, ty: TermId) -> (Vec<TermId>, TermId) {
        let (mut from, mut rest) = (Vec::new(), ty);
        while let TermKind::Arrow(param, result) = *self.kind_of(rest) {
            from.push(param);
            rest = result;
        }
        (from, rest)
    }

    /// Skips the `:` before the result type; another token in its place, or none, is reported.
    /// Returns true if there is a result type.
    fn colon_of_result(&mut self) -> bool {
        if self.eat(TokenKind::Colon).is_some() {
            return true;
        }
        if let Some(arrow) = self.eat(TokenKind::Arrow) {
            let gap = Span::new(self.tokens[self.pos - 2].span.end, arrow.span.end);
            let message = "the result type of a foreign function must come after `:`, not `->`";
            self.report(
                Diagnostic::syntax(arrow.span, message)
                    .help(EXAMPLE)
                    .write(gap, ":"),
            );
            return true;
        }
        let has_type = matches!(self.kind(), TokenKind::Scalar | TokenKind::Constructor);
        if has_type && self.error.is_none() {
            let place = self.last_char();
            let message = "expected `:` before the result type";
            self.report(Diagnostic::syntax(place, message).replace(
                "Insert `:`",
                Span::empty(place.end),
                ":",
            ));
        } else {
            self.expected_with_help("`:` and the result type", EXAMPLE);
        }
        has_type
    }

    /// Skips the `=` before a body; a missing `=` before triple quotes is reported. Returns true if
    /// there is a body.
    fn equals_of_body(&mut self) -> bool {
        if self.eat(TokenKind::Equals).is_some() {
            return true;
        }
        let has_body = matches!(self.kind(), TokenKind::RawString | TokenKind::LBrace);
        if self.at(TokenKind::RawString) {
            let place = self.last_char();
            let message = "expected `=` before the function's body";
            self.report(Diagnostic::syntax(place, message).replace(
                "Insert `=`",
                Span::empty(place.end),
                " =",
            ));
        }
        has_body
    }

    /// Parses the body `"""C"""`, and returns the C text and its span; `None` if it is not in
    /// complete triple quotes, which is reported.
    fn foreign_body(&mut self) -> Option<(Box<str>, Span)> {
        let token = self.token();
        match token.kind {
            TokenKind::RawString => {
                self.bump();
                let span = Span::new(token.span.start + 3, token.span.end - 3);
                return Some((self.slice(span).into(), span));
            }
            TokenKind::OpenRawString => drop(self.bump()),
            _ => self.body_without_quotes(),
        }
        None
    }

    /// Reports a C body that is not in triple quotes.
    fn body_without_quotes(&mut self) {
        let token = self.token();
        let before = self
            .previous()
            .filter(|before| before.kind == TokenKind::Equals);
        let equals = if before.is_some() { "" } else { "= " };
        let span = match token.kind {
            TokenKind::LBrace | TokenKind::String => token.span,
            _ => self.last_char(),
        };
        let start = token.span.start;
        self.skip_to_end();
        let rest = Span::new(start, self.last_end().max(start));
        let body = self.quoted_body(token, self.slice(rest));
        let message = "expected the function's body in C between three quotes, as in `\"\"\"{ return x; }\"\"\"`";
        let error = Diagnostic::syntax(span, message);
        self.report(match body {
            Some(body) => error.replace(
                "Put the body between three quotes",
                rest,
                format!("{equals}\"\"\"{body}\"\"\""),
            ),
            None => error,
        });
    }

    /// Returns the block in braces that a wrongly quoted C body denotes; `None` if the text is
    /// neither a block nor a single value.
    fn quoted_body(&self, first: Token, text: &str) -> Option<String> {
        let is_block = |text: &str| text.starts_with('{') && text.ends_with('}');
        match first.kind {
            TokenKind::LBrace => is_block(text).then(|| text.to_owned()),
            TokenKind::String => {
                let inner = text.strip_prefix('"')?.strip_suffix('"')?;
                (is_block(inner) && !inner.contains(['"', '\\'])).then(|| inner.to_owned())
            }
            TokenKind::End => None,
            _ => {
                let value = text.strip_prefix("return ").unwrap_or(text);
                let value = value.trim_end_matches(';');
                let is_value = !value.contains([';', '\n', '"', '{', '=']);
                is_value.then(|| format!("{{ return {value}; }}"))
            }
        }
    }
}
