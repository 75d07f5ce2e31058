//! Messages about wrongly nested parallel maps, with alternatives.

use std::collections::BTreeSet;

use rise::Primitive;
use rise::core::Origin;
use rise::pattern::Level;
use syntax::Diagnostic;

use super::{Reporter, alternatives, offer, tick};
use crate::codes;
use crate::functional::nesting::allowed;
use crate::functional::problem::ParallelMap;
use Primitive::{MapGlobal, MapLocal, MapWorkGroup};

/// Returns the text of a parallel map, for example `mapLocal(1)`.
pub(super) fn written(primitive: Primitive, dimension: u8) -> String {
    match (primitive, dimension) {
        (MapGlobal | MapWorkGroup | MapLocal, 1..) => format!("{}({dimension})", primitive.name()),
        _ => primitive.name().to_owned(),
    }
}

impl Reporter<'_> {
    pub(super) fn nesting(
        &self,
        inner: ParallelMap,
        outer: Option<ParallelMap>,
        inside: &[Vec<ParallelMap>],
        nest: &[ParallelMap],
    ) -> Diagnostic {
        let spot = self.source_map.location(inner.at);
        let name = self.name(spot, inner.primitive);
        let of = |level: ParallelMap| tick(&written(level.primitive, level.dimension));
        let groups = nest.iter().find(|level| level.primitive == MapWorkGroup);
        let groups = groups.filter(|_| inner.primitive == MapLocal && outer.is_none());
        let message = match outer {
            Some(outer) if inner.primitive.pattern().level() == Some(Level::Threads) => format!(
                "this `{name}` runs inside of {}, which already uses all threads",
                of(outer)
            ),
            Some(outer) => format!("{} cannot be inside {}", of(inner), of(outer)),
            None if let Some(groups) = groups => format!(
                "{} is over dimension {}, and the {} around it over dimension {}",
                of(inner),
                inner.dimension,
                of(*groups),
                groups.dimension
            ),
            None => format!(
                "{} must be inside {}",
                of(inner),
                tick(&written(MapWorkGroup, inner.dimension))
            ),
        };
        let why = why(inner, outer)
            .map(|why| format!("\n{why}"))
            .unwrap_or_default();
        let mut found = Diagnostic::error(codes::WRONG_NESTING, spot.head, message + &why);
        if let Some(outer) = outer {
            found = found.related(self.source_map.related(outer.at), "inside this");
        }
        if self.target.has_work_items() {
            self.other_outer(&mut found, inner, outer, (nest, inside));
            self.outer_elsewhere(&mut found, inner, outer, (nest, inside));
        }
        if let Some(groups) = groups {
            self.groups_of_dimension(&mut found, inner, *groups, (nest, inside));
        }
        let choices = match self.target.has_work_items() {
            true => alternatives::instead(inner, nest, inside),
            false => alternatives::choices(
                inner.primitive,
                self.target,
                nest,
                alternatives::PatternProperties::default(),
            ),
        };
        let list: Vec<String> = choices.iter().map(|choice| tick(choice)).collect();
        let locals = local_dimensions(inner, inside);
        if found.help.is_none() && outer.is_none() && groups.is_none() && locals.len() > 1 {
            let groups: Vec<String> = (locals.iter().rev())
                .map(|dimension| format!("mapWorkGroup({dimension})("))
                .collect();
            found.help = Some(format!(
                "put this into `{}…{}`, or write `mapGlobal` for each `mapLocal`",
                groups.concat(),
                ")".repeat(groups.len())
            ));
        }
        if found.help.is_none() && !list.is_empty() {
            let group = match (inner.primitive, outer) {
                (MapLocal, None) if inner.dimension > 0 => format!(
                    "put this into a {}, or ",
                    tick(&written(MapWorkGroup, inner.dimension))
                ),
                _ => String::new(),
            };
            found.help = Some(format!("{group}write {}", list.join(" or ")));
        }
        let replaced = (inner.at, inner.primitive);
        self.offer_replacements(&mut found, replaced, "Replace with", &choices);
        found
    }

    /// Adds the fix that changes the dimension of the enclosing `mapWorkGroup` to that of the
    /// `mapLocal`, if the maps are nested correctly then and no other help was given.
    fn groups_of_dimension(
        &self,
        found: &mut Diagnostic,
        inner: ParallelMap,
        groups: ParallelMap,
        (nest, inside): (&[ParallelMap], &[Vec<ParallelMap>]),
    ) {
        let dimension = inner.dimension;
        let chain = changed(nest, inner, groups.at, |level| ParallelMap {
            dimension,
            ..level
        });
        let fits = |chain: &[ParallelMap]| allowed(chain) && alternatives::is_shared(chain);
        let all = |with: &Vec<ParallelMap>| fits(&[&chain[..], with].concat());
        if found.help.is_some() || !fits(&chain) || !inside.iter().all(all) {
            return;
        }
        let name = written(MapWorkGroup, inner.dimension);
        found.help = Some(format!("choose groups of the same dimension: `{name}`"));
        let edits = self.source_map.replace(groups.at, MapWorkGroup, &name);
        let title = format!("Make the outer one `{name}`");
        offer(found, title, edits);
    }

    /// Adds the fix that changes the dimension of a `mapGlobal` around a `mapWorkGroup`, if there
    /// is one with which the maps are nested correctly.
    fn outer_elsewhere(
        &self,
        found: &mut Diagnostic,
        inner: ParallelMap,
        outer: Option<ParallelMap>,
        (nest, inside): (&[ParallelMap], &[Vec<ParallelMap>]),
    ) {
        let Some(outer) = outer.filter(|outer| outer.primitive == MapGlobal) else {
            return;
        };
        if inner.primitive != MapWorkGroup {
            return;
        }
        let fits = |dimension: &u8| {
            let dimension = *dimension;
            let chain = changed(nest, inner, outer.at, |level| ParallelMap {
                dimension,
                ..level
            });
            let all = |with: &Vec<ParallelMap>| allowed(&[&chain[..], with].concat());
            allowed(&chain) && inside.iter().all(all)
        };
        if let Some(dimension) = (0..3).find(fits) {
            let name = written(MapGlobal, dimension);
            found.help = Some(format!(
                "let the outer map distribute over another dimension: `{name}`"
            ));
            let edits = self.source_map.replace(outer.at, MapGlobal, &name);
            offer(found, format!("Make the outer one `{name}`"), edits);
        }
    }

    /// Adds the fix that changes a `mapGlobal` around a `mapLocal` to a `mapWorkGroup`, or that
    /// swaps a `mapLocal` and the `mapWorkGroup` of the same dimension inside it.
    fn other_outer(
        &self,
        found: &mut Diagnostic,
        inner: ParallelMap,
        outer: Option<ParallelMap>,
        (nest, inside): (&[ParallelMap], &[Vec<ParallelMap>]),
    ) {
        if inner.primitive != MapLocal {
            return;
        }
        let group = written(MapWorkGroup, inner.dimension);
        match outer {
            Some(outer) if outer.primitive == MapGlobal => {
                let primitive = MapWorkGroup;
                let chain = changed(nest, inner, outer.at, |level| ParallelMap {
                    primitive,
                    ..level
                });
                if !inside
                    .iter()
                    .all(|with| allowed(&[&chain[..], with].concat()))
                {
                    return;
                }
                found.help = Some(format!(
                    "distribute over work-groups in the outer map: `{group}`"
                ));
                let edits = self.source_map.replace(outer.at, outer.primitive, &group);
                offer(found, format!("Make the outer one `{group}`"), edits);
            }
            None => {
                let groups = |chain: &&Vec<ParallelMap>| {
                    let first = chain.first();
                    first.is_some_and(|l| {
                        (l.primitive, l.dimension) == (MapWorkGroup, inner.dimension)
                    })
                };
                let Some(swapped) = inside.iter().find(groups).and_then(|chain| chain.first())
                else {
                    return;
                };
                let local = written(MapLocal, inner.dimension);
                found.help = Some(format!(
                    "swap the two maps: `{group}` outside, `{local}` inside"
                ));
                let outside = self.source_map.replace(inner.at, inner.primitive, &group);
                let within = self.source_map.replace(swapped.at, MapWorkGroup, &local);
                let edits = outside.zip(within).map(|(a, b)| [a, b].concat());
                let title = format!("Swap `{local}` and `{group}`");
                offer(found, title, edits);
            }
            Some(_) => {}
        }
    }
}

