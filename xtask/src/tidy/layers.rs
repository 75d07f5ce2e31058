//! Checks that a crate only uses crates below it, and no package that is reserved for another
//! crate.

use super::source::Package;
use super::unused::{Kind, dependencies};

/// The crates from the top down; each may use only what stands below it.
const LAYERS: &[&str] = &[
    "rise-ls", "ide", "db", "runtime", "codegen", "elevate", "dpia", "rise", "nat", "syntax",
];

/// Crates that stand beside each other: neither may use the other.
const APART: &[(&str, &str)] = &[("elevate", "dpia"), ("elevate", "codegen")];

/// Packages that a single crate may use, with that crate.
const RESERVED: &[(&str, &str)] = &[
    ("salsa", "db"),
    ("lsp-types", "rise-ls"),
    ("tower-lsp", "rise-ls"),
    ("tokio", "rise-ls"),
];

/// Returns a message for each dependency of a crate that is against the order of the crates, or is
/// reserved for another crate.
pub fn findings(package: &Package) -> Vec<String> {
    if !package.layered {
        return Vec::new();
    }
    let name = package.name.as_str();
    let Some(height) = LAYERS.iter().position(|layer| *layer == name) else {
        return vec![format!(
            "crate `{name}` has no place in the order of the crates: add it to `LAYERS` in xtask"
        )];
    };
    let used = dependencies(&package.manifest);
    used.iter()
        .filter(|used| used.kind == Kind::Normal)
        .filter_map(|used| against(name, height, &used.name))
        .collect()
}

fn against(name: &str, height: usize, used: &str) -> Option<String> {
    let layer = LAYERS.iter().position(|layer| *layer == used);
    if layer.is_some_and(|layer| layer <= height) {
        return Some(format!(
            "crate `{name}` uses `{used}`, which stands above it"
        ));
    }
    let apart = |(a, b): &(&str, &str)| (*a == name && *b == used) || (*b == name && *a == used);
    if APART.iter().any(apart) {
        return Some(format!(
            "crate `{name}` uses `{used}`: they stand beside each other"
        ));
    }
    let (_, only) = RESERVED.iter().find(|(package, _)| *package == used)?;
    (*only != name).then(|| format!("crate `{name}` uses {used}: only `{only}` does"))
}

#[cfg(test)]
mod tests {
    use super::super::source::package;
    use super::*;

    fn of(name: &str, manifest: &str) -> Vec<String> {
        findings(&package(name, manifest, &[]))
    }

    #[test]
    fn dependencies_point_downwards() {
        assert!(of("db", "[dependencies]\nsalsa = \"1\"\nnat.workspace = true").is_empty());
        assert_eq!(
            of("rise", "[dependencies]\ndpia = { path = \"../dpia\" }"),
            ["crate `rise` uses `dpia`, which stands above it"]
        );
        assert_eq!(
            of("elevate", "[target.'cfg(unix)'.dependencies]\ndpia = \"1\""),
            ["crate `elevate` uses `dpia`: they stand beside each other"]
        );
        assert_eq!(
            of("ide", "[dependencies]\ntokio = \"1\""),
            ["crate `ide` uses tokio: only `rise-ls` does"]
        );
    }

    #[test]
    fn tests_may_use_crates_above() {
        assert!(of("runtime", "[dev-dependencies]\ndb = \"1\"").is_empty());
    }

    #[test]
    fn a_new_crate_needs_a_place() {
        assert_eq!(of("brand-new", "").len(), 1);
    }
}
