//! β- and η-reduction, η-abstraction, and a test of how often a function uses its parameter.

use rise::Primitive;
use rise::types::Type;

use super::{Node, Store, Term};

/// Returns the β-reduct of a term if it is an abstraction that is applied to a value or to a
/// type-level argument.
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

/// Returns `f` for a term `fun(x => f(x))` in which `x` is not free in `f`; `None` for other terms,
/// including dependent abstractions.
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

/// Returns `fun(x => f(x))` if `f` is a function of values; `None` otherwise.
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

/// Returns true if `f` is `fun(p => …)` and uses `p` more than once, or inside another abstraction.
/// The abstractions in `(fun(x => b))(v)` and `let x = v in b` do not count as other ones, since
/// they are called once.
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

/// Returns the body `b` of the abstraction that `(fun(x => b))(v)` or `let x = v in b` calls
/// exactly once, and the other child of the expression, which is or contains `v`; `None` for other
/// terms.
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
