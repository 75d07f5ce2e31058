//! Declares the tools that the tests of this crate can use.

fn main() {
    tools::declare();
}
