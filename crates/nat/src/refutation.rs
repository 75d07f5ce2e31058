//! The search for points (values of the variables and size functions) that satisfy the assumptions.
//! A point at which a condition fails refutes it, which is cheaper than a failing search for a
//! proof.
//!
//! A few points are found for the assumptions alone and tried for every condition. If none of them
//! refutes an inequality, the first of them can be the starting points of a local search for a
//! point at which it fails.

use crate::assumptions::{Assumptions, INITIAL_VALUES, InitialValues, Point};
use crate::repr::{Atom, Factor, Nat, Op, Var};
use smallvec::SmallVec;

/// The greatest number of steps, for each recorded inequality, divisibility or equation, of a
/// search for a point that satisfies the assumptions.
const STEPS_PER_FACT: usize = 3;
/// The greatest number of steps of a search for a point.
const MAX_STEPS: usize = 24;
/// The greatest number of sample points from which the local search for a point at which one
/// condition fails starts.
const MAX_STARTING_POINTS: usize = 3;
/// The number of levels of a size, the size itself included, in which a step looks for variables to
/// change.
const MAX_NESTED: u32 = 4;

/// Returns true if `nat` is negative at one of the sample points, which satisfy the assumptions.
pub(crate) fn is_negative_somewhere(known: &Assumptions, nat: &Nat) -> bool {
    any(known, |point| point.at(nat).is_some_and(|value| value < 0))
}

/// Returns true if a local search, which starts from sample points that are already computed, finds
/// a point that satisfies the assumptions and at which `nat` is negative.
pub(crate) fn is_negative_by_search(known: &Assumptions, nat: &Nat) -> bool {
    let negative = &-nat - 1;
    let starts = known
        .points
        .0
        .iter()
        .filter_map(|point| point.get()?.clone());
    starts.take(MAX_STARTING_POINTS).any(|mut point| {
        let steps = MAX_STEPS;
        point.walk(known, Some(&negative), steps) && point.satisfies_the_rest(known)
    })
}

/// Returns true if `nat` is not 0 at one of the sample points, which satisfy the assumptions.
pub(crate) fn is_nonzero_somewhere(known: &Assumptions, nat: &Nat) -> bool {
    any(known, |point| point.at(nat).is_some_and(|value| value != 0))
}

/// Returns true if, at one of the sample points, which satisfy the assumptions, `d` is positive and
/// `a` is no multiple of it.
pub(crate) fn leaves_a_remainder_somewhere(known: &Assumptions, d: &Nat, a: &Nat) -> bool {
    any(known, |point| match (point.at(d), point.at(a)) {
        (Some(d), Some(a)) => d >= 1 && a.checked_rem(d).is_some_and(|rest| rest != 0),
        _ => false,
    })
}

fn any(known: &Assumptions, test: impl Fn(&Point) -> bool) -> bool {
    INITIAL_VALUES
        .iter()
        .zip(&known.points.0)
        .any(|(style, point)| {
            let point = point.get_or_init(|| Point::find(known, *style));
            point.as_ref().is_some_and(&test)
        })
}

/// A violated assumption or wanted inequality: a size `nat`, whose value has to change by the
/// amount `by`.
struct Violation<'a> {
    nat: &'a Nat,
    by: i64,
    /// An amount by which `nat` may change instead.
    or_by: Option<i64>,
}

/// A change of a variable.
struct Move {
    var: Var,
    by: i64,
    /// An estimate of the change of the variable that changes the violated size by 1: the product
    /// of the divisors of the divisions around the variable, or 1 if the change is a guess.
    scale: i64,
}

type Moves = SmallVec<[Move; 4]>;

impl Point {
    /// Searches for a point that satisfies the assumptions, starting from these initial values.
    /// Returns `None` if the search does not succeed.
    fn find(known: &Assumptions, style: InitialValues) -> Option<Point> {
        let mut point = Point::new(style);
        let facts = known.nonneg.len() + known.divides.len() + known.zero.len();
        let steps = MAX_STEPS.min(STEPS_PER_FACT * facts);
        (point.walk(known, None, steps) && point.satisfies_the_rest(known)).then_some(point)
    }

