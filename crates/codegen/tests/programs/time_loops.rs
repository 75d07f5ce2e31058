//! Tests of `repeat`, `repeatInPlace` and `repeatWhile`.

use codegen::Target;
use expect_test::{Expect, expect};

use crate::function;

fn check(text: &str, expected: Expect) {
    let text = format!("def main = {text}");
    expected.assert_eq(&function(&text, "main", Target::C));
}

/// The arrays of a tuple have buffers of their own, which are exchanged together.
#[test]
fn a_tuple_of_arrays() {
    check(
        "depFun((n: Nat, m: Nat, k: Nat) => fun(xs: n.m.f32, ys: n.f32 =>
           (xs, ys) |> repeat(k)(fun(s =>
             (zip(s._1)(s._2) |> mapSeq(fun(p => p._1 |> mapSeq(fun(x => x + p._2)))), s._2 |> mapSeq(fun(y => y * 0.5f)))))))",
        expect![[r#"
            void main_(
                float *restrict output_1,
                float *restrict output_2,
                int n,
                int m,
                int k,
                const float *restrict xs,
                const float *restrict ys
            ) {
                assert(k >= 1 && "k >= 1");
                check_count("main: n*m", (double)n * m);
                const float *from = xs;
                float *ping = allocate((size_t)n * m, sizeof(float));
                float *into = ping;
                float *pong = allocate((size_t)n * m, sizeof(float));
                float *spare = pong;
                const float *from2 = ys;
                float *ping2 = allocate(n, sizeof(float));
                float *into2 = ping2;
                float *pong2 = allocate(n, sizeof(float));
                float *spare2 = pong2;
                for (int i = 0; i < k; i++) {
                    if (i == k - 1) {
                        into = output_1;
                        into2 = output_2;
                    }
                    {
                        const float *restrict now = from;
                        float *restrict next = into;
                        {
                            const float *restrict now2 = from2;
                            float *restrict next2 = into2;
                            for (int j = 0; j < n; j++) {
                                for (int l = 0; l < m; l++) {
                                    next[j * m + l] = now[j * m + l] + now2[j];
                                }
                            }
                            for (int j = 0; j < n; j++) {
                                next2[j] = now2[j] * 0.5f;
                            }
                        }
                    }
                    from = into;
                    float *kept = into;
                    into = spare;
                    spare = kept;
                    from2 = into2;
                    float *kept2 = into2;
                    into2 = spare2;
                    spare2 = kept2;
                }
                free(pong2);
                free(ping2);
                free(pong);
                free(ping);
            }
        "#]],
    );
}

/// A number beside an array is assigned after all that a round computes from it.
#[test]
fn an_array_and_a_number() {
    check(
        "depFun((n: Nat, k: Nat) => fun(xs: n.f32, y: f32 =>
           (y, xs) |> repeat(k)(fun(s => (s._1 * 0.5f, s._2 |> mapSeq(fun(x => x + s._1)))))))",
        expect![[r#"
            void main_(
                float *restrict output_1,
                float *restrict output_2,
                int n,
                int k,
                const float *restrict xs,
                float y
            ) {
                assert(k >= 1 && "k >= 1");
                const float *from = xs;
                float *ping = allocate(n, sizeof(float));
                float *into = ping;
                float *pong = allocate(n, sizeof(float));
                float *spare = pong;
                float s = y;
                for (int i = 0; i < k; i++) {
                    if (i == k - 1) {
                        into = output_2;
                    }
                    {
                        const float *restrict now = from;
                        float *restrict next = into;
                        const float next2 = s * 0.5f;
                        for (int j = 0; j < n; j++) {
                            next[j] = now[j] + s;
                        }
                        s = next2;
                    }
                    from = into;
                    float *kept = into;
                    into = spare;
                    spare = kept;
                }
                output_1[0] = s;
                free(pong);
                free(ping);
            }
        "#]],
    );
}

