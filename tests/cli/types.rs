//! Tests of `types`.

use crate::support::{Folder, parse_lines, run_in};
use expect_test::expect;
use std::path::Path;

const FILE: &str = "\
/// A matrix by a vector.
def mv = depFun((n: Nat, m: Nat) => fun((M: n.m.f32, x: m.f32) => M |> map(fun(row => dot(row)(x)))))
def chunks = depFun((n: Nat, s: Nat) => fun(xs: n.f32 => xs |> split(s)))
foreign def expf(x: f32): f32
";

#[test]
fn every_definition_has_a_line() {
    let ran = Folder::with(&[("a.rise", FILE)]).run(&["types", "a.rise"]);
    expect![[r#"
        mv : (n: Nat) -> (m: Nat) -> n.m.f32 -> m.f32 -> n.f32
        chunks : (n: Nat) -> (s: Nat) -> n.f32 -> (n/s).s.f32 where s divides n
        expf : f32 -> f32
    "#]]
    .assert_eq(&ran.out);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
}

#[test]
fn the_published_listing_has_its_published_type() {
    let listings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/papers");
    let listing = "def mv = depFun((n: Nat, m: Nat) =>\n  fun(M: Array[n, Array[m, f32]] =>\n    fun(x: Array[m, f32] =>\n      M |> map(fun(row =>\n        zip(row)(x) |>\n          map(fun(ax => fst(ax) * snd(ax))) |>\n          reduce(add)(0.0f) )) )) )";
    let ran = run_in(
        &listings,
        &["types", "-", "--def", "mv"],
        listing.as_bytes(),
    );
    assert_eq!(
        (ran.status, ran.out.as_str()),
        (
            0,
            "mv : (n: Nat) -> (m: Nat) -> n.m.f32 -> m.f32 -> n.f32\n"
        )
    );
}

#[test]
fn json_separates_type_and_conditions() {
    let ran = Folder::with(&[("a.rise", FILE)])
        .run(&["types", "a.rise", "--def", "chunks", "--format", "json"]);
    let [line] = &parse_lines(&ran.out)[..] else {
        panic!("{}", ran.out)
    };
    expect![[r#"{"name":"chunks","obligations":["s divides n"],"path":"a.rise","range":{"end":{"character":73,"line":2},"start":{"character":0,"line":2}},"type":"(n: Nat) -> (s: Nat) -> n.f32 -> (n/s).s.f32"}"#]]
    .assert_eq(&line.to_string());
}

#[test]
fn an_error_is_shown_beside_the_types() {
    let folder = Folder::with(&[("a.rise", "def x = nothing\ndef y = 1.0f\n")]);
    let ran = folder.run(&["types", "a.rise"]);
    assert_eq!(ran.status, 1);
    assert!(ran.out.contains("y : f32\n"), "{}", ran.out);
    assert!(ran.err.starts_with("error[unknown-name]: "), "{}", ran.err);
    let ran = folder.run(&["types", "a.rise", "--def", "y"]);
    assert_eq!(
        (ran.status, ran.out.as_str(), ran.err.as_str()),
        (0, "y : f32\n", "")
    );
}

#[test]
fn an_unknown_definition_gets_the_nearest() {
    let folder = Folder::with(&[("a.rise", FILE)]);
    let ran = folder.run(&["types", "a.rise", "--def", "chunk"]);
    assert_eq!((ran.status, ran.out.as_str()), (2, ""));
    expect![[r#"
        error: the file has no definition `chunk`
        note: did you mean `chunks`?
    "#]]
    .assert_eq(&ran.err);
    let ran = folder.run(&["types", "a.rise", "--def", "zzzzzz"]);
    assert_eq!(
        ran.err,
        "error: the file has no definition `zzzzzz`\nnote: it has mv, chunks, expf\n"
    );
}

#[test]
fn a_folder_is_no_file() {
    let ran = Folder::with(&[("a.rise", FILE)]).run(&["types", "."]);
    assert_eq!(
        (ran.status, ran.out.as_str(), ran.err.as_str()),
        (2, "", "error: .: is a folder, not a file\n")
    );
}

#[test]
fn conditions_are_printed_as_they_are_written() {
    let folder = Folder::with(&[(
        "a.rise",
        "def f = depFun((n: Nat, m: Nat) => fun(xs: n.f32, ys: m.f32 => zip(xs |> assume(m))(ys) |> map(fst)))\n",
    )]);
    let ran = folder.run(&["types", "a.rise"]);
    expect![[r#"
        f : (n: Nat) -> (m: Nat) -> n.f32 -> n.f32 -> n.f32 where m == n
    "#]]
    .assert_eq(&ran.out);
    let ty = ran.out.trim_end().replace("f : ", "def f : ");
    folder.put(
        "b.rise",
        format!("{ty} = depFun((n: Nat, m: Nat) => fun(xs, ys => zip(xs |> assume(m))(ys) |> map(fst)))\n"),
    );
    let again = folder.run(&["types", "b.rise"]);
    assert_eq!((again.out, again.status), (ran.out, 0), "{}", again.err);
}
