//! Property tests for any ELEVATE text: parsing does not panic, reports at most one error, and
//! returns a tree with the right spans; items are the same after a split of the whole text and
//! after edits.

mod rendering;

use proptest::prelude::*;
use rendering::sexpr_elevate::dump;
use std::cell::Cell;
use syntax::ast::TermKind;
use syntax::elevate::ast::{CondKind, ExprId, ExprKind, Item, ItemKind, PatternKind, TypeKind};
use syntax::elevate::{Parsed, lex, parse, resplit, split};
use syntax::{Edit, MAX_HEIGHT, Resplit, Severity, Span, codes};

const PROGRAMS: [&str; 3] = [
    include_str!("programs/elevate/mv.elevate"),
    include_str!("programs/elevate/examples.elevate"),
    include_str!("programs/elevate/schedules.elevate"),
];

/// Asserts the invariants of every parsed item.
fn check(text: &str) -> Parsed {
    let parsed = parse(text);
    let inside = |span: Span| {
        span.start <= span.end
            && text.is_char_boundary(span.start as usize)
            && text.is_char_boundary(span.end as usize)
    };
    let (errors, warnings): (Vec<_>, Vec<_>) = parsed
        .diagnostics
        .iter()
        .partition(|diagnostic| diagnostic.severity == Severity::Error);
    assert!(errors.len() <= 1 && warnings.len() <= 1, "{text:?}");
    for diagnostic in &parsed.diagnostics {
        assert!(inside(diagnostic.span), "{text:?} {diagnostic:?}");
        assert!(
            diagnostic
                .related
                .iter()
                .all(|related| inside(related.place.span))
        );
        assert!(
            diagnostic
                .fixes
                .iter()
                .flat_map(|fix| &fix.edits)
                .all(|(span, _)| inside(*span))
        );
        assert!(
            text.is_empty() || !diagnostic.span.is_empty(),
            "{text:?} {diagnostic:?}"
        );
    }
    check_places(text, &parsed.item, inside);
    assert!(
        !has_holes(&parsed.item) || parsed.has_error(),
        "a hole without an error: {text:?}"
    );
    let _ = dump(&parsed.item);
    parsed
}

fn check_places(text: &str, item: &Item, inside: impl Fn(Span) -> bool) {
    let spans = item.exprs.iter().map(|expr| expr.span);
    let spans = spans.chain(item.params.iter().map(|param| param.span));
    let spans = spans.chain(item.conds.iter().map(|cond| cond.span));
    let spans = spans.chain(item.patterns.iter().map(|pattern| pattern.span));
    let spans = spans.chain(item.types.iter().map(|ty| ty.span));
    let spans = spans.chain(item.rise.terms.iter().map(|term| term.span));
    for span in spans {
        assert!(inside(span), "{text:?} {span:?}");
    }
    assert!(
        item.params.is_sorted_by_key(|param| param.span.start),
        "{text:?}"
    );
    let mut heights = vec![0usize; item.exprs.len()];
    for id in (0..item.exprs.len() as u32).map(ExprId) {
        item.children(id, |child| {
            assert!(child < id, "children stand before their parents");
            assert!(
                item.expr(id).span.contains(item.expr(child).span),
                "{text:?} {:?}",
                item.expr(id)
            );
            heights[id.0 as usize] = heights[id.0 as usize].max(heights[child.0 as usize] + 1);
        });
        assert!(heights[id.0 as usize] <= MAX_HEIGHT);
    }
}

fn has_holes(item: &Item) -> bool {
    item.exprs.iter().any(|expr| expr.kind == ExprKind::Missing)
        || item.conds.iter().any(|cond| cond.kind == CondKind::Missing)
        || item
            .patterns
            .iter()
            .any(|pattern| pattern.kind == PatternKind::Missing)
        || item.types.iter().any(|ty| ty.kind == TypeKind::Missing)
        || item
            .rise
            .terms
            .iter()
            .any(|term| term.kind == TermKind::Missing)
}

fn check_file(text: &str) {
    for span in split(text) {
        check(&text[std::ops::Range::from(span)]);
    }
}

#[test]
fn programs_have_no_errors() {
    for program in PROGRAMS {
        for span in split(program) {
            assert!(!check(&program[std::ops::Range::from(span)]).has_error());
        }
    }
}

