//! What the database is told; everything else follows from it.

use std::sync::Arc;

use crate::files::{FileId, FilePath, ItemId, ReadError};
use crate::header::{Declares, Header, StrategyName};
use syntax::ast::Name;

use crate::language::Language;

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
    /// What its text is written in.
    #[returns(copy)]
    pub language: Language,
    #[returns(clone)]
    pub state: FileState,
    /// The file whose names it sees besides its own: that of a strategy given for a program.
    #[returns(copy)]
    pub within: Option<FileId>,
}

/// An item of a file. An item that is gone waits in a pool and becomes another one.
///
/// The header follows from the text. It is told, not asked, and more durable than the text: most
/// keystrokes change a text and no header, and salsa then sees at a glance that everything which
/// rests on names alone is as it was.
#[salsa::input]
pub(crate) struct SourceItem {
    #[returns(clone)]
    pub text: Arc<str>,
    #[returns(ref)]
    pub header: Header,
    /// That of the header, by itself: it changes more rarely.
    #[returns(ref)]
    pub declares: Declares,
    /// That of the header, by itself, for the same reason.
    #[returns(ref)]
    pub strategy: Option<Box<StrategyName>>,
    /// The field of the header alone, which changes more rarely than the header.
    #[returns(ref)]
    pub foreign: Option<Box<str>>,
    /// The field of the header alone, for the same reason.
    #[returns(ref)]
    pub synonyms: Box<[Name]>,
    #[returns(copy)]
    pub file: FileId,
}

/// What the user asks for besides.
#[salsa::input(singleton)]
pub(crate) struct Options {
    /// What every program is checked for.
    #[returns(copy)]
    pub target: Option<dpia::Target>,
    /// What OpenCL programs are checked against.
    #[returns(clone)]
    pub device: Arc<dpia::Device>,
    /// The width of the sizes and indices of generated code.
    #[returns(copy)]
    pub index: dpia::IndexPolicy,
    /// The sizes that kernels are launched with, where the user has given some.
    #[returns(ref)]
    pub launch: rise::core::Launch,
}

/// The files that are always in scope.
#[salsa::input(singleton)]
pub(crate) struct Library {
    #[returns(ref)]
    pub files: Box<[FileId]>,
}
