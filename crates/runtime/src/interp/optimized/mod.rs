//! Optimised evaluation, with the results of the reference semantics.
//!
//! [`compile`](super::compile) states the meaning of each primitive as code that computes one
//! value. Here are variants of that code, which loops use where they exist:
//!
//! - Batched code runs each operation for a whole chunk of iterations before the next one
//!   ([`batch`], [`lanes`], [`fold`], [`calls`]).
//! - A stream computes an array part by part, where a loop reads it ([`stream`], [`segments`]).
//! - A function that only rearranges its argument is applied to all elements of an array at once
//!   ([`views`]).
//!
//! If an operation of batched code has no value for one of the iterations, the loop runs the chunk
//! element by element, which reports the error. Only a failed call of a C function ends the program
//! at once. Without [`Options::optimize`](super::Options::optimize) no variants are used; the tests
//! compare both ways of evaluation.

mod batch;
mod calls;
mod fold;
mod lanes;
mod loops;
mod primitives;
mod segments;
mod side_effects;
mod stream;
mod views;

use self::batch::BatchCode;
use self::stream::StreamCode;

pub(crate) use self::batch::ChunkState;
pub(crate) use self::calls::calls;
pub(crate) use self::fold::Fold;
pub(crate) use self::loops::{Chunks, generate, iterate, map, reduce, repeat};
pub(crate) use self::primitives::{
    concat, element, gather, half, lane_wise, make_array, pad_cst, pair, rearranged, scalar,
    spread, variable,
};
pub(crate) use self::stream::{Elements, ViewCode, elements};

/// The optimised variants of code, which only this module uses.
#[derive(Clone, Default)]
pub(crate) struct Variants {
    /// Code that computes the value for many iterations at once.
    batch: Option<BatchCode>,
    /// Code that computes an array part by part.
    stream: Option<StreamCode>,
}

impl Variants {
    fn batched(batch: Option<BatchCode>) -> Variants {
        Variants {
            batch,
            stream: None,
        }
    }
}
