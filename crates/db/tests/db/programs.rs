//! Tests of definitions as core terms and closed programs.

use std::fmt::Write;

use db::Database;
use expect_test::expect;
use rise::core::LinkError;

use crate::fixture::{file, fill, replace, workspace};

pub fn item(db: &Database, name: &str) -> db::ItemId {
    let items = db.items(file(db, "main.rise"));
    let found = items
        .iter()
        .find(|&&item| matches!(&db.header(item).declares, db::Declaration::Def(n) if n == name));
    *found.unwrap_or_else(|| panic!("no definition {name}"))
}

const FILE: &str = "
def half = fun(x: f32 => x / 2.0f)
def quarter = fun(x: f32 => half(half(x)))
def other = fun(x: f32 => x)
";

#[test]
fn an_edit_elaborates_one_definition_again() {
    let mut db = fill(Database::logged(), FILE);
    let (half, quarter) = (item(&db, "half"), item(&db, "quarter"));
    assert!(db.linked(quarter).is_ok());
    db.take_log();
    let computed = |db: &mut Database, old: &str, new: &str| {
        replace(db, "main.rise", old, new);
        assert!(db.linked(quarter).is_ok());
        let mut out = String::new();
        for (query, key) in db.take_log() {
            if query == "elaborated" || query == "linked" {
                let name = if key.item() == half {
                    "half"
                } else {
                    "quarter"
                };
                writeln!(out, "{query} {name}").unwrap();
            }
        }
        out
    };
    expect![[r#"
        elaborated half
        linked quarter
    "#]]
    .assert_eq(&computed(&mut db, "x / 2.0f", "x * 0.5f"));
    expect![[""]].assert_eq(&computed(&mut db, "\ndef half", "\n// Half.\ndef half"));
    expect![[""]].assert_eq(&computed(&mut db, "x: f32 => x)", "y: f32 => y)"));
}

#[test]
fn what_has_errors_is_no_program() {
    let db = workspace(
        "
def bad = fun(x: f32 => x + true)
def user = fun(x: f32 => bad(x))
def again = again
def broken = fun(x
",
    );
    for name in ["bad", "again", "broken"] {
        let item = item(&db, name);
        assert_eq!(db.elaborated(item), None, "{name}");
        assert_eq!(db.linked(item), Err(LinkError::Broken), "{name}");
    }
    let error = db.linked(item(&db, "user")).unwrap_err();
    expect!["`user` uses `bad`, which has errors"].assert_eq(&error.to_string());
}

#[test]
fn a_long_chain_of_definitions_is_an_error_without_a_crash() {
    let mut text = String::from("def step0 = fun(x: f32 => x)\n");
    for n in 1..40_000 {
        writeln!(text, "def step{n} = fun(x: f32 => step{}(x))", n - 1).unwrap();
    }
    let db = workspace(&text);
    let error = db.linked(item(&db, "step39999")).unwrap_err();
    assert!(matches!(&error, LinkError::TooDeep { .. }), "{error}");
    assert!(db.linked(item(&db, "step100")).is_ok());
}

#[test]
fn definitions_that_double_are_an_error() {
    let mut text = String::from("def step0 = fun(x: f32 => x + x)\n");
    for n in 1..40 {
        writeln!(
            text,
            "def step{n} = fun(x: f32 => step{0}(x) + step{0}(x))",
            n - 1
        )
        .unwrap();
    }
    let db = workspace(&text);
    let error = db.linked(item(&db, "step39")).unwrap_err();
    expect!["`step17` is too large: with the definitions that it uses inlined, it has more than 1000000 parts"]
        .assert_eq(&error.to_string());
}

#[test]
fn an_explicit_term_names_what_it_uses() {
    let db = workspace(
        "
def scale = depFun(n: Nat => fun(xs: (4 * n).f32, k =>
  xs |> (split(4) >> map(map(mul(k)))) |> join |> store(id)))
",
    );
    let def = db.elaborated(item(&db, "scale")).unwrap();
    expect![[r#"
        def scale : (n: Nat) -> (n * 4).f32 -> f32 -> (n * 4).f32 = depFun(n: Nat => fun(xs, k =>
          store(id)((let x = xs in x |> split(4) |> map(map(mul(k)))) |> join)))
    "#]]
    .assert_eq(&rise::core::def_text(&def));
}
