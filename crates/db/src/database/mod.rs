//! The type [`Database`], its constructors, and its methods for cancellation and for reading files,
//! items and the results of queries. The submodules have its other methods.

mod batch;
mod edit;
mod options;
mod stages;
mod strategies;

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};

use elevate::lang;
use ropey::Rope;
use rustc_hash::{FxHashMap, FxHashSet};
use salsa::Cancelled;
use syntax::ast::Name;
use syntax::{Diagnostic, Dialect, GlobalId, Span};

use crate::demand::evaluate;
use crate::files::{FileId, FilePath, ItemId, Layout, Paths};
use crate::header::{Declaration, Header};
use crate::inputs::{self, Db, FileState, Library, SourceFile, SourceItem};
use crate::items::{self, Import};
use crate::language::Language;
use crate::options::Options;
use crate::recursion::{Recursion, recursion};
use crate::runs::{self, RunInputs};
use crate::scope::{self, Binding, Scope};
use crate::strategies::{named, signature_of, strategy_checked};
use crate::trees::Trees;
use crate::{targets, types};

pub use batch::FileReport;

/// The files, and everything that is derived from them.
///
/// A clone is a snapshot: it is cheap, can be sent to another thread, and does not change. A write
/// blocks until every clone is dropped, and cancels their computations: wrap reads on a clone in
/// [`Database::catch_cancelled`]. A thread that holds a clone must not change the database, because
/// it would block itself.
#[salsa::db]
#[derive(Clone)]
pub struct Database {
    /// The texts and the ranges of their items; not in salsa, because no query reads them.
    layouts: Arc<FxHashMap<FileId, Arc<Layout>>>,
    paths: Arc<Mutex<Paths>>,
    trees: Arc<Trees>,
    /// The items that are in no file and can be reused.
    free: Arc<Vec<ItemId>>,
    /// The files whose imports have not been computed since they changed.
    unread_imports: Arc<FxHashSet<FileId>>,
    log: Option<Arc<Mutex<Vec<salsa::DatabaseKeyIndex>>>>,
    // Last, so that it is dropped last.
    storage: salsa::Storage<Self>,
}

#[salsa::db]
impl salsa::Database for Database {}

#[salsa::db]
impl Db for Database {
    fn file_at(&self, path: &FilePath) -> FileId {
        let mut paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&file) = paths.by_path.get(path) {
            return file;
        }
        let file = SourceFile::builder(
            path.clone(),
            path.language().unwrap_or_default(),
            FileState::Requested,
            None,
        )
        .durability(salsa::Durability::MEDIUM)
        .language_durability(salsa::Durability::HIGH)
        .path_durability(salsa::Durability::NEVER_CHANGE)
        .new(self)
        .into();
        paths.by_path.insert(path.clone(), file);
        paths.requested.push(file);
        file
    }

    fn trees(&self) -> &Trees {
        &self.trees
    }
}

impl Default for Database {
    fn default() -> Self {
        Database::new()
    }
}

/// Methods for cancellation.
impl Database {
    /// Returns true if the computations on this clone are cancelled, because a change waits until
    /// it is dropped. Long computations that use no queries should call this regularly.
    pub fn is_cancelled(&self) -> bool {
        inputs::is_cancelled(self)
    }

    /// Runs `read` on this clone. Fails if a change cancelled it, or if a query that it depends on
    /// panicked in another thread.
    pub fn catch_cancelled<T>(&self, read: impl FnOnce() -> T) -> Result<T, Cancelled> {
        Cancelled::catch(AssertUnwindSafe(read)).map_err(|cancelled| match cancelled {
            // If a change cancels another thread, salsa reports a panic of that thread to those
            // that wait for it.
            Cancelled::PropagatedPanic if self.is_cancelled() => Cancelled::PendingWrite,
            cancelled => cancelled,
        })
    }

    /// Unwinds to [`Database::catch_cancelled`] if [`Database::is_cancelled`].
    pub fn unwind_if_cancelled(&self) {
        salsa::Database::unwind_if_revision_cancelled(self);
    }
}

