//! Tests of every OpenCL program of the examples: Clang compiles the emitted kernels without a
//! warning, PoCL computes the interpreter's results, sizes that violate the conditions are refused,
//! and Oclgrind finds no errors. Tests whose tools are missing are ignored.

mod emitted;
mod random;
mod run;
mod support;
mod watched;
