//! Parses numbers, and the sizes that are a part of a token such as `3.3`.

use super::Parser;
use crate::ast::{Literal, Name, ScalarType, TermId, TermKind};
use crate::lexer::{Token, TokenKind};
use crate::{Diagnostic, Span, codes};

impl Parser<'_> {
    /// Parses a number, perhaps with an adjacent `-`.
    pub(crate) fn number(&mut self) -> TermId {
        let negative = self.eat(TokenKind::Minus);
        let token = self.bump();
        let start = negative.map_or(token.span.start, |minus| minus.span.start);
        let span = Span::new(start, token.span.end);
        let literal = match token.kind {
            TokenKind::Int => self.int_literal(token, negative.is_some()),
            _ => self.float_literal(token, negative.is_some()),
        };
        self.push(TermKind::Literal(literal), span)
    }

    fn int_literal(&mut self, token: Token, negative: bool) -> Literal {
        let text = self.slice(token.span);
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let suffix = self.suffix(token.span, digits, true);
        let span = Span::new(token.span.start, token.span.start + digits as u32);
        Literal::Int {
            value: self.int_value(span, negative),
            suffix,
        }
    }

    fn float_literal(&mut self, token: Token, negative: bool) -> Literal {
        let text = self.slice(token.span);
        let digits = float_digits(text);
        let suffix = self.suffix(token.span, digits, false);
        let sign = if negative { "-" } else { "" };
        let text = Name::from(format!("{sign}{}", &text[..digits]));
        Literal::Float { text, suffix }
    }

    /// Returns the value of a run of digits, or 0 with an error if it does not fit 64 bits.
    fn int_value(&mut self, span: Span, negative: bool) -> i128 {
        let value = self.slice(span).parse::<u64>().map(i128::from).ok();
        let value = value.map(|value| if negative { -value } else { value });
        match value.filter(|&value| value >= i128::from(i64::MIN)) {
            Some(value) => value,
            None => {
                self.report(Diagnostic::error(
                    codes::BAD_NUMBER,
                    span,
                    "this number does not fit 64 bits",
                ));
                0
            }
        }
    }

    /// Returns the scalar type of the suffix after the first `digits` bytes of a number; `None` if
    /// there is no suffix or a wrong one, which is reported. `whole` is true for a number without a
    /// point and an exponent.
    fn suffix(&mut self, number: Span, digits: usize, whole: bool) -> Option<ScalarType> {
        let text = self.slice(number);
        let suffix = match &text[digits..] {
            "" => return None,
            "f" => Some(ScalarType::F32),
            word => ScalarType::from_text(word),
        };
        let fits = |ty: &ScalarType| match ty {
            ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => {
                !(whole && &text[digits..] == "f")
            }
            ScalarType::Bool => false,
            _ => whole,
        };
        let suffix = suffix.filter(fits);
        if suffix.is_none() {
            let span = Span::new(number.start + digits as u32, number.end);
            self.report(bad_suffix(&text[..digits], &text[digits..], number, span));
        }
        suffix
    }

    /// Returns the spans of the two sizes of a token such as `3.3` in a type; `None` if anything
    /// but digits follows the point, or if there is none.
    pub(crate) fn split_float(&self) -> Option<(Span, Span)> {
        let span = self.token().span;
        let text = self.slice(span);
        let dot = text.find('.')?;
        let second = &text[dot + 1..];
        let plain = !second.is_empty() && second.bytes().all(|b| b.is_ascii_digit());
        let dot = span.start + dot as u32;
        plain.then(|| (Span::new(span.start, dot), Span::new(dot + 1, span.end)))
    }

    /// Adds a literal for a size that is a part of a token.
    pub(crate) fn integer(&mut self, span: Span, negative: bool) -> TermId {
        let value = self.int_value(span, negative);
        self.push(
            TermKind::Literal(Literal::Int {
                value,
                suffix: None,
            }),
            span,
        )
    }
}

/// Returns the number of bytes of a float without its suffix: digits, point and exponent.
fn float_digits(text: &str) -> usize {
    let bytes = text.as_bytes();
    let run = |from: usize| {
        from + bytes[from..]
            .iter()
            .position(|b| !b.is_ascii_digit())
            .unwrap_or(bytes.len() - from)
    };
    let mut end = run(0);
    if bytes.get(end) == Some(&b'.') {
        end = run(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let digits = end + 1 + sign;
        if bytes.get(digits).is_some_and(u8::is_ascii_digit) {
            end = run(digits);
        }
    }
    end
}

fn without_leading_zeros(digits: &str) -> &str {
    match digits.trim_start_matches('0') {
        "" => "0",
        rest => rest,
    }
}

fn bad_suffix(digits: &str, word: &str, number: Span, span: Span) -> Diagnostic {
    let error = |message: String| Diagnostic::error(codes::BAD_NUMBER, span, message);
    let whole = !digits.contains(['.', 'e', 'E']);
    if word == "f" || (word == "F" && whole) {
        let written = format!("{}.0f", without_leading_zeros(digits));
        let message = format!("a float needs a digit after its point: write `{written}`");
        return Diagnostic::error(codes::BAD_NUMBER, number, message).write(number, written);
    }
    let meant = match (word, whole) {
        ("F", false) => Some("f"),
        ("d" | "D", false) => Some("f64"),
        ("l" | "L" | "ll" | "LL", true) => Some("i64"),
        ("u" | "U", true) => Some("u32"),
        ("ul" | "UL" | "ull" | "ULL", true) => Some("u64"),
        _ => None,
    };
    if let Some(meant) = meant {
        return error(format!(
            "`{word}` is not a number type: write `{digits}{meant}`"
        ))
        .replace(format!("Write `{digits}{meant}`"), span, meant);
    }
    if word.starts_with(['x', 'X', 'b', 'o']) && digits == "0" {
        return error("numbers must be written in decimal".to_owned());
    }
    if word.starts_with('_') {
        return error("there must be no `_` between the digits of a number".to_owned());
    }
    if digits.contains(['.', 'e', 'E']) && ScalarType::from_text(word).is_some() {
        return error(format!(
            "a number with a point or exponent is a float, not of type `{word}`"
        ));
    }
    error(format!(
        "`{word}` is not a number type: after its digits, a number can only have `f`, or a type such as `i32` or `f64`"
    ))
}
