//! Semantic tokens of documents, with deltas.

use std::sync::{Arc, PoisonError};

use db::FileId;
use ide::{Token, TokenType};
use syntax::Span;
use tower_lsp::lsp_types::{
    SemanticToken, SemanticTokens, SemanticTokensDelta, SemanticTokensDeltaParams,
    SemanticTokensEdit, SemanticTokensFullDeltaResult, SemanticTokensParams,
    SemanticTokensRangeParams, SemanticTokensRangeResult, SemanticTokensResult,
};

use super::Answer;
use crate::server::positions::{Encoding, number};
use crate::server::snapshot::{Document, SentTokens, Snapshot, TokenCache};

/// Handles `textDocument/semanticTokens/full`.
pub fn full(
    snapshot: &Snapshot,
    params: SemanticTokensParams,
) -> Answer<Option<SemanticTokensResult>> {
    let document = snapshot.document(&params.text_document.uri)?;
    let tokens = compute(snapshot, &document, None);
    let tokens = SemanticTokens {
        result_id: remember(snapshot, document.file, &tokens),
        data: tokens,
    };
    Ok(Some(tokens.into()))
}

/// Handles `textDocument/semanticTokens/full/delta`.
pub fn delta(
    snapshot: &Snapshot,
    params: SemanticTokensDeltaParams,
) -> Answer<Option<SemanticTokensFullDeltaResult>> {
    let document = snapshot.document(&params.text_document.uri)?;
    let before = snapshot
        .view
        .tokens
        .get(document.file)
        .filter(|sent| sent.id.to_string() == params.previous_result_id);
    let tokens = compute(snapshot, &document, None);
    let result_id = remember(snapshot, document.file, &tokens);
    Ok(Some(match before {
        Some(before) => SemanticTokensFullDeltaResult::TokensDelta(SemanticTokensDelta {
            result_id,
            edits: difference(&before.tokens, &tokens).into_iter().collect(),
        }),
        None => SemanticTokensFullDeltaResult::Tokens(SemanticTokens {
            result_id,
            data: tokens,
        }),
    }))
}

/// Handles `textDocument/semanticTokens/range`.
pub fn range(
    snapshot: &Snapshot,
    params: SemanticTokensRangeParams,
) -> Answer<Option<SemanticTokensRangeResult>> {
    let document = snapshot.document(&params.text_document.uri)?;
    let data = compute(snapshot, &document, Some(document.span(params.range)));
    let tokens = SemanticTokens {
        result_id: None,
        data,
    };
    Ok(Some(tokens.into()))
}

fn compute(snapshot: &Snapshot, document: &Document, range: Option<Span>) -> Vec<SemanticToken> {
    let tokens = ide::semantic_tokens(&snapshot.db, document.file, range);
    encode(&document.rope.to_string(), &tokens, document.encoding)
}

fn remember(snapshot: &Snapshot, file: FileId, tokens: &[SemanticToken]) -> Option<String> {
    // Clients do not request deltas for a document that is not open.
    let revision = snapshot.view.open.get(&file)?.revision;
    snapshot.view.tokens.set(
        file,
        SentTokens {
            id: revision,
            tokens: tokens.into(),
        },
    );
    Some(revision.to_string())
}

impl TokenCache {
    fn get(&self, file: FileId) -> Option<SentTokens> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&file)
            .cloned()
    }

    fn set(&self, file: FileId, tokens: SentTokens) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(file, tokens);
    }

    /// Removes the tokens of a closed document.
    pub fn forget(&self, file: FileId) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&file);
    }
}

/// Returns the edit from the old tokens to the new ones, or `None` if they are equal. It replaces
/// one contiguous range, because the user types at one place.
fn difference(old: &Arc<[SemanticToken]>, new: &[SemanticToken]) -> Option<SemanticTokensEdit> {
    let head = old
        .iter()
        .zip(new)
        .take_while(|(old, new)| old == new)
        .count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = old_rest
        .iter()
        .rev()
        .zip(new_rest.iter().rev())
        .take_while(|(old, new)| old == new)
        .count();
    let (removed, added) = (old_rest.len() - tail, &new_rest[..new_rest.len() - tail]);
    (removed > 0 || !added.is_empty()).then(|| SemanticTokensEdit {
        // Offsets count integers, of which a token has five.
        start: number(head * 5),
        delete_count: number(removed * 5),
        data: Some(added.to_vec()),
    })
}

