//! Diagnostics that depend on several items: imports that cannot be read, are cyclic or follow a
//! definition, items of strategy files in the wrong order, and definitions that are duplicate or
//! recursive, or hide another one.

use elevate::lang::{self, library};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use syntax::elevate::ast::ItemKind;
use syntax::elevate::check_order;
use syntax::{Diagnostic, ItemSpan, Severity};

use crate::codes;
use crate::files::{FileId, FilePath, ItemId, ReadError};
use crate::header::Declaration;
use crate::inputs::{Db, FileState, SourceFile, SourceItem};
use crate::items::{Import, imports, items, strategy_parsed};
use crate::language::Language;
use crate::recursion::{import_cycle, import_group, recursion};
use crate::scope::{definitions, is_primitive, scope};

/// The largest number of definitions or files of a cycle that a message names, and that it has as
/// related places.
const MAX_NAMED: usize = 6;

pub(crate) type CrossItemDiagnostics = FxHashMap<ItemId, Vec<Diagnostic>>;

/// Computes the diagnostics of a file that depend on more than one item.
#[salsa::tracked]
pub(crate) fn cross_item_diagnostics(db: &dyn Db, file: SourceFile) -> CrossItemDiagnostics {
    let mut notes = CrossItemDiagnostics::default();
    let mut note = |item, diagnostic| notes.entry(item).or_default().push(diagnostic);
    check_imports(db, file, &mut note);
    if !matches!(file.path(db), FilePath::Std(_)) {
        check_shadowing(db, file, &mut note);
    }
    for &(later, first) in &definitions(db, file).duplicates {
        note(later, duplicate(db, later, first));
    }
    let is_elevate = file.language(db) == Language::Elevate;
    if is_elevate {
        check_item_order(db, file, &mut note);
    }
    // Strategies can be recursive: they are only unfolded as far as a program requires it.
    let may_recurse =
        |cycle: &[ItemId]| is_elevate && !cycle.iter().all(|item| is_value(db, *item));
    for cycle in &recursion(db, file).cycles {
        if !may_recurse(cycle)
            && let Some(&first) = cycle.first()
            && SourceItem::from(first).file(db) == FileId::from(file)
        {
            note(first, recursive(db, cycle));
        }
    }
    notes
}

/// Returns true if an item of a strategy file is a `val` whose type annotation is a number, a truth
/// value, a string or an address space.
fn is_value(db: &dyn Db, item: ItemId) -> bool {
    use lang::Type::{Addr, Bool, Int, Nat, String};
    let parsed = strategy_parsed(db, item);
    let is_val = matches!(parsed.item.kind, ItemKind::Val { .. });
    let declared = lang::header_signature(&parsed.item).scheme.ty;
    is_val && matches!(*declared, Nat | Int | Bool | String | Addr)
}

/// Reports headers and main expressions of a strategy file that are at the wrong place or occur
/// more than once.
fn check_item_order(db: &dyn Db, file: SourceFile, note: &mut impl FnMut(ItemId, Diagnostic)) {
    let items = items(db, file);
    let parsed: Vec<_> = items
        .iter()
        .map(|&item| strategy_parsed(db, item))
        .collect();
    for (at, mistake) in check_order(parsed.iter().map(|parsed| &**parsed)) {
        note(items[at], mistake);
    }
}

fn name_of(db: &dyn Db, item: ItemId) -> &str {
    match SourceItem::from(item).declares(db) {
        Declaration::Def(name) => name,
        Declaration::Import(path) => path,
        Declaration::BrokenImport | Declaration::Nothing => "",
    }
}

/// Returns the place of the item's name, for diagnostics of another item.
fn name_place(db: &dyn Db, item: ItemId) -> ItemSpan {
    ItemSpan {
        item: Some(item.global()),
        span: SourceItem::from(item).header(db).span,
    }
}

fn duplicate(db: &dyn Db, later: ItemId, first: ItemId) -> Diagnostic {
    let name = name_of(db, later);
    let message = format!("`{name}` is already defined in this file");
    Diagnostic::error(
        codes::DUPLICATE_DEF,
        SourceItem::from(later).header(db).span,
        message,
    )
    .related(
        name_place(db, first),
        format!("`{name}` is first defined here"),
    )
    .help("rename one of the two: every use of the name refers to the first definition")
}

