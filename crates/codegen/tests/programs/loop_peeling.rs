//! Tests peeled loops, hoisted addresses and accumulated offsets: loops as people write them.

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

/// The peeled parts are the first two elements, those with all neighbours, and the last two, also
/// if there are few.
#[test]
fn wide_windows_over_clamped_ends() {
    check(
        "depFun(n: Nat => fun(xs: n.f32 =>
           xs |> padClamp(2)(2) |> slide(5)(1) |> mapSeq(reduceSeqUnroll(add)(0.0f))))",
        expect![[r#"
            void main_(float *restrict output, int n, const float *restrict xs) {
                assert(n >= 1 && "n >= 1");
                for (int i = 0; i < imin(2, n); i++) {
                    output[i] = 0.0f + xs[0] + xs[0] + xs[i] + xs[i < n - 1 ? i + 1 : n - 1]
                        + xs[i < n - 2 ? i + 2 : n - 1];
                }
                for (int i = 2; i < n - 2; i++) {
                    output[i] = 0.0f + xs[i - 2] + xs[i - 1] + xs[i] + xs[i + 1] + xs[i + 2];
                }
                for (int i = imax(2, n - 2); i < n; i++) {
                    output[i] = 0.0f + xs[i > 1 ? i - 2 : 0] + xs[i > 0 ? i - 1 : 0] + xs[i]
                        + xs[i < n - 1 ? i + 1 : n - 1] + xs[i < n - 2 ? i + 2 : n - 1];
                }
            }
        "#]],
    );
}

/// The rows above and below have names; the conditions on the column are eliminated inside of the
/// grid.
#[test]
fn windows_over_a_grid() {
    check(
        "depFun((n: Nat, m: Nat) => fun(grid: n.m.f32 =>
           grid |> padClamp2D(1) |> slide2D(3)(1) |> mapSeq(mapSeq(fun(w =>
             (w |> idx(0) |> idx(1)) + (w |> idx(1) |> idx(0)) + (w |> idx(1) |> idx(2)) + (w |> idx(2) |> idx(1)))))))",
        expect![[r#"
            void main_(float *restrict output, int n, int m, const float *restrict grid) {
                assert(n >= 1 && "n >= 1");
                assert(m >= 1 && "m >= 1");
                check_count("main: n*m", (double)n * m);
                for (int i = 0; i < n; i++) {
                    const int before = i > 0 ? i - 1 : 0;
                    const int after = i < n - 1 ? i + 1 : n - 1;
                    output[i * m] = grid[before * m] + grid[i * m] + grid[i * m + imin(1, m - 1)]
                        + grid[after * m];
                    for (int j = 1; j < m - 1; j++) {
                        output[i * m + j] = grid[before * m + j] + grid[i * m + j - 1] + grid[i * m + j + 1]
                            + grid[after * m + j];
                    }
                    if (m > 1) {
                        output[i * m + m - 1] = grid[before * m + m - 1] + grid[i * m + m - 2]
                            + grid[i * m + m - 1] + grid[after * m + m - 1];
                    }
                }
            }
        "#]],
    );
}

/// The number of peeled iterations may be a size.
#[test]
fn boundaries_of_any_width_are_peeled() {
    check(
        "depFun((n: Nat, l: Nat, r: Nat) => fun(xs: n.f32 =>
           xs |> padCst(l)(r)(0.0f) |> mapSeq(fun(x => x + 1.0f))))",
        expect![[r#"
            void main_(float *restrict output, int n, int l, int r, const float *restrict xs) {
                check_count("main: n + l + r", (double)n + l + r);
                for (int i = 0; i < l; i++) {
                    output[i] = 0.0f + 1.0f;
                }
                for (int i = l; i < n + l; i++) {
                    output[i] = xs[i - l] + 1.0f;
                }
                for (int i = n + l; i < n + l + r; i++) {
                    output[i] = 0.0f + 1.0f;
                }
            }
        "#]],
    );
}

