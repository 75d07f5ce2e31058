//! Chooses launch sizes that the user does not give.
//!
//! A kernel that was not compiled for certain launch sizes works with all of them. The choice
//! depends on its loops over work-items: the global size is the number of iterations of the loops
//! over all work-items, rounded up to whole groups, or a quarter of it in dimension 0 if these are
//! more than [enough](iterations_of_item) for the device; the number of groups is that of the loops over
//! groups; the local size is the number of iterations of the loops within a group, rounded up to a
//! power of two, where a group has at most [`most_items`] work-items.

use super::{DeviceInfo, DeviceType};
use codegen::ir::Level;

/// The largest number of work-items of a group by default in kernels with loops within a group:
/// enough to hide memory latency, and few enough for all devices and for kernels with many
/// registers.
const MAX_LOCAL_SIZE: u64 = 128;
/// The same for kernels without such loops. A device can run only a limited number of groups at a
/// time: on an H200, smaller groups take 1.2 times as long in stencils, 1.6 times in copies.
const MAX_INDEPENDENT: u64 = 256;
/// The least number of work-items of a group that is chosen so that all compute units have work.
const MIN_INDEPENDENT: u64 = 32;
/// The number of groups for each compute unit below which groups are made smaller: an H200 executes
/// 16384 long loops in half of the time if groups have 32 work-items instead of 128.
const GROUPS_OF_UNIT: u64 = 4;
/// The largest local size in dimension 0 by default, if several dimensions have more than one
/// work-item. Neighbours in this dimension access neighbouring memory.
const MAX_LOCAL_SIZE_0: u64 = 32;
/// The number of iterations that each work-item executes in dimension 0, if that leaves enough
/// work-items. Neighbours still access neighbouring memory. An H200 needs half of the time for
/// scaled arrays and for stencils with few points.
const ITERATIONS_OF_ITEM: u64 = 4;
/// The number of work-items that a compute unit of a GPU can execute at the same time.
const ITEMS_OF_UNIT: u64 = 2048;
/// The least number of work-items that are left, as a multiple of those that the device can execute
/// at the same time: with fewer, the last ones to start leave many units without work.
const MIN_ROUNDS: u64 = 4;
/// The largest number of groups in each dimension by default; beyond it, each group runs several
/// iterations. Devices limit the second and third dimension.
const MAX_GROUPS: [u64; 3] = [1 << 20, 1 << 15, 1 << 15];

/// The given sizes and the loops of a kernel.
#[derive(Clone, Debug, Default)]
pub struct KernelLoops {
    /// The given local size in each dimension.
    pub local: [Option<u64>; 3],
    /// The given global size in each dimension.
    pub global: [Option<u64>; 3],
    /// The loops over work-items: the level, the dimension and the number of iterations.
    pub counts: Vec<(Level, u8, u64)>,
}

impl KernelLoops {
    /// Returns true if the local size in a dimension is not given.
    pub fn is_open(&self, dim: usize) -> bool {
        self.local[dim].is_none()
    }

    /// Returns the local and the global size in each dimension for chosen local sizes. Given sizes
    /// are kept, and a chosen local size is reduced to a divisor of a given global size.
    pub fn launch(&self, local: [u64; 3], device: &DeviceInfo) -> ([u64; 3], [u64; 3]) {
        let sizes = [0, 1, 2].map(|dim| fitting(self, dim, local[dim]));
        let iterations = [iterations_of_item(self, sizes[0], device), 1, 1];
        let global = [0, 1, 2].map(|dim| global(self, dim, sizes[dim], iterations[dim]));
        (sizes, global)
    }

    /// Halves the largest of the local sizes in `dims` that are not given. Returns `None` if all of
    /// them are given or 1.
    pub fn halved(&self, local: [u64; 3], dims: &[usize]) -> Option<[u64; 3]> {
        let open = |dim: &usize| self.is_open(*dim) && local[*dim] > 1;
        let dim = (dims.iter().copied().filter(open)).max_by_key(|dim| local[*dim])?;
        let mut smaller = local;
        smaller[dim] /= 2;
        Some(smaller)
    }
}

/// Returns the local sizes that are tried first: the given ones, and otherwise powers of two.
pub fn preferred(loops: &KernelLoops, device: &DeviceInfo) -> [u64; 3] {
    let useful = [0, 1, 2].map(|dim| match loops.local[dim] {
        Some(size) => size,
        None => width(loops, dim),
    });
    let used = useful.iter().filter(|size| **size > 1).count();
    let most_items = most_items(loops, device);
    let mut room = most_items.min(device.work_group);
    let mut local = loops.local.map(|size| size.unwrap_or(1));
    for size in local {
        room /= size.max(1);
    }
    for (dim, said) in loops.local.iter().enumerate() {
        if said.is_none() {
            let most = match dim {
                0 if used > 1 => MAX_LOCAL_SIZE_0,
                _ => most_items,
            };
            let most = most.min(room.max(1)).min(device.work_item_sizes[dim]);
            local[dim] = useful[dim].min(power_below(most));
            room /= local[dim];
        }
    }
    local
}

