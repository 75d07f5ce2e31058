//! What can be folded, and what the selection grows to.

use db::{Database, FileId};
use syntax::Span;
use syntax::ast::ItemKind;
use syntax::lexer::{Token, TokenKind, lex};

use crate::view::View;
use crate::{FilePosition, token};

/// What folds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FoldingKind {
    /// Lines of comments.
    Comment,
    /// Several imports.
    Imports,
    /// A definition, call or parenthesis over several lines.
    Region,
}

/// A stretch of several lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Folding {
    /// From the first byte shown to the last byte hidden.
    pub span: Span,
    /// What it is.
    pub kind: FoldingKind,
}

/// What can be folded in `file`, in the order of the text, at most one stretch a line.
pub fn folding_ranges(db: &Database, file: FileId) -> Vec<Folding> {
    let text = db.text(file).to_string();
    let tokens: Vec<Token> = lex(&text).collect();
    let mut found = comments(&text, &tokens);
    found.extend(imports(db, file));
    found.extend(items(db, file));
    found.extend(brackets(&tokens));
    one_a_line(&text, found)
}

/// Of the stretches that begin on one line the longest, if it is longer than the line.
fn one_a_line(text: &str, mut found: Vec<Folding>) -> Vec<Folding> {
    let line_end = |from: u32| memchr(text.as_bytes(), from).unwrap_or(text.len() as u32);
    found.sort_by_key(|fold| (fold.span.start, std::cmp::Reverse(fold.span.end)));
    let mut kept: Vec<Folding> = Vec::new();
    let mut line: Option<u32> = None;
    for fold in found {
        let end = line_end(fold.span.start);
        if fold.span.end <= end {
            continue;
        }
        if line == Some(end)
            && let Some(last) = kept.last_mut()
        {
            if fold.span.end > last.span.end {
                *last = fold;
            }
            continue;
        }
        line = Some(end);
        kept.push(fold);
    }
    kept
}

fn memchr(bytes: &[u8], from: u32) -> Option<u32> {
    let rest = bytes.get(from as usize..)?;
    rest.iter()
        .position(|byte| *byte == b'\n')
        .map(|at| from + at as u32)
}

