//! Folding ranges of definitions, brackets, comments, imports and other constructs of several
//! lines.

use std::ops::ControlFlow;
use std::sync::LazyLock;

use db::{Database, FileId, ItemId, Language};
use ropey::Rope;
use syntax::Span;
use tree_sitter::{Node, Query, QueryCursor, QueryCursorOptions, StreamingIterator, Tree};

use crate::concrete::{SyntaxTree, errors, grammar, span};
use crate::item_view::View;

/// The kind of a folding range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FoldingKind {
    /// Consecutive lines of comments.
    Comment,
    /// The imports between two definitions.
    Imports,
    /// Another construct over several lines, such as a definition or a call.
    Region,
}

/// A range of several lines that can be folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Folding {
    /// The range in the file, in bytes. The rest of its first line stays visible when it is folded.
    pub span: Span,
    /// The kind of the range.
    pub kind: FoldingKind,
}

/// Returns the folding ranges of `file` in the order of the text, at most one that begins on each
/// line; `syntax` is the concrete syntax tree of the file.
pub fn folding_ranges(db: &Database, file: FileId, syntax: &SyntaxTree) -> Vec<Folding> {
    let found = match syntax.read(db) {
        Some(tree) => {
            let mut found = captured(db, syntax, &tree);
            for error in errors(&tree) {
                found.extend(items(db, &db.items_in(file, error)));
            }
            found
        }
        None => {
            let mut found = items(db, &db.items(file));
            found.extend(imports(db, file));
            found
        }
    };
    one_a_line(syntax.text(), found)
}

/// Removes the ranges that end on their first line. Of those that begin on one line, keeps only the
/// one that ends last.
fn one_a_line(text: &Rope, mut found: Vec<Folding>) -> Vec<Folding> {
    let line = |byte: u32| text.byte_to_line((byte as usize).min(text.len_bytes()));
    found.sort_by_key(|fold| (fold.span.start, std::cmp::Reverse(fold.span.end)));
    let mut kept: Vec<Folding> = Vec::new();
    let mut last_line = None;
    for fold in found {
        let first = line(fold.span.start);
        if line(fold.span.end) == first {
            continue;
        }
        match kept.last_mut() {
            Some(last) if last_line == Some(first) => {
                if fold.span.end > last.span.end {
                    *last = fold;
                }
            }
            _ => kept.push(fold),
        }
        last_line = Some(first);
    }
    kept
}

/// The query of each grammar, indexed by language, for the nodes that fold. A pattern for
/// consecutive nodes is replaced by one for a single node, because its time grows faster than the
/// number of nodes; [`Runs`] merges consecutive ones.
static FOLDS: LazyLock<[Option<Query>; 3]> = LazyLock::new(|| {
    let query = |patterns: &str, language| {
        let patterns = patterns.replace(")+ @fold", ") @fold");
        Query::new(&grammar(language), &patterns).ok()
    };
    [
        query(tree_sitter_rise::FOLDS_QUERY, Language::Rise),
        query(tree_sitter_dpia::FOLDS_QUERY, Language::Dpia),
        query(tree_sitter_elevate::FOLDS_QUERY, Language::Elevate),
    ]
});

