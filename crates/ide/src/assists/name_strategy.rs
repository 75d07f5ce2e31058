//! Adds the name of the strategy to `@strategy` if its file has only one that can be named there.
//!
//! ```rise
//! //- /main.rise
//! @strategy("s.elevate"$0)
//! def f = fun(xs: 4.f32 => xs |> map(fun(x => x)))
//! //- /s.elevate
//! strategy loops: Strategy = topDown(toMapSeq)
//! ```
//! *Name its strategy `loops`*
//! ```rise
//! //- main.rise
//! @strategy("s.elevate", loops)
//! def f = fun(xs: 4.f32 => xs |> map(fun(x => x)))
//! ```

use db::{Database, ItemId};
use syntax::Span;
use syntax::ast::AnnotationValue;

use super::{Assist, AssistContext, AssistHandler, diagnostic_fix};
use crate::rewrites::AssistKind;
use crate::{FileFix, OfferedStrategy, SourceEdits, TextEdit, imports, strategies};

pub(super) const HANDLER: AssistHandler = AssistHandler {
    name: "name_strategy",
    kinds: &[AssistKind::QuickFix],
    offer,
};

fn offer(cx: &AssistContext<'_>) -> Vec<Assist> {
    let found = cx.diagnostics().iter();
    let bad = found.filter(|(_, found)| found.code == syntax::codes::BAD_ANNOTATION);
    let fixes = bad.flat_map(|(item, found)| {
        let fix = naming_the_strategy(cx.db, *item, found.span);
        diagnostic_fix::fixes(found, fix.into_iter().collect())
    });
    fixes.collect()
}

/// Returns the fix that adds the only strategy of the file to `@strategy("file.elevate")`, if the
/// place is that of such an annotation.
fn naming_the_strategy(db: &Database, item: ItemId, place: Span) -> Option<FileFix> {
    let parsed = db.parsed(item);
    let mut annotations = parsed.item.annotations("strategy");
    let annotation = annotations.find(|found| db.absolute(item, found.span) == place)?;
    let [arg] = &*annotation.args else {
        return None;
    };
    let AnnotationValue::String(path, span) = &arg.value else {
        return None;
    };
    let file = imports::file_at(db, db.file_of(item), path)?;
    let mut offered = Vec::new();
    strategies::offered::own(db, file, &mut offered);
    offered.retain(OfferedStrategy::is_nameable);
    let [only] = &offered[..] else {
        return None;
    };
    let edit = TextEdit {
        span: Span::empty(db.absolute(item, *span).end),
        text: format!(", {}", only.name),
    };
    Some(FileFix {
        title: format!("Name its strategy `{}`", only.name),
        edits: SourceEdits::single(db.file_of(item), vec![edit]),
        preferred: true,
        disabled: None,
    })
}
