//! Enumerates the OpenCL devices of this machine, and selects one of them.

use super::OclError;
use super::error::label;
use opencl3::device::{
    CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU, Device,
};
use opencl3::error_codes::{CL_DEVICE_NOT_FOUND, ClError};
use opencl3::platform::{Platform, get_platforms};
use opencl3::types::cl_device_id;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The type of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceType {
    /// A GPU.
    Gpu,
    /// An accelerator that is not a GPU.
    Accelerator,
    /// A CPU.
    Cpu,
    /// A device of another type.
    Other,
}

impl DeviceInfo {
    /// Returns the properties that the checks of programs depend on. Vector widths are the
    /// preferred ones, and at least 1.
    pub fn description(&self) -> dpia::Device {
        let lanes = &self.preferred_widths;
        dpia::Device {
            name: self.name.as_str().into(),
            local_memory: self.local_memory,
            work_group: self.work_group,
            work_item_sizes: self.work_item_sizes,
            compute_units: self.compute_units,
            vector_widths: dpia::target::VectorWidths {
                i8: lanes.char.max(1),
                i16: lanes.short.max(1),
                i32: lanes.int.max(1),
                i64: lanes.long.max(1),
                f16: lanes.half.max(1),
                f32: lanes.float.max(1),
                f64: lanes.double.max(1),
            },
            fp64: self.fp64,
            fp16: self.fp16,
        }
    }
}

impl Display for DeviceType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DeviceType::Gpu => "GPU",
            DeviceType::Accelerator => "accelerator",
            DeviceType::Cpu => "CPU",
            DeviceType::Other => "device of another kind",
        })
    }
}

/// Vector widths by the type of the lanes; 0 if the device does not support the type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VectorWidths {
    /// The number of 8-bit integers.
    pub char: u32,
    /// The number of 16-bit integers.
    pub short: u32,
    /// The number of 32-bit integers.
    pub int: u32,
    /// The number of 64-bit integers.
    pub long: u32,
    /// The number of `f16` lanes.
    pub half: u32,
    /// The number of `f32` lanes.
    pub float: u32,
    /// The number of `f64` lanes.
    pub double: u32,
}

/// The properties of a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceInfo {
    /// The index among the devices of this machine, from 0.
    pub number: usize,
    /// The name.
    pub name: String,
    /// The vendor.
    pub vendor: String,
    /// The version of the driver.
    pub driver: String,
    /// The supported version of OpenCL, with additions of the driver.
    pub version: String,
    /// The name of the platform.
    pub platform: String,
    /// The version of the platform.
    pub platform_version: String,
    /// The type of the device.
    pub kind: DeviceType,
    /// The number of compute units.
    pub compute_units: u32,
    /// The clock frequency of the compute units in MHz.
    pub clock: u32,
    /// The size of the global memory in bytes.
    pub global_memory: u64,
    /// The size of the local memory of a work-group in bytes.
    pub local_memory: u64,
    /// The largest size of a buffer in bytes.
    pub max_allocation: u64,
    /// The largest size of all parameters of a kernel in bytes.
    pub parameter_bytes: u64,
    /// The largest number of work-items of a work-group.
    pub work_group: u64,
    /// The largest number of work-items of a work-group in each dimension.
    pub work_item_sizes: [u64; 3],
    /// The preferred vector widths.
    pub preferred_widths: VectorWidths,
    /// The native vector widths of the instruction set.
    pub native_widths: VectorWidths,
    /// True if the device supports `f64`.
    pub fp64: bool,
    /// True if the device supports `f16`.
    pub fp16: bool,
    /// The resolution in nanoseconds of the clock that times kernels.
    pub timer_resolution: u64,
}

/// Returns the devices of all platforms. Fails with the reason if there are none.
pub fn devices() -> Result<Vec<DeviceInfo>, OclError> {
    Ok(all()?.into_iter().map(|(_, info)| info).collect())
}

