//! Checks the rules of the project that a machine can check, one module per rule.
//!
//! Three rules, on cycles of modules, on doc comments and on names, have known exceptions. They are
//! listed in `xtask/tidy-debt.txt`, and this list may only become shorter.

mod debt;
mod docs;
mod figures;
mod layers;
mod lines;
mod modules;
mod names;
mod source;
mod targets;
mod unused;

use std::path::Path;

use clap::Args;

use debt::Debt;
use source::Package;

#[derive(Args)]
pub struct Options {
    /// Print what the rules measure, crate by crate.
    #[arg(long)]
    figures: bool,
    /// List the doc comments of a crate whose first sentence has no main clause.
    #[arg(long, value_name = "CRATE")]
    docs: Option<String>,
    /// Take what is gone from the list of known exceptions.
    #[arg(long)]
    update: bool,
}

/// Checks the project in `root`, or prints what `options` ask for.
pub fn run(root: &Path, options: &Options) -> Result<(), String> {
    let packages = source::workspace(root)?;
    if options.figures {
        print!("{}", figures::table(&packages));
    }
    if let Some(name) = &options.docs {
        list_docs(&packages, name)?;
    }
    if options.update {
        debt::update(root, &measured(&packages))?;
    }
    match findings(root, &packages)?.as_slice() {
        [] => Ok(()),
        findings => Err(findings.join("\n")),
    }
}

fn list_docs(packages: &[Package], name: &str) -> Result<(), String> {
    let package = packages
        .iter()
        .find(|package| package.layered && package.name == name)
        .ok_or_else(|| format!("there is no crate `{name}` in `crates`"))?;
    for fragment in docs::fragments(package) {
        println!("{fragment}");
    }
    Ok(())
}

/// Returns what is against the rules, one message each.
fn findings(root: &Path, packages: &[Package]) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    for package in packages {
        found.extend(layers::findings(package));
        found.extend(unused::findings(package));
    }
    found.extend(unused::in_workspace(
        &source::manifest(&root.join("Cargo.toml"))?,
        packages,
    ));
    let listed = debt::read(root)?;
    found.extend(debt::findings(&measured(packages), &listed, packages));
    Ok(found)
}

/// Returns what breaks the rules that allow known exceptions.
fn measured(packages: &[Package]) -> Debt {
    let mut debt = Debt::default();
    for package in packages.iter().filter(|package| package.layered) {
        for cycle in modules::Graph::of(package).cycles() {
            debt.cycles.insert((package.name.clone(), cycle));
        }
        let fragments = docs::fragments(package).len();
        if fragments > 0 {
            debt.docs.insert(package.name.clone(), fragments);
        }
        debt.names.extend(names::vague(package));
    }
    debt
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_project_is_tidy() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let packages = source::workspace(&root).expect("the project can be read");
        assert_eq!(findings(&root, &packages), Ok(Vec::new()));
    }
}
