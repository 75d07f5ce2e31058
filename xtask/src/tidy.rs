//! Checks the rules of the project that a machine can check: which crate uses which.

use std::fs;
use std::path::Path;

/// The crates from the top down; each may use only what stands below it.
const LAYERS: &[&str] = &[
    "rise-ls", "ide", "db", "runtime", "codegen", "elevate", "dpia", "rise", "nat", "syntax",
];

/// Crates that stand beside each other: neither may use the other.
const APART: &[(&str, &str)] = &[("elevate", "dpia"), ("elevate", "codegen")];

/// What is against the rules below `root`, one line each.
pub fn findings(root: &Path) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    for (height, name) in LAYERS.iter().enumerate() {
        let manifest = root.join("crates").join(name).join("Cargo.toml");
        let text = fs::read_to_string(&manifest)
            .map_err(|error| format!("{}: {error}", manifest.display()))?;
        for used in dependencies(&text) {
            if let Some(below) = LAYERS.iter().position(|layer| *layer == used)
                && below <= height
            {
                found.push(format!(
                    "crate `{name}` uses `{used}`, which stands above it"
                ));
            }
            let apart =
                |(a, b): &(&str, &str)| (*a == *name && *b == used) || (*b == *name && *a == used);
            if APART.iter().any(apart) {
                found.push(format!(
                    "crate `{name}` uses `{used}`: they stand beside each other"
                ));
            }
            if used == "salsa" && *name != "db" {
                found.push(format!("crate `{name}` uses salsa: only `db` does"));
            }
            if matches!(used.as_str(), "lsp-types" | "tower-lsp" | "tokio") && *name != "rise-ls" {
                found.push(format!("crate `{name}` uses {used}: only `rise-ls` does"));
            }
        }
    }
    Ok(found)
}

/// The names in a manifest's `[dependencies]`.
fn dependencies(manifest: &str) -> Vec<String> {
    manifest
        .lines()
        .skip_while(|line| line.trim() != "[dependencies]")
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| {
            let name = line.split(['.', '=', ' ']).next()?.trim();
            (!name.is_empty() && !name.starts_with('#')).then(|| name.to_owned())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_depend_downwards_only() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        assert_eq!(findings(&root), Ok(Vec::new()));
    }

    #[test]
    fn dependencies_are_read() {
        let manifest = "[package]\nname = \"x\"\n\n[dependencies]\nnat.workspace = true\nsyntax = { path = \"y\" }\n\n[dev-dependencies]\ndb = \"1\"\n";
        assert_eq!(dependencies(manifest), ["nat", "syntax"]);
    }
}
