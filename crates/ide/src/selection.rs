//! Selection ranges, for extending a selection to the enclosing syntax.

use db::{Database, FileId};
use ropey::Rope;
use syntax::elevate::ast::{Alt, ExprKind, Item, ItemKind};
use syntax::{Span, ast};
use tree_sitter::{Node, Tree};

use crate::concrete::{SyntaxTree, path, span};
use crate::item_view::View;
use crate::{FilePosition, token};

/// Returns, for each offset in bytes, ranges of syntax that touch it, innermost first. Each range
/// is contained in the next, and the last one is the whole file; `syntax` is the concrete syntax
/// tree of the file.
pub fn selection_ranges(
    db: &Database,
    file: FileId,
    syntax: &SyntaxTree,
    offsets: &[u32],
) -> Vec<Vec<Span>> {
    let text = syntax.text();
    let tree = syntax.read(db);
    let chain = |&offset: &u32| {
        let at = FilePosition { file, offset };
        let mut found = match &tree {
            Some(tree) => in_tree(text, tree, offset),
            None => Candidates::unread(),
        };
        if found.has_error {
            found.add_item(db, at);
        }
        if let Some((item, _)) = db.item_at(file, offset) {
            found.spans.push(db.item_span(item));
        }
        found.spans.retain(|span| span.touches(offset));
        found.spans.push(Span::new(0, text.len_bytes() as u32));
        found.chain()
    };
    offsets.iter().map(chain).collect()
}

/// The candidates for the ranges around a cursor.
struct Candidates {
    /// The range of the token at the cursor.
    token: Option<Span>,
    spans: Vec<Span>,
    /// True if the tree has a syntax error there.
    has_error: bool,
}

impl Candidates {
    fn unread() -> Candidates {
        Candidates {
            token: None,
            spans: Vec::new(),
            has_error: true,
        }
    }

    /// Adds the ranges of the nodes in the item's abstract syntax tree, and of its pairs of
    /// brackets. Uses the lexer's token at the position if there is none yet, but not in a strategy
    /// file.
    fn add_item(&mut self, db: &Database, at: FilePosition) {
        let Some((view, offset)) = View::at(db, at) else {
            return;
        };
        let text = db.item_text(view.id);
        let mut spans = match view.is_strategy() {
            true => strategy_nodes(&db.strategy_parsed(view.id).item),
            false => nodes(view.item()),
        };
        for (open, close) in view.brackets() {
            spans.push(open.cover(close));
            spans.push(trimmed(&text, Span::new(open.end, close.start)));
        }
        if !view.is_strategy() {
            let code = view.item().docs.as_ref().map_or(0, |docs| docs.span.end);
            spans.push(trimmed(&text, Span::new(code, text.len() as u32)));
            let word = token::at(&text, offset, view.dialect());
            self.token = self.token.or(word.map(|token| view.absolute(token.span)));
        }
        self.spans
            .extend(spans.into_iter().map(|span| view.absolute(span)));
    }

    /// Returns a chain of nested ranges, the innermost first, that begins with the token, if there
    /// is one. Each further range is the shortest one that contains the range before it.
    fn chain(mut self) -> Vec<Span> {
        self.spans.sort_by_key(|span| (span.len(), span.start));
        let mut chain: Vec<Span> = self.token.into_iter().collect();
        for span in self.spans {
            if chain
                .last()
                .is_none_or(|&inner| span != inner && span.contains(inner))
            {
                chain.push(span);
            }
        }
        chain
    }
}

/// Collects the ranges of the nodes that contain the byte before the cursor or the one after it, of
/// the text between their brackets, and of adjacent comments.
fn in_tree(text: &Rope, tree: &Tree, offset: u32) -> Candidates {
    let offset = offset as usize;
    let before = offset
        .checked_sub(1)
        .map(|byte| path(tree, byte))
        .unwrap_or_default();
    let after = path(tree, offset);
    let mut found = Candidates {
        token: meant(text, before.last().copied(), after.last().copied()),
        spans: Vec::new(),
        has_error: false,
    };
    for (index, &node) in before.iter().chain(&after).enumerate() {
        found.has_error |= node.is_error();
        let again = index >= before.len() && before.get(index - before.len()) == Some(&node);
        if again || node.is_error() || node == tree.root_node() {
            continue;
        }
        found.spans.push(span(node));
        brackets(text, node, &mut found.spans);
        if node.is_extra() {
            found.spans.extend(comment_lines(text, node));
        }
    }
    found
}

/// Returns the range of one of the tokens before and after the cursor: the later one, unless only
/// the earlier one is a word.
fn meant(text: &Rope, before: Option<Node>, after: Option<Node>) -> Option<Span> {
    let is_token = |node: &Node| node.child_count() == 0;
    let is_word = |node: &Node| {
        let first = text.get_byte(node.start_byte());
        first.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii())
    };
    let (before, after) = (before.filter(is_token), after.filter(is_token));
    let later = after.filter(|node| is_word(node) || before.is_none_or(|before| !is_word(&before)));
    later.or(before).map(span)
}

