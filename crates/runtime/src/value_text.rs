//! Formats values as human-readable text, and as JSON.

use crate::scalar::{Leaf, Scalar};
use crate::shape::Shape;
use crate::value::Value;
use std::fmt::{self, Write};
use syntax::ast::ScalarType;

/// The largest length of an array that is shown completely in a short text.
const MAX_SHORT_LENGTH: u64 = 8;
/// The number of elements at each end of a longer array that are shown.
const SHOWN_AT_ENDS: u64 = 3;

/// The length of the text of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// Long arrays are abbreviated to both ends.
    Short,
    /// All elements are shown.
    Full,
}

impl Value {
    /// Writes the value: `[1.0, 2.0, …, 8.0]`, `(1, true)`, vectors as `<1, 2, 3, 4>`, dependent
    /// pairs as `(2 | …)`, and elements that were never written as `_`. The rows of nested arrays
    /// are on separate lines.
    pub fn write(&self, length: Length, out: &mut dyn Write) -> fmt::Result {
        let mut printer = Printer {
            value: self,
            out,
            style: OutputFormat::Human(length),
        };
        printer.shape(self.shape(), 0, 0)
    }

    /// Returns the value as text, see [`Value::write`].
    pub fn text(&self, length: Length) -> String {
        let mut out = String::new();
        // Writing to a string does not fail.
        let _ = self.write(length, &mut out);
        out
    }

    /// Writes the value as JSON: arrays and vectors as arrays, tuples as objects with `_1` and
    /// `_2`, dependent pairs as objects with `size` and `value`. Elements that were never written
    /// are `null`; numbers that JSON cannot represent are strings: `"NaN"`, `"Infinity"`,
    /// `"-Infinity"`.
    pub fn write_json(&self, out: &mut dyn Write) -> fmt::Result {
        let mut printer = Printer {
            value: self,
            out,
            style: OutputFormat::Json,
        };
        printer.shape(self.shape(), 0, 0)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum OutputFormat {
    Human(Length),
    Json,
}

struct Printer<'a> {
    value: &'a Value,
    out: &'a mut dyn Write,
    style: OutputFormat,
}

impl Printer<'_> {
    fn shape(&mut self, shape: &Shape, offset: u64, column: usize) -> fmt::Result {
        match shape {
            Shape::Scalar(scalar) => self.leaf(Leaf::Scalar(*scalar), offset),
            Shape::Index(bound) => self.leaf(Leaf::Index(*bound), offset),
            Shape::Vector(n, leaf) => {
                let (open, close) = match self.style {
                    OutputFormat::Human(_) => ('<', '>'),
                    OutputFormat::Json => ('[', ']'),
                };
                self.out.write_char(open)?;
                self.elements(u64::from(*n), ", ", &mut |printer, at| {
                    printer.leaf(*leaf, offset + at * leaf.size())
                })?;
                self.out.write_char(close)
            }
            Shape::Array(n, element) => {
                let between = self.between(element, column);
                let stride = element.size();
                self.out.write_char('[')?;
                self.elements(*n, &between, &mut |printer, at| {
                    printer.shape(element, offset + at * stride, column + 1)
                })?;
                self.out.write_char(']')
            }
            Shape::DepArray(rows) => {
                let first = rows.shapes().first();
                let between = first.map_or(String::new(), |row| self.between(row, column));
                self.out.write_char('[')?;
                let count = rows.shapes().len() as u64;
                self.elements(count, &between, &mut |printer, at| {
                    let at = at as usize;
                    let (row, start) = (&rows.shapes()[at], rows.offsets()[at]);
                    printer.shape(row, offset + start, column + 1)
                })?;
                self.out.write_char(']')
            }
            Shape::Pair(first, second) => {
                self.word(["(", r#"{"_1":"#])?;
                self.shape(first, offset, column + 1)?;
                self.word([", ", r#","_2":"#])?;
                self.shape(second, offset + shape.second_offset(), column + 1)?;
                self.word([")", "}"])
            }
            Shape::DepPair(_, value) => {
                self.word(["(", r#"{"size":"#])?;
                self.leaf(Leaf::Scalar(ScalarType::NatType), offset)?;
                self.word([" | ", r#","value":"#])?;
                self.shape(value, offset + shape.second_offset(), column + 1)?;
                self.word([")", "}"])
            }
        }
    }

    fn word(&mut self, [human, json]: [&str; 2]) -> fmt::Result {
        let json_wanted = self.style == OutputFormat::Json;
        self.out.write_str(if json_wanted { json } else { human })
    }

    /// Returns the separator of the elements of an array: a comma, followed by a line break and the
    /// indentation for elements that are arrays. In JSON it is always a comma only.
    fn between(&self, element: &Shape, column: usize) -> String {
        match (self.style, element) {
            (OutputFormat::Json, _) => ",".to_owned(),
            (_, Shape::Array(..) | Shape::DepArray(_)) => {
                format!(",\n{:column$}", "", column = column + 1)
            }
            _ => ", ".to_owned(),
        }
    }

    fn elements(
        &mut self,
        count: u64,
        between: &str,
        element: &mut dyn FnMut(&mut Self, u64) -> fmt::Result,
    ) -> fmt::Result {
        let between = if self.style == OutputFormat::Json {
            ","
        } else {
            between
        };
        let cut = self.style == OutputFormat::Human(Length::Short) && count > MAX_SHORT_LENGTH;
        let mut at = 0;
        while at < count {
            if at > 0 {
                self.out.write_str(between)?;
            }
            if cut && at == SHOWN_AT_ENDS {
                self.out.write_char('…')?;
                at = count - SHOWN_AT_ENDS;
                continue;
            }
            element(self, at)?;
            at += 1;
        }
        Ok(())
    }

    fn leaf(&mut self, leaf: Leaf, offset: u64) -> fmt::Result {
        let scalar = self.value.get(offset, leaf);
        let scalar = scalar.filter(|_| self.value.is_written(offset));
        match (scalar, self.style) {
            (None, OutputFormat::Human(_)) => self.out.write_char('_'),
            (None, OutputFormat::Json) => self.out.write_str("null"),
            (Some(scalar), OutputFormat::Human(_)) => write!(self.out, "{scalar}"),
            (Some(scalar), OutputFormat::Json) => json(scalar, self.out),
        }
    }
}

/// Writes a scalar as JSON. Floating-point numbers that are not finite are written as strings.
pub fn json(scalar: Scalar, out: &mut dyn Write) -> fmt::Result {
    match scalar {
        Scalar::F16(_) | Scalar::F32(_) | Scalar::F64(_) => {
            let value = scalar.as_f64();
            if value.is_nan() {
                out.write_str(r#""NaN""#)
            } else if value.is_infinite() {
                let sign = if value < 0.0 { "-" } else { "" };
                write!(out, r#""{sign}Infinity""#)
            } else {
                write!(out, "{scalar}")
            }
        }
        _ => write!(out, "{scalar}"),
    }
}
