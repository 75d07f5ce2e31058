//! Tests of diagnostics about names: imports, duplicates, cycles and shadowed names.

use crate::fixture::{report, workspace};
use db::{Database, Declaration};
use expect_test::{Expect, expect};

#[track_caller]
fn check(text: &str, expected: Expect) {
    expected.assert_eq(&report(&workspace(text)));
}

#[test]
fn definitions_may_be_used_before_they_are_written() {
    check("def a = b\ndef b = 1", expect![[""]]);
}

#[test]
fn a_name_is_defined_once() {
    check(
        "def a = 1\ndef b = a\ndef a = 2",
        expect![[r#"
            main.rise [a] Error duplicate-def: `a` is already defined in this file
              main.rise [a]: `a` is first defined here
              help: rename one of the two: every use of the name refers to the first definition
        "#]],
    );
}

#[test]
fn a_circle_is_one_error_at_its_first_definition() {
    check(
        "def x = b\ndef b = c\ndef c = fun(y => a(y))\ndef a = b",
        expect![[r#"
            main.rise [b] Error recursive-def: `b` is defined in terms of itself: `b` uses `c`, which uses `a`, which uses `b`
              main.rise [c]: `c` uses `a`
              main.rise [a]: `a` uses `b`
              help: repeat with a pattern: `map` or `reduce` over an array, `iterate` a fixed number of times
        "#]],
    );
    check(
        "def f = fun(x => f(x))\ndef g = f",
        expect![[r#"
        main.rise [f] Error recursive-def: `f` uses itself, and a definition may not be recursive
          help: repeat with a pattern: `map` or `reduce` over an array, `iterate` a fixed number of times
    "#]],
    );
    check(
        "def a = b\ndef b = a\ndef c = d\ndef d = c",
        expect![[r#"
            main.rise [a] Error recursive-def: `a` is defined in terms of itself: `a` uses `b`, which uses `a`
              main.rise [b]: `b` uses `a`
              help: repeat with a pattern: `map` or `reduce` over an array, `iterate` a fixed number of times
            main.rise [c] Error recursive-def: `c` is defined in terms of itself: `c` uses `d`, which uses `c`
              main.rise [d]: `d` uses `c`
              help: repeat with a pattern: `map` or `reduce` over an array, `iterate` a fixed number of times
        "#]],
    );
}

#[test]
fn a_name_that_is_bound_is_no_use() {
    check(
        "def f = fun(g => g(1))\ndef g = f(fun(f => f))",
        expect![[""]],
    );
}

#[test]
fn an_import_brings_definitions_but_not_imports() {
    check(
        "import \"a.rise\"\ndef x = a\ndef y = b\n//- a.rise\nimport \"b.rise\"\ndef a = b\n//- b.rise\ndef b = 1",
        expect![[r#"
            main.rise [b] Error unknown-name: cannot find `b` in this scope
        "#]],
    );
}

#[test]
fn an_import_that_does_not_exist_is_one_error() {
    check(
        "import \"matrx.rise\"\ndef x = anything(1)\n//- matrix.rise\ndef a = 1",
        expect![[r#"
            main.rise ["matrx.rise"] Error import-not-found: cannot find `matrx.rise`
              help: did you mean `matrix.rise`?
        "#]],
    );
    check(
        "import \"sub/../../up.rise\"\ndef x = 1 + other",
        expect![[r#"
        main.rise ["sub/../../up.rise"] Error import-not-found: cannot find `sub/../../up.rise`
          help: the path is relative to the folder of this file
    "#]],
    );
}

#[test]
fn files_that_import_each_other_are_one_error() {
    check(
        "import \"a.rise\"\ndef m = a\n//- b.rise\nimport \"c.rise\"\ndef b = c\n//- a.rise\nimport \"b.rise\"\ndef a = b\n//- c.rise\nimport \"a.rise\"\ndef c = 1",
        expect![[r#"
            a.rise ["b.rise"] Error import-cycle: files import each other in a cycle: `a.rise` imports `b.rise`, which imports `c.rise`, which imports `a.rise`
              b.rise ["c.rise"]: `b.rise` imports `c.rise`
              c.rise ["a.rise"]: `c.rise` imports `a.rise`
              help: move what both need into a third file that imports neither
        "#]],
    );
    check(
        "import \"main.rise\"\ndef m = 1",
        expect![[r#"
            main.rise ["main.rise"] Error import-cycle: this file imports itself
              help: remove the import: the definitions of a file are in scope in the whole file
        "#]],
    );
}

#[test]
fn definitions_in_files_that_import_each_other_may_form_a_circle() {
    check(
        "//- a.rise\nimport \"b.rise\"\ndef a = b\n//- b.rise\nimport \"a.rise\"\ndef b = a\ndef c = 1",
        expect![[r#"
            a.rise ["b.rise"] Error import-cycle: files import each other in a cycle: `a.rise` imports `b.rise`, which imports `a.rise`
              b.rise ["a.rise"]: `b.rise` imports `a.rise`
              help: move what both need into a third file that imports neither
            a.rise [a] Error recursive-def: `a` is defined in terms of itself: `a` uses `b`, which uses `a`
              b.rise [b]: `b` uses `a`
              help: repeat with a pattern: `map` or `reduce` over an array, `iterate` a fixed number of times
        "#]],
    );
}

#[test]
fn two_imported_definitions_of_one_name_are_an_error_at_the_use() {
    check(
        "import \"a.rise\"\nimport \"b.rise\"\ndef x = f\ndef y = g\n//- a.rise\ndef f = 1\n//- b.rise\ndef f = 2\ndef g = 3",
        expect![[r#"
            main.rise [f] Error ambiguous-import: `f` is defined by 2 imports
              a.rise [f]: one definition is here
              b.rise [f]: one definition is here
              help: rename one of the definitions, or define the name in this file
        "#]],
    );
    check(
        "import \"a.rise\"\nimport \"./a.rise\"\ndef x = f\n//- a.rise\ndef f = 1",
        expect![[""]],
    );
}

#[test]
fn hiding_a_name_is_a_hint() {
    check(
        "def map = 1\ndef dot = 2\ndef x = map",
        expect![[r#"
            main.rise [map] Hint shadowed-name: this definition hides the primitive `map`
            main.rise [dot] Hint shadowed-name: this definition hides `dot` of the standard library
              functions.rise [dot]: the library's `dot`
        "#]],
    );
}

#[test]
fn strategies_and_programs_number_the_standard_library_alike() {
    let standard = elevate::lang::Programs::standard();
    for db in [Database::new(), Database::logged()] {
        let files = db.files().into_iter().filter(|&file| db.is_library(file));
        let items: Vec<_> = files.flat_map(|file| db.items(file).to_vec()).collect();
        assert!(!items.is_empty());
        for item in items {
            let Declaration::Def(name) = &db.header(item).declares else {
                panic!("an item of the library defines nothing");
            };
            assert_eq!(standard.named(name), Some(item.global()), "{name}");
        }
    }
}
