use super::*;
use crate::fixture::{Fixture, LISTING_1, LISTING_4};
use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    let fixture = Fixture::new(text);
    let hovers: Vec<String> = fixture
        .cursors
        .iter()
        .map(|at| match hover(&fixture.db, *at) {
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

        It moves no data, and may be read through and written through. The opposite of `unzip`.
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

        The array with a function applied to every element.

        It says nothing about how: for a target it is replaced by `mapSeq`, `mapPar`, `mapGlobal`, …, or stays where its
        result is only read, and then computes an element at each read.
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

        All elements of an array combined into one value: `f(… f(f(init, x1), x2) …, xn)`.

        The order is open: the function should be associative, so that parts can be combined in parallel. For a target it is
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

            Assumes `s divides n`, checked before a run.

            ```rise
            split : (n: Nat) -> {m: Nat} -> {t: DataType} -> (m*n).t -> m.n.t
            ```

            An array cut into chunks of `n` elements: `[[x1 … xn], [xn+1 … x2n], …]`.

            `n` must divide the number of elements, which is checked, assumed and shown as an obligation, or refuted. It moves
            no data, and may be read through and written through. The opposite of `join`.
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

            ```rise
            mapWorkGroup : {n: Nat} -> {s: DataType} -> {t: DataType} -> (s -> t) -> n.s -> n.t
            ```

            `map` with one work-group an element.

            Only for OpenCL, and inside no other parallel map over the same dimension; `mapLocal` shares its work within the
            group. The dimension 0, 1 or 2 may be written first; 0 if it is not. It writes its result.
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

            ```rise
            join : {n: Nat} -> {m: Nat} -> {t: DataType} -> n.m.t -> (n*m).t
            ```

            An array of arrays as one array, row after row.

            It moves no data, and may be read through and written through. The opposite of `split`.
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
            ----
            [Local]
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
fn holes_and_half_typed_code() {
    check(
        "def f = fun(x: f32 => x + $0_)\ndef g = fun((xs: 4.f32) => $0xs |> )\n",
        expect![[r#"
        [_]
        **Error:** a hole: an expression of type `f32` is wanted here

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
