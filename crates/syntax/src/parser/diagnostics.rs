//! Error recovery for mistakes with a message of their own: notations of other languages and typing
//! mistakes.

use super::delimiters::MAX_LOOKAHEAD;
use super::recover_applications::tokens_in_brackets;
use super::recover_definitions::comment;
use super::{Parser, TermCategory};
use crate::ast::{Annotation, BinaryOp, Half, Ident, ItemKind, Name, TermId, TermKind};
use crate::lexer::{Lexer, Token, TokenKind};
use crate::{Diagnostic, Dialect, Fix, Span, codes};

impl Parser<'_> {
    /// Reports a character that begins no token, or a comment or string without its end. A sign
    /// that RISE writes in another way is replaced by the token that it denotes.
    pub(crate) fn lexical_error(&mut self, token: Token) {
        let open = |length: u32| Span::new(token.span.start, token.span.start + length);
        let unterminated =
            |span, message: &str| Diagnostic::error(codes::UNTERMINATED, span, message);
        match token.kind {
            TokenKind::OpenComment => {
                self.report(unterminated(
                    open(2),
                    "this comment is not closed: its end `*/` is missing",
                ));
            }
            TokenKind::OpenString => {
                self.report(unterminated(
                    open(1),
                    "this string is not closed: `\"` is missing on its line",
                ));
            }
            TokenKind::OpenRawString => {
                self.report(unterminated(
                    open(3),
                    "this text is not closed: its end `\"\"\"` is missing",
                ));
            }
            _ if self.slice(token.span) == ";" => self.semicolon(token),
            _ if self.slice(token.span) == "#" && self.host.is_none() => {
                self.report(comment(token.span, "#"));
            }
            _ => self.unknown_character(token),
        }
    }

    /// Reports a `;`, which RISE does not have. The tokens before it are already read.
    fn semicolon(&mut self, token: Token) {
        if self.error.is_some() {
            return;
        }
        let before = self.tokens.iter().rev().take(MAX_LOOKAHEAD);
        let bracket = innermost_bracket(before.clone());
        let is_block = bracket == Some(TokenKind::LBrace) && self.host.is_none();
        if bracket == Some(TokenKind::LBracket) || is_block {
            // Such a `;` separates a size in array types of other languages, or statements in
            // blocks.
            return self.tokens.push(Token {
                kind: TokenKind::Semicolon,
                span: token.span,
            });
        }
        let is_value = tokens_in_brackets(before, -1).find_map(|token| match token.kind {
            TokenKind::Let => Some(true),
            TokenKind::In | TokenKind::FatArrow => Some(false),
            _ => None,
        });
        let mut behind = Lexer::within(&self.text[token.span.end as usize..], false)
            .map(|token| token.kind)
            .filter(|kind| !kind.is_trivia());
        let [next, second] = [behind.next(), behind.next()];
        let (message, text) = match next {
            None => ("a definition ends without `;`", ""),
            Some(TokenKind::RParen | TokenKind::In | TokenKind::RBrace) => {
                ("an expression ends without `;`", "")
            }
            Some(TokenKind::Ident)
                if is_value == Some(true) && second == Some(TokenKind::Equals) =>
            {
                (
                    "the value of a `let` is followed by `in`, not `;`",
                    " in let",
                )
            }
            Some(_) if is_value == Some(true) => {
                ("the value of a `let` is followed by `in`, not `;`", " in")
            }
            Some(_) => return self.unknown_character(token),
        };
        let title = match text {
            "" => "remove `;`".to_owned(),
            text => format!("write `{}`", text.trim()),
        };
        self.report(Diagnostic::syntax(token.span, message).replace(title, token.span, text));
        if !text.is_empty() {
            self.tokens.push(Token {
                kind: TokenKind::In,
                span: token.span,
            });
        }
    }

    /// Reports `&` before a type. Returns false at any other `&`.
    fn reference_in_type(&mut self, token: Token) -> bool {
        let before = self.tokens.last().map(|token| token.kind);
        let is_type = matches!(before, Some(TokenKind::Colon | TokenKind::Arrow));
        let is_reference = is_type && self.slice(token.span) == "&" && self.host.is_none();
        if is_reference {
            let message = "there are no references: write the type alone";
            self.report(Diagnostic::syntax(token.span, message).replace(
                "Remove `&`",
                token.span,
                "",
            ));
        }
        is_reference
    }

    fn unknown_character(&mut self, token: Token) {
        let is_path = self
            .tokens
            .last()
            .is_some_and(|last| last.kind == TokenKind::Import);
        if self.reference_in_type(token) || (is_path && self.path_in_other_quotes(token.span)) {
            return;
        }
        let text = self.slice(token.span);
        let shown = match text.chars().next() {
            Some(c) if c.is_control() || c.is_whitespace() || is_invisible(c) => {
                format!("the character U+{:04X}", u32::from(c))
            }
            _ => format!("`{text}`"),
        };
        let meant = token_of_sign(text);
        if matches!(text, "&" | "~") && self.joins_integers(token.span) {
            self.report(no_bits(text, token.span));
            self.tokens.extend(meant.map(|(kind, _)| Token {
                kind,
                span: token.span,
            }));
            return;
        }
        if let Some((_, sign)) = meant {
            self.extend_fix(&format!("Write `{sign}`"), &[(token.span, sign.to_owned())]);
        }
        if self.error.is_none() {
            let advice = match (text, meant) {
                ("~", Some((_, sign))) => format!(
                    ": booleans are negated by `{sign}`, and the bits of an integer are flipped by `-x - 1`"
                ),
                ("&", Some((_, sign))) => format!(
                    ": write `{sign}`, which combines booleans; there are no bitwise operations"
                ),
                (_, Some((_, sign))) => format!(": write `{sign}`"),
                (_, None) => advice_for_sign(text).map_or(String::new(), |it| format!(": {it}")),
            };
            let message = format!("{shown} is not part of {}{advice}", self.language());
            let error = Diagnostic::syntax(token.span, message);
            self.error = Some(match meant {
                Some((_, sign)) => error.fix(
                    format!("Write `{sign}`"),
                    vec![(token.span, sign.to_owned())],
                    text != "~",
                ),
                None => error,
            });
        }
        if let Some((kind, _)) = meant {
            self.tokens.push(Token {
                kind,
                span: token.span,
            });
        }
    }

    /// Returns true if one operand of an operator that has not been read is a whole number and
    /// nothing else.
    fn joins_integers(&self, sign: Span) -> bool {
        let before = match &self.tokens[..] {
            [.., first, last] => {
                last.kind == TokenKind::Int
                    && matches!(
                        first.kind,
                        TokenKind::LParen
                            | TokenKind::Comma
                            | TokenKind::FatArrow
                            | TokenKind::Equals
                    )
            }
            _ => false,
        };
        before || self.is_whole_number(sign)
    }

    /// Returns true if the text after `before` is a whole number that is not an operand of another
    /// operator.
    fn is_whole_number(&self, before: Span) -> bool {
        let rest = self.text.get(before.end as usize..).unwrap_or_default();
        let rest = rest.trim_start();
        let behind = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let ends = !behind
            .trim_start()
            .starts_with(['<', '>', '=', '!', '+', '-', '*', '/', '%', '^', '.']);
        rest.starts_with(|c: char| c.is_ascii_digit()) && ends
    }

    /// Reports an operator in parentheses that is not a function. Returns false at anything else.
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

    /// Reports a `|` outside of conditions, and reads it as `|>`.
    pub(crate) fn single_bar(&mut self) -> Option<BinaryOp> {
        let span = self.token().span;
        let joins_numbers = self.is_whole_number(span);
        self.report(match joins_numbers {
            true => no_bits("|", span),
            false => Diagnostic::syntax(span,
                "`|` means \"divides\", in conditions of `where` and `@assume` only: a pipeline is written `|>`, \"or\" is `||`, and there are no bitwise operations",
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
            let message = "two values that are not equal are compared with `!=`, not `<>`";
            self.report(Diagnostic::syntax(span, message).write(span, "!="));
        }
        is_sign
    }

    /// Returns the name before the current `=`, if it begins a body and an `in` follows:
    /// `fun(x => y = x in y)`.
    fn name_without_let(&self) -> Option<Span> {
        let [.., before, name] = self.tokens[..self.pos] else {
            return None;
        };
        let begins = matches!(
            before.kind,
            TokenKind::FatArrow | TokenKind::In | TokenKind::LParen
        );
        let behind = self.tokens[self.pos..].iter().take(MAX_LOOKAHEAD);
        let next = tokens_in_brackets(behind, 1)
            .map(|token| token.kind)
            .find(|kind| matches!(kind, TokenKind::Let | TokenKind::In | TokenKind::FatArrow));
        let is_binding = begins && name.kind == TokenKind::Ident && next == Some(TokenKind::In);
        is_binding.then_some(name.span)
    }

    /// Skips the last `>` of `>>>`, the shift operator of other languages. Before a number the
    /// operator is read as a division.
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

    /// Reports and skips `axis = ` before an argument, if the item binds no `axis`.
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
        let message = "arguments have no names: they come in the order of the parameters";
        self.report(
            Diagnostic::syntax(name.cover(equals), message)
                .help("write the value alone; two values are compared with `==`")
                .replace("Remove the name", Span::new(name.start, next.start), ""),
        );
    }

    /// Reports an `=` between operands.
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
        let message = "`=` defines: two values are compared with `==`";
        self.report(Diagnostic::syntax(span, message).write(span, "=="));
        Some(BinaryOp::Eq)
    }

    /// Returns true if `=` and a size follow a condition on sizes that contains no comparison.
    pub(crate) fn at_equals_for_relation(&self, condition: TermId) -> bool {
        use TokenKind::{
            Arrow, Caret, Comma, End, Equals, Ident, Int, LParen, Minus, Percent, Plus,
        };
        use TokenKind::{RBrace, RBracket, RParen, Slash, Star};
        let relates = match *self.kind_of(condition) {
            TermKind::Binary { op, .. } => !op.is_arithmetic(),
            _ => false,
        };
        let behind = self.tokens[self.pos..]
            .iter()
            .skip(1)
            .map(|token| token.kind);
        let part = |kind: &TokenKind| {
            matches!(
                kind,
                Ident | Int | Plus | Minus | Star | Slash | Percent | Caret | LParen
            )
        };
        let next = behind.clone().find(|kind| !part(kind));
        let ends = next.is_some_and(|kind| {
            matches!(
                kind,
                Equals | Comma | Arrow | End | RParen | RBracket | RBrace
            )
        });
        let is_empty = behind.clone().next().is_none_or(|kind| !part(&kind));
        self.at(Equals) && !relates && ends && !is_empty
    }

    /// Parses a condition with `=` instead of `==`: `where n = 4`.
    pub(crate) fn equals_for_relation(&mut self, lhs: TermId) -> TermId {
        let op_span = self.token().span;
        let op = self.single_equals().unwrap_or(BinaryOp::Eq);
        self.bump();
        let rhs = self.nested(|parser| parser.operators(TermCategory::Arg));
        let span = self.span_of(lhs).cover(self.span_of(rhs));
        let kind = TermKind::Binary {
            op,
            op_span,
            lhs,
            rhs,
        };
        self.push(kind, span)
    }

    /// Reports a `->` after conditions.
    pub(crate) fn conditions_within_type(&mut self) {
        let arrow = self.bump();
        let message = "`where` and its conditions come after the whole type";
        self.report(
            Diagnostic::syntax(arrow.span, message)
                .help("write the rest of the type first: `n.f32 -> f32 where 4 | n`"),
        );
        self.term(TermCategory::Type);
    }

    /// Returns true if `where` and the start of a condition are in the position of a type.
    pub(crate) fn at_conditions_without_type(&self) -> bool {
        let next = self.peek_kind(1);
        self.at_where() && matches!(next, TokenKind::Ident | TokenKind::Int)
    }

    /// Reports the missing type before `where`.
    pub(crate) fn type_before_conditions(&mut self) -> TermId {
        let before = self.previous().map(|token| self.quoted(token));
        let (span, before) = (self.last_char(), before.unwrap_or_default());
        let message = format!("expected a type between {before} and `where`");
        self.report(
            Diagnostic::syntax(span, message).help(
                "conditions come after the type, as in `(n: Nat) -> n.f32 -> f32 where 4 | n`",
            ),
        );
        self.missing()
    }

    /// Parses the type of a parameter, which must not have conditions.
    pub(crate) fn type_of_parameter(&mut self) -> TermId {
        if self.at_conditions_without_type() {
            let ty = self.type_before_conditions();
            return self.conditions_of(ty);
        }
        let ty = self.term(TermCategory::Type);
        if self.at_where() {
            let span = self.token().span;
            self.report(misplaced_where(span, "a parameter's type"));
            return self.conditions_of(ty);
        }
        ty
    }

    /// Reports the type annotation of a `let`: `let x: type = …`.
    pub(crate) fn let_with_type(&mut self, name: &Name) {
        let colon = self.bump();
        let message = format!("`let` takes no type: write `let {name} = (value : type) in …`");
        self.error_at(colon.span, message);
        self.term(TermCategory::Type);
    }

    /// Parses the `=` after `let x`.
    pub(crate) fn let_equals(&mut self, name: &Name) {
        if self.eat(TokenKind::Equals).is_some() {
            return;
        }
        let next = self.token();
        if name == "mut" && self.at(TokenKind::Ident) && self.peek_kind(1) == TokenKind::Equals {
            let word = self.previous().unwrap_or(next).span;
            let gap = Span::new(word.start, next.span.start);
            let message = "there is no `mut`: nothing changes the value of a `let`";
            self.report(Diagnostic::syntax(word, message).replace("Remove `mut`", gap, ""));
            self.pos += 2;
            return;
        }
        if self.at(TokenKind::LParen) {
            let message = format!(
                "`let` binds values: a function is given its own `def {name} = fun(x => …)`"
            );
            self.error_at(next.span, message);
            self.skip_brackets();
            self.eat(TokenKind::Equals);
            return;
        }
        self.expected("`=`");
        self.eat(TokenKind::EqEq);
    }

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
                let is_transpose = text == "T";
                let message = format!(
                    "values have no part `{text}`: after a `.` comes `_1` or `_2`, the halves of a pair"
                );
                let error = Diagnostic::syntax(span, message);
                self.report(match is_call {
                    true => error
                        .help(format!("a function is applied by a pipe: `… |> {text}(…)`"))
                        .fix("Write `|>`", edits, false),
                    false if is_transpose => error
                        .help("the columns of an array of rows are `… |> transpose`")
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
                        "there is no `{text}`: operators work on numbers, and `map` on the elements of an array"
                    );
                    self.report(Diagnostic::syntax(sign, message).help(
                            "write `xs |> map(fun(x => 2.0f * x))`, or `zip(xs)(ys) |> map(fun((x, y) => x * y))`",
                        ));
                    return None;
                }
                self.expected("`_1` or `_2`, the halves of a pair,");
                None
            }
        }
    }

    /// Reports a number that is not a size after the dot of an array type, as in `vec0.0f`.
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

    /// Returns true if there is white space before and after the current token.
    fn is_spaced(&self, token: Token) -> bool {
        self.last_end() < token.span.start && token.span.end < self.peek(1).span.start
    }

    fn wrong_half(&mut self, span: Span, text: &str) {
        let error = |message| Diagnostic::syntax(span, message);
        self.report(match text {
            "1" | "2" => error(format!("half of a pair is written `._{text}`"))
                .write(span, format!("._{text}")),
            _ => error("the halves of a pair are written `._1` and `._2`".to_owned()),
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
        self.report(Diagnostic::syntax(span, message).fix(
            format!("Write `({written})`"),
            vec![
                (Span::empty(size.start), "(".to_owned()),
                (Span::empty(size.end), ")".to_owned()),
            ],
            true,
        ));
    }

    /// Returns the span of a size that consists of this operand, operators and further operands up
    /// to a `.`, and the span of the token after the `.`.
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

    /// Reports an abstraction in a type.
    pub(crate) fn function_in_type(&mut self) -> TermId {
        let word = self.token();
        let text = self.quoted(word);
        let message =
            format!("expected a type, found {text}: the type of a function is written `s -> t`");
        self.error_at(word.span, message);
        let function = self.function();
        let span = self.span_of(function);
        self.push(TermKind::Missing, span)
    }

    /// Parses a name, or a construct of another language, whose keyword is recognised by the tokens
    /// after it.
    pub(crate) fn named(&mut self, mode: TermCategory) -> TermId {
        let token = self.token();
        let text = self.slice(token.span);
        if !mode.is_type() {
            if self.at_word_for_let() {
                return self.word_for_let(mode);
            } else if self.at_foreign_function(mode) {
                return self.foreign_function();
            } else if text == "if" && self.is_conditional() {
                return self.conditional();
            } else if self.is_loop_statement(text) {
                return self.loop_statement();
            } else if self.is_match_statement(text) {
                return self.match_statement();
            } else if text == "return" && self.is_return_statement() {
                return self.return_statement(mode);
            } else if self.peek_kind(1) == TokenKind::LParen
                && self.parameters_follow(2)
                && let Some(meant) = function_keyword(text)
            {
                return self.misspelt_function(meant);
            }
        } else if self.is_quantifier(text) {
            return self.quantified_type();
        }
        self.plain_name()
    }

    /// Returns true at a pattern match of another language: `case x of …`, `match x with …` or
    /// `switch (x) { … }`.
    fn is_match_statement(&self, text: &str) -> bool {
        let is_word = matches!(text, "case" | "match" | "switch");
        if !is_word || self.host.is_some() || !self.starts_operand(self.peek(1)) {
            return false;
        }
        let behind = self.tokens[self.pos + 1..].iter().take(MAX_LOOKAHEAD);
        let mut words = tokens_in_brackets(behind, 1);
        words.any(|token| matches!(self.slice(token.span), "of" | "with" | "{" | "}"))
    }

    fn match_statement(&mut self) -> TermId {
        let word = self.bump();
        let text = self.quoted(word);
        let message = format!("there is no {text}: write `select(condition, then, else)`");
        self.report(Diagnostic::syntax(word.span, message).help(
            "of several cases each is a condition: `select(x == 0)(a)(select(x == 1)(b)(c))`",
        ));
        self.skip_to_end();
        self.push(TermKind::Missing, word.span)
    }

    /// Returns true at a quantifier in a type: `forall n. …` or `forall (n: Nat) …`.
    fn is_quantifier(&self, text: &str) -> bool {
        use TokenKind::{Ident, LBrace, LParen};
        text == "forall" && matches!(self.peek_kind(1), Ident | LParen | LBrace)
    }

    /// Reports a quantifier, and continues with the type after it.
    fn quantified_type(&mut self) -> TermId {
        let word = self.bump();
        let message = "there is no `forall`: sizes and types that a type takes are its parameters";
        self.report(Diagnostic::syntax(word.span, message).help(
                "write `(n: Nat) -> n.f32 -> f32`, or `{n: Nat} -> n.f32 -> f32` for a size that is inferred",
            ));
        let mut depth = 0u32;
        loop {
            match self.kind() {
                TokenKind::End | TokenKind::Equals | TokenKind::FatArrow => break,
                kind if kind.opens_bracket() => depth += 1,
                kind if kind.closes_bracket() && depth == 0 => break,
                kind if kind.closes_bracket() => depth -= 1,
                _ => {}
            }
            self.bump();
        }
        self.push(TermKind::Missing, word.span)
    }

    /// Returns true at `val x = …`, `var x = …` or `const x = …`.
    pub(crate) fn at_word_for_let(&self) -> bool {
        matches!(self.slice(self.token().span), "val" | "var" | "const")
            && self.peek_kind(1) == TokenKind::Ident
            && self.peek_kind(2) == TokenKind::Equals
            && self.dialect == Dialect::Rise
            && self.host.is_none()
    }

    /// Reports `val`, `var` or `const`, and reads it as `let`.
    fn word_for_let(&mut self, mode: TermCategory) -> TermId {
        let word = self.token();
        let text = self.quoted(word);
        let message = format!("a value is named by `let`, not {text}: `let x = value in result`");
        self.report(Diagnostic::syntax(word.span, message).write(word.span, "let"));
        self.tokens[self.pos].kind = TokenKind::Let;
        self.term(mode)
    }

    /// Returns true if the body of a function follows the comma: `depFun(n: Nat, fun(…))`.
    pub(crate) fn is_comma_for_arrow(&self) -> bool {
        let begins_body = matches!(self.peek_kind(1), TokenKind::Fun | TokenKind::DepFun);
        begins_body && self.peek_kind(2) == TokenKind::LParen
    }

    /// Reports the comma, and reads it as `=>`.
    pub(crate) fn comma_for_arrow(&mut self) {
        let comma = self.token().span;
        let message = "the parameters of a function are followed by `=>`, not `,`";
        self.report(Diagnostic::syntax(comma, message).replace("Write `=>`", comma, " =>"));
        self.tokens[self.pos].kind = TokenKind::FatArrow;
    }

    /// Returns true at an argument without parentheses, the `x` of `f x`, within brackets.
    pub(crate) fn is_argument_without_parentheses(&self) -> bool {
        let is_plain = |token: Token| {
            matches!(
                token.kind,
                TokenKind::Ident | TokenKind::Int | TokenKind::Float
            )
        };
        let is_function = self.previous().is_some_and(|t| t.kind == TokenKind::Ident);
        let same_line = Span::new(self.last_end(), self.token().span.start);
        self.host.is_none()
            && is_function
            && is_plain(self.token())
            && !self.slice(same_line).contains('\n')
    }

    /// Parses `and`, `or`, `mod` and `div` between operands, and `divide` between sizes, as
    /// operators.
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
            BinaryOp::Or if self.divides => {
                error("conditions on sizes all have to hold: there is no \"or\"".to_owned())
            }
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

    /// Reports `&&` between conditions on sizes.
    pub(crate) fn joined_conditions(&mut self, condition: TermId) {
        let mut signs = Vec::new();
        let mut terms = vec![condition];
        while let Some(term) = terms.pop() {
            if let TermKind::Binary {
                op,
                op_span,
                lhs,
                rhs,
            } = *self.kind_of(term)
            {
                match op {
                    BinaryOp::And => signs.push(op_span),
                    BinaryOp::Divides => {}
                    _ => continue,
                }
                terms.extend([lhs, rhs]);
            }
        }
        if !signs.is_empty() {
            signs.sort_by_key(|sign| sign.start);
            self.join_of_conditions(&signs);
        }
    }

    /// Reports operators in place of the commas between conditions.
    fn join_of_conditions(&mut self, signs: &[Span]) {
        let shown = self.slice(signs[0]).to_owned();
        let edits = signs.iter().map(|sign| {
            let before = &self.text[..sign.start as usize];
            let start = before.trim_end_matches(' ').len() as u32;
            (Span::new(start, sign.end), ",".to_owned())
        });
        let edits = edits.collect();
        let message = format!("conditions on sizes are separated by `,`, not `{shown}`");
        self.report(
            Diagnostic::error(codes::BAD_ANNOTATION, signs[0], message).fix(
                "Write `,`",
                edits,
                true,
            ),
        );
    }

    fn is_return_statement(&self) -> bool {
        let next = self.peek(1);
        let is_value = self.starts_operand(next) && next.kind != TokenKind::LParen;
        self.dialect == Dialect::Rise && self.host.is_none() && is_value
    }

    /// Reports `return`, and reads `return e` as `e`.
    fn return_statement(&mut self, mode: TermCategory) -> TermId {
        let word = self.bump().span;
        let gap = Span::new(word.start, self.token().span.start);
        let message = "there is no `return`: the body of a function is its result";
        self.report(Diagnostic::syntax(word, message).replace("Remove `return`", gap, ""));
        self.postfix(mode)
    }

    /// Returns true at a loop of another language: `for (i in …` or `for i in …`.
    fn is_loop_statement(&self, text: &str) -> bool {
        let open = usize::from(self.peek_kind(1) == TokenKind::LParen);
        text == "for"
            && self.dialect == Dialect::Rise
            && self.host.is_none()
            && self.peek_kind(1 + open) == TokenKind::Ident
            && self.peek_kind(2 + open) == TokenKind::In
    }

    fn loop_statement(&mut self) -> TermId {
        let word = self.bump();
        let message = "there is no `for`: patterns such as `map` and `reduce` are the loops";
        self.report(
            Diagnostic::syntax(word.span, message)
                .help("write `xs |> map(fun(x => …))`; the positions are `generate(fun(i => …))`"),
        );
        self.skip_to_end();
        self.push(TermKind::Missing, word.span)
    }

    /// Returns true if `if` begins a conditional: a branch follows a condition in parentheses.
    fn is_conditional(&self) -> bool {
        if self.peek_kind(1) != TokenKind::LParen {
            return self.starts_operand(self.peek(1));
        }
        let (mut ahead, mut depth) = (1, 0u32);
        loop {
            match self.peek_kind(ahead) {
                TokenKind::LParen => depth += 1,
                TokenKind::RParen => depth -= 1,
                TokenKind::End => return false,
                _ => {}
            }
            ahead += 1;
            if depth == 0 {
                let next = self.peek(ahead);
                let is_branch = next.kind != TokenKind::LParen && self.starts_operand(next);
                let branches = &self.tokens[self.pos + ahead..];
                let mut words = tokens_in_brackets(branches.iter().take(MAX_LOOKAHEAD), 1);
                return is_branch
                    || next.kind == TokenKind::LBrace
                    || words.any(|token| self.slice(token.span) == "then");
            }
        }
    }

    /// Returns true if the parentheses contain the whole condition: a branch follows them.
    fn is_condition_in_parentheses(&mut self) -> bool {
        let start = self.pos;
        if !self.at(TokenKind::LParen) {
            return false;
        }
        self.skip_brackets();
        let next = self.token();
        self.pos = start;
        self.starts_operand(next) || next.kind == TokenKind::LBrace
    }

    fn starts_operand(&self, token: Token) -> bool {
        use TokenKind::*;
        matches!(
            token.kind,
            Ident | Int | Float | True | False | LParen | Bang
        )
    }

    /// Returns true if parameters and `=>`, or a kind, follow `ahead` tokens after the current
    /// one.
    fn parameters_follow(&self, ahead: usize) -> bool {
        let mut ahead = ahead + usize::from(self.peek_kind(ahead) == TokenKind::LParen);
        while self.peek_kind(ahead) == TokenKind::Ident {
            match self.peek_kind(ahead + 1) {
                TokenKind::FatArrow | TokenKind::Colon => return true,
                TokenKind::RParen => return self.peek_kind(ahead + 2) == TokenKind::FatArrow,
                TokenKind::Comma => ahead += 2,
                _ => return false,
            }
        }
        false
    }

    fn misspelt_function(&mut self, meant: TokenKind) -> TermId {
        let word = self.token();
        let (text, name) = (self.quoted(word), function_word(meant));
        let message = format!("{text} does not begin a function: did you mean `{name}`?");
        self.report(Diagnostic::syntax(word.span, message).write(word.span, name));
        self.tokens[self.pos].kind = meant;
        match meant {
            TokenKind::Fun | TokenKind::DepFun => self.function(),
            _ => self.type_function(),
        }
    }

    /// Reports a conditional, `if c then a else b` or `if (c) { a } else { b }`.
    fn conditional(&mut self) -> TermId {
        let word = self.bump();
        self.error_at(
            word.span,
            "there is no `if`: write `select(condition, then, else)`",
        );
        let is_in_parentheses = self.is_condition_in_parentheses();
        let mut parts = Vec::new();
        let mut is_whole = true;
        for before in ["", "then", "else"] {
            let is_word = self.slice(self.token().span) == before;
            let is_bare = |parser: &Self| parser.at(TokenKind::LBrace) || is_in_parentheses;
            is_whole &= before.is_empty() || is_word || (before == "then" && is_bare(self));
            if is_word {
                self.bump();
            }
            let braces = !before.is_empty() && self.eat(TokenKind::LBrace).is_some();
            let part = match before.is_empty() && is_in_parentheses {
                true => self.atom(TermCategory::Expr),
                false => self.term(TermCategory::Expr),
            };
            parts.push(part);
            if braces && self.eat(TokenKind::RBrace).is_none() {
                is_whole = false;
                break;
            }
        }
        let span = self.since(word.span.start);
        if is_whole && !parts.iter().any(|part| self.is_missing(*part)) {
            let parts = parts.iter().map(|part| self.in_parentheses(*part));
            let text = format!("select{}", parts.collect::<String>());
            self.mend(word.span, Fix::replace("Write `select`", span, text));
        }
        self.push(TermKind::Missing, span)
    }

    /// Reports the `if` after an operand, as in `a if c else b`.
    pub(crate) fn conditional_behind(&mut self, word: Token) {
        self.error_at(
            word.span,
            "there is no `if`: write `select(condition, then, else)`",
        );
    }

    /// Returns the text of a term within exactly one pair of parentheses.
    pub(crate) fn in_parentheses(&self, term: TermId) -> String {
        let text = self.text_of(term);
        match *self.kind_of(term) {
            TermKind::Paren(_) => text.to_owned(),
            _ => format!("({text})"),
        }
    }

    /// Adds a fix to the error with span `at`, if it is the item's error.
    pub(crate) fn mend(&mut self, at: Span, fix: Fix) {
        if let Some(error) = self.error.as_mut().filter(|error| error.span == at) {
            error.fixes.push(fix);
        }
    }

    /// Reports a `=>` after an element of a list or a term in parentheses, and parses the text
    /// after it. Returns false if it is not a mistake of this list.
    pub(crate) fn arrow_in_arguments(&mut self, open: Token) -> bool {
        if self.error.is_some() || open.kind != TokenKind::LParen || self.terms.is_empty() {
            return false;
        }
        let Some(before) = self.tokens.iter().position(|token| *token == open) else {
            return false;
        };
        let callee = before.checked_sub(1).map(|pos| self.tokens[pos]);
        let callee = callee.filter(|token| token.kind == TokenKind::Ident);
        let callee = callee.map(|token| self.slice(token.span).to_owned());
        let last = TermId(self.terms.len() as u32 - 1);
        self.function_without_word(last, callee.as_deref())
    }

    /// Returns true at a type that follows the name of a definition without a `:`.
    pub(crate) fn at_type_without_colon(&self) -> bool {
        use TokenKind::{
            Colon, Constructor, DepFun, Dot, Equals, Ident, Int, Kind, LBrace, LParen,
        };
        let behind = self.tokens[self.pos..].iter().take(MAX_LOOKAHEAD);
        let mut behind = tokens_in_brackets(behind, 1).skip_while(|token| token.kind != Equals);
        let has_body = behind.next().is_some();
        let body = behind.next().map(|token| token.kind);
        let binds_size = || {
            let kinds = [1, 2, 3].map(|ahead| self.peek_kind(ahead));
            kinds == [Ident, Colon, Kind] && self.peek_kind(5) == TokenKind::Arrow
        };
        let is_type = match self.kind() {
            TokenKind::Scalar | Constructor => true,
            TokenKind::Float => self.split_float().is_some(),
            Ident | Int => self.peek_kind(1) == Dot,
            LBrace => binds_size(),
            // Before another body it is a parameter of a definition in another language.
            LParen => binds_size() && body == Some(DepFun),
            _ => false,
        };
        has_body && is_type
    }

    /// Reports the missing `:` between the name of a definition and its type.
    pub(crate) fn colon_before_type(&mut self) {
        let name = self.previous().map_or("f", |name| self.slice(name.span));
        let (span, gap) = (
            self.last_char(),
            Span::new(self.last_end(), self.token().span.start),
        );
        let edit = match self.slice(gap).trim().is_empty() {
            true => (gap, " : ".to_owned()),
            false => (Span::empty(gap.start), " :".to_owned()),
        };
        let message = format!("expected `:` between `{name}` and its type");
        self.report(Diagnostic::syntax(span, message).fix("Insert `:`", vec![edit], true));
    }

    /// Parses the `=` of a definition.
    pub(crate) fn def_equals(&mut self, name: &Option<Ident>, typed: bool) {
        if self.eat(TokenKind::Equals).is_some() {
            return;
        }
        let next = self.token();
        match next.kind {
            TokenKind::FatArrow if typed && self.has_equals_ahead() => self.fat_arrow_in_type(),
            TokenKind::EqEq | TokenKind::FatArrow => {
                let text = self.quoted(next);
                let message = format!("expected `=` before the definition's value, found {text}");
                self.report(Diagnostic::syntax(next.span, message).write(next.span, "="));
                self.bump();
            }
            _ if self.slice(next.span) == "where" => {
                self.error_at(next.span, match typed {
                    true => "conditions are stated before the `def` here, as `@assume(4 | n)`".to_owned(),
                    false => "`where` follows a type: write one, or state the conditions before the `def` as `@assume(4 | n)`"
                        .to_owned(),
                });
                self.skip_to_equals();
            }
            _ if typed && matches!(self.slice(next.span), "if" | "with" | "when" | "requires") => {
                let text = self.quoted(next);
                let message = format!("conditions on sizes come after `where`, not {text}");
                self.report(Diagnostic::syntax(next.span, message).write(next.span, "where"));
                self.skip_to_equals();
            }
            TokenKind::Less if !typed && self.previous().is_some() => {
                let name = self.previous().map_or("f", |name| self.slice(name.span));
                let message = format!(
                    "sizes and types are parameters: write `def {name} = depFun(n: Nat => …)`"
                );
                self.error_at(next.span, message);
                self.skip_to_equals();
            }
            TokenKind::Colon if self.peek_kind(1) == TokenKind::Kind => {
                let kind = self.quoted(self.peek(1));
                let name = self.previous().map(|token| self.quoted(token));
                let kind = kind.trim_matches('`');
                let name = name.unwrap_or_default();
                let name = name.trim_matches('`');
                let message = format!(
                    "a parameter of a type must be in parentheses: write `({name}: {kind}) -> …`"
                );
                self.error_at(next.span, message);
                self.skip_to_equals();
            }
            _ => {
                match (name, typed) {
                    (_, true) => self.expected("`=` and the definition's value"),
                    (Some(_), false) => self.expected("`:` and a type, or `=` and a value,"),
                    (None, false) => self.expected("a name"),
                }
                if !self.at_operand() {
                    self.skip_to_equals();
                }
            }
        }
    }

    /// Returns true if an `=` follows in the item.
    fn has_equals_ahead(&self) -> bool {
        self.tokens[self.pos..]
            .iter()
            .any(|token| token.kind == TokenKind::Equals)
    }

    /// Reports `=>` in the type of a definition, `def f : f32 => f32 = …`.
    fn fat_arrow_in_type(&mut self) {
        let arrow = self.token().span;
        self.report(fat_arrow_for_arrow(arrow));
        self.skip_to_equals();
    }

    /// Skips to the token after the next `=`, or to the end.
    fn skip_to_equals(&mut self) {
        let behind = self.tokens[self.pos..]
            .iter()
            .position(|token| token.kind == TokenKind::Equals);
        match behind {
            Some(n) => self.pos += n + 1,
            None => self.skip_to_end(),
        }
    }

    /// Reports an item that begins with none of the keywords of items.
    pub(crate) fn report_missing_item(&mut self, annotations: &[Annotation]) {
        let token = self.token();
        if !annotations.is_empty() {
            let span = self.last_char();
            return self.error_at(span, "expected `def` or `foreign def` after the annotation");
        }
        if token.kind == TokenKind::End {
            return;
        }
        if self.foreign_definition() || self.foreign_comment() || self.words_before_def() {
            return;
        }
        let text = self.quoted(token);
        let defines = token.kind == TokenKind::Ident
            && matches!(self.peek_kind(1), TokenKind::Equals | TokenKind::Colon);
        let error = |message| Diagnostic::syntax(token.span, message);
        self.report(match defines {
            true => error(format!(
                "a definition begins with `def`: write `def` before {text}"
            ))
            .replace("Write `def`", Span::empty(token.span.start), "def "),
            false => error(format!(
                "expected `def`, `foreign def` or `import`, found {text}"
            )),
        });
    }

    /// Reports text after a complete item.
    pub(crate) fn report_trailing_text(&mut self, kind: &ItemKind) {
        let token = self.token();
        if self.at_where() {
            self.report(misplaced_where(token.span, "the definition's value"));
            return self.skip_to_end();
        }
        if let ItemKind::Def { body, .. } = kind
            && self.at(TokenKind::FatArrow)
            && self.function_without_word(*body, None)
        {
            return self.skip_to_end();
        }
        if self.foreign_definition() || self.foreign_comment() {
            return self.skip_to_end();
        }
        let text = self.quoted(token);
        let what = match kind {
            ItemKind::Def { .. } => "the definition",
            ItemKind::Foreign { .. } => "the foreign function",
            ItemKind::Import { .. } | ItemKind::Stray => "the import",
        };
        let next = self.peek_kind(1);
        let message = match token.kind {
            kind if kind.closes_bracket() => {
                format!("unmatched {text}")
            }
            TokenKind::Ident if matches!(next, TokenKind::Equals | TokenKind::Colon) => {
                format!("unexpected {text} after {what}: a new definition begins with `def`")
            }
            TokenKind::Arrow => format!(
                "unexpected {text} after {what}: `->` is used in types, a function is written `fun(x => …)`"
            ),
            TokenKind::In => format!("this {text} has no `let`"),
            TokenKind::Else => format!("this {text} has no `if`"),
            _ if self.at_operand() && matches!(kind, ItemKind::Def { .. }) => format!(
                "unexpected {text} after {what}: arguments must be in parentheses, as in `f(x)`"
            ),
            _ => format!("unexpected {text} after {what}"),
        };
        self.error_at(token.span, message);
        self.skip_to_end();
    }
}

/// Returns the error for `=>` in a type.
pub(crate) fn fat_arrow_for_arrow(arrow: Span) -> Diagnostic {
    let message = "the type of a function is written with `->`, not `=>`";
    Diagnostic::syntax(arrow, message).write(arrow, "->")
}

/// Returns the error for `where` in a wrong position.
fn misplaced_where(span: Span, before: &str) -> Diagnostic {
    let message = format!("`where` is not allowed after {before}");
    Diagnostic::syntax(span, message).help(
        "conditions come after the definition's type, as in `def f : (n: Nat) -> n.f32 -> f32 where 4 | n = …`, or before the `def` as `@assume(4 | n)`",
    )
}

/// Returns the keyword for a word of another language or a misspelling.
fn function_keyword(word: &str) -> Option<TokenKind> {
    Some(match word.to_ascii_lowercase().as_str() {
        "fn" | "fun" | "func" | "function" | "lambda" | "λ" | "lam" => TokenKind::Fun,
        "depfun" | "depfn" | "dfun" | "dep_fun" => TokenKind::DepFun,
        "natfun" | "natfn" | "nat_fun" => TokenKind::NatFun,
        "datafun" | "datafn" | "data_fun" => TokenKind::DataFun,
        _ => return None,
    })
}

fn function_word(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::DepFun => "depFun",
        TokenKind::NatFun => "natFun",
        TokenKind::DataFun => "dataFun",
        _ => "fun",
    }
}

