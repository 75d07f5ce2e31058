//! The worker process for OpenCL devices, which answers requests until the end of its input, or
//! until a run fails.

use super::devices::devices;
use super::error::OclError;
use super::plan::{ParamPlan, Plan};
use super::protocol::{self, Reply, Report, Request, Runs, Stage};
use super::session::Session;
use std::io::{self, Read, Write};

/// Answers the requests of `input` until its end, or until OpenCL fails in a run. The answer to
/// that run has the error, and later requests are not read.
///
/// # Errors
/// Fails if the other process has ended, or sends malformed requests.
pub fn serve(mut input: impl Read, mut output: impl Write) -> io::Result<()> {
    let mut session: Option<(usize, Session)> = None;
    while let Some(request) = protocol::receive(&mut input)? {
        match request {
            Request::Devices => {
                protocol::send(&mut output, &Reply::Stage(Stage::Opening))?;
                protocol::send(&mut output, &Reply::Devices(devices()))?;
            }
            Request::Run { device, plan, runs } => {
                let mut worker = RunRequest {
                    input: &mut input,
                    output: &mut output,
                    plan: &plan,
                    runs,
                };
                match worker.run(device, &mut session) {
                    Ok((report, result)) => {
                        protocol::send(&mut output, &Reply::Ran(Ok(report)))?;
                        output.write_all(&result)?;
                        output.flush()?;
                    }
                    Err(ServeError::Ocl(error)) => {
                        // The remaining arguments are not read.
                        return protocol::send(&mut output, &Reply::Ran(Err(error)));
                    }
                    Err(ServeError::Pipe(error)) => return Err(error),
                }
            }
        }
    }
    Ok(())
}

enum ServeError {
    Ocl(OclError),
    Pipe(io::Error),
}

impl From<OclError> for ServeError {
    fn from(error: OclError) -> Self {
        ServeError::Ocl(error)
    }
}

impl From<io::Error> for ServeError {
    fn from(error: io::Error) -> Self {
        ServeError::Pipe(error)
    }
}

struct RunRequest<'a, R, W> {
    input: &'a mut R,
    output: &'a mut W,
    plan: &'a Plan,
    runs: Runs,
}

impl<R: Read, W: Write> RunRequest<'_, R, W> {
    fn run(
        &mut self,
        device: usize,
        session: &mut Option<(usize, Session)>,
    ) -> Result<(Report, Vec<u8>), ServeError> {
        let session = self.session(device, session)?;
        self.stage(Stage::Building)?;
        let input = &mut *self.input;
        let args = self.plan.params.iter().map(|param| {
            let (ParamPlan::Buffer(bytes) | ParamPlan::Value(bytes)) = param;
            protocol::bytes(input, *bytes).map_err(ServeError::Pipe)
        });
        let mut bound = session.bind(self.plan, args)?;
        let mut report = Report::before(&bound, self.plan.result);
        self.stage(Stage::Running)?;
        for _ in 0..self.runs.warm_up {
            bound.run()?;
        }
        for _ in 0..self.runs.timed.max(1) {
            report.runs.push(bound.run()?);
        }
        self.stage(Stage::Copying)?;
        let mut result = Vec::new();
        let memory = |_| OclError::Memory {
            bytes: self.plan.result,
        };
        let length = usize::try_from(self.plan.result).map_err(io::Error::other)?;
        result.try_reserve_exact(length).map_err(memory)?;
        result.resize(length, 0);
        report.download = bound.read(&mut result)?;
        if self.runs.bandwidth {
            self.stage(Stage::Measuring)?;
            // The buffers of the program may take most of the memory.
            drop(bound);
            report.copy_bandwidth = session.copy_bandwidth().ok();
        }
        Ok((report, result))
    }

    fn session<'s>(
        &mut self,
        device: usize,
        known: &'s mut Option<(usize, Session)>,
    ) -> Result<&'s Session, ServeError> {
        let kept = known.take().filter(|(number, _)| *number == device);
        let session = match kept {
            Some((_, session)) => session,
            None => {
                self.stage(Stage::Opening)?;
                Session::open(Some(&format!("#{device}")))?
            }
        };
        Ok(&known.insert((device, session)).1)
    }

    fn stage(&mut self, stage: Stage) -> io::Result<()> {
        protocol::send(self.output, &Reply::Stage(stage))
    }
}

/// Runs the worker process: requests arrive on standard input, and answers are written to the
/// original standard output. On Unix, the output of kernels and drivers is redirected to standard
/// error.
pub fn serve_stdio() -> io::Result<()> {
    let output = own_output()?;
    serve(StdinReader::start(), io::BufWriter::new(output))
}

/// Reserves standard output for answers, by redirecting all other output to standard error.
#[cfg(unix)]
fn own_output() -> io::Result<std::fs::File> {
    let answers = rustix::io::dup(rustix::stdio::stdout())?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
    Ok(answers.into())
}

#[cfg(not(unix))]
fn own_output() -> io::Result<io::Stdout> {
    Ok(io::stdout())
}

/// Standard input, which a thread of its own reads: when the other process ends, this one must end
/// too, even if a kernel hangs.
struct StdinReader {
    pieces: std::sync::mpsc::Receiver<Vec<u8>>,
    piece: io::Cursor<Vec<u8>>,
}

/// The size of a chunk of input in bytes.
const CHUNK_SIZE: usize = 1 << 20;
/// The largest number of chunks that are buffered.
const MAX_BUFFERED_CHUNKS: usize = 4;
/// The time after the end of the input in which this process can end by itself before it is killed.
const EXIT_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(2);

impl StdinReader {
    fn start() -> StdinReader {
        let (sender, pieces) = std::sync::mpsc::sync_channel(MAX_BUFFERED_CHUNKS);
        std::thread::spawn(move || {
            let mut stdin = io::stdin().lock();
            let mut buffer = vec![0; CHUNK_SIZE];
            while let Ok(count @ 1..) = stdin.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
            drop(sender);
            std::thread::sleep(EXIT_TIMEOUT);
            end_at_once();
        });
        StdinReader {
            pieces,
            piece: io::Cursor::default(),
        }
    }
}

impl Read for StdinReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.piece.read(into)? {
                0 if !into.is_empty() => match self.pieces.recv() {
                    Ok(piece) => self.piece = io::Cursor::new(piece),
                    Err(_) => return Ok(0),
                },
                count => return Ok(count),
            }
        }
    }
}

/// Kills the process without running the exit handlers of drivers, which may hang.
#[cfg(unix)]
fn end_at_once() {
    let me = rustix::process::getpid();
    // There is no alternative if this fails.
    let _ = rustix::process::kill_process(me, rustix::process::Signal::KILL);
}

#[cfg(not(unix))]
fn end_at_once() {
    std::process::abort();
}
