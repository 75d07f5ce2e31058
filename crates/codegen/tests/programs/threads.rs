//! Tests the distribution of work over threads: reductions of columns row by row, reductions in
//! parts, sums at indices that depend on data, and iterations of different cost.

use codegen::Target;
use expect_test::{Expect, expect};

use crate::function;

fn check(text: &str, expected: Expect) {
    let text = format!("def main = {text}");
    expected.assert_eq(&function(&text, "main", Target::OpenMp));
}

/// Threads read their parts of rows, four rows at a time, and do not wait for each other.
#[test]
fn columns_are_reduced_row_by_row() {
    check(
        "depFun((n: Nat, m: Nat) => fun(a: n.m.f32, b: n.f32 =>
           a |> transpose |> mapPar(fun(column =>
             zip(column)(b) |> reduceSeq(fun(acc, p => acc + p._1 * p._2))(0.0f)))))",
        expect![[r#"
            void main_(float *restrict output, int n, int m, const float *restrict a, const float *restrict b) {
                check_count("main: n*m", (double)n * m);
                #pragma omp parallel for
                for (int i = 0; i < m; i++) {
                    output[i] = 0.0f;
                }
                #pragma omp parallel
                for (int i = 0; i < 4 * (n / 4); i += 4) {
                    #pragma omp for schedule(static) nowait
                    for (int j = 0; j < m; j++) {
                        output[j] = output[j] + a[i * m + j] * b[i] + a[(i + 1) * m + j] * b[i + 1]
                            + a[(i + 2) * m + j] * b[i + 2] + a[(i + 3) * m + j] * b[i + 3];
                    }
                }
                for (int i = 4 * (n / 4); i < n; i++) {
                    #pragma omp parallel for
                    for (int j = 0; j < m; j++) {
                        output[j] += a[i * m + j] * b[i];
                    }
                }
            }
        "#]],
    );
}

/// The values that are computed from the results of the columns are computed by another loop.
#[test]
fn means_of_columns_are_computed_row_by_row() {
    check(
        "depFun((n: Nat, m: Nat) => fun(scale: f32, a: n.m.f32 =>
           a |> transpose |> mapPar(fun(column =>
             scale * (column |> reduceSeq(fun(acc, x => acc + x))(0.0f))))))",
        expect![[r#"
            void main_(float *restrict output, int n, int m, float scale, const float *restrict a) {
                check_count("main: n*m", (double)n * m);
                #pragma omp parallel for
                for (int i = 0; i < m; i++) {
                    output[i] = 0.0f;
                }
                #pragma omp parallel
                for (int i = 0; i < 4 * (n / 4); i += 4) {
                    #pragma omp for schedule(static) nowait
                    for (int j = 0; j < m; j++) {
                        output[j] = output[j] + a[i * m + j] + a[(i + 1) * m + j] + a[(i + 2) * m + j]
                            + a[(i + 3) * m + j];
                    }
                }
                for (int i = 4 * (n / 4); i < n; i++) {
                    #pragma omp parallel for
                    for (int j = 0; j < m; j++) {
                        output[j] += a[i * m + j];
                    }
                }
                #pragma omp parallel for
                for (int i = 0; i < m; i++) {
                    output[i] *= scale;
                }
            }
        "#]],
    );
}

/// Variables that an iteration declares stay in the loop over the rows.
#[test]
fn squares_of_differences_are_summed_row_by_row() {
    check(
        "depFun((n: Nat, m: Nat) => fun(a: n.m.f32, means: m.f32 =>
           zip(a |> transpose)(means) |> mapPar(fun(p =>
             p._1 |> reduceSeq(fun(acc, x => let d = x - p._2 in acc + d * d))(0.0f)))))",
        expect![[r#"
            void main_(
                float *restrict output,
                int n,
                int m,
                const float *restrict a,
                const float *restrict means
            ) {
                check_count("main: n*m", (double)n * m);
                #pragma omp parallel for
                for (int i = 0; i < m; i++) {
                    output[i] = 0.0f;
                }
                #pragma omp parallel
                for (int i = 0; i < n; i++) {
                    #pragma omp for schedule(static) nowait
                    for (int j = 0; j < m; j++) {
                        const float d = a[i * m + j] - means[j];
                        output[j] += ROUNDED(d * d);
                    }
                }
            }
        "#]],
    );
}

