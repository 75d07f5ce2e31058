//! Tests of input that is not a RISE program, or an absurd one: each gets one clear error, and no
//! panic.

use crate::support::{Folder, short};
use expect_test::{Expect, expect};

/// Checks `path` in the folder, and compares the short form of the findings.
fn check(folder: &Folder, path: &str, expected: Expect) {
    let found: String = folder
        .findings(&[path])
        .iter()
        .map(|finding| short(finding) + "\n")
        .collect();
    expected.assert_eq(&found);
}

/// Compares the error for a path that cannot be read.
fn refused(folder: &Folder, path: &str, expected: Expect) {
    let ran = folder.run(&["--check", path]);
    assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{}", ran.err);
    expected.assert_eq(&ran.err);
}

#[test]
fn not_utf8() {
    let folder = Folder::with(&[("a.rise", b"def x = 1.0f // caf\xe9\n")]);
    check(
        &folder,
        "a.rise",
        expect![[r#"
        a.rise:0:19 error[not-text]: this file is not UTF-8: byte 20 of it is 0xE9, which is not text
    "#]],
    );
}

#[test]
fn utf16() {
    let folder = Folder::with(&[("a.rise", b"\xff\xfed\0e\0f\0")]);
    check(
        &folder,
        "a.rise",
        expect![[r#"
        a.rise:0:0 error[not-text]: this file is not UTF-8 but UTF-16
    "#]],
    );
}

#[test]
fn a_program_that_is_no_text_at_all() {
    let bytes: Vec<u8> = (0..100_000u32)
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    let folder = Folder::with(&[("a.rise", &bytes)]);
    assert_eq!(folder.findings(&["a.rise"]).len(), 1);
    let lossy = String::from_utf8_lossy(&bytes).into_owned();
    folder.put("a.rise", lossy);
    assert_eq!(folder.run(&["--check", "a.rise"]).status, 1);
}

#[test]
fn an_import_of_what_is_no_text() {
    let folder = Folder::with(&[("a.rise", &b"import \"b.rise\"\n"[..]), ("b.rise", b"\xe9")]);
    check(
        &folder,
        "a.rise",
        expect![[r#"
            a.rise:0:7 error[import-not-found]: cannot read `b.rise`: it is not UTF-8 text
        "#]],
    );
}

#[test]
fn a_missing_file() {
    refused(
        &Folder::new(),
        "a.rise",
        expect![[r#"
        error: a.rise: there is no such file or folder
    "#]],
    );
}

#[test]
fn a_file_for_a_folder() {
    let folder = Folder::with(&[("a.rise", "def x = 1.0f\n")]);
    refused(
        &folder,
        "a.rise/b.rise",
        expect![[r#"
        error: a.rise/b.rise: Not a directory (os error 20)
    "#]],
    );
}

#[test]
fn what_can_be_read_is_checked_beside_what_cannot() {
    let folder = Folder::with(&[("a.rise", "def x = nothing\n")]);
    let ran = folder.run(&["--check", "no.rise", "a.rise"]);
    assert_eq!(
        (ran.status, ran.err.as_str()),
        (
            2,
            "error: no.rise: there is no such file or folder\n1 error in 1 file\n"
        )
    );
    assert!(ran.out.contains("a.rise:1:9"), "{}", ran.out);
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::with(&[("locked/a.rise", "def x = 1.0f\n")]);
    let locked = folder.path("locked");
    std::fs::set_permissions(&locked, PermissionsExt::from_mode(0o000)).unwrap();
    // The superuser can read everything.
    if std::fs::read_dir(&locked).is_err() {
        let ran = folder.run(&["--check", "locked"]);
        assert_eq!((ran.status, ran.out.as_str()), (2, ""));
        assert!(ran.err.contains("ermission denied"), "{}", ran.err);
    }
    std::fs::set_permissions(&locked, PermissionsExt::from_mode(0o755)).unwrap();
}

#[cfg(unix)]
#[test]
fn links_in_a_circle_and_links_to_nothing() {
    let folder = Folder::with(&[("src/a.rise", "def x = 1.0f\n")]);
    std::os::unix::fs::symlink(folder.path("src"), folder.path("src/again")).unwrap();
    std::os::unix::fs::symlink(folder.path("gone.rise"), folder.path("src/b.rise")).unwrap();
    let ran = folder.run(&["--check", "."]);
    assert_eq!((ran.status, ran.err.as_str()), (0, "no errors in 1 file\n"));
    refused(
        &folder,
        "src/b.rise",
        expect![[r#"
        error: src/b.rise: there is no such file or folder
    "#]],
    );
}

#[test]
fn a_folder_without_programs() {
    let folder = Folder::with(&[("docs/a.md", "text")]);
    let ran = folder.run(&["--check", "docs"]);
    assert_eq!((ran.status, ran.out.as_str()), (0, ""));
    expect![[r#"
        note: docs: there is no .rise, .dpia or .elevate file in this folder
        no errors in 0 files
    "#]]
    .assert_eq(&ran.err);
}

#[test]
fn an_empty_file() {
    check(&Folder::with(&[("a.rise", "")]), "a.rise", expect![""]);
    check(
        &Folder::with(&[("a.rise", "\u{feff}")]),
        "a.rise",
        expect![""],
    );
    check(
        &Folder::with(&[("a.rise", " \r\n\t// nothing\n")]),
        "a.rise",
        expect![""],
    );
}

#[test]
fn a_file_that_is_too_large() {
    let folder = Folder::new();
    let file = std::fs::File::create(folder.path("a.rise")).unwrap();
    file.set_len((64 << 20) + 1).unwrap();
    refused(
        &folder,
        "a.rise",
        expect![[r#"
        error: a.rise: the file is larger than 64 MB
    "#]],
    );
}

#[test]
fn a_byte_order_mark_moves_nothing() {
    let folder = Folder::with(&[("a.rise", "\u{feff}def x = nothing\n")]);
    check(
        &folder,
        "a.rise",
        expect![[r#"
            a.rise:0:8 error[unknown-name]: cannot find `nothing` in this scope
        "#]],
    );
}

#[test]
fn line_ends_and_tabs() {
    let folder = Folder::with(&[(
        "a.rise",
        "def x = 1.0f\r\ndef y =\r\n\tnothing\rdef z = x\n",
    )]);
    check(
        &folder,
        "a.rise",
        expect![[r#"
            a.rise:2:1 error[unknown-name]: cannot find `nothing` in this scope
        "#]],
    );
    let ran = folder.run(&["--check", "a.rise"]);
    expect![[r#"
        error[unknown-name]: cannot find `nothing` in this scope
         --> a.rise:3:2
          |
        3 |     nothing
          |     ^^^^^^^

    "#]]
    .assert_eq(&ran.out);
}

#[test]
fn characters_beyond_the_first_plane() {
    let folder = Folder::with(&[("a.rise", "def x = /* 𝕏 and 👩‍👩‍👧 */ nothing\n")]);
    check(
        &folder,
        "a.rise",
        expect![[r#"
            a.rise:0:30 error[unknown-name]: cannot find `nothing` in this scope
        "#]],
    );
}

#[test]
fn a_line_of_ten_megabytes() {
    let half = "x".repeat(5 << 20);
    let folder = Folder::with(&[(
        "a.rise",
        format!("def a = 1.0f /* {half} */ def b = nothing /* {half} */"),
    )]);
    check(
        &folder,
        "a.rise",
        expect![[r#"
            a.rise:0:5242908 error[unknown-name]: cannot find `nothing` in this scope
        "#]],
    );
    let ran = folder.run(&["--check", "a.rise"]);
    assert!(ran.out.len() < 2000, "{} bytes of output", ran.out.len());
    assert!(ran.out.contains(" --> a.rise:1:5242909\n"), "{}", ran.out);
    assert!(
        ran.out.lines().any(|line| line.contains("def b = nothing")),
        "{}",
        ran.out
    );
}

#[test]
fn a_sum_of_ten_megabytes() {
    let folder = Folder::with(&[(
        "a.rise",
        format!("def a = {}1.0f\n", "1.0f + ".repeat((10 << 20) / 7)),
    )]);
    check(
        &folder,
        "a.rise",
        expect![[r#"
            a.rise:0:8 error[too-deep]: the expression or type is nested too deeply here: write a part of it as a definition of its own
        "#]],
    );
}

#[test]
fn ten_thousand_parentheses() {
    let text = format!(
        "def a = {}1.0f{}\ndef b = a\n",
        "(".repeat(10_000),
        ")".repeat(10_000)
    );
    check(
        &Folder::with(&[("a.rise", text)]),
        "a.rise",
        expect![[r#"
            a.rise:0:264 error[too-deep]: the expression or type is nested too deeply here: write a part of it as a definition of its own
        "#]],
    );
}

#[test]
fn imports_in_a_circle() {
    let folder = Folder::with(&[
        ("a.rise", "import \"b.rise\"\ndef a = 1.0f\n"),
        ("b.rise", "import \"c.rise\"\ndef b = 1.0f\n"),
        ("c.rise", "import \"a.rise\"\ndef c = 1.0f\n"),
    ]);
    check(
        &folder,
        ".",
        expect![[r#"
            a.rise:0:7 error[import-cycle]: files import each other in a cycle: `a.rise` imports `b.rise`, which imports `c.rise`, which imports `a.rise`
        "#]],
    );
}

#[test]
fn imports_of_what_is_not_there() {
    let folder = Folder::with(&[
        ("stencil.rise", "import \"stensil.rise\"\n"),
        ("folder.rise", "import \".\"\n"),
    ]);
    check(
        &folder,
        ".",
        expect![[r#"
            folder.rise:0:7 error[import-not-found]: cannot read `.`: is a folder, not a file
            stencil.rise:0:7 error[import-not-found]: cannot find `stensil.rise`
        "#]],
    );
}

/// Reading a FIFO without a writer would block forever.
#[cfg(unix)]
#[test]
fn only_regular_files_are_read() {
    let folder = Folder::with(&[(
        "a.rise",
        "def f = fun(xs: 4.f32 => xs |> mapSeq(fun(x => x)))\n",
    )]);
    for name in ["pipe.rise", "pipe.elevate", "pipe.npy"] {
        let made = std::process::Command::new("mkfifo")
            .arg(folder.path(name))
            .status();
        assert!(made.expect("FIFOs can be made").success());
    }
    let not_regular = |path: &str| {
        format!("error: {path}: it is not a regular file; to read standard input, write `-`\n")
    };
    for command in [
        &["--check"][..],
        &["emit", "--as", "c"],
        &["run"],
        &["fmt"],
        &["fmt", "--check"],
        &["types"],
        &["rewrite", "--strategy", "id"],
    ] {
        for path in ["pipe.rise", "/dev/zero"] {
            let ran = folder.run(&[command, &[path]].concat());
            assert_eq!(
                (ran.status, ran.out.as_str()),
                (2, ""),
                "{command:?}: {ran:?}"
            );
            assert_eq!(ran.err, not_regular(path), "{command:?}");
        }
    }
    let ran = folder.run(&["rewrite", "a.rise", "pipe.elevate"]);
    assert_eq!((ran.status, ran.err), (2, not_regular("pipe.elevate")));
    let ran = folder.run(&["run", "a.rise", "--arg", "xs=pipe.npy"]);
    assert_eq!(ran.status, 2, "{ran:?}");
    assert!(ran.err.contains("it is not a regular file"), "{ran:?}");
}

#[test]
fn an_import_that_no_system_takes_for_a_path() {
    let folder = Folder::with(&[("a.rise", "import \"a\0b.rise\"\n")]);
    let [finding] = &folder.findings(&["a.rise"])[..] else {
        panic!("one finding")
    };
    assert_eq!(finding["code"], "import-not-found");
}
