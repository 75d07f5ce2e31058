//! What strategies do to programs: their meaning stays.

mod examples;
mod instance;
mod rules;
mod shipped;
