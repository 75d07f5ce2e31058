//! Infers sizes from arguments: a file with 4 rows of 5 numbers that is read as `n.m.f32`
//! determines `n` and `m`.

use crate::shape::Bindings;
use nat::{Facts, Nat, Prop, Solution, Var};
use rise::subst::subst;
use rise::{Arg, DataFun, Names, Type};
use thiserror::Error;

/// The largest value that is tried for the only unknown variable of an equation that cannot be
/// solved symbolically.
const MAX_TRIED_SIZE: i64 = 1 << 16;

/// The lengths of a value whose type is not known yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UntypedShape {
    /// A scalar, or a value whose lengths are not known.
    Leaf,
    /// An array or vector of this length.
    Array(u64, Box<UntypedShape>),
    /// A tuple.
    Pair(Box<UntypedShape>, Box<UntypedShape>),
    /// An axis of a file: an array of this length, or an array whose rows are concatenated to this
    /// length.
    Joined(u64, Box<UntypedShape>),
}

/// An equation between a size and a number that an argument determines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equation {
    /// The size.
    pub size: Nat,
    /// The number.
    pub value: u64,
    /// The name of the argument.
    pub argument: String,
}

/// An error for sizes that contradict the arguments.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SizesError {
    /// The length of an argument differs from that of its type.
    #[error(
        "`{argument}` has {} where its type has {}{because}",
        elements_text(*.found),
        size_text(.size, *.expected)
    )]
    Mismatch {
        /// The name of the argument.
        argument: String,
        /// The length of the argument.
        found: u64,
        /// The length of the type, as an expression.
        size: String,
        /// The value of that expression.
        expected: u64,
        /// The values of the variables in the expression, as ` for n = 4`; empty if the expression
        /// has no variables, or is a single variable.
        because: String,
    },
    /// No sizes give the length of the argument.
    #[error(
        "`{argument}` has {} where its type has `{size}`: no sizes make them equal",
        elements_text(*.found)
    )]
    Impossible {
        /// The name of the argument.
        argument: String,
        /// The length of the argument.
        found: u64,
        /// The length of the type, as an expression.
        size: String,
    },
}

/// Formats a number of elements: "1 element", "2 elements".
pub fn elements_text(count: u64) -> String {
    match count {
        1 => "1 element".to_owned(),
        _ => format!("{count} elements"),
    }
}

/// Formats a size, with its value unless it is a number.
fn size_text(size: &str, number: u64) -> String {
    match size.parse() == Ok(number) {
        true => number.to_string(),
        false => format!("`{size}`, which is {number}"),
    }
}

/// Returns the equations between the sizes in a type and the lengths of an argument. If their
/// structures differ, the remaining parts give no equations: reading the argument reports the
/// error.
pub fn equations(ty: &Type, outline: &UntypedShape, argument: &str) -> Vec<Equation> {
    let mut found = Vec::new();
    collect(ty, outline, argument, &mut found);
    found
}

/// Returns the number of dimensions of a type and that of a value, where a vector counts as a
/// dimension, and a scalar has none. Returns `None` if the value has tuples, or the type has other
/// parts than arrays, vectors, scalars and indices.
pub fn dimensions(ty: &Type, outline: &UntypedShape) -> Option<(usize, usize)> {
    let (mut expected, mut rest) = (0, ty);
    loop {
        rest = match rest {
            Type::Array(_, element) | Type::Vector(_, element) => element,
            Type::Scalar(_) | Type::Index(_) => break,
            _ => return None,
        };
        expected += 1;
    }
    let (mut found, mut rest) = (0, outline);
    loop {
        rest = match rest {
            UntypedShape::Array(_, inner) | UntypedShape::Joined(_, inner) => inner,
            UntypedShape::Leaf => break,
            UntypedShape::Pair(..) => return None,
        };
        found += 1;
    }
    Some((expected, found))
}

fn collect(ty: &Type, outline: &UntypedShape, argument: &str, found: &mut Vec<Equation>) {
    let mut say = |size: &Nat, value: u64| {
        found.push(Equation {
            size: size.clone(),
            value,
            argument: argument.to_owned(),
        });
    };
    match (ty, outline) {
        (
            Type::Array(n, element),
            UntypedShape::Array(count, inner) | UntypedShape::Joined(count, inner),
        ) => {
            say(n, *count);
            collect(element, inner, argument, found);
        }
        (Type::Vector(n, _), UntypedShape::Array(count, _) | UntypedShape::Joined(count, _)) => {
            say(n, *count);
        }
        (Type::DepArray(n, _), UntypedShape::Array(count, _)) => say(n, *count),
        (Type::DepArray(n, DataFun::Lambda(var, body)), UntypedShape::Joined(count, inner)) => {
            let first = |v: Var| (v == *var).then(|| Arg::Nat(Nat::ZERO));
            match &**body {
                // Rows that differ in inner axes are concatenated with all of their axes.
                _ if axes(outline) == 1 => say(&elements(ty), *count),
                Type::Array(len, element) => {
                    say(&Nat::sum(*var, &Nat::ZERO, n, len), *count);
                    collect(&subst(element, &first), inner, argument, found);
                }
                // All rows are equal.
                _ => {
                    say(n, *count);
                    collect(&subst(body, &first), inner, argument, found);
                }
            }
        }
        (Type::Pair(first, second), UntypedShape::Pair(one, other)) => {
            collect(first, one, argument, found);
            collect(second, other, argument, found);
        }
        _ => {}
    }
}

