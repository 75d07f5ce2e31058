//! The text of the loop language for each target.

pub(crate) mod clike;
pub(crate) mod opencl;
mod openmp;
