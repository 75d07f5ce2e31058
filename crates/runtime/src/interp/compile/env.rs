//! The environment of names at compile time.

use std::rc::Rc;

use nat::{Nat, Var};
use rise::core::Local;
use rise::subst::{subst, subst_arg, subst_nat};
use rise::types::{Arg, Ty, Type};

use super::super::block::Operand;
use super::StaticValue;

/// An environment: a linked list of the names in scope. Functions are closures with their
/// environment.
#[derive(Clone, Default)]
pub(crate) struct Env(Option<Rc<Scope>>);

struct Scope {
    entry: Entry,
    outer: Env,
    /// True if this scope or an outer one binds a type-level variable.
    has_vars: bool,
}

enum Entry {
    Local(u32, StaticValue),
    Var(Var, Arg),
}

impl Env {
    pub(super) fn with_local(&self, local: &Local, meaning: StaticValue) -> Env {
        self.with(Entry::Local(local.id, meaning))
    }

    /// Binds a variable to data.
    pub fn with_data(&self, local: &Local, out: Operand) -> Env {
        self.with_local(local, StaticValue::Data(out))
    }

    pub fn with_var(&self, var: Var, arg: Arg) -> Env {
        self.with(Entry::Var(var, arg))
    }

    fn with(&self, entry: Entry) -> Env {
        let has_vars = matches!(entry, Entry::Var(..)) || self.has_vars();
        Env(Some(Rc::new(Scope {
            entry,
            outer: self.clone(),
            has_vars,
        })))
    }

    fn has_vars(&self) -> bool {
        self.0.as_ref().is_some_and(|scope| scope.has_vars)
    }

    pub(super) fn local(&self, local: &Local) -> Option<StaticValue> {
        let mut env = self;
        while let Some(scope) = &env.0 {
            match &scope.entry {
                Entry::Local(id, meaning) if *id == local.id => return Some(meaning.clone()),
                _ => env = &scope.outer,
            }
        }
        None
    }

    /// Returns the type-level argument that a type-level variable is bound to; `None` if it is not
    /// bound.
    pub fn var(&self, var: Var) -> Option<Arg> {
        let mut env = self;
        while let Some(scope) = &env.0
            && scope.has_vars
        {
            match &scope.entry {
                Entry::Var(this, arg) if *this == var => return Some(arg.clone()),
                _ => env = &scope.outer,
            }
        }
        None
    }

    /// Substitutes the type-level variables in a type.
    pub fn ty(&self, ty: &Ty) -> Ty {
        if !self.has_vars() || matches!(**ty, Type::Scalar(_)) {
            return ty.clone();
        }
        subst(ty, &|var| self.var(var))
    }

    /// Substitutes the type-level variables in an argument.
    pub fn arg(&self, arg: &Arg) -> Arg {
        subst_arg(arg, &|var| self.var(var))
    }

    /// Substitutes the type-level variables in a size.
    pub fn nat(&self, nat: &Nat) -> Nat {
        subst_nat(nat, &|var| self.var(var))
    }
}
