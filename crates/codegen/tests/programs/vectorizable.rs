//! Tests loops that C compilers vectorise because of how they are written.

use codegen::Target;
use expect_test::{Expect, expect};

use crate::{function, module};

fn check(text: &str, target: Target, expected: Expect) {
    let text = format!("def main = {text}");
    expected.assert_eq(&function(&text, "main", target));
}

/// GCC does not know in a parallel region that `output` and `table` do not overlap.
#[test]
fn gathers_in_parallel_regions_are_marked() {
    let text = "depFun((n: Nat, m: Nat, k: Nat) => fun(table: k.f32, at: n.m.Idx[k] =>
      at |> mapPar(mapSeq(fun(i => table |> idx(i))))))";
    check(
        text,
        Target::OpenMp,
        expect![[r#"
        void main_(
            float *restrict output,
            int n,
            int m,
            int k,
            const float *restrict table,
            const int *restrict at
        ) {
            check_count("main: n*m", (double)n * m);
            (void)k;
            #pragma omp parallel for
            for (int i = 0; i < n; i++) {
                #pragma omp simd
                for (int j = 0; j < m; j++) {
                    output[i * m + j] = table[at[i * m + j]];
                }
            }
        }
    "#]],
    );
}

/// Each element of the result is accumulated: the iterations are not independent.
#[test]
fn gathers_into_a_sum_are_not_marked() {
    let text = "depFun((n: Nat, m: Nat, k: Nat) => fun(table: k.f32, at: n.m.Idx[k] =>
      at |> mapPar(reduceSeq(fun(acc, i => acc + (table |> idx(i))))(0.0f))))";
    check(
        text,
        Target::OpenMp,
        expect![[r#"
        void main_(
            float *restrict output,
            int n,
            int m,
            int k,
            const float *restrict table,
            const int *restrict at
        ) {
            check_count("main: n*m", (double)n * m);
            (void)k;
            #pragma omp parallel for
            for (int i = 0; i < n; i++) {
                float acc = 0.0f;
                for (int j = 0; j < m; j++) {
                    acc += table[at[i * m + j]];
                }
                output[i] = acc;
            }
        }
    "#]],
    );
}

/// The elements of a literal array are known in copies of the loop.
#[test]
fn loops_over_literal_arrays_are_unrolled() {
    let text = "depFun((n: Nat) => fun(xs: n.f32 =>
      xs |> mapSeq(fun(x =>
        makeArray(3)(1.0f, x, 2.0f * x) |> mapSeq(fun(y => x + y))))))";
    check(
        text,
        Target::C,
        expect![[r#"
        void main_(float *restrict output, int n, const float *restrict xs) {
            check_count("main: n*3", (double)3 * n);
            for (int i = 0; i < n; i++) {
                output[3 * i] = xs[i] + 1.0f;
                output[3 * i + 1] = xs[i] + xs[i];
                output[3 * i + 2] = xs[i] + 2.0f * xs[i];
            }
        }
    "#]],
    );
}

/// A conversion has no branches, and what is converted is in the range of the integers.
#[test]
fn conversions_to_integers_have_no_branches() {
    let helper = |from: &str, to: &str| {
        let text = format!(
            "def main = depFun(n: Nat => fun(xs: n.{from} =>
               xs |> mapSeq(fun(x => (cast(x) : {to})))))"
        );
        let module = module(&text, "main", Target::C).unwrap_or_else(|error| panic!("{error}"));
        let start = module
            .text
            .find(&format!("{from}_to_{to}"))
            .expect("a helper");
        let end = module.text[start..].find("\n}").expect("its end");
        module.text[start..start + end].to_owned()
    };
    expect![[r#"
        f32_to_i32(float x) {
            const float above = x > -2147483648.0f ? x : -2147483648.0f;
            const float within = above < 2147483520.0f ? above : 2147483520.0f;
            const int32_t n = (int32_t)within;
            return (n | (x >= 2147483648.0f ? 127 : 0)) & (x == x ? -1 : 0);"#]]
    .assert_eq(&helper("f32", "i32"));
    expect![[r#"
        f64_to_i32(double x) {
            const double above = x > -2147483648.0 ? x : -2147483648.0;
            const double within = above < 2147483647.0 ? above : 2147483647.0;
            const int32_t n = (int32_t)within;
            return n & (x == x ? -1 : 0);"#]]
    .assert_eq(&helper("f64", "i32"));
    expect![[r#"
        f64_to_u64(double x) {
            const double above = x > 0.0 ? x : 0.0;
            const double within = above < 18446744073709549568.0 ? above : 18446744073709549568.0;
            const uint64_t n = (uint64_t)within;
            return n | (x >= 18446744073709551616.0 ? 2047 : 0);"#]]
    .assert_eq(&helper("f64", "u64"));
}
