//! Code completion in programs and strategy files.

mod candidates;
mod cursor_context;
mod paths;
mod strategy_files;
#[cfg(test)]
mod tests;

use db::{Database, FileId, Language};
use elevate::lang::Library;
use syntax::{GlobalId, Span};

use crate::builtin::Builtin;
use crate::context::Context;
use crate::{FilePosition, hover, item_view, markdown};
use candidates::List;
pub(crate) use candidates::brief;
use cursor_context::Place;

/// The kind of a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompletionKind {
    /// A function: a definition, a primitive or a strategy.
    Function,
    /// A value: a parameter, a `let` name, or a definition of data.
    Value,
    /// A size, type or other type-level name.
    TypeParameter,
    /// A scalar type, a type constructor, a phrase type of DPIA, or a type of ELEVATE.
    Type,
    /// A kind, or an access of DPIA.
    Kind,
    /// One of the four address spaces.
    AddressSpace,
    /// A reserved word, or another word of the syntax.
    Keyword,
    /// A member of a pair: `_1` or `_2`.
    Field,
    /// An annotation or attribute, such as `@run`, or a word in its arguments.
    Annotation,
    /// A file that an import or `@strategy` can name.
    File,
}

/// The source of a completion's documentation; see [`resolve_completion`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompletionSource {
    /// The completion has no documentation of its own.
    None,
    /// A definition.
    Global(GlobalId),
    /// A primitive.
    Primitive(Builtin),
}

/// An item of the completion list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The text that the list shows and filters by.
    pub label: String,
    /// The kind of the completion.
    pub kind: CompletionKind,
    /// The type as text, or, for a completion without a type, its kind, title or meaning, if it
    /// has one.
    pub detail: Option<String>,
    /// The text of `detail`, but a type is without what is inferred: its leading implicit
    /// parameters and conditions.
    pub brief: Option<String>,
    /// The range in the file that is replaced: the identifier under the cursor, or the name of a
    /// file.
    pub replace: Span,
    /// The text that is inserted.
    pub insert: String,
    /// True if `insert` is a snippet, with placeholders such as `${1:name}` and `$0`.
    pub snippet: bool,
    /// The sort key: the list is ordered by comparing these as text.
    pub sort: String,
    /// The source of the documentation.
    pub source: CompletionSource,
}

/// The largest length of a list of completions. A list of this length may be incomplete and has to
/// be requested again when more is typed.
pub const COMPLETION_LIMIT: usize = 256;

/// Returns the completions at `at`, best first, at most [`COMPLETION_LIMIT`].
pub fn completions(db: &Database, at: FilePosition) -> Vec<Completion> {
    if let Some(files) = paths::completions(db, at) {
        return files;
    }
    if db.language(at.file) == Language::Elevate {
        return strategy_files::completions(db, at);
    }
    let Some(place) = Place::at(db, at) else {
        return before_items(db, at);
    };
    let mut list = List::new(&place);
    match place.context {
        Context::Item => list.items(),
        Context::ForeignDef => list.word("def", CompletionKind::Keyword, "def ", 0),
        Context::Expression { argument } => {
            list.names(None, argument);
            list.expression_words(argument);
        }
        Context::Stage { pipe } => {
            let piped = place.piped_type(pipe);
            list.names(Some(piped.as_ref()), false);
            list.word("fun", CompletionKind::Keyword, "fun(${1:x} => $0)", 6);
        }
        Context::Dot { dot } => list.after_dot(dot),
        Context::Type => list.types(),
        Context::TypeOrKind => {
            list.types();
            list.kinds();
        }
        Context::TypeAfterDot => list.types(),
        Context::AfterType => {
            list.after_expression();
            list.conditions();
        }
        Context::Condition => list.sizes(),
        Context::Kind => list.kinds(),
        Context::Access => list.accesses(),
        Context::Annotation => list.annotations(),
        Context::AnnotationArgument => list.annotation_arguments(),
        Context::AfterExpression => list.after_expression(),
        Context::Nothing => {}
    }
    list.finish()
}

/// Returns true if `at` is between the brackets of an annotation or attribute, as in `@run(n = 4)`.
pub fn in_annotation(db: &Database, at: FilePosition) -> bool {
    match db.language(at.file) {
        Language::Elevate => strategy_files::in_attribute(db, at),
        _ => Place::at(db, at).is_some_and(|place| place.context == Context::AnnotationArgument),
    }
}

/// Returns true if `at` is in the name of a file: in an import, or in `@strategy("…", …)`.
pub fn in_file_name(db: &Database, at: FilePosition) -> bool {
    paths::is_at(db, at)
}

/// Computes what completions in this file need: the types of all definitions of programs in its
/// scope. Files that are imported but not open may not have been checked yet.
pub fn prepare_completions(db: &Database, file: FileId) {
    let scope = db.program_scope(file);
    db.schemes(scope.names().map(|(_, item, _)| item));
}

/// Returns the completions before the first item: the words that can begin an item.
fn before_items(db: &Database, at: FilePosition) -> Vec<Completion> {
    if item_view::in_gap_comment(db, at) {
        return Vec::new();
    }
    let mut list = List::bare(Span::empty(at.offset));
    list.items();
    list.finish()
}

/// Returns the documentation of a completion with its type, in Markdown; `None` if it has none.
pub fn resolve_completion(db: &Database, source: CompletionSource) -> Option<String> {
    match source {
        CompletionSource::None => None,
        CompletionSource::Primitive(primitive) => Some(markdown::primitive(primitive)),
        CompletionSource::Global(global) => {
            if Library::contains(global) {
                let name = item_view::strategy_files::library_name(global);
                return Some(hover::strategy_files::library_definition(global, &name));
            }
            let item = db.item_of(global);
            let name = item_view::def_name(db, item)?;
            if db.language(db.file_of(item)) == Language::Elevate {
                return Some(hover::strategy_files::definition(db, item, &name));
            }
            let head = match db.scheme(item) {
                Some(scheme) => markdown::signature(&name, &scheme),
                None => name,
            };
            Some(markdown::paragraphs([
                markdown::code_in(&head, db.dialect(db.file_of(item))),
                markdown::def_docs(db, item),
            ]))
        }
    }
}
