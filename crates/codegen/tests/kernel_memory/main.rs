//! Tests the memory of kernels: privatisation, address spaces and barriers.

use codegen::{KernelArg, Module, Target};
use expect_test::{Expect, expect};
use nat::Var;
use rise::core::{normalise, program_of};

/// Returns the OpenCL C text of the definition `name`, or the error.
fn module(text: &str, name: &str) -> Result<Module, String> {
    let mut program = program_of(text, name).map_err(|error| error.to_string())?;
    normalise(&mut program).map_err(|error| error.to_string())?;
    let functional =
        dpia::functional(&program, Target::OpenCl.features()).map_err(|complaints| {
            let problems: Vec<_> = complaints.iter().map(|c| &c.kind).collect();
            format!("{problems:?}")
        })?;
    let imperative = dpia::imperative(&functional).map_err(|error| error.to_string())?;
    codegen::compile(&imperative, Target::OpenCl).map_err(|errors| {
        let texts: Vec<_> = errors
            .iter()
            .map(|e| format!("{}: {e}", e.code.as_str()))
            .collect();
        texts.join("\n")
    })
}

const START: &str = "
def sum : {n: Nat} -> n.f32 -> f32 = fun(xs => xs |> reduceSeq(Private)(add)(0.0f))
def twice : f32 -> f32 = fun(x => x + x)
def rev : (n: Nat) -> {t: DataType} -> n.t -> n.t = depFun(n: Nat => fun(xs =>
  xs |> reorder(n)(natFun(i => n - 1 - i))(natFun(i => n - 1 - i))))
@target(opencl)
";

/// Compares the kernels, and the memory that the host allocates for them.
fn check(text: &str, expected: Expect) {
    let module =
        module(&format!("{START}{text}"), "main").unwrap_or_else(|error| panic!("{error}"));
    let start = module.text.find("kernel void").unwrap_or(0);
    let mut out = module.text[start..].to_owned();
    let device = module.device.unwrap_or_default();
    let names = &module.signature.names;
    let name = |var: Var| names.get(var.0 as usize).cloned().unwrap_or_default();
    for kernel in &device.kernels {
        for arg in &kernel.args {
            match arg {
                KernelArg::Local { bytes } => {
                    out += &format!("local: {} bytes\n", bytes.display(&|var| name(var)));
                }
                KernelArg::Buffer(at) => {
                    let bytes = &device.buffers[*at].bytes;
                    out += &format!("global: {} bytes\n", bytes.display(&|var| name(var)));
                }
                _ => {}
            }
        }
        for prop in &kernel.requires {
            out += &format!("requires {}\n", prop.display(&|var| name(var)));
        }
    }
    expected.assert_eq(&out);
}

/// Compares the error of a program.
fn check_error(text: &str, expected: Expect) {
    match module(&format!("{START}{text}"), "main") {
        Ok(module) => panic!("{}", module.text),
        Err(error) => expected.assert_eq(&error),
    }
}