#[test]
fn every_prefix_and_every_suffix_parses() {
    for program in PROGRAMS {
        for (at, _) in program.char_indices() {
            check_file(&program[..at]);
            check_file(&program[at..]);
        }
    }
}

#[test]
fn every_token_may_be_missing() {
    for program in PROGRAMS {
        for token in lex(program) {
            let (before, behind) = (token.span.start as usize, token.span.end as usize);
            check_file(&[&program[..before], &program[behind..]].concat());
        }
    }
}

#[test]
fn deep_nesting_is_an_error() {
    for (head, open, inner, close, tail) in [
        ("", "(", "x", ")", ""),
        ("val f = ", "(", "x", ")", ""),
        ("val f = ", "g(", "x", ")", ""),
        ("val f = ", "[", "x", "]", ""),
        ("val f = ", "x => ", "x", "", ""),
        ("val f = ", "(x) => ", "x", "", ""),
        ("val f = ", "if a then b else ", "c", "", ""),
        ("val f = ", "x match { case y => ", "z", " }", ""),
        ("val f = ", "with BENF { ", "z", " }", ""),
        ("val f = x match { case ", "Success(", "p", ")", " => q }"),
        ("rule r = ", "map(", "f", ")", " |-> g"),
        ("rule r = f |-> g where ", "(", "n divides m", ")", ""),
        ("rule r = f |-> g where ", "holds(s, ", "x", ")", ""),
        ("strategy f(x: ", "(", "Nat", ")", ") = y"),
        ("strategy f(x: ", "List[", "Nat", "]", ") = y"),
        ("tune s : Nat in ", "(", "1", ")", "..2"),
        ("val f = ", "g(", "", "", ""),
    ] {
        let deep = |n| format!("{head}{}{inner}{}{tail}", open.repeat(n), close.repeat(n));
        let parsed = check(&deep(10_000));
        let error = parsed.diagnostics.first().map(|diagnostic| diagnostic.code);
        assert_eq!(error, Some(codes::TOO_DEEP), "{open}");
        if !inner.is_empty() {
            assert_eq!(check(&deep(40)).diagnostics, [], "{open}");
        }
    }
}

#[test]
fn chains_are_long() {
    for (head, link, tail) in [
        ("x", " ; x", ""),
        ("x", " ;; x", ""),
        ("x", " <+ x", ""),
        ("x", " @ x", ""),
        ("x", "(x)", ""),
        ("x", ".y", ""),
        ("val f = ", "x :: ", "x"),
        ("val f = x", " + x", ""),
        ("val f = ", "- ", "x"),
        ("val f = ", "not ", "x"),
        ("rule r = f |-> g where a divides b", " and c <= d", ""),
        ("rule r = f |-> g where a divides b", " or c <= d", ""),
        ("rule r = f |-> g where ", "not ", "a divides b"),
        ("rule r = f |-> ", "f >> ", "g"),
        ("strategy f(x: ", "Nat -> ", "Nat) = x"),
        ("val f = x match { case ", "x :: ", "y => z }"),
    ] {
        let chain = |n| format!("{head}{}{tail}", link.repeat(n));
        assert_eq!(check(&chain(900)).diagnostics, [], "{link}");
        let error = check(&chain(50_000))
            .diagnostics
            .first()
            .map(|diagnostic| diagnostic.code);
        assert_eq!(error, Some(codes::TOO_DEEP), "{link}");
    }
}

#[test]
fn many_mistakes_take_linear_time() {
    for piece in [
        "x ; ",
        "; ",
        "f( ; ",
        "x match { case ",
        "case ",
        "fun(x ",
        "fun(",
        "(x ",
        "holds(",
        "where ",
        "a |-> ",
        "{ a | ",
        "‘;‘ ",
        "`",
        "@",
        "if ",
        "[x",
        "rule { ",
        "rise { ",
        "x y ",
        "x | ",
        "](",
        "equires x ",
    ] {
        check(&format!("val f = {}", piece.repeat(10_000)));
        check(&format!("rule f = {}", piece.repeat(10_000)));
        check(&format!("rule f = a |-> b where {}", piece.repeat(10_000)));
        split(&piece.repeat(10_000));
    }
}

