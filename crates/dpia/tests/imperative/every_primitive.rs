//! Translates every primitive in a small program and checks the types of the result.

use codegen::Target;
use dpia::Prim;
use rise::core::Form;
use rustc_hash::FxHashSet;

use super::source::imperative;

#[test]
fn translation_keeps_types_for_c() {
    for program in C {
        imperative(&format!("def main = {program}"), "main", Target::C);
    }
}

#[test]
fn translation_keeps_types_for_openmp() {
    for program in OPENMP {
        imperative(&format!("def main = {program}"), "main", Target::OpenMp);
    }
}

#[test]
fn translation_keeps_types_for_opencl() {
    for program in OPENCL {
        imperative(&format!("def main = {program}"), "main", Target::OpenCl);
    }
}

/// The primitives that only occur in imperative programs that are written, or in reads of elements
/// that need commands.
const ELSEWHERE: &[Prim] = &[Prim::Barrier, Prim::PairAcc, Prim::IdxVecAcc];

#[test]
fn every_primitive_is_there() {
    let mut found: FxHashSet<Prim> = FxHashSet::default();
    let all = [
        (Target::C, C),
        (Target::OpenMp, OPENMP),
        (Target::OpenCl, OPENCL),
    ];
    for (target, programs) in all {
        for program in programs {
            let text = format!("def main = {program}");
            for phrase in super::source::both(&text, "main", target) {
                collect(&phrase.body, &mut found);
            }
        }
    }
    let missing: Vec<&str> = Prim::ALL
        .iter()
        .filter(|prim| !found.contains(prim) && !ELSEWHERE.contains(prim))
        .map(|prim| prim.name())
        .collect();
    assert_eq!(missing, [""; 0]);
}

fn collect(phrase: &dpia::Phrase, found: &mut FxHashSet<Prim>) {
    match &phrase.form {
        Form::Primitive(prim, _, args) => {
            found.insert(*prim);
            args.iter().for_each(|arg| collect(arg, found));
        }
        Form::Lambda(_, body) | Form::DepLambda(_, _, body) | Form::DepApply(body, _) => {
            collect(body, found);
        }
        Form::Foreign(_, args) => args.iter().for_each(|arg| collect(arg, found)),
        Form::Apply(f, x) => {
            collect(f, found);
            collect(x, found);
        }
        Form::Var(_) | Form::Literal(_) | Form::Nat(_) | Form::Global(..) => {}
    }
}

