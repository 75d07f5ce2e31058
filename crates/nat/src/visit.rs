//! Traversals of sizes: free variables, substitution, and functions of sizes.

use crate::arith::plain_mul;
use crate::functions::build;
use crate::repr::{Atom, Nat, Op, Repr, Var};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};

/// A function from sizes to sizes, `natFun(param => body)`. Equality is alpha-equivalence.
#[derive(Clone, Debug)]
pub struct NatFun {
    /// The parameter.
    pub param: Var,
    /// The result as a size over the parameter.
    pub body: Nat,
}

impl NatFun {
    /// Applies the function to `arg`.
    pub fn apply(&self, arg: &Nat) -> Nat {
        if self.body.as_var() == Some(self.param) {
            return arg.clone();
        }
        self.body
            .map(&mut Subst(&|v| (v == self.param).then(|| arg.clone())))
    }

    /// Returns the body with the parameter as a de Bruijn index.
    fn abstracted(&self) -> Nat {
        self.body.close(self.param)
    }
}

impl PartialEq for NatFun {
    fn eq(&self, other: &NatFun) -> bool {
        if self.param == other.param {
            self.body == other.body
        } else {
            self.abstracted() == other.abstracted()
        }
    }
}

impl Eq for NatFun {}

impl Hash for NatFun {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.abstracted().hash(state);
    }
}

/// A bottom-up transformation of sizes; a method returns `None` to keep a part. `depth` is the
/// number of enclosing sums.
pub(crate) trait Mapper {
    fn var(&mut self, _var: Var, _depth: u32) -> Option<Nat> {
        None
    }
    fn bound(&mut self, _index: u32, _depth: u32) -> Option<Nat> {
        None
    }
    /// Returns true if `op` is called for the operation even if no operand changed.
    fn wants(&self, _op: &Op) -> bool {
        false
    }
    /// Transforms an operation after its operands; `changed` is true if one of them is new.
    fn op(&mut self, op: Op, changed: bool, _depth: u32) -> Option<Nat> {
        changed.then(|| build(op))
    }
    /// Returns true if nothing in the atom can change, so that it is skipped.
    fn skips(&self, _atom: &Atom, _depth: u32) -> bool {
        false
    }
}

struct Subst<'a>(&'a dyn Fn(Var) -> Option<Nat>);

impl Mapper for Subst<'_> {
    fn var(&mut self, var: Var, depth: u32) -> Option<Nat> {
        Some(shift((self.0)(var)?, depth))
    }
}

struct SubstFun<'a>(&'a dyn Fn(Var) -> Option<NatFun>);

impl Mapper for SubstFun<'_> {
    fn wants(&self, op: &Op) -> bool {
        matches!(op, Op::App(..))
    }
    fn op(&mut self, op: Op, changed: bool, depth: u32) -> Option<Nat> {
        if let Op::App(fun, arg) = &op
            && let Some(NatFun { param, body }) = (self.0)(*fun)
        {
            return Some(
                NatFun {
                    param,
                    body: shift(body, depth),
                }
                .apply(arg),
            );
        }
        changed.then(|| build(op))
    }
}

/// Adds `by` to the free de Bruijn indices.
struct Shift(i64);

impl Mapper for Shift {
    fn bound(&mut self, index: u32, depth: u32) -> Option<Nat> {
        if index < depth {
            return None;
        }
        let moved = u32::try_from(i64::from(index) + self.0).ok()?;
        Some(Atom::Bound(moved).nat())
    }
    fn skips(&self, atom: &Atom, depth: u32) -> bool {
        atom.measure().loose <= depth
    }
}

pub(crate) fn shift(nat: Nat, by: u32) -> Nat {
    if by == 0 || nat.measure().loose == 0 {
        nat
    } else {
        nat.map(&mut Shift(i64::from(by)))
    }
}

/// Removes a binder whose index does not occur.
pub(crate) fn unshift(nat: &Nat) -> Nat {
    if nat.measure().loose == 0 {
        nat.clone()
    } else {
        nat.map(&mut Shift(-1))
    }
}

struct Close(Var);

