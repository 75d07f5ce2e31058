//! Runs OpenCL in a worker process, which can be killed.

use super::DeviceInfo;
use super::error::OclError;
use super::plan::Plan;
use super::protocol::{self, Reply, Report, Request, Runs, Stage};
use crate::process::{self, Limits, Process, ProcessError};
use crate::shape::{Shape, ShapeError};
use crate::temp_dir::LockedTempDir;
use crate::value::Value;
use std::io::{self, BufWriter, Write};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};
use thiserror::Error;

/// The interval at which cancellation is checked.
const CANCEL_POLL_INTERVAL: Duration = Duration::from_millis(10);
/// The longest time to wait for the end of the worker process before it is killed.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);

/// The reason why the worker has no result.
#[derive(Debug, Error)]
pub enum WorkerError {
    /// OpenCL failed.
    #[error(transparent)]
    Ocl(#[from] OclError),
    /// The process did not start, its exit status is not available, or the request was cancelled.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// The time limit was exceeded.
    #[error("stopped after {limit:?}, the longest time it may take, while {}", .stage.title())]
    TooLong {
        /// The time limit.
        limit: Duration,
        /// The stage in which it was exceeded.
        stage: Stage,
    },
    /// The worker process has ended unexpectedly, does not answer, or sends a malformed reply.
    #[error("the OpenCL driver crashed while {}: it {how}{}", .stage.title(), error_detail(.output))]
    Crashed {
        /// The stage in which this happened.
        stage: Stage,
        /// A description of the exit status or of the failure.
        how: String,
        /// The end of the error output.
        output: String,
    },
    /// The result does not fit into memory.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

fn error_detail(output: &str) -> String {
    match output {
        "" => String::new(),
        text => format!(": {text}"),
    }
}

/// The outcome of a run.
#[derive(Debug)]
pub struct Outcome {
    /// The result of the last run. Elements that the program never writes are 0.
    pub value: Value,
    /// The times and the properties of the kernels.
    pub report: Report,
}

/// A worker process, which is killed when this value is dropped.
#[derive(Debug)]
pub struct Worker {
    process: Process,
    requests: Option<ChildStdin>,
    replies: Receiver<Answer>,
    printed: Option<Receiver<Vec<u8>>>,
    limits: Limits,
    stage: Stage,
    /// The working directory of the process, which is removed with this value, together with the
    /// files that a driver leaves in it.
    _folder: Option<LockedTempDir>,
}

/// An answer with the bytes that follow it.
type Answer = io::Result<(Reply, Vec<u8>)>;

impl Worker {
    /// Starts a process that calls [`super::serve_stdio`] in a temporary working directory. So the
    /// path of its program must be absolute, or searched for in `PATH`. The time limit applies to
    /// each answer.
    pub fn start(command: &mut Command, limits: &Limits) -> Result<Worker, WorkerError> {
        // Drivers write files to the working directory, especially after a crash.
        let folder = LockedTempDir::new().ok();
        if let Some(folder) = &folder {
            command.current_dir(folder.path());
        }
        if limits.cancel.is_cancelled() {
            return Err(ProcessError::Cancelled.into());
        }
        let mut process = Process::start(command, Stdio::piped())?;
        let (requests, stdout, stderr) = process.pipes();
        let (sender, replies) = mpsc::channel();
        if let Some(stdout) = stdout {
            thread::spawn(move || listen(stdout, &sender));
        }
        Ok(Worker {
            requests,
            printed: stderr.map(process::collect),
            process,
            replies,
            limits: limits.clone(),
            stage: Stage::Opening,
            _folder: folder,
        })
    }

    /// Changes the limits of the process.
    pub fn under(mut self, limits: &Limits) -> Worker {
        self.limits = limits.clone();
        self
    }

    /// Returns the devices of this machine.
    ///
    /// # Errors Fails if there are none, the process fails, the time limit is exceeded, or the
    /// request is cancelled.
    pub fn devices(&mut self) -> Result<Vec<DeviceInfo>, WorkerError> {
        self.send(&Request::Devices, &[]);
        match self.answer(&mut |_| ())?.0 {
            Reply::Devices(devices) => Ok(devices?),
            _ => Err(self.malformed_reply()),
        }
    }

    /// Runs kernels on the device with this number, and returns a result of this shape. Calls
    /// `progress` with each stage.
    ///
    /// # Errors Fails if OpenCL or the process fails, the time limit is exceeded, or the run is
    /// cancelled.
    pub fn run(
        &mut self,
        device: usize,
        plan: &Plan,
        args: &[&Value],
        result: Shape,
        runs: Runs,
        progress: &mut dyn FnMut(Stage),
    ) -> Result<Outcome, WorkerError> {
        let request = Request::Run {
            device,
            plan: Box::new(plan.clone()),
            runs,
        };
        let (reply, bytes) = match self.requests.take() {
            // Both processes may write much data, so neither may block on the other.
            Some(mut pipe) => thread::scope(|scope| {
                let written = scope.spawn(|| {
                    let sent = write(&mut pipe, &request, args);
                    sent.is_ok().then_some(pipe)
                });
                let answer = self.answer(progress);
                if answer.is_err() {
                    // The writing thread would block forever.
                    self.process.kill();
                }
                self.requests = written.join().unwrap_or_default();
                answer
            })?,
            None => return Err(self.crash_error()),
        };
        let Reply::Ran(report) = reply else {
            return Err(self.malformed_reply());
        };
        let report = report?;
        let value = Value::from_bytes(result, bytes).ok_or_else(|| self.malformed_reply())?;
        Ok(Outcome { value, report })
    }

    /// Ends the process, and returns the output of drivers and kernels, at most 2^20 bytes.
    pub fn finish(mut self) -> String {
        self.requests = None;
        let deadline = Instant::now() + EXIT_TIMEOUT;
        while Instant::now() < deadline && !matches!(self.process.try_wait(), Ok(Some(_))) {
            thread::sleep(Duration::from_millis(1));
        }
        self.process.kill();
        let printed = process::received(
            self.printed.take(),
            Instant::now() + process::OUTPUT_TIMEOUT,
        );
        String::from_utf8_lossy(&printed).into_owned()
    }

    fn send(&mut self, request: &Request, args: &[&Value]) {
        // A process that has ended is detected by its missing answer.
        let pipe = self.requests.as_mut();
        let sent = pipe.is_some_and(|pipe| write(pipe, request, args).is_ok());
        if !sent {
            self.requests = None;
        }
    }

    /// Waits for the answer to a request.
    fn answer(&mut self, progress: &mut dyn FnMut(Stage)) -> Result<(Reply, Vec<u8>), WorkerError> {
        let clock = self.limits.clock();
        loop {
            match self.replies.recv_timeout(CANCEL_POLL_INTERVAL) {
                Ok(Ok((Reply::Stage(stage), _))) => {
                    self.stage = stage;
                    progress(stage);
                }
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => return Err(self.crash_error()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.limits.cancel.is_cancelled() {
                return Err(ProcessError::Cancelled.into());
            }
            if let Some(limit) = clock.exceeded() {
                let stage = self.stage;
                return Err(WorkerError::TooLong { limit, stage });
            }
        }
    }

    /// Kills the process, and returns the error for one that has ended unexpectedly or does not
    /// answer.
    fn crash_error(&mut self) -> WorkerError {
        self.requests = None;
        let deadline = Instant::now() + EXIT_TIMEOUT;
        let status = loop {
            match self.process.try_wait() {
                Ok(Some(status)) => break Some(status),
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(1)),
                Ok(None) => break None,
                Err(error) => return error.into(),
            }
        };
        self.process.kill();
        let printed = process::received(
            self.printed.take(),
            Instant::now() + process::OUTPUT_TIMEOUT,
        );
        WorkerError::Crashed {
            stage: self.stage,
            how: status.map_or_else(|| "does not answer".to_owned(), process::describe),
            output: process::stderr_tail(&printed),
        }
    }

    fn malformed_reply(&mut self) -> WorkerError {
        WorkerError::Crashed {
            stage: self.stage,
            how: "sends a malformed reply".to_owned(),
            output: String::new(),
        }
    }
}

fn write(pipe: &mut ChildStdin, request: &Request, args: &[&Value]) -> io::Result<()> {
    let mut pipe = BufWriter::with_capacity(1 << 16, pipe);
    protocol::send(&mut pipe, request)?;
    for arg in args {
        pipe.write_all(arg.bytes())?;
    }
    pipe.flush()
}

/// Forwards answers until the end of the stream.
fn listen(mut from: ChildStdout, to: &mpsc::Sender<Answer>) {
    loop {
        let answer = match protocol::receive::<Reply>(&mut from) {
            Ok(Some(reply)) => {
                let follows = match &reply {
                    Reply::Ran(Ok(report)) => report.output,
                    _ => 0,
                };
                protocol::bytes(&mut from, follows).map(|bytes| (reply, bytes))
            }
            Ok(None) => return,
            Err(error) => Err(error),
        };
        let is_over = answer.is_err();
        if to.send(answer).is_err() || is_over {
            return;
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_driver_that_crashes_leaves_its_last_words_and_nothing_else() {
        let script = "touch left-behind.dot; echo 'dumped left-behind.dot' >&2; kill -ABRT $$";
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let worker = Worker::start(&mut command, &Limits::default());
        let Err(WorkerError::Crashed { stage, how, output }) = worker.and_then(|mut w| w.devices())
        else {
            panic!("it crashes");
        };
        assert_eq!(stage, Stage::Opening);
        assert_eq!(how, "was stopped by signal 6 (the program aborted)");
        assert_eq!(output, "dumped left-behind.dot");
        assert!(!std::path::Path::new("left-behind.dot").exists());
    }
}
