//! What is said about an item because of its place among the others: imports that lead nowhere or
//! in a circle, names that are defined twice, hidden, or by themselves.

use std::sync::Arc;

use rise::Primitive;
use rustc_hash::FxHashMap;
use syntax::{Code, Diagnostic, Place, Severity};

use crate::distance::closest;
use crate::inputs::{FileState, SourceFile};
use crate::queries::{Declares, Import, declares, header, imports, items};
use crate::recursion::{import_circle, import_group, recursion};
use crate::scope::{definitions, scope};
use crate::{Db, FileId, FilePath, ItemId, ReadError};

/// Of a long circle, so many definitions are named.
const NAMED: usize = 6;

/// The diagnostics of a file that rest on more than one item, by item.
#[salsa::tracked(returns(clone))]
pub(crate) fn notes(db: &dyn Db, file: SourceFile) -> Arc<FxHashMap<ItemId, Vec<Diagnostic>>> {
    let mut notes: FxHashMap<ItemId, Vec<Diagnostic>> = FxHashMap::default();
    let mut note = |item, diagnostic| notes.entry(item).or_default().push(diagnostic);
    import_notes(db, file, &mut note);
    if !matches!(file.path(db), FilePath::Std(_)) {
        shadow_notes(db, file, &mut note);
    }
    for &(later, first) in &definitions(db, file).duplicates {
        note(later, duplicate(db, later, first));
    }
    for cycle in &recursion(db, file).cycles {
        if let Some(&first) = cycle.first()
            && crate::inputs::SourceItem::from(first).file(db) == FileId::from(file)
        {
            note(first, recursive(db, cycle));
        }
    }
    Arc::new(notes)
}

fn name_of(db: &dyn Db, item: ItemId) -> &str {
    match declares(db, item.into()) {
        Declares::Def(name) => name,
        Declares::Import(path) => path,
        Declares::Nothing => "",
    }
}

/// Where the item's name stands, seen from another item.
fn name_place(db: &dyn Db, item: ItemId) -> Place {
    Place { item: Some(item.global()), span: header(db, item.into()).span }
}

fn duplicate(db: &dyn Db, later: ItemId, first: ItemId) -> Diagnostic {
    let name = name_of(db, later);
    let message = format!("`{name}` is already defined in this file");
    Diagnostic::error(Code::DuplicateDef, header(db, later.into()).span, message)
        .related(name_place(db, first), format!("`{name}` is first defined here"))
        .help("rename one of the two; every use means the first")
}

fn recursive(db: &dyn Db, cycle: &[ItemId]) -> Diagnostic {
    let span = header(db, cycle[0].into()).span;
    let quoted = |item: &ItemId| format!("`{}`", name_of(db, *item));
    let first = quoted(&cycle[0]);
    let message = match cycle {
        [_] => format!("{first} uses itself, and a definition may not be recursive"),
        _ => {
            let mut way: Vec<String> = cycle.iter().take(NAMED).map(quoted).collect();
            if cycle.len() > NAMED {
                way.push(format!("… ({} more)", cycle.len() - NAMED));
            }
            format!("{first} is defined by itself: {} uses {first}", way.join(" uses "))
        }
    };
    let mut diagnostic = Diagnostic::error(Code::RecursiveDef, span, message);
    for pair in cycle.windows(2).take(NAMED) {
        diagnostic = diagnostic.related(name_place(db, pair[1]), format!("{} uses {}", quoted(&pair[0]), quoted(&pair[1])));
    }
    diagnostic.help("repeat with a pattern: `map` or `reduce` over an array, `iterate` a fixed number of times")
}

