//! The machine representation of scalar types, and their arithmetic.

use std::cmp::Ordering;

use half::f16;
use syntax::ast::ScalarType;

use super::buffer::Data;

/// The representation of a scalar. `natType` and `Idx` are 32 bits wide, as in generated code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    F32,
    F64,
}

impl Kind {
    pub fn of(scalar: ScalarType) -> Kind {
        match scalar {
            ScalarType::Bool => Kind::Bool,
            ScalarType::I8 => Kind::I8,
            ScalarType::I16 => Kind::I16,
            ScalarType::I32 | ScalarType::NatType => Kind::I32,
            ScalarType::I64 => Kind::I64,
            ScalarType::U8 => Kind::U8,
            ScalarType::U16 => Kind::U16,
            ScalarType::U32 => Kind::U32,
            ScalarType::U64 => Kind::U64,
            ScalarType::F16 => Kind::F16,
            ScalarType::F32 => Kind::F32,
            ScalarType::F64 => Kind::F64,
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, Kind::F16 | Kind::F32 | Kind::F64)
    }
}

/// Expands to `$body` with `$T` as the Rust type of `$kind`, or to `$otherwise` for `bool`.
macro_rules! with_number {
    ($kind:expr, $T:ident => $body:expr, bool => $otherwise:expr) => {{
        macro_rules! of {
            ($t:ty) => {{
                type $T = $t;
                $body
            }};
        }
        match $kind {
            Kind::Bool => $otherwise,
            Kind::I8 => of!(i8),
            Kind::I16 => of!(i16),
            Kind::I32 => of!(i32),
            Kind::I64 => of!(i64),
            Kind::U8 => of!(u8),
            Kind::U16 => of!(u16),
            Kind::U32 => of!(u32),
            Kind::U64 => of!(u64),
            Kind::F16 => of!(half::f16),
            Kind::F32 => of!(f32),
            Kind::F64 => of!(f64),
        }
    }};
}

/// Expands to `$body` with `$T` as the Rust type of `$kind`.
macro_rules! with_kind {
    ($kind:expr, $T:ident => $body:expr) => {
        $crate::interp::kind::with_number!($kind, $T => $body, bool => {
            type $T = bool;
            $body
        })
    };
}

pub(crate) use {with_kind, with_number};

/// The 64-bit representation of a scalar, which is in the lowest bits.
pub(crate) type Word = u64;

/// The Rust type of a scalar.
pub(crate) trait Elem: Copy + PartialEq + PartialOrd + Default + 'static {
    const KIND: Kind;
    fn word(self) -> Word;
    fn of(word: Word) -> Self;
    fn slice(data: &Data) -> Option<&[Self]>;
    fn vec_mut(data: &mut Data) -> Option<&mut Vec<Self>>;
    fn wrap(values: Vec<Self>) -> Data;
    /// Converts to a 64-bit float or an integer, without rounding.
    fn exact(self) -> Exact;
    /// Converts a number by the rules of `cast`.
    fn cast(from: Exact) -> Self;
}

/// A number of any scalar type.
#[derive(Clone, Copy)]
pub(crate) enum Exact {
    Int(i128),
    Float(f64),
}

/// Arithmetic with the semantics of RISE. `div` and `rem` return `None` if an integer is divided by
/// zero.
pub(crate) trait Num: Elem {
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Option<Self>;
    fn rem(self, other: Self) -> Option<Self>;
    fn neg(self) -> Self;
    fn abs(self) -> Self;
}

macro_rules! storage {
    ($variant:ident) => {
        const KIND: Kind = Kind::$variant;
        fn slice(data: &Data) -> Option<&[Self]> {
            match data {
                Data::$variant(values) => Some(values),
                _ => None,
            }
        }
        fn vec_mut(data: &mut Data) -> Option<&mut Vec<Self>> {
            match data {
                Data::$variant(values) => Some(values),
                _ => None,
            }
        }
        fn wrap(values: Vec<Self>) -> Data {
            Data::$variant(values)
        }
    };
}

macro_rules! integers {
    ($($t:ty, $unsigned:ty, $variant:ident;)+) => {$(
        impl Elem for $t {
            storage!($variant);
            fn word(self) -> Word { self as $unsigned as Word }
            fn of(word: Word) -> Self { word as $t }
            fn exact(self) -> Exact { Exact::Int(self as i128) }
            fn cast(from: Exact) -> Self {
                match from {
                    Exact::Int(value) => value as $t,
                    Exact::Float(value) => value as $t,
                }
            }
        }
        impl Num for $t {
            fn add(self, other: Self) -> Self { self.wrapping_add(other) }
            fn sub(self, other: Self) -> Self { self.wrapping_sub(other) }
            fn mul(self, other: Self) -> Self { self.wrapping_mul(other) }
            fn div(self, other: Self) -> Option<Self> {
                (other != 0).then(|| self.wrapping_div(other))
            }
            fn rem(self, other: Self) -> Option<Self> {
                (other != 0).then(|| self.wrapping_rem(other))
            }
            fn neg(self) -> Self { self.wrapping_neg() }
            fn abs(self) -> Self {
                if self < Self::default() { self.wrapping_neg() } else { self }
            }
        }
    )+};
}

