//! What names stand for while a program is compiled.

use std::rc::Rc;

use nat::{Nat, Var};
use rise::core::Local;
use rise::subst::{subst, subst_arg, subst_nat};
use rise::types::{Arg, Ty, Type};

use super::super::block::Out;
use super::Meaning;

/// What the names around a term stand for. Functions keep theirs.
#[derive(Clone, Default)]
pub(crate) struct Env(Option<Rc<Scope>>);

struct Scope {
    entry: Entry,
    outer: Env,
    /// Whether there is a type-level variable in it or around it.
    has_vars: bool,
}

enum Entry {
    Local(u32, Meaning),
    Var(Var, Arg),
}

impl Env {
    pub(super) fn with_local(&self, local: &Local, meaning: Meaning) -> Env {
        self.with(Entry::Local(local.id, meaning))
    }

    /// With a variable that is data.
    pub fn with_data(&self, local: &Local, out: Out) -> Env {
        self.with_local(local, Meaning::Data(out))
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

    pub(super) fn local(&self, local: &Local) -> Option<Meaning> {
        let mut env = self;
        while let Some(scope) = &env.0 {
            match &scope.entry {
                Entry::Local(id, meaning) if *id == local.id => return Some(meaning.clone()),
                _ => env = &scope.outer,
            }
        }
        None
    }

    /// What a type-level variable stands for.
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

    /// A type, with what its variables stand for.
    pub fn ty(&self, ty: &Ty) -> Ty {
        if !self.has_vars() || matches!(**ty, Type::Scalar(_)) {
            return ty.clone();
        }
        subst(ty, &|var| self.var(var))
    }

    /// The same for a type-level argument.
    pub fn arg(&self, arg: &Arg) -> Arg {
        subst_arg(arg, &|var| self.var(var))
    }

    /// The same for a size.
    pub fn nat(&self, nat: &Nat) -> Nat {
        subst_nat(nat, &|var| self.var(var))
    }
}
