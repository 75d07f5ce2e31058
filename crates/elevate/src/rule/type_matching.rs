//! Implements the second phase of matching, which solves sizes, types and other type-level
//! arguments, and memoises its results.

use std::sync::Arc;

use nat::{Facts, Nat, Prop, Solution, Var, solve};
use rise::subst::{map_sizes, subst_arg, subst_nat};
use rise::types::{Access, Address, Arg, DataFun, SizeFun, Ty, Type};
use rustc_hash::FxHashMap;

use super::mismatch::{MismatchDetail, MismatchReason};
use super::pattern::{FIRST_INNER_VAR, ParamSlot, Pattern, TypePattern};
use super::template::Leaves;
use super::vars::vars_of_arg;
use super::{RuleArg, RuleId};
use crate::engine::Assumption;
use crate::term::{ArgId, ArgsId, Store, TyId};

/// The first number of the variables that represent unknown pattern variables in equations.
const FIRST_UNKNOWN_VAR: u32 = 1 << 28;

/// A type or type-level argument of the term, observed by the first phase at a place for which
/// [`Pattern::keys`] has an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Observation {
    Args(ArgsId),
    Ty(TyId),
    Arg(ArgId),
    Var(Var),
}

/// The substitution of the pattern's type-level variables.
#[derive(Clone, Debug, Default)]
pub(super) struct TypeSubstitution(pub Vec<Option<Arg>>);

impl TypeSubstitution {
    pub fn get(&self, var: Var) -> Option<Arg> {
        self.0.get(var.0 as usize).cloned().flatten()
    }

    /// Applies the substitution to an argument; `None` if one of its variables has no value.
    pub fn arg(&self, arg: &Arg) -> Option<Arg> {
        let mut whole = true;
        vars_of_arg(arg, &mut |var, bound| {
            whole &= bound
                || var.0 >= FIRST_INNER_VAR
                || matches!(self.0.get(var.0 as usize), Some(Some(_)));
        });
        whole.then(|| subst_arg(arg, &|var| self.get(var)))
    }

    pub fn nat(&self, nat: &Nat) -> Option<Nat> {
        match self.arg(&Arg::Nat(nat.clone()))? {
            Arg::Nat(nat) => Some(nat),
            _ => None,
        }
    }

    pub fn ty(&self, ty: &Ty) -> Option<Ty> {
        match self.arg(&Arg::Type(ty.clone()))? {
            Arg::Type(ty) => Some(ty),
            _ => None,
        }
    }

    pub fn prop(&self, prop: &Prop) -> Option<Prop> {
        let mut whole = true;
        prop.for_each_var(&mut |var| whole &= self.get(var).is_some());
        whole.then(|| rise::subst::subst_prop(prop, &|var| self.get(var)))
    }
}

/// The result of the second phase for an alternative whose conditions on sizes and types hold.
#[derive(Debug)]
pub(super) struct Solved {
    pub values: TypeSubstitution,
    /// The parts of the right side that depend on sizes and types only.
    pub leaves: Leaves,
    pub assumptions: Arc<[Assumption]>,
}

/// A failure of the second phase: the node of the pattern, and the reason.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Unsolved {
    pub node: u32,
    pub why: MismatchReason,
}

type SolvedPatterns = FxHashMap<Box<[Observation]>, Result<Arc<Solved>, Unsolved>>;

/// The memoised results of the second phase for the terms of one store, with other data that is
/// kept from one application of a rule to the next.
#[derive(Debug, Default)]
pub struct Memo {
    /// The results under the current facts.
    now: FactsMemo,
    /// The results under earlier facts, the most recent ones first.
    before: Vec<FactsMemo>,
    args: FxHashMap<RuleId, Vec<Box<[RuleArg]>>>,
    pub(super) scratch: super::apply::Scratch,
    pub(super) bodies: super::folding::BodyPatterns,
}

/// The results under one set of facts.
#[derive(Debug, Default)]
struct FactsMemo {
    facts: Facts,
    known: FxHashMap<(RuleId, u32, u32), SolvedPatterns>,
    types: FxHashMap<(TyId, TyId), bool>,
}

/// The number of earlier sets of facts whose results are kept: a rollback restores earlier facts.
const MAX_EARLIER_FACTS: usize = 8;

