//! The database: files in, everything that is known about them out, kept up to date by salsa.
//!
//! The unit of work is the item (an import or a definition): each has its own input, its text, and
//! one small tracked function per question. Positions are relative to the item, so that typing
//! above a definition recomputes nothing in it. This crate does no input or output, and is the
//! only one that knows salsa.

mod batch;
mod compiled;
mod cut;
mod device;
mod edit;
mod evaluation;
mod files;
mod flow;
mod guard;
mod header;
mod inputs;
mod language;
mod mentions;
mod notes;
mod phrases;
mod queries;
mod recursion;
mod scope;
mod stages;
mod strategies;
mod targets;
mod trees;
mod values;

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};

use ropey::Rope;
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::{Diagnostic, Dialect, GlobalId, Span};

use files::{Layout, Paths};
use inputs::{Library, Options, SourceFile, SourceItem};
use trees::Trees;

pub use batch::FileReport;
pub use cut::Prepared;
pub use dpia::target::VectorWidths;
pub use dpia::{Device, IndexPolicy, IndexWidth, Target, Targets};
pub use evaluation::RunInputs;
pub use files::{FileId, FilePath, ItemId, ReadError};
pub use header::{Declares, Header, StrategyName};
pub use inputs::FileState;
pub use language::Language;
pub use queries::Import;
pub use recursion::Recursion;
pub use salsa::Cancelled;
pub use scope::{Binding, Definitions, Origin, Scope};
pub use stages::Staged;
pub use strategies::{GivenStrategy, LoweredDef, Refusal};
pub use values::{Values, default_sizes};

/// What the tracked functions may ask of the database besides salsa.
#[salsa::db]
pub(crate) trait Db: salsa::Database {
    /// The file at this path, which becomes a wanted one if nobody has named it before.
    fn file_at(&self, path: &FilePath) -> FileId;
    /// Syntax trees that are still around.
    fn trees(&self) -> &Trees;
}

/// Files, and everything that is known about them.
///
/// A clone is a snapshot: it is cheap, may be sent to another thread, and sees no later change. A
/// change waits until every clone is dropped, and cancels what they are computing: wrap reads on
/// a clone in [`Database::catch_cancelled`]. Never change the database on a thread that also holds a clone.
#[salsa::db]
#[derive(Clone)]
pub struct Database {
    /// Texts and where their items stand; not in salsa, because no tracked function reads it.
    layouts: Arc<FxHashMap<FileId, Arc<Layout>>>,
    paths: Arc<Mutex<Paths>>,
    trees: Arc<Trees>,
    /// Items that belong to no file and wait to be used again.
    free: Arc<Vec<ItemId>>,
    /// Files whose imports have not been looked at since they changed.
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
            FileState::Wanted,
            None,
        )
        .durability(salsa::Durability::MEDIUM)
        .language_durability(salsa::Durability::HIGH)
        .path_durability(salsa::Durability::NEVER_CHANGE)
        .new(self)
        .into();
        paths.by_path.insert(path.clone(), file);
        paths.wanted.push(file);
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

/// Stopping.
impl Database {
    /// Whether a change waits for this clone to be dropped. Long work that asks the database
    /// nothing looks here now and then.
    pub fn is_cancelled(&self) -> bool {
        is_cancelled(self)
    }

    /// Runs `read` on this clone, and says if a change cancelled it, or what it needs has failed.
    pub fn catch_cancelled<T>(&self, read: impl FnOnce() -> T) -> Result<T, Cancelled> {
        Cancelled::catch(AssertUnwindSafe(read)).map_err(|cancelled| match cancelled {
            // Who waits for a thread that a change cancels is told that this thread has failed.
            Cancelled::PropagatedPanic if self.is_cancelled() => Cancelled::PendingWrite,
            cancelled => cancelled,
        })
    }

    /// Leaves for [`Database::catch_cancelled`] if a change waits for this clone to be dropped.
    pub fn unwind_if_cancelled(&self) {
        salsa::Database::unwind_if_revision_cancelled(self);
    }
}

fn is_cancelled(db: &dyn Db) -> bool {
    let look = AssertUnwindSafe(|| db.unwind_if_revision_cancelled());
    Cancelled::catch(look).is_err()
}

