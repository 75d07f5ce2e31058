//! Imperative DPIA to C and OpenMP.
//!
//! [`ir`] is the loop language in the middle.

pub mod error;
pub mod ir;
pub mod lower;
pub mod module;
pub mod signature;

pub use error::CompileError;
pub use lower::{Lowered, lower};
pub use module::{Mapping, Module, Target};
pub use signature::Signature;