    fn satisfies_the_rest(&self, known: &Assumptions) -> bool {
        known.for_all.iter().all(|prop| {
            let vars = |var| Some(self.var(var));
            prop.eval(&vars, &|fun, arg| self.fun(fun, arg)) == Some(true)
        })
    }

    /// Changes one variable in each step to satisfy a violated assumption, until all assumptions
    /// but those in `for_all` hold and `wanted` is at least 0. Returns true if that takes at most
    /// `steps` steps.
    fn walk(&mut self, known: &Assumptions, wanted: Option<&Nat>, steps: usize) -> bool {
        for step in 0..=steps {
            match self.failing(known, wanted) {
                Ok(None) => return true,
                Ok(Some(failing)) if step < steps => {
                    let turn = wanted.map(|_| step);
                    if !self.approach(&failing, turn, step % 3 == 2) {
                        return false;
                    }
                }
                _ => return false,
            }
        }
        false
    }

    /// Returns a violated assumption, or the violation of `wanted >= 0`; `None` if there is
    /// neither. Returns an error if one of them cannot be evaluated or a divisor is not positive.
    fn failing<'a>(
        &self,
        known: &'a Assumptions,
        wanted: Option<&'a Nat>,
    ) -> Result<Option<Violation<'a>>, ()> {
        for nat in known.nonneg.iter().chain(wanted) {
            let value = self.at(nat).ok_or(())?;
            if value < 0 {
                let by = value.checked_neg().ok_or(())?;
                let or_by = None;
                return Ok(Some(Violation { nat, by, or_by }));
            }
        }
        for nat in &known.zero {
            let value = self.at(nat).ok_or(())?;
            if value != 0 {
                let by = value.checked_neg().ok_or(())?;
                let or_by = None;
                return Ok(Some(Violation { nat, by, or_by }));
            }
        }
        for (d, nat) in &known.divides {
            let (d, value) = (self.at(d).ok_or(())?, self.at(nat).ok_or(())?);
            let rest = value.checked_rem_euclid(d).filter(|_| d >= 1).ok_or(())?;
            if rest != 0 {
                let (by, or_by) = (d - rest, Some(-rest));
                return Ok(Some(Violation { nat, by, or_by }));
            }
        }
        Ok(None)
    }

    /// Changes one variable such that the violated condition presumably holds or comes closer to
    /// holding. The candidates are ordered with increases before decreases, or after them if
    /// `prefers_less`, and then by `Move::scale`; `turn` rotates this order by as many places. The
    /// first one that results in a valid value is made. Returns false if there is none.
    fn approach(
        &mut self,
        failing: &Violation<'_>,
        turn: Option<usize>,
        prefers_less: bool,
    ) -> bool {
        let mut moves = Moves::new();
        for by in [Some(failing.by), failing.or_by].into_iter().flatten() {
            self.moves(failing.nat, by, 1, MAX_NESTED, &mut moves);
        }
        moves.sort_by_key(|step| ((step.by < 0) != prefers_less, step.scale));
        let first = turn.map_or(0, |turn| turn % moves.len().max(1));
        let (before, from) = moves.split_at(first);
        from.iter().chain(before).any(|step| {
            let to = self.var(step.var).checked_add(step.by);
            to.is_some_and(|to| self.put(step.var, to))
        })
    }

    /// Collects changes of variables, each of which presumably changes `nat` by the amount `by` or
    /// towards it. `scale` is that of the changes so far, and `nested` the number of levels of
    /// `nat` to examine.
    fn moves(&self, nat: &Nat, by: i64, scale: i64, nested: u32, out: &mut Moves) {
        if nested == 0 || by == 0 {
            return;
        }
        for term in nat.terms().iter() {
            let size = by.unsigned_abs().div_ceil(term.coeff.unsigned_abs());
            let Ok(size) = i64::try_from(size) else {
                continue;
            };
            let by = size * by.signum() * term.coeff.signum();
            match term.mono.0.as_slice() {
                [Factor { atom, exp: 1 }] => self.moves_of(atom, by, scale, nested, out),
                all => {
                    let var = all.iter().find_map(|factor| first_var(&factor.atom));
                    let (by, scale) = (by.signum(), 1);
                    out.extend(var.map(|var| Move { var, by, scale }));
                }
            }
        }
    }

    fn moves_of(&self, atom: &Atom, by: i64, scale: i64, nested: u32, out: &mut Moves) {
        let times = |factor: &Nat| {
            let factor = self.at(factor)?.clamp(1, 1 << 20);
            Some((by.checked_mul(factor)?, scale.checked_mul(factor)?))
        };
        match (atom, atom.op()) {
            (Atom::Var(var), _) => out.push(Move {
                var: *var,
                by,
                scale,
            }),
            (_, Some(Op::Div(a, b))) => {
                if let Some((by, scale)) = times(b) {
                    self.moves(a, by, scale, nested - 1, out);
                }
            }
            (_, Some(Op::Mod(a, _))) => self.moves(a, by, scale, nested - 1, out),
            (_, Some(Op::Pow(_, exp))) => self.moves(exp, by.signum(), 1, nested - 1, out),
            (_, Some(Op::Min(all) | Op::Max(all))) => {
                for nat in all {
                    self.moves(nat, by, scale, nested - 1, out);
                }
            }
            _ => {
                let (by, scale) = (by.signum(), 1);
                out.extend(first_var(atom).map(|var| Move { var, by, scale }));
            }
        }
    }
}

