//! Folds definitions during matching: a pattern that calls a definition also matches instances of
//! its body.
//!
//! `dot(a)(b)` in a pattern matches a call of `dot`. Where the term contains none, the body of the
//! definition is matched as a pattern, with its parameters as metavariables. If it matches, the
//! term is folded to the call of which it is an instance.

use std::sync::Arc;

use nat::{Facts, Var};
use rise::Primitive;
use rise::core::{Def, Form, without_compositions};
use rise::subst::{rename, subst};
use rise::types::{Arg, Ty, var_arg};
use rustc_hash::FxHashMap;
use syntax::GlobalId;
use syntax::ast::Kind;

use super::Definitions;
use super::pattern::{Builder, Pattern, PatternHead, TypeVarNumbering};
use super::term_matching::{Bindings, global_of, prefix, structure};
use super::type_matching::{Solver, TypeSubstitution, types_agree};
use crate::term::{Local, Node, Store, Term};

/// The maximal depth to which the bodies of definitions are matched inside each other.
const MAX_DEPTH: u32 = 16;

/// The memoised patterns of definition bodies; `None` for definitions that are not matched by their
/// body.
#[derive(Debug, Default)]
pub(super) struct BodyPatterns(FxHashMap<GlobalId, Option<Arc<Body>>>);

/// The data that matching needs to fold definitions.
pub(super) struct FoldingContext<'a> {
    pub bodies: &'a mut BodyPatterns,
    pub definitions: &'a Definitions,
    pub facts: &'a Facts,
    pub depth: u32,
}

/// The body of a definition as a pattern.
#[derive(Debug)]
struct Body {
    pattern: Pattern,
    /// The implicit parameters, each as the variable in `ty` and as the argument in the pattern.
    implicit: Box<[(Var, Arg)]>,
    params: Box<[Param]>,
    /// The type of the definition, with variables of the store.
    ty: Ty,
}

/// An explicit parameter.
#[derive(Debug)]
enum Param {
    Value(usize),
    TypeLevel(Arg),
}

impl FoldingContext<'_> {
    /// Folds the term, or a function that it applies, to a call of the definition, and returns the
    /// whole term. `None` if neither is an instance of the body.
    pub fn spine(&mut self, store: &mut Store, id: GlobalId, term: Term) -> Option<Term> {
        let body = self.body(store, id)?;
        // If the body is a call of another definition, an instance of that is folded first.
        let term = match body.pattern.head {
            PatternHead::Global(inner, _) if global_of(store, term) != Some(inner) => {
                self.deeper().spine(store, inner, term)?
            }
            _ => term,
        };
        for outside in body.pattern.omitted_arguments(store, term) {
            let function = prefix(store, term, outside);
            if let Some(call) = self.call(store, id, &body, function) {
                return Some(with_arguments(store, term, outside, call));
            }
        }
        None
    }

    /// Folds the term to a call of the definition; `None` if it is not an instance of the body. A
    /// function is also folded to a partial application.
    pub fn term(&mut self, store: &mut Store, id: GlobalId, term: Term) -> Option<Term> {
        let body = self.body(store, id)?;
        let (mut here, mut opened) = (term, Vec::new());
        loop {
            if let Some(call) = self.call(store, id, &body, here) {
                return Some(closed(store, call, opened));
            }
            if opened.len() >= body.params.len() {
                return None;
            }
            let (local, inner) = match store.node(here) {
                Node::Lambda(local, inner) => (local, inner),
                // The term is a partial application, such as `map(f)` for the body `map(f)(xs)`.
                _ => {
                    let (from, _) = store.fun_parts(store.ty(here))?;
                    let local = store.fresh_local("x", from);
                    let x = store.var(local);
                    (local, store.apply(here, x))
                }
            };
            opened.push(local);
            here = inner;
        }
    }

    fn call(&mut self, store: &mut Store, id: GlobalId, body: &Body, term: Term) -> Option<Term> {
        let mut bound = Bindings::default();
        structure(store, self.deeper(), &body.pattern, &[], term, &mut bound).ok()?;
        let found = &bound.found;
        let values = Solver::solve(store, self.facts, &body.pattern, &[], found).ok()?;
        let call = body.call(store, id, &values, &bound)?;
        let (new, old) = (store.ty(call), store.ty(term));
        let same = new == old || types_agree(store.ty_of(new), store.ty_of(old), self.facts);
        same.then_some(call)
    }

    fn deeper(&mut self) -> FoldingContext<'_> {
        FoldingContext {
            bodies: self.bodies,
            definitions: self.definitions,
            facts: self.facts,
            depth: self.depth + 1,
        }
    }

    fn body(&mut self, store: &mut Store, id: GlobalId) -> Option<Arc<Body>> {
        if self.depth > MAX_DEPTH {
            return None;
        }
        if let Some(known) = self.bodies.0.get(&id) {
            return known.clone();
        }
        let def = (self.definitions)(id);
        let body = def.and_then(|def| Body::of(store, &def)).map(Arc::new);
        self.bodies.0.insert(id, body.clone());
        body
    }
}

