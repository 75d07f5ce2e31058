//! Tests of each action of the menu: the resulting program, and that it computes the same values.
//!
//! The cases are in `actions/*.txt`: after `==` the strategy, then the program with the cursor;
//! after `--` the line of the menu, then the resulting program, or the reason why the line is
//! disabled. Only the first half is written by hand: `UPDATE_EXPECT=1` writes the other one.

use std::path::{Path, PathBuf};

use agreement::{Call, Side, Sizes};
use db::{Database, FilePath, ItemId};
use expect_test::expect_file;
use rise::Primitive;
use rise::core::Program;
use rustc_hash::FxHashSet;
use syntax::{Severity, Span};

use super::menu::{self, AssistKind, ParamSort};
use super::{RewriteAction, apply_rewrite, rewrites};
use crate::FileRange;
use crate::fixture::Fixture;

/// A test case: an action and the program in which it is chosen.
struct Case {
    /// The strategy of the action, with its arguments or without them.
    strategy: String,
    /// The program with the cursor.
    text: String,
}

/// The result of a case.
struct Outcome {
    /// The title in the menu, and the resulting program or the reason why there is none.
    shown: String,
    /// True if the action was applied.
    done: bool,
    /// The violated property, if any.
    wrong: Option<String>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/rewrites/actions")
}

/// Returns the files of cases with their texts, in the order of their names.
fn files() -> Vec<(PathBuf, String)> {
    let entries = std::fs::read_dir(folder()).expect("the cases are there");
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|end| end == "txt"))
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("a text");
            (path, text)
        })
        .collect();
    files.sort();
    files
}

fn cases(text: &str) -> Vec<Case> {
    let (_, cases) = text.split_once("== ").unwrap_or_default();
    let case = |case: &str| {
        let (strategy, rest) = case.split_once('\n').unwrap_or((case, ""));
        let text = rest.split("\n-- ").next().unwrap_or_default();
        Case {
            strategy: strategy.trim().to_owned(),
            text: format!("{}\n", text.trim_end()),
        }
    };
    cases.split("\n== ").map(case).collect()
}

impl Case {
    fn hold(&self) -> Outcome {
        let mut fixture = Fixture::new(&self.text);
        let lost = |wrong: String| Outcome {
            shown: "?\n".to_owned(),
            done: false,
            wrong: Some(wrong),
        };
        let Some(action) = self.action(&fixture) else {
            return lost("it is not offered".to_owned());
        };
        if let Some(reason) = &action.disabled {
            return Outcome {
                shown: format!("{}\nnot here: {reason}\n", action.title),
                done: false,
                wrong: None,
            };
        }
        let made = apply_rewrite(&fixture.db, action.item, &action.strategy, &action.path);
        let after = match made {
            Ok(made) => fixture.applied_all(&made.edits),
            Err(reason) => return lost(format!("the action fails: {reason}")),
        };
        let title = match action.preferred {
            true => format!("{} (preferred)", action.title),
            false => action.title.clone(),
        };
        // A user who chooses an unsafe rewrite asserts its side condition.
        let promised = action.title.contains("(unsafe)");
        let meaning = meaning(&mut fixture, action.item, &after);
        Outcome {
            shown: format!("{title}\n{after}"),
            done: true,
            wrong: meaning.err().filter(|_| !promised),
        }
    }

    /// Returns the action of the case from the whole menu, or otherwise from the menu of one kind.
    fn action(&self, fixture: &Fixture) -> Option<RewriteAction> {
        let place = match (&fixture.ranges[..], &fixture.cursors[..]) {
            ([range], _) => *range,
            (_, [cursor]) => FileRange {
                file: cursor.file,
                span: Span::empty(cursor.offset),
            },
            _ => return None,
        };
        let find = |wanted: &dyn Fn(AssistKind) -> bool| {
            let all = rewrites(&fixture.db, place, wanted);
            let named = format!("{}(", self.strategy);
            all.into_iter().find(|action| {
                action.strategy == self.strategy || action.strategy.starts_with(&named)
            })
        };
        let own = menu::entries()
            .iter()
            .find(|entry| self.strategy.split('(').next() == Some(&entry.name))?;
        let whole = rewrites(&fixture.db, place, &|_| true);
        assert_eq!(disorder(&whole), None);
        find(&|_| true).or_else(|| find(&|kind| kind == own.kind))
    }
}

