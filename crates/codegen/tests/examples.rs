//! Tests that C compilers accept the generated code of the examples without warnings.

use std::fmt::Write;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use codegen::{Options, PassSet, Target};
use expect_test::expect;
use rise::core::{normalise, program_of};

/// Returns the text of a program after those that it imports.
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

/// Returns the definitions of a text with a `@target` annotation.
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
    module_with(text, name, target, Options::default())
}

fn module_with(
    text: &str,
    name: &str,
    target: Target,
    options: Options,
) -> Result<codegen::Module, String> {
    let mut program = program_of(text, name).map_err(|error| error.to_string())?;
    normalise(&mut program).map_err(|error| error.to_string())?;
    let functional = dpia::functional(&program, target.features())
        .map_err(|complaints| format!("{complaints:?}"))?;
    let imperative = dpia::imperative(&functional).map_err(|error| error.to_string())?;
    codegen::compile_for(&imperative, target, options).map_err(|errors| format!("{errors:?}"))
}

fn compiled(source: &Path, compiler: &str, openmp: bool) -> Result<(), String> {
    let mut command = Command::new(compiler);
    command.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-O2", "-c", "-o"]);
    command.arg(source.with_extension("o"));
    command.args(openmp.then_some("-fopenmp"));
    let out = command.arg(source).output();
    let out = out.map_err(|error| format!("{compiler}: {error}"))?;
    let errors = String::from_utf8_lossy(&out.stderr);
    match out.status.success() {
        true => Ok(()),
        false => Err(format!("{compiler}: {errors}")),
    }
}

/// Returns each program of a folder: its path, the text with its imports, and its name.
fn programs(folder: &str) -> Vec<(PathBuf, String, String)> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut all = Vec::new();
    for entry in fs::read_dir(examples.join(folder)).expect("the examples are there") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|ext| ext != "rise") {
            continue;
        }
        let own = fs::read_to_string(&path).expect("a program");
        let text = whole(&path);
        for name in marked(&own) {
            all.push((path.clone(), text.clone(), name));
        }
    }
    all.sort();
    all
}

