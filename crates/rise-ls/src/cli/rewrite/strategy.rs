//! Resolves the strategy that the arguments of `rewrite` name.

use super::options::RewriteOptions;
use crate::cli::output;
use crate::cli::report::shown;
use crate::cli::workspace::Workspace;
use crate::loader::{self, Content};
use crate::select::Unclear;
use db::{Database, Declaration, FileId, FilePath, ItemId, Language};
use elevate::lang::library;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use syntax::GlobalId;
use syntax::elevate::ast::ItemKind;

/// The name of the file in the database that contains the expression of `--strategy`.
const ARGUMENT_NAME: &str = "<strategy>";

/// A resolved strategy, with its name for messages.
pub enum StrategySource {
    /// An item of a file, or of the expression of `--strategy`.
    Item(ItemId, String),
    /// A definition of the standard library.
    Library(GlobalId, String),
}

impl StrategySource {
    pub fn id(&self) -> GlobalId {
        match self {
            StrategySource::Item(item, _) => item.global(),
            StrategySource::Library(id, _) => *id,
        }
    }

    /// Returns the item, unless the strategy is in the standard library.
    pub fn item(&self) -> Option<ItemId> {
        match self {
            StrategySource::Item(item, _) => Some(*item),
            StrategySource::Library(..) => None,
        }
    }

    /// Returns true if it is a strategy of the library that lowers definitions for a target.
    pub fn lowers(&self) -> bool {
        match self {
            StrategySource::Library(_, name) => ide::lowers(name),
            StrategySource::Item(..) => false,
        }
    }

    pub fn name(&self) -> &str {
        match self {
            StrategySource::Item(_, name) | StrategySource::Library(_, name) => name,
        }
    }
}

/// Returns the selected strategy, or prints a message if there is none.
pub fn choose(
    workspace: &mut Workspace,
    file: FileId,
    options: &RewriteOptions,
) -> Option<StrategySource> {
    if let Some(named) = &options.strategy_file {
        let (path, name) = split(named);
        return from_file(workspace, &path, name);
    }
    let given = options.strategy.as_deref().unwrap_or_default();
    let (path, name) = split(given);
    if path
        .extension()
        .is_some_and(|end| end == Language::Elevate.extension())
    {
        return from_file(workspace, &path, name);
    }
    from_text(workspace, file, given)
}

/// Splits `FILE.elevate:NAME` into the path and the name. Any other text is a path without a name.
fn split(given: &str) -> (PathBuf, Option<&str>) {
    match given.rsplit_once(".elevate:") {
        Some((path, name)) => (PathBuf::from(format!("{path}.elevate")), Some(name)),
        None => (PathBuf::from(given), None),
    }
}

fn from_text(workspace: &mut Workspace, program: FileId, text: &str) -> Option<StrategySource> {
    if let Some(id) = library().named(text.trim()) {
        let own = workspace.db.strategy_scope(program);
        if matches!(own.resolve(text.trim()), db::Binding::Unknown) {
            return Some(StrategySource::Library(id, text.trim().to_owned()));
        }
    }
    let path = FilePath::disk(workspace.base.join(ARGUMENT_NAME));
    let file = workspace.db.set_strategy(path, text, program);
    workspace.load_imports();
    let items = workspace.db.items(file);
    let kind = |item: &ItemId| workspace.db.strategy_parsed(*item).item.kind.clone();
    let main = items
        .iter()
        .rev()
        .find(|item| matches!(kind(item), ItemKind::Main { .. }));
    // If the text is not an expression, the first item has the syntax error.
    match main.or(items.first()) {
        Some(&item) => Some(StrategySource::Item(item, "the strategy".to_owned())),
        None => {
            output::error("`--strategy` is empty");
            None
        }
    }
}

fn from_file(workspace: &mut Workspace, path: &Path, name: Option<&str>) -> Option<StrategySource> {
    let content = loader::read(path).map_err(|problem| output::error(&problem.to_string()));
    let text = match content.ok()? {
        Content::Text { text, .. } => text,
        Content::NotText(bad) => {
            output::error(&format!("{}: {}", path.display(), bad.message()));
            return None;
        }
    };
    let full = FilePath::disk(workspace.base.join(path));
    workspace.db.set_language(full.clone(), Language::Elevate);
    if full.language() != Some(Language::Elevate) {
        output::error(&format!("{}: not an .elevate file", path.display()));
        return None;
    }
    let file = workspace.db.set_file(full, text);
    workspace.files.push(file);
    Arc::make_mut(&mut workspace.roots).add_project_of_path(path);
    workspace.load_imports();
    let found = match name {
        Some(name) => named(&workspace.db, file, name),
        None => main(&workspace.db, file),
    };
    if found.is_none() && super::check_strategies(workspace, file).is_ok() {
        let shown = shown(&workspace.db.path(file), &workspace.base);
        nothing(&workspace.db, file, &shown, name);
    }
    found
}

fn named(db: &Database, file: FileId, name: &str) -> Option<StrategySource> {
    let item = *db.scope(file).own().by_name.get(name)?;
    Some(StrategySource::Item(item, format!("`{name}`")))
}

/// Returns the last main expression of the file, or else its only `val` definition.
fn main(db: &Database, file: FileId) -> Option<StrategySource> {
    let items = db.items(file);
    let kind = |item: &ItemId| db.strategy_parsed(*item).item.kind.clone();
    let main = items
        .iter()
        .rev()
        .find(|item| matches!(kind(item), ItemKind::Main { .. }));
    if let Some(&item) = main {
        return Some(StrategySource::Item(item, "the main expression".to_owned()));
    }
    let mut vals = items
        .iter()
        .filter(|item| matches!(kind(item), ItemKind::Val { .. }));
    match (vals.next(), vals.next()) {
        (Some(&item), None) => match &db.header(item).declares {
            Declaration::Def(name) => Some(StrategySource::Item(item, format!("`{name}`"))),
            _ => None,
        },
        _ => None,
    }
}

/// Reports that there is no such strategy, and suggests a definition of the file, or lists them.
fn nothing(db: &Database, file: FileId, shown: &str, wanted: Option<&str>) {
    let names: Vec<String> = db
        .items(file)
        .iter()
        .filter_map(|item| match &db.header(*item).declares {
            Declaration::Def(name) => Some(name.to_string()),
            _ => None,
        })
        .collect();
    let Some(wanted) = wanted else {
        output::error(&format!("{shown} has no main expression"));
        match names.is_empty() {
            true => output::note("it has no definitions"),
            false => output::note(&format!("name a definition: {shown}:{}", names[0])),
        }
        return;
    };
    output::error(&format!("{shown} defines no strategy `{wanted}`"));
    if let Some(note) = Unclear::missing(wanted, names).note() {
        output::note(&note);
    }
}
