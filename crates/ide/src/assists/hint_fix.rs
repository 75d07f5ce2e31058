//! Offers the rewrite of the library that a performance hint asks for.
//!
//! ```rise
//! @target(c)
//! def sums = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 =>
//!   a |> transpose |> mapSeq(fun(column => column |> reduc$0eSeq(add)(0.0f)))))
//! ```
//! *Accumulate rows instead*
//! ```rise
//! @target(c)
//! def sums = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 =>
//!   a
//!     |> transpose
//!     |> transpose
//!     |> reduceSeq(fun(sums, row => zip(sums)(row) |> mapSeq(fun(p => p._1 + p._2))))(
//!       generate(fun(i => 0.0f)) |> mapSeq(id))
//!     |> mapSeq(id)))
//! ```
//!
//! What is computed from each result gets a loop of its own:
//!
//! ```rise
//! @target(c)
//! def means = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 =>
//!   a |> transpose |> mapSeq(fun(column => (column |> reduc$0eSeq(add)(0.0f)) / 8.0f))))
//! ```
//! *Accumulate rows instead*
//! ```rise
//! @target(c)
//! def means = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 =>
//!   a
//!     |> transpose
//!     |> map(fun(column => column))
//!     |> transpose
//!     |> reduceSeq(fun(sums, row => zip(sums)(row) |> mapSeq(fun(p => p._1 + p._2))))(
//!       generate(fun(i => 0.0f)) |> mapSeq(id))
//!     |> mapSeq(fun(x => x / 8.0f))))
//! ```
//!
//! The loops that the default schedule chooses are not in the text. Their hint is at the name of
//! the definition, and the rewrite is that of its only reduction.
//!
//! ```rise
//! @target(c)
//! def su$0m = depFun(n: Nat => fun(xs: (8 * n).f32 => xs |> reduce(add)(0.0f)))
//! ```
//! *Reduce in vectors of 8 (changes rounding)*
//! ```rise
//! @target(c)
//! def sum = depFun(n: Nat => fun(xs: (8 * n).f32 =>
//!   xs
//!     |> asVector(8)
//!     |> reduce(add)(vectorFromScalar(0.0f))
//!     |> makeArray(1)
//!     |> asScalar
//!     |> reduce(add)(0.0f)))
//! ```
//!
//! A definition whose choices are slower than the default schedule can leave them out:
//!
//! ```rise
//! @target(c)
//! def distan$0ces = depFun((n: Nat, m: Nat) => fun(a: n.32.f32, b: m.32.f32 =>
//!   a |> mapSeq(fun(p => b |> mapSeq(fun(q =>
//!     zip(p)(q) |> map(fun((x, y) => (x - y) * (x - y))) |> reduceSeq(add)(0.0f)))))))
//! ```
//! *Leave open how it is computed (changes rounding)*
//! ```rise
//! @target(c)
//! def distances = depFun((n: Nat, m: Nat) => fun(a: n.32.f32, b: m.32.f32 =>
//!   a |> map(fun(p => b |> map(fun(q =>
//!     zip(p)(q) |> map(fun((x, y) => (x - y) * (x - y))) |> reduce(add)(0.0f)))))))
//! ```

use std::ops::Range;

use codegen::codes::{ORDERED_REDUCTION, SLOWER_THAN_DEFAULT, STRIDED_READ};
use db::ItemId;
use syntax::{Code, Span, lex};

use super::{Assist, AssistContext, AssistHandler, library_rewrite};
use crate::rewrites::{self, AssistKind, RewriteAction};
use crate::{FileDiagnostic, FileRange, item_diagnostics};

pub(super) const HANDLER: AssistHandler = AssistHandler {
    name: "hint_fix",
    kinds: &[AssistKind::QuickFix],
    offer,
};

/// A rewrite that makes the loop of a hint faster.
struct Fix {
    hint: Code,
    strategy: &'static str,
    kind: AssistKind,
    /// The primitives that it rewrites, for hints at the name of a definition; none if it is only
    /// for loops in the text.
    heads: &'static [&'static str],
}

