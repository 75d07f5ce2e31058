//! Obligations: conditions on sizes, which are collected and assumed during inference and decided
//! at the end.

use std::rc::Rc;

use nat::{Facts, Nat, Prop, Var, Verdict};
use syntax::{Diagnostic, Severity, Span};

use syntax::ast::TermId;

use super::Infer;
use crate::codes;
use crate::subst::subst_prop;
use crate::types::{Names, Obligation, Pi};

/// A condition that is not decided yet.
#[derive(Clone, Debug)]
pub(super) struct PendingObligation {
    pub prop: Prop,
    pub span: Span,
    /// True if it is written with `@assume` or `where`, so that it is not reported as information.
    pub written: bool,
    /// The origin of the condition, which describes it better than its own terms.
    pub source: Option<ConditionOrigin>,
    /// The called function that chooses the value of the size that the condition is about, because
    /// it takes a function over this size as an argument. Its type does not state the condition.
    pub taken_by: Option<TermId>,
}

/// The origin of a condition, for messages about it.
#[derive(Clone, Debug)]
pub(super) enum ConditionOrigin {
    /// The condition of a callee's scheme.
    Scheme(SchemeCondition),
    /// A fixed description.
    Words {
        words: &'static str,
        /// The functions that are wrong if the condition fails; other failures in them are not
        /// reported.
        functions: Option<Span>,
    },
}

impl ConditionOrigin {
    /// Returns the span of the functions that are wrong if the condition fails, if they are known.
    fn functions(&self) -> Option<Span> {
        match self {
            ConditionOrigin::Words { functions, .. } => *functions,
            ConditionOrigin::Scheme(_) => None,
        }
    }
}

/// A condition of a callee's scheme and its instance.
#[derive(Clone, Debug)]
pub(super) struct SchemeCondition {
    pub head: TermId,
    /// The condition over the variables of the callee's type, which have the names in `names`.
    pub prop: Prop,
    pub names: Names,
    /// The condition over the variables that were made for this use.
    pub here: Prop,
}

/// A cache of the facts that follow from the conditions so far, without those on bound indices.
#[derive(Default)]
pub(super) struct FactCache(Option<Rc<Facts>>);

impl FactCache {
    pub fn forget(&mut self) {
        self.0 = None;
    }

    /// Adds a condition to the cached facts; it must have been recorded after all others.
    fn learn(&mut self, prop: &Prop) {
        if let Some(facts) = &mut self.0 {
            Rc::make_mut(facts).assume(prop);
        }
    }
}

