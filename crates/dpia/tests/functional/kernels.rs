//! Tests of messages about programs for OpenCL: nesting, and writes by several work-items.

use codegen::Target::OpenCl;
use expect_test::{Expect, expect};

use crate::file::check;
use crate::messages::say as say_for;

pub fn say(text: &str, expected: Expect) {
    say_for(OpenCl, text, expected);
}

/// Checks the messages for programs that no fix makes right.
pub fn only_say(text: &str, expected: Expect) {
    expected.assert_eq(&check(text, "main", OpenCl).shown());
}

/// Returns a program over `n` rows of `m` numbers.
pub fn rows(body: &str) -> String {
    format!("def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>\n  {body}))")
}

#[test]
fn nesting() {
    say(
        "def main = depFun(n: Nat => fun(xs: n.n.f32 => xs |> mapGlobal(mapLocal(fun(x => x * 2.0f)))))",
        expect![[r#"
            error[wrong-nesting] at mapLocal
              `mapLocal` cannot be inside `mapGlobal`
              `mapGlobal` gives each iteration to a single work-item, so no work-group can distribute the inner iterations
              inside this: mapGlobal(mapLocal(fun(x => x * 2.0f)))
              help: distribute over work-groups in the outer map: `mapWorkGroup`
              fix: Make the outer one `mapWorkGroup`
              fix: Replace with `mapSeq`
              fix: Replace with `mapGlobal(1)`
            mended: def main = depFun(n: Nat => fun(xs: n.n.f32 => xs |> mapWorkGroup(mapLocal(fun(x => x * 2.0f)))))
        "#]],
    );
    say(
        "def main = depFun(n: Nat => fun(xs: n.n.f32 => xs |> mapGlobal(mapGlobal(fun(x => x * 2.0f)))))",
        expect![[r#"
            error[wrong-nesting] at mapGlobal
              `mapGlobal` cannot be inside `mapGlobal`
              the work-items of this dimension already share the iterations of the map around it
              inside this: mapGlobal(mapGlobal(fun(x => x * 2.0f)))
              help: write `mapSeq` or `mapGlobal(1)`
              fix: Replace with `mapSeq`
              fix: Replace with `mapGlobal(1)`
            mended: def main = depFun(n: Nat => fun(xs: n.n.f32 => xs |> mapGlobal(mapSeq(fun(x => x * 2.0f)))))
        "#]],
    );
    say(
        "def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapLocal(fun(x => x * 2.0f))))",
        expect![[r#"
            error[wrong-nesting] at mapLocal
              `mapLocal` must be inside `mapWorkGroup`
              it distributes iterations over the work-items of a work-group, which `mapWorkGroup` of the same dimension selects
              help: write `mapGlobal`
              fix: Replace with `mapGlobal`
            mended: def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(fun(x => x * 2.0f))))
        "#]],
    );
}

#[test]
fn maps_in_the_wrong_order() {
    say(
        &rows("xs |> mapLocal(mapWorkGroup(fun(x => x * 2.0f)))"),
        expect![[r#"
            error[wrong-nesting] at mapLocal
              `mapLocal` must be inside `mapWorkGroup`
              it distributes iterations over the work-items of a work-group, which `mapWorkGroup` of the same dimension selects
              help: swap the two maps: `mapWorkGroup` outside, `mapLocal` inside
              fix: Swap `mapLocal` and `mapWorkGroup`
            mended: def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>
              xs |> mapWorkGroup(mapLocal(fun(x => x * 2.0f)))))
        "#]],
    );
    only_say(
        &rows("xs |> mapLocal(1)(mapWorkGroup(1)(fun(x => x * 2.0f)))"),
        expect![[r#"
            error[wrong-nesting] at mapLocal
              `mapLocal(1)` must be inside `mapWorkGroup(1)`
              it distributes iterations over the work-items of a work-group, which `mapWorkGroup` of the same dimension selects
              help: swap the two maps: `mapWorkGroup(1)` outside, `mapLocal(1)` inside
              fix: Swap `mapLocal(1)` and `mapWorkGroup(1)`
        "#]],
    );
    // Neither map is in a work-group, which is one mistake.
    say(
        &rows("xs |> mapLocal(mapLocal(fun(x => x * 2.0f)))"),
        expect![[r#"
            error[wrong-nesting] at mapLocal
              `mapLocal` must be inside `mapWorkGroup`
              it distributes iterations over the work-items of a work-group, which `mapWorkGroup` of the same dimension selects
              help: write `mapWorkGroup`
              fix: Replace with `mapWorkGroup`
            mended: def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>
              xs |> mapWorkGroup(mapLocal(fun(x => x * 2.0f)))))
        "#]],
    );
    say(
        &rows("xs |> mapWorkGroup(mapLocal(1)(fun(x => x * 2.0f)))"),
        expect![[r#"
            error[wrong-nesting] at mapLocal
              `mapLocal(1)` is over dimension 1, and the `mapWorkGroup` around it over dimension 0
              it distributes iterations over the work-items of a work-group, which `mapWorkGroup` of the same dimension selects
              help: put this into a `mapWorkGroup(1)`, or write `mapLocal`
              fix: Replace with `mapLocal`
            mended: def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>
              xs |> mapWorkGroup(mapLocal(fun(x => x * 2.0f)))))
        "#]],
    );
    only_say(
        &rows(
            "xs |> mapWorkGroup(fun(row => row |> split(4) |> mapLocal(mapGlobal(1)(fun(x => x * 2.0f))) |> join))",
        ),
        expect![[r#"
            error[wrong-nesting] at mapGlobal
              `mapGlobal(1)` cannot be inside `mapLocal`
              the function of `mapLocal` is executed by a single work-item, which cannot start others
              inside this: mapLocal(mapGlobal(1)(fun(x => x * 2.0f)))
              help: write `mapSeq`
              fix: Replace with `mapSeq`
        "#]],
    );
    say(
        "def main = depFun(n: Nat => fun(xs: n.n.n.f32 =>\n\
           xs |> mapWorkGroup(mapLocal(mapLocal(fun(x => x * 2.0f))))))",
        expect![[r#"
            error[wrong-nesting] at mapLocal
              `mapLocal` cannot be inside `mapLocal`
              the work-items of the group already share the iterations of the map around it
              inside this: mapLocal(mapLocal(fun(x => x * 2.0f)))
              help: write `mapSeq`
              fix: Replace with `mapSeq`
            mended: def main = depFun(n: Nat => fun(xs: n.n.n.f32 =>
            xs |> mapWorkGroup(mapLocal(mapSeq(fun(x => x * 2.0f))))))
        "#]],
    );
    // Writes in a wrongly nested map are not checked before the nesting is right.
    only_say(
        "@opencl(local = [4, 8], global = [4 * n, 8])\n\
         def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.4.f32 => xs |> mapWorkGroup(mapLocal(1)(fun(row =>\n  \
           row |> mapLocal(fun(x => x * 2.0f)) |> toMem(Local) |> mapLocal(id))))))",
        expect![[r#"
            error[wrong-nesting] at mapLocal
              `mapLocal(1)` is over dimension 1, and the `mapWorkGroup` around it over dimension 0
              it distributes iterations over the work-items of a work-group, which `mapWorkGroup` of the same dimension selects
              help: put this into a `mapWorkGroup(1)`, or write `mapSeq`
              fix: Replace with `mapSeq`
        "#]],
    );
    // Each dimension has its own kind of map.
    say(
        "@opencl(local = [1, 8, 1], global = [1, n, n])\n\
         def main = depFun(n: Nat => fun(xs: n.n.n.f32 =>\n  \
           xs |> mapGlobal(2)(mapWorkGroup(1)(mapLocal(1)(fun(x => x * 2.0f))))))",
        expect![[r#""#]],
    );
}

#[test]
fn what_every_work_item_would_write() {
    say(
        &rows("xs |> mapSeq(mapSeq(fun(x => x * 2.0f)))"),
        expect![[r#"
            error[written-by-all] at mapSeq
              every work-item runs all of this `mapSeq`, and all write the result of `main`
              each work-item that is launched runs the whole kernel
              help: distribute the iterations: `mapGlobal`
              fix: Replace with `mapGlobal`
            mended: def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>
              xs |> mapGlobal(mapSeq(fun(x => x * 2.0f)))))
        "#]],
    );
    say(
        &rows("xs |> mapWorkGroup(mapSeq(fun(x => x * 2.0f)))"),
        expect![[r#"
            error[written-by-all] at mapSeq
              every work-item of a work-group runs all of this `mapSeq`, and all write the result of `main`
              `mapWorkGroup` selects the part of each work-group, and nothing distributes this part over the work-items
              help: distribute the iterations: `mapLocal`
              fix: Replace with `mapLocal`
            mended: def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>
              xs |> mapWorkGroup(mapLocal(fun(x => x * 2.0f)))))
        "#]],
    );
    say(
        &rows(
            "xs |> mapWorkGroup(fun(row => row |> mapSeq(fun(x => x * 2.0f)) |> toMem(Local) |> mapLocal(id)))",
        ),
        expect![[r#"
            error[written-by-all] at mapSeq
              every work-item of a work-group runs all of this `mapSeq`, and all write the same Local memory
              `mapWorkGroup` selects the part of each work-group, and nothing distributes this part over the work-items
              help: distribute the iterations: `mapLocal`
              fix: Replace with `mapLocal`
            mended: def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>
              xs |> mapWorkGroup(fun(row => row |> mapLocal(fun(x => x * 2.0f)) |> toMem(Local) |> mapLocal(id)))))
        "#]],
    );
    say(
        &rows("xs |> mapSeq(fun(row => row |> mapLocal(id)))"),
        expect![[r#"
            error[wrong-nesting] at mapLocal
              `mapLocal` must be inside `mapWorkGroup`
              it distributes iterations over the work-items of a work-group, which `mapWorkGroup` of the same dimension selects
              help: write `mapGlobal`
              fix: Replace with `mapGlobal`
            mended: def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>
              xs |> mapSeq(fun(row => row |> mapGlobal(id)))))
        "#]],
    );
    say(
        "def main = depFun(n: Nat => fun(xs: n.f32 => xs |> reduceSeq(Private)(add)(0.0f)))",
        expect![[r#"
            error[written-by-all] at reduceSeq(Private)(add)
              every work-item writes the result of `main`
              each work-item that is launched runs the whole kernel
              help: write the result inside of a `mapGlobal`, or launch one work-item: `@opencl(local = [1], global = [1])`
              fix: Launch one work-item: `@opencl(local = [1], global = [1])`
            mended: @opencl(local = [1], global = [1])
            def main = depFun(n: Nat => fun(xs: n.f32 => xs |> reduceSeq(Private)(add)(0.0f)))
        "#]],
    );
    only_say(
        &rows("xs |> mapWorkGroup(reduceSeq(Private)(add)(0.0f))"),
        expect![[r#"
            error[written-by-all] at reduceSeq(Private)(add)
              every work-item of a work-group writes the result of `main`
              `mapWorkGroup` selects the part of each work-group, and nothing distributes this part over the work-items
              help: distribute the iterations with `mapLocal`, or give each part to one work-item: `mapGlobal`
              fix: Replace `mapWorkGroup` with `mapGlobal`
        "#]],
    );
    only_say(
        &rows(
            "xs |> mapWorkGroup(fun(row => row |> mapLocal(id) |> toMem(Local) |> reduceSeq(Private)(add)(0.0f)))",
        ),
        expect![[r#"
            error[written-by-all] at reduceSeq(Private)(add)
              every work-item of a work-group writes the result of `main`
              `mapWorkGroup` selects the part of each work-group, and nothing distributes this part over the work-items
              help: write the result inside of a `mapLocal`, as in `|> split(m) |> mapLocal(reduceSeq(Private)(add)(0.0f))`
        "#]],
    );
    say(
        "@opencl(local = [16, 4], global = [n, m])\n\
         def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>\n\
           xs |> mapGlobal(mapSeq(fun(x => x * 2.0f)))))",
        expect![[r#"
            error[written-by-all] at mapSeq
              every work-item along dimension 1 runs all of this `mapSeq`, and all write the result of `main`
              `m` work-items are launched in dimension 1, and each runs the whole kernel
              help: distribute the iterations: `mapGlobal(1)`
              fix: Replace with `mapGlobal(1)`
            mended: @opencl(local = [16, 4], global = [n, m])
            def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>
            xs |> mapGlobal(mapGlobal(1)(fun(x => x * 2.0f)))))
        "#]],
    );
    // The second dimension has one work-item.
    say(
        "@opencl(local = [16], global = [n])\n\
         def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>\n\
           xs |> mapGlobal(mapSeq(fun(x => x * 2.0f)))))",
        expect![[r#""#]],
    );
    say(
        "@opencl(local = [1], global = [1])\n\
         def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(fun(x => x * 2.0f))))",
        expect![[r#""#]],
    );
    say(
        "@opencl(local = [1], global = [n])\n\
         def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 => xs |> mapWorkGroup(reduceSeq(Private)(add)(0.0f))))",
        expect![[r#""#]],
    );
}

#[test]
fn choices() {
    say(
        &rows("xs |> map(map(fun(x => x * 2.0f)))"),
        expect![[r#"
            error[missing-choice] at map
              `map` does not say how it is computed, and its result is written
              help: choose one of `mapGlobal`, `mapWorkGroup`, `mapSeq`
              fix: Choose `mapGlobal`
              fix: Choose `mapWorkGroup`
              fix: Choose `mapSeq`
            error[missing-choice] at map
              `map` does not say how it is computed, and its result is written
              help: choose one of `mapSeq`, `mapGlobal(1)`
              fix: Choose `mapSeq`
              fix: Choose `mapGlobal(1)`
            mended: def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>
              xs |> mapGlobal(mapSeq(fun(x => x * 2.0f)))))
        "#]],
    );
    say(
        &rows("xs |> mapWorkGroup(map(fun(x => x * 2.0f)))"),
        expect![[r#"
            error[missing-choice] at map
              `map` does not say how it is computed, and its result is written
              help: write `mapLocal`
              fix: Choose `mapLocal`
            mended: def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>
              xs |> mapWorkGroup(mapLocal(fun(x => x * 2.0f)))))
        "#]],
    );
    say(
        "def main = depFun(n: Nat => fun(xs: n.4.4.f32 => xs |> mapWorkGroup(mapLocal(map(fun(x => x * 2.0f))))))",
        expect![[r#"
            error[missing-choice] at map
              `map` does not say how it is computed, and its result is written
              help: choose one of `mapSeq`, `mapSeqUnroll`
              fix: Choose `mapSeq`
              fix: Choose `mapSeqUnroll`
            mended: def main = depFun(n: Nat => fun(xs: n.4.4.f32 => xs |> mapWorkGroup(mapLocal(mapSeq(fun(x => x * 2.0f))))))
        "#]],
    );
    say(
        &rows("xs |> map(fun(row => row |> map(fun(x => x * x)) |> reduce(add)(0.0f)))"),
        expect![[r#"
            error[missing-choice] at map
              `map` does not say how it is computed, and its result is written
              help: write `mapGlobal`
              fix: Choose `mapGlobal`
            error[missing-choice] at reduce
              `reduce` does not say how it is computed
              help: write `reduceSeq(Private)`
              fix: Choose `reduceSeq(Private)`
            mended: def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>
              xs |> mapGlobal(fun(row => row |> map(fun(x => x * x)) |> reduceSeq(Private)(add)(0.0f)))))
        "#]],
    );
    // An accumulator of unknown size is in Global memory.
    say(
        &rows(
            "xs |> split(4) |> mapGlobal(fun(rows => rows |> reduce(fun(a, row => zip(a)(row) |> mapSeq(fun(p => p._1 + p._2))))(generate(fun(i => 0.0f)) |> mapSeq(id)) |> mapSeq(id)))",
        ),
        expect![[r#"
            error[missing-choice] at reduce
              `reduce` does not say how it is computed
              help: choose one of `reduceSeq(Global)`, `reduceSeqUnroll(Global)`
              fix: Choose `reduceSeq(Global)`
              fix: Choose `reduceSeqUnroll(Global)`
            mended: def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>
              xs |> split(4) |> mapGlobal(fun(rows => rows |> reduceSeq(Global)(fun(a, row => zip(a)(row) |> mapSeq(fun(p => p._1 + p._2))))(generate(fun(i => 0.0f)) |> mapSeq(id)) |> mapSeq(id)))))
        "#]],
    );
    say(
        &rows("xs |> mapPar(mapSeq(id))"),
        expect![[r#"
        error[not-on-target] at mapPar
          OpenCL has no `mapPar`
          help: write `mapGlobal`
          fix: Replace with `mapGlobal`
        mended: def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>
          xs |> mapGlobal(mapSeq(id))))
    "#]],
    );
    say(
        &rows("xs |> mapWorkGroup(fun(row => row))"),
        expect![[r#"
            error[missing-copy] at row
              no loop copies this array to the result of the function of `mapWorkGroup`
              help: copy the array: `|> mapLocal(id)`
              fix: Copy: `mapLocal(id)`
            mended: def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>
              xs |> mapWorkGroup(fun(row => row |> mapLocal(id)))))
        "#]],
    );
}

#[test]
fn work_groups_inside_of_work_items() {
    say(
        "def main = fun(xs: 64.8.8.f32 => xs |> mapGlobal(mapWorkGroup(mapLocal(id))))",
        expect![[r#"
            error[wrong-nesting] at mapWorkGroup
              `mapWorkGroup` cannot be inside `mapGlobal`
              the work-items of this dimension already share the iterations of the map around it
              inside this: mapGlobal(mapWorkGroup(mapLocal(id)))
              help: let the outer map distribute over another dimension: `mapGlobal(1)`
              fix: Make the outer one `mapGlobal(1)`
            mended: def main = fun(xs: 64.8.8.f32 => xs |> mapGlobal(1)(mapWorkGroup(mapLocal(id))))
        "#]],
    );
}

#[test]
fn scans_of_arrays() {
    let scan = "scanSeq(Local)(fun(row, acc => zip(row)(acc) |> mapLocal(fun(p => p._1 + p._2))))(\n\
                  generate(fun(i => 0.0f)) |> mapLocal(id))";
    let def = |launch: &str| {
        format!(
            "{launch}def main = depFun(n: Nat => fun(xs: n.8.16.f32 =>\n  \
               xs |> mapWorkGroup({scan})))"
        )
    };
    only_say(
        &def(""),
        expect![[r#"
            error[written-by-all] at scanSeq
              every work-item of a work-group copies each array that `scanSeq` makes to the same place
              a scan returns all of its accumulators, and these are arrays
              help: let each work-item scan numbers of its own: `transpose |> mapLocal(scanSeq(…)) |> transpose`
        "#]],
    );
    only_say(&def("@opencl(local = [1], global = [n])\n"), expect![[""]]);
}
