//! Folders for temporary files that go away with the process that has made them.
//!
//! A folder is locked (`flock` on the folder itself) for as long as its maker lives. The system
//! releases the lock however the maker ends, so a folder without a lock belongs to nobody and is
//! removed by the next process that looks.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::Once;
use tempfile::TempDir;

/// The beginning of the names of all such folders in the system's folder for temporary files.
const PREFIX: &str = "rise-ls-tmp-";

/// A locked folder for temporary files. It is removed with the value.
#[derive(Debug)]
pub struct Scratch {
    // In this order: the folder is removed before its lock is released.
    folder: TempDir,
    lock: Option<File>,
}

impl Scratch {
    /// Makes a folder among the system's temporary files. The first call of a process removes the
    /// folders that other processes have abandoned.
    ///
    /// # Errors
    /// The system allows no folder there.
    pub fn new() -> io::Result<Scratch> {
        static ABANDONED: Once = Once::new();
        ABANDONED.call_once(remove_abandoned);
        Scratch::new_in(&std::env::temp_dir(), PREFIX)
    }

    /// Makes a folder in `root` whose name begins with `prefix`.
    ///
    /// # Errors
    /// The system allows no folder there, or the process may open no more files.
    pub fn new_in(root: &Path, prefix: &str) -> io::Result<Scratch> {
        loop {
            let folder = tempfile::Builder::new().prefix(prefix).tempdir_in(root)?;
            match lock(folder.path())? {
                Locked::Yes(lock) => return Ok(Scratch { folder, lock }),
                // Between its creation and its lock the folder looks abandoned.
                Locked::Gone => drop(folder.keep()),
            }
        }
    }

    /// The folder's path.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns true if the folder has a lock, which not every file system provides.
    pub(crate) fn is_locked(&self) -> bool {
        self.lock.is_some()
    }

    /// Releases the lock: whoever waits for it takes over.
    pub(crate) fn release(&mut self) {
        self.lock = None;
    }

    /// Moves the folder to `path`, where it stays.
    ///
    /// # Errors
    /// It cannot be moved.
    pub fn move_to(self, path: &Path) -> Result<(), (Scratch, io::Error)> {
        if let Err(error) = fs::rename(self.path(), path) {
            return Err((self, error));
        }
        let _moved = self.folder.keep();
        Ok(())
    }
}

/// Removes the folders of this user among the system's temporary files that nobody has locked.
pub fn remove_abandoned() {
    remove_abandoned_at(&std::env::temp_dir());
}

/// Removes such folders where the system's temporary files are in `root`.
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

enum Locked {
    /// The lock, if the file system has locks.
    Yes(Option<File>),
    /// The folder was removed before it was locked.
    Gone,
}

#[cfg(unix)]
fn lock(folder: &Path) -> io::Result<Locked> {
    let file = match File::open(folder) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Locked::Gone),
        // Without a lock the folder would look abandoned to other processes.
        Err(error) => return Err(error),
    };
    if file.lock().is_err() {
        return Ok(Locked::Yes(None));
    }
    Ok(match is_at(&file, folder) {
        true => Locked::Yes(Some(file)),
        false => Locked::Gone,
    })
}

#[cfg(not(unix))]
fn lock(_: &Path) -> io::Result<Locked> {
    Ok(Locked::Yes(None))
}

/// Returns true if the open folder is still what its path names.
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
        // Another process may be doing the same.
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
        let held = Scratch::new_in(root.path(), "x-").expect("a folder");
        let mut left = Scratch::new_in(root.path(), "x-").expect("a folder");
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
        assert!(matches!(lock(&root.path().join("gone")), Ok(Locked::Gone)));
    }

    #[test]
    fn a_folder_that_was_moved_stays() {
        let root = tempfile::tempdir().expect("a folder");
        let scratch = Scratch::new_in(root.path(), "x-").expect("a folder");
        let place = root.path().join("place");
        assert!(scratch.move_to(&place).is_ok());
        assert!(place.is_dir());
    }
}
