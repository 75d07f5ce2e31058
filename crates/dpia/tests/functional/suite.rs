//! Tests that the example programs and those of the documentation can be compiled.

use std::fs;
use std::path::Path;

use codegen::Target;

use crate::file::check;

fn programs(folder: &str, target: Target) {
    assert!(programs_in(folder, target) > 10);
}

/// Checks the programs in a folder and returns their number.
fn programs_in(folder: &str, target: Target) -> usize {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples")
        .join(folder);
    let mut failures = String::new();
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("the examples are there") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a text");
        if text.contains("import ") {
            continue;
        }
        for span in syntax::split(&text) {
            let item = syntax::parse(&text[std::ops::Range::from(span)]).item;
            let marked = item.annotations.iter().any(|annotation| {
                annotation
                    .name
                    .as_ref()
                    .is_some_and(|name| name.name == "target")
            });
            let Some(name) = item.name().filter(|_| marked) else {
                continue;
            };
            count += 1;
            let def = check(&text, &name.name, target);
            if def.checked.phrase.is_none() {
                failures.push_str(&format!(
                    "{} {}:\n{}",
                    path.display(),
                    name.name,
                    def.shown()
                ));
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
    count
}

#[test]
fn examples_for_c() {
    programs("c", Target::C);
}

#[test]
fn examples_for_openmp() {
    programs("openmp", Target::OpenMp);
}

#[test]
fn examples_for_opencl() {
    programs("opencl", Target::OpenCl);
    programs_in("opencl/h200", Target::OpenCl);
}

/// Returns the code blocks of a page that are programs without errors.
fn blocks(markdown: &str) -> Vec<String> {
    let mut lines = markdown.lines();
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        if line == "```rise" {
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            found.push(block.join("\n") + "\n");
        }
    }
    found
}

/// Formats the errors of a text for the targets that its definitions select.
fn wrong(text: &str) -> String {
    let mut wrong = String::new();
    for (name, target) in crate::file::selected(text) {
        let def = check(text, &name, target);
        if def.checked.phrase.is_none() {
            wrong.push_str(&format!(
                "{name} for {}:\n{}{text}\n",
                target.title(),
                def.shown()
            ));
        }
    }
    wrong
}

#[test]
fn examples_of_primitives_and_the_library() {
    let mut all = String::new();
    for primitive in rise::Primitive::ALL {
        for block in blocks(primitive.docs()) {
            all.push_str(&wrong(&block));
        }
    }
    for (_, text) in rise::STD {
        for span in syntax::split(text) {
            let item = syntax::parse(&text[std::ops::Range::from(span)]).item;
            for block in item.docs.iter().flat_map(|docs| blocks(&docs.text)) {
                all.push_str(&wrong(&block));
            }
        }
    }
    assert!(all.is_empty(), "{all}");
}

#[test]
fn programs_of_the_documentation() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = String::new();
    for page in ["docs/language.md", "docs/tutorial.md"] {
        let text = fs::read_to_string(root.join(page)).expect("a page");
        blocks(&text)
            .iter()
            .for_each(|block| all.push_str(&wrong(block)));
    }
    for folder in [
        "papers",
        "language",
        "linear-algebra",
        "simulation",
        "imaging",
    ] {
        let folder = root.join("examples").join(folder);
        for entry in fs::read_dir(folder).expect("the examples are there") {
            let path = entry.expect("an entry").path();
            let text = fs::read_to_string(&path).expect("a text");
            if !text.contains("import ") {
                all.push_str(&wrong(&text));
            }
        }
    }
    assert!(all.is_empty(), "{all}");
}
