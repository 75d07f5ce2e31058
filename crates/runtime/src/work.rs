//! How much a program computes.

use crate::shape::Bindings;
use nat::Nat;
use rise::core::{Expr, Form, Program, normalise};
use rise::{Primitive, Type};
use syntax::ast::ScalarType;

/// The floating point operations of a run with these sizes, as the program says them: additions,
/// subtractions, multiplications, divisions, negations, and calls of functions of `<math.h>` count
/// one each for each lane; what a `map` computes counts once for each element. None where that
/// cannot be said without running it.
pub fn flops(program: &Program<Primitive>, bindings: &Bindings) -> Option<u64> {
    let mut program = program.clone();
    normalise(&mut program).ok()?;
    let cost = cost(&program.signature().body)?;
    let value = cost.eval(&|var| bindings.nats.get(&var).copied(), &|_, _| None)?;
    u64::try_from(value).ok().filter(|count| *count > 0)
}

/// What it costs to compute an expression.
fn cost(expr: &Expr<Primitive>) -> Option<Nat> {
    match &expr.form {
        Form::Var(_) | Form::Literal(_) | Form::Nat(_) => Some(Nat::ZERO),
        // A function costs where it is applied.
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

/// What it costs to apply a function to all of its arguments.
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
    match (primitive, args) {
        (P::Add | P::Sub | P::Mul | P::Div | P::Neg, _) => Some(float_lanes(&expr.ty) + all(args)?),
        (P::Fma, _) => Some(float_lanes(&expr.ty) * Nat::constant(2) + all(args)?),
        (P::Select, [condition, yes, no]) => {
            Some(cost(condition)? + Nat::max(&cost(yes)?, &cost(no)?))
        }
        (
            P::Map
            | P::MapSeq
            | P::MapSeqUnroll
            | P::MapStream
            | P::IterateStream
            | P::MapPar
            | P::MapGlobal
            | P::MapWorkGroup
            | P::MapLocal
            | P::MapVec
            | P::CircularBuffer
            | P::RotateValues,
            [f, xs],
        ) => Some(length(&xs.ty)? * applied(f)? + cost(xs)?),
        (
            P::Reduce | P::ReducePar | P::ReduceSeq | P::ReduceSeqUnroll | P::ScanSeq,
            [f, init, xs],
        ) => Some(length(&xs.ty)? * applied(f)? + cost(init)? + cost(xs)?),
        (P::Generate, [f]) => Some(length(&expr.ty)? * applied(f)?),
        (P::MapFst | P::MapSnd, [f, pair]) => Some(applied(f)? + cost(pair)?),
        (P::Let, [value, f]) => Some(cost(value)? + applied(f)?),
        (P::DepMapSeq, [f, xs]) => {
            let (Form::DepLambda(var, _, body), Type::DepArray(n, _)) = (&f.form, &*xs.ty) else {
                return None;
            };
            Some(Nat::sum(*var, &Nat::ZERO, n, &applied(body)?) + cost(xs)?)
        }
        (P::Iterate | P::Dmatch, _) => None,
        // Views and the like: they have no functions on values.
        _ if args
            .iter()
            .any(|arg| matches!(&*arg.ty, Type::Fun(..) | Type::Pi(_))) =>
        {
            None
        }
        _ => all(args),
    }
}

/// How many elements an array or vector has.
fn length(ty: &Type) -> Option<Nat> {
    match ty {
        Type::Array(n, _) | Type::Vector(n, _) => Some(n.clone()),
        _ => None,
    }
}

/// How many floating point numbers one operation of this type computes.
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
