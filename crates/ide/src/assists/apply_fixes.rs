//! Applies the preferred fix of every diagnostic of the file, until none is left, as `rise-ls fix`
//! does.
//!
//! ```rise
//! def one = fun(xs: 4.4.f32 => xs |> transpos$0 |> jion)
//!
//! def two = fun(x y => x + y + 1.0f)
//! ```
//! *Apply all preferred fixes*
//! ```rise
//! def one = fun(xs: 4.4.f32 => xs |> transpose |> join)
//!
//! def two = fun(x, y => x + y + 1.0f)
//! ```

use std::ops::Range;

use db::{Database, FileId};
use similar::{DiffTag, TextDiff};
use syntax::Span;

use super::{Assist, AssistContext, AssistEffect, AssistHandler};
use crate::fix_all::{fix_all_in_copy, has_preferred_fixes};
use crate::rewrites::AssistKind;
use crate::{SourceEdits, TextEdit};

pub(super) const HANDLER: AssistHandler = AssistHandler {
    name: "apply_fixes",
    kinds: &[AssistKind::FixAll],
    offer,
};

fn offer(cx: &AssistContext<'_>) -> Vec<Assist> {
    let (db, file) = (cx.db, cx.request.range.file);
    let is_offered = cx.request.only.is_some() && has_preferred_fixes(db, file);
    let title = "Apply all preferred fixes".to_owned();
    let effect = AssistEffect::edit(move |db| edits(db, file));
    let assist = Assist::new("all", AssistKind::FixAll, title, effect);
    is_offered.then_some(assist).into_iter().collect()
}

/// Returns the edits that the fixes make, each of whole lines.
fn edits(db: &Database, file: FileId) -> Result<SourceEdits, String> {
    let fixed = fix_all_in_copy(db, file).ok_or("no diagnostic has a preferred fix")?;
    let old = db.text(file).to_string();
    Ok(SourceEdits::single(file, changed_lines(&old, &fixed.text)))
}

fn changed_lines(old: &str, new: &str) -> Vec<TextEdit> {
    let diff = TextDiff::from_lines(old, new);
    let (old_lines, new_lines) = (offsets(old), offsets(new));
    let range = |lines: &[usize], at: Range<usize>| lines[at.start]..lines[at.end];
    let changed = diff.ops().iter().filter(|op| op.tag() != DiffTag::Equal);
    changed
        .map(|op| {
            let replaced = range(&old_lines, op.old_range());
            TextEdit {
                span: Span::new(replaced.start as u32, replaced.end as u32),
                text: new[range(&new_lines, op.new_range())].to_owned(),
            }
        })
        .collect()
}

/// Returns the offsets of the starts of the lines and of the end.
fn offsets(text: &str) -> Vec<usize> {
    let lengths = text.split_inclusive('\n').map(str::len);
    let starts = lengths.scan(0, |at, length| {
        *at += length;
        Some(*at)
    });
    std::iter::once(0).chain(starts).collect()
}
