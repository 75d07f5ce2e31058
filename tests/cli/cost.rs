//! Tests of `cost`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Folder, Ran, parse_lines, run_in};
use expect_test::{Expect, expect};
use serde_json::Value;

const FILE: &str = "\
def columnSums = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 =>
  a |> transpose |> mapSeq(fun(column => column |> reduceSeq(add)(0.0f)))))
def rowSums = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 =>
  a |> mapSeq(fun(row => row |> reduceSeq(add)(0.0f)))))
def doubled = depFun(n: Nat => fun(xs: n.f32 =>
  xs |> mapSeq(id) |> toMem |> mapSeq(fun(x => x * 2.0f))))
def transposed = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 =>
  a |> transpose |> mapSeq(mapSeq(id))))
def largest = depFun(n: Nat => fun(xs: n.f32 => xs |> reduceSeq(max)(0.0f)))
def count = depFun(n: Nat => fun(xs: n.bool =>
  xs |> reduceSeq(fun(sum, x => select(x)(sum + 1i32)(sum)))(0i32)))
def total = depFun(n: Nat => fun(xs: n.i32 => xs |> reduceSeq(add)(0)))
def onDevice = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 =>
  a |> mapGlobal(fun(row => row |> reduceSeq(Private)(add)(0.0f)))))
";

fn cost(arguments: &[&str]) -> Ran {
    Folder::with(&[("a.rise", FILE)]).run(&[&["cost", "a.rise"], arguments].concat())
}

fn shows(arguments: &[&str], expected: Expect) {
    let ran = cost(arguments);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    expected.assert_eq(&ran.out);
}

#[test]
fn a_sum_of_columns_is_read_with_a_stride() {
    shows(
        &["--def", "columnSums", "-D", "n=2000", "-D", "m=3000"],
        expect![[""]],
    );
}

#[test]
fn a_sum_of_rows_waits_for_additions() {
    shows(&["--def", "rowSums", "-D", "n=2000"], expect![[""]]);
}

#[test]
fn a_copy_to_a_temporary_array_is_reported_and_a_transposition_is_not() {
    shows(&["--def", "doubled", "-D", "n=1000000"], expect![[""]]);
    shows(&["--def", "transposed"], expect![[""]]);
}

#[test]
fn a_maximum_of_floats_and_an_array_of_booleans_are_not_vectorised() {
    shows(&["--def", "largest"], expect![[""]]);
    shows(&["--def", "count"], expect![[""]]);
}

#[test]
fn a_sum_of_integers_has_no_hint() {
    shows(&["--def", "total"], expect![[""]]);
}

#[test]
fn rows_for_work_items_are_not_coalesced() {
    shows(&["--def", "onDevice"], expect![[""]]);
}

#[test]
fn json_has_the_numbers_of_the_model() {
    let ran = cost(&["--def", "total", "-D", "n=4096", "--format", "json"]);
    let [line] = &parse_lines(&ran.out)[..] else {
        panic!("{ran:?}")
    };
    expect![[""]].assert_eq(&line.to_string());
}

#[test]
fn a_machine_with_slower_memory_takes_longer() {
    let folder = Folder::with(&[("a.rise", FILE)]);
    folder.put(
        "slow.toml",
        "name = \"slow\"\nfrequency = 1e9\n[[caches]]\nname = \"L1\"\nbytes = 32768\nconsecutive = 1e9\nscattered = 1e8\ntotal = 1e9\n",
    );
    let seconds = |machine: &[&str]| {
        let arguments = ["cost", "a.rise", "--def", "total", "--format", "json"];
        let ran = folder.run(&[&arguments, machine].concat());
        let [line] = &parse_lines(&ran.out)[..] else {
            panic!("{ran:?}")
        };
        line["seconds"].as_f64().expect("an estimate")
    };
    assert!(seconds(&["--machine", "slow.toml"]) > 2.0 * seconds(&[]));
    assert!(seconds(&["--machine", "host"]) > 0.0);
}

#[test]
fn mistakes_in_arguments_are_explained() {
    let folder = Folder::with(&[("a.rise", FILE)]);
    folder.put("wrong.toml", "threads = 0\n");
    folder.put("unknown.toml", "colour = 1\n");
    let said = |arguments: &[&str]| {
        let ran = folder.run(&[&["cost", "a.rise", "--def", "total"], arguments].concat());
        format!("{}: {}", ran.status, ran.err)
    };
    let all = [
        said(&["-D", "k=3"]),
        said(&["--machine", "none.toml"]),
        said(&["--machine", "wrong.toml"]),
        said(&["--machine", "unknown.toml"]),
    ];
    expect![[""]].assert_eq(&all.concat());
}

