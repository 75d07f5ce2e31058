//! The smallest edit between two texts, by tokens.

use db::{Database, ItemId};
use syntax::Span;
use syntax::lexer::lex;

use crate::{SourceEdits, TextEdit};

/// Returns the edits that replace the text of a definition by `new`, with the line ends of its
/// file; none if the texts are equal.
pub(crate) fn in_file(db: &Database, item: ItemId, new: &str) -> SourceEdits {
    let file = db.text(db.file_of(item));
    let new = match file.to_string().contains("\r\n") {
        true => &new.replace("\r\n", "\n").replace('\n', "\r\n"),
        false => new,
    };
    let edit = edit(&db.item_text(item), new).map(|(span, text)| TextEdit {
        span: db.absolute(item, span),
        text,
    });
    SourceEdits::single(db.file_of(item), edit.into_iter().collect())
}

/// Returns the edit that turns `old` into `new`, from the first token that differs to the last one;
/// `None` if they are equal. It is a single edit, so that a user cannot accept only a part of the
/// change.
pub(crate) fn edit(old: &str, new: &str) -> Option<(Span, String)> {
    if old == new {
        return None;
    }
    let (before, after) = (words(old), words(new));
    let same = |(a, b): &(&&str, &&str)| a == b;
    let prefix = before.iter().zip(&after).take_while(same).count();
    let rest = before.len().min(after.len()) - prefix;
    let ends = before.iter().rev().zip(after.iter().rev());
    let suffix = ends.take(rest).take_while(same).count();
    let bytes = |words: &[&str]| words.iter().map(|word| word.len()).sum::<usize>();
    let start = bytes(&before[..prefix]);
    let tail = bytes(&before[before.len() - suffix..]);
    let span = Span::new(start as u32, (old.len() - tail) as u32);
    Some((span, new[start..new.len() - tail].to_owned()))
}

/// Returns the tokens of a text, including comments and whitespace.
fn words(text: &str) -> Vec<&str> {
    lex(text)
        .map(|token| &text[std::ops::Range::from(token.span)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_one_edit_of_whole_words() {
        let (span, text) =
            edit("xs |> map(f) |> map(g)", "xs |> mapSeq(f >> g)").expect("a change");
        assert_eq!((span, &*text), (Span::new(6, 20), "mapSeq(f >> "));
        assert_eq!(
            edit("xs |> id", "xs"),
            Some((Span::new(2, 8), String::new()))
        );
        assert_eq!(edit("xs", "xs"), None);
    }
}
