//! Tests of estimates: the bytes that move, the operations, the sizes that are assumed, and hints.

use codegen::Target;
use codegen::cost::{
    AccessPurpose, Cache, Estimate, Hint, HintKind, Machine, Obstacle, Vectorization, estimate,
};
use rise::core::{normalise, program_of};

fn estimated(
    text: &str,
    target: Target,
    machine: Option<&Machine>,
    sizes: &[(&str, i64)],
) -> Estimate {
    let mut program = program_of(text, "f").expect("a program");
    normalise(&mut program).expect("a normal form");
    let functional = dpia::functional(&program, target.features());
    let functional = functional.unwrap_or_else(|found| panic!("{found:?}"));
    let imperative = dpia::imperative(&functional).expect("an imperative program");
    let sizes: Vec<_> = sizes
        .iter()
        .map(|(name, size)| ((*name).into(), *size))
        .collect();
    let options = Default::default();
    estimate(&imperative, target, &options, machine, &sizes, &|| ()).expect("an estimate")
}

fn in_c(text: &str, sizes: &[(&str, i64)]) -> Estimate {
    estimated(text, Target::C, None, sizes)
}

/// Returns the bytes that move into the cache with this number.
fn bytes(estimate: &Estimate, cache: usize) -> f64 {
    estimate.cost.as_ref().expect("costs").transfers[cache].1
}

fn seconds(estimate: &Estimate) -> f64 {
    estimate.cost.as_ref().expect("costs").seconds
}

/// Asserts that two numbers differ by at most two percent.
#[track_caller]
fn assert_near(number: f64, expected: f64) {
    let difference = (number - expected).abs();
    assert!(difference <= 0.02 * expected, "{number}, not {expected}");
}

const DOUBLED: &str =
    "def f = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(fun(x => x * 2.0f))))";
const COLUMNS: &str = "def f = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 =>
  a |> transpose |> mapSeq(fun(column => column |> reduceSeq(add)(0.0f)))))";

#[test]
fn written_memory_moves_twice() {
    let n = 1_000_000;
    let found = in_c(DOUBLED, &[("n", n)]);
    for cache in 0..3 {
        assert_near(bytes(&found, cache), 12.0 * n as f64);
    }
}

#[test]
fn rows_of_a_stencil_move_once() {
    let text = "def f = depFun((n: Nat, m: Nat) => fun(a: (n + 2).m.f32 =>
      a |> slide(3)(1) |> mapSeq(fun(rows => rows |> transpose |> mapSeq(fun(column =>
        column |> reduceSeq(add)(0.0f)))))))";
    let (n, m) = (2000, 2000);
    let found = in_c(text, &[("n", n), ("m", m)]);
    assert_near(bytes(&found, 1), 12.0 * (n * m) as f64);
}

/// Loops that are fused in tiles of rows read another part of the array for each tile.
#[test]
fn tiles_move_their_own_part_of_an_array() {
    let text = "def f = depFun((n: Nat, m: Nat) => fun(a: n.m.f64 =>
      a |> mapSeq(mapSeq(id)) |> toMem |> mapSeq(mapSeq(fun(x => x * 2.0)))))";
    let (n, m) = (2000, 2000);
    let found = in_c(text, &[("n", n), ("m", m)]);
    assert_near(bytes(&found, 2), 24.0 * (n * m) as f64);
    // The copies stay in a cache, and take no time beside these transfers.
    assert_eq!(found.hints, []);
}

#[test]
fn columns_move_whole_lines_unless_they_fit() {
    // A line of each row for four columns, which are read together: the lines of a column do not fit
    // into the first cache.
    let found = in_c(COLUMNS, &[("n", 5000), ("m", 1000)]);
    assert!(bytes(&found, 0) > 15.0 * 5000.0 * 1000.0);
    assert_near(bytes(&found, 2), 4.0 * 5000.0 * 1000.0);
    let found = in_c(COLUMNS, &[("n", 100), ("m", 1000)]);
    assert!(bytes(&found, 0) < 1.05 * 4.0 * 100.0 * 1000.0);
}

#[test]
fn powers_of_two_compete_for_sets() {
    let conflicting = in_c(COLUMNS, &[("n", 1024), ("m", 1024)]);
    let other = in_c(COLUMNS, &[("n", 1024), ("m", 1000)]);
    assert!(bytes(&conflicting, 1) > 3.0 * bytes(&other, 1));
}

