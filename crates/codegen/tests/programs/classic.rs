//! The programs that everyone knows.

use codegen::Target;

use crate::function;

#[test]
fn all() {
    let text = "
def dotSeq = depFun(n: Nat => fun(xs: n.f32, ys: n.f32 => zip(xs)(ys) |> map(fun(p => p._1 * p._2)) |> reduceSeq(add)(0.0f)))
def copyT = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 => xs |> mapSeq(mapSeq(id)) |> transpose))
def mv = depFun((n: Nat, m: Nat) => fun((M: n.m.f32, x: m.f32) => M |> mapSeq(fun(row => zip(row)(x) |> map(fun(p => p._1 * p._2)) |> reduceSeq(add)(0.0f)))))
def stencil = depFun(n: Nat => fun(xs: n.f32 => xs |> padClamp(1)(1) |> slide(3)(1) |> mapSeq(fun(w => w |> reduceSeq(add)(0.0f)))))
def tr = depFun((n: Nat, m: Nat) => fun(x: n.m.f32 => x |> join |> reorder(n*m)(natFun(i => i/n + (i%n)*m))(natFun(i => i/m + (i%m)*n)) |> split(n) |> mapSeq(mapSeq(id))))
def two = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(fun(x => x + 1.0f)) |> toMem |> mapSeq(fun(x => x * x))))
def scan = depFun(n: Nat => fun(xs: n.f32 => xs |> scanSeq(add)(0.0f)))
def tree = depFun(k: Nat => fun(xs: (2^k).f32 => xs |> iterate(k)(depFun(l: Nat => fun(part => part |> split(2) |> mapSeq(reduceSeq(add)(0.0f)))))))
def streams = depFun(n: Nat => fun(xs: (n+2).f32 => xs |> circularBuffer(3)(3)(fun(x => x * 2.0f)) |> iterateStream(fun(w => w |> reduceSeq(add)(0.0f)))))
def vec = depFun(n: Nat => fun((xs: (4*n).f32, a: f32) => xs |> asVectorAligned(4) |> mapSeq(fun(v => v * vectorFromScalar(a))) |> asScalar))
";
    for name in [
        "dotSeq", "copyT", "mv", "stencil", "tr", "two", "scan", "tree", "streams", "vec",
    ] {
        println!("{}", function(text, name, Target::C));
    }
}
