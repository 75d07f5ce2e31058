//! Runs all examples: those of the library, of the published cases, and of the shipped strategies.

use std::fs;
use std::path::{Path, PathBuf};

use elevate::lang::{File, Programs, run_example};
use syntax::elevate::ast::{ItemKind, Order};
use syntax::elevate::{parse, split};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the errors of the examples of a folder. The definitions of the library are in scope in
/// any case.
fn wrong_in(folder: &str, library: bool) -> Vec<String> {
    let mut wrong = Vec::new();
    let entries = fs::read_dir(root().join(folder)).expect("a folder");
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "elevate"));
    paths.sort();
    for path in paths {
        let text = fs::read_to_string(&path).expect("a text");
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let (text, prelude, order) = prepared(&path, &text, library);
        let file = File::new(&text, Programs::of(&prelude));
        for diagnostic in file.diagnostics() {
            let line = text[..diagnostic.span.start as usize].lines().last();
            let line = line.unwrap_or_default();
            wrong.push(format!("{name}: {} ({line})", diagnostic.message));
        }
        for item in file.items() {
            let ItemKind::Example { title, .. } = &item.item.kind else {
                continue;
            };
            let title = title.as_ref().map_or("", |(title, _)| title);
            for diagnostic in run_example(item, file.definitions(), order, None) {
                let helps = diagnostic.help.clone().unwrap_or_default();
                let message = &diagnostic.message;
                wrong.push(format!("{name}: {title}: {message}\n    {helps}"));
            }
        }
    }
    wrong
}

/// Returns the text (of library files only the examples), the text of its imports, and its order of
/// traversal.
fn prepared(path: &Path, text: &str, library: bool) -> (String, String, Order) {
    let (mut kept, mut prelude, mut order) = (String::new(), String::new(), Order::Default);
    for span in split(text) {
        let source = &text[span.start as usize..span.end as usize];
        match &parse(source).item.kind {
            ItemKind::Import {
                path: Some((import, _)),
            } => {
                let import = path.with_file_name(&**import);
                prelude += &fs::read_to_string(import).expect("what is imported");
            }
            ItemKind::Traversal {
                order: Some(written),
                ..
            } => order = *written,
            ItemKind::Example { .. } => kept = kept + source + "\n\n",
            _ if !library => kept = kept + source + "\n\n",
            _ => {}
        }
    }
    (kept, prelude, order)
}

/// Runs the examples of a folder on a large stack, as terms may be deep.
fn hold(folder: &'static str, library: bool) {
    let work = move || wrong_in(folder, library);
    let thread = std::thread::Builder::new().stack_size(512 << 20);
    let thread = thread.spawn(work).expect("a thread");
    let wrong = thread.join().expect("no panic");
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn examples_of_the_library() {
    hold("crates/elevate/src/library", true);
}

#[test]
fn published_cases() {
    hold("crates/elevate/tests/conformance", false);
}

#[test]
fn strategies_that_are_shipped() {
    hold("examples/strategies", false);
}
