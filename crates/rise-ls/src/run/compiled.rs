//! Compiles programs to C or OpenMP with the system's C compiler, and runs them.

use super::{Complaint, Failure, Ran, Runs, errors};
use codegen::{Module, Target};
use rise::Primitive;
use rise::core::{Expr, Form, Mapper, Origin, walk};
use runtime::cc::foreign::functions_with_bodies;
use runtime::cc::{self, CompileError, Compiler, Message};
use runtime::launch;
use runtime::{Bindings, Shape, Value};
use std::sync::Arc;

impl Runs<'_> {
    /// Compiles the program and calls it once, or `bench` times after a warm-up.
    pub(super) fn compiled(
        &self,
        target: Target,
        bench: Option<u32>,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Ran, Failure> {
        let compiler = Compiler::find(self.limits)?;
        progress("translating");
        let module = self.module(target)?;
        self.check_signature(&module)?;
        let params: Vec<Shape> = self
            .launch
            .args
            .iter()
            .map(|value| value.shape().clone())
            .collect();
        let signature = &module.signature;
        let outputs = cc::Outputs {
            count: signature.inout.len() + signature.outputs.len(),
            inout: &signature.inout,
        };
        let program = cc::Program {
            text: &module.text,
            function: &module.signature.name,
            outputs,
            sizes: self.launch.sizes.len(),
            index: module.signature.index,
            params: &params,
            openmp: target.features().has_threads(),
        };
        progress("compiling");
        let executable = match program.compile(&compiler, self.limits) {
            Ok(executable) => executable,
            Err(CompileError::Refused { messages, output }) => {
                return Err(self.refused(&module.text, &messages, &output));
            }
            Err(error) => return Err(error.into()),
        };
        progress("running");
        let sizes: Vec<i64> = self.launch.sizes.iter().map(|(_, value)| *value).collect();
        let args: Vec<&Value> = self.launch.args.iter().collect();
        let runs = cc::Runs {
            warm_up: u32::from(bench.is_some()),
            timed: bench.unwrap_or(1),
        };
        let result = self.launch.result.clone()?;
        let outcome = executable.run(&sizes, &args, result, outputs, runs, self.limits)?;
        let mut printed = String::from_utf8_lossy(&outcome.stdout).into_owned();
        printed.push_str(&String::from_utf8_lossy(&outcome.stderr));
        Ok(Ran {
            warnings: self.warnings(&module.text, &executable.messages),
            value: outcome.value,
            elapsed: outcome.times.last().copied().unwrap_or_default(),
            times: bench.map_or_else(Vec::new, |_| outcome.times),
            printed,
            flags: Some(compiler.options(target.features().has_threads())),
            device: None,
        })
    }

    /// Returns the generated code for a target.
    pub(super) fn module(&self, target: Target) -> Result<Arc<Module>, Failure> {
        self.db
            .module(self.item, target)
            .map_err(|found| Failure::Wrong(vec![(self.item, errors(&found))]))
    }

    /// Checks the conditions of the generated code on sizes. Also fails if the number of its sizes
    /// or parameters is not that of the program.
    fn check_signature(&self, module: &Module) -> Result<(), Failure> {
        let signature = &module.signature;
        let launch = self.launch;
        let parts = signature.inout.len() + signature.outputs.len();
        if signature.sizes.len() != launch.sizes.len()
            || signature.params.len() != launch.args.len()
            || (launch.result.iter()).any(|result| result.outputs(parts).is_none())
        {
            return Err(Failure::failed(
                "the generated function has other parameters than the program".to_owned(),
            ));
        }
        let values = signature.sizes.iter().zip(&launch.sizes);
        let bindings = Bindings {
            nats: values
                .map(|((var, _), (_, value))| (*var, *value))
                .collect(),
            names: rise::Names(signature.names.clone().into()),
            ..Bindings::default()
        };
        Ok(launch::check(&signature.requires, &bindings)?)
    }

    /// Returns the warnings of the C compiler about the bodies of the program's foreign functions.
    pub(super) fn warnings(&self, text: &str, messages: &[Message]) -> Vec<Complaint> {
        let functions = functions_with_bodies(&self.program.body);
        let is_warning = |message: &&Message| message.severity == cc::Severity::Warning;
        let complaint = |message: &Message| {
            let (function, offset) = cc::foreign::place_in_body(text, message, &functions)?;
            Some(Complaint {
                message: format!("the C compiler: {}", message.text),
                place: Some(self.body_place(&function, offset)?),
                uses: Vec::new(),
            })
        };
        let warnings = messages.iter().filter(is_warning);
        warnings.filter_map(complaint).collect()
    }

    /// Returns the failure for a foreign function without a body that the linker did not find, at
    /// its first use; `None` if the messages name no such function.
    fn not_linked(&self, messages: &[Message]) -> Option<Failure> {
        let mut missing = messages.iter().filter_map(Message::not_linked);
        missing.find_map(|name| {
            self.not_found(name, &format!(
                "there is no C function `{name}`: `rise-ls run` links the C library and its mathematics only; give it a body"
            ))
        })
    }

    /// Returns a failure with the given message, at the first use of the foreign function `name`,
    /// which has no body. Returns `None` if the program does not use such a function.
    pub(super) fn not_found(&self, name: &str, message: &str) -> Option<Failure> {
        struct Uses<'a>(&'a str, Option<Origin>);
        impl Mapper<Primitive> for Uses<'_> {
            fn expr(&mut self, expr: &Expr<Primitive>) -> Expr<Primitive> {
                if let Form::Foreign(function, _) = &expr.form
                    && function.body.is_none()
                    && *function.name == *self.0
                {
                    self.1 = self.1.or(Some(expr.origin));
                }
                walk(self, expr)
            }
        }
        let mut uses = Uses(name, None);
        uses.expr(&self.program.body);
        let (place, used) = self.places(uses.1?);
        Some(Failure::Failed(Complaint {
            message: message.to_owned(),
            place,
            uses: used,
        }))
    }

    /// Returns the failure for a program that the C compiler rejects, at the foreign function that
    /// the message refers to if there is one.
    pub(super) fn refused(&self, text: &str, messages: &[Message], output: &str) -> Failure {
        let functions = functions_with_bodies(&self.program.body);
        let is_error = |message: &&Message| message.severity == cc::Severity::Error;
        for message in messages.iter().filter(is_error) {
            let place = cc::foreign::place_in_body(text, message, &functions);
            if let Some(place) =
                place.and_then(|(function, offset)| self.body_place(&function, offset))
            {
                return Failure::Failed(Complaint {
                    message: format!("the C compiler: {}", message.text),
                    place: Some(place),
                    uses: Vec::new(),
                });
            }
        }
        if let Some(failure) = self.not_linked(messages) {
            return failure;
        }
        let first = messages
            .iter()
            .find(is_error)
            .map_or(output.trim(), |message| &message.text);
        Failure::failed(format!("the C compiler rejects the program: {first}"))
    }
}