/// The threads execute the steady state.
#[test]
fn boundaries_of_a_parallel_loop_are_peeled() {
    check_parallel(
        "depFun(n: Nat => fun(xs: n.f32 =>
           xs |> padClamp(1)(1) |> slide(3)(1) |> mapPar(reduceSeqUnroll(add)(0.0f))))",
        expect![[r#"
            void main_(float *restrict output, int n, const float *restrict xs) {
                assert(n >= 1 && "n >= 1");
                output[0] = 0.0f + xs[0] + xs[0] + xs[imin(1, n - 1)];
                #pragma omp parallel for
                for (int i = 1; i < n - 1; i++) {
                    output[i] = 0.0f + xs[i - 1] + xs[i] + xs[i + 1];
                }
                if (n > 1) {
                    output[n - 1] = 0.0f + xs[n - 2] + xs[n - 1] + xs[n - 1];
                }
            }
        "#]],
    );
}

/// The end of the steady state depends on the surrounding counter.
#[test]
fn the_steady_state_ends_at_a_diagonal() {
    check(
        "depFun(n: Nat => fun(a: n.n.f32 =>
           generate(fun(i => generate(fun(j => select(j <= i)(a |> idx(i) |> idx(j))(0.0f))))) |> mapSeq(mapSeq(id))))",
        expect![[r#"
            void main_(float *restrict output, int n, const float *restrict a) {
                check_count("main: n^2", (double)n * n);
                for (int i = 0; i < n; i++) {
                    for (int j = 0; j < i + 1; j++) {
                        output[i * n + j] = a[i * n + j];
                    }
                    for (int j = i + 1; j < n; j++) {
                        output[i * n + j] = 0.0f;
                    }
                }
            }
        "#]],
    );
}

/// The constant is the value outside of the steady state, also where it comes first.
#[test]
fn the_steady_state_has_no_constant() {
    check(
        "depFun(n: Nat => fun(a: n.n.f32 =>
           generate(fun(i => generate(fun(j => select(j < i)(0.0f)(a |> idx(i) |> idx(j)))))) |> mapSeq(mapSeq(id))))",
        expect![[r#"
            void main_(float *restrict output, int n, const float *restrict a) {
                check_count("main: n^2", (double)n * n);
                for (int i = 0; i < n; i++) {
                    for (int j = 0; j < i; j++) {
                        output[i * n + j] = 0.0f;
                    }
                    for (int j = i; j < n; j++) {
                        output[i * n + j] = a[i * n + j];
                    }
                }
            }
        "#]],
    );
}

/// The condition on the row does not depend on the column, and the columns within the image depend
/// on the weight. The products with the zeros outside are added, too: they may be NaN.
#[test]
fn a_convolution_tests_each_row_once() {
    check(
        "depFun((n: Nat, m: Nat) => fun((image: n.m.f32, weights: 9.f32) =>
           image |> padCst2D(1)(0.0f) |> slide2D(3)(1) |> mapSeq(fun(row =>
             zip(weights)(row |> map(join) |> transpose)
               |> reduceSeq(fun(sums, p => zip(sums)(p._2) |> mapSeq(fun(q => q._1 + p._1 * q._2))))(
                 generate(fun(j => 0.0f)) |> mapSeq(id))
               |> mapSeq(id)))))",
        expect![[r#"
            void main_(
                float *restrict output,
                int n,
                int m,
                const float *restrict image,
                const float *restrict weights
            ) {
                assert(n >= 1 && "n >= 1");
                assert(m >= 1 && "m >= 1");
                check_count("main: n*m", (double)n * m);
                for (int i = 0; i < n; i++) {
                    for (int j = 0; j < m; j++) {
                        output[i * m + j] = 0.0f;
                    }
                    for (int row = 0; row < 3; row++) {
                        for (int element = 0; element < 3; element++) {
                            const int edge = element > 0 ? 0 : 1 - element;
                            const int end = element < 2 ? m : m - element + 1;
                            if (row >= 1 - i && row < n - i + 1) {
                                if (edge > 0) {
                                    output[i * m] += weights[3 * row + element] * 0.0f;
                                }
                                for (int l = edge; l < end; l++) {
                                    output[i * m + l] +=
                                        weights[3 * row + element] * image[(i + row - 1) * m + element + l - 1];
                                }
                                if (end < m) {
                                    output[(i + 1) * m - element + 1] += weights[3 * row + element] * 0.0f;
                                }
                            } else {
                                for (int l = 0; l < m; l++) {
                                    output[i * m + l] += weights[3 * row + element] * 0.0f;
                                }
                            }
                        }
                    }
                }
            }
        "#]],
    );
}

