//! Parses the constructs that only DPIA has: commands and phrase types.

use super::{Parser, TermCategory};
use crate::ast::{BinaryOp, ReadWrite, TermId, TermKind};
use crate::lexer::{Token, TokenKind};
use crate::{Diagnostic, Dialect, Span};

impl Parser<'_> {
    /// Returns true if `=` or `;` may follow a term of the category `mode`: in DPIA, outside of
    /// types and annotations.
    pub(super) fn commands_may_stand(&self, mode: TermCategory) -> bool {
        self.dialect == Dialect::Dpia && !mode.is_type() && !self.divides
    }

    /// Returns true if the form of a term shows that it is a command.
    pub(super) fn is_command(&self, id: TermId) -> bool {
        matches!(
            self.kind_of(id),
            TermKind::Assign { .. } | TermKind::If { .. } | TermKind::Skip | TermKind::Sequence(_)
        )
    }

    /// Parses the `=` of an assignment after its left-hand side, and returns its span; `None` if
    /// there is none. Assignment operators of other languages are reported and read as `=`.
    pub(super) fn assignment_sign(&mut self) -> Option<Span> {
        if let Some(sign) = self.eat(TokenKind::Equals) {
            return Some(sign.span);
        }
        let (first, second) = (self.token(), self.peek(1));
        if second.kind != TokenKind::Equals || first.span.end != second.span.start {
            return None;
        }
        let span = first.span.cover(second.span);
        match first.kind {
            TokenKind::Colon => self.report(
                Diagnostic::syntax(span, "an assignment is written with `=`").write(span, "="),
            ),
            kind if super::operator::section_op(kind).is_some() => {
                let (sign, op) = (self.slice(span).to_owned(), self.quoted(first));
                let message = format!(
                    "there is no `{sign}`: an acceptor can only be written, so the left operand of {op} must be an expression, as in `acc = exp {} x`",
                    op.trim_matches('`')
                );
                self.error_at(span, message);
            }
            _ => return None,
        }
        self.pos += 2;
        Some(span)
    }

    /// Returns true at a compound assignment operator such as `+=`, where a command is allowed.
    pub(super) fn assigns_with_operator(&self, mode: TermCategory) -> bool {
        if !self.commands_may_stand(mode) {
            return false;
        }
        let (first, second) = (self.token(), self.peek(1));
        second.kind == TokenKind::Equals
            && first.span.end == second.span.start
            && super::operator::section_op(first.kind).is_some()
    }

    /// Returns the span of the character after which the `in` of a `let` is missing: the last one
    /// of the value, or of its first command if `;` was written instead of `in`.
    pub(super) fn end_of_value(&self, value: TermId) -> Span {
        match self.kind_of(value) {
            TermKind::Sequence(commands) if !commands.is_empty() => {
                let end = self.span_of(commands[0]).end;
                let width = self
                    .slice(Span::new(0, end))
                    .chars()
                    .next_back()
                    .map_or(0, char::len_utf8);
                Span::new(end - width as u32, end)
            }
            _ => self.last_char(),
        }
    }

    /// Reports a second `=` after an assignment.
    pub(super) fn chained_assignment(&mut self) {
        let span = self.token().span;
        let message = "assignments do not chain: write one assignment for each acceptor, with `;` between them";
        self.error_at(span, message);
    }

    /// Skips the `;` after a command, and returns true if another command follows. A `;` is also
    /// allowed after the last command; a missing `;` between two commands is reported.
    pub(super) fn next_command(
        &mut self,
        before: TermId,
        mode: TermCategory,
        sequence: bool,
    ) -> bool {
        if let Some(sign) = self.eat(TokenKind::Semicolon) {
            return self.behind_semicolon(sign);
        }
        if !self.at_operand() {
            return false;
        }
        let command = sequence || self.is_command(before);
        let call =
            mode == TermCategory::Expr && matches!(self.kind_of(before), TermKind::Apply { .. });
        let next = matches!(self.kind(), TokenKind::If | TokenKind::Skip);
        if !(command || call || next) {
            return false;
        }
        let (place, text) = (self.last_char(), self.quoted(self.token()));
        let insert = Span::empty(place.end);
        let message = format!("expected `;` before {text}, because commands are separated by `;`");
        self.report(Diagnostic::syntax(place, message).replace("Insert `;`", insert, ";"));
        true
    }

    fn behind_semicolon(&mut self, sign: Token) -> bool {
        use TokenKind::{Bang, Colon, Comma, Else, End, In, Minus, RBrace, RParen, Semicolon};
        match self.kind() {
            RParen | RBrace | Comma | Colon | In | End => false,
            Semicolon => {
                self.expected("a command");
                while self.eat(Semicolon).is_some() {}
                self.at_operand()
            }
            Else => {
                let message = "there must be no `;` before the `else` of an `if`";
                self.report(Diagnostic::syntax(sign.span, message).replace(
                    "Remove `;`",
                    sign.span,
                    "",
                ));
                false
            }
            Bang | Minus => true,
            _ if self.at_operand() => true,
            _ => {
                self.expected("a command");
                false
            }
        }
    }

    /// Builds the sequential composition of two commands or more.
    pub(super) fn sequence(&mut self, commands: Box<[TermId]>) -> TermId {
        let ends = commands.first().zip(commands.last());
        let span = ends.map_or(Span::empty(self.last_end()), |(&first, &last)| {
            self.span_of(first).cover(self.span_of(last))
        });
        self.push(TermKind::Sequence(commands), span)
    }

    /// Parses `if (condition) { then } else { otherwise }`.
    pub(super) fn conditional_command(&mut self) -> TermId {
        let word = self.bump();
        let condition = self.condition(word);
        let then = self.block(word);
        if self.at(TokenKind::Semicolon) && self.peek_kind(1) == TokenKind::Else {
            let sign = self.bump();
            self.behind_semicolon(sign);
        }
        let otherwise = match self.eat(TokenKind::Else) {
            Some(word) => self.block(word),
            None => self.no_else(word),
        };
        self.push_since(
            word.span.start,
            TermKind::If {
                condition,
                then,
                otherwise,
            },
        )
    }

    fn condition(&mut self, word: Token) -> TermId {
        let Some(open) = self.eat(TokenKind::LParen) else {
            self.if_form("`(` and the condition", word);
            return match self.at_operand() {
                true => self.term(TermCategory::Expr),
                false => self.missing(),
            };
        };
        let condition = match self.at_let_binding() {
            true => self.term(TermCategory::Expr),
            false => self.nested(Self::compared),
        };
        self.close(open, TokenKind::RParen);
        condition
    }

    /// Parses a value. An `=` between two operands of it is reported and read as `==`.
    fn compared(&mut self) -> TermId {
        let first = self.operators(TermCategory::Expr);
        let Some(sign) = self.eat(TokenKind::Equals) else {
            return first;
        };
        let message = "`=` is only for assignments: write `==` to compare two values";
        self.report(Diagnostic::syntax(sign.span, message).write(sign.span, "=="));
        let second = self.operators(TermCategory::Expr);
        let span = self.span_of(first).cover(self.span_of(second));
        self.push(
            TermKind::Binary {
                op: BinaryOp::Eq,
                op_span: sign.span,
                lhs: first,
                rhs: second,
            },
            span,
        )
    }

    /// Parses `{ command }` after `if (…)` or `else`.
    fn block(&mut self, word: Token) -> TermId {
        let Some(open) = self.eat(TokenKind::LBrace) else {
            self.if_form("`{` and a command", word);
            return match self.at_operand() {
                true => self.nested(Self::lone_command),
                false => self.missing(),
            };
        };
        if self.at(TokenKind::RBrace) {
            let place = Span::empty(self.last_end());
            let span = open.span.cover(self.token().span);
            let message =
                "expected a command in the block: `skip` is the command that does nothing";
            self.report(Diagnostic::syntax(span, message).replace("Write `skip`", place, " skip "));
            let command = self.missing();
            self.bump();
            return command;
        }
        let command = self.term(TermCategory::Expr);
        self.close(open, TokenKind::RBrace);
        command
    }

    /// Parses a command that lacks its braces.
    fn lone_command(&mut self) -> TermId {
        let first = self.operators(TermCategory::Expr);
        match self.assignment_sign() {
            Some(op_span) => {
                let rhs = self.operators(TermCategory::Expr);
                self.assign(op_span, first, rhs)
            }
            None => first,
        }
    }

    pub(super) fn assign(&mut self, op_span: Span, lhs: TermId, rhs: TermId) -> TermId {
        let span = self.span_of(lhs).cover(self.span_of(rhs));
        self.push(TermKind::Assign { op_span, lhs, rhs }, span)
    }

    fn if_form(&mut self, what: &str, word: Token) {
        let (span, after) = (self.last_char(), self.previous());
        let after = after.map_or(String::new(), |token| self.quoted(token));
        let what = format!("expected {what} after {after}");
        self.report(Diagnostic::syntax(span, what).related(
            word.span,
            "an `if` is written `if (condition) { command } else { command }`",
        ));
    }

    fn no_else(&mut self, word: Token) -> TermId {
        let missing = self.missing();
        let (span, place) = (self.last_char(), Span::empty(self.last_end()));
        let message = "expected `else` and a block: `else { skip }` does nothing";
        self.report(
            Diagnostic::syntax(span, message)
                .related(word.span, "this `if` has no `else`")
                .replace("Insert `else { skip }`", place, " else { skip }"),
        );
        missing
    }

    /// Parses and reports a command in the position of a type or size.
    pub(super) fn command_in_type(&mut self) -> TermId {
        let word = self.token();
        let text = self.quoted(word);
        let message = format!("expected a type, found {text}: the type of commands is `Comm`");
        self.error_at(word.span, message);
        let command = match word.kind {
            TokenKind::If => self.nested(Self::conditional_command),
            _ => self.skip_command(),
        };
        let span = self.span_of(command);
        self.push(TermKind::Missing, span)
    }

    pub(super) fn skip_command(&mut self) -> TermId {
        let span = self.bump().span;
        self.push(TermKind::Skip, span)
    }

    /// Reports an `else` without an `if`, and skips it and the block after it.
    pub(super) fn lone_else(&mut self) -> TermId {
        let word = self.bump();
        self.error_at(word.span, "this `else` has no `if`");
        if self.at(TokenKind::LBrace) {
            self.skip_brackets();
        }
        self.push_since(word.span.start, TermKind::Missing)
    }

    /// Parses a phrase type: `Exp[t, rw]`, `Acc[t]` or `Comm`.
    pub(super) fn phrase_type(&mut self) -> TermId {
        let word = self.bump();
        let name = self.slice(word.span);
        if name == "Comm" {
            if self.at(TokenKind::LBracket) {
                let span = self.token().span;
                self.error_at(span, "`Comm` takes no arguments");
                self.skip_brackets();
            }
            let span = self.since(word.span.start);
            return self.push(TermKind::Comm, span);
        }
        let brackets = self.constructor_brackets(word);
        let data = self.term_between(brackets, TermCategory::Type);
        let kind = match name {
            "Acc" => TermKind::Acc(data),
            _ => TermKind::Exp {
                data,
                access: self.access(brackets.is_some()),
            },
        };
        if let Some((open, closer)) = brackets {
            self.close(open, closer);
        }
        self.push_since(word.span.start, kind)
    }

    /// Parses the `, rw` of `Exp[t, rw]` and returns the access; reports an error if it is absent.
    /// Returns a missing term, without an error, if there is no bracket (`opened` is false).
    fn access(&mut self, opened: bool) -> TermId {
        if !opened {
            return self.missing();
        }
        if self.eat(TokenKind::Comma).is_none() {
            let span = self.last_char();
            let message = "expected `,` and an access: `Exp[t, Rd]` is read, `Exp[t, Wr]` still to be written";
            self.error_at(span, message);
            return self.missing();
        }
        match self.kind() {
            TokenKind::Access => self.access_word(),
            TokenKind::Ident => self.plain_name(),
            TokenKind::Underscore => {
                let span = self.bump().span;
                self.push(TermKind::Hole, span)
            }
            _ if self.at_operand() => {
                let (span, text) = (self.token().span, self.quoted(self.token()));
                self.error_at(span, format!("expected `Rd`, `Wr` or `St`, found {text}"));
                self.term(TermCategory::Type)
            }
            _ => {
                self.expected("`Rd`, `Wr` or `St`");
                self.missing()
            }
        }
    }

    pub(super) fn access_word(&mut self) -> TermId {
        let span = self.bump().span;
        let kind =
            ReadWrite::from_text(self.slice(span)).map_or(TermKind::Missing, TermKind::Access);
        self.push(kind, span)
    }
}
