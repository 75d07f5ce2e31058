//! Defines sets of passes that are left out, and the names of the parts of passes that can be left
//! out.

/// The passes, and parts of passes, to leave out, by their names; empty by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassSet(pub(crate) Vec<&'static str>);

impl PassSet {
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.contains(&name)
    }
}

/// The name of the simplification of indices with the ranges of counters, a part of lowering and of
/// the pass on loops (Lift, section 5.3).
pub(crate) const INDEX_SIMPLIFICATION: &str = "index-simplification";

/// The name of the omission of barriers that no dependence requires, a part of the pass on the
/// memory of kernels (Lift, section 5.4).
pub(crate) const BARRIER_ELIMINATION: &str = "barrier-elimination";

/// The name of the simplification of control flow, a part of the pass on loops: the removal of
/// loops that run at most once and of conditions that are known (Lift, section 5.5), and loop
/// peeling.
pub(crate) const CONTROL_FLOW_SIMPLIFICATION: &str = "control-flow-simplification";

/// The names of the optimisations that are parts of required passes, and can be left out like
/// passes.
pub(crate) const PARTS: [&str; 3] = [
    INDEX_SIMPLIFICATION,
    BARRIER_ELIMINATION,
    CONTROL_FLOW_SIMPLIFICATION,
];