/// Returns the maps of a nest, of which the one at the origin `at` is changed by `change`, and then
/// the map `inner`.
fn changed(
    nest: &[ParallelMap],
    inner: ParallelMap,
    at: Origin,
    change: impl Fn(ParallelMap) -> ParallelMap,
) -> Vec<ParallelMap> {
    let level = |level: &ParallelMap| match level.at == at {
        true => change(*level),
        false => *level,
    };
    nest.iter().map(level).chain([inner]).collect()
}

/// Returns the reason why OpenCL does not allow the nesting; `None` for nested maps over threads.
fn why(inner: ParallelMap, outer: Option<ParallelMap>) -> Option<&'static str> {
    let Some(outer) = outer else {
        return Some(
            "it distributes iterations over the work-items of a work-group, which `mapWorkGroup` of the same dimension selects",
        );
    };
    if inner.primitive.pattern().level()? == Level::Threads {
        return None;
    }
    Some(match (inner.primitive, outer.primitive) {
        (MapLocal, MapGlobal) => {
            "`mapGlobal` gives each iteration to a single work-item, so no work-group can distribute the inner iterations"
        }
        (MapLocal, _) => {
            "the work-items of the group already share the iterations of the map around it"
        }
        (_, MapLocal) => {
            "the function of `mapLocal` is executed by a single work-item, which cannot start others"
        }
        _ => "the work-items of this dimension already share the iterations of the map around it",
    })
}

/// Returns the dimensions of a `mapLocal` and of the ones inside it; none for other maps.
fn local_dimensions(inner: ParallelMap, inside: &[Vec<ParallelMap>]) -> BTreeSet<u8> {
    if inner.primitive != MapLocal {
        return BTreeSet::new();
    }
    let maps = inside.iter().flatten().chain([&inner]);
    maps.filter(|level| level.primitive == MapLocal)
        .map(|level| level.dimension)
        .collect()
}
