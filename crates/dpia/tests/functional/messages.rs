//! Tests of messages about programs that cannot be compiled, their places and their fixes.

use codegen::Target::{self, C, OpenCl, OpenMp};
use expect_test::{Expect, expect};

use crate::file::{check, each_fix_helps, mended};

/// Checks the messages about `main`, and the text after the first fixes.
pub fn say(target: Target, text: &str, expected: Expect) {
    let def = check(text, "main", target);
    let mut shown = def.shown();
    if def.diagnostics.iter().any(|found| !found.fixes.is_empty()) {
        each_fix_helps(text, "main", target);
        shown.push_str(&format!(
            "mended: {}\n",
            mended(text, "main", target).trim()
        ));
    }
    expected.assert_eq(&shown);
}

#[test]
fn arrays_that_select_chooses_between() {
    let chosen = "def main = depFun(n: Nat => fun(c: bool, xs: n.f32, ys: n.f32 =>\n  \
        select(c)(xs |> mapSeq(fun(x => x + 1.0f)))(ys)))";
    say(
        C,
        chosen,
        expect![[r#"
            error[missing-copy] at ys
              no loop copies this array to the result of `main`
              help: copy the array: `|> mapSeq(id)`
              fix: Copy: `mapSeq(id)`
            mended: def main = depFun(n: Nat => fun(c: bool, xs: n.f32, ys: n.f32 =>
              select(c)(xs |> mapSeq(fun(x => x + 1.0f)))(ys |> mapSeq(id))))
        "#]],
    );
    let both = "def main = depFun(n: Nat => fun(c: bool, xs: n.f32, ys: n.f32 =>\n  \
        select(c)(xs |> mapSeq(fun(x => x + 1.0f)))(ys |> mapSeq(fun(x => x * 2.0f)))))";
    say(C, both, expect![""]);
}

#[test]
fn memory_for_c() {
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: n.f32 =>\n  \
           xs |> mapSeq(fun(x => x * 2.0f)) |> mapSeq(fun(x => x + 1.0f))))",
        expect![[r#"
            error[missing-memory] at mapSeq(fun(x => x * 2.0f))
              `mapSeq(fun(x => x + 1.0f))` reads the result of `mapSeq(fun(x => x * 2.0f))`, which is not stored in memory
              read here: mapSeq(fun(x => x + 1.0f))
              help: store the result before it is read: `|> toMem`
              fix: Store in memory: `toMem`
            mended: def main = depFun(n: Nat => fun(xs: n.f32 =>
              xs |> mapSeq(fun(x => x * 2.0f)) |> toMem |> mapSeq(fun(x => x + 1.0f))))
        "#]],
    );
}

#[test]
fn memory_between_functions() {
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: n.f32 =>\n  \
           xs |> (mapSeq(fun(x => x * 2.0f)) >> mapSeq(fun(x => x + 1.0f)))))",
        expect![[r#"
            error[missing-memory] at mapSeq(fun(x => x * 2.0f))
              `mapSeq(fun(x => x + 1.0f))` reads the result of `mapSeq(fun(x => x * 2.0f))`, which is not stored in memory
              read here: mapSeq(fun(x => x + 1.0f))
              help: store the result before it is read: `|> toMem`
              fix: Store in memory: `toMem`
            mended: def main = depFun(n: Nat => fun(xs: n.f32 =>
              xs |> (mapSeq(fun(x => x * 2.0f)) >> toMem >> mapSeq(fun(x => x + 1.0f)))))
        "#]],
    );
}

#[test]
fn memory_for_a_name() {
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: n.f32 =>\n  \
           let ys = mapSeq(fun(x => x * 2.0f))(xs) in zip(ys)(ys) |> mapSeq(fun(p => p._1 * p._2))))",
        expect![[r#"
            error[missing-memory] at mapSeq(fun(x => x * 2.0f))
              `let` reads the result of `mapSeq(fun(x => x * 2.0f))`, which is not stored in memory
              read here: let
              help: store the result before it is read: `|> toMem`
              fix: Store in memory: `toMem`
            mended: def main = depFun(n: Nat => fun(xs: n.f32 =>
              let ys = mapSeq(fun(x => x * 2.0f))(xs) |> toMem in zip(ys)(ys) |> mapSeq(fun(p => p._1 * p._2))))
        "#]],
    );
}

