//! What is offered where, and what becomes of the text.

use expect_test::{Expect, expect};
use syntax::Span;

use super::{RewriteAction, apply_rewrite, rewrites};
use crate::FileRange;
use crate::fixture::Fixture;

fn offered(fixture: &Fixture) -> Vec<RewriteAction> {
    let place = match (&fixture.ranges[..], &fixture.cursors[..]) {
        ([range], _) => *range,
        (_, [cursor]) => FileRange {
            file: cursor.file,
            span: Span::empty(cursor.offset),
        },
        _ => panic!("one cursor or one range"),
    };
    rewrites(&fixture.db, place, &|_| true)
}

/// The menu.
fn menu(text: &str, expected: Expect) {
    let fixture = Fixture::new(text);
    let lines: String = offered(&fixture)
        .iter()
        .map(|action| {
            let disabled = action.disabled.as_ref();
            let why = disabled.map_or_else(String::new, |why| format!(" -- not here: {why}"));
            format!("{}{why}\n", action.title)
        })
        .collect();
    expected.assert_eq(&lines);
}

/// The text after the line of the menu that begins so was chosen.
fn chosen(text: &str, title: &str, expected: Expect) {
    let fixture = Fixture::new(text);
    let all = offered(&fixture);
    let Some(action) = all.iter().find(|action| action.title.starts_with(title)) else {
        let titles: Vec<&str> = all.iter().map(|action| action.title.as_str()).collect();
        panic!("no `{title}` among {titles:#?}");
    };
    let made = apply_rewrite(&fixture.db, action.item, &action.strategy, &action.path);
    let shown = match made {
        Ok(made) => fixture.applied_all(&made.edits),
        Err(reason) => reason,
    };
    expected.assert_eq(&shown);
}

const TWO: &str = "def two = depFun(n: Nat => fun((xs: n.f32, f: f32 -> f32, g: f32 -> f32) => xs |> map(f) |> m$0ap(g)))\n";

#[test]
fn maps_are_fused() {
    menu(TWO, expect![[r#""#]]);
    chosen(TWO, "Fuse maps", expect![[r#"
        Fuse maps: one array of n f32 less
        Lower to mapSeq
        Lower to mapStream
        Lower to iterateStream
        Lower to mapPar
    "#]]);
}

#[test]
fn maps_are_fused_where_the_first_one_is() {
    let text = "def two = fun(xs: 8.f32 =>\n  xs\n    |> m$0ap(fun(x => x + 1.0f)) // one more\n    |> map(fun(x => x * 2.0f))\n    |> map(fun(x => x - 3.0f)))\n";
    chosen(text, "Fuse maps", expect![[r#""#]]);
}

#[test]
fn maps_in_work_groups_become_local() {
    let text = "def rows = depFun((n: Nat, m: Nat) => fun(xss: n.m.f32 =>\n  xss |> mapWorkGroup(0)(fun(row => row |> m$0ap(fun(x => x + 1.0f))))))\n";
    menu(text, expect![[r#""#]]);
    chosen(text, "Lower to mapLocal(0)", expect![[r#""#]]);
}

#[test]
fn local_maps_need_a_work_group() {
    let text = "def rows = depFun((n: Nat, m: Nat) => fun(xss: n.m.f32 =>\n  xss |> map(fun(row => row |> m$0ap(fun(x => x + 1.0f))))))\n";
    menu(text, expect![[r#""#]]);
}

#[test]
fn maps_are_split() {
    let text = "def f = depFun(n: Nat => fun(xs: n.f32 => xs |> m$0ap(fun(x => x + 1.0f))))\n";
    chosen(text, "Split map into chunks of 32", expect![[r#""#]]);
    let text = "def f = fun(xs: 96.f32 => xs |> m$0ap(fun(x => x + 1.0f)))\n";
    chosen(text, "Split map into chunks of", expect![[r#"
        Drop the parameter (η)
        Lower to mapSeq
        Lower to mapStream
        Lower to iterateStream
        Lower to mapPar
    "#]]);
}

#[test]
fn the_tools_of_the_paper_are_there_for_its_first_listing() {
    let text = crate::fixture::LISTING_1.replace("M |> map", "M |> m$0ap");
    menu(&text, expect![[r#""#]]);
    let text = crate::fixture::LISTING_1.replace("reduce(add)", "red$0uce(add)");
    menu(&text, expect![[r#""#]]);
    chosen(&text, "Fuse map into reduction", expect![[r#""#]]);
}

#[test]
fn transpositions_that_undo_one_another_are_removed() {
    let text =
        "def f = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 => a |> transpose |> tr$0anspose))\n";
    menu(text, expect![[r#""#]]);
    chosen(text, "Remove double transpose", expect![[r#""#]]);
}
