//! Kernels on OpenCL devices.
//!
//! The library that finds drivers is opened when a device is asked for, and not before: without
//! it everything else works. [`Session`] is a device in this process; what users run is launched
//! by a process of its own, so that a kernel that hangs can be ended, and a driver that crashes
//! takes nothing with it.

mod bandwidth;
mod bound;
mod devices;
mod error;
mod messages;
mod plan;
mod planner;
mod protocol;
mod refusal;
mod serve;
mod session;
mod sizes;
mod smaller;
mod worker;

pub use bound::Bound;
pub use devices::{DeviceInfo, DeviceType, VectorWidths, choose, devices};
pub use error::OclError;
pub use messages::{parse as parse_log, unresolved};
pub use plan::{ArgPlan, KernelPlan, ParamPlan, Plan};
pub use planner::{check_given, counters_fit, plan};
pub use protocol::{Report, Runs, Stage};
pub use refusal::{PlanError, local_text};
pub use serve::{serve, serve_stdio};
pub use session::{Arg, Buffer, Built, KernelHandle, KernelInfo, Launched, OPTIONS, Session};
pub use worker::{Outcome, Worker, WorkerError};

#[cfg(test)]
mod tests;