impl Memo {
    /// Returns an empty memo.
    pub fn new() -> Memo {
        Memo::default()
    }

    /// Selects the results under these facts. The results under the facts that were used last are
    /// kept.
    pub(super) fn under(&mut self, facts: &Facts) {
        if self.now.facts.is_same(facts) {
            return;
        }
        let known = self
            .before
            .iter()
            .position(|other| other.facts.is_same(facts));
        let next = match known {
            Some(at) => self.before.remove(at),
            None => FactsMemo {
                facts: facts.clone(),
                ..FactsMemo::default()
            },
        };
        let last = std::mem::replace(&mut self.now, next);
        self.before.insert(0, last);
        self.before.truncate(MAX_EARLIER_FACTS);
    }

    /// Returns a number that identifies the arguments among those to which the rule was applied so
    /// far.
    pub(super) fn number(&mut self, rule: RuleId, args: &[RuleArg]) -> u32 {
        if args.is_empty() {
            return 0;
        }
        let known = self.args.entry(rule).or_default();
        let at = match known.iter().position(|other| **other == *args) {
            Some(at) => at,
            None => {
                known.push(args.into());
                known.len() - 1
            }
        };
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    pub(super) fn get(
        &self,
        key: (RuleId, u32, u32),
        found: &[Observation],
    ) -> Option<&Result<Arc<Solved>, Unsolved>> {
        self.now.known.get(&key)?.get(found)
    }

    pub(super) fn put(
        &mut self,
        key: (RuleId, u32, u32),
        found: &[Observation],
        solved: Result<Arc<Solved>, Unsolved>,
    ) {
        self.now
            .known
            .entry(key)
            .or_default()
            .insert(found.into(), solved);
    }

    /// Returns true if two types are provably equal under the facts, which must be those of the
    /// last call of [`Memo::under`]. The result is memoised.
    pub(super) fn same_type(&mut self, store: &Store, facts: &Facts, a: TyId, b: TyId) -> bool {
        if a == b {
            return true;
        }
        if let Some(&known) = self.now.types.get(&(a, b)) {
            return known;
        }
        let same = store.same_type(a, b) || types_agree(store.ty_of(a), store.ty_of(b), facts);
        self.now.types.insert((a, b), same);
        same
    }
}

/// The solver of the second phase, which finds the values of type-level variables.
pub(super) struct Solver<'a> {
    pub facts: &'a Facts,
    pub values: TypeSubstitution,
    /// The equations between sizes of the pattern and of the term, where the former is neither a
    /// single variable nor a constant. They are solved last. Each has a flag that is true if it
    /// must hold, and the node of the pattern.
    deferred: Vec<(Nat, Nat, bool, u32)>,
    node: u32,
}

type Outcome = Result<(), Unsolved>;

impl<'a> Solver<'a> {
    /// Returns the values of the type-level variables of the pattern that the arguments and the
    /// observations of the first phase determine.
    pub fn solve(
        store: &Store,
        facts: &'a Facts,
        pattern: &Pattern,
        args: &[RuleArg],
        found: &[Observation],
    ) -> Result<TypeSubstitution, Unsolved> {
        let mut solver = Solver {
            facts,
            values: TypeSubstitution(vec![None; usize::from(pattern.levels)]),
            deferred: Vec::new(),
            node: 0,
        };
        solver.give(store, pattern, args)?;
        for ((key, node), found) in pattern.keys.iter().zip(found) {
            solver.node = *node;
            solver.key(store, key, *found, pattern.strict)?;
        }
        solver.solve_deferred()?;
        Ok(solver.values)
    }

    fn give(&mut self, store: &Store, pattern: &Pattern, args: &[RuleArg]) -> Outcome {
        for (given, arg) in pattern.params.iter().zip(args) {
            let Some(ParamSlot::TypeLevel(level)) = given else {
                continue;
            };
            let value = match arg {
                RuleArg::Nat(nat) => Arg::Nat(nat.clone()),
                RuleArg::Int(int) => Arg::Nat(Nat::constant(*int)),
                RuleArg::Address(address) => Arg::Address(*address),
                RuleArg::Type(ty) => Arg::Type(ty.clone()),
                RuleArg::Expr(_) | RuleArg::Literal(_) | RuleArg::Other => continue,
            };
            self.values.0[usize::from(*level)] = Some(value);
        }
        for (param, ty) in &pattern.given_types {
            if let Some(RuleArg::Expr(term)) = args.get(usize::from(*param)) {
                self.ty(ty, store.type_of(*term), true)?;
            }
        }
        Ok(())
    }

