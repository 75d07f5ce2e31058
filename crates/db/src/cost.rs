//! Estimates of the time of definitions, and hints at loops that another program would execute
//! faster.

use std::sync::Arc;

use codegen::Target;
use codegen::codes;
use codegen::cost::{AccessPurpose, Estimate, Hint, HintKind, Machine};
use syntax::ast::Name;
use syntax::{Code, Diagnostic, Severity};

use crate::inputs::{Db, SourceItem};
use crate::options::Options;
use crate::panics::catch_panic;
use crate::stages::programs::{Rescheduled, rescheduled, schedule};
use crate::stages::{self, StageResult, imperative};
use crate::strategies::{is_lowered, schedule_name};

/// The estimate of a definition.
#[derive(Clone, Debug)]
pub struct DefinitionEstimate {
    /// The time, the loops and the hints.
    pub estimate: Arc<Estimate>,
    /// The hints as diagnostics of the definition.
    pub hints: Vec<Diagnostic>,
}

/// Estimates the time of the program on a machine at these sizes; without a machine, on the default
/// one of the target.
pub(crate) fn estimate_on(
    db: &dyn Db,
    item: SourceItem,
    target: Target,
    machine: Option<&Machine>,
    sizes: &[(Name, i64)],
) -> StageResult<Estimate> {
    let program = imperative(db, item, target)?;
    let options = Options::get(db).codegen(db);
    let interrupt = || db.unwind_if_revision_cancelled();
    let work = || codegen::cost::estimate(&program, target, options, machine, sizes, &interrupt);
    stages::generated(db, item, target, &program, work)
}

/// Returns the hints of an estimate as diagnostics at the loops in the definition's own text.
pub(crate) fn diagnostics(
    db: &dyn Db,
    item: SourceItem,
    target: Target,
    estimate: &Estimate,
) -> Vec<Diagnostic> {
    let Ok(program) = imperative(db, item, target) else {
        return Vec::new();
    };
    let mut found: Vec<Diagnostic> = Vec::new();
    for hint in &estimate.hints {
        // The loops of a strategy are not in the text.
        let place = match is_chosen_by_strategy(db, item, target) {
            true => None,
            false => stages::head(&program, hint.origin),
        };
        let span = place.unwrap_or_else(|| stages::name_span(db, item));
        let code = code(hint);
        // Several loops may come from one phrase of the definition.
        if found
            .iter()
            .any(|other| (other.span, other.code) == (span, code))
        {
            continue;
        }
        let message = hint.message(&estimate.names);
        let mut diagnostic = Diagnostic::new(Severity::Hint, code, span, message);
        diagnostic.help = Some(help(hint).to_owned());
        found.push(diagnostic);
    }
    found
}

/// Returns a hint if the default schedule would be much faster than the choices of a definition, or of
/// its strategy, also after what the other hints propose.
pub(crate) fn slower_than_default(
    db: &dyn Db,
    item: SourceItem,
    target: Target,
    machine: Option<&Machine>,
    sizes: &[(Name, i64)],
    estimate: &Estimate,
) -> Option<Diagnostic> {
    /// The smallest factor between both estimates, each of which may be wrong.
    const MIN_FACTOR: f64 = 1.75;
    /// The smallest factor that is left after what the other hints propose.
    const MIN_FACTOR_AFTER_HINTS: f64 = 3.0;
    let seconds = estimate.cost.as_ref()?.seconds;
    let Rescheduled { program, is_open } = rescheduled(db, item, target)?;
    let options = Options::get(db).codegen(db);
    let interrupt = || db.unwind_if_revision_cancelled();
    let work = || codegen::cost::estimate(&program, target, options, machine, sizes, &interrupt);
    let other = catch_panic(&item.text(db), "compiling", work).ok()?.ok()?;
    let other = other.cost?.seconds;
    let factors = estimate.hints.iter().filter_map(Hint::factor);
    let least = match estimate.hints.is_empty() {
        true => MIN_FACTOR,
        false => MIN_FACTOR_AFTER_HINTS * factors.fold(MIN_FACTOR, f64::max),
    };
    let factor = seconds / other;
    if factor < least {
        return None;
    }
    let again = format!("`leaveOpen ; {}`", schedule_name(db, item, target));
    let (what, help) = match is_lowered(db, item.into()) {
        true => ("this strategy is", "leave out `@strategy`".to_owned()),
        false if is_open => (
            "these choices are",
            "leave them out: write `map` and `reduce`, without `toMem` (`leaveOpen`)".to_owned(),
        ),
        false => (
            "these choices are",
            format!("replace them by those of {again}"),
        ),
    };
    let message =
        format!("{what} estimated to be {factor:.1} times slower than the default schedule");
    let span = stages::name_span(db, item);
    let mut diagnostic = Diagnostic::new(Severity::Hint, codes::SLOWER_THAN_DEFAULT, span, message);
    diagnostic.help = Some(help);
    Some(diagnostic)
}

