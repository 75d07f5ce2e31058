//! The salsa queries about one item, and the order of their evaluation.

use std::sync::{Arc, LazyLock};

use codegen::TargetSelection;
use rise::core::{Def, LinkError, Program};
use rise::{BinderInfo, Env, Inference, Names, Primitive, Resolution, Scheme, TermInfo, Type};
use rustc_hash::FxHashSet;
use syntax::ast::{Item, ItemKind, Name, TermKind};
use syntax::{Diagnostic, Dialect, Parsed, Span, elevate};

use crate::cross_item_diagnostics::{CrossItemDiagnostics, cross_item_diagnostics};
use crate::device::launched;
use crate::header::Declaration;
use crate::inputs::{FileState, SourceFile, SourceItem};
use crate::language::Language;
use crate::panics::catch_panic;
use crate::recursion::recursion;
use crate::scope::{Binding, Scope, programs, scope};
use crate::strategies::strategy_checked;
use crate::trees::Tree;
use crate::{Db, FileId, ItemId};

/// An import of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Import {
    /// The importing item.
    pub item: ItemId,
    /// The imported file; `None` if there is none because this file is in no folder.
    pub target: Option<FileId>,
}

/// The result of checking an item, without its inference.
#[derive(Debug, PartialEq)]
pub(crate) struct Checked {
    pub scheme: Option<Arc<Scheme>>,
    pub diagnostics: Arc<[Diagnostic]>,
    /// The targets of its annotations.
    pub selection: TargetSelection,
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

/// Returns the files that the annotations of the file's definitions name,
/// `@strategy("file.elevate", name)`, each with its definition.
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

/// Returns the bindings of the item's free names; unbound ones are left out.
#[salsa::tracked]
pub(crate) fn bindings(db: &dyn Db, item: SourceItem) -> Arc<[(Name, Binding)]> {
    let header = item.header(db);
    if header.free_names.is_empty() {
        return Arc::default();
    }
    let scope = scope(db, item.file(db).into());
    resolved(&header.free_names, &scope)
}

/// Returns the bindings to definitions of programs of the names in an item of a strategy file.
/// Unbound names and primitives are left out.
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

fn resolved(names: &[Name], scope: &Scope) -> Arc<[(Name, Binding)]> {
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

/// Computes the item's type, and all diagnostics of its syntax and inference.
#[salsa::tracked]
pub(crate) fn checked(db: &dyn Db, item: SourceItem) -> Checked {
    if language(db, item) == Language::Elevate {
        return Checked {
            scheme: None,
            diagnostics: strategy_checked(db, item).diagnostics.as_slice().into(),
            selection: TargetSelection::default(),
        };
    }
    let parsed = parsed(db, item.into());
    let mut diagnostics = parsed.diagnostics.to_vec();
    let mut selection = TargetSelection::default();
    let scheme = match infer(db, item, &parsed) {
        Some(Ok(inference)) => {
            // A definition with syntax errors only gets these as errors: the errors of inference
            // may be consequences.
            let unreadable = !diagnostics.is_empty();
            diagnostics
                .iter_mut()
                .for_each(|error| rise::explain(error, &parsed.item, &inference));
            selection = TargetSelection::of(&parsed.item, &inference);
            diagnostics.extend(inference.diagnostics.into_iter().filter(|diagnostic| {
                !unreadable || diagnostic.severity != syntax::Severity::Error
            }));
            diagnostics
                .iter_mut()
                .for_each(|diagnostic| point_at_names(db, diagnostic));
            // A type with syntax errors would cause further errors at its uses.
            Some(match has_broken_type(&parsed) {
                true => error_inference(&parsed.item).scheme,
                false => inference.scheme,
            })
        }
        Some(Err(failure)) => {
            diagnostics.push(failure);
            None
        }
        None => None,
    };
    Checked {
        scheme,
        diagnostics: diagnostics.into(),
        selection,
    }
}

/// Returns the item's type for its users; `None` if it is recursive.
#[salsa::tracked(returns(clone))]
pub(crate) fn scheme(db: &dyn Db, item: SourceItem) -> Option<Arc<Scheme>> {
    if recursion(db, item.file(db).into()).contains(item.into()) {
        return None;
    }
    checked(db, item).scheme.clone()
}

/// Returns the complete result of inference. It is separate from [`checked`], because it is large
/// and only needed for few items. The cache is larger than the number of items in a large file, so
/// that repeated traversals of one (for semantic tokens, for example) do not infer it again.
#[salsa::tracked(returns(clone), lru = 2048)]
pub(crate) fn inference(db: &dyn Db, item: SourceItem) -> Arc<Inference> {
    let parsed = parsed(db, item.into());
    match infer(db, item, &parsed) {
        Some(Ok(inference)) => Arc::new(inference),
        Some(Err(_)) | None => Arc::new(error_inference(&parsed.item)),
    }
}

/// Elaborates the item of RISE to a core term; returns `None` if it has errors.
#[salsa::tracked(returns(clone), lru = 2048)]
pub(crate) fn elaborated(db: &dyn Db, item: SourceItem) -> Option<Arc<Def<Primitive>>> {
    let parsed = parsed(db, item.into());
    if !parsed.diagnostics.is_empty() || dialect(db, item) != Dialect::Rise {
        return None;
    }
    let inference = inference(db, item);
    let work = || rise::core::elaborate(&parsed.item, &inference).map(Arc::new);
    catch_panic(&item.text(db), "reading", work).ok().flatten()
}

/// Links the item of RISE: inlines everything that it uses. The cache is small, because few items
/// are linked and the programs are large.
#[salsa::tracked(returns(clone), lru = 128)]
pub(crate) fn linked(db: &dyn Db, item: SourceItem) -> Linked {
    let lookup = |id| elaborated(db, ItemId::from_global(id).into());
    let work = || rise::core::link(ItemId::from(item).global(), &lookup);
    let linked = catch_panic(&item.text(db), "linking", work).unwrap_or(Err(LinkError::Broken));
    linked.map(|program| Arc::new(launched(db, program)))
}

/// A closed program, or the reason why there is none.
pub(crate) type Linked = Result<Arc<Program<Primitive>>, LinkError>;

/// Infers a definition; a panic in inference becomes a diagnostic. Returns `None` for other items.
fn infer(
    db: &dyn Db,
    source: SourceItem,
    parsed: &Parsed,
) -> Option<Result<Inference, Diagnostic>> {
    if !matches!(
        parsed.item.kind,
        ItemKind::Def { .. } | ItemKind::Foreign { .. }
    ) {
        return None;
    }
    let env = ProgramEnv::new(db, source);
    Some(catch_panic(
        &source.text(db),
        "checking",
        || match dialect(db, source) {
            Dialect::Rise => rise::infer(&parsed.item, &env),
            Dialect::Dpia => dpia::typing::infer(&parsed.item, &env),
        },
    ))
}

/// Returns true if the type annotation of a definition has syntax errors.
fn has_broken_type(parsed: &Parsed) -> bool {
    let end = match &parsed.item.kind {
        ItemKind::Def {
            ty: Some(ty), body, ..
        } => {
            let is_missing = matches!(parsed.item.term(*body).kind, TermKind::Missing);
            match is_missing {
                true => parsed.item.term(*ty).span.end + 1,
                false => parsed.item.term(*body).span.start,
            }
        }
        ItemKind::Foreign { result, .. } => parsed.item.term(*result).span.end,
        _ => return false,
    };
    let mut found = parsed.diagnostics.iter();
    found.any(|found| found.severity == syntax::Severity::Error && found.span.start < end)
}

/// Adds the places of names to a diagnostic: inference returns only the number of another
/// definition, not the place of its name.
pub(crate) fn point_at_names(db: &dyn Db, diagnostic: &mut Diagnostic) {
    for related in &mut diagnostic.related {
        if let Some(other) = related.place.item
            && related.place.span == Span::default()
        {
            related.place.span = SourceItem::from(ItemId::from_global(other)).header(db).span;
        }
    }
}

fn error_inference(item: &Item) -> Inference {
    Inference {
        scheme: Arc::new(Scheme {
            ty: Arc::new(Type::Error),
            obligations: Arc::default(),
            literals: Arc::new([]),
            names: Names::default(),
        }),
        diagnostics: Vec::new(),
        terms: vec![TermInfo::Unknown; item.terms.len()].into(),
        binders: vec![BinderInfo::Unknown; item.binders.len()].into(),
        generalised: Default::default(),
        patterns: Default::default(),
        instantiated: Default::default(),
        uses: Vec::new(),
        obligations: Vec::new(),
        of_rounds: Vec::new(),
        names: Names::default(),
    }
}

/// The environment of inference: the other items that an item uses.
pub(crate) struct ProgramEnv<'db> {
    db: &'db dyn Db,
    source: SourceItem,
    /// The resolved names, sorted by name.
    known: Box<[(Name, Resolution)]>,
}

impl<'db> ProgramEnv<'db> {
    /// Creates the environment of an item of any language; it contains definitions of programs.
    pub fn new(db: &'db dyn Db, source: SourceItem) -> Self {
        let bindings = match language(db, source) {
            Language::Rise | Language::Dpia => bindings(db, source),
            Language::Elevate => program_bindings(db, source),
        };
        ProgramEnv {
            db,
            source,
            known: resolutions(db, bindings),
        }
    }
}

impl Env for ProgramEnv<'_> {
    fn resolve(&self, name: &str) -> Resolution {
        match self
            .known
            .binary_search_by(|(known, _)| known.as_str().cmp(name))
        {
            Ok(at) => self.known[at].1.clone(),
            Err(_) => Resolution::Unknown,
        }
    }

