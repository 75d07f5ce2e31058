//! Checks patterns of `match`.

use std::sync::Arc;

use syntax::Severity;
use syntax::ast::Literal;
use syntax::elevate::ast::{Case, Node, PatternId, PatternKind};

use super::{BinderKey, Infer, Target};
use crate::codes;
use crate::lang::types::{Ty, Type};

impl Infer<'_> {
    /// Checks a pattern against the type of the scrutinee, and binds its names.
    pub(super) fn pattern(&mut self, id: PatternId, looked_at: &Ty) {
        let item = self.item;
        let pattern = item.pattern(id);
        match &pattern.kind {
            PatternKind::Missing | PatternKind::Wildcard => {}
            PatternKind::Name(name) => {
                let expr = *self.table.shallow(looked_at) == Type::Expr;
                if expr && self.rise_knows(name) && self.lookup(name).is_none() {
                    self.function_in_pattern(name, pattern.span);
                    return self.term_pattern_name(name, pattern.span);
                }
                self.bind(
                    name,
                    BinderKey::Pattern(id),
                    looked_at.clone(),
                    pattern.span,
                );
            }
            PatternKind::Literal(literal) => self.literal_pattern(id, literal, looked_at),
            PatternKind::String(_) => self.pattern_fits(id, &Arc::new(Type::String), looked_at),
            PatternKind::List(members) => {
                let elem = self.table.open();
                self.pattern_fits(id, &Arc::new(Type::List(elem.clone())), looked_at);
                members
                    .iter()
                    .for_each(|&member| self.pattern(member, &elem));
            }
            PatternKind::Cons(head, tail) => {
                let elem = self.table.open();
                let list = Arc::new(Type::List(elem.clone()));
                self.pattern_fits(id, &list, looked_at);
                self.pattern(*head, &elem);
                self.pattern(*tail, &list);
            }
            PatternKind::Success(inner) => {
                self.pattern_fits(id, &Arc::new(Type::Result), looked_at);
                self.pattern(*inner, &Arc::new(Type::Expr));
            }
            PatternKind::Failure(inner) => {
                self.pattern_fits(id, &Arc::new(Type::Result), looked_at);
                self.pattern(*inner, &Type::strategy());
            }
            PatternKind::Node(node, parts) => self.node_pattern(id, *node, parts, looked_at),
            PatternKind::Term(term) => {
                let span = pattern.span;
                let binders = self.pattern_binders(*term);
                let metavariables = self.rule_terms(&[*term], span);
                self.functions_as_values(*term);
                self.pattern_fits(id, &Arc::new(Type::Expr), looked_at);
                let expr = Arc::new(Type::Expr);
                for (name, at) in binders {
                    self.bind(&name.clone(), BinderKey::Meta(id, name), expr.clone(), at);
                }
                for (name, at) in metavariables {
                    let plain = name.strip_prefix('?').unwrap_or(&name);
                    let ty = self.metavariable_type(*term, &name);
                    self.bind(&plain.into(), BinderKey::Meta(id, name), ty, at);
                }
            }
        }
    }

    fn pattern_fits(&mut self, id: PatternId, of: &Ty, looked_at: &Ty) {
        if self.table.fits(looked_at, of) {
            return;
        }
        let (of, looked_at) = (self.text(of), self.text(looked_at));
        let span = self.item.pattern(id).span;
        let message = format!(
            "this pattern matches a value of type {of}, and the value has the type {looked_at}"
        );
        self.error(rise::codes::TYPE_MISMATCH, span, message);
    }

    /// Records the use of a name of RISE, which matches itself.
    fn term_pattern_name(&mut self, name: &syntax::ast::Name, span: syntax::Span) {
        let target = match self.env.rise().resolve(name) {
            rise::Resolution::Def(id, _) => Some(Target::Program(id)),
            _ => rise::Primitive::from_name(name).map(Target::Primitive),
        };
        if let Some(target) = target {
            self.used(span, target);
        }
    }

    fn literal_pattern(&mut self, id: PatternId, literal: &Literal, looked_at: &Ty) {
        let expr = *self.table.shallow(looked_at) == Type::Expr;
        let of = match literal {
            _ if expr => Arc::new(Type::Expr),
            Literal::Bool(_) => Arc::new(Type::Bool),
            Literal::Int { suffix: None, .. } => {
                if matches!(*self.table.shallow(looked_at), Type::Nat) {
                    return;
                }
                self.table.number()
            }
            _ => Arc::new(Type::Expr),
        };
        self.pattern_fits(id, &of, looked_at);
    }

    fn node_pattern(&mut self, id: PatternId, node: Node, parts: &[PatternId], looked_at: &Ty) {
        let expr = Arc::new(Type::Expr);
        self.pattern_fits(id, &expr, looked_at);
        if parts.len() != node.arity() {
            let span = self.item.pattern(id).span;
            let message = format!(
                "a pattern `{}` has {} parts, found {}",
                node.as_str(),
                node.arity(),
                parts.len()
            );
            self.error(rise::codes::TYPE_MISMATCH, span, message);
        }
        for (index, &part) in parts.iter().enumerate() {
            // The argument in `depapp(f, …)` and the variable of `depfun` are type-level: a size, a
            // type or an address space.
            let ty = match (node, index) {
                (Node::DepApp, 1) | (Node::DepFun, 0) => Arc::new(Type::Nat),
                _ => expr.clone(),
            };
            self.pattern(part, &ty);
        }
    }

    /// Warns of the first case after one that always matches.
    pub(super) fn unreachable_cases(&mut self, cases: &[Case]) {
        let always = cases.iter().position(|case| {
            case.guard.is_none()
                && match &self.item.pattern(case.pattern).kind {
                    PatternKind::Wildcard => true,
                    PatternKind::Name(name) => !self.rise_knows(name),
                    _ => false,
                }
        });
        if let Some(always) = always
            && let Some(next) = cases.get(always + 1)
        {
            let first = cases[always].span;
            let diagnostic = self.say(
                Severity::Warning,
                codes::UNREACHABLE_CASE,
                next.span,
                "this case is never reached",
            );
            let taken = diagnostic.clone();
            *diagnostic = taken.related(first, "this case matches everything");
        }
    }
}
