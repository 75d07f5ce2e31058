//! Tests of the detection of data races.

use std::fs;
use std::path::Path;

use codegen::Target;
use dpia::races::races;
use expect_test::{Expect, expect};
use rise::core::{normalise, program_of};

use super::source::programs;

fn check(text: &str, expect: Expect) {
    let mut out = String::new();
    for (program, span) in programs(text).iter().zip(syntax::split(text)) {
        let item = &text[std::ops::Range::<usize>::from(span)];
        let place = |origin: rise::core::Origin| {
            let head = program.origins[origin.0 as usize].head;
            &item[std::ops::Range::<usize>::from(head)]
        };
        for race in races(program) {
            let (at, around) = (place(race.at), place(race.around));
            out.push_str(&format!("{}, {at} in {around}: {race}\n", program.name));
        }
    }
    expect.assert_eq(&out);
}

#[test]
fn separate_iterations() {
    check(
        "def own = depFun((n: Nat) => fun((out: Acc[n.f32], xs: Exp[n.f32, Rd]) =>
           parFor(n, f32, out, fun((i, o) => o = idx(i, xs)))))
         def nested = depFun((n: Nat, m: Nat) => fun((out: Acc[n.m.f32], xs: Exp[n.m.f32, Rd]) =>
           parForWorkGroup(n, m.f32, out, fun((i, row) => new(Local, m.f32, fun((acc, exp) =>
             parForLocal(m, f32, acc, fun((j, o) => o = idx(j, idx(i, xs))));
             barrier;
             parForLocal(m, f32, row, fun((j, o) => o = idx(j, exp) + idx(0, exp)))))))))
         def private = depFun((n: Nat) => fun((out: Acc[n.f32], xs: Exp[n.f32, Rd]) =>
           parFor(n, f32, out, fun((i, o) => new(f32, fun((acc, exp) =>
             acc = 0.0f; for(4, fun(k => acc = exp + idx(i, xs))); o = exp))))))
         def sequential = depFun((n: Nat) => fun((out: Acc[n.f32], last: Acc[f32], xs: Exp[n.f32, Rd]) =>
           for(n, fun(i => idxAcc(i, out) = idx(i, xs); last = idx(i, xs)))))",
        expect![],
    );
}

#[test]
fn shared_places() {
    check(
        "def last = depFun((n: Nat) => fun((out: Acc[n.f32], last: Acc[f32], xs: Exp[n.f32, Rd]) =>
           parFor(n, f32, out, fun((i, o) => o = idx(i, xs); last = idx(i, xs)))))
         def sum = depFun((n: Nat) => fun((out: Acc[n.f32], xs: Exp[n.f32, Rd]) =>
           new(f32, fun((acc, exp) => acc = 0.0f;
             parFor(n, f32, out, fun((i, o) => acc = exp + idx(i, xs); o = exp))))))
         def neighbour = depFun((n: Nat) => fun((out: Acc[(n+1).f32], xs: Exp[(n+1).f32, Rd]) =>
           new((n+1).f32, fun((acc, exp) =>
             parFor(n + 1, f32, acc, fun((i, o) => o = idx(0, exp)));
             parFor(n + 1, f32, out, fun((i, o) => o = idx(0, exp)))))))
         def outer = depFun((n: Nat, m: Nat) => fun((out: Acc[n.m.f32], one: Acc[m.f32]) =>
           parForGlobal(n, m.f32, out, fun((i, row) =>
             parForLocal(m, f32, one, fun((j, o) => o = 1.0f))))))
         def command = depFun((n: Nat) => fun((out: Acc[n.f32], c: Comm, f: Exp[f32, Rd] -> Comm) =>
           parFor(n, f32, out, fun((i, o) => c; f(1.0f); o = 2.0f))))
         def buffers = depFun((n: Nat) => fun((out: Acc[n.f32], xs: Exp[n.f32, Rd]) =>
           newDoubleBuffer(n, f32, xs, out, fun((acc, exp, swap, done) =>
             parFor(n, f32, acc, fun((i, o) => o = idx(i, exp); swap)); swap; done))))",
        expect![[r#"
            last, last in parFor: every iteration of `parFor` may write to `last`
            sum, acc in parFor: every iteration of `parFor` may write to `acc`
            neighbour, exp in parFor: `exp` is read here while other iterations of `parFor` write it
            outer, one in parForGlobal: every iteration of `parForGlobal` may write to `one`
            command, c in parFor: every iteration of `parFor` runs `c`, and what `c` writes is not known
            command, f in parFor: every iteration of `parFor` runs `f`, and what `f` writes is not known
            buffers, swap in parFor: every iteration of `parFor` runs `swap`, and what `swap` writes is not known
        "#]],
    );
}

