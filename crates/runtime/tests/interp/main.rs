//! What programs mean, by example.

mod arrays;
mod harness;
