//! The packages of the workspace with their parsed sources.

use std::collections::BTreeMap;
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use proc_macro2::TokenStream;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// A package of the workspace.
pub struct Package {
    pub name: String,
    /// True for the packages in `crates`, which are layered and have to keep all rules.
    pub layered: bool,
    pub manifest: toml::Table,
    pub files: Vec<File>,
}

/// A parsed Rust file.
pub struct File {
    /// The path from the root of the project, with `/` between its parts.
    pub path: String,
    pub role: Role,
    pub tokens: TokenStream,
    pub syntax: syn::File,
    tests: Vec<RangeInclusive<usize>>,
}

/// The part of a package that a file belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// A module of the library or program, with its path from the root of the crate.
    Module(Vec<String>),
    /// A module that is compiled for unit tests only.
    UnitTest,
    /// A build script.
    Build,
    /// An integration test, an example or a benchmark.
    Other,
}

impl File {
    /// Returns true if the code on `line` is part of the library or program, not of its tests.
    pub fn is_production(&self, line: usize) -> bool {
        matches!(self.role, Role::Module(_)) && !self.tests.iter().any(|test| test.contains(&line))
    }
}

/// Reads every package of the workspace in `root`.
pub fn workspace(root: &Path) -> Result<Vec<Package>, String> {
    let table = manifest(&root.join("Cargo.toml"))?;
    let members = table
        .get("workspace")
        .and_then(|workspace| workspace.get("members"))
        .and_then(toml::Value::as_array)
        .ok_or("Cargo.toml: the workspace has no `members`")?;
    let mut packages = Vec::new();
    for member in members.iter().filter_map(toml::Value::as_str) {
        for directory in expand(root, member)? {
            packages.push(read(root, &directory)?);
        }
    }
    Ok(packages)
}

/// Reads a `Cargo.toml`.
pub fn manifest(path: &Path) -> Result<toml::Table, String> {
    text(path)?
        .parse()
        .map_err(|error| format!("{}: {error}", path.display()))
}

