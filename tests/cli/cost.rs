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
def windows = depFun(n: Nat => fun(xs: (n + 8).f32 =>
  xs |> slide(9)(1) |> mapSeq(reduceSeq(add)(0.0f))))
def longWindows = depFun(n: Nat => fun(w: 32.f32, xs: (n + 31).f32 =>
  xs |> slide(32)(1) |> mapSeq(fun(x => zip(w)(x) |> reduceSeq(fun(sum, p => sum + p._1 * p._2))(0.0f)))))
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
        expect![[r#"
            columnSums in C at n = 2000, m = 3000: about 15 ms
              n*m operations: 1.5 ms
              address translation: 15 ms
              into L1: 96.4 MB, 2.4 ms
              into L2: 24.0 MB, 4.8 ms
              into L3: 24.0 MB, 6.0 ms
              for i (m/4)
                for j (n): each addition waits for the one before, 100 %
              for i (m - (m/4)*4)
                for j (n): each addition waits for the one before, 0 %

            hint[strided-read]: `a` is read with stride m (estimated 7.5 times slower than row by row)
             --> a.rise:2:52
              |
            2 |   a |> transpose |> mapSeq(fun(column => column |> reduceSeq(add)(0.0f)))))
              |                                                    ^^^^^^^^^
              |
              = help: make the reduction the outer loop, which accumulates all results together (`accumulateRows`)

        "#]],
    );
}

#[test]
fn a_sum_of_rows_waits_for_additions() {
    shows(
        &["--def", "rowSums", "-D", "n=2000"],
        expect![[r#"
            rowSums in C at n = 2000, m = 1024 (assumed): about 515 µs
              n*m operations: 515 µs
              into L1: 8.2 MB, 103 µs
              into L2: 8.2 MB, 274 µs
              for i (n/4)
                for j (m): each addition waits for the one before, 99 %
              for i (n - (n/4)*4)
                for j (m): each addition waits for the one before, 0 %

            hint[ordered-reduction]: each step of this sum waits for the one before, because compilers keep the order of operations on floating-point numbers (estimated 1.9 times slower than with partial results)
             --> a.rise:4:33
              |
            4 |   a |> mapSeq(fun(row => row |> reduceSeq(add)(0.0f)))))
              |                                 ^^^^^^^^^
              |
              = help: reduce several parts of the array side by side, and combine their results at the end

        "#]],
    );
}

