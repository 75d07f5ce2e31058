//! Tests of `run`.

use std::process::Command;

use crate::support::{Folder, Ran, parse_lines};
use expect_test::expect;

const FILE: &str = r#"
/// `a * x` for each `x`.
@run(n = 3)
def scale : (n: Nat) -> n.f32 -> f32 -> n.f32 = depFun(n: Nat => fun(xs, a =>
  xs |> mapSeq(fun(x => a * x))))

def rows = depFun((n: Nat, m: Nat) => fun(xs: n.m.i32 => xs |> mapSeq(id) |> toMem |> map(reduce(add)(0))))

def tiles = depFun(n: Nat => fun(xs: n.f32 => xs |> split(4) |> map(reduce(add)(0.0f))))

def halves = depFun(n: Nat => fun(xs: n.i32 => xs |> map(fun(x => 100 / x))))

def sumPar = depFun(n: Nat => fun(xs: n.f32 => xs |> reducePar(add)(0.0f)))

foreign def clamp01(x: f32): f32 = """{
  return x < 0.0f ? 0.0f : x > 1.0f ? 1.0f : x;
}"""
def clamped = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(clamp01)))

foreign def wrong(x: f32): f32 = """{
  float y = x;
  return y + nonsense;
}"""
def usesWrong = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(wrong)))
"#;

fn folder() -> Folder {
    Folder::with(&[("a.rise", FILE)])
}

/// Runs a definition of [`FILE`]; compiled programs are kept in the folder.
fn run(folder: &Folder, def: &str, more: &[&str]) -> Ran {
    folder.run(&[&["run", "a.rise", "--def", def], more].concat())
}

#[test]
fn a_definition_runs_in_the_interpreter() {
    let ran = run(
        &folder(),
        "scale",
        &["--backend", "interp", "--arg", "xs=iota", "--arg", "a=0.5"],
    );
    assert_eq!(
        (ran.status, ran.out.as_str()),
        (0, "[0.0, 0.5, 1.0]\n"),
        "{}",
        ran.err
    );
    assert_eq!(ran.err, "note: `scale` ran in the interpreter with n = 3\n");
}

#[test]
fn sizes_follow_from_arguments() {
    let ran = run(
        &folder(),
        "rows",
        &[
            "--backend",
            "interp",
            "--arg",
            "xs=[[1, 2], [3, 4], [5, 6]]",
        ],
    );
    assert_eq!(
        (ran.status, ran.out.as_str()),
        (0, "[3, 7, 11]\n"),
        "{}",
        ran.err
    );
    assert_eq!(
        ran.err,
        "note: `rows` ran in the interpreter with n = 3, m = 2\n"
    );
}

#[test]
fn compiled_code_gives_the_same() {
    let folder = folder();
    for (def, backend) in [
        ("scale", "c"),
        ("scale", "openmp"),
        ("sumPar", "openmp"),
        ("clamped", "c"),
    ] {
        let ran = run(
            &folder,
            def,
            &[
                "--backend",
                backend,
                "-D",
                "n=100",
                "--seed",
                "7",
                "--verify",
            ],
        );
        let last = ran.out.lines().last().unwrap_or_default();
        let right = last.starts_with("right: ") && last.ends_with("as in the interpreter");
        assert!(ran.status == 0 && right, "{def} {backend}: {ran:?}");
    }
}

#[test]
fn a_program_that_is_written_for_a_target_is_compiled_for_it() {
    let ran = run(&folder(), "sumPar", &["--arg", "xs=[1, 2, 3]"]);
    assert_eq!((ran.status, ran.out.as_str()), (0, "6.0\n"), "{}", ran.err);
    assert_eq!(ran.err, "note: `sumPar` ran in OpenMP with n = 3\n");
}

