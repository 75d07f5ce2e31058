//! Why a program is not launched: what it wants, what the device has, and what can be changed.

use crate::launch::LaunchError;
use crate::process::bytes_text;
use crate::shape::ShapeError;
use codegen::IndexWidth;
use syntax::ast::Name;
use thiserror::Error;

/// Why a program is not launched on a device.
#[derive(Debug, Error)]
pub enum PlanError {
    /// It was compiled for something else, or has other parameters.
    #[error("{0}")]
    NotKernels(String),
    /// A size of memory or of the launch cannot be computed.
    #[error("the kernel `{kernel}`: {what}: {error}")]
    Size {
        /// The kernel.
        kernel: Name,
        /// Which size.
        what: String,
        /// Why not.
        error: ShapeError,
    },
    /// A condition of the program or of a kernel does not hold.
    #[error("the kernel `{kernel}` cannot be launched with local size {} and global size {}: {error}; other sizes can be given with `--local` and `--global`, or written in `@opencl`", dimensions(.local), dimensions(.global))]
    Condition {
        /// The kernel.
        kernel: Name,
        /// Work-items of a group.
        local: [u64; 3],
        /// All work-items.
        global: [u64; 3],
        /// The condition, with its numbers.
        error: Box<LaunchError>,
    },
    /// A condition on the program's sizes does not hold.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// The result has no size before it is there.
    #[error("the result: {0}")]
    Result(ShapeError),
    /// A work-group is empty.
    #[error(
        "the local size of the kernel `{kernel}` is 0 in dimension {dim}; a work-group has at least one work-item"
    )]
    EmptyGroup {
        /// The kernel.
        kernel: Name,
        /// The dimension.
        dim: usize,
    },
    /// Nothing would run, and there is a result to be computed.
    #[error(
        "the global size of the kernel `{kernel}` is 0 in dimension {dim}: no work-item would run and write the result"
    )]
    NoItems {
        /// The kernel.
        kernel: Name,
        /// The dimension.
        dim: usize,
    },
    /// The groups do not come out even.
    #[error("the global size of the kernel `{kernel}` is {global} in dimension {dim}, which is not a multiple of the local size {local}: OpenCL 1.2 has no part of a work-group; take {}, or a local size that divides {global}", multiples(*.global, *.local))]
    Multiple {
        /// The kernel.
        kernel: Name,
        /// The dimension.
        dim: usize,
        /// All work-items in it.
        global: u64,
        /// Work-items of a group in it.
        local: u64,
    },
    /// The counter of a loop that work-items share does not fit into an index at its end.
    #[error(
        "the kernel `{kernel}` counts to {count} in steps of {step} in dimension {dim}, which overflows {}", width(*.index)
    )]
    Steps {
        /// The kernel.
        kernel: Name,
        /// The dimension.
        dim: usize,
        /// The iterations of the loop.
        count: u64,
        /// The number of work-items that share them.
        step: u64,
        /// The width of indices.
        index: IndexWidth,
    },
    /// Too many work-items for indices.
    #[error(
        "the global size of the kernel `{kernel}` is {global} in dimension {dim}, which overflows {}", width(*.index)
    )]
    ManyItems {
        /// The kernel.
        kernel: Name,
        /// The dimension.
        dim: usize,
        /// All work-items in it.
        global: u64,
        /// The width of indices.
        index: IndexWidth,
    },
    /// The device does not take so large a group.
    #[error("a work-group of the kernel `{kernel}` has {} = {} work-items, and {device} takes at most {limit}: give a smaller local size with `--local` or in `@opencl`", product(.local), items(.local))]
    Group {
        /// The kernel.
        kernel: Name,
        /// Work-items of a group.
        local: [u64; 3],
        /// The most that are possible.
        limit: u64,
        /// The device.
        device: String,
    },
    /// The same in one dimension.
    #[error(
        "a work-group of the kernel `{kernel}` has {local} work-items in dimension {dim}, and {device} takes at most {limit} there: give a smaller local size with `--local` or in `@opencl`, or work in another dimension"
    )]
    GroupDimension {
        /// The kernel.
        kernel: Name,
        /// The dimension.
        dim: usize,
        /// Work-items of a group in it.
        local: u64,
        /// The most that are possible.
        limit: u64,
        /// The device.
        device: String,
    },
    /// There is not so much local memory.
    #[error("a work-group of the kernel `{kernel}` needs {} of local memory, and {device} has {}: make what is stored with `toMem(Local)` smaller (smaller tiles, a smaller local size), or leave it in global memory", local_text(*.needed), local_text(*.limit))]
    LocalMemory {
        /// The kernel.
        kernel: Name,
        /// Bytes that it needs.
        needed: u64,
        /// Bytes that there are.
        limit: u64,
        /// The device.
        device: String,
    },
    /// A buffer is larger than one can be.
    #[error("{what} takes {} of memory, and a buffer of {device} has at most {}: take smaller sizes, or another device (`--device`)", bytes_text(*.needed), bytes_text(*.limit))]
    Buffer {
        /// What stands in it: `the argument `xs``.
        what: String,
        /// Its bytes.
        needed: u64,
        /// The most that are possible.
        limit: u64,
        /// The device.
        device: String,
    },
    /// All buffers together are larger than the device.
    #[error("arguments, result and temporary arrays take {} of memory, and {device} has {}: take smaller sizes, or another device (`--device`)", bytes_text(*.needed), bytes_text(*.limit))]
    Memory {
        /// Bytes of all together.
        needed: u64,
        /// Bytes that there are.
        limit: u64,
        /// The device.
        device: String,
    },
    /// The device does not know a type.
    #[error(
        "the program computes with `{ty}`, and {device} has no {name}: use `f32`, or another device (`--device`)"
    )]
    Type {
        /// In RISE.
        ty: &'static str,
        /// In words.
        name: &'static str,
        /// The device.
        device: String,
    },
    /// Parameters by value are too large.
    #[error(
        "the parameters of the kernel `{kernel}` take {needed} bytes, and {device} takes at most {limit}: pass large tuples as arrays"
    )]
    Parameters {
        /// The kernel.
        kernel: Name,
        /// Bytes that it needs.
        needed: u64,
        /// The most that are possible.
        limit: u64,
        /// The device.
        device: String,
    },
}

