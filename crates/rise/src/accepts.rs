//! Which functions fit a value: a quick test for completion.

use nat::{Nat, Var};
use rustc_hash::FxHashMap;

use crate::types::{DataFun, Scheme, Ty, Type};

/// Whether a function of this scheme can take a value of type `ty` as its last or next argument,
/// once its explicit parameters (and functions before the value) are given. Sizes are compared by
/// form only: `n.f32` fits `(m*4).t`.
pub fn matches(scheme: &Scheme, ty: &Ty) -> bool {
    let mut rest = &scheme.ty;
    let mut best = false;
    loop {
        match &**rest {
            Type::Pi(pi) => rest = &pi.body,
            Type::Fun(param, result) => {
                let last = !matches!(&**result, Type::Fun(..) | Type::Pi(_));
                if last {
                    // A variable alone accepts everything, which says nothing about fitness.
                    best |= fits(param, ty, &mut FxHashMap::default());
                }
                rest = result;
            }
            _ => return best,
        }
    }
}

/// One-way matching of a scheme's type against a value's.
fn fits(pattern: &Ty, ty: &Ty, seen: &mut FxHashMap<Var, Ty>) -> bool {
    match (&**pattern, &**ty) {
        (Type::Var(v), _) => match seen.get(v) {
            Some(before) => same_shape(before, ty),
            None => {
                seen.insert(*v, ty.clone());
                !matches!(**ty, Type::Fun(..) | Type::Pi(_))
            }
        },
        (Type::Error, _) | (_, Type::Error | Type::Var(_)) => true,
        (Type::Scalar(a), Type::Scalar(b)) => a == b,
        (Type::Index(_), Type::Index(_)) => true,
        (Type::Vector(m, a), Type::Vector(n, b)) | (Type::Array(m, a), Type::Array(n, b)) => {
            sizes_fit(m, n) && fits(a, b, seen)
        }
        (Type::Pair(a, b), Type::Pair(c, d)) | (Type::Fun(a, b), Type::Fun(c, d)) => {
            fits(a, c, seen) && fits(b, d, seen)
        }
        (Type::DepArray(_, f), Type::DepArray(_, g)) | (Type::DepPair(f), Type::DepPair(g)) => {
            match (f, g) {
                (DataFun::Lambda(_, a), DataFun::Lambda(_, b)) => fits(a, b, seen),
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
