//! Compiles the primitives on scalars, and on vectors lane by lane.

use rise::Primitive;
use rise::core::Origin;
use rise::types::Type;
use syntax::ast::Literal;

use super::super::block::{Code, Operand, Step};
use super::super::buffer::ElementRepr;
use super::super::error::{ErrorKind, InterpResult};
use super::super::frame::Frame;
use super::super::kind::{Arith, Compare, Elem, Exact, Kind, Unary, Word, with_kind, with_number};
use super::super::math::{self, Math};
use super::super::optimized;
use super::super::scalar::{Branch, Scalar};
use super::super::strided::{ArrayBuilder, StridedArray};
use super::super::val::Val;
use super::{Call, Compiler, malformed, scalar_kind};

/// Converts a literal to a value of this kind; `None` if its text is not a floating-point number.
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

/// An arithmetic operation, which exists on scalars and on vectors.
#[derive(Clone, Copy)]
pub(crate) enum Operation {
    Unary(Unary),
    Arith(Arith),
    /// A function whose parameters and result have one type.
    Math(Math),
}

impl Operation {
    /// Returns the operation on scalars; `None` if an operand is missing or is not a scalar.
    fn scalar(self, kind: Kind, operands: &[Operand], origin: Origin) -> Option<Scalar> {
        let scalar = |operand: &Operand| match operand {
            Operand::Word(_, scalar) => Some(scalar.clone()),
            _ => None,
        };
        let scalars: Option<Vec<Scalar>> = operands.iter().map(scalar).collect();
        let scalars = scalars?;
        if let Operation::Math(math) = self {
            return Some(Scalar::Math(math, kind, scalars));
        }
        let mut scalars = scalars.into_iter().map(Box::new);
        let a = scalars.next()?;
        Some(match self {
            Operation::Unary(op) => Scalar::Unary(op, kind, a),
            Operation::Arith(op) => Scalar::Arith(op, kind, a, scalars.next()?, origin),
            Operation::Math(_) => return None,
        })
    }

    /// Applies the operation to scalars; `None` if an integer is divided by zero.
    fn on(self, kind: Kind, [a, b, c]: [Word; 3]) -> Option<Word> {
        match self {
            Operation::Unary(op) => {
                with_number!(kind, T => Some(op.on(T::of(a)).word()), bool => Some(a))
            }
            Operation::Arith(op) => {
                with_number!(kind, T => Some(op.on(T::of(a), T::of(b))?.word()), bool => Some(a))
            }
            Operation::Math(math) => Some(math.call(kind, [a, b, c])),
        }
    }
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
            _ => Err(malformed(
                "expected a scalar, found another value",
                call.origin,
            )),
        }
    }

    /// Compiles an operation on scalars, or on vectors lane by lane.
    pub(super) fn arithmetic(
        &mut self,
        op: Operation,
        call: &Call,
        steps: &mut Vec<Step>,
    ) -> InterpResult<Operand> {
        let origin = call.origin;
        let operands = self.outs(call, steps)?;
        if let Some(Operand::Word(kind, _)) = operands.first() {
            let scalar = op.scalar(*kind, &operands, origin);
            let scalar = scalar.ok_or_else(|| malformed("an operand is missing", origin))?;
            return Ok(Operand::Word(*kind, scalar));
        }
        let codes: Vec<Code> = operands.iter().map(Operand::code).collect();
        let variants = self.optimized(|| optimized::lane_wise(op, &codes));
        let one = Code::one(move |frame| {
            let values: InterpResult<Vec<Val>> =
                codes.iter().map(|code| (code.one)(frame)).collect();
            let values = values?;
            let vectors: InterpResult<Vec<&StridedArray>> = values.iter().map(Val::col).collect();
            lane_by_lane(frame, &vectors?, op, origin)
        });
        Ok(Operand::Val(one.with(variants)))
    }

    /// Compiles a call of the function of `<math.h>` with this name, on floats or on vectors of
    /// floats lane by lane.
    pub(super) fn math(
        &mut self,
        name: &str,
        call: &Call,
        steps: &mut Vec<Step>,
    ) -> InterpResult<Operand> {
        let function = math::function(name).filter(|function| function.is_uniform());
        let function = function.ok_or_else(|| malformed("a function is unknown", call.origin))?;
        self.arithmetic(Operation::Math(function), call, steps)
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
            return Err(malformed("unexpected arguments of `select`", call.origin));
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
            .ok_or_else(|| malformed("the type of a cast must be a scalar type", call.origin))?;
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
            _ => Err(malformed(
                "expected a scalar index, found another value",
                call.origin,
            )),
        }
    }
}

/// Applies an operation to vectors.
fn lane_by_lane(
    frame: &Frame<'_>,
    vectors: &[&StridedArray],
    op: Operation,
    origin: Origin,
) -> InterpResult<Val> {
    let first = vectors
        .first()
        .map(|vector| (vector.buf.data.cell(), vector.len()));
    let Some((ElementRepr::Scalar(kind), n)) = first else {
        return Err(malformed(
            "the elements of a vector must be scalars",
            origin,
        ));
    };
    let mut area = ArrayBuilder::new(ElementRepr::Scalar(kind), [n].into_iter(), &frame.meter)?;
    for at in 0..n {
        let mut lanes = [0; 3];
        for (lane, vector) in lanes.iter_mut().zip(vectors) {
            *lane = vector.word(at, origin)?;
        }
        let word = op.on(kind, lanes);
        area.set(
            at,
            word.ok_or_else(|| ErrorKind::DivisionByZero.at(origin))?,
        );
    }
    Ok(Val::Array(area.finish(&frame.meter)))
}
