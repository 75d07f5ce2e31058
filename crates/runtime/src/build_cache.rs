//! The cache of compiled programs: a folder of the user with an entry for each program.

use crate::temp_dir::{self, LockedTempDir};
use std::fs;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The largest number of entries; if there are more, old ones are removed.
const MAX_ENTRIES: usize = 256;
/// The number of entries that are kept when old ones are removed.
const ENTRIES_AFTER_TRIM: usize = 192;
/// The prefix of the names of folders in which programs are compiled.
const BUILD_PREFIX: &str = "building-";
const OUTPUT_FILE: &str = "output.txt";
const EXECUTABLE_FILE: &str = "run";

/// Returns the cache folder, or `None` if no folder can be created that only the user can write to.
pub fn root() -> Option<PathBuf> {
    let variable = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    // A home folder that does not exist is not created.
    let home = || {
        let home = variable("HOME").filter(|home| home.is_dir());
        home.map(|home| home.join(".cache"))
    };
    let cache = variable("XDG_CACHE_HOME")
        .or_else(home)
        .map(|path| path.join("rise-ls"));
    let candidates = cache
        .into_iter()
        .chain([std::env::temp_dir().join(temporary_name())]);
    candidates
        .into_iter()
        .map(|path| path.join("programs"))
        .find(|path| own_folder(path))
}

#[cfg(unix)]
fn temporary_name() -> String {
    format!("rise-ls-{}", rustix::process::getuid().as_raw())
}

#[cfg(not(unix))]
fn temporary_name() -> String {
    "rise-ls".to_owned()
}

/// Creates the folder, and returns true if it and its parent folder belong to the user, and only
/// the user can write to them, because the executables in it are run.
#[cfg(unix)]
fn own_folder(path: &Path) -> bool {
    use std::os::unix::fs::{DirBuilderExt, MetadataExt};
    let made = fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path);
    let user = rustix::process::getuid().as_raw();
    let is_own = |path: &Path| {
        fs::symlink_metadata(path)
            .is_ok_and(|data| data.is_dir() && data.uid() == user && data.mode() & 0o022 == 0)
    };
    made.is_ok() && is_own(path) && path.parent().is_some_and(is_own)
}

#[cfg(not(unix))]
fn own_folder(path: &Path) -> bool {
    fs::create_dir_all(path).is_ok()
}

/// The entry of a program: its files, and a name that is a hash of them.
pub struct CacheEntry {
    name: String,
    files: Vec<(String, String)>,
}

impl CacheEntry {
    pub fn new(files: &[(&str, &str)]) -> CacheEntry {
        let hash =
            |salt: u8| BuildHasherDefault::<DefaultHasher>::default().hash_one((salt, files));
        let own = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
        CacheEntry {
            name: format!("{:016x}{:016x}", hash(0), hash(1)),
            files: files.iter().map(own).collect(),
        }
    }

    /// Returns the path of the executable and the output of the compiler; `None` if the program is
    /// not in the cache.
    pub fn find(&self, root: &Path) -> Option<(PathBuf, String)> {
        let folder = root.join(&self.name);
        let same = |(name, text): &(String, String)| {
            fs::read_to_string(folder.join(name)).is_ok_and(|kept| kept == *text)
        };
        if !self.files.iter().all(same) {
            return None;
        }
        let output = fs::read_to_string(folder.join(OUTPUT_FILE)).ok()?;
        let path = folder.join(EXECUTABLE_FILE);
        if !path.is_file() {
            return None;
        }
        // Old entries are removed first. If this fails, the entry only looks older than it is.
        let _ = fs::File::open(folder.join(OUTPUT_FILE))
            .and_then(|file| file.set_modified(SystemTime::now()));
        Some((path, output))
    }

    /// Creates a folder with the files, in which they are compiled.
    pub fn prepare(&self, root: &Path) -> io::Result<LockedTempDir> {
        let folder = LockedTempDir::new_in(root, BUILD_PREFIX)?;
        for (name, text) in &self.files {
            fs::write(folder.path().join(name), text)?;
        }
        Ok(folder)
    }

    /// Moves the folder to its final name in the cache, and returns the path of the executable.
    pub fn keep(&self, folder: LockedTempDir, root: &Path, output: &str) -> io::Result<PathBuf> {
        fs::write(folder.path().join(OUTPUT_FILE), output)?;
        let place = root.join(&self.name);
        if let Err((folder, error)) = folder.move_to(&place) {
            // Another process may have stored the entry already, or an invalid entry has this name.
            if let Some((path, _)) = self.find(root) {
                return Ok(path);
            }
            fs::remove_dir_all(&place).map_err(|_| error)?;
            folder.move_to(&place).map_err(|(_, error)| error)?;
        }
        trim(root, &self.name);
        Ok(place.join(EXECUTABLE_FILE))
    }
}

/// Removes the folders of builds whose process was killed.
pub fn remove_abandoned() {
    if let Some(root) = root() {
        temp_dir::remove_abandoned_in(&root, BUILD_PREFIX);
    }
}

/// Removes the entries whose last use is the oldest if there are more than [`MAX_ENTRIES`], but not
/// the entry `newest`. Also removes the folders of builds whose process was killed. Errors are
/// ignored.
fn trim(root: &Path, newest: &str) {
    let Ok(entries) = fs::read_dir(root) else {
        return;
    };
    temp_dir::remove_abandoned_in(root, BUILD_PREFIX);
    let mut kept = Vec::new();
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(BUILD_PREFIX) {
            continue;
        }
        let path = entry.path();
        kept.push((last_use(&path), path, *name == *newest));
    }
    if kept.len() <= MAX_ENTRIES {
        return;
    }
    kept.sort();
    let surplus = kept.len() - ENTRIES_AFTER_TRIM;
    for (used, path, is_newest) in kept.into_iter().take(surplus) {
        // Another process may have found the entry since, and be about to start its program.
        if !is_newest && last_use(&path) == used {
            let _ = fs::remove_dir_all(path);
        }
    }
}

/// Returns the time at which the entry in a folder was made or found for the last time.
fn last_use(folder: &Path) -> SystemTime {
    let used = fs::metadata(folder.join(OUTPUT_FILE)).and_then(|data| data.modified());
    used.unwrap_or(SystemTime::UNIX_EPOCH)
}
