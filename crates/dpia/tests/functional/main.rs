//! Which programs have a functional phrase, and what is said about those that have none.

mod accumulators;
mod file;
mod messages;
mod phrases;
mod sizes;
mod suite;
mod written_out;
