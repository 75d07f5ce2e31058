//! The translation of functional to imperative DPIA.
//!
//! Two mutually recursive functions have one rule for each primitive (RISE & Shine, listings 8 and
//! 9). The *acceptor translation* [`Translation::write`] emits the commands that write an
//! expression to an acceptor. The *continuation translation* [`Translation::read`] emits the
//! commands after which an expression can be read, and returns the expression that reads it. The
//! continuation of the paper is the rest of the block here: memory that `read` allocates is in
//! scope until the end of the current block, so that no continuation is ever copied.
//!
//! The result of `read` needs no further commands, with one exception. An array whose elements need
//! commands (`map` of a function that contains a reduction) is returned as it is until an element
//! of it is read; then the index is moved inwards through the views to the function (see
//! `element`). So every expression in the result is pure.

mod acceptor_translation;
mod apply;
mod block;
mod build;
mod continuation_translation;
mod element;
mod error;
mod float_in;
mod loops;
mod outputs;
mod purity;
mod repeat;
mod segment;
mod store;
mod stream;
mod view;

use rise::core::{Form, Param};
use rise::pattern::Requirement;
use rise::{Arg, Ty, Type};
use rustc_hash::FxHashMap;
use syntax::ast::{Kind, Name};

use crate::phrase::{self, Phrase, PhraseProgram};
use block::BlockStatement;

pub use error::{ImperativeError, Reason as ImperativeReason};
pub(crate) use purity::for_each;

/// Translates a functional program to an imperative one that writes the result to its first
/// parameters after the sizes: `depFun(sizes… => fun(output: Acc[t] => fun(params… => Comm)))`, with
/// explicit sizes before implicit ones. A tuple that contains arrays has an acceptor for each of its
/// [outputs](rise::types::outputs). A parameter that is updated in place follows the acceptor of its
/// memory, to which its component of the result is written. An imperative program stays as it is.
///
/// # Errors
/// Returns the first phrase that has no imperative form.
pub fn imperative(program: &PhraseProgram) -> Result<PhraseProgram, ImperativeError> {
    if is_imperative(program) {
        return Ok(program.clone());
    }
    let mut translation = Translation::new(program.clone());
    let body = translation.float_in(&program.body);
    let body = translation.whole(&body)?;
    let mut program = translation.program;
    program.body = body;
    rise::core::simplify_sizes(&mut program);
    debug_assert!(
        crate::check::check(&program).is_ok(),
        "{}: {:?}",
        program.name,
        crate::check::check(&program)
    );
    Ok(program)
}

/// Returns true if a program is imperative: a command under its parameters.
pub fn is_imperative(program: &PhraseProgram) -> bool {
    let mut ty = &program.body.ty;
    loop {
        match &**ty {
            Type::Fun(_, result) => ty = result,
            Type::Pi(pi) => ty = &pi.body,
            Type::Comm => return true,
            _ => return false,
        }
    }
}

/// Returns the parameters of an imperative program that are updated in place, each with the acceptor
/// of its memory: the parameter before it. The acceptor is missing if that is none, or one for
/// another type.
pub fn updated_parameters(program: &PhraseProgram) -> Vec<(Option<Param>, Param)> {
    let signature = program.signature();
    let values: Vec<&Param> = signature.values().collect();
    let is_acceptor = |param: &Param| matches!(*param.ty, Type::Acc(_));
    let expressions = (0..values.len()).filter(|at| !is_acceptor(values[*at]));
    let updated = expressions
        .enumerate()
        .filter(|(at, _)| program.inout.contains(at));
    updated
        .map(|(_, at)| {
            let before = at.checked_sub(1).map(|before| values[before]);
            let acceptor = before.filter(|param| {
                is_acceptor(param) && phrase::data(&param.ty) == phrase::data(&values[at].ty)
            });
            (acceptor.cloned(), values[at].clone())
        })
        .collect()
}

