//! What the papers show, and how it comes out.

use dpia::Target;
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
            depFun(n => fun(output, xs =>
              new(f32, fun(accumAcc, accum =>
                accumAcc = 0.0;
                for(n, fun(i =>
                  accumAcc = (accum + idx(i, map(fun(p => (fst(p) * snd(p))), zip(xs, xs))))));
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
            depFun(n, m, s => fun(output, M, x =>
              parForWorkGroup(0, n, s.f32, joinAcc(output), fun(wgId, wgOut =>
                parForLocal(0, s, f32, wgOut, fun(lId, lOut =>
                  new(Private, f32, fun(accumAcc, accum =>
                    accumAcc = 0.0;
                    for(m, fun(k =>
                      accumAcc = (accum + (fst(idx(k, zip(idx(lId, idx(wgId, split(s, M))), x))) * snd(idx(k, zip(idx(lId, idx(wgId, split(s, M))), x)))))));
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
            depFun(n, m => fun(output, xs =>
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
            depFun(n, m => fun(output, xs =>
              parForWorkGroup(0, n, m.f32, output, fun(wgId, wgOut =>
                new(Local, (m+2).f32, fun(tmpAcc, tmp =>
                  parForLocal(0, m + 2, f32, tmpAcc, fun(lId, lOut =>
                    lOut = idx(lId, idx(wgId, xs))));
                  parForLocal(0, m, f32, wgOut, fun(lId, lOut =>
                    new(Private, f32, fun(accumAcc, accum =>
                      accumAcc = 0.0;
                      for(3, fun(k =>
                        accumAcc = (accum + idx(k, idx(lId, slide(3, 1, tmp))))));
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
            depFun(n, m => fun(output, xs =>
              for(n - 1, fun(i =>
                new(f32, fun(accumAcc, accum =>
                  accumAcc = 0.0;
                  for(2, fun(j =>
                    new(f32, fun(accumAcc, accum =>
                      accumAcc = 0.0;
                      for(m, fun(k =>
                        accumAcc = (accum + idx(k, idx(natAsIndex(n, (indexAsNat(i) + indexAsNat(j))), xs)))));
                      accumAcc = (accum + accum)))));
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
            depFun(n, k => fun(output, xs =>
              newDoubleBuffer(n*2^k, f32, xs, output, fun(bufferAcc, buffer, swap, done =>
                forNat(k, depFun(i =>
                  if ((i == k - 1)) {
                    done
                  } else {
                    skip
                  };
                  for(n*2^(k-i-1), fun(j =>
                    new(f32, fun(accumAcc, accum =>
                      accumAcc = 0.0;
                      for(2, fun(i2 =>
                        accumAcc = (accum + idx(i2, idx(j, split(2, take(n*2^(k-i), buffer)))))));
                      idxAcc(j, takeAcc(n*2^(k-i-1), bufferAcc)) = accum))));
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
            depFun(n => fun(output, xs, b =>
              if (b) {
                new(f32, fun(accumAcc, accum =>
                  accumAcc = 0.0;
                  for(n, fun(i =>
                    accumAcc = (accum + idx(i, xs))));
                  output = accum))
              } else {
                output = 0.0
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
            depFun(n => fun(output, xs =>
              new(4.f32, fun(ringAcc, ring =>
                for(2, fun(i =>
                  idxAcc(natAsIndex(4, indexAsNat(i)), ringAcc) = (idx(natAsIndex(n + 2, indexAsNat(i)), xs) * 0.5)));
                for(n, fun(i =>
                  idxAcc(natAsIndex(4, ((indexAsNat(i) + 2) % 4)), ringAcc) = (idx(natAsIndex(n + 2, (indexAsNat(i) + 2)), xs) * 0.5);
                  new(f32, fun(accumAcc, accum =>
                    accumAcc = 0.0;
                    for(3, fun(j =>
                      accumAcc = (accum + idx(j, generate(fun(e => idx(natAsIndex(4, ((indexAsNat(i) + indexAsNat(e)) % 4)), ring)))))));
                    idxAcc(i, output) = accum))))))))
        "#]],
    );
    becomes(
        Target::C,
        "depFun(n: Nat => fun(xs: (n + 2).f32 =>
           xs |> rotateValues(3)(id) |> iterateStream(fun(w => w |> reduceSeqUnroll(add)(0.0f)))))",
        &expect![[r#"
            depFun(n => fun(output, xs =>
              new(3.f32, fun(windowAcc, window =>
                forUnroll(2, fun(i =>
                  idxAcc(natAsIndex(3, indexAsNat(i)), windowAcc) = idx(natAsIndex(n + 2, indexAsNat(i)), xs)));
                for(n, fun(i =>
                  idxAcc(natAsIndex(3, 2), windowAcc) = idx(natAsIndex(n + 2, (indexAsNat(i) + 2)), xs);
                  new(f32, fun(accumAcc, accum =>
                    accumAcc = 0.0;
                    forUnroll(3, fun(j =>
                      accumAcc = (accum + idx(j, window))));
                    idxAcc(i, output) = accum));
                  forUnroll(2, fun(j =>
                    idxAcc(natAsIndex(3, indexAsNat(j)), windowAcc) = idx(natAsIndex(3, (indexAsNat(j) + 1)), window)))))))))
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
            depFun(n => fun(output, xs =>
              new((f32, f32), fun(aAcc, a =>
                pairAcc1(aAcc) = 0.0;
                pairAcc2(aAcc) = 1.0;
                for(n, fun(i =>
                  aAcc = makePair(snd(a), (fst(a) + idx(i, xs)))));
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
            fun(output, x =>
              new(f32, fun(yAcc, y =>
                yAcc = (x * x);
                output = (y + (y * y)))))
        "#]],
    );
}

#[test]
fn a_parallel_reduction_of_sums() {
    becomes(
        Target::OpenMp,
        "depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 => xs |> map(reduceSeq(add)(0.0f)) |> reducePar(add)(0.0f)))",
        &expect![[r#"
            depFun(n, m => fun(output, xs =>
              new(f32, fun(accumAcc, accum =>
                accumAcc = 0.0;
                parReduce(n, accumAcc, accum, fun(out, x, y =>
                  out = (x + y)), fun(i, out =>
                  new(f32, fun(accumAcc, accum =>
                    accumAcc = 0.0;
                    for(m, fun(j =>
                      accumAcc = (accum + idx(j, idx(i, xs)))));
                    out = accum))));
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
            depFun(n => fun(output, xs =>
              new(i32, fun(accAcc, acc =>
                accAcc = 0;
                for(n, fun(i =>
                  accAcc = (idx(i, xs) + acc);
                  idxAcc(i, output) = acc))))))
        "#]],
    );
}