impl Infer<'_> {
    /// Records a condition on sizes that the term at `span` requires.
    pub(super) fn require(&mut self, prop: Prop, span: Span) {
        self.note_condition(prop, span, false, None);
    }

    pub(super) fn note_condition(
        &mut self,
        prop: Prop,
        span: Span,
        written: bool,
        source: Option<ConditionOrigin>,
    ) {
        self.add_obligation(PendingObligation {
            prop,
            span,
            written,
            source,
            taken_by: None,
        });
    }

    pub(super) fn add_obligation(&mut self, pending: PendingObligation) {
        let prop = self.table.prop(&pending.prop);
        if plainly_true(&prop) {
            return;
        }
        prop.for_each_var(&mut |v| {
            self.obligation_vars.insert(v);
        });
        if !plainly_false(&prop) && self.inner_vars(&prop).is_empty() {
            self.facts.learn(&prop);
        }
        self.obligations.push(PendingObligation { prop, ..pending });
    }

    /// Returns true if the variable is bound inside the item's value and not by its type.
    fn is_inner(&self, var: Var) -> bool {
        self.table.info(var).inner
    }

    pub(super) fn inner_vars(&self, prop: &Prop) -> Vec<Var> {
        let mut inner = Vec::new();
        prop.for_each_var(&mut |v| {
            if self.is_inner(v) && !inner.contains(&v) {
                inner.push(v);
            }
        });
        inner
    }

    /// Returns the facts that hold where these variables are in scope: the conditions that mention
    /// no other bound index, and the ranges of those of the variables that are bound indices.
    pub(super) fn facts_for(&mut self, vars: &[Var]) -> Rc<Facts> {
        let base = match &self.facts.0 {
            Some(base) => base.clone(),
            None => {
                let mut facts = Facts::new();
                for pending in &self.obligations {
                    let prop = self.table.prop(&pending.prop);
                    if self.inner_vars(&prop).is_empty() && !plainly_false(&prop) {
                        facts.assume(&prop);
                    }
                }
                let base = Rc::new(facts);
                self.facts.0 = Some(base.clone());
                base
            }
        };
        let inner: Vec<Var> = vars.iter().copied().filter(|&v| self.is_inner(v)).collect();
        if inner.is_empty() {
            return base;
        }
        let mut facts = (*base).clone();
        self.assume_ranges(&mut facts, &inner);
        for pending in &self.obligations {
            let prop = self.table.prop(&pending.prop);
            let needs = self.inner_vars(&prop);
            if !needs.is_empty() && needs.iter().all(|v| inner.contains(v)) {
                facts.assume(&prop);
            }
        }
        Rc::new(facts)
    }

    /// Returns the indices of a condition in dependency order: each after those that its range
    /// mentions.
    fn indices_of(&self, prop: &Prop) -> Vec<Var> {
        let mut ordered = Vec::new();
        let mut waiting = self.inner_vars(prop);
        while let Some(var) = waiting.pop() {
            ordered.retain(|&v| v != var);
            ordered.push(var);
            let mut wait_for = |v| {
                if self.is_inner(v) && v != var && !waiting.contains(&v) {
                    waiting.push(v);
                }
            };
            if let Some(range) = self.range(var) {
                range.for_each_var(&mut wait_for);
            }
            for prop in self.table.info(var).assumed.iter() {
                self.table.prop(prop).for_each_var(&mut wait_for);
            }
        }
        ordered.reverse();
        ordered
    }

    /// Returns the exclusive upper bound of an index, in which the sizes that the function of an
    /// `iterate` binds are substituted; `None` if the index has no bound.
    fn range(&self, var: Var) -> Option<Nat> {
        let range = self.table.info(var).range.as_ref()?;
        let mut range = self.table.nat(range);
        for _ in 0..syntax::MAX_DEPTH {
            if !range.any_var(&|v| self.table.info(v).values.is_some()) {
                break;
            }
            range = range.subst(&|v| self.values(v));
        }
        Some(range)
    }

    fn values(&self, var: Var) -> Option<Nat> {
        let values = self.table.info(var).values.as_ref()?;
        Some(self.table.nat(values))
    }

    /// Substitutes sizes that are functions of the iteration of an `iterate`. Those of an inner
    /// `iterate` may mention those of an outer one, so this is repeated.
    pub(super) fn with_values(&self, prop: &Prop) -> Prop {
        let mut prop = prop.clone();
        for _ in 0..syntax::MAX_DEPTH {
            let mut found = false;
            prop.for_each_var(&mut |v| found |= self.table.info(v).values.is_some());
            if !found {
                break;
            }
            prop = prop.subst(&|v| self.values(v));
        }
        prop
    }

    /// Returns the conditions on sizes that are functions of the iteration of an `iterate`, before
    /// substitution. Equations are omitted: simplification under them could replace another size by
    /// such a size in types outside of the `iterate`, where it is not in scope.
    pub(super) fn conditions_of_rounds(&self) -> Vec<Prop> {
        let said = self.obligations.iter().map(|p| self.table.prop(&p.prop));
        let of_rounds = |prop: &Prop| {
            let mut found = false;
            if matches!(prop, Prop::Equal(..)) {
                return false;
            }
            prop.for_each_var(&mut |v| found |= self.table.info(v).values.is_some());
            found
        };
        said.filter(of_rounds).collect()
    }

    /// Returns the condition for the first iteration only, if the condition has exactly one bound
    /// index and the first iteration implies all others; otherwise the condition itself.
    fn of_first_round(&self, prop: Prop, facts: &Facts) -> Prop {
        let [round] = self.inner_vars(&prop)[..] else {
            return prop;
        };
        let first = prop.subst(&|v| (v == round).then(|| Nat::constant(0)));
        let mut with_first = facts.clone();
        self.assume_ranges(&mut with_first, &[round]);
        with_first.assume(&first);
        match with_first.proves(&prop) {
            true => first,
            false => prop,
        }
    }

    fn assume_ranges(&self, facts: &mut Facts, vars: &[Var]) {
        for &var in vars {
            if let Some(range) = self.range(var) {
                facts.range(var, &Nat::constant(0), &range);
            }
            for prop in self.table.info(var).assumed.iter() {
                facts.assume(&self.table.prop(prop));
            }
        }
    }

    /// Records that the conditions of a parameter hold for the variable that it is instantiated
    /// with.
    pub(super) fn assume_conditions_of(&mut self, pi: &Pi, var: Var) {
        if pi.conditions.is_empty() {
            return;
        }
        let arg = self.var_as_arg(var, pi.kind);
        let put = |v: Var| (v == pi.var).then(|| arg.clone());
        self.table.update(var).assumed = pi.map_conditions(|prop| subst_prop(prop, &put));
    }

    /// Decides every condition: proves it, reports it as an error, or keeps it as an obligation. An
    /// undecided condition is an error if it is on a bound variable without a range. Returns each
    /// kept one with true if it was written in the source.
    pub(super) fn judge_obligations(&mut self) -> Vec<(Obligation, bool)> {
        let mut facts = Facts::new();
        let mut kept: Vec<(Obligation, bool)> = Vec::new();
        let mut all = std::mem::take(&mut self.obligations);
        // Functions that are reported as wrong: other failures in them follow from the same
        // mistake.
        let mut wrong: Vec<Span> = Vec::new();
        // Written conditions come first and are kept as written; conditions that follow from them
        // are dropped.
        all.sort_by_key(|pending| !pending.written);
        for pending in all {
            let said = self.table.prop(&pending.prop);
            let prop = self.with_values(&said);
            if self.failed() && self.mentions_unknown(&prop) {
                continue;
            }
            let mut here = facts.clone();
            let prop = match prop == said {
                true => prop,
                false => self.of_first_round(prop, &here),
            };
            let inner = self.indices_of(&prop);
            self.assume_ranges(&mut here, &inner);
            if here.proves(&prop) {
                continue;
            }
            if here.excludes(&prop) && pending.written {
                self.contradiction(&prop, pending.span, &kept);
                continue;
            }
            if here.excludes(&prop) {
                wrong.extend(pending.source.as_ref().and_then(ConditionOrigin::functions));
                self.condition_fails(&prop, pending.span, pending.source.as_ref());
                continue;
            }
            if self.fails_at_an_end(&here, &prop, &inner)
                || (self.is_ground(&prop) && matches!(here.prove(&prop), Verdict::Refuted(_)))
            {
                let words = pending
                    .source
                    .filter(|s| matches!(s, ConditionOrigin::Words { .. }));
                wrong.extend(words.as_ref().and_then(ConditionOrigin::functions));
                let whole = self.quantified(prop, inner);
                self.condition_fails(&whole, pending.span, words.as_ref());
                continue;
            }
            if inner.iter().any(|&v| self.unbounded(v)) {
                if self.failed() {
                    continue;
                }
                match here.prove(&prop) {
                    Verdict::Refuted(witness) => {
                        self.condition_not_general(&prop, &pending, &witness);
                    }
                    _ => self.condition_unknown(&prop, &pending),
                }
                continue;
            }
            let prop = self.quantified(prop, inner);
            // Drops the other owner, so that assuming does not copy the facts.
            drop(here);
            facts.assume(&prop);
            let obligation = Obligation {
                prop,
                span: pending.span,
            };
            kept.push((obligation, pending.written));
        }
        drop_implied(&mut kept);
        self.diagnostics.retain(|found| {
            let is_condition =
                [codes::OBLIGATION_FAILS, codes::NEGATIVE_SIZE].contains(&found.code);
            !is_condition || !wrong.iter().any(|functions| functions.contains(found.span))
        });
        kept
    }

    /// Returns true if a condition on exactly one bound index with a range fails at the first or
    /// last value of the index for all ranges that are not empty.
    fn fails_at_an_end(&self, facts: &Facts, prop: &Prop, inner: &[Var]) -> bool {
        let [index] = inner else { return false };
        let Some(range) = self.range(*index) else {
            return false;
        };
        let mut facts = facts.clone();
        facts.assume(&Prop::AtLeast(range.clone(), Nat::constant(1)));
        [Nat::constant(0), Nat::sub(&range, &Nat::constant(1))]
            .into_iter()
            .any(|end| facts.excludes(&prop.subst(&|v| (v == *index).then(|| end.clone()))))
    }

    /// Returns true if every variable in the condition is a bound index with a range of known,
    /// positive length.
    fn is_ground(&self, prop: &Prop) -> bool {
        let mut ground = true;
        prop.for_each_var(&mut |v| {
            let range = self.range(v);
            ground &= self.is_inner(v) && range.is_some_and(|n| n.as_const() > Some(0));
        });
        ground
    }

    /// Returns true if the condition mentions an unsolved unification variable.
    fn mentions_unknown(&self, prop: &Prop) -> bool {
        let mut found = false;
        prop.for_each_var(&mut |v| found |= self.table.is_open(v));
        found
    }

    fn unbounded(&self, var: Var) -> bool {
        self.table.info(var).range.is_none()
    }

    /// Quantifies a condition over the whole ranges of its bound indices.
    fn quantified(&self, prop: Prop, inner: Vec<Var>) -> Prop {
        inner.into_iter().rev().fold(prop, |prop, var| {
            let to = self.range(var).unwrap_or_else(|| Nat::constant(0));
            Prop::for_all(var, Nat::constant(0), to, prop)
        })
    }

    /// Adds a diagnostic of severity information for each place that assumes conditions which are
    /// not written in the text.
    pub(super) fn report_assumed_conditions(&mut self, kept: &[Obligation], written: Vec<bool>) {
        let mut places: Vec<(Span, Vec<String>)> = Vec::new();
        let unwritten = kept.iter().zip(written).filter(|(_, written)| !written);
        for (obligation, _) in unwritten {
            let text = self.show_prop(&obligation.prop);
            match places.iter_mut().find(|(span, _)| *span == obligation.span) {
                Some((_, texts)) if texts.contains(&text) => {}
                Some((_, texts)) => texts.push(text),
                None => places.push((obligation.span, vec![text])),
            }
        }
        for (span, texts) in places {
            let message = format!("assumes {}", texts.join(", "));
            let mut remark =
                Diagnostic::new(Severity::Information, codes::OBLIGATION, span, message);
            remark.help = Some("the condition is checked before each run, and each use of the definition must meet it".into());
            self.diagnostics.push(remark);
        }
    }
}

