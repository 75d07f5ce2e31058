//! Measures the bandwidth of a copy in the memory of a device.

use super::error::OclError;
use super::session::{Arg, Session};
use std::time::Duration;

const COPY: &str =
    "kernel void copy(global float4 *restrict to, global const float4 *restrict from) {
  size_t i = get_global_id(0);
  to[i] = from[i];
}
";
/// The size of a `float4` in bytes.
const ELEMENT_SIZE: u64 = 16;
/// The largest number of work-items of a work-group of the copy.
const LOCAL_SIZE: u64 = 256;
/// The largest number of bytes to copy on a device that is not a CPU, which is larger than caches.
const COPIED_BYTES: u64 = 256 << 20;
/// The largest number of bytes to copy on a CPU, which is slower than a GPU.
const COPIED_BYTES_CPU: u64 = 64 << 20;
/// The number of copies before the timed ones.
const WARM_UP_COPIES: usize = 2;
const TIMED_COPIES: usize = 10;

impl Session {
    /// Returns the bytes per second that a kernel reads and writes (counting both) when it copies
    /// an array that is larger than the caches: the median of ten copies.
    pub fn copy_bandwidth(&self) -> Result<f64, OclError> {
        let info = self.info();
        let most = match info.kind {
            super::DeviceType::Cpu => COPIED_BYTES_CPU,
            _ => COPIED_BYTES,
        };
        let group = LOCAL_SIZE.min(info.work_group).min(info.work_item_sizes[0]);
        let bytes = most.min(info.max_allocation).min(info.global_memory / 8);
        let step = group * ELEMENT_SIZE;
        let bytes = (bytes / step).max(1) * step;
        let size = |bytes| usize::try_from(bytes).map_err(|_| OclError::Memory { bytes });
        let mut from = self.buffer(size(bytes)?)?;
        let mut to = self.buffer(size(bytes)?)?;
        from.clear()?;
        to.clear()?;
        let kernel = self.build(COPY, "")?.kernel("copy")?;
        kernel.set(&[Arg::Buffer(&to), Arg::Buffer(&from)])?;
        let (local, global) = ([size(group)?, 1, 1], [size(bytes / ELEMENT_SIZE)?, 1, 1]);
        let mut times = Vec::new();
        for _ in 0..WARM_UP_COPIES + TIMED_COPIES {
            times.push(kernel.launch(Some(local), global)?);
        }
        let mut times = times.split_off(WARM_UP_COPIES);
        times.sort_unstable();
        let median = times[TIMED_COPIES / 2].max(Duration::from_nanos(1));
        Ok(2.0 * bytes as f64 / median.as_secs_f64())
    }
}
