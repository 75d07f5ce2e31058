//! Lowers arithmetic, comparisons, conversions and mathematical functions of scalars and of
//! vectors, and sizes as values of type `natType`.

use std::sync::Arc;

use dpia::{Phrase, Prim};
use nat::{Nat, Part, Prop, Summand};
use rise::core::{Foreign, Origin};
use rise::{Arg, Primitive, Ty, Type};
use syntax::ast::{Literal, ScalarType};

use super::Lower;
use super::common_subexpressions::ChoiceForm;
use super::env::{Call, Env, Path, Step};
use super::read::{data_of, scalar};
use super::store::lost;
use crate::analysis::conditions::truth;
use crate::error::Result;
use crate::ir::types::Int;
use crate::ir::{Binary, Expr, ExprKind, Unary};

impl Lower<'_> {
    pub(super) fn read_scalar(&mut self, call: &Call<'_>, path: Path, env: &Env) -> Result<Expr> {
        let Call {
            phrase,
            prim,
            types,
            args,
        } = *call;
        let origin = call.origin();
        // A lane of the result depends on that lane of the operands.
        let lane = match path.next() {
            None => None,
            Some(Step::Lane(lane)) => Some(lane.clone()),
            Some(_) => return Err(lost(origin)),
        };
        let mut ty = data_of(phrase);
        if lane.is_some()
            && let Type::Vector(_, elem) = &*ty
        {
            ty = elem.clone();
        }
        if prim == Prim::VectorFromScalar {
            let value = self.read(&args[0], Path::new(), env)?;
            return Ok(match lane {
                Some(_) => value,
                None => Expr::new(ExprKind::Broadcast(Box::new(value)), ty, origin),
            });
        }
        if let (Prim::And | Prim::Or, [left, right]) = (prim, args) {
            return self.read_connected(prim, [left, right], path, env, origin);
        }
        let mut operands = args
            .iter()
            .map(|arg| self.read(arg, path.clone(), env))
            .collect::<Result<Vec<_>, _>>()?;
        if let Some(name) = math_function(prim, &ty) {
            return Ok(called(name, operands, ty, origin));
        }
        let right = if operands.len() > 1 {
            operands.pop()
        } else {
            None
        };
        let Some(left) = operands.pop() else {
            return Err(lost(origin));
        };
        let kind = match (prim, right) {
            (Prim::Neg, _) => ExprKind::Unary(Unary::Neg, Box::new(left)),
            (Prim::Abs, _) if !is_signed(&ty) => return Ok(left),
            (Prim::Abs, _) => ExprKind::Unary(Unary::Abs, Box::new(left)),
            (Prim::Not, _) => match truth(&left) {
                Some(truth) => ExprKind::Literal(Literal::Bool(!truth)),
                None => ExprKind::Unary(Unary::Not, Box::new(left)),
            },
            (Prim::IndexAsNat | Prim::NatAsIndex, _) => {
                let nat = self.expr_as_nat(left);
                ExprKind::Nat(self.simplify(&nat))
            }
            (Prim::Cast, _) => self.cast(types, left),
            (_, Some(right)) => self.binary(prim, left, right).ok_or_else(|| lost(origin))?,
            (_, None) => return Err(lost(origin)),
        };
        Ok(Expr { kind, ty, origin })
    }

    /// Reads `&&` or `||`, whose right operand is evaluated only if the left one does not determine
    /// the result.
    fn read_connected(
        &mut self,
        prim: Prim,
        [left, right]: [&Phrase; 2],
        path: Path,
        env: &Env,
        origin: Origin,
    ) -> Result<Expr> {
        let left = self.read(left, path.clone(), env)?;
        let (right, region) = self.branch(|this| this.read(right, path, env));
        let right = right?;
        let truth = |value: bool| {
            Expr::new(
                ExprKind::Literal(Literal::Bool(value)),
                right.ty.clone(),
                origin,
            )
        };
        let (form, parts, regions) = match prim {
            Prim::And => {
                let parts = [left, right.clone(), truth(false)];
                (ChoiceForm::And, parts, [region, 0])
            }
            _ => (
                ChoiceForm::Or,
                [left, truth(true), right.clone()],
                [0, region],
            ),
        };
        Ok(self.choice(form, parts, regions, origin))
    }

    fn cast(&mut self, types: &[Arg], value: Expr) -> ExprKind {
        let Some(Arg::Type(target)) = types.get(1) else {
            return value.kind;
        };
        match &**target {
            Type::Scalar(ScalarType::NatType) if is_size(&value) => value.kind,
            Type::Scalar(scalar) => ExprKind::Cast(*scalar, Box::new(value)),
            _ => value.kind,
        }
    }

    fn binary(&mut self, prim: Prim, left: Expr, right: Expr) -> Option<ExprKind> {
        if let (ExprKind::Nat(a), ExprKind::Nat(b)) = (&left.kind, &right.kind)
            && let Some(kind) = self.on_sizes(prim, a, b)
        {
            return Some(kind);
        }
        let operator = match prim {
            Prim::Add => Binary::Add,
            Prim::Sub => Binary::Sub,
            Prim::Mul => Binary::Mul,
            Prim::Div => Binary::Div,
            Prim::Mod => Binary::Mod,
            Prim::Min => Binary::Min,
            Prim::Max => Binary::Max,
            Prim::Gt => Binary::Gt,
            Prim::Lt => Binary::Lt,
            Prim::Ge => Binary::Ge,
            Prim::Le => Binary::Le,
            Prim::Equal => Binary::Eq,
            Prim::NotEqual => Binary::Ne,
            _ => return None,
        };
        let (left, right) = (Box::new(left), Box::new(right));
        Some(ExprKind::Binary(operator, left, right))
    }

    /// Returns the result of an operator on sizes as a size, if it is that of the operator of
    /// `natType`, which wraps around at 32 bits and truncates: sizes are not negative, and sums of
    /// a few sizes are not large. Returns the truth value of a comparison that is proved or
    /// refuted. Returns `None` for other operations.
    fn on_sizes(&self, prim: Prim, a: &Nat, b: &Nat) -> Option<ExprKind> {
        let one = Nat::constant(1);
        let truth = |prop: Prop, wanted: bool| {
            let holds = self
                .decide(&prop)
                .filter(|_| is_linear(a) && is_linear(b))?;
            Some(ExprKind::Literal(Literal::Bool(holds == wanted)))
        };
        let size = |nat: Nat| Some(ExprKind::Nat(self.simplify(&nat)));
        let counts = |nat: Nat| size(nat).filter(|_| is_linear(a) && is_linear(b));
        match prim {
            Prim::Add => counts(a.clone() + b),
            Prim::Sub if self.decide(&Prop::AtLeast(a.clone(), b.clone())) == Some(true) => {
                size(Nat::sub(a, b))
            }
            Prim::Mul if a.as_const().is_some() || b.as_const().is_some() => counts(a.clone() * b),
            Prim::Div => size(Nat::div(a, b)),
            Prim::Mod => size(Nat::rem(a, b)),
            Prim::Lt => truth(Prop::AtLeast(b.clone(), a.clone() + &one), true),
            Prim::Gt => truth(Prop::AtLeast(a.clone(), b.clone() + &one), true),
            Prim::Le => truth(Prop::AtLeast(b.clone(), a.clone()), true),
            Prim::Ge => truth(Prop::AtLeast(a.clone(), b.clone()), true),
            Prim::Equal => truth(Prop::Equal(a.clone(), b.clone()), true),
            Prim::NotEqual => truth(Prop::Equal(a.clone(), b.clone()), false),
            _ => None,
        }
    }
}

