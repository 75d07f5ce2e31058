//! Starts and stops the worker process.

use std::io::{self, BufReader, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Sender, unbounded};
use runtime::process::ALLOW_HUGE_PAGES;

use super::Event;
use crate::memory;
use crate::server::framing::{Frame, header, read_frame};

/// The subcommand that runs a worker.
pub const WORKER: &str = "session-worker";

/// The environment variable with the token that the client has to send, if there is one.
pub const TOKEN: &str = runtime::process::SESSION_TOKEN;

/// The time limit for a worker to end after it has closed its output.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);

/// A worker process, which is killed when this value is dropped.
#[derive(Debug)]
pub struct Worker {
    process: Child,
    input: Option<Sender<Vec<u8>>>,
}

impl Worker {
    /// Starts a worker, which follows `restarts` others. Its messages and its end are sent to
    /// `events`. The process does not use huge pages: it allocates little at a time, and the system
    /// zeroes each huge page before the first use, which delays some answers by milliseconds.
    ///
    /// # Errors
    /// Fails if the system starts no process, or no threads for its pipes.
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
        // From here on, dropping `worker` kills the process.
        let mut worker = Worker {
            process,
            input: None,
        };
        let (Some(mut input), Some(output)) = (input, output) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let (sender, messages) = unbounded::<Vec<u8>>();
        let write = move || {
            // The end of the process is detected at its output.
            for body in messages {
                let written = input
                    .write_all(header(&body).as_bytes())
                    .and_then(|()| input.write_all(&body));
                if written.is_err() {
                    return;
                }
                if body.len() >= memory::LARGE {
                    drop(body);
                    memory::release_unused();
                }
            }
        };
        let events = events.clone();
        let read = move || {
            let mut output = BufReader::with_capacity(1 << 16, output);
            while let Ok(Some(frame)) = read_frame(&mut output) {
                // Malformed output comes from a worker that is ending.
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

    pub fn send(&self, body: Vec<u8>) {
        if let Some(input) = &self.input {
            let _ = input.send(body);
        }
    }

    /// Closes the input of the process, which then ends.
    pub fn close(&mut self) {
        self.input = None;
    }

    /// Waits for the exit status of a process that has closed its output; `None` after a time
    /// limit.
    pub fn status(&mut self) -> Option<ExitStatus> {
        let deadline = Instant::now() + EXIT_TIMEOUT;
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
        // The process may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Puts the worker in its own process group, so that signals of the terminal do not reach it. It
/// ends with its input, after this process has ended the session.
#[cfg(unix)]
fn own_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(not(unix))]
fn own_group(_: &mut Command) {}

/// Describes the reason for the end of a process.
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
