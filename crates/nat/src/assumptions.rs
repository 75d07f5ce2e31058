//! The data of a set of assumptions, and points, which are values of all variables and size
//! functions.

use crate::prop::Prop;
use crate::repr::{Nat, Var};
use smallvec::SmallVec;
use std::sync::OnceLock;

/// The smallest number of a variable that represents a quotient.
pub(crate) const FIRST_QUOTIENT_VAR: u32 = 1 << 31;

/// The smallest number of a fresh variable, which represents an arbitrary value of a range.
pub(crate) const FIRST_FRESH_VAR: u32 = 3 << 30;

/// Assumptions in the form that proofs and refutations use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Assumptions {
    /// The assumptions as they were given, without repetitions.
    pub assumed: Vec<Prop>,
    /// The variables that are substituted, with their values; no value mentions a substituted
    /// variable.
    pub substitutions: Vec<Substitution>,
    /// The values of the quotient variables, in terms of the caller's variables; the first is that
    /// of `Var(FIRST_QUOTIENT_VAR)`.
    pub quotients: Vec<Nat>,
    /// Sizes that are assumed to be at least 0 although their form does not show it, with the
    /// substitutions applied.
    pub nonneg: Vec<Nat>,
    /// Pairs of which the first is assumed to divide the second, with the substitutions applied, as
    /// far as that is not expressed by a substitution.
    pub divides: Vec<(Nat, Nat)>,
    /// Sizes that are assumed to be 0, with the substitutions applied, as far as that is not
    /// expressed by a substitution.
    pub zero: Vec<Nat>,
    /// The assumptions of the form [`Prop::ForAll`], with the substitutions applied.
    pub for_all: Vec<Prop>,
    /// A cache of points that satisfy all assumptions.
    pub points: SamplePoints,
}

#[derive(Clone, Debug)]
pub(crate) struct Substitution {
    pub var: Var,
    pub value: Nat,
}

impl Assumptions {
    /// Applies the substitutions to a size.
    pub fn inner(&self, nat: &Nat) -> Nat {
        if self.substitutions.is_empty() {
            return nat.clone();
        }
        nat.subst(&|v| {
            self.substitutions
                .iter()
                .find(|s| s.var == v)
                .map(|s| s.value.clone())
        })
    }
}

/// Returns true for the variables that represent quotients.
pub(crate) fn is_inner(var: Var) -> bool {
    (FIRST_QUOTIENT_VAR..FIRST_FRESH_VAR).contains(&var.0)
}

/// The initial values of the variables and the size functions at a point. The search for a point
/// changes only variables: to satisfy an assumption, or to refute a condition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InitialValues {
    vars: InitialVars,
    funs: InitialFuns,
}

#[derive(Clone, Copy, Debug)]
enum InitialVars {
    /// All variables have this value.
    Same(i64),
    /// The variables have pseudo-random values, determined by this seed.
    Mixed(u32),
}

/// The values of all size functions at a point.
#[derive(Clone, Copy, Debug)]
enum InitialFuns {
    Zero,
    /// The identity function, which is undefined for negative arguments.
    Identity,
    /// Pseudo-random values for each function and argument, determined by this seed.
    Mixed(u32),
}

pub(crate) const INITIAL_VALUES: [InitialValues; 10] = [
    InitialValues::of(InitialVars::Same(0), InitialFuns::Zero),
    InitialValues::of(InitialVars::Mixed(1), InitialFuns::Identity),
    InitialValues::of(InitialVars::Same(64), InitialFuns::Zero),
    InitialValues::of(InitialVars::Mixed(2), InitialFuns::Mixed(1)),
    InitialValues::of(InitialVars::Same(1), InitialFuns::Identity),
    InitialValues::of(InitialVars::Mixed(3), InitialFuns::Mixed(2)),
    InitialValues::of(InitialVars::Same(2), InitialFuns::Zero),
    InitialValues::of(InitialVars::Mixed(4), InitialFuns::Mixed(3)),
    InitialValues::of(InitialVars::Same(3), InitialFuns::Identity),
    InitialValues::of(InitialVars::Mixed(5), InitialFuns::Zero),
];

/// For each of `INITIAL_VALUES` the point that was found from it and satisfies the assumptions,
/// computed on first use, or `None` if none was found. A clone starts without computed points,
/// because it is made to assume more.
#[derive(Debug, Default)]
pub(crate) struct SamplePoints(pub [OnceLock<Option<Point>>; INITIAL_VALUES.len()]);

impl Clone for SamplePoints {
    fn clone(&self) -> SamplePoints {
        SamplePoints::default()
    }
}

/// Values of all variables and all size functions.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    style: InitialValues,
    /// The variables that were set, with the values that replace the initial ones.
    moved: SmallVec<[(Var, i64); 4]>,
}

impl InitialValues {
    const fn of(vars: InitialVars, funs: InitialFuns) -> InitialValues {
        InitialValues { vars, funs }
    }

    fn var(self, var: Var) -> i64 {
        match self.vars {
            InitialVars::Same(value) => value,
            InitialVars::Mixed(seed) => mixed(var.0, seed) % (5 + 4 * i64::from(seed)),
        }
    }

    fn fun(self, fun: Var, arg: i64) -> Option<i64> {
        match self.funs {
            InitialFuns::Zero => Some(0),
            InitialFuns::Identity => (arg >= 0).then_some(arg),
            InitialFuns::Mixed(seed) => {
                let arg = u32::try_from(arg.rem_euclid(1 << 16)).ok()?;
                Some(mixed(fun.0 ^ (arg << 8), seed) % 23)
            }
        }
    }
}

/// Computes a hash value below `2^16` from a number and a seed.
fn mixed(var: u32, seed: u32) -> i64 {
    let spread = var.wrapping_add(seed).wrapping_mul(0x9e37_79b9);
    i64::from((spread ^ (spread >> 13)).wrapping_mul(0x85eb_ca6b) >> 16)
}

impl Point {
    /// Returns the point with the initial values.
    pub fn new(style: InitialValues) -> Point {
        Point {
            style,
            moved: SmallVec::new(),
        }
    }

    pub fn var(&self, var: Var) -> i64 {
        let moved = self.moved.iter().find(|(v, _)| *v == var);
        moved.map_or_else(|| self.style.var(var), |(_, value)| *value)
    }

    pub fn at(&self, nat: &Nat) -> Option<i64> {
        nat.eval(&|var| Some(self.var(var)), &|fun, arg| self.fun(fun, arg))
    }

    /// Returns the value of the size function `fun` at `arg`, if it is defined.
    pub fn fun(&self, fun: Var, arg: i64) -> Option<i64> {
        self.style.fun(fun, arg)
    }

    /// Sets the value of a variable and returns true. Returns false and changes nothing unless
    /// `0 <= to < 2^40`.
    pub fn put(&mut self, var: Var, to: i64) -> bool {
        if !(0..1 << 40).contains(&to) {
            return false;
        }
        self.moved.retain(|(v, _)| *v != var);
        self.moved.push((var, to));
        true
    }
}
