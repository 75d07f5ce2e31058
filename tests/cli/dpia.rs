//! Tests of DPIA files: checked, typed, formatted, emitted and run; the output of `emit` is parsed
//! again.

use std::collections::BTreeMap;
use std::path::Path;

use db::{Database, FilePath, ItemId, Target};
use expect_test::expect;
use ide::Form;
use serde_json::Value;
use syntax::ast::ItemKind;

use crate::support::{Folder, short};

/// An imperative program, as a person writes it.
const CLAMP: &str = "\
def clamp = depFun((n: Nat) => fun((out: Acc[n.f32], xs: Exp[n.f32, Rd]) =>
  for(n, fun(i =>
    if (idx(i, xs) < 0.0f) {
      idxAcc(i, out) = 0.0f
    } else {
      idxAcc(i, out) = idx(i, xs)
    }))))
";

/// A functional program with explicit reads and writes.
const SQUARES: &str = "\
def squares = depFun((n: Nat) => fun(xs: Exp[n.f32, Rd] =>
  mapSeq(fun(x => x + 1.0f), toMem(mapSeq(fun(x => x * x), xs)))))
";

const UNSTORED: &str = "\
def unstored = depFun((n: Nat) => fun(xs: Exp[n.f32, Rd] =>
  mapSeq(fun(x => x + 1.0f), mapSeq(fun(x => x * x), xs))))
";

const RACE: &str = "\
def sum = depFun((n: Nat) => fun((out: Acc[n.f32], xs: Exp[n.f32, Rd]) =>
  parFor(n, f32, out, fun((i, o) => idxAcc(i, out) = idx(i, xs)))))
";

