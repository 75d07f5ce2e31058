//! Vectorised scalar operations: each one is a loop over many iterations.

use std::rc::Rc;

use rise::core::Origin;

use super::super::buffer::{Data, ElementRepr};
use super::super::compile::numbers::Operation;
use super::super::frame::{Frame, NatCode};
use super::super::kind::{
    Arith, Compare, Elem, Exact, Kind, Num, greater, lesser, reads, with_kind, with_number, writes,
};
use super::super::math::Math;
use super::super::scalar::{Branch, Scalar};
use super::super::strided::{Dim, Lane, StridedArray};
use super::batch;

/// Code that computes a scalar for each of the current iterations, or returns `None` if it cannot.
pub(crate) type LaneCode = Rc<dyn for<'a> Fn(&mut Frame<'a>) -> Option<Lane>>;

/// Compiles a branch, which is evaluated for all iterations unless the condition is the same in all
/// of them. Only calls of C functions are skipped in iterations that do not take it, because they
/// may not terminate.
fn branch(branch: &Branch) -> Option<LaneCode> {
    let value = code(&branch.value)?;
    if branch.steps.is_empty() {
        return Some(value);
    }
    let steps = batch::batch_steps(&branch.steps)?;
    Some(Rc::new(move |frame| {
        batch::run_steps(&steps, frame)?;
        value(frame)
    }))
}

fn all(scalars: &[Scalar]) -> Option<Vec<LaneCode>> {
    scalars.iter().map(code).collect()
}

/// Compiles an expression for many iterations; `None` if a part of it has no batched code.
pub(crate) fn code(scalar: &Scalar) -> Option<LaneCode> {
    Some(match scalar {
        Scalar::Const(word) => {
            let word = *word;
            Rc::new(move |_| Some(Lane::Same(word)))
        }
        Scalar::Slot(slot, guarded) => {
            let (slot, guarded) = (*slot, *guarded);
            Rc::new(move |frame| batch::word(frame, slot, guarded))
        }
        Scalar::Nat(..) => {
            let one = scalar.code();
            Rc::new(move |frame| one(frame).ok().map(Lane::Same))
        }
        Scalar::Unary(op, kind, a) => {
            let (op, a) = (*op, code(a)?);
            with_number!(*kind, T => Rc::new(move |frame| {
                unary::<T, T>(a(frame)?, |a| op.on(a))
            }), bool => return None)
        }
        Scalar::Not(a) => {
            let a = code(a)?;
            Rc::new(move |frame| unary::<bool, bool>(a(frame)?, |a| !a))
        }
        Scalar::Arith(op, kind, a, b, _) => {
            let (op, a, b) = (*op, code(a)?, code(b)?);
            with_number!(*kind, T => Rc::new(move |frame| {
                let left = a(frame)?;
                arith::<T>(op, left, b(frame)?, frame.chunk.iterations.total())
            }), bool => return None)
        }
        Scalar::Compare(op, kind, a, b) => {
            let (op, a, b) = (*op, code(a)?, code(b)?);
            with_kind!(*kind, T => Rc::new(move |frame| {
                let left = a(frame)?;
                compare::<T>(op, left, b(frame)?, frame.chunk.iterations.total())
            }))
        }
        Scalar::Select(kind, c, a, b) => select_code(*kind, code(c)?, branch(a)?, branch(b)?),
        Scalar::Cast(from, to, a) => {
            let (from, to, a) = (*from, *to, code(a)?);
            Rc::new(move |frame| cast(from, to, a(frame)?))
        }
        Scalar::Index(a, bound, origin) => index_code(code(a)?, bound.clone(), *origin),
        Scalar::Load(slot, args, _) => {
            let (slot, args) = (*slot, all(args)?);
            Rc::new(move |frame| {
                let indices: Option<Vec<Lane>> = args.iter().map(|code| code(frame)).collect();
                batch::load(frame, slot, &indices?)
            })
        }
        Scalar::Math(math, ..) if !math.is_uniform() => return None,
        Scalar::Math(math, kind, args) => math_lanes(*math, *kind, all(args)?),
        Scalar::Opaque(_, variants) => {
            let batch = variants.batch.clone()?;
            Rc::new(move |frame| batch(frame)?.lane(frame))
        }
    })
}

fn select_code(kind: Kind, condition: LaneCode, yes: LaneCode, no: LaneCode) -> LaneCode {
    Rc::new(move |frame| {
        let condition = condition(frame)?;
        if let Lane::Same(word) = condition {
            return if word != 0 { yes(frame) } else { no(frame) };
        }
        let left = taken(frame, &condition, true, &yes)?;
        let right = taken(frame, &condition, false, &no)?;
        select(kind, condition, left, right, frame.chunk.iterations.total())
    })
}

/// Evaluates a branch for all iterations. The iterations in which the condition has the value
/// `needs` are those that take the branch.
fn taken(frame: &mut Frame<'_>, condition: &Lane, needs: bool, code: &LaneCode) -> Option<Lane> {
    let Lane::Each(data) = condition else {
        return None;
    };
    let mask = bool::slice(data)?.iter().map(|value| *value == needs);
    frame.chunk.masks.push(mask.collect());
    let lane = code(frame);
    frame.chunk.masks.pop();
    lane
}

