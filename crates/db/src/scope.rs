//! The scopes of files: resolution of names that are not bound in an item.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use syntax::ast::Name;

use crate::files::{FileId, FilePath, ItemId};
use crate::header::Declaration;
use crate::inputs::{Db, FileState, Library, SourceFile, SourceItem};
use crate::items::{imports, items, language};
use crate::language::Language;

/// The definitions of a file, or of all files of the standard library.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Definitions {
    /// The definitions by name; the first of several with one name.
    pub by_name: FxHashMap<Name, ItemId>,
    /// The foreign functions, each with the tokens of its declaration, without comments.
    pub foreign: FxHashMap<ItemId, Box<str>>,
    /// The names that invalid definitions such as `type t = …` would define.
    pub synonyms: FxHashSet<Name>,
    /// The duplicate definitions, each with the first one of the same name, in the order of the
    /// text.
    pub duplicates: Box<[(ItemId, ItemId)]>,
}

/// The definition or definitions that a name refers to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Binding {
    /// A definition of this file, of an import, or of the library.
    Def(ItemId),
    /// Different definitions of several imports. Foreign functions with equal declarations do not
    /// count as different.
    Ambiguous(Box<[ItemId]>),
    /// No definition and no primitive, but an import that cannot be read could define it; or an
    /// invalid definition of this file such as `type t = …` would define it.
    Broken,
    /// No definition; it may be a primitive.
    Unknown,
}

/// The origin of a definition in scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// This file.
    Own,
    /// A file that this file imports.
    Imported,
    /// The standard library.
    Library,
}

/// The definitions of one language that are in scope in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    own: Arc<Definitions>,
    imported: Box<[Arc<Definitions>]>,
    library: Arc<Definitions>,
    has_broken_import: bool,
    language: Language,
}

impl Scope {
    /// Resolves `name`: first among the file's own definitions, then among those of its imports,
    /// then in the standard library.
    pub fn resolve(&self, name: &str) -> Binding {
        if let Some(&own) = self.own.by_name.get(name) {
            return Binding::Def(own);
        }
        let mut found: Vec<ItemId> = Vec::new();
        found.extend(
            self.imported
                .iter()
                .filter_map(|file| file.by_name.get(name)),
        );
        match *found {
            [] => self.resolve_outside(name),
            [one, ref others @ ..] if others.iter().all(|other| self.is_same(one, *other)) => {
                Binding::Def(one)
            }
            _ => Binding::Ambiguous(found.into()),
        }
    }

    /// Returns true if two imported items are foreign functions whose declarations have the same
    /// tokens.
    fn is_same(&self, one: ItemId, other: ItemId) -> bool {
        let declaration = |item| {
            self.imported
                .iter()
                .find_map(|file| file.foreign.get(&item))
        };
        declaration(one).is_some_and(|one| declaration(other) == Some(one))
    }

    fn resolve_outside(&self, name: &str) -> Binding {
        match self.library.by_name.get(name) {
            Some(&def) => Binding::Def(def),
            None if self.own.synonyms.contains(name) => Binding::Broken,
            None if is_primitive(name, self.language) => Binding::Unknown,
            None if self.has_broken_import => Binding::Broken,
            None => Binding::Unknown,
        }
    }

    /// Returns the file's own definitions; for a file of the standard library, those of all its
    /// files.
    pub fn own(&self) -> &Definitions {
        &self.own
    }

    /// Returns the definitions of the standard library if the scope is one of RISE; otherwise none.
    pub fn library(&self) -> &Definitions {
        &self.library
    }

    /// Returns all names in scope with their definitions, without shadowed ones, in no particular
    /// order. A name that several imports define occurs several times.
    pub fn names(&self) -> impl Iterator<Item = (&Name, ItemId, Origin)> {
        let own = self
            .own
            .by_name
            .iter()
            .map(|(name, &item)| (name, item, Origin::Own));
        let imported = self.imported.iter().flat_map(|file| &file.by_name);
        let imported = imported
            .filter(|(name, _)| !self.own.by_name.contains_key(*name))
            .map(|(name, &item)| (name, item, Origin::Imported));
        let library = self
            .library
            .by_name
            .iter()
            .filter(|(name, item)| self.resolve(name) == Binding::Def(**item));
        let library = library.map(|(name, &item)| (name, item, Origin::Library));
        let own_is_library = Arc::ptr_eq(&self.own, &self.library);
        own.filter(move |_| !own_is_library)
            .chain(imported)
            .chain(library)
    }
}

pub(crate) fn is_primitive(name: &str, language: Language) -> bool {
    match language {
        Language::Rise => rise::Primitive::from_name(name).is_some(),
        Language::Dpia => dpia::Prim::from_name(name).is_some(),
        Language::Elevate => false,
    }
}

/// Returns the file's own definitions.
#[salsa::tracked(returns(clone))]
pub(crate) fn definitions(db: &dyn Db, file: SourceFile) -> Arc<Definitions> {
    Arc::new(collect(db, items(db, file).iter().copied()))
}

/// Returns the definitions of the standard library for RISE, and none for other languages.
fn library(db: &dyn Db, language: Language) -> Arc<Definitions> {
    match (Library::try_get(db), language) {
        (Some(library), Language::Rise) => programs_library(db, library),
        // DPIA cannot use the functions of RISE, which have no access annotations. The strategy
        // library is part of ELEVATE, and its definitions are not in the database.
        (_, Language::Dpia | Language::Elevate) | (None, _) => Arc::default(),
    }
}