#[test]
fn operations_are_counted_in_sizes() {
    let text = "def f = depFun((n: Nat, m: Nat) => fun(a: n.m.f32, x: m.f32 =>
      a |> mapSeq(fun(row => zip(row)(x) |> reduceSeq(fun(sum, p => sum + p._1 * p._2))(0.0f)))))";
    let found = in_c(text, &[]);
    let operations = found.operations.clone().expect("a count");
    assert_eq!(found.size_text(&operations), "n*m*2");
}

#[test]
fn assumed_sizes_satisfy_the_conditions_of_the_program() {
    let text = "def f = depFun(n: Nat => fun(xs: n.f32 =>
      xs |> split(15) |> mapSeq(mapSeq(fun(x => x * 2.0f)))))";
    let found = in_c(text, &[]);
    assert_eq!(found.sizes, [("n".into(), 960, true)]);
    assert_eq!(in_c(DOUBLED, &[]).sizes, [("n".into(), 1024, true)]);
    assert_eq!(in_c(DOUBLED, &[("n", 7)]).sizes, [("n".into(), 7, false)]);
}

#[test]
fn threads_share_the_bandwidth_of_memory() {
    let text = DOUBLED.replace("mapSeq", "mapPar");
    let of_threads = |threads| {
        let machine = Machine {
            threads,
            ..Machine::default()
        };
        let found = estimated(&text, Target::OpenMp, Some(&machine), &[("n", 100_000_000)]);
        seconds(&found)
    };
    assert!(of_threads(1) > 1.8 * of_threads(2));
    assert_near(of_threads(16), of_threads(32));
}

#[test]
fn slower_caches_take_longer() {
    let cache = |consecutive: f64| Machine {
        caches: vec![Cache {
            name: "L1".to_owned(),
            bytes: 32 << 10,
            ways: None,
            consecutive,
            scattered: consecutive,
            total: consecutive,
        }],
        ..Machine::default()
    };
    let time = |machine: &Machine| {
        seconds(&estimated(
            DOUBLED,
            Target::C,
            Some(machine),
            &[("n", 1_000_000)],
        ))
    };
    assert_near(time(&cache(1e9)), 10.0 * time(&cache(1e10)));
}

#[test]
fn a_description_of_a_machine_has_defaults_and_is_checked() {
    let machine = Machine::parse("threads = 4\n[cycles]\nlatency = 2.0\n").expect("a machine");
    assert_eq!((machine.threads, machine.cycles.latency), (4, 2.0));
    assert_eq!(machine.caches, Machine::default().caches);
    for (text, message) in [
        ("threads = 0", "`threads` is 0, but must be positive"),
        ("caches = []", "`caches` is empty"),
        (
            "[cycles]\nload = -1.0",
            "`cycles.load` is -1, but must be positive",
        ),
    ] {
        assert_eq!(Machine::parse(text), Err(message.to_owned()));
    }
    assert!(Machine::parse("colour = 1").is_err_and(|message| message.contains("colour")));
}

#[test]
fn the_interchanged_loops_of_a_hint_are_faster() {
    let found = in_c(COLUMNS, &[("n", 3000), ("m", 2000)]);
    let [hint] = &found.hints[..] else {
        panic!("{:?}", found.hints)
    };
    assert!(matches!(&hint.kind, HintKind::StridedRead { factor, .. } if *factor > 2.0));
    // With one column, the other order reads as far apart.
    let found = in_c(COLUMNS, &[("n", 3000), ("m", 1)]);
    let is_strided = |kind: &HintKind| matches!(kind, HintKind::StridedRead { .. });
    assert!(!found.hints.iter().any(|hint| is_strided(&hint.kind)));
}

/// A loop is compared with its faster form, not the whole statement that contains it, of which it may
/// be a half.
#[test]
fn hints_compare_single_loops() {
    let text = "def f = depFun((n: Nat, m: Nat, k: Nat) => fun(a: n.k.f32, b: k.m.f32, c: m.m.f32 =>
      a |> mapSeq(fun(row =>
        let ab = b |> transpose |> mapSeq(fun(x => zip(row)(x) |> reduceSeq(fun(acc, p => acc + p._1 * p._2))(0.0f))) |> toMem in
        c |> transpose |> mapSeq(fun(x => zip(ab)(x) |> reduceSeq(fun(acc, p => acc + p._1 * p._2))(0.0f)))))))";
    let found = in_c(text, &[("n", 448), ("m", 448), ("k", 448)]);
    let strided = |hint: &codegen::cost::Hint| match &hint.kind {
        HintKind::StridedRead { array, .. } => Some(array.to_string()),
        _ => None,
    };
    let arrays: Vec<_> = found.hints.iter().filter_map(strided).collect();
    assert_eq!(arrays, ["b", "c"]);
}