/// Returns the innermost unclosed opening bracket before a position; the tokens are given
/// backwards.
fn innermost_bracket<'a>(mut tokens: impl Iterator<Item = &'a Token>) -> Option<TokenKind> {
    let mut depth = 0u32;
    tokens.find_map(|token| {
        match token.kind {
            kind if kind.closes_bracket() => depth += 1,
            kind if kind.opens_bracket() && depth == 0 => return Some(token.kind),
            kind if kind.opens_bracket() => depth -= 1,
            _ => {}
        }
        None
    })
}

/// Returns the error for a bitwise operator of other languages, which RISE does not have.
pub fn no_bits(sign: &str, span: Span) -> Diagnostic {
    let message = format!("`{sign}`: RISE has no bitwise operations");
    Diagnostic::syntax(span, message).help(
        "`*`, `/` and `%` with powers of two shift and mask numbers that are not negative; a `foreign def` does it in C",
    )
}

/// Returns the token for a typographic sign.
fn token_of_sign(sign: &str) -> Option<(TokenKind, &'static str)> {
    Some(match sign {
        "→" => (TokenKind::Arrow, "->"),
        "⇒" => (TokenKind::FatArrow, "=>"),
        "×" | "·" | "∗" => (TokenKind::Star, "*"),
        "÷" => (TokenKind::Slash, "/"),
        "−" | "–" => (TokenKind::Minus, "-"),
        "≤" => (TokenKind::LessEq, "<="),
        "≥" => (TokenKind::GreaterEq, ">="),
        "≠" => (TokenKind::NotEq, "!="),
        "∧" => (TokenKind::And, "&&"),
        "∨" => (TokenKind::Or, "||"),
        "¬" => (TokenKind::Bang, "!"),
        "▷" => (TokenKind::Pipe, "|>"),
        "∘" => (TokenKind::After, "<<"),
        "$" => (TokenKind::ApplyLeft, "<|"),
        "&" => (TokenKind::And, "&&"),
        "~" => (TokenKind::Bang, "!"),
        _ => return None,
    })
}

/// Returns advice on how RISE expresses a sign of other languages.
fn advice_for_sign(sign: &str) -> Option<&'static str> {
    Some(match sign {
        "“" | "”" | "„" | "‘" | "’" => "text must be between two `\"`",
        "'" => "names are made of letters, digits and `_`",
        "?" => "write `select(condition, then, else)`",
        "∀" => {
            "sizes and types that a type takes are its parameters, as in `(n: Nat) -> n.f32 -> f32`"
        }
        ";" => "a value is named by `let x = value in result`, and parameters are separated by `,`",
        _ => return None,
    })
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
