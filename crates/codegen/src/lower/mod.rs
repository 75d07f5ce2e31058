//! Lowers imperative DPIA to the loop language: views on expressions and acceptors are eliminated
//! by access paths (Lift's views; RISE-in-MLIR, figure 8), so that the result consists of loops
//! over flat memory with indices that are sizes.
//!
//! A path of indices, members and lanes is pushed inward through the views to a variable, where it
//! becomes the index of an element. Indices are simplified with the ranges of all enclosing
//! counters and with the program's assumptions about its sizes.

mod access;
mod assign;
mod buffers;
mod command;
mod common_subexpressions;
mod dimensions;
mod double_buffer;
mod env;
mod index;
mod iterate;
mod let_insertion;
mod read;
mod reduce;
mod scalar;
mod small_state;
mod steps;
mod store;
mod vector;
mod views;
mod write;

use dpia::{IndexWidth, Phrase, PhraseProgram, Prim};
use nat::{Facts, Nat, Prop};
use rise::core::{Form, Origin, Param};
use rise::{Ty, Type};
use rustc_hash::FxHashSet;

use crate::error::CompileError;
use crate::ir::{
    Features, Function, Home, INDEX_SIMPLIFICATION, Id, PassSet, Stmt, StmtKind, Variable, View,
};
use crate::signature::Signature;
use env::{Bound, Env};
use store::{Running, Store};
use syntax::ast::{Kind, Name};

/// The result of lowering: a program for one target.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The function in the loop language.
    pub function: Function,
    /// The signature of the program for callers.
    pub signature: Signature,
}

/// Lowers an imperative program to the loop language. The program has size parameters, an acceptor
/// for each output and expressions as parameters, in any order, and its body is a command.
///
/// # Errors
/// Fails with the errors of the parameters and the result, which generated functions cannot take,
/// up to the first parameter that is not data; if there are none, with the first error in the
/// command.
pub(crate) fn lower(
    program: &PhraseProgram,
    features: Features,
    without: &PassSet,
) -> Result<Lowered, Vec<CompileError>> {
    let mut lower = Lower::new(program, features, without);
    let (body, env) = lower.parameters(&program.body);
    if !lower.errors.is_empty() {
        return Err(lower.errors);
    }
    let mut out = Vec::new();
    if let Err(error) = lower.command(&body, &env, &mut out) {
        lower.errors.push(error);
    }
    if !lower.errors.is_empty() {
        return Err(lower.errors);
    }
    lower.function.body = out;
    let signature = lower.signature;
    Ok(Lowered {
        function: lower.function,
        signature,
    })
}

struct Lower<'p> {
    program: &'p PhraseProgram,
    function: Function,
    signature: Signature,
    /// The facts about sizes that hold at the current place.
    facts: Facts,
    /// The pointers of loops around kernels. They point to whole arrays in global memory.
    host_pointers: FxHashSet<Id>,
    /// The counters of the enclosing sequential loops.
    counters: Vec<nat::Var>,
    /// The sums that enclosing loops are to accumulate in variables, so that their iterations do
    /// not compute them anew.
    running: Vec<Running>,
    /// True for a phrase that is lowered several times, so that the counters of its loops need to
    /// be new.
    is_duplicated: bool,
    /// The values that the statement whose value is being read uses several times.
    sharing: common_subexpressions::Sharing,
    /// True in a loop over the lanes of a vector, which becomes one vector operation if possible.
    lanes: bool,
    /// The views around the phrase that is being read, outermost first.
    views: Vec<View>,
    errors: Vec<CompileError>,
}

impl<'p> Lower<'p> {
    fn new(program: &'p PhraseProgram, features: Features, without: &PassSet) -> Self {
        let mut facts = Facts::new();
        for prop in program.obligations.iter().chain(&program.facts) {
            facts.assume(prop);
        }
        Lower {
            program,
            function: Function {
                name: program.name.clone(),
                requires: program.obligations.clone(),
                facts: program.facts.clone(),
                names: program.names.clone(),
                launch: program.launch.clone(),
                dimensions: dimensions::dimensions(&program.body),
                features,
                without: without.clone(),
                ..Function::default()
            },
            signature: Signature {
                name: program.name.clone(),
                index: IndexWidth::default(),
                sizes: Vec::new(),
                params: Vec::new(),
                inout: Vec::new(),
                outputs: Vec::new(),
                requires: program.obligations.clone(),
                names: program.names.clone(),
            },
            facts,
            host_pointers: FxHashSet::default(),
            counters: Vec::new(),
            running: Vec::new(),
            is_duplicated: false,
            sharing: common_subexpressions::Sharing::default(),
            lanes: false,
            views: Vec::new(),
            errors: Vec::new(),
        }
    }

