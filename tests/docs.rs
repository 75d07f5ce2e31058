//! Tests of the documentation: the real binary checks every program in it, and the generated pages
//! agree with the sources.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use rise::Primitive;
use rise::primitive::Category;
use syntax::ast::{Item, ItemKind};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A program in the documentation and its expected error, if there is one.
struct Block {
    place: String,
    text: String,
    error: Option<String>,
}

/// Returns the blocks of a page that begin with ```` ```rise ````; `,error[code]` states the
/// expected error.
fn blocks(page: &str, markdown: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut lines = markdown.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let Some(remark) = line.strip_prefix("```rise") else {
            continue;
        };
        let error = remark
            .strip_prefix(",error[")
            .and_then(|rest| rest.strip_suffix(']'));
        assert!(
            remark.is_empty() || error.is_some(),
            "{page}:{}: {line}",
            number + 1
        );
        let text: Vec<&str> = lines
            .by_ref()
            .map(|(_, line)| line)
            .take_while(|line| *line != "```")
            .collect();
        found.push(Block {
            place: format!("{page}:{}", number + 1),
            text: text.join("\n") + "\n",
            error: error.map(str::to_owned),
        });
    }
    found
}

/// Checks every block as a file of its own and compares the codes of its errors.
fn check_blocks(blocks: &[Block]) {
    assert!(!blocks.is_empty(), "a page without programs");
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (number, block) in blocks.iter().enumerate() {
        fs::write(folder.path().join(format!("{number}.rise")), &block.text).expect("a file");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_rise-ls"))
        .args(["--check", "--format", "json"])
        .arg(folder.path())
        .output()
        .expect("the binary");
    let mut found: BTreeMap<usize, Vec<(String, String)>> = BTreeMap::new();
    for line in String::from_utf8(output.stdout).expect("text").lines() {
        let entry: serde_json::Value = serde_json::from_str(line).expect("one object a line");
        if !matches!(entry["severity"].as_str(), Some("error" | "warning")) {
            continue;
        }
        let path = Path::new(entry["path"].as_str().expect("a path"));
        let number = path
            .file_stem()
            .and_then(|stem| stem.to_str())
            .and_then(|stem| stem.parse().ok());
        let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
        found
            .entry(number.expect("a block"))
            .or_default()
            .push((text("code"), text("message")));
    }
    let mut wrong = String::new();
    for (number, block) in blocks.iter().enumerate() {
        let errors = found.remove(&number).unwrap_or_default();
        let codes: Vec<&String> = errors.iter().map(|(code, _)| code).collect();
        if codes != block.error.iter().collect::<Vec<_>>() {
            let _ = writeln!(
                wrong,
                "{}: expected {:?}, found {errors:#?}",
                block.place, block.error
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn programs_of_the_language_reference() {
    check_blocks(&blocks("docs/language.md", &read("docs/language.md")));
}

#[test]
fn programs_of_the_tutorial() {
    check_blocks(&blocks("docs/tutorial.md", &read("docs/tutorial.md")));
}

/// The commands in the `console` blocks of the tutorial print the output on the page. Each runs on
/// the program before it, under the file name that the command contains.
#[test]
fn commands_of_the_tutorial_print_what_it_shows() {
    let page = read("docs/tutorial.md");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut program = "";
    let mut commands = 0;
    for part in page.split("\n```").skip(1).step_by(2) {
        let (fence, text) = part.split_once('\n').expect("a fence and a text");
        if fence.starts_with("rise") {
            program = text;
        }
        if fence != "console" {
            continue;
        }
        let mut printed = String::new();
        for line in text.lines().filter(|line| line.starts_with("$ ")) {
            let command = line
                .strip_prefix("$ rise-ls ")
                .unwrap_or_else(|| panic!("{line}: a command of another program"));
            let words = words(command);
            let file = words.iter().find(|word| word.ends_with(".rise"));
            let file = folder.path().join(file.expect("a file"));
            fs::write(file, format!("{program}\n")).expect("a file");
            let output = Command::new(env!("CARGO_BIN_EXE_rise-ls"))
                .args(&words)
                .current_dir(folder.path())
                .output()
                .expect("the binary");
            let _ = writeln!(printed, "{line}");
            printed += &String::from_utf8_lossy(&output.stdout);
            printed += &String::from_utf8_lossy(&output.stderr);
            commands += 1;
        }
        assert_eq!(printed.trim_end(), text);
    }
    assert!(commands > 5, "the tutorial runs its programs");
}

/// Each strategy of the cheat sheet rewrites the first program of its section to the second one.
#[test]
fn strategies_of_the_cheat_sheet_do_what_it_shows() {
    let page = read("docs/cheat-sheet.md");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rise_ls = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rise-ls"));
        let output = command.args(arguments).current_dir(folder.path()).output();
        let output = output.expect("the binary");
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let sections: Vec<&str> = page.split("\n## ").skip(1).collect();
    assert_eq!(sections.len(), 10);
    for section in sections {
        let heading = section.lines().next().expect("a heading");
        let strategy = heading
            .split('`')
            .nth(1)
            .expect("a strategy in the heading");
        let programs = blocks("docs/cheat-sheet.md", section);
        let [before, after] = &programs[..] else {
            panic!("{heading}: two programs are expected");
        };
        fs::write(folder.path().join("a.rise"), &before.text).expect("a file");
        let rewritten = rise_ls(&["rewrite", "a.rise", "--strategy", strategy]);
        fs::write(folder.path().join("b.rise"), rewritten).expect("a file");
        rise_ls(&["fmt", "b.rise"]);
        let found = fs::read_to_string(folder.path().join("b.rise")).expect("the result");
        assert_eq!(found, after.text, "{heading}");
    }
}

/// Splits a command into words at spaces outside of single quotes.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for (index, part) in command.split('\'').enumerate() {
        let quoted = index % 2 == 1;
        let mut pieces = part.split(' ');
        let last = words.last_mut().expect("a word");
        match quoted {
            true => last.push_str(part),
            false => {
                last.push_str(pieces.next().unwrap_or_default());
                words.extend(pieces.map(str::to_owned));
            }
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn programs_of_the_pages_on_compiling() {
    for page in ["docs/compiling.md", "docs/opencl.md"] {
        check_blocks(&blocks(page, &read(page)));
    }
}

/// C code on a page equals the output of the compiler for the program before it.
#[test]
fn the_pages_on_compiling_show_what_is_emitted() {
    for page in ["docs/compiling.md", "docs/opencl.md"] {
        shows_what_is_emitted(&read(page));
    }
}

fn shows_what_is_emitted(page: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("program.rise");
    let mut shown = 0;
    for block in page
        .split("\n```")
        .filter(|part| part.starts_with(['r', 'c']))
    {
        let (fence, text) = block.split_once('\n').expect("a fence and a text");
        if fence == "rise" {
            fs::write(&file, text).expect("a file");
        } else if fence == "c" {
            let target = if text.contains("#pragma omp") {
                "openmp"
            } else if text.contains("kernel void") || text.contains("(global ") {
                "opencl"
            } else {
                "c"
            };
            let output = Command::new(env!("CARGO_BIN_EXE_rise-ls"))
                .args(["emit", "--as", target])
                .arg(&file)
                .output()
                .expect("the binary");
            let emitted = String::from_utf8(output.stdout).expect("text");
            assert!(emitted.contains(text), "{text}\nis not in\n{emitted}");
            shown += 1;
        }
    }
    assert!(shown > 0, "a page without C");
}

#[test]
fn examples_of_the_primitives() {
    let examples: Vec<Block> = Primitive::ALL
        .iter()
        .flat_map(|primitive| blocks(primitive.name(), primitive.docs()))
        .collect();
    assert!(examples.len() >= Primitive::ALL.len());
    check_blocks(&examples);
}

#[test]
fn examples_of_the_words() {
    let (strategies, programs): (Vec<_>, Vec<_>) =
        ide::glossary().partition(|(_, text)| text.contains("```elevate"));
    let mut examples = Vec::new();
    for (words, text) in programs {
        let found = blocks(words, text);
        assert_eq!(found.len(), 1, "`{words}` has one example");
        examples.extend(found);
    }
    check_blocks(&examples);
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (number, (words, text)) in strategies.iter().enumerate() {
        let parts: Vec<&str> = text.split("```").collect();
        let [_, example, _] = parts[..] else {
            panic!("`{words}` has one example")
        };
        let example = example.strip_prefix("elevate\n").expect("a strategy");
        let file = folder.path().join(format!("{number}.elevate"));
        fs::write(file, example).expect("a file");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_rise-ls"))
        .args(["--check", "--level", "warning"])
        .arg(folder.path())
        .output()
        .expect("the binary");
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    let summary = format!("no errors in {} files\n", strategies.len());
    assert!(output.status.success() && said == summary, "{said}");
}

#[test]
fn examples_of_the_library() {
    let mut examples = Vec::new();
    for (file, text) in rise::STD {
        for item in items(text) {
            let name = item
                .name()
                .map(|ident| ident.name.to_string())
                .unwrap_or_default();
            let docs = item
                .docs
                .as_ref()
                .map(|docs| docs.text.to_string())
                .unwrap_or_default();
            let found = blocks(&format!("{file}, `{name}`"), &docs);
            assert_eq!(found.len(), 1, "{file}: `{name}` has one example");
            assert!(
                matches!(item.kind, ItemKind::Def { ty: Some(_), .. }),
                "{name} has a type"
            );
            examples.extend(found);
        }
    }
    check_blocks(&examples);
}

#[test]
fn the_page_of_the_primitives() {
    let mut page = String::from(
        "# The primitives of RISE\n\n\
         Made from `crates/rise/src/primitives.rise`; a test holds the two equal. Parameters in braces are inferred.\n",
    );
    for &category in Category::ALL {
        let _ = write!(page, "\n## {}\n", category.title());
        for primitive in Primitive::ALL
            .iter()
            .filter(|primitive| primitive.category() == category)
        {
            write_entry(
                &mut page,
                primitive.name(),
                primitive.signature_text(),
                primitive.docs(),
            );
        }
    }
    compare("docs/primitives.md", &page);
}

#[test]
fn the_page_of_the_library() {
    let mut page = String::from(
        "# The library of RISE\n\n\
         Always in scope, and written in RISE. Made from `crates/rise/src/std`; a test holds the two equal.\n",
    );
    for (file, text) in rise::STD {
        let title = text
            .lines()
            .next()
            .unwrap_or_default()
            .trim_start_matches("// ")
            .trim_end_matches('.');
        let _ = write!(
            page,
            "\n## {title}\n\n[`{file}`](../crates/rise/src/std/{file})\n"
        );
        for span in syntax::split(text) {
            let source = &text[Range::from(span)];
            let item = syntax::parse(source).item;
            let ItemKind::Def {
                name: Some(name),
                ty: Some(ty),
                ..
            } = &item.kind
            else {
                continue;
            };
            let docs = item.docs.as_ref().map_or("", |docs| &docs.text);
            let written = source[Range::from(item.term(*ty).span)]
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            write_entry(&mut page, &name.name, &written, docs);
        }
    }
    compare("docs/library.md", &page);
}

#[test]
fn examples_are_listed_and_documented() {
    let listing = read("examples/README.md");
    let mut listed: Vec<&str> = listing
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .collect();
    let mut files = Vec::new();
    let mut folders = vec![(String::new(), root().join("examples"))];
    while let Some((within, folder)) = folders.pop() {
        for entry in fs::read_dir(folder).expect("examples").flatten() {
            let name = format!("{within}{}", entry.file_name().to_string_lossy());
            match entry.path().is_dir() {
                true => folders.push((format!("{name}/"), entry.path())),
                false if within.is_empty() => {}
                false => files.push(name),
            }
        }
    }
    files.sort();
    listed.sort_unstable();
    assert_eq!(listed, files);
    let programs = files.iter().filter(|file| file.ends_with(".rise"));
    for file in programs.filter(|file| !file.starts_with("papers/")) {
        for item in items(&read(&format!("examples/{file}"))) {
            if let ItemKind::Def {
                name: Some(name), ..
            } = &item.kind
            {
                assert!(
                    item.docs.is_some(),
                    "{file}: `{}` has no documentation",
                    name.name
                );
            }
        }
    }
}

fn items(text: &str) -> Vec<Item> {
    syntax::split(text)
        .into_iter()
        .map(|span| syntax::parse(&text[Range::from(span)]).item)
        .collect()
}

fn write_entry(page: &mut String, name: &str, ty: &str, docs: &str) {
    let _ = write!(
        page,
        "\n### `{name}`\n\n```text\n{name} : {ty}\n```\n\n{docs}\n"
    );
}

/// Compares a generated page with its sources; `UPDATE_EXPECT=1` writes the page.
fn compare(path: &str, made: &str) {
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(root().join(path), made).expect("the page is written");
    }
    assert!(
        read(path) == made,
        "{path} differs from its sources: run the test with UPDATE_EXPECT=1"
    );
}
