//! Defines the result of code generation: the text and its metadata.

use std::ops::Range;
use std::sync::Arc;

use nat::{Nat, Prop};
use rise::core::{Foreign, Launch};
use syntax::ast::Name;

use crate::ir::host::HostStep;
use crate::ir::kernel::{Items, LaunchVars};
use crate::ir::{Barrier, Mapping};
use crate::signature::Signature;

/// The text of a translation unit, with the metadata for callers and editors.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// The text.
    pub text: String,
    /// The signature of the compiled function. In C that is the only function that the text defines
    /// and that is not static; in OpenCL C the kernels together have this signature.
    pub signature: Signature,
    /// The origin of each part of the text, in the order of the text; parts can be nested.
    pub map: Vec<Mapping>,
    /// The parts of the text that come from no phrase of the program.
    pub plain: Vec<Plain>,
    /// The called C functions whose bodies the program gives, with the ranges of the bodies in the
    /// text.
    pub foreign: Vec<ForeignText>,
    /// The kernels in the text, with their launches and buffers; `None` for other targets than
    /// OpenCL.
    pub device: Option<Device>,
    /// The barriers in the text, in order.
    pub barriers: Vec<BarrierText>,
    /// The numbers of elements, ends of loops and intermediate sums that may be too large for
    /// indices, in terms of the sizes of the signature.
    pub counts: Vec<Nat>,
}

impl Module {
    /// Returns the module with required work-group sizes in place of hints in its text, so that
    /// compilers can give each work-item more registers; `None` if there are no hints. All ranges
    /// stay the same, and [`Device::narrow`] keeps its hints.
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

/// The kernels of a module, and the buffers that the host allocates for them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Device {
    /// The kernels in the order of their first launches.
    pub kernels: Vec<Kernel>,
    /// The steps of the host, which launch the kernels. Their memory is an output, a parameter, a
    /// buffer or a handle.
    pub steps: Vec<HostStep<KernelArg>>,
    /// The number of handles.
    pub handles: usize,
    /// The buffers in global memory that the kernels need in addition to the outputs and the
    /// parameters.
    pub buffers: Vec<Buffer>,
    /// The text of the same kernels with 32-bit indices, if the sizes of a call select the width
    /// and the kernels in [`Module::text`] have 64-bit indices.
    pub narrow: Option<String>,
}

/// A kernel, with what its host has to know.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// The name in the text.
    pub name: Name,
    /// The arguments for its parameters, in order.
    pub args: Vec<KernelArg>,
    /// The launch sizes for which it is compiled; `None` for those that the caller chooses.
    pub launch: Launch,
    /// The size variables that stand for the sizes of a launch where [`Kernel::launch`] has none:
    /// in [`Kernel::requires`] and in the sizes of memory.
    pub sizes: LaunchVars,
    /// The conditions on sizes for a launch, in addition to those of the signature.
    pub requires: Vec<Prop>,
    /// The size in bytes of the local memory that it declares, without that of
    /// [`KernelArg::Local`].
    pub local_bytes: Nat,
    /// The size in bytes of the private memory of each work-item for variables and arrays.
    pub private_bytes: Nat,
    /// The loops that are distributed over its work-items or work-groups, from which a caller can
    /// derive suitable launch sizes.
    pub items: Vec<Items>,
}

/// A buffer in global memory, which several kernels share or one kernel uses.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    /// The name.
    pub name: Name,
    /// The size in bytes.
    pub bytes: Nat,
}

/// An argument of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub enum KernelArg {
    /// The memory of the output with this index in [`Signature::outputs`].
    Output(usize),
    /// The size with this index in [`Signature::sizes`].
    Size(usize),
    /// The value with this index in [`Signature::params`].
    Param(usize),
    /// The buffer with this index in [`Device::buffers`].
    Buffer(usize),
    /// The memory to which the handle with this index refers when the kernel is launched.
    Handle(usize),
    /// Local memory that the host allocates at the launch.
    Local {
        /// The size in bytes.
        bytes: Nat,
    },
}

/// The body of a C function of the program in generated text.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignText {
    /// The range of the body with its braces, in bytes.
    pub range: Range<usize>,
    /// The function; [`Foreign::body_span`] is the origin of its body.
    pub function: Arc<Foreign>,
}

/// A part of the text that comes from no phrase of the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Plain {
    /// The range of the part in bytes.
    pub range: Range<usize>,
    /// The reason for the part.
    pub reason: Reason,
}

/// The reason for a part of the text that comes from no phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Headers, types, helpers, and work-item queries that the code needs; in a kernel also
    /// statements such as `(void)n;`.
    Needed,
    /// The head of a function or kernel, with the comment before it if it has one.
    Signature,
    /// A check of the condition with this index in [`Signature::requires`].
    Condition(usize),
    /// A check that numbers of elements fit into indices, or the choice of the index width by them.
    Count,
    /// A statement such as `(void)n;` in a C function that marks a parameter as unused.
    Unused,
}
