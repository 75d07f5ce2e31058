//! Tests every low-level program of the examples: its results are compared with the interpreter at
//! several sizes, sizes that violate its conditions are refused, and the emitted code has a map
//! from its statements to the source.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use random_programs::{Backend, program};
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::Value;
use tempfile::TempDir;

/// An entry of `kernels.json`.
#[derive(Deserialize)]
struct Kernel {
    name: String,
    file: String,
    backend: String,
    verify: Vec<BTreeMap<String, u64>>,
    refuse: Vec<BTreeMap<String, u64>>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn kernels() -> Vec<Kernel> {
    let text = std::fs::read_to_string(root().join("xtask/kernels/kernels.json"));
    serde_json::from_str(&text.expect("the list of programs")).expect("a list of programs")
}

fn command<S: AsRef<OsStr>>(arguments: &[S]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rise-ls"));
    command.args(arguments).current_dir(root());
    command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    command.env("OMP_WAIT_POLICY", "passive");
    command
}

fn rise_ls(arguments: &[&str]) -> Output {
    command(arguments).output().expect("rise-ls starts")
}

fn arguments(kernel: &Kernel, sizes: &BTreeMap<String, u64>) -> Vec<String> {
    let words = [
        "run",
        &kernel.file,
        "--def",
        &kernel.name,
        "--backend",
        &kernel.backend,
        "--verify",
    ];
    let sizes = sizes.iter().map(|(n, v)| format!("-D{n}={v}"));
    words.map(str::to_owned).into_iter().chain(sizes).collect()
}

fn run(kernel: &Kernel, sizes: &BTreeMap<String, u64>) -> Output {
    command(&arguments(kernel, sizes))
        .output()
        .expect("rise-ls starts")
}

/// Calls `check` with every program, on all cores, and fails with all messages.
fn each(check: impl Fn(&Kernel) -> Vec<String> + Sync) {
    let kernels = kernels();
    let found: Vec<String> = kernels.par_iter().flat_map_iter(&check).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!(
        "{}\n{}{}",
        output.status,
        text(&output.stdout),
        text(&output.stderr)
    )
}

#[test]
fn compiled_programs_compute_what_the_interpreter_says() {
    each(|kernel| {
        let wrong = |sizes: &BTreeMap<String, u64>| {
            let output = run(kernel, sizes);
            let fine = output.status.code() == Some(0);
            (!fine).then(|| format!("{} at {sizes:?}: {}", kernel.name, said(&output)))
        };
        kernel.verify.iter().filter_map(wrong).collect()
    });
}

#[test]
fn sizes_that_break_a_condition_are_refused() {
    each(|kernel| {
        let wrong = |sizes: &BTreeMap<String, u64>| {
            let output = run(kernel, sizes);
            let refused = output.status.code() == Some(2) && output.stdout.is_empty();
            (!refused).then(|| format!("{} at {sizes:?}: {}", kernel.name, said(&output)))
        };
        kernel.refuse.iter().filter_map(wrong).collect()
    });
}

/// Tests a few hundred programs; `cargo xtask fuzz` tests ten thousand.
#[test]
fn random_programs_compute_what_the_interpreter_says() {
    const COUNT: u64 = 200;
    let found: Vec<String> = (0..COUNT)
        .into_par_iter()
        .filter_map(random_program)
        .collect();
    assert!(
        found.is_empty(),
        "{} wrong:\n{}",
        found.len(),
        found.join("\n")
    );
}

fn random_program(seed: u64) -> Option<String> {
    let (backend, word) = match seed % 2 {
        0 => (Backend::C, "c"),
        _ => (Backend::OpenMp, "openmp"),
    };
    let made = program(seed, backend);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("random.rise");
    std::fs::write(&file, &made.text).expect("a file");
    let file = file.to_str().expect("a path of text");
    let size = format!("-Dn={}", 1 + seed % 5);
    let mut arguments = vec!["run", file, "--backend", word, "--verify", "--tolerance"];
    // The order of additions in a parallel reduction is not determined; without one every bit is
    // the same, whatever the numbers are.
    let has_order = !made.text.contains("reducePar");
    arguments.push(if has_order { "0" } else { "1e-3" });
    for argument in ["x0=extreme", "x1=extreme", "x2=extreme"] {
        if has_order
            && !seed.is_multiple_of(4)
            && made.text.contains(&argument.replace("=extreme", ": "))
        {
            arguments.extend(["--arg", argument]);
        }
    }
    arguments.extend(made.sized.then_some(size.as_str()));
    let output = rise_ls(&arguments);
    let fine = output.status.code() == Some(0) || names_a_reason(&output);
    (!fine).then(|| format!("seed {seed}: {}\n{}", said(&output), made.text))
}

/// Removes the choices of implementation from a sequential program.
fn without_choices(text: &str) -> String {
    const CHOICES: &[(&str, &str)] = &[
        ("mapSeqUnroll", "map"),
        ("mapSeq", "map"),
        ("reduceSeqUnroll", "reduce"),
        ("reduceSeq", "reduce"),
        (" |> toMem", ""),
    ];
    CHOICES
        .iter()
        .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// Runs a random program without choices of implementation by the default schedule of a target.
/// Returns `None` if it has a type error, which some combinations have without their choices.
fn scheduled_program(seed: u64) -> Option<Result<(), String>> {
    let made = program(seed, Backend::C);
    let text = without_choices(&made.text);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("random.rise");
    std::fs::write(&file, &text).expect("a file");
    let file = file.to_str().expect("a path of text");
    if rise_ls(&["--check", file]).status.code() != Some(0) {
        return None;
    }
    let target = ["c", "openmp"][usize::from(seed % 2 == 1)];
    let mut arguments = vec![
        "run",
        file,
        "--backend",
        target,
        "--verify",
        "--tolerance",
        "0",
    ];
    let size = format!("-Dn={}", 1 + seed % 5);
    arguments.extend(made.sized.then_some(size.as_str()));
    let output = rise_ls(&arguments);
    let fine = output.status.code() == Some(0) || names_a_reason(&output);
    Some(match fine {
        true => Ok(()),
        false => Err(format!(
            "seed {seed} for {target}: {}\n{text}",
            said(&output)
        )),
    })
}

#[test]
fn random_programs_without_choices_compute_what_the_interpreter_says() {
    const COUNT: u64 = 150;
    let ran: Vec<Result<(), String>> = (0..COUNT)
        .into_par_iter()
        .filter_map(scheduled_program)
        .collect();
    assert!(ran.len() as u64 > COUNT / 2, "{} are well-typed", ran.len());
    let wrong: Vec<String> = ran.into_iter().filter_map(Result::err).collect();
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Writes a program with these parameters after its size `n`; returns its path and text.
fn program_in(folder: &TempDir, number: usize, params: &str, body: &str) -> (String, String) {
    let file = folder.path().join(format!("program{number}.rise"));
    let text = format!("def main = depFun(n: Nat => fun({params} => {body}))\n");
    std::fs::write(&file, &text).expect("a file");
    let file = file.to_str().expect("a path of text");
    (file.to_owned(), text)
}

/// GCC fuses a multiply-add and the negation of its result to one instruction, in which a zero gets
/// the other sign.
#[test]
fn negated_zeros_of_fma_keep_their_sign() {
    const PROGRAMS: &[(&str, &str)] = &[
        ("xs: n.f32", "xs |> mapSeq(fun(x => -fma(x)(x)(-x)))"),
        (
            "xs: n.f64",
            "xs |> mapSeq(fun(x => let y = fma(x)(x)(-x) in -y))",
        ),
        ("xs: n.f32", "xs |> mapSeq(fun(x => fma(x)(x)(-x) * -1.0f))"),
        ("xs: n.f32", "xs |> mapSeq(fun(x => -1.0f * fma(x)(x)(-x)))"),
        (
            "xs: n.f64",
            "xs |> mapSeq(fun(x => fma(x)(x)(-x) / -1.0f64))",
        ),
        ("xs: n.f32", "xs |> mapSeq(fun(x => -0.0f - fma(x)(x)(-x)))"),
        (
            "xs: n.Vec[8, f32]",
            "xs |> mapSeq(fun(x => fma(x)(x)(-x) * vectorFromScalar(-1.0f)))",
        ),
        (
            "xs: n.Vec[8, f32]",
            "xs |> mapSeq(fun(x => -fma(x)(x)(-x)))",
        ),
        (
            "xs: n.Vec[3, f32]",
            "xs |> mapSeq(fun(x => -fma(x)(x)(-x)))",
        ),
        (
            "xs: n.Vec[4, f64]",
            "xs |> mapSeq(fun(x => -fma(x)(x)(-x)))",
        ),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    for (number, (params, body)) in PROGRAMS.iter().enumerate() {
        let (file, text) = program_in(&folder, number, params, body);
        for backend in ["c", "openmp"] {
            let output = rise_ls(&["run", &file, "--backend", backend, "-Dn=3", "--arg", "xs=1"]);
            let out = String::from_utf8_lossy(&output.stdout);
            let zeros = out.matches("0.0").count();
            assert!(
                zeros > 0 && out.matches("-0.0").count() == zeros,
                "{text}{}",
                said(&output)
            );
        }
    }
}

/// Tests scalar functions on numbers and vectors, with NaN, infinities, zeros of both signs and the
/// limits of integers.
#[test]
fn scalar_functions_compute_what_the_interpreter_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut number = 0;
    let mut check = |params: &str, body: &str| {
        number += 1;
        let (file, text) = program_in(&folder, number, params, body);
        let output = rise_ls(&[
            "run",
            &file,
            "--backend",
            "c",
            "-Dn=50",
            "--verify",
            "--tolerance",
            "0",
            "--arg",
            "xs=extreme",
            "--arg",
            "ys=extreme",
        ]);
        assert_eq!(output.status.code(), Some(0), "{text}{}", said(&output));
    };
    for ty in ["f32", "f64", "i8", "u16", "i64"] {
        let functions = match ty {
            "f32" | "f64" => "sqrt(p._1) + floor(p._1) * ceil(p._2) - round(p._1)",
            _ => "p._1",
        };
        let body = format!("let m = max(min(p._1)(p._2))(abs(p._1)) in min(m)({functions})");
        let params = format!("xs: n.{ty}, ys: n.{ty}");
        check(&params, &format!("zip(xs)(ys) |> mapSeq(fun(p => {body}))"));
        check(
            &params,
            "zip(xs)(ys) |> reduceSeq(fun(m, p => max(m)(min(p._1)(p._2))))(1)",
        );
        for lanes in [3, 8, 32] {
            let params = format!("xs: n.Vec[{lanes}, {ty}], ys: n.Vec[{lanes}, {ty}]");
            check(&params, &format!("zip(xs)(ys) |> mapSeq(fun(p => {body}))"));
        }
    }
}

/// Tests views between the loop that writes and a `scatter` with repeated indices.
#[test]
fn the_last_element_of_an_index_that_repeats_stays() {
    const PROGRAMS: &[(&str, &str)] = &[
        ("ix: n.Idx[2], xs: n.i32", "xs |> mapSeq(id) |> scatter(ix)"),
        (
            "ix: n.Idx[2], xs: n.4.i32",
            "xs |> transpose |> mapSeq(mapSeq(id)) |> transpose |> scatter(ix)",
        ),
        (
            "ix: 4.Idx[2], xs: n.4.i32",
            "xs |> mapSeq(mapSeq(id)) |> map(scatter(ix))",
        ),
        (
            "ix: (n * 4).Idx[3], xs: n.4.f32",
            "xs |> mapSeq(fun(row => row |> asVector(4) |> mapSeq(mapVec(fun(x => x + 1.0f))) |> asScalar)) |> join |> scatter(ix)",
        ),
        (
            "ix: (n * 4).Idx[3], xs: n.4.i32",
            "xs |> mapSeq(mapSeq(id)) |> transpose |> join |> toMem |> mapSeq(id) |> scatter(ix)",
        ),
        (
            "ix: (n + n).Idx[3], xs: n.i32",
            "concat(xs |> mapSeq(id))(xs |> mapSeq(fun(x => x + 1i32))) |> scatter(ix)",
        ),
        // These views would change the order of writes.
        (
            "ix: n.Idx[2], xs: n.i32",
            "xs |> mapSeq(fun(x => x * x)) |> reorder(n)(natFun(i => n - 1 - i))(natFun(i => n - 1 - i)) |> scatter(ix)",
        ),
        (
            "ix: n.Idx[n], iy: n.Idx[2], xs: n.4.f32",
            "xs |> mapSeq(mapSeq(fun(x => x + 1.0f))) |> scatter(ix) |> scatter(iy)",
        ),
        (
            "ix: (4 * n).Idx[3], xs: n.4.f32",
            "xs |> mapSeq(mapSeq(fun(x => x + 1.0f))) |> transpose |> join |> scatter(ix)",
        ),
        (
            "ix: (4 * n).Idx[3], xs: n.4.f32",
            "xs |> mapSeq(fun(row => row |> mapSeq(fun(x => x + 1.0f)) |> toMem |> mapSeq(fun(x => (x, x * x))))) |> transpose |> join |> scatter(ix)",
        ),
        (
            "ix: 4.Idx[2], xs: n.4.i32",
            "xs |> mapSeq(mapSeq(id)) |> map(fun(row => row |> reorder(4)(natFun(i => (i + 1) % 4))(natFun(i => (i + 3) % 4)) |> scatter(ix)))",
        ),
        (
            "ix: 4.Idx[4], iy: 4.Idx[2], xs: n.4.i32",
            "xs |> mapSeq(mapSeq(id)) |> map(fun(row => row |> scatter(ix) |> scatter(iy)))",
        ),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let mut wrong = Vec::new();
    for (number, (params, body)) in PROGRAMS.iter().enumerate() {
        let (file, text) = program_in(&folder, number, params, body);
        for backend in ["c", "openmp"] {
            let output = rise_ls(&["run", &file, "--backend", backend, "--verify", "-Dn=24"]);
            let right = String::from_utf8_lossy(&output.stdout).contains("right: ");
            if output.status.code() != Some(0) || !right {
                wrong.push(format!("{backend}: {text}{}", said(&output)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Programs that were compiled wrongly once: the parameters after the size `n`, the body, and the
/// arguments of the run.
#[test]
fn programs_that_were_wrong_are_right() {
    const PROGRAMS: &[(&str, &str, &[&str])] = &[
        // The initial value of a reduction is read again afterwards.
        (
            "xs: n.i32",
            "let q = xs |> reduceSeq(add)(0) in let b = xs |> reduceSeq(add)(q) in (b, q)",
            &["-Dn=3"],
        ),
        (
            "xs: n.i32",
            "xs |> mapSeq(fun(x => let q = x * x + 1 in xs |> scanSeq(add)(q) |> toMem |> mapSeq(fun(y => y + q))))",
            &["-Dn=3"],
        ),
        (
            "xs: n.i32",
            "let q = xs |> reduceSeq(add)(0) in concat(xs |> scanSeq(add)(q))(xs |> scanSeq(add)(q))",
            &["-Dn=3"],
        ),
        (
            "xs: (n + 1).i32",
            "xs |> slide(2)(1) |> mapSeq(fun(w => let q = w |> reduceSeqUnroll(add)(0) in let z = w |> reduceSeqUnroll(fun(a, x => a * x + 1))(q) in let y = w |> reduceSeqUnroll(sub)(z) in (y, (z, q))))",
            &["-Dn=3"],
        ),
        // An index into an empty array implies nothing about sizes.
        (
            "is: n.Idx[n], ys: n.i32",
            "concat(ys |> gather(is) |> mapSeq(id))(makeArray(1)(ys |> padCst(0)(1)(7) |> idx(0)) |> mapSeq(id))",
            &["-Dn=0"],
        ),
        (
            "is: 0.Idx[0], ys: 0.i32, p: n.i32",
            "concat(ys |> gather(is) |> mapSeq(id))(p |> padCst(1)(0)(4) |> mapSeq(id))",
            &["-Dn=2"],
        ),
        // Several iterations of a loop are executed together, each with the element that its own index
        // selects.
        (
            "xs: n.f32, is: n.Idx[7], cs: 9.f32, t: 7.f32",
            "zip(xs)(is) |> mapSeq(fun(p => (cs |> reduceSeq(fun(s, c => s * p._1 + c))(0.0f)) + (t |> idx(p._2))))",
            &["-Dn=200"],
        ),
        (
            "xs: n.f32, is: n.Idx[7], cs: 20.f32, t: 7.f32",
            "zip(xs)(is) |> mapSeq(fun(p => let u = t |> idx(p._2) in cs |> reduceSeq(fun(s, c => s * p._1 + c * u))(u)))",
            &["-Dn=200"],
        ),
        // Values that do not exist are not used.
        (
            "xs: n.f32, ks: n.i32",
            "ks |> mapSeq(fun(k => let v = xs |> idx(natAsIndex(n)(cast(k))) in select(k < 3)(v * v)(1.0f)))",
            &["--arg", "xs=[1,2,3]", "--arg", "ks=[0,1000000000,2]"],
        ),
        (
            "xs: n.i32, b: i32",
            "let q = xs |> idx(natAsIndex(n)(cast(b))) in xs |> mapSeq(fun(x => select(b >= cast(n))(x)(q + q)))",
            &["-Dn=5", "--arg", "b=70000000"],
        ),
        (
            "xs: n.f32, k: i32",
            "let v = xs |> idx(natAsIndex(n)(cast(k))) in (k < 3) && (v > 0.0f || v < -0.5f)",
            &["-Dn=3", "--arg", "k=70000000"],
        ),
        (
            "x: n.i32, y: i32",
            "x |> mapSeq(fun(a => let q = (a / y, a % y) in select(y == 0)(a)(q._1 + q._2 * q._1)))",
            &["-Dn=3", "--arg", "y=0"],
        ),
        (
            "x: n.i32, y: i32",
            "x |> mapSeq(fun(a => let p = a / y in let q = p * p / y in select(y == 0 || a > 5)(a)(q * q + p)))",
            &["-Dn=3", "--arg", "y=0"],
        ),
        (
            "xs: n.i32, y: i32",
            "let s = xs |> reduceSeq(fun(a, x => a + x / y))(0) in select(y == 0)(0)(s * s)",
            &["-Dn=3", "--arg", "y=0"],
        ),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let mut wrong = Vec::new();
    for (number, (params, body, arguments)) in PROGRAMS.iter().enumerate() {
        let (file, text) = program_in(&folder, number, params, body);
        for backend in ["c", "openmp"] {
            let mut all = vec!["run", &file, "--backend", backend, "--verify"];
            all.extend(*arguments);
            let output = rise_ls(&all);
            let right = String::from_utf8_lossy(&output.stdout).contains("right: ");
            if output.status.code() != Some(0) || !right {
                wrong.push(format!("{backend}: {text}{}", said(&output)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A function with conditions is an argument for a parameter whose type states them.
#[test]
fn functions_with_conditions_are_arguments() {
    let text = "
def inner : (w: Nat) -> (w + 1).f32 -> w.f32 =
  depFun(w: Nat => fun(xs => xs |> slide(2)(1) |> mapSeq(reduceSeq(add)(0.0f))))
def outer : ((w: Nat) -> (w + 1).f32 -> w.f32 where w >= 1) -> (w: Nat) -> (w + 1).f32 -> w.f32 =
  fun(f => depFun(w: Nat => fun(xs => f(w)(xs))))
def main = outer(inner)
";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.rise");
    std::fs::write(&file, text).expect("a file");
    let file = file.to_str().expect("a path of text");
    for backend in ["c", "openmp"] {
        let run = |size: &str| {
            let arguments = [
                "run",
                file,
                "--def",
                "main",
                "--backend",
                backend,
                "--verify",
            ];
            rise_ls(&[&arguments[..], &[size]].concat())
        };
        let output = run("-Dw=24");
        let right = String::from_utf8_lossy(&output.stdout).contains("right: ");
        assert!(
            output.status.success() && right,
            "{backend}: {}",
            said(&output)
        );
        let output = run("-Dw=0");
        assert!(
            said(&output).contains("w >= 1"),
            "{backend}: {}",
            said(&output)
        );
    }
}

/// Returns true if a program is refused because memory or a choice of implementation is missing,
/// with advice: some random programs lack a part intentionally.
fn names_a_reason(output: &Output) -> bool {
    let said = String::from_utf8_lossy(&output.stderr);
    let first = said.lines().next().unwrap_or_default();
    output.status.code() == Some(1)
        && first.starts_with("error[missing-")
        && said.contains("= help:")
}

/// Runs some programs under the sanitizers of GCC; `cargo xtask sanitize` runs all of them, also
/// under Clang's.
#[test]
#[cfg_attr(not(tool = "gcc"), ignore = "needs gcc")]
fn addresses_and_arithmetic_are_in_order() {
    const SOME: &[&str] = &[
        "dotVectors",
        "mmTiled",
        "convolutionRotated",
        "treeSum",
        "lowerTriangularProduct",
        "ellProduct",
        "harrisBuffered",
        "dotParChunks",
    ];
    const FLAGS: &str = "-O1 -fsanitize=address,undefined -fno-sanitize-recover=all";
    each(|kernel| {
        let mut wrong = Vec::new();
        let sizes = if SOME.contains(&&*kernel.name) {
            &kernel.verify[..]
        } else {
            &[]
        };
        for sizes in sizes {
            let output = command(&arguments(kernel, sizes))
                .env("CC", "gcc")
                .env("CFLAGS", FLAGS)
                .output()
                .expect("rise-ls starts");
            if output.status.code() != Some(0) {
                wrong.push(format!("{} at {sizes:?}: {}", kernel.name, said(&output)));
            }
        }
        wrong
    });
}

/// GCC vectorises loops with scalar functions, choices and conversions, with the options of `run`.
#[test]
#[cfg_attr(
    any(not(tool = "gcc"), not(target_arch = "x86_64")),
    ignore = "needs gcc for x86-64"
)]
fn loops_with_scalar_functions_are_vectorised() {
    const PROGRAMS: &[(&str, &str)] = &[
        ("xs: n.f32", "xs |> mapSeq(sqrt)"),
        ("xs: n.f32", "xs |> mapSeq(fun(x => round(abs(x))))"),
        (
            "xs: n.f32",
            "xs |> mapSeq(fun(x => min(max(x)(0.0f))(1.0f)))",
        ),
        ("xs: n.i32", "xs |> mapSeq(fun(x => min(abs(x))(9)))"),
        ("xs: n.i32", "xs |> reduceSeq(max)(0)"),
        ("xs: n.f32", "xs |> mapSeq(fun(x => (cast(x) : i32)))"),
        ("xs: n.i32", "xs |> mapSeq(fun(x => (cast(x) : f32)))"),
        ("xs: n.f32", "xs |> mapSeq(fun(x => x > 0.0f))"),
    ];
    // Their branches contain operations, for which GCC needs the masks of AVX-512.
    const MASKED: &[(&str, &str)] = &[
        ("xs: n.f64", "xs |> mapSeq(fun(x => floor(x) + ceil(x)))"),
        (
            "xs: n.f32",
            "xs |> mapSeq(fun(x => select(x > 0.0f && x < 2.0f)(1.0f / x)(x)))",
        ),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let has_masks = std::arch::is_x86_feature_detected!("avx512f");
    let masked = if has_masks { MASKED } else { &[] };
    for (number, (params, body)) in PROGRAMS.iter().chain(masked).enumerate() {
        let (file, text) = program_in(&folder, number, params, body);
        let report = folder.path().join(format!("report{number}.txt"));
        let output = command(&["run", &file, "--backend", "c", "-Dn=100"])
            .env("CC", "gcc")
            .env(
                "CFLAGS",
                format!("-fopt-info-vec-optimized={}", report.display()),
            )
            .output()
            .expect("rise-ls starts");
        assert_eq!(output.status.code(), Some(0), "{text}{}", said(&output));
        let report = std::fs::read_to_string(&report).unwrap_or_default();
        assert!(report.contains("loop vectorized"), "{text}{report}");
    }
}

#[test]
fn statements_are_found_in_the_source() {
    each(|kernel| {
        let folder = tempfile::tempdir().expect("a folder");
        let map = folder.path().join("map.json");
        let map = map.to_str().expect("a path of text");
        let arguments = ["emit", &kernel.file, "--def", &kernel.name, "--as"];
        let output = rise_ls(&[&arguments[..], &[&kernel.backend, "--map", map]].concat());
        if output.status.code() != Some(0) {
            return vec![format!("{}: {}", kernel.name, said(&output))];
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let map = std::fs::read(map).expect("a map");
        let map: Value = serde_json::from_slice(&map).expect("a map");
        let lines = statement_lines(&text, &kernel.name);
        let found = |line: &&usize| {
            map["map"].as_array().is_some_and(|parts| {
                parts.iter().any(|part| {
                    let at = |end: &str| part["target"][end]["line"].as_u64().unwrap_or(u64::MAX);
                    let (line, start, end) = (**line as u64, at("start"), at("end"));
                    // The statement begins here, or is one of a few adjacent lines: an exchange of
                    // buffers, or a loop under its pragma.
                    start == line
                        || (start < line && line <= end && end - start < 4)
                        || (start < line && line <= end)
                            && is_pragma(&text, start)
                            && is_pragma(&text, line - 1)
                })
            })
        };
        let known = lines.iter().filter(found).count();
        if known * 100 < lines.len() * 95 {
            let all = lines.len();
            return vec![format!("{}: {known} of {all} statements", kernel.name)];
        }
        Vec::new()
    });
}

fn is_pragma(text: &str, line: u64) -> bool {
    let line = usize::try_from(line)
        .ok()
        .and_then(|line| text.lines().nth(line));
    line.is_some_and(|line| line.trim_start().starts_with("#pragma"))
}

/// Returns the lines of a function on which a statement begins.
fn statement_lines(text: &str, name: &str) -> Vec<usize> {
    let head = format!("void {name}(");
    let from = text
        .lines()
        .position(|line| line.starts_with(&head))
        .unwrap_or(0);
    let inside = text.lines().enumerate().skip(from + 1);
    inside
        .take_while(|(_, line)| *line != "}")
        .filter(|(_, line)| {
            let line = line.trim();
            line.ends_with(';') || line.starts_with("for ") || line.starts_with("if ")
        })
        .map(|(number, _)| number)
        .collect()
}
