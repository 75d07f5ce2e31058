//! The check that each place in memory is written by one work-item only.
//!
//! Every work-item of a launch runs the whole kernel, and parallel maps distribute iterations over
//! them. If there are several work-items in a dimension and no parallel map over it encloses a
//! write, all of them do the same write.

use nat::{Nat, Prop};
use rise::core::{Form, Origin, subterms};
use rise::types::contains_array;
use rise::{Arg, Primitive};
use syntax::ast::AddressSpace;

use super::access_inference::{AccessInference, Term};
use super::memory::space_of;
use super::nesting::{allowed, chains};
use super::problem::{ConcurrentWriters, ParallelMap, Problem, ProblemKind};
use Primitive::{MapGlobal, MapLocal, MapWorkGroup};

/// Memory that a program writes.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// The address space, if it is given.
    pub space: Option<AddressSpace>,
    /// The primitive that allocates it; `None` for the result of the program.
    pub made_by: Option<Origin>,
}

/// The destination of an expression, with the patterns that write it.
#[derive(Clone, Debug, Default)]
pub(crate) struct WriteDestination {
    /// The possible memory: that of `iterate` and of scans is one of two. It is empty where writes
    /// need no check.
    pub memory: Vec<Memory>,
    /// The enclosing loops that are not distributed, outermost first.
    loops: Vec<SequentialLoop>,
    /// The outermost pattern that writes.
    first: Option<Origin>,
    /// True if an enclosing map has a problem, so that the writing work-items are not known.
    pub writers_unknown: bool,
}

/// A sequential loop, which every work-item runs completely.
#[derive(Clone, Debug)]
struct SequentialLoop {
    term: Term,
    /// The enclosing parallel maps, outermost first.
    nest: Vec<ParallelMap>,
}

/// A sequential loop that every work-item runs completely, with the parallel map that could
/// distribute it.
#[derive(Clone, Debug, PartialEq)]
pub struct DistributableLoop {
    /// The origin of the loop.
    pub at: Origin,
    /// The pattern of the loop.
    pub primitive: Primitive,
    /// The parallel map that the loop could become, with its dimension; `None` if it can become
    /// none.
    pub map: Option<(Primitive, u8)>,
}

impl WriteDestination {
    /// Returns the destination of the program's result.
    pub fn result() -> WriteDestination {
        WriteDestination {
            memory: vec![Memory {
                space: Some(AddressSpace::Global),
                made_by: None,
            }],
            ..WriteDestination::default()
        }
    }

    /// Returns true for the destination of the program's result.
    pub fn is_result(&self) -> bool {
        self.memory.iter().any(|memory| memory.made_by.is_none())
    }

    fn allocated(space: Option<AddressSpace>, at: Origin) -> WriteDestination {
        WriteDestination {
            memory: vec![Memory {
                space,
                made_by: Some(at),
            }],
            ..WriteDestination::default()
        }
    }
}

impl AccessInference {
    /// Returns the destination of an argument of a primitive that writes to `into`.
    pub(super) fn memory_of(
        &self,
        term: &Term,
        primitive: Primitive,
        types: &[Arg],
        into: &WriteDestination,
    ) -> WriteDestination {
        use Primitive::{
            CircularBuffer, Iterate, MapSeq, MapSeqUnroll, MapStream, Reduce, ReducePar, ReduceSeq,
            ReduceSeqUnroll, Repeat, RepeatInPlace, RepeatWhile, RotateValues, ScanSeq, ToMem,
        };
        if !self.target.has_work_items() {
            return WriteDestination::default();
        }
        let allocated = || WriteDestination::allocated(space_of(primitive, types), term.origin);
        let mut into = match primitive {
            ToMem | ReduceSeq | ReduceSeqUnroll | CircularBuffer | RotateValues => allocated(),
            RepeatWhile => allocated(),
            // The memory belongs to each work-item.
            MapStream | Reduce | ReducePar => WriteDestination::default(),
            Iterate | ScanSeq | Repeat | RepeatInPlace => {
                let mut both = into.clone();
                both.memory.extend(allocated().memory);
                both
            }
            _ => into.clone(),
        };
        into.first = into.first.or(Some(term.origin));
        if matches!(primitive, MapSeq | MapSeqUnroll) {
            into.loops.push(SequentialLoop {
                term: term.clone(),
                nest: self.correctly_nested_maps(),
            });
        }
        into
    }

