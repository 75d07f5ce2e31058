//! Compiles calls of C functions.

use std::rc::Rc;
use std::sync::Arc;

use rise::core::{Foreign, Origin};
use rise::types::Type;

use super::super::batch::{BatchCode, BatchValue};
use super::super::block::{Code, Operand, Step, ValCode};
use super::super::error::{ErrorKind, InterpResult};
use super::super::frame::Frame;
use super::super::kind::{Elem, Kind, Word, with_kind};
use super::super::scalar::Scalar;
use super::super::strided::Lane;
use super::super::{ForeignCall, io, math};
use super::{Call, Compiler, Thunk, scalar_kind, side_effects};

/// The number of calls in one request, after which the time limit is checked. The overhead of a
/// request of this size is negligible.
const CALLS_PER_REQUEST: usize = 2048;

impl Compiler {
    pub(super) fn foreign(
        &mut self,
        function: &Arc<Foreign>,
        args: &[Thunk],
        origin: Origin,
        steps: &mut Vec<Step>,
    ) -> InterpResult<Operand> {
        // Arguments are accessed like those of a primitive, whose kind does not matter here.
        let call = Call {
            primitive: rise::Primitive::ToMem,
            types: Rc::new([]),
            args: args.iter().map(Thunk::again).collect(),
            origin,
        };
        if let Some((math, float, result)) = built_in(function) {
            let mut all = Vec::new();
            for at in 0..args.len() {
                all.push(self.scalar(&call, at, steps)?.1);
            }
            let value = Scalar::Math(math, float, all);
            let given = math.result(float);
            let value = if given == result {
                value
            } else {
                Scalar::Cast(given, result, Box::new(value))
            };
            return Ok(Operand::Word(result, value));
        }
        let (mut codes, mut lanes): (Vec<ValCode>, Vec<_>) = Default::default();
        for at in 0..args.len() {
            let code = self.code(&call, at, steps)?;
            codes.push(code.one);
            lanes.push(code.batch);
        }
        let lanes: Option<Vec<BatchCode>> = lanes.into_iter().collect();
        let batch = lanes.and_then(|lanes| BatchedCalls::batch(function, lanes, origin));
        let (function, result) = (function.clone(), function.result.clone());
        let code = Code::one(move |frame| {
            let Some(foreign) = frame.foreign.filter(|_| function.body.is_some()) else {
                return Err(ErrorKind::UnknownForeign(function.name.to_string()).at(origin));
            };
            let mut values = Vec::with_capacity(codes.len());
            for (code, (_, ty)) in codes.iter().zip(&function.params) {
                let value = code(frame)?;
                let shape = io::shape(ty, &value, &|_| None)?;
                values.push(io::to_value(&shape, &value, Some(origin))?);
            }
            let failed = |message| {
                let name = function.name.to_string();
                ErrorKind::Foreign { name, message }.at(origin)
            };
            let value = foreign.call(&function, &values).map_err(failed)?;
            io::from_value(value.shape(), &value, &frame.meter)
        });
        Ok(self.computed(&result, code.with(batch)))
    }
}

/// Code that calls a function on scalars in many iterations. Only functions without side effects
/// are called so: others would print in another order, and twice if a chunk is abandoned. Calls are
/// made in the order of the iterations, a failing call fails the program, and no call is made that
/// the loop would not make.
struct BatchedCalls {
    function: Arc<Foreign>,
    params: Vec<Kind>,
    result: Kind,
    /// The size in bytes of the arguments of one call.
    stride: usize,
    origin: Origin,
}

impl BatchedCalls {
    fn batch(function: &Arc<Foreign>, args: Vec<BatchCode>, origin: Origin) -> Option<BatchCode> {
        let params: Option<Vec<Kind>> = (function.params.iter())
            .map(|(_, ty)| plain_kind(ty))
            .collect();
        let params = params.filter(|params| params.len() == args.len())?;
        let result = plain_kind(&function.result)?;
        if !side_effects::has_none(function) {
            return None;
        }
        let calls = BatchedCalls {
            function: function.clone(),
            stride: params.iter().map(|kind| size(*kind)).sum(),
            params,
            result,
            origin,
        };
        Some(Rc::new(move |frame| {
            let lanes: Option<Vec<Lane>> =
                (args.iter()).map(|code| code(frame)?.lane(frame)).collect();
            let lanes = lanes?;
            let foreign = frame.foreign?;
            match calls.run(frame, foreign, &lanes) {
                Ok(lane) => Some(BatchValue::Lane(calls.result, lane?)),
                Err(stop) => {
                    frame.stop.get_or_insert(stop);
                    None
                }
            }
        }))
    }

