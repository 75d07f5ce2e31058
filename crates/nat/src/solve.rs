//! The solver of equations between sizes with unknowns.

use crate::facts::Facts;
use crate::prop::Prop;
use crate::prove::Verdict;
use crate::repr::{Atom, Factor, Mono, Nat, Repr, Term, Var};

/// The result of solving an equation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Solution {
    /// The equation holds for all values of the unknowns.
    Trivial,
    /// The equation holds with these values under their conditions; no value mentions an assigned
    /// variable.
    Solved(Vec<Assignment>),
    /// The equation has no solution: it fails for these values of its variables, or for all values
    /// if the list is empty.
    Refuted(Vec<(Var, i64)>),
    /// The equation was not decided.
    Stuck,
}

/// The value of an unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The unknown.
    pub var: Var,
    /// The value of the unknown.
    pub value: Nat,
    /// The conditions that make the value a solution, as far as they are not proved.
    pub needs: Vec<Prop>,
}

/// Solves `lhs = rhs` for one of the unknowns, which are the variables that are `open`; its value
/// may mention the others. If the equation has to hold for all values of variables that no unknown
/// may mention, it is split into several equations, each of which is solved for one unknown.
///
/// The value of `x` mentions a variable `v` only if `visible(x, v)`. An equation without unknowns
/// is proved or refuted.
pub fn solve(
    lhs: &Nat,
    rhs: &Nat,
    facts: &Facts,
    open: &dyn Fn(Var) -> bool,
    visible: &dyn Fn(Var, Var) -> bool,
) -> Solution {
    if lhs == rhs {
        return Solution::Trivial;
    }
    for (side, other) in [(lhs, rhs), (rhs, lhs)] {
        let Repr::Var(var) = side.0 else { continue };
        let fits = |v: Var| v != var && visible(var, v);
        if open(var) && !other.any_var(&|v| !fits(v)) && other.is_plainly_nonneg() {
            let (value, needs) = (other.clone(), Vec::new());
            return Solution::Solved(vec![Assignment { var, value, needs }]);
        }
    }
    let solver = Solver {
        lhs,
        rhs,
        facts,
        open,
        visible,
    };
    let difference = Nat::sub(lhs, rhs);
    if difference.is_zero() {
        return Solution::Trivial;
    }
    if !difference.any_var(open) {
        let rigid = !lhs.any_var(open) && !rhs.any_var(open);
        return if rigid {
            solver.rigid()
        } else {
            solver.zero(&difference)
        };
    }
    let difference = if facts.is_empty() {
        difference
    } else {
        facts.normalize(&difference)
    };
    match solver.one(&difference) {
        Solution::Stuck => solver.by_coefficients(&difference),
        solution => solution,
    }
}

struct Solver<'a> {
    lhs: &'a Nat,
    rhs: &'a Nat,
    facts: &'a Facts,
    open: &'a dyn Fn(Var) -> bool,
    visible: &'a dyn Fn(Var, Var) -> bool,
}

/// The linear equation `coeff * var + rest = 0`, where `var` occurs in neither.
struct Linear {
    var: Var,
    coeff: Nat,
    rest: Nat,
}

