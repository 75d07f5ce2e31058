//! Tests of the four output formats of findings.

use crate::support::{Folder, parse_lines};
use expect_test::expect;
use serde_json::{Value, json};

/// A wrong name after characters of several widths, on the second line.
const WIDE: &str = "def one = 1.0f\r\ndef two = /* é中😀 */ onne // ende\r\n";

fn wide() -> Folder {
    Folder::with(&[("lib/a b.rise", WIDE)])
}

#[test]
fn json_counts_utf16_units() {
    let ran = wide().run(&["--check", "lib", "--format", "json"]);
    assert_eq!((ran.status, ran.err.as_str()), (1, ""));
    let [finding] = &parse_lines(&ran.out)[..] else {
        panic!("{}", ran.out)
    };
    assert_eq!(finding["path"], "lib/a b.rise");
    assert_eq!(
        finding["range"],
        json!({ "start": { "line": 1, "character": 21 }, "end": { "line": 1, "character": 25 } })
    );
    assert_eq!(finding["severity"], "error");
    assert_eq!(finding["code"], "unknown-name");
    let keys: Vec<&str> = finding
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(
        keys,
        [
            "code", "help", "message", "path", "range", "related", "severity"
        ]
    );
}

#[test]
fn human_underlines_the_place() {
    let ran = wide().run(&["--check", "lib"]);
    expect![[r#"
        error[unknown-name]: cannot find `onne` in this scope
         --> lib/a b.rise:2:21
          |
        2 | def two = /* é中😀 */ onne // ende
          |                       ^^^^
          |
          = help: did you mean `one`?

    "#]]
    .assert_eq(&ran.out);
    assert_eq!((ran.status, ran.err.as_str()), (1, "1 error in 1 file\n"));
}

#[test]
fn github_escapes_what_would_end_the_command() {
    let folder = Folder::with(&[("50%,a:b.rise", WIDE)]);
    let ran = folder.run(&["--check", ".", "--format", "github"]);
    expect![[r#"
        ::error file=50%25%2Ca%3Ab.rise,line=2,endLine=2,col=22,endColumn=26,title=unknown-name::cannot find `onne` in this scope%0Ahelp: did you mean `one`?
    "#]]
    .assert_eq(&ran.out);
    assert_eq!((ran.status, ran.err.as_str()), (1, ""));
}

#[test]
fn github_counts_obligations_in_one_command() {
    let split = "xs: n.f32 => xs |> split(4) |> map(split(2))";
    let folder = Folder::with(&[(
        "a.rise",
        format!("def c = depFun(n: Nat => fun({split}))\n"),
    )]);
    let ran = folder.run(&["--check", "a.rise", "--format", "github"]);
    let line = "::notice::1 obligation (`--level information` lists it)\n";
    assert_eq!((ran.status, ran.out.as_str()), (0, line));
    let all = ["--format", "github", "--level", "information"];
    let ran = folder.run(&[&["--check", "a.rise"], &all[..]].concat());
    assert!(ran.out.starts_with("::notice file=a.rise,"), "{}", ran.out);
    assert_eq!(ran.out.lines().count(), 1, "{}", ran.out);
}

#[test]
fn github_gives_no_columns_of_two_lines() {
    let folder = Folder::with(&[("a.rise", "def f = fun(x: f32 => (x +\n  true) |>\n  let\n")]);
    let json = folder.findings(&["a.rise"]);
    let ran = folder.run(&["--check", "a.rise", "--format", "github"]);
    for (finding, command) in json.iter().zip(ran.out.lines()) {
        let one_line = finding["range"]["start"]["line"] == finding["range"]["end"]["line"];
        assert_eq!(command.contains(",col="), one_line, "{command}");
    }
    assert!(!json.is_empty());
}

/// Returns the official schema. One of its patterns has a superfluous bracket, which no validator
/// accepts in a regular expression.
fn schema() -> Value {
    let text = include_str!("../data/sarif/sarif-schema-2.1.0.json");
    serde_json::from_str(&text.replace("{2}]?$", "{2}$")).expect("the schema is JSON")
}

#[test]
fn sarif_is_valid_and_complete() {
    let schema = schema();
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    let folder = Folder::with(&[
        ("wrong.rise", WIDE),
        ("twice.rise", "def a = 1.0f\ndef a = 2.0f\n"),
        (
            "when.rise",
            "def c = depFun(n: Nat => fun(xs: n.f32 => xs |> split(4)))\n",
        ),
        ("fine.rise", "def x = 1.0f\n"),
    ]);
    let ran = folder.run(&["--check", ".", "--format", "sarif"]);
    assert_eq!((ran.status, ran.err.as_str()), (1, ""));
    let log: Value = serde_json::from_str(&ran.out).expect("the log is JSON");
    let problems: Vec<String> = validator
        .iter_errors(&log)
        .map(|error| error.to_string())
        .collect();
    assert!(problems.is_empty(), "{problems:#?}");

    let run = &log["runs"][0];
    let results = run["results"].as_array().unwrap();
    let of_rule = |rule: &str| {
        results
            .iter()
            .find(|result| result["ruleId"] == rule)
            .expect("a result of the rule")
    };
    assert_eq!(results.len(), 3);
    assert_eq!(of_rule("obligation")["level"], "note");
    let wrong = of_rule("unknown-name");
    let index = usize::try_from(wrong["ruleIndex"].as_u64().unwrap()).unwrap();
    assert_eq!(run["tool"]["driver"]["rules"][index]["id"], "unknown-name");
    assert_eq!(
        wrong["locations"][0]["physicalLocation"],
        json!({
            "artifactLocation": { "uri": "wrong.rise", "uriBaseId": "SRCROOT" },
            "region": { "startLine": 2, "startColumn": 22, "endLine": 2, "endColumn": 26 },
        })
    );
    let twice = of_rule("duplicate-def");
    assert_eq!(
        twice["relatedLocations"][0]["physicalLocation"]["region"]["startLine"],
        1
    );
}

#[test]
fn sarif_without_findings_is_valid_too() {
    let schema = schema();
    let ran =
        Folder::with(&[("a.rise", "def x = 1.0f\n")]).run(&["--check", ".", "--format", "sarif"]);
    let log: Value = serde_json::from_str(&ran.out).expect("the log is JSON");
    assert!(jsonschema::is_valid(&schema, &log));
    assert_eq!((ran.status, &log["runs"][0]["results"]), (0, &json!([])));
}

#[test]
fn paths_in_sarif_are_uris() {
    let folder = wide();
    let other = Folder::with(&[("x.rise", WIDE)]);
    let outside = other.path("x.rise");
    let ran = folder.run(&[
        "--check",
        "lib",
        outside.to_str().unwrap(),
        "--format",
        "sarif",
    ]);
    let log: Value = serde_json::from_str(&ran.out).expect("the log is JSON");
    let artifact = |n: usize| {
        log["runs"][0]["results"][n]["locations"][0]["physicalLocation"]["artifactLocation"].clone()
    };
    assert_eq!(
        artifact(0),
        json!({ "uri": format!("file://{}", outside.display()) })
    );
    assert_eq!(
        artifact(1),
        json!({ "uri": "lib/a%20b.rise", "uriBaseId": "SRCROOT" })
    );
}

#[test]
fn colours_are_for_terminals_and_who_asks() {
    let run = |variable: Option<(&str, &str)>| {
        let folder = wide();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_rise-ls"));
        command
            .args(["--check", "lib"])
            .current_dir(folder.path("."));
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        command.envs(variable);
        command
            .output()
            .expect("the binary starts")
            .stdout
            .contains(&0x1b)
    };
    assert!(!run(None));
    assert!(run(Some(("CLICOLOR_FORCE", "1"))));
    assert!(!run(Some(("NO_COLOR", "1"))));
}
