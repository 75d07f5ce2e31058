//! The texts of the library: every item is well formed and documented, every rule has a title and
//! an example.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use syntax::ast::AnnotationValue;
use syntax::elevate::ast::{ExprKind, Item, ItemKind};
use syntax::elevate::{format, parse, split};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The items of every `.elevate` file of a folder, none of which may have anything wrong.
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

/// `UPDATE_EXPECT=1` formats them. Listing 3 stays as it is printed.
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

/// Numbers in titles are the rule's arguments, by name.
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
    // Applied by the strategies that end in it.
    for by_strategy in ["copyResult", "separateDotTrustedVH", "separateDotTrustedHV"] {
        applied.insert(by_strategy.into());
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

/// `docs/strategy-library.md` is made from the texts; `UPDATE_EXPECT=1` writes it.
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
    // What follows an item up to the next one belongs to its text.
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
