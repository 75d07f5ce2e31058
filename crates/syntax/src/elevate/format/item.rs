//! Lays out items, rules with their clauses, conditions, types and parameters.

use super::ItemLayout;
use crate::TokenKind;
use crate::ast::{TermId, TermKind};
use crate::elevate::ast::{
    Alt, Clause, ClauseKind, CondId, CondKind, Expect, ExprId, ItemKind, ParamId, ParamList,
    PredBody, RangeKind, RangeStep, TypeId, TypeKind,
};
use crate::format::source::Layout;

impl ItemLayout<'_> {
    pub(super) fn item(&mut self) {
        let item = self.item;
        self.writer.annotations(&item.attributes);
        match &item.kind {
            ItemKind::Import { .. } | ItemKind::Language { .. } | ItemKind::Traversal { .. } => {
                self.word_space();
                self.word();
            }
            ItemKind::Rule {
                params,
                alts,
                unsafe_word,
                ..
            } => {
                if unsafe_word.is_some() {
                    self.word_space();
                }
                self.rule(params, alts);
            }
            ItemKind::Strategy {
                type_params,
                params,
                ty,
                body,
                ..
            } => {
                self.name();
                if !type_params.is_empty() {
                    self.list(type_params.len(), |layout, _| layout.word());
                }
                self.param_lists(params);
                self.annotation(*ty, !params.is_empty() || !type_params.is_empty());
                self.definition(*body);
            }
            ItemKind::Val { ty, body, .. } => {
                self.name();
                self.annotation(*ty, false);
                self.definition(*body);
            }
            ItemKind::Pred { params, body, .. } => {
                self.name();
                self.param_lists(params);
                match body {
                    PredBody::Strategy(body) => self.definition(*body),
                    PredBody::Patterns(patterns) => {
                        self.space();
                        self.word_space();
                        self.braces(patterns.len(), true, |layout, at| layout.side(patterns[at]));
                    }
                }
            }
            ItemKind::NormalForm { params, body, .. } => {
                self.name();
                self.param_lists(params);
                self.definition(*body);
            }
            ItemKind::Tune { .. } => self.tune(),
            ItemKind::Example { .. } => self.example(),
            ItemKind::Main { expr } => self.expr(*expr),
            ItemKind::Stray => self.writer.words_until(u32::MAX),
        }
    }

    /// Writes a keyword and the name that it defines.
    fn name(&mut self) {
        self.word_space();
        self.word();
    }

    /// Writes ` = body`.
    fn definition(&mut self, body: ExprId) {
        self.space();
        self.word();
        self.right_side(body);
    }

    /// Writes `: t`, after a space unless `touches`; writes nothing without a type.
    fn annotation(&mut self, ty: Option<TypeId>, touches: bool) {
        if let Some(ty) = ty {
            if !touches {
                self.space();
            }
            self.word_space();
            self.ty(ty);
        }
    }

    pub(super) fn param_lists(&mut self, lists: &[ParamList]) {
        for list in lists {
            self.list(list.params.len(), |layout, at| {
                layout.param(list.params[at]);
            });
        }
    }

    /// Writes a parameter `x: t = e`.
    pub(super) fn param(&mut self, id: ParamId) {
        let item = self.item;
        let param = item.param(id);
        self.word();
        self.annotation(param.ty, true);
        if let Some(default) = param.default {
            self.space();
            self.word_space();
            self.expr(default);
        }
    }

    fn ty(&mut self, id: TypeId) {
        let item = self.item;
        match &item.ty(id).kind {
            TypeKind::Missing | TypeKind::Name(_) => self.word(),
            TypeKind::Apply { args, .. } => {
                self.word();
                self.list(args.len(), |layout, at| layout.ty(args[at]));
            }
            TypeKind::Arrow(from, to) => {
                self.ty(*from);
                self.space();
                self.word_space();
                self.ty(*to);
            }
            TypeKind::Tuple(parts) => {
                self.list(parts.len(), |layout, at| layout.ty(parts[at]));
            }
        }
    }

    /// Writes `rule name(params) = left |-> right clauses`, where alternatives in braces or `_` may
    /// be on the right of the `=`.
    fn rule(&mut self, params: &[ParamList], alts: &[Alt]) {
        self.writer.open();
        self.name();
        self.param_lists(params);
        self.space();
        self.word();
        if self.writer.kind() == TokenKind::LBrace {
            self.writer.out.close();
            self.space();
            return self.alts(alts);
        }
        self.writer.out.indent();
        self.line();
        match alts {
            [alt] => self.alt(alt),
            _ => self.word(),
        }
        self.writer.out.dedent();
        self.writer.out.close();
    }

    /// Writes alternatives in braces, `{ alt | alt }`.
    pub(super) fn alts(&mut self, alts: &[Alt]) {
        self.braces(alts.len(), true, |layout, at| {
            layout.group(|layout| layout.alt(&alts[at]));
        });
    }

    /// Writes the sides of an alternative on one line or two, and each clause on its own line if
    /// the enclosing group breaks.
    fn alt(&mut self, alt: &Alt) {
        let group = self.writer.open();
        self.side(alt.lhs);
        self.writer.out.indent_if_broken(group);
        self.line();
        self.word_space();
        self.writer.term(alt.rhs);
        self.writer.out.dedent_if_broken(group);
        self.writer.out.close();
        for clause in &alt.clauses {
            self.line();
            self.clause(clause);
        }
    }

    /// Writes the left-hand side of a rule or another RISE pattern, perhaps with a type after it.
    pub(super) fn side(&mut self, id: TermId) {
        let item = self.item;
        let span = item.term(id).span;
        match item.term(id).kind {
            TermKind::Ascribe { term, ty } if item.term(term).span.start == span.start => {
                self.writer.term(term);
                self.space();
                self.word_space();
                self.writer.term(ty);
            }
            _ => self.writer.term(id),
        }
    }

    fn clause(&mut self, clause: &Clause) {
        self.word_space();
        match clause.kind {
            ClauseKind::Let { value, .. } => {
                self.word_space();
                self.word_space();
                self.writer.term(value);
            }
            ClauseKind::Where(cond) | ClauseKind::Requires(cond) | ClauseKind::Assuming(cond) => {
                self.whole_cond(cond);
            }
        }
    }

    /// Writes a condition as a group, whose parts break together.
    fn whole_cond(&mut self, id: CondId) {
        let group = self.writer.open();
        self.writer.out.indent_if_broken(group);
        self.cond(id);
        self.writer.out.dedent_if_broken(group);
        self.writer.out.close();
    }

    fn cond(&mut self, id: CondId) {
        let item = self.item;
        match &item.cond(id).kind {
            CondKind::Missing => {}
            CondKind::Or(a, b) | CondKind::And(a, b) => {
                self.cond(*a);
                self.line();
                self.word_space();
                self.cond(*b);
            }
            CondKind::Not(a) => {
                let sign = self.writer.kind() == TokenKind::Bang;
                self.word();
                if !sign {
                    self.space();
                }
                self.cond(*a);
            }
            CondKind::Paren(a) => {
                self.word();
                self.whole_cond(*a);
                self.word();
            }
            CondKind::Divides {
                divisor: a,
                size: b,
            }
            | CondKind::Compare { lhs: a, rhs: b, .. }
            | CondKind::NotIn { name: a, term: b }
            | CondKind::HasType { term: a, ty: b } => {
                self.writer.term(*a);
                self.space();
                self.word_space();
                self.writer.term(*b);
            }
            CondKind::HasKind { term, .. } => {
                self.writer.term(*term);
                self.space();
                self.word_space();
                self.word();
            }
            CondKind::Property { args, .. } => {
                self.word();
                self.list(args.len(), |layout, at| layout.writer.term(args[at]));
            }
            CondKind::Holds { strategy, term } => {
                self.word();
                self.list(2, |layout, at| match at {
                    0 => layout.expr(*strategy),
                    _ => layout.writer.term(*term),
                });
            }
        }
    }

    /// Writes `tune s : Nat in 1..64 = 32 where condition`.
    fn tune(&mut self) {
        let item = self.item;
        let ItemKind::Tune {
            ty,
            range,
            condition,
            value,
            ..
        } = &item.kind
        else {
            return;
        };
        self.name();
        self.annotation(*ty, false);
        if let Some(range) = range {
            self.space();
            self.word_space();
            self.range(&range.kind);
        }
        if let Some(value) = value {
            self.space();
            self.word_space();
            self.expr(*value);
        }
        if let Some(condition) = condition {
            self.space();
            self.word_space();
            self.whole_cond(*condition);
        }
    }

    fn range(&mut self, range: &RangeKind) {
        match range {
            RangeKind::Between { from, to, step } => {
                self.writer.term(*from);
                self.word();
                self.writer.term(*to);
                if let Some(RangeStep::Add(by) | RangeStep::Times(by)) = step {
                    self.space();
                    self.word_space();
                    self.writer.term(*by);
                }
            }
            RangeKind::Divisors(size) => {
                self.word();
                self.list(1, |layout, _| layout.writer.term(*size));
            }
            RangeKind::Set(sizes) => {
                self.list(sizes.len(), |layout, at| layout.writer.term(sizes[at]));
            }
        }
    }

    /// Writes `example "title" { … }` with each field on its own line.
    fn example(&mut self) {
        let item = self.item;
        let ItemKind::Example {
            title,
            input,
            apply,
            expect,
            modulo,
        } = &item.kind
        else {
            return;
        };
        self.word_space();
        if title.is_some() {
            self.word_space();
        }
        self.writer.open();
        self.writer.out.break_parent();
        self.word();
        self.writer.out.indent();
        self.line();
        self.word();
        self.below(|layout| layout.writer.term(*input));
        self.line();
        self.word();
        self.right_side(*apply);
        self.line();
        self.word();
        match expect {
            Expect::Program(program) => self.below(|layout| layout.writer.term(*program)),
            Expect::Failure(_) => {
                self.space();
                self.word();
            }
            Expect::Trace(rules, _) => {
                self.space();
                self.word_space();
                self.list(rules.len(), |layout, _| layout.word());
            }
        }
        if modulo.is_some() {
            self.line();
            self.word_space();
            self.word();
        }
        self.writer.out.dedent();
        self.line();
        self.word();
        self.writer.out.close();
    }
}
