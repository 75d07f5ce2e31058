//! Tests of the output of `rise-ls emit`.

use std::process::Command;

use crate::support::{Program, each, programs, rise_ls, said};

/// The options of Clang as a compiler of OpenCL C 1.2, with all warnings.
const CLANG: &[&str] = &[
    "-x",
    "cl",
    "-cl-std=CL1.2",
    "-Xclang",
    "-finclude-default-header",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-fsyntax-only",
];

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn kernels_compile_without_a_warning() {
    let folder = tempfile::tempdir().expect("a folder");
    each(&programs(), |program: &Program| {
        let output = rise_ls()
            .args(["emit", &program.file, "--def", program.def()])
            .args(["--as", "opencl"])
            .output()
            .expect("rise-ls starts");
        if output.status.code() != Some(0) {
            return vec![format!("{}: {}", program.name, said(&output))];
        }
        let file = folder.path().join(format!("{}.cl", program.name));
        std::fs::write(&file, &output.stdout).expect("a file");
        let output = Command::new("clang").args(CLANG).arg(&file).output();
        let output = output.expect("clang starts");
        match output.status.success() && output.stderr.is_empty() {
            true => Vec::new(),
            false => vec![format!("{}: {}", program.name, said(&output))],
        }
    });
}

/// The kernels with which benchmarks compare compile, too; some do not use all sizes.
#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn kernels_by_hand_compile() {
    let files = std::fs::read_dir(crate::support::root().join("tests/kernels"));
    let files: Vec<_> = (files.expect("a folder").flatten())
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "cl"))
        .collect();
    each(&files, |file| {
        let mut clang = Command::new("clang");
        let output = clang.args(CLANG).arg("-Wno-unused-parameter").arg(file);
        let output = output.output().expect("clang starts");
        match output.status.success() {
            true => Vec::new(),
            false => vec![format!("{}: {}", file.display(), said(&output))],
        }
    });
}