const C: &[&str] = &[
    // single values
    "fun(x: f32 => x)",
    "fun(x: f32, y: f32 => (x + y) * (x - y) / -x)",
    "fun(x: f32, y: f32 => fma(x)(y)(x))",
    "fun(x: i32, y: i32 => min(abs(x))(max(x)(y)))",
    "fun(x: f32 => sqrt(exp(log(floor(ceil(round(x)))))))",
    "fun(x: f32 => sin(cos(tan(asin(acos(atan(sinh(cosh(tanh(asinh(acosh(atanh(x)))))))))))))",
    "fun(x: f32 => exp2(expm1(log2(log10(log1p(cbrt(erf(trunc(x)))))))))",
    "fun(x: f32 => pow(atan2(hypot(fmod(copysign(fmin(fmax(x)(x))(x))(x))(x))(x))(x))(x))",
    "fun(x: i32 => x % 2 == 0 && !(x > 3) || x < 1)",
    "fun(x: i32 => select(x >= 0 && x <= 9 && x != 4)(x)(0))",
    "fun(x: i32 => (cast(x) : f32))",
    "fun(x: f32, y: i32 => (x, y))",
    "fun(p: (f32, i32) => (p._2, p._1))",
    "depFun(n: Nat => n + 1)",
    "depFun(n: Nat => fun(i: Idx[n] => indexAsNat(i)))",
    "depFun(n: Nat => fun(xs: n.f32, k: natType => xs |> idx(natAsIndex(n)(k % n))))",
    "fun(x: f32 => let y = x * x in y + y)",
    "fun(x: f32, y: f32 => let p = (x * y, x + y) in p._1 * p._2 + p._1)",
    "fun(x: Vec[4, f32] => x + vectorFromScalar(1.0f))",
    "fun(p: (f32, i32) => p |> mapFst(fun(x => x * 2.0f)) |> mapSnd(fun(x => x + 1)))",
    // views that are read
    "depFun(n: Nat => fun(xs: (n + 2).f32 => xs |> take(n) |> mapSeq(id)))",
    "depFun(n: Nat => fun(xs: (n + 2).f32 => xs |> drop(2) |> mapSeq(id)))",
    "depFun(n: Nat => fun(xs: (4 * n).f32 => xs |> split(4) |> mapSeq(mapSeq(id)) |> join))",
    "depFun((n: Nat, m: Nat) => fun(xss: n.m.f32 => xss |> transpose |> join |> mapSeq(id) |> split(n)))",
    "depFun(n: Nat => fun(xs: (n + 2).f32 => xs |> slide(3)(1) |> mapSeq(mapSeq(id))))",
    "depFun(n: Nat => fun(xs: n.f32 => xs |> assume(4 * (n / 4)) |> split(4) |> mapSeq(mapSeq(id))))",
    "depFun(n: Nat => fun(xs: (n / 4).4.f32 => xs |> mapSeq(mapSeq(id)) |> join |> assume(n)))",
    "depFun((n: Nat, m: Nat) => fun(is: m.Idx[n], xs: n.f32 => xs |> gather(is) |> mapSeq(id)))",
    "depFun(n: Nat => fun(xs: n.f32 => xs |> reorder(n)(natFun(i => n - 1 - i))(natFun(i => n - 1 - i)) |> mapSeq(id)))",
    "depFun(n: Nat => fun(xs: 3.f32 => xs |> cycle(n) |> mapSeq(id)))",
    "depFun(n: Nat => fun(xs: n.f32 => xs |> padCst(1)(1)(0.0f) |> slide(3)(1) |> mapSeq(reduceSeq(add)(0.0f))))",
    "depFun(n: Nat => fun(xs: (n + 1).f32 => xs |> padClamp(1)(1) |> slide(3)(1) |> mapSeq(reduceSeq(add)(0.0f))))",
    "depFun(n: Nat => fun(xs: n.f32, ys: n.i32 => zip(xs)(ys) |> mapSeq(id)))",
    "depFun(n: Nat => fun(ps: n.(f32, i32) => fst(unzip(ps)) |> mapSeq(id)))",
    "depFun(n: Nat => (generate(fun(i => indexAsNat(i) * 2)) : n.natType) |> mapSeq(id))",
    "makeArray(3)(1.0f, 2.0f, 1.0f) |> mapSeq(id)",
    "depFun(n: Nat => fun(xs: n.f32, ys: n.f32, b: bool => select(b)(xs)(ys) |> mapSeq(id)))",
    // vectors
    "depFun(n: Nat => fun(xs: (4 * n).f32 => xs |> asVector(4) |> mapSeq(fun(v => v + v)) |> asScalar))",
    "depFun(n: Nat => fun(xs: (4 * n).f32 => xs |> asVectorAligned(4) |> mapSeq(fun(v => v + v)) |> asScalar))",
    "depFun(n: Nat => fun(xs: n.Vec[4, f32] => xs |> asScalar |> mapSeq(id) |> asVector(4)))",
    "fun(v: Vec[4, f32] => v |> mapVec(fun(x => select(x < 0.0f)(0.0f)(x))))",
    "fun(v: Vec[4, f32] => (v |> mapVec(fun(x => x * x)) |> toMem) + v)",
    "depFun(n: Nat => fun(xs: (4*n).f32 => xs |> map(fun(x => let y = x + x in y * y)) |> asVector(4) |> mapSeq(id)))",
    // views that are written through
    "depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 => xs |> mapSeq(mapSeq(id)) |> transpose))",
    "depFun(n: Nat => fun(xs: n.f32, ys: n.i32 => zip(xs |> mapSeq(id))(ys |> mapSeq(id))))",
    "depFun((n: Nat, m: Nat) => fun(is: n.Idx[m], xs: n.f32 => xs |> mapSeq(fun(x => x * 2.0f)) |> scatter(is)))",
    "depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(id) |> reorder(n)(natFun(i => n - 1 - i))(natFun(i => n - 1 - i))))",
    "depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(id) |> padEmpty(1)))",
    "depFun((n: Nat, m: Nat) => fun(xs: n.f32, ys: m.f32 => concat(xs |> mapSeq(id))(ys |> mapSeq(id))))",
    "depFun((n: Nat, m: Nat) => fun(xss: n.(4*m).f32 => xss |> mapSeq(fun(xs => xs |> split(4) |> mapSeq(mapSeq(id)))) |> map(join)))",
    "depFun((n: Nat, m: Nat) => fun(xss: n.m.(f32, f32) => xss |> mapSeq(mapSeq(id)) |> map(map(mapFst(fun(x => x))))))",
    "depFun(n: Nat => fun(ps: n.(f32, i32) => let u = toMem(unzip(ps |> mapSeq(id))) in zip(u._1)(u._2) |> mapSeq(id)))",
    "depFun(n: Nat => fun(ps: n.(f32, i32) => let u = toMem(ps |> mapSeq(id) |> unzip |> mapFst(id) |> mapSnd(id)) in u._1 |> mapSeq(id)))",
    "depFun(n: Nat => fun(xs: (4*n).f32 => xs |> mapSeq(id) |> asVector(4) |> asScalar))",
    // patterns
    "fun(xs: 4.f32 => xs |> mapSeqUnroll(fun(x => x + 1.0f)))",
    "fun(xs: 4.f32 => xs |> reduceSeqUnroll(add)(0.0f))",
    "depFun(n: Nat => fun(xs: n.f32 => xs |> scanSeq(fun(x, a => x + a))(0.0f)))",
    "depFun((n: Nat, m: Nat) => fun(xs: n.m.f32, z: m.f32 => xs |> scanSeq(fun(x, a => zip(x)(a) |> mapSeq(fun(p => p._1 + p._2))))(z |> mapSeq(id))))",
    "depFun((n: Nat, m: Nat) => fun(xs: n.m.f32, z: m.f32 => xs |> reduceSeq(fun(a, x => zip(a)(x) |> mapSeq(fun(p => p._1 + p._2))))(z |> mapSeq(id)) |> mapSeq(id)))",
    "depFun((n: Nat, m: Nat) => fun(xs: n.m.f32, z: m.f32 => xs |> reduceSeq(fun(a, x => select((x |> reduceSeq(add)(0.0f)) < 0.0f)(a)(zip(a)(x) |> mapSeq(fun(p => p._1 + p._2)))))(z |> mapSeq(id)) |> mapSeq(id)))",
    "depFun((n: Nat, k: Nat) => fun(xs: (n * 2^k).f32 => xs |> iterate(k)(depFun(l: Nat => fun(part => part |> split(2) |> mapSeq(reduceSeq(add)(0.0f)))))))",
    "depFun((n: Nat, m: Nat) => fun(xs: n.8.f32 => xs |> mapSeq(fun(row => row |> map(fun(x => x + 1.0f)) |> iterate(3)(depFun(l: Nat => fun(part => part |> split(2) |> mapSeq(reduceSeq(add)(0.0f)))))))))",
    "depFun((n: Nat, k: Nat) => fun(xs: n.f32 => xs |> repeat(k)(mapSeq(fun(x => x * 0.5f)))))",
    "depFun((n: Nat, m: Nat) => fun(xs: n.m.f32, y: i32 => (xs, y) |> repeat(3)(fun(s => (s._1 |> padClamp(1)(1) |> slide(3)(1) |> mapSeq(fun(w => w |> transpose |> mapSeq(reduceSeq(add)(0.0f)))), s._2 + 1)))))",
    "depFun(n: Nat => fun(xs: n.4.f32, ys: n.i32 => zip(xs)(ys) |> repeat(2)(mapSeq(fun(p => (p._1 |> mapSeq(fun(x => x * 0.5f)), p._2 + 1)))) |> toMem |> mapSeq(fun(p => p._2))))",
    "depFun((n: Nat, k: Nat) => fun(xs: n.f32 => xs |> mapSeq(id) |> repeatInPlace(k)(mapSeq(fun(x => x * 0.5f)))))",
    "depFun((n: Nat, k: Nat) => fun(xs: n.f32 => xs |> mapSeq(id) |> repeatInPlace(k)(mapSeq(fun(x => x * 0.5f))) |> toMem |> reduceSeq(add)(0.0f)))",
    "depFun((n: Nat, m: Nat, k: Nat) => fun(xs: m.f32, ys: n.f32 => ys |> reduceSeq(fun(acc, y => acc |> repeatInPlace(k)(mapSeq(fun(x => x * y)))))(xs |> mapSeq(id)) |> mapSeq(id)))",
    "fun(x: i32 => x |> repeatWhile(100)(fun(y => y < 1000))(fun(y => y * 2)))",
    "depFun(n: Nat => fun(xs: n.f32 => let r = xs |> repeatWhile(9)(fun(ys => (ys |> reduceSeq(add)(0.0f)) > 1.0f))(mapSeq(fun(x => x * 0.5f))) in (r._1, r._2 |> mapSeq(id))))",
    "depFun(n: Nat => fun(xs: n.8.4.f32 => xs |> mapSeq(fun(row => row |> map(reduceSeq(add)(0.0f)) |> iterate(3)(depFun(l: Nat => fun(part => part |> split(2) |> mapSeq(reduceSeq(add)(0.0f)))))))))",
    "depFun((n: Nat, m: Nat) => fun(xs: n.f32, ys: m.f32 => let r = xs |> reduceSeq(fun(a, x => (a._1 + x, a._2 |> mapSeq(fun(y => y + x)))))((0.0f, ys |> mapSeq(id))) in r._2 |> mapSeq(fun(y => y + r._1))))",
    "depFun((n: Nat, m: Nat) => fun(xs: n.f32, b: bool, c: bool => select(b)(toMem(xs |> mapSeq(id)))(select(c)(let y = toMem(xs |> mapSeq(fun(x => x + 1.0f))) in y |> drop(0))(toMem(xs |> mapSeq(fun(x => x * x))))) |> mapSeq(id)))",
    // streams
    "depFun(n: Nat => fun(xs: (n + 2).f32 => xs |> circularBuffer(4)(3)(fun(x => x * 0.5f)) |> iterateStream(fun(w => w |> reduceSeq(add)(0.0f)))))",
    "depFun(n: Nat => fun(xs: (n + 2).f32 => xs |> rotateValues(3)(id) |> mapStream(reduceSeq(add)(0.0f)) |> iterateStream(fun(x => x / 3.0f))))",
    "depFun((n: Nat, m: Nat) => fun(xs: (n + 4).m.f32 => xs |> circularBuffer(3)(3)(mapSeq(id)) |> mapStream(fun(w => w |> transpose |> mapSeq(reduceSeq(add)(0.0f)))) |> circularBuffer(3)(3)(mapSeq(id)) |> iterateStream(fun(w => w |> transpose |> mapSeq(reduceSeq(add)(0.0f))))))",
    "depFun(n: Nat => fun(xs: (n + 2).f32, ys: n.f32 => zip(xs |> rotateValues(3)(id))(ys) |> iterateStream(fun(p => (p._1 |> reduceSeq(add)(0.0f)) * p._2))))",
    "depFun(n: Nat => fun(xs: (n + 2).f32, ys: (n + 1).f32 => zip(xs |> rotateValues(3)(id))(ys |> circularBuffer(2)(2)(id)) |> iterateStream(fun(p => (p._1 |> reduceSeq(add)(0.0f)) * (p._2 |> reduceSeq(add)(0.0f))))))",
    "depFun((n: Nat, m: Nat) => fun(xs: (n + 2).m.f32 => xs |> rotateValues(3)(mapSeq(fun(x => x * 2.0f))) |> iterateStream(fun(w => w |> transpose |> mapSeq(reduceSeq(add)(0.0f))))))",
    // memory
    "depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(fun(x => x + 1.0f)) |> toMem |> mapSeq(fun(x => x * 2.0f))))",
    "depFun(n: Nat => fun(xs: n.f32 => let ys = toMem(xs |> mapSeq(fun(x => x + 1.0f))) in zip(ys)(ys) |> mapSeq(fun(p => p._1 * p._2))))",
    "depFun(n: Nat => fun(xs: n.f32, b: bool => select(b)(toMem(xs |> mapSeq(id)))(toMem(xs |> mapSeq(fun(x => x * x)))) |> mapSeq(id)))",
    "depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(fun(x => select(x < 0.0f)(xs |> reduceSeq(add)(x))(x)))))",
    "depFun(n: Nat => fun(xs: n.f32, b: bool => b && (xs |> reduceSeq(add)(0.0f)) > 1.0f || (xs |> reduceSeq(add)(1.0f)) > 2.0f))",
    // elements that need commands, through every view
    "depFun((n: Nat, m: Nat) => fun(xs: (4*n).m.f32 => xs |> map(reduceSeq(add)(0.0f)) |> split(4) |> transpose |> mapSeq(mapSeq(id))))",
    "depFun((n: Nat, m: Nat) => fun(xs: n.m.f32, is: n.Idx[n] => xs |> map(reduceSeq(add)(0.0f)) |> gather(is) |> reorder(n)(natFun(i => n - 1 - i))(natFun(i => n - 1 - i)) |> mapSeq(id)))",
    "depFun((n: Nat, m: Nat) => fun(xs: (n+1).m.f32 => xs |> map(reduceSeq(add)(0.0f)) |> padCst(1)(2)(0.0f) |> padClamp(2)(1) |> slide(3)(1) |> mapSeq(reduceSeq(add)(0.0f))))",
    "depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 => zip(xs |> map(reduceSeq(add)(0.0f)))(xs |> map(reduceSeq(mul)(1.0f))) |> unzip |> fst |> mapSeq(id)))",
    "depFun((n: Nat, m: Nat) => fun(xs: (n+3).m.f32 => xs |> map(reduceSeq(add)(0.0f)) |> drop(1) |> take(n) |> mapSeq(id)))",
    "depFun((n: Nat, m: Nat) => fun(xs: n.4.m.f32 => xs |> map(map(reduceSeq(add)(0.0f))) |> join |> asVector(4) |> mapSeq(id)))",
    "depFun((n: Nat, m: Nat) => fun(xs: n.m.f32, b: bool => select(b)(xs |> map(reduceSeq(add)(0.0f)))(xs |> map(reduceSeq(mul)(1.0f))) |> mapSeq(id)))",
    "depFun(n: Nat => fun(xs: n.f32 => makeArray(2)(xs |> map(fun(x => let y = x + x in y * y)), xs) |> join |> mapSeq(id)))",
    "depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 => (xs |> map(reduceSeq(add)(0.0f)), xs) |> mapFst(map(fun(x => x + 1.0f))) |> fst |> mapSeq(id)))",
    "depFun((n: Nat, m: Nat) => fun(is: n.m.Idx[n], xs: n.f32 => xs |> mapSeq(id) |> scatter(is |> map(reduceSeq(fun(a, x => x))(natAsIndex(n)(0))))))",
    "depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 => xs |> map(fun(row => row |> mapSeq(fun(x => x + 1.0f)) |> toMem)) |> mapSeq(reduceSeq(add)(0.0f))))",
    // all of that at once
    "depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 => xs |> reduceSeq(fun(a, x => zip(a)(x) |> mapSeq(fun(p => p._1 * 0.5f + p._2)) |> toMem |> mapSeq(fun(y => y + 1.0f))))((generate(fun(i => 0.0f)) : m.f32) |> mapSeq(id)) |> mapSeq(id)))",
    "depFun(n: Nat => fun(xs: (n + 2).f32 => xs |> map(fun(x => let y = x + x in y * y)) |> circularBuffer(3)(3)(fun(x => let y = x + x in y * y)) |> iterateStream(fun(w => w |> reduceSeq(add)(0.0f)))))",
    "depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 => xs |> map(fun(row => row |> mapSeq(fun(x => x + 1.0f)) |> toMem)) |> padCst(1)(1)((generate(fun(i => 2.0f)) : m.f32)) |> slide(3)(1) |> mapSeq(fun(w => w |> transpose |> mapSeq(reduceSeq(add)(0.0f))))))",
    "depFun((n: Nat, m: Nat) => fun(xs: n.m.f32, k: natType => xs |> map(reduceSeq(add)(0.0f)) |> idx(natAsIndex(n)(k % n))))",
    "depFun((n: Nat, m: Nat) => fun(xs: n.m.f32, is: n.Idx[n] => xs |> map(fun(row => row |> mapSeq(fun(x => x + 1.0f)) |> toMem)) |> gather(is) |> mapSeq(mapSeq(id))))",
    "depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 => let u = unzip(xs |> map(fun(row => (row |> reduceSeq(add)(0.0f), row |> reduceSeq(mul)(1.0f))))) in zip(u._1)(u._2) |> mapSeq(fun(p => p._1 + p._2))))",
    "depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 => zip(xs)(xs) |> map(mapFst(reduceSeq(add)(0.0f))) |> mapSeq(fun(p => p._2 |> mapSeq(fun(y => y + p._1))))))",
    "depFun(n: Nat => fun(xs: (4*n).f32 => xs |> asVector(4) |> map(fun(v => let w = v * v in w + w)) |> asScalar |> mapSeq(id)))",
    "depFun(n: Nat => fun(xs: n.f32, i: Idx[2] => makeArray(2)(xs |> map(fun(x => let y = x + x in y * y)), xs) |> idx(i) |> mapSeq(id)))",
    "depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 => xs |> reduceSeq(fun(a, r => (a._2 + (r |> reduceSeq(add)(0.0f)), a._1 + (r |> reduceSeq(add)(a._2)))))((0.0f, 1.0f))))",
    "depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 => xs |> map(reduceSeq(fun(a, x => (a._1 + x, a._2 * x)))((0.0f, 1.0f))) |> unzip |> mapFst(mapSeq(id) >> toMem) |> fun(p => zip(p._1)(p._2)) |> mapSeq(id)))",
    "depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 => xs |> map(fun(r => (r |> reduceSeq(add)(0.0f)) > 1.0f && (r |> reduceSeq(mul)(1.0f)) < 3.0f)) |> mapSeq(fun(b => select(b)(1i32)(0i32)))))",
    "depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 => xs |> padClamp(2)(1) |> map(padClamp(1)(2)) |> map(slide(3)(1)) |> slide(3)(1) |> mapSeq(fun(w => w |> transpose |> mapSeq(fun(q => q |> join |> reduceSeq(add)(0.0f)))))))",
    // dependent arrays and pairs
    "depFun(n: Nat => fun(rows: n..dataFun(i => (i + 1).f32) => rows |> depMapSeq(depFun(i: Nat => fun(row => row |> mapSeq(fun(x => x * 2.0f)))))))",
    "depFun(n: Nat => fun(xs: n..dataFun(i => (i + 1).f32), ys: n..dataFun(i => (2 * i).f32) => depZip(xs)(ys) |> depMapSeq(depFun(i: Nat => fun(p => p._1 |> mapSeq(id))))))",
    "depFun(n: Nat => fun(rows: n..dataFun(i => (i + 1).f32) => rows |> depJoin |> mapSeq(id)))",
    "depFun(n: Nat => fun(rows: n..dataFun(i => (i + 1).f32) => rows |> depMapSeq(depFun(i: Nat => mapSeq(id))) |> depJoin))",
    "depFun(n: Nat => fun(xs: (3 * n).f32 => xs |> partition(2)(natFun(i => (i + 1) * n)) |> depMapSeq(depFun(i: Nat => mapSeq(id)))))",
    "depFun(n: Nat => fun(xs: (3 * n).4.f32 => xs |> map(reduceSeq(add)(0.0f)) |> partition(2)(natFun(i => (i + 1) * n)) |> depMapSeq(depFun(i: Nat => mapSeq(id)))))",
    "depFun(n: Nat => fun(xs: n.f32 => dmatch(makeDepPair(n)(xs))(depFun(k: Nat => fun(ys => ys |> reduceSeq(add)(0.0f))))))",
    "depFun(n: Nat => fun(xs: n.f32 => dmatch(makeDepPair(n)(xs |> mapSeq(id)) |> toMem)(depFun(k: Nat => fun(ys => ys |> reduceSeq(add)(0.0f))))))",
    "depFun(n: Nat => fun(xs: n.f32, b: bool => dmatch(select(b)(makeDepPair(n)(xs))(makeDepPair(n)(xs |> map(fun(x => x + 1.0f)))))(depFun(k: Nat => fun(ys => ys |> reduceSeq(add)(0.0f))))))",
    "depFun(n: Nat => fun(ends: 4.Idx[n + 1], xs: n.3.f32 => let {k} ys = xs |> segment(ends |> idx(0))(ends |> idx(1)) in ys |> map(reduceSeq(add)(0.0f)) |> reduceSeq(add)(0.0f)))",
    "depFun(n: Nat => fun(ends: 4.Idx[n + 1], xs: n.f32 => ends |> mapSeq(fun(end => let {k} ys = xs |> map(fun(x => x * 2.0f)) |> segment(natAsIndex(n + 1)(0))(end) in ys |> reduceSeq(add)(0.0f)))))",
    "depFun(n: Nat => fun(end: Idx[n + 1], xs: n.f32 => let {k} = end in xs |> mapSeq(fun(x => xs |> take(k) |> reduceSeq(add)(x)))))",
];

