//! The bytes that move between levels of memory, and the pages whose addresses are translated.
//!
//! For a cache, the traffic of a loop is the footprint of the loop if one iteration fits into the
//! cache, because all that iterations share is still there; otherwise it is the traffic of one
//! iteration for each of them. A footprint is the cache lines that the accesses to an array touch.
//! The pages whose addresses a core keeps are a cache with lines of the size of a page.
//! (Footprints as in Wolf and Lam, "A Data Locality Optimizing Algorithm", 1991, but computed from
//! the strides at given sizes.)

use rustc_hash::FxHashMap;

use super::machine::{Cache, Translation};
use super::nest::{Access, Node};
use crate::ir::Id;

/// The size of a cache line in bytes.
pub(super) const LINE: f64 = 64.0;

/// The bytes that are transferred.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Traffic {
    /// The bytes of cache lines that are read or written one after another.
    pub consecutive: f64,
    /// The bytes of cache lines that are far apart.
    pub scattered: f64,
}

impl Traffic {
    pub fn bytes(self) -> f64 {
        self.consecutive + self.scattered
    }

    fn add(&mut self, other: Traffic, times: f64) {
        self.consecutive += other.consecutive * times;
        self.scattered += other.scattered * times;
    }
}

/// A part of the memory that is kept close to a core: a cache, or the pages whose addresses a core
/// keeps.
pub(super) struct Level {
    bytes: f64,
    /// The size of a cache line or of a page in bytes.
    line: f64,
    /// The number of lines of a set; `None` if all lines are distributed evenly.
    ways: Option<u32>,
    /// The number of transfers of a line that is written.
    transfers_of_written: f64,
}

impl From<&Cache> for Level {
    fn from(cache: &Cache) -> Level {
        Level {
            bytes: cache.bytes as f64,
            line: LINE,
            ways: cache.ways,
            // A line is read before and written back later.
            transfers_of_written: 2.0,
        }
    }
}

impl From<&Translation> for Level {
    fn from(translation: &Translation) -> Level {
        let page = translation.page as f64;
        Level {
            bytes: page * translation.pages as f64,
            line: page,
            ways: None,
            transfers_of_written: 1.0,
        }
    }
}

/// Returns the bytes that move into a level as statements are executed once; `depth` is the number
/// of loops around them.
pub(super) fn of(nodes: &[Node], depth: usize, level: &Level) -> Traffic {
    /// The caches keep a little more than their size of what is used again and again.
    const SLACK: f64 = 1.2;
    let fits = |footprint: &Footprint| footprint.occupied(level) <= SLACK * level.bytes;
    let whole = Footprint::of(nodes, depth, level);
    if fits(&whole) {
        return whole.traffic(level);
    }
    let mut traffic = Traffic::default();
    for node in nodes {
        match node {
            Node::Work(_) => {
                let work = Footprint::of(std::slice::from_ref(node), depth, level);
                traffic.add(work.traffic(level), 1.0);
            }
            Node::Loop(this) if fits(&Footprint::of(&this.body, depth + 1, level)) => {
                let whole = Footprint::of(std::slice::from_ref(node), depth, level);
                traffic.add(whole.traffic(level), this.weight);
            }
            Node::Loop(this) => {
                let times = this.trips * this.weight;
                traffic.add(of(&this.body, depth + 1, level), times);
            }
        }
    }
    traffic
}

/// The cache lines that statements touch, by array.
#[derive(Default)]
struct Footprint {
    arrays: FxHashMap<Id, ArrayFootprint>,
}

#[derive(Clone, Copy, Default)]
struct ArrayFootprint {
    bytes: f64,
    /// The largest power of two that divides the distance of lines that are far apart, or 0.
    alignment: u64,
    is_written: bool,
    is_scattered: bool,
}

impl Footprint {
    fn of(nodes: &[Node], depth: usize, level: &Level) -> Footprint {
        let mut groups: Vec<Group> = Vec::new();
        each_access(nodes, &mut |access| {
            let found = groups.iter_mut().find(|group| group.has(access, depth));
            match found {
                Some(group) => group.offsets.push(access.offset),
                None => groups.push(Group {
                    access: access.clone(),
                    offsets: vec![access.offset],
                }),
            }
        });
        let mut footprint = Footprint::default();
        each_access(nodes, &mut |access| {
            let array = footprint.arrays.entry(access.array).or_default();
            array.is_written |= access.writes;
        });
        for group in groups {
            let bytes = group.bytes(depth, level);
            let array = footprint.arrays.entry(group.access.array).or_default();
            if bytes >= array.bytes {
                array.bytes = bytes;
                array.alignment = alignment(&group.access, depth);
                array.is_scattered = is_scattered(&group.access);
            }
        }
        footprint
    }

    /// Returns the bytes of a level that the lines need. Lines whose distance is a multiple of a
    /// large power of two compete for a few sets of the cache, as if they needed all the others too.
    fn occupied(&self, level: &Level) -> f64 {
        let needed = self.arrays.values().map(|array| {
            let Some(ways) = level.ways.filter(|_| array.alignment > 0) else {
                return array.bytes;
            };
            let sets = level.bytes / (level.line * f64::from(ways));
            let skipped = (array.alignment as f64 / level.line).max(1.0);
            array.bytes * skipped.min(sets)
        });
        needed.sum()
    }

    fn traffic(&self, level: &Level) -> Traffic {
        let mut traffic = Traffic::default();
        for array in self.arrays.values() {
            let transfers = match array.is_written {
                true => level.transfers_of_written,
                false => 1.0,
            };
            let bytes = array.bytes * transfers;
            match array.is_scattered {
                true => traffic.scattered += bytes,
                false => traffic.consecutive += bytes,
            }
        }
        traffic
    }
}

