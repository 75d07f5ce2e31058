//! Which work-items write a place of memory.
//!
//! Every work-item of a launch runs the whole kernel, and parallel maps say what each leaves to the
//! others. What is written where no parallel map stands over a dimension in which there are several
//! work-items, all of them write.

use nat::{Nat, Prop};
use rise::core::{Form, Origin, subterms};
use rise::{Arg, Primitive};
use syntax::ast::AddressSpace;

use super::complaint::{Complaint, Level, Problem, Sharers};
use super::memory::space_of;
use super::nesting::{allowed, chains};
use super::walk::{Term, Walk};
use crate::phrase::contains_array;
use crate::target::Target;
use Primitive::{MapGlobal, MapLocal, MapWorkGroup};

/// Memory that something is written to.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// Where, unless that is not said.
    pub space: Option<AddressSpace>,
    /// What allocates it; none if it is the result of the program.
    pub made_by: Option<Origin>,
}

/// The memory that an expression is written to, and what it is written by.
#[derive(Clone, Debug, Default)]
pub(crate) struct Into {
    /// The memory; the rounds of `iterate` write to one or the other.
    pub memory: Vec<Memory>,
    /// The loops on the way that are not shared, outer ones first.
    loops: Vec<Alone>,
    /// The outermost pattern that writes.
    first: Option<Origin>,
    /// Whether a map on the way is wrong, so that who writes is not known.
    pub unsure: bool,
}

/// A loop all of which is run by whoever comes to it.
#[derive(Clone, Debug)]
struct Alone {
    term: Term,
    /// The parallel maps around it, from the outermost on.
    nest: Vec<Level>,
}

/// A loop that could be shared among work-items.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// Where it is.
    pub at: Origin,
    /// The pattern.
    pub primitive: Primitive,
    /// The parallel map that it could be, and its dimension.
    pub map: Option<(Primitive, u8)>,
}

impl Into {
    /// The result of the program.
    pub fn result() -> Into {
        Into {
            memory: vec![Memory {
                space: Some(AddressSpace::Global),
                made_by: None,
            }],
            ..Into::default()
        }
    }

    /// Whether it is the result of the program.
    pub fn is_result(&self) -> bool {
        self.memory.iter().any(|memory| memory.made_by.is_none())
    }

    fn allocated(space: Option<AddressSpace>, at: Origin) -> Into {
        Into {
            memory: vec![Memory {
                space,
                made_by: Some(at),
            }],
            ..Into::default()
        }
    }
}

impl Walk {
    /// Where an argument that is written is written to, if its primitive writes to `into`.
    pub(super) fn memory_of(
        &self,
        term: &Term,
        primitive: Primitive,
        types: &[Arg],
        into: &Into,
    ) -> Into {
        use Primitive::{
            CircularBuffer, Iterate, MapSeq, MapSeqUnroll, MapStream, Reduce, ReducePar, ReduceSeq,
            ReduceSeqUnroll, RotateValues, ScanSeq, ToMem,
        };
        if self.target != Target::OpenCl {
            return Into::default();
        }
        let allocated = || Into::allocated(space_of(primitive, types), term.origin);
        let mut into = match primitive {
            ToMem | ReduceSeq | ReduceSeqUnroll | CircularBuffer | RotateValues => allocated(),
            // Memory of its own for each work-item.
            MapStream | Reduce | ReducePar => Into::default(),
            Iterate | ScanSeq => {
                let mut both = into.clone();
                both.memory.extend(allocated().memory);
                both
            }
            _ => into.clone(),
        };
        into.first = into.first.or(Some(term.origin));
        if matches!(primitive, MapSeq | MapSeqUnroll) {
            into.loops.push(Alone {
                term: term.clone(),
                nest: self.right_levels(),
            });
        }
        into
    }

    /// The parallel maps around that stand where they may.
    pub(super) fn right_levels(&self) -> Vec<Level> {
        let right = self.nest.iter().filter(|level| !level.wrong);
        right.copied().collect()
    }

