//! Tests the programs of the papers.

use expect_test::{Expect, expect};

use crate::{kernels, module};

fn check(text: &str, name: &str, expected: Expect) {
    expected.assert_eq(&kernels(text, name));
}

const MV: &str = "def mvOpt = depFun((n: Nat, m: Nat, s: Nat) =>
  fun(M: Array[n, Array[m, f32]] =>
    fun(x: Array[m, f32] =>
      M |> split(s) |> mapWorkGroup(fun(rows =>
        rows |> mapLocal(fun(row =>
          zip(row)(x) |>
            reduceSeq(Private)(fun(acc, ax =>
              acc + (fst(ax) * snd(ax))))(0.0f) ))
      )) |> join
    )) )";

/// The program of RISE & Shine, listings 4 and 11.
#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn matrix_vector_product() {
    check(
        MV,
        "mvOpt",
        expect![[r#"
        #pragma OPENCL FP_CONTRACT OFF

        /* mvOpt : (n: Nat) -> (m: Nat) -> (s: Nat) -> n.m.f32 -> m.f32 -> n.f32
           where s divides n */
        kernel void mvOpt(
            global float *restrict output,
            int n,
            int m,
            int s,
            global const float *restrict M,
            global const float *restrict x
        ) {
            for (int wgId = get_group_id(0); wgId < n / s; wgId += get_num_groups(0)) {
                for (int lId = get_local_id(0); lId < s; lId += get_local_size(0)) {
                    float acc = 0.0f;
                    for (int l = 0; l < m; l++) {
                        acc += M[(wgId * s + lId) * m + l] * x[l];
                    }
                    output[wgId * s + lId] = acc;
                }
            }
        }
    "#]],
    );
}

/// The same program with constant sizes: all loops are eliminated.
#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn known_launch_sizes() {
    let text = MV
        .replace("s: Nat", "k: Nat")
        .replace("split(s)", "split(64)")
        .replace(
            "def mvOpt",
            "@opencl(local = [64], global = [n])\ndef mvOpt",
        );
    check(
        &text,
        "mvOpt",
        expect![[r#"
            #pragma OPENCL FP_CONTRACT OFF

            /* mvOpt : (n: Nat) -> (m: Nat) -> (k: Nat) -> n.m.f32 -> m.f32 -> n.f32
               where 64 divides n */
            __attribute__((work_group_size_hint(64, 1, 1)))
            kernel void mvOpt(
                global float *restrict output,
                int n,
                int m,
                int k,
                global const float *restrict M,
                global const float *restrict x
            ) {
                (void)n;
                (void)k;
                const int wg = get_group_id(0);
                const int lid = get_local_id(0);
                float acc = 0.0f;
                for (int l = 0; l < m; l++) {
                    acc += M[(64 * wg + lid) * m + l] * x[l];
                }
                output[64 * wg + lid] = acc;
            }
        "#]],
    );
}

/// The program of Lift's listing 1 and figure 7.
#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn partial_dot_product() {
    let text = "@opencl(local = [64], global = [n / 2])
def partialDot = depFun(n: Nat =>
  fun(x: Array[n, f32] => fun(y: Array[n, f32] =>
    zip(x)(y) |> split(128) |> mapWorkGroup(fun(chunk =>
      chunk
        |> split(2) |> mapLocal(reduceSeq(Private)(fun(acc, xy => acc + fst(xy) * snd(xy)))(0.0f)) |> toMem(Local)
        |> iterate(Local)(6)(depFun(l: Nat => fun(part =>
             part |> split(2) |> mapLocal(reduceSeq(Private)(add)(0.0f)) ))) |> toMem(Local)
        |> mapLocal(id)
    )) |> join )))";
    check(
        text,
        "partialDot",
        expect![[r#"
            #pragma OPENCL FP_CONTRACT OFF

            /* partialDot : (n: Nat) -> n.f32 -> n.f32 -> (n/128).f32
               where 128 divides n */
            __attribute__((work_group_size_hint(64, 1, 1)))
            kernel void partialDot(
                global float *restrict output,
                int n,
                global const float *restrict x,
                global const float *restrict y
            ) {
                (void)n;
                const int wg = get_group_id(0);
                const int lid = get_local_id(0);
                local float tmp[1];
                local float tmp2[64];
                local float ping[32];
                local float pong[16];
                float acc = 0.0f;
                for (int k = 0; k < 2; k++) {
                    acc += x[128 * wg + 2 * lid + k] * y[128 * wg + 2 * lid + k];
                }
                tmp2[lid] = acc;
                local const float *from = tmp2;
                local float *into = ping;
                local float *spare = pong;
                for (int k = 0; k < 6; k++) {
                    barrier(CLK_LOCAL_MEM_FENCE);
                    if (k == 5) {
                        into = tmp;
                    }
                    {
                        local const float *restrict now = from;
                        local float *restrict next = into;
                        if (lid < ((long)1 << (5 - k))) {
                            float accum = 0.0f;
                            for (int l = 0; l < 2; l++) {
                                accum += now[2 * lid + l];
                            }
                            next[lid] = accum;
                        }
                    }
                    from = into;
                    local float *kept = into;
                    into = spare;
                    spare = kept;
                }
                if (lid < 1) {
                    output[wg] = tmp[0];
                }
            }
        "#]],
    );
    let module = module(text, "partialDot").expect("a kernel");
    assert!(module.barriers.len() <= 7, "{}", module.text);
}
