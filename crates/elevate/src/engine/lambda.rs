//! Implements the rules of the lambda calculus. They are written in Rust, as they need substitution
//! or tests for free variables.

use rise::Primitive;

use super::rewrite::{Context, MismatchRank, Reach, Reason, Rewrite, Rewritten};
use crate::term::{Head, Heads, Local, Node, Store, Term, beta, eta};

/// β-reduction: `(fun(x => b))(v)` becomes `b` with `v` substituted for `x`, and `(depFun(n =>
/// b))(m)` becomes `b` with `m` substituted for `n`.
#[derive(Clone, Copy, Debug)]
pub struct Beta;

/// β-reduction of redexes `(fun(x => b))(v)` in which `v` is a variable or a pair, or `x` occurs at
/// most once in `b`, and of all applications of `depFun` to type-level arguments.
#[derive(Clone, Copy, Debug)]
pub struct GentleBeta;

/// η-reduction: `fun(x => f(x))` becomes `f` if `x` is not free in `f`.
#[derive(Clone, Copy, Debug)]
pub struct Eta;

/// α-renaming: `fun(x => b)` gets a fresh parameter. It fails if `x` is not free in `b`.
#[derive(Clone, Copy, Debug)]
pub struct FreshBinder;

/// Returns true if [`GentleBeta`] reduces a redex.
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
fn occurrences(store: &Store, term: Term, local: Local) -> u32 {
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
                condition: "the value is a variable or a pair, or the parameter occurs at most once in the body".to_owned(),
                why: "the value is neither, and the parameter occurs more than once".to_owned(),
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
