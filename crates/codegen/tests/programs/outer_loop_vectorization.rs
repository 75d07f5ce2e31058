//! Tests outer-loop vectorisation: which reductions are computed in the lanes of vectors.

use codegen::Target;
use expect_test::{Expect, expect};

use crate::function;

fn check(text: &str, target: Target, expected: Expect) {
    let text = format!("def main = {text}");
    expected.assert_eq(&function(&text, "main", target));
}

fn is_vectorized(text: &str) -> bool {
    let text = format!("def main = {text}");
    function(&text, "main", Target::C).contains("lane")
}

/// Each step of a polynomial waits for the one before: 64 polynomials are evaluated together.
#[test]
fn polynomials_are_evaluated_together() {
    check(
        "depFun((n: Nat, k: Nat) => fun(xs: n.f32, cs: k.f32 =>
           xs |> mapSeq(fun(x => cs |> reduceSeq(fun(s, c => s * x + c))(0.0f)))))",
        Target::C,
        expect![[r#"
            void main_(
                float *restrict output,
                int n,
                int k,
                const float *restrict xs,
                const float *restrict cs
            ) {
                for (int i = 0; i < 64 * (n / 64); i += 64) {
                    float s[64];
                    for (int lane = 0; lane < 64; lane++) {
                        s[lane] = 0.0f;
                    }
                    for (int j = 0; j < k; j++) {
                        for (int lane = 0; lane < 64; lane++) {
                            s[lane] = s[lane] * xs[i + lane] + cs[j];
                        }
                    }
                    for (int lane = 0; lane < 64; lane++) {
                        output[i + lane] = s[lane];
                    }
                }
                for (int i = 64 * (n / 64); i < 4 * (n / 4); i += 4) {
                    float s = 0.0f;
                    float s2 = 0.0f;
                    float s3 = 0.0f;
                    float s4 = 0.0f;
                    for (int j = 0; j < k; j++) {
                        s = s * xs[i] + cs[j];
                        s2 = s2 * xs[i + 1] + cs[j];
                        s3 = s3 * xs[i + 2] + cs[j];
                        s4 = s4 * xs[i + 3] + cs[j];
                    }
                    output[i] = s;
                    output[i + 1] = s2;
                    output[i + 2] = s3;
                    output[i + 3] = s4;
                }
                for (int i = 4 * (n / 4); i < n; i++) {
                    float s = 0.0f;
                    for (int j = 0; j < k; j++) {
                        s = s * xs[i] + cs[j];
                    }
                    output[i] = s;
                }
            }
        "#]],
    );
}

/// Both accumulators become arrays, and what is computed in front of the reduction too.
#[test]
fn pairs_of_sums_are_computed_together() {
    check(
        "depFun((n: Nat, k: Nat) => fun(xs: n.f32, cs: k.f32 =>
           xs |> mapSeq(fun(x => let y = x * x in
             let s = cs |> reduceSeq(fun(s, c => (s._1 + c * y, s._2 + sqrt(abs(c - x)))))((0.0f, 1.0f)) in
             s._1 / s._2))))",
        Target::C,
        expect![[r#"
            void main_(
                float *restrict output,
                int n,
                int k,
                const float *restrict xs,
                const float *restrict cs
            ) {
                for (int i = 0; i < 32 * (n / 32); i += 32) {
                    float y[32];
                    float s2[32];
                    float s1[32];
                    for (int lane = 0; lane < 32; lane++) {
                        y[lane] = ROUNDED(xs[i + lane] * xs[i + lane]);
                        s1[lane] = 0.0f;
                        s2[lane] = 1.0f;
                    }
                    for (int j = 0; j < k; j++) {
                        for (int lane = 0; lane < 32; lane++) {
                            s1[lane] += ROUNDED(cs[j] * y[lane]);
                            s2[lane] += sqrtf(fabsf(cs[j] - xs[i + lane]));
                        }
                    }
                    for (int lane = 0; lane < 32; lane++) {
                        output[i + lane] = s1[lane] / s2[lane];
                    }
                }
                for (int i = 32 * (n / 32); i < 4 * (n / 4); i += 4) {
                    const float y = ROUNDED(xs[i] * xs[i]);
                    const float y2 = ROUNDED(xs[i + 1] * xs[i + 1]);
                    const float y3 = ROUNDED(xs[i + 2] * xs[i + 2]);
                    const float y4 = ROUNDED(xs[i + 3] * xs[i + 3]);
                    float s1 = 0.0f;
                    float s1_2 = 0.0f;
                    float s1_3 = 0.0f;
                    float s1_4 = 0.0f;
                    float s2 = 1.0f;
                    float s2_2 = 1.0f;
                    float s2_3 = 1.0f;
                    float s2_4 = 1.0f;
                    for (int j = 0; j < k; j++) {
                        s1 += ROUNDED(cs[j] * y);
                        s1_2 += ROUNDED(cs[j] * y2);
                        s1_3 += ROUNDED(cs[j] * y3);
                        s1_4 += ROUNDED(cs[j] * y4);
                        s2 += sqrtf(fabsf(cs[j] - xs[i]));
                        s2_2 += sqrtf(fabsf(cs[j] - xs[i + 1]));
                        s2_3 += sqrtf(fabsf(cs[j] - xs[i + 2]));
                        s2_4 += sqrtf(fabsf(cs[j] - xs[i + 3]));
                    }
                    output[i] = s1 / s2;
                    output[i + 1] = s1_2 / s2_2;
                    output[i + 2] = s1_3 / s2_3;
                    output[i + 3] = s1_4 / s2_4;
                }
                for (int i = 4 * (n / 4); i < n; i++) {
                    const float y = ROUNDED(xs[i] * xs[i]);
                    float s1 = 0.0f;
                    float s2 = 1.0f;
                    for (int j = 0; j < k; j++) {
                        s1 += ROUNDED(cs[j] * y);
                        s2 += sqrtf(fabsf(cs[j] - xs[i]));
                    }
                    output[i] = s1 / s2;
                }
            }
        "#]],
    );
}

