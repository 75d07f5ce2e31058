//! Compiles the primitives that rearrange, index, build, concatenate and permute arrays.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use nat::Nat;
use rise::Primitive;
use rise::core::Origin;
use rise::types::{Arg, SizeFun, Ty, Type};

use super::super::block::{Code, Operand, Step};
use super::super::buffer::{MemoryMeter, UninitMask};
use super::super::error::{ErrorKind, InterpResult};
use super::super::frame::{Frame, NatCode};
use super::super::kind::Elem;
use super::super::optimized::{self, ViewCode};
use super::super::scalar::Scalar;
use super::super::strided::{ArrayBuilder, StridedArray};
use super::super::val::{Target, Val};
use super::{Call, Compiler, here, malformed, scalar_kind};

/// A function that rearranges an array along the dimension of the given index and, if it concerns
/// several, the dimensions after it.
pub(crate) type Rearrange =
    Rc<dyn for<'a> Fn(&mut Frame<'a>, &StridedArray, usize) -> InterpResult<StridedArray>>;

/// A cached permutation with its length, for functions that do not depend on other sizes.
type Table = Rc<RefCell<Option<(i64, Rc<[usize]>)>>>;

impl Compiler {
    /// Compiles a primitive that only rearranges an array, with its sizes.
    pub(crate) fn rearrangement(&mut self, call: &Call) -> InterpResult<Rearrange> {
        let origin = call.origin;
        let nats: Vec<NatCode> = (call.types.iter())
            .filter_map(|arg| match arg {
                Arg::Nat(nat) => Some(self.nat(nat)),
                _ => None,
            })
            .collect();
        let nat = |at: usize| {
            let nat = nats.get(at).cloned();
            nat.ok_or_else(|| malformed("a size is missing", origin))
        };
        Ok(match call.primitive {
            Primitive::Take => {
                let n = nat(0)?;
                Rc::new(move |f, col, depth| col.clone().take(depth, n.len(f, origin)?))
            }
            Primitive::Drop => {
                let n = nat(0)?;
                Rc::new(move |f, col, depth| col.clone().drop_first(depth, n.len(f, origin)?))
            }
            Primitive::Split | Primitive::AsVector | Primitive::AsVectorAligned => {
                let n = nat(0)?;
                Rc::new(move |f, col, depth| col.clone().split(depth, n.len(f, origin)?))
            }
            Primitive::Join | Primitive::AsScalar => {
                Rc::new(move |f, col, depth| col.clone().join(depth, &f.meter))
            }
            Primitive::Transpose => Rc::new(move |_, col, depth| col.clone().transpose(depth)),
            Primitive::Slide => {
                let (sz, sp) = (nat(1)?, nat(2)?);
                Rc::new(move |f, col, depth| {
                    let (sz, sp) = (sz.len(f, origin)?, sp.len(f, origin)?);
                    col.clone().slide(depth, sz, sp)
                })
            }
            Primitive::Assume => {
                let m = nat(0)?;
                Rc::new(move |f, col, depth| {
                    let (expected, actual) = (m.eval(f, origin)?, col.dims[depth].len as i64);
                    if expected != actual {
                        return Err(ErrorKind::Length { expected, actual }.at(origin));
                    }
                    Ok(col.clone())
                })
            }
            Primitive::Cycle => {
                let m = nat(1)?;
                Rc::new(move |f, col, depth| {
                    let n = col.dims[depth].len.max(1);
                    let places: Vec<usize> = (0..m.len(f, origin)?).map(|at| at % n).collect();
                    col.at_places(depth, &places, &f.meter)
                })
            }
            Primitive::PadClamp => {
                let (l, r) = (nat(1)?, nat(2)?);
                Rc::new(move |f, col, depth| {
                    let (l, r) = (l.len(f, origin)?, r.len(f, origin)?);
                    let n = col.dims[depth].len;
                    let places: Vec<usize> = (0..l + n + r)
                        .map(|at| at.saturating_sub(l).min(n.saturating_sub(1)))
                        .collect();
                    col.at_places(depth, &places, &f.meter)
                })
            }
            _ => {
                return Err(malformed(
                    "expected a view such as `drop`, found another primitive",
                    origin,
                ));
            }
        })
    }

    /// Compiles the call of a primitive that only rearranges its last argument.
    pub(super) fn rearranged(
        &mut self,
        call: &Call,
        steps: &mut Vec<Step>,
    ) -> InterpResult<Operand> {
        let rearrange = self.rearrangement(call)?;
        let out = self.out(call, 0, steps)?;
        let view = self.part_view(call)?;
        Ok(self.apply_columns(out, &rearrange, view.as_ref(), call.origin))
    }

