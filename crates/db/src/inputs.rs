//! What the database is told; everything else follows from it.

use std::sync::Arc;

use crate::files::{FileId, FilePath, ItemId, ReadError};

/// What is known about a file's existence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileState {
    /// An import names it, and nobody has looked for it yet.
    Wanted,
    /// It cannot be read.
    Absent(ReadError),
    /// It has a text, with these items.
    Present(Arc<[ItemId]>),
}

/// A file. Inputs cannot be deleted, so a file that is gone becomes [`FileState::Absent`].
#[salsa::input]
pub(crate) struct SourceFile {
    #[returns(ref)]
    pub path: FilePath,
    #[returns(clone)]
    pub state: FileState,
}

/// An item of a file. An item that is gone waits in a pool and becomes another one.
#[salsa::input]
pub(crate) struct SourceItem {
    #[returns(clone)]
    pub text: Arc<str>,
    #[returns(copy)]
    pub file: FileId,
}

/// The files that are always in scope.
#[salsa::input(singleton)]
pub(crate) struct Library {
    #[returns(ref)]
    pub files: Box<[FileId]>,
}