    fn key(
        &mut self,
        store: &Store,
        key: &TypePattern,
        found: Observation,
        strict: bool,
    ) -> Outcome {
        match (key, found) {
            (TypePattern::Args(patterns, more), Observation::Args(args)) => {
                let args = store.args(args);
                let fits =
                    args.len() == patterns.len() || (*more && args.len() == patterns.len() + 1);
                if !fits {
                    return self.fail(MismatchDetail::Optional.into());
                }
                for ((pattern, explicit), found) in patterns.iter().zip(args.iter()) {
                    self.arg(pattern, found, strict || *explicit)?;
                }
                Ok(())
            }
            (TypePattern::Ty(pattern, compared), Observation::Ty(ty)) => {
                self.ty(pattern, store.ty_of(ty), strict || *compared)
            }
            (TypePattern::Arg(pattern), Observation::Arg(arg)) => {
                self.arg(pattern, store.arg(arg), true)
            }
            (TypePattern::Var(var, kind), Observation::Var(found)) => {
                self.values.0[var.0 as usize] = Some(rise::types::var_arg(found, *kind));
                Ok(())
            }
            _ => self.fail(MismatchReason::Shape),
        }
    }

    /// Fails because a type-level argument differs.
    fn differs<T>(&self, expected: Option<Arg>, found: Arg) -> Result<T, Unsolved> {
        self.fail(MismatchDetail::Argument { expected, found }.into())
    }

    fn fail<T>(&self, why: MismatchReason) -> Result<T, Unsolved> {
        let node = self.node;
        Err(Unsolved { node, why })
    }

    fn arg(&mut self, pattern: &Arg, found: &Arg, strict: bool) -> Outcome {
        match (pattern, found) {
            (Arg::Nat(p), Arg::Nat(f)) => self.nat(p, f, strict),
            (Arg::Type(p), Arg::Type(f)) => self.ty(p, f, strict),
            (Arg::Address(Address::Var(var)), Arg::Address(_))
            | (Arg::SizeFun(SizeFun::Var(var)), Arg::SizeFun(_))
            | (Arg::DataFun(DataFun::Var(var)), Arg::DataFun(_))
            | (Arg::Access(Access::Var(var)), Arg::Access(_)) => self.bind(*var, found, strict),
            (
                Arg::DataFun(DataFun::Lambda(param, body)),
                Arg::DataFun(DataFun::Lambda(other, ty)),
            ) => {
                let (here, there) = (*param, *other);
                let body = rename_one(body, here, Var(FIRST_UNKNOWN_VAR - 1));
                let ty = rename_one(ty, there, Var(FIRST_UNKNOWN_VAR - 1));
                self.ty(&body, &ty, strict)
            }
            _ if !strict => Ok(()),
            _ => match self.values.arg(pattern) {
                Some(value) if same_arg(&value, found) => Ok(()),
                value => self.differs(value, found.clone()),
            },
        }
    }

    /// Binds a variable that has no value. Otherwise compares its value with `found` if `strict` is
    /// set.
    fn bind(&mut self, var: Var, found: &Arg, strict: bool) -> Outcome {
        let Some(known) = self.values.0.get(var.0 as usize) else {
            return Ok(());
        };
        match known.clone() {
            None => {
                self.values.0[var.0 as usize] = Some(found.clone());
                Ok(())
            }
            Some(value) if !strict || same_arg(&value, found) => Ok(()),
            Some(value) => match (&value, found) {
                (Arg::Nat(a), Arg::Nat(b)) => self.equal(a, b),
                (Arg::Type(a), Arg::Type(b)) if types_agree(a, b, self.facts) => Ok(()),
                _ => self.differs(Some(value), found.clone()),
            },
        }
    }

    fn equal(&self, expected: &Nat, found: &Nat) -> Outcome {
        if sizes_agree(expected, found, self.facts) {
            return Ok(());
        }
        self.differs(Some(Arg::Nat(expected.clone())), Arg::Nat(found.clone()))
    }

