//! Tests that the code in the language reference has the stated errors, and the layout of the
//! formatter.

use syntax::elevate::{check_order, format, parse, split};

const PAGE: &str = include_str!("../../../docs/elevate.md");

/// Returns the blocks of the page, each with the text after its backquotes.
fn blocks() -> Vec<(&'static str, &'static str)> {
    let mut blocks = Vec::new();
    let mut rest = PAGE;
    while let Some((_, opened)) = rest.split_once("\n```") {
        let (head, body) = opened.split_once('\n').unwrap_or_default();
        let (body, behind) = body.split_once("```").unwrap_or_default();
        blocks.push((head, body));
        rest = behind;
    }
    blocks
}

#[test]
fn blocks_have_the_errors_they_say() {
    let blocks = blocks();
    assert!(blocks.iter().filter(|(head, _)| *head == "elevate").count() >= 8);
    for (head, text) in blocks {
        let items: Vec<_> = split(text)
            .into_iter()
            .map(|span| parse(&text[std::ops::Range::from(span)]))
            .collect();
        let errors =
            items.iter().flat_map(|item| &item.diagnostics).count() + check_order(&items).len();
        match head {
            "elevate" => assert_eq!(errors, 0, "{text}"),
            "elevate,error" => assert_eq!(errors, 1, "{text}"),
            other => assert_eq!(other, "text"),
        }
    }
}

#[test]
fn blocks_are_formatted() {
    for (head, text) in blocks() {
        if head == "elevate" {
            assert_eq!(format(text), text);
        }
    }
}
