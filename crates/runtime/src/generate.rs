//! Generators of values: random numbers, zeros, 0 1 2 …, sorted numbers and permutations.

use crate::literal;
use crate::scalar::{Leaf, Scalar};
use crate::shape::{Shape, ShapeError};
use crate::value::Value;
use half::f16;
use std::cell::Cell;
use std::fmt::{self, Display};
use syntax::ast::ScalarType;
use thiserror::Error;

/// A generator of arguments, as written after `--arg NAME=`.
#[derive(Clone, Debug, PartialEq)]
pub enum Generator {
    /// `random`: see [`Fill::Random`].
    Random,
    /// `random(5,30)`: uniformly distributed numbers; for integers both bounds are inclusive.
    Between(Range),
    /// `extreme`: see [`Fill::Extreme`].
    Extreme,
    /// `zeros`: all numbers are 0, all booleans `false`.
    Zeros,
    /// `iota`: 0, 1, 2, … in the order of memory, wrapping around at the limit of the type.
    Iota,
    /// `sorted` and `sorted(5,30)`: random numbers, sorted in ascending order in each row.
    Sorted(Option<Range>),
    /// `permutation`: each row is a random permutation of its indices.
    Permutation,
    /// `rowptr` and `rowptr(nnz)`: ascending numbers from 0 to the given one, the row pointers of a
    /// sparse matrix. Without a given number, the elements are indices and the last one is the
    /// largest of its type.
    RowPointers(Option<LastRowPointer>),
}

/// The bounds of random numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    low: String,
    high: String,
}

/// The last of the row pointers of a sparse matrix.
#[derive(Clone, Debug, PartialEq)]
pub enum LastRowPointer {
    /// A number.
    Number(u64),
    /// The value of a size of the program.
    Size(String),
}

impl LastRowPointer {
    /// Parses the number, or the name of a size, in the parentheses of `generator`.
    fn parse(generator: &str, text: &str) -> Result<LastRowPointer, String> {
        if let Ok(number) = text.parse() {
            return Ok(LastRowPointer::Number(number));
        }
        let is_name = text.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && text.chars().all(|c| c.is_alphanumeric() || c == '_');
        match is_name {
            true => Ok(LastRowPointer::Size(text.to_owned())),
            false => Err(format!(
                "`{generator}` takes the last pointer: a whole number from 0, as in `rowptr(1000)`, \
                 or a size of the program, as in `rowptr(n)`"
            )),
        }
    }
}

/// Returns true if there is a generator of this name.
fn is_generator(name: &str) -> bool {
    let names = "random extreme zeros iota sorted permutation rowptr";
    names.split(' ').any(|generator| generator == name)
}

impl Generator {
    /// Parses a generator. Returns `None` if the text is not a generator.
    ///
    /// # Errors
    /// The inner result is an error if the bounds of a generator are missing, malformed or in the
    /// wrong order, if the generator takes no bounds, or if the closing parenthesis is missing.
    pub fn parse(text: &str) -> Option<Result<Generator, String>> {
        let (name, bounds) = match text.split_once('(') {
            Some((name, rest)) => match rest.strip_suffix(')') {
                Some(bounds) => (name.trim(), Some(bounds)),
                None if is_generator(name.trim()) => {
                    return Some(Err(format!("expected `)` at the end of `{text}`")));
                }
                None => return None,
            },
            None => (text, None),
        };
        Some(match (name, bounds) {
            ("random", None) => Ok(Generator::Random),
            ("random", Some(bounds)) => Range::parse(text, bounds).map(Generator::Between),
            ("extreme", None) => Ok(Generator::Extreme),
            ("zeros", None) => Ok(Generator::Zeros),
            ("iota", None) => Ok(Generator::Iota),
            ("sorted", None) => Ok(Generator::Sorted(None)),
            ("sorted", Some(bounds)) => {
                Range::parse(text, bounds).map(|range| Generator::Sorted(Some(range)))
            }
            ("permutation", None) => Ok(Generator::Permutation),
            ("rowptr", None) => Ok(Generator::RowPointers(None)),
            ("rowptr", Some(last)) if last.trim().is_empty() => Err(FillError::NoLast.to_string()),
            ("rowptr", Some(last)) => LastRowPointer::parse(text, last.trim())
                .map(|last| Generator::RowPointers(Some(last))),
            ("extreme" | "zeros" | "iota" | "permutation", Some(_)) => {
                Err(format!("`{name}` takes no bounds"))
            }
            _ => return None,
        })
    }