/// Threads execute the tiles, which are shorter, and the iterations that fill no tile.
#[test]
fn iterations_of_a_parallel_loop_are_executed_together() {
    check(
        "depFun((n: Nat, k: Nat) => fun(xs: (n+k).f32, ws: k.f32 =>
           xs |> slide(k)(1) |> mapPar(fun(w => zip(w)(ws) |> reduceSeq(fun(s, p => s + p._1 * p._2))(0.0f)))))",
        Target::OpenMp,
        expect![[r#"
            void main_(
                float *restrict output,
                int n,
                int k,
                const float *restrict xs,
                const float *restrict ws
            ) {
                check_count("main: n + 1", (double)n + 1);
                check_count("main: n + k", (double)n + k);
                #pragma omp parallel for
                for (int i = 0; i < 32 * ((n + 1) / 32); i += 32) {
                    float s[32];
                    for (int lane = 0; lane < 32; lane++) {
                        s[lane] = 0.0f;
                    }
                    for (int j = 0; j < k; j++) {
                        for (int lane = 0; lane < 32; lane++) {
                            s[lane] += xs[i + j + lane] * ws[j];
                        }
                    }
                    for (int lane = 0; lane < 32; lane++) {
                        output[i + lane] = s[lane];
                    }
                }
                #pragma omp parallel for
                for (int i = 32 * ((n + 1) / 32); i < 4 * ((n + 1) / 4); i += 4) {
                    float s = 0.0f;
                    float s2 = 0.0f;
                    float s3 = 0.0f;
                    float s4 = 0.0f;
                    for (int j = 0; j < k; j++) {
                        s += xs[i + j] * ws[j];
                        s2 += xs[i + j + 1] * ws[j];
                        s3 += xs[i + j + 2] * ws[j];
                        s4 += xs[i + j + 3] * ws[j];
                    }
                    output[i] = s;
                    output[i + 1] = s2;
                    output[i + 2] = s3;
                    output[i + 3] = s4;
                }
                for (int i = 4 * ((n + 1) / 4); i < n + 1; i++) {
                    float s = 0.0f;
                    for (int j = 0; j < k; j++) {
                        s += xs[i + j] * ws[j];
                    }
                    output[i] = s;
                }
            }
        "#]],
    );
}

/// Elements that are the same in all steps are loaded in front of these, wherever they are: a loop over
/// them alone is not vectorised.
#[test]
fn elements_of_rows_are_loaded_in_front() {
    let text = "def main = depFun((n: Nat) => fun(ps: n.4.f32 =>
      ps |> mapSeq(fun(a => ps |> reduceSeq(fun(s, b =>
        s + idx(3)(b) / (abs(idx(0)(b) - idx(0)(a)) + 1.0f)))(0.0f)))))";
    let code = function(text, "main", Target::C);
    assert!(code.contains("ps2[lane] = ps[4 * (i + lane)]"), "{code}");
    assert!(code.contains("fabsf(ps[4 * j] - ps2[lane])"), "{code}");
}

