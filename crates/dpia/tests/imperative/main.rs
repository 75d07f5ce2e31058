//! Tests of the translation to imperative DPIA.

mod check;
mod classics;
mod every_primitive;
mod source;