    fn nat(&mut self, pattern: &Nat, found: &Nat, strict: bool) -> Outcome {
        match pattern.as_var() {
            Some(var) if (var.0 as usize) < self.values.0.len() => {
                self.bind(var, &Arg::Nat(found.clone()), strict)
            }
            _ if pattern == found => Ok(()),
            _ if pattern.as_const().is_some() => match strict {
                true => self.equal(pattern, found),
                false => Ok(()),
            },
            _ => {
                (self.deferred).push((pattern.clone(), found.clone(), strict, self.node));
                Ok(())
            }
        }
    }

    fn ty(&mut self, pattern: &Ty, found: &Ty, strict: bool) -> Outcome {
        match (&**pattern, &**found) {
            (Type::Error, _) | (_, Type::Error) => Ok(()),
            (Type::Var(var), _) => self.bind(*var, &Arg::Type(found.clone()), strict),
            (Type::Scalar(a), Type::Scalar(b)) if a == b => Ok(()),
            (Type::Index(a), Type::Index(b)) => self.nat(a, b, strict),
            (Type::Vector(a, s), Type::Vector(b, t)) | (Type::Array(a, s), Type::Array(b, t)) => {
                self.nat(a, b, strict)?;
                self.ty(s, t, strict)
            }
            (Type::Pair(a, b), Type::Pair(c, d)) | (Type::Fun(a, b), Type::Fun(c, d)) => {
                self.ty(a, c, strict)?;
                self.ty(b, d, strict)
            }
            (Type::DepArray(a, f), Type::DepArray(b, g)) => {
                self.nat(a, b, strict)?;
                self.arg(&Arg::DataFun(f.clone()), &Arg::DataFun(g.clone()), strict)
            }
            (Type::DepPair(f), Type::DepPair(g)) => {
                self.arg(&Arg::DataFun(f.clone()), &Arg::DataFun(g.clone()), strict)
            }
            (Type::Pi(p), Type::Pi(q)) if p.kind == q.kind => {
                let body = rename_one(&p.body, p.var, Var(FIRST_UNKNOWN_VAR - 1));
                let other = rename_one(&q.body, q.var, Var(FIRST_UNKNOWN_VAR - 1));
                self.ty(&body, &other, strict)
            }
            (Type::Apply(f, a), Type::Apply(g, b)) => {
                self.bind(*f, &Arg::DataFun(DataFun::Var(*g)), strict)?;
                self.nat(a, b, strict)
            }
            _ if !strict => Ok(()),
            _ => self.fail(
                MismatchDetail::Type {
                    expected: self.values.ty(pattern),
                    found: found.clone(),
                }
                .into(),
            ),
        }
    }

    /// Solves the remaining equations, repeatedly as long as one of them determines a variable.
    fn solve_deferred(&mut self) -> Outcome {
        let mut left = std::mem::take(&mut self.deferred);
        while !left.is_empty() {
            let before = left.len();
            let mut again = Vec::new();
            for (pattern, found, strict, node) in left {
                self.node = node;
                let mut unknown = 0;
                let known = pattern.subst(&|var| match self.values.get(var) {
                    Some(Arg::Nat(nat)) => Some(nat),
                    _ if (var.0 as usize) < self.values.0.len() => {
                        Some(Nat::var(Var(FIRST_UNKNOWN_VAR + var.0)))
                    }
                    _ => None,
                });
                pattern.for_each_var(&mut |var| {
                    unknown += u32::from(self.values.get(var).is_none() && var.0 < FIRST_INNER_VAR);
                });
                match unknown {
                    0 if strict => self.equal(&known, &found)?,
                    0 => {}
                    _ => {
                        if !self.unknown(&known, &found, strict)? {
                            again.push((pattern, found, strict, node));
                        }
                    }
                }
            }
            if again.len() == before {
                let (_, found, strict, node) = &again[0];
                self.node = *node;
                if again.iter().any(|(_, _, strict, _)| *strict) || *strict {
                    return self.differs(None, Arg::Nat(found.clone()));
                }
                break;
            }
            left = again;
        }
        Ok(())
    }

