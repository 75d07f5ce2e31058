//! Tests of the translation to functional DPIA and of its messages.

mod accumulators;
mod file;
mod inlining_fixes;
mod kernel_memory;
mod kernels;
mod launches;
mod messages;
mod phrases;
mod scatter;
mod sizes;
mod streams;
mod suite;
