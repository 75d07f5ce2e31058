//! The rules of the lambda calculus, which are written in Rust as they need substitution.

use rise::Primitive;
use rise::types::Type;

use super::rewrite::{Context, MismatchRank, Reach, Reason, Rewrite, Rewritten};
use crate::term::{Head, Heads, Node, Store, Term};

/// β-reduction: `(fun(x => b))(v)` becomes `b` with `v` substituted for `x`. It also applies to
/// functions of type-level arguments.
#[derive(Clone, Copy, Debug)]
pub struct Beta;

/// β-reduction that duplicates no work: `v` is a variable or a pair, or `x` occurs at most once in
/// `b`, or the argument is type-level.
#[derive(Clone, Copy, Debug)]
pub struct GentleBeta;

/// η-reduction: `fun(x => f(x))` becomes `f` if `x` is not free in `f`.
#[derive(Clone, Copy, Debug)]
pub struct Eta;

/// η-abstraction: `f` becomes `fun(x => f(x))`. It applies to its own result, so `repeat` of it
/// alone does not end.
#[derive(Clone, Copy, Debug)]
pub struct EtaAbstraction;

/// α-renaming: `fun(x => b)` gets a fresh parameter if `x` is free in `b`.
#[derive(Clone, Copy, Debug)]
pub struct FreshBinder;

