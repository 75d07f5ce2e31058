//! The representation of sizes as polynomials over atoms, and the limits of their depth, weight and
//! number of terms.

use smallvec::SmallVec;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// A variable, identified by its number; only the caller knows its name. Numbers from `2^31` on are
/// reserved for this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(pub u32);

/// A size in normal form.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nat(pub(crate) Repr);

/// The representation of a size. Constants and single variables need no allocation; a `Poly` is
/// never one of these.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum Repr {
    Const(i64),
    Var(Var),
    Poly(Arc<[Term]>),
}

/// The product `coeff * mono`; the coefficient is not 0.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Term {
    pub mono: Mono,
    pub coeff: i64,
}

/// A product of powers of atoms, sorted by atom; the empty product is 1.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Mono(pub SmallVec<[Factor; 2]>);

/// The power `atom ^ exp` with `exp >= 1`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Factor {
    pub atom: Atom,
    pub exp: u32,
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum Atom {
    Var(Var),
    /// The index of an enclosing sum, as a de Bruijn index.
    Bound(u32),
    Node(Arc<Node>),
}

/// An operation with the measures of its expression. The limits of the measures bound the recursion
/// over expressions.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Node {
    pub measure: Measure,
    pub op: Op,
}

// Shared nodes are compared by address first, which derived implementations do not do.

impl Ord for Atom {
    fn cmp(&self, other: &Atom) -> Ordering {
        match (self, other) {
            (Atom::Var(a), Atom::Var(b)) => a.cmp(b),
            (Atom::Var(_), _) => Ordering::Less,
            (_, Atom::Var(_)) => Ordering::Greater,
            (Atom::Bound(a), Atom::Bound(b)) => a.cmp(b),
            (Atom::Bound(_), _) => Ordering::Less,
            (_, Atom::Bound(_)) => Ordering::Greater,
            (Atom::Node(a), Atom::Node(b)) if Arc::ptr_eq(a, b) => Ordering::Equal,
            (Atom::Node(a), Atom::Node(b)) => a.cmp(b),
        }
    }
}

