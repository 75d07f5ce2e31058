//! Imperative DPIA to C and OpenMP.
//!
//! [`ir`] is the loop language in the middle.

mod c;
pub mod error;
pub mod ir;
pub mod lower;
pub mod module;
mod passes;
pub mod signature;

pub use error::CompileError;
pub use lower::{Lowered, lower};
pub use module::{ForeignText, Mapping, Module, Target};
pub use passes::finish;
pub use signature::Signature;
