//! Runs compiled programs.

use super::Executable;
use crate::process::{self, Limits, ProcessError, bytes_text};
use crate::shape::{Shape, ShapeError};
use crate::temp_dir::LockedTempDir;
use crate::value::Value;
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use thiserror::Error;

/// The exit status of `main.c` if memory is exhausted.
const NO_MEMORY: i32 = 71;
/// The exit status of `main.c` if a file cannot be read or written.
const NO_FILE: i32 = 74;

/// The numbers of calls of a function.
#[derive(Clone, Copy, Debug)]
pub struct Runs {
    /// The number of calls before the timed ones.
    pub warm_up: u32,
    /// The number of timed calls; 0 counts as one.
    pub timed: u32,
}

/// The outcome of a run.
#[derive(Debug)]
pub struct Outcome {
    /// The result of the last call. Elements that the program never writes are 0.
    pub value: Value,
    /// The time of each timed call.
    pub times: Vec<Duration>,
    /// The standard output of foreign functions, at most one megabyte.
    pub stdout: Vec<u8>,
    /// The standard error output of foreign functions, at most one megabyte.
    pub stderr: Vec<u8>,
}

/// The reason why a run has no result.
#[derive(Debug, Error)]
pub enum RunError {
    /// The arguments and the result are larger than the available memory.
    #[error("arguments and result take {} of memory, and {} are available", bytes_text(*.needed), bytes_text(*.available))]
    Memory {
        /// The number of bytes that are needed: those of the arguments, and twice those of the
        /// result.
        needed: u64,
        /// The number of bytes that are available.
        available: u64,
    },
    /// The result does not fit into memory.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The files of arguments and results cannot be read or written.
    #[error("cannot use temporary files in {folder}: {0}", folder = std::env::temp_dir().display())]
    Files(#[from] io::Error),
    /// The program did not start, exceeded the time limit, or was cancelled.
    #[error("the program: {0}")]
    Process(#[from] ProcessError),
    /// The program has failed.
    #[error("the program {how}{}", error_detail(.output))]
    Failed {
        /// A description of the exit status.
        how: String,
        /// The end of the error output.
        output: String,
    },
    /// The program has ended without a result.
    #[error("the program ended before it had written its result{}", error_detail(.output))]
    NoResult {
        /// The end of the error output.
        output: String,
    },
}

/// The parts of the result that a function writes to memory of their own.
#[derive(Clone, Copy, Debug)]
pub struct Outputs<'a> {
    /// The number of parts.
    pub count: usize,
    /// The positions of the arguments that are updated in place, in order. Their new values are the
    /// first parts; the others are outputs.
    pub inout: &'a [usize],
}

/// A part of the result that the function writes to memory of its own.
struct OutputPart {
    /// The offset in the result in bytes.
    offset: u64,
    /// The size in bytes.
    size: u64,
    /// The position of the argument that the part is updated from, if it is updated in place.
    source: Option<usize>,
}

fn error_detail(output: &str) -> String {
    if output.is_empty() {
        String::new()
    } else {
        format!(": {output}")
    }
}

impl Executable {
    /// Calls the function with these sizes and arguments in a process of its own, as often as `runs`
    /// says. Returns the last result, which has this shape, and the times of the timed calls. The
    /// function writes the result to the memory of `outputs`.
    pub fn run(
        &self,
        sizes: &[i64],
        args: &[&Value],
        result: Shape,
        outputs: Outputs<'_>,
        runs: Runs,
        limits: &Limits,
    ) -> Result<Outcome, RunError> {
        let parts = result.outputs(outputs.count).unwrap_or_default();
        let parts = parts.iter().enumerate();
        let outputs: Vec<OutputPart> = parts
            .map(|(at, (offset, output))| OutputPart {
                offset: *offset,
                size: output.size(),
                source: outputs.inout.get(at).copied(),
            })
            .collect();
        let arguments = args.iter().map(|arg| arg.bytes().len() as u64).sum::<u64>();
        // This process already has the arguments. The program has a copy of them, and both have the
        // result.
        let needed = arguments.saturating_add(result.size().saturating_mul(2));
        if let Some(available) = process::available_memory()
            && needed > available
        {
            return Err(RunError::Memory { needed, available });
        }
        // The original message would contain the name of a folder that does not exist.
        let plain = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => {
                io::Error::other("there is no such folder; set TMPDIR to one that exists")
            }
            kind => io::Error::from(kind),
        };
        let folder = LockedTempDir::new().map_err(plain)?;
        let (input, output) = (
            folder.path().join("arguments"),
            folder.path().join("result"),
        );
        let runs = Runs {
            timed: runs.timed.max(1),
            ..runs
        };
        write_arguments(&input, sizes, args, &outputs, runs)?;
        let mut command = Command::new(self.path());
        command.arg(&input).arg(&output).current_dir(folder.path());
        let finished = process::run(&mut command, limits)?;
        if !finished.status.success() {
            return Err(failure(&finished));
        }
        match read_result(&output, result, &outputs, runs.timed)? {
            Some((value, times)) => Ok(Outcome {
                value,
                times,
                stdout: finished.stdout,
                stderr: finished.stderr,
            }),
            None => Err(RunError::NoResult {
                output: process::stderr_tail(&finished.stderr),
            }),
        }
    }
}

