//! Resolution of the strategy in `@strategy(name)` and `@strategy("file.elevate", name)`.

use elevate::lang::{Type, library};
use syntax::{Diagnostic, GlobalId};

use super::signature_of;
use crate::codes;
use crate::cross_item_diagnostics::{OUTSIDE_HELP, outside};
use crate::files::{FileId, FilePath, ItemId, ReadError};
use crate::header::StrategyName;
use crate::inputs::{Db, FileState, SourceFile, SourceItem};
use crate::language::Language;
use crate::scope::{Binding, definitions, strategies};

/// Returns the strategy that the definition names in `@strategy`, or an error if the name cannot be
/// resolved or is not a strategy for a whole definition; `None` if it has no well-formed
/// `@strategy`.
pub(crate) fn named(db: &dyn Db, item: ItemId) -> Option<Result<GlobalId, Diagnostic>> {
    let name = SourceItem::from(item).strategy(db).as_deref()?;
    let found = named_definition(db, item)?;
    Some(found.and_then(|found| is_whole(db, name, found).map(|()| found)))
}

/// Returns the definition of a strategy file or of the strategy library that the definition names
/// in `@strategy`, which may have any type, or an error if there is none; `None` if it has no
/// well-formed `@strategy`.
pub(crate) fn named_definition(db: &dyn Db, item: ItemId) -> Option<Result<GlobalId, Diagnostic>> {
    let source = SourceItem::from(item);
    let name = source.strategy(db).as_deref()?;
    let file = SourceFile::from(source.file(db));
    Some(match &name.file {
        Some((path, span)) => from_file(db, file, name, path, *span),
        None => in_scope(db, file, name),
    })
}

fn from_file(
    db: &dyn Db,
    file: SourceFile,
    name: &StrategyName,
    path: &str,
    span: syntax::Span,
) -> Result<GlobalId, Diagnostic> {
    let error = |message: String| Err(Diagnostic::error(codes::IMPORT_NOT_FOUND, span, message));
    let Some(target) = file.path(db).import(path).map(|path| db.file_at(&path)) else {
        return error(format!(
            "cannot find `{path}`: this file is not saved, so it has no folder"
        ));
    };
    let target = SourceFile::from(target);
    match target.state(db) {
        FileState::Absent(ReadError::NotFound(_)) => {
            return error(format!("cannot find `{path}`")).map_err(|error: Diagnostic| {
                error.help("the path is relative to the folder of this file")
            });
        }
        FileState::Absent(ReadError::Outside) => {
            return error(outside(path)).map_err(|error: Diagnostic| error.help(OUTSIDE_HELP));
        }
        FileState::Absent(ReadError::NotText) => {
            return error(format!("cannot read `{path}`: it is not UTF-8 text"));
        }
        FileState::Absent(ReadError::Other(reason)) => {
            return error(format!("cannot read `{path}`: {reason}"));
        }
        FileState::Requested | FileState::Present(_) => {}
    }
    if target.language(db) != Language::Elevate {
        return error(format!(
            "`{path}` is {}, and strategies are written in ELEVATE",
            target.language(db).name()
        ));
    }
    let own = definitions(db, target);
    match own.by_name.get(&name.name) {
        Some(found) => Ok(found.global()),
        None => Err(unknown(
            name,
            &format!("`{path}` defines no strategy `{}`", name.name),
            own.by_name.keys().map(|name| name.as_str()),
        )),
    }
}

fn in_scope(db: &dyn Db, file: SourceFile, name: &StrategyName) -> Result<GlobalId, Diagnostic> {
    let scope = strategies(db, file);
    match scope.resolve(&name.name) {
        Binding::Def(found) => Ok(found.global()),
        Binding::Ambiguous(all) => {
            let files: Vec<String> = all.iter().map(|item| file_name(db, *item)).collect();
            let message = format!(
                "several imports define a strategy `{}`: {}",
                name.name,
                files.join(", ")
            );
            Err(
                Diagnostic::error(rise::codes::AMBIGUOUS_IMPORT, name.span, message)
                    .help("name the file, as in `@strategy(\"file.elevate\", name)`"),
            )
        }
        Binding::Broken | Binding::Unknown => library().named(&name.name).ok_or_else(|| {
            let own = scope.names().map(|(name, ..)| name.as_str());
            unknown(
                name,
                &format!("no strategy `{}` is in scope", name.name),
                own.chain(library().names().map(|name| name.as_str())),
            )
        }),
    }
}

fn file_name(db: &dyn Db, item: ItemId) -> String {
    let file: FileId = SourceItem::from(item).file(db);
    match SourceFile::from(file).path(db) {
        FilePath::Std(name) => format!("`{name}` of the library"),
        path => format!("`{}`", path.file_name()),
    }
}

fn unknown<'a>(
    name: &StrategyName,
    message: &str,
    known: impl Iterator<Item = &'a str>,
) -> Diagnostic {
    let error = Diagnostic::error(rise::codes::UNKNOWN_NAME, name.span, message);
    match rise::closest(&name.name, known) {
        Some(near) => {
            let fix = format!("Use `{near}`");
            error.help(format!("did you mean `{near}`?")).fix(
                fix,
                vec![(name.span, near.to_owned())],
                true,
            )
        }
        None => error.help(
            "import a file that defines the strategy, or name the file, as in `@strategy(\"file.elevate\", name)`",
        ),
    }
}

/// Checks that a definition is a strategy for programs without further required arguments. Succeeds
/// for one whose type has an error.
fn is_whole(db: &dyn Db, name: &StrategyName, found: GlobalId) -> Result<(), Diagnostic> {
    let signature = signature_of(db, found);
    let mut ty = &*signature.scheme.ty;
    while let Type::Fun(params, result) = ty
        && params.iter().all(|param| param.optional)
    {
        ty = result;
    }
    match ty {
        Type::Strategy(_) | Type::Error => return Ok(()),
        _ => {}
    }
    let message = format!(
        "`{}` is not a strategy for a whole definition: its type is {}",
        name.name,
        signature.scheme.text()
    );
    let example = signature.scheme.ty.example_call(&name.name);
    let example = example.map_or_else(String::new, |call| format!(": `val lowered = {call}`"));
    let help = format!(
        "apply it to arguments in a `val` of an .elevate file, and write the name of this `val`{example}"
    );
    Err(Diagnostic::error(rise::codes::TYPE_MISMATCH, name.span, message).help(help))
}
