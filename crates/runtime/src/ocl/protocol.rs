//! The protocol between this process and the worker process for devices: JSON messages, each after
//! its length in bytes as a number of 64 bits. A message may be followed by raw bytes.

use super::bound_plan::BoundPlan;
use super::devices::DeviceInfo;
use super::error::OclError;
use super::plan::Plan;
use super::session::KernelInfo;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::time::Duration;

/// The largest length in bytes of a JSON message that is received.
const MAX_MESSAGE_LENGTH: u64 = 1 << 28;

/// A request to the worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Request {
    /// A request for the list of devices.
    Devices,
    /// A request to run kernels. The bytes of the arguments follow, with the sizes of the plan.
    Run {
        /// The number of the device.
        device: usize,
        plan: Box<Plan>,
        runs: Runs,
    },
}

/// The numbers of runs of kernels.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Runs {
    /// The number of runs before the timed ones.
    pub warm_up: u32,
    /// The number of timed runs; 0 counts as one.
    pub timed: u32,
    /// True if the copy bandwidth of the device is measured, too.
    pub bandwidth: bool,
}

/// An answer of the worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Reply {
    /// The current stage, which precedes the answer.
    Stage(Stage),
    Devices(Result<Vec<DeviceInfo>, OclError>),
    /// The report of a run. The bytes of the result follow, unless it failed.
    Ran(Result<Report, OclError>),
}

/// A stage of the work on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stage {
    /// Drivers are loaded.
    Opening,
    /// The driver compiles the kernels, and the arguments are transferred to the device.
    Building,
    /// The kernels run.
    Running,
    /// The result is transferred back.
    Copying,
    /// The bandwidth of the device is measured.
    Measuring,
}

impl Stage {
    /// Returns a description for progress reports.
    pub fn title(self) -> &'static str {
        match self {
            Stage::Opening => "starting OpenCL",
            Stage::Building => "building kernels",
            Stage::Running => "running kernels",
            Stage::Copying => "copying the result",
            Stage::Measuring => "measuring the device",
        }
    }
}

/// The report of a run, without the result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The timed runs, with the time of each kernel of the run.
    pub runs: Vec<Vec<Duration>>,
    /// The time of the transfer of the arguments to the device.
    pub upload: Duration,
    /// The time of the transfer of the result back.
    pub download: Duration,
    /// The output of the driver's compiler, which may be empty.
    pub log: String,
    /// The properties of each kernel that the driver reports.
    pub kernels: Vec<KernelInfo>,
    /// The copy bandwidth of the device in bytes per second, if it was requested.
    pub copy_bandwidth: Option<f64>,
    /// The size of the result in bytes.
    pub output: u64,
}

impl Report {
    /// Creates the report of a run that has not started yet.
    pub(super) fn before(bound: &BoundPlan, output: u64) -> Report {
        Report {
            runs: Vec::new(),
            upload: bound.upload,
            download: Duration::ZERO,
            log: bound.log.clone(),
            kernels: bound.kernels(),
            copy_bandwidth: None,
            output,
        }
    }
}

pub(super) fn send(out: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let head = serde_json::to_vec(message)?;
    out.write_all(&(head.len() as u64).to_ne_bytes())?;
    out.write_all(&head)?;
    out.flush()
}

/// Reads a message; `None` at the end of the stream.
pub(super) fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 8];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = u64::from_ne_bytes(length);
    if length > MAX_MESSAGE_LENGTH {
        return Err(io::Error::other(
            "a message of the OpenCL process is too long",
        ));
    }
    let head = bytes(from, length)?;
    Ok(Some(serde_json::from_slice(&head)?))
}

pub(super) fn bytes(from: &mut impl Read, length: u64) -> io::Result<Vec<u8>> {
    let length = usize::try_from(length).map_err(io::Error::other)?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length).map_err(io::Error::other)?;
    let read = from.take(length as u64).read_to_end(&mut bytes)?;
    match read == length {
        true => Ok(bytes),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_back_with_what_follows() -> io::Result<()> {
        let mut pipe = Vec::new();
        send(&mut pipe, &Request::Devices)?;
        pipe.extend([1, 2, 3]);
        let mut from = pipe.as_slice();
        assert!(matches!(receive(&mut from)?, Some(Request::Devices)));
        assert_eq!(bytes(&mut from, 3)?, [1, 2, 3]);
        assert!(receive::<Request>(&mut from)?.is_none());
        assert!(bytes(&mut from, 1).is_err());
        Ok(())
    }
}
