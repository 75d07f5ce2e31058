//! The files that a command is about, in a database.

use super::args;
use super::output;
use crate::loader::{self, Content, LoadError, NotText};
use db::{Database, FileId, FilePath, Language, Prepared};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use syntax::{Code, Diagnostic, Span};

/// What standard input is called.
pub const STDIN: &str = "<stdin>";

/// Files that were read, with what they import.
pub struct Workspace {
    /// The files.
    pub db: Database,
    /// Those that were asked for, and those that they import, each once.
    pub files: Vec<FileId>,
    /// Those that were asked for and are no text.
    pub not_text: Vec<(FilePath, NotText)>,
    /// Whether something could not be read at all; said on standard error.
    pub unreadable: bool,
    /// The current folder.
    pub base: PathBuf,
}

/// A file to read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Input {
    /// Standard input.
    Stdin,
    /// A file; the path as it was found.
    File(PathBuf),
}

impl Input {
    /// Its content.
    pub fn read(&self) -> Result<Content, LoadError> {
        match self {
            Input::Stdin => loader::read_stdin(STDIN),
            Input::File(path) => loader::read(path),
        }
    }

    /// What it is written in: what its name says, else what the user says, else RISE.
    pub fn language(&self, language: Option<args::Language>) -> Language {
        let named = match self {
            Input::Stdin => None,
            Input::File(path) => FilePath::disk(path).language(),
        };
        named
            .or_else(|| language.map(args::Language::language))
            .unwrap_or_default()
    }

    /// What the database calls it. Standard input is taken for a file in the current folder, so
    /// that it can import the files there.
    pub fn path(&self, base: &Path) -> FilePath {
        match self {
            Input::Stdin => FilePath::disk(base.join(STDIN)),
            Input::File(path) => FilePath::disk(base.join(path)),
        }
    }
}

/// The files that these paths mean, each once, and whether something could not be read.
pub fn inputs(paths: &[PathBuf]) -> (Vec<Input>, bool) {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut unreadable = false;
    for path in paths {
        let inputs = if path.as_os_str() == "-" {
            Ok(vec![Input::Stdin])
        } else {
            files(path)
        };
        match inputs {
            Ok(inputs) => found.extend(
                inputs
                    .into_iter()
                    .filter(|input| seen.insert(input.path(Path::new("/")))),
            ),
            Err(problem) => {
                output::error(&problem.to_string());
                unreadable = true;
            }
        }
    }
    (found, unreadable)
}

fn files(path: &Path) -> Result<Vec<Input>, LoadError> {
    let files = loader::source_files(path)?;
    if files.is_empty() {
        output::note(&format!(
            "{}: there is no .rise, .dpia or .elevate file in this folder",
            path.display()
        ));
    }
    Ok(files.into_iter().map(Input::File).collect())
}

/// The current folder; if it is gone, paths are shown as they are.
pub fn current_folder() -> PathBuf {
    std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"))
}

impl Workspace {
    /// Reads these files and folders, and what they import. What does not say it by its name is
    /// written in `language`.
    pub fn load(paths: &[PathBuf], language: Option<args::Language>) -> Workspace {
        let (inputs, unreadable) = inputs(paths);
        let base = current_folder();
        let mut workspace = Workspace {
            db: Database::new(),
            files: Vec::new(),
            not_text: Vec::new(),
            unreadable,
            base,
        };
        for input in &inputs {
            let language = input.language(language);
            workspace
                .db
                .set_language(input.path(&workspace.base), language);
        }
        let read: Vec<_> = inputs
            .par_iter()
            .map(|input| read(input, input.language(language)))
            .collect();
        for (input, read) in inputs.iter().zip(read) {
            workspace.add(input, read);
        }
        let imported = loader::load_imports(&mut workspace.db);
        workspace.files.extend(imported);
        workspace
    }

    fn add(&mut self, input: &Input, read: Result<Read, LoadError>) {
        let path = input.path(&self.base);
        match read {
            Ok(Read::Text(text)) => self.files.push(self.db.set_prepared(path, text)),
            Ok(Read::NotText(bad)) => {
                self.db.set_absent(path.clone(), db::ReadError::NotText);
                self.not_text.push((path, bad));
            }
            Err(problem) => {
                output::error(&problem.to_string());
                self.unreadable = true;
            }
        }
    }
}

/// What was read: a text, cut into items on the thread that has read it, or something else.
enum Read {
    Text(Prepared),
    NotText(NotText),
}

fn read(input: &Input, language: Language) -> Result<Read, LoadError> {
    input.read().map(|content| match content {
        Content::Text { text, .. } => Read::Text(Prepared::new(&text, language)),
        Content::NotText(bad) => Read::NotText(bad),
    })
}

/// What is to be said about a file that is no text.
pub fn not_text(bad: &NotText) -> Diagnostic {
    let start = u32::try_from(bad.offset).unwrap_or(u32::MAX);
    let end = start
        .saturating_add(u32::try_from(char::REPLACEMENT_CHARACTER.len_utf8()).unwrap_or_default());
    Diagnostic::error(Code::NotText, Span::new(start, end), bad.message())
        .help("save the file as UTF-8")
}
