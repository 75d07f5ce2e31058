//! Tests the page that lists the test of each published case: the named tests exist, and every case
//! has one. (`tests/examples.rs` runs the examples.)

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use syntax::elevate::ast::ItemKind;
use syntax::elevate::{parse, split};

const PAGE: &str = "docs/strategy-conformance.md";

/// The folders of the files with examples: the published cases, and the shipped strategies.
const FOLDERS: [&str; 2] = ["crates/elevate/tests/conformance", "examples/strategies"];

/// The files that list the shipped strategies which are interpreted, and those which are compiled
/// and run.
const LISTS: [&str; 2] = [
    "crates/runtime/tests/strategies/shipped.rs",
    "tests/strategies.rs",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the examples of a folder as the page names them: `file.elevate#title`.
fn titles(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root().join(folder))
        .expect("a folder")
        .flatten()
    {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.ends_with(".elevate") {
            continue;
        }
        let text = fs::read_to_string(entry.path()).expect("a text");
        found.extend(split(&text).into_iter().filter_map(|span| {
            let source = &text[span.start as usize..span.end as usize];
            match parse(source).item.kind {
                ItemKind::Example { title, .. } => Some(format!("{name}#{}", title?.0)),
                _ => None,
            }
        }));
    }
    found
}

/// Returns the names of tests in a line, which are in backquotes.
fn named(line: &str) -> impl Iterator<Item = &str> {
    let quoted = line.split('`').skip(1).step_by(2);
    quoted.filter(|word| word.contains(".elevate#") || word.contains(".elevate:"))
}

#[test]
fn every_published_case_has_a_test() {
    let page = read(PAGE);
    let examples: BTreeSet<String> = FOLDERS.into_iter().flat_map(titles).collect();
    let lists = LISTS.map(read);
    let mut wrong = Vec::new();
    for line in page.lines() {
        let row = line.starts_with('|') && !line.starts_with("| case ") && !line.starts_with("|--");
        let reason = line.contains("out of scope") || line.contains("upstream slip");
        if row && !reason && named(line).next().is_none() {
            wrong.push(format!("no test: {line}"));
        }
        for word in named(line) {
            let there = match word.split_once(".elevate:") {
                None => examples.contains(word),
                Some((_, name)) => {
                    let quoted = format!("\"{name}\"");
                    lists.iter().any(|list| list.contains(&quoted))
                }
            };
            if !there {
                wrong.push(format!("`{word}` is not there"));
            }
        }
    }
    assert!(wrong.is_empty(), "{PAGE}:\n{}", wrong.join("\n"));
}

#[test]
fn every_example_of_a_published_case_is_on_the_page() {
    let page = read(PAGE);
    let on_page: BTreeSet<&str> = page.lines().flat_map(named).collect();
    let [published, _] = FOLDERS;
    // The examples of this project: rules that must not apply, and names that must not be captured.
    let ours = |title: &String| title.starts_with("guards.") || title.starts_with("capture.");
    let missing: Vec<String> = titles(published)
        .into_iter()
        .filter(|title| !ours(title) && !on_page.contains(title.as_str()))
        .collect();
    assert_eq!(missing, Vec::<String>::new(), "{PAGE}");
}
