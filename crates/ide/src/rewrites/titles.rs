//! The details in titles of the menu, such as the shape of the array that is no longer needed, and
//! the assumptions.

use dpia::target::format_bytes;
use elevate::engine::Assumption;
use elevate::term::{Child, Node, Store, Term};
use nat::{Nat, Prop};
use rise::{Primitive, Type};
use syntax::ast::ScalarType;

use super::menu::{self, Detail, Entry};
use super::program::Program;

/// Describes what a rewrite of `old` to `new` saves, splits or stores: the array that is no longer
/// needed, the number of chunks, or the memory of a value. Returns `None` for other rewrites.
pub(crate) fn detail(
    program: &Program,
    entry: &Entry,
    args: &[String],
    old: Term,
    new: Term,
) -> Option<String> {
    let store = &program.store;
    match entry.options.detail? {
        Detail::Saved => {
            let between = store.child(old, Child::Argument)?;
            let array = shape(store, store.type_of(between))?;
            Some(format!("one array of {array} less"))
        }
        Detail::Chunks => {
            let chunk: i64 = args.first()?.parse().ok()?;
            let length = menu::length(store, old)?;
            let chunks = program
                .facts
                .normalize(&Nat::div(&length, &Nat::constant(chunk)));
            let (length, chunks) = (text(store, &length), text(store, &chunks));
            Some(format!("{length} → {chunks} × {chunk}"))
        }
        Detail::Stored => size(store, store.type_of(stored(store, new).unwrap_or(old))),
    }
}

/// Returns the first value that a term stores in memory.
fn stored(store: &Store, term: Term) -> Option<Term> {
    let mut parts = store.subterms(term);
    parts.find_map(|part| match store.node(part) {
        Node::Apply(function, value) => match store.node(function) {
            Node::Primitive(Primitive::ToMem, _) => Some(value),
            _ => None,
        },
        _ => None,
    })
}

/// Renders the title with its detail and those assumptions that the facts about the program do not
/// prove.
pub(crate) fn whole(
    program: &Program,
    mut title: String,
    detail: Option<String>,
    assumed: &[Assumption],
) -> String {
    if let Some(detail) = detail {
        title = format!("{title}: {detail}");
    }
    let rounds = |assumption: &&Assumption| matches!(assumption, Assumption::Text(said) if said.ends_with(ROUNDING));
    let rounding = assumed.iter().any(|assumption| rounds(&assumption));
    let mut assumed: Vec<String> = assumed
        .iter()
        .filter(|assumption| !rounds(assumption))
        .filter(|assumption| match assumption {
            Assumption::Size(prop) => !program.facts.proves(prop),
            Assumption::Text(_) => true,
        })
        .map(|assumption| condition(&program.store, assumption))
        .collect();
    if let Some(first) = assumed.first_mut() {
        *first = format!("assumes {first}");
    }
    if rounding {
        assumed.push("changes rounding".to_owned());
    }
    match assumed.is_empty() {
        true => title,
        false => format!("{title} ({})", assumed.join(", ")),
    }
}

pub(crate) fn condition(store: &Store, assumption: &Assumption) -> String {
    match assumption {
        Assumption::Size(Prop::Divides(a, b)) => {
            format!("{} divides {}", text(store, a), text(store, b))
        }
        Assumption::Size(prop) => rise::print::prop_text(prop, &names(store)),
        Assumption::Text(said) => said.to_string(),
    }
}

/// The suffix of laws that hold for floats only up to rounding.
const ROUNDING: &str = " up to rounding";

fn names(store: &Store) -> rise::Names {
    rise::Names(store.var_names().to_vec().into())
}

/// Renders a size.
pub(crate) fn text(store: &Store, nat: &Nat) -> String {
    rise::print::nat_text(nat, &names(store))
}

/// Renders the shape of an array of scalars: `32×4 f32`.
fn shape(store: &Store, ty: &Type) -> Option<String> {
    let (sizes, scalar) = parts(ty)?;
    let sizes: Vec<String> = sizes.iter().map(|size| text(store, size)).collect();
    Some(format!("{} {scalar}", sizes.join("×")))
}

/// Renders the shape and the bytes of an array of scalars: `32×4 f32 = 512 B`. The bytes are left
/// out if a size is not constant, or if the size of a scalar is not known.
fn size(store: &Store, ty: &Type) -> Option<String> {
    let (sizes, scalar) = parts(ty)?;
    let shape = shape(store, ty)?;
    let known = sizes.iter().map(Nat::as_const).collect::<Option<Vec<_>>>();
    let bytes = |sizes: Vec<i64>| {
        sizes
            .into_iter()
            .try_fold(scalar_bytes(scalar)?, i64::checked_mul)
            .and_then(|bytes| u64::try_from(bytes).ok())
    };
    match known.and_then(bytes) {
        Some(bytes) => Some(format!("{shape} = {}", format_bytes(bytes))),
        None => Some(shape),
    }
}

/// Returns the sizes and the scalar type of an array or vector of scalars, of any dimension; `None`
/// for another type.
fn parts(ty: &Type) -> Option<(Vec<Nat>, ScalarType)> {
    let (mut sizes, mut ty) = (Vec::new(), ty);
    loop {
        match ty {
            Type::Array(n, elem) | Type::Vector(n, elem) => {
                sizes.push(n.clone());
                ty = elem;
            }
            Type::Scalar(scalar) if !sizes.is_empty() => return Some((sizes, *scalar)),
            _ => return None,
        }
    }
}

fn scalar_bytes(scalar: ScalarType) -> Option<i64> {
    Some(match scalar {
        ScalarType::Bool | ScalarType::I8 | ScalarType::U8 => 1,
        ScalarType::I16 | ScalarType::U16 | ScalarType::F16 => 2,
        ScalarType::I32 | ScalarType::U32 | ScalarType::F32 => 4,
        ScalarType::I64 | ScalarType::U64 | ScalarType::F64 => 8,
        ScalarType::NatType => return None,
    })
}
