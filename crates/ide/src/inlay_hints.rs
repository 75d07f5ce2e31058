//! Inferred types and sizes, shown between the words of the program.

use std::sync::Arc;

use db::{Database, FileId};
use rise::{BinderInfo, NameUse, Scheme, Ty};
use syntax::Span;
use syntax::ast::{BinaryOp, BinderAnnotation, BinderId, ItemKind, TermId, TermKind};

use crate::tree::{self, Stage};
use crate::view::View;
use crate::{TextEdit, short, vars};

/// Which hints are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InlayConfig {
    /// Types of `fun` parameters and `let` names that have none written.
    pub parameters: bool,
    /// Types of definitions that have none written.
    pub definitions: bool,
    /// What each stage of a pipeline of several lines yields.
    pub pipelines: bool,
    /// Implicit arguments.
    pub implicits: bool,
    /// Longest label, in characters; longer types are elided.
    pub max_length: usize,
}

impl Default for InlayConfig {
    fn default() -> Self {
        InlayConfig {
            parameters: true,
            definitions: true,
            pipelines: true,
            implicits: false,
            max_length: 40,
        }
    }
}

/// What a hint shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InlayKind {
    /// The type of a parameter or `let` name.
    Parameter,
    /// The type of a definition.
    Definition,
    /// What a stage of a pipeline yields.
    Pipeline,
    /// Implicit arguments.
    Implicit,
}

/// Text to show at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlayHint {
    /// Where.
    pub offset: u32,
    /// What it shows.
    pub kind: InlayKind,
    /// At most [`InlayConfig::max_length`] characters.
    pub label: String,
    /// The whole type.
    pub tooltip: String,
    /// Edits that write the hint into the program, where it can be written.
    pub insert: Option<Vec<TextEdit>>,
    /// Whether space is wanted before it.
    pub pad_left: bool,
}

/// The hints in `range`, in the order of the text.
pub fn inlay_hints(
    db: &Database,
    file: FileId,
    range: Span,
    config: &InlayConfig,
) -> Vec<InlayHint> {
    let mut hints = Vec::new();
    for id in db.items_in(file, range) {
        let view = View::new(db, id);
        if !matches!(view.item().kind, ItemKind::Def { .. }) {
            continue;
        }
        let collector = Collector {
            view: &view,
            config,
            text: db.item_text(id),
        };
        collector.collect(&mut hints);
    }
    hints.retain(|hint| range.touches(hint.offset));
    hints.sort_by_key(|hint| hint.offset);
    hints
}

struct Collector<'v> {
    view: &'v View<'v>,
    config: &'v InlayConfig,
    text: Arc<str>,
}

