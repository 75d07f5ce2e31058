//! Functions that join or split dimensions, which give an array the type that is expected of it.

use nat::{Facts, Nat, Prop};
use syntax::ast::{BinaryOp, TermKind};
use syntax::{Fix, Span};

use super::super::Infer;
use super::super::unify::{Cause, Why};
use crate::types::{Ty, Type};

impl Infer<'_> {
    /// The function that makes an array of the type `got` one of the type `wanted` by joining or
    /// splitting a dimension: `join`, `map(split(4))`, `asScalar`.
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

    /// The edit that applies a function to what is wrong, if that ends with an application.
    pub(in crate::infer) fn apply_fix(&self, function: &str, cause: Cause) -> Option<Fix> {
        if !matches!(cause.why, Why::Written { .. } | Why::Ascribed { .. }) {
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

/// A type of arrays in parts.
struct Shape {
    dimensions: Vec<Nat>,
    /// Of vectors, how many elements each has.
    lanes: Option<Nat>,
    elements: Ty,
}

/// The first of the two dimensions of `more` that make one dimension of `fewer`, where all others
/// are the same.
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
        // To split is to assume that the parts have no rest.
        let is_whole =
            same(&fewer[depth], &(outer * inner)) || same(outer, &Nat::div(&fewer[depth], inner));
        is_whole && others.all(|(a, b)| same(a, b))
    })
}

/// A function on the elements of so many dimensions.
fn mapped(function: &str, depth: usize) -> String {
    format!("{}{function}{}", "map(".repeat(depth), ")".repeat(depth))
}
