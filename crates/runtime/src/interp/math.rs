//! The functions of `<math.h>` that the interpreter computes itself; those with pointer parameters
//! are not among them.

use half::f16;

use super::kind::{Elem, Exact, Kind, Word};

/// A function of `<math.h>` for 32-bit and for 64-bit floats.
#[derive(Clone, Copy)]
pub(crate) enum Math {
    Unary(fn(f32) -> f32, fn(f64) -> f64),
    Binary(fn(f32, f32) -> f32, fn(f64, f64) -> f64),
    Ternary(fn(f32, f32, f32) -> f32, fn(f64, f64, f64) -> f64),
    /// A function whose second argument is an `int`.
    Scaled(fn(f32, i32) -> f32, fn(f64, i32) -> f64),
    /// A function whose result is an integer.
    Integer(fn(f64) -> i64),
}

macro_rules! functions {
    ($name:expr, $($text:literal => $sort:ident($method:ident)),+ $(,)?) => {
        match $name {
            $($text => Some(Math::$sort(f32::$method, f64::$method)),)+
            _ => None,
        }
    };
}

/// Returns the function of this name, with or without the suffix `f`; `None` if the interpreter
/// does not compute it itself.
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
    .or_else(|| rare(name))
}

/// Returns the function of this name if it is one of those that are no methods of floats in Rust,
/// or that have parameters or results of other types there.
fn rare(name: &str) -> Option<Math> {
    Some(match name {
        "erf" => Math::Unary(libm::erff, libm::erf),
        "erfc" => Math::Unary(libm::erfcf, libm::erfc),
        "tgamma" => Math::Unary(libm::tgammaf, libm::tgamma),
        "lgamma" => Math::Unary(libm::lgammaf, libm::lgamma),
        "exp10" => Math::Unary(libm::exp10f, libm::exp10),
        "logb" => Math::Unary(|x| logb(f64::from(x)) as f32, logb),
        "j0" => Math::Unary(libm::j0f, libm::j0),
        "j1" => Math::Unary(libm::j1f, libm::j1),
        "y0" => Math::Unary(libm::y0f, libm::y0),
        "y1" => Math::Unary(libm::y1f, libm::y1),
        "fmod" => Math::Binary(|a, b| a % b, |a, b| a % b),
        "fdim" => Math::Binary(libm::fdimf, libm::fdim),
        "remainder" => Math::Binary(libm::remainderf, libm::remainder),
        "nextafter" => Math::Binary(libm::nextafterf, libm::nextafter),
        "ldexp" | "scalbn" => Math::Scaled(libm::ldexpf, libm::ldexp),
        "ilogb" => Math::Integer(|x| i64::from(libm::ilogb(x))),
        "lround" | "llround" => Math::Integer(|x| x.round() as i64),
        "lrint" | "llrint" => Math::Integer(|x| x.round_ties_even() as i64),
        _ => return None,
    })
}

/// Returns the binary exponent as a float.
fn logb(x: f64) -> f64 {
    if x == 0.0 {
        f64::NEG_INFINITY
    } else if x.is_finite() {
        f64::from(libm::ilogb(x))
    } else {
        x * x
    }
}

impl Math {
    /// Returns the kinds of the parameters for floats of this kind.
    pub fn params(self, float: Kind) -> &'static [Kind] {
        match (self, float) {
            (Math::Unary(..) | Math::Integer(_), Kind::F16) => &[Kind::F16],
            (Math::Unary(..) | Math::Integer(_), Kind::F64) => &[Kind::F64],
            (Math::Unary(..) | Math::Integer(_), _) => &[Kind::F32],
            (Math::Binary(..), Kind::F16) => &[Kind::F16; 2],
            (Math::Binary(..), Kind::F64) => &[Kind::F64; 2],
            (Math::Binary(..), _) => &[Kind::F32; 2],
            (Math::Ternary(..), Kind::F16) => &[Kind::F16; 3],
            (Math::Ternary(..), Kind::F64) => &[Kind::F64; 3],
            (Math::Ternary(..), _) => &[Kind::F32; 3],
            (Math::Scaled(..), Kind::F16) => &[Kind::F16, Kind::I32],
            (Math::Scaled(..), Kind::F64) => &[Kind::F64, Kind::I32],
            (Math::Scaled(..), _) => &[Kind::F32, Kind::I32],
        }
    }

    /// Returns the kind of the result for floats of this kind.
    pub fn result(self, float: Kind) -> Kind {
        match self {
            Math::Integer(_) => Kind::I64,
            _ => float,
        }
    }

    /// Returns true if all parameters and the result have the same kind.
    pub fn is_uniform(self) -> bool {
        !matches!(self, Math::Scaled(..) | Math::Integer(_))
    }

    /// Computes the value. Surplus elements of `args` are ignored.
    pub fn call(self, kind: Kind, args: [Word; 3]) -> Word {
        if let Math::Integer(f) = self {
            return f(match kind {
                Kind::F64 => f64::of(args[0]),
                Kind::F16 => f16::of(args[0]).to_f64(),
                _ => f64::from(f32::of(args[0])),
            })
            .word();
        }
        if let Math::Scaled(f, g) = self {
            let by = i32::of(args[1]);
            return match kind {
                Kind::F64 => g(f64::of(args[0]), by).word(),
                Kind::F16 => f16::from_f32(f(f16::of(args[0]).to_f32(), by)).word(),
                _ => f(f32::of(args[0]), by).word(),
            };
        }
        match kind {
            Kind::F64 => self.on64(args.map(f64::of)).word(),
            Kind::F16 => match self {
                // With 64 bits, rounding the fused multiply-add does not change on which side of
                // the midpoint of two 16-bit floats it is; with 32 bits it may.
                Math::Ternary(..) => {
                    let args = args.map(|word| f16::of(word).to_f64());
                    f16::cast(Exact::Float(self.on64(args))).word()
                }
                _ => {
                    let args = args.map(|word| f16::of(word).to_f32());
                    f16::from_f32(self.on32(args)).word()
                }
            },
            _ => self.on32(args.map(f32::of)).word(),
        }
    }

    pub fn on32(self, [a, b, c]: [f32; 3]) -> f32 {
        match self {
            Math::Unary(f, _) => f(a),
            Math::Binary(f, _) => f(a, b),
            Math::Ternary(f, _) => f(a, b, c),
            Math::Scaled(f, _) => f(a, b as i32),
            Math::Integer(f) => f(f64::from(a)) as f32,
        }
    }

    pub fn on64(self, [a, b, c]: [f64; 3]) -> f64 {
        match self {
            Math::Unary(_, f) => f(a),
            Math::Binary(_, f) => f(a, b),
            Math::Ternary(_, f) => f(a, b, c),
            Math::Scaled(_, f) => f(a, b as i32),
            Math::Integer(f) => f(a) as f64,
        }
    }
}