/// The pages of a column are more than those whose addresses a core keeps.
#[test]
fn long_columns_translate_addresses() {
    let translation = |n| {
        let found = in_c(COLUMNS, &[("n", n), ("m", 1000)]);
        found.cost.expect("costs").translation_seconds
    };
    assert!(translation(2000) > 100.0 * translation(1000));
}

/// Both reductions of a column read with a stride: one of them alone would be half of the time. Without
/// integer divisions, they are computed for many columns at a time.
#[test]
fn all_reductions_of_a_column_have_a_hint() {
    let text = "def f = depFun((n: Nat, m: Nat) => fun(a: n.m.i32 =>
      a |> transpose |> mapSeq(fun(c =>
        let all = c |> reduceSeq(add)(0) in
        c |> reduceSeq(fun(sum, x => sum + x / all))(0)))))";
    let sizes = [("n", 2000), ("m", 2000)];
    let plain = text.replace("x / all", "x * all");
    assert_eq!(in_c(&plain, &sizes).hints, []);
    let found = in_c(text, &sizes);
    let factors: Vec<_> = found
        .hints
        .iter()
        .map(codegen::cost::Hint::factor)
        .collect();
    assert!(
        factors.len() == 2 && factors.iter().all(|factor| *factor > Some(3.0)),
        "{factors:?}"
    );
}

#[test]
fn short_reductions_have_no_hint() {
    let text = "def f = depFun(n: Nat => fun(a: n.3.f32 =>
      a |> mapSeq(fun(p => p |> reduceSeq(add)(0.0f)))))";
    assert_eq!(in_c(text, &[("n", 3_000_000)]).hints, []);
}

#[test]
fn copies_of_zipped_arrays_have_a_hint() {
    let text = "def f = depFun(n: Nat => fun(a: n.f32, b: n.f32 =>
      zip(a)(b) |> mapSeq(id) |> toMem |> mapSeq(fun(p => p._1 + p._2))))";
    let found = in_c(text, &[("n", 1_000_000)]);
    let messages: Vec<_> = (found.hints.iter())
        .map(|hint| hint.message(&found.names))
        .collect();
    assert_eq!(
        messages,
        ["this copies `a` and `b`: n*8 bytes (estimated 8.0 MB)"]
    );
}

/// The loops are interchanged, or computed in tiles if some arrays are accessed row by row.
#[test]
fn maps_over_columns_have_no_hint() {
    let hints = |body: &str| {
        let text =
            format!("def f = depFun((n: Nat, m: Nat) => fun(a: n.m.f32, b: m.n.f32 => {body}))");
        in_c(&text, &[("n", 3000), ("m", 3000)]).hints
    };
    for body in [
        "a |> transpose |> mapSeq(mapSeq(id))",
        "a |> transpose |> mapSeq(mapSeq(fun(x => x * x + 1.0f))) |> transpose",
        "zip(a)(b |> transpose) |> mapSeq(fun(r => zip(r._1)(r._2) |> mapSeq(fun(p => p._1 + p._2))))",
        "a |> map(fun(row => row)) |> mapSeq(mapSeq(fun(x => x * 2.0f))) |> transpose",
    ] {
        assert_eq!(hints(body), [], "{body}");
    }
    // Twelve of the 300 iterations fill no tile.
    let axes = "def f = depFun((n: Nat, m: Nat, k: Nat) => fun(a: n.m.k.f32 =>
      a |> map(transpose) |> transpose |> mapSeq(mapSeq(mapSeq(fun(x => x - 1.0f))))))";
    assert_eq!(in_c(axes, &[("n", 300), ("m", 200), ("k", 300)]).hints, []);
}

#[test]
fn columns_that_are_stored_before_they_are_reduced_have_a_hint() {
    for f in ["id", "fun(x => x * x)"] {
        let text = format!(
            "def f = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 => a |> transpose |> mapSeq(fun(column =>
               column |> mapSeq({f}) |> toMem |> reduceSeq(add)(0.0f)))))"
        );
        let found = in_c(&text, &[("n", 2000), ("m", 2000)]).hints;
        let is_storing = |kind: &HintKind| {
            matches!(
                kind,
                HintKind::StridedRead {
                    purpose: AccessPurpose::Storing,
                    ..
                }
            )
        };
        assert!(found.len() == 1 && is_storing(&found[0].kind), "{found:?}");
    }
}

