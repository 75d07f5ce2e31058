//! Scalar functions over many elements at once: each operation is one loop over a chunk.
//!
//! Nothing is decided here: where an operation has no value for one of the elements, the chunk
//! is given up, and done again element by element, which says what failed and where.

use std::rc::Rc;

use super::block::{Bind, Block, Exec, Step};
use super::col::{Col, Lane};
use super::data::{Cells, Data};
use super::frame::Frame;
use super::kind::{
    Arith, Compare, Elem, Exact, Kind, Num, Word, reads, with_kind, with_number, writes,
};
use super::math::Math;
use super::scalar::{Branch, Scalar, checked_index, slot_col};
use super::val::{Target, Val};

/// Elements of a chunk.
pub(crate) const CHUNK: usize = 1024;
/// Elements below which it is not worth it.
pub(crate) const WORTH: usize = 6;

/// Code that computes a scalar for each of some iterations, if it can.
type LaneCode = Rc<dyn for<'a> Fn(&mut Frame<'a>, usize) -> Option<Lane>>;

/// A function on scalars, for many elements.
#[derive(Clone)]
pub(crate) struct Batch {
    steps: Vec<(usize, LaneCode)>,
    result: Lanes,
}

#[derive(Clone)]
enum Lanes {
    One(LaneCode),
    Pair(Box<Lanes>, Box<Lanes>),
}

/// Compiles, knowing which slots differ between iterations.
struct Batcher {
    each: Vec<usize>,
}

/// The scalars of a variable.
fn word_slots(bind: &Bind, out: &mut Vec<usize>) {
    match bind {
        Bind::Word(_, slot, _) => out.push(*slot),
        Bind::Val(_) => {}
        Bind::Pair(a, b) => {
            word_slots(a, out);
            word_slots(b, out);
        }
    }
}

/// Gives a variable the elements of `array` from `start` on, for `n` iterations.
fn load(bind: &Bind, frame: &mut Frame<'_>, array: &Val, start: usize, n: usize) -> Option<()> {
    match (bind, array) {
        (Bind::Word(_, slot, _), Val::Col(col)) => {
            frame.lanes[*slot] = Some(col.lanes(start..start + n)?);
        }
        (Bind::Val(_), _) => {}
        (Bind::Pair(a, b), Val::Pair(pair)) => {
            load(a, frame, &pair.0, start, n)?;
            load(b, frame, &pair.1, start, n)?;
        }
        _ => return None,
    }
    Some(())
}

impl Batch {
    /// The batched code of a function, if it is one on scalars.
    pub fn of(block: &Block, param: &Bind) -> Option<Batch> {
        let mut batcher = Batcher { each: Vec::new() };
        word_slots(param, &mut batcher.each);
        let steps = batcher.steps(&block.steps)?;
        let result = batcher.lanes(&block.exec)?;
        Some(Batch { steps, result })
    }

    /// The batched code of an expression in a function.
    pub fn of_scalar(steps: &[Step], value: &Scalar, param: &Bind) -> Option<Batch> {
        let mut batcher = Batcher { each: Vec::new() };
        word_slots(param, &mut batcher.each);
        let steps = batcher.steps(steps)?;
        let result = Lanes::One(batcher.scalar(value)?);
        Some(Batch { steps, result })
    }

    fn prepare(&self, frame: &mut Frame<'_>, n: usize) -> Option<()> {
        for (slot, code) in &self.steps {
            let lane = code(frame, n)?;
            frame.lanes[*slot] = Some(lane);
        }
        Some(())
    }

    /// Writes the results for the elements of `array` from `start` on, as those of `target`.
    pub fn map(
        &self,
        frame: &mut Frame<'_>,
        param: &Bind,
        array: &Val,
        start: usize,
        n: usize,
        target: &mut Target,
    ) -> Option<()> {
        load(param, frame, array, start, n)?;
        self.prepare(frame, n)?;
        self.result.write(frame, start, n, target)
    }

