//! Tests of the database through its public API.

mod dialects;
mod edits;
mod fixture;
mod incremental;
mod names;
mod programs;
mod runs;
mod targets;
