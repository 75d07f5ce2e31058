//! The program around the kernels, compiled and run where OpenCL is installed.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::module;

const PROGRAM: &str = "@opencl(local = [64], global = [n])
    def squares = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(fun(x => x * x))))";

const PARTS: &str = "def parts = depFun(n: Nat => fun((xs: n.f32, k: i32) =>
    xs |> mapGlobal(fun(x => x + 1.0f)) |> oclRun(64, 1, 1)(n, 1, 1) |> toMem(Global)
       |> mapGlobal(fun(x => (x, k))) |> oclRun(32, 1, 1)(n, 1, 1)))";

const OPEN: &str =
    "def open = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(fun(x => x * x))))";

fn folder(name: &str) -> PathBuf {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("rise-host-{name}-{}-{number}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// What the program of a definition prints; none where OpenCL's headers are not installed.
fn run(text: &str, name: &str, args: &[&str]) -> Option<(bool, String)> {
    let module = module(text, name).expect("kernels");
    let host = codegen::host(&module).expect("sizes").expect("a program");
    let folder = folder(name);
    let source = folder.join("host.c");
    fs::write(&source, host).expect("a file");
    let headers = Command::new("cc")
        .args([
            "-fsyntax-only",
            "-include",
            "CL/cl.h",
            "-x",
            "c",
            "/dev/null",
        ])
        .output();
    if !headers.is_ok_and(|output| output.status.success()) {
        return None;
    }
    let binary = folder.join("host");
    let compiled = Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-o"])
        .args([&binary, &source])
        .arg("-lOpenCL")
        .output()
        .expect("cc runs");
    let message = String::from_utf8_lossy(&compiled.stderr).into_owned();
    if message.contains("cannot find -lOpenCL") {
        return None;
    }
    assert!(compiled.status.success(), "{message}");
    let ran = Command::new(&binary).args(args).output().expect("it runs");
    let _ = fs::remove_dir_all(&folder);
    let errors = String::from_utf8_lossy(&ran.stderr);
    if errors.contains("there is no OpenCL") {
        return None;
    }
    let output = String::from_utf8_lossy(&ran.stdout);
    Some((ran.status.success(), format!("{output}{errors}")))
}

#[test]
fn a_kernel_runs() {
    let Some((fine, text)) = run(PROGRAM, "squares", &["128"]) else {
        return;
    };
    assert!(fine, "{text}");
    assert!(
        text.contains("squares: ") && text.contains("checksum: "),
        "{text}"
    );
}

#[test]
fn several_kernels_run() {
    let Some((fine, text)) = run(PARTS, "parts", &["128"]) else {
        return;
    };
    assert!(fine, "{text}");
    assert!(
        text.contains("parts_1: ") && text.contains("parts_2: "),
        "{text}"
    );
}

#[test]
fn launch_sizes_are_options() {
    let Some((fine, text)) = run(OPEN, "open", &["--local=16", "--global=64", "100"]) else {
        return;
    };
    assert!(fine, "{text}");
}

#[test]
fn conditions_are_checked() {
    let Some((fine, text)) = run(PROGRAM, "squares", &["100"]) else {
        return;
    };
    assert!(
        !fine && text.contains("this has to hold: 64 divides n"),
        "{text}"
    );
    let Some((fine, text)) = run(PROGRAM, "squares", &[]) else {
        return;
    };
    assert!(!fine && text.contains("usage: "), "{text}");
}
