//! Generates files: the tree-sitter parsers, and the editors' copies of their queries.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The languages with a tree-sitter grammar.
const LANGUAGES: &[&str] = &["rise", "dpia", "elevate"];

/// Generates all files. Needs the `tree-sitter` command.
pub fn run(root: &Path) -> Result<(), String> {
    for language in LANGUAGES {
        let grammar = root.join(format!("grammars/tree-sitter-{language}"));
        parser(&grammar)?;
        let copies = root.join(format!("editors/nvim/queries/{language}"));
        queries(&grammar.join("queries"), &copies)?;
    }
    Ok(())
}

fn parser(grammar: &Path) -> Result<(), String> {
    let status = Command::new("tree-sitter")
        .args(["generate", "--js-runtime", "native"])
        .current_dir(grammar)
        .status()
        .map_err(|error| {
            format!("cannot run `tree-sitter` ({error}): install it with `cargo install tree-sitter-cli`")
        })?;
    match status.success() {
        true => Ok(()),
        false => Err(format!(
            "`tree-sitter generate` failed in {}",
            grammar.display()
        )),
    }
}

/// Updates the existing copies.
fn queries(from: &Path, to: &Path) -> Result<(), String> {
    let copies = fs::read_dir(to).map_err(|error| format!("{}: {error}", to.display()))?;
    for copy in copies.flatten() {
        let original = from.join(copy.file_name());
        fs::copy(&original, copy.path())
            .map_err(|error| format!("{}: {error}", original.display()))?;
    }
    Ok(())
}
