//! The translation of programs to imperative form.

mod classics;
mod dump;
mod every;
mod source;
