//! Quick applicability tests for completion: which functions may take a given value, and which may
//! be an argument of a given call.

use nat::{Nat, Var};
use syntax::ast::{Kind, ScalarType};

use crate::types::{DataFun, Scheme, Ty, Type};

/// Returns true if a function of this scheme may take a value of type `ty` as its last argument,
/// once all arguments before it are given. Two sizes fit unless they are different constants:
/// `n.f32` fits `(m*4).t`. Several occurrences of a type variable fit types with the same outermost
/// constructor.
pub fn matches(scheme: &Scheme, ty: &Ty) -> bool {
    let mut known = Substitution::default();
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

/// Returns the types of a function's explicit parameters, followed by the type of its result, where
/// `None` stands for an explicit type-level parameter (such as a size or a type). Records the kinds
/// of all type-level parameters, implicit ones included, in `known`.
fn parts(scheme: &Scheme, known: &mut Substitution) -> Vec<Option<Ty>> {
    let mut parts = Vec::new();
    let mut rest = &scheme.ty;
    loop {
        match &**rest {
            Type::Pi(pi) => {
                known.kinds.push((pi.var, pi.kind));
                if !pi.implicit {
                    parts.push(None);
                }
                rest = &pi.body;
            }
            Type::Fun(param, result) => {
                parts.push(Some(param.clone()));
                rest = result;
            }
            _ => {
                parts.push(Some(rest.clone()));
                return parts;
            }
        }
    }
}

/// The type of a function of several values that a call expects as an argument: its parameters,
/// followed by its result.
#[derive(Clone, Debug)]
pub struct ExpectedFunction(Vec<Ty>);

impl ExpectedFunction {
    /// Returns the function type that a call of `callee` expects as its explicit argument number
    /// `index`, counted from 0, type-level arguments included. Returns `None` if there is no such
    /// argument, or if it is not a function of at least two values. `piped` is the type of the last
    /// argument, if it is known.
    pub fn of_call(callee: &Scheme, index: usize, piped: Option<&Ty>) -> Option<ExpectedFunction> {
        let mut known = Substitution::default();
        let parts = parts(callee, &mut known);
        let [arguments @ .., _] = &parts[..] else {
            return None;
        };
        let mut wanted = Vec::new();
        let mut rest = arguments.get(index)?.as_ref()?;
        while let Type::Fun(param, result) = &**rest {
            wanted.push(param.clone());
            rest = result;
        }
        wanted.push(rest.clone());
        if let (Some(Some(last)), Some(piped)) = (arguments.last(), piped) {
            fits(last, piped, &mut known);
        }
        let settled = |ty: Ty| match &*ty {
            Type::Var(var) => known.seen(*var).cloned().unwrap_or(ty),
            _ => ty,
        };
        let several = wanted.len() > 2;
        several.then(|| ExpectedFunction(wanted.into_iter().map(settled).collect()))
    }

    /// Returns true if a definition with this scheme can probably be passed as the expected
    /// argument. A function with explicit type-level parameters is rejected, and where the expected
    /// type is a variable, everything but scalars, vectors and variables.
    pub fn is(&self, scheme: &Scheme) -> bool {
        let mut known = Substitution::default();
        let parts = parts(scheme, &mut known);
        let mut open: Vec<(Var, Ty)> = Vec::new();
        let fits_part = |(part, wanted): (&Option<Ty>, &Ty)| match (part, &**wanted) {
            (None, _) => false,
            // The only constraint on an unknown type is to be the same at each occurrence: most
            // functions are on scalars.
            (Some(part), Type::Var(var)) => {
                let before = open.iter().find(|(known, _)| known == var);
                let agrees = before.is_none_or(|(_, before)| same_shape(before, part));
                open.push((*var, part.clone()));
                agrees && matches!(**part, Type::Var(_) | Type::Scalar(_) | Type::Vector(..))
            }
            (Some(part), _) => fits(part, wanted, &mut known),
        };
        parts.len() == self.0.len() && parts.iter().zip(&self.0).all(fits_part)
    }
}

/// The kinds of a scheme's variables, and the types with which the variables were matched.
#[derive(Default)]
struct Substitution {
    kinds: Vec<(Var, Kind)>,
    seen: Vec<(Var, Ty)>,
}

impl Substitution {
    fn seen(&self, var: Var) -> Option<&Ty> {
        let found = self.seen.iter().find(|(known, _)| *known == var);
        found.map(|(_, ty)| ty)
    }

    fn kind(&self, var: Var) -> Kind {
        let found = self.kinds.iter().find(|(known, _)| *known == var);
        found.map_or(Kind::DataType, |(_, kind)| *kind)
    }
}

/// Returns true if a type can be of this kind. Variables, their applications and error types can be
/// of any kind, and function types of none.
fn is_of(ty: &Type, kind: Kind) -> bool {
    match (kind, ty) {
        (_, Type::Fun(..) | Type::Pi(_)) => false,
        (Kind::DataType, _) | (_, Type::Var(_) | Type::Apply(..) | Type::Error) => true,
        (Kind::Scalar, Type::Scalar(_) | Type::Index(_)) => true,
        (Kind::Num, Type::Scalar(scalar)) => *scalar != ScalarType::Bool,
        (Kind::Num, Type::Vector(..)) => true,
        (Kind::Float, Type::Scalar(scalar)) => scalar.is_float(),
        (Kind::Int, Type::Scalar(scalar)) => scalar.is_integer(),
        _ => false,
    }
}

/// Matches a type of a scheme with that of a value. Returns true if they may match, and records the
/// types of the scheme's variables in `known`.
fn fits(pattern: &Ty, ty: &Ty, known: &mut Substitution) -> bool {
    match (&**pattern, &**ty) {
        (Type::Var(v), _) => match known.seen(*v) {
            Some(before) => same_shape(before, ty),
            None => {
                known.seen.push((*v, ty.clone()));
                is_of(ty, known.kind(*v))
            }
        },
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