fn only_hint(text: &str, sizes: &[(&str, i64)]) -> HintKind {
    let found = in_c(text, sizes).hints;
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].kind.clone()
}

#[test]
fn loops_with_the_same_result_each_time_have_a_hint() {
    let text = "def f = depFun((n: Nat, m: Nat) => fun(xs: n.f32, ys: m.f32 =>
      xs |> mapSeq(fun(x => x * (ys |> reduceSeq(add)(0.0f))))))";
    let found = only_hint(text, &[("n", 1000), ("m", 1000)]);
    assert!(matches!(found, HintKind::Invariant { .. }), "{found:?}");
    let depends = text.replace("reduceSeq(add)", "map(mul(x)) |> reduceSeq(add)");
    let found = in_c(&depends, &[("n", 1000), ("m", 1000)]).hints;
    assert!(
        !found
            .iter()
            .any(|hint| matches!(hint.kind, HintKind::Invariant { .. })),
        "{found:?}"
    );
}

#[test]
fn calls_with_the_same_values_each_time_have_a_hint() {
    let text = "def f = depFun((n: Nat, m: Nat) => fun(xs: n.f32, ys: m.f32 =>
      xs |> mapSeq(fun(x => ys |> map(exp) |> reduceSeq(fun(acc, y => acc + x * y))(0.0f)))))";
    let found = only_hint(text, &[("n", 1000), ("m", 1000)]);
    assert!(
        matches!(&found, HintKind::RepeatedCall { function, .. } if function == "exp"),
        "{found:?}"
    );
}

#[test]
fn arrays_that_are_stored_to_be_read_once_have_a_hint() {
    let text = "def f = depFun(n: Nat => fun(xs: n.f32 =>
      xs |> mapSeq(fun(x => x * 2.0f)) |> toMem |> mapSeq(fun(x => x + 1.0f))))";
    let found = only_hint(text, &[("n", 10_000_000)]);
    assert!(matches!(found, HintKind::Unfused { .. }), "{found:?}");
    // Each element is read three times.
    let windows = "def f = depFun(n: Nat => fun(xs: (n + 2).f32 =>
      xs |> mapSeq(fun(x => exp(x))) |> toMem |> slide(3)(1) |> mapSeq(reduceSeqUnroll(add)(0.0f))))";
    assert_eq!(in_c(windows, &[("n", 10_000_000)]).hints, []);
}

#[test]
fn threads_that_start_in_each_iteration_have_a_hint() {
    let in_openmp = |text: &str| {
        let found = estimated(text, Target::OpenMp, None, &[("n", 1000), ("m", 1000)]).hints;
        found.into_iter().map(|hint| hint.kind).collect::<Vec<_>>()
    };
    let inner = "def f = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 =>
      a |> mapSeq(mapPar(fun(x => x * 2.0f)))))";
    let found = in_openmp(inner);
    assert!(
        matches!(found[..], [HintKind::InnerParallel { factor }] if factor > 5.0),
        "{found:?}"
    );
    // Each step needs the results of the one before.
    let steps = "def f = depFun((n: Nat, m: Nat) => fun(a: n.m.f32, xs: m.f32 =>
      a |> reduceSeq(fun(sums, row => zip(sums)(row) |> mapPar(fun(p => p._1 + p._2))))(xs |> mapSeq(id))
        |> mapSeq(id)))";
    assert_eq!(in_openmp(steps), []);
}

/// Each step of the sum over `k` reads and writes a matrix that is larger than the first cache.
#[test]
fn sums_of_matrices_have_a_hint() {
    let text = "def f = depFun((n: Nat, k: Nat, m: Nat) => fun(a: n.k.f32, b: k.m.f32 =>
      zip(a |> transpose)(b) |> reduceSeq(fun(sums, step => zip(sums)(step._1) |> mapSeq(fun(row =>
        zip(row._1)(step._2) |> mapSeq(fun(p => p._1 + row._2 * p._2))))))(
          generate(fun(i => generate(fun(j => 0.0f)))) |> mapSeq(mapSeq(id))) |> mapSeq(mapSeq(id))))";
    let found = only_hint(text, &[("n", 400), ("k", 400), ("m", 400)]);
    assert!(matches!(found, HintKind::LoopOrder { .. }), "{found:?}");
}

