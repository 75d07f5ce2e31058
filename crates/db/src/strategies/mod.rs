//! Files of ELEVATE: what their items use, their types, and what becomes of programs.

pub(crate) mod mentions;
