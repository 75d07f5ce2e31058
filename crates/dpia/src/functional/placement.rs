//! The reasons why memory cannot be in an address space.

use std::fmt;

use nat::Nat;
use rise::Primitive;
use rise::core::Launch;
use syntax::ast::AddressSpace;

use super::access_inference::{AccessInference, Term};
use super::memory::inner_levels;
use super::problem::ParallelMap;
use Primitive::{MapGlobal, MapLocal, MapWorkGroup};

/// The number of work-items in each used dimension of a proposed work-group, for groups with one,
/// two and three used dimensions.
const PROPOSED: [i64; 3] = [64, 8, 4];

/// The reason why memory cannot be in an address space, other than its size.
#[derive(Clone, Debug, PartialEq)]
pub enum PlacementError {
    /// A kernel writes it, and another kernel reads it.
    BetweenKernels,
    /// Constant memory can only be read.
    ReadOnly,
    /// Local memory is allocated outside of every work-group.
    NoGroup,
    /// Local memory is written by a map that is distributed over several groups.
    OfGroups(Primitive),
    /// Private memory is written by a `mapWorkGroup`.
    OfItems,
    /// Private memory has a type without a known size.
    NoSize,
    /// Private memory is distributed over an unknown number of work-items.
    UnknownShare {
        /// The innermost parallel map that distributes the memory.
        map: Primitive,
        /// A local size that would determine the share of each work-item, if there is one.
        local: Option<Vec<i64>>,
    },
    /// Private memory has this size in bytes, which is no constant.
    NoConstant(Nat),
}

impl fmt::Display for PlacementError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PlacementError::BetweenKernels => {
                "a kernel writes this memory, and only Global memory keeps its contents after a kernel"
            }
            PlacementError::ReadOnly => "this memory can only be read",
            PlacementError::NoGroup => "there is no `mapWorkGroup` around this",
            PlacementError::OfGroups(map) => {
                let name = map.name();
                return write!(
                    f,
                    "`{name}` computes the elements in several work-groups, and each has Local memory of its own"
                );
            }
            PlacementError::OfItems => {
                "`mapWorkGroup` computes the elements in several work-groups, and each work-item has Private memory of its own"
            }
            PlacementError::NoSize => "the size of the memory is unknown",
            PlacementError::UnknownShare { .. } => {
                "how much each work-item stores depends on the number of work-items, which is unknown"
            }
            PlacementError::NoConstant(_) => "the size of the memory is not a constant",
        })
    }
}

impl AccessInference {
    /// Returns the reason why the memory of a primitive cannot be in an address space, apart from a
    /// size beyond the limits of the device.
    pub(super) fn placement_error(
        &self,
        primitive: Primitive,
        term: &Term,
        args: &[Term],
        space: AddressSpace,
    ) -> Option<PlacementError> {
        let inner = inner_levels(primitive, args);
        let between = match args {
            [writer] if primitive == Primitive::ToMem => super::memory::is_kernel(writer),
            _ => false,
        };
        if between && space != AddressSpace::Global {
            return Some(PlacementError::BetweenKernels);
        }
        match space {
            AddressSpace::Constant => Some(PlacementError::ReadOnly),
            AddressSpace::Global => None,
            AddressSpace::Local => {
                let mut around = self.nest.iter();
                if !around.any(|l| !l.wrong && l.primitive == MapWorkGroup) {
                    return Some(PlacementError::NoGroup);
                }
                let mut writers = inner.iter().map(|level| level.primitive);
                let across = writers.find(|map| matches!(map, MapGlobal | MapWorkGroup));
                across.map(PlacementError::OfGroups)
            }
            AddressSpace::Private => {
                if inner.iter().any(|l| l.primitive == MapWorkGroup) {
                    return Some(PlacementError::OfItems);
                }
                let launch = &self.launch;
                let Some(bytes) = self.bytes(primitive, term, args, space, launch) else {
                    return Some(match inner.last() {
                        None => PlacementError::NoSize,
                        Some(level) => PlacementError::UnknownShare {
                            map: level.primitive,
                            local: self.proposed((primitive, term, args), &inner),
                        },
                    });
                };
                let bytes = self.facts.normalize(&bytes);
                let constant = bytes.as_const().is_some();
                (!constant).then_some(PlacementError::NoConstant(bytes))
            }
        }
    }

    /// Returns a local size that makes the share of each work-item in Private memory constant.
    /// Returns `None` if there is none, if a local size is given, if the program has explicit
    /// kernels, or if the memory is written by another parallel map than `mapLocal`.
    fn proposed(
        &self,
        (primitive, term, args): (Primitive, &Term, &[Term]),
        inner: &[ParallelMap],
    ) -> Option<Vec<i64>> {
        let nothing_said = self.launch.local.iter().all(Option::is_none);
        if self.kernels || !nothing_said || inner.iter().any(|l| l.primitive != MapLocal) {
            return None;
        }
        let in_kernel = || self.levels_of_kernel().into_iter();
        let used = |d: usize| {
            in_kernel().any(|l| l.primitive == MapLocal && usize::from(l.dimension) == d)
        };
        let count = (0..3).filter(|d| used(*d)).count();
        let last = (0..3).rev().find(|d| used(*d))?;
        let most = *PROPOSED.get(count.checked_sub(1)?)?;
        let local: Vec<i64> = (0..=last).map(|d| if used(d) { most } else { 1 }).collect();
        let sizes: Vec<Nat> = local.iter().map(|size| Nat::constant(*size)).collect();
        let launch = Launch {
            local: Launch::of(&sizes, &[]).local,
            global: self.launch.global.clone(),
        };
        let bytes = self.bytes(primitive, term, args, AddressSpace::Private, &launch)?;
        let known = self.facts.normalize(&bytes).as_const().is_some();
        known.then_some(local)
    }
}