fn recursive(db: &dyn Db, cycle: &[ItemId]) -> Diagnostic {
    let span = SourceItem::from(cycle[0]).header(db).span;
    let quoted = |item: &ItemId| format!("`{}`", name_of(db, *item));
    let first = quoted(&cycle[0]);
    let message = match cycle {
        [_] => format!("{first} uses itself, and a definition may not be recursive"),
        _ => {
            let mut way: Vec<String> = cycle.iter().take(MAX_NAMED).map(quoted).collect();
            if cycle.len() > MAX_NAMED {
                way.push(format!("… ({} more)", cycle.len() - MAX_NAMED));
            }
            format!(
                "{first} is defined in terms of itself: {first} uses {}, which uses {first}",
                way[1..].join(", which uses ")
            )
        }
    };
    let mut diagnostic = Diagnostic::error(codes::RECURSIVE_DEF, span, message);
    for (at, item) in cycle.iter().enumerate().skip(1).take(MAX_NAMED) {
        let next = &cycle[(at + 1) % cycle.len()];
        diagnostic = diagnostic.related(
            name_place(db, *item),
            format!("{} uses {}", quoted(item), quoted(next)),
        );
    }
    let file = SourceFile::from(SourceItem::from(cycle[0]).file(db));
    diagnostic.help(match file.language(db) {
        Language::Elevate => "write its value without it",
        Language::Rise | Language::Dpia => {
            "repeat with a pattern: `map` or `reduce` over an array, `iterate` a fixed number of \
             times"
        }
    })
}

fn check_shadowing(db: &dyn Db, file: SourceFile, note: &mut impl FnMut(ItemId, Diagnostic)) {
    let scope = scope(db, file);
    for &item in items(db, file).iter() {
        let Declaration::Def(name) = SourceItem::from(item).declares(db) else {
            continue;
        };
        if scope.own().by_name.get(name) != Some(&item) {
            continue;
        }
        let hint = |message| {
            Diagnostic::new(
                Severity::Hint,
                elevate::codes::SHADOWED_NAME,
                SourceItem::from(item).header(db).span,
                message,
            )
        };
        if let Some(&hidden) = scope.library().by_name.get(name) {
            let message = format!("this definition hides `{name}` of the standard library");
            note(
                item,
                hint(message).related(name_place(db, hidden), format!("the library's `{name}`")),
            );
        } else if file.language(db) == Language::Elevate && library().named(name).is_some() {
            let message = format!("this definition hides `{name}` of the library of strategies");
            note(item, hint(message));
        } else if is_primitive(name, file.language(db))
            // A declared C function may have the name of the primitive that computes the same.
            && SourceItem::from(item).foreign(db).is_none()
        {
            note(
                item,
                hint(format!("this definition hides the primitive `{name}`")),
            );
        }
    }
}

fn check_imports(db: &dyn Db, file: SourceFile, note: &mut impl FnMut(ItemId, Diagnostic)) {
    let imports = imports(db, file);
    let late = first_def(db, file);
    for import in imports.iter() {
        if let Some(error) = unreadable(db, file, import) {
            note(import.item, error);
        } else if let Some((at, def)) = late
            && items(db, file)
                .iter()
                .skip(at)
                .any(|&item| item == import.item)
        {
            let span = SourceItem::from(import.item).header(db).span;
            let error = Diagnostic::error(
                syntax::codes::SYNTAX_ERROR,
                span,
                "imports must be at the start of a file, before the first definition",
            );
            note(
                import.item,
                error.related(name_place(db, def), "the first definition is here"),
            );
        }
    }
    let own = FileId::from(file);
    if import_group(db, file).first() != Some(&own) {
        return;
    }
    let Some(circle) = import_cycle(db, own) else {
        return;
    };
    let next = circle.get(1).copied().unwrap_or(own);
    if let Some(import) = imports.iter().find(|import| import.target == Some(next)) {
        note(import.item, circular(db, import, &circle));
    }
}

/// Returns the index of the first definition among the items of a file, and the definition; `None`
/// if there are no definitions.
fn first_def(db: &dyn Db, file: SourceFile) -> Option<(usize, ItemId)> {
    let items = items(db, file);
    let is_def =
        |item: &ItemId| matches!(SourceItem::from(*item).declares(db), Declaration::Def(_));
    let at = items.iter().position(is_def)?;
    Some((at, items[at]))
}

/// Returns the message for an import of a file outside of the project.
pub(crate) fn outside(path: &str) -> String {
    format!("cannot read `{path}`: it is outside of the project")
}

/// The advice on importing a file outside of the project.
pub(crate) const OUTSIDE_HELP: &str = "a project is the nearest folder above with `rise.toml` or \
    `.git`, else the folder of the file; to allow another folder, use `--allow-import FOLDER`, or \
    the setting `rise.imports.folders` in an editor";

