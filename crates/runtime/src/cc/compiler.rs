//! The system's C compiler.

use super::{CompileError, checked};
use crate::process::{self, Limits, ProcessError};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// What is looked for where `$CC` says nothing.
const NAMES: &[&str] = &["cc", "gcc", "clang"];
const FLAGS: &[&str] = &[
    "-std=c99",
    "-O3",
    // A program says with `fma` where a product and a sum are one operation.
    "-ffp-contract=off",
];
/// Options that have no influence on the code.
const MESSAGES: &[&str] = &["-Wall", "-Wextra", "-fdiagnostics-color=never"];
/// The longest time in which a compiler says what it is.
const ANSWER: Duration = Duration::from_secs(20);
const NATIVE: &str = "-march=native";

/// A C compiler: GCC, Clang, or one that understands their options.
#[derive(Clone, Debug)]
pub struct Compiler {
    program: String,
    /// What `$CC` says behind the name.
    args: Vec<String>,
    /// What `$CFLAGS` says; it counts more than what is always said.
    flags: Vec<String>,
    /// What it says of itself.
    version: String,
}

impl Compiler {
    /// The compiler that `$CC` names, else the first of `cc`, `gcc`, `clang` that runs, with the
    /// options of `$CFLAGS`.
    pub fn find(limits: &Limits) -> Result<Compiler, CompileError> {
        let flags = std::env::var("CFLAGS").unwrap_or_default();
        Compiler::wanted(limits).map(|compiler| compiler.with_flags(&flags))
    }

    fn wanted(limits: &Limits) -> Result<Compiler, CompileError> {
        let wanted = std::env::var("CC")
            .ok()
            .filter(|text| !text.trim().is_empty());
        let Some(wanted) = wanted else {
            for name in NAMES {
                if let Some(compiler) = Compiler::of(name, limits)? {
                    return Ok(compiler);
                }
            }
            return Err(CompileError::NoCompiler(format!(
                "neither {} runs; install one, or set CC",
                NAMES.join(" nor ")
            )));
        };
        Compiler::of(&wanted, limits)?.ok_or_else(|| {
            CompileError::NoCompiler(format!("CC is `{wanted}`, which does not run"))
        })
    }

    /// The compiler that is called so, with options behind its name; none if it does not run.
    ///
    /// # Errors
    /// It does not answer in time, or somebody asks to stop.
    pub fn of(command: &str, limits: &Limits) -> Result<Option<Compiler>, CompileError> {
        let mut words = command.split_whitespace().map(str::to_owned);
        let Some(program) = words.next() else {
            return Ok(None);
        };
        let args: Vec<String> = words.collect();
        let time = limits.time.map_or(ANSWER, |time| time.min(ANSWER));
        let limits = Limits {
            time: Some(time),
            cancel: limits.cancel.clone(),
        };
        match process::run(Command::new(&program).args(&args).arg("--version"), &limits) {
            Ok(finished) if finished.status.success() => Ok(Some(Compiler {
                program,
                args,
                flags: Vec::new(),
                version: String::from_utf8_lossy(&finished.stdout).into_owned(),
            })),
            Ok(_) | Err(ProcessError::Start(..) | ProcessError::Wait(..)) => Ok(None),
            Err(ProcessError::TooLong(time)) => Err(CompileError::NoCompiler(format!(
                "`{command} --version` does not answer within {time:?}"
            ))),
            Err(error @ ProcessError::Cancelled) => Err(error.into()),
        }
    }

    /// The same with more options, apart by spaces, behind those that are always given.
    pub fn with_flags(mut self, flags: &str) -> Compiler {
        self.flags
            .extend(flags.split_whitespace().map(str::to_owned));
        self
    }

    /// The first line of what it says of itself.
    pub fn version(&self) -> &str {
        self.version.lines().next().unwrap_or_default()
    }

    /// All on which its output depends, besides the program.
    pub(super) fn identity(&self, openmp: bool) -> String {
        let Compiler {
            program,
            args,
            flags,
            version,
        } = self;
        let processor = processor();
        format!(
            "{program} {args:?} {FLAGS:?} {MESSAGES:?} {flags:?} openmp {openmp}\n{version}\n{processor}\n"
        )
    }

    /// The options that have an influence on the code.
    pub fn options(&self, openmp: bool) -> Vec<String> {
        let own = FLAGS.iter().copied().chain([NATIVE]);
        let own = own.chain(openmp.then_some("-fopenmp")).map(str::to_owned);
        let given = self.flags.iter().cloned();
        self.args.iter().cloned().chain(own).chain(given).collect()
    }

    /// Compiles the C files of a folder to `run` there, and returns what the compiler says.
    pub(super) fn compile(
        &self,
        folder: &Path,
        openmp: bool,
        limits: &Limits,
    ) -> Result<String, CompileError> {
        match self.attempt(folder, openmp, true, limits) {
            // Some compilers do not know that option for their processor.
            Err(CompileError::Refused { output, .. }) if output.contains("march") => {
                self.attempt(folder, openmp, false, limits)
            }
            result => result,
        }
    }

    fn attempt(
        &self,
        folder: &Path,
        openmp: bool,
        native: bool,
        limits: &Limits,
    ) -> Result<String, CompileError> {
        let mut command = Command::new(&self.program);
        command.args(&self.args).args(FLAGS).args(MESSAGES);
        command.args(native.then_some(NATIVE));
        command.args(openmp.then_some("-fopenmp"));
        command.args(&self.flags);
        command.args(["program.c", "call.c", "main.c", "-o", "run", "-lm"]);
        // A compiler that is killed leaves its temporary files behind.
        command.current_dir(folder).env("TMPDIR", folder);
        command.env("LC_ALL", "C");
        checked(process::run(&mut command, limits)?)
    }
}

/// What tells one processor from another: code for this one may not run on that one.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let telling = |line: &&str| {
        ["model name", "flags", "Features"]
            .iter()
            .any(|key| line.starts_with(key))
    };
    let mut lines: Vec<&str> = text.lines().filter(telling).collect();
    lines.sort_unstable();
    lines.dedup();
    format!("{} {}", std::env::consts::ARCH, lines.join("\n"))
}
