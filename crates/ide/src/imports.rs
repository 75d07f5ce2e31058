//! The files of the workspace that a file can import or name in an annotation.

use std::path::Path;

use db::{Database, FileId, Language};
use rustc_hash::FxHashSet;

/// Returns the other files in the language of a file that it can import, with their paths relative
/// to its folder, in the order of the number of folders in these. Files that import it, directly or
/// transitively, are left out, because imports must be acyclic.
pub(crate) fn importable(db: &Database, file: FileId) -> Vec<(FileId, String)> {
    let mut found = files(db, file, db.language(file));
    found.retain(|(other, _)| *other != file && !reaches(db, *other, file));
    found
}

/// Returns the files on disk in a language with their paths relative to the folder of the file
/// `from`, in the order of the number of folders in these. Returns none if `from` is not on disk.
pub(crate) fn files(db: &Database, from: FileId, language: Language) -> Vec<(FileId, String)> {
    let own = db.path(from);
    let Some(folder) = own.as_disk().and_then(Path::parent) else {
        return Vec::new();
    };
    let mut found: Vec<(FileId, String)> = db
        .files()
        .into_iter()
        .filter(|file| !db.is_library(*file) && db.language(*file) == language)
        .filter_map(|file| Some((file, relative(folder, db.path(file).as_disk()?)?)))
        .collect();
    found.sort_by_cached_key(|(_, path)| (path.matches('/').count(), path.clone()));
    found
}

/// Returns the strategy file to which `path`, as [`files`] writes it, leads from the folder of the
/// file `from`.
pub(crate) fn file_at(db: &Database, from: FileId, path: &str) -> Option<FileId> {
    let files = files(db, from, Language::Elevate);
    let named = files.into_iter().find(|(_, name)| *name == *path);
    named.map(|(file, _)| file)
}

/// Returns true if the file `from` imports `to`, directly or transitively, or is `to` itself.
fn reaches(db: &Database, from: FileId, to: FileId) -> bool {
    let (mut open, mut seen) = (vec![from], FxHashSet::default());
    while let Some(file) = open.pop() {
        if file == to {
            return true;
        }
        if seen.insert(file) {
            open.extend(db.imports(file).iter().filter_map(|import| import.target));
        }
    }
    false
}

/// Returns a path relative to a folder as an import writes it, with `/` on every system.
fn relative(folder: &Path, path: &Path) -> Option<String> {
    let (from, to): (Vec<_>, Vec<_>) = (folder.components().collect(), path.components().collect());
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n(Some(".."), from.len() - shared);
    let down = to[shared..].iter().map(|part| part.as_os_str().to_str());
    let parts: Option<Vec<&str>> = up.chain(down).collect();
    parts.map(|parts| parts.join("/"))
}
