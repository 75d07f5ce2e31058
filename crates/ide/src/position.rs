//! Where things stand, and edits to them: files and byte spans, nothing else.

use db::FileId;
use syntax::Span;

/// A cursor: a byte offset in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FilePosition {
    /// The file.
    pub file: FileId,
    /// Bytes from the start of the file.
    pub offset: u32,
}

/// A span of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileRange {
    /// The file.
    pub file: FileId,
    /// Bytes from the start of the file.
    pub span: Span,
}

/// Replaces a span of a file by text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TextEdit {
    /// What is replaced; empty for an insertion.
    pub span: Span,
    /// What stands there afterwards.
    pub text: String,
}

/// Edits to several files; those of one file are sorted and do not overlap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceEdits {
    /// The edits by file, each file once.
    pub files: Vec<(FileId, Vec<TextEdit>)>,
}

impl SourceEdits {
    /// Edits to one file.
    pub fn single(file: FileId, mut edits: Vec<TextEdit>) -> SourceEdits {
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        SourceEdits {
            files: vec![(file, edits)],
        }
    }

    /// Collects edits in any order; the same edit twice counts once.
    pub(crate) fn collect(edits: impl IntoIterator<Item = (FileId, TextEdit)>) -> SourceEdits {
        let mut files: Vec<(FileId, Vec<TextEdit>)> = Vec::new();
        for (file, edit) in edits {
            match files.iter_mut().find(|(known, _)| *known == file) {
                Some((_, list)) => list.push(edit),
                None => files.push((file, vec![edit])),
            }
        }
        for (_, list) in &mut files {
            list.sort_by(|a, b| (a.span, &a.text).cmp(&(b.span, &b.text)));
            list.dedup();
        }
        SourceEdits { files }
    }
}

/// A place to go to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NavTarget {
    /// The file.
    pub file: FileId,
    /// The whole item or binder.
    pub full: Span,
    /// Its name, within `full`.
    pub focus: Span,
    /// The name.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// A definition of a function.
    Function,
    /// A definition of data.
    Value,
    /// A C function.
    Foreign,
    /// A parameter of a `fun`.
    Parameter,
    /// A name bound by `let`.
    Variable,
    /// A size, type, address space or type-level function that is a parameter.
    TypeParameter,
    /// A primitive.
    Primitive,
    /// A rule of ELEVATE.
    Rule,
    /// A strategy or normal form.
    Strategy,
    /// A test of programs.
    Predicate,
    /// A size that is tuned.
    Tunable,
    /// A file that is imported.
    File,
}
