//! Tests of `--check`: the files that are checked, their order, and the exit status.

use crate::support::{Folder, short};
use expect_test::expect;
use serde_json::Value;

const FINE: &str = "def x = 1.0f\n";
const WRONG: &str = "def y = nothing\n";

fn shorts(folder: &Folder, paths: &[&str]) -> String {
    folder
        .findings(paths)
        .iter()
        .map(|finding| short(finding) + "\n")
        .collect()
}

#[test]
fn no_mistake_is_status_0_and_nothing_on_standard_output() {
    let ran = Folder::with(&[("a.rise", FINE)]).run(&["--check", "a.rise"]);
    assert_eq!(
        (ran.status, ran.out.as_str(), ran.err.as_str()),
        (0, "", "no errors in 1 file\n")
    );
}

#[test]
fn findings_come_by_path_and_position_on_any_number_of_threads() {
    let folder = Folder::new();
    for name in ["b", "a", "d/c", "c"] {
        let defs: String = (0..100)
            .map(|n| format!("def v{n} = nothing{n}\n"))
            .collect();
        folder.put(&format!("{name}.rise"), defs);
    }
    let first = folder.run(&["--check", ".", "--format", "json"]);
    let places: Vec<(String, u64)> = crate::support::parse_lines(&first.out)
        .iter()
        .map(|finding| {
            let line = finding["range"]["start"]["line"].as_u64().unwrap();
            (finding["path"].as_str().unwrap().to_owned(), line)
        })
        .collect();
    let mut sorted = places.clone();
    sorted.sort();
    assert_eq!(places.len(), 400);
    assert_eq!(places, sorted);
    for _ in 0..5 {
        assert_eq!(
            folder.run(&["--check", ".", "--format", "json"]).out,
            first.out
        );
    }
}

#[test]
fn a_file_that_is_given_twice_is_checked_once() {
    let folder = Folder::with(&[("a.rise", WRONG)]);
    let ran = folder.run(&["--check", "a.rise", "./a.rise", ".", "--format", "human"]);
    assert_eq!((ran.status, ran.err.as_str()), (1, "1 error in 1 file\n"));
}

#[test]
fn ignored_and_hidden_files_are_left_out_unless_named() {
    let folder = Folder::with(&[
        ("a.rise", FINE),
        ("out/b.rise", WRONG),
        (".cache/c.rise", WRONG),
        (".gitignore", "out\n"),
        ("notes.txt", WRONG),
    ]);
    assert_eq!(folder.run(&["--check", "."]).err, "no errors in 1 file\n");
    assert_eq!(
        folder.run(&["--check", "out/b.rise", "notes.txt"]).err,
        "2 errors in 2 files\n"
    );
}

