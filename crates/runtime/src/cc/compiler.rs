//! Finds and runs the system's C compiler.

use super::{CompileError, checked};
use crate::process::{self, Limits, ProcessError, TimeLimit};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The compilers that are tried without `$CC`.
const COMPILERS: &[&str] = &["cc", "gcc", "clang"];
const FLAGS: &[&str] = &[
    "-std=c99",
    "-O3",
    // Contraction is off, because programs use `fma` explicitly.
    "-ffp-contract=off",
    // GCC vectorises `sqrt` only if it does not set `errno`.
    "-fno-math-errno",
];
/// The options that do not affect the generated code.
const WARNING_FLAGS: &[&str] = &["-Wall", "-Wextra", "-fdiagnostics-color=never"];
/// The time limit for a compiler to print its version.
const VERSION_TIMEOUT: Duration = Duration::from_secs(20);
const NATIVE_FLAG: &str = "-march=native";

/// A C compiler: GCC, Clang, or one with compatible options.
#[derive(Clone, Debug)]
pub struct Compiler {
    program: String,
    /// The arguments after the name in `$CC`.
    args: Vec<String>,
    /// The options of `$CFLAGS`, which come after the default options and override them.
    flags: Vec<String>,
    /// The output of `--version`.
    version: String,
}

impl Compiler {
    /// Finds the compiler that `$CC` names, else the first of `cc`, `gcc` and `clang` that runs,
    /// and adds the options of `$CFLAGS`.
    pub fn find(limits: &Limits) -> Result<Compiler, CompileError> {
        let flags = std::env::var("CFLAGS").unwrap_or_default();
        Compiler::wanted(limits).map(|compiler| compiler.with_flags(&flags))
    }

    fn wanted(limits: &Limits) -> Result<Compiler, CompileError> {
        let wanted = std::env::var("CC")
            .ok()
            .filter(|text| !text.trim().is_empty());
        let Some(wanted) = wanted else {
            for name in COMPILERS {
                if let Some(compiler) = Compiler::of(name, limits)? {
                    return Ok(compiler);
                }
            }
            return Err(CompileError::NoCompiler(format!(
                "neither {} can be started; install one, or set CC to a C compiler",
                COMPILERS.join(" nor ")
            )));
        };
        Compiler::of(&wanted, limits)?.ok_or_else(|| {
            CompileError::NoCompiler(format!("CC is `{wanted}`, which does not run"))
        })
    }

    /// Returns the compiler with this command line, or `None` if the command line is empty, or does
    /// not run successfully with `--version`.
    ///
    /// # Errors Fails if the compiler does not answer in time, the run is cancelled, or the process
    /// has too many open files.
    pub fn of(command: &str, limits: &Limits) -> Result<Option<Compiler>, CompileError> {
        let mut words = command.split_whitespace().map(str::to_owned);
        let Some(program) = words.next() else {
            return Ok(None);
        };
        let args: Vec<String> = words.collect();
        let left = limits.clock().left();
        let is_shortened = left.is_none_or(|left| left > VERSION_TIMEOUT);
        let limits = Limits {
            time: match is_shortened {
                true => Some(TimeLimit::of_each_part(VERSION_TIMEOUT)),
                false => limits.time,
            },
            cancel: limits.cancel.clone(),
        };
        match process::run(Command::new(&program).args(&args).arg("--version"), &limits) {
            Ok(finished) if finished.status.success() => Ok(Some(Compiler {
                program,
                args,
                flags: Vec::new(),
                version: String::from_utf8_lossy(&finished.stdout).into_owned(),
            })),
            Err(error @ ProcessError::Start(..)) if error.is_out_of_files() => Err(error.into()),
            Ok(_) | Err(ProcessError::Start(..) | ProcessError::Wait(..)) => Ok(None),
            Err(ProcessError::TooLong(time)) if is_shortened => Err(CompileError::NoCompiler(
                format!("`{command} --version` does not answer within {time:?}"),
            )),
            Err(error @ (ProcessError::TooLong(_) | ProcessError::Cancelled)) => Err(error.into()),
        }
    }

    /// Appends options, separated by spaces, after the default ones.
    pub fn with_flags(mut self, flags: &str) -> Compiler {
        self.flags
            .extend(flags.split_whitespace().map(str::to_owned));
        self
    }

    /// Returns the first line of the output of `--version`.
    pub fn version(&self) -> &str {
        self.version.lines().next().unwrap_or_default()
    }

    /// Returns a text that identifies everything besides the program on which the output depends.
    pub(super) fn identity(&self, openmp: bool) -> String {
        let Compiler {
            program,
            args,
            flags,
            version,
        } = self;
        let processor = processor();
        format!(
            "{program} {args:?} {FLAGS:?} {WARNING_FLAGS:?} {flags:?} openmp {openmp}\n{version}\n{processor}\n"
        )
    }

    /// Returns the options that affect the generated code.
    pub fn options(&self, openmp: bool) -> Vec<String> {
        let own = FLAGS.iter().copied().chain([NATIVE_FLAG]);
        let own = own.chain(openmp.then_some("-fopenmp")).map(str::to_owned);
        let given = self.flags.iter().cloned();
        self.args.iter().cloned().chain(own).chain(given).collect()
    }

    /// Compiles the C files of a folder to the executable `run` there, and returns the compiler's
    /// output.
    pub(super) fn compile(
        &self,
        folder: &Path,
        openmp: bool,
        limits: &Limits,
    ) -> Result<String, CompileError> {
        match self.attempt(folder, openmp, true, limits) {
            // Some compilers do not support `-march=native` for their processor.
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
        command.args(&self.args).args(FLAGS).args(WARNING_FLAGS);
        command.args(native.then_some(NATIVE_FLAG));
        command.args(openmp.then_some("-fopenmp"));
        command.args(&self.flags);
        command.args(["program.c", "call.c", "main.c", "-o", "run", "-lm"]);
        // A killed compiler leaves its temporary files, which are removed with the folder.
        command.current_dir(folder).env("TMPDIR", folder);
        command.env("LC_ALL", "C");
        let output = checked(process::run(&mut command, limits)?)?;
        if folder.join("run").exists() {
            return Ok(output);
        }
        Err(CompileError::NoCompiler(format!(
            "the compiler `{}` runs, but does not write a program",
            self.program
        )))
    }
}

/// Identifies the processor, because code for it may not run on another one.
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
