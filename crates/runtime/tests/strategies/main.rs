//! Tests that strategies preserve the semantics of programs.

mod examples;
mod instance;
mod rules;
mod shipped;
