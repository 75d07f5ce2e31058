//! Checks that the top-level modules of a crate form no dependency cycle.
//!
//! A module depends on another if a path or an import in it names the other, or something that the
//! root of the crate imports from the other. The root itself is no module, because it joins them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};

use super::source::{File, Package, Role};

/// The dependencies between the top-level modules of a crate, each with an example.
pub struct Graph {
    crate_name: String,
    uses: BTreeMap<String, BTreeMap<String, String>>,
}

impl Graph {
    /// Reads the dependencies of the code that is not for tests.
    pub fn of(package: &Package) -> Graph {
        let root = Root::of(package);
        let mut uses: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
        for file in &package.files {
            let Role::Module(module) = &file.role else {
                continue;
            };
            for (from, name, line) in references(file, module) {
                for to in root.modules_of(&name) {
                    if *to != from && root.modules.contains(&from) {
                        uses.entry(from.clone())
                            .or_default()
                            .entry(to.clone())
                            .or_insert_with(|| format!("{}:{line}", file.path));
                    }
                }
            }
        }
        Graph {
            crate_name: package.name.clone(),
            uses,
        }
    }

    /// Returns the strongly connected components of more than one module.
    pub fn cycles(&self) -> BTreeSet<BTreeSet<String>> {
        let reached: BTreeMap<&String, BTreeSet<&String>> = self
            .uses
            .keys()
            .map(|from| (from, self.reached(from)))
            .collect();
        let mutual =
            |from: &String, to: &String| reached.get(to).is_some_and(|set| set.contains(from));
        reached
            .iter()
            .filter(|(from, set)| set.contains(*from))
            .map(|(from, set)| {
                let others = set.iter().filter(|to| mutual(from, to));
                others.map(|to| (*to).clone()).collect()
            })
            .collect()
    }

    fn reached<'a>(&'a self, from: &'a String) -> BTreeSet<&'a String> {
        let mut found = BTreeSet::new();
        let mut open = vec![from];
        while let Some(module) = open.pop() {
            for to in self.uses.get(module).into_iter().flat_map(BTreeMap::keys) {
                if found.insert(to) {
                    open.push(to);
                }
            }
        }
        found
    }

    /// Describes the shortest cycle through `module`, each of its edges with an example.
    pub fn describe(&self, module: &str) -> String {
        let cycle = self.shortest(module);
        let mut text = format!(
            "crate `{}`: its modules {} depend on each other in a cycle:",
            self.crate_name,
            quoted(cycle.iter().map(|(from, _)| from.as_str())),
        );
        for (from, to) in cycle {
            let example = &self.uses[&from][&to];
            _ = write!(text, "\n    `{from}` uses `{to}` ({example})");
        }
        text
    }

    /// Returns the edges of the shortest way from `module` back to itself.
    fn shortest(&self, module: &str) -> Vec<(String, String)> {
        let mut before: BTreeMap<&str, &str> = BTreeMap::new();
        let mut level = vec![module];
        while !level.is_empty() && !before.contains_key(module) {
            let mut next = Vec::new();
            for from in level {
                for to in self.uses.get(from).into_iter().flat_map(BTreeMap::keys) {
                    before.entry(to).or_insert_with(|| {
                        next.push(to.as_str());
                        from
                    });
                }
            }
            level = next;
        }
        let mut edges = Vec::new();
        let mut to = module;
        while let Some(from) = before.get(to) {
            edges.push(((*from).to_owned(), to.to_owned()));
            to = from;
            if to == module {
                break;
            }
        }
        edges.reverse();
        edges
    }
}

/// Joins names for a message.
pub fn quoted<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match names.as_slice() {
        [all @ .., last] if !all.is_empty() => format!("{} and {last}", all.join(", ")),
        _ => names.concat(),
    }
}

/// The top-level modules of a crate, and the names that its root imports from them.
struct Root {
    modules: BTreeSet<String>,
    imported: BTreeMap<String, BTreeSet<String>>,
}

