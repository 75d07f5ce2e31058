//! Counts the floating-point operations of programs.

use crate::shape::Bindings;
use nat::Nat;
use rise::core::{Expr, Form, Program, normalise};
use rise::pattern::{RepeatLoop, Stream};
use rise::{Arg, Pattern, Primitive, Type};
use syntax::ast::ScalarType;

/// Returns the number of floating-point operations of a run with these sizes, as written in the
/// program: arithmetic, such as additions and roots, and calls of foreign functions without a body,
/// such as those of `<math.h>`, count one for each lane, and `fma` counts two; the function of a
/// `map`, a reduction or a scan counts once for each element, and a `select` counts its more
/// expensive branch. Returns `None` if the number cannot be computed without running the program,
/// if the program calls a foreign function with a body, or if the number is 0.
pub fn flops(program: &Program<Primitive>, bindings: &Bindings) -> Option<u64> {
    let mut program = program.clone();
    normalise(&mut program).ok()?;
    let cost = cost(&program.signature().body)?;
    let value = cost.eval(&|var| bindings.nats.get(&var).copied(), &|_, _| None)?;
    u64::try_from(value).ok().filter(|count| *count > 0)
}

/// Returns the number of floating-point operations that evaluate an expression; `None` if it cannot
/// be computed.
fn cost(expr: &Expr<Primitive>) -> Option<Nat> {
    match &expr.form {
        Form::Var(_) | Form::Literal(_) | Form::Nat(_) => Some(Nat::ZERO),
        // The cost of a function is counted where it is applied.
        Form::Lambda(..) | Form::DepLambda(..) => Some(Nat::ZERO),
        Form::Apply(f, x) => Some(applied(f)? + cost(x)?),
        Form::DepApply(..) | Form::Global(..) => None,
        Form::Foreign(function, args) => {
            if function.body.is_some() {
                return None;
            }
            Some(float_lanes(&expr.ty) + all(args)?)
        }
        Form::Primitive(primitive, _, args) => primitive_cost(*primitive, args, expr),
    }
}

fn all(args: &[Expr<Primitive>]) -> Option<Nat> {
    args.iter()
        .try_fold(Nat::ZERO, |sum, arg| Some(sum + cost(arg)?))
}

/// Returns the number of floating-point operations of a call of a function with all of its
/// arguments, without those that compute the arguments. Returns `None` if the function is not an
/// abstraction, or the number cannot be computed.
fn applied(f: &Expr<Primitive>) -> Option<Nat> {
    let mut body = f;
    while let Form::Lambda(_, inner) = &body.form {
        body = inner;
    }
    if matches!(&*body.ty, Type::Fun(..) | Type::Pi(_)) {
        return None;
    }
    if std::ptr::eq(body, f) {
        None
    } else {
        cost(body)
    }
}

