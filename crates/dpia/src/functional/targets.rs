//! The availability of primitives on targets.

use rise::{Arg, Primitive};

use crate::target::Target;

/// Returns true if programs for the target may use the primitive.
pub(crate) fn has(target: Target, primitive: Primitive) -> bool {
    use Primitive::{MapGlobal, MapLocal, MapPar, MapWorkGroup, OclRun, ReducePar};
    match primitive {
        MapPar | ReducePar => target == Target::OpenMp,
        MapGlobal | MapWorkGroup | MapLocal | OclRun => target == Target::OpenCl,
        _ => true,
    }
}

/// Returns true if programs for the target may use the primitive with these type-level arguments:
/// OpenCL requires an address space, and other targets do not allow one.
pub fn allows(target: Target, primitive: Primitive, types: &[Arg]) -> bool {
    let takes_space =
        primitive.optional_argument() == Some(rise::primitive::OptionalArgument::AddressSpace);
    let has_space = types.iter().any(|arg| matches!(arg, Arg::Address(_)));
    has(target, primitive) && (!takes_space || has_space == (target == Target::OpenCl))
}

/// Returns the target of a primitive that only one target has.
pub(crate) fn only(primitive: Primitive) -> Option<Target> {
    let mut having = Target::ALL
        .into_iter()
        .filter(|&target| has(target, primitive));
    match (having.next(), having.next()) {
        (Some(target), None) => Some(target),
        _ => None,
    }
}
