//! The README's first command prints what the README says.

use std::path::Path;
use std::process::Command;

#[test]
fn the_first_command_prints_what_the_readme_shows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).expect("a README");
    let command = "$ cargo run --release --quiet -p rise-ls -- ";
    let block = readme
        .split("```console\n")
        .find(|b| b.starts_with(command))
        .expect("a block");
    let (first, rest) = block.split_once('\n').expect("a command and its output");
    let shown = rest
        .split("```")
        .next()
        .expect("the end of the block")
        .trim_end();
    let output = Command::new(env!("CARGO_BIN_EXE_rise-ls"))
        .args(first.trim_start_matches(command).split(' '))
        .current_dir(&root)
        .env("NO_COLOR", "1")
        .output()
        .expect("the binary runs");
    let printed = [output.stderr, output.stdout].concat();
    assert_eq!(String::from_utf8_lossy(&printed).trim_end(), shown);
}
