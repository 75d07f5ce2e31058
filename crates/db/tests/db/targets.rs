//! Tests of the targets that definitions are checked for, and of their diagnostics.

use std::fmt::Write;

use codegen::Target;
use db::Database;
use expect_test::{Expect, expect};
use syntax::Severity;

use crate::fixture::{file, fill, replace, workspace};

fn said(db: &Database) -> String {
    let mut out = String::new();
    for (item, found) in db.file_diagnostics(file(db, "main.rise")) {
        let text = db.item_text(item);
        for diagnostic in found.iter() {
            let place = &text[std::ops::Range::from(diagnostic.span)];
            let code = diagnostic.code.as_str();
            writeln!(out, "{code} at {place}: {}", diagnostic.message).unwrap();
        }
        assert_eq!(found, db.item_diagnostics(item));
    }
    out
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&said(&workspace(text)));
}

const MAP: &str = "depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(x => x * 2.0f))))";

#[test]
fn a_definition_is_checked_for_the_target_it_names() {
    check(&format!("def a = {MAP}"), expect![[""]]);
    check(
        &format!("@target(c)\ndef a = {MAP}\n@target(openmp)\ndef b = {MAP}"),
        expect![[r#"
            default-schedule at a: the definition does not say how it is computed: the strategy `lowerToC` chooses that for C
            default-schedule at b: the definition does not say how it is computed: the strategy `lowerToOpenMP` chooses that for OpenMP
        "#]],
    );
    check(
        &format!("@target(c)\n@target(openmp)\ndef a = {MAP}"),
        expect![[r#"
            default-schedule at a: the definition does not say how it is computed: the strategy `lowerToC` chooses that for C
        "#]],
    );
}

#[test]
fn what_only_one_target_has_selects_it() {
    check(
        "def a = depFun(n: Nat => fun(xs: n.n.f32 => xs |> mapPar(map(fun(x => x * 2.0f)))))
def b = depFun(n: Nat => fun(xs: n.n.f32 => xs |> mapGlobal(map(fun(x => x * 2.0f)))))
def c = depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(x => x * 2.0f)) |> toMem(Global)))
def d = depFun(n: Nat => fun(xs: n.n.f32 => xs |> mapSeq(map(fun(x => x * 2.0f)))))",
        expect![[r#"
            missing-choice at map: `map` does not say how it is computed, and its result is written
            missing-choice at map: `map` does not say how it is computed, and its result is written
            missing-choice at map: `map` does not say how it is computed, and its result is written
            missing-copy at toMem(Global): no loop copies this array to the result of `c`
        "#]],
    );
}

#[test]
fn parts_of_programs_are_checked_where_they_are_used() {
    check(
        "def twice = fun(xs: 64.f32 => xs |> mapLocal(fun(x => x * 2.0f)))
def each : (64.f32 -> 64.f32) -> 8.64.f32 -> 8.64.f32 = fun(f, xs => xs |> mapWorkGroup(f))
def kernel = fun(xs: 8.64.f32 => xs |> mapWorkGroup(fun(row => row |> twice |> mapLocal(id))))",
        expect![[r#"
            missing-memory at twice: `mapLocal(id)` reads the result of `twice`, which is not stored in memory
        "#]],
    );
}

#[test]
fn every_program_can_be_checked_for_a_target() {
    let mut db = workspace(&format!(
        "def a = {MAP}\n@target(openmp)\ndef b = {MAP}\ndef id2 = fun(x => x)"
    ));
    db.set_target(Some(Target::C));
    expect![[r#"
        default-schedule at a: the definition does not say how it is computed: the strategy `lowerToC` chooses that for C
        default-schedule at b: the definition does not say how it is computed: the strategy `lowerToOpenMP` chooses that for OpenMP
    "#]]
    .assert_eq(&said(&db));
    db.set_target(None);
    expect![[r#"
        default-schedule at b: the definition does not say how it is computed: the strategy `lowerToOpenMP` chooses that for OpenMP
    "#]]
    .assert_eq(&said(&db));
}

/// The schedule of a definition with `@exact`, and of one that uses such a definition, keeps the
/// rounding of the program.
#[test]
fn exact_definitions_keep_their_rounding() {
    let sum = "depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(x => x * x)) |> reduce(add)(0.0f)))";
    let mut db = workspace(&format!(
        "@exact\ndef a = {sum}\ndef b = depFun(n: Nat => fun(xs: n.f32 => a(n)(xs)))\ndef c = {sum}"
    ));
    db.set_target(Some(Target::C));
    for (name, strategy) in [
        ("a", "lowerToCExactly"),
        ("b", "lowerToCExactly"),
        ("c", "lowerToC"),
    ] {
        let item = crate::programs::item(&db, name);
        assert_eq!(db.schedule_name(item, Target::C), strategy, "{name}");
        let module = db.module(item, Target::C).expect("code");
        let is_contracted = module.text.contains("fmaf(");
        assert_eq!(is_contracted, strategy == "lowerToC", "{name}");
        let contracted = db.contracted_program(item, Target::C);
        assert_eq!(contracted.is_some(), is_contracted, "{name}");
    }
}

#[test]
fn the_device_is_an_input() {
    let mut db = workspace(
        "def a = depFun(n: Nat => fun(xs: n.1024.f32 => xs |> mapWorkGroup(fun(row =>
  row |> mapLocal(fun(x => x * 2.0f)) |> toMem(Local) |> mapLocal(id)))))",
    );
    expect![[""]].assert_eq(&said(&db));
    let small = db::Device {
        name: "a small device".into(),
        local_memory: 2 << 10,
        ..db::Device::default()
    };
    db.set_device(Some(small));
    expect![[r#"
        device-limit at toMem: `toMem` takes 4 kB of Local memory, and a small device has only 2 kB
    "#]]
    .assert_eq(&said(&db));
    db.set_device(None);
    expect![[""]].assert_eq(&said(&db));
}

/// Errors that only code generation detects are also reported while the user types.
#[test]
fn kernels_are_generated_to_be_checked() {
    check(
        "def a = depFun(n: Nat => fun(xs: n.8192.f32 => xs |> mapWorkGroup(fun(row =>
  let one = row |> mapLocal(fun(x => x * 2.0f)) |> toMem(Local) in
  let two = row |> mapLocal(fun(x => x + 1.0f)) |> toMem(Local) in
  zip(one)(two) |> mapLocal(fun(p => p._1 * p._2))))))
def b = depFun(n: Nat => fun(xs: (n + 2).f32 => xs
  |> mapGlobal(fun(x => x * 2.0f)) |> toMem(Global) |> slide(3)(1)
  |> mapGlobal(reduceSeq(Private)(add)(0.0f))))",
        expect![[r#"
            device-limit at a: a work-group keeps 64 kB in Local memory at a time, and the device assumed by default has only 48 kB
            obligation at slide: assumes n >= 1
            across-groups at mapGlobal: work-groups read here what other work-groups write in the same kernel, and no barrier makes one group wait for another
        "#]],
    );
}

#[test]
fn what_is_wrong_anyway_is_not_compiled() {
    check(
        "@target(c)\ndef a = fun(xs: 8.f32 => xs |> map(fun(x => x + true)))
@target(c)\ndef b = fun(xs: 8.f32 => a(xs))",
        expect![[r#"
            type-mismatch at true: `+` needs two operands of one type: the left one is `f32`, the right one `bool`
            expected: f32
               found: bool
        "#]],
    );
}

#[test]
fn an_edit_checks_one_definition_again() {
    let mut db = fill(
        Database::logged(),
        &format!("@target(c)\ndef a = {MAP}\n@target(c)\ndef b = {MAP}"),
    );
    said(&db);
    db.take_log();
    replace(
        &mut db,
        "main.rise",
        "def b = depFun(n: Nat => fun(xs: n.f32 => xs |> map",
        "def b = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq",
    );
    expect![[r#"
        default-schedule at a: the definition does not say how it is computed: the strategy `lowerToC` chooses that for C
    "#]]
    .assert_eq(&said(&db));
    let checked = db.take_log();
    let count = checked
        .iter()
        .filter(|(query, _)| query == "target_diagnostics")
        .count();
    assert_eq!(count, 1);
}

/// Renders the titles of each error's fixes, and the diagnostics of the definition after each
/// enabled fix.
fn fixes(text: &str) -> String {
    let db = workspace(text);
    let mut out = String::new();
    for (item, found) in db.file_diagnostics(file(&db, "main.rise")) {
        let own = db.item_text(item);
        let errors = found.iter().filter(|d| d.severity == Severity::Error);
        for fix in errors.flat_map(|diagnostic| &diagnostic.fixes) {
            if let Some(why) = &fix.disabled {
                writeln!(out, "not: {}: {why}", fix.title).unwrap();
                continue;
            }
            let mut edits = fix.edits.clone();
            edits.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
            let mut mended = own.to_string();
            for (span, new) in edits {
                mended.replace_range(std::ops::Range::from(span), &new);
            }
            let left = said(&workspace(&mended));
            writeln!(out, "{}: {left}", fix.title).unwrap();
        }
    }
    out
}

/// Memory is only offered if the program compiles with it, which is checked by code generation,
/// too.
#[test]
fn memory_is_offered_with_which_the_program_compiles() {
    let rows = |text: &str| {
        format!(
            "@opencl(local = [64], global = [n])
def a = depFun(n: Nat => fun(xs: n.64.f32 => xs |> mapWorkGroup(fun(r => {text}))))"
        )
    };
    expect![[r#"
        Store in Local memory: 256 B of 48 kB: 
        Store in Global memory: 256 B for each work-group: 
        not: Store in Private memory: work-items would read memory that belongs to other work-items
    "#]]
    .assert_eq(&fixes(&rows(
        "r |> mapLocal(id) |> split(8) |> mapLocal(reduceSeq(Private)(add)(0.0f))",
    )));
    expect![[r#"
        Store in Private memory: 4 B for each work-item: 
        Store in Local memory: 256 B of 48 kB: 
        Store in Global memory: 256 B for each work-group: 
    "#]]
    .assert_eq(&fixes(&rows("r |> mapLocal(id) |> toMem |> mapLocal(id)")));
    expect![[r#"
        Store in Private memory: 4 B for each work-item: 
        Store in Local memory: 256 B of 48 kB: 
        Store in Global memory: 256 B for each work-group: 
    "#]].assert_eq(&fixes(&rows(
        "let s = r |> mapLocal(id) in zip(s)(s |> reorderWithStride(8)) |> mapLocal(fun(p => p._1))",
    )));
    expect![[r#"
        not: Store in Global memory: work-groups would read what other work-groups write, and they cannot wait for each other in one kernel
        not: Store in Private memory: how much each work-item stores depends on the number of work-items, which is unknown
        not: Store in Local memory: there is no `mapWorkGroup` around this
    "#]].assert_eq(&fixes(
        "def a = depFun(n: Nat => fun(xs: n.64.f32 =>
  xs |> mapGlobal(mapSeq(id)) |> transpose |> mapGlobal(mapSeq(id))))",
    ));
    // Said of the code only.
    expect![[r#"
        Store in Local memory: 
    "#]]
    .assert_eq(&fixes(&rows(
        "r |> mapLocal(id) |> toMem(Private) |> reorderWithStride(8) |> mapLocal(id)",
    )));
}

#[test]
fn a_pair_of_arrays_is_a_program() {
    check(
        "def a = depFun(n: Nat => fun(xs: n.f32 => (xs |> mapGlobal(id), xs |> mapGlobal(id))))
def b = depFun(n: Nat => fun(xs: n.f32 => (xs, xs)))",
        expect![""],
    );
}
