//! Which address spaces memory of a kernel may be in.

use rise::core::Form;
use rise::{Primitive, Type};
use syntax::ast::AddressSpace;

use super::complaint::{Level, Space};
use super::walk::Term;
use Primitive::{MapGlobal, MapLocal, MapWorkGroup};

/// The spaces for what `writer` writes, the nearest first, with the reasons against those that it
/// cannot be.
pub(crate) fn spaces_for(writer: &Term, nest: &[Level]) -> Vec<Space> {
    let inner = parallel_maps(writer);
    let around = |primitive| {
        nest.iter()
            .map(|level| level.primitive)
            .chain(inner.iter().copied())
            .any(|other| other == primitive)
    };
    let local = if !nest.iter().any(|l| l.primitive == MapWorkGroup) {
        Some("there is no `mapWorkGroup` around it")
    } else if !around(MapLocal) {
        Some("every work-item of the group would write it: no `mapLocal` does")
    } else if nest.iter().any(|l| l.primitive == MapLocal) {
        Some("each work-item would write memory of its own")
    } else {
        None
    };
    let global = (nest.is_empty() && inner.is_empty())
        .then_some("every work-item would write it: no parallel map does");
    let shared = inner
        .iter()
        .any(|p| matches!(p, MapLocal | MapGlobal | MapWorkGroup));
    let private = if shared {
        Some("its size is unknown: it depends on the number of work-items")
    } else if !is_constant(&writer.ty) {
        Some("its size is unknown: it is no constant")
    } else {
        None
    };
    let space = |space, not| Space { space, not };
    let all = [
        space(AddressSpace::Private, private),
        space(AddressSpace::Local, local),
        space(AddressSpace::Global, global),
    ];
    // What can be chosen stands first.
    let (legal, not): (Vec<Space>, Vec<Space>) = all.into_iter().partition(|s| s.not.is_none());
    legal.into_iter().chain(not).collect()
}

/// The parallel maps that write an expression, from the outermost on.
fn parallel_maps(term: &Term) -> Vec<Primitive> {
    let mut maps = Vec::new();
    let mut term = term;
    loop {
        let Form::Primitive(primitive, _, args) = &term.form else {
            return maps;
        };
        match primitive {
            MapGlobal | MapLocal | MapWorkGroup => {
                maps.push(*primitive);
                match args.first().map(|f| &f.form) {
                    Some(Form::Lambda(_, body)) => term = body,
                    _ => return maps,
                }
            }
            Primitive::Map | Primitive::MapSeq | Primitive::MapSeqUnroll => {
                match args.first().map(|f| &f.form) {
                    Some(Form::Lambda(_, body)) if *primitive != Primitive::Map => term = body,
                    _ => match args.last() {
                        Some(xs) => term = xs,
                        None => return maps,
                    },
                }
            }
            Primitive::Let => match args.last().map(|f| &f.form) {
                Some(Form::Lambda(_, body)) => term = body,
                _ => return maps,
            },
            Primitive::Join
            | Primitive::Split
            | Primitive::Transpose
            | Primitive::Unzip
            | Primitive::AsVector
            | Primitive::AsVectorAligned
            | Primitive::AsScalar
            | Primitive::Reorder
            | Primitive::Scatter
            | Primitive::PadEmpty
            | Primitive::Concat => match args.last() {
                Some(xs) => term = xs,
                None => return maps,
            },
            _ => return maps,
        }
    }
}

/// Whether the number of bytes of a value is a constant.
fn is_constant(ty: &Type) -> bool {
    match ty {
        Type::Array(n, element) => n.as_const().is_some() && is_constant(element),
        Type::Pair(a, b) => is_constant(a) && is_constant(b),
        Type::DepArray(..) | Type::DepPair(_) => false,
        _ => true,
    }
}
