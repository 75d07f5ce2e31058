//! Reductions, scans, and what feeds its own results back.

use std::rc::Rc;

use nat::Nat;
use rise::Primitive;
use rise::types::{Arg, Type};

use super::super::batch::{CHUNK, Fold, WORTH};
use super::super::block::{Bind, Block, Out, Step};
use super::super::error::Res;
use super::super::frame::Frame;
use super::super::scalar::WordCode;
use super::super::val::{Target, Val};
use super::{Call, Compiler, Meaning, here, malformed};

/// The loop of a reduction.
struct Reduction {
    acc: Bind,
    param: Bind,
    block: Block,
    fold: Option<Fold>,
    origin: rise::core::Origin,
}

impl Reduction {
    /// Leaves the result in the accumulator, which holds the initial value.
    fn run(&self, frame: &mut Frame<'_>, xs: &Val) -> Res<()> {
        let n = here(self.origin, xs.len())?;
        let mut start = 0;
        while start < n {
            let len = CHUNK.min(n - start);
            frame.tick(len)?;
            if self.folded(frame, xs, start, len).is_none() {
                for at in start..start + len {
                    self.param.set_element(frame, xs, at, self.origin)?;
                    self.block.bind(frame, &self.acc)?;
                }
            }
            start += len;
        }
        Ok(())
    }

    fn folded(&self, frame: &mut Frame<'_>, xs: &Val, start: usize, n: usize) -> Option<()> {
        let (Some(fold), Bind::Word(_, slot, _)) = (&self.fold, &self.acc) else {
            return None;
        };
        if n < WORTH {
            return None;
        }
        let acc = frame.words[*slot];
        frame.words[*slot] = fold.run(frame, &self.param, xs, start, n, acc)?;
        Some(())
    }
}

impl Compiler {
    /// All of them combine from the first to the last, with the initial value once: the
    /// accumulator first, then the element.
    pub(super) fn reduce(&mut self, call: &Call, steps: &mut Vec<Step>) -> Res<Out> {
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
        let fold = if self.trace {
            None
        } else {
            Fold::of(&block, &acc, &param)
        };
        let reduction = Reduction {
            acc: acc.clone(),
            param,
            block,
            fold,
            origin: call.origin,
        };
        if let Bind::Word(kind, slot, _) = acc {
            let code: WordCode = Rc::new(move |frame| {
                let first = init(frame)?.word()?;
                let xs = xs(frame)?;
                frame.words[slot] = first;
                reduction.run(frame, &xs)?;
                Ok(frame.words[slot])
            });
            return Ok(Out::Word(kind, super::super::scalar::Scalar::Opaque(code)));
        }
        let read = acc.out().code();
        Ok(Out::Val(Rc::new(move |frame| {
            let first = init(frame)?;
            let xs = xs(frame)?;
            acc.set(frame, &first)?;
            reduction.run(frame, &xs)?;
            read(frame)
        })))
    }

    /// The element first, then the accumulator.
    pub(super) fn scan(&mut self, call: &Call, steps: &mut Vec<Step>) -> Res<Out> {
        let (element, result) = (call.ty(0)?.clone(), call.ty(1)?.clone());
        let f = self.fun(call, 0, steps)?;
        let init = self.code(call, 1, steps)?;
        let xs = self.code(call, 2, steps)?;
        let acc = self.slots_for(&result, false)?;
        let param = self.slots_for(&element, false)?;
        let block = self.block(|c, steps| c.apply_data(&f, &[param.out(), acc.out()], steps))?;
        let layout = self.layout(&result)?;
        let origin = call.origin;
        Ok(Out::Val(Rc::new(move |frame| {
            let first = init(frame)?;
            let xs = xs(frame)?;
            let n = here(origin, xs.len())?;
            let mut target = Target::new(&layout.eval(frame, origin)?, n, &frame.meter)?;
            acc.set(frame, &first)?;
            for at in 0..n {
                frame.tick(1)?;
                param.set_element(frame, &xs, at, origin)?;
                let value = block.val(frame)?;
                acc.set(frame, &value)?;
                target.put(n, at, &value, &frame.meter)?;
            }
            target.finish(&frame.meter)
        })))
    }

    pub(super) fn iterate(&mut self, call: &Call, steps: &mut Vec<Step>) -> Res<Out> {
        let (n, m, k) = (call.nat(0)?, call.nat(1)?, call.nat(2)?);
        let (n, m, k) = (self.nat(n), self.nat(m), self.nat(k));
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
                Meaning::Function(f) => c.apply_data(&f, &[param.out()], steps),
                Meaning::Data(_) => Err(malformed("data where a function is", origin)),
            }
        })?;
        Ok(Out::Val(Rc::new(move |frame| {
            let mut value = xs(frame)?;
            let (n, m) = (n.eval(frame, origin)?, m.eval(frame, origin)?);
            let k = k.len(frame, origin)?;
            for round in 0..k {
                frame.tick(1)?;
                let power = u32::try_from(k - 1 - round)
                    .ok()
                    .and_then(|e| n.checked_pow(e));
                let length = power.and_then(|power| m.checked_mul(power));
                let too_large = || super::super::error::ErrorKind::Size(format!("{m} * {n}^{k}"));
                frame.nats[slot] = length.ok_or_else(|| too_large().at(origin))?;
                param.set(frame, &value)?;
                value = block.val(frame)?;
            }
            Ok(value)
        })))
    }

    /// `circularBuffer` and `rotateValues`: the windows of what the function gives.
    pub(super) fn windows(&mut self, call: &Call, steps: &mut Vec<Step>) -> Res<Out> {
        let rotates = call.primitive == Primitive::RotateValues;
        let sz = self.nat(call.nat(if rotates { 1 } else { 2 })?);
        let f = self.fun(call, 0, steps)?;
        let xs = self.code(call, 1, steps)?;
        let loaded = self.map_code(call, &f, xs, true)?;
        let origin = call.origin;
        Ok(Out::Val(Rc::new(move |frame| {
            let sz = sz.len(frame, origin)?;
            let loaded = loaded(frame)?;
            let windows = loaded.columns(&mut |col| col.clone().slide(0, sz, 1));
            here(origin, windows)
        })))
    }
}
