//! Property tests for any text: parsing does not panic, reports at most one error, and returns a
//! tree with the right spans.

mod rendering;

use proptest::prelude::*;
use syntax::ast::{BinderId, ItemKind, Term, TermId, TermKind};
use syntax::{Dialect, MAX_HEIGHT, Parsed, Severity, Span, codes, format, parse_in, split};

const PROGRAMS: [&str; 8] = [
    include_str!("programs/binomial.rise"),
    include_str!("programs/missing_memory.rise"),
    include_str!("programs/mm.rise"),
    include_str!("programs/mv.rise"),
    include_str!("programs/mv_opt.rise"),
    include_str!("programs/partial_dot.rise"),
    include_str!("programs/stencil1D.rise"),
    include_str!("programs/everything.rise"),
];

const IMPERATIVE: [&str; 2] = [
    include_str!("programs/mv_imperative.dpia"),
    include_str!("programs/everything.dpia"),
];

/// Asserts the invariants in both dialects; returns the tree of RISE.
fn check(text: &str) -> Parsed {
    check_in(text, Dialect::Dpia);
    check_in(text, Dialect::Rise)
}

/// Asserts the invariants of every parsed item.
fn check_in(text: &str, dialect: Dialect) -> Parsed {
    let parsed = parse_in(text, dialect);
    let inside = |span: Span| {
        span.start <= span.end
            && text.is_char_boundary(span.start as usize)
            && text.is_char_boundary(span.end as usize)
    };
    assert!(parsed.diagnostics.len() <= 1, "{text:?}");
    for diagnostic in &parsed.diagnostics {
        assert!(inside(diagnostic.span), "{text:?} {diagnostic:?}");
        assert!(
            diagnostic
                .related
                .iter()
                .all(|related| inside(related.place.span))
        );
        assert_eq!(diagnostic.severity, Severity::Error);
        assert!(
            text.is_empty() || !diagnostic.span.is_empty(),
            "{text:?} {diagnostic:?}"
        );
    }
    let item = &parsed.item;
    let mut heights = vec![0usize; item.terms.len()];
    for id in (0..item.terms.len() as u32).map(TermId) {
        let term = item.term(id);
        assert!(inside(term.span), "{text:?} {term:?}");
        item.children(id, |child| {
            assert!(child < id, "children stand before their parents");
            assert!(
                term.span.contains(item.term(child).span),
                "{text:?} {term:?}"
            );
            heights[id.0 as usize] = heights[id.0 as usize].max(heights[child.0 as usize] + 1);
        });
        assert!(heights[id.0 as usize] <= MAX_HEIGHT);
    }
    assert!(
        item.binders.iter().all(|binder| inside(binder.span)),
        "{text:?}"
    );
    let binders = (0..item.binders.len() as u32).map(BinderId);
    let starts = binders
        .filter(|&binder| !item.may_be_implicit(binder) && item.binder(binder).parts.is_none())
        .map(|binder| item.binder(binder).span.start);
    assert!(starts.is_sorted(), "{text:?}");
    let holes = item.terms.iter().any(|term| term.kind == TermKind::Missing);
    assert!(
        !holes || !parsed.diagnostics.is_empty(),
        "a hole without an error: {text:?}"
    );
    let _ = (item.parents(), rendering::sexpr::dump(item));
    parsed
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
            let parsed = check(&program[std::ops::Range::from(span)]);
            assert_eq!(parsed.diagnostics, []);
        }
    }
}

#[test]
fn programs_of_dpia_have_no_errors() {
    for program in IMPERATIVE {
        for span in split(program) {
            let parsed = check_in(&program[std::ops::Range::from(span)], Dialect::Dpia);
            assert_eq!(parsed.diagnostics, []);
        }
    }
}

#[test]
fn every_prefix_and_every_suffix_parses() {
    for program in PROGRAMS.into_iter().chain(IMPERATIVE) {
        for (at, _) in program.char_indices() {
            check_file(&program[..at]);
            check_file(&program[at..]);
        }
    }
}

#[test]
fn every_token_may_be_missing() {
    for program in PROGRAMS.into_iter().chain(IMPERATIVE) {
        for token in syntax::lex(program) {
            let (before, behind) = (token.span.start as usize, token.span.end as usize);
            check_file(&[&program[..before], &program[behind..]].concat());
        }
    }
}

#[test]
fn deep_nesting_is_an_error() {
    for (open, inner, close) in [
        ("(", "x", ")"),
        ("f(", "x", ")"),
        ("fun(x => ", "x", ")"),
        ("let x = ", "x", " in x"),
        ("f(n.(", "x", "))"),
        ("f(", "", ""),
    ] {
        let deep = |n| format!("def f = {}{inner}{}", open.repeat(n), close.repeat(n));
        let parsed = check(&deep(100_000));
        assert_eq!(parsed.diagnostics[0].code, codes::TOO_DEEP, "{open}");
        if !inner.is_empty() {
            assert_eq!(check(&deep(80)).diagnostics, [], "{open}");
        }
    }
}

