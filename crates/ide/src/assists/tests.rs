//! Tests of the code actions besides quick fixes and the library's rewrites.

use expect_test::{Expect, expect};
use syntax::Span;

use super::examples::request;
use super::*;
use crate::FilePosition;
use crate::fixture::Fixture;
use crate::rewrites::{apply_rewrite, rewrites};

/// Returns the code actions at the cursor whose kinds begin with `kind`.
fn offered(fixture: &Fixture, kind: &str, undoable: &[UndoableRewrite]) -> Vec<Assist> {
    let kinds = AssistKind::ALL.iter().copied();
    let kinds: Vec<AssistKind> = kinds
        .filter(|found| found.as_str().starts_with(kind))
        .collect();
    let request = AssistRequest {
        only: Some(&kinds),
        undoable,
        ..request(fixture.cursors[0])
    };
    let mut found = assists(&fixture.db, request);
    let is_tested = |assist: &Assist| {
        assist.diagnostic.is_none() && !assist.id.starts_with(library_rewrite::HANDLER.name)
    };
    found.retain(is_tested);
    found
}

/// Compares the titles, with the input that they need.
fn menu(text: &str, kind: &str, expected: Expect) {
    let fixture = Fixture::new(text);
    let lines = offered(&fixture, kind, &[]).into_iter().map(|assist| {
        let detail = match &assist.effect {
            AssistEffect::Edit(_) => String::new(),
            AssistEffect::Disabled(why) => format!(" -- not here: {why}"),
            AssistEffect::Prompt(prompt) => {
                let loops = prompt.loops.iter().map(|one| {
                    let reduces = if one.reduces { " reduces" } else { "" };
                    format!(" {}: {}{reduces}", one.name, one.size)
                });
                let loops: String = loops.collect();
                format!(" -- asks for {}{loops}", prompt.strategy)
            }
        };
        format!("{}{detail}\n", assist.title)
    });
    expected.assert_eq(&lines.collect::<String>());
}

/// Chooses the code action whose title begins with `title` and compares the resulting files.
fn chosen(text: &str, kind: &str, title: &str, expected: Expect) {
    let fixture = Fixture::new(text);
    let all = offered(&fixture, kind, &[]);
    let Some(assist) = all.iter().find(|assist| assist.title.starts_with(title)) else {
        let titles: Vec<&str> = all.iter().map(|assist| assist.title.as_str()).collect();
        panic!("no `{title}` among {titles:#?}");
    };
    let shown = match assist.edits(&fixture.db) {
        Ok(made) => {
            means_the_same(&fixture, assist, &made.edits);
            fixture.applied_all(&made.edits)
        }
        Err(reason) => reason,
    };
    expected.assert_eq(&shown);
}

/// Checks that a definition computes the same values before and after the edits, or as its copy.
fn means_the_same(fixture: &Fixture, assist: &Assist, edits: &SourceEdits) {
    let Some(item) = assist.item else { return };
    let (file, edits) = &edits.files[0];
    let name = def_name(&fixture.db, item).expect("it is a definition");
    let before = format!("{name}_before");
    let old = fixture.db.item_text(item);
    let old = old.replacen(&format!("def {name}"), &format!("def {before}"), 1);
    let text = format!("{}\n{old}\n", fixture.applied(edits, *file));
    let copy = assist.title.split('`').nth(1);
    let pair = agreement::Pair {
        text: &text,
        before: &before,
        after: copy
            .filter(|_| assist.kind == AssistKind::Lowering)
            .unwrap_or(&name),
        more: if assist.title.starts_with("Make size") {
            "(4)"
        } else {
            ""
        },
        unit: 32,
        largest: 2,
    };
    match pair.agree(1) {
        Ok(runs) => assert!(runs > 0, "nothing was run:\n{text}"),
        Err(error) => panic!("{error}"),
    }
}

