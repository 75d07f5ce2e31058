//! The standard library: files in RISE that are part of the binary, and whose definitions are in
//! scope without an import.

/// Every file of the standard library: its name and its text.
pub const STD: &[(&str, &str)] = &[
    ("functions.rise", include_str!("std/functions.rise")),
    ("arrays.rise", include_str!("std/arrays.rise")),
    ("stencils.rise", include_str!("std/stencils.rise")),
    ("memory.rise", include_str!("std/memory.rise")),
];
