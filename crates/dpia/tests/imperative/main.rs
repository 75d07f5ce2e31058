//! The translation of programs to imperative form.

mod check;
mod classics;
mod every;
mod source;
