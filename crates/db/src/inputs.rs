//! The salsa inputs for files, items and the standard library, and the trait of the database that
//! queries use. The other input is [`crate::options::Options`].

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use salsa::plumbing::{AsId, FromId};
use syntax::ast::Name;

use crate::files::{FileId, FilePath, ItemId, ReadError};
use crate::header::{Declaration, Header, StrategyName};
use crate::language::Language;
use crate::trees::Trees;

/// The operations of the database that the salsa queries use besides salsa's own.
#[salsa::db]
pub(crate) trait Db: salsa::Database {
    /// Returns the file at this path. If the database does not know it yet, it is added in the
    /// state `FileState::Requested`.
    fn file_at(&self, path: &FilePath) -> FileId;
    fn trees(&self) -> &Trees;
}

/// Returns true if the computations on this clone of the database are cancelled, because a change
/// waits until the clone is dropped.
pub(crate) fn is_cancelled(db: &dyn Db) -> bool {
    let look = AssertUnwindSafe(|| db.unwind_if_revision_cancelled());
    salsa::Cancelled::catch(look).is_err()
}

/// The state of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileState {
    /// The file is known, usually because another file refers to it, but its text has neither been
    /// set nor been reported as absent.
    Requested,
    /// The file has no text, for this reason.
    Absent(ReadError),
    /// The file has a text, with these items.
    Present(Arc<[ItemId]>),
}

/// A file. Inputs cannot be deleted, so the state of a removed file becomes [`FileState::Absent`].
#[salsa::input]
pub(crate) struct SourceFile {
    #[returns(ref)]
    pub path: FilePath,
    #[returns(copy)]
    pub language: Language,
    #[returns(clone)]
    pub state: FileState,
    /// The program whose definitions and imports are also in scope in this file. Only set if this
    /// file is a strategy that is given for a program: see `Database::set_strategy`.
    #[returns(copy)]
    pub within: Option<FileId>,
}

impl From<SourceFile> for FileId {
    fn from(file: SourceFile) -> Self {
        FileId::from_id(file.as_id())
    }
}

impl From<FileId> for SourceFile {
    fn from(file: FileId) -> Self {
        SourceFile::from_id(file.id())
    }
}

/// An item of a file. A removed item gets an empty text, and is kept in a pool for reuse.
///
/// The header is derived from the text, but it is an input with a higher durability: most edits
/// change a text and no header, and salsa then skips the validation of all queries that depend only
/// on names.
#[salsa::input]
pub(crate) struct SourceItem {
    #[returns(clone)]
    pub text: Arc<str>,
    #[returns(ref)]
    pub header: Header,
    /// A copy of the header's field of the same name, tracked alone because it changes more rarely.
    #[returns(ref)]
    pub declares: Declaration,
    /// A copy of the header's field of the same name, tracked alone because it changes more rarely.
    #[returns(ref)]
    pub strategy: Option<Box<StrategyName>>,
    /// A copy of the header's field of the same name, tracked alone because it changes more rarely.
    #[returns(copy)]
    pub is_exact: bool,
    /// A copy of the header's field of the same name, tracked alone because it changes more rarely.
    #[returns(ref)]
    pub foreign: Option<Box<str>>,
    /// A copy of the header's field of the same name, tracked alone because it changes more rarely.
    #[returns(ref)]
    pub synonyms: Box<[Name]>,
    #[returns(copy)]
    pub file: FileId,
}

impl From<SourceItem> for ItemId {
    fn from(item: SourceItem) -> Self {
        ItemId::from_id(item.as_id())
    }
}

impl From<ItemId> for SourceItem {
    fn from(item: ItemId) -> Self {
        SourceItem::from_id(item.id())
    }
}

/// The files of the standard library of RISE, whose definitions are in scope in all files of RISE
/// and ELEVATE. The files of the strategy library are not among them.
#[salsa::input(singleton)]
pub(crate) struct Library {
    #[returns(ref)]
    pub files: Box<[FileId]>,
}
