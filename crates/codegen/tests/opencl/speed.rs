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

/// A product of matrices with these numbers of rows and columns.
fn product(rows: &str, columns: &str) -> String {
    format!(
        "fun(a: {rows}.k.f32, b: k.{columns}.f32 =>
           a |> mapGlobal(1)(fun(row => b |> transpose |> mapGlobal(0)(fun(column =>
             zip(row)(column) |> reduceSeq(Private)(fun(sum, p => sum + p._1 * p._2))(0.0f))))))"
    )
}

/// A work-item loads four elements of each operand for sixteen products.
#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn a_work_item_computes_a_tile_of_a_large_product() {
    check(
        &format!("def main = depFun(k: Nat => {})", product("1024", "512")),
        expect![[r#"
            kernel void main_(
                global float *restrict output,
                int k,
                global const float *restrict a,
                global const float *restrict b
            ) {
                for (int gId = get_global_id(1); gId < 256; gId += get_global_size(1)) {
                    for (int gId2 = get_global_id(0); gId2 < 128; gId2 += get_global_size(0)) {
                        float sum = 0.0f;
                        float sum2 = 0.0f;
                        float sum3 = 0.0f;
                        float sum4 = 0.0f;
                        float sum5 = 0.0f;
                        float sum6 = 0.0f;
                        float sum7 = 0.0f;
                        float sum8 = 0.0f;
                        float sum9 = 0.0f;
                        float sum10 = 0.0f;
                        float sum11 = 0.0f;
                        float sum12 = 0.0f;
                        float sum13 = 0.0f;
                        float sum14 = 0.0f;
                        float sum15 = 0.0f;
                        float sum16 = 0.0f;
                        for (int l = 0; l < k; l++) {
                            sum += a[4 * gId * k + l] * b[512 * l + gId2];
                            sum2 += a[4 * gId * k + l] * b[512 * l + gId2 + 128];
                            sum3 += a[4 * gId * k + l] * b[512 * l + gId2 + 256];
                            sum4 += a[4 * gId * k + l] * b[512 * l + gId2 + 384];
                            sum5 += a[(4 * gId + 1) * k + l] * b[512 * l + gId2];
                            sum6 += a[(4 * gId + 1) * k + l] * b[512 * l + gId2 + 128];
                            sum7 += a[(4 * gId + 1) * k + l] * b[512 * l + gId2 + 256];
                            sum8 += a[(4 * gId + 1) * k + l] * b[512 * l + gId2 + 384];
                            sum9 += a[(4 * gId + 2) * k + l] * b[512 * l + gId2];
                            sum10 += a[(4 * gId + 2) * k + l] * b[512 * l + gId2 + 128];
                            sum11 += a[(4 * gId + 2) * k + l] * b[512 * l + gId2 + 256];
                            sum12 += a[(4 * gId + 2) * k + l] * b[512 * l + gId2 + 384];
                            sum13 += a[(4 * gId + 3) * k + l] * b[512 * l + gId2];
                            sum14 += a[(4 * gId + 3) * k + l] * b[512 * l + gId2 + 128];
                            sum15 += a[(4 * gId + 3) * k + l] * b[512 * l + gId2 + 256];
                            sum16 += a[(4 * gId + 3) * k + l] * b[512 * l + gId2 + 384];
                        }
                        output[2048 * gId + gId2] = sum;
                        output[2048 * gId + gId2 + 128] = sum2;
                        output[2048 * gId + gId2 + 256] = sum3;
                        output[2048 * gId + gId2 + 384] = sum4;
                        output[2048 * gId + gId2 + 512] = sum5;
                        output[2048 * gId + gId2 + 640] = sum6;
                        output[2048 * gId + gId2 + 768] = sum7;
                        output[2048 * gId + gId2 + 896] = sum8;
                        output[2048 * gId + gId2 + 1024] = sum9;
                        output[2048 * gId + gId2 + 1152] = sum10;
                        output[2048 * gId + gId2 + 1280] = sum11;
                        output[2048 * gId + gId2 + 1408] = sum12;
                        output[2048 * gId + gId2 + 1536] = sum13;
                        output[2048 * gId + gId2 + 1664] = sum14;
                        output[2048 * gId + gId2 + 1792] = sum15;
                        output[2048 * gId + gId2 + 1920] = sum16;
                    }
                }
            }
        "#]],
    );
}

/// A row that is left over has work-items of its own, which compute four of its results.
#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn rows_that_are_left_over_have_own_work_items() {
    check(
        &format!("def main = depFun(k: Nat => {})", product("1025", "512")),
        expect![[r#"
            kernel void main_(
                global float *restrict output,
                int k,
                global const float *restrict a,
                global const float *restrict b
            ) {
                for (int gId = get_global_id(1); gId < 257; gId += get_global_size(1)) {
                    for (int gId2 = get_global_id(0); gId2 < 128; gId2 += get_global_size(0)) {
                        if (gId < 256) {
                            float sum = 0.0f;
                            float sum2 = 0.0f;
                            float sum3 = 0.0f;
                            float sum4 = 0.0f;
                            float sum5 = 0.0f;
                            float sum6 = 0.0f;
                            float sum7 = 0.0f;
                            float sum8 = 0.0f;
                            float sum9 = 0.0f;
                            float sum10 = 0.0f;
                            float sum11 = 0.0f;
                            float sum12 = 0.0f;
                            float sum13 = 0.0f;
                            float sum14 = 0.0f;
                            float sum15 = 0.0f;
                            float sum16 = 0.0f;
                            for (int l = 0; l < k; l++) {
                                sum += a[4 * gId * k + l] * b[512 * l + gId2];
                                sum2 += a[4 * gId * k + l] * b[512 * l + gId2 + 128];
                                sum3 += a[4 * gId * k + l] * b[512 * l + gId2 + 256];
                                sum4 += a[4 * gId * k + l] * b[512 * l + gId2 + 384];
                                sum5 += a[(4 * gId + 1) * k + l] * b[512 * l + gId2];
                                sum6 += a[(4 * gId + 1) * k + l] * b[512 * l + gId2 + 128];
                                sum7 += a[(4 * gId + 1) * k + l] * b[512 * l + gId2 + 256];
                                sum8 += a[(4 * gId + 1) * k + l] * b[512 * l + gId2 + 384];
                                sum9 += a[(4 * gId + 2) * k + l] * b[512 * l + gId2];
                                sum10 += a[(4 * gId + 2) * k + l] * b[512 * l + gId2 + 128];
                                sum11 += a[(4 * gId + 2) * k + l] * b[512 * l + gId2 + 256];
                                sum12 += a[(4 * gId + 2) * k + l] * b[512 * l + gId2 + 384];
                                sum13 += a[(4 * gId + 3) * k + l] * b[512 * l + gId2];
                                sum14 += a[(4 * gId + 3) * k + l] * b[512 * l + gId2 + 128];
                                sum15 += a[(4 * gId + 3) * k + l] * b[512 * l + gId2 + 256];
                                sum16 += a[(4 * gId + 3) * k + l] * b[512 * l + gId2 + 384];
                            }
                            output[2048 * gId + gId2] = sum;
                            output[2048 * gId + gId2 + 128] = sum2;
                            output[2048 * gId + gId2 + 256] = sum3;
                            output[2048 * gId + gId2 + 384] = sum4;
                            output[2048 * gId + gId2 + 512] = sum5;
                            output[2048 * gId + gId2 + 640] = sum6;
                            output[2048 * gId + gId2 + 768] = sum7;
                            output[2048 * gId + gId2 + 896] = sum8;
                            output[2048 * gId + gId2 + 1024] = sum9;
                            output[2048 * gId + gId2 + 1152] = sum10;
                            output[2048 * gId + gId2 + 1280] = sum11;
                            output[2048 * gId + gId2 + 1408] = sum12;
                            output[2048 * gId + gId2 + 1536] = sum13;
                            output[2048 * gId + gId2 + 1664] = sum14;
                            output[2048 * gId + gId2 + 1792] = sum15;
                            output[2048 * gId + gId2 + 1920] = sum16;
                        } else {
                            float sum = 0.0f;
                            float sum2 = 0.0f;
                            float sum3 = 0.0f;
                            float sum4 = 0.0f;
                            for (int l = 0; l < k; l++) {
                                sum += a[(gId + 768) * k + l] * b[512 * l + gId2];
                                sum2 += a[(gId + 768) * k + l] * b[512 * l + gId2 + 128];
                                sum3 += a[(gId + 768) * k + l] * b[512 * l + gId2 + 256];
                                sum4 += a[(gId + 768) * k + l] * b[512 * l + gId2 + 384];
                            }
                            output[512 * gId + gId2 + 393216] = sum;
                            output[512 * gId + gId2 + 393344] = sum2;
                            output[512 * gId + gId2 + 393472] = sum3;
                            output[512 * gId + gId2 + 393600] = sum4;
                        }
                    }
                }
            }
        "#]],
    );
}

/// There would be too few tiles for the compute units of a device.
#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn a_work_item_computes_one_result_of_a_small_product() {
    check(
        &format!("def main = depFun(k: Nat => {})", product("256", "512")),
        expect![[r#"
            kernel void main_(
                global float *restrict output,
                int k,
                global const float *restrict a,
                global const float *restrict b
            ) {
                for (int gId = get_global_id(1); gId < 256; gId += get_global_size(1)) {
                    for (int gId2 = get_global_id(0); gId2 < 512; gId2 += get_global_size(0)) {
                        float sum = 0.0f;
                        for (int l = 0; l < k; l++) {
                            sum += a[gId * k + l] * b[512 * l + gId2];
                        }
                        output[512 * gId + gId2] = sum;
                    }
                }
            }
        "#]],
    );
}

/// The elements that a stencil reads depend on both the row and the column, so tiles share few of them.
#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn a_work_item_computes_one_result_of_a_stencil() {
    check(
        "def main = fun(a: 1026.1026.f32 =>
           a |> slide2D(3)(1) |> mapGlobal(1)(mapGlobal(0)(fun(window =>
             window |> join |> reduceSeq(Private)(add)(0.0f)))))",
        expect![[r#"
            kernel void main_(global float *restrict output, global const float *restrict a) {
                for (int gId = get_global_id(1); gId < 1024; gId += get_global_size(1)) {
                    for (int gId2 = get_global_id(0); gId2 < 1024; gId2 += get_global_size(0)) {
                        float accum = 0.0f;
                        for (int l = 0; l < 9; l++) {
                            accum += a[1026 * (gId + l / 3) + gId2 + l % 3];
                        }
                        output[1024 * gId + gId2] = accum;
                    }
                }
            }
        "#]],
    );
}

/// Each work-item doubles the result that it has computed itself, without waiting for others.
#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn a_work_item_keeps_a_result_that_it_uses() {
    check(
        "def main = depFun(k: Nat => fun(a: 1024.k.f32, b: k.512.f32 =>
           a |> mapGlobal(1)(fun(row => b |> transpose |> mapGlobal(0)(fun(column =>
             zip(row)(column) |> reduceSeq(Private)(fun(sum, p => sum + p._1 * p._2))(0.0f)))))
             |> toMem(Global) |> mapGlobal(1)(mapGlobal(0)(fun(x => x * 2.0f)))))",
        expect![[r#"
            kernel void main_(
                global float *restrict output,
                int k,
                global const float *restrict a,
                global const float *restrict b,
                global float *restrict tmp
            ) {
                const int gid1 = get_global_id(1);
                const int gid = get_global_id(0);
                const int global_size1 = get_global_size(1);
                const int global_size = get_global_size(0);
                for (int gId = gid1; gId < 1024; gId += global_size1) {
                    for (int gId2 = gid; gId2 < 512; gId2 += global_size) {
                        float sum = 0.0f;
                        for (int l = 0; l < k; l++) {
                            sum += a[gId * k + l] * b[512 * l + gId2];
                        }
                        tmp[512 * gId + gId2] = sum;
                    }
                }
                for (int gId = gid1; gId < 1024; gId += global_size1) {
                    for (int gId2 = gid; gId2 < 512; gId2 += global_size) {
                        output[512 * gId + gId2] = tmp[512 * gId + gId2] * 2.0f;
                    }
                }
            }
        "#]],
    );
}
