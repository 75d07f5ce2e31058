//! Tests well-known programs.

use codegen::Target;
use expect_test::{Expect, expect};

use crate::function;

fn check(text: &str, expected: Expect) {
    let text = format!("def main = {text}");
    expected.assert_eq(&function(&text, "main", Target::C));
}

#[test]
fn dot_product() {
    check(
        "depFun(n: Nat => fun(xs: n.f32, ys: n.f32 =>
           zip(xs)(ys) |> map(fun(p => p._1 * p._2)) |> reduceSeq(add)(0.0f)))",
        expect![[r#"
            void main_(float *restrict output, int n, const float *restrict xs, const float *restrict ys) {
                float accum = 0.0f;
                for (int i = 0; i < n; i++) {
                    accum += xs[i] * ys[i];
                }
                output[0] = accum;
            }
        "#]],
    );
}

/// Tests figure 6 of the Lift paper: the result is its line 3, not line 1.
#[test]
fn transposition_by_split_join_and_reorder() {
    check(
        "depFun((n: Nat, m: Nat) => fun(x: n.m.f32 =>
           x |> join |> reorder(n*m)(natFun(i => i/n + (i%n)*m))(natFun(i => i/m + (i%m)*n)) |> split(n)
             |> mapSeq(mapSeq(id))))",
        expect![[r#"
            void main_(float *restrict output, int n, int m, const float *restrict x) {
                assert(n >= 1 && "n >= 1");
                assert(m >= 1 && "m >= 1");
                check_count("main: n*m", (double)n * m);
                for (int tile = 0; tile < 16 * (m / 16); tile += 16) {
                    for (int j = 0; j < n; j++) {
                        for (int k = tile; k < tile + 16; k++) {
                            output[k * n + j] = x[j * m + k];
                        }
                    }
                }
                for (int i = 16 * (m / 16); i < m; i++) {
                    for (int j = 0; j < n; j++) {
                        output[i * n + j] = x[j * m + i];
                    }
                }
            }
        "#]],
    );
}

#[test]
fn matrix_vector_product() {
    check(
        "depFun((n: Nat, m: Nat) => fun((M: n.m.f32, x: m.f32) =>
           M |> mapSeq(fun(row => zip(row)(x) |> map(fun(p => p._1 * p._2)) |> reduceSeq(add)(0.0f)))))",
        expect![[r#"
            void main_(float *restrict output, int n, int m, const float *restrict M, const float *restrict x) {
                check_count("main: n*m", (double)n * m);
                for (int i = 0; i < 4 * (n / 4); i += 4) {
                    float accum = 0.0f;
                    float accum2 = 0.0f;
                    float accum3 = 0.0f;
                    float accum4 = 0.0f;
                    for (int j = 0; j < m; j++) {
                        accum += M[i * m + j] * x[j];
                        accum2 += M[(i + 1) * m + j] * x[j];
                        accum3 += M[(i + 2) * m + j] * x[j];
                        accum4 += M[(i + 3) * m + j] * x[j];
                    }
                    output[i] = accum;
                    output[i + 1] = accum2;
                    output[i + 2] = accum3;
                    output[i + 3] = accum4;
                }
                for (int i = 4 * (n / 4); i < n; i++) {
                    float accum = 0.0f;
                    for (int j = 0; j < m; j++) {
                        accum += M[i * m + j] * x[j];
                    }
                    output[i] = accum;
                }
            }
        "#]],
    );
}

