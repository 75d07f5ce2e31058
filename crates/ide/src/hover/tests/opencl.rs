//! Tests of hovers about work-items, memory and launches.

use super::{check, check_memory};
use expect_test::expect;

#[test]
fn work_items_share_what_maps_give_them() {
    check_memory(
        "\
@target(opencl)
@opencl(local = [64], global = [n / 4])
@run(n = 8192)
def groups = depFun(n: Nat => fun(xs: (256 * n).f32 =>
  xs |> split(256) |> $0mapWorkGroup(fun(chunk =>
    chunk |> split(4) |> $0mapLocal($0reduceSeq(Private)(add)(0.0f)) |> $0toMem(Local) |> split(4)
      |> $0mapLocal(fun(part => part |> $0mapSeq(id))) |> join)) |> join))
@target(opencl)
@opencl(local = [16, 16], global = [m, n])
def squares = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>
  xs |> $0mapGlobal(1)($0mapGlobal(0)(fun(x => x + 1.0f)))))
@target(opencl)
@opencl(local = [32])
def open = depFun(n: Nat => fun(xs: n.32.f32 =>
  xs |> $0mapWorkGroup(fun(row => row |> $0mapLocal(id) |> $0toMem(Private) |> mapLocal(id)))))
",
        expect![[r#"
            [mapWorkGroup] In OpenCL: written to the result, `n*256` B (2.1 MB with `@run(n = 8192)`).

            `n` elements for `n/256` work-groups: `w` = `get_group_id(0)` takes `w`, `w + n/256`, … below `n`. With `@run(n = 8192)`: 8192 for 32 work-groups, 256 each.

            Becomes

            ```c
            for (int wgId = get_group_id(0); wgId < n; wgId += n / 256)
            ```
            [mapLocal] In OpenCL: written to memory that the program keeps, 256 B.

            One element for each of the 64 work-items of a group: `get_local_id(0)` says which.
            [reduceSeq] In OpenCL: stored in private memory, 4 B, for each work-item.

            One work-item does all of it.

            Becomes

            ```c
            for (int l = 0; l < 4; l++)
            ```
            [toMem] In OpenCL: stored in local memory, 256 B, for each work-group; less than 1% of the 48 kB of the device assumed by default.
            [mapLocal] In OpenCL: written to the result, 256 B.

            One element for each of the first 16 of the 64 work-items of a group, by `get_local_id(0)`; the others have none.

            Becomes

            ```c
            if (lid < 16)
            ```
            [mapSeq] In OpenCL: written to the result, 16 B.

            One work-item does all of it.

            Becomes

            ```c
            for (int l = 0; l < 4; l++)
            ```
            [mapGlobal] In OpenCL: written to the result, `n*m*4` B.

            One element for each of the `n` work-items: `get_global_id(1)` says which.
            [mapGlobal] In OpenCL: written to the result, `m*4` B.

            One element for each of the `m` work-items: `get_global_id(0)` says which.
            [mapWorkGroup] In OpenCL: written to the result, `n*128` B.

            `n` elements for all work-groups, however many are launched: `w` = `get_group_id(0)` takes `w`, `w + get_num_groups(0)`, … below `n`.

            Becomes

            ```c
            for (int wgId = get_group_id(0); wgId < n; wgId += get_num_groups(0))
            ```
            [mapLocal] In OpenCL: written to memory that the program keeps, 128 B.

            One element for each of the 32 work-items of a group: `get_local_id(0)` says which.
            [toMem] In OpenCL: stored in private memory, 128 B, spread over the work-items: each keeps the elements that it computes.
        "#]],
    );
}

#[test]
fn half_precision_arrays_have_a_size() {
    check_memory(
        "\
@target(opencl)
@opencl(local = [32])
def $0sums = depFun((n: Nat, m: Nat) => fun(xs: n.m.f16 =>
  xs |> mapGlobal(reduceSeq(Private)(fun(a, x => a + x))(0.0f16))))
@target(opencl)
@opencl(local = [32])
def rows = depFun(n: Nat => fun(xs: n.32.8.f16 =>
  xs |> mapWorkGroup(mapLocal(fun(row => row |> mapSeq(id) |> $0toMem(Private) |> mapSeq(id))))))
",
        expect![[r#"
            [sums] In OpenCL: the kernel `sums` is launched in groups of 32 work-items; how many groups is chosen when it runs. Each work-item has 2 B of private memory.
            [toMem] In OpenCL: stored in private memory, 16 B, for each work-item.
        "#]],
    );
}

#[test]
fn an_own_launch_holds_for_its_part() {
    check_memory(
        "\
@target(opencl)
def f = depFun(n: Nat => fun(xs: (64 * n).f32 =>
  xs |> $0mapGlobal(fun(x => x + 1.0f)) |> oclRun(64, 1, 1)(64 * n, 1, 1) |> toMem(Global)
    |> $0mapGlobal(fun(x => x * 2.0f)) |> oclRun(32, 1, 1)(32, 1, 1)))
",
        expect![[r#"
            [mapGlobal] In OpenCL: written to memory that the program keeps, `n*256` B.

            One element for each of the `n*64` work-items: `get_global_id(0)` says which.
            [mapGlobal] In OpenCL: written to the result, `n*256` B.

            `n*2` elements for each of the 32 work-items: `g` = `get_global_id(0)` takes `g`, `g + 32`, ….

            Becomes

            ```c
            for (int gId = get_global_id(0); gId < 64 * n; gId += 32)
            ```
        "#]],
    );
}

#[test]
fn a_definition_says_how_its_kernels_are_launched() {
    check(
        "\
@target(opencl)
@opencl(local = [64], global = [n / 4])
@run(n = 8192)
def $0groups = depFun(n: Nat => fun(xs: (256 * n).f32 =>
  xs |> split(256) |> mapWorkGroup(fun(chunk =>
    chunk |> split(4) |> mapLocal(reduceSeq(Private)(add)(0.0f)) |> toMem(Local) |> split(4)
      |> mapLocal(fun(part => part |> mapSeq(id))) |> join)) |> join))
@target(opencl)
def $0two = depFun(n: Nat => fun(xs: (64 * n).f32 =>
  xs |> mapGlobal(fun(x => x + 1.0f)) |> oclRun(64, 1, 1)(64 * n, 1, 1) |> toMem(Global)
    |> mapGlobal(fun(x => x * 2.0f)) |> oclRun(16, 1, 1)(32, 1, 1)))
@target(opencl)
def $0open = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>
  xs |> mapGlobal(1)(mapGlobal(0)(fun(x => x + 1.0f)))))
",
        expect![[r#"
            [groups]
            ```rise
            def groups : (n: Nat) -> (n*256).f32 -> (n*64).f32
            ```

            In OpenCL: the kernel `groups` is launched with `n/4` work-items in groups of 64 (2048 in 32 groups with `@run(n = 8192)`). A group has 256 B of local memory; less than 1% of the 48 kB of the device assumed by default. Each work-item has 4 B of private memory. It is launched only if `64 divides n/4`.
            ----
            [two]
            ```rise
            def two : (n: Nat) -> (n*64).f32 -> (n*64).f32
            ```

            In OpenCL:

            - the kernel `two_1` is launched with `n*64` work-items in groups of 64.
            - the kernel `two_2` is launched with 32 work-items in groups of 16.
            - global memory between kernels: `tmp`, `n*256` B.
            ----
            [open]
            ```rise
            def open : (n: Nat) -> (m: Nat) -> n.m.f32 -> n.m.f32
            ```

            In OpenCL: the kernel `open_` is launched with sizes that are chosen when it runs.
        "#]],
    );
}