fn unreadable(db: &dyn Db, file: SourceFile, import: &Import) -> Option<Diagnostic> {
    let path = name_of(db, import.item);
    let span = SourceItem::from(import.item).header(db).span;
    let error = |message| Some(Diagnostic::error(codes::IMPORT_NOT_FOUND, span, message));
    let Some(target) = import.target else {
        return error(format!(
            "cannot find `{path}`: this file is not saved, so it has no folder"
        ))
        .map(|error| error.help("save the file first, or write an absolute path"));
    };
    let why = match SourceFile::from(target).state(db) {
        FileState::Absent(why) => why,
        FileState::Present(_) => return other_language(db, file, import, target.into()),
        FileState::Requested => return None,
    };
    match why {
        ReadError::NotFound(siblings) => {
            let diagnostic = error(format!("cannot find `{path}`"))?;
            Some(match similar(path, &siblings, file.language(db)) {
                Some(near) => diagnostic.help(format!("did you mean `{near}`?")).fix(
                    format!("Import `{near}`"),
                    vec![(span, format!("\"{near}\""))],
                    true,
                ),
                None if std::path::Path::new(path).is_absolute() => diagnostic,
                None => diagnostic.help("the path is relative to the folder of this file"),
            })
        }
        ReadError::Outside => error(outside(path)).map(|error| error.help(OUTSIDE_HELP)),
        ReadError::NotText => error(format!("cannot read `{path}`: it is not UTF-8 text")),
        ReadError::Other(reason) => error(format!("cannot read `{path}`: {reason}")),
    }
}

/// Returns the error for an import of a file in a language that files of this language cannot
/// import, or `None` if they can. For example, DPIA cannot import RISE, because definitions of RISE
/// have no access annotations.
fn other_language(
    db: &dyn Db,
    file: SourceFile,
    import: &Import,
    target: SourceFile,
) -> Option<Diagnostic> {
    let (own, other) = (file.language(db), target.language(db));
    if own.imports().contains(&other) {
        return None;
    }
    let path = name_of(db, import.item);
    let span = SourceItem::from(import.item).header(db).span;
    let allowed: Vec<&str> = own
        .imports()
        .iter()
        .map(|language| language.name())
        .collect();
    let message = format!(
        "`{path}` is {}, and a file of {} imports {} only",
        other.name(),
        own.name(),
        allowed.join(" and ")
    );
    let error = Diagnostic::error(codes::IMPORT_NOT_FOUND, span, message);
    Some(match own {
        Language::Rise => {
            error.help("define what both files need in a `.rise` file, and import that file")
        }
        Language::Dpia => {
            error.help("`rise-ls emit --as dpia` writes a definition of RISE as DPIA")
        }
        Language::Elevate => error
            .help("import a `.rise` or `.elevate` file: strategies rewrite programs in RISE only"),
    })
}

/// Returns the path with its last component replaced by the most similar name of an existing file
/// of the language; `None` if no name is similar.
fn similar(path: &str, siblings: &[SmolStr], language: Language) -> Option<String> {
    let stem = |name: &str| match name.rsplit_once('.') {
        Some((stem, ending)) if Language::from_extension(ending).is_some() => stem.to_owned(),
        _ => name.to_owned(),
    };
    let (folder, name) = path.split_at(path.rfind('/').map_or(0, |slash| slash + 1));
    let ending = format!(".{}", language.extension());
    let of_language = siblings.iter().filter(|sibling| sibling.ends_with(&ending));
    let stems: Vec<String> = of_language.map(|sibling| stem(sibling)).collect();
    let name = stem(name);
    let exact = stems.iter().find(|stem| **stem == name).map(String::as_str);
    let near = exact.or_else(|| rise::closest(&name, stems.iter().map(String::as_str)))?;
    Some(format!("{folder}{near}{ending}"))
}

fn circular(db: &dyn Db, import: &Import, circle: &[FileId]) -> Diagnostic {
    let span = SourceItem::from(import.item).header(db).span;
    let name = |file: &FileId| format!("`{}`", SourceFile::from(*file).path(db).file_name());
    let message = match circle {
        [_] => "this file imports itself".to_owned(),
        _ => {
            let mut way: Vec<String> = circle.iter().take(MAX_NAMED).map(name).collect();
            if circle.len() > MAX_NAMED {
                way.push(format!("… ({} more)", circle.len() - MAX_NAMED));
            }
            format!(
                "files import each other in a cycle: {} imports {}, which imports {}",
                way[0],
                way[1..].join(", which imports "),
                name(&circle[0])
            )
        }
    };
    let mut diagnostic = Diagnostic::error(codes::IMPORT_CYCLE, span, message);
    for (at, file) in circle.iter().enumerate().skip(1).take(MAX_NAMED) {
        let next = circle[(at + 1) % circle.len()];
        let import = imports(db, (*file).into())
            .iter()
            .find(|import| import.target == Some(next))
            .copied();
        if let Some(import) = import {
            let text = format!("{} imports {}", name(file), name(&next));
            diagnostic = diagnostic.related(name_place(db, import.item), text);
        }
    }
    diagnostic.help(match circle {
        [_] => "remove the import: the definitions of a file are in scope in the whole file",
        _ => "move what both need into a third file that imports neither",
    })
}
