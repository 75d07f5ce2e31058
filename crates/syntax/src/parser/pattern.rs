//! Parses patterns, which take tuples apart: `(a, b)` and `_` in place of the name of a value.

use super::{MAX_DEPTH, Parser};
use crate::ast::{Binder, BinderAnnotation, BinderId, Name};
use crate::lexer::{Token, TokenKind};
use crate::{Diagnostic, Dialect, Fix, Span};

impl Parser<'_> {
    /// Parses the binder of a value: a name, `_` or a pattern. Returns its number. `what` describes
    /// the binder in the error if it is missing. In DPIA and in other languages, everything but a
    /// name is reported.
    pub(crate) fn name_or_pattern(&mut self, what: &str) -> BinderId {
        match self.kind() {
            TokenKind::LParen if self.has_patterns() => self.pattern(),
            TokenKind::Underscore if self.has_patterns() => {
                let span = self.bump().span;
                self.push_binder(Name::default(), span)
            }
            _ => self.name_without_patterns(what),
        }
    }

    /// Returns true if the language of the text has patterns.
    pub(crate) fn has_patterns(&self) -> bool {
        self.dialect == Dialect::Rise && self.host.is_none()
    }

    /// Parses a pattern `(a, b)`, whose parts are names, `_` or patterns, perhaps with types.
    fn pattern(&mut self) -> BinderId {
        let open = self.bump();
        if self.nesting >= MAX_DEPTH {
            self.too_deep(open.span);
            return self.nameless_binder();
        }
        self.nesting += 1;
        let mut parts = Vec::new();
        loop {
            let part = self.parameter();
            parts.push(part);
            if !self.comma_is_missing(part) && !self.next_in_list(open, TokenKind::RParen) {
                break;
            }
        }
        self.nesting -= 1;
        let span = self.since(open.span.start);
        match parts.len() {
            1 => self.pattern_of_one(open),
            2 => {}
            _ => self.error_at(
                span,
                "a pattern has two parts: nest patterns, as in `(a, (b, c))`",
            ),
        }
        self.binders.push(Binder {
            name: Name::default(),
            span,
            annotation: BinderAnnotation::None,
            parts: Some(parts.into_boxed_slice()),
        });
        BinderId(self.binders.len() as u32 - 1)
    }

    /// Reports the parentheses around one name in place of a pattern.
    fn pattern_of_one(&mut self, open: Token) {
        let message = "a pattern has two parts, as in `(a, b)`";
        let close = self
            .previous()
            .filter(|last| last.kind == TokenKind::RParen);
        let fix = close.map(|close| {
            let edits = vec![(open.span, String::new()), (close.span, String::new())];
            Fix::preferred("Remove the parentheses", edits)
        });
        let span = self.since(open.span.start);
        self.report(Diagnostic::syntax(span, message).with_fix(fix));
    }

    /// Returns true at the `(` of a pattern among the parameters of a `fun`, not at that of all
    /// parameters: a `,` or `:` follows its `)`.
    pub(crate) fn at_pattern_in_list(&self) -> bool {
        use TokenKind::{Colon, Comma, DepFun, Fun};
        let follows = |at: usize| self.tokens.get(at).map(|token| token.kind);
        self.has_patterns()
            && self
                .after_brackets(self.pos)
                .is_some_and(|at| match follows(at) {
                    Some(Colon) => true,
                    // A comma in place of the `=>`.
                    Some(Comma) => !matches!(follows(at + 1), Some(Fun | DepFun)),
                    _ => false,
                })
    }

    /// Returns true if a pattern, perhaps with a type, and `=` follow the current token, a `let`.
    pub(crate) fn at_let_pattern(&self) -> bool {
        if self.peek_kind(1) != TokenKind::LParen || !self.has_patterns() {
            return self.at_reported_pattern();
        }
        let Some(at) = self.after_brackets(self.pos + 1) else {
            return false;
        };
        match self.tokens[at].kind {
            TokenKind::Equals => true,
            TokenKind::Colon => self.reaches_equals(at + 1),
            _ => false,
        }
    }

    /// Returns true if an `=` follows the tokens from `first` on before the end of the enclosing
    /// brackets.
    fn reaches_equals(&self, first: usize) -> bool {
        let mut depth = 0u32;
        let ahead = self.tokens.iter().skip(first);
        for token in ahead.take(super::delimiters::MAX_LOOKAHEAD) {
            match token.kind {
                TokenKind::Equals if depth == 0 => return true,
                kind if kind.opens_bracket() => depth += 1,
                kind if kind.closes_bracket() => match depth.checked_sub(1) {
                    Some(less) => depth = less,
                    None => return false,
                },
                TokenKind::Comma | TokenKind::In | TokenKind::Let | TokenKind::End
                    if depth == 0 =>
                {
                    return false;
                }
                _ => {}
            }
        }
        false
    }

    /// Returns the index of the token after the bracket that closes the one at `open`; `None` if it
    /// is not closed nearby.
    fn after_brackets(&self, open: usize) -> Option<usize> {
        let mut depth = 0u32;
        let ahead = self.tokens.iter().enumerate().skip(open);
        for (at, token) in ahead.take(super::delimiters::MAX_LOOKAHEAD) {
            match token.kind {
                kind if kind.opens_bracket() => depth += 1,
                kind if kind.closes_bracket() => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(at + 1);
                    }
                }
                _ => {}
            }
        }
        None
    }

    pub(crate) fn push_binder(&mut self, name: Name, span: Span) -> BinderId {
        let id = BinderId(self.binders.len() as u32);
        self.binders.push(Binder {
            name,
            span,
            annotation: BinderAnnotation::None,
            parts: None,
        });
        id
    }
}
