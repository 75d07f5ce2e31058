//! Tells the tests of this crate which tools they can use.

fn main() {
    tools::declare();
}
