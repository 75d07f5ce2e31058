//! Applies rules, predicates and patterns to terms, instantiates quotations, and unfolds
//! definitions.

use std::sync::Arc;

use nat::Facts;
use rise::types::Arg;

use super::cond::{self, Match};
use super::folding::FoldingContext;
use super::mismatch::{Mismatch, MismatchDetail, MismatchReason};
use super::number_literals::numbers;
use super::pattern::{Pattern, PatternHead};
use super::term_matching::{Bindings, global_of, prefix, structure};
use super::type_matching::{Observation, Solved, Solver, TypeSubstitution, Unsolved};
use super::{
    Alt, Ctx, Host, Matcher, Memo, Output, Predicate, Quotation, Rewritten, Rule, RuleArg, RuleId,
};
use crate::engine::{Assumption, Context};
use crate::term::{Local, Node, Store, Term};

/// Buffers that are reused from one application to the next.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    bound: Bindings,
    slots: Vec<Term>,
    own: Vec<Local>,
    built: Vec<Term>,
}

impl Ctx<'_, '_> {
    /// Returns the store, and the data for matching instances of definition bodies where a pattern
    /// calls the definition.
    fn folds(&mut self) -> (&mut Store, FoldingContext<'_>) {
        let folds = FoldingContext {
            bodies: &mut self.memo.bodies,
            definitions: self.host.definitions,
            facts: self.cx.facts,
            depth: 0,
        };
        (self.cx.store, folds)
    }

    /// Runs the first phase of matching, on the structure of terms.
    pub(super) fn structure(
        &mut self,
        pattern: &Pattern,
        args: &[RuleArg],
        term: Term,
        bound: &mut Bindings,
    ) -> Result<(), Mismatch> {
        let (store, folds) = self.folds();
        structure(store, folds, pattern, args, term, bound)
    }

    /// Returns the term to match. If the pattern is a call of a definition, an instance of its body
    /// is replaced by a call of it.
    fn folded(&mut self, pattern: &Pattern, term: Term) -> Term {
        let PatternHead::Global(id, _) = pattern.head else {
            return term;
        };
        if global_of(self.cx.store, term) == Some(id) {
            return term;
        }
        let (store, mut folds) = self.folds();
        folds.spine(store, id, term).unwrap_or(term)
    }
}

fn apply_in(
    ctx: &mut Ctx<'_, '_>,
    rule: &Rule,
    args: &[RuleArg],
    term: Term,
) -> Result<Rewritten, Mismatch> {
    let mut scratch = std::mem::take(&mut ctx.memo.scratch);
    let number = ctx.memo.number(rule.id, args);
    let mut nearest: Option<Mismatch> = None;
    let mut result = None;
    'alts: for (at, alt) in rule.alts.iter().enumerate() {
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        let term = ctx.folded(&alt.pattern, term);
        for outside in alt.pattern.omitted_arguments(ctx.cx.store, term) {
            let key = (rule.id, at, number);
            let focus = prefix(ctx.cx.store, term, outside);
            let made = matched(ctx, alt, key, args, focus, &mut scratch)
                .and_then(|solved| build(ctx, alt, args, &solved, focus, &mut scratch));
            match made {
                Ok((new, assumptions)) => {
                    result = Some(Rewritten {
                        term: outside_again(ctx.cx.store, term, outside, new),
                        outside,
                        alt: at,
                        assumptions,
                    });
                    break 'alts;
                }
                Err(miss) => nearest = Some(Mismatch { alt: at, ..miss }.nearer(nearest)),
            }
        }
    }
    ctx.memo.scratch = scratch;
    result.ok_or_else(|| nearest.unwrap_or_else(|| Mismatch::new(MismatchReason::Head)))
}