#[test]
fn a_strategy_that_is_slower_than_the_default_schedule_is_reported() {
    let text = "@target(c)
@strategy(\"own.elevate\", inOrder)
def distances = depFun((n: Nat, m: Nat) => fun(a: n.32.f32, b: m.32.f32 =>
  a |> map(fun(p => b |> map(fun(q =>
    zip(p)(q) |> map(fun((x, y) => (x - y) * (x - y))) |> reduce(add)(0.0f)))))))
";
    let strategy =
        "strategy inOrder : Strategy = unfoldAll ; implementInOrder(inOrder = [\"q\"])\n";
    let folder = Folder::with(&[("a.rise", text), ("own.elevate", strategy)]);
    let ran = folder.run(&["check", "--level", "hint", "a.rise"]);
    expect![[r#"
        a.rise:3:5: hint[slower-than-default]: this strategy is estimated to be 18.2 times slower than the default schedule
    "#]].assert_eq(&ran.out);
}

#[test]
fn a_copy_to_a_temporary_array_is_reported_and_a_transposition_is_not() {
    shows(
        &["--def", "doubled", "-D", "n=1000000"],
        expect![[r#"
            doubled in C at n = 1000000: about 1.3 ms
              n operations: 94 µs
              new memory: 488 µs
              into L1: 24.0 MB, 300 µs
              into L2: 24.0 MB, 800 µs
              for i (n): a call of `memset` or `memcpy`, 44 %
              for i (n): vectorised, 56 %

            hint[copy]: this copies `xs`: n*4 bytes (estimated 4.0 MB)
             --> a.rise:6:9
              |
            6 |   xs |> mapSeq(id) |> toMem |> mapSeq(fun(x => x * 2.0f))))
              |         ^^^^^^
              |
              = help: read the array itself, without the copy in memory

        "#]],
    );
    shows(
        &["--def", "transposed"],
        expect![[r#"
            transposed in C at n = 1024 (assumed), m = 1024 (assumed): about 1.7 ms
              0 operations: 350 µs
              into L1: 138.4 MB, 1.7 ms
              into L2: 12.6 MB, 419 µs
              for tile (m/16)
                for j (n)
                  for i (16): perhaps vectorised, 100 %
              for i (m - (m/16)*16)
                for j (n): perhaps vectorised, 0 %

        "#]],
    );
}

#[test]
fn a_maximum_of_floats_is_not_vectorised_and_a_count_of_booleans_is() {
    shows(
        &["--def", "largest"],
        expect![[r#"
            largest in C at n = 1024 (assumed): about 1.0 µs
              n operations: 1.0 µs
              into L1: 4.2 kB, 53 ns
              into L2: 4.2 kB, 141 ns
              for i (n): not vectorised, as its maximum is in a fixed order, 100 %

            hint[ordered-reduction]: each step of this maximum waits for the one before, because compilers keep the order of operations on floating-point numbers (estimated 7.6 times slower than with partial results)
             --> a.rise:9:55
              |
            9 | def largest = depFun(n: Nat => fun(xs: n.f32 => xs |> reduceSeq(max)(0.0f)))
              |                                                       ^^^^^^^^^
              |
              = help: reduce several parts of the array side by side, and combine their results at the end

        "#]],
    );
    shows(
        &["--def", "count"],
        expect![[r#"
            count in C at n = 1024 (assumed): about 66 ns
              n operations: 56 ns
              address translation: 20 ns
              into L1: 1.2 kB, 14 ns
              into L2: 1.2 kB, 38 ns
              for i (n): vectorised, 94 %

        "#]],
    );
}

#[test]
fn a_sum_of_integers_has_no_hint() {
    shows(
        &["--def", "total"],
        expect![[r#"
            total in C at n = 1024 (assumed): about 147 ns
              n operations: 46 ns
              address translation: 20 ns
              into L1: 4.2 kB, 53 ns
              into L2: 4.2 kB, 141 ns
              for i (n): vectorised, 93 %

        "#]],
    );
}

#[test]
fn rows_for_work_items_are_not_coalesced() {
    shows(
        &["--def", "onDevice"],
        expect![[r#"
            onDevice in OpenCL at n = 1024 (assumed), m = 1024 (assumed): no estimate, which needs a device

            hint[uncoalesced]: neighbouring work-items access `a` with stride m, so that each access is a memory transaction of its own
              --> a.rise:18:3
               |
            18 |   a |> mapGlobal(fun(row => row |> reduceSeq(Private)(add)(0.0f)))))
               |   ^
               |
               = help: let the index of the work-item in dimension 0 be the innermost index of the array

        "#]],
    );
}

#[test]
fn json_has_the_numbers_of_the_model() {
    let ran = cost(&["--def", "total", "-D", "n=4096", "--format", "json"]);
    let [line] = &parse_lines(&ran.out)[..] else {
        panic!("{ran:?}")
    };
    expect![[r#"{"allocation_seconds":0.0,"assumed":[],"def":"total","hints":[],"loops":[{"counter":"i","depth":0,"iterations":"n","reason":null,"share":0.9817833173537872,"vectorised":"yes"}],"machine":"default","operations":"n","operations_seconds":1.738333333333333e-7,"seconds":5.563000000000001e-7,"sizes":{"n":4096},"target":"c","transfers":[{"bytes":16512.0,"cache":"L1","seconds":2.064e-7},{"bytes":16512.0,"cache":"L2","seconds":5.504000000000001e-7},{"bytes":16512.0,"cache":"L3","seconds":0.0}],"translation_seconds":5e-8}"#]].assert_eq(&line.to_string());
}

#[test]
fn a_machine_with_slower_memory_takes_longer() {
    let folder = Folder::with(&[("a.rise", FILE)]);
    folder.put(
        "slow.toml",
        "name = \"slow\"\nfrequency = 1e9\n[[caches]]\nname = \"L1\"\nbytes = 32768\nconsecutive = 1e9\nscattered = 1e8\ntotal = 1e9\n",
    );
    let seconds = |machine: &[&str]| {
        let arguments = [
            "cost",
            "a.rise",
            "--def",
            "total",
            "-Dn=100000",
            "--format",
            "json",
        ];
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
    expect![[r#"
        2: error: `total` has no size `k`; it has `n`
        2: error: none.toml: No such file or directory (os error 2)
        2: error: wrong.toml: `threads` is 0, but must be positive
        2: error: unknown.toml: TOML parse error at line 1, column 1
                 |
               1 | colour = 1
                 | ^^^^^^
               unknown field `colour`, expected one of `name`, `threads`, `frequency`, `vector_bytes`, `register_bytes`, `parallel_start`, `new_page`, `cycles`, `translation`, `caches`
    "#]].assert_eq(&all.concat());
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
    assert_eq!(seen, 18);
}

/// The loops that the model calls vectorised are, and those that it says are not are not.
#[test]
#[cfg_attr(not(tool = "gcc"), ignore = "needs gcc")]
fn predictions_of_vectorisation_agree_with_gcc() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus");
    let sizes = std::fs::read_to_string(corpus.join("sizes.txt")).expect("the list of programs");
    let folder = Folder::with(&[("a.rise", FILE)]);
    let own = [
        "columnSums",
        "rowSums",
        "doubled",
        "largest",
        "count",
        "total",
        "windows",
        "longWindows",
    ];
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
        let ran = run_in(
            &at,
            &[
                "cost", &file, "--def", &def, "--target", "c", "--format", "json",
            ],
            b"",
        );
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
        for (number, (line, prediction)) in loops.iter().zip(predictions).enumerate() {
            let is = vectorised.contains(line);
            let agrees = match prediction["vectorised"].as_str() {
                Some("yes") => is,
                Some("no") => !is,
                Some("lanes") => number > 0 && vectorised.contains(&loops[number - 1]),
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
    gcc.args([
        "-std=c99",
        "-O3",
        "-ffp-contract=off",
        "-fno-math-errno",
        "-march=native",
    ]);
    gcc.args(["-fopt-info-vec-optimized", "-c", "-o", "/dev/null"])
        .arg(path);
    let ran = gcc.output().expect("gcc runs");
    let report = String::from_utf8_lossy(&ran.stderr).into_owned();
    let lines = report
        .lines()
        .filter(|line| line.contains("optimized: loop vectorized"));
    lines
        .filter_map(|line| line.split(':').nth(1)?.parse().ok())
        .collect()
}

#[test]
fn sizes_that_overflow_have_no_estimate() {
    let text = "def f = depFun(n: Nat => fun(xs: (n^70).f32 => xs |> map(fun(x => x + 1.0f))))\n";
    let ran = Folder::with(&[("a.rise", text)]).run(&["cost", "a.rise"]);
    assert_eq!((ran.status, ran.out.as_str()), (1, ""));
    assert!(
        ran.err.starts_with(
            "error[not-a-program]: there is no estimate at n = 1024 (assumed), because `n^70` elements"
        ),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("help: give smaller sizes: `-D n=…`"));
}

#[test]
fn sizes_above_the_largest_one_are_refused() {
    let folder = Folder::with(&[("a.rise", FILE)]);
    let said = |arguments: &[&str]| {
        let ran = folder.run(&[arguments, &["a.rise"]].concat());
        let line = ran.err.lines().next().unwrap_or_default();
        format!("{}: {line}\n", ran.status)
    };
    let all = [
        said(&["cost", "--def", "total", "-D", "n=576460752303423488"]),
        said(&["cost", "--def", "total", "-D", "n=9223372036854775808"]),
        said(&["run", "--def", "total", "-D", "n=9223372036854775808"]),
        said(&["cost", "--def", "total", "-D", "n=576460752303423487"]),
        said(&[
            "cost",
            "--def",
            "rowSums",
            "-D",
            "n=288230376151711744",
            "-D",
            "m=3",
        ]),
    ];
    expect![[r#"
        2: error: invalid value 'n=576460752303423488' for '-D <n=1024>': the size `576460752303423488` is too large: a size is at most 576460752303423487
        2: error: invalid value 'n=9223372036854775808' for '-D <n=1024>': the size `9223372036854775808` is too large: a size is at most 576460752303423487
        2: error: invalid value 'n=9223372036854775808' for '-D <n=1024>': the size `9223372036854775808` is too large: a size is at most 576460752303423487
        0: 
        1: error[not-a-program]: there is no estimate at n = 288230376151711744, m = 3, because `n*m` elements do not fit into indices of 64 bits
    "#]]
    .assert_eq(&all.concat());
}

#[test]
fn loops_over_register_tiles_have_whole_numbers_of_iterations() {
    let text = "def product = depFun((n: Nat, m: Nat, k: Nat) => fun(a: n.k.f32, b: k.m.f32 =>
  a |> map(fun(row => b |> transpose |> map(fun(column => dot(row)(column)))))))\n";
    let ran = Folder::with(&[("a.rise", text)]).run(&["cost", "a.rise"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(ran.out.contains("(m/(lanes*2))"), "{}", ran.out);
    assert!(!ran.out.contains("ceilDiv(0"), "{}", ran.out);
}

#[test]
fn sizes_that_contradict_conditions_are_refused_as_by_run() {
    let text = "\
def blocks = depFun((n: Nat, m: Nat) => fun(xs: n.f32 =>
  xs |> split(m) |> mapSeq(fun(row => row |> reduceSeq(add)(0.0f)))))
";
    let folder = Folder::with(&[("a.rise", text)]);
    let said = |command: &str, sizes: &[&str]| {
        let options = sizes.iter().flat_map(|size| ["-D", size]);
        let arguments: Vec<&str> = [command, "a.rise"].into_iter().chain(options).collect();
        let ran = folder.run(&arguments);
        (ran.status, ran.err)
    };
    for sizes in [
        &["n=100", "m=7"][..],
        &["n=100", "m=10", "n=20"],
        &["n=100", "m=0"],
        &["n=100", "k=7", "m=1"],
    ] {
        let (status, message) = said("cost", sizes);
        assert_eq!(status, 2, "{message}");
        assert_eq!((status, message), said("run", sizes));
    }
    assert_eq!(said("cost", &["n=100", "m=10"]).0, 0);
    // A size that is assumed is checked with those that are given.
    expect!["error: `m divides n` does not hold for m = 1024, n = 100\n"]
        .assert_eq(&said("cost", &["n=100"]).1);
}
