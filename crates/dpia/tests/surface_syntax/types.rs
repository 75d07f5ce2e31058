//! Tests of the types of programs that are written in DPIA.

use std::sync::Arc;

use dpia::typing;
use expect_test::{Expect, expect};
use rise::{Env, Resolution, Scheme};
use syntax::ast::Name;
use syntax::{Dialect, GlobalId};

/// The schemes of definitions by name.
#[derive(Default)]
struct Defs(Vec<(Name, Arc<Scheme>)>);

impl Env for Defs {
    fn resolve(&self, name: &str) -> Resolution {
        match self.0.iter().rposition(|(n, _)| n == name) {
            Some(index) => Resolution::Def(GlobalId(index as u64), Arc::clone(&self.0[index].1)),
            None => Resolution::Unknown,
        }
    }

    fn names(&self) -> Vec<Name> {
        self.0.iter().map(|(name, _)| name.clone()).collect()
    }
}

/// Formats the schemes and diagnostics of a text, one per line, with the places underlined.
fn report(text: &str) -> String {
    let mut defs = Defs::default();
    let mut out = String::new();
    for span in syntax::split(text) {
        let item_text = &text[std::ops::Range::<usize>::from(span)];
        let parsed = syntax::parse_in(item_text, Dialect::Dpia);
        assert_eq!(parsed.diagnostics, [], "{item_text}");
        let inference = typing::infer(&parsed.item, &defs);
        let name = parsed
            .item
            .name()
            .map(|n| n.name.clone())
            .unwrap_or_default();
        let scheme = rise::print::scheme_text(&inference.scheme);
        defs.0.push((name.clone(), Arc::clone(&inference.scheme)));
        out.push_str(&format!("{name} : {scheme}\n"));
        for d in &inference.diagnostics {
            let place = &item_text[std::ops::Range::<usize>::from(d.span)];
            let place = place.split_whitespace().collect::<Vec<_>>().join(" ");
            out.push_str(&format!(
                "  {:?}[{}] at `{place}`: ",
                d.severity,
                d.code.as_str()
            ));
            out.push_str(&d.message.replace('\n', "\n    "));
            out.push('\n');
            if let Some(help) = &d.help {
                out.push_str(&format!("    help: {help}\n"));
            }
        }
    }
    out
}

fn check(text: &str, expect: Expect) {
    expect.assert_eq(&report(text));
}

const LISTING_10: &str = include_str!("../../../syntax/tests/programs/mv_imperative.dpia");

