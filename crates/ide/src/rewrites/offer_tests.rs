//! Tests of the offered rewrites and of the resulting text.

use expect_test::{Expect, expect};
use syntax::Span;

use super::{AssistKind, RewriteAction, apply_rewrite, rewrites};
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

/// Chooses the line of the menu that begins with `title` and compares the resulting text.
fn chosen(text: &str, title: &str, expected: Expect) {
    chosen_part(text, title, &str::to_owned, expected);
}

/// Chooses the line of the menu that begins with `title` and compares a part of the resulting text.
fn chosen_part(text: &str, title: &str, part: &dyn Fn(&str) -> String, expected: Expect) {
    let fixture = Fixture::new(text);
    let all = offered(&fixture);
    let Some(action) = all.iter().find(|action| action.title.starts_with(title)) else {
        let titles: Vec<&str> = all.iter().map(|action| action.title.as_str()).collect();
        panic!("no `{title}` among {titles:#?}");
    };
    let made = apply_rewrite(&fixture.db, action.item, &action.strategy, &action.path);
    let shown = match made {
        Ok(made) => part(&fixture.applied_all(&made.edits)),
        Err(reason) => reason,
    };
    expected.assert_eq(&shown);
}

const TWO: &str = "def two = depFun(n: Nat => fun((xs: n.f32, f: f32 -> f32, g: f32 -> f32) => xs |> map(f) |> m$0ap(g)))\n";

