//! Implements `rise-ls rewrite`, which applies a strategy to a definition.

mod options;
mod show;
mod strategy;

pub use options::RewriteOptions;

use super::fmt::{has_mark, replace};
use super::report::{Reporter, shown};
use super::watch::Watch;
use super::workspace::Workspace;
use super::{BAD_USAGE, FAILURE, INTERRUPTED, SUCCESS, diff, human, output, select};
use crate::loader::reason;
use crate::run::causes;
use db::{Database, FileId, ItemId, Refusal};
use elevate::engine::{Options as Fuel, Reason};
use elevate::lang::{NotRewritten, Request, Rewritten};
use rise::Primitive;
use rise::core::{Def, def_text};
use std::io::Write;
use strategy::StrategySource;
use syntax::elevate::ast::ItemKind;
use syntax::{Diagnostic, Severity};

pub fn run(options: &RewriteOptions) -> u8 {
    if options.write && options.file.as_os_str() == "-" {
        output::error("`--write` changes a file, and standard input is not a file");
        return BAD_USAGE;
    }
    let loaded = Workspace::load_file(&options.file, options.language, &options.imports);
    let (mut workspace, file) = match loaded {
        Ok(loaded) => loaded,
        Err(status) => return status,
    };
    let Some(chosen) = strategy::choose(&mut workspace, file, options) else {
        return BAD_USAGE;
    };
    match apply(&workspace, file, &chosen, options) {
        Ok(status) | Err(status) => status,
    }
}

/// Applies the strategy to the selected definition, and returns the exit status.
fn apply(
    workspace: &Workspace,
    file: FileId,
    chosen: &StrategySource,
    options: &RewriteOptions,
) -> Result<u8, u8> {
    let db = &workspace.db;
    check_strategy(workspace, chosen)?;
    let item = definition(workspace, file, chosen, options)?;
    if db.language(db.file_of(item)) != db::Language::Rise {
        output::error("only definitions of RISE are rewritten");
        return Err(BAD_USAGE);
    }
    let watch = Watch::start(None, |_| stopped());
    let cancelled = || watch.limits().cancel.is_cancelled();
    let request = Request {
        options: Fuel {
            trace: options.trace,
            steps: options.limit.unwrap_or(Fuel::default().steps),
            cancelled: Some(&cancelled),
            ..Fuel::default()
        },
        may_extend: options.open_sizes || may_extend(db, item),
        tunes: &options.tune,
    };
    let rewritten = db.rewrite(item, chosen.id(), &request);
    watch.finish();
    match rewritten {
        Ok(rewritten) if chosen.lowers() && is_unchanged(db, item, &rewritten) => {
            output::error(&format!(
                "`{}` changes nothing: the definition determines how everything is computed",
                chosen.name()
            ));
            Err(FAILURE)
        }
        Ok(rewritten) => finish(workspace, item, &rewritten, options),
        Err(refusal) => Err(refused(workspace, item, chosen, &refusal, options)),
    }
}

/// Prints that the command was interrupted, and returns the exit status.
fn stopped() -> u8 {
    output::note("stopped");
    INTERRUPTED
}

/// Returns true if the result of a strategy is the definition itself.
fn is_unchanged(db: &Database, item: ItemId, rewritten: &Rewritten) -> bool {
    let before = db.elaborated(item);
    before.is_some_and(|before| def_text(&before) == def_text(&rewritten.def))
}

/// Returns true if the definition may get further parameters without `--open-sizes`: its type is
/// not written, and no definition of RISE uses it.
fn may_extend(db: &Database, item: ItemId) -> bool {
    let written = db.parsed(item).item.whole_type().is_some();
    let of_programs = |user: &ItemId| db.language(db.file_of(*user)) == db::Language::Rise;
    !written && !db.users(item).iter().any(of_programs)
}

