//! Positions, ranges and edits in files, as byte offsets.

use db::FileId;
use syntax::Span;

/// A position: a byte offset in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FilePosition {
    /// The file.
    pub file: FileId,
    /// The offset in bytes from the start of the file.
    pub offset: u32,
}

/// A range of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileRange {
    /// The file.
    pub file: FileId,
    /// The range in bytes from the start of the file.
    pub span: Span,
}

/// The replacement of a range of a file by a text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TextEdit {
    /// The range that is replaced; empty for an insertion.
    pub span: Span,
    /// The new text.
    pub text: String,
}

/// Edits of several files; those of one file are sorted and do not overlap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceEdits {
    /// The edits of each file, each file once.
    pub files: Vec<(FileId, Vec<TextEdit>)>,
}

impl SourceEdits {
    /// Creates the edits of one file.
    pub fn single(file: FileId, mut edits: Vec<TextEdit>) -> SourceEdits {
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        SourceEdits {
            files: vec![(file, edits)],
        }
    }

    /// Collects edits in any order, without duplicates.
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

/// A target of navigation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NavTarget {
    /// The file.
    pub file: FileId,
    /// The range of the whole item or binder.
    pub full: Span,
    /// The range of its name, within `full`.
    pub focus: Span,
    /// The name.
    pub name: String,
    /// The kind of the target.
    pub kind: SymbolKind,
}

/// The kind of a symbol, which is what a name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// A definition of a function.
    Function,
    /// A definition of data, or an example or main expression of a strategy file.
    Value,
    /// A foreign function, whose body is C.
    Foreign,
    /// A parameter of a `fun` or a foreign function, or a name bound in a definition of a strategy
    /// file.
    Parameter,
    /// A name bound by `let`.
    Variable,
    /// A size, type, address space or type-level function that is a parameter.
    TypeParameter,
    /// A primitive.
    Primitive,
    /// A rule of ELEVATE.
    Rule,
    /// A strategy, normal form or other value of ELEVATE.
    Strategy,
    /// A predicate of ELEVATE.
    Predicate,
    /// A tuning parameter.
    Tunable,
    /// An imported file.
    File,
}