/// The size of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// The number of files with a text, including those of the libraries.
    pub files: usize,
    /// The number of bytes of their texts.
    pub text_bytes: usize,
    /// The number of items in files.
    pub items: usize,
    /// The number of items in the pool for reuse.
    pub free_items: usize,
    /// The number of syntax trees in memory.
    pub trees: usize,
}

/// Methods that evaluate types.
impl Database {
    /// Evaluates the type of an item and the types of everything that it uses, and returns the item
    /// as the argument of queries. Methods whose queries need types get their argument here.
    fn demand(&self, item: ItemId) -> SourceItem {
        evaluate(self, [item], &mut FxHashSet::default());
        item.into()
    }

    /// Returns the results of [`Database::demand`] for many items. Shared dependencies are visited
    /// once.
    fn demand_all(&self, items: &[ItemId]) -> impl Iterator<Item = SourceItem> {
        evaluate(self, items.iter().copied(), &mut FxHashSet::default());
        items.iter().map(|&item| item.into())
    }
}

/// Methods that read files, items and the results of queries.
impl Database {
    /// Returns the file at this path, if the database knows it: if its text or language was set, it
    /// was marked as absent, or another file was found to refer to it.
    pub fn file(&self, path: &FilePath) -> Option<FileId> {
        self.paths
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .by_path
            .get(path)
            .copied()
    }

    /// Returns the path of the file.
    pub fn path(&self, file: FileId) -> FilePath {
        SourceFile::from(file).path(self).clone()
    }

    /// Returns all files with a text, including those of the libraries, in the order of their
    /// paths.
    pub fn files(&self) -> Vec<FileId> {
        let mut files: Vec<FileId> = self.layouts.keys().copied().collect();
        files.sort_by(|a, b| {
            SourceFile::from(*a)
                .path(self)
                .cmp(SourceFile::from(*b).path(self))
        });
        files
    }

    /// Returns true if the file is part of the binary: a file of the standard library or of the
    /// strategy library.
    pub fn is_library(&self, file: FileId) -> bool {
        matches!(SourceFile::from(file).path(self), FilePath::Std(_))
    }

    /// Returns the language of the file.
    pub fn language(&self, file: FileId) -> Language {
        SourceFile::from(file).language(self)
    }

    /// Returns the dialect of the terms in the file, which is RISE for a strategy file.
    pub fn dialect(&self, file: FileId) -> Dialect {
        self.language(file).dialect()
    }

    /// Returns the state of the file.
    pub fn state(&self, file: FileId) -> FileState {
        SourceFile::from(file).state(self)
    }

    /// Returns the file's text, which is empty if it has none.
    pub fn text(&self, file: FileId) -> Rope {
        self.layouts
            .get(&file)
            .map(|layout| layout.rope.clone())
            .unwrap_or_default()
    }

    /// Returns the file's items, in the order of the text.
    pub fn items(&self, file: FileId) -> Arc<[ItemId]> {
        self.layouts
            .get(&file)
            .map(|layout| layout.items.clone())
            .unwrap_or_default()
    }

    /// Returns the item's text.
    pub fn item_text(&self, item: ItemId) -> Arc<str> {
        SourceItem::from(item).text(self)
    }

    /// Returns the file that contains the item, or contained it if it has been removed.
    pub fn file_of(&self, item: ItemId) -> FileId {
        SourceItem::from(item).file(self)
    }

    /// Returns the item's range in its file; an empty range at 0 if the item is in no file any
    /// more.
    pub fn item_span(&self, item: ItemId) -> Span {
        let layout = self.layouts.get(&self.file_of(item));
        layout
            .and_then(|layout| layout.span_of(item))
            .unwrap_or_default()
    }

    /// Returns the item that contains this offset in bytes of the file (or ends there), and the
    /// offset relative to the item's start; `None` if there is none. Between two adjacent items
    /// this is the later one.
    pub fn item_at(&self, file: FileId, offset: u32) -> Option<(ItemId, u32)> {
        self.layouts.get(&file)?.item_at(offset)
    }

