//! The standard library: written in RISE, shipped inside the binary, always in scope.

/// Every file of the standard library: its name and its text.
pub const STD: &[(&str, &str)] = &[
    ("functions.rise", include_str!("std/functions.rise")),
    ("stencils.rise", include_str!("std/stencils.rise")),
    ("memory.rise", include_str!("std/memory.rise")),
];