const OWN: &str = "//- /p/main.rise
def double = fun(xs: 8.f32 => xs |> map(fun(x => x +$0 x)))
//- /p/own.elevate
/// A sum of twice the same.
@title(\"Multiply by two\")
rule byTwo = add(x)(x) : f32 |-> mul(2.0f)(x)

@title(\"In chunks of {n} of our own\")
rule ours(n: Nat) = map(f) : m.s -> m.t |-> split(n) >> map(map(f)) >> join requires n >= 1 assuming n divides m

/// Everything.
strategy all: Strategy = topDown(byTwo) ; topDown(toMapSeq)

strategy chunks(n: Nat): Strategy = topDown(ours(n))

topDown(byTwo)
//- /q/far.elevate
@title(\"Not beside it\")
rule far = add(x)(x) : f32 |-> mul(2.0f)(x)
";

#[test]
fn rules_of_files_beside_a_program_are_offered() {
    menu(
        OWN,
        "refactor.rewrite.rise.own",
        expect![[r#"
        Multiply by two
        In chunks of 4 of our own
        In chunks of 2 of our own
    "#]],
    );
    chosen(
        OWN,
        "refactor.rewrite.rise.own",
        "Multiply by two",
        expect![[r#"
            //- main.rise
            def double = fun(xs: 8.f32 => xs |> map(fun(x => 2.0f * x)))
        "#]],
    );
    let at_map = OWN.replace("+$0 x", "+ x").replace("|> map", "|> m$0ap");
    chosen(
        &at_map,
        "refactor.rewrite.rise.own",
        "In chunks of 4 of our own",
        expect![[r#"
            //- main.rise
            def double = fun(xs: 8.f32 => xs |> split(4) |> map(map(fun(x => x + x))) |> join)
        "#]],
    );
}

#[test]
fn strategies_of_files_are_run() {
    menu(
        OWN,
        "source.rise.strategy",
        expect![[r#"
        Run strategy all of own.elevate
        Run strategy chunks of own.elevate… -- asks for chunks({n})
        Run strategy own.elevate
    "#]],
    );
    chosen(
        OWN,
        "source.rise.strategy",
        "Run strategy all of own.elevate",
        expect![[r#"
            //- main.rise
            def double = fun(xs: 8.f32 => xs |> mapSeq(fun(x => 2.0f * x)))
        "#]],
    );
    chosen(
        OWN,
        "source.rise.strategy",
        "Run strategy own.elevate",
        expect![[r#"
            //- main.rise
            def double = fun(xs: 8.f32 => xs |> map(fun(x => 2.0f * x)))
        "#]],
    );
}

#[test]
fn foreign_functions_are_not_lowered() {
    let text = "foreign def fa$0bs(x: f32): f32\n\ndef f = fun(x: f32 => fabs(x))\n";
    menu(text, "source", expect![""]);
    let fixture = Fixture::new(text);
    let cursor = fixture.cursors[0];
    let range = FileRange {
        file: cursor.file,
        span: Span::empty(cursor.offset),
    };
    assert_eq!(rewrites(&fixture.db, range, &|_| true), []);
}

#[test]
fn a_definition_gets_a_lowered_copy() {
    let text = "/// Twice.\n@run(n = 8)\ndef double = depFun(n: Nat => fun(xs: n.f32 => xs |> m$0ap(fun(x => x + x)))) // so\n\ndef double_c = 3\n";
    menu(
        text,
        "source.rise.lower",
        expect![[r#"
            Lower to C as `double_c1`
            Lower to OpenMP as `double_openmp`
            Lower to OpenCL: a work-item an element as `double_opencl`
            Lower to OpenCL: work-groups of 32 (assumes 32 divides n) as `double_opencl`
            Lower to OpenCL as `double_opencl`
            Lower to OpenCL: work-groups of … -- asks for lowerToGroups({n})
        "#]],
    );
    chosen(
        text,
        "source.rise.lower",
        "Lower to C as",
        expect![[r#"
            /// Twice.
            @run(n = 8)
            def double = depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(x => x + x)))) // so

            /// `double`, lowered by `lowerToC`.
            @target(c)
            @run(n = 8)
            def double_c1 = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(fun(x => x + x))))

            def double_c = 3
        "#]],
    );
    chosen(
        text,
        "source.rise.lower",
        "Lower to OpenCL: a work-item an element as",
        expect![[r#"
            /// Twice.
            @run(n = 8)
            def double = depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(x => x + x)))) // so

            /// `double`, lowered by `lowerToGlobal`.
            @target(opencl)
            @run(n = 8)
            def double_opencl = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(fun(x => x + x))))

            def double_c = 3
        "#]],
    );
}

const FILTER: &str = "def weights2d : 3.3.f32 = makeArray(3)(makeArray(3)(0.0625f, 0.125f, 0.0625f), makeArray(3)(0.125f, 0.25f, 0.125f), makeArray(3)(0.0625f, 0.125f, 0.0625f))

/// A filter.
def filter = depFun((n: Nat, m: Nat) => fun(img: n.m.3.3.f32 =>
  img |> map(map(fun(nbh => do$0t(join(weights2d))(join(nbh)))))))
";

#[test]
fn a_copy_has_a_free_name_although_an_import_cannot_be_read() {
    let text = "import \"nowhere.rise\"\n\ndef double_c = 3\n\ndef d$0ouble = depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(x => x + x))))\n";
    let fixture = Fixture::new(text);
    let offered = offered(&fixture, "source.rise.lower", &[]);
    let titles: Vec<&str> = offered.iter().map(|assist| assist.title.as_str()).collect();
    assert!(titles.contains(&"Lower to C as `double_c1`"), "{titles:#?}");
}

#[test]
fn convolutions_are_separated_with_new_weights() {
    menu(
        FILTER,
        "refactor.rewrite.rise.image",
        expect![[r#"
        Separate convolution, vertical first (changes rounding)
        Separate convolution, horizontal first (changes rounding)
    "#]],
    );
    chosen(
        FILTER,
        "refactor.rewrite.rise.image",
        "Separate convolution, vertical first",
        expect![[r#"
            def weights2d : 3.3.f32 = makeArray(3)(makeArray(3)(0.0625f, 0.125f, 0.0625f), makeArray(3)(0.125f, 0.25f, 0.125f), makeArray(3)(0.0625f, 0.125f, 0.0625f))

            def weightsV : 3.f32 = makeArray(3)(0.25f, 0.5f, 0.25f)
            def weightsH : 3.f32 = makeArray(3)(0.25f, 0.5f, 0.25f)

            /// A filter.
            def filter = depFun((n: Nat, m: Nat) => fun(img: n.m.3.3.f32 =>
              img |> map(map(fun(nbh => dot(weightsH)(map(dot(weightsV))(transpose(nbh))))))))
        "#]],
    );
    let sobel = "def edges = fun(nbh: 3.3.i32 => do$0t(join(makeArray(3)(makeArray(3)(1, 0, -1), makeArray(3)(2, 0, -2), makeArray(3)(1, 0, -1))))(join(nbh)))\n";
    chosen(
        sobel,
        "refactor.rewrite.rise.image",
        "Separate convolution, horizontal first",
        expect![[r#"
            def weightsV : 3.i32 = makeArray(3)(1, 2, 1)
            def weightsH : 3.i32 = makeArray(3)(1, 0, -1)

            def edges = fun(nbh: 3.3.i32 => dot(weightsV)(map(dot(weightsH))(nbh)))
        "#]],
    );
    menu(
        &FILTER.replace("0.25f", "0.5f"),
        "refactor.rewrite.rise.image",
        expect![[r#"
            Separate convolution, vertical first (changes rounding) -- not here: the weights are not the product of a column and a row
            Separate convolution, horizontal first (changes rounding) -- not here: the weights are not the product of a column and a row
        "#]],
    );
    menu(
        "def f = fun(w: 3.3.f32, nbh: 3.3.f32 => do$0t(join(w))(join(nbh)))\n",
        "refactor.rewrite.rise.image",
        expect![[r#"
            Separate convolution, vertical first… (unsafe) -- asks for at([0, 0])(rule { dot(join((w : 3.3.f32)))(join((x : 3.3.f32))) |-> x |> transpose |> map(dot({column})) |> dot({row}) })
            Separate convolution, horizontal first… (unsafe) -- asks for at([0, 0])(rule { dot(join((w : 3.3.f32)))(join((x : 3.3.f32))) |-> x |> map(dot({row})) |> dot({column}) })
        "#]],
    );
}

#[test]
fn sizes_of_cuts_become_parameters() {
    let kind = "refactor.rewrite.rise.split";
    let text = "def f = depFun(n: Nat => fun(xs: n.f32 => xs |> split(3$02) |> map(map(fun(x => x + 1.0f))) |> join))\n";
    chosen(
        text,
        kind,
        "Make size 32 tunable",
        expect![[r#"
        def f = depFun((n: Nat, s: Nat) => fun(xs: n.f32 => xs |> split(s) |> map(map(fun(x => x + 1.0f))) |> join))
    "#]],
    );
    let written = text
        .replace("(32 * n)", "n")
        .replace("def f =", "def f : (n: Nat) -> n.f32 -> n.f32 =")
        .replace("xs: n.f32", "xs");
    chosen(
        &written,
        kind,
        "Make size 32 tunable",
        expect![[r#"
        def f : (n: Nat) -> (s: Nat) -> n.f32 -> n.f32 = depFun((n: Nat, s: Nat) => fun(xs => xs |> split(s) |> map(map(fun(x => x + 1.0f))) |> join))
    "#]],
    );
    let constant =
        "def f = fun(s: 64.f32 => s |> split(3$02) |> map(map(fun(x => x + 1.0f))) |> join)\n";
    chosen(
        constant,
        kind,
        "Make size 32 tunable",
        expect![[r#"
        def f = depFun(s1: Nat => fun(s: 64.f32 => s |> split(s1) |> map(map(fun(x => x + 1.0f))) |> join))
    "#]],
    );
    // The type of the definition must not change.
    let seen = "def f = depFun(n: Nat => fun(xs: (32 * n).f32 => xs |> split(3$02)))\n";
    menu(
        seen,
        kind,
        expect![[r#"
        Make size 32 tunable: a parameter `s` -- not here: the definition's type would be `(n: Nat) -> (s: Nat) -> (n*32).f32 -> (n*32/s).s.f32`
    "#]],
    );
    let used = format!("{text}def g = fun(xs: 64.f32 => f(64)(xs))\n");
    menu(
        &used,
        kind,
        expect![[r#"
            Make size 32 tunable: a parameter `s` -- not here: `g` uses the definition, and would have to give `s`
        "#]],
    );
}

const NEST: &str = "def nest = depFun((n: Nat, m: Nat, k: Nat) => fun(xsss: n.m.k.f32 =>
  xsss |> map(fun(plane => plane |> map(fun(row => row |> m$0ap(fun(x => x + 1.0f)))))))
)
";

#[test]
fn loops_are_reordered_by_their_names() {
    let kind = "refactor.rewrite.rise.tile";
    menu(
        NEST,
        kind,
        expect![[r#"
        Reorder loops: x, plane, row
        Reorder loops: plane, x, row
        Reorder loops… -- asks for at([0, 0, 0, 0])(DFNF ; loopReorder({order})) plane: n row: m x: k
        Tile …×… -- asks for at([0, 0, 0, 0, 0, 1, 0])(tile({x}, {y}))
        Tile …×…×… -- asks for at([0, 0, 0, 0])(tile3D({x}, {y}, {z}))
    "#]],
    );
    chosen(
        NEST,
        kind,
        "Reorder loops: x, plane, row",
        expect![[r#"
            def nest = depFun((n: Nat, m: Nat, k: Nat) => fun(xsss: n.m.k.f32 =>
              xsss |> map(transpose) |> transpose |> map(fun(plane => plane |> map(fun(row => row |> map(fun(x => x + 1.0f)))))) |> transpose |> map(transpose))
            )
        "#]],
    );
    let product = "def mm = depFun((n: Nat, m: Nat, k: Nat) => fun(a: n.k.f32, b: m.k.f32 =>
  a |> map(fun(row => b |> map(fun(col =>
    zip(row)(col) |> map(fun(p => p._1 * p._2)) |> red$0uce(add)(0.0f))))))
)
";
    menu(
        product,
        kind,
        expect![[r#"
        Reorder loops… -- asks for at([0, 0, 0, 0, 0])(reorder({order})) row: n col: m p: k reduces
        Tile …×… -- asks for at([0, 0, 0, 0, 0])(tile({x}, {y}))
    "#]],
    );
}

#[test]
fn stages_that_do_nothing_go_in_the_whole_file() {
    let text =
        "def one = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 => a |> transpose |> trans$0pose))

def two = fun(xs: 8.f32 => xs |> map(fun(x => x + 1.0f)) |> split(4) |> join) // stays

def three = fun(f: f32 -> f32 => fun(x => f(x)))
";
    chosen(
        text,
        "source.fixAll",
        "Remove all",
        expect![[r#"
        def one = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 => a))

        def two = fun(xs: 8.f32 => xs |> map(fun(x => x + 1.0f))) // stays

        def three = fun(f: f32 -> f32 => fun(x => f(x)))
    "#]],
    );
}

const STAGES: &str = "def two = depFun(n: Nat => fun((xs: n.f32, f: f32 -> f32, g: f32 -> f32) =>
  // First f.
  xs |> map(f) |> m$0ap(g)
    |> mapSeq(fun(x => x))))
";

/// Fuses two maps; returns the recorded rewrite and the new text, which is not in the fixture yet.
/// The cursor is at a place that both functions contain.
fn fused(fixture: &mut Fixture) -> ([UndoableRewrite; 1], String) {
    let cursor = fixture.cursors[0];
    let range = FileRange {
        file: cursor.file,
        span: Span::empty(cursor.offset),
    };
    let fuse = rewrites(&fixture.db, range, &|kind| kind == AssistKind::Fuse);
    let item = fuse[0].item;
    let made = apply_rewrite(&fixture.db, item, "mapFusion", &fuse[0].path);
    let made = made.expect("maps are fused");
    assert_eq!(made.step, "topDown(mapFusion)");
    let text = fixture.applied_all(&made.edits);
    let made = AssistEdits {
        edits: made.edits,
        step: Some(made.step),
    };
    let undoable = UndoableRewrite::new(&fixture.db, item, "Fuse maps", &made);
    let at = text.find(">> g").expect("they are fused");
    fixture.cursors[0].offset = at as u32;
    ([undoable.expect("it changes the definition")], text)
}

/// Returns the text after "Undo this rewrite", if it is offered in this text.
fn undone(fixture: &mut Fixture, text: &str, undoable: &[UndoableRewrite]) -> Option<String> {
    let path = fixture.db.path(fixture.cursors[0].file);
    fixture.db.set_file(path, text);
    let all = offered(fixture, "refactor", undoable);
    let undo = all.iter().find(|assist| assist.kind == AssistKind::Undo)?;
    assert_eq!(undo.title, "Undo this rewrite: Fuse maps");
    let made = undo.edits(&fixture.db).expect("it is text");
    Some(fixture.applied_all(&made.edits))
}

#[test]
fn a_rewrite_is_taken_back_while_it_stands() {
    let mut fixture = Fixture::new(STAGES);
    let before = fixture.text(fixture.files[0]);
    let (undoable, after) = fused(&mut fixture);
    // It is not offered before the rewrite.
    assert_eq!(undone(&mut fixture, &before, &undoable), None);
    assert_eq!(
        undone(&mut fixture, &after, &undoable),
        Some(before.clone())
    );
    // Later edits after the place are allowed.
    let later = after.replace("mapSeq", "map");
    assert_eq!(
        undone(&mut fixture, &later, &undoable),
        Some(before.replace("mapSeq", "map"))
    );
    // It is not offered if the place was changed.
    let other = after.replace("f >> g", "g >> g");
    assert_eq!(undone(&mut fixture, &other, &undoable), None);
}

#[test]
fn a_removed_stage_is_not_taken_back_twice() {
    let text = "def f = fun(xs: 4.4.f32 => xs |> map(map(fun(x => x + 1.0f))) |> tr$0anspose |> transpose)\n";
    let mut fixture = Fixture::new(text);
    let before = fixture.text(fixture.files[0]);
    let range = FileRange {
        file: fixture.files[0],
        span: Span::empty(fixture.cursors[0].offset),
    };
    let all = rewrites(&fixture.db, range, &|_| true);
    let action = all
        .iter()
        .find(|action| action.strategy == "removeTransposePair");
    let action = action.expect("it is offered");
    let made = apply_rewrite(&fixture.db, action.item, &action.strategy, &action.path);
    let made = made.expect("it applies");
    let after = fixture.applied_all(&made.edits);
    let made = AssistEdits::from(made.edits);
    let undoable = UndoableRewrite::new(&fixture.db, action.item, "Fuse maps", &made);
    let undoable = [undoable.expect("it changes the definition")];
    fixture.cursors[0].offset = after.find("map").expect("it is kept") as u32;
    assert_eq!(
        undone(&mut fixture, &after, &undoable),
        Some(before.clone())
    );
    assert_eq!(undone(&mut fixture, &before, &undoable), None);
}

#[test]
fn a_rewrite_is_explained_by_its_steps() {
    let mut fixture = Fixture::new(STAGES);
    let (undoable, after) = fused(&mut fixture);
    assert!(undone(&mut fixture, &after, &undoable).is_some());
    let cursor: FilePosition = fixture.cursors[0];
    let explained = explain_rewrite(&fixture.db, cursor, &undoable).expect("it is still there");
    assert_eq!(explained.strategy, "topDown(mapFusion)");
    assert_eq!(explained.steps[0].rule, "mapFusion");
}

#[test]
fn strategies_that_do_not_apply_say_why() {
    menu(
        "//- /main.rise\ndef $0f = fun(xs: 4.f32 => xs |> map(fun(x => x + 1.0f)))\n\
         //- /s.elevate\nstrategy loops : Strategy = topDown(toMapSeq)\n\
         strategy fused : Strategy = topDown(mapFusion)\n",
        "source.rise.strategy",
        expect![[r#"
            Run strategy loops of s.elevate
            Run strategy fused of s.elevate -- not here: `mapFusion` does not apply: `map(f)` is not found
        "#]],
    );
}

#[test]
fn a_definition_for_one_target_has_copies_for_others() {
    menu(
        "@target(c)\ndef $0f = depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(x => x + 1.0f))))\n",
        "source.rise.lower",
        expect![[r#"
            Lower to C as `f_c`
            Lower to OpenMP as `f_openmp`
            Lower to OpenCL: a work-item an element as `f_opencl`
            Lower to OpenCL: work-groups of 32 as `f_opencl`
            Lower to OpenCL as `f_opencl`
        "#]],
    );
}
