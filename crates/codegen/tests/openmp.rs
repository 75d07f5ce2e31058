//! Tests parallel loops and reductions.

mod loop_language;

use std::sync::Arc;

use codegen::Target;
use codegen::ir::{Binary, Expr, ExprKind, Id, LoopMode, ParallelReduce, Place, Stmt, StmtKind};
use expect_test::expect;
use loop_language::*;
use nat::Nat;
use rise::core::Foreign;
use syntax::ast::ScalarType;

/// Builds a reduction of the array `xs` with this combination.
fn reduction(
    ty: ScalarType,
    initial: i128,
    combine: impl FnOnce(&Build, Id, Id) -> Vec<Stmt>,
) -> Build {
    let t = scalar(ty);
    let mut b = Build::new("reduce", &t, &["n"]);
    let n = b.size(0);
    let xs = b.array("xs", &t, n.clone());
    let [into, left, right, element] =
        ["total", "left", "right", "element"].map(|name| b.local(name, &t, None));
    let i = b.counter("i");
    let reduce = ParallelReduce {
        counter: i,
        count: n,
        into,
        element_body: vec![assign(Place::plain(element), b.at(xs, Nat::var(i)))],
        element,
        combine: combine(&b, left, right),
        left,
        right,
    };
    b.function.body = vec![
        declare_as(into, int(initial, ty)),
        stmt(StmtKind::Reduce(Box::new(reduce))),
        assign(elem(b.function.outputs[0], 0), b.get(into)),
    ];
    b
}

fn by(op: Binary) -> impl Fn(&Build, Id, Id) -> Vec<Stmt> {
    move |b, left, right| {
        vec![assign(
            Place::plain(left),
            binary(op, b.get(left), b.get(right)),
        )]
    }
}

