//! Tests of the compilation of programs to OpenCL C.

mod features;
mod host;
mod large;
mod papers;
mod speed;

use std::io::Write;
use std::process::{Command, Stdio};

use codegen::{IndexPolicy, Module, Target};
use rise::core::{normalise, program_of};

/// Returns the kernels of the definition `name`, or the error.
fn module(text: &str, name: &str) -> Result<Module, String> {
    module_for(text, name, IndexPolicy::default())
}

/// Returns the kernels with indices of this width, or the error.
fn module_for(text: &str, name: &str, index: IndexPolicy) -> Result<Module, String> {
    let mut program = program_of(text, name).map_err(|error| error.to_string())?;
    normalise(&mut program).map_err(|error| error.to_string())?;
    let functional =
        dpia::functional(&program, Target::OpenCl.features()).map_err(|complaints| {
            format!(
                "{:?}",
                complaints.iter().map(|c| &c.kind).collect::<Vec<_>>()
            )
        })?;
    let imperative = dpia::imperative(&functional).map_err(|error| error.to_string())?;
    codegen::compile_for(&imperative, Target::OpenCl, index).map_err(|errors| {
        let errors: Vec<String> = errors.iter().map(|e| e.message.clone()).collect();
        errors.join("; ")
    })
}

/// Returns the text of the kernels, after Clang has accepted it.
fn kernels(text: &str, name: &str) -> String {
    let module = match module(text, name) {
        Ok(module) => module,
        Err(error) => panic!("{error}"),
    };
    accepted(&module.text);
    module.text
}

/// Checks a text with Clang.
fn accepted(text: &str) {
    let args = "-x cl -cl-std=CL1.2 -Xclang -finclude-default-header -fsyntax-only -Wall -Wextra \
                -Werror -";
    let child = Command::new("clang")
        .args(args.split_whitespace())
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.expect("clang is installed");
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(text.as_bytes()).expect("clang reads");
    }
    let output = child.wait_with_output().expect("clang ends");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}\n{text}");
}