/// The loop over the columns is around the one over the rows: many columns are computed together.
#[test]
fn products_that_read_columns_have_no_hint() {
    let text = "def f = depFun((n: Nat, k: Nat, m: Nat) => fun(a: n.k.f32, b: k.m.f32 =>
      b |> transpose |> mapSeq(fun(column => a |> mapSeq(fun(row => zip(row)(column)
        |> reduceSeq(fun(sum, p => fma(p._1)(p._2)(sum)))(0.0f))))) |> transpose))";
    let found = in_c(text, &[("n", 504), ("k", 504), ("m", 504)]);
    assert_eq!(found.hints, []);
    assert!(seconds(&found) < 0.01, "{found:?}");
}

#[test]
fn columns_of_selected_rows_have_a_hint() {
    let text = "def f = depFun((n: Nat, m: Nat, k: Nat) => fun(at: n.Idx[k], table: k.m.f32 =>
      table |> gather(at) |> transpose |> mapSeq(reduceSeq(add)(0.0f))))";
    let found = in_c(text, &[("n", 200_000), ("m", 64), ("k", 10_000)]);
    let messages: Vec<_> = (found.hints.iter())
        .map(|hint| hint.message(&found.names))
        .collect();
    assert!(
        messages.len() == 1
            && messages[0].starts_with("`table` is read at places that data selects"),
        "{messages:?}"
    );
}

/// Each element is in nine windows.
#[test]
fn calls_for_each_element_of_a_window_have_a_hint() {
    let text = "def f = depFun((n: Nat, m: Nat) => fun(a: (n + 8).m.f32 =>
      a |> map(map(fun(x => exp(x)))) |> slide(9)(1) |> mapSeq(fun(rows =>
        rows |> transpose |> mapSeq(reduceSeq(add)(0.0f))))))";
    let found = only_hint(text, &[("n", 2000), ("m", 2000)]);
    assert!(
        matches!(&found, HintKind::RepeatedCall { array: Some(array), .. } if array == "a"),
        "{found:?}"
    );
}

/// The copy and the sum of a tile of rows are executed one after the other.
#[test]
fn copies_of_rows_before_a_sum_have_a_hint() {
    let text = "def f = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 =>
      a |> mapSeq(mapSeq(id)) |> toMem |> mapSeq(reduceSeq(add)(0.0f))))";
    let found = only_hint(text, &[("n", 3000), ("m", 3000)]);
    assert!(matches!(found, HintKind::Copy { .. }), "{found:?}");
    let padded = "def f = depFun(n: Nat => fun(a: n.f32 =>
      a |> padClamp(1)(1) |> mapSeq(id) |> toMem |> slide(3)(1) |> mapSeq(reduceSeqUnroll(add)(0.0f))))";
    let found = only_hint(padded, &[("n", 10_000_000)]);
    assert!(matches!(found, HintKind::Copy { .. }), "{found:?}");
}

/// The sums of a column up to the diagonal.
#[test]
fn triangles_that_are_read_by_columns_have_a_hint() {
    let text = "def f = depFun(n: Nat => fun(a: n.n.f32 =>
      (generate(fun(i => indexAsNat(i))) : n.natType) |> zip(a |> transpose) |> mapSeq(fun(c =>
        zip(c._1)(generate(fun(j => indexAsNat(j)))) |> reduceSeq(fun(sum, p =>
          select(p._2 <= c._2)(sum + p._1)(sum)))(0.0f)))))";
    let found = only_hint(text, &[("n", 3000)]);
    assert!(matches!(found, HintKind::StridedRead { .. }), "{found:?}");
}

/// Four rows are summed side by side, and the time is that of the exponential function.
#[test]
fn reductions_that_take_little_time_have_no_hint() {
    let text = "def f = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 => a |> mapSeq(fun(row =>
      let largest = row |> reduceSeq(max)(-1000.0f) in
      row |> mapSeq(fun(x => exp(x - largest)))))))";
    assert_eq!(in_c(text, &[("n", 2000), ("m", 2000)]).hints, []);
}

/// A row fits into the cache, so that its copy takes little time.
#[test]
fn copies_of_rows_have_no_hint_and_copies_of_arrays_have_one() {
    let rows = "def f = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 => a |> mapSeq(fun(row =>
      row |> mapSeq(id) |> toMem |> mapSeq(fun(x => x * 2.0f))))))";
    assert_eq!(in_c(rows, &[("n", 3000), ("m", 3000)]).hints, []);
    let slice = "def f = depFun(n: Nat => fun(a: (n + 5).f32 =>
      a |> drop(5) |> mapSeq(id) |> toMem |> mapSeq(fun(x => x + 1.0f))))";
    let found = only_hint(slice, &[("n", 10_000_000)]);
    assert!(matches!(found, HintKind::Copy { .. }), "{found:?}");
}