/// A program without a target that leaves choices open is interpreted, which the first line of the
/// result states.
#[test]
fn a_fallback_to_the_interpreter_is_the_first_line_of_the_result() {
    let folder = folder();
    let ran = run(&folder, "rows", &["--arg", "xs=[[1, 2]]"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let mut lines = ran.out.lines();
    let first = lines.next().unwrap_or_default();
    assert!(
        first.starts_with("interpreted, not compiled: line "),
        "{first}"
    );
    assert_eq!(lines.collect::<Vec<_>>(), ["[3]"]);
    let ran = run(
        &folder,
        "rows",
        &["--arg", "xs=[[1, 2]]", "--format", "json"],
    );
    let fallback = &parse_lines(&ran.out)[0]["fallback"];
    assert!(fallback.is_string(), "{}", ran.out);
    // `--verify` compares with the interpreter, which runs the program itself.
    let ran = run(&folder, "rows", &["--arg", "xs=[[1, 2]]", "--verify"]);
    assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{}", ran.err);
    assert!(ran.err.contains("no result to compare"), "{}", ran.err);
}

#[test]
fn the_interpreter_is_not_compared_with_itself() {
    let ran = run(&folder(), "scale", &["--backend", "interp", "--verify"]);
    assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{}", ran.err);
    expect![[r#"
        error: there is no result to compare with that of the interpreter: the interpreter itself runs `scale`; choose another backend: `c`, `openmp` or `opencl`
    "#]]
    .assert_eq(&ran.err);
}

/// A program with `@target` or `@strategy` is never interpreted as a fallback.
#[test]
fn a_program_that_cannot_be_compiled_for_its_target_is_an_error() {
    let text = "
@target(c)
def marked = depFun(n: Nat => fun(xs: n.i32 => xs |> mapSeq(id) |> toMem |> map(fun(x => x + 1))))

@strategy(DFNF)
def planned = depFun(n: Nat => fun(xs: n.i32 => xs |> map(fun(x => x + 1)) |> reduceSeq(add)(0)
  |> fun(sum => xs |> map(fun(x => x * sum)))))
";
    let folder = Folder::with(&[("a.rise", text)]);
    for def in ["marked", "planned"] {
        for more in [&["--verify"][..], &["--bench", "2"], &[]] {
            let run = ["run", "a.rise", "--def", def, "-Dn=4"];
            let ran = folder.run(&[&run, more].concat());
            assert_eq!(
                (ran.status, ran.out.as_str()),
                (1, ""),
                "{def}: {}",
                ran.err
            );
            assert!(ran.err.starts_with("error["), "{def}: {}", ran.err);
        }
    }
}

/// A product and a sum are two operations with two roundings in every backend.
#[test]
fn products_and_sums_are_not_contracted() {
    let text = "
def differences = depFun(n: Nat => fun(xs: n.f32, ys: n.f32 =>
  zip(xs)(ys) |> mapSeq(fun(p => p._1 * p._1 - p._2 * p._2))))
def fused = depFun(n: Nat => fun(xs: n.f32, ys: n.f32 =>
  zip(xs)(ys) |> mapSeq(fun(p => fma(p._1)(p._1)(-(p._2 * p._2))))))
def vectors = depFun(n: Nat => fun(xs: (8*n).f32, ys: (8*n).f32 =>
  zip(xs |> asVector(8))(ys |> asVector(8)) |> mapSeq(fun(p => fma(p._1)(p._2)(p._2))) |> asScalar))
def wide = depFun(n: Nat => fun(xs: (32*n).f64, ys: (32*n).f64 =>
  zip(xs |> asVector(32))(ys |> asVector(32)) |> mapSeq(fun(p => fma(p._1)(p._2)(p._2))) |> asScalar))
";
    let folder = Folder::with(&[("a.rise", text)]);
    for backend in ["c", "openmp"] {
        for def in ["differences", "fused", "vectors", "wide"] {
            let ran = folder.run(&[
                "run",
                "a.rise",
                "--def",
                def,
                "--backend",
                backend,
                "-Dn=1000",
                "--verify",
                "--tolerance",
                "0",
                "--arg",
                "xs=random(0,1)",
                "--arg",
                "ys=random(0,1)",
            ]);
            assert_eq!(ran.status, 0, "{def}: {}{}", ran.out, ran.err);
        }
    }
}

/// The functions of C's `<math.h>` that are rounded correctly agree bit for bit, also for NaN, infinities
/// and zeros; the other ones agree up to their last digits.
#[test]
fn functions_of_c() {
    let rounded = [
        "trunc(x)",
        "fmod(x)(y)",
        "copysign(x)(y)",
        "fmin(x)(y)",
        "fmax(x)(y)",
    ];
    let others = [
        "sin(x)",
        "cos(x)",
        "tan(x)",
        "asin(x)",
        "acos(x)",
        "atan(x)",
        "sinh(x)",
        "cosh(x)",
        "tanh(x)",
        "asinh(x)",
        "acosh(x + 1)",
        "atanh(x)",
        "exp2(x)",
        "expm1(x)",
        "log2(abs(x))",
        "log10(abs(x))",
        "log1p(x)",
        "cbrt(x)",
        "erf(x)",
        "pow(abs(x))(y)",
        "atan2(x)(y)",
        "hypot(x)(y)",
    ];
    let def = |(at, call): (usize, &str)| {
        format!(
            "def call{at}(xs: n.f32, ys: n.f32): n.f32 = zip(xs)(ys) |> map(fun((x, y) => {call} + 0 * y))\n"
        )
    };
    let calls: Vec<&str> = rounded.into_iter().chain(others).collect();
    let text: String = calls.iter().copied().enumerate().map(def).collect();
    let folder = Folder::with(&[("a.rise", &text)]);
    for (at, call) in calls.iter().enumerate() {
        let name = format!("call{at}");
        let (values, tolerance) = match rounded.contains(call) {
            true => ("extreme", "0"),
            false => ("random(-1,1)", "1e-5"),
        };
        let args = ["xs", "ys"].map(|name| format!("{name}={values}"));
        let mut words = vec!["run", "a.rise", "--def", &name, "--backend", "c", "-Dn=200"];
        words.extend(["--verify", "--tolerance", tolerance]);
        words.extend(args.iter().flat_map(|arg| ["--arg", arg.as_str()]));
        let ran = folder.run(&words);
        assert_eq!(ran.status, 0, "{call}: {}{}", ran.out, ran.err);
    }
}

#[test]
fn elements_that_are_not_finite_are_counted() {
    let text = "
foreign def logf(x: f32): f32
def logs = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(logf)))
";
    let folder = Folder::with(&[("a.rise", text)]);
    let run = ["run", "a.rise", "--backend", "c", "--verify", "--arg"];
    let ran = folder.run(&[&run[..], &["xs=[-1, 0, 1, NaN]"]].concat());
    assert_eq!(ran.status, 0, "{}", ran.err);
    let verdict = ran.out.lines().last().unwrap_or_default();
    let expected = "right: 4 elements as in the interpreter; 2 are NaN; 1 is infinite";
    assert_eq!(verdict, expected);
    assert!(
        ran.err
            .contains("warning: of 4 elements 2 are NaN and 1 is infinite in"),
        "{}",
        ran.err
    );
    // For explicit arguments there is no hint about `random`.
    assert!(!ran.err.contains("random("), "{}", ran.err);
    let ran = folder.run(&[&run[..], &["xs=[0]"]].concat());
    assert!(
        ran.err.contains("warning: of 1 element 1 is infinite in"),
        "{}",
        ran.err
    );
    let ran = folder.run(&[&run[..], &["xs=random(-2,-1)", "-Dn=3"]].concat());
    assert!(
        ran.err.contains("3 are NaN in") && ran.err.contains("random("),
        "{}",
        ran.err
    );
    let ran = folder.run(&[&run[..], &["xs=random(0.5,2)", "-Dn=1000"]].concat());
    assert!(
        !ran.out.contains("NaN") && !ran.err.contains("warning"),
        "{ran:?}"
    );
}

/// GCC 12 vectorises alternating sums and differences by instructions that do not round products.
/// The arguments have many digits: a product that is exact hides a missing rounding.
#[test]
fn sums_beside_differences_round_their_products() {
    let text = "
@exact
def cancelled = depFun(n: Nat => fun(a: n.(f32, f32) =>
  a |> map(fun(p => (p._1 * p._2 - p._2 * p._1, p._1 * p._1 + p._2 * p._2)))))
@exact
def complex = depFun(n: Nat => fun(a: n.(f64, f64) => fun(b: n.(f64, f64) =>
  zip(a)(b) |> map(fun(p =>
    (p._1._1 * p._2._1 - p._1._2 * p._2._2, p._1._1 * p._2._2 + p._1._2 * p._2._1))))))
@exact
def negated = depFun(n: Nat => fun(a: n.(f32, f32) =>
  a |> map(fun(p => (p._1 * p._1 + (0.0 - p._2), p._1 * p._1 + p._2)))))
@exact
def kept = depFun(n: Nat => fun(a: n.(f32, f32) =>
  a |> map(fun(p => let x = p._1 * p._2 in (x - p._2, x + p._1)))))
@exact
def doubled = depFun(n: Nat => fun(a: n.(f32, f32), c: f32 =>
  a |> map(fun(p => (p._1 + p._1 - c, p._2 + p._2 + c)))))
@exact
def quotient = depFun(n: Nat => fun(a: n.(f32, f32), c: f32 =>
  a |> map(fun(p => (p._1 / 0.25f - c, p._2 / 0.25f + c)))))
foreign def pow(x: f32, y: f32): f32
@exact
def power = depFun(n: Nat => fun(a: n.(f32, f32), c: f32 =>
  a |> map(fun(p => (pow(p._1)(2.0f) - c, pow(p._2)(2.0f) + c)))))
";
    let folder = Folder::with(&[("a.rise", text)]);
    for backend in ["c", "openmp"] {
        for def in ["cancelled", "complex", "negated", "kept"] {
            let mut args = vec![
                "run",
                "a.rise",
                "--def",
                def,
                "--backend",
                backend,
                "-Dn=101",
            ];
            args.extend(["--verify", "--tolerance", "0", "--arg", "a=random(0,1000)"]);
            if def == "complex" {
                args.extend(["--arg", "b=random(-1,1)"]);
            }
            let ran = folder.run(&args);
            assert_eq!(ran.status, 0, "{def}: {}{}", ran.out, ran.err);
        }
    }
    // The C library and GCC round powers differently, so that the results are not compared.
    let emitted = folder.run(&["emit", "a.rise", "--def", "power", "--as", "c"]);
    assert!(emitted.out.contains("ROUNDED(powf("), "{}", emitted.out);
}

#[test]
fn a_tolerance_says_what_it_is_for() {
    let folder = Folder::with(&[(
        "a.rise",
        "def next = depFun(n: Nat => fun(xs: n.i32 => xs |> mapSeq(fun(x => x + 1))))",
    )]);
    let ran = folder.run(&["run", "a.rise", "-Dn=3", "--verify", "--tolerance", "0.1"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let last = ran.out.lines().last().unwrap_or_default();
    assert!(
        last.ends_with("the tolerance is for floating point numbers, and there are none"),
        "{last}"
    );
}

#[test]
fn arguments_are_made_up() {
    let text = "
def ints = depFun(n: Nat => fun(xs: n.i32 => xs |> mapSeq(id)))
def floats = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(id)))
def square = depFun(n: Nat => fun(x: natType => x + n * n))

def indices = depFun(n: Nat => fun(xs: n.Idx[n] => xs |> mapSeq(id)))
def rows = depFun((n: Nat, nnz: Nat) => fun(xs: (n+1).i32, values: nnz.f32 => xs |> mapSeq(id)))
";
    let folder = Folder::with(&[("a.rise", text)]);
    let made = |def: &str, source: &str| {
        let argument = format!("xs={source}");
        let run = [
            "run", "a.rise", "--def", def, "--format", "json", "--arg", &argument,
        ];
        let ran = folder.run(
            &[
                &run[..],
                &["-Dn=100", "-Dnnz=40"][..1 + usize::from(def == "rows")],
            ]
            .concat(),
        );
        assert_eq!(ran.status, 0, "{def} {source}: {}", ran.err);
        let value = parse_lines(&ran.out)[0]["value"].clone();
        let list = value.as_array().cloned().unwrap_or_default();
        list.iter().filter_map(|x| x.as_f64()).collect::<Vec<f64>>()
    };
    let within = made("ints", "random(5,30)");
    assert!(within.iter().all(|x| (5.0..=30.0).contains(x)) && within.contains(&5.0));
    let fine = made("floats", "random(0.5,0.75)");
    assert!(fine.iter().all(|x| (0.5..=0.75).contains(x)));
    assert!(fine.iter().any(|x| (x * 256.0).fract() != 0.0));
    assert!(made("floats", "sorted").is_sorted());
    assert!(made("indices", "sorted").is_sorted());
    let mut all = made("indices", "permutation");
    assert!(!all.is_sorted());
    all.sort_by(f64::total_cmp);
    assert_eq!(all, (0..100).map(f64::from).collect::<Vec<_>>());
    for source in ["rowptr(40)", "rowptr(nnz)"] {
        let starts = made("rows", source);
        assert!(starts.is_sorted() && starts.len() == 101, "{starts:?}");
        assert_eq!((starts[0], starts[100]), (0.0, 40.0));
    }
    for (def, source, message) in [
        (
            "ints",
            "random(0.5,2)",
            "the bound `0.5` is not a value of type `i32`",
        ),
        ("ints", "rowptr", "`rowptr` needs the last element"),
        ("ints", "rowptr()", "`rowptr` needs the last element"),
        (
            "ints",
            "rowptr(18446744073709551615)",
            "goes up to 18446744073709551615, which does not fit into `i32`",
        ),
        ("ints", "rowptr(-1)", "a whole number from 0, as in"),
        ("ints", "rowptr(5.5)", "a whole number from 0, as in"),
        ("ints", "random(1", "expected `)` at the end of `random(1`"),
        ("ints", "random(9)", "the bounds are two numbers"),
        ("ints", "random(9,1)", "the first bound is above the second"),
    ] {
        let argument = format!("xs={source}");
        let ran = folder.run(&["run", "a.rise", "--def", def, "-Dn=4", "--arg", &argument]);
        assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{source}");
        assert!(ran.err.contains(message), "{source}: {}", ran.err);
    }
}

#[test]
fn foreign_functions_take_and_return_vectors() {
    let folder = Folder::with(&[(
        "a.rise",
        "foreign def spread(x: f32): Vec[4, f32] = \"\"\"{ f32x4 all = {x, x + 1, x, x}; return all; }\"\"\"
foreign def twice(v: Vec[4, f32]): Vec[4, f32] = \"\"\"{ return v + v; }\"\"\"
def f = fun(xs: 4.f32 => xs |> mapSeq(fun(x => twice(spread(x)))) |> asScalar)
",
    )]);
    for backend in ["c", "openmp"] {
        let ran = folder.run(&["run", "a.rise", "--backend", backend, "--verify"]);
        assert_eq!(ran.status, 0, "{backend}: {}", ran.err);
    }
}

#[test]
fn programs_do_not_see_what_is_for_the_own_processes() {
    let folder = Folder::with(&[(
        "a.rise",
        "foreign def known(x: i32): i32 = \"\"\"{ return getenv(\"RISE_LS_TOKEN\") != 0 ? 1 : x; }\"\"\"
def f = fun(x: i32 => known(x))
",
    )]);
    for backend in ["c", "interp"] {
        let ran = Command::new(env!("CARGO_BIN_EXE_rise-ls"))
            .args(["run", "a.rise", "--backend", backend, "--arg", "x=7"])
            .current_dir(folder.path(""))
            .env("RISE_LS_TOKEN", "secret")
            .output()
            .expect("the binary runs");
        assert_eq!(String::from_utf8_lossy(&ran.stdout), "7\n", "{backend}");
    }
}

#[test]
fn making_arguments_ends_in_time() {
    let text = "def f = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(id)))\n";
    let folder = Folder::with(&[("a.rise", text)]);
    for source in ["random", "random(0,1)", "sorted", "rowptr(9)"] {
        let argument = format!("xs={source}");
        let arguments = [
            "run",
            "a.rise",
            "-D",
            "n=100000000",
            "--timeout",
            "0.01",
            "--arg",
        ];
        let ran = folder.run(&[&arguments[..], &[&argument]].concat());
        assert_eq!(ran.status, 1, "{source}: {}", ran.err);
        assert!(
            ran.err.contains("stopped after 10ms"),
            "{source}: {}",
            ran.err
        );
    }
}

#[test]
fn sizes_stand_in_the_order_of_the_definition() {
    let text = "def f = depFun((m: Nat, n: Nat, a: Nat) => fun(xs: m.n.a.f32 => xs |> mapSeq(mapSeq(mapSeq(id)))))\n";
    let folder = Folder::with(&[("a.rise", text)]);
    let arguments = ["run", "a.rise", "--format", "json", "--backend", "interp"];
    let sizes = ["-D", "a=1", "-D", "m=2", "-D", "n=3"];
    let ran = folder.run(&[&arguments[..], &sizes[..]].concat());
    assert!(
        ran.out.contains(r#""sizes":{"m":2,"n":3,"a":1}"#),
        "{}",
        ran.out
    );
}

#[test]
fn times_are_printed() {
    let ran = run(
        &folder(),
        "scale",
        &["--backend", "c", "-D", "n=10000", "--bench", "3"],
    );
    let line = ran.out.lines().last().unwrap_or_default();
    assert!(line.starts_with("3 runs: min "), "{ran:?}");
    for word in ["median ", "max ", " GFLOP/s", " GB/s"] {
        assert!(line.contains(word), "{line}");
    }
}

#[test]
fn json_is_one_object_with_everything() {
    let ran = run(
        &folder(),
        "scale",
        &[
            "--backend",
            "c",
            "--arg",
            "xs=[1, NaN, 2]",
            "--arg",
            "a=2",
            "--verify",
            "--format",
            "json",
        ],
    );
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{}", ran.out);
    let [line] = &mut parse_lines(&ran.out)[..] else {
        panic!("{}", ran.out)
    };
    // The elapsed time differs between runs.
    let elapsed = line.as_object_mut().and_then(|all| all.remove("elapsed"));
    assert!(elapsed.is_some_and(|elapsed| elapsed.is_f64()), "{line}");
    expect![[r#"{"args":[{"from":"value","name":"xs","type":"3.f32"},{"from":"value","name":"a","type":"f32"}],"backend":"c","bandwidth":null,"def":"scale","device":null,"fallback":null,"flags":["-std=c99","-O3","-ffp-contract=off","-fno-math-errno","-march=native"],"kernels":null,"out":null,"printed":"","sizes":{"n":3},"text":"[2.0, NaN, 4.0]","times":null,"transfers":null,"type":"3.f32","value":[2.0,"NaN",4.0],"verify":{"compared":3,"first":null,"infinite":0,"nan":1,"ok":true,"skipped":0,"worst":null,"wrong":0}}"#]]
        .assert_eq(&line.to_string());
}

/// A file that a program writes can be read again; its sizes follow from the file.
#[test]
fn nested_dependent_arrays_are_written_and_read_back() {
    const PROGRAMS: &str = "\
def nested = depFun(n: Nat => fun(xs: n..dataFun(i => 2..dataFun(j => (i + 1).f32)) =>
  xs |> depMapSeq(depFun(k: Nat => fun(row => row |> depMapSeq(depFun(l: Nat => fun(col =>
    col |> mapSeq(fun(x => x + 1.0f))))))))))
def inside = depFun(n: Nat => fun(xs: n..dataFun(i => 2.(i + 1).f32) =>
  xs |> depMapSeq(depFun(k: Nat => fun(row => row |> mapSeq(mapSeq(fun(x => x + 1.0f))))))))
def rows = depFun(n: Nat => fun(xs: n..dataFun(i => (i + 1).2.f32) =>
  xs |> depMapSeq(depFun(k: Nat => fun(row => row |> mapSeq(mapSeq(fun(x => x + 1.0f))))))))
";
    let folder = Folder::with(&[("a.rise", PROGRAMS)]);
    for def in ["nested", "inside", "rows"] {
        for n in ["n=0", "n=1", "n=3"] {
            let first = [
                "--backend",
                "interp",
                "-D",
                n,
                "--arg",
                "xs=iota",
                "--out",
                "y.npy",
            ];
            let ran = run(&folder, def, &first);
            assert_eq!((ran.status, ran.out.as_str()), (0, ""), "{}", ran.err);
            let ran = run(&folder, def, &["--backend", "interp", "--arg", "xs=y.npy"]);
            assert_eq!(ran.status, 0, "{def} {n}: {}", ran.err);
            assert_eq!(
                ran.err,
                format!(
                    "note: `{def}` ran in the interpreter with {}\n",
                    n.replace('=', " = ")
                )
            );
        }
    }
}

#[test]
fn each_output_is_written_to_its_own_file() {
    const PROGRAMS: &str = "\
def both = depFun(n: Nat => fun(xs: n.f32 => (xs |> mapSeq(fun(x => x + 1.0f)), (xs |> reduceSeq(add)(0.0f), 2i32))))
def same = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(fun(x => x))))
";
    let folder = Folder::with(&[("a.rise", PROGRAMS)]);
    let sizes = ["-D", "n=3", "--arg", "xs=iota"];
    for backend in ["interp", "c"] {
        let out = ["--backend", backend, "--out", "a.npy,b.npy"];
        let ran = run(&folder, "both", &[&sizes[..], &out].concat());
        assert_eq!((ran.status, ran.out.as_str()), (0, ""), "{}", ran.err);
        let read = ["--backend", "interp", "--arg", "xs=a.npy"];
        let ran = run(&folder, "same", &read);
        assert_eq!(ran.out, "[1.0, 2.0, 3.0]\n", "{}", ran.err);
    }
    let ran = run(
        &folder,
        "both",
        &[&sizes[..], &["--backend", "interp", "--out", "a,b,c,d"]].concat(),
    );
    assert_eq!((ran.status, ran.out.as_str()), (2, ""));
    expect![[r#"
        error: `--out` names 4 files, and the result is no tuple of so many outputs
    "#]]
    .assert_eq(&ran.err);
}

#[test]
fn results_are_written_and_read_back() {
    let folder = folder();
    let ran = run(
        &folder,
        "scale",
        &[
            "--backend",
            "interp",
            "-D",
            "n=4",
            "--arg",
            "xs=iota",
            "--arg",
            "a=1",
            "--out",
            "y.npy",
        ],
    );
    assert_eq!((ran.status, ran.out.as_str()), (0, ""), "{}", ran.err);
    let ran = run(
        &folder,
        "scale",
        &["--backend", "interp", "--arg", "xs=y.npy", "--arg", "a=2"],
    );
    assert_eq!(
        (ran.status, ran.out.as_str()),
        (0, "[0.0, 2.0, 4.0, 6.0]\n"),
        "{}",
        ran.err
    );
    let ran = run(
        &folder,
        "rows",
        &["--backend", "interp", "--arg", "xs=y.npy"],
    );
    assert_eq!((ran.status, ran.out.as_str()), (2, ""));
    assert_eq!(
        ran.err,
        "error: the argument `xs`: y.npy: the file has one dimension, and `n.m.i32` has 2 dimensions\n"
    );
    let ran = run(
        &folder,
        "rows",
        &["--backend", "interp", "--arg", "xs=y.npy", "-D", "m=2"],
    );
    assert_eq!(ran.status, 2);
    expect![[r#"
        error: the argument `xs`: y.npy: the elements have type `<f4`; `i32` is `<i4` in a file; in NumPy, `.astype('<i4')` converts them
    "#]]
    .assert_eq(&ran.err);
}

#[test]
fn conditions_are_checked_before_the_start() {
    let ran = run(&folder(), "tiles", &["--backend", "interp", "-D", "n=10"]);
    assert_eq!((ran.status, ran.out.as_str()), (2, ""));
    assert_eq!(ran.err, "error: `4 divides n` does not hold for n = 10\n");
}

#[test]
fn what_fails_is_shown_where_it_stands() {
    let ran = run(
        &folder(),
        "halves",
        &["--backend", "interp", "--arg", "xs=[5, 0]"],
    );
    assert_eq!((ran.status, ran.out.as_str()), (1, ""));
    expect![[r#"
        error: an integer is divided by zero here
          --> a.rise:11:71
           |
        11 | def halves = depFun(n: Nat => fun(xs: n.i32 => xs |> map(fun(x => 100 / x))))
           |                                                                       ^

    "#]]
    .assert_eq(&ran.err);
}

#[test]
fn mistakes_in_c_are_shown_in_the_program() {
    for backend in ["interp", "c"] {
        let ran = run(&folder(), "usesWrong", &["--backend", backend, "-D", "n=1"]);
        assert_eq!((ran.status, ran.out.as_str()), (1, ""), "{}", ran.err);
        assert!(
            ran.err.starts_with("error: the C compiler: "),
            "{}",
            ran.err
        );
        assert!(ran.err.contains("a.rise:22:14"), "{}", ran.err);
    }
}

/// The sizes of a launch do not turn a program for another target into an OpenCL program.
#[test]
fn launch_sizes_are_refused_for_other_targets() {
    let text = "@target(c)
def scaled = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(fun(x => x * 2.0f))))
";
    let folder = Folder::with(&[("a.rise", text)]);
    let all = ["--local", "--global"]
        .map(|size| folder.run(&["run", "a.rise", "--def", "scaled", size, "4"]));
    for ran in &all {
        assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{}", ran.err);
        assert_eq!(ran.err, all[0].err);
    }
    expect![[r#"
        error: a device, a local size and a global size can be given for OpenCL only, and `scaled` is written for `@target(c)`: leave these options out, or name `--backend opencl`
    "#]]
    .assert_eq(&all[0].err);
}

#[test]
fn bad_requests_are_refused() {
    let folder = folder();
    let cases: &[(&[&str], &str)] = &[
        (
            &["--def", "scale", "-D", "k=3"],
            "error: `scale` has no size `k`; it has `n`\n",
        ),
        (
            &["--def", "scale", "--arg", "y=1"],
            "error: `scale` has no parameter `y`; it has `xs`, `a`\n",
        ),
        (
            &["--def", "scale", "--arg", "a=[1]"],
            "error: the argument `a`: `[…]` is not a value of type `f32`\n",
        ),
        (
            &["--def", "scale", "--arg", "xs=[1]", "-D", "n=2"],
            "error: `xs` has 1 element where its type has `n`, which is 2\n",
        ),
        (
            &["--def", "scal"],
            "error: the file has no definition `scal`\nnote: did you mean `scale`?\n",
        ),
        (
            &["--def", "scale", "--backend", "interp", "--local", "8"],
            "error: a device, a local size and a global size can be given for OpenCL only, and `scale` runs in the interpreter\n",
        ),
    ];
    for (more, message) in cases {
        let ran = folder.run(&[&["run", "a.rise"], *more].concat());
        assert_eq!(
            (ran.status, ran.out.as_str(), ran.err.as_str()),
            (2, "", *message),
            "{more:?}"
        );
    }
    for more in [
        &["-D", "n"],
        &["-D", "n=-1"],
        &["--arg", "xs=[1"],
        &["--bench", "0"],
    ] {
        let ran = folder.run(&[&["run", "a.rise", "--def", "scale"], &more[..]].concat());
        assert_eq!(
            (ran.status, ran.out.as_str()),
            (2, ""),
            "{more:?}: {}",
            ran.err
        );
    }
}

#[test]
fn one_definition_needs_no_name() {
    let folder = Folder::with(&[(
        "b.rise",
        "def helper = fun(x: f32 => x + 1.0f)\ndef top = fun(x: f32 => helper(x))\n",
    )]);
    let ran = folder.run(&["run", "b.rise", "--backend", "interp", "--arg", "x=1"]);
    assert_eq!((ran.status, ran.out.as_str()), (0, "2.0\n"), "{}", ran.err);
    let folder = Folder::with(&[("c.rise", "def one = 1.0f\ndef two = 2.0f\n")]);
    let ran = folder.run(&["run", "c.rise"]);
    assert_eq!((ran.status, ran.out.as_str()), (2, ""));
    assert_eq!(
        ran.err,
        "error: the file has several definitions: choose one with `--def NAME`\nnote: it has one, two\n"
    );
}

#[test]
fn mistakes_are_shown_first() {
    let folder = Folder::with(&[("d.rise", "def x = fun(y: f32 => nothing(y))\n")]);
    let ran = folder.run(&["run", "d.rise"]);
    assert_eq!((ran.status, ran.out.as_str()), (1, ""));
    assert!(ran.err.starts_with("error[unknown-name]: "), "{}", ran.err);
}

#[test]
fn an_array_inside_that_is_too_large_for_32_bits_is_refused_or_counted_with_64() {
    let text = "@target(c)
def count = depFun((n: Nat, m: Nat) => fun(x: i64 =>
  (generate(fun(i => x)) : (n*m).i64) |> reduceSeq(add)(0i64)))
";
    let folder = Folder::with(&[("a.rise", text)]);
    let sizes = ["-Dn=50000", "-Dm=50000", "--arg", "x=1"];
    let run = |index| {
        let command = ["run", "a.rise", "--backend", "c", "--index", index];
        folder.run(&[&command, &sizes[..]].concat())
    };
    let refused = run("32");
    assert_eq!(
        (refused.status, refused.out.as_str()),
        (2, ""),
        "{}",
        refused.err
    );
    assert!(
        refused.err.contains("2500000000 elements"),
        "{}",
        refused.err
    );
    let counted = run("auto");
    assert_eq!(
        (counted.status, counted.out.as_str()),
        (0, "2500000000\n"),
        "{}",
        counted.err
    );
}

#[test]
fn many_empty_rows_are_shortened() {
    let text = "@target(c)
def rows = depFun((n: Nat, m: Nat) =>
  (generate(fun(i => generate(fun(j => 1.0f)))) : n.m.f32) |> mapSeq(mapSeq(id)))
";
    let folder = Folder::with(&[("a.rise", text)]);
    let ran = folder.run(&["run", "a.rise", "--backend", "c", "-Dn=100000", "-Dm=0"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(ran.out.lines().count() < 20, "{}", ran.out);
}

/// Values of `natType` wrap and truncate; definitions may have any name that RISE allows.
#[test]
fn compiled_code_agrees_on_sizes_as_values_and_under_odd_names() {
    let text = "
def remainder = depFun(n: Nat => (generate(fun(i => (indexAsNat(i) - n) % n)) : n.natType) |> mapSeq(id))
def quotient = depFun(n: Nat => (generate(fun(i => (indexAsNat(i) - 3) / 2)) : n.natType) |> mapSeq(id))
def square = depFun(n: Nat => fun(x: i32 => select(n * n < 0)(1i32)(x)))
def squares = depFun(n: Nat => (generate(fun(i =>
  let q = indexAsNat(i) * indexAsNat(i) in select(q < 0)(1i32)(0i32))) : n.i32) |> reduceSeq(add)(0))
def INT32_MAX = depFun(n: Nat => fun(xs: n.(f32, i32) => xs |> mapSeq(fun(x => (x._2 + 1, x._1)))))
def pair_f32_i32 = depFun(n: Nat => fun(xs: n.(f32, i32) => xs |> mapSeq(fun(x => (x._2 + 1, x._1)))))
def f32_to_i32 = fun(x: f32 => (cast(x) : i32))
def fread = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(fun(x => x + 1.0f))))
def output = depFun(n: Nat => fun(output: n.f32 => output |> mapSeq(fun(x => x + 1.0f))))
";
    let folder = Folder::with(&[("a.rise", text)]);
    for (name, size) in [
        ("remainder", Some(6)),
        ("quotient", Some(6)),
        ("square", Some(40000)),
        ("squares", Some(70000)),
        ("INT32_MAX", Some(3)),
        ("pair_f32_i32", Some(3)),
        ("f32_to_i32", None),
        ("fread", Some(3)),
        ("output", Some(3)),
    ] {
        let size = size.map(|n: u32| format!("-Dn={n}"));
        let mut arguments = vec!["run", "a.rise", "--def", name, "--backend", "c", "--verify"];
        arguments.extend(size.as_deref());
        let ran = folder.run(&arguments);
        assert_eq!(ran.status, 0, "{name}: {}{}", ran.out, ran.err);
    }
}

/// The conditions of windows and borders on the arrays of `iterate` apply to its initial array.
#[test]
fn stencils_are_iterated() {
    let text = "
def life = depFun((n: Nat, m: Nat, steps: Nat) => fun(grid: n.m.i32 =>
  grid |> iterate(steps)(depFun(l: Nat => fun(rows =>
    rows |> padCst2D(1)(0) |> slide2D(3)(1) |> mapSeq(mapSeq(fun(w =>
      let alive = w |> idx(1) |> idx(1) in
      let around = (w |> join |> reduceSeq(add)(0)) - alive in
      select(around == 3)(1)(select(around == 2)(alive)(0))))))))))
def pairs = depFun((n: Nat, k: Nat) => fun(xs: (n * 2^k).i32 =>
  xs |> iterate(k)(depFun(l: Nat => fun(p => p |> padClamp(1)(1) |> slide(4)(2) |> mapSeq(reduceSeq(add)(0)))))))
";
    let folder = Folder::with(&[("a.rise", text)]);
    let blinker = [
        "--def",
        "life",
        "--arg",
        "grid=[[0,0,0],[1,1,1],[0,0,0]]",
        "-Dsteps=3",
    ];
    for backend in [
        &["--backend", "interp"][..],
        &["--backend", "c", "--verify"],
    ] {
        let ran = folder.run(&[&["run", "a.rise"], &blinker[..], backend].concat());
        let shown = ran.out.starts_with("[[0, 1, 0],\n [0, 1, 0],\n [0, 1, 0]]");
        assert!(ran.status == 0 && shown, "{}{}", ran.out, ran.err);
    }
    for (def, sizes) in [
        ("life", &["-Dn=1", "-Dm=1", "-Dsteps=2"][..]),
        ("life", &["-Dn=9", "-Dm=14", "-Dsteps=4"]),
        ("pairs", &["-Dn=3", "-Dk=4"]),
    ] {
        let run = ["run", "a.rise", "--backend", "c", "--verify", "--def", def];
        let ran = folder.run(&[&run, sizes].concat());
        assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    }
    let empty = ["--def", "life", "-Dn=0", "-Dm=3", "-Dsteps=1"];
    let ran = folder.run(&[&["run", "a.rise", "--backend", "c"], &empty[..]].concat());
    assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{}", ran.err);
    assert!(ran.err.contains("`n >= 1` does not hold"), "{}", ran.err);
}

/// All elements of the arrays in the state are copied.
#[test]
fn states_with_arrays_are_iterated() {
    let text = "
def counted = depFun((n: Nat, k: Nat) => fun(xs: n.f32 =>
  makeArray(1)((0, xs)) |> iterate(k)(depFun(l: Nat => map(fun(s =>
    (s._1 + 1, s._2 |> map(fun(x => x + cast(s._1)))))))) |> idx(0) |> snd))
def unrolled = depFun((n: Nat, k: Nat) => fun(xs: n.f32 =>
  makeArray(1)((0, xs)) |> iterate(3)(depFun(l: Nat => map(fun(s =>
    (s._1 + 1, s._2 |> map(fun(x => x + 1.0f))))))) |> idx(0) |> snd))
def many = depFun((n: Nat, k: Nat) => fun(xs: n.3.f32 =>
  zip(xs)(xs) |> iterate(k)(depFun(l: Nat => map(fun(s =>
    (s._2 |> map(fun(x => x * 2.0f)), s._1 |> map(fun(x => x + 1.0f))))))) |> map(fst)))
";
    let folder = Folder::with(&[("a.rise", text)]);
    for (def, backend) in ["counted", "unrolled", "many"]
        .into_iter()
        .flat_map(|def| [(def, "c"), (def, "openmp")])
    {
        let run = ["run", "a.rise", "--verify", "-Dn=5", "-Dk=4"];
        let ran = folder.run(&[&run[..], &["--def", def, "--backend", backend]].concat());
        assert_eq!(ran.status, 0, "{def}: {}{}", ran.out, ran.err);
    }
}

/// Values of any type are repeated, in two buffers, in place, and while a condition holds.
#[test]
fn values_are_repeated() {
    let text = "
def heat(steps: Nat)(rows: n.m.f32): n.m.f32 =
  rows |> repeat(steps)(fun(now => now |> padClamp(1)(1) |> slide(3)(1) |> map(fun(w =>
    w |> transpose |> map(fun(column => (column |> reduce(add)(0.0f)) / 3.0f))))))
def swing(steps: Nat)(xs: n.f32, ys: n.f32): (n.f32, (n.f32, i32)) =
  (xs, (ys, 0)) |> repeat(steps)(fun(s =>
    let count = s._2._2 in
    (
      zip(s._1)(s._2._1) |> map(fun(p => p._1 + 0.1f * p._2)),
      (zip(s._1)(s._2._1) |> map(fun(p => p._2 - p._1 * (cast(count) : f32))), count + 1))))
def table(steps: Nat)(xs: n.3.f32, ys: n.i32): n.f32 =
  zip(xs)(ys)
    |> repeat(steps)(map(fun(row => (row._1 |> map(fun(x => x * 0.5f)), row._2 + 1))))
    |> map(fun(row => (row._1 |> reduce(add)(0.0f)) + (cast(row._2) : f32)))
def decay(steps: Nat)(xs: n.f32): n.f32 = xs |> repeatInPlace(steps)(map(fun(x => x * 0.5f)))
def fibonacci(steps: Nat)(x: i32): i32 = ((x, 1) |> repeat(steps)(fun(p => (p._2, p._1 + p._2))))._1
def until(xs: n.f32): (Idx[9], n.f32) =
  xs |> repeatWhile(8)(fun(ys => (ys |> map(fun(y => y * y)) |> reduce(add)(0.0f)) > 0.5f))(map(fun(y => y * 0.5f)))
def never(xs: n.f32): (Idx[1], n.f32) = xs |> repeatWhile(0)(fun(ys => true))(map(fun(y => y * 0.5f)))
";
    let folder = Folder::with(&[("a.rise", text)]);
    for (def, sizes) in [
        ("heat", &["-Dn=7", "-Dm=5", "-Dsteps=4"][..]),
        ("heat", &["-Dn=1", "-Dm=1", "-Dsteps=1"]),
        ("swing", &["-Dn=6", "-Dsteps=5"]),
        ("swing", &["-Dn=6", "-Dsteps=1"]),
        ("swing", &["-Dn=0", "-Dsteps=2"]),
        ("table", &["-Dn=4", "-Dsteps=3"]),
        ("decay", &["-Dn=6", "-Dsteps=9"]),
        ("decay", &["-Dn=6", "-Dsteps=0"]),
        ("fibonacci", &["-Dsteps=12"]),
        ("until", &["-Dn=6"]),
        ("never", &["-Dn=3"]),
    ] {
        for backend in ["c", "openmp"] {
            let run = ["run", "a.rise", "--verify", "--backend", backend];
            let ran = folder.run(&[&run[..], &["--def", def], sizes].concat());
            assert_eq!(ran.status, 0, "{def} {sizes:?}: {}{}", ran.out, ran.err);
        }
    }
    let known = [
        ("fibonacci", "x=0", &["-Dsteps=10"][..], "55\n"),
        ("until", "xs=[2.0, 0.0]", &[], "(2, [0.5, 0.0])\n"),
        ("never", "xs=[2.0]", &[], "(0, [2.0])\n"),
    ];
    for (def, arg, sizes, expected) in known {
        for backend in ["interp", "c"] {
            let run = [
                "run",
                "a.rise",
                "--backend",
                backend,
                "--def",
                def,
                "--arg",
                arg,
            ];
            let ran = folder.run(&[&run[..], sizes].concat());
            assert_eq!(ran.out, expected, "{def}: {}", ran.err);
        }
    }
    let none = [
        "run",
        "a.rise",
        "--backend",
        "c",
        "--def",
        "heat",
        "-Dn=2",
        "-Dm=2",
        "-Dsteps=0",
    ];
    let ran = folder.run(&none);
    assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{}", ran.err);
    assert!(
        ran.err.contains("`steps >= 1` does not hold"),
        "{}",
        ran.err
    );
}

/// The loop over the inner rows of a padded image of one row ends before it starts.
#[test]
fn images_of_a_few_rows_are_padded() {
    let text = "
def sums = depFun((h: Nat, w: Nat) => fun(image: h.w.f32 =>
  image |> padCst(1)(1)(generate(fun(i => 0.0f))) |> slide(3)(1) |> map(transpose >> map(reduce(add)(0.0f)))))
";
    let folder = Folder::with(&[("a.rise", text)]);
    for height in ["-Dh=1", "-Dh=2", "-Dh=3", "-Dh=4"] {
        for backend in ["c", "openmp"] {
            let run = [
                "run",
                "a.rise",
                "--verify",
                height,
                "-Dw=7",
                "--backend",
                backend,
            ];
            let ran = folder.run(&run);
            assert_eq!(ran.status, 0, "{height}: {}{}", ran.out, ran.err);
        }
    }
}

/// Programs with arrays of `n * m` elements that are not stored: the adjacent windows of an array.
const LARGE: &str = "
@run(n = 100000)
def far : (n: Nat) -> n.i32 -> 4.i32 = depFun(n: Nat => fun(xs =>
  xs |> slide(50000)(1) |> join |> drop(2147483653) |> take(4) |> mapSeq(id)))

def table = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>
  xs |> mapSeq(mapSeq(fun(x => x + 1.0f))) |> toMem |> transpose |> mapSeq(reduceSeq(add)(0.0f))))

def rows = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 => xs |> mapSeq(reduceSeq(add)(0.0f))))

def size = depFun(n: Nat => fun(x: natType => x + n))

def square = depFun(n: Nat => fun(x: natType => x + n * n))

def indices = depFun((n: Nat, m: Nat) => fun(ks: n.Idx[m] => ks |> mapSeq(id)))
";

#[test]
fn arrays_that_are_too_large_for_32_bits_are_counted_with_64() {
    let folder = Folder::with(&[("large.rise", LARGE)]);
    let far = |more: &[&str]| {
        let words = ["run", "large.rise", "--def", "far", "--arg", "xs=iota"];
        folder.run(&[&words, more].concat())
    };
    for backend in ["c", "openmp"] {
        let ran = far(&["--backend", backend]);
        assert_eq!(
            (ran.status, ran.out.as_str()),
            (0, "[76602, 76603, 76604, 76605]\n"),
            "{}",
            ran.err
        );
    }
    let ran = far(&["--backend", "c", "--index", "32"]);
    assert_eq!(ran.status, 2, "{}", ran.out);
    assert!(ran.err.contains("counts with 32 bits"), "{}", ran.err);
    let ran = far(&["--backend", "c", "--verify"]);
    assert_eq!(ran.status, 2, "{}", ran.out);
}

#[test]
fn code_with_indices_of_64_bits_computes_the_same() {
    let folder = Folder::with(&[("large.rise", LARGE)]);
    for (def, backend) in [("table", "c"), ("rows", "c"), ("rows", "openmp")] {
        let ran = folder.run(&[
            "run",
            "large.rise",
            "--def",
            def,
            "--backend",
            backend,
            "--index",
            "64",
            "-Dn=37",
            "-Dm=41",
            "--verify",
        ]);
        assert_eq!(ran.status, 0, "{}", ran.err);
    }
}

#[test]
fn sizes_that_fit_no_width_are_refused_before_the_run() {
    let folder = Folder::with(&[("large.rise", LARGE)]);
    let run =
        |more: &[&str]| folder.run(&[&["run", "large.rise", "--backend", "c"], more].concat());
    let ran = run(&["--def", "rows", "-Dn=4294967296", "-Dm=4294967296"]);
    assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{}", ran.err);
    assert!(
        ran.err.contains("more elements than can be counted"),
        "{}",
        ran.err
    );
    let ran = run(&["--def", "size", "-Dn=2147483649"]);
    assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{}", ran.err);
    assert!(ran.err.contains("do not fit into 32 bits"), "{}", ran.err);
    for more in [
        &["--def", "indices", "-Dn=3", "-Dm=2147483650", "--index=64"][..],
        &["--def", "square", "-Dn=50000"],
        &["--def", "square", "-Dn=50000", "--index=64"],
        &["--def", "square", "-Dn=50000", "--index=32"],
    ] {
        let ran = run(more);
        assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{}", ran.err);
        assert!(ran.err.contains("do not fit into 32 bits"), "{}", ran.err);
    }
    let ran = folder.run(&[
        "emit",
        "large.rise",
        "--def",
        "rows",
        "--as",
        "c",
        "--index",
        "64",
    ]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(ran.out.contains("int64_t n, int64_t m"), "{}", ran.out);
    let auto = folder.run(&[
        "emit",
        "large.rise",
        "--def",
        "rows",
        "--as",
        "c",
        "--index",
        "auto",
    ]);
    assert_eq!(auto.status, 0, "{}", auto.err);
    for callee in [
        "rows_32(output, (int)n, (int)m, xs)",
        "rows_64(output, n, m, xs)",
    ] {
        assert!(auto.out.contains(callee), "{}", auto.out);
    }
}

#[test]
fn counts_that_depend_on_a_counter_are_checked_before_the_run() {
    let text = "def dependent = depFun((n: Nat, m: Nat) =>
  fun(xs: n..(dataFun(k => (k + 1).i32)) => xs |> depMapSeq(depFun(k: Nat => fun(row =>
    row |> map(fun(x => generate(fun(i : Idx[m] => x)))) |> join
      |> reduceSeq(fun(a, b => a + b))(0)))) ))
";
    let folder = Folder::with(&[("a.rise", text)]);
    let run = |m: &str| {
        let words = ["run", "a.rise", "--backend", "c", "--arg", "xs=iota"];
        folder.run(&[&words[..], &["--index", "32", "-Dn=2", m]].concat())
    };
    let ran = run("-Dm=1073741824");
    assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{}", ran.err);
    let message = "`(n*m).i32` has 2147483648 elements, and generated code counts with 32 bits";
    assert!(ran.err.contains(message), "{}", ran.err);
    let ran = run("-Dm=5");
    assert_eq!(
        (ran.status, ran.out.as_str()),
        (0, "[0, 15]\n"),
        "{}",
        ran.err
    );
}

#[test]
fn hosts_are_emitted_for_each_width() {
    let text = "@target(opencl)
def rows = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>
  xs |> mapGlobal(reduceSeq(Private)(add)(0.0f))))
";
    let folder = Folder::with(&[("a.rise", text)]);
    for (index, widths) in [
        ("32", &["int n"][..]),
        ("64", &["long n"]),
        ("auto", &["int n", "long n"]),
    ] {
        let emit = [
            "emit", "a.rise", "--as", "opencl", "--host", "--index", index,
        ];
        let host = folder.run(&emit);
        assert_eq!(host.status, 0, "{}", host.err);
        let end = "n + get_global_size(0) - 1 < 2^";
        assert!(host.out.contains(end), "{index}: {}", host.out);
        for width in ["int n", "long n"] {
            let expected = widths.contains(&width);
            assert_eq!(
                host.out.contains(&format!("{width}, ")),
                expected,
                "{index}: {}",
                host.out
            );
        }
    }
}

#[test]
fn a_body_in_c_returns_a_tuple_by_the_name_of_its_struct() {
    let text = "\
foreign def ordered(x: f32, y: f32): (f32, f32) = \"\"\"{
  pair_f32_f32 both = { x < y ? x : y, x < y ? y : x };
  return both;
}\"\"\"
foreign def tagged(p: (i32, Vec[4, f32]), u: u8): (bool, u8) = \"\"\"{
  pair_i32_f32x4 same = p;
  return (pair_bool_u8){ same._1 > 0, u };
}\"\"\"
def neighbours = fun(xs: 2.(f32, f32) => xs |> mapSeq(fun(p => ordered(p._1)(p._2))))
def tags = fun(xs: 2.(i32, Vec[4, f32]) => xs |> mapSeq(fun(p => tagged(p)(7u8))))
";
    let folder = Folder::with(&[("a.rise", text)]);
    let run = |def, xs| {
        let ran = folder.run(&["run", "a.rise", "--def", def, "--verify", "--arg", xs]);
        assert_eq!(ran.status, 0, "{}", ran.err);
        ran.out.lines().next().unwrap_or_default().to_owned()
    };
    let ordered = run("neighbours", "xs=[(2, 1), (3, 4)]");
    assert_eq!(ordered, "[(1.0, 2.0), (3.0, 4.0)]");
    let tags = run("tags", "xs=[(1, <1, 2, 3, 4>), (0, <1, 2, 3, 4>)]");
    assert_eq!(tags, "[(true, 7), (false, 7)]");
}

