//! The programs of the language reference.

use std::fs;
use std::path::Path;

use dpia::races::races;
use dpia::typing;
use rise::{Env, Resolution};
use syntax::ast::Name;
use syntax::{Dialect, Severity, format_in};

use super::source::programs;

/// The blocks of the page: where they begin, what is remarked, and the text.
fn blocks(page: &str) -> Vec<(usize, &str, String)> {
    let mut found = Vec::new();
    let mut lines = page.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let Some(remark) = line.strip_prefix("```dpia") else {
            continue;
        };
        let text = lines
            .by_ref()
            .map(|(_, line)| line)
            .take_while(|line| *line != "```")
            .fold(String::new(), |text, line| text + line + "\n");
        found.push((number + 1, remark, text));
    }
    found
}

struct Nothing;

impl Env for Nothing {
    fn resolve(&self, _name: &str) -> Resolution {
        Resolution::Unknown
    }

    fn names(&self) -> Vec<Name> {
        Vec::new()
    }
}

/// The codes of the errors in a text.
fn errors(text: &str) -> Vec<&'static str> {
    let mut codes = Vec::new();
    for span in syntax::split(text) {
        let parsed = syntax::parse_in(&text[std::ops::Range::<usize>::from(span)], Dialect::Dpia);
        let found = match parsed.diagnostics.is_empty() {
            true => typing::infer(&parsed.item, &Nothing).diagnostics,
            false => parsed.diagnostics,
        };
        let wrong = found.iter().filter(|d| d.severity == Severity::Error);
        codes.extend(wrong.map(|d| d.code.as_str()));
    }
    codes
}

#[test]
fn the_page_of_the_language() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/dpia.md");
    let page = fs::read_to_string(path).expect("the page");
    let blocks = blocks(&page);
    assert!(blocks.len() > 8, "only {} blocks", blocks.len());
    for (line, remark, text) in blocks {
        let error = remark
            .strip_prefix(",error[")
            .and_then(|rest| rest.strip_suffix(']'));
        let expected: Vec<&str> = error.into_iter().collect();
        assert_eq!(errors(&text), expected, "line {line}");
        assert_eq!(format_in(&text, Dialect::Dpia), text, "line {line}");
        if error.is_none() {
            let shared: usize = programs(&text).iter().map(|p| races(p).len()).sum();
            assert_eq!(shared > 0, remark == ",race", "line {line}");
        }
    }
}
