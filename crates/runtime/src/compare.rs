//! Comparison of results.

use crate::scalar::{Leaf, Scalar};
use crate::shape::Shape;
use crate::value::Value;
use std::fmt::{self, Display};
use syntax::ast::ScalarType;

/// The differences of two values of one shape. An element `a` is wrong if `|a - b| > tolerance *
/// max(1, |b|)` for the expected element `b`. The tolerance of elements that are not floating-point
/// numbers is 0. NaN equals NaN, and an infinity equals itself. Elements that the expected value
/// never writes are not compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// The number of elements that were compared.
    pub compared: u64,
    /// The number of elements that the expected value never writes.
    pub skipped: u64,
    /// The number of wrong elements.
    pub wrong: u64,
    /// The number of compared elements that are floating-point numbers, which have a tolerance.
    pub floats: u64,
    /// The number of elements for which NaN is expected.
    pub nan: u64,
    /// The number of elements for which an infinity is expected.
    pub infinite: u64,
    /// The first wrong element.
    pub first: Option<Difference>,
    /// The element with the largest error, relative to `max(1, |b|)`, which may be within the
    /// tolerance. It is `None` if the error of all elements is 0.
    pub worst: Option<Difference>,
}

/// An element in which two values differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The path to the element.
    pub path: Path,
    /// The actual value.
    pub actual: Scalar,
    /// The expected value.
    pub expected: Scalar,
    /// The relative error `|a - b| / max(1, |b|)`: 0 for two NaN and for two equal infinities, and
    /// otherwise infinite if one of the two is not finite.
    pub error: f64,
}

/// The path from a value to an element, printed as `[3][4]._2`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path(pub Vec<Step>);

/// A step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The step to the element of this index, from 0.
    Element(u64),
    /// The step to the first component of a tuple, or to the size of a dependent pair.
    First,
    /// The step to the second component of a tuple, or to the value of a dependent pair.
    Second,
}

impl Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.0 {
            match step {
                Step::Element(index) => write!(f, "[{index}]")?,
                Step::First => f.write_str("._1")?,
                Step::Second => f.write_str("._2")?,
            }
        }
        Ok(())
    }
}

/// Compares a result with the expected one. Returns `None` if their shapes differ. `tolerance`
/// applies to floating-point numbers; the default is 1e-4 for `f32`, 1e-10 for `f64` and 1e-2 for
/// `f16`.
pub fn compare(actual: &Value, expected: &Value, tolerance: Option<f64>) -> Option<Comparison> {
    let shape = expected.shape();
    if actual.shape() != shape {
        return None;
    }
    let mut found = Comparison::default();
    let (mut first, mut worst) = (None, None);
    // Both values have all elements of the shape, so that this does not fail.
    let _ = shape.for_each_leaf(&mut |offset, leaf| -> Result<(), ()> {
        if !expected.is_written(offset) {
            found.skipped += 1;
            return Ok(());
        }
        let (a, b) = (
            actual.get(offset, leaf).ok_or(())?,
            expected.get(offset, leaf).ok_or(())?,
        );
        found.compared += 1;
        if b.as_integer().is_none() {
            let expected = b.as_f64();
            found.floats += 1;
            found.nan += u64::from(expected.is_nan());
            found.infinite += u64::from(expected.is_infinite());
        }
        let error = error(a, b);
        let place = (offset, a, b, error);
        if error > tolerance_of(leaf, tolerance) || error.is_nan() {
            found.wrong += 1;
            first = first.or(Some(place));
        }
        if error != 0.0 && worst.is_none_or(|(_, _, _, least)| error > least) {
            worst = Some(place);
        }
        Ok(())
    });
    let difference = |(offset, actual, expected, error)| Difference {
        path: path(shape, offset),
        actual,
        expected,
        error,
    };
    found.first = first.map(difference);
    found.worst = worst.map(difference);
    Some(found)
}

/// Returns the first element in which two values differ bit by bit, or `Some(None)` if there is
/// none. All NaN are equal, and elements that the expected value never writes are not compared.
/// Returns `None` if the shapes of the values differ.
pub fn first_difference(actual: &Value, expected: &Value) -> Option<Option<Difference>> {
    let shape = expected.shape();
    if actual.shape() != shape {
        return None;
    }
    let is_nan = |scalar: Scalar| scalar.as_integer().is_none() && scalar.as_f64().is_nan();
    let found = shape.for_each_leaf(&mut |offset, leaf| {
        let (Some(a), Some(b)) = (actual.get(offset, leaf), expected.get(offset, leaf)) else {
            return Ok(());
        };
        let same = a.bytes() == b.bytes() || is_nan(a) && is_nan(b);
        match same || !expected.is_written(offset) {
            true => Ok(()),
            false => Err((offset, a, b)),
        }
    });
    Some(found.err().map(|(offset, actual, expected)| Difference {
        path: path(shape, offset),
        actual,
        expected,
        error: error(actual, expected),
    }))
}

fn tolerance_of(leaf: Leaf, wanted: Option<f64>) -> f64 {
    match leaf {
        Leaf::Scalar(ScalarType::F16) => wanted.unwrap_or(1e-2),
        Leaf::Scalar(ScalarType::F32) => wanted.unwrap_or(1e-4),
        Leaf::Scalar(ScalarType::F64) => wanted.unwrap_or(1e-10),
        _ => 0.0,
    }
}

