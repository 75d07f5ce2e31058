//! What is computed about the loop language without changing it.

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
pub(crate) mod single_assignment;
pub(crate) mod trace;
pub(crate) mod uses;

use nat::Var;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::Id;
use trace::Trace;

/// The results of the passes about the variables of a function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// The arrays that are allocated; the others stand on the stack.
    pub heap: FxHashSet<Id>,
    /// Plain variables that keep their first value.
    pub constant: FxHashSet<Id>,
    /// The variables of each thread in a parallel loop, by the loop's counter.
    pub per_thread: FxHashMap<Var, Vec<Id>>,
    /// The changes to each statement.
    pub trace: Trace,
}
