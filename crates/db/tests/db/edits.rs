//! Tests of edits: after any edits, the database has the same results as a new one.

use std::sync::atomic::{AtomicBool, Ordering};

use db::{Database, ReadError};
use proptest::prelude::*;
use rise::codes;
use syntax::Span;

use crate::fixture::{file, fill, path, replace, report, settle_missing, workspace};

/// The pieces of random texts.
const PIECES: &[&str] = &[
    "def a = ",
    "def b = ",
    "def c = ",
    "a",
    "b",
    "c",
    "fun(x => x)",
    "(",
    ")",
    "1",
    " ",
    "\n",
    "// é\n",
    "/// 😀\n",
    "@run(n = 4)",
    "import \"b.rise\"\n",
    "import \"",
    "\"",
    "foreign ",
    "def",
    "/*",
    "*/",
    "ß",
    "= ",
    "|> ",
    "\"\"\"",
    "\r\n",
    "\u{feff}",
    "𝕏",
    "panic",
];

fn piece() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..6).prop_map(|pieces| pieces.concat())
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..60).prop_map(|pieces| pieces.concat())
}

/// Renders the items with their texts, and all diagnostics.
fn summary(db: &Database) -> String {
    let mut out = report(db);
    for file in db.files().into_iter().filter(|&file| !db.is_library(file)) {
        let text = db.text(file).to_string();
        for &item in db.items(file).iter() {
            let span = db.item_span(item);
            assert_eq!(
                text.get(std::ops::Range::from(span)),
                Some(&*db.item_text(item))
            );
            assert_eq!(db.item_at(file, span.start), Some((item, 0)));
            out.push_str(&format!("{span:?} {:?}\n", db.item_text(item)));
        }
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn edits_lead_where_a_fresh_database_starts(
        start in text(),
        imported in text(),
        edits in prop::collection::vec((any::<bool>(), 0..400usize, 0..12usize, piece()), 1..12),
    ) {
        let mut db = fill(Database::new(), &start);
        let mut texts = [("main.rise", start), ("b.rise", imported)];
        for (name, text) in &texts {
            db.set_file(path(name), text.as_str());
        }
        for (first, at, len, new) in edits {
            let (name, text) = &mut texts[usize::from(first)];
            let floor = |at: usize| (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
            let (from, to) = (floor(at), floor(at + len));
            let id = file(&db, name);
            db.edit_file(id, at..at + len, &new);
            text.replace_range(from..to, &new);
            prop_assert_eq!(&db.text(id).to_string(), &*text);
            settle_missing(&mut db, &ReadError::NotFound(Vec::new().into()));
            let mut fresh = Database::new();
            for (name, text) in &texts {
                fresh.set_file(path(name), text.as_str());
            }
            settle_missing(&mut fresh, &ReadError::NotFound(Vec::new().into()));
            prop_assert_eq!(summary(&db), summary(&fresh));
        }
    }
}

#[test]
fn an_edit_outside_the_text_happens_at_its_end() {
    let mut db = workspace("def a = 1");
    let id = file(&db, "main.rise");
    db.edit_file(id, 100..200, "2");
    assert_eq!(db.text(id), "def a = 12");
    db.edit_file(id, std::ops::Range { start: 9, end: 3 }, "0");
    assert_eq!(db.text(id), "def a = 102");
}

#[test]
fn items_keep_their_names_through_edits() {
    let mut db = workspace("def a = 1\ndef b = 2\ndef c = 3");
    let id = file(&db, "main.rise");
    let before = db.items(id);
    replace(&mut db, "main.rise", "2", "22");
    assert_eq!(db.items(id), before);
    db.edit_file(id, 0..0, "def new = 0\n");
    assert_eq!(db.items(id)[1..], before[..]);
    replace(&mut db, "main.rise", "def b = 22\n", "");
    assert_eq!(db.items(id)[1..], [before[0], before[2]]);
    db.set_file(path("main.rise"), "def a = 1\ndef changed = 0\ndef c = 3");
    assert_eq!(
        (db.items(id)[0], db.items(id)[2]),
        (db.items(id)[0], before[2])
    );
}

#[test]
fn many_edits_make_few_items() {
    let mut db = workspace("def a = 1\ndef b = a");
    let id = file(&db, "main.rise");
    let mut most = 0;
    for round in 0..2_500 {
        db.edit_file(id, 0..0, "def x = 1\n@run(n = 1) def y = x\n");
        report(&db);
        most = most.max(db.usage().items + db.usage().free_items);
        db.edit_file(id, 0..10, "");
        db.edit_file(id, 0..22, "");
        assert_eq!(db.text(id), "def a = 1\ndef b = a");
        if round > 0 {
            assert_eq!(db.usage().items + db.usage().free_items, most);
        }
    }
}

#[test]
fn files_come_and_go() {
    let mut db = workspace("import \"a.rise\"\ndef x = a");
    assert!(report(&db).contains("import-not-found"));
    db.set_file(path("a.rise"), "def a = 1");
    assert_eq!(report(&db), "");
    let a = file(&db, "a.rise");
    db.remove_file(a);
    assert!(report(&db).contains("cannot find `a.rise`"));
    assert_eq!(db.items(a).len(), 0);
    db.set_absent(path("a.rise"), ReadError::NotText);
    assert!(report(&db).contains("not UTF-8"));
    db.set_file(path("a.rise"), "def a = 1");
    assert_eq!(report(&db), "");
}

#[test]
fn missing_files_are_named_until_they_are_settled() {
    let mut db = Database::new();
    db.set_file(
        path("main.rise"),
        "import \"a.rise\"\nimport \"sub/../b.rise\"",
    );
    assert_eq!(db.missing(), [path("a.rise"), path("b.rise")]);
    assert_eq!(db.missing(), [path("a.rise"), path("b.rise")]);
    db.set_file(path("a.rise"), "import \"c.rise\"");
    db.set_absent(path("b.rise"), ReadError::Other("it is a folder".into()));
    assert_eq!(db.missing(), [path("c.rise")]);
    db.set_absent(path("c.rise"), ReadError::NotFound(Vec::new().into()));
    assert!(db.missing().is_empty());
}

#[test]
fn places_between_items_belong_to_none() {
    let db = workspace("// top\ndef a = 1\n\n// b\ndef b = 2 def c = 3");
    let id = file(&db, "main.rise");
    let items = db.items(id);
    assert_eq!(db.item_at(id, 3), None);
    assert_eq!(db.item_at(id, 16), Some((items[0], 9)));
    assert_eq!(db.item_at(id, 18), None);
    assert_eq!(db.item_at(id, 32), Some((items[1], 9)));
    assert_eq!(db.item_at(id, 33), Some((items[2], 0)));
    assert_eq!(db.items_in(id, Span::new(17, 40)), items[1..]);
    assert_eq!(db.items_in(id, Span::new(0, 6)), []);
}

#[test]
fn users_are_found_across_files() {
    let db = workspace(
        "import \"a.rise\"\ndef x = a\ndef y = fun(a => a)\ndef z = x\n//- a.rise\ndef a = 1\ndef b = a\n//- c.rise\ndef a = 2\ndef d = a",
    );
    let a = db.items(file(&db, "a.rise"))[0];
    let texts: Vec<_> = db
        .users(a)
        .into_iter()
        .map(|user| db.item_text(user).to_string())
        .collect();
    assert_eq!(texts, ["def b = a", "def x = a"]);
}

#[test]
fn long_chains_of_definitions_fit_the_stack() {
    let mut text = String::new();
    for at in 0..10_000 {
        text.push_str(&format!("def d{at} = d{}\n", at + 1));
    }
    text.push_str("def d10000 : f32 = 1.0f\n");
    let mut db = workspace(&text);
    assert_eq!(report(&db), "");
    replace(&mut db, "main.rise", "f32 = 1.0f", "f64 = 1.0");
    let first = db.items(file(&db, "main.rise"))[0];
    assert!(db.scheme(first).is_some());
    assert_eq!(report(&db), "");
}

#[test]
fn long_circles_fit_the_stack() {
    let text: String = (0..10_000)
        .map(|at| format!("def d{at} = d{}\n", (at + 1) % 10_000))
        .collect();
    let report = report(&workspace(&text));
    assert_eq!(report.matches("recursive-def").count(), 1);
    assert!(
        report.contains("`d0` is defined in terms of itself: `d0` uses `d1`, which uses"),
        "{report}"
    );
}

#[test]
fn snapshots_see_no_later_change_and_are_cancelled_by_it() {
    let text: String = (0..2_000)
        .map(|at| format!("def f{at} = fun(x => g{at}(x))\n"))
        .collect();
    let mut db = workspace(&text);
    let started = AtomicBool::new(false);
    let snapshot = db.clone();
    let id = file(&db, "main.rise");
    std::thread::scope(|scope| {
        let started = &started;
        let reader = scope.spawn(move || {
            let snapshot = snapshot;
            started.store(true, Ordering::Release);
            let mut reads = 0;
            loop {
                let outcome = snapshot.catch_cancelled(|| {
                    assert_eq!(snapshot.text(id).len_bytes(), text.len());
                    snapshot
                        .item_diagnostics(snapshot.items(id)[reads % 2_000])
                        .len()
                });
                if outcome.is_err() {
                    return reads;
                }
                reads += 1;
            }
        });
        while !started.load(Ordering::Acquire) {
            std::hint::spin_loop();
        }
        db.edit_file(id, 0..0, "def f = 1\n");
        reader.join().unwrap();
    });
    assert!(db.text(id).to_string().starts_with("def f = 1\n"));
}

#[test]
fn all_files_at_once_say_what_each_says_alone() {
    let text: String = (0..300)
        .map(|at| format!("def f{at} = fun(x => f{}(g{at}))\n", at / 2))
        .collect();
    let db = workspace(&format!(
        "import \"a.rise\"\n{text}//- a.rise\n{}",
        text.replace('f', "h")
    ));
    let files: Vec<_> = db
        .files()
        .into_iter()
        .filter(|&file| !db.is_library(file))
        .collect();
    let fresh = workspace(&format!(
        "import \"a.rise\"\n{text}//- a.rise\n{}",
        text.replace('f', "h")
    ));
    let all: Vec<_> = fresh
        .check_all(&files, 3)
        .into_iter()
        .map(|(_, report)| report)
        .collect();
    let each: Vec<_> = files
        .iter()
        .map(|&file| db.file_diagnostics(file))
        .collect();
    assert_eq!(all, each);
    assert!(
        all.iter()
            .flatten()
            .any(|(_, found)| found.iter().any(|one| one.code == codes::UNKNOWN_NAME))
    );
}
