//! Loads the input files of a command into a database.

use super::report::Reporter;
use super::{BAD_USAGE, args, human, output};
use crate::loader::{self, Content, LoadError, NotText};
use crate::roots::Roots;
use db::codes;
use db::{Database, FileId, FilePath, Language, ParsedFile};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use syntax::{Diagnostic, Span};

/// The name of standard input in messages.
pub const STDIN: &str = "<stdin>";

/// The files of a command and the files that they import.
pub struct Workspace {
    pub db: Database,
    /// The requested files and the files that they import, each once, as far as they could be read.
    pub files: Vec<FileId>,
    /// The number of requested files among `files`, which are the first ones.
    pub requested: usize,
    /// The requested files that are not UTF-8.
    pub not_text: Vec<(FilePath, NotText)>,
    /// True if a requested file or folder could not be read, a symbolic link leads out of the
    /// roots, or a folder of `--allow-import` is not a folder. The reason is already printed.
    pub unreadable: bool,
    pub base: PathBuf,
    pub roots: Arc<Roots>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Input {
    Stdin,
    /// The file at this path, as given by the user or as found in a given folder.
    File(PathBuf),
}

impl Input {
    pub fn read(&self) -> Result<Content, LoadError> {
        match self {
            Input::Stdin => loader::read_stdin(STDIN),
            Input::File(path) => loader::read(path),
        }
    }

    /// Returns the language by the file name, else `language`, else RISE.
    pub fn language(&self, language: Option<args::Language>) -> Language {
        let named = match self {
            Input::Stdin => None,
            Input::File(path) => FilePath::disk(path).language(),
        };
        named
            .or_else(|| language.map(args::Language::language))
            .unwrap_or_default()
    }

    /// Returns the path in the database. Standard input gets a path in the current folder, so that
    /// it can import the files there.
    pub fn path(&self, base: &Path) -> FilePath {
        match self {
            Input::Stdin => FilePath::disk(base.join(STDIN)),
            Input::File(path) => FilePath::disk(base.join(path)),
        }
    }
}

/// The files that the path arguments of a command select.
#[derive(Debug, Default)]
pub struct Inputs {
    /// The files, without duplicates.
    pub files: Vec<Input>,
    /// The symbolic links that lead out of the roots.
    pub outside: Vec<PathBuf>,
    /// True if a file or folder could not be read. The reason is already printed.
    pub unreadable: bool,
}

/// Expands the paths to files, and prints an error for each one that cannot be read. Files whose
/// path, with symbolic links resolved, is not in one of the roots are only listed in `outside`.
pub fn inputs(paths: &[PathBuf], roots: &Roots) -> Inputs {
    let mut inputs = Inputs::default();
    let mut seen = BTreeSet::new();
    for path in paths {
        if path.as_os_str() == "-" {
            inputs.files.push(Input::Stdin);
            continue;
        }
        match files(path) {
            Ok(found) => {
                let is_outside = |file: &PathBuf| !roots.contain(file);
                let (outside, inside) = found.into_iter().partition(is_outside);
                inputs.outside.extend::<Vec<_>>(outside);
                inputs
                    .files
                    .extend::<Vec<_>>(inside.into_iter().map(Input::File).collect());
            }
            Err(problem) => {
                output::error(&problem.to_string());
                inputs.unreadable = true;
            }
        }
    }
    inputs
        .files
        .retain(|input| seen.insert(input.path(Path::new("/"))));
    inputs
}

fn files(path: &Path) -> Result<Vec<PathBuf>, LoadError> {
    let files = loader::source_files(path)?;
    if files.is_empty() {
        output::note(&format!(
            "{}: there is no .rise, .dpia or .elevate file in this folder",
            path.display()
        ));
    }
    Ok(files)
}

/// Returns the current folder, or `/` if it cannot be determined, for example because it was
/// deleted. Relative paths are then shown unchanged.
pub fn current_folder() -> PathBuf {
    std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"))
}

impl Workspace {
    /// Reads these files and folders, and the files that they import. `language` applies to files
    /// whose name does not determine it.
    pub fn load(
        paths: &[PathBuf],
        language: Option<args::Language>,
        imports: &args::ImportOptions,
    ) -> Workspace {
        let base = current_folder();
        let mut roots = Roots::default();
        for path in paths {
            match path.as_os_str() == "-" {
                true => roots.add_project_of(&base),
                false => roots.add_project_of_path(path),
            }
        }
        let mut unreadable = false;
        for folder in &imports.allow_import {
            if !folder.is_dir() {
                let folder = folder.display();
                output::error(&format!(
                    "{folder}: is not a folder, which `--allow-import` expects"
                ));
                unreadable = true;
            }
            roots.add(folder);
        }
        let found = inputs(paths, &roots);
        for path in &found.outside {
            output::error(&format!(
                "{}: the link leads out of the project; `--allow-import FOLDER` allows that",
                path.display()
            ));
        }
        unreadable |= found.unreadable || !found.outside.is_empty();
        let mut workspace = Workspace {
            db: Database::new(),
            files: Vec::new(),
            requested: 0,
            not_text: Vec::new(),
            unreadable,
            base,
            roots: Arc::new(roots),
        };
        for input in &found.files {
            let language = input.language(language);
            workspace
                .db
                .set_language(input.path(&workspace.base), language);
        }
        let read: Vec<_> = (found.files.par_iter())
            .map(|input| read(input, input.language(language)))
            .collect();
        for (input, read) in found.files.iter().zip(read) {
            workspace.add(input, read);
        }
        workspace.requested = workspace.files.len();
        workspace.load_imports();
        workspace
    }

    /// Reads one file, and the files that it imports.
    ///
    /// # Errors
    /// Prints why the file cannot be read, and returns the exit status.
    pub fn load_file(
        path: &Path,
        language: Option<args::Language>,
        imports: &args::ImportOptions,
    ) -> Result<(Workspace, FileId), u8> {
        if path.is_dir() {
            let path = path.display();
            output::error(&format!("{path}: is a folder, not a file"));
            return Err(BAD_USAGE);
        }
        let workspace = Workspace::load(&[path.to_owned()], language, imports);
        if workspace.unreadable {
            return Err(BAD_USAGE);
        }
        if let Some((path, bad)) = workspace.not_text.first() {
            let mut reporter = Reporter::new(&workspace.db, &workspace.base);
            reporter.outside(path, &bad.lossy, &not_text(bad));
            return Err(human::errors(&reporter.finish()));
        }
        let file = workspace.files.first().copied().ok_or(BAD_USAGE)?;
        Ok((workspace, file))
    }

    pub fn load_imports(&mut self) {
        let imports = loader::load_imports(&mut self.db, &self.roots, loader::READ_TIMEOUT);
        self.files.extend(imports.files);
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

/// The content of a file. A text is split into items on the thread that reads it.
enum Read {
    Text(ParsedFile),
    NotText(NotText),
}

fn read(input: &Input, language: Language) -> Result<Read, LoadError> {
    input.read().map(|content| match content {
        Content::Text { text, .. } => Read::Text(ParsedFile::new(&text, language)),
        Content::NotText(bad) => Read::NotText(bad),
    })
}

/// Returns the diagnostic for a file that is not UTF-8.
pub fn not_text(bad: &NotText) -> Diagnostic {
    let start = u32::try_from(bad.offset).unwrap_or(u32::MAX);
    let end = start
        .saturating_add(u32::try_from(char::REPLACEMENT_CHARACTER.len_utf8()).unwrap_or_default());
    Diagnostic::error(codes::NOT_TEXT, Span::new(start, end), bad.message())
        .help("save the file as UTF-8")
}
