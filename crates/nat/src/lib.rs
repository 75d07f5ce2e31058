//! nat
