//! Reading files: which ones a path means, their text, and what they import.
//!
//! Shared by the command line and the server. Nothing here writes, and nothing panics on what is
//! found on the disk.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use db::{Database, FilePath, Prepared, ReadError};
use ignore::WalkBuilder;
use rayon::prelude::*;
use smol_str::SmolStr;

/// Larger files are refused: positions are 32 bits wide, and no program is written this long.
pub const MAX_BYTES: u64 = 64 << 20;

/// Names that are offered for an import that does not exist.
const MAX_SIBLINGS: usize = 1000;

/// Why a file or folder cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The system says no.
    #[error("{}: {}", .path.display(), reason(.source))]
    Io {
        /// What was to be read.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Larger than [`MAX_BYTES`].
    #[error("{}: the file is larger than {} MB", .path.display(), MAX_BYTES >> 20)]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// A folder cannot be listed, or a link in it leads nowhere.
    #[error("{}: {source}", .path.display())]
    Walk {
        /// The folder that was asked for.
        path: PathBuf,
        /// What the walk says.
        source: ignore::Error,
    },
}

/// The system's reason in a few plain words.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file or folder".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::IsADirectory => "is a folder, not a file".into(),
        _ => error.to_string(),
    }
}

/// A file's content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// UTF-8, without its byte order mark.
    Text {
        /// The text.
        text: String,
        /// Whether a byte order mark stood before it.
        bom: bool,
    },
    /// Something else.
    NotText(NotText),
}

/// A file that is not UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotText {
    /// The content, with U+FFFD for what is no text.
    pub lossy: String,
    /// The first byte that is no text. Up to there, `lossy` is the content.
    pub offset: usize,
    /// That byte.
    pub byte: u8,
    /// Whether the file begins as UTF-16 does.
    pub utf16: bool,
}

impl NotText {
    /// What is wrong, in a sentence.
    pub fn message(&self) -> String {
        if self.utf16 {
            return "this file is not UTF-8 but UTF-16".into();
        }
        format!(
            "this file is not UTF-8: byte {} of it is 0x{:02X}, which is no text",
            self.offset + 1,
            self.byte
        )
    }
}

/// Takes bytes for UTF-8.
pub fn decode(bytes: Vec<u8>) -> Content {
    match String::from_utf8(bytes) {
        Ok(mut text) => {
            let bom = text.starts_with('\u{feff}');
            if bom {
                text.drain(..'\u{feff}'.len_utf8());
            }
            Content::Text { text, bom }
        }
        Err(error) => {
            let offset = error.utf8_error().valid_up_to();
            let bytes = error.as_bytes();
            Content::NotText(NotText {
                lossy: String::from_utf8_lossy(bytes).into_owned(),
                offset,
                byte: bytes.get(offset).copied().unwrap_or_default(),
                utf16: bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]),
            })
        }
    }
}

/// Reads a file.
pub fn read(path: &Path) -> Result<Content, LoadError> {
    let io = |source| LoadError::Io {
        path: path.to_owned(),
        source,
    };
    let file = File::open(path).map_err(io)?;
    let length = file.metadata().map_err(io)?.len();
    read_from(file, length, path)
}

/// Reads standard input; `name` stands for it in errors.
pub fn read_stdin(name: &str) -> Result<Content, LoadError> {
    read_from(io::stdin().lock(), 0, Path::new(name))
}

fn read_from(from: impl Read, expected: u64, path: &Path) -> Result<Content, LoadError> {
    let too_large = || LoadError::TooLarge {
        path: path.to_owned(),
    };
    if expected > MAX_BYTES {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(expected).unwrap_or_default() + 1);
    // A pipe or a file that grows has no size to be asked for.
    from.take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|source| LoadError::Io {
            path: path.to_owned(),
            source,
        })?;
    if bytes.len() as u64 > MAX_BYTES {
        Err(too_large())
    } else {
        Ok(decode(bytes))
    }
}

/// The source files that `path` means, in the order of their paths: itself, or every one below it
/// that no `.gitignore` excludes. Hidden files are left out.
pub fn source_files(path: &Path) -> Result<Vec<PathBuf>, LoadError> {
    let io = |source| LoadError::Io {
        path: path.to_owned(),
        source,
    };
    if !std::fs::metadata(path).map_err(io)?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = BTreeSet::new();
    // A folder that is no git repository may have a .gitignore all the same.
    for entry in WalkBuilder::new(path).require_git(false).build() {
        let entry = entry.map_err(|source| LoadError::Walk {
            path: path.to_owned(),
            source,
        })?;
        if is_source(entry.path()) && is_file(&entry) {
            found.insert(entry.into_path());
        }
    }
    Ok(found.into_iter().collect())
}

