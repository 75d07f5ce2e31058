//! Tests the features of OpenCL programs, one at a time.

use codegen::KernelArg;
use expect_test::{Expect, expect};

use crate::{kernels, module};

/// Compares the kernels, without the declarations before them.
fn check(text: &str, expected: Expect) {
    let text = kernels(text, "main");
    let start = text.find("kernel void").unwrap_or(0);
    expected.assert_eq(&text[start..]);
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn global_items() {
    check(
        "def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(fun(x => x + 1.0f))))",
        expect![[r#"
            kernel void main_(global float *restrict output, int n, global const float *restrict xs) {
                for (int gId = get_global_id(0); gId < n; gId += get_global_size(0)) {
                    output[gId] = xs[gId] + 1.0f;
                }
            }
        "#]],
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn items_that_may_have_nothing_to_do() {
    check(
        "@opencl(local = [64], global = [64 * ceilDiv(n, 64)])
         def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(fun(x => x + 1.0f))))",
        expect![[r#"
            kernel void main_(global float *restrict output, int n, global const float *restrict xs) {
                const int gid = get_global_id(0);
                if (gid < n) {
                    output[gid] = xs[gid] + 1.0f;
                }
            }
        "#]],
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn several_elements_for_each_item() {
    check(
        "@opencl(local = [16], global = [16])
         def main = fun(xs: 64.f32 => xs |> split(64) |> mapWorkGroup(fun(ys =>
           ys |> mapLocal(fun(y => y * y)) |> toMem(Local) |> mapLocal(id))) |> join)",
        expect![[r#"
            kernel void main_(global float *restrict output, global const float *restrict xs) {
                const int lid = get_local_id(0);
                local float tmp[64];
                for (int turn = 0; turn < 4; turn++) {
                    tmp[16 * turn + lid] = xs[16 * turn + lid] * xs[16 * turn + lid];
                }
                for (int turn = 0; turn < 4; turn++) {
                    output[16 * turn + lid] = tmp[16 * turn + lid];
                }
            }
        "#]],
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn two_dimensions() {
    check(
        "@opencl(local = [16, 16], global = [m, n])
         def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>
           xs |> mapGlobal(1)(mapGlobal(0)(fun(x => x * 2.0f)))))",
        expect![[r#"
            kernel void main_(global float *restrict output, int n, int m, global const float *restrict xs) {
                (void)n;
                const int gid1 = get_global_id(1);
                const int gid = get_global_id(0);
                output[gid1 * m + gid] = xs[gid1 * m + gid] * 2.0f;
            }
        "#]],
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn vectors_are_loaded_and_stored_whole() {
    check(
        "@opencl(global = [n / 4])
         def main = depFun(n: Nat => fun((xs: n.f32, ys: n.f32) =>
           zip(xs |> asVectorAligned(4))(ys |> asVectorAligned(4))
             |> mapGlobal(fun(p => p._1 * p._2)) |> asScalar))",
        expect![[r#"
            kernel void main_(
                global float *restrict output,
                int n,
                global const float *restrict xs,
                global const float *restrict ys
            ) {
                (void)n;
                const int gid = get_global_id(0);
                *(global float4 *)&output[4 * gid] =
                    *(global const float4 *)&xs[4 * gid] * *(global const float4 *)&ys[4 * gid];
            }
        "#]],
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn vectors_that_are_not_aligned() {
    check(
        "@opencl(global = [n / 4])
         def main = depFun(n: Nat => fun(xs: (n + 1).f32 =>
           xs |> drop(1) |> asVector(4) |> mapGlobal(fun(v => v * vectorFromScalar(2.0f))) |> asScalar))",
        expect![[r#"
            kernel void main_(global float *restrict output, int n, global const float *restrict xs) {
                (void)n;
                const int gid = get_global_id(0);
                *(global float4 *)&output[4 * gid] = vload4(0, &xs[4 * gid + 1]) * 2.0f;
            }
        "#]],
    );
}

/// Vectors that OpenCL C does not have are structs; the functions that load and store them depend
/// on the address space.
#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn vectors_that_devices_do_not_know() {
    check(
        "@opencl(local = [16], global = [n * 16])
         def main = depFun(n: Nat => fun(xs: n.48.f32 => xs |> mapWorkGroup(fun(c =>
           c |> asVector(3) |> mapLocal(id) |> toMem(Local) |> mapLocal(fun(v => v + v)) |> asScalar))))",
        expect![[r#"
            kernel void main_(global float *restrict output, int n, global const float *restrict xs) {
                (void)n;
                const int wg = get_group_id(0);
                const int lid = get_local_id(0);
                local f32x3 tmp[16];
                tmp[lid] = load_global_f32x3(&xs[48 * wg + 3 * lid]);
                store_global_f32x3(&output[48 * wg + 3 * lid], add_f32x3(tmp[lid], tmp[lid]));
            }
        "#]],
    );
}

/// A number in the position of a vector is in every lane.
#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn numbers_in_the_place_of_vectors() {
    check(
        "@opencl(local = [16], global = [n])
         def main = depFun(n: Nat => fun(xs: (4 * n).i32 =>
           xs |> asVectorAligned(4) |> mapGlobal(fun(v => 3 * v + 5)) |> asScalar))",
        expect![[r#"
            kernel void main_(global int *restrict output, int n, global const int *restrict xs) {
                (void)n;
                const int gid = get_global_id(0);
                *(global int4 *)&output[4 * gid] =
                    as_int4(as_uint4((int4)(3)) * as_uint4(*(global const int4 *)&xs[4 * gid])
                        + as_uint4((int4)(5)));
            }
        "#]],
    );
}

/// Each group has its own copy of a value in global memory, for any number of groups.
#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn groups_in_two_dimensions_have_copies() {
    check(
        "def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.32.i32 =>
           xs |> mapWorkGroup(1)(mapWorkGroup(0)(fun(row =>
             row |> mapLocal(fun(x => x * 3)) |> toMem(Global) |> mapLocal(fun(x => x + 1))))))) ",
        expect![[r#"
            kernel void main_(
                global int *restrict output,
                int n,
                int m,
                global const int *restrict xs,
                global int *restrict tmp
            ) {
                const int lid = get_local_id(0);
                const int global_size1 = get_global_size(1);
                const int local_size = get_local_size(0);
                const int groups = get_num_groups(0);
                for (int wgId = get_group_id(1); wgId < n; wgId += get_num_groups(1)) {
                    for (int wgId2 = get_group_id(0); wgId2 < m; wgId2 += groups) {
                        for (int lId = lid; lId < 32; lId += local_size) {
                            tmp[32 * (wgId % global_size1) * groups + 32 * (wgId2 % groups) + lId] =
                                (int)((uint)xs[32 * (wgId * m + wgId2) + lId] * 3);
                        }
                        for (int lId = lid; lId < 32; lId += local_size) {
                            output[32 * (wgId * m + wgId2) + lId] =
                                (int)((uint)tmp[32 * (wgId % global_size1) * groups + 32 * (wgId2 % groups)
                                    + lId] + 1);
                        }
                    }
                }
            }
        "#]],
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn functions_on_each_lane_are_functions_on_vectors() {
    check(
        "foreign def sqrtf(x: f32): f32
         @opencl(global = [n])
         def main = depFun(n: Nat => fun(xs: n.Vec[4, f32] =>
           xs |> mapGlobal(mapVec(fun(x => sqrtf(x) + 1.0f)))))",
        expect![[r#"
            kernel void main_(global float4 *restrict output, int n, global const float4 *restrict xs) {
                (void)n;
                const int gid = get_global_id(0);
                output[gid] = sqrt(xs[gid]) + 1.0f;
            }
        "#]],
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn tuples_are_structs() {
    check(
        "@opencl(global = [n])
         def main = depFun(n: Nat => fun(xs: n.(f32, i32) =>
           xs |> mapGlobal(fun(p => (p._2, p._1)))))",
        expect![[r#"
            kernel void main_(
                global pair_i32_f32 *restrict output,
                int n,
                global const pair_f32_i32 *restrict xs
            ) {
                (void)n;
                const int gid = get_global_id(0);
                output[gid]._1 = xs[gid]._2;
                output[gid]._2 = xs[gid]._1;
            }
        "#]],
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn truth_values_are_bytes_in_memory() {
    check(
        "@opencl(global = [n])
         def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(fun(x => x > 0.0f && x < 1.0f))))",
        expect![[r#"
            kernel void main_(global uchar *restrict output, int n, global const float *restrict xs) {
                (void)n;
                const int gid = get_global_id(0);
                output[gid] = xs[gid] > 0.0f && xs[gid] < 1.0f;
            }
        "#]],
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn integers_wrap_and_floats_saturate() {
    check(
        "@opencl(global = [n])
         def main = depFun(n: Nat => fun((xs: n.i32, ys: n.f32) => zip(xs)(ys) |> mapGlobal(fun(p =>
           p._1 * p._1 + (cast(p._2) : i32)))))",
        expect![[r#"
            kernel void main_(
                global int *restrict output,
                int n,
                global const int *restrict xs,
                global const float *restrict ys
            ) {
                (void)n;
                const int gid = get_global_id(0);
                output[gid] = (int)((uint)xs[gid] * xs[gid] + convert_int_sat_rtz(ys[gid]));
            }
        "#]],
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn integer_vectors_wrap() {
    check(
        "@opencl(global = [n])
         def main = depFun(n: Nat => fun(xs: n.Vec[4, i32] => xs |> mapGlobal(fun(x => x * x + x))))",
        expect![[r#"
            kernel void main_(global int4 *restrict output, int n, global const int4 *restrict xs) {
                (void)n;
                const int gid = get_global_id(0);
                output[gid] = as_int4(as_uint4(xs[gid]) * as_uint4(xs[gid]) + as_uint4(xs[gid]));
            }
        "#]],
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn doubles_need_an_extension() {
    let text = kernels(
        "@opencl(global = [n])
         def main = depFun(n: Nat => fun(xs: n.f64 => xs |> mapGlobal(fun(x => x + 1.0f64))))",
        "main",
    );
    assert!(
        text.starts_with("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"),
        "{text}"
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn halves_need_an_extension() {
    let text = kernels(
        "@opencl(global = [n])
         def main = depFun(n: Nat => fun(xs: n.f16 => xs |> mapGlobal(fun(x => x + 1.0f16))))",
        "main",
    );
    assert!(
        text.starts_with("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"),
        "{text}"
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn functions_with_bodies_stand_as_they_are() {
    check(
        "foreign def half_of(x: f32): f32 = \"\"\"{ return 0.5f * x; }\"\"\"
         @opencl(global = [n])
         def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(fun(x => half_of(x)))))",
        expect![[r#"
            kernel void main_(global float *restrict output, int n, global const float *restrict xs) {
                (void)n;
                const int gid = get_global_id(0);
                output[gid] = half_of(xs[gid]);
            }
        "#]],
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn private_blocks_are_variables() {
    check(
        "@opencl(global = [n / 4])
         def main = depFun((n: Nat, m: Nat) => fun((A: n.m.f32, x: m.f32) =>
           A |> split(4) |> mapGlobal(fun(rows =>
             zip(rows |> transpose)(x)
               |> reduceSeq(Private)(fun(sums, p =>
                    zip(sums)(p._1) |> mapSeq(fun(q => q._1 + q._2 * p._2))))(
                  generate(fun(i => 0.0f)) |> mapSeq(id))
               |> mapSeq(id)))
             |> join))",
        expect![[r#"
            kernel void main_(
                global float *restrict output,
                int n,
                int m,
                global const float *restrict A,
                global const float *restrict x
            ) {
                (void)n;
                const int gid = get_global_id(0);
                float sums0 = 0.0f;
                float sums1 = 0.0f;
                float sums2 = 0.0f;
                float sums3 = 0.0f;
                for (int j = 0; j < m; j++) {
                    sums0 += A[4 * gid * m + j] * x[j];
                    sums1 += A[(4 * gid + 1) * m + j] * x[j];
                    sums2 += A[(4 * gid + 2) * m + j] * x[j];
                    sums3 += A[(4 * gid + 3) * m + j] * x[j];
                }
                output[4 * gid] = sums0;
                output[4 * gid + 1] = sums1;
                output[4 * gid + 2] = sums2;
                output[4 * gid + 3] = sums3;
            }
        "#]],
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn local_arrays_of_any_size_are_parameters() {
    let module = module(
        "@opencl(local = [m], global = [n])
         def main = depFun((n: Nat, m: Nat) => fun(xs: n.f32 =>
           xs |> split(m) |> mapWorkGroup(fun(ys =>
             ys |> mapLocal(fun(y => y + 1.0f)) |> toMem(Local) |> slide(m)(1) |> join |> mapLocal(id)))
             |> join))",
        "main",
    );
    let module = module.expect("a kernel");
    let device = module.device.expect("how it is launched");
    let args = &device.kernels[0].args;
    assert!(
        args.iter()
            .any(|arg| matches!(arg, KernelArg::Local { .. })),
        "{args:?}\n{}",
        module.text
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn several_kernels_run_in_order() {
    let text = "def main = depFun(n: Nat => fun(xs: n.f32 =>
        xs |> mapGlobal(fun(x => x + 1.0f)) |> oclRun(64, 1, 1)(n, 1, 1) |> toMem(Global)
           |> mapGlobal(fun(x => x * 2.0f)) |> oclRun(32, 1, 1)(n, 1, 1)))";
    check(
        text,
        expect![[r#"
            kernel void main_1(global const float *restrict xs, global float *restrict tmp) {
                const int gid = get_global_id(0);
                tmp[gid] = xs[gid] + 1.0f;
            }

            __attribute__((reqd_work_group_size(32, 1, 1)))
            kernel void main_2(global float *restrict output, global const float *restrict tmp) {
                const int gid = get_global_id(0);
                output[gid] = tmp[gid] * 2.0f;
            }
        "#]],
    );
    let device = module(text, "main")
        .expect("kernels")
        .device
        .expect("a launch");
    assert_eq!(device.kernels.len(), 2);
    assert_eq!(device.buffers.len(), 1);
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn what_is_computed_between_kernels_is_refused() {
    let text = "def main = depFun(n: Nat => fun(xs: n.f32 =>
        xs |> mapGlobal(fun(x => x + 1.0f)) |> oclRun(64, 1, 1)(n, 1, 1) |> toMem(Global)
           |> reduceSeq(Private)(add)(0.0f)))";
    assert!(module(text, "main").is_err());
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn streams_in_registers() {
    check(
        "@opencl(global = [m])
         def main = depFun((n: Nat, m: Nat) => fun(xs: (n + 2).m.f32 =>
           xs |> transpose |> mapGlobal(fun(column =>
             column |> rotateValues(Private)(3)(id)
               |> iterateStream(fun(w => w |> reduceSeqUnroll(Private)(add)(0.0f)))))
             |> transpose))",
        expect![[r#"
            kernel void main_(global float *restrict output, int n, int m, global const float *restrict xs) {
                const int gid = get_global_id(0);
                float window0 = xs[gid];
                float window1 = xs[m + gid];
                for (int j = 0; j < n; j++) {
                    const float window2 = xs[(j + 2) * m + gid];
                    output[j * m + gid] = 0.0f + window0 + window1 + window2;
                    window0 = window1;
                    window1 = window2;
                }
            }
        "#]],
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn a_scan_of_each_row() {
    check(
        "@opencl(global = [n])
         def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>
           xs |> mapGlobal(scanSeq(Private)(add)(0.0f))))",
        expect![[r#"
            kernel void main_(global float *restrict output, int n, int m, global const float *restrict xs) {
                (void)n;
                const int gid = get_global_id(0);
                float accum = 0.0f;
                for (int j = 0; j < m; j++) {
                    accum += xs[gid * m + j];
                    output[gid * m + j] = accum;
                }
            }
        "#]],
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn constants_by_number_stand_in_constant_memory() {
    check(
        "@opencl(global = [n])
         def main = depFun(n: Nat => fun(is: n.Idx[3] =>
           is |> mapGlobal(fun(i => makeArray(3)(1.0f)(2.0f)(4.0f) |> idx(i)))))",
        expect![[r#"
            kernel void main_(global float *restrict output, int n, global const int *restrict is) {
                (void)n;
                const int gid = get_global_id(0);
                output[gid] = table_1[is[gid]];
            }
        "#]],
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn functions_without_bodies_are_those_of_the_device() {
    check(
        "foreign def lroundf(x: f32): i64
         @opencl(global = [n])
         def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(fun(x => lroundf(x)))))",
        expect![[r#"
            kernel void main_(global long *restrict output, int n, global const float *restrict xs) {
                (void)n;
                const int gid = get_global_id(0);
                output[gid] = convert_long(round(xs[gid]));
            }
        "#]],
    );
    let text = "foreign def mine(x: f32): f32
         @opencl(global = [n])
         def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(fun(x => mine(x)))))";
    let error = module(text, "main").expect_err("no device has it");
    assert!(error.contains("a device has no function `mine`"), "{error}");
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn pairs_in_local_memory_are_loaded_whole() {
    check(
        "@opencl(local = [64], global = [n])
         def main = depFun(n: Nat => fun(xs: n.f32 => xs |> split(64) |> mapWorkGroup(fun(ys =>
           ys |> mapLocal(fun(y => (y, y * y))) |> toMem(Local) |> padClamp(1)(1) |> slide(3)(1)
             |> mapLocal(fun(w => (w |> idx(0))._1 + (w |> idx(2))._2)))) |> join))",
        expect![[r#"
            kernel void main_(global float *restrict output, int n, global const float *restrict xs) {
                (void)n;
                const int wg = get_group_id(0);
                const int lid = get_local_id(0);
                local pair_f32_f32 tmp[64];
                tmp[lid]._1 = xs[64 * wg + lid];
                tmp[lid]._2 = xs[64 * wg + lid] * xs[64 * wg + lid];
                barrier(CLK_LOCAL_MEM_FENCE);
                output[64 * wg + lid] = tmp[max(0, lid - 1)]._1 + tmp[min(63, lid + 1)]._2;
            }
        "#]],
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn kernels_share_functions() {
    let text = kernels(
        "foreign def half_of(x: f32): f32 = \"\"\"{ return 0.5f * x; }\"\"\"
         def main = depFun(n: Nat => fun(xs: n.f32 =>
           xs |> mapGlobal(fun(x => half_of(x))) |> oclRun(64, 1, 1)(n, 1, 1) |> toMem(Global)
              |> mapGlobal(fun(x => half_of(x))) |> oclRun(32, 1, 1)(n, 1, 1)))",
        "main",
    );
    assert_eq!(text.matches("static float half_of").count(), 1, "{text}");
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn names_that_the_language_has_itself() {
    for name in [
        "half",
        "float",
        "uint",
        "half3",
        "lane_f32x3",
        "as_y",
        "convert_",
        "__z",
        "global",
    ] {
        let program = format!(
            "def main = depFun(n: Nat => fun(xs: n.f32, {name}: f32 =>
               xs |> mapGlobal(fun(x => x * {name}))))"
        );
        let text = kernels(&program, "main");
        assert!(!text.contains(&format!("float {name}\n")), "{text}");
    }
}

/// The elements of the last round are written to the output by the work-items that computed them.
#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn rounds_in_local_memory_are_a_result() {
    check(
        "@opencl(local = [32], global = [32 * n])
         def main = depFun(n: Nat => fun(xs: n.64.f32 => xs |> mapWorkGroup(iterate(Local)(5)(
           depFun(l: Nat => fun(ys: (2 * l).f32 => ys |> split(2)
             |> mapLocal(reduceSeq(Private)(add)(0.0f))))))))",
        expect![[r#"
            kernel void main_(global float *restrict output, int n, global const float *restrict xs) {
                (void)n;
                const int wg = get_group_id(0);
                const int lid = get_local_id(0);
                local float ping[32];
                local float pong[64];
                for (int turn = 0; turn < 2; turn++) {
                    pong[32 * turn + lid] = xs[64 * wg + 32 * turn + lid];
                }
                local const float *from = pong;
                local float *into = ping;
                local float *spare = pong;
                for (int k = 0; k < 5; k++) {
                    barrier(CLK_LOCAL_MEM_FENCE);
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
                if (lid < 2) {
                    output[2 * wg + lid] = from[lid];
                }
            }
        "#]],
    );
    // The work-items of this dimension have rounds of their own; those of another dimension share
    // them.
    check(
        "@opencl(local = [1, 16], global = [1, 16 * n])
         def main = depFun(n: Nat => fun(xs: n.64.f32 => xs |> mapWorkGroup(1)(iterate(Local)(5)(
           depFun(l: Nat => fun(ys: (2 * l).f32 => ys |> split(2)
             |> mapLocal(1)(reduceSeq(Private)(add)(0.0f))))))))",
        expect![[r#"
            kernel void main_(global float *restrict output, int n, global const float *restrict xs) {
                (void)n;
                const int wg1 = get_group_id(1);
                const int lid1 = get_local_id(1);
                local float ping[32];
                local float pong[64];
                for (int turn = 0; turn < 4; turn++) {
                    pong[16 * turn + lid1] = xs[64 * wg1 + 16 * turn + lid1];
                }
                local const float *from = pong;
                local float *into = ping;
                local float *spare = pong;
                for (int k = 0; k < 5; k++) {
                    barrier(CLK_LOCAL_MEM_FENCE);
                    {
                        local const float *restrict now = from;
                        local float *restrict next = into;
                        for (int lId = lid1; lId < (1 << (5 - k)); lId += 16) {
                            float accum = 0.0f;
                            for (int l = 0; l < 2; l++) {
                                accum += now[2 * lId + l];
                            }
                            next[lId] = accum;
                        }
                    }
                    from = into;
                    local float *kept = into;
                    into = spare;
                    spare = kept;
                }
                if (lid1 < 2) {
                    output[2 * wg1 + lid1] = from[lid1];
                }
            }
        "#]],
    );
    check(
        "@opencl(local = [4], global = [4 * n])
         def main = depFun(n: Nat => fun(xs: n.4.64.f32 => xs |> mapWorkGroup(mapLocal(
           iterate(Local)(5)(depFun(l: Nat => fun(ys: (2 * l).f32 => ys |> split(2)
             |> mapSeq(reduceSeq(Private)(add)(0.0f)))))))))",
        expect![[r#"
            kernel void main_(global float *restrict output, int n, global const float *restrict xs) {
                (void)n;
                const int wg = get_group_id(0);
                const int lid = get_local_id(0);
                local float ping[128];
                local float pong[256];
                for (int k = 0; k < 64; k++) {
                    pong[64 * lid + k] = xs[256 * wg + 64 * lid + k];
                }
                local const float *from = &pong[64 * lid];
                local float *into = &ping[32 * lid];
                local float *spare = &pong[64 * lid];
                for (int k = 0; k < 5; k++) {
                    {
                        local const float *restrict now = from;
                        local float *restrict next = into;
                        for (int l = 0; l < (1 << (5 - k)); l++) {
                            float accum = 0.0f;
                            for (int p = 0; p < 2; p++) {
                                accum += now[2 * l + p];
                            }
                            next[l] = accum;
                        }
                    }
                    from = into;
                    local float *kept = into;
                    into = spare;
                    spare = kept;
                }
                for (int k = 0; k < 2; k++) {
                    output[8 * wg + 2 * lid + k] = from[k];
                }
            }
        "#]],
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn kernels_know_their_private_memory() {
    let bytes = |text: &str| {
        let module = module(text, "main").expect("kernels");
        let device = module.device.expect("kernels");
        device.kernels[0].private_bytes.as_const()
    };
    let sums = "def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>
        xs |> mapGlobal(reduceSeq(Private)(add)(0.0f))))";
    assert_eq!(bytes(sums), Some(4));
    let halves = "def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f16 =>
        xs |> mapGlobal(reduceSeq(Private)(fun(a, x => a + x))(0.0f16))))";
    assert_eq!(bytes(halves), Some(2));
    let none = "def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(id)))";
    assert_eq!(bytes(none), Some(0));
}

/// Rows of `o - 2` results do not overlap, so only accesses to the local memory need a barrier.
#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn rows_whose_length_is_a_difference_need_no_barrier() {
    let text = kernels(
        "@opencl(local = [64], global = [1024])
         def main = depFun((n: Nat, m: Nat, o: Nat) => fun(xs: n.m.o.f32 =>
           xs |> mapSeq(mapWorkGroup(mapLocal(id) >> toLocal >> slide(3)(1) >>
             mapLocal(reduceSeq(Private)(add)(0.0f))))))",
        "main",
    );
    assert_eq!(text.matches("barrier(").count(), 2, "{text}");
    assert_eq!(text.matches("GLOBAL").count(), 0, "{text}");
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn vectors_are_loaded_through_rows_joined_and_split_again() {
    for (rows, group) in [(64, 16), (128, 32)] {
        let text = kernels(
            &format!(
                "@opencl(local = [{group}, 8], global = [{group}, 8])
                 def main = depFun(n: Nat => fun(a: 1.1.8.(4 * n).f32 =>
                   a |> mapWorkGroup(1)(mapWorkGroup(0)(fun(t =>
                     t |> map(take(64)) |> join |> split({rows}) |>
                       mapLocal(1)(asVectorAligned(4) >> mapLocal(0)(id) >> asScalar))))))"
            ),
            "main",
        );
        let loads = text.matches("global const float4 *)&a[").count();
        assert_eq!((loads, text.contains("(float4)(")), (1, false), "{text}");
    }
}

/// Compilers assign work-items more registers than groups of more than 256 have, unless the size is
/// required.
#[test]
fn sizes_of_large_groups_are_demanded() {
    let kernel = |local: u32| {
        let text = format!(
            "@opencl(local = [{local}], global = [n])
             def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(fun(x => x + 1.0f))))"
        );
        module(&text, "main").unwrap_or_else(|error| panic!("{error}"))
    };
    let (small, large) = (kernel(256), kernel(512));
    assert!(small.text.contains("((work_group_size_hint(256, 1, 1)))"));
    assert!(large.text.contains("((reqd_work_group_size(512, 1, 1)))"));
    let Some(demanded) = small.demanding_sizes() else {
        panic!("the size is a hint");
    };
    assert!(
        demanded
            .text
            .contains("((reqd_work_group_size(256, 1, 1)))")
    );
    assert_eq!(demanded.text.len(), small.text.len());
    assert!(large.demanding_sizes().is_none());
}

/// A product and a sum are one operation only if the program uses `fma`.
#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn products_and_sums_are_not_contracted() {
    let of = |body: &str| {
        let text = format!(
            "def main = depFun(n: Nat => fun(xs: n.f32, ys: n.f32 =>
               zip(xs)(ys) |> mapGlobal(fun(p => {body}))))"
        );
        kernels(&text, "main")
    };
    let pragma = "#pragma OPENCL FP_CONTRACT OFF\n";
    assert!(of("p._1 * p._2 + p._1").starts_with(pragma));
    let fused = of("fma(p._1)(p._2)(p._1)");
    assert!(fused.contains("fma(xs[gId], ys[gId], xs[gId])") && !fused.contains(pragma));
}