/// Selects the only device with `wanted` in its name, its platform or the version of its platform,
/// regardless of upper and lower case, or the device with this number (`#0`). Without `wanted`,
/// selects the first GPU, else the first accelerator, else the first CPU, else the first other
/// device.
///
/// # Errors
/// Fails if there is no such device, or `wanted` is in the names of several devices.
pub fn choose<'a>(
    devices: &'a [DeviceInfo],
    wanted: Option<&str>,
) -> Result<&'a DeviceInfo, OclError> {
    let Some(wanted) = wanted else {
        let best = devices.iter().min_by_key(|device| device.kind);
        return best.ok_or_else(|| OclError::NoDevice(Vec::new()));
    };
    let matches = |device: &&DeviceInfo| is_called(device, wanted);
    let found: Vec<&DeviceInfo> = devices.iter().filter(matches).collect();
    match found[..] {
        [device] => Ok(device),
        [] => Err(OclError::UnknownDevice {
            wanted: wanted.to_owned(),
            known: devices.iter().map(label).collect(),
        }),
        _ => Err(OclError::AmbiguousDevice {
            wanted: wanted.to_owned(),
            found: found.into_iter().map(label).collect(),
        }),
    }
}

fn is_called(device: &DeviceInfo, wanted: &str) -> bool {
    if let Some(number) = wanted.strip_prefix('#') {
        return number.parse() == Ok(device.number);
    }
    let wanted = wanted.to_lowercase();
    [&device.name, &device.platform, &device.platform_version]
        .into_iter()
        .any(|name| name.to_lowercase().contains(&wanted))
}

/// A lock for drivers that cannot start or compile on several threads at a time, although the
/// OpenCL standard requires it.
static DRIVER_LOCK: Mutex<()> = Mutex::new(());

/// Locks the start of drivers and their compilers against other threads.
pub(super) fn lock_drivers() -> MutexGuard<'static, ()> {
    DRIVER_LOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns all devices in the order of their numbers, with their OpenCL ids.
pub(super) fn all() -> Result<Vec<(cl_device_id, DeviceInfo)>, OclError> {
    let _alone = lock_drivers();
    let platforms = get_platforms().map_err(OclError::of("listing the platforms"))?;
    if platforms.is_empty() {
        return Err(OclError::NoPlatform);
    }
    let mut found = Vec::new();
    for platform in &platforms {
        let ids = match platform.get_devices(CL_DEVICE_TYPE_ALL) {
            Ok(ids) => ids,
            Err(ClError(CL_DEVICE_NOT_FOUND)) => continue,
            // A broken driver does not affect the others.
            Err(_) => continue,
        };
        for id in ids {
            if let Ok(info) = describe(platform, id, found.len()) {
                found.push((id, info));
            }
        }
    }
    if found.is_empty() {
        let name = |platform: &Platform| platform.name().unwrap_or_else(|_| "one".to_owned());
        return Err(OclError::NoDevice(platforms.iter().map(name).collect()));
    }
    Ok(found)
}

/// Queries the properties of a device. Fails if one of the essential properties is not available.
fn describe(platform: &Platform, id: cl_device_id, number: usize) -> opencl3::Result<DeviceInfo> {
    let device = Device::new(id);
    let kind = device.dev_type()?;
    let extensions = device.extensions().unwrap_or_default();
    let has = |name: &str| extensions.split_whitespace().any(|known| known == name);
    let sizes = device.max_work_item_sizes()?;
    let text = |said: opencl3::Result<String>| said.map(|text| tidy(&text)).unwrap_or_default();
    Ok(DeviceInfo {
        number,
        name: tidy(&device.name()?),
        vendor: text(device.vendor()),
        driver: text(device.driver_version()),
        version: text(device.version()),
        platform: text(platform.name()),
        platform_version: text(platform.version()),
        kind: match kind {
            kind if kind & CL_DEVICE_TYPE_GPU != 0 => DeviceType::Gpu,
            kind if kind & CL_DEVICE_TYPE_ACCELERATOR != 0 => DeviceType::Accelerator,
            kind if kind & CL_DEVICE_TYPE_CPU != 0 => DeviceType::Cpu,
            _ => DeviceType::Other,
        },
        compute_units: device.max_compute_units().unwrap_or_default(),
        clock: device.max_clock_frequency().unwrap_or_default(),
        global_memory: device.global_mem_size()?,
        local_memory: device.local_mem_size()?,
        max_allocation: device.max_mem_alloc_size()?,
        parameter_bytes: device.max_parameter_size()? as u64,
        work_group: device.max_work_group_size()? as u64,
        work_item_sizes: [0, 1, 2].map(|at| sizes.get(at).map_or(1, |size| *size as u64)),
        preferred_widths: preferred_widths(&device),
        native_widths: native_widths(&device),
        fp64: has("cl_khr_fp64") || device.double_fp_config().is_ok_and(|config| config != 0),
        fp16: has("cl_khr_fp16"),
        timer_resolution: device.profiling_timer_resolution().unwrap_or_default() as u64,
    })
}

