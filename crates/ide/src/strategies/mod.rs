//! Strategies for definitions of programs: the list that menus offer, and their steps.

pub(crate) mod offered;
pub(crate) mod stepping;
pub(crate) mod steps;
#[cfg(test)]
mod tests;
