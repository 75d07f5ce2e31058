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

/// Edits of any number of files; those of one file are sorted by range and must not overlap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceEdits {
    /// The edits of each file, each file once.
    pub files: Vec<(FileId, Vec<TextEdit>)>,
}

impl SourceEdits {
    /// Creates the edits of one file, and sorts them.
    pub fn single(file: FileId, mut edits: Vec<TextEdit>) -> SourceEdits {
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        SourceEdits {
            files: vec![(file, edits)],
        }
    }

    /// Groups edits in any order by file, sorts them, and removes duplicates.
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
    /// The range of the whole item, or of the name of a binder; empty at the start for a file.
    pub full: Span,
    /// The range of its name, within `full`. For something without a name, it is `full`.
    pub focus: Span,
    /// The name, or a text in its place, such as `main`.
    pub name: String,
    /// The kind of the target.
    pub kind: SymbolKind,
}

/// The kind of a symbol: of what a name refers to, or of an entry in an outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// A definition of a function, or one whose type is not known.
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
    /// A type-level parameter, such as a size or a type, or the index of a `sum`.
    TypeParameter,
    /// A primitive.
    Primitive,
    /// A rule of ELEVATE, declared with `rule`.
    Rule,
    /// A strategy, normal form or other value of ELEVATE.
    Strategy,
    /// A predicate of ELEVATE, declared with `pred`.
    Predicate,
    /// A tuning parameter of ELEVATE, declared with `tune`.
    Tunable,
    /// An imported file.
    File,
}