#[test]
fn maps_are_fused() {
    menu(
        TWO,
        expect![[r#"
            Fuse maps: one array of n f32 less
            Lower to mapSeq
            Lower to mapLocal(0) -- not here: the map is not inside `mapWorkGroup(0)`
            Lower to mapGlobal(0)
            Lower to mapWorkGroup(0) -- not here: the function of the map contains no map over the work-items
            Lower to mapPar
            Lower to mapGlobal(1)
            Split map into chunks of 32: n → n/32 × 32 (assumes 32 divides n)
            Split map into chunks of 64: n → n/64 × 64 (assumes 64 divides n)
            Split map into chunks of 16: n → n/16 × 16 (assumes 16 divides n)
            Vectorize by 4 (assumes 4 divides n)
            Vectorize by 4, lane by lane (assumes 4 divides n)
            Vectorize by 8 (assumes 8 divides n)
            Store in Local memory -- not here: the place is not inside `mapWorkGroup`
        "#]],
    );
    chosen(
        TWO,
        "Fuse maps",
        expect![[r#"
        def two = depFun(n: Nat => fun((xs: n.f32, f: f32 -> f32, g: f32 -> f32) => xs |> map(f >> g)))
    "#]],
    );
}

#[test]
fn maps_are_fused_where_the_first_one_is() {
    let text = "def two = fun(xs: 8.f32 =>\n  xs\n    |> m$0ap(fun(x => x + 1.0f)) // one more\n    |> map(fun(x => x * 2.0f))\n    |> map(fun(x => x - 3.0f)))\n";
    chosen(
        text,
        "Fuse maps",
        expect![[r#"
        def two = fun(xs: 8.f32 =>
          xs
            // one more
            |> map(fun(x => (x + 1.0f) * 2.0f))
            |> map(fun(x => x - 3.0f)))
    "#]],
    );
}

#[test]
fn maps_in_work_groups_become_local() {
    let text = "def rows = depFun((n: Nat, m: Nat) => fun(xss: n.m.f32 =>\n  xss |> mapWorkGroup(0)(fun(row => row |> m$0ap(fun(x => x + 1.0f))))))\n";
    menu(
        text,
        expect![[r#"
            Drop the parameter (η)
            Split map into two stages -- not here: `x` occurs in `add(x)`
            Lower to mapSeq -- not here: the result would have an error: every work-item of a work-group runs all of this `mapSeq`, and all write the result of `rows`
            Lower to mapLocal(0)
            Lower to mapGlobal(0) -- not here: the map is inside `mapWorkGroup(0)`
            Lower to mapWorkGroup(0) -- not here: the map is inside `mapWorkGroup(0)`
            Split map into chunks of 32: m → m/32 × 32 (assumes 32 divides m)
            Split map into chunks of 64: m → m/64 × 64 (assumes 64 divides m)
            Split map into chunks of 16: m → m/16 × 16 (assumes 16 divides m)
            Vectorize by 4 (assumes 4 divides m)
            Vectorize by 4, lane by lane (assumes 4 divides m)
            Vectorize by 8 (assumes 8 divides m)
            Store in Local memory: m f32
            Store in Global memory: m f32
            Store the piece in Local memory: m f32
        "#]],
    );
    chosen(
        text,
        "Lower to mapLocal(0)",
        expect![[r#"
        def rows = depFun((n: Nat, m: Nat) => fun(xss: n.m.f32 =>
          xss |> mapWorkGroup(0)(fun(row => row |> mapLocal(0)(fun(x => x + 1.0f))))))
    "#]],
    );
}

#[test]
fn local_maps_need_a_work_group() {
    let text = "def rows = depFun((n: Nat, m: Nat) => fun(xss: n.m.f32 =>\n  xss |> map(fun(row => row |> m$0ap(fun(x => x + 1.0f))))))\n";
    menu(
        text,
        expect![[r#"
            Drop the parameter (η)
            Split map into two stages -- not here: `x` occurs in `add(x)`
            Lower to mapSeq
            Lower to mapLocal(0) -- not here: the map is not inside `mapWorkGroup(0)`
            Lower to mapGlobal(0)
            Lower to mapPar
            Lower to mapWorkGroup(0)
            Split map into chunks of 32: m → m/32 × 32 (assumes 32 divides m)
            Split map into chunks of 64: m → m/64 × 64 (assumes 64 divides m)
            Split map into chunks of 16: m → m/16 × 16 (assumes 16 divides m)
            Tile 32×32 (assumes 32 divides m, 32 divides n)
            Interchange loops
            Vectorize by 4 (assumes 4 divides m)
            Vectorize by 4, lane by lane (assumes 4 divides m)
            Store in Local memory -- not here: the place is not inside `mapWorkGroup`
        "#]],
    );
}

#[test]
fn maps_are_split() {
    let text = "def f = depFun(n: Nat => fun(xs: n.f32 => xs |> m$0ap(fun(x => x + 1.0f))))\n";
    chosen(
        text,
        "Split map into chunks of 32",
        expect![[r#"
            def f = depFun(n: Nat => fun(xs: n.f32 => xs |> split(32) |> map(map(fun(x => x + 1.0f))) |> join))
        "#]],
    );
    let text = "def f = fun(xs: 96.f32 => xs |> m$0ap(fun(x => x + 1.0f)))\n";
    chosen(
        text,
        "Split map into chunks of",
        expect![[r#"
            def f = fun(xs: 96.f32 => xs |> split(32) |> map(map(fun(x => x + 1.0f))) |> join)
        "#]],
    );
}

#[test]
fn new_stages_are_indented_with_tabs_as_the_others() {
    let text = "def f = fun(xs: 96.f32 =>\n\txs\n\t\t|> m$0ap(fun(x =>\n\t\t\tx + 1.0f)))\n";
    chosen(
        text,
        "Split map into chunks of 32",
        expect![[r#"
        def f = fun(xs: 96.f32 =>
        	xs
        		|> split(32)
        		|> map(map(fun(x =>
        			x + 1.0f)))
        		|> join)
    "#]],
    );
}

#[test]
fn unfolding_writes_sizes_and_types_that_nothing_else_determines() {
    let text = "\
foreign def cos(x: f32): f32

def roots : (n: Nat) -> n.f32 = depFun(n: Nat =>
  generate(fun(i => cos(cast(indexAsNat(i)) / cast(n)))))

def stage : (m: Nat) -> (s: Nat) -> (4 * m * s).f32 -> (m * s).f32 -> (m * s).f32 =
  depFun((m: Nat, s: Nat) => fun(table, xs =>
    zip(table |> split(s) |> transpose |> idx(0) |> take(m))(xs |> split(s))
      |> mapSeq(fun(p => p._2 |> mapSeq(fun(q => q + p._1))))
      |> join))

// All.
def a$0ll : 3.8.f32 -> 3.8.f32 = fun(rows =>
  let table = toMem(roots(32) |> mapSeq(id)) in
  rows |> mapSeq(stage(4)(2)(table)))
";
    let name = |text: &str| text[text.find("// All").unwrap_or_default()..].to_owned();
    chosen_part(
        text,
        "Unfold all",
        &name,
        expect![[r#"
        // All.
        def all : 3.8.f32 -> 3.8.f32 = fun(rows =>
          let table =
            toMem(
              (generate(fun(i: Idx[32] => cos((cast(indexAsNat(i)) : f32) / (cast(32natType) : f32))))
                : 32.f32)
                |> mapSeq(fun(x: f32 => x))) in
          rows |> mapSeq(fun(xs: 8.f32 =>
            zip(table |> split(2) |> transpose |> idx(0) |> take(4))(xs |> split(2))
              |> mapSeq(fun(p: (f32, 2.f32) => p._2 |> mapSeq(fun(q: f32 => q + p._1))))
              |> join)))
    "#]],
    );
}

/// A place can be after the size arguments of a call whose first argument is a function.
#[test]
fn functions_before_sizes_are_places() {
    let text = "\
def applied : ((k: Nat) -> k.f32 -> k.f32) -> (n: Nat) -> n.f32 -> n.f32 = fun(f => depFun(n: Nat => fun(xs => f(n)(xs))))
def doubled = depFun(n: Nat => fun(xs: n.f32 =>
  applied(depFun(k: Nat => fun(zs => zs$0 |> mapSeq(fun(z => z + z)))))(n)(xs)))
";
    let name = |text: &str| text[text.find("def doubled").unwrap_or_default()..].to_owned();
    chosen_part(
        text,
        "Drop the parameter",
        &name,
        expect![[r#"
        def doubled = depFun(n: Nat => fun(xs: n.f32 =>
          applied(depFun(k: Nat => mapSeq(fun(z => z + z))))(n)(xs)))
    "#]],
    );
}

#[test]
fn functions_with_other_casts_are_not_the_same() {
    let text = "\
def f = fun(xs: 6.u32, ys: 6.u32 =>
  zip(xs |> map(fun(a => (cast((cast(a) : i16)) : u32))))(
    ys |> m$0ap(fun(b => (cast((cast(b) : u8)) : u32)))))
";
    chosen(
        text,
        "Split map into chunks of 2",
        expect![[r#"
        def f = fun(xs: 6.u32, ys: 6.u32 =>
          zip(xs |> map(fun(a => (cast((cast(a) : i16)) : u32))))(
            ys |> split(2) |> map(map(fun(b => (cast((cast(b) : u8)) : u32)))) |> join))
    "#]],
    );
}

#[test]
fn dropping_the_parameter_writes_the_type_that_it_said() {
    let text = "def more = fu$0n(xs: 4.f32 => xs |> map(fun(x => x + 1.0f)))\n";
    chosen(
        text,
        "Drop the parameter",
        expect![[r#"
        def more = (map(fun(x => x + 1.0f)) : 4.f32 -> 4.f32)
    "#]],
    );
    let text = "\
def more = depFun(n: Nat => fu$0n(xs: n..dataFun(i => 2..dataFun(j => (i + 1).f32)) =>
  xs |> depMapSeq(depFun(k: Nat => depMapSeq(depFun(l: Nat => mapSeq(fun(x => x + 1.0f))))))))
";
    chosen(
        text,
        "Drop the parameter",
        expect![[r#"
        def more :
          (n: Nat) -> n..dataFun(i => 2..dataFun(j => (i + 1).f32))
          -> n..dataFun(k => 2..dataFun(l => (k + 1).f32)) =
          depFun(n: Nat =>
            depMapSeq(depFun(k: Nat => depMapSeq(depFun(l: Nat => mapSeq(fun(x => x + 1.0f)))))))
    "#]],
    );
}

#[test]
fn the_tools_of_the_paper_are_there_for_its_first_listing() {
    let text = crate::fixture::LISTING_1.replace("M |> map", "M |> m$0ap");
    menu(
        &text,
        expect![[r#"
            Split map into two stages
            Split off the first stage
            Split map into all its stages
            Lower to mapSeq
            Lower to mapLocal(0) -- not here: the map is not inside `mapWorkGroup(0)`
            Lower to mapGlobal(0)
            Lower to mapWorkGroup(0)
            Lower to mapPar
            Split map into chunks of 32: n → n/32 × 32 (assumes 32 divides n)
            Split map into chunks of 64: n → n/64 × 64 (assumes 64 divides n)
            Split map into chunks of 16: n → n/16 × 16 (assumes 16 divides n)
            Vectorize by 4 -- not here: `m.f32` is not a scalar
            Vectorize by 4, lane by lane -- not here: `m.f32` is not a scalar
            Store in Local memory -- not here: the place is not inside `mapWorkGroup`
        "#]],
    );
    let text = crate::fixture::LISTING_1.replace("reduce(add)", "red$0uce(add)");
    menu(
        &text,
        expect![[r#"
            Fuse map into reduction: one array of m f32 less
            Split map into two stages
            Split off the first stage
            Lower to reduceSeq
            Lower to reduceSeq(Private)
            Lower to mapSeq
            Lower to reducePar (changes rounding)
            Lower to mapGlobal(0)
            Lower to mapWorkGroup(0)
            Split reduction into chunks of 32: m → m/32 × 32 (assumes 32 divides m, changes rounding)
            Block reduction by 32: m → m/32 × 32 (assumes 32 divides m, changes rounding)
            Reduce in 32 strides (assumes 32 divides m, changes rounding)
        "#]],
    );
    chosen(
        &text,
        "Fuse map into reduction",
        expect![[r#"
        def mv = depFun((n: Nat, m: Nat) =>
          fun(M: Array[n, Array[m, f32]] =>
            fun(x: Array[m, f32] =>
              M |> map(fun(row =>
                zip(row)(x) |>
                  reduceSeq(fun(acc, ax => acc + fst(ax) * snd(ax)))(0.0f) )) )) )
    "#]],
    );
}

#[test]
fn transpositions_that_undo_one_another_are_removed() {
    let text =
        "def f = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 => a |> transpose |> tr$0anspose))\n";
    menu(
        text,
        expect![[r#"
            Remove double transpose
            Store in Local memory -- not here: the place is not inside `mapWorkGroup`
            Pack in blocks of 32 columns (assumes 32 divides n)
            Pack in blocks of 64 columns (assumes 64 divides n)
            Pack in blocks of 16 columns (assumes 16 divides n)
        "#]],
    );
    chosen(
        text,
        "Remove double transpose",
        expect![[r#"
        def f = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 => a))
    "#]],
    );
}

#[test]
fn what_is_kept_in_local_memory_is_counted() {
    let text = "def rows = depFun(n: Nat => fun(xss: n.32.4.f32 =>\n  xss |> mapWorkGroup(0)(fun(row => row |> mapL$0ocal(0)(mapSeq(fun(x => x + 1.0f))) |> mapLocal(0)(mapSeq(fun(x => x * 2.0f)))))))\n";
    chosen(
        text,
        "Store in Local memory: 32×4 f32 = 512 B",
        expect![[r#"
            def rows = depFun(n: Nat => fun(xss: n.32.4.f32 =>
              xss |> mapWorkGroup(0)(fun(row => row |> mapLocal(0)(mapSeq(fun(x => x + 1.0f))) |> toMem(Local) |> mapLocal(0)(mapSeq(fun(x => x * 2.0f)))))))
        "#]],
    );
}

#[test]
fn loops_are_tiled() {
    let text = "def f = fun(xss: 64.64.f32 => xss |> m$0ap(map(fun(x => x + 1.0f))))\n";
    chosen(
        text,
        "Tile 32×32",
        expect![[r#"
            def f = fun(xss: 64.64.f32 =>
              xss
                |> split(32)
                |> map(map(split(32)))
                |> map(transpose)
                |> map(map(map(map(fun(x => x + 1.0f)))))
                |> map(transpose)
                |> map(map(join))
                |> join)
        "#]],
    );
}

#[test]
fn a_rule_that_does_not_apply_says_why_and_what_would_help() {
    let text = "def f = fun(xs: 64.f32 => xs |> m$0ap(fun(x => x + 1.0f)))\n";
    let fixture = Fixture::new(text);
    let cursor = fixture.cursors[0];
    let range = FileRange {
        file: cursor.file,
        span: Span::empty(cursor.offset),
    };
    let fuse = super::why_not(&fixture.db, range, "mapFusion").expect("there is a program");
    assert!(!fuse.applies);
    expect![[r#"
        expected `map(f)`, found `xs`
        []
    "#]]
    .assert_eq(&format!("{}\n{:?}\n", fuse.message, fuse.enabled_by));
    let lower = super::why_not(&fixture.db, range, "toMapSeq").expect("there is a program");
    assert!(lower.applies);
    assert_eq!(super::why_not(&fixture.db, range, "noSuchRule"), None);
}

/// Applies every rewrite that is offered at a map or reduction of an example, checks that the
/// resulting text elaborates to the engine's result, and measures how long menus take.
#[test]
#[ignore = "minutes"]
fn whatever_is_offered_in_examples_can_be_made() {
    let (db, files) = super::examples::all();
    let (mut made, mut wrong) = (0, Vec::new());
    let mut slowest = (std::time::Duration::ZERO, String::new());
    for (path, file) in files {
        let text = db.text(file).to_string();
        let places = text
            .match_indices("map")
            .chain(text.match_indices("reduce"));
        for (at, word) in places {
            let span = Span::empty(at as u32 + 1);
            let range = FileRange { file, span };
            rewrites(&db, range, &|_| true);
            let start = std::time::Instant::now();
            let offered = rewrites(&db, range, &|_| true);
            let line = text[..at].matches('\n').count() + 1;
            let place = format!("{path}:{line} {word}");
            if start.elapsed() > slowest.0 {
                slowest = (start.elapsed(), place.clone());
            }
            for action in offered.iter().filter(|action| action.disabled.is_none()) {
                match apply_rewrite(&db, action.item, &action.strategy, &action.path) {
                    Ok(_) => made += 1,
                    // Some errors are only found when the rewrite is chosen.
                    Err(error) if error.starts_with("the result would have an error") => {}
                    Err(error) => wrong.push(format!("{place}: {}: {error}", action.title)),
                }
            }
        }
    }
    println!("{made} made, {} wrong, slowest {slowest:?}", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn elements_that_are_never_written_are_not_copied() {
    menu(
        "def f = fun(xs: 2.f32 => xs |> mapSeq(id) |> padEmpty(1)$0)\n",
        expect![[r#"
            Store in Local memory -- not here: the place is not inside `mapWorkGroup`
        "#]],
    );
}

#[test]
fn normal_forms_keep_parameters_with_their_names_and_types() {
    let text = "def $0f = depFun(n: Nat => fun(x0: (n + 1).i64 => x0 |> map(fun(e => e * 2i64)) |> map(fun(e => e + 1i64))))\n";
    chosen(
        text,
        "Simplify and fuse",
        expect![[r#"
        def f = depFun(n: Nat => fun(x0: (n + 1).i64 => x0 |> map(fun(e => e * 2i64 + 1i64))))
    "#]],
    );
}

#[test]
fn a_normal_form_that_changes_nothing_to_be_seen_is_not_offered() {
    menu(
        "def $0f = depFun(n: Nat => fun(x0: (n + 1).i64 => x0 |> mapSeq(fun(e => e * 2i64))))\n",
        expect![[r#"
            Lower to OpenCL
            Leave open how it is computed
        "#]],
    );
}

#[test]
fn types_are_written_where_nothing_else_says_them() {
    let text = "def f = fun(xs: 4.f64 => xs |> m$0ap(fun(v => (cast((cast(v) : f32)) : f64))))\n";
    chosen(
        text,
        "Split map into two stages",
        expect![[r#"
        def f = fun(xs: 4.f64 => xs |> map(fun(v => (cast(v) : f32))) |> map((cast : f32 -> f64)))
    "#]],
    );
    chosen(
        text,
        "Vectorize by 4",
        expect![[r#"
            def f = fun(xs: 4.f64 =>
              xs
                |> asVector(4)
                |> map(mapVec(fun(v: f64 => (cast(v) : f32))) >> mapVec(fun(x: f32 => (cast(x) : f64))))
                |> asScalar)
        "#]],
    );
}

#[test]
fn what_moves_takes_its_written_type_along() {
    let text = "def f = fun(xs: 4.f32 => xs |> g$0ather((generate(fun(i => natAsIndex(4)(3 - indexAsNat(i)))) : 4.Idx[4])) |> mapSeq(id))\n";
    chosen(
        text,
        "Write each element",
        expect![[r#"
        def f = fun(xs: 4.f32 => xs |> gather((generate(fun(i => natAsIndex(4)(3 - indexAsNat(i)))) : 4.Idx[4])) |> mapSeqUnroll(fun(x => x)) |> mapSeq(id))
    "#]],
    );
}

#[test]
fn sizes_that_an_assumption_joins_are_the_same_sizes() {
    let text = "def f = depFun(n: Nat => fun(xs: (n + 2).f32 => (generate(fun(i => xs |> sl$0ide(3)(1) |> idx(natAsIndex(n)(n - 1 - indexAsNat(i))))) : n.3.f32)))\n";
    chosen(
        text,
        "Use rotating registers",
        expect![[r#"
        def f = depFun(n: Nat => fun(xs: (n + 2).f32 => (generate(fun(i => xs |> rotateValues(3)(fun(x => x)) |> idx(natAsIndex(n)(n - 1 - indexAsNat(i))))) : n.3.f32)))
    "#]],
    );
}

#[test]
fn rewrites_are_those_of_the_target_that_the_definition_names() {
    let map = |target: &str| {
        format!(
            "@target({target})\ndef f = depFun(n: Nat => fun(xs: n.f32 => xs |> m$0ap(fun(x => x + 1.0f))))\n"
        )
    };
    menu(
        &map("c"),
        expect![[r#"
            Drop the parameter (η)
            Split map into two stages -- not here: `x` occurs in `add(x)`
            Lower to mapSeq
            Split map into chunks of 32: n → n/32 × 32 (assumes 32 divides n)
            Split map into chunks of 64: n → n/64 × 64 (assumes 64 divides n)
            Split map into chunks of 16: n → n/16 × 16 (assumes 16 divides n)
            Vectorize by 4 (assumes 4 divides n)
            Vectorize by 4, lane by lane (assumes 4 divides n)
            Vectorize by 8 (assumes 8 divides n)
        "#]],
    );
    menu(
        &map("openmp"),
        expect![[r#"
            Drop the parameter (η)
            Split map into two stages -- not here: `x` occurs in `add(x)`
            Lower to mapSeq
            Lower to mapPar
            Split map into chunks of 32: n → n/32 × 32 (assumes 32 divides n)
            Split map into chunks of 64: n → n/64 × 64 (assumes 64 divides n)
            Split map into chunks of 16: n → n/16 × 16 (assumes 16 divides n)
            Vectorize by 4 (assumes 4 divides n)
            Vectorize by 4, lane by lane (assumes 4 divides n)
            Vectorize by 8 (assumes 8 divides n)
        "#]],
    );
    menu(
        &map("opencl"),
        expect![[r#"
            Drop the parameter (η)
            Split map into two stages -- not here: `x` occurs in `add(x)`
            Lower to mapSeq -- not here: the result would have an error: every work-item runs all of this `mapSeq`, and all write the result of `f`
            Lower to mapLocal(0) -- not here: the map is not inside `mapWorkGroup(0)`
            Lower to mapGlobal(0)
            Lower to mapWorkGroup(0) -- not here: the function of the map contains no map over the work-items
            Split map into chunks of 32: n → n/32 × 32 (assumes 32 divides n)
            Split map into chunks of 64: n → n/64 × 64 (assumes 64 divides n)
            Split map into chunks of 16: n → n/16 × 16 (assumes 16 divides n)
            Vectorize by 4 (assumes 4 divides n)
            Vectorize by 4, lane by lane (assumes 4 divides n)
            Vectorize by 8 (assumes 8 divides n)
        "#]],
    );
    let reduce = |target: &str| {
        format!(
            "@target({target})\ndef f = depFun(n: Nat => fun(xs: n.f32 => xs |> red$0uce(add)(0.0f)))\n"
        )
    };
    menu(
        &reduce("c"),
        expect![[r#"
            Drop the parameter (η)
            Lower to reduceSeq
            Split reduction into chunks of 32: n → n/32 × 32 (assumes 32 divides n, changes rounding)
            Block reduction by 32: n → n/32 × 32 (assumes 32 divides n, changes rounding)
            Reduce in 32 strides (assumes 32 divides n, changes rounding)
            Reduce in vectors of 8 (assumes 8 divides n, changes rounding)
            Copy the reduction's result
        "#]],
    );
    menu(
        &reduce("opencl"),
        expect![[r#"
            Drop the parameter (η)
            Lower to reduceSeq(Private) -- not here: the result would have an error: every work-item writes the result of `f`
            Split reduction into chunks of 32: n → n/32 × 32 (assumes 32 divides n, changes rounding)
            Reduce in 32 strides (assumes 32 divides n, changes rounding)
            Split reduction into chunks of 64: n → n/64 × 64 (assumes 64 divides n, changes rounding)
            Reduce in vectors of 8 (assumes 8 divides n, changes rounding)
            Copy the reduction's result
        "#]],
    );
}

#[test]
fn a_definition_with_a_target_is_not_lowered_for_another_one_in_its_place() {
    menu(
        "@target(c)\ndef $0f = depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(x => x + 1.0f))))\n",
        expect![[r#"
            Lower to C
            Lower to OpenMP -- not here: the definition has `@target(c)`, and the result uses `mapPar`
            Lower to OpenCL: a work-item an element -- not here: the definition has `@target(c)`, and the result uses `mapGlobal`
            Lower to OpenCL: work-groups of 32 -- not here: the definition has `@target(c)`, and the result uses `mapLocal`
            Lower to OpenCL -- not here: the definition has `@target(c)`, and the result uses `mapGlobal`
        "#]],
    );
}

#[test]
fn what_is_about_the_next_stage_alone_is_not_offered() {
    menu(
        "def f = depFun(n: Nat => fun(xs: n.f32 => xs |> m$0ap(fun(x => x * x)) |> reduce(add)(0.0f)))\n",
        expect![[r#"
            Split map into two stages -- not here: `x` occurs in `mul(x)`
            Fuse map into reduction: one array of n f32 less
            Lower to mapSeq
            Lower to mapLocal(0) -- not here: the map is not inside `mapWorkGroup(0)`
            Lower to mapGlobal(0)
            Lower to mapWorkGroup(0) -- not here: the function of the map contains no map over the work-items
            Lower to mapPar
            Lower to mapGlobal(1)
            Split map into chunks of 32: n → n/32 × 32 (assumes 32 divides n)
            Split map into chunks of 64: n → n/64 × 64 (assumes 64 divides n)
            Split map into chunks of 16: n → n/16 × 16 (assumes 16 divides n)
            Vectorize by 4 (assumes 4 divides n)
            Vectorize by 4, lane by lane (assumes 4 divides n)
            Vectorize by 8 (assumes 8 divides n)
            Store in Local memory -- not here: the place is not inside `mapWorkGroup`
            Copy the reduction's result
        "#]],
    );
}

#[test]
fn copies_and_memory_that_stand_there_are_not_offered_again() {
    let copy = "Copy the reduction's result";
    let store = "Store the let's value";
    let is_offered = |text: &str, title: &str| {
        let all = offered(&Fixture::new(text));
        all.iter().any(|action| action.title.starts_with(title))
    };
    let def = |body: &str| format!("def f = depFun(n: Nat => fun(xs: n.f32 => {body}))\n");
    assert!(is_offered(&def("xs |> reduce$0Seq(add)(0.0f)"), copy));
    assert!(!is_offered(
        &def("let r = xs |> reduce$0Seq(add)(0.0f) in r"),
        copy
    ));
    let rows = "xs |> split(4) |> reduce$0Seq(fun(a, b => zip(a)(b) |> mapSeq(fun(p => p._1 + p._2))))(generate(fun(i => 0.0f)))";
    assert!(is_offered(&def(rows), copy));
    assert!(!is_offered(
        &def(&format!("{rows} |> mapSeq(fun(x => x))")),
        copy
    ));
    assert!(is_offered(
        &def("l$0et ys = map(fun(x => x + 1.0f))(xs) in zip(ys)(ys)"),
        store
    ));
    assert!(!is_offered(
        &def("l$0et ys = toMem(map(fun(x => x + 1.0f))(xs)) in zip(ys)(ys)"),
        store
    ));
}

/// Checks the disabled rewrites with a reason that contains `error`.
fn with_errors(text: &str, expected: Expect) {
    let fixture = Fixture::new(text);
    let lines: String = offered(&fixture)
        .iter()
        .filter_map(|action| Some((&action.title, action.disabled.as_ref()?)))
        .filter(|(_, why)| why.contains("error"))
        .map(|(title, why)| format!("{title} -- not here: {why}\n"))
        .collect();
    expected.assert_eq(&lines);
}

#[test]
fn rewrites_that_would_add_an_error_are_disabled() {
    let rows = |text: &str| {
        let text = format!("def f = depFun(n: Nat => fun(xss: n.n.f32 => xss |> {text}))\n");
        let all = offered(&Fixture::new(&text));
        let lines = all
            .iter()
            .filter(|action| action.kind == AssistKind::Parallel);
        let lines = lines.map(|action| {
            let state = if action.disabled.is_none() {
                "yes"
            } else {
                "no"
            };
            format!("{}: {state}", action.title)
        });
        lines.collect::<Vec<_>>().join(", ")
    };
    // Only dimension 1 would be used.
    expect!["Lower to mapLocal(0): no, Lower to mapGlobal(0): yes, Lower to mapWorkGroup(0): no, Lower to mapPar: yes"].assert_eq(&rows("m$0ap(mapSeq(fun(x => x + 1.0f)))"));
    // No target has both maps.
    expect!["Lower to mapLocal(0): no, Lower to mapGlobal(0): no, Lower to mapWorkGroup(0): no, Lower to mapGlobal(1): yes"].assert_eq(&rows("mapGlobal(0)(m$0ap(fun(x => x + 1.0f)))"));
    with_errors(
        "@target(c)\ndef f = depFun(n: Nat => fun(xs: (n + 2).f32 => xs |> sl$0ide(3)(1) |> mapSeq(reduceSeq(add)(0.0f))))\n",
        expect![[r#"
            Use a circular buffer -- not here: the result would have an error: `mapSeq` reads an array, and this is a stream
            Use rotating registers -- not here: the result would have an error: `mapSeq` reads an array, and this is a stream
        "#]],
    );
    with_errors(
        "def f = fun(xss: 64.32768.f32 => xss |> mapWorkGroup(0)(fun(row => row |> map$0Local(0)(fun(x => x + 1.0f)))))\n",
        expect![[r#"
            Store in Local memory -- not here: the result would have an error: `toMem` takes 128 kB of Local memory, and the device assumed by default has only 48 kB
            Store the piece in Local memory -- not here: the result would have an error: `toMem` takes 128 kB of Local memory, and the device assumed by default has only 48 kB
        "#]],
    );
}

#[test]
fn a_choice_that_leaves_others_open_is_not_an_error() {
    with_errors(
        "@target(opencl)\ndef f = depFun(n: Nat => fun(xss: n.4.f32 => xss |> map(fun(xs => xs |> map(fun(x => x * x)) |> re$0duce(add)(0.0f)))))\n",
        expect![[r#""#]],
    );
    with_errors(
        "@target(c)\ndef f = depFun(n: Nat => fun(xs: (n + 2).f32 => xs |> sl$0ide(3)(1) |> map(reduceSeq(add)(0.0f))))\n",
        expect![[r#""#]],
    );
}

#[test]
fn an_error_of_generated_code_is_found_when_a_rewrite_is_chosen() {
    chosen(
        "def f = fun(xss: 64.8192.f32 => xss |> mapWorkGroup(0)(fun(row => row |> map$0Local(0)(fun(x => x + 1.0f)) |> mapLocal(0)(fun(x => x * 2.0f)) |> toMem(Local) |> split(2) |> mapLocal(0)(fun(p => p |> mapSeq(fun(x => x))))  )))\n",
        "Store in Local",
        expect![
            "the result would have an error: a work-group keeps 64 kB in Local memory at a time, and the device assumed by default has only 48 kB"
        ],
    );
}
