//! Error recovery for operators of other languages, such as `xs ++ ys`, `x++`, `xs !! 2`, `~x`, `x
//! +. y`, `f @ x` and `x mod y`, for operators in wrong positions, and for names of arguments,
//! `axis = 0`.

use super::lexical_errors::no_bits;
use super::{Parser, TermCategory};
use crate::ast::{BinaryOp, TermId, TermKind};
use crate::lexer::{Token, TokenKind};
use crate::{Diagnostic, Dialect, Span};

impl Parser<'_> {
    /// Parses and reports the operators of other languages after an operand, and returns the
    /// resulting operand.
    pub(crate) fn with_foreign_signs(&mut self, mut operand: TermId, mode: TermCategory) -> TermId {
        while !mode.is_type() && self.host.is_none() {
            let is_binary = self.begins_operand_at(2);
            operand = match self.kind() {
                TokenKind::Plus if self.is_doubled() && is_binary => {
                    self.foreign_binary(operand, mode, |list, rest| {
                        let written = format!("concat({list})({rest})");
                        let message = format!("there is no `++`: write `{written}` to join two arrays");
                        (message, written)
                    })
                }
                TokenKind::Bang if self.is_doubled() && is_binary => {
                    self.foreign_binary(operand, mode, |list, index| {
                        let message = format!(
                            "there is no `!!`: write `{list} |> idx({index})` for an element of an array"
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

    /// Returns true if the next token has the same kind as the current one and is adjacent to it.
    fn is_doubled(&self) -> bool {
        let (first, second) = (self.token(), self.peek(1));
        first.kind == second.kind && first.span.end == second.span.start
    }

    fn begins_operand_at(&self, ahead: usize) -> bool {
        super::delimiters::begins_operand(self.peek_kind(ahead))
    }

    /// Parses a doubled sign and its right operand, and reports the sign. `written` computes the
    /// message and the replacement from the texts of both operands.
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
            "`@` is not an operator: write `{applied}` to apply a function, or `{composed}` to compose two functions"
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
        self.report(Diagnostic::syntax(sign, message).replace("Remove `.`", point, ""));
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

    /// Adds a fix that writes the RISE expression for a bitwise complement to the error about a `~`
    /// at `sign`, which is read as `!`. Does nothing at any other sign.
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

    /// Reports an operator, the current token, that is in parentheses but not a function. Returns
    /// false at any other token.
    pub(crate) fn at_lone_operator(&mut self) -> bool {
        let token = self.token();
        let text = self.quoted(token);
        let lone =
            super::operator::binary_op(token.kind).is_some() || token.kind == TokenKind::Bang;
        if lone {
            let instead = if token.kind == TokenKind::Bang {
                ": write `not`"
            } else {
                ""
            };
            self.error_at(
                token.span,
                format!("{text} is not a function by itself{instead}"),
            );
        }
        lone
    }

    /// Reports a `|` outside of conditions, and returns the operator `|>`, as which it is read.
    pub(crate) fn single_bar(&mut self) -> Option<BinaryOp> {
        let span = self.token().span;
        let joins_numbers = self.is_whole_number(span);
        self.report(match joins_numbers {
            true => no_bits("|", span),
            false => Diagnostic::syntax(span,
                "`|` is allowed only in conditions of `where` and `@assume`, where it means \"divides\": write `|>` for a pipeline and `||` for \"or\"; there are no bitwise operations",
            )});
        Some(BinaryOp::Pipe)
    }

    /// Reports `<>` between operands, and skips its first character. Returns false at any other
    /// `<`.
    pub(crate) fn angles_for_unequal(&mut self) -> bool {
        let (first, second) = (self.token().span, self.peek(1).span);
        let is_sign = self.peek_kind(1) == TokenKind::Greater && first.end == second.start;
        if is_sign {
            self.bump();
            let span = first.cover(second);
            let message = "there is no `<>`: write `!=` to compare two values";
            self.report(Diagnostic::syntax(span, message).write(span, "!="));
        }
        is_sign
    }

    /// Returns the span of the name before the current `=`, if the name begins a body and an `in`
    /// follows: `fun(x => y = x in y)`.
    fn name_without_let(&self) -> Option<Span> {
        let [.., before, name] = self.tokens[..self.pos] else {
            return None;
        };
        let begins = matches!(
            before.kind,
            TokenKind::FatArrow | TokenKind::In | TokenKind::LParen
        );
        let next = self
            .ahead_in_brackets(0)
            .map(|token| token.kind)
            .find(|kind| matches!(kind, TokenKind::Let | TokenKind::In | TokenKind::FatArrow));
        let is_binding = begins && name.kind == TokenKind::Ident && next == Some(TokenKind::In);
        is_binding.then_some(name.span)
    }

    /// Reports `>>>`, the shift operator of other languages, and skips its last `>`; does nothing
    /// after any other operator `op`. Returns a division if an integer follows the `>>>`, and
    /// `None` otherwise.
    pub(crate) fn shift_without_sign(&mut self, op: BinaryOp, sign: Span) -> Option<BinaryOp> {
        let last = self.token();
        if op != BinaryOp::Then || last.kind != TokenKind::Greater || last.span.start != sign.end {
            return None;
        }
        self.bump();
        let message = "`>>>` is not an operator: RISE has no bit shifts";
        self.report(
            Diagnostic::syntax(sign.cover(last.span), message)
                .help("divide by a power of two, as in `x / 2`; `>>` composes functions"),
        );
        self.at(TokenKind::Int).then_some(BinaryOp::Div)
    }

    /// Returns true at the first argument of `select`.
    fn at_condition_of_select(&self) -> bool {
        match &self.tokens[..self.pos] {
            [.., name, open] => open.kind == TokenKind::LParen && self.slice(name.span) == "select",
            _ => false,
        }
    }

    /// Reports and skips a name and `=` before an argument, as in `axis = 0`. Does nothing in DPIA,
    /// in ELEVATE, in the first argument of `select`, or if the item binds the name before this
    /// place.
    pub(crate) fn named_argument(&mut self) {
        let (name, equals) = (self.token().span, self.peek(1).span);
        let has_form = self.at(TokenKind::Ident) && self.peek_kind(1) == TokenKind::Equals;
        let is_bound = |text: &str| self.binders.iter().any(|binder| binder.name == text);
        let is_other = self.dialect != Dialect::Rise || self.host.is_some();
        if !has_form || is_other || self.at_condition_of_select() || is_bound(self.slice(name)) {
            return;
        }
        let next = self.peek(2).span;
        self.bump();
        self.bump();
        let message = "arguments have no names: write them in the order of the parameters";
        self.report(
            Diagnostic::syntax(name.cover(equals), message)
                .help("write the value without the name; to compare two values, write `==`")
                .replace("Remove the name", Span::new(name.start, next.start), ""),
        );
    }

    /// Reports an `=` between operands, and returns the operator `==`, as which it is read.
    pub(crate) fn single_equals(&mut self) -> Option<BinaryOp> {
        let span = self.token().span;
        if let Some(name) = self.name_without_let() {
            let text = self.slice(name);
            let message = format!("a value is named by `let`: write `let {text} = …`");
            self.report(Diagnostic::syntax(name, message).replace(
                "Insert `let`",
                Span::empty(name.start),
                "let ",
            ));
        }
        let message = "`=` is only for definitions: write `==` to compare two values";
        self.report(Diagnostic::syntax(span, message).write(span, "=="));
        Some(BinaryOp::Eq)
    }

    /// Returns the operator for the current token, if it is `and`, `or`, `mod` or `div` between
    /// operands, or `divide` between sizes. Such a word is reported, except an `and` between
    /// conditions on sizes, which is reported later.
    pub(crate) fn word_for_operator(&mut self) -> Option<BinaryOp> {
        let token = self.token();
        let (op, sign) = match self.slice(token.span) {
            "and" => (BinaryOp::And, "&&"),
            "or" => (BinaryOp::Or, "||"),
            "mod" => (BinaryOp::Mod, "%"),
            "div" => (BinaryOp::Div, "/"),
            "divide" if self.divides => (BinaryOp::Divides, "divides"),
            _ => return None,
        };
        if self.host.is_some() || !self.starts_operand(self.peek(1)) {
            return None;
        }
        let text = self.quoted(token);
        if op == BinaryOp::And && self.divides {
            // The conditions that it joins are reported together.
            return Some(op);
        }
        let error = |message| Diagnostic::syntax(token.span, message);
        self.report(match op {
            BinaryOp::Or if self.divides => error(
                "there is no \"or\" in conditions on sizes: all conditions must hold".to_owned(),
            ),
            BinaryOp::Divides => error(format!(
                "expected `divides` between two sizes, found {text}"
            ))
            .write(token.span, sign),
            _ => error(format!(
                "{text} is a function: the operator is written `{sign}`"
            ))
            .write(token.span, sign),
        });
        Some(op)
    }
}

fn no_increment(sign: Span, written: &str) -> Diagnostic {
    let message = format!(
        "there is no `{written}{written}`: values never change; write `x {written} 1` for a new value"
    );
    Diagnostic::syntax(sign, message)
}