/// Adds the ranges from each opening to its closing bracket of the node, with and without the
/// brackets. An unclosed bracket extends over the rest of the node.
fn brackets(text: &Rope, node: Node, spans: &mut Vec<Span>) {
    let mut cursor = node.walk();
    let mut open: Option<Span> = None;
    for child in node.children(&mut cursor) {
        let here = span(child);
        match (child.kind(), open) {
            ("(" | "[" | "{", _) => open = Some(here),
            (")" | "]" | "}" | "missing", Some(start)) => {
                spans.push(start.cover(here));
                spans.push(trimmed_in(text, Span::new(start.end, here.start)));
                open = None;
            }
            _ => {}
        }
    }
}

/// Returns the range of a line comment with those of the same kind on the adjacent lines; `None` if
/// it is not alone on its line.
fn comment_lines(text: &Rope, comment: Node) -> Option<Span> {
    let line = text.byte_to_line(comment.start_byte());
    let kind = comment_kind(text, line)?;
    let same = |line: &usize| comment_kind(text, *line) == Some(kind);
    let first = (0..line).rev().take_while(same).last().unwrap_or(line);
    let last = (line + 1..text.len_lines()).take_while(same).last();
    let end = text.line_to_byte(last.unwrap_or(line) + 1);
    let lines = Span::new(text.line_to_byte(first) as u32, end as u32);
    Some(trimmed_in(text, lines))
}

/// Returns true for a line that begins with a line comment that is documentation, false for one
/// that begins with another line comment, and `None` for any other line.
fn comment_kind(text: &Rope, line: usize) -> Option<bool> {
    let mut chars = text
        .line(line)
        .chars()
        .skip_while(|char| char.is_whitespace());
    let start: [Option<char>; 4] = std::array::from_fn(|_| chars.next());
    match start {
        [Some('/'), Some('/'), Some('/'), fourth] => Some(fourth != Some('/')),
        [Some('/'), Some('/'), ..] => Some(false),
        _ => None,
    }
}

/// Removes the whitespace at both ends of a range.
fn trimmed(text: &str, span: Span) -> Span {
    let inner = &text[std::ops::Range::from(span)];
    let start = span.start + (inner.len() - inner.trim_start().len()) as u32;
    Span::new(start, (start + inner.trim().len() as u32).max(start))
}

fn trimmed_in(text: &Rope, span: Span) -> Span {
    let Some(inner) = text.get_byte_slice(std::ops::Range::from(span)) else {
        return span;
    };
    let blank = |char: &char| char.is_whitespace();
    let bytes = |chars: &mut dyn Iterator<Item = char>| -> usize {
        chars.take_while(blank).map(char::len_utf8).sum()
    };
    let front = bytes(&mut inner.chars());
    if front == inner.len_bytes() {
        return Span::empty(span.start);
    }
    let back = bytes(&mut inner.chars_at(inner.len_chars()).reversed());
    Span::new(span.start + front as u32, span.end - back as u32)
}

/// Returns the ranges of all syntax nodes of an item of a program.
fn nodes(item: &ast::Item) -> Vec<Span> {
    let mut spans: Vec<Span> = item.terms.iter().map(|term| term.span).collect();
    spans.extend(item.binders.iter().map(|binder| binder.span));
    spans.extend(item.annotations.iter().map(|annotation| annotation.span));
    spans.extend(item.docs.iter().map(|docs| docs.span));
    spans
}