/// Rows are read in the order of memory already.
#[test]
fn rows_are_reduced_one_by_one() {
    check(
        "depFun(m: Nat => fun(a: 8.m.f32 =>
           a |> mapPar(fun(row => row |> reduceSeq(fun(acc, x => acc + x))(0.0f)))))",
        expect![[r#"
            void main_(float *restrict output, int m, const float *restrict a) {
                check_count("main: m*8", (double)8 * m);
                #pragma omp parallel for
                for (int i = 0; i < 8; i += 4) {
                    float acc = 0.0f;
                    float acc2 = 0.0f;
                    float acc3 = 0.0f;
                    float acc4 = 0.0f;
                    for (int j = 0; j < m; j++) {
                        acc += a[i * m + j];
                        acc2 += a[(i + 1) * m + j];
                        acc3 += a[(i + 2) * m + j];
                        acc4 += a[(i + 3) * m + j];
                    }
                    output[i] = acc;
                    output[i + 1] = acc2;
                    output[i + 2] = acc3;
                    output[i + 3] = acc4;
                }
            }
        "#]],
    );
}

/// A few columns are next to each other in memory, and their rows too short for all threads.
#[test]
fn few_columns_are_reduced_one_by_one() {
    check(
        "depFun(n: Nat => fun(a: n.8.f32 =>
           a |> transpose |> mapPar(fun(column => column |> reduceSeq(fun(acc, x => acc + x))(0.0f)))))",
        expect![[r#"
            void main_(float *restrict output, int n, const float *restrict a) {
                check_count("main: n*8", (double)8 * n);
                #pragma omp parallel for
                for (int i = 0; i < 8; i += 4) {
                    float acc = 0.0f;
                    float acc2 = 0.0f;
                    float acc3 = 0.0f;
                    float acc4 = 0.0f;
                    for (int j = 0; j < n; j++) {
                        acc += a[8 * j + i];
                        acc2 += a[8 * j + i + 1];
                        acc3 += a[8 * j + i + 2];
                        acc4 += a[8 * j + i + 3];
                    }
                    output[i] = acc;
                    output[i + 1] = acc2;
                    output[i + 2] = acc3;
                    output[i + 3] = acc4;
                }
            }
        "#]],
    );
}

/// The least element and its position are found by all threads, and kept in two variables.
#[test]
fn a_selection_is_reduced_in_parts() {
    check(
        "depFun(n: Nat => fun(xs: n.f32 =>
           zip(xs)(generate(fun(i => cast(indexAsNat(i)))))
             |> reducePar(fun(best, next => select(next._1 < best._1)(next)(best)))((3.4e38f, 0i32))))",
        expect![[r#"
            void main_(pair_f32_i32 *restrict output, int n, const float *restrict xs) {
                float best1 = 3.4e38f;
                int32_t best2 = 0;
                int32_t parts2[256];
                float parts1[256];
                #pragma omp parallel for
                for (int part = 0; part < 256; part++) {
                    const int edge = part < n % 256 + 1 ? part : n % 256;
                    float part1 = best1;
                    int32_t part2 = best2;
                    for (int j = 0; j < (n % 256 - part + 255) / 256 + n / 256; j++) {
                        const pair_f32_i32 element =
                            (pair_f32_i32){xs[part * (n / 256) + j + edge],
                                (int32_t)((int64_t)part * (n / 256) + j + edge)};
                        part2 = element._1 < part1 ? element._2 : part2;
                        part1 = element._1 < part1 ? element._1 : part1;
                    }
                    parts1[part] = part1;
                    parts2[part] = part2;
                }
                for (int part = 0; part < 256; part++) {
                    const float result1 = parts1[part];
                    best2 = result1 < best1 ? parts2[part] : best2;
                    best1 = result1 < best1 ? result1 : best1;
                }
                output[0] = (pair_f32_i32){best1, best2};
            }
        "#]],
    );
}

