//! Checks the strategies in conditions of rules, and collects the terms of conditions.

use syntax::ast::TermId;
use syntax::elevate::ast::{CondId, CondKind};

use super::Infer;
use crate::lang::types::Type;
use crate::rule::basic_conditions;

impl Infer<'_> {
    /// Checks the strategies in a condition. Its terms are checked elsewhere.
    pub(super) fn condition(&mut self, id: CondId) {
        for part in basic_conditions(self.item, id) {
            if let CondKind::Holds { strategy, .. } = self.item.cond(part).kind {
                self.expect(strategy, &Type::strategy());
            }
        }
    }

    /// Collects the terms of a condition, in source order.
    pub(super) fn condition_terms(&self, id: CondId, terms: &mut Vec<TermId>) {
        for part in basic_conditions(self.item, id) {
            match &self.item.cond(part).kind {
                CondKind::Divides { divisor, size } => terms.extend([*divisor, *size]),
                CondKind::Compare { lhs, rhs, .. } => terms.extend([*lhs, *rhs]),
                CondKind::NotIn { name, term } => terms.extend([*name, *term]),
                CondKind::HasType { term, ty } => terms.extend([*term, *ty]),
                CondKind::Property { args, .. } => terms.extend(args.iter().copied()),
                CondKind::HasKind { term, .. } | CondKind::Holds { term, .. } => terms.push(*term),
                _ => {}
            }
        }
    }
}
