//! A rewrite, applied: the same strategies and engine as on the command line.

use db::{Database, ItemId};
use elevate::engine::{Options, Step as Form, run};

use super::align::Step;
use super::program::{Program, path_of};
use super::strategies::Strategies;
use super::verify::same_term;
use super::{reasons, rewritten};
use crate::SourceEdits;

/// A definition after a rewrite at one place.
#[derive(Clone, Debug, PartialEq)]
pub struct AppliedRewrite {
    /// Its new text.
    pub text: String,
    /// The smallest edits of its file that lead there.
    pub edits: SourceEdits,
    /// A strategy that does the same to the whole definition.
    pub step: String,
}

/// The definition with a strategy, as it is written, applied at a place of it.
///
/// # Errors
/// Why it does not apply, or why the result cannot be written, in words.
pub fn apply_rewrite(
    db: &Database,
    item: ItemId,
    strategy: &str,
    path: &[Step],
) -> Result<AppliedRewrite, String> {
    let broken = || "the definition has mistakes".to_owned();
    let def = db.elaborated(item).ok_or_else(broken)?;
    let too_large = |_| "the program becomes too large".to_owned();
    let (store, strategies) = Strategies::start(db.used_programs(item));
    let mut program = Program::of(store, &db.strategy_def(&def)).map_err(too_large)?;
    let unknown = || format!("there is no strategy `{strategy}`");
    let found = strategies.get(strategy).ok_or_else(unknown)?;
    let path = path_of(path);
    let located = std::sync::Arc::new(Form::At(path.clone(), found.clone()));
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
    let new = db.own_def(db.file_of(item), &new);
    // Where only functions are put in their places, that is what is to be seen.
    let exact = same_term(&def, &new);
    let done = rewritten(db, item, &new, exact).map_err(|error| error.to_string())?;
    Ok(AppliedRewrite {
        step: super::record::step(&mut program, root, &found, strategy, &path),
        text: done.text,
        edits: done.edits,
    })
}
