//! Which programs have a functional phrase, and what is said about those that have none.

mod accumulators;
mod file;
mod kernel_memory;
mod kernels;
mod launches;
mod messages;
mod phrases;
mod scatter;
mod sizes;
mod streams;
mod suite;
mod written_out;