fn primitive_cost(
    primitive: Primitive,
    args: &[Expr<Primitive>],
    expr: &Expr<Primitive>,
) -> Option<Nat> {
    use Primitive as P;
    match (primitive.pattern(), args) {
        (Pattern::Scalar, _) => {
            let each = match primitive {
                P::Fma => float_lanes(&expr.ty) * Nat::constant(2),
                _ if primitive.is_arithmetic() => float_lanes(&expr.ty),
                _ => Nat::ZERO,
            };
            Some(each + all(args)?)
        }
        (Pattern::Select, [condition, yes, no]) => {
            Some(cost(condition)? + Nat::max(&cost(yes)?, &cost(no)?))
        }
        (
            Pattern::Map(_) | Pattern::Stream(Stream::Map | Stream::Ring | Stream::Window),
            [f, xs],
        ) => Some(length(&xs.ty)? * applied(f)? + cost(xs)?),
        (Pattern::Reduce(_) | Pattern::Scan, [f, init, xs]) => {
            Some(length(&xs.ty)? * applied(f)? + cost(init)? + cost(xs)?)
        }
        (Pattern::Generate, [f]) => Some(length(&expr.ty)? * applied(f)?),
        (Pattern::MapHalf(_), [f, pair]) => Some(applied(f)? + cost(pair)?),
        (Pattern::Let, [value, f]) => Some(cost(value)? + applied(f)?),
        (Pattern::DepMap(_), [f, xs]) => {
            let (Form::DepLambda(var, _, body), Type::DepArray(n, _)) = (&f.form, &*xs.ty) else {
                return None;
            };
            Some(Nat::sum(*var, &Nat::ZERO, n, &applied(body)?) + cost(xs)?)
        }
        (Pattern::Repeat(RepeatLoop::InPlace | RepeatLoop::Buffers), [f, init]) => match &expr.form
        {
            Form::Primitive(_, types, _) => match types.first() {
                Some(Arg::Nat(rounds)) => Some(rounds * &applied(f)? + cost(init)?),
                _ => None,
            },
            _ => None,
        },
        // The number of rounds of `repeatWhile` is not known.
        (Pattern::Iterate | Pattern::Repeat(_) | Pattern::DepMatch, _) => None,
        // Other primitives, such as views, must not have functions as arguments.
        _ if args
            .iter()
            .any(|arg| matches!(&*arg.ty, Type::Fun(..) | Type::Pi(_))) =>
        {
            None
        }
        _ => all(args),
    }
}

/// Returns the length of an array or vector; `None` for other types.
fn length(ty: &Type) -> Option<Nat> {
    match ty {
        Type::Array(n, _) | Type::Vector(n, _) => Some(n.clone()),
        _ => None,
    }
}

/// Returns the number of floating-point numbers in a scalar or vector of this type; 0 for other
/// types.
fn float_lanes(ty: &Type) -> Nat {
    let is_float = |ty: &Type| {
        matches!(
            ty,
            Type::Scalar(ScalarType::F16 | ScalarType::F32 | ScalarType::F64)
        )
    };
    match ty {
        Type::Vector(n, lane) if is_float(lane) => n.clone(),
        scalar if is_float(scalar) => Nat::ONE,
        _ => Nat::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nat::Var;
    use rise::core::program_of;

    const TEXT: &str = "
foreign def exp(x: f32): f32
foreign def own(x: f32): f32 = \"\"\"{ return x; }\"\"\"
def mv = depFun((n: Nat, m: Nat) => fun((M: n.m.f32, x: m.f32) => M |> map(fun(row => dot(row)(x)))))
def vectors = depFun(n: Nat => fun(xs: (n*4).f32 => xs |> asVector(4) |> mapSeq(fun(v => v * v + v)) |> asScalar))
def triangle : (n: Nat) -> n..dataFun(i => (i+1).f32) -> n..dataFun(i => (i+1).f32) =
  depFun(n: Nat => fun(xs => xs |> depMapSeq(depFun(k: Nat => mapSeq(fun(x => exp(x) * 2.0f))))))
def integers = depFun(n: Nat => fun(xs: n.i32 => xs |> map(add(1))))
def unknown = depFun(n: Nat => fun(xs: n.f32 => xs |> map(own)))
";

    fn count(name: &str, sizes: &[i64]) -> Option<u64> {
        let Ok(program) = program_of(TEXT, name) else {
            panic!("{name} is a program");
        };
        let vars: Vec<Var> = program.signature().sizes().collect();
        let nats = vars.into_iter().zip(sizes.iter().copied()).collect();
        flops(
            &program,
            &Bindings {
                nats,
                ..Bindings::default()
            },
        )
    }

    #[test]
    fn operations_are_counted() {
        assert_eq!(count("mv", &[10, 20]), Some(2 * 10 * 20));
        assert_eq!(count("vectors", &[5]), Some(2 * 4 * 5));
        assert_eq!(count("triangle", &[4]), Some(2 * (1 + 2 + 3 + 4)));
    }

    #[test]
    fn what_cannot_be_counted_is_not() {
        assert_eq!(count("integers", &[10]), None);
        assert_eq!(count("unknown", &[10]), None);
    }
}