/// Block comments, and runs of line comments with nothing but line ends between them.
fn comments(text: &str, tokens: &[Token]) -> Vec<Folding> {
    let mut found: Vec<Folding> = Vec::new();
    let mut run: Option<(TokenKind, Span)> = None;
    let mut flush = |run: &mut Option<(TokenKind, Span)>| {
        if let Some((_, span)) = run.take() {
            found.push(Folding {
                span,
                kind: FoldingKind::Comment,
            });
        }
    };
    for token in tokens {
        match token.kind {
            TokenKind::Whitespace => {
                let breaks = text[std::ops::Range::from(token.span)]
                    .matches('\n')
                    .count();
                if breaks > 1 {
                    flush(&mut run);
                }
            }
            TokenKind::LineComment | TokenKind::DocComment => match &mut run {
                Some((kind, span)) if *kind == token.kind => *span = span.cover(token.span),
                _ => {
                    flush(&mut run);
                    run = Some((token.kind, token.span));
                }
            },
            TokenKind::BlockComment => {
                flush(&mut run);
                run = Some((token.kind, token.span));
                flush(&mut run);
            }
            _ => flush(&mut run),
        }
    }
    flush(&mut run);
    found
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

fn items(db: &Database, file: FileId) -> Vec<Folding> {
    let items = db.items(file);
    items
        .iter()
        .filter_map(|id| {
            let parsed = db.parsed(*id);
            let item = &parsed.item;
            if matches!(item.kind, ItemKind::Import { .. } | ItemKind::Stray) {
                return None;
            }
            let whole = db.item_span(*id);
            // From the line of the name, so that documentation folds by itself.
            let start = item
                .name()
                .map_or(whole.start, |name| whole.start + name.span.start);
            Some(Folding {
                span: Span::new(start, whole.end),
                kind: FoldingKind::Region,
            })
        })
        .collect()
}

/// Pairs of brackets; what is not closed, or closed wrongly, folds nothing.
fn brackets(tokens: &[Token]) -> Vec<Folding> {
    pairs(tokens.iter().copied())
        .into_iter()
        .map(|(open, close)| Folding {
            span: open.cover(close),
            kind: FoldingKind::Region,
        })
        .collect()
}

/// The brackets that match, in the order of the closing ones.
fn pairs(tokens: impl Iterator<Item = Token>) -> Vec<(Span, Span)> {
    let mut open: Vec<Token> = Vec::new();
    let mut found = Vec::new();
    for token in tokens {
        match token.kind {
            TokenKind::LParen | TokenKind::LBracket | TokenKind::LBrace => open.push(token),
            TokenKind::RParen | TokenKind::RBracket | TokenKind::RBrace => {
                if open
                    .last()
                    .is_some_and(|start| closes(start.kind, token.kind))
                    && let Some(start) = open.pop()
                {
                    found.push((start.span, token.span));
                }
            }
            // Brackets never reach over the start of an item.
            TokenKind::Def | TokenKind::Import | TokenKind::Foreign => open.clear(),
            _ => {}
        }
    }
    found
}

fn closes(open: TokenKind, close: TokenKind) -> bool {
    matches!(
        (open, close),
        (TokenKind::LParen, TokenKind::RParen)
            | (TokenKind::LBracket, TokenKind::RBracket)
            | (TokenKind::LBrace, TokenKind::RBrace)
    )
}

/// For each offset, what holds it, innermost first; each span lies within the next, and the last
/// one is the file.
pub fn selection_ranges(db: &Database, file: FileId, offsets: &[u32]) -> Vec<Vec<Span>> {
    let whole = Span::new(0, db.text(file).len_bytes() as u32);
    offsets
        .iter()
        .map(|offset| {
            let mut spans = selection_in_item(
                db,
                FilePosition {
                    file,
                    offset: *offset,
                },
            );
            spans.push(whole);
            nested(spans, *offset)
        })
        .collect()
}

fn selection_in_item(db: &Database, at: FilePosition) -> Vec<Span> {
    let Some((view, offset)) = View::at(db, at) else {
        return Vec::new();
    };
    let text = db.item_text(view.id);
    let item = view.item();
    let mut spans: Vec<Span> = token::at(&text, offset)
        .map(|token| token.span)
        .into_iter()
        .collect();
    spans.extend(item.terms.iter().map(|term| term.span));
    spans.extend(item.binders.iter().map(|binder| binder.span));
    spans.extend(item.annotations.iter().map(|annotation| annotation.span));
    spans.extend(item.docs.iter().map(|docs| docs.span));
    for (open, close) in pairs(lex(&text)) {
        spans.push(open.cover(close));
        spans.push(trimmed(&text, Span::new(open.end, close.start)));
    }
    let all = Span::new(0, text.len() as u32);
    let code = item.docs.as_ref().map_or(0, |docs| docs.span.end);
    spans.push(trimmed(&text, Span::new(code, all.end)));
    spans.push(all);
    spans.retain(|span| span.touches(offset));
    spans.into_iter().map(|span| view.absolute(span)).collect()
}

/// Without the blanks at both ends.
fn trimmed(text: &str, span: Span) -> Span {
    let inner = &text[std::ops::Range::from(span)];
    let start = span.start + (inner.len() - inner.trim_start().len()) as u32;
    Span::new(start, (start + inner.trim().len() as u32).max(start))
}

/// The longest chain of the spans that begins with the token at the cursor (the first span).
fn nested(spans: Vec<Span>, offset: u32) -> Vec<Span> {
    let mut inner = spans.first().copied().unwrap_or(Span::empty(offset));
    let mut chain = vec![inner];
    let mut rest = spans;
    rest.sort_by_key(|span| (span.len(), span.start));
    for span in rest {
        if span != inner && span.contains(inner) {
            chain.push(span);
            inner = span;
        }
    }
    chain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Fixture, LISTING_1};
    use expect_test::{Expect, expect};

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
        let shown: Vec<String> = folding_ranges(&fixture.db, file)
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
        let shown: Vec<(usize, usize)> = folding_ranges(&fixture.db, file)
            .iter()
            .map(|fold| lines(&text, fold.span))
            .collect();
        assert_eq!(shown, [(1, 3), (2, 3), (5, 6)]);
    }

    fn check_selection(text: &str, expected: Expect) {
        let fixture = Fixture::new(text);
        let at = fixture.cursors[0];
        let chains = selection_ranges(&fixture.db, at.file, &[at.offset]);
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
}
