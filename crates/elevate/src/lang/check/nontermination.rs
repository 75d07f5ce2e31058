//! Warns of strategies whose syntax shows that they never end, or may never end.

use rustc_hash::FxHashSet;
use syntax::Severity;
use syntax::ast::Name;
use syntax::elevate::ast::{Arg, ExprId, ExprKind, ItemKind, Op, PredBody};

use super::{Infer, Meaning, Resolution};
use crate::codes;
use crate::lang::types::{Flavour, Type};

/// Functions whose result applies the argument to the same term first.
const STARTS_WITH_ARGUMENT: &[&str] = &[
    "try",
    "repeat",
    "normalize",
    "not",
    "topDown",
    "oncetd",
    "alltd",
    "sometd",
    "allTopdown",
    "allTopDown",
    "everywhere",
    "limit",
    "skip",
];

/// Functions whose result never fails.
const NEVER_FAILS: &[&str] = &[
    "try",
    "repeat",
    "normalize",
    "tryAll",
    "alltd",
    "everywhere",
];

/// Functions whose result applies the argument until it fails.
const UNTIL_FAILURE: &[&str] = &["repeat", "normalize", "everywhere"];

impl Infer<'_> {
    /// Warns of endless recursion and endless loops that are visible in the syntax.
    pub(super) fn loops(&mut self) {
        let body = match &self.item.kind {
            ItemKind::Strategy { body, .. }
            | ItemKind::Val { body, .. }
            | ItemKind::NormalForm { body, .. }
            | ItemKind::Pred {
                body: PredBody::Strategy(body),
                ..
            } => Some(*body),
            _ => None,
        };
        if let (Some(body), Some(own)) = (body, self.item.name()) {
            let own = own.name.clone();
            if let Some(at) = self.comes_back(body, &own) {
                let span = self.span(at);
                let message = format!(
                    "`{own}` applies itself to the same program, before it does anything else: it never ends"
                );
                self.say(Severity::Warning, codes::ENDLESS_STRATEGY, span, message)
                    .help = Some(format!(
                    "apply it to a part of the program, as in `one({own}…)`, or after a strategy that may fail, as in `try(s ; {own}…)`"
                ));
            }
        }
        let calls: Vec<(ExprId, Name, ExprId)> = (0..self.item.exprs.len() as u32)
            .map(ExprId)
            .filter_map(|id| self.loop_call(id))
            .collect();
        for (id, name, arg) in calls {
            self.endless_argument(id, &name, arg);
        }
    }

    /// If the expression is a call of a function in [`UNTIL_FAILURE`] with one argument, returns
    /// the expression, the name of the function and the argument.
    fn loop_call(&self, id: ExprId) -> Option<(ExprId, Name, ExprId)> {
        let (name, argument) = self.call_with_one(id, UNTIL_FAILURE)?;
        Some((id, name, argument))
    }

    /// Returns the name of the function and the argument of a call with one argument, if the name
    /// is one of `names` and not a local one; `None` for other expressions.
    pub(super) fn call_with_one(&self, id: ExprId, names: &[&str]) -> Option<(Name, ExprId)> {
        let ExprKind::Call { callee, args } = &self.item.expr(id).kind else {
            return None;
        };
        let name = self.free_name(*callee)?;
        let [Arg { value, .. }] = &args[..] else {
            return None;
        };
        names
            .contains(&name.as_str())
            .then(|| (name.clone(), *value))
    }

    fn endless_argument(&mut self, id: ExprId, name: &Name, arg: ExprId) {
        let span = self.span(arg);
        if self.never_fails(arg) {
            let message = format!("this strategy never fails, so `{name}` applies it for ever");
            self.say(Severity::Warning, codes::ENDLESS_STRATEGY, span, message)
                .help = Some(format!(
                "`{name}` ends when the strategy that it repeats fails"
            ));
            return;
        }
        let ty = self.table.shallow(&self.exprs[arg.0 as usize].clone());
        if name != "normalize"
            && *ty == Type::Strategy(Flavour::Pred)
            && !matches!(self.item.expr(arg).kind, ExprKind::Lambda { .. })
        {
            let message =
                format!("a predicate changes nothing: once it holds, `{name}` applies it for ever");
            self.say(Severity::Warning, codes::ENDLESS_STRATEGY, span, message);
            return;
        }
        let mut seen = FxHashSet::default();
        if let Some(rule) = self.looping_rule(arg, &mut seen) {
            let span = self.span(id);
            let message = format!(
                "`{rule}` is marked `@looping`, which says that it applies to its own result, so `{name}` may never end"
            );
            self.say(Severity::Warning, codes::ENDLESS_STRATEGY, span, message)
                .help = Some(format!("put a guard before the rule: `guard ; {rule}`"));
        }
    }

    /// Returns the name that an expression consists of, apart from parentheses; `None` if it is no
    /// name or a local one.
    pub(super) fn free_name(&self, id: ExprId) -> Option<&Name> {
        match &self.item.expr(id).kind {
            ExprKind::Name(name) => match self.meanings.get(&id) {
                Some(Meaning::Local(_)) => None,
                _ => Some(name),
            },
            ExprKind::Paren(inner) => self.free_name(*inner),
            _ => None,
        }
    }

    /// Returns the expression that applies `own` to the same program as the whole expression,
    /// before anything changes the program; `None` if there is none.
    fn comes_back(&self, id: ExprId, own: &Name) -> Option<ExprId> {
        match &self.item.expr(id).kind {
            ExprKind::Name(_) => (self.free_name(id)? == own).then_some(id),
            ExprKind::Paren(inner) | ExprKind::With { body: inner, .. } => {
                self.comes_back(*inner, own)
            }
            ExprKind::Binary { op, lhs, rhs, .. } => match op {
                Op::Seq | Op::SeqNormal => self.comes_back(*lhs, own).or_else(|| {
                    self.changes_nothing(*lhs)
                        .then(|| self.comes_back(*rhs, own))
                        .flatten()
                }),
                Op::Choice => self
                    .comes_back(*lhs, own)
                    .or_else(|| self.comes_back(*rhs, own)),
                Op::At => None,
                _ => None,
            },
            ExprKind::Call { callee, args } => {
                let mut head = *callee;
                while let ExprKind::Call { callee, .. } = &self.item.expr(head).kind {
                    head = *callee;
                }
                let name = self.free_name(head)?;
                if name == own {
                    return Some(id);
                }
                if !STARTS_WITH_ARGUMENT.contains(&name.as_str()) {
                    return None;
                }
                args.iter().find_map(|arg| self.comes_back(arg.value, own))
            }
            _ => None,
        }
    }

    fn changes_nothing(&self, id: ExprId) -> bool {
        match &self.item.expr(id).kind {
            ExprKind::Paren(inner) => self.changes_nothing(*inner),
            _ => self.free_name(id).is_some_and(|name| name == "id"),
        }
    }

    fn never_fails(&self, id: ExprId) -> bool {
        match &self.item.expr(id).kind {
            ExprKind::Name(_) => self.free_name(id).is_some_and(|name| name == "id"),
            ExprKind::Paren(inner) => self.never_fails(*inner),
            ExprKind::Binary { op, lhs, rhs, .. } => match op {
                Op::Seq | Op::SeqNormal => self.never_fails(*lhs) && self.never_fails(*rhs),
                Op::Choice => self.never_fails(*lhs) || self.never_fails(*rhs),
                _ => false,
            },
            ExprKind::Call { callee, .. } => self
                .free_name(*callee)
                .is_some_and(|name| NEVER_FAILS.contains(&name.as_str())),
            _ => false,
        }
    }

    /// Returns the name of a definition marked `@looping` that the expression is, calls, or has as
    /// an alternative of `<+`; `None` if there is none.
    fn looping_rule(&self, id: ExprId, seen: &mut FxHashSet<ExprId>) -> Option<Name> {
        if !seen.insert(id) {
            return None;
        }
        match &self.item.expr(id).kind {
            ExprKind::Name(_) => {
                let name = self.free_name(id)?;
                match self.env.resolve(name) {
                    Resolution::Item(_, signature) if signature.looping => Some(name.clone()),
                    _ => None,
                }
            }
            ExprKind::Paren(inner) => self.looping_rule(*inner, seen),
            ExprKind::Call { callee, .. } => self.looping_rule(*callee, seen),
            ExprKind::Binary {
                op: Op::Choice,
                lhs,
                rhs,
                ..
            } => self
                .looping_rule(*lhs, seen)
                .or_else(|| self.looping_rule(*rhs, seen)),
            _ => None,
        }
    }
}