fn matches_only_in(
    ctx: &mut Ctx<'_, '_>,
    rule: &Rule,
    args: &[RuleArg],
    term: Term,
) -> Result<(), Mismatch> {
    let mut scratch = std::mem::take(&mut ctx.memo.scratch);
    let number = ctx.memo.number(rule.id, args);
    let mut result = Err(Mismatch::new(MismatchReason::Head));
    'alts: for (at, alt) in rule.alts.iter().enumerate() {
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        let term = ctx.folded(&alt.pattern, term);
        for outside in alt.pattern.omitted_arguments(ctx.cx.store, term) {
            let focus = prefix(ctx.cx.store, term, outside);
            let key = (rule.id, at, number);
            let found = matched(ctx, alt, key, args, focus, &mut scratch).and_then(|solved| {
                values_decide(ctx, alt, args, &solved, &mut scratch).map(|_| ())
            });
            match found {
                Ok(()) => {
                    result = Ok(());
                    break 'alts;
                }
                Err(miss) => result = Err(Mismatch { alt: at, ..miss }.nearer(result.err())),
            }
        }
    }
    ctx.memo.scratch = scratch;
    result
}

/// Runs both phases of matching, with the conditions on sizes and types. The second phase is
/// memoised.
fn matched(
    ctx: &mut Ctx<'_, '_>,
    alt: &Alt,
    key: (RuleId, u32, u32),
    args: &[RuleArg],
    focus: Term,
    scratch: &mut Scratch,
) -> Result<Arc<Solved>, Mismatch> {
    ctx.structure(&alt.pattern, args, focus, &mut scratch.bound)?;
    let progress = scratch.bound.progress();
    let known = match ctx.memo.get(key, &scratch.bound.found) {
        Some(known) => known.clone(),
        None => {
            let solved = solve(ctx, alt, args, &scratch.bound.found).map(Arc::new);
            ctx.memo.put(key, &scratch.bound.found, solved.clone());
            solved
        }
    };
    known.map_err(|Unsolved { node, why }| Mismatch {
        node: Some(node),
        found: None,
        progress,
        ..Mismatch::new(why)
    })
}

/// Runs the second phase of matching: solves sizes and types, decides the conditions on them, and
/// builds the leaves of the right side.
fn solve(
    ctx: &mut Ctx<'_, '_>,
    alt: &Alt,
    args: &[RuleArg],
    found: &[Observation],
) -> Result<Solved, Unsolved> {
    let mut values = Solver::solve(ctx.cx.store, ctx.cx.facts, &alt.pattern, args, found)?;
    let at_root = |why: MismatchReason| Unsolved { node: 0, why };
    let mut facts: Facts = ctx.cx.facts.clone();
    let mut assumed = Vec::new();
    if alt.clauses.iter().any(|clause| clause.cond.is_type_level()) {
        for prop in &alt.pattern.facts {
            if let Some(prop) = values.prop(prop) {
                facts.assume(&prop);
            }
        }
        for clause in alt
            .clauses
            .iter()
            .filter(|clause| clause.cond.is_type_level())
        {
            let found = Match {
                values: &values,
                slots: &[],
                locals: &[],
                args,
            };
            let before = assumed.len();
            cond::decide(ctx, &facts, clause, &found, &mut assumed).map_err(at_root)?;
            for assumption in &assumed[before..] {
                if let Assumption::Size(prop) = assumption {
                    facts.assume(prop);
                }
            }
        }
    }
    let leaves = alt
        .template
        .leaves(ctx.cx.store, &facts, &mut values)
        .map_err(at_root)?;
    Ok(Solved {
        values,
        leaves,
        assumptions: assumed.into(),
    })
}