    /// Compiles `xs[i]`. A scalar element of a variable is loaded without an intermediate array.
    pub(super) fn idx(&mut self, call: &Call, steps: &mut Vec<Step>) -> InterpResult<Operand> {
        let index = self.index(call, 0, steps)?;
        let element = call.ty(0)?.clone();
        let xs = match self.out(call, 1, steps)? {
            xs @ (Operand::Slot(_) | Operand::Elem(..)) => xs,
            xs => {
                let array = Arc::new(Type::Array(call.nat(0)?.clone(), element.clone()));
                self.bound(xs, &array, steps)?
            }
        };
        self.element(xs, &index, &element, call.origin)
    }

    fn element(
        &mut self,
        xs: Operand,
        index: &Scalar,
        ty: &Ty,
        origin: Origin,
    ) -> InterpResult<Operand> {
        let (slot, mut indices) = match xs {
            Operand::Slot(slot) => (slot, Vec::new()),
            Operand::Elem(slot, indices, _) => (slot, indices),
            Operand::Pair(a, b) => {
                let (first, second) = super::halves(ty)
                    .ok_or_else(|| malformed("expected a pair, found another value", origin))?;
                return Ok(Operand::Pair(
                    Box::new(self.element(*a, index, &first, origin)?),
                    Box::new(self.element(*b, index, &second, origin)?),
                ));
            }
            Operand::Val(_) => return Err(malformed("an array is not in memory", origin)),
            Operand::Word(..) => {
                return Err(malformed("expected an array, found a scalar", origin));
            }
        };
        indices.push(index.clone());
        Ok(match scalar_kind(ty) {
            Some(kind) => Operand::Word(kind, Scalar::Load(slot, indices, origin)),
            None => Operand::Elem(slot, indices, origin),
        })
    }

    pub(super) fn make_array(
        &mut self,
        call: &Call,
        steps: &mut Vec<Step>,
    ) -> InterpResult<Operand> {
        let codes = self.codes(call, steps)?;
        let variants = self.optimized(|| optimized::make_array(&codes));
        let layout = self.layout(call.ty(0)?)?;
        let origin = call.origin;
        let one = Code::one(move |frame| {
            let n = codes.len();
            let mut target = Target::Pending;
            for (at, code) in codes.iter().enumerate() {
                let value = (code.one)(frame)?;
                target.put(n, at, &value, &frame.meter)?;
            }
            if n == 0 {
                target = Target::new(&layout.eval(frame, origin)?, 0, &frame.meter)?;
            }
            target.finish(&frame.meter)
        });
        Ok(Operand::Val(one.with(variants)))
    }

    pub(super) fn concat(&mut self, call: &Call, steps: &mut Vec<Step>) -> InterpResult<Operand> {
        let (a, b) = (self.code(call, 0, steps)?, self.code(call, 1, steps)?);
        let origin = call.origin;
        let variants = self.optimized(|| optimized::concat(&a, &b, origin));
        let (a, b) = (a.one, b.one);
        let one = Code::one(move |frame| {
            let parts = [Ok(a(frame)?), Ok(b(frame)?)];
            here(origin, chain(&parts, 0, &frame.meter))
        });
        Ok(Operand::Val(one.with(variants)))
    }

    pub(super) fn pad_cst(&mut self, call: &Call, steps: &mut Vec<Step>) -> InterpResult<Operand> {
        let (l, r) = (self.nat(call.nat(1)?), self.nat(call.nat(2)?));
        let (x, xs) = (self.code(call, 0, steps)?, self.code(call, 1, steps)?);
        let origin = call.origin;
        let sizes = (l.clone(), r.clone());
        let variants = self.optimized(|| optimized::pad_cst(&x, &xs, sizes, origin));
        let (x, xs) = (x.one, xs.one);
        let one = Code::one(move |frame| {
            let (l, r) = (l.len(frame, origin)?, r.len(frame, origin)?);
            let xs = xs(frame)?;
            if (l, r) == (0, 0) {
                return Ok(xs);
            }
            let x = x(frame)?;
            let meter = frame.meter.clone();
            let parts = [
                Ok(x.repeated(&[l], &meter)?),
                Ok(xs),
                Ok(x.repeated(&[r], &meter)?),
            ];
            here(origin, chain(&parts, 0, &meter))
        });
        Ok(Operand::Val(one.with(variants)))
    }

    pub(super) fn pad_empty(
        &mut self,
        call: &Call,
        steps: &mut Vec<Step>,
    ) -> InterpResult<Operand> {
        let r = self.nat(call.nat(1)?);
        let xs = self.code(call, 0, steps)?.one;
        let origin = call.origin;
        Ok(Operand::Val(Code::one(move |frame| {
            let parts = [Ok(xs(frame)?), Err(r.len(frame, origin)?)];
            here(origin, chain(&parts, 0, &frame.meter))
        })))
    }

