//! The programs of the examples become C that compilers have nothing to say about.

use std::fmt::Write;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use dpia::Target;
use rise::core::{normalise, program_of};

/// The text of a program with those that it imports in front.
fn whole(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a program");
    let mut out = String::new();
    for line in text.lines() {
        match line.strip_prefix("import \"") {
            Some(rest) => {
                let file = rest.trim_end_matches('"');
                out.push_str(&whole(&path.with_file_name(file)));
            }
            None => {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    out
}

/// The definitions of a text that say what they are compiled for.
fn marked(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for span in syntax::split(text) {
        let item = syntax::parse(&text[Range::from(span)]).item;
        let mut annotations = item.annotations.iter().filter_map(|a| a.name.as_ref());
        if annotations.any(|name| name.name == "target") {
            names.extend(item.name().map(|name| name.name.to_string()));
        }
    }
    names
}

fn module(text: &str, name: &str, target: Target) -> Result<codegen::Module, String> {
    let mut program = program_of(text, name).map_err(|error| error.to_string())?;
    normalise(&mut program).map_err(|error| error.to_string())?;
    let functional =
        dpia::functional(&program, target).map_err(|complaints| format!("{complaints:?}"))?;
    let imperative = dpia::imperative(&functional).map_err(|error| error.to_string())?;
    let to = match target {
        Target::OpenMp => codegen::Target::OpenMp,
        _ => codegen::Target::C,
    };
    codegen::compile(&imperative, to).map_err(|errors| format!("{errors:?}"))
}

fn compiled(source: &Path, compiler: &str, openmp: bool) -> Result<(), String> {
    let mut command = Command::new(compiler);
    command.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-O2", "-c", "-o"]);
    command.arg(source.with_extension("o"));
    command.args(openmp.then_some("-fopenmp"));
    let Ok(out) = command.arg(source).output() else {
        return Ok(()); // not installed
    };
    let errors = String::from_utf8_lossy(&out.stderr);
    if out.status.success() || errors.contains("omp.h' file not found") {
        return Ok(());
    }
    Err(format!("{compiler}: {errors}"))
}

fn all(folder: &str, target: Target) {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(folder);
    fs::create_dir_all(&out).expect("a folder for texts");
    let mut failures = String::new();
    let mut count = 0;
    for entry in fs::read_dir(examples.join(folder)).expect("the examples are there") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|ext| ext != "rise") {
            continue;
        }
        let own = fs::read_to_string(&path).expect("a program");
        let text = whole(&path);
        for name in marked(&own) {
            count += 1;
            let source = out.join(format!("{name}.c"));
            let result = module(&text, &name, target).and_then(|module| {
                fs::write(&source, &module.text).expect("a source file");
                let openmp = target == Target::OpenMp;
                compiled(&source, "gcc", openmp)?;
                compiled(&source, "clang", openmp)
            });
            if let Err(error) = result {
                let _ = writeln!(failures, "{}: {name}: {error}", path.display());
            }
        }
    }
    assert!(count > 0, "no programs");
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn programs_for_c() {
    all("c", Target::C);
}

#[test]
fn programs_for_openmp() {
    all("openmp", Target::OpenMp);
}