fn first_var(atom: &Atom) -> Option<Var> {
    let mut first = None;
    let nat = atom.clone().nat();
    nat.for_each_var(&mut |var| first = first.or(Some(var)));
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Facts;
    use crate::prop::Prop;

    const N: Var = Var(0);
    const I: Var = Var(1);
    const J: Var = Var(2);
    const X: Var = Var(3);
    const Y: Var = Var(4);
    const Z: Var = Var(5);

    /// Returns facts about two work-items in the iterations of a tree reduction, each of a part of
    /// an array.
    fn rounds() -> Facts {
        let mut facts = Facts::new();
        // A divisibility of a single variable would become a shape.
        let sum = Nat::var(N) + Nat::var(Z);
        facts.assume(&Prop::Divides(Nat::constant(8192), sum));
        facts.assume(&Prop::AtLeast(Nat::var(N), Nat::ONE));
        for (round, item) in [(I, X), (J, Y)] {
            facts.range(round, &Nat::ZERO, &Nat::constant(6));
            facts.range(item, &Nat::ZERO, &half(round));
        }
        facts
    }

    /// Makes the size `2^(5-round)`.
    fn half(round: Var) -> Nat {
        Nat::pow(
            &Nat::constant(2),
            &Nat::sub(&Nat::constant(5), &Nat::var(round)),
        )
    }

    fn is_refuted(facts: &Facts, nat: &Nat) -> bool {
        is_negative_somewhere(&facts.0, nat) || is_negative_by_search(&facts.0, nat)
    }

    #[test]
    fn points_satisfy_divisibilities_and_powers() {
        let facts = rounds();
        let points = &facts.0.points.0;
        assert!(!is_negative_somewhere(&facts.0, &Nat::ONE));
        let found: Vec<&Point> = points.iter().filter_map(|p| p.get()?.as_ref()).collect();
        assert!(found.len() >= MAX_STARTING_POINTS, "{found:?}");
        for point in found {
            assert_eq!((point.var(N) + point.var(Z)) % 8192, 0);
            assert!(point.var(N) > 0 && point.var(I) <= 5);
            assert!(point.var(X) < 1 << (5 - point.var(I)));
        }
    }

    #[test]
    fn what_fails_in_some_rounds_only_is_refuted() {
        let facts = rounds();
        let (x, y) = (Nat::var(X), Nat::var(Y));
        for nat in [
            half(I) - half(J),
            half(J) - half(I),
            &x + half(I) - &y - 1,
            &y + half(J) - &x - 1,
            &x - &y - half(J),
        ] {
            assert!(is_refuted(&facts, &nat), "{nat:?}");
        }
    }

    #[test]
    fn what_holds_is_not_refuted() {
        let facts = rounds();
        let (n, x, z) = (Nat::var(N), Nat::var(X), Nat::var(Z));
        for nat in [
            n + z - 8192,
            half(I) - &x - 1,
            half(I) * 2 - 2,
            Nat::sub(&Nat::constant(31), &x),
        ] {
            assert!(!is_refuted(&facts, &nat), "{nat:?}");
        }
    }
}
