//! The targets of items, their diagnostics as programs for these targets, and all diagnostics of
//! items.

use std::sync::Arc;

use codegen::{Module, Target, Targets};
use dpia::target::format_bytes;
use dpia::{Parallelism, functional};
use rise::Primitive;
use rise::core::{Def, LinkError, Program};
use rustc_hash::FxHashSet;
use syntax::{Diagnostic, Severity};

use crate::annotations::unused_launch;
use crate::cross_item_diagnostics::cross_item_diagnostics;
use crate::diagnostics::{item_diagnostics, merged, strategy_diagnostics, with_cross_item};
use crate::files::{FileId, FilePath, ItemId};
use crate::inputs::{Db, SourceFile, SourceItem};
use crate::items::{items, language, parsed};
use crate::language::Language;
use crate::options::{Options, device};
use crate::scope::{Binding, bindings};
use crate::stages::programs::code_linked;
use crate::stages::{
    Frontend, frontend, frontend_of, has_large_counts, intermediate, local_memory, module,
    name_span,
};
use crate::types::{Checked, checked};

/// Returns the targets that the item is checked for. These are its annotated targets if it has
/// any. Otherwise, a definition that is a program by itself and that no other item of its file uses
/// has the target that its strategy or its patterns need, and the target of the user's options; but
/// none if an item of the file has syntax errors. An item with errors or of the library has none.
pub(crate) fn targets(db: &dyn Db, item: ItemId) -> Targets {
    let for_all = Options::get(db).target(db);
    targets_among(db, item, checked(db, item.into()), for_all)
}

fn targets_among(db: &dyn Db, item: ItemId, checked: &Checked, for_all: Option<Target>) -> Targets {
    let selection = checked.selection;
    let is_for_some =
        !selection.marked.is_empty() || selection.used.is_some() || checked.has_strategy;
    if !is_for_some && for_all.is_none() {
        return Targets::default();
    }
    let file = SourceItem::from(item).file(db);
    if is_wrong(checked) || matches!(SourceFile::from(file).path(db), FilePath::Std(_)) {
        return Targets::default();
    }
    if !selection.marked.is_empty() {
        return selection.marked;
    }
    let scheme = checked.scheme.as_deref();
    let stands_alone = scheme.is_some_and(functional::stands_alone)
        && !used_inside(db, file.into()).contains(&item)
        && !has_unreadable(db, file.into());
    if stands_alone {
        let lowered_for = checked
            .has_strategy
            .then(|| lowered_for(db, item))
            .flatten();
        let own = lowered_for.or(selection.used);
        own.into_iter().chain(for_all).collect()
    } else {
        Targets::default()
    }
}

/// Returns the first target with the kind of parallelism of the program that the strategy of an
/// item returns; `None` if that program cannot be linked.
fn lowered_for(db: &dyn Db, item: ItemId) -> Option<Target> {
    let program = code_linked(db, item.into()).ok()?;
    Some(Target::with(functional::required(&program.body)))
}

fn is_wrong(checked: &Checked) -> bool {
    checked
        .diagnostics
        .iter()
        .any(|diagnostic| diagnostic.severity == Severity::Error)
}

/// Returns the items that other items of this file use directly. Some are of other files.
#[salsa::tracked]
fn used_inside(db: &dyn Db, file: SourceFile) -> FxHashSet<ItemId> {
    let mut used = FxHashSet::default();
    for &item in items(db, file).iter() {
        for (_, binding) in bindings(db, item.into()).iter() {
            if let Binding::Def(other) = *binding
                && other != item
            {
                used.insert(other);
            }
        }
    }
    used
}

/// Returns true if an item of the file has diagnostics of its syntax, so that the definitions that
/// it uses are not all known.
#[salsa::tracked]
fn has_unreadable(db: &dyn Db, file: SourceFile) -> bool {
    let items = items(db, file);
    let mut each = items.iter();
    each.any(|item| *is_unreadable(db, (*item).into()))
}

#[salsa::tracked]
fn is_unreadable(db: &dyn Db, item: SourceItem) -> bool {
    !parsed(db, item.into()).diagnostics.is_empty()
}

/// Returns all diagnostics of the item.
pub(crate) fn all_diagnostics(db: &dyn Db, item: ItemId) -> Arc<[Diagnostic]> {
    let language = language(db, item.into());
    let found = item_diagnostics(db, item);
    let targets = targets(db, item);
    let found = add_launch_diagnostic(db, item, checked(db, item.into()), targets, found);
    add_target_diagnostics(db, item, language, targets, found)
}

