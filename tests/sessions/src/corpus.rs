//! Reads the texts that are mutated: the project's examples, wrong programs and documentation.

use std::io;
use std::path::{Path, PathBuf};

/// The maximal length of a file: longer ones are slow and find no other failures.
const MAX_LENGTH: usize = 12_000;
/// The languages, as file extensions.
pub const LANGUAGES: [&str; 3] = ["rise", "dpia", "elevate"];

/// A text from which mutations start.
#[derive(Clone, Debug)]
pub struct Seed {
    /// The language, as a file extension.
    pub language: &'static str,
    /// The text.
    pub text: String,
}

/// All texts, and the words that occur in them.
#[derive(Clone, Debug)]
pub struct Corpus {
    /// The texts, in the order of their paths.
    pub seeds: Vec<Seed>,
    /// The words without duplicates, in alphabetical order.
    pub words: Vec<String>,
}

impl Corpus {
    /// Reads the texts of a checkout of the project.
    ///
    /// # Errors
    /// A file or folder cannot be read, or there are no texts.
    pub fn read(root: &Path) -> io::Result<Corpus> {
        let mut paths = Vec::new();
        for folder in ["examples", "tests/wrong", "docs"] {
            collect(&root.join(folder), &mut paths)?;
        }
        paths.sort();
        let mut seeds = Vec::new();
        for path in paths {
            let extension = path.extension().and_then(|extension| extension.to_str());
            let text = String::from_utf8_lossy(&std::fs::read(&path)?).into_owned();
            match extension {
                Some("md") => fenced(&text, &mut seeds),
                Some(extension) => seeds.extend(seed(extension, text)),
                None => {}
            }
        }
        if seeds.is_empty() {
            return Err(io::Error::other("there are no texts to mutate"));
        }
        let tokens = seeds.iter().flat_map(|seed| tokens(&seed.text));
        let mut words: Vec<String> = tokens
            .filter(|token| !token.trim().is_empty())
            .map(str::to_owned)
            .collect();
        words.sort();
        words.dedup();
        Ok(Corpus { seeds, words })
    }
}

fn seed(extension: &str, text: String) -> Option<Seed> {
    let language = LANGUAGES.into_iter().find(|known| *known == extension)?;
    (text.len() <= MAX_LENGTH).then_some(Seed { language, text })
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, paths)?;
        } else {
            paths.push(path);
        }
    }
    Ok(())
}

/// Adds the programs in a page of the documentation.
fn fenced(page: &str, seeds: &mut Vec<Seed>) {
    for block in page.split("\n```").skip(1) {
        let Some((info, text)) = block.split_once('\n') else {
            continue;
        };
        let language = info.split([' ', ',']).next().unwrap_or_default();
        seeds.extend(seed(language, text.to_owned()));
    }
}

/// Splits a text into words, numbers, white space and signs; concatenated they are the text.
pub fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 0,
        c if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let same = |c: char| kind(first) != 2 && kind(c) == kind(first);
        let end = rest
            .char_indices()
            .skip(1)
            .find(|&(_, c)| !same(c))
            .map_or(rest.len(), |(at, _)| at);
        let (token, after) = rest.split_at(end);
        rest = after;
        Some(token)
    })
}