/// Returns true if a strategy or the default schedule chooses the loops of a definition.
fn is_chosen_by_strategy(db: &dyn Db, item: SourceItem, target: Target) -> bool {
    is_lowered(db, item.into()) || schedule(db, item, target).is_some()
}

fn code(hint: &Hint) -> Code {
    match hint.kind {
        HintKind::StridedRead { .. } => codes::STRIDED_READ,
        HintKind::LoopOrder { .. } => codes::LOOP_ORDER,
        HintKind::InnerParallel { .. } => codes::INNER_PARALLEL,
        HintKind::Copy { .. } => codes::COPY,
        HintKind::Invariant { .. } | HintKind::RepeatedCall { .. } => codes::LOOP_INVARIANT,
        HintKind::Unfused { .. } => codes::UNFUSED,
        HintKind::OrderedReduction { .. } => codes::ORDERED_REDUCTION,
        HintKind::Uncoalesced { .. } => codes::UNCOALESCED,
    }
}

/// Returns what to do about a hint.
fn help(hint: &Hint) -> &'static str {
    match hint.kind {
        HintKind::StridedRead { purpose, .. } => match purpose {
            AccessPurpose::Reduction => {
                "make the reduction the outer loop, which accumulates all results together (`accumulateRows`)"
            }
            AccessPurpose::SeveralReductions => {
                "write a map for each reduction, the first of which stores its results, and make each reduction the outer loop (`accumulateRows`)"
            }
            AccessPurpose::Storing => {
                "read the elements where they are used, without storing them, and make the loop over neighbours the inner one"
            }
            AccessPurpose::NarrowRows => {
                "store the array transposed, so that neighbouring results read neighbouring elements: `transpose |> mapSeq(mapSeq(id)) |> toMem`"
            }
            AccessPurpose::Results => {
                "make the loop over neighbours the inner one: map over the array before it is transposed"
            }
        },
        HintKind::LoopOrder { .. } => {
            "put the map inside of the reduction around it: compute the results row by row, each by a reduction"
        }
        HintKind::InnerParallel { .. } => {
            "use `mapPar` for the loop around this one, and `mapSeq` here"
        }
        HintKind::Invariant { .. } => {
            "bind the result by `let` in front of the map or reduction around it"
        }
        HintKind::RepeatedCall { array: Some(_), .. } => {
            "store the result for each element with `toMem`, and read it where it is used"
        }
        HintKind::RepeatedCall { array: None, .. } => {
            "store the values in front of the loop around this one, with `toMem`"
        }
        HintKind::Unfused { .. } => "compute the elements where they are read, without `toMem`",
        HintKind::Copy { .. } => "read the array itself, without the copy in memory",
        HintKind::OrderedReduction { .. } => {
            "reduce several parts of the array side by side, and combine their results at the end"
        }
        HintKind::Uncoalesced { .. } => {
            "let the index of the work-item in dimension 0 be the innermost index of the array"
        }
    }
}
