//! Starts processes that do not outlive this one.
//!
//! A program is started by a supervisor: a process of this program's own binary (see
//! [`set_supervisor`]) that starts the program in its own process group, and waits for the lock of
//! a folder that this process holds. The system releases the lock when this process ends for any
//! reason. Then the supervisor kills the process group and removes abandoned files.
//!
//! If the system has parent-death signals, the program is killed when its supervisor dies: the
//! supervisor starts this program's own binary again, which requests the signal and then replaces
//! itself by the program ([`execute`]).
//!
//! Without a supervisor, as in tests of this crate, a program is only killed by the process that
//! has started it.

use super::ProcessError;
use crate::build_cache;
use crate::temp_dir::{self, LockedTempDir};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

/// The file in the locked folder in which the supervisor reports the end of the program.
const REPORT_FILE: &str = "report";
/// The file in the locked folder that contains the id of the program's process group.
const GROUP_FILE: &str = "group";
/// The file in the locked folder that marks that a running process has released the lock.
const RELEASED_FILE: &str = "released";
/// The environment variable that disables huge pages in the allocator of this program's own
/// processes, if its value is `0`. Programs are started with huge pages: see [`execute`].
pub const ALLOW_HUGE_PAGES: &str = "MIMALLOC_ALLOW_THP";
/// The environment variable by which the language server passes the token of a session to its own
/// processes.
pub const SESSION_TOKEN: &str = "RISE_LS_TOKEN";
/// The environment variables for this program's own processes, which are removed for other
/// programs.
const INTERNAL_VARIABLES: [&str; 2] = [ALLOW_HUGE_PAGES, SESSION_TOKEN];
/// The largest number of checks for the end of a killed group and of the process that has started
/// it, which may still write files or hold locks.
const MAX_EXIT_POLLS: u32 = 1000;
/// The pause between two of these checks.
const EXIT_POLL_INTERVAL: Duration = Duration::from_millis(2);

static SUPERVISOR: OnceLock<(PathBuf, Subcommands)> = OnceLock::new();

/// The names of the subcommands of this program's own binary that start other programs.
#[derive(Clone, Copy, Debug)]
pub struct Subcommands {
    /// The subcommand that calls [`supervise`]: `NAME FOLDER PROGRAM ARGUMENTS…`.
    pub supervise: &'static str,
    /// The subcommand that calls [`execute`]: `NAME FOLDER PARENT PROGRAM ARGUMENTS…`.
    pub execute: &'static str,
}

/// Sets the supervisor: later programs are started by the subcommands of `program`. Only the first
/// call has an effect.
pub fn set_supervisor(program: PathBuf, subcommands: Subcommands) {
    // Later calls are ignored.
    let _ = SUPERVISOR.set((program, subcommands));
}

/// A running program. It is killed with its child processes when the value is dropped.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    name: String,
    /// The folder whose lock keeps the supervised program running.
    lifeline: Option<LockedTempDir>,
}

impl Process {
    /// Starts the program in its own process group, with pipes for its output. The standard streams
    /// of `command` are replaced.
    pub fn start(command: &mut Command, stdin: Stdio) -> Result<Process, ProcessError> {
        let name = command.get_program().to_string_lossy().into_owned();
        let start = |error| ProcessError::Start(name.clone(), error);
        for variable in INTERNAL_VARIABLES {
            command.env_remove(variable);
        }
        let mut supervised = supervised(command);
        let command = supervised.as_mut().map_or(command, |(command, _)| command);
        own_group(command);
        command
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = command.spawn().map_err(start)?;
        let lifeline = supervised.map(|(_, lifeline)| lifeline);
        Ok(Process {
            child,
            name,
            lifeline,
        })
    }

    /// Returns the pipes to the program. Later calls return none.
    pub fn pipes(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        let child = &mut self.child;
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    }