/// Gives types to arguments that are literals, constructs the terms of `let`s, and decides the
/// conditions on terms. Returns the assumptions of these conditions.
fn values_decide(
    ctx: &mut Ctx<'_, '_>,
    alt: &Alt,
    args: &[RuleArg],
    solved: &Solved,
    scratch: &mut Scratch,
) -> Result<Vec<Assumption>, Mismatch> {
    scratch.slots.clear();
    let slots = &mut scratch.slots;
    let missing = Term::NONE;
    slots.extend(
        scratch
            .bound
            .slots
            .iter()
            .map(|slot| slot.unwrap_or(missing)),
    );
    numbers(ctx.cx.store, &alt.pattern, args, &solved.values, slots)
        .map_err(|why| after(&scratch.bound, why))?;
    for made in &alt.made {
        let made_of = slots[usize::from(made.from)];
        let lanes = super::type_matching::instance(&made.lanes, &solved.values);
        match super::vectorized::vectorized(ctx.cx.store, made_of, &lanes) {
            Ok(term) => slots[usize::from(made.slot)] = term,
            Err(reason) => {
                let why = MismatchDetail::NotMade(reason.into()).into();
                return Err(after(&scratch.bound, why));
            }
        }
    }
    let mut assumed = Vec::new();
    for clause in alt
        .clauses
        .iter()
        .filter(|clause| !clause.cond.is_type_level())
    {
        let found = Match {
            values: &solved.values,
            slots: &scratch.slots,
            locals: &scratch.bound.locals,
            args,
        };
        let facts = ctx.cx.facts;
        cond::decide(ctx, facts, clause, &found, &mut assumed)
            .map_err(|why| after(&scratch.bound, why))?;
    }
    Ok(assumed)
}

/// Returns a mismatch for a failure after the whole pattern matched, such as that of a condition.
#[cold]
fn after(bound: &Bindings, why: MismatchReason) -> Mismatch {
    Mismatch {
        progress: bound.progress() + 1,
        ..Mismatch::new(why)
    }
}

fn build(
    ctx: &mut Ctx<'_, '_>,
    alt: &Alt,
    args: &[RuleArg],
    solved: &Solved,
    focus: Term,
    scratch: &mut Scratch,
) -> Result<(Term, Arc<[Assumption]>), Mismatch> {
    let assumed = values_decide(ctx, alt, args, solved, scratch)?;
    let Scratch {
        bound,
        slots,
        own,
        built,
    } = scratch;
    let fails = |why: MismatchDetail| after(bound, why.into());
    let new = alt
        .template
        .build(
            ctx.cx.store,
            &solved.leaves,
            &solved.values,
            slots,
            &bound.locals,
            (own, built),
        )
        .ok_or_else(|| fails(MismatchDetail::Undetermined))?;
    if ctx.cx.store.is_too_deep() {
        return Err(fails(MismatchDetail::TooDeep));
    }
    let (old_ty, new_ty) = (ctx.cx.store.ty(focus), ctx.cx.store.ty(new));
    if old_ty != new_ty && !same_type(ctx, solved, old_ty, new_ty) {
        return Err(fails(MismatchDetail::OtherType {
            expected: ctx.cx.store.ty_of(old_ty).clone(),
            found: ctx.cx.store.ty_of(new_ty).clone(),
        }));
    }
    let assumptions = match assumed.is_empty() {
        true => solved.assumptions.clone(),
        false => solved.assumptions.iter().cloned().chain(assumed).collect(),
    };
    Ok((new, assumptions))
}

/// Returns true if the types are provably equal under the known facts and the assumptions of the
/// second phase.
fn same_type(
    ctx: &mut Ctx<'_, '_>,
    solved: &Solved,
    old: crate::term::TyId,
    new: crate::term::TyId,
) -> bool {
    if solved.assumptions.is_empty() {
        return ctx.memo.same_type(ctx.cx.store, ctx.cx.facts, old, new);
    }
    let mut facts = ctx.cx.facts.clone();
    for assumption in solved.assumptions.iter() {
        if let Assumption::Size(prop) = assumption {
            facts.assume(prop);
        }
    }
    super::type_matching::types_agree(ctx.cx.store.ty_of(old), ctx.cx.store.ty_of(new), &facts)
}

/// Applies the new function to the last `outside` arguments of the original term. The applications
/// are β-reduced as by [`super::template::apply`].
fn outside_again(store: &mut Store, term: Term, outside: u32, new: Term) -> Term {
    if outside == 0 {
        return new;
    }
    match store.node(term) {
        Node::Apply(f, x) => {
            let f = outside_again(store, f, outside - 1, new);
            super::template::apply(store, f, x)
        }
        _ => new,
    }
}

