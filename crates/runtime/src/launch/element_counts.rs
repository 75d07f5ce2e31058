//! Checks the number of elements of intermediate arrays, and the sizes and indices that a program
//! computes with.

use super::LaunchError;
use crate::shape::{Bindings, Shape, ShapeError};
use dpia::IndexWidth;
use nat::{Facts, Nat, Var};
use rise::core::{Expr, Form, Language, Program, subterms};
use rise::{Primitive, Ty, Type};
use rustc_hash::FxHashSet;
use syntax::ast::Kind;

/// Checks that stored arrays have countable numbers of elements, that each dimension of other
/// arrays is countable, and that sizes and indices that are used as values fit into 32 bits.
/// Lengths that depend on a loop counter are replaced by their upper bound over its range.
pub(super) fn check(program: &Program<Primitive>, bindings: &Bindings) -> Result<(), LaunchError> {
    let counters = counters(&program.body);
    let mut seen: FxHashSet<(&Type, bool)> = FxHashSet::default();
    for expr in subterms(&program.body) {
        let stored = is_stored(&expr.form);
        if matches!(&*expr.ty, Type::Array(..)) && seen.insert((&expr.ty, stored)) {
            let ty = bounded(&expr.ty, &counters);
            let shape = match stored {
                true => Shape::of(&ty, bindings).map(drop),
                false => check_dimensions(&ty, bindings),
            };
            // Sizes that are data are not known here.
            if let Err(error @ (ShapeError::TooLarge(..) | ShapeError::Uncountable(_))) = shape {
                let program = program.name.clone();
                return Err(LaunchError::Inside { program, error });
            }
        }
        check_number(expr, bindings)?;
    }
    Ok(())
}

/// Returns the counters of loops over sizes, with the exclusive ends of their ranges.
fn counters(body: &Expr<Primitive>) -> Vec<(Var, Nat)> {
    let mut all = Vec::new();
    for expr in subterms(body) {
        let Form::Primitive(primitive, types, args) = &expr.form else {
            continue;
        };
        let Some(end) = primitive.counted(types, args) else {
            continue;
        };
        for arg in args.iter() {
            if let Form::DepLambda(var, Kind::Nat, _) = &arg.form {
                all.push((*var, end.clone()));
            }
        }
    }
    all
}

/// Replaces each length that depends on counters by an upper bound, if there is one.
fn bounded(ty: &Ty, counters: &[(Var, Nat)]) -> Ty {
    let Type::Array(n, element) = &**ty else {
        return ty.clone();
    };
    let mut length = n.clone();
    // The end of a range only depends on counters of outer loops.
    for (var, end) in counters.iter().rev().chain(counters) {
        if length.mentions(*var) {
            let bound = Facts::new().upper_bound(&length, *var, &Nat::ZERO, &(end - 1));
            length = bound.unwrap_or(length);
        }
    }
    Type::Array(length, bounded(element, counters)).into()
}

/// Checks that sizes and indices that the program computes with or stores fit into the 32 bits of
/// `natType` and `Idx[n]`.
fn check_number(expr: &Expr<Primitive>, bindings: &Bindings) -> Result<(), LaunchError> {
    let fits = |bound: &Nat, what: &dyn Fn() -> String| match bindings.nat(bound) {
        Ok(bound) if bound > IndexWidth::Bits32.limit() => {
            Err(LaunchError::LargeNumber(what(), bound - 1))
        }
        _ => Ok(()),
    };
    if let Form::Nat(size) = &expr.form {
        fits(&(size + &Nat::ONE), &|| "natType".to_owned())?;
    }
    let mut rest = vec![&*expr.ty];
    while let Some(ty) = rest.pop() {
        match ty {
            Type::Index(n) => fits(n, &|| rise::print::type_text(ty, &bindings.names))?,
            Type::Array(_, element) => rest.push(element),
            Type::Pair(a, b) => rest.extend([&**a, &**b]),
            _ => {}
        }
    }
    Ok(())
}

/// Returns true if the value is stored in temporary memory of the program.
fn is_stored(form: &Form<Primitive>) -> bool {
    use Primitive as P;
    matches!(
        form,
        Form::Primitive(
            P::ToMem | P::ScanSeq | P::Iterate | P::Repeat | P::RepeatInPlace | P::RepeatWhile,
            ..
        )
    )
}

/// Checks that each dimension of an array is countable.
fn check_dimensions(ty: &Type, bindings: &Bindings) -> Result<(), ShapeError> {
    let mut inner = ty;
    while let Type::Array(n, element) = inner {
        let count = bindings.nat(n)?;
        if count >= bindings.index.limit() {
            let text = rise::print::type_text(ty, &bindings.names);
            return Err(ShapeError::TooLarge(text, count, bindings.index));
        }
        inner = element;
    }
    Ok(())
}
