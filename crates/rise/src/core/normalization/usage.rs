//! Usage analysis: how often the value of a variable is computed.

use super::is_function;
use crate::core::{Expr, Form, Language, Local};

/// The number of times that the value of a variable is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Uses {
    Never,
    Once,
    /// Used in several places, or in one that may run several times.
    Many,
}

impl Uses {
    fn and(self, other: Uses) -> Uses {
        match (self, other) {
            (Uses::Never, uses) | (uses, Uses::Never) => uses,
            _ => Uses::Many,
        }
    }
}

/// Counts the uses of `local` in `expr`.
pub(super) fn uses<P: Language>(expr: &Expr<P>, local: &Local) -> Uses {
    count(expr, local, 0)
}

/// Counts the uses in an expression that is applied to `given` arguments, so that its first `given`
/// leading functions run once.
fn count<P: Language>(expr: &Expr<P>, local: &Local, given: usize) -> Uses {
    match &expr.form {
        Form::Var(other) if other == local => Uses::Once,
        Form::Var(_) | Form::Literal(_) | Form::Nat(_) | Form::Global(..) => Uses::Never,
        Form::Lambda(_, body) if given > 0 => count(body, local, given - 1),
        Form::DepLambda(_, _, body) if given > 0 => count(body, local, given - 1),
        Form::Lambda(_, body) | Form::DepLambda(_, _, body) => match count(body, local, 0) {
            Uses::Never => Uses::Never,
            _ => Uses::Many,
        },
        Form::DepApply(f, _) => count(f, local, given + 1),
        Form::Apply(f, x) => count(f, local, given + 1).and(count(x, local, 0)),
        Form::Primitive(p, _, args) => {
            let runs_once = p.is_let() && !is_function(&expr.ty);
            let each = args.iter().enumerate().map(|(at, arg)| {
                let given = usize::from(runs_once && at == 1);
                count(arg, local, given)
            });
            each.fold(Uses::Never, Uses::and)
        }
        Form::Foreign(_, args) => args
            .iter()
            .map(|arg| count(arg, local, 0))
            .fold(Uses::Never, Uses::and),
    }
}
