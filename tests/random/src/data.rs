//! Defines data types with known sizes.

use std::fmt::{self, Display};

/// A scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Num {
    F32,
    I32,
    F64,
    I64,
    U32,
    U8,
    I8,
    U16,
    I16,
    U64,
    Bool,
}

impl Num {
    pub const ALL: &[Num] = &[
        Num::F32,
        Num::F32,
        Num::F32,
        Num::I32,
        Num::I32,
        Num::F64,
        Num::I64,
        Num::U32,
        Num::U8,
        Num::I8,
        Num::U16,
        Num::I16,
        Num::U64,
        Num::Bool,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Num::F32 => "f32",
            Num::I32 => "i32",
            Num::F64 => "f64",
            Num::I64 => "i64",
            Num::U32 => "u32",
            Num::U8 => "u8",
            Num::I8 => "i8",
            Num::U16 => "u16",
            Num::I16 => "i16",
            Num::U64 => "u64",
            Num::Bool => "bool",
        }
    }

    /// Returns the name of the type in C.
    pub fn c_name(self) -> &'static str {
        match self {
            Num::F32 => "float",
            Num::I32 => "int32_t",
            Num::F64 => "double",
            Num::I64 => "int64_t",
            Num::U32 => "uint32_t",
            Num::U8 => "uint8_t",
            Num::I8 => "int8_t",
            Num::U16 => "uint16_t",
            Num::I16 => "int16_t",
            Num::U64 => "uint64_t",
            Num::Bool => "bool",
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, Num::F32 | Num::F64)
    }
}

/// A data type with known sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Data {
    Scalar(Num),
    Vector(u32, Num),
    Array(Size, Box<Data>),
    Pair(Box<Data>, Box<Data>),
}

/// A size: a number, or a multiple of the parameter `n` plus a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub of_n: u32,
    pub plus: u32,
}

impl Size {
    pub fn number(plus: u32) -> Size {
        Size { of_n: 0, plus }
    }

    pub fn constant(self) -> Option<u32> {
        (self.of_n == 0).then_some(self.plus)
    }

    pub fn times(self, by: u32) -> Size {
        Size {
            of_n: self.of_n * by,
            plus: self.plus * by,
        }
    }

    pub fn grown(self, by: u32) -> Size {
        Size {
            plus: self.plus + by,
            ..self
        }
    }

    /// Returns the size minus `by`, if that is positive for every `n`.
    pub fn shrunk(self, by: u32) -> Option<Size> {
        let plus = self.plus.checked_sub(by)?;
        let rest = Size { plus, ..self };
        (rest.at_least() > 0).then_some(rest)
    }

    /// Returns the least value, for `n` = 1.
    pub fn at_least(self) -> u32 {
        self.of_n + self.plus
    }
}

impl Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.of_n, self.plus) {
            (0, plus) => write!(f, "{plus}"),
            (1, 0) => f.write_str("n"),
            (1, plus) => write!(f, "(n+{plus})"),
            (of_n, 0) => write!(f, "({of_n}*n)"),
            (of_n, plus) => write!(f, "({of_n}*n+{plus})"),
        }
    }
}

impl Display for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Data::Scalar(num) => f.write_str(num.name()),
            Data::Vector(lanes, num) => write!(f, "Vec[{lanes}, {}]", num.name()),
            Data::Array(n, elem) => write!(f, "{n}.{elem}"),
            Data::Pair(a, b) => write!(f, "({a}, {b})"),
        }
    }
}

impl Data {
    pub const INT: Data = Data::Scalar(Num::I32);

    pub fn array(n: Size, elem: Data) -> Data {
        Data::Array(n, Box::new(elem))
    }

    pub fn pair(a: Data, b: Data) -> Data {
        Data::Pair(Box::new(a), Box::new(b))
    }

    pub fn is_scalar(&self) -> bool {
        matches!(self, Data::Scalar(_))
    }

    /// Returns true for a number type, whose values can be added.
    pub fn is_number(&self) -> bool {
        matches!(self, Data::Scalar(num) if *num != Num::Bool)
    }

    pub fn has_array(&self) -> bool {
        match self {
            Data::Scalar(_) | Data::Vector(..) => false,
            Data::Array(..) => true,
            Data::Pair(a, b) => a.has_array() || b.has_array(),
        }
    }

    /// Returns true if all sizes in the type are constants.
    pub fn is_constant(&self) -> bool {
        match self {
            Data::Scalar(_) | Data::Vector(..) => true,
            Data::Array(n, elem) => n.constant().is_some() && elem.is_constant(),
            Data::Pair(a, b) => a.is_constant() && b.is_constant(),
        }
    }

    /// Returns the number of scalars if `n` is 4.
    pub fn weight(&self) -> u64 {
        match self {
            Data::Scalar(_) => 1,
            Data::Vector(lanes, _) => u64::from(*lanes),
            Data::Array(n, elem) => u64::from(n.of_n * 4 + n.plus) * elem.weight(),
            Data::Pair(a, b) => a.weight() + b.weight(),
        }
    }
}