/// Prints the errors of the strategy and of the other items in its file. Returns the exit status as
/// `Err` if there are any.
fn check_strategy(workspace: &Workspace, chosen: &StrategySource) -> Result<(), u8> {
    match chosen.item() {
        Some(item) => check_strategies(workspace, workspace.db.file_of(item)),
        None => Ok(()),
    }
}

/// Prints the errors of a file of strategies, except those in examples, and those in a `tune`,
/// whose value may be replaced. Returns the exit status as `Err` if there are any.
fn check_strategies(workspace: &Workspace, file: FileId) -> Result<(), u8> {
    let db = &workspace.db;
    let mut reporter = Reporter::new(db, &workspace.base);
    for &item in db.items(file).iter() {
        let kind = &db.strategy_parsed(item).item.kind;
        if !matches!(kind, ItemKind::Example { .. } | ItemKind::Tune { .. }) {
            reporter.item(item, &errors(&db.item_diagnostics(item)));
        }
    }
    let report = reporter.finish();
    match report.findings.is_empty() {
        true => Ok(()),
        false => Err(human::errors(&report)),
    }
}

fn errors(found: &[Diagnostic]) -> Vec<Diagnostic> {
    let is_error = |found: &&Diagnostic| found.severity == Severity::Error;
    found.iter().filter(is_error).cloned().collect()
}

/// Returns the definition to rewrite: that of `--def`, else the one that the strategy names, else
/// the default one of the file. Prints an error if there is none, or the strategy names one of
/// another file.
fn definition(
    workspace: &Workspace,
    file: FileId,
    chosen: &StrategySource,
    options: &RewriteOptions,
) -> Result<ItemId, u8> {
    let db = &workspace.db;
    let named = chosen.item().and_then(|item| db.strategy_program(item));
    if let (None, Some(item)) = (&options.def, named) {
        if db.file_of(item) == file {
            return Ok(item);
        }
        let own = shown(&db.path(file), &workspace.base);
        let other = shown(&db.path(db.file_of(item)), &workspace.base);
        output::error(&format!(
            "the strategy is for a definition of {other}, not of {own}"
        ));
        output::note("choose a definition of the file with `--def NAME`");
        return Err(BAD_USAGE);
    }
    select(db, file, options.def.as_deref()).ok_or(BAD_USAGE)
}

/// Prints the result of a successful rewrite, and writes the file with `--write`.
fn finish(
    workspace: &Workspace,
    item: ItemId,
    rewritten: &Rewritten,
    options: &RewriteOptions,
) -> Result<u8, u8> {
    let db = &workspace.db;
    let file = db.file_of(item);
    let def = &rewritten.def;
    let path = shown(&db.path(file), &workspace.base);
    let old = db.text(file).to_string();
    let open: Vec<_> = rewritten
        .parameters
        .iter()
        .map(|p| p.name.clone())
        .collect();
    let new = ide::extended(db, item, def, &open);
    if let Err(error @ ide::Unwritable::Users(_)) = &new {
        output::error(&error.to_string());
        if let Some(open) = open.first() {
            output::note(&give_value(open));
        }
        return Err(FAILURE);
    }
    show::assumptions(db, rewritten);
    let (shown, text) = match &new {
        Ok(new) => (new.text.clone(), edited(&old, file, &new.edits)),
        Err(error) if options.diff || options.write => {
            output::error(&error.to_string());
            return Err(FAILURE);
        }
        // If the words of the file cannot be kept, the definition is pretty-printed.
        Err(_) => (printed_item(db, item, def), old.clone()),
    };
    let status = output::result(SUCCESS, |out| {
        if options.trace {
            show::trace(db, item, rewritten, &path, out)?;
        }
        if options.steps {
            show::counts(
                &rewritten.counts,
                rewritten.steps,
                rewritten.housekeeping,
                out,
            )?;
        }
        if options.diff {
            out.write_all(diff::unified(&path, &old, &text).as_bytes())
        } else if options.write {
            Ok(())
        } else {
            writeln!(out, "{}", shown.trim_end())
        }
    });
    if options.write && status == SUCCESS {
        write_file(&workspace.db, file, &old, &text, &path)?;
    }
    Ok(status)
}

