//! Literals of values on the command line: `3`, `-1.5e3`, `true`, `[1, 2, 3]`, `(1, [true,
//! false])`, and vectors `<1, 2>`. The full printed form of a value is a literal, unless it has
//! dependent pairs or elements that were never written.

use crate::scalar::{Leaf, Scalar};
use crate::shape::{Shape, ShapeError};
use crate::size_inference::{UntypedShape, elements_text};
use crate::value::Value;
use half::f16;
use syntax::ast::ScalarType;
use thiserror::Error;

/// The largest nesting depth of brackets.
const MAX_DEPTH: usize = 64;

/// A parsed literal whose type is not known yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Literal {
    /// A number, `true` or `false`.
    Word(String),
    /// A list `[…]` or `<…>`.
    List(Vec<Literal>),
    /// A pair `(a, b)`.
    Pair(Box<Literal>, Box<Literal>),
}

/// Formats a count: "there is 1 element", "there are 2 elements".
fn there_are(count: u64) -> String {
    let verb = if count == 1 { "is" } else { "are" };
    format!("there {verb} {}", elements_text(count))
}

/// An error in a literal.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LiteralError {
    /// A syntax error.
    #[error("`{0}` is not a value: {1}")]
    Syntax(String, &'static str),
    /// A literal of another type.
    #[error("`{0}` is not a value of type `{1}`")]
    Type(String, String),
    /// A scalar literal that is out of the range of its type.
    #[error("{0} does not fit into `{1}`")]
    Range(String, String),
    /// A list of another length than its type.
    #[error("{} where `{}` has {}", there_are(*.0), .1, .2)]
    Length(u64, String, u64),
    /// The value does not fit into memory.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

impl Literal {
    /// Parses a literal.
    pub fn parse(text: &str) -> Result<Literal, LiteralError> {
        let mut parser = Parser { rest: text.trim() };
        let literal = parser.literal(0);
        match literal {
            Ok(literal) if parser.rest.is_empty() => Ok(literal),
            Ok(_) => Err(LiteralError::Syntax(
                text.to_owned(),
                "more text follows the value",
            )),
            Err(reason) => Err(LiteralError::Syntax(text.to_owned(), reason)),
        }
    }

    /// Returns the lengths of the literal's lists. The elements of a list count as equally long as
    /// its first one.
    pub fn outline(&self) -> UntypedShape {
        match self {
            Literal::Word(_) => UntypedShape::Leaf,
            Literal::List(all) => {
                let inner = all.first().map_or(UntypedShape::Leaf, Literal::outline);
                UntypedShape::Array(all.len() as u64, Box::new(inner))
            }
            Literal::Pair(first, second) => {
                UntypedShape::Pair(Box::new(first.outline()), Box::new(second.outline()))
            }
        }
    }

    /// Converts the literal to a value of this shape. A scalar is repeated for all elements of an
    /// array or vector.
    pub fn value(&self, shape: Shape) -> Result<Value, LiteralError> {
        let mut value = Value::zeros(shape.clone())?;
        self.fill(&shape, 0, &mut value)?;
        value.restore_sizes();
        Ok(value)
    }

    fn fill(&self, shape: &Shape, offset: u64, value: &mut Value) -> Result<(), LiteralError> {
        let wrong = || LiteralError::Type(self.short(), shape.to_string());
        let length = |all: &[Literal], wanted: u64| match all.len() as u64 {
            found if found == wanted => Ok(()),
            found => Err(LiteralError::Length(found, shape.to_string(), wanted)),
        };
        match (self, shape) {
            (Literal::Word(_), Shape::Pair(..) | Shape::DepPair(..)) => Err(wrong()),
            (Literal::Word(word), _) => shape.for_each_leaf(&mut |at, leaf| {
                value.set(offset + at, scalar(word, leaf)?);
                Ok(())
            }),
            (Literal::List(all), Shape::Vector(n, leaf)) => {
                length(all, u64::from(*n))?;
                let lane = Shape::leaf(*leaf);
                (0u64..).zip(all).try_for_each(|(at, literal)| {
                    literal.fill(&lane, offset + at * leaf.size(), value)
                })
            }
            (Literal::List(all), Shape::Array(n, element)) => {
                length(all, *n)?;
                let stride = element.size();
                (0u64..).zip(all).try_for_each(|(at, literal)| {
                    literal.fill(element, offset + at * stride, value)
                })
            }
            (Literal::List(all), Shape::DepArray(rows)) => {
                length(all, rows.shapes().len() as u64)?;
                let places = rows.shapes().iter().zip(rows.offsets());
                all.iter()
                    .zip(places)
                    .try_for_each(|(literal, (row, at))| literal.fill(row, offset + at, value))
            }
            (Literal::Pair(one, other), Shape::Pair(first, second)) => {
                one.fill(first, offset, value)?;
                other.fill(second, offset + shape.second_offset(), value)
            }
            _ => Err(wrong()),
        }
    }

    /// Returns the literal as shown in messages.
    fn short(&self) -> String {
        match self {
            Literal::Word(word) => word.clone(),
            Literal::List(_) => "[…]".to_owned(),
            Literal::Pair(..) => "(…, …)".to_owned(),
        }
    }
}

struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    fn literal(&mut self, depth: usize) -> Result<Literal, &'static str> {
        if depth > MAX_DEPTH {
            return Err("its brackets are nested too deeply");
        }
        if self.eat('[') {
            return self.list(']', depth);
        }
        if self.eat('<') {
            return self.list('>', depth);
        }
        if self.eat('(') {
            let mut all = self.items(')', depth)?;
            return match (all.pop(), all.pop()) {
                (Some(second), Some(first)) if all.is_empty() => {
                    Ok(Literal::Pair(Box::new(first), Box::new(second)))
                }
                (Some(only), None) => Ok(only),
                _ => Err("a tuple must have two components"),
            };
        }
        let end = self
            .rest
            .find(|c: char| "[]<>(),".contains(c) || c.is_whitespace());
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        if word.is_empty() {
            return Err("expected a number, `true`, `false`, `[…]` or `(…, …)`");
        }
        self.rest = rest.trim_start();
        Ok(Literal::Word(word.to_owned()))
    }

    fn list(&mut self, close: char, depth: usize) -> Result<Literal, &'static str> {
        Ok(Literal::List(self.items(close, depth)?))
    }

    fn items(&mut self, close: char, depth: usize) -> Result<Vec<Literal>, &'static str> {
        let mut all = Vec::new();
        while !self.eat(close) {
            all.push(self.literal(depth + 1)?);
            if !self.eat(',') && !self.rest.starts_with(close) {
                return Err("expected `,` or a closing bracket");
            }
        }
        Ok(all)
    }

    fn eat(&mut self, wanted: char) -> bool {
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }
}

