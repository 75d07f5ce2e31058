//! Preservation of the comments in text that edits replace.

use syntax::Span;
use syntax::lexer::{TokenKind, lex};

use super::restyle::{Edit, indent_of};

/// Adds to each edit, before its text, the comments of the replaced text that no edit contains. The
/// edits are sorted and do not overlap.
pub(crate) fn keep(text: &str, edits: &mut [Edit]) {
    let comments: Vec<Span> = lex(text)
        .filter(|token| is_comment(token.kind))
        .map(|token| token.span)
        .collect();
    let mut come: Vec<String> = edits
        .iter()
        .flat_map(|edit| comments_of(&edit.text))
        .collect();
    for edit in edits {
        let mut lost: Vec<&str> = Vec::new();
        for comment in comments.iter().filter(|span| edit.span.contains(**span)) {
            let comment = text[std::ops::Range::from(*comment)].trim_end();
            match come.iter().position(|kept| kept == comment) {
                Some(at) => {
                    come.swap_remove(at);
                }
                None => lost.push(comment),
            }
        }
        if !lost.is_empty() {
            put(text, edit, &lost);
        }
    }
}

fn comments_of(text: &str) -> Vec<String> {
    lex(text)
        .filter(|token| is_comment(token.kind))
        .map(|token| {
            text[std::ops::Range::from(token.span)]
                .trim_end()
                .to_owned()
        })
        .collect()
}

fn is_comment(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::LineComment | TokenKind::BlockComment)
}

/// Inserts comments before the text of an edit: on lines of their own if the edit begins a line,
/// also after an operator, or removes lines; otherwise on the line of the edit.
fn put(text: &str, edit: &mut Edit, lost: &[&str]) {
    let start = edit.span.start as usize;
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let before = &text[line..start];
    let indent = indent_of(text, start);
    let operator = before.trim();
    if line > 0 && matches!(operator, "" | "|>" | ">>" | "<<") {
        let lines: String = lost
            .iter()
            .map(|comment| format!("{comment}\n{indent}"))
            .collect();
        edit.text = format!("{lines}{}{}", before.trim_start(), edit.text);
        edit.span.start = (line + indent.len()) as u32;
        return;
    }
    let gone = &text[std::ops::Range::from(edit.span)];
    if edit.text.is_empty() && gone.contains('\n') {
        let pad = indent_of(text, edit.span.end as usize);
        let rest = &text[edit.span.end as usize..];
        let blanks = rest.len() - rest.trim_start_matches(' ').len();
        edit.text = lost
            .iter()
            .map(|comment| format!("\n{pad}{comment}"))
            .collect();
        if !rest[blanks..].starts_with(['\n', '\r']) {
            edit.text.push_str(&format!("\n{pad}"));
            edit.span.end += blanks as u32;
        }
        return;
    }
    let inline: String = lost.iter().map(|comment| inline(comment, indent)).collect();
    edit.text = match edit.text.starts_with(' ') {
        true => format!(" {}{}", inline.trim_end(), edit.text),
        false if edit.text.is_empty() => format!(" {}", inline.trim_end()),
        false => format!("{inline}{}", edit.text),
    };
}

/// Renders a comment before something on its line, with the separator between them.
fn inline(comment: &str, indent: &str) -> String {
    match comment.strip_prefix("//") {
        Some(rest) if !rest.contains("*/") => format!("/*{rest} */ "),
        Some(_) => format!("{comment}\n{indent}"),
        None => format!("{comment} "),
    }
}
