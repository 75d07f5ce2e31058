//! Elimination of function compositions: `(f >> g)(x)` becomes `g(f(x))`.

use rustc_hash::FxHashMap;

use super::mapper::walk;
use super::{Expr, Form, Local, Mapper, Node, Origin};
use crate::types::Ty;

/// Beta-reduces compositions that are applied to a value: `(f >> g)(x)` becomes `g(f(x))`, and
/// `f >> g >> h` becomes one function of one variable without a redex in its body.
///
/// Only the functions that elaboration makes of `>>` and `<<` are reduced; those that are written
/// with `fun` stay. Each uses its variable once, so nothing is computed twice.
pub fn without_compositions<P: Clone + PartialEq>(expr: &Expr<P>) -> Expr<P> {
    Flatten {
        values: FxHashMap::default(),
    }
    .expr(expr)
}

struct Flatten<P> {
    /// The arguments of applied compositions, by the numbers of their variables.
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

/// Returns true if a function is the elaboration of a composition: the variable, which is the
/// argument of the first stage, has the same origin as the function.
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
