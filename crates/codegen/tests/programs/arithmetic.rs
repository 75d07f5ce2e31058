//! Tests the text of operators in C.

use codegen::Target;
use expect_test::expect;

use crate::module;

#[test]
fn the_negation_of_a_negation_is_no_decrement() {
    for (ty, value) in [
        ("u32", "3u32"),
        ("u32", "x"),
        ("i32", "x"),
        ("i64", "x"),
        ("u8", "x"),
        ("i16", "-3i16"),
        ("f32", "x"),
        ("f32", "-3.0f"),
        ("Vec[4, f32]", "x"),
        ("Vec[4, i32]", "x"),
    ] {
        let text = format!("def main = fun(x: {ty} => neg(neg(neg({value}))) + x)");
        for target in [Target::C, Target::OpenMp] {
            let found = module(&text, "main", target).unwrap_or_else(|error| panic!("{error}"));
            assert!(!found.text.contains("--"), "{}", found.text);
        }
        let text = format!(
            "def main = fun(xs: 4.{ty} => xs |> mapGlobal(fun(x => neg(neg(neg({value}))) + x)))"
        );
        let found = module(&text, "main", Target::OpenCl).unwrap_or_else(|e| panic!("{e}"));
        assert!(!found.text.contains("--"), "{}", found.text);
    }
}

/// Minima, maxima and absolute values are functions of values with a name, in OpenCL also of vectors.
#[test]
fn minima_and_absolute_values() {
    let of = |ty: &str, target: Target| {
        let text = match target {
            Target::OpenCl => "xs |> mapGlobal(fun(x => min(x)(abs(x * x))))",
            _ => "xs |> mapSeq(fun(x => min(x)(abs(x * x))))",
        };
        let text = format!("def main = depFun(n: Nat => fun(xs: n.{ty} => {text}))");
        let found = module(&text, "main", target).unwrap_or_else(|error| panic!("{error}"));
        let start = found.text.find("static inline").unwrap_or_default();
        found.text[start..].to_owned()
    };
    let all = [
        of("f32", Target::C),
        of("i16", Target::C),
        of("Vec[4, i32]", Target::C),
        of("Vec[3, u8]", Target::C),
        of("Vec[4, i32]", Target::OpenCl),
    ];
    expect![[r#"
        static inline float min_f32(float x, float y) {
            return x < y ? x : y;
        }

        /* main_ : (n: Nat) -> n.f32 -> n.f32 */
        void main_(float *restrict output, int n, const float *restrict xs) {
            for (int i = 0; i < n; i++) {
                output[i] = min_f32(xs[i], fabsf(xs[i] * xs[i]));
            }
        }

        static inline int16_t min_i16(int16_t x, int16_t y) {
            return x < y ? x : y;
        }

        static inline int16_t abs_i16(int16_t x) {
            return x < 0 ? (int16_t)-(uint32_t)x : x;
        }

        /* main_ : (n: Nat) -> n.i16 -> n.i16 */
        void main_(int16_t *restrict output, int n, const int16_t *restrict xs) {
            for (int i = 0; i < n; i++) {
                output[i] = min_i16(xs[i], abs_i16((int16_t)((uint32_t)xs[i] * xs[i])));
            }
        }

        static inline i32x4 min_i32x4(i32x4 x, i32x4 y) {
            for (int l = 0; l < 4; l++) {
                x[l] = x[l] < y[l] ? x[l] : y[l];
            }
            return x;
        }

        static inline i32x4 abs_i32x4(i32x4 x) {
            for (int l = 0; l < 4; l++) {
                x[l] = x[l] < 0 ? (int32_t)-(uint32_t)x[l] : x[l];
            }
            return x;
        }

        /* main_ : (n: Nat) -> n.Vec[4, i32] -> n.Vec[4, i32] */
        void main_(i32x4u *restrict output, int n, const i32x4u *restrict xs) {
            for (int i = 0; i < n; i++) {
                output[i] = min_i32x4(xs[i], abs_i32x4((i32x4)((u32x4)xs[i] * (u32x4)xs[i])));
            }
        }

        static inline u8x3 min_u8x3(u8x3 x, u8x3 y) {
            for (int l = 0; l < 3; l++) {
                x.data[l] = x.data[l] < y.data[l] ? x.data[l] : y.data[l];
            }
            return x;
        }

        static inline u8x3 mul_u8x3(u8x3 x, u8x3 y) {
            for (int l = 0; l < 3; l++) {
                x.data[l] = (uint8_t)((uint32_t)x.data[l] * y.data[l]);
            }
            return x;
        }

        /* main_ : (n: Nat) -> n.Vec[3, u8] -> n.Vec[3, u8] */
        void main_(u8x3 *restrict output, int n, const u8x3 *restrict xs) {
            for (int i = 0; i < n; i++) {
                output[i] = min_u8x3(xs[i], mul_u8x3(xs[i], xs[i]));
            }
        }

        static inline int4 min_i32x4(int4 x, int4 y) {
            return x < y ? x : y;
        }

        /* main : (n: Nat) -> n.Vec[4, i32] -> n.Vec[4, i32] */
        kernel void main_(global int4 *restrict output, int n, global const int4 *restrict xs) {
            for (int gId = get_global_id(0); gId < n; gId += get_global_size(0)) {
                output[gId] =
                    min_i32x4(xs[gId], as_int4(abs(as_int4(as_uint4(xs[gId]) * as_uint4(xs[gId])))));
            }
        }
    "#]].assert_eq(&all.join("\n"));
}

/// Functions of `<math.h>` have the variant of their type, and are called for each lane of a vector
/// in C.
#[test]
fn functions_of_floats() {
    let text = "def main = depFun(n: Nat => fun(xs: n.f64, ys: n.Vec[2, f32] =>
      zip(xs)(ys) |> mapSeq(fun(p => (exp(floor(p._1)), round(log(p._2)))))))";
    let found = module(text, "main", Target::C).unwrap_or_else(|error| panic!("{error}"));
    let start = found.text.find("static inline").unwrap_or_default();
    expect![[r#"
        static inline double floor_f64(double x) {
            double y = rint(x);
            return y > x ? y - 1.0 : y;
        }

        static inline f32x2 rint_f32x2(f32x2 x) {
            for (int l = 0; l < 2; l++) {
                x[l] = rintf(x[l]);
            }
            return x;
        }

        static inline f32x2 log_f32x2(f32x2 x) {
            for (int l = 0; l < 2; l++) {
                x[l] = logf(x[l]);
            }
            return x;
        }

        /* main_ : (n: Nat) -> n.f64 -> n.Vec[2, f32] -> n.(f64, Vec[2, f32]) */
        void main_(
            pair_f64_f32x2 *restrict output,
            int n,
            const double *restrict xs,
            const f32x2u *restrict ys
        ) {
            for (int i = 0; i < n; i++) {
                output[i] = (pair_f64_f32x2){exp(floor_f64(xs[i])), rint_f32x2(log_f32x2(ys[i]))};
            }
        }
    "#]]
    .assert_eq(&found.text[start..]);
}
