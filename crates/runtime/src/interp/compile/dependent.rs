//! Compiles the primitives on dependent arrays and pairs.

use std::rc::Rc;

use nat::Nat;
use rise::DataFun;
use rise::types::{Arg, SizeFun};

use super::super::block::{Block, Code, Operand, Step};
use super::super::error::{ErrorKind, InterpResult};
use super::super::kind::Elem;
use super::super::scalar::checked_index;
use super::super::val::{Target, Val};
use super::arrays::chain;
use super::{Call, Compiler, Function, StaticValue, here, malformed};

fn data_fun(call: &Call) -> InterpResult<&DataFun> {
    let mut functions = call.types.iter().filter_map(|arg| match arg {
        Arg::DataFun(fun) => Some(fun),
        _ => None,
    });
    (functions.next()).ok_or_else(|| malformed("a function is missing", call.origin))
}

fn rows(value: Val) -> InterpResult<Rc<Vec<Val>>> {
    match value {
        Val::Rows(rows) => Ok(rows),
        _ => {
            let what = "a dependent array that is none";
            Err(ErrorKind::Malformed(what).nowhere())
        }
    }
}

impl Compiler {
    /// Compiles the body of a function of a size and a value, with slots for both.
    fn dependent(
        &mut self,
        f: &Function,
        fun: &DataFun,
        call: &Call,
    ) -> InterpResult<(usize, super::VarSlots, Block)> {
        let (slot, var) = self.nat_slot();
        let ty = self.at(fun, var);
        let param = self.slots_for(&ty, false)?;
        let origin = call.origin;
        let block = self.block(|c, steps| {
            let arg = Arg::Nat(Nat::var(var));
            match c.dep_apply(f, arg, origin, steps)? {
                StaticValue::Function(f) => c.apply_data(&f, &[param.out()], steps),
                StaticValue::Data(_) => Err(malformed("expected a function, found data", origin)),
            }
        })?;
        Ok((slot, param, block))
    }

    pub(super) fn dep_map(&mut self, call: &Call, steps: &mut Vec<Step>) -> InterpResult<Operand> {
        let f = self.fun(call, 0, steps)?;
        let xs = self.code(call, 1, steps)?.one;
        let fun = data_fun(call)?.clone();
        let (slot, param, block) = self.dependent(&f, &fun, call)?;
        let origin = call.origin;
        Ok(Operand::Val(Code::one(move |frame| {
            let xs = rows(xs(frame)?)?;
            let mut out = Vec::with_capacity(xs.len());
            for (k, row) in xs.iter().enumerate() {
                frame.tick(1)?;
                frame.nats[slot] = k as i64;
                param.set(frame, row)?;
                out.push(here(origin, block.val(frame))?);
            }
            Ok(Val::Rows(Rc::new(out)))
        })))
    }

    pub(super) fn dep_zip(&mut self, call: &Call, steps: &mut Vec<Step>) -> InterpResult<Operand> {
        let a = self.code(call, 0, steps)?.one;
        let b = self.code(call, 1, steps)?.one;
        Ok(Operand::Val(Code::one(move |frame| {
            let (a, b) = (rows(a(frame)?)?, rows(b(frame)?)?);
            let pairs = a.iter().zip(b.iter());
            let pairs = pairs.map(|(a, b)| Val::pair(a.clone(), b.clone()));
            Ok(Val::Rows(Rc::new(pairs.collect())))
        })))
    }

    pub(super) fn dep_join(&mut self, call: &Call, steps: &mut Vec<Step>) -> InterpResult<Operand> {
        let xs = self.code(call, 0, steps)?.one;
        let layout = self.layout(call.ty(0)?)?;
        let origin = call.origin;
        Ok(Operand::Val(Code::one(move |frame| {
            let xs = rows(xs(frame)?)?;
            if xs.is_empty() {
                let layout = layout.eval(frame, origin)?;
                return Target::new(&layout, 0, &frame.meter)?.finish(&frame.meter);
            }
            let parts: Vec<Result<Val, usize>> = xs.iter().cloned().map(Ok).collect();
            here(origin, chain(&parts, 0, &frame.meter))
        })))
    }