    /// Solves an equation for its unknown variables, and binds them. Returns false if that is not
    /// possible yet.
    fn unknown(&mut self, pattern: &Nat, found: &Nat, strict: bool) -> Result<bool, Unsolved> {
        let open = |var: Var| (FIRST_UNKNOWN_VAR..FIRST_INNER_VAR).contains(&var.0);
        match solve(pattern, found, self.facts, &open, &|_, _| true) {
            Solution::Trivial => Ok(true),
            Solution::Solved(assignments) => {
                for assignment in assignments {
                    let proved = |need: &Prop| self.facts.proves(need);
                    if !assignment.needs.iter().all(proved) {
                        return match strict {
                            true => self.differs(None, Arg::Nat(found.clone())),
                            false => Ok(false),
                        };
                    }
                    let at = assignment.var.0.wrapping_sub(FIRST_UNKNOWN_VAR) as usize;
                    if let Some(value) = self.values.0.get_mut(at) {
                        *value = Some(Arg::Nat(assignment.value));
                    }
                }
                Ok(true)
            }
            Solution::Refuted(_) if strict => self.differs(None, Arg::Nat(found.clone())),
            Solution::Refuted(_) | Solution::Stuck => Ok(false),
        }
    }
}

/// Simplifies the sizes of an argument that is a size or a type by the facts; other arguments stay.
pub(super) fn simplified(arg: Arg, facts: &Facts) -> Arg {
    if facts.is_empty() {
        return arg;
    }
    match arg {
        Arg::Nat(nat) => Arg::Nat(facts.normalize(&nat)),
        Arg::Type(ty) => Arg::Type(map_sizes(&ty, &|nat| facts.normalize(nat))),
        other => other,
    }
}

fn same_arg(a: &Arg, b: &Arg) -> bool {
    match (a, b) {
        (Arg::DataFun(DataFun::Lambda(p, s)), Arg::DataFun(DataFun::Lambda(q, t))) => {
            *s == rename_one(t, *q, *p)
        }
        _ => a == b,
    }
}

/// Returns true if two sizes are provably equal under the facts.
pub(super) fn sizes_agree(a: &Nat, b: &Nat, facts: &Facts) -> bool {
    a == b || facts.proves(&Prop::Equal(a.clone(), b.clone()))
}

/// Returns true if two types are provably equal under the facts.
pub(super) fn types_agree(a: &Ty, b: &Ty, facts: &Facts) -> bool {
    if Arc::ptr_eq(a, b) || a == b {
        return true;
    }
    let size = |a: &Nat, b: &Nat| sizes_agree(a, b, facts);
    let fun = |f: &DataFun, g: &DataFun| match (f, g) {
        (DataFun::Var(f), DataFun::Var(g)) => f == g,
        (DataFun::Lambda(p, s), DataFun::Lambda(q, t)) => {
            types_agree(s, &rename_one(t, *q, *p), facts)
        }
        _ => false,
    };
    match (&**a, &**b) {
        (Type::Index(m), Type::Index(n)) => size(m, n),
        (Type::Vector(m, s), Type::Vector(n, t)) | (Type::Array(m, s), Type::Array(n, t)) => {
            size(m, n) && types_agree(s, t, facts)
        }
        (Type::Pair(a, b), Type::Pair(c, d)) | (Type::Fun(a, b), Type::Fun(c, d)) => {
            types_agree(a, c, facts) && types_agree(b, d, facts)
        }
        (Type::DepArray(m, f), Type::DepArray(n, g)) => size(m, n) && fun(f, g),
        (Type::DepPair(f), Type::DepPair(g)) => fun(f, g),
        (Type::Apply(f, m), Type::Apply(g, n)) => f == g && size(m, n),
        (Type::Pi(p), Type::Pi(q)) => {
            p.kind == q.kind && types_agree(&p.body, &rename_one(&q.body, q.var, p.var), facts)
        }
        _ => false,
    }
}

fn rename_one(ty: &Ty, from: Var, to: Var) -> Ty {
    rise::subst::rename(ty, &|var| if var == from { to } else { var })
}

/// Substitutes the values of variables in a size of the pattern. Variables without a value stay.
pub(super) fn instance(nat: &Nat, values: &TypeSubstitution) -> Nat {
    subst_nat(nat, &|var| values.get(var))
}
