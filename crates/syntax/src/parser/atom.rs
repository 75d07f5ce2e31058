//! Parses operands: names, literals, terms in parentheses and type constructors, with error
//! recovery at tokens that cannot begin an operand.

use super::delimiters::begins_operand;
use super::operator::section_op;
use super::{Parser, TermCategory};
use crate::ast::{AddressSpace, BinaryOp, Literal, ScalarType, TermId, TermKind};
use crate::lexer::{Token, TokenKind};
use crate::{Diagnostic, Dialect, Fix, Span, codes};

impl Parser<'_> {
    /// Parses an operand without postfix forms.
    pub(crate) fn atom(&mut self, mode: TermCategory) -> TermId {
        match self.kind() {
            TokenKind::Ident => self.named(mode),
            TokenKind::Let if self.at_let_binding() => self.term(mode),
            TokenKind::Let => self.leaf(|parser, span| TermKind::Name(parser.name(span))),
            TokenKind::Underscore => self.leaf(|_, _| TermKind::Hole),
            TokenKind::Int | TokenKind::Float => self.number(),
            TokenKind::Minus if self.at_negative_number() => self.number(),
            TokenKind::True => self.leaf(|_, _| TermKind::Literal(Literal::Bool(true))),
            TokenKind::False => self.leaf(|_, _| TermKind::Literal(Literal::Bool(false))),
            TokenKind::Scalar => self.leaf(|parser, span| {
                ScalarType::from_text(parser.slice(span))
                    .map_or(TermKind::Missing, TermKind::Scalar)
            }),
            TokenKind::Address => self.leaf(|parser, span| {
                AddressSpace::from_text(parser.slice(span))
                    .map_or(TermKind::Missing, TermKind::Address)
            }),
            TokenKind::Constructor => self.constructor(),
            TokenKind::NatFun | TokenKind::DataFun => self.type_function(),
            TokenKind::Fun | TokenKind::DepFun if mode.is_type() => self.function_in_type(),
            TokenKind::Fun | TokenKind::DepFun => self.function(),
            TokenKind::LParen => self.parentheses(mode),
            TokenKind::If | TokenKind::Skip if mode.is_type() => self.command_in_type(),
            TokenKind::If => self.conditional_command(),
            TokenKind::Skip => self.skip_command(),
            TokenKind::Phrase => self.phrase_type(),
            TokenKind::Access => self.access_word(),
            _ => self.no_operand(mode),
        }
    }

    fn leaf(&mut self, kind: impl FnOnce(&Self, Span) -> TermKind) -> TermId {
        let span = self.bump().span;
        let kind = kind(self, span);
        self.push(kind, span)
    }

    pub(crate) fn plain_name(&mut self) -> TermId {
        self.leaf(|parser, span| TermKind::Name(parser.name(span)))
    }

    /// Parses a term in parentheses: `(e)`, `(a, b)`, `(e : type)` or `(+)`. Any other operator
    /// alone is reported and becomes a [`TermKind::Missing`].
    fn parentheses(&mut self, mode: TermCategory) -> TermId {
        let open = self.bump();
        let section = section_op(self.kind()).filter(|_| self.peek_kind(1) == TokenKind::RParen);
        if let Some(op) = section.filter(|_| !mode.is_type()) {
            self.pos += 2;
            let span = self.since(open.span.start);
            return self.push(TermKind::Operator(op), span);
        }
        if !mode.is_type() && self.peek_kind(1) == TokenKind::RParen && self.at_lone_operator() {
            self.pos += 2;
            let span = self.since(open.span.start);
            return self.push(TermKind::Missing, span);
        }
        let inner = mode.inside();
        let first = self.term(inner);
        let first = match mode.is_type() {
            true => self.conditions_of(first),
            false => first,
        };
        let kind = match self.kind() {
            TokenKind::Comma => self.pair(first, inner),
            TokenKind::Colon => self.ascription(first, mode),
            _ => TermKind::Paren(first),
        };
        self.close(open, TokenKind::RParen);
        self.push_since(open.span.start, kind)
    }

    /// Parses the rest of a pair. More than two components become nested pairs, with an error.
    fn pair(&mut self, first: TermId, mode: TermCategory) -> TermKind {
        self.bump();
        let second = self.term(mode);
        if !self.at(TokenKind::Comma) {
            return TermKind::Pair(first, second);
        }
        let span = self.token().span;
        self.error_at(
            span,
            "a pair has two components: nest pairs, as in `(a, (b, c))`",
        );
        let mut components = vec![second];
        while self.eat(TokenKind::Comma).is_some() {
            components.push(self.term(mode));
        }
        let last = components.pop().unwrap_or(second);
        let rest = components.into_iter().rev().fold(last, |rest, component| {
            let span = self.span_of(component).cover(self.span_of(rest));
            self.push(TermKind::Pair(component, rest), span)
        });
        TermKind::Pair(first, rest)
    }

    fn ascription(&mut self, term: TermId, mode: TermCategory) -> TermKind {
        let colon = self.bump();
        if mode.is_type() {
            self.error_at(colon.span, "`:` is not allowed inside a type");
        }
        let ty = self.type_with_conditions();
        TermKind::Ascribe { term, ty }
    }

    /// Parses a type constructor with its arguments, such as `Array[n, t]`.
    fn constructor(&mut self) -> TermId {
        let word = self.bump();
        let name = self.slice(word.span);
        let brackets = self.constructor_brackets(word);
        let kind = match name {
            "Idx" => TermKind::Index(self.term_between(brackets, TermCategory::Size)),
            "DepPair" => {
                let param = self.binder("a name");
                self.fat_arrow(word);
                let body = self.term_between(brackets, TermCategory::Type);
                TermKind::DepPair { param, body }
            }
            _ => {
                let mode = if name == "Tuple" {
                    TermCategory::Type
                } else {
                    TermCategory::Size
                };
                let first = self.term_between(brackets, mode);
                if brackets.is_some() && self.eat(TokenKind::Comma).is_none() {
                    self.one_component(name);
                }
                let second = self.term_between(brackets, TermCategory::Type);
                if name != "Tuple" {
                    self.size_stands_first(name, first, second);
                }
                match name {
                    "Array" => TermKind::Array {
                        size: first,
                        elem: second,
                        long: true,
                    },
                    "Vec" => TermKind::Vector {
                        size: first,
                        elem: second,
                    },
                    _ => TermKind::Tuple(first, second),
                }
            }
        };
        if let Some((open, closer)) = brackets {
            self.close(open, closer);
            self.brackets_for_parentheses(open);
        }
        self.push_since(word.span.start, kind)
    }

    pub(crate) fn term_between(
        &mut self,
        brackets: Option<(Token, TokenKind)>,
        mode: TermCategory,
    ) -> TermId {
        match brackets {
            Some(_) => self.term(mode),
            None => self.missing(),
        }
    }

    pub(crate) fn constructor_brackets(&mut self, word: Token) -> Option<(Token, TokenKind)> {
        if let Some(open) = self.eat(TokenKind::LBracket) {
            return Some((open, TokenKind::RBracket));
        }
        let name = self.slice(word.span);
        let form = constructor_form(name);
        if self.angle_brackets(word, form) {
            return None;
        }
        let Some(open) = self.eat(TokenKind::LParen) else {
            let span = self.last_char();
            self.error_at(span, format!("expected `[` after `{name}`: write `{form}`"));
            return None;
        };
        self.error_at(
            open.span,
            format!("`{name}` takes brackets: write `{form}`"),
        );
        Some((open, TokenKind::RParen))
    }

    /// Adds to the error about the parentheses after a constructor the fix that replaces them by
    /// brackets. Does nothing if the previous token is not the closing parenthesis.
    fn brackets_for_parentheses(&mut self, open: Token) {
        let Some(close) = self
            .previous()
            .filter(|last| last.kind == TokenKind::RParen)
        else {
            return;
        };
        let edits = vec![(open.span, "[".to_owned()), (close.span, "]".to_owned())];
        self.mend(open.span, Fix::preferred("Write brackets", edits));
    }

    fn one_component(&mut self, name: &str) {
        let span = self.last_char();
        let message = format!(
            "expected `,`: `{name}` takes two arguments, as in `{}`",
            constructor_form(name)
        );
        self.error_at(span, message);
    }

    /// Returns true if the two tokens before the current one are the name `function` and a `(`.
    fn is_argument_of(&self, function: &str) -> bool {
        match self.tokens[..self.pos] {
            [.., name, open] => open.kind == TokenKind::LParen && self.slice(name.span) == function,
            _ => false,
        }
    }

    /// Handles a token that cannot begin an operand: reports and reads what it probably means, or
    /// reports that an operand is missing and skips nothing.
    fn no_operand(&mut self, mode: TermCategory) -> TermId {
        let token = self.token();
        let text = self.quoted(token);
        if mode == TermCategory::Arg
            && self.is_lone_argument()
            && let Some(op) = section_op(token.kind)
        {
            return self.operator_as_argument(op);
        }
        match token.kind {
            TokenKind::Else => self.lone_else(),
            TokenKind::Kind => self.misplaced(format!("{text} is a kind and is not allowed here")),
            TokenKind::String | TokenKind::RawString => {
                self.misplaced("a string is not allowed here".to_owned())
            }
            TokenKind::OpenString | TokenKind::OpenRawString => self.misplaced(String::new()),
            TokenKind::LBracket if mode.is_type() => self.type_in_brackets(),
            TokenKind::LBracket => {
                let is_comprehension = self.is_in_brackets(|_, text| text == "for");
                let message = match self.is_argument_of("oclRun") {
                    _ if is_comprehension => {
                        "there are no list comprehensions: write `xs |> map(fun(x => …))`"
                    }
                    true => {
                        "launch sizes are not written in brackets: `oclRun(64, 1, 1)(n, 1, 1)` takes the local and then the global sizes, in three dimensions each"
                    }
                    false => "arrays are not written in brackets: write `makeArray(2)(a, b)`",
                };
                self.report(Diagnostic::syntax(token.span, message));
                self.skip_brackets();
                self.push_since(token.span.start, TermKind::Missing)
            }
            TokenKind::Bar | TokenKind::Unknown
                if !mode.is_type() && self.at_foreign_function(mode) =>
            {
                self.foreign_function()
            }
            TokenKind::Plus if self.at_increment_before(mode) => self.increment_before(mode),
            TokenKind::Plus if !mode.is_type() && begins_operand(self.peek_kind(1)) => {
                let is_section = self.previous().is_some_and(|t| t.kind == TokenKind::LParen);
                self.bump();
                let gap = Span::new(token.span.start, self.token().span.start);
                self.report(match is_section {
                    true => Diagnostic::syntax(token.span,
                        "an operator with one of its operands is not a function: write `fun(x => x + …)`"),
                    false => Diagnostic::syntax(token.span,
                        "`+` must be between two operands: only `-` and `!` can be before a single operand",
                    )
                    .replace("Remove `+`", gap, "")});
                self.postfix(mode)
            }
            TokenKind::Dot if self.is_point_behind_operator() => self.point_behind_operator(mode),
            TokenKind::Dot if !mode.is_type() && self.is_point_before_digits() => {
                self.point_before_digits()
            }
            TokenKind::Equals if self.is_assignment_operator() => {
                let operator = self.previous().unwrap_or(token).span.cover(token.span);
                let text = self.slice(operator).to_owned();
                self.bump();
                let message = format!(
                    "there is no `{text}`: values never change; name a new value, as in `let y = x + 1 in …`"
                );
                self.error_at(operator, message);
                self.postfix(mode)
            }
            TokenKind::Star
                if self.previous().is_some_and(|t| {
                    t.kind == TokenKind::Star && t.span.end == token.span.start
                }) =>
            {
                self.misplaced(
                    "there is no `**`: write `^` for a power of sizes, and for a power of values declare the function `foreign def pow(x: f32, y: f32): f32`"
                        .to_owned(),
                );
                self.postfix(mode)
            }
            TokenKind::LBrace if !mode.is_type() && self.dialect == Dialect::Rise => {
                self.foreign_block()
            }
            _ => {
                self.expected_operand(mode);
                self.missing()
            }
        }
    }

    /// Returns true if the current token is the whole text of an argument.
    fn is_lone_argument(&self) -> bool {
        let opens = |kind| matches!(kind, TokenKind::LParen | TokenKind::Comma);
        let closes = |kind| matches!(kind, TokenKind::RParen | TokenKind::Comma);
        self.previous().is_some_and(|token| opens(token.kind)) && closes(self.peek_kind(1))
    }

    /// Parses and reports an operator as an argument without parentheses, as in `reduce(+)`.
    fn operator_as_argument(&mut self, op: BinaryOp) -> TermId {
        let span = self.bump().span;
        let word = op.as_str();
        let primitive = match op {
            BinaryOp::Add => Some("add"),
            BinaryOp::Sub => Some("sub"),
            BinaryOp::Mul => Some("mul"),
            BinaryOp::Div => Some("div"),
            _ => None,
        };
        let written = format!("({word})");
        let message =
            format!("an operator that is an argument must be in parentheses: `{written}`");
        let error = Diagnostic::syntax(span, message);
        let error = error.write(span, written);
        self.report(match primitive {
            Some(name) => error
                .help(format!("the function is also called `{name}`"))
                .fix(
                    format!("Write `{name}`"),
                    vec![(span, name.to_owned())],
                    false,
                ),
            None => error,
        });
        self.push(TermKind::Operator(op), span)
    }

    /// Returns true if the current token, a point, begins a float without a digit before it, such
    /// as `.5f`.
    fn is_point_before_digits(&self) -> bool {
        let (dot, next) = (self.token(), self.peek(1));
        next.kind == TokenKind::Int && next.span.start == dot.span.end
    }

    fn point_before_digits(&mut self) -> TermId {
        let dot = self.bump();
        let digits = self.bump();
        let span = dot.span.cover(digits.span);
        let text = format!("0{}", self.slice(span));
        let message = format!("a float needs a digit before its point: write `{text}`");
        self.report(Diagnostic::error(codes::BAD_NUMBER, span, message).write(span, text));
        self.push(TermKind::Missing, span)
    }

    /// Returns true at the `=` of a compound assignment such as `+=`, in RISE.
    fn is_assignment_operator(&self) -> bool {
        let touches = |token: &Token| token.span.end == self.token().span.start;
        let before = self.previous().filter(touches);
        self.dialect == Dialect::Rise
            && before.is_some_and(|token| section_op(token.kind).is_some())
    }

    fn misplaced(&mut self, message: String) -> TermId {
        let span = self.bump().span;
        self.error_at(span, message);
        self.push(TermKind::Missing, span)
    }
}

fn constructor_form(name: &str) -> &'static str {
    match name {
        "Array" => "Array[n, t]",
        "Tuple" => "Tuple[s, t]",
        "Vec" => "Vec[n, t]",
        "Idx" => "Idx[n]",
        "Exp" => "Exp[t, Rd]",
        "Acc" => "Acc[t]",
        _ => "DepPair[n => t]",
    }
}
