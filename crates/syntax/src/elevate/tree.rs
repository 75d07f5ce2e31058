//! Traverses the expressions of an item, and collects its RISE terms.

use super::ast::{
    Alt, ClauseKind, CondId, CondKind, Expect, ExprId, ExprKind, Item, ItemKind, Param, PredBody,
    RangeKind, RangeStep,
};
use crate::ast::TermId;

impl ExprKind {
    /// Visits the children that are expressions, in the order of the text, including defaults of
    /// parameters and guards, and then the conditions of an anonymous rule.
    pub(super) fn children(
        &self,
        params: &[Param],
        mut visit: impl FnMut(ExprId),
        mut visit_condition: impl FnMut(CondId),
    ) {
        match self {
            ExprKind::Missing
            | ExprKind::Hole
            | ExprKind::Name(_)
            | ExprKind::Literal(_)
            | ExprKind::String(_)
            | ExprKind::Address(_)
            | ExprKind::Type(_)
            | ExprKind::Rise(_) => {}
            ExprKind::Call { callee, args } => {
                visit(*callee);
                args.iter().for_each(|arg| visit(arg.value));
            }
            ExprKind::Member { object: a, .. }
            | ExprKind::Neg(a)
            | ExprKind::Not(a)
            | ExprKind::Paren(a) => visit(*a),
            ExprKind::Binary { lhs: a, rhs: b, .. }
            | ExprKind::With {
                normal_form: a,
                body: b,
            } => {
                visit(*a);
                visit(*b);
            }
            ExprKind::Lambda {
                params: bound,
                body,
            } => {
                bound
                    .iter()
                    .filter_map(|param| params[param.0 as usize].default)
                    .for_each(&mut visit);
                visit(*body);
            }
            ExprKind::Match { scrutinee, cases } => {
                visit(*scrutinee);
                for case in cases {
                    case.guard.into_iter().for_each(&mut visit);
                    visit(case.body);
                }
            }
            ExprKind::If {
                condition,
                then,
                otherwise,
            } => [condition, then, otherwise]
                .into_iter()
                .for_each(|&id| visit(id)),
            ExprKind::List { elements, .. } | ExprKind::Tuple(elements) => {
                elements.iter().for_each(|&element| visit(element));
            }
            ExprKind::Rule(alts) => {
                let clauses = alts.iter().flat_map(|alt| &alt.clauses);
                clauses.for_each(|clause| match clause.kind {
                    ClauseKind::Let { .. } => {}
                    ClauseKind::Where(cond)
                    | ClauseKind::Requires(cond)
                    | ClauseKind::Assuming(cond) => visit_condition(cond),
                });
            }
        }
    }
}

impl Item {
    /// Visits the children of an expression that are expressions, in the order of the text,
    /// including defaults of parameters, guards, and strategies in the conditions of an anonymous
    /// rule.
    pub fn children(&self, id: ExprId, mut visit: impl FnMut(ExprId)) {
        let mut strategies = Vec::new();
        let condition = |cond| self.strategies_in(cond, &mut |strategy| strategies.push(strategy));
        self.expr(id)
            .kind
            .children(&self.params, &mut visit, condition);
        strategies.into_iter().for_each(visit);
    }

    /// Visits the strategies of `holds` in a condition.
    fn strategies_in(&self, id: CondId, visit: &mut dyn FnMut(ExprId)) {
        match self.cond(id).kind {
            CondKind::Or(a, b) | CondKind::And(a, b) => {
                self.strategies_in(a, visit);
                self.strategies_in(b, visit);
            }
            CondKind::Not(a) | CondKind::Paren(a) => self.strategies_in(a, visit),
            CondKind::Holds { strategy, .. } => visit(strategy),
            _ => {}
        }
    }

    /// Returns the RISE terms that are not a part of another RISE term, in the order of the text:
    /// the sides of rules, patterns, `rise { … }`, abstractions, programs of examples, the operands
    /// of conditions, sizes in clauses and ranges, and types as arguments. Terms in attributes are
    /// not included.
    pub fn roots(&self) -> Vec<TermId> {
        let mut roots = Vec::new();
        match &self.kind {
            ItemKind::Rule { alts, .. } => self.roots_of_alts(alts, &mut roots),
            ItemKind::Pred {
                body: PredBody::Patterns(patterns),
                ..
            } => roots.extend(patterns),
            ItemKind::Tune {
                range: Some(range), ..
            } => match &range.kind {
                RangeKind::Between { from, to, step } => {
                    roots.extend([*from, *to]);
                    roots.extend(step.map(|step| match step {
                        RangeStep::Add(by) | RangeStep::Times(by) => by,
                    }));
                }
                RangeKind::Divisors(size) => roots.push(*size),
                RangeKind::Set(sizes) => roots.extend(sizes),
            },
            ItemKind::Example { input, expect, .. } => {
                roots.push(*input);
                if let Expect::Program(program) = expect {
                    roots.push(*program);
                }
            }
            _ => {}
        }
        for cond in &self.conds {
            match &cond.kind {
                CondKind::Divides {
                    divisor: a,
                    size: b,
                }
                | CondKind::Compare { lhs: a, rhs: b, .. }
                | CondKind::NotIn { name: a, term: b }
                | CondKind::HasType { term: a, ty: b } => roots.extend([*a, *b]),
                CondKind::Property { args, .. } => roots.extend(args),
                CondKind::HasKind { term: a, .. } | CondKind::Holds { term: a, .. } => {
                    roots.push(*a);
                }
                _ => {}
            }
        }
        for expr in &self.exprs {
            match &expr.kind {
                ExprKind::Type(term) | ExprKind::Rise(term) => roots.push(*term),
                ExprKind::Rule(alts) => self.roots_of_alts(alts, &mut roots),
                _ => {}
            }
        }
        roots.extend(
            self.patterns
                .iter()
                .filter_map(|pattern| match pattern.kind {
                    super::ast::PatternKind::Term(term) => Some(term),
                    _ => None,
                }),
        );
        roots.sort_by_key(|&root| (self.term(root).span.start, root));
        roots
    }

    fn roots_of_alts(&self, alts: &[Alt], roots: &mut Vec<TermId>) {
        for alt in alts {
            roots.extend([alt.lhs, alt.rhs]);
            roots.extend(alt.clauses.iter().filter_map(|clause| match clause.kind {
                ClauseKind::Let { value, .. } => Some(value),
                _ => None,
            }));
        }
    }
}
