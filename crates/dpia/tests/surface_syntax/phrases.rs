//! Tests that programs written in DPIA become well-typed phrases.

use super::source::programs;

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
        "../../../syntax/tests/programs/mv_imperative.dpia"
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
