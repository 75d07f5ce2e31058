//! The steps of a strategy on a definition, and the program after some of them.

use std::ops::Range;

use db::{Database, FileId, GivenStrategy, ItemId, Refusal};
use elevate::engine::{Options as Fuel, Reason, TraceStep};
use elevate::lang::{NotRewritten, Request, Rewritten, Run};
use elevate::term::{Term, print};
use syntax::ast::Name;
use syntax::lexer::lex_in;
use syntax::{Diagnostic, Dialect, Severity, Span};

use super::steps::{StepPlaces, assumption_text};
use crate::SourceEdits;
use crate::rewrites::program::exported;
use crate::rewrites::verify::{extended, reduced_or_rewritten};

/// The limit of work of a strategy in an editor, in the unit of [`Fuel::work`]. It takes some
/// seconds.
const PATIENCE: u64 = 200_000_000;
/// The limit of the rule applications of a strategy in an editor, including those that are undone
/// and those of normal forms.
const MOST_STEPS: u64 = 100_000;

/// A step, or the combined steps of a normal form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrategyStep {
    /// The rule with its arguments, or the normal form.
    pub rule: String,
    /// The number of rule applications that it combines; 1 for a single step.
    pub count: u64,
    /// True if it combines the steps of a normal form.
    pub is_housekeeping: bool,
    /// The enclosing named strategies, the outermost first.
    pub strategies: Vec<String>,
    /// The place in the file, if it is known; `None` for a normal form.
    pub span: Option<Span>,
    /// The term before the step; empty for a normal form.
    pub before: String,
    /// The term after the step; empty for a normal form.
    pub after: String,
    /// The assumptions of the step, as text.
    pub assumptions: Vec<String>,
}

/// A program after some steps of a strategy.
#[derive(Clone, Debug, PartialEq)]
pub struct SteppedProgram {
    /// All steps of the strategy, up to its failure if it fails.
    pub steps: Vec<StrategyStep>,
    /// The number of steps that lead to this program.
    pub done: usize,
    /// The edits of the definition's file that lead from its current text to this program, or the
    /// reason why the program cannot be written.
    pub edits: Result<SourceEdits, String>,
    /// The text of the file after these edits; `None` if the program cannot be written.
    pub text: Option<String>,
    /// The place in that text that the steps after [`Stepping::since`] have changed; `None` if they
    /// change nothing, or a text is missing.
    pub changed: Option<Span>,
    /// The place of the definition in that text.
    pub place: Option<Span>,
    /// The reason why the strategy fails, and the place in the file where it was tried last.
    pub failure: Option<(String, Option<Span>)>,
    /// The assumptions and further parameters of the resulting definition, as text; none if the
    /// strategy fails, or before its last step.
    pub notes: Vec<String>,
}

/// A request for the steps of a strategy.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stepping<'a> {
    /// The number of steps to make; all if it is `None`.
    pub done: Option<usize>,
    /// The number of steps after which changes are reported; one less than `done` if it is `None`.
    pub since: Option<usize>,
    /// The values of the strategy's tuning parameters.
    pub tunes: &'a [(Name, i64)],
}

/// Applies a strategy, given as an expression that refers to the definitions of the file `from`, to
/// a definition of a program; returns its steps, and the program after some of them.
///
/// # Errors
/// Fails with a message if the text is no valid strategy, if the definition has errors, or if the
/// strategy cannot be evaluated or its result is too large. The failure of a strategy that was
/// applied is no error: see [`SteppedProgram::failure`].
pub fn stepped(
    db: &Database,
    item: ItemId,
    from: FileId,
    text: &str,
    asked: Stepping<'_>,
) -> Result<SteppedProgram, String> {
    let strategy = db
        .given_strategy(from, text)
        .map_err(|found| said_of(text, &found))?;
    let attempt = Attempt::of(db, item, &strategy, asked.tunes)?;
    let places = StepPlaces::new(&attempt.run);
    let trace = attempt.trace.iter();
    let steps: Vec<StrategyStep> = trace
        .map(|step| shown(db, item, &attempt.run, &places, step))
        .collect();
    let done = asked.done.unwrap_or(steps.len()).min(steps.len());
    let since = asked.since.unwrap_or(done.saturating_sub(1)).min(done);
    let file = db.file_of(item);
    let old = db.text(file).to_string();
    let text = |edits: &SourceEdits| edited(&old, file, edits);
    let edits = attempt.edits(db, item, done);
    let new = edits.as_ref().ok().map(text);
    let earlier = attempt.edits(db, item, since).as_ref().ok().map(text);
    let place = new.as_ref().map(|new| moved(db.item_span(item), &old, new));
    let changed = match (&earlier, &new, place) {
        (Some(earlier), Some(new), Some(place)) => {
            difference(earlier, new, place, db.dialect(file))
        }
        _ => None,
    };
    Ok(SteppedProgram {
        place,
        notes: match &attempt.outcome {
            Ok(whole) if done == steps.len() => notes(db, whole),
            _ => Vec::new(),
        },
        steps,
        done,
        edits,
        text: new,
        changed,
        failure: attempt.outcome.err(),
    })
}

