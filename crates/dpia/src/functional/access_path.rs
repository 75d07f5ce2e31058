//! Access paths from values to their parts, and the views that transform them.

use nat::Nat;
use rise::core::Form;
use rise::pattern::{AcceptorView, IndexArithmetic, IndexMap, MapLoop};
use rise::{Arg, Pattern, Primitive, SizeFun};
use syntax::ast::BinaryOp;

use super::access_inference::Term;
use crate::prim::Prim;

/// One step of an access path, from a value to a part of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PathElement {
    /// The element at an index.
    At(Nat),
    /// The lanes of a vector: `Lanes(i, n)` is the `n` elements from index `i*n` on.
    Lanes(Nat, Nat),
    /// A half of a pair; true for the second one.
    Half(bool),
    /// Any element: its index is not known.
    Any,
}

/// An access path, from the whole value to a part.
pub(crate) type AccessPath = Vec<PathElement>;

/// A view through which a value is written: it determines the position of the value in its
/// destination.
#[derive(Clone, Debug)]
pub(crate) enum View {
    At(Nat),
    Half(bool),
    /// The elements at the indices that an index map computes with type-level arguments.
    Index(&'static IndexMap, Vec<Arg>),
    /// One half of each element of a zip: false for the first.
    Zip(bool),
    Unzip,
    Behind(Nat),
    AsScalar(Nat),
    Same,
    /// The views on each element, innermost last.
    Map(Vec<View>),
    Unknown,
}

/// Removes the element at index `at` from a path if it is a half of a pair, and returns true for
/// the second half; `None` if it is another element or missing.
pub(crate) fn take_half(path: &mut AccessPath, at: usize) -> Option<bool> {
    match path.get(at) {
        Some(PathElement::Half(half)) => {
            let half = *half;
            path.remove(at);
            Some(half)
        }
        _ => None,
    }
}

pub(crate) fn size_at(types: &[Arg], at: usize) -> Option<Nat> {
    match types.get(at) {
        Some(Arg::Nat(size)) => Some(size.clone()),
        _ => None,
    }
}

/// Returns the view through which the last argument of a primitive is written; [`View::Unknown`] if
/// there is none.
pub(crate) fn view(primitive: Primitive, types: &[Arg], args: &[Term]) -> View {
    match primitive.pattern() {
        Pattern::View(rise::pattern::View::Unzip) => View::Unzip,
        Pattern::View(rise::pattern::View::Lanes) => {
            size_at(types, 0).map_or(View::Unknown, View::AsScalar)
        }
        Pattern::View(_) => match &primitive.entry().acceptor {
            Some(AcceptorView::Same) => View::Same,
            Some(AcceptorView::View(acceptor, params)) => {
                let map = Prim::from_name(acceptor).and_then(Prim::index_map);
                let types = params.iter().map(|&at| types.get(at).cloned()).collect();
                map.zip(types)
                    .map_or(View::Unknown, |(map, types)| View::Index(map, types))
            }
            None => View::Unknown,
        },
        Pattern::Kernel => View::Same,
        Pattern::Map(MapLoop::Computed) => match args.first().map(|f| &f.form) {
            Some(Form::Lambda(param, body)) => {
                let mut views = Vec::new();
                let mut term = body;
                while let Form::Primitive(primitive, types, args) = &term.form {
                    views.push(view(*primitive, types, args));
                    match args.last() {
                        Some(xs) => term = xs,
                        None => return View::Unknown,
                    }
                }
                match &term.form {
                    Form::Var(local) if *local == param.local => View::Map(views),
                    _ => View::Unknown,
                }
            }
            _ => View::Unknown,
        },
        Pattern::Scalar | Pattern::Connective | Pattern::Select | Pattern::Element => View::Unknown,
        Pattern::Half(_) | Pattern::Pair | Pattern::MapHalf(_) | Pattern::Generate => View::Unknown,
        Pattern::Literal | Pattern::Zip | Pattern::Concat | Pattern::Map(_) => View::Unknown,
        Pattern::DepMap(_) | Pattern::Reduce(_) | Pattern::Scan | Pattern::Iterate => View::Unknown,
        Pattern::Repeat(_) => View::Unknown,
        Pattern::Stream(_) | Pattern::Let | Pattern::Memory => View::Unknown,
        Pattern::DepPair | Pattern::DepMatch => View::Unknown,
    }
}

/// Transforms the path of a part of a written value to its path in the destination, through the
/// views that the value is written through; `None` if one of them is not known.
pub(crate) fn place(views: &[View], path: AccessPath) -> Option<AccessPath> {
    views
        .iter()
        .rev()
        .try_fold(path, |path, view| through(view, path))
}

pub(crate) fn through(view: &View, mut path: AccessPath) -> Option<AccessPath> {
    match view {
        View::At(index) => path.insert(0, PathElement::At(index.clone())),
        View::Half(half) => path.insert(0, PathElement::Half(*half)),
        View::Same => {}
        View::Unknown => return None,
        View::Zip(half) => path.insert(1.min(path.len()), PathElement::Half(*half)),
        View::Unzip if path.len() >= 2 => path.swap(0, 1),
        View::Unzip => return path.is_empty().then_some(path),
        // The whole of a view is written to the whole of its destination.
        View::Index(..) if path.is_empty() => {}
        View::Index(map, types) => return mapped(map, types, path),
        View::Behind(n) => match path.first_mut() {
            Some(PathElement::At(i)) => *i = Nat::add(i, n),
            _ => return None,
        },
        View::AsScalar(lanes) => match path.first_mut() {
            Some(step @ PathElement::At(_)) => {
                let PathElement::At(i) = step.clone() else {
                    return None;
                };
                *step = PathElement::Lanes(i, lanes.clone());
            }
            Some(_) => return None,
            None => {}
        },
        View::Map(views) => {
            if !path.is_empty() {
                let rest = path.split_off(1);
                path.extend(place(views, rest)?);
            }
        }
    }
    Some(path)
}

/// Transforms the leading indices of a path by an index map; `None` if that is not possible.
fn mapped(map: &IndexMap, types: &[Arg], mut path: AccessPath) -> Option<AccessPath> {
    let behind = path.split_off(map.arity().0.min(path.len()));
    let mut path = map.apply(types, &path, &mut PathArithmetic)?;
    path.extend(behind);
    Some(path)
}

/// The arithmetic on path elements that are indices.
struct PathArithmetic;

impl IndexArithmetic for PathArithmetic {
    type Index = PathElement;

