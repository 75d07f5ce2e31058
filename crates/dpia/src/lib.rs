//! DPIA, the language between RISE and generated code (Atkey, Steuwer, Lindley and Dubach, 2017;
//! RISE & Shine, section V): phrases, phrase types, access, and the translation from functional to
//! imperative programs.

pub mod phrase;
pub mod prim;

pub use phrase::{Phrase, PhraseProgram};
pub use prim::Prim;