/// The result of applying a strategy to a definition.
struct Attempt {
    trace: Vec<TraceStep>,
    /// The store and the terms of the run.
    run: Run,
    outcome: Result<Rewritten, (String, Option<Span>)>,
}

impl Attempt {
    fn of(
        db: &Database,
        item: ItemId,
        strategy: &GivenStrategy,
        tunes: &[(Name, i64)],
    ) -> Result<Attempt, String> {
        let fuel = Fuel {
            trace: true,
            steps: MOST_STEPS,
            work: PATIENCE,
            ..Fuel::default()
        };
        match run(db, item, strategy, tunes, fuel) {
            Ok(mut whole) => Ok(Attempt {
                trace: std::mem::take(&mut whole.trace),
                run: whole.run.clone(),
                outcome: Ok(whole),
            }),
            Err(Refusal::NotRewritten(NotRewritten::Failed(report))) => Ok(Attempt {
                outcome: Err(failure(db, item, &report)),
                trace: report.outcome.trace,
                run: report.run,
            }),
            Err(refusal) => Err(said(&[db.complaint(&refusal, Span::default())])),
        }
    }

    /// Returns the edits that lead to the definition after `count` steps.
    fn edits(&self, db: &Database, item: ItemId, count: usize) -> Result<SourceEdits, String> {
        if count == 0 {
            return Ok(SourceEdits::default());
        }
        match &self.outcome {
            Ok(whole) if count == self.trace.len() => edits_of(db, item, whole),
            _ => written(db, item, &self.run, self.trace[count - 1].after),
        }
    }
}

/// Returns the edits for the final result of a strategy.
fn edits_of(db: &Database, item: ItemId, whole: &Rewritten) -> Result<SourceEdits, String> {
    if whole.parameters.is_empty() {
        return written(db, item, &whole.run, whole.run.root);
    }
    // The sizes that the strategy leaves open have become parameters.
    let open = whole.parameters.iter().map(|open| open.name.clone());
    let open: Vec<Name> = open.collect();
    let new = extended(db, item, &whole.def, &open).map_err(|error| error.to_string())?;
    Ok(new.edits)
}

/// Returns the edits that give a definition the right side `root`. Variables of the old text keep
/// their numbers, so their text is kept, too.
fn written(db: &Database, item: ItemId, run: &Run, root: Term) -> Result<SourceEdits, String> {
    let old = db.elaborated(item).ok_or("the definition has errors")?;
    let def = exported(&run.store, &run.imported, root, &old).map_err(|_| too_large())?;
    let new = reduced_or_rewritten(db, item, &def).map_err(|error| error.to_string())?;
    Ok(new.edits)
}

/// Returns the reason why a strategy, given as in [`stepped`], does not change a definition or its
/// result cannot be written; `None` if it changes the definition, or if `work` is not enough to
/// decide.
pub(crate) fn refused(
    db: &Database,
    item: ItemId,
    from: FileId,
    text: &str,
    work: u64,
) -> Option<String> {
    let strategy = match db.given_strategy(from, text) {
        Ok(strategy) => strategy,
        Err(found) => return Some(said_of(text, &found)),
    };
    let fuel = Fuel {
        steps: MOST_STEPS,
        work,
        ..Fuel::default()
    };
    match run(db, item, &strategy, &[], fuel) {
        Ok(whole) => match edits_of(db, item, &whole) {
            Ok(edits) => is_empty(&edits).then(|| UNCHANGED.to_owned()),
            Err(reason) => Some(reason),
        },
        Err(Refusal::NotRewritten(NotRewritten::Failed(report))) => {
            let is_open = matches!(report.failure.reason, Reason::OutOfFuel { .. });
            (!is_open).then(|| report.message.clone())
        }
        Err(refusal) => Some(said(&[db.complaint(&refusal, Span::default())])),
    }
}

