//! Weights of filters: whether a matrix of numbers is the product of a column and a row.

use std::sync::Arc;

use rise::Primitive;
use rise::core::{Def, Expr, Form};
use syntax::GlobalId;
use syntax::ast::Literal;

use crate::term::{Node, Store, Term};

/// How much floats may differ from the product, relative to it: several roundings of an `f32`.
const TOLERANCE: f64 = 1e-5;

/// How deeply definitions are followed.
const MAX_DEPTH: u32 = 32;

/// Numbers in arrays.
enum Weights {
    Number(f64),
    Array(Vec<Weights>),
}

/// Whether `weights` is a matrix of literals, and `column` and `row` are arrays of literals, whose
/// products are the elements of the matrix. Definitions are followed, and arithmetic of literals is
/// computed.
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

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= TOLERANCE * a.abs().max(b.abs())
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
        // Weights are small; what a float cannot hold exactly is no weight.
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
        _ => return None,
    })
}