fn error(a: Scalar, b: Scalar) -> f64 {
    if let (Some(a), Some(b)) = (a.as_integer(), b.as_integer()) {
        return (a - b).unsigned_abs() as f64 / (b.unsigned_abs() as f64).max(1.0);
    }
    let (a, b) = (a.as_f64(), b.as_f64());
    if a == b || (a.is_nan() && b.is_nan()) {
        return 0.0;
    }
    if !a.is_finite() || !b.is_finite() {
        return f64::INFINITY;
    }
    (a - b).abs() / b.abs().max(1.0)
}

/// Returns the path to the element at the byte `offset`.
pub fn path(shape: &Shape, offset: u64) -> Path {
    let mut steps = Vec::new();
    let (mut shape, mut offset) = (shape, offset);
    loop {
        match shape {
            Shape::Scalar(_) | Shape::Index(_) => break,
            Shape::Vector(_, leaf) => {
                steps.push(Step::Element(offset / leaf.size()));
                break;
            }
            Shape::Array(_, element) => {
                let stride = element.size().max(1);
                steps.push(Step::Element(offset / stride));
                offset %= stride;
                shape = element;
            }
            Shape::DepArray(rows) => {
                let at = rows.offsets().partition_point(|start| *start <= offset);
                // Of several rows with the same offset, the last one is not empty.
                let Some(at) = at.checked_sub(1) else { break };
                steps.push(Step::Element(at as u64));
                offset -= rows.offsets()[at];
                shape = &rows.shapes()[at];
            }
            Shape::Pair(first, second) => {
                let middle = shape.second_offset();
                if offset < middle {
                    steps.push(Step::First);
                    shape = first;
                } else {
                    steps.push(Step::Second);
                    offset -= middle;
                    shape = second;
                }
            }
            Shape::DepPair(_, value) => {
                let middle = shape.second_offset();
                if offset < middle {
                    steps.push(Step::First);
                    break;
                }
                steps.push(Step::Second);
                offset -= middle;
                shape = value;
            }
        }
    }
    Path(steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::literal::Literal;
    use crate::shape::Rows;
    use std::sync::Arc;

    fn array(n: u64, element: Shape) -> Shape {
        Shape::Array(n, Arc::new(element))
    }

    fn value(text: &str, shape: &Shape) -> Value {
        match Literal::parse(text).and_then(|literal| literal.value(shape.clone())) {
            Ok(value) => value,
            Err(error) => panic!("{text}: {error}"),
        }
    }

    fn report(actual: &str, expected: &str, shape: &Shape, tolerance: Option<f64>) -> String {
        let (actual, expected) = (value(actual, shape), value(expected, shape));
        let Some(found) = compare(&actual, &expected, tolerance) else {
            return "other shapes".to_owned();
        };
        let show = |difference: &Option<Difference>| match difference {
            Some(d) => format!("{}: {} for {}", d.path, d.actual, d.expected),
            None => "none".to_owned(),
        };
        format!(
            "{} wrong, {}, {}",
            found.wrong,
            show(&found.first),
            show(&found.worst)
        )
    }

    #[test]
    fn floating_point_numbers_have_a_tolerance() {
        let f32s = array(4, Shape::Scalar(ScalarType::F32));
        let close = report(
            "[1.00001, 100.005, NaN, inf]",
            "[1, 100, NaN, inf]",
            &f32s,
            None,
        );
        assert_eq!(close, "0 wrong, none, [1]: 100.005 for 100.0");
        assert_eq!(
            report("[1.001, 0, 1, inf]", "[1, inf, NaN, -inf]", &f32s, None),
            "4 wrong, [0]: 1.001 for 1.0, [1]: 0.0 for inf"
        );
        assert_eq!(
            report("[2, 2, 2, 2]", "[1, 1, 1, 1]", &f32s, Some(1.0)),
            "0 wrong, none, [0]: 2.0 for 1.0"
        );
        let f64s = array(1, Shape::Scalar(ScalarType::F64));
        assert_eq!(
            report("[1.00001]", "[1]", &f64s, None),
            "1 wrong, [0]: 1.00001 for 1.0, [0]: 1.00001 for 1.0"
        );
    }

    #[test]
    fn integers_are_exact() {
        let shape = array(
            2,
            Shape::Pair(
                Shape::Scalar(ScalarType::U8).into(),
                Shape::Scalar(ScalarType::I64).into(),
            ),
        );
        assert_eq!(
            report(
                "[(1, 2), (3, 9007199254740993)]",
                "[(1, 2), (4, 9007199254740992)]",
                &shape,
                Some(1.0)
            ),
            "2 wrong, [1]._1: 3 for 4, [1]._1: 3 for 4"
        );
    }

    #[test]
    fn what_is_never_written_is_not_compared() {
        let shape = array(2, Shape::Scalar(ScalarType::I32));
        let Ok(mut expected) = Value::unwritten(shape.clone()) else {
            panic!("8 bytes");
        };
        expected.set(4, Scalar::I32(7));
        let found = compare(&value("[5, 7]", &shape), &expected, None);
        assert_eq!(
            found,
            Some(Comparison {
                compared: 1,
                skipped: 1,
                ..Comparison::default()
            })
        );
    }

    #[test]
    fn paths_lead_through_rows() {
        let row = |n| array(n, Shape::Scalar(ScalarType::I16));
        let rows = Shape::DepArray(Arc::new(Rows::new(vec![row(1), row(0), row(2)])));
        assert_eq!(path(&rows, 0).to_string(), "[0][0]");
        assert_eq!(path(&rows, 4).to_string(), "[2][1]");
        let pairs = array(
            2,
            Shape::Pair(row(2).into(), Shape::Vector(2, Leaf::Index(9)).into()),
        );
        assert_eq!(path(&pairs, 16 + 12).to_string(), "[1]._2[1]");
    }
}
