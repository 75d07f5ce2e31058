//! Tests of programs with several outputs, and of parameters that are updated in place.

use codegen::Target;
use expect_test::{Expect, expect};

use super::function;

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&function(text, "main", Target::C));
}

#[test]
fn each_output_has_a_pointer() {
    check(
        "def main(n: Nat)(a: f32, xs: n.f32): ((n.f32, (f32, i32)), f32) =
  ((xs |> mapSeq(fun(x => a * x)), (a, 3i32)), xs |> reduceSeq(add)(0.0f))",
        expect![[r#"
            void main_(
                float *restrict output_1,
                pair_f32_i32 *restrict output_2,
                float *restrict output_3,
                int n,
                float a,
                const float *restrict xs
            ) {
                for (int i = 0; i < n; i++) {
                    output_1[i] = a * xs[i];
                }
                output_2[0]._1 = a;
                output_2[0]._2 = 3;
                float accum = 0.0f;
                for (int i = 0; i < n; i++) {
                    accum += xs[i];
                }
                output_3[0] = accum;
            }
        "#]],
    );
}

#[test]
fn one_loop_writes_the_arrays_of_a_tuple() {
    check(
        "def main(n: Nat)(xs: n.(f32, f32)): (n.f32, n.f32) =
  xs |> mapSeq(fun(p => (p._1 + p._2, p._1 - p._2))) |> unzip",
        expect![[r#"
            void main_(
                float *restrict output_1,
                float *restrict output_2,
                int n,
                const pair_f32_f32 *restrict xs
            ) {
                for (int i = 0; i < n; i++) {
                    output_1[i] = xs[i]._1 + xs[i]._2;
                    output_2[i] = xs[i]._1 - xs[i]._2;
                }
            }
        "#]],
    );
}

#[test]
fn both_branches_write_all_outputs() {
    check(
        "def main(n: Nat)(c: bool, xs: n.f32): (n.f32, f32) =
  select(c)((xs |> mapSeq(fun(x => 2.0f * x)), 1.0f))((xs |> mapSeq(fun(x => x + 2.0f)), 2.0f))",
        expect![[r#"
            void main_(
                float *restrict output_1,
                float *restrict output_2,
                int n,
                bool c,
                const float *restrict xs
            ) {
                if (c) {
                    for (int i = 0; i < n; i++) {
                        output_1[i] = 2.0f * xs[i];
                    }
                    output_2[0] = 1.0f;
                } else {
                    for (int i = 0; i < n; i++) {
                        output_1[i] = xs[i] + 2.0f;
                    }
                    output_2[0] = 2.0f;
                }
            }
        "#]],
    );
}

#[test]
fn steps_leave_the_accumulator_as_it_is() {
    check(
        "def main(n: Nat, m: Nat)(rows: n.m.f32, first: m.f32): m.f32 where m >= 1 =
  rows |> reduceSeq(fun(acc, row =>
    select((row |> idx(0)) < 0.0f)(acc)(zip(acc)(row) |> mapSeq(fun(p => p._1 + p._2)))))(
    first |> mapSeq(id)) |> mapSeq(id)",
        expect![[r#"
            void main_(
                float *restrict output,
                int n,
                int m,
                const float *restrict rows,
                const float *restrict first
            ) {
                assert(m >= 1 && "m >= 1");
                check_count("main: n*m", (double)n * m);
                for (int i = 0; i < m; i++) {
                    output[i] = first[i];
                }
                for (int i = 0; i < n; i++) {
                    if (!(rows[i * m] < 0.0f)) {
                        for (int j = 0; j < m; j++) {
                            output[j] += rows[i * m + j];
                        }
                    }
                }
            }
        "#]],
    );
}

#[test]
fn inner_reductions_continue_with_the_accumulator() {
    check(
        "def main(n: Nat, m: Nat)(xs: n.3.m.f32): m.f32 =
  xs |> reduceSeq(fun(acc, rows =>
    rows |> reduceSeq(fun(inner, row => zip(inner)(row) |> mapSeq(fun(p => max(p._1)(p._2)))))(acc)))(
    generate(fun(i => 0.0f)) |> mapSeq(id)) |> mapSeq(id)
foreign def max(x: f32, y: f32): f32 = \"\"\"{ return x > y ? x : y; }\"\"\"",
        expect![[r#"
            void main_(float *restrict output, int n, int m, const float *restrict xs) {
                check_count("main: n*m*3", (double)3 * n * m);
                for (int i = 0; i < m; i++) {
                    output[i] = 0.0f;
                }
                for (int i = 0; i < n; i++) {
                    for (int j = 0; j < 3; j++) {
                        for (int k = 0; k < m; k++) {
                            output[k] = max(output[k], xs[(3 * i + j) * m + k]);
                        }
                    }
                }
            }
        "#]],
    );
}

#[test]
fn parameters_are_updated_in_place() {
    check(
        "def main(n: Nat)(inout y: n.f32, a: f32, x: n.f32): (n.f32, f32) =
  (zip(x)(y) |> mapSeq(fun(p => a * p._1 + p._2)), x |> reduceSeq(add)(0.0f))",
        expect![[r#"
            void main_(float *restrict output, int n, float *restrict y, float a, const float *restrict x) {
                float accum = 0.0f;
                for (int i = 0; i < n; i++) {
                    y[i] += a * x[i];
                    accum += x[i];
                }
                output[0] = accum;
            }
        "#]],
    );
    // Both elements are read before one of them is overwritten.
    check(
        "def main(n: Nat)(inout x: n.f32, inout y: n.f32): (n.f32, n.f32) =
  zip(x)(y) |> mapSeq(fun(p => (p._2, p._1))) |> unzip",
        expect![[r#"
            void main_(int n, float *restrict x, float *restrict y) {
                for (int i = 0; i < n; i++) {
                    const float next = x[i];
                    x[i] = y[i];
                    y[i] = next;
                }
            }
        "#]],
    );
    check(
        "def main(n: Nat)(inout x: n.f32, c: bool): n.f32 = select(c)(x)(x |> mapSeq(fun(v => 2.0f * v)))",
        expect![[r#"
            void main_(int n, float *restrict x, bool c) {
                if (!c) {
                    for (int i = 0; i < n; i++) {
                        x[i] *= 2.0f;
                    }
                }
            }
        "#]],
    );
    // The initial value of the parameter is not known to differ from -0.0, so that the condition stays.
    check(
        "def main(n: Nat)(inout s: f32, xs: n.f32): f32 =
  xs |> reduceSeq(fun(sum, x => select(x > 0.0f)(sum + x)(sum)))(s)",
        expect![[r#"
            void main_(int n, float *restrict s, const float *restrict xs) {
                float sum = s[0];
                for (int i = 0; i < n; i++) {
                    sum = xs[i] > 0.0f ? sum + xs[i] : sum;
                }
                s[0] = sum;
            }
        "#]],
    );
}

#[test]
fn patterns_have_the_code_of_projections() {
    let of = |body: &str| {
        let text = format!("def main(n: Nat)(xs: n.(f32, (f32, i32))): n.f32 = {body}");
        function(&text, "main", Target::C)
    };
    assert_eq!(
        of("xs |> mapSeq(fun((a, (b, _)) => a * b))"),
        of("xs |> mapSeq(fun(p => p._1 * p._2._1))")
    );
    let sums = |step: &str, result: &str| {
        of(
            &format!("let {result} in xs |> mapSeq(fun(x => x._1 / d))").replace(
                "SUMS",
                &format!("(xs |> reduceSeq(fun({step}))((0.0f, 1.0f)))"),
            ),
        )
    };
    assert_eq!(
        sums("(a, b), (c, (d, _)) => (a + c, b * d)", "(_, d) = SUMS"),
        sums(
            "p, q => (p._1 + q._1, p._2 * q._2._1)",
            "p = SUMS in let d = p._2"
        )
    );
}

#[test]
fn local_definitions_have_the_code_of_their_values() {
    let of = |body: &str| {
        let text = format!("def main(n: Nat)(k: f32)(xs: n.f32): n.f32 = {body}");
        function(&text, "main", Target::C)
    };
    assert_eq!(
        of("let f(x: f32): f32 = k * x in
            let all(g: s -> t)(ys: m.s): m.t = ys |> mapSeq(g) in
            all(fun(x => f(f(x))))(xs)"),
        of("xs |> mapSeq(fun(x => k * (k * x)))")
    );
}
