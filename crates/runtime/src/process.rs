//! Runs other programs with limits and cancellation, and describes their failures. Also determines
//! the available memory.

mod supervised;

pub(crate) use supervised::Process;
pub use supervised::{
    ALLOW_HUGE_PAGES, SESSION_TOKEN, Subcommands, execute, set_supervisor, supervise,
};

use std::io::{self, Read};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};
use thiserror::Error;

/// The largest number of bytes that are kept of each output stream of a program.
const MAX_OUTPUT: usize = 1 << 20;
/// The largest number of bytes at the end of the error output that a message contains.
const MAX_REPORTED_STDERR: usize = 2_000;
/// The time limit for the output of a program after its end, because its child processes may keep
/// the pipe open.
pub(crate) const OUTPUT_TIMEOUT: Duration = Duration::from_secs(2);

/// A cancellation flag, which clones share.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Sets the flag.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns the flag itself, for a signal handler.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.0.clone()
    }

    /// Returns true if the flag is set.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The limits of a run of a program.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// The time limit, if there is one.
    pub time: Option<TimeLimit>,
    /// The cancellation flag.
    pub cancel: Cancel,
}

impl Limits {
    /// Starts the clock for a part of a run.
    pub fn clock(&self) -> Clock {
        Clock(self.time.map(|limit| {
            let start = limit.start.unwrap_or_else(Instant::now);
            (limit.length, start)
        }))
    }
}

/// A time limit for each part of a run, such as the compilation and the execution of a program, or
/// for all parts together.
#[derive(Clone, Copy, Debug)]
pub struct TimeLimit {
    length: Duration,
    /// The start of the first part, if the limit is for all parts together.
    start: Option<Instant>,
}

impl TimeLimit {
    /// Returns a limit for each part on its own.
    pub fn of_each_part(length: Duration) -> TimeLimit {
        TimeLimit {
            length,
            start: None,
        }
    }

    /// Returns a limit for all parts together, the first of which starts now.
    pub fn of_all_parts(length: Duration) -> TimeLimit {
        TimeLimit {
            length,
            start: Some(Instant::now()),
        }
    }
}

/// The clock of a time limit, if there is one: its length and its start.
#[derive(Clone, Copy, Debug)]
pub struct Clock(Option<(Duration, Instant)>);

impl Clock {
    /// Returns the length of the time limit if it is exceeded.
    pub fn exceeded(&self) -> Option<Duration> {
        let (length, start) = self.0?;
        (start.elapsed() >= length).then_some(length)
    }

    /// Returns the time that is left; `None` if there is no limit.
    pub fn left(&self) -> Option<Duration> {
        let (length, start) = self.0?;
        Some(length.saturating_sub(start.elapsed()))
    }
}

/// The outcome of a program that has ended by itself.
#[derive(Debug)]
pub struct ProcessOutput {
    /// The exit status.
    pub status: ExitStatus,
    /// The standard output, at most its first 2^20 bytes.
    pub stdout: Vec<u8>,
    /// The standard error output, at most its first 2^20 bytes.
    pub stderr: Vec<u8>,
}

/// The reason why a program did not end by itself.
#[derive(Debug, Error)]
pub enum ProcessError {
    /// The program could not be started.
    #[error("cannot start `{0}`: {1}{advice}", advice = advice(.1))]
    Start(String, io::Error),
    /// Waiting for the program failed.
    #[error("cannot wait for `{0}`: {1}")]
    Wait(String, io::Error),
    /// The time limit was exceeded.
    #[error("stopped after {0:?}, the longest time it may take")]
    TooLong(Duration),
    /// The run was cancelled.
    #[error("stopped")]
    Cancelled,
}

impl ProcessError {
    /// Returns true if the program did not start because this process has too many open files.
    pub(crate) fn is_out_of_files(&self) -> bool {
        matches!(self, ProcessError::Start(_, error) if is_out_of_files(error))
    }
}

#[cfg(unix)]
fn is_out_of_files(error: &io::Error) -> bool {
    rustix::io::Errno::from_io_error(error) == Some(rustix::io::Errno::MFILE)
}

#[cfg(not(unix))]
fn is_out_of_files(_error: &io::Error) -> bool {
    false
}

