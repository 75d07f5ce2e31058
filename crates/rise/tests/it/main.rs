//! Integration tests of the core language: programs in, types and messages out.

mod core;
mod definitions;
mod inference;
mod normal;
mod papers;
mod printing;
