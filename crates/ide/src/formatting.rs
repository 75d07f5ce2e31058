//! Formatting of a file, or of the items in a range.

use db::{Database, FileId, Language};
use syntax::lexer::{TokenKind, lex_in};
use syntax::{Span, elevate};

use crate::TextEdit;

/// Returns the edits that format `file`, or `None` if nothing changes. Items with syntax errors
/// stay as they are.
pub fn format(db: &Database, file: FileId) -> Option<Vec<TextEdit>> {
    let old = db.text(file).to_string();
    let language = db.language(file);
    let edits = differences(&old, &language.format(&old), 0, language);
    (!edits.is_empty()).then_some(edits)
}

/// Returns the edits that format the items that `range` touches, or `None` if nothing changes.
pub fn format_range(db: &Database, file: FileId, range: Span) -> Option<Vec<TextEdit>> {
    let newline = newline(db, file);
    let language = db.language(file);
    let mut edits = Vec::new();
    for item in db.items_in(file, range) {
        let old = db.item_text(item);
        let new = language.format_item(&old, newline);
        edits.extend(differences(&old, &new, db.item_span(item).start, language));
    }
    (!edits.is_empty()).then_some(edits)
}

/// Returns the line ending of the file's first line: CR LF, or otherwise LF.
fn newline(db: &Database, file: FileId) -> &'static str {
    let text = db.text(file);
    match text
        .lines()
        .next()
        .is_some_and(|line| line.to_string().ends_with("\r\n"))
    {
        true => "\r\n",
        false => "\n",
    }
}

/// Returns the edits that turn `old`, which begins at the byte `base` of the file, into `new`. If
/// both differ only in whitespace, there is one small edit for each change, so that cursors keep
/// their places; otherwise one edit replaces the whole text.
fn differences(old: &str, new: &str, base: u32, language: Language) -> Vec<TextEdit> {
    if old == new {
        return Vec::new();
    }
    blanks(old, new, base, language).unwrap_or_else(|| {
        let span = Span::new(base, base + old.len() as u32);
        vec![TextEdit {
            span,
            text: new.to_owned(),
        }]
    })
}

/// Returns the edits of the whitespace between the tokens of two texts; `None` if the tokens
/// differ.
fn blanks(old: &str, new: &str, base: u32, language: Language) -> Option<Vec<TextEdit>> {
    let (mut edits, mut old_end, mut new_end) = (Vec::new(), 0, 0);
    let (mut old_words, mut new_words) = (words(old, language), words(new, language));
    loop {
        let (a, b) = (old_words.next(), new_words.next());
        let (old_start, new_start) = match (a, b) {
            (Some(a), Some(b)) if text(old, a) == text(new, b) => (a.start, b.start),
            (None, None) => (old.len() as u32, new.len() as u32),
            _ => return None,
        };
        let (before, after) = (Span::new(old_end, old_start), Span::new(new_end, new_start));
        if text(old, before) != text(new, after) {
            let text = text(new, after).to_owned();
            edits.push(TextEdit {
                span: before.shifted(base),
                text,
            });
        }
        let (Some(a), Some(b)) = (a, b) else {
            return Some(edits);
        };
        (old_end, new_end) = (a.end, b.end);
    }
}

/// Returns the ranges of the tokens of a text, including comments, without whitespace.
fn words(text: &str, language: Language) -> Box<dyn Iterator<Item = Span> + '_> {
    if language == Language::Elevate {
        let words = elevate::lex(text);
        let words = words.filter(|token| !token.kind.is_trivia() || token.kind.is_comment());
        return Box::new(words.map(|token| token.span));
    }
    let words = lex_in(text, language.dialect());
    let words = words.filter(|token| token.kind != TokenKind::Whitespace);
    Box::new(words.map(|token| token.span))
}

fn text(of: &str, span: Span) -> &str {
    of.get(std::ops::Range::from(span)).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Fixture, LISTING_1};
    use expect_test::expect;

    const MESSY: &str =
        "def  f=fun(x=>x)\n\n\n\n// kept\ndef g = fun( x => x\n  |> f )\ndef broken  = (\n";

    #[test]
    fn a_file() {
        let fixture = Fixture::new(MESSY);
        let edits = format(&fixture.db, fixture.files[0]).unwrap_or_default();
        let after = fixture.applied(&edits, fixture.files[0]);
        assert_eq!(after, syntax::format(MESSY));
        assert!(
            edits.iter().all(|edit| edit.text.trim().is_empty()),
            "{edits:?}"
        );
        expect![[r#"
            def f = fun(x => x)

            // kept
            def g = fun(x => x |> f)
            def broken  = (
        "#]]
        .assert_eq(&after);
    }

    #[test]
    fn what_is_formatted_needs_no_edit() {
        let text = syntax::format(LISTING_1);
        let fixture = Fixture::new(&text);
        assert_eq!(format(&fixture.db, fixture.files[0]), None);
    }

    #[test]
    fn a_range_formats_its_items_only() {
        let fixture = Fixture::new(
            &MESSY
                .replace("// kept", "// <|>kept")
                .replace("( x", "( <|>x"),
        );
        let range = fixture.ranges[0];
        let edits = format_range(&fixture.db, range.file, range.span).unwrap_or_default();
        expect![[r#"
            def  f=fun(x=>x)



            // kept
            def g = fun(x => x |> f)
            def broken  = (
        "#]]
        .assert_eq(&fixture.applied(&edits, range.file));
    }

    #[test]
    fn line_ends_stay_as_they_are() {
        let fixture = Fixture::new("def f=1\r\ndef  g = 2\r\n");
        let file = fixture.files[0];
        let whole = Span::new(0, fixture.text(file).len() as u32);
        for edits in [
            format(&fixture.db, file),
            format_range(&fixture.db, file, whole),
        ] {
            let after = fixture.applied(&edits.unwrap_or_default(), file);
            assert_eq!(
                after.matches('\n').count(),
                after.matches("\r\n").count(),
                "{after:?}"
            );
        }
    }
}