impl PartialOrd for Atom {
    fn partial_cmp(&self, other: &Atom) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Repr {
    fn cmp(&self, other: &Repr) -> Ordering {
        match (self, other) {
            (Repr::Const(a), Repr::Const(b)) => a.cmp(b),
            (Repr::Const(_), _) => Ordering::Less,
            (_, Repr::Const(_)) => Ordering::Greater,
            (Repr::Var(a), Repr::Var(b)) => a.cmp(b),
            (Repr::Var(_), _) => Ordering::Less,
            (_, Repr::Var(_)) => Ordering::Greater,
            (Repr::Poly(a), Repr::Poly(b)) if Arc::ptr_eq(a, b) => Ordering::Equal,
            (Repr::Poly(a), Repr::Poly(b)) => a.cmp(b),
        }
    }
}

impl PartialOrd for Repr {
    fn partial_cmp(&self, other: &Repr) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Measures of an expression that are stored to avoid traversals.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Measure {
    /// The greatest number of operations nested in each other; 0 without operations.
    pub depth: u32,
    /// The number of occurrences of atoms, including those in operands, plus 1 for each operand
    /// that is a constant. A factor counts once, whatever its numeric exponent; the weight of a
    /// constant is 1.
    pub weight: u32,
    /// One more than the largest de Bruijn index that is free; 0 for none.
    pub loose: u32,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Op {
    Div(Nat, Nat),
    Mod(Nat, Nat),
    Pow(Nat, Nat),
    /// The minimum of at least two members, which are sorted.
    Min(Vec<Nat>),
    /// The maximum of at least two members, which are sorted.
    Max(Vec<Nat>),
    Log2(Nat),
    /// The sum of `body` over `from <= index < to`; the index is `Bound(0)` in the body.
    Sum {
        from: Nat,
        to: Nat,
        body: Nat,
    },
    App(Var, Nat),
    /// A sum that is not computed as a polynomial, because of an overflow or too many terms.
    BigAdd(Nat, Nat),
    /// A product that is not computed as a polynomial, because of an overflow or too many terms.
    BigMul(Nat, Nat),
    /// The replacement of an operation beyond [`MAX_DEPTH`] or [`MAX_WEIGHT`]. It is an application
    /// of a function that is unknown apart from its fingerprint, which is a hash of the replaced
    /// operation, to the free atoms of this operation. Operations that differ, or whose variables
    /// have different values, therefore stay different. Its value is undefined.
    TooBig {
        fingerprint: u64,
        args: Vec<Nat>,
    },
}

/// The greatest [`Measure::depth`] of an operation; a deeper one is replaced by [`Op::TooBig`].
const MAX_DEPTH: u32 = 100;
/// The greatest [`Measure::weight`] of an operation; a heavier one is replaced by [`Op::TooBig`].
const MAX_WEIGHT: u32 = 50_000;
/// The greatest number of terms of a sum, and of products of two terms in a product, that are
/// computed as a polynomial; beyond it the operation stays an atom.
pub(crate) const MAX_TERMS: usize = 1_000;

impl Mono {
    pub fn one() -> Mono {
        Mono::default()
    }

    pub fn atom(atom: Atom) -> Mono {
        let mut factors = SmallVec::new();
        factors.push(Factor { atom, exp: 1 });
        Mono(factors)
    }

    pub fn is_one(&self) -> bool {
        self.0.is_empty()
    }

    pub fn degree(&self) -> u64 {
        self.0.iter().map(|f| u64::from(f.exp)).sum()
    }

    /// The order of the terms of a polynomial: by degree, then by factors, largest first (a graded
    /// lexicographic monomial order). It is compatible with multiplication, which exact division
    /// requires.
    pub fn order(&self, other: &Mono) -> Ordering {
        other.degree().cmp(&self.degree()).then_with(|| {
            for (a, b) in self.0.iter().zip(&other.0) {
                let by = a.atom.cmp(&b.atom).then_with(|| b.exp.cmp(&a.exp));
                if by != Ordering::Equal {
                    return by;
                }
            }
            other.0.len().cmp(&self.0.len())
        })
    }

    /// Computes the product, without normalising symbolic powers; `None` if an exponent overflows.
    pub fn times(&self, other: &Mono) -> Option<Mono> {
        if other.is_one() {
            return Some(self.clone());
        }
        if self.is_one() {
            return Some(other.clone());
        }
        let mut out = SmallVec::with_capacity(self.0.len() + other.0.len());
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        loop {
            let next = match (left.peek(), right.peek()) {
                (Some(a), Some(b)) => match a.atom.cmp(&b.atom) {
                    Ordering::Less => left.next().cloned(),
                    Ordering::Greater => right.next().cloned(),
                    Ordering::Equal => {
                        let exp = a.exp.checked_add(b.exp)?;
                        right.next();
                        left.next().map(|f| Factor {
                            atom: f.atom.clone(),
                            exp,
                        })
                    }
                },
                (Some(_), None) => left.next().cloned(),
                (None, _) => right.next().cloned(),
            };
            match next {
                Some(factor) => out.push(factor),
                None => return Some(Mono(out)),
            }
        }
    }

    /// Computes `self / other`; `None` if `other` does not divide `self`.
    pub fn over(&self, other: &Mono) -> Option<Mono> {
        let mut out = SmallVec::new();
        let mut rest = other.0.iter().peekable();
        for factor in &self.0 {
            match rest.peek() {
                Some(by) if by.atom == factor.atom => {
                    let exp = factor.exp.checked_sub(by.exp)?;
                    if exp > 0 {
                        out.push(Factor {
                            atom: factor.atom.clone(),
                            exp,
                        });
                    }
                    rest.next();
                }
                _ => out.push(factor.clone()),
            }
        }
        rest.next().is_none().then_some(Mono(out))
    }

    /// Computes the largest product of atoms that divides both products.
    pub fn common(&self, other: &Mono) -> Mono {
        let mut out = SmallVec::new();
        for a in &self.0 {
            if let Some(b) = other.0.iter().find(|b| b.atom == a.atom) {
                out.push(Factor {
                    atom: a.atom.clone(),
                    exp: a.exp.min(b.exp),
                });
            }
        }
        Mono(out)
    }

    /// Returns true if the atom of a factor is an operation that `test` accepts; operands are not
    /// searched.
    pub fn any_op(&self, test: fn(&Op) -> bool) -> bool {
        self.0.iter().any(|f| f.atom.op().is_some_and(test))
    }
}

impl Atom {
    pub fn op(&self) -> Option<&Op> {
        match self {
            Atom::Node(node) => Some(&node.op),
            _ => None,
        }
    }

    pub fn measure(&self) -> Measure {
        match self {
            Atom::Var(_) => Measure {
                depth: 0,
                weight: 1,
                loose: 0,
            },
            Atom::Bound(index) => Measure {
                depth: 0,
                weight: 1,
                loose: index + 1,
            },
            Atom::Node(node) => node.measure,
        }
    }

    pub fn nat(self) -> Nat {
        match self {
            Atom::Var(var) => Nat::var(var),
            atom => Nat(Repr::Poly(Arc::new([Term {
                mono: Mono::atom(atom),
                coeff: 1,
            }]))),
        }
    }
}

impl Measure {
    fn and(self, other: Measure) -> Measure {
        Measure {
            depth: self.depth.max(other.depth),
            weight: self.weight.saturating_add(other.weight),
            loose: self.loose.max(other.loose),
        }
    }
}

impl Op {
    /// Returns the operands; for a sum the body is last, under one binder.
    pub fn operands(&self) -> SmallVec<[&Nat; 3]> {
        let mut out = SmallVec::new();
        match self {
            Op::Div(a, b) | Op::Mod(a, b) | Op::Pow(a, b) | Op::BigAdd(a, b) | Op::BigMul(a, b) => {
                out.push(a);
                out.push(b);
            }
            Op::Min(all) | Op::Max(all) | Op::TooBig { args: all, .. } => out.extend(all.iter()),
            Op::Log2(a) | Op::App(_, a) => out.push(a),
            Op::Sum { from, to, body } => out.extend([from, to, body]),
        }
        out
    }

    fn measure(&self) -> Measure {
        let operands = self.operands();
        let last = operands.len().wrapping_sub(1);
        let mut all = Measure {
            depth: 0,
            weight: 1,
            loose: 0,
        };
        for (at, operand) in operands.iter().enumerate() {
            let mut measure = operand.measure();
            if at == last && matches!(self, Op::Sum { .. }) {
                measure.loose = measure.loose.saturating_sub(1);
            }
            all = all.and(measure);
        }
        all.depth += 1;
        all
    }

    /// Makes an atom of the operation without simplification, or of [`Op::TooBig`] if the operation
    /// exceeds the limits.
    pub fn atom(self) -> Atom {
        let measure = self.measure();
        if measure.depth > MAX_DEPTH || measure.weight > MAX_WEIGHT {
            let op = self.too_big();
            return Atom::Node(Arc::new(Node {
                measure: op.measure(),
                op,
            }));
        }
        Atom::Node(Arc::new(Node { op: self, measure }))
    }

    /// Replaces the operation by an [`Op::TooBig`].
    #[cold]
    fn too_big(&self) -> Op {
        let mut atoms = BTreeSet::new();
        self.free_atoms(0, &mut atoms);
        // The hasher has no random keys, so that equal operations have equal fingerprints.
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        Op::TooBig {
            fingerprint: hasher.finish(),
            args: atoms.into_iter().map(Atom::nat).collect(),
        }
    }

    /// Collects the free variables and indices below `depth` binders. A function variable is
    /// represented by its value for an unknown size, which is different for different functions.
    fn free_atoms(&self, depth: u32, out: &mut BTreeSet<Atom>) {
        if let Op::App(fun, _) = self {
            let unknown = Op::TooBig {
                fingerprint: 0,
                args: Vec::new(),
            };
            out.insert(Op::App(*fun, unknown.nat()).atom());
        }
        let operands = self.operands();
        let last = operands.len().wrapping_sub(1);
        for (at, operand) in operands.iter().enumerate() {
            let binds = at == last && matches!(self, Op::Sum { .. });
            let depth = depth + u32::from(binds);
            for factor in operand.terms().iter().flat_map(|t| &t.mono.0) {
                match &factor.atom {
                    Atom::Var(_) => {
                        out.insert(factor.atom.clone());
                    }
                    Atom::Bound(index) => {
                        out.extend(index.checked_sub(depth).map(Atom::Bound));
                    }
                    Atom::Node(node) => node.op.free_atoms(depth, out),
                }
            }
        }
    }

    /// Makes a size of the operation without simplification, or of [`Op::TooBig`] if the operation
    /// exceeds the limits.
    pub fn nat(self) -> Nat {
        self.atom().nat()
    }
}

/// The terms of a size in the order [`Mono::order`]; those of constants and variables need no
/// allocation.
pub(crate) enum Terms<'a> {
    None,
    One([Term; 1]),
    Many(&'a [Term]),
}

impl Deref for Terms<'_> {
    type Target = [Term];
    fn deref(&self) -> &[Term] {
        match self {
            Terms::None => &[],
            Terms::One(one) => one,
            Terms::Many(many) => many,
        }
    }
}

impl Nat {
    /// The size 0.
    pub const ZERO: Nat = Nat(Repr::Const(0));
    /// The size 1.
    pub const ONE: Nat = Nat(Repr::Const(1));

