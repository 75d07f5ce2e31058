//! Which programs have a functional phrase, and what is said about those that have none.

mod file;
mod messages;
mod phrases;
mod suite;
mod written_out;
