//! Finds the executable of this program.

use std::io;
use std::path::{Path, PathBuf};

/// Returns the path of this executable, which also works after its file was replaced by a newer
/// one.
///
/// # Errors
/// Fails if the system does not report the path.
pub fn current() -> io::Result<PathBuf> {
    let own = Path::new("/proc/self/exe");
    match own.exists() {
        true => Ok(own.to_owned()),
        false => std::env::current_exe(),
    }
}