/// Few rounds over one array name their buffers.
#[test]
fn few_rounds() {
    check(
        "fun(xs: 8.f32 => xs |> repeat(2)(fun(ys =>
           ys |> padClamp(1)(1) |> slide(3)(1) |> mapSeq(reduceSeq(add)(0.0f)))))",
        expect![[r#"
            void main_(float *restrict output, const float *restrict xs) {
                float ping[8];
                for (int i = 0; i < 8; i++) {
                    float accum = 0.0f;
                    for (int j = 0; j < 3; j++) {
                        accum += xs[imin(7, j > -i ? i + j - 1 : 0)];
                    }
                    ping[i] = accum;
                }
                for (int i = 0; i < 8; i++) {
                    float accum = 0.0f;
                    for (int j = 0; j < 3; j++) {
                        accum += ping[imin(7, j > -i ? i + j - 1 : 0)];
                    }
                    output[i] = accum;
                }
            }
        "#]],
    );
}

/// A value without arrays needs no buffers.
#[test]
fn numbers() {
    check(
        "depFun(k: Nat => fun(x: i32 => ((x, 1) |> repeat(k)(fun(p => (p._2, p._1 + p._2))) |> toMem)._1))",
        expect![[r#"
            void main_(int32_t *restrict output, int k, int32_t x) {
                assert(k >= 1 && "k >= 1");
                int32_t tmp1 = x;
                int32_t tmp2 = 1;
                for (int i = 0; i < k; i++) {
                    const int32_t next = (int32_t)((uint32_t)tmp1 + tmp2);
                    tmp1 = tmp2;
                    tmp2 = next;
                }
                output[0] = tmp1;
            }
        "#]],
    );
}

/// The rounds work in the output, also if there are none.
#[test]
fn in_place() {
    check(
        "depFun((n: Nat, k: Nat) => fun(xs: n.f32, ys: n.f32 =>
           xs |> mapSeq(id) |> repeatInPlace(k)(fun(zs => zip(zs)(ys) |> mapSeq(fun(p => p._1 * p._2 + 1.0f))))))",
        expect![[r#"
            void main_(
                float *restrict output,
                int n,
                int k,
                const float *restrict xs,
                const float *restrict ys
            ) {
                for (int i = 0; i < n; i++) {
                    output[i] = xs[i];
                }
                for (int i = 0; i < 4 * (k / 4); i += 4) {
                    for (int j = 0; j < n; j++) {
                        output[j] = (((output[j] * ys[j] + 1.0f) * ys[j] + 1.0f) * ys[j] + 1.0f) * ys[j] + 1.0f;
                    }
                }
                for (int i = 4 * (k / 4); i < k; i++) {
                    for (int j = 0; j < n; j++) {
                        output[j] = output[j] * ys[j] + 1.0f;
                    }
                }
            }
        "#]],
    );
}

/// The rounds work in the memory in which the result is read.
#[test]
fn in_place_in_memory() {
    check(
        "depFun((n: Nat, k: Nat) => fun(xs: n.f32 =>
           xs |> mapSeq(id) |> repeatInPlace(k)(mapSeq(fun(x => sqrt(x)))) |> toMem |> reduceSeq(add)(0.0f)))",
        expect![[r#"
            void main_(float *restrict output, int n, int k, const float *restrict xs) {
                float *tmp = allocate(n, sizeof(float));
                for (int i = 0; i < n; i++) {
                    tmp[i] = xs[i];
                }
                for (int i = 0; i < 4 * (k / 4); i += 4) {
                    for (int j = 0; j < n; j++) {
                        tmp[j] = sqrtf(sqrtf(sqrtf(sqrtf(tmp[j]))));
                    }
                }
                for (int i = 4 * (k / 4); i < k; i++) {
                    for (int j = 0; j < n; j++) {
                        tmp[j] = sqrtf(tmp[j]);
                    }
                }
                float accum = 0.0f;
                for (int i = 0; i < n; i++) {
                    accum += tmp[i];
                }
                output[0] = accum;
                free(tmp);
            }
        "#]],
    );
}

/// An inner `repeatInPlace` works in the accumulator of a reduction.
#[test]
fn in_place_of_an_accumulator() {
    check(
        "depFun((n: Nat, m: Nat, k: Nat) => fun(xs: m.f32, ys: n.f32 =>
           ys
             |> reduceSeq(fun(acc, y => acc |> repeatInPlace(k)(mapSeq(fun(x => sqrt(x) * y)))))(xs |> mapSeq(id))
             |> mapSeq(id)))",
        expect![[r#"
            void main_(
                float *restrict output,
                int n,
                int m,
                int k,
                const float *restrict xs,
                const float *restrict ys
            ) {
                for (int i = 0; i < m; i++) {
                    output[i] = xs[i];
                }
                for (int i = 0; i < n; i++) {
                    for (int j = 0; j < 4 * (k / 4); j += 4) {
                        for (int l = 0; l < m; l++) {
                            output[l] = sqrtf(sqrtf(sqrtf(sqrtf(output[l]) * ys[i]) * ys[i]) * ys[i]) * ys[i];
                        }
                    }
                    for (int j = 4 * (k / 4); j < k; j++) {
                        for (int l = 0; l < m; l++) {
                            output[l] = sqrtf(output[l]) * ys[i];
                        }
                    }
                }
            }
        "#]],
    );
}

/// The loop ends where the condition is false.
#[test]
fn while_a_condition_holds() {
    check(
        "fun(x: i32 => x |> repeatWhile(100)(fun(y => y < 1000))(fun(y => y * 2)))",
        expect![[r#"
            void main_(pair_int_i32 *restrict output, int32_t x) {
                int32_t y = x;
                int rounds = 0;
                for (int i = 0; i < 100 && y < 1000; i++) {
                    y = (int32_t)((uint32_t)y * 2);
                    rounds = i + 1;
                }
                output[0]._1 = rounds;
                output[0]._2 = y;
            }
        "#]],
    );
}

/// A condition that needs a loop is computed before the first round and after each one.
#[test]
fn while_a_sum_is_large() {
    check(
        "depFun(n: Nat => fun(xs: n.f32 =>
           let r = xs |> repeatWhile(50)(fun(ys => (ys |> reduceSeq(add)(0.0f)) > 1.0f))(mapSeq(fun(x => x * 0.5f))) in
           (r._1, r._2 |> mapSeq(id))))",
        expect![[r#"
            void main_(int *restrict output_1, float *restrict output_2, int n, const float *restrict xs) {
                const float *from = xs;
                float *ping = allocate(n, sizeof(float));
                float *into = ping;
                float *pong = allocate(n, sizeof(float));
                float *spare = pong;
                int rounds = 0;
                float accum = 0.0f;
                for (int i = 0; i < n; i++) {
                    accum += from[i];
                }
                bool continues = accum > 1.0f;
                for (int i = 0; i < 50 && continues; i++) {
                    {
                        const float *restrict now = from;
                        float *restrict next = into;
                        for (int j = 0; j < n; j++) {
                            next[j] = now[j] * 0.5f;
                        }
                    }
                    from = into;
                    float *kept = into;
                    into = spare;
                    spare = kept;
                    rounds = i + 1;
                    float accum2 = 0.0f;
                    for (int j = 0; j < n; j++) {
                        accum2 += from[j];
                    }
                    continues = accum2 > 1.0f;
                }
                output_1[0] = rounds;
                for (int i = 0; i < n; i++) {
                    output_2[i] = from[i];
                }
                free(pong);
                free(ping);
            }
        "#]],
    );
}

/// A loop over elements ends early only if nothing depends on its counter.
#[test]
fn conditions_of_other_loops_stay() {
    check(
        "depFun(n: Nat => fun(xs: n.f32 =>
           xs |> reduceSeq(fun(a, x => select(a < x)(a + 1.0f)(a)))(0.0f)))",
        expect![[r#"
            void main_(float *restrict output, int n, const float *restrict xs) {
                float a = 0.0f;
                for (int i = 0; i < n; i++) {
                    a += a < xs[i] ? 1.0f : 0.0f;
                }
                output[0] = a;
            }
        "#]],
    );
}
