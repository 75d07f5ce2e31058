//! The functions of `<math.h>`.

use half::f16;

use super::kind::{Elem, Kind, Word};

/// A function of `<math.h>`, on 32-bit and on 64-bit floats.
#[derive(Clone, Copy)]
pub(crate) enum Math {
    Unary(fn(f32) -> f32, fn(f64) -> f64),
    Binary(fn(f32, f32) -> f32, fn(f64, f64) -> f64),
    Ternary(fn(f32, f32, f32) -> f32, fn(f64, f64, f64) -> f64),
}

macro_rules! functions {
    ($name:expr, $($text:literal => $sort:ident($method:ident)),+ $(,)?) => {
        match $name {
            $($text => Some(Math::$sort(f32::$method, f64::$method)),)+
            _ => None,
        }
    };
}

/// The function of that name, with or without the `f` at its end.
pub(crate) fn function(name: &str) -> Option<Math> {
    plain(name).or_else(|| plain(name.strip_suffix('f')?))
}

fn plain(name: &str) -> Option<Math> {
    functions!(name,
        "sin" => Unary(sin), "cos" => Unary(cos), "tan" => Unary(tan),
        "asin" => Unary(asin), "acos" => Unary(acos), "atan" => Unary(atan),
        "sinh" => Unary(sinh), "cosh" => Unary(cosh), "tanh" => Unary(tanh),
        "asinh" => Unary(asinh), "acosh" => Unary(acosh), "atanh" => Unary(atanh),
        "exp" => Unary(exp), "exp2" => Unary(exp2), "expm1" => Unary(exp_m1),
        "log" => Unary(ln), "log2" => Unary(log2), "log10" => Unary(log10),
        "log1p" => Unary(ln_1p), "sqrt" => Unary(sqrt), "cbrt" => Unary(cbrt),
        "fabs" => Unary(abs), "floor" => Unary(floor), "ceil" => Unary(ceil),
        "round" => Unary(round), "trunc" => Unary(trunc),
        "rint" => Unary(round_ties_even), "nearbyint" => Unary(round_ties_even),
        "atan2" => Binary(atan2), "pow" => Binary(powf), "hypot" => Binary(hypot),
        "fmin" => Binary(min), "fmax" => Binary(max), "copysign" => Binary(copysign),
        "fma" => Ternary(mul_add),
    )
    .or(match name {
        "fmod" => Some(Math::Binary(|a, b| a % b, |a, b| a % b)),
        "fdim" => Some(Math::Binary(
            |a, b| if a <= b { 0.0 } else { a - b },
            |a, b| if a <= b { 0.0 } else { a - b },
        )),
        "remainder" => Some(Math::Binary(remainder32, remainder64)),
        _ => None,
    })
}

/// The IEEE remainder: what is left after the nearest multiple, the even one where two are equally
/// near.
fn remainder64(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() || x.is_infinite() || y == 0.0 {
        return f64::NAN;
    }
    if y.is_infinite() {
        return x;
    }
    let divisor = y.abs();
    // Exact, and it keeps whether the quotient is odd.
    let rest = if divisor <= f64::MAX / 2.0 {
        x.abs() % (divisor * 2.0)
    } else {
        x.abs()
    };
    let half = divisor / 2.0;
    let mut rest = rest;
    if rest > half {
        rest -= divisor;
        if rest >= half {
            rest -= divisor;
        }
    }
    if rest == 0.0 {
        return 0.0f64.copysign(x);
    }
    if x.is_sign_negative() { -rest } else { rest }
}

fn remainder32(x: f32, y: f32) -> f32 {
    remainder64(f64::from(x), f64::from(y)) as f32
}

impl Math {
    /// How many arguments it takes.
    pub fn arity(self) -> usize {
        match self {
            Math::Unary(..) => 1,
            Math::Binary(..) => 2,
            Math::Ternary(..) => 3,
        }
    }

    /// Its value for arguments of that kind, of which it takes as many as it needs.
    pub fn call(self, kind: Kind, args: [Word; 3]) -> Word {
        match kind {
            Kind::F64 => self.on64(args.map(f64::of)).word(),
            Kind::F16 => {
                let args = args.map(|word| f16::of(word).to_f32());
                f16::from_f32(self.on32(args)).word()
            }
            _ => self.on32(args.map(f32::of)).word(),
        }
    }

    pub fn on32(self, [a, b, c]: [f32; 3]) -> f32 {
        match self {
            Math::Unary(f, _) => f(a),
            Math::Binary(f, _) => f(a, b),
            Math::Ternary(f, _) => f(a, b, c),
        }
    }

    pub fn on64(self, [a, b, c]: [f64; 3]) -> f64 {
        match self {
            Math::Unary(_, f) => f(a),
            Math::Binary(_, f) => f(a, b),
            Math::Ternary(_, f) => f(a, b, c),
        }
    }
}