/// An iteration may read the elements that it writes, through any views.
#[test]
fn own_elements() {
    check(
        "def plain = depFun((n: Nat) => fun((out: Acc[n.f32], xs: Exp[n.f32, Rd]) =>
           new(n.f32, fun((acc, exp) =>
             parFor(n, f32, acc, fun((i, o) => o = idx(i, exp) + idx(i, xs)));
             for(n, fun(i => idxAcc(i, out) = idx(i, exp)))))))
         def zipped = depFun((n: Nat) => fun((out: Acc[n.f32], xs: Exp[n.f32, Rd]) =>
           new(n.(f32, f32), fun((acc, exp) =>
             parFor(n, f32, zipAcc1(acc), fun((i, o) =>
               o = fst(idx(i, exp)) + fst(idx(i, zip(xs, unzip(exp)._2))) +
                 fst(snd(idx(i, zip(xs, exp))))));
             for(n, fun(i => idxAcc(i, out) = fst(idx(i, exp))))))))
         def rows = depFun((n: Nat, m: Nat) => fun((out: Acc[n.m.f32]) =>
           new(n.m.f32, fun((acc, exp) =>
             parFor(n, m.f32, acc, fun((i, row) =>
               for(m, fun(j => idxAcc(j, row) = idx(j, idx(i, exp)) + idx(0, idx(i, exp))))));
             for(n, fun(i => for(m, fun(j => idxAcc(j, idxAcc(i, out)) = idx(j, idx(i, exp))))))))))
         def inner = depFun((n: Nat, m: Nat) => fun((out: Acc[n.m.f32]) =>
           new(n.m.f32, fun((acc, exp) =>
             for(n, fun(i => parFor(m, f32, idxAcc(i, acc), fun((j, o) =>
               o = idx(j, idx(i, exp)) + idx(i, idx(j, transpose(exp)))))));
             for(n, fun(i => for(m, fun(j => idxAcc(j, idxAcc(i, out)) = idx(j, idx(i, exp))))))))))
         def tiles = depFun((n: Nat, m: Nat) => fun((out: Acc[(n*m).f32]) =>
           new((n*m).f32, fun((acc, exp) =>
             for(n, fun(i => parFor(m, f32, idxAcc(i, joinAcc(n, m, f32, acc)), fun((j, o) =>
               o = idx(j, idx(i, split(m, exp)))))));
             parFor(n * m, f32, acc, fun((i, o) => o = idx(i, join(split(m, exp)))));
             parFor(n, m.f32, joinAcc(n, m, f32, acc), fun((i, row) =>
               parFor(m, f32, row, fun((j, o) => o = idx(j, idx(i, split(m, exp)))))));
             for(n * m, fun(i => idxAcc(i, out) = idx(i, exp)))))))",
        expect![],
    );
}

