//! Tests that `doctor` reports the available tools and never fails.

use crate::support::Folder;

#[test]
fn every_line_is_a_fact() {
    let ran = Folder::new().run(&["doctor"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    // The OpenCL devices differ between machines.
    let of_devices = |line: &&str| line.starts_with("OpenCL device") || line.starts_with(' ');
    let about: Vec<&str> = ran
        .out
        .lines()
        .filter(|line| !of_devices(line))
        .map(|line| line.split("  ").next().unwrap_or_default())
        .collect();
    assert!(ran.out.lines().any(|line| of_devices(&line)), "{}", ran.out);
    let expected = [
        "rise-ls",
        "C compiler cc",
        "C compiler gcc",
        "C compiler clang",
        "OpenMP",
        "OpenCL loader",
        "OpenCL drivers",
        "Neovim",
        "VS Code",
        "Helix",
        "Emacs",
    ];
    assert_eq!(about, expected);
    assert!(
        ran.out.lines().all(|line| !line.trim_end().ends_with("  ")),
        "{}",
        ran.out
    );
}

#[test]
fn an_empty_machine_is_fine() {
    let folder = Folder::new();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_rise-ls"))
        .arg("doctor")
        .env("PATH", folder.path("."))
        .env("OCL_ICD_VENDORS", folder.path("."))
        .output()
        .expect("the binary starts");
    let out = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0));
    let tools = ["C compiler", "Neovim", "VS Code", "Helix", "Emacs"];
    let of_tools = |line: &&str| tools.iter().any(|tool| line.starts_with(tool));
    assert!(
        out.lines()
            .filter(of_tools)
            .all(|line| line.ends_with(" not found")),
        "{out}"
    );
    assert_eq!(out.lines().filter(of_tools).count(), 7);
    assert!(
        out.contains("no C compiler to ask") && out.contains("none in "),
        "{out}"
    );
    let devices = out.lines().find(|line| line.starts_with("OpenCL devices "));
    assert!(
        devices.is_some_and(|line| line.contains("  none: there is no OpenCL ")),
        "{out}"
    );
}

#[test]
fn the_compiler_of_the_environment_is_reported() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_rise-ls"))
        .arg("doctor")
        .env("CC", "/nope/cc -m64")
        .output()
        .expect("the binary starts");
    let out = String::from_utf8_lossy(&output.stdout);
    let facts: Vec<Vec<&str>> = out
        .lines()
        .filter(|line| line.starts_with("C compiler") || line.starts_with("OpenMP"))
        .map(|line| line.splitn(2, "  ").map(str::trim).collect())
        .collect();
    let expected = [
        ["C compiler /nope/cc -m64", "not found"],
        ["OpenMP", "no C compiler to ask"],
    ];
    assert_eq!(facts, expected);
}