    fn size(&mut self, size: &Nat) -> PathElement {
        PathElement::At(size.clone())
    }

    fn binary(&mut self, op: BinaryOp, a: PathElement, b: PathElement) -> Option<PathElement> {
        let (PathElement::At(a), PathElement::At(b)) = (a, b) else {
            return None;
        };
        Some(PathElement::At(match op {
            BinaryOp::Add => Nat::add(&a, &b),
            BinaryOp::Sub => Nat::sub(&a, &b),
            BinaryOp::Mul => Nat::mul(&a, &b),
            BinaryOp::Div => Nat::div(&a, &b),
            BinaryOp::Mod => Nat::rem(&a, &b),
            _ => return None,
        }))
    }

    fn apply(&mut self, function: &SizeFun, at: PathElement) -> Option<PathElement> {
        let (SizeFun::Lambda(lambda), PathElement::At(at)) = (function, at) else {
            return None;
        };
        Some(PathElement::At(lambda.apply(&at)))
    }
}

/// Transforms the path of a part of a view to its argument, for reading; `None` if it is not a
/// single place. `lanes` is the number of lanes of a vector.
pub(crate) fn read_view(
    pattern: Pattern,
    map: Option<&IndexMap>,
    (types, lanes): (&[Arg], Option<Nat>),
    mut path: AccessPath,
) -> Option<AccessPath> {
    use rise::pattern::View;
    let Pattern::View(view) = pattern else {
        return None;
    };
    match (view, path.first()) {
        (View::Index, _) => {
            let map = map?;
            return match map.is_identity() {
                true => Some(path),
                false => mapped(map, types, path),
            };
        }
        (View::Unzip, _) if path.len() >= 2 => path.swap(0, 1),
        (View::Vectors, Some(PathElement::At(i))) => {
            path[0] = PathElement::Lanes(i.clone(), lanes?)
        }
        (View::Lanes, Some(PathElement::At(i))) => path[0] = PathElement::At(Nat::div(i, &lanes?)),
        (View::Unzip | View::Vectors | View::Lanes, _)
        | (View::Gather | View::Scatter | View::PadCst | View::PadClamp, _)
        | (View::PadEmpty | View::DepJoin | View::Partition, _) => return None,
    }
    Some(path)
}
