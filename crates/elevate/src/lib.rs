//! ELEVATE: strategies that rewrite RISE programs.
//!
//! A *strategy* is a function from a program to another one, or to a reason why it does not apply.
//! *Rules* are the smallest strategies; everything else is made of them by *combinators* (first
//! this, then that) and *traversals* (somewhere, everywhere, in the body). After Hagedorn et al.,
//! "Achieving High-Performance the Functional Way" (ICFP 2020) and "RISE & Shine" (2022).
//!
//! - [`term`]: programs as the engine sees them: shared, typed, curried terms.
//! - [`rule`]: rules with two sides in RISE: matching, conditions, instantiation.
//! - [`engine`]: strategies as data, and the machine that applies them.
//! - [`normal`]: normal forms, computed without starting over at the root.
//! - [`lang`]: `.elevate` files: names, types, checks, evaluation to strategies.
//!
//! Knows no database, no editor, no files.

pub mod engine;
pub mod lang;
pub mod measure;
pub mod normal;
pub mod rule;
pub mod term;

#[cfg(test)]
mod testing;
