//! Decides if a filter is separable, that is, if its matrix of weights is the product of a column
//! and a row, and computes these.

use std::sync::Arc;

use rise::Primitive;
use rise::core::{Def, Expr, Form};
use syntax::GlobalId;
use syntax::ast::Literal;

use crate::term::{Node, Store, Term};

/// The relative tolerance for weights that are not whole numbers. It is more than a hundred
/// roundings of an `f32`.
const TOLERANCE: f64 = 1e-5;

/// The maximal depth of a matrix of weights, counted in nested terms and unfolded definitions.
const MAX_DEPTH: u32 = 32;

enum Weights {
    Number(f64),
    Array(Vec<Weights>),
}

/// Returns true if the matrix `weights` is the outer product of `column` and `row`. All of them
/// must be arrays of literals; definitions are unfolded, and arithmetic on literals is evaluated.
/// Weights that are not whole numbers are compared with a tolerance.
pub fn outer_product(
    store: &Store,
    definition: Definition,
    column: Term,
    row: Term,
    weights: Term,
) -> bool {
    let value = |term| of_term(store, definition, term, 0);
    let (Some(column), Some(row), Some(matrix)) = (value(column), value(row), value(weights))
    else {
        return false;
    };
    let (Some(column), Some(row)) = (numbers(&column), numbers(&row)) else {
        return false;
    };
    let Weights::Array(lines) = matrix else {
        return false;
    };
    lines.len() == column.len()
        && lines.iter().zip(&column).all(|(line, left)| {
            numbers(line).is_some_and(|line| {
                line.len() == row.len()
                    && line
                        .iter()
                        .zip(&row)
                        .all(|(weight, right)| near(*weight, left * right))
            })
        })
}

/// A column and a row whose outer product is a matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Factors {
    /// One number for each row of the matrix.
    pub column: Vec<f64>,
    /// One number for each column of the matrix.
    pub row: Vec<f64>,
}

/// Returns the factors of a matrix of literals; an error if it is not an outer product, or all of
/// its weights are 0. `None` if it is not a matrix of literals. Definitions are unfolded, and
/// arithmetic on literals is evaluated.
///
/// If the sum of the matrix is positive, the column and the row have the same sum, so that a filter
/// that preserves the brightness is split into two that do. An exception is a matrix of integers
/// for which these factors are not integers: its factors are other ones, which are integers.
pub fn factors(
    store: &Store,
    definition: Definition,
    weights: Term,
) -> Option<Result<Factors, ()>> {
    let Weights::Array(lines) = of_term(store, definition, weights, 0)? else {
        return None;
    };
    let lines = lines.iter().map(numbers).collect::<Option<Vec<_>>>()?;
    Some(product(&lines).ok_or(()))
}

fn product(lines: &[Vec<f64>]) -> Option<Factors> {
    let first = lines.iter().find(|line| line.iter().any(|w| *w != 0.0))?;
    let pivot = first.iter().position(|weight| *weight != 0.0)?;
    let total: f64 = lines.iter().flatten().sum();
    let scale = total.abs().sqrt();
    let sums = || {
        let column = lines.iter().map(|line| line.iter().sum::<f64>() / scale);
        let row = (0..first.len()).map(|at| {
            let sum: f64 = lines.iter().filter_map(|line| line.get(at)).sum();
            sum / scale * total.signum()
        });
        (column.collect(), row.collect())
    };
    let own = || {
        let divisor = first.iter().copied().fold(0.0, divisor);
        let row: Vec<f64> = first.iter().map(|weight| weight / divisor).collect();
        let column = lines
            .iter()
            .map(|line| line.get(pivot).unwrap_or(&0.0) / row[pivot]);
        (column.collect(), row)
    };
    let whole = |(column, row): &(Vec<f64>, Vec<f64>)| {
        column.iter().chain(row).all(|weight| weight.fract() == 0.0)
    };
    let integers = lines.iter().flatten().all(|weight| weight.fract() == 0.0);
    let (column, row) = match scale > 0.0 {
        true => Some(sums()).filter(|found| !integers || whole(found)),
        false => None,
    }
    .unwrap_or_else(own);
    let fits = lines.iter().zip(&column).all(|(line, left)| {
        line.len() == row.len()
            && line
                .iter()
                .zip(&row)
                .all(|(w, right)| near(*w, left * right))
    });
    fits.then_some(Factors { column, row })
}