#[test]
fn check_reads_dpia_beside_rise() {
    let folder = Folder::with(&[
        ("a.rise", "def x = nothing\n"),
        ("clamp.dpia", CLAMP),
        ("deep/squares.dpia", SQUARES),
        ("race.dpia", RACE),
        ("unstored.dpia", UNSTORED),
        ("notes.txt", "no program"),
    ]);
    let found: Vec<String> = folder.findings(&["."]).iter().map(short).collect();
    expect![[r#"
        a.rise:0:8 error[unknown-name]: cannot find `nothing` in this scope
        race.dpia:1:46 error[data-race]: every iteration of `parFor` may write to `out`
        unstored.dpia:1:29 error[missing-memory]: `mapSeq` reads this value of type `n.f32`, which is not yet written to memory
    "#]].assert_eq(&(found.join("\n") + "\n"));
    let ran = folder.run(&["--check", "clamp.dpia", "deep/squares.dpia"]);
    assert_eq!(
        (ran.status, ran.out.as_str(), ran.err.as_str()),
        (0, "", "no errors in 2 files\n")
    );
}

#[test]
fn every_format_of_check() {
    let folder = Folder::with(&[("race.dpia", RACE)]);
    for (format, wanted) in [
        ("human", "error[data-race]"),
        ("json", "\"code\":\"data-race\""),
        ("sarif", "\"ruleId\": \"data-race\""),
        ("github", "::error file=race.dpia,line=2"),
    ] {
        let ran = folder.run(&["--check", "race.dpia", "--format", format]);
        assert_eq!(ran.status, 1, "{format}: {ran:?}");
        let squeezed = ran.out.replace("\": \"", "\":\"");
        assert!(
            squeezed.contains(&wanted.replace("\": \"", "\":\"")),
            "{format}: {}",
            ran.out
        );
    }
}

#[test]
fn standard_input_and_other_names_are_what_the_user_says() {
    let folder = Folder::with(&[("clamp.txt", CLAMP), ("clamp.dpia", CLAMP)]);
    let check = |arguments: &[&str]| {
        folder
            .run_with(&[&["--check"], arguments].concat(), CLAMP.as_bytes())
            .status
    };
    assert_eq!(check(&["-"]), 1);
    assert_eq!(check(&["-", "--language", "dpia"]), 0);
    assert_eq!(check(&["clamp.txt"]), 1);
    assert_eq!(check(&["clamp.txt", "--language", "dpia"]), 0);
    // The extension of the file takes precedence.
    assert_eq!(check(&["clamp.dpia", "--language", "rise"]), 0);
    for arguments in [
        &["types", "-", "--language", "dpia"][..],
        &["fmt", "-", "--language", "dpia"],
        &["emit", "-", "--language", "dpia", "--as", "c"],
        &[
            "run",
            "-",
            "--language",
            "dpia",
            "-D",
            "n=3",
            "--arg",
            "xs=iota",
        ],
    ] {
        let ran = folder.run_with(arguments, CLAMP.as_bytes());
        assert_eq!(ran.status, 0, "{arguments:?}: {ran:?}");
        assert!(!ran.out.is_empty(), "{arguments:?}: {ran:?}");
    }
}

#[test]
fn types_are_phrase_types() {
    let folder = Folder::with(&[("a.dpia", format!("{CLAMP}{SQUARES}"))]);
    let ran = folder.run(&["types", "a.dpia"]);
    expect![[r#"
        clamp : (n: Nat) -> Acc[n.f32] -> Exp[n.f32, Rd] -> Comm
        squares : (n: Nat) -> Exp[n.f32, Rd] -> Exp[n.f32, Wr]
    "#]]
    .assert_eq(&(ran.out + &ran.err));
}

#[test]
fn formatting_is_that_of_the_language() {
    let messy = CLAMP.replace("\n  ", " ").replace("  ", " ");
    let folder = Folder::with(&[("a.dpia", messy.as_str()), ("b.dpia", "def f = (1;\n")]);
    let ran = folder.run(&["fmt", "--check", "."]);
    assert_eq!((ran.status, ran.out.as_str()), (1, "a.dpia\n"));
    assert!(ran.err.contains("b.dpia"), "{}", ran.err);
    folder.run(&["fmt", "."]);
    assert_eq!(folder.get("a.dpia"), CLAMP);
    assert_eq!(folder.get("b.dpia"), "def f = (1;\n");
}

#[test]
fn a_functional_definition_has_all_forms_but_rise() {
    let folder = Folder::with(&[("a.dpia", SQUARES)]);
    let emit = |form: &str| folder.run(&["emit", "a.dpia", "--as", form]);
    for (form, wanted) in [
        ("dpia", "toMem("),
        ("dpia-imperative", "new("),
        ("c", "void squares("),
        ("openmp", "void squares("),
    ] {
        let ran = emit(form);
        assert_eq!(ran.status, 0, "{form}: {ran:?}");
        assert!(ran.out.contains(wanted), "{form}: {}", ran.out);
    }
    let ran = emit("rise");
    assert_eq!((ran.status, ran.out.as_str()), (1, ""));
    expect![[r#"
        error[not-a-program]: a program in DPIA cannot be written as RISE
         --> a.dpia:1:5
          |
        1 | def squares = depFun((n: Nat) => fun(xs: Exp[n.f32, Rd] =>
          |     ^^^^^^^

    "#]]
    .assert_eq(&ran.err);
}

#[test]
fn an_imperative_definition_has_no_functional_form() {
    let folder = Folder::with(&[("a.dpia", CLAMP)]);
    let ran = folder.run(&["emit", "a.dpia", "--as", "c"]);
    expect![[r#"
        /* clamp : (n: Nat) -> n.f32 -> n.f32 */
        void clamp(float *restrict out, int n, const float *restrict xs) {
            for (int i = 0; i < n; i++) {
                if (xs[i] < 0.0f) {
                    out[i] = 0.0f;
                } else {
                    out[i] = xs[i];
                }
            }
        }
    "#]]
    .assert_eq(&(ran.out + &ran.err));
    let ran = folder.run(&["emit", "a.dpia", "--as", "dpia"]);
    assert_eq!((ran.status, ran.out.as_str()), (1, ""));
    expect![[r#"
        error[not-a-program]: `clamp` is imperative, so it has no functional form
         --> a.dpia:1:5
          |
        1 | def clamp = depFun((n: Nat) => fun((out: Acc[n.f32], xs: Exp[n.f32, Rd]) =>
          |     ^^^^^
          |
          = help: choose imperative DPIA or a form after it, such as C

    "#]]
    .assert_eq(&ran.err);
}

#[test]
fn a_race_keeps_a_definition_from_its_forms() {
    let folder = Folder::with(&[("a.dpia", RACE)]);
    let ran = folder.run(&["emit", "a.dpia", "--as", "openmp"]);
    assert_eq!((ran.status, ran.out.as_str()), (1, ""));
    assert!(ran.err.contains("error[data-race]"), "{}", ran.err);
}

#[test]
fn the_map_leads_to_the_text() {
    let folder = Folder::with(&[("a.dpia", CLAMP)]);
    let ran = folder.run(&["emit", "a.dpia", "--as", "c", "--map", "map.json"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    let map: Value = serde_json::from_str(&folder.get("map.json")).unwrap();
    assert_eq!(map["path"], "a.dpia");
    let loops = ran
        .out
        .lines()
        .position(|line| line.contains("for ("))
        .unwrap();
    let of_loop = map["map"].as_array().unwrap().iter().find(|part| {
        part["target"]["start"]["line"] == loops && part["source"]["start"]["line"] == 1
    });
    assert!(of_loop.is_some(), "{map:#}");
}

#[test]
fn functional_definitions_run_as_programs_of_rise_do() {
    let folder = Folder::with(&[("a.dpia", SQUARES)]);
    let with = |more: &[&str]| {
        let given = ["run", "a.dpia", "-D", "n=4", "--arg", "xs=[1, -2, 3, 0]"];
        folder.run(&[&given, more].concat())
    };
    for backend in ["interp", "c", "openmp"] {
        let ran = with(&["--backend", backend]);
        assert_eq!(
            (ran.status, ran.out.as_str()),
            (0, "[2.0, 5.0, 10.0, 1.0]\n"),
            "{backend}: {ran:?}"
        );
    }
    let ran = with(&["--verify", "--format", "json"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    let result: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(result["backend"], "c");
}

#[test]
fn imperative_definitions_run_compiled() {
    let folder = Folder::with(&[("a.dpia", CLAMP)]);
    let with = |more: &[&str]| {
        let given = ["run", "a.dpia", "-D", "n=4", "--arg", "xs=[1, -2, 3, 0]"];
        folder.run(&[&given, more].concat())
    };
    for more in [&[][..], &["--backend", "c"], &["--backend", "openmp"]] {
        let ran = with(more);
        assert_eq!(
            (ran.status, ran.out.as_str()),
            (0, "[1.0, 0.0, 3.0, 0.0]\n"),
            "{more:?}: {ran:?}"
        );
    }
    for more in [&["--backend", "interp"][..], &["--verify"]] {
        let ran = with(more);
        assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{more:?}");
        assert!(
            ran.err.contains("imperative DPIA is not interpreted"),
            "{}",
            ran.err
        );
    }
    folder.put(
        "b.dpia",
        "def f = fun((out: Acc[f32], x: Exp[f32, Rd]) => x)\n",
    );
    let ran = folder.run(&["run", "b.dpia"]);
    assert_eq!((ran.status, ran.out.as_str()), (1, ""), "{ran:?}");
    assert!(ran.err.contains("error[not-a-program]"), "{}", ran.err);
    let ran = folder.run(&["run", "a.dpia", "--arg", "out=zeros"]);
    assert_eq!(ran.status, 2);
    assert!(
        ran.err
            .contains("`clamp` has no parameter `out`; it has `xs`"),
        "{}",
        ran.err
    );
}

#[test]
fn what_is_no_text_or_no_program_is_said_once() {
    let folder = Folder::with(&[
        ("bytes.dpia", &b"def f = \xff\n"[..]),
        (
            "half.dpia",
            b"def f = fun((out: Acc[f32]) =>\n  out = \n\ndef g = fun(x: Exp[f32, Rd] => x)\n",
        ),
    ]);
    folder.put(
        "deep.dpia",
        format!("def f = {}1{}\n", "(".repeat(10_000), ")".repeat(10_000)),
    );
    let found: Vec<String> = folder.findings(&["."]).iter().map(short).collect();
    expect![[r#"
        bytes.dpia:0:8 error[not-text]: this file is not UTF-8: byte 9 of it is 0xFF, which is not text
        deep.dpia:0:264 error[too-deep]: the expression or type is nested too deeply here: write a part of it as a definition of its own
        half.dpia:1:6 error[syntax-error]: expected an expression after `=`
    "#]].assert_eq(&(found.join("\n") + "\n"));
}

#[test]
fn dpia_imports_dpia() {
    let folder = Folder::with(&[
        (
            "a.dpia",
            "import \"clamp.dpia\"\ndef again = depFun((n: Nat) => fun((out: Acc[n.f32], xs: Exp[n.f32, Rd]) => clamp(n)(out)(xs)))\n",
        ),
        ("clamp.dpia", CLAMP),
        ("b.dpia", "import \"c.rise\"\ndef x = one\n"),
        ("c.rise", "def one = 1.0f\n"),
        ("d.rise", "import \"clamp.dpia\"\n"),
    ]);
    let found: Vec<String> = folder.findings(&["."]).iter().map(short).collect();
    expect![[r#"
        b.dpia:0:7 error[import-not-found]: `c.rise` is RISE, and a file of DPIA imports DPIA only
        d.rise:0:7 error[import-not-found]: `clamp.dpia` is DPIA, and a file of RISE imports RISE and ELEVATE only
    "#]].assert_eq(&(found.join("\n") + "\n"));
    let ran = folder.run(&["emit", "a.dpia", "--as", "c"]);
    assert!(ran.out.contains("void again("), "{ran:?}");
}

/// Returns the programs of a folder of examples for a target, in the order of their files and
/// names.
fn programs(db: &mut Database, folder: &str, target: Target) -> BTreeMap<String, ItemId> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples")
        .join(folder);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
        files.push((stem, db.set_file(FilePath::disk(&path), text)));
    }
    while let Some(missing) = Some(db.missing()).filter(|missing| !missing.is_empty()) {
        for path in missing {
            let text = std::fs::read_to_string(path.as_disk().unwrap()).unwrap();
            db.set_file(path, text);
        }
    }
    let mut found = BTreeMap::new();
    for (stem, file) in files {
        for &item in db.items(file).iter() {
            let parsed = db.parsed(item);
            if let ItemKind::Def {
                name: Some(name), ..
            } = &parsed.item.kind
                && db.module(item, target).is_ok()
            {
                found.insert(format!("{stem}-{}", name.name), item);
            }
        }
    }
    found
}

fn shown(db: &Database, item: ItemId, form: Form) -> Option<String> {
    let preview = ide::preview(db, db.file_of(item), item, form);
    preview.ok().map(|preview| preview.text)
}

/// Splits a C text into the text without the conditions on its sizes, and the sorted conditions:
/// their order may change when the text is parsed again.
fn apart(text: &str) -> (String, Vec<&str>) {
    let (mut rest, mut conditions) = (String::new(), Vec::new());
    let mut listed = false;
    for line in text.lines() {
        let words = line.trim();
        if words.starts_with("assert(") {
            conditions.push(words);
        } else if listed || words.starts_with("where ") {
            listed = !words.ends_with("*/");
            let condition = words.trim_start_matches("where ").trim_end_matches("*/");
            conditions.push(condition.trim_end().trim_end_matches(','));
        } else {
            rest += line;
            rest.push('\n');
        }
    }
    conditions.sort_unstable();
    (rest, conditions)
}

/// Returns true if two C texts are equal up to a bijective renaming, and up to line breaks, which
/// depend on the lengths of names: a printed text has a name of its own for each variable.
fn same_but_for_names(a: &str, b: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let mut words = vec![String::new()];
        for c in text.chars() {
            let is_name = |c: char| c.is_alphanumeric() || c == '_';
            let last = words.last_mut().unwrap();
            if is_name(c) && last.chars().all(is_name) {
                last.push(c);
            } else {
                words.push(c.to_string());
            }
        }
        words.retain(|word| !word.trim().is_empty());
        words
    };
    let (a, b) = (words(a), words(b));
    let mut there = BTreeMap::new();
    let mut back = BTreeMap::new();
    let pairs = a.iter().zip(&b);
    a.len() == b.len()
        && pairs
            .into_iter()
            .all(|(a, b)| *there.entry(a).or_insert(b) == b && *back.entry(b).or_insert(a) == a)
}

/// Tests that one process accepts the output of `emit` for the programs of a folder, and that the
/// parsed programs print the same and compile to the same code.
fn round_trip(examples: &str, target: Target, code: Form) {
    let mut db = Database::new();
    let programs = programs(&mut db, examples, target);
    assert!(programs.len() > 10, "{examples}");
    let folder = Folder::new();
    let mut again = Vec::new();
    for (name, &item) in &programs {
        for (form, stage) in [(Form::Functional, "f"), (Form::Imperative, "i")] {
            let text = shown(&db, item, form).unwrap();
            let path = format!("{stage}/{name}.dpia");
            folder.put(&path, &text);
            let file = db.set_file(FilePath::disk(folder.path(&path)), text.as_str());
            let last = *db.items(file).last().unwrap();
            assert_eq!(shown(&db, last, form).as_ref(), Some(&text), "{path}");
            again.push((path, item, last));
        }
    }
    for (path, item, last) in &again {
        let (from_rise, from_dpia) = (shown(&db, *item, code), shown(&db, *last, code));
        let (from_rise, from_dpia) = (from_rise.unwrap(), from_dpia.unwrap());
        let ((rise, conditions), (dpia, again)) = (apart(&from_rise), apart(&from_dpia));
        assert_eq!(conditions, again, "{path}");
        assert!(
            same_but_for_names(&rise, &dpia),
            "{path}:\n{from_rise}\n{from_dpia}"
        );
    }
    let ran = folder.run(&["--check", "."]);
    assert_eq!(ran.status, 0, "{}", ran.out);
    // The command prints the same text as the editor.
    let (path, _, last) = &again[again.len() / 2];
    let ran = folder.run(&["emit", path, "--as", &code.name()]);
    assert_eq!(Some(ran.out), shown(&db, *last, code), "{path}");
}

#[test]
fn programs_for_c_make_the_round_trip() {
    round_trip("c", Target::C, Form::Code(Target::C));
}

#[test]
fn programs_for_openmp_make_the_round_trip() {
    round_trip("openmp", Target::OpenMp, Form::Code(Target::OpenMp));
}
