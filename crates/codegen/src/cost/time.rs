//! The time of loops: of their operations, and of their transfers between levels of memory. The
//! larger of both counts, because processors do both at the same time. Loops that are executed one
//! after another are phases, whose times are added.

use super::machine::Machine;
use super::nest::{Access, Distribution, LoopNode, Node, Work};
use super::traffic::{self, LINE, Level, Traffic};
use crate::analysis::vectorization::{Obstacle, Vectorization};
use crate::ir::Id;

/// The time of an outermost statement.
#[derive(Clone, Debug, Default)]
pub(super) struct NestTime {
    /// The time of the operations in seconds.
    pub operations: f64,
    /// The bytes that move into each cache.
    pub traffic: Vec<Traffic>,
    /// The time of these transfers in seconds.
    pub transfers: Vec<f64>,
    /// The time to find the addresses of pages in seconds.
    pub translation: f64,
    /// The time of the operations of each loop without those in it, by its number.
    pub loops: Vec<(usize, f64)>,
    /// The time of all of these.
    seconds: f64,
}

impl NestTime {
    pub fn of(node: &Node, machine: &Machine) -> NestTime {
        let mut nest = NestTime::together(node, machine);
        let phases: Vec<NestTime> = phases(node, machine)
            .iter()
            .map(|phase| NestTime::together(phase, machine))
            .collect();
        if phases.len() > 1 {
            nest.seconds = nest.seconds_of_phases(&phases);
        }
        nest
    }

    /// Returns the time of statements whose operations and transfers take place at the same time.
    pub fn together(node: &Node, machine: &Machine) -> NestTime {
        let mut timer = Timer {
            machine,
            loops: Vec::new(),
        };
        let nodes = std::slice::from_ref(node);
        let operations = timer.nodes(nodes, 1.0, None);
        let threads = threads_of(nodes, machine);
        let traffic: Vec<Traffic> = (machine.caches.iter())
            .map(|cache| traffic::of(nodes, 0, &Level::from(cache)))
            .collect();
        let translation = &machine.translation;
        let pages =
            traffic::of(nodes, 0, &Level::from(translation)).bytes() / translation.page as f64;
        let transfers: Vec<f64> = (machine.caches.iter())
            .zip(&traffic)
            .map(|(cache, traffic)| {
                let speed = |of_one: f64| (of_one * threads).min(cache.total.max(of_one));
                traffic.consecutive / speed(cache.consecutive)
                    + traffic.scattered / speed(cache.scattered)
            })
            .collect();
        let translation = pages * translation.walk / threads;
        let longest = transfers.iter().copied().fold(translation, f64::max);
        NestTime {
            operations,
            traffic,
            transfers,
            translation,
            loops: timer.loops,
            seconds: longest.max(operations),
        }
    }

    /// Returns the time of the phases that this nest consists of, which need the transfers of the whole
    /// nest: what one phase leaves in a cache is not transferred for the next one.
    fn seconds_of_phases(&self, phases: &[NestTime]) -> f64 {
        let share = |level: usize| {
            let all: f64 = phases.iter().map(|phase| phase.transfers[level]).sum();
            if all > 0.0 {
                self.transfers[level] / all
            } else {
                0.0
            }
        };
        let shares: Vec<f64> = (0..self.transfers.len()).map(share).collect();
        let of_phase = |phase: &NestTime| {
            let transfers = phase.transfers.iter().zip(&shares);
            transfers
                .map(|(seconds, share)| seconds * share)
                .fold(phase.operations, f64::max)
        };
        phases.iter().map(of_phase).sum::<f64>().max(self.seconds)
    }

    pub fn seconds(&self) -> f64 {
        self.seconds
    }
}

/// Returns the phases of a nest: the loops that are executed one after another in the outermost loop with
/// several ones, each with the loops around it. Loops that are so short that a processor executes them
/// at the same time as their neighbours are no phases.
fn phases(node: &Node, machine: &Machine) -> Vec<Node> {
    /// The smallest number of cycles of a phase.
    const MIN_CYCLES: f64 = 1000.0;
    let Node::Loop(outer) = node else {
        return Vec::new();
    };
    let loops = outer.body.iter().filter_map(|node| match node {
        Node::Loop(this) => Some(this),
        Node::Work(_) => None,
    });
    let around = |body: Vec<Node>| {
        Node::Loop(LoopNode {
            body,
            ..outer.clone()
        })
    };
    match loops.clone().count() {
        0 => Vec::new(),
        1 => {
            let inner = loops.map(|this| phases(&Node::Loop(this.clone()), machine));
            inner.flatten().map(|phase| around(vec![phase])).collect()
        }
        _ => {
            let is_long = |this: &LoopNode| {
                let mut timer = Timer {
                    machine,
                    loops: Vec::new(),
                };
                let node = [Node::Loop(this.clone())];
                timer.nodes(&node, 1.0, None) * machine.frequency >= MIN_CYCLES
            };
            loops
                .filter(|this| is_long(this))
                .map(|this| around(vec![Node::Loop(this.clone())]))
                .collect()
        }
    }
}

