//! Compiles the primitives on scalars, and on vectors lane by lane.

use std::rc::Rc;

use rise::Primitive;
use rise::core::Origin;
use rise::types::Type;
use syntax::ast::Literal;

use super::super::batch::{self, BatchCode};
use super::super::block::{Code, Operand, Step};
use super::super::buffer::ElementRepr;
use super::super::error::{ErrorKind, InterpResult};
use super::super::frame::Frame;
use super::super::kind::{Arith, Compare, Elem, Exact, Kind, Num, Word, with_kind, with_number};
use super::super::lanes;
use super::super::math;
use super::super::scalar::{Branch, Scalar};
use super::super::strided::{ArrayBuilder, StridedArray};
use super::super::val::Val;
use super::{Call, Compiler, malformed, scalar_kind};

/// Converts a literal to a value of this kind.
pub(super) fn literal_word(literal: &Literal, kind: Kind) -> Option<Word> {
    Some(match literal {
        Literal::Bool(value) => value.word(),
        Literal::Int { value, .. } => with_kind!(kind, T => T::cast(Exact::Int(*value)).word()),
        Literal::Float { text, .. } => match kind {
            Kind::F32 => text.parse::<f32>().ok()?.word(),
            kind => {
                let value = text.parse::<f64>().ok()?;
                with_kind!(kind, T => T::cast(Exact::Float(value)).word())
            }
        },
    })
}

impl Compiler {
    /// Compiles an argument that is a scalar.
    pub(super) fn scalar(
        &mut self,
        call: &Call,
        at: usize,
        steps: &mut Vec<Step>,
    ) -> InterpResult<(Kind, Scalar)> {
        match self.out(call, at, steps)? {
            Operand::Word(kind, scalar) => Ok((kind, scalar)),
            _ => Err(malformed("a scalar that is none", call.origin)),
        }
    }

    pub(super) fn arith(
        &mut self,
        op: Arith,
        call: &Call,
        steps: &mut Vec<Step>,
    ) -> InterpResult<Operand> {
        let (a, b) = (self.out(call, 0, steps)?, self.out(call, 1, steps)?);
        match (a, b) {
            (Operand::Word(kind, a), Operand::Word(_, b)) => Ok(Operand::Word(
                kind,
                Scalar::Arith(op, kind, Box::new(a), Box::new(b), call.origin),
            )),
            (a, b) => {
                let (a, b, origin) = (a.code(), b.code(), call.origin);
                let batch = a.batch.zip(b.batch).map(|(a, b)| -> BatchCode {
                    Rc::new(move |frame| {
                        let a = a(frame)?;
                        let b = b(frame)?;
                        batch::vectors(frame, &[a, b], |kind, n, all| match all {
                            [a, b] => lanes::arith_on(op, kind, a.clone(), b.clone(), n),
                            _ => None,
                        })
                    })
                });
                let (a, b) = (a.one, b.one);
                let one = Code::one(move |frame| {
                    let a = a(frame)?;
                    let b = b(frame)?;
                    vectors(frame, a.col()?, b.col()?, op, origin)
                });
                Ok(Operand::Val(one.with(batch)))
            }
        }
    }

    pub(super) fn neg(&mut self, call: &Call, steps: &mut Vec<Step>) -> InterpResult<Operand> {
        match self.out(call, 0, steps)? {
            Operand::Word(kind, a) => Ok(Operand::Word(kind, Scalar::Neg(kind, Box::new(a)))),
            other => {
                let (code, origin) = (other.code(), call.origin);
                let batch = code.batch.map(|a| -> BatchCode {
                    Rc::new(move |frame| {
                        let a = a(frame)?;
                        batch::vectors(frame, &[a], |kind, _, all| {
                            lanes::neg_on(kind, all.first()?.clone())
                        })
                    })
                });
                let a = code.one;
                let one = Code::one(move |frame| {
                    let a = a(frame)?;
                    let a = a.col()?;
                    each_lane(frame, a, |frame, kind, at| {
                        let _ = frame;
                        let word = a.word(at, origin)?;
                        with_number!(kind, T => Ok(Num::neg(T::of(word)).word()), bool => Ok(word))
                    })
                });
                Ok(Operand::Val(one.with(batch)))
            }
        }
    }