    /// Returns the exit status, if the program has ended.
    ///
    /// # Errors
    /// Fails if the program could not be started, or its status is not available.
    pub fn try_wait(&mut self) -> Result<Option<ExitStatus>, ProcessError> {
        let status = self.child.try_wait();
        status
            .map_err(|error| self.lost(error))?
            .map(|status| self.told(status))
            .transpose()
    }

    /// Waits for the end of the program.
    ///
    /// # Errors
    /// Fails if the program could not be started, or its status is not available.
    pub fn wait(&mut self) -> Result<ExitStatus, ProcessError> {
        let status = self.child.wait();
        let status = status.map_err(|error| self.lost(error))?;
        self.told(status)
    }

    fn lost(&self, error: io::Error) -> ProcessError {
        ProcessError::Wait(self.name.clone(), error)
    }

    /// Returns the exit status of the program, where `status` may be that of its supervisor.
    fn told(&self, status: ExitStatus) -> Result<ExitStatus, ProcessError> {
        let Some(lifeline) = &self.lifeline else {
            return Ok(status);
        };
        match Report::read(lifeline.path()) {
            Some(Report::Ended(status)) => Ok(status),
            Some(Report::NotStarted(error)) => Err(ProcessError::Start(self.name.clone(), error)),
            None => {
                kill_orphans(lifeline.path());
                Ok(status)
            }
        }
    }

    /// Kills the program and its child processes. Does nothing if none of them is running any more.
    /// If there is a supervisor, it kills them soon after this call.
    pub fn kill(&mut self) {
        match &mut self.lifeline {
            Some(lifeline) => {
                // Without this file the supervisor only waits a little longer.
                let _ = fs::write(lifeline.path().join(RELEASED_FILE), "");
                lifeline.release();
            }
            None => kill_group(&mut self.child),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
        // Reaps the child process.
        let _ = self.child.wait();
        if let Some(lifeline) = &self.lifeline
            && !Report::exists(lifeline.path())
        {
            kill_orphans(lifeline.path());
        }
    }
}

/// Returns the command that starts a supervisor for `command`, or `None` if there is no supervisor
/// or no lock.
fn supervised(command: &Command) -> Option<(Command, LockedTempDir)> {
    let (program, subcommands) = SUPERVISOR.get()?;
    let lifeline = LockedTempDir::new().ok().filter(LockedTempDir::is_locked)?;
    let mut supervisor = Command::new(program);
    supervisor.arg(subcommands.supervise).arg(lifeline.path());
    supervisor
        .arg(command.get_program())
        .args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => supervisor.env(name, value),
            None => supervisor.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        supervisor.current_dir(folder);
    }
    Some((supervisor, lifeline))
}

/// The report of a supervisor.
enum Report {
    Ended(ExitStatus),
    NotStarted(io::Error),
}

impl Report {
    fn read(folder: &Path) -> Option<Report> {
        let text = fs::read_to_string(folder.join(REPORT_FILE)).ok()?;
        let (what, content) = text.split_once(' ')?;
        match what {
            "ended" => exit_status(content.parse().ok()?).map(Report::Ended),
            "not-started" => {
                let number = content.parse().ok()?;
                Some(Report::NotStarted(io::Error::from_raw_os_error(number)))
            }
            "not-possible" => Some(Report::NotStarted(io::Error::other(content))),
            _ => None,
        }
    }

    /// Writes the report, and returns the exit status for this process, which is used if the report
    /// cannot be written.
    fn write(&self, folder: &Path) -> u8 {
        let (text, status) = match self {
            Report::Ended(status) => (
                format!("ended {}", raw_status(*status)),
                shell_status(*status),
            ),
            Report::NotStarted(error) => match error.raw_os_error() {
                Some(number) => (format!("not-started {number}"), COMMAND_NOT_FOUND),
                None => (format!("not-possible {error}"), COMMAND_NOT_FOUND),
            },
        };
        let _ = fs::write(folder.join(REPORT_FILE), text);
        status
    }

    fn exists(folder: &Path) -> bool {
        folder.join(REPORT_FILE).is_file()
    }
}

