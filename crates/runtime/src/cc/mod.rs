//! Generated C, compiled with the system's compiler and called.
//!
//! A program is three files: the generated text as it is, a call of its function, and a `main`
//! that is always the same. They are compiled apart, so that no name of the program meets one
//! that the C library's headers declare, and no call is optimised away.

mod cache;
mod call;
mod compiler;
mod execute;
pub mod foreign;
mod messages;

pub use compiler::Compiler;
pub use execute::{Outcome, RunError, Runs};
pub use messages::{Message, Severity, parse as parse_messages};

use crate::process::{self, Limits, ProcessError};
use crate::shape::Shape;
use cache::Entry;
use codegen::IndexWidth;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The `main` of every program.
const MAIN: &str = include_str!("main.c");

/// A generated function and how it is called: the output first, then sizes, each an `int`, then
/// arguments: arrays as pointers, everything else by value.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// The C text.
    pub text: &'a str,
    /// The function's name.
    pub function: &'a str,
    /// How many sizes it takes.
    pub sizes: usize,
    /// The width of the sizes.
    pub index: IndexWidth,
    /// The arguments.
    pub params: &'a [Shape],
    /// Whether it uses OpenMP.
    pub openmp: bool,
}

/// A compiled program.
#[derive(Debug)]
pub struct Executable {
    path: PathBuf,
    /// What the compiler had to say.
    pub messages: Vec<Message>,
}

/// Why a program was not compiled.
#[derive(Debug, Error)]
pub enum CompileError {
    /// There is no C compiler.
    #[error("there is no C compiler: {0}")]
    NoCompiler(String),
    /// The compiler was stopped, or did not start.
    #[error("the C compiler: {0}")]
    Process(#[from] ProcessError),
    /// The program is wrong.
    #[error("the C compiler refuses the program: {}", first_error(.messages, .output))]
    Refused {
        /// What it says, place by place.
        messages: Vec<Message>,
        /// All that it said.
        output: String,
    },
    /// Files could not be written.
    #[error("{}: {error}", path.display())]
    Files {
        /// Which.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// There is no place for compiled programs.
    #[error("there is no folder of one's own for compiled programs; set XDG_CACHE_HOME to one")]
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
    /// Compiles the program, or takes it from where it was kept the last time.
    pub fn compile(
        &self,
        compiler: &Compiler,
        limits: &Limits,
    ) -> Result<Executable, CompileError> {
        let root = cache::root().ok_or(CompileError::NoFolder)?;
        self.compile_in(&root, compiler, limits)
    }

    /// Compiles the program and keeps it in a folder, which only its owner may write to.
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

/// Compiles many programs at once, which takes little longer than one: `text` has the functions of
/// all, each under a name of its own. The executable takes the number of a program before its
/// sizes, if there are several.
pub fn compile_together(
    programs: &[Program<'_>],
    text: &str,
    root: &Path,
    compiler: &Compiler,
    limits: &Limits,
) -> Result<Executable, CompileError> {
    let openmp = programs.iter().any(|program| program.openmp);
    let entry = Entry::new(&[
        ("program.c", text),
        ("call.c", &call::text(programs)),
        ("main.c", MAIN),
        ("compiler.txt", &compiler.identity(openmp)),
    ]);
    build(&entry, root, compiler, openmp, limits)
}

/// Compiles the files of an entry, or takes what is kept.
fn build(
    entry: &Entry,
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
    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Removes what compilers have left behind whose process was killed.
pub fn remove_abandoned_builds() {
    if let Some(root) = cache::root() {
        cache::remove_abandoned_builds(&root);
    }
}

/// The compiler's last words, if it has refused the program.
fn checked(finished: process::Finished) -> Result<String, CompileError> {
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