impl Body {
    fn of(store: &mut Store, def: &Def<Primitive>) -> Option<Body> {
        let names = def.names.0.iter();
        let own: Vec<Var> = names.map(|name| store.fresh_var(name.clone())).collect();
        let of_store = |var: Var| own.get(var.0 as usize).copied().unwrap_or(var);
        let mut levels = TypeVarNumbering::default();
        let mut level = |var: Var, kind: Kind| var_arg(levels.number(var), kind);
        let implicit = def.implicit.iter();
        let implicit = implicit.map(|&(var, kind)| (of_store(var), level(var, kind)));
        let implicit = implicit.collect();
        let core = without_compositions(&def.body);
        let (mut here, mut params, mut values) = (&core, Vec::new(), FxHashMap::default());
        loop {
            here = match &here.form {
                Form::Lambda(param, body) => {
                    let slot = values.len();
                    values.insert(param.local.id, u16::try_from(slot).ok()?);
                    params.push(Param::Value(slot));
                    body
                }
                Form::DepLambda(var, kind, body) => {
                    params.push(Param::TypeLevel(level(*var, *kind)));
                    body
                }
                _ => break,
            };
        }
        let mut builder = Builder::new(&mut levels, &values, &def.sites, false, &[]);
        builder.term(here);
        // The body may be a function that is applied to further arguments.
        let mut pattern = builder.finish(true, false, [].into());
        pattern.levels = levels.bound;
        // A pattern that starts with a metavariable matches nearly everywhere, so such a definition
        // is matched by name only.
        let anywhere = matches!(pattern.head, PatternHead::Any(_));
        (!anywhere).then(|| Body {
            pattern,
            implicit,
            params: params.into(),
            ty: rename(&def.body.ty, &of_store),
        })
    }

    /// Returns the call of which a match is an instance. `None` if the match leaves a parameter
    /// undetermined, or the value of one contains a variable that the body binds.
    fn call(
        &self,
        store: &mut Store,
        id: GlobalId,
        values: &TypeSubstitution,
        bound: &Bindings,
    ) -> Option<Term> {
        let implicit = self.implicit.iter().map(|(_, arg)| values.arg(arg));
        let implicit: Vec<Arg> = implicit.collect::<Option<_>>()?;
        let value = |var: Var| {
            let at = self.implicit.iter().position(|(own, _)| *own == var)?;
            implicit.get(at).cloned()
        };
        let ty = store.intern_ty(&subst(&self.ty, &value));
        let mut call = store.global(id, &implicit, ty);
        for param in &self.params {
            call = match param {
                Param::Value(slot) => {
                    let value = bound.slots.get(*slot).copied().flatten()?;
                    if bound.locals.iter().any(|x| store.has_free(value, *x)) {
                        return None;
                    }
                    store.apply(call, value)
                }
                Param::TypeLevel(arg) => {
                    let arg = store.intern_arg(&values.arg(arg)?);
                    store.dep_apply(call, arg)
                }
            };
        }
        Some(call)
    }
}

/// Applies the call to the last `outside` arguments of the term.
fn with_arguments(store: &mut Store, term: Term, outside: u32, call: Term) -> Term {
    match store.node(term) {
        Node::Apply(function, x) if outside > 0 => {
            let function = with_arguments(store, function, outside - 1, call);
            store.apply(function, x)
        }
        _ => call,
    }
}

/// Abstracts the call over the variables, outermost first, and η-reduces the result.
fn closed(store: &mut Store, mut call: Term, mut opened: Vec<Local>) -> Term {
    while let Some(&last) = opened.last() {
        match store.node(call) {
            Node::Apply(function, x)
                if store.node(x) == Node::Var(last) && !store.has_free(function, last) =>
            {
                call = function;
                opened.pop();
            }
            _ => break,
        }
    }
    let outer = opened.into_iter().rev();
    outer.fold(call, |body, local| store.lambda(local, body))
}