/// The exit status for a command that is not found, as in shells.
const COMMAND_NOT_FOUND: u8 = 127;

/// Converts an exit status as shells do: the exit code, or 128 plus the number of the signal that
/// has killed the program. Returns 255 if there is none, or the code does not fit.
fn shell_status(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return u8::try_from(signal).map_or(u8::MAX, |signal| 128 | signal);
    }
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    code.unwrap_or(u8::MAX)
}

/// Runs a supervisor: runs the program as long as another process holds the lock of the folder, and
/// writes a report there. Returns the exit status of the program, as shells do.
#[cfg(unix)]
pub fn supervise(folder: &Path, program: &OsStr, args: &[OsString]) -> u8 {
    use std::os::unix::process::CommandExt;
    let parent = rustix::process::getppid();
    let temporary = folder.parent().map(Path::to_owned).unwrap_or_default();
    // If the folder does not exist, the process that has created it has ended.
    let lock: &'static Option<File> = Box::leak(Box::new(File::open(folder).ok()));
    let mut command = command(folder, program, args);
    let mut child = match command.process_group(0).spawn() {
        Ok(child) => child,
        Err(error) => return Report::NotStarted(error).write(folder),
    };
    let group = rustix::process::Pid::from_child(&child);
    // The process id of the child is not reused before it is reaped.
    let state = Mutex::new(State {
        reaped: false,
        abandoned: false,
    });
    let state: &'static Mutex<State> = Box::leak(Box::new(state));
    thread::spawn(move || {
        if let Some(lock) = lock {
            let _ = lock.lock();
        }
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        state.abandoned = true;
        if !state.reaped {
            kill_all(group);
        }
    });
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while matches!(
        waitid(WaitId::Pid(group), options),
        Err(rustix::io::Errno::INTR)
    ) {}
    let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
    // Remaining child processes would keep its output open.
    kill_all(group);
    let status = child.wait();
    state.reaped = true;
    let status = match status {
        // The program itself was not started; the report contains the reason.
        Ok(status) if Report::exists(folder) => shell_status(status),
        Ok(status) => Report::Ended(status).write(folder),
        Err(_) => u8::MAX,
    };
    // The thread may not have run yet if both processes end at the same time.
    if state.abandoned || lock.as_ref().is_none_or(|lock| lock.try_lock().is_ok()) {
        wait_until(|| rustix::process::test_kill_process_group(group).is_err());
        // A process that ends releases its locks one after the other.
        let released = folder.join(RELEASED_FILE).exists();
        wait_until(|| released || rustix::process::getppid() != parent);
        // The lock that is held here prevents other processes from removing the folder.
        let _ = fs::remove_dir_all(folder);
        temp_dir::remove_abandoned_at(&temporary);
        build_cache::remove_abandoned();
    }
    status
}

/// Does nothing, because supervisors only exist on Unix.
#[cfg(not(unix))]
pub fn supervise(_folder: &Path, _program: &OsStr, _args: &[OsString]) -> u8 {
    COMMAND_NOT_FOUND
}

/// Returns the command by which a supervisor starts a program, by [`execute`] if that is possible.
#[cfg(unix)]
fn command(folder: &Path, program: &OsStr, args: &[OsString]) -> Command {
    let mut command = match SUPERVISOR.get() {
        Some((executable, subcommands)) if cfg!(target_os = "linux") => {
            let mut command = Command::new(executable);
            command.arg(subcommands.execute).arg(folder);
            command.arg(std::process::id().to_string()).arg(program);
            command
        }
        _ => Command::new(program),
    };
    command.args(args);
    command
}