fn text(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Returns the folders that an entry of `members` stands for. A `*` may be at its end.
fn expand(root: &Path, member: &str) -> Result<Vec<PathBuf>, String> {
    let Some(start) = member.strip_suffix('*') else {
        return Ok(vec![root.join(member)]);
    };
    let (folder, prefix) = start.rsplit_once('/').unwrap_or(("", start));
    let mut found: Vec<PathBuf> = entries(&root.join(folder))?
        .into_iter()
        .filter(|path| {
            path.join("Cargo.toml").is_file()
                && path
                    .file_name()
                    .is_some_and(|name| name.to_string_lossy().starts_with(prefix))
        })
        .collect();
    found.sort();
    Ok(found)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    fs::read_dir(folder)
        .and_then(|entries| {
            entries
                .map(|entry| entry.map(|entry| entry.path()))
                .collect()
        })
        .map_err(|error| format!("{}: {error}", folder.display()))
}

fn read(root: &Path, directory: &Path) -> Result<Package, String> {
    let manifest = manifest(&directory.join("Cargo.toml"))?;
    let mut found = Vec::new();
    let mut folders = vec![directory.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in entries(&folder)? {
            let skipped = path.ends_with("target") || path.ends_with("node_modules");
            if path.is_dir() && !skipped && !path.join("Cargo.toml").is_file() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let tests = manifest.get("test").and_then(toml::Value::as_array);
    for test in tests.into_iter().flatten() {
        if let Some(path) = test.get("path").and_then(toml::Value::as_str) {
            found.extend(modules_beside(&directory.join(path))?);
        }
    }
    let mut sources = BTreeMap::new();
    while let Some(path) = found.pop() {
        let text = text(&path)?;
        let named = text
            .lines()
            .filter_map(|line| line.trim().strip_prefix("#[path = \"")?.strip_suffix("\"]"));
        for shared in named.filter(|path| path.starts_with("../")) {
            found.extend(modules_beside(&path.with_file_name(shared))?);
        }
        sources.insert(relative(root, &path), text);
    }
    Package::parse(&relative(root, directory), manifest, sources)
}

/// Returns the file at `main`. If it is a `main.rs` or `mod.rs`, also returns the other Rust files
/// in its folder.
fn modules_beside(main: &Path) -> Result<Vec<PathBuf>, String> {
    if !main.ends_with("main.rs") && !main.ends_with("mod.rs") {
        return Ok(vec![main.to_owned()]);
    }
    let mut found = entries(main.parent().unwrap_or(main))?;
    found.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    Ok(found)
}

/// Returns the path from `root` with `/` between its parts and without `..`.
fn relative(root: &Path, path: &Path) -> String {
    let mut parts: Vec<String> = Vec::new();
    for part in path.strip_prefix(root).unwrap_or(path) {
        match part.to_string_lossy() {
            name if name == ".." => _ = parts.pop(),
            name => parts.push(name.into_owned()),
        }
    }
    parts.join("/")
}

impl Package {
    /// Parses `sources`, which are paths from the root of the project and their texts.
    pub fn parse(
        directory: &str,
        manifest: toml::Table,
        sources: BTreeMap<String, String>,
    ) -> Result<Package, String> {
        let mut files = Vec::new();
        for (path, text) in &sources {
            files.push(file(path, text).map_err(|error| format!("{path}: {error}"))?);
        }
        let name = manifest
            .get("package")
            .and_then(|package| package.get("name"))
            .and_then(toml::Value::as_str)
            .unwrap_or(directory)
            .to_owned();
        let mut package = Package {
            name,
            layered: directory.starts_with("crates/"),
            manifest,
            files,
        };
        package.find_modules(directory);
        Ok(package)
    }

    /// Sets the roles of the files by following the `mod` items from the roots of the crate. The
    /// manifest may name the library and the build script.
    fn find_modules(&mut self, directory: &str) {
        let build = self.path_of("package", "build").unwrap_or("build.rs");
        let build = format!("{directory}/{build}");
        let library = self.path_of("lib", "path").unwrap_or("src/lib.rs");
        let mut open: Vec<(String, Role)> = [library, "src/main.rs"]
            .map(|root| (format!("{directory}/{root}"), Role::Module(Vec::new())))
            .into();
        for file in self.files.iter_mut().filter(|file| file.path == build) {
            file.role = Role::Build;
        }
        while let Some((path, role)) = open.pop() {
            let Some(file) = self.files.iter_mut().find(|file| file.path == path) else {
                continue;
            };
            file.role = role.clone();
            let folder = child_folder(&path);
            declared(
                &file.syntax.items,
                &Place {
                    file: &path,
                    folder,
                    role,
                },
                &mut open,
            );
        }
    }

    fn path_of(&self, section: &str, key: &str) -> Option<&str> {
        self.manifest.get(section)?.get(key)?.as_str()
    }
}

/// Returns the folder of the modules that the file at `path` declares.
fn child_folder(path: &str) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    match name {
        "lib.rs" | "main.rs" | "mod.rs" => folder.to_owned(),
        _ => path.trim_end_matches(".rs").to_owned(),
    }
}

/// A module that declares others.
struct Place<'a> {
    file: &'a str,
    folder: String,
    role: Role,
}

impl Place<'_> {
    fn child(&self, name: &str, test: bool) -> Role {
        match &self.role {
            Role::Module(path) if !test => {
                Role::Module(path.iter().cloned().chain([name.to_owned()]).collect())
            }
            _ => Role::UnitTest,
        }
    }
}

/// Adds the files that the `mod` items of `items` may be in.
fn declared(items: &[syn::Item], place: &Place<'_>, open: &mut Vec<(String, Role)>) {
    for item in items {
        let syn::Item::Mod(item) = item else { continue };
        let name = item.ident.to_string();
        let role = place.child(&name, item.attrs.iter().any(is_test));
        let folder = format!("{}/{name}", place.folder);
        match (&item.content, path_attribute(&item.attrs)) {
            (Some((_, items)), _) => {
                let file = place.file;
                declared(items, &Place { file, folder, role }, open);
            }
            (None, Some(path)) => {
                let parent = place.file.rsplit_once('/').map_or("", |(parent, _)| parent);
                open.push((format!("{parent}/{path}"), role));
            }
            (None, None) => {
                open.push((format!("{folder}.rs"), role.clone()));
                open.push((format!("{folder}/mod.rs"), role));
            }
        }
    }
}

fn path_attribute(attributes: &[syn::Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| {
        let syn::Meta::NameValue(pair) = &attribute.meta else {
            return None;
        };
        match &pair.value {
            syn::Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Str(text),
                ..
            }) if pair.path.is_ident("path") => Some(text.value()),
            _ => None,
        }
    })
}

