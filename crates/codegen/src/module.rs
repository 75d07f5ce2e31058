//! Generated text.

use std::ops::Range;
use std::sync::Arc;

use nat::{Nat, Prop, Var};
use rise::core::{Foreign, Launch, Origin};
use syntax::ast::Name;

use crate::ir::{Barrier, Level, Maker};
use crate::signature::Signature;

/// The text of a translation unit, with what a caller and an editor must know of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// The text.
    pub text: String,
    /// Its one function that is not static.
    pub signature: Signature,
    /// What each part of the text comes from, in the order of the text; parts nest.
    pub map: Vec<Mapping>,
    /// The parts that come from no phrase, in the order of the text.
    pub plain: Vec<Plain>,
    /// The C functions that the program defines itself, where they stand in the text.
    pub foreign: Vec<ForeignText>,
    /// For OpenCL: the kernels in the text, and how they are launched.
    pub device: Option<Device>,
    /// The barriers in the text, in its order.
    pub barriers: Vec<BarrierText>,
    /// The numbers of elements for which indices may be too narrow, in the sizes of the signature.
    pub counts: Vec<Nat>,
}

impl Module {
    /// The module with the sizes of its work-groups demanded of the launch where they are only
    /// hints, so that compilers give work-items no more registers than such groups have; `None` if
    /// nothing is a hint. Every part of the text stays at its place.
    pub fn demanding_sizes(&self) -> Option<Module> {
        // Both words have as many letters.
        let (hint, demand) = ("((work_group_size_hint(", "((reqd_work_group_size(");
        self.text.contains(hint).then(|| Module {
            text: self.text.replace(hint, demand),
            ..self.clone()
        })
    }
}

/// A barrier in generated text.
#[derive(Clone, Debug, PartialEq)]
pub struct BarrierText {
    /// The part, in bytes.
    pub range: Range<usize>,
    /// What it orders.
    pub barrier: Barrier,
}

/// How the kernels of a module are launched.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Device {
    /// The kernels in the order in which they run.
    pub kernels: Vec<Kernel>,
    /// The global memory that they need besides the output and the parameters.
    pub buffers: Vec<Buffer>,
    /// The text of the same kernels with indices of 32 bits, if the sizes of a call choose.
    pub narrow: Option<String>,
}

/// A kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// Its name in the text.
    pub name: Name,
    /// What its parameters are given, in order.
    pub args: Vec<KernelArg>,
    /// The sizes that it is compiled for; those that are not known are had from who launches it.
    pub launch: Launch,
    /// What stands for the sizes of [`Kernel::launch`] that are not known, in [`Kernel::requires`]
    /// and in the sizes of memory.
    pub sizes: LaunchVars,
    /// What must hold of sizes before it is launched, besides what the signature requires.
    pub requires: Vec<Prop>,
    /// The local memory that it declares, in bytes; [`KernelArg::Local`] comes on top.
    pub local_bytes: Nat,
    /// The private memory that each work-item has for what the program stores, in bytes: variables
    /// and arrays.
    pub private_bytes: Nat,
    /// The loops that its work-items share: what suits them is known to who chooses sizes.
    pub items: Vec<Items>,
}

/// A loop that work-items share.
#[derive(Clone, Debug, PartialEq)]
pub struct Items {
    /// Who shares it.
    pub level: Level,
    /// In which dimension.
    pub dim: u8,
    /// How many iterations it has: in the sizes of the program, and in counters of loops around
    /// it where it is not always the same.
    pub count: Nat,
}

/// Size variables that stand for the sizes of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchVars {
    /// Work-items of a work-group in each dimension.
    pub local: [Var; 3],
    /// All work-items in each dimension.
    pub global: [Var; 3],
}

/// Memory of the device that kernels share, or that a kernel needs for itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    /// What it is called.
    pub name: Name,
    /// How large it is.
    pub bytes: Nat,
}

/// What a parameter of a kernel is given.
#[derive(Clone, Debug, PartialEq)]
pub enum KernelArg {
    /// The memory that the result is written to.
    Output,
    /// The size with this number in [`Signature::sizes`].
    Size(usize),
    /// The value with this number in [`Signature::params`].
    Param(usize),
    /// The memory with this number in [`Device::buffers`].
    Buffer(usize),
    /// So much local memory.
    Local {
        /// In bytes.
        bytes: Nat,
    },
}

/// The text of a C function of the program's own.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignText {
    /// Its body with the braces, in bytes.
    pub range: Range<usize>,
    /// The function; [`Foreign::body_span`] says where it comes from.
    pub function: Arc<Foreign>,
}

/// Where a part of generated text comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Mapping {
    /// The part, in bytes.
    pub range: Range<usize>,
    /// The phrase.
    pub origin: Origin,
    /// What made it.
    pub made_by: Option<Maker>,
    /// What the passes did to it, in order: `memory: allocated outside of the loop that uses it`.
    pub passes: Box<[String]>,
    /// The views that made the index of what it reads.
    pub views: Box<[Origin]>,
}

/// A part of the text that comes from no phrase of the program's.
#[derive(Clone, Debug, PartialEq)]
pub struct Plain {
    /// The part, in bytes.
    pub range: Range<usize>,
    /// Why it is there.
    pub reason: Reason,
}

/// Why a part of the text is there that comes from no phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Headers, types and helpers that the code needs.
    Needed,
    /// The signature, with what it says in words.
    Signature,
    /// A check of the condition with this number in [`Signature::requires`].
    Condition(usize),
    /// A check that an array has no more elements than can be counted.
    Count,
    /// A parameter that nothing reads is said to be so.
    Unused,
}
