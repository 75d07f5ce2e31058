//! Parses and formats the source text of RISE, DPIA and ELEVATE: lexers, splitters into items,
//! parsers, syntax trees, formatters, spans, diagnostics, and corrections of misspelt words.
//!
//! The [`Dialect`]s RISE and DPIA share a syntax tree, lexer, parser and formatter: [`lex`],
//! [`parse`], [`format()`] and [`format_item`] are for RISE, the functions with the suffix `_in`
//! for both. [`elevate`] has the functions for ELEVATE. The crate does not depend on types, the
//! database or the editor. Parsing never fails: it returns a tree with explicit holes, and
//! diagnostics.

// The tests' printer of trees is shared with tests of other crates.
#[cfg(test)]
extern crate self as syntax;

pub mod ast;
pub mod codes;
mod diagnostic;
mod dialect;
pub mod elevate;
mod format;
pub mod lexer;
mod parser;
mod span;
mod split;
mod suggest;
mod tree;

#[doc(hidden)]
pub use diagnostic::Declaration;
pub use diagnostic::{Code, Diagnostic, Fix, GlobalId, ItemSpan, Related, Severity};
pub use dialect::Dialect;
pub use format::{WIDTH, format, format_in, format_item, format_item_in};
pub use lexer::{Token, TokenKind, lex, lex_in};
pub use parser::{MAX_DEPTH, MAX_HEIGHT, Parsed, no_bits, parse, parse_in};
pub use span::Span;
pub use split::{Edit, Resplit, resplit, split};
pub use suggest::{closest, foreign_scalar, is_one_letter_away};
