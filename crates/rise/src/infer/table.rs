//! The variables of an item: rigid ones that the text binds, open ones that inference solves.

use std::cell::Cell;
use std::sync::Arc;

use nat::{Nat, NatFun, Prop, Var};
use syntax::Span;
use syntax::ast::{Kind, Name};

use crate::classes::Classes;
use crate::types::{Address, Arg, DataFun, Pi, SizeFun, Ty, Type};

/// What is known about a variable.
#[derive(Clone, Debug)]
pub(super) struct VarInfo {
    /// What it is called, or what it should be called if it becomes a parameter.
    pub name: Name,
    pub kind: Kind,
    /// How many binders of type-level names enclose it: a solution mentions no deeper variable.
    pub level: u32,
    pub state: State,
    /// For data types: what it may be.
    pub classes: Classes,
    /// The binder of a rigid variable; the term that brought an open one.
    pub span: Span,
    /// Exclusive upper bound of the values, where there is one.
    pub range: Option<Nat>,
    /// Bound inside the item's value, not along its type: conditions on it stay under its binder.
    pub inner: bool,
}

#[derive(Clone, Debug)]
pub(super) enum State {
    Rigid,
    Open,
    /// The value, and the term that fixed it.
    Solved(Arg, Span),
}

/// All variables of an item, with a trail for attempts that are taken back.
#[derive(Default)]
pub(super) struct Table {
    vars: Vec<VarInfo>,
    trail: Vec<(Var, VarInfo)>,
    attempts: u32,
    /// Nodes that the type being read may still have, and whether one had more.
    left: Cell<u32>,
    too_large: Cell<bool>,
}

/// Nodes of a type above which it is given up: types can double with each use of a pair.
const LARGE: u32 = 4_000;

/// A point to go back to.
pub(super) struct Mark(usize);

impl Table {
    pub fn add(&mut self, info: VarInfo) -> Var {
        let var = Var(u32::try_from(self.vars.len()).unwrap_or(u32::MAX));
        self.vars.push(info);
        var
    }

    pub fn info(&self, var: Var) -> &VarInfo {
        &self.vars[var.0 as usize]
    }

    pub fn len(&self) -> usize {
        self.vars.len()
    }

    /// Access for change; what it was is kept while an attempt is running.
    pub fn update(&mut self, var: Var) -> &mut VarInfo {
        if self.attempts > 0 {
            self.trail.push((var, self.vars[var.0 as usize].clone()));
        }
        &mut self.vars[var.0 as usize]
    }

    pub fn begin(&mut self) -> Mark {
        self.attempts += 1;
        Mark(self.trail.len())
    }

    pub fn keep(&mut self, _mark: Mark) {
        self.attempts -= 1;
        if self.attempts == 0 {
            self.trail.clear();
        }
    }

    pub fn undo(&mut self, mark: Mark) {
        while self.trail.len() > mark.0 {
            if let Some((var, info)) = self.trail.pop() {
                self.vars[var.0 as usize] = info;
            }
        }
        self.attempts -= 1;
    }

    pub fn is_open(&self, var: Var) -> bool {
        matches!(self.info(var).state, State::Open)
    }

    pub fn is_rigid(&self, var: Var) -> bool {
        matches!(self.info(var).state, State::Rigid)
    }

    fn solution(&self, var: Var) -> Option<&Arg> {
        match &self.vars.get(var.0 as usize)?.state {
            State::Solved(arg, _) => Some(arg),
            State::Rigid | State::Open => None,
        }
    }

    /// Where the value of a solved variable was fixed.
    pub fn solved_at(&self, var: Var) -> Option<Span> {
        match &self.info(var).state {
            State::Solved(_, at) => Some(*at),
            State::Rigid | State::Open => None,
        }
    }

    /// Whether the solution of open `x` may mention `other`.
    pub fn visible(&self, x: Var, other: Var) -> bool {
        match self.vars.get(other.0 as usize) {
            Some(info) => info.level <= self.info(x).level || matches!(info.state, State::Open),
            // A bound variable of a `sum` or a type-level function: never free in a solution.
            None => true,
        }
    }

    // ----- reading types through solutions -----

