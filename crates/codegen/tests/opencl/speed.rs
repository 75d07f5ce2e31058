//! Tests the properties of kernels that make the code of device compilers fast.

use expect_test::{Expect, expect};

use crate::{kernels, module};

/// Compares the kernels, without the declarations before them.
fn check(text: &str, expected: Expect) {
    let text = kernels(text, "main");
    let start = text.find("__attribute__").or(text.find("kernel void"));
    expected.assert_eq(&text[start.unwrap_or(0)..]);
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn loops_count_in_the_steps_of_their_data() {
    check(
        "@opencl(local = [64], global = [64])
         def main = depFun(n: Nat => fun(xs: n.f32 =>
           xs |> split(64) |> transpose |> mapGlobal(reduceSeq(Private)(add)(0.0f))))",
        expect![[r#"
            __attribute__((work_group_size_hint(64, 1, 1)))
            kernel void main_(global float *restrict output, int n, global const float *restrict xs) {
                const int gid = get_global_id(0);
                float accum = 0.0f;
                for (int j = 0; j < n; j += 64) {
                    accum += xs[j + gid];
                }
                output[gid] = accum;
            }
        "#]],
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn vectors_stay_aligned_in_such_loops() {
    check(
        "@opencl(local = [32], global = [32])
         def main = depFun(n: Nat => fun(xs: n.f32 =>
           xs |> asVectorAligned(4) |> split(32) |> transpose
             |> mapGlobal(reduceSeq(Private)(fun(a, x => a + x))(vectorFromScalar(0.0f)))
             |> asScalar))",
        expect![[r#"
            __attribute__((reqd_work_group_size(32, 1, 1)))
            kernel void main_(global float *restrict output, int n, global const float *restrict xs) {
                const int gid = get_global_id(0);
                float4 a = (float4)(0.0f);
                for (int j = 0; j < n; j += 128) {
                    a += *(global const float4 *)&xs[4 * gid + j];
                }
                *(global float4 *)&output[4 * gid] = a;
            }
        "#]],
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn loops_whose_counters_stand_alone_count_one_by_one() {
    check(
        "@opencl(local = [64], global = [64])
         def main = depFun(n: Nat => fun(xs: n.f32, ys: (n / 64).f32 =>
           xs |> split(64) |> transpose |> mapGlobal(fun(column =>
             zip(column)(ys) |> reduceSeq(Private)(fun(a, p => a + p._1 * p._2))(0.0f)))))",
        expect![[r#"
            __attribute__((work_group_size_hint(64, 1, 1)))
            kernel void main_(
                global float *restrict output,
                int n,
                global const float *restrict xs,
                global const float *restrict ys
            ) {
                const int gid = get_global_id(0);
                float a = 0.0f;
                for (int j = 0; j < n / 64; j++) {
                    a += xs[64 * j + gid] * ys[j];
                }
                output[gid] = a;
            }
        "#]],
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn few_rounds_are_counted_though_some_items_have_fewer() {
    check(
        "@opencl(local = [32], global = [n])
         def main = depFun(n: Nat => fun(xs: n.f32 =>
           xs |> padClamp(1)(1) |> slide(34)(32) |> mapWorkGroup(fun(tile =>
             tile |> mapLocal(id) |> toMem(Local) |> slide(3)(1)
               |> mapLocal(reduceSeqUnroll(Private)(add)(0.0f)))) |> join))",
        expect![[r#"
            __attribute__((reqd_work_group_size(32, 1, 1)))
            kernel void main_(global float *restrict output, int n, global const float *restrict xs) {
                const int wg = get_group_id(0);
                const int lid = get_local_id(0);
                local float tmp[34];
                for (int turn = 0; turn < 2; turn++) {
                    if (32 * turn + lid < 34) {
                        tmp[32 * turn + lid] = xs[min(n - 1, max(0, 32 * wg + 32 * turn + lid - 1))];
                    }
                }
                barrier(CLK_LOCAL_MEM_FENCE);
                output[32 * wg + lid] = 0.0f + tmp[lid] + tmp[lid + 1] + tmp[lid + 2];
            }
        "#]],
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn many_rounds_are_not() {
    check(
        "@opencl(local = [32], global = [32])
         def main = fun(xs: 200.f32 => xs |> mapGlobal(fun(x => x + 1.0f)))",
        expect![[r#"
            __attribute__((reqd_work_group_size(32, 1, 1)))
            kernel void main_(global float *restrict output, global const float *restrict xs) {
                for (int gId = get_global_id(0); gId < 200; gId += 32) {
                    output[gId] = xs[gId] + 1.0f;
                }
            }
        "#]],
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn loops_around_enough_reads_are_not_written_out() {
    check(
        "@opencl(local = [64], global = [n])
         def main = depFun(n: Nat => fun(xs: 64.n.f32 =>
           xs |> transpose |> mapGlobal(fun(column =>
             column |> split(16)
               |> reduceSeq(Private)(fun(sum, part =>
                    part |> reduceSeqUnroll(Private)(add)(sum)))(0.0f)))))",
        expect![[r#"
            __attribute__((work_group_size_hint(64, 1, 1)))
            kernel void main_(global float *restrict output, int n, global const float *restrict xs) {
                const int gid = get_global_id(0);
                float sum = 0.0f;
                #pragma unroll 1
                for (int j = 0; j < 4; j++) {
                    sum = sum + xs[16 * j * n + gid] + xs[(16 * j + 1) * n + gid] + xs[(16 * j + 2) * n + gid]
                        + xs[(16 * j + 3) * n + gid] + xs[(16 * j + 4) * n + gid] + xs[(16 * j + 5) * n + gid]
                        + xs[(16 * j + 6) * n + gid] + xs[(16 * j + 7) * n + gid] + xs[(16 * j + 8) * n + gid]
                        + xs[(16 * j + 9) * n + gid] + xs[(16 * j + 10) * n + gid] + xs[(16 * j + 11) * n + gid]
                        + xs[(16 * j + 12) * n + gid] + xs[(16 * j + 13) * n + gid]
                        + xs[(16 * j + 14) * n + gid] + xs[(16 * j + 15) * n + gid];
                }
                output[gid] = sum;
            }
        "#]],
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn no_launch_of_nothing_is_divided_by() {
    let nothing = [
        "@opencl(local = [0], global = [64])
         def main = fun(xs: 64.f32 => xs |> mapGlobal(fun(x => x + 1.0f)))",
        "@opencl(local = [64], global = [0])
         def main = fun(xs: 64.f32 => xs |> mapGlobal(fun(x => x + 1.0f)))",
        "def main = fun(xs: 64.f32 => xs |> mapGlobal(fun(x => x + 1.0f)) |> oclRun(0, 1, 1)(64, 1, 1))",
        "def main = fun(xs: 64.f32 => xs |> mapGlobal(fun(x => x + 1.0f)) |> oclRun(1, 1, 1)(0, 1, 1))",
    ];
    for text in nothing {
        let said = module(text, "main").map(|module| module.text);
        let refused = matches!(&said, Err(why) if why.contains("Launch"));
        assert!(refused, "{text}\n{said:?}");
    }
}
