//! Tests of the library's lowering strategies on programs that state only what is computed.

use crate::support::{Folder, Ran};

const PROGRAMS: &str = "\
def dotProduct = depFun(n: Nat => fun(xs: n.f32, ys: n.f32 => dot(xs)(ys)))

def gemv = depFun((n: Nat, m: Nat) => fun(a: n.m.f32, x: m.f32 => a |> map(dot(x))))

def gemm = depFun((n: Nat, m: Nat, k: Nat) => fun(a: n.k.f32, b: k.m.f32 =>
  a |> map(fun(row => transpose(b) |> map(fun(col => dot(row)(col)))))))

def blur = depFun((n: Nat, m: Nat) => fun(img: (n + 2).(m + 2).f32, ws: 9.f32 =>
  img |> slide2D(3)(1) |> map2D(fun(w => dot(join(w))(ws)))))

def twoStages = depFun((n: Nat, m: Nat) => fun(xs: (n + m + 2).f32 =>
  xs |> slide(3)(1) |> map(reduce(add)(0.0f)) |> slide(m + 1)(1) |> map(reduce(add)(0.0f))))

def atax = depFun((n: Nat, m: Nat) => fun(a: n.m.f32, x: m.f32 =>
  let t = a |> map(dot(x)) in transpose(a) |> map(dot(t))))

def fromMean = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>
  let mean = (join(xs) |> reduce(add)(0.0f)) / cast(n) in xs |> map(map(fun(x => x - mean)))))

def columns = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 =>
  a |> reduce(fun(acc, row => zip(acc)(row) |> map(fun(p => p._1 + p._2))))(generate(fun(i: Idx[m] => 0.0f)))))

def histogram = depFun((n: Nat, m: Nat) => fun(xs: n.i32 =>
  generate(fun(b: Idx[m] => xs |> map(fun(x => select(x == cast(b))(1i32)(0i32))) |> reduce(add)(0i32)))))

def totals = depFun((n: Nat, m: Nat) => fun(xs: n.m.i32 => join(xs) |> scanSeq(add)(0)))

def shares = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>
  xs |> map(fun(row =>
    let es = row |> map(fun(x => x * x + 1.0f)) in
    let s = es |> reduce(add)(0.0f) in
    es |> map(fun(e => e / s))))))
";

const ALL: [&str; 11] = [
    "dotProduct",
    "gemv",
    "gemm",
    "blur",
    "twoStages",
    "atax",
    "fromMean",
    "columns",
    "histogram",
    "totals",
    "shares",
];

/// Lowers a definition by a strategy, runs it, and compares the result with the interpreter.
fn ran(def: &str, strategy: &str, target: &str) -> Ran {
    let marked = format!("@target({target})\n@strategy(\"s.elevate\", lowered)\ndef {def} ");
    let text = PROGRAMS.replace(&format!("def {def} "), &marked);
    let strategy = format!("val lowered = {strategy}\n");
    let folder = Folder::with(&[("a.rise", text), ("s.elevate", strategy)]);
    let sizes = ["-D", "n=8", "-D", "m=6", "-D", "k=4"];
    let sizes = match def {
        "dotProduct" => &sizes[..2],
        "gemm" => &sizes[..],
        _ => &sizes[..4],
    };
    folder.run(&[&["run", "a.rise", "--def", def, "--verify"], sizes].concat())
}

fn all_are_right(strategy: &str, target: &str) {
    for def in ALL {
        let ran = ran(def, strategy, target);
        assert_eq!(ran.status, 0, "{def} by {strategy}: {}", ran.err);
    }
}

#[test]
fn for_one_core() {
    all_are_right("lowerToC", "c");
}

#[test]
fn maps_behind_one_another_are_one_loop() {
    let text = "def f = depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(x => x + 1.0f)) |> map(fun(x => x * x))))\n";
    let folder = Folder::with(&[("a.rise", text)]);
    let ran = folder.run(&["rewrite", "a.rise", "--strategy", "lowerToC"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let loops = ran.out.matches("mapSeq").count();
    assert_eq!(
        (loops, ran.out.contains("toMem")),
        (1, false),
        "{}",
        ran.out
    );
}

#[test]
fn for_all_cores() {
    all_are_right("lowerToOpenMP", "openmp");
}

#[test]
#[cfg_attr(not(tool = "opencl"), ignore = "needs an OpenCL device")]
fn for_all_work_items() {
    all_are_right("lowerToOpenCL", "opencl");
    all_are_right("lowerToGlobal", "opencl");
    for def in ["gemm", "blur", "fromMean"] {
        let ran = ran(def, "lowerToGlobal2D", "opencl");
        assert_eq!(ran.status, 0, "{def} in two dimensions: {}", ran.err);
    }
    for def in ["gemv", "gemm", "blur", "twoStages", "shares"] {
        let ran = ran(def, "lowerToGroups(2)", "opencl");
        assert_eq!(ran.status, 0, "{def} in groups: {}", ran.err);
    }
}

#[test]
#[cfg_attr(not(tool = "opencl"), ignore = "needs an OpenCL device")]
fn what_cannot_be_lowered_says_what_to_do() {
    for (def, strategy, message) in [
        ("gemv", "lowerToGlobal2D", "`lowerToGlobal` takes one map"),
        (
            "dotProduct",
            "lowerToGroups(4)",
            "`lowerToGlobal` takes any number of them",
        ),
        (
            "gemm",
            "lowerToGroups2D",
            "`tile(16, 16)` makes them of two",
        ),
    ] {
        let ran = ran(def, strategy, "opencl");
        assert_eq!(ran.status, 1, "{def} by {strategy}: {}", ran.err);
        assert!(ran.err.contains(message), "{}", ran.err);
    }
    let text = "def turned = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 => transpose(a)))\n";
    let folder = Folder::with(&[("a.rise", text)]);
    let ran = folder.run(&["rewrite", "a.rise", "--strategy", "lowerToGlobal"]);
    assert_eq!(ran.status, 1);
    assert!(
        ran.err
            .contains("the program only moves data: `|> map(id)`"),
        "{}",
        ran.err
    );
    let ran = folder.run(&["rewrite", "a.rise", "--strategy", "lowerToGroups"]);
    assert_eq!(ran.status, 1);
    assert!(ran.err.contains("write `lowerToGroups(32)`"), "{}", ran.err);
}

#[test]
fn what_a_strategy_leaves_open_is_found_by_a_check() {
    let text = "@strategy(DFNF)\ndef f = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(id) |> toMem |> map(fun(x => x + 1.0f))))\n";
    let folder = Folder::with(&[("a.rise", text)]);
    let ran = folder.run(&["--check", "a.rise"]);
    assert_eq!(ran.status, 1);
    assert!(ran.out.contains("error[missing-choice]"), "{}", ran.out);
}
