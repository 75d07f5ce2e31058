//! Analyses of programs in the loop language.

pub(crate) mod address_spaces;
pub(crate) mod arith;
pub(crate) mod conditions;
pub(crate) mod counts;
pub(crate) mod dependence_test;
pub(crate) mod flow;
pub(crate) mod groups;
pub(crate) mod layout;
pub(crate) mod math;
pub mod memory;
pub(crate) mod uses;
