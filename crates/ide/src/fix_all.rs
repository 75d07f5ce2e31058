//! Applies preferred fixes until none is left: `rise-ls fix` and `source.fixAll`.

use std::ops::Range;

use db::{Database, FileId, FilePath};
use rustc_hash::FxHashSet;
use syntax::Span;

use crate::{FileDiagnostic, FileFix, TextEdit, diagnostics};

/// The largest number of rounds. In each round, every item gets at most one fix.
const MAX_ROUNDS: usize = 200;

/// The result of applying fixes to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedFile {
    /// The new text.
    pub text: String,
    /// The titles of the applied fixes, in order.
    pub titles: Vec<String>,
    /// False if the fixes undo each other, or after the largest number of rounds. If they undo each
    /// other, the text is the first one that they lead to a second time; after the largest number of
    /// rounds, it is the text before the first fix.
    pub settled: bool,
}

/// Applies the preferred fixes of a file until none is left. The file in the database has the new
/// text afterwards.
///
/// A fix that changes another file is not applied. If the fixes undo each other, their sequence of
/// texts is cyclic, and the result is the first text of the cycle, so that fixing it again changes
/// nothing.
pub fn fix_all(db: &mut Database, file: FileId) -> FixedFile {
    let path = db.path(file);
    let mut text = db.text(file).to_string();
    let mut titles = Vec::new();
    let mut seen: Vec<(String, usize)> = Vec::new();
    for _ in 0..MAX_ROUNDS {
        let round = preferred(db, file);
        if round.is_empty() {
            return FixedFile {
                text,
                titles,
                settled: true,
            };
        }
        seen.push((text.clone(), titles.len()));
        for fix in round.iter().rev() {
            let edits = fix.edits.files.iter().flat_map(|(_, edits)| edits);
            edits.rev().for_each(|edit| apply(&mut text, edit));
        }
        titles.extend(round.into_iter().map(|fix| fix.title));
        db.set_file(path.clone(), text.as_str());
        if let Some((_, count)) = seen.iter().find(|(earlier, _)| *earlier == text) {
            titles.truncate(*count);
            return FixedFile {
                text,
                titles,
                settled: false,
            };
        }
    }
    if let Some((original, _)) = seen.into_iter().next() {
        text = original;
        db.set_file(path, text.as_str());
    }
    FixedFile {
        text,
        titles: Vec::new(),
        settled: false,
    }
}

/// Returns true if a diagnostic of the file has a preferred fix that can be chosen and changes only
/// this file.
pub(crate) fn has_preferred_fixes(db: &Database, file: FileId) -> bool {
    !preferred(db, file).is_empty()
}

/// Applies the preferred fixes of a file like [`fix_all`], in a copy of the database. Returns
/// `None` if there are none.
pub fn fix_all_in_copy(db: &Database, file: FileId) -> Option<FixedFile> {
    if preferred(db, file).is_empty() {
        return None;
    }
    let (mut copy, path) = (Database::new(), db.path(file));
    let files: Vec<(FilePath, String)> = db
        .files()
        .into_iter()
        .filter(|file| !db.is_library(*file))
        .map(|file| (db.path(file), db.text(file).to_string()))
        .collect();
    for file in db.files() {
        copy.set_language(db.path(file), db.language(file));
    }
    copy.set_files(files, 1);
    let file = copy.file(&path)?;
    Some(fix_all(&mut copy, file))
}

/// Returns the preferred fixes that are applied together, in the order of the text: at most one for
/// each item. They do not overlap.
fn preferred(db: &Database, file: FileId) -> Vec<FileFix> {
    let mut fixed = FxHashSet::default();
    let mut end = 0;
    let mut round = Vec::new();
    let mut all: Vec<FileFix> = diagnostics(db, file).into_iter().filter_map(best).collect();
    all.retain(|fix| {
        fix.edits
            .files
            .iter()
            .all(|(of, edits)| *of == file && !edits.is_empty())
    });
    all.sort_by_key(|fix| extent(fix).start);
    for fix in all {
        let extent = extent(&fix);
        let item = db.item_at(file, extent.start).map(|(item, _)| item);
        if extent.start >= end && fixed.insert(item) {
            end = extent.end;
            round.push(fix);
        }
    }
    round
}

