//! Compiles generated C with the system's compiler, and calls it.
//!
//! A program consists of three files: the generated text, a call of its function, and a fixed
//! `main`. They are separate translation units, so that names of the program do not collide with
//! the headers of the C library, and calls are not optimised away.

mod call;
mod compiler;
mod execute;
pub mod foreign;
pub(crate) mod messages;

pub use compiler::Compiler;
pub use execute::{Outcome, Outputs, RunError, Runs};
pub use messages::{Message, Severity, parse as parse_messages};

use crate::build_cache::{self, CacheEntry};
use crate::process::{self, Limits, ProcessError};
use crate::shape::Shape;
use codegen::IndexWidth;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The `main` function of every program.
const MAIN: &str = include_str!("main.c");

/// A generated function with its calling convention: the outputs first, then the sizes, each an
/// `int` or a `long long` by `index`, then the arguments: arrays as pointers, everything else by
/// value.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// The C text.
    pub text: &'a str,
    /// The name of the function.
    pub function: &'a str,
    /// The parts of the result.
    pub outputs: Outputs<'a>,
    /// The number of size parameters.
    pub sizes: usize,
    /// The width of the sizes.
    pub index: IndexWidth,
    /// The shapes of the arguments.
    pub params: &'a [Shape],
    /// True if the text uses OpenMP.
    pub openmp: bool,
}

/// A compiled program.
#[derive(Debug)]
pub struct Executable {
    path: PathBuf,
    /// The messages of the compiler.
    pub messages: Vec<Message>,
}

/// The reason why a program was not compiled.
#[derive(Debug, Error)]
pub enum CompileError {
    /// No C compiler was found that runs and writes a program.
    #[error("there is no C compiler: {0}")]
    NoCompiler(String),
    /// The compiler did not start, exceeded the time limit, or was cancelled.
    #[error("the C compiler: {0}")]
    Process(#[from] ProcessError),
    /// The compiler rejects the program.
    #[error("the C compiler rejects the program: {}", first_error(.messages, .output))]
    Refused {
        /// The messages of the compiler.
        messages: Vec<Message>,
        /// The output of the compiler.
        output: String,
    },
    /// The files of the program could not be written.
    #[error("{}: {error}", path.display())]
    Files {
        /// The folder of the files.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// There is no folder for compiled programs.
    #[error(
        "no folder for compiled programs is found; set XDG_CACHE_HOME to a folder that you own"
    )]
    NoFolder,
}

fn first_error(messages: &[Message], output: &str) -> String {
    match messages
        .iter()
        .find(|message| message.severity == Severity::Error)
    {
        Some(message) => message.text.clone(),
        None => output.trim().to_owned(),
    }
}

impl Program<'_> {
    /// Compiles the program, or returns it from the cache.
    pub fn compile(
        &self,
        compiler: &Compiler,
        limits: &Limits,
    ) -> Result<Executable, CompileError> {
        let root = build_cache::root().ok_or(CompileError::NoFolder)?;
        self.compile_in(&root, compiler, limits)
    }

    /// Compiles the program with a cache in the folder `root`, which only its owner may write to.
    pub fn compile_in(
        &self,
        root: &Path,
        compiler: &Compiler,
        limits: &Limits,
    ) -> Result<Executable, CompileError> {
        let alone = std::slice::from_ref(self);
        compile_together(alone, self.text, root, compiler, limits)
    }
}

/// Compiles many programs together, which takes little longer than one. `text` contains the
/// functions of all programs, under distinct names. If there are several, the executable takes the
/// index of a program before its sizes.
pub fn compile_together(
    programs: &[Program<'_>],
    text: &str,
    root: &Path,
    compiler: &Compiler,
    limits: &Limits,
) -> Result<Executable, CompileError> {
    let openmp = programs.iter().any(|program| program.openmp);
    let entry = CacheEntry::new(&[
        ("program.c", text),
        ("call.c", &call::text(programs)),
        ("main.c", MAIN),
        ("compiler.txt", &compiler.identity(openmp)),
    ]);
    build(&entry, root, compiler, openmp, limits)
}

/// Compiles the files of an entry, or returns it from the cache.
fn build(
    entry: &CacheEntry,
    root: &Path,
    compiler: &Compiler,
    openmp: bool,
    limits: &Limits,
) -> Result<Executable, CompileError> {
    let at = |error: io::Error| CompileError::Files {
        path: root.to_owned(),
        error,
    };
    if let Some((path, output)) = entry.find(root) {
        let messages = messages::parse(&output);
        return Ok(Executable { path, messages });
    }
    let folder = entry.prepare(root).map_err(at)?;
    let output = compiler.compile(folder.path(), openmp, limits)?;
    let path = entry.keep(folder, root, &output).map_err(at)?;
    let messages = messages::parse(&output);
    Ok(Executable { path, messages })
}

impl Executable {
    /// Returns the path of the executable.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Returns the output of the compiler, or the error if it has rejected the program.
fn checked(finished: process::ProcessOutput) -> Result<String, CompileError> {
    let output = String::from_utf8_lossy(&finished.stderr).into_owned();
    if finished.status.success() {
        return Ok(output);
    }
    let messages = messages::parse(&output);
    let output = if output.trim().is_empty() {
        format!("it {}", process::describe(finished.status))
    } else {
        output
    };
    Err(CompileError::Refused { messages, output })
}

#[cfg(all(test, unix))]
mod tests;
