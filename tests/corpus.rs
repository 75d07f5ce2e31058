//! Tests the default schedules on the programs of `tests/corpus`, which choose no implementation:
//! each is compiled for each target, and its results are those of the interpreter at prime sizes, at
//! sizes below one tile, and at multiples of all tiles. For C and OpenMP they are equal bit for bit,
//! with the sums of products contracted or, with `@exact`, as they are. (`compare.py` compares the interpreter with
//! the references in C.)

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use rayon::prelude::*;

/// The labels of the sets of sizes for which the interpreter is fast enough.
const LABELS: &[&str] = &["PRIME", "SMALL", "EDGES", "TILES"];

/// A line of `sizes.txt`.
struct Program {
    file: String,
    def: String,
    /// The sets of sizes by their labels.
    sizes: Vec<(String, Vec<String>)>,
    /// The arguments that need particular values.
    args: Vec<String>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus")
}

fn programs() -> Vec<Program> {
    programs_in(&folder())
}

fn programs_in(folder: &Path) -> Vec<Program> {
    let text = std::fs::read_to_string(folder.join("sizes.txt")).expect("the list of programs");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(program).collect()
}

fn program(line: &str) -> Program {
    let mut words = line.split_whitespace();
    let mut next = || {
        words
            .next()
            .expect("a line has a file and a definition")
            .to_owned()
    };
    let (file, def) = (format!("{}.rise", next()), next());
    let (mut sizes, mut args) = (Vec::new(), Vec::new());
    let mut label = String::new();
    for word in words {
        match word.strip_suffix(':') {
            Some(next) => label = next.to_owned(),
            None if label == "ARGS" => args.push(word.to_owned()),
            None => {
                let set = word.split(',').map(|size| format!("-D{size}"));
                sizes.push((label.clone(), set.collect()));
            }
        }
    }
    Program {
        file,
        def,
        sizes,
        args,
    }
}

fn rise_ls(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rise-ls"));
    command.args(arguments).current_dir(folder());
    command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    command.env("OMP_WAIT_POLICY", "passive");
    command.output().expect("rise-ls starts")
}

