//! Declares the diagnostics about kernels.

use syntax::declare_diagnostics;

declare_diagnostics! {
    /// A work-item reads private memory that another one wrote.
    ///
    /// With `mapLocal(f) |> toMem(Private)`, each work-item stores the elements that it computes in its own memory, and no other
    /// work-item can read them. They must be read by the same kind of map over the same dimension, each element at its own index.
    /// Elements that other work-items of the group read must be in Local memory.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// @opencl(local = [32], global = [32 * n])
    /// def turned = depFun(n: Nat => fun(xs: n.32.f32 => xs |> mapWorkGroup(fun(row => row
    ///   |> mapLocal(fun(x => x * 2.0f)) |> toMem(Private) |> reorderWithStride(4) |> mapLocal(id)))))
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// @opencl(local = [32], global = [32 * n])
    /// def turned = depFun(n: Nat => fun(xs: n.32.f32 => xs |> mapWorkGroup(fun(row => row
    ///   |> mapLocal(fun(x => x * 2.0f)) |> toMem(Local) |> reorderWithStride(4) |> mapLocal(id)))))
    /// ```
    OTHER_WORK_ITEM = "other-work-item";

    /// One work-group reads what another one writes in the same kernel.
    ///
    /// Work-groups run in any order, and a barrier synchronises only the work-items of one group. What a group writes to Global
    /// memory can be read by the same group, or by the next kernel: put each of the two parts in `oclRun`, so that they become
    /// separate kernels, which run one after the other.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// def sums = fun(xs: 1026.f32 => xs
    ///   |> mapGlobal(fun(x => x * 2.0f)) |> toMem(Global)
    ///   |> slide(3)(1) |> mapGlobal(reduceSeq(Private)(add)(0.0f)))
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// def sums = fun(xs: 1026.f32 => xs
    ///   |> mapGlobal(fun(x => x * 2.0f)) |> oclRun(64, 1, 1)(1024, 1, 1) |> toMem(Global)
    ///   |> slide(3)(1) |> mapGlobal(reduceSeq(Private)(add)(0.0f)) |> oclRun(64, 1, 1)(1024, 1, 1))
    /// ```
    ACROSS_GROUPS = "across-groups";

    /// Not all work-items of a group reach a barrier.
    ///
    /// Work-items that share memory wait for each other at barriers, and OpenCL requires that a barrier is reached either by all
    /// work-items of the group or by none. If memory is shared inside a `mapLocal`, all work-items must execute the same number of
    /// its iterations: the number of elements must be a multiple of the local size.
    ///
    /// Wrong, because 10 rows cannot be distributed evenly over 8 work-items:
    ///
    /// ```rise wrong
    /// @opencl(local = [4, 8], global = [4 * n, 8 * m])
    /// def sums = depFun((n: Nat, m: Nat) => fun(xs: m.n.10.6.f32 =>
    ///   xs |> mapWorkGroup(1)(mapWorkGroup(mapLocal(1)(fun(row =>
    ///     row |> mapLocal(fun(x => x * 2.0f)) |> toMem(Local) |> split(2)
    ///       |> mapLocal(reduceSeq(Private)(add)(0.0f))))))))
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// @opencl(local = [4, 8], global = [4 * n, 8 * m])
    /// def sums = depFun((n: Nat, m: Nat) => fun(xs: m.n.16.6.f32 =>
    ///   xs |> mapWorkGroup(1)(mapWorkGroup(mapLocal(1)(fun(row =>
    ///     row |> mapLocal(fun(x => x * 2.0f)) |> toMem(Local) |> split(2)
    ///       |> mapLocal(reduceSeq(Private)(add)(0.0f))))))))
    /// ```
    DIVERGENT_BARRIER = "divergent-barrier";
}