fn holds_in(
    ctx: &mut Ctx<'_, '_>,
    predicate: &Predicate,
    args: &[RuleArg],
    term: Term,
) -> Result<(), Mismatch> {
    let mut nearest: Option<Mismatch> = None;
    let mut scratch = std::mem::take(&mut ctx.memo.scratch);
    let mut fits = false;
    'patterns: for (at, matcher) in predicate.patterns.iter().enumerate() {
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        let pattern = &matcher.pattern;
        let term = ctx.folded(pattern, term);
        for outside in pattern.omitted_arguments(ctx.cx.store, term) {
            let focus = prefix(ctx.cx.store, term, outside);
            let found = fit(ctx, pattern, args, focus, &mut scratch.bound);
            match found {
                Ok(_) => {
                    fits = true;
                    break 'patterns;
                }
                Err(miss) => nearest = Some(Mismatch { alt: at, ..miss }.nearer(nearest)),
            }
        }
    }
    ctx.memo.scratch = scratch;
    match fits {
        true => Ok(()),
        false => Err(nearest.unwrap_or_else(|| Mismatch::new(MismatchReason::Head))),
    }
}

/// Runs both phases of matching for a pattern without conditions.
fn fit(
    ctx: &mut Ctx<'_, '_>,
    pattern: &Pattern,
    args: &[RuleArg],
    term: Term,
    bound: &mut Bindings,
) -> Result<TypeSubstitution, Mismatch> {
    ctx.structure(pattern, args, term, bound)?;
    Solver::solve(ctx.cx.store, ctx.cx.facts, pattern, args, &bound.found).map_err(
        |Unsolved { node, why }| Mismatch {
            node: Some(node),
            progress: bound.progress(),
            ..Mismatch::new(why)
        },
    )
}

fn matches_in(
    ctx: &mut Ctx<'_, '_>,
    matcher: &Matcher,
    args: &[RuleArg],
    term: Term,
) -> Result<Vec<RuleArg>, Mismatch> {
    let mut bound = Bindings::default();
    let values = fit(ctx, &matcher.pattern, args, term, &mut bound)?;
    let mut value = |output: &Output| match output {
        Output::Value(slot) => bound.slots[usize::from(*slot)].map(RuleArg::Expr),
        Output::Local(local) => {
            let local = bound.locals[usize::from(*local)];
            Some(RuleArg::Expr(ctx.cx.store.var(local)))
        }
        Output::TypeLevel(arg) => Some(match values.arg(arg)? {
            Arg::Nat(nat) => RuleArg::Nat(nat),
            Arg::Type(ty) => RuleArg::Type(ty),
            Arg::Address(address) => RuleArg::Address(address),
            Arg::SizeFun(_) | Arg::DataFun(_) | Arg::Access(_) => RuleArg::Other,
        }),
    };
    let all: Option<Vec<RuleArg>> = matcher.outputs.iter().map(&mut value).collect();
    all.ok_or_else(|| Mismatch::new(MismatchDetail::Undetermined.into()))
}

fn instantiate_in(
    ctx: &mut Ctx<'_, '_>,
    quotation: &Quotation,
    args: &[RuleArg],
) -> Result<Term, Mismatch> {
    let Quotation {
        pattern, template, ..
    } = quotation;
    let solved = Solver::solve(ctx.cx.store, ctx.cx.facts, pattern, args, &[]);
    let mut values = solved.map_err(|unsolved| Mismatch::new(unsolved.why))?;
    let leaves = template
        .leaves(ctx.cx.store, ctx.cx.facts, &mut values)
        .map_err(Mismatch::new)?;
    let mut bound = Bindings::default();
    bound.start(pattern, args);
    let mut slots: Vec<Term> = bound
        .slots
        .iter()
        .map(|slot| slot.unwrap_or(Term::NONE))
        .collect();
    numbers(ctx.cx.store, pattern, args, &values, &mut slots).map_err(Mismatch::new)?;
    let no_locals: [Local; 0] = [];
    template
        .build(
            ctx.cx.store,
            &leaves,
            &values,
            &slots,
            &no_locals,
            (&mut Vec::new(), &mut Vec::new()),
        )
        .ok_or_else(|| Mismatch::new(MismatchDetail::Undetermined.into()))
}

