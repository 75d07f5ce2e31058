//! Tests the programs of the language reference.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use dpia::{definition, typing};
use rise::{Env, Resolution, Scheme};
use syntax::ast::Name;
use syntax::{Dialect, GlobalId, Severity, format_in};

use super::source::definitions;

/// Returns the code blocks of the page: the line, the info string, and the text.
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

/// The definitions before the current one.
#[derive(Default)]
struct Known(Vec<(Name, Arc<Scheme>)>);

impl Env for Known {
    fn resolve(&self, name: &str) -> Resolution {
        match self.0.iter().find(|(known, _)| known == name) {
            Some((_, scheme)) => Resolution::Def(GlobalId(0), scheme.clone()),
            None => Resolution::Unknown,
        }
    }

    fn names(&self) -> Vec<Name> {
        Vec::new()
    }
}

/// Returns the codes of the errors in a text.
fn errors(text: &str) -> Vec<&'static str> {
    let mut codes = Vec::new();
    let mut known = Known::default();
    for span in syntax::split(text) {
        let parsed = syntax::parse_in(&text[std::ops::Range::<usize>::from(span)], Dialect::Dpia);
        let mut found = parsed.diagnostics;
        if found.is_empty() {
            let inference = typing::infer(&parsed.item, &known);
            found = inference.diagnostics;
            let name = parsed.item.name().map(|name| name.name.clone());
            known.0.extend(name.map(|name| (name, inference.scheme)));
        }
        let wrong = found.iter().filter(|d| d.severity == Severity::Error);
        codes.extend(wrong.map(|d| d.code.as_str()));
    }
    if codes.is_empty() {
        for definition in definitions(text) {
            let found = definition::check(&definition.linked, definition.written());
            codes.extend(found.iter().map(|d| d.code.as_str()));
        }
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
    }
}
