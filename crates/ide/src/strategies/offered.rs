//! The strategies that menus offer for definitions of programs.

use db::{Database, Declaration, FileId, Language};
use elevate::lang::{DefinitionKind, Flavour, Param, Signature, Type, library, type_text};
use syntax::GlobalId;
use syntax::elevate::ast::Item;

use crate::rewrites::menu;

/// A strategy for programs, or a function that returns one when it is applied to its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct OfferedStrategy {
    /// The name.
    pub name: String,
    /// The title from its `@title`, with parameters in braces.
    pub title: Option<String>,
    /// The word in its `@kind`, such as `fuse` or `tile`, which names the menu that contains it.
    pub kind: Option<String>,
    /// The documentation, in Markdown.
    pub docs: Option<String>,
    /// True if it is a single rule, which is tried at one place.
    pub is_rule: bool,
    /// The lists of parameters.
    pub parameters: Vec<Vec<StrategyParameter>>,
    /// The file that defines it; `None` for a definition of the strategy library whose file is not
    /// in the database.
    pub file: Option<FileId>,
    /// True if it is part of the strategy library.
    pub is_library: bool,
}

impl OfferedStrategy {
    /// Returns true if `@strategy` can name it: it is not a rule, has no required parameters, and
    /// its name is an identifier.
    pub(crate) fn is_nameable(&self) -> bool {
        let mut parameters = self.parameters.iter().flatten();
        !self.is_rule && is_word(&self.name) && parameters.all(|parameter| parameter.optional)
    }
}

fn is_word(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Returns the name of a strategy in an expression: quoted if it is no identifier.
pub(crate) fn quoted_name(name: &str) -> String {
    match is_word(name) {
        true => name.to_owned(),
        false => format!("`{name}`"),
    }
}

/// A parameter of a strategy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrategyParameter {
    /// The name of the parameter.
    pub name: String,
    /// The type, as text.
    pub ty: String,
    /// True if it is optional.
    pub optional: bool,
}

/// Returns the strategies of all strategy files on disk, in the order of each file, followed by
/// those of the strategy library, of which the ones with a title come first. Hidden strategies,
/// predicates, and strategies with required parameters that a menu cannot ask for are left out.
pub fn offered_strategies(db: &Database) -> Vec<OfferedStrategy> {
    let mut found = Vec::new();
    for file in db.files() {
        if db.language(file) == Language::Elevate && db.path(file).as_disk().is_some() {
            own(db, file, &mut found);
        }
    }
    let mut shipped: Vec<OfferedStrategy> = library()
        .items()
        .filter_map(|id| {
            let item = library().item(id)?;
            let signature = library().signature(id)?;
            let mut strategy = offered(&item.name()?.name, item, &signature)?;
            strategy.file = db.strategy_place(id).map(|(file, ..)| file);
            strategy.is_library = true;
            Some(strategy)
        })
        .collect();
    shipped.sort_by_key(|strategy| strategy.title.is_none());
    found.append(&mut shipped);
    found
}

/// Returns the strategy files that a file of a program imports or names in `@strategy`, and those
/// in its folder, without those of the library.
pub(crate) fn files_for(db: &Database, program: FileId) -> Vec<FileId> {
    let mut found = db.needs(program);
    let path = db.path(program);
    let folder = path.as_disk().and_then(|path| path.parent());
    let beside = db.files().into_iter().filter(|file| {
        let path = db.path(*file);
        folder.is_some() && path.as_disk().and_then(|path| path.parent()) == folder
    });
    for file in beside {
        if !found.contains(&file) {
            found.push(file);
        }
    }
    found.retain(|file| db.language(*file) == Language::Elevate && !db.is_library(*file));
    found
}

/// Adds the strategies that a strategy file defines and that menus offer.
pub(crate) fn own(db: &Database, file: FileId, found: &mut Vec<OfferedStrategy>) {
    for &item in &*db.items(file) {
        let Declaration::Def(name) = &db.header(item).declares else {
            continue;
        };
        let id: GlobalId = item.global();
        let signature = db.strategy_signature(id);
        let parsed = db.strategy_parsed(item);
        if let Some(strategy) = offered(name, &parsed.item, &signature) {
            found.push(OfferedStrategy {
                file: Some(file),
                ..strategy
            });
        }
    }
}

fn offered(name: &str, item: &Item, signature: &Signature) -> Option<OfferedStrategy> {
    if item.attribute("hidden").is_some()
        || matches!(signature.sort, DefinitionKind::Pred | DefinitionKind::Tune)
    {
        return None;
    }
    let (lists, result) = signature.scheme.lists();
    let Type::Strategy(flavour) = *result else {
        return None;
    };
    if flavour == Flavour::Pred {
        return None;
    }
    let parameter = |param: &Param| {
        (param.optional || can_be_asked(&param.ty)).then(|| StrategyParameter {
            name: param.name.to_string(),
            ty: type_text(&param.ty, &signature.scheme.params),
            optional: param.optional,
        })
    };
    let parameters: Option<Vec<Vec<StrategyParameter>>> = lists
        .iter()
        .map(|list| list.iter().map(parameter).collect())
        .collect();
    Some(OfferedStrategy {
        name: name.to_owned(),
        title: word(item, "title"),
        kind: word(item, "kind"),
        docs: signature.docs.as_deref().map(str::to_owned),
        is_rule: flavour == Flavour::Rule || signature.sort == DefinitionKind::Rule,
        parameters: parameters?,
        file: None,
        is_library: false,
    })
}

/// Returns true if a menu can ask for a value of this type.
fn can_be_asked(ty: &Type) -> bool {
    match ty {
        Type::Nat | Type::Int | Type::Bool | Type::String | Type::Addr => true,
        Type::List(of) => can_be_asked(of),
        _ => false,
    }
}

/// Returns the word or text that an attribute has as its argument.
fn word(item: &Item, attribute: &str) -> Option<String> {
    let argument = item.attribute(attribute)?.args.first()?;
    menu::word(item, &argument.value).map(str::to_owned)
}
