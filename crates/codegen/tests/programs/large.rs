//! Tests sizes that are `int`s: intermediate results may be larger, and are computed in 64 bits.

use codegen::{IndexWidth, Target};
use expect_test::{Expect, expect};

use crate::{function, module_for};

fn value(size: &str, expected: Expect) {
    let text = format!("def main = depFun((n: Nat, m: Nat) => fun(x: i64 => x + cast({size})))");
    let text = function(&text, "main", Target::C);
    let statement = text
        .split_inclusive(';')
        .find(|part| part.contains("output[0] ="));
    let words: Vec<&str> = statement.unwrap_or(&text).split_whitespace().collect();
    let written = words.join(" ");
    let from = written.find("output[0]").unwrap_or(0);
    expected.assert_eq(&written[from..]);
}

#[test]
fn values_of_large_sizes() {
    value(
        "2^n % (m + 1)",
        expect![
            "output[0] = (int64_t)((uint64_t)x + (int64_t)(int)(((int64_t)1 << n) % (m + 1)));"
        ],
    );
    value(
        "n*n*n % (m + 1)",
        expect![
            "output[0] = (int64_t)((uint64_t)x + (int64_t)(int)((int64_t)n * n * n % (m + 1)));"
        ],
    );
    value(
        "n^5 / (m + 1)",
        expect!["output[0] = (int64_t)((uint64_t)x + (int64_t)(int)(pow_64(n, 5) / (m + 1)));"],
    );
    value(
        "ceilDiv(n*n*n, m*m + 1)",
        expect![
            "output[0] = (int64_t)((uint64_t)x + (int64_t)(int)(((int64_t)n * n * n + (int64_t)m * m) / ((int64_t)m * m + 1)));"
        ],
    );
    value(
        "log2(n*n*n + 1)",
        expect!["output[0] = (int64_t)((uint64_t)x + (int64_t)log2_64((int64_t)n * n * n + 1));"],
    );
    value(
        "min(n*n*n, m)",
        expect![
            "output[0] = (int64_t)((uint64_t)x + (int64_t)(int)imin_64(m, (int64_t)n * n * n));"
        ],
    );
    value(
        "sum(i, 0, n, i*i*i % (m + 1))",
        expect!["output[0] = (int64_t)((uint64_t)x + (int64_t)(int)sum_1(n, m));"],
    );
    value(
        "sum(i, 0, n, 2^i % m)",
        expect!["output[0] = (int64_t)((uint64_t)x + (int64_t)(int)sum_1(n, m));"],
    );
    value(
        "n*n + n / 2",
        expect!["output[0] = (int64_t)((uint64_t)x + (int64_t)(int)((int64_t)n * n + n / 2));"],
    );
    value(
        "n / 2 + m % 3",
        expect!["output[0] = (int64_t)((uint64_t)x + (int64_t)(n / 2 + m % 3));"],
    );
}

#[test]
fn indices_by_large_sizes() {
    let text = "def main = depFun((n: Nat) => fun(xs: (n+1).i32 =>
        xs |> reorder(n+1)(natFun(i => (i + n*n*n) % (n + 1)))(natFun(i => (i + (n+1)*n*n*n - n*n*n) % (n + 1)))
           |> mapSeq(id)))";
    expect![[r#"
        void main_(int32_t *restrict output, int n, const int32_t *restrict xs) {
            check_count("main: n + 1", (double)n + 1);
            for (int i = 0; i < n + 1; i++) {
                output[i] = xs[((int64_t)n * n * n + i) % (n + 1)];
            }
        }
    "#]]
    .assert_eq(&function(text, "main", Target::C));
}

#[test]
fn arrays_as_long_as_large_sizes_say() {
    let text = "def main = depFun((n: Nat, m: Nat) => fun(xs: (n*n/(m + 1)).i32 =>
        xs |> mapSeq(fun(x => x + 1)) |> toMem |> mapSeq(fun(x => x * 2))))";
    expect![[r#"
        void main_(int32_t *restrict output, int n, int m, const int32_t *restrict xs) {
            check_count("main: n^2/(m+1)", (int64_t)n * n / ((int64_t)m + 1));
            int32_t *tmp = allocate((size_t)n * n / (m + 1), sizeof(int32_t));
            for (int i = 0; i < (int64_t)n * n / (m + 1); i++) {
                tmp[i] = (int32_t)((uint32_t)xs[i] + 1);
            }
            for (int i = 0; i < (int64_t)n * n / (m + 1); i++) {
                output[i] = (int32_t)((uint32_t)tmp[i] * 2);
            }
            free(tmp);
        }
    "#]]
    .assert_eq(&function(text, "main", Target::C));
    let text =
        "def main = depFun((n: Nat, m: Nat) => fun(xs: (log2(n*n + 1)).i32 => xs |> mapSeq(id)))";
    expect![[r#"
        void main_(int32_t *restrict output, int n, int m, const int32_t *restrict xs) {
            check_count("main: log2(n^2+1)", log2_64((int64_t)n * n + 1));
            (void)m;
            for (int i = 0, end = log2_64((int64_t)n * n + 1); i < end; i++) {
                output[i] = xs[i];
            }
        }
    "#]]
    .assert_eq(&function(text, "main", Target::C));
}

/// Products of quotients are computed as `size_t`, too.
#[test]
fn numbers_of_elements_are_multiplied_with_64_bits_where_memory_is_allocated() {
    let text = "def main = depFun((n: Nat, m: Nat) => fun(xs: (n / 4).m.f32 =>
        xs |> mapSeq(mapSeq(fun(x => x + 1.0f))) |> toMem |> transpose |> mapSeq(mapSeq(id))))";
    let text = function(text, "main", Target::C);
    let line = text.lines().find(|line| line.contains("allocate"));
    expect!["    float *tmp = allocate((size_t)(n / 4) * m, sizeof(float));"]
        .assert_eq(line.unwrap_or_default());
}

/// Returns the text with sizes of 64 bits.
fn wide(text: &str, target: Target) -> String {
    match module_for(text, "main", target, IndexWidth::Bits64) {
        Ok(module) => module.text,
        Err(error) => panic!("{error}"),
    }
}

const ROW_SUMS: &str = "def main = depFun((n: Nat, m: Nat) => fun(rows: n.m.f32 =>
  rows |> mapSeq(reduceSeq(add)(0.0f))))";

