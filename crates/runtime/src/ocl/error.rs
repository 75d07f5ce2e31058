//! The errors of OpenCL.

use super::DeviceInfo;
use super::messages;
use opencl3::error_codes::{
    CL_BUILD_PROGRAM_FAILURE, CL_DEVICE_NOT_AVAILABLE, CL_DEVICE_NOT_FOUND, CL_INVALID_BUFFER_SIZE,
    CL_INVALID_KERNEL_NAME, CL_INVALID_WORK_GROUP_SIZE, CL_MEM_OBJECT_ALLOCATION_FAILURE,
    CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES, CL_PLATFORM_NOT_FOUND_KHR, ClError,
    DLOPEN_FUNCTION_NOT_AVAILABLE, DLOPEN_RUNTIME_LOAD_FAILED, error_text,
};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// An error of OpenCL.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum OclError {
    /// The OpenCL loader library is not found.
    #[error(
        "there is no OpenCL on this machine: the library `libOpenCL` is not found (on Debian: `apt install ocl-icd-libopencl1`, and a driver: `pocl-opencl-icd` for the processor)"
    )]
    NoLibrary,
    /// There are no drivers.
    #[error(
        "there is no OpenCL driver on this machine: the library finds no platform (on Debian `apt install pocl-opencl-icd` installs one for the processor)"
    )]
    NoPlatform,
    /// No driver has a device.
    #[error("there is no OpenCL device on this machine; platforms: {}", .0.join(", "))]
    NoDevice(Vec<String>),
    /// No device has this name or number.
    #[error("there is no OpenCL device with `{wanted}` in its name or platform{}", listed(.known))]
    UnknownDevice {
        /// The requested name or number.
        wanted: String,
        /// The available devices.
        known: Vec<String>,
    },
    /// Several devices have this name.
    #[error("several OpenCL devices have `{wanted}` in their names or platforms; give more of the name, or the number of the device{}", listed(.found))]
    AmbiguousDevice {
        /// The requested name.
        wanted: String,
        /// The devices with this name.
        found: Vec<String>,
    },
    /// The driver's compiler rejects the program.
    #[error("the OpenCL compiler rejects the program: {}", messages::first_error(.log))]
    Build {
        /// The build log.
        log: String,
    },
    /// A kernel needs too many registers for a work-group of this size.
    #[error("a work-group of the kernel `{kernel}` has {} work-items, and {device} takes at most {limit} of this kernel, for its registers: give a smaller local size with `--local` or in `@opencl`", .local.iter().product::<u64>())]
    Registers {
        /// The name of the kernel.
        kernel: String,
        /// The number of work-items of a work-group in each dimension.
        local: [u64; 3],
        /// The largest possible number of work-items of a work-group.
        limit: u64,
        /// The name of the device.
        device: String,
    },
    /// The device has no memory for a buffer.
    #[error("the device has no memory for another buffer of {}", crate::process::bytes_text(*.bytes))]
    Memory {
        /// The size of the buffer in bytes.
        bytes: u64,
    },
    /// A function of OpenCL failed.
    #[error("{what}: {}{}", code_text(*.code), hint(*.code))]
    Call {
        /// A description of the operation.
        what: String,
        /// The error code.
        code: i32,
    },
    /// The arguments of a kernel do not match its parameters, or its text cannot be passed to the
    /// driver.
    #[error("{0}")]
    Misuse(String),
}

impl OclError {
    /// Returns a converter of error codes, where `what` describes the failed operation.
    pub(super) fn of(what: impl Into<String>) -> impl FnOnce(ClError) -> OclError {
        move |error| OclError::from_code(what, error.0)
    }

    pub(super) fn from_code(what: impl Into<String>, code: i32) -> OclError {
        match code {
            DLOPEN_RUNTIME_LOAD_FAILED => OclError::NoLibrary,
            CL_PLATFORM_NOT_FOUND_KHR => OclError::NoPlatform,
            CL_DEVICE_NOT_FOUND => OclError::NoDevice(Vec::new()),
            _ => OclError::Call {
                what: what.into(),
                code,
            },
        }
    }

    /// Returns true if the machine or the request causes the error, and not the program: for all
    /// errors except [`OclError::Build`], [`OclError::Call`] and [`OclError::Misuse`].
    pub fn is_missing(&self) -> bool {
        !matches!(
            self,
            OclError::Build { .. } | OclError::Call { .. } | OclError::Misuse(_)
        )
    }
}

fn listed(devices: &[String]) -> String {
    let lines = devices.iter().map(|device| format!("\n  {device}"));
    match devices {
        [] => String::new(),
        _ => format!(":{}", lines.collect::<String>()),
    }
}

/// Returns a device as listed in messages: `#0 NVIDIA H200 (NVIDIA CUDA)`.
pub(super) fn label(device: &DeviceInfo) -> String {
    format!("#{} {} ({})", device.number, device.name, device.platform)
}

fn code_text(code: i32) -> String {
    let name = error_text(code);
    match name {
        "" => format!("error {code}"),
        name if name.starts_with("UNKNOWN") => format!("error {code}"),
        name => format!("{name} ({code})"),
    }
}

/// Returns an explanation of an error code for users; empty for codes without one.
fn hint(code: i32) -> &'static str {
    match code {
        CL_OUT_OF_RESOURCES => {
            "; the kernel needs more registers or memory than the device has for so large a work-group, or it has accessed memory that is not its own"
        }
        CL_OUT_OF_HOST_MEMORY => "; there is no memory left",
        CL_MEM_OBJECT_ALLOCATION_FAILURE => "; the device does not have that much memory left",
        CL_INVALID_WORK_GROUP_SIZE => "; the device does not take work-groups of this size",
        CL_INVALID_BUFFER_SIZE => "; the device does not take buffers of this size",
        CL_DEVICE_NOT_AVAILABLE => "; another process may use it exclusively",
        CL_INVALID_KERNEL_NAME => "; the program has no kernel of this name",
        CL_BUILD_PROGRAM_FAILURE => "; the compiler does not say why",
        DLOPEN_FUNCTION_NOT_AVAILABLE => {
            "; the OpenCL library of this machine does not have the function, it may be older than OpenCL 1.2"
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_names_and_meanings() {
        let error = OclError::from_code("launching `k`", CL_OUT_OF_RESOURCES);
        assert!(
            error
                .to_string()
                .starts_with("launching `k`: CL_OUT_OF_RESOURCES (-5); the kernel needs"),
            "{error}"
        );
        let error = OclError::from_code("launching `k`", -9999);
        assert_eq!(error.to_string(), "launching `k`: error -9999");
        assert_eq!(OclError::from_code("", -2000), OclError::NoLibrary);
        assert_eq!(OclError::from_code("", -1001), OclError::NoPlatform);
    }

    #[test]
    fn devices_are_listed_where_one_is_to_be_chosen() {
        let error = OclError::UnknownDevice {
            wanted: "Radeon".to_owned(),
            known: vec!["#0 a (p)".to_owned(), "#1 b (p)".to_owned()],
        };
        assert_eq!(
            error.to_string(),
            "there is no OpenCL device with `Radeon` in its name or platform:\n  #0 a (p)\n  #1 b (p)"
        );
    }
}