    /// Returns the enclosing parallel maps that are nested correctly.
    pub(super) fn correctly_nested_maps(&self) -> Vec<ParallelMap> {
        let right = self.nest.iter().filter(|level| !level.wrong);
        right.copied().collect()
    }

    /// Checks a write of a value without arrays.
    pub(super) fn check_write(&mut self, at: Origin, into: &WriteDestination) {
        if !self.target.has_work_items() || into.writers_unknown || into.memory.is_empty() {
            return;
        }
        if self.nest.iter().any(|level| level.wrong) {
            // The nesting has to change first, which changes the writing work-items.
            return;
        }
        if self.kernels && !self.in_kernel {
            let at = into.first.unwrap_or(at);
            let kind = ProblemKind::OutsideKernels;
            if !self.problems.iter().any(|c| c.kind == kind) {
                self.report(at, kind);
            }
            return;
        }
        for memory in &into.memory {
            let Some((dimension, sharers)) = self.writers(memory.space) else {
                continue;
            };
            if dimension == 0 && self.skips_first() {
                return;
            }
            let instead = shared_instead(&into.loops, dimension, sharers);
            let place = match (&instead, memory.made_by) {
                (Some(one), _) => one.at,
                (None, Some(made_by)) => made_by,
                (None, None) => at,
            };
            let kind = ProblemKind::WrittenByAll {
                memory: memory.clone(),
                dimension,
                sharers,
                size: self.launch.global[usize::from(dimension)].clone(),
                group: self.group_of_one(&instead, dimension, sharers),
                instead,
            };
            let said = self.problems.iter().any(|problem| {
                problem.at == place && matches!(problem.kind, ProblemKind::WrittenByAll { .. })
            });
            if !said {
                self.report(place, kind);
            }
            return;
        }
    }

    /// Checks a scan, which copies its accumulator to each element of its result: every work-item
    /// that runs the scan would copy arrays.
    pub(super) fn check_scan(
        &mut self,
        term: &Term,
        primitive: Primitive,
        args: &[Term],
        into: &WriteDestination,
    ) {
        let is_scan = primitive == Primitive::ScanSeq && self.target.has_work_items();
        let arrays = args.get(1).is_some_and(|init| contains_array(&init.ty));
        if !is_scan || !arrays || into.writers_unknown {
            return;
        }
        let mut spaces = into.memory.iter().map(|memory| memory.space);
        if let Some((_, sharers)) = spaces.find_map(|space| self.writers(space)) {
            self.report(term.origin, ProblemKind::ScansArrays { sharers });
        }
    }

    /// Reports that no map of the kernel is over the first dimension, which has several work-items,
    /// although others are: one mistake for all writes. Returns true if so.
    fn skips_first(&mut self) -> bool {
        let maps = self.levels_of_kernel();
        let outermost = self.nest.first().map(|level| level.at);
        let outermost = outermost.or(maps.first().map(|level| level.at));
        let Some(at) = outermost.filter(|_| maps.iter().all(|level| level.dimension > 0)) else {
            return false;
        };
        let kind = ProblemKind::SkipsFirst {
            maps,
            size: self.launch.global[0].clone(),
            others_are_one: (1..3).all(|d| self.is_one(self.launch.global[d].as_ref(), 1)),
        };
        let said = |problem: &Problem| match (&problem.kind, &kind) {
            (ProblemKind::SkipsFirst { maps: a, .. }, ProblemKind::SkipsFirst { maps: b, .. }) => {
                a == b
            }
            _ => false,
        };
        if !self.problems.iter().any(said) {
            self.report(at, kind);
        }
        true
    }

    /// Returns the parallel maps of the enclosing explicit kernel, or of the whole program outside
    /// of explicit kernels.
    pub(super) fn levels_of_kernel(&self) -> Vec<ParallelMap> {
        let kernel = self.kernel.and_then(|at| {
            subterms(&self.root).find(|term| {
                let is_kernel = matches!(term.form, Form::Primitive(Primitive::OclRun, ..));
                term.origin == at && is_kernel
            })
        });
        let mut found: Vec<ParallelMap> = Vec::new();
        for level in chains(kernel.unwrap_or(&self.root)).into_iter().flatten() {
            if !found.contains(&level) {
                found.push(level);
            }
        }
        found
    }

