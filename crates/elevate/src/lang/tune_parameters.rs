//! Turns the `tune`s without a value into parameters of the rewritten definition.

use std::cell::RefCell;
use std::sync::Arc;

use nat::{Prop, Var};
use rise::types::{Arg, Pi, Ty, Type as RiseType};
use rustc_hash::FxHashSet;
use syntax::ast::{Kind, Name};

use super::eval::GlobalEnv;
use crate::term::{Imported, Node, Store, Term};

/// Returns the type-level variables that occur in the type-level arguments and sizes of a term,
/// free or bound, or in the given obligations.
pub(super) fn mentioned(store: &Store, root: Term, obligations: &[Prop]) -> FxHashSet<Var> {
    let mut found = FxHashSet::default();
    for prop in obligations {
        prop.for_each_var(&mut |var| {
            found.insert(var);
        });
    }
    each_node(store, root, &mut |node| match node {
        Node::Nat(arg) | Node::DepApply(_, arg) => sizes_of(store.arg(arg), &mut found),
        Node::Primitive(_, args) | Node::Global(_, args) => {
            let args = store.args(args);
            args.iter().for_each(|arg| sizes_of(arg, &mut found));
        }
        _ => {}
    });
    found
}

/// Visits every distinct node of a term.
pub(super) fn each_node(store: &Store, root: Term, visit: &mut dyn FnMut(Node)) {
    let (mut open, mut seen) = (vec![root], FxHashSet::default());
    while let Some(term) = open.pop() {
        if seen.insert(term) {
            visit(store.node(term));
            open.extend(store.children(term).map(|(_, child)| child));
        }
    }
}

fn sizes_of(arg: &Arg, found: &mut FxHashSet<Var>) {
    // Variables that are bound inside have other numbers than those of `tune`s, so they do no harm.
    let seen = RefCell::new(Vec::new());
    rise::subst::rename_arg(arg, &|var| {
        seen.borrow_mut().push(var);
        var
    });
    found.extend(seen.into_inner());
}

/// Gives the variables of `tune`s without a value names that differ from each other and from those
/// of all type-level parameters of the definition and of the functions in it.
pub(super) fn name_open(globals: &GlobalEnv, store: &mut Store, imported: &Imported) {
    let implicit = imported
        .implicit
        .iter()
        .map(|(var, _)| store.var_name(*var));
    let mut taken: FxHashSet<Name> = implicit.collect();
    each_node(store, imported.root, &mut |node| {
        if let Node::DepLambda(var, ..) = node {
            taken.insert(store.var_name(var));
        }
    });
    for (_, name, var) in globals.open() {
        let numbered = (1..).map(|number| Name::from(format!("{name}{number}")));
        let mut all = std::iter::once(name.clone()).chain(numbered);
        let free = all.find(|name| !taken.contains(name)).unwrap_or(name);
        taken.insert(free.clone());
        store.name_var(var, free);
    }
}

/// Adds an explicit size parameter to a function, after its leading type-level parameters.
pub(super) fn with_parameter(store: &mut Store, root: Term, var: Var) -> Term {
    let mut above = Vec::new();
    let mut here = root;
    while let Node::DepLambda(outer, kind, implicit, body) = store.node(here) {
        above.push((outer, kind, implicit));
        here = body;
    }
    let inner = store.dep_lambda(var, Kind::Nat, false, here);
    let outside = above.into_iter().rev();
    outside.fold(inner, |body, (outer, kind, implicit)| {
        store.dep_lambda(outer, kind, implicit, body)
    })
}

pub(super) fn with_pi(ty: &Ty, var: Var) -> Ty {
    let mut above = Vec::new();
    let mut here = ty.clone();
    while let RiseType::Pi(pi) = &*here.clone() {
        above.push((pi.var, pi.kind, pi.implicit));
        here = pi.body.clone();
    }
    let pi = |var, kind, implicit, body| Arc::new(RiseType::Pi(Pi::new(var, kind, implicit, body)));
    let inner = pi(var, Kind::Nat, false, here);
    above
        .into_iter()
        .rev()
        .fold(inner, |body, (var, kind, implicit)| {
            pi(var, kind, implicit, body)
        })
}