fn maximum(b: &Build, left: Id, right: Id) -> Vec<Stmt> {
    let less = binary(Binary::Lt, b.get(left), b.get(right));
    let value = ExprKind::Select(
        Box::new(less),
        Box::new(b.get(right)),
        Box::new(b.get(left)),
    );
    let ty = b.get(left).ty;
    vec![assign(Place::plain(left), expr(value, &ty))]
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn threads_share_the_outermost_loop() {
    let f = scalar(F32);
    let mut b = Build::new("scale", &f, &["n", "m"]);
    let (n, m) = (b.size(0), b.size(1));
    let xs = b.array("xs", &f, &n * &m);
    let (i, j) = (b.counter("i"), b.counter("j"));
    let index = Nat::var(i) * &m + Nat::var(j);
    let body = assign(
        elem(b.function.outputs[0], index.clone()),
        mul(b.at(xs, index), float("2.0")),
    );
    let inner = repeat_as(LoopMode::Parallel, j, m.clone(), vec![body.clone()]);
    b.function.body = vec![repeat_as(
        LoopMode::Parallel,
        i,
        n.clone(),
        vec![inner.clone()],
    )];
    expect![[r#"
        void scale(float *restrict output, int n, int m, const float *restrict xs) {
            check_count("scale: n*m", (double)n * m);
            #pragma omp parallel for collapse(2)
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < m; j++) {
                    output[i * m + j] = xs[i * m + j] * 2.0f;
                }
            }
        }
    "#]]
    .assert_eq(&b.text(Target::OpenMp));
    let main = "float x[4] = {1, 2, 3, 4}, y[4]; scale(y, 2, 2, x);
                CHECK(y[0] == 2 && y[1] == 4 && y[2] == 6 && y[3] == 8);";
    run(&b.finish(Target::OpenMp), main);
    run(&b.finish(Target::C), main);
    // Loops with a statement in between are not distributed together.
    let acc = b.local("acc", &f, None);
    let body = vec![
        declare_as(acc, float("1.5")),
        assign(elem(b.function.outputs[0], Nat::var(i) * &m), b.get(acc)),
        inner,
    ];
    b.function.body = vec![repeat_as(LoopMode::Parallel, i, n, body)];
    expect![[r#"
        void scale(float *restrict output, int n, int m, const float *restrict xs) {
            check_count("scale: n*m", (double)n * m);
            #pragma omp parallel for
            for (int i = 0; i < n; i++) {
                output[i * m] = 1.5f;
                for (int j = 0; j < m; j++) {
                    output[i * m + j] = xs[i * m + j] * 2.0f;
                }
            }
        }
    "#]]
    .assert_eq(&b.text(Target::OpenMp));
    run(&b.finish(Target::OpenMp), main);
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn loops_over_several_rows_are_vectorised() {
    let f = scalar(F32);
    let mut b = Build::new("rows", &f, &["n", "m"]);
    let (n, m) = (b.size(0), b.size(1));
    let xs = b.array("xs", &f, &n * &m * 2);
    let (i, j) = (b.counter("i"), b.counter("j"));
    let index = |row: i64| (Nat::var(i) * 2 + row) * &m + Nat::var(j);
    let output = b.function.outputs[0];
    let of_inputs = [0, 1].map(|row| {
        let value = mul(b.at(xs, index(row)), float("2.0"));
        assign(elem(output, index(row)), value)
    });
    let inner = repeat(j, m.clone(), of_inputs.to_vec());
    b.function.body = vec![repeat_as(LoopMode::Parallel, i, n.clone(), vec![inner])];
    expect![[r#"
        void rows(float *restrict output, int n, int m, const float *restrict xs) {
            check_count("rows: n*m*2", (double)2 * n * m);
            #pragma omp parallel for
            for (int i = 0; i < n; i++) {
                #pragma omp simd
                for (int j = 0; j < m; j++) {
                    output[2 * i * m + j] = xs[2 * i * m + j] * 2.0f;
                    output[(2 * i + 1) * m + j] = xs[(2 * i + 1) * m + j] * 2.0f;
                }
            }
        }
    "#]]
    .assert_eq(&b.text(Target::OpenMp));
    let main = "float x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[8]; rows(y, 2, 2, x);
                for (int i = 0; i < 8; i++) CHECK(y[i] == 2 * x[i]);";
    run(&b.finish(Target::OpenMp), main);
    // What one statement writes, another one may read in a later iteration.
    let of_output = [0, 1].map(|row| {
        let value = mul(b.at(output, index(row)), float("2.0"));
        assign(elem(output, index(row)), value)
    });
    let inner = repeat(j, m.clone(), of_output.to_vec());
    b.function.body = vec![repeat_as(LoopMode::Parallel, i, n, vec![inner])];
    assert!(!b.text(Target::OpenMp).contains("simd"));
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn reductions_that_openmp_knows() {
    let sum = reduction(F32, 1, by(Binary::Add));
    expect![[r#"
        void reduce(float *restrict output, int n, const float *restrict xs) {
            float total = 1.0f;
            #pragma omp parallel for simd reduction(+ : total)
            for (int i = 0; i < n; i++) {
                total += xs[i];
            }
            output[0] = total;
        }
    "#]]
    .assert_eq(&sum.text(Target::OpenMp));
    run(
        &sum.finish(Target::OpenMp),
        "float x[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, y; reduce(&y, 9, x); CHECK(y == 46);
         reduce(&y, 0, x); CHECK(y == 1);",
    );
    let wrapping = reduction(I32, 1, by(Binary::Mul));
    expect![[r##"
        #include <stdint.h>

        #ifdef __clang__
        #pragma clang diagnostic ignored "-Wpass-failed"
        #endif

        #pragma omp declare reduction(product_i32 : int32_t : omp_out = (int32_t)((uint32_t)omp_out * omp_in)) initializer(omp_priv = 1)

        /* reduce : (n: Nat) -> n.i32 -> i32 */
        void reduce(int32_t *restrict output, int n, const int32_t *restrict xs) {
            int32_t total = 1;
            #pragma omp parallel for simd reduction(product_i32 : total)
            for (int i = 0; i < n; i++) {
                total = (int32_t)((uint32_t)total * xs[i]);
            }
            output[0] = total;
        }
    "##]].assert_eq(&wrapping.finish(Target::OpenMp).text);
    run(
        &wrapping.finish(Target::OpenMp),
        "int32_t x[4] = {65536, 3, 65536, 5}, y; reduce(&y, 4, x); CHECK(y == 0);
         reduce(&y, 2, x); CHECK(y == 196608);",
    );
    let largest = reduction(I32, i128::from(i32::MIN), maximum);
    expect![[r#"
        void reduce(int32_t *restrict output, int n, const int32_t *restrict xs) {
            int32_t total = INT32_MIN;
            #pragma omp parallel for simd reduction(max : total)
            for (int i = 0; i < n; i++) {
                int32_t element = xs[i];
                total = total < element ? element : total;
            }
            output[0] = total;
        }
    "#]]
    .assert_eq(&largest.text(Target::OpenMp));
    run(
        &largest.finish(Target::OpenMp),
        "int32_t x[4] = {-5, -3, -9, -4}, y; reduce(&y, 4, x); CHECK(y == -3);",
    );
}

/// Combines by `left * 10 + right`, which is not commutative and not an operator of OpenMP.
fn digits(b: &Build, left: Id, right: Id) -> Vec<Stmt> {
    let foreign = Foreign {
        name: "join_digits".into(),
        params: Box::new([("a".into(), scalar(I32)), ("b".into(), scalar(I32))]),
        result: scalar(I32),
        body: Some(
            "{\n    int p = 1;\n    while (p <= b) p *= 10;\n    return a * p + b;\n}".into(),
        ),
        body_span: None,
        id: None,
    };
    let call = ExprKind::Call(Arc::new(foreign), vec![b.get(left), b.get(right)]);
    vec![assign(Place::plain(left), expr(call, &scalar(I32)))]
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn other_reductions_keep_the_order() {
    let b = reduction(I32, 1, digits);
    let module = b.finish(Target::OpenMp);
    expect![[r##"
        #include <math.h>
        #include <omp.h>
        #include <stdbool.h>
        #include <stdint.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>

        #ifdef __clang__
        #pragma STDC FP_CONTRACT OFF
        #elif defined __GNUC__ && !defined __STRICT_ANSI__
        #pragma GCC optimize("fp-contract=off")
        #endif

        static int32_t join_digits(int32_t a, int32_t b) {
            int p = 1;
            while (p <= b) p *= 10;
            return a * p + b;
        }

        /* reduce : (n: Nat) -> n.i32 -> i32 */
        void reduce(int32_t *restrict output, int n, const int32_t *restrict xs) {
            int32_t total = 1;
            #pragma omp parallel
            {
                int32_t part;
                bool any = false;
                #pragma omp for schedule(static)
                for (int i = 0; i < n; i++) {
                    int32_t element = xs[i];
                    if (any) {
                        part = join_digits(part, element);
                    } else {
                        part = element;
                        any = true;
                    }
                }
                #pragma omp for ordered schedule(static, 1)
                for (int thread = 0; thread < omp_get_num_threads(); thread++) {
                    #pragma omp ordered
                    if (any) {
                        total = join_digits(total, part);
                    }
                }
            }
            output[0] = total;
        }
    "##]]
    .assert_eq(&module.text);
    run(
        &module,
        "int32_t x[6] = {2, 3, 4, 5, 6, 7}, y; reduce(&y, 6, x); CHECK(y == 1234567);
         reduce(&y, 1, x); CHECK(y == 12); reduce(&y, 0, x); CHECK(y == 1);",
    );
    run(
        &b.finish(Target::C),
        "int32_t x[6] = {2, 3, 4, 5, 6, 7}, y; reduce(&y, 6, x); CHECK(y == 1234567);",
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn the_body_of_a_c_function_is_found_in_the_text() {
    let module = reduction(I32, 1, digits).finish(Target::C);
    let [foreign] = module.foreign.as_slice() else {
        panic!("{:?}", module.foreign);
    };
    assert_eq!(
        Some(&module.text[foreign.range.clone()]),
        foreign.function.body.as_deref()
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn functions_of_the_header_have_the_suffix_of_their_type() {
    let mut text = String::new();
    for ty in [ScalarType::F32, ScalarType::F64] {
        let t = scalar(ty);
        let mut b = Build::new("root", &t, &[]);
        let x = b.param("sqrt", &t);
        let call = |name: &str, arg: Expr| {
            let foreign = Foreign {
                name: name.into(),
                params: Box::new([("x".into(), t.clone())]),
                result: t.clone(),
                body: None,
                body_span: None,
                id: None,
            };
            expr(ExprKind::Call(Arc::new(foreign), vec![arg]), &t)
        };
        b.function.body = vec![assign(
            elem(b.function.outputs[0], 0),
            call("sqrt", call("fabsf", b.get(x))),
        )];
        text.push_str(&b.finish(Target::C).text);
        run(
            &b.finish(Target::C),
            if ty == ScalarType::F32 {
                "float y; root(&y, -4); CHECK(y == 2);"
            } else {
                "double y; root(&y, -4); CHECK(y == 2);"
            },
        );
    }
    expect![[r#"
        #include <math.h>

        /* root : f32 -> f32 */
        void root(float *restrict output, float sqrt) {
            output[0] = sqrtf(fabsf(sqrt));
        }
        #include <math.h>

        /* root : f64 -> f64 */
        void root(double *restrict output, double sqrt2) {
            output[0] = sqrt(fabs(sqrt2));
        }
    "#]]
    .assert_eq(&text);
}