/// Returns the number of threads that execute statements.
fn threads_of(nodes: &[Node], machine: &Machine) -> f64 {
    let threads = nodes.iter().map(|node| match node {
        Node::Loop(this) if this.threads == Distribution::Shared => {
            f64::from(machine.threads).min(this.trips).max(1.0)
        }
        Node::Loop(this) => threads_of(&this.body, machine),
        Node::Work(_) => 1.0,
    });
    threads.fold(1.0, f64::max)
}

struct Timer<'m> {
    machine: &'m Machine,
    loops: Vec<(usize, f64)>,
}

impl Timer<'_> {
    /// Returns the time of statements that are executed this number of times by this number of
    /// threads.
    fn nodes(&mut self, nodes: &[Node], times: f64, threads: Option<f64>) -> f64 {
        self.nodes_in_lanes(nodes, times, threads, 1.0)
    }

    /// Returns the time of statements that vectors of this number of lanes execute where they are in
    /// no loop.
    fn nodes_in_lanes(
        &mut self,
        nodes: &[Node],
        times: f64,
        threads: Option<f64>,
        lanes: f64,
    ) -> f64 {
        let mut seconds = 0.0;
        for node in nodes {
            seconds += match node {
                Node::Work(work) => {
                    let cycles = times * self.cycles(work, lanes);
                    cycles / self.machine.frequency / threads.unwrap_or(1.0)
                }
                Node::Loop(this) => self.time_of_loop(this, times, threads),
            };
        }
        seconds
    }

    fn time_of_loop(&mut self, this: &LoopNode, times: f64, threads: Option<f64>) -> f64 {
        /// The cycles to start a loop, and its last iterations if it is vectorised.
        const START: f64 = 8.0;
        let machine = self.machine;
        let frequency = machine.frequency;
        let times = times * this.weight;
        let inner_threads = match this.threads {
            Distribution::Shared => {
                let of_loop = f64::from(machine.threads).min(this.trips).max(1.0);
                Some(threads.map_or(of_loop, |threads| threads.max(of_loop)))
            }
            Distribution::Replicated => Some(threads.unwrap_or(1.0)),
            Distribution::Inherited => threads,
        };
        let starts_threads = threads.is_none() && inner_threads.is_some() && machine.threads > 1;
        let start = match starts_threads {
            true => times * machine.parallel_start,
            false if this.is_unrolled => 0.0,
            false => times * START / frequency / threads.unwrap_or(1.0),
        };
        let times_of_body = times * this.trips;
        let seconds = match (&this.vectorization, this.body.as_slice()) {
            (Vectorization::Outer, body) => {
                // Where the lanes are the iterations of this loop, all of it is vectorised.
                let inner: Vec<&Vectorization> = (body.iter())
                    .filter_map(|node| match node {
                        Node::Loop(inner) => Some(&inner.vectorization),
                        Node::Work(_) => None,
                    })
                    .collect();
                let is_lanes = |inner: &&Vectorization| **inner == Vectorization::Lanes;
                let is_vector = !inner.is_empty() && inner.iter().all(is_lanes);
                let lanes = match is_vector {
                    true => self.lanes(&[]),
                    false => 1.0,
                };
                self.nodes_in_lanes(body, times_of_body, inner_threads, lanes)
            }
            (_, [Node::Work(work)]) => {
                let cycles = match self.without_registers(work, this) {
                    Some(work) => self.cycles_of_iteration(&work, this),
                    None => self.cycles_of_iteration(work, this),
                };
                times_of_body * cycles / frequency / inner_threads.unwrap_or(1.0)
            }
            (_, body) => self.nodes(body, times_of_body, inner_threads),
        };
        let own = if starts_threads {
            start + seconds
        } else {
            seconds
        };
        self.loops.push((this.number, own));
        start + seconds
    }

    /// Returns the number of lanes of vectors of the widest elements that are accessed.
    fn lanes(&self, accesses: &[Access]) -> f64 {
        let widest = accesses.iter().map(|access| access.bytes);
        let widest = widest.fold(4.0, f64::max);
        (f64::from(self.machine.vector_bytes) / widest).max(1.0)
    }

    /// Returns the work of an iteration of a loop over lanes without the accesses to elements that are
    /// the same ones in all iterations of the loop around it, and that compilers keep in registers;
    /// `None` if there are none.
    fn without_registers(&self, work: &Work, this: &LoopNode) -> Option<Work> {
        /// The number of vector registers of processors with AVX2.
        const REGISTERS: f64 = 16.0;
        if this.vectorization != Vectorization::Vector || !this.is_unrolled {
            return None;
        }
        let is_kept = |access: &Access| matches!(&access.strides[..], [.., Some(0.0), Some(stride)] if *stride == access.bytes);
        let (kept, others): (Vec<&Access>, Vec<&Access>) =
            work.accesses.iter().partition(|access| is_kept(access));
        let mut places: Vec<(Id, f64)> = Vec::new();
        let mut bytes = 0.0;
        for access in &kept {
            let place = (access.array, access.offset);
            if !places.contains(&place) {
                places.push(place);
                bytes += access.bytes * this.trips;
            }
        }
        let fits = bytes <= REGISTERS * f64::from(self.machine.vector_bytes);
        (fits && !kept.is_empty()).then(|| Work {
            accesses: others.into_iter().cloned().collect(),
            ..work.clone()
        })
    }

    /// Returns the cycles of an iteration of an innermost loop.
    fn cycles_of_iteration(&self, work: &Work, this: &LoopNode) -> f64 {
        /// The number of operations that wait in a processor, which belong to several executions of
        /// a short loop.
        const WINDOW: f64 = 128.0;
        let machine = self.machine;
        let overlap = (WINDOW / this.trips.max(1.0)).clamp(1.0, 4.0);
        let chain = machine.cycles.latency * this.chain / overlap;
        let lanes = self.lanes(&work.accesses);
        let scalar = self.cycles(work, 1.0);
        match &this.vectorization {
            Vectorization::Vector | Vectorization::Lanes | Vectorization::LibraryCall => {
                (chain / lanes).max(self.cycles(work, lanes))
            }
            // Compilers vectorise most of these loops, with scalar accesses.
            Vectorization::Unknown => chain.max((scalar + self.cycles(work, lanes)) / 2.0),
            // Compilers vectorise the operands of one sum, and several sums together only if they read
            // elements next to each other.
            Vectorization::OrderedSum => {
                let lanes = match this.accumulators {
                    0 | 1 => lanes,
                    _ if reads_neighbours(work) => lanes.min(4.0),
                    _ => 1.0,
                };
                chain.max(self.cycles(work, lanes))
            }
            Vectorization::Scalar(Obstacle::Dependence(_)) => {
                let chain = machine.cycles.latency * (work.operations.simple / 2.0).max(1.0);
                chain.max(scalar)
            }
            Vectorization::Scalar(_) | Vectorization::Explicit | Vectorization::Outer => {
                chain.max(scalar)
            }
        }
    }

    /// Returns the cycles of statements with vectors of this number of lanes; accesses that skip
    /// cache lines or depend on data are those of single elements.
    fn cycles(&self, work: &Work, lanes: f64) -> f64 {
        let cycles = &self.machine.cycles;
        let operations = &work.operations;
        // Divisions have a unit of their own.
        let simple = operations.simple * cycles.simple;
        let arithmetic = simple.max(operations.divide * cycles.divide) / lanes;
        let calls = operations.call * cycles.call;
        let (mut loads, mut stores) = (0.0, 0.0);
        for access in &work.accesses {
            let stride = access.strides.last().copied().flatten();
            let is_wide = stride.is_some_and(|stride| stride <= access.bytes);
            let count = match (is_wide, stride) {
                (true, _) => access.weight / lanes,
                (false, Some(stride)) if stride < LINE => 2.0 * access.weight / lanes,
                (false, _) => access.weight,
            };
            let registers = access.bytes / f64::from(self.machine.register_bytes);
            match access.writes {
                true => stores += count * registers.max(1.0),
                false => loads += count * registers.max(1.0),
            }
        }
        let accesses = (loads * cycles.load).max(stores * cycles.store);
        // The processor starts about four instructions in a cycle.
        let instructions = (operations.simple / lanes + loads + stores + 2.0 / lanes) / 4.0;
        arithmetic.max(accesses).max(instructions) + calls
    }
}

/// Returns true if statements read elements of an array that are next to each other.
fn reads_neighbours(work: &Work) -> bool {
    let is_next = |a: &Access, b: &Access| a.array == b.array && b.offset - a.offset == a.bytes;
    let accesses = &work.accesses;
    accesses
        .iter()
        .any(|a| accesses.iter().any(|b| is_next(a, b)))
}
