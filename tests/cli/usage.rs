//! Tests of arguments, exit statuses, and the output streams.

use std::process::Command;

use crate::support::Folder;

#[test]
fn version_is_on_standard_output() {
    let ran = Folder::new().run(&["--version"]);
    assert_eq!(
        (ran.status, ran.out.as_str()),
        (0, concat!("rise-ls ", env!("CARGO_PKG_VERSION"), "\n"))
    );
}

#[test]
fn help_names_every_command() {
    let ran = Folder::new().run(&["--help"]);
    assert_eq!(ran.status, 0);
    for word in [
        "--check", "--stdio", "--listen", "--deny", "--stats", "types", "fmt", "explain", "doctor",
    ] {
        assert!(ran.out.contains(word), "{word} is not in\n{}", ran.out);
    }
}

#[test]
fn bad_usage_is_status_2_and_says_nothing_on_standard_output() {
    let folder = Folder::with(&[("a.rise", "def x = 1.0f\n")]);
    let cases: &[&[&str]] = &[
        &["--check"],
        &["a.rise", "--stdio"],
        &["check"],
        &["--chekc", "a.rise"],
        &["--check", "a.rise", "--format", "xml"],
        &["--check", "a.rise", "--deny", "hints"],
        &["--stats"],
        &["types"],
        &["fmt"],
        &["explain"],
        &["--stdio", "--listen", "localhost:0"],
    ];
    for arguments in cases {
        let ran = folder.run(arguments);
        assert_eq!(
            (ran.status, ran.out.as_str()),
            (2, ""),
            "{arguments:?}: {}",
            ran.err
        );
        assert!(ran.err.contains("error:"), "{arguments:?}: {}", ran.err);
    }
}

#[test]
fn files_are_checked_by_every_form_of_the_command() {
    let folder = Folder::with(&[("a.rise", "def x = y\n")]);
    let expected = folder.run(&["--check", "a.rise", "--format", "json"]);
    assert_eq!((expected.status, expected.out.lines().count()), (1, 1));
    for arguments in [
        &["check", "a.rise", "--format", "json"][..],
        &["a.rise", "--format", "json"],
        &["check", "--format", "json", "."],
    ] {
        let ran = folder.run(arguments);
        assert_eq!((ran.status, &ran.out), (1, &expected.out), "{arguments:?}");
    }
    let ran = folder.run(&["chekc", "a.rise"]);
    assert_eq!(ran.status, 2);
    assert_eq!(
        ran.err,
        "error: chekc: there is no such file or folder\n1 error in 1 file\nnote: `rise-ls help` lists the commands\n"
    );
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let defs: String = (0..2000)
        .map(|n| format!("def x{n} = fun(y => z{n})\n"))
        .collect();
    let folder = Folder::with(&[("a.rise", defs)]);
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_rise-ls"))
        .args(["--check", "a.rise"])
        .current_dir(folder.path("."))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the binary starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the binary ends");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "2000 errors in 1 file\n"
    );
}

#[test]
fn numbers_that_make_no_sense_are_explained() {
    let folder = Folder::with(&[("a.rise", "def f = fun(x: i32 => x)\n")]);
    let cases = [
        (
            &["--verify", "--tolerance", "-1"][..],
            "a number of at least 0",
        ),
        (&["--bench", "-1"], "a whole number of at least 1"),
        (&["--bench", "0"], "a whole number of at least 1"),
    ];
    for (arguments, wanted) in cases {
        let ran = folder.run(&[&["run", "a.rise"], arguments].concat());
        assert_eq!(ran.status, 2, "{arguments:?}");
        assert!(ran.err.contains(wanted), "{arguments:?}: {}", ran.err);
    }
}

#[test]
fn a_folder_that_is_missing_is_named() {
    let folder = Folder::with(&[("a.rise", "def f = fun(x: i32 => x)\n")]);
    let ran = folder.run(&["emit", "a.rise", "--as", "c", "-o", "nowhere/a.c"]);
    assert_eq!((ran.status, ran.out.as_str()), (2, ""));
    assert!(
        ran.err.contains("nowhere/a.c: there is no such"),
        "{}",
        ran.err
    );
    assert!(!ran.err.contains(".tmp"), "{}", ran.err);
}

