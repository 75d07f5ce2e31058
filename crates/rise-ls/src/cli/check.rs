//! Implements `rise-ls --check` and `rise-ls check`, which report the diagnostics of files.

use super::args::{CheckOptions, Deny, Format, Level};
use super::report::{Report, Reporter};
use super::stats::Stats;
use super::workspace::{Workspace, not_text};
use super::{BAD_USAGE, FAILURE, SUCCESS, github, human, json, output, sarif};
use db::{Database, ItemId, Target};
use std::path::PathBuf;
use std::thread;
use syntax::{Diagnostic, Severity};

/// Checks the files, prints what is found, and returns the exit status.
pub fn run(paths: &[PathBuf], options: &CheckOptions) -> u8 {
    let mut stats = Stats::start();
    let mut workspace = Workspace::load(paths, options.language, &options.imports);
    workspace.db.set_target(options.target);
    stats.read();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let estimates = options.level == Some(Level::Hint);
    let report = check(&workspace, threads, estimates);
    stats.checked(threads);
    let level = level(options);
    let assumed = report.count(Severity::Information);
    let hidden = (level < Severity::Information && assumed > 0).then(|| hidden(assumed));
    let outcome = status(&report, workspace.unreadable, options.deny);
    let report = report.at_least(level);
    let status = output::result(outcome, |out| match options.format {
        Format::Human => human::write(&report, &output::stdout_renderer(), out),
        Format::Json => json::write(&report, out),
        Format::Sarif => sarif::write(&report, &workspace.base, out),
        Format::Github => github::write(&report, hidden.as_deref(), out),
    });
    let files = workspace.files.len() + workspace.not_text.len();
    if options.format == Format::Human && (files > 0 || !workspace.unreadable) {
        let mut summary = summary(&report, files);
        if let Some(hidden) = hidden {
            summary.push_str("; ");
            summary.push_str(&hidden);
        }
        output::message(&summary);
    }
    if let Some(target) = options.target
        && let Some(skipped) = skipped(&workspace, target)
    {
        output::note(&skipped);
    }
    if options.stats {
        output::message(&stats.finish(&workspace));
    }
    status
}

/// Returns the lowest severity that is printed. All findings that make the check fail are printed,
/// whatever `--level` says. JSON and SARIF, which programs read, contain all findings by default
/// except performance hints, whose computation takes time; the other formats contain errors and
/// warnings.
fn level(options: &CheckOptions) -> Severity {
    match (options.level, options.format) {
        (Some(level), _) => match options.deny {
            Some(Deny::Warnings) => Severity::Warning.max(level.into()),
            None => level.into(),
        },
        (None, Format::Json | Format::Sarif) => Severity::Hint,
        (None, Format::Human | Format::Github) => Severity::Warning,
    }
}

/// Returns the text that tells the number of obligations which are not printed.
fn hidden(count: usize) -> String {
    format!(
        "{} (`--level information` lists {})",
        counted(count, "obligation"),
        if count == 1 { "it" } else { "them" }
    )
}

/// Returns the text that tells how many definitions are not checked for the target because their
/// `@target` names only others; `None` if there are none.
fn skipped(workspace: &Workspace, target: Target) -> Option<String> {
    let db = &workspace.db;
    let items = workspace
        .files
        .iter()
        .flat_map(|&file| db.items(file).to_vec());
    let is_for_others = |item: &ItemId| {
        let parsed = db.parsed(*item);
        let mut marked = codegen::marked_targets(&parsed.item).peekable();
        marked.peek().is_some() && marked.all(|marked| marked != target)
    };
    let count = items.filter(is_for_others).count();
    let title = target.title();
    let are = if count == 1 { "is" } else { "are" };
    (count > 0).then(|| {
        format!(
            "{} with another `@target` {are} not checked for {title}",
            counted(count, "definition")
        )
    })
}

/// Returns a report with the diagnostics of all files, also imported ones, and one error for each
/// requested file that is not UTF-8. With `estimates`, it also has the performance hints of the
/// definitions that have a target.
fn check(workspace: &Workspace, threads: usize, estimates: bool) -> Report {
    let mut reporter = Reporter::new(&workspace.db, &workspace.base);
    for (_, items) in workspace.db.check_all(&workspace.files, threads) {
        for (item, diagnostics) in items {
            reporter.item(item, &diagnostics);
        }
    }
    if estimates {
        let db = &workspace.db;
        for item in (workspace.files.iter()).flat_map(|&file| db.items(file).to_vec()) {
            reporter.item(item, &performance_hints(db, item).unwrap_or_default());
        }
    }
    for (path, bad) in &workspace.not_text {
        reporter.outside(path, &bad.lossy, &not_text(bad));
    }
    reporter.finish()
}

/// Returns the performance hints of a definition in its first target; `None` if it has no target or
/// no code.
fn performance_hints(db: &Database, item: ItemId) -> Option<Vec<Diagnostic>> {
    let target = db.targets(item).iter().next()?;
    let found = db.estimate_on(item, target, None, &[]).ok()?;
    Some(found.hints.clone())
}

fn status(report: &Report, unreadable: bool, deny: Option<Deny>) -> u8 {
    let fails = |severity| match (severity, deny) {
        (Severity::Error, _) | (Severity::Warning, Some(Deny::Warnings)) => true,
        (Severity::Warning | Severity::Information | Severity::Hint, _) => false,
    };
    if unreadable {
        BAD_USAGE
    } else if report
        .findings
        .iter()
        .any(|finding| fails(finding.severity))
    {
        FAILURE
    } else {
        SUCCESS
    }
}

/// Summarises a report: `2 errors, 1 obligation in 3 files`.
pub fn summary(report: &Report, files: usize) -> String {
    let kinds = [
        (Severity::Error, "error"),
        (Severity::Warning, "warning"),
        (Severity::Information, "obligation"),
        (Severity::Hint, "hint"),
    ];
    let counts = kinds.map(|(severity, word)| (report.count(severity), word));
    let found: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| counted(*count, word))
        .collect();
    let found = if found.is_empty() {
        "no errors".to_owned()
    } else {
        found.join(", ")
    };
    format!("{found} in {}", counted(files, "file"))
}

pub fn counted(count: usize, word: &str) -> String {
    if count == 1 {
        format!("1 {word}")
    } else {
        format!("{count} {word}s")
    }
}