/// Runs the jobs on all cores, and fails with what they complain of.
fn each<T: Sync>(jobs: &[T], run: impl Fn(&T) -> Result<(), String> + Sync) {
    let wrong: Vec<String> = jobs.par_iter().filter_map(|job| run(job).err()).collect();
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Runs the programs in this folder with the sets of sizes that have these labels, and compares the
/// results with those of the interpreter.
fn are_right(folder: &Path, backend: &str, labels: &[&str], tolerance: Option<&str>) {
    let programs = programs();
    assert!(programs.len() >= 40);
    programs_are_right(&programs, folder, backend, labels, tolerance);
}

fn programs_are_right(
    programs: &[Program],
    folder: &Path,
    backend: &str,
    labels: &[&str],
    tolerance: Option<&str>,
) {
    let runs = programs.iter().flat_map(|program| {
        let sets = program.sizes.iter();
        let sets = sets.filter(|(label, _)| labels.contains(&label.as_str()));
        sets.map(move |(_, sizes)| (program, sizes))
    });
    each(&runs.collect::<Vec<_>>(), |(program, sizes)| {
        let file = folder.join(&program.file);
        let file = file.to_string_lossy();
        let mut arguments = vec!["run", &file, "--def", &program.def];
        arguments.extend(["--backend", backend, "--verify"]);
        arguments.extend(tolerance.into_iter().flat_map(|t| ["--tolerance", t]));
        arguments.extend(sizes.iter().map(String::as_str));
        for arg in &program.args {
            arguments.extend(["--arg", arg]);
        }
        let ran = rise_ls(&arguments);
        let message = String::from_utf8_lossy(&ran.stderr);
        let which = format!("{} {sizes:?} in {backend}", program.def);
        ran.status
            .success()
            .then_some(())
            .ok_or(format!("{which}: {message}"))
    });
}

#[test]
fn programs_are_right_in_c() {
    are_right(&folder(), "c", LABELS, Some("0"));
}

/// The programs of `tests/applications` make some choices themselves.
#[test]
#[cfg_attr(not(tool = "gcc"), ignore = "needs gcc")]
fn applications_are_right() {
    let folder = folder().join("../applications");
    let programs = programs_in(&folder);
    assert_eq!(programs.len(), 20);
    for backend in ["c", "openmp"] {
        programs_are_right(&programs, &folder, backend, LABELS, Some("0"));
    }
}

#[test]
fn exact_programs_are_right_in_c() {
    let exact = tempfile::tempdir().expect("a folder");
    for Program { file, def, .. } in programs() {
        let path = exact.path().join(&file);
        let text = std::fs::read_to_string(&path);
        let text = text.or_else(|_| std::fs::read_to_string(folder().join(&file)));
        let text = format!("\n{}", text.expect("a program"));
        let marked = text.replace(&format!("\ndef {def} "), &format!("\n@exact\ndef {def} "));
        assert_ne!(text, marked, "{def}");
        std::fs::write(&path, marked).expect("a file");
    }
    are_right(exact.path(), "c", &["SMALL", "TILES"], Some("0"));
}

#[test]
#[cfg_attr(not(tool = "gcc"), ignore = "needs gcc")]
fn programs_are_right_in_openmp() {
    are_right(&folder(), "openmp", LABELS, Some("0"));
}

#[test]
#[cfg_attr(not(tool = "opencl"), ignore = "needs an OpenCL device")]
fn programs_are_right_in_opencl() {
    are_right(&folder(), "opencl", LABELS, None);
}

const TARGETS: [(&str, &str); 3] = [
    ("c", "lowerToC"),
    ("openmp", "lowerToOpenMP"),
    ("opencl", "lowerToOpenCL"),
];

/// Each program with each target and the strategy that is its default schedule.
fn programs_for_targets(programs: &[Program]) -> Vec<(&Program, (&str, &str))> {
    let targets = |program| TARGETS.into_iter().map(move |target| (program, target));
    programs.iter().flat_map(targets).collect()
}

/// Compiles a program for a target by default and with `@strategy(…)`, whose file has a text of its
/// own, and fails if the outputs differ.
fn compiles_to_the_same(
    program: &Program,
    target: &str,
    annotation: &str,
    strategies: &str,
) -> Result<(), String> {
    let Program { file, def, .. } = program;
    let by_default = rise_ls(&["emit", file, "--def", def, "--as", target]);
    let text = std::fs::read_to_string(folder().join(file)).map_err(|e| e.to_string())?;
    let named = text.replace(
        &format!("\ndef {def} "),
        &format!("\n@strategy({annotation})\ndef {def} "),
    );
    let other = tempfile::tempdir().map_err(|e| e.to_string())?;
    std::fs::write(other.path().join("s.elevate"), strategies).map_err(|e| e.to_string())?;
    let path = other.path().join(file);
    std::fs::write(&path, named).map_err(|e| e.to_string())?;
    let path = path.to_string_lossy();
    let by_name = rise_ls(&["emit", &path, "--def", def, "--as", target]);
    let is_same = by_default.stdout == by_name.stdout && !by_name.stdout.is_empty();
    let message = String::from_utf8_lossy(&by_name.stderr);
    is_same
        .then_some(())
        .ok_or(format!("{def} for {target}: {message}\n{strategies}"))
}

/// Naming the strategy of a default schedule generates the same code.
#[test]
fn a_default_schedule_is_the_strategy_that_the_hint_names() {
    let programs = programs();
    each(
        &programs_for_targets(&programs),
        |(program, (target, strategy))| compiles_to_the_same(program, target, strategy, ""),
    );
}

/// The schedule that `rise-ls schedule` prints generates the same code, and is the same in each
/// process.
#[test]
fn a_printed_schedule_generates_the_code_of_the_default_schedule() {
    let programs = programs();
    each(
        &programs_for_targets(&programs),
        |(program, (target, strategy))| {
            let Program { file, def, .. } = program;
            let print = || rise_ls(&["schedule", file, "--def", def, "--target", target]);
            let printed = String::from_utf8_lossy(&print().stdout).into_owned();
            if printed.as_bytes() != print().stdout {
                return Err(format!("{def} for {target}: two schedules"));
            }
            let name = format!("{def}For{}", strategy.trim_start_matches("lowerTo"));
            let annotation = format!("\"s.elevate\", {name}");
            compiles_to_the_same(program, target, &annotation, &printed)
        },
    );
}
