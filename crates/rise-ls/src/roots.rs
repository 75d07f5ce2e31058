//! The folders from which files may be imported.
//!
//! A program of unknown origin may import any path, and diagnostics quote source text. So imports
//! are restricted to folders that the user works in.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The names of the files and folders that mark the root of a project.
const MARKERS: [&str; 2] = ["rise.toml", ".git"];

/// A set of folders, with symbolic links resolved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roots(BTreeSet<PathBuf>);

impl Roots {
    pub fn add(&mut self, folder: &Path) {
        self.0.extend(folder.canonicalize());
    }

    pub fn add_project_of(&mut self, folder: &Path) {
        if let Ok(folder) = folder.canonicalize() {
            self.0.insert(project_of(&folder).to_owned());
        }
    }

    /// Adds the root of the project that contains a file or folder. Adds nothing if the file or
    /// folder does not exist.
    pub fn add_project_of_path(&mut self, path: &Path) {
        match path.parent() {
            _ if !path.exists() => {}
            _ if path.is_dir() => self.add_project_of(path),
            Some(parent) if parent.as_os_str().is_empty() => self.add_project_of(Path::new(".")),
            Some(parent) => self.add_project_of(parent),
            None => {}
        }
    }

    /// Returns true if each folder of `others` is one of these folders or below one.
    pub fn include(&self, others: &Roots) -> bool {
        let is_inside = |other: &PathBuf| self.0.iter().any(|root| other.starts_with(root));
        others.0.iter().all(is_inside)
    }

    /// Returns true if the path, with symbolic links resolved, is one of the folders or below one.
    /// For a path that does not exist, its nearest existing ancestor decides.
    pub fn contain(&self, path: &Path) -> bool {
        let real = path.ancestors().find_map(|path| path.canonicalize().ok());
        real.is_some_and(|real| self.0.iter().any(|root| real.starts_with(root)))
    }
}

impl FromIterator<PathBuf> for Roots {
    /// Collects folders whose symbolic links are already resolved.
    fn from_iter<I: IntoIterator<Item = PathBuf>>(folders: I) -> Roots {
        Roots(folders.into_iter().collect())
    }
}

/// Returns the root of the project that contains a folder: the folder itself, or else its nearest
/// ancestor, that contains `rise.toml` or `.git`; if there is none, the folder.
pub fn project_of(folder: &Path) -> &Path {
    let is_root = |folder: &&Path| MARKERS.iter().any(|name| folder.join(name).exists());
    folder.ancestors().find(is_root).unwrap_or(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn folder(files: &[&str]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        for file in files {
            fs::create_dir_all(path.join(file).parent().unwrap()).unwrap();
            fs::write(path.join(file), "").unwrap();
        }
        (folder, path)
    }

    #[test]
    fn a_project_begins_at_the_nearest_marker() {
        let (_keep, path) = folder(&["rise.toml", "a/b/x.rise", "c/.git/HEAD", "c/d/y.rise"]);
        let root_of = |name: &str| {
            let mut roots = Roots::default();
            roots.add_project_of_path(&path.join(name));
            roots.0.first().cloned()
        };
        assert_eq!(root_of("a/b/x.rise"), Some(path.clone()));
        assert_eq!(root_of("a/b"), Some(path.clone()));
        assert_eq!(root_of("c/d/y.rise"), Some(path.join("c")));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_resolved_and_missing_files_are_judged_by_their_folder() {
        let (_keep, path) = folder(&["in/x.rise", "out/y.rise"]);
        std::os::unix::fs::symlink(path.join("out"), path.join("in/link")).unwrap();
        let mut roots = Roots::default();
        roots.add(&path.join("in"));
        let contains = |name: &str| roots.contain(&path.join(name));
        assert!(contains("in/x.rise") && contains("in/new/z.rise"));
        assert!(!contains("out/y.rise") && !contains("out/z.rise"));
        assert!(!contains("in/link/y.rise") && !contains("in/link/z.rise"));
        assert!(!contains("in/../out/y.rise"));
    }
}
