//! Programs that are written in DPIA.

mod phrases;
mod races;
mod source;
mod types;