    /// The results for the elements of `array` from `start` on, which are single scalars.
    pub fn lane(
        &self,
        frame: &mut Frame<'_>,
        param: &Bind,
        array: &Val,
        start: usize,
        n: usize,
    ) -> Option<Lane> {
        load(param, frame, array, start, n)?;
        self.prepare(frame, n)?;
        match &self.result {
            Lanes::One(code) => code(frame, n),
            Lanes::Pair(..) => None,
        }
    }

    /// Writes the results for the indices from `start` on.
    pub fn generate(
        &self,
        frame: &mut Frame<'_>,
        slot: usize,
        start: usize,
        n: usize,
        target: &mut Target,
    ) -> Option<()> {
        let first = i32::try_from(start).ok()?;
        let end = first.checked_add(i32::try_from(n).ok()?)?;
        frame.lanes[slot] = Some(Lane::Each(Data::I32((first..end).collect())));
        self.prepare(frame, n)?;
        self.result.write(frame, start, n, target)
    }
}

impl Lanes {
    fn write(
        &self,
        frame: &mut Frame<'_>,
        start: usize,
        n: usize,
        target: &mut Target,
    ) -> Option<()> {
        match (self, target) {
            (Lanes::One(code), Target::Area { area, .. }) => {
                let lane = code(frame, n)?;
                area.set_lane(start, n, &lane).then_some(())
            }
            (Lanes::Pair(a, b), Target::Pair(first, second)) => {
                a.write(frame, start, n, first)?;
                b.write(frame, start, n, second)
            }
            _ => None,
        }
    }
}

impl Batcher {
    fn steps(&mut self, steps: &[Step]) -> Option<Vec<(usize, LaneCode)>> {
        let mut out = Vec::new();
        for step in steps {
            let Step::Word { slot, value, .. } = step else {
                return None;
            };
            out.push((*slot, self.scalar(value)?));
            self.each.push(*slot);
        }
        Some(out)
    }

    fn lanes(&mut self, exec: &Exec) -> Option<Lanes> {
        Some(match exec {
            Exec::Word(_, scalar, _) => Lanes::One(self.scalar(scalar)?),
            Exec::Val(_) => return None,
            Exec::Pair(a, b) => Lanes::Pair(Box::new(self.lanes(a)?), Box::new(self.lanes(b)?)),
        })
    }

    /// A branch is computed for every element, also where it is not needed.
    fn branch(&mut self, branch: &Branch) -> Option<LaneCode> {
        let steps = self.steps(&branch.steps)?;
        let value = self.scalar(&branch.value)?;
        if steps.is_empty() {
            return Some(value);
        }
        Some(Rc::new(move |frame, n| {
            for (slot, code) in &steps {
                let lane = code(frame, n)?;
                frame.lanes[*slot] = Some(lane);
            }
            value(frame, n)
        }))
    }

    fn all(&mut self, scalars: &[Scalar]) -> Option<Vec<LaneCode>> {
        scalars.iter().map(|scalar| self.scalar(scalar)).collect()
    }