#[test]
fn items_begin_at_their_words() {
    let items = |text: &str| {
        split(text)
            .into_iter()
            .map(|span| text[std::ops::Range::from(span)].to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        items(
            "// c\nimport \"a\" import \"b\" language rise\n/// doc\n@title(\"x\") @looping unsafe rule r = a |-> b // c\nval x = y"
        ),
        [
            "import \"a\"",
            "import \"b\"",
            "language rise",
            "/// doc\n@title(\"x\") @looping unsafe rule r = a |-> b",
            "val x = y",
        ]
    );
    assert_eq!(items("val x = a (b)(c)"), ["val x = a (b)(c)"]);
    assert_eq!(items("val x = a\n  (b)(c)"), ["val x = a\n  (b)(c)"]);
    assert_eq!(items("val x = a\n(b)(c)"), ["val x = a", "(b)(c)"]);
    assert_eq!(
        items("val x = a\n\n// c\nb\nfun d(x) = x"),
        ["val x = a", "b", "fun d(x) = x"]
    );
    assert_eq!(
        items("example { input f) apply s expect g }\nfoo"),
        ["example { input f) apply s expect g }", "foo"]
    );
    assert_eq!(items("val x = a(b) ; c\nd"), ["val x = a(b) ; c", "d"]);
    assert_eq!(
        items("val x = rule { a |-> b } ; c"),
        ["val x = rule { a |-> b } ; c"]
    );
    assert_eq!(items("val x = a @ b @c"), ["val x = a @ b", "@c"]);
    assert_eq!(items("val x = a\n  @ b"), ["val x = a\n  @ b"]);
    assert_eq!(
        items("rule r = a |-> b where n divides m and not x notIn f let k = 3\nfoo"),
        [
            "rule r = a |-> b where n divides m and not x notIn f let k = 3",
            "foo"
        ]
    );
    assert_eq!(
        items("tune s : Nat in 1..8 step 2\nfoo ; bar"),
        ["tune s : Nat in 1..8 step 2", "foo ; bar"]
    );
    assert_eq!(items("tune s : Nat\nfoo"), ["tune s : Nat", "foo"]);
    assert_eq!(items("strategy f (s) = s ; t"), ["strategy f (s) = s ; t"]);
    assert_eq!(
        items("pred p = { a | b } strategy q = p <+ q"),
        ["pred p = { a | b }", "strategy q = p <+ q"]
    );
    assert_eq!(
        items("val f = p => p match { case x => y }\nif a then b else c"),
        ["val f = p => p match { case x => y }", "if a then b else c"]
    );
    assert_eq!(
        items("val a = not and u or not b"),
        ["val a = not and u or not b"]
    );
    assert_eq!(items("// nothing\n/// at all"), [""; 0]);
}

/// Returns the items that a [`Resplit`] describes.
fn apply(old: &[Span], edit: Edit, resplit: &Resplit) -> Vec<Span> {
    let shift = |at: u32| at - edit.old_end + edit.new_end;
    let mut new = old[..resplit.prefix].to_vec();
    new.extend(&resplit.middle);
    let behind = &old[old.len() - resplit.suffix..];
    new.extend(
        behind
            .iter()
            .map(|span| Span::new(shift(span.start), shift(span.end))),
    );
    new
}

/// Replaces a part of the text, compares [`resplit`] with [`split`], and returns how many bytes
/// were read.
fn edit(text: &mut String, start: usize, end: usize, with: &str) -> usize {
    let old = split(text);
    let before = text.clone();
    text.replace_range(start..end, with);
    let edit = Edit {
        start: start as u32,
        old_end: end as u32,
        new_end: (start + with.len()) as u32,
    };
    let bytes = Cell::new(0);
    let read = |span: Span| {
        bytes.set(bytes.get() + span.len() as usize);
        text[std::ops::Range::from(span)].to_owned()
    };
    let result = resplit(&old, edit, text.len() as u32, &read);
    assert_eq!(
        apply(&old, edit, &result),
        split(text),
        "{before:?} -> {text:?}"
    );
    for span in &old[..result.prefix] {
        assert!(span.end <= edit.start, "{before:?} -> {text:?}");
    }
    bytes.get()
}

#[test]
fn an_edit_reads_its_neighbourhood() {
    let mut text: String = (0..1000)
        .map(|n| format!("/// Doc.\nstrategy s{n}(x) = x ; y{n}\n\n"))
        .collect();
    let middle = text.find("s500(x)").unwrap_or(0);
    let read = edit(&mut text, middle + 3, middle + 4, "7");
    assert!(read < 300, "{read}");
}

/// Generates pieces of text that are relevant to the splitter and the parser, alone and adjacent.
fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "import \"a\"",
        "import",
        "rule",
        "rule ",
        "rule {",
        "unsafe ",
        "strategy ",
        "def ",
        "val ",
        "pred ",
        "normalform ",
        "tune ",
        "example ",
        "language ",
        "traversal ",
        "match ",
        "case ",
        "if ",
        "then ",
        "else ",
        "with ",
        "where ",
        "requires ",
        "assuming ",
        "and ",
        "or ",
        "not ",
        "divides ",
        "notIn ",
        "step ",
        "in ",
        "let ",
        "rise {",
        "holds(",
        "input ",
        "apply ",
        "expect ",
        "modulo ",
        "failure ",
        "trace [",
        "divisors(",
        "Success(",
        "app(",
        "fun(",
        "fun(x => ",
        "List(",
        "Seq(",
        "@",
        " @",
        "@title",
        " @title(\"t\") ",
        "`@`",
        "`;`",
        "`a b`",
        "`",
        "‘;‘",
        "‘",
        ";",
        ";;",
        "<+",
        "<",
        "+",
        "|->",
        "↦",
        "|",
        "->",
        "=>",
        "::",
        ":",
        "=",
        ",",
        ".",
        "..",
        "?f",
        "?",
        "(",
        ")",
        " (",
        "[",
        "]",
        "{",
        "}",
        "x",
        " x",
        "map",
        "n",
        "1",
        "1.5f",
        "\"s\"",
        "\"",
        "_",
        " ",
        "\n",
        "\t",
        "\r\n",
        "/// doc\n",
        "// c\n",
        "/* c */",
        "/*",
        "é",
        "λ",
        "\u{1f600}",
        "\u{feff}",
        "\0",
        "f32",
        "Nat",
        "Local",
        "Array[",
        "-",
        "*",
        ">>",
        "|>",
        "&&",
        "==",
        "!",
        "val f = x ; y ",
        "rule r = a |-> b ",
        "(x)",
    ])
}