/// Returns the ranges of all syntax nodes of an item of a strategy file.
fn strategy_nodes(item: &Item) -> Vec<Span> {
    let mut spans: Vec<Span> = item.exprs.iter().map(|expr| expr.span).collect();
    spans.extend(item.rise.terms.iter().map(|term| term.span));
    spans.extend(item.rise.binders.iter().map(|binder| binder.span));
    spans.extend(item.conds.iter().map(|cond| cond.span));
    spans.extend(item.patterns.iter().map(|pattern| pattern.span));
    spans.extend(item.types.iter().map(|ty| ty.span));
    spans.extend(item.params.iter().map(|param| param.span));
    spans.extend(item.attributes.iter().map(|attribute| attribute.span));
    spans.extend(item.docs.iter().map(|docs| docs.span));
    spans.extend(item.param_lists().iter().map(|list| list.span));
    let mut alts = |all: &[Alt]| {
        for alt in all {
            spans.push(alt.span);
            spans.extend(alt.clauses.iter().map(|clause| clause.span));
        }
    };
    if let ItemKind::Rule { alts: own, .. } = &item.kind {
        alts(own);
    }
    for expr in &item.exprs {
        if let ExprKind::Rule(own) = &expr.kind {
            alts(own);
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;
    use expect_test::{Expect, expect};

    fn check_selection(text: &str, expected: Expect) {
        let fixture = Fixture::new(text);
        let at = fixture.cursors[0];
        let chains = selection_ranges(
            &fixture.db,
            at.file,
            &SyntaxTree::new(fixture.db.text(at.file)),
            &[at.offset],
        );
        for pair in chains[0].windows(2) {
            assert!(pair[1].contains(pair[0]) && pair[0] != pair[1], "{pair:?}");
        }
        let shown: Vec<String> = chains[0]
            .iter()
            .map(|span| format!("{:?}\n", fixture.slice(at.file, *span)))
            .collect();
        expected.assert_eq(&shown.concat());
    }

    #[test]
    fn selection_grows_in_parameters() {
        check_selection(
            "def f(n: Nat)(xs: $0n.f32, y: f32): f32 = y\n",
            expect![[r#"
                "n"
                "n.f32"
                "xs: n.f32"
                "xs: n.f32, y: f32"
                "(xs: n.f32, y: f32)"
                "def f(n: Nat)(xs: n.f32, y: f32): f32 = y"
                "def f(n: Nat)(xs: n.f32, y: f32): f32 = y\n"
            "#]],
        );
    }

    #[test]
    fn selection_grows_by_the_syntax() {
        check_selection(
            "/// Docs.\ndef f = fun(x: f32 => x |> add($0one)(2.0f) |> id)\n\ndef one = 1.0f\n",
            expect![[r#"
            "one"
            "(one)"
            "add(one)"
            "add(one)(2.0f)"
            "x |> add(one)(2.0f)"
            "x |> add(one)(2.0f) |> id"
            "x: f32 => x |> add(one)(2.0f) |> id"
            "(x: f32 => x |> add(one)(2.0f) |> id)"
            "fun(x: f32 => x |> add(one)(2.0f) |> id)"
            "def f = fun(x: f32 => x |> add(one)(2.0f) |> id)"
            "/// Docs.\ndef f = fun(x: f32 => x |> add(one)(2.0f) |> id)"
            "/// Docs.\ndef f = fun(x: f32 => x |> add(one)(2.0f) |> id)\n\ndef one = 1.0f\n"
        "#]],
        );
    }

    #[test]
    fn selection_between_items() {
        check_selection(
            "def f = 1\n\n$0\ndef g = 2\n",
            expect![[r#"
            "def f = 1\n\n\ndef g = 2\n"
        "#]],
        );
    }

    #[test]
    fn selection_in_what_is_half_typed() {
        check_selection(
            "def f = xs |> map(fun(x => g($0one, \n\ndef g = 2\n",
            expect![[r#"
                "one"
                "one,"
                "(one,"
                "g(one,"
                "x => g(one,"
                "(x => g(one,"
                "fun(x => g(one,"
                "(fun(x => g(one,"
                "map(fun(x => g(one,"
                "xs |> map(fun(x => g(one,"
                "def f = xs |> map(fun(x => g(one,"
                "def f = xs |> map(fun(x => g(one, \n\ndef g = 2\n"
            "#]],
        );
        check_selection(
            "def f = a b (g($0one))\ndef g = 2\n",
            expect![[r#"
            "one"
            "(one)"
            "g(one)"
            "(g(one))"
            "b (g(one))"
            "def f = a b (g(one))"
            "def f = a b (g(one))\ndef g = 2\n"
        "#]],
        );
    }

    #[test]
    fn selection_in_documentation_and_comments() {
        check_selection(
            "// Größe.\n\n/// Eins,\n/// z$0wei.\ndef f = 1\n",
            expect![[r#"
                "/// zwei."
                "/// Eins,\n/// zwei."
                "/// Eins,\n/// zwei.\ndef f = 1"
                "// Größe.\n\n/// Eins,\n/// zwei.\ndef f = 1\n"
            "#]],
        );
        check_selection(
            "def f =\n  // one\n  // t$0wo\n  1\n",
            expect![[r#"
            "// two"
            "// one\n  // two"
            "def f =\n  // one\n  // two\n  1"
            "def f =\n  // one\n  // two\n  1\n"
        "#]],
        );
        check_selection(
            "def f = 1 // t$0wo\n",
            expect![[r#"
            "// two"
            "def f = 1 // two\n"
        "#]],
        );
    }

    #[test]
    fn selection_in_types() {
        check_selection(
            "def f : (n: Nat) -> n.(f32, $0f32) -> f32 = g\n",
            expect![[r#"
                "f32"
                "f32, f32"
                "(f32, f32)"
                "n.(f32, f32)"
                "n.(f32, f32) -> f32"
                "(n: Nat) -> n.(f32, f32) -> f32"
                "def f : (n: Nat) -> n.(f32, f32) -> f32 = g"
                "def f : (n: Nat) -> n.(f32, f32) -> f32 = g\n"
            "#]],
        );
    }

    #[test]
    fn selection_without_a_tree() {
        let fixture = Fixture::new("def f = g(o$0ne)\n");
        let mut found = Candidates::unread();
        found.add_item(&fixture.db, fixture.cursors[0]);
        let shown: Vec<String> = found
            .chain()
            .iter()
            .map(|span| fixture.slice(fixture.files[0], *span))
            .collect();
        assert_eq!(shown, ["one", "(one)", "g(one)", "def f = g(one)"]);
    }
}
