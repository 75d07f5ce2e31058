//! Checks that a package uses each of its dependencies, and that each dependency of the workspace
//! is used by a package.
//!
//! A dependency is used if its name is the first part of a path or is imported as a whole, anywhere
//! in the tokens of the sources that it is declared for.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};
use toml::{Table, Value};

use super::source::{File, Package, Role};

/// A dependency in a manifest.
#[derive(Debug, PartialEq, Eq)]
pub struct Dependency {
    pub name: String,
    pub kind: Kind,
}

/// The section of the manifest that declares a dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Normal,
    Build,
    Dev,
}

impl Kind {
    const ALL: [Kind; 3] = [Kind::Normal, Kind::Build, Kind::Dev];

    fn section(self) -> &'static str {
        match self {
            Kind::Normal => "dependencies",
            Kind::Build => "build-dependencies",
            Kind::Dev => "dev-dependencies",
        }
    }

    /// Returns true if code in `role` may use dependencies of this kind.
    fn serves(self, role: &Role) -> bool {
        match role {
            Role::Module(_) => self == Kind::Normal || self == Kind::Dev,
            Role::UnitTest | Role::Other => self == Kind::Dev,
            Role::Build => self == Kind::Build,
        }
    }
}

/// Returns the dependencies of a manifest, those for single platforms included.
pub fn dependencies(manifest: &Table) -> Vec<Dependency> {
    let platforms = manifest.get("target").and_then(Value::as_table);
    let tables = [manifest].into_iter().chain(
        platforms
            .into_iter()
            .flat_map(Table::values)
            .filter_map(Value::as_table),
    );
    tables
        .flat_map(|table| Kind::ALL.map(|kind| (table, kind)))
        .flat_map(|(table, kind)| {
            let names = table.get(kind.section()).and_then(Value::as_table);
            names
                .into_iter()
                .flat_map(Table::keys)
                .map(move |name| Dependency {
                    name: name.clone(),
                    kind,
                })
        })
        .collect()
}

/// Returns a message for each dependency of a package that its sources do not use.
pub fn findings(package: &Package) -> Vec<String> {
    dependencies(&package.manifest)
        .into_iter()
        .filter_map(|dependency| finding(package, &dependency))
        .collect()
}

fn finding(package: &Package, dependency: &Dependency) -> Option<String> {
    let name = dependency.name.replace('-', "_");
    let uses = |file: &&File| mentions(&file.tokens, &name);
    let served = |file: &&File| dependency.kind.serves(&file.role);
    if package.files.iter().filter(served).any(|file| uses(&file)) {
        return None;
    }
    let advice = match package.files.iter().find(uses) {
        Some(file) if file.role == Role::Build => "move it to `[build-dependencies]`".to_owned(),
        Some(_) if dependency.kind == Kind::Normal => {
            "only its tests do: move it to `[dev-dependencies]`".to_owned()
        }
        _ => "remove it".to_owned(),
    };
    Some(format!(
        "package `{}` does not use `{}` of its `[{}]`: {advice}",
        package.name,
        dependency.name,
        dependency.kind.section(),
    ))
}

/// Returns a message for each dependency of the workspace that no package declares.
pub fn in_workspace(manifest: &Table, packages: &[Package]) -> Vec<String> {
    let used: BTreeSet<String> = packages
        .iter()
        .flat_map(|package| dependencies(&package.manifest))
        .map(|dependency| dependency.name)
        .collect();
    let workspace = manifest.get("workspace");
    let declared = workspace
        .and_then(|workspace| workspace.get("dependencies"))
        .and_then(Value::as_table);
    declared
        .into_iter()
        .flat_map(Table::keys)
        .filter(|name| !used.contains(*name))
        .map(|name| format!("no package uses `{name}` of `[workspace.dependencies]`: remove it"))
        .collect()
}

/// Returns true if `name` starts a path in `tokens` or is imported as a whole.
fn mentions(tokens: &TokenStream, name: &str) -> bool {
    let mut open = vec![tokens.clone()];
    while let Some(stream) = open.pop() {
        let trees: Vec<TokenTree> = stream.into_iter().collect();
        for (at, tree) in trees.iter().enumerate() {
            match tree {
                TokenTree::Group(group) => open.push(group.stream()),
                TokenTree::Ident(ident) if ident == name && starts_path(&trees, at) => return true,
                _ => {}
            }
        }
    }
    false
}

/// Returns true if the identifier at `at` is followed by `::` or imported, and no other identifier
/// with `::` precedes it.
fn starts_path(trees: &[TokenTree], at: usize) -> bool {
    let colon =
        |at: usize| matches!(trees.get(at), Some(TokenTree::Punct(p)) if p.as_char() == ':');
    let word =
        |at: usize, word: &str| matches!(trees.get(at), Some(TokenTree::Ident(i)) if i == word);
    let inner = at >= 2
        && colon(at - 1)
        && colon(at - 2)
        && matches!(
            at.checked_sub(3).and_then(|at| trees.get(at)),
            Some(TokenTree::Ident(_))
        );
    let imported = at >= 1 && (word(at - 1, "use") || word(at - 1, "crate"));
    !inner && (imported || (colon(at + 1) && colon(at + 2)))
}

#[cfg(test)]
mod tests {
    use super::super::source::package;
    use super::*;

    #[test]
    fn unused_dependencies_are_found() {
        let manifest = "[dependencies]\na-b = \"1\"\nc = \"1\"\nd = \"1\"\n\
                        [dev-dependencies]\ne = \"1\"\nf = \"1\"\n\
                        [build-dependencies]\ng = \"1\"\nh = \"1\"";
        let sources = &[
            (
                "src/lib.rs",
                "use a_b::X; fn c() { crate::c::x(); c(); }\n#[cfg(test)] mod t { use f as _; }",
            ),
            ("tests/it.rs", "fn f() { assert!(d::x()) }"),
            ("build.rs", "fn main() { g::run() }"),
        ];
        assert_eq!(
            findings(&package("x", manifest, sources)),
            [
                "package `x` does not use `c` of its `[dependencies]`: remove it",
                "package `x` does not use `d` of its `[dependencies]`: only its tests do: move it to `[dev-dependencies]`",
                "package `x` does not use `h` of its `[build-dependencies]`: remove it",
                "package `x` does not use `e` of its `[dev-dependencies]`: remove it",
            ]
        );
    }

    #[test]
    fn unused_dependencies_of_the_workspace_are_found() {
        let manifest = "[workspace.dependencies]\na = \"1\"\nb = \"1\""
            .parse()
            .expect("it is TOML");
        let x = package("x", "[dependencies]\na.workspace = true", &[]);
        assert_eq!(
            in_workspace(&manifest, &[x]),
            ["no package uses `b` of `[workspace.dependencies]`: remove it"]
        );
    }
}
