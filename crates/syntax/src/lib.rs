//! Text to typed syntax, and back: spans, diagnostics, items, parser, formatter.
//!
//! One syntax serves two languages, the [`Dialect`]s RISE and DPIA; functions that do not say which
//! are for RISE. Knows no types, no database, no editor. Parsing never fails: it returns a tree with explicit
//! holes and what it has to say about the text.

pub mod ast;
pub mod diagnostic;
mod dialect;
mod dump;
pub mod elevate;
mod format;
pub mod lexer;
mod parser;
mod span;
mod split;
mod suggest;
mod tree;

pub use diagnostic::{Code, Diagnostic, Fix, GlobalId, Place, Related, Severity};
pub use dialect::Dialect;
pub use dump::dump;
pub use format::{WIDTH, format, format_in, format_item, format_item_in};
pub use lexer::{Token, TokenKind, lex, lex_in};
pub use parser::{MAX_DEPTH, MAX_HEIGHT, Parsed, no_bits, parse, parse_in};
pub use span::Span;
pub use split::{Edit, Resplit, resplit, split};
pub use suggest::closest;
