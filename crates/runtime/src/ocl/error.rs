//! What goes wrong between this program and an OpenCL driver.

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

/// Why OpenCL did not do what was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum OclError {
    /// The library that finds drivers is not there.
    #[error(
        "there is no OpenCL on this machine: the library `libOpenCL` is not found (on Debian: `apt install ocl-icd-libopencl1`, and a driver: `pocl-opencl-icd` for the processor)"
    )]
    NoLibrary,
    /// There are no drivers.
    #[error(
        "there is no OpenCL driver on this machine: the library finds no platform (on Debian `apt install pocl-opencl-icd` installs one for the processor)"
    )]
    NoPlatform,
    /// There are drivers, and none of them has a device.
    #[error("there is no OpenCL device on this machine; platforms: {}", .0.join(", "))]
    NoDevice(Vec<String>),
    /// No device is called so.
    #[error("there is no OpenCL device with `{wanted}` in its name or platform{}", listed(.known))]
    UnknownDevice {
        /// What was asked for.
        wanted: String,
        /// The devices that there are.
        known: Vec<String>,
    },
    /// Several devices are called so.
    #[error("several OpenCL devices have `{wanted}` in their names or platforms; say more of the name, or its number{}", listed(.found))]
    AmbiguousDevice {
        /// What was asked for.
        wanted: String,
        /// The devices that are called so.
        found: Vec<String>,
    },
    /// The driver's compiler refuses the program.
    #[error("the OpenCL compiler refuses the program: {}", messages::first_error(.log))]
    Build {
        /// Everything that it said.
        log: String,
    },
    /// A kernel needs so many registers that a group cannot be so large.
    #[error("a work-group of the kernel `{kernel}` has {} work-items, and {device} takes at most {limit} of this kernel, for its registers: give a smaller local size with `--local` or in `@opencl`", .local.iter().product::<u64>())]
    Registers {
        /// The kernel.
        kernel: String,
        /// Work-items of a group.
        local: [u64; 3],
        /// The most that are possible.
        limit: u64,
        /// The device.
        device: String,
    },
    /// There is no memory for a buffer.
    #[error("the device has no memory for a buffer of {} more", crate::process::bytes_text(*.bytes))]
    Memory {
        /// So large it would be.
        bytes: u64,
    },
    /// A function of OpenCL failed.
    #[error("{what}: {}{}", code_text(*.code), hint(*.code))]
    Call {
        /// What was being done.
        what: String,
        /// What OpenCL says.
        code: i32,
    },
    /// A kernel takes other parameters than it is given, or its text cannot be passed on.
    #[error("{0}")]
    Misuse(String),
}

impl OclError {
    /// What a failing function means, where `what` is what was being done.
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

    /// Whether a machine, or what is asked of it, is at fault, and not the program.
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

/// `#0 NVIDIA H200 (NVIDIA CUDA)`: how devices are listed where one is to be chosen.
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

/// What users can make of a code.
fn hint(code: i32) -> &'static str {
    match code {
        CL_OUT_OF_RESOURCES => {
            "; the kernel needs more registers or memory than the device has for so large a work-group, or it has accessed memory that is not its own"
        }
        CL_OUT_OF_HOST_MEMORY => "; there is no memory left",
        CL_MEM_OBJECT_ALLOCATION_FAILURE => "; the device does not have that much memory left",
        CL_INVALID_WORK_GROUP_SIZE => "; the device does not take work-groups of this size",
        CL_INVALID_BUFFER_SIZE => "; the device does not take buffers of this size",
        CL_DEVICE_NOT_AVAILABLE => "; somebody else may have it for himself",
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
