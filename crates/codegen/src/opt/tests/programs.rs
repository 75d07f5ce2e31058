//! Tests of programs whose work-items share more than copies.

use expect_test::expect;

use super::{GRIDS, Grid, check, check_all, error, kernels, with_memory};

const SUM: &str = "
def sum : {n: Nat} -> n.f32 -> f32 = fun(xs => xs |> reduceSeq(Private)(add)(0.0f))
def twice : f32 -> f32 = fun(x => x + x)
";

#[test]
fn a_tree_of_sums_waits_once_a_round() {
    let text = format!(
        "{SUM}
@target(opencl)
@opencl(local = [8], global = [n / 4])
def tree = depFun(n: Nat => fun(xs: n.f32 =>
  xs |> split(32) |> mapWorkGroup(fun(chunk =>
    chunk |> split(4) |> mapLocal(sum) |> toMem(Local)
      |> iterate(Local)(3)(depFun(l: Nat => fun(part: (l * 2).f32 =>
           part |> split(l) |> transpose |> mapLocal(sum))))
      |> toMem(Local) |> mapLocal(fun(x => x)))) |> join))
"
    );
    assert_eq!(check(&text, "tree", &[96], &GRIDS), 1);
}

#[test]
fn blocks_in_private_memory_are_privatised() {
    // Blocks of 2 by 2 for each of 2 by 4 work-items, in an array of 4 by 8.
    let text = format!(
        "{SUM}
@target(opencl)
@opencl(local = [4, 2], global = [4 * (n / 8), 2 * (n / 4)])
def block = depFun(n: Nat => fun(xs: n.n.f32 =>
  xs |> split(4) |> map(transpose) |> map(split(8)) |> map(map(transpose))
    |> mapWorkGroup(1)(mapWorkGroup(0)(fun(tile =>
      tile |> split(2) |> mapLocal(1)(fun(rows =>
          rows |> transpose |> split(2) |> mapLocal(0)(fun(cols =>
            cols |> mapSeq(fun(col => col |> mapSeq(twice)))))))
        |> toMem(Private)
        |> mapLocal(1)(mapLocal(0)(fun(cols => cols |> mapSeq(fun(col => col |> mapSeq(twice)))))))))))
"
    );
    assert_eq!(check(&text, "block", &[16], &GRIDS[..1]), 0);
    let part = with_memory(&kernels(&text, "block")[0]).expect("memory");
    let private: Vec<_> = part
        .function
        .variables
        .iter()
        .filter(|v| v.is_private() && v.count.is_some())
        .map(|v| format!("{} {:?}", v.name, v.count))
        .collect();
    expect!["tmp Some(4)"].assert_eq(&private.join("\n"));
}

#[test]
fn regrouped_dimensions_are_privatised() {
    let text = format!(
        "{SUM}
@target(opencl)
@opencl(local = [4], global = [4 * (n / 16)])
def regrouped = depFun(n: Nat => fun(xs: n.f32 =>
  xs |> split(16) |> mapWorkGroup(fun(chunk =>
    chunk |> split(4) |> transpose |> mapLocal(fun(c => c |> mapSeq(twice))) |> transpose |> join
      |> toMem(Private)
      |> split(2) |> split(2) |> map(join) |> transpose |> mapLocal(fun(c => c |> mapSeq(twice))))) |> join))
"
    );
    assert_eq!(check(&text, "regrouped", &[32], &GRIDS[..1]), 0);
}

#[test]
fn several_rounds_of_each_work_item() {
    let text = format!(
        "{SUM}
@target(opencl)
@opencl(local = [4], global = [8])
def rounds = depFun(n: Nat => fun(xs: n.f32 =>
  xs |> split(12) |> mapWorkGroup(fun(chunk =>
    chunk |> mapLocal(twice) |> toMem(Private) |> mapLocal(twice))) |> join))
"
    );
    assert_eq!(check(&text, "rounds", &[48], &GRIDS[..1]), 0);
}