#[cfg(unix)]
#[test]
fn output_goes_to_the_target_of_a_symbolic_link() {
    let folder = Folder::with(&[
        ("a.rise", "def f = fun(x: f32 => x + 1.0f)\n"),
        ("old.c", ""),
    ]);
    for target in ["old.c", "new.c"] {
        let link = folder.path("link.c");
        std::os::unix::fs::symlink(target, &link).expect("links can be made");
        let ran = folder.run(&["emit", "a.rise", "--as", "c", "-o", "link.c"]);
        assert_eq!(ran.status, 0, "{ran:?}");
        assert!(link.is_symlink());
        assert!(
            folder.get(target).contains("void f("),
            "{}",
            folder.get(target)
        );
        std::fs::remove_file(link).expect("the link is there");
    }
    let ran = folder.run(&["emit", "a.rise", "--as", "c", "-o", "/dev/stdout"]);
    assert!(ran.status == 0 && ran.out.contains("void f("), "{ran:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn output_to_an_open_file_keeps_its_text() {
    use std::process::{Command, Stdio};
    let folder = Folder::with(&[
        ("a.rise", "def f = fun(x: f32 => x + 1.0f)\n"),
        ("all", "earlier\n"),
    ]);
    let all = std::fs::File::options()
        .append(true)
        .open(folder.path("all"));
    let status = Command::new(env!("CARGO_BIN_EXE_rise-ls"))
        .args(["emit", "a.rise", "--as", "c", "-o", "/dev/stdout"])
        .current_dir(folder.path("."))
        .stdout(Stdio::from(all.expect("the file is there")))
        .status();
    assert!(status.expect("it starts").success());
    let all = folder.get("all");
    assert!(
        all.starts_with("earlier\n") && all.contains("void f("),
        "{all}"
    );
}

#[test]
fn a_home_that_is_missing_is_not_made() {
    let folder = Folder::with(&[("a.rise", "def f = fun(x: i32 => x)\n")]);
    let output = Command::new(env!("CARGO_BIN_EXE_rise-ls"))
        .args(["run", "a.rise", "--backend", "c", "--arg", "x=1"])
        .current_dir(folder.path(""))
        .env_remove("XDG_CACHE_HOME")
        .env("HOME", folder.path("home"))
        .env("TMPDIR", folder.path(""))
        .output()
        .expect("rise-ls starts");
    assert!(output.status.success(), "{output:?}");
    assert!(!folder.path("home").exists());
}

#[test]
fn emitted_text_overwrites_neither_its_source_nor_its_map() {
    let program = "@target(c)\ndef f = fun(x: f32 => x + 1.0f)\n";
    let folder = Folder::with(&[("a.rise", program)]);
    for (flags, message) in [
        (
            &["-o", "./a.rise"][..],
            "error: ./a.rise: is the source, which is not overwritten",
        ),
        (
            &["--map", "a.rise"],
            "error: a.rise: is the source, which is not overwritten",
        ),
        (
            &["-o", "x.c", "--map", "x.c"],
            "error: x.c: cannot be both the text and its map",
        ),
    ] {
        let ran = folder.run(&[&["emit", "a.rise", "--as", "c"], flags].concat());
        assert_eq!((ran.status, ran.err.trim()), (2, message));
    }
    assert_eq!(folder.get("a.rise"), program);
}

#[test]
fn sizes_that_are_too_large_are_said_to_be() {
    let folder = Folder::with(&[("a.rise", "def f = depFun(n: Nat => fun(xs: n.f32 => xs))\n")]);
    let ran = folder.run(&["run", "a.rise", "-D", "n=99999999999999999999"]);
    assert_eq!(ran.status, 2);
    let message = "the size `99999999999999999999` is too large";
    assert!(ran.err.contains(message), "{}", ran.err);
}

#[test]
fn emit_prints_the_program_after_a_pass() {
    let program = "def f = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(fun(x => x * 2.0f))))\n";
    let folder = Folder::with(&[("a.rise", program)]);
    let emit = |flags: &[&str]| folder.run(&[&["emit", "a.rise"], flags].concat());
    let ran = emit(&["--as", "c", "--after", "lowering"]);
    assert!(ran.out.contains("void f("), "{}", ran.out);
    let ran = emit(&["--as", "openmp", "--after", "list"]);
    assert!(
        ran.out
            .starts_with("lowering\ndelinearization (optional)\n"),
        "{}",
        ran.out
    );
}

#[test]
fn optional_passes_can_be_left_out() {
    let program = "def f = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(fun(x => x * 2.0f))))\n";
    let folder = Folder::with(&[("a.rise", program)]);
    let emit = |flags: &[&str]| folder.run(&[&["emit", "a.rise", "--as"], flags].concat());
    let ran = emit(&["c", "--without", "inlining", "--without", "pointers"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    for flags in [
        &["c", "--without", "loops"][..],
        &["c", "--without", "folding"],
        &["rise", "--without", "inlining"],
        &["c", "--after", "folding"],
        &["dpia", "--after", "loops"],
        &["opencl", "--host", "--after", "loops"],
    ] {
        let ran = emit(flags);
        assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{flags:?}");
    }
    let ran = emit(&["c", "--without", "loops"]);
    let message = "error: the pass `loops` is required: no target can print loops that are marked for unrolling\n";
    assert_eq!(ran.err, message);
    let ran = emit(&["c", "--after", "folding"]);
    let message =
        "error: there is no pass `folding` for C; in order, there are lowering, delinearization, ";
    assert!(ran.err.starts_with(message), "{}", ran.err);
}
