//! Tests that a loop of which an equality guard leaves one iteration is reduced to it.

use codegen::Target;
use expect_test::{Expect, expect};

use crate::function;

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&function(text, "main", Target::C));
}

#[test]
fn a_histogram_changes_one_bin_for_each_value() {
    check(
        "def main = depFun((n: Nat, bins: Nat) => fun(values: n.Idx[bins] =>
          values |> reduceSeq(fun(counts, value =>
            zip(counts)(generate(fun(bin => bin))) |> mapSeq(fun(p =>
              p._1 + select(value == p._2)(1i32)(0i32)))))(
            generate(fun(bin: Idx[bins] => 0i32)) |> mapSeq(id)) |> mapSeq(id)))",
        expect![[r#"
            void main_(int32_t *restrict output, int n, int bins, const int *restrict values) {
                for (int i = 0; i < bins; i++) {
                    output[i] = 0;
                }
                for (int i = 0; i < n; i++) {
                    output[values[i]] = (int32_t)((uint32_t)output[values[i]] + 1);
                }
            }
        "#]],
    );
}

#[test]
fn a_guard_that_differs_in_each_iteration_stays() {
    check(
        "def main = depFun(n: Nat => fun(values: n.Idx[n] =>
          zip(values)(generate(fun(i => i))) |> reduceSeq(fun(count, p =>
            count + select(p._1 == p._2)(1i32)(0i32)))(0i32)))",
        expect![[r#"
            void main_(int32_t *restrict output, int n, const int *restrict values) {
                int32_t count = 0;
                for (int i = 0; i < n; i++) {
                    count = (int32_t)((uint32_t)count + (values[i] == i ? 1 : 0));
                }
                output[0] = count;
            }
        "#]],
    );
}

#[test]
fn a_sum_of_floats_keeps_its_loop() {
    check(
        "def main = depFun((n: Nat, bins: Nat) => fun(values: n.Idx[bins] =>
          values |> reduceSeq(fun(counts, value =>
            zip(counts)(generate(fun(bin => bin))) |> mapSeq(fun(p =>
              p._1 + select(value == p._2)(1.0f)(0.0f)))))(
            generate(fun(bin: Idx[bins] => 0.0f)) |> mapSeq(id)) |> mapSeq(id)))",
        expect![[r#"
            void main_(float *restrict output, int n, int bins, const int *restrict values) {
                for (int i = 0; i < bins; i++) {
                    output[i] = 0.0f;
                }
                for (int i = 0; i < 4 * (n / 4); i += 4) {
                    for (int j = 0; j < bins; j++) {
                        output[j] = output[j] + (values[i] == j ? 1.0f : 0.0f)
                            + (values[i + 1] == j ? 1.0f : 0.0f) + (values[i + 2] == j ? 1.0f : 0.0f)
                            + (values[i + 3] == j ? 1.0f : 0.0f);
                    }
                }
                for (int i = 4 * (n / 4); i < n; i++) {
                    for (int j = 0; j < bins; j++) {
                        output[j] += values[i] == j ? 1.0f : 0.0f;
                    }
                }
            }
        "#]],
    );
}