/// Whether the path ends as files of RISE, DPIA or ELEVATE do.
pub fn is_source(path: &Path) -> bool {
    FilePath::disk(path).language().is_some()
}

fn is_file(entry: &ignore::DirEntry) -> bool {
    entry
        .file_type()
        .is_some_and(|kind| kind.is_file() || (kind.is_symlink() && entry.path().is_file()))
}

/// Reads the files that imports name until none is missing, and returns those that were read.
pub fn load_imports(db: &mut Database) -> Vec<db::FileId> {
    let mut loaded = Vec::new();
    loop {
        let missing = db.missing();
        if missing.is_empty() {
            return loaded;
        }
        let texts: Vec<_> = missing
            .par_iter()
            .map(|path| read_import(path).map(|text| prepared(path, &text)))
            .collect();
        for (path, text) in missing.into_iter().zip(texts) {
            match text {
                Ok(text) => loaded.push(db.set_prepared(path, text)),
                Err(why) => db.set_absent(path, why),
            }
        }
    }
}

/// The text of the file at `path`, cut into items. A file whose name does not say what it is
/// written in is one of RISE.
pub fn prepared(path: &FilePath, text: &str) -> Prepared {
    Prepared::new(text, path.language().unwrap_or_default())
}

/// The text of a file that an import names.
pub fn read_import(path: &FilePath) -> Result<String, ReadError> {
    let Some(disk) = path.as_disk() else {
        return Err(ReadError::NotFound(Arc::default()));
    };
    match read(disk) {
        Ok(Content::Text { text, .. }) => Ok(text),
        Ok(Content::NotText(_)) => Err(ReadError::NotText),
        Err(LoadError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
            Err(ReadError::NotFound(siblings(disk)))
        }
        Err(LoadError::Io { source, .. }) => Err(ReadError::Other(reason(&source).into())),
        Err(_) => Err(ReadError::Other(
            format!("the file is larger than {} MB", MAX_BYTES >> 20).into(),
        )),
    }
}

/// The names of the source files beside `path`, in order.
fn siblings(path: &Path) -> Arc<[SmolStr]> {
    let Some(Ok(folder)) = path.parent().map(std::fs::read_dir) else {
        return Arc::default();
    };
    let names = folder
        .flatten()
        .take(MAX_SIBLINGS)
        .map(|entry| PathBuf::from(entry.file_name()));
    let mut names: Vec<SmolStr> = names
        .filter(|name| is_source(name))
        .map(|name| name.to_string_lossy().into())
        .collect();
    names.sort();
    names.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_is_no_text() {
        let content = decode("\u{feff}def x = 1".as_bytes().to_vec());
        assert_eq!(
            content,
            Content::Text {
                text: "def x = 1".into(),
                bom: true
            }
        );
    }

    #[test]
    fn the_first_bad_byte_is_named() {
        let Content::NotText(bad) = decode(b"def x\n= \xe9".to_vec()) else {
            panic!("taken for text")
        };
        assert_eq!((bad.offset, bad.byte, bad.utf16), (8, 0xe9, false));
        assert_eq!(
            bad.message(),
            "this file is not UTF-8: byte 9 of it is 0xE9, which is no text"
        );
        assert!(bad.lossy.is_char_boundary(bad.offset));
    }

    #[test]
    fn utf16_is_recognised() {
        let Content::NotText(bad) = decode(b"\xff\xfed\0e\0f\0".to_vec()) else {
            panic!("taken for text")
        };
        assert_eq!(bad.message(), "this file is not UTF-8 but UTF-16");
    }

    #[test]
    fn folders_give_their_files_in_order_without_the_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        for name in [
            "b.rise",
            "a.rise",
            "deep/er/c.dpia",
            "s.elevate",
            "out/d.rise",
            "notes.md",
            ".hidden/e.rise",
        ] {
            put(name, "");
        }
        put(".gitignore", "out/\n");
        let found = source_files(folder.path()).unwrap();
        let names: Vec<_> = found
            .iter()
            .map(|path| path.strip_prefix(folder.path()).unwrap())
            .collect();
        assert_eq!(
            names,
            ["a.rise", "b.rise", "deep/er/c.dpia", "s.elevate"].map(Path::new)
        );
    }

    #[test]
    fn a_missing_import_comes_with_the_files_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("stencil.rise"), "").unwrap();
        std::fs::write(folder.path().join("stencil.txt"), "").unwrap();
        let path = FilePath::disk(folder.path().join("stencils.rise"));
        assert_eq!(
            read_import(&path),
            Err(ReadError::NotFound(Arc::from(["stencil.rise".into()])))
        );
    }
}
