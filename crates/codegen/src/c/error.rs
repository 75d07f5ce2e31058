//! Defines the errors of programs that have no C text.

use dpia::IndexWidth;
use rise::core::Origin;

use crate::error::CompileError;

/// Returns the error for 16-bit floats, which C does not have.
pub(crate) fn half(origin: Origin) -> CompileError {
    CompileError::new(origin, "`f16` has no counterpart in C").with_help("use `f32`")
}

/// Returns the error for a vector whose number of lanes is a parameter.
pub(crate) fn lanes(lanes: &str, origin: Origin) -> CompileError {
    let text = format!("a vector of `{lanes}` lanes has no code: the number has to be known");
    CompileError::new(origin, text).with_help("write the number, as in `asVector(4)`")
}

/// Returns the error for a value that C variables cannot contain.
pub(crate) fn unstorable(ty: &str, origin: Origin) -> CompileError {
    CompileError::new(origin, format!("a value of type `{ty}` cannot be stored"))
}

/// Returns the error for a function on sizes that is a parameter.
pub(crate) fn size_function(size: &str, origin: Origin) -> CompileError {
    let text = format!("the size `{size}` uses a function that is a parameter");
    CompileError::new(origin, text)
        .with_help("write the function where it is used: `natFun(i => …)`")
}

/// Returns the error for a number of elements that does not fit into indices.
pub(crate) fn large_count(count: i64, index: IndexWidth, origin: Origin) -> CompileError {
    let text = |bits: u32| format!("{count} elements do not fit into indices of {bits} bits");
    match index {
        IndexWidth::Bits32 => {
            CompileError::new(origin, text(32)).with_help("emit the code with `--index 64`")
        }
        IndexWidth::Bits64 => CompileError::new(origin, text(64)),
    }
}

/// Returns the error for a size that was too large to be represented.
pub(crate) fn too_big(origin: Origin) -> CompileError {
    CompileError::new(origin, "a size is too large to be written down")
}

/// Returns the error for a lane of a vector in memory with a computed number.
pub(crate) fn lane(origin: Origin) -> CompileError {
    CompileError::new(
        origin,
        "the number of this lane is computed, and OpenCL C names lanes by constants",
    )
    .with_help("keep the values in an array")
}

/// Returns the error for an array in private memory of unknown size.
pub(crate) fn private_size(size: &str, origin: Origin) -> CompileError {
    let text = format!(
        "private memory for `{size}` elements: each work-item has registers for a number of them \
         that is known when it is compiled"
    );
    CompileError::new(origin, text)
        .with_help("use a number, or keep them in Local or Global memory")
}

/// Returns the error for a C function that a device does not have.
pub(crate) fn no_body(name: &str, origin: Origin) -> CompileError {
    let text = format!("a device has no function `{name}`: nothing is linked to a kernel");
    CompileError::new(origin, text).with_help("give the `foreign def` a body")
}