    /// Allocates the variables of the parameters and the outputs, and returns the body of the
    /// program with the environment in which they are bound. Reports the parameters that generated
    /// functions cannot take; the first one that is not data ends the list.
    fn parameters(&mut self, body: &Phrase) -> (Phrase, Env) {
        let mut env = Env::default();
        let mut body = body.clone();
        loop {
            let next = match &body.form {
                Form::DepLambda(var, Kind::Nat, inner) => {
                    self.function.sizes.push(*var);
                    let name = self.program.name_of(*var);
                    self.signature.sizes.push((*var, name));
                    inner.clone()
                }
                Form::Lambda(param, inner) => {
                    if let Some((value, ty, rest)) = self.updated(param, inner) {
                        let store = self.inout(&value.local.name, &ty, body.origin);
                        env = env.with(&param.local, Bound::Store(store.clone()));
                        env = env.with(&value.local, Bound::Store(store));
                        body = rest;
                        continue;
                    }
                    let store = match &*param.ty {
                        Type::Acc(ty) => self.output(&param.local.name, ty, body.origin),
                        Type::Exp(ty, _) => self.input(&param.local.name, ty, body.origin),
                        _ => {
                            self.error(
                                body.origin,
                                "code cannot be generated for a parameter that is not data",
                            );
                            return (inner.clone(), env);
                        }
                    };
                    env = env.with(&param.local, Bound::Store(store));
                    inner.clone()
                }
                Form::DepLambda(_, kind, inner) => {
                    let text = format!(
                        "code cannot be generated for a parameter of kind {kind}: only sizes are passed"
                    );
                    self.error(body.origin, text);
                    inner.clone()
                }
                _ => return (body, env),
            };
            body = next;
        }
    }

    /// Returns the value of which `param` is the acceptor, with its type and the function of the
    /// parameters after it, if a parameter is updated in place; `body` is the body of the function
    /// of `param`.
    fn updated(&self, param: &Param, body: &Phrase) -> Option<(Param, Ty, Phrase)> {
        let (Type::Acc(ty), Form::Lambda(value, rest)) = (&*param.ty, &body.form) else {
            return None;
        };
        let is_updated = self.program.inout.contains(&self.signature.params.len())
            && matches!(*value.ty, Type::Exp(..));
        is_updated.then(|| (value.clone(), ty.clone(), rest.clone()))
    }

    fn inout(&mut self, name: &Name, ty: &Ty, origin: Origin) -> Store {
        self.signature.inout.push(self.signature.params.len());
        self.value(name, ty, Home::InOut, origin)
    }

    fn output(&mut self, name: &Name, ty: &Ty, origin: Origin) -> Store {
        self.passable(ty, "the result", origin);
        self.signature.outputs.push((name.clone(), ty.clone()));
        let store = self.allocate_whole(name, ty, Home::Output, origin);
        if let Store::Leaf { id, .. } = &store {
            self.function.outputs.push(*id);
        }
        store
    }

    fn input(&mut self, name: &Name, ty: &Ty, origin: Origin) -> Store {
        self.value(name, ty, Home::Input, origin)
    }

    fn value(&mut self, name: &Name, ty: &Ty, home: Home, origin: Origin) -> Store {
        self.passable(ty, &format!("the parameter `{name}`"), origin);
        self.signature.params.push((name.clone(), ty.clone()));
        let store = self.allocate_whole(name, ty, home, origin);
        if let Store::Leaf { id, .. } = &store {
            self.function.params.push(*id);
        }
        store
    }

    /// Reports an error if generated functions neither take nor return values of a type.
    fn passable(&mut self, ty: &Ty, what: &str, origin: Origin) {
        let help = "pass the parts separately, and make the tuple inside of the definition";
        if rise::types::has_tuple_of_arrays(ty) {
            let text = format!(
                "{what} is a tuple of arrays, which generated functions neither take nor return"
            );
            self.errors
                .push(CompileError::new(origin, text).with_help(help));
        } else if matches!(&*store::element(ty), Type::DepPair(_)) {
            let text = format!(
                "{what} is a dependent pair, which generated functions neither take nor return"
            );
            let help = "pass the size and the array separately";
            self.errors
                .push(CompileError::new(origin, text).with_help(help));
        } else if matches!(&*store::element(ty), Type::Var(_) | Type::Apply(..)) {
            let text = format!("{what} has an unknown type: only sizes may be unknown");
            self.errors.push(CompileError::new(origin, text));
        }
    }

    fn error(&mut self, origin: Origin, text: impl Into<String>) {
        self.errors.push(CompileError::new(origin, text));
    }

    fn variable(&mut self, variable: Variable) -> Id {
        self.function.fresh_variable(variable)
    }

    /// Normalises a size with the facts that hold at the current place, unless the simplification
    /// of indices is left out.
    fn simplify(&self, nat: &Nat) -> Nat {
        match self.function.without.contains(INDEX_SIMPLIFICATION) {
            true => nat.clone(),
            false => self.facts.normalize(nat),
        }
    }

    /// Decides a condition; `None` if neither it nor its negation can be proved.
    fn decide(&self, prop: &Prop) -> Option<bool> {
        if self.facts.proves(prop) {
            Some(true)
        } else if self.facts.excludes(prop) {
            Some(false)
        } else {
            None
        }
    }

    /// Runs `f` with the fact that `from <= var < to`, and restores the facts.
    fn within<T>(
        &mut self,
        var: nat::Var,
        from: &Nat,
        to: &Nat,
        f: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let outer = self.facts.clone();
        self.facts.range(var, from, to);
        let result = f(self);
        self.facts = outer;
        result
    }
}

fn stmt(kind: StmtKind, origin: Origin) -> Stmt {
    Stmt::new(kind, origin, None)
}

/// Returns the error for a primitive of functional DPIA, which the translation to imperative form
/// removes.
fn untranslated(prim: Prim, origin: Origin) -> CompileError {
    let text = format!(
        "`{}` is functional, and only imperative programs are lowered",
        prim.name()
    );
    CompileError::new(origin, text)
}
