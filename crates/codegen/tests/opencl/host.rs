//! Tests the host program, which is compiled and run.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::module_for;
use codegen::{IndexPolicy, IndexWidth, Module, Target};

const PROGRAM: &str = "@opencl(local = [64], global = [n])
    def squares = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(fun(x => x * x))))";

const PARTS: &str = "def parts = depFun(n: Nat => fun((xs: n.f32, k: i32) =>
    xs |> mapGlobal(fun(x => x + 1.0f)) |> oclRun(64, 1, 1)(n, 1, 1) |> toMem(Global)
       |> mapGlobal(fun(x => (x, k))) |> oclRun(32, 1, 1)(n, 1, 1)))";

const OPEN: &str =
    "def open = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(fun(x => x * x))))";

fn printed(module: &Module) -> String {
    let host = Target::OpenCl.description().host.expect("it has kernels");
    (host.print)(module).expect("sizes").expect("a program")
}

fn folder(name: &str) -> PathBuf {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("rise-host-{name}-{}-{number}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Runs the host program of a definition; returns true if it succeeds, and its output.
fn run(text: &str, name: &str, args: &[&str]) -> (bool, String) {
    run_for(text, name, IndexPolicy::default(), args)
}

/// Runs the host program with indices of this width.
fn run_for(text: &str, name: &str, index: IndexPolicy, args: &[&str]) -> (bool, String) {
    let module = module_for(text, name, index).expect("kernels");
    let host = printed(&module);
    let folder = folder(name);
    let source = folder.join("host.c");
    fs::write(&source, host).expect("a file");
    let binary = folder.join("host");
    let compiled = Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-o"])
        .args([&binary, &source])
        .arg("-lOpenCL")
        .output()
        .expect("cc runs");
    let message = String::from_utf8_lossy(&compiled.stderr).into_owned();
    assert!(compiled.status.success(), "{message}");
    let ran = Command::new(&binary).args(args).output().expect("it runs");
    let _ = fs::remove_dir_all(&folder);
    let errors = String::from_utf8_lossy(&ran.stderr);
    let output = String::from_utf8_lossy(&ran.stdout);
    (ran.status.success(), format!("{output}{errors}"))
}

#[test]
#[cfg_attr(not(tool = "opencl-dev"), ignore = "needs the headers of OpenCL")]
fn a_kernel_runs() {
    let (fine, text) = run(PROGRAM, "squares", &["128"]);
    assert!(fine, "{text}");
    assert!(
        text.contains("squares: ") && text.contains("checksum: "),
        "{text}"
    );
}

#[test]
#[cfg_attr(not(tool = "opencl-dev"), ignore = "needs the headers of OpenCL")]
fn several_kernels_run() {
    let (fine, text) = run(PARTS, "parts", &["128"]);
    assert!(fine, "{text}");
    assert!(
        text.contains("parts_1: ") && text.contains("parts_2: "),
        "{text}"
    );
}

const ROUNDS: &str = "def rounds = depFun((k: Nat, n: Nat) => fun(xs: n.f32 =>
    xs |> mapGlobal(fun(x => x * 0.0f)) |> oclRun(32, 1, 1)(n, 1, 1) |> toMem(Global)
       |> repeat(Global)(k)(fun(ys => ys |> mapGlobal(fun(y => y + 1.0f)) |> oclRun(32, 1, 1)(n, 1, 1)))))";

#[test]
#[cfg_attr(not(tool = "opencl-dev"), ignore = "needs the headers of OpenCL")]
fn kernels_run_in_rounds() {
    for (rounds, sum) in [("1", "64"), ("2", "128"), ("7", "448")] {
        let (fine, text) = run(ROUNDS, "rounds", &[rounds, "64"]);
        assert!(fine, "{text}");
        assert!(text.contains(&format!("checksum: {sum}\n")), "{text}");
    }
}

#[test]
#[cfg_attr(not(tool = "opencl-dev"), ignore = "needs the headers of OpenCL")]
fn launch_sizes_are_options() {
    let (fine, text) = run(OPEN, "open", &["--local=16", "--global=64", "100"]);
    assert!(fine, "{text}");
}

#[test]
#[cfg_attr(not(tool = "opencl-dev"), ignore = "needs the headers of OpenCL")]
fn options_stand_anywhere() {
    let calls: [&[&str]; 3] = [
        &["100", "--local=16", "--global", "64"],
        &["--global=64,1,1", "100", "--local", "16"],
        &["--local=16,1", "--global=32", "100"],
    ];
    for args in calls {
        let (fine, text) = run(OPEN, "open", args);
        assert!(fine, "{args:?}: {text}");
    }
}