fn advice(error: &io::Error) -> &'static str {
    match is_out_of_files(error) {
        true => "; `ulimit -n` raises the number of files that a process may open",
        false => "",
    }
}

/// Runs a program until it ends, and kills its child processes. The standard streams of `command`
/// are replaced.
pub fn run(command: &mut Command, limits: &Limits) -> Result<ProcessOutput, ProcessError> {
    if limits.cancel.is_cancelled() {
        return Err(ProcessError::Cancelled);
    }
    let mut process = Process::start(command, Stdio::null())?;
    let (_, stdout, stderr) = process.pipes();
    let (stdout, stderr) = (stdout.map(collect), stderr.map(collect));
    let status = wait(&mut process, limits)?;
    // Remaining child processes would keep the output open.
    process.kill();
    let deadline = Instant::now() + OUTPUT_TIMEOUT;
    Ok(ProcessOutput {
        status,
        stdout: received(stdout, deadline),
        stderr: received(stderr, deadline),
    })
}

fn wait(process: &mut Process, limits: &Limits) -> Result<ExitStatus, ProcessError> {
    let clock = limits.clock();
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(status) = process.try_wait()? {
            return Ok(status);
        }
        if limits.cancel.is_cancelled() {
            return Err(ProcessError::Cancelled);
        }
        if let Some(time) = clock.exceeded() {
            return Err(ProcessError::TooLong(time));
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// Reads a stream to its end on a new thread, and sends its first [`MAX_OUTPUT`] bytes to the
/// receiver.
pub(crate) fn collect(mut pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let (mut kept, mut buffer) = (Vec::new(), [0; 8192]);
        loop {
            match pipe.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => {
                    let room = MAX_OUTPUT - kept.len();
                    kept.extend_from_slice(&buffer[..count.min(room)]);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        // Sending fails if the receiver was dropped.
        let _ = sender.send(kept);
    });
    receiver
}

pub(crate) fn received(from: Option<Receiver<Vec<u8>>>, deadline: Instant) -> Vec<u8> {
    let left = deadline.saturating_duration_since(Instant::now());
    from.and_then(|receiver| receiver.recv_timeout(left).ok())
        .unwrap_or_default()
}

/// Returns the end of the error output of a program, for a message.
pub(crate) fn stderr_tail(stderr: &[u8]) -> String {
    let start = stderr.len().saturating_sub(MAX_REPORTED_STDERR);
    String::from_utf8_lossy(&stderr[start..]).trim().to_owned()
}

/// Describes an exit status: `ended with exit status 3`, `was stopped by signal 11 (…)`.
pub fn describe(status: ExitStatus) -> String {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        if let Some(signal) = status.signal() {
            return match signal_text(signal) {
                Some(text) => format!("was stopped by signal {signal} ({text})"),
                None => format!("was stopped by signal {signal}"),
            };
        }
    }
    match status.code() {
        Some(code) => format!("ended with exit status {code}"),
        None => "ended in an unknown way".to_owned(),
    }
}

#[cfg(unix)]
fn signal_text(signal: i32) -> Option<&'static str> {
    use rustix::process::Signal as S;
    let all = [
        (S::SEGV, "invalid memory access"),
        (S::BUS, "invalid memory access"),
        (S::FPE, "integer division by zero or overflow"),
        (
            S::ILL,
            "illegal instruction: code that the compiler assumed to be unreachable, as after an integer division by zero, or an instruction that this processor does not have",
        ),
        (S::ABORT, "the program aborted"),
        (
            S::KILL,
            "killed from outside, perhaps because no memory is left",
        ),
        (S::TERM, "ended from outside"),
        (S::INT, "interrupted"),
        (S::XCPU, "the limit on processor time"),
    ];
    all.iter()
        .find(|(known, _)| known.as_raw() == signal)
        .map(|(_, text)| *text)
}

/// Returns the number of bytes of available memory; `None` if it is not known.
pub fn available_memory() -> Option<u64> {
    let machine = meminfo(&std::fs::read_to_string("/proc/meminfo").ok()?);
    match (machine, group_memory()) {
        (Some(machine), Some(group)) => Some(machine.min(group)),
        (machine, group) => machine.or(group),
    }
}

