//! Traverses the terms of an item.

use crate::ast::{Binder, BinderAnnotation, BinderId, Item, TermId, TermKind};

impl TermKind {
    /// Visits the direct children in the order of the text, including the type annotations of
    /// binders. `binders` are those of the item.
    pub(crate) fn children(&self, binders: &[Binder], mut visit: impl FnMut(TermId)) {
        let binder = |id: BinderId, visit: &mut dyn FnMut(TermId)| annotations(binders, id, visit);
        match self {
            TermKind::Missing
            | TermKind::Hole
            | TermKind::Name(_)
            | TermKind::Literal(_)
            | TermKind::Operator(_)
            | TermKind::Scalar(_)
            | TermKind::Address(_)
            | TermKind::Comm
            | TermKind::Access(_)
            | TermKind::Skip => {}
            TermKind::Apply { callee, args } => {
                visit(*callee);
                args.iter().for_each(|&arg| visit(arg));
            }
            TermKind::Fun { params, body, .. } | TermKind::DepFun { params, body } => {
                params.iter().for_each(|&param| binder(param, &mut visit));
                visit(*body);
            }
            TermKind::Let {
                binder: bound,
                value,
                body,
            } => {
                binder(*bound, &mut visit);
                visit(*value);
                visit(*body);
            }
            TermKind::Local {
                ty, function, body, ..
            } => {
                visit(*ty);
                visit(*function);
                visit(*body);
            }
            TermKind::LetSize {
                size,
                binder: bound,
                value,
                body,
            } => {
                binder(*size, &mut visit);
                bound.iter().for_each(|&bound| binder(bound, &mut visit));
                visit(*value);
                visit(*body);
            }
            TermKind::NatFun { param, body }
            | TermKind::DataFun { param, body }
            | TermKind::DepPair { param, body }
            | TermKind::Pi { param, body, .. } => {
                binder(*param, &mut visit);
                visit(*body);
            }
            TermKind::Unary { operand: a, .. }
            | TermKind::Project { pair: a, .. }
            | TermKind::Paren(a)
            | TermKind::Index(a)
            | TermKind::Acc(a) => visit(*a),
            TermKind::Binary { lhs: a, rhs: b, .. }
            | TermKind::Pair(a, b)
            | TermKind::Ascribe { term: a, ty: b }
            | TermKind::Array {
                size: a, elem: b, ..
            }
            | TermKind::Tuple(a, b)
            | TermKind::Vector { size: a, elem: b }
            | TermKind::DepArray { size: a, elem: b }
            | TermKind::Arrow(a, b)
            | TermKind::Exp { data: a, access: b }
            | TermKind::Assign { lhs: a, rhs: b, .. } => {
                visit(*a);
                visit(*b);
            }
            TermKind::Where { ty, conditions } => {
                visit(*ty);
                conditions.iter().for_each(|&condition| visit(condition));
            }
            TermKind::Sequence(commands) => commands.iter().for_each(|&command| visit(command)),
            TermKind::If {
                condition,
                then,
                otherwise,
            } => {
                visit(*condition);
                visit(*then);
                visit(*otherwise);
            }
        }
    }
}

/// Visits the type annotations of a binder and of the parts of a pattern, in the order of the text.
fn annotations(binders: &[Binder], id: BinderId, visit: &mut dyn FnMut(TermId)) {
    let binder = &binders[id.0 as usize];
    for &part in binder.parts.iter().flatten() {
        annotations(binders, part, visit);
    }
    if let BinderAnnotation::Type(ty) = binder.annotation {
        visit(ty);
    }
}

impl Item {
    /// Visits the direct children of a term in the order of the text, including the type
    /// annotations of its binders.
    pub fn children(&self, id: TermId, visit: impl FnMut(TermId)) {
        self.term(id).kind.children(&self.binders, visit);
    }

    /// Returns the parent of every term, indexed by [`TermId`]. Roots have none: the type and body
    /// of a definition, the types of a foreign function, annotation arguments, and terms dropped
    /// after an error.
    pub fn parents(&self) -> Vec<Option<TermId>> {
        let mut parents = vec![None; self.terms.len()];
        for id in (0..self.terms.len() as u32).map(TermId) {
            self.children(id, |child| parents[child.0 as usize] = Some(id));
        }
        parents
    }

    /// Returns the shortest term whose span contains `offset` or begins or ends there; of several
    /// with the same length, the one with the smallest index. A [`TermKind::Missing`] is only
    /// returned if there is no other such term.
    pub fn term_at(&self, offset: u32) -> Option<TermId> {
        (0..self.terms.len() as u32)
            .map(TermId)
            .filter(|&id| self.term(id).span.touches(offset))
            .min_by_key(|&id| {
                let term = self.term(id);
                (term.kind == TermKind::Missing, term.span.len(), id)
            })
    }
}
