//! Identifiers and paths of files and items, and the layout of a file.

use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ropey::Rope;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use syntax::{GlobalId, Span};

use crate::language::Language;

/// The identifier of a file in a database.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(salsa::Id);

/// The identifier of an item in a database. An item usually keeps it when its text is edited. The
/// identifier of a removed item may be reused for a new one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemId(salsa::Id);

/// The salsa id of the first item of every database. The library of strategies, which databases
/// share, refers to definitions of the standard library by their numbers (`lang::Programs`).
static FIRST_ITEM: OnceLock<u64> = OnceLock::new();

fn first_item() -> u64 {
    FIRST_ITEM.get().copied().unwrap_or_default()
}

impl FileId {
    pub(crate) fn from_id(id: salsa::Id) -> Self {
        FileId(id)
    }

    pub(crate) fn id(self) -> salsa::Id {
        self.0
    }
}

impl ItemId {
    pub(crate) fn from_id(id: salsa::Id) -> Self {
        ItemId(id)
    }

    pub(crate) fn id(self) -> salsa::Id {
        self.0
    }

    /// Returns the index of the salsa id, which is different for each item of a database.
    pub(crate) fn index(self) -> usize {
        self.0.index() as usize
    }

    /// Returns the number that diagnostics, inference and strategies use for the item.
    pub fn global(self) -> GlobalId {
        GlobalId(self.0.as_bits().wrapping_sub(first_item()))
    }

    /// Returns the item with this number, which must come from [`ItemId::global`].
    pub fn from_global(global: GlobalId) -> Self {
        let bits = global.0.wrapping_add(first_item());
        ItemId(salsa::Id::from_bits(bits.max(1)))
    }

    /// Numbers all items from the first one of a new database on, so that the items of the standard
    /// library, which are its first ones, have the numbers from 0 on.
    ///
    /// # Panics
    /// Panics if salsa has not given consecutive ids to the items, the same in every database.
    pub(crate) fn number_from_first(standard: impl Iterator<Item = ItemId>) {
        for (item, number) in standard.zip(0..) {
            FIRST_ITEM.get_or_init(|| item.0.as_bits());
            assert_eq!(item.global(), GlobalId(number), "the id of a new item");
        }
    }
}

impl fmt::Debug for FileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "file {}", self.0.index())
    }
}

impl fmt::Debug for ItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "item {}", self.0.index())
    }
}

/// The location of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FilePath {
    /// The location on disk; the path is absolute, without `.` and `..`: see [`FilePath::disk`].
    Disk(PathBuf),
    /// The name of a file in the binary, which contains the standard library and the strategy
    /// library.
    Std(SmolStr),
    /// The name of a text that is in memory only, such as an unsaved document or standard input.
    Virtual(SmolStr),
}

impl FilePath {
    /// Returns the location of a file on disk with this absolute path, whose `.` and `..` are
    /// resolved lexically.
    pub fn disk(path: impl AsRef<Path>) -> FilePath {
        FilePath::Disk(normalised(path.as_ref()))
    }

    /// Returns the file that an import of `path` in this file refers to; `None` if `path` is
    /// relative and this file is in no folder. In a file of the library, `path` is the name of
    /// another one.
    pub fn import(&self, path: &str) -> Option<FilePath> {
        match self {
            FilePath::Disk(from) => Some(FilePath::disk(from.parent()?.join(path))),
            FilePath::Std(_) => Some(FilePath::Std(path.into())),
            FilePath::Virtual(_) if Path::new(path).is_absolute() => Some(FilePath::disk(path)),
            FilePath::Virtual(_) => None,
        }
    }

    /// Returns the last component of a path on disk, or the whole name of another file.
    pub fn file_name(&self) -> String {
        match self {
            FilePath::Disk(path) => path
                .file_name()
                .unwrap_or(path.as_os_str())
                .to_string_lossy()
                .into_owned(),
            FilePath::Std(name) | FilePath::Virtual(name) => name.to_string(),
        }
    }

    /// Returns the language that the extension of the file determines. If it determines none, the
    /// result is RISE for a file of the library, and `None` for others.
    pub fn language(&self) -> Option<Language> {
        let extension = |path: &Path| Language::from_extension(path.extension()?.to_str()?);
        match self {
            FilePath::Disk(path) => extension(path),
            FilePath::Std(name) => Some(extension(Path::new(name.as_str())).unwrap_or_default()),
            FilePath::Virtual(name) => extension(Path::new(name.as_str())),
        }
    }

    /// Returns the path on disk; `None` if the file is not on disk.
    pub fn as_disk(&self) -> Option<&Path> {
        match self {
            FilePath::Disk(path) => Some(path),
            FilePath::Std(_) | FilePath::Virtual(_) => None,
        }
    }
}

impl fmt::Display for FilePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FilePath::Disk(path) => write!(f, "{}", path.display()),
            FilePath::Std(name) | FilePath::Virtual(name) => f.write_str(name),
        }
    }
}

/// Removes `.` and `..` from a path, as far as that is possible lexically.
fn normalised(path: &Path) -> PathBuf {
    let mut parts: Vec<Component<'_>> = Vec::new();
    for part in path.components() {
        match (part, parts.last()) {
            (Component::CurDir, _) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => {
                parts.pop();
            }
            (Component::ParentDir, Some(Component::RootDir | Component::Prefix(_))) => {}
            _ => parts.push(part),
        }
    }
    parts.into_iter().collect()
}

/// The reason why a file has no text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ReadError {
    /// The file does not exist. Contains the names of the source files in its folder, for a
    /// suggestion of a similar name; empty if they are not known.
    NotFound(Arc<[SmolStr]>),
    /// The file is not UTF-8.
    NotText,
    /// The file is outside of the folders from which imports are allowed.
    Outside,
    /// Another error, with its message.
    Other(SmolStr),
}

/// The paths of all files that the database knows.
#[derive(Default)]
pub(crate) struct Paths {
    pub by_path: FxHashMap<FilePath, FileId>,
    /// The files whose state was [`FileState::Requested`](crate::FileState::Requested) when they
    /// were added; it may have changed since.
    pub requested: Vec<FileId>,
}

/// The text of a file, its items, and their ranges.
#[derive(Clone, Default)]
pub(crate) struct Layout {
    pub rope: Rope,
    pub items: Arc<[ItemId]>,
    /// The ranges of `items`, in the same order; they do not overlap.
    pub spans: Vec<Span>,
    pub index: Arc<FxHashMap<ItemId, u32>>,
}

impl Layout {
    pub fn set_items(&mut self, items: Arc<[ItemId]>) {
        self.index = Arc::new(
            items
                .iter()
                .zip(0..)
                .map(|(&item, at)| (item, at))
                .collect(),
        );
        self.items = items;
    }

    pub fn span_of(&self, item: ItemId) -> Option<Span> {
        self.spans.get(*self.index.get(&item)? as usize).copied()
    }

    pub fn item_at(&self, offset: u32) -> Option<(ItemId, u32)> {
        let after = self.spans.partition_point(|span| span.start <= offset);
        let at = after.checked_sub(1)?;
        let span = self.spans[at];
        span.touches(offset)
            .then(|| (self.items[at], offset - span.start))
    }

    pub fn items_in(&self, range: Span) -> Vec<ItemId> {
        let from = self.spans.partition_point(|span| span.end < range.start);
        let to = self.spans.partition_point(|span| span.start <= range.end);
        self.items.get(from..to).unwrap_or_default().to_vec()
    }
}