#[test]
fn chains_are_long() {
    for (head, link, tail) in [
        ("x", " |> f", ""),
        ("x", " + x", ""),
        ("x", "(x)", ""),
        ("x", " ^ x", ""),
        ("x", " <| x", ""),
        ("x", "._1", ""),
        ("", "let x = 1 in ", "x"),
        ("", "-", "x"),
        ("", "! ", "x"),
        ("(x : f32", " -> f32", ")"),
        ("(x : ", "(n: Nat) -> ", "f32)"),
        ("(x : ", "n.", "f32)"),
        ("(x : ", "3.", "f32)"),
    ] {
        let chain = |n| format!("def f = {head}{}{tail}", link.repeat(n));
        assert_eq!(check(&chain(900)).diagnostics, [], "{link}");
        assert_eq!(
            syntax::lex(&format(&chain(900)))
                .filter(|token| !token.kind.is_trivia())
                .count(),
            syntax::lex(&chain(900))
                .filter(|token| !token.kind.is_trivia())
                .count()
        );
        assert_eq!(
            check(&chain(50_000)).diagnostics[0].code,
            codes::TOO_DEEP,
            "{link}"
        );
    }
}

#[test]
fn many_mistakes_take_linear_time() {
    for piece in [
        "fun |> ",
        "f(|> ",
        "f(a b ",
        "fun(",
        "let x = 1 ",
        "(a b",
        "[a => ",
        "f(x => ",
        "3.3",
        "a = ",
        "a = 1; ",
        "; ",
        "if ",
        "if (x) { ",
        "else { ",
        "f(a = 1 b ",
        "Exp[",
        "a += ",
    ] {
        check(&format!("def f = {}", piece.repeat(20_000)));
    }
}

#[test]
fn what_was_typed_stays() {
    let parsed = check("def f : n.f32 -> f32 = fun(xs => xs |> map(g) |>");
    assert!(matches!(
        parsed.item.kind,
        ItemKind::Def { ty: Some(_), .. }
    ));
    let name = |term: &Term| match &term.kind {
        TermKind::Name(name) => Some(name.to_string()),
        _ => None,
    };
    let names: Vec<String> = parsed.item.terms.iter().filter_map(name).collect();
    assert_eq!(names, ["n", "xs", "map", "g"]);
}

#[test]
fn documentation_belongs_to_the_item() {
    let parsed = check("/// One.\n// plain\n///\n///   two\n@target(c)\ndef f = 1 /// no");
    let docs = parsed
        .item
        .docs
        .map(|docs| (docs.text.to_string(), docs.span));
    assert_eq!(docs, Some(("One.\n\n  two".to_owned(), Span::new(0, 31))));
}

#[test]
fn the_innermost_term_is_found() {
    let parsed = check("def f = map(g)(xs)");
    let at = |offset| {
        parsed
            .item
            .term_at(offset)
            .map(|id| parsed.item.term(id).kind.clone())
    };
    assert_eq!(at(12), Some(TermKind::Name("g".into())));
    assert_eq!(at(13), Some(TermKind::Name("g".into())));
    assert_eq!(at(17), Some(TermKind::Name("xs".into())));
    assert!(matches!(at(18), Some(TermKind::Apply { .. })));
    assert_eq!(at(2), None);
}

fn token() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "def",
        "foreign",
        "inout",
        "import",
        "@",
        "let",
        "in",
        "fun",
        "depFun",
        "natFun",
        "dataFun",
        "true",
        "x",
        "n",
        "_",
        "_1",
        "f32",
        "Nat",
        "Array",
        "DepPair",
        "Idx",
        "Local",
        "3",
        "3.3",
        "1.5f",
        "1e9",
        "\"s\"",
        "\"\"\"c\"\"\"",
        "(",
        "(",
        "(",
        ")",
        ")",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ",",
        ":",
        ".",
        "..",
        "=",
        "=>",
        "=>",
        "->",
        "|>",
        "<|",
        ">>",
        "<<",
        "||",
        "==",
        "<",
        "+",
        "-",
        "^",
        "!",
        "|",
        "\\",
        "é",
        "→",
        "\u{1f600}",
        "\0",
        "\r",
        "// c\n",
        "/* c */",
        "/*",
        "\"",
        "if",
        "else",
        "skip",
        "Exp",
        "Acc",
        "Comm",
        "Rd",
        "ReadWrite",
        ";",
        ";",
        "=",
        "{",
        "where",
        " ",
        " ",
        "\n",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn any_tokens_parse(tokens in prop::collection::vec(token(), 0..60)) {
        check_file(&tokens.join(" "));
        check_file(&tokens.concat());
        check(&tokens.concat());
    }

    #[test]
    fn any_tokens_parse_in_a_definition(tokens in prop::collection::vec(token(), 0..60)) {
        check(&format!("def f = fun(x => {}", tokens.join(" ")));
        check(&format!("def f : {} = x", tokens.join(" ")));
        check(&format!("def f({}", tokens.join(" ")));
        check(&format!("def f{} = x", tokens.concat()));
    }

    #[test]
    fn any_text_parses(text in ".{0,80}") {
        check_file(&text);
        check(&text);
    }
}
