//! Kernels on OpenCL devices.
//!
//! The library that finds drivers is opened when a device is asked for, and not before: without
//! it everything else works. [`Session`] is a device in this process; what users run is launched
//! by a process of its own, so that a kernel that hangs can be ended, and a driver that crashes
//! takes nothing with it.

mod devices;
mod error;
mod messages;
mod session;

pub use devices::{DeviceInfo, DeviceType, VectorWidths, choose, devices};
pub use error::OclError;
pub use messages::parse as parse_log;
pub use session::{Arg, Buffer, Built, KernelHandle, KernelInfo, Launched, OPTIONS, Session};

#[cfg(test)]
mod tests;