#[test]
fn stencils_read_by_rows() {
    check(
        "depFun((n: Nat, m: Nat, o: Nat) => fun(g: (n + 2).(m + 2).(o + 2).f32 =>
           g |> slide3D(3)(1) |> mapSeq(mapSeq(mapSeq(fun(w => w |> idx(1) |> idx(1) |> idx(2)))))))",
        expect![[r#"
            void main_(float *restrict output, int n, int m, int o, const float *restrict g) {
                assert(n >= 1 && "n >= 1");
                assert(m >= 1 && "m >= 1");
                assert(o >= 1 && "o >= 1");
                check_count("main: n*m*o + n*m*2 + n*o*2 + m*o*2 + n*4 + m*4 + o*4 + 8",
                        (((double)o + 2) * m + (double)2 * o + 4) * n + ((double)2 * o + 4) * m + (double)4 * o
                        + 8);
                for (int i = 0; i < n; i++) {
                    for (int j = 0; j < m; j++) {
                        for (int k = 0; k < o; k++) {
                            output[(i * m + j) * o + k] = g[((i + 1) * (m + 2) + j + 1) * (o + 2) + k + 2];
                        }
                    }
                }
            }
        "#]],
    );
}

#[test]
fn edges_are_clamped_and_padded() {
    check(
        "depFun(n: Nat => fun(xs: n.f32 =>
           zip(xs |> padClamp(0)(1) |> drop(1))(xs |> padCst(1)(0)(0.0f) |> take(n))
             |> mapSeq(fun(p => p._1 - p._2))))",
        expect![[r#"
            void main_(float *restrict output, int n, const float *restrict xs) {
                assert(n >= 1 && "n >= 1");
                output[0] = xs[imin(1, n - 1)] - 0.0f;
                for (int i = 1; i < n - 1; i++) {
                    output[i] = xs[i + 1] - xs[i - 1];
                }
                if (n > 1) {
                    output[n - 1] = xs[n - 1] - xs[n - 2];
                }
            }
        "#]],
    );
}

#[test]
fn memory_between_two_loops() {
    check(
        "depFun(n: Nat => fun(xs: n.f32 =>
           xs |> mapSeq(fun(x => x + 1.0f)) |> toMem |> mapSeq(fun(x => x * x))))",
        expect![[r#"
            void main_(float *restrict output, int n, const float *restrict xs) {
                float *tmp = allocate(n, sizeof(float));
                for (int i = 0; i < n; i++) {
                    tmp[i] = xs[i] + 1.0f;
                }
                for (int i = 0; i < n; i++) {
                    output[i] = tmp[i] * tmp[i];
                }
                free(tmp);
            }
        "#]],
    );
}

