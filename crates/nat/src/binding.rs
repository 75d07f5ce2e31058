//! Variables and their binders: free variables, substitution, functions of sizes, and sums over an
//! index.
//!
//! A substitution normalises the operations whose operands change, and the normal form of a sum
//! over an index moves factors out of its binder, so both are in this module.

use crate::arith::{collect, plain_mul};
use crate::repr::{Atom, Factor, Mono, Nat, Op, Repr, Term, Var};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};

/// A function from sizes to sizes, `natFun(param => body)`. Functions are equal if their bodies
/// have the same normal form after renaming the parameter.
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

/// A bottom-up transformation of sizes; `var`, `bound` and `op` return `None` to keep a part.
/// `depth` is the number of sums over an index whose bodies contain the part.
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
    /// Transforms an operation whose operands are already transformed; `changed` is true if one of
    /// them was replaced.
    fn op(&mut self, op: Op, changed: bool, _depth: u32) -> Option<Nat> {
        changed.then(|| build(op))
    }
    /// Returns true if nothing in the atom can change, so that it is kept without a visit.
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

/// A mapper that adds this number to the free de Bruijn indices.
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

/// Removes the innermost binder around a size, in which its index does not occur: decrements the
/// free de Bruijn indices.
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

    /// Returns true if `var` occurs free, also as a function variable.
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

    /// Returns true if `test` accepts at least one free variable, function variables included.
    pub fn any_var(&self, test: &dyn Fn(Var) -> bool) -> bool {
        let mut found = false;
        self.for_each_var(&mut |v| found = found || test(v));
        found
    }

    /// Replaces each variable for which `map` returns a size by this size, without capture by sums.
    /// Function variables stay.
    pub fn subst(&self, map: &dyn Fn(Var) -> Option<Nat>) -> Nat {
        match &self.0 {
            Repr::Const(_) => self.clone(),
            Repr::Var(var) => map(*var).unwrap_or_else(|| self.clone()),
            Repr::Poly(_) => self.map(&mut Subst(map)),
        }
    }

    /// Replaces each application of a function variable for which `map` returns a function by the
    /// result of this function.
    pub fn subst_fun(&self, map: &dyn Fn(Var) -> Option<NatFun>) -> Nat {
        match &self.0 {
            Repr::Const(_) | Repr::Var(_) => self.clone(),
            Repr::Poly(_) => self.map(&mut SubstFun(map)),
        }
    }

    /// Replaces each function variable for which `map` returns a variable by this variable.
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

    /// Binds `var`: replaces it by the de Bruijn index of a new innermost binder, and increments
    /// the other free indices.
    pub(crate) fn close(&self, var: Var) -> Nat {
        self.map(&mut Close(var))
    }

    /// Instantiates the innermost binder: replaces its de Bruijn index by `arg`, and decrements the
    /// other free indices.
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

/// Maps a size; `None` if the mapper keeps all parts.
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
    /// Returns the operation with other operands; `None` if there are too few.
    pub(crate) fn with(&self, operands: &mut dyn Iterator<Item = Nat>) -> Option<Op> {
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
            Op::TooBig { fingerprint, .. } => Op::TooBig {
                fingerprint: *fingerprint,
                args: operands.collect(),
            },
        })
    }
}

/// Makes the size of an operation with these operands, in normal form.
pub(crate) fn build(op: Op) -> Nat {
    match op {
        Op::Div(a, b) => Nat::div(&a, &b),
        Op::Mod(a, b) => Nat::rem(&a, &b),
        Op::Pow(a, b) => Nat::pow(&a, &b),
        Op::Min(all) => all
            .iter()
            .skip(1)
            .fold(all[0].clone(), |m, n| Nat::min(&m, n)),
        Op::Max(all) => all
            .iter()
            .skip(1)
            .fold(all[0].clone(), |m, n| Nat::max(&m, n)),
        Op::Log2(a) => Nat::log2(&a),
        Op::Sum { from, to, body } => sum_of(&from, &to, &body),
        Op::App(fun, arg) => Nat::apply(fun, &arg),
        Op::BigAdd(a, b) => Nat::add(&a, &b),
        Op::BigMul(a, b) => plain_mul(&a, &b),
        Op::TooBig { .. } => op.nat(),
    }
}

/// The greatest length of a sum over an index that is unrolled.
const MAX_UNROLLED: i64 = 32;

impl Nat {
    /// Computes the sum of `body` over `from <= var < to`; it is 0 if the range is empty.
    pub fn sum(var: Var, from: &Nat, to: &Nat, body: &Nat) -> Nat {
        sum_of(from, to, &body.close(var))
    }
}

