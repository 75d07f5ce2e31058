//! The translation of programs to imperative form.

mod check;
mod classics;
mod dump;
mod every;
mod source;