    fn scalar(&mut self, scalar: &Scalar) -> Option<LaneCode> {
        Some(match scalar {
            Scalar::Const(word) => {
                let word = *word;
                Rc::new(move |_, _| Some(Lane::Same(word)))
            }
            Scalar::Slot(slot, guarded) => self.slot(*slot, *guarded),
            Scalar::Nat(..) => {
                let code = scalar.code();
                Rc::new(move |frame, _| code(frame).ok().map(Lane::Same))
            }
            Scalar::Neg(kind, a) => {
                let a = self.scalar(a)?;
                with_number!(*kind, T => Rc::new(move |frame, n| {
                    unary::<T, T>(a(frame, n)?, Num::neg)
                }), bool => return None)
            }
            Scalar::Not(a) => {
                let a = self.scalar(a)?;
                Rc::new(move |frame, n| unary::<bool, bool>(a(frame, n)?, |a| !a))
            }
            Scalar::Arith(op, kind, a, b, _) => {
                let (op, a, b) = (*op, self.scalar(a)?, self.scalar(b)?);
                with_number!(*kind, T => Rc::new(move |frame, n| {
                    let left = a(frame, n)?;
                    arith::<T>(op, left, b(frame, n)?, n)
                }), bool => return None)
            }
            Scalar::Compare(op, kind, a, b) => {
                let (op, a, b) = (*op, self.scalar(a)?, self.scalar(b)?);
                with_kind!(*kind, T => Rc::new(move |frame, n| {
                    let left = a(frame, n)?;
                    compare::<T>(op, left, b(frame, n)?, n)
                }))
            }
            Scalar::Select(kind, c, a, b) => {
                let (kind, c) = (*kind, self.scalar(c)?);
                let (a, b) = (self.branch(a)?, self.branch(b)?);
                Rc::new(move |frame, n| {
                    let condition = c(frame, n)?;
                    if let Lane::Same(word) = condition {
                        return if word != 0 { a(frame, n) } else { b(frame, n) };
                    }
                    let left = a(frame, n)?;
                    select(kind, condition, left, b(frame, n)?, n)
                })
            }
            Scalar::Cast(from, to, a) => {
                let (from, to, a) = (*from, *to, self.scalar(a)?);
                Rc::new(move |frame, n| cast(from, to, a(frame, n)?))
            }
            Scalar::Index(a, bound, origin) => {
                let (a, bound, origin) = (self.scalar(a)?, bound.clone(), *origin);
                Rc::new(move |frame, n| {
                    let lane = a(frame, n)?;
                    let bound = bound.eval(frame, origin).ok()?;
                    let fits = |index: i32| index >= 0 && i64::from(index) < bound;
                    let all = match &lane {
                        Lane::Same(word) => fits(i32::of(*word)),
                        Lane::Each(data) => i32::slice(data)?.iter().all(|index| fits(*index)),
                    };
                    all.then_some(lane)
                })
            }
            Scalar::Load(slot, args, origin) => {
                let (slot, args, origin) = (*slot, self.all(args)?, *origin);
                Rc::new(move |frame, n| {
                    let indices: Option<Vec<Lane>> =
                        args.iter().map(|code| code(frame, n)).collect();
                    let col = slot_col(frame, slot, origin).ok()?;
                    gather(col, &indices?, n, origin)
                })
            }
            Scalar::Math(math, kind, args) => math_lanes(*math, *kind, self.all(args)?),
            Scalar::Opaque(_) => return None,
        })
    }