/// With `<=` the last of equal elements is selected, for which the initial value is no start of a
/// part: the first element of each part is.
#[test]
fn other_operators_start_from_the_first_element() {
    check(
        "depFun(n: Nat => fun(xs: n.f32 =>
           zip(xs)(generate(fun(i => cast(indexAsNat(i)))))
             |> reducePar(fun(best, next => select(next._1 <= best._1)(next)(best)))((3.4e38f, 0i32))))",
        expect![[r#"
            void main_(pair_f32_i32 *restrict output, int n, const float *restrict xs) {
                pair_f32_i32 total = (pair_f32_i32){3.4e38f, 0};
                #pragma omp parallel
                {
                    pair_f32_i32 part;
                    bool any = false;
                    #pragma omp for schedule(static)
                    for (int i = 0; i < n; i++) {
                        pair_f32_i32 element = (pair_f32_i32){xs[i], (int32_t)i};
                        if (any) {
                            part = element._1 <= part._1 ? element : part;
                        } else {
                            part = element;
                            any = true;
                        }
                    }
                    #pragma omp for ordered schedule(static, 1)
                    for (int thread = 0; thread < omp_get_num_threads(); thread++) {
                        #pragma omp ordered
                        if (any) {
                            total = part._1 <= total._1 ? part : total;
                        }
                    }
                }
                output[0] = total;
            }
        "#]],
    );
}

/// A program that counts integers, and the numbers of values and of sums.
fn histogram(values: &str, bins: &str) -> String {
    format!(
        "fun(values: {values}.Idx[{bins}] =>
           values |> reduceSeq(fun(sums, value =>
             zip(sums)(generate(fun(bin => bin)))
               |> mapSeq(fun(p => p._1 + select(value == p._2)(1i32)(0i32)))))
             (generate(fun(bin => 0i32)) |> mapSeq(fun(x => x)))
             |> mapPar(fun(x => x)))"
    )
}

