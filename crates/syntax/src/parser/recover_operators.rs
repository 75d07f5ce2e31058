//! Error recovery for operators of other languages: `xs ++ ys`, `x++`, `xs !! 2`, `~x`, `x +. y`,
//! `f @ x`.

use super::{Parser, TermCategory};
use crate::ast::{TermId, TermKind};
use crate::lexer::{Token, TokenKind};
use crate::{Diagnostic, Dialect, Span};

impl Parser<'_> {
    /// Parses the operators of other languages after an operand, reports the first of them, and
    /// returns the resulting operand.
    pub(crate) fn with_foreign_signs(&mut self, mut operand: TermId, mode: TermCategory) -> TermId {
        while !mode.is_type() && self.host.is_none() {
            let is_binary = self.begins_operand_at(2);
            operand = match self.kind() {
                TokenKind::Plus if self.is_doubled() && is_binary => {
                    self.foreign_binary(operand, mode, |list, rest| {
                        let written = format!("concat({list})({rest})");
                        let message = format!("two arrays are joined by `{written}`, not by `++`");
                        (message, written)
                    })
                }
                TokenKind::Bang if self.is_doubled() && is_binary => {
                    self.foreign_binary(operand, mode, |list, index| {
                        let message = format!(
                            "an element of an array is `{list} |> idx({index})`: there is no `!!`"
                        );
                        (message, format!("idx({index})({list})"))
                    })
                }
                TokenKind::Plus | TokenKind::Minus if self.is_doubled() && !is_binary => {
                    self.increment_behind();
                    operand
                }
                TokenKind::At if self.dialect == Dialect::Rise && self.begins_operand_at(1) => {
                    self.at_between_operands(operand, mode)
                }
                _ => return operand,
            };
        }
        operand
    }

    /// Returns true if the current token is doubled, without white space.
    fn is_doubled(&self) -> bool {
        let (first, second) = (self.token(), self.peek(1));
        first.kind == second.kind && first.span.end == second.span.start
    }

    fn begins_operand_at(&self, ahead: usize) -> bool {
        super::delimiters::begins_operand(self.peek_kind(ahead))
    }

    /// Parses a doubled sign and its right operand. `written` computes the message and the
    /// replacement from the texts of both operands.
    fn foreign_binary(
        &mut self,
        lhs: TermId,
        mode: TermCategory,
        written: impl FnOnce(&str, &str) -> (String, String),
    ) -> TermId {
        let sign = self.doubled_sign();
        let rhs = self.postfix(mode);
        let span = self.span_of(lhs).cover(self.span_of(rhs));
        let (message, text) = written(self.text_of(lhs), self.text_of(rhs));
        self.report(Diagnostic::syntax(sign, message).write(span, text));
        self.push(TermKind::Missing, span)
    }

    /// Reports `f @ x`, which may mean that `f` is applied to or composed with `x`.
    fn at_between_operands(&mut self, lhs: TermId, mode: TermCategory) -> TermId {
        let sign = self.bump().span;
        let rhs = self.postfix(mode);
        let span = self.span_of(lhs).cover(self.span_of(rhs));
        let left = self.text_of(lhs);
        let applied = format!("{left}{}", self.in_parentheses(rhs));
        let composed = format!("{left} << {}", self.text_of(rhs));
        let message = format!(
            "`@` is not an operator: a function is applied as in `{applied}`, and composed with another one as in `{composed}`"
        );
        let offer = |text: String| (format!("Write `{text}`"), vec![(span, text)]);
        let [(apply, application), (compose, composition)] = [applied, composed].map(offer);
        self.report(
            Diagnostic::syntax(sign, message)
                .help("a product of matrices is written with `map`, `zip` and `reduce`")
                .fix(apply, application, false)
                .fix(compose, composition, false),
        );
        self.push(TermKind::Missing, span)
    }

    fn doubled_sign(&mut self) -> Span {
        let first = self.bump().span;
        first.cover(self.bump().span)
    }

    /// Reports `x++` or `x--`.
    fn increment_behind(&mut self) {
        let (sign, written) = self.increment();
        self.report(no_increment(sign, written).replace(
            format!("Write `{written} 1`"),
            sign,
            format!(" {written} 1"),
        ));
    }

    /// Returns true at the `.` of `x +. y`.
    pub(crate) fn is_point_behind_operator(&self) -> bool {
        use TokenKind::{Minus, Plus, Slash, Star};
        let (point, next) = (self.token().span, self.peek(1));
        let is_sign = |token: Token| {
            matches!(token.kind, Plus | Minus | Star | Slash) && token.span.end == point.start
        };
        let is_apart = next.span.start > point.end && self.begins_operand_at(1);
        self.previous().is_some_and(is_sign) && is_apart
    }

    /// Reports the `.` of `x +. y`, and parses the operand after it.
    pub(crate) fn point_behind_operator(&mut self, mode: TermCategory) -> TermId {
        let before = self.previous().map(|token| token.span);
        let point = self.bump().span;
        let sign = before.unwrap_or(point).cover(point);
        let text = self.slice(sign);
        let message = format!("there is no `{text}`: numbers of all types have the same operators");
        self.report(Diagnostic::syntax(sign, message).replace("Remove `.`", point, String::new()));
        self.postfix(mode)
    }

    /// Returns true at `++x`.
    pub(crate) fn at_increment_before(&self, mode: TermCategory) -> bool {
        !mode.is_type()
            && self.at(TokenKind::Plus)
            && self.is_doubled()
            && self.begins_operand_at(2)
    }

    /// Reports `++x`.
    pub(crate) fn increment_before(&mut self, mode: TermCategory) -> TermId {
        let (sign, written) = self.increment();
        let operand = self.postfix(mode);
        let text = format!("({} {written} 1)", self.text_of(operand));
        let span = self.since(sign.start);
        self.report(no_increment(sign, written).write(span, text));
        self.push(TermKind::Missing, span)
    }

    /// Skips `++` or `--`, and returns its span with the operator that replaces it.
    fn increment(&mut self) -> (Span, &'static str) {
        let written = match self.kind() {
            TokenKind::Plus => "+",
            _ => "-",
        };
        (self.doubled_sign(), written)
    }

    /// Adds the RISE expression for a bitwise complement to the error about a `~`, which is read as
    /// `!`.
    pub(crate) fn mend_complement(&mut self, sign: Span, operand: TermId) {
        let is_missing = self.is_missing(operand);
        if self.slice(sign) != "~" || is_missing {
            return;
        }
        let text = format!("(-{} - 1)", self.text_of(operand));
        let whole = self.since(sign.start);
        if let Some(error) = self.error.take_if(|error| error.span == sign) {
            let title = format!("Write `{text}`");
            self.error = Some(error.fix(title, vec![(whole, text)], false));
        }
    }
}

fn no_increment(sign: Span, written: &str) -> Diagnostic {
    let message = format!(
        "there is no `{written}{written}`: nothing changes its value, and a new one is `x {written} 1`"
    );
    Diagnostic::syntax(sign, message)
}
