//! Provides the tokens of an item in order, each with its comments, and a writer that adds them to
//! a document.

use super::document::{Document, Group};
use crate::ast::Item;
use crate::lexer::{Token, TokenKind};
use crate::{Dialect, Span};

/// A comment between two tokens.
#[derive(Clone, Copy)]
struct Comment<'t> {
    text: &'t str,
    line_comment: bool,
    /// The number of line ends between the comment and the previous token or comment.
    lines_before: usize,
}

impl Comment<'_> {
    fn is_on_own_line(&self) -> bool {
        self.lines_before > 0 || self.line_comment
    }
}

struct CommentedToken<'t> {
    token: Token,
    text: &'t str,
    /// The comments between the previous token and this one, except those in `behind` of the
    /// previous token.
    before: Vec<Comment<'t>>,
    /// The number of line ends between the token and the token or comment before it.
    lines_before: usize,
    /// The comments that follow the token on its line and end this line.
    behind: Vec<Comment<'t>>,
}

impl CommentedToken<'_> {
    fn begins_line(&self) -> bool {
        self.lines_before > 0 || self.before.iter().any(Comment::is_on_own_line)
    }
}

/// A writer that builds a document from the tree and the tokens of an item.
pub(crate) struct Writer<'t> {
    pub(crate) item: &'t Item,
    pub(crate) out: Document<'t>,
    words: Vec<CommentedToken<'t>>,
    next: usize,
    /// True if the comments and the blank line before the next token have been written.
    led: bool,
}

impl<'t> Writer<'t> {
    pub(crate) fn new(text: &'t str, item: &'t Item, dialect: Dialect) -> Self {
        Writer::over(text, item, super::kept_tokens(text, dialect))
    }

    /// Creates a writer for an item with these tokens, including trivia.
    pub(crate) fn over(text: &'t str, item: &'t Item, tokens: Vec<Token>) -> Self {
        Writer {
            item,
            out: Document::default(),
            words: words(text, tokens),
            next: 0,
            led: false,
        }
    }

    /// Returns the kind of the next token, or [`TokenKind::End`] after the last one.
    pub(crate) fn kind(&self) -> TokenKind {
        self.words
            .get(self.next)
            .map_or(TokenKind::End, |word| word.token.kind)
    }

    /// Returns the span of the next token, or the empty span at 0 after the last one.
    pub(crate) fn place(&self) -> Span {
        self.words
            .get(self.next)
            .map_or(Span::default(), |word| word.token.span)
    }

    /// Returns true if a line ends in the text between the previous token and the next one.
    pub(crate) fn begins_line(&self) -> bool {
        self.words
            .get(self.next)
            .is_some_and(CommentedToken::begins_line)
    }

    /// Returns true if a line ends in the text between the token at `place` and the token before
    /// it.
    pub(crate) fn begins_line_at(&self, place: Span) -> bool {
        let at = self
            .words
            .partition_point(|word| word.token.span.start < place.start);
        self.words.get(at).is_some_and(CommentedToken::begins_line)
    }

    /// Returns true if a line ends in the text between the next token and the token before it or
    /// after it.
    pub(crate) fn at_line_end(&self) -> bool {
        self.begins_line()
            || self
                .words
                .get(self.next + 1)
                .is_some_and(CommentedToken::begins_line)
    }

    /// Opens a group at the next token; the comments before it are outside of the group.
    pub(crate) fn open(&mut self) -> Group {
        self.write_leading_trivia();
        self.out.open()
    }

    /// Writes the next token with its comments.
    pub(crate) fn word(&mut self) {
        self.write_leading_trivia();
        self.led = false;
        let Some(word) = self.words.get(self.next) else {
            return;
        };
        self.out.text(word.text);
        word.behind
            .iter()
            .for_each(|comment| self.out.trailing_comment(comment.text));
        self.next += 1;
    }

    /// Writes the comments and the blank line before the next token.
    fn write_leading_trivia(&mut self) {
        if self.led {
            return;
        }
        self.led = true;
        let Some(word) = self.words.get(self.next) else {
            return;
        };
        let opened = self
            .next
            .checked_sub(1)
            .is_none_or(|at| self.words[at].token.kind.opens_bracket());
        for (at, comment) in word.before.iter().enumerate() {
            if comment.lines_before > 0 {
                self.out.hard_line();
            }
            if comment.lines_before > 1 && !(opened && at == 0) {
                self.out.blank();
            }
            self.out.text(comment.text);
            let next = word
                .before
                .get(at + 1)
                .map_or(word.lines_before, |next| next.lines_before);
            match comment.line_comment || next > 0 {
                true => self.out.hard_line(),
                false => self.out.space(),
            }
        }
        let first = opened && word.before.is_empty();
        if word.lines_before > 1 && !first && !word.token.kind.closes_bracket() {
            self.out.blank();
        }
    }