impl Root {
    fn of(package: &Package) -> Root {
        let mut root = Root {
            modules: BTreeSet::new(),
            imported: BTreeMap::new(),
        };
        let files = package.files.iter();
        let roots = files.filter(|file| file.role == Role::Module(Vec::new()));
        let items: Vec<&syn::Item> = roots.flat_map(|file| &file.syntax.items).collect();
        for item in &items {
            if let syn::Item::Mod(item) = item {
                root.modules.insert(item.ident.to_string());
            }
        }
        for item in &items {
            if let syn::Item::Use(item) = item {
                root.import(&item.tree, &mut Vec::new());
            }
        }
        root
    }

    fn import(&mut self, tree: &syn::UseTree, prefix: &mut Vec<String>) {
        let (last, name) = match tree {
            syn::UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.import(&path.tree, prefix);
                prefix.pop();
                return;
            }
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, prefix);
                }
                return;
            }
            syn::UseTree::Name(name) => (name.ident.to_string(), name.ident.to_string()),
            syn::UseTree::Rename(name) => (name.ident.to_string(), name.rename.to_string()),
            syn::UseTree::Glob(_) => (String::new(), "*".to_owned()),
        };
        let path = prefix.iter().cloned().chain([last]);
        let first = path
            .into_iter()
            .find(|part| part != "self" && part != "crate");
        if let Some(first) = first
            && self.modules.contains(&first)
        {
            self.imported.entry(name).or_default().insert(first);
        }
    }

    /// Returns the modules that `name` in the root of the crate can come from.
    fn modules_of<'a>(&'a self, name: &'a String) -> impl Iterator<Item = &'a String> {
        let module = self.modules.get(name);
        let imported = match module {
            Some(_) => None,
            None => self.imported.get(name).or_else(|| self.imported.get("*")),
        };
        module.into_iter().chain(imported.into_iter().flatten())
    }
}

/// Returns the names in the root of the crate that a file's code refers to, each with the
/// top-level module that the code is in, and its line.
fn references(file: &File, module: &[String]) -> Vec<(String, String, usize)> {
    let mut visitor = References {
        file,
        module: module.to_vec(),
        found: Vec::new(),
    };
    visitor.visit_file(&file.syntax);
    visitor.found
}

struct References<'a> {
    file: &'a File,
    module: Vec<String>,
    found: Vec<(String, String, usize)>,
}

impl References<'_> {
    /// Records a path if it starts with `crate`, `self` or `super`, and is not in code for tests.
    fn path(&mut self, segments: &[String], span: Span) {
        let line = span.start().line;
        let Some(from) = self.module.first() else {
            return;
        };
        if !self.file.is_production(line) {
            return;
        }
        if let Some(name) = name_in_root(&self.module, segments) {
            self.found.push((from.clone(), name, line));
        }
    }

    fn import(&mut self, tree: &syn::UseTree, prefix: &mut Vec<String>) {
        let ident = match tree {
            syn::UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.import(&path.tree, prefix);
                prefix.pop();
                return;
            }
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, prefix);
                }
                return;
            }
            syn::UseTree::Name(name) => &name.ident,
            syn::UseTree::Rename(name) => &name.ident,
            syn::UseTree::Glob(glob) => {
                let span = glob.star_token.spans[0];
                prefix.push("*".to_owned());
                self.path(prefix, span);
                prefix.pop();
                return;
            }
        };
        prefix.push(ident.to_string());
        self.path(prefix, ident.span());
        prefix.pop();
    }
}

/// Returns the name in the root of the crate that a path in `module` goes through.
fn name_in_root(module: &[String], segments: &[String]) -> Option<String> {
    let mut position = match segments.first()?.as_str() {
        "crate" => Vec::new(),
        "self" | "super" => module.to_vec(),
        _ => return None,
    };
    for segment in segments {
        match segment.as_str() {
            "crate" | "self" => {}
            "super" => _ = position.pop(),
            name => {
                position.push(name.to_owned());
                break;
            }
        }
    }
    position.into_iter().next()
}

