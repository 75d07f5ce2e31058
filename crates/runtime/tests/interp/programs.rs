//! Tests that all programs of the examples and of the documentation of primitives and the library
//! run, and that optimised evaluation has the results of the reference semantics.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rise::Primitive;
use rise::core::{Program, program_of};
use runtime::generate::Fill;
use runtime::interp::ErrorKind;
use runtime::{Bindings, Shape, Value};

use crate::harness::BothWays;

/// The sizes that are tried, in this order.
const SIZES: [[i64; 5]; 10] = [
    [3, 5, 4, 2, 6],
    [4, 3, 5, 2, 7],
    [8, 3, 4, 2, 5],
    [2, 4, 3, 5, 2],
    [6, 6, 6, 6, 6],
    [32, 2, 3, 4, 5],
    [64, 32, 16, 8, 4],
    [40, 36, 34, 33, 35],
    [1, 1, 1, 1, 1],
    [128, 128, 128, 128, 128],
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn rise_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            rise_files(&path, found);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "rise")
        {
            found.push(path);
        }
    }
}

/// Returns the text of a file after the texts of its imports.
fn with_imports(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    let mut imported = String::new();
    let mut own = String::new();
    for line in text.lines() {
        match line.strip_prefix("import \"") {
            Some(rest) => {
                let name = rest.trim_end().trim_end_matches('"');
                let folder = path.parent().unwrap_or(Path::new("."));
                imported += &with_imports(&folder.join(name));
            }
            None => own += line,
        }
        own.push('\n');
    }
    imported + &own
}

fn names(text: &str) -> Vec<String> {
    let items = syntax::split(text).into_iter();
    let parsed = items.map(|span| syntax::parse(&text[std::ops::Range::from(span)]).item);
    let defs = parsed.filter(|item| matches!(item.kind, syntax::ast::ItemKind::Def { .. }));
    defs.filter_map(|item| item.name().map(|ident| ident.name.to_string()))
        .collect()
}

/// Runs a program with the first sizes that it accepts. Returns the last error if it accepts none.
fn runs(program: &Program<Primitive>) -> Result<(), String> {
    let mut last = "no sizes".to_owned();
    for sizes in SIZES {
        match attempt(program, &sizes) {
            Ok(()) => return Ok(()),
            Err(Attempt::OtherSizes(why)) => last = why,
            Err(Attempt::Failed(why)) => return Err(why),
        }
    }
    Err(last)
}

enum Attempt {
    OtherSizes(String),
    Failed(String),
}

fn attempt(program: &Program<Primitive>, sizes: &[i64]) -> Result<(), Attempt> {
    let signature = program.signature();
    let mut bindings = Bindings {
        names: rise::Names(program.names.clone().into()),
        ..Bindings::default()
    };
    for (var, size) in signature.sizes().zip(sizes.iter().cycle()) {
        bindings.nats.insert(var, *size);
    }
    let mut args: Vec<Value> = Vec::new();
    for param in signature.values() {
        let shape = Shape::of(&param.ty, &bindings);
        let shape = shape.map_err(|error| Attempt::OtherSizes(error.to_string()))?;
        let value = Fill::Random(args.len() as u64).value(shape);
        args.push(value.map_err(|error| Attempt::OtherSizes(error.to_string()))?);
    }
    let outcomes = BothWays::run(program, &bindings, &args);
    if !outcomes.agree() {
        return Err(Attempt::Failed(format!("{outcomes:?}")));
    }
    match outcomes.optimized {
        Ok(value) => {
            let expected = Shape::of(signature.result(), &bindings);
            if let Ok(expected) = expected
                && expected != *value.shape()
            {
                let actual = value.shape();
                return Err(Attempt::Failed(format!("{actual} instead of {expected}")));
            }
            Ok(())
        }
        // Positions that are drawn at random are in no order; that is found after the program has run
        // so far.
        Err(error) if matches!(error.kind, ErrorKind::ReversedSegment { .. }) => Ok(()),
        Err(error) => Err(match error.kind {
            ErrorKind::Obligation(_) | ErrorKind::Size(_) | ErrorKind::OutOfRange { .. } => {
                Attempt::OtherSizes(error.to_string())
            }
            // A random integer is 0.
            ErrorKind::DivisionByZero => Attempt::OtherSizes(error.to_string()),
            _ => Attempt::Failed(error.to_string()),
        }),
    }
}

/// Returns true if the arguments of a program can be generated: it takes no functions, types or
/// dependent pairs, and has no C code.
fn is_runnable(program: &Program<Primitive>, text: &str) -> bool {
    let takes_pairs = |program: &Program<Primitive>| {
        let signature = program.signature();
        signature
            .values()
            .any(|param| matches!(*param.ty, rise::Type::DepPair(_)))
    };
    program.runnable().is_ok() && !takes_pairs(program) && !text.contains("\"\"\"")
}

#[test]
fn every_example_runs() {
    let mut files = Vec::new();
    rise_files(&folder(), &mut files);
    // The examples for OpenCL run in `tests/opencl`, with sizes that devices support.
    files.retain(|file| !file.starts_with(folder().join("opencl")));
    assert!(files.len() > 50);
    let mut failures = BTreeMap::new();
    let mut run = 0;
    for file in files {
        let text = with_imports(&file);
        let own = fs::read_to_string(&file).unwrap_or_default();
        for name in names(&own) {
            let place = format!("{}: {name}", file.display());
            match program_of(&text, &name) {
                Ok(program) if is_runnable(&program, &text) => {
                    run += 1;
                    if let Err(why) = runs(&program) {
                        failures.insert(place, why);
                    }
                }
                Ok(_) => {}
                Err(error) => drop(failures.insert(place, error.to_string())),
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
    assert!(run > 80, "{run} programs ran");
}

/// Returns the program in a documentation comment.
fn example(docs: &str) -> Option<String> {
    let (_, rest) = docs.split_once("```rise\n")?;
    let (text, _) = rest.split_once("```")?;
    Some(text.to_owned())
}

#[test]
fn every_primitive_runs() {
    let mut failures = BTreeMap::new();
    for primitive in Primitive::ALL {
        let text = example(primitive.docs()).unwrap_or_default();
        match program_of(&text, "example") {
            Ok(program) if is_runnable(&program, &text) => {
                if let Err(why) = runs(&program) {
                    failures.insert(primitive.name(), why);
                }
            }
            Ok(_) => {}
            Err(error) => drop(failures.insert(primitive.name(), error.to_string())),
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn every_library_function_runs() {
    let mut failures = BTreeMap::new();
    for (_, text) in library() {
        for span in syntax::split(&text) {
            let item = syntax::parse(&text[std::ops::Range::from(span)]).item;
            let docs = item.docs.as_ref().map_or("", |docs| &docs.text);
            let name = item.name().map_or("", |ident| &ident.name).to_owned();
            let Some(program_text) = example(docs) else {
                continue;
            };
            match program_of(&program_text, "example") {
                Ok(program) if is_runnable(&program, &program_text) => {
                    if let Err(why) = runs(&program) {
                        failures.insert(name, why);
                    }
                }
                Ok(_) => {}
                Err(error) => drop(failures.insert(name, error.to_string())),
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

fn library() -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rise/src/std");
    rise_files(&folder, &mut files);
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap_or_default();
        (path, text)
    };
    files.into_iter().map(read).collect()
}
