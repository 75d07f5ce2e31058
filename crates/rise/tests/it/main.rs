//! The core language from outside: programs in, types and messages out.

mod common;
mod core;
mod inference;
mod normal;
mod papers;
mod printing;
