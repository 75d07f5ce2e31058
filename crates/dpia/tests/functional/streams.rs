//! Tests of messages about streams that are used as arrays.

use codegen::Target::C;
use expect_test::expect;

use crate::messages::say;

#[test]
fn streams() {
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: (n + 2).f32 =>\n  \
           xs |> rotateValues(3)(id) |> mapSeq(reduceSeq(add)(0.0f))))",
        expect![[r#"
            error[stream-as-array] at rotateValues(3)(id)
              `mapSeq(reduceSeq(add)(0.0f))` reads an array, and this is a stream
              read here: mapSeq(reduceSeq(add)(0.0f))
              help: write `iterateStream` in place of `mapSeq`
              fix: End the stream here: `iterateStream`
            mended: def main = depFun(n: Nat => fun(xs: (n + 2).f32 =>
              xs |> rotateValues(3)(id) |> iterateStream(reduceSeq(add)(0.0f))))
        "#]],
    );
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: (n + 2).f32 =>\n  \
           xs |> rotateValues(3)(id) |> map(reduceSeq(add)(0.0f))))",
        expect![[r#"
            error[stream-as-array] at rotateValues(3)(id)
              `map(reduceSeq(add)(0.0f))` reads an array, and this is a stream
              read here: map(reduceSeq(add)(0.0f))
              help: write `iterateStream` in place of `map`
              fix: End the stream here: `iterateStream`
            mended: def main = depFun(n: Nat => fun(xs: (n + 2).f32 =>
              xs |> rotateValues(3)(id) |> iterateStream(reduceSeq(add)(0.0f))))
        "#]],
    );
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: (n + 2).f32 =>\n  \
           xs |> rotateValues(3)(id) |> map(reduceSeq(add)(0.0f)) |> iterateStream(id)))",
        expect![[r#"
            error[stream-as-array] at rotateValues(3)(id)
              `map(reduceSeq(add)(0.0f))` reads an array, and this is a stream
              read here: map(reduceSeq(add)(0.0f))
              help: write `mapStream` in place of `map`
              fix: Keep it a stream: `mapStream`
            mended: def main = depFun(n: Nat => fun(xs: (n + 2).f32 =>
              xs |> rotateValues(3)(id) |> mapStream(reduceSeq(add)(0.0f)) |> iterateStream(id)))
        "#]],
    );
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: (n + 2).f32 =>\n  \
           xs |> rotateValues(3)(id) |> join |> mapSeq(id)))",
        expect![[r#"
            error[stream-as-array] at rotateValues(3)(id)
              `join` reads an array, and this is a stream
              read here: join
              help: a stream can be read by `mapStream`, `zip` and windows, and is written to an array by `iterateStream`
        "#]],
    );
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: (n + 2).f32 => xs |> rotateValues(3)(id)))",
        expect![[r#"
            error[stream-as-array] at rotateValues(3)(id)
              no loop writes this stream to the result of `main`
              help: a stream can be read by `mapStream`, `zip` and windows, and is written to an array by `iterateStream`
              fix: Write its elements: `iterateStream(mapSeq(id))`
            mended: def main = depFun(n: Nat => fun(xs: (n + 2).f32 => xs |> rotateValues(3)(id) |> iterateStream(mapSeq(id))))
        "#]],
    );
}
