//! Running programs: values and their layout, the interpreter, compiled C, `.npy` files,
//! comparison of results.
//!
//! A [`Shape`] is a data type whose sizes are numbers; a [`Value`] is a shape with its bytes in
//! the layout of C, so that what the interpreter computes and what a compiled program writes are
//! compared, printed and stored by the same code.

pub mod cc;
pub mod compare;
pub mod generate;
pub mod interp;
pub mod launch;
pub mod literal;
pub mod npy;
pub mod ocl;
pub mod process;
pub mod scalar;
pub mod scratch;
pub mod shape;
pub mod sizes;
pub mod text;
pub mod value;
pub mod work;

pub use scalar::{Leaf, Scalar};
pub use shape::{Bindings, Rows, Shape, ShapeError};
pub use value::Value;