/// Returns the largest number of work-items of a group by default: such that all compute units have
/// work, if all work-items are independent and their number is not given.
fn most_items(loops: &KernelLoops, device: &DeviceInfo) -> u64 {
    let Some(items) = independent_items(loops) else {
        return MAX_LOCAL_SIZE;
    };
    let share = items / (GROUPS_OF_UNIT * u64::from(device.compute_units.max(1)));
    power_below(share.clamp(MIN_INDEPENDENT, MAX_INDEPENDENT))
}

/// Returns the number of iterations of the loops over all work-items, if all work-items are
/// independent and their number is not given.
fn independent_items(loops: &KernelLoops) -> Option<u64> {
    let is_free = |(level, dim, _): &(Level, u8, u64)| {
        *level == Level::Global && loops.global[usize::from(*dim)].is_none()
    };
    if !loops.counts.iter().all(is_free) {
        return None;
    }
    let iterations = |dim| count(loops, Level::Global, dim).unwrap_or(1).max(1);
    let items = [0, 1, 2].map(iterations);
    Some(items.into_iter().fold(1, u64::saturating_mul))
}

/// Returns the number of iterations that each work-item executes in dimension 0, where groups have
/// this local size: several on a GPU, if enough independent work-items are left.
fn iterations_of_item(loops: &KernelLoops, local: u64, device: &DeviceInfo) -> u64 {
    let units = u64::from(device.compute_units.max(1));
    let enough = ITERATIONS_OF_ITEM * MIN_ROUNDS * ITEMS_OF_UNIT * units;
    let fills_groups = |count| count / ITERATIONS_OF_ITEM >= local;
    let is_large = independent_items(loops).is_some_and(|items| items >= enough)
        && count(loops, Level::Global, 0).is_some_and(fills_groups);
    match is_large && device.kind == DeviceType::Gpu {
        true => ITERATIONS_OF_ITEM,
        false => 1,
    }
}

/// Returns the largest useful local size in a dimension: the number of iterations of the loops
/// within a group, or of the loops over all work-items if there are none, at most 2^20, rounded up
/// to a power of two. Returns 1 if there are no such loops.
fn width(loops: &KernelLoops, dim: usize) -> u64 {
    let of = |level| count(loops, level, dim);
    let shared = of(Level::Local).or(of(Level::Global));
    shared.map_or(1, |count| count.clamp(1, 1 << 20).next_power_of_two())
}

/// Returns the largest number of iterations of the loops over a level in a dimension; `None` if
/// there are none.
fn count(loops: &KernelLoops, level: Level, dim: usize) -> Option<u64> {
    let here = loops
        .counts
        .iter()
        .filter(|(of, at, _)| *of == level && usize::from(*at) == dim);
    here.map(|(_, _, count)| *count).max()
}

/// Returns the given local size. If only the global size is given and not 0, returns its largest
/// divisor up to `local`. Otherwise returns `local`.
fn fitting(loops: &KernelLoops, dim: usize, local: u64) -> u64 {
    match (loops.local[dim], loops.global[dim]) {
        (Some(said), _) => said,
        (None, Some(global)) if global > 0 => (1..=local)
            .rev()
            .find(|size| global.is_multiple_of(*size))
            .unwrap_or(1),
        _ => local,
    }
}

fn global(loops: &KernelLoops, dim: usize, local: u64, iterations: u64) -> u64 {
    if let Some(said) = loops.global[dim] {
        return said;
    }
    let most = MAX_GROUPS[dim].saturating_mul(local);
    let items = match count(loops, Level::WorkGroup, dim) {
        Some(groups) => groups.saturating_mul(local),
        None => (count(loops, Level::Global, dim).unwrap_or(1)).div_ceil(iterations),
    };
    let items = items.clamp(1, most.max(1));
    items
        .checked_next_multiple_of(local.max(1))
        .unwrap_or(items)
}

fn power_below(most: u64) -> u64 {
    1 << most.max(1).ilog2()
}

#[cfg(test)]
mod tests {
    use super::super::devices::tests::device;
    use super::*;

    fn first(loops: &KernelLoops) -> ([u64; 3], [u64; 3]) {
        launched(loops, DeviceType::Gpu)
    }

    fn launched(loops: &KernelLoops, kind: DeviceType) -> ([u64; 3], [u64; 3]) {
        let device = device(0, "d", kind);
        loops.launch(preferred(loops, &device), &device)
    }

