//! Tests of the folders from which files are imported.

use crate::support::{Folder, Ran};

const SECRET: &str = "TOKEN=hunter2\n";

/// Runs `--check` on an import of `path`.
fn import(folder: &Folder, path: &str, more: &[&str]) -> Ran {
    let text = format!("import \"{path}\"\ndef f = fun(x: f32 => x)\n");
    folder.put("in/a.rise", text);
    folder.run(&[&["--check", "in/a.rise"], more].concat())
}

fn title(ran: &Ran) -> &str {
    ran.out.lines().next().unwrap_or_default()
}

fn is_refused_unread(ran: &Ran, path: &str) {
    let wanted =
        format!("error[import-not-found]: cannot read `{path}`: it is outside of the project");
    assert_eq!((ran.status, title(ran)), (1, wanted.as_str()), "{ran:?}");
    assert_eq!(ran.err, "1 error in 1 file\n");
    assert!(!ran.out.contains("TOKEN"), "{ran:?}");
}

#[cfg(unix)]
#[test]
fn only_regular_files_are_imported() {
    let folder = Folder::new();
    folder.put("in/folder.rise/b.rise", "");
    let pipe = folder.path("in/pipe.rise");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let pipe = pipe.display().to_string();
    for (path, reason) in [
        ("pipe.rise", "it is not a regular file"),
        (pipe.as_str(), "it is not a regular file"),
        ("/dev/zero", "it is not a regular file"),
        ("/dev/stdin", "it is not a regular file"),
        ("folder.rise", "is a folder, not a file"),
    ] {
        let ran = import(&folder, path, &["--allow-import", "/"]);
        let wanted = format!("error[import-not-found]: cannot read `{path}`: {reason}");
        assert_eq!((ran.status, title(&ran)), (1, wanted.as_str()), "{ran:?}");
        assert_eq!(ran.err, "1 error in 1 file\n", "{path}");
    }
}

#[cfg(unix)]
#[test]
fn imports_stay_in_the_folder_of_the_file() {
    let folder = Folder::with(&[("out/secret.rise", SECRET), ("in/sub/b.rise", SECRET)]);
    let link = |name: &str, to: &str| {
        std::os::unix::fs::symlink(folder.path(to), folder.path(name)).unwrap();
    };
    folder.put("in/keep", "");
    link("in/link.rise", "out/secret.rise");
    link("in/way", "out");
    let absolute = folder.path("out/secret.rise").display().to_string();
    for path in [
        "../out/secret.rise",
        "../out/missing.rise",
        "sub/../../out/secret.rise",
        "link.rise",
        "way/secret.rise",
        "/proc/self/environ",
        "/etc/passwd",
        &absolute,
    ] {
        is_refused_unread(&import(&folder, path, &[]), path);
    }
    // A file within the project is read, and its errors are shown.
    let ran = import(&folder, "sub/b.rise", &[]);
    assert!(ran.out.contains("TOKEN"), "{ran:?}");
    for allowed in ["out", "."] {
        let ran = import(&folder, "link.rise", &["--allow-import", allowed]);
        assert!(ran.out.contains("TOKEN"), "{ran:?}");
    }
}

#[test]
fn the_nearest_marker_is_the_root_of_imports() {
    for marker in ["rise.toml", ".git/HEAD"] {
        let folder = Folder::with(&[("out/b.rise", "def g = 1.0f\n")]);
        is_refused_unread(&import(&folder, "../out/b.rise", &[]), "../out/b.rise");
        folder.put(marker, "");
        let ran = import(&folder, "../out/b.rise", &[]);
        assert_eq!(
            (ran.status, ran.err.as_str()),
            (0, "no errors in 2 files\n")
        );
        // The nearest marker takes precedence.
        folder.put("in/rise.toml", "");
        is_refused_unread(&import(&folder, "../out/b.rise", &[]), "../out/b.rise");
    }
}

#[cfg(unix)]
#[test]
fn links_that_lead_out_are_neither_checked_nor_formatted() {
    let ugly = "def   secret=hunter2\n";
    let folder = Folder::with(&[("out/b.rise", ugly), ("in/a.rise", "def x = 1.0f\n")]);
    std::os::unix::fs::symlink(folder.path("out/b.rise"), folder.path("in/link.rise")).unwrap();
    let ran = folder.run(&["--check", "in"]);
    assert_eq!((ran.status, ran.out.as_str()), (2, ""));
    assert_eq!(
        ran.err,
        "error: in/link.rise: the link leads out of the project; `--allow-import FOLDER` allows that\nno errors in 1 file\n"
    );
    let ran = folder.run(&["--check", "in", "--allow-import", "out"]);
    assert_eq!(ran.status, 1);
    // The shell may have expanded a pattern to this name.
    let ran = folder.run(&["--check", "in/link.rise"]);
    assert_eq!((ran.status, ran.out.as_str()), (2, ""));
    assert!(!ran.err.contains("secret"), "{}", ran.err);
    let ran = folder.run(&["--check", "in/a.rise", "--allow-import", "no/such"]);
    assert_eq!(ran.status, 2);
    assert_eq!(
        ran.err,
        "error: no/such: is not a folder, which `--allow-import` expects\nno errors in 1 file\n"
    );
    for arguments in [&["fmt", "in"][..], &["fmt", "--check", "in"]] {
        let ran = folder.run(arguments);
        assert_eq!((ran.status, ran.out.as_str()), (0, ""));
        assert_eq!(
            ran.err,
            "note: in/link.rise: the link leads out of the folder; its file stays as it is\n"
        );
    }
    assert_eq!(folder.get("out/b.rise"), ugly);
    // A link may lead to any file within the formatted folder.
    assert_eq!(folder.run(&["fmt", "."]).status, 0);
    assert_ne!(folder.get("out/b.rise"), ugly);
}

#[test]
fn a_missing_import_is_named_by_every_command() {
    let program = "import \"nope.rise\"\ndef f = fun(x: f32 => g(x))\n";
    let folder = Folder::with(&[("a.rise", program)]);
    for command in [
        &["emit", "a.rise", "--as", "c"][..],
        &["rewrite", "a.rise", "--strategy", "lowerToC"],
        &["run", "a.rise"],
    ] {
        let ran = folder.run(command);
        assert_eq!((ran.status, ran.out.as_str()), (1, ""), "{command:?}");
        let errors = ran.err.lines().filter(|line| line.starts_with("error"));
        let errors: Vec<&str> = errors.collect();
        let expected = ["error[import-not-found]: cannot find `nope.rise`"];
        assert_eq!(errors, expected, "{command:?}");
    }
}