pub(super) fn unfold_in(ctx: &mut Ctx<'_, '_>, term: Term) -> Option<Term> {
    let Node::Global(id, args) = ctx.cx.store.node(term) else {
        return None;
    };
    let def = (ctx.host.definitions)(id)?;
    if matches!(def.body.form, rise::core::Form::Foreign(..)) {
        // A foreign function has no body.
        return None;
    }
    let args = ctx.cx.store.args(args).clone();
    let imported = crate::term::import(ctx.cx.store, &def).ok()?;
    if imported.implicit.len() != args.len() {
        return None;
    }
    let implicit = imported.implicit.iter().zip(args.iter());
    let values: Vec<_> = implicit
        .map(|(&(var, _), arg)| (var, arg.clone()))
        .collect();
    Some(ctx.cx.store.substitute_vars(imported.root, &values))
}

/// Runs `look` with the memo of the store.
fn with<R>(cx: &mut Context<'_>, host: &Host<'_>, look: impl FnOnce(&mut Ctx<'_, '_>) -> R) -> R {
    let mut memo: Box<Memo> = cx.store.cache.take();
    memo.under(cx.facts);
    let mut ctx = Ctx {
        cx,
        memo: &mut memo,
        host: *host,
    };
    let result = look(&mut ctx);
    cx.store.cache.put(memo);
    result
}

/// Applies a rule to a term by its first alternative that applies. A rule for functions is also
/// tried on the functions that the term applies, the one with the most arguments first.
pub fn apply(
    cx: &mut Context<'_>,
    host: &Host<'_>,
    rule: &Rule,
    args: &[RuleArg],
    term: Term,
) -> Result<Rewritten, Mismatch> {
    if !rule.could_match(cx.store, term) {
        return Err(Mismatch::new(MismatchReason::Head));
    }
    with(cx, host, |ctx| apply_in(ctx, rule, args, term))
}

/// Tests if an alternative of a rule matches, and its conditions hold. It builds only the parts of
/// the right side that depend on sizes and types alone, so [`apply`] may fail nevertheless.
///
/// # Errors
///
/// The nearest mismatch.
pub fn matches_only(
    cx: &mut Context<'_>,
    host: &Host<'_>,
    rule: &Rule,
    args: &[RuleArg],
    term: Term,
) -> Result<(), Mismatch> {
    if !rule.could_match(cx.store, term) {
        return Err(Mismatch::new(MismatchReason::Head));
    }
    with(cx, host, |ctx| matches_only_in(ctx, rule, args, term))
}

/// Tests if one of the patterns matches the term, or a function that it applies.
///
/// # Errors
///
/// The nearest mismatch.
pub fn holds(
    cx: &mut Context<'_>,
    host: &Host<'_>,
    predicate: &Predicate,
    args: &[RuleArg],
    term: Term,
) -> Result<(), Mismatch> {
    with(cx, host, |ctx| holds_in(ctx, predicate, args, term))
}

/// Matches exactly this term, not a function that it applies, and returns the outputs of the
/// pattern in the order of [`Matcher::variables`].
pub fn matches(
    cx: &mut Context<'_>,
    host: &Host<'_>,
    matcher: &Matcher,
    args: &[RuleArg],
    term: Term,
) -> Result<Vec<RuleArg>, Mismatch> {
    with(cx, host, |ctx| matches_in(ctx, matcher, args, term))
}

/// Returns the term of a quotation.
///
/// # Errors
///
/// The arguments do not fit the types of the quotation, or leave some of them undetermined.
pub fn instantiate(
    cx: &mut Context<'_>,
    host: &Host<'_>,
    quotation: &Quotation,
    args: &[RuleArg],
) -> Result<Term, Mismatch> {
    with(cx, host, |ctx| instantiate_in(ctx, quotation, args))
}

/// Unfolds the name of a definition to its right side, with its implicit arguments substituted.
/// `None` for other terms, foreign functions, unknown definitions and definitions that are too
/// large.
pub fn unfold(cx: &mut Context<'_>, host: &Host<'_>, term: Term) -> Option<Term> {
    with(cx, host, |ctx| unfold_in(ctx, term))
}
