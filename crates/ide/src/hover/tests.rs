mod opencl;

use super::*;
use crate::fixture::{Fixture, LISTING_1, LISTING_4};
use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    let fixture = Fixture::new(text);
    let hovers: Vec<String> = fixture
        .cursors
        .iter()
        .map(|at| match hover(&fixture.db, *at, Repeated::ALL) {
            Some(hover) => {
                let range = fixture.slice(at.file, hover.range);
                format!("[{range}]\n{}\n", hover.markdown)
            }
            None => "nothing\n".to_owned(),
        })
        .collect();
    expected.assert_eq(&hovers.join("----\n"));
}

#[test]
fn stages_of_listing_1() {
    let text = LISTING_1
        .replace("        zip", "        $0zip")
        .replace("          map(", "          ma$0p(")
        .replace("reduce(", "reduce$0(");
    check(
        &text,
        expect![[r#"
        [zip]
        ```rise
        zip : m.f32 -> m.f32 -> m.(f32, f32)
        ```

        This stage yields `m.(f32, f32)`.

        ```rise
        zip : {n: Nat} -> {s: DataType} -> {t: DataType} -> n.s -> n.t -> n.(s, t)
        ```

        Two arrays as one array of pairs. They must have the same number of elements.

        No data is moved. The result can be read and written. The inverse of `unzip`.
        ```rise
        def example = depFun(n: Nat => fun(xs: n.f32, ys: n.f32 => zip(xs)(ys) |> map(fun(p => p._1 * p._2))))
        ```

        Primitive.
        ----
        [map]
        ```rise
        map : ((f32, f32) -> f32) -> m.(f32, f32) -> m.f32
        ```

        This stage yields `m.f32`.

        ```rise
        map : {n: Nat} -> {s: DataType} -> {t: DataType} -> (s -> t) -> n.s -> n.t
        ```

        Applies a function to every element of an array.

        It does not determine how the result is computed: for a target it is replaced by `mapSeq`, `mapPar`, `mapGlobal`, …. If
        the result is only read, no replacement is needed, and an element is computed at each read.
        ```rise
        def example = depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(x => x + 1.0f))))
        ```

        Primitive.
        ----
        [reduce]
        ```rise
        reduce : (f32 -> f32 -> f32) -> f32 -> m.f32 -> f32
        ```

        This stage yields `f32`.

        ```rise
        reduce : {n: Nat} -> {t: DataType} -> (t -> t -> t) -> t -> n.t -> t
        ```

        Combines all elements of an array into one value: `f(… f(f(init, x1), x2) …, xn)`.

        The order is not fixed: the function should be associative, so that parts can be combined in parallel. For a target it is
        replaced by `reduceSeq`, `reducePar`, ….
        ```rise
        def example = depFun(n: Nat => fun(xs: n.f32 => xs |> reduce(add)(0.0f)))
        ```

        Primitive.
    "#]],
    );
}

#[test]
fn stages_of_listing_4() {
    let text = LISTING_4
        .replace(" split(", " $0split(")
        .replace("mapWorkGroup(", "$0mapWorkGroup(")
        .replace("|> join", "|> $0join");
    check(
        &text,
        expect![[r#"
            [split]
            ```rise
            split(s) : n.m.f32 -> (n/s).s.m.f32
            ```

            This stage yields `(n/s).s.m.f32`.

            In OpenCL: not copied: read in `M`.

            No loop: it moves into the indices of what reads or writes it.

            Assumes `s divides n`, checked before a run.

            ```rise
            split : (n: Nat) -> {m: Nat} -> {t: DataType} -> (m*n).t -> m.n.t
            ```

            An array split into chunks of `n` elements: `[[x1 … xn], [xn+1 … x2n], …]`.

            `n` must divide the number of elements; this is proved, refuted, or becomes an obligation. No data is moved. The result
            can be read and written. The inverse of `join`.
            ```rise
            def example = depFun(n: Nat => fun(xs: (4 * n).f32 => xs |> split(4)))
            ```

            Primitive.
            ----
            [mapWorkGroup]
            ```rise
            mapWorkGroup : (s.m.f32 -> s.f32) -> (n/s).s.m.f32 -> (n/s).s.f32
            ```

            This stage yields `(n/s).s.f32`.

            In OpenCL: written to the result, `s*(n/s)*4` B.

            `n/s` elements for all work-groups, however many are launched: `w` = `get_group_id(0)` takes `w`, `w + get_num_groups(0)`, … below `n/s`.

            Becomes

            ```c
            for (int wgId = get_group_id(0); wgId < n / s; wgId += get_num_groups(0))
            ```

            ```rise
            mapWorkGroup : {n: Nat} -> {s: DataType} -> {t: DataType} -> (s -> t) -> n.s -> n.t
            ```

            `map` with one work-group for each element.

            Only for OpenCL, and not inside another parallel map over the same dimension; `mapLocal` distributes its work within the
            group. The dimension 0, 1 or 2 may be written first; the default is 0. It writes its result.
            ```rise
            def example = depFun(n: Nat => fun(xs: (64 * n).f32 =>
              xs |> split(64) |> mapWorkGroup(mapLocal(fun(x => x + 1.0f))) |> join))
            ```

            Primitive.
            ----
            [join]
            ```rise
            join : (n/s).s.f32 -> n.f32
            ```

            This stage yields `n.f32`.

            In OpenCL: written to the result, `s*(n/s)*4` B.

            No loop: it moves into the indices of what reads or writes it.

            ```rise
            join : {n: Nat} -> {m: Nat} -> {t: DataType} -> n.m.t -> (n*m).t
            ```

            An array of arrays as one array, row after row.

            No data is moved. The result can be read and written. The inverse of `split`.
            ```rise
            def example = depFun((n: Nat, m: Nat) => fun(xss: n.m.f32 => xss |> join))
            ```

            Primitive.
        "#]],
    );
}

#[test]
fn binders_sizes_and_literals() {
    let text = LISTING_1
        .replace("fun(row", "fun(r$0ow")
        .replace("(n: Nat", "($0n: Nat")
        .replace("Array[n,", "Array[$0n,")
        .replace("(x) |>", "($0x) $0|>")
        .replace("0.0f", "0.$00f")
        .replace("(ax) * snd", "(ax) $0* snd");
    check(
        &text,
        expect![[r#"
        [n]
        ```rise
        n : Nat
        ```
        ----
        [n]
        ```rise
        n : Nat
        ```
        ----
        [row]
        ```rise
        row : m.f32
        ```
        ----
        [x]
        ```rise
        x : m.f32
        ```
        ----
        [|>]
        ```rise
        m.f32
        ```

        This stage takes `m.(f32, f32)` and yields `m.f32`.
        ----
        [*]
        ```rise
        (*) : f32 -> f32 -> f32
        ```
        ----
        [0.0f]
        ```rise
        0.0f : f32
        ```
    "#]],
    );
}

#[test]
fn definitions_show_their_documentation() {
    check(
        "/// Doubles *everything*.\ndef twi$0ce = fun(xs => xs |> map(fun(x => x + x)))\n\
         /// Chunks.\ndef g = depFun(n: Nat => fun(xs: n.f32 => twi$0ce(xs) |> split(4)))\n\
         foreign def ex$0pf(x: f32): f32\n",
        expect![[r#"
            [twice]
            ```rise
            def twice : {n: Nat} -> {t: Num} -> n.t -> n.t
            ```

            Doubles *everything*.
            ----
            [twice]
            ```rise
            twice : n.f32 -> n.f32
            ```

            This stage yields `n.f32`.

            ```rise
            def twice : {n: Nat} -> {t: Num} -> n.t -> n.t
            ```

            Doubles *everything*.
            ----
            [expf]
            ```rise
            foreign def expf : f32 -> f32
            ```
        "#]],
    );
}

#[test]
fn words_of_the_language() {
    check(
        "def f = depFun(n: N$0at => fun(x: f$032 => x |> toMem(Lo$0cal) // comm$0ent\n))\n",
        expect![[r#"
            [Nat]
            `Nat`: sizes, the non-negative integers.
            ----
            [f32]
            ```rise
            f32 : Float
            ```

            `f16`, `f32`, `f64`: floating-point numbers of so many bits.

            A number is written `0.5f` or `0.5f32`, `0.5f16`, `0.5f64`; its ending may be left out where its place says the type.
            ```rise
            def halves = fun(xs: 4.f32 => xs |> map(fun(x => x * 0.5f)))
            ```
            ----
            [Local]
            **Error:** every work-item writes the result of `f`

            ```text
            each work-item that is launched runs the whole kernel
            ```

            ```rise
            Local : AddrSp
            ```

            `Local`: memory of a work-group, shared by its work-items.
            ----
            nothing
        "#]],
    );
}

#[test]
fn an_error_stands_before_the_type() {
    check(
        "def f = depFun((n: Nat, m: Nat) => fun((a: n.f32, b: m.f32) => zip(a)($0b)))\n",
        expect![[r#"
        [b]
        **Error:** `zip` expects the size `n` here, and this has `m`

        ```text
        expected: n.f32
           found: m.f32
        they differ for n = 0, m = 1
        ```

        ```rise
        b : m.f32
        ```
    "#]],
    );
}

#[test]
fn editors_that_show_diagnostics_get_none_in_hovers() {
    let fixture = Fixture::new(
        "def f = depFun((n: Nat, m: Nat) => fun((a: n.f32, b: m.f32) => zip(a)($0b)))
def g = depFun(n: Nat => fun(xs: n.f32 => xs |> $0split(4)))
",
    );
    let shown = |at: usize| {
        let nothing = Repeated {
            errors: false,
            conditions: false,
        };
        let found = hover(&fixture.db, fixture.cursors[at], nothing);
        found.map(|found| found.markdown).unwrap_or_default()
    };
    assert_eq!(shown(0), "```rise\nb : m.f32\n```");
    assert!(!shown(1).contains("Assumes"), "{}", shown(1));
    assert!(shown(1).contains("split : "), "{}", shown(1));
}

#[test]
fn holes_and_half_typed_code() {
    check(
        "def f = fun(x: f32 => x + $0_)\ndef g = fun((xs: 4.f32) => $0xs |> )\n",
        expect![[r#"
        [_]
        **Error:** a hole: an expression of type `f32` is expected here

        ```rise
        _ : f32
        ```
        ----
        [xs]
        ```rise
        xs : 4.f32
        ```
    "#]],
    );
}

/// Compares the paragraphs about compiled code in the hover at each cursor.
#[test]
fn parameters_left_of_the_value() {
    check(
        "def sc$0ale(a: f32)(x$0s: $0n.f32): n.$0f32 where 4 | n = xs |> map(fun(x => a * x))\n\
         def use(m: Nat){k: Nat}(ys: (4 * k).t) = sc$0ale(1.0f)\n\
         def aLong$0Name(n: Nat, k: Nat, m: Nat)(first: n.k.f32, second: k.m.f32): n.m.f32 =\n  \
         first |> map(fun(row => second |> transpose |> map(dot(row))))\n\
         def par$0tial(x) = 2 * x\n\
         def inner(x: f32){n: Nat}(xs: n.f32): n.f32 = xs |> map(fun(y => inner$02(x)(y)))\n\
         def inner2(x, y: f32) = x + y\n",
        expect![[r#"
            [scale]
            ```rise
            def scale{n: Nat}(a: f32)(xs: n.f32): n.f32 where 4 divides n
            ```
            ----
            [xs]
            ```rise
            xs : n.f32
            ```
            ----
            [n]
            ```rise
            n : Nat
            ```
            ----
            [f32]
            ```rise
            f32 : Float
            ```

            `f16`, `f32`, `f64`: floating-point numbers of so many bits.

            A number is written `0.5f` or `0.5f32`, `0.5f16`, `0.5f64`; its ending may be left out where its place says the type.
            ```rise
            def halves = fun(xs: 4.f32 => xs |> map(fun(x => x * 0.5f)))
            ```
            ----
            [scale]
            ```rise
            scale : f32 -> n.f32 -> n.f32
            ```

            Assumes `4 divides n`, checked before a run.

            ```rise
            def scale{n: Nat}(a: f32)(xs: n.f32): n.f32 where 4 divides n
            ```
            ----
            [aLongName]
            ```rise
            def aLongName(n: Nat, k: Nat, m: Nat)(first: n.k.f32, second: k.m.f32): n.m.f32
            ```
            ----
            [partial]
            ```rise
            def partial{t: Num}(x: t): t
            ```
            ----
            [inner2]
            ```rise
            inner2 : f32 -> f32 -> f32
            ```

            ```rise
            def inner2(x: f32, y: f32): f32
            ```
        "#]],
    );
}

#[test]
fn names_of_the_file_are_not_implicit_parameters() {
    check(
        "def n = 1.0f\ndef f(xs: $0n.f32): f32 = 1.0f\n",
        expect![[r#"
            [n]
            **Error:** expected a size or type, found the function `n`

            ```rise
            def n : f32
            ```
        "#]],
    );
}

fn check_memory(text: &str, expected: Expect) {
    let fixture = Fixture::new(text);
    let mut shown = String::new();
    for at in &fixture.cursors {
        let hover =
            hover(&fixture.db, *at, Repeated::ALL).expect("there is something at the cursor");
        let range = fixture.slice(at.file, hover.range);
        let from = hover
            .markdown
            .find("\n\nIn ")
            .map_or("", |start| &hover.markdown[start + 2..]);
        let end = from.find("\n\n```rise").unwrap_or(from.len());
        shown.push_str(&format!("[{range}] {}\n", &from[..end]));
    }
    expected.assert_eq(&shown);
}

#[test]
fn values_live_somewhere() {
    check_memory(
        "\
@target(c)
@run(n = 1024, m = 1000)
def blur = depFun((n: Nat, m: Nat) => fun(image: (n + 2).m.f32 =>
  $0image
    |> $0slide(3)(1)
    |> $0mapSeq(fun(lines =>
      $0lines
        |> $0transpose
        |> $0mapSeq(fun(column => column |> $0reduceSeq($0add)(0.0f)))))
    $0|> $0toMem
    |> $0map(fun(line => line |> $0split(4) |> map(fun(four => four |> $0map(fun(x => x $0* 0.25f))))))
    |> mapSeq(fun(line => line |> mapSeq(fun(four =>
      four |> $0mapSeqUnroll(id) |> $0toMem |> reduceSeqUnroll(add)(0.0f))) |> split(2) |> join))
    |> $0map($0split(2)) |> $0map(join)))
",
        expect![[r#"
            [image] In C: read from `image`, `n*m*4 + m*8` B (4.1 MB with `@run(n = 1024, m = 1000)`).
            [slide] In C: not copied: read in `image`.

            No loop: it moves into the indices of what reads or writes it.

            Assumes `n >= 1`, checked before a run.
            [mapSeq] In C: written to memory that the program keeps, `n*m*4` B (4.1 MB with `@run(n = 1024, m = 1000)`).

            Becomes

            ```c
            for (int j = 16 * tile; j < end; j++)
            ```
            [lines] In C: read from `image`, `m*12` B (12.0 kB with `@run(m = 1000)`).
            [transpose] In C: not copied: read in `image`.

            No loop: it moves into the indices of what reads or writes it.
            [mapSeq] In C: written to memory that the program keeps, `m*4` B (4000 B with `@run(m = 1000)`).

            Becomes

            ```c
            for (int k = 0; k < m; k++)
            ```
            [reduceSeq] In C: stored in a variable, 4 B.

            Becomes

            ```c
            for (int l = 0; l < 3; l++)
            ```
            [add] In C: not in memory: computed where it is read.
            [|>] In C: stored on the heap, at most `n*m*4` B (4.1 MB with `@run(n = 1024, m = 1000)`).
            [toMem] In C: stored on the heap, at most `n*m*4` B (4.1 MB with `@run(n = 1024, m = 1000)`).
            [map] In C: not in memory: computed where it is read.

            No loop: its function is applied where an element is read.
            [split] In C: not copied: read in memory.

            No loop: it moves into the indices of what reads or writes it.

            Assumes `4 divides m`, checked before a run.
            [map] In C: not in memory: computed where it is read.

            No loop: its function is applied where an element is read.
            [*] In C: not in memory: computed where it is read.
            [mapSeqUnroll] In C: written to memory that the program keeps, 16 B.

            No loop: it is written out, element after element.
            [toMem] In C: stored on the stack, 16 B.
            [map] In C: written to the result, `n*(m/8)*8` B (1.0 MB with `@run(n = 1024, m = 1000)`).

            No loop: it says where the elements are written.
            [split] In C: written to the result, `(m/8)*8` B (1000 B with `@run(m = 1000)`).

            No loop: it moves into the indices of what reads or writes it.
            [map] In C: written to the result, `n*(m/4)*4` B (1.0 MB with `@run(n = 1024, m = 1000)`).

            No loop: it says where the elements are written.
        "#]],
    );
}

#[test]
fn parallel_patterns_become_parallel_loops() {
    check_memory(
        "\
@target(openmp)
def f = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32, ys: m.f32 =>
  xs |> $0mapPar(fun(row =>
    $0zip(row)($0ys) |> $0mapSeq(fun(p => p._1 * p._2)) |> $0toMem |> $0reduceSeq(add)(0.0f)))))

@target(openmp)
def g = depFun(n: Nat => fun(xs: n.f32 => xs |> $0reducePar(add)(0.0f)))

@target(openmp)
def h = depFun(n: Nat => fun(xs: (4 * n).f32 =>
  xs |> $0asVector(4) |> mapPar($0mapVec(fun(x => x + 1.0f))) |> $0asScalar))
",
        expect![[r#"
            [mapPar] In OpenMP: written to the result, `n*4` B.

            Becomes

            ```c
            #pragma omp parallel
            #pragma omp for nowait
            for (int i = 0; i < 4 * (n / 4); i += 4)
            for (int i = 4 * (n / 4); i < n; i++)
            ```
            [zip] In OpenMP: not copied: read in `xs`, `ys`.

            No loop: it moves into the indices of what reads or writes it.
            [ys] In OpenMP: read from `ys`, `m*4` B.
            [mapSeq] In OpenMP: written to memory that the program keeps, `m*4` B.

            Becomes

            ```c
            #pragma omp simd
            for (int j = 0; j < m; j++)
            for (int j = 0; j < m; j++)
            ```
            [toMem] In OpenMP: stored on the heap, at most `m*4` B, for each thread.
            [reduceSeq] In OpenMP: stored in a variable, 4 B, for each thread.

            Becomes

            ```c
            for (int j = 0; j < m; j++)
            ```
            [reducePar] In OpenMP: stored in a variable, 4 B.

            Becomes

            ```c
            #pragma omp parallel for simd reduction(+ : accum)
            for (int i = 0; i < n; i++)
            ```
            [asVector] In OpenMP: not copied: read in `xs`.

            No loop: it moves into the indices of what reads or writes it.
            [mapVec] In OpenMP: written to the result, 16 B.

            Becomes

            ```c
            #pragma omp simd
            for (int j = 0; j < 4; j++)
            ```
            [asScalar] In OpenMP: written to the result, `n*16` B.

            No loop: it moves into the indices of what reads or writes it.
        "#]],
    );
}

#[test]
fn streams_keep_what_their_windows_need() {
    check_memory(
        "\
@target(c)
def f = depFun((n: Nat, m: Nat) => fun(xs: (n + 2).m.f32 =>
  xs
    |> $0circularBuffer(3)(3)(mapSeq(fun(x => x + 1.0f)))
    |> $0iterateStream(fun(lines => $0lines |> transpose |> mapSeq(reduceSeq(add)(0.0f))))))
",
        expect![[r#"
            [circularBuffer] In C: a stream: its elements come one after the other; what the next windows need is stored on the heap, `m*12` B.

            The first elements are computed before the loop that uses the stream, the rest in it.
            [iterateStream] In C: written to the result, `n*m*4` B.

            Becomes

            ```c
            for (int i = 0; i < n; i++)
            ```
            [lines] In C: not copied: read in memory.
        "#]],
    );
}

#[test]
fn uses_of_definitions_and_address_spaces() {
    check_memory(
        "\
def total = fun(xs: 4.f32 => xs |> reduceSeq(add)(0.0f))
@target(c)
def f = depFun(n: Nat => fun(xs: n.4.f32 => let rows = toMem(xs |> mapSeq(mapSeq(id))) in
  $0rows |> mapSeq($0total)))
@target(opencl)
def g = depFun(n: Nat => fun(xs: n.16.f32 =>
  xs |> $0mapGlobal(fun(row => row |> mapSeq(fun(x => x + 1.0f)) |> $0toMem(Private) |> mapSeq(id)))))
",
        expect![[r#"
            [rows] In C: not copied: read in memory.
            [total] In C: stored in a variable, 4 B.
            [mapGlobal] In OpenCL: written to the result, `n*64` B.

            `n` elements for all work-items, however many are launched: `g` = `get_global_id(0)` takes `g`, `g + get_global_size(0)`, … below `n`.

            Becomes

            ```c
            for (int gId = get_global_id(0); gId < n; gId += get_global_size(0))
            ```
            [toMem] In OpenCL: stored in private memory, 64 B, for each work-item.
        "#]],
    );
}

#[test]
fn annotations_types_and_words_say_what_they_mean() {
    let texts = [
        "@tar$0get(c)\n$0@run(n = 4)\n@opencl(lo$0cal = [64])\ndef f = depFun(n: Nat => fun(xs: n.f32 => xs))\n",
        "d$0ef f = de$0pFun(n: Nat => fu$0n((xs: n.f3$02, v: Ve$0c[4, u8], i: Id$0x[n]) => le$0t y = v i$0n y))\n",
        "def f : (n: Nat) -> n.f32 -> n.f32 whe$0re 4 | n = depFun(n: Nat => fun(xs => xs))\n",
        "for$0eign def where(x: f32): f32\ndef f = fun(x: f32 => wh$0ere(x))\n",
        "//- /a.elevate\n@tit$0le(\"A\")\n@ki$0nd(fu$0se)\nstrategy a = topDown(mapFusion)\n",
    ];
    let mut shown = String::new();
    for text in texts {
        let fixture = Fixture::new(text);
        for at in &fixture.cursors {
            let Some(hover) = hover(&fixture.db, *at, Repeated::ALL) else {
                shown.push_str("nothing\n");
                continue;
            };
            let range = fixture.slice(at.file, hover.range);
            let is_meaning = |line: &&str| line.starts_with('`') && !line.starts_with("```");
            let meaning = hover.markdown.lines().find(is_meaning).unwrap_or("-");
            shown.push_str(&format!("[{range}] {meaning}\n"));
        }
    }
    expect![[r#"
        [target] `@target(c)`, `@target(openmp)`, `@target(opencl)`: the definition is checked and compiled for this target.
        [@] `@run(n = 1024, m = 512)`: the sizes that the definition runs with where nobody says others.
        [local] `@opencl(local = [64, 1, 1], global = [n, 1, 1])`: the sizes that the kernels of the definition are launched with: of a
        [def] `def name = expression`, `def name : type = expression`: a definition.
        [depFun] `depFun(n: Nat => body)`, `depFun((n: Nat, t: DataType) => body)`: a function of sizes, types or address spaces.
        [fun] `fun(x => body)`, `fun(x: type, y: type => body)`: a function of values.
        [f32] `f16`, `f32`, `f64`: floating-point numbers of so many bits.
        [Vec] `Vec[n, t]`: a vector of `n` lanes of the type `t`, which the machine computes with at once.
        [Idx] `Idx[n]`: the positions in an array of `n` elements, `0` to `n - 1`.
        [let] `let x = value in body`: `body`, in which `x` is the value. It is computed once.
        [in] `let x = value in body`: `body`, in which `x` is the value. It is computed once.
        [where] `type where 4 | n, n >= 12`: conditions on the sizes that a function takes.
        [foreign] `foreign def name(x: type): type`, and a body in C behind `=` if there is to be one: a C function that programs call.
        [where] -
        [title] `@title("Fuse maps")`: what the rule or strategy is called in menus. With a title it is a code action.
        [kind] `@kind(fuse)`: the menu that the rule or strategy stands in: `fuse`, `split`, `tile`, `move`, `simplify`, `lower`, `parallel`
        nothing
    "#]].assert_eq(&shown);
}

#[test]
fn words_of_strategy_files() {
    check(
        "//- /b.elevate\n//- /a.elevate\nim$0port \"b.elevate\"
strategy stored(a: Add$0r = Loc$0al, s: Strat$0egy): Strategy = toMem(a) ; s
rule split(n: N$0at) = map(f) : m.s -> m.t |-> split($0n) >> map(map($0f)) >> join assuming $0n divides m
strategy body(s: Strategy): Strategy = p => p match {
  case fun(x => b) => s($0b)
  case map(f) => fail(rise { map($0f) })
  case $0q => fail($0q)
}
rule local = toMem($0Private)(f) |-> $0f
",
        expect![[r#"
            [import]
            Brings the definitions of another file into scope: strategies, or programs of RISE.
            ----
            [Addr]
            `Addr`: an address space.
            ----
            [Local]
            ```elevate
            Local : Addr
            ```

            `Local`: memory of a work-group, shared by its work-items.
            ----
            [Strategy]
            `Strategy`: from programs to programs, or failures.
            ----
            [Nat]
            `Nat`: a size.
            ----
            [n]
            ```elevate
            n : Nat
            ```
            ----
            [f]
            ```elevate
            f
            ```

            Metavariable: stands for any term at this place of the pattern.
            ----
            [n]
            ```elevate
            n : Nat
            ```
            ----
            [b]
            ```elevate
            b : Expr
            ```
            ----
            [f]
            ```elevate
            f
            ```
            ----
            [q]
            ```elevate
            q : Expr
            ```
            ----
            [q]
            ```elevate
            q : Expr
            ```
            ----
            [Private]
            ```elevate
            Private : Addr
            ```

            `Private`: memory of one work-item.
            ----
            [f]
            ```elevate
            f
            ```

            Metavariable: stands for any term at this place of the pattern.
        "#]],
    );
}

#[test]
fn local_definitions() {
    check(
        "def f(n: Nat)(xs: n.f32) = let g$0(x: f32, ys: m.f32): f32 = x in let h(x) = x in g(h$0(1.0f), xs)",
        expect![[r#"
            [g]
            ```rise
            g : {m: Nat} -> f32 -> m.f32 -> f32
            ```
            ----
            [h]
            ```rise
            h : {t: DataType} -> t -> t
            ```
        "#]],
    );
}
