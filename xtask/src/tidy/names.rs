//! Checks that the names of files and folders do not fit any content.

use std::collections::BTreeSet;

use super::source::Package;

/// Names that fit any content.
const VAGUE: &[&str] = &["more", "other", "own", "misc", "util"];

/// Returns the files and folders of a package with a name that fits any content.
pub fn vague(package: &Package) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for file in &package.files {
        let mut path = String::new();
        for part in file.path.split('/') {
            path = if path.is_empty() {
                part.to_owned()
            } else {
                format!("{path}/{part}")
            };
            if VAGUE.contains(&part.trim_end_matches(".rs")) {
                found.insert(path.clone());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::source::package;
    use super::*;

    #[test]
    fn vague_names_are_found_once() {
        let sources = [
            "src/more/a.rs",
            "src/more/b.rs",
            "src/a/own.rs",
            "src/known.rs",
        ];
        let x = package("x", "", &sources.map(|path| (path, "")));
        assert_eq!(
            vague(&x).into_iter().collect::<Vec<_>>(),
            ["crates/x/src/a/own.rs", "crates/x/src/more"]
        );
    }
}
