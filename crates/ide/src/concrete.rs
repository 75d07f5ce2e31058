//! The concrete syntax tree of a text by the editors' grammar (tree-sitter), parsed again
//! incrementally after each edit.

use std::ops::{ControlFlow, Range};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use db::{Database, Language};
use ropey::Rope;
use tree_sitter::{InputEdit, Node, ParseOptions, Parser, Point, Tree};

use syntax::Span;

mod show;

/// The time limit for parsing one version of a text, which is sufficient for several megabytes.
const PATIENCE: Duration = Duration::from_secs(3);

/// The maximal size in bytes of a text that is parsed from scratch after a syntax error, which
/// takes some ten milliseconds.
const SHORT: usize = 256 << 10;

/// The concrete syntax tree of one version of a text.
///
/// An edit only records the moved ranges. The text is parsed when the tree is first read after it,
/// and only where it differs from the version that was parsed before. Clones are cheap and share
/// that work.
#[derive(Clone, Debug)]
pub struct SyntaxTree {
    text: Rope,
    language: Language,
    /// The tree of an earlier version, with its nodes moved to their places in this version.
    earlier: Option<Tree>,
    /// The result of parsing this version. The lock is held only while one thread parses.
    outcome: Arc<Mutex<Outcome>>,
}

#[derive(Debug, Default)]
enum Outcome {
    #[default]
    Unasked,
    Parsed(Tree),
    /// Parsing took more than [`PATIENCE`].
    GivenUp,
}

pub(crate) fn grammar(language: Language) -> tree_sitter::Language {
    match language {
        Language::Rise => tree_sitter_rise::LANGUAGE.into(),
        Language::Dpia => tree_sitter_dpia::LANGUAGE.into(),
        Language::Elevate => tree_sitter_elevate::LANGUAGE.into(),
    }
}

/// The conditions under which parsing stops early.
pub(crate) struct Limit<'a> {
    end: Option<Instant>,
    cancelled: &'a dyn Fn() -> bool,
}

impl Limit<'_> {
    fn has_passed(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }

    fn check(&self) -> ControlFlow<()> {
        if self.has_passed() || (self.cancelled)() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl SyntaxTree {
    /// Creates the tree of a text in RISE, without an earlier version.
    pub fn new(text: Rope) -> SyntaxTree {
        SyntaxTree::new_in(text, Language::Rise)
    }

    /// Creates the tree of a text in a language, without an earlier version.
    pub fn new_in(text: Rope, language: Language) -> SyntaxTree {
        SyntaxTree {
            text,
            language,
            earlier: None,
            outcome: Arc::default(),
        }
    }

    /// Returns the text.
    pub fn text(&self) -> &Rope {
        &self.text
    }

    /// Returns the language of the text.
    pub fn language(&self) -> Language {
        self.language
    }

    /// Applies an edit: `after` is the new text, which has `new_len` bytes in the place of the
    /// bytes `range`.
    pub fn edit(&mut self, range: Range<usize>, new_len: usize, after: Rope) {
        self.earlier = self.latest().and_then(|mut tree| {
            tree.edit(&input_edit(&self.text, &after, &range, new_len)?);
            Some(tree)
        });
        self.text = after;
        self.outcome = Arc::default();
    }

    /// Takes the newest tree that is available without waiting for another thread.
    fn latest(&mut self) -> Option<Tree> {
        let earlier = self.earlier.take();
        match self.outcome.try_lock().as_deref() {
            Ok(Outcome::Parsed(tree)) => Some(tree.clone()),
            _ => earlier,
        }
    }

    /// Returns the tree, which is parsed at the first call. Returns `None` if that takes longer
    /// than [`PATIENCE`]. Unwinds to [`Database::catch_cancelled`] if a change of the database
    /// cancels it.
    pub(crate) fn read(&self, db: &Database) -> Option<Tree> {
        let limit = Limit {
            end: Instant::now().checked_add(PATIENCE),
            cancelled: &|| db.is_cancelled(),
        };
        let tree = self.within(&limit);
        if tree.is_none() {
            db.unwind_if_cancelled();
        }
        tree
    }

    fn within(&self, limit: &Limit) -> Option<Tree> {
        let mut outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        match &*outcome {
            Outcome::Parsed(tree) => return Some(tree.clone()),
            Outcome::GivenUp => return None,
            Outcome::Unasked => {}
        }
        match parse_again(self, limit) {
            Some(tree) => {
                *outcome = Outcome::Parsed(tree.clone());
                Some(tree)
            }
            None => {
                if !(limit.cancelled)() {
                    *outcome = Outcome::GivenUp;
                }
                None
            }
        }
    }
}

/// Parses a text, incrementally if an earlier version was parsed; returns `None` if the limit ends
/// that.
///
/// After a syntax error the result of tree-sitter's error recovery depends on the earlier tree. The
/// same text should have the same tree, so a short text with errors is parsed from scratch.
fn parse_again(syntax: &SyntaxTree, limit: &Limit) -> Option<Tree> {
    let (text, language) = (&syntax.text, syntax.language);
    let earlier = syntax.earlier.as_ref();
    let tree = parse(text, language, earlier, limit)?;
    if earlier.is_some() && tree.root_node().has_error() && text.len_bytes() <= SHORT {
        return parse(text, language, None, limit);
    }
    Some(tree)
}

/// Parses a text once, incrementally if `earlier` is a tree; returns `None` if the limit ends that.
fn parse(text: &Rope, language: Language, earlier: Option<&Tree>, limit: &Limit) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&grammar(language)).ok()?;
    let mut read = |byte: usize, _: Point| rest_of_chunk(text, byte);
    let mut check = |_: &_| limit.check();
    let options = ParseOptions::new().progress_callback(&mut check);
    parser.parse_with_options(&mut read, earlier, Some(options))
}

