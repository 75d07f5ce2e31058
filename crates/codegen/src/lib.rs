//! Imperative DPIA to C and OpenMP.
//!
//! [`ir`] is the loop language in the middle.

pub mod ir;
pub mod module;
pub mod signature;

pub use module::{Mapping, Module, Target};
pub use signature::Signature;