/// Encodes each token relative to the one before it, and splits tokens at line breaks. The text is
/// traversed once, so that the cost is linear in its length also for long lines.
fn encode(text: &str, tokens: &[Token], encoding: Encoding) -> Vec<SemanticToken> {
    let mut encoded = Vec::with_capacity(tokens.len());
    let mut cursor = Cursor {
        text,
        encoding,
        byte: 0,
        line: 0,
        column: 0,
    };
    let mut last = (0, 0);
    for token in tokens {
        let (start, end) = (token.span.start as usize, token.span.end as usize);
        for piece in pieces(text, start, end) {
            cursor.advance(piece.start);
            let (line, column) = (cursor.line, cursor.column);
            cursor.advance(piece.end);
            let same_line = line == last.0;
            encoded.push(SemanticToken {
                delta_line: line - last.0,
                delta_start: if same_line { column - last.1 } else { column },
                length: cursor.column - column,
                token_type: type_index(token.ty),
                token_modifiers_bitset: token.modifiers.0,
            });
            last = (line, column);
        }
    }
    encoded
}

fn type_index(ty: TokenType) -> u32 {
    number(
        TokenType::ALL
            .iter()
            .position(|known| *known == ty)
            .unwrap_or_default(),
    )
}

/// Splits `start..end` into lines, without line breaks.
fn pieces(text: &str, start: usize, end: usize) -> Vec<std::ops::Range<usize>> {
    let Some(slice) = text.get(start..end) else {
        return Vec::new();
    };
    let mut pieces = Vec::new();
    let mut from = start;
    for line in slice.split_inclusive(['\n', '\r']) {
        let content = line.trim_end_matches(['\n', '\r']);
        if !content.is_empty() {
            pieces.push(from..from + content.len());
        }
        from += line.len();
    }
    pieces
}

/// A position in the text that only moves forwards.
struct Cursor<'a> {
    text: &'a str,
    encoding: Encoding,
    byte: usize,
    line: u32,
    column: u32,
}

impl Cursor<'_> {
    fn advance(&mut self, to: usize) {
        let Some(between) = self.text.get(self.byte..to) else {
            return;
        };
        let bytes = between.as_bytes();
        let mut line_start = 0;
        for (at, &byte) in bytes.iter().enumerate() {
            let followed = self.text.as_bytes().get(self.byte + at + 1) == Some(&b'\n');
            if byte == b'\n' || (byte == b'\r' && !followed) {
                self.line += 1;
                self.column = 0;
                line_start = at + 1;
            }
        }
        self.column += number(self.encoding.len(&between[line_start..]));
        self.byte = to;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ide::Modifiers;

    fn token(start: u32, end: u32) -> Token {
        Token {
            span: Span::new(start, end),
            ty: TokenType::Comment,
            modifiers: Modifiers::DOCUMENTATION,
        }
    }

    fn shape(tokens: &[SemanticToken]) -> Vec<(u32, u32, u32)> {
        tokens
            .iter()
            .map(|token| (token.delta_line, token.delta_start, token.length))
            .collect()
    }

    #[test]
    fn tokens_of_several_lines_are_one_a_line() {
        let text = "a /* b\r\n  \u{1F600}c\rd */ e";
        let comment = token(2, number(text.find(" e").unwrap_or_default()));
        let tokens = [
            token(0, 1),
            comment,
            token(number(text.len() - 1), number(text.len())),
        ];
        let encoded = encode(text, &tokens, Encoding::Utf16);
        assert_eq!(
            shape(&encoded),
            [(0, 0, 1), (0, 2, 4), (1, 0, 5), (1, 0, 4), (0, 5, 1)]
        );
        let encoded = encode(text, &tokens, Encoding::Utf8);
        assert_eq!(
            shape(&encoded),
            [(0, 0, 1), (0, 2, 4), (1, 0, 7), (1, 0, 4), (0, 5, 1)]
        );
    }

    #[test]
    fn a_difference_turns_the_old_tokens_into_the_new_ones() {
        let token = |length| SemanticToken {
            length,
            ..SemanticToken::default()
        };
        let sequences: [&[u32]; 6] = [&[], &[1], &[1, 2, 3], &[1, 9, 3], &[1, 3], &[1, 1, 1, 1]];
        for old in sequences {
            for new in sequences {
                let old: Arc<[_]> = old.iter().map(|&length| token(length)).collect();
                let new: Vec<_> = new.iter().map(|&length| token(length)).collect();
                let mut patched = old.to_vec();
                if let Some(edit) = difference(&old, &new) {
                    let start = edit.start as usize / 5;
                    let end = start + edit.delete_count as usize / 5;
                    patched.splice(start..end, edit.data.unwrap_or_default());
                }
                assert_eq!(patched, new);
            }
        }
    }
}
