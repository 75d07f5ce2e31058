//! The path of this program.

use std::io;
use std::path::{Path, PathBuf};

/// The path of this program as it runs, also where its file was replaced by a newer one meanwhile.
///
/// # Errors
/// The system does not tell the path.
pub fn current() -> io::Result<PathBuf> {
    let own = Path::new("/proc/self/exe");
    match own.exists() {
        true => Ok(own.to_owned()),
        false => std::env::current_exe(),
    }
}
