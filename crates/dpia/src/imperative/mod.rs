//! The translation of functional into imperative phrases.
//!
//! Two functions that call each other (RISE & Shine, listings 8 and 9), one rule a primitive: the
//! *acceptor translation* [`Translation::write`] makes the commands that write an expression to a
//! place, the *continuation translation* [`Translation::read`] those after which an expression can
//! be read, and returns the expression that reads it. What the paper passes on as a continuation is
//! here the rest of the block: memory that `read` asks for lives to the end of the block that is
//! being built, so that no continuation is ever copied.
//!
//! What `read` returns needs no commands any more, with one exception. An array whose elements do
//! (`map` with a function that contains a reduction) stays as it is until an element of it is read;
//! then the index moves inwards along the views to the function (see `element`). So every
//! expression in the result is pure.

mod apply;
mod block;
mod build;
mod element;
mod error;
mod float_in;
mod loops;
mod pure;
mod read;
mod store;
mod stream;
mod view;
mod write;

use rise::core::{Form, Node, Param};
use rise::{Arg, Ty, Type};
use rustc_hash::FxHashMap;
use syntax::ast::{Kind, Name};

use crate::phrase::{self, Phrase, PhraseProgram};
use crate::prim::Prim;
use block::Step;

pub(crate) use build::data_at;
pub use error::{ImperativeError, Reason as ImperativeReason};
pub(crate) use pure::for_each;

/// The imperative program that computes what a functional one says, into its first parameter:
/// `depFun(sizes… => fun(output: Acc[t] => fun(params… => Comm)))`, the sizes that are written
/// before those that are inferred. A program that is imperative already stays as it is.
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

/// Whether a program is imperative already: a command under its parameters.
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

/// The state of a translation.
struct Translation {
    /// Gives new variables; its body is the functional one.
    program: PhraseProgram,
    /// The blocks that are being built, the innermost last.
    blocks: Vec<Vec<Step>>,
    /// Which phrases need commands.
    purity: pure::Purity,
    /// The expression that reads what an acceptor writes, by the numbers of both.
    twins: FxHashMap<u32, u32>,
    /// What the acceptors that loops give are places in.
    within: FxHashMap<u32, Vec<u32>>,
    /// Whether memory that no primitive of the input names an address space for must have one.
    opencl: bool,
    /// How many loops there are around whose counters have no names of their own.
    depth: usize,
    /// What the parameters are called.
    taken: Vec<Name>,
}

/// The parameters in front of a program.
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
            purity: pure::Purity::default(),
            twins: FxHashMap::default(),
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
        let output = self.param("output", phrase::acc(&data));
        let acceptor = Node::var(&output, result.origin);
        let mut command = self.acc(&result, acceptor)?;
        for param in parameters.values.into_iter().rev() {
            command = phrase::fun(param, command);
        }
        command = phrase::fun(output, command);
        let (inferred, written): (Vec<_>, Vec<_>) = parameters
            .sizes
            .into_iter()
            .partition(|(_, _, implicit)| *implicit);
        for (var, kind, _) in written.into_iter().chain(inferred).rev() {
            command = build::dep_fun(var, kind, command);
        }
        Ok(command)
    }

    /// A new variable of this type.
    fn param(&mut self, name: &str, ty: Ty) -> Param {
        Param {
            local: self.program.fresh_local(name),
            ty,
        }
    }
}

/// The parameters of a program, and what is under them.
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

/// Whether a program is for OpenCL.
fn uses_address_spaces(body: &Phrase) -> bool {
    let mut found = false;
    let mut seen = rustc_hash::FxHashSet::default();
    pure::for_each(body, &mut seen, &mut |phrase| {
        if let Form::Primitive(prim, types, _) = &phrase.form {
            found |= types.iter().any(|arg| matches!(arg, Arg::Address(_)))
                || matches!(
                    prim,
                    Prim::MapGlobal | Prim::MapWorkGroup | Prim::MapLocal | Prim::OclRun
                );
        }
    });
    found
}
