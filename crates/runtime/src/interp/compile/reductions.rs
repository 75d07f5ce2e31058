//! Compiles reductions, scans, `iterate`, `circularBuffer` and `rotateValues`.

use std::rc::Rc;

use nat::Nat;
use rise::Primitive;
use rise::core::Origin;
use rise::types::{Arg, Type};

use super::super::block::{Block, Code, Operand, Step, ValCode, VarSlots};
use super::super::error::{ErrorKind, InterpResult};
use super::super::frame::{Frame, NatCode};
use super::super::optimized::{self, Elements, Fold, elements};
use super::super::scalar::{Scalar, WordCode};
use super::super::val::{Target, Val};
use super::{Call, Compiler, StaticValue, here, malformed, scalar_kind};

/// The loop of a reduction.
pub(crate) struct Reduction {
    pub acc: VarSlots,
    pub param: VarSlots,
    pub block: Block,
    fold: Option<Fold>,
    pub origin: Origin,
}

impl Reduction {
    /// Runs the loop from the initial value in the accumulator, and leaves the result there.
    fn run(&self, frame: &mut Frame<'_>, xs: &mut Elements) -> InterpResult<()> {
        let n = here(self.origin, xs.len())?;
        match &self.fold {
            Some(fold) => fold.run(self, frame, xs, n),
            None => (0..n).try_for_each(|at| {
                frame.tick(1)?;
                self.element(frame, xs, at)
            }),
        }
    }

    /// Combines the accumulator with the element at `at`.
    pub fn element(&self, frame: &mut Frame<'_>, xs: &mut Elements, at: usize) -> InterpResult<()> {
        here(self.origin, xs.bind(frame, &self.param, at, self.origin))?;
        self.block.bind(frame, &self.acc)
    }
}

impl Compiler {
    /// Compiles a reduction. All variants combine the elements from the first to the last, starting
    /// with the initial value, and pass the accumulator before the element.
    pub(super) fn reduce(&mut self, call: &Call, steps: &mut Vec<Step>) -> InterpResult<Operand> {
        let element = call.ty(0)?.clone();
        let result = match call.primitive {
            Primitive::Reduce | Primitive::ReducePar => element.clone(),
            _ => call.ty(1)?.clone(),
        };
        let f = self.fun(call, 0, steps)?;
        let init = self.code(call, 1, steps)?;
        let xs = self.code(call, 2, steps)?;
        let acc = self.slots_for(&result, false)?;
        let param = self.slots_for(&element, false)?;
        let block = self.block(|c, steps| c.apply_data(&f, &[acc.out(), param.out()], steps))?;
        let reduction = Reduction {
            fold: self.optimized(|| Fold::of(&block, &acc)),
            acc: acc.clone(),
            param,
            block,
            origin: call.origin,
        };
        let variants = self.optimized(|| optimized::reduce(&reduction, &init, &xs));
        let (init, xs) = (init.one, elements(&xs));
        if let VarSlots::Word(kind, slot, _) = acc {
            let code: WordCode = Rc::new(move |frame| {
                let first = init(frame)?.word()?;
                let mut xs = xs(frame)?;
                frame.words[slot] = first;
                reduction.run(frame, &mut xs)?;
                Ok(frame.words[slot])
            });
            return Ok(Operand::Word(kind, Scalar::Opaque(code, variants)));
        }
        let read: ValCode = acc.out().code().one;
        let one = Code::one(move |frame| {
            let first = init(frame)?;
            let mut xs = xs(frame)?;
            acc.set(frame, &first)?;
            reduction.run(frame, &mut xs)?;
            read(frame)
        });
        Ok(Operand::Val(one.with(variants)))
    }

    /// Compiles a scan, whose function takes the element before the accumulator.
    pub(super) fn scan(&mut self, call: &Call, steps: &mut Vec<Step>) -> InterpResult<Operand> {
        let (element, result) = (call.ty(0)?.clone(), call.ty(1)?.clone());
        let f = self.fun(call, 0, steps)?;
        let init = self.code(call, 1, steps)?.one;
        let xs = elements(&self.code(call, 2, steps)?);
        let acc = self.slots_for(&result, false)?;
        let param = self.slots_for(&element, false)?;
        let block = self.block(|c, steps| c.apply_data(&f, &[param.out(), acc.out()], steps))?;
        let layout = self.layout(&result)?;
        let origin = call.origin;
        Ok(Operand::Val(Code::one(move |frame| {
            let first = init(frame)?;
            let mut xs = xs(frame)?;
            let n = here(origin, xs.len())?;
            let mut target = Target::new(&layout.eval(frame, origin)?, n, &frame.meter)?;
            acc.set(frame, &first)?;
            for at in 0..n {
                frame.tick(1)?;
                xs.bind(frame, &param, at, origin)?;
                let value = block.val(frame)?;
                acc.set(frame, &value)?;
                target.put(n, at, &value, &frame.meter)?;
            }
            target.finish(&frame.meter)
        })))
    }

