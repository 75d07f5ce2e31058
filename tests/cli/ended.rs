//! Tests that commands ended by a signal leave no processes and no files.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::support::{Folder, ended_by_signals};

/// A program that does not terminate.
const ENDLESS: &str =
    "foreign def twist(x: i32): i32 = \"\"\"{ volatile int k = 0; while (1) k++; return x; }\"\"\"
@target(c)
def forever = fun(x: i32 => twist(x))
";

/// A slow compiler that has a child process and leaves a file.
const SLOW: &str = "#!/bin/sh
case \"$*\" in *--version*) echo slow 1; exit;; esac
touch \"$TMPDIR/cc1.s\"
sleep 1000 & sleep 1000
";

/// A running command with a folder for its temporary files.
struct Running {
    child: Child,
    scratch: TempDir,
}

impl Running {
    fn start(folder: &Folder, arguments: &[&str], compiler: Option<&str>) -> Running {
        let scratch = tempfile::tempdir().expect("a folder");
        let mut command = ended_by_signals();
        command.args(arguments).current_dir(folder.path(""));
        command.env("TMPDIR", scratch.path());
        command.env("XDG_CACHE_HOME", scratch.path());
        if let Some(compiler) = compiler {
            command.env("CC", compiler);
        }
        command.stdin(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().expect("the binary starts");
        Running { child, scratch }
    }

    /// Waits until a process has started whose command line satisfies `is_meant`.
    fn wait_started(&self, is_meant: impl Fn(&str) -> bool) {
        wait_until(|| {
            let started = started_below(self.scratch.path());
            started.iter().any(|command| is_meant(command))
        });
    }

    fn signal(&mut self, signal: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args([signal, &pid]).status();
        assert!(sent.expect("kill runs").success());
        self.child.wait().expect("the binary ends");
    }

    /// Returns the files that are left when all processes have ended.
    fn left(&self) -> Vec<String> {
        wait_until(|| started_below(self.scratch.path()).is_empty());
        files_below(self.scratch.path())
    }
}

/// Returns the command lines of the processes that use a folder.
fn started_below(folder: &Path) -> Vec<String> {
    let name = folder.to_str().expect("names are UTF-8");
    let processes = std::fs::read_dir("/proc").expect("a list of processes");
    let started = processes.flatten().filter_map(|process| {
        let process = process.path();
        let line = std::fs::read(process.join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        let cwd = std::fs::read_link(process.join("cwd"));
        let is_below = cwd.is_ok_and(|cwd| cwd.starts_with(folder)) || line.contains(name);
        is_below.then_some(line)
    });
    started.collect()
}

/// Returns the temporary files in a folder, without compiled programs and their sources, which are
/// kept.
fn files_below(folder: &Path) -> Vec<String> {
    let names = |folder: &Path| -> Vec<String> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.collect()
    };
    let cache = folder.join("rise-ls");
    let building = names(&cache.join("programs")).into_iter();
    let building = building.filter(|name| name.starts_with("building"));
    let temporary = names(folder).into_iter().filter(|name| name != "rise-ls");
    temporary.chain(building).collect()
}

fn wait_until(mut condition: impl FnMut() -> bool) {
    for _ in 0..3000 {
        if condition() {
            return;
        }
        sleep(Duration::from_millis(10));
    }
    panic!("nothing happens for 30 seconds");
}

const NONE: [&str; 0] = [];

#[test]
fn a_run_that_is_ended_leaves_nothing() {
    let folder = Folder::with(&[("a.rise", ENDLESS), ("cc.sh", SLOW)]);
    let slow = format!("sh {}", folder.path("cc.sh").display());
    let run = |backend| ["run", "a.rise", "--arg", "x=1", "--backend", backend];
    // The command line of its compiler contains the same path, but does not count.
    let is_program = |command: &str| {
        let program = command.split(' ').next();
        program.is_some_and(|program| program.ends_with("/run"))
    };
    for signal in ["-INT", "-TERM", "-HUP", "-KILL"] {
        for backend in ["c", "interp"] {
            let mut running = Running::start(&folder, &run(backend), None);
            running.wait_started(is_program);
            running.signal(signal);
            assert_eq!(running.left(), NONE, "{backend} {signal}");
        }
        let mut running = Running::start(&folder, &run("c"), Some(&slow));
        running.wait_started(|command| command.starts_with("sleep"));
        running.signal(signal);
        assert_eq!(running.left(), NONE, "compiler {signal}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_program_ends_with_the_process_that_watches_it() {
    let folder = Folder::with(&[("a.rise", ENDLESS)]);
    let arguments = ["run", "a.rise", "--arg", "x=1", "--backend", "c"];
    let mut running = Running::start(&folder, &arguments, None);
    let is_program = |command: &str| {
        command
            .split(' ')
            .next()
            .is_some_and(|p| p.ends_with("/run"))
    };
    running.wait_started(is_program);
    kill_children(&running);
    let status = running.child.wait().expect("the binary ends");
    assert_eq!(status.code(), Some(1));
    assert_eq!(running.left(), NONE);
}

#[test]
#[cfg(target_os = "linux")]
fn what_a_compiler_starts_ends_with_the_process_that_watches_it() {
    let folder = Folder::with(&[("a.rise", ENDLESS), ("cc.sh", SLOW)]);
    let slow = format!("sh {}", folder.path("cc.sh").display());
    let arguments = ["run", "a.rise", "--arg", "x=1", "--backend", "c"];
    let mut running = Running::start(&folder, &arguments, Some(&slow));
    running.wait_started(|command| command.starts_with("sleep"));
    kill_children(&running);
    running.child.wait().expect("the binary ends");
    assert_eq!(running.left(), NONE);
}

#[cfg(target_os = "linux")]
fn kill_children(running: &Running) {
    let own = running.child.id();
    let tasks = std::fs::read_dir(format!("/proc/{own}/task")).expect("its threads");
    let children =
        tasks.map(|task| std::fs::read_to_string(task.expect("a thread").path().join("children")));
    let children: String = children.map(|ids| ids.expect("their children")).collect();
    let killed = Command::new("kill")
        .arg("-KILL")
        .args(children.split_whitespace())
        .status();
    assert!(killed.expect("kill runs").success());
}

#[test]
#[cfg(target_os = "linux")]
fn a_supervisor_without_a_report_ends_as_its_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let lock = std::fs::File::open(folder.path()).expect("a folder");
    lock.lock().expect("a lock");
    // No file can be written to the path of a folder.
    std::fs::create_dir(folder.path().join("report")).expect("a folder");
    let run = |program: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rise-ls"));
        command.arg("supervise").arg(folder.path()).args(program);
        command.status().expect("the binary starts").code()
    };
    assert_eq!(run(&["true"]), Some(0));
    assert_eq!(run(&["sh", "-c", "exit 3"]), Some(3));
    assert_eq!(run(&["sh", "-c", "kill -SEGV $$"]), Some(128 + 11));
    assert_eq!(run(&["no-such-program-here"]), Some(127));
}

#[test]
fn a_run_without_a_terminal_goes_on() {
    let folder = Folder::with(&[("a.rise", ENDLESS)]);
    let script = format!(
        "trap '' HUP; exec {} run a.rise --arg x=1 --backend c --timeout 2",
        env!("CARGO_BIN_EXE_rise-ls")
    );
    let mut child = Command::new("sh")
        .args(["-c", &script])
        .current_dir(folder.path(""))
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .stderr(Stdio::null())
        .spawn()
        .expect("sh runs");
    sleep(Duration::from_millis(500));
    let sent = Command::new("kill")
        .args(["-HUP", &child.id().to_string()])
        .status();
    assert!(sent.expect("kill runs").success());
    // The program ends at its time limit, which is a failure of the program.
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
}

#[test]
fn what_killed_processes_have_left_is_removed_at_the_next_start() {
    let folder = Folder::with(&[("a.rise", "@target(c)\ndef f = fun(x: i32 => x)\n")]);
    let scratch = tempfile::tempdir().expect("a folder");
    let left = ["rise-ls-tmp-1/result", "rise-ls/programs/building-1/run"];
    for file in left {
        let path = scratch.path().join(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, "").expect("a file");
    }
    let status = Command::new(env!("CARGO_BIN_EXE_rise-ls"))
        .args(["run", "a.rise", "--arg", "x=1", "--backend", "c"])
        .current_dir(folder.path(""))
        .env("TMPDIR", scratch.path())
        .env("XDG_CACHE_HOME", scratch.path())
        .stdout(Stdio::null())
        .status();
    assert!(status.expect("the binary starts").success());
    assert_eq!(files_below(scratch.path()), NONE);
}

#[test]
fn a_compiler_that_does_not_answer_takes_the_time_limit_once() {
    let folder = Folder::with(&[
        ("a.rise", "@target(c)\ndef f = fun(x: i32 => x)\n"),
        ("cc.sh", "sleep 1000"),
    ]);
    let ran = Command::new(env!("CARGO_BIN_EXE_rise-ls"))
        .args(["run", "a.rise", "--arg", "x=1", "--backend", "c"])
        .args(["--timeout", "2"])
        .current_dir(folder.path(""))
        .env("CC", "sh cc.sh")
        .output()
        .expect("the binary starts");
    // On a busy machine, the command is ended before it says that it was the compiler.
    let said = String::from_utf8_lossy(&ran.stderr).replace("the C compiler: ", "");
    assert_eq!(
        said,
        "error: stopped after 2s, the longest time it may take\n"
    );
    assert_eq!(ran.status.code(), Some(1));
}

/// Returns a program that the compiler of `rise-ls` takes minutes to compile: each function calls
/// the one before twice.
fn large_program() -> String {
    let calls = (1..=14).map(|at| {
        let before = at - 1;
        format!("def f{at} = fun(x: f32 => f{before}(f{before}(x) + x))\n")
    });
    format!(
        "def f0 = fun(x: f32 => sqrt(x * x + 1.0f))\n{}\
         @target(c)\ndef large = depFun(n: Nat => fun(xs: n.f32 => xs |> map(f14)))\n",
        calls.collect::<String>()
    )
}

#[test]
fn the_time_limit_includes_the_compilation_by_this_program() {
    let folder = Folder::with(&[("a.rise", large_program())]);
    let start = Instant::now();
    let run = ["run", "a.rise", "--def", "large", "-D", "n=1"];
    let ran = folder.run(&[&run[..], &["--timeout", "0.5"]].concat());
    assert_eq!((ran.status, ran.out.as_str()), (1, ""));
    assert_eq!(
        ran.err,
        "error: stopped after 500ms, the longest time it may take\n"
    );
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[test]
fn the_time_limit_is_for_all_compilers_and_runs_together() {
    let slow = "#!/bin/sh\ncase \"$*\" in *--version*) echo slow 1; exit;; esac\nsleep 2; exec cc \"$@\"\n";
    let folder = Folder::with(&[("a.rise", ENDLESS), ("cc.sh", slow)]);
    let cache = tempfile::tempdir().expect("a folder");
    let start = Instant::now();
    let ran = Command::new(env!("CARGO_BIN_EXE_rise-ls"))
        .args(["run", "a.rise", "--arg", "x=1", "--backend", "c"])
        .args(["--timeout", "10"])
        .current_dir(folder.path(""))
        .env("XDG_CACHE_HOME", cache.path())
        .env("CC", "sh cc.sh")
        .output()
        .expect("the binary starts");
    assert_eq!(ran.status.code(), Some(1));
    let elapsed = start.elapsed();
    assert!(elapsed < Duration::from_secs(12), "{elapsed:?}");
}

#[test]
fn a_signal_ends_the_compilation_by_this_program() {
    let folder = Folder::with(&[("a.rise", large_program())]);
    let run = ["run", "a.rise", "--def", "large", "-D", "n=1"];
    for signal in ["-INT", "-TERM"] {
        let mut running = Running::start(&folder, &run, None);
        sleep(Duration::from_secs(1));
        let start = Instant::now();
        running.signal(signal);
        assert!(start.elapsed() < Duration::from_secs(20), "{signal}");
        assert_eq!(running.left(), NONE, "{signal}");
    }
}
