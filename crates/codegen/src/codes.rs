//! Declares the diagnostics about kernels and about slow loops.

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

    /// A loop reads elements that are far apart.
    ///
    /// Processors load memory in cache lines of usually 64 bytes. A loop that reads one number of each line, such as a sum over a
    /// column of a matrix in row-major order, takes several times as long as one that reads whole lines. If the loop around it
    /// would read neighbouring elements, the reduction should be the outer loop, and accumulate the results of all columns
    /// together: each result is the same sum in the same order. The factor in the message is an estimate.
    ///
    /// Slow:
    ///
    /// ```rise slow
    /// @target(c)
    /// def columnSums = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 =>
    ///   a |> transpose |> mapSeq(fun(column => column |> reduceSeq(add)(0.0f)))))
    /// ```
    ///
    /// Fast:
    ///
    /// ```rise fast
    /// @target(c)
    /// def columnSums = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 =>
    ///   a |> reduceSeq(fun(sums, row => zip(sums)(row) |> mapSeq(fun(p => p._1 + p._2))))(
    ///     generate(fun(i => 0.0f)) |> mapSeq(id)) |> mapSeq(id)))
    /// ```
    STRIDED_READ = "strided-read";

    /// A loop copies an array.
    ///
    /// The loop writes each element of an array to the same index of another one, and computes nothing. Where the copy is used,
    /// the array itself can be read.
    ///
    /// Slow:
    ///
    /// ```rise slow
    /// @target(c)
    /// def doubled = depFun(n: Nat => fun(xs: n.f32 =>
    ///   xs |> mapSeq(id) |> toMem |> mapSeq(fun(x => x * 2.0f))))
    /// ```
    ///
    /// Fast:
    ///
    /// ```rise fast
    /// @target(c)
    /// def doubled = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(fun(x => x * 2.0f))))
    /// ```
    COPY = "copy";

    /// A loop stores an array, each element of which is read once.
    ///
    /// Large arrays are written to memory and read from there again, which takes longer than most computations, and new memory
    /// has to be got from the system. Where each element is read once, it can be computed there, without `toMem`.
    ///
    /// Slow:
    ///
    /// ```rise slow
    /// @target(c)
    /// def changed = depFun(n: Nat => fun(xs: (10000000 + n).f32 =>
    ///   xs |> mapSeq(fun(x => x * 2.0f)) |> toMem |> mapSeq(fun(x => x + 1.0f))))
    /// ```
    ///
    /// Fast:
    ///
    /// ```rise fast
    /// @target(c)
    /// def changed = depFun(n: Nat => fun(xs: (10000000 + n).f32 =>
    ///   xs |> map(fun(x => x * 2.0f)) |> mapSeq(fun(x => x + 1.0f))))
    /// ```
    UNFUSED = "unfused";

    /// A loop computes the same values in each iteration of the loop around it.
    ///
    /// Compilers move single operations out of a loop, but no loops and no calls of functions such as `exp`. A result that does
    /// not depend on the element of a `map` can be bound by `let` in front of it, and values that each iteration of a loop
    /// computes again can be stored before it, with `toMem`.
    ///
    /// Slow:
    ///
    /// ```rise slow
    /// @target(c)
    /// def scaled = depFun((n: Nat, m: Nat) => fun(xs: n.i32, ys: m.i32 =>
    ///   xs |> mapSeq(fun(x => x * (ys |> reduceSeq(add)(0))))))
    /// ```
    ///
    /// Fast:
    ///
    /// ```rise fast
    /// @target(c)
    /// def scaled = depFun((n: Nat, m: Nat) => fun(xs: n.i32, ys: m.i32 =>
    ///   let sum = ys |> reduceSeq(add)(0) in
    ///   xs |> mapSeq(fun(x => x * sum))))
    /// ```
    LOOP_INVARIANT = "loop-invariant";

    /// Each step of a reduction reads and writes all elements of a large array.
    ///
    /// If the array is larger than a cache, it moves from memory and back in each step. Where the step is a `map` over rows, the
    /// map can be outside of the reduction: each row then stays in the cache until it is complete.
    ///
    /// Slow:
    ///
    /// ```rise slow
    /// @target(c)
    /// def matrixProduct = depFun((n: Nat, k: Nat, m: Nat) => fun(a: n.k.f32, b: k.m.f32 =>
    ///   zip(a |> transpose)(b)
    ///     |> reduceSeq(fun(sums, step => zip(sums)(step._1) |> mapSeq(fun(row =>
    ///          zip(row._1)(step._2) |> mapSeq(fun(p => p._1 + row._2 * p._2))))))(
    ///       generate(fun(i => generate(fun(j => 0.0f)))) |> mapSeq(mapSeq(id)))
    ///     |> mapSeq(mapSeq(id))))
    /// ```
    ///
    /// Fast:
    ///
    /// ```rise fast
    /// @target(c)
    /// def matrixProduct = depFun((n: Nat, k: Nat, m: Nat) => fun(a: n.k.f32, b: k.m.f32 =>
    ///   a |> mapSeq(fun(row => zip(row)(b)
    ///     |> reduceSeq(fun(sums, step => zip(sums)(step._2) |> mapSeq(fun(p => p._1 + step._1 * p._2))))(
    ///       generate(fun(j => 0.0f)) |> mapSeq(id))
    ///     |> mapSeq(id)))))
    /// ```
    LOOP_ORDER = "loop-order";

    /// The threads of a parallel loop start in each iteration of the loop around it.
    ///
    /// To start threads, and to wait until the last one has ended, takes several microseconds. Where the loop around is a `map`,
    /// it can be the parallel one, and the threads start once.
    ///
    /// Slow:
    ///
    /// ```rise slow
    /// @target(openmp)
    /// def scaled = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 =>
    ///   a |> mapSeq(mapPar(fun(x => x * 2.0f)))))
    /// ```
    ///
    /// Fast:
    ///
    /// ```rise fast
    /// @target(openmp)
    /// def scaled = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 =>
    ///   a |> mapPar(mapSeq(fun(x => x * 2.0f)))))
    /// ```
    INNER_PARALLEL = "inner-parallel";

    /// The default schedule is estimated to be faster than the choices that the definition makes.
    ///
    /// A definition that is written with `map` and `reduce` leaves the order of loops, the memory and the tiles to the default
    /// schedule. Loops and copies that are written out, and strategies, stay as they are.
    ///
    /// Slow:
    ///
    /// ```rise slow
    /// @target(c)
    /// def distances = depFun((n: Nat, m: Nat) => fun(a: n.32.f32, b: m.32.f32 =>
    ///   a |> mapSeq(fun(p => b |> mapSeq(fun(q =>
    ///     zip(p)(q) |> map(fun((x, y) => (x - y) * (x - y))) |> reduceSeq(add)(0.0f)))))))
    /// ```
    ///
    /// Fast:
    ///
    /// ```rise fast
    /// @target(c)
    /// def distances = depFun((n: Nat, m: Nat) => fun(a: n.32.f32, b: m.32.f32 =>
    ///   a |> map(fun(p => b |> map(fun(q =>
    ///     zip(p)(q) |> map(fun((x, y) => (x - y) * (x - y))) |> reduce(add)(0.0f)))))))
    /// ```
    SLOWER_THAN_DEFAULT = "slower-than-default";

    /// Each step of a reduction waits for the one before it.
    ///
    /// Compilers do not change the order of operations on floating-point numbers, because that changes the rounding of the
    /// result. Each step of a `reduceSeq` therefore starts when the one before it has ended, after several cycles in which the
    /// processor could start many steps. Several partial results do not wait for each other, and fill vector registers. The
    /// result may be rounded differently.
    ///
    /// Slow:
    ///
    /// ```rise slow
    /// @target(c)
    /// def total = depFun(n: Nat => fun(xs: n.f32 => xs |> reduceSeq(add)(0.0f)))
    /// ```
    ///
    /// Fast, with 32 sums side by side:
    ///
    /// ```rise fast
    /// @target(c)
    /// def total = depFun(n: Nat => fun(xs: (32 * n).f32 =>
    ///   xs |> split(32)
    ///     |> reduceSeq(fun(sums, row => zip(sums)(row) |> mapSeq(fun(p => p._1 + p._2))))(
    ///       generate(fun(i => 0.0f)) |> mapSeq(id))
    ///     |> mapSeq(id) |> toMem |> reduceSeq(add)(0.0f)))
    /// ```
    ORDERED_REDUCTION = "ordered-reduction";

    /// Neighbouring work-items access memory that is far apart.
    ///
    /// A device combines the accesses of neighbouring work-items in dimension 0 into a few memory transactions if they are next to
    /// each other. Otherwise, each access is a transaction of its own, of which most bytes are not used.
    ///
    /// Slow:
    ///
    /// ```rise slow
    /// def rowSums = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 =>
    ///   a |> mapGlobal(fun(row => row |> reduceSeq(Private)(add)(0.0f)))))
    /// ```
    ///
    /// Fast:
    ///
    /// ```rise fast
    /// def columnSums = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 =>
    ///   a |> transpose |> mapGlobal(fun(column => column |> reduceSeq(Private)(add)(0.0f)))))
    /// ```
    UNCOALESCED = "uncoalesced";
}
