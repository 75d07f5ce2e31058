//! Checks that lists of loop numbers in calls of library strategies are permutations.
use syntax::ast::{Literal, Name};
use syntax::elevate::ast::{ExprId, ExprKind};

use super::Infer;
use crate::codes;

/// Strategies of the library that take a permutation.
const REORDERS: &[&str] = &["reorder", "loopReorder", "halide.reorder"];

impl Infer<'_> {
    /// Reports lists of number literals that are arguments of a strategy in [`REORDERS`] and not
    /// permutations.
    pub(super) fn permutations(&mut self) {
        let calls: Vec<(Name, ExprId)> = (0..self.item.exprs.len() as u32)
            .map(ExprId)
            .filter_map(|id| self.call_with_one(id, REORDERS))
            .collect();
        for (name, list) in calls {
            let Some(numbers) = self.numbers_in(list) else {
                continue;
            };
            let count = numbers.len() as i128;
            if (1..=count).all(|number| numbers.contains(&number)) {
                continue;
            }
            let loops: Vec<String> = (1..=count).map(|number| number.to_string()).collect();
            let span = self.span(list);
            let message = format!(
                "`{name}` takes each loop exactly once, and this list is not a permutation of [{}]",
                loops.join(", ")
            );
            self.error(codes::STRATEGY_FAILS, span, message).help = Some(
                "a loop is given by its depth, from 1: `[2, 1]` interchanges two loops".into(),
            );
        }
    }

    /// Returns the elements of a list of number literals; `None` for other expressions.
    fn numbers_in(&self, list: ExprId) -> Option<Vec<i128>> {
        let ExprKind::List { elements, .. } = &self.item.expr(list).kind else {
            return None;
        };
        let number = |id: &ExprId| match &self.item.expr(*id).kind {
            ExprKind::Literal(Literal::Int { value, .. }) => Some(*value),
            _ => None,
        };
        elements.iter().map(number).collect()
    }
}
