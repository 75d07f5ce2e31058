//! Every OpenCL program of the examples, as a user would: emitted kernels pass Clang without a
//! warning, run on PoCL as the interpreter says, are refused at sizes that break their conditions,
//! and are watched by Oclgrind. Tests that need what a machine does not have are ignored there.

mod emitted;
mod random;
mod run;
mod support;
mod watched;
