//! Text to typed syntax, and back: spans, diagnostics, items, parser, formatter.
//!
//! Knows no types, no database, no editor. Parsing never fails: it returns a tree with explicit
//! holes and what it has to say about the text.

pub mod ast;
pub mod diagnostic;
mod span;

pub use diagnostic::{Code, Diagnostic, Fix, GlobalId, Place, Related, Severity};
pub use span::Span;
