//! Tests the texts of the library: every item is well formed and documented, and every rule has a
//! title and an example.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use syntax::ast::AnnotationValue;
use syntax::elevate::ast::{Clause, ClauseKind, CondKind, ExprKind, Item, ItemKind};
use syntax::elevate::{format, parse, split};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Parses the `.elevate` files of a folder, which must have no errors.
fn items(folder: &str) -> BTreeMap<String, Vec<Item>> {
    let mut files = BTreeMap::new();
    let mut wrong = Vec::new();
    for entry in fs::read_dir(root().join(folder))
        .expect("a folder")
        .flatten()
    {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.ends_with(".elevate") {
            continue;
        }
        let text = fs::read_to_string(entry.path()).expect("a text");
        let items = split(&text).into_iter().map(|span| {
            let text = &text[span.start as usize..span.end as usize];
            let parsed = parse(text);
            for diagnostic in &parsed.diagnostics {
                wrong.push(format!("{name}: {}\n{text}", diagnostic.message));
            }
            parsed.item
        });
        let items = items.collect();
        files.insert(name, items);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    files
}

fn library() -> BTreeMap<String, Vec<Item>> {
    items("crates/elevate/src/library")
}

#[test]
fn every_text_parses() {
    assert!(library().len() >= 14);
    assert!(items("examples/strategies").len() >= 9);
    assert!(items("crates/elevate/tests/conformance").len() >= 9);
}

/// `UPDATE_EXPECT=1` formats the files. Listing 3 is excluded, which keeps its printed form.
#[test]
fn every_text_is_formatted() {
    let mut differ = Vec::new();
    for folder in [
        "crates/elevate/src/library",
        "crates/elevate/tests/conformance",
        "examples/strategies",
    ] {
        for file in items(folder)
            .into_keys()
            .filter(|file| file != "mv.elevate")
        {
            let path = root().join(folder).join(&file);
            let text = fs::read_to_string(&path).expect("a text");
            let formatted = format(&text);
            if formatted == text {
                continue;
            }
            match std::env::var_os("UPDATE_EXPECT") {
                Some(_) => fs::write(path, formatted).expect("the text is written"),
                None => differ.push(file),
            }
        }
    }
    assert_eq!(
        differ,
        Vec::<String>::new(),
        "run the test with UPDATE_EXPECT=1"
    );
}

#[test]
fn every_definition_is_documented() {
    let mut missing = Vec::new();
    for (file, items) in library().into_iter().chain(items("examples/strategies")) {
        for item in items {
            if let (Some(name), None) = (item.name(), &item.docs) {
                missing.push(format!("{file}: {}", name.name));
            }
        }
    }
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn names_are_unique() {
    let mut seen = BTreeMap::new();
    for (file, items) in library() {
        for name in items.iter().filter_map(Item::name) {
            let other = seen.insert(name.name.clone(), file.clone());
            assert_eq!(other, None, "`{}` is in {file}, too", name.name);
        }
    }
}

/// A placeholder in a title, such as `{n}`, must be the name of a parameter of the rule.
#[test]
fn every_rule_has_a_title() {
    for (file, items) in library() {
        for item in items {
            let ItemKind::Rule {
                name: Some(name), ..
            } = &item.kind
            else {
                continue;
            };
            let titled = item.attribute("title").is_some();
            let hidden = item.attribute("hidden").is_some();
            assert!(titled || hidden, "{file}: `{}` has no title", name.name);
            let Some(AnnotationValue::String(title, _)) = item
                .attribute("title")
                .and_then(|title| title.args.first())
                .map(|arg| &arg.value)
            else {
                continue;
            };
            for hole in title.split('{').skip(1) {
                let hole = hole.split('}').next().unwrap_or_default();
                let params = item.params.iter();
                assert!(
                    params.map(|param| &param.name).any(|name| name == hole),
                    "{file}: the title of `{}` asks for `{hole}`",
                    name.name
                );
            }
        }
    }
}

/// Every rule, or its file, must name its source; and a rule must document the conditions that it
/// requires.
#[test]
fn every_rule_says_its_source_and_its_conditions() {
    let mut missing = Vec::new();
    for (file, items) in library() {
        let text = root().join("crates/elevate/src/library").join(&file);
        let text = fs::read_to_string(text).expect("a text");
        let header = text
            .lines()
            .take_while(|line| line.starts_with("//") || line.is_empty());
        let of_file = header.take(20).any(|line| line.starts_with("// Source:"));
        for item in items {
            let (ItemKind::Rule { alts, .. }, Some(name)) = (&item.kind, item.name()) else {
                continue;
            };
            let docs = item.docs.as_ref().map_or("", |docs| &docs.text);
            if !of_file && !docs.contains("Source:") {
                missing.push(format!("{file}: {} says no source", name.name));
            }
            let clauses = alts.iter().flat_map(|alt| &alt.clauses);
            for cond in clauses.flat_map(|clause| conditions(&item, clause)) {
                let word = match cond {
                    CondKind::Divides { .. } => "divide",
                    CondKind::Property { name, .. } if name.name == "assoc" => "associative",
                    CondKind::Property { name, .. } if name.name == "commutative" => "commutative",
                    CondKind::Property { name, .. } if name.name == "neutral" => "neutral",
                    _ => continue,
                };
                if !docs.contains(word) {
                    missing.push(format!("{file}: {} does not say `{word}`", name.name));
                }
            }
        }
    }
    assert_eq!(missing, Vec::<String>::new());
}

/// Returns the conditions of a clause.
fn conditions<'a>(item: &'a Item, clause: &Clause) -> Vec<&'a CondKind> {
    let (ClauseKind::Where(cond) | ClauseKind::Requires(cond) | ClauseKind::Assuming(cond)) =
        clause.kind
    else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut waiting = vec![cond];
    while let Some(cond) = waiting.pop() {
        match &item.cond(cond).kind {
            CondKind::And(a, b) => waiting.extend([*a, *b]),
            CondKind::Paren(inner) => waiting.push(*inner),
            kind => found.push(kind),
        }
    }
    found
}

