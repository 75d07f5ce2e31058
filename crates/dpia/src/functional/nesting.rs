//! The rules for the nesting of parallel maps.

use rise::core::{Form, Origin};
use rise::pattern::Level;
use rise::{Arg, Primitive};

use super::access_inference::{AccessInference, Term};
use super::problem::{ParallelMap, ProblemKind};
use Primitive::{MapGlobal, MapLocal, MapWorkGroup};

/// The greatest number of chains of maps that are considered for alternatives.
const MAX_CHAINS: usize = 256;

/// Returns the primitive as a parallel map with its dimension; `None` if it is no parallel map.
pub(super) fn level(primitive: Primitive, types: &[Arg], at: Origin) -> Option<ParallelMap> {
    let dimension = match (primitive.pattern().level()?, types.last()) {
        (Level::Global | Level::WorkGroup | Level::Local, Some(Arg::Nat(dimension))) => dimension
            .as_const()
            .and_then(|d| u8::try_from(d).ok())
            .unwrap_or(0),
        (Level::Threads | Level::Global | Level::WorkGroup | Level::Local, _) => 0,
    };
    Some(ParallelMap {
        primitive,
        dimension,
        at,
        wrong: false,
    })
}

/// Returns true if parallel maps may be nested like this, outermost first: over each dimension
/// none, `mapGlobal`, `mapWorkGroup`, or `mapLocal` in `mapWorkGroup`; and only `mapLocal` inside a
/// `mapLocal`.
pub(super) fn allowed(chain: &[ParallelMap]) -> bool {
    let first_local = chain.iter().position(|l| l.primitive == MapLocal);
    let in_local = first_local.is_some_and(|at| {
        let mut behind = chain[at..].iter();
        behind.any(|l| l.primitive != MapLocal)
    });
    let fine = |dimension: u8| {
        let mut over = chain.iter().filter(|l| l.dimension == dimension);
        let maps = [over.next(), over.next(), over.next()].map(|l| l.map(|l| l.primitive));
        matches!(
            maps,
            [None | Some(MapGlobal | MapWorkGroup), None, None]
                | [Some(MapWorkGroup), Some(MapLocal), None]
        )
    };
    !in_local && (0..3).all(fine)
}

impl AccessInference {
    /// Returns the parallel map that will probably implement a `map` of `f`: one that can contain
    /// those in `f`.
    pub(super) fn likely_level(&self, at: Origin, f: Option<&Term>) -> Option<ParallelMap> {
        if !self.target.has_work_items() {
            return None;
        }
        let nest = self.correctly_nested_maps();
        let inside = f.map(chains).unwrap_or_default();
        let with = |primitive, dimension| {
            let level = ParallelMap {
                primitive,
                dimension,
                at,
                wrong: false,
            };
            let fine = |inner: &[ParallelMap]| {
                let around = nest.iter().chain([&level]);
                allowed(&around.chain(inner).copied().collect::<Vec<_>>())
            };
            (fine(&[]) && inside.iter().all(|inner| fine(inner))).then_some(level)
        };
        let local = (0..3).find_map(|dimension| with(MapLocal, dimension));
        if local.is_some() || !nest.is_empty() {
            return local;
        }
        let groups = || (0..3).find_map(|dimension| with(MapWorkGroup, dimension));
        with(MapGlobal, 0).or_else(groups)
    }

    pub(super) fn check_nesting(&mut self, inner: &mut ParallelMap, f: Option<&Term>) {
        let nest = self.correctly_nested_maps();
        let same = |level: &&ParallelMap| level.dimension == inner.dimension;
        let is_threads =
            |level: &ParallelMap| level.primitive.pattern().level() == Some(Level::Threads);
        let outer = if is_threads(inner) {
            // Nested threads are allowed, but useless.
            match nest.iter().find(|level| is_threads(level)) {
                Some(outer) => Some(*outer),
                None => return,
            }
        } else {
            let chain: Vec<ParallelMap> = nest.iter().copied().chain([*inner]).collect();
            if allowed(&chain) {
                return;
            }
            inner.wrong = true;
            if self.nest.iter().any(|l| l.wrong && same(&l)) {
                // Reported for the enclosing map.
                return;
            }
            match inner.primitive {
                MapLocal => {
                    let mut over = nest.iter().filter(same);
                    let first = over.next();
                    let second = over.next();
                    first.filter(|l| l.primitive != MapWorkGroup).or(second)
                }
                _ => {
                    let mut wrong = nest.iter();
                    wrong.find(|l| l.primitive == MapLocal || l.dimension == inner.dimension)
                }
            }
            .copied()
        };
        let kind = ProblemKind::Nesting {
            inner: *inner,
            outer,
            inside: f.map(chains).unwrap_or_default(),
        };
        self.report(inner.at, kind);
    }
}

/// Returns the maximal chains of nested parallel maps in a term, outermost map first. At most
/// [`MAX_CHAINS`] chains and prefixes of chains are considered.
pub(super) fn chains(f: &Term) -> Vec<Vec<ParallelMap>> {
    let mut found: Vec<Vec<ParallelMap>> = Vec::new();
    let mut stack: Vec<(&Term, Vec<ParallelMap>)> = vec![(f, Vec::new())];
    while let Some((term, around)) = stack.pop() {
        match &term.form {
            Form::Primitive(primitive, types, args) => {
                let level = level(*primitive, types, term.origin);
                for (at, arg) in args.iter().enumerate() {
                    let inner = level.filter(|_| at == 0);
                    let around: Vec<ParallelMap> = around.iter().copied().chain(inner).collect();
                    if inner.is_some() && found.len() < MAX_CHAINS {
                        found.push(around.clone());
                    }
                    stack.push((arg, around));
                }
            }
            form => stack.extend(form.children().map(|child| (child, around.clone()))),
        }
    }
    let all = found.clone();
    found.retain(|chain| {
        let deeper =
            |other: &&Vec<ParallelMap>| other.len() > chain.len() && other.starts_with(chain);
        !all.iter().any(|other| deeper(&other))
    });
    found
}
