//! Dispatches each primitive to the function that compiles it.

use rise::Primitive as P;

use super::super::block::{Code, Operand, Step};
use super::super::error::{ErrorKind, InterpResult};
use super::super::kind::{Arith, Compare, Unary};
use super::super::optimized;
use super::super::val::Val;
use super::numbers::Operation;
use super::{Call, Compiler, here};

impl Compiler {
    pub(super) fn call(&mut self, call: &Call, steps: &mut Vec<Step>) -> InterpResult<Operand> {
        let out = match call.primitive {
            P::Add => self.arithmetic(Operation::Arith(Arith::Add), call, steps),
            P::Sub => self.arithmetic(Operation::Arith(Arith::Sub), call, steps),
            P::Mul => self.arithmetic(Operation::Arith(Arith::Mul), call, steps),
            P::Div => self.arithmetic(Operation::Arith(Arith::Div), call, steps),
            P::Mod => self.arithmetic(Operation::Arith(Arith::Mod), call, steps),
            P::Min => self.arithmetic(Operation::Arith(Arith::Min), call, steps),
            P::Max => self.arithmetic(Operation::Arith(Arith::Max), call, steps),
            P::Neg => self.arithmetic(Operation::Unary(Unary::Neg), call, steps),
            P::Abs => self.arithmetic(Operation::Unary(Unary::Abs), call, steps),
            P::Round => self.math("rint", call, steps),
            P::Fma
            | P::Sqrt
            | P::Exp
            | P::Log
            | P::Floor
            | P::Ceil
            | P::Sin
            | P::Cos
            | P::Tan
            | P::Asin
            | P::Acos
            | P::Atan
            | P::Sinh
            | P::Cosh
            | P::Tanh
            | P::Asinh
            | P::Acosh
            | P::Atanh
            | P::Exp2
            | P::Expm1
            | P::Log2
            | P::Log10
            | P::Log1p
            | P::Cbrt
            | P::Erf
            | P::Trunc
            | P::Pow
            | P::Atan2
            | P::Hypot
            | P::Fmod
            | P::Copysign
            | P::Fmin
            | P::Fmax => self.math(call.primitive.name(), call, steps),
            P::Gt => self.compare(Compare::Gt, call, steps),
            P::Lt => self.compare(Compare::Lt, call, steps),
            P::Ge => self.compare(Compare::Ge, call, steps),
            P::Le => self.compare(Compare::Le, call, steps),
            P::Equal => self.compare(Compare::Equal, call, steps),
            P::NotEqual => self.compare(Compare::NotEqual, call, steps),
            P::Not => self.not(call, steps),
            P::And | P::Or => self.and_or(call, steps),
            P::Select => self.select(call, steps),
            P::Cast => self.cast(call, steps),
            P::IndexAsNat => self.out(call, 0, steps),
            P::NatAsIndex => self.nat_as_index(call, steps),

            P::Generate => self.generate(call, steps),
            P::Idx => self.idx(call, steps),
            P::MakeArray => self.make_array(call, steps),
            P::Take | P::Drop | P::Split | P::Join | P::Transpose | P::Slide | P::Assume => {
                self.rearranged(call, steps)
            }
            P::AsScalar | P::AsVector | P::AsVectorAligned | P::PadClamp => {
                self.rearranged(call, steps)
            }
            P::Cycle => self.rearranged(call, steps),
            P::Concat => self.concat(call, steps),
            P::Gather => self.gather(call, steps),
            P::Scatter => self.scatter(call, steps),
            P::Reorder => self.reorder(call, steps),
            P::PadCst => self.pad_cst(call, steps),
            P::PadEmpty => self.pad_empty(call, steps),
            P::Zip | P::MakePair => self.both(call, steps),
            // Arrays of pairs are represented as pairs of arrays, and the interpreter does not
            // model address spaces.
            P::Unzip | P::ToMem => self.out(call, 0, steps),
            P::OclRun => self.out(call, 0, steps),

            P::Fst => self.half(call, false, steps),
            P::Snd => self.half(call, true, steps),
            P::MapFst => self.map_half(call, false, steps),
            P::MapSnd => self.map_half(call, true, steps),
            P::VectorFromScalar => self.vector(call, steps),

            P::Map => self.map(call, false, steps),
            P::MapSeq | P::MapSeqUnroll | P::MapStream | P::IterateStream | P::MapPar => {
                self.map(call, true, steps)
            }
            P::MapGlobal | P::MapWorkGroup | P::MapLocal | P::MapVec => self.map(call, true, steps),
            P::Reduce | P::ReducePar | P::ReduceSeq | P::ReduceSeqUnroll => {
                self.reduce(call, steps)
            }
            P::ScanSeq => self.scan(call, steps),
            P::Iterate => self.iterate(call, steps),
            P::Repeat | P::RepeatInPlace => self.repeat(call, steps),
            P::RepeatWhile => self.repeat_while(call, steps),
            P::CircularBuffer | P::RotateValues => self.windows(call, steps),
            P::Let => self.let_in(call, steps),

            P::DepMapSeq | P::DepMapPar => self.dep_map(call, steps),
            P::DepZip => self.dep_zip(call, steps),
            P::DepJoin => self.dep_join(call, steps),
            P::Partition => self.partition(call, steps),
            P::MakeDepPair => self.make_dep_pair(call, steps),
            P::Dmatch => self.dmatch(call, steps),
            P::Segment => self.segment(call, steps),
            P::LetNat => self.let_nat(call, steps),
        };
        here(call.origin, out)
    }