/// Parses a scalar. The name of the type is allowed as a suffix of a number, as in RISE, except for
/// indices.
pub fn scalar(text: &str, leaf: Leaf) -> Result<Scalar, LiteralError> {
    let ty = || Shape::leaf(leaf).to_string();
    let wrong = || LiteralError::Type(text.to_owned(), ty());
    let range = || LiteralError::Range(text.to_owned(), ty());
    let scalar = match leaf {
        Leaf::Index(bound) => {
            let value = integer(text).ok_or_else(wrong)?;
            let inside = (0..i128::from(bound)).contains(&value);
            let value = i32::try_from(value).ok().filter(|_| inside);
            return value.map(Scalar::Index).ok_or_else(range);
        }
        Leaf::Scalar(scalar) => scalar,
    };
    let digits = text.strip_suffix(scalar.as_str()).unwrap_or(text);
    if let ScalarType::F16 | ScalarType::F32 | ScalarType::F64 = scalar {
        return float(digits, scalar).ok_or_else(wrong);
    }
    if scalar == ScalarType::Bool {
        let value = text.parse().map_err(|_| wrong())?;
        return Ok(Scalar::Bool(value));
    }
    let value = integer(digits).ok_or_else(wrong)?;
    from_integer(value, scalar).ok_or_else(range)
}

/// Parses `3`, `-3` or `+3`, but not `0x3`; returns `None` for other texts.
fn integer(text: &str) -> Option<i128> {
    text.parse().ok()
}

/// Parses `1.5`, `-3`, `1e-6`, `1.5f`, `inf` or `NaN`; returns `None` for other texts.
fn float(text: &str, ty: ScalarType) -> Option<Scalar> {
    let digits = match text.strip_suffix('f') {
        // The last letter of `inf` is not a suffix.
        Some(digits) if digits.ends_with(|c: char| c.is_ascii_digit() || c == '.') => digits,
        _ => text,
    };
    Some(match ty {
        ScalarType::F16 => Scalar::F16(f16::from_f64(digits.parse().ok()?)),
        ScalarType::F32 => Scalar::F32(digits.parse().ok()?),
        _ => Scalar::F64(digits.parse().ok()?),
    })
}

