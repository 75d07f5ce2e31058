//! Diagnostics of a file, and the fixes for them.

use std::ops::Range;

use db::{Database, Declaration, FileId, ItemId};
use syntax::ast::{Annotation, AnnotationValue};
use syntax::{Code, Diagnostic, Fix, ItemSpan, Severity, Span};

use crate::{FileRange, OfferedStrategy, SourceEdits, TextEdit, imports, strategies};

/// A second place that explains a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedPlace {
    /// The place.
    pub place: FileRange,
    /// The message about the place.
    pub message: String,
}

/// An edit that fixes the cause of a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFix {
    /// The title in the menu.
    pub title: String,
    /// The changes to files.
    pub edits: SourceEdits,
    /// True if it is the most likely fix.
    pub preferred: bool,
    /// The reason why it cannot be chosen.
    pub disabled: Option<String>,
}

/// A [`syntax::Diagnostic`] with absolute places in files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDiagnostic {
    /// The code of the diagnostic.
    pub code: Code,
    /// The severity.
    pub severity: Severity,
    /// The place in the file.
    pub span: Span,
    /// The message: what was expected and what was found.
    pub message: String,
    /// Further places, also in other files.
    pub related: Vec<RelatedPlace>,
    /// Advice on how to correct the error.
    pub help: Option<String>,
    /// Edits that correct the error.
    pub fixes: Vec<FileFix>,
}

/// A fix that is offered at a place, with the diagnostic that it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeAction {
    /// The fix.
    pub fix: FileFix,
    /// The diagnostic that it fixes.
    pub diagnostic: FileDiagnostic,
}

/// Returns all diagnostics of `file`, in the order of the text.
pub fn diagnostics(db: &Database, file: FileId) -> Vec<FileDiagnostic> {
    let found = db.file_diagnostics(file);
    found
        .iter()
        .flat_map(|(item, found)| item_diagnostics(db, *item, found))
        .collect()
}

/// Converts the diagnostics of one item to places in the file, in the order of the text.
pub fn item_diagnostics(db: &Database, item: ItemId, found: &[Diagnostic]) -> Vec<FileDiagnostic> {
    let mut all: Vec<FileDiagnostic> = found
        .iter()
        .map(|diagnostic| located(db, item, diagnostic))
        .collect();
    all.sort_by_key(|diagnostic| diagnostic.span);
    all
}

/// Returns the fixes for all diagnostics that overlap `range` or touch its ends.
pub fn code_actions(db: &Database, range: FileRange) -> Vec<CodeAction> {
    let meets = |span: Span| span.start <= range.span.end && range.span.start <= span.end;
    let mut actions = Vec::new();
    for item in db.items_in(range.file, range.span) {
        for diagnostic in db.item_diagnostics(item).iter() {
            if !meets(db.absolute(item, diagnostic.span)) {
                continue;
            }
            let mut diagnostic = located(db, item, diagnostic);
            if diagnostic.code == Code::UnknownName {
                diagnostic
                    .fixes
                    .extend(importing(db, range.file, diagnostic.span));
            }
            if diagnostic.code == Code::BadAnnotation {
                diagnostic
                    .fixes
                    .extend(naming_the_strategy(db, item, diagnostic.span));
            }
            actions.extend(diagnostic.fixes.iter().map(|fix| CodeAction {
                fix: fix.clone(),
                diagnostic: diagnostic.clone(),
            }));
        }
    }
    actions
}

