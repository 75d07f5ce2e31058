//! The availability of primitives on targets.

use rise::{Arg, Primitive};

use crate::target::Features;

/// Returns true if programs for the target may use the primitive with these type-level arguments:
/// the target provides the feature that the primitive requires, and a primitive that takes an
/// address space has one exactly if the target has work-items.
pub fn allows(target: Features, primitive: Primitive, types: &[Arg]) -> bool {
    let takes_space =
        primitive.optional_argument() == Some(rise::primitive::OptionalArgument::AddressSpace);
    let has_space = types.iter().any(|arg| matches!(arg, Arg::Address(_)));
    target.provides(primitive.requirement())
        && (!takes_space || has_space == target.has_work_items())
}