    /// Returns true if the values depend on the seed.
    pub fn is_random(&self) -> bool {
        !matches!(self, Generator::Zeros | Generator::Iota)
    }

    /// Generates a value of this shape. `size` returns the value of the size of the program that
    /// has the given name. `stop` is called periodically, and cancels the generation when it
    /// returns true.
    pub fn value(
        &self,
        shape: Shape,
        seed: u64,
        size: &dyn Fn(&str) -> Option<u64>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Value, FillError> {
        let mut random = Random::new(seed);
        let watch = CancellationCheck::new(stop);
        match self {
            Generator::Random => Fill::Random(seed).watched(shape, &watch),
            Generator::Extreme => Fill::Extreme(seed).watched(shape, &watch),
            Generator::Zeros => Fill::Zeros.watched(shape, &watch),
            Generator::Iota => Fill::Iota.watched(shape, &watch),
            Generator::Between(range) => {
                let mut value = Value::zeros(shape.clone())?;
                let mut bounds: Option<Bounds> = None;
                shape.for_each_leaf(&mut |offset, leaf| {
                    watch.tick()?;
                    let bounds = match &mut bounds {
                        Some(bounds) if bounds.leaf == leaf => bounds,
                        other => other.insert(range.of(leaf)?),
                    };
                    value.set(offset, bounds.draw(&mut random));
                    Ok::<(), FillError>(())
                })?;
                value.restore_sizes();
                Ok(value)
            }
            Generator::Sorted(range) => self.rows(shape, |leaf, n| {
                let bounds = range.as_ref().map(|range| range.of(leaf)).transpose()?;
                let draw = |_| {
                    watch.tick().map(|()| match &bounds {
                        Some(bounds) => bounds.draw(&mut random),
                        None => random.scalar(leaf),
                    })
                };
                let mut row: Vec<Scalar> = (0..n).map(draw).collect::<Result<_, _>>()?;
                row.sort_by(|a, b| match (a.as_integer(), b.as_integer()) {
                    (Some(a), Some(b)) => a.cmp(&b),
                    _ => a.as_f64().total_cmp(&b.as_f64()),
                });
                Ok(row)
            }),
            Generator::Permutation => self.rows(shape, |leaf, n| {
                let number = |at: u64| whole(at, leaf).ok_or_else(|| self.too_large(n - 1, leaf));
                let mut row: Vec<Scalar> = (0..n).map(number).collect::<Result<_, _>>()?;
                for at in (1..n).rev() {
                    watch.tick()?;
                    row.swap(at as usize, random.below(at + 1) as usize);
                }
                Ok(row)
            }),
            Generator::RowPointers(last) => self.rows(shape, |leaf, n| {
                let last = match (last, leaf) {
                    (Some(LastRowPointer::Number(last)), _) => *last,
                    (Some(LastRowPointer::Size(name)), _) => {
                        size(name).ok_or_else(|| FillError::NoSize(name.clone()))?
                    }
                    (None, Leaf::Index(bound)) if bound > 0 => bound - 1,
                    (None, _) => return Err(FillError::NoLast),
                };
                if whole(last, leaf).is_none() {
                    return Err(self.too_large(last, leaf));
                }
                let count = last.saturating_add(1);
                let draw = |_| watch.tick().map(|()| random.below(count));
                let mut row: Vec<u64> = (0..n).map(draw).collect::<Result<_, _>>()?;
                row.sort_unstable();
                // The first row starts at 0, and the last one ends at `last`.
                if let Some(first) = row.first_mut() {
                    *first = 0;
                }
                if let [_, .., end] = row.as_mut_slice() {
                    *end = last;
                }
                let number = |at: &u64| whole(*at, leaf).ok_or_else(|| self.too_large(last, leaf));
                row.iter().map(number).collect()
            }),
        }
    }

    /// Generates a value by calling `row` with the element type and the length of each innermost
    /// array.
    fn rows(
        &self,
        shape: Shape,
        mut row: impl FnMut(Leaf, u64) -> Result<Vec<Scalar>, FillError>,
    ) -> Result<Value, FillError> {
        let mut value = Value::zeros(shape.clone())?;
        for_each_row(&shape, 0, &mut |offset, leaf, n| {
            for (at, scalar) in (0u64..).zip(row(leaf, n)?) {
                value.set(offset + at * leaf.size(), scalar);
            }
            Ok(())
        })
        .map_err(|error| error.unwrap_or_else(|| FillError::NoRows(self.to_string())))?;
        value.restore_sizes();
        Ok(value)
    }

    fn too_large(&self, number: u64, leaf: Leaf) -> FillError {
        FillError::TooLarge(self.to_string(), number, Shape::leaf(leaf).to_string())
    }
}

impl Display for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Generator::Random => f.write_str("random"),
            Generator::Between(range) => write!(f, "random{range}"),
            Generator::Extreme => f.write_str("extreme"),
            Generator::Zeros => f.write_str("zeros"),
            Generator::Iota => f.write_str("iota"),
            Generator::Sorted(None) => f.write_str("sorted"),
            Generator::Sorted(Some(range)) => write!(f, "sorted{range}"),
            Generator::Permutation => f.write_str("permutation"),
            Generator::RowPointers(None) => f.write_str("rowptr"),
            Generator::RowPointers(Some(LastRowPointer::Number(last))) => {
                write!(f, "rowptr({last})")
            }
            Generator::RowPointers(Some(LastRowPointer::Size(name))) => write!(f, "rowptr({name})"),
        }
    }
}

