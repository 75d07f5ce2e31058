//! The alternatives that messages offer for missing implementations and wrongly nested maps, and
//! the texts of functions that copy values.

use rise::types::contains_array;
use rise::{DataFun, Pattern, Primitive, Type};

use super::nesting::written;
use crate::functional::nesting::allowed;
use crate::functional::problem::ParallelMap;
use crate::target::{Features, Parallelism};
use Primitive::{MapGlobal, MapLocal, MapWorkGroup};
use syntax::ast::AddressSpace;

/// The greatest number of elements for which the unrolled version of a map or reduction is offered.
const MAX_UNROLLED: i64 = 64;

/// The properties of a pattern besides its nesting.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PatternProperties<'p> {
    /// The number of elements, if it is known.
    pub count: Option<i64>,
    /// True if the result of its function is written by loops.
    pub loops: bool,
    /// The chains of nested parallel maps in its function.
    pub inside: &'p [Vec<ParallelMap>],
    /// The address space for the accumulator of a reduction; the default is Private.
    pub space: Option<AddressSpace>,
}

/// Returns the texts of the implementations of the pattern of a primitive, the best first.
pub(super) fn choices(
    primitive: Primitive,
    target: Features,
    nest: &[ParallelMap],
    more: PatternProperties<'_>,
) -> Vec<String> {
    let space = more.space.unwrap_or(AddressSpace::Private);
    let is_short = more.count.is_some_and(|count| count <= MAX_UNROLLED);
    match primitive.pattern() {
        Pattern::DepMap(_) => vec![Primitive::DepMapSeq.name().to_owned()],
        Pattern::Reduce(_) => {
            let mut choices = reductions(target, nest, space);
            if is_short {
                choices.push(match target.has_work_items() {
                    true => format!("reduceSeqUnroll({space})"),
                    false => "reduceSeqUnroll".into(),
                });
            }
            choices
        }
        _ => {
            let mut choices = maps(target, nest, more);
            if is_short && choices.iter().any(|choice| choice == "mapSeq") {
                choices.push("mapSeqUnroll".into());
            }
            choices
        }
    }
}

fn reductions(target: Features, nest: &[ParallelMap], space: AddressSpace) -> Vec<String> {
    match target.parallelism {
        Parallelism::Threads if nest.is_empty() => vec!["reduceSeq".into(), "reducePar".into()],
        Parallelism::Sequential | Parallelism::Threads => vec!["reduceSeq".into()],
        Parallelism::WorkItems => vec![format!("reduceSeq({space})")],
    }
}

fn maps(target: Features, nest: &[ParallelMap], more: PatternProperties<'_>) -> Vec<String> {
    match target.parallelism {
        Parallelism::Threads if nest.is_empty() => vec!["mapPar".into(), "mapSeq".into()],
        Parallelism::Sequential | Parallelism::Threads => vec!["mapSeq".into()],
        Parallelism::WorkItems => {
            let fits = |chain: &[ParallelMap]| {
                with_inside(chain, more.inside, &allowed) && (more.loops || is_shared(chain))
            };
            kernel_maps(nest, more.inside, &fits)
        }
    }
}

/// Returns the texts of the maps that can replace the parallel map `inner`, which is inside of the
/// maps `nest` and contains the chains of maps `inside`; without `inner` itself.
pub(super) fn instead(
    inner: ParallelMap,
    nest: &[ParallelMap],
    inside: &[Vec<ParallelMap>],
) -> Vec<String> {
    let fits = |chain: &[ParallelMap]| {
        with_inside(chain, inside, &|chain| allowed(chain) && is_shared(chain))
    };
    let mut found = kernel_maps(nest, inside, &fits);
    let name = written(inner.primitive, inner.dimension);
    found.retain(|choice| *choice != name);
    found
}

/// Returns true if a chain of maps satisfies `fits` together with each of the chains inside it.
fn with_inside(
    chain: &[ParallelMap],
    inside: &[Vec<ParallelMap>],
    fits: &dyn Fn(&[ParallelMap]) -> bool,
) -> bool {
    match inside {
        [] => fits(chain),
        _ => inside
            .iter()
            .all(|inner| fits(&[chain, &inner[..]].concat())),
    }
}

