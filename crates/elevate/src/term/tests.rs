use std::fs;
use std::path::{Path as FilePath, PathBuf};

use expect_test::expect;
use rise::core::{Def, def_text, without_compositions};

use super::*;
use crate::testing::{Defs, imported, term};

fn rise_files(folder: &FilePath, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            rise_files(&path, found);
        } else if path.extension().is_some_and(|end| end == "rise") {
            found.push(path);
        }
    }
}

#[test]
fn numbers_of_one_type_are_equal_however_they_are_written() {
    let mut store = Store::new();
    let mut equal = |a: &str, b: &str| {
        let [a, b] = [a, b].map(|text| term(&mut store, text));
        store.alpha_eq(a, b)
    };
    let sum = |zero: &str| format!("fun(x: f32 => x + {zero})");
    assert!(equal(&sum("0"), &sum("0.0f")));
    assert!(equal(&sum("0.50f"), &sum("0.5f")));
    assert!(!equal(&sum("1"), &sum("0.0f")));
    assert!(!equal(&sum("-0.0f"), &sum("0.0f")));
    assert!(!equal("fun(x: f32 => x + 0)", "fun(x: f64 => x + 0)"));
}

#[test]
fn what_is_imported_is_exported_again() {
    let examples = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut files = Vec::new();
    rise_files(&examples, &mut files);
    let mut count = 0;
    let mut all = Defs::library().all;
    for file in files {
        let text = fs::read_to_string(&file).expect("a text");
        all.extend(Defs::library().read(&text));
    }
    for def in all {
        let mut store = Store::new();
        // Import reduces applied compositions.
        let def = Def {
            body: without_compositions(&def.body),
            ..Def::clone(&def)
        };
        let of = import(&mut store, &def).expect("it is small");
        let back = export(&store, of.root, &of).expect("it is small");
        let (was, is) = (def_text(&def), def_text(&back));
        // The parameter name of a size function in the type of a primitive is not preserved.
        if !was.contains("dataFun(") {
            assert_eq!(is, was, "{}", def.name);
        }
        // A second import into the same store is α-equivalent.
        let again = import(&mut store, &back).expect("it is small");
        let closed = |store: &mut Store, of: &Imported| {
            of.implicit.iter().rev().fold(of.root, |body, (var, kind)| {
                store.dep_lambda(*var, *kind, true, body)
            })
        };
        let (a, b) = (closed(&mut store, &of), closed(&mut store, &again));
        assert!(store.alpha_eq(a, b), "{}", def.name);
        count += 1;
    }
    assert!(count > 150, "{count} definitions");
}

#[test]
fn every_node_of_a_text_has_its_place() {
    let mut store = Store::new();
    let text = "fun(xs => xs |> map(fun(x: f32 => x + 1.0f)))";
    let of = imported(&mut store, text);
    let start = "def it = ".len();
    let mut lines = Vec::new();
    of.visit(&store, &mut |path, term, site| {
        let site = site.expect("a site");
        let place = &text[site.span.start as usize - start..site.span.end as usize - start];
        assert_eq!(of.site(&store, path).map(|s| s.span), Some(site.span));
        lines.push(format!("{path}: {} @ {place}\n", print(&store, term)));
    });
    expect![[r#"
        root: map(fun(x => x + 1.0f)) @ fun(xs => xs |> map(fun(x: f32 => x + 1.0f)))
        body: xs |> map(fun(x => x + 1.0f)) @ xs |> map(fun(x: f32 => x + 1.0f))
        body.function: map(fun(x => x + 1.0f)) @ xs |> map(fun(x: f32 => x + 1.0f))
        body.function.function: map @ xs |> map(fun(x: f32 => x + 1.0f))
        body.function.argument: fun(x => x + 1.0f) @ fun(x: f32 => x + 1.0f)
        body.function.argument.body: x + 1.0f @ x + 1.0f
        body.function.argument.body.function: add(x) @ x + 1.0f
        body.function.argument.body.function.function: add @ x + 1.0f
        body.function.argument.body.function.argument: x @ x
        body.function.argument.body.argument: 1.0f @ 1.0f
        body.argument: xs @ xs
    "#]]
    .assert_eq(&lines.concat());
}

#[test]
fn substitution_renames_what_would_capture() {
    let mut store = Store::new();
    let int = term(&mut store, "1");
    let ty = store.ty(int);
    let [x, y] = ["x", "y"].map(|name| store.fresh_local(name, ty));
    let [var_x, var_y] = [x, y].map(|local| store.var(local));
    // Substitutes y for x in fun(y => x).
    let constant = store.lambda(y, var_x);
    let result = store.substitute(constant, x, var_y);
    let Node::Lambda(other, body) = store.node(result) else {
        panic!("a function stays a function");
    };
    assert_ne!(other, y);
    assert_eq!(body, var_y);
    assert_eq!(store.free(result), [y]);
}
