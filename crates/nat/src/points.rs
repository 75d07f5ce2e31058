//! Sizes that satisfy the assumptions. One at which a condition fails shows that it does not
//! follow, which is cheaper than to look for a proof in vain.

use crate::facts::Known;
use crate::repr::{Atom, Factor, Nat, Op, Var};
use smallvec::SmallVec;
use std::sync::OnceLock;

/// Values of what the assumptions leave alone.
#[derive(Clone, Copy, Debug)]
struct Style {
    vars: Vars,
    funs: Funs,
}

#[derive(Clone, Copy, Debug)]
enum Vars {
    /// All the same.
    Same(i64),
    /// All different, by this seed.
    Mixed(u32),
}

/// Size functions.
#[derive(Clone, Copy, Debug)]
enum Funs {
    Zero,
    /// What comes in.
    Identity,
    /// Something else for each function and argument, by this seed.
    Mixed(u32),
}

const STYLES: [Style; 10] = [
    Style::of(Vars::Same(0), Funs::Zero),
    Style::of(Vars::Mixed(1), Funs::Identity),
    Style::of(Vars::Same(64), Funs::Zero),
    Style::of(Vars::Mixed(2), Funs::Mixed(1)),
    Style::of(Vars::Same(1), Funs::Identity),
    Style::of(Vars::Mixed(3), Funs::Mixed(2)),
    Style::of(Vars::Same(2), Funs::Zero),
    Style::of(Vars::Mixed(4), Funs::Mixed(3)),
    Style::of(Vars::Same(3), Funs::Identity),
    Style::of(Vars::Mixed(5), Funs::Zero),
];

/// Steps towards the assumptions, for each of them.
const STEPS_PER_FACT: usize = 3;
/// Steps towards the assumptions, for all of them.
const MAX_STEPS: usize = 24;

/// Points that satisfy the assumptions, each found when it is first asked for. A copy starts
/// without any, since it is made to assume more.
#[derive(Debug, Default)]
pub(crate) struct Points([OnceLock<Option<Point>>; STYLES.len()]);

impl Clone for Points {
    fn clone(&self) -> Points {
        Points::default()
    }
}

/// A value for every variable.
#[derive(Debug)]
struct Point {
    style: Style,
    /// Those that differ from what the style says.
    moved: SmallVec<[(Var, i64); 4]>,
}

/// Whether `nat` is negative for some sizes that satisfy the assumptions.
pub(crate) fn is_negative_somewhere(known: &Known, nat: &Nat) -> bool {
    any(known, |point| point.at(nat).is_some_and(|value| value < 0))
}

/// Whether `nat` is another number than 0 for some sizes that satisfy the assumptions.
pub(crate) fn is_nonzero_somewhere(known: &Known, nat: &Nat) -> bool {
    any(known, |point| point.at(nat).is_some_and(|value| value != 0))
}

/// Whether `d` leaves a remainder for some sizes that satisfy the assumptions.
pub(crate) fn leaves_a_remainder_somewhere(known: &Known, d: &Nat, a: &Nat) -> bool {
    any(known, |point| match (point.at(d), point.at(a)) {
        (Some(d), Some(a)) => d >= 1 && a.checked_rem(d).is_some_and(|rest| rest != 0),
        _ => false,
    })
}

fn any(known: &Known, test: impl Fn(&Point) -> bool) -> bool {
    STYLES.iter().zip(&known.points.0).any(|(style, point)| {
        let point = point.get_or_init(|| Point::find(known, *style));
        point.as_ref().is_some_and(&test)
    })
}

impl Style {
    const fn of(vars: Vars, funs: Funs) -> Style {
        Style { vars, funs }
    }

    fn var(self, var: Var) -> i64 {
        match self.vars {
            Vars::Same(value) => value,
            Vars::Mixed(seed) => mixed(var.0, seed) % (5 + 4 * i64::from(seed)),
        }
    }

    fn fun(self, fun: Var, arg: i64) -> Option<i64> {
        match self.funs {
            Funs::Zero => Some(0),
            Funs::Identity => (arg >= 0).then_some(arg),
            Funs::Mixed(seed) => {
                let arg = u32::try_from(arg.rem_euclid(1 << 16)).ok()?;
                Some(mixed(fun.0 ^ (arg << 8), seed) % 23)
            }
        }
    }
}

