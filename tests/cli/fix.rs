//! Tests of `rise-ls fix`.

use crate::support::Folder;
use expect_test::expect;

const WRONG: &str = "\
def rows = fun(xs: 4.4.f32 => xs |> transpos |> jion)

def sum = fun(x y => x + y + 1.0f)
";

const RIGHT: &str = "\
def rows = fun(xs: 4.4.f32 => xs |> transpose |> join)

def sum = fun(x, y => x + y + 1.0f)
";

#[test]
fn fixes_are_applied_until_none_is_left() {
    let folder = Folder::with(&[("a.rise", WRONG), ("b/c.rise", "def one = 1\n")]);
    let ran = folder.run(&["fix", "."]);
    assert_eq!((ran.status, ran.out.as_str()), (0, ""), "{}", ran.err);
    assert_eq!(ran.err, "note: a.rise: 3 fixes\n");
    assert_eq!(folder.get("a.rise"), RIGHT);
    let again = folder.run(&["fix", "."]);
    assert_eq!((again.status, again.err.as_str()), (0, ""));
    assert_eq!(folder.get("a.rise"), RIGHT);
}

#[test]
fn a_dry_run_prints_the_changes_and_fails() {
    let folder = Folder::with(&[("a.rise", WRONG)]);
    let ran = folder.run(&["fix", "a.rise", "--dry-run"]);
    assert_eq!(ran.status, 1, "{}", ran.err);
    assert!(
        ran.out.contains("+def sum = fun(x, y => x + y + 1.0f)\n"),
        "{}",
        ran.out
    );
    assert_eq!(folder.get("a.rise"), WRONG);
    folder.put("a.rise", RIGHT);
    let ran = folder.run(&["fix", "a.rise", "--dry-run"]);
    assert_eq!((ran.status, ran.out.as_str()), (0, ""));
}

#[test]
fn a_program_that_makes_some_choices_gets_the_others() {
    let text = "@target(c)
def sum = depFun(n: Nat => fun(xs: n.f32 =>
  xs |> mapSeq(fun(x => x * x)) |> reduce(add)(0.0f)))
";
    let folder = Folder::with(&[("a.rise", text)]);
    let ran = folder.run(&["fix", "a.rise"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let fixed = folder.get("a.rise");
    assert!(
        fixed.contains("|> toMem |> reduceSeq(add)(0.0f)"),
        "{fixed}"
    );
    assert_eq!(folder.run(&["check", "a.rise"]).status, 0);
}

#[test]
fn mistakes_of_encoding_and_standard_input_are_refused() {
    let folder = Folder::with(&[("a.rise", b"def one = \xff\n" as &[u8])]);
    let ran = folder.run(&["fix", "a.rise"]);
    assert_eq!(ran.status, 1, "{}", ran.err);
    assert_eq!(folder.run(&["fix", "-"]).status, 2);
    assert_eq!(folder.run(&["fix", "missing.rise"]).status, 2);
}

#[test]
fn errors_that_no_fix_removes_are_counted() {
    let text = "def one = nothing\ndef two = fun(x y => x + y + 1.0f)\n";
    let folder = Folder::with(&[("a.rise", text)]);
    let ran = folder.run(&["fix", "a.rise"]);
    assert_eq!(ran.status, 1);
    assert_eq!(
        ran.err,
        "note: a.rise: 1 fix\nnote: 1 error is left: `rise-ls check` shows it\n"
    );
}

#[test]
fn errors_of_imported_files_are_reported_at_their_places() {
    let text = "@target(c)\n@strategy(\"s.elevate\", s)\n\
                def f = depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(x => x + 1.0f))))\n";
    let strategy = "import \"missing.elevate\"\nstrategy s : Strategy = lowerToC\n";
    let folder = Folder::with(&[("a.rise", text), ("s.elevate", strategy)]);
    let ran = folder.run(&["fix", "a.rise"]);
    assert_eq!(ran.status, 1);
    expect![[r#"
        error[import-not-found]: cannot find `missing.elevate`
         --> s.elevate:1:8
          |
        1 | import "missing.elevate"
          |        ^^^^^^^^^^^^^^^^^
          |
          = help: the path is relative to the folder of this file

    "#]]
    .assert_eq(&ran.err);
}

#[test]
fn repeated_and_unused_annotations_are_fixed() {
    let text = "@target(c)
@run(n = 1024, n = 1024)
@target(c)
@opencl(local = [64])
def scaled = depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(x => x * 2.0f))))

@opencl(local = [64])
def shifted = depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(x => x + 2.0f))))
";
    let folder = Folder::with(&[("a.rise", text)]);
    let ran = folder.run(&["fix", "a.rise"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    expect![[r#"
        @target(c)
        @run(n = 1024)
        def scaled = depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(x => x * 2.0f))))

        @target(opencl)
        @opencl(local = [64])
        def shifted = depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(x => x + 2.0f))))
    "#]]
    .assert_eq(&folder.get("a.rise"));
}
