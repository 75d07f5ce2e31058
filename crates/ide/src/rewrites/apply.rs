//! The application of a rewrite, with the strategies and the engine of the command line.

use std::sync::Arc;

use codegen::Target;
use db::{Database, ItemId};
use elevate::engine::{Options, StrategyKind as Form, run};
use elevate::term::Path;

use super::new_errors::new_error;
use super::program::Program;
use super::reasons;
use super::strategies::Strategies;
use super::verify::{FileEnv, reduced_or_rewritten};
use crate::SourceEdits;

/// The result of applying a rewrite at one place of a definition.
#[derive(Clone, Debug, PartialEq)]
pub struct AppliedRewrite {
    /// The new text of the definition.
    pub text: String,
    /// The edit of the file, from the first token that differs to the last one.
    pub edits: SourceEdits,
    /// A strategy that does the same when it is applied to the whole definition.
    pub step: String,
}

/// Applies a strategy, given as its source text, at the path of a subterm of a definition.
///
/// # Errors
/// Fails with a message if the definition has errors, if there is no such strategy, if it does not
/// apply, if the result cannot be written as text, or if the result has an error that the program
/// does not have.
pub fn apply_rewrite(
    db: &Database,
    item: ItemId,
    strategy: &str,
    path: &Path,
) -> Result<AppliedRewrite, String> {
    apply_rewrite_for(db, item, strategy, path, None)
}

/// Does the same as [`apply_rewrite`], for a result that becomes a program for a target.
///
/// # Errors
/// Fails like [`apply_rewrite`].
pub(crate) fn apply_rewrite_for(
    db: &Database,
    item: ItemId,
    strategy: &str,
    path: &Path,
    target: Option<Target>,
) -> Result<AppliedRewrite, String> {
    let broken = || "the definition has errors".to_owned();
    let def = db.elaborated(item).ok_or_else(broken)?;
    let too_large = |_| "the program becomes too large".to_owned();
    let (store, strategies) = Strategies::start(db.used_programs(item));
    let mut program = Program::of(store, &def).map_err(too_large)?;
    let unknown = || format!("there is no strategy `{strategy}`");
    let found = strategies.get(strategy).ok_or_else(unknown)?;
    let located = Arc::new(Form::At(path.clone(), found.clone()));
    let cancelled = || db.is_cancelled();
    let options = Options {
        facts: program.facts.clone(),
        cancelled: Some(&cancelled),
        ..Options::default()
    };
    let root = program.root();
    let outcome = run(&mut program.store, root, &located, &options);
    db.unwind_if_cancelled();
    let root = outcome
        .result
        .map_err(|failure| reasons::text(&program.store, &failure.reason))?;
    let new = program.export(root, &def).map_err(too_large)?;
    let done = reduced_or_rewritten(db, item, &new).map_err(|error| error.to_string())?;
    let (_, made) = FileEnv::of(db, item).read(&done.text)?;
    if let Some(error) = new_error(db, item, (&def, &Arc::new(made)), target, true) {
        return Err(error);
    }
    Ok(AppliedRewrite {
        step: super::record::step(&mut program, root, &found, strategy, path),
        text: done.text,
        edits: done.edits,
    })
}
