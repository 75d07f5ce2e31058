//! Allocates the memory of values, and computes the place that a path selects.
//!
//! Arrays are flat and row-major. A value that is or contains a tuple is one variable of structs if
//! it is a parameter, the result, a double buffer or a variable of a parallel reduction, and
//! otherwise one variable for each component. Arrays of tuples of two equal scalars in memory that
//! work-items share are variables of structs, too.

use dpia::phrase::data_at;
use nat::{Nat, Var};
use rise::core::Origin;
use rise::{DataFun, SizeFun, Ty, Type};

use super::Lower;
use super::env::{Path, Step};
use crate::analysis::memory::halves;
use crate::error::{CompileError, Result};
use crate::ir::{Home, Id, Place, Variable};
use syntax::ast::{AddressSpace, Name};

/// The memory of a value.
#[derive(Clone, Debug)]
pub(super) enum Store {
    /// Memory in one variable.
    Leaf {
        id: Id,
        ty: Ty,
        /// The index of its first element; `None` in a variable that is not an array.
        start: Option<Nat>,
    },
    /// Memory of the two components of a tuple; the arrays around the tuple are around both.
    Halves(Box<Store>, Box<Store>),
}

impl Store {
    /// Adds the variables to `out`, those of first components first.
    pub fn leaves(&self, out: &mut Vec<Id>) {
        match self {
            Store::Leaf { id, .. } => out.push(*id),
            Store::Halves(a, b) => {
                a.leaves(out);
                b.leaves(out);
            }
        }
    }
}

/// A sum over the previous iterations of a loop, which the loop accumulates in a variable.
#[derive(Clone, Debug)]
pub(super) struct Running {
    /// The counter of the loop.
    pub counter: Var,
    /// The size variable that denotes the sum.
    pub sum: Var,
    /// The term that each iteration adds to the sum.
    pub step: Nat,
}

/// The part of memory that a path selects.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// One place, with its type.
    Place(Place, Ty),
    /// The components of a tuple.
    Halves(Box<Part>, Box<Part>),
    /// The lanes of a vector that are not adjacent in memory; only for writing.
    Lanes(Vec<Part>),
}

/// Returns the application of a function from sizes to sizes.
pub(super) fn apply_size(fun: &SizeFun, arg: &Nat) -> Nat {
    match fun {
        SizeFun::Var(var) => Nat::apply(*var, arg),
        SizeFun::Lambda(lambda) => lambda.apply(arg),
    }
}

/// Returns the element type of a flat variable for values of `ty`: the type under all arrays.
pub(super) fn element(ty: &Ty) -> Ty {
    match &**ty {
        Type::Array(_, elem) => element(elem),
        Type::DepArray(_, DataFun::Lambda(_, body)) => element(body),
        _ => ty.clone(),
    }
}

/// Returns the extents of an array's dimensions, outermost first; none if a dependent array is
/// among them, or for a value that is not an array.
fn extents(ty: &Type) -> Vec<Nat> {
    let mut ty = ty;
    let mut extents = Vec::new();
    while let Type::Array(n, elem) = ty {
        extents.push(n.clone());
        ty = elem;
    }
    if matches!(ty, Type::DepArray(..)) {
        extents.clear();
    }
    extents
}