integers! {
    i8, u8, I8;
    i16, u16, I16;
    i32, u32, I32;
    i64, u64, I64;
    u8, u8, U8;
    u16, u16, U16;
    u32, u32, U32;
    u64, u64, U64;
}

impl Elem for bool {
    storage!(Bool);
    fn word(self) -> Word {
        Word::from(self)
    }
    fn of(word: Word) -> Self {
        word != 0
    }
    fn exact(self) -> Exact {
        Exact::Int(i128::from(self))
    }
    fn cast(from: Exact) -> Self {
        match from {
            Exact::Int(value) => value != 0,
            Exact::Float(value) => value != 0.0,
        }
    }
}

impl Elem for f16 {
    storage!(F16);
    fn word(self) -> Word {
        Word::from(self.to_bits())
    }
    fn of(word: Word) -> Self {
        f16::from_bits(word as u16)
    }
    fn exact(self) -> Exact {
        Exact::Float(self.to_f64())
    }
    fn cast(from: Exact) -> Self {
        match from {
            // Integers that a 64-bit float rounds are far above all finite 16-bit floats.
            Exact::Int(value) => f16::from_f64(value as f64),
            Exact::Float(value) => f16::from_f32(rounded_to_odd(value)),
        }
    }
}

/// Rounds a 64-bit float to odd: the last bit of the 32-bit result is set if digits are lost, so
/// that rounding it to 16 bits gives the same result as rounding the 64-bit float directly.
///
/// Source: Boldo and Melquiond, "When double rounding is odd" (IMACS 2005).
fn rounded_to_odd(value: f64) -> f32 {
    let near = value as f32;
    let (back, bits) = (f64::from(near), near.to_bits());
    if back == value || !near.is_finite() || bits & 1 == 1 {
        return near;
    }
    // The neighbour on the other side of the value has an odd last bit.
    f32::from_bits(match back.abs() < value.abs() {
        true => bits + 1,
        false => bits - 1,
    })
}

macro_rules! float_elements {
    ($($t:ty, $bits:ty, $variant:ident;)+) => {$(
        impl Elem for $t {
            storage!($variant);
            fn word(self) -> Word { Word::from(self.to_bits()) }
            fn of(word: Word) -> Self { <$t>::from_bits(word as $bits) }
            fn exact(self) -> Exact { Exact::Float(f64::from(self)) }
            fn cast(from: Exact) -> Self {
                match from {
                    Exact::Int(value) => value as $t,
                    Exact::Float(value) => value as $t,
                }
            }
        }
    )+};
}

float_elements! {
    f32, u32, F32;
    f64, u64, F64;
}

macro_rules! floats {
    ($($t:ty),+) => {$(
        impl Num for $t {
            fn add(self, other: Self) -> Self { self + other }
            fn sub(self, other: Self) -> Self { self - other }
            fn mul(self, other: Self) -> Self { self * other }
            fn div(self, other: Self) -> Option<Self> { Some(self / other) }
            fn rem(self, other: Self) -> Option<Self> { Some(self % other) }
            fn neg(self) -> Self { -self }
            fn abs(self) -> Self { if self.is_sign_negative() { -self } else { self } }
        }
    )+};
}

floats!(f16, f32, f64);

/// The operations `neg` and `abs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Neg,
    Abs,
}

impl Unary {
    /// Applies the operation to a number of type `T`.
    pub fn on<T: Num>(self, a: T) -> T {
        match self {
            Unary::Neg => a.neg(),
            Unary::Abs => a.abs(),
        }
    }
}

/// The operations `add`, `sub`, `mul`, `div`, `mod`, `min` and `max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arith {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Min,
    Max,
}

impl Arith {
    /// Applies the operation to numbers of type `T`; `None` if an integer is divided by zero.
    pub fn on<T: Num>(self, a: T, b: T) -> Option<T> {
        match self {
            Arith::Add => Some(a.add(b)),
            Arith::Sub => Some(a.sub(b)),
            Arith::Mul => Some(a.mul(b)),
            Arith::Div => a.div(b),
            Arith::Mod => a.rem(b),
            Arith::Min => Some(lesser(a, b)),
            Arith::Max => Some(greater(a, b)),
        }
    }
}

/// Returns the smaller number; the second one if none is.
pub(crate) fn lesser<T: Num>(a: T, b: T) -> T {
    if a < b { a } else { b }
}

/// Returns the greater number; the second one if none is.
pub(crate) fn greater<T: Num>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compare {
    Gt,
    Lt,
    Ge,
    Le,
    Equal,
    NotEqual,
}

impl Compare {
    /// Returns the result of the comparison for scalars of type `T`.
    pub fn on<T: Elem>(self, a: T, b: T) -> bool {
        match self {
            Compare::Gt => a > b,
            Compare::Lt => a < b,
            Compare::Ge => a >= b,
            Compare::Le => a <= b,
            Compare::Equal => a == b,
            Compare::NotEqual => a.partial_cmp(&b) != Some(Ordering::Equal),
        }
    }
}

/// Returns the function that converts a word of this kind to a number, for `cast`.
pub(crate) fn reads(from: Kind) -> fn(Word) -> Exact {
    with_kind!(from, T => |word| T::of(word).exact())
}

/// Returns the function that converts a number to a word of this kind by the rules of `cast`.
pub(crate) fn writes(to: Kind) -> fn(Exact) -> Word {
    with_kind!(to, T => |value| T::cast(value).word())
}
