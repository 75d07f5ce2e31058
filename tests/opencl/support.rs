//! The list of programs, `rise-ls`, and what there is of OpenCL on this machine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Deserialize;

/// Where Debian and others put Oclgrind's driver.
const OCLGRIND: &[&str] = &[
    "/usr/lib/oclgrind/liboclgrind-rt-icd.so",
    "/usr/lib64/oclgrind/liboclgrind-rt-icd.so",
    "/usr/local/lib/oclgrind/liboclgrind-rt-icd.so",
];

/// Sizes by name.
pub type Sizes = BTreeMap<String, u64>;

/// An entry of `kernels.json`.
#[derive(Deserialize)]
pub struct Program {
    /// The definition.
    pub name: String,
    /// Its file.
    pub file: String,
    /// Sizes at which it is compared with the interpreter.
    pub verify: Vec<Sizes>,
    /// Sizes at which Oclgrind, which is slow, watches; the first of `verify` if it is not said.
    pub watch: Option<Vec<Sizes>>,
    /// Sizes that break a condition.
    #[serde(default)]
    pub refuse: Vec<Sizes>,
    /// How far floating point numbers may be off.
    pub tolerance: Option<f64>,
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub fn programs() -> Vec<Program> {
    let text = std::fs::read_to_string(root().join("tests/kernels/kernels.json"));
    serde_json::from_str(&text.expect("the list of programs")).expect("a list of programs")
}

/// `rise-ls` in the root of the project.
pub fn rise_ls() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rise-ls"));
    command.current_dir(root());
    command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    command
}

/// `rise-ls run` of a program, compared with the interpreter.
pub fn verified(program: &Program, sizes: &Sizes) -> Command {
    let mut command = rise_ls();
    command.args(["run", &program.file, "--def", &program.name]);
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

/// What a process said, and how it ended.
pub fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!(
        "{}\n{}{}",
        output.status,
        text(&output.stdout),
        text(&output.stderr)
    )
}

/// Calls `check` with everything, on all cores, and fails with all that it says.
pub fn each<T: Sync>(all: &[T], check: impl Fn(&T) -> Vec<String> + Sync) {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(one) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let said = check(one);
                    found.lock().expect("no test thread panics").extend(said);
                }
            });
        }
    });
    let found = found.into_inner().expect("no test thread panics");
    assert!(
        found.is_empty(),
        "{} wrong:\n{}",
        found.len(),
        found.join("\n")
    );
}

/// Whether there is a device to run on: PoCL, which is the processor.
pub fn has_pocl() -> bool {
    has_device(&mut rise_ls(), "portable")
}

/// Whether a program that cannot go wrong runs on the device with this name.
fn has_device(command: &mut Command, name: &str) -> bool {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("probe.rise");
    let text = "@target(opencl)\n@opencl(local = [1], global = [4])\n\
                def probe = fun(xs: 4.f32 => xs |> mapGlobal(fun(x => x + 1.0f)))\n";
    std::fs::write(&file, text).expect("a file");
    let output = command
        .arg("run")
        .arg(&file)
        .args(["--backend", "opencl", "--device", name])
        .output()
        .expect("rise-ls starts");
    let said = String::from_utf8_lossy(&output.stderr);
    // What is missing on the machine says so; everything else is for the tests to fail at.
    let missing = ["OpenCL library", "no OpenCL", "there is no OpenCL device"];
    output.status.success() || !missing.iter().any(|words| said.contains(words))
}

/// Oclgrind as the only driver.
pub struct Oclgrind {
    folder: tempfile::TempDir,
}

impl Oclgrind {
    /// `None` where it is not installed.
    pub fn find() -> Option<Oclgrind> {
        let library = OCLGRIND.iter().find(|path| Path::new(path).is_file())?;
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("oclgrind.icd"), library).expect("a file");
        Some(Oclgrind { folder })
    }

    /// Runs a command with it, and returns what it finds with what the command says.
    pub fn watch(&self, mut command: Command) -> (String, Output) {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let log = self.folder.path().join(format!("log{number}"));
        command.args(["--device", "oclgrind"]);
        command.env("OCL_ICD_VENDORS", self.folder.path());
        command.env("OCLGRIND_DATA_RACES", "1");
        // Its compiler moves loads of local memory over barriers, and that would be a race.
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

/// The beginning of what Oclgrind says, without empty lines.
fn first_reports(log: &str) -> String {
    let lines = log.lines().filter(|line| !line.trim().is_empty());
    lines.take(16).collect::<Vec<_>>().join("\n")
}
