//! Computes rewrite normal forms: splits each map into maps whose functions have one stage.

use rise::Primitive;
use rise::types::Arg;

use super::{NormalResult, Normaliser};
use crate::term::{Local, Node, Store, Term, eta_abstraction};

impl Normaliser<'_> {
    /// Splits the maps of a term in data-flow normal form: `map(fun(x => f(g(x))))` becomes
    /// `map(g)` followed by `map(f)`, if `x` is not free in `f`, and `g(x)` is neither a variable
    /// nor a function.
    pub(super) fn fissioned(&mut self, term: Term) -> NormalResult {
        if self.store.height(term) == 1 {
            return Ok((term, 0));
        }
        if let Some(known) = self.memo.fissioned.get(term) {
            return Ok(known);
        }
        self.enter()?;
        let result = self.fission(term);
        self.depth -= 1;
        let result = result?;
        self.memo.fissioned.insert(term, result);
        Ok(result)
    }

    fn fission(&mut self, term: Term) -> NormalResult {
        Ok(match self.store.node(term) {
            Node::Apply(f, x) => {
                if let Some(function) = map_function(self.store, f) {
                    let (function, a) = self.fissioned(function)?;
                    let (x, b) = self.fissioned(x)?;
                    let (result, c) = self.staged(function, x)?;
                    return Ok((result, a.saturating_add(b).saturating_add(c)));
                }
                if map_function(self.store, term).is_some() {
                    return self.unapplied(term, x);
                }
                let (f, a) = self.fissioned(f)?;
                let (x, b) = self.fissioned(x)?;
                (self.store.apply(f, x), a.saturating_add(b))
            }
            Node::Lambda(local, body) => {
                let (body, steps) = self.fissioned(body)?;
                (self.store.lambda(local, body), steps)
            }
            Node::DepLambda(var, kind, implicit, body) => {
                let (body, steps) = self.fissioned(body)?;
                (self.store.dep_lambda(var, kind, implicit, body), steps)
            }
            Node::DepApply(f, arg) => {
                let (f, steps) = self.fissioned(f)?;
                (self.store.dep_apply(f, arg), steps)
            }
            _ => (term, 0),
        })
    }

    /// Splits `map(f)` without input, where `function` is `f`. The result is a function of the
    /// input if `f` has several stages, and a `map` if it has one.
    fn unapplied(&mut self, map: Term, function: Term) -> NormalResult {
        let (function, steps) = self.fissioned(function)?;
        if last_stage(self.store, function).is_none() {
            let head = match self.store.node(map) {
                Node::Apply(head, _) => head,
                _ => map,
            };
            return Ok((self.store.apply(head, function), steps));
        }
        let Some((input, _)) = self.store.fun_parts(self.store.ty(map)) else {
            return Ok((map, steps));
        };
        let local = self.store.fresh_local("xs", input);
        let xs = self.store.var(local);
        let (body, more) = self.staged(function, xs)?;
        Ok((self.store.lambda(local, body), steps.saturating_add(more)))
    }

    /// Returns `input |> map(first stage) |> map(second stage) |> …` with all stages of the
    /// function.
    fn staged(&mut self, function: Term, input: Term) -> NormalResult {
        let mut stages = Vec::new();
        let mut rest = function;
        while let Some((first, last)) = last_stage(self.store, rest) {
            self.step()?;
            let last = match self.store.node(last) {
                Node::Lambda(..) => last,
                _ => eta_abstraction(self.store, last).unwrap_or(last),
            };
            stages.push(last);
            rest = first;
        }
        stages.push(rest);
        let steps = u32::try_from(stages.len() - 1).unwrap_or(u32::MAX);
        let map = |xs, stage| map_over(self.store, stage, xs);
        Ok((stages.into_iter().rev().fold(input, map), steps))
    }
}

/// Returns the `f` of `map(f)`.
fn map_function(store: &Store, term: Term) -> Option<Term> {
    let Node::Apply(head, function) = store.node(term) else {
        return None;
    };
    matches!(store.node(head), Node::Primitive(Primitive::Map, _)).then_some(function)
}

/// Splits `fun(x => f(g(x)))` into `fun(x => g(x))` and `f`, if `x` is not free in `f`, and `g(x)`
/// is neither a variable nor a function.
fn last_stage(store: &mut Store, function: Term) -> Option<(Term, Term)> {
    let Node::Lambda(x, body) = store.node(function) else {
        return None;
    };
    let Node::Apply(last, given) = store.node(body) else {
        return None;
    };
    let is_stage = !store.has_free(last, x)
        && !matches!(store.node(given), Node::Var(_))
        && !store.is_function(given);
    is_stage.then(|| (rest_of(store, x, given), last))
}

fn rest_of(store: &mut Store, x: Local, given: Term) -> Term {
    store.lambda(x, given)
}

/// Returns `map(f)(xs)` for the function `f`; `f(xs)` if `f` is not a function of values or `xs` is
/// not an array.
fn map_over(store: &mut Store, function: Term, xs: Term) -> Term {
    let parts = store.fun_parts(store.ty(function));
    let size = match &**store.type_of(xs) {
        rise::Type::Array(size, _) => Some(size.clone()),
        _ => None,
    };
    let (Some((from, to)), Some(size)) = (parts, size) else {
        return store.apply(function, xs);
    };
    let size = store.intern_arg(&Arg::Nat(size));
    let types = [size, store.type_arg(from), store.type_arg(to)];
    match store.primitive_at(Primitive::Map, &types) {
        Some(map) => store.apply_all(map, [function, xs]),
        None => store.apply(function, xs),
    }
}