/// Returns the name of the function of `<math.h>` that computes a primitive on numbers of this type
/// or on vectors of them; `None` if it is computed otherwise.
fn math_function(prim: Prim, ty: &Ty) -> Option<&'static str> {
    match prim {
        Prim::Round => Some("rint"),
        Prim::Abs if is_float(ty) => Some("fabs"),
        _ if prim.in_rise().is_some_and(Primitive::is_on_floats) => Some(prim.name()),
        _ => None,
    }
}

/// Returns the type of the lanes of a vector; for other types, the type itself.
fn lane_type(ty: &Ty) -> &Ty {
    match &**ty {
        Type::Vector(_, scalar) => scalar,
        _ => ty,
    }
}

fn is_float(ty: &Ty) -> bool {
    matches!(&**lane_type(ty), Type::Scalar(scalar) if scalar.is_float())
}

fn is_signed(ty: &Ty) -> bool {
    let int = match &**lane_type(ty) {
        Type::Scalar(scalar) => Int::of(*scalar),
        _ => None,
    };
    int.is_some_and(|int| int.signed)
}

/// Returns a call of a function of `<math.h>`; if the type is a vector, the call is lane by lane.
fn called(name: &str, operands: Vec<Expr>, ty: Ty, origin: Origin) -> Expr {
    let scalar = lane_type(&ty).clone();
    let params =
        (["x", "y", "z"].into_iter().zip(&operands)).map(|(name, _)| (name.into(), scalar.clone()));
    let function = Foreign {
        name: name.into(),
        params: params.collect(),
        result: scalar,
        body: None,
        body_span: None,
        id: None,
    };
    Expr::new(ExprKind::Call(Arc::new(function), operands), ty, origin)
}

