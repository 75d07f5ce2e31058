//! The database as its users see it.

mod dialects;
mod edits;
mod fixture;
mod incremental;
mod names;
mod programs;
mod runs;
mod targets;
