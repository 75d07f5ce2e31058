//! Checks the strategies in conditions of rules.

use syntax::ast::TermId;
use syntax::elevate::ast::{CondId, CondKind};

use super::Infer;
use crate::lang::types::Type;

impl Infer<'_> {
    /// Checks the strategies in a condition. Its terms are checked by the rule compiler.
    pub(super) fn condition(&mut self, id: CondId) {
        match &self.item.cond(id).kind {
            CondKind::Or(a, b) | CondKind::And(a, b) => {
                let (a, b) = (*a, *b);
                self.condition(a);
                self.condition(b);
            }
            CondKind::Not(inner) | CondKind::Paren(inner) => self.condition(*inner),
            CondKind::Holds { strategy, .. } => {
                self.expect(*strategy, &Type::strategy());
            }
            _ => {}
        }
    }

    /// Collects the terms of a condition, in source order.
    pub(super) fn condition_terms(&self, id: CondId, terms: &mut Vec<TermId>) {
        match &self.item.cond(id).kind {
            CondKind::Missing => {}
            CondKind::Or(a, b) | CondKind::And(a, b) => {
                self.condition_terms(*a, terms);
                self.condition_terms(*b, terms);
            }
            CondKind::Not(inner) | CondKind::Paren(inner) => self.condition_terms(*inner, terms),
            CondKind::Divides { divisor, size } => terms.extend([*divisor, *size]),
            CondKind::Compare { lhs, rhs, .. } => terms.extend([*lhs, *rhs]),
            CondKind::NotIn { name, term } => terms.extend([*name, *term]),
            CondKind::HasKind { term, .. } => terms.push(*term),
            CondKind::HasType { term, ty } => terms.extend([*term, *ty]),
            CondKind::Property { args, .. } => terms.extend(args.iter().copied()),
            CondKind::Holds { term, .. } => terms.push(*term),
        }
    }
}
