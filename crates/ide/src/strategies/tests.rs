//! Tests of the editor features in strategy files.

use expect_test::{Expect, expect};

use crate::fixture::Fixture;
use crate::{
    Repeated, completions, document_symbols, goto_definition, hover, inlay_hints, references,
    rename, semantic_tokens, signature_help,
};

const FILE: &str = "\
//- /main.elevate
import \"lib.elevate\"
import \"mm.rise\"

/// Two maps are one.
rule fuse = map(f) >> map(g) |-> map(f >> g)

pred isM = { map | map(_) }

strategy somewhere(s: Strategy, c) = topDown(c ; s)

val schedule = somewhere(fuse, isM) ; twice(fuse)

schedule(mm)
//- /lib.elevate
strategy twice(s: Strategy): Strategy = s ; s
//- /mm.rise
def mm = fun(xs: 4.f32 => xs |> map(fun(x => x + 1.0f)) |> map(fun(x => x * 2.0f)))
";

/// Returns the file with a cursor at the first place with this text.
fn with_cursor(at: &str) -> Fixture {
    let marked = at.replace('$', "$0");
    let plain = at.replace('$', "");
    assert!(FILE.contains(&plain), "{plain}");
    Fixture::new(&FILE.replacen(&plain, &marked, 1))
}

fn shown_targets(at: &str) -> String {
    let fixture = with_cursor(at);
    let targets = goto_definition(&fixture.db, fixture.cursors[0]);
    let place = |target: &crate::NavTarget| {
        let place = fixture.place(target.file, target.focus);
        format!("{:?} {place}", target.kind)
    };
    targets.iter().map(place).collect::<Vec<_>>().join(", ")
}

#[test]
fn nothing_is_wrong_with_it() {
    let fixture = Fixture::new(FILE);
    for &file in &fixture.files {
        assert_eq!(fixture.db.file_diagnostics(file), []);
    }
}

