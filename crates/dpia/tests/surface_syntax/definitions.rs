//! Tests of messages about definitions that are written in DPIA, and of their compilation.

use codegen::Target;
use dpia::definition::{self, Stage};
use dpia::functional::DefinitionSource;
use expect_test::{Expect, expect};
use syntax::Diagnostic;

use super::source::{Definition, definitions};

fn show(definition: &Definition, found: &[Diagnostic]) -> String {
    let text = |span| &definition.text[std::ops::Range::<usize>::from(span)];
    let mut out = String::new();
    for found in found {
        let (code, place) = (found.code.as_str(), text(found.span));
        out.push_str(&format!(
            "{}[{code}] at {place}: {}\n",
            definition.name, found.message
        ));
        for related in &found.related {
            let place = match related.place.item {
                None => text(related.place.span),
                Some(_) => "(elsewhere)",
            };
            out.push_str(&format!("  {}: {place}\n", related.message));
        }
        if let Some(help) = &found.help {
            out.push_str(&format!("  help: {help}\n"));
        }
        for fix in &found.fixes {
            out.push_str(&format!("  fix: {}\n", fix.title));
        }
    }
    out
}

/// Checks the messages about each definition of a text that are independent of a target.
fn check(text: &str, expected: Expect) {
    let mut out = String::new();
    for definition in definitions(text) {
        let found = definition::check(&definition.linked, definition.written());
        out.push_str(&show(&definition, &found));
    }
    expected.assert_eq(&out);
}

/// Checks the messages about each definition of a text for a target.
fn target(target: Target, text: &str, expected: Expect) {
    let mut out = String::new();
    for definition in definitions(text) {
        let written: DefinitionSource = definition.written();
        assert_eq!(definition::check(&definition.linked, written), []);
        let compiled = definition::for_target(&definition.linked, target.features(), written);
        match compiled.program {
            Some(_) => out.push_str(&format!("{}: {:?}\n", definition.name, compiled.stage)),
            None => assert_ne!(compiled.diagnostics, []),
        }
        out.push_str(&show(&definition, &compiled.diagnostics));
    }
    expected.assert_eq(&out);
}

#[test]
fn races_are_errors_with_both_places() {
    check(
        "def last = depFun((n: Nat) => fun((out: Acc[n.f32], last: Acc[f32], xs: Exp[n.f32, Rd]) =>
           parFor(n, f32, out, fun((i, o) => o = idx(i, xs); last = idx(i, xs)))))
         def neighbour = depFun((n: Nat) => fun((out: Acc[(n+1).f32], xs: Exp[(n+1).f32, Rd]) =>
           new((n+1).f32, fun((acc, exp) =>
             parFor(n + 1, f32, acc, fun((i, o) => o = idx(0, exp)));
             parFor(n + 1, f32, out, fun((i, o) => o = idx(0, exp)))))))
         def command = depFun((n: Nat) => fun((out: Acc[n.f32], c: Comm) =>
           parFor(n, f32, out, fun((i, o) => c; o = 2.0f))))",
        expect![[r#"
            last[data-race] at last: every iteration of `parFor` may write to `last`
              the iterations of this `parFor` run at once: parFor
              help: write to the acceptor that the loop gives its body, or make the loop a `for`
            neighbour[data-race] at exp: `exp` is read here while other iterations of `parFor` write it
              the iterations of this `parFor` run at once: parFor
              help: read it after the loop, read other memory, or make the loop a `for`
            command[data-race] at c: every iteration of `parFor` runs `c`, and what `c` writes is not known
              the iterations of this `parFor` run at once: parFor
              help: run the command outside of the loop, or make the loop a `for`
        "#]],
    );
}

/// A definition can be free of races by itself, and have one at a use that gives it an acceptor and
/// an expression of the same memory.
#[test]
fn races_between_definitions() {
    check(
        "def spread = depFun((n: Nat) => fun((out: Acc[n.f32], x: Exp[f32, Rd]) =>
           parFor(n, f32, out, fun((i, o) => o = x))))
         def fine = depFun((n: Nat) => fun((out: Acc[n.f32], x: Exp[f32, Rd]) => spread(n, out, x)))
         def shared = depFun((n: Nat) => fun((out: Acc[(n+1).f32], xs: Exp[(n+1).f32, Rd]) =>
           new((n+1).f32, fun((acc, exp) =>
             spread(n + 1, acc, idx(0, exp));
             for(n + 1, fun(i => idxAcc(i, out) = idx(i, exp)))))))
         def broken = fun((c: Comm, out: Acc[4.f32]) => parFor(4, f32, out, fun((i, o) => c; o = 2.0f)))
         def uses = fun(out: Acc[4.f32] => broken(skip, out))",
        expect![[r#"
            shared[data-race] at exp: `exp` is read here while other iterations of `parFor` write it
              the iterations of this `parFor` run at once: (elsewhere)
              help: read it after the loop, read other memory, or make the loop a `for`
            broken[data-race] at c: every iteration of `parFor` runs `c`, and what `c` writes is not known
              the iterations of this `parFor` run at once: parFor
              help: run the command outside of the loop, or make the loop a `for`
        "#]],
    );
}

