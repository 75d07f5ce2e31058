//! Temporary folders that are removed with the process that has created them.
//!
//! A folder is locked (`flock` on the folder itself) as long as its process runs. The system
//! releases the lock when the process ends for any reason, so a folder without a lock is abandoned,
//! and is removed by the next process that searches for them.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::Once;
use tempfile::TempDir;

/// The prefix of the names of locked folders in the system's temporary folder.
const PREFIX: &str = "rise-ls-tmp-";

/// A locked temporary folder, which is removed when the value is dropped.
#[derive(Debug)]
pub struct LockedTempDir {
    // In this order, so that the folder is removed before its lock is released.
    folder: TempDir,
    lock: Option<File>,
}

impl LockedTempDir {
    /// Creates a folder in the system's temporary folder. The first call of a process removes the
    /// folders that other processes have abandoned.
    ///
    /// # Errors
    /// Fails if the system does not allow a folder there, or the process may not open further
    /// files.
    pub fn new() -> io::Result<LockedTempDir> {
        static ABANDONED: Once = Once::new();
        ABANDONED.call_once(remove_abandoned);
        LockedTempDir::new_in(&std::env::temp_dir(), PREFIX)
    }

    /// Creates a folder in `root` whose name begins with `prefix`.
    ///
    /// # Errors
    /// Fails if the system does not allow a folder there, or the process may not open further
    /// files.
    pub fn new_in(root: &Path, prefix: &str) -> io::Result<LockedTempDir> {
        loop {
            let folder = tempfile::Builder::new().prefix(prefix).tempdir_in(root)?;
            match lock(folder.path())? {
                LockResult::Yes(lock) => return Ok(LockedTempDir { folder, lock }),
                // Another process has removed the folder, which looked abandoned between its
                // creation and its lock.
                LockResult::Removed => drop(folder.keep()),
            }
        }
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns true if the folder has a lock, which not all file systems support.
    pub(crate) fn is_locked(&self) -> bool {
        self.lock.is_some()
    }

    /// Releases the lock, for which a supervisor may wait.
    pub(crate) fn release(&mut self) {
        self.lock = None;
    }

    /// Moves the folder to `path`, where it is not removed.
    ///
    /// # Errors
    /// Returns the folder if it cannot be moved.
    pub fn move_to(self, path: &Path) -> Result<(), (LockedTempDir, io::Error)> {
        if let Err(error) = fs::rename(self.path(), path) {
            return Err((self, error));
        }
        let _moved = self.folder.keep();
        Ok(())
    }
}

/// Removes the abandoned folders of this user in the system's temporary folder.
pub fn remove_abandoned() {
    remove_abandoned_at(&std::env::temp_dir());
}

/// Removes the abandoned folders of this user in the temporary folder `root`.
pub(crate) fn remove_abandoned_at(root: &Path) {
    remove_abandoned_in(root, PREFIX);
}

/// Removes the unlocked folders of this user in `root` whose names begin with `prefix`.
pub(crate) fn remove_abandoned_in(root: &Path, prefix: &str) {
    for entry in fs::read_dir(root).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(prefix) {
            remove_if_abandoned(&entry.path());
        }
    }
}

enum LockResult {
    /// The lock, if the file system supports locks.
    Yes(Option<File>),
    /// The folder was removed before it was locked.
    Removed,
}

#[cfg(unix)]
fn lock(folder: &Path) -> io::Result<LockResult> {
    let file = match File::open(folder) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(LockResult::Removed),
        // Without a lock the folder would look abandoned to other processes.
        Err(error) => return Err(error),
    };
    if file.lock().is_err() {
        return Ok(LockResult::Yes(None));
    }
    Ok(match is_at(&file, folder) {
        true => LockResult::Yes(Some(file)),
        false => LockResult::Removed,
    })
}

#[cfg(not(unix))]
fn lock(_: &Path) -> io::Result<LockResult> {
    Ok(LockResult::Yes(None))
}

/// Returns true if the path still refers to the open folder.
#[cfg(unix)]
fn is_at(folder: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |data: fs::Metadata| (data.dev(), data.ino());
    match (folder.metadata(), fs::symlink_metadata(path)) {
        (Ok(open), Ok(named)) => id(open) == id(named),
        _ => false,
    }
}

#[cfg(unix)]
fn remove_if_abandoned(folder: &Path) {
    use std::os::unix::fs::MetadataExt;
    let user = rustix::process::getuid().as_raw();
    let is_own = fs::symlink_metadata(folder).is_ok_and(|data| data.is_dir() && data.uid() == user);
    if !is_own {
        return;
    }
    let Ok(lock) = File::open(folder) else { return };
    if lock.try_lock().is_ok() {
        // Another process may remove it at the same time.
        let _ = fs::remove_dir_all(folder);
    }
}

#[cfg(not(unix))]
fn remove_if_abandoned(_: &Path) {}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn only_abandoned_folders_are_removed() {
        let root = tempfile::tempdir().expect("a folder");
        let held = LockedTempDir::new_in(root.path(), "x-").expect("a folder");
        let mut left = LockedTempDir::new_in(root.path(), "x-").expect("a folder");
        left.release();
        let other = root.path().join("y-1");
        fs::create_dir(&other).expect("a folder");
        fs::write(left.path().join("file"), "").expect("a file");
        std::os::unix::fs::symlink(&other, root.path().join("x-link")).expect("a link");
        remove_abandoned_in(root.path(), "x-");
        assert!(held.path().exists());
        assert!(!left.path().exists());
        assert!(other.exists());
    }

    #[test]
    fn a_folder_that_cannot_be_opened_is_an_error() {
        let root = tempfile::tempdir().expect("a folder");
        let circle = root.path().join("circle");
        std::os::unix::fs::symlink(&circle, &circle).expect("a link");
        assert!(lock(&circle).is_err());
        assert!(matches!(
            lock(&root.path().join("gone")),
            Ok(LockResult::Removed)
        ));
    }

    #[test]
    fn a_folder_that_was_moved_stays() {
        let root = tempfile::tempdir().expect("a folder");
        let scratch = LockedTempDir::new_in(root.path(), "x-").expect("a folder");
        let place = root.path().join("place");
        assert!(scratch.move_to(&place).is_ok());
        assert!(place.is_dir());
    }
}