    /// Returns the enclosing `mapWorkGroup` of the dimension, if only the work-items of a group
    /// write the same memory, no sequential loop is around the write, and the map could be a
    /// `mapGlobal`.
    fn group_of_one(
        &self,
        instead: &Option<DistributableLoop>,
        dimension: u8,
        sharers: ConcurrentWriters,
    ) -> Option<ParallelMap> {
        if instead.is_some() || sharers == ConcurrentWriters::All {
            return None;
        }
        let nest = self.correctly_nested_maps();
        let is_group = |l: &ParallelMap| (l.primitive, l.dimension) == (MapWorkGroup, dimension);
        let at = nest.iter().position(is_group)?;
        let mut around = nest[..=at].to_vec();
        let group = std::mem::replace(
            &mut around[at],
            ParallelMap {
                primitive: MapGlobal,
                ..nest[at]
            },
        );
        let map = term_at(&self.root, group.at)?;
        let Form::Primitive(_, _, args) = &map.form else {
            return None;
        };
        let with = |inner: &Vec<ParallelMap>| allowed(&[&around[..], inner].concat());
        let inside = args.first().map(chains).unwrap_or_default();
        inside.iter().all(with).then_some(group)
    }

    /// Returns the first dimension in which several work-items write memory of this address space,
    /// and these work-items.
    fn writers(&self, space: Option<AddressSpace>) -> Option<(u8, ConcurrentWriters)> {
        let has = |primitive, dimension| {
            self.nest
                .iter()
                .any(|l| !l.wrong && (l.primitive, l.dimension) == (primitive, dimension))
        };
        (0..3).find_map(|dimension| {
            let d = usize::from(dimension);
            let one_item = self.is_one(self.launch.global[d].as_ref(), dimension);
            let one_in_group = one_item || self.is_one(self.launch.local[d].as_ref(), dimension);
            match space? {
                AddressSpace::Global if one_item || has(MapGlobal, dimension) => None,
                AddressSpace::Global if has(MapWorkGroup, dimension) => (!one_in_group
                    && !has(MapLocal, dimension))
                .then_some((dimension, ConcurrentWriters::Group)),
                AddressSpace::Global => Some((dimension, ConcurrentWriters::All)),
                AddressSpace::Local => (!one_in_group && !has(MapLocal, dimension))
                    .then_some((dimension, ConcurrentWriters::Group)),
                AddressSpace::Private | AddressSpace::Constant => None,
            }
        })
    }

    /// Returns true if a local or global launch size is 1. If the size is not given, returns true
    /// except for dimension 0.
    fn is_one(&self, size: Option<&Nat>, dimension: u8) -> bool {
        match size {
            Some(size) => self.facts.proves(&Prop::Equal(size.clone(), Nat::ONE)),
            None => dimension > 0,
        }
    }
}

/// Returns the outermost loop that could be distributed over work-items, with its map; if there is
/// none, the outermost loop.
fn shared_instead(
    loops: &[SequentialLoop],
    dimension: u8,
    sharers: ConcurrentWriters,
) -> Option<DistributableLoop> {
    let primitive = match sharers {
        ConcurrentWriters::All => MapGlobal,
        ConcurrentWriters::Group => MapLocal,
    };
    let shared = |one: &&SequentialLoop| {
        let Form::Primitive(_, _, args) = &one.term.form else {
            return false;
        };
        let level = ParallelMap {
            primitive,
            dimension,
            at: one.term.origin,
            wrong: false,
        };
        let chain: Vec<ParallelMap> = one.nest.iter().copied().chain([level]).collect();
        let inside = args.first().map(chains).unwrap_or_default();
        let with = |inner: &Vec<ParallelMap>| allowed(&[&chain[..], inner].concat());
        allowed(&chain) && inside.iter().all(with)
    };
    let found = loops.iter().find(shared);
    let map = found.map(|_| (primitive, dimension));
    let one = found.or(loops.first())?;
    let Form::Primitive(primitive, ..) = &one.term.form else {
        return None;
    };
    Some(DistributableLoop {
        at: one.term.origin,
        primitive: *primitive,
        map,
    })
}

/// Returns true if a program has explicit kernels.
pub(super) fn has_kernels(term: &Term) -> bool {
    let is_kernel = |term: &Term| matches!(term.form, Form::Primitive(Primitive::OclRun, ..));
    subterms(term).any(is_kernel)
}

/// Returns the parallel map at an origin.
fn term_at(term: &Term, at: Origin) -> Option<&Term> {
    let maps = |term: &Term| {
        matches!(
            term.form,
            Form::Primitive(MapGlobal | MapWorkGroup | MapLocal, ..)
        )
    };
    subterms(term).find(|term| term.origin == at && maps(term))
}
