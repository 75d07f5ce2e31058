//! Defines the result of code generation: the text and its metadata.

use std::ops::Range;
use std::sync::Arc;

use nat::{Nat, Prop};
use rise::core::{Foreign, Launch};
use syntax::ast::Name;

use crate::ir::kernel::{Items, LaunchVars};
use crate::ir::{Barrier, Mapping};
use crate::signature::Signature;

/// The text of a translation unit, with the metadata for callers and editors.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// The text.
    pub text: String,
    /// The signature of the compiled function. In C that is the only function in the text that is
    /// not static; in OpenCL C the kernels together have this signature.
    pub signature: Signature,
    /// The origin of each part of the text, in the order of the text; parts can be nested.
    pub map: Vec<Mapping>,
    /// The parts without a phrase, in the order of the text.
    pub plain: Vec<Plain>,
    /// The C functions that the program defines, with their ranges in the text.
    pub foreign: Vec<ForeignText>,
    /// The kernels in the text and their launches, for OpenCL.
    pub device: Option<Device>,
    /// The barriers in the text, in order.
    pub barriers: Vec<BarrierText>,
    /// The numbers of elements for which indices may be too narrow, in terms of the sizes of the
    /// signature.
    pub counts: Vec<Nat>,
}

impl Module {
    /// Returns the module with required work-group sizes in place of hints, so that compilers
    /// assign work-items no more registers than such groups have; `None` if there are no hints. All
    /// ranges stay the same.
    pub fn demanding_sizes(&self) -> Option<Module> {
        // Both attributes have the same length.
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
    /// The range of the barrier in bytes.
    pub range: Range<usize>,
    /// The barrier, with the accesses that it orders.
    pub barrier: Barrier,
}

/// The kernels of a module and the memory that they need.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Device {
    /// The kernels in the order of their execution.
    pub kernels: Vec<Kernel>,
    /// The global memory that they need in addition to the output and the parameters.
    pub buffers: Vec<Buffer>,
    /// The text of the same kernels with 32-bit indices, if the sizes of a call select the width.
    pub narrow: Option<String>,
}

/// A kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// The name in the text.
    pub name: Name,
    /// The arguments for its parameters, in order.
    pub args: Vec<KernelArg>,
    /// The launch sizes for which it is compiled; the caller determines the unknown ones.
    pub launch: Launch,
    /// The size variables for the unknown sizes of [`Kernel::launch`], in [`Kernel::requires`] and
    /// in the sizes of memory.
    pub sizes: LaunchVars,
    /// The conditions on sizes for a launch, in addition to those of the signature.
    pub requires: Vec<Prop>,
    /// The local memory that it declares, in bytes, without [`KernelArg::Local`].
    pub local_bytes: Nat,
    /// The private memory of each work-item for variables and arrays, in bytes.
    pub private_bytes: Nat,
    /// The loops that are distributed over its work-items, from which a caller can derive suitable
    /// launch sizes.
    pub items: Vec<Items>,
}

/// Memory of the device that kernels share, or that a kernel needs for itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    /// The name.
    pub name: Name,
    /// The size in bytes.
    pub bytes: Nat,
}

/// The arguments of kernels.
#[derive(Clone, Debug, PartialEq)]
pub enum KernelArg {
    /// The memory for the result.
    Output,
    /// The size with this index in [`Signature::sizes`].
    Size(usize),
    /// The value with this index in [`Signature::params`].
    Param(usize),
    /// The memory with this index in [`Device::buffers`].
    Buffer(usize),
    /// Local memory of this size.
    Local {
        /// The size in bytes.
        bytes: Nat,
    },
}

/// The text of a C function that the program defines.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignText {
    /// The range of the body with its braces, in bytes.
    pub range: Range<usize>,
    /// The function; [`Foreign::body_span`] is the origin of its body.
    pub function: Arc<Foreign>,
}

/// A part of the text without a phrase of the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Plain {
    /// The range of the part in bytes.
    pub range: Range<usize>,
    /// The reason for the part.
    pub reason: Reason,
}

/// The reasons for parts of the text without a phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Headers, types and helpers that the code needs.
    Needed,
    /// The signature, with the comment that describes it.
    Signature,
    /// A check of the condition with this index in [`Signature::requires`].
    Condition(usize),
    /// A check that the number of elements of an array fits into an index.
    Count,
    /// A marker of an unused parameter.
    Unused,
}
