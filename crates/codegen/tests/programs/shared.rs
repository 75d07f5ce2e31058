//! Tests that a value which a statement uses several times is computed once.

use codegen::Target;
use expect_test::{Expect, expect};

use crate::function;

fn check(body: &str, expected: Expect) {
    let text = format!("def main = depFun(n: Nat => fun(xs: n.f32 => xs {body}))");
    expected.assert_eq(&function(&text, "main", Target::C));
}

#[test]
fn elements_of_views_have_variables() {
    check(
        "|> map(fun(x => x * x)) |> map(fun(y => y + y * y)) |> mapSeq(fun(z => z * z))",
        expect![[r#"
            void main_(float *restrict output, int n, const float *restrict xs) {
                for (int i = 0; i < n; i++) {
                    const float y = xs[i] * xs[i];
                    const float value = y + y * y;
                    output[i] = value * value;
                }
            }
        "#]],
    );
}

#[test]
fn a_plain_load_stays_where_it_is() {
    check(
        "|> mapSeq(fun(x => x * x))",
        expect![[r#"
            void main_(float *restrict output, int n, const float *restrict xs) {
                for (int i = 0; i < n; i++) {
                    output[i] = xs[i] * xs[i];
                }
            }
        "#]],
    );
}

/// A value that a condition guards is computed only if the condition holds.
#[test]
fn what_is_used_twice_in_a_branch_makes_it_a_statement() {
    check(
        "|> map(fun(x => x * 2.0f)) |> map(fun(x => x + 1.0f)) |> padCst(1)(1)(0.0f)
            |> map(fun(x => x * x)) |> slide(3)(1) |> mapSeq(reduceSeq(add)(0.0f))",
        expect![[r#"
            void main_(float *restrict output, int n, const float *restrict xs) {
                assert(n >= 1 && "n >= 1");
                float accum = 0.0f;
                for (int i = 0; i < 3; i++) {
                    const float x = i > 0 ? (i < n + 1 ? xs[i - 1] * 2.0f + 1.0f : 0.0f) : 0.0f;
                    accum += x * x;
                }
                output[0] = accum;
                for (int i = 1; i < n - 1; i++) {
                    float accum2 = 0.0f;
                    const float x = xs[i - 1] * 2.0f + 1.0f;
                    accum2 += x * x;
                    const float x2 = xs[i] * 2.0f + 1.0f;
                    accum2 += x2 * x2;
                    const float x3 = xs[i + 1] * 2.0f + 1.0f;
                    accum2 += x3 * x3;
                    output[i] = accum2;
                }
                if (n > 1) {
                    float accum2 = 0.0f;
                    for (int i = 0; i < 3; i++) {
                        const float x = i < 2 ? xs[i + n - 2] * 2.0f + 1.0f : 0.0f;
                        accum2 += x * x;
                    }
                    output[n - 1] = accum2;
                }
            }
        "#]],
    );
    check(
        "|> map(fun(x => makePair(x)(1.0f / x)))
            |> mapSeq(fun(p => select(p._1 > 0.0f)(p._2 * p._2)(0.0f)))",
        expect![[r#"
            void main_(float *restrict output, int n, const float *restrict xs) {
                for (int i = 0; i < n; i++) {
                    float value;
                    if (xs[i] > 0.0f) {
                        const float value2 = 1.0f / xs[i];
                        value = value2 * value2;
                    } else {
                        value = 0.0f;
                    }
                    output[i] = value;
                }
            }
        "#]],
    );
}

#[test]
fn what_both_branches_use_is_computed_before_them() {
    check(
        "|> map(fun(x => makePair(x)(1.0f + x)))
            |> mapSeq(fun(p => select(p._1 > 0.0f)(p._2)(0.0f - p._2)))",
        expect![[r#"
            void main_(float *restrict output, int n, const float *restrict xs) {
                for (int i = 0; i < n; i++) {
                    const float value = 1.0f + xs[i];
                    output[i] = xs[i] > 0.0f ? value : 0.0f - value;
                }
            }
        "#]],
    );
}

/// The size of the text is linear in the number of stages.
#[test]
fn long_chains_are_as_long_as_they_are() {
    for stage in [
        "map(fun(x => x * x))",
        "map(fun(x => select(x > 0.0f)(x)(0.0f - x)))",
        "map(fun(x => makePair(x * 2.0f)(x + 1.0f))) |> map(fun(p => p._1 * p._2 + p._1))",
    ] {
        let stages = format!(" |> {stage}").repeat(40);
        let text = format!(
            "def main = depFun(n: Nat => fun(xs: n.f32 => xs {stages} |> mapSeq(fun(x => x * x))))"
        );
        let text = function(&text, "main", Target::C);
        assert!(text.len() < 10_000, "{text}");
    }
}
