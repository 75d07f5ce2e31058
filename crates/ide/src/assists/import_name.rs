//! Imports an unknown name from a file that defines it.
//!
//! ```rise
//! //- /main.rise
//! def f = fun(x: f32 => half$0(x))
//! //- /lib.rise
//! def half = fun(x: f32 => x * 0.5f)
//! ```
//! *Import `half` from "lib.rise"*
//! ```rise
//! //- main.rise
//! import "lib.rise"
//!
//! def f = fun(x: f32 => half(x))
//! ```

use std::ops::Range;

use db::{Database, Declaration, FileId, ItemId};
use syntax::Span;

use super::{Assist, AssistContext, AssistHandler, diagnostic_fix};
use crate::rewrites::AssistKind;
use crate::{FileFix, SourceEdits, TextEdit, imports};

pub(super) const HANDLER: AssistHandler = AssistHandler {
    name: "import_name",
    kinds: &[AssistKind::QuickFix],
    offer,
};

/// The largest number of files that are offered for a name.
const MAX_IMPORTS: usize = 4;

fn offer(cx: &AssistContext<'_>) -> Vec<Assist> {
    let found = cx.diagnostics().iter();
    let unknown = found.filter(|(_, found)| found.code == rise::codes::UNKNOWN_NAME);
    let file = cx.request.range.file;
    unknown
        .flat_map(|(_, found)| diagnostic_fix::fixes(found, importing(cx.db, file, found.span)))
        .collect()
}

/// Returns fixes that import the name at a place from the files of the workspace that define it, at
/// most [`MAX_IMPORTS`]. A single one is preferred.
fn importing(db: &Database, file: FileId, name: Span) -> Vec<FileFix> {
    let text = db.text(file).to_string();
    let name = text.get(Range::from(name)).unwrap_or_default();
    let defines = |other: FileId| db.scope(other).own().by_name.contains_key(name);
    let mut paths: Vec<String> = imports::importable(db, file)
        .into_iter()
        .filter(|(other, _)| defines(*other))
        .map(|(_, path)| path)
        .collect();
    paths.truncate(MAX_IMPORTS);
    let is_import = |item: &&ItemId| matches!(db.header(**item).declares, Declaration::Import(_));
    let items = db.items(file);
    let last = items.iter().rfind(is_import);
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let line = |path: &str| match last {
        Some(last) => {
            let item = db.item_text(*last);
            let end = db.item_span(*last).start + item.trim_end().len() as u32;
            (end, format!("{newline}import \"{path}\""))
        }
        None => (0, format!("import \"{path}\"{newline}{newline}")),
    };
    let only = paths.len() == 1;
    let fix = |path: &String| {
        let (at, text) = line(path);
        let edit = TextEdit {
            span: Span::empty(at),
            text,
        };
        FileFix {
            title: format!("Import `{name}` from \"{path}\""),
            edits: SourceEdits::single(file, vec![edit]),
            preferred: only,
            disabled: None,
        }
    };
    paths.iter().map(fix).collect()
}
