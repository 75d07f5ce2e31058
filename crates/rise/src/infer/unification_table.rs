//! The type-level variables of an item, rigid ones and unification variables, with the solutions of
//! the latter and their application to types.

use std::cell::Cell;
use std::sync::Arc;

use nat::{Nat, NatFun, Prop, Var};
use syntax::Span;
use syntax::ast::{Kind, Name};

use super::unify::Equation;
use crate::classes::Classes;
use crate::subst::subst;
use crate::types::{Access, Address, Arg, DataFun, Pi, SizeFun, Ty, Type};

/// The properties of a variable.
#[derive(Clone, Debug)]
pub(super) struct VarInfo {
    /// The variable's name, or its preferred name if it becomes a parameter.
    pub name: Name,
    pub kind: Kind,
    /// The number of enclosing binders of type-level names: a solution mentions no deeper variable.
    pub level: u32,
    pub state: State,
    /// For types, the classes that it is restricted to.
    pub classes: Classes,
    /// The binder of a rigid variable, or the term that introduced a unification variable.
    pub span: Span,
    /// The exclusive upper bound of the values, if there is one.
    pub range: Option<Nat>,
    /// The value as a function of an index with a range: `m * n^j` for the size that the function
    /// of `iterate` binds.
    pub values: Option<Nat>,
    /// Conditions that hold for the variable, because the type of the function that binds it states
    /// them.
    pub assumed: Arc<[Prop]>,
    /// True for a rigid type whose kind is the smallest one that its uses need: a use may restrict
    /// its classes.
    pub infers_kind: bool,
    /// True if the variable is bound inside the item's value and not along its type, so that
    /// conditions on it are quantified over it.
    pub inner: bool,
}

impl VarInfo {
    /// Creates the properties of a variable of this kind without further restrictions.
    pub fn new(name: Name, kind: Kind, level: u32, state: State, span: Span) -> VarInfo {
        VarInfo {
            name,
            kind,
            level,
            state,
            classes: Classes::of_kind(kind),
            span,
            range: None,
            values: None,
            assumed: Arc::default(),
            infers_kind: false,
            inner: false,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) enum State {
    Rigid,
    Open,
    /// The value, and the place of the term that determined it.
    Solved(Arg, Span),
}

/// The table of all variables of an item, with a trail for backtracking.
#[derive(Default)]
pub(super) struct UnificationTable {
    vars: Vec<VarInfo>,
    trail: Vec<(Var, VarInfo)>,
    open_snapshots: u32,
    /// The remaining number of nodes that the type being resolved may have.
    left: Cell<u32>,
    /// The remaining number of pairs of nodes that the types being unified may have.
    pairs_left: Cell<u32>,
    too_large: Cell<bool>,
}

/// The greatest number of nodes of a type, and of pairs of nodes in a unification, because types
/// can double with each use of a pair.
const MAX_TYPE_NODES: u32 = 4_000;

/// A position in the trail to backtrack to.
pub(super) struct Snapshot(usize);

impl UnificationTable {
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

    pub fn vars(&self) -> impl Iterator<Item = Var> + use<> {
        (0..self.vars.len() as u32).map(Var)
    }

    /// Returns a variable for modification; records its old state in the trail during an attempt.
    pub fn update(&mut self, var: Var) -> &mut VarInfo {
        if self.open_snapshots > 0 {
            self.trail.push((var, self.vars[var.0 as usize].clone()));
        }
        &mut self.vars[var.0 as usize]
    }

    pub fn snapshot(&mut self) -> Snapshot {
        self.open_snapshots += 1;
        Snapshot(self.trail.len())
    }

    pub fn commit(&mut self, _mark: Snapshot) {
        self.open_snapshots -= 1;
        if self.open_snapshots == 0 {
            self.trail.clear();
        }
    }

    pub fn rollback_to(&mut self, mark: Snapshot) {
        while self.trail.len() > mark.0 {
            if let Some((var, info)) = self.trail.pop() {
                self.vars[var.0 as usize] = info;
            }
        }
        self.open_snapshots -= 1;
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

    /// Returns the place where a solved variable was determined; `None` for other variables.
    pub fn solved_at(&self, var: Var) -> Option<Span> {
        match &self.info(var).state {
            State::Solved(_, at) => Some(*at),
            State::Rigid | State::Open => None,
        }
    }

    /// Returns true if the solution of the unification variable `x` may mention `other`, which is
    /// not bound deeper than `x`, or is an open variable.
    pub fn visible(&self, x: Var, other: Var) -> bool {
        match self.vars.get(other.0 as usize) {
            Some(info) => info.level <= self.info(x).level || matches!(info.state, State::Open),
            // The bound variable of a `sum` or a type-level function is never free in a solution.
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

    /// Returns the two sides of an equation, the expected and the found one, with the solutions
    /// applied.
    pub fn sides(&self, equation: &Equation) -> (Nat, Nat) {
        (self.nat(&equation.expected), self.nat(&equation.found))
    }

    /// Applies `fun` to a size.
    pub fn apply_size_fun(&self, fun: &SizeFun, arg: &Nat) -> Nat {
        match self.size_fun(fun) {
            SizeFun::Var(var) => Nat::apply(var, arg),
            SizeFun::Lambda(lambda) => lambda.apply(arg),
        }
    }

    pub fn data_fun(&self, fun: &DataFun) -> DataFun {
        self.left.set(MAX_TYPE_NODES);
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

    /// Applies `fun` to a size.
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

    /// Resolves the head of a type: applies the solutions until it is neither a solved variable nor
    /// an application of one.
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

    /// Applies the solutions to a whole type; parts beyond the size limit become the error type.
    pub fn ty(&self, ty: &Ty) -> Ty {
        self.left.set(MAX_TYPE_NODES);
        self.read(ty)
    }

    /// Starts the count of pairs for the unification of two types.
    pub fn begin_unify(&self) {
        self.pairs_left.set(MAX_TYPE_NODES);
    }

    /// Counts a pair of nodes that is unified; at the limit it returns false and marks the types as
    /// too large. Types with shared parts can have exponentially many nodes.
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

    /// Returns true if a type that was resolved or unified since the last call of this method was
    /// too large.
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
