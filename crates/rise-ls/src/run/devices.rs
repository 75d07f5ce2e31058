//! Queries OpenCL devices in a worker process, and stores what is known of them: a driver that
//! crashes or hangs affects neither a command nor the language server.

use super::Failure;
use runtime::ocl::{DeviceInfo, OclError, PlanError, Worker, WorkerError};
use runtime::process::{Limits, ProcessError};
use std::cell::RefCell;
use std::collections::HashMap;
use std::process::Command;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The subcommand of this program that runs the worker process.
pub const WORKER: &str = "device-worker";

/// The devices, once they are enumerated.
static DEVICES: OnceLock<Vec<DeviceInfo>> = OnceLock::new();
/// The measured copy bandwidths in bytes per second, by the number and name of the device.
static BANDWIDTHS: Mutex<Option<HashMap<(usize, String), f64>>> = Mutex::new(None);

thread_local! {
    /// A worker process whose drivers are loaded, after it has enumerated the devices. The next run
    /// on this thread uses it. It ends with the thread.
    static IDLE: RefCell<Option<Worker>> = const { RefCell::new(None) };
}

/// Returns the OpenCL devices of this machine. The first call loads the drivers.
///
/// # Errors
/// Fails if there are no devices, or drivers fail.
pub fn devices(limits: &Limits) -> Result<Vec<DeviceInfo>, Failure> {
    if let Some(known) = DEVICES.get() {
        return Ok(known.clone());
    }
    let mut worker = worker(limits)?;
    let devices = found(&mut worker)?;
    IDLE.set(Some(worker));
    Ok(devices)
}

/// Returns the devices like `devices`, but with a given worker.
pub(super) fn found(worker: &mut Worker) -> Result<Vec<DeviceInfo>, Failure> {
    if let Some(known) = DEVICES.get() {
        return Ok(known.clone());
    }
    let devices = worker.devices()?;
    Ok(DEVICES.get_or_init(|| devices).clone())
}

/// Returns the selected device, see [`runtime::ocl::choose`].
///
/// # Errors
/// Fails if no device matches, or several do.
pub fn device(wanted: Option<&str>, limits: &Limits) -> Result<DeviceInfo, Failure> {
    let devices = devices(limits)?;
    let device = runtime::ocl::choose(&devices, wanted);
    Ok(device.map_err(WorkerError::from)?.clone())
}

/// Returns the idle worker process of this thread, or starts one.
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

/// Returns the copy bandwidth of a device in bytes per second, if it was measured.
pub(super) fn bandwidth(device: &DeviceInfo) -> Option<f64> {
    let known = BANDWIDTHS.lock().unwrap_or_else(PoisonError::into_inner);
    known
        .as_ref()?
        .get(&(device.number, device.name.clone()))
        .copied()
}

/// Stores a measured copy bandwidth in bytes per second.
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
            error if error.is_about_sizes() => Failure::Plan(Box::new(error)),
            error => Failure::Unavailable(error.to_string()),
        }
    }
}