impl Range {
    fn parse(whole: &str, bounds: &str) -> Result<Range, String> {
        let wrong = || format!("`{whole}`: the bounds are two numbers, as in `random(5,30)`");
        let (low, high) = bounds.split_once(',').ok_or_else(wrong)?;
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite());
        match (number(low), number(high)) {
            (Some(least), Some(most)) if least > most => {
                Err(format!("`{whole}`: the first bound is above the second"))
            }
            (Some(_), Some(_)) => Ok(Range {
                low: low.trim().to_owned(),
                high: high.trim().to_owned(),
            }),
            _ => Err(wrong()),
        }
    }

    /// Converts the bounds to values of an element type.
    fn of(&self, leaf: Leaf) -> Result<Bounds, FillError> {
        let bound = |text: &str| {
            let bound = literal::scalar(text, leaf).ok();
            // A number that is too large for a type of floats becomes infinite.
            bound
                .filter(|bound| bound.as_f64().is_finite())
                .ok_or_else(|| FillError::Bound(text.to_owned(), Shape::leaf(leaf).to_string()))
        };
        Ok(Bounds {
            leaf,
            low: bound(&self.low)?,
            high: bound(&self.high)?,
        })
    }
}

/// The bounds of random elements of one type.
struct Bounds {
    leaf: Leaf,
    low: Scalar,
    high: Scalar,
}

impl Bounds {
    /// Draws a number between the bounds, inclusively for integers.
    fn draw(&self, random: &mut Random) -> Scalar {
        let (leaf, low, high) = (self.leaf, self.low, self.high);
        if let (Some(least), Some(most)) = (low.as_integer(), high.as_integer()) {
            let count = u64::try_from(most - least)
                .unwrap_or(u64::MAX)
                .saturating_add(1);
            let number = least + i128::from(random.below(count));
            let scalar = match leaf {
                Leaf::Index(_) => i32::try_from(number).ok().map(Scalar::Index),
                Leaf::Scalar(scalar) => literal::from_integer(number, scalar),
            };
            // A number between two values of an integer type is a value of the type.
            return scalar.unwrap_or(low);
        }
        let (low, high) = (low.as_f64(), high.as_f64());
        let share = (random.draw() >> 11) as f64 / (1u64 << 53) as f64;
        let number = low * (1.0 - share) + high * share;
        match leaf {
            Leaf::Scalar(ScalarType::F16) => Scalar::F16(f16::from_f64(number)),
            Leaf::Scalar(ScalarType::F32) => Scalar::F32(number as f32),
            _ => Scalar::F64(number),
        }
    }
}

impl Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({},{})", self.low, self.high)
    }
}

/// Calls `visit` with the offset, the element type and the length of each innermost array.
///
/// # Errors
/// Returns the error of `visit`, or `None` if a scalar is not directly in an array, or if there is
/// a vector or a dependent pair.
fn for_each_row(
    shape: &Shape,
    offset: u64,
    visit: &mut dyn FnMut(u64, Leaf, u64) -> Result<(), FillError>,
) -> Result<(), Option<FillError>> {
    match shape {
        Shape::Array(n, element) => match element.as_leaf() {
            Some(leaf) => visit(offset, leaf, *n).map_err(Some),
            None => (0..*n)
                .try_for_each(|at| for_each_row(element, offset + at * element.size(), visit)),
        },
        Shape::DepArray(rows) => (rows.shapes().iter().zip(rows.offsets()))
            .try_for_each(|(row, start)| for_each_row(row, offset + start, visit)),
        Shape::Pair(first, second) => {
            for_each_row(first, offset, visit)?;
            for_each_row(second, offset + shape.second_offset(), visit)
        }
        Shape::Scalar(_) | Shape::Index(_) | Shape::Vector(..) | Shape::DepPair(..) => Err(None),
    }
}