fn axes(outline: &UntypedShape) -> usize {
    match outline {
        UntypedShape::Array(_, inner) | UntypedShape::Joined(_, inner) => 1 + axes(inner),
        UntypedShape::Leaf | UntypedShape::Pair(..) => 0,
    }
}

/// Returns the number of scalars of nested arrays and vectors; 1 for other types.
fn elements(ty: &Type) -> Nat {
    match ty {
        Type::Array(n, element) => n * &elements(element),
        Type::Vector(n, _) => n.clone(),
        Type::DepArray(n, DataFun::Lambda(var, body)) => {
            Nat::sum(*var, &Nat::ZERO, n, &elements(body))
        }
        _ => Nat::ONE,
    }
}

/// Solves the equations, and conditions of the form that two sizes are equal, for the size
/// variables. Variables that are not determined stay without a value, and conditions that do not
/// hold are not reported.
///
/// # Errors
/// Fails if no values of the variables satisfy an equation.
pub fn solve(
    equations: &[Equation],
    conditions: &[Prop],
    bindings: &mut Bindings,
) -> Result<(), SizesError> {
    let mut open: Vec<&Equation> = equations.iter().collect();
    loop {
        let known = bindings.nats.len();
        let mut left = Vec::new();
        for equation in open {
            if !step(equation, bindings)? {
                left.push(equation);
            }
        }
        for condition in conditions {
            if let Some((var, value)) = said_by(condition, bindings) {
                bindings.nats.insert(var, value);
            }
        }
        if bindings.nats.len() == known {
            return Ok(());
        }
        open = left;
    }
}

/// Solves a condition that two sizes are equal for its only unknown variable. Returns `None` if it
/// has none or several, or no value from 0 satisfies it, and for other conditions.
fn said_by(condition: &Prop, bindings: &Bindings) -> Option<(Var, i64)> {
    let Prop::Equal(a, b) = condition else {
        return None;
    };
    let [a, b] = [a, b].map(|size| substituted(size, bindings));
    let var = [&a, &b].into_iter().find_map(some_var)?;
    let is_other = |size: &Nat| size.any_var(&|other| other != var);
    if is_other(&a) || is_other(&b) {
        return None;
    }
    let solution = nat::solve(&a, &b, &Facts::new(), &|_| true, &|_, _| true);
    let Solution::Solved(all) = solution else {
        return None;
    };
    let value = all.first()?.value.as_const().filter(|value| *value >= 0)?;
    let at = |size: &Nat| size.eval(&|_| Some(value), &|_, _| None);
    (at(&a).is_some() && at(&a) == at(&b)).then_some((var, value))
}

fn some_var(size: &Nat) -> Option<Var> {
    let mut found = None;
    size.for_each_var(&mut |var| found = found.or(Some(var)));
    found
}

/// Solves an equation for its only unknown variable. Returns true if no variable of the equation is
/// unknown any more, and false if it has several unknown variables, or its value is not unique.
fn step(equation: &Equation, bindings: &mut Bindings) -> Result<bool, SizesError> {
    let size = substituted(&equation.size, bindings);
    let mut vars = Vec::new();
    size.for_each_var(&mut |var| {
        if !vars.contains(&var) {
            vars.push(var);
        }
    });
    match vars[..] {
        [] => match bindings.nat(&size) {
            Ok(value) if value == equation.value => Ok(true),
            Ok(value) => Err(mismatch(equation, value, bindings)),
            Err(_) => Err(impossible(equation, &bindings.names)),
        },
        [var] => match solved(&size, var, equation.value) {
            SolveResult::One(value) => {
                bindings.nats.insert(var, value);
                Ok(true)
            }
            SolveResult::None => Err(impossible(equation, &bindings.names)),
            SolveResult::Open => Ok(false),
        },
        _ => Ok(false),
    }
}

enum SolveResult {
    One(i64),
    None,
    Open,
}