pub(crate) fn is_empty(edits: &SourceEdits) -> bool {
    edits.files.iter().all(|(_, edits)| edits.is_empty())
}

pub(crate) const UNCHANGED: &str = "the strategy leaves the definition as it is";

fn run(
    db: &Database,
    item: ItemId,
    strategy: &GivenStrategy,
    tunes: &[(Name, i64)],
    fuel: Fuel<'_>,
) -> Result<Rewritten, Refusal> {
    let cancelled = || db.is_cancelled();
    let request = Request {
        options: Fuel {
            cancelled: Some(&cancelled),
            ..fuel
        },
        tunes,
        ..Request::default()
    };
    let found = db.rewrite_given(item, strategy, &request);
    db.unwind_if_cancelled();
    found
}

fn too_large() -> String {
    "the program grows too large, or nests too deeply".to_owned()
}

fn shown(
    db: &Database,
    item: ItemId,
    run: &Run,
    places: &StepPlaces<'_>,
    step: &TraceStep,
) -> StrategyStep {
    let is_housekeeping = step.housekeeping > 0;
    // The term of a normal form is the whole program, which is too long to be useful.
    let text = |term| match is_housekeeping {
        true => String::new(),
        false => print(&run.store, term),
    };
    let assumptions = step.assumptions.iter();
    StrategyStep {
        rule: step.rule.to_string(),
        count: step.housekeeping.max(1),
        is_housekeeping,
        strategies: step
            .strategies
            .iter()
            .map(|name| name.to_string())
            .collect(),
        span: match is_housekeeping {
            true => None,
            false => places.of(step).map(|span| db.absolute(item, span)),
        },
        before: text(step.focus),
        after: text(step.result),
        assumptions: assumptions.map(|made| assumption_text(run, made)).collect(),
    }
}

/// Returns the reason of a failure with its notes, and the place in the file.
fn failure(db: &Database, item: ItemId, report: &elevate::lang::Report) -> (String, Option<Span>) {
    if report.failure.reason == Reason::Cancelled {
        return ("stopped".to_owned(), None);
    }
    let lines = std::iter::once(report.message.as_str());
    let lines: Vec<&str> = lines
        .chain(report.notes.iter().map(String::as_str))
        .collect();
    let place = StepPlaces::new(&report.run).of_failure(&report.failure);
    let place = place.map(|span| db.absolute(item, span));
    (lines.join("\n"), place)
}

fn notes(db: &Database, whole: &Rewritten) -> Vec<String> {
    let assumed = db
        .assumed(whole)
        .into_iter()
        .map(|prop| format!("assumes {prop}"));
    let open = whole.parameters.iter();
    let open = open.map(|open| format!("`{}` is a parameter of the definition now", open.name));
    assumed.chain(open).collect()
}