    fn counts(counts: &[(Level, u8, u64)]) -> KernelLoops {
        KernelLoops {
            counts: counts.to_vec(),
            ..KernelLoops::default()
        }
    }

    #[test]
    fn there_are_as_many_items_as_iterations_in_whole_groups() {
        use Level::{Global, Local, WorkGroup};
        assert_eq!(first(&KernelLoops::default()), ([1; 3], [1; 3]));
        let loops = counts(&[(Global, 0, 1000)]);
        assert_eq!(first(&loops), ([32, 1, 1], [1024, 1, 1]));
        let loops = counts(&[(Global, 0, 1 << 16)]);
        assert_eq!(first(&loops), ([256, 1, 1], [1 << 16, 1, 1]));
        let loops = counts(&[(Global, 0, 256), (Global, 1, 256)]);
        assert_eq!(first(&loops), ([32, 8, 1], [256, 256, 1]));
        let loops = counts(&[(Global, 0, 3)]);
        assert_eq!(first(&loops), ([4, 1, 1], [4, 1, 1]));
        let loops = counts(&[(Global, 0, 100), (Global, 1, 50)]);
        assert_eq!(first(&loops), ([32, 8, 1], [128, 56, 1]));
        let loops = counts(&[(WorkGroup, 0, 10), (Local, 0, 64), (Local, 0, 7)]);
        assert_eq!(first(&loops), ([64, 1, 1], [640, 1, 1]));
        let loops = counts(&[(WorkGroup, 1, 10), (Local, 0, 500)]);
        assert_eq!(first(&loops), ([128, 1, 1], [128, 10, 1]));
    }

    #[test]
    fn items_of_large_launches_execute_four_iterations() {
        use Level::Global;
        let row = counts(&[(Global, 0, (1 << 17) + 1)]);
        assert_eq!(first(&row), ([256, 1, 1], [(1 << 15) + 256, 1, 1]));
        assert_eq!(
            launched(&row, DeviceType::Cpu),
            ([256, 1, 1], [(1 << 17) + 256, 1, 1])
        );
        let below = counts(&[(Global, 0, (1 << 17) - 1)]);
        assert_eq!(first(&below), ([256, 1, 1], [1 << 17, 1, 1]));
        let image = counts(&[(Global, 0, 1 << 10), (Global, 1, 1 << 8)]);
        assert_eq!(first(&image), ([32, 8, 1], [1 << 8, 1 << 8, 1]));
        // A program that uses one dimension determines the sizes of the others.
        let row = KernelLoops {
            global: [None, Some(1), Some(1)],
            ..row
        };
        assert_eq!(first(&row), ([256, 1, 1], [(1 << 15) + 256, 1, 1]));
        let pairs = counts(&[(Global, 0, 2), (Global, 1, 1 << 17)]);
        assert_eq!(first(&pairs).1, [2, 1 << 17, 1]);
    }

    #[test]
    fn what_is_said_is_kept() {
        let loops = KernelLoops {
            local: [Some(16), None, None],
            ..counts(&[(Level::Global, 0, 100), (Level::Global, 1, 100)])
        };
        assert_eq!(first(&loops), ([16, 16, 1], [112, 112, 1]));
        let loops = KernelLoops {
            global: [Some(96), Some(1), Some(1)],
            ..counts(&[(Level::Global, 0, 100)])
        };
        assert_eq!(first(&loops), ([96, 1, 1], [96, 1, 1]));
        let loops = KernelLoops {
            global: [Some(97), Some(1), Some(1)],
            ..counts(&[(Level::Global, 0, 1000)])
        };
        assert_eq!(first(&loops), ([97, 1, 1], [97, 1, 1]));
    }

    #[test]
    fn smaller_groups_are_halved_in_the_dimensions_at_fault() {
        let loops = counts(&[(Level::Global, 0, 100), (Level::Global, 1, 100)]);
        let all = [0, 1, 2];
        assert_eq!(loops.halved([32, 4, 1], &all), Some([16, 4, 1]));
        assert_eq!(loops.halved([32, 4, 1], &[1]), Some([32, 2, 1]));
        assert_eq!(loops.halved([32, 1, 1], &[1]), None);
        let gpu = device(0, "d", DeviceType::Gpu);
        assert_eq!(loops.launch([64, 1, 1], &gpu), ([64, 1, 1], [128, 100, 1]));
        let said = KernelLoops {
            local: [Some(8), None, None],
            ..loops
        };
        assert_eq!(said.halved([8, 4, 1], &all), Some([8, 2, 1]));
        assert_eq!(said.halved([8, 1, 1], &all), None);
    }
}
