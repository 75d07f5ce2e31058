//! Generates files: the error reference, the tree-sitter parsers, and the editors' copies of their
//! queries.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The languages with a tree-sitter grammar.
const LANGUAGES: &[&str] = &["rise", "dpia", "elevate"];

/// The reference of all diagnostics, below the repository.
const ERROR_REFERENCE: &str = "docs/errors.md";

/// Generates all files. Needs the `tree-sitter` command.
pub fn run(root: &Path) -> Result<(), String> {
    let path = root.join(ERROR_REFERENCE);
    let failed = |error| format!("{}: {error}", path.display());
    let present = fs::read_to_string(&path).map_err(failed)?;
    fs::write(&path, error_reference(&present)).map_err(failed)?;
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

/// Returns the error reference: the introduction of the present one, and a section for each
/// declared diagnostic.
fn error_reference(present: &str) -> String {
    let introduction = present.split("\n## ").next().unwrap_or_default();
    let mut text = introduction.trim_end().to_owned() + "\n";
    for code in db::codes::all() {
        let (name, title, explanation) = (code.as_str(), code.title(), code.explanation());
        text += &format!("\n## {name}\n\n{title}\n\n{explanation}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_reference_is_up_to_date() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let present = fs::read_to_string(root.join(ERROR_REFERENCE)).expect("the reference");
        let is_current = present == error_reference(&present);
        assert!(
            is_current,
            "`cargo xtask generate` updates {ERROR_REFERENCE}"
        );
    }

    #[test]
    fn codes_are_unique() {
        let mut names: Vec<&str> = db::codes::all()
            .into_iter()
            .map(|code| code.as_str())
            .collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
