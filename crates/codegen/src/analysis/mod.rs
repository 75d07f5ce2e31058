//! Defines analyses of programs in the loop language, and of the types and sizes in them.

pub(crate) mod accumulation;
pub(crate) mod address_spaces;
pub(crate) mod arith;
pub(crate) mod code_size;
pub(crate) mod conditions;
pub(crate) mod counts;
pub(crate) mod dependence_test;
pub(crate) mod flow;
pub(crate) mod groups;
pub(crate) mod iterations;
pub(crate) mod layout;
pub(crate) mod math;
pub mod memory;
pub(crate) mod uses;
pub(crate) mod vectorization;