#[test]
fn sizes_counters_and_indices_have_64_bits_where_asked() {
    expect![[r##"
        #include <stdint.h>
        #include <stdio.h>
        #include <stdlib.h>

        /* Ends the program if a number of elements does not fit into an index. */
        static void check_count_64(const char *what, double count) {
            if (!(count < 576460752303423488.0)) {
                fprintf(stderr, "%s = %.0f elements do not fit into indices of 64 bits\n", what, count);
                abort();
            }
        }

        /* main_ : (n: Nat) -> (m: Nat) -> n.m.f32 -> n.f32 */
        void main_(float *restrict output, int64_t n, int64_t m, const float *restrict rows) {
            check_count_64("main: n*m", (double)n * m);
            for (int64_t i = 0; i < 4 * (n / 4); i += 4) {
                float accum = 0.0f;
                float accum2 = 0.0f;
                float accum3 = 0.0f;
                float accum4 = 0.0f;
                for (int64_t j = 0; j < m; j++) {
                    accum += rows[i * m + j];
                    accum2 += rows[(i + 1) * m + j];
                    accum3 += rows[(i + 2) * m + j];
                    accum4 += rows[(i + 3) * m + j];
                }
                output[i] = accum;
                output[i + 1] = accum2;
                output[i + 2] = accum3;
                output[i + 3] = accum4;
            }
            for (int64_t i = 4 * (n / 4); i < n; i++) {
                float accum = 0.0f;
                for (int64_t j = 0; j < m; j++) {
                    accum += rows[i * m + j];
                }
                output[i] = accum;
            }
        }
    "##]]
    .assert_eq(&wide(ROW_SUMS, Target::C));
    let parallel = ROW_SUMS.replace("mapSeq", "mapPar");
    let text = wide(&parallel, Target::OpenMp);
    assert!(!text.contains("int n") && !text.contains("int i"), "{text}");
    let kernel = ROW_SUMS
        .replace("mapSeq", "mapGlobal")
        .replace("reduceSeq", "reduceSeq(Private)");
    expect![[r#"
        /* main : (n: Nat) -> (m: Nat) -> n.m.f32 -> n.f32 */
        kernel void main_(global float *restrict output, long n, long m, global const float *restrict rows) {
            for (long gId = get_global_id(0); gId < n; gId += get_global_size(0)) {
                float accum = 0.0f;
                for (long l = 0; l < m; l++) {
                    accum += rows[gId * m + l];
                }
                output[gId] = accum;
            }
        }
    "#]].assert_eq(&wide(&kernel, Target::OpenCl));
}

/// No count is an `int`, and numbers of the program keep 32 bits.
#[test]
fn helpers_and_buffers_count_with_64_bits_where_asked() {
    let text = wide(
        "def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.natType => xs
           |> mapSeq(mapSeq(fun(x => x + n))) |> toMem |> padClamp(1)(2) |> drop(1) |> join
           |> mapSeq(id)))",
        Target::C,
    );
    expect![[r##"
        #include <assert.h>
        #include <stdint.h>
        #include <stdio.h>
        #include <stdlib.h>

        static void *allocate(size_t count, size_t size) {
            void *memory = count <= PTRDIFF_MAX / size ? malloc(count > 0 ? count * size : 1) : NULL;
            if (memory == NULL) {
                fprintf(stderr, "cannot allocate %zu elements of %zu bytes\n", count, size);
                abort();
            }
            return memory;
        }

        /* Ends the program if a number of elements does not fit into an index. */
        static void check_count_64(const char *what, double count) {
            if (!(count < 576460752303423488.0)) {
                fprintf(stderr, "%s = %.0f elements do not fit into indices of 64 bits\n", what, count);
                abort();
            }
        }

        /* main_ : (n: Nat) -> (m: Nat) -> n.m.natType -> (n*m+m*2).natType
           where n >= 1 */
        void main_(int *restrict output, int64_t n, int64_t m, const int *restrict xs) {
            assert(n >= 1 && "n >= 1");
            check_count_64("main: n + 2", (double)n + 2);
            check_count_64("main: n*m + m*2", ((double)n + 2) * m);
            int *tmp = allocate((size_t)n * m, sizeof(int));
            for (int64_t i = 0; i < n; i++) {
                for (int64_t j = 0; j < m; j++) {
                    tmp[i * m + j] = (int)((uint32_t)xs[i * m + j] + (int)n);
                }
            }
            for (int64_t row = 0; row < n + 2; row++) {
                const int64_t edge = row < n ? row : n - 1;
                for (int64_t element = 0; element < m; element++) {
                    output[row * m + element] = tmp[edge * m + element];
                }
            }
            free(tmp);
        }
    "##]].assert_eq(&text);
}
