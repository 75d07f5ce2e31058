//! Determines the alignment of arrays of scalars that vectors are read from or written to.

use rise::Type;
use rustc_hash::FxHashMap;

use super::{Pass, Run};
use crate::analysis::uses::{Mention, Uses};
use crate::ir::trace::Changes;
use crate::ir::types::scalar_size;
use crate::ir::{Function, Home, Id};

pub(crate) const PASS: Pass = Pass {
    name: "vector-alignment",
    run: Run::Always(align),
    changes: Changes::all("is aligned for vector accesses"),
};

/// Records the alignment of each array of scalars that the kernel declares and of which vectors are
/// read or written: the size in bytes of the largest of these vectors, of which at most 16 lanes
/// count. Only vectors with a power of two of lanes are considered.
fn align(function: &mut Function) {
    let uses = Uses::of(function);
    let mut found: FxHashMap<Id, u64> = FxHashMap::default();
    uses.all(&function.body, &mut |id, mention| {
        let (Mention::Read(place) | Mention::Written(place)) = mention else {
            return;
        };
        let variable = &function.variables[id.0 as usize];
        if let Home::Local(_) = variable.home
            && let (Some(lanes), None) = (&place.lanes, &place.lane)
            && let Some(lanes) = lanes.as_const().and_then(|n| u64::try_from(n).ok())
            && lanes.is_power_of_two()
            && let Type::Scalar(scalar) = &*variable.elem
        {
            let bytes = found.entry(id).or_default();
            *bytes = (*bytes).max(lanes.min(16) * scalar_size(*scalar));
        }
    });
    function.aligned = found;
}
