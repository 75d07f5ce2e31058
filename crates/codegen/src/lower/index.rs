//! Lowers indices, which become sizes (`Nat`) as far as possible; other values are represented by
//! opaque size variables.

use dpia::Phrase;
use nat::{Nat, Prop};
use rise::Type;
use syntax::ast::Literal;

use super::Lower;
use super::env::{Env, Path};
use crate::error::Result;
use crate::ir::{Binary, Expr, ExprKind};

impl Lower<'_> {
    /// Lowers an expression of an index type or of `natType` to a size.
    pub(super) fn index(&mut self, phrase: &Phrase, env: &Env) -> Result<Nat> {
        let expr = self.read(phrase, Path::new(), env)?;
        Ok(self.expr_as_nat(expr))
    }

    /// Converts an expression to a size; if this is not possible, to an opaque size variable, which
    /// is the same one for equal expressions.
    pub(super) fn expr_as_nat(&mut self, expr: Expr) -> Nat {
        if let ExprKind::Nat(nat) = &expr.kind {
            return nat.clone();
        }
        if let ExprKind::Literal(Literal::Int { value, .. }) = &expr.kind
            && let Ok(value) = i64::try_from(*value)
        {
            return Nat::constant(value);
        }
        if let Some(nat) = self.arithmetic(&expr) {
            return nat;
        }
        let ty = expr.ty.clone();
        let var = self.function.opaque_size(expr);
        if let Type::Index(n) = &*ty {
            self.facts.index(var, n);
        }
        Nat::var(var)
    }

    /// Returns true if an expression is arithmetic on sizes that can be converted to a size.
    pub(super) fn is_arithmetic(&self, expr: &Expr) -> bool {
        self.arithmetic(expr).is_some()
    }

    /// Converts arithmetic on sizes to a size. An index is in its range, so its intermediate
    /// results do not wrap around. Returns `None` for other expressions, and for quotients and
    /// remainders whose dividend may be negative.
    fn arithmetic(&self, expr: &Expr) -> Option<Nat> {
        match &expr.kind {
            ExprKind::Nat(nat) => Some(nat.clone()),
            ExprKind::Binary(operator, a, b) => {
                let (a, b) = (self.arithmetic(a)?, self.arithmetic(b)?);
                let not_negative = |nat: &Nat| {
                    self.decide(&Prop::AtLeast(nat.clone(), Nat::constant(0))) == Some(true)
                };
                let nat = match operator {
                    Binary::Add => a + &b,
                    Binary::Sub => Nat::sub(&a, &b),
                    Binary::Mul => a * &b,
                    Binary::Div if not_negative(&a) => Nat::div(&a, &b),
                    Binary::Mod if not_negative(&a) => Nat::rem(&a, &b),
                    _ => return None,
                };
                Some(self.simplify(&nat))
            }
            _ => None,
        }
    }

    /// Decides `a < b` by the facts that hold at the current place; `None` if neither it nor its
    /// negation is proved.
    pub(super) fn less(&self, a: &Nat, b: &Nat) -> Option<bool> {
        self.decide(&Prop::AtLeast(b.clone(), a.clone() + 1))
    }
}
