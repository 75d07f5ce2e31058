//! Tests of `fmt`.

use crate::support::Folder;
use expect_test::expect;

const UGLY: &str = "def   f=fun( x:f32=>x+1.0f )\n";
const NEAT: &str = "def f = fun(x: f32 => x + 1.0f)\n";

#[test]
fn files_are_formatted_in_place() {
    let folder = Folder::with(&[("a.rise", UGLY), ("b/c.rise", UGLY), ("d.rise", NEAT)]);
    let ran = folder.run(&["fmt", "."]);
    assert_eq!(
        (ran.status, ran.out.as_str(), ran.err.as_str()),
        (0, "", "")
    );
    assert_eq!(
        [
            folder.get("a.rise"),
            folder.get("b/c.rise"),
            folder.get("d.rise")
        ],
        [NEAT; 3]
    );
    assert_eq!(
        std::fs::read_dir(folder.path(".")).unwrap().count(),
        3,
        "nothing is left behind"
    );
}

#[test]
fn check_lists_what_would_change_and_changes_nothing() {
    let folder = Folder::with(&[("a.rise", UGLY), ("b/c.rise", UGLY), ("d.rise", NEAT)]);
    let ran = folder.run(&["fmt", "--check", "."]);
    assert_eq!(
        (ran.status, ran.out.as_str(), ran.err.as_str()),
        (1, "a.rise\nb/c.rise\n", "")
    );
    assert_eq!(folder.get("a.rise"), UGLY);
    assert_eq!(folder.run(&["fmt", "--check", "d.rise"]).status, 0);
}

#[test]
fn standard_input_goes_to_standard_output() {
    let ran = Folder::new().run_with(&["fmt", "-"], UGLY.as_bytes());
    assert_eq!(
        (ran.status, ran.out.as_str(), ran.err.as_str()),
        (0, NEAT, "")
    );
    let ran = Folder::new().run_with(&["fmt", "--check", "-"], UGLY.as_bytes());
    assert_eq!((ran.status, ran.out.as_str()), (1, "<stdin>\n"));
}

#[test]
fn a_byte_order_mark_and_line_ends_stay() {
    let folder = Folder::with(&[("a.rise", format!("\u{feff}{}", UGLY.replace('\n', "\r\n")))]);
    assert_eq!(folder.run(&["fmt", "a.rise"]).status, 0);
    assert_eq!(
        folder.get("a.rise"),
        format!("\u{feff}{}", NEAT.replace('\n', "\r\n"))
    );
}

#[test]
fn what_has_a_mistake_of_syntax_stays_and_is_reported() {
    let folder = Folder::with(&[("a.rise", format!("{UGLY}\ndef   g=fun(y=>\n"))]);
    let ran = folder.run(&["fmt", "a.rise"]);
    assert_eq!((ran.status, ran.out.as_str()), (1, ""));
    assert_eq!(folder.get("a.rise"), format!("{NEAT}\ndef   g=fun(y=>\n"));
    expect![[r#"
        error[syntax-error]: expected an expression after `=>`
         --> a.rise:3:15
          |
        3 | def   g=fun(y=>
          |               ^

    "#]]
    .assert_eq(&ran.err);
}

#[test]
fn unreadable_files_are_left_alone() {
    let folder = Folder::with(&[("a.rise", &b"def   x=1 // \xe9\n"[..])]);
    let ran = folder.run(&["fmt", "a.rise"]);
    assert_eq!((ran.status, ran.out.as_str()), (1, ""));
    assert!(ran.err.starts_with("error[not-text]"), "{}", ran.err);
    assert_eq!(
        std::fs::read(folder.path("a.rise")).unwrap(),
        b"def   x=1 // \xe9\n"
    );
    let ran = folder.run(&["fmt", "no.rise"]);
    assert_eq!(
        (ran.status, ran.err.as_str()),
        (2, "error: no.rise: there is no such file or folder\n")
    );
}

#[cfg(unix)]
#[test]
fn permissions_and_links_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::with(&[("real/a.rise", UGLY)]);
    let real = folder.path("real/a.rise");
    std::fs::set_permissions(&real, PermissionsExt::from_mode(0o640)).unwrap();
    symlink("real/a.rise", folder.path("link.rise")).unwrap();
    assert_eq!(folder.run(&["fmt", "link.rise"]).status, 0);
    assert!(
        folder
            .path("link.rise")
            .symlink_metadata()
            .unwrap()
            .is_symlink()
    );
    assert_eq!(folder.get("real/a.rise"), NEAT);
    assert_eq!(real.metadata().unwrap().permissions().mode() & 0o777, 0o640);
}

#[cfg(unix)]
#[test]
fn a_read_only_file_stays_as_it_is() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::with(&[("a.rise", UGLY)]);
    std::fs::set_permissions(folder.path("a.rise"), PermissionsExt::from_mode(0o444)).unwrap();
    let ran = folder.run(&["fmt", "a.rise"]);
    assert_eq!(
        (ran.status, ran.err.as_str()),
        (2, "error: a.rise: the file is read-only\n")
    );
    assert_eq!(folder.get("a.rise"), UGLY);
}

/// Simulates a full disk: no file may grow beyond 0 bytes.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_file_as_it_was() {
    let folder = Folder::with(&[("a.rise", UGLY)]);
    let script = format!(
        "trap '' XFSZ; ulimit -f 0; exec '{}' fmt a.rise",
        env!("CARGO_BIN_EXE_rise-ls")
    );
    let output = std::process::Command::new("bash")
        .args(["-c", &script])
        .current_dir(folder.path("."))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .output()
        .expect("bash starts");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "error: a.rise: File too large (os error 27)\n"
    );
    assert_eq!(folder.get("a.rise"), UGLY);
    assert_eq!(
        std::fs::read_dir(folder.path(".")).unwrap().count(),
        1,
        "nothing is left behind"
    );
}

/// The listings of papers keep the layout of the papers.
#[test]
fn examples_are_formatted_except_listings_of_papers() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let ran = crate::support::run_in(&root, &["fmt", "--check", "examples"], b"");
    let is_listing = |file: &&str| {
        file.starts_with("examples/papers/") || *file == "examples/strategies/mv.elevate"
    };
    let others: Vec<&str> = ran.out.lines().filter(|file| !is_listing(file)).collect();
    assert_eq!((others, ran.err.as_str()), (Vec::new(), ""));
}
