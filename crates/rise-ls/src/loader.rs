//! Loading of source files: expands paths to files, reads them, and follows their imports.
//!
//! The command line and the server share this module. It never writes, and does not panic on any
//! content of the disk.

use std::collections::{BTreeSet, HashMap};
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::roots::Roots;
use db::{Database, FilePath, ParsedFile, ReadError};
use ignore::WalkBuilder;
use smol_str::SmolStr;

/// The largest size in bytes of a file that is read, and of standard input. It is limited because
/// positions have 32 bits.
pub const MAX_BYTES: u64 = 64 << 20;

/// The time limit for reading one file.
const THREAD_TIMEOUT: Duration = Duration::from_secs(5);

/// The time limit of a command for reading a group of imported files. The server has its own limit.
pub const READ_TIMEOUT: Duration = Duration::from_secs(10);

/// The largest number of directory entries that are searched for alternatives to a missing import.
const MAX_SIBLINGS: usize = 1000;

/// The error message for a FIFO, a device or a socket.
const NOT_REGULAR: &str = "it is not a regular file";

/// The reason why a file or folder cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// An I/O error, or a file that exceeds a limit of this module.
    #[error("{}: {}", .path.display(), reason(.source))]
    Io {
        /// The path of the file or folder.
        path: PathBuf,
        /// The error of the operating system, or one about a limit.
        source: io::Error,
    },
    /// A FIFO, a device or a socket: reading it could block on another process.
    #[error("{}: {NOT_REGULAR}; to read standard input, write `-`", .path.display())]
    NotRegular {
        /// The path of the file.
        path: PathBuf,
    },
    /// A folder that cannot be traversed, for example because a subfolder cannot be listed.
    #[error("{}: {source}", .path.display())]
    Walk {
        /// The folder that was to be listed.
        path: PathBuf,
        /// The error of the directory traversal.
        source: ignore::Error,
    },
}

/// Returns the message of an I/O error in plain words.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file or folder".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::IsADirectory => "is a folder, not a file".into(),
        _ => error.to_string(),
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// UTF-8 text.
    Text {
        /// The text without its byte order mark.
        text: String,
        /// True if the file begins with a byte order mark.
        bom: bool,
    },
    NotText(NotText),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotText {
    /// The content, with U+FFFD for invalid bytes.
    pub lossy: String,
    /// The offset of the first invalid byte. `lossy` equals the content up to there.
    pub offset: usize,
    /// The byte at `offset`.
    pub byte: u8,
    /// True if the file begins with the byte order mark of UTF-16.
    pub utf16: bool,
}

impl NotText {
    pub fn message(&self) -> String {
        if self.utf16 {
            return "this file is not UTF-8 but UTF-16".into();
        }
        format!(
            "this file is not UTF-8: byte {} of it is 0x{:02X}, which is not text",
            self.offset + 1,
            self.byte
        )
    }
}

/// Decodes bytes as UTF-8, and removes a byte order mark at the beginning.
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

/// Reads a regular file. Files whose reading could block on another process, such as `/dev/stdin`,
/// a FIFO or a device, are rejected.
pub fn read(path: &Path) -> Result<Content, LoadError> {
    read_regular(path).map_err(|source| match std::fs::metadata(path) {
        Ok(data) if !data.is_file() && !data.is_dir() => LoadError::NotRegular {
            path: path.to_owned(),
        },
        _ => LoadError::Io {
            path: path.to_owned(),
            source,
        },
    })
}

fn read_regular(path: &Path) -> io::Result<Content> {
    check_regular(&path.metadata()?)?;
    let file = open_at_once(path)?;
    let data = file.metadata()?;
    // The file may have been replaced since the first check.
    check_regular(&data)?;
    let timed = Timed {
        from: file,
        deadline: Instant::now() + THREAD_TIMEOUT,
    };
    read_from(timed, data.len())
}

fn check_regular(data: &Metadata) -> io::Result<()> {
    match data.file_type() {
        kind if kind.is_file() => Ok(()),
        kind if kind.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        _ => Err(io::Error::other(NOT_REGULAR)),
    }
}

/// Opens a file without blocking. Otherwise, opening a FIFO without a writer would block.
#[cfg(unix)]
fn open_at_once(path: &Path) -> io::Result<File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let flags = i32::try_from(flags.bits()).map_err(io::Error::other)?;
    let mut options = File::options();
    options.read(true).custom_flags(flags).open(path)
}

#[cfg(not(unix))]
fn open_at_once(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// A reader with a deadline, because some files of `/proc` never end.
struct Timed {
    from: File,
    deadline: Instant,
}

impl Read for Timed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if Instant::now() >= self.deadline {
            return Err(io::Error::other(format!(
                "reading the file takes longer than {THREAD_TIMEOUT:?}"
            )));
        }
        self.from.read(buffer)
    }
}