fn index_code(code: LaneCode, bound: NatCode, origin: Origin) -> LaneCode {
    Rc::new(move |frame| {
        let lane = code(frame)?;
        let bound = bound.eval(frame, origin).ok()?;
        let fits = |index: i32| index >= 0 && i64::from(index) < bound;
        let all = match &lane {
            Lane::Same(word) => fits(i32::of(*word)),
            Lane::Each(data) => i32::slice(data)?.iter().all(|index| fits(*index)),
        };
        all.then_some(lane)
    })
}

fn unary<S: Elem, T: Elem>(lane: Lane, f: impl Fn(S) -> T) -> Option<Lane> {
    Some(match lane {
        Lane::Same(word) => Lane::Same(f(S::of(word)).word()),
        Lane::Each(data) => {
            let values = S::slice(&data)?;
            Lane::Each(T::wrap(values.iter().map(|value| f(*value)).collect()))
        }
    })
}

fn cast(from: Kind, to: Kind, lane: Lane) -> Option<Lane> {
    let values: Vec<Exact> = match lane {
        Lane::Same(word) => return Some(Lane::Same(writes(to)(reads(from)(word)))),
        Lane::Each(data) => with_kind!(from, S => {
            S::slice(&data)?.iter().map(|value| value.exact()).collect()
        }),
    };
    Some(Lane::Each(with_kind!(to, T => {
        T::wrap(values.into_iter().map(T::cast).collect())
    })))
}

/// Applies an operation to two lanes. If a lane has a value for each iteration, its memory is
/// reused for the result.
fn binary<T: Elem>(a: Lane, b: Lane, f: impl Fn(T, T) -> T) -> Option<Lane> {
    match (a, b) {
        (Lane::Same(a), Lane::Same(b)) => Some(Lane::Same(f(T::of(a), T::of(b)).word())),
        (Lane::Each(mut a), Lane::Same(b)) => {
            let b = T::of(b);
            T::vec_mut(&mut a)?.iter_mut().for_each(|x| *x = f(*x, b));
            Some(Lane::Each(a))
        }
        (Lane::Same(a), Lane::Each(mut b)) => {
            let a = T::of(a);
            T::vec_mut(&mut b)?.iter_mut().for_each(|x| *x = f(a, *x));
            Some(Lane::Each(b))
        }
        (Lane::Each(mut a), Lane::Each(b)) => {
            let right = T::slice(&b)?;
            let left = T::vec_mut(&mut a)?;
            left.iter_mut().zip(right).for_each(|(x, y)| *x = f(*x, *y));
            Some(Lane::Each(a))
        }
    }
}

fn arith<T: Num>(op: Arith, a: Lane, b: Lane, n: usize) -> Option<Lane> {
    match op {
        Arith::Add => binary::<T>(a, b, |a, b| a.add(b)),
        Arith::Sub => binary::<T>(a, b, |a, b| a.sub(b)),
        Arith::Mul => binary::<T>(a, b, |a, b| a.mul(b)),
        Arith::Min => binary::<T>(a, b, lesser),
        Arith::Max => binary::<T>(a, b, greater),
        Arith::Div | Arith::Mod => {
            let (a, b) = (a.spread::<T>(n)?, b.spread::<T>(n)?);
            let all: Option<Vec<T>> = (a.iter().zip(&b)).map(|(a, b)| op.on(*a, *b)).collect();
            Some(Lane::Each(T::wrap(all?)))
        }
    }
}

fn compare<T: Elem>(op: Compare, a: Lane, b: Lane, n: usize) -> Option<Lane> {
    fn with<T: Elem>(a: &[T], b: &[T], f: impl Fn(T, T) -> bool) -> Lane {
        Lane::Each(Data::Bool(
            a.iter().zip(b).map(|(a, b)| f(*a, *b)).collect(),
        ))
    }
    let (a, b) = (a.spread::<T>(n)?, b.spread::<T>(n)?);
    Some(match op {
        Compare::Gt => with(&a, &b, |a, b| a > b),
        Compare::Lt => with(&a, &b, |a, b| a < b),
        Compare::Ge => with(&a, &b, |a, b| a >= b),
        Compare::Le => with(&a, &b, |a, b| a <= b),
        Compare::Equal => with(&a, &b, |a, b| a == b),
        Compare::NotEqual => with(&a, &b, |a, b| a != b),
    })
}

fn select(kind: Kind, condition: Lane, a: Lane, b: Lane, n: usize) -> Option<Lane> {
    let condition = condition.spread::<bool>(n)?;
    with_kind!(kind, T => {
        let (a, b) = (a.spread::<T>(n)?, b.spread::<T>(n)?);
        let pairs = a.iter().zip(&b).zip(&condition);
        let chosen = pairs.map(|((a, b), c)| if *c { *a } else { *b }).collect();
        Some(Lane::Each(T::wrap(chosen)))
    })
}

