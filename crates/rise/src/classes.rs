//! Sub-kinds of data types as sets of disjoint type classes.

use syntax::ast::{Kind, ScalarType};

use crate::types::Type;

/// The types that a type variable may be instantiated with, as a set of disjoint classes. The
/// sub-kinds of data types (section "Types" of `docs/language.md`) are such sets, and the meet of
/// two sub-kinds is their intersection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Classes(u8);

impl Classes {
    const BOOL: Classes = Classes(1);
    const INT: Classes = Classes(2);
    const FLOAT: Classes = Classes(4);
    const INDEX: Classes = Classes(8);
    const NUM_VECTOR: Classes = Classes(16);
    const OTHER_DATA: Classes = Classes(32);
    const FUNCTION: Classes = Classes(64);

    /// Data and functions, for a parameter without annotation.
    pub(crate) const ANY: Classes = Classes(127);
    /// All types of values that can be stored.
    pub(crate) const DATA: Classes = Classes(63);
    /// The types of number literals without a point: numbers, vectors of numbers and indices.
    pub(crate) const INT_LITERAL: Classes = Classes(2 | 4 | 8 | 16);
    /// The types of number literals with a point.
    pub(crate) const FLOAT_LITERAL: Classes = Classes::FLOAT;

    /// Floating-point numbers and vectors of them, the operands of `fma` and `sqrt`. The class of
    /// vectors has all vectors of numbers; a restriction to this set restricts their elements too.
    pub(crate) const FLOATS: Classes = Classes(4 | 16);

    pub(crate) fn of_kind(kind: Kind) -> Classes {
        match kind {
            Kind::Scalar => Classes::BOOL
                .or(Classes::INT)
                .or(Classes::FLOAT)
                .or(Classes::INDEX),
            Kind::Num => Classes::INT.or(Classes::FLOAT).or(Classes::NUM_VECTOR),
            Kind::Int => Classes::INT,
            Kind::Float => Classes::FLOAT,
            Kind::DataType
            | Kind::Nat
            | Kind::AddrSp
            | Kind::Nat2Nat
            | Kind::Nat2Data
            | Kind::ReadWrite => Classes::DATA,
        }
    }

    /// Returns the class of a type whose outermost constructor is known; `None` for variables,
    /// applications of variables, and errors. The phrase types of DPIA count as functions.
    pub(crate) fn of_type(ty: &Type) -> Option<Classes> {
        Some(match ty {
            Type::Error | Type::Var(_) | Type::Apply(..) => return None,
            Type::Scalar(ScalarType::Bool) => Classes::BOOL,
            Type::Scalar(scalar) if scalar.is_float() => Classes::FLOAT,
            Type::Scalar(_) => Classes::INT,
            Type::Index(_) => Classes::INDEX,
            Type::Vector(_, elem) => match &**elem {
                Type::Scalar(ScalarType::Bool | ScalarType::NatType) => Classes::OTHER_DATA,
                Type::Scalar(_) | Type::Var(_) | Type::Error => Classes::NUM_VECTOR,
                _ => Classes::OTHER_DATA,
            },
            Type::Array(..) | Type::DepArray(..) | Type::Pair(..) | Type::DepPair(_) => {
                Classes::OTHER_DATA
            }
            Type::Fun(..) | Type::Pi(_) | Type::Exp(..) | Type::Acc(_) | Type::Comm => {
                Classes::FUNCTION
            }
        })
    }

    /// Returns the kind that has exactly these classes, functions aside. No kind has exactly those
    /// of integer literals or of the operands of `fma`: they become `Num`, without indices, and
    /// `Float`, without vectors. Returns `None` for every other set that is not exactly a kind.
    pub(crate) fn to_kind(self) -> Option<Kind> {
        let data = self.and(Classes::DATA);
        [
            Kind::DataType,
            Kind::Scalar,
            Kind::Num,
            Kind::Int,
            Kind::Float,
        ]
        .into_iter()
        .find(|&kind| Classes::of_kind(kind) == data)
        .or_else(|| (data == Classes::INT_LITERAL).then_some(Kind::Num))
        .or_else(|| (data == Classes::FLOATS).then_some(Kind::Float))
    }

    pub(crate) const fn or(self, other: Classes) -> Classes {
        Classes(self.0 | other.0)
    }

    pub(crate) const fn and(self, other: Classes) -> Classes {
        Classes(self.0 & other.0)
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) const fn within(self, other: Classes) -> bool {
        self.0 & !other.0 == 0
    }

    pub(crate) const fn allows_functions(self) -> bool {
        self.0 & Classes::FUNCTION.0 != 0
    }

    /// Returns true if the set has the class of all data that is neither a scalar, an index nor a
    /// vector of numbers, such as arrays and pairs.
    pub(crate) const fn allows_arrays(self) -> bool {
        self.0 & Classes::OTHER_DATA.0 != 0
    }

    pub(crate) const fn allows_int(self) -> bool {
        self.0 & Classes::INT.0 != 0
    }

    /// Returns the description of the set in error messages; functions are ignored.
    pub(crate) fn describe(self) -> &'static str {
        match self.and(Classes::DATA) {
            c if c == Classes::DATA => "data",
            c if c == Classes::of_kind(Kind::Scalar) => "scalars (bool, numbers, Idx)",
            c if c == Classes::of_kind(Kind::Num) => "numbers and vectors of numbers",
            c if c == Classes::INT => "integers",
            c if c == Classes::FLOAT => "floating-point numbers",
            c if c == Classes::FLOATS => "floating-point numbers and vectors of them",
            c if c == Classes::INT_LITERAL => "numbers",
            _ => "numbers (integers or floating point)",
        }
    }
}