    /// Something without arrays is written here.
    pub(super) fn check_write(&mut self, at: Origin, into: &Into) {
        if self.target != Target::OpenCl || into.unsure || into.memory.is_empty() {
            return;
        }
        if self.nest.iter().any(|level| level.wrong) {
            // Who writes will be another matter.
            return;
        }
        if self.kernels && !self.in_kernel {
            let at = into.first.unwrap_or(at);
            let problem = Problem::OutsideKernels;
            if !self.complaints.iter().any(|c| c.problem == problem) {
                self.complain(at, problem);
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
            let problem = Problem::WrittenByAll {
                memory: memory.clone(),
                dimension,
                sharers,
                size: self.launch.global[usize::from(dimension)].clone(),
                group: self.group_of_one(&instead, dimension, sharers),
                instead,
            };
            let said = self.complaints.iter().any(|complaint| {
                complaint.at == place && matches!(complaint.problem, Problem::WrittenByAll { .. })
            });
            if !said {
                self.complain(place, problem);
            }
            return;
        }
    }

    /// A scan copies its accumulator to each element of its result, one number after the other:
    /// arrays are copied by everyone who scans.
    pub(super) fn check_scan(
        &mut self,
        term: &Term,
        primitive: Primitive,
        args: &[Term],
        into: &Into,
    ) {
        let is_scan = primitive == Primitive::ScanSeq && self.target == Target::OpenCl;
        let arrays = args.get(1).is_some_and(|init| contains_array(&init.ty));
        if !is_scan || !arrays || into.unsure {
            return;
        }
        let mut spaces = into.memory.iter().map(|memory| memory.space);
        if let Some((_, sharers)) = spaces.find_map(|space| self.writers(space)) {
            self.complain(term.origin, Problem::ScansArrays { sharers });
        }
    }

    /// Whether the kernel's maps share nothing in the first dimension, in which there are several
    /// work-items, but something in others: that is one mistake, wherever something is written.
    fn skips_first(&mut self) -> bool {
        let maps = self.levels_of_kernel();
        let outermost = self.nest.first().map(|level| level.at);
        let outermost = outermost.or(maps.first().map(|level| level.at));
        let Some(at) = outermost.filter(|_| maps.iter().all(|level| level.dimension > 0)) else {
            return false;
        };
        let problem = Problem::SkipsFirst {
            maps,
            size: self.launch.global[0].clone(),
            others_are_one: (1..3).all(|d| self.is_one(self.launch.global[d].as_ref(), 1)),
        };
        let said = |complaint: &Complaint| match (&complaint.problem, &problem) {
            (Problem::SkipsFirst { maps: a, .. }, Problem::SkipsFirst { maps: b, .. }) => a == b,
            _ => false,
        };
        if !self.complaints.iter().any(said) {
            self.complain(at, problem);
        }
        true
    }

    /// The parallel maps of the kernel.
    pub(super) fn levels_of_kernel(&self) -> Vec<Level> {
        let kernel = self.kernel.and_then(|at| {
            subterms(&self.root).find(|term| {
                let is_kernel = matches!(term.form, Form::Primitive(Primitive::OclRun, ..));
                term.origin == at && is_kernel
            })
        });
        let mut found: Vec<Level> = Vec::new();
        for level in chains(kernel.unwrap_or(&self.root)).into_iter().flatten() {
            if !found.contains(&level) {
                found.push(level);
            }
        }
        found
    }

    /// The `mapWorkGroup` around, if it could be a `mapGlobal`.
    fn group_of_one(
        &self,
        instead: &Option<Loop>,
        dimension: u8,
        sharers: Sharers,
    ) -> Option<Level> {
        if instead.is_some() || sharers == Sharers::All {
            return None;
        }
        let nest = self.right_levels();
        let is_group = |l: &Level| (l.primitive, l.dimension) == (MapWorkGroup, dimension);
        let at = nest.iter().position(is_group)?;
        let mut around = nest[..=at].to_vec();
        let group = std::mem::replace(
            &mut around[at],
            Level {
                primitive: MapGlobal,
                ..nest[at]
            },
        );
        let map = term_at(&self.root, group.at)?;
        let Form::Primitive(_, _, args) = &map.form else {
            return None;
        };
        let with = |inner: &Vec<Level>| allowed(&[&around[..], inner].concat());
        let inside = args.first().map(chains).unwrap_or_default();
        inside.iter().all(with).then_some(group)
    }

    /// The dimension in which several work-items write memory of this space, and which.
    fn writers(&self, space: Option<AddressSpace>) -> Option<(u8, Sharers)> {
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
                .then_some((dimension, Sharers::Group)),
                AddressSpace::Global => Some((dimension, Sharers::All)),
                AddressSpace::Local => (!one_in_group && !has(MapLocal, dimension))
                    .then_some((dimension, Sharers::Group)),
                AddressSpace::Private | AddressSpace::Constant => None,
            }
        })
    }

    /// Whether a launch has one work-item in a dimension; of sizes that are not known those of the
    /// first dimension are not 1, and the others have to be.
    fn is_one(&self, size: Option<&Nat>, dimension: u8) -> bool {
        match size {
            Some(size) => self.facts.proves(&Prop::Equal(size.clone(), Nat::ONE)),
            None => dimension > 0,
        }
    }
}

/// The outermost of some loops that work-items could share, and how; if none, the outermost.
fn shared_instead(loops: &[Alone], dimension: u8, sharers: Sharers) -> Option<Loop> {
    let primitive = match sharers {
        Sharers::All => MapGlobal,
        Sharers::Group => MapLocal,
    };
    let shared = |one: &&Alone| {
        let Form::Primitive(_, _, args) = &one.term.form else {
            return false;
        };
        let level = Level {
            primitive,
            dimension,
            at: one.term.origin,
            wrong: false,
        };
        let chain: Vec<Level> = one.nest.iter().copied().chain([level]).collect();
        let inside = args.first().map(chains).unwrap_or_default();
        let with = |inner: &Vec<Level>| allowed(&[&chain[..], inner].concat());
        allowed(&chain) && inside.iter().all(with)
    };
    let found = loops.iter().find(shared);
    let map = found.map(|_| (primitive, dimension));
    let one = found.or(loops.first())?;
    let Form::Primitive(primitive, ..) = &one.term.form else {
        return None;
    };
    Some(Loop {
        at: one.term.origin,
        primitive: *primitive,
        map,
    })
}

/// Whether a program says itself what its kernels are.
pub(super) fn has_kernels(term: &Term) -> bool {
    let is_kernel = |term: &Term| matches!(term.form, Form::Primitive(Primitive::OclRun, ..));
    subterms(term).any(is_kernel)
}

/// The parallel map at a place.
fn term_at(term: &Term, at: Origin) -> Option<&Term> {
    let maps = |term: &Term| {
        matches!(
            term.form,
            Form::Primitive(MapGlobal | MapWorkGroup | MapLocal, ..)
        )
    };
    subterms(term).find(|term| term.origin == at && maps(term))
}