    /// Calls the function in the taken iterations. The results of other iterations are 0.
    fn run(
        &self,
        frame: &Frame<'_>,
        foreign: &dyn ForeignCall,
        lanes: &[Lane],
    ) -> InterpResult<Option<Lane>> {
        let total = frame.iterations.total();
        let mut places: Vec<usize> = match frame.taken() {
            Some(taken) => (0..total)
                .filter(|at| taken.get(*at) == Some(&true))
                .collect(),
            None => (0..total).collect(),
        };
        let same = lanes.iter().all(|lane| matches!(lane, Lane::Same(_)));
        if same {
            places.truncate(1);
        }
        let mut results = Vec::with_capacity(places.len() * size(self.result));
        for piece in places.chunks(CALLS_PER_REQUEST) {
            frame.cancellation().check()?;
            let Some(request) = self.request(lanes, piece) else {
                return Ok(None);
            };
            let failed = |message| {
                let name = self.function.name.to_string();
                ErrorKind::Foreign { name, message }.at(self.origin)
            };
            let some = foreign.call_batch(&self.function, &request, piece.len());
            results.extend(some.map_err(failed)?);
        }
        Ok(self.lane(&results, &places, if same { 1 } else { total }, same))
    }

    fn request(&self, lanes: &[Lane], places: &[usize]) -> Option<Vec<u8>> {
        let mut request = vec![0; self.stride * places.len()];
        if request.is_empty() {
            return Some(request);
        }
        let mut offset = 0;
        for (lane, kind) in lanes.iter().zip(&self.params) {
            let size = size(*kind);
            for (call, place) in request.chunks_exact_mut(self.stride).zip(places) {
                let word = match lane {
                    Lane::Same(word) => *word,
                    Lane::Each(data) => data.word(*place)?,
                };
                call[offset..offset + size].copy_from_slice(&word.to_ne_bytes()[lowest(size)]);
            }
            offset += size;
        }
        Some(request)
    }

    fn lane(&self, results: &[u8], places: &[usize], len: usize, same: bool) -> Option<Lane> {
        let size = size(self.result);
        if results.len() != places.len() * size {
            return None;
        }
        let word = |bytes: &[u8]| {
            let mut all = [0; size_of::<Word>()];
            all[lowest(size)].copy_from_slice(bytes);
            Word::from_ne_bytes(all)
        };
        if same {
            return Some(Lane::Same(results.get(..size).map_or(0, word)));
        }
        with_kind!(self.result, T => {
            let mut out = vec![T::default(); len];
            for (place, bytes) in places.iter().zip(results.chunks_exact(size)) {
                *out.get_mut(*place)? = T::of(word(bytes));
            }
            Some(Lane::Each(T::wrap(out)))
        })
    }
}

/// Returns the kind of a scalar type that also is a scalar in C.
fn plain_kind(ty: &Type) -> Option<Kind> {
    match ty {
        Type::Scalar(_) => scalar_kind(ty),
        _ => None,
    }
}

/// Returns the size in bytes of a scalar in C.
fn size(kind: Kind) -> usize {
    with_kind!(kind, T => size_of::<T>())
}

/// Returns the bytes of a word that contain a scalar of this size.
fn lowest(size: usize) -> std::ops::Range<usize> {
    let end = size_of::<Word>();
    match cfg!(target_endian = "big") {
        true => end - size..end,
        false => 0..size,
    }
}

/// Returns the function of `<math.h>` that a declaration without a body refers to, with the kinds
/// of its floating-point parameters and of its result.
fn built_in(function: &Foreign) -> Option<(math::Math, Kind, Kind)> {
    if function.body.is_some() {
        return None;
    }
    let math = math::function(&function.name)?;
    let params: Option<Vec<Kind>> = (function.params.iter())
        .map(|(_, ty)| scalar_kind(ty))
        .collect();
    let params = params?;
    let float = *params.first().filter(|kind| kind.is_float())?;
    let result = scalar_kind(&function.result)?;
    let given = math.result(float);
    let fits = given == result || (given == Kind::I64 && result == Kind::I32);
    (fits && params == math.params(float)).then_some((math, float, result))
}
