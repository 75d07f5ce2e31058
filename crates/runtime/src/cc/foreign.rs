//! Calls the foreign functions of a program, which are written in C, from the interpreter.
//!
//! The functions run in a separate process. A request consists of the index of a function, the
//! number of calls and their arguments; the answer consists of the results. The process reads a
//! whole request before it calls a function, and a thread receives its answers, so that neither
//! side blocks on the other.

use super::call::{Types, scalar_name};
use super::{CompileError, Compiler, Message};
use crate::build_cache::{self, CacheEntry};
use crate::interp::ForeignCall;
use crate::process::{self, Limits, Process, ProcessError};
use crate::scalar::Leaf;
use crate::shape::{Bindings, Shape, ShapeError};
use crate::value::Value;
use codegen::{ForeignNames, Target};
use rise::core::{Expr, Foreign, Form, subterms};
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use syntax::ast::ScalarType;
use thiserror::Error;

/// The `main` function of the process.
const SERVER_MAIN: &str = include_str!("serve.c");
/// The headers that bodies may use implicitly, as in generated programs.
const HEADERS: &str = "#include <math.h>\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n";
/// The interval at which cancellation is checked.
const CANCEL_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The reason why foreign functions cannot be called.
#[derive(Debug, Error)]
pub enum ForeignError {
    /// The type of a parameter or of the result of a function has no memory layout.
    #[error("`{name}`: {error}")]
    Shape {
        /// The name of the function.
        name: String,
        /// The reason.
        error: ShapeError,
    },
    /// The functions do not compile.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The process was not started.
    #[error(transparent)]
    Process(#[from] ProcessError),
}

/// Compiled foreign functions with bodies, and the process that runs them.
#[derive(Debug)]
pub struct ForeignFunctions {
    functions: Vec<Compiled>,
    server: Mutex<Server>,
    limits: Limits,
    /// The messages of the compiler.
    pub messages: Vec<Message>,
}

#[derive(Debug)]
struct Compiled {
    function: Arc<Foreign>,
    /// The size in bytes of all arguments of a call.
    arguments: u64,
    result: Shape,
}

/// The process, with the channel of the thread that receives its answers.
#[derive(Debug)]
struct Server {
    process: Process,
    requests: Option<ChildStdin>,
    replies: Receiver<Vec<u8>>,
    /// The output of the functions, which is complete when the process has ended.
    printed: Option<Receiver<Vec<u8>>>,
    /// Bytes of answers that are received but not consumed yet.
    buffer: Vec<u8>,
}

/// Returns the foreign functions with bodies in an expression, without duplicates.
pub fn functions_with_bodies<P>(body: &Expr<P>) -> Vec<Arc<Foreign>> {
    let mut found: Vec<Arc<Foreign>> = Vec::new();
    for term in subterms(body) {
        if let Form::Foreign(function, _) = &term.form
            && function.body.is_some()
            && !found.contains(function)
        {
            found.push(function.clone());
        }
    }
    found
}

/// Maps a message about C text to the foreign function that it is about and the byte offset in its
/// body; the offset is 0 for a message about the head of the function. Returns `None` if the
/// message is about other code.
pub fn place_in_body(
    text: &str,
    message: &Message,
    functions: &[Arc<Foreign>],
) -> Option<(Arc<Foreign>, usize)> {
    if message.file != "program.c" {
        return None;
    }
    let before: usize = text
        .split_inclusive('\n')
        .take(message.line.checked_sub(1)? as usize)
        .map(str::len)
        .sum();
    let at = before + (message.column.max(1) - 1) as usize;
    functions.iter().find_map(|function| {
        let body = function.body.as_deref()?;
        let start = text.find(body)?;
        // A message about the function as a whole refers to its head.
        let head = text[..start].rfind('\n').map_or(0, |end| end + 1);
        let inside = at.max(start).checked_sub(start)?;
        (at >= head && inside <= body.len()).then(|| (function.clone(), inside))
    })
}

/// Returns the C text of these functions, as [`ForeignFunctions::compile`] compiles it.
pub fn text(functions: &[Arc<Foreign>]) -> Result<String, ForeignError> {
    let mut program = Program::default();
    for function in functions {
        program.add(function)?;
    }
    Ok(program.text())
}

impl ForeignFunctions {
    /// Compiles functions and starts their process.
    pub fn compile(
        functions: &[Arc<Foreign>],
        compiler: &Compiler,
        limits: &Limits,
    ) -> Result<ForeignFunctions, ForeignError> {
        let root = build_cache::root().ok_or(CompileError::NoFolder)?;
        ForeignFunctions::compile_in(&root, functions, compiler, limits)
    }

