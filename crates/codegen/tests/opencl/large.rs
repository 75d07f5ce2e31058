//! Tests intermediate results of indices that exceed an `int`.

use expect_test::{Expect, expect};

use crate::kernels;

/// Compares the lines with an index.
fn check(text: &str, expected: Expect) {
    let text = kernels(text, "main");
    let lines = text.lines().map(str::trim);
    let shown: Vec<&str> = lines.filter(|line| line.contains('[')).collect();
    expected.assert_eq(&shown.join("\n"));
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn what_is_divided_may_be_larger_than_what_comes_out() {
    check(
        "@opencl(local = [64], global = [1048576])
         def main = fun(xs: 1048576.i32 => xs
           |> reorder(1048576)(natFun(i => (i * 4097 + 5) % 1048576))
                (natFun(i => ((i + 1048571) * 1044481) % 1048576))
           |> mapGlobal(fun(x => x + 1)))",
        expect!["output[gid] = (int)((uint)xs[((long)4097 * gid + 5) % 1048576] + 1);"],
    );
    check(
        "@opencl(local = [64], global = [n])
         def main = depFun(n: Nat => fun(xs: n.i32 => xs
           |> reorderWithStride(128) |> reorderWithStride(128) |> mapGlobal(fun(x => x + 1))))",
        expect![[r#"
            output[gid] =
            (int)((uint)xs[128 * (((long)128 * gid + gid / (n / 128)) % (n / 128))"#]],
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn what_is_divided_stays_an_int_where_it_is_known_to_be_one() {
    check(
        "@opencl(local = [64], global = [1024])
         def main = fun(xs: 1024.i32 => xs
           |> reorder(1024)(natFun(i => (i * 5 + 1) % 1024))(natFun(i => ((i + 1023) * 205) % 1024))
           |> mapGlobal(fun(x => x + 1)))",
        expect!["output[gid] = (int)((uint)xs[(5 * gid + 1) % 1024] + 1);"],
    );
}
