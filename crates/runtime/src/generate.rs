//! Values that are made up: random numbers, zeros, 0 1 2 …

use crate::scalar::{Leaf, Scalar};
use crate::shape::{Shape, ShapeError};
use crate::value::Value;
use half::f16;
use syntax::ast::ScalarType;
use thiserror::Error;

/// How values are made up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// Floating point numbers are multiples of 1/256 from -1 to 1, so that sums of products are
    /// exact as long as they can be, in whatever order they are computed; integers are from -10
    /// (unsigned ones from 0) to 10; indices are in range.
    Random(u64),
    /// 0, `false`
    Zeros,
    /// 0, 1, 2, … in the order of memory, as far as the type goes, then from 0 again.
    Iota,
}

/// Why no value can be made up.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FillError {
    /// `Idx[0]`
    #[error("there is no value of type `Idx[0]`")]
    NoIndex,
    /// The value does not fit into memory.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

impl Fill {
    /// A value of this shape.
    pub fn value(self, shape: Shape) -> Result<Value, FillError> {
        let mut value = Value::zeros(shape.clone())?;
        let mut random = Random::new(match self {
            Fill::Random(seed) => seed,
            Fill::Zeros | Fill::Iota => 0,
        });
        let mut count = 0;
        shape.for_each_leaf(&mut |offset, leaf| {
            if leaf == Leaf::Index(0) {
                return Err(FillError::NoIndex);
            }
            match self {
                Fill::Zeros => {}
                Fill::Random(_) => value.set(offset, random.scalar(leaf)),
                Fill::Iota => value.set(offset, iota(count, leaf)),
            }
            count += 1;
            Ok(())
        })?;
        value.restore_sizes();
        Ok(value)
    }
}

/// The element `at` of 0, 1, 2, …; floating point numbers only as far as they are exact.
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

/// A small generator (SplitMix64): the same numbers on every machine, for ever.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The generator of this seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is not 0.
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

    fn float(&mut self) -> f32 {
        (self.below(513) as f32 - 256.0) / 256.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Length;
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