/// Replaces this process by the program, which is killed when this process's parent dies. Returns
/// only if that fails: writes a report to the folder, and returns the exit status.
#[cfg(target_os = "linux")]
pub fn execute(folder: &Path, parent: u32, program: &OsStr, args: &[OsString]) -> u8 {
    use rustix::process::{Signal, getppid, set_parent_process_death_signal};
    use std::os::unix::process::CommandExt;
    // If this fails, the program still ends with the lock of the folder.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    // A parent that has already died sends no signal.
    let parent_now = getppid().map(|parent| parent.as_raw_nonzero().get());
    if parent_now.and_then(|parent| u32::try_from(parent).ok()) != Some(parent) {
        return COMMAND_NOT_FOUND;
    }
    // If the supervisor is killed, this id is used to kill the program's child processes.
    let _ = fs::write(folder.join(GROUP_FILE), std::process::id().to_string());
    // A process that disables huge pages passes this on to the programs that it executes.
    let _ = rustix::thread::disable_transparent_huge_pages(false);
    let error = Command::new(program).args(args).exec();
    Report::NotStarted(error).write(folder)
}

/// Does nothing, because no supervisor calls it on this system.
#[cfg(not(target_os = "linux"))]
pub fn execute(_folder: &Path, _parent: u32, _program: &OsStr, _args: &[OsString]) -> u8 {
    COMMAND_NOT_FOUND
}

/// Kills the child processes of a program whose supervisor was killed. The program itself was
/// killed together with the supervisor.
#[cfg(unix)]
fn kill_orphans(folder: &Path) {
    let group = fs::read_to_string(folder.join(GROUP_FILE)).ok();
    let number = group.and_then(|group| group.parse().ok());
    if let Some(group) = number.and_then(rustix::process::Pid::from_raw) {
        kill_all(group);
    }
}

#[cfg(not(unix))]
fn kill_orphans(_folder: &Path) {}

#[cfg(unix)]
struct State {
    reaped: bool,
    abandoned: bool,
}

#[cfg(unix)]
fn kill_all(group: rustix::process::Pid) {
    // This fails if the group has no processes left.
    let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
}

/// Waits for a condition that follows soon after the end of another process. Gives up after
/// [`MAX_EXIT_POLLS`] checks.
#[cfg(unix)]
fn wait_until(condition: impl Fn() -> bool) {
    for _ in 0..MAX_EXIT_POLLS {
        if condition() {
            return;
        }
        thread::sleep(EXIT_POLL_INTERVAL);
    }
}

#[cfg(unix)]
fn exit_status(raw: i32) -> Option<ExitStatus> {
    use std::os::unix::process::ExitStatusExt;
    Some(ExitStatus::from_raw(raw))
}

#[cfg(unix)]
fn raw_status(status: ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status.into_raw()
}

#[cfg(not(unix))]
fn exit_status(_: i32) -> Option<ExitStatus> {
    None
}

#[cfg(not(unix))]
fn raw_status(status: ExitStatus) -> i32 {
    status.code().unwrap_or_default()
}

#[cfg(unix)]
fn own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
fn own_group(_command: &mut Command) {}

#[cfg(unix)]
fn kill_group(child: &mut Child) {
    kill_all(rustix::process::Pid::from_child(child));
}

#[cfg(not(unix))]
fn kill_group(child: &mut Child) {
    // This fails if the process has already ended.
    let _ = child.kill();
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn an_abandoned_program_is_killed_and_its_folder_is_removed() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = root.path().join("lifeline");
        fs::create_dir(&folder).expect("a folder");
        let status = supervise(&folder, OsStr::new("sleep"), &["1000".into()]);
        assert_eq!(status, 128 + 9);
        assert!(!folder.exists());
    }

    #[test]
    fn a_failure_to_start_keeps_its_reason() {
        let folder = tempfile::tempdir().expect("a folder");
        let missing = io::Error::from(rustix::io::Errno::NOENT);
        for error in [
            missing,
            io::Error::other("a reason of two lines\nand words"),
        ] {
            let expected = error.to_string();
            assert_eq!(
                Report::NotStarted(error).write(folder.path()),
                COMMAND_NOT_FOUND
            );
            let Some(Report::NotStarted(read)) = Report::read(folder.path()) else {
                panic!("it is read as it was written");
            };
            assert_eq!(read.to_string(), expected);
        }
    }
}
