//! What could stand in the place of what is missing.

use rise::{DataFun, Primitive, Type};

use crate::functional::complaint::Level;
use crate::phrase::contains_array;
use crate::target::Target;

/// Loops with more steps are not offered to be written out.
const MOST_UNROLLED: i64 = 64;

/// What can be written for a pattern without an implementation, the obvious one first.
pub(super) fn choices(
    pattern: Primitive,
    target: Target,
    nest: &[Level],
    count: Option<i64>,
) -> Vec<String> {
    let mut choices: Vec<String> = if pattern == Primitive::Reduce {
        reductions(target, nest)
    } else {
        maps(target, nest)
    };
    if count.is_some_and(|count| count <= MOST_UNROLLED) {
        let unrolled = match (pattern, target) {
            (Primitive::Reduce, Target::OpenCl) => "reduceSeqUnroll(Private)",
            (Primitive::Reduce, _) => "reduceSeqUnroll",
            _ => "mapSeqUnroll",
        };
        choices.push(unrolled.into());
    }
    choices
}

fn reductions(target: Target, nest: &[Level]) -> Vec<String> {
    let names: &[&str] = match target {
        Target::C => &["reduceSeq"],
        Target::OpenMp if nest.is_empty() => &["reduceSeq", "reducePar"],
        Target::OpenMp => &["reduceSeq"],
        Target::OpenCl => &["reduceSeq(Private)"],
    };
    names.iter().map(|&name| name.into()).collect()
}

fn maps(target: Target, nest: &[Level]) -> Vec<String> {
    match target {
        Target::C => vec!["mapSeq".into()],
        Target::OpenMp if nest.is_empty() => vec!["mapPar".into(), "mapSeq".into()],
        Target::OpenMp => vec!["mapSeq".into()],
        Target::OpenCl => kernel_maps(nest),
    }
}

fn kernel_maps(nest: &[Level]) -> Vec<String> {
    let has = |primitive: Primitive, dimension: u8| {
        nest.iter()
            .any(|level| level.primitive == primitive && level.dimension == dimension)
    };
    let written = |primitive: Primitive, dimension: u8| match dimension {
        0 => primitive.name().to_owned(),
        _ => format!("{}({dimension})", primitive.name()),
    };
    let in_local = nest.iter().any(|l| l.primitive == Primitive::MapLocal);
    let mut choices = Vec::new();
    for dimension in 0..3 {
        let grouped = has(Primitive::MapWorkGroup, dimension);
        if grouped && !has(Primitive::MapLocal, dimension) {
            choices.push(written(Primitive::MapLocal, dimension));
        }
    }
    let sequential = choices.len();
    let free = (0..3).find(|&dimension| {
        !has(Primitive::MapGlobal, dimension) && !has(Primitive::MapWorkGroup, dimension)
    });
    if let Some(dimension) = free.filter(|_| !in_local) {
        if !nest.iter().any(|l| l.primitive == Primitive::MapWorkGroup) {
            choices.push(written(Primitive::MapGlobal, dimension));
        }
        if !nest.iter().any(|l| l.primitive == Primitive::MapGlobal) {
            choices.push(written(Primitive::MapWorkGroup, dimension));
        }
    }
    if !nest.is_empty() {
        choices.insert(sequential, "mapSeq".into());
    }
    choices
}

/// A function that copies a value, as it is written.
pub(super) fn copy(data: &Type, target: Target, nest: &[Level]) -> String {
    if !contains_array(data) {
        return "id".into();
    }
    let inner = |data: &Type| copy(data, target, &inside(nest, target));
    match data {
        Type::Array(_, element) => {
            let map = maps(target, nest)
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

/// The parallel maps around what is inside the loop of a copy: they do not nest further than
/// one loop of threads.
fn inside(nest: &[Level], target: Target) -> Vec<Level> {
    let mut nest = nest.to_vec();
    let primitive = match target {
        Target::C => return nest,
        Target::OpenMp => Primitive::MapPar,
        Target::OpenCl if nest.iter().any(|l| l.primitive == Primitive::MapWorkGroup) => {
            Primitive::MapLocal
        }
        Target::OpenCl => Primitive::MapGlobal,
    };
    for dimension in 0..3 {
        nest.push(Level {
            primitive,
            dimension,
            at: rise::core::Origin(0),
        });
    }
    nest
}