fn math_lanes(math: Math, kind: Kind, args: Vec<LaneCode>) -> LaneCode {
    Rc::new(move |frame| {
        let n = frame.chunk.iterations.total();
        let lanes: Option<Vec<Lane>> = args.iter().map(|code| code(frame)).collect();
        math_on(math, kind, lanes?, n)
    })
}

/// Applies a function of `<math.h>` to each of `n` elements of its arguments.
fn math_on(math: Math, kind: Kind, lanes: Vec<Lane>, n: usize) -> Option<Lane> {
    fn all<T: Elem>(lanes: Vec<Lane>, n: usize, f: impl Fn([T; 3]) -> T) -> Option<Lane> {
        let lanes: Option<Vec<Vec<T>>> = lanes.into_iter().map(|lane| lane.spread(n)).collect();
        let lanes = lanes?;
        let result = |at| {
            let mut args = [T::default(); 3];
            for (arg, lane) in args.iter_mut().zip(&lanes) {
                *arg = *lane.get(at)?;
            }
            Some(f(args))
        };
        let results: Option<Vec<T>> = (0..n).map(result).collect();
        Some(Lane::Each(T::wrap(results?)))
    }
    match kind {
        Kind::F32 => all::<f32>(lanes, n, |args| math.on32(args)),
        Kind::F64 => all::<f64>(lanes, n, |args| math.on64(args)),
        _ => all::<half::f16>(lanes, n, |args| {
            half::f16::of(math.call(Kind::F16, args.map(|arg| arg.word())))
        }),
    }
}

/// Calls `visit` with the offset of each element.
pub(crate) fn for_each_place(dims: &[Dim], offset: usize, visit: &mut dyn FnMut(usize)) {
    match dims.split_first() {
        None => visit(offset),
        Some((dim, inner)) => {
            for at in 0..dim.len {
                for_each_place(inner, offset + at * dim.stride, visit);
            }
        }
    }
}

/// Returns the elements of an array of scalars in order; `None` if one has no value.
pub(crate) fn of_col(col: &StridedArray) -> Option<Lane> {
    let ElementRepr::Scalar(kind) = col.buf.data.cell() else {
        return None;
    };
    if let Some(uninit) = &col.buf.uninit {
        let mut missing = false;
        for_each_place(&col.dims, col.offset, &mut |place| {
            missing |= uninit.has(place);
        });
        if missing {
            return None;
        }
    }
    if col.dims.iter().all(|dim| dim.stride == 0 || dim.len == 1) {
        return Some(Lane::Same(col.buf.data.word(col.offset)?));
    }
    with_kind!(kind, T => {
        let values = T::slice(&col.buf.data)?;
        let count = col.dims.iter().map(|dim| dim.len).product();
        let mut out = Vec::with_capacity(count);
        collect(values, col.offset, &col.dims, &mut out)?;
        Some(Lane::Each(T::wrap(out)))
    })
}

fn collect<T: Elem>(values: &[T], at: usize, dims: &[Dim], out: &mut Vec<T>) -> Option<()> {
    match dims {
        [] => out.push(*values.get(at)?),
        [Dim { len: 0, .. }] => {}
        [Dim { len, stride: 0 }] => out.resize(out.len() + len, *values.get(at)?),
        [Dim { len, stride: 1 }] => out.extend_from_slice(values.get(at..at + len)?),
        [Dim { len, stride }] => {
            let row = values.get(at..=at + (len - 1) * stride)?;
            out.extend(row.iter().step_by(*stride));
        }
        [dim, inner @ ..] => {
            for index in 0..dim.len {
                collect(values, at + index * dim.stride, inner, out)?;
            }
        }
    }
    Some(())
}

/// Repeats each element `times` times.
pub(crate) fn each_repeated(lane: &Lane, times: usize) -> Option<Lane> {
    let Lane::Each(data) = lane else {
        return Some(lane.clone());
    };
    let ElementRepr::Scalar(kind) = data.cell() else {
        return None;
    };
    with_kind!(kind, T => {
        let values = T::slice(data)?;
        let mut out = Vec::with_capacity(values.len() * times);
        for value in values {
            out.resize(out.len() + times, *value);
        }
        Some(Lane::Each(T::wrap(out)))
    })
}

/// Applies an operation to each of `n` elements of its operands.
pub(crate) fn on(op: Operation, kind: Kind, operands: &[Lane], n: usize) -> Option<Lane> {
    match (op, operands) {
        (Operation::Unary(op), [a]) => {
            with_number!(kind, T => unary::<T, T>(a.clone(), |a| op.on(a)), bool => None)
        }
        (Operation::Arith(op), [a, b]) => {
            with_number!(kind, T => arith::<T>(op, a.clone(), b.clone(), n), bool => None)
        }
        (Operation::Math(math), all) => math_on(math, kind, all.to_vec(), n),
        _ => None,
    }
}