/// Returns true if these maps distribute the work over single work-items: one of them is over the
/// first dimension, and there is a `mapLocal` for every `mapWorkGroup`.
pub(super) fn is_shared(chain: &[ParallelMap]) -> bool {
    let has = |primitive, dimension| {
        let mut all = chain.iter();
        all.any(|level| (level.primitive, level.dimension) == (primitive, dimension))
    };
    let grouped = |dimension| has(MapWorkGroup, dimension);
    let in_groups = |dimension| !grouped(dimension) || has(MapLocal, dimension);
    (has(MapGlobal, 0) || grouped(0)) && (0..3).all(in_groups)
}

/// Returns the texts of the parallel maps, each over the first possible dimension, and of `mapSeq`,
/// as far as the chain of `nest` and this map satisfies `fits`. The map contains the chains `inside`.
fn kernel_maps(
    nest: &[ParallelMap],
    inside: &[Vec<ParallelMap>],
    fits: &dyn Fn(&[ParallelMap]) -> bool,
) -> Vec<String> {
    let with = |primitive, dimension| {
        let level = ParallelMap {
            primitive,
            dimension,
            at: rise::core::Origin(0),
            wrong: false,
        };
        let chain: Vec<ParallelMap> = nest.iter().copied().chain([level]).collect();
        fits(&chain)
    };
    let first = |primitive| {
        let dimension = (0..3).find(|&dimension| with(primitive, dimension))?;
        Some(written(primitive, dimension))
    };
    let sequential = fits(nest).then(|| "mapSeq".to_owned());
    let mut found: Vec<String> = first(MapLocal).into_iter().collect();
    if is_shared(nest) {
        found.extend(sequential.clone());
    }
    // `mapGlobal` and `mapWorkGroup` can be combined, but hardly ever should.
    let has = |primitive| {
        let mut others = nest.iter().chain(inside.iter().flatten());
        others.any(|level| level.primitive == primitive)
    };
    if !has(MapWorkGroup) {
        found.extend(first(MapGlobal));
    }
    if !has(MapGlobal) {
        found.extend(first(MapWorkGroup));
    }
    if !is_shared(nest) {
        found.extend(sequential);
    }
    found
}

/// Returns the text of a function that copies a value.
pub(super) fn copy(data: &Type, target: Features, nest: &[ParallelMap]) -> String {
    if !contains_array(data) {
        return "id".into();
    }
    let inner = |data: &Type| copy(data, target, &inside(nest, target));
    match data {
        Type::Array(_, element) => {
            let more = PatternProperties {
                loops: contains_array(element),
                ..PatternProperties::default()
            };
            let map = maps(target, nest, more)
                .into_iter()
                .next()
                .unwrap_or("mapSeq".into());
            format!("{map}({})", inner(element))
        }
        Type::Pair(a, b) => {
            let half = |data: &Type, half: &str| {
                if contains_array(data) {
                    format!("p.{half} |> {}", copy(data, target, nest))
                } else {
                    format!("p.{half}")
                }
            };
            format!("fun(p => ({}, {}))", half(a, "_1"), half(b, "_2"))
        }
        Type::DepArray(_, DataFun::Lambda(_, element)) => {
            format!("depMapSeq(depFun(i: Nat => {}))", inner(element))
        }
        Type::DepPair(DataFun::Lambda(_, value)) => {
            let copy = inner(value);
            format!("fun(p => dmatch(p)(depFun(k: Nat => fun(x => makeDepPair(k)(x |> {copy})))))")
        }
        _ => "id".into(),
    }
}

/// Returns the parallel maps that are assumed around the body of a copy's loop: `nest` and, on
/// targets with parallel maps, one in every dimension, so that the copy does not nest parallel maps
/// further.
fn inside(nest: &[ParallelMap], target: Features) -> Vec<ParallelMap> {
    let mut nest = nest.to_vec();
    let primitive = match target.parallelism {
        Parallelism::Sequential => return nest,
        Parallelism::Threads => Primitive::MapPar,
        Parallelism::WorkItems if nest.iter().any(|l| l.primitive == Primitive::MapWorkGroup) => {
            Primitive::MapLocal
        }
        Parallelism::WorkItems => Primitive::MapGlobal,
    };
    for dimension in 0..3 {
        nest.push(ParallelMap {
            primitive,
            dimension,
            at: rise::core::Origin(0),
            wrong: false,
        });
    }
    nest
}