    /// Returns the items that overlap or touch `range` of the file, in the order of the text.
    pub fn items_in(&self, file: FileId, range: Span) -> Vec<ItemId> {
        self.layouts
            .get(&file)
            .map(|layout| layout.items_in(range))
            .unwrap_or_default()
    }

    /// Converts a range of the item to one of its file.
    pub fn absolute(&self, item: ItemId, span: Span) -> Span {
        span.shifted(self.item_span(item).start)
    }

    /// Returns the syntax tree of an item of a program; for an item of a strategy file, that of an
    /// empty text.
    pub fn parsed(&self, item: ItemId) -> Arc<syntax::Parsed> {
        items::parsed(self, item)
    }

    /// Returns the syntax tree of an item of a strategy file; for an item of a program, that of an
    /// empty text.
    pub fn strategy_parsed(&self, item: ItemId) -> Arc<syntax::elevate::Parsed> {
        items::strategy_parsed(self, item)
    }

    /// Returns the result of checking an item of a strategy file.
    pub fn strategy_checked(&self, item: ItemId) -> Arc<lang::Checked> {
        strategy_checked(self, self.demand(item))
    }

    /// Returns the signature of a definition of a strategy file or of the strategy library.
    pub fn strategy_signature(&self, id: GlobalId) -> Arc<lang::Signature> {
        if !lang::Library::contains(id) {
            self.demand(self.item_of(id));
        }
        signature_of(self, id)
    }

    /// Returns the strategy that a definition names in `@strategy`; `None` if it names none, if the
    /// name cannot be resolved, or if it is not a strategy for a whole definition.
    pub fn strategy_of(&self, item: ItemId) -> Option<GlobalId> {
        named(self, self.demand(item).into())?.ok()
    }

    /// Returns the file of a definition of the strategy library, the range of the definition, and
    /// that of its name. Returns `None` for other definitions.
    pub fn strategy_place(&self, id: GlobalId) -> Option<(FileId, Span, Span)> {
        let place = lang::library().location(id)?;
        let (name, _) = lang::LIBRARY.get(place.file)?;
        let file = self.file(&FilePath::Std((*name).into()))?;
        Some((file, place.item, place.name))
    }

    /// Returns the item's header: the part of it, such as its name and the names that it uses, that
    /// other items depend on apart from its type.
    pub fn header(&self, item: ItemId) -> &Header {
        SourceItem::from(item).header(self)
    }

    /// Returns the result of type inference for the item. All types in it are unknown if the item
    /// is not a definition of a program, or if inference fails because of a bug.
    pub fn inference(&self, item: ItemId) -> Arc<rise::Inference> {
        types::inference(self, self.demand(item))
    }

    /// Returns the item's type; `None` if the item defines nothing, is recursive, or is in a
    /// strategy file, and if inference fails because of a bug.
    pub fn scheme(&self, item: ItemId) -> Option<Arc<rise::Scheme>> {
        types::scheme(self, self.demand(item))
    }

    /// Returns the results of [`Database::scheme`] for many items, in their order. Shared
    /// dependencies are visited once.
    pub fn schemes(
        &self,
        items: impl IntoIterator<Item = ItemId>,
    ) -> Vec<Option<Arc<rise::Scheme>>> {
        let items: Vec<ItemId> = items.into_iter().collect();
        let items = self.demand_all(&items);
        items.map(|item| types::scheme(self, item)).collect()
    }

    /// Returns all diagnostics of the item: of its syntax, names and types, of its strategy or its
    /// run as an example, and of its targets. Ranges are relative to the item.
    pub fn item_diagnostics(&self, item: ItemId) -> Arc<[Diagnostic]> {
        targets::all_diagnostics(self, self.demand(item).into())
    }