/// Returns the items of the file that have diagnostics, with these; for those in `skipped`, only
/// the diagnostics of syntax, names and types, so that nothing is run.
pub(crate) fn file_diagnostics(
    db: &dyn Db,
    file: FileId,
    items: impl Iterator<Item = SourceItem>,
    skipped: &FxHashSet<ItemId>,
) -> Vec<(ItemId, Arc<[Diagnostic]>)> {
    let notes = cross_item_diagnostics(db, file.into());
    let for_all = Options::get(db).target(db);
    // Read once, because a file may have thousands of items.
    let language = SourceFile::from(file).language(db);
    let all = items.map(|source| {
        let (item, checked) = (ItemId::from(source), checked(db, source));
        let own = match language {
            Language::Rise | Language::Dpia => checked.diagnostics.clone(),
            Language::Elevate => strategy_diagnostics(db, item),
        };
        let found = with_cross_item(item, own, notes);
        if skipped.contains(&item) {
            return (item, found);
        }
        let targets = targets_among(db, item, checked, for_all);
        let found = add_launch_diagnostic(db, item, checked, targets, found);
        (
            item,
            add_target_diagnostics(db, item, language, targets, found),
        )
    });
    all.filter(|(_, diagnostics)| !diagnostics.is_empty())
        .collect()
}

/// Evaluates the queries for the diagnostics of the item, except those that depend on other items
/// of its file.
pub(crate) fn evaluate_diagnostics(db: &dyn Db, item: ItemId) {
    frontend(db, item.into()).diagnostics(db, item.into());
    for target in targets(db, item).iter() {
        target_diagnostics(db, item.into(), target);
    }
}

/// Returns the diagnostics of the definition as a program for the target: those of its accesses
/// and, if these are no errors, those of generating its code: if the target has work-items, or a
/// constant number of elements does not fit into indices.
#[salsa::tracked(returns(clone))]
pub(crate) fn target_diagnostics(
    db: &dyn Db,
    item: SourceItem,
    target: Target,
) -> Arc<[Diagnostic]> {
    let found = frontend(db, item).access_diagnostics(db, item, target);
    let wrong = |found: &Diagnostic| found.severity == Severity::Error;
    let needs_code = || target.features().has_work_items() || has_large_counts(db, item);
    if found.iter().any(wrong) || !needs_code() {
        return found;
    }
    // The memory that work-items share, and the places where they wait for each other, are only
    // determined when the indices are.
    let more = match module(db, item, target) {
        Ok(module) => local_memory_diagnostics(db, item, &module),
        Err(more) => more,
    };
    if more.is_empty() {
        return found;
    }
    found.iter().chain(more.iter()).cloned().collect()
}

/// Returns the errors that a definition has with the right side `new` and not with `old`, as
/// [`Database::new_errors`] does.
///
/// [`Database::new_errors`]: crate::Database::new_errors
pub(crate) fn new_errors(
    db: &dyn Db,
    item: ItemId,
    (old, new): (&Arc<Def<Primitive>>, &Arc<Def<Primitive>>),
    target: Option<Target>,
    generate: bool,
) -> Vec<Diagnostic> {
    if target.is_none() && !is_checked_for_targets(db, item) {
        return Vec::new();
    }
    let program = match intermediate::program(db, item, new) {
        Ok(program) => program,
        Err(found) => return found.to_vec(),
    };
    let targets = match target {
        Some(target) => [target].into_iter().collect(),
        None if !functional::makes_choice(&program.body) => return Vec::new(),
        None => own_targets(db, item, &program),
    };
    let mut found = errors_for(db, item, &program, targets, generate);
    if !found.is_empty()
        && let Ok(old) = intermediate::program(db, item, old)
    {
        let known = errors_for(db, item, &old, targets, generate);
        found.retain(|error| known.iter().all(|old| old.message != error.message));
    }
    found
}

/// Returns true if a definition names no strategy, and either has annotated targets, or is a
/// program by itself that no other item of its file uses.
fn is_checked_for_targets(db: &dyn Db, item: ItemId) -> bool {
    let checked = checked(db, item.into());
    let file = SourceItem::from(item).file(db);
    let stands_alone = || {
        let scheme = checked.scheme.as_deref();
        scheme.is_some_and(functional::stands_alone)
            && !used_inside(db, file.into()).contains(&item)
    };
    !checked.has_strategy && (!checked.selection.marked.is_empty() || stands_alone())
}

/// Returns the annotated targets of a definition. If it has none, returns the target with the kind
/// of parallelism that its program needs, if it is not sequential, and that of the user's options.
fn own_targets(db: &dyn Db, item: ItemId, program: &Program<Primitive>) -> Targets {
    let marked = checked(db, item.into()).selection.marked;
    if !marked.is_empty() {
        return marked;
    }
    let required = functional::required(&program.body);
    let used = (required != Parallelism::Sequential).then(|| Target::with(required));
    used.into_iter()
        .chain(Options::get(db).target(db))
        .collect()
}

