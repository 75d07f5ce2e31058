//! The diagnostics of a file with places in files, and the fixes for them.

use std::ops::Range;

use db::{Database, FileId, ItemId};
use syntax::{Code, Diagnostic, Fix, ItemSpan, Severity, Span};

use crate::{FileRange, SourceEdits, TextEdit};

/// A second place that explains a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedPlace {
    /// The place.
    pub place: FileRange,
    /// The message about the place.
    pub message: String,
}

/// A fix of the cause of a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFix {
    /// The title in the menu.
    pub title: String,
    /// The changes to files.
    pub edits: SourceEdits,
    /// True if it is the most likely fix.
    pub preferred: bool,
    /// The reason why it cannot be chosen; `None` if it can.
    pub disabled: Option<String>,
}

/// A [`syntax::Diagnostic`] with absolute places in files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDiagnostic {
    /// The code of the diagnostic.
    pub code: Code,
    /// The severity.
    pub severity: Severity,
    /// The range in the file.
    pub span: Span,
    /// The message: what was expected and what was found.
    pub message: String,
    /// Further places, also in other files.
    pub related: Vec<RelatedPlace>,
    /// Advice on how to correct the error.
    pub help: Option<String>,
    /// Alternative fixes of the cause.
    pub fixes: Vec<FileFix>,
}

/// Returns all diagnostics of `file`, in the order of the items and then of their ranges.
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
    fn an_import_without_quotes_is_the_only_error() {
        check(
            "//- /main.rise\nimport a.rise\ndef f = one\n//- /a.rise\ndef one = 1\n",
            expect![[r#"
                Error main.rise:1:8 a: expected the path of a file in quotes, as in `import "a.rise"`
            "#]],
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
}
