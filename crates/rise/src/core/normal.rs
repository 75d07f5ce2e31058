//! Programs without functions that are applied where they stand.
//!
//! Afterwards every primitive has all of its arguments, and every function is a parameter of the
//! program or the argument of a primitive. No work is done more often than before: a value that
//! would stand in several places is bound by `let`.
//!
//! Expressions are evaluated as far as their functions go: functions are values with the
//! surroundings that they were made in, data stays an expression.

mod eval;
mod uses;
mod value;

use nat::Var;
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::ast::Name;

use super::{Expr, Form, Language, MAX_HEIGHT, MAX_NODES, Origin, Param, Program, Source};
use crate::subst::subst_prop;
use crate::types::{Arg, Type};
use value::{Env, Scope};

/// Why a program has no normal form that fits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NormalError {
    /// It grows beyond all bounds.
    #[error("`{name}` is too large: with its functions applied it has more than {MAX_NODES} parts")]
    TooLarge {
        /// The program.
        name: Name,
    },
    /// It nests too deeply.
    #[error(
        "`{name}` nests too deeply: with its functions applied it has more than {MAX_HEIGHT} levels"
    )]
    TooDeep {
        /// The program.
        name: Name,
    },
}

/// Applies all functions, gives every primitive all of its arguments.
///
/// Parameters that are functions stay as they are: a call of one is the only [`Form::Apply`] that
/// is left.
pub fn normalise<P: Language>(program: &mut Program<P>) -> Result<(), NormalError> {
    let body = program.body.clone();
    let mut normaliser = Normaliser {
        program,
        locals: FxHashSet::default(),
        vars: FxHashSet::default(),
        nodes: 0,
        depth: 0,
        failed: None,
        given: Vec::new(),
        origins: FxHashMap::default(),
    };
    let mut scope = Scope::new();
    let value = normaliser.eval(&body, &Env::default(), &mut scope);
    let body = normaliser.body(value, scope);
    let (failed, given) = (normaliser.failed, normaliser.given);
    match failed {
        None => {
            program.body = body;
            learn(program, &given);
            super::simplify_sizes(program);
            debug_assert_eq!(super::check(program), Ok(()));
            Ok(())
        }
        Some(Limit::Nodes) => Err(NormalError::TooLarge {
            name: program.name.clone(),
        }),
        Some(Limit::Depth) => Err(NormalError::TooDeep {
            name: program.name.clone(),
        }),
    }
}

/// What was exceeded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Limit {
    Nodes,
    Depth,
}

/// How deeply evaluation may nest: a level of the result takes several of its steps.
const MAX_DEPTH: u32 = 2 * MAX_HEIGHT;

struct Normaliser<'p, P> {
    program: &'p mut Program<P>,
    /// The locals that the result binds: a second binder gets another number.
    locals: FxHashSet<u32>,
    vars: FxHashSet<Var>,
    nodes: u64,
    depth: u32,
    failed: Option<Limit>,
    /// What type-level parameters were given.
    given: Vec<(Var, Arg)>,
    /// The origin of each part of a function at each of the function's uses.
    origins: FxHashMap<(Origin, Origin), Origin>,
}

/// What is known of parameters is known of what they were given.
fn learn<P>(program: &mut Program<P>, given: &[(Var, Arg)]) {
    for (var, arg) in given {
        let about = program.facts.iter().filter(|fact| fact.mentions(*var));
        let put = |v| (v == *var).then(|| arg.clone());
        let learned: Vec<_> = about.map(|fact| subst_prop(fact, &put)).collect();
        program.facts.extend(learned);
        if program.facts.len() > MAX_FACTS {
            return;
        }
    }
}

/// What more is known of sizes than this, is left out.
const MAX_FACTS: usize = 10_000;

impl<P: Language> Normaliser<'_, P> {
    /// One level further in; false if there are too many, or too much was made already.
    fn enter(&mut self) -> bool {
        self.nodes += 1;
        if self.failed.is_none() && self.nodes > MAX_NODES {
            self.failed = Some(Limit::Nodes);
        }
        if self.failed.is_none() && self.depth >= MAX_DEPTH {
            self.failed = Some(Limit::Depth);
        }
        if self.failed.is_some() {
            return false;
        }
        self.depth += 1;
        true
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }

    /// The place of a part of a function that is used there.
    fn origin_at(&mut self, origin: Origin, used_at: Option<Origin>) -> Origin {
        let Some(used_at) = used_at else {
            return origin;
        };
        let origins = &mut self.program.origins;
        let fresh = self.origins.entry((origin, used_at));
        *fresh.or_insert_with(|| {
            let Some(source) = origins.get(origin.0 as usize) else {
                return origin;
            };
            origins.push(Source {
                used_at: Some(used_at),
                ..source.clone()
            });
            Origin(u32::try_from(origins.len() - 1).unwrap_or(u32::MAX))
        })
    }

    /// A parameter with a number that nothing else in the result has.
    fn unique(&mut self, param: Param) -> Param {
        if self.locals.insert(param.local.id) {
            return param;
        }
        let local = self.program.fresh_local(param.local.name);
        self.locals.insert(local.id);
        Param {
            local,
            ty: param.ty,
        }
    }

    fn unique_var(&mut self, var: Var) -> Var {
        if self.vars.insert(var) {
            return var;
        }
        let var = self.program.fresh_var(self.program.name_of(var));
        self.vars.insert(var);
        var
    }

    fn fresh(&mut self, ty: &crate::Ty) -> Param {
        let local = self.program.fresh_local(name_for(ty));
        self.locals.insert(local.id);
        Param {
            local,
            ty: ty.clone(),
        }
    }
}

/// What a parameter is called that the text does not name.
pub(in crate::core) fn name_for(ty: &Type) -> &'static str {
    match ty {
        Type::Array(_, elem) => match &**elem {
            Type::Array(..) => "xss",
            _ => "xs",
        },
        Type::DepArray(..) => "xs",
        Type::Fun(..) | Type::Pi(_) => "f",
        Type::Exp(data, _) | Type::Acc(data) => name_for(data),
        _ => "x",
    }
}

/// Whether an expression of the type is a function.
pub(in crate::core) fn is_function(ty: &Type) -> bool {
    matches!(ty, Type::Fun(..) | Type::Pi(_))
}

/// Whether it costs nothing to have the expression in several places.
fn is_trivial<P: Language>(expr: &Expr<P>) -> bool {
    match &expr.form {
        Form::Var(_) | Form::Literal(_) | Form::Nat(_) => true,
        Form::Primitive(p, _, args) => p.is_free() && args.iter().all(is_trivial),
        _ => false,
    }
}