/// Returns the errors of a program for these targets, those of generating its code only if
/// `generate` is true.
fn errors_for(
    db: &dyn Db,
    item: ItemId,
    program: &Program<Primitive>,
    targets: Targets,
    generate: bool,
) -> Vec<Diagnostic> {
    let found = targets.iter().flat_map(|target| {
        let phrase = intermediate::functional(db, item, program, target);
        let errors = phrase.and_then(|phrase| match phrase {
            Some(phrase) if generate => {
                let imperative = intermediate::imperative(db, item, &phrase)?;
                let module = intermediate::module(db, item, &imperative, target)?;
                Ok(local_memory_diagnostics(db, item.into(), &module))
            }
            _ => Ok(Arc::default()),
        });
        errors.unwrap_or_else(|found| found).to_vec()
    });
    let is_error = |found: &Diagnostic| found.severity == Severity::Error;
    found.filter(is_error).collect()
}

/// Returns an error for each kernel that uses more local memory at one time than the device has, as
/// far as that does not depend on sizes.
fn local_memory_diagnostics(db: &dyn Db, item: SourceItem, module: &Module) -> Arc<[Diagnostic]> {
    let device = device(db);
    let found = local_memory(module, &device).map(|bytes| {
        let message = format!(
            "a work-group keeps {} in Local memory at a time, and {} has only {}",
            format_bytes(bytes),
            device.name,
            format_bytes(device.local_memory)
        );
        Diagnostic::error(dpia::codes::DEVICE_LIMIT, name_span(db, item), message)
            .help("give each work-group a smaller part, or store in Global memory")
    });
    found.collect()
}

/// Returns `found` with the warning that the item's launch sizes have no effect, if it has no target
/// with work-items. There is no warning for items with errors, and for items without `@target` whose
/// strategy or patterns may need such a target.
fn add_launch_diagnostic(
    db: &dyn Db,
    item: ItemId,
    checked: &Checked,
    targets: Targets,
    found: Arc<[Diagnostic]>,
) -> Arc<[Diagnostic]> {
    let marked = checked.selection.marked;
    let may_need = checked.has_strategy || checked.selection.used.is_some();
    if !checked.has_launch || is_wrong(checked) || (marked.is_empty() && may_need) {
        return found;
    }
    let text = SourceItem::from(item).text(db);
    match unused_launch(&parsed(db, item).item, &text, targets) {
        None => found,
        Some(warning) => merged(&found, &[warning]),
    }
}

/// Returns `found` with the diagnostics of the item's front end and of these targets. A diagnostic
/// that not all of the targets have names its target.
fn add_target_diagnostics(
    db: &dyn Db,
    item: ItemId,
    language: Language,
    targets: Targets,
    found: Arc<[Diagnostic]>,
) -> Arc<[Diagnostic]> {
    let frontend = frontend_of(language);
    let found = match frontend.diagnostics(db, item.into()) {
        others if others.is_empty() => found,
        others => merged(&found, &others),
    };
    let mut said: Vec<(Target, Arc<[Diagnostic]>)> = Vec::new();
    for target in targets.iter().filter(|_| is_linked(db, frontend, item)) {
        let of_target = target_diagnostics(db, item.into(), target);
        if !of_target.is_empty() {
            said.push((target, of_target));
        }
    }
    if said.is_empty() {
        return found;
    }
    let mut all: Vec<Diagnostic> = found.to_vec();
    let several = targets.iter().count();
    for (target, of_target) in &said {
        for diagnostic in of_target.iter() {
            if all.iter().any(|other| same_place(other, diagnostic)) {
                continue;
            }
            let mut diagnostic = diagnostic.clone();
            let agree = |(_, of_target): &&(Target, Arc<[Diagnostic]>)| {
                of_target.iter().any(|other| same_place(other, &diagnostic))
            };
            if said.iter().filter(agree).count() < several {
                diagnostic.message = format!("for {}: {}", target.title(), diagnostic.message);
            }
            all.push(diagnostic);
        }
    }
    all.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.severity));
    all.into()
}

/// Returns false if the item has errors or is recursive, or it uses an item with errors: such an
/// item is not checked for targets, because these errors have been reported.
fn is_linked(db: &dyn Db, frontend: &dyn Frontend, item: ItemId) -> bool {
    !matches!(
        frontend.link_error(db, item.into()),
        Some(LinkError::Broken | LinkError::BrokenUse { .. } | LinkError::Recursive { .. })
    )
}

/// Returns true if two diagnostics have the same code and range, so that they report the same
/// error, possibly for different targets.
fn same_place(a: &Diagnostic, b: &Diagnostic) -> bool {
    (a.code, a.span) == (b.code, b.span)
}
