//! The programs of `examples/`, for tests.

use std::path::{Path, PathBuf};

use db::{Database, FileId, FilePath, ReadError};

/// Returns all examples with their paths, in one database.
pub(crate) fn all() -> (Database, Vec<(String, FileId)>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut paths = Vec::new();
    collect(&root, &mut paths);
    paths.sort();
    let mut db = Database::new();
    let mut files = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("the example can be read");
        let shown = path.strip_prefix(&root).expect("it is below");
        let shown = shown.display().to_string();
        let file = db.set_file(FilePath::disk(Path::new("/examples").join(&shown)), text);
        files.push((shown, file));
    }
    for path in db.missing() {
        db.set_absent(path, ReadError::NotFound(std::sync::Arc::default()));
    }
    (db, files)
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("the examples can be listed");
    for entry in entries {
        let path = entry.expect("the entry can be read").path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|end| end == "rise") {
            found.push(path);
        }
    }
}