fn file(path: &str, text: &str) -> Result<File, String> {
    let tokens: TokenStream = text.parse().map_err(|error| format!("{error}"))?;
    let syntax: syn::File = syn::parse2(tokens.clone()).map_err(|error| {
        let place = error.span().start();
        format!("line {}: {error}", place.line)
    })?;
    let mut tests = Tests(Vec::new());
    tests.visit_file(&syntax);
    Ok(File {
        path: path.to_owned(),
        role: Role::Other,
        tokens,
        syntax,
        tests: tests.0,
    })
}

/// Collects the lines of the items that are compiled for tests only.
struct Tests(Vec<RangeInclusive<usize>>);

impl<'ast> Visit<'ast> for Tests {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if attributes(item).iter().any(is_test) {
            let span = item.span();
            self.0.push(span.start().line..=span.end().line);
        } else {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if item.attrs.iter().any(is_test) {
            let span = item.span();
            self.0.push(span.start().line..=span.end().line);
        } else {
            visit::visit_impl_item_fn(self, item);
        }
    }
}

/// Returns true for `#[test]`, `#[cfg(test)]` and `#[cfg(all(test, …))]`.
fn is_test(attribute: &syn::Attribute) -> bool {
    match &attribute.meta {
        syn::Meta::Path(path) => path.is_ident("test"),
        syn::Meta::List(list) if list.path.is_ident("cfg") => {
            let mut tokens = list.tokens.clone().into_iter();
            match (tokens.next(), tokens.next()) {
                (Some(proc_macro2::TokenTree::Ident(name)), None) => name == "test",
                (
                    Some(proc_macro2::TokenTree::Ident(name)),
                    Some(proc_macro2::TokenTree::Group(all)),
                ) => {
                    name == "all"
                        && all.stream().into_iter().any(|token| {
                            matches!(token, proc_macro2::TokenTree::Ident(name) if name == "test")
                        })
                }
                _ => false,
            }
        }
        _ => false,
    }
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Returns the package `name` in `crates` with the given files of its folder, for tests.
#[cfg(test)]
pub fn package(name: &str, manifest: &str, sources: &[(&str, &str)]) -> Package {
    let manifest: toml::Table = format!("package.name = \"{name}\"\n{manifest}")
        .parse()
        .expect("the manifest can be read");
    let sources = sources
        .iter()
        .map(|(path, text)| (format!("crates/{name}/{path}"), (*text).to_owned()))
        .collect();
    Package::parse(&format!("crates/{name}"), manifest, sources).expect("the sources can be read")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn role(package: &Package, path: &str) -> Role {
        let path = format!("crates/x/{path}");
        let file = package.files.iter().find(|file| file.path == path);
        file.expect("the file is there").role.clone()
    }

    fn module(path: &[&str]) -> Role {
        Role::Module(path.iter().map(|part| (*part).to_owned()).collect())
    }

    #[test]
    fn modules_are_followed_from_the_root() {
        let x = package(
            "x",
            "",
            &[
                ("src/lib.rs", "mod a; mod b { mod c; }\n#[cfg(test)] mod t;"),
                (
                    "src/a/mod.rs",
                    "#[path = \"other_tests.rs\"] #[cfg(test)] mod tests; mod d;",
                ),
                ("src/a/other_tests.rs", ""),
                ("src/a/d.rs", "mod e;"),
                ("src/a/d/e.rs", ""),
                ("src/b/c.rs", ""),
                ("src/t.rs", "mod u;"),
                ("src/t/u.rs", ""),
                ("build.rs", ""),
                ("tests/it.rs", ""),
            ],
        );
        assert_eq!(role(&x, "src/lib.rs"), module(&[]));
        assert_eq!(role(&x, "src/a/mod.rs"), module(&["a"]));
        assert_eq!(role(&x, "src/a/other_tests.rs"), Role::UnitTest);
        assert_eq!(role(&x, "src/a/d/e.rs"), module(&["a", "d", "e"]));
        assert_eq!(role(&x, "src/b/c.rs"), module(&["b", "c"]));
        assert_eq!(role(&x, "src/t/u.rs"), Role::UnitTest);
        assert_eq!(role(&x, "build.rs"), Role::Build);
        assert_eq!(role(&x, "tests/it.rs"), Role::Other);
    }

    #[test]
    fn items_for_tests_are_not_production() {
        let source =
            "fn a() {}\n#[cfg(test)]\nmod tests {\n}\nfn b() {}\n#[cfg(not(test))]\nfn c() {}\n";
        let x = package("x", "", &[("src/lib.rs", source)]);
        let lines: Vec<usize> = (1..=7)
            .filter(|line| x.files[0].is_production(*line))
            .collect();
        assert_eq!(lines, [1, 5, 6, 7]);
    }
}