#[test]
fn every_rule_has_an_example() {
    let library = library();
    let mut applied = BTreeSet::new();
    for item in library.values().flatten() {
        if let ItemKind::Example { .. } = item.kind {
            applied.extend(item.exprs.iter().filter_map(|expr| match &expr.kind {
                ExprKind::Name(name) => Some(name.clone()),
                _ => None,
            }));
        }
    }
    let missing: Vec<_> = library
        .values()
        .flatten()
        .filter(|item| matches!(item.kind, ItemKind::Rule { .. }))
        .filter_map(Item::name)
        .map(|name| name.name.clone())
        .filter(|name| !applied.contains(name))
        .collect();
    assert_eq!(missing, Vec::<syntax::ast::Name>::new());
}

/// The treatment of a name of the sources in the library.
enum Upstream<'a> {
    Ours,
    Called(&'a str),
    NotTaken(&'a str),
}

/// Returns the names of the sources with their sections, in order.
fn upstream(text: &str) -> Vec<(&str, &str, Upstream<'_>)> {
    let mut found = Vec::new();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    for (section, names) in lines.filter_map(|line| line.split_once(" | ")) {
        let called = names.find(" = ").unwrap_or(usize::MAX);
        let reason = names.find(" - ").unwrap_or(usize::MAX);
        if called < reason {
            let own = Upstream::Called(&names[called + 3..]);
            found.push((section, &names[..called], own));
        } else if reason < called {
            let why = Upstream::NotTaken(&names[reason + 3..]);
            found.push((section, &names[..reason], why));
        } else if names.contains("->") {
            found.push((section, names, Upstream::Ours));
        } else {
            let own = names.split(' ');
            found.extend(own.map(|name| (section, name, Upstream::Ours)));
        }
    }
    found
}

const UPSTREAM: &str = include_str!("names.txt");

#[test]
fn every_name_of_the_sources_is_here_or_said_to_be_left_out() {
    let library = library();
    let own: BTreeSet<&str> = library
        .values()
        .flatten()
        .filter_map(Item::name)
        .map(|name| name.name.as_str())
        .collect();
    let names = upstream(UPSTREAM);
    assert!(names.len() > 300, "{}", names.len());
    let missing: Vec<_> = names
        .iter()
        .filter(|(_, name, what)| match what {
            Upstream::Ours => !own.contains(name),
            Upstream::Called(ours) => !own.contains(ours),
            Upstream::NotTaken(why) => why.len() < 10 || own.contains(name),
        })
        .map(|(section, name, _)| format!("{section}: {name}"))
        .collect();
    assert_eq!(missing, Vec::<String>::new());
}

/// Returns tables of the names that differ in the library, and of those that it leaves out.
fn names_of_the_sources() -> String {
    let mut called = String::new();
    let mut left_out = String::new();
    for (section, name, what) in upstream(UPSTREAM) {
        let _ = match what {
            Upstream::Ours => continue,
            Upstream::Called(own) => writeln!(called, "| {section} | `{name}` | `{own}` |"),
            Upstream::NotTaken(why) => writeln!(left_out, "| {section} | `{name}` | {why} |"),
        };
    }
    format!(
        "\n## Names of the sources\n\n\
         Most rules and strategies are called as in their sources: sections 1 to 2.5 and 3 to 5 are Shine's and the papers',\n\
         2.7 is Lift's. These are called otherwise.\n\n\
         | section | there | here |\n|---|---|---|\n{called}\n\
         ## Not taken\n\n\
         | section | name | why |\n|---|---|---|\n{left_out}"
    )
}

/// `docs/strategy-library.md` is generated from the texts; `UPDATE_EXPECT=1` writes it.
#[test]
fn the_page_of_the_library() {
    let mut page = String::from(
        "# The library of ELEVATE\n\n\
         In scope in every `.elevate` file, and written in ELEVATE. Made from `crates/elevate/src/library`; a test holds the two\n\
         equal. What is `_` on the right is done by the engine.\n",
    );
    for file in library().into_keys() {
        let path = root().join("crates/elevate/src/library").join(&file);
        let text = fs::read_to_string(path).expect("a text");
        let title = text.lines().next().unwrap_or_default();
        let title = title.trim_start_matches("// ").trim_end_matches('.');
        let _ = write!(
            page,
            "\n## {title}\n\n[`{file}`](../crates/elevate/src/library/{file})\n"
        );
        for span in split(&text) {
            let source = &text[span.start as usize..span.end as usize];
            let item = parse(source).item;
            entry(&mut page, &item, source);
        }
    }
    page += &names_of_the_sources();
    let path = root().join("docs/strategy-library.md");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, &page).expect("the page is written");
    }
    assert!(
        fs::read_to_string(path).expect("the page") == page,
        "docs/strategy-library.md differs from its sources: run the test with UPDATE_EXPECT=1"
    );
}

fn entry(page: &mut String, item: &Item, source: &str) {
    let docs = item.docs.as_ref();
    let attributes = item.attributes.iter().map(|attribute| attribute.span.end);
    let start = docs.map(|docs| docs.span.end).into_iter().chain(attributes);
    let start = start.max().unwrap_or(0) as usize;
    // The text of an item extends to the next item.
    let lines = source[start..].lines();
    let code: Vec<&str> = lines.filter(|line| !line.starts_with("//")).collect();
    let code = code.join("\n");
    let code = code.trim();
    if let Some(name) = item.name() {
        let _ = write!(page, "\n### `{}`\n\n", name.name);
        let docs = docs.map_or("", |docs| &docs.text);
        let _ = writeln!(page, "{}\n", docs.trim_end());
        let _ = writeln!(page, "```elevate\n{code}\n```");
    } else if matches!(item.kind, ItemKind::Example { .. }) {
        let _ = writeln!(page, "\n```elevate\n{code}\n```");
    }
}
