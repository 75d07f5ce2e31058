//! The known exceptions to the rules, which may only become fewer.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::modules::{Graph, quoted};
use super::source::Package;

const FILE: &str = "xtask/tidy-debt.txt";

const HEADER: &str = "\
# Known exceptions to the rules of `cargo xtask tidy`. The list may only become shorter:
# `cargo xtask tidy --update` takes out what is gone.
#
# cycle CRATE: the top-level modules that depend on each other
# docs CRATE: the number of doc comments whose first sentence has no main clause
# name: a file or folder whose name fits any content
";

/// Exceptions, found or listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Debt {
    /// Crates with sets of modules.
    pub cycles: BTreeSet<(String, BTreeSet<String>)>,
    /// The number of doc comments by crate.
    pub docs: BTreeMap<String, usize>,
    /// Paths of files and folders.
    pub names: BTreeSet<String>,
}

impl Debt {
    fn parse_sorted(text: &str) -> Result<Debt, String> {
        let debt = Debt::parse(text)?;
        match debt.print() == text {
            true => Ok(debt),
            false => Err(format!(
                "{FILE}: not sorted: run `cargo xtask tidy --update`"
            )),
        }
    }

    /// Parses a list in any order.
    fn parse(text: &str) -> Result<Debt, String> {
        let mut debt = Debt::default();
        for (at, line) in text.lines().enumerate() {
            if line.starts_with('#') || line.trim().is_empty() {
                continue;
            }
            debt.add(line)
                .ok_or_else(|| format!("{FILE}:{}: cannot be read: {line}", at + 1))?;
        }
        Ok(debt)
    }

    fn add(&mut self, line: &str) -> Option<()> {
        let (subject, rest) = line.split_once(": ")?;
        match subject.split_once(' ') {
            Some(("cycle", name)) => {
                let modules = rest.split(' ').map(str::to_owned).collect();
                self.cycles.insert((name.to_owned(), modules));
            }
            Some(("docs", name)) => _ = self.docs.insert(name.to_owned(), rest.parse().ok()?),
            None if subject == "name" => _ = self.names.insert(rest.to_owned()),
            _ => return None,
        }
        Some(())
    }

    fn print(&self) -> String {
        let cycles = self.cycles.iter().map(|(name, modules)| {
            let modules: Vec<&str> = modules.iter().map(String::as_str).collect();
            format!("cycle {name}: {}\n", modules.join(" "))
        });
        let docs = self.docs.iter();
        let docs = docs.map(|(name, count)| format!("docs {name}: {count}\n"));
        let names = self.names.iter().map(|path| format!("name: {path}\n"));
        [HEADER.to_owned()]
            .into_iter()
            .chain(cycles)
            .chain(docs)
            .chain(names)
            .collect()
    }

    fn allows_cycle(&self, name: &str, modules: &BTreeSet<String>) -> bool {
        let mut listed = self.cycles.iter();
        listed.any(|(listed, all)| listed == name && modules.is_subset(all))
    }
}

/// Reads the list.
pub fn read(root: &Path) -> Result<Debt, String> {
    Debt::parse_sorted(&text(root)?)
}

fn text(root: &Path) -> Result<String, String> {
    fs::read_to_string(root.join(FILE)).map_err(|error| format!("{FILE}: {error}"))
}

/// Removes from the list what is no longer found, and sorts it. What is found and not listed stays a
/// finding.
pub fn update(root: &Path, found: &Debt) -> Result<(), String> {
    let new = shorter(found, &Debt::parse(&text(root)?)?);
    fs::write(root.join(FILE), new.print()).map_err(|error| format!("{FILE}: {error}"))
}

/// Returns what is found and listed.
fn shorter(found: &Debt, listed: &Debt) -> Debt {
    let mut new = found.clone();
    new.cycles
        .retain(|(name, modules)| listed.allows_cycle(name, modules));
    new.docs.retain(|name, _| listed.docs.contains_key(name));
    for (name, count) in &mut new.docs {
        *count = listed.docs[name].min(*count);
    }
    new.names.retain(|path| listed.names.contains(path));
    new
}