#[test]
fn local_memory_of_each_work_item() {
    check(
        "@opencl(local = [16], global = [32])
def main = depFun(n: Nat => fun(xs: n.4.f32 =>
  xs |> split(16) |> mapWorkGroup(fun(rows =>
    rows |> mapLocal(fun(row => row |> mapSeq(twice) |> toMem(Local) |> rev(4) |> mapSeq(twice))))) |> join))",
        expect![[r#"
            kernel void main_(global float *restrict output, int n, global const float *restrict xs) {
                const int lid = get_local_id(0);
                local float tmp[64];
                for (int wgId = get_group_id(0); wgId < n / 16; wgId += 2) {
                    for (int l = 0; l < 4; l++) {
                        tmp[4 * lid + l] = xs[64 * wgId + 4 * lid + l] + xs[64 * wgId + 4 * lid + l];
                    }
                    for (int l = 0; l < 4; l++) {
                        output[64 * wgId + 4 * lid + l] = tmp[4 * lid + 3 - l] + tmp[4 * lid + 3 - l];
                    }
                }
            }
        "#]],
    );
}

#[test]
fn local_memory_whose_size_the_launch_says() {
    check(
        "def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>
  xs |> mapWorkGroup(fun(row =>
    row |> mapLocal(twice) |> toMem(Local) |> rev(m) |> mapLocal(twice)))))",
        expect![[r#"
            kernel void main_(
                global float *restrict output,
                int n,
                int m,
                global const float *restrict xs,
                local float *restrict tmp
            ) {
                const int lid = get_local_id(0);
                const int local_size = get_local_size(0);
                for (int wgId = get_group_id(0); wgId < n; wgId += get_num_groups(0)) {
                    for (int lId = lid; lId < m; lId += local_size) {
                        tmp[lId] = xs[wgId * m + lId] + xs[wgId * m + lId];
                    }
                    barrier(CLK_LOCAL_MEM_FENCE);
                    for (int lId = lid; lId < m; lId += local_size) {
                        output[wgId * m + lId] = tmp[m - 1 - lId] + tmp[m - 1 - lId];
                    }
                    barrier(CLK_LOCAL_MEM_FENCE);
                }
            }
            local: m*4 bytes
            requires local_size divides global_size
        "#]],
    );
}

#[test]
fn global_memory_has_a_copy_for_each_group() {
    check(
        "@opencl(local = [8], global = [64])
def main = depFun(n: Nat => fun(xs: n.8.f32 =>
  xs |> mapWorkGroup(fun(row =>
    row |> mapLocal(twice) |> toMem(Global) |> rev(8) |> mapLocal(twice)))))",
        expect![[r#"
            kernel void main_(
                global float *restrict output,
                int n,
                global const float *restrict xs,
                global float *restrict tmp
            ) {
                const int wg = get_group_id(0);
                const int lid = get_local_id(0);
                for (int turn = 0; turn < (n + 7) / 8; turn++) {
                    if (8 * turn + wg < n) {
                        tmp[8 * wg + lid] = xs[64 * turn + 8 * wg + lid] + xs[64 * turn + 8 * wg + lid];
                        barrier(CLK_GLOBAL_MEM_FENCE);
                        output[64 * turn + 8 * wg + lid] = tmp[8 * wg + 7 - lid] + tmp[8 * wg + 7 - lid];
                        barrier(CLK_GLOBAL_MEM_FENCE);
                    }
                }
            }
            global: 256 bytes
        "#]],
    );
}

#[test]
fn a_barrier_in_a_map_needs_a_whole_number_of_rounds() {
    check(
        "def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.8.f32 =>
  xs |> mapWorkGroup(1)(fun(rows => rows |> split(1) |> mapWorkGroup(0)(mapLocal(1)(fun(row =>
    row |> mapLocal(0)(twice) |> toMem(Local) |> rev(8) |> mapLocal(0)(twice)))) |> join))))",
        expect![[r#"
            kernel void main_(global float *restrict output, int n, int m, global const float *restrict xs) {
                const int lid = get_local_id(0);
                const int local_size = get_local_size(0);
                local float tmp[8];
                for (int wgId = get_group_id(1); wgId < n; wgId += get_num_groups(1)) {
                    for (int wgId2 = get_group_id(0); wgId2 < m; wgId2 += get_num_groups(0)) {
                        for (int lId = lid; lId < 8; lId += local_size) {
                            tmp[lId] = xs[8 * (wgId * m + wgId2) + lId] + xs[8 * (wgId * m + wgId2) + lId];
                        }
                        barrier(CLK_LOCAL_MEM_FENCE);
                        for (int lId = lid; lId < 8; lId += local_size) {
                            output[8 * (wgId * m + wgId2) + lId] = tmp[7 - lId] + tmp[7 - lId];
                        }
                        barrier(CLK_LOCAL_MEM_FENCE);
                    }
                }
            }
            requires local_size divides global_size
            requires local_size1 divides global_size1
            requires local_size1 == 1
        "#]],
    );
}

#[test]
fn arrays_that_are_not_needed_at_once_share_memory() {
    check(
        "@opencl(local = [8], global = [n])
def main = depFun(n: Nat => fun(xs: n.f32 =>
  xs |> split(8) |> mapWorkGroup(fun(c =>
    c |> mapLocal(twice) |> toMem(Local) |> rev(8) |> mapLocal(twice) |> toMem(Local)
      |> rev(8) |> mapLocal(twice) |> toMem(Local) |> rev(8) |> mapLocal(twice))) |> join))",
        expect![[r#"
            kernel void main_(global float *restrict output, int n, global const float *restrict xs) {
                (void)n;
                const int wg = get_group_id(0);
                const int lid = get_local_id(0);
                local float tmp[8];
                local float tmp2[8];
                tmp2[lid] = xs[8 * wg + lid] + xs[8 * wg + lid];
                barrier(CLK_LOCAL_MEM_FENCE);
                tmp[lid] = tmp2[7 - lid] + tmp2[7 - lid];
                barrier(CLK_LOCAL_MEM_FENCE);
                tmp2[lid] = tmp[7 - lid] + tmp[7 - lid];
                barrier(CLK_LOCAL_MEM_FENCE);
                output[8 * wg + lid] = tmp2[7 - lid] + tmp2[7 - lid];
            }
        "#]],
    );
}

#[test]
fn barriers_say_what_they_order() {
    let text = "@opencl(local = [8], global = [16])
def main = depFun(n: Nat => fun(xs: n.f32 =>
  xs |> split(8) |> mapWorkGroup(fun(c =>
    c |> mapLocal(twice) |> toMem(Local) |> rev(8) |> mapLocal(twice))) |> join))";
    let module =
        module(&format!("{START}{text}"), "main").unwrap_or_else(|error| panic!("{error}"));
    let kinds: Vec<String> = module
        .barriers
        .iter()
        .map(|one| {
            let kinds: Vec<_> = one.barrier.orders.iter().map(|order| order.kind).collect();
            format!("{}: {kinds:?}", &module.text[one.range.clone()])
        })
        .collect();
    expect![[r#"
        barrier(CLK_LOCAL_MEM_FENCE);: [Flow]
        barrier(CLK_LOCAL_MEM_FENCE);: [Reuse]"#]]
    .assert_eq(&kinds.join("\n"));
}

#[test]
fn private_memory_is_each_work_items_own() {
    check_error(
        "@opencl(local = [8], global = [n])
def main = depFun(n: Nat => fun(xs: n.f32 =>
  xs |> split(8) |> mapWorkGroup(fun(c =>
    c |> mapLocal(twice) |> toMem(Private) |> rev(8) |> mapLocal(twice))) |> join))",
        expect![
            "other-work-item: this reads Private memory of other work-items: private memory is each work-item's own, and each holds only the elements that it computed in `mapLocal(0)`"
        ],
    );
}

/// Three work-items read the one element that the first one has stored.
#[test]
fn one_element_is_not_that_of_all_work_items() {
    check_error(
        "@opencl(local = [4], global = [4])
def main = depFun(n: Nat => fun(xs: n.f32 =>
  xs |> split(1) |> mapWorkGroup(fun(c =>
    c |> mapLocal(twice) |> toMem(Private) |> padClamp(1)(1) |> mapLocal(twice)))))",
        expect![
            "other-work-item: this reads Private memory of other work-items: private memory is each work-item's own, and each holds only the elements that it computed in `mapLocal(0)`"
        ],
    );
}

#[test]
fn groups_do_not_wait_for_each_other() {
    check_error(
        "@opencl(local = [8], global = [n])
def main = depFun(n: Nat => fun(xs: n.f32 =>
  xs |> mapGlobal(twice) |> toMem(Global) |> rev(n) |> mapGlobal(twice)))",
        expect![
            "across-groups: work-groups read here what other work-groups write in the same kernel, and no barrier makes one group wait for another"
        ],
    );
}

#[test]
fn not_all_of_a_group_come_to_a_barrier() {
    check_error(
        "@opencl(local = [8, 2], global = [8, n])
def main = depFun(n: Nat => fun(xs: n.8.f32 =>
  xs |> split(3) |> split(1) |> mapWorkGroup(1)(mapWorkGroup(0)(mapLocal(1)(fun(row =>
    row |> mapLocal(0)(twice) |> toMem(Local) |> rev(8) |> mapLocal(0)(twice))))) |> join |> join))",
        expect!["divergent-barrier: work-items would have to wait for each other inside of this `mapLocal(1)`, but they do not all come there: it has 3 elements for the 2 work-items of a group in dimension 1"],
    );
}
