//! Calls of C functions in many iterations.

use std::rc::Rc;
use std::sync::Arc;

use rise::core::{Foreign, Origin};
use rise::types::Type;

use super::super::ForeignCall;
use super::super::block::Code;
use super::super::compile::scalar_kind;
use super::super::error::{ErrorKind, InterpResult};
use super::super::frame::Frame;
use super::super::kind::{Elem, Kind, Word, with_kind};
use super::super::strided::Lane;
use super::batch::{BatchCode, BatchValue};
use super::primitives::batches;
use super::{Variants, side_effects};

/// The largest number of calls in one request. The time limit and cancellation are checked before
/// each request. The overhead of a request of this size is negligible.
const CALLS_PER_REQUEST: usize = 2048;

/// Returns the variants of calls of a function.
pub(crate) fn calls(function: &Arc<Foreign>, args: &[Code], origin: Origin) -> Variants {
    let args = batches(args);
    Variants::batched(args.and_then(|args| BatchedCalls::batch(function, args, origin)))
}

/// Code that calls a function on scalars in many iterations. Only functions without side effects
/// are called so: others would print in another order, and twice if a chunk is abandoned. Calls are
/// made in the order of the iterations, only for iterations in which the enclosing branches are
/// taken, and a failing call fails the program.
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
                Err(error) => {
                    frame.chunk.stop(error);
                    None
                }
            }
        }))
    }

    /// Calls the function in the iterations in which all enclosing branches are taken, or only once
    /// if its arguments are the same in all iterations. The results of other iterations are 0.
    /// Returns `Ok(None)` if the arguments or the results have another format than the function.
    fn run(
        &self,
        frame: &Frame<'_>,
        foreign: &dyn ForeignCall,
        lanes: &[Lane],
    ) -> InterpResult<Option<Lane>> {
        let total = frame.chunk.iterations.total();
        let mut places: Vec<usize> = match frame.chunk.taken() {
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

/// Returns the kind of a scalar type that also is a scalar in C; `None` for other types.
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

/// Returns the range of the bytes of a word that contain a scalar of this size in bytes.
fn lowest(size: usize) -> std::ops::Range<usize> {
    let end = size_of::<Word>();
    match cfg!(target_endian = "big") {
        true => end - size..end,
        false => 0..size,
    }
}
