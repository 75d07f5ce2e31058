//! Tests of the queries that an edit executes again, by the log of the database.

use std::fmt::Write;

use db::{Database, Declaration};
use expect_test::{Expect, expect};

use crate::fixture::{file, fill, replace, report, settle_missing, workspace};

const FILE: &str = r#"/// Twice.
def twice : f32 = 1.0f

// In between.
def user = fun(x => twice)
def other = fun(x => x)
"#;

/// Returns the queries that `edit` causes to be executed, one a line.
fn computed(db: &mut Database, edit: impl FnOnce(&mut Database)) -> String {
    report(db);
    db.take_log();
    edit(db);
    settle_missing(db, &db::ReadError::NotFound(Vec::new().into()));
    report(db);
    let mut out = String::new();
    for (query, key) in db.take_log() {
        let on = match query.as_str() {
            "header" | "declares" | "bindings" | "checked" | "scheme" | "inference" => {
                match &db.header(key.item()).declares {
                    Declaration::Def(name) => name.to_string(),
                    Declaration::Import(path) => format!("import {path}"),
                    Declaration::BrokenImport | Declaration::Nothing => "nothing".to_owned(),
                }
            }
            _ => db.path(key.file()).file_name(),
        };
        writeln!(out, "{query} {on}").unwrap();
    }
    out
}

#[track_caller]
fn check(text: &str, edit: impl FnOnce(&mut Database), expected: Expect) {
    let mut db = fill(Database::logged(), text);
    expected.assert_eq(&computed(&mut db, edit));
}

#[test]
fn the_first_reading_computes_everything_once() {
    let db = fill(Database::logged(), FILE);
    report(&db);
    let mut queries: Vec<_> = db.take_log();
    let all = queries.len();
    queries.sort_by_key(|(query, key)| (query.clone(), format!("{key:?}")));
    queries.dedup();
    assert_eq!(queries.len(), all);
}

#[test]
fn typing_in_a_body_recomputes_that_definition() {
    check(
        FILE,
        |db| replace(db, "main.rise", "1.0f", "1.5f"),
        expect![[r#"
            checked twice
        "#]],
    );
    check(
        FILE,
        |db| replace(db, "main.rise", "fun(x => x)", "fun(y => y)"),
        expect![[r#"
            checked other
        "#]],
    );
}

#[test]
fn a_new_name_decides_anew_what_is_an_implicit_parameter() {
    let text = "def f(xs: n.f32): f32 = 1.0f\ndef g(xs: k.f32): f32 = 1.0f\ndef m = 1.0f\n";
    check(
        text,
        |db| replace(db, "main.rise", "def m", "def n"),
        expect![[r#"
            imports main.rise
            definitions main.rise
            programs main.rise
            bindings f
            bindings n
            checked n
            checked f
            scheme n
            group_recursion main.rise
            bindings g
            cross_item_diagnostics main.rise
        "#]],
    );
    let mut db = workspace(text);
    assert!(!report(&db).contains("kind-mismatch"));
    replace(&mut db, "main.rise", "def m", "def n");
    assert!(report(&db).contains("kind-mismatch"));
    replace(&mut db, "main.rise", "def n", "def m");
    assert!(!report(&db).contains("kind-mismatch"));
}

#[test]
fn a_comment_above_or_between_recomputes_nothing() {
    check(
        FILE,
        |db| {
            replace(
                db,
                "main.rise",
                "// In between.",
                "// In between of both.\n\n",
            )
        },
        expect![[""]],
    );
    check(
        FILE,
        |db| db.edit_file(file(db, "main.rise"), 0..0, "// Above.\n"),
        expect![[""]],
    );
}

#[test]
fn documentation_recomputes_its_own_definition() {
    check(
        FILE,
        |db| replace(db, "main.rise", "/// Twice.", "/// Two times."),
        expect![[r#"
            bindings twice
            checked twice
        "#]],
    );
}

#[test]
fn a_changed_type_recomputes_its_users() {
    check(
        FILE,
        |db| replace(db, "main.rise", "f32 = 1.0f", "f64 = 1.0"),
        expect![[r#"
            checked twice
            scheme twice
            checked user
        "#]],
    );
}

#[test]
fn a_new_definition_recomputes_what_names_stand_for() {
    check(
        FILE,
        |db| replace(db, "main.rise", "// In between.", "def new = 1"),
        expect![[r#"
            imports main.rise
            strategy_files main.rise
            bindings new
            checked new
            definitions main.rise
            programs main.rise
            bindings user
            group_recursion main.rise
            cross_item_diagnostics main.rise
        "#]],
    );
}

#[test]
fn a_changed_import_recomputes_its_users() {
    const FILES: &str = "import \"a.rise\"\ndef x = a\ndef y = 1\n//- a.rise\ndef a : f32 = 1.0f\ndef b : f32 = 2.0f";
    check(
        FILES,
        |db| replace(db, "a.rise", "f32 = 1.0f", "f64 = 1.0"),
        expect![[r#"
            checked a
            scheme a
            checked x
        "#]],
    );
    check(
        FILES,
        |db| replace(db, "a.rise", "2.0f", "3.0f"),
        expect![[r#"
            checked b
        "#]],
    );
    check(
        FILES,
        |db| replace(db, "main.rise", "a.rise", "b.rise"),
        expect![[r#"
            imports main.rise
            bindings import b.rise
            checked import b.rise
            definitions main.rise
            programs main.rise
            bindings x
            checked x
            cross_item_diagnostics main.rise
            import_group main.rise
            imports b.rise
            group_recursion main.rise
        "#]],
    );
}
