//! Runs definitions that are written in DPIA.
//!
//! A functional definition is a program of RISE with access annotations; without these it runs like
//! any program. An imperative definition consists of commands, and can only be compiled.

use super::backend::Choice;
use super::{Backend, Failure, Job, enumeration, errors};
use db::{Database, ItemId, Target};
use dpia::definition::Stage;
use dpia::{PhraseProgram, phrase};
use rise::core::{Form, Node, Param, ParameterForm, Program, dep_lambda, lambda};
use rise::{Arg, Primitive, Type};
use std::sync::Arc;
use syntax::Diagnostic;

/// Returns the definition as a program of RISE, and true if it is imperative. The program of an
/// imperative definition only has the right type: its body is the tuple of the output parameters,
/// and not a computation.
pub(super) fn program(
    db: &Database,
    item: ItemId,
) -> Result<(Arc<Program<Primitive>>, bool), Failure> {
    let wrong = |found: Arc<[Diagnostic]>| Failure::Wrong(vec![(item, errors(&found))]);
    let compiled = match db.scheme(item).and_then(|scheme| Stage::of(&scheme.ty)) {
        Some(Stage::Functional) => return Ok((db.plain(item).map_err(wrong)?, false)),
        Some(Stage::Imperative) => db.imperative(item, target(db, item)).map_err(wrong)?,
        None => {
            let compiled = db.compiled_phrase(item, target(db, item)).map_err(wrong)?;
            return Err(wrong(compiled.diagnostics.as_slice().into()));
        }
    };
    let outside = outside(&compiled).ok_or_else(|| {
        Failure::failed("the definition has no output: it writes nothing that is shown".to_owned())
    })?;
    Ok((Arc::new(outside), true))
}

/// Selects the backend that compiles an imperative definition. Fails if the job requests the
/// interpreter, or the comparison with it.
pub(super) fn choose(db: &Database, item: ItemId, job: &Job) -> Result<Choice, Failure> {
    let unavailable = |text: &str| Err(Failure::Unavailable(text.to_owned()));
    if job.backend == Some(Backend::Interp) {
        return unavailable(&format!(
            "imperative DPIA is not interpreted: it runs compiled, as {}",
            enumeration(Target::all().map(|target| target.title().to_owned()), "or")
        ));
    }
    if job.verify {
        return unavailable(
            "imperative DPIA is not interpreted, so there is nothing to compare the result with",
        );
    }
    let wanted = job.backend.and_then(Backend::target);
    Ok(Choice {
        backend: Backend::Compiled(wanted.unwrap_or_else(|| target(db, item))),
        fallback: None,
    })
}

/// Returns the target of a definition: the first one that it is checked for, else the default.
fn target(db: &Database, item: ItemId) -> Target {
    db.targets(item).iter().next().unwrap_or_default()
}

/// Converts the parameters of an imperative program to a function from all expressions to the tuple
/// of all acceptors. Returns `None` if there is no acceptor, or a parameter does not have a type of
/// data.
fn outside(program: &PhraseProgram) -> Option<Program<Primitive>> {
    let mut outputs = Vec::new();
    let mut params = Vec::new();
    for param in program.signature().params {
        match param.form {
            ParameterForm::Value(value) => {
                let is_output = matches!(*value.ty, Type::Acc(_));
                let ty = phrase::data(&value.ty)?.clone();
                let value = Param { ty, ..value };
                if is_output {
                    outputs.push(Node::var(&value, param.origin));
                } else {
                    params.push(ParameterForm::Value(value));
                }
            }
            size @ ParameterForm::TypeLevel { .. } => params.push(size),
        }
    }
    let mut last = outputs.pop()?;
    for output in outputs.into_iter().rev() {
        let types = [&output, &last].map(|half| Arg::Type(half.ty.clone()));
        let ty = Type::Pair(output.ty.clone(), last.ty.clone()).into();
        let origin = last.origin;
        let form = Form::Primitive(Primitive::MakePair, types.into(), vec![output, last].into());
        last = Node::new(form, ty, origin);
    }
    let over = |body, param| match param {
        ParameterForm::TypeLevel {
            var,
            kind,
            implicit,
        } => dep_lambda(var, kind, implicit, body),
        ParameterForm::Value(param) => lambda(param, body),
    };
    Some(Program {
        name: program.name.clone(),
        body: params.into_iter().rev().fold(last, over),
        obligations: program.obligations.clone(),
        facts: program.facts.clone(),
        names: program.names.clone(),
        origins: program.origins.clone(),
        next_local: program.next_local,
        launch: program.launch.clone(),
        inout: program.inout.clone(),
    })
}
