//! Tests the removal of variables and arrays that only hold copies.

mod loop_language;

use codegen::Target;
use codegen::ir::{ExprKind, Place};
use expect_test::expect;
use loop_language::*;
use nat::Nat;

/// Builds sums of rows, accumulated in an array that has its initial value from the output or 0,
/// and is copied to the output.
fn rows(start_from_output: bool) -> Build {
    let f = scalar(F32);
    let mut b = Build::new("rows", &f, &["n", "m"]);
    let (n, m) = (b.size(0), b.size(1));
    let xs = b.array("xs", &f, &n * &m);
    let acc = b.local("acc", &f, Some(m.clone()));
    let [i, j, k, l] = ["", "", "", ""].map(|name| b.counter(name));
    let output = b.function.outputs[0];
    let at = |var| Nat::var(i) * &m + Nat::var(var);
    let start = if start_from_output {
        b.at(output, at(j))
    } else {
        float("1.0")
    };
    let body = vec![
        declare(acc),
        repeat(j, m.clone(), vec![assign(elem(acc, Nat::var(j)), start)]),
        repeat(
            k,
            m.clone(),
            vec![assign(
                elem(acc, Nat::var(k)),
                add(b.at(acc, Nat::var(k)), b.at(xs, at(k))),
            )],
        ),
        repeat(
            l,
            m.clone(),
            vec![assign(elem(output, at(l)), b.at(acc, Nat::var(l)))],
        ),
    ];
    b.function.body = vec![repeat(i, n, body)];
    b
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn arrays_that_are_copied_at_last_are_their_target() {
    let b = rows(false);
    expect![[r#"
        void rows(float *restrict output, int n, int m, const float *restrict xs) {
            check_count("rows: n*m", (double)n * m);
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < m; j++) {
                    output[i * m + j] = 1.0f;
                }
                for (int j = 0; j < m; j++) {
                    output[i * m + j] += xs[i * m + j];
                }
            }
        }
    "#]]
    .assert_eq(&b.text(Target::C));
    run(
        &b.finish(Target::C),
        "float x[4] = {1, 2, 3, 4}, y[4]; rows(y, 2, 2, x);
         CHECK(y[0] == 2 && y[1] == 3 && y[2] == 4 && y[3] == 5);",
    );
    let b = rows(true);
    expect![[r#"
        void rows(float *restrict output, int n, int m, const float *restrict xs) {
            check_count("rows: n*m", (double)n * m);
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < m; j++) {
                    output[i * m + j] += xs[i * m + j];
                }
            }
        }
    "#]]
    .assert_eq(&b.text(Target::C));
    run(
        &b.finish(Target::C),
        "float x[4] = {1, 2, 3, 4}, y[4] = {1, 1, 1, 2}; rows(y, 2, 2, x);
         CHECK(y[0] == 2 && y[1] == 3 && y[2] == 4 && y[3] == 6);",
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn an_array_whose_target_is_read_meanwhile_stays() {
    let mut b = rows(false);
    let acc = codegen::ir::Id(2);
    let f = scalar(F32);
    let last = b.local("last", &f, None);
    let output = b.function.outputs[0];
    let codegen::ir::StmtKind::For(codegen::ir::Loop { body, .. }) = &mut b.function.body[0].kind
    else {
        panic!("a loop");
    };
    // The sum depends on the previous output.
    let read = expr(ExprKind::Load(elem(output, num(0))), &f);
    let sum = add(
        expr(ExprKind::Load(elem(acc, num(0))), &f),
        expr(ExprKind::Load(Place::plain(last)), &f),
    );
    body.insert(2, declare_as(last, read));
    body.insert(3, assign(elem(acc, num(0)), sum));
    expect![[r#"
        void rows(float *restrict output, int n, int m, const float *restrict xs) {
            check_count("rows: n*m", (double)n * m);
            float *acc = allocate(m, sizeof(float));
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < m; j++) {
                    acc[j] = 1.0f;
                }
                acc[0] += output[0];
                for (int j = 0; j < m; j++) {
                    acc[j] += xs[i * m + j];
                }
                for (int j = 0; j < m; j++) {
                    output[i * m + j] = acc[j];
                }
            }
            free(acc);
        }
    "#]]
    .assert_eq(&b.text(Target::C));
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn halves_of_tuples_are_variables_and_copies_are_none() {
    let f = scalar(F32);
    let t = pair(&f, &f);
    let mut b = Build::new("complex", &f, &["n"]);
    let (x, y) = (b.param("x", &f), b.param("y", &f));
    let [sum, copy] = ["sum", "copy"].map(|name| b.local(name, &f, None));
    let both = b.local("both", &t, None);
    let half = |b: &Build, second| {
        b.load(Place {
            members: vec![second],
            ..Place::plain(both)
        })
    };
    let value = ExprKind::Pair(
        Box::new(mul(b.get(x), b.get(y))),
        Box::new(add(b.get(x), b.get(y))),
    );
    let i = b.counter("");
    let n = b.size(0);
    b.function.body = vec![
        declare_as(both, expr(value, &t)),
        declare_as(sum, float("0.0")),
        declare_as(copy, b.get(sum)),
        repeat(
            i,
            n,
            vec![assign(
                Place::plain(copy),
                add(b.get(copy), mul(half(&b, false), half(&b, true))),
            )],
        ),
        assign(Place::plain(sum), b.get(copy)),
        assign(elem(b.function.outputs[0], 0), b.get(sum)),
    ];
    expect![[r#"
        void complex(float *restrict output, int n, float x, float y) {
            const float both1 = x * y;
            const float both2 = x + y;
            float sum = 0.0f;
            for (int i = 0; i < n; i++) {
                sum += both1 * both2;
            }
            output[0] = sum;
        }
    "#]]
    .assert_eq(&b.text(Target::C));
    run(
        &b.finish(Target::C),
        "float z; complex(&z, 2, 3, 4); CHECK(z == 168);",
    );
}
