//! Tests of programs that are written in DPIA.

mod definitions;
mod docs;
mod phrases;
mod races;
mod source;
mod table;
mod types;