fn shadow_notes(db: &dyn Db, file: SourceFile, note: &mut impl FnMut(ItemId, Diagnostic)) {
    let scope = scope(db, file);
    for &item in items(db, file).iter() {
        let Declares::Def(name) = declares(db, item.into()) else { continue };
        if scope.own().by_name.get(name) != Some(&item) {
            continue;
        }
        let hint = |message| Diagnostic::new(Severity::Hint, Code::ShadowedName, header(db, item.into()).span, message);
        if let Some(&hidden) = scope.library().by_name.get(name) {
            let message = format!("this definition hides `{name}` of the standard library");
            note(item, hint(message).related(name_place(db, hidden), format!("the library's `{name}`")));
        } else if Primitive::from_name(name).is_some() {
            note(item, hint(format!("this definition hides the primitive `{name}`")));
        }
    }
}

fn import_notes(db: &dyn Db, file: SourceFile, note: &mut impl FnMut(ItemId, Diagnostic)) {
    let imports = imports(db, file);
    for import in imports.iter() {
        if let Some(error) = unreadable(db, file, import) {
            note(import.item, error);
        }
    }
    let own = FileId::from(file);
    if import_group(db, file).first() != Some(&own) {
        return;
    }
    let Some(circle) = import_circle(db, own) else { return };
    let next = circle.get(1).copied().unwrap_or(own);
    if let Some(import) = imports.iter().find(|import| import.target == Some(next)) {
        note(import.item, circular(db, import, &circle));
    }
}

fn unreadable(db: &dyn Db, file: SourceFile, import: &Import) -> Option<Diagnostic> {
    let path = name_of(db, import.item);
    let error = |message| {
        Some(Diagnostic::error(Code::ImportNotFound, header(db, import.item.into()).span, message))
    };
    let Some(target) = import.target else {
        return error(format!("cannot find `{path}`: this file is not saved, so nothing lies beside it"))
            .map(|error| error.help("save the file first, or write an absolute path"));
    };
    let FileState::Absent(why) = SourceFile::from(target).state(db) else { return None };
    match why {
        ReadError::NotFound(siblings) => {
            let (folder, name) = path.rsplit_once('/').map_or(("", path), |(folder, name)| (folder, name));
            let own = file.path(db).file_name();
            let others = siblings.iter().map(|name| name.as_str()).filter(|name| folder != "" || *name != own);
            let diagnostic = error(format!("cannot find `{path}`"))?;
            Some(match closest(name, others) {
                Some(near) => {
                    let near = if folder.is_empty() { near.to_owned() } else { format!("{folder}/{near}") };
                    let edits = vec![(header(db, import.item.into()).span, format!("\"{near}\""))];
                    diagnostic.help(format!("did you mean `{near}`?")).fix(format!("Import `{near}`"), edits, true)
                }
                None => diagnostic.help("the path is relative to the folder of this file"),
            })
        }
        ReadError::NotText => error(format!("cannot read `{path}`: it is not UTF-8 text")),
        ReadError::Other(reason) => error(format!("cannot read `{path}`: {reason}")),
    }
}

fn circular(db: &dyn Db, import: &Import, circle: &[FileId]) -> Diagnostic {
    let span = header(db, import.item.into()).span;
    let name = |file: &FileId| format!("`{}`", SourceFile::from(*file).path(db).file_name());
    let message = match circle {
        [_] => "this file imports itself".to_owned(),
        _ => {
            let mut way: Vec<String> = circle.iter().take(NAMED).map(name).collect();
            if circle.len() > NAMED {
                way.push(format!("… ({} more)", circle.len() - NAMED));
            }
            format!("files import each other in a circle: {} imports {}", way.join(" imports "), name(&circle[0]))
        }
    };
    let mut diagnostic = Diagnostic::error(Code::ImportCycle, span, message);
    for pair in circle.windows(2).take(NAMED) {
        let target = circle.iter().position(|file| *file == pair[1]).map_or(circle[0], |at| circle[(at + 1) % circle.len()]);
        let back = imports(db, pair[1].into()).iter().find(|import| import.target == Some(target)).copied();
        if let Some(back) = back {
            let text = format!("{} imports {}", name(&pair[1]), name(&target));
            diagnostic = diagnostic.related(name_place(db, back.item), text);
        }
    }
    diagnostic.help("move what both need into a third file that imports neither")
}