    pub(super) fn fma(&mut self, call: &Call, steps: &mut Vec<Step>) -> InterpResult<Operand> {
        let operands = [0, 1, 2].map(|at| self.out(call, at, steps));
        let [a, b, c] = operands;
        let operands = [a?, b?, c?];
        if let [
            Operand::Word(kind, a),
            Operand::Word(_, b),
            Operand::Word(_, c),
        ] = &operands
        {
            let args = vec![a.clone(), b.clone(), c.clone()];
            return Ok(Operand::Word(*kind, Scalar::Math(math::FMA, *kind, args)));
        }
        let origin = call.origin;
        let [a, b, c] = operands.map(|operand| operand.code());
        let batch = match (a.batch, b.batch, c.batch) {
            (Some(a), Some(b), Some(c)) => Some([a, b, c]),
            _ => None,
        };
        let batch = batch.map(|all| -> BatchCode {
            Rc::new(move |frame| {
                let lanes: Option<Vec<_>> = all.iter().map(|code| code(frame)).collect();
                batch::vectors(frame, &lanes?, |kind, n, all| {
                    lanes::math_on(math::FMA, kind, all.to_vec(), n)
                })
            })
        });
        let all = [a.one, b.one, c.one];
        let one = Code::one(move |frame| {
            let values: InterpResult<Vec<Val>> = all.iter().map(|code| code(frame)).collect();
            let values = values?;
            let cols: InterpResult<Vec<&StridedArray>> = values.iter().map(Val::col).collect();
            let cols = cols?;
            let Some(first) = cols.first() else {
                return Err(malformed("a sum of no operands", origin));
            };
            each_lane(frame, first, |_, kind, at| {
                let mut args = [0; 3];
                for (arg, col) in args.iter_mut().zip(&cols) {
                    *arg = col.word(at, origin)?;
                }
                Ok(math::FMA.call(kind, args))
            })
        });
        Ok(Operand::Val(one.with(batch)))
    }

    pub(super) fn compare(
        &mut self,
        op: Compare,
        call: &Call,
        steps: &mut Vec<Step>,
    ) -> InterpResult<Operand> {
        let (kind, a) = self.scalar(call, 0, steps)?;
        let (_, b) = self.scalar(call, 1, steps)?;
        let scalar = Scalar::Compare(op, kind, Box::new(a), Box::new(b));
        Ok(Operand::Word(Kind::Bool, scalar))
    }

    pub(super) fn not(&mut self, call: &Call, steps: &mut Vec<Step>) -> InterpResult<Operand> {
        let (_, a) = self.scalar(call, 0, steps)?;
        Ok(Operand::Word(Kind::Bool, Scalar::Not(Box::new(a))))
    }

    /// Compiles `and` and `or` with short-circuit evaluation.
    pub(super) fn and_or(&mut self, call: &Call, steps: &mut Vec<Step>) -> InterpResult<Operand> {
        let (_, a) = self.scalar(call, 0, steps)?;
        let mut inner = Vec::new();
        let (_, value) = self.scalar(call, 1, &mut inner)?;
        let right = Branch {
            steps: inner,
            value,
        };
        let (yes, no) = match call.primitive {
            Primitive::And => (right, Branch::constant(0)),
            _ => (Branch::constant(1), right),
        };
        let scalar = Scalar::Select(Kind::Bool, Box::new(a), Box::new(yes), Box::new(no));
        Ok(Operand::Word(Kind::Bool, scalar))
    }

