//! DPIA, the language between RISE and generated code (Atkey, Steuwer, Lindley and Dubach, 2017;
//! RISE & Shine, section V): phrases, phrase types, accesses, the checks of programs for a target,
//! and the translation from functional to imperative programs.

pub mod check;
pub mod codes;
pub mod definition;
pub mod functional;
pub mod imperative;
mod language;
pub mod phrase;
pub mod prim;
pub mod races;
mod stage;
pub mod surface;
pub mod target;
pub mod typing;

pub use check::{CheckError, check};
pub use functional::functional;
pub use imperative::{ImperativeError, imperative};
pub use phrase::{Phrase, PhraseProgram};
pub use prim::Prim;
pub use target::{Device, Features, IndexPolicy, IndexWidth, Parallelism};