    /// Compiles functions with a cache in the folder `root`, which only its owner may write to, and
    /// starts their process.
    pub fn compile_in(
        root: &Path,
        functions: &[Arc<Foreign>],
        compiler: &Compiler,
        limits: &Limits,
    ) -> Result<ForeignFunctions, ForeignError> {
        let mut program = Program::default();
        let mut compiled = Vec::new();
        for function in functions {
            let result = program.add(function)?;
            compiled.push(Compiled {
                function: function.clone(),
                arguments: program.argument_sizes.last().copied().unwrap_or(0),
                result,
            });
        }
        let entry = CacheEntry::new(&[
            ("program.c", &program.text()),
            ("call.c", ""),
            ("main.c", SERVER_MAIN),
            ("compiler.txt", &compiler.identity(false)),
        ]);
        let built = super::build(&entry, root, compiler, false, limits)?;
        Ok(ForeignFunctions {
            functions: compiled,
            server: Mutex::new(Server::start(&mut Command::new(built.path))?),
            limits: limits.clone(),
            messages: built.messages,
        })
    }

    /// Ends the process, and returns the output of the functions, at most one megabyte.
    pub fn finish(self) -> String {
        match self.server.into_inner() {
            Ok(mut server) => server.printed(),
            Err(_) => String::new(),
        }
    }

    fn known(&self, function: &Foreign) -> Result<(u64, &Compiled), String> {
        let mut all = (0u64..).zip(&self.functions);
        all.find(|(_, known)| known.function.name == function.name)
            .ok_or_else(|| "it was not compiled".to_owned())
    }

    /// Calls the function of this index `count` times. The arguments of the calls follow each other
    /// in `args`, and their results in `results`.
    fn exchange(
        &self,
        number: u64,
        count: usize,
        args: &[&[u8]],
        results: &mut [u8],
    ) -> Result<(), String> {
        let mut request = number.to_ne_bytes().to_vec();
        request.extend_from_slice(&(count as u64).to_ne_bytes());
        for arg in args {
            request.extend_from_slice(arg);
        }
        let Ok(mut server) = self.server.lock() else {
            return Err("it failed before".to_owned());
        };
        server.answer(&request, results, &self.limits)
    }
}

impl ForeignCall for ForeignFunctions {
    fn call(&self, function: &Foreign, args: &[Value]) -> Result<Value, String> {
        let (number, known) = self.known(function)?;
        let mut value = Value::zeros(known.result.clone()).map_err(|error| error.to_string())?;
        let args: Vec<&[u8]> = args.iter().map(Value::bytes).collect();
        self.exchange(number, 1, &args, value.bytes_mut())?;
        Ok(value)
    }

    fn call_batch(&self, function: &Foreign, args: &[u8], count: usize) -> Result<Vec<u8>, String> {
        let (number, known) = self.known(function)?;
        let expected = known.arguments.checked_mul(count as u64);
        if expected != Some(args.len() as u64) {
            return Err(
                "the number of its arguments is not the number of its parameters".to_owned(),
            );
        }
        let size = usize::try_from(known.result.size()).ok();
        let size = size.and_then(|size| size.checked_mul(count));
        let size = size.ok_or_else(|| "its results do not fit into memory".to_owned())?;
        let mut results = vec![0; size];
        self.exchange(number, count, &[args], &mut results)?;
        Ok(results)
    }
}

impl Server {
    fn start(command: &mut Command) -> Result<Server, ProcessError> {
        let mut process = Process::start(command, Stdio::piped())?;
        let (requests, stdout, stderr) = process.pipes();
        let (sender, replies) = mpsc::channel();
        if let Some(mut stdout) = stdout {
            thread::spawn(move || {
                let mut buffer = [0; 4096];
                while let Ok(count @ 1..) = stdout.read(&mut buffer) {
                    if sender.send(buffer[..count].to_vec()).is_err() {
                        break;
                    }
                }
            });
        }
        Ok(Server {
            requests,
            printed: stderr.map(process::collect),
            process,
            replies,
            buffer: Vec::new(),
        })
    }

    fn answer(&mut self, request: &[u8], result: &mut [u8], limits: &Limits) -> Result<(), String> {
        let sent = self
            .requests
            .as_mut()
            .is_some_and(|pipe| pipe.write_all(request).and_then(|()| pipe.flush()).is_ok());
        if !sent {
            return Err(self.crash_message());
        }
        // Results arrive while later calls run, so a time limit of each part applies to each wait
        // instead of all calls.
        let mut clock = limits.clock();
        while self.buffer.len() < result.len() {
            if limits.cancel.is_cancelled() {
                return Err("stopped".to_owned());
            }
            match self.replies.recv_timeout(CANCEL_POLL_INTERVAL) {
                Ok(more) => {
                    self.buffer.extend(more);
                    clock = limits.clock();
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.crash_message()),
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(time) = clock.exceeded() {
                        return Err(format!("it does not return within {time:?}"));
                    }
                }
            }
        }
        result.copy_from_slice(&self.buffer[..result.len()]);
        self.buffer.drain(..result.len());
        Ok(())
    }

