//! The features of targets, the widths of indices in generated code, and the devices that run
//! kernels.

pub use rise::pattern::Parallelism;
use rise::pattern::Requirement;

/// The greatest number of statements of unrolled code.
pub const MAX_STATEMENTS: usize = 10_000;

/// The properties of a target on which the translation and its messages depend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Features {
    /// The target's name in a sentence.
    pub title: &'static str,
    /// The parallelism of its programs.
    pub parallelism: Parallelism,
    /// True if there are floats of 16 bits.
    pub half_floats: bool,
}

impl Features {
    /// Returns true if programs for the target may use primitives with this requirement.
    pub fn provides(self, requirement: Option<Requirement>) -> bool {
        self.parallelism.offers(requirement.into())
    }

    /// Returns true if threads run parallel loops.
    pub fn has_threads(self) -> bool {
        self.parallelism == Parallelism::Threads
    }

    /// Returns true if work-items run kernels.
    pub fn has_work_items(self) -> bool {
        self.parallelism == Parallelism::WorkItems
    }
}

/// The width of the sizes, loop counters and array indices of generated code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum IndexWidth {
    /// `int`: arrays have fewer than 2^31 elements.
    #[default]
    Bits32,
    /// 64 bits.
    Bits64,
}

impl IndexWidth {
    /// Returns the number of elements from which on an array is too large. With 64 bits it is far
    /// below the overflow, see [`rise::MAX_SIZE`].
    pub const fn limit(self) -> u64 {
        match self {
            IndexWidth::Bits32 => 1 << 31,
            IndexWidth::Bits64 => rise::MAX_SIZE.unsigned_abs() + 1,
        }
    }
}

/// The choice of the width of indices of generated code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexPolicy {
    /// Every call has indices of this width.
    Fixed(IndexWidth),
    /// The sizes of a call determine the width: 32 bits where everything fits, 64 bits elsewhere.
    BySizes,
}

impl Default for IndexPolicy {
    fn default() -> Self {
        IndexPolicy::Fixed(IndexWidth::default())
    }
}

impl From<IndexWidth> for IndexPolicy {
    fn from(width: IndexWidth) -> Self {
        IndexPolicy::Fixed(width)
    }
}

/// The properties of a device for OpenCL programs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Device {
    /// The device's name in messages.
    pub name: Box<str>,
    /// The size of a work-group's local memory in bytes.
    pub local_memory: u64,
    /// The greatest number of work-items in a work-group.
    pub work_group: u64,
    /// The greatest number of work-items in a work-group for each dimension.
    pub work_item_sizes: [u64; 3],
    /// The number of work-groups that run at the same time.
    pub compute_units: u32,
    /// The numbers of lanes of its vectors.
    pub vector_widths: VectorWidths,
    /// True if it supports `f64`.
    pub fp64: bool,
    /// True if it supports `f16`.
    pub fp16: bool,
}

/// The number of lanes of a device's vectors by the type of the lanes; 1 if it has no vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VectorWidths {
    /// The number of lanes for `i8` and `u8`.
    pub i8: u32,
    /// The number of lanes for `i16` and `u16`.
    pub i16: u32,
    /// The number of lanes for `i32` and `u32`.
    pub i32: u32,
    /// The number of lanes for `i64` and `u64`.
    pub i64: u32,
    /// The number of lanes for `f16`.
    pub f16: u32,
    /// The number of lanes for `f32`.
    pub f32: u32,
    /// The number of lanes for `f64`.
    pub f64: u32,
}

impl Default for Device {
    /// Returns the limits that every graphics card of the last ten years meets. It supports all
    /// types, so that nothing is rejected that some device can run.
    fn default() -> Self {
        Device {
            name: "the device assumed by default".into(),
            local_memory: 48 << 10,
            work_group: 1024,
            work_item_sizes: [1024, 1024, 64],
            compute_units: 16,
            vector_widths: VectorWidths {
                i8: 4,
                i16: 2,
                i32: 1,
                i64: 1,
                f16: 2,
                f32: 1,
                f64: 1,
            },
            fp64: true,
            fp16: true,
        }
    }
}

/// Formats a number of bytes, for example `512 B`, `4 kB` or `1.5 kB`, where a kB has 1024 bytes
/// and tenths are rounded up.
pub fn format_bytes(bytes: u64) -> String {
    const KILO: u64 = 1 << 10;
    match bytes {
        0..KILO => format!("{bytes} B"),
        _ if bytes.is_multiple_of(KILO) => format!("{} kB", bytes / KILO),
        _ => {
            let tenths = (u128::from(bytes) * 10).div_ceil(u128::from(KILO));
            format!("{}.{} kB", tenths / 10, tenths % 10)
        }
    }
}
