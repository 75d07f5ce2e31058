//! Selects the targets for which a definition is checked in the editor.

use rise::core::{Expr, Form, subterms};
use rise::{Inference, Primitive, Scheme, Type};
use syntax::ast::{AnnotationValue, Item, Kind, TermKind};

use super::{has_tuple_of_arrays, targets};
use crate::target::{Target, Targets};
use crate::{definition, typing};

/// The targets that a definition determines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TargetSelection {
    /// The targets of `@target`.
    pub marked: Targets,
    /// The target of the first primitive or address space that only one target has.
    pub used: Option<Target>,
}

impl TargetSelection {
    /// Determines the targets of an inferred definition.
    pub fn of(item: &Item, inference: &Inference) -> TargetSelection {
        TargetSelection {
            marked: marked(item),
            used: used(item, inference),
        }
    }
}

fn marked(item: &Item) -> Targets {
    let mut marked = Targets::default();
    for annotation in &item.annotations {
        if annotation
            .name
            .as_ref()
            .is_none_or(|name| name.name != "target")
        {
            continue;
        }
        for arg in &annotation.args {
            if let AnnotationValue::Term(term) = arg.value
                && let TermKind::Name(name) = &item.term(term).kind
                && let Some(target) = Target::from_name(name)
            {
                marked.insert(target);
            }
        }
    }
    marked
}

fn used(item: &Item, inference: &Inference) -> Option<Target> {
    let of_primitives = inference.uses.iter().filter_map(|used| match used.target {
        rise::Target::Primitive(primitive) => {
            let target = targets::only(primitive)?;
            Some((item.term(used.term).span.start, target))
        }
        rise::Target::Phrase(id) => {
            let target = definition::only(typing::primitive(id)?)?;
            Some((item.term(used.term).span.start, target))
        }
        _ => None,
    });
    let of_spaces = item.terms.iter().filter_map(|term| match term.kind {
        TermKind::Address(_) => Some((term.span.start, Target::OpenCl)),
        _ => None,
    });
    let first = of_primitives.chain(of_spaces).min_by_key(|(at, _)| *at);
    first.map(|(_, target)| target)
}

/// Returns the target of an expression's patterns: OpenCL if it uses one that only OpenCL has,
/// otherwise OpenMP if it uses one that only OpenMP has, otherwise C.
pub fn made_for(body: &Expr<Primitive>) -> Target {
    let only = subterms(body).filter_map(|term| match term.form {
        Form::Primitive(primitive, ..) => targets::only(primitive),
        _ => None,
    });
    only.fold(Target::C, |known, target| match known {
        Target::OpenCl => known,
        Target::C | Target::OpenMp => target,
    })
}

/// Returns true if a definition of this type, in RISE or in DPIA, can be compiled on its own: its
/// parameters are sizes and data, and generated functions can return its result.
pub fn is_program(scheme: &Scheme) -> bool {
    stands_alone(scheme) && result(&scheme.ty).is_none_or(|result| !has_tuple_of_arrays(result))
}

/// Returns true if a definition of RISE with errors takes sizes and data, as far as its type is
/// known: because of an unknown name, its result or a parameter may be open.
pub fn may_be_program(scheme: &Scheme) -> bool {
    let mut ty = &scheme.ty;
    let mut takes_data = false;
    loop {
        ty = match &**ty {
            Type::Pi(pi) if pi.kind == Kind::Nat || pi.implicit => &pi.body,
            Type::Fun(param, _)
                if is_phrase(param) || is_function(param) || matches!(**param, Type::Var(_)) =>
            {
                return false;
            }
            Type::Fun(_, result) => {
                takes_data = true;
                result
            }
            Type::Pi(_) => return false,
            _ => return takes_data,
        };
    }
}

fn is_function(ty: &Type) -> bool {
    matches!(ty, Type::Fun(..) | Type::Pi(_))
}

/// Returns the result type of a function of RISE.
fn result(mut ty: &Type) -> Option<&Type> {
    loop {
        ty = match ty {
            Type::Fun(_, rest) => rest,
            Type::Pi(pi) => &pi.body,
            ty => return (!is_phrase(ty)).then_some(ty),
        };
    }
}

/// Returns true if a definition of this type can be compiled on its own judging by its parameters:
/// they are sizes and data.
pub fn stands_alone(scheme: &Scheme) -> bool {
    let mut ty = &scheme.ty;
    loop {
        match &**ty {
            Type::Fun(param, _) if is_phrase(param) => return definition::is_program(&scheme.ty),
            ty if is_phrase(ty) => return definition::is_program(&scheme.ty),
            Type::Pi(pi) if pi.kind == Kind::Nat => ty = &pi.body,
            Type::Fun(param, result) => {
                if is_function(param) || has_tuple_of_arrays(param) {
                    return false;
                }
                ty = result;
            }
            Type::Pi(_) | Type::Error => return false,
            _ => return true,
        }
    }
}

fn is_phrase(ty: &Type) -> bool {
    matches!(ty, Type::Exp(..) | Type::Acc(_) | Type::Comm)
}
