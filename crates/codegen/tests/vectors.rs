//! Tests vectors: native types of the compilers if there are some, otherwise structs.

mod loop_language;

use codegen::Target;
use codegen::ir::{Binary, Expr, ExprKind, LoopMode, Place, Unary};
use expect_test::expect;
use loop_language::*;
use nat::Nat;
use syntax::ast::ScalarType;

fn lanes(id: codegen::ir::Id, index: impl Into<Nat>, lanes: i64) -> Place {
    Place {
        lanes: Some(num(lanes)),
        ..elem(id, index)
    }
}

fn splat(n: i64, value: Expr, ty: ScalarType) -> Expr {
    expr(ExprKind::Broadcast(Box::new(value)), &vector(n, ty))
}

/// Builds `acc = acc + xs[i…] * alpha` over vectors of `n` lanes, then the sum of the first two
/// lanes.
fn dot(n: i64, ty: ScalarType) -> Build {
    let (s, v) = (scalar(ty), vector(n, ty));
    let mut b = Build::new("dot", &s, &["m"]);
    let m = b.size(0);
    let xs = b.array("xs", &s, &m * n);
    let alpha = b.param("alpha", &s);
    let acc = b.local("acc", &v, None);
    let i = b.counter("i");
    let product = mul(
        b.load(lanes(xs, Nat::var(i) * n, n)),
        splat(n, b.get(alpha), ty),
    );
    let step = assign(Place::plain(acc), add(b.get(acc), product));
    let lane = |b: &Build, at| {
        b.load(Place {
            lane: Some(num(at)),
            ..Place::plain(acc)
        })
    };
    b.function.body = vec![
        declare_as(acc, splat(n, int(0, ty), ty)),
        repeat(i, m, vec![step]),
        assign(
            elem(b.function.outputs[0], 0),
            add(lane(&b, 0), lane(&b, n - 1)),
        ),
    ];
    b
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn vectors_of_the_compilers() {
    let b = dot(4, F32);
    let module = b.finish(Target::C);
    expect![[r##"
        #include <stdint.h>
        #include <stdio.h>
        #include <stdlib.h>

        #ifdef __clang__
        #pragma STDC FP_CONTRACT OFF
        #elif defined __GNUC__ && !defined __STRICT_ANSI__
        #pragma GCC optimize("fp-contract=off")
        #endif

        typedef float f32x4 __attribute__((vector_size(16)));
        typedef float f32x4u __attribute__((vector_size(16), aligned(4), may_alias));

        /* Ends the program if a number of elements does not fit into an index. */
        static void check_count(const char *what, double count) {
            if (count > INT32_MAX) {
                fprintf(stderr, "%s = %.0f elements do not fit into indices of 32 bits: "
                        "emit the code with --index 64\n", what, count);
                abort();
            }
        }

        /* dot : (m: Nat) -> (m*4).f32 -> f32 -> f32 */
        void dot(float *restrict output, int m, const float *restrict xs, float alpha) {
            check_count("dot: m*4", (double)4 * m);
            f32x4 acc = (f32x4){0};
            for (int i = 0; i < m; i++) {
                acc += *(const f32x4u *)&xs[4 * i] * alpha;
            }
            output[0] = acc[0] + acc[3];
        }
    "##]]
    .assert_eq(&module.text);
    run(
        &module,
        "float x[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8}, y; dot(&y, 2, x + 1, 2); CHECK(y == 36);",
    );
    run(
        &dot(8, F32).finish(Target::C),
        "float x[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8}, y; dot(&y, 1, x + 1, 2); CHECK(y == 18);",
    );
    let signed = dot(4, ScalarType::I32);
    expect![[r#"
        void dot(int32_t *restrict output, int m, const int32_t *restrict xs, int32_t alpha) {
            check_count("dot: m*4", (double)4 * m);
            i32x4 acc = (i32x4){0};
            for (int i = 0; i < m; i++) {
                acc =
                    (i32x4)((u32x4)acc
                        + (u32x4)*(const i32x4u *)&xs[4 * i] * (u32x4)(i32x4){alpha, alpha, alpha, alpha});
            }
            output[0] = (int32_t)((uint32_t)acc[0] + acc[3]);
        }
    "#]].assert_eq(&signed.text(Target::C));
    run(
        &signed.finish(Target::C),
        "int32_t x[4] = {INT32_MAX, 2, 3, 4}, y; dot(&y, 1, x, 2); CHECK(y == 6);",
    );
    run(
        &dot(4, ScalarType::I16).finish(Target::C),
        "int16_t x[4] = {INT16_MAX, 2, 3, 4}, y; dot(&y, 1, x, 2); CHECK(y == 6);",
    );
    run(
        &dot(4, ScalarType::U8).finish(Target::C),
        "uint8_t x[4] = {255, 2, 3, 4}, y; dot(&y, 1, x, 2); CHECK(y == 6);",
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn other_vectors_are_structs() {
    let b = dot(3, F32);
    let module = b.finish(Target::C);
    expect![[r##"
        #include <stdint.h>
        #include <stdio.h>
        #include <stdlib.h>

        #ifdef __clang__
        #pragma STDC FP_CONTRACT OFF
        #elif defined __GNUC__ && !defined __STRICT_ANSI__
        #pragma GCC optimize("fp-contract=off")
        #endif

        typedef struct { float data[3]; } f32x3;

        /* Ends the program if a number of elements does not fit into an index. */
        static void check_count(const char *what, double count) {
            if (count > INT32_MAX) {
                fprintf(stderr, "%s = %.0f elements do not fit into indices of 32 bits: "
                        "emit the code with --index 64\n", what, count);
                abort();
            }
        }

        static inline f32x3 splat_f32x3(float x) {
            f32x3 value;
            for (int l = 0; l < 3; l++) {
                value.data[l] = x;
            }
            return value;
        }

        static inline f32x3 add_f32x3(f32x3 x, f32x3 y) {
            for (int l = 0; l < 3; l++) {
                x.data[l] = x.data[l] + y.data[l];
            }
            return x;
        }

        static inline f32x3 mul_f32x3(f32x3 x, f32x3 y) {
            for (int l = 0; l < 3; l++) {
                x.data[l] = x.data[l] * y.data[l];
            }
            return x;
        }

        static inline f32x3 load_f32x3(const float *from) {
            f32x3 value;
            for (int l = 0; l < 3; l++) {
                value.data[l] = from[l];
            }
            return value;
        }

        /* dot : (m: Nat) -> (m*3).f32 -> f32 -> f32 */
        void dot(float *restrict output, int m, const float *restrict xs, float alpha) {
            check_count("dot: m*3", (double)3 * m);
            f32x3 acc = splat_f32x3(0.0f);
            for (int i = 0; i < m; i++) {
                acc = add_f32x3(acc, mul_f32x3(load_f32x3(&xs[3 * i]), splat_f32x3(alpha)));
            }
            output[0] = acc.data[0] + acc.data[2];
        }
    "##]]
    .assert_eq(&module.text);
    run(
        &module,
        "float x[6] = {1, 2, 3, 4, 5, 6}, y; dot(&y, 2, x, 2); CHECK(y == 28);",
    );
}

#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn arrays_of_vectors_and_loops_over_lanes() {
    let v = vector(8, F32);
    let mut b = Build::new("roots", &v, &["n"]);
    let n = b.size(0);
    let xs = b.array("xs", &v, n.clone());
    let by = b.param("by", &v);
    let tmp = b.local("tmp", &v, Some(n.clone()));
    let small = b.local("small", &v, Some(num(2)));
    let (i, l) = (b.counter("i"), b.counter("lane"));
    let at = |id| Place {
        lane: Some(Nat::var(l)),
        ..elem(id, Nat::var(i))
    };
    let neg = |e: Expr| {
        let ty = e.ty.clone();
        expr(ExprKind::Unary(Unary::Neg, Box::new(e)), &ty)
    };
    let root = b.load(at(tmp));
    b.function.body = vec![
        declare(tmp),
        declare(small),
        assign(elem(small, 1), splat(8, float("0.5"), F32)),
        repeat(
            i,
            n,
            vec![
                assign(
                    elem(tmp, Nat::var(i)),
                    binary(
                        Binary::Sub,
                        neg(neg(b.at(xs, Nat::var(i)))),
                        mul(b.get(by), b.at(small, 1)),
                    ),
                ),
                repeat_as(
                    LoopMode::Vector,
                    l,
                    num(8),
                    vec![assign(at(b.function.outputs[0]), add(root, float("1.0")))],
                ),
            ],
        ),
    ];
    let module = b.finish(Target::OpenMp);
    expect![[r##"
        #include <stdint.h>
        #include <stdio.h>
        #include <stdlib.h>

        #ifdef __clang__
        #pragma STDC FP_CONTRACT OFF
        #elif defined __GNUC__ && !defined __STRICT_ANSI__
        #pragma GCC optimize("fp-contract=off")
        #endif

        #pragma GCC diagnostic ignored "-Wpsabi"

        #ifdef __clang__
        #pragma clang diagnostic ignored "-Wpass-failed"
        #endif

        typedef float f32x8 __attribute__((vector_size(32)));
        typedef float f32x8u __attribute__((vector_size(32), aligned(4), may_alias));

        static void *allocate(size_t count, size_t size) {
            void *memory = count <= PTRDIFF_MAX / size ? malloc(count > 0 ? count * size : 1) : NULL;
            if (memory == NULL) {
                fprintf(stderr, "cannot allocate %zu elements of %zu bytes\n", count, size);
                abort();
            }
            return memory;
        }

        /* Aligned to a multiple of size, a power of two; freed by release. */
        static void *allocate_aligned(size_t count, size_t size, size_t alignment) {
            char *base = allocate(count + (alignment + sizeof(void *)) / size + 1, size);
            char *memory = base + sizeof(void *);
            memory += alignment - (uintptr_t)memory % alignment;
            ((void **)memory)[-1] = base;
            return memory;
        }

        static void release(void *memory) {
            free(((void **)memory)[-1]);
        }

        /* roots : (n: Nat) -> n.Vec[8, f32] -> Vec[8, f32] -> Vec[8, f32] */
        void roots(f32x8u *restrict output, int n, const f32x8u *restrict xs, f32x8 by) {
            const f32x8 small1 = 0.5f - (f32x8){0};
            f32x8u *tmp = allocate_aligned(n, sizeof(f32x8), 32);
            for (int i = 0; i < n; i++) {
                tmp[i] = -(-xs[i]) - by * small1;
                #pragma omp simd
                for (int lane = 0; lane < 8; lane++) {
                    output[i][lane] = tmp[i][lane] + 1.0f;
                }
            }
            release(tmp);
        }
    "##]]
    .assert_eq(&module.text);
    run(
        &module,
        "float x[17], y[17]; for (int i = 0; i < 17; i++) x[i] = i;
         f32x8 by = {2, 2, 2, 2, 2, 2, 2, 2};
         roots((f32x8u *)(y + 1), 2, (const f32x8u *)(x + 1), by);
         for (int i = 1; i < 17; i++) CHECK(y[i] == i);",
    );
}

/// Builds `output[i…] = alpha * xs[i…] - kept[i…]` over vectors of `n` lanes, with a local `kept`.
fn wide(n: i64, ty: ScalarType) -> Build {
    let (s, v) = (scalar(ty), vector(n, ty));
    let mut b = Build::new("wide", &s, &["m"]);
    let m = b.size(0);
    let xs = b.array("xs", &s, &m * n);
    let alpha = b.param("alpha", &s);
    let kept = b.local("kept", &s, Some(num(n)));
    let i = b.counter("i");
    let at = |id| lanes(id, Nat::var(i) * n, n);
    let whole = |id| lanes(id, 0, n);
    let negated = expr(
        ExprKind::Unary(Unary::Neg, Box::new(b.load(whole(kept)))),
        &v,
    );
    let scaled = mul(splat(n, b.get(alpha), ty), b.load(at(xs)));
    b.function.body = vec![
        declare(kept),
        assign(whole(kept), splat(n, b.get(alpha), ty)),
        repeat(
            i,
            m,
            vec![assign(at(b.function.outputs[0]), add(scaled, negated))],
        ),
    ];
    b
}

/// Floats are split to the lanes of a register of the machine; integers, and vectors that are not a
/// multiple of the widest register, to eight words.
#[test]
#[cfg_attr(not(tool = "clang"), ignore = "needs clang")]
fn wide_vectors_are_cut_to_registers() {
    let module = wide(32, F32).finish(Target::C);
    expect![[r##"
        #include <stdint.h>
        #include <stdio.h>
        #include <stdlib.h>

        #ifdef __clang__
        #pragma STDC FP_CONTRACT OFF
        #elif defined __GNUC__ && !defined __STRICT_ANSI__
        #pragma GCC optimize("fp-contract=off")
        #endif

        #pragma GCC diagnostic ignored "-Wpsabi"

        /* Bytes of a vector register. */
        #ifdef __AVX512F__
        #define REGISTER 64
        #else
        #define REGISTER 32
        #endif
        typedef float f32xN __attribute__((vector_size(REGISTER)));
        typedef float f32xNu __attribute__((vector_size(REGISTER), aligned(4), may_alias));
        enum { F32_LANES = REGISTER / 4 };

        /* Ends the program if a number of elements does not fit into an index. */
        static void check_count(const char *what, double count) {
            if (count > INT32_MAX) {
                fprintf(stderr, "%s = %.0f elements do not fit into indices of 32 bits: "
                        "emit the code with --index 64\n", what, count);
                abort();
            }
        }

        /* wide : (m: Nat) -> (m*32).f32 -> f32 -> f32 */
        void wide(float *restrict output, int m, const float *restrict xs, float alpha) {
            check_count("wide: m*32", (double)32 * m);
            float kept[32] __attribute__((aligned(64)));
            for (int lane = 0; lane < 32; lane += F32_LANES) {
                *(f32xNu *)&kept[lane] = alpha - (f32xN){0};
            }
            for (int i = 0; i < m; i++) {
                for (int lane = 0; lane < 32; lane += F32_LANES) {
                    *(f32xNu *)&output[32 * i + lane] = alpha * *(const f32xNu *)&xs[32 * i + lane]
                        + -*(const f32xNu *)&kept[lane];
                }
            }
        }
    "##]]
    .assert_eq(&module.text);
    let main = "float x[64], y[64]; for (int i = 0; i < 64; i++) x[i] = i;
         wide(y, 2, x, 3);
         for (int i = 0; i < 64; i++) CHECK(y[i] == 3 * i - 3);";
    run(&module, main);
    let integers = wide(16, I32).finish(Target::C);
    expect![[r##"
        #include <stdint.h>
        #include <stdio.h>
        #include <stdlib.h>

        #pragma GCC diagnostic ignored "-Wpsabi"

        typedef int32_t i32x8 __attribute__((vector_size(32)));
        typedef int32_t i32x8u __attribute__((vector_size(32), aligned(4), may_alias));
        typedef uint32_t u32x8 __attribute__((vector_size(32)));

        /* Ends the program if a number of elements does not fit into an index. */
        static void check_count(const char *what, double count) {
            if (count > INT32_MAX) {
                fprintf(stderr, "%s = %.0f elements do not fit into indices of 32 bits: "
                        "emit the code with --index 64\n", what, count);
                abort();
            }
        }

        /* wide : (m: Nat) -> (m*16).i32 -> i32 -> i32 */
        void wide(int32_t *restrict output, int m, const int32_t *restrict xs, int32_t alpha) {
            check_count("wide: m*16", (double)16 * m);
            int32_t kept[16];
            for (int lane = 0; lane < 16; lane += 8) {
                *(i32x8u *)&kept[lane] = alpha - (i32x8){0};
            }
            for (int i = 0; i < m; i++) {
                for (int lane = 0; lane < 16; lane += 8) {
                    *(i32x8u *)&output[16 * i + lane] =
                        (i32x8)((u32x8)(alpha - (i32x8){0}) * (u32x8)*(const i32x8u *)&xs[16 * i + lane]
                            + (u32x8)(i32x8)-(u32x8)*(const i32x8u *)&kept[lane]);
                }
            }
        }
    "##]].assert_eq(&integers.text);
    let main = main.replace("float", "int32_t").replace("64", "32");
    run(&integers, &main);
}