    fn printed(&mut self) -> String {
        // The process ends at the end of its input.
        self.requests = None;
        let deadline = Instant::now() + process::OUTPUT_TIMEOUT;
        let printed = process::received(self.printed.take(), deadline);
        String::from_utf8_lossy(&printed).into_owned()
    }

    /// Waits for the end of the process, and describes the way in which it has ended.
    fn crash_message(&mut self) -> String {
        self.requests = None;
        match self.process.wait() {
            Ok(status) => format!("the C function {}", process::describe(status)),
            Err(error) => error.to_string(),
        }
    }
}

/// The C text of the functions and their calls.
#[derive(Default)]
struct Program {
    types: Types,
    functions: String,
    calls: String,
    argument_sizes: Vec<u64>,
    result_sizes: Vec<u64>,
}

impl Program {
    /// Adds a function, and returns the shape of its result.
    fn add(&mut self, function: &Foreign) -> Result<Shape, ForeignError> {
        let shape = |ty| {
            Shape::of(ty, &Bindings::default()).map_err(|error| ForeignError::Shape {
                name: function.name.to_string(),
                error,
            })
        };
        let result = shape(&function.result)?;
        let number = self.argument_sizes.len();
        // The original name may be a keyword of C, or declared by a header.
        let name = format!("rise_ls_function_{number}");
        let result_type = self.type_name(&result);
        let (mut declared, mut passed, mut copies) = (Vec::new(), Vec::new(), String::new());
        let mut offset = 0;
        let names = ForeignNames::of(function, &name, Target::default());
        for (at, ((_, ty), param)) in function.params.iter().zip(&names.params).enumerate() {
            let shape = shape(ty)?;
            let ty = self.type_name(&shape);
            declared.push(format!("{ty} {param}"));
            passed.push(format!("x{at}"));
            // Writing to a string does not fail.
            let _ = writeln!(
                copies,
                "        {ty} x{at};\n        __builtin_memcpy(&x{at}, arguments + {offset}, sizeof x{at});"
            );
            offset += shape.size();
        }
        let (declared, passed) = (declared.join(", "), passed.join(", "));
        let body = function.body.as_deref().unwrap_or(";");
        let (before, after) = (names.before_body(), names.after_body());
        let _ = writeln!(
            self.functions,
            "static {result_type} {name}({declared});\nstatic {result_type} {name}({declared})\n{before}{body}{after}\n"
        );
        let _ = writeln!(
            self.calls,
            "    case {number}: {{\n{copies}        {result_type} y = {name}({passed});\n        \
             __builtin_memcpy(result, &y, sizeof y);\n        break;\n    }}"
        );
        self.argument_sizes.push(offset);
        self.result_sizes.push(result.size());
        Ok(result)
    }

    /// Returns the type as bodies write it: `bool` instead of `_Bool`.
    fn type_name(&mut self, shape: &Shape) -> String {
        let name = match shape {
            Shape::Scalar(ScalarType::Bool) => "bool",
            Shape::Scalar(scalar) => scalar_name(Leaf::Scalar(*scalar)),
            _ => return self.types.name(shape),
        };
        name.to_owned()
    }

    fn text(&self) -> String {
        let list = |sizes: &[u64]| {
            let all: Vec<String> = sizes.iter().map(u64::to_string).collect();
            all.join(", ")
        };
        format!(
            "{HEADERS}{}{}\
             extern const uint64_t rise_ls_functions, rise_ls_argument_sizes[], rise_ls_result_sizes[];\n\
             const uint64_t rise_ls_functions = {};\n\
             const uint64_t rise_ls_argument_sizes[] = {{{}}};\n\
             const uint64_t rise_ls_result_sizes[] = {{{}}};\n\
             void rise_ls_call(uint64_t function, const unsigned char *arguments, unsigned char *result);\n\
             void rise_ls_call(uint64_t function, const unsigned char *arguments, unsigned char *result)\n\
             {{\n    (void)arguments;\n    switch (function) {{\n{}    }}\n}}\n",
            self.types.text,
            self.functions,
            self.argument_sizes.len(),
            list(&self.argument_sizes),
            list(&self.result_sizes),
            self.calls,
        )
    }
}

#[cfg(all(test, unix))]
mod tests;
