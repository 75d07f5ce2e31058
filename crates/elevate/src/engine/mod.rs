//! Strategies as data, and the machine that applies them.
//!
//! The seam to rules is [`Rewrite`]: something with a name that takes a term at a place and gives
//! another one, or says cheaply how near it was.

mod rewrite;

pub use rewrite::{Around, Context, Miss, Reach, Reason, Rewrite, Rewritten};