/// Returns the first preferred fix of a diagnostic that can be chosen.
fn best(diagnostic: FileDiagnostic) -> Option<FileFix> {
    let mut fixes = diagnostic.fixes.into_iter();
    fixes.find(|fix| fix.preferred && fix.disabled.is_none() && !fix.edits.files.is_empty())
}

/// Returns the range from the start of the first edit of a fix to the end of the last one.
fn extent(fix: &FileFix) -> Span {
    let spans = fix.edits.files.iter().flat_map(|(_, edits)| edits);
    let spans = spans.map(|edit| edit.span);
    let all = spans.reduce(|a, b| Span::new(a.start.min(b.start), a.end.max(b.end)));
    all.unwrap_or_default()
}

fn apply(text: &mut String, edit: &TextEdit) {
    text.replace_range(Range::from(edit.span), &edit.text);
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::fixture::Fixture;

    fn check(text: &str, expected: Expect) {
        let mut fixture = Fixture::new(text);
        let file = fixture.files[0];
        let copied = fix_all_in_copy(&fixture.db, file);
        let fixed = fix_all(&mut fixture.db, file);
        assert_eq!(
            copied.map_or(text.to_owned(), |copied| copied.text),
            fixed.text
        );
        let again = fix_all(&mut fixture.db, file);
        assert_eq!(again.text, fixed.text);
        assert!(again.titles.is_empty() || !fixed.settled);
        expected.assert_eq(&format!("{}-- {}\n", fixed.text, fixed.titles.join(", ")));
    }

    #[test]
    fn mistakes_behind_each_other_are_fixed() {
        check(
            "def f = fun(xs: 4.4.floa => xs |> transpos |> jion)\ndef g = fun(x y => x + y)\n",
            expect![[r#"
                def f = depFun(floa: DataType => fun(xs: 4.4.floa => xs |> transpose |> join))
                def g = fun(x, y => x + y)
                -- Bind `floa` with `depFun`, Insert `,`, Replace with `transpose`, Replace with `join`
            "#]],
        );
    }

    #[test]
    fn missing_choices_of_a_partly_lowered_program_are_made() {
        check(
            "@target(c)\ndef f = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(fun(x => x + 1.0f)) |> reduce(add)(0.0f)))\n",
            expect![[r#"
                @target(c)
                def f = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(fun(x => x + 1.0f)) |> toMem |> reduceSeq(add)(0.0f)))
                -- Store in memory: `toMem`, Choose `reduceSeq`
            "#]],
        );
    }

    #[test]
    fn parameters_for_sizes_are_bound_by_dep_fun() {
        check(
            "def sum : (n: Nat) -> n.f32 -> f32 =\n  fun(n, xs => xs |> reduce(add)(0.0f))\ndef g : (n: Nat) -> n.f32 -> f32 =\n  fun(n => fun(xs => xs |> sum(n)))\n",
            expect![[r#"
                def sum : (n: Nat) -> n.f32 -> f32 =
                  depFun(n: Nat => fun(xs => xs |> reduce(add)(0.0f)))
                def g : (n: Nat) -> n.f32 -> f32 =
                  depFun(n: Nat => fun(xs => xs |> sum(n)))
                -- Write `depFun(n: Nat => …)`, Write `depFun(n: Nat => …)`
            "#]],
        );
    }

    #[test]
    fn a_text_without_mistakes_stays() {
        check(
            "def one = 1\n",
            expect![[r#"
            def one = 1
            -- 
        "#]],
        );
    }
}
