//! Tests of runs that are impossible or fail: each gets one clear error at its place, and leaves
//! nothing behind.

use crate::support::{Folder, Ran, ended_by_signals};
use expect_test::expect;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const FILE: &str = r#"
def twice = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(fun(x => x * 2.0f))))

def matrix = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 => xs |> mapSeq(mapSeq(fun(x => x * 2.0f)))))

def clamped = depFun(n: Nat => fun(xs: n.f32 => xs |> padClamp(1)(1) |> slide(3)(1)
  |> mapSeq(fun(w => w |> reduceSeq(add)(0.0f)))))

def wide = depFun((n: Nat, m: Nat) => fun((a: n.m.f64, b: n.m.f64, c: n.m.f64, d: n.m.f64, e: n.m.f64, f: n.m.f64) =>
  a |> mapSeq(mapSeq(id))))

def cubes = depFun(n: Nat => fun(xs: n.f64 => xs |> mapSeq(fun(x =>
  xs |> reduceSeq(fun(a, y => a * 0.5f64 + (xs |> reduceSeq(fun(b, z => b * x + z * y))(x))))(0.0f64)))))

def quotient = fun(x: i32 => -x / (x - x))

foreign def nowhere(x: f32): f32
def usesNowhere = fun(x: f32 => nowhere(x))

foreign def said(x: i32): i32 = """{
  printf("said %d\n", x);
  return x + 1;
}"""
def saying = fun(xs: 2.i32 => xs |> mapSeq(said))

foreign def careless(x: i32): i32 = """{
  int nothing = 3;
}"""
def usesCareless = fun(x: i32 => careless(x))

foreign def double(x: f32): f32 = """{ return x * 2; }"""
foreign def malloc(x: f32): f32 = """{ return x + 1; }"""
foreign def main(n: i32): i32 = """{ return n < 2 ? 1 : n * main(n - 1); }"""
def oddlyNamed = fun(x: f32, n: i32 => (double(malloc(x)), main(n)))

foreign def forever(x: f32): f32 = """{ for (;;) { } }"""
def hangs = fun(x: f32 => forever(x))
"#;

fn folder() -> Folder {
    Folder::with(&[("a.rise", FILE)])
}

fn run(folder: &Folder, def: &str, more: &[&str]) -> Ran {
    folder.run(&[&["run", "a.rise", "--def", def], more].concat())
}

/// Calls `rise-ls run` in the folder, with these environment variables.
fn run_where(folder: &Folder, variables: &[(&str, &str)], arguments: &[&str]) -> Ran {
    let output = command(folder, arguments)
        .envs(variables.iter().copied())
        .output()
        .expect("the binary starts");
    Ran {
        status: output.status.code().expect("the binary is not killed"),
        out: String::from_utf8(output.stdout).expect("results are UTF-8"),
        err: String::from_utf8(output.stderr).expect("messages are UTF-8"),
    }
}

fn command(folder: &Folder, arguments: &[&str]) -> Command {
    let mut command = ended_by_signals();
    command.args(["run", "a.rise"]).args(arguments);
    command.current_dir(folder.path("."));
    command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    command
}