#[test]
fn slow_examples_of_the_documentation_have_their_hint_and_fast_ones_none() {
    let reference = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors.md");
    let text = std::fs::read_to_string(reference).expect("the reference");
    let mut seen = 0;
    for section in text.split("\n## ").skip(1) {
        let code = section.lines().next().unwrap_or_default();
        for (fence, is_slow) in [("```rise slow\n", true), ("```rise fast\n", false)] {
            for example in section.split(fence).skip(1) {
                let program = example.split("```").next().unwrap_or_default();
                let folder = Folder::with(&[("a.rise", program)]);
                let ran = folder.run(&["cost", "a.rise", "--format", "json"]);
                let [line] = &parse_lines(&ran.out)[..] else {
                    panic!("{code}: {ran:?}")
                };
                let hints = line["hints"].as_array().expect("a list");
                let codes: Vec<_> = hints.iter().map(|hint| &hint["code"]).collect();
                let expected: &[&str] = if is_slow { &[code] } else { &[] };
                assert_eq!(codes, expected, "{program}");
                seen += 1;
            }
        }
    }
    assert_eq!(seen, 10);
}

/// The loops that the model calls vectorised are, and those that it says are not are not.
#[test]
#[cfg_attr(not(tool = "gcc"), ignore = "needs gcc")]
fn predictions_of_vectorisation_agree_with_gcc() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus");
    let sizes = std::fs::read_to_string(corpus.join("sizes.txt")).expect("the list of programs");
    let folder = Folder::with(&[("a.rise", FILE)]);
    let own = ["columnSums", "rowSums", "doubled", "largest", "total"];
    let own = own.map(|def| (folder.path(""), "a.rise".to_owned(), def.to_owned()));
    let lines = sizes.lines().filter(|line| !line.starts_with('#'));
    let programs = lines.map(|line| {
        let mut words = line.split_whitespace().map(str::to_owned);
        let mut next = || words.next().expect("a file and a definition");
        (corpus.clone(), format!("{}.rise", next()), next())
    });
    let mut wrong = Vec::new();
    let mut compared = 0;
    for (at, file, def) in own.into_iter().chain(programs) {
        let ran = run_in(&at, &["cost", &file, "--def", &def, "--target", "c", "--format", "json"], b"");
        let estimate: Value = serde_json::from_str(&ran.out).expect("an estimate");
        let text = run_in(&at, &["emit", &file, "--def", &def, "--as", "c"], b"").out;
        let vectorised = lines_vectorised_by_gcc(&folder.path(&format!("{def}.c")), &text);
        let start = text.find(&format!("void {def}(")).expect("the function");
        let loops = text.lines().enumerate().filter(|(at, line)| {
            let offset: usize = text.lines().take(*at).map(|line| line.len() + 1).sum();
            offset > start && line.trim_start().starts_with("for (")
        });
        let predictions = estimate["loops"].as_array().expect("a list");
        let loops: Vec<usize> = loops.map(|(at, _)| at + 1).collect();
        assert_eq!(loops.len(), predictions.len(), "{def}");
        for (line, prediction) in loops.iter().zip(predictions) {
            let is = vectorised.contains(line);
            let agrees = match prediction["vectorised"].as_str() {
                Some("yes") => is,
                Some("no") => !is,
                _ => continue,
            };
            compared += 1;
            if !agrees {
                wrong.push(format!("{def}, line {line}: {prediction}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared >= 50, "{compared} loops");
}

/// Returns the numbers of the lines whose loops GCC vectorises.
fn lines_vectorised_by_gcc(path: &PathBuf, text: &str) -> Vec<usize> {
    std::fs::write(path, text).expect("a file for the compiler");
    let mut gcc = Command::new("gcc");
    gcc.args(["-std=c99", "-O3", "-ffp-contract=off", "-fno-math-errno", "-march=native"]);
    gcc.args(["-fopt-info-vec-optimized", "-c", "-o", "/dev/null"]).arg(path);
    let ran = gcc.output().expect("gcc runs");
    let report = String::from_utf8_lossy(&ran.stderr).into_owned();
    let lines = report.lines().filter(|line| line.contains("optimized: loop vectorized"));
    lines
        .filter_map(|line| line.split(':').nth(1)?.parse().ok())
        .collect()
}
