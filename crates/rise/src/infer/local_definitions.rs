//! Local definitions, `let f(x: f32): f32 = e in body`.
//!
//! The type of the function is that of a parameter over sizes and types: its implicit parameters are
//! instantiated at each use. Types that are not written are those of the captured values, or become
//! implicit parameters.

use std::sync::Arc;

use nat::{Facts, Prop, Var};
use syntax::ast::{BinderId, Head, Kind, TermId};

use super::elab::with_conditions;
use super::expr::Expectation;
use super::obligations::plainly_false;
use super::unification_table::State;
use super::unify::{Cause, CauseCode, for_each_var};
use super::{Infer, LocalBinding};
use crate::BinderInfo;
use crate::types::{Pi, Ty, Type};

impl Infer<'_> {
    /// Infers a local definition and the term in which it is in scope.
    pub(super) fn local_definition(
        &mut self,
        term: TermId,
        binder: BinderId,
        body: TermId,
        wanted: Expectation,
    ) -> Ty {
        let Some((head, written, function)) = self.item.local_head(term) else {
            return self.broken();
        };
        let (clashes, before) = (self.clashes, self.obligations.len());
        let ty = self.in_scope(|this| {
            this.level += 1;
            this.local_function(head, written, function)
        });
        let ty = self.over_conditions(before, &ty);
        let ty = self.over_open_types(function, ty);
        self.binders[binder.0 as usize] = BinderInfo::Value(ty.clone());
        let meaning = match (self.clashes == clashes, &*ty) {
            (false, _) | (_, Type::Error) => LocalBinding::Broken,
            _ => LocalBinding::Value(ty),
        };
        self.in_scope(|this| {
            this.bind_name(binder, meaning);
            this.body(body, wanted)
        })
    }

    /// Checks the function of a local definition, and returns its type.
    fn local_function(&mut self, head: &Head, written: TermId, function: TermId) -> Ty {
        let outside = std::mem::replace(&mut self.in_local_type, true);
        let ty = self.elab_type(written);
        self.in_local_type = outside;
        self.check_implicit_parameters(head, &ty);
        self.bind_type_names(written);
        let mut along = &ty;
        loop {
            along = match &**along {
                Type::Pi(pi) => {
                    self.assume_conditions_of(pi, pi.var);
                    &pi.body
                }
                Type::Fun(_, to) => to,
                _ => break,
            };
        }
        let cause = Cause::new(self.span(head.value), CauseCode::Written { ty: written });
        self.check(function, &ty, cause);
        self.solve_deferred();
        let implied = self.item.implied_by(head, written, function);
        let ty = self.table.ty(&ty);
        self.settle_kinds_of(head, &ty, &implied)
    }

    /// Adds to the parameters of a local definition of the type `ty` the conditions on them that its
    /// function needs, among the obligations from number `before` on. Each use has to meet them.
    fn over_conditions(&mut self, before: usize, ty: &Ty) -> Ty {
        let (mut params, mut known, mut along) = (Vec::new(), Facts::new(), ty);
        loop {
            along = match &**along {
                Type::Pi(pi) => {
                    params.push(pi.var);
                    pi.conditions.iter().for_each(|prop| {
                        known.assume(prop);
                    });
                    &pi.body
                }
                Type::Fun(_, to) => to,
                _ => break,
            };
        }
        let mut conditions: Vec<(Var, Prop)> = Vec::new();
        for pending in self
            .obligations
            .split_off(before.min(self.obligations.len()))
        {
            let prop = self.table.prop(&pending.prop);
            let mut is_about_params = true;
            prop.for_each_var(&mut |var| {
                is_about_params &=
                    params.contains(&var) || self.table.info(var).level <= self.level;
            });
            match params.iter().rev().find(|&&var| prop.mentions(var)) {
                Some(&last) if is_about_params && !plainly_false(&prop) && !known.proves(&prop) => {
                    known.assume(&prop);
                    conditions.push((last, prop));
                }
                _ => self.obligations.push(pending),
            }
        }
        with_conditions(ty, &conditions)
    }

    /// Makes the unknown types in the type of a local definition implicit parameters, innermost,
    /// unless they are those of values around it.
    fn over_open_types(&mut self, function: TermId, ty: Ty) -> Ty {
        let mut open: Vec<(Var, Kind)> = Vec::new();
        for_each_var(&ty, &mut |var| {
            let info = self.table.info(var);
            let is_own = self.table.is_open(var) && info.level > self.level;
            if is_own
                && info.kind == Kind::DataType
                && !open.iter().any(|(known, _)| *known == var)
                && let Some(kind) = info.classes.to_kind()
            {
                open.push((var, kind));
            }
        });
        for &(var, kind) in &open {
            let info = self.table.update(var);
            info.state = State::Rigid;
            info.kind = kind;
            info.inner = true;
        }
        if open.is_empty() {
            return ty;
        }
        self.generalised.insert(function, open.clone().into());
        under_implicit(&ty, &open)
    }
}

/// Puts implicit parameters behind the leading implicit parameters of a type.
fn under_implicit(ty: &Ty, params: &[(Var, Kind)]) -> Ty {
    match &**ty {
        Type::Pi(pi) if pi.implicit => Arc::new(Type::Pi(Pi {
            body: under_implicit(&pi.body, params),
            ..pi.clone()
        })),
        _ => (params.iter().rev()).fold(ty.clone(), |body, &(var, kind)| {
            Arc::new(Type::Pi(Pi::new(var, kind, true, body)))
        }),
    }
}
