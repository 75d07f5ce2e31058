//! Runs programs: values and their layout, the sizes and arguments of a run, the interpreter,
//! compiled C, OpenCL, `.npy` files, and the comparison of results.
//!
//! A [`Shape`] is a data type whose sizes are numbers. A [`Value`] is a shape with its bytes in the
//! layout of C, so that the same code compares, prints and stores the results of the interpreter
//! and of compiled programs.

mod build_cache;
pub mod cc;
pub mod compare;
pub mod flop_count;
pub mod generate;
pub mod interp;
pub mod launch;
pub mod literal;
pub mod npy;
pub mod ocl;
pub mod process;
pub mod scalar;
pub mod shape;
pub mod size_inference;
pub mod temp_dir;
pub mod value;
pub mod value_text;

pub use scalar::{Leaf, Scalar};
pub use shape::{Bindings, Rows, Shape, ShapeError};
pub use value::Value;
