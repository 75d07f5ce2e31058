//! Integration tests of the core language: programs in, types and messages out.

mod common;
mod core;
mod inference;
mod normal;
mod papers;
mod printing;