/// How much the database holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Files with a text, the library's included.
    pub files: usize,
    /// Bytes of their texts.
    pub text_bytes: usize,
    /// Items in files.
    pub items: usize,
    /// Items that wait to be used again.
    pub free_items: usize,
    /// Syntax trees in memory.
    pub trees: usize,
}

/// Reading.
impl Database {
    /// The file at this path, if it was ever named.
    pub fn file(&self, path: &FilePath) -> Option<FileId> {
        self.paths
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .by_path
            .get(path)
            .copied()
    }

    /// Where the file is.
    pub fn path(&self, file: FileId) -> FilePath {
        SourceFile::from(file).path(self).clone()
    }

    /// Every file with a text, the library's included, in the order of their paths.
    pub fn files(&self) -> Vec<FileId> {
        let mut files: Vec<FileId> = self.layouts.keys().copied().collect();
        files.sort_by(|a, b| {
            SourceFile::from(*a)
                .path(self)
                .cmp(SourceFile::from(*b).path(self))
        });
        files
    }

    /// Whether the file ships inside the binary.
    pub fn is_library(&self, file: FileId) -> bool {
        matches!(SourceFile::from(file).path(self), FilePath::Std(_))
    }

    /// What the file's text is written in.
    pub fn language(&self, file: FileId) -> Language {
        SourceFile::from(file).language(self)
    }

    /// What the terms in the file are written in.
    pub fn dialect(&self, file: FileId) -> Dialect {
        self.language(file).dialect()
    }

    /// What is known about the file's existence.
    pub fn state(&self, file: FileId) -> FileState {
        SourceFile::from(file).state(self)
    }

    /// The file's text; empty if it has none.
    pub fn text(&self, file: FileId) -> Rope {
        self.layouts
            .get(&file)
            .map(|layout| layout.rope.clone())
            .unwrap_or_default()
    }

    /// The file's items, in the order of the text.
    pub fn items(&self, file: FileId) -> Arc<[ItemId]> {
        self.layouts
            .get(&file)
            .map(|layout| layout.items.clone())
            .unwrap_or_default()
    }

    /// The item's own text.
    pub fn item_text(&self, item: ItemId) -> Arc<str> {
        SourceItem::from(item).text(self)
    }

    /// The file that holds the item.
    pub fn file_of(&self, item: ItemId) -> FileId {
        SourceItem::from(item).file(self)
    }

    /// The item's bytes in its file.
    pub fn item_span(&self, item: ItemId) -> Span {
        let layout = self.layouts.get(&self.file_of(item));
        layout
            .and_then(|layout| layout.span_of(item))
            .unwrap_or_default()
    }

    /// The item that holds this byte of the file (or ends there), and the byte counted from the
    /// item's start. Between two items that touch, the later one.
    pub fn item_at(&self, file: FileId, offset: u32) -> Option<(ItemId, u32)> {
        self.layouts.get(&file)?.item_at(offset)
    }

    /// The items that share a byte with `range` of the file, in the order of the text.
    pub fn items_in(&self, file: FileId, range: Span) -> Vec<ItemId> {
        self.layouts
            .get(&file)
            .map(|layout| layout.items_in(range))
            .unwrap_or_default()
    }

    /// A span of the item, counted from the start of its file.
    pub fn absolute(&self, item: ItemId, span: Span) -> Span {
        span.shifted(self.item_span(item).start)
    }

    /// The syntax of an item of a program; for an item of strategies, that of an empty text.
    pub fn parsed(&self, item: ItemId) -> Arc<syntax::Parsed> {
        queries::parsed(self, item)
    }

    /// The syntax of an item of strategies; for an item of a program, that of an empty text.
    pub fn strategy_parsed(&self, item: ItemId) -> Arc<syntax::elevate::Parsed> {
        queries::strategy_parsed(self, item)
    }

    /// Everything that is known of an item of strategies.
    pub fn strategy_checked(&self, item: ItemId) -> Arc<elevate::lang::Checked> {
        queries::settle(self, [item]);
        strategies::strategy_checked(self, item.into())
    }

    /// What the users of a definition of strategies, which may be one of the library, know of it.
    pub fn strategy_signature(&self, id: GlobalId) -> Arc<elevate::lang::Signature> {
        if !elevate::lang::Library::contains(id) {
            queries::settle(self, [self.item_of(id)]);
        }
        strategies::signature_of(self, id)
    }

    /// The strategy that a definition names in `@strategy`, if there is one of that name.
    pub fn strategy_of(&self, item: ItemId) -> Option<GlobalId> {
        strategies::named(self, item)?.ok()
    }