#[test]
fn memory_before_a_view() {
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: (n + 2).f32 =>\n  \
           slide(3)(1)(mapSeq(fun(x => x * 2.0f))(xs)) |> mapSeq(reduceSeq(add)(0.0f))))",
        expect![[r#"
            error[missing-memory] at mapSeq(fun(x => x * 2.0f))
              `slide(3)(1)` reads the result of `mapSeq(fun(x => x * 2.0f))`, which is not stored in memory
              read here: slide(3)(1)
              help: store the result before it is read: `|> toMem`
              fix: Store in memory: `toMem`
            mended: def main = depFun(n: Nat => fun(xs: (n + 2).f32 =>
              slide(3)(1)(mapSeq(fun(x => x * 2.0f))(xs) |> toMem) |> mapSeq(reduceSeq(add)(0.0f))))
        "#]],
    );
}

#[test]
fn memory_for_what_another_definition_writes() {
    say(
        C,
        "def twice : {n: Nat} -> n.f32 -> n.f32 = fun(xs => xs |> mapSeq(fun(x => x * 2.0f)))\n\
         def main = depFun(n: Nat => fun(xs: n.f32 => xs |> twice |> reduceSeq(add)(0.0f)))",
        expect![[r#"
            error[missing-memory] at twice
              `reduceSeq(add)` reads the result of `twice`, which is not stored in memory
              read here: reduceSeq(add)
              `twice` uses `mapSeq` here: (elsewhere)
              help: store the result before it is read: `|> toMem`
              fix: Store in memory: `toMem`
            mended: def main = depFun(n: Nat => fun(xs: n.f32 => xs |> twice |> toMem |> reduceSeq(add)(0.0f)))
        "#]],
    );
}

#[test]
fn a_matrix_product_without_choices() {
    let text = "def main = depFun((n: Nat, m: Nat) => fun(M: n.m.f32 => fun(x: m.f32 =>\n  \
           M |> map(fun(row => zip(row)(x) |> map(fun(ax => fst(ax) * snd(ax))) |> reduce(add)(0.0f))))))";
    say(
        C,
        text,
        expect![[r#"
        error[missing-choice] at map
          `map` does not say how it is computed, and its result is written
          help: write `mapSeq`
          fix: Choose `mapSeq`
        error[missing-choice] at reduce
          `reduce` does not say how it is computed
          help: write `reduceSeq`
          fix: Choose `reduceSeq`
        mended: def main = depFun((n: Nat, m: Nat) => fun(M: n.m.f32 => fun(x: m.f32 =>
          M |> mapSeq(fun(row => zip(row)(x) |> map(fun(ax => fst(ax) * snd(ax))) |> reduceSeq(add)(0.0f))))))
    "#]],
    );
    say(
        OpenMp,
        text,
        expect![[r#"
        error[missing-choice] at map
          `map` does not say how it is computed, and its result is written
          help: choose one of `mapPar`, `mapSeq`
          fix: Choose `mapPar`
          fix: Choose `mapSeq`
        error[missing-choice] at reduce
          `reduce` does not say how it is computed
          help: choose one of `reduceSeq`, `reducePar`
          fix: Choose `reduceSeq`
          fix: Choose `reducePar`
        mended: def main = depFun((n: Nat, m: Nat) => fun(M: n.m.f32 => fun(x: m.f32 =>
          M |> mapPar(fun(row => zip(row)(x) |> map(fun(ax => fst(ax) * snd(ax))) |> reduceSeq(add)(0.0f))))))
    "#]],
    );
    say(
        OpenCl,
        text,
        expect![[r#"
            error[missing-choice] at map
              `map` does not say how it is computed, and its result is written
              help: write `mapGlobal`
              fix: Choose `mapGlobal`
            error[missing-choice] at reduce
              `reduce` does not say how it is computed
              help: write `reduceSeq(Private)`
              fix: Choose `reduceSeq(Private)`
            mended: def main = depFun((n: Nat, m: Nat) => fun(M: n.m.f32 => fun(x: m.f32 =>
              M |> mapGlobal(fun(row => zip(row)(x) |> map(fun(ax => fst(ax) * snd(ax))) |> reduceSeq(Private)(add)(0.0f))))))
        "#]],
    );
}

#[test]
fn copies() {
    say(
        C,
        "def main = fun(xs: 8.f32 => xs)",
        expect![[r#"
            error[missing-copy] at xs
              no loop copies this array to the result of `main`
              help: copy the array: `|> mapSeq(id)`
              fix: Copy: `mapSeq(id)`
            mended: def main = fun(xs: 8.f32 => xs |> mapSeq(id))
        "#]],
    );
    say(
        OpenMp,
        "def main = fun(xs: 8.4.f32 => xs |> split(2))",
        expect![[r#"
            error[missing-copy] at xs
              no loop copies this array to the result of `main`
              help: copy the array: `|> mapPar(mapSeq(id))`
              fix: Copy: `mapPar(mapSeq(id))`
            mended: def main = fun(xs: 8.4.f32 => xs |> mapPar(mapSeq(id)) |> split(2))
        "#]],
    );
    say(
        OpenCl,
        "def main = depFun(n: Nat => fun(xs: n.n.f32 => xs |> transpose))",
        expect![[r#"
            error[missing-copy] at xs
              no loop copies this array to the result of `main`
              help: copy the array: `|> mapGlobal(mapSeq(id))`
              fix: Copy: `mapGlobal(mapSeq(id))`
            mended: def main = depFun(n: Nat => fun(xs: n.n.f32 => xs |> mapGlobal(mapSeq(id)) |> transpose))
        "#]],
    );
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: n.f32 => xs |> padEmpty(4)))",
        expect![[r#"
            error[missing-copy] at xs
              no loop copies this array to the result of `padEmpty(4)`
              help: copy the array: `|> mapSeq(id)`
              fix: Copy: `mapSeq(id)`
            mended: def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(id) |> padEmpty(4)))
        "#]],
    );
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: n.f32 => zip(xs |> mapSeq(id))(xs)))",
        expect![[r#"
            error[missing-copy] at xs
              no loop copies this array to the result of `main`
              help: copy the array: `|> mapSeq(id)`
              fix: Copy: `mapSeq(id)`
            mended: def main = depFun(n: Nat => fun(xs: n.f32 => zip(xs |> mapSeq(id))(xs |> mapSeq(id))))
        "#]],
    );
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: n.4.f32 =>\n  \
           xs |> reduceSeq(fun(acc, row => zip(acc)(row) |> mapSeq(fun(p => p._1 + p._2))))(\n    \
             generate(fun(i => 0.0f))) |> mapSeq(id)))",
        expect![[r#"
            error[missing-copy] at generate(fun(i => 0.0f))
              no loop copies this array to the accumulator of `reduceSeq`
              help: copy the array: `|> mapSeq(id)`
              fix: Copy: `mapSeq(id)`
            mended: def main = depFun(n: Nat => fun(xs: n.4.f32 =>
              xs |> reduceSeq(fun(acc, row => zip(acc)(row) |> mapSeq(fun(p => p._1 + p._2))))(
                generate(fun(i => 0.0f)) |> mapSeq(id)) |> mapSeq(id)))
        "#]],
    );
}

#[test]
fn maps_that_only_have_to_be_copied() {
    say(
        C,
        "def main = fun(xs: 4.f32 => xs |> map(id))",
        expect![[r#"
            error[missing-choice] at map
              `map` does not say how it is computed, and its result is written
              help: choose one of `mapSeq`, `mapSeqUnroll`
              fix: Choose `mapSeq`
              fix: Choose `mapSeqUnroll`
            mended: def main = fun(xs: 4.f32 => xs |> mapSeq(id))
        "#]],
    );
    say(
        C,
        "def main = fun(xs: 4.2.3.f32 => xs |> map(transpose))",
        expect![[r#"
            error[missing-choice] at map
              `map` does not say how it is computed, and its result is written
              help: write its elements with a copy: `|> mapSeq(mapSeq(mapSeq(id)))`
              fix: Copy the result: `mapSeq(mapSeq(mapSeq(id)))`
            mended: def main = fun(xs: 4.2.3.f32 => xs |> map(transpose) |> mapSeq(mapSeq(mapSeq(id))))
        "#]],
    );
    say(
        C,
        "def main = fun(xs: 4.f32 => xs |> map(fun(x => x * 2.0f)) |> take(3))",
        expect![[r#"
            error[missing-choice] at map
              `map` does not say how it is computed, and its result is written
              help: write its elements with a copy: `|> mapSeq(id)`
              fix: Copy the result: `mapSeq(id)`
            mended: def main = fun(xs: 4.f32 => xs |> map(fun(x => x * 2.0f)) |> take(3) |> mapSeq(id))
        "#]],
    );
}

#[test]
fn what_targets_lack() {
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: n.n.f32 =>\n  \
           xs |> mapWorkGroup(mapLocal(1)(fun(x => x * 2.0f)))))",
        expect![[r#"
            error[not-on-target] at mapWorkGroup
              C has no `mapWorkGroup`
              help: write `mapSeq`
              fix: Replace with `mapSeq`
            error[not-on-target] at mapLocal
              C has no `mapLocal`
              help: write `mapSeq`
              fix: Replace with `mapSeq`
            mended: def main = depFun(n: Nat => fun(xs: n.n.f32 =>
              xs |> mapSeq(mapSeq(fun(x => x * 2.0f)))))
        "#]],
    );
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: n.f32 => xs |> reducePar(add)(0.0f)))",
        expect![[r#"
            error[not-on-target] at reducePar
              C has no `reducePar`
              help: write `reduceSeq`
              fix: Replace with `reduceSeq`
            mended: def main = depFun(n: Nat => fun(xs: n.f32 => xs |> reduceSeq(add)(0.0f)))
        "#]],
    );
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(id) |> toMem(Global) |> reduceSeq(Private)(add)(0.0f)))",
        expect![[r#"
            error[not-on-target] at toMem
              C has no Global memory
              help: leave the address space out: write `toMem`
              fix: Leave the address space out
            error[not-on-target] at reduceSeq
              C has no Private memory
              help: leave the address space out: write `reduceSeq`
              fix: Leave the address space out
            mended: def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(id) |> toMem |> reduceSeq(add)(0.0f)))
        "#]],
    );
    say(
        OpenMp,
        "def main = fun(x: f16 => x * 2.0f16)",
        expect![[r#"
            error[not-on-target] at x
              OpenMP has no `f16`
              help: compute with `f32`
        "#]],
    );
}

#[test]
fn threads_in_threads() {
    say(
        OpenMp,
        "def main = depFun(n: Nat => fun(xs: n.n.f32 => xs |> mapPar(mapPar(fun(x => x * 2.0f)))))",
        expect![[r#"
            hint[wrong-nesting] at mapPar
              this `mapPar` runs inside of `mapPar`, which already uses all threads
              inside this: mapPar(mapPar(fun(x => x * 2.0f)))
              help: write `mapSeq`
              fix: Replace with `mapSeq`
            mended: def main = depFun(n: Nat => fun(xs: n.n.f32 => xs |> mapPar(mapPar(fun(x => x * 2.0f)))))
        "#]],
    );
}

#[test]
fn definitions_that_are_no_programs() {
    say(
        C,
        "def main = fun(f: f32 -> f32, x: f32 => f(x))",
        expect![[r#"
            error[not-a-program] at main
              `main` cannot be compiled on its own: its parameter `f` is a function
              help: write a definition that applies this definition to a function, and compile that
        "#]],
    );
    say(
        C,
        "def main = depFun(t: DataType => fun(x: t => x))",
        expect![[r#"
            error[not-a-program] at main
              `main` cannot be compiled on its own: its parameter `t` is a type
              help: write a definition that applies this definition to an argument for it, and compile that
        "#]],
    );
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: n.(f32, f32) => unzip(xs)))",
        expect![[r#"
            error[missing-copy] at xs
              no loop copies this array to the result of `main`
              help: copy the array: `|> mapSeq(id)`
              fix: Copy: `mapSeq(id)`
            mended: def main = depFun(n: Nat => fun(xs: n.(f32, f32) => unzip(xs |> mapSeq(id))))
        "#]],
    );
}

#[test]
fn every_reason_is_said_at_once() {
    let def = |text: &str| check(text, "main", C).shown();
    expect![[r#"
        error[not-a-program] at main
          `main` cannot be compiled on its own: its parameter `f` is a function
          help: write a definition that applies this definition to a function, and compile that
        error[not-a-program] at main
          `main` cannot be compiled on its own: its parameter `p` is a dependent pair
          help: take the size and the array as parameters of their own
        error[not-a-program] at main
          `main` cannot be compiled on its own: its parameter `g` is a function
          help: write a definition that applies this definition to a function, and compile that
        error[missing-choice] at reduce
          `reduce` does not say how it is computed
          help: write `reduceSeq`
          fix: Choose `reduceSeq`
        error[missing-choice] at map
          `map` does not say how it is computed, and its result is written
          help: write `mapSeq`
          fix: Choose `mapSeq`
    "#]].assert_eq(&def(
        "def main = depFun((n: Nat, m: Nat) => fun((f: f32 -> f32, xs: n.m.f32, p: DepPair[k => k.f32], g: f32 -> f32) =>\n  \
         xs |> map(reduce(add)(0.0f)) |> map(f) |> map(g)))",
    ));
    expect![[r#"
        error[not-a-program] at main
          `main` cannot be compiled on its own: its parameter `ys` has numbers of type `f16`
          help: C has no `f16`: take `f32`
        error[missing-memory] at mapSeq(reduce(add)(0.0f))
          `mapSeq(id)` reads the result of `mapSeq(reduce(add)(0.0f))`, which is not stored in memory
          read here: mapSeq(id)
          help: store the result before it is read: `|> toMem`
          fix: Store in memory: `toMem`
        error[missing-choice] at reduce
          `reduce` does not say how it is computed
          help: write `reduceSeq`
          fix: Choose `reduceSeq`
        error[not-on-target] at mapPar
          C has no `mapPar`
          help: write `mapSeq`
          fix: Replace with `mapSeq`
        error[not-on-target] at mapLocal
          C has no `mapLocal`
          help: write `mapSeq`
          fix: Replace with `mapSeq`
    "#]]
    .assert_eq(&def(
        "def main = depFun((n: Nat, m: Nat) => fun((xs: n.m.f32, ys: n.f16) =>\n  \
         (xs |> mapSeq(reduce(add)(0.0f)) |> mapSeq(id), xs |> mapPar(mapLocal(id)))))",
    ));
    expect![[r#"
        error[not-a-program] at main
          `main` cannot be compiled on its own: its result `DepPair[k => k.f32]` is a dependent pair
          help: return an array whose size follows from the parameters
        error[not-a-program] at main
          `main` cannot be compiled on its own: its parameter `ys` has numbers of type `f16`
          help: C has no `f16`: take `f32`
    "#]].assert_eq(&def(
        "def main = depFun(n: Nat => fun((xs: n.f32, ys: n.f16) => makeDepPair(n)(xs |> mapSeq(id))))",
    ));
}

#[test]
fn rounds() {
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: n.f32 => xs |> iterate(0)(depFun(l: Nat => fun(part => part |> mapSeq(id))))))",
        expect![[r#"
            error[obligation-fails] at iterate
              compiled code needs at least 1 round of `iterate`, found 0
              help: the last round of `iterate` writes the result
        "#]],
    );
}

#[test]
fn rounds_of_repeat() {
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: n.f32 => xs |> repeat(0)(mapSeq(id))))",
        expect![[r#"
            error[obligation-fails] at repeat
              compiled code needs at least 1 round of `repeat`, found 0
              help: the last round of `repeat` writes the result; `repeatInPlace` may have 0 rounds
        "#]],
    );
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: n.f32 => xs |> repeatInPlace(3)(mapSeq(id))))",
        expect![[r#"
            error[missing-copy] at xs
              no loop copies this array to the memory of `repeatInPlace`
              help: copy the array: `|> mapSeq(id)`
              fix: Copy: `mapSeq(id)`
            mended: def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(id) |> repeatInPlace(3)(mapSeq(id))))
        "#]],
    );
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(id) |> repeatInPlace(3)(fun(ys => ys |> padClamp(1)(0) |> take(n) |> mapSeq(id)))))",
        expect![[r#"
            error[accumulator-moved] at fun
              the function of `repeatInPlace` reads another element of the accumulator than the one that it writes
              read here, where it may be overwritten already: ys
              help: the accumulator is written in place: store the result before it is copied there
              fix: Store the result: `toMem |> mapSeq(id)`
            mended: def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(id) |> repeatInPlace(3)(fun(ys => ys |> padClamp(1)(0) |> take(n) |> mapSeq(id) |> toMem |> mapSeq(id)))))
        "#]],
    );
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: n.f32 => xs |> repeatWhile(3)(fun(ys => n < 3))(mapSeq(id))))",
        expect![[r#"
            error[missing-copy] at repeatWhile(3)(fun(ys => n < 3))(mapSeq(id))
              no loop copies this array to the result of `main`
              help: copy the array: `|> fun(p => (p._1, p._2 |> mapSeq(id)))`
              fix: Copy: `fun(p => (p._1, p._2 |> mapSeq(id)))`
            mended: def main = depFun(n: Nat => fun(xs: n.f32 => xs |> repeatWhile(3)(fun(ys => n < 3))(mapSeq(id)) |> fun(p => (p._1, p._2 |> mapSeq(id)))))
        "#]],
    );
    say(
        C,
        "def main = fun(x: i32 => (x |> repeat(3)(fun(y => y * y))) + 1)",
        expect![[r#"
            error[missing-memory] at repeat(3)(fun(y => y * y))
              `+` reads the result of `repeat(3)(fun(y => y * y))`, which is not stored in memory
              read here: (x |> repeat(3)(fun(y => y * y))) + 1
              help: store the result before it is read: `|> toMem`
              fix: Store in memory: `toMem`
            mended: def main = fun(x: i32 => (x |> repeat(3)(fun(y => y * y)) |> toMem) + 1)
        "#]],
    );
    say(
        C,
        "def main = fun(xs: 4.f32, ys: 4.f32 => (xs, ys) |> repeat(3)(fun(s => (s._2, s._1 |> mapSeq(id)))))",
        expect![[r#"
            error[missing-copy] at s._2
              no loop copies this array to the next round of `repeat`
              help: copy the array: `|> mapSeq(id)`
              fix: Copy: `mapSeq(id)`
            mended: def main = fun(xs: 4.f32, ys: 4.f32 => (xs, ys) |> repeat(3)(fun(s => (s._2 |> mapSeq(id), s._1 |> mapSeq(id)))))
        "#]],
    );
}

#[test]
fn library_definitions() {
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: n.f32, ys: n.f32 => dot(xs)(ys)))",
        expect![[r#"
            error[missing-choice] at dot
              `dot` uses `reduce`, which does not say how it is computed
              `dot` uses `reduce` here: (elsewhere)
              help: write out what it computes: `zip(xs)(ys) |> map(fun(p => p._1 * p._2)) |> reduceSeq(add)(0.0f)`
              fix: Write it out with `reduceSeq`
            mended: def main = depFun(n: Nat => fun(xs: n.f32, ys: n.f32 => zip(xs)(ys) |> map(fun(p => p._1 * p._2)) |> reduceSeq(add)(0.0f)))
        "#]],
    );
    say(
        C,
        "def main = depFun(n: Nat => fun(xss: n.n.f32 => xss |> map2D(fun(x => x * 2.0f))))",
        expect![[r#"
            error[missing-choice] at map2D
              `map2D` uses `map`, which does not say how it is computed, and its result is written
              `map2D` uses `map` here: (elsewhere)
              help: write out what it computes: `mapSeq(mapSeq(…))`
              fix: Write `mapSeq(mapSeq(…))`
            mended: def main = depFun(n: Nat => fun(xss: n.n.f32 => xss |> mapSeq(mapSeq(fun(x => x * 2.0f)))))
        "#]],
    );
    say(
        OpenCl,
        "def main = depFun((n: Nat, m: Nat, k: Nat) => fun(xss: n.m.k.f32 => map3D(fun(x => x * 2.0f), xss)))",
        expect![[r#"
            error[missing-choice] at map3D
              `map3D` uses `map`, which does not say how it is computed, and its result is written
              `map3D` uses `map` here: (elsewhere)
              help: write out what it computes: `mapGlobal(2)(mapGlobal(1)(mapGlobal(…)))` or `mapGlobal(mapSeq(mapSeq(…)))`
              fix: Write `mapGlobal(2)(mapGlobal(1)(mapGlobal(…)))`
              fix: Write `mapGlobal(mapSeq(mapSeq(…)))`
            mended: def main = depFun((n: Nat, m: Nat, k: Nat) => fun(xss: n.m.k.f32 => mapGlobal(2)(mapGlobal(1)(mapGlobal(fun(x => x * 2.0f))), xss)))
        "#]],
    );
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(id) |> toLocal |> mapSeq(id)))",
        expect![[r#"
            error[not-on-target] at toLocal
              C has no Local memory
              help: leave the address space out: write `toMem`
              fix: Leave the address space out
            mended: def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(id) |> toMem |> mapSeq(id)))
        "#]],
    );
}

#[test]
fn what_is_computed_more_than_once() {
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: (n + 2).f32 =>\n  \
           xs |> map(fun(x => x * x)) |> slide(3)(1) |> mapSeq(reduceSeq(add)(0.0f))))",
        expect![[r#"
            hint[recomputed] at map
              the elements of this `map` are computed again at each read: overlapping windows read an element several times
              these windows read it: slide(3)(1)
              help: to compute each element once, write the array with a loop and store it by `toMem`
        "#]],
    );
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: n.f32, ys: n.f32 =>\n  \
           ys |> mapSeq(fun(y => y + (xs |> map(fun(x => x * x)) |> reduceSeq(add)(0.0f))))))",
        expect![[r#"
            hint[recomputed] at map
              the elements of this `map` are computed again at each read: a loop reads all of them at each step
              this loop reads them: mapSeq(fun(y => y + (xs |> map(fun(x => x * x)) |> reduceSeq(add)(0.0f))))
              help: to compute each element once, write the array with a loop and store it by `toMem`
        "#]],
    );
    // Each row is read once.
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: n.n.f32 =>\n  \
           xs |> mapSeq(fun(row => row |> map(fun(x => x * x)) |> reduceSeq(add)(0.0f)))))",
        expect![[r#""#]],
    );
    // The windows do not overlap and compute nothing.
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: (2 * n + 2).(f32, f32) =>\n  \
           xs |> map(fst) |> slide(2)(2) |> mapSeq(reduceSeq(add)(0.0f))))",
        expect![[r#""#]],
    );
}

#[test]
fn a_fix_of_the_result_changes_the_written_type() {
    say(
        OpenCl,
        "def main : (n: Nat) -> n.f32 -> (n.f32, n.i32) = depFun(n: Nat => fun(xs =>\n  \
           (xs |> mapGlobal(id), xs |> mapGlobal(fun(x => 1)))))",
        expect![""],
    );
    say(
        OpenCl,
        "def main : (n: Nat) -> n.f32 -> (n.f32, n.f32) =\n  \
           depFun(n: Nat => fun(xs => xs |> mapGlobal(fun(x => (x, x))) |> unzip))",
        expect![""],
    );
}

#[test]
fn tuples_are_results_and_arrays_of_tuples_of_arrays_are_not() {
    for (text, target) in [
        ("(xs |> mapSeq(id), xs |> mapSeq(fun(x => x + 2.0f)))", C),
        ("xs |> mapSeq(fun(x => (x, x))) |> unzip", C),
        (
            "((xs |> mapSeq(id), 1.0f), (xs |> take(1) |> mapSeq(id), 2i32))",
            C,
        ),
        (
            "(xs |> mapGlobal(id), xs |> mapGlobal(fun(x => x + 2.0f)))",
            OpenCl,
        ),
    ] {
        let def = format!("def main = depFun(n: Nat => fun(xs: (n + 1).f32 => {text}))");
        assert_eq!(check(&def, "main", target).shown(), "", "{text}");
    }
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(fun(x => (xs |> mapSeq(id), x)))))",
        expect![[r#"
            error[not-a-program] at main
              `main` cannot be compiled on its own: its result `n.(n.f32, f32)` is an array of tuples that contain arrays
              help: return a tuple of arrays: `unzip` makes it of an array of tuples
              fix: Give a tuple of arrays: `unzip`
            mended: def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(fun(x => (xs |> mapSeq(id), x))) |> unzip))
        "#]],
    );
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: n.f32 =>\n  \
           (xs |> mapSeq(fun(x => (xs |> mapSeq(id), x))), makeDepPair(n)(xs |> mapSeq(id)))))",
        expect![[r#"
            error[not-a-program] at main
              `main` cannot be compiled on its own: the part `n.(n.f32, f32)` of its result is an array of tuples that contain arrays
              help: return a tuple of arrays: `unzip` makes it of an array of tuples
        "#]],
    );
    // One component is only read.
    say(
        OpenCl,
        "def main = depFun(n: Nat => fun(xs: n.f32 => (xs |> mapGlobal(id), xs)))",
        expect![[r#"
            error[missing-copy] at xs
              no loop copies this array to the result of `main`
              help: copy the array: `|> mapGlobal(id)`
              fix: Copy: `mapGlobal(id)`
            mended: def main = depFun(n: Nat => fun(xs: n.f32 => (xs |> mapGlobal(id), xs |> mapGlobal(id))))
        "#]],
    );
    say(
        OpenCl,
        "def main = depFun(n: Nat => fun(xs: n.f32 =>\n  \
           (xs |> mapGlobal(id), (1.0f, xs |> reduceSeq(Private)(add)(0.0f)))))",
        expect![[r#"
            error[written-by-all] at (1.0f, xs |> reduceSeq(Private)(add)(0.0f))
              every work-item writes the second result of `main`
              each work-item that is launched runs the whole kernel
              help: write the result inside of a `mapGlobal`, or launch one work-item: give each result a kernel of its own, as in `|> oclRun(1, 1, 1)(1, 1, 1)` for this one
        "#]],
    );
}

#[test]
fn elements_that_nothing_writes() {
    for (text, expected) in [
        (
            "def main = depFun(n: Nat => fun(xs: n.f32 => xs |> padEmpty(2) |> mapSeq(fun(x => x + 1.0f))))",
            expect![[r#"
                error[missing-copy] at padEmpty(2)
                  `mapSeq(fun(x => x + 1.0f))` reads the elements that `padEmpty(2)` adds, which nothing writes
                  read here: mapSeq(fun(x => x + 1.0f))
                  help: pad with a value by `padCst`: write `padCst(0)(2)(0)`
                  fix: Write `padCst(0)(2)(0)`
                mended: def main = depFun(n: Nat => fun(xs: n.f32 => xs |> padCst(0)(2)(0) |> mapSeq(fun(x => x + 1.0f))))
            "#]],
        ),
        (
            "def main = depFun(n: Nat => fun(xs: n.f32 =>\n  \
               xs |> mapSeq(id) |> padEmpty(2) |> toMem |> split(2) |> mapSeq(reduceSeq(add)(0.0f))))",
            expect![[r#"
                error[missing-copy] at padEmpty(2)
                  `mapSeq(reduceSeq(add)(0.0f))` reads the elements that `padEmpty(2)` adds, which nothing writes
                  read here: mapSeq(reduceSeq(add)(0.0f))
                  help: store the array without `padEmpty(2)`, and pad with a value where it is read: `|> padCst(0)(2)(0)`
            "#]],
        ),
        (
            "def main = depFun(n: Nat => fun(xs: n.(f32, f32) =>\n  \
               xs |> mapSeq(id) |> padEmpty(2) |> toMem |> mapSeq(id)))",
            expect![[r#"
                error[missing-copy] at padEmpty(2)
                  `mapSeq(id)` reads the elements that `padEmpty(2)` adds, which nothing writes
                  read here: mapSeq(id)
                  help: pad with a value by `padCst`, as in `padCst(0)(2)(0)`
            "#]],
        ),
        // Unwritten elements are followed through windows, names and functions.
        (
            "def main = depFun(n: Nat => fun(xs: n.f32 =>\n  \
               xs |> mapSeq(id) |> padEmpty(2) |> toMem |> slide(3)(1) |> mapSeq(reduceSeq(add)(0.0f))))",
            expect![[r#"
                error[missing-copy] at padEmpty(2)
                  `mapSeq(reduceSeq(add)(0.0f))` reads the elements that `padEmpty(2)` adds, which nothing writes
                  read here: mapSeq(reduceSeq(add)(0.0f))
                  help: store the array without `padEmpty(2)`, and pad with a value where it is read: `|> padCst(0)(2)(0)`
            "#]],
        ),
        (
            "def main = depFun(n: Nat => fun(xs: n.f32 =>\n  \
               let ys = xs |> mapSeq(id) |> padEmpty(2) |> toMem in ys |> mapSeq(fun(x => x + 1.0f))))",
            expect![[r#"
                error[missing-copy] at padEmpty(2)
                  `mapSeq(fun(x => x + 1.0f))` reads the elements that `padEmpty(2)` adds, which nothing writes
                  read here: mapSeq(fun(x => x + 1.0f))
                  help: store the array without `padEmpty(2)`, and pad with a value where it is read: `|> padCst(0)(2)(0)`
            "#]],
        ),
        (
            "def main = depFun(n: Nat => fun(xss: n.8.f32 =>\n  \
               xss |> mapSeq(fun(xs => xs |> mapSeq(id) |> padEmpty(2))) |> toMem\n  \
               |> mapSeq(fun(xs => xs |> mapSeq(fun(x => x + 1.0f))))))",
            expect![[r#"
                error[missing-copy] at padEmpty(2)
                  `mapSeq(fun(x => x + 1.0f))` reads the elements that `padEmpty(2)` adds, which nothing writes
                  read here: mapSeq(fun(x => x + 1.0f))
                  help: store the array without `padEmpty(2)`, and pad with a value where it is read: `|> padCst(0)(2)(0)`
            "#]],
        ),
        (
            "def main = depFun(n: Nat => fun(xss: n.4.f32, start: 5.f32 =>\n  \
               xss |> reduceSeq(fun(acc, xs => zip(acc |> take(4))(xs)\n  \
               |> mapSeq(fun(p => p._1 + p._2)) |> padEmpty(1)))(start |> mapSeq(id)) |> mapSeq(id)))",
            expect![[r#"
                error[missing-copy] at padEmpty(1)
                  `mapSeq(id)` reads the elements that `padEmpty(1)` adds, which nothing writes
                  read here: mapSeq(id)
                  help: store the array without `padEmpty(1)`, and pad with a value where it is read: `|> padCst(0)(1)(0)`
            "#]],
        ),
        // Only written elements are read.
        (
            "def main = depFun(n: Nat => fun(xs: n.f32 =>\n  \
               xs |> mapSeq(id) |> padEmpty(2) |> toMem |> take(n) |> mapSeq(id)))",
            expect![[""]],
        ),
        (
            "def main = depFun(n: Nat => fun(xs: (4 * n + 3).f32 =>\n  \
               xs |> mapSeq(id) |> padEmpty(1) |> toMem |> drop(2) |> take(4 * n)\n  \
               |> split(4) |> mapSeq(reduceSeq(add)(0.0f))))",
            expect![[""]],
        ),
        (
            "def main = depFun(n: Nat => fun(xss: n.4.f32, start: 5.f32 =>\n  \
               xss |> reduceSeq(fun(acc, xs => zip(acc |> take(4))(xs)\n  \
               |> mapSeq(fun(p => p._1 + p._2)) |> padEmpty(1)))(start |> mapSeq(id))\n  \
               |> take(4) |> mapSeq(id)))",
            expect![[r#""#]],
        ),
        (
            "def main = depFun(n: Nat => fun(xss: n.8.f32 =>\n  \
               xss |> mapSeq(fun(xs => xs |> mapSeq(id) |> padEmpty(2))) |> toMem\n  \
               |> transpose |> take(8) |> mapSeq(reduceSeq(add)(0.0f))))",
            expect![[""]],
        ),
    ] {
        say(C, text, expected);
    }
}