    /// Writes the tokens that begin before `end`, without spaces between them.
    pub(crate) fn words_until(&mut self, end: u32) {
        while self
            .words
            .get(self.next)
            .is_some_and(|word| word.token.span.start < end)
        {
            self.word();
        }
    }

    pub(crate) fn space(&mut self) {
        self.out.space();
    }
}

/// Operations that lay out the tokens of an item, in any of the languages.
pub(crate) trait Layout<'t> {
    fn writer(&mut self) -> &mut Writer<'t>;

    /// Writes the next token with its comments.
    fn word(&mut self) {
        self.writer().word();
    }

    fn space(&mut self) {
        self.writer().space();
    }

    /// Writes a token and a space after it.
    fn word_space(&mut self) {
        self.word();
        self.space();
    }

    fn line(&mut self) {
        self.writer().out.line();
    }

    /// Writes a group; the comments before its first token are outside of it.
    fn group(&mut self, parts: impl FnOnce(&mut Self)) {
        self.writer().open();
        parts(self);
        self.writer().out.close();
    }

    /// Indents the lines of some parts.
    fn indented(&mut self, parts: impl FnOnce(&mut Self)) {
        self.writer().out.indent();
        parts(self);
        self.writer().out.dedent();
    }

    /// Writes a space and a part after it; or the part on indented lines of its own, if it does not
    /// fit on the line or breaks.
    fn below(&mut self, part: impl FnOnce(&mut Self)) {
        self.writer().out.open();
        self.indented(|layout| {
            layout.line();
            part(layout);
        });
        self.writer().out.close();
    }

    /// Writes `(a, b)` or `[a, b]`: on one line, or each element on its own; possibly empty.
    fn list(&mut self, count: usize, mut each: impl FnMut(&mut Self, usize)) {
        if count == 0 {
            self.word();
            return self.word();
        }
        self.group(|layout| {
            layout.word();
            layout.elements(count, &mut each);
            layout.word();
        });
    }

    /// Writes the elements of a list between its brackets, with the line breaks of the enclosing
    /// group.
    fn elements(&mut self, count: usize, mut each: impl FnMut(&mut Self, usize)) {
        self.indented(|layout| {
            layout.writer().out.soft_line();
            for at in 0..count {
                if at > 0 {
                    layout.word();
                    layout.line();
                }
                each(layout, at);
            }
        });
    }
}

impl<'t> Layout<'t> for Writer<'t> {
    fn writer(&mut self) -> &mut Writer<'t> {
        self
    }
}

/// Returns the tokens of a text, each with its comments.
fn words(text: &str, tokens: Vec<Token>) -> Vec<CommentedToken<'_>> {
    let mut words: Vec<CommentedToken> = Vec::new();
    let mut comments: Vec<Comment> = Vec::new();
    let mut lines = 0;
    for token in tokens {
        let piece = &text[std::ops::Range::from(token.span)];
        if token.kind == TokenKind::Whitespace {
            lines += super::newlines(piece);
        } else if token.kind.is_trivia() {
            let line_comment = token.kind != TokenKind::BlockComment;
            comments.push(Comment {
                text: piece.trim_end(),
                line_comment,
                lines_before: lines,
            });
            lines = 0;
        } else {
            let behind = match words.last() {
                Some(_) => trailing(&comments, lines),
                None => 0,
            };
            let before = comments.split_off(behind);
            if let Some(last) = words.last_mut() {
                last.behind = std::mem::take(&mut comments);
            }
            comments.clear();
            words.push(CommentedToken {
                token,
                text: piece,
                before,
                lines_before: lines,
                behind: Vec::new(),
            });
            lines = 0;
        }
    }
    words
}

/// Returns how many of the comments after a token are on its line, if this line ends after them;
/// otherwise 0. `lines` is the number of line ends after the last comment.
fn trailing(comments: &[Comment], lines: usize) -> usize {
    let same_line = comments
        .iter()
        .take_while(|comment| comment.lines_before == 0)
        .count();
    let ends = match comments.get(same_line) {
        Some(_) => true,
        None => lines > 0,
    };
    if ends { same_line } else { 0 }
}
