//! The applications around a cursor or selection, from the innermost outwards.

use elevate::term::{Child, Path};
use rise::core::Form;
use syntax::Span;
use syntax::ast::{BinaryOp, Item, TermId, TermKind};

use super::align::{Alignment, is_spine};
use super::precedence;

/// An application, or another term at which a rewrite can be applied.
#[derive(Clone, Debug)]
pub(crate) struct Spine {
    /// The term in the text, such as `map(f)`, or `xs |> map(f)` with its input.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests show it"))]
    pub(crate) term: TermId,
    /// The path in the definition's core term.
    pub(crate) path: Path,
    /// True if the selection is in an earlier stage of the pipeline, whose result this one takes.
    pub(crate) is_later_stage: bool,
}

/// Returns the terms of the definition's right side that contain the selection, innermost first. A
/// part of an application that is no place itself (the name at its head, a size, an operator) is
/// skipped, so that the application comes first.
pub(crate) fn spines(item: &Item, alignment: &Alignment, selection: Span) -> Vec<Spine> {
    let parents = item.parents();
    let Some(body) = precedence::body(item) else {
        return Vec::new();
    };
    let mut found: Vec<Spine> = Vec::new();
    let mut at = innermost(item, selection);
    let mut inside = false;
    let (mut below, mut in_stage) = (None, false);
    while let Some(id) = at {
        at = parents[id.0 as usize];
        let is_later_stage = in_stage && below.is_some_and(|below| flows_in(item, id, below));
        in_stage |= match &item.term(id).kind {
            TermKind::Apply { .. } => true,
            TermKind::Binary { op, rhs, .. } => *op == BinaryOp::Pipe && below == Some(*rhs),
            _ => false,
        };
        below = Some(id);
        inside |= id == body;
        let is_place = match &item.term(id).kind {
            // The head of an application, or a prefix of a longer one.
            TermKind::Name(_) | TermKind::Operator(_) => !is_callee(item, at, id),
            TermKind::Paren(inner) => !is_spine(item, *inner) || at.is_none(),
            TermKind::Apply { .. } => !is_callee(item, at, id),
            _ => true,
        };
        let Some(part) = alignment.part(id).filter(|_| is_place) else {
            continue;
        };
        if let (TermKind::Binary { op, .. }, Form::Lambda(..)) =
            (&item.term(id).kind, &part.core.form)
            && matches!(op, BinaryOp::Then | BinaryOp::After)
            && !part.applied
        {
            // The body of a composition is also an application.
            let path = Path(part.path.clone()).then(Child::Body);
            push(&mut found, id, path, is_later_stage);
        }
        push(&mut found, id, Path(part.path.clone()), is_later_stage);
    }
    if inside { found } else { Vec::new() }
}

fn push(found: &mut Vec<Spine>, term: TermId, path: Path, is_later_stage: bool) {
    if found.last().is_none_or(|last| last.path != path) {
        found.push(Spine {
            term,
            path,
            is_later_stage,
        });
    }
}

/// Returns true if `part` is the input of a later stage in the pipeline or composition `whole`.
fn flows_in(item: &Item, whole: TermId, part: TermId) -> bool {
    match item.term(whole).kind {
        TermKind::Binary { op, lhs, rhs, .. } => match op {
            BinaryOp::Pipe | BinaryOp::Then => lhs == part,
            BinaryOp::After => rhs == part,
            _ => false,
        },
        _ => false,
    }
}

fn is_callee(item: &Item, parent: Option<TermId>, id: TermId) -> bool {
    parent.is_some_and(
        |parent| matches!(&item.term(parent).kind, TermKind::Apply { callee, .. } if *callee == id),
    )
}

