//! Tests the text and the results of functions in C.

mod loop_language;

use codegen::Target;
use codegen::ir::{Binary, ExprKind, StmtKind};
use expect_test::expect;
use loop_language::*;
use nat::{Nat, Prop};
use syntax::ast::ScalarType;

/// Builds `output[i][j] = alpha * a[i][j] + x[j]` over an `n` by `m` matrix, the sum of `row` first.
fn matrix() -> Build {
    let f = scalar(F32);
    let mut b = Build::new("gemv", &f, &["n", "m"]);
    let (n, m) = (b.size(0), b.size(1));
    let a = b.array("a", &f, &n * &m);
    let xs = b.array("xs", &f, m.clone());
    let alpha = b.param("alpha", &f);
    let (i, j) = (b.counter(""), b.counter(""));
    let acc = b.local("acc", &f, None);
    let product = mul(
        b.at(a, Nat::var(i) * &m + Nat::var(j)),
        b.at(xs, Nat::var(j)),
    );
    let step = assign(codegen::ir::Place::plain(acc), add(b.get(acc), product));
    b.function.body = vec![repeat(
        i,
        n,
        vec![
            declare_as(acc, float("0.0")),
            repeat(j, m, vec![step]),
            assign(
                elem(b.function.outputs[0], Nat::var(i)),
                mul(b.get(alpha), b.get(acc)),
            ),
        ],
    )];
    b
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn loops_and_indices_are_those_of_a_person() {
    let mut b = matrix();
    let four = num(4);
    b.require(Prop::Divides(four, b.size(0)));
    let module = b.finish(Target::C);
    expect![[r##"
        #include <assert.h>
        #include <stdint.h>
        #include <stdio.h>
        #include <stdlib.h>

        #ifdef __clang__
        #pragma STDC FP_CONTRACT OFF
        #elif defined __GNUC__ && !defined __STRICT_ANSI__
        #pragma GCC optimize("fp-contract=off")
        #endif

        /* Ends the program if a number of elements does not fit into an index. */
        static void check_count(const char *what, double count) {
            if (count > INT32_MAX) {
                fprintf(stderr, "%s = %.0f elements do not fit into indices of 32 bits: "
                        "emit the code with --index 64\n", what, count);
                abort();
            }
        }

        /* gemv : (n: Nat) -> (m: Nat) -> (n*m).f32 -> m.f32 -> f32 -> f32
           where 4 divides n */
        void gemv(
            float *restrict output,
            int n,
            int m,
            const float *restrict a,
            const float *restrict xs,
            float alpha
        ) {
            assert(n % 4 == 0 && "4 divides n");
            check_count("gemv: n*m", (double)n * m);
            for (int i = 0; i < n; i += 4) {
                float acc = 0.0f;
                float acc2 = 0.0f;
                float acc3 = 0.0f;
                float acc4 = 0.0f;
                for (int j = 0; j < m; j++) {
                    acc += a[i * m + j] * xs[j];
                    acc2 += a[(i + 1) * m + j] * xs[j];
                    acc3 += a[(i + 2) * m + j] * xs[j];
                    acc4 += a[(i + 3) * m + j] * xs[j];
                }
                output[i] = alpha * acc;
                output[i + 1] = alpha * acc2;
                output[i + 2] = alpha * acc3;
                output[i + 3] = alpha * acc4;
            }
        }
    "##]]
    .assert_eq(&module.text);
    run(
        &module,
        "float a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, xs[2] = {1, 10}, y[4];
         gemv(y, 4, 2, a, xs, 2.0f);
         CHECK(y[0] == 42 && y[1] == 86 && y[2] == 130 && y[3] == 174);",
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn indices_are_factored_where_that_is_shorter() {
    let f = scalar(F32);
    let mut b = Build::new("index", &f, &["n", "m", "k"]);
    let sizes = [b.size(0), b.size(1), b.size(2)];
    let [n, m, k] = &sizes;
    let xs = b.array("xs", &f, n * m * k);
    let vars = ["", "", "", ""].map(|name| b.counter(name));
    let [i, j, l, o] = vars.map(Nat::var);
    let cases = [
        (&i * m + &j) * k + &l,
        &i * (n + 2) + &j,
        (&i * 32 + &j) * m + &l * 32 + &o,
        &i + &j - 1,
        n - 1 - &i,
        Nat::div(&i, &num(4)) * m + Nat::rem(&i, &num(4)),
        Nat::min(&(&i * 2), n) + Nat::max(&j, &num(3)),
        Nat::div(&(n - 1), m) + 1,
        &i * &i + Nat::pow(&num(2), &j),
        &i * m + &j * m * 2 + &l * 4 + &o * 4 + 4,
    ];
    let body = cases
        .iter()
        .map(|index| assign(elem(b.function.outputs[0], 0), b.at(xs, index.clone())))
        .collect();
    let inner = repeat(vars[3], m.clone(), body);
    let inner = repeat(vars[2], k.clone(), vec![inner]);
    let inner = repeat(vars[1], m.clone(), vec![inner]);
    b.function.body = vec![repeat(vars[0], n.clone(), vec![inner])];
    let text = b.text(Target::C);
    let lines: Vec<&str> = text
        .lines()
        .filter(|l| l.contains("xs["))
        .map(str::trim)
        .collect();
    expect![[r#"
        output[0] = xs[i * (n + 2) + j];
        output[0] = xs[(32 * i + j) * m + 32 * l + p];
        output[0] = xs[i + j - 1];
        output[0] = xs[n - 1 - i];
        output[0] = xs[(i / 4) * m + i % 4];
        output[0] = xs[(j > 2 ? j : 3) + at];
        output[0] = xs[(n - 1) / m + 1];
        output[0] = xs[i * i + (1 << j)];
        output[0] = xs[(2 * j + i) * m + 4 * (l + p + 1)];"#]]
    .assert_eq(&lines[1..].join("\n"));
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn integers_wrap_at_their_own_width() {
    let mut text = String::new();
    for (ty, name) in [
        (ScalarType::I8, "int8_t"),
        (ScalarType::U16, "uint16_t"),
        (ScalarType::I32, "int32_t"),
        (ScalarType::I64, "int64_t"),
        (ScalarType::U64, "uint64_t"),
    ] {
        let t = scalar(ty);
        let mut b = Build::new("wrap", &t, &[]);
        let (x, y) = (b.param("x", &t), b.param("y", &t));
        let (x, y) = (b.get(x), b.get(y));
        let bin =
            |op, a: &codegen::ir::Expr, b: &codegen::ir::Expr| binary(op, a.clone(), b.clone());
        let neg = expr(
            ExprKind::Unary(codegen::ir::Unary::Neg, Box::new(x.clone())),
            &t,
        );
        let values = [
            bin(Binary::Add, &x, &y),
            bin(
                Binary::Sub,
                &bin(Binary::Mul, &x, &y),
                &bin(Binary::Mul, &y, &x),
            ),
            bin(Binary::Mul, &bin(Binary::Sub, &x, &y), &int(3, ty)),
            bin(Binary::Div, &x, &y),
            bin(Binary::Mod, &x, &y),
            bin(Binary::Div, &x, &int(3, ty)),
            neg,
        ];
        b.function.body = (0..)
            .zip(values)
            .map(|(at, value)| assign(elem(b.function.outputs[0], at), value))
            .collect();
        let module = b.finish(Target::C);
        let body = b.text(Target::C);
        text.extend(
            body.lines()
                .filter(|l| l.contains("output["))
                .map(|l| format!("{}\n", l.trim())),
        );
        let least = match ty {
            ScalarType::I8 => "INT8_MIN",
            ScalarType::I32 => "INT32_MIN",
            ScalarType::I64 => "INT64_MIN",
            _ => "0",
        };
        let most = match ty {
            ScalarType::I8 => "INT8_MAX",
            ScalarType::U16 => "UINT16_MAX",
            ScalarType::I32 => "INT32_MAX",
            ScalarType::I64 => "INT64_MAX",
            _ => "UINT64_MAX",
        };
        run(
            &module,
            &format!(
                "{name} z[7]; wrap(z, {most}, 1); CHECK(z[0] == {least}); CHECK(z[1] == 0);
                 CHECK(z[3] == {most} && z[4] == 0 && z[5] == {most} / 3);
                 wrap(z, {least}, ({name})-1); CHECK(z[4] == 0);
                 CHECK(z[3] == {least}); CHECK(z[6] == {least});
                 wrap(z, {most}, {most}); CHECK(z[1] == 0 && z[2] == 0);"
            ),
        );
    }
    expect![[r#"
        output[0] = (int8_t)(x + y);
        output[1] = (int8_t)((uint32_t)x * y - (uint32_t)y * x);
        output[2] = (int8_t)(((uint32_t)x - y) * 3);
        output[3] = (int8_t)(x / y);
        output[4] = x % y;
        output[5] = x / 3;
        output[6] = (int8_t)-x;
        output[0] = (uint16_t)(x + y);
        output[1] = (uint16_t)((uint32_t)x * y - (uint32_t)y * x);
        output[2] = (uint16_t)(((uint32_t)x - y) * 3);
        output[3] = x / y;
        output[4] = x % y;
        output[5] = x / 3;
        output[6] = (uint16_t)-x;
        output[0] = (int32_t)((uint32_t)x + y);
        output[1] = (int32_t)((uint32_t)x * y - (uint32_t)y * x);
        output[2] = (int32_t)(((uint32_t)x - y) * 3);
        output[3] = div_i32(x, y);
        output[4] = mod_i32(x, y);
        output[5] = x / 3;
        output[6] = (int32_t)-(uint32_t)x;
        output[0] = (int64_t)((uint64_t)x + y);
        output[1] = (int64_t)((uint64_t)x * y - (uint64_t)y * x);
        output[2] = (int64_t)(((uint64_t)x - y) * 3);
        output[3] = div_i64(x, y);
        output[4] = mod_i64(x, y);
        output[5] = x / 3;
        output[6] = (int64_t)-(uint64_t)x;
        output[0] = x + y;
        output[1] = x * y - y * x;
        output[2] = (x - y) * 3ull;
        output[3] = x / y;
        output[4] = x % y;
        output[5] = x / 3ull;
        output[6] = -x;
    "#]]
    .assert_eq(&text);
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn floats_become_integers_that_there_are() {
    let f = scalar(F32);
    let i = scalar(ScalarType::I32);
    let mut b = Build::new("round_down", &i, &[]);
    let x = b.param("x", &f);
    let cast = |to, value| expr(ExprKind::Cast(to, Box::new(value)), &scalar(to));
    let wide = cast(ScalarType::I32, cast(ScalarType::U8, b.get(x)));
    b.function.body = vec![
        assign(
            elem(b.function.outputs[0], 0),
            cast(ScalarType::I32, b.get(x)),
        ),
        assign(elem(b.function.outputs[0], 1), wide),
        assign(
            elem(b.function.outputs[0], 2),
            cast(ScalarType::I32, cast(ScalarType::Bool, b.get(x))),
        ),
    ];
    let module = b.finish(Target::C);
    expect![[r#"
        #include <stdint.h>

        static inline int32_t f32_to_i32(float x) {
            const float above = x > -2147483648.0f ? x : -2147483648.0f;
            const float within = above < 2147483520.0f ? above : 2147483520.0f;
            const int32_t n = (int32_t)within;
            return (n | (x >= 2147483648.0f ? 127 : 0)) & (x == x ? -1 : 0);
        }

        static inline uint8_t f32_to_u8(float x) {
            const float above = x > 0.0f ? x : 0.0f;
            const float within = above < 255.0f ? above : 255.0f;
            const uint8_t n = (uint8_t)within;
            return n;
        }

        /* round_down : f32 -> i32 */
        void round_down(int32_t *restrict output, float x) {
            output[0] = f32_to_i32(x);
            output[1] = (int32_t)f32_to_u8(x);
            output[2] = (int32_t)(x != 0.0f);
        }
    "#]]
    .assert_eq(&module.text);
    run(
        &module,
        "int32_t z[3]; round_down(z, 1e10f); CHECK(z[0] == INT32_MAX && z[1] == 255 && z[2] == 1);
         round_down(z, -1e10f); CHECK(z[0] == INT32_MIN && z[1] == 0 && z[2] == 1);
         volatile float zero = 0; round_down(z, zero / zero); CHECK(z[0] == 0 && z[1] == 0 && z[2] == 1);
         round_down(z, -3.9f); CHECK(z[0] == -3); round_down(z, 0.0f); CHECK(z[2] == 0);",
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn what_compilers_warn_of_is_decided() {
    let t = scalar(ScalarType::U8);
    let mut b = Build::new("limits", &scalar(ScalarType::Bool), &[]);
    let x = b.param("x", &t);
    let x = b.get(x);
    let not = |e| {
        let kind = ExprKind::Unary(codegen::ir::Unary::Not, Box::new(e));
        expr(kind, &scalar(ScalarType::Bool))
    };
    let byte = |value| int(value, ScalarType::U8);
    let cmp = |op, a: codegen::ir::Expr, b: codegen::ir::Expr| binary(op, a, b);
    let values = [
        cmp(Binary::Ge, x.clone(), byte(0)),
        cmp(Binary::Gt, x.clone(), byte(255)),
        cmp(Binary::Le, byte(0), x.clone()),
        cmp(Binary::Eq, x.clone(), x.clone()),
        cmp(
            Binary::Eq,
            not(cmp(Binary::Lt, x.clone(), byte(3))),
            cmp(Binary::Gt, x.clone(), byte(7)),
        ),
        cmp(
            Binary::Or,
            cmp(
                Binary::And,
                cmp(Binary::Lt, x.clone(), byte(3)),
                cmp(Binary::Gt, x.clone(), byte(1)),
            ),
            cmp(Binary::Eq, x.clone(), byte(9)),
        ),
    ];
    b.function.body = (0..)
        .zip(values)
        .map(|(at, value)| assign(elem(b.function.outputs[0], at), value))
        .collect();
    expect![[r#"
        void limits(uint8_t *restrict output, uint8_t x) {
            output[0] = true;
            output[1] = false;
            output[2] = true;
            output[3] = true;
            output[4] = (!(x < 3)) == (x > 7);
            output[5] = (x < 3 && x > 1) || x == 9;
        }
    "#]]
    .assert_eq(&b.text(Target::C));
    run(
        &b.finish(Target::C),
        "uint8_t z[6]; limits(z, 2); CHECK(z[0] && !z[1] && z[2] && z[3] && z[4] && z[5]);
         limits(z, 9); CHECK(z[4] && z[5]);",
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn tuples_are_structs() {
    let t = pair(&scalar(F32), &scalar(I32));
    let mut b = Build::new("pairs", &t, &["n"]);
    let n = b.size(0);
    let xs = b.array("xs", &t, n.clone());
    let i = b.counter("i");
    let part = |second| {
        let mut place = elem(xs, Nat::var(i));
        place.members.push(second);
        place
    };
    let value = expr(
        ExprKind::Pair(
            Box::new(mul(b.load(part(false)), float("0.1"))),
            Box::new(b.load(part(true))),
        ),
        &t,
    );
    b.function.body = vec![repeat(
        i,
        n,
        vec![assign(elem(b.function.outputs[0], Nat::var(i)), value)],
    )];
    let module = b.finish(Target::C);
    expect![[r#"
        #include <stdint.h>

        typedef struct { float _1; int32_t _2; } pair_f32_i32;

        /* pairs : (n: Nat) -> n.(f32, i32) -> (f32, i32) */
        void pairs(pair_f32_i32 *restrict output, int n, const pair_f32_i32 *restrict xs) {
            for (int i = 0; i < n; i++) {
                output[i] = (pair_f32_i32){xs[i]._1 * 0.1f, xs[i]._2};
            }
        }
    "#]]
    .assert_eq(&module.text);
    run(
        &module,
        "pair_f32_i32 x[1] = {{10, 3}}, y[1]; pairs(y, 1, x); CHECK(y[0]._1 == 1 && y[0]._2 == 3);",
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn memory_that_is_not_small_is_allocated() {
    let f = scalar(F32);
    let mut b = Build::new("copy", &f, &["n", "m"]);
    let (n, m) = (b.size(0), b.size(1));
    let xs = b.array("xs", &f, &n * &m);
    let tmp = b.local("tmp", &f, Some((&n + 2) * &m));
    let small = b.local("small", &f, Some(num(4)));
    let i = b.counter("i");
    b.function.body = vec![
        declare(tmp),
        declare(small),
        assign(elem(small, 3), float("2.5")),
        repeat(
            i,
            &n * &m,
            vec![
                assign(
                    elem(tmp, Nat::var(i) + 1),
                    mul(b.at(xs, Nat::var(i)), b.at(small, 3)),
                ),
                assign(
                    elem(b.function.outputs[0], Nat::var(i)),
                    b.at(tmp, Nat::var(i) + 1),
                ),
            ],
        ),
    ];
    let module = b.finish(Target::C);
    expect![[r##"
        #include <stdint.h>
        #include <stdio.h>
        #include <stdlib.h>

        static void *allocate(size_t count, size_t size) {
            void *memory = count <= PTRDIFF_MAX / size ? malloc(count > 0 ? count * size : 1) : NULL;
            if (memory == NULL) {
                fprintf(stderr, "cannot allocate %zu elements of %zu bytes\n", count, size);
                abort();
            }
            return memory;
        }

        /* Ends the program if a number of elements does not fit into an index. */
        static void check_count(const char *what, double count) {
            if (count > INT32_MAX) {
                fprintf(stderr, "%s = %.0f elements do not fit into indices of 32 bits: "
                        "emit the code with --index 64\n", what, count);
                abort();
            }
        }

        /* copy : (n: Nat) -> (m: Nat) -> (n*m).f32 -> f32 */
        void copy(float *restrict output, int n, int m, const float *restrict xs) {
            check_count("copy: n*m + m*2", ((double)n + 2) * m);
            const float small3 = 2.5f;
            float *tmp = allocate(((size_t)n + 2) * m, sizeof(float));
            for (int i = 0; i < n * m; i++) {
                tmp[i + 1] = xs[i] * small3;
                output[i] = tmp[i + 1];
            }
            free(tmp);
        }
    "##]]
    .assert_eq(&module.text);
    run(
        &module,
        "float x[2] = {2, 4}, y[2]; copy(y, 1, 2, x); CHECK(y[0] == 5 && y[1] == 10);",
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn pointers_are_exchanged() {
    let f = scalar(F32);
    let mut b = Build::new("halve", &f, &["k"]);
    let xs = b.array("xs", &f, num(4));
    let (ping, pong) = (
        b.local("ping", &f, Some(num(4))),
        b.local("pong", &f, Some(num(4))),
    );
    let from = b.pointer("from", &f, num(4), false);
    let into = b.pointer("into", &f, num(4), true);
    let spare = b.pointer("spare", &f, num(4), true);
    let (i, j) = (b.counter("step"), b.counter(""));
    let point = |id, to| stmt(StmtKind::Point(id, codegen::ir::Place::start(to)));
    let k = b.size(0);
    b.function.body = vec![
        declare(ping),
        declare(pong),
        declare(from),
        point(from, xs),
        declare(into),
        point(into, ping),
        declare(spare),
        point(spare, pong),
        repeat(
            i,
            k,
            vec![
                repeat(
                    j,
                    num(4),
                    vec![assign(
                        elem(into, Nat::var(j)),
                        mul(b.at(from, Nat::var(j)), float("0.5")),
                    )],
                ),
                point(from, into),
                stmt(StmtKind::Swap(into, spare)),
            ],
        ),
        repeat(
            j,
            num(4),
            vec![assign(
                elem(b.function.outputs[0], Nat::var(j)),
                b.at(from, Nat::var(j)),
            )],
        ),
    ];
    let module = b.finish(Target::C);
    expect![[r#"
        void halve(float *restrict output, int k, const float *restrict xs) {
            const float *from = xs;
            float ping[4];
            float *into = ping;
            float pong[4];
            float *spare = pong;
            for (int step = 0; step < k; step++) {
                for (int j = 0; j < 4; j++) {
                    into[j] = from[j] * 0.5f;
                }
                from = into;
                float *kept = into;
                into = spare;
                spare = kept;
            }
            for (int i = 0; i < 4; i++) {
                output[i] = from[i];
            }
        }
    "#]]
    .assert_eq(&b.text(Target::C));
    run(
        &module,
        "float x[4] = {8, 16, 32, 64}, y[4]; halve(y, 3, x); CHECK(y[0] == 1 && y[3] == 8);",
    );
}