/// Returns a NumPy file with this shape and elements of this type, all of them 0.
fn npy(descr: &str, shape: &str, bytes: usize) -> Vec<u8> {
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    while (header.len() + 11) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let length = u16::try_from(header.len()).expect("a short header");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend(length.to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(vec![0; bytes]);
    file
}

#[test]
fn no_elements() {
    let folder = folder();
    for backend in ["interp", "c", "openmp"] {
        let ran = run(&folder, "twice", &["--backend", backend, "-Dn=0"]);
        assert_eq!((ran.status, ran.out.as_str()), (0, "[]\n"), "{}", ran.err);
        let ran = run(&folder, "clamped", &["--backend", backend, "-Dn=0"]);
        assert_eq!((ran.status, ran.out.as_str()), (2, ""));
        assert_eq!(ran.err, "error: `n >= 1` does not hold for n = 0\n");
    }
}

#[test]
fn files_of_another_form() {
    let folder = folder();
    folder.put("none.npy", npy("<f4", "()", 4));
    folder.put("row.npy", npy("<f4", "(3,)", 12));
    folder.put("cube.npy", npy("<f4", "(2, 2, 2)", 32));
    folder.put("long.npy", npy("<i8", "(3,)", 24));
    folder.put("other.npz", "PK\u{3}\u{4}");
    folder.put("no.npy", "nothing of the kind");
    let mut said = String::new();
    for (def, value) in [
        ("twice", "none.npy"),
        ("matrix", "row.npy"),
        ("matrix", "cube.npy"),
        ("twice", "long.npy"),
        ("twice", "other.npz"),
        ("twice", "no.npy"),
        ("twice", "[[1, 2], [3, 4]]"),
        ("matrix", "[[1, 2], [3]]"),
        ("twice", "absent.npy"),
    ] {
        let ran = run(&folder, def, &["--arg", &format!("xs={value}")]);
        assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{value}");
        said.push_str(&ran.err);
    }
    expect![[r#"
        error: the argument `xs`: none.npy: the file has no dimensions, and `n.f32` has one dimension
        error: the argument `xs`: row.npy: the file has one dimension, and `n.m.f32` has 2 dimensions
        error: the argument `xs`: cube.npy: the file has shape (2, 2, 2), and `2.2.f32` is (2, 2) in a file
        error: the argument `xs`: long.npy: the elements have type `<i8`; `f32` is `<f4` in a file; in NumPy, `.astype('<f4')` converts them
        error: invalid value 'xs=other.npz' for '--arg <NAME=VALUE>': `other.npz` is not a value: it is the name of a file, and only .npy files are read

        For more information, try '--help'.
        error: the argument `xs`: no.npy: this is not a .npy file
        error: the argument `xs`: `[…]` is not a value of type `f32`
        error: the argument `xs`: there is 1 element where `2.f32` has 2
        error: the argument `xs`: absent.npy: No such file or directory (os error 2)
    "#]].assert_eq(&said);
}

#[test]
fn more_memory_than_there_is() {
    let folder = folder();
    for backend in ["interp", "c"] {
        let sizes = ["--backend", backend, "-Dn=46000", "-Dm=46000"];
        let ran = run(&folder, "wide", &sizes);
        assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{}", ran.err);
        let start = "error: arguments and result take 118.5 GB of memory, and ";
        assert!(ran.err.starts_with(start), "{}", ran.err);
    }
}

#[test]
fn no_compiler() {
    let folder = folder();
    let arguments = ["--def", "twice", "--backend", "c", "-Dn=2"];
    let ran = run_where(&folder, &[("PATH", ""), ("CC", "")], &arguments);
    assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{}", ran.err);
    expect![[r#"
        error: there is no C compiler: neither cc nor gcc nor clang can be started; install one, or set CC to a C compiler
    "#]]
    .assert_eq(&ran.err);
    let ran = run_where(&folder, &[("CC", "nonsense -O1")], &arguments);
    assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{}", ran.err);
    expect![[r#"
        error: there is no C compiler: CC is `nonsense -O1`, which does not run
    "#]]
    .assert_eq(&ran.err);
    let ran = run_where(&folder, &[("CC", "true")], &arguments);
    assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{}", ran.err);
    expect![[r#"
        error: there is no C compiler: the compiler `true` runs, but does not write a program
    "#]]
    .assert_eq(&ran.err);
    // The interpreter needs a compiler for C functions only.
    let saying = ["--def", "saying", "--backend", "interp"];
    let ran = run_where(&folder, &[("CC", "nonsense")], &saying);
    assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{}", ran.err);
    let twice = ["--def", "twice", "-Dn=2", "--arg", "xs=1"];
    let ran = run_where(&folder, &[("CC", "nonsense")], &twice);
    let out = "interpreted, not compiled: there is no C compiler: CC is `nonsense`, which does not \
               run\n[2.0, 2.0]\n";
    assert_eq!((ran.status, ran.out.as_str()), (0, out), "{}", ran.err);
}

#[cfg(unix)]
#[test]
fn no_temporary_folder_and_too_few_files() {
    let folder = folder();
    let arguments = ["--def", "twice", "--backend", "c", "-Dn=2"];
    let ran = run_where(&folder, &[("TMPDIR", "/no/such")], &arguments);
    assert_eq!((ran.status, ran.out.as_str()), (2, ""));
    expect![[r#"
        error: cannot use temporary files in /no/such: there is no such folder; set TMPDIR to one that exists
    "#]]
    .assert_eq(&ran.err);
    // Too few for the pipes of another process.
    let script = "ulimit -n 8; exec \"$0\" run a.rise --def twice --backend c -Dn=2";
    let output = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_rise-ls")])
        .current_dir(folder.path(""))
        .output()
        .expect("the shell starts");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    expect![[r#"
        error: the C compiler: cannot start `cc`: Too many open files (os error 24); `ulimit -n` raises the number of files that a process may open
    "#]]
    .assert_eq(&String::from_utf8_lossy(&output.stderr));
}

#[test]
fn options_of_the_compiler() {
    let folder = folder();
    let arguments = ["--def", "twice", "--backend", "c", "-Dn=2", "--verify"];
    let ran = run_where(
        &folder,
        &[("CFLAGS", "-O0 -fno-strict-aliasing")],
        &arguments,
    );
    assert_eq!(ran.status, 0, "{}", ran.err);
    let ran = run_where(&folder, &[("CFLAGS", "-fno-such-option-here")], &arguments);
    assert_eq!(ran.status, 1, "{}", ran.err);
    assert!(ran.err.contains("-fno-such-option-here"), "{}", ran.err);
}

#[test]
fn a_run_without_end() {
    let folder = folder();
    for (def, backend, sizes) in [
        ("hangs", "interp", &[][..]),
        ("hangs", "c", &[]),
        ("cubes", "interp", &["-Dn=100000"]),
        ("cubes", "c", &["-Dn=100000"]),
    ] {
        let limit = ["--backend", backend, "--timeout", "0.2"];
        let ran = run(&folder, def, &[&limit[..], sizes].concat());
        let first = ran.err.lines().next().unwrap_or_default();
        // On a busy machine even the query of the compiler's version may time out.
        let status = if first.contains("does not answer") {
            2
        } else {
            1
        };
        assert_eq!((ran.status, ran.out.as_str()), (status, ""), "{}", ran.err);
        assert!(
            first.contains("200ms") || first.ends_with("in time"),
            "{def} {backend}: {first}"
        );
    }
    for wrong in ["-1", "0", "soon"] {
        let ran = run(&folder, "hangs", &["--timeout", wrong]);
        assert_eq!((ran.status, ran.out.as_str()), (2, ""));
        assert!(
            ran.err.contains("a number of seconds above 0"),
            "{}",
            ran.err
        );
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt() {
    let folder = folder();
    for backend in ["interp", "c"] {
        let arguments = ["--def", "cubes", "--backend", backend, "-Dn=100000"];
        // A program that has just started does not handle the signal yet.
        let ended = [700, 3_000, 9_000].into_iter().find_map(|pause| {
            let output = interrupted(&folder, &arguments, Duration::from_millis(pause));
            output.status.code().map(|status| (status, output))
        });
        let (status, output) = ended.expect("it listens in the end");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(status, 130, "{said}");
        assert!(
            output.stdout.is_empty() && said.ends_with("note: stopped\n"),
            "{said}"
        );
    }
}

/// Sends an interrupt to a run after a pause.
#[cfg(unix)]
fn interrupted(folder: &Folder, arguments: &[&str], pause: Duration) -> Output {
    let child = command(folder, arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    std::thread::sleep(pause);
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.expect("kill runs").success());
    child.wait_with_output().expect("the binary ends")
}

#[cfg(target_os = "linux")]
#[test]
fn no_place_for_files() {
    let folder = folder();
    let backend = ["--backend", "c", "-Dn=1000"];
    let ran = run(
        &folder,
        "twice",
        &[&backend[..], &["--out", "/dev/full"]].concat(),
    );
    assert_eq!((ran.status, ran.out.as_str()), (2, ""));
    expect![[r#"
        error: /dev/full: No space left on device (os error 28)
    "#]]
    .assert_eq(&ran.err);
    let ran = run(
        &folder,
        "twice",
        &[&backend[..], &["--out", "no/such/y.npy"]].concat(),
    );
    assert_eq!((ran.status, ran.out.as_str()), (2, ""));
    expect![[r#"
        error: no/such/y.npy: there is no such file or folder
    "#]]
    .assert_eq(&ran.err);
    let arguments = [&["--def", "twice"], &backend[..]].concat();
    let ran = run_where(&folder, &[("TMPDIR", "/no/such/folder")], &arguments);
    assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{}", ran.err);
    expect![[r#"
        error: cannot use temporary files in /no/such/folder: there is no such folder; set TMPDIR to one that exists
    "#]]
    .assert_eq(&ran.err);
}

#[test]
fn division_by_zero_and_missing_functions() {
    let folder = folder();
    let ran = run(&folder, "quotient", &["--backend", "c", "--arg", "x=5"]);
    assert_eq!((ran.status, ran.out.as_str()), (1, ""));
    assert!(ran.err.contains("integer division by zero"), "{}", ran.err);
    for backend in ["interp", "c"] {
        let ran = run(&folder, "usesNowhere", &["--backend", backend]);
        assert_eq!((ran.status, ran.out.as_str()), (1, ""));
        assert!(ran.err.contains("a.rise:18:33"), "{}", ran.err);
    }
}

#[test]
fn c_functions_in_both_backends() {
    let folder = folder();
    for backend in ["interp", "c"] {
        let of = ["--backend", backend];
        let ran = run(
            &folder,
            "saying",
            &[&of[..], &["--arg", "xs=[1, 2]"]].concat(),
        );
        assert_eq!(
            (ran.status, ran.out.as_str()),
            (0, "[2, 3]\n"),
            "{}",
            ran.err
        );
        assert!(ran.err.starts_with("said 1\nsaid 2\nnote: "), "{}", ran.err);
        let ran = run(&folder, "usesCareless", &of);
        assert_eq!(ran.status, 0, "{}", ran.err);
        assert!(
            ran.err.contains("warning: the C compiler: unused variable"),
            "{}",
            ran.err
        );
        assert!(ran.err.contains("a.rise:27:7"), "{}", ran.err);
        let arguments = ["--arg", "x=2", "--arg", "n=4"];
        let ran = run(&folder, "oddlyNamed", &[&of[..], &arguments].concat());
        assert_eq!(
            (ran.status, ran.out.as_str()),
            (0, "(6.0, 24)\n"),
            "{}",
            ran.err
        );
    }
}

#[test]
fn the_cause_of_a_broken_use_is_shown_however_far_it_is() {
    let folder = Folder::with(&[(
        "a.rise",
        "foreign def half(x: f32: f32 = \"\"\"{ return x / 2; }\"\"\"
def part = fun(x: f32 => half(x))
def whole = fun(x: f32 => part(x))
",
    )]);
    let all = [
        &["run", "a.rise", "--def", "part", "--arg", "x=1"][..],
        &["run", "a.rise", "--def", "whole", "--arg", "x=1"],
        &["emit", "a.rise", "--def", "part", "--as", "c"],
        &["emit", "a.rise", "--def", "whole", "--as", "c"],
    ]
    .map(|arguments| folder.run(arguments));
    for ran in &all {
        assert_eq!((ran.status, ran.out.as_str()), (1, ""));
        assert_eq!(ran.err, all[0].err);
    }
    expect![[r#"
        error[syntax-error]: a value and its type must be in parentheses: `(value : type)`
         --> a.rise:1:24
          |
        1 | foreign def half(x: f32: f32 = """{ return x / 2; }"""
          |                        ^

    "#]]
    .assert_eq(&all[0].err);
}
