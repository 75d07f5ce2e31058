//! OpenCL devices, which are asked in a process of their own: drivers crash and hang, and neither
//! a command nor the language server does because of them.

use super::Failure;
use runtime::launch::LaunchError;
use runtime::ocl::{DeviceInfo, OclError, PlanError, Worker, WorkerError};
use runtime::process::{Limits, ProcessError};
use std::cell::RefCell;
use std::collections::HashMap;
use std::process::Command;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The subcommand of this program that works with devices.
pub const WORKER: &str = "device-worker";

/// The devices, once they were found.
static DEVICES: OnceLock<Vec<DeviceInfo>> = OnceLock::new();
/// Bytes a second that devices copy, by number and name.
static BANDWIDTHS: Mutex<Option<HashMap<(usize, String), f64>>> = Mutex::new(None);

thread_local! {
    /// A process whose drivers have started already: the run that asked about devices goes on
    /// with it. It ends with the thread.
    static IDLE: RefCell<Option<Worker>> = const { RefCell::new(None) };
}

/// The OpenCL devices of this machine. Drivers are started when this is called first, and not
/// before.
///
/// # Errors
/// There are none, or drivers fail.
pub fn devices(limits: &Limits) -> Result<Vec<DeviceInfo>, Failure> {
    if let Some(known) = DEVICES.get() {
        return Ok(known.clone());
    }
    let mut worker = worker(limits)?;
    let devices = found(&mut worker)?;
    IDLE.set(Some(worker));
    Ok(devices)
}

/// The same, from a process that goes on.
pub(super) fn found(worker: &mut Worker) -> Result<Vec<DeviceInfo>, Failure> {
    if let Some(known) = DEVICES.get() {
        return Ok(known.clone());
    }
    let devices = worker.devices()?;
    Ok(DEVICES.get_or_init(|| devices).clone())
}

/// The device that is meant, see [`runtime::ocl::choose`].
///
/// # Errors
/// There is none, or several are called so.
pub fn device(wanted: Option<&str>, limits: &Limits) -> Result<DeviceInfo, Failure> {
    let devices = devices(limits)?;
    let device = runtime::ocl::choose(&devices, wanted);
    Ok(device.map_err(WorkerError::from)?.clone())
}

/// A process that works with devices.
pub(super) fn worker(limits: &Limits) -> Result<Worker, Failure> {
    if let Some(worker) = IDLE.take() {
        return Ok(worker.under(limits));
    }
    let program = crate::executable::current()
        .map_err(|error| Failure::Unavailable(format!("the path of this program: {error}")))?;
    let mut command = Command::new(program);
    command.arg(WORKER);
    Ok(Worker::start(&mut command, limits)?)
}

/// Bytes a second that a device copies, if that was measured.
pub(super) fn bandwidth(device: &DeviceInfo) -> Option<f64> {
    let known = BANDWIDTHS.lock().unwrap_or_else(PoisonError::into_inner);
    known
        .as_ref()?
        .get(&(device.number, device.name.clone()))
        .copied()
}

/// Keeps what was measured.
pub(super) fn keep_bandwidth(device: &DeviceInfo, bytes: f64) {
    let mut known = BANDWIDTHS.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (device.number, device.name.clone());
    known.get_or_insert_default().insert(key, bytes);
}

impl From<WorkerError> for Failure {
    fn from(error: WorkerError) -> Failure {
        match error {
            WorkerError::Process(ProcessError::Cancelled) => Failure::Cancelled,
            WorkerError::Ocl(ref why) if why.is_missing() => {
                let mut text = why.to_string();
                if matches!(
                    why,
                    OclError::NoLibrary | OclError::NoPlatform | OclError::NoDevice(_)
                ) {
                    text.push_str("; `--backend interp` runs programs without");
                }
                Failure::Unavailable(text)
            }
            WorkerError::Process(_) => Failure::Unavailable(error.to_string()),
            WorkerError::Shape(error) => error.into(),
            WorkerError::Ocl(_) | WorkerError::TooLong { .. } | WorkerError::Crashed { .. } => {
                Failure::failed(error.to_string())
            }
        }
    }
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Failure {
        match error {
            PlanError::Launch(error) => error.into(),
            error if error.is_about_sizes() => LaunchError::Device(Box::new(error)).into(),
            error => Failure::Unavailable(error.to_string()),
        }
    }
}