impl PlanError {
    /// The module and the launch do not belong together.
    pub(super) fn other_parameters() -> PlanError {
        let message = "the generated kernels have other parameters than the program";
        PlanError::NotKernels(message.to_owned())
    }

    /// Whether other sizes of the launch or of the program would do, on the same device.
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

/// Returns the numbers that indices have, and what to do about them.
fn width(index: IndexWidth) -> &'static str {
    match index {
        IndexWidth::Bits32 => "indices of 32 bits (below 2^31): run it with `--index 64`",
        IndexWidth::Bits64 => "indices of 64 bits (below 2^59)",
    }
}

/// `96 or 112`: the multiples of the local size next to the global one, without 0.
fn multiples(global: u64, local: u64) -> String {
    let below = global / local.max(1) * local;
    let above = below.saturating_add(local);
    match below {
        0 => above.to_string(),
        below => format!("{below} or {above}"),
    }
}

/// Bytes of local memory for people, as devices count it: `4 kB` are 4096.
pub fn local_text(bytes: u64) -> String {
    const KILO: u64 = 1 << 10;
    match bytes {
        0..KILO => format!("{bytes} B"),
        _ if bytes.is_multiple_of(KILO) => format!("{} kB", bytes / KILO),
        _ => format!("{:.1} kB", bytes as f64 / KILO as f64),
    }
}

/// `(16, 16)`: without ones at the end.
fn dimensions(sizes: &[u64; 3]) -> String {
    match sizes {
        [x, 1, 1] => x.to_string(),
        [x, y, 1] => format!("({x}, {y})"),
        [x, y, z] => format!("({x}, {y}, {z})"),
    }
}

/// `16 * 16`
fn product(sizes: &[u64; 3]) -> String {
    match sizes {
        [x, 1, 1] => x.to_string(),
        [x, y, 1] => format!("{x} * {y}"),
        [x, y, z] => format!("{x} * {y} * {z}"),
    }
}

/// Work-items of a group.
pub(super) fn items(sizes: &[u64; 3]) -> u64 {
    sizes.iter().fold(1, |all, size| all.saturating_mul(*size))
}
