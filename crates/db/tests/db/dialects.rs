//! Tests of workspaces with files of RISE and of DPIA.

use db::{Database, FileId, FilePath, FileState, Language, ReadError, Target};
use expect_test::{Expect, expect};

const COPY: &str = "\
def copy = depFun((n: Nat) => fun((out: Acc[n.f32], xs: Exp[n.f32, Rd]) =>
  for(n, fun(i => idxAcc(i, out) = idx(i, xs)))))
";

fn with(files: &[(&str, &str)]) -> (Database, Vec<FileId>) {
    let mut db = Database::new();
    let ids = files
        .iter()
        .map(|(path, text)| db.set_file(FilePath::disk(path), *text))
        .collect();
    for path in db.missing() {
        db.set_absent(path, ReadError::NotFound(["b.dpia".into()].into()));
    }
    (db, ids)
}

fn found(db: &Database, file: FileId) -> Vec<String> {
    let all = db.file_diagnostics(file);
    let lines = all.iter().flat_map(|(_, found)| found.iter());
    lines
        .map(|d| format!("{}: {}", d.code.as_str(), d.message))
        .collect()
}

fn check(db: &Database, file: FileId, expected: Expect) {
    expected.assert_eq(&found(db, file).join("\n"));
}

#[test]
fn the_end_of_the_name_says_the_language() {
    let (db, files) = with(&[("/a.dpia", COPY), ("/a.rise", COPY)]);
    assert_eq!(db.language(files[0]), Language::Dpia);
    assert_eq!(db.language(files[1]), Language::Rise);
    assert_eq!(found(&db, files[0]), [""; 0]);
    assert!(found(&db, files[1])[0].starts_with("syntax-error"));
    let item = db.items(files[0])[0];
    assert!(db.module(item, Target::C).is_ok());
}

#[test]
fn what_has_no_such_name_is_told() {
    let mut db = Database::new();
    let path = FilePath::Virtual("untitled:Untitled-1".into());
    let file = db.set_file(path.clone(), COPY);
    assert!(!found(&db, file).is_empty());
    db.set_language(path.clone(), Language::Dpia);
    assert_eq!(db.text(file), COPY);
    assert_eq!(found(&db, file), [""; 0]);
    db.edit_file(file, 0..0, "def x = 1.0f\n");
    assert_eq!(db.items(file).len(), 2);
    assert_eq!(found(&db, file), [""; 0]);
    db.set_language(path, Language::Rise);
    assert!(!found(&db, file).is_empty());
    // The extension of a file takes precedence.
    let named = FilePath::disk("/a.rise");
    db.set_language(named.clone(), Language::Dpia);
    let file = db.set_file(named, "def x = 1.0f\n");
    assert_eq!(db.language(file), Language::Rise);
}

#[test]
fn each_imports_its_own() {
    let (db, files) = with(&[
        (
            "/a.dpia",
            "import \"c.dpia\"\ndef twice = depFun((n: Nat) => fun((out: Acc[n.f32], xs: Exp[n.f32, Rd]) => copy(n)(out, xs); copy(n)(out, xs)))\n",
        ),
        ("/c.dpia", COPY),
        ("/d.dpia", "import \"e.rise\"\ndef x = one\n"),
        ("/e.rise", "import \"c.dpia\"\ndef one = 1.0f\n"),
        ("/f.dpia", "import \"bb.dpia\"\n"),
    ]);
    check(&db, files[0], expect![""]);
    check(
        &db,
        files[2],
        expect!["import-not-found: `e.rise` is RISE, and a file of DPIA imports DPIA only"],
    );
    check(
        &db,
        files[3],
        expect![
            "import-not-found: `c.dpia` is DPIA, and a file of RISE imports RISE and ELEVATE only"
        ],
    );
    let all = db.file_diagnostics(files[4]);
    assert_eq!(all[0].1[0].help.as_deref(), Some("did you mean `b.dpia`?"));
    assert!(matches!(db.state(files[1]), FileState::Present(_)));
}

#[test]
fn the_library_is_rise() {
    let (db, files) = with(&[("/a.dpia", "def dot = 1.0f\ndef f = fun(x => id(x))\n")]);
    // The library has no `dot` for DPIA, so nothing is shadowed.
    check(
        &db,
        files[0],
        expect!["unknown-name: cannot find `id` in this scope"],
    );
}

#[test]
fn races_and_targets() {
    let (db, files) = with(&[(
        "/a.dpia",
        "\
@target(c)
def par = depFun((n: Nat) => fun((out: Acc[n.f32], xs: Exp[n.f32, Rd]) =>
  parFor(n, f32, out, fun((i, o) => o = idx(i, xs)))))

def race = depFun((n: Nat) => fun((out: Acc[n.f32], xs: Exp[n.f32, Rd]) =>
  parFor(n, f32, out, fun((i, o) => idxAcc(i, out) = idx(i, xs)))))

def sum = depFun((n: Nat) => fun(xs: Exp[n.f32, Rd] => reduceSeq(fun((a, x) => a + x), 0.0f, xs)))
",
    )]);
    check(
        &db,
        files[0],
        expect![[r#"
        not-on-target: C has no `parFor`
        data-race: every iteration of `parFor` may write to `out`"#]],
    );
    let item = |at: usize| db.items(files[0])[at];
    // A definition has the forms of its stage and of the later ones.
    assert!(db.functional(item(0), Target::OpenMp).is_err());
    assert!(db.functional(item(2), Target::C).is_ok());
    assert!(db.imperative(item(2), Target::C).is_ok());
    assert!(db.normalised(item(2)).is_err());
    assert!(db.linked(item(2)).is_err());
    assert!(db.elaborated(item(2)).is_none());
}

#[test]
fn what_is_half_typed_has_one_error() {
    let programs = [
        COPY,
        "\
def clamp = depFun((n: Nat) => fun((out: Acc[n.f32], xs: Exp[n.f32, Rd]) =>
  for(n, fun(i =>
    if (idx(i, xs) < 0.0f) { idxAcc(i, out) = 0.0f; skip } else { idxAcc(i, out) = idx(i, xs) }))))
",
        "\
def squares = depFun((n: Nat) => fun(xs: Exp[n.f32, Rd] =>
  mapSeq(fun(x => x + 1.0f), toMem(mapSeq(fun(x => x * x), xs)))))
",
    ];
    let other = "\n\ndef other = fun(x: Exp[f32, Rd] => x)\n";
    let mut db = Database::new();
    let mut check = |text: String| {
        let file = db.set_file(FilePath::disk("/a.dpia"), format!("{text}{other}"));
        let errors: Vec<_> = db
            .file_diagnostics(file)
            .into_iter()
            .flat_map(|(item, found)| found.iter().map(|d| (item, d.clone())).collect::<Vec<_>>())
            .filter(|(_, found)| found.severity == syntax::Severity::Error)
            .collect();
        assert!(errors.len() <= 1, "{text}\n{errors:#?}");
        let last = db.items(file).last().copied();
        let blamed = errors.iter().any(|(item, _)| Some(*item) == last);
        assert!(!blamed, "{text}\n{errors:#?}");
    };
    for program in programs {
        for at in "def ".len()..program.len() {
            check(program[..at].to_owned());
            check(format!("{}{}", &program[..at], &program[at + 1..]));
        }
    }
}