    pub fn nat(&self, nat: &Nat) -> Nat {
        if let Some(var) = nat.as_var() {
            return match self.solution(var) {
                Some(Arg::Nat(value)) => self.nat(value),
                _ => nat.clone(),
            };
        }
        if nat.as_const().is_some() {
            return nat.clone();
        }
        let mut solved = false;
        nat.for_each_var(&mut |v| solved |= self.solution(v).is_some());
        if !solved {
            return nat.clone();
        }
        nat.subst_fun(&|f| match self.solution(f) {
            Some(Arg::SizeFun(fun)) => self.size_lambda(fun),
            _ => None,
        })
        .subst(&|v| match self.solution(v) {
            Some(Arg::Nat(value)) => Some(self.nat(value)),
            _ => None,
        })
    }

    fn size_lambda(&self, fun: &SizeFun) -> Option<NatFun> {
        match self.size_fun(fun) {
            SizeFun::Lambda(lambda) => Some(lambda),
            SizeFun::Var(_) => None,
        }
    }

    pub fn size_fun(&self, fun: &SizeFun) -> SizeFun {
        match fun {
            SizeFun::Var(var) => match self.solution(*var) {
                Some(Arg::SizeFun(value)) => self.size_fun(value),
                _ => fun.clone(),
            },
            SizeFun::Lambda(lambda) => SizeFun::Lambda(NatFun {
                param: lambda.param,
                body: self.nat(&lambda.body),
            }),
        }
    }

    /// `fun` applied to a size.
    pub fn apply_size_fun(&self, fun: &SizeFun, arg: &Nat) -> Nat {
        match self.size_fun(fun) {
            SizeFun::Var(var) => Nat::apply(var, arg),
            SizeFun::Lambda(lambda) => lambda.apply(arg),
        }
    }

    pub fn data_fun(&self, fun: &DataFun) -> DataFun {
        self.left.set(LARGE);
        self.read_data_fun(fun)
    }

    fn read_data_fun(&self, fun: &DataFun) -> DataFun {
        match fun {
            DataFun::Var(var) => match self.solution(*var) {
                Some(Arg::DataFun(value)) => self.read_data_fun(value),
                _ => fun.clone(),
            },
            DataFun::Lambda(param, body) => DataFun::Lambda(*param, self.read(body)),
        }
    }

    /// `fun` applied to a size.
    pub fn apply_data_fun(&self, fun: &DataFun, arg: &Nat) -> Ty {
        match self.data_fun(fun) {
            DataFun::Var(var) => Arc::new(Type::Apply(var, arg.clone())),
            DataFun::Lambda(param, body) => {
                subst(&body, &|v| (v == param).then(|| Arg::Nat(arg.clone())))
            }
        }
    }

    pub fn address(&self, address: Address) -> Address {
        match address {
            Address::Var(var) => match self.solution(var) {
                Some(Arg::Address(value)) => self.address(*value),
                _ => address,
            },
            Address::Space(_) => address,
        }
    }

    /// The type with its head read through solutions.
    pub fn head(&self, ty: &Ty) -> Ty {
        match &**ty {
            Type::Var(var) => match self.solution(*var) {
                Some(Arg::Type(value)) => self.head(value),
                _ => ty.clone(),
            },
            Type::Apply(fun, arg) => match self.solution(*fun) {
                Some(Arg::DataFun(value)) => {
                    let applied = self.apply_data_fun(value, arg);
                    if applied == *ty {
                        applied
                    } else {
                        self.head(&applied)
                    }
                }
                _ => ty.clone(),
            },
            _ => ty.clone(),
        }
    }

    /// The whole type read through solutions; an error in the place of what grows too large.
    pub fn ty(&self, ty: &Ty) -> Ty {
        self.left.set(LARGE);
        self.read(ty)
    }

    /// Whether a type that was read since the last call was too large.
    pub fn take_too_large(&self) -> bool {
        self.too_large.take()
    }

