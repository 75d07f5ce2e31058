//! The errors of launch plans: the requirement, the limit of the device, and advice.

use crate::launch::LaunchError;
use crate::process::bytes_text;
use crate::shape::ShapeError;
use codegen::IndexWidth;
use syntax::ast::Name;
use thiserror::Error;

/// The reason why a program cannot be launched on a device.
#[derive(Debug, Error)]
pub enum PlanError {
    /// The module was not compiled for OpenCL, or has other parameters than the launch.
    #[error("{0}")]
    NotKernels(String),
    /// The size of memory or of the launch cannot be computed.
    #[error("the kernel `{kernel}`: {what}: {error}")]
    Size {
        /// The name of the kernel.
        kernel: Name,
        /// A description of the size.
        what: String,
        /// The reason.
        error: ShapeError,
    },
    /// The number of rounds of a loop around kernels cannot be computed.
    #[error("the rounds of the loop around the kernels: {0}")]
    Rounds(ShapeError),
    /// A loop around kernels launches too many of them.
    #[error(
        "the loops around the kernels launch more than {limit} kernels; let each kernel do more work, or run fewer rounds at a time"
    )]
    Launches {
        /// The largest number of launches.
        limit: usize,
    },
    /// A condition of a kernel on its sizes does not hold.
    #[error("the kernel `{kernel}` cannot be launched with local size {} and global size {}: {error}; other sizes can be given with `--local` and `--global`, or written in `@opencl`", dimensions(.local), dimensions(.global))]
    Condition {
        /// The name of the kernel.
        kernel: Name,
        /// The local size.
        local: [u64; 3],
        /// The global size.
        global: [u64; 3],
        /// The condition, with the values of its sizes.
        error: Box<LaunchError>,
    },
    /// A condition on the program's sizes does not hold.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// The size of the result is not known before the run.
    #[error("the result: {0}")]
    Result(ShapeError),
    /// A work-group has no work-items.
    #[error(
        "the local size of the kernel `{kernel}` is 0 in dimension {dim}; a work-group has at least one work-item"
    )]
    EmptyGroup {
        /// The name of the kernel.
        kernel: Name,
        /// The dimension.
        dim: usize,
    },
    /// There are no work-items, although the result is not empty and the kernel has work to do.
    #[error(
        "the global size of the kernel `{kernel}` is 0 in dimension {dim}: no work-item would run and write the result"
    )]
    NoItems {
        /// The name of the kernel.
        kernel: Name,
        /// The dimension.
        dim: usize,
    },
    /// The global size is not a multiple of the local size.
    #[error("the global size of the kernel `{kernel}` is {global} in dimension {dim}, which is not a multiple of the local size {local}: OpenCL 1.2 has no part of a work-group; take {}, or a local size that divides {global}", multiples(*.global, *.local))]
    Multiple {
        /// The name of the kernel.
        kernel: Name,
        /// The dimension.
        dim: usize,
        /// The global size in the dimension.
        global: u64,
        /// The local size in the dimension.
        local: u64,
    },
    /// The counter of a loop over work-items or work-groups overflows the index width after its
    /// last iteration.
    #[error(
        "the kernel `{kernel}` counts to {count} in steps of {step} in dimension {dim}, which overflows {}", width(*.index)
    )]
    Steps {
        /// The name of the kernel.
        kernel: Name,
        /// The dimension.
        dim: usize,
        /// The number of iterations.
        count: u64,
        /// The number of work-items or work-groups that share the iterations.
        step: u64,
        /// The width of indices.
        index: IndexWidth,
    },
    /// The global size overflows the index width.
    #[error(
        "the global size of the kernel `{kernel}` is {global} in dimension {dim}, which overflows {}", width(*.index)
    )]
    ManyItems {
        /// The name of the kernel.
        kernel: Name,
        /// The dimension.
        dim: usize,
        /// The global size in the dimension.
        global: u64,
        /// The width of indices.
        index: IndexWidth,
    },
    /// A work-group is larger than the device supports.
    #[error("a work-group of the kernel `{kernel}` has {} = {} work-items, and {device} takes at most {limit}: give a smaller local size with `--local` or in `@opencl`", sizes_text(.local, " * "), items(.local))]
    Group {
        /// The name of the kernel.
        kernel: Name,
        /// The local size.
        local: [u64; 3],
        /// The largest number of work-items of a work-group.
        limit: u64,
        /// The name of the device.
        device: String,
    },
    /// A work-group is larger in one dimension than the device supports.
    #[error(
        "a work-group of the kernel `{kernel}` has {local} work-items in dimension {dim}, and {device} takes at most {limit} there: give a smaller local size with `--local` or in `@opencl`, or work in another dimension"
    )]
    GroupDimension {
        /// The name of the kernel.
        kernel: Name,
        /// The dimension.
        dim: usize,
        /// The local size in the dimension.
        local: u64,
        /// The largest local size in the dimension.
        limit: u64,
        /// The name of the device.
        device: String,
    },
    /// A work-group needs more local memory than the device has.
    #[error("a work-group of the kernel `{kernel}` needs {} of local memory, and {device} has {}: make what is stored with `toMem(Local)` smaller (smaller tiles, a smaller local size), or leave it in global memory", local_text(*.needed), local_text(*.limit))]
    LocalMemory {
        /// The name of the kernel.
        kernel: Name,
        /// The number of bytes that are needed.
        needed: u64,
        /// The size of the local memory in bytes.
        limit: u64,
        /// The name of the device.
        device: String,
    },
    /// A buffer is larger than the device supports.
    #[error("{what} takes {} of memory, and a buffer of {device} has at most {}: take smaller sizes, or another device (`--device`)", bytes_text(*.needed), bytes_text(*.limit))]
    Buffer {
        /// A description of the content, such as ``the argument `xs` ``.
        what: String,
        /// The size of the buffer in bytes.
        needed: u64,
        /// The largest size of a buffer in bytes.
        limit: u64,
        /// The name of the device.
        device: String,
    },
    /// All buffers together are larger than the global memory.
    #[error("arguments, result and temporary arrays take {} of memory, and {device} has {}: take smaller sizes, or another device (`--device`)", bytes_text(*.needed), bytes_text(*.limit))]
    Memory {
        /// The size of all buffers in bytes.
        needed: u64,
        /// The size of the global memory in bytes.
        limit: u64,
        /// The name of the device.
        device: String,
    },
    /// The device does not support a type.
    #[error(
        "the program computes with `{ty}`, and {device} has no {name}: use `f32`, or another device (`--device`)"
    )]
    Type {
        /// The name of the type in RISE.
        ty: &'static str,
        /// A description of the type.
        name: &'static str,
        /// The name of the device.
        device: String,
    },
    /// The parameters of a kernel take more bytes than the device supports.
    #[error(
        "the parameters of the kernel `{kernel}` take {needed} bytes, and {device} takes at most {limit}: pass large tuples as arrays"
    )]
    Parameters {
        /// The name of the kernel.
        kernel: Name,
        /// The size of the parameters in bytes.
        needed: u64,
        /// The largest size of the parameters in bytes.
        limit: u64,
        /// The name of the device.
        device: String,
    },
}

