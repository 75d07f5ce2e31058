//! Tests unroll-and-jam: which loops execute several iterations together.

use codegen::Target;
use expect_test::{Expect, expect};

use crate::function;

fn check(text: &str, expected: Expect) {
    let text = format!("def main = {text}");
    expected.assert_eq(&function(&text, "main", Target::C));
}

fn check_parallel(text: &str, expected: Expect) {
    let text = format!("def main = {text}");
    expected.assert_eq(&function(&text, "main", Target::OpenMp));
}

/// A sum of floats waits for each addition: four sums do not wait for each other.
#[test]
fn sums_of_floats_are_computed_together() {
    check(
        "depFun((n: Nat, m: Nat) => fun(a: n.m.f32, x: m.f32 =>
           a |> mapSeq(fun(row => zip(row)(x) |> reduceSeq(fun(acc, p => acc + p._1 * p._2))(0.0f)))))",
        expect![[r#"
            void main_(float *restrict output, int n, int m, const float *restrict a, const float *restrict x) {
                check_count("main: n*m", (double)n * m);
                for (int i = 0; i < 4 * (n / 4); i += 4) {
                    float acc = 0.0f;
                    float acc2 = 0.0f;
                    float acc3 = 0.0f;
                    float acc4 = 0.0f;
                    for (int j = 0; j < m; j++) {
                        acc += a[i * m + j] * x[j];
                        acc2 += a[(i + 1) * m + j] * x[j];
                        acc3 += a[(i + 2) * m + j] * x[j];
                        acc4 += a[(i + 3) * m + j] * x[j];
                    }
                    output[i] = acc;
                    output[i + 1] = acc2;
                    output[i + 2] = acc3;
                    output[i + 3] = acc4;
                }
                for (int i = 4 * (n / 4); i < n; i++) {
                    float acc = 0.0f;
                    for (int j = 0; j < m; j++) {
                        acc += a[i * m + j] * x[j];
                    }
                    output[i] = acc;
                }
            }
        "#]],
    );
}

