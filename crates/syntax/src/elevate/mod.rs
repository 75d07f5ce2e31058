//! Parses and formats ELEVATE, the language of optimisation strategies, `*.elevate`.
//!
//! Files consist of items, as in RISE; the parser and formatter of RISE process the RISE terms
//! within them. `docs/elevate.md` defines the whole grammar. The following lexical rules are listed
//! here so that other parsers of the language agree:
//!
//! - `@` begins an attribute if it is adjacent to the name after it and not to the token before
//!   it; any other `@`, plain or in quotes, is the operator.
//! - `` `…` `` on one line is an operator if it contains one (and white space), and otherwise a
//!   name.
//! - The `(` of a call is adjacent to the callee, in RISE terms too.
//! - Reserved are the [`Word`]s and the words that RISE reserves. `and or divides notIn not holds`,
//!   `step pow divisors`, `input apply expect modulo failure trace`, `rise`, `List Seq`,
//!   `Success Failure` and the nodes `app lit prim depapp depfun` are keywords in certain positions
//!   only.
//! - `rule` before `{` is an expression, and otherwise begins an item.
//! - Outside of brackets, after a complete operand, a name, a `(`, `fun`, `if`, `with` or `rule {`
//!   at the start of a line begins the main expression. In an indented position an operator is
//!   missing.

pub mod ast;
mod brackets;
mod format;
mod item_order;
mod parser;
mod references;
mod split;
mod tree;

pub use crate::lexer::elevate::{Combinator, Quotes, Word, lex};
pub use format::{format, format_item};
pub use item_order::check_order;
pub use parser::{ATTRIBUTES, Parsed, parse};
pub use references::{NameContext, NameRef};
pub use split::{resplit, split};
