//! Measures the limits of a device: bytes copied and floating-point operations per second.

use std::time::Duration;

use runtime::ocl::{Arg, DeviceType, OclError, Session};

use super::results::Machine;

/// The number of launches of each kernel, of which the median counts.
const LAUNCHES: usize = 10;
/// The number of operations of each work-item of `compute`.
const OPERATIONS: usize = 2 * 16 * 2048;

const KERNELS: &str = r"
kernel void copy(global float4 *restrict output, const global float4 *restrict input) {
  size_t id = get_global_id(0);
  output[id] = input[id];
}

// Sixteen sums that do not wait for one another.
kernel void compute(global float *restrict output, float a, float b) {
  float sums[16];
  #pragma unroll
  for (int k = 0; k < 16; k += 1) sums[k] = (float)get_global_id(0) + (float)k;
  for (int i = 0; i < 2048; i += 1) {
    #pragma unroll
    for (int k = 0; k < 16; k += 1) sums[k] = fma(sums[k], a, b);
  }
  float sum = 0.0f;
  #pragma unroll
  for (int k = 0; k < 16; k += 1) sum += sums[k];
  output[get_global_id(0)] = sum;
}
";

/// Measures both limits.
pub fn measure(session: &Session) -> Result<Machine, OclError> {
    let info = session.info();
    let gpu = info.kind == DeviceType::Gpu;
    let built = session.build(KERNELS, "")?;
    let bytes: usize = if gpu { 512 << 20 } else { 32 << 20 };
    let (mut input, output) = (session.buffer(bytes)?, session.buffer(bytes)?);
    input.clear()?;
    let kernel = built.kernel("copy")?;
    kernel.set(&[Arg::Buffer(&output), Arg::Buffer(&input)])?;
    let local = Some([256, 1, 1]);
    let copying = median(|| kernel.launch(local, [bytes / 16, 1, 1]))?;
    let items: usize = if gpu { 1 << 21 } else { 1 << 13 };
    let kernel = built.kernel("compute")?;
    let (a, b) = (0.999_f32.to_ne_bytes(), 0.001_f32.to_ne_bytes());
    kernel.set(&[Arg::Buffer(&output), Arg::Bytes(&a), Arg::Bytes(&b)])?;
    let computing = median(|| kernel.launch(local, [items, 1, 1]))?;
    let each = |count: usize, time: Duration| count as f64 / time.as_secs_f64().max(1e-9);
    Ok(Machine {
        device: info.name.clone(),
        driver: info.driver.clone(),
        platform: info.platform_version.clone(),
        copy: each(2 * bytes, copying),
        arithmetic: each(OPERATIONS * items, computing),
    })
}

/// Returns the median of `LAUNCHES` launches after as many warm-up launches.
fn median(mut launch: impl FnMut() -> Result<Duration, OclError>) -> Result<Duration, OclError> {
    for _ in 0..LAUNCHES {
        launch()?;
    }
    let mut times = (0..LAUNCHES)
        .map(|_| launch())
        .collect::<Result<Vec<_>, _>>()?;
    times.sort();
    Ok(times.get(LAUNCHES / 2).copied().unwrap_or_default())
}