    /// Returns all diagnostics of the file, grouped by item, without items that have none. Ranges
    /// are relative to the item; [`Database::item_span`] returns its range.
    pub fn file_diagnostics(&self, file: FileId) -> Vec<(ItemId, Arc<[Diagnostic]>)> {
        self.file_diagnostics_without_runs(file, &FxHashSet::default())
    }

    /// Returns the result of [`Database::file_diagnostics`], but runs nothing for the items in
    /// `skipped`: for those, only the diagnostics of syntax, names and types are included.
    pub fn file_diagnostics_without_runs(
        &self,
        file: FileId,
        skipped: &FxHashSet<ItemId>,
    ) -> Vec<(ItemId, Arc<[Diagnostic]>)> {
        let items = self.items(file);
        targets::file_diagnostics(self, file, self.demand_all(&items), skipped)
    }

    /// Returns the items of the file whose complete diagnostics require running an example or a
    /// strategy, each with the texts that the result depends on. These are examples, and
    /// definitions of RISE that name a strategy or use, directly or not, one that does.
    pub fn runs(&self, file: FileId) -> Vec<(ItemId, RunInputs)> {
        runs::runs(self, file)
    }

    /// Returns the definitions of the file's own language that are in scope in it. The strategy
    /// library is not included.
    pub fn scope(&self, file: FileId) -> Arc<Scope> {
        scope::scope(self, file.into())
    }

    /// Returns the definitions of programs in scope in the file; for a program, the same as
    /// [`Database::scope`].
    pub fn program_scope(&self, file: FileId) -> Arc<Scope> {
        scope::programs(self, file.into())
    }

    /// Returns the definitions of strategy files that are in scope in the file: those of a strategy
    /// file, and those of the strategy files that it imports. The strategy library is not included.
    pub fn strategy_scope(&self, file: FileId) -> Arc<Scope> {
        scope::strategies(self, file.into())
    }

    /// Resolves a free name among the definitions of [`Database::scope`].
    pub fn resolve(&self, file: FileId, name: &str) -> Binding {
        self.scope(file).resolve(name)
    }

    /// Returns the file's imports.
    pub fn imports(&self, file: FileId) -> Arc<[Import]> {
        items::imports(self, file.into())
    }

    /// Returns the strategy files that the annotations of the file's definitions name, each with
    /// the definition.
    pub fn strategy_files(&self, file: FileId) -> Arc<[Import]> {
        items::strategy_files(self, file.into())
    }

    /// Returns the files that the file depends on directly: its imports, and those of its
    /// definitions' strategies.
    pub fn needs(&self, file: FileId) -> Vec<FileId> {
        let imports = self.imports(file);
        let strategies = self.strategy_files(file);
        let all = imports.iter().chain(strategies.iter());
        all.filter_map(|import| import.target).collect()
    }

    /// Returns the recursive definitions of the file, and of the files in the same import cycle.
    pub fn recursion(&self, file: FileId) -> Arc<Recursion> {
        recursion(self, file.into())
    }

    /// Returns the bindings of the item's free names, in the order of the names. Unknown names and
    /// primitives are left out.
    pub fn bindings(&self, item: ItemId) -> Arc<[(Name, Binding)]> {
        scope::bindings(self, item.into()).clone()
    }

    /// Returns the items in all files that use this definition: by a name that refers to it or is
    /// ambiguous between it and others, or as the strategy that they name in `@strategy`.
    pub fn users(&self, item: ItemId) -> Vec<ItemId> {
        let Declaration::Def(name) = &self.header(item).declares else {
            return Vec::new();
        };
        let home = self.file_of(item);
        let everywhere = self.is_library(home);
        let mut users = Vec::new();
        for file in self.files() {
            let sees = everywhere || file == home || self.needs(file).contains(&home);
            if sees {
                users.extend(
                    self.items(file)
                        .iter()
                        .copied()
                        .filter(|&user| self.depends_on(user, name, item)),
                );
            }
        }
        users
    }

