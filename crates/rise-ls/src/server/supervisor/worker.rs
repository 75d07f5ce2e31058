//! The process that does the work.

use std::io::{self, BufReader, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Sender, unbounded};
use runtime::process::ALLOW_HUGE_PAGES;

use super::Event;
use crate::memory;
use crate::server::framing::{Frame, header, read_frame};

/// The name of the command that starts a worker.
pub const WORKER: &str = "session-worker";

/// The environment variable that tells a worker which token the client has to know, if any.
pub const TOKEN: &str = runtime::process::SESSION_TOKEN;

/// How long a worker that has closed its output may take to end.
const LAST_STEPS: Duration = Duration::from_secs(2);

/// A process that serves the session. It ends when this value is dropped.
#[derive(Debug)]
pub struct Worker {
    process: Child,
    input: Option<Sender<Vec<u8>>>,
}

impl Worker {
    /// Starts a process, the first of the session or one that follows `restarts` others. What it
    /// says, and its end, become events. The process has small pages only: it allocates little at a
    /// time, and the system zeroes each huge page before the first use, which delays some answers
    /// by milliseconds.
    ///
    /// # Errors
    /// The system starts no process, or no threads for its pipes.
    pub fn start(restarts: u32, token: Option<&str>, events: &Sender<Event>) -> io::Result<Worker> {
        let mut command = Command::new(crate::executable::current()?);
        own_group(&mut command);
        let mut process = command
            .env_remove(TOKEN)
            .envs(token.map(|token| (TOKEN, token)))
            .env(ALLOW_HUGE_PAGES, "0")
            .arg(WORKER)
            .arg(restarts.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (input, output) = (process.stdin.take(), process.stdout.take());
        // From here on the process ends in any case.
        let mut worker = Worker {
            process,
            input: None,
        };
        let (Some(mut input), Some(output)) = (input, output) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let (sender, messages) = unbounded::<Vec<u8>>();
        let write = move || {
            // A process that has ended reads nothing, which its other pipe tells, too.
            for body in messages {
                let written = input
                    .write_all(header(&body).as_bytes())
                    .and_then(|()| input.write_all(&body));
                if written.is_err() {
                    return;
                }
                if body.len() >= memory::LARGE {
                    drop(body);
                    memory::give_back();
                }
            }
        };
        let events = events.clone();
        let read = move || {
            let mut output = BufReader::with_capacity(1 << 16, output);
            while let Ok(Some(frame)) = read_frame(&mut output) {
                // Bytes that are no message come from a worker that is ending.
                let Frame::Body(body) = frame else { continue };
                if events.send(Event::Worker { restarts, body }).is_err() {
                    return;
                }
            }
            let _ = events.send(Event::WorkerGone { restarts });
        };
        thread::Builder::new()
            .name("rise:to-worker".into())
            .spawn(write)?;
        thread::Builder::new()
            .name("rise:worker".into())
            .spawn(read)?;
        worker.input = Some(sender);
        Ok(worker)
    }

    /// Sends a message.
    pub fn send(&self, body: Vec<u8>) {
        if let Some(input) = &self.input {
            let _ = input.send(body);
        }
    }

    /// Ends the input of the process, which ends the process.
    pub fn close(&mut self) {
        self.input = None;
    }

    /// The status of a process that has closed its output.
    pub fn status(&mut self) -> Option<ExitStatus> {
        let deadline = Instant::now() + LAST_STEPS;
        while Instant::now() < deadline {
            if let Ok(Some(status)) = self.process.try_wait() {
                return Some(status);
            }
            thread::sleep(Duration::from_millis(1));
        }
        None
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Keeps signals to this process's group, as those of a terminal, from the worker, which ends with
/// its input after this process has ended the session.
#[cfg(unix)]
fn own_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(not(unix))]
fn own_group(_: &mut Command) {}

/// The reason for the end of a process, for people.
pub fn reason(status: Option<ExitStatus>) -> String {
    let Some(status) = status else {
        return "it has closed its output".to_owned();
    };
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return match signal_hook::low_level::signal_name(signal) {
            Some(name) => format!("signal {signal}, {name}"),
            None => format!("signal {signal}"),
        };
    }
    status.to_string()
}
