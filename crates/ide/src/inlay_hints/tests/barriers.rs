//! Tests of the hints about barriers.

use super::{check, hints, only_flow};
use crate::fixture::Fixture;
use crate::{AccessFlow, InlayConfig};
use expect_test::expect;

const TREE: &str = "\
@target(opencl)
@opencl(local = [64], global = [n / 2])
def tree = depFun(n: Nat => fun(xs: (128 * n).f32 =>
  xs |> split(128) |> mapWorkGroup(fun(chunk =>
    let sums = toMem(Local)(chunk |> split(2) |> mapLocal(reduceSeq(Private)(add)(0.0f))) in
    sums
      |> split(4)
      |> mapLocal(reduceSeq(Private)(add)(0.0f)) // four at a time
  )) |> join))
";

#[test]
fn barriers_say_what_they_wait_for() {
    let barriers = InlayConfig {
        max_length: 80,
        ..only_flow(AccessFlow::Off)
    };
    check(
        TREE,
        &barriers,
        expect![[r#"
            @target(opencl)
            @opencl(local = [64], global = [n / 2])
            def tree = depFun(n: Nat => fun(xs: (128 * n).f32 =>
              xs |> split(128) |> mapWorkGroup(fun(chunk =>
                let sums = toMem(Local)(chunk |> split(2) |> mapLocal(reduceSeq(Private)(add)(0.0f))) in «barrier: orders the read of sums (line 8) and the write here»
                sums
                  |> split(4)
                  |> mapLocal(reduceSeq(Private)(add)(0.0f)) «barrier: orders the write of sums (line 5) and the read here» // four at a time
              )) |> join))
        "#]],
    );
    let found = hints(&Fixture::new(TREE), &barriers);
    let details: Vec<&str> = found.iter().map(|hint| hint.details.as_str()).collect();
    expect![[r#"
        This barrier
        - orders the read of `sums` (line 8) and the write in line 5
        This barrier
        - orders the write of `sums` (line 5) and the read in line 8"#]]
    .assert_eq(&details.join("\n"));
    // The shortest label.
    let short = InlayConfig {
        max_length: 26,
        ..barriers
    };
    check(
        TREE,
        &short,
        expect![[r#"
            @target(opencl)
            @opencl(local = [64], global = [n / 2])
            def tree = depFun(n: Nat => fun(xs: (128 * n).f32 =>
              xs |> split(128) |> mapWorkGroup(fun(chunk =>
                let sums = toMem(Local)(chunk |> split(2) |> mapLocal(reduceSeq(Private)(add)(0.0f))) in «barrier: waits for line 8»
                sums
                  |> split(4)
                  |> mapLocal(reduceSeq(Private)(add)(0.0f)) «barrier: waits for line 5» // four at a time
              )) |> join))
        "#]],
    );
    let off = InlayConfig {
        barriers: false,
        ..barriers
    };
    assert!(hints(&Fixture::new(TREE), &off).is_empty());
}