    /// The definition of programs that strategies of the file know by this number.
    pub fn program_of(&self, file: FileId, id: GlobalId) -> Option<ItemId> {
        strategies::from_standard(self, file.into(), id).map(ItemId::from_global)
    }

    /// The file of the library of strategies that holds a definition of it, the definition's bytes,
    /// and its name's.
    pub fn strategy_place(&self, id: GlobalId) -> Option<(FileId, Span, Span)> {
        let place = elevate::lang::library().place(id)?;
        let (name, _) = elevate::lang::LIBRARY.get(place.file)?;
        let file = self.file(&FilePath::Std((*name).into()))?;
        Some((file, place.item, place.name))
    }

    /// The item's name or import path, and the names that it uses.
    pub fn header(&self, item: ItemId) -> &Header {
        SourceItem::from(item).header(self)
    }

    /// Everything that is known about the item.
    pub fn inference(&self, item: ItemId) -> Arc<rise::Inference> {
        queries::settle(self, [item]);
        queries::inference(self, item.into())
    }

    /// The item's type; `None` for what defines nothing, and for what is defined by itself.
    pub fn scheme(&self, item: ItemId) -> Option<Arc<rise::Scheme>> {
        queries::settle(self, [item]);
        queries::scheme(self, item.into())
    }

    /// The types of many items, in their order: what they have in common is looked at once.
    pub fn schemes(
        &self,
        items: impl IntoIterator<Item = ItemId>,
    ) -> Vec<Option<Arc<rise::Scheme>>> {
        let items: Vec<ItemId> = items.into_iter().collect();
        queries::settle(self, items.iter().copied());
        items
            .into_iter()
            .map(|item| queries::scheme(self, item.into()))
            .collect()
    }

    /// The item of RISE as an explicit term, with the definitions that it uses by name; `None` if
    /// something is wrong with it.
    pub fn elaborated(&self, item: ItemId) -> Option<Arc<rise::core::Def<rise::Primitive>>> {
        queries::settle(self, [item]);
        queries::elaborated(self, item.into())
    }

    /// The item of RISE as a closed program: everything that it uses is in its place.
    pub fn linked(
        &self,
        item: ItemId,
    ) -> Result<Arc<rise::core::Program<rise::Primitive>>, rise::core::LinkError> {
        queries::settle(self, [item]);
        queries::linked(self, item.into())
    }

    /// What there is to say about the item: syntax, names, types. Spans are relative to it.
    pub fn item_diagnostics(&self, item: ItemId) -> Arc<[Diagnostic]> {
        queries::settle(self, [item]);
        targets::all_diagnostics(self, item)
    }

    /// What there is to say about the file, an item at a time (items without diagnostics are left
    /// out). Spans are relative to the item; [`Database::item_span`] says where that is.
    pub fn file_diagnostics(&self, file: FileId) -> Vec<(ItemId, Arc<[Diagnostic]>)> {
        self.file_diagnostics_without_runs(file, &FxHashSet::default())
    }

    /// Returns [`Database::file_diagnostics`], except that nothing is run for the items in `skipped`: of those, only
    /// what their texts and types say is included.
    pub fn file_diagnostics_without_runs(
        &self,
        file: FileId,
        skipped: &FxHashSet<ItemId>,
    ) -> Vec<(ItemId, Arc<[Diagnostic]>)> {
        let items = self.items(file);
        queries::settle(self, items.iter().copied());
        targets::file_diagnostics(self, file, &items, skipped)
    }

    /// Returns the items of the file whose diagnostics are complete only after an example or a strategy was run,
    /// each with the texts that the outcome depends on.
    pub fn runs(&self, file: FileId) -> Vec<(ItemId, RunInputs)> {
        evaluation::runs(self, file)
    }

    /// The names that the file's items can use.
    pub fn scope(&self, file: FileId) -> Arc<Scope> {
        scope::scope(self, file.into())
    }

    /// The definitions of programs that the file's items can use; of a file of programs, the same
    /// as [`Database::scope`].
    pub fn program_scope(&self, file: FileId) -> Arc<Scope> {
        scope::programs(self, file.into())
    }

    /// The strategies that the file's items can use, or name in `@strategy`.
    pub fn strategy_scope(&self, file: FileId) -> Arc<Scope> {
        scope::strategies(self, file.into())
    }