/// Converts an integer to a value of this type. Returns `None` if it does not fit, or the type is
/// not an integer type.
pub fn from_integer(value: i128, ty: ScalarType) -> Option<Scalar> {
    Some(match ty {
        ScalarType::I8 => Scalar::I8(value.try_into().ok()?),
        ScalarType::I16 => Scalar::I16(value.try_into().ok()?),
        ScalarType::I32 => Scalar::I32(value.try_into().ok()?),
        ScalarType::I64 => Scalar::I64(value.try_into().ok()?),
        ScalarType::U8 => Scalar::U8(value.try_into().ok()?),
        ScalarType::U16 => Scalar::U16(value.try_into().ok()?),
        ScalarType::U32 => Scalar::U32(value.try_into().ok()?),
        ScalarType::U64 => Scalar::U64(value.try_into().ok()?),
        ScalarType::NatType if value >= 0 => Scalar::Nat(value.try_into().ok()?),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value_text::Length;
    use std::sync::Arc;

    const F32: Shape = Shape::Scalar(ScalarType::F32);
    const I8: Shape = Shape::Scalar(ScalarType::I8);

    fn array(n: u64, element: Shape) -> Shape {
        Shape::Array(n, Arc::new(element))
    }

    fn read(text: &str, shape: Shape) -> String {
        let value = Literal::parse(text).and_then(|literal| literal.value(shape));
        value.map_or_else(|error| error.to_string(), |value| value.text(Length::Full))
    }

    #[test]
    fn values_read_back_as_they_are_printed() {
        let pair = Shape::Pair(
            Arc::new(I8),
            Arc::new(array(2, Shape::Scalar(ScalarType::Bool))),
        );
        let lanes = Shape::Vector(2, Leaf::Scalar(ScalarType::F16));
        let cases = [
            ("-3", I8),
            ("1.5", F32),
            ("NaN", F32),
            ("-inf", F32),
            ("[1, 2, 3]", array(3, I8)),
            ("(1, [true, false])", pair),
            ("<0.5, 65504.0>", lanes),
            ("[]", array(0, I8)),
            ("2", Shape::Index(3)),
        ];
        for (text, shape) in cases {
            assert_eq!(read(text, shape), text);
        }
        assert_eq!(read("7", array(3, I8)), "[7, 7, 7]");
        assert_eq!(read(" [ 1,2 ,] ", array(2, I8)), "[1, 2]");
        assert_eq!(read("1.5f", F32), "1.5");
        assert_eq!(read("3i8", I8), "3");
    }

    #[test]
    fn what_is_no_value_is_refused() {
        assert_eq!(read("128", I8), "128 does not fit into `i8`");
        assert_eq!(read("3", Shape::Index(3)), "3 does not fit into `Idx[3]`");
        assert_eq!(
            read("-1", Shape::Scalar(ScalarType::NatType)),
            "-1 does not fit into `natType`"
        );
        assert_eq!(read("x", F32), "`x` is not a value of type `f32`");
        assert_eq!(read("1.5", I8), "`1.5` is not a value of type `i8`");
        assert_eq!(
            read("[1, 2]", array(3, I8)),
            "there are 2 elements where `3.i8` has 3"
        );
        assert_eq!(read("(1, 2)", I8), "`(…, …)` is not a value of type `i8`");
        assert_eq!(
            read("[1", array(1, I8)),
            "`[1` is not a value: expected `,` or a closing bracket"
        );
        assert_eq!(
            read("1 2", I8),
            "`1 2` is not a value: more text follows the value"
        );
        let deep = "[".repeat(100_000);
        assert!(read(&deep, I8).ends_with("its brackets are nested too deeply"));
    }

    #[test]
    fn outlines_say_sizes() {
        let outline = Literal::parse("[[1, 2], [3, 4], [5, 6]]").map(|literal| literal.outline());
        let rows = UntypedShape::Array(2, Box::new(UntypedShape::Leaf));
        assert_eq!(outline, Ok(UntypedShape::Array(3, Box::new(rows))));
    }
}