impl Solver<'_> {
    /// Decides an equation without unknowns.
    fn rigid(&self) -> Solution {
        let prop = Prop::Equal(self.lhs.clone(), self.rhs.clone());
        match self.facts.prove(&prop) {
            Verdict::Proved => Solution::Trivial,
            Verdict::Refuted(sizes) => Solution::Refuted(sizes),
            Verdict::Unknown => Solution::Stuck,
        }
    }

    fn zero(&self, nat: &Nat) -> Solution {
        let (plus, minus) = nat.split_signs();
        match self.facts.prove(&Prop::Equal(plus, minus)) {
            Verdict::Proved => Solution::Trivial,
            Verdict::Refuted(sizes) => Solution::Refuted(sizes),
            Verdict::Unknown if self.facts.excludes(&Prop::Equal(nat.clone(), Nat::ZERO)) => {
                Solution::Refuted(Vec::new())
            }
            Verdict::Unknown => Solution::Stuck,
        }
    }

    fn unknowns(&self, nat: &Nat) -> Vec<Var> {
        let mut vars = Vec::new();
        nat.for_each_var(&mut |v| {
            if (self.open)(v) && !vars.contains(&v) {
                vars.push(v);
            }
        });
        vars
    }

    /// Solves `nat = 0` for one unknown: one in which the equation is linear, or the only one if
    /// the equation has the form `a*x^k + c = 0` for constants `a` and `c`. Of several solutions it
    /// takes one with the fewest conditions. Decides the equation if it has no unknowns.
    fn one(&self, nat: &Nat) -> Solution {
        if nat.is_zero() {
            return Solution::Trivial;
        }
        let unknowns = self.unknowns(nat);
        if unknowns.is_empty() {
            return self.zero(nat);
        }
        let nat = &self.primitive(nat);
        let mut best: Option<((usize, usize), Assignment)> = None;
        for var in &unknowns {
            let Some(linear) = isolate(nat, *var) else {
                continue;
            };
            let assignment = match self.divide(linear, unknowns.len() == 1) {
                Some(Ok(assignment)) => assignment,
                Some(Err(refuted)) => return refuted,
                None => continue,
            };
            let key = (assignment.needs.len(), self.occurrences(*var));
            if best.as_ref().is_none_or(|(old, _)| key < *old) {
                best = Some((key, assignment));
            }
        }
        match (best, unknowns.as_slice()) {
            (Some((_, assignment)), _) => Solution::Solved(vec![assignment]),
            _ if self.facts.excludes(&Prop::Equal(nat.clone(), Nat::ZERO)) => {
                Solution::Refuted(Vec::new())
            }
            (None, [var]) => self.root(nat, *var),
            _ => Solution::Stuck,
        }
    }

    /// Divides by the greatest common divisor of the coefficients, and by those factors common to
    /// all terms that mention no unknown and are proved to be positive.
    fn primitive(&self, nat: &Nat) -> Nat {
        let content = Nat::constant(nat.content().max(1));
        let mut nat = nat.exact_div(&content).unwrap_or_else(|| nat.clone());
        for factor in nat.common_mono().0 {
            let base = factor.atom.clone().nat();
            let positive = Prop::AtLeast(base.clone(), Nat::ONE);
            if !base.any_var(self.open) && self.facts.proves(&positive) {
                let all = Nat::pow(&base, &Nat::constant(i64::from(factor.exp)));
                nat = nat.exact_div(&all).unwrap_or(nat);
            }
        }
        nat
    }

    fn occurrences(&self, var: Var) -> usize {
        let mut count = 0;
        let mut visit = |v| count += usize::from(v == var);
        self.lhs.for_each_var(&mut visit);
        self.rhs.for_each_var(&mut visit);
        count
    }

    /// Solves a linear equation by division. Returns `Solution::Refuted` as `Err` if it has no
    /// solution, and `None` if no solution is found in variables that are visible to the unknown.
    /// Unless the unknown is `alone`, that is, the only one, the division has to be exact.
    fn divide(&self, linear: Linear, alone: bool) -> Option<Result<Assignment, Solution>> {
        let Linear { var, coeff, rest } = linear;
        let seen = |nat: &Nat| !nat.any_var(&|v| !(self.visible)(var, v));
        let (above, below) = self.positive(-&rest, coeff);
        if let Some(value) = above.exact_div(&below) {
            if !seen(&value) {
                return None;
            }
            return Some(self.assign(var, value.clone(), &value, Vec::new()));
        }
        // With several unknowns a division would assume more than the equation implies.
        if !alone || !seen(&above) || !seen(&below) {
            return None;
        }
        let divides = Prop::Divides(below.clone(), above.clone());
        if self.facts.excludes(&divides) {
            return Some(Err(Solution::Refuted(Vec::new())));
        }
        let value = self.facts.normalize(&Nat::div(&above, &below));
        let needs = if self.facts.proves(&divides) {
            Vec::new()
        } else {
            vec![divides]
        };
        Some(self.assign(var, value, &above, needs))
    }

    /// Returns the operands of `above / below`, both negated if that presumably makes the divisor
    /// positive.
    fn positive(&self, above: Nat, below: Nat) -> (Nat, Nat) {
        let is_positive = |nat: &Nat| {
            self.facts.proves(&Prop::AtLeast(nat.clone(), Nat::ONE)) || nat.is_plainly_nonneg()
        };
        let negated = -&below;
        let leads_negative = below.terms().first().is_some_and(|t| t.coeff < 0);
        if !is_positive(&below) && (is_positive(&negated) || leads_negative) {
            (-above, negated)
        } else {
            (above, below)
        }
    }

    fn assign(
        &self,
        var: Var,
        value: Nat,
        nonneg: &Nat,
        mut needs: Vec<Prop>,
    ) -> Result<Assignment, Solution> {
        let (plus, minus) = nonneg.split_signs();
        let at_least = Prop::AtLeast(plus, minus);
        if !self.facts.proves(&at_least) {
            if self.facts.excludes(&at_least) {
                return Err(Solution::Refuted(Vec::new()));
            }
            needs.push(at_least);
        }
        Ok(Assignment { var, value, needs })
    }

    /// Solves `nat = 0` of the form `a*x^k + c = 0` for constants `a` and `c` and `k >= 2`, where
    /// `x` is `var`. Returns `Solution::Stuck` for any other form.
    fn root(&self, nat: &Nat, var: Var) -> Solution {
        let terms = nat.terms();
        let (term, constant) = match terms.as_ref() {
            [term] => (term, 0),
            [term, last] if last.mono.is_one() => (term, last.coeff),
            _ => return Solution::Stuck,
        };
        let [
            Factor {
                atom: Atom::Var(this),
                exp,
            },
        ] = term.mono.0.as_slice()
        else {
            return Solution::Stuck;
        };
        if *this != var || *exp < 2 {
            return Solution::Stuck;
        }
        let power = constant
            .checked_neg()
            .filter(|c| c.checked_rem(term.coeff) == Some(0));
        let root = power
            .and_then(|c| c.checked_div(term.coeff))
            .filter(|c| *c >= 0)
            .and_then(|c| crate::arith::exact_root(c, *exp));
        match root {
            Some(root) => {
                let value = Nat::constant(root);
                Solution::Solved(vec![Assignment {
                    var,
                    value,
                    needs: Vec::new(),
                }])
            }
            None => Solution::Refuted(Vec::new()),
        }
    }

    /// Solves `nat = 0` by comparing coefficients, because it must hold for all values of the
    /// variables that no unknown may mention. Returns `Solution::Stuck` without such variables.
    fn by_coefficients(&self, nat: &Nat) -> Solution {
        let unknowns = self.unknowns(nat);
        let hidden = |v: Var| !(self.open)(v) && unknowns.iter().all(|x| !(self.visible)(*x, v));
        if !nat.any_var(&hidden) {
            return Solution::Stuck;
        }
        let mut groups: Vec<(Mono, Vec<Term>)> = Vec::new();
        for Term { mono, coeff } in nat.terms().iter() {
            let (mut outside, mut inside) = (Mono::one(), Mono::one());
            for factor in &mono.0 {
                let atom = factor.atom.clone().nat();
                let is_hidden = atom.any_var(&hidden);
                if is_hidden && atom.any_var(self.open) {
                    return Solution::Stuck;
                }
                let side = if is_hidden { &mut inside } else { &mut outside };
                side.0.push(factor.clone());
            }
            let term = Term {
                mono: outside,
                coeff: *coeff,
            };
            match groups.iter_mut().find(|(m, _)| *m == inside) {
                Some((_, terms)) => terms.push(term),
                None => groups.push((inside, vec![term])),
            }
        }
        let equations: Option<Vec<Nat>> = groups
            .into_iter()
            .map(|(_, terms)| crate::arith::collect(terms))
            .collect();
        equations.map_or(Solution::Stuck, |equations| self.all(equations))
    }

    fn all(&self, mut equations: Vec<Nat>) -> Solution {
        let mut solved: Vec<Assignment> = Vec::new();
        while !equations.is_empty() {
            let mut progress = false;
            for at in 0..equations.len() {
                match self.one(&equations[at]) {
                    Solution::Trivial => {}
                    Solution::Solved(new) => {
                        for assignment in new {
                            substitute(&mut equations, &mut solved, &assignment);
                            solved.push(assignment);
                        }
                    }
                    Solution::Refuted(sizes) => return Solution::Refuted(sizes),
                    Solution::Stuck => continue,
                }
                equations.remove(at);
                progress = true;
                break;
            }
            if !progress {
                return Solution::Stuck;
            }
        }
        if solved.is_empty() {
            Solution::Trivial
        } else {
            Solution::Solved(solved)
        }
    }
}

