//! Says which tools the tests of this crate can use.

fn main() {
    tools::declare();
}