const FIXES: &[Fix] = &[
    Fix {
        hint: STRIDED_READ,
        strategy: "accumulateRows",
        kind: AssistKind::Move,
        heads: &[],
    },
    Fix {
        hint: STRIDED_READ,
        strategy: "accumulateRowsBefore",
        kind: AssistKind::Move,
        heads: &[],
    },
    Fix {
        hint: ORDERED_REDUCTION,
        strategy: "partialReduceVectorize(8)",
        kind: AssistKind::Vectorize,
        heads: &["reduce", "reduceSeq"],
    },
    Fix {
        hint: SLOWER_THAN_DEFAULT,
        strategy: "leaveOpen",
        kind: AssistKind::Source,
        heads: &[],
    },
];

fn offer(cx: &AssistContext<'_>) -> Vec<Assist> {
    let FileRange { file, span } = cx.request.range;
    let items = cx.db.items_in(file, span);
    let known = cx.request.hints.iter();
    let hints = known.filter(|(item, _)| items.contains(item));
    let mut found = Vec::new();
    for (item, hints) in hints {
        for hint in item_diagnostics(cx.db, *item, hints) {
            if hint.span.start <= span.end && span.start <= hint.span.end {
                found.extend(quick_fix(cx, *item, hint));
            }
        }
    }
    found
}

/// Returns the quick fix of a hint, if the library has one.
fn quick_fix(cx: &AssistContext<'_>, item: ItemId, hint: FileDiagnostic) -> Option<Assist> {
    // What is left after `leaveOpen` may still need choices; the help then names another strategy.
    let is_named = hint
        .help
        .as_deref()
        .is_some_and(|help| help.contains("`leaveOpen`"));
    if hint.code == SLOWER_THAN_DEFAULT && !is_named {
        return None;
    }
    let mut fixes = FIXES.iter().filter(|fix| fix.hint == hint.code);
    let action = fixes.find_map(|fix| action_of(cx, item, hint.span, fix))?;
    let assist = library_rewrite::assist(&action);
    Some(Assist {
        kind: AssistKind::QuickFix,
        diagnostic: Some(hint),
        ..assist
    })
}

/// Returns the rewrite of a hint at a place, or of the only place in the definition that the hint can
/// mean.
fn action_of(cx: &AssistContext<'_>, item: ItemId, span: Span, fix: &Fix) -> Option<RewriteAction> {
    let mut places = vec![span];
    let parsed = cx.db.parsed(item);
    let name = parsed.item.name();
    if name.is_some_and(|name| cx.db.absolute(item, name.span) == span) {
        places = match fix.kind.is_source() {
            true => places,
            false => words(cx, item, fix.heads),
        };
    }
    let mut actions = places.into_iter().filter_map(|place| at(cx, place, fix));
    let action = actions.next()?;
    // Which of several loops is slow is not known.
    match actions.any(|other| other.path != action.path) {
        true => None,
        false => Some(action),
    }
}

/// Returns the rewrite at a place, if it can be chosen.
fn at(cx: &AssistContext<'_>, span: Span, fix: &Fix) -> Option<RewriteAction> {
    let place = FileRange {
        file: cx.request.range.file,
        span,
    };
    let found = rewrites::rewrites(cx.db, place, &|kind| kind == fix.kind);
    let mut found = found.into_iter();
    found.find(|action| action.strategy == fix.strategy && action.disabled.is_none())
}

/// Returns the places of words in the text of a definition.
fn words(cx: &AssistContext<'_>, item: ItemId, words: &[&str]) -> Vec<Span> {
    let text = cx.db.item_text(item);
    let start = cx.db.item_span(item).start;
    let is_wanted = |span: &Span| words.contains(&&text[Range::from(*span)]);
    let spans = lex(&text).map(|token| token.span).filter(is_wanted);
    spans.map(|span| span.shifted(start)).collect()
}