/// Formats a number of bytes in units that are powers of 1000, as in `1.5 GB`.
pub fn bytes_text(count: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    let (mut value, mut unit) = (count as f64 / 1e3, 0);
    while value >= 1000.0 && unit + 1 < UNITS.len() {
        value /= 1e3;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// Parses the line `MemAvailable: 12345 kB` of a text and returns the number of bytes; `None` if
/// there is no such line.
fn meminfo(text: &str) -> Option<u64> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// Returns the number of bytes that the control group, such as a container, may still use; `None`
/// if there is no limit, or it is not known.
fn group_memory() -> Option<u64> {
    let read =
        |path: &str| -> Option<u64> { std::fs::read_to_string(path).ok()?.trim().parse().ok() };
    let [max, used] = [
        ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"],
        [
            "/sys/fs/cgroup/memory/memory.limit_in_bytes",
            "/sys/fs/cgroup/memory/memory.usage_in_bytes",
        ],
    ]
    .into_iter()
    .find_map(|[max, used]| Some([read(max)?, read(used)?]))?;
    Some(max.saturating_sub(used))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn sh(script: &str, limits: &Limits) -> Result<ProcessOutput, ProcessError> {
        run(Command::new("sh").args(["-c", script]), limits)
    }

    #[test]
    fn output_is_collected() {
        let Ok(finished) = sh("echo out; echo err >&2; exit 3", &Limits::default()) else {
            panic!("sh runs");
        };
        assert_eq!(finished.stdout, b"out\n");
        assert_eq!(finished.stderr, b"err\n");
        assert_eq!(describe(finished.status), "ended with exit status 3");
    }

    #[test]
    fn long_output_is_cut() {
        let finished = sh("head -c 3000000 /dev/zero", &Limits::default());
        assert!(finished.is_ok_and(|finished| finished.stdout.len() == MAX_OUTPUT));
    }

    #[test]
    fn crashes_are_described() {
        let finished = sh("kill -SEGV $$", &Limits::default());
        let text = finished.map(|finished| describe(finished.status));
        assert!(matches!(
            text.as_deref(),
            Ok("was stopped by signal 11 (invalid memory access)")
        ));
    }

    #[test]
    fn what_takes_too_long_is_stopped_with_all_that_it_started() {
        let limits = Limits {
            time: Some(TimeLimit::of_each_part(Duration::from_millis(50))),
            ..Limits::default()
        };
        let result = sh("sleep 1000 & sleep 1000", &limits);
        assert!(matches!(result, Err(ProcessError::TooLong(_))));
    }

    #[test]
    fn a_limit_of_all_parts_counts_the_parts_before() {
        let length = Duration::from_millis(50);
        let of = |time| Limits {
            time: Some(time),
            ..Limits::default()
        };
        let (all, each) = (
            of(TimeLimit::of_all_parts(length)),
            of(TimeLimit::of_each_part(length)),
        );
        thread::sleep(length);
        assert_eq!(all.clock().exceeded(), Some(length));
        assert_eq!(all.clock().left(), Some(Duration::ZERO));
        assert!(each.clock().left() > Some(Duration::ZERO));
        assert_eq!(Limits::default().clock().left(), None);
    }

    #[test]
    fn what_is_left_behind_does_not_hold_up() {
        let finished = sh("sleep 1000 & echo done", &Limits::default());
        assert!(finished.is_ok_and(|finished| finished.stdout == b"done\n"));
    }

    #[test]
    fn a_request_stops_it() {
        let limits = Limits::default();
        let cancel = limits.cancel.clone();
        let asked = thread::spawn(move || {
            thread::sleep(Duration::from_millis(20));
            cancel.cancel();
        });
        assert!(matches!(
            sh("sleep 1000", &limits),
            Err(ProcessError::Cancelled)
        ));
        assert!(asked.join().is_ok());
    }

    #[test]
    fn a_missing_program_is_an_error() {
        let error = run(
            &mut Command::new("no-such-program-here"),
            &Limits::default(),
        );
        assert!(matches!(error, Err(ProcessError::Start(..))));
    }

    #[test]
    fn memory_is_read_from_the_system() {
        assert_eq!(
            meminfo("MemTotal: 9 kB\nMemAvailable:    2 kB\n"),
            Some(2048)
        );
        assert_eq!(meminfo("nothing"), None);
    }
}
