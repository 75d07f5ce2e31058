//! What goes between this program and the process that works with a device: JSON, and bytes
//! behind it.

use super::bound::Bound;
use super::devices::DeviceInfo;
use super::error::OclError;
use super::plan::Plan;
use super::session::KernelInfo;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::time::Duration;

/// The longest JSON: programs are not larger.
const MAX_HEAD: u64 = 1 << 28;

/// What is asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Request {
    /// The devices.
    Devices,
    /// Kernels, run on a device. The arguments follow, as many bytes each as the plan says.
    Run {
        /// The device: its number.
        device: usize,
        /// What runs.
        plan: Box<Plan>,
        /// How often.
        runs: Runs,
    },
}

/// How often kernels run.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Runs {
    /// Runs before times count.
    pub warm_up: u32,
    /// Runs that are timed; at least one.
    pub timed: u32,
    /// Whether the device's copy bandwidth is measured, too.
    pub bandwidth: bool,
}

/// What is answered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Reply {
    /// What is being done now; the answer is still to come.
    Stage(Stage),
    /// The devices.
    Devices(Result<Vec<DeviceInfo>, OclError>),
    /// What a run gave; the result's bytes follow, if there is one.
    Ran(Result<Report, OclError>),
}

/// What is being done on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stage {
    /// Drivers start.
    Opening,
    /// The driver compiles the kernels, and the arguments are copied to the device.
    Building,
    /// The kernels run.
    Running,
    /// The result is copied back.
    Copying,
    /// The device's bandwidth is measured.
    Measuring,
}

impl Stage {
    /// As it is said while it goes on.
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

/// What a run gave, without the result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// How long each kernel took in each run that is timed.
    pub runs: Vec<Vec<Duration>>,
    /// How long the arguments took to the device.
    pub upload: Duration,
    /// How long the result took back.
    pub download: Duration,
    /// What the compiler said, if it said anything.
    pub log: String,
    /// What the driver says of each kernel.
    pub kernels: Vec<KernelInfo>,
    /// Bytes a second that the device copies, if that was asked.
    pub copy_bandwidth: Option<f64>,
    /// Bytes of the result.
    pub output: u64,
}

impl Report {
    /// The report of a run, with nothing in it but what is known before it.
    pub(super) fn before(bound: &Bound, output: u64) -> Report {
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

/// Writes a message.
pub(super) fn send(out: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let head = serde_json::to_vec(message)?;
    out.write_all(&(head.len() as u64).to_ne_bytes())?;
    out.write_all(&head)?;
    out.flush()
}

/// Reads a message; none at the end.
pub(super) fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 8];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = u64::from_ne_bytes(length);
    if length > MAX_HEAD {
        return Err(io::Error::other("a message is too long"));
    }
    let head = bytes(from, length)?;
    Ok(Some(serde_json::from_slice(&head)?))
}

/// Reads so many bytes.
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