/// Returns the smallest term that contains the selection. For a cursor at a `|>` or `>>` this is
/// the right operand.
fn innermost(item: &Item, selection: Span) -> Option<TermId> {
    let size = |id: &TermId| {
        let term = item.term(*id);
        let starts = term.span.start == selection.start;
        (term.span.len(), !starts, id.0)
    };
    let terms = (0..item.terms.len() as u32).map(TermId);
    let holds = |id: &TermId| {
        let term = item.term(*id);
        term.kind != TermKind::Missing && term.span.contains(selection)
    };
    let found = terms.filter(holds).min_by_key(size)?;
    match item.term(found).kind {
        TermKind::Binary {
            op: BinaryOp::Pipe | BinaryOp::Then,
            op_span,
            rhs,
            ..
        } if selection.is_empty() && op_span.touches(selection.start) => Some(rhs),
        _ => Some(found),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::fixture::Fixture;

    fn check(text: &str, expected: Expect) {
        let fixture = Fixture::new(text);
        let selection = match (&fixture.ranges[..], &fixture.cursors[..]) {
            ([range], _) => range.span,
            (_, [cursor]) => Span::empty(cursor.offset),
            _ => panic!("one cursor or one range"),
        };
        let item = fixture.db.items(fixture.files[0])[0];
        let parsed = fixture.db.parsed(item);
        let def = fixture
            .db
            .elaborated(item)
            .expect("the definition is right");
        let inference = fixture.db.inference(item);
        let alignment = Alignment::of(&parsed.item, &inference, &def);
        let text = fixture.db.item_text(item);
        let shown: String = spines(&parsed.item, &alignment, selection)
            .iter()
            .map(|spine| {
                let span = parsed.item.term(spine.term).span;
                let path: String = spine.path.0.iter().map(letter).collect();
                let later = if spine.is_later_stage { " (later)" } else { "" };
                format!("{} @ {path}{later}\n", &text[std::ops::Range::from(span)])
            })
            .collect();
        expected.assert_eq(&shown);
    }

    fn letter(step: &Child) -> char {
        match step {
            Child::Function => 'f',
            Child::Argument => 'a',
            Child::Body => 'b',
        }
    }

    #[test]
    fn the_stage_comes_before_the_pipeline() {
        check(
            "def two = fun((xs: 8.f32, f: f32 -> f32, g: f32 -> f32) => xs |> ma$0p(f) |> map(g))\n",
            expect![[r#"
                map(f) @ bbbaf
                xs |> map(f) @ bbba
                xs |> map(f) |> map(g) @ bbb (later)
                fun((xs: 8.f32, f: f32 -> f32, g: f32 -> f32) => xs |> map(f) |> map(g)) @ 
            "#]],
        );
        check(
            "def two = fun((xs: 8.f32, f: f32 -> f32, g: f32 -> f32) => xs |> map(f) |$0> map(g))\n",
            expect![[r#"
                map(g) @ bbbf
                xs |> map(f) |> map(g) @ bbb
                fun((xs: 8.f32, f: f32 -> f32, g: f32 -> f32) => xs |> map(f) |> map(g)) @ 
            "#]],
        );
    }

    #[test]
    fn sizes_belong_to_what_they_are_given_to() {
        check(
            "def rows = fun(xs: 8.f32 => xs |> split($02) |> map(reduceSeq(add)(0.0f)))\n",
            expect![[r#"
                split(2) @ baf
                xs |> split(2) @ ba
                xs |> split(2) |> map(reduceSeq(add)(0.0f)) @ b (later)
                fun(xs: 8.f32 => xs |> split(2) |> map(reduceSeq(add)(0.0f))) @ 
            "#]],
        );
    }

    #[test]
    fn stages_of_compositions_are_places() {
        check(
            "def two : 8.f32 -> 8.f32 = map(fun(x => x + 1.0f)) >> map(fun(x => x *$0 2.0f))\n",
            expect![[r#"
                x * 2.0f @ bfab
                fun(x => x * 2.0f) @ bfa
                map(fun(x => x * 2.0f)) @ bf
                map(fun(x => x + 1.0f)) >> map(fun(x => x * 2.0f)) @ b
                map(fun(x => x + 1.0f)) >> map(fun(x => x * 2.0f)) @ 
            "#]],
        );
    }

    #[test]
    fn stages_of_longer_compositions_are_places_of_one_pipeline() {
        check(
            "def all = fun((xs: 8.f32, f: f32 -> f32) => xs |> (map(f) >> map(f) $0>> map(f)))\n",
            expect![[r#"
                map(f) @ bbf
                map(f) >> map(f) >> map(f) @ bb
                fun((xs: 8.f32, f: f32 -> f32) => xs |> (map(f) >> map(f) >> map(f))) @ 
            "#]],
        );
        check(
            "def all = fun((xs: 8.f32, f: f32 -> f32) => xs |> (ma$0p(f) >> (map(f) >> map(f))))\n",
            expect![[r#"
                map(f) @ bbaaf
                map(f) >> (map(f) >> map(f)) @ bb (later)
                fun((xs: 8.f32, f: f32 -> f32) => xs |> (map(f) >> (map(f) >> map(f)))) @ 
            "#]],
        );
        check(
            "def all : (f32 -> f32) -> 8.f32 -> 8.f32 = fun(f => map(f) >> map(f) >$0> map(f) >> map(f))\n",
            expect![[r#"
                map(f) @ bbaf
                map(f) >> map(f) >> map(f) @ bba
                map(f) >> map(f) >> map(f) >> map(f) @ bb (later)
                map(f) >> map(f) >> map(f) >> map(f) @ b (later)
                fun(f => map(f) >> map(f) >> map(f) >> map(f)) @ 
            "#]],
        );
    }

    #[test]
    fn a_selection_is_held_as_a_whole() {
        check(
            "def two = fun((xs: 8.f32, f: f32 -> f32, g: f32 -> f32) => xs |> <|>map(f) |> map(g)<|>)\n",
            expect![[r#"
                xs |> map(f) |> map(g) @ bbb
                fun((xs: 8.f32, f: f32 -> f32, g: f32 -> f32) => xs |> map(f) |> map(g)) @ 
            "#]],
        );
    }

    #[test]
    fn there_is_nothing_in_the_type_of_a_definition() {
        check(
            "def one : 8.f$032 -> 8.f32 = fun(x => x)\n",
            expect![[r#""#]],
        );
    }
}