    fn slot(&self, slot: usize, guarded: bool) -> LaneCode {
        if self.each.contains(&slot) {
            return Rc::new(move |frame, _| frame.lanes[slot].clone());
        }
        Rc::new(move |frame, _| {
            if guarded && frame.failed[slot].is_some() {
                return None;
            }
            Some(Lane::Same(frame.words[slot]))
        })
    }
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

/// One operation on two lanes, in the memory of one of them.
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

/// Elements of an array, at an index for each of its dimensions.
fn gather(col: &Col, indices: &[Lane], n: usize, origin: rise::core::Origin) -> Option<Lane> {
    if indices.len() != col.dims.len() {
        return None;
    }
    let mut fixed = col.offset;
    let mut places: Option<Vec<usize>> = None;
    for (lane, dim) in indices.iter().zip(&col.dims) {
        match lane {
            Lane::Same(word) => {
                fixed += checked_index(*word, dim.len, origin).ok()? * dim.stride;
            }
            Lane::Each(data) => {
                let all = places.get_or_insert_with(|| vec![0; n]);
                for (place, index) in all.iter_mut().zip(i32::slice(data)?) {
                    let index = usize::try_from(*index).ok().filter(|at| *at < dim.len)?;
                    *place += index * dim.stride;
                }
            }
        }
    }
    let Some(mut places) = places else {
        return col.word_at(fixed, origin).ok().map(Lane::Same);
    };
    places.iter_mut().for_each(|place| *place += fixed);
    if let Some(holes) = &col.buf.holes
        && places.iter().any(|place| holes.has(*place))
    {
        return None;
    }
    let Cells::Scalar(kind) = col.buf.data.cell() else {
        return None;
    };
    with_kind!(kind, T => {
        let values = T::slice(&col.buf.data)?;
        let all: Option<Vec<T>> = places.iter().map(|place| values.get(*place).copied()).collect();
        Some(Lane::Each(T::wrap(all?)))
    })
}

fn math_lanes(math: Math, kind: Kind, args: Vec<LaneCode>) -> LaneCode {
    fn all<T: Elem>(lanes: Vec<Lane>, n: usize, f: impl Fn([T; 3]) -> T) -> Option<Lane> {
        let lanes: Option<Vec<Vec<T>>> = lanes.into_iter().map(|lane| lane.spread(n)).collect();
        let lanes = lanes?;
        let value = |arg: usize, at: usize| {
            lanes
                .get(arg)
                .and_then(|lane: &Vec<T>| lane.get(at))
                .copied()
                .unwrap_or_default()
        };
        Some(Lane::Each(T::wrap(
            (0..n)
                .map(|at| f([value(0, at), value(1, at), value(2, at)]))
                .collect(),
        )))
    }
    Rc::new(move |frame, n| {
        let lanes: Option<Vec<Lane>> = args.iter().map(|code| code(frame, n)).collect();
        match kind {
            Kind::F32 => all::<f32>(lanes?, n, |args| math.on32(args)),
            Kind::F64 => all::<f64>(lanes?, n, |args| math.on64(args)),
            _ => all::<half::f16>(lanes?, n, |args| {
                half::f16::of(math.call(Kind::F16, args.map(|arg| arg.word())))
            }),
        }
    })
}

/// A reduction's function that combines the accumulator with something that does not need it.
#[derive(Clone)]
pub(crate) struct Fold {
    op: Arith,
    kind: Kind,
    /// Whether the accumulator is the left operand.
    left: bool,
    other: Batch,
}

impl Fold {
    /// If the function is one.
    pub fn of(block: &Block, acc: &Bind, param: &Bind) -> Option<Fold> {
        let (Bind::Word(_, slot, _), Exec::Word(_, Scalar::Arith(op, kind, a, b, _), _)) =
            (acc, &block.exec)
        else {
            return None;
        };
        let is_acc = |scalar: &Scalar| matches!(scalar, Scalar::Slot(other, _) if other == slot);
        let (left, other) = match (is_acc(a), is_acc(b)) {
            (true, false) => (true, b),
            (false, true) => (false, a),
            _ => return None,
        };
        if matches!(op, Arith::Div | Arith::Mod)
            || other.mentions(*slot)
            || block.steps.iter().any(|step| step.mentions(*slot))
        {
            return None;
        }
        Some(Fold {
            op: *op,
            kind: *kind,
            left,
            other: Batch::of_scalar(&block.steps, other, param)?,
        })
    }

    /// The accumulator after the elements from `start` on.
    pub fn run(
        &self,
        frame: &mut Frame<'_>,
        param: &Bind,
        array: &Val,
        start: usize,
        n: usize,
        acc: Word,
    ) -> Option<Word> {
        let lane = self.other.lane(frame, param, array, start, n)?;
        with_number!(self.kind, T => {
            let values = lane.spread::<T>(n)?;
            let acc = T::of(acc);
            Some(match (self.op, self.left) {
                (Arith::Add, true) => values.iter().fold(acc, |acc, x| acc.add(*x)),
                (Arith::Mul, true) => values.iter().fold(acc, |acc, x| acc.mul(*x)),
                (op, true) => values.iter().try_fold(acc, |acc, x| op.on(acc, *x))?,
                (op, false) => values.iter().try_fold(acc, |acc, x| op.on(*x, acc))?,
            }.word())
        }, bool => None)
    }
}
