//! Interns types, and computes their attributes.

use std::sync::Arc;

use nat::{Nat, Var};
use rise::types::{Access, Address, Arg, DataFun, SizeFun, Ty, Type};
use rustc_hash::FxHashMap;

/// The index of a type in a [`Store`](super::Store). Two types of one store are equal, including
/// the numbers of bound variables, exactly if their indices are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TyId(pub(super) u32);

/// A type with its attributes.
#[derive(Clone, Debug)]
struct Entry {
    ty: Ty,
    /// The parameter type and the result type of a function of values; `None` for other types.
    fun: Option<(TyId, TyId)>,
    /// True for the type of a function of values or of a dependent function.
    function: bool,
    /// A bit set of the variables in the type, including bound ones, by number modulo 64.
    vars: u64,
    /// True if the type binds variables.
    binds: bool,
    height: u32,
    /// The number of nodes of the type, in which sizes are not counted.
    size: u32,
}

/// The table of interned types.
#[derive(Clone, Debug, Default)]
pub(super) struct Types {
    entries: Vec<Entry>,
    funs: FxHashMap<(TyId, TyId), TyId>,
    others: FxHashMap<Ty, TyId>,
    highest: u32,
    largest: u32,
}

impl Types {
    pub fn intern(&mut self, ty: &Ty) -> TyId {
        if let Type::Fun(a, b) = &**ty {
            let (a, b) = (self.intern(a), self.intern(b));
            return self.fun(a, b);
        }
        if let Some(&known) = self.others.get(ty) {
            return known;
        }
        let mut found = Found::default();
        found.ty(ty, 1);
        let id = self.push(Entry {
            ty: ty.clone(),
            fun: None,
            function: matches!(**ty, Type::Pi(_)),
            vars: found.vars,
            binds: found.binds,
            height: found.height,
            size: found.size,
        });
        self.others.insert(ty.clone(), id);
        id
    }

    pub fn fun(&mut self, a: TyId, b: TyId) -> TyId {
        if let Some(&known) = self.funs.get(&(a, b)) {
            return known;
        }
        let (from, to) = (self.entry(a), self.entry(b));
        let entry = Entry {
            ty: Arc::new(Type::Fun(from.ty.clone(), to.ty.clone())),
            fun: Some((a, b)),
            function: true,
            vars: from.vars | to.vars,
            binds: from.binds || to.binds,
            height: from.height.max(to.height) + 1,
            size: from.size.saturating_add(to.size).saturating_add(1),
        };
        let id = self.push(entry);
        self.funs.insert((a, b), id);
        id
    }

    fn push(&mut self, entry: Entry) -> TyId {
        self.highest = self.highest.max(entry.height);
        self.largest = self.largest.max(entry.size);
        let id = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        self.entries.push(entry);
        TyId(id)
    }

    fn entry(&self, ty: TyId) -> &Entry {
        &self.entries[ty.0 as usize]
    }

    pub fn get(&self, ty: TyId) -> &Ty {
        &self.entry(ty).ty
    }

    pub fn parts(&self, ty: TyId) -> Option<(TyId, TyId)> {
        self.entry(ty).fun
    }

    pub fn is_function(&self, ty: TyId) -> bool {
        self.entry(ty).function
    }

    pub fn vars(&self, ty: TyId) -> u64 {
        self.entry(ty).vars
    }

    pub fn binds(&self, ty: TyId) -> bool {
        self.entry(ty).binds
    }

    /// Returns the height of the highest type that was interned.
    pub fn highest(&self) -> u32 {
        self.highest
    }

    /// Returns the number of nodes of the largest type that was interned.
    pub fn largest(&self) -> u32 {
        self.largest
    }
}

/// Returns the bit of a variable in bit sets: that of its number modulo 64.
pub(super) fn bit(var: Var) -> u64 {
    1 << (var.0 % 64)
}

/// Returns the bit set of the variables in an argument, including bound ones.
pub(super) fn bits_of_arg(arg: &Arg) -> u64 {
    let mut found = Found::default();
    found.arg(arg, 1);
    found.vars
}

/// Returns the bit set of the variables in a size.
pub(super) fn bits_of_nat(nat: &Nat) -> u64 {
    let mut found = Found::default();
    found.nat(nat);
    found.vars
}

/// Returns the variables that a type binds, outer ones before inner ones.
pub(super) fn bound_vars(ty: &Type) -> Vec<Var> {
    let mut found = Found::default();
    found.ty(ty, 1);
    found.bound
}

/// The attributes of a type, a size or a type-level argument, collected by one traversal.
#[derive(Default)]
struct Found {
    vars: u64,
    binds: bool,
    height: u32,
    size: u32,
    bound: Vec<Var>,
}

impl Found {
    fn nat(&mut self, nat: &Nat) {
        nat.for_each_var(&mut |var| self.vars |= bit(var));
    }

    fn binder(&mut self, var: Var) {
        self.vars |= bit(var);
        self.binds = true;
        self.bound.push(var);
    }

    fn data_fun(&mut self, fun: &DataFun, depth: u32) {
        match fun {
            DataFun::Var(var) => self.vars |= bit(*var),
            DataFun::Lambda(var, body) => {
                self.binder(*var);
                self.ty(body, depth);
            }
        }
    }

    fn access(&mut self, access: Access) {
        if let Access::Var(var) = access {
            self.vars |= bit(var);
        }
    }

    fn ty(&mut self, ty: &Type, depth: u32) {
        self.height = self.height.max(depth);
        self.size = self.size.saturating_add(1);
        let depth = depth + 1;
        match ty {
            Type::Error | Type::Scalar(_) | Type::Comm => {}
            Type::Var(var) => self.vars |= bit(*var),
            Type::Index(n) => self.nat(n),
            Type::Vector(n, t) | Type::Array(n, t) => {
                self.nat(n);
                self.ty(t, depth);
            }
            Type::DepArray(n, f) => {
                self.nat(n);
                self.data_fun(f, depth);
            }
            Type::Pair(a, b) | Type::Fun(a, b) => {
                self.ty(a, depth);
                self.ty(b, depth);
            }
            Type::DepPair(f) => self.data_fun(f, depth),
            Type::Apply(f, n) => {
                self.vars |= bit(*f);
                self.nat(n);
            }
            Type::Pi(pi) => {
                self.binder(pi.var);
                for prop in pi.conditions.iter() {
                    prop.for_each_var(&mut |var| self.vars |= bit(var));
                }
                self.ty(&pi.body, depth);
            }
            Type::Exp(t, access) => {
                self.access(*access);
                self.ty(t, depth);
            }
            Type::Acc(t) => self.ty(t, depth),
        }
    }

    fn arg(&mut self, arg: &Arg, depth: u32) {
        match arg {
            Arg::Nat(n) => self.nat(n),
            Arg::Type(t) => self.ty(t, depth),
            Arg::Address(Address::Var(var)) | Arg::SizeFun(SizeFun::Var(var)) => {
                self.vars |= bit(*var);
            }
            Arg::Address(Address::Space(_)) => {}
            Arg::SizeFun(SizeFun::Lambda(fun)) => {
                self.binder(fun.param);
                self.nat(&fun.body);
            }
            Arg::DataFun(fun) => self.data_fun(fun, depth),
            Arg::Access(access) => self.access(*access),
        }
    }
}
