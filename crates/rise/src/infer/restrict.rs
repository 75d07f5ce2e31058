//! Restriction of types to classes.

use std::sync::Arc;

use syntax::ast::{Kind, Name};

use super::Infer;
use super::unification_table::{State, VarInfo};
use super::unify::UnifyError;
use crate::classes::Classes;
use crate::types::{Arg, Ty, Type};

impl Infer<'_> {
    /// Restricts the implicit type of a use of a primitive on floats, in RISE or in DPIA, to floats
    /// and vectors of floats, for which there is no kind.
    pub(super) fn restrict_to_floats(&mut self, implicits: &[(Name, Arg)]) {
        for (_, arg) in implicits {
            if let Arg::Type(ty) = arg {
                // The type is a variable that was made for this use, so the restriction cannot
                // fail.
                let _ = self.restrict(ty, Classes::FLOATS);
            }
        }
    }

    /// Restricts the type to `classes`. Fails if no instance of the type is in them, or if the type
    /// has a rigid variable that may stand for other types.
    pub(super) fn restrict(&mut self, ty: &Ty, classes: Classes) -> Result<(), UnifyError> {
        let ty = self.table.head(ty);
        match &*ty {
            Type::Error => Ok(()),
            Type::Var(var) if self.table.is_open(*var) => {
                let both = self.table.info(*var).classes.and(classes);
                if both.is_empty() {
                    return Err(UnifyError::Classes(classes, ty));
                }
                if both != self.table.info(*var).classes {
                    self.table.update(*var).classes = both;
                }
                Ok(())
            }
            Type::Var(var) => {
                let info = self.table.info(*var);
                let both = info.classes.and(classes);
                if info.classes.within(classes) {
                    Ok(())
                } else if info.infers_kind && !both.is_empty() {
                    self.table.update(*var).classes = both;
                    Ok(())
                } else {
                    Err(UnifyError::Classes(classes, ty))
                }
            }
            Type::Apply(..) if Classes::DATA.within(classes) => Ok(()),
            Type::Apply(fun, at) if self.table.is_open(*fun) => {
                // A type of these classes does not depend on a size.
                let constant = self.fresh_type(classes);
                self.bind_data_fun(*fun, at, &constant)
            }
            Type::Apply(..) => Err(UnifyError::Classes(classes, ty)),
            Type::Vector(_, elem) if !Classes::DATA.within(classes) => {
                if !Classes::of_type(&ty).is_some_and(|c| c.within(classes)) {
                    return Err(UnifyError::Classes(classes, ty));
                }
                let numbers = Classes::of_kind(Kind::Int).or(Classes::of_kind(Kind::Float));
                self.restrict(elem, classes.and(numbers))
                    .map_err(|_| UnifyError::Classes(classes, ty.clone()))
            }
            _ => match Classes::of_type(&ty) {
                Some(found) if !found.within(classes) => Err(UnifyError::Classes(classes, ty)),
                _ => Ok(()),
            },
        }
    }

    fn fresh_type(&mut self, classes: Classes) -> Ty {
        let span = self.current_span();
        let info = VarInfo::new("t".into(), Kind::DataType, self.level, State::Open, span);
        Arc::new(Type::Var(self.table.add(VarInfo { classes, ..info })))
    }
}