/// Pretty-prints the definition after the documentation and annotations of the item. It is used if
/// the new definition cannot be written as edits of the text.
fn printed_item(db: &Database, item: ItemId, def: &Def<Primitive>) -> String {
    let old = db.item_text(item);
    let before_name = old.get(..db.header(item).span.start as usize);
    let start = before_name.and_then(|text| text.rfind("def"));
    let head = start.map_or("", |start| &old[..start]);
    syntax::format_item(&format!("{head}{}", def_text(def).trim_end()), "\n")
}

/// Returns advice for a size that the strategy leaves open.
fn give_value(name: &str) -> String {
    format!(
        "give it a value: `--tune {name}=32`, or `tune {name} : Nat = 32` in the strategy's file"
    )
}

/// Returns the text of the file after its edits; those of other files are ignored.
fn edited(old: &str, file: FileId, edits: &ide::SourceEdits) -> String {
    let mut text = old.to_owned();
    let of_file = edits.files.iter().filter(|(of, _)| *of == file);
    for edit in of_file.flat_map(|(_, edits)| edits.iter().rev()) {
        text.replace_range(std::ops::Range::from(edit.span), &edit.text);
    }
    text
}

fn write_file(db: &Database, file: FileId, old: &str, text: &str, shown: &str) -> Result<(), u8> {
    let path = db.path(file);
    let Some(disk) = path.as_disk() else {
        output::error(&format!("{shown}: is not a file"));
        return Err(BAD_USAGE);
    };
    if old == text {
        output::note(&format!("{shown}: stays as it is"));
        return Ok(());
    }
    replace(disk, text, has_mark(disk)).map_err(|problem| {
        output::error(&format!("{shown}: {}", reason(&problem)));
        BAD_USAGE
    })?;
    output::note(&format!("{shown}: written"));
    Ok(())
}

/// Prints the reason why nothing was rewritten, and returns the exit status.
fn refused(
    workspace: &Workspace,
    item: ItemId,
    chosen: &StrategySource,
    refusal: &Refusal,
    options: &RewriteOptions,
) -> u8 {
    let db = &workspace.db;
    if let Refusal::NotRewritten(NotRewritten::Failed(report)) = refusal {
        if report.failure.reason == Reason::Cancelled {
            return stopped();
        }
        if options.trace {
            let path = shown(&db.path(db.file_of(item)), &workspace.base);
            // The failure itself is printed below, even if the trace cannot be written.
            let _ = output::result(FAILURE, |out| {
                show::steps(db, item, &report.outcome.trace, &report.run, &path, out)
            });
        }
    }
    let mut reporter = Reporter::new(db, &workspace.base);
    match refusal {
        Refusal::NoProgram => {
            if db.linked(item).is_err() {
                for (item, errors) in causes(db, item) {
                    reporter.item(item, &errors);
                }
            }
        }
        Refusal::NotRewritten(NotRewritten::Parameters(open)) => {
            let names: Vec<String> = open.iter().map(|open| format!("`{}`", open.name)).collect();
            output::error(&format!(
                "the strategy gives no value to {}, and the definition cannot get a new parameter: its type is \
                 written, or other definitions use it",
                names.join(", ")
            ));
            output::note(&format!(
                "{}, or let it become a parameter with `--open-sizes`",
                give_value(&open[0].name)
            ));
            return FAILURE;
        }
        Refusal::NotRewritten(NotRewritten::NotTuned(wrong)) => {
            output::error(&wrong.message);
            output::note(&wrong.help);
            return BAD_USAGE;
        }
        _ => reporter.item(item, &[show::complaint(db, item, chosen, refusal)]),
    }
    let report = reporter.finish();
    if report.findings.is_empty() {
        output::error("the definition cannot be rewritten");
        return FAILURE;
    }
    human::errors(&report)
}