/// The rotating values are passed from one part of the loop to the next.
#[test]
fn loops_over_streams_are_peeled() {
    check(
        "depFun(n: Nat => fun(xs: n.f32 =>
           xs |> padClamp(1)(1) |> map(fun(x => x * x)) |> rotateValues(3)(id)
             |> iterateStream(reduceSeqUnroll(add)(0.0f))))",
        expect![[r#"
            void main_(float *restrict output, int n, const float *restrict xs) {
                assert(n >= 1 && "n >= 1");
                float window0 = xs[0] * xs[0];
                float window1 = xs[0] * xs[0];
                for (int i = 0; i < n - 1; i++) {
                    const float window2 = xs[i + 1] * xs[i + 1];
                    output[i] = 0.0f + window0 + window1 + window2;
                    window0 = window1;
                    window1 = window2;
                }
                output[n - 1] = 0.0f + window0 + window1 + xs[n - 1] * xs[n - 1];
            }
        "#]],
    );
}

/// Short loops are not peeled.
#[test]
fn short_loops_stay_whole() {
    check(
        "fun(xs: 6.f32 => xs |> padClamp(1)(1) |> slide(3)(1) |> mapSeq(reduceSeqUnroll(add)(0.0f)))",
        expect![[r#"
            void main_(float *restrict output, const float *restrict xs) {
                for (int i = 0; i < 6; i++) {
                    output[i] = 0.0f + xs[i > 0 ? i - 1 : 0] + xs[i] + xs[i < 5 ? i + 1 : 5];
                }
            }
        "#]],
    );
}

/// A row that is accumulated repeatedly gets a pointer.
#[test]
fn rows_that_are_added_to() {
    check(
        "depFun((n: Nat, k: Nat, m: Nat) => fun((a: n.k.f32, b: k.m.f32) =>
           a |> mapSeq(fun(row =>
             zip(row)(b) |> reduceSeq(fun(acc, p => zip(acc)(p._2) |> mapSeq(fun(q => q._1 + p._1 * q._2))))(
               generate(fun(j => 0.0f)) |> mapSeq(id)) |> mapSeq(id)))))",
        expect![[r#"
            void main_(
                float *restrict output,
                int n,
                int k,
                int m,
                const float *restrict a,
                const float *restrict b
            ) {
                check_count("main: n*k", (double)n * k);
                check_count("main: n*m", (double)n * m);
                check_count("main: k*m", (double)k * m);
                float *panels = allocate_aligned((size_t)k * m, sizeof(float), 64);
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

/// A pointer advances over rows of different lengths, and the length has a name.
#[test]
fn rows_that_are_passed() {
    check(
        "depFun(n: Nat => fun(rows: n..dataFun(i => (i / 2 + 1).f32) =>
           rows
             |> depMapSeq(depFun(i: Nat => fun(row => makeArray(1)(row |> reduceSeq(add)(0.0f)) |> mapSeq(id))))
             |> depJoin))",
        expect![[r#"
            void main_(float *restrict output, int n, const float *restrict rows) {
                check_count("main: n + sum(i, 0, n, i/2)", (double)n + sum_1(n));
                const float *row = rows;
                for (int i = 0; i < n; i++) {
                    const int length = i / 2 + 1;
                    float accum = 0.0f;
                    for (int j = 0; j < length; j++) {
                        accum += row[j];
                    }
                    output[i] = accum;
                    row += length;
                }
            }
        "#]],
    );
}

/// The loop over rows is peeled as well as the one over columns, and the window is written out where it
/// is inside of the image.
#[test]
fn padded_windows_have_no_conditions_inside() {
    check(
        "depFun((n: Nat, m: Nat) => fun(image: n.m.f32 =>
           image |> padCst2D(1)(0.0f) |> slide2D(3)(1) |> mapSeq(mapSeq(fun(w =>
             w |> join |> reduceSeq(add)(0.0f))))))",
        expect![[r#"
            void main_(float *restrict output, int n, int m, const float *restrict image) {
                assert(n >= 1 && "n >= 1");
                assert(m >= 1 && "m >= 1");
                check_count("main: n*m", (double)n * m);
                float accum = 0.0f;
                for (int row = 0; row < 3; row++) {
                    for (int element = 0; element < 3; element++) {
                        accum += row > 0
                            ? (row < n + 1
                                ? (element > 0 ? (element < m + 1 ? image[(row - 1) * m + element - 1] : 0.0f)
                                    : 0.0f) : 0.0f) : 0.0f;
                    }
                }
                output[0] = accum;
                for (int i = 1; i < m - 1; i++) {
                    output[i] = 0.0f + 0.0f + 0.0f + 0.0f + image[i - 1] + image[i] + image[i + 1]
                        + (n > 1 ? image[m + i - 1] : 0.0f) + (n > 1 ? image[m + i] : 0.0f)
                        + (n > 1 ? image[m + i + 1] : 0.0f);
                }
                if (m > 1) {
                    float accum2 = 0.0f;
                    for (int row = 0; row < 3; row++) {
                        for (int element = 0; element < 3; element++) {
                            accum2 += row > 0
                                ? (row < n + 1 ? (element < 2 ? image[row * m + element - 2] : 0.0f) : 0.0f)
                                : 0.0f;
                        }
                    }
                    output[m - 1] = accum2;
                }
                for (int i = 1; i < n - 1; i++) {
                    float accum2 = 0.0f;
                    for (int row = 0; row < 3; row++) {
                        for (int element = 0; element < 3; element++) {
                            accum2 += element > 0
                                ? (element < m + 1 ? image[(i + row - 1) * m + element - 1] : 0.0f) : 0.0f;
                        }
                    }
                    output[i * m] = accum2;
                    for (int j = 1; j < m - 1; j++) {
                        output[i * m + j] = 0.0f + image[(i - 1) * m + j - 1] + image[(i - 1) * m + j]
                            + image[(i - 1) * m + j + 1] + image[i * m + j - 1] + image[i * m + j]
                            + image[i * m + j + 1] + image[(i + 1) * m + j - 1] + image[(i + 1) * m + j]
                            + image[(i + 1) * m + j + 1];
                    }
                    if (m > 1) {
                        float accum3 = 0.0f;
                        for (int row = 0; row < 3; row++) {
                            for (int element = 0; element < 3; element++) {
                                accum3 += element < 2 ? image[(i + row) * m + element - 2] : 0.0f;
                            }
                        }
                        output[i * m + m - 1] = accum3;
                    }
                }
                if (n > 1) {
                    float accum2 = 0.0f;
                    for (int row = 0; row < 3; row++) {
                        for (int element = 0; element < 3; element++) {
                            accum2 += row < 2
                                ? (element > 0
                                    ? (element < m + 1 ? image[(row + n - 2) * m + element - 1] : 0.0f) : 0.0f)
                                : 0.0f;
                        }
                    }
                    output[(n - 1) * m] = accum2;
                    for (int i = 1; i < m - 1; i++) {
                        output[(n - 1) * m + i] = 0.0f + image[(n - 2) * m + i - 1] + image[(n - 2) * m + i]
                            + image[(n - 2) * m + i + 1] + image[(n - 1) * m + i - 1] + image[(n - 1) * m + i]
                            + image[(n - 1) * m + i + 1] + 0.0f + 0.0f + 0.0f;
                    }
                    if (m > 1) {
                        float accum3 = 0.0f;
                        for (int row = 0; row < 3; row++) {
                            for (int element = 0; element < 3; element++) {
                                accum3 += row < 2
                                    ? (element < 2 ? image[(row + n - 1) * m + element - 2] : 0.0f) : 0.0f;
                            }
                        }
                        output[(n - 1) * m + m - 1] = accum3;
                    }
                }
            }
        "#]],
    );
}

/// The limits of indices are decided in the same way, and joined arrays of three dimensions too.
#[test]
fn clamped_windows_have_no_limits_inside() {
    let text = "def main = depFun((n: Nat, m: Nat, k: Nat) => fun(a: n.m.k.f32 =>
      a |> padClamp3D(1) |> slide3D(3)(1) |> mapSeq(mapSeq(mapSeq(fun(w =>
        w |> join |> join |> reduceSeq(add)(0.0f)))))))";
    let code = function(text, "main", Target::C);
    let whole: Vec<&str> = (code.lines())
        .filter(|line| line.contains("accum") && line.contains("- 1) * k + l - 1]"))
        .collect();
    assert_eq!(whole.len(), 1, "{code}");
}