#[test]
fn private_memory_of_others_is_refused() {
    let text = format!(
        "{SUM}
@target(opencl)
@opencl(local = [4], global = [n])
def others = depFun(n: Nat => fun(xs: n.f32 =>
  xs |> split(4) |> mapWorkGroup(fun(chunk =>
    chunk |> mapLocal(twice) |> toMem(Private) |> slide(2)(1) |> mapLocal(sum))) |> join))
"
    );
    let error = error(&text, "others");
    expect![[r#"
        this reads Private memory of other work-items: private memory is each work-item's own, and each holds only the elements that it computed in `mapLocal(0)`
        Some("use `toMem(Local)` (`reduceSeq(Local)`, …) for what a work-group shares, or let each work-item read only the elements that it computed, with the same map")"#]].assert_eq(&format!("{}\n{:?}", error.message, error.help));
}

#[test]
fn groups_do_not_wait_for_groups() {
    let text = format!(
        "{SUM}
@target(opencl)
@opencl(local = [4], global = [n])
def groups = depFun(n: Nat => fun(xs: n.f32 =>
  xs |> mapGlobal(twice) |> toMem(Global) |> slide(2)(1) |> mapGlobal(sum)))
@target(opencl)
@opencl(local = [4], global = [n])
def own = depFun(n: Nat => fun(xs: n.f32 =>
  xs |> mapGlobal(twice) |> toMem(Global) |> mapGlobal(twice)))
"
    );
    let error = error(&text, "groups");
    expect![[r#"
        work-groups read here what other work-groups write in the same kernel, and no barrier makes one group wait for another
        Some("make two kernels, with `oclRun` around what writes and around what reads, or let each group read only what it wrote")"#]].assert_eq(&format!("{}\n{:?}", error.message, error.help));
    assert_eq!(check(&text, "own", &[16], &GRIDS[..1]), 0);
}

#[test]
fn groups_read_what_they_wrote_in_another_map() {
    let text = format!(
        "{SUM}
def rev : (n: Nat) -> {{t: DataType}} -> n.t -> n.t = depFun(n: Nat => fun(xs =>
  xs |> reorder(n)(natFun(i => n - 1 - i))(natFun(i => n - 1 - i))))
@target(opencl)
def groups = depFun(n: Nat => fun(xs: n.8.f32 =>
  xs |> mapWorkGroup(mapLocal(twice)) |> toMem(Global)
    |> mapWorkGroup(fun(row => row |> rev(8) |> mapLocal(twice)))))
"
    );
    assert_eq!(check(&text, "groups", &[6], &GRIDS), 1);
}

#[test]
fn iterations_of_unknown_number_exchange_buffers_in_local_memory() {
    let text = format!(
        "{SUM}
@target(opencl)
@opencl(local = [4], global = [8])
def rounds : (k: Nat) -> (n: Nat) -> (n * 2 ^ k).f32 -> n.f32 = depFun((k: Nat, n: Nat) => fun(xs =>
  xs |> split(2 ^ k) |> mapWorkGroup(fun(chunk =>
    chunk |> mapLocal(twice) |> toMem(Local)
      |> iterate(Local)(k)(depFun(l: Nat => fun(part: (l * 2).f32 =>
           part |> split(2) |> mapLocal(sum))))
      |> toMem(Local) |> mapLocal(fun(x => x)))) |> join))
"
    );
    // The second size is for a single round, which leaves no barrier after the reads of the chunk.
    let sizes: [&[i64]; 2] = [&[1, 3], &[4, 3]];
    assert_eq!(check_all(&text, "rounds", &sizes, &GRIDS[..1]), 2);
}

#[test]
fn a_map_that_is_read_in_another_one_shares_no_work_items() {
    let text = format!(
        "{SUM}
@target(opencl)
@opencl(local = [4], global = [4])
def inside = fun(xs: 1.4.f32 => xs |> mapWorkGroup(fun(c =>
  let y = c |> mapLocal(twice) |> toMem(Local) in
  y |> split(1) |> map(fun(row => row |> mapLocal(twice) |> toMem(Local)))
    |> mapLocal(fun(e => e |> mapSeq(twice))))))
"
    );
    let error = error(&text, "inside");
    expect![[r#"
        this `mapLocal(0)` runs inside of `mapLocal(0)`, whose work-items already have other iterations there: a `map` is computed where its result is read
        Some("store its result before it is read: `toMem(Local)` outside of the map that reads it")"#]].assert_eq(&format!("{}\n{:?}", error.message, error.help));
}

#[test]
fn barriers_in_maps_need_all_work_items() {
    let program = |rows: u32, local: &str| {
        format!(
            "{SUM}
@target(opencl)
{local}
def rows = depFun(n: Nat => fun(xs: n.8.f32 =>
  xs |> split({rows}) |> split(1) |> mapWorkGroup(1)(mapWorkGroup(0)(mapLocal(1)(fun(row =>
    row |> mapLocal(0)(twice) |> toMem(Local) |> slide(2)(1) |> mapLocal(0)(sum))))) |> join |> join))
"
        )
    };
    let known = "@opencl(local = [8, 2], global = [8, n])";
    let grid = Grid {
        local: [8, 2, 1],
        global: [8, 4, 1],
    };
    assert_eq!(check(&program(2, known), "rows", &[8], &[grid]), 1);
    assert_eq!(check(&program(4, known), "rows", &[8], &[grid]), 2);
    let error = error(&program(3, known), "rows");
    expect![[r#"
        work-items would have to wait for each other inside of this `mapLocal(1)`, but they do not all come there: it has 3 elements for the 2 work-items of a group in dimension 1
        Some("OpenCL requires that each barrier is reached by all work-items of a group: make the number of elements a multiple of the local size, or store in another way what is shared")"#]].assert_eq(&format!("{}\n{:?}", error.message, error.help));
    assert_eq!(check(&program(4, ""), "rows", &[8], &[grid]), 2);
    let part = with_memory(&kernels(&program(4, ""), "rows")[0]).expect("memory");
    assert!(!part.work.requires.is_empty());
}

#[test]
fn a_barrier_for_one_memory_does_not_order_the_other() {
    // Between the reads of a chunk in local memory and the writes of the next one there is the
    // barrier for global memory, and vice versa.
    let text = format!(
        "{SUM}
@target(opencl)
@opencl(local = [4], global = [4])
def turned = depFun(n: Nat => fun(xs: n.f32 =>
  xs |> split(4) |> mapWorkGroup(fun(chunk =>
    chunk |> mapLocal(twice) |> toMem(Local)
      |> reorder(4)(natFun(i => 3 - i))(natFun(i => 3 - i)) |> mapLocal(twice) |> toMem(Global)
      |> reorder(4)(natFun(i => 3 - i))(natFun(i => 3 - i)) |> mapLocal(twice))) |> join))
"
    );
    assert_eq!(check(&text, "turned", &[12], &GRIDS[..1]), 3);
}
