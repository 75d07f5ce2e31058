//! Detects the tools that tests need and not every machine has.
//!
//! A build script calls [`declare`], and a test that needs a tool is annotated:
//! `#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]`. On a machine without the tool the
//! test is among the ignored ones in the summary of `cargo test`; `.ci/run`, which installs all
//! tools, fails if there is one.

use std::path::Path;
use std::process::{Command, Stdio};

/// A tool with its name in `cfg(tool = "…")`.
struct Tool {
    name: &'static str,
    is_there: fn() -> bool,
}

const TOOLS: [Tool; 5] = [
    Tool {
        name: "gcc",
        is_there: || links("gcc"),
    },
    Tool {
        name: "clang",
        is_there: || links("clang") && reads_opencl(),
    },
    Tool {
        name: "opencl",
        is_there: || runs(&["-l:libOpenCL.so.1"], PLATFORMS),
    },
    Tool {
        name: "opencl-dev",
        is_there: || {
            runs(
                &["-lOpenCL", "-include", "CL/cl.h"],
                "int main(void) { return 0; }",
            )
        },
    },
    Tool {
        name: "oclgrind",
        is_there: || OCLGRIND.iter().any(|path| Path::new(path).is_file()),
    },
];

/// The usual paths of Oclgrind's driver.
pub const OCLGRIND: [&str; 3] = [
    "/usr/lib/oclgrind/liboclgrind-rt-icd.so",
    "/usr/lib64/oclgrind/liboclgrind-rt-icd.so",
    "/usr/local/lib/oclgrind/liboclgrind-rt-icd.so",
];

/// Files and folders that change when a tool is removed or replaced. After the installation of a
/// tool, `touch crates/*/build.rs` makes Cargo detect it.
const CHANGED: [&str; 4] = [
    "/usr/bin/gcc",
    "/usr/bin/clang",
    "/usr/include/CL",
    "/etc/OpenCL/vendors",
];

/// A program that fails if OpenCL has no driver. It needs no header.
const PLATFORMS: &str = "int clGetPlatformIDs(unsigned, void *, unsigned *);
int main(void) { unsigned n = 0; return clGetPlatformIDs(0, 0, &n) != 0 || n == 0; }";

/// Declares the available tools to Cargo. Only build scripts call it.
pub fn declare() {
    let names = TOOLS.map(|tool| format!("{:?}", tool.name)).join(", ");
    println!("cargo::rustc-check-cfg=cfg(tool, values({names}))");
    for tool in TOOLS.iter().filter(|tool| (tool.is_there)()) {
        println!("cargo::rustc-cfg=tool={:?}", tool.name);
    }
    // A path that does not exist would make Cargo rebuild everything each time.
    let changed = CHANGED.iter().chain(&OCLGRIND);
    for path in changed.filter(|path| Path::new(path).exists()) {
        println!("cargo::rerun-if-changed={path}");
    }
}

/// Returns true if the compiler supports OpenMP and sanitizers, which are packages of their own.
fn links(compiler: &str) -> bool {
    let flags = ["-fopenmp", "-fsanitize=address,undefined"];
    let text = "#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }";
    compiles(compiler, &flags, text)
}

fn reads_opencl() -> bool {
    let flags = [
        "-x",
        "cl",
        "-cl-std=CL1.2",
        "-Xclang",
        "-finclude-default-header",
    ];
    let text = "kernel void k(global int *p) { p[get_global_id(0)] = 0; }";
    compiles("clang", &[&flags[..], &["-fsyntax-only"]].concat(), text)
}

/// Returns true if the program compiles with these flags, and exits successfully.
fn runs(flags: &[&str], text: &str) -> bool {
    let program = output();
    let runs = || Command::new(&program).status();
    compiles("cc", flags, text) && runs().is_ok_and(|status| status.success())
}

fn compiles(compiler: &str, flags: &[&str], text: &str) -> bool {
    let source = Path::new(&output()).with_extension("c");
    if std::fs::write(&source, text).is_err() {
        return false;
    }
    let mut command = Command::new(compiler);
    // Libraries have to follow the files that use them.
    let (libraries, flags): (Vec<&str>, Vec<&str>) =
        flags.iter().partition(|flag| flag.starts_with("-l"));
    command.args(flags).arg(&source).args(libraries);
    command.arg("-o").arg(output()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Returns the path of a file in the build script's output folder.
fn output() -> String {
    format!("{}/tool", std::env::var("OUT_DIR").unwrap_or_default())
}
