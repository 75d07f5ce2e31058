//! The variables of an item: rigid ones that the text binds, open ones that inference solves.

use std::cell::Cell;
use std::sync::Arc;

use nat::{Nat, NatFun, Prop, Var};
use syntax::Span;
use syntax::ast::{Kind, Name};

use crate::classes::Classes;
use crate::subst::subst;
use crate::types::{Access, Address, Arg, DataFun, Pi, SizeFun, Ty, Type};

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
    /// What all its values are, over an index with a range: of the size that the function of
    /// `iterate` binds, `m * n^j`.
    pub values: Option<Nat>,
    /// Conditions that hold of it, since the type of the function that binds it states them.
    pub assumed: Arc<[Prop]>,
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
    /// Pairs of parts that the types being unified may still have.
    pairs_left: Cell<u32>,
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
        let mut nat = nat;
        while let Some(var) = nat.as_var() {
            match self.solution(var) {
                Some(Arg::Nat(value)) => nat = value,
                _ => return nat.clone(),
            }
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

    pub fn access(&self, access: Access) -> Access {
        match access {
            Access::Var(var) => match self.solution(var) {
                Some(Arg::Access(value)) => self.access(*value),
                _ => access,
            },
            Access::Rd | Access::Wr | Access::St => access,
        }
    }

    /// The type with its head read through solutions.
    pub fn head(&self, ty: &Ty) -> Ty {
        let mut ty = ty.clone();
        loop {
            let value = match &*ty {
                Type::Var(var) => match self.solution(*var) {
                    Some(Arg::Type(value)) => value.clone(),
                    _ => return ty,
                },
                Type::Apply(fun, arg) => match self.solution(*fun) {
                    Some(Arg::DataFun(value)) => self.apply_data_fun(value, arg),
                    _ => return ty,
                },
                _ => return ty,
            };
            ty = value;
        }
    }

    /// The whole type read through solutions; an error in the place of what grows too large.
    pub fn ty(&self, ty: &Ty) -> Ty {
        self.left.set(LARGE);
        self.read(ty)
    }

    /// Begins the unification of two types.
    pub fn begin_unify(&self) {
        self.pairs_left.set(LARGE);
    }

    /// Counts a pair of parts that is unified; returns false, and notes that the types are too
    /// large, where there are too many. Types that share parts can have more parts than memory.
    pub fn count_pair(&self) -> bool {
        match self.pairs_left.get().checked_sub(1) {
            Some(left) => {
                self.pairs_left.set(left);
                true
            }
            None => {
                self.too_large.set(true);
                false
            }
        }
    }

    /// Whether a type that was read or unified since the last call was too large.
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
                conditions: pi.map_conditions(|prop| self.prop(prop)),
                ..pi.clone()
            }),
            Type::Exp(t, a) => Type::Exp(self.read(t), self.access(*a)),
            Type::Acc(t) => Type::Acc(self.read(t)),
            Type::Comm => return head,
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
            Arg::Access(a) => Arg::Access(self.access(*a)),
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
