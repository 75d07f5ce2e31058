//! The [tree-sitter] grammar of ELEVATE, for editors and for whatever wants a concrete tree that
//! follows the text as it is edited.
//!
//! ```
//! let mut parser = tree_sitter::Parser::new();
//! parser.set_language(&tree_sitter_elevate::LANGUAGE.into())?;
//! let tree = parser.parse("strategy twice(s) = s ; s", None).expect("no time limit is set");
//! assert!(!tree.root_node().has_error());
//! # Ok::<(), tree_sitter::LanguageError>(())
//! ```
//!
//! The compiler has a parser of its own, in the crate `syntax`, with messages for people; a test
//! holds the two equal.
//!
//! [tree-sitter]: https://tree-sitter.github.io

use tree_sitter_language::LanguageFn;

#[expect(unsafe_code, reason = "the generated parser is C")]
unsafe extern "C" {
    fn tree_sitter_elevate() -> *const ();
}

/// The grammar, for `Parser::set_language` and `Query::new`.
#[expect(unsafe_code, reason = "the generated parser is C")]
// SAFETY: the function is the one that tree-sitter generated for this language.
pub const LANGUAGE: LanguageFn = unsafe { LanguageFn::from_raw(tree_sitter_elevate) };

/// The kinds of nodes and their fields, as JSON.
pub const NODE_TYPES: &str = include_str!("../../src/node-types.json");

/// What is shown in which colour.
pub const HIGHLIGHTS_QUERY: &str = include_str!("../../queries/highlights.scm");

/// Scopes, the names that they bind, and the names that refer to them.
pub const LOCALS_QUERY: &str = include_str!("../../queries/locals.scm");

/// What can be folded.
pub const FOLDS_QUERY: &str = include_str!("../../queries/folds.scm");

/// What indents the lines inside it.
pub const INDENTS_QUERY: &str = include_str!("../../queries/indents.scm");

/// Other languages inside: Markdown in documentation.
pub const INJECTIONS_QUERY: &str = include_str!("../../queries/injections.scm");

/// Definitions and uses, for an index of a project.
pub const TAGS_QUERY: &str = include_str!("../../queries/tags.scm");