/// Returns the fix that adds the only strategy of the file to `@strategy("file.elevate")`, if the
/// place is that of such an annotation.
fn naming_the_strategy(db: &Database, item: ItemId, place: Span) -> Option<FileFix> {
    let parsed = db.parsed(item);
    let is_it = |annotation: &&Annotation| db.absolute(item, annotation.span) == place;
    let annotation = parsed.item.annotations.iter().find(is_it)?;
    if annotation.name.as_ref()?.name != "strategy" {
        return None;
    }
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

/// The largest number of files that are offered for a name.
const MOST_IMPORTS: usize = 4;

/// Returns edits that import the name at a place from the files of the workspace that define it.
fn importing(db: &Database, file: FileId, name: Span) -> Vec<FileFix> {
    let text = db.text(file).to_string();
    let name = text.get(Range::from(name)).unwrap_or_default();
    let defines = |other: FileId| db.scope(other).own().by_name.contains_key(name);
    let mut paths: Vec<String> = imports::importable(db, file)
        .into_iter()
        .filter(|(other, _)| defines(*other))
        .map(|(_, path)| path)
        .collect();
    paths.truncate(MOST_IMPORTS);
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

/// Converts a diagnostic to places in files.
fn located(db: &Database, item: ItemId, diagnostic: &Diagnostic) -> FileDiagnostic {
    FileDiagnostic {
        code: diagnostic.code,
        severity: diagnostic.severity,
        span: db.absolute(item, diagnostic.span),
        message: diagnostic.message.clone(),
        related: diagnostic
            .related
            .iter()
            .map(|related| RelatedPlace {
                place: located_place(db, item, related.place),
                message: related.message.clone(),
            })
            .collect(),
        help: diagnostic.help.clone(),
        fixes: diagnostic
            .fixes
            .iter()
            .map(|fix| located_fix(db, item, fix))
            .collect(),
    }
}

fn located_place(db: &Database, item: ItemId, place: ItemSpan) -> FileRange {
    let item = place.item.map_or(item, |global| db.item_of(global));
    FileRange {
        file: db.file_of(item),
        span: db.absolute(item, place.span),
    }
}

fn located_fix(db: &Database, item: ItemId, fix: &Fix) -> FileFix {
    let text = db.item_text(item);
    let moved = |from: Span| text.get(Range::from(from)).unwrap_or_default();
    let written = fix.edits.iter().map(|(span, text)| (*span, text.as_str()));
    let moves = fix.moves.iter().map(|(span, from)| (*span, moved(*from)));
    let mut edits: Vec<TextEdit> = written
        .chain(moves)
        .map(|(span, text)| TextEdit {
            span: db.absolute(item, span),
            text: text.to_owned(),
        })
        .collect();
    edits.sort_by_key(|edit| edit.span);
    FileFix {
        title: fix.title.clone(),
        edits: SourceEdits::single(db.file_of(item), edits),
        preferred: fix.preferred,
        disabled: fix.disabled.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;
    use expect_test::{Expect, expect};

    fn check(text: &str, expected: Expect) {
        let fixture = Fixture::new(text);
        let mut shown = String::new();
        for found in diagnostics(&fixture.db, fixture.files[0]) {
            let place = fixture.place(fixture.files[0], found.span);
            shown.push_str(&format!(
                "{:?} {place}: {}\n",
                found.severity, found.message
            ));
            for related in &found.related {
                let place = fixture.place(related.place.file, related.place.span);
                shown.push_str(&format!("  {place}: {}\n", related.message));
            }
        }
        expected.assert_eq(&shown);
    }

    #[test]
    fn places_count_from_the_start_of_the_file() {
        check(
            "// comment\n\ndef a = 1.0f\n\ndef b = c + a\ndef a = 2.0f\n",
            expect![[r#"
                Error main.rise:5:9 c: cannot find `c` in this scope
                Error main.rise:6:5 a: `a` is already defined in this file
                  main.rise:3:5 a: `a` is first defined here
            "#]],
        );
    }

    #[test]
    fn related_places_may_be_in_other_files() {
        check(
            "//- /main.rise\nimport \"a.rise\"\nimport \"b.rise\"\ndef f = x\n\
             //- /a.rise\ndef x = 1\n//- /b.rise\n\ndef x = 2\n",
            expect![[r#"
                Error main.rise:3:9 x: `x` is defined by 2 imports
                  a.rise:1:5 x: one definition is here
                  b.rise:2:5 x: one definition is here
            "#]],
        );
    }

    #[test]
    fn fixes_are_offered_where_the_mistake_is() {
        let fixture =
            Fixture::new("def f = fun(xs: 4.f32 => xs |> $0transpos$0 |> join)\n$0def g = 1\n");
        let actions = |at: usize| {
            let cursor = fixture.cursors[at];
            code_actions(
                &fixture.db,
                FileRange {
                    file: cursor.file,
                    span: Span::empty(cursor.offset),
                },
            )
        };
        let found = actions(1);
        let shown: Vec<String> = found
            .iter()
            .map(|action| {
                format!(
                    "{}\n{}",
                    action.fix.title,
                    fixture.applied_all(&action.fix.edits)
                )
            })
            .collect();
        expect![[r#"
            [
                "Replace with `transpose`\ndef f = fun(xs: 4.f32 => xs |> transpose |> join)\ndef g = 1\n",
            ]
        "#]].assert_debug_eq(&shown);
        assert_eq!(actions(2), []);
    }

    /// Applies each fix that is offered at the cursor and compares the resulting texts.
    fn fixed(text: &str, expected: Expect) {
        let fixture = Fixture::new(text);
        let cursor = fixture.cursors[0];
        let range = FileRange {
            file: cursor.file,
            span: Span::empty(cursor.offset),
        };
        let mut shown = String::new();
        for action in code_actions(&fixture.db, range) {
            let after = fixture.applied_all(&action.fix.edits);
            shown.push_str(&format!("{}\n{after}", action.fix.title));
        }
        expected.assert_eq(&shown);
    }

    #[test]
    fn explicit_sizes_that_a_call_leaves_out_are_written() {
        const DOT: &str = "def dot = depFun(n: Nat => fun((xs: n.f32, ys: n.f32) => zip(xs)(ys) |> map(fun(p => p._1 * p._2)) |> reduce(add)(0.0f)))\n";
        for (call, expected) in [
            (
                "def f = fun(xs: 4.f32, ys: 4.f32 => dot(x$0s)(ys))\n",
                expect![[r#"
                Write `dot(4)`
                def dot = depFun(n: Nat => fun((xs: n.f32, ys: n.f32) => zip(xs)(ys) |> map(fun(p => p._1 * p._2)) |> reduce(add)(0.0f)))
                def f = fun(xs: 4.f32, ys: 4.f32 => dot(4)(xs)(ys))
            "#]],
            ),
            (
                "def f = depFun(m: Nat => fun(xs: m.f32, ys: m.f32 => dot(x$0s, ys)))\n",
                expect![[r#"
                    Write `dot(m)`
                    def dot = depFun(n: Nat => fun((xs: n.f32, ys: n.f32) => zip(xs)(ys) |> map(fun(p => p._1 * p._2)) |> reduce(add)(0.0f)))
                    def f = depFun(m: Nat => fun(xs: m.f32, ys: m.f32 => dot(m)(xs, ys)))
                "#]],
            ),
            (
                "def f = depFun(m: Nat => fun(xs: m.f32, ys: m.f32 => xs |> map(fun(x => x)) |> dot(y$0s)))\n",
                expect![[r#"
                    Write `dot(m)`
                    def dot = depFun(n: Nat => fun((xs: n.f32, ys: n.f32) => zip(xs)(ys) |> map(fun(p => p._1 * p._2)) |> reduce(add)(0.0f)))
                    def f = depFun(m: Nat => fun(xs: m.f32, ys: m.f32 => xs |> map(fun(x => x)) |> dot(m)(ys)))
                "#]],
            ),
        ] {
            fixed(&format!("{DOT}{call}"), expected);
        }
    }

    #[test]
    fn names_of_types_are_replaced_and_sizes_bound() {
        fixed(
            "def f = fun(xs: 8.floa$0t => xs)\n",
            expect![[r#"
                Replace with `f32`
                def f = fun(xs: 8.f32 => xs)
            "#]],
        );
        fixed(
            "def f = fun(xs: (n$0 + 1).f32 => xs |> map(fun(x => x)))\n",
            expect![[r#"
                Bind `n` with `depFun`
                def f = depFun(n: Nat => fun(xs: (n + 1).f32 => xs |> map(fun(x => x))))
            "#]],
        );
        // The initial value is missing.
        fixed(
            "def f = depFun(n: Nat => fun(xs: n.f32 => xs |> scanSeq(fun(acc, x => acc +$0 x))))\n",
            expect![""],
        );
        // A type annotation binds its own sizes, and `t` is no size.
        fixed("def f : n$0.f32 -> f32 = fun(xs => 1.0f)\n", expect![""]);
        fixed(
            "def f = fun(x: t$0 => x)\n",
            expect![[r#"
            Bind `t` with `depFun`
            def f = depFun(t: DataType => fun(x: t => x))
        "#]],
        );
    }

    #[test]
    fn words_of_annotations_are_replaced() {
        let fixes = [
            "@tag$0et(c)\ndef f = 1\n",
            "@target(opn$0mp)\ndef f = 1\n",
            "@opencl(gobal$0 = [4])\ndef f = 1\n",
            "@run(rosw$0 = 4)\ndef f = depFun(rows: Nat => fun(xs: rows.f32 => xs))\n",
            "@inli$0ne\ndef f = 1\n",
        ]
        .map(|text| {
            let fixture = Fixture::new(text);
            let cursor = fixture.cursors[0];
            let span = Span::empty(cursor.offset);
            let range = FileRange {
                file: cursor.file,
                span,
            };
            let actions = code_actions(&fixture.db, range);
            let titles = actions.into_iter().map(|action| action.fix.title);
            titles.collect::<Vec<_>>().join(", ")
        });
        expect![[r#"
            Replace with `target`
            Replace with `openmp`
            Replace with `global`
            Replace with `rows`
        "#]]
        .assert_eq(&fixes.join("\n"));
    }

    #[test]
    fn the_only_strategy_of_a_file_is_named() {
        let text = |strategies: &str| {
            format!(
                "//- /main.rise\n@strategy(\"s$0.elevate\")\ndef f = 1\n//- /s.elevate\n{strategies}rule r = map |-> mapSeq\n"
            )
        };
        fixed(
            &text("strategy only = topDown(r)\n"),
            expect![[r#"
            Name its strategy `only`
            //- main.rise
            @strategy("s.elevate", only)
            def f = 1
        "#]],
        );
        fixed(
            &text("strategy one = topDown(r)\nstrategy two = topDown(r)\n"),
            expect![[""]],
        );
    }

    #[test]
    fn an_import_without_quotes_is_the_only_error() {
        check(
            "//- /main.rise\nimport a.rise\ndef f = one\n//- /a.rise\ndef one = 1\n",
            expect![[r#"
                Error main.rise:1:8 a: expected the path of a file in quotes, as in `import "a.rise"`
            "#]],
        );
        fixed(
            "//- /main.rise\nimport a$0.rise\ndef f = one\n//- /a.rise\ndef one = 1\n",
            expect![[r#"
                Write `"a.rise"`
                //- main.rise
                import "a.rise"
                def f = one
            "#]],
        );
    }

    #[test]
    fn functions_of_c_are_declared() {
        fixed(
            "/// Roots.\ndef f = fun(xs: 4.f32 => xs |> map(fun(x => sq$0rt(x))))\n",
            expect![[r#"
                Declare `foreign def sqrt(x: f32): f32`
                foreign def sqrt(x: f32): f32

                /// Roots.
                def f = fun(xs: 4.f32 => xs |> map(fun(x => sqrt(x))))
            "#]],
        );
    }

    #[test]
    fn arguments_and_parameters_change_places() {
        fixed(
            "def f = depFun(n: Nat => fun(xs: n.f32 => map(x$0s)(fun(x => x + 1.0f /* one */))))\n",
            expect![[r#"
                Swap the arguments
                def f = depFun(n: Nat => fun(xs: n.f32 => map(fun(x => x + 1.0f /* one */))(xs)))
            "#]],
        );
        fixed(
            "// é\ndef f = depFun(n: Nat => fun(xs: n.f32 => reduceSeq(x$0s, add, 0.0f)))\n",
            expect![[r#"
                Put the arguments in order
                // é
                def f = depFun(n: Nat => fun(xs: n.f32 => reduceSeq(add, 0.0f, xs)))
            "#]],
        );
        fixed(
            "def f = depFun(n: Nat => fun(xs: n.u8 => xs |> scanSeq(fun(a$0cc: f32, x: u8 => acc + cast(x)))(0.0f)))\n",
            expect![[r#"
                Swap the parameters
                def f = depFun(n: Nat => fun(xs: n.u8 => xs |> scanSeq(fun(x: u8, acc: f32 => acc + cast(x)))(0.0f)))
            "#]],
        );
        fixed(
            "def f = depFun(n: Nat => fun(xs: n.f32 => 2.0f * x$0s))\n",
            expect![[r#"
                Apply the operator to each element with `map`
                def f = depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(x => 2.0f * x))))
            "#]],
        );
    }

    #[test]
    fn conditionals_of_other_languages_become_select() {
        fixed(
            "def f = fun(x: f32 => i$0f x < 0.0f then 0.0f else x)\n",
            expect![[r#"
                Write `select`
                def f = fun(x: f32 => select(x < 0.0f)(0.0f)(x))
            "#]],
        );
        fixed(
            "def f = fun(x: f32 => i$0f (x < 0.0f) { 0.0f } else { x + 1.0f })\n",
            expect![[r#"
                Write `select`
                def f = fun(x: f32 => select(x < 0.0f)(0.0f)(x + 1.0f))
            "#]],
        );
    }

    #[test]
    fn an_index_in_brackets_becomes_idx() {
        fixed(
            "def f = fun(xs: 4.f32 => xs$0[0] + 1.0f)\n",
            expect![[r#"
            Write `idx`
            def f = fun(xs: 4.f32 => idx(0)(xs) + 1.0f)
        "#]],
        );
    }

    #[test]
    fn names_of_other_files_are_imported() {
        fixed(
            "//- /main.rise\nimport \"a.rise\"\n\ndef f = fun(xs: 4.f32 => dou$0bled(xs))\n\
             //- /a.rise\ndef x = 1\n//- /lib/b.rise\ndef doubled = fun(xs: 4.f32 => xs)\n",
            expect![[r#"
                Import `doubled` from "lib/b.rise"
                //- main.rise
                import "a.rise"
                import "lib/b.rise"

                def f = fun(xs: 4.f32 => doubled(xs))
            "#]],
        );
    }

    #[test]
    fn names_are_not_imported_in_a_circle() {
        fixed(
            "//- /main.rise\ndef f = fun(xs: 4.f32 => dou$0bled(xs))\n\
             //- /a.rise\nimport \"b.rise\"\ndef doubled = fun(xs: 4.f32 => xs)\n\
             //- /b.rise\nimport \"main.rise\"\n",
            expect![[""]],
        );
    }

    #[test]
    fn one_foreign_function_may_come_from_two_imports() {
        let text = |second: &str| {
            format!(
                "//- /main.rise\nimport \"a.rise\"\nimport \"b.rise\"\ndef f = fun(x: f32 => sqrt(x))\n\
                 //- /a.rise\nforeign def sqrt(x: f32): f32\n//- /b.rise\n{second}\n"
            )
        };
        check(
            &text("/// The root.\nforeign def sqrt( x: f32 ) : f32"),
            expect![[""]],
        );
        check(
            &text("foreign def sqrt(x: f64): f64"),
            expect![[r#"
            Error main.rise:3:23 sqrt: `sqrt` is defined by 2 imports
              a.rise:1:13 sqrt: one definition is here
              b.rise:1:13 sqrt: one definition is here
        "#]],
        );
    }

    #[test]
    fn a_parameter_gets_the_type_that_its_use_expects() {
        fixed(
            "def mv = depFun((n: Nat, m: Nat) => fun((a: n.m.f32, x: n.f32) => a |> map(fun(row => zip(row)($0x) |> map(fun(p => p._1 * p._2)) |> reduce(add)(0.0f)))))\n",
            expect![[r#"
                Change `x` to `m.f32`
                def mv = depFun((n: Nat, m: Nat) => fun((a: n.m.f32, x: m.f32) => a |> map(fun(row => zip(row)(x) |> map(fun(p => p._1 * p._2)) |> reduce(add)(0.0f)))))
            "#]],
        );
    }

    #[test]
    fn a_type_that_reads_the_same_is_no_fix() {
        fixed(
            "def f = depFun(h: Nat => fun(xs: h.f32 => depFun(h: Nat => fun(y: h.f32 => zip(xs)($0y)))))\n",
            expect![[""]],
        );
    }

    #[test]
    fn a_view_that_is_read_is_stored_and_its_parts_are_copied() {
        fixed(
            "@target(c)\ndef f = fun(a: 4.f32, b: 4.f32 => con$0cat(a)(b) |> mapSeq(fun(x => x + 1.0f)))\n",
            expect![[r#"
                Store in memory: `toMem`, with `mapSeq(id)` before it
                @target(c)
                def f = fun(a: 4.f32, b: 4.f32 => concat(a |> mapSeq(id))(b |> mapSeq(id)) |> toMem |> mapSeq(fun(x => x + 1.0f)))
            "#]],
        );
    }
}
