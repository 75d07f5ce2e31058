//! Remedies for arrays of the wrong shape: functions that join or split dimensions.

use nat::{Facts, Nat, Prop};
use syntax::ast::{BinaryOp, TermKind};
use syntax::{Fix, Span};

use super::super::Infer;
use super::super::unify::{Cause, CauseCode};
use crate::types::{Ty, Type};

impl Infer<'_> {
    /// Returns the function that converts an array of type `got` to type `wanted` by joining or
    /// splitting one dimension: `join`, `map(split(4))`, `asScalar`. Returns `None` if there is no
    /// such function.
    pub(in crate::infer) fn rearrangement(&mut self, wanted: &Ty, got: &Ty) -> Option<String> {
        let (want, have) = (self.shape(wanted), self.shape(got));
        if want.elements != have.elements {
            return None;
        }
        let mut vars = Vec::new();
        for size in want.dimensions.iter().chain(&have.dimensions) {
            size.for_each_var(&mut |var| vars.push(var));
        }
        let facts = self.facts_for(&vars);
        let innermost = want.dimensions.len().checked_sub(1);
        if want.lanes == have.lanes {
            let joined = differing(&want.dimensions, &have.dimensions, &facts);
            let split = differing(&have.dimensions, &want.dimensions, &facts);
            return match (joined, split) {
                (Some(depth), _) => Some(mapped("join", depth)),
                (_, Some(depth)) => {
                    let size = want.dimensions.get(depth + 1)?;
                    Some(mapped(&format!("split({})", self.show_nat(size)), depth))
                }
                _ => None,
            };
        }
        let fits = |wide: &Shape, lanes: &Nat, plain: &Shape| {
            let mut dimensions = wide.dimensions.clone();
            dimensions.push(lanes.clone());
            differing(&plain.dimensions, &dimensions, &facts)
                == plain.dimensions.len().checked_sub(1)
        };
        match (&want.lanes, &have.lanes) {
            (None, Some(lanes)) if fits(&have, lanes, &want) => {
                Some(mapped("asScalar", innermost?))
            }
            (Some(lanes), None) if fits(&want, lanes, &have) => {
                let function = format!("asVector({})", self.show_nat(lanes));
                Some(mapped(&function, innermost?))
            }
            _ => None,
        }
    }

    /// Returns the fix that appends a function to the wrong expression, if a written type requires
    /// its type and the expression is an application or a pipeline.
    pub(in crate::infer) fn apply_fix(&self, function: &str, cause: Cause) -> Option<Fix> {
        if !matches!(
            cause.why,
            CauseCode::Written { .. } | CauseCode::Ascribed { .. }
        ) {
            return None;
        }
        let is_applied = matches!(
            self.item.term(self.whole_at(cause.span)?).kind,
            TermKind::Apply { .. }
                | TermKind::Binary {
                    op: BinaryOp::Pipe,
                    ..
                }
        );
        if !is_applied {
            return None;
        }
        let end = Span::empty(cause.span.end);
        let edits = vec![(end, format!(" |> {function}"))];
        Some(Fix::preferred(format!("Append `|> {function}`"), edits))
    }

    fn shape(&self, ty: &Ty) -> Shape {
        let dimensions = self.dimensions(ty);
        let mut elements = self.table.ty(ty);
        while let Type::Array(_, inner) = &*elements.clone() {
            elements = self.table.ty(inner);
        }
        let mut lanes = None;
        if let Type::Vector(count, inner) = &*elements.clone() {
            lanes = Some(self.table.nat(count));
            elements = self.table.ty(inner);
        }
        Shape {
            dimensions,
            lanes,
            elements,
        }
    }
}

/// The shape of an array type.
struct Shape {
    dimensions: Vec<Nat>,
    /// The number of lanes if the elements are vectors.
    lanes: Option<Nat>,
    elements: Ty,
}

/// Returns the index of the first of two adjacent dimensions of `more` whose product is one
/// dimension of `fewer`, or that is its quotient by the second, if all other dimensions are equal.
fn differing(fewer: &[Nat], more: &[Nat], facts: &Facts) -> Option<usize> {
    if more.len() != fewer.len() + 1 {
        return None;
    }
    let same = |a: &Nat, b: &Nat| facts.proves(&Prop::Equal(a.clone(), b.clone()));
    (0..fewer.len()).find(|&depth| {
        let before = fewer[..depth].iter().zip(more);
        let behind = fewer[depth + 1..].iter().zip(&more[depth + 2..]);
        let mut others = before.chain(behind);
        let [outer, inner] = [&more[depth], &more[depth + 1]];
        // A `split` assumes that the division has no remainder.
        let is_whole =
            same(&fewer[depth], &(outer * inner)) || same(outer, &Nat::div(&fewer[depth], inner));
        is_whole && others.all(|(a, b)| same(a, b))
    })
}

/// Returns the text of a function inside `depth` calls of `map`.
fn mapped(function: &str, depth: usize) -> String {
    format!("{}{function}{}", "map(".repeat(depth), ")".repeat(depth))
}