/// Computes the sum of `body` over `from <= index < to`, where the index is `Bound(0)` in the body.
pub(crate) fn sum_of(from: &Nat, to: &Nat, body: &Nat) -> Nat {
    if body.is_zero() || from == to {
        return Nat::ZERO;
    }
    let length = Nat::sub(to, from);
    if (-&length).is_plainly_nonneg() {
        return Nat::ZERO;
    }
    if let Some(written) = unrolled(from, &length, body) {
        return written;
    }
    let closed = length.is_plainly_nonneg();
    let nonempty = (&length - 1).is_plainly_nonneg();
    // Terms with the same power of the index are summed together.
    let mut total = Nat::ZERO;
    let mut powers: [Vec<Term>; 4] = Default::default();
    for term in body.terms().iter() {
        let (outside, inside) = split(&term.mono, nonempty);
        let part = Nat::from_term(outside, term.coeff);
        match power_of_index(&inside) {
            Some(power) if closed => powers[power].extend(part.terms().iter().cloned()),
            _ => {
                let op = Op::Sum {
                    from: from.clone(),
                    to: to.clone(),
                    body: Nat::from_term(inside, 1),
                };
                total = Nat::add(&total, &plain_mul(&unshift(&part), &op.nat()));
            }
        }
    }
    for (power, terms) in powers.into_iter().enumerate() {
        if let Some(part) = collect(terms).filter(|p| !p.is_zero()) {
            let sum = Nat::sub(&power_sum(power, to), &power_sum(power, from));
            let all = Nat::div(
                &Nat::mul(&unshift(&part), &sum),
                &Nat::constant(DIVISORS[power]),
            );
            total = Nat::add(&total, &all);
        }
    }
    total
}

/// Unrolls a sum of constant length; `None` if the length is no constant or exceeds
/// [`MAX_UNROLLED`].
fn unrolled(from: &Nat, length: &Nat, body: &Nat) -> Option<Nat> {
    let length = length.as_const().filter(|n| *n <= MAX_UNROLLED)?;
    let all = (0..length).fold(Nat::ZERO, |all, step| {
        Nat::add(&all, &body.open(&Nat::add(from, &Nat::constant(step))))
    });
    Some(all)
}

/// Splits a product into the factors that move out of the sum and those that stay in it. The
/// factors with the index stay, and, unless the sum is `nonempty`, the factors that may be
/// undefined, because an empty sum does not evaluate them.
fn split(mono: &Mono, nonempty: bool) -> (Mono, Mono) {
    let (mut outside, mut inside) = (Mono::one(), Mono::one());
    for factor in &mono.0 {
        let stays = has_index(&factor.atom, 0) || !(nonempty || has_value(&factor.atom));
        let side = if stays { &mut inside } else { &mut outside };
        side.0.push(factor.clone());
    }
    (outside, inside)
}

/// Returns true if the form of the atom shows that it is defined for all values of its variables;
/// size functions count as defined for all arguments.
fn has_value(atom: &Atom) -> bool {
    let Some(op) = atom.op() else { return true };
    let parts = op.operands().iter().all(|nat| {
        nat.terms()
            .iter()
            .flat_map(|t| &t.mono.0)
            .all(|f| has_value(&f.atom))
    });
    parts
        && match op {
            Op::Div(_, b) | Op::Mod(_, b) => (b - 1).is_plainly_nonneg(),
            Op::Pow(_, e) => e.is_plainly_nonneg(),
            Op::Log2(a) => (a - 1).is_plainly_nonneg(),
            Op::TooBig { .. } => false,
            _ => true,
        }
}

fn has_index(atom: &Atom, depth: u32) -> bool {
    match atom {
        Atom::Var(_) => false,
        Atom::Bound(index) => *index == depth,
        Atom::Node(node) => {
            let operands = node.op.operands();
            let last = operands.len().wrapping_sub(1);
            let sum = matches!(node.op, Op::Sum { .. });
            operands.iter().enumerate().any(|(at, nat)| {
                let depth = depth + u32::from(sum && at == last);
                nat.terms()
                    .iter()
                    .flat_map(|t| &t.mono.0)
                    .any(|f| has_index(&f.atom, depth))
            })
        }
    }
}

fn power_of_index(mono: &Mono) -> Option<usize> {
    match mono.0.as_slice() {
        [] => Some(0),
        [
            Factor {
                atom: Atom::Bound(0),
                exp: exp @ 1..=3,
            },
        ] => Some(*exp as usize),
        _ => None,
    }
}

const DIVISORS: [i64; 4] = [1, 2, 6, 4];

/// Computes `DIVISORS[power]` times the sum of `i^power` over `0 <= i < n`.
fn power_sum(power: usize, n: &Nat) -> Nat {
    let below = n - 1;
    let product = n * &below;
    match power {
        0 => n.clone(),
        1 => product,
        2 => product * (n + &below),
        _ => &product * &product,
    }
}
