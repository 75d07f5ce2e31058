//! Files that are made from others: the tree-sitter parser, and the editors' copies of its queries.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Makes them anew. Needs the `tree-sitter` command.
pub fn run(root: &Path) -> Result<(), String> {
    let grammar = root.join("grammars/tree-sitter-rise");
    let status = Command::new("tree-sitter")
        .args(["generate", "--js-runtime", "native"])
        .current_dir(&grammar)
        .status()
        .map_err(|error| {
            format!("cannot run `tree-sitter` ({error}): install it with `cargo install tree-sitter-cli`")
        })?;
    if !status.success() {
        return Err("`tree-sitter generate` failed".to_owned());
    }
    let (from, to) = (
        grammar.join("queries"),
        root.join("editors/nvim/queries/rise"),
    );
    let copies = fs::read_dir(&to).map_err(|error| format!("{}: {error}", to.display()))?;
    for copy in copies.flatten() {
        let original = from.join(copy.file_name());
        fs::copy(&original, copy.path())
            .map_err(|error| format!("{}: {error}", original.display()))?;
    }
    Ok(())
}
