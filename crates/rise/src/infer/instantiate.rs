//! Instantiation of schemes: fresh variables, implicit arguments, and conditions of the use.

use std::sync::Arc;

use nat::{Prop, Var};
use syntax::ast::{Kind, Name, TermId};

use super::Infer;
use super::obligations::{ConditionOrigin, SchemeCondition};
use super::unification_table::{State, VarInfo};
use crate::classes::Classes;
use crate::subst::{rename, rename_prop, subst};
use crate::types::{Arg, Names, Pi, Scheme, Ty, Type, conditions_along};

use super::apply::InheritedCondition;

impl Infer<'_> {
    /// Instantiates a scheme with fresh variables and removes its leading implicit parameters,
    /// whose variables become unification variables. Returns the type, the conditions of the scheme
    /// over the fresh variables, and the implicit arguments.
    #[allow(clippy::type_complexity)]
    pub(super) fn instantiate(
        &mut self,
        scheme: &Scheme,
        at: TermId,
    ) -> (Ty, Vec<InheritedCondition>, Vec<(Name, Arg)>) {
        if scheme.names.0.is_empty() {
            return (scheme.ty.clone(), Vec::new(), Vec::new());
        }
        let base = u32::try_from(self.table.len()).unwrap_or(u32::MAX);
        let mut kinds = vec![Kind::Nat; scheme.names.0.len()];
        collect_kinds(&scheme.ty, &mut kinds);
        for (name, kind) in scheme.names.0.iter().zip(&kinds) {
            let (level, span) = (self.level + 1, self.span(at));
            let info = VarInfo::new(name.clone(), *kind, level, State::Rigid, span);
            self.table.add(VarInfo {
                inner: true,
                ..info
            });
        }
        self.instantiate_literals(scheme, base, at);
        let shift = |v: Var| Var(base + v.0);
        let mut ty = rename(&scheme.ty, &shift);
        let obligations = scheme
            .obligations
            .iter()
            .map(|prop| inherited(at, prop, &scheme.names, rename_prop(prop, &shift)))
            .collect();
        // Unsolved variables of a definition with errors were reported there.
        let broken = mentions_error(&scheme.ty);
        let mut implicits = Vec::new();
        while let Type::Pi(pi) = &*ty {
            if !pi.implicit {
                break;
            }
            let pi = pi.clone();
            self.make_open(pi.var);
            let name = self.table.info(pi.var).name.clone();
            implicits.push((name, self.var_as_arg(pi.var, pi.kind)));
            if !broken {
                self.inserted.push((pi.var, at));
            }
            ty = pi.body;
        }
        (ty, obligations, implicits)
    }

    /// Instantiates the type of a local name or of an ascription with fresh variables at a use, and
    /// separates its conditions, which become conditions of the use. A type without conditions is
    /// returned without renaming.
    pub(super) fn without_conditions(
        &mut self,
        ty: &Ty,
        at: TermId,
    ) -> (Ty, Vec<InheritedCondition>) {
        let ty = self.table.head(ty);
        if conditions_along(&ty).is_empty() {
            return (ty, Vec::new());
        }
        let ty = self.table.ty(&ty);
        let mut fresh: Vec<(Var, Var)> = Vec::new();
        let mut along = &ty;
        loop {
            along = match &**along {
                Type::Fun(_, result) => result,
                Type::Pi(pi) => {
                    let name = self.table.info(pi.var).name.clone();
                    let var = self.skolem(name, pi.kind);
                    self.table.update(var).span = self.span(at);
                    fresh.push((pi.var, var));
                    &pi.body
                }
                _ => break,
            };
        }
        let to_fresh = |v: Var| {
            let renamed = fresh.iter().find(|(old, _)| *old == v);
            renamed.map_or(v, |(_, new)| *new)
        };
        let names = self.names();
        let conditions = conditions_along(&ty)
            .into_iter()
            .map(|prop| inherited(at, prop, &names, rename_prop(prop, &to_fresh)))
            .collect();
        (strip_conditions(&rename(&ty, &to_fresh)), conditions)
    }

    pub(super) fn make_open(&mut self, var: Var) {
        let level = self.level;
        let info = self.table.update(var);
        info.state = State::Open;
        info.level = level;
        info.inner = false;
    }

    /// Instantiates leading implicit parameters with unification variables and records them as
    /// implicit arguments of the use at `at`.
    pub(super) fn instantiate_prefix(&mut self, ty: Ty, at: TermId) -> Ty {
        let mut ty = self.table.head(&ty);
        while let Type::Pi(pi) = &*ty {
            if !pi.implicit {
                break;
            }
            let pi = pi.clone();
            if self.made_for(pi.var, at) {
                // `instantiate` made this variable for this use.
                self.make_open(pi.var);
                self.inserted.push((pi.var, at));
                self.add_implicit(at, &pi);
                ty = self.table.head(&pi.body);
                continue;
            }
            let name = self.table.info(pi.var).name.clone();
            let var = self.open(name, pi.kind, Classes::of_kind(pi.kind), at);
            self.inserted.push((var, at));
            self.add_implicit(at, &Pi { var, ..pi.clone() });
            let arg = self.var_as_arg(var, pi.kind);
            ty = self.table.head(&self.instance(&pi, &arg));
        }
        ty
    }

    /// Returns the type under the binder with the argument substituted for the variable. Solutions
    /// are applied first, so that they are substituted too.
    pub(super) fn instance(&self, pi: &Pi, arg: &Arg) -> Ty {
        let body = self.table.ty(&pi.body);
        subst(&body, &|v| (v == pi.var).then(|| arg.clone()))
    }

    /// Returns true if `instantiate` made the variable for this use, so that it has a single value.
    pub(super) fn made_for(&self, var: Var, at: TermId) -> bool {
        self.table.info(var).span == self.span(at) && self.table.is_rigid(var)
    }

    pub(super) fn add_implicit(&mut self, at: TermId, pi: &Pi) {
        let arg = self.var_as_arg(pi.var, pi.kind);
        let name = self.table.info(pi.var).name.clone();
        match self.uses.iter_mut().rev().find(|u| u.term == at) {
            Some(name_use) => name_use.implicits.push((name, arg)),
            None => self.instantiated.entry(at).or_default().push((name, arg)),
        }
    }
}