/// Some number below `2^16` for each variable.
fn mixed(var: u32, seed: u32) -> i64 {
    let spread = var.wrapping_add(seed).wrapping_mul(0x9e37_79b9);
    i64::from((spread ^ (spread >> 13)).wrapping_mul(0x85eb_ca6b) >> 16)
}

impl Point {
    /// The nearest point of this style that satisfies the assumptions, if one is found.
    fn find(known: &Known, style: Style) -> Option<Point> {
        let mut point = Point {
            style,
            moved: SmallVec::new(),
        };
        let steps = MAX_STEPS.min(STEPS_PER_FACT * known.nonneg.len());
        for step in 0..=steps {
            let failing = known.nonneg.iter().find_map(|fact| {
                let value = point.at(fact);
                (value.is_none_or(|value| value < 0)).then_some((fact, value))
            });
            let Some((fact, value)) = failing else {
                return point.satisfies_the_rest(known).then_some(point);
            };
            if step == steps || !point.approach(fact, value?.checked_neg()?, step % 3 == 2) {
                return None;
            }
        }
        None
    }

    fn var(&self, var: Var) -> i64 {
        let moved = self.moved.iter().find(|(v, _)| *v == var);
        moved.map_or_else(|| self.style.var(var), |(_, value)| *value)
    }

    fn at(&self, nat: &Nat) -> Option<i64> {
        nat.eval(&|var| Some(self.var(var)), &|fun, arg| {
            self.style.fun(fun, arg)
        })
    }

    fn satisfies_the_rest(&self, known: &Known) -> bool {
        known.zero.iter().all(|nat| self.at(nat) == Some(0))
            && known
                .divides
                .iter()
                .all(|(d, a)| match (self.at(d), self.at(a)) {
                    (Some(d), Some(a)) => d >= 1 && a % d == 0,
                    _ => false,
                })
            && known.for_all.iter().all(|prop| {
                let vars = |var| Some(self.var(var));
                prop.eval(&vars, &|fun, arg| self.style.fun(fun, arg)) == Some(true)
            })
    }

    /// Moves a variable such that `fact` grows by what is missing, or that goes some way.
    fn approach(&mut self, fact: &Nat, missing: i64, prefers_less: bool) -> bool {
        let mut moves: SmallVec<[(Var, i64, i64); 4]> = SmallVec::new();
        for term in fact.terms().iter() {
            if let [Factor { atom, exp }] = term.mono.0.as_slice() {
                match (atom, exp) {
                    (Atom::Var(var), 1) => moves.push((*var, term.coeff, 1)),
                    _ if term.coeff > 0 => {
                        moves.extend(first_var(atom).map(|v| (v, 1, scale(atom))))
                    }
                    _ => {}
                }
            } else if term.coeff > 0 {
                let var = term.mono.0.iter().find_map(|f| first_var(&f.atom));
                moves.extend(var.map(|var| (var, 1, 1)));
            }
        }
        moves.sort_by_key(|(_, coeff, scale)| ((*coeff < 0) != prefers_less, *scale));
        moves.iter().any(|(var, coeff, scale)| {
            let size = missing.unsigned_abs().div_ceil(coeff.unsigned_abs());
            let by = i64::try_from(size)
                .ok()
                .and_then(|by| by.checked_mul(*scale));
            let to = by.and_then(|by| self.var(*var).checked_add(by * coeff.signum()));
            to.is_some_and(|to| self.put(*var, to))
        })
    }

    fn put(&mut self, var: Var, to: i64) -> bool {
        if !(0..1 << 40).contains(&to) {
            return false;
        }
        self.moved.retain(|(v, _)| *v != var);
        self.moved.push((var, to));
        true
    }
}

/// By how much an operand has to grow for the operation to grow by 1.
fn scale(atom: &Atom) -> i64 {
    match atom.op() {
        Some(Op::Div(_, by)) => by.as_const().unwrap_or(8).clamp(1, 1 << 20),
        _ => 1,
    }
}

fn first_var(atom: &Atom) -> Option<Var> {
    let mut first = None;
    let nat = atom.clone().nat();
    nat.for_each_var(&mut |var| first = first.or(Some(var)));
    first
}
