//! Compositions as pipelines.

use rustc_hash::FxHashMap;

use super::map::walk;
use super::{Expr, Form, Local, Mapper, Node, Origin};
use crate::types::Ty;

/// The same term where a composition that is applied is what it comes to: `(f >> g)(x)` is
/// `g(f(x))`, and `f >> g >> h` is one function of one variable, with no function in its body that
/// is applied where it stands.
///
/// Only the functions that elaboration makes of `>>` and `<<` go; those that are written with
/// `fun` stay. Each has one use of its variable, so nothing is computed twice.
pub fn without_compositions<P: Clone + PartialEq>(expr: &Expr<P>) -> Expr<P> {
    Flatten {
        values: FxHashMap::default(),
    }
    .expr(expr)
}

struct Flatten<P> {
    /// What goes into the compositions that are applied, by their variables.
    values: FxHashMap<u32, Expr<P>>,
}

impl<P: Clone + PartialEq> Mapper<P> for Flatten<P> {
    fn keeps_types(&self) -> bool {
        true
    }

    fn local(&mut self, local: &Local, _: &Ty, _: Origin) -> Option<Expr<P>> {
        self.values.remove(&local.id)
    }

    fn expr(&mut self, expr: &Expr<P>) -> Expr<P> {
        if let Form::Apply(function, value) = &expr.form
            && let Form::Lambda(param, body) = &function.form
            && is_composition(function)
        {
            let value = self.expr(value);
            self.values.insert(param.local.id, value);
            return self.expr(body);
        }
        walk(self, expr)
    }
}

/// Whether a function is what elaboration makes of a composition: its variable, which goes into the
/// first stage, comes from the same place of the text.
pub fn is_composition<P>(function: &Node<P>) -> bool {
    let Form::Lambda(param, body) = &function.form else {
        return false;
    };
    let mut at: &Node<P> = body;
    loop {
        at = match &at.form {
            Form::Apply(_, last) => last,
            Form::Primitive(_, _, args) | Form::Foreign(_, args) => match args.last() {
                Some(last) => last,
                None => return false,
            },
            Form::Var(local) => return *local == param.local && at.origin == function.origin,
            _ => return false,
        };
    }
}
