//! Error recovery for blocks of other languages: `{ let y = x; y + 1.0f }`.

use super::{Parser, TermCategory};
use crate::ast::{TermId, TermKind};
use crate::lexer::{Token, TokenKind};
use crate::{Diagnostic, Fix, Span};

impl Parser<'_> {
    /// Parses and reports an expression in braces, perhaps with statements before it, as a
    /// [`TermKind::Missing`]. The error replaces errors within the block. If the block can be read,
    /// the error has a fix that turns it into a RISE expression.
    pub(crate) fn foreign_block(&mut self) -> TermId {
        let first = self.pos;
        self.skip_brackets();
        let behind = std::mem::replace(&mut self.pos, first);
        let was_first = self.error.is_none();
        let open = self.bump();
        let has_statements = self.tokens[first..behind]
            .iter()
            .any(|token| token.kind == TokenKind::Semicolon);
        let mut edits = match was_first {
            true => self.statements_of_lets(behind),
            false => Vec::new(),
        };
        let body = self.term(TermCategory::Expr);
        if let Some(last) = self.eat(TokenKind::Semicolon) {
            edits.push((last.span, String::new()));
        }
        let close = self.eat(TokenKind::RBrace).filter(|_| self.pos == behind);
        let is_missing = self.is_missing(body);
        self.pos = behind;
        if was_first {
            edits.extend(self.edits_of_habits());
        }
        let message = match has_statements {
            true => {
                "there are no blocks: to name a value, write `let x = value in result`, without braces and `;`"
            }
            false => {
                "expected an expression, found `{`: write parentheses to group parts of an expression"
            }
        };
        self.report_instead(was_first, Diagnostic::syntax(open.span, message));
        if let Some(close) = close.filter(|_| was_first && !is_missing) {
            self.mend_braces(first, [open, close], edits);
        }
        self.push_since(open.span.start, TermKind::Missing)
    }

    /// Turns each `;` after the value of one of the leading `let`s of the block into `in`, and
    /// returns the edits. The block ends before the token with index `behind`.
    fn statements_of_lets(&mut self, behind: usize) -> Vec<(Span, String)> {
        let mut edits = Vec::new();
        let mut depth = 0u32;
        let mut is_let = self.at(TokenKind::Let) || self.at_word_for_let();
        for pos in self.pos..behind {
            use TokenKind::{RBrace, Semicolon};
            let token = self.tokens[pos];
            let next = self.tokens[pos + 1].kind;
            match token.kind {
                kind if kind.opens_bracket() => depth += 1,
                kind if kind.closes_bracket() => depth = depth.saturating_sub(1),
                Semicolon if depth == 0 && is_let && next != RBrace => {
                    self.tokens[pos].kind = TokenKind::In;
                    edits.push((token.span, " in".to_owned()));
                    is_let = next == TokenKind::Let;
                }
                _ => {}
            }
        }
        edits
    }

    /// Returns the edits of the current error if its fix removes `return` or writes `let` in place
    /// of a keyword of another language; otherwise returns none.
    fn edits_of_habits(&self) -> Vec<(Span, String)> {
        let fix = self.error.as_ref().and_then(|error| error.fixes.first());
        let fix = fix.filter(|fix| matches!(&*fix.title, "Remove `return`" | "Write `let`"));
        fix.map_or_else(Vec::new, |fix| fix.edits.clone())
    }

    /// Adds to the error about the braces a fix that consists of `edits` and of the edits that
    /// remove the braces or replace them by parentheses. `first` is the index of the opening brace
    /// among the tokens.
    fn mend_braces(
        &mut self,
        first: usize,
        [open, close]: [Token; 2],
        mut edits: Vec<(Span, String)>,
    ) {
        let before = first.checked_sub(1).map(|pos| self.tokens[pos].kind);
        let begins = matches!(before, Some(TokenKind::FatArrow | TokenKind::Equals));
        let ends = matches!(self.kind(), TokenKind::RParen | TokenKind::End);
        let (title, signs) = match begins && ends {
            true => ("Remove the braces", [String::new(), String::new()]),
            false => ("Write parentheses", ["(".to_owned(), ")".to_owned()]),
        };
        let start = self.without_blanks(open.span);
        let end = self.text[..close.span.start as usize].trim_end().len() as u32;
        let [left, right] = signs;
        edits.push((start, left));
        edits.push((Span::new(end, close.span.end), right));
        edits.sort_by_key(|(span, _)| (span.start, span.end));
        self.mend(open.span, Fix::preferred(title, edits));
    }
    /// Returns the span of an opening brace and the blanks after it; if the brace ends its line,
    /// the span of the brace and the white space before it.
    fn without_blanks(&self, open: Span) -> Span {
        let (before, behind) = (
            &self.text[..open.start as usize],
            &self.text[open.end as usize..],
        );
        let rest = behind.trim_start_matches([' ', '\t']);
        match rest.starts_with(['\r', '\n']) {
            true => Span::new(before.trim_end().len() as u32, open.end),
            false => Span::new(open.start, open.end + (behind.len() - rest.len()) as u32),
        }
    }
}