/// Transpositions in tiles and by exchanged loops, joined windows, and sums under a condition, at sizes
/// around those of a tile.
#[test]
fn loops_in_another_order_have_the_same_results() {
    let text = "\
def transposed = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 =>
  a |> transpose |> map1(map2(fun(x => x * 2.0f)))))
def added = depFun((n: Nat, m: Nat) => fun(a: n.m.f32, b: m.n.f32 =>
  zip(a)(b |> transpose) |> map1(fun(r => zip(r._1)(r._2) |> map2(fun(p => p._1 + p._2))))))
def columns = depFun((n: Nat, m: Nat) => fun(a: n.m.f32, s: m.f32 =>
  zip(a |> transpose)(s) |> map1(fun(c => c._1 |> map2(fun(x => x * c._2)))) |> transpose))
def rotated = depFun((n: Nat, m: Nat) => fun(a: n.m.3.f32 =>
  a |> transpose |> map(transpose) |> transpose |> map(transpose) |> map1(map2(mapSeq(id)))))
def windows = depFun((n: Nat, m: Nat) => fun(w: 3.5.f32, a: (n + 2).(m + 4).f32 =>
  a |> map(slide(5)(1)) |> slide(3)(1) |> map(transpose) |> map1(map2(fun(window =>
    zip(w |> join)(window |> join) |> reduceSeq(fun(sum, p => sum + p._1 * p._2))(0.0f)))) |> transpose))
