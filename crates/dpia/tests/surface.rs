//! Programs that are written in DPIA become well-typed phrases.

use std::sync::Arc;

use dpia::{PhraseProgram, Prim, surface, typing};
use rise::core::{Def, link};
use rise::{Env, Resolution, Scheme};
use syntax::ast::Name;
use syntax::{Dialect, GlobalId};

/// The definitions of a text, in its order.
#[derive(Default)]
struct File(Vec<(Name, Arc<Scheme>, Option<Arc<Def<Prim>>>)>);

impl Env for File {
    fn resolve(&self, name: &str) -> Resolution {
        match self.0.iter().rposition(|(known, ..)| known == name) {
            Some(index) => Resolution::Def(GlobalId(index as u64), Arc::clone(&self.0[index].1)),
            None => Resolution::Unknown,
        }
    }

    fn names(&self) -> Vec<Name> {
        self.0.iter().map(|(name, ..)| name.clone()).collect()
    }
}

/// The programs that a text defines.
fn programs(text: &str) -> Vec<PhraseProgram> {
    let mut file = File::default();
    for span in syntax::split(text) {
        let parsed = syntax::parse_in(&text[std::ops::Range::<usize>::from(span)], Dialect::Dpia);
        assert_eq!(parsed.diagnostics, [], "{text}");
        let inference = typing::infer(&parsed.item, &file);
        let name = parsed
            .item
            .name()
            .expect("it defines something")
            .name
            .clone();
        let def = surface::elaborate(&parsed.item, &inference);
        assert!(def.is_some(), "{name}: {:#?}", inference.diagnostics);
        file.0.push((name, inference.scheme, def.map(Arc::new)));
    }
    (0..file.0.len())
        .map(|index| {
            let lookup = |id: GlobalId| file.0.get(usize::try_from(id.0).ok()?)?.2.clone();
            link(GlobalId(index as u64), &lookup).expect("it can be linked")
        })
        .collect()
}

fn check(text: &str) {
    for program in programs(text) {
        if let Err(error) = dpia::check(&program) {
            let place = &program.origins[error.origin.0 as usize];
            panic!("{}: {error}, at {place:?} of {text}", program.name);
        }
    }
}

#[test]
fn listing_10() {
    check(include_str!(
        "../../syntax/tests/programs/mv_imperative.dpia"
    ));
}

#[test]
fn functional_programs() {
    check(
        "def mv = depFun((n: Nat, m: Nat) => fun((M: Exp[n.m.f32, Rd], x: Exp[m.f32, Rd]) =>
           mapSeq(fun(row => reduceSeq(fun((a, y) => a + fst(y) * snd(y)), 0.0f, zip(row, x))), M)))
         def piped = depFun((n: Nat) => fun(xs: Exp[(n*4).f32, Rd] =>
           xs |> split(4) |> mapSeq(fun(row => row |> mapSeq(fun(x => -x)))) |> join))
         def written = depFun((n: Nat) => fun(xs: Exp[(n*4).f32, Rd] => split(n, f32, Rd, 4, xs)))
         def uses = depFun((n: Nat) => fun(xs: Exp[(n*4).f32, Rd] => transpose(written(n, xs))))
         def stored = depFun((n: Nat) => fun(xs: Exp[n.f32, Rd] =>
           mapSeq(fun(x => x), toMem(mapSeq(fun(x => x * x), xs)))))
         def space = depFun((n: Nat) => fun(xs: Exp[n.f32, Rd] =>
           mapGlobal(1, fun(x => x), toMem(Local, mapLocal(fun(x => x * x), xs)))))
         def named = fun(x: Exp[f32, Rd] => let y = x + 1.0f in (y * y, (y, 3i32))._2._1)
         def made = fun(x: Exp[f32, Rd] => (makeArray(3, x, x, 1.0f), makeArray(f32, 2, x, x)))
         def chosen = depFun((n: Nat) => fun(x: Exp[natType, Rd] =>
           select(x < n && !(x == 0) || x % 2 >= n + 1, -x, x)))
         def streamed = depFun((n: Nat) => fun(xs: Exp[(n+2).f32, Rd] =>
           iterateStream(fun(w => reduceSeq(fun((a, x) => a + x), 0.0f, w)),
             circularBuffer(3, 3, fun(x => x), mapStream(fun(x => x * 2.0f), xs)))))",
    );
}

#[test]
fn imperative_programs() {
    check(
        "def twice = fun(c: Comm => c; c)
         foreign def root(x: f32): f32
         def rearranged = depFun((n: Nat) => fun((out: Acc[n.2.f32], xs: Exp[(n*2).f32, Rd]) =>
           parFor(n * 2, f32, splitAcc(out), fun((i, o) => o = root(idx(i, xs))))))
         def sum = depFun((n: Nat) => fun((out: Acc[f32], xs: Exp[n.f32, Rd]) =>
           new(f32, fun((acc, exp) =>
             acc = 0.0f;
             if (n > 0) { for(n, fun(i => acc = exp + idx(i, xs))) } else { skip };
             twice(out = exp);
             barrier))))
         def dependent = depFun((n: Nat) => fun((out: Acc[n..dataFun(i => (i+1).f32)], x: Exp[f32, Rd]) =>
           parForNat(n, dataFun(i => (i+1).f32), out, depFun(i: Nat => fun(o =>
             parFor(i + 1, f32, o, fun((j, p) => p = x)))))))
         def local = depFun((n: Nat, a: AddrSp) => fun((out: Acc[n.f32], xs: Exp[n.f32, Rd]) =>
           parForLocal(2, n, f32, out, fun((i, o) =>
             new(a, 4.f32, fun((acc, exp) => idxAcc(0, acc) = idx(i, xs); o = idx(0, exp)))))))",
    );
}