    fn both(&mut self, call: &Call, steps: &mut Vec<Step>) -> InterpResult<Operand> {
        let first = self.out(call, 0, steps)?;
        let second = self.out(call, 1, steps)?;
        Ok(Operand::Pair(Box::new(first), Box::new(second)))
    }

    fn vector(&mut self, call: &Call, steps: &mut Vec<Step>) -> InterpResult<Operand> {
        let lane = self.out(call, 0, steps)?;
        Ok(self.spread(lane, self.nat(call.nat(0)?), call.origin))
    }

    /// Compiles `let(value)(f)`.
    fn let_in(&mut self, call: &Call, steps: &mut Vec<Step>) -> InterpResult<Operand> {
        let value = self.out(call, 0, steps)?;
        let value = self.bound(value, &call.ty(0)?.clone(), steps)?;
        let f = self.fun(call, 1, steps)?;
        self.apply_data(&f, &[value], steps)
    }

    /// Compiles `fst` or `snd`. If the pair is written as one, the other component is not computed.
    fn half(&mut self, call: &Call, second: bool, steps: &mut Vec<Step>) -> InterpResult<Operand> {
        let pair = self.out(call, 0, steps)?;
        let ty = call.ty(usize::from(second))?.clone();
        self.half_of(pair, second, &ty)
    }

    fn half_of(&mut self, pair: Operand, second: bool, ty: &rise::Ty) -> InterpResult<Operand> {
        match pair {
            Operand::Pair(_, b) if second => Ok(*b),
            Operand::Pair(a, _) => Ok(*a),
            Operand::Word(..) => {
                Err(ErrorKind::Malformed("expected a pair, found another value").nowhere())
            }
            other => {
                let code = other.code();
                let variants = self.optimized(|| optimized::half(&code, second));
                let one = Code::one(move |frame| (code.one)(frame)?.half(second));
                Ok(self.computed(ty, one.with(variants)))
            }
        }
    }

    fn map_half(
        &mut self,
        call: &Call,
        second: bool,
        steps: &mut Vec<Step>,
    ) -> InterpResult<Operand> {
        let f = self.fun(call, 0, steps)?;
        let pair = self.out(call, 1, steps)?;
        // The types `s` and `t` of both components are in the order of the signature.
        let (s, t) = (call.ty(0)?.clone(), call.ty(1)?.clone());
        let whole = std::sync::Arc::new(rise::Type::Pair(s, t));
        let Operand::Pair(a, b) = self.bound(pair, &whole, steps)? else {
            return Err(ErrorKind::Malformed("expected a pair, found another value").nowhere());
        };
        Ok(if second {
            let b = self.apply_data(&f, &[*b], steps)?;
            Operand::Pair(a, Box::new(b))
        } else {
            let a = self.apply_data(&f, &[*a], steps)?;
            Operand::Pair(Box::new(a), b)
        })
    }

    /// Compiles a vector or array of `n` copies of a value.
    pub(super) fn spread(
        &mut self,
        lane: Operand,
        n: super::super::frame::NatCode,
        origin: rise::core::Origin,
    ) -> Operand {
        let code = lane.code();
        let variants = self.optimized(|| optimized::spread(&code, n.clone(), origin));
        let one = Code::one(move |frame| {
            let lane: Val = (code.one)(frame)?;
            let n = n.len(frame, origin)?;
            here(origin, lane.repeated(&[n], &frame.meter))
        });
        Operand::Val(one.with(variants))
    }
}
