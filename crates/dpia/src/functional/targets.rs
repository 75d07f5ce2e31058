//! The availability of primitives on targets.

use rise::{Arg, Primitive};

use crate::target::{Features, Parallelism};

/// Returns the parallelism of the targets that have the primitive; all targets have a sequential
/// one.
pub(crate) fn required(primitive: Primitive) -> Parallelism {
    use Primitive::{MapGlobal, MapLocal, MapPar, MapWorkGroup, OclRun, ReducePar};
    match primitive {
        MapPar | ReducePar => Parallelism::Threads,
        MapGlobal | MapWorkGroup | MapLocal | OclRun => Parallelism::WorkItems,
        _ => Parallelism::Sequential,
    }
}

/// Returns true if programs for the target may use the primitive.
pub(crate) fn has(target: Features, primitive: Primitive) -> bool {
    target.parallelism.offers(required(primitive))
}

/// Returns true if programs for the target may use the primitive with these type-level arguments:
/// targets with work-items require an address space, and others do not allow one.
pub fn allows(target: Features, primitive: Primitive, types: &[Arg]) -> bool {
    let takes_space =
        primitive.optional_argument() == Some(rise::primitive::OptionalArgument::AddressSpace);
    let has_space = types.iter().any(|arg| matches!(arg, Arg::Address(_)));
    has(target, primitive) && (!takes_space || has_space == target.has_work_items())
}
