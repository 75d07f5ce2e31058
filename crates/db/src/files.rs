//! Files and items: what they are called, and where they stand.

use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use ropey::Rope;
use rustc_hash::FxHashMap;
use salsa::plumbing::{AsId, FromId};
use smol_str::SmolStr;
use syntax::{GlobalId, Span};

use crate::inputs::{SourceFile, SourceItem};
use crate::language::Language;

/// Names a file in a database.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(salsa::Id);

/// Names an item in a database. An item keeps its name while its text is edited.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemId(salsa::Id);

impl FileId {
    pub(crate) fn from_id(id: salsa::Id) -> Self {
        FileId(id)
    }
}

impl ItemId {
    pub(crate) fn from_id(id: salsa::Id) -> Self {
        ItemId(id)
    }

    /// A small number, different for each item.
    pub(crate) fn index(self) -> usize {
        self.0.index() as usize
    }

    /// The number by which diagnostics and inference name the item.
    pub fn global(self) -> GlobalId {
        GlobalId(self.0.as_bits())
    }

    /// The item with this number, which must come from [`ItemId::global`].
    pub fn from_global(global: GlobalId) -> Self {
        ItemId(salsa::Id::from_bits(global.0.max(1)))
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

impl From<SourceFile> for FileId {
    fn from(file: SourceFile) -> Self {
        FileId(file.as_id())
    }
}

impl From<FileId> for SourceFile {
    fn from(file: FileId) -> Self {
        SourceFile::from_id(file.0)
    }
}

impl From<SourceItem> for ItemId {
    fn from(item: SourceItem) -> Self {
        ItemId(item.as_id())
    }
}

impl From<ItemId> for SourceItem {
    fn from(item: ItemId) -> Self {
        SourceItem::from_id(item.0)
    }
}

/// Where a file is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FilePath {
    /// On disk; absolute, without `.` and `..`: see [`FilePath::disk`].
    Disk(PathBuf),
    /// In the binary: the standard library.
    Std(SmolStr),
    /// Nowhere: a document that was never saved, standard input.
    Virtual(SmolStr),
}

impl FilePath {
    /// The file on disk at this absolute path, whose `.` and `..` are resolved by their text.
    pub fn disk(path: impl AsRef<Path>) -> FilePath {
        FilePath::Disk(normalised(path.as_ref()))
    }

    /// The file that an import of `path` in this file names; `None` if this file is in no folder.
    pub fn import(&self, path: &str) -> Option<FilePath> {
        match self {
            FilePath::Disk(from) => Some(FilePath::disk(from.parent()?.join(path))),
            FilePath::Std(_) => Some(FilePath::Std(path.into())),
            FilePath::Virtual(_) if Path::new(path).is_absolute() => Some(FilePath::disk(path)),
            FilePath::Virtual(_) => None,
        }
    }

    /// The last part of the path.
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

    /// The language of the file, if its name says it: how it ends.
    pub fn language(&self) -> Option<Language> {
        let extension = |path: &Path| Language::from_extension(path.extension()?.to_str()?);
        match self {
            FilePath::Disk(path) => extension(path),
            FilePath::Std(name) => Some(extension(Path::new(name.as_str())).unwrap_or_default()),
            FilePath::Virtual(name) => extension(Path::new(name.as_str())),
        }
    }

    /// The path on disk, if the file is there.
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

/// The path without `.` and `..`, as far as that can be told from its text.
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

/// Why a file has no text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ReadError {
    /// There is none. With the names of the source files beside it, if they are known, for "did
    /// you mean".
    NotFound(Arc<[SmolStr]>),
    /// It is not UTF-8.
    NotText,
    /// It is in a folder from which nothing may be imported.
    Outside,
    /// The system's reason.
    Other(SmolStr),
}

/// The files that were ever named.
#[derive(Default)]
pub(crate) struct Paths {
    pub by_path: FxHashMap<FilePath, FileId>,
    /// Files that were named before anyone said what is in them; may hold some that are settled.
    pub wanted: Vec<FileId>,
}

/// A file's text, and where its items stand in it.
#[derive(Clone, Default)]
pub(crate) struct Layout {
    pub rope: Rope,
    pub items: Arc<[ItemId]>,
    /// As many as `items`, in the same order; they do not overlap.
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
