//! Snapshots of the imperative forms of the papers' examples.

use codegen::Target;
use expect_test::{Expect, expect};

use super::source::shown;

fn becomes(target: Target, body: &str, wanted: &Expect) {
    wanted.assert_eq(&shown(&format!("def main = {body}"), "main", target));
}

#[test]
fn the_dot_product_has_no_array_between() {
    becomes(
        Target::C,
        "depFun(n: Nat => fun(xs: n.f32 => zip(xs)(xs) |> map(fun(p => p._1 * p._2)) |> reduceSeq(add)(0.0f)))",
        &expect![[r#"
            def main : (n: Nat) -> Acc[f32] -> Exp[n.f32, Rd] -> Comm = depFun(n: Nat => fun(output, xs =>
              new(f32, fun(accumAcc, accum =>
                accumAcc = 0.0f;
                for(n, fun(i =>
                  accumAcc = accum + idx(i, map(fun(p => p._1 * p._2), zip(xs, xs)))));
                output = accum))))
        "#]],
    );
}

#[test]
fn listing_10() {
    becomes(
        Target::OpenCl,
        "depFun((n: Nat, m: Nat, s: Nat) => fun(M: (n*s).m.f32, x: m.f32 =>
           M |> split(s) |> mapWorkGroup(mapLocal(fun(row =>
             zip(row)(x) |> reduceSeq(Private)(fun(accum, p => accum + p._1 * p._2))(0.0f)))) |> join))",
        &expect![[r#"
            @assume(s >= 1)
            def main :
              (n: Nat) -> (m: Nat) -> (s: Nat) -> Acc[(n * s).f32]
              -> Exp[(n * s).m.f32, Rd]
              -> Exp[m.f32, Rd]
              -> Comm =
              depFun((n: Nat, m: Nat, s: Nat) => fun(output, M, x =>
                parForWorkGroup(n, s.f32, joinAcc(output), fun(wgId, wgOut =>
                  parForLocal(s, f32, wgOut, fun(lId, lOut =>
                    new(Private, f32, fun(accumAcc, accum =>
                      accumAcc = 0.0f;
                      for(m, fun(i =>
                        accumAcc = accum
                          + idx(i, zip(idx(lId, idx(wgId, split(s, M))), x))._1
                            * idx(i, zip(idx(lId, idx(wgId, split(s, M))), x))._2));
                      lOut = accum))))))))
        "#]],
    );
}

#[test]
fn views_are_written_through() {
    becomes(
        Target::C,
        "depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 => xs |> mapSeq(mapSeq(id)) |> transpose))",
        &expect![[r#"
            def main : (n: Nat) -> (m: Nat) -> Acc[m.n.f32] -> Exp[n.m.f32, Rd] -> Comm =
              depFun((n: Nat, m: Nat) => fun(output, xs =>
                for(n, fun(i =>
                  for(m, fun(j =>
                    idxAcc(j, idxAcc(i, transposeAcc(output))) = idx(j, idx(i, xs))))))))
        "#]],
    );
}

#[test]
fn local_memory() {
    becomes(
        Target::OpenCl,
        "depFun((n: Nat, m: Nat) => fun(xs: n.(m+2).f32 => xs |> mapWorkGroup(fun(row =>
           row |> mapLocal(id) |> toMem(Local) |> slide(3)(1) |> mapLocal(reduceSeq(Private)(add)(0.0f))))))",
        &expect![[r#"
            @assume(m >= 1)
            def main : (n: Nat) -> (m: Nat) -> Acc[n.m.f32] -> Exp[n.(m + 2).f32, Rd] -> Comm =
              depFun((n: Nat, m: Nat) => fun(output, xs =>
                parForWorkGroup(n, m.f32, output, fun(wgId, wgOut =>
                  new(Local, (m + 2).f32, fun(tmpAcc, tmp =>
                    parForLocal(m + 2, f32, tmpAcc, fun(lId, lOut =>
                      lOut = idx(lId, idx(wgId, xs))));
                    parForLocal(m, f32, wgOut, fun(lId, lOut =>
                      new(Private, f32, fun(accumAcc, accum =>
                        accumAcc = 0.0f;
                        for(3, fun(i =>
                          accumAcc = accum + idx(i, idx(lId, slide(3, 1, tmp)))));
                        lOut = accum))))))))))
        "#]],
    );
}

#[test]
fn elements_that_need_commands_are_computed_where_they_are_read() {
    becomes(
        Target::C,
        "depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 =>
           xs |> map(reduceSeq(add)(0.0f)) |> slide(2)(1) |> mapSeq(reduceSeq(add)(0.0f))))",
        &expect![[r#"
            @assume(n >= 2)
            def main : (n: Nat) -> (m: Nat) -> Acc[(n - 1).f32] -> Exp[n.m.f32, Rd] -> Comm =
              depFun((n: Nat, m: Nat) => fun(output, xs =>
                for(n - 1, fun(i =>
                  new(f32, fun(accumAcc, accum =>
                    accumAcc = 0.0f;
                    for(2, fun(j =>
                      new(f32, fun(accumAcc1, accum1 =>
                        accumAcc1 = 0.0f;
                        for(m, fun(k =>
                          accumAcc1 = accum1 + idx(k, idx(natAsIndex(n, indexAsNat(i) + indexAsNat(j)), xs))));
                        accumAcc = accum + accum1))));
                    idxAcc(i, output) = accum))))))
        "#]],
    );
}

#[test]
fn iterate_takes_turns() {
    becomes(
        Target::C,
        "depFun((n: Nat, k: Nat) => fun(xs: (n * 2^k).f32 =>
           xs |> iterate(k)(depFun(l: Nat => fun(part => part |> split(2) |> mapSeq(reduceSeq(add)(0.0f)))))))",
        &expect![[r#"
            @assume(k >= 1)
            def main : (n: Nat) -> (k: Nat) -> Acc[n.f32] -> Exp[(n * 2 ^ k).f32, Rd] -> Comm =
              depFun((n: Nat, k: Nat) => fun(output, xs =>
                newDoubleBuffer(n * 2 ^ k, f32, xs, output, fun(bufferAcc, buffer, swap, done =>
                  forNat(k, depFun(i: Nat =>
                    if (i == k - 1) {
                      done
                    } else {
                      skip
                    };
                    for(n * 2 ^ (k - i - 1), fun(j =>
                      new(f32, fun(accumAcc, accum =>
                        accumAcc = 0.0f;
                        for(2, fun(i2 =>
                          accumAcc = accum + idx(i2, idx(j, split(2, take(n * 2 ^ (k - i), buffer))))));
                        idxAcc(j, takeAcc(n * 2 ^ (k - i - 1), bufferAcc)) = accum))));
                    swap))))))
        "#]],
    );
}

#[test]
fn only_one_branch_is_computed() {
    becomes(
        Target::C,
        "depFun(n: Nat => fun(xs: n.f32, b: bool => select(b)(xs |> reduceSeq(add)(0.0f))(0.0f)))",
        &expect![[r#"
            def main : (n: Nat) -> Acc[f32] -> Exp[n.f32, Rd] -> Exp[bool, Rd] -> Comm = depFun(n: Nat =>
              fun(output, xs, b =>
                if (b) {
                  new(f32, fun(accumAcc, accum =>
                    accumAcc = 0.0f;
                    for(n, fun(i =>
                      accumAcc = accum + idx(i, xs)));
                    output = accum))
                } else {
                  output = 0.0f
                }))
        "#]],
    );
}

#[test]
fn streams() {
    becomes(
        Target::C,
        "depFun(n: Nat => fun(xs: (n + 2).f32 =>
           xs |> circularBuffer(4)(3)(fun(x => x * 0.5f)) |> iterateStream(fun(w => w |> reduceSeq(add)(0.0f)))))",
        &expect![[r#"
            def main : (n: Nat) -> Acc[n.f32] -> Exp[(n + 2).f32, Rd] -> Comm = depFun(n: Nat =>
              fun(output, xs =>
                new(4.f32, fun(ringAcc, ring =>
                  for(2, fun(i =>
                    idxAcc(natAsIndex(4, indexAsNat(i)), ringAcc) = idx(natAsIndex(n + 2, indexAsNat(i)), xs)
                      * 0.5f));
                  for(n, fun(i =>
                    idxAcc(natAsIndex(4, (indexAsNat(i) + 2) % 4), ringAcc) = idx(
                      natAsIndex(n + 2, indexAsNat(i) + 2),
                      xs)
                      * 0.5f;
                    new(f32, fun(accumAcc, accum =>
                      accumAcc = 0.0f;
                      for(3, fun(j =>
                        accumAcc = accum
                          + idx(
                            j,
                            generate(fun(e =>
                              idx(natAsIndex(4, (indexAsNat(i) + indexAsNat(e)) % 4), ring))))));
                      idxAcc(i, output) = accum))))))))
        "#]],
    );
    becomes(
        Target::C,
        "depFun(n: Nat => fun(xs: (n + 2).f32 =>
           xs |> rotateValues(3)(id) |> iterateStream(fun(w => w |> reduceSeqUnroll(add)(0.0f)))))",
        &expect![[r#"
            def main : (n: Nat) -> Acc[n.f32] -> Exp[(n + 2).f32, Rd] -> Comm = depFun(n: Nat =>
              fun(output, xs =>
                new(3.f32, fun(windowAcc, window =>
                  forUnroll(2, fun(i =>
                    idxAcc(natAsIndex(3, indexAsNat(i)), windowAcc) =
                      idx(natAsIndex(n + 2, indexAsNat(i)), xs)));
                  for(n, fun(i =>
                    idxAcc(natAsIndex(3, 2), windowAcc) = idx(natAsIndex(n + 2, indexAsNat(i) + 2), xs);
                    new(f32, fun(accumAcc, accum =>
                      accumAcc = 0.0f;
                      forUnroll(3, fun(j =>
                        accumAcc = accum + idx(j, window)));
                      idxAcc(i, output) = accum));
                    forUnroll(2, fun(j =>
                      idxAcc(natAsIndex(3, indexAsNat(j)), windowAcc) =
                        idx(natAsIndex(3, indexAsNat(j) + 1), window)))))))))
        "#]],
    );
}

#[test]
fn parts_of_pairs_that_read_each_other_are_written_at_once() {
    becomes(
        Target::C,
        "depFun(n: Nat => fun(xs: n.f32 =>
           xs |> reduceSeq(fun(a, x => (a._2, a._1 + x)))((0.0f, 1.0f))))",
        &expect![[r#"
            def main : (n: Nat) -> Acc[(f32, f32)] -> Exp[n.f32, Rd] -> Comm = depFun(n: Nat =>
              fun(output, xs =>
                new((f32, f32), fun(aAcc, a =>
                  pairAcc1(aAcc) = 0.0f;
                  pairAcc2(aAcc) = 1.0f;
                  for(n, fun(i =>
                    aAcc = (a._2, a._1 + idx(i, xs))));
                  output = a))))
        "#]],
    );
}

#[test]
fn let_computes_once() {
    becomes(
        Target::C,
        "fun(x: f32 => let y = x * x in let z = y in z + y * z)",
        &expect![[r#"
            def main : Acc[f32] -> Exp[f32, Rd] -> Comm = fun(output, x =>
              new(f32, fun(yAcc, y =>
                yAcc = x * x;
                output = y + y * y)))
        "#]],
    );
}

#[test]
fn a_parallel_reduction_of_sums() {
    becomes(
        Target::OpenMp,
        "depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 => xs |> map(reduceSeq(add)(0.0f)) |> reducePar(add)(0.0f)))",
        &expect![[r#"
            def main : (n: Nat) -> (m: Nat) -> Acc[f32] -> Exp[n.m.f32, Rd] -> Comm = depFun((n: Nat, m: Nat) =>
              fun(output, xs =>
                new(f32, fun(accumAcc, accum =>
                  accumAcc = 0.0f;
                  parReduce(
                    n,
                    accumAcc,
                    accum,
                    fun(out, x, y =>
                      out = x + y),
                    fun(i, out =>
                      new(f32, fun(accumAcc1, accum1 =>
                        accumAcc1 = 0.0f;
                        for(m, fun(j =>
                          accumAcc1 = accum1 + idx(j, idx(i, xs))));
                        out = accum1))));
                  output = accum))))
        "#]],
    );
}

#[test]
fn scans_keep_their_running_value() {
    becomes(
        Target::C,
        "depFun(n: Nat => fun(xs: n.i32 => xs |> scanSeq(fun(x, acc => x + acc))(0)))",
        &expect![[r#"
            def main : (n: Nat) -> Acc[n.i32] -> Exp[n.i32, Rd] -> Comm = depFun(n: Nat => fun(output, xs =>
              new(i32, fun(accAcc, acc =>
                accAcc = 0;
                for(n, fun(i =>
                  accAcc = idx(i, xs) + acc;
                  idxAcc(i, output) = acc))))))
        "#]],
    );
}
