//! ELEVATE, the language of optimization strategies, `*.elevate`: text to typed syntax, and back.
//!
//! Files consist of items, as those of RISE do; the terms of RISE in them are read and printed by
//! what reads and prints RISE. The whole grammar stands in `docs/elevate.md`. What tokens alone
//! say, so that other readers of the language agree:
//!
//! - `@` is the sign of an attribute where it touches the name behind it and nothing before it; every
//!   other `@`, plain or in quotes, is the operator.
//! - `` `…` `` on one line is an operator if it holds one, white space aside, and else a name.
//! - The `(` of a call touches what is called, in terms of RISE too.
//! - Reserved are the [`Word`]s and what RISE reserves. `and or divides notIn not holds`, `step pow
//!   divisors`, `input apply expect modulo failure trace`, `rise`, `List Seq`, `Success Failure` and
//!   the nodes `app lit prim depapp depfun` mean something in their places only.
//! - `rule` before `{` is an expression, and else begins an item.
//! - Where an operand is complete outside of brackets, a name, a `(`, `fun`, `if`, `with` or `rule {`
//!   at the start of a line begins the main expression. Further right an operator is missing.

pub mod ast;
mod brackets;
mod dump;
mod format;
pub mod lexer;
mod names;
mod order;
mod parser;
mod split;
mod tree;

pub use dump::dump;
pub use format::{format, format_item};
pub use lexer::{Combinator, Quotes, Token, TokenKind, Word, lex};
pub use names::{Mention, MentionPlace};
pub use order::check_order;
pub use parser::{ATTRIBUTES, Parsed, parse};
pub use split::{resplit, split};