    pub(super) fn partition(
        &mut self,
        call: &Call,
        steps: &mut Vec<Step>,
    ) -> InterpResult<Operand> {
        let xs = self.code(call, 0, steps)?.one;
        let m = self.nat(call.nat(1)?);
        let len = call.types.iter().find_map(|arg| match arg {
            Arg::SizeFun(fun) => Some(fun.clone()),
            _ => None,
        });
        let len: SizeFun = len.ok_or_else(|| malformed("a function is missing", call.origin))?;
        let (len, origin) = (self.size_fun(&len), call.origin);
        Ok(Operand::Val(Code::one(move |frame| {
            let xs = xs(frame)?;
            let m = m.len(frame, origin)?;
            let mut out = Vec::new();
            let mut start = 0usize;
            for at in 0..m {
                frame.tick(1)?;
                let len = len.at(frame, at as i64, origin)?;
                let negative = |_| ErrorKind::Size(len.to_string()).at(origin);
                let len = usize::try_from(len).map_err(negative)?;
                let part = xs.columns(&mut |col| col.clone().drop_first(0, start)?.take(0, len));
                out.push(here(origin, part)?);
                start += len;
            }
            Ok(Val::Rows(Rc::new(out)))
        })))
    }

    pub(super) fn make_dep_pair(
        &mut self,
        call: &Call,
        steps: &mut Vec<Step>,
    ) -> InterpResult<Operand> {
        let n = self.nat(call.nat(0)?);
        let value = self.code(call, 0, steps)?.one;
        let origin = call.origin;
        Ok(Operand::Val(Code::one(move |frame| {
            let n = n.eval(frame, origin)?;
            Ok(Val::DepPair(n, Rc::new(value(frame)?)))
        })))
    }

    pub(super) fn segment(&mut self, call: &Call, steps: &mut Vec<Step>) -> InterpResult<Operand> {
        let from = self.scalar(call, 0, steps)?.1.code();
        let to = self.scalar(call, 1, steps)?.1.code();
        let xs = self.code(call, 2, steps)?.one;
        let len = self.nat(call.nat(0)?);
        let origin = call.origin;
        Ok(Operand::Val(Code::one(move |frame| {
            let len = len.len(frame, origin)?;
            let from = checked_index(from(frame)?, len + 1, origin)?;
            let to = checked_index(to(frame)?, len + 1, origin)?;
            let Some(count) = to.checked_sub(from) else {
                return Err(ErrorKind::ReversedSegment { from, to }.at(origin));
            };
            let xs = xs(frame)?;
            let part = xs.columns(&mut |col| col.clone().drop_first(0, from)?.take(0, count));
            Ok(Val::DepPair(count as i64, Rc::new(here(origin, part)?)))
        })))
    }

    pub(super) fn let_nat(&mut self, call: &Call, steps: &mut Vec<Step>) -> InterpResult<Operand> {
        let size = self.scalar(call, 0, steps)?.1.code();
        let f = self.fun(call, 1, steps)?;
        let (slot, var) = self.nat_slot();
        let origin = call.origin;
        let block = self.block(|c, steps| {
            match c.dep_apply(&f, Arg::Nat(Nat::var(var)), origin, steps)? {
                StaticValue::Data(data) => Ok(data),
                StaticValue::Function(_) => {
                    Err(malformed("expected data, found a function", origin))
                }
            }
        })?;
        let result = call.ty(0)?.clone();
        let code = Code::one(move |frame| {
            frame.nats[slot] = i64::from(i32::of(size(frame)?));
            block.val(frame)
        });
        Ok(self.computed(&result, code))
    }

    pub(super) fn dmatch(&mut self, call: &Call, steps: &mut Vec<Step>) -> InterpResult<Operand> {
        let pair = self.code(call, 0, steps)?.one;
        let f = self.fun(call, 1, steps)?;
        let fun = data_fun(call)?.clone();
        let (slot, param, block) = self.dependent(&f, &fun, call)?;
        let result = call.ty(0)?.clone();
        let origin = call.origin;
        let code = Code::one(move |frame| {
            let Val::DepPair(n, value) = pair(frame)? else {
                return Err(malformed(
                    "expected a dependent pair, found another value",
                    origin,
                ));
            };
            frame.nats[slot] = n;
            param.set(frame, &value)?;
            block.val(frame)
        });
        Ok(self.computed(&result, code))
    }
}
