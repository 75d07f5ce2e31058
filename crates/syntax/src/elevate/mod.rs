//! ELEVATE, the language of optimization strategies, `*.elevate`: text to typed syntax, and back.
//!
//! Files consist of items, as those of RISE do; the terms of RISE in them are read and printed by
//! what reads and prints RISE.

pub mod ast;
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
pub use parser::{Parsed, parse};
pub use split::{resplit, split};