/// Converts a whole number to a value of a type. Returns `None` if it does not fit, or cannot be
/// represented exactly, or if the type is `bool`.
fn whole(number: u64, leaf: Leaf) -> Option<Scalar> {
    match leaf {
        Leaf::Index(bound) if number < bound => i32::try_from(number).ok().map(Scalar::Index),
        Leaf::Index(_) | Leaf::Scalar(ScalarType::Bool) => None,
        Leaf::Scalar(ScalarType::F16 | ScalarType::F32 | ScalarType::F64) => {
            let scalar = iota(number, leaf);
            (scalar.as_f64() == number as f64).then_some(scalar)
        }
        Leaf::Scalar(scalar) => literal::from_integer(number.into(), scalar),
    }
}

/// A cancellation check that only calls `stop` every 65536 ticks, so that it costs little.
struct CancellationCheck<'a> {
    stop: &'a dyn Fn() -> bool,
    ticks: Cell<u32>,
}

impl<'a> CancellationCheck<'a> {
    fn new(stop: &'a dyn Fn() -> bool) -> CancellationCheck<'a> {
        CancellationCheck {
            stop,
            ticks: Cell::new(0),
        }
    }

    fn tick(&self) -> Result<(), FillError> {
        let ticks = self.ticks.get().wrapping_add(1);
        self.ticks.set(ticks);
        match ticks & 0xffff == 0 && (self.stop)() {
            true => Err(FillError::Stopped),
            false => Ok(()),
        }
    }
}

/// A method of generating values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// Random numbers with this seed. Floating-point numbers are multiples of 1/256 from -1 to 1,
    /// so that sums of products are exact in any order of evaluation as long as they fit; integers
    /// are from -10 (0 if unsigned) to 10; indices are in range.
    Random(u64),
    /// Rarely tested numbers with this seed: floating-point numbers of all magnitudes with all
    /// digits, among them NaN, infinities and both zeros; integers up to the limits of their types;
    /// repeated indices. Values of the types `bool` and `nat` are as in [`Fill::Random`].
    Extreme(u64),
    /// 0 or `false`.
    Zeros,
    /// 0, 1, 2, … in the order of memory, wrapping around at the limit of the type.
    Iota,
}

/// The reason why no value can be generated.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FillError {
    /// The type is `Idx[0]`, which has no values.
    #[error("there is no value of type `Idx[0]`")]
    NoIndex,
    /// A bound of random numbers is not a value of the type.
    #[error("the bound `{0}` is not a value of type `{1}`")]
    Bound(String, String),
    /// The generator needs arrays of numbers or indices, and the type has others.
    #[error("`{0}` makes arrays of numbers or indices")]
    NoRows(String),
    /// A number does not fit into the type.
    #[error("`{0}` goes up to {1}, which does not fit into `{2}`")]
    TooLarge(String, u64, String),
    /// The last row pointer is not given.
    #[error(
        "`rowptr` needs the last element of an array of numbers: a number, as in `rowptr(1000)`, or a size of the \
         program, as in `rowptr(n)`"
    )]
    NoLast,
    /// The program has no such size.
    #[error("the program has no size `{0}`")]
    NoSize(String),
    /// The generation was cancelled.
    #[error("stopped")]
    Stopped,
    /// The value does not fit into memory.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

impl Fill {
    /// Generates a value of this shape.
    pub fn value(self, shape: Shape) -> Result<Value, FillError> {
        self.watched(shape, &CancellationCheck::new(&|| false))
    }

    fn watched(self, shape: Shape, watch: &CancellationCheck<'_>) -> Result<Value, FillError> {
        let mut value = Value::zeros(shape.clone())?;
        let mut random = Random::new(match self {
            Fill::Random(seed) | Fill::Extreme(seed) => seed,
            Fill::Zeros | Fill::Iota => 0,
        });
        let mut count = 0;
        shape.for_each_leaf(&mut |offset, leaf| {
            watch.tick()?;
            if leaf == Leaf::Index(0) {
                return Err(FillError::NoIndex);
            }
            match self {
                Fill::Zeros => {}
                Fill::Random(_) => value.set(offset, random.scalar(leaf)),
                Fill::Extreme(_) => value.set(offset, random.extreme(leaf)),
                Fill::Iota => value.set(offset, iota(count, leaf)),
            }
            count += 1;
            Ok(())
        })?;
        value.restore_sizes();
        Ok(value)
    }
}