    fn depends_on(&self, user: ItemId, name: &str, item: ItemId) -> bool {
        if !self.header(user).names(name) {
            return false;
        }
        let of = |bindings: &[(Name, Binding)]| {
            bindings.iter().any(|(_, binding)| match binding {
                Binding::Def(found) => *found == item,
                Binding::Ambiguous(found) => found.contains(&item),
                Binding::Broken | Binding::Unknown => false,
            })
        };
        of(scope::bindings(self, user.into()))
            || of(scope::program_bindings(self, user.into()))
            || self.strategy_of(user) == Some(item.global())
    }

    /// Returns the number by which diagnostics, inference and strategies identify the item.
    pub fn global(&self, item: ItemId) -> GlobalId {
        item.global()
    }

    /// Returns the item with this number, which must come from this database.
    pub fn item_of(&self, global: GlobalId) -> ItemId {
        ItemId::from_global(global)
    }

    /// Returns the size of the database.
    pub fn usage(&self) -> Usage {
        Usage {
            files: self.layouts.len(),
            text_bytes: self
                .layouts
                .values()
                .map(|layout| layout.rope.len_bytes())
                .sum(),
            items: self.layouts.values().map(|layout| layout.items.len()).sum(),
            free_items: self.free.len(),
            trees: self.trees.len(),
        }
    }

    /// Returns the queries that were executed (not those with a reused result) since the last call,
    /// in order. Only a database created by [`Database::logged`] has this log.
    pub fn take_log(&self) -> Vec<(String, LogKey)> {
        let Some(log) = &self.log else {
            return Vec::new();
        };
        let keys = std::mem::take(&mut *log.lock().unwrap_or_else(PoisonError::into_inner));
        let name = |key: &salsa::DatabaseKeyIndex| {
            salsa::Database::ingredient_debug_name(self, key.ingredient_index()).into_owned()
        };
        keys.iter()
            .map(|key| (name(key), LogKey(key.key_index())))
            .collect()
    }
}

/// The argument of a logged query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogKey(salsa::Id);

impl LogKey {
    /// Returns the argument as a file. This must only be called for queries about files.
    pub fn file(self) -> FileId {
        FileId::from_id(self.0)
    }

    /// Returns the argument as an item. This must only be called for queries about items.
    pub fn item(self) -> ItemId {
        ItemId::from_id(self.0)
    }
}

/// Constructors.
impl Database {
    /// Creates a database that contains only the standard library and the strategy library.
    pub fn new() -> Self {
        Database::with_storage(salsa::Storage::default(), None)
    }

    /// Creates a database that logs the queries that it executes, for [`Database::take_log`].
    pub fn logged() -> Self {
        let log = Arc::new(Mutex::new(Vec::new()));
        let writer = log.clone();
        let storage = salsa::Storage::new(Some(Box::new(move |event: salsa::Event| {
            if let salsa::EventKind::WillExecute { database_key } = event.kind {
                writer
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(database_key);
            }
        })));
        Database::with_storage(storage, Some(log))
    }

    fn with_storage(
        storage: salsa::Storage<Self>,
        log: Option<Arc<Mutex<Vec<salsa::DatabaseKeyIndex>>>>,
    ) -> Self {
        let mut db = Database {
            layouts: Arc::default(),
            paths: Arc::default(),
            trees: Arc::default(),
            free: Arc::default(),
            unread_imports: Arc::default(),
            log,
            storage,
        };
        let files: Box<[FileId]> = rise::STD
            .iter()
            .map(|(name, text)| db.load_library_file(name, text))
            .collect();
        let standard = files.iter().flat_map(|&file| db.items(file).to_vec());
        ItemId::number_from_first(standard);
        let _singleton = Library::builder(files)
            .durability(salsa::Durability::HIGH)
            .new(&db);
        for (name, text) in lang::LIBRARY {
            db.show_library_file(name, text);
        }
        let _singleton = Options::builder(
            None,
            Arc::default(),
            codegen::Options::default(),
            rise::core::Launch::default(),
        )
        .durability(salsa::Durability::HIGH)
        .new(&db);
        db
    }
}
