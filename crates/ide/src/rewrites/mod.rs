//! Rewrites of definitions as changes of their text.

mod align;
mod chain;
mod comments;
mod diff;
mod level;
mod names;
mod print;
mod program;
mod restyle;
#[cfg(test)]
mod spines;
mod terms;
mod verify;

#[cfg(test)]
mod examples;
#[cfg(test)]
mod tests;

pub use align::Step;
pub use verify::{Rewritten, Unwritable, rewritten};