    pub(super) fn iterate(&mut self, call: &Call, steps: &mut Vec<Step>) -> InterpResult<Operand> {
        let (n, m, k) = (call.nat(0)?, call.nat(1)?, call.nat(2)?);
        let sizes = IterateSizes {
            n: self.nat(n),
            m: self.nat(m),
            k: self.nat(k),
        };
        let element = call.ty(0)?.clone();
        let f = self.fun(call, 0, steps)?;
        let xs = self.code(call, 1, steps)?;
        let (slot, length) = self.nat_slot();
        let array = std::sync::Arc::new(Type::Array(Nat::var(length), element));
        let param = self.slots_for(&array, false)?;
        let origin = call.origin;
        let block = self.block(|c, steps| {
            let arg = Arg::Nat(Nat::var(length));
            match c.dep_apply(&f, arg, origin, steps)? {
                StaticValue::Function(f) => c.apply_data(&f, &[param.out()], steps),
                StaticValue::Data(_) => Err(malformed("expected a function, found data", origin)),
            }
        })?;
        let variants =
            self.optimized(|| optimized::iterate(&block, &xs, &param, slot, &sizes, origin));
        let xs = xs.one;
        let one = Code::one(move |frame| {
            let mut value = xs(frame)?;
            let rounds = sizes.eval(frame, origin)?;
            for round in 0..rounds.k {
                frame.tick(1)?;
                frame.nats[slot] = rounds.length(round, origin)?;
                param.set(frame, &value)?;
                value = block.val(frame)?;
            }
            Ok(value)
        });
        Ok(Operand::Val(one.with(variants)))
    }

    /// Compiles `repeat` or `repeatInPlace`.
    pub(super) fn repeat(&mut self, call: &Call, steps: &mut Vec<Step>) -> InterpResult<Operand> {
        let rounds = self.nat(call.nat(0)?);
        let ty = call.ty(0)?.clone();
        let f = self.fun(call, 0, steps)?;
        let init = self.code(call, 1, steps)?;
        let param = self.slots_for(&ty, false)?;
        let block = self.block(|c, steps| c.apply_data(&f, &[param.out()], steps))?;
        let origin = call.origin;
        let variants = self.optimized(|| optimized::repeat(&block, &init, &param, &rounds, origin));
        let init = init.one;
        let one = Code::one(move |frame| {
            let mut value = init(frame)?;
            for _ in 0..rounds.eval(frame, origin)? {
                frame.tick(1)?;
                param.set(frame, &value)?;
                value = block.val(frame)?;
            }
            Ok(value)
        });
        Ok(self.computed(&ty, one.with(variants)))
    }

    /// Compiles `repeatWhile`, whose condition precedes its function.
    pub(super) fn repeat_while(
        &mut self,
        call: &Call,
        steps: &mut Vec<Step>,
    ) -> InterpResult<Operand> {
        let limit = call.nat(0)?.clone();
        let ty = call.ty(0)?.clone();
        let condition = self.fun(call, 0, steps)?;
        let f = self.fun(call, 1, steps)?;
        let init = self.code(call, 2, steps)?.one;
        let param = self.slots_for(&ty, false)?;
        let holds = self.block(|c, steps| c.apply_data(&condition, &[param.out()], steps))?;
        let block = self.block(|c, steps| c.apply_data(&f, &[param.out()], steps))?;
        let index = Type::Index(&limit + &Nat::ONE);
        let kind = scalar_kind(&index)
            .ok_or_else(|| malformed("the number of rounds is no scalar", call.origin))?;
        let (limit, origin) = (self.nat(&limit), call.origin);
        let result = std::sync::Arc::new(Type::Pair(index.into(), ty));
        let code = Code::one(move |frame| {
            let mut value = init(frame)?;
            let mut rounds = 0;
            for _ in 0..limit.eval(frame, origin)? {
                frame.tick(1)?;
                param.set(frame, &value)?;
                if holds.val(frame)?.word()? == 0 {
                    break;
                }
                value = block.val(frame)?;
                rounds += 1;
            }
            Ok(Val::pair(Val::Word(kind, rounds), value))
        });
        Ok(self.computed(&result, code))
    }

    /// Compiles `circularBuffer` and `rotateValues`: a map, followed by sliding windows.
    pub(super) fn windows(&mut self, call: &Call, steps: &mut Vec<Step>) -> InterpResult<Operand> {
        let rotates = call.primitive == Primitive::RotateValues;
        let sz = self.nat(call.nat(if rotates { 1 } else { 2 })?);
        let f = self.fun(call, 0, steps)?;
        let xs = self.code(call, 1, steps)?;
        let loaded = self.map_code(call, &f, &xs, true)?;
        let origin = call.origin;
        let slide: super::arrays::Rearrange =
            Rc::new(move |frame, col, depth| col.clone().slide(depth, sz.len(frame, origin)?, 1));
        Ok(self.apply_columns(Operand::Val(loaded), &slide, None, origin))
    }
}

/// The sizes of `iterate`: an array of `m * n^k` elements is reduced to one of `m`.
#[derive(Clone)]
pub(crate) struct IterateSizes {
    n: NatCode,
    m: NatCode,
    k: NatCode,
}

impl IterateSizes {
    pub fn eval(&self, frame: &Frame<'_>, origin: Origin) -> InterpResult<Rounds> {
        Ok(Rounds {
            n: self.n.eval(frame, origin)?,
            m: self.m.eval(frame, origin)?,
            k: self.k.eval(frame, origin)?,
        })
    }
}

/// The rounds of `iterate`.
pub(crate) struct Rounds {
    n: i64,
    m: i64,
    /// The number of rounds.
    pub k: i64,
}

impl Rounds {
    /// Returns the length of the result of a round, which is also the size argument of the function
    /// in this round. Rounds are counted from 0.
    pub fn length(&self, round: i64, origin: Origin) -> InterpResult<i64> {
        let Rounds { n, m, k } = *self;
        let rest = k - 1 - round;
        let power = match n {
            1 => Some(1),
            _ => u32::try_from(rest)
                .ok()
                .and_then(|rest| n.checked_pow(rest)),
        };
        let length = power.and_then(|power| m.checked_mul(power));
        length.ok_or_else(|| ErrorKind::Size(format!("{m} * {n}^{rest}")).at(origin))
    }
}