impl PlanError {
    /// Creates the error for a module and a launch of different programs.
    pub(super) fn other_parameters() -> PlanError {
        let message = "the generated kernels have other parameters than the program";
        PlanError::NotKernels(message.to_owned())
    }

    /// Returns true if the error does not come from a limit of the device.
    pub fn is_about_sizes(&self) -> bool {
        use PlanError as E;
        !matches!(
            self,
            E::Group { .. }
                | E::GroupDimension { .. }
                | E::LocalMemory { .. }
                | E::Buffer { .. }
                | E::Memory { .. }
                | E::Type { .. }
                | E::Parameters { .. }
        )
    }
}

/// Describes the limit of an index width, with advice.
fn width(index: IndexWidth) -> &'static str {
    match index {
        IndexWidth::Bits32 => "indices of 32 bits (below 2^31): run it with `--index 64`",
        IndexWidth::Bits64 => "indices of 64 bits (below 2^59)",
    }
}

/// Returns the nearest multiples of the local size, except 0, as in `96 or 112`.
fn multiples(global: u64, local: u64) -> String {
    let below = global / local.max(1) * local;
    let above = below.saturating_add(local);
    match below {
        0 => above.to_string(),
        below => format!("{below} or {above}"),
    }
}

/// Formats a size of local memory in units of 1024 bytes, as devices do: `4 kB` are 4096 bytes.
pub fn local_text(bytes: u64) -> String {
    const KILO: u64 = 1 << 10;
    match bytes {
        0..KILO => format!("{bytes} B"),
        _ if bytes.is_multiple_of(KILO) => format!("{} kB", bytes / KILO),
        _ => format!("{:.1} kB", bytes as f64 / KILO as f64),
    }
}

/// Formats sizes with a separator, as in `16 x 16`, without trailing dimensions of size 1. The
/// first dimension is always included.
pub fn sizes_text(sizes: &[u64; 3], separator: &str) -> String {
    let last = sizes.iter().rposition(|size| *size != 1).unwrap_or(0);
    let texts: Vec<String> = sizes[..=last].iter().map(u64::to_string).collect();
    texts.join(separator)
}

/// Formats sizes as `16` or `(16, 16)`, without trailing dimensions of size 1. The first dimension
/// is always included.
fn dimensions(sizes: &[u64; 3]) -> String {
    match sizes {
        [x, 1, 1] => x.to_string(),
        _ => format!("({})", sizes_text(sizes, ", ")),
    }
}

/// Returns the number of work-items of a work-group with this local size.
pub(super) fn items(sizes: &[u64; 3]) -> u64 {
    sizes.iter().fold(1, |all, size| all.saturating_mul(*size))
}