/// Returns what is found and not listed, and what is listed and no longer found.
pub fn findings(found: &Debt, listed: &Debt, packages: &[Package]) -> Vec<String> {
    let mut messages = Vec::new();
    for (name, modules) in &found.cycles {
        if !listed.allows_cycle(name, modules) {
            messages.extend(new_cycle(name, modules, listed, packages));
        }
    }
    for (name, count) in &found.docs {
        let allowed = listed.docs.get(name).copied().unwrap_or(0);
        if *count > allowed {
            messages.push(format!(
                "crate `{name}`: {count} doc comments whose first sentence has no main clause, at \
                 most {allowed} are allowed: `cargo xtask tidy --docs {name}` lists them"
            ));
        }
    }
    for path in found.names.difference(&listed.names) {
        messages.push(format!(
            "{path}: the name fits any content: name what is in it"
        ));
    }
    if shorter(found, listed) != *listed {
        messages.push(format!(
            "{FILE} lists more than there is: run `cargo xtask tidy --update`"
        ));
    }
    messages
}

/// Describes the shortest cycle through a module that is in no listed cycle, or through the first
/// module if there is none.
fn new_cycle(
    name: &str,
    modules: &BTreeSet<String>,
    listed: &Debt,
    packages: &[Package],
) -> Option<String> {
    let known: BTreeSet<&String> = listed
        .cycles
        .iter()
        .filter(|(listed, _)| listed == name)
        .flat_map(|(_, modules)| modules)
        .collect();
    let new = modules.iter().find(|module| !known.contains(module));
    let package = packages
        .iter()
        .find(|package| package.layered && package.name == name)?;
    let described = Graph::of(package).describe(new.or(modules.first())?);
    let all = quoted(modules.iter().map(String::as_str));
    Some(format!("{described}\n  (all modules of the cycle: {all})"))
}

#[cfg(test)]
mod tests {
    use super::super::source::package;
    use super::*;

    fn debt(lines: &[&str]) -> Debt {
        let mut debt = Debt::default();
        for line in lines {
            debt.add(line).expect("the line can be read");
        }
        debt
    }

    fn two_modules() -> [Package; 1] {
        let sources = &[
            ("src/lib.rs", "mod a; mod b;"),
            ("src/a.rs", "use crate::b::X;"),
            ("src/b.rs", "use crate::a::Y;"),
        ];
        [package("x", "", sources)]
    }

    #[test]
    fn what_is_listed_is_allowed() {
        let listed = debt(&["cycle x: a b", "docs x: 2", "name: crates/x/src/more.rs"]);
        assert_eq!(Debt::parse_sorted(&listed.print()), Ok(listed.clone()));
        assert!(findings(&listed, &listed, &two_modules()).is_empty());
    }

    #[test]
    fn what_is_not_listed_is_found() {
        let found = debt(&["cycle x: a b", "docs x: 2", "name: crates/x/src/more.rs"]);
        let listed = debt(&["docs x: 1"]);
        let messages = findings(&found, &listed, &two_modules());
        assert_eq!(
            messages,
            [
                "crate `x`: its modules `a` and `b` depend on each other in a cycle:\n    \
                 `a` uses `b` (crates/x/src/a.rs:1)\n    \
                 `b` uses `a` (crates/x/src/b.rs:1)\n  \
                 (all modules of the cycle: `a` and `b`)",
                "crate `x`: 2 doc comments whose first sentence has no main clause, at most 1 are \
                 allowed: `cargo xtask tidy --docs x` lists them",
                "crates/x/src/more.rs: the name fits any content: name what is in it",
            ]
        );
        assert_eq!(shorter(&found, &listed), listed);
    }

    #[test]
    fn what_is_gone_must_leave_the_list() {
        let listed = debt(&["cycle x: a b c", "docs x: 2", "name: crates/x/src/more.rs"]);
        let found = debt(&["cycle x: a b", "docs x: 1"]);
        assert_eq!(
            findings(&found, &listed, &two_modules()),
            ["xtask/tidy-debt.txt lists more than there is: run `cargo xtask tidy --update`"]
        );
        assert_eq!(shorter(&found, &listed), found);
    }

    #[test]
    fn an_unsorted_list_is_rejected() {
        let text = format!("{HEADER}docs y: 1\ndocs x: 1\n");
        assert!(Debt::parse_sorted(&text).is_err());
    }

    #[test]
    fn an_update_sorts_the_list() {
        let root = std::env::temp_dir().join(format!("tidy-debt-{}", std::process::id()));
        fs::create_dir_all(root.join("xtask")).expect("a folder can be made");
        let lines = "docs y: 1\ndocs z: 1\ndocs x: 1\n";
        fs::write(root.join(FILE), lines).expect("a file can be written");
        let found = debt(&["docs x: 1", "docs y: 1"]);
        let updated = update(&root, &found).and_then(|()| read(&root));
        fs::remove_dir_all(&root).expect("the folder can be removed");
        assert_eq!(updated, Ok(found));
    }
}