/// Returns element `at` of 0, 1, 2, …, which wraps around to 0 after the largest value of a type,
/// and for `f16` and `f32` where not all whole numbers are exact any more.
fn iota(at: u64, leaf: Leaf) -> Scalar {
    let scalar = match leaf {
        Leaf::Index(bound) => return Scalar::Index((at % bound.max(1)) as i32),
        Leaf::Scalar(scalar) => scalar,
    };
    match scalar {
        ScalarType::Bool => Scalar::Bool(at % 2 == 1),
        ScalarType::I8 => Scalar::I8((at & 0x7f) as i8),
        ScalarType::I16 => Scalar::I16((at & 0x7fff) as i16),
        ScalarType::I32 => Scalar::I32((at & 0x7fff_ffff) as i32),
        ScalarType::I64 => Scalar::I64(at as i64),
        ScalarType::U8 => Scalar::U8(at as u8),
        ScalarType::U16 => Scalar::U16(at as u16),
        ScalarType::U32 => Scalar::U32(at as u32),
        ScalarType::U64 => Scalar::U64(at),
        ScalarType::F16 => Scalar::F16(f16::from_f32((at % (1 << 11)) as f32)),
        ScalarType::F32 => Scalar::F32((at % (1 << 24)) as f32),
        ScalarType::F64 => Scalar::F64(at as f64),
        ScalarType::NatType => Scalar::Nat((at & 0x7fff_ffff) as i32),
    }
}

