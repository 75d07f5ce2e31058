//! Provides the list of programs, `rise-ls`, and the OpenCL tools of this machine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use serde::Deserialize;
use tools::OCLGRIND;

/// Values of sizes by name.
pub type Sizes = BTreeMap<String, u64>;

/// An entry of `kernels.json`.
#[derive(Deserialize)]
pub struct Program {
    /// The name of the program.
    pub name: String,
    /// The name of the definition; that of the program if there is none.
    pub def: Option<String>,
    /// The file of the definition.
    pub file: String,
    /// The sizes at which it is compared with the interpreter.
    pub verify: Vec<Sizes>,
    /// The sizes for Oclgrind, which is slow; the first of `verify` if there are none.
    pub watch: Option<Vec<Sizes>>,
    /// Sizes that violate a condition.
    #[serde(default)]
    pub refuse: Vec<Sizes>,
    /// The maximal difference of floating-point numbers.
    pub tolerance: Option<f64>,
}

impl Program {
    /// Returns the name of the definition.
    pub fn def(&self) -> &str {
        self.def.as_deref().unwrap_or(&self.name)
    }
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub fn programs() -> Vec<Program> {
    let text = std::fs::read_to_string(root().join("tests/kernels/kernels.json"));
    serde_json::from_str(&text.expect("the list of programs")).expect("a list of programs")
}

/// Returns the command `rise-ls` in the root of the project.
pub fn rise_ls() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rise-ls"));
    command.current_dir(root());
    command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    command
}

/// Returns the command `rise-ls run` of a program with a comparison with the interpreter.
pub fn verified(program: &Program, sizes: &Sizes) -> Command {
    let mut command = rise_ls();
    command.args(["run", &program.file, "--def", program.def()]);
    command.args(["--backend", "opencl", "--verify"]);
    command.args(
        sizes
            .iter()
            .map(|(name, value)| format!("-D{name}={value}")),
    );
    if let Some(tolerance) = program.tolerance {
        command.args(["--tolerance", &tolerance.to_string()]);
    }
    command
}

/// Returns the exit status and the output of a process.
pub fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!(
        "{}\n{}{}",
        output.status,
        text(&output.stdout),
        text(&output.stderr)
    )
}

/// Calls `check` with every element, on all cores, and fails with all messages.
pub fn each<T: Sync>(all: &[T], check: impl Fn(&T) -> Vec<String> + Sync) {
    let found: Vec<String> = all.par_iter().flat_map_iter(&check).collect();
    assert!(
        found.is_empty(),
        "{} wrong:\n{}",
        found.len(),
        found.join("\n")
    );
}

/// Oclgrind as the only OpenCL driver.
pub struct Oclgrind {
    folder: tempfile::TempDir,
}

impl Oclgrind {
    /// Finds the installed Oclgrind.
    pub fn find() -> Oclgrind {
        let library = OCLGRIND.iter().find(|path| Path::new(path).is_file());
        let library = library.expect("Oclgrind is installed");
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("oclgrind.icd"), library).expect("a file");
        Oclgrind { folder }
    }

    /// Runs a command with Oclgrind, and returns the errors it finds and the output of the command.
    pub fn watch(&self, mut command: Command) -> (String, Output) {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let log = self.folder.path().join(format!("log{number}"));
        command.args(["--device", "oclgrind"]);
        command.env("OCL_ICD_VENDORS", self.folder.path());
        command.env("OCLGRIND_DATA_RACES", "1");
        // With optimisation, Oclgrind's compiler moves loads from local memory across barriers,
        // which would be a data race.
        command.env("OCLGRIND_BUILD_OPTIONS", "-cl-opt-disable");
        command.env("OCLGRIND_UNIFORM_WRITES", "1");
        command.env("OCLGRIND_LOG", &log);
        // The tests themselves use all cores.
        command.env("OCLGRIND_NUM_THREADS", "1");
        let output = command.output().expect("rise-ls starts");
        let found = std::fs::read_to_string(&log).unwrap_or_default();
        (first_reports(&found), output)
    }
}

/// Returns the beginning of Oclgrind's log, without empty lines.
fn first_reports(log: &str) -> String {
    let lines = log.lines().filter(|line| !line.trim().is_empty());
    lines.take(16).collect::<Vec<_>>().join("\n")
}
