//! Tests random programs on PoCL; `cargo xtask fuzz --opencl` tries thousands, and also runs them
//! under Oclgrind.

use std::process::Output;

use random_programs::{Backend, program};

use crate::support::{each, rise_ls, said};

const COUNT: u64 = 40;

#[test]
#[cfg_attr(not(tool = "opencl"), ignore = "needs an OpenCL device")]
fn random_programs_compute_what_the_interpreter_says() {
    let seeds: Vec<u64> = (0..COUNT).collect();
    each(&seeds, |seed| {
        let made = program(*seed, Backend::OpenCl);
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("random.rise");
        std::fs::write(&file, &made.text).expect("a file");
        let mut command = rise_ls();
        command.arg("run").arg(&file);
        command.args(["--backend", "opencl", "--device", "portable"]);
        command.args(["--verify", "--tolerance", "1e-3"]);
        if made.sized {
            command.arg(format!("-Dn={}", 1 + seed % 5));
        }
        let output = command.output().expect("rise-ls starts");
        match output.status.code() == Some(0) || names_a_reason(&output) {
            true => Vec::new(),
            false => vec![format!("seed {seed}: {}\n{}", said(&output), made.text)],
        }
    });
}

/// Returns true if a program is refused with an error that has advice: some random programs lack a
/// part intentionally.
fn names_a_reason(output: &Output) -> bool {
    let said = String::from_utf8_lossy(&output.stderr);
    let first = said.lines().next().unwrap_or_default();
    output.status.code() == Some(1) && first.starts_with("error[") && said.contains("= help:")
}
