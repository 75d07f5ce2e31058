//! OpenCL C: kernels, and the C program that launches them.

pub(crate) mod host;
pub(crate) mod kernels;
mod lanes;
mod unrolling;