    fn names(&self) -> Vec<Name> {
        let scope = programs(self.db, self.source.file(self.db).into());
        scope.names().map(|(name, ..)| name.clone()).collect()
    }

    fn targets(&self) -> Vec<rise::TargetName> {
        codegen::Target::names()
    }
}

fn resolutions(db: &dyn Db, bindings: &[(Name, Binding)]) -> Box<[(Name, Resolution)]> {
    let resolve = |binding: &Binding| match binding {
        Binding::Def(def) => match scheme(db, (*def).into()) {
            Some(scheme) => Resolution::Def(def.global(), scheme),
            None => Resolution::Broken(Some(def.global())),
        },
        Binding::Ambiguous(defs) => {
            Resolution::Ambiguous(defs.iter().map(|def| def.global()).collect())
        }
        Binding::Broken => Resolution::Broken(None),
        Binding::Unknown => Resolution::Unknown,
    };
    bindings
        .iter()
        .map(|(name, binding)| (name.clone(), resolve(binding)))
        .collect()
}

/// Returns the diagnostics of the item, including those that depend on other items, without those
/// of targets.
pub(crate) fn item_diagnostics(db: &dyn Db, item: ItemId) -> Arc<[Diagnostic]> {
    let file = SourceItem::from(item).file(db);
    with_cross_item(
        item,
        checked(db, item.into()),
        cross_item_diagnostics(db, file.into()),
    )
}