    fn read(&self, ty: &Ty) -> Ty {
        match self.left.get().checked_sub(1) {
            Some(left) => self.left.set(left),
            None => {
                self.too_large.set(true);
                return Arc::new(Type::Error);
            }
        }
        let head = self.head(ty);
        let new = match &*head {
            Type::Error | Type::Var(_) | Type::Scalar(_) => return head,
            Type::Index(n) => Type::Index(self.nat(n)),
            Type::Vector(n, t) => Type::Vector(self.nat(n), self.read(t)),
            Type::Array(n, t) => Type::Array(self.nat(n), self.read(t)),
            Type::DepArray(n, f) => Type::DepArray(self.nat(n), self.read_data_fun(f)),
            Type::Pair(a, b) => Type::Pair(self.read(a), self.read(b)),
            Type::DepPair(f) => Type::DepPair(self.read_data_fun(f)),
            Type::Apply(f, n) => Type::Apply(*f, self.nat(n)),
            Type::Fun(a, b) => Type::Fun(self.read(a), self.read(b)),
            Type::Pi(pi) => Type::Pi(Pi {
                body: self.read(&pi.body),
                ..pi.clone()
            }),
        };
        if new == *head { head } else { Arc::new(new) }
    }

    pub fn arg(&self, arg: &Arg) -> Arg {
        match arg {
            Arg::Nat(n) => Arg::Nat(self.nat(n)),
            Arg::Type(t) => Arg::Type(self.ty(t)),
            Arg::Address(a) => Arg::Address(self.address(*a)),
            Arg::SizeFun(f) => Arg::SizeFun(self.size_fun(f)),
            Arg::DataFun(f) => Arg::DataFun(self.data_fun(f)),
        }
    }

    pub fn prop(&self, prop: &Prop) -> Prop {
        prop.subst_fun(&|f| match self.solution(f) {
            Some(Arg::SizeFun(fun)) => self.size_lambda(fun),
            _ => None,
        })
        .subst(&|v| match self.solution(v) {
            Some(Arg::Nat(value)) => Some(self.nat(value)),
            _ => None,
        })
    }
}

/// A type with every size in it replaced.
pub(crate) fn map_sizes(ty: &Ty, map: &dyn Fn(&Nat) -> Nat) -> Ty {
    let fun = |f: &DataFun| match f {
        DataFun::Var(_) => f.clone(),
        DataFun::Lambda(param, body) => DataFun::Lambda(*param, map_sizes(body, map)),
    };
    Arc::new(match &**ty {
        Type::Error | Type::Scalar(_) | Type::Var(_) => return ty.clone(),
        Type::Index(n) => Type::Index(map(n)),
        Type::Vector(n, t) => Type::Vector(map(n), map_sizes(t, map)),
        Type::Array(n, t) => Type::Array(map(n), map_sizes(t, map)),
        Type::DepArray(n, f) => Type::DepArray(map(n), fun(f)),
        Type::Pair(a, b) => Type::Pair(map_sizes(a, map), map_sizes(b, map)),
        Type::DepPair(f) => Type::DepPair(fun(f)),
        Type::Apply(f, n) => Type::Apply(*f, map(n)),
        Type::Fun(a, b) => Type::Fun(map_sizes(a, map), map_sizes(b, map)),
        Type::Pi(pi) => Type::Pi(Pi {
            body: map_sizes(&pi.body, map),
            ..pi.clone()
        }),
    })
}

/// Replaces free variables in a type. Binders of types are unique in an item, so nothing is
/// captured as long as what is put in mentions no binder of the type itself.
pub(crate) fn subst(ty: &Ty, value: &dyn Fn(Var) -> Option<Arg>) -> Ty {
    let nat = |n: &Nat| subst_nat(n, value);
    Arc::new(match &**ty {
        Type::Error | Type::Scalar(_) => return ty.clone(),
        Type::Var(var) => match value(*var) {
            Some(Arg::Type(t)) => return t,
            Some(_) => Type::Error,
            None => return ty.clone(),
        },
        Type::Index(n) => Type::Index(nat(n)),
        Type::Vector(n, t) => Type::Vector(nat(n), subst(t, value)),
        Type::Array(n, t) => Type::Array(nat(n), subst(t, value)),
        Type::DepArray(n, f) => Type::DepArray(nat(n), subst_data_fun(f, value)),
        Type::Pair(a, b) => Type::Pair(subst(a, value), subst(b, value)),
        Type::DepPair(f) => Type::DepPair(subst_data_fun(f, value)),
        Type::Apply(f, n) => match value(*f) {
            Some(Arg::DataFun(DataFun::Var(g))) => Type::Apply(g, nat(n)),
            Some(Arg::DataFun(DataFun::Lambda(param, body))) => {
                let n = nat(n);
                return subst(&body, &|v| (v == param).then(|| Arg::Nat(n.clone())));
            }
            _ => Type::Apply(*f, nat(n)),
        },
        Type::Fun(a, b) => Type::Fun(subst(a, value), subst(b, value)),
        Type::Pi(pi) => Type::Pi(Pi {
            body: subst(&pi.body, value),
            ..pi.clone()
        }),
    })
}

