//! How many elements arrays inside of programs have.

use super::LaunchError;
use crate::shape::{Bindings, MAX_ELEMENTS, Shape, ShapeError};
use rise::core::{Form, Program};
use rise::{Primitive, Type};
use rustc_hash::FxHashSet;

/// Refuses sizes for which an array that the program stores has too many elements, or a dimension
/// of one that it only looks at: their numbers are counted with 32 bits.
pub(super) fn check(program: &Program<Primitive>, bindings: &Bindings) -> Result<(), LaunchError> {
    let mut seen: FxHashSet<(&Type, bool)> = FxHashSet::default();
    let mut rest = vec![&program.body];
    while let Some(expr) = rest.pop() {
        let stored = is_stored(&expr.form);
        if matches!(&*expr.ty, Type::Array(..)) && seen.insert((&expr.ty, stored)) {
            let shape = match stored {
                true => Shape::of(&expr.ty, bindings).map(drop),
                false => check_dimensions(&expr.ty, bindings),
            };
            // Sizes that are bound further in are not known here.
            if let Err(error @ (ShapeError::TooLarge(..) | ShapeError::Uncountable(_))) = shape {
                let program = program.name.clone();
                return Err(LaunchError::Inside { program, error });
            }
        }
        match &expr.form {
            Form::Lambda(_, body) | Form::DepLambda(_, _, body) | Form::DepApply(body, _) => {
                rest.push(body);
            }
            Form::Apply(f, x) => rest.extend([f, x]),
            Form::Primitive(_, _, args) | Form::Foreign(_, args) => rest.extend(args.iter()),
            Form::Var(_) | Form::Literal(_) | Form::Nat(_) | Form::Global(..) => {}
        }
    }
    Ok(())
}

/// Whether memory of the program's own has the value.
fn is_stored(form: &Form<Primitive>) -> bool {
    use Primitive as P;
    matches!(
        form,
        Form::Primitive(P::ToMem | P::ScanSeq | P::Iterate, ..)
    )
}

/// Whether each dimension of an array can be counted.
fn check_dimensions(ty: &Type, bindings: &Bindings) -> Result<(), ShapeError> {
    let mut inner = ty;
    while let Type::Array(n, element) = inner {
        let count = bindings.nat(n)?;
        if count >= MAX_ELEMENTS {
            let text = rise::print::type_text(ty, &bindings.names);
            return Err(ShapeError::TooLarge(text, count));
        }
        inner = element;
    }
    Ok(())
}
