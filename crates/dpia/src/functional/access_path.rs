//! Access paths into an accumulator, and the views that transform them.

use nat::Nat;
use rise::core::Form;
use rise::{Arg, Primitive, SizeFun};

use super::access_inference::Term;

/// One step of an access path, from a value to a part of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PathElement {
    /// The element at an index.
    At(Nat),
    /// The lanes of a vector: `Lanes(i, n)` is the `n` elements from index `i*n` on.
    Lanes(Nat, Nat),
    /// A half of a pair; true for the second one.
    Half(bool),
    /// An unknown element.
    Any,
}

/// An access path, from the whole value to a part.
pub(crate) type AccessPath = Vec<PathElement>;

/// The position of a written value in its destination.
#[derive(Clone, Debug)]
pub(crate) enum View {
    At(Nat),
    Half(bool),
    Join(Nat),
    Split(Nat),
    Transpose,
    /// A half of the elements of a zip.
    Zip(bool),
    Unzip,
    Reorder(SizeFun),
    Behind(Nat),
    AsScalar(Nat),
    Same,
    /// The views on each element, innermost last.
    Map(Vec<View>),
    Unknown,
}

/// Removes the half at `at` from a path.
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

/// Returns the view of a primitive on its argument, for writing.
pub(crate) fn view(primitive: Primitive, types: &[Arg], args: &[Term]) -> View {
    use Primitive::{
        AsScalar, Assume, Join, Map, OclRun, PadEmpty, Reorder, Split, Transpose, Unzip,
    };
    let size = |at: usize, view: fn(Nat) -> View| size_at(types, at).map_or(View::Unknown, view);
    match primitive {
        Join => size(1, View::Join),
        Split => size(0, View::Split),
        Transpose => View::Transpose,
        Unzip => View::Unzip,
        AsScalar => size(0, View::AsScalar),
        PadEmpty | OclRun | Assume => View::Same,
        Reorder => match types.get(2) {
            Some(Arg::SizeFun(inverse)) => View::Reorder(inverse.clone()),
            _ => View::Unknown,
        },
        Map => match args.first().map(|f| &f.form) {
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
        _ => View::Unknown,
    }
}

/// Transforms the path of a part of a written value through the views that it is written through.
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
        View::Transpose if path.len() >= 2 => path.swap(0, 1),
        View::Unzip | View::Transpose => return path.is_empty().then_some(path),
        View::Join(columns) => match &path[..] {
            [PathElement::At(i), PathElement::At(j), ..] => {
                let at = Nat::add(&Nat::mul(i, columns), j);
                path.splice(..2, [PathElement::At(at)]);
            }
            rest => return rest.is_empty().then_some(path),
        },
        View::Split(columns) => match path.first().cloned() {
            Some(PathElement::At(i)) => {
                let steps = [
                    PathElement::At(Nat::div(&i, columns)),
                    PathElement::At(Nat::rem(&i, columns)),
                ];
                path.splice(..1, steps);
            }
            Some(_) => return None,
            None => {}
        },
        View::Reorder(inverse) => match path.first_mut() {
            Some(PathElement::At(i)) => *i = apply(inverse, i)?,
            Some(_) => return None,
            None => {}
        },
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

pub(crate) fn apply(fun: &SizeFun, at: &Nat) -> Option<Nat> {
    match fun {
        SizeFun::Lambda(lambda) => {
            let (param, at) = (lambda.param, at.clone());
            Some(lambda.body.subst(&|v| (v == param).then(|| at.clone())))
        }
        SizeFun::Var(_) => None,
    }
}

/// Transforms the path of a part of a view to its argument, for reading; `None` if it is not a
/// single place.
pub(crate) fn read_view(
    primitive: Primitive,
    types: &[Arg],
    mut path: AccessPath,
) -> Option<AccessPath> {
    use Primitive::{
        AsScalar, AsVector, AsVectorAligned, Assume, Drop, Join, Reorder, Slide, Split, Take,
        Transpose, Unzip,
    };
    let first = match path.first() {
        Some(PathElement::At(i)) => Some(i.clone()),
        _ => None,
    };
    match primitive {
        Take | Assume => {}
        Drop => {
            let moved = Nat::add(&first?, &size_at(types, 0)?);
            path[0] = PathElement::At(moved);
        }
        Transpose | Unzip if path.len() >= 2 => path.swap(0, 1),
        Join => {
            let (i, columns) = (first?, size_at(types, 1)?);
            let steps = [
                PathElement::At(Nat::div(&i, &columns)),
                PathElement::At(Nat::rem(&i, &columns)),
            ];
            path.splice(..1, steps);
        }
        Split | Slide => {
            let step = match primitive {
                Split => size_at(types, 0)?,
                _ => size_at(types, 2)?,
            };
            let Some(PathElement::At(j)) = path.get(1) else {
                return None;
            };
            let at = Nat::add(&Nat::mul(&first?, &step), j);
            path.splice(..2, [PathElement::At(at)]);
        }
        AsVector | AsVectorAligned => {
            path[0] = PathElement::Lanes(first?, size_at(types, 0)?);
        }
        AsScalar => {
            let lanes = size_at(types, 0)?;
            path[0] = PathElement::At(Nat::div(&first?, &lanes));
        }
        Reorder => {
            let Some(Arg::SizeFun(g)) = types.get(1) else {
                return None;
            };
            path[0] = PathElement::At(apply(g, &first?)?);
        }
        _ => return None,
    }
    Some(path)
}
