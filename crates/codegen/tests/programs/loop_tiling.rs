//! Tests loop tiling, delinearisation and conditional sums: which loops they change.

use codegen::Target;
use expect_test::{Expect, expect};

use crate::function;

fn check(text: &str, target: Target, expected: Expect) {
    let text = format!("def main = {text}");
    expected.assert_eq(&function(&text, "main", target));
}

/// Each thread computes rows of its own.
#[test]
fn threads_transpose_tiles_of_rows() {
    check(
        "depFun((n: Nat, m: Nat) => fun(a: n.m.f32, b: m.n.f32 =>
           zip(a)(b |> transpose) |> mapPar(fun(rows =>
             zip(rows._1)(rows._2) |> mapSeq(fun(p => p._1 + p._2))))))",
        Target::OpenMp,
        expect![[r#"
            void main_(float *restrict output, int n, int m, const float *restrict a, const float *restrict b) {
                check_count("main: n*m", (double)n * m);
                #pragma omp parallel for
                for (int tile = 0; tile < 16 * (n / 16); tile += 16) {
                    for (int j = 0; j < m; j++) {
                        for (int k = tile; k < tile + 16; k++) {
                            output[k * m + j] = a[k * m + j] + b[j * n + k];
                        }
                    }
                }
                #pragma omp parallel for
                for (int i = 16 * (n / 16); i < n; i++) {
                    for (int j = 0; j < m; j++) {
                        output[i * m + j] = a[i * m + j] + b[j * n + i];
                    }
                }
            }
        "#]],
    );
}

/// Nothing is accessed row by row.
#[test]
fn loops_over_columns_are_exchanged() {
    check(
        "depFun((n: Nat, m: Nat) => fun(a: n.m.f32 =>
           a |> transpose |> mapSeq(mapSeq(fun(x => x * 2.0f))) |> transpose))",
        Target::C,
        expect![[r#"
            void main_(float *restrict output, int n, int m, const float *restrict a) {
                check_count("main: n*m", (double)n * m);
                for (int i = 0; i < n; i++) {
                    for (int j = 0; j < m; j++) {
                        output[i * m + j] = a[i * m + j] * 2.0f;
                    }
                }
            }
        "#]],
    );
}

/// The elements of a column of four are in one cache line.
#[test]
fn short_rows_are_transposed_as_they_are() {
    check(
        "depFun(n: Nat => fun(a: n.4.f32 => a |> transpose |> mapSeq(mapSeq(id))))",
        Target::C,
        expect![[r#"
            void main_(float *restrict output, int n, const float *restrict a) {
                check_count("main: n*4", (double)4 * n);
                for (int i = 0; i < 4; i++) {
                    for (int j = 0; j < n; j++) {
                        output[i * n + j] = a[4 * j + i];
                    }
                }
            }
        "#]],
    );
}

/// The iterations of the outer loop are the steps of a reduction.
#[test]
fn steps_of_a_reduction_stay_in_order() {
    check(
        "depFun((n: Nat, m: Nat) => fun(a: n.m.f32 =>
           a |> transpose |> reduceSeq(fun(sums, column =>
             zip(sums)(column) |> mapSeq(fun(p => p._1 * 0.5f + p._2))))(
               generate(fun(i => 0.0f)) |> mapSeq(id)) |> mapSeq(id)))",
        Target::C,
        expect![[r#"
            void main_(float *restrict output, int n, int m, const float *restrict a) {
                check_count("main: n*m", (double)n * m);
                for (int i = 0; i < n; i++) {
                    output[i] = 0.0f;
                }
                for (int i = 0; i < 4 * (m / 4); i += 4) {
                    for (int j = 0; j < n; j++) {
                        output[j] =
                            (((output[j] * 0.5f + a[j * m + i]) * 0.5f + a[j * m + i + 1]) * 0.5f
                                + a[j * m + i + 2]) * 0.5f + a[j * m + i + 3];
                    }
                }
                for (int i = 4 * (m / 4); i < m; i++) {
                    for (int j = 0; j < n; j++) {
                        output[j] = output[j] * 0.5f + a[j * m + i];
                    }
                }
            }
        "#]],
    );
}

#[test]
fn windows_that_are_joined_are_read_without_divisions() {
    check(
        "depFun((n: Nat, m: Nat) => fun(w: 3.3.f32, a: (n + 2).(m + 2).f32 =>
           a |> slide2D(3)(1) |> mapSeq(mapSeq(fun(window => zip(w |> join)(window |> join)
             |> reduceSeq(fun(sum, p => sum + p._1 * p._2))(0.0f))))))",
        Target::C,
        expect![[r#"
            void main_(float *restrict output, int n, int m, const float *restrict w, const float *restrict a) {
                assert(n >= 1 && "n >= 1");
                assert(m >= 1 && "m >= 1");
                check_count("main: n*m + n*2 + m*2 + 4", ((double)m + 2) * n + (double)2 * m + 4);
                for (int i = 0; i < n; i++) {
                    for (int j = 0; j < m; j++) {
                        float sum = 0.0f;
                        for (int row = 0; row < 3; row++) {
                            for (int element = 0; element < 3; element++) {
                                sum += w[3 * row + element] * a[(i + row) * (m + 2) + j + element];
                            }
                        }
                        output[i * m + j] = sum;
                    }
                }
            }
        "#]],
    );
}

#[test]
fn conditional_sums_have_no_branch() {
    check(
        "depFun(n: Nat => fun(xs: n.f32 =>
           xs |> reduceSeq(fun(sum, x => select(x > 0.5f)(sum + x)(sum)))(0.0f)))",
        Target::C,
        expect![[r#"
            void main_(float *restrict output, int n, const float *restrict xs) {
                float sum = 0.0f;
                for (int i = 0; i < n; i++) {
                    sum += xs[i] > 0.5f ? xs[i] : 0.0f;
                }
                output[0] = sum;
            }
        "#]],
    );
}

/// The sum may be `-0.0`, which 0.0 would change.
#[test]
fn conditional_sums_of_any_start_are_left() {
    check(
        "depFun(n: Nat => fun(start: f32, xs: n.f32 =>
           xs |> reduceSeq(fun(sum, x => select(x > 0.5f)(sum + x)(sum)))(start)))",
        Target::C,
        expect![[r#"
            void main_(float *restrict output, int n, float start, const float *restrict xs) {
                float sum = start;
                for (int i = 0; i < n; i++) {
                    sum = xs[i] > 0.5f ? sum + xs[i] : sum;
                }
                output[0] = sum;
            }
        "#]],
    );
}

/// C compilers unroll windows of fewer elements themselves.
#[test]
fn large_windows_of_two_dimensions_are_unrolled() {
    let text = "def main = depFun((n: Nat, m: Nat) => fun(a: (n + 6).(m + 6).f32 =>
      a |> slide2D(7)(1) |> mapSeq(mapSeq(fun(window => window |> join |> reduceSeq(add)(0.0f))))))";
    let code = function(text, "main", Target::C);
    assert!(!code.contains("< 7;"), "{code}");
    let small = text.replace("(7)", "(5)").replace("+ 6", "+ 4");
    let small = function(&small, "main", Target::C);
    assert!(small.contains("< 5;"), "{small}");
}
