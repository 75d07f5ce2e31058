//! Tests of messages about the memory of programs for OpenCL and the limits of devices.

use codegen::Target::OpenCl;
use dpia::Device;
use expect_test::{Expect, expect};

use crate::file::check_on;
use crate::kernels::{only_say, rows, say};

/// Checks the messages for a device.
fn say_on(device: &Device, text: &str, expected: Expect) {
    expected.assert_eq(&check_on(text, "main", OpenCl, device).shown());
}

#[test]
fn the_paper_s_missing_memory() {
    say(
        "def f = fun(x => x * 2.0f)\n\
         def g = fun(x => x + 1.0f)\n\
         def main = depFun((n: Nat, m: Nat) => fun(M: n.m.f32 =>\n  \
           M |> mapWorkGroup(fun(row => row |> mapLocal(f) |> mapLocal(g)))))\n",
        expect![[r#"
            error[missing-memory] at mapLocal(f)
              `mapLocal(g)` reads the result of `mapLocal(f)`, which is not stored in memory
              read here: mapLocal(g)
              help: store the result before it is read, as in `|> toMem(Local)`
              fix: Store in Local memory: `m*4` B of 48 kB
              fix: Store in Global memory: `m*4` B for each work-group
              fix: Store in Private memory (not: how much each work-item stores depends on the number of work-items, which is unknown)
            mended: def main = depFun((n: Nat, m: Nat) => fun(M: n.m.f32 =>
              M |> mapWorkGroup(fun(row => row |> mapLocal(f) |> toMem(Local) |> mapLocal(g)))))
        "#]],
    );
}

#[test]
fn memory_of_kernels() {
    say(
        "def main = depFun(n: Nat => fun(xs: n.4.f32 => xs |> mapGlobal(reduceSeq(add)(0.0f))))",
        expect![[r#"
            error[address-space] at reduceSeq
              `reduceSeq` does not say in which address space it stores its result
              help: OpenCL requires the address space first, as in `reduceSeq(Private)`
              fix: Store in Private memory: 4 B for each work-item
              fix: Store in Global memory: 4 B for each work-item
              fix: Store in Local memory (not: there is no `mapWorkGroup` around this)
            mended: def main = depFun(n: Nat => fun(xs: n.4.f32 => xs |> mapGlobal(reduceSeq(Private)(add)(0.0f))))
        "#]],
    );
    say(
        "def main = depFun(n: Nat => fun(xs: n.4.f32 =>\n  \
           xs |> mapGlobal(fun(row => row |> mapSeq(id) |> toMem(Local) |> reduceSeq(Private)(add)(0.0f)))))",
        expect![[r#"
            error[address-space] at toMem
              `toMem` cannot store in Local memory here: there is no `mapWorkGroup` around this
              help: Local memory belongs to a work-group: put this into a `mapWorkGroup`, or write `toMem(Private)` or `toMem(Global)`
              fix: Store in Private memory: 16 B for each work-item
              fix: Store in Global memory: 16 B for each work-item
              fix: Store in Local memory (not: there is no `mapWorkGroup` around this)
            mended: def main = depFun(n: Nat => fun(xs: n.4.f32 =>
              xs |> mapGlobal(fun(row => row |> mapSeq(id) |> toMem(Private) |> reduceSeq(Private)(add)(0.0f)))))
        "#]],
    );
}

#[test]
fn private_memory() {
    say(
        &rows("xs |> mapGlobal(fun(row => row |> mapSeq(id) |> toMem(Private) |> mapSeq(id)))"),
        expect![[r#"
            error[address-space] at toMem
              `toMem` cannot store in Private memory here: the size of the memory is not a constant
              help: the size in Private memory must be a constant, and this is `m*4` B: make the size a number, or write `toMem(Global)`
              fix: Store in Global memory: `m*4` B for each work-item
              fix: Store in Private memory (not: the size of the memory is not a constant)
              fix: Store in Local memory (not: there is no `mapWorkGroup` around this)
            mended: def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>
              xs |> mapGlobal(fun(row => row |> mapSeq(id) |> toMem(Global) |> mapSeq(id)))))
        "#]],
    );
    say(
        "@opencl(local = [32], global = [n])\n\
         def main = depFun(n: Nat => fun(xs: n.128.f32 =>\n\
           xs |> mapWorkGroup(fun(row => row |> mapLocal(fun(x => x * 2.0f)) |> toMem(Private) |> mapLocal(id)))))",
        expect![[r#""#]],
    );
    say(
        "@opencl(local = [32], global = [n])\n\
         def main = depFun(n: Nat => fun(xs: n.128.f32 =>\n\
           xs |> mapWorkGroup(fun(row => row |> mapLocal(fun(x => x * 2.0f)) |> mapLocal(id)))))",
        expect![[r#"
            error[missing-memory] at mapLocal(fun(x => x * 2.0f))
              `mapLocal(id)` reads the result of `mapLocal(fun(x => x * 2.0f))`, which is not stored in memory
              read here: mapLocal(id)
              help: store the result before it is read, as in `|> toMem(Private)`
              fix: Store in Private memory: 16 B for each work-item
              fix: Store in Local memory: 512 B of 48 kB
              fix: Store in Global memory: 512 B for each work-group
            mended: @opencl(local = [32], global = [n])
            def main = depFun(n: Nat => fun(xs: n.128.f32 =>
            xs |> mapWorkGroup(fun(row => row |> mapLocal(fun(x => x * 2.0f)) |> toMem(Private) |> mapLocal(id)))))
        "#]],
    );
    say(
        "def main = depFun(n: Nat => fun(xs: n.128.f32 =>\n\
           xs |> mapWorkGroup(fun(row => row |> mapLocal(id) |> toMem(Private) |> mapLocal(id)))))",
        expect![[r#"
            error[address-space] at toMem
              `toMem` cannot store in Private memory here: how much each work-item stores depends on the number of work-items, which is unknown
              help: say how many work-items a group has, as in `@opencl(local = [64])`, or write `toMem(Local)` or `toMem(Global)`
              fix: Store in Local memory: 512 B of 48 kB
              fix: Store in Global memory: 512 B for each work-group
              fix: Store in Private memory (not: how much each work-item stores depends on the number of work-items, which is unknown)
              fix: Launch groups of 64 work-items
            mended: def main = depFun(n: Nat => fun(xs: n.128.f32 =>
            xs |> mapWorkGroup(fun(row => row |> mapLocal(id) |> toMem(Local) |> mapLocal(id)))))
        "#]],
    );
    say(
        "@opencl(local = [32], global = [n])\n\
         def main = depFun(n: Nat => fun(xs: n.128.f32 =>\n\
           xs |> mapWorkGroup(fun(row => row |> mapLocal(id) |> slide(2)(2) |> mapLocal(fun(w => w |> reduceSeq(Private)(add)(0.0f)))))))",
        expect![[r#"
            error[missing-memory] at mapLocal(id)
              `slide(2)(2)` reads the result of `mapLocal(id)`, which is not stored in memory
              read here: slide(2)(2)
              help: store the result before it is read, as in `|> toMem(Local)`
              fix: Store in Local memory: 512 B of 48 kB
              fix: Store in Global memory: 512 B for each work-group
              fix: Store in Private memory (not: `slide` reads elements that other work-items keep in their Private memory)
            mended: @opencl(local = [32], global = [n])
            def main = depFun(n: Nat => fun(xs: n.128.f32 =>
            xs |> mapWorkGroup(fun(row => row |> mapLocal(id) |> toMem(Local) |> slide(2)(2) |> mapLocal(fun(w => w |> reduceSeq(Private)(add)(0.0f)))))))
        "#]],
    );
    only_say(
        &rows("xs |> mapWorkGroup(mapLocal(id)) |> toMem(Private) |> mapWorkGroup(mapLocal(id))"),
        expect![[r#"
            error[address-space] at toMem
              `toMem` cannot store in Private memory here: `mapWorkGroup` computes the elements in several work-groups, and each work-item has Private memory of its own
              help: write `toMem(Global)`
              fix: Store in Global memory: `n*m*4` B
              fix: Store in Private memory (not: `mapWorkGroup` computes the elements in several work-groups, and each work-item has Private memory of its own)
              fix: Store in Local memory (not: there is no `mapWorkGroup` around this)
        "#]],
    );
}

#[test]
fn a_local_size_says_the_share_of_a_work_item() {
    let two = |opencl: &str| {
        format!(
            "{opencl}def main = depFun(n: Nat => fun(xs: n.n.16.16.f32 =>\n\
               xs |> mapWorkGroup(1)(mapWorkGroup(0)(fun(tile => tile\n\
                 |> mapLocal(1)(mapLocal(0)(fun(x => x * 2.0f))) |> toMem(Private)\n\
                 |> mapLocal(1)(mapLocal(0)(id)))))))"
        )
    };
    only_say(
        &two("@opencl(global = [n, 64])\n"),
        expect![[r#"
            error[address-space] at toMem
              `toMem` cannot store in Private memory here: how much each work-item stores depends on the number of work-items, which is unknown
              help: say how many work-items a group has, as in `@opencl(local = [8, 8])`, or write `toMem(Local)` or `toMem(Global)`
              fix: Store in Local memory: 1 kB of 48 kB
              fix: Store in Global memory: 1 kB for each work-group
              fix: Store in Private memory (not: how much each work-item stores depends on the number of work-items, which is unknown)
              fix: Launch groups of 8 × 8 work-items
        "#]],
    );
    only_say(
        &two(""),
        expect![[r#"
            error[address-space] at toMem
              `toMem` cannot store in Private memory here: how much each work-item stores depends on the number of work-items, which is unknown
              help: say how many work-items a group has, as in `@opencl(local = [8, 8])`, or write `toMem(Local)` or `toMem(Global)`
              fix: Store in Local memory: 1 kB of 48 kB
              fix: Store in Global memory: 1 kB for each work-group
              fix: Store in Private memory (not: how much each work-item stores depends on the number of work-items, which is unknown)
              fix: Launch groups of 8 × 8 work-items
        "#]],
    );
    only_say(&two("@opencl(local = [16, 16])\n"), expect![[""]]);
    // An array of unknown size has no constant share.
    say(
        &rows(
            "xs |> mapWorkGroup(fun(row => row |> mapLocal(id) |> toMem(Private) |> mapLocal(id)))",
        ),
        expect![[r#"
            error[address-space] at toMem
              `toMem` cannot store in Private memory here: how much each work-item stores depends on the number of work-items, which is unknown
              help: each work-item needs a constant number of elements: make the size a number, and say how many work-items a group has, or write `toMem(Local)` or `toMem(Global)`
              fix: Store in Local memory: `m*4` B of 48 kB
              fix: Store in Global memory: `m*4` B for each work-group
              fix: Store in Private memory (not: how much each work-item stores depends on the number of work-items, which is unknown)
            mended: def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>
              xs |> mapWorkGroup(fun(row => row |> mapLocal(id) |> toMem(Local) |> mapLocal(id)))))
        "#]],
    );
    only_say(
        &rows("xs |> mapGlobal(fun(row => row |> mapSeq(id) |> toPrivate |> mapSeq(id)))"),
        expect![[r#"
            error[address-space] at toPrivate
              `toPrivate` cannot store in Private memory here: the size of the memory is not a constant
              help: the size in Private memory must be a constant, and this is `m*4` B: make the size a number, or write `toGlobal`
              fix: Store in Global memory: `m*4` B for each work-item
              fix: Store in Private memory (not: the size of the memory is not a constant)
              fix: Store in Local memory (not: there is no `mapWorkGroup` around this)
        "#]],
    );
    only_say(
        "def main = depFun(n: Nat => fun(xs: n.f32 =>\n\
           xs |> mapGlobal(id) |> toMem(Private) |> mapGlobal(id)))",
        expect![[r#"
            error[address-space] at toMem
              `toMem` cannot store in Private memory here: how much each work-item stores depends on the number of work-items, which is unknown
              help: say how many work-items are launched, so that each has a constant number of elements, or write `toMem(Global)`
              fix: Store in Global memory: `n*4` B
              fix: Store in Private memory (not: how much each work-item stores depends on the number of work-items, which is unknown)
              fix: Store in Local memory (not: there is no `mapWorkGroup` around this)
        "#]],
    );
}

#[test]
fn local_memory() {
    say(
        "def main = depFun(n: Nat => fun(xs: n.1024.f32 =>\n\
           xs |> mapWorkGroup(fun(row => row |> mapLocal(fun(x => x * 2.0f)) |> mapLocal(id)))))",
        expect![[r#"
            error[missing-memory] at mapLocal(fun(x => x * 2.0f))
              `mapLocal(id)` reads the result of `mapLocal(fun(x => x * 2.0f))`, which is not stored in memory
              read here: mapLocal(id)
              help: store the result before it is read, as in `|> toMem(Local)`
              fix: Store in Local memory: 4 kB of 48 kB
              fix: Store in Global memory: 4 kB for each work-group
              fix: Store in Private memory (not: how much each work-item stores depends on the number of work-items, which is unknown)
            mended: def main = depFun(n: Nat => fun(xs: n.1024.f32 =>
            xs |> mapWorkGroup(fun(row => row |> mapLocal(fun(x => x * 2.0f)) |> toMem(Local) |> mapLocal(id)))))
        "#]],
    );
    say(
        "def main = depFun(n: Nat => fun(xs: n.16384.f32 =>\n\
           xs |> mapWorkGroup(fun(row => row |> mapLocal(fun(x => x * 2.0f)) |> mapLocal(id)))))",
        expect![[r#"
            error[missing-memory] at mapLocal(fun(x => x * 2.0f))
              `mapLocal(id)` reads the result of `mapLocal(fun(x => x * 2.0f))`, which is not stored in memory
              read here: mapLocal(id)
              help: store the result before it is read, as in `|> toMem(Global)`
              fix: Store in Global memory: 64 kB for each work-group
              fix: Store in Private memory (not: how much each work-item stores depends on the number of work-items, which is unknown)
              fix: Store in Local memory (not: the value takes 64 kB, and the device assumed by default has only 48 kB)
            mended: def main = depFun(n: Nat => fun(xs: n.16384.f32 =>
            xs |> mapWorkGroup(fun(row => row |> mapLocal(fun(x => x * 2.0f)) |> toMem(Global) |> mapLocal(id)))))
        "#]],
    );
    say(
        "def main = depFun(n: Nat => fun(xs: n.16384.f32 =>\n\
           xs |> mapWorkGroup(fun(row => row |> mapLocal(fun(x => x * 2.0f)) |> toMem(Local) |> mapLocal(id)))))",
        expect![[r#"
            error[device-limit] at toMem
              `toMem` takes 64 kB of Local memory, and the device assumed by default has only 48 kB
              help: give each work-group a smaller part, or store in Global memory
              fix: Store in Global memory: 64 kB for each work-group
              fix: Store in Private memory (not: how much each work-item stores depends on the number of work-items, which is unknown)
              fix: Store in Local memory (not: the value takes 64 kB, and the device assumed by default has only 48 kB)
            mended: def main = depFun(n: Nat => fun(xs: n.16384.f32 =>
            xs |> mapWorkGroup(fun(row => row |> mapLocal(fun(x => x * 2.0f)) |> toMem(Global) |> mapLocal(id)))))
        "#]],
    );
    only_say(
        &rows("xs |> mapWorkGroup(mapLocal(id)) |> toMem(Local) |> mapWorkGroup(mapLocal(id))"),
        expect![[r#"
            error[address-space] at toMem
              `toMem` cannot store in Local memory here: there is no `mapWorkGroup` around this
              help: Local memory belongs to a work-group: put this into a `mapWorkGroup`, or write `toMem(Global)`
              fix: Store in Global memory: `n*m*4` B
              fix: Store in Private memory (not: `mapWorkGroup` computes the elements in several work-groups, and each work-item has Private memory of its own)
              fix: Store in Local memory (not: there is no `mapWorkGroup` around this)
        "#]],
    );
    say(
        &rows(
            "xs |> mapWorkGroup(1)(fun(row => row |> mapGlobal(0)(id) |> toMem(Local) |> mapGlobal(0)(id)))",
        ),
        expect![[r#"
            error[address-space] at toMem
              `toMem` cannot store in Local memory here: `mapGlobal` computes the elements in several work-groups, and each has Local memory of its own
              help: write `toMem(Global)`
              fix: Store in Global memory: `m*4` B for each work-group
              fix: Store in Private memory (not: how much each work-item stores depends on the number of work-items, which is unknown)
              fix: Store in Local memory (not: `mapGlobal` computes the elements in several work-groups, and each has Local memory of its own)
            mended: def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>
              xs |> mapWorkGroup(1)(fun(row => row |> mapGlobal(0)(id) |> toMem(Global) |> mapGlobal(0)(id)))))
        "#]],
    );
    say(
        &rows("xs |> mapGlobal(fun(row => row |> mapSeq(id) |> toLocal |> mapSeq(id)))"),
        expect![[r#"
            error[address-space] at toLocal
              `toLocal` cannot store in Local memory here: there is no `mapWorkGroup` around this
              help: Local memory belongs to a work-group: put this into a `mapWorkGroup`, or write `toGlobal`
              fix: Store in Global memory: `m*4` B for each work-item
              fix: Store in Private memory (not: the size of the memory is not a constant)
              fix: Store in Local memory (not: there is no `mapWorkGroup` around this)
            mended: def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>
              xs |> mapGlobal(fun(row => row |> mapSeq(id) |> toGlobal |> mapSeq(id)))))
        "#]],
    );
}

#[test]
fn memory_across_work_groups() {
    say(
        &rows("xs |> mapGlobal(mapSeq(fun(x => x * 2.0f))) |> mapGlobal(mapSeq(id))"),
        expect![[r#"
            error[missing-memory] at mapGlobal(mapSeq(fun(x => x * 2.0f)))
              `mapGlobal(mapSeq(id))` reads the result of `mapGlobal`, which is not stored in memory
              read here: mapGlobal(mapSeq(id))
              help: store the result before it is read, as in `|> toMem(Global)`
              fix: Store in Global memory: `n*m*4` B
              fix: Store in Private memory (not: how much each work-item stores depends on the number of work-items, which is unknown)
              fix: Store in Local memory (not: there is no `mapWorkGroup` around this)
            mended: def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>
              xs |> mapGlobal(mapSeq(fun(x => x * 2.0f))) |> toMem(Global) |> mapGlobal(mapSeq(id))))
        "#]],
    );
    only_say(
        "def main = depFun(n: Nat => fun(xs: (n + 2).f32 =>\n\
           xs |> mapGlobal(fun(x => x * 2.0f)) |> slide(3)(1) |> mapGlobal(reduceSeq(Private)(add)(0.0f))))",
        expect![[r#"
            error[missing-memory] at mapGlobal(fun(x => x * 2.0f))
              `slide(3)(1)` reads the result of `mapGlobal(fun(x => x * 2.0f))`, which is not stored in memory
              read here: slide(3)(1)
              help: make what writes and what reads two kernels with `oclRun`, and store the result in Global memory between them
              fix: Store in Private memory (not: how much each work-item stores depends on the number of work-items, which is unknown)
              fix: Store in Local memory (not: there is no `mapWorkGroup` around this)
              fix: Store in Global memory (not: `slide` reads what other work-groups write, and work-groups cannot wait for each other in one kernel)
        "#]],
    );
}

#[test]
fn what_a_device_lacks() {
    let device = Device {
        name: "the small device".into(),
        local_memory: 2 << 10,
        fp64: false,
        fp16: false,
        ..Device::default()
    };
    say_on(
        &device,
        "def main = depFun(n: Nat => fun(xs: n.f64 => xs |> mapGlobal(fun(x => x * 2.0f64))))",
        expect![[r#"
            error[device-limit] at x
              the small device has no `f64`
              help: compute with `f32`
        "#]],
    );
    say_on(
        &device,
        "def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(fun(x => select(x < 1.0f)(x)(cast(1.0f16))))))",
        expect![[r#"
            error[device-limit] at 1.0f16
              the small device has no `f16`
              help: compute with `f32`
        "#]],
    );
    say_on(
        &device,
        "def main = depFun(n: Nat => fun(xs: n.1024.f32 =>\n  \
           xs |> mapWorkGroup(fun(row => row |> mapLocal(id) |> toMem(Local) |> mapLocal(id)))))",
        expect![[r#"
            error[device-limit] at toMem
              `toMem` takes 4 kB of Local memory, and the small device has only 2 kB
              help: give each work-group a smaller part, or store in Global memory
              fix: Store in Global memory: 4 kB for each work-group
              fix: Store in Private memory (not: how much each work-item stores depends on the number of work-items, which is unknown)
              fix: Store in Local memory (not: the value takes 4 kB, and the small device has only 2 kB)
        "#]],
    );
}

#[test]
fn private_memory_beyond_registers_is_offered_behind_global_memory() {
    say(
        "def main = depFun(n: Nat => fun(xs: n.4096.f32 =>\n  \
           xs |> mapGlobal(fun(row => row |> mapSeq(id) |> reduceSeq(Private)(add)(0.0f)))))",
        expect![[r#"
            error[missing-memory] at mapSeq(id)
              `reduceSeq(Private)(add)` reads the result of `mapSeq(id)`, which is not stored in memory
              read here: reduceSeq(Private)(add)
              help: store the result before it is read, as in `|> toMem(Global)`
              fix: Store in Global memory: 16 kB for each work-item
              fix: Store in Private memory: 16 kB for each work-item
              fix: Store in Local memory (not: there is no `mapWorkGroup` around this)
            mended: def main = depFun(n: Nat => fun(xs: n.4096.f32 =>
              xs |> mapGlobal(fun(row => row |> mapSeq(id) |> toMem(Global) |> reduceSeq(Private)(add)(0.0f)))))
        "#]],
    );
}

#[test]
fn a_step_of_unknown_size_is_not_stored_in_private_memory() {
    say(
        "def main = depFun((k: Nat, n: Nat, m: Nat) => fun(xs: k.n.m.m.f32 => xs |> mapGlobal(fun(ys =>\n  \
           ys |> reduceSeq(Global)(fun(acc, x => zip(acc |> transpose)(x) |> mapSeq(fun(rows =>\n    \
             zip(rows._1)(rows._2) |> mapSeq(fun(p => p._1 + p._2))))))(\n    \
             generate(fun(i => generate(fun(j => 0.0f)))) |> mapSeq(mapSeq(id))) |> mapSeq(mapSeq(id))))))",
        expect![[r#"
            error[accumulator-moved] at fun
              the function of `reduceSeq` reads another element of the accumulator than the one that it writes
              read here, where it may be overwritten already: acc
              help: the accumulator is written in place: store the result before it is copied there
              fix: Store the result: `toMem(Global) |> mapSeq(mapSeq(id))`
            mended: def main = depFun((k: Nat, n: Nat, m: Nat) => fun(xs: k.n.m.m.f32 => xs |> mapGlobal(fun(ys =>
              ys |> reduceSeq(Global)(fun(acc, x => zip(acc |> transpose)(x) |> mapSeq(fun(rows =>
                zip(rows._1)(rows._2) |> mapSeq(fun(p => p._1 + p._2)))) |> toMem(Global) |> mapSeq(mapSeq(id))))(
                generate(fun(i => generate(fun(j => 0.0f)))) |> mapSeq(mapSeq(id))) |> mapSeq(mapSeq(id))))))
        "#]],
    );
}