impl<'ast> Visit<'ast> for References<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.module.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.import(&item.tree, &mut Vec::new());
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments = path.segments.iter();
        let names: Vec<String> = segments.map(|segment| segment.ident.to_string()).collect();
        if let Some(first) = path.segments.first() {
            self.path(&names, first.ident.span());
        }
        visit::visit_path(self, path);
    }

    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}

    /// Reads the arguments of macros like `format!`. What is no list of expressions is skipped.
    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        visit::visit_macro(self, call);
        let list = Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
        if let Ok(arguments) = call.parse_body_with(list) {
            for argument in &arguments {
                // The visitor borrows the tree that it visits for as long as it lives.
                let mut inner = References {
                    file: self.file,
                    module: self.module.clone(),
                    found: Vec::new(),
                };
                inner.visit_expr(argument);
                self.found.append(&mut inner.found);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::source::package;
    use super::*;

    fn cycles(sources: &[(&str, &str)]) -> Vec<String> {
        let graph = Graph::of(&package("x", "", sources));
        let cycles = graph.cycles();
        let mut found = Vec::new();
        for cycle in &cycles {
            found.push(graph.describe(cycle.first().expect("a cycle has modules")));
        }
        found
    }

    #[test]
    fn cycles_are_described_by_their_shortest_way() {
        let found = cycles(&[
            ("src/lib.rs", "mod a; mod b; mod c; mod d;"),
            (
                "src/a.rs",
                "use crate::b::f;\nuse super::{c::{self, g}, d};",
            ),
            ("src/b.rs", "mod inner;"),
            (
                "src/b/inner.rs",
                "fn f() {\n    vec![super::super::c::G];\n}",
            ),
            ("src/c.rs", "fn f() {\n    use crate::{a::h};\n}"),
            ("src/d.rs", ""),
        ]);
        assert_eq!(
            found,
            [
                "crate `x`: its modules `a` and `c` depend on each other in a cycle:\n    \
              `a` uses `c` (crates/x/src/a.rs:2)\n    \
              `c` uses `a` (crates/x/src/c.rs:2)"
            ]
        );
        let graph = Graph::of(&package(
            "x",
            "",
            &[
                ("src/lib.rs", "mod a; mod b; mod c;"),
                ("src/a.rs", "use crate::b::f;"),
                ("src/b.rs", "fn f(_: crate::c::T) {}"),
                ("src/c.rs", "impl super::a::U for T {}"),
            ],
        ));
        let all = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(graph.cycles(), BTreeSet::from([BTreeSet::from(all)]));
    }

    #[test]
    fn imports_of_the_root_lead_to_their_modules() {
        let found = cycles(&[
            (
                "src/lib.rs",
                "mod a; mod b;\npub use a::{F as G};\npub use self::b::T;",
            ),
            ("src/a.rs", "use crate::T;"),
            ("src/b.rs", "type U = crate::G;"),
        ]);
        assert_eq!(found.len(), 1, "{found:?}");
        let other_name = cycles(&[
            (
                "src/lib.rs",
                "mod a; mod b;\npub use a::{F as G};\npub use self::b::T;",
            ),
            ("src/a.rs", "use crate::T;"),
            ("src/b.rs", "type U = crate::F;"),
        ]);
        assert!(other_name.is_empty(), "{other_name:?}");
    }

    #[test]
    fn tests_and_visibilities_make_no_cycle() {
        let found = cycles(&[
            ("src/lib.rs", "mod a; mod b;"),
            ("src/a.rs", "use crate::b::F;\n#[cfg(test)]\nmod tests;"),
            ("src/a/tests.rs", "use crate::b::F;"),
            (
                "src/b.rs",
                "pub(in crate::a) struct F;\n#[cfg(test)]\nmod tests { use crate::a; }",
            ),
        ]);
        assert!(found.is_empty(), "{found:?}");
    }
}
