//! Error recovery for misspelt keywords, and for operators between strategies that are missing or
//! wrong.

use super::{Parser, in_rise};
use crate::lexer::elevate::Word;
use crate::parser::loose_call;
use crate::{Diagnostic, Span, TokenKind, closest};

/// The RISE keywords that also begin items of ELEVATE.
const ITEM_WORDS_OF_RISE: [(&str, TokenKind); 2] =
    [("import", TokenKind::Import), ("def", TokenKind::Def)];

/// The keywords before the conditions of rules.
const CLAUSES: [Word; 3] = [Word::Where, Word::Requires, Word::Assuming];

impl Parser<'_> {
    /// Reports a misspelt keyword at the start of an item, if the tokens after it can follow the
    /// intended one, or `fun` before a name there, and reads it as the intended keyword.
    pub(super) fn mend_item_word(&mut self) {
        if self.at(TokenKind::Fun) && self.is_name(1) {
            let span = self.span();
            let message = "`fun` does not define a name: a strategy is defined by `strategy`";
            self.rise
                .report(Diagnostic::syntax(span, message).write(span, "strategy"));
            return self.read_as(TokenKind::Word(Word::Strategy));
        }
        if !self.at(TokenKind::Ident) {
            return;
        }
        let words = Word::ALL.iter().filter(|word| word.begins_item());
        let words = words.map(|word| word.as_str());
        let words = words.chain(ITEM_WORDS_OF_RISE.iter().map(|(word, _)| *word));
        if let Some(meant) = closest(self.text(), words)
            && let Some(kind) = self.item_word(meant)
        {
            self.misspelt(meant);
            self.read_as(kind);
            self.mend_range();
        }
    }

    /// Returns the kind of the token of `meant`, a keyword that begins items, if the tokens after
    /// the current one can follow that keyword.
    fn item_word(&self, meant: &str) -> Option<TokenKind> {
        let in_rise = ITEM_WORDS_OF_RISE.iter().find(|(word, _)| *word == meant);
        let kind = match in_rise {
            Some((_, kind)) => *kind,
            None => TokenKind::Word(Word::from_text(meant)?),
        };
        let ends = self.peek(2) == TokenKind::End;
        let follows = match kind {
            TokenKind::Import => self.peek(1) == TokenKind::String && ends,
            TokenKind::Word(Word::Language | Word::Traversal) => self.is_name(1) && ends,
            TokenKind::Word(Word::Example) => {
                matches!(self.peek(1), TokenKind::String | TokenKind::LBrace)
            }
            _ => self.is_name(1) && self.goes_on_as_definition(2),
        };
        follows.then_some(kind)
    }

    fn is_name(&self, n: usize) -> bool {
        matches!(self.peek(n), TokenKind::Ident | TokenKind::Quoted)
    }

    /// Returns true if the token `n` positions ahead can follow the name of a definition: it is `=`
    /// or `:`, or `(` or `[` in an item that contains an `=`.
    fn goes_on_as_definition(&self, n: usize) -> bool {
        let equals = TokenKind::Equals;
        match self.peek(n) {
            TokenKind::Equals | TokenKind::Colon => true,
            TokenKind::LParen | TokenKind::LBracket => self.kinds.contains(&equals),
            _ => false,
        }
    }

    /// Makes each `..` unknown to the RISE parser if the current token is `tune`: both ends of a
    /// range are sizes, and to the RISE parser `..` would begin a type.
    fn mend_range(&mut self) {
        if !self.at_word(Word::Tune) {
            return;
        }
        self.tune = true;
        for token in &mut self.rise.tokens {
            if token.kind == TokenKind::DotDot {
                token.kind = TokenKind::Unknown;
            }
        }
    }

    /// Reports a misspelt `where`, `requires` or `assuming` before an operand, and reads it as the
    /// intended keyword. Returns false at anything else.
    pub(super) fn mend_clause_word(&mut self) -> bool {
        let Some(meant) = self.misspelt_word(CLAUSES.map(Word::as_str)) else {
            return false;
        };
        if !self.begins_operand(1) {
            return false;
        }
        self.misspelt(meant);
        if let Some(word) = Word::from_text(meant) {
            self.read_as(TokenKind::Word(word));
        }
        true
    }

    /// Returns true at the connective `word` of conditions, and at a misspelling of it before an
    /// operand, which is reported.
    pub(super) fn at_joining(&mut self, word: &'static str) -> bool {
        if self.at_name(word) {
            return true;
        }
        let meant = self.misspelt_word(["and", "or", "divides", "notIn"]);
        let is_meant = meant == Some(word) && self.begins_operand(1);
        if is_meant {
            self.misspelt(word);
        }
        is_meant
    }

    /// Skips `word`, a keyword of an example; a misspelt one is reported. Returns false at any
    /// other token.
    pub(super) fn eat_field(&mut self, word: &'static str) -> bool {
        if self.misspelt_word([word]).is_some() {
            self.misspelt(word);
            self.bump();
            return true;
        }
        self.eat_name(word).is_some()
    }

    /// Returns the word of `words` of which the current name is a misspelling; `None` if the name
    /// is one of them, or similar to none.
    fn misspelt_word<const N: usize>(&self, words: [&'static str; N]) -> Option<&'static str> {
        let is_name = self.at(TokenKind::Ident) && !words.contains(&self.text());
        is_name.then(|| closest(self.text(), words)).flatten()
    }

    fn misspelt(&mut self, meant: &str) {
        let (span, text) = (self.span(), self.quoted());
        let message = format!("unexpected {text}: did you mean `{meant}`?");
        self.rise.report(Diagnostic::syntax(span, message).replace(
            format!("Change to `{meant}`"),
            span,
            meant,
        ));
    }

    /// Replaces the kind of the current token.
    fn read_as(&mut self, kind: TokenKind) {
        let at = self.rise.pos;
        self.kinds[at] = kind;
        self.rise.tokens[at].kind = in_rise(kind);
    }

    /// Returns true at a `|` before an operand, and reports it.
    pub(super) fn at_bar(&mut self) -> bool {
        let is_bar = self.at(TokenKind::Bar) && self.begins_operand(1);
        if is_bar {
            let span = self.span();
            let message = "`|` separates alternatives of rules only: write `<+` between strategies, which tries the second one where the first one fails";
            self.rise
                .report(Diagnostic::syntax(span, message).write(span, "<+"));
        }
        is_bar
    }

    /// Reports that nothing joins the current operand to the text before it. A `(` on the line of
    /// the previous token is reported as a call after white space.
    pub(super) fn unjoined(&mut self) {
        let (end, span, text) = (self.rise.last_end(), self.span(), self.quoted());
        let gap = Span::new(end, span.start);
        let before = self.rise.slice(gap);
        let same_line = !before.contains('\n');
        if self.at(TokenKind::LParen) && same_line {
            return self.rise.report(loose_call(span, gap));
        }
        let operand = Span::new(span.start, self.end_of_operand());
        let is_space = before.trim().is_empty();
        let message = match same_line {
            true => format!(
                "no operator joins {text} to the expression before it: write an operator such as `;`, or put the argument in parentheses"
            ),
            false => format!(
                "no operator joins {text} to the expression before it: write an operator such as `;`, or begin the main expression at the start of its line"
            ),
        };
        let error = Diagnostic::syntax(span, message).fix(
            "Insert `;`",
            vec![(Span::empty(end), " ;".to_owned())],
            false,
        );
        self.rise.report(match same_line && is_space {
            true => error.fix(
                "Put the argument in parentheses",
                vec![
                    (gap, "(".to_owned()),
                    (Span::empty(operand.end), ")".to_owned()),
                ],
                false,
            ),
            false => error,
        });
    }

    /// Returns the end of the operand at the current token: its first token and the calls adjacent
    /// to it.
    fn end_of_operand(&self) -> u32 {
        let span = |at: usize| self.rise.tokens[at].span;
        let mut at = self.rise.pos;
        loop {
            let next = at + 1;
            let is_call = self.kinds.get(next) == Some(&TokenKind::LParen)
                && span(at).end == span(next).start;
            if !is_call {
                return span(at).end;
            }
            at = self.partners[next] as usize;
        }
    }

    /// Reports that no operator joins the current token to the rule before it, and skips to the
    /// next clause, `|` or unmatched closing bracket, or to the end.
    pub(super) fn unjoined_in_rule(&mut self) {
        let (span, text) = (self.span(), self.quoted());
        let message = format!(
            "unexpected {text} after a rule: expected an operator, or `where`, `requires`, `assuming` or `let`"
        );
        self.rise.error_at(span, message);
        self.skip_until(|kind| match kind {
            TokenKind::Word(word) => CLAUSES.contains(&word),
            kind => matches!(kind, TokenKind::Let | TokenKind::Bar),
        });
    }
}