/// The windows of several channels are summed for many results of a row.
#[test]
fn windows_of_channels_are_summed_together() {
    let text = "def main = depFun((c: Nat, n: Nat, m: Nat) => fun(w: c.3.f32, img: c.(m + 2).f32 =>
      img |> map(slide(3)(1)) |> transpose |> mapSeq(fun(ws => zip(w)(ws) |> reduceSeq(fun(s, p =>
        s + (zip(p._1)(p._2) |> reduceSeq(fun(t, q => t + q._1 * q._2))(0.0f))))(0.0f)))))";
    let code = function(text, "main", Target::C);
    assert!(code.contains("[lane] += w[3 * "), "{code}");
}

/// Columns of matrices are read row by row by another form of the program; C compilers vectorise
/// short windows, sums of integers and sums of one array on their own; calls are not vectorised.
#[test]
fn other_reductions_are_left_alone() {
    assert!(is_vectorized(
        "depFun((n: Nat, k: Nat) => fun(xs: n.f32, ys: k.f32 =>
           xs |> mapSeq(fun(x => ys |> reduceSeq(fun(s, y => s + x / y))(0.0f)))))"
    ));
    for text in [
        "depFun((n: Nat, m: Nat) => fun(a: n.m.f32 => a |> transpose |> mapSeq(reduceSeq(add)(0.0f))))",
        "depFun((n: Nat, m: Nat) => fun(a: n.m.f32 => a |> mapSeq(reduceSeq(add)(0.0f))))",
        "depFun((n: Nat) => fun(xs: (n+9).f32 => xs |> slide(9)(1) |> mapSeq(reduceSeq(add)(0.0f))))",
        "depFun((n: Nat, k: Nat) => fun(xs: n.i32, ys: k.i32 =>
           xs |> mapSeq(fun(x => ys |> reduceSeq(fun(s, y => s + x * y))(0)))))",
        "depFun((n: Nat, k: Nat) => fun(xs: n.f32, ys: k.f32 =>
           xs |> mapSeq(fun(x => ys |> reduceSeq(fun(s, y => s + exp(x * y)))(0.0f)))))",
        "depFun((k: Nat) => fun(xs: 100.f32, ys: k.f32 =>
           xs |> mapSeq(fun(x => ys |> reduceSeq(fun(s, y => s + x / y))(0.0f)))))",
    ] {
        assert!(!is_vectorized(text), "{text}");
    }
}

/// The mean of each column is subtracted: 128 columns are read together, row by row.
#[test]
fn columns_are_read_by_rows_in_several_loops() {
    check(
        "depFun((n: Nat, m: Nat) => fun(a: n.m.f32, count: f32 =>
           a |> transpose |> mapSeq(fun(c =>
             let mean = (c |> reduceSeq(add)(0.0f)) / count in
             c |> mapSeq(fun(x => x - mean)))) |> transpose))",
        Target::C,
        expect![[r#"
            void main_(float *restrict output, int n, int m, const float *restrict a, float count) {
                check_count("main: n*m", (double)n * m);
                for (int i = 0; i < m; i += 128) {
                    const int end = i < m - 127 ? 128 : m - i;
                    float accum[128];
                    for (int lane = 0; lane < end; lane++) {
                        accum[lane] = 0.0f;
                    }
                    for (int j = 0; j < n; j++) {
                        for (int lane = 0; lane < end; lane++) {
                            accum[lane] += a[j * m + i + lane];
                        }
                    }
                    float mean[128];
                    for (int lane = 0; lane < end; lane++) {
                        mean[lane] = accum[lane] / count;
                    }
                    for (int j = 0; j < n; j++) {
                        for (int lane = 0; lane < end; lane++) {
                            output[j * m + i + lane] = a[j * m + i + lane] - mean[lane];
                        }
                    }
                }
            }
        "#]],
    );
}

/// A column and the results of it that are stored in a row are far apart.
#[test]
fn columns_with_results_in_rows_stay() {
    assert!(!is_vectorized(
        "depFun((n: Nat, m: Nat) => fun(a: n.m.f32, count: f32 =>
           a |> transpose |> mapSeq(fun(c =>
             let mean = (c |> reduceSeq(add)(0.0f)) / count in
             c |> mapSeq(fun(x => x - mean))))))"
    ));
}