#[test]
fn address_spaces_are_everywhere_or_nowhere() {
    check(
        "def mixed = fun((out: Acc[f32], x: Exp[f32, Rd]) =>
           new(Private, f32, fun((a, e) => new(f32, fun((b, f) => a = x; b = e; out = f)))))",
        expect![[r#"
            mixed[address-space] at new: this `new` has no address space, and other memory of the program has one
              memory with an address space: new
              help: memory without an address space is for C and OpenMP, with one for OpenCL: write it everywhere, as in `new(Private, …)`, or nowhere
        "#]],
    );
}

const PROGRAMS: &str = "
def functional = depFun((n: Nat) => fun(xs: Exp[n.f32, Rd] => mapSeq(fun(x => x * 2.0f), xs)))
def imperative = depFun((n: Nat) => fun((out: Acc[n.f32], xs: Exp[n.f32, Rd]) =>
  for(n, fun(i => idxAcc(i, out) = idx(i, xs)))))
def threads = depFun((n: Nat) => fun((out: Acc[n.f32], xs: Exp[n.f32, Rd]) =>
  parFor(n, f32, out, fun((i, o) => new(f32, fun((acc, exp) => acc = idx(i, xs); o = exp))))))
def items = depFun((n: Nat) => fun((out: Acc[n.f32], xs: Exp[n.f32, Rd]) =>
  parForGlobal(n, f32, out, fun((i, o) => new(Private, f32, fun((acc, exp) => acc = idx(i, xs); o = exp))))))
";

/// A number of undetermined type makes a definition generic over all number types, as in RISE.
#[test]
fn numbers_of_any_type() {
    let text = "def three = fun(x: Exp[i32, Rd] => 3)
         def used = fun(x: Exp[i32, Rd] => x + three(x))";
    check(text, expect![]);
    target(
        Target::C,
        text,
        expect![[r#"
            three[not-a-program] at three: `three` cannot be compiled: it takes a type-level parameter that is not a size
              help: a program takes sizes and data and returns data, or it is a command that also takes an acceptor
            used: Some(Functional)
        "#]],
    );
}

#[test]
fn programs_for_c() {
    target(
        Target::C,
        PROGRAMS,
        expect![[r#"
        functional: Some(Functional)
        imperative: Some(Imperative)
        threads[not-on-target] at parFor: C has no `parFor`
          help: write a `for`, with `idxAcc` for its element
        items[not-on-target] at parForGlobal: C has no `parForGlobal`
          help: write a `for`, with `idxAcc` for its element
        items[not-on-target] at new: C has no Private memory
          help: leave the address space of `new` out
    "#]],
    );
}

#[test]
fn programs_for_openmp() {
    target(
        Target::OpenMp,
        PROGRAMS,
        expect![[r#"
        functional: Some(Functional)
        imperative: Some(Imperative)
        threads: Some(Imperative)
        items[not-on-target] at parForGlobal: OpenMP has no `parForGlobal`
          help: for OpenMP write `parFor`
        items[not-on-target] at new: OpenMP has no Private memory
          help: leave the address space of `new` out
    "#]],
    );
}

#[test]
fn programs_for_opencl() {
    target(
        Target::OpenCl,
        PROGRAMS,
        expect![[r#"
            functional[written-by-all] at mapSeq: every work-item runs all of this `mapSeq`, and all write the result of `functional`
            each work-item that is launched runs the whole kernel
              help: distribute the iterations: `mapGlobal`
              fix: Replace with `mapGlobal`
            imperative: Some(Imperative)
            threads[not-on-target] at parFor: OpenCL has no `parFor`
              help: for OpenCL write `parForGlobal`, or `parForWorkGroup` and `parForLocal`
            threads[address-space] at new: this `new` does not say in which memory it is
              help: write the address space first, as in `new(Private, …)`
            items: Some(Imperative)
        "#]],
    );
}

#[test]
fn what_is_no_program() {
    target(
        Target::C,
        "def helper = fun(c: Comm => c; c)
         def generic = depFun((t: DataType) => fun((out: Acc[t], x: Exp[t, Rd]) => skip))
         def nowhere = fun(x: Exp[f32, Rd] => skip)
         def twice = fun((a: Acc[f32], b: Acc[f32]) => a = 1.0f; b = 2.0f)
         def written = fun(x: Exp[4.f32, Wr] => x)
         def streamed = depFun((n: Nat) => fun(xs: Exp[n.f32, Rd] => mapStream(fun(x => x), xs)))
         def read = depFun((n: Nat) => fun(xs: Exp[n.f32, Rd] => xs))
         def single = fun(f: Exp[4.f32, Rd] => idx(0, f))",
        expect![[r#"
            helper[not-a-program] at helper: `helper` cannot be compiled: it takes a function or a command, and only data can be passed
              help: a program takes sizes and data and returns data, or it is a command that also takes an acceptor
            generic[not-a-program] at generic: `generic` cannot be compiled: it takes a type-level parameter that is not a size
              help: a program takes sizes and data and returns data, or it is a command that also takes an acceptor
            nowhere[not-a-program] at nowhere: `nowhere` writes nothing that a caller could read
              help: take an acceptor, `output: Acc[…]`
            twice: Some(Imperative)
            written[not-a-program] at written: the parameter `x` must be readable (`Rd`), and its type says that it is not yet written (`Wr`)
              help: write `Rd` in its type
            streamed[stream-as-array] at mapStream: no loop writes this stream to the result of `streamed`
              help: a stream can be read by `mapStream`, `zip` and windows, and is written to an array by `iterateStream`
            read[missing-copy] at xs: no loop copies this array to the result of `read`
              help: a copy is a loop of its own: `mapSeq(fun(x => x), …)`
            single: Some(Functional)
        "#]],
    );
}

/// Functional programs are checked beyond the table of accesses.
#[test]
fn what_is_checked_of_functional_programs() {
    target(
        Target::C,
        "def computed = depFun((n: Nat) => fun((xs: Exp[n.4.f32, Rd], ys: Exp[4.f32, Rd]) =>
           map(fun(row => mapSeq(fun(x => x), ys)), mapSeq(fun(row => mapSeq(fun(x => x), row)), xs))))
         def moved = depFun((n: Nat) => fun(xs: Exp[n.4.4.f32, Rd] =>
           mapSeq(fun(row => mapSeq(fun(x => x), row)), reduceSeq(fun((acc, x) =>
             mapSeq(fun(rows => mapSeq(fun(p => p._1 + p._2), zip(rows._1, rows._2))), zip(transpose(acc), x))),
             mapSeq(fun(i => mapSeq(fun(j => 0.0f), generate(fun(j => j)))), generate(fun(i => i))), xs))))
         def par = depFun((n: Nat) => fun(xs: Exp[n.f32, Rd] => mapPar(fun(x => x), xs)))
         def none = fun(xs: Exp[4.f32, Rd] => iterate(0, depFun(l: Nat => fun(x => mapSeq(fun(y => y), x))), xs))",
        expect![[r#"
            computed[missing-choice] at map: `map` does not say how it is computed, and its result is written
              help: write `mapSeq`
              fix: Choose `mapSeq`
            computed[missing-memory] at mapSeq: `map` reads the result of `mapSeq`, which is not stored in memory
              read here: map
              help: `toMem(…)` writes a value to memory, from where it is read
            moved[accumulator-moved] at fun: the function of `reduceSeq` reads another element of the accumulator than the one that it writes
              read here, where it may be overwritten already: acc
              help: the accumulator is written in place: store the result before it is copied there
            par[not-on-target] at mapPar: C has no `mapPar`
              help: write `mapSeq`
              fix: Replace with `mapSeq`
            none[obligation-fails] at iterate: compiled code needs at least 1 round of `iterate`, found 0
              help: the last round of `iterate` writes the result
        "#]],
    );
}

#[test]
fn stages_by_type() {
    let stages: Vec<(String, Option<Stage>)> = definitions(PROGRAMS)
        .iter()
        .map(|definition| {
            (
                definition.name.clone(),
                Stage::of(&definition.linked.body.ty),
            )
        })
        .collect();
    let functional = stages
        .iter()
        .filter(|(_, stage)| *stage == Some(Stage::Functional));
    assert_eq!(functional.count(), 1);
}