impl Mapper for Close {
    fn var(&mut self, var: Var, depth: u32) -> Option<Nat> {
        (var == self.0).then(|| Atom::Bound(depth).nat())
    }
    fn bound(&mut self, index: u32, depth: u32) -> Option<Nat> {
        (index >= depth).then(|| Atom::Bound(index + 1).nat())
    }
}

struct Open<'a>(&'a Nat);

impl Mapper for Open<'_> {
    fn bound(&mut self, index: u32, depth: u32) -> Option<Nat> {
        match index.cmp(&depth) {
            std::cmp::Ordering::Less => None,
            std::cmp::Ordering::Equal => Some(shift(self.0.clone(), depth)),
            std::cmp::Ordering::Greater => Some(Atom::Bound(index - 1).nat()),
        }
    }
    fn skips(&self, atom: &Atom, depth: u32) -> bool {
        atom.measure().loose <= depth
    }
}

impl Nat {
    /// Calls `visit` with each free variable, function variables included, once for each
    /// occurrence.
    pub fn for_each_var(&self, visit: &mut dyn FnMut(Var)) {
        match &self.0 {
            Repr::Const(_) => {}
            Repr::Var(var) => visit(*var),
            Repr::Poly(terms) => {
                for factor in terms.iter().flat_map(|t| &t.mono.0) {
                    match &factor.atom {
                        Atom::Var(var) => visit(*var),
                        Atom::Bound(_) => {}
                        Atom::Node(node) => {
                            if let Op::App(fun, _) = node.op {
                                visit(fun);
                            }
                            node.op
                                .operands()
                                .iter()
                                .for_each(|n| n.for_each_var(visit));
                        }
                    }
                }
            }
        }
    }

    /// Returns `(f, n)` if the size is the application `f(n)` of a function variable.
    pub fn as_apply(&self) -> Option<(Var, Nat)> {
        match self.as_atom()?.op()? {
            Op::App(fun, arg) => Some((*fun, arg.clone())),
            _ => None,
        }
    }

    /// Returns true if `var` occurs free.
    pub fn mentions(&self, var: Var) -> bool {
        match &self.0 {
            Repr::Const(_) => false,
            Repr::Var(this) => *this == var,
            Repr::Poly(_) => {
                let mut found = false;
                self.for_each_var(&mut |v| found |= v == var);
                found
            }
        }
    }

    /// Returns true if `test` accepts a free variable.
    pub fn any_var(&self, test: &dyn Fn(Var) -> bool) -> bool {
        let mut found = false;
        self.for_each_var(&mut |v| found = found || test(v));
        found
    }

    /// Substitutes sizes for variables; indices of sums are not captured.
    pub fn subst(&self, map: &dyn Fn(Var) -> Option<Nat>) -> Nat {
        match &self.0 {
            Repr::Const(_) => self.clone(),
            Repr::Var(var) => map(*var).unwrap_or_else(|| self.clone()),
            Repr::Poly(_) => self.map(&mut Subst(map)),
        }
    }

    /// Substitutes functions for function variables.
    pub fn subst_fun(&self, map: &dyn Fn(Var) -> Option<NatFun>) -> Nat {
        match &self.0 {
            Repr::Const(_) | Repr::Var(_) => self.clone(),
            Repr::Poly(_) => self.map(&mut SubstFun(map)),
        }
    }

    /// Renames function variables.
    pub fn rename_fun(&self, map: &dyn Fn(Var) -> Option<Var>) -> Nat {
        struct Rename<'a>(&'a dyn Fn(Var) -> Option<Var>);
        impl Mapper for Rename<'_> {
            fn wants(&self, op: &Op) -> bool {
                matches!(op, Op::App(..))
            }
            fn op(&mut self, op: Op, changed: bool, _depth: u32) -> Option<Nat> {
                match op {
                    Op::App(fun, arg) => match (self.0)(fun) {
                        Some(new) => Some(Nat::apply(new, &arg)),
                        None => changed.then(|| Nat::apply(fun, &arg)),
                    },
                    op => changed.then(|| build(op)),
                }
            }
        }
        match &self.0 {
            Repr::Const(_) | Repr::Var(_) => self.clone(),
            Repr::Poly(_) => self.map(&mut Rename(map)),
        }
    }

    /// Binds `var`: replaces it by the de Bruijn index of a new binder.
    pub(crate) fn close(&self, var: Var) -> Nat {
        self.map(&mut Close(var))
    }

    /// Instantiates a binder: replaces its de Bruijn index by `arg`.
    pub(crate) fn open(&self, arg: &Nat) -> Nat {
        if self.measure().loose == 0 {
            self.clone()
        } else {
            self.map(&mut Open(arg))
        }
    }

    pub(crate) fn map(&self, mapper: &mut dyn Mapper) -> Nat {
        map_nat(self, mapper, 0).unwrap_or_else(|| self.clone())
    }
}

