//! Parses closing brackets and list separators, with error recovery where one is missing.

use super::operator::binary_op;
use super::recover_applications::tokens_in_brackets;
use super::{Parser, TermCategory};
use crate::lexer::{Token, TokenKind};
use crate::{Diagnostic, Dialect, Span, codes};

/// The maximal lookahead of error recovery in tokens, so that many mistakes in a long item take
/// linear time.
pub(super) const MAX_LOOKAHEAD: usize = 1000;

impl Parser<'_> {
    /// Returns the text of a token in backquotes, truncated after 30 characters or at the first
    /// line break.
    pub(crate) fn quoted(&self, token: Token) -> String {
        let text = match self.host {
            Some(_) => self.slice(token.span).trim_matches('`'),
            None => self.slice(token.span),
        };
        let long = text
            .char_indices()
            .enumerate()
            .find(|&(at, (_, c))| at == 30 || c == '\n');
        match long {
            Some((_, (cut, _))) => format!("`{}…`", text[..cut].trim_end()),
            None => format!("`{text}`"),
        }
    }

    /// Returns true if the current token can begin an operand, as [`begins_operand`] does, or is
    /// the `-` directly before a number.
    pub(crate) fn at_operand(&self) -> bool {
        begins_operand(self.kind()) || self.at_negative_number()
    }

    /// Parses the bracket that closes `open`; if it is missing, reports this and skips to behind
    /// the next `closer` of these brackets, if there is one.
    pub(crate) fn close(&mut self, open: Token, closer: TokenKind) {
        if self.eat(closer).is_some() {
            return;
        }
        self.unclosed(open, closer, false);
        if let Some(pos) = self.seek(closer, false) {
            self.pos = pos + 1;
        }
    }

    /// Skips the separator or the closing bracket after an element of a list; if both are missing,
    /// reports this and skips to the next one. Returns true if another element follows.
    pub(crate) fn next_in_list(&mut self, open: Token, closer: TokenKind) -> bool {
        if self.eat(TokenKind::Comma).is_some() {
            return true;
        }
        if self.eat(closer).is_some() {
            return false;
        }
        if self.at(TokenKind::FatArrow) && self.arrow_in_arguments(open) {
            self.bump();
        } else {
            self.unclosed(open, closer, true);
        }
        let Some(pos) = self.seek(closer, true) else {
            return false;
        };
        self.pos = pos;
        self.bump().kind == TokenKind::Comma
    }

    /// Parses the elements of a list, which is not empty, up to its closing bracket.
    pub(crate) fn list<T>(
        &mut self,
        open: Token,
        closer: TokenKind,
        mut element: impl FnMut(&mut Self) -> T,
    ) -> Vec<T> {
        let mut elements = vec![element(self)];
        while self.next_in_list(open, closer) {
            elements.push(element(self));
        }
        elements
    }

    /// Parses the elements of a list, if there are any, up to its closing bracket.
    pub(crate) fn list_or_empty<T>(
        &mut self,
        open: Token,
        closer: TokenKind,
        element: impl FnMut(&mut Self) -> T,
    ) -> Vec<T> {
        match self.eat(closer) {
            Some(_) => Vec::new(),
            None => self.list(open, closer, element),
        }
    }

    fn unclosed(&mut self, open: Token, closer: TokenKind, list: bool) {
        let span = self.last_char();
        let (opened, close) = (self.quoted(open), closer_text(closer));
        let found = self.token();
        if self.at(TokenKind::Colon) && closer == TokenKind::RParen {
            let message = "a value and its type must be in parentheses: `(value : type)`";
            self.error_at(found.span, message);
            return;
        }
        if self.slice(found.span) == "if" && self.host.is_none() {
            return self.conditional_behind(found);
        }
        if self.at_local_definition() {
            let name = self.slice(self.peek(1).span);
            let message = format!(
                "`where` states conditions on sizes, after a type: a local name is defined before \
                 its use, as in `let {name} = … in …`"
            );
            self.error_at(found.span, message);
            return;
        }
        if !list && self.is_argument_without_parentheses() {
            let function = self.previous().map_or("", |token| self.slice(token.span));
            let argument = self.slice(found.span);
            let message =
                format!("arguments must be in parentheses: write `{function}({argument})`");
            self.error_at(found.span, message);
            return;
        }
        if self.at(TokenKind::LParen) && self.host.is_some() {
            let gap = Span::new(self.last_end(), found.span.start);
            return self.report(loose_call(found.span, gap));
        }
        if !list && self.at(TokenKind::FatArrow) && self.arrow_in_arguments(open) {
            return;
        }
        let message = if list && self.at_operand() {
            format!("expected `,` or `{close}` before {}", self.quoted(found))
        } else {
            format!("expected `{close}` to close this {opened}")
        };
        if self.error.is_some() {
            return;
        }
        let mut error = Diagnostic::syntax(span, message)
            .related(open.span, format!("this {opened} is not closed"));
        if list && self.is_argument_without_parentheses() {
            let function = self.previous().map_or("", |token| self.slice(token.span));
            let gap = Span::new(self.last_end(), found.span.start);
            let call = format!("{function}({})", self.slice(found.span));
            let end = (Span::empty(found.span.end), ")".to_owned());
            let comma = (Span::empty(gap.start), ",".to_owned());
            error = error
                .help(format!("an argument must be in parentheses: `{call}`"))
                .fix("Insert `,`", vec![comma], false)
                .fix(
                    format!("Write `{call}`"),
                    vec![(gap, "(".to_owned()), end],
                    false,
                );
        }
        if self.at(TokenKind::End) {
            let closers = self.closers();
            let place = Span::empty(self.last_end());
            if !closers.is_empty() {
                error = error.replace(format!("Insert `{closers}`"), place, closers);
            }
        } else if let Some(other) = self.wrong_closer(closer) {
            error = error.write(other, close);
        } else if self.is_end_of_brackets() && self.misses(open.kind, closer) {
            error = error.replace(
                format!("Insert `{close}`"),
                Span::empty(self.last_end()),
                close.to_owned(),
            );
        }
        self.report(error);
    }

    /// Returns the span of the current token if it is a closing bracket of another kind than
    /// `closer`, and the item has more of these than opening brackets of their kind.
    fn wrong_closer(&self, closer: TokenKind) -> Option<Span> {
        let opener = match self.kind() {
            TokenKind::RParen => TokenKind::LParen,
            TokenKind::RBracket => TokenKind::LBracket,
            TokenKind::RBrace => TokenKind::LBrace,
            _ => return None,
        };
        let is_extra = self.kind() != closer && self.misses(self.kind(), opener);
        is_extra.then(|| self.token().span)
    }

    /// Returns true at a token that cannot continue the contents of brackets.
    fn is_end_of_brackets(&self) -> bool {
        use TokenKind::{Equals, FatArrow, In, RBrace, RBracket, RParen};
        matches!(
            self.kind(),
            FatArrow | In | Equals | RParen | RBracket | RBrace
        )
    }

    /// Returns true if the item has more tokens of kind `more` than of kind `fewer`.
    fn misses(&self, more: TokenKind, fewer: TokenKind) -> bool {
        let count = |kind| {
            let tokens = self.tokens.iter();
            tokens.filter(|token| token.kind == kind).count()
        };
        count(more) > count(fewer)
    }

    /// Returns the closing brackets for those that are open at the end of the item, the innermost
    /// first.
    fn closers(&self) -> String {
        let mut open = Vec::new();
        for token in &self.tokens {
            match token.kind {
                TokenKind::LParen => open.push(')'),
                TokenKind::LBracket => open.push(']'),
                TokenKind::LBrace => open.push('}'),
                kind if kind.closes_bracket() => {
                    open.pop();
                }
                _ => {}
            }
        }
        open.into_iter().rev().collect()
    }

    /// Returns true if the current token, which follows an opening bracket, is an operator other
    /// than `-` and probably continues the term before the bracket, since the item opens more
    /// brackets than it closes.
    pub(crate) fn at_abandoned_bracket(&mut self) -> bool {
        let continues = binary_op(self.kind()).is_some_and(|_| !self.at(TokenKind::Minus));
        continues && self.has_open_brackets()
    }

    /// Returns true if the item opens more brackets than it closes.
    fn has_open_brackets(&mut self) -> bool {
        let balance = |sum: i64, token: &Token| match token.kind {
            kind if kind.opens_bracket() => sum + 1,
            kind if kind.closes_bracket() => sum - 1,
            _ => sum,
        };
        *self
            .open_brackets
            .get_or_insert_with(|| self.tokens.iter().fold(0, balance) > 0)
    }

    /// Returns the index of the next `closer` (or, if `commas`, comma) of the innermost open
    /// brackets, if no token that an outer construct expects precedes it.
    fn seek(&self, closer: TokenKind, commas: bool) -> Option<usize> {
        let mut depth = 0u32;
        for (pos, token) in self.ahead() {
            match token.kind {
                kind if depth == 0 && (kind == closer || (commas && kind == TokenKind::Comma)) => {
                    return Some(pos);
                }
                kind if kind.opens_bracket() => depth += 1,
                kind if kind.closes_bracket() => {
                    depth = depth.checked_sub(1)?;
                }
                TokenKind::FatArrow | TokenKind::In | TokenKind::Semicolon if depth == 0 => {
                    return None;
                }
                // The skipped text may contain assignments.
                TokenKind::Equals if depth == 0 && self.dialect == Dialect::Rise => return None,
                _ => {}
            }
        }
        None
    }

    /// Returns the tokens from the one `n` positions ahead on, as long as they are in the brackets
    /// around that position; of further brackets in them, only the closing one. At most
    /// [`MAX_LOOKAHEAD`] tokens are read.
    pub(super) fn ahead_in_brackets(&self, n: usize) -> impl Iterator<Item = Token> {
        let ahead = self.tokens[self.pos + n..].iter().take(MAX_LOOKAHEAD);
        tokens_in_brackets(ahead, 1)
    }

    /// Returns true at `where name =`, a definition in the notation of other languages.
    fn at_local_definition(&self) -> bool {
        self.host.is_none()
            && self.slice(self.token().span) == "where"
            && self.peek_kind(1) == TokenKind::Ident
            && self.peek_kind(2) == TokenKind::Equals
    }

    /// Returns the tokens from the current one on with their indices, at most [`MAX_LOOKAHEAD`] of
    /// them.
    pub(super) fn ahead(&self) -> impl Iterator<Item = (usize, &Token)> {
        let tokens = self.tokens.iter().enumerate();
        tokens.skip(self.pos).take(MAX_LOOKAHEAD)
    }

    /// Skips the unreadable tokens after the value of a `let`, and the `in` after them; skips
    /// nothing if there is no such `in`.
    pub(crate) fn skip_before_in(&mut self) {
        if let Some(pos) = self.seek_in() {
            self.pos = pos + 1;
        }
    }

    /// Returns the index of the `in` after unreadable tokens, if no unmatched closing bracket and
    /// no `let` precede it.
    fn seek_in(&self) -> Option<usize> {
        let mut depth = 0u32;
        for (pos, token) in self.ahead() {
            match token.kind {
                kind if kind.opens_bracket() => depth += 1,
                kind if kind.closes_bracket() => {
                    depth = depth.checked_sub(1)?;
                }
                TokenKind::Let if depth == 0 => return None,
                TokenKind::In if depth == 0 => return Some(pos),
                _ => {}
            }
        }
        None
    }

    /// Skips an opening bracket, the tokens after it and the bracket that closes it, or skips to
    /// the end.
    pub(crate) fn skip_brackets(&mut self) {
        let mut depth = 0u32;
        loop {
            match self.bump().kind {
                kind if kind.opens_bracket() => depth += 1,
                kind if kind.closes_bracket() => depth -= 1,
                TokenKind::End => return,
                _ => {}
            }
            if depth == 0 {
                return;
            }
        }
    }

    /// Reports a call of a word that the enclosing language reserves. Returns false at anything
    /// else.
    fn reserved_by_host(&mut self) -> bool {
        let (token, next) = (self.token(), self.peek(1));
        let text = self.slice(token.span);
        let called = next.kind == TokenKind::LParen && next.span.start == token.span.end;
        let word = text.starts_with(|c: char| c.is_alphabetic());
        let reserved = self.host.is_some() && self.at(TokenKind::Unknown) && word && called;
        if reserved {
            let text = text.to_owned();
            self.report(
                Diagnostic::error(
                    codes::RESERVED_NAME,
                    token.span,
                    format!(
                        "`{text}` is a reserved word: write it in backquotes to use it as a name"
                    ),
                )
                .replace("Put it in backquotes", token.span, format!("`{text}`")),
            );
        }
        reserved
    }

    /// Reports that an operand is missing after the previous token.
    pub(crate) fn expected_operand(&mut self, mode: TermCategory) {
        if self.reserved_by_host() {
            return;
        }
        let what = match (mode, self.previous().map(|token| token.kind)) {
            (TermCategory::Arg, Some(TokenKind::LParen | TokenKind::Comma)) => "an argument",
            (TermCategory::Expr, Some(TokenKind::LBrace)) => "a command",
            (TermCategory::Expr | TermCategory::Arg, _) => "an expression",
            (TermCategory::Size, Some(TokenKind::LParen)) => "a size or type",
            (TermCategory::Type, _) | (TermCategory::Size, Some(TokenKind::Arrow)) => "a type",
            (TermCategory::Size, _) => "a size",
        };
        self.expected(what);
    }

    pub(super) fn starts_operand(&self, token: Token) -> bool {
        use TokenKind::*;
        matches!(
            token.kind,
            Ident | Int | Float | True | False | LParen | Bang
        )
    }
}

/// Returns true if a token can begin an operand; `-` and `!` are not considered.
pub(super) fn begins_operand(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(
        kind,
        Ident
            | Underscore
            | Int
            | Float
            | String
            | RawString
            | True
            | False
            | Let
            | Fun
            | DepFun
            | NatFun
            | DataFun
            | Scalar
            | Kind
            | Constructor
            | Address
            | If
            | Skip
            | Phrase
            | Access
            | LParen
    )
}

/// Returns the error for a `(` after white space, in a position where no term can begin.
pub(crate) fn loose_call(paren: Span, gap: Span) -> Diagnostic {
    Diagnostic::syntax(
        paren,
        "there must be no white space between a function and the `(` of its arguments",
    )
    .replace("Remove the white space", gap, "")
}

fn closer_text(closer: TokenKind) -> &'static str {
    match closer {
        TokenKind::RParen => ")",
        TokenKind::RBracket => "]",
        _ => "}",
    }
}
