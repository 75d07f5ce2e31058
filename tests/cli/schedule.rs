//! Tests of `schedule`, and of strategies whose choices are edited.

use crate::support::{Folder, Ran};
use expect_test::{Expect, expect};

const FILE: &str = "\
def columnSums = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 =>
  a |> transpose |> map(fun(column => column |> reduce(add)(0.0f)))))
def product = depFun((n: Nat, m: Nat, k: Nat) => fun(a: n.k.f32, b: k.m.f32 =>
  a |> map(fun(row => transpose(b) |> map(fun(column => dot(row)(column)))))))
def windows = depFun(n: Nat => fun(xs: (n + 2).f32 =>
  xs |> map(fun(x => sqrt(x * x + 1.0f))) |> slide(3)(1) |> map(fun(window =>
    window |> reduce(add)(0.0f)))))
def rows = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 =>
  a |> map(fun(row => let s = row |> reduce(add)(1.0f) in row |> map(fun(x => x / s))))))
def chosen = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(fun(x => x + 1.0f))))
def wrong = fun(x: f32 => y)
";

const DEFINITIONS: [&str; 4] = ["columnSums", "product", "windows", "rows"];

fn schedule(def: &str, target: &str) -> Ran {
    let arguments = ["schedule", "a.rise", "--def", def, "--target", target];
    Folder::with(&[("a.rise", FILE)]).run(&arguments)
}

fn shows(def: &str, target: &str, expected: Expect) {
    let ran = schedule(def, target);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    expected.assert_eq(&ran.out);
}

fn fails(def: &str, expected: Expect) {
    let ran = schedule(def, "c");
    assert_eq!((ran.status, ran.out.as_str()), (1, ""));
    expected.assert_eq(&ran.err);
}

/// Runs a definition with a strategy, and compares the result with the interpreter.
fn verified(def: &str, target: &str, strategy: &str) -> Ran {
    let annotated = format!("@target({target})\n@strategy(\"s.elevate\", edited)\ndef {def} ");
    let text = FILE.replace(&format!("def {def} "), &annotated);
    let strategy = format!("val edited = {strategy}\n");
    let folder = Folder::with(&[("a.rise", text), ("s.elevate", strategy)]);
    let sizes = ["-D", "n=8", "-D", "m=6", "-D", "k=4"];
    let count = match def {
        "product" => 6,
        "windows" => 2,
        _ => 4,
    };
    let run = ["run", "a.rise", "--def", def, "--verify"];
    folder.run(&[&run, &sizes[..count]].concat())
}

