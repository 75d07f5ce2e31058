//! Implements `rise-ls types`, which prints the types of the definitions of a file.

use super::args::{TypesFormat, TypesOptions};
use super::position::{self, Range};
use super::report::{Report, Reporter, shown};
use super::workspace::Workspace;
use super::{BAD_USAGE, SUCCESS, human, output, report_unclear};
use crate::select::Unclear;
use db::{Database, Declaration, FileId, ItemId, Language};
use serde::Serialize;
use std::io::{self, Write};
use syntax::Severity;

#[derive(Serialize)]
struct Line<'a> {
    path: &'a str,
    name: &'a str,
    range: Range,
    /// The type without its obligations.
    r#type: String,
    /// The obligations on sizes, each as written after `where`.
    obligations: Vec<String>,
}

pub fn run(options: &TypesOptions) -> u8 {
    let loaded = Workspace::load_file(&options.file, options.language, &options.imports);
    let (workspace, file) = match loaded {
        Ok(loaded) => loaded,
        Err(status) => return status,
    };
    let defs = definitions(&workspace.db, file);
    let Some(wanted) = select(defs, options.def.as_deref()) else {
        return BAD_USAGE;
    };
    let items = if options.def.is_some() {
        wanted.iter().map(|def| def.0).collect()
    } else {
        workspace.db.items(file).to_vec()
    };
    let report = errors(&workspace, &items);
    let status = match report.findings.is_empty() {
        true => SUCCESS,
        false => human::errors(&report),
    };
    output::result(status, |out| {
        wanted
            .iter()
            .try_for_each(|(item, name)| print(&workspace, file, *item, name, options.format, out))
    })
}

/// Returns the definitions of the file with their names, in source order.
fn definitions(db: &Database, file: FileId) -> Vec<(ItemId, String)> {
    let name = |item: ItemId| match &db.header(item).declares {
        Declaration::Def(name) => Some((item, name.to_string())),
        _ => None,
    };
    db.items(file)
        .iter()
        .filter_map(|&item| name(item))
        .collect()
}

/// Returns the first definition of the requested name, or all definitions without a name. If there
/// is none of that name, prints a message and returns `None`.
fn select(defs: Vec<(ItemId, String)>, wanted: Option<&str>) -> Option<Vec<(ItemId, String)>> {
    let Some(wanted) = wanted else {
        return Some(defs);
    };
    let found: Vec<_> = (defs.iter())
        .filter(|(_, name)| name == wanted)
        .take(1)
        .cloned()
        .collect();
    if !found.is_empty() {
        return Some(found);
    }
    let names = defs.into_iter().map(|(_, name)| name).collect();
    report_unclear(&Unclear::missing(wanted, names));
    None
}

/// Returns a report of the errors in these items.
fn errors(workspace: &Workspace, items: &[ItemId]) -> Report {
    let mut reporter = Reporter::new(&workspace.db, &workspace.base);
    for &item in items {
        reporter.item(item, &workspace.db.item_diagnostics(item));
    }
    let mut report = reporter.finish();
    report
        .findings
        .retain(|finding| finding.severity == Severity::Error);
    report
}

fn print(
    workspace: &Workspace,
    file: FileId,
    item: ItemId,
    name: &str,
    format: TypesFormat,
    out: &mut impl Write,
) -> io::Result<()> {
    let db = &workspace.db;
    let (text, r#type, obligations) = if db.language(file) == Language::Elevate {
        let text = db.strategy_signature(item.global()).scheme.text();
        (text.clone(), text, Vec::new())
    } else {
        let Some(scheme) = db.scheme(item) else {
            return Ok(());
        };
        let conditions = (scheme.obligations.iter())
            .map(|prop| rise::print::prop_text(prop, &scheme.names))
            .collect();
        let ty = rise::print::type_text(&scheme.ty, &scheme.names);
        (rise::print::scheme_text(&scheme), ty, conditions)
    };
    match format {
        TypesFormat::Human => writeln!(out, "{name} : {text}"),
        TypesFormat::Json => {
            let line = Line {
                path: &shown(&db.path(file), &workspace.base),
                name,
                range: position::range(&db.text(file), db.item_span(item)),
                r#type,
                obligations,
            };
            serde_json::to_writer(&mut *out, &line)?;
            out.write_all(b"\n")
        }
    }
}