fn substitute(equations: &mut [Nat], solved: &mut [Assignment], new: &Assignment) {
    let put = |v: Var| (v == new.var).then(|| new.value.clone());
    for equation in equations {
        *equation = equation.subst(&put);
    }
    for old in solved {
        old.value = old.value.subst(&put);
        old.needs = old.needs.iter().map(|prop| prop.subst(&put)).collect();
    }
}

/// Isolates `var` in the equation `nat = 0`; `None` if `nat` is not linear in it or does not
/// mention it.
fn isolate(nat: &Nat, var: Var) -> Option<Linear> {
    let atom = Mono::atom(Atom::Var(var));
    let (mut coeff, mut rest) = (Nat::ZERO, Vec::new());
    for term in nat.terms().iter() {
        match term.mono.over(&atom) {
            Some(mono) => coeff = coeff + Nat::from_term(mono, term.coeff),
            None => rest.push(term.clone()),
        }
    }
    let rest = Nat::from_sorted(rest);
    let fits = !coeff.is_zero() && !coeff.mentions(var) && !rest.mentions(var);
    fits.then_some(Linear { var, coeff, rest })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn isolates_factors_only() {
        let (x, n) = (Nat::var(Var(0)), Nat::var(Var(1)));
        let linear = isolate(&(&x * &n + 3 - &x), Var(0)).unwrap();
        assert_eq!(linear.coeff, &n - 1);
        assert_eq!(linear.rest, Nat::constant(3));
        assert!(isolate(&(&x * &x + 1), Var(0)).is_none());
        assert!(isolate(&(Nat::div(&x, &n) + &x), Var(0)).is_none());
    }
}
