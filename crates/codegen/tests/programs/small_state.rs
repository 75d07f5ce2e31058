//! Tests of iterations over a small state, which is kept in scalar variables.

use codegen::Target;
use expect_test::{Expect, expect};

use crate::function;

fn check(text: &str, expected: Expect) {
    let text = format!("def main = {text}");
    expected.assert_eq(&function(&text, "main", Target::C));
}

/// One condition selects both components, and is one statement.
#[test]
fn a_tuple() {
    check(
        "depFun(k: Nat => fun(x: f32 =>
           makeArray(1)((x, 0)) |> iterate(k)(depFun(l: Nat => mapSeq(fun(p: (f32, i32) =>
             select(p._1 <= 4.0f)((p._1 * p._1, p._2 + 1))(p)))))))",
        expect![[r#"
            void main_(pair_f32_i32 *restrict output, int k, float x) {
                assert(k >= 1 && "k >= 1");
                float state1 = x;
                int32_t state2 = 0;
                for (int i = 0; i < k; i++) {
                    int32_t next2;
                    float next1;
                    if (state1 <= 4.0f) {
                        next1 = state1 * state1;
                        next2 = (int32_t)((uint32_t)state2 + 1);
                    } else {
                        next1 = state1;
                        next2 = state2;
                    }
                    state1 = next1;
                    state2 = next2;
                }
                output[0] = (pair_f32_i32){state1, state2};
            }
        "#]],
    );
}

/// Loops over the elements are unrolled; an element that is computed from the other ones sees their
/// values before the iteration.
#[test]
fn three_elements() {
    check(
        "depFun(k: Nat => fun(xs: 3.f32 =>
           xs |> iterate(k)(depFun(l: Nat => fun(ys => ys |> padClamp(1)(0) |> slide(2)(1) |> mapSeq(reduceSeqUnroll(add)(0.0f)))))))",
        expect![[r#"
            void main_(float *restrict output, int k, const float *restrict xs) {
                assert(k >= 1 && "k >= 1");
                float state0 = xs[0];
                float state1 = xs[1];
                float state2 = xs[2];
                for (int i = 0; i < k; i++) {
                    const float accum = 0.0f + state0 + state1;
                    const float accum2 = 0.0f + state1 + state2;
                    state0 += 0.0f + state0;
                    state1 = accum;
                    state2 = accum2;
                }
                output[0] = state0;
                output[1] = state1;
                output[2] = state2;
            }
        "#]],
    );
}

/// A state of many elements stays in two buffers.
#[test]
fn five_elements() {
    check(
        "depFun(k: Nat => fun(xs: 5.f32 => xs |> iterate(k)(depFun(l: Nat => mapSeq(fun(x => x * 2.0f))))))",
        expect![[r#"
            void main_(float *restrict output, int k, const float *restrict xs) {
                assert(k >= 1 && "k >= 1");
                const float *from = xs;
                float ping[5];
                float *into = ping;
                float pong[5];
                float *spare = pong;
                for (int i = 0; i < k; i++) {
                    if (i == k - 1) {
                        into = output;
                    }
                    {
                        const float *restrict now = from;
                        float *restrict next = into;
                        for (int j = 0; j < 5; j++) {
                            next[j] = now[j] * 2.0f;
                        }
                    }
                    from = into;
                    float *kept = into;
                    into = spare;
                    spare = kept;
                }
            }
        "#]],
    );
}