const OPENMP: &[&str] = &[
    "depFun(n: Nat => fun(rows: n..dataFun(i => (i + 1).f32) => rows |> depMapPar(depFun(i: Nat => fun(row => row |> mapSeq(fun(x => x * 2.0f)))))))",
    "depFun(n: Nat => fun(xs: n.f32 => xs |> mapPar(fun(x => x + 1.0f))))",
    "depFun(n: Nat => fun(xs: n.f32 => xs |> reducePar(add)(0.0f)))",
    "depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 => xs |> map(reduceSeq(add)(0.0f)) |> reducePar(add)(0.0f)))",
    "depFun(n: Nat => fun(xs: n.f32 => zip(xs)(xs) |> reducePar(fun(a, b => (a._1 * b._1 - a._2 * b._2, a._1 * b._2 + a._2 * b._1)))((1.0f, 0.0f))))",
    "depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 => xs |> mapPar(fun(row => row |> mapSeq(fun(x => x + 1.0f)) |> toMem |> reduceSeq(add)(0.0f)))))",
];

const OPENCL: &[&str] = &[
    "depFun((n: Nat, m: Nat) => fun(xss: n.m.f32 => xss |> mapGlobal(1)(mapGlobal(0)(fun(x => x + 1.0f)))))",
    "depFun(n: Nat => fun(xs: (64 * n).f32 => xs |> split(64) |> mapWorkGroup(mapLocal(fun(x => x + 1.0f))) |> join))",
    "depFun(n: Nat => fun(xs: (64 * n).f32 => xs |> mapGlobal(fun(x => let y = x + x in y * y)) |> oclRun(64, 1, 1)(64 * n, 1, 1)))",
    "depFun((n: Nat, m: Nat) => fun(xs: n.(m+2).f32 => xs |> mapWorkGroup(fun(row => row |> mapLocal(id) |> toMem(Local) |> slide(3)(1) |> mapLocal(reduceSeq(Private)(add)(0.0f))))))",
    "depFun(n: Nat => fun(xs: n.8.f32 => xs |> mapGlobal(repeat(Private)(3)(mapSeq(fun(x => x * 0.5f))))))",
    "depFun((n: Nat, k: Nat) => fun(xs: n.64.f32 => xs |> mapWorkGroup(fun(x => x |> mapLocal(id) |> repeatInPlace(Local)(k)(mapLocal(fun(y => y * 0.5f)))))))",
    "depFun(n: Nat => fun(xs: n.64.f32 => xs |> mapWorkGroup(fun(x => (x |> repeatWhile(Local)(9)(fun(y => (y |> idx(0)) > 0.5f))(mapLocal(fun(z => z * 0.5f))))._2 |> mapLocal(id)))))",
    "depFun(n: Nat => fun(xs: n.8.f32 => xs |> mapGlobal(iterate(Private)(3)(depFun(l: Nat => fun(part => part |> split(2) |> mapSeq(reduceSeq(Private)(add)(0.0f))))))))",
];
