//! The items of files: their syntax trees, languages and imports.

use std::sync::{Arc, LazyLock};

use syntax::{Dialect, Parsed, elevate};

use crate::files::{FileId, ItemId};
use crate::header::Declaration;
use crate::inputs::{Db, FileState, SourceFile, SourceItem};
use crate::language::Language;
use crate::trees::Tree;

/// An import of a file, or the naming of a strategy file in `@strategy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Import {
    /// The importing item, or the definition whose `@strategy` annotation names the file.
    pub item: ItemId,
    /// The imported or named file; `None` if there is none because the path is relative and the
    /// file of `item` is in no folder.
    pub target: Option<FileId>,
}

/// Returns the syntax tree of an item of a program; that of an empty text for an item of a strategy
/// file.
pub(crate) fn parsed(db: &dyn Db, item: ItemId) -> Arc<Parsed> {
    tree(db, item).program().unwrap_or_else(nothing_parsed)
}

/// Returns the syntax tree of an item of a strategy file; that of an empty text for an item of a
/// program.
pub(crate) fn strategy_parsed(db: &dyn Db, item: ItemId) -> Arc<elevate::Parsed> {
    tree(db, item)
        .strategy()
        .unwrap_or_else(|| Arc::new(elevate::parse("")))
}

fn tree(db: &dyn Db, item: ItemId) -> Tree {
    let source = SourceItem::from(item);
    db.trees().get(item, &source.text(db), language(db, source))
}

fn nothing_parsed() -> Arc<Parsed> {
    static NOTHING: LazyLock<Arc<Parsed>> = LazyLock::new(|| Arc::new(syntax::parse("")));
    NOTHING.clone()
}

pub(crate) fn dialect(db: &dyn Db, item: SourceItem) -> Dialect {
    language(db, item).dialect()
}

pub(crate) fn language(db: &dyn Db, item: SourceItem) -> Language {
    SourceFile::from(item.file(db)).language(db)
}

/// Returns the file's items; none if it has no text.
pub(crate) fn items(db: &dyn Db, file: SourceFile) -> Arc<[ItemId]> {
    match file.state(db) {
        FileState::Present(items) => items,
        FileState::Requested | FileState::Absent(_) => Arc::default(),
    }
}

#[salsa::tracked(returns(clone))]
pub(crate) fn imports(db: &dyn Db, file: SourceFile) -> Arc<[Import]> {
    let mut imports = Vec::new();
    for &item in items(db, file).iter() {
        if let Declaration::Import(path) = SourceItem::from(item).declares(db) {
            let target = file.path(db).import(path).map(|path| db.file_at(&path));
            imports.push(Import { item, target });
        }
    }
    imports.into()
}

/// Returns the files that the annotations `@strategy("file.elevate", name)` of the file's
/// definitions name, each with its definition.
#[salsa::tracked(returns(clone))]
pub(crate) fn strategy_files(db: &dyn Db, file: SourceFile) -> Arc<[Import]> {
    let mut named = Vec::new();
    for &item in items(db, file).iter() {
        if let Some(strategy) = SourceItem::from(item).strategy(db)
            && let Some((path, _)) = &strategy.file
        {
            let target = file.path(db).import(path).map(|path| db.file_at(&path));
            named.push(Import { item, target });
        }
    }
    named.into()
}