#[test]
#[cfg_attr(not(tool = "opencl-dev"), ignore = "needs the headers of OpenCL")]
fn what_is_wrong_is_said() {
    let calls: [(&[&str], &str); 8] = [
        (&["--locla=3", "100"], "--locla=3: there is no such option"),
        (&[], "the size n is not given"),
        (&["12", "13"], "13: one size too many"),
        (
            &["abc"],
            "n = abc: a size is a whole number from 0 to 2147483647",
        ),
        (&["-5"], "n = -5: a size is a whole number"),
        (
            &["100", "--local=1,1,1,1"],
            "--local=1,1,1,1: one to three numbers from 1 on belong here, as in --local=64,1,1",
        ),
        (&["100", "--global=0"], "--global=0: one to three numbers"),
        (&["100", "--local"], "--local: the sizes are missing"),
    ];
    for (args, expected) in calls {
        let (fine, text) = run(OPEN, "open", args);
        assert!(!fine && text.contains(expected), "{args:?}: {text}");
    }
    let (fine, text) = run(PROGRAM, "squares", &["--local=32", "128"]);
    let expected = "--local=32: the program says this size itself";
    assert!(!fine && text.contains(expected), "{text}");
    let (fine, text) = run(PROGRAM, "squares", &["--help"]);
    assert!(
        fine && text.contains("usage: ") && text.ends_with(" n\n"),
        "{text}"
    );
}

#[test]
#[cfg_attr(not(tool = "opencl-dev"), ignore = "needs the headers of OpenCL")]
fn nothing_to_do_is_done() {
    let (fine, text) = run(PROGRAM, "squares", &["0"]);
    assert!(fine && text.contains("checksum: 0"), "{text}");
}

#[test]
#[cfg_attr(not(tool = "opencl-dev"), ignore = "needs the headers of OpenCL")]
fn conditions_are_checked() {
    let (fine, text) = run(PROGRAM, "squares", &["100"]);
    assert!(
        !fine && text.contains("this has to hold: 64 divides n"),
        "{text}"
    );
    let (fine, text) = run(PROGRAM, "squares", &[]);
    assert!(!fine && text.contains("usage: "), "{text}");
}

const ROW_SUMS: &str = "def rows = depFun((n: Nat, m: Nat) => fun((rows: n.m.f32, k: natType) =>
    rows |> mapGlobal(fun(row => row |> reduceSeq(Private)(add)(0.0f))) |> oclRun(16, 1, 1)(64, 1, 1)))";

#[test]
#[cfg_attr(not(tool = "opencl-dev"), ignore = "needs the headers of OpenCL")]
fn programs_have_indices_of_each_width() {
    let narrow = run_for(ROW_SUMS, "rows", IndexPolicy::default(), &["37", "41"]);
    let (fine, text) = &narrow;
    assert!(fine, "{text}");
    let checksum = text.lines().find(|line| line.starts_with("checksum"));
    for index in [IndexWidth::Bits64.into(), IndexPolicy::BySizes] {
        let (fine, text) = run_for(ROW_SUMS, "rows", index, &["37", "41"]);
        let found = text.lines().find(|line| line.starts_with("checksum"));
        assert!(fine && found == checksum, "{text}");
    }
}

#[test]
#[cfg_attr(not(tool = "opencl-dev"), ignore = "needs the headers of OpenCL")]
fn counts_that_do_not_fit_are_refused_before_the_launch() {
    let sizes = ["47000", "47000"];
    let (fine, text) = run_for(ROW_SUMS, "rows", IndexPolicy::default(), &sizes);
    assert!(!fine && text.contains("n*m < 2^31"), "{text}");
    let sizes = ["1073741824", "1073741824"];
    let (fine, text) = run_for(ROW_SUMS, "rows", IndexPolicy::BySizes, &sizes);
    assert!(!fine && text.contains("n*m < 2^59"), "{text}");
}

/// A program that does not store the windows of an array.
const FAR: &str = "def far = depFun((n: Nat, w: Nat, k: Nat) => fun(xs: n.i32 =>
    xs |> slide(w)(1) |> join |> drop(k) |> take(4) |> mapGlobal(fun(x => x)) |> oclRun(4, 1, 1)(4, 1, 1)))";

#[test]
#[cfg_attr(not(tool = "opencl-dev"), ignore = "needs the headers of OpenCL")]
fn the_host_chooses_kernels_by_the_sizes() {
    let host = |index| {
        let module = module_for(FAR, "far", index).expect("kernels");
        printed(&module)
    };
    let both = host(IndexPolicy::BySizes);
    assert!(
        both.contains("int n,") && both.contains("long n,"),
        "{both}"
    );
    assert!(!host(IndexWidth::Bits64.into()).contains("int n,"));
    let large = ["100000", "50000", "2147483653"];
    for sizes in [&["100", "5", "12"], &large] {
        let (fine, text) = run_for(FAR, "far", IndexPolicy::BySizes, sizes);
        let wide = run_for(FAR, "far", IndexWidth::Bits64.into(), sizes).1;
        let checksum = |text: &str| text[text.find("checksum").unwrap_or(0)..].to_owned();
        assert!(fine && checksum(&text) == checksum(&wide), "{text}{wide}");
    }
    let (fine, text) = run_for(
        FAR,
        "far",
        IndexPolicy::default(),
        &large[..2].iter().copied().chain(["12"]).collect::<Vec<_>>(),
    );
    assert!(!fine && text.contains("< 2^31"), "{text}");
}