/// Reads standard input. Errors refer to it as `name`.
pub fn read_stdin(name: &str) -> Result<Content, LoadError> {
    read_from(io::stdin().lock(), 0).map_err(|source| LoadError::Io {
        path: name.into(),
        source,
    })
}

fn read_from(from: impl Read, expected: u64) -> io::Result<Content> {
    let mut bytes = Vec::new();
    if expected <= MAX_BYTES {
        bytes.reserve(usize::try_from(expected).unwrap_or_default() + 1);
        // The size of a pipe, or of a file that grows, is not known in advance.
        from.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    }
    match expected.max(bytes.len() as u64) > MAX_BYTES {
        true => Err(io::Error::other(format!(
            "the file is larger than {} MB",
            MAX_BYTES >> 20
        ))),
        false => Ok(decode(bytes)),
    }
}

/// Returns the source files of `path`, sorted: `path` itself if it is not a folder, whatever its
/// extension, or else all source files below it that are neither hidden nor excluded by an ignore
/// file such as `.gitignore`. Symbolic links to files are followed, and those to folders are not.
pub fn source_files(path: &Path) -> Result<Vec<PathBuf>, LoadError> {
    let io = |source| LoadError::Io {
        path: path.to_owned(),
        source,
    };
    if !std::fs::metadata(path).map_err(io)?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = BTreeSet::new();
    // `.gitignore` files also apply outside of git repositories.
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

/// Returns true if the path has the extension of RISE, DPIA or ELEVATE.
pub fn is_source(path: &Path) -> bool {
    FilePath::disk(path).language().is_some()
}

fn is_file(entry: &ignore::DirEntry) -> bool {
    entry
        .file_type()
        .is_some_and(|kind| kind.is_file() || (kind.is_symlink() && entry.path().is_file()))
}

/// The text of a file, split into items, or the reason why it cannot be read.
pub type Contents = Result<ParsedFile, ReadError>;

/// The channel that receives the files that are being read.
type Reading = Receiver<(FilePath, Contents)>;

/// Files that were not read within the time limit. They may still arrive.
#[derive(Debug)]
pub struct Late {
    pub paths: Vec<FilePath>,
    /// The channel that receives their contents.
    pub contents: Receiver<(FilePath, Contents)>,
}

/// The result of loading imports.
#[derive(Debug, Default)]
pub struct Imports {
    /// The files that were read.
    pub files: Vec<db::FileId>,
    /// The files that were not read in time, and that the database has as absent.
    pub late: Vec<Late>,
}

/// Reads imported files into the database until none is missing. A file that cannot be read becomes
/// absent. Waits at most `patience` for each group of missing files: those that were read may
/// import others.
pub fn load_imports(db: &mut Database, roots: &Arc<Roots>, patience: Duration) -> Imports {
    let mut imports = Imports::default();
    loop {
        let missing = db.missing();
        if missing.is_empty() {
            return imports;
        }
        let (contents, late) = read_promptly(&missing, roots, patience);
        for (path, contents) in missing.into_iter().zip(contents) {
            match contents {
                Ok(text) => imports.files.push(db.set_prepared(path, text)),
                Err(why) => db.set_absent(path, why),
            }
        }
        imports.late.extend(late);
    }
}

/// Runs `act` on a thread of its own, because a file system may block forever.
///
/// # Errors
/// Returns the channel of the result if it has not arrived within `patience`, or will not arrive,
/// because the thread has panicked or cannot be started.
pub fn do_promptly<T: Send + 'static>(
    patience: Duration,
    act: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Receiver<T>> {
    let (sender, result) = mpsc::channel();
    // Sending fails if the receiver was dropped. If no thread can be started, nothing is sent.
    let act = move || drop(sender.send(act()));
    let _ = thread::Builder::new().name("rise:files".into()).spawn(act);
    result.recv_timeout(patience).map_err(|_| result)
}

/// Reads files on separate threads, because a file system may block forever. The contents are in
/// the order of `paths`, with an error for each file that is not read within `patience`. These
/// files are also returned as `Late`, unless the threads have ended.
pub fn read_promptly(
    paths: &[FilePath],
    roots: &Arc<Roots>,
    patience: Duration,
) -> (Vec<Contents>, Option<Late>) {
    await_promptly(paths, start_reading(paths, roots), patience)
}

fn await_promptly(
    paths: &[FilePath],
    reading: Reading,
    patience: Duration,
) -> (Vec<Contents>, Option<Late>) {
    let deadline = Instant::now() + patience;
    let mut read = HashMap::new();
    let mut end = RecvTimeoutError::Timeout;
    while read.len() < paths.len() {
        let left = deadline.saturating_duration_since(Instant::now());
        match reading.recv_timeout(left) {
            Ok((path, contents)) => drop(read.insert(path, contents)),
            Err(why) => {
                end = why;
                break;
            }
        }
    }
    let (reason, is_waiting) = match end {
        RecvTimeoutError::Timeout => ("the file system does not answer", true),
        RecvTimeoutError::Disconnected => ("the threads that read files have ended", false),
    };
    let is_missing = |path: &&FilePath| !read.contains_key(path);
    let missing: Vec<FilePath> = paths.iter().filter(is_missing).cloned().collect();
    let late = (is_waiting && !missing.is_empty()).then_some(Late {
        paths: missing,
        contents: reading,
    });
    let absent = || Err(ReadError::Other(reason.into()));
    let contents = paths
        .iter()
        .map(|path| read.remove(path).unwrap_or_else(absent));
    (contents.collect(), late)
}

fn start_reading(paths: &[FilePath], roots: &Arc<Roots>) -> Reading {
    let (sender, results) = mpsc::channel();
    let count = paths.len();
    let paths = Arc::new(Mutex::new(Vec::from(paths).into_iter()));
    let threads = thread::available_parallelism().map_or(1, usize::from);
    for _ in 0..threads.min(count) {
        let (sender, paths, roots) = (sender.clone(), paths.clone(), roots.clone());
        let next = move || paths.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = move || {
            while let Some(path) = next() {
                let contents = read_import(&path, &roots).map(|text| prepared(&path, &text));
                if sender.send((path, contents)).is_err() {
                    return;
                }
            }
        };
        // If no thread can be started, the caller reports that instead of the contents.
        let _ = thread::Builder::new()
            .name("rise:import".into())
            .spawn(work);
    }
    results
}

/// Splits the text of the file at `path` into items. Without a known extension the language is
/// RISE.
pub fn prepared(path: &FilePath, text: &str) -> ParsedFile {
    ParsedFile::new(text, path.language().unwrap_or_default())
}

/// Reads a file that an import names. Fails if it is not on disk, not in one of the roots, or
/// cannot be read as UTF-8 text.
pub fn read_import(path: &FilePath, roots: &Roots) -> Result<String, ReadError> {
    let Some(disk) = path.as_disk() else {
        return Err(ReadError::NotFound(Arc::default()));
    };
    if !roots.contain(disk) {
        return Err(ReadError::Outside);
    }
    match read_regular(disk) {
        Ok(Content::Text { text, .. }) => Ok(text),
        Ok(Content::NotText(_)) => Err(ReadError::NotText),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(ReadError::NotFound(siblings(disk)))
        }
        Err(error) => Err(ReadError::Other(reason(&error).into())),
    }
}