/// Drops conditions that are not written in the text and follow from the others, as `n >= 3` does
/// from a later `n >= 5`. (Those that follow from earlier ones were never kept.)
fn drop_implied(kept: &mut Vec<(Obligation, bool)>) {
    let mut index = 0;
    // The last condition has none after it, and a condition that shares no size with others does
    // not follow from them.
    while index + 1 < kept.len() {
        let this = &kept[index].0.prop;
        let others = kept.iter().enumerate().filter(|(at, _)| *at != index);
        if !others
            .map(|(_, (o, _))| &o.prop)
            .any(|o| share_a_size(this, o))
        {
            index += 1;
            continue;
        }
        let mut facts = Facts::new();
        for (at, (other, _)) in kept.iter().enumerate() {
            if at != index {
                facts.assume(&other.prop);
            }
        }
        let (obligation, written) = &kept[index];
        if !written && facts.proves(&obligation.prop) {
            kept.remove(index);
        } else {
            index += 1;
        }
    }
}

fn share_a_size(a: &Prop, b: &Prop) -> bool {
    let mut found = false;
    a.for_each_var(&mut |v| found = found || b.mentions(v));
    found
}

fn plainly_true(prop: &Prop) -> bool {
    match prop {
        Prop::AtLeast(a, b) => match (a.as_const(), b.as_const()) {
            (Some(a), Some(b)) => a >= b,
            (None, Some(b)) => b <= 0 && a.as_var().is_some(),
            _ => false,
        },
        Prop::Divides(a, b) => match (a.as_const(), b.as_const()) {
            (Some(1), _) => true,
            (Some(a), Some(b)) => a > 0 && b % a == 0,
            _ => false,
        },
        Prop::Equal(a, b) => a == b,
        Prop::ForAll { .. } => false,
    }
}

pub(super) fn plainly_false(prop: &Prop) -> bool {
    match prop {
        Prop::AtLeast(a, b) => {
            matches!((a.as_const(), b.as_const()), (Some(a), Some(b)) if a < b)
        }
        Prop::Divides(a, b) => {
            matches!((a.as_const(), b.as_const()), (Some(a), Some(b)) if a <= 0 || b % a != 0)
        }
        Prop::Equal(a, b) => matches!((a.as_const(), b.as_const()), (Some(a), Some(b)) if a != b),
        Prop::ForAll { .. } => false,
    }
}