#[test]
fn names_lead_to_their_definitions() {
    expect![[r#"
        Rule main.elevate:5:6 fuse
        Strategy lib.elevate:1:10 twice
        Parameter main.elevate:9:33 c
        Parameter main.elevate:5:17 f
        Function mm.rise:1:5 mm
        Strategy traversals.elevate:"#]]
    .assert_eq(
        &[
            shown_targets("somewhere(fu$se"),
            shown_targets("twi$ce(fuse)"),
            shown_targets("topDown(c$ ;"),
            shown_targets("map(f$ >> g)"),
            shown_targets("schedule(m$m)"),
            shown_targets("topD$own(c")
                .split_inclusive(':')
                .next()
                .unwrap_or_default()
                .to_owned(),
        ]
        .join("\n"),
    );
}

#[test]
fn primitives_of_rise_are_known() {
    let fixture = with_cursor("rule fuse = ma$p(f)");
    let found = hover(&fixture.db, fixture.cursors[0], Repeated::ALL).expect("a hover");
    assert!(found.markdown.contains("Primitive."), "{}", found.markdown);
}

fn check_hover(at: &str, expected: Expect) {
    let fixture = with_cursor(at);
    let found = hover(&fixture.db, fixture.cursors[0], Repeated::ALL);
    let shown = found.map_or("nothing".to_owned(), |hover| {
        let word = fixture.slice(fixture.files[0], hover.range);
        format!("{word}\n{}\n", hover.markdown)
    });
    expected.assert_eq(&shown);
}

#[test]
fn hover_shows_types_and_sides() {
    check_hover(
        "somewhere(fu$se",
        expect![[r#"
        fuse
        ```elevate
        rule fuse : Rule
        ```

        ```elevate
        map(f) >> map(g) |-> map(f >> g)
        ```

        Two maps are one.
    "#]],
    );
    check_hover(
        "somewhere(s: Strategy, c$)",
        expect![[r#"
            c
            ```elevate
            c : Strategy
            ```
        "#]],
    );
    check_hover(
        "map(f$ >> g)",
        expect![[r#"
            f
            ```elevate
            f
            ```

            Metavariable: stands for any term at this place of the pattern.
        "#]],
    );
    check_hover(
        "(fuse, isM) ;$ twice",
        expect![[r#"
        ;
        `a ; b`: first `a`, then `b`; fails if one of them fails.
    "#]],
    );
    check_hover(
        "twi$ce(fuse)",
        expect![[r#"
        twice
        ```elevate
        strategy twice : (s: Strategy) -> Strategy
        ```
    "#]],
    );
}

#[test]
fn references_cross_files_and_languages() {
    let fixture = with_cursor("rule fu$se");
    let places = |fixture: &Fixture| -> Vec<String> {
        let all = references(&fixture.db, fixture.cursors[0]);
        all.iter()
            .map(|found| fixture.place(found.place.file, found.place.span))
            .collect()
    };
    assert_eq!(
        places(&fixture),
        [
            "main.elevate:5:6 fuse",
            "main.elevate:11:26 fuse",
            "main.elevate:11:45 fuse"
        ]
    );
    let fixture = with_cursor("def m$m");
    assert_eq!(
        places(&fixture),
        ["mm.rise:1:5 mm", "main.elevate:13:10 mm"]
    );
}

#[test]
fn renaming() {
    let renamed = |at: &str, new: &str| {
        let fixture = with_cursor(at);
        match rename(&fixture.db, fixture.cursors[0], new) {
            Ok(edits) => {
                let lines = |edits: &crate::SourceEdits| -> Vec<String> {
                    edits
                        .files
                        .iter()
                        .flat_map(|(file, edits)| {
                            edits
                                .iter()
                                .map(|edit| {
                                    format!("{} -> {}", fixture.place(*file, edit.span), edit.text)
                                })
                                .collect::<Vec<_>>()
                        })
                        .collect()
                };
                lines(&edits).join("\n")
            }
            Err(error) => format!("error: {}", error.message),
        }
    };
    expect![[r#"
        mm.rise:1:5 mm -> product
        main.elevate:13:10 mm -> product
        --
        main.elevate:5:17 f -> first
        main.elevate:5:38 f -> first
        --
        error: `g` already occurs in this definition, and would then refer to the renamed `f`
        --
        error: `schedule` is already defined in main.elevate
        --
        error: `case` is a reserved word and cannot be a name
        --
        error: `topDown` belongs to the standard library and cannot be renamed"#]]
    .assert_eq(
        &[
            renamed("def m$m", "product"),
            renamed("rule fuse = map(f$)", "first"),
            renamed("rule fuse = map(f$)", "g"),
            renamed("rule fu$se", "schedule"),
            renamed("rule fu$se", "case"),
            renamed("topD$own(c", "other"),
        ]
        .join("\n--\n"),
    );
}

#[test]
fn outline() {
    let fixture = Fixture::new(FILE);
    let symbols = document_symbols(&fixture.db, fixture.files[0]);
    let shown: Vec<String> = symbols
        .iter()
        .map(|symbol| {
            let detail = symbol.detail.as_deref().unwrap_or("-");
            format!("{:?} {} : {detail}", symbol.target.kind, symbol.target.name)
        })
        .collect();
    expect![[r#"
        Rule fuse : Rule
        Predicate isM : Pred
        Strategy somewhere : (s: Strategy, c: Strategy) -> Strategy
        Strategy schedule : Strategy
        Value main : -"#]]
    .assert_eq(&shown.join("\n"));
}

#[test]
fn colours() {
    let fixture = Fixture::new(FILE);
    let file = fixture.files[0];
    let tokens = semantic_tokens(&fixture.db, file, None);
    let shown: Vec<String> = tokens
        .iter()
        .map(|token| {
            let word = fixture.slice(file, token.span);
            format!("{word} {}", token.ty.as_str())
        })
        .collect();
    expect![[r#"
        import keyword
        "lib.elevate" string
        import keyword
        "mm.rise" string
        /// Two maps are one. comment
        rule keyword
        fuse function
        = operator
        map function
        f parameter
        >> operator
        map function
        g parameter
        |-> operator
        map function
        f parameter
        >> operator
        g parameter
        pred keyword
        isM function
        = operator
        map function
        | operator
        map function
        strategy keyword
        somewhere function
        s parameter
        Strategy type
        c parameter
        = operator
        topDown function
        c parameter
        ; operator
        s parameter
        val keyword
        schedule function
        = operator
        somewhere function
        fuse function
        isM function
        ; operator
        twice function
        fuse function
        schedule function
        mm function"#]]
    .assert_eq(&shown.join("\n"));
}

fn labels(text: &str, count: usize) -> Vec<String> {
    let fixture = Fixture::new(&format!("//- /main.elevate\n{text}"));
    let found = completions(&fixture.db, fixture.cursors[0]);
    let mut labels: Vec<String> = found
        .into_iter()
        .map(|found| match found.insert == found.label {
            true => found.label,
            false => format!("{} => {}", found.label, found.insert),
        })
        .collect();
    labels.truncate(count);
    labels
}

#[test]
fn completion_fits_the_place() {
    expect![[r#"
        strategy => strategy ${1:name}(${2:s: Strategy}) = $0
        makeArray, makeDepPair, makePair
        within => within(${1:mapWorkGroup(_)})
        topDown, allTopDown, allTopdown
        try => try(${1:s}), tryAll => tryAll(${1:s})
        Nat, Int
        title => title("$0")
        "Fuse maps"
        extract, fixAll, fuse
        simplify, source
        ?f
        mine"#]]
    .assert_eq(
        &[
            labels("str$0", 2),
            labels("rule r = ma$0", 3),
            labels("rule r = map(f) |-> split(n) requires wi$0", 2),
            labels("strategy s(traversal: Nat) = id @ top$0", 3),
            labels("strategy s = try$0", 2),
            labels("strategy s(n: N$0", 2),
            labels("@ti$0", 1),
            labels("@title($0\nrule fuseMaps = map |-> mapSeq", 2),
            labels("@kind($0)\nrule fuseMaps = map |-> mapSeq", 3),
            labels("@kind(s$0", 2),
            labels("rule mine = map(?f) |-> mapSeq(?$0", 2),
            labels("rule mine = map |-> mapSeq\nstrategy s = mi$0", 1),
        ]
        .map(|labels| labels.join(", "))
        .join("\n"),
    );
}

#[test]
fn parameters_of_the_call() {
    let fixture = with_cursor("somewhere(fuse, $isM)");
    let help = signature_help(&fixture.db, fixture.cursors[0]).expect("a call");
    assert_eq!(
        (help.signature.label.as_str(), help.active),
        ("somewhere(s: Strategy, c: Strategy) : Strategy", Some(1))
    );
}

#[test]
fn inferred_types_are_shown() {
    let fixture = Fixture::new(FILE);
    let file = fixture.files[0];
    let end = fixture.text(file).len() as u32;
    let all = syntax::Span::new(0, end);
    let hints = inlay_hints(&fixture.db, file, all, &crate::InlayConfig::default());
    let shown: Vec<String> = hints
        .iter()
        .map(|hint| {
            let at = syntax::Span::empty(hint.offset);
            format!("{}{}", fixture.place(file, at), hint.label)
        })
        .collect();
    assert_eq!(shown, ["main.elevate:9:34 : Strategy"]);
}