    pub(super) fn gather(&mut self, call: &Call, steps: &mut Vec<Step>) -> InterpResult<Operand> {
        let (is, xs) = (self.code(call, 0, steps)?, self.code(call, 1, steps)?);
        let origin = call.origin;
        let variants = self.optimized(|| optimized::gather(&is, &xs, origin));
        let (is, xs) = (is.one, xs.one);
        let one = Code::one(move |frame| {
            let is = is(frame)?;
            let xs = xs(frame)?;
            let places = indices(is.col()?, xs.len()?, origin)?;
            let meter = frame.meter.clone();
            xs.columns(&mut |col| col.at_places(0, &places, &meter))
        });
        Ok(Operand::Val(one.with(variants)))
    }

    pub(super) fn scatter(&mut self, call: &Call, steps: &mut Vec<Step>) -> InterpResult<Operand> {
        let m = self.nat(call.nat(1)?);
        let parallel = self.parallel(call.arg(1)?).first() == Some(&true);
        let is = self.code(call, 0, steps)?.one;
        let xs = self.code(call, 1, steps)?.one;
        let origin = call.origin;
        Ok(Operand::Val(Code::one(move |frame| {
            let is = is(frame)?;
            let xs = xs(frame)?;
            let m = m.len(frame, origin)?;
            let places = indices(is.col()?, m, origin)?;
            let meter = frame.meter.clone();
            xs.columns(&mut |col| scattered(col, &places, m, parallel, &meter, origin))
        })))
    }

    pub(super) fn reorder(&mut self, call: &Call, steps: &mut Vec<Step>) -> InterpResult<Operand> {
        let xs = self.out(call, 0, steps)?;
        let n = self.nat(call.nat(0)?);
        let mut functions = call.types.iter().filter_map(|arg| match arg {
            Arg::SizeFun(fun) => Some(fun),
            _ => None,
        });
        let (Some(g), Some(h)) = (functions.next(), functions.next()) else {
            return Err(malformed("a function is missing", call.origin));
        };
        let (there, back) = (self.size_fun(g), self.size_fun(h));
        let (table, origin): (Table, _) = (Rc::default(), call.origin);
        let fixed = there.is_closed() && back.is_closed();
        let rearrange: Rearrange = Rc::new(move |frame, col, depth| {
            let n = n.eval(frame, origin)?;
            let known = table
                .borrow()
                .as_ref()
                .filter(|(at, _)| *at == n)
                .map(|(_, t)| t.clone());
            let places = match known {
                Some(places) => places,
                None => {
                    let places = permutation(frame, n, &there, &back, origin)?;
                    if fixed {
                        *table.borrow_mut() = Some((n, places.clone()));
                    }
                    places
                }
            };
            col.at_places(depth, &places, &frame.meter)
        });
        Ok(self.apply_columns(xs, &rearrange, None, call.origin))
    }

    /// Applies a rearrangement to a value that is an array, or to both components of a pair of
    /// arrays. `view` is the same rearrangement as code that reads parts of the array, if there is
    /// such code; the optimised variants use it.
    pub(super) fn apply_columns(
        &self,
        xs: Operand,
        rearrange: &Rearrange,
        view: Option<&ViewCode>,
        origin: Origin,
    ) -> Operand {
        if let Operand::Pair(a, b) = xs {
            return Operand::Pair(
                Box::new(self.apply_columns(*a, rearrange, view, origin)),
                Box::new(self.apply_columns(*b, rearrange, view, origin)),
            );
        }
        let (xs, again) = (xs.code(), rearrange.clone());
        let code = xs.one.clone();
        let one = Code::one(move |frame| {
            let value = code(frame)?;
            here(origin, value.columns(&mut |col| again(frame, col, 0)))
        });
        let variants = self.optimized(|| optimized::rearranged(&xs, rearrange, view, &one.one));
        Operand::Val(one.with(variants))
    }

    /// Compiles a function from sizes to sizes, with a slot for its parameter.
    pub(super) fn size_fun(&mut self, fun: &SizeFun) -> SizeCode {
        let (slot, var) = self.nat_slot();
        let body = match fun {
            SizeFun::Lambda(lambda) => lambda.apply(&Nat::var(var)),
            SizeFun::Var(name) => Nat::apply(*name, &Nat::var(var)),
        };
        let closed = !body.any_var(&|v| v != var);
        SizeCode {
            slot,
            body: self.nat(&body),
            closed,
        }
    }
}

/// A compiled function from sizes to sizes.
pub(super) struct SizeCode {
    slot: usize,
    body: NatCode,
    closed: bool,
}

