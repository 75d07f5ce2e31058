//! Runs kernels on OpenCL devices.
//!
//! The loader library is opened when devices are first requested, so that everything else works
//! without it. [`Session`] is a device in this process. User programs run in a worker process, so
//! that a kernel that hangs can be killed, and a driver that crashes does not affect this process.

mod bandwidth;
mod bound_plan;
mod devices;
mod error;
mod host_steps;
mod launch_sizes;
mod messages;
mod plan;
mod plan_error;
mod planner;
mod protocol;
mod reduce_local_size;
mod serve;
mod session;
mod worker;

pub use bound_plan::BoundPlan;
pub use devices::{DeviceInfo, DeviceType, VectorWidths, choose, devices};
pub use error::OclError;
pub use messages::{parse as parse_log, unresolved};
pub use plan::{ArgPlan, KernelPlan, LaunchPlan, OutputPlan, ParamPlan, Plan};
pub use plan_error::{PlanError, local_text, sizes_text};
pub use planner::{check_given, counters_fit, plan};
pub use protocol::{Report, Runs, Stage};
pub use serve::{serve, serve_stdio};
pub use session::{Arg, Buffer, Built, KernelHandle, KernelInfo, Launched, OPTIONS, Session};
pub use worker::{Outcome, Worker, WorkerError};

#[cfg(test)]
mod tests;