/// Returns a message if a menu violates an invariant: it is short, sorted by kind and without
/// duplicates, and every preferred line is safe and a simplification.
fn disorder(menu: &[RewriteAction]) -> Option<String> {
    let enabled = menu.iter().filter(|line| line.disabled.is_none());
    let titles: FxHashSet<&str> = menu.iter().map(|line| line.title.as_str()).collect();
    let preferred = |line: &RewriteAction| {
        line.preferred && (line.kind != AssistKind::Simplify || line.disabled.is_some())
    };
    let wrong = enabled.count() > 12
        || menu.len() > 16
        || titles.len() < menu.len()
        || !menu.is_sorted_by_key(|line| line.kind)
        || menu.iter().any(preferred);
    wrong.then(|| format!("it is not a good menu: {menu:#?}"))
}

/// Checks that the definition still has a type and computes the same values on random input.
fn meaning(fixture: &mut Fixture, item: ItemId, after: &str) -> Result<(), String> {
    const CALL: &str = "callOfTheRewritten";
    let file = fixture.db.file_of(item);
    let before = fixture.text(file);
    let program = fixture
        .db
        .linked(item)
        .map_err(|error| format!("{error:?}"))?;
    let name = program.name.to_string();
    let path = fixture.db.path(file);
    let mut link = |side: Side, call: &Call| {
        let text = match side {
            Side::Before => &before,
            Side::After => after,
        };
        let text = format!("{text}\n{}", call.definition(CALL, &name, ""));
        linked(&mut fixture.db, &path, &text)
    };
    let sizes = Sizes {
        unit: 1,
        largest: 5,
    };
    let found = agreement::agree(&program, sizes, 3, 7, &mut link)?;
    match found.agreed {
        0 => Err(
            "no small sizes meet the conditions of the program, so its results cannot be compared"
                .to_owned(),
        ),
        _ => Ok(()),
    }
}

/// Links the last definition of a text, and fails if a definition has type errors.
fn linked(db: &mut Database, path: &FilePath, text: &str) -> Result<Program<Primitive>, String> {
    let file = db.set_file(path.clone(), text.to_owned());
    let items = db.items(file);
    for item in &*items {
        let inference = db.inference(*item);
        let mut found = inference.diagnostics.iter();
        if let Some(wrong) = found.find(|found| found.severity == Severity::Error) {
            return Err(format!("{}\n{text}", wrong.message));
        }
    }
    let last = items.last().ok_or("there is no definition")?;
    let linked = db.linked(*last).map_err(|error| format!("{error:?}"))?;
    Ok((*linked).clone())
}

#[test]
fn actions_do_what_their_titles_say_and_keep_the_meaning() {
    let mut wrong = Vec::new();
    for (path, text) in files() {
        let mut shown = String::new();
        for case in cases(&text) {
            let outcome = case.hold();
            if let Some(why) = outcome.wrong {
                wrong.push(format!("{}: {why}\n{}", case.strategy, case.text));
            }
            let gap = if shown.is_empty() { "" } else { "\n" };
            shown += &format!(
                "{gap}== {}\n{}-- {}",
                case.strategy, case.text, outcome.shown
            );
        }
        expect_file![path].assert_eq(&shown);
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn what_is_unsafe_says_so() {
    for entry in menu::entries() {
        let says = entry.title.ends_with("(unsafe)");
        assert_eq!(entry.is_unsafe, says, "{}", entry.title);
    }
}

/// Every line of the menu needs a case.
#[test]
fn every_action_has_a_case() {
    let done: FxHashSet<String> = files()
        .iter()
        .flat_map(|(_, text)| cases(text))
        .filter(|case| case.hold().done)
        .map(|case| case.strategy)
        .collect();
    let name = |strategy: &String| strategy.split('(').next().unwrap_or_default().to_owned();
    let done: FxHashSet<String> = done.iter().map(name).collect();
    // A strategy with parameters that a menu cannot ask for is not offered.
    let askable = |entry: &&menu::Entry| {
        entry
            .params
            .iter()
            .all(|(_, sort)| *sort != ParamSort::Other)
            && entry.kind != AssistKind::FixAll
    };
    let missing: Vec<&str> = menu::entries()
        .iter()
        .filter(askable)
        .map(|entry| entry.name.as_str())
        .filter(|name| !done.contains(*name))
        .collect();
    assert!(
        missing.is_empty(),
        "{} without a case: {missing:?}",
        missing.len()
    );
}
