//! Tests of messages about launches of OpenCL programs: explicit kernels, sizes and dimensions.

use expect_test::expect;

use crate::kernels::{only_say, rows, say};

#[test]
fn kernels_of_their_own() {
    only_say(
        &rows("xs |> mapGlobal(fun(row => row |> mapSeq(id) |> oclRun(1, 1, 1)(1, 1, 1)))"),
        expect![[r#"
            error[wrong-nesting] at oclRun
              `oclRun` cannot be inside `mapGlobal`
              the host launches kernels, and a work-item cannot
              inside this: mapGlobal(fun(row => row |> mapSeq(id) |> oclRun(1, 1, 1)(1, 1, 1)))
              help: put `oclRun` around everything that belongs to one kernel
        "#]],
    );
    only_say(
        "def main = depFun(n: Nat => fun(xs: n.f32 =>\n\
           xs |> mapGlobal(id) |> oclRun(64, 1, 1)(n, 1, 1) |> oclRun(64, 1, 1)(n, 1, 1)))",
        expect![[r#"
            error[wrong-nesting] at oclRun
              `oclRun` cannot be inside `oclRun`
              the host launches kernels, and a work-item cannot
              help: put `oclRun` around everything that belongs to one kernel
        "#]],
    );
    only_say(
        "def main = depFun(n: Nat => fun(xs: n.f32 =>\n\
           xs |> mapGlobal(id) |> oclRun(64, 1, 1)(n, 1, 1) |> toMem(Global) |> mapGlobal(id)))",
        expect![[r#"
            error[not-on-target] at mapGlobal(id)
              this is computed outside of every `oclRun`
              a program with `oclRun` consists of its kernels only
              help: move this into one of the kernels, or write `oclRun` around it to make it a kernel
        "#]],
    );
    say(
        "def main = depFun(n: Nat => fun(xs: n.f32 =>\n\
           xs |> mapGlobal(id) |> oclRun(64, 1, 1)(n, 1, 1) |> toMem(Private)\n\
             |> mapGlobal(id) |> oclRun(64, 1, 1)(n, 1, 1)))",
        expect![[r#"
            error[address-space] at toMem
              `toMem` cannot store in Private memory here: a kernel writes this memory, and only Global memory keeps its contents after a kernel
              help: write `toMem(Global)`
              fix: Store in Global memory: `n*4` B
              fix: Store in Private memory (not: a kernel writes this memory, and only Global memory keeps its contents after a kernel)
              fix: Store in Local memory (not: a kernel writes this memory, and only Global memory keeps its contents after a kernel)
            mended: def main = depFun(n: Nat => fun(xs: n.f32 =>
            xs |> mapGlobal(id) |> oclRun(64, 1, 1)(n, 1, 1) |> toMem(Global)
            |> mapGlobal(id) |> oclRun(64, 1, 1)(n, 1, 1)))
        "#]],
    );
    say(
        "def main = depFun(n: Nat => fun(xs: n.f32 =>\n\
           xs |> mapGlobal(id) |> oclRun(64, 1, 1)(n, 1, 1) |> toMem(Global)\n\
             |> mapGlobal(id) |> oclRun(64, 1, 1)(n, 1, 1)))",
        expect![[r#""#]],
    );
}

#[test]
fn launch_sizes() {
    say(
        "@opencl(local = [64], global = [100])\n\
         def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(id)))",
        expect![[r#"
            error[launch-size] at 100
              the global size `100` is not a multiple of the local size `64`
              the work-items are divided into groups of the local size, without remainder
              help: the next multiple of the local size is 128
              fix: Launch 128 work-items
            mended: @opencl(local = [64], global = [128])
            def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(id)))
        "#]],
    );
    only_say(
        "@opencl(local = [2 * n], global = [2 * n + 1])\n\
         def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(id)))",
        expect![[r#""#]],
    );
    only_say(
        "@opencl(local = [0], global = [n])\n\
         def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(id)))",
        expect![[r#"
            error[launch-size] at 0
              the local size is 0: this launches no work-items
              help: a work-group has at least one work-item
        "#]],
    );
    only_say(
        "@opencl(local = [2048], global = [n])\n\
         def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(id)))",
        expect![[r#"
            error[device-limit] at 2048
              a work-group has 2048 work-items here, and the device assumed by default allows at most 1024
              help: launch smaller work-groups, and more of them
              fix: Launch groups of 1024 work-items
        "#]],
    );
    only_say(
        "@opencl(local = [64, 64], global = [n, 64])\n\
         def main = depFun(n: Nat => fun(xs: n.f32 => xs |> split(1) |> mapGlobal(1)(mapGlobal(id)) |> join))",
        expect![[r#"
            error[device-limit] at [64, 64]
              a work-group has 4096 work-items here, and the device assumed by default allows at most 1024
              help: launch smaller work-groups, and more of them
        "#]],
    );
    say(
        "@opencl(local = [64], global = [n])\n\
         def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(id)))",
        expect![[r#""#]],
    );
    only_say(
        "def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(id) |> oclRun(64, 1, 1)(100, 1, 1)))",
        expect![[r#"
            error[launch-size] at oclRun
              the global size `100` is not a multiple of the local size `64`
              the work-items are divided into groups of the local size, without remainder
              help: the next multiple of the local size is 128
        "#]],
    );
}

#[test]
fn a_first_dimension_that_nothing_shares() {
    say(
        &rows("xs |> mapWorkGroup(1)(mapLocal(1)(fun(x => x * 2.0f)))"),
        expect![[r#"
            error[written-by-all] at mapWorkGroup
              no map distributes iterations over dimension 0: the maps are over dimension 1
              several work-items are launched in dimension 0, and each would run all of this
              help: count dimensions from 0: `mapWorkGroup`, `mapLocal`
              fix: Use dimension 0 instead of 1
            mended: def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>
              xs |> mapWorkGroup(mapLocal(fun(x => x * 2.0f)))))
        "#]],
    );
    // Writes to several memories are one mistake.
    say(
        "def main = depFun(n: Nat => fun(xs: n.64.f32 => xs |> mapWorkGroup(1)(fun(row =>\n\
           row |> mapLocal(1)(id) |> toMem(Local) |> mapLocal(1)(id)))))",
        expect![[r#"
            error[written-by-all] at mapWorkGroup
              no map distributes iterations over dimension 0: the maps are over dimension 1
              several work-items are launched in dimension 0, and each would run all of this
              help: count dimensions from 0: `mapWorkGroup`, `mapLocal`
              fix: Use dimension 0 instead of 1
            mended: def main = depFun(n: Nat => fun(xs: n.64.f32 => xs |> mapWorkGroup(fun(row =>
            row |> mapLocal(id) |> toMem(Local) |> mapLocal(id)))))
        "#]],
    );
    say(
        &rows("xs |> mapGlobal(2)(mapGlobal(1)(fun(x => x * 2.0f)))"),
        expect![[r#"
            error[written-by-all] at mapGlobal
              no map distributes iterations over dimension 0: the maps are over dimensions 1 and 2
              several work-items are launched in dimension 0, and each would run all of this
              help: count dimensions from 0: `mapGlobal(1)`, `mapGlobal`
              fix: Use dimensions 0 and 1 instead of 1 and 2
            mended: def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>
              xs |> mapGlobal(1)(mapGlobal(fun(x => x * 2.0f)))))
        "#]],
    );
    say(
        "@opencl(local = [64], global = [n])\n\
         def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(1)(id)))",
        expect![[r#"
            error[written-by-all] at mapGlobal
              no map distributes iterations over dimension 0: the maps are over dimension 1
              `n` work-items are launched in dimension 0, and each would run all of this
              help: count dimensions from 0: `mapGlobal`
              fix: Use dimension 0 instead of 1
            mended: @opencl(local = [64], global = [n])
            def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(id)))
        "#]],
    );
    say(
        "@opencl(local = [16, 4], global = [m, n])\n\
         def main = depFun((n: Nat, m: Nat) => fun(xs: n.f32 => xs |> mapGlobal(1)(id)))",
        expect![[r#"
            error[written-by-all] at mapGlobal
              no map distributes iterations over dimension 0: the maps are over dimension 1
              `m` work-items are launched in dimension 0, and each would run all of this
              help: launch one work-item in dimension 0, or distribute iterations over it
              fix: Launch one work-item in dimension 0
            mended: @opencl(local = [1, 4], global = [1, n])
            def main = depFun((n: Nat, m: Nat) => fun(xs: n.f32 => xs |> mapGlobal(1)(id)))
        "#]],
    );
    say(
        "@opencl(local = [1, 4], global = [1, n])\n\
         def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(1)(id)))",
        expect![[""]],
    );
    only_say(
        "def main = depFun(n: Nat => fun(xs: n.f32 =>\n\
           xs |> mapGlobal(1)(id) |> oclRun(64, 4, 1)(n, n, 1)))",
        expect![[r#"
            error[written-by-all] at mapGlobal
              no map distributes iterations over dimension 0: the maps are over dimension 1
              `n` work-items are launched in dimension 0, and each would run all of this
              help: launch one work-item in dimension 0, or distribute iterations over it
        "#]],
    );
    // The map is in another definition.
    only_say(
        "def all = fun(xs: 64.f32 => xs |> mapGlobal(1)(id))\n\
         def main = fun(xs: 64.f32 => all(xs))",
        expect![[r#"
            error[written-by-all] at all
              no map distributes iterations over dimension 0: the maps are over dimension 1
              several work-items are launched in dimension 0, and each would run all of this
              in `all`, here: (elsewhere)
              help: count dimensions from 0: `mapGlobal`
        "#]],
    );
}

#[test]
fn launches_without_work_items_and_with_too_many() {
    only_say(
        "@opencl(local = [64], global = [0])\n\
         def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(id)))",
        expect![[r#"
            error[launch-size] at 0
              the global size is 0: this launches no work-items
              help: launch at least one work-group
        "#]],
    );
    say(
        "@opencl(local = [3000], global = [6000])\n\
         def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(id)))",
        expect![[r#"
            error[device-limit] at 3000
              a work-group has 3000 work-items here, and the device assumed by default allows at most 1024
              help: launch smaller work-groups, and more of them
              fix: Launch groups of 1000 work-items
            mended: @opencl(local = [1000], global = [6000])
            def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(id)))
        "#]],
    );
}

#[test]
fn an_annotation_beside_kernels() {
    only_say(
        "@opencl(local = [64], global = [n])\n\
         def main = depFun(n: Nat => fun(xs: n.f32 =>\n\
           xs |> mapGlobal(id) |> oclRun(64, 1, 1)(n, 1, 1)))",
        expect![[r#"
            warning[launch-size] at @opencl(local = [64], global = [n])
              `@opencl` has no effect: each `oclRun` says how its kernel is launched
              help: leave `@opencl` out, or leave `oclRun` out if the whole definition is one kernel
              fix: Leave `@opencl` out
        "#]],
    );
}

#[test]
fn loops_around_kernels() {
    let kernel = "mapGlobal(fun(x => x * 2.0f)) |> oclRun(64, 1, 1)(n, 1, 1)";
    let repeated = format!("repeat(Global)(4)(fun(ys => ys |> {kernel}))");
    for body in [
        format!("xs |> {repeated}"),
        format!("xs |> {kernel} |> repeatInPlace(Global)(4)(fun(ys => ys |> {kernel}))"),
        format!("xs |> {repeated} |> toMem(Global) |> {kernel}"),
        format!("xs |> repeat(Global)(3)(fun(zs => zs |> {repeated}))"),
    ] {
        only_say(
            &format!("def main = depFun(n: Nat => fun(xs: n.f32 => {body}))"),
            expect![[r#""#]],
        );
    }
    only_say(
        &format!(
            "def main = depFun(n: Nat => fun(xs: n.f32 => xs |> {repeated} |> oclRun(64, 1, 1)(n, 1, 1)))"
        ),
        expect![[r#"
            error[wrong-nesting] at oclRun
              `oclRun` cannot be inside `repeat`
              the host runs a loop around kernels, and this loop is inside of a kernel
              inside this: repeat(Global)(4)(fun(ys => ys |> mapGlobal(fun(x => x * 2.0f)) |> oclRun(64, 1, 1)(n, 1, 1)))
              help: leave out the `oclRun` around `repeat`, or the one inside, so that one kernel runs all rounds
        "#]],
    );
    only_say(
        &format!(
            "def main = depFun(n: Nat => fun(xs: n.f32 => (xs |> repeatWhile(Global)(4)(fun(ys => n > 3))(\n\
               fun(ys => ys |> {kernel})))._2 |> {kernel}))"
        ),
        expect![[r#"
            error[wrong-nesting] at oclRun
              `oclRun` cannot be inside `repeatWhile`
              the host runs loops of a number of rounds that is known, and does not read what kernels compute
              inside this: repeatWhile(Global)(4)(fun(ys => n > 3))(
            fun(ys => ys |> mapGlobal(fun(x => x * 2.0f)) |> oclRun(64, 1, 1)(n, 1, 1)))
              help: put `oclRun` around all of `repeatWhile`, so that one kernel runs it, or write `repeat` with a number of rounds
        "#]],
    );
}

#[test]
fn kernels_in_loops() {
    only_say(
        "def main = depFun(n: Nat => fun(xs: n.f32 => xs |> iterate(Global)(4)(depFun(l: Nat =>\n\
           fun(ys => ys |> mapGlobal(fun(x => x * 2.0f)) |> oclRun(64, 1, 1)(n, 1, 1))))))",
        expect![[r#"
            error[wrong-nesting] at oclRun
              `oclRun` cannot be inside `iterate`
              the host runs loops of `repeat` and `repeatInPlace` around kernels, and no others
              inside this: iterate(Global)(4)(depFun(l: Nat =>
            fun(ys => ys |> mapGlobal(fun(x => x * 2.0f)) |> oclRun(64, 1, 1)(n, 1, 1))))
              help: put `oclRun` around all of `iterate`, so that one kernel runs it, or write its rounds one after the other, each a kernel
        "#]],
    );
    only_say(
        &rows("xs |> mapSeq(fun(row => row |> mapGlobal(id) |> oclRun(64, 1, 1)(m, 1, 1)))"),
        expect![[r#"
            error[wrong-nesting] at oclRun
              `oclRun` cannot be inside `mapSeq`
              the host runs loops of `repeat` and `repeatInPlace` around kernels, and no others
              inside this: mapSeq(fun(row => row |> mapGlobal(id) |> oclRun(64, 1, 1)(m, 1, 1)))
              help: put `oclRun` around all of `mapSeq`, so that one kernel runs it, or write its rounds one after the other, each a kernel
        "#]],
    );
}
