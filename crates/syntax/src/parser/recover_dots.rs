//! Error recovery for dots: halves of pairs, floats without digits, methods, and sizes with
//! operators before the dot of an array type.

use super::{Parser, TermCategory};
use crate::ast::{Half, TermId, TermKind};
use crate::lexer::{Token, TokenKind};
use crate::{Diagnostic, Fix, Span, codes};

impl Parser<'_> {
    /// Reports a dot after an expression that is not `._1` or `._2`. Returns the probable meaning,
    /// or `None` if the rest cannot be read as a part of the expression.
    pub(crate) fn dot_in_expression(&mut self, term: TermId) -> Option<TermId> {
        let dot = self.token();
        let next = self.peek(1);
        let number = self.text_of(term);
        let is_int = number.bytes().all(|byte| byte.is_ascii_digit());
        let text = self.slice(next.span);
        let span = dot.span.cover(next.span);
        match next.kind {
            TokenKind::Ident | TokenKind::Scalar if is_int => {
                let whole = self.span_of(term).cover(next.span);
                let suffix = if matches!(text, "f" | "f16" | "f32" | "f64") {
                    text
                } else {
                    "f"
                };
                self.report(
                    Diagnostic::error(
                        codes::BAD_NUMBER,
                        whole,
                        format!(
                            "a float needs a digit after its point: write `{number}.0{suffix}`"
                        ),
                    )
                    .write(whole, format!("{number}.0{suffix}")),
                );
                self.pos += 2;
                Some(term)
            }
            TokenKind::Int | TokenKind::Float if dot.kind == TokenKind::Dot => {
                let half = if text.starts_with('1') {
                    Half::First
                } else {
                    Half::Second
                };
                self.wrong_half(span, text);
                self.pos += 2;
                let span = self.since(self.span_of(term).start);
                Some(self.push(TermKind::Project { pair: term, half }, span))
            }
            TokenKind::Ident if self.is_spaced(dot) => {
                self.extend_fix("Write `<<`", &[(dot.span, "<<".to_owned())]);
                let message = "functions are composed with `<<`, or with `>>` in the order in which they are applied";
                self.report(Diagnostic::syntax(dot.span, message).write(dot.span, "<<"));
                self.bump();
                self.atom(TermCategory::Expr);
                let span = self.since(self.span_of(term).start);
                Some(self.push(TermKind::Missing, span))
            }
            TokenKind::Ident => {
                let is_call = self.peek_kind(2) == TokenKind::LParen;
                let mut edits = vec![(dot.span, " |> ".to_owned())];
                if is_call && self.peek_kind(3) == TokenKind::RParen {
                    let brackets = self.peek(2).span.cover(self.peek(3).span);
                    edits.push((brackets, String::new()));
                }
                if is_call {
                    self.extend_fix("Write `|>`", &edits);
                }
                let pipe = match edits.len() {
                    1 => format!("… |> {text}(…)"),
                    _ => format!("… |> {text}"),
                };
                let is_transpose = text == "T";
                let message = format!(
                    "values have no component `{text}`: expected `_1` or `_2` after the `.`, the components of a pair"
                );
                let error = Diagnostic::syntax(span, message);
                self.report(match is_call {
                    true => error
                        .help(format!("to apply a function to the value, write `{pipe}`"))
                        .fix("Write `|>`", edits, false),
                    false if is_transpose => error
                        .help("to transpose an array of rows, write `… |> transpose`")
                        .replace("Write `|> transpose`", span, " |> transpose"),
                    false => error,
                });
                self.pos += 2;
                let span = self.since(self.span_of(term).start);
                Some(self.push(TermKind::Missing, span))
            }
            _ => {
                self.bump();
                if is_int {
                    self.report(
                        Diagnostic::error(
                            codes::BAD_NUMBER,
                            dot.span,
                            format!("a float needs a digit after its point: write `{number}.0`"),
                        )
                        .replace(
                            format!("Write `{number}.0`"),
                            Span::empty(dot.span.end),
                            "0",
                        ),
                    );
                    return Some(term);
                }
                let sign = dot.span.cover(next.span);
                if dot.span.end == next.span.start
                    && super::operator::section_op(next.kind).is_some()
                {
                    let text = self.slice(sign).to_owned();
                    let message = format!(
                        "there is no `{text}`: operators work on single values, and `map` applies a function to each element of an array"
                    );
                    let operator = text.trim_start_matches('.');
                    self.report(Diagnostic::syntax(sign, message).help(format!(
                        "write `xs |> map(fun(x => x {operator} a))`, or `zip(xs)(ys) |> map(fun((x, y) => x {operator} y))`"
                    )));
                    return None;
                }
                self.expected("`_1` or `_2`, the components of a pair,");
                None
            }
        }
    }

    /// Reports an integer literal with a suffix, which is not a size, after the dot of an array
    /// type, as in `vec0.0f`.
    pub(crate) fn number_as_element(&mut self) {
        let token = self.token();
        let text = self.quoted(token);
        let is_size = self
            .slice(token.span)
            .bytes()
            .all(|byte| byte.is_ascii_digit());
        if self.at(TokenKind::Int) && !is_size {
            let message = format!("expected a size or type after the `.`, found {text}");
            self.error_at(token.span, message);
        }
    }

    /// Returns true if there is text without tokens, such as white space, before and after `token`,
    /// which is the current one.
    fn is_spaced(&self, token: Token) -> bool {
        self.last_end() < token.span.start && token.span.end < self.peek(1).span.start
    }

    fn wrong_half(&mut self, span: Span, text: &str) {
        let error = |message| Diagnostic::syntax(span, message);
        self.report(match text {
            "1" | "2" => error(format!("component {text} of a pair is written `._{text}`"))
                .write(span, format!("._{text}")),
            _ => error("the components of a pair are written `._1` and `._2`".to_owned()),
        });
    }

    /// Reports an operator in a size without parentheses, such as `n + 1.f32`, in a type.
    pub(crate) fn reject_operator_in_type(&mut self, operand: TermId) {
        if super::operator::section_op(self.kind()).is_none() {
            return;
        }
        let span = self.token().span;
        let general = "a size with operators needs parentheses in a type";
        let Some((size, elem)) = self.size_with_operators(operand) else {
            return self.error_at(span, format!("{general}, as in `(2 * n).f32`"));
        };
        let (written, elem) = (self.slice(size), elem.map_or("…", |elem| self.slice(elem)));
        let message = format!("{general}: write `({written}).{elem}`");
        let fix = Fix::surround(format!("Write `({written})`"), size, "(", ")");
        self.report(Diagnostic::syntax(span, message).with_fix(Some(fix)));
    }

    /// Returns the span of a size that consists of this operand, operators and further operands up
    /// to a `.`, and the span of the token after the `.` if that is a name or scalar type. Returns
    /// `None` if no operators and `.` follow.
    fn size_with_operators(&self, first: TermId) -> Option<(Span, Option<Span>)> {
        let starts = matches!(
            self.kind_of(first),
            TermKind::Name(_) | TermKind::Literal(_) | TermKind::Paren(_)
        );
        let mut at = 0;
        while starts && super::operator::section_op(self.peek_kind(at)).is_some() {
            if !matches!(self.peek_kind(at + 1), TokenKind::Ident | TokenKind::Int) {
                return None;
            }
            at += 2;
            if self.peek_kind(at) == TokenKind::Dot {
                let size = self.span_of(first).cover(self.peek(at - 1).span);
                let elem = self.peek(at + 1);
                let is_word = matches!(elem.kind, TokenKind::Scalar | TokenKind::Ident);
                return Some((size, is_word.then_some(elem.span)));
            }
        }
        None
    }
}
