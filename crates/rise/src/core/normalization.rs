//! Normalisation, which reduces all applications of functions in a program.
//!
//! In the normal form every primitive has all of its arguments, and every function below the
//! program's own parameters is such a parameter or an argument. No work is duplicated in RISE: a
//! value that would be copied to several places is bound by `let`. In DPIA it is copied.
//!
//! The algorithm is normalisation by evaluation: functions evaluate to closures, data stays an
//! expression.

mod eval;
mod usage;
mod value;

use nat::Var;
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::ast::Name;

use super::{Expr, Form, Language, MAX_HEIGHT, MAX_NODES, Origin, Param, Program, Source};
use crate::subst::subst_prop;
use crate::types::{Arg, Type};
use value::{Env, Scope};

/// An error of normalisation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NormalError {
    /// Normalisation evaluates and quotes more than [`MAX_NODES`] expressions.
    #[error("`{name}` is too large: with its functions applied it has more than {MAX_NODES} parts")]
    TooLarge {
        /// The name of the program.
        name: Name,
    },
    /// The evaluation nests more than twice as deep as [`MAX_HEIGHT`].
    #[error(
        "`{name}` nests too deeply: with its functions applied it has more than {MAX_HEIGHT} levels"
    )]
    TooDeep {
        /// The name of the program.
        name: Name,
    },
}

/// Beta-reduces all redexes and eta-expands every primitive to all of its arguments.
///
/// Parameters that are functions stay as they are: a call of one is the only [`Form::Apply`] of a
/// normal form.
///
/// # Errors
/// Fails if the evaluation exceeds the limits that [`NormalError`] describes.
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

/// The limit that was exceeded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Limit {
    Nodes,
    Depth,
}

/// The greatest depth of evaluation: one level of the result takes several steps.
const MAX_DEPTH: u32 = 2 * MAX_HEIGHT;

struct Normaliser<'p, P> {
    program: &'p mut Program<P>,
    /// The numbers of the locals that the result binds: a second binder of the same number is
    /// renamed.
    locals: FxHashSet<u32>,
    vars: FxHashSet<Var>,
    nodes: u64,
    depth: u32,
    failed: Option<Limit>,
    /// The type-level arguments that parameters were instantiated with.
    given: Vec<(Var, Arg)>,
    /// Maps the origin of a part of a function and the origin of a use of the function to the
    /// origin of the part at that use.
    origins: FxHashMap<(Origin, Origin), Origin>,
}

/// Adds the program's facts about type-level parameters, instantiated at the arguments of the
/// parameters.
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

/// The number of facts beyond which the facts about further parameters are not instantiated.
const MAX_FACTS: usize = 10_000;

impl<P: Language> Normaliser<'_, P> {
    /// Enters one level of evaluation; returns false if a limit is exceeded.
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

    /// Returns the origin of a part of a function at one use of the function; without `used_at` it
    /// is `origin` itself.
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

    /// Renames a parameter if another binder of the result has its number.
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

/// Returns the name for a parameter of this type that has none in the text.
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

pub(in crate::core) fn is_function(ty: &Type) -> bool {
    matches!(ty, Type::Fun(..) | Type::Pi(_))
}

/// Returns true if it costs nothing to copy the expression to several places.
fn is_trivial<P: Language>(expr: &Expr<P>) -> bool {
    match &expr.form {
        Form::Var(_) | Form::Literal(_) | Form::Nat(_) => true,
        Form::Primitive(p, _, args) => p.is_free() && args.iter().all(is_trivial),
        _ => false,
    }
}