#[test]
fn elements_of_others() {
    check(
        "def next = depFun((n: Nat) => fun((out: Acc[(n + 1).f32]) =>
           new((n + 1).f32, fun((acc, exp) =>
             parFor(n, f32, takeAcc(n, acc), fun((i, o) => o = idx(i, drop(1, exp))));
             for(n + 1, fun(i => idxAcc(i, out) = idx(i, exp)))))))
         def other = depFun((n: Nat) => fun((out: Acc[n.f32]) =>
           new(n.f32, fun((acc, exp) =>
             parFor(n, f32, acc, fun((i, o) => for(n, fun(k => o = idx(k, exp)))));
             for(n, fun(i => idxAcc(i, out) = idx(i, exp)))))))
         def column = depFun((n: Nat) => fun((out: Acc[n.n.f32]) =>
           new(n.n.f32, fun((acc, exp) =>
             parFor(n, n.f32, acc, fun((i, row) =>
               for(n, fun(j => idxAcc(j, row) = idx(i, idx(j, exp))))));
             for(n, fun(i => for(n, fun(j => idxAcc(j, idxAcc(i, out)) = idx(j, idx(i, exp))))))))))
         def row = depFun((n: Nat) => fun((out: Acc[n.n.f32]) =>
           new(n.n.f32, fun((acc, exp) =>
             parFor(n, n.f32, acc, fun((i, row) =>
               parFor(n, f32, row, fun((j, o) => o = idx(i, idx(i, exp))))));
             for(n, fun(i => for(n, fun(j => idxAcc(j, idxAcc(i, out)) = idx(j, idx(i, exp))))))))))
         def tile = depFun((n: Nat, m: Nat) => fun((out: Acc[(n*m).f32]) =>
           new((n*m).f32, fun((acc, exp) =>
             parFor(n, m.f32, joinAcc(n, m, f32, acc), fun((i, row) =>
               for(m, fun(j => idxAcc(j, row) = idx(i, idx(j, transpose(split(m, exp))))));
               parFor(m, f32, row, fun((j, o) => o = idx(0, idx(i, split(m, exp)))))));
             for(n * m, fun(i => idxAcc(i, out) = idx(i, exp)))))))
         def half = depFun((n: Nat) => fun((out: Acc[n.f32]) =>
           new(n.(f32, f32), fun((acc, exp) =>
             parFor(n, f32, zipAcc1(acc), fun((i, o) => o = fst(idx(0, exp))));
             for(n, fun(i => idxAcc(i, out) = fst(idx(i, exp))))))))",
        expect![[r#"
            next, exp in parFor: `exp` is read here while other iterations of `parFor` write it
            other, exp in parFor: `exp` is read here while other iterations of `parFor` write it
            column, exp in parFor: `exp` is read here while other iterations of `parFor` write it
            row, exp in parFor: `exp` is read here while other iterations of `parFor` write it
            tile, exp in parFor: `exp` is read here while other iterations of `parFor` write it
            half, exp in parFor: `exp` is read here while other iterations of `parFor` write it
        "#]],
    );
}

/// Translated programs have no data races.
#[test]
fn translated_programs_share_nothing() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut checked = 0;
    for (folder, target) in [
        ("c", Target::C),
        ("openmp", Target::OpenMp),
        ("opencl", Target::OpenCl),
    ] {
        let Ok(files) = fs::read_dir(root.join(folder)) else {
            continue;
        };
        for file in files.flatten() {
            let text = fs::read_to_string(file.path()).unwrap_or_default();
            for span in syntax::split(&text) {
                let item = syntax::parse(&text[std::ops::Range::<usize>::from(span)]).item;
                let Some(name) = item.name() else { continue };
                let Ok(mut program) = program_of(&text, &name.name) else {
                    continue;
                };
                if normalise(&mut program).is_err() {
                    continue;
                }
                let Ok(functional) = dpia::functional(&program, target.features()) else {
                    continue;
                };
                let Ok(imperative) = dpia::imperative(&functional) else {
                    continue;
                };
                assert_eq!(
                    races(&imperative),
                    [],
                    "{}: {}",
                    file.path().display(),
                    name.name
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 10, "only {checked} programs");
}
