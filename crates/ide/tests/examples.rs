//! Tests that hovers and inlay hints are computed for every token of the examples without a panic.

use std::fs;
use std::path::{Path, PathBuf};

use db::{Database, FilePath};
use ide::{AccessFlow, FilePosition, InlayConfig, Repeated, hover, inlay_hints};
use syntax::Span;
use syntax::lexer::lex;

fn programs(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder)
        .expect("the examples are there")
        .flatten()
    {
        let path = entry.path();
        if path.is_dir() {
            programs(&path, found);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "rise")
        {
            found.push(path);
        }
    }
}

/// Loads the examples in a folder, with their imports.
fn examples(folder: &str) -> (Database, Vec<(PathBuf, db::FileId, String)>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut all = Vec::new();
    programs(&root, &mut all);
    all.sort();
    let mut db = Database::new();
    let mut files = Vec::new();
    for path in all {
        let text = fs::read_to_string(&path).expect("an example can be read");
        let below = path.strip_prefix(&root).expect("it lies below");
        let file = db.set_file(
            FilePath::disk(Path::new("/examples").join(below)),
            text.as_str(),
        );
        if below.starts_with(folder) {
            files.push((below.to_owned(), file, text));
        }
    }
    (db, files)
}

/// Requests a hover at the start of every token, and counts those with the memory of a value.
fn hovers(folder: &str) -> usize {
    let (db, files) = examples(folder);
    let mut lives = 0;
    for (_, file, text) in &files {
        for token in lex(text) {
            let at = FilePosition {
                file: *file,
                offset: token.span.start,
            };
            let Some(found) = hover(&db, at, Repeated::ALL) else {
                continue;
            };
            lives += usize::from(found.markdown.contains("\n\nIn "));
        }
    }
    lives
}

#[test]
fn every_word_of_programs_for_c_can_be_hovered_on() {
    assert!(hovers("c") > 1000);
}

#[test]
fn every_word_of_programs_for_openmp_can_be_hovered_on() {
    assert!(hovers("openmp") > 500);
}

#[test]
fn every_stage_of_compiled_programs_has_its_access() {
    let config = InlayConfig {
        parameters: false,
        definitions: false,
        pipelines: false,
        access_flow: AccessFlow::Full,
        max_length: 200,
        ..InlayConfig::default()
    };
    let types = InlayConfig {
        pipelines: true,
        access_flow: AccessFlow::Off,
        ..config
    };
    for folder in ["c", "openmp"] {
        let (db, files) = examples(folder);
        let (mut stages, mut without) = (0, Vec::new());
        for (path, file, text) in &files {
            for item in db.items(*file).iter() {
                if db.targets(*item).is_empty() {
                    continue;
                }
                let range = db.item_span(*item);
                let accesses = inlay_hints(&db, *file, range, &config);
                for typed in inlay_hints(&db, *file, range, &types) {
                    stages += 1;
                    if !accesses.iter().any(|hint| hint.offset == typed.offset) {
                        let before = &text[..typed.offset as usize];
                        let line = before.rsplit('\n').next().unwrap_or_default();
                        without.push(format!("{path:?}: {line}"));
                    }
                }
            }
        }
        assert!(stages > 50, "{stages}");
        assert!(without.is_empty(), "{stages}: {without:#?}");
    }
}

#[test]
fn every_program_has_values_for_small_sizes() {
    let config = InlayConfig {
        parameters: false,
        definitions: false,
        pipelines: false,
        access_flow: AccessFlow::Off,
        values: true,
        ..InlayConfig::default()
    };
    let (db, files) = examples("");
    let mut without = Vec::new();
    for (_, file, text) in &files {
        for hint in inlay_hints(&db, *file, Span::new(0, text.len() as u32), &config) {
            assert!(
                hint.label.chars().count() <= config.max_length,
                "{}",
                hint.label
            );
        }
        for item in db.items(*file).iter() {
            let is_program = |program: &rise::core::Program<_>| program.runnable().is_ok();
            let program = db.linked(*item).ok().filter(|program| is_program(program));
            let Some(program) = program else { continue };
            let calls = !runtime::cc::foreign::functions_with_bodies(&program.body).is_empty();
            if !calls && db.values(*item).is_none() {
                without.push(program.name.to_string());
            }
        }
    }
    // The sizes inside a dependent pair are not given, and 131072 elements are too many for a
    // value.
    assert_eq!(without, ["sumPacked", "meanPacked", "scanWhole"]);
}
