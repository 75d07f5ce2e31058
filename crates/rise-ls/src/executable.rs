//! Finds the executable of this program.

use std::io;
use std::path::{Path, PathBuf};

/// Returns a path by which this executable can be started. On Linux it is `/proc/self/exe`, which
/// refers to the running executable even after its file was replaced by a newer one.
///
/// # Errors
/// Fails if `/proc/self/exe` does not exist and the system does not report the path.
pub fn current() -> io::Result<PathBuf> {
    let own = Path::new("/proc/self/exe");
    match own.exists() {
        true => Ok(own.to_owned()),
        false => std::env::current_exe(),
    }
}