/// A packed column that several loops read is stored on purpose.
#[test]
fn packed_columns_have_no_hint() {
    let text = "def f = depFun((n: Nat, m: Nat) => fun(a: n.m.f32, b: n.n.f32 =>
      a |> transpose |> mapSeq(fun(column =>
        let packed = column |> mapSeq(id) |> toMem in
        b |> mapSeq(fun(row => zip(row)(packed) |> reduceSeq(fun(sum, p => sum + p._1 * p._2))(0.0f)))))))";
    let found = in_c(text, &[("n", 1000), ("m", 1000)]);
    let is_strided = |hint: &Hint| matches!(hint.kind, HintKind::StridedRead { .. });
    assert!(!found.hints.iter().any(is_strided), "{:?}", found.hints);
}

#[test]
fn loops_that_depend_on_data_have_no_prediction() {
    let text = "def f = depFun((n: Nat, m: Nat) => fun(xs: m.f32, at: n.Idx[m] =>
      at |> mapSeq(fun(i => xs |> idx(i)))))";
    let found = in_c(text, &[]);
    assert_eq!(found.loops[0].vectorization, Vectorization::Unknown);
}

fn operations_seconds(estimate: &Estimate) -> f64 {
    estimate.cost.as_ref().expect("costs").operations_seconds
}

#[test]
fn independent_sums_are_computed_side_by_side() {
    let rows = "def f = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 =>
      a |> mapSeq(reduceSeq(add)(0.0f))))";
    let all = "def f = depFun(n: Nat => fun(xs: n.f32 => xs |> reduceSeq(add)(0.0f)))";
    let rows = in_c(rows, &[("n", 1000), ("m", 1000)]);
    let all = in_c(all, &[("n", 1_000_000)]);
    // Unroll-and-jam computes four rows together.
    assert!(operations_seconds(&all) > 3.0 * operations_seconds(&rows));
}

#[test]
fn register_tiles_are_bound_by_throughput() {
    let text = "def f = depFun((n: Nat, m: Nat, k: Nat) => fun((a: n.k.f32, b: k.m.f32) =>
      a |> mapSeq(fun(row => zip(row)(b)
        |> reduceSeq(fun(sums, p => zip(sums)(p._2) |> mapSeq(fun(q => fma(p._1)(q._2)(q._1)))))(
          generate(fun(i => 0.0f)) |> mapSeq(id))
        |> mapSeq(id)))))";
    let n = 512;
    let found = in_c(text, &[("n", n), ("m", n), ("k", n)]);
    let machine = Machine::default();
    let lanes = f64::from(machine.register_bytes) / 4.0;
    let fused = (n * n * n) as f64 * machine.cycles.simple / lanes / machine.frequency;
    let seconds = operations_seconds(&found);
    assert!(
        fused < seconds && seconds < 1.3 * fused,
        "{seconds}, {fused}"
    );
}

#[test]
fn sums_of_fused_products_are_not_vectorised() {
    let text = "def f = depFun(n: Nat => fun(xs: n.f32, ys: n.f32 =>
      zip(xs)(ys) |> reduceSeq(fun(sum, p => fma(p._1)(p._2)(sum)))(0.0f)))";
    let found = in_c(text, &[("n", 1_000_000)]);
    let obstacle = Obstacle::OrderedReduction("sum");
    assert_eq!(
        found.loops[0].vectorization,
        Vectorization::Scalar(obstacle)
    );
    // An operation for each product, which takes four cycles.
    assert_near(operations_seconds(&found), 4e6 / 3e9);
    let text = "def f = depFun(n: Nat => fun(xs: n.f32, ys: n.f32 =>
      zip(xs)(ys) |> mapSeq(fun(p => fma(p._1)(p._2)(1.0f)))))";
    let found = in_c(text, &[]);
    assert_eq!(found.loops[0].vectorization, Vectorization::Vector);
}

