//! The [tree-sitter] grammar of ELEVATE, for editors and other tools that need a concrete syntax
//! tree which is updated incrementally.
//!
//! ```
//! let mut parser = tree_sitter::Parser::new();
//! parser.set_language(&tree_sitter_elevate::LANGUAGE.into())?;
//! let tree = parser.parse("strategy twice(s) = s ; s", None).expect("no time limit is set");
//! assert!(!tree.root_node().has_error());
//! # Ok::<(), tree_sitter::LanguageError>(())
//! ```
//!
//! The compiler has a parser of its own, in the crate `syntax`, with better error messages; tests
//! assert that both accept the same language.
//!
//! [tree-sitter]: https://tree-sitter.github.io

use tree_sitter_language::LanguageFn;

#[expect(unsafe_code, reason = "the generated parser is C")]
unsafe extern "C" {
    fn tree_sitter_elevate() -> *const ();
}

/// The grammar, an argument for `Parser::set_language` and `Query::new`.
#[expect(unsafe_code, reason = "the generated parser is C")]
// SAFETY: the function is the one that tree-sitter generated for this language.
pub const LANGUAGE: LanguageFn = unsafe { LanguageFn::from_raw(tree_sitter_elevate) };

/// The kinds of nodes and their fields, as JSON.
pub const NODE_TYPES: &str = include_str!("../../src/node-types.json");

/// The query for syntax highlighting.
pub const HIGHLIGHTS_QUERY: &str = include_str!("../../queries/highlights.scm");

/// The query for scopes, definitions and references.
pub const LOCALS_QUERY: &str = include_str!("../../queries/locals.scm");

/// The query for foldable regions.
pub const FOLDS_QUERY: &str = include_str!("../../queries/folds.scm");

/// The query for indentation.
pub const INDENTS_QUERY: &str = include_str!("../../queries/indents.scm");

/// The query for embedded languages: Markdown in documentation.
pub const INJECTIONS_QUERY: &str = include_str!("../../queries/injections.scm");

/// The query for definitions and references in the index of a project.
pub const TAGS_QUERY: &str = include_str!("../../queries/tags.scm");