/// Returns the bytes from `byte` to the end of the rope's chunk that contains it.
fn rest_of_chunk(text: &Rope, byte: usize) -> &[u8] {
    if byte >= text.len_bytes() {
        return &[];
    }
    let (chunk, start, _, _) = text.chunk_at_byte(byte);
    &chunk.as_bytes()[byte - start..]
}

/// Converts an edit to tree-sitter's form; returns `None` if the lengths of the texts do not fit
/// the edit.
fn input_edit(
    before: &Rope,
    after: &Rope,
    range: &Range<usize>,
    new_len: usize,
) -> Option<InputEdit> {
    let new_end = range.start.checked_add(new_len)?;
    let rest = before.len_bytes().checked_sub(range.end)?;
    if new_end.checked_add(rest)? != after.len_bytes() {
        return None;
    }
    let start = walked(Point::default(), before, 0..range.start)?;
    Some(InputEdit {
        start_byte: range.start,
        old_end_byte: range.end,
        new_end_byte: new_end,
        start_position: start,
        old_end_position: walked(start, before, range.clone())?,
        new_end_position: walked(start, after, range.start..new_end)?,
    })
}

/// Advances a point over a range of bytes. The lines are those of the parser, which only LF ends,
/// so the rope's own line count cannot be used.
fn walked(mut from: Point, text: &Rope, range: Range<usize>) -> Option<Point> {
    for chunk in text.get_byte_slice(range)?.chunks() {
        let bytes = chunk.as_bytes();
        match memchr::memrchr(b'\n', bytes) {
            Some(last) => {
                from.row += memchr::memchr_iter(b'\n', bytes).count();
                from.column = bytes.len() - last - 1;
            }
            None => from.column += bytes.len(),
        }
    }
    Some(from)
}

pub(crate) fn span(node: Node) -> Span {
    // The parser itself uses 32-bit offsets.
    Span::new(node.start_byte() as u32, node.end_byte() as u32)
}

/// Returns the nodes that contain the byte with this offset, from the root to the innermost one,
/// which is a token unless the byte is between tokens. There are none outside of the root.
pub(crate) fn path(tree: &Tree, byte: usize) -> Vec<Node<'_>> {
    let mut cursor = tree.walk();
    let mut found = Vec::new();
    loop {
        let node = cursor.node();
        if !node.byte_range().contains(&byte) {
            return found;
        }
        found.push(node);
        if cursor.goto_first_child_for_byte(byte).is_none() {
            return found;
        }
    }
}

/// Returns the ranges of the outermost error nodes.
pub(crate) fn errors(tree: &Tree) -> Vec<Span> {
    let mut cursor = tree.walk();
    let mut found = Vec::new();
    loop {
        let node = cursor.node();
        if node.is_error() {
            found.push(span(node));
        } else if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

#[cfg(test)]
mod tests;
