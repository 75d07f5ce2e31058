//! Defines sets of passes that are left out.

/// The passes to leave out, by their names; empty by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassSet(pub(crate) Vec<&'static str>);

impl PassSet {
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.contains(&name)
    }
}

/// The simplification of indices with the ranges of counters, a part of lowering and of the pass
/// on loops (Lift, section 5.3).
pub(crate) const INDEX_SIMPLIFICATION: &str = "index-simplification";

/// The omission of barriers that no dependence requires, a part of the pass on the memory of
/// kernels (Lift, section 5.4).
pub(crate) const BARRIER_ELIMINATION: &str = "barrier-elimination";

/// The removal of loops that run at most once and of conditions that are known, a part of the pass
/// on loops (Lift, section 5.5).
pub(crate) const CONTROL_FLOW_SIMPLIFICATION: &str = "control-flow-simplification";

/// The optimisations that are parts of required passes, and can be left out like passes.
pub(crate) const PARTS: [&str; 3] = [
    INDEX_SIMPLIFICATION,
    BARRIER_ELIMINATION,
    CONTROL_FLOW_SIMPLIFICATION,
];
