//! Error recovery for patterns in languages that have none, such as DPIA: a pattern is reported,
//! with the projections that replace the names of its components.

use super::Parser;
use crate::Diagnostic;
use crate::ast::BinderId;
use crate::lexer::{Token, TokenKind};

/// A name in a pattern and the projections that select it: `b` and `._1._2` in `((a, b), c)`.
struct Component<'t> {
    name: &'t str,
    path: String,
}

impl<'t> Parser<'t> {
    /// Returns true if a pattern that is not allowed and `=` follow the current token, a `let`.
    pub(super) fn at_reported_pattern(&self) -> bool {
        let tokens = &self.tokens[(self.pos + 1).min(self.tokens.len())..];
        pattern_length(tokens).is_some_and(|length| tokens[length].kind == TokenKind::Equals)
    }

    /// Parses a binder; `what` describes it in the error if it is missing. A pattern in its place
    /// is reported, and the binder has no name.
    pub(super) fn name_without_patterns(&mut self, what: &str) -> BinderId {
        if let Some(length) = pattern_length(&self.tokens[self.pos..]) {
            self.report_pattern(self.pos, length);
            self.pos += length;
            return self.nameless_binder();
        }
        self.binder(what)
    }

    /// Returns true if the tokens from `first` to the one before the current token are a pattern.
    pub(crate) fn is_pattern_since(&self, first: usize) -> bool {
        pattern_length(&self.tokens[first..]) == Some(self.pos - first)
    }

    /// Reports the pattern that consists of `length` tokens from `first` on.
    pub(crate) fn report_pattern(&mut self, first: usize, length: usize) {
        let tokens = &self.tokens[first..first + length];
        let (open, close) = (tokens[0].span, tokens[length - 1].span);
        let span = open.cover(close);
        let text = self.slice(span);
        let components = self.components(tokens);
        let pair = self.unused_name();
        let message = format!("expected a name, found the pattern `{text}`");
        let error = Diagnostic::syntax(span, message);
        self.report(match &components[..] {
            [] => error.help("give the value a name"),
            all => error.help(format!(
                "give the pair a name, `{pair}`, and write {}",
                replacements(all, pair)
            )),
        });
    }

    /// Adds to the error about a pattern among the parameters, between the tokens `head` and
    /// `start`, the edit that names the pair. It replaces the names of the components in the body,
    /// which reaches from `start` to the current token.
    pub(crate) fn name_the_pair(&mut self, head: usize, start: usize) {
        let Some(span) = self.error.as_ref().map(|error| error.span) else {
            return;
        };
        let is_first = |token: &Token| token.span.start == span.start;
        let Some(at) = self.tokens[head..start].iter().position(is_first) else {
            return;
        };
        let Some(length) = pattern_length(&self.tokens[head + at..]) else {
            return;
        };
        let pattern = &self.tokens[head + at..head + at + length];
        let components = self.components(pattern);
        let body = &self.tokens[start..self.pos];
        let begin = self.tokens[start].span.start;
        let inner = self.binders.iter().filter(|b| b.span.start >= begin);
        let mut names = inner.map(|binder| binder.name.as_str());
        let is_hidden = names.any(|name| components.iter().any(|c| c.name == name));
        if pattern[length - 1].span.end != span.end || components.is_empty() || is_hidden {
            return;
        }
        let pair = self.unused_name();
        let uses = body.iter().filter_map(|token| {
            let text = self.slice(token.span);
            let component = components.iter().find(|c| c.name == text)?;
            Some((token.span, format!("{pair}{}", component.path)))
        });
        let edits: Vec<_> = [(span, pair.to_owned())].into_iter().chain(uses).collect();
        if let Some(error) = self.error.take_if(|error| error.fixes.is_empty()) {
            self.error = Some(error.fix(format!("Name the pair `{pair}`"), edits, true));
        }
    }

    /// Returns the names in a pattern; none if a part of the pattern has more than two components.
    fn components(&self, pattern: &[Token]) -> Vec<Component<'t>> {
        let mut components = Vec::new();
        let mut path: Vec<u32> = Vec::new();
        let mut before = TokenKind::Comma;
        for token in pattern {
            match token.kind {
                TokenKind::LParen => path.push(1),
                TokenKind::RParen => drop(path.pop()),
                TokenKind::Comma => {
                    if let Some(at) = path.last_mut() {
                        *at += 1;
                    }
                }
                TokenKind::Ident if before != TokenKind::Colon => components.push(Component {
                    name: self.slice(token.span),
                    path: path.iter().map(|at| format!("._{at}")).collect(),
                }),
                _ => {}
            }
            if path.last().is_some_and(|at| *at > 2) {
                return Vec::new();
            }
            before = token.kind;
        }
        components
    }

    /// Returns a name for a pair: the first one of `p`, `q` and `r` that does not occur in the
    /// item, or else `pair`.
    fn unused_name(&self) -> &'static str {
        let is_used = |name: &&str| self.tokens.iter().any(|t| self.slice(t.span) == *name);
        let mut names = ["p", "q", "r"].into_iter();
        names.find(|name| !is_used(name)).unwrap_or("pair")
    }
}

/// Returns a list of replacements such as "`p._1` for `a`, `p._2` for `b`".
fn replacements(components: &[Component], pair: &str) -> String {
    let each = |c: &Component| format!("`{pair}{}` for `{}`", c.path, c.name);
    components.iter().map(each).collect::<Vec<_>>().join(", ")
}

/// Returns the number of tokens of the pattern at the start; `None` if there is none. A pattern
/// consists of parentheses around two or more components; each of them is a name, perhaps with a
/// type of one token, or a pattern.
fn pattern_length(tokens: &[Token]) -> Option<usize> {
    let (mut depth, mut commas) = (0u32, 0);
    let mut before = TokenKind::Comma;
    for (at, token) in tokens.iter().enumerate() {
        let begins = matches!(before, TokenKind::LParen | TokenKind::Comma);
        match token.kind {
            TokenKind::LParen if begins => depth += 1,
            TokenKind::Ident | TokenKind::Underscore if begins && depth > 0 => {}
            TokenKind::Colon if before == TokenKind::Ident => {}
            TokenKind::Scalar | TokenKind::Ident if before == TokenKind::Colon => {}
            TokenKind::Comma if !begins => commas += 1,
            TokenKind::RParen if !begins => depth -= 1,
            _ => return None,
        }
        if depth == 0 {
            return (commas > 0).then_some(at + 1);
        }
        before = token.kind;
    }
    None
}
