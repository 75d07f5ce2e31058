//! What is wrong in a file, and edits that mend it.

use db::{Database, FileId, ItemId};
use syntax::{Code, Diagnostic, Fix, Place, Severity, Span};

use crate::{FileRange, SourceEdits, TextEdit};

/// A second place that explains a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedPlace {
    /// Where.
    pub place: FileRange,
    /// What stands there.
    pub message: String,
}

/// An edit that mends what a diagnostic reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFix {
    /// A menu line.
    pub title: String,
    /// What it changes.
    pub edits: SourceEdits,
    /// Whether it is the one obvious mend.
    pub preferred: bool,
    /// Why it cannot be chosen.
    pub disabled: Option<String>,
}

/// A [`syntax::Diagnostic`] whose places are files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDiagnostic {
    /// What kind of message.
    pub code: Code,
    /// Its weight.
    pub severity: Severity,
    /// Where, in the file.
    pub span: Span,
    /// What was expected, what was found.
    pub message: String,
    /// Further places, also of other files.
    pub related: Vec<RelatedPlace>,
    /// What to do.
    pub help: Option<String>,
    /// Edits that do it.
    pub fixes: Vec<FileFix>,
}

/// An edit that is offered at a place, and what it mends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeAction {
    /// The edit.
    pub fix: FileFix,
    /// What it mends.
    pub diagnostic: FileDiagnostic,
}

/// Everything that is reported in `file`, in the order of the text.
pub fn diagnostics(db: &Database, file: FileId) -> Vec<FileDiagnostic> {
    let found = db.file_diagnostics(file);
    found
        .iter()
        .flat_map(|(item, found)| item_diagnostics(db, *item, found))
        .collect()
}

/// What was found in one item, in the order of the text.
pub fn item_diagnostics(db: &Database, item: ItemId, found: &[Diagnostic]) -> Vec<FileDiagnostic> {
    let mut all: Vec<FileDiagnostic> = found
        .iter()
        .map(|diagnostic| located(db, item, diagnostic))
        .collect();
    all.sort_by_key(|diagnostic| diagnostic.span);
    all
}

/// The fixes of what is reported in `range` (its ends included).
pub fn code_actions(db: &Database, range: FileRange) -> Vec<CodeAction> {
    let meets = |span: Span| span.start <= range.span.end && range.span.start <= span.end;
    let mut actions = Vec::new();
    for item in db.items_in(range.file, range.span) {
        for diagnostic in db.item_diagnostics(item).iter() {
            if diagnostic.fixes.is_empty() || !meets(db.absolute(item, diagnostic.span)) {
                continue;
            }
            let diagnostic = located(db, item, diagnostic);
            actions.extend(diagnostic.fixes.iter().map(|fix| CodeAction {
                fix: fix.clone(),
                diagnostic: diagnostic.clone(),
            }));
        }
    }
    actions
}

/// The same diagnostic with its places in files.
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

fn located_place(db: &Database, item: ItemId, place: Place) -> FileRange {
    let item = place.item.map_or(item, |global| db.item_of(global));
    FileRange {
        file: db.file_of(item),
        span: db.absolute(item, place.span),
    }
}

fn located_fix(db: &Database, item: ItemId, fix: &Fix) -> FileFix {
    let edits = fix.edits.iter().map(|(span, text)| TextEdit {
        span: db.absolute(item, *span),
        text: text.clone(),
    });
    FileFix {
        title: fix.title.clone(),
        edits: SourceEdits::single(db.file_of(item), edits.collect()),
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
                Error main.rise:5:9 c: nothing here is called `c`
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
}