#[test]
fn prefix_sums() {
    check(
        "depFun(n: Nat => fun(xs: n.f32 => xs |> scanSeq(add)(0.0f)))",
        expect![[r#"
            void main_(float *restrict output, int n, const float *restrict xs) {
                float accum = 0.0f;
                for (int i = 0; i < n; i++) {
                    accum += xs[i];
                    output[i] = accum;
                }
            }
        "#]],
    );
}

/// The size of every round is a multiple of 16, because the first size is.
#[test]
fn iterate_over_blocks() {
    check(
        "depFun((n: Nat, k: Nat) => fun(xs: (16 * n).f32 =>
           xs |> iterate(k)(depFun(l: Nat => fun(ys =>
             ys |> split(16) |> mapSeq(mapSeq(fun(y => 0.5f * y))) |> join |> reorderWithStride(16))))))",
        expect![[r#"
            void main_(float *restrict output, int n, int k, const float *restrict xs) {
                assert(k >= 1 && "k >= 1");
                check_count("main: n*16", (double)16 * n);
                const float *from = xs;
                float *ping = allocate((size_t)16 * n, sizeof(float));
                float *into = ping;
                float *pong = allocate((size_t)16 * n, sizeof(float));
                float *spare = pong;
                for (int i = 0; i < k; i++) {
                    if (i == k - 1) {
                        into = output;
                    }
                    {
                        const float *restrict now = from;
                        float *restrict next = into;
                        for (int j = 0; j < n; j++) {
                            for (int l = 0; l < 16; l++) {
                                next[l * n + j] = 0.5f * now[16 * j + l];
                            }
                        }
                    }
                    from = into;
                    float *kept = into;
                    into = spare;
                    spare = kept;
                }
                free(pong);
                free(ping);
            }
        "#]],
    );
}

#[test]
fn tree_reduction_with_two_buffers() {
    check(
        "depFun(k: Nat => fun(xs: (2^k).f32 =>
           xs |> iterate(k)(depFun(l: Nat => fun(part => part |> split(2) |> mapSeq(reduceSeq(add)(0.0f)))))))",
        expect![[r#"
            void main_(float *restrict output, int k, const float *restrict xs) {
                assert(k >= 1 && "k >= 1");
                check_count("main: 2^k", pow_real(2, k));
                const float *from = xs;
                float *ping = allocate((size_t)1 << (k - 1), sizeof(float));
                float *into = ping;
                float *pong = allocate(((size_t)1 << (k - 1)) / 2, sizeof(float));
                float *spare = pong;
                for (int i = 0; i < k; i++) {
                    if (i == k - 1) {
                        into = output;
                    }
                    {
                        const float *restrict now = from;
                        float *restrict next = into;
                        for (int j = 0; j < (1 << (k - 1 - i)); j++) {
                            float accum = 0.0f;
                            for (int l = 0; l < 2; l++) {
                                accum += now[2 * j + l];
                            }
                            next[j] = accum;
                        }
                    }
                    from = into;
                    float *kept = into;
                    into = spare;
                    spare = kept;
                }
                free(pong);
                free(ping);
            }
        "#]],
    );
}

#[test]
fn few_small_iterations_are_unrolled() {
    check(
        "depFun(n: Nat => fun(xs: n.8.f32 =>
           xs |> mapSeq(iterate(3)(depFun(l: Nat => fun(part => part |> split(2) |> mapSeq(reduceSeqUnroll(add)(0.0f))))))))",
        expect![[r#"
            void main_(float *restrict output, int n, const float *restrict xs) {
                check_count("main: n*8", (double)8 * n);
                for (int i = 0; i < n; i++) {
                    float ping[4];
                    for (int j = 0; j < 4; j++) {
                        ping[j] = 0.0f + xs[8 * i + 2 * j] + xs[8 * i + 2 * j + 1];
                    }
                    float pong[2];
                    for (int j = 0; j < 2; j++) {
                        pong[j] = 0.0f + ping[2 * j] + ping[2 * j + 1];
                    }
                    output[i] = 0.0f + pong[0] + pong[1];
                }
            }
        "#]],
    );
}

#[test]
fn one_iteration_needs_no_buffer() {
    check(
        "depFun(n: Nat => fun(xs: (n * 3).f32 =>
           xs |> iterate(1)(depFun(l: Nat => fun(part => part |> split(3) |> mapSeq(reduceSeqUnroll(add)(0.0f)))))))",
        expect![[r#"
            void main_(float *restrict output, int n, const float *restrict xs) {
                check_count("main: n*3", (double)3 * n);
                for (int i = 0; i < n; i++) {
                    output[i] = 0.0f + xs[3 * i] + xs[3 * i + 1] + xs[3 * i + 2];
                }
            }
        "#]],
    );
}

#[test]
fn a_ring_of_three_for_a_stream() {
    check(
        "depFun(n: Nat => fun(xs: (n+2).f32 =>
           xs |> circularBuffer(3)(3)(fun(x => x * 2.0f)) |> iterateStream(fun(w => w |> reduceSeq(add)(0.0f)))))",
        expect![[r#"
            void main_(float *restrict output, int n, const float *restrict xs) {
                check_count("main: n + 2", (double)n + 2);
                float ring[3];
                for (int i = 0; i < 2; i++) {
                    ring[i] = xs[i] * 2.0f;
                }
                for (int i = 0; i < n; i++) {
                    ring[(i + 2) % 3] = xs[i + 2] * 2.0f;
                    float accum = 0.0f;
                    for (int j = 0; j < 3; j++) {
                        accum += ring[(i + j) % 3];
                    }
                    output[i] = accum;
                }
            }
        "#]],
    );
}

#[test]
fn vectors_of_four() {
    check(
        "depFun(n: Nat => fun((xs: (4*n).f32, a: f32) =>
           xs |> asVectorAligned(4) |> mapSeq(fun(v => v * vectorFromScalar(a))) |> asScalar))",
        expect![[r#"
            void main_(float *restrict output, int n, const float *restrict xs, float a) {
                check_count("main: n*4", (double)4 * n);
                for (int i = 0; i < n; i++) {
                    *(f32x4u *)&output[4 * i] = *(const f32x4u *)&xs[4 * i] * a;
                }
            }
        "#]],
    );
}

#[test]
fn an_array_that_is_repeated() {
    check(
        "depFun((n: Nat, m: Nat) => fun(xs: n.f32 => xs |> cycle(m) |> mapSeq(fun(x => x + 1.0f))))",
        expect![[r#"
            void main_(float *restrict output, int n, int m, const float *restrict xs) {
                assert(n >= imin(1, m) && "n >= min(1, m)");
                for (int i = 0; i < m; i++) {
                    output[i] = xs[i % n] + 1.0f;
                }
            }
        "#]],
    );
}

#[test]
fn a_triangle() {
    check(
        "depFun(n: Nat => fun(rows: n..dataFun(i => (i+1).f32) =>
           rows |> depMapSeq(depFun(k: Nat => fun(row => row |> mapSeq(fun(x => x + 1.0f))))) |> depJoin))",
        expect![[r#"
            void main_(float *restrict output, int n, const float *restrict rows) {
                check_count("main: n + (n^2-n)/2", ((int64_t)n + 1) * n / 2);
                for (int i = 0; i < n; i++) {
                    for (int j = 0; j < i + 1; j++) {
                        output[(int64_t)i * (i + 1) / 2 + j] = rows[(int64_t)i * (i + 1) / 2 + j] + 1.0f;
                    }
                }
            }
        "#]],
    );
}

#[test]
fn threads() {
    let text = "def main = depFun((n: Nat, m: Nat) => fun(xss: n.m.f32 =>
      xss |> mapPar(fun(row => row |> reduceSeq(add)(0.0f)))))";
    expect![[r#"
        void main_(float *restrict output, int n, int m, const float *restrict xss) {
            check_count("main: n*m", (double)n * m);
            #pragma omp parallel for
            for (int i = 0; i < 4 * (n / 4); i += 4) {
                float accum = 0.0f;
                float accum2 = 0.0f;
                float accum3 = 0.0f;
                float accum4 = 0.0f;
                for (int j = 0; j < m; j++) {
                    accum += xss[i * m + j];
                    accum2 += xss[(i + 1) * m + j];
                    accum3 += xss[(i + 2) * m + j];
                    accum4 += xss[(i + 3) * m + j];
                }
                output[i] = accum;
                output[i + 1] = accum2;
                output[i + 2] = accum3;
                output[i + 3] = accum4;
            }
            for (int i = 4 * (n / 4); i < n; i++) {
                float accum = 0.0f;
                for (int j = 0; j < m; j++) {
                    accum += xss[i * m + j];
                }
                output[i] = accum;
            }
        }
    "#]]
    .assert_eq(&function(text, "main", Target::OpenMp));
}

/// Values of `natType` are not indices: they wrap at 32 bits, and division truncates.
#[test]
fn sizes_as_values() {
    check(
        "depFun(n: Nat => fun(x: i32 =>
           (generate(fun(i => (indexAsNat(i) - n) % n + n * n)) : n.natType) |> mapSeq(id)))",
        expect![[r#"
            void main_(int *restrict output, int n, int32_t x) {
                (void)x;
                for (int i = 0; i < n; i++) {
                    output[i] = (int)((uint32_t)mod_int((int)((uint32_t)i - n), n) + (uint32_t)n * n);
                }
            }
        "#]],
    );
}

/// Sums with a closed form are replaced by it, others are errors at their position.
#[test]
fn sums_as_values() {
    check(
        "depFun(n: Nat => fun(x: i32 => x + cast(sum(i, 0, n, i * i))))",
        expect![[r#"
            void main_(int32_t *restrict output, int n, int32_t x) {
                output[0] = (int32_t)((uint32_t)x + (int32_t)((((int64_t)2 * n - 3) * n + 1) * n / 6));
            }
        "#]],
    );
}
