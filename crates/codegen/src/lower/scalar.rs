//! Arithmetic, comparison and conversion of single values.

use dpia::{Phrase, Prim};
use nat::{Nat, Prop};
use rise::{Arg, Type};
use syntax::ast::{Literal, ScalarType};

use super::Lower;
use super::env::{Env, Path, Step};
use super::read::{constant_truth, data_of, scalar};
use super::store::lost;
use crate::error::CompileError;
use crate::ir::{Binary, Expr, ExprKind, Unary};

impl Lower<'_> {
    pub(super) fn read_scalar(
        &mut self,
        phrase: &Phrase,
        prim: Prim,
        types: &[Arg],
        args: &[Phrase],
        path: Path,
        env: &Env,
    ) -> Result<Expr, CompileError> {
        let origin = phrase.origin;
        // A lane of the result comes from that lane of the operands.
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
                None => Expr {
                    kind: ExprKind::Broadcast(Box::new(value)),
                    ty,
                    origin,
                },
            });
        }
        let mut operands = args
            .iter()
            .map(|arg| self.read(arg, path.clone(), env))
            .collect::<Result<Vec<_>, _>>()?;
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
            (Prim::Not, _) => match constant_truth(&left) {
                Some(truth) => ExprKind::Literal(Literal::Bool(!truth)),
                None => ExprKind::Unary(Unary::Not, Box::new(left)),
            },
            (Prim::IndexAsNat | Prim::NatAsIndex, _) => {
                let nat = self.expr_as_nat(left);
                ExprKind::Nat(self.simplify(&nat))
            }
            (Prim::Cast, _) => self.cast(types, left),
            (_, Some(right)) => self.binary(prim, left, right),
            _ => return Err(lost(origin)),
        };
        Ok(Expr { kind, ty, origin })
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

    fn binary(&mut self, prim: Prim, mut left: Expr, mut right: Expr) -> ExprKind {
        if let (ExprKind::Nat(a), ExprKind::Nat(b)) = (&left.kind, &right.kind)
            && let Some(kind) = self.on_sizes(prim, a, b)
        {
            return kind;
        }
        let mut operator = match prim {
            Prim::Add => Binary::Add,
            Prim::Sub => Binary::Sub,
            Prim::Mul => Binary::Mul,
            Prim::Div => Binary::Div,
            Prim::Mod => Binary::Mod,
            Prim::Gt => Binary::Gt,
            Prim::Lt => Binary::Lt,
            Prim::Ge => Binary::Ge,
            Prim::Le => Binary::Le,
            Prim::Equal => Binary::Eq,
            Prim::NotEqual => Binary::Ne,
            Prim::And => return connect(Binary::And, left, right),
            _ => return connect(Binary::Or, left, right),
        };
        if let (ExprKind::Nat(a), ExprKind::Nat(b)) = (&left.kind, &right.kind)
            && let Some((turned, a, b)) = self.counter_first(operator, a, b)
        {
            operator = turned;
            left.kind = ExprKind::Nat(a);
            right.kind = ExprKind::Nat(b);
        }
        ExprKind::Binary(operator, Box::new(left), Box::new(right))
    }

    /// A comparison with the innermost counter alone on its left: `j + 1 < n` is `j < n - 1`, which
    /// people read, and C compilers vectorise, better.
    pub(super) fn counter_first(
        &self,
        operator: Binary,
        a: &Nat,
        b: &Nat,
    ) -> Option<(Binary, Nat, Nat)> {
        let turned = match operator {
            Binary::Lt => Binary::Gt,
            Binary::Gt => Binary::Lt,
            Binary::Le => Binary::Ge,
            Binary::Ge => Binary::Le,
            Binary::Eq | Binary::Ne => operator,
            _ => return None,
        };
        let difference = Nat::sub(a, b);
        let mentioned = |v: &&nat::Var| difference.mentions(**v);
        let counter = Nat::var(*self.loops.iter().rev().find(mentioned)?);
        let var = counter.as_var()?;
        let rest = self.simplify(&Nat::sub(&counter, &difference));
        if !rest.mentions(var) {
            return Some((operator, counter, rest));
        }
        let rest = self.simplify(&(counter.clone() + &difference));
        (!rest.mentions(var)).then_some((turned, counter, rest))
    }

    /// Operators on sizes stay sizes; comparisons are decided where the ranges decide them.
    fn on_sizes(&self, prim: Prim, a: &Nat, b: &Nat) -> Option<ExprKind> {
        let one = Nat::constant(1);
        let truth = |prop: Prop, wanted: bool| {
            let holds = self.decide(&prop)?;
            Some(ExprKind::Literal(Literal::Bool(holds == wanted)))
        };
        let size = |nat: Nat| Some(ExprKind::Nat(self.simplify(&nat)));
        match prim {
            Prim::Add => size(a.clone() + b),
            Prim::Sub => size(Nat::sub(a, b)),
            Prim::Mul => size(a.clone() * b),
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

/// `&&` and `||` with one side known.
fn connect(operator: Binary, left: Expr, right: Expr) -> ExprKind {
    let neutral = operator == Binary::And;
    match (constant_truth(&left), constant_truth(&right)) {
        (Some(truth), _) if truth == neutral => right.kind,
        (Some(truth), _) => ExprKind::Literal(Literal::Bool(truth)),
        (_, Some(truth)) if truth == neutral => left.kind,
        _ => ExprKind::Binary(operator, Box::new(left), Box::new(right)),
    }
}

/// Whether the value is a size or index already.
fn is_size(value: &Expr) -> bool {
    matches!(value.kind, ExprKind::Nat(_)) && value.ty != scalar(ScalarType::Bool)
}