#[test]
fn the_choices_are_listed_by_place() {
    shows(
        "columnSums",
        "c",
        expect![[r#"
            /// The default schedule of `columnSums` for C.
            strategy columnSumsForC : Strategy =
              normalize(delta) ; implementInOrder(contracts = true, accumulated = ["column"])
        "#]],
    );
    shows(
        "product",
        "openmp",
        expect![[r#"
            /// The default schedule of `product` for OpenMP.
            strategy productForOpenMP : Strategy =
              normalize(delta) ;
              atStages(exactReducePar) ;
              implementForThreads(contracts = true, parallel = ["row"], accumulated = ["column"])
        "#]],
    );
    shows(
        "windows",
        "opencl",
        expect![[r#"
            /// The default schedule of `windows` for OpenCL.
            strategy windowsForOpenCL : Strategy =
              normalize(delta) ;
              implementForWorkItems(
                contracts = true,
                parallel = ["window"],
                recomputed = ["x"],
                unrolled = ["x#2"]) ;
              storedInKernels
        "#]],
    );
}

#[test]
fn a_definition_without_default_schedule_says_why() {
    fails(
        "chosen",
        expect![[r#"
        error[default-schedule]: `chosen` says itself how it is computed, so it has no default schedule
          --> a.rise:10:5
           |
        10 | def chosen = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(fun(x => x + 1.0f))))
           |     ^^^^^^
           |
           = help: use patterns that leave the implementation open, such as `map` and `reduce`

    "#]],
    );
    fails(
        "wrong",
        expect![[r#"
        error[unknown-name]: cannot find `y` in this scope
          --> a.rise:11:27
           |
        11 | def wrong = fun(x: f32 => y)
           |                           ^

    "#]],
    );
}

/// The lists of choices of which each place can be in one.
const ALTERNATIVES: [&[&str]; 4] = [
    &["parallel", "nested", "sequential"],
    &["stored", "recomputed"],
    &["accumulated", "packed", "inOrder"],
    &["unrolled", "rolled"],
];

/// Returns the strategy in which one place is moved from a list to another one, for each place and
/// list.
fn edits(printed: &str, strategy: &str) -> Vec<String> {
    let mut all = Vec::new();
    for lists in ALTERNATIVES {
        for list in lists {
            let Some((_, after)) = printed.split_once(&format!("{list} = [")) else {
                continue;
            };
            let (places, _) = after.split_once(']').expect("a list ends");
            for place in places.split(", ") {
                for other in lists.iter().filter(|other| *other != list) {
                    all.push(format!(
                        "normalize(delta) ; {strategy}({other} = [{place}])"
                    ));
                }
            }
        }
    }
    all
}

/// A choice that is edited is made, or the error says why that is not possible; the program stays
/// correct.
fn edited_choices_are_right(target: &str, strategy: &str, other_lists: &[&str], count: usize) {
    let mut right = 0;
    for def in DEFINITIONS {
        let printed = schedule(def, target).out;
        for edited in edits(&printed, strategy) {
            if other_lists.iter().any(|list| edited.contains(list)) {
                continue;
            }
            let ran = verified(def, target, &edited);
            let is_refused = ["cannot be", "has no matrix", "not possible"]
                .iter()
                .any(|why| ran.err.contains(why));
            assert!(
                ran.status == 0 || is_refused,
                "{def}, {edited}: {}",
                ran.err
            );
            right += usize::from(ran.status == 0);
        }
    }
    assert!(right >= count, "{right}");
}

#[test]
fn edited_choices_are_right_in_c() {
    let foreign = ["parallel", "nested", "sequential"];
    edited_choices_are_right("c", "implementInOrder", &foreign, 6);
}

#[test]
fn edited_choices_are_right_in_openmp() {
    edited_choices_are_right("openmp", "implementForThreads", &["nested"], 8);
}

#[test]
fn a_loop_inside_one_in_order_is_distributed() {
    let strategy = "normalize(delta) ; implementForThreads(sequential = [\"row\"])";
    let folder = Folder::with(&[
        (
            "a.rise",
            FILE.replace(
                "def product ",
                "@strategy(\"s.elevate\", edited)\ndef product ",
            ),
        ),
        ("s.elevate", format!("val edited = {strategy}\n")),
    ]);
    let ran = folder.run(&["emit", "a.rise", "--def", "product", "--as", "openmp"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let (before, _) = ran
        .out
        .split_once("#pragma omp")
        .expect("a loop is parallel");
    assert!(before.contains("for (int"), "{}", ran.out);
}

fn is_refused(def: &str, strategy: &str, message: &str) {
    let ran = verified(def, "c", &format!("normalize(delta) ; {strategy}"));
    assert_eq!(ran.status, 1, "{}", ran.out);
    assert!(ran.err.contains(message), "{}", ran.err);
}

#[test]
fn choices_that_do_not_fit_the_program_are_errors() {
    is_refused(
        "columnSums",
        "implementInOrder(inOrder = [\"row\"])",
        "the program has no place `row` for `inOrder`: its places for that list are `column`",
    );
    is_refused(
        "columnSums",
        "implementInOrder(unrolled = [\"column\"])",
        "the program has no place `column` for `unrolled`: it has none for that list",
    );
    is_refused(
        "columnSums",
        "implementInOrder(accumulated = [\"column\"], inOrder = [\"column\"])",
        "`column` is in the lists `accumulated` and `inOrder`, of which only one is possible",
    );
}

#[test]
fn an_inner_loop_is_no_place_until_the_outer_one_is_in_order() {
    is_refused(
        "product",
        "implementForThreads(parallel = [\"column\"])",
        "`column` cannot be in the list `parallel`, because the loop `row` around it is distributed: \
         put `row` into `sequential` first",
    );
    is_refused(
        "columnSums",
        "implementForThreads(parallel = [\"column\", \"column\"])",
        "`column` is twice in the list `parallel`",
    );
}

#[test]
fn messages_say_for_which_lists_a_name_is_a_place() {
    is_refused(
        "columnSums",
        "implementForThreads(unrolled = [\"column\"])",
        "; `column` is a place for `parallel` and the alternatives to them",
    );
    let ran = verified("product", "c", "implementInOrder(inOrder = [\"x\"])");
    let advice = "not unfolded: put `normalize(delta) ;` before this strategy";
    assert!(ran.err.contains(advice), "{}", ran.err);
}

#[test]
fn work_items_share_the_loops_inside_one_in_order() {
    let strategy =
        "normalize(delta) ; implementForWorkItems(sequential = [\"row\"]) ; storedInKernels";
    let text = FILE.replace(
        "def product ",
        "@target(opencl)\n@strategy(\"s.elevate\", edited)\ndef product ",
    );
    let strategy = format!("val edited = {strategy}\n");
    let folder = Folder::with(&[("a.rise", text), ("s.elevate", strategy)]);
    let ran = folder.run(&["emit", "a.rise", "--def", "product", "--as", "opencl"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(ran.out.contains("get_global_id(0)"), "{}", ran.out);
}

#[test]
fn values_of_a_loop_in_order_are_computed_by_each_work_item_or_by_one() {
    let text = "\
@target(opencl)
@strategy(\"s.elevate\", inOrder)
def shared = depFun((k: Nat, n: Nat) => fun(xs: k.n.f32 => xs |> map(fun(row =>
  let(row |> reduce(add)(0.0f))(fun(sum => row |> map(fun(x => x / sum))))))))
@target(opencl)
@strategy(\"s.elevate\", inOrder)
def stored = depFun((k: Nat, n: Nat) => fun(xs: k.(n + 2).f32 => xs |> map(fun(row =>
  row |> map(fun(x => exp(x))) |> slide(3)(1) |> map(fun(w => w |> reduce(add)(0.0f)))))))
";
    let strategy = "val inOrder = normalize(delta) ; implementForWorkItems(sequential = [\"row\"]) ; storedInKernels\n";
    let folder = Folder::with(&[("a.rise", text), ("s.elevate", strategy)]);
    let emit = |def: &str| folder.run(&["emit", "a.rise", "--def", def, "--as", "opencl"]);
    let ran = emit("shared");
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(ran.out.contains("get_global_id(0)"), "{}", ran.out);
    let ran = emit("stored");
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(
        ran.out.contains("work_group_size_hint(1, 1, 1)"),
        "{}",
        ran.out
    );
}

/// Maps and reductions with parameters of the same name.
const NUMBERED: &str = "\
def numbered = depFun(n: Nat => fun(xs: (n + 4).f32 =>
  xs |> map(fun(x => sqrt(x + 1.0f)))
    |> slide(3)(1) |> map(fun(w => w |> map(fun(x => sqrt(x + 2.0f))) |> reduce(add)(0.0f)))
    |> slide(3)(1) |> map(fun(w => w |> map(fun(x => x * 2.0f)) |> reduce(add)(0.0f)))))
def short = depFun(n: Nat => fun(a: n.4.f32 =>
  a |> map(fun(row => row |> reduce(fun(sum, x => sum + x))(0.0f)))))
def parts = depFun((n: Nat, m: Nat) => fun(a: n.f32, b: n.m.f32 =>
  (a |> map(fun(x => x + 1.0f)), b |> map(fun(row => row |> map(fun(x => x + 1.0f)))))))
";

#[test]
fn numbers_of_places_do_not_depend_on_choices() {
    let folder = Folder::with(&[("a.rise", NUMBERED)]);
    let ran = folder.run(&["schedule", "a.rise", "--def", "numbered", "--target", "c"]);
    expect![[r#"
        /// The default schedule of `numbered` for C.
        strategy numberedForC : Strategy =
          normalize(delta) ;
          implementInOrder(
            contracts = true,
            stored = ["w"],
            recomputed = ["x"],
            inOrder = ["w#2", "w"],
            unrolled = ["x#2", "x#3"])
    "#]]
    .assert_eq(&ran.out);
    let text = NUMBERED.replace(
        "def numbered ",
        "@target(c)\n@strategy(\"s.elevate\", edited)\ndef numbered ",
    );
    folder.put("b.rise", text);
    // All of these places remain, whatever is chosen at the others.
    let all = [
        "stored = [\"x\"]",
        "rolled = [\"x#2\"]",
        "recomputed = [\"w\"]",
    ];
    for chosen in 0..8 {
        let lists = all.iter().enumerate();
        let lists: Vec<&str> = lists
            .filter(|(at, _)| chosen >> at & 1 == 1)
            .map(|(_, list)| *list)
            .collect();
        let strategy = format!("implementInOrder({})", lists.join(", "));
        folder.put(
            "s.elevate",
            format!("val edited = normalize(delta) ; {strategy}\n"),
        );
        let ran = folder.run(&[
            "run", "b.rise", "--def", "numbered", "-D", "n=8", "--verify",
        ]);
        assert_eq!(ran.status, 0, "{strategy}: {}", ran.err);
    }
}

#[test]
fn reductions_without_estimate_are_printed_in_order() {
    let folder = Folder::with(&[("a.rise", NUMBERED)]);
    let ran = folder.run(&["schedule", "a.rise", "--def", "short", "--target", "c"]);
    expect![[r#"
        /// The default schedule of `short` for C.
        strategy shortForC : Strategy =
          normalize(delta) ; implementInOrder(contracts = true, inOrder = ["row"], unrolled = ["x"])
    "#]]
    .assert_eq(&ran.out);
}

/// GCC computes the maximum of vectors lane by lane if their lanes are used one by one afterwards.
#[test]
fn reductions_of_lanes_stay_loops_in_c() {
    let text = "def greatest = depFun(n: Nat => fun(xs: (8 * n).f32 =>
      xs |> asVector(8) |> reduce(max)(vectorFromScalar(0.0f)) |> makeArray(1) |> asScalar
        |> reduce(max)(0.0f)))";
    let folder = Folder::with(&[("a.rise", text)]);
    let ran = folder.run(&["schedule", "a.rise", "--target", "c"]);
    expect![[r#"
        /// The default schedule of `greatest` for C.
        strategy greatestForC : Strategy =
          normalize(delta) ; implementInOrder(contracts = true, rolled = ["x"])
    "#]]
    .assert_eq(&ran.out);
}

#[test]
fn printed_schedules_give_the_same_code() {
    for (text, def) in [
        (FILE, "columnSums"),
        (FILE, "product"),
        (FILE, "windows"),
        (FILE, "rows"),
        (NUMBERED, "numbered"),
        (NUMBERED, "short"),
        (NUMBERED, "parts"),
    ] {
        for (target, title) in [("c", "C"), ("openmp", "OpenMP"), ("opencl", "OpenCL")] {
            let folder = Folder::with(&[("a.rise", text)]);
            let printed = folder.run(&["schedule", "a.rise", "--def", def, "--target", target]);
            folder.put("s.elevate", printed.out);
            let strategy = format!("@strategy(\"s.elevate\", {def}For{title})\ndef {def} ");
            folder.put("b.rise", text.replace(&format!("def {def} "), &strategy));
            let code = |file| folder.run(&["emit", file, "--def", def, "--as", target]);
            let (expected, pinned) = (code("a.rise"), code("b.rise"));
            assert_eq!(pinned.status, 0, "{def}, {target}: {}", pinned.err);
            assert_eq!(pinned.out, expected.out, "{def}, {target}");
        }
    }
}

#[test]
fn texts_that_name_no_place_are_explained() {
    is_refused(
        "columnSums",
        "implementInOrder(inOrder = [\"column#0\"])",
        "`column#0` in the list `inOrder` is not the name of a place: the first place with the name \
         `column` is \"column\", the second one is \"column#2\"",
    );
    is_refused(
        "columnSums",
        "implementInOrder(inOrder = [\"column#7\"])",
        "the program has no place `column#7` for `inOrder`: its places for that list are `column`",
    );
}