/// Makes the instance `here` of a condition of the type of the name at `at`.
fn inherited(at: TermId, prop: &Prop, names: &Names, here: Prop) -> InheritedCondition {
    InheritedCondition {
        prop: here.clone(),
        source: ConditionOrigin::Scheme(SchemeCondition {
            head: at,
            prop: prop.clone(),
            names: names.clone(),
            here,
        }),
        taken_by: None,
    }
}

/// Returns the function type without the conditions on its own parameters.
fn strip_conditions(ty: &Ty) -> Ty {
    match &**ty {
        Type::Fun(from, to) => Arc::new(Type::Fun(from.clone(), strip_conditions(to))),
        Type::Pi(pi) => Arc::new(Type::Pi(Pi {
            conditions: Arc::default(),
            body: strip_conditions(&pi.body),
            ..pi.clone()
        })),
        _ => ty.clone(),
    }
}

/// Writes the kinds of the variables that the dependent function types in a scheme's type bind into
/// `kinds`, which is indexed by variable.
fn collect_kinds(ty: &Type, kinds: &mut [Kind]) {
    match ty {
        Type::Pi(pi) => {
            if let Some(kind) = kinds.get_mut(pi.var.0 as usize) {
                *kind = pi.kind;
            }
            collect_kinds(&pi.body, kinds);
        }
        Type::Fun(a, b) | Type::Pair(a, b) => {
            collect_kinds(a, kinds);
            collect_kinds(b, kinds);
        }
        _ => {}
    }
}

fn mentions_error(ty: &Type) -> bool {
    matches!(ty, Type::Error) || ty.components().any(|part| mentions_error(part))
}