impl SizeCode {
    pub fn at(&self, frame: &mut Frame<'_>, arg: i64, origin: Origin) -> InterpResult<i64> {
        frame.nats[self.slot] = arg;
        self.body.eval(frame, origin)
    }

    /// Returns true if the function does not depend on other sizes.
    fn is_closed(&self) -> bool {
        self.closed
    }
}

fn permutation(
    frame: &mut Frame<'_>,
    n: i64,
    there: &SizeCode,
    back: &SizeCode,
    origin: Origin,
) -> InterpResult<Rc<[usize]>> {
    let mut places = Vec::new();
    for index in 0..n {
        frame.tick(1)?;
        let place = there.at(frame, index, origin)?;
        if place < 0 || place >= n {
            return Err(ErrorKind::OutOfRange {
                index: place,
                bound: n,
            }
            .at(origin));
        }
        let again = back.at(frame, place, origin)?;
        if again != index {
            return Err(ErrorKind::NotInverse {
                index,
                there: place,
                back: again,
            }
            .at(origin));
        }
        places.push(place as usize);
    }
    Ok(places.into())
}

/// Reads indices, and checks that they are less than `bound`.
pub(crate) fn indices(is: &StridedArray, bound: usize, origin: Origin) -> InterpResult<Vec<usize>> {
    let mut places = Vec::new();
    for at in 0..is.len() {
        let index = i32::of(is.word(at, origin)?);
        match usize::try_from(index) {
            Ok(place) if place < bound => places.push(place),
            _ => {
                let (index, bound) = (i64::from(index), bound as i64);
                return Err(ErrorKind::OutOfRange { index, bound }.at(origin));
            }
        }
    }
    Ok(places)
}

fn scattered(
    col: &StridedArray,
    places: &[usize],
    m: usize,
    parallel: bool,
    meter: &Rc<MemoryMeter>,
    origin: Origin,
) -> InterpResult<StridedArray> {
    if places.len() != col.len() {
        return Err(ErrorKind::Length {
            expected: places.len() as i64,
            actual: col.len() as i64,
        }
        .at(origin));
    }
    let lens: Vec<usize> = ([m].into_iter())
        .chain(col.dims.iter().skip(1).map(|dim| dim.len))
        .collect();
    let mut area = ArrayBuilder::new(col.buf.data.cell(), lens.into_iter(), meter)?;
    area.uninit = Some(Box::new(UninitMask::all(area.data.len())));
    let (stride, dims) = (area.dims[0].stride, area.dims[1..].to_vec());
    let mut writers: Vec<Option<usize>> = vec![None; if parallel { m } else { 0 }];
    for (at, &place) in places.iter().enumerate() {
        let element = col.slice(0, at);
        if let Some(writer) = writers.get_mut(place)
            && let Some(earlier) = writer.replace(at)
            && !same(&element, &col.slice(0, earlier), origin)?
        {
            let index = place as i64;
            return Err(ErrorKind::Collision { index }.at(origin));
        }
        area.copy(place * stride, &dims, &element)?;
    }
    Ok(area.finish(meter))
}

/// Returns true if two arrays of scalars are equal bit by bit.
fn same(a: &StridedArray, b: &StridedArray, origin: Origin) -> InterpResult<bool> {
    if a.dims.is_empty() {
        return Ok(a.word_at(a.offset, origin)? == b.word_at(b.offset, origin)?);
    }
    for at in 0..a.len() {
        if !same(&a.slice(0, at), &b.slice(0, at), origin)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Concatenates values along the dimension at `depth`. `Err(n)` is a part of `n` elements that are
/// never written.
pub(crate) fn chain(
    parts: &[Result<Val, usize>],
    depth: usize,
    meter: &Rc<MemoryMeter>,
) -> InterpResult<Val> {
    let pairs = parts.iter().any(|part| matches!(part, Ok(Val::Pair(_))));
    if pairs {
        let half = |second| -> InterpResult<Val> {
            let halves: InterpResult<Vec<Result<Val, usize>>> = (parts.iter())
                .map(|part| match part {
                    Ok(value) => Ok(Ok(value.half(second)?)),
                    Err(len) => Ok(Err(*len)),
                })
                .collect();
            chain(&halves?, depth, meter)
        };
        return Ok(Val::pair(half(false)?, half(true)?));
    }
    let columns: InterpResult<Vec<Result<StridedArray, usize>>> = (parts.iter())
        .map(|part| match part {
            Ok(value) => Ok(Ok(value.col()?.clone())),
            Err(len) => Ok(Err(*len)),
        })
        .collect();
    Ok(Val::Array(StridedArray::chain(&columns?, depth, meter)?))
}
