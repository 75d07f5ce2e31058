//! Tests of examples and strategies, which are run separately from type checking.

use db::{Database, FileId, RunInputs};
use expect_test::{Expect, expect};
use rustc_hash::FxHashSet;

use crate::fixture::{file, fill, replace};

const WORKSPACE: &str = r#"//- main.rise
import "lib.rise"

@strategy("s.elevate", sequential)
def lowered = fun(xs: 4.f32 => xs |> map(fun(x => twice(x))))
def user = fun(xs: 4.f32 => lowered(xs))
def other = fun(x: f32 => twice(x))
//- lib.rise
def twice = fun(x: f32 => x + x)
def unused = 1
//- s.elevate
val sequential : Strategy = topDown(toMapSeq)
val unrelated : Strategy = id

example "a loop" {
  input fun(xs: 4.f32 => xs |> map(fun(x => x + 1.0f)))
  apply sequential
  expect fun(xs: 4.f32 => xs |> map(fun(x => x + 2.0f)))
}
"#;

fn runs(db: &Database, name: &str) -> Vec<RunInputs> {
    let runs = db.runs(file(db, name)).into_iter();
    runs.map(|(_, inputs)| inputs).collect()
}

/// Returns the first line of the text of each item that is run.
fn shown(db: &Database, file: FileId) -> String {
    let runs = db.runs(file).into_iter();
    let heads = runs.map(|(item, _)| db.item_text(item).lines().next().unwrap().to_owned());
    heads.map(|head| head + "\n").collect()
}

#[test]
fn examples_and_users_of_strategies_are_run() {
    let db = fill(Database::new(), WORKSPACE);
    let check = |name: &str, expected: Expect| expected.assert_eq(&shown(&db, file(&db, name)));
    check(
        "main.rise",
        expect![[r#"
            @strategy("s.elevate", sequential)
            def user = fun(xs: 4.f32 => lowered(xs))
        "#]],
    );
    check("lib.rise", expect![""]);
    check(
        "s.elevate",
        expect![[r#"
            example "a loop" {
        "#]],
    );
}

#[test]
fn nothing_is_run_for_items_that_are_skipped() {
    let db = fill(Database::logged(), WORKSPACE);
    for name in ["main.rise", "s.elevate"] {
        let file = file(&db, name);
        let skipped: FxHashSet<_> = db.runs(file).into_iter().map(|(item, _)| item).collect();
        assert!(!skipped.is_empty());
        let has_run = |db: &Database| {
            let is_run = |(query, key): &(String, db::LogKey)| {
                (query == "example" || query == "lowered") && skipped.contains(&key.item())
            };
            db.take_log().iter().any(is_run)
        };
        let without = db.file_diagnostics_without_runs(file, &skipped);
        assert!(!has_run(&db), "{name}");
        let all = db.file_diagnostics(file);
        assert!(has_run(&db), "{name}");
        let of_others = |found: &[(db::ItemId, _)]| -> Vec<db::ItemId> {
            let items = found.iter().map(|(item, _)| *item);
            items.filter(|item| !skipped.contains(item)).collect()
        };
        assert_eq!(of_others(&without), of_others(&all), "{name}");
    }
}

#[test]
fn inputs_of_a_run_are_the_texts_that_it_depends_on() {
    let mut db = fill(Database::new(), WORKSPACE);
    let before = (runs(&db, "main.rise"), runs(&db, "s.elevate"));
    replace(&mut db, "lib.rise", "unused = 1", "unused = 2");
    replace(
        &mut db,
        "s.elevate",
        "unrelated : Strategy = id",
        "unrelated : Strategy = fail",
    );
    replace(
        &mut db,
        "main.rise",
        "def other = fun(x: f32 => twice(x))",
        "def other = 3",
    );
    assert_eq!(before, (runs(&db, "main.rise"), runs(&db, "s.elevate")));
    replace(&mut db, "lib.rise", "x + x", "2.0f * x");
    let with_other_program = (runs(&db, "main.rise"), runs(&db, "s.elevate"));
    assert_ne!(before.0[0], with_other_program.0[0]);
    assert_ne!(before.0[1], with_other_program.0[1]);
    assert_eq!(before.1, with_other_program.1);
    replace(
        &mut db,
        "s.elevate",
        "topDown(toMapSeq)",
        "topDown(toMapPar)",
    );
    let with_other_strategy = (runs(&db, "main.rise"), runs(&db, "s.elevate"));
    assert_ne!(with_other_program.0[0], with_other_strategy.0[0]);
    assert_ne!(with_other_program.1, with_other_strategy.1);
    replace(
        &mut db,
        "s.elevate",
        "topDown(toMapPar)",
        "topDown(toMapSeq)",
    );
    replace(&mut db, "lib.rise", "2.0f * x", "x + x");
    assert_eq!(before, (runs(&db, "main.rise"), runs(&db, "s.elevate")));
}