fn failure(finished: &process::ProcessOutput) -> RunError {
    let output = process::stderr_tail(&finished.stderr);
    if finished.status.code() == Some(NO_MEMORY)
        && let Some(reason) = output.strip_prefix("rise-ls: ")
    {
        let (how, output) = ("has no memory".to_owned(), reason.to_owned());
        return RunError::Failed { how, output };
    }
    if finished.status.code() == Some(NO_FILE)
        && let Some(reason) = output.strip_prefix("rise-ls: ")
    {
        return RunError::Files(io::Error::other(reason.to_owned()));
    }
    RunError::Failed {
        how: process::describe(finished.status),
        output,
    }
}

fn write_arguments(
    path: &Path,
    sizes: &[i64],
    args: &[&Value],
    outputs: &[OutputPart],
    runs: Runs,
) -> io::Result<()> {
    let mut file = BufWriter::with_capacity(1 << 16, File::create(path)?);
    let count = (sizes.len() + args.len()) as u64;
    let header = [
        u64::from(runs.warm_up),
        u64::from(runs.timed),
        outputs.len() as u64,
        count,
    ];
    let lengths = outputs.iter().map(|output| output.size);
    let sources = outputs.iter().map(|output| match output.source {
        Some(at) => (sizes.len() + at + 1) as u64,
        None => 0,
    });
    for number in header.into_iter().chain(lengths).chain(sources) {
        file.write_all(&number.to_ne_bytes())?;
    }
    for size in sizes {
        file.write_all(&8u64.to_ne_bytes())?;
        file.write_all(&size.to_ne_bytes())?;
    }
    for arg in args {
        file.write_all(&(arg.bytes().len() as u64).to_ne_bytes())?;
        file.write_all(arg.bytes())?;
    }
    file.flush()
}

/// Reads the result and the times, or returns `None` if the file does not exist or does not have
/// the expected length.
fn read_result(
    path: &Path,
    shape: Shape,
    outputs: &[OutputPart],
    timed: u32,
) -> Result<Option<(Value, Vec<Duration>)>, RunError> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let written: u64 = outputs.iter().map(|output| output.size).sum();
    if file.metadata()?.len() != u64::from(timed) * 8 + written {
        return Ok(None);
    }
    let mut times = Vec::new();
    for _ in 0..timed {
        let mut nanoseconds = [0; 8];
        file.read_exact(&mut nanoseconds)?;
        times.push(Duration::from_nanos(u64::from_ne_bytes(nanoseconds)));
    }
    let mut value = Value::zeros(shape)?;
    for output in outputs {
        // The value is in memory, so that its length fits into a `usize`.
        let (from, size) = (output.offset as usize, output.size as usize);
        file.read_exact(&mut value.bytes_mut()[from..from + size])?;
    }
    Ok(Some((value, times)))
}
