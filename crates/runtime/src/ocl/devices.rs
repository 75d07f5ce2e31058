//! The OpenCL devices of this machine.

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

/// What kind of device it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceType {
    /// A graphics processor.
    Gpu,
    /// Hardware of another kind that computes.
    Accelerator,
    /// The processor.
    Cpu,
    /// Something else.
    Other,
}

impl DeviceInfo {
    /// What checks have to know of it.
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

/// Lanes of vectors, by the type of the lanes; 0 where the device does not have the type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VectorWidths {
    /// 8 bits.
    pub char: u32,
    /// 16 bits.
    pub short: u32,
    /// 32 bits.
    pub int: u32,
    /// 64 bits.
    pub long: u32,
    /// `f16`
    pub half: u32,
    /// `f32`
    pub float: u32,
    /// `f64`
    pub double: u32,
}

/// What a device says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceInfo {
    /// Its place among the devices of this machine, from 0.
    pub number: usize,
    /// Its name.
    pub name: String,
    /// Who made it.
    pub vendor: String,
    /// Its driver's version.
    pub driver: String,
    /// The version of OpenCL that it has, with the driver's additions.
    pub version: String,
    /// The name of its platform.
    pub platform: String,
    /// What the platform says of its version.
    pub platform_version: String,
    /// What kind of device it is.
    pub kind: DeviceType,
    /// How many compute units it has.
    pub compute_units: u32,
    /// Their clock in MHz.
    pub clock: u32,
    /// Bytes of global memory.
    pub global_memory: u64,
    /// Bytes of local memory that a work-group can have.
    pub local_memory: u64,
    /// Bytes of the largest buffer.
    pub max_allocation: u64,
    /// Bytes that the parameters of a kernel may have together.
    pub parameter_bytes: u64,
    /// Work-items that a work-group can have.
    pub work_group: u64,
    /// Work-items that a work-group can have in each dimension.
    pub work_item_sizes: [u64; 3],
    /// The vectors that the device would rather have.
    pub preferred_widths: VectorWidths,
    /// The vectors that its instructions have.
    pub native_widths: VectorWidths,
    /// Whether it computes with `f64`.
    pub fp64: bool,
    /// Whether it computes with `f16`.
    pub fp16: bool,
    /// Nanoseconds between two ticks of the clock that times kernels.
    pub timer_resolution: u64,
}

/// The devices of all platforms. A machine without any is an error that says why.
pub fn devices() -> Result<Vec<DeviceInfo>, OclError> {
    Ok(all()?.into_iter().map(|(_, info)| info).collect())
}

/// The device that is meant: the one with `wanted` in its name or platform, or with this number
/// (`#0`); without a wish a GPU if there is one, else the first.
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

/// Some drivers start, and compile, for one thread at a time only, whatever the standard says.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Waits for other threads that start or use a driver's compiler.
pub(super) fn alone() -> MutexGuard<'static, ()> {
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

/// All devices, in the order of their numbers, with what OpenCL calls them.
pub(super) fn all() -> Result<Vec<(cl_device_id, DeviceInfo)>, OclError> {
    let _alone = alone();
    let platforms = get_platforms().map_err(OclError::of("listing the platforms"))?;
    if platforms.is_empty() {
        return Err(OclError::NoPlatform);
    }
    let mut found = Vec::new();
    for platform in &platforms {
        let ids = match platform.get_devices(CL_DEVICE_TYPE_ALL) {
            Ok(ids) => ids,
            Err(ClError(CL_DEVICE_NOT_FOUND)) => continue,
            // One broken driver does not keep the others from working.
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

/// What a device says of itself; an error where it does not say what everything depends on.
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

/// Names as users read them: one space between words, and no zero bytes at the end.
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

    /// A device that is not there.
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
