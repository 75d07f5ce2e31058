//! Documentation of the keywords and operators that only DPIA has.

use syntax::Span;
use syntax::ast::{Item, TermKind};
use syntax::lexer::TokenKind;

/// The documentation of the `=` of an assignment.
pub(super) const ASSIGNMENT: &str =
    "`acceptor = expression`: writes one value, which contains no array.";

/// Returns true if the `=` at this place is an assignment.
pub(super) fn is_assignment(item: &Item, at: Span) -> bool {
    let assigns =
        |kind: &TermKind| matches!(kind, TermKind::Assign { op_span, .. } if *op_span == at);
    item.terms.iter().any(|term| assigns(&term.kind))
}

/// Returns the documentation of a keyword or operator that only DPIA has.
pub(super) fn docs(kind: TokenKind, word: &str) -> Option<&'static str> {
    Some(match (kind, word) {
        (TokenKind::Phrase, "Exp") => {
            "`Exp[t, a]`: an expression of the type `t`; the access `a` says whether its value is read (`Rd`), written (`Wr`) or a stream (`St`)."
        }
        (TokenKind::Phrase, "Acc") => "`Acc[t]`: an acceptor, a place to which a `t` is written.",
        (TokenKind::Phrase, _) => "`Comm`: a command, which writes.",
        (TokenKind::Access, "Rd") => {
            "`Rd`: the value can be read, any element, any number of times."
        }
        (TokenKind::Access, "Wr") => "`Wr`: the value is not yet written to memory.",
        (TokenKind::Access, _) => {
            "`St`: a stream, whose elements are available one after the other."
        }
        (TokenKind::If | TokenKind::Else, _) => {
            "`if (condition) { command } else { command }`: runs one of the two commands."
        }
        (TokenKind::Skip, _) => "`skip`: the command that does nothing.",
        (TokenKind::Semicolon, _) => "`c1; c2`: runs one command after the other.",
        _ => return None,
    })
}
