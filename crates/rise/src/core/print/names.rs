//! Names of variables: as in the source text where possible, and never shadowing another name.

use std::sync::Arc;

use nat::{Nat, Var};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::ast::{Kind, Name};

use super::UsedNames;
use crate::core::Local;
use crate::core::normalization::name_for;
use crate::print::{arg_text, nat_text, type_text};
use crate::types::{Arg, DataFun, Names, SizeFun, Ty, Type};

pub(super) struct Scope {
    /// The names of type-level variables in the source text.
    wanted: Names,
    /// The names of type-level variables in the printed text.
    names: Names,
    locals: FxHashMap<u32, Name>,
    vars: FxHashSet<Var>,
    taken: UsedNames,
    is_reserved: fn(&str) -> bool,
}

impl Scope {
    pub(super) fn new(names: Names, is_reserved: fn(&str) -> bool) -> Scope {
        Scope {
            wanted: names.clone(),
            names,
            locals: FxHashMap::default(),
            vars: FxHashSet::default(),
            taken: UsedNames::default(),
            is_reserved,
        }
    }

    /// Reserves a name, so that no variable gets it.
    pub(super) fn reserve(&mut self, name: &Name) {
        self.taken.insert(name.clone());
    }

    /// Returns the wanted name if it is free, otherwise the name without the digits at its end and
    /// with the first free number from 1 on.
    fn free(&self, wanted: &str) -> Name {
        let free = |name: &str| !self.taken.contains(name) && !(self.is_reserved)(name);
        if free(wanted) {
            return wanted.into();
        }
        let base = wanted.trim_end_matches(|c: char| c.is_ascii_digit());
        (1..)
            .map(|i| Name::from(format!("{base}{i}")))
            .find(|name| free(name))
            .unwrap_or_default()
    }

    pub(super) fn bind_local(&mut self, local: &Local, ty: &Ty) -> Name {
        let wanted = match local.name.as_str() {
            "" | "_" => name_for(ty),
            name => name,
        };
        let name = self.free(wanted);
        self.taken.insert(name.clone());
        self.locals.insert(local.id, name.clone());
        name
    }

    pub(super) fn leave_local(&mut self, local: &Local) {
        if let Some(name) = self.locals.get(&local.id) {
            self.taken.remove(name);
        }
    }

    pub(super) fn local(&self, local: &Local) -> Name {
        match self.locals.get(&local.id) {
            Some(name) => name.clone(),
            None => local.name.clone(),
        }
    }

    pub(super) fn bind_var(&mut self, var: Var, kind: Kind) {
        let name = self.free(&self.wanted(var, kind));
        self.taken.insert(name.clone());
        self.vars.insert(var);
        self.set(var, name);
    }

    pub(super) fn leave_var(&mut self, var: Var) {
        self.taken.remove(&self.names.get(var));
        self.vars.remove(&var);
    }

    pub(super) fn var(&self, var: Var) -> Name {
        self.names.get(var)
    }

    fn wanted(&self, var: Var, kind: Kind) -> Name {
        let name = self.wanted.get(var);
        if name != "_" {
            return name;
        }
        Name::new_static(match kind {
            Kind::Nat => "n",
            Kind::AddrSp | Kind::ReadWrite => "a",
            Kind::Nat2Nat | Kind::Nat2Data => "f",
            _ => "t",
        })
    }

    fn set(&mut self, var: Var, name: Name) {
        if let Some(known) = Arc::make_mut(&mut self.names.0).get_mut(var.0 as usize) {
            *known = name;
        }
    }

    // ----- texts -----

    pub(super) fn nat_text(&self, nat: &Nat) -> String {
        nat_text(nat, &self.names)
    }

    /// Prints a type without free variables.
    pub(super) fn closed_type(&self, ty: &Ty) -> String {
        type_text(ty, &self.names)
    }

    pub(super) fn type_text(&mut self, ty: &Ty) -> String {
        self.in_type(ty);
        type_text(ty, &self.names)
    }

    pub(super) fn arg_text(&mut self, arg: &Arg) -> String {
        match arg {
            Arg::Type(ty) => self.in_type(ty),
            Arg::SizeFun(SizeFun::Lambda(fun)) => self.inside(fun.param, Kind::Nat, |_| {}),
            Arg::DataFun(fun) => self.in_fun(fun),
            Arg::Nat(_) | Arg::Address(_) | Arg::Access(_) | Arg::SizeFun(SizeFun::Var(_)) => {}
        }
        arg_text(arg, &self.names)
    }

    // ----- binders of types -----

    /// Chooses names for the variables that a type binds, unless they are in scope already.
    fn in_type(&mut self, ty: &Type) {
        match ty {
            Type::DepArray(_, f) | Type::DepPair(f) => self.in_fun(f),
            Type::Pi(pi) => self.inside(pi.var, pi.kind, |this| this.in_type(&pi.body)),
            _ => ty.components().for_each(|part| self.in_type(part)),
        }
    }

    fn in_fun(&mut self, fun: &DataFun) {
        if let DataFun::Lambda(param, body) = fun {
            self.inside(*param, Kind::Nat, |this| this.in_type(body));
        }
    }

    fn inside(&mut self, var: Var, kind: Kind, visit: impl FnOnce(&mut Self)) {
        if self.vars.contains(&var) {
            return visit(self);
        }
        self.bind_var(var, kind);
        visit(self);
        self.leave_var(var);
    }
}