/// The state of a translation.
struct Translation {
    /// The program, which provides new variables; its body is the functional one.
    program: PhraseProgram,
    /// The blocks under construction, innermost last.
    blocks: Vec<Vec<BlockStatement>>,
    /// A memo table of whether phrases need no commands.
    purity: purity::Purity,
    /// Maps the numbers of acceptors to those of the variables that read the same memory.
    twins: FxHashMap<u32, u32>,
    /// Maps the numbers of acceptors of allocations to the variables that read the same memory.
    readers: FxHashMap<u32, Param>,
    /// Maps the numbers of acceptors that loops bind to those of the variables of the memory of
    /// which they are parts.
    within: FxHashMap<u32, Vec<u32>>,
    /// True if memory needs an address space, also where the input names none.
    opencl: bool,
    /// The number of enclosing loops whose counters have no names of their own.
    depth: usize,
    /// The names of the program's parameters, which loop counters avoid.
    taken: Vec<Name>,
}

/// The leading parameters of a program.
struct Parameters {
    sizes: Vec<(nat::Var, Kind, bool)>,
    values: Vec<Param>,
}

impl Translation {
    fn new(program: PhraseProgram) -> Translation {
        let opencl = uses_address_spaces(&program.body);
        Translation {
            program,
            blocks: Vec::new(),
            purity: purity::Purity::default(),
            twins: FxHashMap::default(),
            readers: FxHashMap::default(),
            within: FxHashMap::default(),
            opencl,
            depth: 0,
            taken: Vec::new(),
        }
    }

    fn whole(&mut self, body: &Phrase) -> error::Result<Phrase> {
        let (parameters, result) = parameters(body);
        let sizes = parameters.sizes.iter();
        let values = parameters.values.iter();
        self.taken = sizes
            .map(|(var, ..)| self.program.name_of(*var))
            .chain(values.map(|param| param.local.name.clone()))
            .collect();
        let result = self.head(&result)?;
        let data = build::data_of(&result)?;
        let acceptors = self.acceptors(&parameters.values, &data, result.origin)?;
        let mut command = self.acc(&result, acceptors.result)?;
        let inout = self.program.inout.clone();
        let mut updated = acceptors.updated.into_iter().rev();
        for (at, param) in parameters.values.into_iter().enumerate().rev() {
            command = phrase::fun(param, command);
            if inout.contains(&at)
                && let Some(acceptor) = updated.next()
            {
                command = phrase::fun(acceptor, command);
            }
        }
        for output in acceptors.outputs.into_iter().rev() {
            command = phrase::fun(output, command);
        }
        let (inferred, written): (Vec<_>, Vec<_>) = parameters
            .sizes
            .into_iter()
            .partition(|(_, _, implicit)| *implicit);
        for (var, kind, _) in written.into_iter().chain(inferred).rev() {
            command = build::dep_fun(var, kind, command);
        }
        Ok(command)
    }

    /// Makes a parameter with a new variable.
    fn param(&mut self, name: &str, ty: Ty) -> Param {
        Param {
            local: self.program.fresh_local(name),
            ty,
        }
    }
}

/// Splits a program into its parameters and its body.
fn parameters(body: &Phrase) -> (Parameters, Phrase) {
    let mut parameters = Parameters {
        sizes: Vec::new(),
        values: Vec::new(),
    };
    let mut rest = body;
    loop {
        match &rest.form {
            Form::DepLambda(var, kind, body) => {
                let implicit = matches!(&*rest.ty, Type::Pi(pi) if pi.implicit);
                parameters.sizes.push((*var, *kind, implicit));
                rest = body;
            }
            Form::Lambda(param, body) => {
                parameters.values.push(param.clone());
                rest = body;
            }
            _ => return (parameters, rest.clone()),
        }
    }
}

/// Returns true if a program is for OpenCL: it has an address space, or a primitive that requires
/// work-items.
fn uses_address_spaces(body: &Phrase) -> bool {
    let mut found = false;
    let mut seen = rustc_hash::FxHashSet::default();
    purity::for_each(body, &mut seen, &mut |phrase| {
        if let Form::Primitive(prim, types, _) = &phrase.form {
            found |= types.iter().any(|arg| matches!(arg, Arg::Address(_)))
                || prim.requirement() == Some(Requirement::WorkItems);
        }
    });
    found
}
