//! Error recovery for constructs of other languages that begin with a word: conditionals, loops,
//! pattern matches, `return`, `val x = …`, `forall n. …` and misspelt keywords of functions.

use super::{Parser, TermCategory};
use crate::ast::{TermId, TermKind};
use crate::lexer::{Token, TokenKind};
use crate::{Diagnostic, Dialect, Fix, Span};

impl Parser<'_> {
    /// Parses a name, or a construct of another language, whose keyword is recognised by the tokens
    /// after it and reported.
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
        let mut words = self.ahead_in_brackets(1);
        words.any(|token| matches!(self.slice(token.span), "of" | "with" | "{" | "}"))
    }

    fn match_statement(&mut self) -> TermId {
        let word = self.bump();
        let text = self.quoted(word);
        let message = format!("there is no {text}: write `select(condition, then, else)`");
        self.report(
            Diagnostic::syntax(word.span, message).help(
                "for several cases, nest `select`: `select(x == 0)(a)(select(x == 1)(b)(c))`",
            ),
        );
        self.skip_to_end();
        self.push(TermKind::Missing, word.span)
    }

    /// Returns true at a quantifier in a type: `forall n. …` or `forall (n: Nat) …`.
    fn is_quantifier(&self, text: &str) -> bool {
        use TokenKind::{Ident, LBrace, LParen};
        text == "forall" && matches!(self.peek_kind(1), Ident | LParen | LBrace)
    }

    /// Reports a quantifier, and skips the rest of the type, up to the end of its brackets or a `=`
    /// or `=>`. Returns a [`TermKind::Missing`].
    fn quantified_type(&mut self) -> TermId {
        let word = self.bump();
        let message = "there is no `forall`: sizes and types must be parameters of the type";
        self.report(Diagnostic::syntax(word.span, message).help(
                "write a parameter as in `(n: Nat) -> n.f32 -> f32`, or, if it is inferred, in braces, as in `{t: DataType} -> 4.t -> 4.t`",
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

    fn is_return_statement(&self) -> bool {
        let next = self.peek(1);
        let is_value = self.starts_operand(next) && next.kind != TokenKind::LParen;
        self.dialect == Dialect::Rise && self.host.is_none() && is_value
    }

    /// Reports `return`, and reads `return e` as `e`.
    fn return_statement(&mut self, mode: TermCategory) -> TermId {
        let word = self.bump().span;
        let gap = Span::new(word.start, self.token().span.start);
        let message = "there is no `return`: a function returns the value of its body";
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
        let message = "there is no `for`: write patterns such as `map` and `reduce`";
        self.report(
            Diagnostic::syntax(word.span, message)
                .help("`xs |> map(fun(x => …))` computes with each element of an array, and `generate(fun(i => …))` with each index"),
        );
        self.skip_to_end();
        self.push(TermKind::Missing, word.span)
    }

    /// Returns true if the `if` at the current token begins a conditional: an operand follows it,
    /// or a condition in parentheses with a branch after them. Other parentheses contain the
    /// arguments of a function with the name `if`.
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
                let mut words = self.ahead_in_brackets(ahead);
                return is_branch
                    || next.kind == TokenKind::LBrace
                    || words.any(|token| self.slice(token.span) == "then");
            }
        }
    }

    /// Returns true if the current token begins parentheses that contain the whole condition: a
    /// branch follows them.
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

    /// Returns true if names that may be parameters, with `=>` or the `:` of an annotation after
    /// one of them, begin `ahead` tokens after the current one, perhaps in parentheses.
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

    /// Parses and reports a conditional, `if c then a else b` or `if (c) { a } else { b }`; returns
    /// a [`TermKind::Missing`].
    pub(super) fn conditional(&mut self) -> TermId {
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
}

/// Returns the keyword of a function that a word denotes: a keyword of another language, a
/// misspelling, or the keyword itself in another case.
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
