//! Tests of `segment` and `letNat`.

use codegen::Target;
use expect_test::{Expect, expect};

use crate::function;

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&function(text, "main", Target::C));
}

/// A row of a sparse matrix is a loop over the array, with no memory for the row.
#[test]
fn rows_of_a_sparse_matrix() {
    check(
        "def main(ptr: (n + 1).Idx[z + 1], cols: z.Idx[m], vals: z.f32, x: m.f32): n.f32 =
           zip(ptr |> take(n))(ptr |> drop(1)) |> mapSeq(fun(ends =>
             let {k} row = zip(cols)(vals) |> segment(ends._1)(ends._2) in
             row |> map(fun(e => e._2 * (x |> idx(e._1)))) |> reduceSeq(add)(0.0f)))",
        expect![[r#"
            void main_(
                float *restrict output,
                int n,
                int z,
                int m,
                const int *restrict ptr,
                const int *restrict cols,
                const float *restrict vals,
                const float *restrict x
            ) {
                check_count("main: n + 1", (double)n + 1);
                (void)z;
                (void)m;
                for (int i = 0; i < n; i++) {
                    const int start = ptr[i];
                    const int end = ptr[i + 1];
                    const int k = imax(0, end - start);
                    float accum = 0.0f;
                    for (int j = 0; j < k; j++) {
                        accum += vals[j + start] * x[cols[j + start]];
                    }
                    output[i] = accum;
                }
            }
        "#]],
    );
}

/// The ends are sizes, so that the length needs no variable.
#[test]
fn ends_that_are_sizes() {
    check(
        "def main(xs: n.f32): f32 =
           let {k} ys = xs |> segment(natAsIndex(n + 1)(n / 2))(natAsIndex(n + 1)(n)) in
           ys |> reduceSeq(add)(0.0f)",
        expect![[r#"
            void main_(float *restrict output, int n, const float *restrict xs) {
                float accum = 0.0f;
                for (int i = 0; i < imax(0, n - n / 2); i++) {
                    accum += xs[i + n / 2];
                }
                output[0] = accum;
            }
        "#]],
    );
}

/// Memory of a size that is bound is allocated where the size is known.
#[test]
fn memory_of_a_bound_size() {
    check(
        "def main(count: Idx[n + 1], xs: n.f32): f32 =
           let {k} = count in xs |> take(k) |> mapSeq(fun(x => x * 2.0f)) |> toMem |> reduceSeq(add)(0.0f)",
        expect![[r#"
            void main_(float *restrict output, int n, int count, const float *restrict xs) {
                (void)n;
                const int k = count;
                float *tmp = allocate(k, sizeof(float));
                for (int i = 0; i < k; i++) {
                    tmp[i] = xs[i] * 2.0f;
                }
                float accum = 0.0f;
                for (int i = 0; i < k; i++) {
                    accum += tmp[i];
                }
                output[0] = accum;
                free(tmp);
            }
        "#]],
    );
}