    /// Makes a constant.
    pub const fn constant(value: i64) -> Nat {
        Nat(Repr::Const(value))
    }

    /// Makes a variable.
    pub const fn var(var: Var) -> Nat {
        Nat(Repr::Var(var))
    }

    /// Returns the value if the size is a constant, otherwise `None`.
    pub fn as_const(&self) -> Option<i64> {
        match self.0 {
            Repr::Const(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the variable if the size is a single variable, without a coefficient or an exponent.
    pub fn as_var(&self) -> Option<Var> {
        match self.0 {
            Repr::Var(var) => Some(var),
            _ => None,
        }
    }

    /// Returns true if the size is the constant 0.
    pub fn is_zero(&self) -> bool {
        self.as_const() == Some(0)
    }

    /// Returns true if the size is the constant 1.
    pub fn is_one(&self) -> bool {
        self.as_const() == Some(1)
    }

    pub(crate) fn terms(&self) -> Terms<'_> {
        match &self.0 {
            Repr::Const(0) => Terms::None,
            Repr::Const(value) => Terms::One([Term {
                mono: Mono::one(),
                coeff: *value,
            }]),
            Repr::Var(var) => Terms::One([Term {
                mono: Mono::atom(Atom::Var(*var)),
                coeff: 1,
            }]),
            Repr::Poly(terms) => Terms::Many(terms),
        }
    }

    /// Makes a size of terms that are sorted, have different products of atoms and have no
    /// coefficient 0.
    pub(crate) fn from_sorted(terms: Vec<Term>) -> Nat {
        match terms.as_slice() {
            [] => Nat::ZERO,
            [Term { mono, coeff }] if mono.is_one() => Nat::constant(*coeff),
            [Term { mono, coeff: 1 }] => match mono.0.as_slice() {
                [
                    Factor {
                        atom: Atom::Var(var),
                        exp: 1,
                    },
                ] => Nat::var(*var),
                _ => Nat(Repr::Poly(terms.into())),
            },
            _ => Nat(Repr::Poly(terms.into())),
        }
    }

    pub(crate) fn from_term(mono: Mono, coeff: i64) -> Nat {
        if coeff == 0 {
            Nat::ZERO
        } else {
            Nat::from_sorted(vec![Term { mono, coeff }])
        }
    }

    /// Returns the atom if the size is a single atom, without a coefficient or an exponent.
    pub(crate) fn as_atom(&self) -> Option<Atom> {
        match &self.0 {
            Repr::Const(_) => None,
            Repr::Var(var) => Some(Atom::Var(*var)),
            Repr::Poly(terms) => match &**terms {
                [Term { mono, coeff: 1 }] => match mono.0.as_slice() {
                    [Factor { atom, exp: 1 }] => Some(atom.clone()),
                    _ => None,
                },
                _ => None,
            },
        }
    }

    pub(crate) fn measure(&self) -> Measure {
        match &self.0 {
            Repr::Const(_) => Measure {
                depth: 0,
                weight: 1,
                loose: 0,
            },
            Repr::Var(_) => Measure {
                depth: 0,
                weight: 1,
                loose: 0,
            },
            Repr::Poly(terms) => terms
                .iter()
                .flat_map(|t| &t.mono.0)
                .fold(Measure::default(), |all, f| all.and(f.atom.measure())),
        }
    }

    /// Returns the constant term, or 0 if there is none.
    pub(crate) fn constant_part(&self) -> i64 {
        match &self.0 {
            Repr::Const(value) => *value,
            Repr::Var(_) => 0,
            Repr::Poly(terms) => terms
                .last()
                .filter(|t| t.mono.is_one())
                .map_or(0, |t| t.coeff),
        }
    }

    /// Returns true if a part of the size exceeded the limits of depth or weight, so that the value
    /// of the size is undefined.
    pub fn is_too_big(&self) -> bool {
        match &self.0 {
            Repr::Const(_) | Repr::Var(_) => false,
            Repr::Poly(terms) => terms
                .iter()
                .flat_map(|t| &t.mono.0)
                .any(|f| match f.atom.op() {
                    Some(Op::TooBig { .. }) => true,
                    Some(op) => op.operands().iter().any(|n| n.is_too_big()),
                    None => false,
                }),
        }
    }
}

impl From<Var> for Nat {
    fn from(var: Var) -> Nat {
        Nat::var(var)
    }
}

impl From<&Nat> for Nat {
    fn from(nat: &Nat) -> Nat {
        nat.clone()
    }
}

impl From<i64> for Nat {
    fn from(value: i64) -> Nat {
        Nat::constant(value)
    }
}

impl fmt::Debug for Nat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |var: Var| smol_str::format_smolstr!("v{}", var.0);
        fmt::Display::fmt(&self.display(&names), f)
    }
}
