//! Error recovery for indexing in brackets, for `cast[f32](x)`, and for array types and type
//! constructors in the notation of other languages.

use super::recover_applications::conversion;
use super::{Parser, TermCategory};
use crate::ast::{TermId, TermKind};
use crate::lexer::{Token, TokenKind};
use crate::{Diagnostic, Dialect, Fix, Span};

impl Parser<'_> {
    /// Reports and skips an index in brackets, `xs[i]`, `xs[i][j]` or `xs[i, j]`, or the bounds of
    /// a slice, `xs[a:b]`.
    pub(crate) fn index_in_brackets(&mut self, term: TermId) {
        let open = self.token();
        let dialect = self.dialect;
        if dialect == Dialect::Rise && self.is_in_brackets(|token, _| token == TokenKind::Colon) {
            let message = "a part of an array is written `xs |> drop(a) |> take(n)`: its `n` elements from `a` on";
            self.error_at(open.span, message);
            self.skip_brackets();
            return;
        }
        let form = match dialect {
            Dialect::Rise => "`xs |> idx(i)`",
            Dialect::Dpia => "`idx(i, xs)` to read, `idxAcc(i, xs)` to write",
        };
        let message = format!("arrays are not indexed with brackets: write {form}");
        self.error_at(open.span, message);
        let mut text = Some(self.text_of(term).to_owned());
        while self.at(TokenKind::LBracket) {
            let index = self.tokens_of_index();
            text = text.zip(index).map(|(array, index)| {
                let indices = index.into_iter();
                indices.fold(array, |array, index| format!("idx({index})({array})"))
            });
        }
        if let Some(text) = text.filter(|_| dialect == Dialect::Rise) {
            let all = self.since(self.span_of(term).start);
            self.mend(open.span, Fix::replace("Write `idx`", all, text));
        }
    }

    /// Returns true at the brackets of `cast[f32](x)`.
    pub(crate) fn at_type_of_cast(&self, callee: TermId) -> bool {
        let is_cast = matches!(self.kind_of(callee), TermKind::Name(name) if name == "cast");
        is_cast
            && self.dialect == Dialect::Rise
            && self.peek_kind(1) == TokenKind::Scalar
            && self.peek_kind(2) == TokenKind::RBracket
    }

    /// Parses and reports `cast[f32](x)`, a conversion with its type in brackets.
    pub(crate) fn cast_in_brackets(&mut self, callee: TermId) -> TermId {
        let ty = self.slice(self.peek(1).span);
        self.pos += 3;
        let start = self.last_end();
        let term = match self.at(TokenKind::LParen) {
            true => self.call(callee, TermCategory::Arg),
            false => callee,
        };
        let written = match self.slice(self.since(start)) {
            "" => format!("fun(x => (cast(x) : {ty}))"),
            value => format!("(cast{value} : {ty})"),
        };
        let whole = self.since(self.span_of(callee).start);
        self.report(conversion(whole, written));
        term
    }

    /// Returns true if a token directly within the brackets that open at the current token
    /// satisfies the predicate.
    pub(crate) fn is_in_brackets(&self, is_it: impl Fn(TokenKind, &str) -> bool) -> bool {
        self.ahead_in_brackets(1)
            .any(|token| is_it(token.kind, self.slice(token.span)))
    }

    /// Skips the brackets at the current position. Returns the texts between their commas, if the
    /// brackets are closed and none of the texts is empty.
    fn tokens_of_index(&mut self) -> Option<Vec<String>> {
        let first = self.pos;
        self.skip_brackets();
        let tokens = &self.tokens[first..self.pos];
        if tokens.last()?.kind != TokenKind::RBracket {
            return None;
        }
        let mut parts = Vec::new();
        let mut depth = 0;
        let mut start = tokens[0].span.end;
        for token in tokens {
            use TokenKind::Comma;
            match token.kind {
                kind if kind.opens_bracket() => depth += 1,
                kind if kind.closes_bracket() => depth -= 1,
                _ => {}
            }
            if depth == 0 || (depth == 1 && token.kind == Comma) {
                parts.push(
                    self.slice(Span::new(start, token.span.start))
                        .trim()
                        .to_owned(),
                );
                start = token.span.end;
            }
        }
        parts.iter().all(|part| !part.is_empty()).then_some(parts)
    }

    /// Parses and reports an array type with its sizes after the element type, `f32[n]`.
    pub(crate) fn sizes_behind_type(&mut self, elem: TermId) -> TermId {
        let (start, open) = (self.span_of(elem).start, self.token().span);
        let was_first = self.error.is_none();
        let mut sizes = Vec::new();
        while let Some(open) = self.eat(TokenKind::LBracket) {
            sizes.push(match self.at(TokenKind::RBracket) {
                true => self.missing(),
                false => self.term(TermCategory::Size),
            });
            self.close(open, TokenKind::RBracket);
        }
        let is_closed = self
            .previous()
            .is_some_and(|t| t.kind == TokenKind::RBracket);
        let is_written = sizes.iter().all(|size| self.is_size(*size));
        let ty = sizes
            .iter()
            .rev()
            .fold(elem, |elem, size| self.array_of(*size, elem));
        let written = self.written_type(ty);
        let span = self.since(start);
        self.report_instead(
            was_first,
            match is_closed && is_written {
                true => Diagnostic::syntax(
                    open,
                    format!(
                        "the size of an array must come before its elements: write `{written}`"
                    ),
                )
                .write(span, written),
                false => Diagnostic::syntax(
                    open,
                    "the size of an array must come before its elements: write `n.f32`",
                ),
            },
        );
        ty
    }

    /// Reports an array type with sizes behind the dots after its element type, `f32.n`, and returns
    /// the type that is meant. `parts` are the parts of the type between its dots. Returns `None` if
    /// all sizes come before the element type.
    pub(crate) fn sizes_behind_dot(&mut self, parts: &[TermId]) -> Option<TermId> {
        let at = parts.iter().position(|part| self.is_plainly_type(*part))?;
        let (outer, [elem, inner @ ..]) = parts.split_at_checked(at)? else {
            return None;
        };
        if inner.is_empty() || !inner.iter().all(|size| self.is_size(*size)) {
            return None;
        }
        let place = (inner.iter()).fold(self.span_of(*elem), |all, size| {
            all.cover(self.span_of(*size))
        });
        let span = self.span_of(parts[0]).cover(place);
        let ty =
            (outer.iter().chain(inner).rev()).fold(*elem, |elem, size| self.array_of(*size, elem));
        self.terms[ty.0 as usize].span = span;
        let written = self.written_type(ty);
        let message =
            format!("the size of an array must come before its elements: write `{written}`");
        self.report(Diagnostic::syntax(place, message).write(span, written));
        Some(ty)
    }

    /// Parses and reports an array type in brackets, `[n, f32]`, `[f32; n]` or `[n]f32`. Returns a
    /// [`TermKind::Missing`] if the brackets contain no array type.
    pub(crate) fn type_in_brackets(&mut self) -> TermId {
        let was_first = self.error.is_none();
        let open = self.bump();
        let mut parts = Vec::new();
        if !self.at(TokenKind::RBracket) {
            parts.push(self.term(TermCategory::Size));
            while matches!(self.kind(), TokenKind::Comma | TokenKind::Semicolon) {
                self.bump();
                parts.push(self.term(TermCategory::Size));
            }
        }
        self.close(open, TokenKind::RBracket);
        let is_closed = self
            .previous()
            .is_some_and(|t| t.kind == TokenKind::RBracket);
        let touches = self.last_end() == self.token().span.start;
        if touches && is_closed && (self.at_operand() || self.at(TokenKind::LBracket)) {
            parts.push(self.postfix(TermCategory::Type));
        }
        if let [first, _] = parts[..]
            && !self.is_size(first)
        {
            parts.reverse();
        }
        let span = self.since(open.span.start);
        let elem = parts.pop();
        let is_array = is_closed
            && !parts.is_empty()
            && parts.iter().all(|size| self.is_size(*size))
            && elem.is_some_and(|elem| self.is_type(elem));
        let Some(elem) = elem.filter(|_| is_array) else {
            let message =
                "an array type is its size, a `.` and the type of its elements: write `n.f32`";
            self.report_instead(was_first, Diagnostic::syntax(open.span, message));
            return self.push(TermKind::Missing, span);
        };
        let ty = parts
            .into_iter()
            .rev()
            .fold(elem, |elem, size| self.array_of(size, elem));
        let written = self.written_type(ty);
        let message = format!("an array type is written without brackets: write `{written}`");
        self.report_instead(
            was_first,
            Diagnostic::syntax(open.span, message).write(span, written),
        );
        self.terms[ty.0 as usize].span = span;
        ty
    }

    /// Parses and reports an array type without its dot, `4 f32` or `4 * f32`, whose size has just
    /// been parsed. Returns `None` at anything else.
    pub(crate) fn size_beside_type(&mut self, size: TermId) -> Option<TermId> {
        let token = self.token();
        let times = token.kind == TokenKind::Star;
        let elem = self.peek(usize::from(times));
        let is_elem = matches!(elem.kind, TokenKind::Scalar | TokenKind::Constructor);
        let gap = Span::new(self.last_end(), elem.span.start);
        let is_name =
            |size: TermId| matches!(self.kind_of(size), TermKind::Name(_) | TermKind::Literal(_));
        if !is_elem || !is_name(size) || self.slice(gap).contains('\n') {
            return None;
        }
        let form = format!("{}.{}", self.text_of(size), self.slice(elem.span));
        let place = if times { token.span } else { elem.span };
        let message = format!(
            "a `.` must be between the size of an array and the type of its elements, as in `{form}`"
        );
        self.report(Diagnostic::syntax(place, message).write(gap, "."));
        self.pos += usize::from(times);
        let elem = self.postfix(TermCategory::Type);
        Some(self.array_of(size, elem))
    }

    /// Reports a constructor whose element type precedes the size: `Array[f32, n]`.
    pub(crate) fn size_stands_first(&mut self, name: &str, first: TermId, second: TermId) {
        if self.is_size(first) || !self.is_type(first) || !self.is_size(second) {
            return;
        }
        let (elem, size) = (self.span_of(first), self.span_of(second));
        let texts = (self.slice(elem).to_owned(), self.slice(size).to_owned());
        let message = format!(
            "`{name}` takes the size first: write `{name}[{}, {}]`",
            texts.1, texts.0
        );
        let edits = vec![(elem, texts.1), (size, texts.0)];
        self.report(Diagnostic::syntax(elem, message).fix("Swap the two", edits, true));
    }

    /// Reports the arguments of a constructor in angle brackets, `Array<n, f32>`, and skips them if
    /// a `>` is among the next 20 tokens. Returns true if the current token is `<`.
    pub(crate) fn angle_brackets(&mut self, word: Token, form: &str) -> bool {
        if !self.at(TokenKind::Less) {
            return false;
        }
        let open = self.token();
        let line = self.tokens[self.pos..].iter();
        let close = line
            .take(20)
            .position(|token| token.kind == TokenKind::Greater);
        let name = self.slice(word.span);
        let close = close.map(|length| self.pos + length);
        let closer = close.map(|close| self.tokens[close].span);
        let message = format!("`{name}` takes brackets: write `{form}`");
        let error = Diagnostic::syntax(open.span, message);
        self.report(match closer {
            Some(closer) => {
                let close = (closer, "]".to_owned());
                error.fix(
                    "Write brackets",
                    vec![(open.span, "[".to_owned()), close],
                    true,
                )
            }
            None => error,
        });
        if let Some(close) = close {
            self.pos = close + 1;
        }
        true
    }

    fn array_of(&mut self, size: TermId, elem: TermId) -> TermId {
        let span = self.span_of(size).cover(self.span_of(elem));
        let kind = TermKind::Array {
            size,
            elem,
            long: false,
        };
        self.push(kind, span)
    }

    /// Returns the text of a type in RISE notation, for a type that was parsed from brackets.
    fn written_type(&self, ty: TermId) -> String {
        match *self.kind_of(ty) {
            TermKind::Array {
                size,
                elem,
                long: false,
            } => {
                let size_text = self.text_of(size);
                let elem = self.written_type(elem);
                match *self.kind_of(size) {
                    TermKind::Binary { .. } => format!("({size_text}).{elem}"),
                    _ => format!("{size_text}.{elem}"),
                }
            }
            TermKind::Arrow(..) => format!("({})", self.text_of(ty)),
            _ => self.text_of(ty).to_owned(),
        }
    }

    /// Returns true if the form of a term allows it to be a size.
    fn is_size(&self, term: TermId) -> bool {
        use TermKind::{Apply, Binary, Literal, Name, Paren};
        let kind = self.kind_of(term);
        matches!(
            kind,
            Name(_) | Literal(_) | Binary { .. } | Apply { .. } | Paren(_)
        )
    }

    /// Returns true if the form of a term allows it to be a type, and not to be a size.
    pub(crate) fn is_plainly_type(&self, term: TermId) -> bool {
        self.is_type(term) && !self.is_size(term)
    }

    /// Returns true if the form of a term allows it to be a type.
    fn is_type(&self, term: TermId) -> bool {
        use TermKind::{Array, DepArray, DepPair, Index, Name, Pair, Paren, Scalar, Tuple, Vector};
        let kind = self.kind_of(term);
        matches!(
            kind,
            Scalar(_) | Name(_) | Array { .. } | Tuple(..) | Vector { .. } | Index(_) | Pair(..)
        ) || matches!(kind, DepArray { .. } | DepPair { .. } | Paren(_))
    }
}