/// If there are many values for each sum, threads have sums of their own.
#[test]
fn a_histogram_is_computed_in_parts() {
    let body = histogram("n", "bins");
    check(
        &format!("depFun((n: Nat, bins: Nat) => {body})"),
        expect![[r#"
            void main_(int32_t *restrict output, int n, int bins, const int *restrict values) {
                for (int i = 0; i < bins; i++) {
                    output[i] = 0;
                }
                if (bins + 63 < n / 256) {
                    int32_t *parts = allocate((size_t)64 * bins, sizeof(int32_t));
                    #pragma omp parallel for
                    for (int part = 0; part < 64; part++) {
                        for (int sum = 0; sum < bins; sum++) {
                            parts[part * bins + sum] = 0;
                        }
                        for (int j = part * (n / 64); j < (part + 1) * (n / 64); j++) {
                            parts[part * bins + values[j]] =
                                (int32_t)((uint32_t)parts[part * bins + values[j]] + 1);
                        }
                    }
                    #pragma omp parallel
                    for (int part = 0; part < 64; part += 4) {
                        #pragma omp for schedule(static) nowait
                        for (int sum = 0; sum < bins; sum++) {
                            output[sum] =
                                (int32_t)((uint32_t)output[sum] + parts[part * bins + sum]
                                    + parts[(part + 1) * bins + sum] + parts[(part + 2) * bins + sum]
                                    + parts[(part + 3) * bins + sum]);
                        }
                    }
                    for (int i = 64 * (n / 64); i < n; i++) {
                        output[values[i]] = (int32_t)((uint32_t)output[values[i]] + 1);
                    }
                    free(parts);
                } else {
                    for (int i = 0; i < n; i++) {
                        output[values[i]] = (int32_t)((uint32_t)output[values[i]] + 1);
                    }
                }
            }
        "#]],
    );
}

#[test]
fn a_histogram_of_many_values_has_no_guard() {
    check(
        &histogram("1000000", "100"),
        expect![[r#"
            void main_(int32_t *restrict output, const int *restrict values) {
                for (int i = 0; i < 100; i++) {
                    output[i] = 0;
                }
                int32_t *parts = allocate(6400, sizeof(int32_t));
                #pragma omp parallel for
                for (int part = 0; part < 64; part++) {
                    for (int sum = 0; sum < 100; sum++) {
                        parts[100 * part + sum] = 0;
                    }
                    for (int j = 15625 * part; j < 15625 * (part + 1); j++) {
                        parts[100 * part + values[j]] = (int32_t)((uint32_t)parts[100 * part + values[j]] + 1);
                    }
                }
                #pragma omp parallel
                for (int part = 0; part < 64; part += 4) {
                    #pragma omp for schedule(static) nowait
                    for (int sum = 0; sum < 100; sum++) {
                        output[sum] =
                            (int32_t)((uint32_t)output[sum] + parts[100 * part + sum]
                                + parts[100 * (part + 1) + sum] + parts[100 * part + sum + 200]
                                + parts[100 * part + sum + 300]);
                    }
                }
                free(parts);
            }
        "#]],
    );
}

/// Parts would have more sums than values.
#[test]
fn a_histogram_of_few_values_is_computed_by_one_thread() {
    check(
        &histogram("1000", "100"),
        expect![[r#"
        void main_(int32_t *restrict output, const int *restrict values) {
            for (int i = 0; i < 100; i++) {
                output[i] = 0;
            }
            for (int i = 0; i < 1000; i++) {
                output[values[i]] = (int32_t)((uint32_t)output[values[i]] + 1);
            }
        }
    "#]],
    );
}

/// Threads would be started for each row.
#[test]
fn histograms_of_rows_in_order_are_computed_by_one_thread() {
    let row = histogram("n", "bins").replacen("fun(values: n.Idx[bins] =>", "fun(values =>", 1);
    check(
        &format!(
            "depFun((t: Nat, n: Nat, bins: Nat) => fun(rows: t.n.Idx[bins] =>
               rows |> mapSeq({})))",
            row.replace("mapPar", "mapSeq")
        ),
        expect![[r#"
            void main_(int32_t *restrict output, int t, int n, int bins, const int *restrict rows) {
                check_count("main: t*n", (double)t * n);
                check_count("main: t*bins", (double)t * bins);
                for (int i = 0; i < t; i++) {
                    for (int j = 0; j < bins; j++) {
                        output[i * bins + j] = 0;
                    }
                    for (int j = 0; j < n; j++) {
                        output[i * bins + rows[i * n + j]] =
                            (int32_t)((uint32_t)output[i * bins + rows[i * n + j]] + 1);
                    }
                }
            }
        "#]],
    );
}

/// The sums are a part of the output, behind another one.
#[test]
fn a_histogram_behind_other_results_is_computed_in_parts() {
    check(
        "depFun((n: Nat, m: Nat) => fun(first: m.i32, values: n.Idx[8] =>
           concat(first |> mapSeq(fun(x => x)))(
             values |> reduceSeq(fun(sums, value =>
               zip(sums)(generate(fun(bin => bin)))
                 |> mapSeq(fun(p => p._1 + select(value == p._2)(1i32)(0i32)))))
               (generate(fun(bin => 0i32)) |> mapSeq(fun(x => x)))
               |> mapSeq(fun(x => x)))))",
        expect![[r#"
            void main_(
                int32_t *restrict output,
                int n,
                int m,
                const int32_t *restrict first,
                const int *restrict values
            ) {
                check_count("main: m + 8", (double)m + 8);
                for (int i = 0; i < m; i++) {
                    output[i] = first[i];
                }
                for (int i = 0; i < 8; i++) {
                    output[i + m] = 0;
                }
                if (n / 256 > 71) {
                    int32_t *parts = allocate(512, sizeof(int32_t));
                    #pragma omp parallel for
                    for (int part = 0; part < 64; part++) {
                        for (int sum = 0; sum < 8; sum++) {
                            parts[8 * part + sum] = 0;
                        }
                        for (int j = part * (n / 64); j < (part + 1) * (n / 64); j++) {
                            parts[8 * part + values[j]] = (int32_t)((uint32_t)parts[8 * part + values[j]] + 1);
                        }
                    }
                    #pragma omp parallel
                    for (int part = 0; part < 64; part++) {
                        #pragma omp for schedule(static) nowait
                        for (int sum = 0; sum < 8; sum++) {
                            output[sum + m] = (int32_t)((uint32_t)output[sum + m] + parts[8 * part + sum]);
                        }
                    }
                    for (int i = 64 * (n / 64); i < n; i++) {
                        output[values[i] + m] = (int32_t)((uint32_t)output[values[i] + m] + 1);
                    }
                    free(parts);
                } else {
                    for (int i = 0; i < n; i++) {
                        output[values[i] + m] = (int32_t)((uint32_t)output[values[i] + m] + 1);
                    }
                }
            }
        "#]],
    );
}

/// Another order of the additions gives another sum of floats.
#[test]
fn floats_are_added_in_their_order() {
    check(
        "depFun((n: Nat, bins: Nat) => fun(values: n.Idx[bins], weights: n.f32 =>
           zip(values)(weights) |> reduceSeq(fun(sums, value =>
             zip(sums)(generate(fun(bin => bin)))
               |> mapSeq(fun(p => select(value._1 == p._2)(p._1 + value._2)(p._1)))))
             (generate(fun(bin => 0.0f)) |> mapSeq(fun(x => x)))
             |> mapPar(fun(x => x))))",
        expect![[r#"
            void main_(
                float *restrict output,
                int n,
                int bins,
                const int *restrict values,
                const float *restrict weights
            ) {
                for (int i = 0; i < bins; i++) {
                    output[i] = 0.0f;
                }
                for (int i = 0; i < 4 * (n / 4); i += 4) {
                    for (int j = 0; j < bins; j++) {
                        output[j] = output[j] + (values[i] == j ? weights[i] : 0.0f)
                            + (values[i + 1] == j ? weights[i + 1] : 0.0f)
                            + (values[i + 2] == j ? weights[i + 2] : 0.0f)
                            + (values[i + 3] == j ? weights[i + 3] : 0.0f);
                    }
                }
                for (int i = 4 * (n / 4); i < n; i++) {
                    for (int j = 0; j < bins; j++) {
                        output[j] += values[i] == j ? weights[i] : 0.0f;
                    }
                }
            }
        "#]],
    );
}

/// The rows of a triangle have different lengths.
#[test]
fn a_triangle_is_distributed_dynamically() {
    check(
        "depFun(n: Nat => fun(a: n.n.f32 =>
           generate(fun(i => generate(fun(j =>
             select(j <= i)(a |> idx(i) |> idx(j))(0.0f))))) |> mapPar(mapSeq(fun(x => x)))))",
        expect![[r#"
            void main_(float *restrict output, int n, const float *restrict a) {
                check_count("main: n^2", (double)n * n);
                #pragma omp parallel for schedule(dynamic)
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

/// C compilers leave the inner loop as soon as the state stays the same.
#[test]
fn iterations_that_may_end_early_are_distributed_dynamically() {
    check(
        "depFun((n: Nat, k: Nat) => fun(xs: n.f32 =>
           xs |> mapPar(fun(x =>
             makeArray(1)(((x, x), 0i32))
               |> iterate(k)(depFun(l: Nat => mapSeq(fun(s =>
                    select(s._1._1 < 4.0f)(((s._1._1 * s._1._2, s._1._2 + x), s._2 + 1))(s)))))
               |> toMem
               |> idx(0)
               |> snd))))",
        expect![[r#"
            void main_(int32_t *restrict output, int n, int k, const float *restrict xs) {
                assert(k >= 1 && "k >= 1");
                #pragma omp parallel for schedule(dynamic)
                for (int i = 0; i < n; i++) {
                    float state11 = xs[i];
                    float state12 = xs[i];
                    int32_t state2 = 0;
                    for (int j = 0; j < k; j++) {
                        int32_t next2;
                        float next12;
                        float next11;
                        if (state11 < 4.0f) {
                            next11 = state11 * state12;
                            next12 = state12 + xs[i];
                            next2 = (int32_t)((uint32_t)state2 + 1);
                        } else {
                            next11 = state11;
                            next12 = state12;
                            next2 = state2;
                        }
                        state11 = next11;
                        state12 = next12;
                        state2 = next2;
                    }
                    output[i] = state2;
                }
            }
        "#]],
    );
}
