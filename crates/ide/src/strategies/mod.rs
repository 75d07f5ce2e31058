//! Editor features for files of ELEVATE.

pub(crate) mod completion;
mod context;
pub(crate) mod formatting;
pub(crate) mod hover;
pub(crate) mod names;
pub(crate) mod offered;
pub(crate) mod signature;
pub(crate) mod stepping;
pub(crate) mod steps;
pub(crate) mod structure;
#[cfg(test)]
mod tests;
pub(crate) mod tokens;
