//! The salsa inputs of the database, from which everything else is derived.

use std::sync::Arc;

use crate::files::{FileId, FilePath, ItemId, ReadError};
use crate::header::{Declaration, Header, StrategyName};
use syntax::ast::Name;

use crate::language::Language;

/// The state of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileState {
    /// An import refers to it, and it has not been searched yet.
    Requested,
    /// The file cannot be read.
    Absent(ReadError),
    /// The file has a text, with these items.
    Present(Arc<[ItemId]>),
}

/// A file. Inputs cannot be deleted, so the state of a removed file becomes [`FileState::Absent`].
#[salsa::input]
pub(crate) struct SourceFile {
    #[returns(ref)]
    pub path: FilePath,
    /// The language of the text.
    #[returns(copy)]
    pub language: Language,
    #[returns(clone)]
    pub state: FileState,
    /// The file whose names are also in scope: for a strategy that is given for a program.
    #[returns(copy)]
    pub within: Option<FileId>,
}

/// An item of a file. A removed item is kept in a pool for reuse.
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
    /// The field of the header alone, which changes more rarely than the header.
    #[returns(ref)]
    pub declares: Declaration,
    /// The field of the header alone, which changes more rarely than the header.
    #[returns(ref)]
    pub strategy: Option<Box<StrategyName>>,
    /// The field of the header alone, which changes more rarely than the header.
    #[returns(ref)]
    pub foreign: Option<Box<str>>,
    /// The field of the header alone, which changes more rarely than the header.
    #[returns(ref)]
    pub synonyms: Box<[Name]>,
    #[returns(copy)]
    pub file: FileId,
}

/// The options of the user.
#[salsa::input(singleton)]
pub(crate) struct Options {
    /// The target that every program is checked for, in addition to its own.
    #[returns(copy)]
    pub target: Option<codegen::Target>,
    /// The device that OpenCL programs are checked against.
    #[returns(clone)]
    pub device: Arc<dpia::Device>,
    /// The width of the sizes and indices of generated code, and the passes that are left out.
    #[returns(ref)]
    pub codegen: codegen::Options,
    /// The launch sizes that the user has given.
    #[returns(ref)]
    pub launch: rise::core::Launch,
}

/// The files that are in scope in every file.
#[salsa::input(singleton)]
pub(crate) struct Library {
    #[returns(ref)]
    pub files: Box<[FileId]>,
}