/// Returns `a && b` or `a || b`, simplified by [`connect`].
pub(super) fn connected(operator: Binary, a: Expr, b: Expr, origin: Origin) -> Expr {
    Expr {
        ty: b.ty.clone(),
        kind: connect(operator, a, b),
        origin,
    }
}

/// Returns `&&` or `||`, simplified if the left operand is a constant, or if the right one is the
/// constant that does not change the result.
fn connect(operator: Binary, left: Expr, right: Expr) -> ExprKind {
    let neutral = operator == Binary::And;
    match (truth(&left), truth(&right)) {
        (Some(truth), _) if truth == neutral => right.kind,
        (Some(truth), _) => ExprKind::Literal(Literal::Bool(truth)),
        (_, Some(truth)) if truth == neutral => left.kind,
        _ => ExprKind::Binary(operator, Box::new(left), Box::new(right)),
    }
}

impl Lower<'_> {
    /// Returns an expression of type `natType` for a size. A sum of products of variables that may
    /// be large is computed by operators, which wrap around.
    pub(super) fn number(&self, nat: &Nat, origin: Origin) -> Expr {
        let ty = scalar(ScalarType::NatType);
        let nat = self.simplify(nat);
        let leaf = |nat: Nat| Expr::new(ExprKind::Nat(nat), ty.clone(), origin);
        let is_var = |(part, _): &(Part<'_>, u32)| matches!(part, Part::Var(_));
        let summands = nat.summands();
        let products = summands
            .iter()
            .all(|s| s.factors.iter().all(is_var) && s.coeff > 0);
        if is_linear(&nat) || !products {
            return leaf(nat.clone());
        }
        let join = |operator: Binary, parts: Vec<Expr>| {
            parts.into_iter().reduce(|a, b| {
                Expr::new(
                    ExprKind::Binary(operator, Box::new(a), Box::new(b)),
                    ty.clone(),
                    origin,
                )
            })
        };
        let product = |summand: &Summand<'_>| {
            let coeff = (summand.coeff != 1 || summand.factors.is_empty())
                .then(|| leaf(Nat::constant(summand.coeff)));
            let vars = summand.factors.iter().flat_map(|(part, exp)| {
                let var = match part {
                    Part::Var(var) => Nat::var(*var),
                    _ => Nat::constant(1),
                };
                std::iter::repeat_n(leaf(var), *exp as usize)
            });
            join(Binary::Mul, coeff.into_iter().chain(vars).collect())
        };
        let sum = join(Binary::Add, summands.iter().filter_map(product).collect());
        sum.unwrap_or_else(|| leaf(nat.clone()))
    }
}

/// Returns true if a size is a sum of at most four terms, each a constant or an indivisible part
/// with a coefficient, where no constant or coefficient is above 65536 in absolute value: such a
/// size is assumed to fit.
fn is_linear(nat: &Nat) -> bool {
    const SMALL: i64 = 1 << 16;
    let summands = nat.summands();
    summands.len() <= 4
        && summands.iter().all(|summand| {
            let degree: u32 = summand.factors.iter().map(|(_, exp)| exp).sum();
            degree <= 1 && (-SMALL..=SMALL).contains(&summand.coeff)
        })
}

/// Returns true if a value is a size or index.
fn is_size(value: &Expr) -> bool {
    matches!(value.kind, ExprKind::Nat(_)) && value.ty != scalar(ScalarType::Bool)
}