/// C compilers add integers in any order, so that one sum does not wait.
#[test]
fn sums_of_integers_are_left_alone() {
    check(
        "depFun((n: Nat, m: Nat) => fun(a: n.m.i32 => a |> mapSeq(reduceSeq(add)(0))))",
        expect![[r#"
            void main_(int32_t *restrict output, int n, int m, const int32_t *restrict a) {
                check_count("main: n*m", (double)n * m);
                for (int i = 0; i < n; i++) {
                    int32_t accum = 0;
                    for (int j = 0; j < m; j++) {
                        accum = (int32_t)((uint32_t)accum + a[i * m + j]);
                    }
                    output[i] = accum;
                }
            }
        "#]],
    );
}

/// Iterations of a parallel loop are executed together by one thread.
#[test]
fn iterations_of_a_parallel_loop_are_jammed() {
    check_parallel(
        "depFun((n: Nat, m: Nat) => fun(a: n.m.f32 => a |> mapPar(reduceSeq(add)(0.0f))))",
        expect![[r#"
            void main_(float *restrict output, int n, int m, const float *restrict a) {
                check_count("main: n*m", (double)n * m);
                #pragma omp parallel for
                for (int i = 0; i < 4 * (n / 4); i += 4) {
                    float accum = 0.0f;
                    float accum2 = 0.0f;
                    float accum3 = 0.0f;
                    float accum4 = 0.0f;
                    for (int j = 0; j < m; j++) {
                        accum += a[i * m + j];
                        accum2 += a[(i + 1) * m + j];
                        accum3 += a[(i + 2) * m + j];
                        accum4 += a[(i + 3) * m + j];
                    }
                    output[i] = accum;
                    output[i + 1] = accum2;
                    output[i + 2] = accum3;
                    output[i + 3] = accum4;
                }
                for (int i = 4 * (n / 4); i < n; i++) {
                    float accum = 0.0f;
                    for (int j = 0; j < m; j++) {
                        accum += a[i * m + j];
                    }
                    output[i] = accum;
                }
            }
        "#]],
    );
}

/// The loop over the rows of `b`, and that around it, are jammed: the rows of `b` are used for
/// several sums, and each sum is loaded and stored once for several rows.
#[test]
fn accumulated_rows_are_jammed_twice() {
    check(
        "depFun((n: Nat, m: Nat, k: Nat) => fun(a: n.k.f32, b: k.m.f32 =>
           a |> mapSeq(fun(row =>
             zip(row)(b)
               |> reduceSeq(fun(acc, p => zip(acc)(p._2) |> mapSeq(fun(q => q._1 + p._1 * q._2))))(
                 generate(fun(i => 0.0f)) |> mapSeq(fun(x => x)))
               |> mapSeq(fun(x => x))))))",
        expect![[r#"
            void main_(
                float *restrict output,
                int n,
                int m,
                int k,
                const float *restrict a,
                const float *restrict b
            ) {
                check_count("main: n*m", (double)n * m);
                check_count("main: n*k", (double)n * k);
                check_count("main: m*k", (double)m * k);
                float *panels = allocate_aligned((size_t)m * k, sizeof(float), 64);
                if (n >= 24) {
                    for (int i = 0; i < 2 * F32_LANES * (m / (2 * F32_LANES)); i += 2 * F32_LANES) {
                        for (int j = 0; j < k; j++) {
                            for (int l = 0; l < 2 * F32_LANES; l++) {
                                panels[2 * j * F32_LANES + i * k + l] = b[j * m + i + l];
                            }
                        }
                    }
                }
                for (int i = 0; i < imin(n / 6, 7 * (n / 24)); i += 4) {
                    const int end = imin(4, imin(n / 6, 7 * (n / 24)) - i);
                    for (int j = 0; j < end; j++) {
                        for (int l = 0; l < m; l++) {
                            output[6 * (i + j) * m + l] = 0.0f;
                        }
                        for (int l = 0; l < m; l++) {
                            output[(6 * (i + j) + 1) * m + l] = 0.0f;
                        }
                        for (int l = 0; l < m; l++) {
                            output[(6 * (i + j) + 2) * m + l] = 0.0f;
                        }
                        for (int l = 0; l < m; l++) {
                            output[(6 * (i + j) + 3) * m + l] = 0.0f;
                        }
                        for (int l = 0; l < m; l++) {
                            output[(6 * (i + j) + 4) * m + l] = 0.0f;
                        }
                        for (int l = 0; l < m; l++) {
                            output[(6 * (i + j) + 5) * m + l] = 0.0f;
                        }
                    }
                    for (int j = 0; j < 2 * F32_LANES * (m / (2 * F32_LANES)); j += 2 * F32_LANES) {
                        for (int l = 0; l < end; l++) {
                            f32xN acc = *(const f32xNu *)&output[6 * (i + l) * m + j];
                            f32xN acc2 = *(const f32xNu *)&output[6 * (i + l) * m + j + F32_LANES];
                            f32xN acc3 = *(const f32xNu *)&output[(6 * (i + l) + 1) * m + j];
                            f32xN acc4 = *(const f32xNu *)&output[6 * (i + l) * m + j + F32_LANES + m];
                            f32xN acc5 = *(const f32xNu *)&output[(6 * (i + l) + 2) * m + j];
                            f32xN acc6 = *(const f32xNu *)&output[(6 * (i + l) + 2) * m + j + F32_LANES];
                            f32xN acc7 = *(const f32xNu *)&output[(6 * (i + l) + 3) * m + j];
                            f32xN acc8 = *(const f32xNu *)&output[(6 * (i + l) + 3) * m + j + F32_LANES];
                            f32xN acc9 = *(const f32xNu *)&output[(6 * (i + l) + 4) * m + j];
                            f32xN acc10 = *(const f32xNu *)&output[(6 * (i + l) + 4) * m + j + F32_LANES];
                            f32xN acc11 = *(const f32xNu *)&output[(6 * (i + l) + 5) * m + j];
                            f32xN acc12 = *(const f32xNu *)&output[(6 * (i + l) + 5) * m + j + F32_LANES];
                            for (int p = 0; p < k; p++) {
                                acc +=
                                    a[6 * (i + l) * k + p]
                                    * *(const f32xNu *)&panels[2 * p * F32_LANES + j * k];
                                acc2 +=
                                    a[6 * (i + l) * k + p]
                                    * *(const f32xNu *)&panels[F32_LANES * (2 * p + 1) + j * k];
                                acc3 +=
                                    a[(6 * (i + l) + 1) * k + p]
                                    * *(const f32xNu *)&panels[2 * p * F32_LANES + j * k];
                                acc4 +=
                                    a[(6 * (i + l) + 1) * k + p]
                                    * *(const f32xNu *)&panels[F32_LANES * (2 * p + 1) + j * k];
                                acc5 +=
                                    a[(6 * (i + l) + 2) * k + p]
                                    * *(const f32xNu *)&panels[2 * p * F32_LANES + j * k];
                                acc6 +=
                                    a[(6 * (i + l) + 2) * k + p]
                                    * *(const f32xNu *)&panels[F32_LANES * (2 * p + 1) + j * k];
                                acc7 +=
                                    a[(6 * (i + l) + 3) * k + p]
                                    * *(const f32xNu *)&panels[2 * p * F32_LANES + j * k];
                                acc8 +=
                                    a[(6 * (i + l) + 3) * k + p]
                                    * *(const f32xNu *)&panels[F32_LANES * (2 * p + 1) + j * k];
                                acc9 +=
                                    a[(6 * (i + l) + 4) * k + p]
                                    * *(const f32xNu *)&panels[2 * p * F32_LANES + j * k];
                                acc10 +=
                                    a[(6 * (i + l) + 4) * k + p]
                                    * *(const f32xNu *)&panels[F32_LANES * (2 * p + 1) + j * k];
                                acc11 +=
                                    a[(6 * (i + l) + 5) * k + p]
                                    * *(const f32xNu *)&panels[2 * p * F32_LANES + j * k];
                                acc12 +=
                                    a[(6 * (i + l) + 5) * k + p]
                                    * *(const f32xNu *)&panels[F32_LANES * (2 * p + 1) + j * k];
                            }
                            *(f32xNu *)&output[6 * (i + l) * m + j] = acc;
                            *(f32xNu *)&output[6 * (i + l) * m + j + F32_LANES] = acc2;
                            *(f32xNu *)&output[(6 * (i + l) + 1) * m + j] = acc3;
                            *(f32xNu *)&output[6 * (i + l) * m + j + F32_LANES + m] = acc4;
                            *(f32xNu *)&output[(6 * (i + l) + 2) * m + j] = acc5;
                            *(f32xNu *)&output[(6 * (i + l) + 2) * m + j + F32_LANES] = acc6;
                            *(f32xNu *)&output[(6 * (i + l) + 3) * m + j] = acc7;
                            *(f32xNu *)&output[(6 * (i + l) + 3) * m + j + F32_LANES] = acc8;
                            *(f32xNu *)&output[(6 * (i + l) + 4) * m + j] = acc9;
                            *(f32xNu *)&output[(6 * (i + l) + 4) * m + j + F32_LANES] = acc10;
                            *(f32xNu *)&output[(6 * (i + l) + 5) * m + j] = acc11;
                            *(f32xNu *)&output[(6 * (i + l) + 5) * m + j + F32_LANES] = acc12;
                        }
                    }
                    for (int j = 0; j < end; j++) {
                        for (int l = 0; l < 4 * (k / 4); l += 4) {
                            for (int p = 2 * F32_LANES * (m / (2 * F32_LANES)); p < m; p++) {
                                output[6 * (i + j) * m + p] = output[6 * (i + j) * m + p]
                                    + a[6 * (i + j) * k + l] * b[l * m + p]
                                    + a[6 * (i + j) * k + l + 1] * b[(l + 1) * m + p]
                                    + a[6 * (i + j) * k + l + 2] * b[(l + 2) * m + p]
                                    + a[6 * (i + j) * k + l + 3] * b[(l + 3) * m + p];
                                output[(6 * (i + j) + 1) * m + p] = output[(6 * (i + j) + 1) * m + p]
                                    + a[(6 * (i + j) + 1) * k + l] * b[l * m + p]
                                    + a[(6 * (i + j) + 1) * k + l + 1] * b[(l + 1) * m + p]
                                    + a[(6 * (i + j) + 1) * k + l + 2] * b[(l + 2) * m + p]
                                    + a[(6 * (i + j) + 1) * k + l + 3] * b[(l + 3) * m + p];
                                output[(6 * (i + j) + 2) * m + p] = output[(6 * (i + j) + 2) * m + p]
                                    + a[(6 * (i + j) + 2) * k + l] * b[l * m + p]
                                    + a[(6 * (i + j) + 2) * k + l + 1] * b[(l + 1) * m + p]
                                    + a[(6 * (i + j) + 2) * k + l + 2] * b[(l + 2) * m + p]
                                    + a[(6 * (i + j) + 2) * k + l + 3] * b[(l + 3) * m + p];
                                output[(6 * (i + j) + 3) * m + p] = output[(6 * (i + j) + 3) * m + p]
                                    + a[(6 * (i + j) + 3) * k + l] * b[l * m + p]
                                    + a[(6 * (i + j) + 3) * k + l + 1] * b[(l + 1) * m + p]
                                    + a[(6 * (i + j) + 3) * k + l + 2] * b[(l + 2) * m + p]
                                    + a[(6 * (i + j) + 3) * k + l + 3] * b[(l + 3) * m + p];
                                output[(6 * (i + j) + 4) * m + p] = output[(6 * (i + j) + 4) * m + p]
                                    + a[(6 * (i + j) + 4) * k + l] * b[l * m + p]
                                    + a[(6 * (i + j) + 4) * k + l + 1] * b[(l + 1) * m + p]
                                    + a[(6 * (i + j) + 4) * k + l + 2] * b[(l + 2) * m + p]
                                    + a[(6 * (i + j) + 4) * k + l + 3] * b[(l + 3) * m + p];
                                output[(6 * (i + j) + 5) * m + p] = output[(6 * (i + j) + 5) * m + p]
                                    + a[(6 * (i + j) + 5) * k + l] * b[l * m + p]
                                    + a[(6 * (i + j) + 5) * k + l + 1] * b[(l + 1) * m + p]
                                    + a[(6 * (i + j) + 5) * k + l + 2] * b[(l + 2) * m + p]
                                    + a[(6 * (i + j) + 5) * k + l + 3] * b[(l + 3) * m + p];
                            }
                        }
                        for (int l = 4 * (k / 4); l < k; l++) {
                            for (int p = 2 * F32_LANES * (m / (2 * F32_LANES)); p < m; p++) {
                                output[6 * (i + j) * m + p] += a[6 * (i + j) * k + l] * b[l * m + p];
                                output[(6 * (i + j) + 1) * m + p] +=
                                    a[(6 * (i + j) + 1) * k + l] * b[l * m + p];
                                output[(6 * (i + j) + 2) * m + p] +=
                                    a[(6 * (i + j) + 2) * k + l] * b[l * m + p];
                                output[(6 * (i + j) + 3) * m + p] +=
                                    a[(6 * (i + j) + 3) * k + l] * b[l * m + p];
                                output[(6 * (i + j) + 4) * m + p] +=
                                    a[(6 * (i + j) + 4) * k + l] * b[l * m + p];
                                output[(6 * (i + j) + 5) * m + p] +=
                                    a[(6 * (i + j) + 5) * k + l] * b[l * m + p];
                            }
                        }
                    }
                }
                for (int i = 6 * imin(n / 6, 7 * (n / 24));
                        i < 4 * ((n - 2 * imin(n / 6, 7 * (n / 24))) / 4) + 2 * imin(n / 6, 7 * (n / 24));
                        i += 4) {
                    for (int j = 0; j < m; j++) {
                        output[i * m + j] = 0.0f;
                    }
                    for (int j = 0; j < m; j++) {
                        output[(i + 1) * m + j] = 0.0f;
                    }
                    for (int j = 0; j < m; j++) {
                        output[(i + 2) * m + j] = 0.0f;
                    }
                    for (int j = 0; j < m; j++) {
                        output[(i + 3) * m + j] = 0.0f;
                    }
                    for (int j = 0; j < 4 * (k / 4); j += 4) {
                        for (int l = 0; l < m; l++) {
                            output[i * m + l] = output[i * m + l] + a[i * k + j] * b[j * m + l]
                                + a[i * k + j + 1] * b[(j + 1) * m + l] + a[i * k + j + 2] * b[(j + 2) * m + l]
                                + a[i * k + j + 3] * b[(j + 3) * m + l];
                            output[(i + 1) * m + l] = output[(i + 1) * m + l]
                                + a[(i + 1) * k + j] * b[j * m + l]
                                + a[(i + 1) * k + j + 1] * b[(j + 1) * m + l]
                                + a[(i + 1) * k + j + 2] * b[(j + 2) * m + l]
                                + a[(i + 1) * k + j + 3] * b[(j + 3) * m + l];
                            output[(i + 2) * m + l] = output[(i + 2) * m + l]
                                + a[(i + 2) * k + j] * b[j * m + l]
                                + a[(i + 2) * k + j + 1] * b[(j + 1) * m + l]
                                + a[(i + 2) * k + j + 2] * b[(j + 2) * m + l]
                                + a[(i + 2) * k + j + 3] * b[(j + 3) * m + l];
                            output[(i + 3) * m + l] = output[(i + 3) * m + l]
                                + a[(i + 3) * k + j] * b[j * m + l]
                                + a[(i + 3) * k + j + 1] * b[(j + 1) * m + l]
                                + a[(i + 3) * k + j + 2] * b[(j + 2) * m + l]
                                + a[(i + 3) * k + j + 3] * b[(j + 3) * m + l];
                        }
                    }
                    for (int j = 4 * (k / 4); j < k; j++) {
                        for (int l = 0; l < m; l++) {
                            output[i * m + l] += a[i * k + j] * b[j * m + l];
                            output[(i + 1) * m + l] += a[(i + 1) * k + j] * b[j * m + l];
                            output[(i + 2) * m + l] += a[(i + 2) * k + j] * b[j * m + l];
                            output[(i + 3) * m + l] += a[(i + 3) * k + j] * b[j * m + l];
                        }
                    }
                }
                for (int i = 4 * ((n - 2 * imin(n / 6, 7 * (n / 24))) / 4) + 2 * imin(n / 6, 7 * (n / 24));
                        i < n; i++) {
                    float *row = &output[i * m];
                    for (int j = 0; j < m; j++) {
                        row[j] = 0.0f;
                    }
                    for (int j = 0; j < 4 * (k / 4); j += 4) {
                        for (int l = 0; l < m; l++) {
                            row[l] = row[l] + a[i * k + j] * b[j * m + l]
                                + a[i * k + j + 1] * b[(j + 1) * m + l] + a[i * k + j + 2] * b[(j + 2) * m + l]
                                + a[i * k + j + 3] * b[(j + 3) * m + l];
                        }
                    }
                    for (int j = 4 * (k / 4); j < k; j++) {
                        for (int l = 0; l < m; l++) {
                            row[l] += a[i * k + j] * b[j * m + l];
                        }
                    }
                }
                release(panels);
            }
        "#]],
    );
}

/// Several rows of a matrix are added together, though each is read once: the sums are loaded and
/// stored less often.
#[test]
fn rows_that_are_read_once_are_added_together() {
    check(
        "depFun((n: Nat, m: Nat) => fun(a: n.m.f32 =>
           a |> reduceSeq(fun(acc, row => zip(acc)(row) |> mapSeq(fun(p => p._1 + p._2))))(
                  generate(fun(i => 0.0f)) |> mapSeq(fun(x => x)))
             |> mapSeq(fun(x => x))))",
        expect![[r#"
            void main_(float *restrict output, int n, int m, const float *restrict a) {
                check_count("main: n*m", (double)n * m);
                for (int i = 0; i < m; i++) {
                    output[i] = 0.0f;
                }
                for (int i = 0; i < 4 * (n / 4); i += 4) {
                    for (int j = 0; j < m; j++) {
                        output[j] = output[j] + a[i * m + j] + a[(i + 1) * m + j] + a[(i + 2) * m + j]
                            + a[(i + 3) * m + j];
                    }
                }
                for (int i = 4 * (n / 4); i < n; i++) {
                    for (int j = 0; j < m; j++) {
                        output[j] += a[i * m + j];
                    }
                }
            }
        "#]],
    );
}

/// A loop of few iterations, and one whose inner loop has another length in each iteration, are left
/// alone.
#[test]
fn short_and_triangular_loops_are_left_alone() {
    check(
        "depFun(m: Nat => fun(a: 4.m.f32 => a |> mapSeq(reduceSeq(add)(0.0f))))",
        expect![[r#"
            void main_(float *restrict output, int m, const float *restrict a) {
                check_count("main: m*4", (double)4 * m);
                for (int i = 0; i < 4; i++) {
                    float accum = 0.0f;
                    for (int j = 0; j < m; j++) {
                        accum += a[i * m + j];
                    }
                    output[i] = accum;
                }
            }
        "#]],
    );
    check(
        "depFun(n: Nat => fun(a: n.5.f32 => a |> mapSeq(reduceSeq(add)(0.0f))))",
        expect![[r#"
            void main_(float *restrict output, int n, const float *restrict a) {
                check_count("main: n*5", (double)5 * n);
                for (int i = 0; i < n; i++) {
                    float accum = 0.0f;
                    for (int j = 0; j < 5; j++) {
                        accum += a[5 * i + j];
                    }
                    output[i] = accum;
                }
            }
        "#]],
    );
    check(
        "depFun(n: Nat => fun(rows: n..dataFun(i => (i + 1).f32) =>
           rows
             |> depMapSeq(depFun(i: Nat => fun(row =>
                  makeArray(1)(row |> reduceSeq(add)(0.0f)) |> mapSeq(id))))
             |> depJoin))",
        expect![[r#"
            void main_(float *restrict output, int n, const float *restrict rows) {
                check_count("main: n + (n^2-n)/2", ((int64_t)n + 1) * n / 2);
                for (int i = 0; i < n; i++) {
                    float accum = 0.0f;
                    for (int j = 0; j < i + 1; j++) {
                        accum += rows[(int64_t)i * (i + 1) / 2 + j];
                    }
                    output[i] = accum;
                }
            }
        "#]],
    );
}

/// Returns a product of matrices of constant sizes with elements of this type.
fn product(rows: u32, columns: u32, element: &str) -> String {
    let zero = match element {
        "i32" => "0",
        "f64" => "0.0f64",
        _ => "0.0f",
    };
    let text = format!(
        "def main = fun(a: {rows}.64.{element}, b: 64.{columns}.{element} =>
           a |> mapSeq(fun(row =>
             zip(row)(b)
               |> reduceSeq(fun(acc, p => zip(acc)(p._2) |> mapSeq(fun(q => q._1 + p._1 * q._2))))(
                 generate(fun(i => {zero})) |> mapSeq(fun(x => x)))
               |> mapSeq(fun(x => x)))))"
    );
    function(&text, "main", Target::C)
}

/// A contraction is computed in register tiles if it has floats, several columns of vectors, and
/// enough rows to repay copying the matrix.
#[test]
fn contractions_of_floats_are_computed_in_register_tiles() {
    for (rows, columns, element, has_tiles) in [
        (64, 64, "f32", true),
        (64, 64, "f64", true),
        (33, 1000, "f32", true),
        (64, 16, "f32", false),
        (16, 64, "f32", false),
        (64, 64, "i32", false),
    ] {
        let text = product(rows, columns, element);
        assert_eq!(
            text.contains("panels"),
            has_tiles,
            "{rows} {columns} {element}:\n{text}"
        );
    }
}

/// Two rows of a stencil together load the rows that they share once.
#[test]
fn rows_of_a_stencil_are_computed_together() {
    check(
        "depFun((h: Nat, w: Nat) => fun(image: h.w.f32 =>
           image
             |> padClamp(1)(1)
             |> slide(3)(1)
             |> mapSeq(fun(rows =>
               zip(rows |> idx(0))(zip(rows |> idx(1))(rows |> idx(2)))
                 |> mapSeq(fun(p => p._1 + p._2._1 + p._2._2))))))",
        expect![[r#"
            void main_(float *restrict output, int h, int w, const float *restrict image) {
                assert(h >= 1 && "h >= 1");
                check_count("main: h*w", (double)h * w);
                for (int i = 0; i < 2 * (h / 2); i += 2) {
                    const int before = i > 0 ? i - 1 : 0;
                    const int after = i < h - 2 ? i + 2 : h - 1;
                    for (int j = 0; j < w; j++) {
                        output[i * w + j] = image[before * w + j] + image[i * w + j] + image[(i + 1) * w + j];
                        output[(i + 1) * w + j] = image[i * w + j] + image[(i + 1) * w + j]
                            + image[after * w + j];
                    }
                }
                for (int i = 2 * (h / 2); i < h; i++) {
                    const int before = i > 0 ? i - 1 : 0;
                    const int after = i < h - 1 ? i + 1 : h - 1;
                    for (int j = 0; j < w; j++) {
                        output[i * w + j] = image[before * w + j] + image[i * w + j] + image[after * w + j];
                    }
                }
            }
        "#]],
    );
}

/// Rows that are read once have nothing in common.
#[test]
fn rows_without_common_elements_are_left_alone() {
    check(
        "depFun((h: Nat, w: Nat) => fun(image: h.w.f32 =>
           image |> mapSeq(mapSeq(fun(x => x * 2.0f)))))",
        expect![[r#"
            void main_(float *restrict output, int h, int w, const float *restrict image) {
                check_count("main: h*w", (double)h * w);
                for (int i = 0; i < h; i++) {
                    for (int j = 0; j < w; j++) {
                        output[i * w + j] = image[i * w + j] * 2.0f;
                    }
                }
            }
        "#]],
    );
}