/// Replaces each sequence of white space and zero bytes by one space, and removes those at both
/// ends.
fn tidy(text: &str) -> String {
    let text = text.replace('\0', " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn preferred_widths(device: &Device) -> VectorWidths {
    VectorWidths {
        char: device.max_preferred_vector_width_char().unwrap_or_default(),
        short: device
            .max_preferred_vector_width_short()
            .unwrap_or_default(),
        int: device.max_preferred_vector_width_int().unwrap_or_default(),
        long: device.max_preferred_vector_width_long().unwrap_or_default(),
        half: device.preferred_vector_width_half().unwrap_or_default(),
        float: device
            .max_preferred_vector_width_float()
            .unwrap_or_default(),
        double: device
            .max_preferred_vector_width_double()
            .unwrap_or_default(),
    }
}

fn native_widths(device: &Device) -> VectorWidths {
    VectorWidths {
        char: device.native_vector_width_char().unwrap_or_default(),
        short: device.native_vector_width_short().unwrap_or_default(),
        int: device.native_vector_width_int().unwrap_or_default(),
        long: device.native_vector_width_long().unwrap_or_default(),
        half: device.native_vector_width_half().unwrap_or_default(),
        float: device.native_vector_width_float().unwrap_or_default(),
        double: device.native_vector_width_double().unwrap_or_default(),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns the properties of a fictitious device.
    pub(crate) fn device(number: usize, name: &str, kind: DeviceType) -> DeviceInfo {
        DeviceInfo {
            number,
            name: name.to_owned(),
            vendor: "Maker".to_owned(),
            driver: "1.0".to_owned(),
            version: "OpenCL 3.0".to_owned(),
            platform: "Platform".to_owned(),
            platform_version: "OpenCL 3.0 Test".to_owned(),
            kind,
            compute_units: 4,
            clock: 1000,
            global_memory: 1 << 30,
            local_memory: 48 << 10,
            max_allocation: 1 << 28,
            parameter_bytes: 1024,
            work_group: 1024,
            work_item_sizes: [1024, 1024, 64],
            preferred_widths: VectorWidths::default(),
            native_widths: VectorWidths::default(),
            fp64: true,
            fp16: false,
            timer_resolution: 1,
        }
    }

    #[test]
    fn a_gpu_is_preferred_and_names_choose() {
        let all = [
            device(0, "Xeon", DeviceType::Cpu),
            device(1, "H200", DeviceType::Gpu),
            device(2, "H200", DeviceType::Gpu),
        ];
        let number = |wanted| choose(&all, wanted).map(|device| device.number);
        assert_eq!(number(None), Ok(1));
        assert_eq!(number(Some("xeon")), Ok(0));
        assert_eq!(number(Some("#2")), Ok(2));
        assert!(matches!(
            number(Some("H200")),
            Err(OclError::AmbiguousDevice { found, .. }) if found == ["#1 H200 (Platform)", "#2 H200 (Platform)"]
        ));
        assert!(matches!(
            number(Some("#7")),
            Err(OclError::UnknownDevice { known, .. }) if known.len() == 3
        ));
        assert!(matches!(choose(&[], None), Err(OclError::NoDevice(_))));
    }
}
