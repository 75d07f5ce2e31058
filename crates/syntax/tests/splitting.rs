//! Tests that items are the same after a split of the whole text and after edits.

use proptest::prelude::*;
use std::cell::Cell;
use syntax::{Edit, Resplit, Span, resplit, split};

fn items(text: &str) -> Vec<&str> {
    split(text)
        .into_iter()
        .map(|span| &text[std::ops::Range::from(span)])
        .collect()
}

#[test]
fn items_begin_at_their_words() {
    let text = "\u{feff}// licence\nimport \"a\" import \"b\"\n\n/// doc\n// plain\ndef f = 1 // rest\n\n\
                @target(c)\n@run(n = 1)\nforeign def g(x: f32): f32\ndef h = /* def */ 2 /// lost\n";
    assert_eq!(
        items(text),
        [
            "import \"a\"",
            "import \"b\"",
            "/// doc\n// plain\ndef f = 1",
            "@target(c)\n@run(n = 1)\nforeign def g(x: f32): f32",
            "def h = /* def */ 2",
        ]
    );
}

#[test]
fn what_is_no_item_is_stray() {
    assert_eq!(items("x y\ndef f = 1"), ["x y", "def f = 1"]);
    assert_eq!(
        items("import \"a\" x y import z w"),
        ["import \"a\"", "x y", "import z w"]
    );
    assert_eq!(items("foreign\nimport \"a\""), ["foreign", "import \"a\""]);
    assert_eq!(items("foreign x def f"), ["foreign x", "def f"]);
    assert_eq!(
        items("@a @b foreign def f @c"),
        ["@a @b foreign def f", "@c"]
    );
    assert_eq!(
        items("def f = g @ h\n@ a def i"),
        ["def f = g @ h", "@ a def i"]
    );
    assert_eq!(
        items("def f = g@h def i @j"),
        ["def f = g@h", "def i", "@j"]
    );
    assert_eq!(items("import \"a\" @ b"), ["import \"a\"", "@ b"]);
    assert_eq!(items("// nothing\n/// at all"), [""; 0]);
    assert_eq!(items("def f = /* open\ndef g"), ["def f = /* open\ndef g"]);
    assert_eq!(items("def f = \"open\ndef g"), ["def f = \"open", "def g"]);
}

/// Returns the items that a [`Resplit`] describes.
fn apply(old: &[Span], edit: Edit, resplit: &Resplit) -> Vec<Span> {
    let shift = |at: u32| at - edit.old_end + edit.new_end;
    let mut new = old[..resplit.prefix].to_vec();
    new.extend(&resplit.middle);
    let behind = &old[old.len() - resplit.suffix..];
    new.extend(
        behind
            .iter()
            .map(|span| Span::new(shift(span.start), shift(span.end))),
    );
    new
}

/// Replaces a part of the text, compares [`resplit`] with [`split`], and returns how many bytes
/// were read.
fn edit(text: &mut String, start: usize, end: usize, with: &str) -> usize {
    let old = split(text);
    let before = text.clone();
    text.replace_range(start..end, with);
    let edit = Edit {
        start: start as u32,
        old_end: end as u32,
        new_end: (start + with.len()) as u32,
    };
    let bytes = Cell::new(0);
    let read = |span: Span| {
        bytes.set(bytes.get() + span.len() as usize);
        text[std::ops::Range::from(span)].to_owned()
    };
    let result = resplit(&old, edit, text.len() as u32, &read);
    assert_eq!(
        apply(&old, edit, &result),
        split(text),
        "{before:?} -> {text:?}"
    );
    for span in &old[..result.prefix] {
        assert!(span.end <= edit.start, "{before:?} -> {text:?}");
    }
    bytes.get()
}

/// Generates pieces of text that are relevant to the splitter, alone and adjacent.
fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "def",
        "def ",
        " def f = x",
        "foreign",
        " foreign def g",
        "import",
        " import \"a\"",
        "@",
        "@target(c) ",
        " @ x",
        "\n",
        " ",
        "/",
        "//",
        "///",
        "/// doc\n",
        "// c\n",
        "/*",
        "*/",
        "/* c */",
        "\"",
        "\"\"\"",
        "\\",
        "x",
        "1",
        ".",
        "e",
        "-",
        "=",
        "(",
        ")",
        "é",
        "λ",
        "\u{1f600}",
        "\u{feff}",
        "\r",
        "\0",
        "\t",
        " |> map(f)",
    ])
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn resplit_is_split(
        mut text in text(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), text()), 1..6),
    ) {
        for (from, to, with) in edits {
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let (from, to) = (places[from.index(places.len())], places[to.index(places.len())]);
            edit(&mut text, from.min(to), from.max(to), &with);
        }
    }

    #[test]
    fn small_edits_resplit(
        mut text in text(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0usize..3, piece()), 1..12),
    ) {
        for (from, length, with) in edits {
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let from = from.index(places.len());
            let to = (from + length).min(places.len() - 1);
            edit(&mut text, places[from], places[to], with);
        }
    }

    #[test]
    fn items_are_in_order_and_hold_every_token(text in text()) {
        let spans = split(&text);
        let mut end = 0;
        for span in &spans {
            prop_assert!(end <= span.start && span.start < span.end);
            end = span.end;
        }
        for token in syntax::lex(&text).filter(|token| !token.kind.is_trivia()) {
            prop_assert_eq!(spans.iter().filter(|span| span.contains(token.span)).count(), 1);
        }
    }

    #[test]
    fn tokens_cover_the_text(text in text()) {
        let mut end = 0;
        for token in syntax::lex(&text) {
            prop_assert_eq!(token.span.start, end);
            prop_assert!(token.span.end > end);
            prop_assert!(text.is_char_boundary(token.span.end as usize));
            end = token.span.end;
        }
        prop_assert_eq!(end as usize, text.len());
    }
}

#[test]
fn an_edit_reads_its_surroundings_only() {
    let item = "/// A vector.\ndef scale = fun(xs: n.f32 => xs |> map(fun(x => x * 2.0f)))\n\n";
    let mut text = item.repeat(10_000);
    let place = item.len() * 5000 + item.find("2.0f").unwrap();
    assert!(edit(&mut text, place, place + 3, "3.0") < 4 * item.len());
    assert!(edit(&mut text, place, place, "(") < 4 * item.len());
    let between = item.len() * 5000 - 1;
    assert!(edit(&mut text, between, between, "\n") < 6 * item.len());
    assert!(edit(&mut text, between, between, "def g = x\n") < 6 * item.len());
}
