//! Sets `cfg(tool = "…")` for each installed tool that tests of this crate need.

fn main() {
    tools::declare();
}