/// The window of a stencil rotates through variables: each gets the value that another one had in the
/// iteration before.
#[test]
fn a_rotating_window_is_not_vectorised() {
    let text = "def f = depFun(n: Nat => fun(xs: (n + 2).f32 =>
      xs |> rotateValues(3)(fun(x => x)) |> iterateStream(fun(window =>
        window |> reduceSeqUnroll(add)(0.0f)))))";
    let found = in_c(text, &[("n", 1000)]);
    let is_recurrence = |vectorization: &Vectorization| {
        matches!(
            vectorization,
            Vectorization::Scalar(Obstacle::Recurrence(_))
        )
    };
    assert!(
        found
            .loops
            .iter()
            .any(|each| is_recurrence(&each.vectorization))
    );
}

/// Two iterations may add to the same element.
#[test]
fn a_histogram_is_not_vectorised() {
    let text = "def f = depFun((n: Nat, k: Nat) => fun(values: n.Idx[k] =>
      values |> reduceSeq(fun(sums, value =>
        zip(sums)(generate(fun(bin => bin)))
          |> mapSeq(fun(p => p._1 + select(value == p._2)(1i32)(0i32)))))
        (generate(fun(bin => 0i32)) |> mapSeq(fun(x => x)))
        |> mapSeq(fun(x => x))))";
    let found = in_c(text, &[("n", 1000), ("k", 10)]);
    let adds = Vectorization::Scalar(Obstacle::Dependence("output".into()));
    assert!(found.loops.iter().any(|each| each.vectorization == adds));
}

#[test]
fn loops_around_reductions_of_shared_elements_are_vectorised() {
    let text = "def f = depFun(n: Nat => fun(xs: n.f32, ys: 6.f32 => xs |> mapSeq(fun(x =>
      ys |> reduceSeq(fun(acc, y => max(acc, x * y)))(0.0f)))))";
    let found = in_c(text, &[]);
    let loops = found.loops.iter();
    let found: Vec<&Vectorization> = loops.map(|found| &found.vectorization).collect();
    assert!(found.contains(&&Vectorization::Lanes), "{found:?}");
}

#[test]
fn parameters_that_are_indices_have_the_same_value_everywhere() {
    let text = "def f = depFun((n: Nat, m: Nat) => fun((a: n.m.f32, i: Idx[n]) =>
      a |> mapSeq(fun(row => zip(row)(a |> idx(i)) |> mapSeq(fun(p => p._1 + p._2))))))";
    let (n, m) = (1000, 4000);
    let found = in_c(text, &[("n", n), ("m", m)]);
    // The matrix is read and the result is written; the shared row stays in the second cache.
    assert!(bytes(&found, 1) < 12.5 * (n * m) as f64);
}

#[test]
fn random_reads_move_lines_unless_the_array_fits_into_the_cache() {
    let text = "def f = depFun((n: Nat, m: Nat) => fun(xs: m.f32, at: n.Idx[m] =>
      at |> mapSeq(fun(i => xs |> idx(i)))))";
    let n = 1_000_000;
    let of_elements = |m| bytes(&in_c(text, &[("n", n), ("m", m)]), 1);
    assert!(of_elements(100_000_000) > 64.0 * n as f64);
    assert!(of_elements(1000) < 13.0 * n as f64);
}

#[test]
fn searches_for_the_least_float_are_not_vectorised() {
    let text = |ty: &str, most: &str| {
        format!(
            "def f = depFun(n: Nat => fun(xs: n.{ty} =>
          xs |> reduceSeq(fun(least, x => select(x < least)(x)(least)))({most})))"
        )
    };
    let found = in_c(&text("f32", "1.0f"), &[]);
    let obstacle = Obstacle::OrderedReduction("minimum");
    assert_eq!(
        found.loops[0].vectorization,
        Vectorization::Scalar(obstacle)
    );
    let found = in_c(&text("i32", "1i32"), &[]);
    assert_eq!(found.loops[0].vectorization, Vectorization::Unknown);
}