/// Maps a size; `None` if nothing changes.
fn map_nat(nat: &Nat, mapper: &mut dyn Mapper, depth: u32) -> Option<Nat> {
    let terms = match &nat.0 {
        Repr::Const(_) => return None,
        Repr::Var(var) => return mapper.var(*var, depth),
        Repr::Poly(terms) => terms,
    };
    let mut changed: SmallVec<[(usize, Nat); 4]> = SmallVec::new();
    for (at, term) in terms.iter().enumerate() {
        let new: SmallVec<[Option<Nat>; 4]> = term
            .mono
            .0
            .iter()
            .map(|f| map_atom(&f.atom, mapper, depth))
            .collect();
        if new.iter().all(Option::is_none) {
            continue;
        }
        let mut product = Nat::constant(term.coeff);
        for (factor, new) in term.mono.0.iter().zip(new) {
            let base = new.unwrap_or_else(|| factor.atom.clone().nat());
            let factor = match factor.exp {
                1 => base,
                exp => Nat::pow(&base, &Nat::constant(i64::from(exp))),
            };
            product = plain_mul(&product, &factor);
        }
        changed.push((at, product));
    }
    if changed.is_empty() {
        return None;
    }
    let is_kept = |at: &usize| changed.iter().all(|(other, _)| other != at);
    let kept = (0..terms.len()).filter(is_kept);
    let kept = Nat::from_sorted(kept.map(|at| terms[at].clone()).collect());
    let add = |sum: Nat, (_, part): &(usize, Nat)| Nat::add(&sum, part);
    Some(changed.iter().fold(kept, add))
}

fn map_atom(atom: &Atom, mapper: &mut dyn Mapper, depth: u32) -> Option<Nat> {
    if mapper.skips(atom, depth) {
        return None;
    }
    let node = match atom {
        Atom::Var(var) => return mapper.var(*var, depth),
        Atom::Bound(index) => return mapper.bound(*index, depth),
        Atom::Node(node) => node,
    };
    let inside = |at: usize| depth + u32::from(at == 2 && matches!(node.op, Op::Sum { .. }));
    let operands = node.op.operands();
    let mut new: SmallVec<[Option<Nat>; 3]> = SmallVec::new();
    for (at, operand) in operands.iter().enumerate() {
        new.push(map_nat(operand, mapper, inside(at)));
    }
    let changed = new.iter().any(Option::is_some);
    if !changed && !mapper.wants(&node.op) {
        return None;
    }
    let mut all = operands
        .iter()
        .zip(new)
        .map(|(old, new)| new.unwrap_or_else(|| (*old).clone()));
    mapper.op(node.op.with(&mut all)?, changed, depth)
}

impl Op {
    /// Replaces the operands by as many others.
    fn with(&self, operands: &mut dyn Iterator<Item = Nat>) -> Option<Op> {
        let mut next = || operands.next();
        Some(match self {
            Op::Div(..) => Op::Div(next()?, next()?),
            Op::Mod(..) => Op::Mod(next()?, next()?),
            Op::Pow(..) => Op::Pow(next()?, next()?),
            Op::Min(_) => Op::Min(operands.collect()),
            Op::Max(_) => Op::Max(operands.collect()),
            Op::Log2(_) => Op::Log2(next()?),
            Op::Sum { .. } => Op::Sum {
                from: next()?,
                to: next()?,
                body: next()?,
            },
            Op::App(fun, _) => Op::App(*fun, next()?),
            Op::BigAdd(..) => Op::BigAdd(next()?, next()?),
            Op::BigMul(..) => Op::BigMul(next()?, next()?),
            Op::TooBig => Op::TooBig,
        })
    }
}
