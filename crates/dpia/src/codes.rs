//! The declarations of the diagnostics about the compilation of a program for a target, and about
//! data races.

use syntax::declare_diagnostics;

declare_diagnostics! {
    /// A pattern states what is computed, but not how.
    ///
    /// `map` and `reduce` do not determine how they are computed: by a loop, by threads, or without code of their own. In a
    /// definition that is checked for a target, `reduce` must be replaced by an implementation: `reduceSeq`, `reducePar` or, for
    /// OpenCL, `reduceSeq(Private)`. A `map` whose result is only read needs no implementation, because each element is computed
    /// where it is read. If its result is written, it must be replaced by a loop that writes it: `mapSeq`, `mapPar`, `mapGlobal`.
    /// Only a function that rearranges (`transpose`, `join`, …) what something else writes needs no loop of its own. A definition
    /// that chooses no implementation at all gets the default schedule of the target instead (`default-schedule`).
    ///
    /// A definition is checked for a target if it has `@target`, if it uses features that only that target has, or with `--target`.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// @target(c)
    /// def total = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(fun(x => x * x)) |> toMem |> reduce(add)(0.0f)))
    /// ```
    ///
    /// Right; the `map` is only read:
    ///
    /// ```rise right
    /// @target(c)
    /// def total = depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(x => x * x)) |> reduceSeq(add)(0.0f)))
    /// ```
    MISSING_CHOICE = "missing-choice";

    /// A definition makes no choice of implementation, and gets the default schedule of its target.
    ///
    /// A definition without `mapSeq`, `reduceSeq`, `toMem`, `mapGlobal` or another pattern that chooses one of several
    /// implementations is lowered by a strategy of the library: `lowerToC`, `lowerToOpenMP` or `lowerToOpenCL`. `rise-ls rewrite --strategy
    /// lowerToC` and the code actions of an editor show the result; `rise-ls schedule` prints the choices of the strategy, to be
    /// edited. To keep the result, name the strategy, `@strategy(lowerToC)`; to choose another implementation, name another
    /// strategy or write the patterns.
    ///
    /// With the hint:
    ///
    /// ```rise wrong
    /// @target(c)
    /// def total = depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(x => x * x)) |> reduce(add)(0.0f)))
    /// ```
    ///
    /// Without it:
    ///
    /// ```rise right
    /// @target(c)
    /// @strategy(lowerToC)
    /// def total = depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(x => x * x)) |> reduce(add)(0.0f)))
    /// ```
    DEFAULT_SCHEDULE = "default-schedule";

    /// Memory of a kernel has no address space, or an address space that is not possible.
    ///
    /// In OpenCL all memory is in one of several address spaces, which the program states: `toMem(Local)`, `reduceSeq(Private)`.
    /// Local memory belongs to a work-group, so it can only be used inside of `mapWorkGroup`; Private memory has a constant size, so
    /// for an array that `mapLocal` writes there, the number of work-items must be known (`@opencl(local = …)`); Constant memory can
    /// only be read. The fixes are the address spaces with which the program compiles, the most similar one first.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// @target(opencl)
    /// def sums = depFun(n: Nat => fun(xs: n.4.f32 => xs |> mapGlobal(reduceSeq(add)(0.0f))))
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// @target(opencl)
    /// def sums = depFun(n: Nat => fun(xs: n.4.f32 => xs |> mapGlobal(reduceSeq(Private)(add)(0.0f))))
    /// ```
    ADDRESS_SPACE = "address-space";

    /// The target does not support a feature that the definition uses.
    ///
    /// C has no threads and therefore no `mapPar`; only OpenCL has kernels, work-groups and address spaces; C and OpenMP have no
    /// `f16`; threads combine single values, so there is no `reducePar` of arrays. Patterns that are unrolled or that operate on
    /// lanes need a constant size: `mapSeqUnroll` and `reduceSeqUnroll` over `n` elements, `asVector(n)` and `rotateValues(n)`
    /// cannot be compiled, nor can loops that would be unrolled more than 10000 times.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// @target(c)
    /// def twice = depFun(n: Nat => fun(xs: n.f32 => xs |> mapPar(fun(x => x * 2.0f))))
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// @target(openmp)
    /// def twice = depFun(n: Nat => fun(xs: n.f32 => xs |> mapPar(fun(x => x * 2.0f))))
    /// ```
    NOT_ON_TARGET = "not-on-target";

    /// A definition cannot be compiled on its own.
    ///
    /// A compiled definition becomes a C function that takes sizes, numbers and arrays. Its parameters cannot be functions, types or
    /// address spaces, tuples with arrays in them, or dependent pairs (take the size and the array as two parameters). Its result can
    /// be a tuple of arrays and values, but not an array of tuples with arrays in them (`unzip` makes a tuple of it), or a dependent
    /// pair. Such definitions can be used by other definitions, and are compiled as a part of them.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// @target(c)
    /// def each = fun(f: f32 -> f32, xs: 8.f32 => xs |> mapSeq(f))
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// def each = fun(f: f32 -> f32, xs: 8.f32 => xs |> mapSeq(f))
    ///
    /// @target(c)
    /// def twice = fun(xs: 8.f32 => xs |> each(fun(x => x * 2.0f)))
    /// ```
    NOT_A_PROGRAM = "not-a-program";

    /// A parallel pattern is not allowed at its place.
    ///
    /// In OpenCL, there is either a `mapGlobal` for each dimension, or a `mapWorkGroup` with a `mapLocal` inside it; and a
    /// `mapLocal` contains no `mapWorkGroup`. If loops nest deeper, use `mapSeq` for the inner ones, or another dimension, as in
    /// `mapGlobal(1)`. The host launches each kernel, `oclRun`, once: it cannot be inside a map or another loop. For OpenMP, a
    /// `mapPar` inside another one is not an error but a hint: all threads are already busy.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// @target(opencl)
    /// def twice = depFun(n: Nat => fun(xs: n.n.f32 => xs |> mapGlobal(mapGlobal(fun(x => x * 2.0f)))))
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// @target(opencl)
    /// def twice = depFun(n: Nat => fun(xs: n.n.f32 => xs |> mapGlobal(1)(mapGlobal(0)(fun(x => x * 2.0f)))))
    /// ```
    WRONG_NESTING = "wrong-nesting";

    /// Several work-items write the same memory.
    ///
    /// Every work-item of a launch executes the whole kernel; parallel maps distribute their iterations over the work-items. For
    /// every dimension in which more than one work-item is launched, a write to Global memory must therefore be inside a
    /// `mapGlobal`, or inside a `mapWorkGroup` and a `mapLocal`. Each work-group has its own Local memory: for every dimension in
    /// which a group has more than one work-item, a write to Local memory must be inside a `mapLocal`. Without `@opencl` that is
    /// dimension 0; in dimensions 1 and 2, one work-item is launched in that case, so a program that uses one dimension must use
    /// dimension 0. Each work-item has its own Private memory.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// @target(opencl)
    /// def twice = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(fun(x => x * 2.0f))))
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// @target(opencl)
    /// def twice = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(fun(x => x * 2.0f))))
    /// ```
    WRITTEN_BY_ALL = "written-by-all";

    /// The sizes of a launch are inconsistent, or do not match the program.
    ///
    /// `@opencl(local = …, global = …)` gives the number of work-items of a group and of all work-items, in each dimension; so does
    /// `oclRun`. OpenCL divides the global size into groups of the local size, which must divide it exactly. If `oclRun` gives the
    /// sizes, or if the definition is not compiled for OpenCL, `@opencl` has no effect, and a warning is reported.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// @target(opencl)
    /// @opencl(local = [64], global = [100])
    /// def twice = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(fun(x => x * 2.0f))))
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// @target(opencl)
    /// @opencl(local = [64], global = [128])
    /// def twice = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(fun(x => x * 2.0f))))
    /// ```
    LAUNCH_SIZE = "launch-size";

    /// A program exceeds the limits of the device.
    ///
    /// A device has limited local memory for each work-group, a maximum number of work-items in a group, and may not support `f64`
    /// or `f16`. If no device is available, a typical one is assumed: 48 kB of local memory, groups of 1024 work-items, every type.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// @target(opencl)
    /// @opencl(local = [64, 64], global = [64, 64])
    /// def twice = depFun(n: Nat => fun(xs: n.n.f32 => xs |> mapGlobal(1)(mapGlobal(0)(fun(x => x * 2.0f)))))
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// @target(opencl)
    /// @opencl(local = [32, 32], global = [64, 64])
    /// def twice = depFun(n: Nat => fun(xs: n.n.f32 => xs |> mapGlobal(1)(mapGlobal(0)(fun(x => x * 2.0f)))))
    /// ```
    DEVICE_LIMIT = "device-limit";

    /// Iterations of a parallel loop access the same memory.
    ///
    /// Only programs that are written in DPIA can have data races. The iterations of `parFor`, `parForGlobal`, `parForWorkGroup`,
    /// `parForLocal`, `parForNat` and `parReduce` run in parallel, in no particular order. The body of such a loop may write to the
    /// acceptor that the loop passes to it, and to memory that it allocates itself. It must not use acceptors or commands from
    /// outside of the loop, and must not read what other iterations write. An iteration may read what it writes itself: the element
    /// at the loop's own index, through any views. The message names the shared memory and shows the loop.
    ///
    /// Wrong:
    ///
    /// ```dpia wrong file=example.dpia
    /// def total = depFun((n: Nat) => fun((out: Acc[n.f32], xs: Exp[n.f32, Rd]) =>
    ///   new(f32, fun((acc, total) =>
    ///     acc = 0.0f;
    ///     parFor(n, f32, out, fun((i, place) =>
    ///       acc = total + idx(i, xs);
    ///       place = 1.0f))))))
    /// ```
    ///
    /// Right:
    ///
    /// ```dpia right file=example.dpia
    /// def total = depFun((n: Nat) => fun((out: Acc[n.f32], xs: Exp[n.f32, Rd]) =>
    ///   parFor(n, f32, out, fun((i, place) =>
    ///     new(f32, fun((acc, total) =>
    ///       acc = 0.0f;
    ///       for(n, fun(j =>
    ///         acc = total + idx(j, xs)));
    ///       place = total))))))
    /// ```
    DATA_RACE = "data-race";

    /// An element of an accumulator or of an `inout` parameter may be read after it is overwritten.
    ///
    /// The accumulator of a reduction is overwritten in place at each step. While the new element at `i` is written, the old element
    /// at `i` can be read; the old element at `j` may already be overwritten. Store the elements that are read, or the new
    /// accumulator, before it is written. In the same way, a parameter that is marked `inout` is overwritten by its new value.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// @target(c)
    /// def turned = depFun(n: Nat => fun(xs: n.4.4.f32 =>
    ///   xs
    ///     |> reduceSeq(fun(acc, x => zip(acc |> transpose)(x) |> mapSeq(fun(rows =>
    ///       zip(rows._1)(rows._2) |> mapSeq(fun(p => p._1 + p._2))))))(
    ///       generate(fun(i => generate(fun(j => 0.0f)))) |> mapSeq(mapSeq(id)))
    ///     |> mapSeq(mapSeq(id))))
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// @target(c)
    /// def turned = depFun(n: Nat => fun(xs: n.4.4.f32 =>
    ///   xs
    ///     |> reduceSeq(fun(acc, x => zip(acc |> transpose)(x) |> mapSeq(fun(rows =>
    ///       zip(rows._1)(rows._2) |> mapSeq(fun(p => p._1 + p._2)))) |> toMem |> mapSeq(mapSeq(id))))(
    ///       generate(fun(i => generate(fun(j => 0.0f)))) |> mapSeq(mapSeq(id)))
    ///     |> mapSeq(mapSeq(id))))
    /// ```
    ACCUMULATOR_MOVED = "accumulator-moved";

    /// The elements of a `scatter` are not written in the order of the array.
    ///
    /// If an index of `scatter` repeats, the result is the last element with that index. Generated code writes the elements in the
    /// order of the loop that computes them. A view between that loop and `scatter` that changes the order of the elements
    /// (`reorder`, or `transpose` with `join`) is therefore moved before the loop, where it rearranges what the loop reads. If that
    /// is not possible (after another `scatter`, or if something would be computed several times), the elements are stored, and
    /// copied in order. For C and OpenMP the compiler does this, and the diagnostic is a hint. For OpenCL it is an error, because
    /// memory needs an address space: store the elements with `toMem` and copy them with `mapSeq`. Indices that cannot repeat, such
    /// as those of `scatterShift`, may be in any order, and so may the iterations of a parallel map: there, an index must not repeat
    /// with different values.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// @target(opencl)
    /// def twice = depFun(n: Nat => fun(first: 4.Idx[4], second: 4.Idx[4], xss: n.4.f32 =>
    ///   xss |> mapGlobal(fun(xs =>
    ///     xs |> mapSeq(fun(x => x + 1.0f)) |> scatter(first) |> scatter(second)))))
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// @target(opencl)
    /// def twice = depFun(n: Nat => fun(first: 4.Idx[4], second: 4.Idx[4], xss: n.4.f32 =>
    ///   xss |> mapGlobal(fun(xs =>
    ///     xs |> mapSeq(fun(x => x + 1.0f)) |> scatter(first) |> toMem(Private) |> mapSeq(id) |> scatter(second)))))
    /// ```
    SCATTER_ORDER = "scatter-order";

    /// Elements are computed again at each read.
    ///
    /// A `map` whose result is read is computed where it is read. If overlapping windows or an inner loop read each element several
    /// times, it is computed several times. That is preferable if the computation is cheaper than memory; otherwise use a loop and
    /// `toMem`, which compute each element once.
    ///
    /// Computed three times each:
    ///
    /// ```rise wrong
    /// @target(c)
    /// def sums = depFun(n: Nat => fun(xs: (n + 3).f32 =>
    ///   xs |> map(fun(x => x * x)) |> slide(3)(1) |> mapSeq(reduceSeq(add)(0.0f))))
    /// ```
    ///
    /// Computed once:
    ///
    /// ```rise right
    /// @target(c)
    /// def sums = depFun(n: Nat => fun(xs: (n + 3).f32 =>
    ///   xs |> mapSeq(fun(x => x * x)) |> toMem |> slide(3)(1) |> mapSeq(reduceSeq(add)(0.0f))))
    /// ```
    RECOMPUTED = "recomputed";
}
