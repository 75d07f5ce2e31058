//! Elaboration of written sizes.

use nat::{Nat, Prop};
use syntax::ast::{BinaryOp, Kind, Literal, TermId, TermKind};

use super::expr::kind_noun;
use super::{Infer, Local, LocalBinding};
use crate::codes;
use crate::types::{Arg, SizeFun};
use crate::{NameUse, Target, TermInfo};

impl Infer<'_> {
    /// Elaborates a written size; returns a unification variable after an error.
    pub(super) fn size(&mut self, term: TermId) -> Nat {
        match self.elab_nat(term) {
            Some(n) => n,
            None => self.open_nat("n", term),
        }
    }

    /// Elaborates a complete size: reports a constant that is negative or too large, and requires of a size that is
    /// neither a name, a number nor a hole that it is not negative. Returns `None` after an error.
    pub(super) fn elab_nat(&mut self, term: TermId) -> Option<Nat> {
        let nat = self.nat_of(term)?;
        if let Some(value) = nat.as_const()
            && value < 0
        {
            let message = format!("a size cannot be negative, and this is {value}");
            self.error(codes::NEGATIVE_SIZE, self.span(term), message);
            return None;
        }
        if nat.overflows() {
            let message = format!("the size {} does not fit 63 bits", self.show_nat(&nat));
            self.error(syntax::codes::BAD_NUMBER, self.span(term), message);
            return None;
        }
        self.set(term, TermInfo::Arg(Arg::Nat(nat.clone())));
        if !matches!(
            self.item.term(self.bare(term)).kind,
            TermKind::Name(_) | TermKind::Literal(_) | TermKind::Hole
        ) {
            self.require(
                Prop::AtLeast(nat.clone(), Nat::constant(0)),
                self.span(term),
            );
        }
        Some(nat)
    }

    pub(super) fn nat_of(&mut self, term: TermId) -> Option<Nat> {
        let item = self.item;
        match &item.term(term).kind {
            TermKind::Missing => None,
            TermKind::Paren(inner) => self.nat_of(*inner),
            TermKind::Hole => {
                let nat = self.open_nat("n", term);
                if let Some(var) = nat.as_var() {
                    self.inserted.push((var, term));
                }
                Some(nat)
            }
            TermKind::Literal(Literal::Int {
                value,
                suffix: None,
            }) => self.nat_literal(term, *value),
            TermKind::Name(name) => match self.type_level_name(term, name)? {
                (var, Kind::Nat) => Some(Nat::var(var)),
                (_, kind) => {
                    let message =
                        format!("expected a size, found the {} `{name}`", kind_noun(kind));
                    self.error(codes::KIND_MISMATCH, self.span(term), message)
                        .help = Some(format!(
                        "a size has the kind `Nat`: bind it as `{name}: Nat`"
                    ));
                    None
                }
            },
            TermKind::Binary { op, lhs, rhs, .. } if op.is_arithmetic() => {
                self.nat_operation(*op, *lhs, *rhs)
            }
            TermKind::Apply { callee, args } => self.nat_call(term, *callee, args),
            _ => {
                self.not_a_size(term);
                None
            }
        }
    }

    pub(super) fn nat_literal(&mut self, term: TermId, value: i128) -> Option<Nat> {
        match i64::try_from(value) {
            Ok(value) => Some(Nat::constant(value)),
            Err(_) => {
                let message = format!("the size {value} does not fit 63 bits");
                self.error(syntax::codes::BAD_NUMBER, self.span(term), message);
                None
            }
        }
    }

    pub(super) fn nat_operation(&mut self, op: BinaryOp, lhs: TermId, rhs: TermId) -> Option<Nat> {
        let (a, b) = (self.nat_of(lhs), self.nat_of(rhs));
        let (a, b) = (a?, b?);
        Some(match op {
            BinaryOp::Add => Nat::add(&a, &b),
            BinaryOp::Sub => Nat::sub(&a, &b),
            BinaryOp::Mul => Nat::mul(&a, &b),
            BinaryOp::Div | BinaryOp::Mod => {
                if !self.divisor(rhs, &b) {
                    return None;
                }
                if op == BinaryOp::Div {
                    Nat::div(&a, &b)
                } else {
                    Nat::rem(&a, &b)
                }
            }
            _ => Nat::pow(&a, &b),
        })
    }

    /// Requires that a divisor is at least 1; reports the constant 0 and returns false.
    pub(super) fn divisor(&mut self, term: TermId, value: &Nat) -> bool {
        if value.as_const() == Some(0) {
            let message = "division by zero in a size";
            self.error(codes::OBLIGATION_FAILS, self.span(term), message);
            return false;
        }
        self.require(
            Prop::AtLeast(value.clone(), Nat::constant(1)),
            self.span(term),
        );
        true
    }

    pub(super) fn nat_call(
        &mut self,
        term: TermId,
        callee: TermId,
        args: &[TermId],
    ) -> Option<Nat> {
        let Some(name) = self.source_name(callee).cloned() else {
            self.not_a_size(term);
            return None;
        };
        if let (Some(Kind::Nat2Nat), [arg]) = (self.kind_of_name(&name), args) {
            let (var, _) = self.type_level_name(callee, &name)?;
            let arg = self.elab_nat(*arg)?;
            return Some(self.table.apply_size_fun(&SizeFun::Var(var), &arg));
        }
        match (name.as_str(), args) {
            ("min" | "max" | "ceilDiv", [a, b]) => {
                let (x, y) = (self.nat_of(*a)?, self.nat_of(*b)?);
                Some(match name.as_str() {
                    "min" => Nat::min(&x, &y),
                    "max" => Nat::max(&x, &y),
                    _ => {
                        if !self.divisor(*b, &y) {
                            return None;
                        }
                        Nat::ceil_div(&x, &y)
                    }
                })
            }
            ("log2", [a]) => {
                let x = self.nat_of(*a)?;
                if x.as_const() == Some(0) {
                    let message = "`log2` of 0 has no value";
                    self.error(codes::OBLIGATION_FAILS, self.span(*a), message);
                    return None;
                }
                self.require(Prop::AtLeast(x.clone(), Nat::constant(1)), self.span(*a));
                Some(Nat::log2(&x))
            }
            ("sum", [index, from, to, body]) => self.nat_sum(term, *index, *from, *to, *body),
            ("min" | "max" | "ceilDiv", _) => {
                let message = format!("`{name}` takes two sizes, found {}", args.len());
                self.error(codes::KIND_MISMATCH, self.span(term), message);
                None
            }
            _ if self.is_size(callee) => {
                let message = format!("`{name}` is a size, not a function on sizes");
                let product = match args[..] {
                    [factor] => Some(format!("{name} * {}", self.source(factor))),
                    _ => None,
                };
                self.error(codes::KIND_MISMATCH, self.span(term), message)
                    .help = product.map(|product| format!("the product of both is `{product}`"));
                None
            }
            _ => {
                self.not_a_size(term);
                None
            }
        }
    }

    /// Elaborates `sum(i, a, b, e)`, a sum over `a <= i < b`.
    pub(super) fn nat_sum(
        &mut self,
        term: TermId,
        index: TermId,
        from: TermId,
        to: TermId,
        body: TermId,
    ) -> Option<Nat> {
        let Some(name) = self.source_name(index).cloned() else {
            let message = "the first argument of `sum` must be the name of its index";
            self.error(codes::KIND_MISMATCH, self.span(index), message);
            return None;
        };
        let (from, to) = (self.nat_of(from)?, self.nat_of(to)?);
        self.in_scope(|this| {
            let var = this.rigid(name.clone(), Kind::Nat, this.span(index), true);
            this.table.update(var).range = Some(to.clone());
            let target = Target::SumIndex(term);
            this.uses.push(NameUse::plain(index, target));
            this.set(index, TermInfo::Arg(Arg::Nat(Nat::var(var))));
            let meaning = LocalBinding::TypeLevel(var, Kind::Nat);
            this.scope.push(Local {
                name,
                target,
                meaning,
            });
            Some(Nat::sum(var, &from, &to, &this.nat_of(body)?))
        })
    }
}
