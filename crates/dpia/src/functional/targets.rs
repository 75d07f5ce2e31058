//! What targets have.

use rise::Primitive;

use crate::target::Target;

/// Whether programs for the target may use the primitive.
pub(crate) fn has(target: Target, primitive: Primitive) -> bool {
    use Primitive::{MapGlobal, MapLocal, MapPar, MapWorkGroup, OclRun, ReducePar};
    match primitive {
        MapPar | ReducePar => target == Target::OpenMp,
        MapGlobal | MapWorkGroup | MapLocal | OclRun => target == Target::OpenCl,
        _ => true,
    }
}

/// The only target that has it.
pub(crate) fn only(primitive: Primitive) -> Option<Target> {
    let mut having = Target::ALL
        .into_iter()
        .filter(|&target| has(target, primitive));
    match (having.next(), having.next()) {
        (Some(target), None) => Some(target),
        _ => None,
    }
}