/// Returns the names of the source files in the folder of `path`, sorted. At most `MAX_SIBLINGS`
/// entries of the folder are examined; the result is empty if it cannot be read.
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
            "this file is not UTF-8: byte 9 of it is 0xE9, which is not text"
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
        let mut roots = Roots::default();
        roots.add(folder.path());
        assert_eq!(
            read_import(&path, &roots),
            Err(ReadError::NotFound(Arc::from(["stencil.rise".into()])))
        );
    }

    #[test]
    fn what_takes_too_long_comes_later() {
        let (go_on, waits) = mpsc::channel::<()>();
        let late = do_promptly(Duration::ZERO, move || waits.recv().is_err());
        drop(go_on);
        assert!(late.expect_err("it waits").recv().unwrap());
        assert_eq!(do_promptly(THREAD_TIMEOUT, || 1).unwrap(), 1);
    }

    #[test]
    fn a_file_that_no_thread_reads_is_not_late() {
        let path = FilePath::disk("/a.rise");
        let (_, reading) = mpsc::channel();
        let (contents, late) = await_promptly(&[path], reading, THREAD_TIMEOUT);
        let reason = "the threads that read files have ended";
        assert_eq!(
            contents[0].as_ref().err(),
            Some(&ReadError::Other(reason.into()))
        );
        assert!(late.is_none());
    }

    #[test]
    fn a_file_that_comes_too_late_comes() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.rise"), "def x = 1").unwrap();
        let path = FilePath::disk(folder.path().join("a.rise"));
        let mut roots = Roots::default();
        roots.add(folder.path());
        let paths = std::slice::from_ref(&path);
        let (contents, late) = read_promptly(paths, &Arc::new(roots), Duration::ZERO);
        let text = match (&contents[..], late) {
            ([Ok(text)], None) => text.text().to_string(),
            ([Err(ReadError::Other(_))], Some(late)) => {
                let (came, contents) = late.contents.recv().unwrap();
                assert_eq!(came, path);
                contents.unwrap().text().to_string()
            }
            _ => panic!("lost"),
        };
        assert_eq!(text, "def x = 1");
    }
}