impl Collector<'_> {
    fn collect(&self, out: &mut Vec<InlayHint>) {
        if self.config.definitions {
            out.extend(self.definition());
        }
        if self.config.parameters {
            let binders = (0..self.view.item().binders.len() as u32).map(BinderId);
            out.extend(binders.filter_map(|id| self.parameter(id)));
        }
        if self.config.pipelines {
            self.pipelines(out);
        }
        if self.config.implicits {
            out.extend(
                self.view
                    .inference()
                    .uses
                    .iter()
                    .filter_map(|name| self.implicits(name)),
            );
        }
    }

    fn hint(&self, offset: u32, kind: InlayKind, label: String, tooltip: String) -> InlayHint {
        InlayHint {
            offset: self.view.base + offset,
            kind,
            label,
            tooltip,
            insert: None,
            pad_left: false,
        }
    }

    /// `: type`, within the limit.
    fn colon(&self, ty: &str) -> String {
        format!(
            ": {}",
            short::elide(ty, self.config.max_length.saturating_sub(2))
        )
    }

    fn edit(&self, at: u32, text: String) -> Option<Vec<TextEdit>> {
        Some(vec![TextEdit {
            span: self.view.absolute(Span::empty(at)),
            text,
        }])
    }

    fn definition(&self) -> Option<InlayHint> {
        let item = self.view.item();
        let ItemKind::Def {
            name: Some(name),
            ty: None,
            ..
        } = &item.kind
        else {
            return None;
        };
        let scheme = self.view.db.scheme(self.view.id)?;
        if vars::has_error(&scheme.ty) {
            return None;
        }
        let ty = rise::print::type_text(&scheme.ty, &scheme.names);
        let whole = rise::print::scheme_text(&scheme);
        let at = name.span.end;
        let mut hint = self.hint(at, InlayKind::Definition, self.colon(&ty), whole);
        if self.can_state(&scheme) {
            hint.insert = self.edit(at, format!(": {ty}"));
        }
        Some(hint)
    }

    /// Whether the def's type can be written down: its names differ from each other, and from
    /// every name that the body takes from outside, which they would hide.
    fn can_state(&self, scheme: &Scheme) -> bool {
        let names = &scheme.names.0;
        let free = &self.view.db.header(self.view.id).mentions;
        names.iter().enumerate().all(|(index, name)| {
            !names[..index].contains(name) && free.binary_search(name).is_err()
        })
    }

    fn parameter(&self, id: BinderId) -> Option<InlayHint> {
        let item = self.view.item();
        let binder = item.binder(id);
        let BinderInfo::Value(ty) = self.view.binder_info(id) else {
            return None;
        };
        if binder.annotation != BinderAnnotation::None
            || binder.name.is_empty()
            || vars::has_error(ty)
        {
            return None;
        }
        let whole = self.type_text(ty);
        let mut hint = self.hint(
            binder.span.end,
            InlayKind::Parameter,
            self.colon(&whole),
            whole.clone(),
        );
        let owner = self.view.parents().owner(id)?;
        let takes_type = matches!(item.term(owner).kind, TermKind::Fun { .. });
        if takes_type && self.can_write(owner, ty) {
            hint.insert = self.edit(binder.span.end, format!(": {whole}"));
        }
        Some(hint)
    }

    /// Whether every variable of the type can be named at `place`.
    fn can_write(&self, place: TermId, ty: &Ty) -> bool {
        let scope = self.view.scope_at(place);
        let names = &self.view.inference().names;
        let mut free = Vec::new();
        vars::of_type(ty, &mut free);
        free.iter().all(|var| {
            scope.get(self.view.item(), &names.get(*var)).is_some_and(|binder| {
                matches!(self.view.binder_info(binder), BinderInfo::TypeLevel(known, _) if known == var)
            })
        })
    }

    fn type_text(&self, ty: &Ty) -> String {
        rise::print::type_text(ty, &self.view.inference().names)
    }

    /// What the stages yield of pipelines that take several lines.
    fn pipelines(&self, out: &mut Vec<InlayHint>) {
        let item = self.view.item();
        for (index, term) in item.terms.iter().enumerate() {
            let id = TermId(index as u32);
            let is_pipe = matches!(
                term.kind,
                TermKind::Binary {
                    op: BinaryOp::Pipe,
                    ..
                }
            );
            let ends_here = is_pipe && tree::pipeline_of(item, self.view.parents(), id) == Some(id);
            if !ends_here {
                continue;
            }
            let stages = tree::stages(item, id);
            if self.several_lines(&stages) {
                out.extend(stages.iter().filter_map(|stage| self.stage(*stage)));
            }
        }
    }

    /// Whether the stages begin on different lines.
    fn several_lines(&self, stages: &[Stage]) -> bool {
        let (Some(first), Some(last)) = (stages.first(), stages.last()) else {
            return false;
        };
        let start = self.view.span(first.written).end as usize;
        let end = self.view.span(last.written).start as usize;
        self.text
            .get(start..end)
            .is_some_and(|between| between.contains('\n'))
            || stages
                .iter()
                .any(|stage| self.text_of(self.view.span(stage.written)).contains('\n'))
    }

    fn text_of(&self, span: Span) -> &str {
        self.text.get(std::ops::Range::from(span)).unwrap_or("")
    }

    /// The hint of a stage after which its line ends, but for closing brackets and the next `|>`.
    fn stage(&self, stage: Stage) -> Option<InlayHint> {
        if matches!(self.view.item().term(stage.written).kind, TermKind::Name(_))
            && stage.written == stage.result
        {
            return None;
        }
        let ty = self
            .view
            .type_of(stage.result)
            .filter(|ty| !vars::has_error(ty))?;
        let end = self.view.span(stage.written).end;
        let line = self.text.get(end as usize..)?.lines().next().unwrap_or("");
        let mut rest = line.trim_start();
        let mut at = end;
        if let Some(after) = rest.strip_prefix("|>") {
            at = end + (line.len() - after.len()) as u32;
            rest = after.trim_start();
        }
        let rest = rest.trim_start_matches([')', ',', ' ', '\t', '\r']);
        if !(rest.is_empty() || rest.starts_with("//") || rest.starts_with("/*")) {
            return None;
        }
        let whole = self.type_text(ty);
        let label = short::elide(&whole, self.config.max_length);
        Some(InlayHint {
            pad_left: true,
            ..self.hint(at, InlayKind::Pipeline, label, whole)
        })
    }

    fn implicits(&self, name: &NameUse) -> Option<InlayHint> {
        if name.implicits.is_empty() {
            return None;
        }
        let names = &self.view.inference().names;
        let args: Vec<String> = name
            .implicits
            .iter()
            .map(|(param, arg)| format!("{param} = {}", rise::print::arg_text(arg, names)))
            .collect();
        let whole = format!("{{{}}}", args.join(", "));
        let label = short::elide_list(&args, self.config.max_length);
        Some(self.hint(
            self.view.span(name.term).end,
            InlayKind::Implicit,
            label,
            whole,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Fixture, LISTING_1, LISTING_4};
    use expect_test::{Expect, expect};

    fn hints(fixture: &Fixture, config: &InlayConfig) -> Vec<InlayHint> {
        let file = fixture.files[0];
        let whole = Span::new(0, fixture.text(file).len() as u32);
        let range = fixture.ranges.first().map_or(whole, |range| range.span);
        inlay_hints(&fixture.db, file, range, config)
    }

    /// The text with the hints in `«»` where they stand.
    fn check(text: &str, config: &InlayConfig, expected: Expect) {
        let fixture = Fixture::new(text);
        let mut shown = fixture.text(fixture.files[0]);
        for hint in hints(&fixture, config).iter().rev() {
            assert!(
                hint.label.chars().count() <= config.max_length,
                "{}",
                hint.label
            );
            let pad = if hint.pad_left { " " } else { "" };
            shown.insert_str(hint.offset as usize, &format!("{pad}«{}»", hint.label));
        }
        expected.assert_eq(&shown);
    }

    #[test]
    fn listing_1() {
        check(
            LISTING_1,
            &InlayConfig::default(),
            expect![[r#"
            def mv«: (n: Nat) -> (m: Nat) -> … -> n.f32» = depFun((n: Nat, m: Nat) =>
              fun(M: Array[n, Array[m, f32]] =>
                fun(x: Array[m, f32] =>
                  M |> map(fun(row«: m.f32» =>
                    zip(row)(x) |> «m.(f32, f32)»
                      map(fun(ax«: (f32, f32)» => fst(ax) * snd(ax))) |> «m.f32»
                      reduce(add)(0.0f) «f32» )) «n.f32» )) )
        "#]],
        );
    }

    #[test]
    fn listing_4() {
        check(
            LISTING_4,
            &InlayConfig::default(),
            expect![[r#"
            def mvOpt«: (n: Nat) -> (m: Nat) -> … -> n.f32» = depFun((n: Nat, m: Nat, s: Nat) =>
              fun(M: Array[n, Array[m, f32]] =>
                fun(x: Array[m, f32] =>
                  M |> split(s) |> mapWorkGroup(fun(rows«: s.m.f32» =>
                    rows |> mapLocal(fun(row«: m.f32» =>
                      zip(row)(x) |> «m.(f32, f32)»
                        reduceSeq(Private)(fun(acc«: f32», ax«: (f32, f32)» =>
                          acc + (fst(ax) * snd(ax))))(0.0f) «f32» )) «s.f32»
                  )) |> join «n.f32»
                )) )
        "#]],
        );
    }

    #[test]
    fn each_can_be_turned_off() {
        let none = InlayConfig {
            parameters: false,
            definitions: false,
            pipelines: false,
            ..InlayConfig::default()
        };
        assert!(hints(&Fixture::new(LISTING_1), &none).is_empty());
        let implicits = InlayConfig {
            implicits: true,
            ..none
        };
        check(
            LISTING_1,
            &implicits,
            expect![[r#"
            def mv = depFun((n: Nat, m: Nat) =>
              fun(M: Array[n, Array[m, f32]] =>
                fun(x: Array[m, f32] =>
                  M |> map«{n = n, s = m.f32, t = f32}»(fun(row =>
                    zip«{n = m, s = f32, t = f32}»(row)(x) |>
                      map«{n = m, s = (f32, f32), t = f32}»(fun(ax => fst«{s = f32, t = f32}»(ax) * snd«{s = f32, t = f32}»(ax))) |>
                      reduce«{n = m, t = f32}»(add«{t = f32}»)(0.0f) )) )) )
        "#]],
        );
    }

    #[test]
    fn labels_are_cut_and_tooltips_are_whole() {
        let fixture = Fixture::new(LISTING_4);
        let short = InlayConfig {
            max_length: 12,
            ..InlayConfig::default()
        };
        let shown: Vec<String> = hints(&fixture, &short)
            .into_iter()
            .map(|hint| format!("{:<12} | {}\n", hint.label, hint.tooltip))
            .collect();
        expect![[r#"
            : … -> n.f32 | (n: Nat) -> (m: Nat) -> (s: Nat) -> n.m.f32 -> m.f32 -> n.f32 where s divides n
            : s.m.f32    | s.m.f32
            : m.f32      | m.f32
            m.(f32, f32) | m.(f32, f32)
            : f32        | f32
            : (f32, f32) | (f32, f32)
            f32          | f32
            s.f32        | s.f32
            n.f32        | n.f32
        "#]].assert_eq(&shown.concat());
    }

    #[test]
    fn hints_that_can_be_written_insert_themselves() {
        let fixture = Fixture::new(
            "def mm = depFun((n: Nat, m: Nat) => fun(A: n.m.f32 => A |> map(fun(row => row))))\n\
             def first = fun(p => let q = p in fst(q))\n",
        );
        let edits: Vec<TextEdit> = hints(&fixture, &InlayConfig::default())
            .into_iter()
            .filter_map(|hint| hint.insert)
            .flatten()
            .collect();
        let after = fixture.applied(&edits, fixture.files[0]);
        expect![[r#"
            def mm: (n: Nat) -> (m: Nat) -> n.m.f32 -> n.m.f32 = depFun((n: Nat, m: Nat) => fun(A: n.m.f32 => A |> map(fun(row: m.f32 => row))))
            def first: {t: DataType} -> {s: DataType} -> (t, s) -> t = fun(p => let q = p in fst(q))
        "#]].assert_eq(&after);
        let errors = |text: &str| {
            let fixture = Fixture::new(text);
            let found = crate::diagnostics(&fixture.db, fixture.files[0]);
            found
                .into_iter()
                .map(|found| found.message)
                .collect::<Vec<_>>()
        };
        assert_eq!(errors(&after), [""; 0]);
    }

    #[test]
    fn only_the_range_is_answered() {
        check(
            "def f = fun(x => x + 1.0f)\n<|>def g = fun(x => x)<|>\ndef h = fun(x => x)\n",
            &InlayConfig::default(),
            expect![[r#"
                def f = fun(x => x + 1.0f)
                def g«: {t: DataType} -> t -> t» = fun(x«: t» => x)
                def h = fun(x => x)
            "#]],
        );
    }

    #[test]
    fn half_typed_code_keeps_its_hints() {
        check(
            "def f = depFun(n: Nat => fun(xs: n.f32 =>\n  xs |>\n    map(fun(x => x)) |>\n",
            &InlayConfig::default(),
            expect![[r#"
                def f = depFun(n: Nat => fun(xs: n.f32 =>
                  xs |>
                    map(fun(x«: f32» => x)) |> «n.f32»
            "#]],
        );
    }
}