/// Accesses to an array that differ only by constant distances.
struct Group {
    access: Access,
    offsets: Vec<f64>,
}

impl Group {
    fn has(&self, access: &Access, depth: usize) -> bool {
        let inner = |access: &Access| access.strides.get(depth..).unwrap_or_default().to_vec();
        let trips = |access: &Access| access.trips.get(depth..).unwrap_or_default().to_vec();
        self.access.array == access.array
            && inner(&self.access) == inner(access)
            && trips(&self.access) == trips(access)
    }

    /// Returns the bytes of the cache lines that the accesses touch.
    fn bytes(&self, depth: usize, level: &Level) -> f64 {
        let Lines {
            covered,
            run,
            used,
            span,
        } = lines(&self.access, depth, level.line);
        let mut offsets = self.offsets.clone();
        offsets.sort_by(f64::total_cmp);
        let mut bytes = covered;
        // The rest of the lines of a run, which the next elements may be in.
        let mut rest = run - used;
        for pair in offsets.windows(2) {
            let gap = pair[1] - pair[0];
            // Ranges that overlap are extended, each of the runs of lines that they consist of.
            bytes += if gap >= span {
                covered
            } else {
                let extent = gap.min(run);
                let within = extent.min(rest);
                rest -= within;
                covered / run * (extent - within)
            };
        }
        let cached = level.bytes;
        match self.access.array_bytes {
            // Elements at random are still in the cache with this probability.
            Some(all) if is_random(&self.access, depth) && all > cached => {
                bytes * (1.0 - cached / all)
            }
            Some(all) => bytes.min(all.max(level.line)),
            None => bytes,
        }
    }
}

/// The lines that an access touches, in bytes.
struct Lines {
    /// The size of all lines.
    covered: f64,
    /// The size of the lines that follow each other without a gap.
    run: f64,
    /// The size of the part of these lines that is read or written.
    used: f64,
    /// The distance from the first to the last line.
    span: f64,
}

/// Returns the lines of this size that an access touches in the loops from a depth on.
fn lines(access: &Access, depth: usize, line: f64) -> Lines {
    let trips = access.trips.get(depth..).unwrap_or_default();
    let strides = access.strides.get(depth..).unwrap_or_default();
    let of_loops = strides.iter().copied().zip(trips.iter().copied());
    // The parts of an array that data selects do not overlap.
    let selected: f64 = (of_loops.clone())
        .filter_map(|(stride, trips)| stride.is_none().then_some(trips))
        .product();
    let mut loops: Vec<(f64, f64)> = of_loops
        .filter_map(|(stride, trips)| Some((stride?, trips)))
        .filter(|(stride, trips)| *stride > 0.0 && *trips > 1.0)
        .collect();
    loops.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut span = access.bytes;
    let mut covered = access.bytes.max(line);
    let mut run = None;
    for (stride, trips) in loops {
        let whole = span + stride * (trips - 1.0);
        if stride > span.max(line) {
            run.get_or_insert((covered, span));
            covered *= trips;
        } else if covered >= span {
            covered = covered.max(whole);
        } else {
            covered *= whole / span;
        }
        span = whole;
    }
    let (run, used) = run.unwrap_or((covered, span));
    Lines {
        covered: covered * selected,
        run,
        used: used.min(run),
        span: span * selected,
    }
}

/// Returns true if data selects the places of an access in a loop from a depth on.
fn is_random(access: &Access, depth: usize) -> bool {
    let strides = access.strides.iter().skip(depth);
    strides
        .zip(access.trips.iter().skip(depth))
        .any(|(stride, trips)| stride.is_none() && *trips > 1.0)
}

/// Returns the largest power of two that divides the smallest distance in bytes of the places of an
/// access in the loops from a depth on; 0 if it is at most a cache line, if the place stays the same,
/// or if it depends on data.
fn alignment(access: &Access, depth: usize) -> u64 {
    if is_random(access, depth) {
        return 0;
    }
    let strides = access.strides.iter().skip(depth);
    let moving: Vec<f64> = (strides.zip(access.trips.iter().skip(depth)))
        .filter_map(|(stride, trips)| stride.filter(|stride| *stride > 0.0 && *trips > 1.0))
        .collect();
    let least = moving.iter().copied().fold(f64::INFINITY, f64::min);
    match least.is_finite() && least > LINE {
        true => 1 << (least as u64).trailing_zeros(),
        false => 0,
    }
}

/// Returns true if the innermost loop in which the place changes skips cache lines. The places in a few
/// iterations are streams, each of which hardware prefetches if the loop around moves along it.
/// Processors load lines that data selects at the same time, because no address depends on a load
/// before.
fn is_scattered(access: &Access) -> bool {
    /// The number of streams that hardware prefetches.
    const STREAMS: f64 = 16.0;
    let is_far = |stride: f64| stride > 4.0 * LINE;
    let loops = access.strides.iter().zip(&access.trips).rev();
    let mut moving = loops.filter(|(stride, trips)| **trips > 1.0 && **stride != Some(0.0));
    let innermost = moving.find(|(stride, trips)| !stride.is_some_and(is_far) || **trips > STREAMS);
    innermost.is_some_and(|(stride, _)| stride.is_some_and(is_far))
}

fn each_access<'n>(nodes: &'n [Node], visit: &mut dyn FnMut(&'n Access)) {
    for node in nodes {
        match node {
            Node::Loop(this) if this.trips > 0.0 => each_access(&this.body, visit),
            Node::Loop(_) => {}
            Node::Work(work) => work.accesses.iter().for_each(&mut *visit),
        }
    }
}