/// Joins the messages of the errors among diagnostics, each on a line of its own and followed by
/// its advice, if there is any.
fn said(found: &[Diagnostic]) -> String {
    let errors = found
        .iter()
        .filter(|found| found.severity == Severity::Error);
    let lines = errors.map(|found| match &found.help {
        Some(help) => format!("{}\n{help}", found.message),
        None => found.message.clone(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Joins the messages of the errors among the diagnostics of a text like `said`, with the place in
/// the text at the end of each message.
fn said_of(text: &str, found: &[Diagnostic]) -> String {
    let placed = |found: &Diagnostic| Diagnostic {
        message: format!("{}{}", found.message, place_in(text, found.span)),
        ..found.clone()
    };
    said(&found.iter().map(placed).collect::<Vec<_>>())
}

/// Renders the place of a part of a text for the end of a message: ` (column 9)`. It is empty for
/// the whole text.
fn place_in(text: &str, span: Span) -> String {
    let before = text.get(..span.start as usize).unwrap_or(text);
    if before.trim().is_empty() && span.end as usize >= text.trim_end().len() {
        return String::new();
    }
    let line = before.rsplit('\n').next().unwrap_or(before);
    let column = line.chars().count() + 1;
    match text.trim_end().matches('\n').count() {
        0 => format!(" (column {column})"),
        _ => format!(
            " (line {}, column {column})",
            before.matches('\n').count() + 1
        ),
    }
}

fn edited(old: &str, file: FileId, edits: &SourceEdits) -> String {
    let mut text = old.to_owned();
    let of_file = edits.files.iter().filter(|(of, _)| *of == file);
    for edit in of_file.flat_map(|(_, edits)| edits.iter().rev()) {
        text.replace_range(Range::from(edit.span), &edit.text);
    }
    text
}

/// Returns the new range of an item after a change of only this item.
fn moved(place: Span, old: &str, new: &str) -> Span {
    let end = (place.end as usize + new.len()).saturating_sub(old.len());
    Span::new(place.start, (end as u32).max(place.start))
}

/// Returns the range of the smallest expression of the item at `place` in the new text that
/// contains every token which the old text does not have there; `None` if the texts differ only in
/// whitespace and comments. Where tokens were only removed, it contains the adjacent ones.
fn difference(old: &str, new: &str, place: Span, dialect: Dialect) -> Option<Span> {
    let (before, after) = (words(old, dialect), words(new, dialect));
    let same = |(a, b): &(&Span, &Span)| old[Range::from(**a)] == new[Range::from(**b)];
    let prefix = before.iter().zip(&after).take_while(same).count();
    let rest = before.len().min(after.len()) - prefix;
    let ends = before.iter().rev().zip(after.iter().rev());
    let suffix = ends.take(rest).take_while(same).count();
    if prefix + suffix == before.len().max(after.len()) {
        return None;
    }
    let mut changed = prefix..after.len() - suffix;
    let gone = &before[prefix..before.len() - suffix];
    if changed.is_empty() || !is_balanced(gone.iter().map(|word| &old[Range::from(*word)])) {
        // Enclosing expressions were removed in part: what is left of them includes the adjacent
        // words.
        changed = changed.start.saturating_sub(1)..(changed.end + 1).min(after.len());
    }
    let changed = &after[changed];
    let words = changed.first()?.cover(*changed.last()?);
    let item = new.get(Range::from(place)).unwrap_or_default();
    let terms = syntax::parse_in(item, dialect).item.terms;
    let spans = terms.iter().map(|term| term.span.shifted(place.start));
    let holders = spans.filter(|span| span.contains(words));
    Some(holders.min_by_key(|span| span.len()).unwrap_or(words))
}

/// Returns true if the brackets among some words are balanced.
fn is_balanced<'t>(words: impl Iterator<Item = &'t str>) -> bool {
    let mut open = 0_usize;
    for word in words {
        match word {
            "(" | "[" | "{" => open += 1,
            ")" | "]" | "}" if open == 0 => return false,
            ")" | "]" | "}" => open -= 1,
            _ => {}
        }
    }
    open == 0
}

/// Returns the ranges of the tokens of a text, without whitespace and comments.
fn words(text: &str, dialect: Dialect) -> Vec<Span> {
    let tokens = lex_in(text, dialect).filter(|token| !token.kind.is_trivia());
    tokens.map(|token| token.span).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use db::FilePath;

    fn program(text: &str) -> (Database, FileId, ItemId) {
        let mut db = Database::new();
        let file = db.set_file(FilePath::disk("/p/a.rise"), text);
        let item = db.items(file)[0];
        (db, file, item)
    }

    fn stop_at(steps: usize) -> Stepping<'static> {
        Stepping {
            done: Some(steps),
            ..Stepping::default()
        }
    }

    #[test]
    fn a_size_that_is_tuned_gets_its_value() {
        let (db, file, item) = program(TWICE);
        let text = "splitJoinMap @ outermost(isMap)";
        let tunes = [("s".into(), 8)];
        let asked = Stepping {
            tunes: &tunes,
            ..Stepping::default()
        };
        let found = stepped(&db, item, file, text, asked).expect("it applies");
        let new = found.text.expect("it can be written");
        assert!(new.contains("split(8)"), "{new}");
        let open = stepped(&db, item, file, text, Stepping::default()).expect("it applies");
        let new = open.text.expect("it can be written");
        assert!(new.contains("depFun((n: Nat, s: Nat) =>"), "{new}");
        let tunes = [("t".into(), 8)];
        let asked = Stepping {
            tunes: &tunes,
            ..Stepping::default()
        };
        let message = stepped(&db, item, file, text, asked).expect_err("nothing is called so");
        assert!(
            message.contains("has no `tune` with the name `t`"),
            "{message}"
        );
    }

    const TWICE: &str = "def twice =\n  depFun(n: Nat => fun(xs: n.f32 =>\n    xs |> map(fun(x => x + 1.0f32)) |> map(fun(x => x * 2.0f32))\n  ))\n";

    #[test]
    fn a_strategy_is_shown_step_by_step() {
        let (db, file, item) = program(TWICE);
        let text = "topDown(mapFusion) ; topDown(toMapSeq)";
        let all = stepped(&db, item, file, text, Stepping::default()).expect("it applies");
        let rules: Vec<&str> = all
            .steps
            .iter()
            .filter(|step| !step.is_housekeeping)
            .map(|step| &*step.rule)
            .collect();
        assert_eq!(rules, ["mapFusion", "toMapSeq"]);
        assert_eq!(all.failure, None);
        assert!(
            all.text
                .as_deref()
                .is_some_and(|text| text.contains("mapSeq"))
        );
        let first = stepped(&db, item, file, text, stop_at(1)).expect("it applies");
        let after = first.text.expect("it can be written");
        assert!(!after.contains("mapSeq"), "{after}");
        let changed = &after[Range::from(first.changed.expect("it changes"))];
        assert_eq!(changed, "fun(x => (x + 1.0f32) * 2.0f32)");
        let none = stepped(&db, item, file, text, stop_at(0)).expect("it applies");
        assert_eq!(none.text.as_deref(), Some(TWICE));
    }

    #[test]
    fn a_strategy_that_fails_shows_its_steps_and_where_it_failed() {
        let (db, file, item) = program(TWICE);
        let text = "topDown(mapFusion) ; topDown(mapFusion)";
        let found = stepped(&db, item, file, text, Stepping::default()).expect("it is a strategy");
        assert_eq!(
            found
                .steps
                .iter()
                .filter(|step| !step.is_housekeeping)
                .count(),
            1
        );
        let (message, _) = found.failure.expect("there are no two maps any more");
        assert!(message.contains("mapFusion"), "{message}");
    }

    #[test]
    fn what_is_no_strategy_is_said() {
        let (db, file, item) = program(TWICE);
        for text in ["", "topDown(", "mapFuson", "rule r = map(id) |-> id", "3"] {
            let message = stepped(&db, item, file, text, Stepping::default()).expect_err(text);
            assert!(!message.is_empty(), "{text}");
        }
    }

    #[test]
    fn a_mistake_in_a_strategy_has_its_place() {
        let (db, file, item) = program(TWICE);
        let message = |text: &str| {
            stepped(&db, item, file, text, Stepping::default()).expect_err("it is wrong")
        };
        assert!(
            message("topDown(").contains("(column "),
            "{}",
            message("topDown(")
        );
        assert!(message("id ; mapFuson").contains("mapFuson` (column 6)"));
        assert!(message("id ;\n  mapFuson").contains(" (line 2, column 3)"));
        assert!(!message("mapFuson").contains("column"));
    }

    #[test]
    fn a_change_is_the_smallest_expression_that_holds_its_words() {
        let part = |old: &str, new: &'static str| {
            let text = |side: &str| format!("def f = {side}");
            let (old, new_text) = (text(old), text(new));
            let place = Span::new(0, new_text.len() as u32);
            let span = difference(&old, &new_text, place, Dialect::Rise);
            span.map(|span| new_text[Range::from(span)].to_owned())
        };
        let check = |old: &str, new: &'static str, expected: Option<&str>| {
            assert_eq!(part(old, new).as_deref(), expected, "{old} and {new}");
        };
        check("a |> map(f) |> g", "a |> mapSeq(f) |> g", Some("mapSeq"));
        check("a + b", "a  + b // c", None);
        check(
            "xs |> map(f)",
            "xs |> map(f) |> map(f)",
            Some("xs |> map(f) |> map(f)"),
        );
        check(
            "xs |> map(f) |> map(g)",
            "xs |> map(f >> g)",
            Some("f >> g"),
        );
        check("f(2.0f) * 1.0f", "f(3.0f) * 1.0f", Some("3.0f"));
        check("xs |> map(id) |> map(f)", "xs |> map(f)", Some("map(f)"));
        check("f(ä)", "f(ö)", Some("ö"));
    }
}
