//! Text to typed syntax, and back: spans, diagnostics, items, parser, formatter.
//!
//! Knows no types, no database, no editor. Parsing never fails: it returns a tree with explicit
//! holes and what it has to say about the text.

pub mod ast;
pub mod diagnostic;
mod dump;
mod format;
pub mod lexer;
mod parser;
mod span;
mod split;
mod tree;

pub use diagnostic::{Code, Diagnostic, Fix, GlobalId, Place, Related, Severity};
pub use dump::dump;
pub use format::{WIDTH, format, format_item};
pub use lexer::{Token, TokenKind, lex};
pub use parser::{MAX_DEPTH, MAX_HEIGHT, Parsed, parse};
pub use span::Span;
pub use split::{Edit, Resplit, resplit, split};
