//! Records the first value of each expression, to show what a program computes.

use nat::Var;
use rise::Ty;
use rise::core::Origin;
use rustc_hash::FxHashSet;

use super::frame::Frame;
use super::val::Val;
use super::{TraceLimits, io};
use crate::Value;

/// The recorded values.
pub(crate) struct Trace {
    limits: TraceLimits,
    seen: FxHashSet<Origin>,
    pub values: Vec<(Origin, Value)>,
}

impl Trace {
    pub fn new(limits: TraceLimits) -> Trace {
        Trace {
            limits,
            seen: FxHashSet::default(),
            values: Vec::new(),
        }
    }
}

/// Records a value if it is the first one of its expression, and within the limits.
pub(crate) fn record(frame: &mut Frame<'_>, origin: Origin, ty: &Ty, value: &Val, first: u32) {
    let Some(mut trace) = frame.trace.take() else {
        return;
    };
    if trace.values.len() < trace.limits.values && trace.seen.insert(origin) {
        let nats = |var: Var| {
            let slot = var.0.checked_sub(first)?;
            frame.nats.get(slot as usize).copied()
        };
        // Values without a shape, or that are too large, are not recorded.
        if let Ok(shape) = io::shape(ty, value, &nats)
            && shape
                .count()
                .is_some_and(|count| count <= trace.limits.elements)
            && let Ok(shown) = io::to_value(&shape, value, Some(origin))
        {
            trace.values.push((origin, shown));
        }
    }
    frame.trace = Some(trace);
}
