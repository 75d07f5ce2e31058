//! Prints the trace, the rule counts and the errors of a rewrite.

use super::super::{output, position};
use super::strategy::StrategySource;
use db::{Database, ItemId, Refusal};
use elevate::engine::{RuleCount, TraceStep};
use elevate::lang::{NotRewritten, Rewritten, Run};
use elevate::term::print;
use std::io::{self, Write};
use syntax::{Diagnostic, Span};

/// Prints the steps of a successful rewrite, in order.
pub fn trace(
    db: &Database,
    item: ItemId,
    rewritten: &Rewritten,
    path: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    steps(db, item, &rewritten.trace, &rewritten.run, path, out)
}

/// Prints the steps of a run, in order: the number, the rule, the location, the strategies that
/// applied it, the term before and after, and the assumptions. For successive steps of a normal
/// form, only its name and their count are printed.
pub fn steps(
    db: &Database,
    item: ItemId,
    trace: &[TraceStep],
    run: &Run,
    path: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    let places = ide::StepPlaces::new(run);
    let mut number = 0;
    for step in trace {
        if step.housekeeping > 0 {
            writeln!(out, "        {} ({})\n", step.rule, step.housekeeping)?;
            continue;
        }
        number += 1;
        let place = places.of(step).map(|span| shown_place(db, item, span));
        let place = place.unwrap_or_default();
        writeln!(out, "step {number:<3} {}  {path}{place}", step.rule)?;
        if !step.strategies.is_empty() {
            writeln!(out, "  for    {}", step.strategies.join(" > "))?;
        }
        writeln!(out, "  before {}", print(&run.store, step.focus))?;
        writeln!(out, "  after  {}", print(&run.store, step.result))?;
        for assumption in &step.assumptions {
            writeln!(out, "  assumes {}", ide::assumption_text(run, assumption))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Formats a range as `:3:7-3:20`, counted from 1.
fn shown_place(db: &Database, item: ItemId, span: Span) -> String {
    let text = db.text(db.file_of(item));
    let range = position::range(&text, db.absolute(item, span));
    format!(
        ":{}:{}-{}:{}",
        range.start.line + 1,
        range.start.character + 1,
        range.end.line + 1,
        range.end.character + 1
    )
}

/// Prints the number of steps of each rule that made any, the total, and the number of steps of
/// normal forms, which are not in the total.
pub fn counts(
    counts: &[RuleCount],
    steps: u64,
    housekeeping: u64,
    out: &mut impl Write,
) -> io::Result<()> {
    for count in counts.iter().filter(|count| count.steps > 0) {
        writeln!(out, "{:>8}  {}", count.steps, count.rule)?;
    }
    let unit = if steps == 1 { "step" } else { "steps" };
    match housekeeping {
        0 => writeln!(out, "{steps:>8}  {unit}"),
        more => writeln!(out, "{steps:>8}  {unit}, and {more} of normal forms"),
    }
}

/// Prints the conditions that the result assumes, and the sizes that become parameters.
pub fn assumptions(db: &Database, rewritten: &Rewritten) {
    for assumed in db.assumed(rewritten) {
        output::note(&format!("assumes {assumed}"));
    }
    for open in &rewritten.parameters {
        output::note(&format!(
            "`{}` has no value: it is now a parameter of the definition",
            open.name
        ));
    }
}

/// Returns a diagnostic that explains a refusal: at the subterm where the strategy failed, if that
/// is known. Most other refusals are shown at the name of the definition.
pub fn complaint(
    db: &Database,
    item: ItemId,
    chosen: &StrategySource,
    refusal: &Refusal,
) -> Diagnostic {
    let name = db.header(item).span;
    let mut found = db.complaint(refusal, name);
    if let Refusal::NotRewritten(NotRewritten::Failed(report)) = refusal
        && let Some(span) = ide::StepPlaces::new(&report.run).of_failure(&report.failure)
    {
        found.span = span;
        found.related.clear();
    }
    if let Some(help) = help(refusal) {
        found = found.help(help);
    }
    // A message about the strategy as a whole starts with the name of the strategy.
    found.message = match found.message.strip_prefix("the strategy ") {
        Some(rest) => format!("{} {rest}", chosen.name()),
        None => format!("{} fails: {}", chosen.name(), found.message),
    };
    found
}

/// Returns advice on how to avoid a failure of the strategy, if there is any.
fn help(refusal: &Refusal) -> Option<String> {
    use elevate::engine::Reason;
    let Refusal::NotRewritten(NotRewritten::Failed(report)) = refusal else {
        return None;
    };
    Some(match &report.failure.reason {
        Reason::Undecided {
            needed: Some(needed),
            ..
        } => {
            format!("if the condition holds for all sizes of this program, write `@assume({needed})`")
        }
        Reason::Undecided { needed: None, .. } => {
            "algebraic laws are known for built-in operators only; an `unsafe rule` does not need them".to_owned()
        }
        Reason::Shape { .. } | Reason::PredicateFails { .. } | Reason::NoChild { .. } => {
            "`s @ topDown` looks for a place at which `s` applies, and `try(s)` succeeds without one"
                .to_owned()
        }
        Reason::Endless(circle) if circle.is_empty() => {
            "repeat a strategy that fails in the end: `try(s)`, `tryAll(s)` and `unfold(f)` succeed also where they change nothing"
                .to_owned()
        }
        Reason::OutOfFuel { .. } => {
            "`--limit N` sets the largest number of steps; `--trace` shows the steps".to_owned()
        }
        Reason::Endless(_) | Reason::TooManyCalls { .. } => {
            "`repeatNTimes(n)(s)` and `limit(n)(s)` end; `--trace` shows the steps".to_owned()
        }
        _ => return None,
    })
}
