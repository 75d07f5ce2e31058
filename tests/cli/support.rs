//! Runs the binary in a temporary folder.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A temporary folder with files, which is removed with the value.
pub struct Folder(TempDir);

/// The outcome of a command.
#[derive(Debug)]
pub struct Ran {
    /// The exit status.
    pub status: i32,
    /// The standard output.
    pub out: String,
    /// The standard error.
    pub err: String,
}

impl Folder {
    /// Creates an empty folder.
    pub fn new() -> Self {
        Folder(tempfile::tempdir().expect("a folder for temporary files"))
    }

    /// Creates a folder with these files.
    pub fn with<T: AsRef<[u8]>>(files: &[(&str, T)]) -> Self {
        let folder = Folder::new();
        files.iter().for_each(|(name, text)| folder.put(name, text));
        folder
    }

    pub fn put(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("files are in the folder"))
            .expect("folders can be made");
        std::fs::write(path, text).expect("files can be written");
    }

    pub fn get(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("the file is there")
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs `rise-ls` in the folder.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, b"")
    }

    /// Runs `rise-ls` in the folder, with this standard input.
    pub fn run_with(&self, arguments: &[&str], input: &[u8]) -> Ran {
        run_in(self.0.path(), arguments, input)
    }

    /// Returns the findings of `--check` in `paths` as JSON objects.
    pub fn findings(&self, paths: &[&str]) -> Vec<Value> {
        let ran = self.run(&[&["--check"], paths, &["--format", "json"]].concat());
        assert!(ran.status <= 1, "{ran:?}");
        parse_lines(&ran.out)
    }
}

/// Parses a text with a JSON object on each line.
pub fn parse_lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).expect("every line is JSON"))
        .collect()
}

/// Returns a short form of a finding: `path:line:character severity[code]: message`.
pub fn short(finding: &Value) -> String {
    let start = &finding["range"]["start"];
    let text = |key: &str| finding[key].as_str().unwrap_or("?").to_owned();
    let message = text("message");
    format!(
        "{}:{}:{} {}[{}]: {}",
        text("path"),
        start["line"],
        start["character"],
        text("severity"),
        text("code"),
        message.lines().next().unwrap_or_default()
    )
}

/// Returns a command for `rise-ls`, which hangups and interrupts end also where the tests ignore
/// them, as they do under `nohup` and in the background of a script: child processes inherit that.
pub fn ended_by_signals() -> Command {
    let binary = env!("CARGO_BIN_EXE_rise-ls");
    if cfg!(not(target_os = "linux")) {
        return Command::new(binary);
    }
    let mut command = Command::new("/usr/bin/env");
    command.args(["--default-signal=HUP,INT", binary]);
    command
}

/// Runs `rise-ls` in a folder.
pub fn run_in(folder: &Path, arguments: &[&str], input: &[u8]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rise-ls"));
    command.args(arguments).current_dir(folder);
    command.env_remove("CLICOLOR_FORCE").env_remove("NO_COLOR");
    // Compiled programs are kept with the other build outputs of tests.
    command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary starts");
    let mut stdin = child.stdin.take().expect("standard input is a pipe");
    let input = input.to_vec();
    // A program may close the pipe without reading its input.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().expect("the binary ends");
    writer.join().expect("the input is written");
    Ran {
        status: output.status.code().expect("the binary is not killed"),
        out: String::from_utf8(output.stdout).expect("results are UTF-8"),
        err: String::from_utf8(output.stderr).expect("messages are UTF-8"),
    }
}
