//! Tests that the programs in the examples of strategies are equivalent before and after.

use std::fs;
use std::path::Path;

use syntax::ast::Name;
use syntax::elevate::ast::{Expect, ExprKind, Item, ItemKind};
use syntax::elevate::{parse, split};

use agreement::Pair;

/// Returns the names of the unsafe rules of a text, whose correctness the user guarantees.
fn unsafe_rules(text: &str) -> Vec<Name> {
    let items = split(text).into_iter();
    let items = items.map(|span| parse(&text[span.start as usize..span.end as usize]).item);
    let is_unsafe = |item: &Item| {
        matches!(
            &item.kind,
            ItemKind::Rule {
                unsafe_word: Some(_),
                ..
            }
        )
    };
    let names = items
        .filter(is_unsafe)
        .filter_map(|item| Some(item.name()?.name.clone()));
    names.collect()
}

/// Returns the texts of the RISE files that a strategy file imports.
fn imported(file: &Path, text: &str) -> String {
    let mut found = String::new();
    for span in split(text) {
        let item = parse(&text[span.start as usize..span.end as usize]).item;
        if let ItemKind::Import {
            path: Some((path, _)),
        } = &item.kind
        {
            let path = file.with_file_name(&**path);
            found += &fs::read_to_string(path).expect("what is imported");
        }
    }
    found
}

fn applies(example: &Item, rule: &Name) -> bool {
    let is = |kind: &ExprKind| matches!(kind, ExprKind::Name(name) if name == rule);
    example.exprs.iter().any(|expr| is(&expr.kind))
}

/// An example whose expected result is a program.
struct Example {
    place: String,
    /// The definitions that its file imports.
    prelude: String,
    input: String,
    expect: String,
}

fn examples() -> Vec<Example> {
    let elevate = Path::new(env!("CARGO_MANIFEST_DIR")).join("../elevate");
    let folders = [
        "src/library",
        "tests/conformance",
        "../../examples/strategies",
    ];
    let folders = folders.map(|folder| elevate.join(folder));
    let mut found = Vec::new();
    let entries = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).expect("a folder"));
    for entry in entries.flatten() {
        if entry.path().extension().is_none_or(|end| end != "elevate") {
            continue;
        }
        let text = fs::read_to_string(entry.path()).expect("a text");
        let prelude = imported(&entry.path(), &text);
        let unsafe_rules = unsafe_rules(&text);
        for span in split(&text) {
            let source = &text[span.start as usize..span.end as usize];
            let item = parse(source).item;
            let ItemKind::Example {
                title,
                input,
                expect: Expect::Program(expect),
                ..
            } = &item.kind
            else {
                continue;
            };
            let term = |id| {
                let span = item.term(id).span;
                source[span.start as usize..span.end as usize].to_owned()
            };
            if unsafe_rules.iter().any(|rule| applies(&item, rule)) {
                continue;
            }
            let title = title.as_ref().map_or("", |(title, _)| title);
            found.push(Example {
                place: format!("{}: {title}", entry.file_name().to_string_lossy()),
                prelude: prelude.clone(),
                input: term(*input),
                expect: term(*expect),
            });
        }
    }
    found
}

#[test]
fn both_sides_of_every_example_mean_the_same() {
    let mut wrong = Vec::new();
    for (seed, example) in (0..).zip(examples()) {
        let text = format!(
            "{}\ndef before = {}\ndef after = {}\n",
            example.prelude, example.input, example.expect
        );
        let pair = Pair {
            text: &text,
            before: "before",
            after: "after",
            more: "",
            unit: 1,
            largest: 4,
        };
        match pair.agree(seed) {
            Ok(0) => wrong.push(format!("{}: no sizes", example.place)),
            Ok(_) => {}
            Err(error) => wrong.push(format!("{}: {error}", example.place)),
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
