//! Tests operand packing and loop interchange: which operands of accumulations are stored, and which
//! loops are exchanged so that the iterations of the inner one share an operand.

use codegen::Target;
use expect_test::{Expect, expect};

use crate::function;

fn check(text: &str, expected: Expect) {
    let text = format!("def main = {text}");
    expected.assert_eq(&function(&text, "main", Target::C));
}

/// The sums of rows of an image with a border, for several weights.
fn sums(height: &str, rows: &str) -> String {
    format!(
        "depFun((n: Nat, h: Nat, w: Nat) => fun(weights: n.3.f32, image: ({height}).w.f32 =>
           weights |> mapSeq(fun(weight =>
             {rows}
               |> slide(3)(1)
               |> mapSeq(fun(rows =>
                 zip(weight)(rows)
                   |> reduceSeq(fun(acc, p => zip(acc)(p._2) |> mapSeq(fun(q => q._1 + p._1 * q._2))))(
                     generate(fun(i => 0.0f)) |> mapSeq(fun(x => x)))
                   |> mapSeq(fun(x => x))))))))"
    )
}

/// The loop over the weights is inside the one over the rows, whose border is computed once.
#[test]
fn operands_with_conditions_are_stored() {
    check(
        &sums("h", "image |> padCst(1)(1)(generate(fun(i => 0.0f)))"),
        expect![[r#"
            void main_(
                float *restrict output,
                int n,
                int h,
                int w,
                const float *restrict weights,
                const float *restrict image
            ) {
                assert(h >= 1 && "h >= 1");
                check_count("main: n*3", (double)3 * n);
                check_count("main: n*h*w", (double)n * h * w);
                check_count("main: h*w", (double)h * w);
                check_count("main: w*3", (double)3 * w);
                float *packed = allocate((size_t)3 * w, sizeof(float));
                for (int i = 0; i < h; i++) {
                    if (n > 0) {
                        for (int j = 0; j < 3; j++) {
                            if (j >= 1 - i && j < h - i + 1) {
                                for (int k = 0; k < w; k++) {
                                    packed[j * w + k] = image[(i + j - 1) * w + k];
                                }
                            } else {
                                for (int k = 0; k < w; k++) {
                                    packed[j * w + k] = 0.0f;
                                }
                            }
                        }
                    }
                    for (int j = 0; j < n; j++) {
                        float *row = &output[(j * h + i) * w];
                        for (int k = 0; k < w; k++) {
                            row[k] = 0.0f;
                        }
                        for (int k = 0; k < 3; k++) {
                            for (int l = 0; l < w; l++) {
                                row[l] += weights[3 * j + k] * packed[k * w + l];
                            }
                        }
                    }
                }
                free(packed);
            }
        "#]],
    );
}

/// An operand without conditions is not stored.
#[test]
fn operands_without_conditions_are_left_alone() {
    check(
        &sums("h + 2", "image"),
        expect![[r#"
        void main_(
            float *restrict output,
            int n,
            int h,
            int w,
            const float *restrict weights,
            const float *restrict image
        ) {
            assert(h >= 1 && "h >= 1");
            check_count("main: n*3", (double)3 * n);
            check_count("main: n*h*w", (double)n * h * w);
            check_count("main: h*w + w*2", ((double)h + 2) * w);
            for (int i = 0; i < h; i++) {
                for (int j = 0; j < n; j++) {
                    float *row = &output[(j * h + i) * w];
                    for (int k = 0; k < w; k++) {
                        row[k] = 0.0f;
                    }
                    for (int k = 0; k < 3; k++) {
                        for (int l = 0; l < w; l++) {
                            row[l] += weights[3 * j + k] * image[(i + k) * w + l];
                        }
                    }
                }
            }
        }
    "#]],
    );
}

/// The windows of a whole signal would take three times its memory.
#[test]
fn operands_of_whole_arrays_are_left_alone() {
    check(
        "depFun((n: Nat, w: Nat) => fun(weights: n.3.f32, signal: w.f32 =>
           weights |> mapSeq(fun(weight =>
             zip(weight)(signal |> padCst(1)(1)(0.5f) |> slide(3)(1) |> transpose)
               |> reduceSeq(fun(acc, p => zip(acc)(p._2) |> mapSeq(fun(q => q._1 + p._1 * q._2))))(
                 generate(fun(i => 0.0f)) |> mapSeq(fun(x => x)))
               |> mapSeq(fun(x => x))))))",
        expect![[r#"
            void main_(
                float *restrict output,
                int n,
                int w,
                const float *restrict weights,
                const float *restrict signal
            ) {
                assert(w >= 1 && "w >= 1");
                check_count("main: n*3", (double)3 * n);
                check_count("main: n*w", (double)n * w);
                for (int i = 0; i < n; i++) {
                    for (int j = 0; j < w; j++) {
                        output[i * w + j] = 0.0f;
                    }
                    for (int j = 0; j < 3; j++) {
                        const int edge = j > 0 ? 0 : 1 - j;
                        const int end = j < 2 ? w : w - j + 1;
                        if (edge > 0) {
                            output[i * w] += weights[3 * i + j] * 0.5f;
                        }
                        for (int k = edge; k < end; k++) {
                            output[i * w + k] += weights[3 * i + j] * signal[j + k - 1];
                        }
                        if (end < w) {
                            output[(i + 1) * w - j + 1] += weights[3 * i + j] * 0.5f;
                        }
                    }
                }
            }
        "#]],
    );
}