/// The sums of columns are the same for each row.
#[test]
fn results_that_an_outer_loop_does_not_change_have_a_hint() {
    let text = "def f = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 => a |> mapSeq(fun(row =>
      zip(row)(a |> transpose) |> mapSeq(fun(p => p._1 / (p._2 |> reduceSeq(add)(0.0f))))))))";
    let found = only_hint(text, &[("n", 300), ("m", 300)]);
    assert!(matches!(found, HintKind::Invariant { .. }), "{found:?}");
    let stored = "def f = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 => a |> mapSeq(fun(row =>
      let sums = a |> reduceSeq(fun(sums, r => zip(sums)(r) |> mapSeq(fun(p => p._1 + p._2))))(
        generate(fun(j => 0.0f)) |> mapSeq(id)) |> mapSeq(id) |> toMem in
      zip(row)(sums) |> mapSeq(fun(p => p._1 / p._2))))))";
    let found = only_hint(stored, &[("n", 300), ("m", 300)]);
    assert!(matches!(found, HintKind::Invariant { .. }), "{found:?}");
    // Each iteration of a reduction continues with the array of the one before.
    let steps = "def f = depFun((n: Nat, k: Nat) => fun(xs: n.f32 =>
      (generate(fun(i => 0.5f)) : k.f32) |> reduceSeq(fun(state, t =>
        state |> mapSeq(fun(x => x * 0.5f + 1.0f))))(xs |> mapSeq(id)) |> mapSeq(id)))";
    let found = in_c(steps, &[("n", 100_000), ("k", 100)]).hints;
    assert!(
        !found
            .iter()
            .any(|hint| matches!(hint.kind, HintKind::Invariant { .. })),
        "{found:?}"
    );
}

#[test]
fn values_that_two_loops_compute_have_a_hint() {
    let text = "def f = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 => a |> mapSeq(fun(row =>
      let sum = row |> reduceSeq(fun(sum, x => sum + exp(x)))(0.0f) in
      row |> mapSeq(fun(x => exp(x) / sum))))))";
    let found = only_hint(text, &[("n", 500), ("m", 500)]);
    assert!(
        matches!(&found, HintKind::RepeatedCall { function, .. } if function == "exp"),
        "{found:?}"
    );
}

/// Compilers move calls and loops that they unroll out of a loop.
#[test]
fn what_compilers_move_out_of_a_loop_has_no_hint() {
    let sizes = [("n", 1000), ("m", 1000)];
    let call = "def f = depFun((n: Nat, m: Nat) => fun(xs: n.f32, ys: m.f32 =>
      xs |> mapSeq(fun(x => ys |> mapSeq(fun(y => exp(x) * y))))))";
    let found = in_c(call, &sizes);
    assert_eq!(found.hints, []);
    assert!(operations_seconds(&found) < 1e-3);
    let short = "def f = depFun(n: Nat => fun(xs: n.f32, w: 8.f32 =>
      xs |> mapSeq(fun(x => x * (w |> reduceSeq(add)(0.0f))))))";
    assert_eq!(in_c(short, &[("n", 1_000_000)]).hints, []);
    let columns = "def f = depFun((n: Nat, m: Nat) => fun(a: n.4.f32, b: 4.m.f32 =>
      a |> mapSeq(fun(row => b |> transpose |> mapSeq(fun(column => zip(row)(column)
        |> reduceSeq(fun(sum, p => sum + p._1 * p._2))(0.0f)))))))";
    assert_eq!(in_c(columns, &sizes).hints, []);
}

/// A difference is computed faster than it is read.
#[test]
fn differences_that_are_stored_for_windows_have_a_hint() {
    let text = "def f = depFun(n: Nat => fun(xs: (n + 2).f32 =>
      xs |> slide(2)(1) |> mapSeq(fun(p => idx(1)(p) - idx(0)(p))) |> toMem
        |> slide(2)(1) |> mapSeq(fun(p => idx(1)(p) - idx(0)(p)))))";
    let found = only_hint(text, &[("n", 30_000_000)]);
    assert!(
        matches!(
            found,
            HintKind::Unfused {
                is_read_once: false,
                ..
            }
        ),
        "{found:?}"
    );
}

#[test]
fn arrays_that_fit_into_the_last_cache_are_there() {
    let seconds = |n| in_c(DOUBLED, &[("n", n)]).cost.expect("costs").transfers[2].2;
    assert_eq!(seconds(1_000_000), 0.0);
    assert!(seconds(10_000_000) > 1e-3);
}

/// Each result reads four elements of a row, which several results need.
#[test]
fn rows_of_few_elements_have_a_hint_if_they_are_read_again() {
    let text = "def f = depFun((n: Nat, m: Nat) => fun(a: n.4.f32, b: m.4.f32 =>
      a |> mapSeq(fun(x => b |> mapSeq(fun(y => zip(x)(y) |> reduceSeq(fun(sum, p =>
        sum + (p._1 - p._2) * (p._1 - p._2)))(0.0f)))))))";
    let found = only_hint(text, &[("n", 1000), ("m", 1000)]);
    let is_narrow = matches!(
        found,
        HintKind::StridedRead {
            purpose: AccessPurpose::NarrowRows,
            ..
        }
    );
    assert!(is_narrow, "{found:?}");
}