fn all(folder: &str, target: Target) {
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(folder);
    fs::create_dir_all(&out).expect("a folder for texts");
    let mut failures = String::new();
    let programs = programs(folder);
    assert!(!programs.is_empty(), "no programs");
    for (path, text, name) in programs {
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
    assert!(failures.is_empty(), "{failures}");
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn programs_for_c() {
    all("c", Target::C);
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn programs_for_openmp() {
    all("openmp", Target::OpenMp);
}

#[test]
fn optional_passes_can_be_left_out() {
    let mut failures = String::new();
    for (folder, target) in [
        ("c", Target::C),
        ("openmp", Target::OpenMp),
        ("opencl", Target::OpenCl),
    ] {
        for (path, text, name) in programs(folder) {
            for pass in PassSet::optional() {
                let options = Options {
                    without: PassSet::of(&[pass.to_owned()]).expect("it is optional"),
                    ..Options::default()
                };
                if let Err(error) = module_with(&text, &name, target, options) {
                    let _ = writeln!(failures, "{}: {name}: {pass}: {error}", path.display());
                }
            }
        }
    }
    // OpenCL C names the lanes of vectors by constants, which only unrolling makes of counters.
    let known = |line: &&str| line.contains("nnH200: unrolling");
    let others: Vec<&str> = failures.lines().filter(|line| !known(line)).collect();
    assert!(others.is_empty(), "{}", others.join("\n"));
}

/// Returns the divisions of sizes in a function without duplicates: the operator and the right
/// operand, with the left one if it is a name, a number or in parentheses.
fn divisions(text: &str) -> Vec<String> {
    let start = text.rfind("\nvoid ").unwrap_or(0);
    let mut found = Vec::new();
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    for line in text[start..]
        .lines()
        .filter(|line| !line.contains("assert(") && !line.contains("check_count("))
    {
        for (at, operator) in line.match_indices(['/', '%']) {
            let (left, right) = (line[..at].trim_end(), line[at + 1..].trim_start());
            let closing = left.ends_with(')');
            let mut depth = 0;
            let begin = left.char_indices().rev().find(|(_, c)| {
                depth += i32::from(*c == ')') - i32::from(*c == '(');
                depth < 0 || depth == 0 && !is_word(*c) && !(closing && *c == '(')
            });
            let left = begin.map_or(left, |(at, c)| &left[at + c.len_utf8()..]);
            let end = right.find(|c| !is_word(c)).unwrap_or(right.len());
            let right = &right[..end];
            // Divisions of floats are in the source program.
            let is_float = right.is_empty() || right.contains('.') || left.contains('.');
            let division = format!("{left} {operator} {right}");
            if !is_float && !found.contains(&division) {
                found.push(division);
            }
        }
    }
    found
}

/// Tests that no index has a division that the ranges make unnecessary. The remaining divisions are
/// the number of chunks, tiles and vectors of an array whose lengths are parameters (`n / 8`); the
/// position in a circular buffer of lines (`(i + 2) % 3`); rows before a row of a triangle
/// (`i * (i + 1) / 2`) without an accumulated pointer; lengths and indices that the program itself
/// computes by divisions (`i % 2`, `i * j % n`); halves and thirds of powers whose exponent may be
/// 0.
#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn divisions_that_are_left() {
    let mut list = String::new();
    for (folder, target) in [("c", Target::C), ("openmp", Target::OpenMp)] {
        for (_, text, name) in programs(folder) {
            let module = module(&text, &name, target).expect("C");
            let all = divisions(&module.text);
            if !all.is_empty() {
                let _ = writeln!(list, "{name}: {}", all.join(", "));
            }
        }
    }
    expect![[r#"
        asumLanes: n / 8
        asumVectors: n / 8
        convolutionBase: h / 2
        convolutionFactorised: h / 2
        convolutionFactorisedVH: h / 2
        convolutionRotated: h / 2
        convolutionScanline: h / 2
        convolutionSeparated: (h + 15) / 16, end / 2
        dotAnyLength: n / 8, n % 8
        dotLanes: n / 8
        dotVectors: n / 8
        dft: n / 4, j % n, (i + 1) % n, (i + 2) % n, (i + 3) % n
        gemvFused: m / 4
        gemvLanes: n / 8
        gemvStored: m / 4
        harrisBuffered: (i + 2) % 3, (i + 1) % 3, i % 3
        harrisStored: (h + 15) / 16, end / 2
        mmDots: m / 4
        mmFourRows: k / 4
        mmRows: n / 6, n / 24, k / 4, (n - 2 * imin(n / 6, 7 * (n / 24))) / 4
        mmTiled: n / 32, m / 32, k / 32, 16 / F32_LANES
        mmVectors: n / 4, m / 16
        scalVectors: n / 8
        alternatingProduct: i % 2
        growingProduct: i / 2
        gaussianBlur: n / 2
        stencil2D: n / 2
        stencil2DClamped: n / 2
        stencil3D: m / 2
        stencil3DClamped: m / 2
        transposeRead: m / 16
        transposeReorder: n / 16
        transposeTiled: n / 8, m / 8
        transposeWrite: n / 16
        tournament: pow_64(3, k - 1) / 3
        treeSum: ((size_t)1 << (k - 1)) / 2
        lowerTriangularProduct: (i + 1) / 2
        scaleRows: (i + 1) / 2
        upperTriangularProduct: (2 * n - i + 1) / 2
        convolutionRotatedPar: h / 2
        convolutionScanlinePar: h / 2
        convolutionSeparatedPar: ((int64_t)h + 15) / 16, (h + 15) / 16, end / 2
        gemvPar: m / 4
        gemvParVectors: n / 8
        harrisPar: h / 32, (j + 2) % 3, (j + 1) % 3, j % 3
        mmPar: n / 6, n / 24, k / 4, (n - 2 * imin(n / 6, 7 * (n / 24))) / 4
        mmParPacked: m / 16, n / 4
        mmParTiled: n / 32, m / 32, k / 32, 16 / F32_LANES
        mmParVectors: n / 4, m / 16
        dotParChunks: n / c, c / 8
        scalParVectors: n / 8
        prefixSumsPar: n / c
        triangularProductsPar: n / 2, b / 4, (j + 1) / 2
        stencil2DPar: n / 2
        stencil3DPar: m / 2
        transposePar: n / 8, m / 8
        halveTriangle: (i + 1) / 2
    "#]]
    .assert_eq(&list);
}