#[test]
fn what_is_imported_is_checked_too() {
    let folder = Folder::with(&[
        ("main.rise", "import \"lib/a.rise\"\ndef z = x\n"),
        ("lib/a.rise", "import \"b.rise\"\ndef x = y\n"),
        ("lib/b.rise", "def y = nothing\n"),
        ("lib/other.rise", WRONG),
    ]);
    expect![[r#"
        lib/b.rise:0:8 error[unknown-name]: cannot find `nothing` in this scope
    "#]]
    .assert_eq(&shorts(&folder, &["main.rise"]));
}

#[test]
fn standard_input_imports_from_the_current_folder() {
    let folder = Folder::with(&[("lib.rise", "def half = fun(x: f32 => x * 0.5f)\n")]);
    let ran = folder.run_with(
        &["--check", "-"],
        b"import \"lib.rise\"\ndef y = half(true)\n",
    );
    assert_eq!(ran.status, 1);
    assert!(ran.out.contains("<stdin>:2:"), "{}", ran.out);
    assert_eq!(ran.err, "1 error in 2 files\n");
    let ran = folder.run_with(
        &["--check", "-"],
        b"import \"lib.rise\"\ndef y = half(1.0f)\n",
    );
    assert_eq!((ran.status, ran.out.as_str()), (0, ""));
}

#[test]
fn every_program_is_checked_for_a_target() {
    let text = "def part = fun(xs: 8.f32 => xs |> map(fun(x => x * 2.0f)))\n\
                def whole = fun(xs: 8.f32 => part(xs) |> reduceSeq(add)(0.0f))\n\
                def other = fun(xs: 8.f32 => xs |> map(fun(x => x * 2.0f)))\n\
                @target(openmp)\n\
                def threads = fun(xs: 8.f32 => xs |> mapPar(fun(x => x * 2.0f)))\n";
    let folder = Folder::with(&[("a.rise", text)]);
    assert_eq!(shorts(&folder, &["a.rise"]), "");
    expect![[r#"
        a.rise:2:4 hint[default-schedule]: the definition does not say how it is computed: the strategy `lowerToC` chooses that for C
    "#]]
    .assert_eq(&shorts(&folder, &["a.rise", "--target", "c"]));
    let checked = |target| folder.run(&["--check", "a.rise", "--target", target]).err;
    expect![[r#"
        no errors in 1 file
        note: 1 definition with another `@target` is not checked for C
    "#]]
    .assert_eq(&checked("c"));
    expect![[r#"
        no errors in 1 file
    "#]]
    .assert_eq(&checked("openmp"));
    assert_eq!(
        folder
            .run(&["--check", "a.rise", "--target", "cuda"])
            .status,
        2
    );
}

#[test]
fn obligations_do_not_fail_and_are_counted() {
    let folder = Folder::with(&[(
        "a.rise",
        "def c = depFun(n: Nat => fun(xs: n.f32 => xs |> split(4)))\n",
    )]);
    let ran = folder.run(&["--check", "a.rise", "--deny", "warnings"]);
    assert_eq!(
        (ran.status, ran.err.as_str()),
        (
            0,
            "no errors in 1 file; 1 obligation (`--level information` lists it)\n"
        )
    );
    assert_eq!(ran.out, "");
    let ran = folder.run(&["--check", "a.rise", "--level", "information"]);
    assert_eq!(
        (ran.status, ran.err.as_str()),
        (0, "1 obligation in 1 file\n")
    );
    expect![[r#"
        a.rise:1:49: info[obligation]: assumes 4 divides n
    "#]]
    .assert_eq(&ran.out);
}

#[test]
fn what_is_denied_is_not_hidden() {
    let endless = "val again : Strategy = repeat(try(topDown(mapFusion)))\n";
    let folder = Folder::with(&[("a.elevate", endless)]);
    let arguments = [
        "--check",
        "a.elevate",
        "--deny",
        "warnings",
        "--level",
        "error",
    ];
    let ran = folder.run(&arguments);
    assert_eq!((ran.status, ran.err.as_str()), (1, "1 warning in 1 file\n"));
    assert!(ran.out.contains("warning[endless-strategy]"), "{}", ran.out);
}

#[test]
fn a_value_that_depends_on_itself_is_an_error() {
    let text = "val a : Int = b + 1\nval b : Int = a\nval s : Strategy = repeatNTimes(a)(id)\n";
    let applied = "def f = fun(x: f32 => x)\n";
    let folder = Folder::with(&[("a.elevate", text), ("a.rise", applied)]);
    let ran = folder.run(&["--check", "a.elevate"]);
    assert_eq!((ran.status, ran.err.as_str()), (1, "1 error in 1 file\n"));
    assert!(ran.out.contains("error[recursive-def]"), "{}", ran.out);
    let ran = folder.run(&["rewrite", "a.rise", "--strategy", "a.elevate:s"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.err.contains("error[recursive-def]"), "{ran:?}");
}

#[test]
fn levels_hide_what_weighs_less() {
    let folder = Folder::with(&[(
        "a.rise",
        "def dot = depFun(n: Nat => fun(xs: n.f32 => xs |> split(4)))\ndef y = 1.0f +\n",
    )]);
    let counts = ["error", "warning", "information", "hint"].map(|level| {
        let ran = folder.run(&["--check", "a.rise", "--level", level]);
        assert_eq!(ran.status, 1, "{ran:?}");
        let json = folder.run(&["--check", "a.rise", "--level", level, "--format", "json"]);
        let summary = ran.err.split(';').next().unwrap_or_default().to_owned();
        (summary.trim().to_owned(), json.out.lines().count())
    });
    let expected = [
        ("1 error in 1 file", 1),
        ("1 error in 1 file", 1),
        ("1 error, 1 obligation in 1 file", 2),
        ("1 error, 1 obligation, 1 hint in 1 file", 3),
    ];
    assert_eq!(
        counts,
        expected.map(|(text, count)| (text.to_owned(), count))
    );
    assert_eq!(folder.findings(&["a.rise"]).len(), 3);
}

#[test]
fn performance_hints_are_listed_on_request() {
    let text = "\
@target(c)
def largest = depFun(n: Nat => fun(xs: n.f32 => xs |> reduceSeq(max)(0.0f)))
def other = depFun(n: Nat => fun(xs: n.f32 => xs |> reduce(max)(0.0f)))
";
    let folder = Folder::with(&[("a.rise", text)]);
    assert_eq!(folder.findings(&["a.rise"]), Vec::<Value>::new());
    let ran = folder.run(&["--check", "a.rise", "--level", "hint"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, "1 hint in 1 file\n"));
    assert!(
        ran.out
            .starts_with("a.rise:2:55: hint[ordered-reduction]: "),
        "{}",
        ran.out
    );
    let with_target = ["--level", "hint", "--target", "c", "--format", "json"];
    let ran = folder.run(&[&["--check", "a.rise"], &with_target[..]].concat());
    let hints = ran.out.matches("\"ordered-reduction\"").count();
    assert_eq!(hints, 2, "{}", ran.out);
}

#[test]
fn hints_stay_in_the_background() {
    let folder = Folder::with(&[("a.rise", "def dot = fun(x: f32 => x)\n")]);
    let ran = folder.run(&["--check", "a.rise", "--deny", "warnings"]);
    assert_eq!(
        (ran.status, ran.out.as_str(), ran.err.as_str()),
        (0, "", "no errors in 1 file\n")
    );
    let ran = folder.run(&["--check", "a.rise", "--level", "hint"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, "1 hint in 1 file\n"));
    assert!(
        ran.out.starts_with("a.rise:1:5: hint[shadowed-name]: "),
        "{}",
        ran.out
    );
    let [hint] = &folder.findings(&["a.rise"])[..] else {
        panic!("one hint")
    };
    assert_eq!(
        (&hint["severity"], &hint["code"]),
        (&"hint".into(), &"shadowed-name".into())
    );
}

#[test]
fn stats_say_what_was_done() {
    let folder = Folder::with(&[("a.rise", "def x = 1.0f\ndef y = 2.0f"), ("b.rise", "\n")]);
    let ran = folder.run(&["--check", ".", "--stats", "--format", "json"]);
    assert_eq!((ran.status, ran.out.as_str()), (0, ""));
    let number = |name: &str| {
        let line = ran
            .err
            .lines()
            .find_map(|line| line.strip_prefix(name))
            .expect("a line of that name");
        line.split_whitespace()
            .next()
            .and_then(|word| word.parse::<f64>().ok())
            .expect("a number")
    };
    assert_eq!(
        [
            number("files"),
            number("lines"),
            number("bytes"),
            number("defs")
        ],
        [2.0, 3.0, 26.0, 2.0]
    );
    assert!(number("total") >= number("read, split") && number("lines/s") > 0.0);
}

#[test]
fn functions_of_other_languages_have_help() {
    for (name, help) in [
        ("fold", "write `reduceSeq(fun(result, x => …))(start)`"),
        ("scan", "write `inclusiveScan(f)(start)`"),
        ("filter", "there is no `filter`"),
    ] {
        let text = format!("def a = fun(xs: 4.f32 => xs |> {name}(add)(0.0f))\n");
        let ran = Folder::with(&[("a.rise", text.as_str())]).run(&["--check", "a.rise"]);
        assert!(ran.out.contains(help), "{name}: {}", ran.out);
    }
}

#[test]
fn a_type_that_cannot_be_read_is_one_error_however_often_it_is_used() {
    for text in [
        "def at : {n: Nat} -> Idx[n -> n.f32 -> f32 = fun(i, xs => xs |> idx(i))\n\
         def a = fun(xs: 4.f32 => at(0)(xs) + at(1)(xs) + at(2)(xs))\n",
        "def sky : f32 f32 -> f32 = fun(x, y => x + y)\n\
         def a = sky(1.0f)(2.0f) + sky(2.0f)(3.0f)\n",
        "foreign def power(x: f32, y f32): f32\ndef a = power(1.0f, 2.0f) + power(3.0f, 4.0f)\n",
    ] {
        let ran = Folder::with(&[("a.rise", text)]).run(&["--check", "a.rise"]);
        assert_eq!(ran.out.matches("error[").count(), 1, "{}", ran.out);
    }
}

#[test]
fn a_kernel_that_cannot_be_read_leaves_its_helpers_alone() {
    let text = "def helper : {n: Nat} -> n.f32 -> n.f32 = fun(t => t |> mapLocal(id))\n\
                @target(opencl)\n\
                def k = depFun(n: Nat => fun(xs: n.64.f32 => xs |> mapWorkGroup(fun(t => t |>\n";
    let ran = Folder::with(&[("a.rise", text)]).run(&["--check", "a.rise"]);
    assert_eq!(ran.out.matches("error[").count(), 1, "{}", ran.out);
}

/// A constant size beyond the indices is an error at the size, in `check` as in `emit`.
#[test]
fn sizes_beyond_indices_are_reported_at_the_size() {
    let program =
        |size: &str| format!("def f = fun(xs: {size}.f32 => xs |> map(fun(x => x + 1.0f)))\n");
    let narrow = "error[not-a-program]: 3000000000 elements do not fit into indices of 32 bits";
    let never = "error[bad-number]: the size 2^63 does not fit 63 bits";
    let large = "error[bad-number]: the size 10^70 does not fit 63 bits";
    for (size, error, place) in [
        ("3000000000", narrow, "^^^^^^^^^^\n"),
        ("(2^63)", never, "^^^^^^\n"),
        ("(10^70)", large, "^^^^^^^\n"),
    ] {
        let folder = Folder::with(&[("a.rise", program(size))]);
        for target in ["c", "openmp", "opencl"] {
            let checked = folder.run(&["check", "a.rise", "--target", target]);
            let emitted = folder.run(&["emit", "a.rise", "--as", target]);
            assert_eq!((checked.status, emitted.status), (1, 1), "{size}");
            for text in [&checked.out, &emitted.err] {
                assert_eq!(text.matches("error[").count(), 1, "{text}");
                assert!(text.starts_with(error), "{text}");
                assert!(text.contains(" --> a.rise:1:17"), "{text}");
                assert!(text.contains(place), "{text}");
            }
        }
    }
}
