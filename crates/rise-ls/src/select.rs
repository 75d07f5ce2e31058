//! Selects the definition of a file that a command or request refers to.

use db::{Database, Declaration, FileId, ItemId, Language};
use syntax::ast::ItemKind;
use thiserror::Error;

/// The reason why no definition can be selected.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unclear {
    /// No definition has this name.
    #[error("the file has no definition `{wanted}`")]
    Missing {
        /// The requested name.
        wanted: String,
        /// A similar name of a definition, if there is one.
        close: Option<String>,
        /// The names of all definitions.
        known: Vec<String>,
    },
    /// The file has no definitions.
    #[error("the file has no definitions")]
    Nothing,
    /// There are several definitions, and no rule selects one.
    #[error("the file has several definitions")]
    Several {
        /// The names of all definitions.
        known: Vec<String>,
    },
}

impl Unclear {
    /// Returns the error for a name that is not among the known ones.
    pub fn missing(wanted: &str, known: Vec<String>) -> Unclear {
        let names = known.iter().map(String::as_str);
        Unclear::Missing {
            wanted: wanted.to_owned(),
            close: rise::closest(wanted, names).map(Into::into),
            known,
        }
    }

    /// Returns advice: a similar name, or else the names of all definitions, or that there are
    /// none. Returns `None` for [`Unclear::Nothing`].
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

/// Returns the first definition of this name. Without a name, returns the only definition, else the
/// only one with an `@run` annotation, else the only one that no item uses, except for items of
/// ELEVATE.
///
/// # Errors
/// Fails if no definition has this name; without a name, if none of these rules selects exactly one
/// definition.
pub fn definition(db: &Database, file: FileId, wanted: Option<&str>) -> Result<ItemId, Unclear> {
    let defs = definitions(db, file);
    let known = || defs.iter().map(|(_, name)| name.clone()).collect();
    if let Some(wanted) = wanted {
        let found = defs.iter().find(|(_, name)| name == wanted);
        let found = found.map(|(item, _)| *item);
        return found.ok_or_else(|| Unclear::missing(wanted, known()));
    }
    // Strategies may name definitions without using them.
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

/// Returns the `def` items of a file with their names.
fn definitions(db: &Database, file: FileId) -> Vec<(ItemId, String)> {
    let named = |&item: &ItemId| match &db.header(item).declares {
        Declaration::Def(name) if matches!(db.parsed(item).item.kind, ItemKind::Def { .. }) => {
            Some((item, name.to_string()))
        }
        _ => None,
    };
    db.items(file).iter().filter_map(named).collect()
}

/// Returns true if the definition has an `@run` annotation.
fn has_run(db: &Database, item: ItemId) -> bool {
    let parsed = db.parsed(item);
    let mut names = parsed
        .item
        .annotations
        .iter()
        .filter_map(|a| a.name.as_ref());
    names.any(|name| name.name == "run")
}