    /// Compiles `select`, which only evaluates the selected branch.
    pub(super) fn select(&mut self, call: &Call, steps: &mut Vec<Step>) -> InterpResult<Operand> {
        let (_, condition) = self.scalar(call, 0, steps)?;
        let mut branches = Vec::new();
        for at in [1, 2] {
            let mut inner = Vec::new();
            let out = self.out(call, at, &mut inner)?;
            branches.push((inner, out));
        }
        let (Some((no_steps, no)), Some((yes_steps, yes))) = (branches.pop(), branches.pop())
        else {
            return Err(malformed("a choice", call.origin));
        };
        if let (Operand::Word(kind, yes), Operand::Word(_, no)) = (&yes, &no) {
            let branch = |steps, value: &Scalar| {
                let value = value.clone();
                Box::new(Branch { steps, value })
            };
            let (yes, no) = (branch(yes_steps, yes), branch(no_steps, no));
            let scalar = Scalar::Select(*kind, Box::new(condition), yes, no);
            return Ok(Operand::Word(*kind, scalar));
        }
        let condition = condition.code();
        let (yes, no) = (yes.code().one, no.code().one);
        Ok(Operand::Val(Code::one(move |frame| {
            let (steps, value) = if condition(frame)? != 0 {
                (&yes_steps, &yes)
            } else {
                (&no_steps, &no)
            };
            for step in steps {
                step.run(frame)?;
            }
            value(frame)
        })))
    }

    pub(super) fn cast(&mut self, call: &Call, steps: &mut Vec<Step>) -> InterpResult<Operand> {
        let (from, a) = self.scalar(call, 0, steps)?;
        let ty = call.ty(1)?;
        let to = scalar_kind(ty)
            .ok_or_else(|| malformed("a cast to what is not a scalar", call.origin))?;
        let mut scalar = if from == to {
            a
        } else {
            Scalar::Cast(from, to, Box::new(a))
        };
        if let Type::Index(n) = &**ty {
            scalar = Scalar::Index(Box::new(scalar), self.nat(n), call.origin);
        }
        Ok(Operand::Word(to, scalar))
    }

    pub(super) fn nat_as_index(
        &mut self,
        call: &Call,
        steps: &mut Vec<Step>,
    ) -> InterpResult<Operand> {
        let (kind, a) = self.scalar(call, 0, steps)?;
        let bound = self.nat(call.nat(0)?);
        Ok(Operand::Word(
            kind,
            Scalar::Index(Box::new(a), bound, call.origin),
        ))
    }

    /// Compiles an argument that is an index, and binds it to a slot unless it is trivial.
    pub(super) fn index(
        &mut self,
        call: &Call,
        at: usize,
        steps: &mut Vec<Step>,
    ) -> InterpResult<Scalar> {
        let (kind, scalar) = self.scalar(call, at, steps)?;
        let ty = std::sync::Arc::new(Type::Index(nat::Nat::constant(0)));
        match self.bound(Operand::Word(kind, scalar), &ty, steps)? {
            Operand::Word(_, scalar) => Ok(scalar),
            _ => Err(malformed("an index that is not a scalar", call.origin)),
        }
    }
}

/// Applies an operation to two vectors.
fn vectors(
    frame: &mut Frame<'_>,
    a: &StridedArray,
    b: &StridedArray,
    op: Arith,
    origin: Origin,
) -> InterpResult<Val> {
    each_lane(frame, a, |_, kind, at| {
        let (x, y) = (a.word(at, origin)?, b.word(at, origin)?);
        with_number!(kind, T => match op.on(T::of(x), T::of(y)) {
            Some(value) => Ok(value.word()),
            None => Err(ErrorKind::DivisionByZero.at(origin)),
        }, bool => Err(malformed("arithmetic on truth values", origin)))
    })
}

/// Computes a vector lane by lane, with the kind and length of `like`.
fn each_lane(
    frame: &mut Frame<'_>,
    like: &StridedArray,
    mut lane: impl FnMut(&mut Frame<'_>, Kind, usize) -> InterpResult<Word>,
) -> InterpResult<Val> {
    let ElementRepr::Scalar(kind) = like.buf.data.cell() else {
        return Err(ErrorKind::Malformed("a vector of what is not a scalar").nowhere());
    };
    let n = like.len();
    let mut area = ArrayBuilder::new(ElementRepr::Scalar(kind), [n].into_iter(), &frame.meter)?;
    for at in 0..n {
        let word = lane(frame, kind, at)?;
        area.set(at, word);
    }
    let meter = frame.meter.clone();
    Ok(Val::Array(area.finish(&meter)))
}
