//! Every OpenCL program of the examples, as a user would: emitted kernels pass Clang without a
//! warning, run on PoCL as the interpreter says, are refused at sizes that break their conditions,
//! and are watched by Oclgrind. What a machine does not have is not tested there, with a word.

mod emitted;
mod random;
mod run;
mod support;
mod watched;