#[test]
fn listing_10() {
    check(
        LISTING_10,
        expect![[r#"
            mvOptImp : (n: Nat) -> (m: Nat) -> (s: Nat) -> Acc[n.f32] -> Exp[n.m.f32, Rd] -> Exp[m.f32, Rd] -> Comm where s divides n
              Information[obligation] at `M`: assumes s divides n
                help: the condition is checked before each run, and each use of the definition must meet it
        "#]],
    );
}

#[test]
fn listing_10_as_it_is_printed() {
    let printed = LISTING_10.replace("Array[s, f32], joinAcc", "Array[m, f32], joinAcc");
    check(
        &printed,
        expect![[r#"
            mvOptImp : (n: Nat) -> (m: Nat) -> (s: Nat) -> Acc[n.f32] -> Exp[n.m.f32, Rd] -> Exp[m.f32, Rd] -> Comm where s divides n
              Error[size-mismatch] at `wgOut`: `parForLocal` expects the size `s` here, and this has `m`
                expected: Acc[s.f32]
                   found: Acc[m.f32]
                they differ for m = 0, s = 1
              Information[obligation] at `M`: assumes s divides n
                help: the condition is checked before each run, and each use of the definition must meet it
        "#]],
    );
}

#[test]
fn functional_programs() {
    check(
        "def mv = depFun((n: Nat, m: Nat) => fun((M: Exp[n.m.f32, Rd], x: Exp[m.f32, Rd]) =>
           mapSeq(fun(row => reduceSeq(fun((a, y) => a + fst(y) * snd(y)), 0.0f, zip(row, x))), M)))
         def piped = depFun((n: Nat) => fun(xs: Exp[(n*4).f32, Rd] =>
           xs |> split(4) |> mapSeq(fun(row => row |> mapSeq(fun(x => -x)))) |> join))
         def stored = depFun((n: Nat) => fun(xs: Exp[n.f32, Rd] =>
           mapSeq(fun(x => x), toMem(mapSeq(fun(x => x * x), xs)))))
         def rows = depFun((n: Nat) => fun(xs: Exp[n.f32, Rd] =>
           mapSeq(fun(row => mapSeq(fun(x => x), row)), transpose(split(2, xs)))))
         def operators = fun(x: Exp[f32, Rd] => select(x < 1.0f && !(x == 0.0f), -x, x * x))",
        expect![[r#"
            mv : (n: Nat) -> (m: Nat) -> Exp[n.m.f32, Rd] -> Exp[m.f32, Rd] -> Exp[n.f32, Wr]
            piped : (n: Nat) -> Exp[(n*4).f32, Rd] -> Exp[(n*4).f32, Wr]
            stored : (n: Nat) -> Exp[n.f32, Rd] -> Exp[n.f32, Wr]
            rows : (n: Nat) -> Exp[n.f32, Rd] -> Exp[2.(n/2).f32, Wr] where 2 divides n
              Information[obligation] at `xs`: assumes 2 divides n
                help: the condition is checked before each run, and each use of the definition must meet it
            operators : Exp[f32, Rd] -> Exp[f32, Rd]
        "#]],
    );
}

#[test]
fn accesses_are_found_at_the_end() {
    check(
        "def rearranged = depFun((n: Nat) => fun(xs: Exp[n.f32, Rd] =>
           map(fun(x => x), map(fun(x => x), mapSeq(fun(x => x), xs)))))
         def computed = depFun((n: Nat) => fun(xs: Exp[n.f32, Rd] =>
           mapSeq(fun(x => x), map(fun(x => x + 1.0f), map(fun(x => -x), xs)))))
         def pairs = depFun((n: Nat) => fun(xs: Exp[n.f32, Rd] => mapSeq(fun(x => (x, (x, 1))), xs)))
         def parameter = depFun((n: Nat, w: ReadWrite) => fun(xs: Exp[n.3.f32, w] => join(map(fun(x => x), xs))))
         def streamed = depFun((n: Nat) => fun(xs: Exp[(n+2).f32, Rd] =>
           iterateStream(fun(w => reduceSeq(fun((a, x) => a + x), 0.0f, w)),
             circularBuffer(3, 3, fun(x => x), mapStream(fun(x => x * 2.0f), xs)))))",
        expect![[r#"
            rearranged : (n: Nat) -> Exp[n.f32, Rd] -> Exp[n.f32, Wr]
            computed : (n: Nat) -> Exp[n.f32, Rd] -> Exp[n.f32, Wr]
            pairs : {t: Num} -> (n: Nat) -> Exp[n.f32, Rd] -> Exp[n.(f32, (f32, t)), Wr]
            parameter : (n: Nat) -> (w: ReadWrite) -> Exp[n.3.f32, w] -> Exp[(n*3).f32, w]
            streamed : (n: Nat) -> Exp[(n+2).f32, Rd] -> Exp[n.f32, Wr]
        "#]],
    );
}

#[test]
fn wrong_accesses() {
    check(
        "def notWritten : (n: Nat) -> Exp[n.f32, Rd] -> Exp[n.f32, Wr] = depFun(n: Nat => fun(xs => xs))
         def notRead = depFun((n: Nat) => fun(xs: Exp[n.f32, Rd] => idx(0, mapSeq(fun(x => x), xs))))
         def through = depFun((n: Nat) => fun(xs: Exp[n.2.f32, Rd] =>
           slide(3, 1, join(mapSeq(fun(r => mapSeq(fun(x => x), r)), xs)))))
         def rows = depFun((n: Nat, m: Nat) => fun(xs: Exp[n.m.f32, Rd] => mapSeq(fun(r => r), xs)))
         def stream = depFun((n: Nat) => fun(xs: Exp[n.f32, Rd] => mapSeq(fun(x => x), mapStream(fun(x => x), xs))))
         def scalar : (n: Nat) -> Exp[f32, Rd] -> Exp[f32, Wr] = depFun(n: Nat => fun(x => x))",
        expect![[r#"
            notWritten : (n: Nat) -> Exp[n.f32, Rd] -> Exp[n.f32, Wr]
              Error[missing-copy] at `xs`: this value of type `n.f32` can only be read (`Rd`), and the definition's type expects one that is not yet written to memory (`Wr`)
                help: a copy is a loop of its own: `mapSeq(fun(x => x), …)`
            notRead : (n: Nat) -> Exp[n.f32, Rd] -> Exp[f32, Rd] where n >= 1
              Error[missing-memory] at `mapSeq(fun(x => x), xs)`: `idx` reads this value of type `n.f32`, which is not yet written to memory
                help: `toMem(…)` writes a value to memory, from where it is read
              Information[obligation] at `0`: assumes n >= 1
                help: the condition is checked before each run, and each use of the definition must meet it
            through : (n: Nat) -> Exp[n.2.f32, Rd] -> Exp[(n*2-2).3.f32, Rd] where n*2 >= 3
              Error[missing-memory] at `join(mapSeq(fun(r => mapSeq(fun(x => x), r)), xs))`: `slide` reads this value of type `(n*2).f32`, which is not yet written to memory
                help: `toMem(…)` writes a value to memory, from where it is read
              Information[obligation] at `join(mapSeq(fun(r => mapSeq(fun(x => x), r)), xs))`: assumes n*2 >= 3
                help: the condition is checked before each run, and each use of the definition must meet it
            rows : (n: Nat) -> (m: Nat) -> Exp[n.m.f32, Rd] -> Exp[n.m.f32, Wr]
              Error[missing-copy] at `r`: this value of type `m.f32` can only be read (`Rd`), and `mapSeq` expects one that is not yet written to memory (`Wr`)
                help: a copy is a loop of its own: `mapSeq(fun(x => x), …)`
            stream : (n: Nat) -> Exp[n.f32, Rd] -> Exp[n.f32, Wr]
              Error[stream-as-array] at `mapStream(fun(x => x), xs)`: this is a stream `n.f32`, and `mapSeq` takes an array
                help: `iterateStream` writes what a stream yields, one element after the other
            scalar : (n: Nat) -> Exp[f32, Rd] -> Exp[f32, Wr]
        "#]],
    );
}

#[test]
fn commands() {
    check(
        "def copy = depFun((n: Nat) => fun((out: Acc[n.f32], xs: Exp[n.f32, Rd]) =>
           if (n > 0) { for(n, fun(i => idxAcc(i, out) = idx(i, xs))) } else { skip }))
         def swap = fun((a: Acc[f32], b: Acc[f32], x: Exp[f32, Rd]) => a = x; b = x + 1.0f; skip)
         def twice = fun(c: Comm => c; c)
         def use = fun((a: Acc[f32], x: Exp[f32, Rd]) => swap(a, a, x); twice(a = x))
         def sum = depFun((n: Nat) => fun((out: Acc[f32], xs: Exp[n.f32, Rd]) =>
           new(f32, fun((acc, exp) => acc = 0.0f; for(n, fun(i => acc = exp + idx(i, xs))); out = exp))))",
        expect![[r#"
            copy : (n: Nat) -> Acc[n.f32] -> Exp[n.f32, Rd] -> Comm
            swap : Acc[f32] -> Acc[f32] -> Exp[f32, Rd] -> Comm
            twice : Comm -> Comm
            use : Acc[f32] -> Exp[f32, Rd] -> Comm
            sum : (n: Nat) -> Acc[f32] -> Exp[n.f32, Rd] -> Comm
        "#]],
    );
}

#[test]
fn wrong_commands() {
    check(
        "def array = depFun((n: Nat) => fun((out: Acc[n.f32], xs: Exp[n.f32, Rd]) => out = xs))
         def types = fun((out: Acc[f32], x: Exp[i32, Rd]) => out = x)
         def readsAcceptor = fun((out: Acc[f32], b: Acc[f32]) => out = b)
         def writesValue = fun((x: Exp[f32, Rd]) => x = x)
         def noCommand = fun((x: Exp[f32, Rd], c: Comm) => c; x; c)
         def condition = fun((x: Exp[f32, Rd], c: Comm) => if (x) { c } else { c })
         def written = fun((out: Acc[f32], x: Exp[f32, Wr]) => out = x)
         def named = fun((out: Acc[f32], x: Exp[f32, Rd]) => let y = x in out = y)
         def both = fun((x: Exp[f32, Rd], c: Comm) => x + c)
         def unknown = fun(x => skip)",
        expect![[r#"
            array : (n: Nat) -> Acc[n.f32] -> Exp[n.f32, Rd] -> Comm
              Error[type-mismatch] at `out`: an assignment writes one value, and this is an array `n.f32`
                help: write its elements in a loop: `for(n, fun(i => idxAcc(i, out) = …))`
            types : Acc[f32] -> Exp[i32, Rd] -> Comm
              Error[type-mismatch] at `x`: the left side of `=` takes `Exp[f32, Rd]`, and this is `Exp[i32, Rd]`
                expected: Exp[f32, Rd]
                   found: Exp[i32, Rd]
                help: `cast` converts it: `(cast(x) : f32)`
            readsAcceptor : Acc[f32] -> Acc[f32] -> Comm
              Error[type-mismatch] at `b`: the left side of `=` takes `Exp[f32, Rd]`, and this is `Acc[f32]`
                expected: Exp[f32, Rd]
                   found: Acc[f32]
                help: an acceptor is only written; what was written is read through the expression beside it
            writesValue : Exp[f32, Rd] -> Comm
              Error[type-mismatch] at `x`: expected `Acc[t]` (for any data type `t`), found `Exp[f32, Rd]`
                expected: Acc[t]
                   found: Exp[f32, Rd]
                help: a value is not a place to write to: that is an acceptor
            noCommand : Exp[f32, Rd] -> Comm -> Comm
              Error[type-mismatch] at `x`: expected `Comm`, found `Exp[f32, Rd]`
                expected: Comm
                   found: Exp[f32, Rd]
                help: a command writes the value somewhere, as in `out = …`
            condition : Exp[f32, Rd] -> Comm -> Comm
              Error[type-mismatch] at `x`: expected `Exp[bool, Rd]`, found `Exp[f32, Rd]`
                expected: Exp[bool, Rd]
                   found: Exp[f32, Rd]
                help: a comparison gives a boolean, as in `x != 0.0`
            written : Acc[f32] -> Exp[f32, Wr] -> Comm
              Error[missing-memory] at `x`: an assignment reads this value of type `f32`, which is not yet written to memory
                help: a command takes memory with `new(t, fun((acceptor, expression) => …))`, writes the value there with loops and assignments, and reads it behind them
            named : Acc[f32] -> Exp[f32, Rd] -> _
              Error[type-mismatch] at `out = y`: `let` names a value in an expression, and this is a command
                help: memory that commands share is made by `new`
            both : Exp[f32, Rd] -> Comm -> _
              Error[type-mismatch] at `c`: `+` needs two operands of one type: the left one is `Exp[f32, Rd]`, the right one `Comm`
                expected: Exp[f32, Rd]
                   found: Comm
                help: a command has no value: let it write to memory that `new` allocates, and read this memory
            unknown : {t: DataType} -> t -> Comm
              Error[cannot-infer] at `x`: the type of `x` is unknown
                help: write its type, as in `fun(x: Exp[f32, Rd] => …)`
        "#]],
    );
}

#[test]
fn arguments() {
    check(
        "def left = depFun((n: Nat) => fun(xs: Exp[(n*4).f32, Rd] => split(4, xs)))
         def written = depFun((n: Nat) => fun(xs: Exp[(n*4).f32, Rd] => split(n, f32, Rd, 4, xs)))
         def some = depFun((n: Nat) => fun(xs: Exp[(n*4).f32, Rd] => split(_, f32, _, 4, xs)))
         def wrongImplicit = depFun((n: Nat) => fun(xs: Exp[(n*4).f32, Rd] => split(n, i32, Rd, 4, xs)))
         def few = depFun((n: Nat) => fun(xs: Exp[n.f32, Rd] => mapSeq(split(4), xs)))
         def many = depFun((n: Nat) => fun(xs: Exp[n.f32, Rd] => split(4, 4, xs)))
         def dimension = depFun((n: Nat) => fun(xs: Exp[n.f32, Rd] => mapGlobal(1, fun(x => x), xs)))
         def dimensions = depFun((n: Nat) => fun(xs: Exp[n.f32, Rd] => mapGlobal(3, n, f32, f32, fun(x => x), xs)))
         def space = depFun((n: Nat) => fun(xs: Exp[n.f32, Rd] => toMem(Local, mapSeq(fun(x => x), xs))))
         def noSpace = depFun((n: Nat) => fun(xs: Exp[n.f32, Rd] => toMem(n.f32, mapSeq(fun(x => x), xs))))
         def made = fun(x: Exp[f32, Rd] => makeArray(3, x, x, 1.0f))
         def madeWritten = fun(x: Exp[f32, Rd] => makeArray(f32, 2, x, x))
         def madeWrong = fun(x: Exp[f32, Rd] => makeArray(3, x, x))
         def defs = depFun((n: Nat) => fun(xs: Exp[(n*4).f32, Rd] => left(n, xs)))
         def unknownName = fun(x: Exp[f32, Rd] => mapSq(fun(y => y), x))",
        expect![[r#"
            left : (n: Nat) -> Exp[(n*4).f32, Rd] -> Exp[n.4.f32, Rd]
            written : (n: Nat) -> Exp[(n*4).f32, Rd] -> Exp[n.4.f32, Rd]
            some : (n: Nat) -> Exp[(n*4).f32, Rd] -> Exp[n.4.f32, Rd]
            wrongImplicit : (n: Nat) -> Exp[(n*4).f32, Rd] -> _
              Error[type-mismatch] at `xs`: `split` expects `Exp[(n*4).i32, Rd]` here, and this is `Exp[(n*4).f32, Rd]`
                expected: Exp[(n*4).i32, Rd]
                   found: Exp[(n*4).f32, Rd]
            few : {t: DataType} -> (n: Nat) -> Exp[n.f32, Rd] -> Exp[n.t, Wr]
              Error[type-mismatch] at `split`: `split` takes 2 arguments, or 5 if the implicit ones are written, found 1 argument
                help: its type is `{m: Nat} -> {t: DataType} -> {a: ReadWrite} -> (n: Nat) -> Exp[(m*n).t, a] -> Exp[m.n.t, a]`
            many : (n: Nat) -> Exp[n.f32, Rd] -> _
              Error[not-a-function] at `xs`: `split` takes 2 arguments, or 5 if the implicit ones are written, found 3 arguments
                help: its type is `{m: Nat} -> {t: DataType} -> {a: ReadWrite} -> (n: Nat) -> Exp[(m*n).t, a] -> Exp[m.n.t, a]`
            dimension : (n: Nat) -> Exp[n.f32, Rd] -> Exp[n.f32, Wr]
            dimensions : (n: Nat) -> Exp[n.f32, Rd] -> Exp[n.f32, Wr]
              Error[kind-mismatch] at `3`: the dimension of `mapGlobal` is 0, 1 or 2, not 3
            space : (n: Nat) -> Exp[n.f32, Rd] -> Exp[n.f32, Rd]
            noSpace : (n: Nat) -> Exp[n.f32, Rd] -> Exp[n.f32, Rd]
            made : Exp[f32, Rd] -> Exp[3.f32, Rd]
            madeWritten : Exp[f32, Rd] -> Exp[2.f32, Rd]
            madeWrong : Exp[f32, Rd] -> _
              Error[kind-mismatch] at `makeArray`: `makeArray` takes the number of elements first, and then that many values
                help: write `makeArray(2, x, y)`
            defs : (n: Nat) -> Exp[(n*4).f32, Rd] -> Exp[n.4.f32, Rd]
            unknownName : Exp[f32, Rd] -> _
              Error[unknown-name] at `mapSq`: cannot find `mapSq` in this scope
                help: did you mean `mapSeq`?
        "#]],
    );
}

#[test]
fn sizes() {
    check(
        "def obligation = depFun((n: Nat) => fun(xs: Exp[n.f32, Rd] => split(4, xs)))
         def mismatch = depFun((n: Nat, m: Nat) => fun((xs: Exp[n.f32, Rd], ys: Exp[m.f32, Rd]) => zip(xs, ys)))
         def outside = fun(xs: Exp[4.f32, Rd] => idx(4, xs))
         def asValue = depFun((n: Nat) => fun(out: Acc[natType] => out = n + 1; out = min(n, 4) * 2; out = n ^ 2))
         def dependent = depFun((n: Nat) => fun((out: Acc[n..dataFun(i => (i+1).f32)], x: Exp[f32, Rd]) =>
           parForNat(n, dataFun(i => (i+1).f32), out, depFun(i: Nat => fun(o => parFor(i + 1, f32, o, fun((j, p) => p = x)))))))",
        expect![[r#"
            obligation : (n: Nat) -> Exp[n.f32, Rd] -> Exp[(n/4).4.f32, Rd] where 4 divides n
              Information[obligation] at `xs`: assumes 4 divides n
                help: the condition is checked before each run, and each use of the definition must meet it
            mismatch : (n: Nat) -> (m: Nat) -> Exp[n.f32, Rd] -> Exp[m.f32, Rd] -> Exp[n.(f32, f32), Rd]
              Error[size-mismatch] at `ys`: `zip` expects the size `n` here, and this has `m`
                expected: Exp[n.f32, a]
                   found: Exp[m.f32, Rd]
                they differ for n = 0, m = 1
            outside : Exp[4.f32, Rd] -> Exp[f32, Rd]
              Error[literal-out-of-range] at `4`: the index 4 is outside of `Idx[4]`
                help: indices go from 0 to 3
            asValue : (n: Nat) -> Acc[natType] -> Comm
            dependent : (n: Nat) -> Acc[n..dataFun(i => (i+1).f32)] -> Exp[f32, Rd] -> Comm
        "#]],
    );
}

#[test]
fn access_parameters() {
    check(
        "def rows : (n: Nat) -> {a: ReadWrite} -> Exp[(n*4).f32, a] -> Exp[n.4.f32, a] =
           depFun(n: Nat => fun(xs => split(4, xs)))
         def read = depFun((n: Nat) => fun(xs: Exp[(n*4).f32, Rd] => rows(n, xs)))
         def write = depFun((n: Nat) => fun(xs: Exp[(n*4).f32, Rd] => rows(n, mapSeq(fun(x => x), xs))))
         def explicit = depFun((n: Nat, w: ReadWrite) => fun(xs: Exp[(n*4).f32, w] => rows(n, xs)))
         def scalar : (w: ReadWrite) -> Exp[f32, Rd] -> Exp[f32, w] = depFun(w: ReadWrite => fun(x => x))
         def wrong : (n: Nat) -> (w: ReadWrite) -> Exp[n.f32, Rd] -> Exp[n.f32, w] =
           depFun((n: Nat, w: ReadWrite) => fun(x => x))
         def given = depFun((n: Nat) => fun(f: (a: ReadWrite) -> Exp[n.f32, a] -> Exp[n.f32, a] =>
           fun(xs: Exp[n.f32, Rd] => f(Wr, mapSeq(fun(x => x), f(Rd, xs))))))
         def notAnAccess = depFun((n: Nat) => fun(xs: Exp[n.f32, Rd] => split(n, f32, n, 4, xs)))",
        expect![[r#"
            rows : (n: Nat) -> {a: ReadWrite} -> Exp[(n*4).f32, a] -> Exp[n.4.f32, a]
            read : (n: Nat) -> Exp[(n*4).f32, Rd] -> Exp[n.4.f32, Rd]
            write : (n: Nat) -> Exp[(n*4).f32, Rd] -> Exp[n.4.f32, Wr]
            explicit : (n: Nat) -> (w: ReadWrite) -> Exp[(n*4).f32, w] -> Exp[n.4.f32, w]
            scalar : (w: ReadWrite) -> Exp[f32, Rd] -> Exp[f32, w]
            wrong : (n: Nat) -> (w: ReadWrite) -> Exp[n.f32, Rd] -> Exp[n.f32, w]
              Error[missing-copy] at `x`: this value of type `n.f32` can only be read (`Rd`), and the definition's type expects one that is not yet written to memory (`Wr`)
                help: a copy is a loop of its own: `mapSeq(fun(x => x), …)`
            given : (n: Nat) -> ((a: ReadWrite) -> Exp[n.f32, a] -> Exp[n.f32, a]) -> Exp[n.f32, Rd] -> Exp[n.f32, Wr]
            notAnAccess : (n: Nat) -> Exp[n.f32, Rd] -> _
              Error[kind-mismatch] at `n`: expected `Rd`, `Wr` or `St`, found the size `n`
        "#]],
    );
}

#[test]
fn functions_of_phrases() {
    check(
        "def apply = fun((f: Exp[f32, Rd] -> Exp[f32, Rd], x: Exp[f32, Rd]) => mapSeq(f, makeArray(1, x)))
         def narrower = fun((f: Exp[f32, Wr] -> Exp[f32, Wr], xs: Exp[4.f32, Rd]) => mapSeq(f, xs))
         def wider = fun((f: Exp[4.f32, Wr] -> Exp[f32, Wr], xs: Exp[3.4.f32, Rd]) => mapSeq(f, xs))
         def composed = fun(xs: Exp[4.f32, Rd] => xs |> (fun(x => map(fun(y => -y), x)) >> fun(x => mapSeq(fun(y => y), x))))
         def body = fun((c: Exp[Idx[4], Rd] -> Comm) => for(4, c))
         def acceptors = fun((out: Acc[3.4.f32], xs: Exp[3.4.f32, Rd]) =>
           parFor(3, 4.f32, mapAcc(fun(row => row), out), fun((i, row) => parFor(4, f32, row, fun((j, o) => o = 1.0f)))))",
        expect![[r#"
            apply : (Exp[f32, Rd] -> Exp[f32, Rd]) -> Exp[f32, Rd] -> Exp[1.f32, Wr]
            narrower : (Exp[f32, Wr] -> Exp[f32, Wr]) -> Exp[4.f32, Rd] -> Exp[4.f32, Wr]
            wider : (Exp[4.f32, Wr] -> Exp[f32, Wr]) -> Exp[3.4.f32, Rd] -> Exp[3.f32, Wr]
              Error[missing-copy] at `f`: this parameter takes a value of type `4.f32` that is not yet written to memory, and `mapSeq` passes one that can only be read
                help: write `Rd` in the parameter's type: the argument can only be read
            composed : Exp[4.f32, Rd] -> Exp[4.f32, Wr]
            body : (Exp[Idx[4], Rd] -> Comm) -> Comm
            acceptors : Acc[3.4.f32] -> Exp[3.4.f32, Rd] -> Comm
        "#]],
    );
}

#[test]
fn indices_of_a_reordered_acceptor_are_below_its_size() {
    check(
        "def back = depFun((n: Nat) => fun((out: Acc[n.f32], xs: Exp[n.f32, Rd]) =>
           for(n, fun(i => idxAcc(i, reorderAcc(n, natFun(j => n - 1 - j), out)) = idx(i, xs)))))
         def outside = depFun((n: Nat) => fun((out: Acc[n.f32], xs: Exp[n.f32, Rd]) =>
           for(n, fun(i => idxAcc(i, reorderAcc(n, natFun(j => j + 1), out)) = idx(i, xs)))))",
        expect![[r#"
            back : (n: Nat) -> Acc[n.f32] -> Exp[n.f32, Rd] -> Comm
            outside : (n: Nat) -> Acc[n.f32] -> Exp[n.f32, Rd] -> Comm
              Error[obligation-fails] at `reorderAcc`: the function of `reorderAcc` must map each index of the array to an index of the array
        "#]],
    );
}

#[test]
fn a_command_takes_memory_by_new() {
    check(
        "def f = depFun((n: Nat) => fun((out: Acc[n.f32], xs: Exp[n.f32, Rd]) =>
           for(n, fun(i => idxAcc(i, out) = idx(i, mapSeq(fun(x => x), xs))))))",
        expect![[r#"
            f : (n: Nat) -> Acc[n.f32] -> Exp[n.f32, Rd] -> Comm
              Error[missing-memory] at `mapSeq(fun(x => x), xs)`: `idx` reads this value of type `n.f32`, which is not yet written to memory
                help: a command takes memory with `new(t, fun((acceptor, expression) => …))`, writes the value there with loops and assignments, and reads it behind them
        "#]],
    );
}

#[test]
fn an_access_that_nothing_binds() {
    check(
        "def f = depFun((n: Nat) => fun(xs: Exp[n.f32, RW] => xs))
         def g = depFun((n: Nat) => fun(xs: Exp[n.f32, a] => xs))",
        expect![[r#"
            f : (n: Nat) -> Exp[n.f32, Rd] -> Exp[n.f32, Rd]
              Error[unknown-name] at `RW`: cannot find the access `RW` in this scope
                help: did you mean `Wr`?
            g : (n: Nat) -> Exp[n.f32, Rd] -> Exp[n.f32, Rd]
              Error[unknown-name] at `a`: cannot find the access `a` in this scope
                help: an access is `Rd`, `Wr` or `St`, or a parameter: `{a: ReadWrite} -> …` in a type
        "#]],
    );
}
