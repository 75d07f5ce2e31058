//! ELEVATE, a language of strategies that rewrite RISE programs.
//!
//! A *strategy* is a function from a program to a rewritten program or a failure. *Rules* are
//! strategies that rewrite one term; larger strategies are built from rules and predicates by
//! *combinators*, such as sequence and choice, and *traversals*, which select the subterms to
//! rewrite. After Hagedorn et al., "Achieving High-Performance the Functional Way" (ICFP 2020) and
//! "RISE & Shine" (2022).
//!
//! - [`term`]: programs as typed, curried, hash-consed terms.
//! - [`rule`]: rules with two sides in RISE: matching, conditions, instantiation.
//! - [`engine`]: strategies as data, and the abstract machine that applies them.
//! - [`normal`]: normal forms, computed without starting over at the root.
//! - `lowering`: the choice of an implementation for every pattern of a program that leaves it
//!   open.
//! - [`lang`]: `.elevate` files: names, types, checks, evaluation to strategies.
//! - [`codes`]: the diagnostics that this crate declares.
//!
//! This crate depends neither on the database nor on the editor, and reads no files.

pub mod codes;
pub mod engine;
pub mod lang;
mod lowering;
pub mod normal;
pub mod rule;
pub mod term;

#[cfg(test)]
mod testing;
