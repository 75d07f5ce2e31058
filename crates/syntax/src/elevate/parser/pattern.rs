//! Parses the patterns of `match`.

use super::Parser;
use crate::elevate::ast::{Node, PatternId, PatternKind};
use crate::lexer::elevate::Word;
use crate::{Span, Token, TokenKind};

impl Parser<'_> {
    /// Parses a pattern `p` or `p :: q`.
    pub(super) fn pattern(&mut self) -> PatternId {
        self.nested(Self::conses).unwrap_or_else(|| {
            let span = Span::empty(self.rise.last_end());
            self.push_pattern(PatternKind::Missing, span)
        })
    }

    fn conses(&mut self) -> PatternId {
        let mut parts = vec![self.pattern_atom()];
        while self.kind() == TokenKind::Cons {
            self.bump();
            parts.push(self.pattern_atom());
        }
        let Some(last) = parts.pop() else {
            return self.leaf_pattern(PatternKind::Missing);
        };
        parts.into_iter().rev().fold(last, |tail, head| {
            let start = self.patterns.nodes[head.0 as usize].span;
            let span = start.cover(self.patterns.nodes[tail.0 as usize].span);
            self.push_pattern(PatternKind::Cons(head, tail), span)
        })
    }

    fn leaf_pattern(&mut self, kind: PatternKind) -> PatternId {
        let span = self.bump().span;
        self.push_pattern(kind, span)
    }

    fn pattern_atom(&mut self) -> PatternId {
        match self.kind() {
            TokenKind::Underscore => self.leaf_pattern(PatternKind::Wildcard),
            TokenKind::LBracket => {
                let open = self.bump();
                let parts = self.patterns_until(open, TokenKind::RBracket);
                let span = self.rise.since(open.span.start);
                self.push_pattern(PatternKind::List(parts), span)
            }
            TokenKind::String => {
                let (text, span) = self.rise.string();
                self.push_pattern(PatternKind::String(text), span)
            }
            TokenKind::Int | TokenKind::Float | TokenKind::Minus if self.at_number() => {
                let (literal, span) = self.literal();
                self.push_pattern(PatternKind::Literal(literal), span)
            }
            kind @ (TokenKind::True | TokenKind::False) => {
                let value = kind == TokenKind::True;
                self.leaf_pattern(PatternKind::Literal(crate::ast::Literal::Bool(value)))
            }
            TokenKind::Ident | TokenKind::Fun if self.call_ahead(1) => self.call_pattern(),
            TokenKind::Ident | TokenKind::Quoted if self.ends_pattern(1) => self.name_pattern(),
            _ => self.rise_pattern(),
        }
    }

    fn at_number(&self) -> bool {
        !self.at(TokenKind::Minus) || self.rise.at_negative_number()
    }

    fn name_pattern(&mut self) -> PatternId {
        let span = self.span();
        let name = self.name(span);
        self.leaf_pattern(PatternKind::Name(name))
    }

    /// Returns true if the token `n` positions ahead can follow a complete pattern.
    fn ends_pattern(&self, n: usize) -> bool {
        use TokenKind::{Comma, Cons, End, FatArrow, RBrace, RBracket, RParen};
        matches!(
            self.peek(n),
            Cons | TokenKind::Word(Word::If) | FatArrow | Comma | RParen | RBracket | RBrace | End
        )
    }

    /// Parses `Success(p)`, `Failure(p)` or a node such as `app(p, q)`. Any other call, and `fun`
    /// with a `=>`, is a RISE pattern.
    fn call_pattern(&mut self) -> PatternId {
        let text = self.text();
        let node = Node::from_text(text).filter(|&node| node != Node::Fun || !self.has_arrow(1));
        if node.is_none() && !matches!(text, "Success" | "Failure") {
            return self.rise_pattern();
        }
        let word = self.bump();
        let open = self.bump();
        let parts = self.patterns_until(open, TokenKind::RParen);
        let span = self.rise.since(word.span.start);
        let arity = node.map_or(1, Node::arity);
        if parts.len() != arity {
            let form = match (node, arity) {
                (_, 1) => format!("{text}(p)"),
                _ => format!("{text}(p, q)"),
            };
            let count = parts.len();
            let message = format!("`{form}` takes {arity} patterns, found {count}")
                .replace("takes 1 patterns", "takes one pattern");
            self.rise.error_at(span, message);
            return self.push_pattern(PatternKind::Missing, span);
        }
        let kind = match (node, text) {
            (Some(node), _) => PatternKind::Node(node, parts),
            (None, "Success") => PatternKind::Success(parts[0]),
            (None, _) => PatternKind::Failure(parts[0]),
        };
        self.push_pattern(kind, span)
    }

    fn patterns_until(&mut self, open: Token, closer: TokenKind) -> Box<[PatternId]> {
        let parts = self.list_or_empty(open, closer, Self::pattern);
        parts.into_boxed_slice()
    }

    fn rise_pattern(&mut self) -> PatternId {
        let term = self.side();
        let span = self.rise.span_of(term);
        self.push_pattern(PatternKind::Term(term), span)
    }
}