/// Returns the ranges of the nodes that the query of [`FOLDS`] finds in a tree. Consecutive line
/// comments, and the imports between two definitions, have one range.
fn captured(db: &Database, syntax: &SyntaxTree, tree: &Tree) -> Vec<Folding> {
    let text = syntax.text();
    let Some(query) = &FOLDS[syntax.language() as usize] else {
        return Vec::new();
    };
    let mut cancelled = |_: &_| match db.is_cancelled() {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let options = QueryCursorOptions::new().progress_callback(&mut cancelled);
    let mut cursor = QueryCursor::new();
    // No pattern uses the text.
    let no_text = |_: Node| std::iter::empty::<&[u8]>();
    let mut all = cursor.captures_with_options(query, tree.root_node(), no_text, options);
    let mut found = Runs::default();
    while let Some((matched, index)) = all.next() {
        found.add(text, matched.captures()[*index].node);
    }
    db.unwind_if_cancelled();
    found.done
}

/// The ranges found so far, in the order of the text, with the state for merging consecutive ones.
#[derive(Default)]
struct Runs {
    done: Vec<Folding>,
    /// The kind of the last comment, and the index of its range.
    comment: Option<(Comment, usize)>,
    /// The index of the range of the imports since the last definition.
    imports: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Comment {
    Line,
    Block,
    Documentation,
}

impl Runs {
    fn add(&mut self, text: &Rope, node: Node) {
        let span = span(node);
        match node.kind() {
            "comment" if second_byte(text, span) == Some(b'*') => {
                self.comment(text, Comment::Block, span);
            }
            "comment" => self.comment(text, Comment::Line, span),
            "doc_comment" => self.comment(text, Comment::Documentation, span),
            "import" => match self.imports {
                Some(at) => self.done[at].span = self.done[at].span.cover(span),
                None => self.imports = Some(self.push(span, FoldingKind::Imports)),
            },
            "definition" | "foreign_definition" => {
                self.imports = None;
                // From the line of the name: annotations fold separately.
                let name = node.child_by_field_name("name");
                let start = name.map_or(span.start, |name| name.start_byte() as u32);
                self.push(Span::new(start, span.end), FoldingKind::Region);
            }
            _ => {
                self.push(span, FoldingKind::Region);
            }
        }
    }

    fn push(&mut self, span: Span, kind: FoldingKind) -> usize {
        self.done.push(Folding { span, kind });
        self.done.len() - 1
    }

    /// Adds a comment, merged with the one before it if both are line comments of one kind on
    /// consecutive lines.
    fn comment(&mut self, text: &Rope, kind: Comment, span: Span) {
        if let Some((before, at)) = self.comment
            && before == kind
            && kind != Comment::Block
            && follows(text, self.done[at].span, span)
        {
            self.done[at].span = self.done[at].span.cover(span);
            return;
        }
        self.comment = Some((kind, self.push(span, FoldingKind::Comment)));
    }
}

fn second_byte(text: &Rope, span: Span) -> Option<u8> {
    text.get_byte(span.start as usize + 1)
}

/// Returns true if only blanks and at most one line end are between `before` and `after`, or if
/// `after` begins inside `before`.
fn follows(text: &Rope, before: Span, after: Span) -> bool {
    if after.start < before.end {
        return true;
    }
    let (from, to) = (before.end as usize, after.start as usize);
    text.byte_to_line(to) <= text.byte_to_line(from) + 1
        && text
            .get_byte_slice(from..to)
            .is_some_and(|between| between.chars().all(char::is_whitespace))
}

fn imports(db: &Database, file: FileId) -> Option<Folding> {
    let imports = db.imports(file);
    let (first, last) = (imports.first()?, imports.last()?);
    let span = db.item_span(first.item).cover(db.item_span(last.item));
    Some(Folding {
        span,
        kind: FoldingKind::Imports,
    })
}

/// Returns the ranges of those of these items that are definitions, examples or main expressions,
/// and of the pairs of brackets in all of them. This needs no concrete syntax tree, so it also
/// works on text that the grammar does not accept.
fn items(db: &Database, items: &[ItemId]) -> Vec<Folding> {
    let mut found = Vec::new();
    for &id in items {
        let view = View::new(db, id);
        let whole = db.item_span(id);
        // From the line of the name, so that the documentation folds separately.
        let definition = match view.name_span() {
            Some(name) => Some(Span::new(whole.start + name.start, whole.end)),
            None => view.is_unnamed().then_some(whole),
        };
        let brackets = view.brackets().into_iter();
        let brackets = brackets.map(|(open, close)| view.absolute(open.cover(close)));
        found.extend(definition.into_iter().chain(brackets).map(|span| Folding {
            span,
            kind: FoldingKind::Region,
        }));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Fixture, LISTING_1};
    use expect_test::expect;

    fn lines(text: &str, span: Span) -> (usize, usize) {
        let line = |at: u32| text[..at as usize].matches('\n').count() + 1;
        (line(span.start), line(span.end))
    }

    #[test]
    fn folds() {
        let fixture = Fixture::new(&format!(
            "import \"a.rise\"\nimport \"b.rise\"\n\n// one\n// two\n\n/* three\n */\n\n/// Docs.\n/// More.\n{LISTING_1}\n// lonely\ndef f = 1\n"
        ));
        let file = fixture.files[0];
        let text = fixture.text(file);
        let shown: Vec<String> =
            folding_ranges(&fixture.db, file, &SyntaxTree::new(fixture.db.text(file)))
                .iter()
                .map(|fold| {
                    let (start, end) = lines(&text, fold.span);
                    let first = text.lines().nth(start - 1).unwrap_or("");
                    format!("{start}-{end} {:?}: {}\n", fold.kind, first.trim())
                })
                .collect();
        expect![[r#"
            1-2 Imports: import "a.rise"
            4-5 Comment: // one
            7-8 Comment: /* three
            10-11 Comment: /// Docs.
            12-18 Region: def mv = depFun((n: Nat, m: Nat) =>
            13-18 Region: fun(M: Array[n, Array[m, f32]] =>
            14-18 Region: fun(x: Array[m, f32] =>
            15-18 Region: M |> map(fun(row =>
        "#]]
        .assert_eq(&shown.concat());
    }

    #[test]
    fn open_brackets_fold_nothing() {
        let fixture = Fixture::new("def f = map(\n  fun(x =>\n    x)\n\ndef g = (1,\n  2)\n");
        let file = fixture.files[0];
        let text = fixture.text(file);
        let shown: Vec<(usize, usize)> =
            folding_ranges(&fixture.db, file, &SyntaxTree::new(fixture.db.text(file)))
                .iter()
                .map(|fold| lines(&text, fold.span))
                .collect();
        assert_eq!(shown, [(1, 3), (2, 3), (5, 6)]);
    }

    fn folded(text: &str) -> Vec<(usize, usize, FoldingKind)> {
        let fixture = Fixture::new(text);
        let file = fixture.files[0];
        let tree = SyntaxTree::new(fixture.db.text(file));
        folding_ranges(&fixture.db, file, &tree)
            .iter()
            .map(|fold| {
                let (start, end) = lines(text, fold.span);
                (start, end, fold.kind)
            })
            .collect()
    }

    #[test]
    fn every_pair_of_brackets_folds() {
        let region = |start, end| (start, end, FoldingKind::Region);
        for inner in [
            "(1,\n2)",
            "(1\n)",
            "(1 :\nf32)",
            "g(\n1)",
            "g(Array[\n3,f32])",
            "g(Tuple[\nf32,f32])",
            "g(Vec[\n4,f32])",
        ] {
            let text = format!("def f =\n  {inner}\n");
            assert_eq!(folded(&text), [region(1, 3), region(2, 3)], "{text}");
        }
        assert_eq!(
            folded("foreign def f(\n  x: f32): f32 = \"\"\"{\n}\"\"\"\n"),
            [region(1, 3), region(2, 3)]
        );
    }

    #[test]
    fn what_does_not_fit_the_grammar_folds_by_its_items_and_brackets() {
        let region = |start, end| (start, end, FoldingKind::Region);
        // Neither an unmatched bracket nor two adjacent expressions hide the brackets around them.
        assert_eq!(
            folded("def f = ) a b (\n  g(\n    1))\n\ndef g = [\n 1]\n\ndef h =\n  1\n"),
            [region(1, 3), region(2, 3), region(5, 6), region(8, 9)]
        );
    }

    #[test]
    fn comments_fold_with_their_own_kind_and_any_line_end() {
        let comment = |start, end| (start, end, FoldingKind::Comment);
        assert_eq!(
            folded("// a\r\n// b\r\n/// c\r\n/// d\r\ndef f = 1 // e\r\n// f\r\n\r\n// g\r\n"),
            [comment(1, 2), comment(3, 4), comment(5, 6)]
        );
        assert_eq!(
            folded("/* ä\n */ /* ö\n */\n"),
            [comment(1, 2), comment(2, 3)]
        );
    }

    #[test]
    fn imports_fold_up_to_the_next_definition() {
        let import = |start, end| (start, end, FoldingKind::Imports);
        assert_eq!(
            folded("import \"a\"\n// why\nimport \"b\"\ndef f = 1\nimport \"c\"\nimport \"d\"\n"),
            [import(1, 3), import(5, 6)]
        );
    }

    #[test]
    fn a_text_that_takes_too_long_folds_by_its_items() {
        let fixture = Fixture::new("import \"a\"\nimport \"b\"\ndef f = (\n  g(\n 1))\n");
        let file = fixture.files[0];
        let found = items(&fixture.db, &fixture.db.items(file));
        let text = fixture.db.text(file);
        let lines_of = |fold: &Folding| lines(&text.to_string(), fold.span);
        let shown: Vec<_> = one_a_line(&text, found).iter().map(lines_of).collect();
        assert_eq!(shown, [(3, 5), (4, 5)]);
        assert_eq!(
            imports(&fixture.db, file).as_ref().map(lines_of),
            Some((1, 2))
        );
    }

    #[test]
    fn headers_of_strategy_files_do_not_fold() {
        let text = "traversal\n  functionFirst\nval s : Strategy =\n  id\n";
        let fixture = Fixture::new(&format!("//- /main.elevate\n{text}"));
        let file = fixture.files[0];
        let found = items(&fixture.db, &fixture.db.items(file));
        let shown: Vec<_> = found.iter().map(|fold| lines(text, fold.span)).collect();
        assert_eq!(shown, [(3, 4)]);
    }

    #[test]
    fn a_long_run_is_one_stretch() {
        let docs = "/// More.\n".repeat(20_000) + "def f = 1\n";
        assert_eq!(folded(&docs), [(1, 20_000, FoldingKind::Comment)]);
        let imports = "import \"a\"\n".repeat(2_000);
        assert_eq!(folded(&imports), [(1, 2_000, FoldingKind::Imports)]);
    }

    #[test]
    fn the_query_fits_the_grammar() {
        assert!(FOLDS.iter().all(Option::is_some));
    }
}
