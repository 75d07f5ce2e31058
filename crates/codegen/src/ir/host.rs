//! Defines the steps of the host, which launches kernels.

use nat::{Nat, Var};

/// A step of the host. `M` names memory: arrays, and handles, which refer to different arrays in
/// turn.
#[derive(Clone, Debug, PartialEq)]
pub enum HostStep<M> {
    /// Launches the kernel with this index, and waits for its end before the next step.
    Launch(usize),
    /// Makes a handle refer to the memory that comes second.
    Point(M, M),
    /// Exchanges the memory to which two handles refer.
    Swap(M, M),
    /// Runs steps again and again.
    Repeat {
        /// The number of the current round, from 0.
        counter: Var,
        /// The number of rounds.
        count: Nat,
        /// The steps of a round.
        body: Vec<HostStep<M>>,
    },
    /// Runs steps if two sizes or counters of rounds are equal, and others if not.
    IfEqual {
        /// The sizes.
        sizes: [Nat; 2],
        /// The steps if they are equal.
        then: Vec<HostStep<M>>,
        /// The steps if they are not equal.
        otherwise: Vec<HostStep<M>>,
    },
}

impl<M> HostStep<M> {
    /// Returns the step with other names for memory.
    pub fn map<N>(&self, name: &impl Fn(&M) -> N) -> HostStep<N> {
        let all = |steps: &[HostStep<M>]| steps.iter().map(|step| step.map(name)).collect();
        match self {
            HostStep::Launch(kernel) => HostStep::Launch(*kernel),
            HostStep::Point(handle, memory) => HostStep::Point(name(handle), name(memory)),
            HostStep::Swap(one, other) => HostStep::Swap(name(one), name(other)),
            HostStep::Repeat {
                counter,
                count,
                body,
            } => HostStep::Repeat {
                counter: *counter,
                count: count.clone(),
                body: all(body),
            },
            HostStep::IfEqual {
                sizes,
                then,
                otherwise,
            } => HostStep::IfEqual {
                sizes: sizes.clone(),
                then: all(then),
                otherwise: all(otherwise),
            },
        }
    }
}