impl Lower<'_> {
    /// Returns the number of elements that a value of `ty` needs in a flat variable.
    pub(super) fn count(&mut self, ty: &Type) -> Nat {
        match ty {
            Type::Array(n, elem) => n * &self.count(elem),
            Type::DepArray(n, fun) => self.count_before(fun, n),
            _ => Nat::constant(1),
        }
    }

    /// Returns the number of elements of the first `n` pieces of a dependent array.
    fn count_before(&mut self, fun: &DataFun, n: &Nat) -> Nat {
        let var = self.function.fresh_size("i");
        let piece = data_at(fun, &Nat::var(var));
        let count = self.count(&piece);
        self.sum_below(var, n, &count)
    }

    /// Returns the sum of `each` over `0 <= var < end`. If `end` is the counter of an enclosing
    /// sequential loop and the sum has no closed form, the result is a size variable for a sum that
    /// the loop accumulates.
    fn sum_below(&mut self, var: Var, end: &Nat, each: &Nat) -> Nat {
        let sum = Nat::sum(var, &Nat::constant(0), end, each);
        let Some(counter) = end.as_var().filter(|v| self.counters.contains(v)) else {
            return sum;
        };
        if !has_sum(&sum) {
            return sum;
        }
        let step = each.subst(&|v| (v == var).then(|| end.clone()));
        let same = |r: &&Running| r.counter == counter && r.step == step;
        if let Some(known) = self.running.iter().find(same) {
            return Nat::var(known.sum);
        }
        let sum = self.function.fresh_size("offset");
        self.running.push(Running { counter, sum, step });
        Nat::var(sum)
    }

    /// Returns the sum of `len(j)` for all `j` with `0 <= j < i`.
    pub(super) fn offset(&mut self, len: &SizeFun, i: &Nat) -> Nat {
        let var = self.function.fresh_size("i");
        let body = apply_size(len, &Nat::var(var));
        self.sum_below(var, i, &body)
    }

    /// Creates the variables of a value: one for each component of a tuple, unless [`is_whole`]
    /// holds, and one for another value.
    pub(super) fn allocate(&mut self, name: &Name, ty: &Ty, home: Home, origin: Origin) -> Store {
        if let Some((a, b)) = halves(ty).filter(|_| !is_whole(ty, home)) {
            let (first, second) = (format!("{name}1").into(), format!("{name}2").into());
            let a = self.allocate(&first, &a, home, origin);
            let b = self.allocate(&second, &b, home, origin);
            return Store::Halves(Box::new(a), Box::new(b));
        }
        self.allocate_whole(name, ty, home, origin)
    }

    /// Creates one variable for a value.
    pub(super) fn allocate_whole(
        &mut self,
        name: &Name,
        ty: &Ty,
        home: Home,
        origin: Origin,
    ) -> Store {
        let is_array = matches!(&**ty, Type::Array(..) | Type::DepArray(..));
        // A value that work-items share is in memory, however small it is.
        let shared = matches!(
            home,
            Home::Local(Some(AddressSpace::Local | AddressSpace::Global))
        );
        let in_memory = is_array || home.is_result() || shared;
        let count = in_memory.then(|| self.count(ty));
        let start = count.is_some().then(|| Nat::constant(0));
        let id = self.variable(Variable {
            name: name.clone(),
            elem: element(ty),
            count,
            extents: extents(ty),
            home,
            origin,
        });
        Store::Leaf {
            id,
            ty: ty.clone(),
            start,
        }
    }

    /// Returns the part that a path selects in the memory of a value.
    pub(super) fn part(&mut self, store: &Store, mut path: Path, origin: Origin) -> Result<Part> {
        let (id, ty, start) = match store {
            Store::Leaf { id, ty, start } => (*id, ty.clone(), start.clone()),
            Store::Halves(a, b) => return self.half_part(a, b, path, origin),
        };
        let mut place = Place {
            index: start,
            ..Place::plain(id)
        };
        let mut ty = ty;
        while let Some(step) = path.pop() {
            let next = match (step, &*ty) {
                (Step::Index(i), Type::Array(_, elem)) => {
                    let stride = self.count(elem);
                    advance(&mut place, i * &stride);
                    elem.clone()
                }
                (Step::Index(i), Type::DepArray(_, fun)) => {
                    let before = self.count_before(fun, &i);
                    advance(&mut place, before);
                    data_at(fun, &i)
                }
                (Step::Joined(j), Type::DepArray(_, DataFun::Lambda(_, body))) => {
                    let Type::Array(_, elem) = &**body else {
                        return Err(lost(origin));
                    };
                    let stride = self.count(elem);
                    advance(&mut place, j * &stride);
                    elem.clone()
                }
                (Step::Member(second), Type::Pair(a, b)) => {
                    place.members.push(second);
                    if second { b.clone() } else { a.clone() }
                }
                (Step::Lane(lane), Type::Vector(_, elem)) => {
                    place.lane = Some(self.simplify(&lane));
                    elem.clone()
                }
                _ => return Err(lost(origin)),
            };
            ty = next;
        }
        place.index = place.index.map(|index| self.simplify(&index));
        Ok(Part::Place(place, ty))
    }

    /// Returns the part that a path selects in the memory of a tuple or of arrays of tuples: that
    /// of the component that the first member step selects, or both if there is none. The indices
    /// before that step apply to the component.
    fn half_part(&mut self, a: &Store, b: &Store, mut path: Path, origin: Origin) -> Result<Part> {
        let mut before = Vec::new();
        loop {
            match path.pop() {
                Some(Step::Member(second)) => {
                    let path = path.push_all(&before);
                    return self.part(if second { b } else { a }, path, origin);
                }
                Some(step) => before.push(step),
                None => {
                    let path = path.push_all(&before);
                    let a = self.part(a, path.clone(), origin)?;
                    let b = self.part(b, path, origin)?;
                    return Ok(Part::Halves(Box::new(a), Box::new(b)));
                }
            }
        }
    }
}

/// Returns true if a size has a sum without closed form as a summand.
fn has_sum(nat: &Nat) -> bool {
    let is_sum = |(part, _): &(nat::Part, u32)| matches!(part, nat::Part::Sum { .. });
    nat.summands()
        .iter()
        .any(|summand| summand.factors.iter().any(is_sum))
}

fn advance(place: &mut Place, by: Nat) {
    place.index = Some(match place.index.take() {
        Some(index) => index + &by,
        None => by,
    });
}

/// Returns true for an array of tuples of two equal scalar types in memory that work-items share:
/// it is stored as an array of structs, so that each is loaded and stored in one access.
fn is_whole(ty: &Ty, home: Home) -> bool {
    let shared = matches!(
        home,
        Home::Local(Some(AddressSpace::Local | AddressSpace::Global))
    );
    let numbers = match &*element(ty) {
        Type::Pair(a, b) => a == b && matches!(&**a, Type::Scalar(_)),
        _ => false,
    };
    shared && numbers && matches!(&**ty, Type::Array(..))
}

/// Returns the error for a phrase or a path that does not occur in well-typed programs.
pub(super) fn lost(origin: Origin) -> CompileError {
    CompileError::new(
        origin,
        "this access reads or writes a part that the type of the memory does not have",
    )
}
