//! Semantic tokens of strategy files.

use rustc_hash::FxHashMap;
use syntax::elevate::{TokenKind, lex};

use super::{Class, Kinds, Modifiers, Token, TokenType, comment, name_class, word_class};
use crate::item_view::View;

const TYPES: [&str; 14] = [
    "Addr",
    "Bool",
    "Expr",
    "Int",
    "List",
    "Nat",
    "Pred",
    "Result",
    "Rule",
    "Seq",
    "Strategy",
    "String",
    "Traversal",
    "Type",
];

/// Words that are keywords only in some contexts, and otherwise names.
const CONTEXTUAL: [&str; 11] = [
    "and", "apply", "divides", "expect", "failure", "input", "modulo", "not", "notIn", "or",
    "trace",
];

pub(crate) fn item_tokens(view: &View<'_>, kinds: &Kinds, out: &mut Vec<Token>) {
    let names: FxHashMap<u32, Class> = view
        .occurrences()
        .into_iter()
        .map(|found| (found.span.start, name_class(view, found, kinds)))
        .collect();
    let text = view.db.item_text(view.id);
    let mut attribute = None;
    for token in lex(&text) {
        let word = &text[std::ops::Range::from(token.span)];
        let mut span = token.span;
        let class = match token.kind {
            TokenKind::Rise(kind) if kind.is_comment() => {
                out.push(comment(kind, view.absolute(token.span)));
                continue;
            }
            kind if kind.is_trivia() => continue,
            TokenKind::Attribute => {
                attribute = Some(token.span);
                continue;
            }
            _ if attribute.is_some() => {
                span = attribute.take().unwrap_or(span).cover(span);
                Some((TokenType::Decorator, Modifiers::default()))
            }
            kind => names
                .get(&token.span.start)
                .copied()
                .or_else(|| plain(kind, word)),
        };
        if let Some((ty, modifiers)) = class {
            out.push(Token {
                span: view.absolute(span),
                ty,
                modifiers,
            });
        }
    }
}

/// Returns the class of a token independently of its context.
fn plain(kind: TokenKind, word: &str) -> Option<Class> {
    let class = |ty| Some((ty, Modifiers::default()));
    match kind {
        TokenKind::Word(_) => class(TokenType::Keyword),
        TokenKind::Combinator(..) | TokenKind::MapsTo | TokenKind::Cons => {
            class(TokenType::Operator)
        }
        TokenKind::Metavariable => class(TokenType::Parameter),
        TokenKind::Rise(syntax::TokenKind::Ident) if TYPES.contains(&word) => {
            Some((TokenType::Type, Modifiers::DEFAULT_LIBRARY))
        }
        TokenKind::Rise(syntax::TokenKind::Ident) if CONTEXTUAL.contains(&word) => {
            class(TokenType::Keyword)
        }
        TokenKind::Rise(kind) => word_class(kind, word),
        TokenKind::Attribute | TokenKind::Quoted | TokenKind::OpenQuote => None,
    }
}
