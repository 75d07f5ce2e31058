//! The search for small counterexamples.

use crate::facts::Facts;
use crate::prop::Prop;
use crate::repr::{Nat, Var};

/// The number of assignments after which the search ends.
const MAX_ASSIGNMENTS: u64 = 20_000;
/// The greatest value of a variable that is tried, relative to its least value.
const MAX_VALUE: i64 = 130;

/// Searches for values for which `prop` fails and that satisfy all assumptions that share variables
/// with `prop`, directly or through other assumptions. Small values are tried first. Returns the
/// values of the variables of `prop`.
///
/// Returns `None` if no such values are found within the limits, or if more than 8 variables would
/// have to be enumerated. Size functions have no values, so assignments for which one has to be
/// evaluated are not found.
pub(crate) fn counterexample(facts: &Facts, prop: &Prop) -> Option<Vec<(Var, i64)>> {
    let search = Search::new(facts, prop)?;
    search.run()
}

struct Search<'a> {
    prop: &'a Prop,
    /// The assumptions that share variables with the condition, directly or through other
    /// assumptions.
    facts: Vec<&'a Prop>,
    facts_in: &'a Facts,
    /// The variables of the condition.
    shown: Vec<Var>,
    /// The variables whose values are enumerated, with their least values.
    free: Vec<(Var, i64)>,
}

struct Candidate {
    /// The largest value of a variable of the condition, then the values of all these variables;
    /// the candidate with the smallest key is preferred.
    key: (i64, Vec<i64>),
}

impl<'a> Search<'a> {
    fn new(facts: &'a Facts, prop: &'a Prop) -> Option<Search<'a>> {
        let mut shown = vars_of(prop);
        shown.sort();
        let mut vars = shown.clone();
        let mut related: Vec<&Prop> = Vec::new();
        loop {
            let before = related.len();
            for fact in facts.assumed() {
                let mentioned = vars_of(fact);
                if !related.contains(&fact) && mentioned.iter().any(|v| vars.contains(v)) {
                    related.push(fact);
                    vars.extend(
                        mentioned
                            .into_iter()
                            .filter(|v| !vars.contains(v))
                            .collect::<Vec<_>>(),
                    );
                }
            }
            if related.len() == before {
                break;
            }
        }
        let mut free: Vec<(Var, i64)> = Vec::new();
        for var in &vars {
            facts.0.inner(&Nat::var(*var)).for_each_var(&mut |v| {
                if !free.iter().any(|(f, _)| *f == v) {
                    free.push((v, 0));
                }
            });
        }
        free.sort();
        for (var, least) in &mut free {
            *least = least_value(facts, *var);
        }
        if free.len() > 8 {
            return None;
        }
        Some(Search {
            prop,
            facts: related,
            facts_in: facts,
            shown,
            free,
        })
    }

    fn run(&self) -> Option<Vec<(Var, i64)>> {
        let mut found: Option<Candidate> = None;
        let mut tried = 0u64;
        for level in 0..=MAX_VALUE {
            let mut values = vec![0i64; self.free.len()];
            loop {
                if values.iter().max().copied().unwrap_or(0) == level {
                    tried += 1;
                    self.consider(&values, &mut found);
                }
                if tried > MAX_ASSIGNMENTS || !next(&mut values, level) {
                    break;
                }
            }
            let done = found.as_ref().is_some_and(|f| f.key.0 <= level);
            if done || tried > MAX_ASSIGNMENTS || self.free.is_empty() {
                break;
            }
            if found.is_some() && tried > MAX_ASSIGNMENTS / 4 {
                break;
            }
        }
        found.map(|f| self.shown.iter().copied().zip(f.key.1).collect())
    }

    fn consider(&self, values: &[i64], found: &mut Option<Candidate>) {
        let base = |var: Var| {
            let at = self.free.iter().position(|(v, _)| *v == var)?;
            self.free[at].1.checked_add(values[at])
        };
        let none = |_: Var, _: i64| None;
        let substitutions = &self.facts_in.0.substitutions;
        let all = |var: Var| match substitutions.iter().find(|s| s.var == var) {
            Some(shape) => shape.value.eval(&base, &none).filter(|v| *v >= 0),
            None => base(var),
        };
        let Some(sizes) = self
            .shown
            .iter()
            .map(|v| all(*v))
            .collect::<Option<Vec<i64>>>()
        else {
            return;
        };
        let key = (sizes.iter().max().copied().unwrap_or(0), sizes);
        if found.as_ref().is_some_and(|f| f.key <= key) {
            return;
        }
        if is_counterexample(self.prop, &all)
            && self
                .facts
                .iter()
                .all(|fact| fact.eval(&all, &none) == Some(true))
        {
            *found = Some(Candidate { key });
        }
    }
}

/// Advances to the next assignment with values up to `level`; the last value changes fastest.
/// Returns false if there is no next one.
fn next(values: &mut [i64], level: i64) -> bool {
    for at in (0..values.len()).rev() {
        if values[at] < level {
            values[at] += 1;
            return true;
        }
        values[at] = 0;
    }
    false
}

fn vars_of(prop: &Prop) -> Vec<Var> {
    let mut vars = Vec::new();
    prop.for_each_var(&mut |v| {
        if !vars.contains(&v) {
            vars.push(v);
        }
    });
    vars
}

/// Returns the largest constant lower bound of the variable that a single inequality of the
/// assumptions states, or 0.
fn least_value(facts: &Facts, var: Var) -> i64 {
    let bound = |nat: &Nat| match nat.terms().as_ref() {
        [term, last] if last.mono.is_one() && term.coeff > 0 && last.coeff < 0 => {
            let this = Nat::from_term(term.mono.clone(), 1).as_var() == Some(var);
            let above = last.coeff.checked_neg()?.checked_add(term.coeff - 1)?;
            this.then(|| above / term.coeff)
        }
        _ => None,
    };
    facts.0.nonneg.iter().filter_map(bound).max().unwrap_or(0)
}

/// Returns true if the condition is defined for these values and fails. An equation of which a side
/// is negative does not count, because the negative size is another mistake.
fn is_counterexample(prop: &Prop, vars: &dyn Fn(Var) -> Option<i64>) -> bool {
    let none = |_: Var, _: i64| None;
    if let Prop::Equal(a, b) = prop {
        return match (a.eval(vars, &none), b.eval(vars, &none)) {
            (Some(a), Some(b)) => a >= 0 && b >= 0 && a != b,
            _ => false,
        };
    }
    prop.eval(vars, &none) == Some(false)
}