/// The pseudorandom number generator SplitMix64, with the same sequence on every machine.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Creates a generator with this seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// Returns the next number of the sequence, which may be any number of 64 bits.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `bound`, which must not be 0.
    fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.draw()) * u128::from(bound)) >> 64) as u64
    }

    fn scalar(&mut self, leaf: Leaf) -> Scalar {
        let scalar = match leaf {
            Leaf::Index(bound) => return Scalar::Index(self.below(bound.max(1)) as i32),
            Leaf::Scalar(scalar) => scalar,
        };
        let mut signed = || self.below(21) as i8 - 10;
        match scalar {
            ScalarType::I8 => Scalar::I8(signed()),
            ScalarType::I16 => Scalar::I16(signed().into()),
            ScalarType::I32 => Scalar::I32(signed().into()),
            ScalarType::I64 => Scalar::I64(signed().into()),
            ScalarType::Bool => Scalar::Bool(self.below(2) == 1),
            ScalarType::U8 => Scalar::U8(self.below(11) as u8),
            ScalarType::U16 => Scalar::U16(self.below(11) as u16),
            ScalarType::U32 => Scalar::U32(self.below(11) as u32),
            ScalarType::U64 => Scalar::U64(self.below(11)),
            ScalarType::NatType => Scalar::Nat(self.below(11) as i32),
            ScalarType::F16 => Scalar::F16(f16::from_f32(self.float())),
            ScalarType::F32 => Scalar::F32(self.float()),
            ScalarType::F64 => Scalar::F64(self.float().into()),
        }
    }

    fn extreme(&mut self, leaf: Leaf) -> Scalar {
        let scalar = match leaf {
            Leaf::Index(bound) => {
                // There are only three different ones, so that they repeat.
                let bound = bound.clamp(1, 1 << 31);
                let last = (bound - 1) as i32;
                let all = [0, last, last / 2];
                return Scalar::Index(all[self.below(3) as usize]);
            }
            Leaf::Scalar(scalar) => scalar,
        };
        let kind = self.below(8);
        match scalar {
            ScalarType::F32 | ScalarType::F64 | ScalarType::F16 => {
                let float = match kind {
                    0 => {
                        let special = [
                            f64::NAN,
                            f64::INFINITY,
                            f64::NEG_INFINITY,
                            0.0,
                            -0.0,
                            f64::from(f32::MAX),
                            f64::from(f32::MIN_POSITIVE) / 16.0,
                            1.0 + f64::from(f32::EPSILON),
                        ];
                        special[self.below(8) as usize]
                    }
                    1 => f64::from(f32::from_bits(self.draw() as u32)),
                    _ => (self.draw() >> 11) as f64 / (1u64 << 50) as f64 - 4.0,
                };
                match scalar {
                    ScalarType::F16 => Scalar::F16(f16::from_f32(float as f32)),
                    ScalarType::F32 => Scalar::F32(float as f32),
                    _ => Scalar::F64(float),
                }
            }
            ScalarType::Bool | ScalarType::NatType => self.scalar(leaf),
            integer => {
                let bits = match kind {
                    0 => 0,
                    1 => u64::MAX,
                    2 => 1 << 63 | 1 << 31 | 1 << 15 | 1 << 7,
                    3 => !(1 << 63 | 1 << 31 | 1 << 15 | 1 << 7),
                    4 | 5 => self.draw(),
                    _ => self.below(16),
                };
                // The bits are truncated to the width of the type.
                match integer {
                    ScalarType::I8 => Scalar::I8(bits as i8),
                    ScalarType::I16 => Scalar::I16(bits as i16),
                    ScalarType::I32 => Scalar::I32(bits as i32),
                    ScalarType::I64 => Scalar::I64(bits as i64),
                    ScalarType::U8 => Scalar::U8(bits as u8),
                    ScalarType::U16 => Scalar::U16(bits as u16),
                    ScalarType::U32 => Scalar::U32(bits as u32),
                    _ => Scalar::U64(bits),
                }
            }
        }
    }

    fn float(&mut self) -> f32 {
        (self.below(513) as f32 - 256.0) / 256.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value_text::Length;
    use std::sync::Arc;

    fn array(n: u64, element: Shape) -> Shape {
        Shape::Array(n, Arc::new(element))
    }

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let shape = array(4, Shape::Scalar(ScalarType::F32));
        let text = |seed| match Fill::Random(seed).value(shape.clone()) {
            Ok(value) => value.text(Length::Full),
            Err(error) => error.to_string(),
        };
        assert_eq!(text(1), "[0.1328125, 0.4921875, 0.9453125, -0.11328125]");
        assert_eq!(text(1), text(1));
        assert_ne!(text(1), text(2));
    }

    #[test]
    fn what_is_made_up_is_in_range() {
        let shape = array(1000, Shape::Index(3));
        let Ok(value) = Fill::Random(7).value(shape.clone()) else {
            panic!("there are indices below 3");
        };
        let mut seen = [0; 3];
        let all = shape.for_each_leaf(&mut |offset, leaf| match value.get(offset, leaf) {
            Some(Scalar::Index(index @ 0..3)) => {
                seen[index as usize] += 1;
                Ok(())
            }
            other => Err(other),
        });
        assert_eq!(all, Ok(()));
        assert!(seen.iter().all(|count| *count > 250));
    }

    #[test]
    fn numbers_that_a_type_lacks_are_errors() {
        let made = |generator: &str, n: u64, scalar: ScalarType| {
            let generator = Generator::parse(generator).expect("a generator");
            let shape = array(n, Shape::Scalar(scalar));
            let value = generator
                .expect("bounds")
                .value(shape, 1, &|_| None, &|| false);
            value.map_or_else(|error| error.to_string(), |_| "made".to_owned())
        };
        let bound =
            |text: &str, ty: &str| format!("the bound `{text}` is not a value of type `{ty}`");
        assert_eq!(
            made("random(-1e38,1e39)", 4, ScalarType::F32),
            bound("1e39", "f32")
        );
        assert_eq!(
            made("sorted(-1e39,1)", 4, ScalarType::F32),
            bound("-1e39", "f32")
        );
        assert_eq!(made("random(-1e38,1e39)", 4, ScalarType::F64), "made");
        assert_eq!(made("permutation", 128, ScalarType::I8), "made");
        assert_eq!(
            made("permutation", 129, ScalarType::I8),
            "`permutation` goes up to 128, which does not fit into `i8`"
        );
    }

    #[test]
    fn iota_counts() {
        let text = |element| match Fill::Iota.value(array(5, element)) {
            Ok(value) => value.text(Length::Full),
            Err(error) => error.to_string(),
        };
        assert_eq!(
            text(Shape::Scalar(ScalarType::F64)),
            "[0.0, 1.0, 2.0, 3.0, 4.0]"
        );
        assert_eq!(text(Shape::Index(2)), "[0, 1, 0, 1, 0]");
        assert_eq!(text(Shape::Index(0)), "there is no value of type `Idx[0]`");
        assert_eq!(
            text(Shape::Vector(2, Leaf::Scalar(ScalarType::U8))),
            "[<0, 1>, <2, 3>, <4, 5>, <6, 7>, <8, 9>]"
        );
    }
}
