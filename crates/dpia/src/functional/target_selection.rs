//! The requirements of a definition on its targets, and the tests of whether it is a program and of
//! whether it chooses implementations.

use rise::core::{Expr, Form, subterms};
use rise::pattern::{MapLoop, ReduceLoop};
use rise::{Arg, Inference, Pattern, Primitive, Scheme, Ty, Type};
use syntax::ast::{Item, Kind, TermKind};

use super::{has_tuple_of_arrays, outputs};
use crate::target::Parallelism;
use crate::{stage, typing};

/// Returns the parallelism that an inferred definition requires by the first primitive or address
/// space in its text that not all targets have; `None` if there is no such primitive or address
/// space.
pub fn first_required(item: &Item, inference: &Inference) -> Option<Parallelism> {
    let of_primitives = inference.uses.iter().filter_map(|used| {
        let required = match used.target {
            rise::Target::Primitive(primitive) => primitive.requirement().into(),
            rise::Target::Phrase(id) => typing::primitive(id)?.requirement().into(),
            _ => Parallelism::Sequential,
        };
        let is_special = required != Parallelism::Sequential;
        is_special.then(|| (item.term(used.term).span.start, required))
    });
    let of_spaces = item.terms.iter().filter_map(|term| match term.kind {
        TermKind::Address(_) => Some((term.span.start, Parallelism::WorkItems)),
        _ => None,
    });
    let first = of_primitives.chain(of_spaces).min_by_key(|(at, _)| *at);
    first.map(|(_, required)| required)
}

/// Returns the greatest parallelism that the patterns and address spaces of an expression require.
pub fn required(body: &Expr<Primitive>) -> Parallelism {
    let each = subterms(body).map(|term| match term.form {
        Form::Primitive(_, ref args, _) if has_space(args) => Parallelism::WorkItems,
        Form::Primitive(primitive, ..) => primitive.requirement().into(),
        _ => Parallelism::Sequential,
    });
    each.max().unwrap_or_default()
}

fn has_space(args: &[Arg]) -> bool {
    args.iter().any(|arg| matches!(arg, Arg::Address(_)))
}

/// Returns true if a program chooses an implementation for one of its patterns: a loop, memory, or
/// a kernel.
pub fn makes_choice(body: &Expr<Primitive>) -> bool {
    subterms(body).any(|term| match term.form {
        Form::Primitive(primitive, ..) => is_choice(primitive),
        _ => false,
    })
}

/// Returns true if a primitive chooses an implementation, as in [`makes_choice`].
pub fn is_choice(primitive: Primitive) -> bool {
    match primitive.pattern() {
        Pattern::Map(MapLoop::Computed | MapLoop::Lanes) => false,
        Pattern::Reduce(ReduceLoop::Undetermined) => false,
        Pattern::Map(
            MapLoop::Sequential | MapLoop::Unrolled | MapLoop::Stream | MapLoop::Parallel(_),
        )
        | Pattern::Reduce(ReduceLoop::Sequential | ReduceLoop::Unrolled | ReduceLoop::Threads)
        | Pattern::DepMap(_)
        | Pattern::Stream(_)
        | Pattern::Memory
        | Pattern::Kernel => true,
        // There is only one implementation of these.
        Pattern::Scan | Pattern::Iterate | Pattern::Let | Pattern::DepPair | Pattern::DepMatch => {
            false
        }
        // Whether the value is kept in one or two places is a choice, but no loop is left open.
        Pattern::Repeat(_) => false,
        Pattern::Scalar | Pattern::Connective | Pattern::Select | Pattern::Element => false,
        Pattern::Half(_) | Pattern::Pair | Pattern::MapHalf(_) | Pattern::Generate => false,
        Pattern::Literal | Pattern::View(_) | Pattern::Zip | Pattern::Concat => false,
    }
}

/// Returns true if a definition of this type, in RISE or in DPIA, can be compiled on its own: its
/// parameters are sizes and data, and generated functions can return its result.
pub fn is_program(scheme: &Scheme) -> bool {
    let is_written = |result: &Ty| {
        outputs(result)
            .iter()
            .all(|output| !has_tuple_of_arrays(output))
    };
    stands_alone(scheme) && result(&scheme.ty).is_none_or(is_written)
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

/// Returns the result type of a function of RISE; `None` if it is a phrase type of DPIA.
fn result(mut ty: &Ty) -> Option<&Ty> {
    loop {
        ty = match &**ty {
            Type::Fun(_, rest) => rest,
            Type::Pi(pi) => &pi.body,
            _ => return (!is_phrase(ty)).then_some(ty),
        };
    }
}

/// Returns true if a definition of this type, in RISE or in DPIA, can be compiled on its own
/// judging by its parameters: they are sizes and data that generated functions can take. In DPIA
/// the result counts too.
pub fn stands_alone(scheme: &Scheme) -> bool {
    let mut ty = &scheme.ty;
    loop {
        match &**ty {
            Type::Fun(param, _) if is_phrase(param) => return stage::is_program(&scheme.ty),
            ty if is_phrase(ty) => return stage::is_program(&scheme.ty),
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
