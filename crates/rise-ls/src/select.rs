//! Which definition of a file is meant, for commands and requests that may leave that open.

use db::{Database, Declares, FileId, ItemId, Language};
use syntax::ast::ItemKind;
use thiserror::Error;

/// Why it is not clear which definition is meant.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unclear {
    /// There is none of this name.
    #[error("the file has no definition `{wanted}`")]
    Missing {
        /// What was asked for.
        wanted: String,
        /// A name much like it.
        close: Option<String>,
        /// All that there are.
        known: Vec<String>,
    },
    /// There are none at all.
    #[error("the file has no definitions")]
    Nothing,
    /// There are several, and none is distinguished.
    #[error("the file has several definitions")]
    Several {
        /// Their names.
        known: Vec<String>,
    },
}

impl Unclear {
    /// What there is.
    pub fn note(&self) -> Option<String> {
        match self {
            Unclear::Missing {
                close: Some(close), ..
            } => Some(format!("did you mean `{close}`?")),
            Unclear::Missing { known, .. } | Unclear::Several { known } if !known.is_empty() => {
                Some(format!("it has {}", known.join(", ")))
            }
            Unclear::Missing { .. } | Unclear::Several { .. } => {
                Some("it has no definitions".to_owned())
            }
            Unclear::Nothing => None,
        }
    }
}

/// The definition of this name; without a name the file's only one, else the only one with sizes to
/// run with, else the only one that no other uses.
///
/// # Errors
/// There is none, or more than one.
pub fn definition(db: &Database, file: FileId, wanted: Option<&str>) -> Result<ItemId, Unclear> {
    let defs = definitions(db, file);
    let known = || defs.iter().map(|(_, name)| name.clone()).collect();
    if let Some(wanted) = wanted {
        let found = defs.iter().find(|(_, name)| name == wanted);
        return found.map(|(item, _)| *item).ok_or_else(|| {
            let names = defs.iter().map(|(_, name)| name.as_str());
            Unclear::Missing {
                wanted: wanted.to_owned(),
                close: rise::closest(wanted, names).map(Into::into),
                known: known(),
            }
        });
    }
    // Strategies speak of definitions without needing them.
    let is_program = |user: &ItemId| db.language(db.file_of(*user)) != Language::Elevate;
    let is_unused = |item: ItemId| !db.users(item).iter().any(is_program);
    let tests: [&dyn Fn(ItemId) -> bool; 3] = [&|_| true, &|item| has_run(db, item), &is_unused];
    for test in tests {
        let mut found = defs.iter().filter(|(item, _)| test(*item));
        if let (Some((item, _)), None) = (found.next(), found.next()) {
            return Ok(*item);
        }
    }
    Err(match defs.is_empty() {
        true => Unclear::Nothing,
        false => Unclear::Several { known: known() },
    })
}

/// The definitions of a file, with their names.
fn definitions(db: &Database, file: FileId) -> Vec<(ItemId, String)> {
    let named = |&item: &ItemId| match &db.header(item).declares {
        Declares::Def(name) if matches!(db.parsed(item).item.kind, ItemKind::Def { .. }) => {
            Some((item, name.to_string()))
        }
        _ => None,
    };
    db.items(file).iter().filter_map(named).collect()
}

/// Whether `@run(…)` stands above it.
fn has_run(db: &Database, item: ItemId) -> bool {
    let parsed = db.parsed(item);
    let mut names = parsed
        .item
        .annotations
        .iter()
        .filter_map(|a| a.name.as_ref());
    names.any(|name| name.name == "run")
}
