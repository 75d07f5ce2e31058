//! What strategies do to programs: their meaning stays.

mod agree;
mod examples;
mod shipped;