/// Returns the β-reduct of a term if it is a β-redex.
pub(crate) fn beta(store: &mut Store, term: Term) -> Option<Term> {
    match store.node(term) {
        Node::Apply(f, value) => match store.node(f) {
            Node::Lambda(local, body) => Some(store.substitute(body, local, value)),
            _ => None,
        },
        Node::DepApply(f, arg) => match store.node(f) {
            Node::DepLambda(var, _, _, body) => {
                let arg = store.arg(arg).clone();
                Some(store.substitute_vars(body, &[(var, arg)]))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Returns the η-reduct of a term if it is an η-redex.
pub(crate) fn eta(store: &Store, term: Term) -> Option<Term> {
    let Node::Lambda(local, body) = store.node(term) else {
        return None;
    };
    let Node::Apply(f, x) = store.node(body) else {
        return None;
    };
    let passes_on = store.node(x) == Node::Var(local) && !store.has_free(f, local);
    passes_on.then_some(f)
}

/// Returns `fun(x => f(x))` if `f` is a function of values.
pub(crate) fn eta_abstraction(store: &mut Store, f: Term) -> Option<Term> {
    let (from, _) = store.fun_parts(store.ty(f))?;
    let name = match &**store.ty_of(from) {
        Type::Array(..) | Type::DepArray(..) => "xs",
        Type::Fun(..) | Type::Pi(_) => "f",
        _ => "x",
    };
    let local = store.fresh_local(name, from);
    let x = store.var(local);
    let body = store.apply(f, x);
    Some(store.lambda(local, body))
}

/// Returns true if the β-reduction of a redex duplicates no work: see [`GentleBeta`].
fn is_gentle(store: &Store, term: Term) -> bool {
    let Node::Apply(f, value) = store.node(term) else {
        return true;
    };
    let Node::Lambda(local, body) = store.node(f) else {
        return true;
    };
    let is_pair = || match store.node(value) {
        Node::Apply(half, _) => match store.node(half) {
            Node::Apply(head, _) => {
                matches!(store.node(head), Node::Primitive(Primitive::MakePair, _))
            }
            _ => false,
        },
        _ => false,
    };
    matches!(store.node(value), Node::Var(_)) || is_pair() || occurrences(store, body, local) < 2
}

/// Counts the free occurrences of a variable in a term, up to 2.
fn occurrences(store: &Store, term: Term, local: crate::term::Local) -> u32 {
    let mut found = 0;
    let mut open = vec![term];
    while let Some(here) = open.pop() {
        if !store.has_free(here, local) {
            continue;
        }
        if let Node::Var(_) = store.node(here) {
            found += 1;
            if found == 2 {
                break;
            }
        }
        open.extend(store.children(here).map(|(_, part)| part));
    }
    found
}

/// Returns true if a function uses its parameter more than once, or inside another function, which
/// may be called more than once.
pub(crate) fn repeats_parameter(store: &Store, f: Term) -> bool {
    let Node::Lambda(local, body) = store.node(f) else {
        return false;
    };
    let mut found = 0;
    let mut open = vec![body];
    while let Some(here) = open.pop() {
        if !store.has_free(here, local) {
            continue;
        }
        match called_once(store, here) {
            Some((body, other)) => open.extend([body, other]),
            None => match store.node(here) {
                Node::Var(_) if found == 1 => return true,
                Node::Var(_) => found += 1,
                Node::Lambda(..) | Node::DepLambda(..) => return true,
                _ => open.extend(store.children(here).map(|(_, part)| part)),
            },
        }
    }
    false
}

/// Returns the body of a function that an expression calls exactly once, and the argument of the
/// call: `(fun(x => b))(v)` or `let x = v in b`.
fn called_once(store: &Store, term: Term) -> Option<(Term, Term)> {
    let Node::Apply(f, value) = store.node(term) else {
        return None;
    };
    match (store.node(f), store.node(value)) {
        (Node::Lambda(_, body), _) => Some((body, value)),
        (Node::Apply(head, _), Node::Lambda(_, body)) => match store.node(head) {
            Node::Primitive(Primitive::Let, _) => Some((body, f)),
            _ => None,
        },
        _ => None,
    }
}

fn made(term: Option<Term>) -> Result<Rewritten, MismatchRank> {
    term.map(Rewritten::plain).ok_or(MismatchRank::LOWEST)
}

fn expected(what: &str, found: Term) -> Reason {
    Reason::Shape {
        expected: what.to_owned(),
        found,
    }
}

impl Rewrite for Beta {
    fn name(&self) -> &str {
        "beta"
    }

    fn apply(&self, cx: &mut Context<'_>, term: Term) -> Result<Rewritten, MismatchRank> {
        made(beta(cx.store, term))
    }

    fn explain(&self, _: &mut Context<'_>, term: Term) -> Reason {
        expected("fun(x => body)(value)", term)
    }

    fn reach(&self) -> Reach {
        Reach::levels(2)
    }

    fn heads(&self) -> Heads {
        Heads::of([Head::REDEX])
    }
}

impl Rewrite for GentleBeta {
    fn name(&self) -> &str {
        "gentleBeta"
    }

    fn apply(&self, cx: &mut Context<'_>, term: Term) -> Result<Rewritten, MismatchRank> {
        let is_redex = match cx.store.node(term) {
            Node::Apply(f, _) => matches!(cx.store.node(f), Node::Lambda(..)),
            Node::DepApply(f, _) => matches!(cx.store.node(f), Node::DepLambda(..)),
            _ => false,
        };
        if !is_redex {
            return Err(MismatchRank::LOWEST);
        }
        match is_gentle(cx.store, term) {
            true => made(beta(cx.store, term)),
            false => Err(MismatchRank::in_condition(0)),
        }
    }

    fn explain(&self, cx: &mut Context<'_>, term: Term) -> Reason {
        match beta(cx.store, term) {
            Some(_) => Reason::Refuted {
                condition: "the parameter occurs at most once in the body".to_owned(),
                why: "it occurs there more often".to_owned(),
            },
            None => expected("fun(x => body)(value)", term),
        }
    }

    fn heads(&self) -> Heads {
        Heads::of([Head::REDEX])
    }
}

impl Rewrite for Eta {
    fn name(&self) -> &str {
        "eta"
    }

    fn apply(&self, cx: &mut Context<'_>, term: Term) -> Result<Rewritten, MismatchRank> {
        made(eta(cx.store, term))
    }

    fn explain(&self, _: &mut Context<'_>, term: Term) -> Reason {
        expected("fun(x => f(x)), with x not in f", term)
    }

    fn reach(&self) -> Reach {
        Reach::levels(3).and_free()
    }

    fn heads(&self) -> Heads {
        Heads::of([Head::LAMBDA])
    }
}

impl Rewrite for EtaAbstraction {
    fn name(&self) -> &str {
        "etaExp"
    }

    fn apply(&self, cx: &mut Context<'_>, term: Term) -> Result<Rewritten, MismatchRank> {
        made(eta_abstraction(cx.store, term))
    }

    fn explain(&self, _: &mut Context<'_>, term: Term) -> Reason {
        expected("a function of a value", term)
    }

    fn reach(&self) -> Reach {
        Reach::levels(0)
    }
}

impl Rewrite for FreshBinder {
    fn name(&self) -> &str {
        "freshLambdaIdentifier"
    }

    fn apply(&self, cx: &mut Context<'_>, term: Term) -> Result<Rewritten, MismatchRank> {
        let store = &mut *cx.store;
        let Node::Lambda(local, body) = store.node(term) else {
            return Err(MismatchRank::LOWEST);
        };
        if !store.has_free(body, local) {
            return Err(MismatchRank::in_condition(0));
        }
        let other = store.fresh_copy(local);
        let var = store.var(other);
        let body = store.substitute(body, local, var);
        Ok(Rewritten::plain(store.lambda(other, body)))
    }

    fn explain(&self, _: &mut Context<'_>, term: Term) -> Reason {
        expected("fun(x => body), with x in the body", term)
    }

    fn heads(&self) -> Heads {
        Heads::of([Head::LAMBDA])
    }
}
