//! Tests the effects of the passes on loops, memory and variables.

mod loop_language;

use codegen::ir::{Binary, Expr, ExprKind, Id, LoopMode, Place, Stmt, StmtKind};
use codegen::{IndexPolicy, Target};
use expect_test::expect;
use loop_language::*;
use nat::{Nat, Prop};
use rise::core::Origin;
use syntax::ast::ScalarType;

fn select(condition: Expr, a: Expr, b: Expr) -> Expr {
    let ty = a.ty.clone();
    let kind = ExprKind::Select(Box::new(condition), Box::new(a), Box::new(b));
    expr(kind, &ty)
}

fn below(a: &Nat, b: &Nat) -> Expr {
    binary(Binary::Lt, size(a.clone()), size(b.clone()))
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn loops_that_run_at_most_once_are_none() {
    let f = scalar(F32);
    let mut b = Build::new("once", &f, &["n", "m"]);
    let (n, m) = (b.size(0), b.size(1));
    let xs = b.array("xs", &f, n.clone());
    let vars = ["", "", "", "", ""].map(|name| b.counter(name));
    b.require(Prop::AtLeast(num(1), m.clone()));
    let copy = |b: &Build, var, offset: &Nat| {
        let index = Nat::var(var) + offset;
        vec![assign(
            elem(b.function.outputs[0], index.clone()),
            b.at(xs, index),
        )]
    };
    b.function.body = vec![
        repeat(vars[0], num(0), copy(&b, vars[0], &num(0))),
        repeat(vars[1], num(1), copy(&b, vars[1], &num(2))),
        repeat(vars[2], m, copy(&b, vars[2], &num(1))),
        repeat(
            vars[3],
            n.clone(),
            vec![repeat(
                vars[4],
                Nat::min(&(n - Nat::var(vars[3])), &num(1)),
                copy(&b, vars[4], &Nat::var(vars[3])),
            )],
        ),
    ];
    expect![[r#"
        void once(float *restrict output, int n, int m, const float *restrict xs) {
            assert(m <= 1 && "1 >= m");
            output[2] = xs[2];
            if (m > 0) {
                output[1] = xs[1];
            }
            for (int i = 0; i < n; i++) {
                output[i] = xs[i];
            }
        }
    "#]]
    .assert_eq(&b.text(Target::C));
    run(
        &b.finish(Target::C),
        "float x[3] = {1, 2, 3}, y[3]; once(y, 3, 1, x); CHECK(y[0] == 1 && y[1] == 2 && y[2] == 3);",
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn unrolled_loops_are_written_out_and_their_arrays_are_variables() {
    let f = scalar(F32);
    let mut b = Build::new("blocks", &f, &["n"]);
    let n = b.size(0);
    let xs = b.array("xs", &f, &n * 4);
    let acc = b.local("acc", &f, Some(num(4)));
    let part = b.local("part", &f, None);
    let [i, j, k, l] = ["", "", "", ""].map(|name| b.counter(name));
    let unrolled = |var, body| repeat_as(LoopMode::Unrolled, var, num(4), body);
    b.function.body = vec![
        declare(acc),
        unrolled(j, vec![assign(elem(acc, Nat::var(j)), float("0.0"))]),
        repeat(
            i,
            n,
            vec![unrolled(
                k,
                vec![
                    declare(part),
                    assign(Place::plain(part), b.at(xs, Nat::var(i) * 4 + Nat::var(k))),
                    assign(
                        elem(acc, Nat::var(k)),
                        add(b.at(acc, Nat::var(k)), mul(b.get(part), b.get(part))),
                    ),
                ],
            )],
        ),
        unrolled(
            l,
            vec![assign(
                elem(b.function.outputs[0], Nat::var(l)),
                b.at(acc, Nat::var(l)),
            )],
        ),
    ];
    expect![[r#"
        void blocks(float *restrict output, int n, const float *restrict xs) {
            check_count("blocks: n*4", (double)4 * n);
            float acc0 = 0.0f;
            float acc1 = 0.0f;
            float acc2 = 0.0f;
            float acc3 = 0.0f;
            for (int i = 0; i < n; i++) {
                const float part = xs[4 * i];
                acc0 += part * part;
                const float part2 = xs[4 * i + 1];
                acc1 += part2 * part2;
                const float part3 = xs[4 * i + 2];
                acc2 += part3 * part3;
                const float part4 = xs[4 * i + 3];
                acc3 += part4 * part4;
            }
            output[0] = acc0;
            output[1] = acc1;
            output[2] = acc2;
            output[3] = acc3;
        }
    "#]]
    .assert_eq(&b.text(Target::C));
    run(
        &b.finish(Target::C),
        "float x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[4]; blocks(y, 2, x);
         CHECK(y[0] == 26 && y[1] == 40 && y[2] == 58 && y[3] == 80);",
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn unrolling_needs_a_number() {
    let f = scalar(F32);
    let mut b = Build::new("unroll", &f, &["n"]);
    let n = b.size(0);
    let i = b.counter("i");
    let body = vec![assign(
        elem(b.function.outputs[0], Nat::var(i)),
        float("0.0"),
    )];
    let mut refused = |to: Nat| {
        b.function.body = vec![Stmt {
            origin: Origin(7),
            ..repeat_as(LoopMode::Unrolled, i, to, body.clone())
        }];
        let lowered = codegen::Lowered {
            function: b.function.clone(),
            signature: b.signature.clone(),
        };
        let error = codegen::finish(lowered, Target::C, IndexPolicy::default());
        let error = error.expect_err("no number");
        assert_eq!(error.origin, Origin(7));
        format!("{error}\n")
    };
    let text = refused(n) + &refused(num(1 << 40));
    expect![[r#"
        a loop to unroll runs `n` times, which is not a constant
        unrolling the loops makes more than 10000 statements
    "#]]
    .assert_eq(&text);
}

/// The index is clamped to the range, as for padding.
#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn conditions_that_ranges_decide_are_gone() {
    let f = scalar(F32);
    let mut b = Build::new("pad", &f, &["n"]);
    let n = b.size(0);
    let xs = b.array("xs", &f, n.clone());
    let (i, j) = (b.counter("i"), b.counter("j"));
    let padded = |b: &Build, at: Nat| {
        select(
            below(&at, &num(1)),
            b.at(xs, 0),
            select(
                below(&at, &(b.size(0) + 1)),
                b.at(xs, &at - 1),
                b.at(xs, b.size(0) - 1),
            ),
        )
    };
    b.function.body = vec![
        repeat(
            i,
            n.clone(),
            vec![assign(
                elem(b.function.outputs[0], Nat::var(i)),
                padded(&b, Nat::var(i) + 1),
            )],
        ),
        repeat(
            j,
            n,
            vec![assign(
                elem(b.function.outputs[0], Nat::var(j)),
                add(
                    b.at(b.function.outputs[0], Nat::var(j)),
                    padded(&b, Nat::var(j) + 2),
                ),
            )],
        ),
    ];
    expect![[r#"
        void pad(float *restrict output, int n, const float *restrict xs) {
            for (int i = 0; i < n; i++) {
                output[i] = xs[i];
            }
            for (int i = 0; i < n - 1; i++) {
                output[i] += xs[i + 1];
            }
            if (n > 0) {
                output[n - 1] += xs[n - 1];
            }
        }
    "#]]
    .assert_eq(&b.text(Target::C));
    run(
        &b.finish(Target::C),
        "float x[3] = {1, 2, 4}, y[3]; pad(y, 3, x); CHECK(y[0] == 3 && y[1] == 6 && y[2] == 8);",
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn no_division_that_ranges_make_unnecessary() {
    let f = scalar(F32);
    let mut b = Build::new("tiles", &f, &["n", "m"]);
    let (n, m) = (b.size(0), b.size(1));
    let xs = b.array("xs", &f, &n * &m);
    let (i, j) = (b.counter("i"), b.counter("j"));
    b.require(Prop::Divides(num(4), n.clone()));
    // The row and column of the element i * m + j after `join` and `split`.
    let flat = Nat::var(i) * &m + Nat::var(j);
    let there = Nat::div(&flat, &m) * &m + Nat::rem(&flat, &m);
    b.function.body = vec![repeat(
        i,
        Nat::div(&n, &num(4)) * 4,
        vec![repeat(
            j,
            m,
            vec![assign(elem(b.function.outputs[0], flat), b.at(xs, there))],
        )],
    )];
    expect![[r#"
        void tiles(float *restrict output, int n, int m, const float *restrict xs) {
            assert(n % 4 == 0 && "4 divides n");
            check_count("tiles: n*m", (double)n * m);
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < m; j++) {
                    output[i * m + j] = xs[i * m + j];
                }
            }
        }
    "#]]
    .assert_eq(&b.text(Target::C));
}

/// Builds `tmp[j] = xs[i][j] * 2; output[i][j] = tmp[j] + 1` with `tmp` declared in the loop over `i`.
fn rows(mode: LoopMode, count: impl Fn(&Nat, &Nat) -> Nat) -> Build {
    let f = scalar(F32);
    let mut b = Build::new("rows", &f, &["n", "m"]);
    let (n, m) = (b.size(0), b.size(1));
    let xs = b.array("xs", &f, &n * &m);
    let [i, j, k, l] = ["i", "j", "j", "j"].map(|name| b.counter(name));
    let count = count(&Nat::var(i), &m);
    let (one, two) = (
        b.local("doubled", &f, Some(count.clone())),
        b.local("next", &f, Some(count)),
    );
    let at = |var| Nat::var(i) * &m + Nat::var(var);
    let end = Nat::min(&m, &(Nat::var(i) + 1));
    let body = vec![
        declare(one),
        declare(two),
        repeat(
            j,
            end.clone(),
            vec![assign(
                elem(one, Nat::var(j)),
                mul(b.at(xs, at(j)), float("2.0")),
            )],
        ),
        repeat(
            k,
            end.clone(),
            vec![assign(
                elem(b.function.outputs[0], at(k)),
                add(b.at(one, Nat::var(k)), float("1.0")),
            )],
        ),
        repeat(
            l,
            end,
            vec![
                assign(elem(two, Nat::var(l)), b.at(xs, at(l))),
                assign(
                    elem(b.function.outputs[0], at(l)),
                    add(b.at(b.function.outputs[0], at(l)), b.at(two, Nat::var(l))),
                ),
            ],
        ),
    ];
    b.function.body = vec![repeat_as(mode, i, n, body)];
    b
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn memory_is_allocated_outside_of_loops_and_shared() {
    let main = "float x[4] = {1, 2, 3, 4}, y[4] = {0}; rows(y, 2, 2, x);
                CHECK(y[0] == 4 && y[2] == 10 && y[3] == 13);";
    let once = rows(LoopMode::Sequential, |_, m| m.clone());
    expect![[r#"
        void rows(float *restrict output, int n, int m, const float *restrict xs) {
            check_count("rows: n*m", (double)n * m);
            float *doubled = allocate(m, sizeof(float));
            for (int i = 0; i < n; i++) {
                const int end = i < m ? i + 1 : m;
                for (int j = 0; j < end; j++) {
                    doubled[j] = xs[i * m + j] * 2.0f;
                }
                for (int j = 0; j < end; j++) {
                    output[i * m + j] = doubled[j] + 1.0f;
                }
                for (int j = 0; j < end; j++) {
                    doubled[j] = xs[i * m + j];
                    output[i * m + j] += doubled[j];
                }
            }
            free(doubled);
        }
    "#]]
    .assert_eq(&once.text(Target::C));
    run(&once.finish(Target::C), main);
    let largest = rows(LoopMode::Sequential, |i, _| i + 1);
    expect![[r#"
        void rows(float *restrict output, int n, int m, const float *restrict xs) {
            check_count("rows: n*m", (double)n * m);
            float *doubled = allocate(n, sizeof(float));
            for (int i = 0; i < n; i++) {
                const int end = i < m ? i + 1 : m;
                for (int j = 0; j < end; j++) {
                    doubled[j] = xs[i * m + j] * 2.0f;
                }
                for (int j = 0; j < end; j++) {
                    output[i * m + j] = doubled[j] + 1.0f;
                }
                for (int j = 0; j < end; j++) {
                    doubled[j] = xs[i * m + j];
                    output[i * m + j] += doubled[j];
                }
            }
            free(doubled);
        }
    "#]]
    .assert_eq(&largest.text(Target::C));
    run(&largest.finish(Target::C), main);
    let threads = rows(LoopMode::Parallel, |_, m| m.clone());
    expect![[r#"
        void rows(float *restrict output, int n, int m, const float *restrict xs) {
            check_count("rows: n*m", (double)n * m);
            #pragma omp parallel
            {
                float *doubled = allocate(m, sizeof(float));
                #pragma omp for nowait
                for (int i = 0; i < n; i++) {
                    const int end = i < m ? i + 1 : m;
                    for (int j = 0; j < end; j++) {
                        doubled[j] = xs[i * m + j] * 2.0f;
                    }
                    for (int j = 0; j < end; j++) {
                        output[i * m + j] = doubled[j] + 1.0f;
                    }
                    for (int j = 0; j < end; j++) {
                        doubled[j] = xs[i * m + j];
                        output[i * m + j] += doubled[j];
                    }
                }
                free(doubled);
            }
        }
    "#]]
    .assert_eq(&threads.text(Target::OpenMp));
    run(&threads.finish(Target::OpenMp), main);
    let stack = rows(LoopMode::Sequential, |_, _| num(100));
    expect![[r#"
        void rows(float *restrict output, int n, int m, const float *restrict xs) {
            check_count("rows: n*m", (double)n * m);
            for (int i = 0; i < n; i++) {
                const int end = i < m ? i + 1 : m;
                float doubled[100];
                for (int j = 0; j < end; j++) {
                    doubled[j] = xs[i * m + j] * 2.0f;
                }
                for (int j = 0; j < end; j++) {
                    output[i * m + j] = doubled[j] + 1.0f;
                }
                for (int j = 0; j < end; j++) {
                    doubled[j] = xs[i * m + j];
                    output[i * m + j] += doubled[j];
                }
            }
        }
    "#]]
    .assert_eq(&stack.text(Target::C));
    run(&stack.finish(Target::C), main);
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn temporaries_that_are_used_once_are_none() {
    let f = scalar(F32);
    let mut b = Build::new("chain", &f, &[]);
    let x = b.param("x", &f);
    let [a, c, d, dead, acc] = ["a", "c", "d", "dead", "acc"].map(|name| b.local(name, &f, None));
    let set = |id: Id, value| assign(Place::plain(id), value);
    b.function.body = vec![
        declare(a),
        declare(c),
        declare(d),
        declare(dead),
        declare(acc),
        set(a, add(b.get(x), float("1.0"))),
        set(c, mul(b.get(a), b.get(a))),
        set(d, add(b.get(c), float("2.0"))),
        set(dead, add(b.get(c), float("3.0"))),
        set(acc, b.get(d)),
        set(acc, add(b.get(acc), b.get(x))),
        set(dead, add(b.get(dead), float("3.0"))),
        assign(elem(b.function.outputs[0], 0), b.get(acc)),
    ];
    expect![[r#"
        void chain(float *restrict output, float x) {
            const float a = x + 1.0f;
            output[0] = a * a + 2.0f + x;
        }
    "#]]
    .assert_eq(&b.text(Target::C));
    run(
        &b.finish(Target::C),
        "float y; chain(&y, 2); CHECK(y == 13);",
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn indices_of_data_are_copied_with_unrolled_loops() {
    let f = scalar(F32);
    let mut b = Build::new("gather", &f, &["n"]);
    let n = b.size(0);
    let index = std::sync::Arc::new(rise::Type::Index(n.clone()));
    let xs = b.array("xs", &f, n);
    let at = b.array("at", &index, num(2));
    let (i, there) = (b.counter("i"), b.counter("at"));
    let value = b.at(at, Nat::var(i));
    b.function.opaque.push((there, value));
    let body = vec![assign(
        elem(b.function.outputs[0], Nat::var(i)),
        b.at(xs, Nat::var(there)),
    )];
    b.function.body = vec![repeat_as(LoopMode::Unrolled, i, num(2), body)];
    expect![[r#"
        void gather(float *restrict output, int n, const float *restrict xs, const int *restrict at) {
            (void)n;
            output[0] = xs[at[0]];
            output[1] = xs[at[1]];
        }
    "#]].assert_eq(&b.text(Target::C));
    run(
        &b.finish(Target::C),
        "float x[3] = {1, 2, 3}, y[2]; int at[2] = {2, 0}; gather(y, 3, x, at);
         CHECK(y[0] == 3 && y[1] == 1);",
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn parameters_that_nothing_reads_are_named_as_such() {
    let mut b = Build::new("constant", &scalar(ScalarType::I64), &["n"]);
    b.param("x", &scalar(F32));
    let value = int(i128::from(i64::MIN), ScalarType::I64);
    b.function.body = vec![
        assign(elem(b.function.outputs[0], 0), value),
        stmt(StmtKind::Block(Vec::new())),
    ];
    expect![[r#"
        void constant(int64_t *restrict output, int n, float x) {
            (void)n;
            (void)x;
            output[0] = INT64_MIN;
        }
    "#]]
    .assert_eq(&b.text(Target::C));
    run(
        &b.finish(Target::C),
        "int64_t y; constant(&y, 0, 0); CHECK(y == INT64_MIN);",
    );
}

/// Builds the sum of an array, and behind it that of `element(xs[i], sum)`.
fn two_sums(name: &str, element: impl Fn(Expr, Expr) -> Expr) -> Build {
    let f = scalar(F32);
    let mut b = Build::new(name, &f, &["n"]);
    let n = b.size(0);
    let xs = b.array("xs", &f, n.clone());
    let [sum, other] = ["sum", "other"].map(|name| b.local(name, &f, None));
    let [i, j] = ["", ""].map(|name| b.counter(name));
    let (x, y) = (b.at(xs, Nat::var(i)), b.at(xs, Nat::var(j)));
    let y = element(y, b.get(sum));
    let output = b.function.outputs[0];
    b.function.body = vec![
        declare_as(sum, float("0.0")),
        repeat(
            i,
            n.clone(),
            vec![assign(Place::plain(sum), add(b.get(sum), x))],
        ),
        declare_as(other, float("1.0")),
        repeat(
            j,
            n,
            vec![assign(Place::plain(other), add(b.get(other), y))],
        ),
        assign(elem(output, num(0)), b.get(sum)),
        assign(elem(output, num(1)), b.get(other)),
    ];
    b
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn independent_loops_over_the_same_elements_are_fused() {
    let b = two_sums("moments", |x, _| mul(x.clone(), x));
    expect![[r#"
        void moments(float *restrict output, int n, const float *restrict xs) {
            float sum = 0.0f;
            float other = 1.0f;
            for (int i = 0; i < n; i++) {
                sum += xs[i];
                other += xs[i] * xs[i];
            }
            output[0] = sum;
            output[1] = other;
        }
    "#]]
    .assert_eq(&b.text(Target::C));
    run(
        &b.finish(Target::C),
        "float x[3] = {1, 2, 3}, y[2]; moments(y, 3, x); CHECK(y[0] == 6 && y[1] == 15);",
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn loops_that_read_the_results_of_others_are_not_fused() {
    let b = two_sums("shares", mul);
    expect![[r#"
        void shares(float *restrict output, int n, const float *restrict xs) {
            float sum = 0.0f;
            for (int i = 0; i < n; i++) {
                sum += xs[i];
            }
            float other = 1.0f;
            for (int i = 0; i < n; i++) {
                other += xs[i] * sum;
            }
            output[0] = sum;
            output[1] = other;
        }
    "#]]
    .assert_eq(&b.text(Target::C));
    run(
        &b.finish(Target::C),
        "float x[3] = {1, 2, 3}, y[2]; shares(y, 3, x); CHECK(y[0] == 6 && y[1] == 37);",
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn each_part_of_the_text_has_its_origin() {
    let f = scalar(F32);
    let mut b = Build::new("origins", &f, &["n"]);
    let n = b.size(0);
    let xs = b.array("xs", &f, n.clone());
    let i = b.counter("");
    let from = |origin, expr: Expr| Expr {
        origin: Origin(origin),
        ..expr
    };
    let product = mul(
        from(3, add(b.at(xs, Nat::var(i)), float("1.0"))),
        from(4, float("2.0")),
    );
    let assignment = Stmt {
        origin: Origin(2),
        ..assign(elem(b.function.outputs[0], Nat::var(i)), from(2, product))
    };
    b.function.body = vec![Stmt {
        origin: Origin(1),
        ..repeat(i, n, vec![assignment])
    }];
    let module = b.finish(Target::C);
    let parts: Vec<String> = module
        .map
        .iter()
        .map(|mapping| {
            format!(
                "{}: {}",
                mapping.origin.0,
                &module.text[mapping.range.clone()]
            )
        })
        .collect();
    expect![[r#"
        1: for (int i = 0; i < n; i++) {
                output[i] = (xs[i] + 1.0f) * 2.0f;
            }
        2: output[i] = (xs[i] + 1.0f) * 2.0f;
        3: xs[i] + 1.0f
        0: xs[i]
        0: 1.0f
        4: 2.0f"#]]
    .assert_eq(&parts.join("\n"));
}
