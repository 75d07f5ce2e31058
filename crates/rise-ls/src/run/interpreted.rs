//! Runs programs in the interpreter.

use super::{Complaint, Failure, Ran, Runs};
use runtime::cc::foreign::{ForeignError, ForeignFunctions, functions_with_bodies, text};
use runtime::cc::{CompileError, Compiler};
use runtime::interp::{self, ErrorKind, ForeignCall, InterpError, Options};
use runtime::process::{self, ProcessError};
use std::time::Instant;

impl Runs<'_> {
    /// Interprets the program once. With `bench`, interprets it that many more times, and only
    /// these runs are timed.
    pub(super) fn interpreted(
        &self,
        bench: Option<u32>,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Ran, Failure> {
        let functions = self.foreign_functions(progress)?;
        progress("interpreting");
        let foreign = functions
            .as_ref()
            .map(|functions| functions as &dyn ForeignCall);
        let memory_limit = process::available_memory().map_or(4 << 30, |free| free / 4 * 3);
        let run = || {
            let options = Options {
                memory_limit,
                time_limit: self.limits.clock().left(),
                cancel: Some(&self.limits.cancel),
                foreign,
                ..Options::default()
            };
            interp::run(self.program, self.bindings, &self.launch.args, &options)
                .map_err(|error| self.interpreter_failure(error))
        };
        let start = Instant::now();
        let mut outcome = run()?;
        let mut elapsed = start.elapsed();
        let mut times = Vec::new();
        for _ in 0..bench.unwrap_or(0) {
            let start = Instant::now();
            outcome = run()?;
            elapsed = start.elapsed();
            times.push(elapsed);
        }
        let warnings = match &functions {
            Some(all) => {
                let used = functions_with_bodies(&self.program.body);
                self.warnings(&text(&used).unwrap_or_default(), &all.messages)
            }
            None => Vec::new(),
        };
        Ok(Ran {
            warnings,
            value: outcome.value,
            times,
            elapsed,
            printed: functions.map_or_else(String::new, ForeignFunctions::finish),
            flags: None,
            device: None,
        })
    }

    /// Compiles the bodies of the program's foreign functions. Returns `None` if no function has a
    /// body.
    fn foreign_functions(
        &self,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Option<ForeignFunctions>, Failure> {
        let functions = functions_with_bodies(&self.program.body);
        if functions.is_empty() {
            return Ok(None);
        }
        progress("compiling foreign functions");
        let compiler = Compiler::find(self.limits)?;
        match ForeignFunctions::compile(&functions, &compiler, self.limits) {
            Ok(functions) => Ok(Some(functions)),
            Err(ForeignError::Compile(CompileError::Refused { messages, output })) => {
                let text = text(&functions).unwrap_or_default();
                Err(self.refused(&text, &messages, &output))
            }
            Err(ForeignError::Compile(error)) => Err(error.into()),
            Err(ForeignError::Process(ProcessError::Cancelled)) => Err(Failure::Cancelled),
            Err(error) => Err(Failure::failed(error.to_string())),
        }
    }

    fn interpreter_failure(&self, error: InterpError) -> Failure {
        if error.kind == ErrorKind::Cancelled || self.limits.cancel.is_cancelled() {
            return Failure::Cancelled;
        }
        let (place, uses) = match error.origin {
            Some(origin) => self.places(origin),
            None => (None, Vec::new()),
        };
        Failure::Failed(Complaint {
            message: error.to_string(),
            place,
            uses,
        })
    }
}
