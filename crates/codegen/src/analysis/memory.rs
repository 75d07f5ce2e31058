//! Computes the sizes of values in bytes, and the memory in which C code stores them, for callers
//! that do not parse the text.

use nat::Nat;
use rise::core::Origin;
use rise::{DataFun, Names, Ty, Type};

use crate::ir::Features;
use crate::ir::types::CType;

/// The maximal size in bytes of an array that C code allocates on the stack.
pub(crate) const MAX_ON_STACK: u64 = 4096;

/// The memory in which C code stores a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Keeping {
    /// A variable that is not an array, or several for a tuple.
    Variable,
    /// An array on the stack.
    Stack,
    /// Memory allocated on the heap.
    Heap,
}

impl Keeping {
    /// Returns the memory of an array of this size in bytes, where `None` is a size that is not
    /// constant: an array of 1 to [`MAX_ON_STACK`] bytes is on the stack, every other one on the
    /// heap. The limit for all arrays of a function together is not considered.
    pub(crate) fn of_array(bytes: Option<u64>) -> Keeping {
        match bytes {
            Some(1..=MAX_ON_STACK) => Keeping::Stack,
            _ => Keeping::Heap,
        }
    }
}

/// Returns the memory in which C code stores a value of this type, and its size in bytes; `None`
/// for types without a counterpart in C, such as functions. The memory of a tuple is the heap if a
/// component is there, otherwise the stack if a component is there.
pub fn keeping(data: &Ty) -> Option<(Keeping, Nat)> {
    if let Some((a, b)) = halves(data) {
        let ((first, m), (second, n)) = (keeping(&a)?, keeping(&b)?);
        return Some((first.max(second), m + &n));
    }
    let bytes = bytes(data)?;
    let home = match &**data {
        Type::Array(..) | Type::DepArray(..) => {
            Keeping::of_array(bytes.as_const().and_then(|n| u64::try_from(n).ok()))
        }
        _ => Keeping::Variable,
    };
    Some((home, bytes))
}

/// Returns the size in bytes of a parameter or result of this type; `None` for types without a
/// counterpart in C, such as functions. A `f16` has the size that it has in OpenCL C.
pub fn bytes(data: &Type) -> Option<Nat> {
    match data {
        Type::Array(n, element) => Some(n * &bytes(element)?),
        Type::DepArray(n, DataFun::Lambda(var, row)) => {
            Some(Nat::sum(*var, &Nat::ZERO, n, &bytes(row)?))
        }
        _ => {
            let features = Features {
                half_floats: true,
                ..Features::default()
            };
            let ty = CType::of_target(data, &Names::default(), Origin(0), features).ok()?;
            Some(Nat::constant(i64::try_from(ty.size()).ok()?))
        }
    }
}

/// Returns the types of the two values as which a tuple, or nested arrays of tuples, can be stored:
/// each component with the arrays around the tuple. Returns `None` for other types.
pub(crate) fn halves(data: &Type) -> Option<(Ty, Ty)> {
    match data {
        Type::Pair(a, b) => Some((a.clone(), b.clone())),
        Type::Array(n, element) => {
            let (a, b) = halves(element)?;
            let array = |half| Type::Array(n.clone(), half).into();
            Some((array(a), array(b)))
        }
        Type::DepArray(n, DataFun::Lambda(var, row)) => {
            let (a, b) = halves(row)?;
            let rows = |half| Type::DepArray(n.clone(), DataFun::Lambda(*var, half)).into();
            Some((rows(a), rows(b)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nat::Var;
    use syntax::ast::ScalarType;

    #[test]
    fn small_arrays_of_a_known_size_stand_on_the_stack() {
        let float: Ty = Type::Scalar(ScalarType::F32).into();
        let array = |n: Nat, of: &Ty| -> Ty { Type::Array(n, of.clone()).into() };
        let constant = Nat::constant;
        let n = Nat::var(Var(0));
        let pair: Ty = Type::Pair(float.clone(), Type::Scalar(ScalarType::I8).into()).into();
        for (data, expected) in [
            (float.clone(), (Keeping::Variable, constant(4))),
            (pair.clone(), (Keeping::Variable, constant(5))),
            (array(constant(4), &float), (Keeping::Stack, constant(16))),
            (
                array(constant(1024), &float),
                (Keeping::Stack, constant(4096)),
            ),
            (
                array(constant(1025), &float),
                (Keeping::Heap, constant(4100)),
            ),
            (array(n.clone(), &float), (Keeping::Heap, &n * &constant(4))),
            (array(n.clone(), &pair), (Keeping::Heap, &n * &constant(5))),
        ] {
            assert_eq!(keeping(&data), Some(expected));
        }
        // Parameters are arrays of structs.
        assert_eq!(bytes(&array(n.clone(), &pair)), Some(&n * &constant(8)));
        let half: Ty = Type::Scalar(ScalarType::F16).into();
        assert_eq!(keeping(&half), Some((Keeping::Variable, constant(2))));
        let halves = array(constant(8), &half);
        assert_eq!(keeping(&halves), Some((Keeping::Stack, constant(16))));
        let function: Ty = Type::Fun(half.clone(), half).into();
        assert_eq!(keeping(&function), None);
    }
}