pub(crate) fn subst_data_fun(fun: &DataFun, value: &dyn Fn(Var) -> Option<Arg>) -> DataFun {
    match fun {
        DataFun::Var(var) => match value(*var) {
            Some(Arg::DataFun(f)) => f,
            _ => fun.clone(),
        },
        DataFun::Lambda(param, body) => DataFun::Lambda(*param, subst(body, value)),
    }
}

pub(crate) fn subst_nat(nat: &Nat, value: &dyn Fn(Var) -> Option<Arg>) -> Nat {
    if nat.as_const().is_some() {
        return nat.clone();
    }
    nat.rename_fun(&|f| match value(f) {
        Some(Arg::SizeFun(SizeFun::Var(g))) => Some(g),
        _ => None,
    })
    .subst_fun(&|f| match value(f) {
        Some(Arg::SizeFun(SizeFun::Lambda(lambda))) => Some(lambda),
        _ => None,
    })
    .subst(&|v| match value(v) {
        Some(Arg::Nat(n)) => Some(n),
        _ => None,
    })
}

pub(crate) fn subst_prop(prop: &Prop, value: &dyn Fn(Var) -> Option<Arg>) -> Prop {
    prop.map(&|nat, _| subst_nat(nat, value))
}

/// A type with every variable, bound ones too, under another number.
pub(crate) fn rename(ty: &Ty, map: &dyn Fn(Var) -> Var) -> Ty {
    let fun = |f: &DataFun| match f {
        DataFun::Var(v) => DataFun::Var(map(*v)),
        DataFun::Lambda(param, body) => DataFun::Lambda(map(*param), rename(body, map)),
    };
    let nat = |n: &Nat| rename_nat(n, map);
    Arc::new(match &**ty {
        Type::Error | Type::Scalar(_) => return ty.clone(),
        Type::Var(v) => Type::Var(map(*v)),
        Type::Index(n) => Type::Index(nat(n)),
        Type::Vector(n, t) => Type::Vector(nat(n), rename(t, map)),
        Type::Array(n, t) => Type::Array(nat(n), rename(t, map)),
        Type::DepArray(n, f) => Type::DepArray(nat(n), fun(f)),
        Type::Pair(a, b) => Type::Pair(rename(a, map), rename(b, map)),
        Type::DepPair(f) => Type::DepPair(fun(f)),
        Type::Apply(f, n) => Type::Apply(map(*f), nat(n)),
        Type::Fun(a, b) => Type::Fun(rename(a, map), rename(b, map)),
        Type::Pi(pi) => Type::Pi(Pi {
            var: map(pi.var),
            body: rename(&pi.body, map),
            ..pi.clone()
        }),
    })
}

fn rename_nat(nat: &Nat, map: &dyn Fn(Var) -> Var) -> Nat {
    if nat.as_const().is_some() {
        return nat.clone();
    }
    if let Some(var) = nat.as_var() {
        return Nat::var(map(var));
    }
    nat.rename_fun(&|f| Some(map(f)))
        .subst(&|v| Some(Nat::var(map(v))))
}

/// The same for a condition.
pub(crate) fn rename_prop(prop: &Prop, map: &dyn Fn(Var) -> Var) -> Prop {
    match prop {
        Prop::ForAll {
            var,
            from,
            to,
            prop,
        } => Prop::for_all(
            map(*var),
            rename_nat(from, map),
            rename_nat(to, map),
            rename_prop(prop, map),
        ),
        _ => prop.map(&|nat, _| rename_nat(nat, map)),
    }
}