/// Merges the diagnostics of the item's text with those that depend on other items.
pub(crate) fn with_cross_item(
    item: ItemId,
    checked: &Checked,
    notes: &CrossItemDiagnostics,
) -> Arc<[Diagnostic]> {
    let own = &checked.diagnostics;
    match notes.get(&item) {
        None => own.clone(),
        Some(notes) => {
            let mut all: Vec<Diagnostic> = notes.iter().chain(own.iter()).cloned().collect();
            all.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.severity));
            all.into()
        }
    }
}

/// Evaluates the queries of these items and of everything that they use, dependencies first.
///
/// The query of a type calls those of the types that it depends on, and such a chain may be ten
/// thousand definitions long. This traversal uses an explicit stack and evaluates dependencies
/// first, so that each query finds its results memoised and does not recurse deeply.
pub(crate) fn evaluate_dependencies_first(db: &dyn Db, roots: impl IntoIterator<Item = ItemId>) {
    evaluate_unvisited(db, roots, &mut FxHashSet::default());
}

/// Like [`evaluate_dependencies_first`], without the items in `seen`, to which it adds all visited
/// ones.
pub(crate) fn evaluate_unvisited(
    db: &dyn Db,
    roots: impl IntoIterator<Item = ItemId>,
    seen: &mut FxHashSet<ItemId>,
) {
    enum Step {
        Enter(ItemId),
        Leave(ItemId),
    }
    let mut steps: Vec<Step> = Vec::new();
    for root in roots {
        steps.push(Step::Enter(root));
        while let Some(step) = steps.pop() {
            match step {
                Step::Enter(item) => {
                    if seen.insert(item) {
                        steps.push(Step::Leave(item));
                        dependencies(db, item, |used| steps.push(Step::Enter(used)));
                    }
                }
                Step::Leave(item) => {
                    checked(db, item.into());
                }
            }
        }
    }
}
