//! The declarations of the diagnostics about names, foreign functions, types, sizes, and memory.

use syntax::declare_diagnostics;

declare_diagnostics! {
    /// A name is not in scope.
    ///
    /// A name is looked up among the parameters in scope, then in this file, in the files that it imports, in the standard library,
    /// and among the primitives. An import brings the definitions of one file into scope, not those that this file imports in turn.
    /// If there is a similar name, the message suggests it.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// def total = depFun(n: Nat => fun(xs: n.f32 => xs |> reduec(add)(0.0f)))
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// def total = depFun(n: Nat => fun(xs: n.f32 => xs |> reduce(add)(0.0f)))
    /// ```
    UNKNOWN_NAME = "unknown-name";

    /// Two parameters of a function have the same name.
    ///
    /// The second one would shadow the first: neither the body nor `rise-ls run`, whose options give sizes and values by the names
    /// of parameters, could refer to it. The same applies to the sizes and types that a written type takes. A function inside
    /// another one may have a parameter of the same name, which shadows the outer one in its body.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// def dotProduct = depFun(n: Nat => fun((xs: n.f32, xs: n.f32) => zip(xs)(xs) |> map(fun((x, y) => x * y)) |> reduce(add)(0.0f)))
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// def dotProduct = depFun(n: Nat => fun((xs: n.f32, ys: n.f32) => zip(xs)(ys) |> map(fun((x, y) => x * y)) |> reduce(add)(0.0f)))
    /// ```
    DUPLICATE_PARAMETER = "duplicate-parameter";

    /// A name is defined by two imported files.
    ///
    /// Both files can be imported as long as the name is not used. There is no syntax to choose one of them, so rename one, or
    /// define the name in this file, whose definitions take precedence.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// import "metres.rise"
    /// import "feet.rise"
    /// def tall = fun(x: f32 => toUnit(x))
    /// ```
    ///
    /// ```rise with file=metres.rise
    /// def toUnit = fun(x: f32 => x * 1.0f)
    /// ```
    ///
    /// ```rise with file=feet.rise
    /// def toUnit = fun(x: f32 => x * 3.28f)
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// import "metres.rise"
    /// def tall = fun(x: f32 => toUnit(x))
    /// ```
    AMBIGUOUS_IMPORT = "ambiguous-import";

    /// A C function, or one of its parameters, has a name that C does not allow.
    ///
    /// The body of a `foreign def` refers to its parameters by their names: the names must be different, and must not be keywords of
    /// C (`int`, `double`, `register`, …). A function without a body is looked up by its name, which must not be a keyword of C
    /// either. A function with a body can have any name: it is renamed in C if necessary, as is a parameter that has the name of a
    /// macro of C's headers or of a keyword of OpenCL C.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// foreign def scale(x: f32, double: f32): f32 = """{ return x * double; }"""
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// foreign def scale(x: f32, factor: f32): f32 = """{ return x * factor; }"""
    /// ```
    FOREIGN_NAME = "foreign-name";

    /// The body of a foreign function is not a block.
    ///
    /// The text between the quotes follows the head of the function in C, so it starts with `{` and ends with `}`. Comments before
    /// and after the block are allowed.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// foreign def next(x: f32): f32 = """return x + 1;"""
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// foreign def next(x: f32): f32 = """{ return x + 1; }"""
    /// ```
    FOREIGN_BODY = "foreign-body";

    /// A function of `<math.h>` is declared with a type that it does not have.
    ///
    /// A `foreign def` without a body denotes the function of this name. Most functions of `<math.h>` take one or two numbers of one
    /// floating-point type and return such a number: the message shows the type. `cast` converts numbers of other types.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// foreign def lgamma(x: f32, y: f32): f32
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// foreign def lgamma(x: f32): f32
    /// ```
    FOREIGN_SIGNATURE = "foreign-signature";

    /// A value does not have the expected type.
    ///
    /// The message shows both types, the expected one above the found one, and where the expectation comes from. There are no
    /// implicit conversions: `cast` converts one scalar type to another.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// def add1 = fun(x: i32 => x + 1.0f)
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// def add1 = fun(x: i32 => x + 1)
    /// ```
    TYPE_MISMATCH = "type-mismatch";

    /// Two sizes that must be equal are not equal.
    ///
    /// A size parameter of a definition can be any number, so two sizes are equal only if they are the same expression up to
    /// arithmetic: `(n + 1) * 2` equals `2 * n + 2`. The message shows both sizes, their difference, and the smallest numbers for
    /// which they differ. Often two dimensions are swapped (use `transpose`), or one array is slightly longer (use `take` or
    /// `drop`). If the two sizes are always equal, use one parameter for both, or `assume(m)`, which checks the equation before a
    /// run.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// def dotOf = depFun((n: Nat, m: Nat) => fun((xs: n.f32, ys: m.f32) => zip(xs)(ys)))
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// def dotOf = depFun(n: Nat => fun((xs: n.f32, ys: n.f32) => zip(xs)(ys)))
    /// ```
    SIZE_MISMATCH = "size-mismatch";

    /// Two sizes can be proved neither equal nor different.
    ///
    /// Equations of sums, products and exact divisions are decided; equations with rounded divisions, remainders and powers only
    /// partly. Nothing is assumed implicitly: write `assume(m)` before the value, which turns the equation into a condition that is
    /// checked before a run, or write the sizes in a form in which they can be proved equal.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// def same : (n: Nat) -> ((n * n + n) / 2 * 2).f32 -> (n * n + n).f32 =
    ///   depFun(n: Nat => fun(xs => xs))
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// def same : (n: Nat) -> (n * (n + 1)).f32 -> (n * n + n).f32 =
    ///   depFun(n: Nat => fun(xs => xs))
    /// ```
    SIZE_UNKNOWN = "size-unknown";

    /// An argument has the wrong kind: a size, a type, an address space or a function is expected instead.
    ///
    /// `take` expects a size, `toMem` an address space, `reorder` two functions on sizes (`natFun(i => n - 1 - i)`). An argument for
    /// a parameter in braces, such as `{n: Nat}`, is inferred and is not written.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// def front = depFun(n: Nat => fun(xs: n.f32 => xs |> take(Global)))
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// def front = depFun(n: Nat => fun(xs: (n + 2).f32 => xs |> take(2)))
    /// ```
    KIND_MISMATCH = "kind-mismatch";

    /// An expression that is not a function is applied to an argument.
    ///
    /// The message usually shows its type. Arrays are not indexed by application, but with `idx(i)(xs)`, where `i : Idx[n]`. A function with
    /// two parameters is applied as `f(a)(b)` or `f(a, b)`; a third argument is this error.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// def third = fun(xs: 8.f32 => xs(3))
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// def third = fun(xs: 8.f32 => xs |> idx(3))
    /// ```
    NOT_A_FUNCTION = "not-a-function";

    /// A function is used where data is expected.
    ///
    /// Arrays, pairs and memory contain data: scalars, vectors, arrays and pairs of these. Functions are not stored. `map(add)`
    /// would create an array of functions; pass both arguments to `add`.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// def adders = depFun(n: Nat => fun(xs: n.f32 => xs |> map(add)))
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// def sums = depFun(n: Nat => fun(xs: n.f32 => xs |> map(add(1.0f))))
    /// ```
    NOT_DATA = "not-data";

    /// A value would have a type that contains itself.
    ///
    /// In `x(x)` the function `x` takes itself as its argument, so its type would be `t -> u` where `t` is the same type. There is
    /// no such type. Usually an argument is missing or in the wrong place.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// def omega = fun(x => x(x))
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// def omega = fun(x => (x, x))
    /// ```
    INFINITE_TYPE = "infinite-type";

    /// A type does not allow this operation.
    ///
    /// Arithmetic is for numbers (`Num`): integers, floats, and vectors of them. `mod` is for integers. Comparisons are for scalars.
    /// There is no arithmetic on booleans, pairs, arrays or indices; `map` applies an operation to every element of an array, and
    /// `indexAsNat` converts an index to a number.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// def both = fun(a: bool, b: bool => a + b)
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// def both = fun(a: bool, b: bool => a && b)
    /// ```
    WRONG_SUBKIND = "wrong-subkind";

    /// A number is out of range for its type.
    ///
    /// The type of a number without a suffix follows from its use. If nothing determines it, it is `i32`, or `f32` with a decimal
    /// point. An index is a number less than the length of its array.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// def byte = 300u8
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// def byte = 255u8
    /// ```
    LITERAL_OUT_OF_RANGE = "literal-out-of-range";

    /// Nothing determines a type, a size or an address space.
    ///
    /// The value is used in a way that is correct for many types or sizes, and none of them occurs in the type of the definition,
    /// or there is no kind of type parameter for exactly these types. Choose one with a type annotation: `(e : t)`, or a type at
    /// the parameter or the definition. An address space is never inferred: write it, or take it as a parameter.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// def total = generate(fun(i => 1.0f)) |> reduce(add)(0.0f)
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// def total = (generate(fun(i => 1.0f)) : 8.f32) |> reduce(add)(0.0f)
    /// ```
    CANNOT_INFER = "cannot-infer";

    /// The name of an implicit size or type is probably misspelt.
    ///
    /// In a definition with parameters left of `=`, a name that is not in scope and stands in the type of a parameter is bound
    /// implicitly: `def f(xs: n.f32): f32` takes `{n: Nat}` first. If such a name differs by one letter from another parameter or
    /// from a scalar type, it may be a mistake, and a hint says so. Bind the name explicitly to keep it.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// def total(height: Nat)(xs: heigth.f32): f32 = xs |> reduce(add)(0.0f)
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// def total(height: Nat)(xs: height.f32): f32 = xs |> reduce(add)(0.0f)
    /// ```
    IMPLICIT_SIZE = "implicit-size";

    /// `_` stands for an expression that is still to be written.
    ///
    /// The message for a hole shows the type that is expected there. A hole is an error, because the program has no meaning yet. As
    /// a size or type argument, `_` is inferred, and is not an error.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// def total = depFun(n: Nat => fun(xs: n.f32 => xs |> reduce(_)(0.0f)))
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// def total = depFun(n: Nat => fun(xs: n.f32 => xs |> reduce(add)(0.0f)))
    /// ```
    HOLE = "hole";

    /// `let` binds a function.
    ///
    /// `let x = e in …` computes `e` once and stores the value, and functions are not stored. Define the function with a `def`,
    /// which also allows uses at several types.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// def twice = fun(x: f32 => let step = fun(y => y + 1.0f) in step(step(x)))
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// def step = fun(y => y + 1.0f)
    /// def twice = fun(x: f32 => step(step(x)))
    /// ```
    LET_FUNCTION = "let-function";

    /// Nothing uses the value of a `let`.
    ///
    /// Usually another name is used where this one was meant, or the `let` is a remainder of an earlier version. If the value
    /// is not needed on purpose, its name begins with `_`. A definition with errors gets no such warning.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// def scale = fun(x: f32 => let factor = 2.0f in x * 3.0f)
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// def scale = fun(x: f32 => let factor = 2.0f in x * factor)
    /// ```
    UNUSED_VALUE = "unused-value";

    /// A condition on sizes is assumed, and checked before a run.
    ///
    /// `split(4)` requires a length that 4 divides. For a length that is a parameter this can be neither proved nor refuted, so it
    /// becomes part of the definition's type: `… where 4 divides n`. Definitions that use this one inherit the condition, a run
    /// checks it before the computation, and the generated code relies on it. This is not a mistake: `--check` counts obligations,
    /// and lists them with `--level information`; editors show them as hints. To remove the condition, use types from which it
    /// follows.
    ///
    /// Assumed:
    ///
    /// ```rise wrong
    /// def chunks = depFun(n: Nat => fun(xs: n.f32 => xs |> split(4)))
    /// ```
    ///
    /// Proved:
    ///
    /// ```rise right
    /// def chunks = depFun(n: Nat => fun(xs: (4 * n).f32 => xs |> split(4)))
    /// ```
    OBLIGATION = "obligation";

    /// A condition on sizes does not hold.
    ///
    /// Many patterns have conditions: `split(s)` requires a length that `s` divides, and an `s` that is not 0; `slide(sz)(sp)`
    /// requires at least `sz` elements, and a step that is not 0. The condition does not hold for these sizes, or for some values of
    /// the size parameters. The message names the smallest such values.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// def chunks = fun(xs: 10.f32 => xs |> split(4))
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// def chunks = fun(xs: 12.f32 => xs |> split(4))
    /// ```
    OBLIGATION_FAILS = "obligation-fails";

    /// A size would be less than 0.
    ///
    /// A size is a number of elements. `take(5)` of an array of 3 elements would leave -2; `n - 1` is a size only if `n` is at least
    /// 1, which becomes a condition of the definition.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// def front = fun(xs: 3.f32 => xs |> take(5))
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// def front = fun(xs: 8.f32 => xs |> take(5))
    /// ```
    NEGATIVE_SIZE = "negative-size";

    /// A value is read before it is in memory.
    ///
    /// `mapSeq`, `mapPar`, `mapGlobal` and other loops write their result, which needs memory unless it is the result of the
    /// program. Store the result with `toMem` before it is read, for OpenCL with an address space, because the memory affects how
    /// fast a kernel is. Alternatively, replace the first loop by a `map`, which is computed where it is read. If a function is used
    /// several times, and its result is read at one use and written at another, do not change the function: store the result at the
    /// use that is read.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// @target(c)
    /// def twoSteps = depFun(n: Nat => fun(xs: n.f32 =>
    ///   xs |> mapSeq(fun(x => x * 2.0f)) |> mapSeq(fun(x => x + 1.0f))))
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// @target(c)
    /// def twoSteps = depFun(n: Nat => fun(xs: n.f32 =>
    ///   xs |> mapSeq(fun(x => x * 2.0f)) |> toMem |> mapSeq(fun(x => x + 1.0f))))
    /// ```
    MISSING_MEMORY = "missing-memory";

    /// An array that must be written is only read.
    ///
    /// The result of a definition, the result of the function of a loop, and the initial accumulator of a reduction are written. A
    /// parameter, the result of a reduction, or the result of `slide`, `take` and similar views can only be read. A number or a
    /// tuple of numbers is written by an assignment; an array needs a loop in the program: `mapSeq(id)` copies one. The elements
    /// that `padEmpty` adds are not written either, so a loop must not read them: `padCst` gives them a value.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// @target(c)
    /// def columns = depFun(n: Nat => fun(xs: n.n.f32 => xs |> mapSeq(mapSeq(id)) |> toMem |> transpose))
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// @target(c)
    /// def columns = depFun(n: Nat => fun(xs: n.n.f32 => xs |> transpose |> mapSeq(mapSeq(id))))
    /// ```
    MISSING_COPY = "missing-copy";

    /// A stream is used as an array.
    ///
    /// `rotateValues`, `circularBuffer` and `mapStream` create streams: their elements are available one after the other, and only
    /// once. A stream can be passed to `mapStream`, `zip` and windows, and is consumed by `iterateStream`, which writes an array.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// @target(c)
    /// def sums = depFun(n: Nat => fun(xs: (n + 2).f32 => xs |> rotateValues(3)(id) |> mapSeq(reduceSeq(add)(0.0f))))
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// @target(c)
    /// def sums = depFun(n: Nat => fun(xs: (n + 2).f32 =>
    ///   xs |> rotateValues(3)(id) |> iterateStream(reduceSeq(add)(0.0f))))
    /// ```
    STREAM_AS_ARRAY = "stream-as-array";
}