#[salsa::tracked(returns(clone))]
fn programs_library(db: &dyn Db, library: Library) -> Arc<Definitions> {
    let files = library.files(db).iter();
    let files: Vec<Arc<[ItemId]>> = files.map(|&file| items(db, file.into())).collect();
    Arc::new(collect(
        db,
        files.iter().flat_map(|items| items.iter().copied()),
    ))
}

fn collect(db: &dyn Db, items: impl Iterator<Item = ItemId>) -> Definitions {
    let mut by_name = FxHashMap::default();
    let mut foreign = FxHashMap::default();
    let mut duplicates = Vec::new();
    let mut synonyms = FxHashSet::default();
    for item in items {
        synonyms.extend(SourceItem::from(item).synonyms(db).iter().cloned());
        if let Declaration::Def(name) = SourceItem::from(item).declares(db) {
            let first = *by_name.entry(name.clone()).or_insert(item);
            if first != item {
                duplicates.push((item, first));
            }
            if let Some(declaration) = SourceItem::from(item).foreign(db) {
                foreign.insert(item, declaration.clone());
            }
        }
    }
    by_name.shrink_to_fit();
    Definitions {
        by_name,
        foreign,
        synonyms,
        duplicates: duplicates.into(),
    }
}

/// Returns the definitions of the file's own language that are in scope.
pub(crate) fn scope(db: &dyn Db, file: SourceFile) -> Arc<Scope> {
    match file.language(db) {
        Language::Rise | Language::Dpia => programs(db, file),
        Language::Elevate => strategies(db, file),
    }
}

/// Returns the definitions of programs that are in scope in the file: of DPIA in a file of DPIA,
/// and of RISE in others.
#[salsa::tracked(returns(clone))]
pub(crate) fn programs(db: &dyn Db, file: SourceFile) -> Arc<Scope> {
    let language = match file.language(db) {
        Language::Rise | Language::Elevate => Language::Rise,
        Language::Dpia => Language::Dpia,
    };
    Arc::new(scope_in(db, file, language))
}

/// Returns the definitions of strategy files that are in scope in the file. The strategy library is
/// not included.
#[salsa::tracked(returns(clone))]
pub(crate) fn strategies(db: &dyn Db, file: SourceFile) -> Arc<Scope> {
    Arc::new(scope_in(db, file, Language::Elevate))
}

/// Returns the definitions of this language that are in scope in the file.
fn scope_in(db: &dyn Db, file: SourceFile, language: Language) -> Scope {
    let library = library(db, language);
    let own_language = file.language(db);
    let in_library = matches!(file.path(db), FilePath::Std(_));
    let own = match own_language == language {
        true if in_library && language == Language::Rise => library.clone(),
        true => definitions(db, file),
        false => Arc::default(),
    };
    let mut scope = Scope {
        own,
        imported: Box::default(),
        library,
        has_broken_import: false,
        language,
    };
    if in_library {
        return scope;
    }
    let mut imports = imports(db, file).to_vec();
    let mut targets: Vec<_> = Vec::new();
    if let Some(program) = file.within(db) {
        imports.extend(crate::items::imports(db, program.into()).iter());
        targets.push(program);
    }
    targets.extend(imports.iter().filter_map(|import| import.target));
    targets.sort_unstable();
    targets.dedup();
    targets.retain(|&target| SourceFile::from(target) != file);
    let readable = |&target: &FileId| {
        let target = SourceFile::from(target);
        matches!(target.state(db), FileState::Present(_))
            && own_language.imports().contains(&target.language(db))
    };
    let is_broken =
        |item: &ItemId| *SourceItem::from(*item).declares(db) == Declaration::BrokenImport;
    scope.has_broken_import = !targets.iter().all(readable)
        || imports.iter().any(|import| import.target.is_none())
        || items(db, file).iter().any(is_broken);
    targets.retain(|target| readable(target) && SourceFile::from(*target).language(db) == language);
    scope.imported = targets
        .iter()
        .map(|&target| definitions(db, target.into()))
        .collect();
    scope
}

/// Returns the bindings of the item's free names, sorted by name; unknown names and primitives are
/// left out.
#[salsa::tracked]
pub(crate) fn bindings(db: &dyn Db, item: SourceItem) -> Arc<[(Name, Binding)]> {
    let header = item.header(db);
    if header.free_names.is_empty() {
        return Arc::default();
    }
    let scope = scope(db, item.file(db).into());
    resolved(&header.free_names, &scope)
}

/// Returns the bindings, to definitions of programs, of the names in an item of a strategy file,
/// sorted by name. Unknown names and primitives are left out. Returns none for other items.
pub(crate) fn program_bindings(db: &dyn Db, item: SourceItem) -> &[(Name, Binding)] {
    match language(db, item) {
        Language::Elevate => named_programs(db, item),
        Language::Rise | Language::Dpia => &[],
    }
}

#[salsa::tracked]
fn named_programs(db: &dyn Db, item: SourceItem) -> Arc<[(Name, Binding)]> {
    let programs = programs(db, item.file(db).into());
    resolved(&item.header(db).programs, &programs)
}

pub(crate) fn resolved(names: &[Name], scope: &Scope) -> Arc<[(Name, Binding)]> {
    let bindings = names.iter().map(|name| (name.clone(), scope.resolve(name)));
    bindings
        .filter(|(_, binding)| *binding != Binding::Unknown)
        .collect()
}

pub(crate) fn dependencies(db: &dyn Db, item: ItemId, mut visit: impl FnMut(ItemId)) {
    let own = bindings(db, item.into()).iter();
    for (_, binding) in own.chain(program_bindings(db, item.into()).iter()) {
        if let Binding::Def(used) = *binding {
            visit(used);
        }
    }
}