/// Returns the greatest common divisor of two integers. If one of them is not an integer, returns
/// the first number, or the absolute value of the second one if the first is 0.
fn divisor(a: f64, b: f64) -> f64 {
    if a.fract() != 0.0 || b.fract() != 0.0 {
        return if a == 0.0 { b.abs() } else { a };
    }
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0.0 {
        (a, b) = (b, a % b);
    }
    a
}

fn near(a: f64, b: f64) -> bool {
    let are_whole = a.fract() == 0.0 && b.fract() == 0.0;
    a == b || !are_whole && (a - b).abs() <= TOLERANCE * a.abs().max(b.abs())
}

fn numbers(weights: &Weights) -> Option<Vec<f64>> {
    let Weights::Array(elements) = weights else {
        return None;
    };
    let number = |element: &Weights| match element {
        Weights::Number(number) => Some(*number),
        Weights::Array(_) => None,
    };
    elements.iter().map(number).collect()
}

type Definition<'a> = &'a dyn Fn(GlobalId) -> Option<Arc<Def<Primitive>>>;

fn of_term(store: &Store, definition: Definition, term: Term, depth: u32) -> Option<Weights> {
    if depth > MAX_DEPTH {
        return None;
    }
    let (mut head, mut args) = (term, Vec::new());
    while let Node::Apply(f, x) = store.node(head) {
        args.push(x);
        head = f;
    }
    match (store.node(head), args.is_empty()) {
        (Node::Literal(literal), true) => number_of(store.literal_of(literal)),
        (Node::Global(id, _), true) => of_expr(definition, &definition(id)?.body, depth + 1),
        (Node::Primitive(primitive, _), false) => {
            let values = args.iter().rev();
            let values = values.map(|arg| of_term(store, definition, *arg, depth + 1));
            of_primitive(primitive, values.collect::<Option<_>>()?)
        }
        _ => None,
    }
}

fn of_expr(definition: Definition, expr: &Expr<Primitive>, depth: u32) -> Option<Weights> {
    if depth > MAX_DEPTH {
        return None;
    }
    match &expr.form {
        Form::Literal(literal) => number_of(literal),
        Form::Global(id, _) => of_expr(definition, &definition(*id)?.body, depth + 1),
        Form::Primitive(primitive, _, values) => {
            let values = values.iter();
            let values = values.map(|value| of_expr(definition, value, depth + 1));
            of_primitive(*primitive, values.collect::<Option<_>>()?)
        }
        _ => None,
    }
}

fn number_of(literal: &Literal) -> Option<Weights> {
    Some(Weights::Number(match literal {
        // Weights are small numbers; a larger integer is not accepted.
        Literal::Int { value, .. } => f64::from(i32::try_from(*value).ok()?),
        Literal::Float { text, .. } => text.parse().ok()?,
        Literal::Bool(_) => return None,
    }))
}

fn of_primitive(primitive: Primitive, values: Vec<Weights>) -> Option<Weights> {
    if primitive == Primitive::MakeArray {
        return Some(Weights::Array(values));
    }
    let values = numbers(&Weights::Array(values))?;
    arithmetic(primitive, &values).map(Weights::Number)
}

fn arithmetic(primitive: Primitive, values: &[f64]) -> Option<f64> {
    Some(match (primitive, values) {
        (Primitive::Add, [a, b]) => a + b,
        (Primitive::Sub, [a, b]) => a - b,
        (Primitive::Mul, [a, b]) => a * b,
        (Primitive::Div, [a, b]) => a / b,
        (Primitive::Neg, [a]) => -a,
        (Primitive::Fma, [a, b, c]) => a.mul_add(*b, *c),
        _ => return None,
    })
}