/// Solves the equation that `size`, whose only variable is `var`, equals `value`.
fn solved(size: &Nat, var: Var, value: u64) -> SolveResult {
    let Ok(value) = i64::try_from(value) else {
        return SolveResult::Open;
    };
    let wanted = Nat::constant(value);
    let open = |other| other == var;
    let at = |index: i64| size.eval(&|other| (other == var).then_some(index), &|_, _| None);
    match nat::solve(size, &wanted, &Facts::new(), &open, &|_, _| true) {
        Solution::Solved(all) => {
            if let [one] = &all[..]
                && one.var == var
                && let Some(number) = one.value.as_const()
            {
                return if number >= 0 && at(number) == Some(value) {
                    SolveResult::One(number)
                } else {
                    SolveResult::None
                };
            }
        }
        Solution::Refuted(_) => return SolveResult::None,
        Solution::Trivial => return SolveResult::Open,
        Solution::Stuck => {}
    }
    let mut found = (0..=MAX_TRIED_SIZE).filter(|index| at(*index) == Some(value));
    match (found.next(), found.next()) {
        (Some(number), None) => SolveResult::One(number),
        _ => SolveResult::Open,
    }
}

fn substituted(size: &Nat, bindings: &Bindings) -> Nat {
    let size = size.subst_fun(&|var| bindings.size_funs.get(&var).cloned());
    size.subst(&|var| bindings.nats.get(&var).map(|value| Nat::constant(*value)))
}

fn mismatch(equation: &Equation, expected: u64, bindings: &Bindings) -> SizesError {
    let known = bindings.values_text(|visit| equation.size.for_each_var(visit));
    let because = if known.is_empty() || equation.size.as_var().is_some() {
        String::new()
    } else {
        format!(" for {known}")
    };
    SizesError::Mismatch {
        argument: equation.argument.clone(),
        found: equation.value,
        size: rise::print::nat_text(&equation.size, &bindings.names),
        expected,
        because,
    }
}

fn impossible(equation: &Equation, names: &Names) -> SizesError {
    SizesError::Impossible {
        argument: equation.argument.clone(),
        found: equation.value,
        size: rise::print::nat_text(&equation.size, names),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn n() -> Nat {
        Nat::var(Var(0))
    }

    fn m() -> Nat {
        Nat::var(Var(1))
    }

    fn solve_all(all: &[(Nat, u64)]) -> Result<Vec<(u32, i64)>, String> {
        let equations: Vec<_> = all
            .iter()
            .map(|(size, value)| Equation {
                size: size.clone(),
                value: *value,
                argument: "xs".to_owned(),
            })
            .collect();
        let mut bindings = Bindings {
            names: Names(["n".into(), "m".into()].into()),
            ..Bindings::default()
        };
        solve(&equations, &[], &mut bindings).map_err(|error| error.to_string())?;
        let mut found: Vec<_> = bindings
            .nats
            .iter()
            .map(|(var, value)| (var.0, *value))
            .collect();
        found.sort_unstable();
        Ok(found)
    }

    #[test]
    fn sizes_follow_from_others() {
        assert_eq!(
            solve_all(&[(n() * m(), 12), (n() + 2, 6)]),
            Ok(vec![(0, 4), (1, 3)])
        );
        assert_eq!(solve_all(&[(n() * n(), 49)]), Ok(vec![(0, 7)]));
        assert_eq!(
            solve_all(&[(Nat::pow(&Nat::constant(2), &n()), 32)]),
            Ok(vec![(0, 5)])
        );
        assert_eq!(solve_all(&[(n() * m(), 12)]), Ok(vec![]));
        // The solutions are 8, 9, 10 and 11.
        assert_eq!(
            solve_all(&[(Nat::div(&n(), &Nat::constant(4)), 2)]),
            Ok(vec![])
        );
    }

    #[test]
    fn sizes_that_do_not_fit_are_refused() {
        assert_eq!(
            solve_all(&[(n(), 4), (n(), 5)]),
            Err("`xs` has 5 elements where its type has `n`, which is 4".to_owned())
        );
        assert_eq!(
            solve_all(&[(Nat::constant(4), 1)]),
            Err("`xs` has 1 element where its type has 4".to_owned())
        );
        assert_eq!(
            solve_all(&[(n(), 4), (n() * 2, 5)]),
            Err("`xs` has 5 elements where its type has `n*2`, which is 8 for n = 4".to_owned())
        );
        assert_eq!(
            solve_all(&[(n() * 2, 5)]),
            Err(
                "`xs` has 5 elements where its type has `n*2`: no sizes make them equal".to_owned()
            )
        );
        assert_eq!(
            solve_all(&[(n() + 3, 2)]),
            Err(
                "`xs` has 2 elements where its type has `n + 3`: no sizes make them equal"
                    .to_owned()
            )
        );
    }
}
