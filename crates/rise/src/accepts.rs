//! Which functions fit a value: a quick test for completion.

use nat::{Nat, Var};
use syntax::ast::{Kind, ScalarType};

use crate::types::{DataFun, Scheme, Ty, Type};

/// Whether a function of this scheme can take a value of type `ty` as its last argument, once its
/// explicit parameters (and functions before the value) are given. Sizes are compared by form
/// only: `n.f32` fits `(m*4).t`.
pub fn matches(scheme: &Scheme, ty: &Ty) -> bool {
    let mut known = Known::default();
    let mut rest = &scheme.ty;
    loop {
        match &**rest {
            Type::Pi(pi) => {
                known.kinds.push((pi.var, pi.kind));
                rest = &pi.body;
            }
            Type::Fun(param, result) => {
                if !matches!(&**result, Type::Fun(..) | Type::Pi(_)) {
                    return fits(param, ty, &mut known);
                }
                rest = result;
            }
            _ => return false,
        }
    }
}

/// What is known of a scheme's variables. They are few, so that lists do.
#[derive(Default)]
struct Known {
    kinds: Vec<(Var, Kind)>,
    seen: Vec<(Var, Ty)>,
}

impl Known {
    fn kind(&self, var: Var) -> Kind {
        let found = self.kinds.iter().find(|(known, _)| *known == var);
        found.map_or(Kind::DataType, |(_, kind)| *kind)
    }
}

/// Whether a type can be of this kind; variables can.
fn is_of(ty: &Type, kind: Kind) -> bool {
    use ScalarType::{Bool, F16, F32, F64};
    match (kind, ty) {
        (_, Type::Fun(..) | Type::Pi(_)) => false,
        (Kind::DataType, _) | (_, Type::Var(_) | Type::Apply(..) | Type::Error) => true,
        (Kind::Scalar, Type::Scalar(_) | Type::Index(_)) => true,
        (Kind::Num, Type::Scalar(scalar)) => *scalar != Bool,
        (Kind::Num, Type::Vector(..)) => true,
        (Kind::Float, Type::Scalar(scalar)) => matches!(scalar, F16 | F32 | F64),
        (Kind::Int, Type::Scalar(scalar)) => !matches!(scalar, Bool | F16 | F32 | F64),
        _ => false,
    }
}

/// One-way matching of a scheme's type against a value's.
fn fits(pattern: &Ty, ty: &Ty, known: &mut Known) -> bool {
    match (&**pattern, &**ty) {
        (Type::Var(v), _) => {
            let before = known.seen.iter().find(|(var, _)| var == v);
            match before {
                Some((_, before)) => same_shape(before, ty),
                None => {
                    known.seen.push((*v, ty.clone()));
                    is_of(ty, known.kind(*v))
                }
            }
        }
        (Type::Error, _) | (_, Type::Error | Type::Var(_)) => true,
        (Type::Scalar(a), Type::Scalar(b)) => a == b,
        (Type::Index(_), Type::Index(_)) => true,
        (Type::Vector(m, a), Type::Vector(n, b)) | (Type::Array(m, a), Type::Array(n, b)) => {
            sizes_fit(m, n) && fits(a, b, known)
        }
        (Type::Pair(a, b), Type::Pair(c, d)) | (Type::Fun(a, b), Type::Fun(c, d)) => {
            fits(a, c, known) && fits(b, d, known)
        }
        (Type::DepArray(_, f), Type::DepArray(_, g)) | (Type::DepPair(f), Type::DepPair(g)) => {
            match (f, g) {
                (DataFun::Lambda(_, a), DataFun::Lambda(_, b)) => fits(a, b, known),
                _ => true,
            }
        }
        (Type::Apply(..), _) => true,
        _ => false,
    }
}

fn same_shape(a: &Ty, b: &Ty) -> bool {
    std::mem::discriminant(&**a) == std::mem::discriminant(&**b)
}

fn sizes_fit(pattern: &Nat, size: &Nat) -> bool {
    match (pattern.as_const(), size.as_const()) {
        (Some(a), Some(b)) => a == b,
        _ => true,
    }
}
