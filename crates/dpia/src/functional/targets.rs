//! The availability of primitives on targets.

use rise::{Arg, Primitive};

use crate::target::Features;

/// Returns true if programs for the target may use the primitive with these type-level arguments:
/// targets with work-items require an address space, and others do not allow one.
pub fn allows(target: Features, primitive: Primitive, types: &[Arg]) -> bool {
    let takes_space =
        primitive.optional_argument() == Some(rise::primitive::OptionalArgument::AddressSpace);
    let has_space = types.iter().any(|arg| matches!(arg, Arg::Address(_)));
    target.provides(primitive.requirement())
        && (!takes_space || has_space == target.has_work_items())
}