def clamped = depFun((n: Nat, m: Nat) => fun(a: n.m.i32 =>
  a |> map1(map2(fun(x => x + 1i32))) |> toMem |> padClamp(1)(2) |> join |> map1(fun(x => x * 2i32)) |> split(m)))
def chosen = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 => a |> map1(fun(row =>
  row |> reduceSeq(fun(sum, x => select(x > 0.5f)(sum + x)(sum)))(0.0f)))))
";
    for (target, map) in [("c", "mapSeq"), ("openmp", "mapPar")] {
        let text = text.replace("map1", map).replace("map2", "mapSeq");
        let folder = Folder::with(&[("a.rise", text.as_str())]);
        for def in [
            "transposed",
            "added",
            "columns",
            "rotated",
            "windows",
            "clamped",
            "chosen",
        ] {
            for (n, m) in [(1, 1), (16, 32), (31, 33), (47, 100)] {
                let sizes = [format!("-Dn={n}"), format!("-Dm={m}")];
                let mut arguments = vec![
                    "run",
                    "a.rise",
                    "--def",
                    def,
                    "--backend",
                    target,
                    "--verify",
                ];
                arguments.extend(sizes.iter().map(String::as_str));
                let ran = folder.run(&arguments);
                assert_eq!(
                    ran.status, 0,
                    "{def} for {target} at {sizes:?}: {}",
                    ran.err
                );
            }
        }
    }
}