    /// What `name` stands for in the file, where no binder binds it.
    pub fn resolve(&self, file: FileId, name: &str) -> Binding {
        self.scope(file).resolve(name)
    }

    /// The file's imports.
    pub fn imports(&self, file: FileId) -> Arc<[Import]> {
        queries::imports(self, file.into())
    }

    /// The files that the file's definitions name to be lowered by, each with the definition.
    pub fn strategy_files(&self, file: FileId) -> Arc<[Import]> {
        queries::strategy_files(self, file.into())
    }

    /// The files that the file needs: its imports, and those of its definitions' strategies.
    pub fn needs(&self, file: FileId) -> Vec<FileId> {
        let imports = self.imports(file);
        let strategies = self.strategy_files(file);
        let all = imports.iter().chain(strategies.iter());
        all.filter_map(|import| import.target).collect()
    }

    /// The definitions of the file (and of files that it imports in a circle) that use themselves.
    pub fn recursion(&self, file: FileId) -> Arc<Recursion> {
        recursion::recursion(self, file.into())
    }

    /// What the item's free names stand for (names that stand for nothing, or for a primitive, are
    /// left out), in the order of the names.
    pub fn bindings(&self, item: ItemId) -> Arc<[(syntax::ast::Name, Binding)]> {
        queries::bindings(self, item.into()).clone()
    }

    /// The items whose free names include this definition, in all files.
    pub fn users(&self, item: ItemId) -> Vec<ItemId> {
        let Declares::Def(name) = &self.header(item).declares else {
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
                        .filter(|&user| self.mentions(user, name, item)),
                );
            }
        }
        users
    }

    fn mentions(&self, user: ItemId, name: &str, item: ItemId) -> bool {
        if !self.header(user).names(name) {
            return false;
        }
        let of = |bindings: &[(syntax::ast::Name, Binding)]| {
            bindings.iter().any(|(_, binding)| match binding {
                Binding::Def(found) => *found == item,
                Binding::Ambiguous(found) => found.contains(&item),
                Binding::Broken | Binding::Unknown => false,
            })
        };
        of(queries::bindings(self, user.into()))
            || of(queries::program_bindings(self, user.into()))
            || self.strategy_of(user) == Some(item.global())
    }

    /// The number by which diagnostics and inference name the item.
    pub fn global(&self, item: ItemId) -> GlobalId {
        item.global()
    }

    /// The item with this number, which must come from this database.
    pub fn item_of(&self, global: GlobalId) -> ItemId {
        ItemId::from_global(global)
    }

    /// How much the database holds.
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

    /// The queries that were computed (not those that were found again) since the last call, in
    /// order. Only a database made by [`Database::logged`] keeps this log.
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

/// What a logged query was asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogKey(salsa::Id);

impl LogKey {
    /// The file, if the query is one about files.
    pub fn file(self) -> FileId {
        FileId::from_id(self.0)
    }

    /// The item, if the query is one about items.
    pub fn item(self) -> ItemId {
        ItemId::from_id(self.0)
    }
}

/// Options.
impl Database {
    /// Checks every program for this target, too, besides those that it names itself.
    pub fn set_target(&mut self, target: Option<Target>) {
        use salsa::Setter as _;
        Options::get(self)
            .set_target(self)
            .with_durability(salsa::Durability::HIGH)
            .to(target);
    }

    /// The targets that the item is checked for.
    pub fn targets(&self, item: ItemId) -> Targets {
        queries::settle(self, [item]);
        targets::targets(self, item)
    }
}

/// Starting.
impl Database {
    /// A database that holds the library and nothing else.
    pub fn new() -> Self {
        Database::with_storage(salsa::Storage::default(), None)
    }

    /// A database that writes down which queries it computes, for [`Database::take_log`].
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
        let files = rise::STD
            .iter()
            .map(|(name, text)| db.load_library_file(name, text))
            .collect();
        let _singleton = Library::builder(files)
            .durability(salsa::Durability::HIGH)
            .new(&db);
        for (name, text) in elevate::lang::LIBRARY {
            db.show_library_file(name, text);
        }
        let _singleton = Options::builder(
            None,
            Arc::default(),
            IndexPolicy::default(),
            rise::core::Launch::default(),
        )
        .durability(salsa::Durability::HIGH)
        .new(&db);
        db
    }
}