fn text(most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..most).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn any_text_parses(text in ".{0,80}") {
        check_file(&text);
        check(&text);
    }

    #[test]
    fn any_pieces_parse(text in text(50)) {
        check_file(&text);
        check(&text);
        check(&format!("val f = {text}"));
        check(&format!("rule f = {text}"));
        check(&format!("rule f = a |-> b where {text}"));
        check(&format!("val f = x match {{ case {text}"));
    }

    #[test]
    fn tokens_cover_the_text(text in text(50)) {
        let mut end = 0;
        for token in lex(&text) {
            prop_assert_eq!(token.span.start, end);
            prop_assert!(token.span.end > end);
            prop_assert!(text.is_char_boundary(token.span.end as usize));
            end = token.span.end;
        }
        prop_assert_eq!(end as usize, text.len());
    }

    #[test]
    fn items_are_in_order_and_hold_every_token(text in text(50)) {
        let spans = split(&text);
        let mut end = 0;
        for span in &spans {
            prop_assert!(end <= span.start && span.start < span.end);
            end = span.end;
        }
        for token in lex(&text).filter(|token| !token.kind.is_trivia()) {
            prop_assert_eq!(spans.iter().filter(|span| span.contains(token.span)).count(), 1);
        }
    }

    #[test]
    fn items_are_read_as_they_were_split(text in text(50)) {
        for span in split(&text) {
            let item = &text[std::ops::Range::from(span)];
            if !item.starts_with(['@', '\u{feff}']) {
                prop_assert_eq!(split(item), [Span::new(0, item.len() as u32)], "{:?}", item);
            }
        }
    }

    #[test]
    fn resplit_is_split(
        mut text in text(40),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), text(8)), 1..6),
    ) {
        for (from, to, with) in edits {
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let (from, to) = (places[from.index(places.len())], places[to.index(places.len())]);
            edit(&mut text, from.min(to), from.max(to), &with);
        }
    }

    #[test]
    fn small_edits_resplit(
        mut text in text(60),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0usize..3, piece()), 1..12),
    ) {
        for (from, length, with) in edits {
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let from = from.index(places.len());
            let to = (from + length).min(places.len() - 1);
            edit(&mut text, places[from], places[to], with);
        }
    }
}

#[test]
fn a_main_expression_is_an_item() {
    let parsed = check("(a ; b)(mm)");
    assert!(matches!(parsed.item.kind, ItemKind::Main { .. }));
}
