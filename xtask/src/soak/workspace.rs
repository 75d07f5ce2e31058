//! A database with the examples, of which one definition is rewritten at a time.

use std::fs;
use std::path::{Path, PathBuf};

use agreement::{Call, Side, Sizes};
use db::{Database, FileId, FilePath, ItemId, ReadError};
use ide::{FileRange, RewriteAction, SourceEdits};
use rise::Primitive;
use rise::core::Program;
use runtime::generate::Random;
use syntax::{Severity, Span};

/// The number of comparisons of each result.
const RUNS: u32 = 2;
const SIZES: Sizes = Sizes {
    unit: 1,
    largest: 6,
};
/// The name of the definition that calls the compared one.
const CALL: &str = "callOfTheRewritten";

/// A file of the examples.
pub struct Source {
    /// The path below `examples`.
    pub shown: String,
    file: FileId,
    path: FilePath,
    text: String,
}

/// The examples in a database.
pub struct Workspace {
    pub db: Database,
    pub files: Vec<Source>,
}

/// A definition that is being rewritten.
#[derive(Clone)]
pub struct Place {
    /// The index of its file.
    source: usize,
    /// The index of its item, which rewrites do not change.
    item: usize,
    /// The current text of the file.
    text: String,
}

/// The outcome of a rewrite.
pub enum Verdict {
    /// The result computes the same.
    Agrees,
    /// The result is well-typed, but was not compared, or it is refused because of an error that it
    /// would have.
    Skipped(String),
    /// The rewrite cannot be applied, or its result is ill-typed or computes something else.
    Wrong(String),
}

impl Workspace {
    /// Reads all `.rise` and `.elevate` files below a folder. The `.rise` files whose path contains
    /// `only` are rewritten.
    pub fn read(folder: &Path, only: &str) -> Result<Workspace, String> {
        let mut paths = Vec::new();
        collect(folder, &mut paths).map_err(|error| error.to_string())?;
        paths.sort();
        let mut workspace = Workspace {
            db: Database::new(),
            files: Vec::new(),
        };
        for path in paths {
            let text = fs::read_to_string(&path);
            let text = text.map_err(|error| format!("{}: {error}", path.display()))?;
            let below = path.strip_prefix(folder).unwrap_or(&path);
            let shown = below.display().to_string();
            let path = FilePath::disk(Path::new("/examples").join(below));
            let file = workspace.db.set_file(path.clone(), text.clone());
            if shown.ends_with(".rise") && shown.contains(only) {
                workspace.files.push(Source {
                    shown,
                    file,
                    path,
                    text,
                });
            }
        }
        for path in workspace.db.missing() {
            let error = ReadError::NotFound(std::sync::Arc::default());
            workspace.db.set_absent(path, error);
        }
        Ok(workspace)
    }

    /// Creates a workspace of one text. Also returns its last definition without errors, if there
    /// is one.
    pub fn of_text(shown: &str, text: &str) -> (Workspace, Option<Place>) {
        let mut workspace = Workspace {
            db: Database::new(),
            files: Vec::new(),
        };
        let path = FilePath::disk(Path::new("/alone.rise"));
        let file = workspace.db.set_file(path.clone(), text.to_owned());
        workspace.files.push(Source {
            shown: shown.to_owned(),
            file,
            path,
            text: text.to_owned(),
        });
        let last = workspace.definitions().pop();
        (workspace, last)
    }

    /// Returns a random definition without errors of a random file; `None` if that file has none.
    pub fn definition(&self, random: &mut Random) -> Option<Place> {
        let right = self.definitions_of(random.draw() as usize % self.files.len());
        let at = random.draw() as usize % right.len().max(1);
        right.into_iter().nth(at)
    }

    /// Returns all definitions without errors.
    pub fn definitions(&self) -> Vec<Place> {
        let sources = 0..self.files.len();
        sources
            .flat_map(|source| self.definitions_of(source))
            .collect()
    }

    fn definitions_of(&self, source: usize) -> Vec<Place> {
        let items = self.db.items(self.files[source].file);
        let right = |at: &usize| self.db.elaborated(items[*at]).is_some();
        let place = |item| Place {
            source,
            item,
            text: self.files[source].text.clone(),
        };
        (0..items.len()).filter(right).map(place).collect()
    }

    /// Returns the current item of the definition.
    pub fn item(&self, place: &Place) -> Option<ItemId> {
        let items = self.db.items(self.files[place.source].file);
        items.get(place.item).copied()
    }

    /// Returns the current text of the definition.
    pub fn text(&self, place: &Place) -> String {
        let text = self.item(place).map(|item| self.db.item_text(item));
        text.map_or_else(String::new, |text| text.to_string())
    }

    /// Returns `file:line:column` of a position in the current text. Lines and columns are counted
    /// from 1, and columns in bytes.
    pub fn head(&self, place: &Place, span: Span) -> String {
        let before = &place.text[..span.start as usize];
        let line = before.matches('\n').count() + 1;
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1;
        format!("{}:{line}:{column}", self.files[place.source].shown)
    }

    /// Returns the rewrites that are offered at a position.
    pub fn offered(&self, place: &Place, span: Span) -> Vec<RewriteAction> {
        let file = self.files[place.source].file;
        ide::rewrites(&self.db, FileRange { file, span }, &|_| true)
    }

    /// Applies a rewrite, and checks the result.
    pub fn make(
        &mut self,
        place: &mut Place,
        action: &RewriteAction,
        seed: Option<u64>,
    ) -> Verdict {
        let made = ide::apply_rewrite(&self.db, action.item, &action.strategy, &action.path);
        self.judge(place, made.map(|made| made.edits), seed)
    }

    /// Applies edits, and checks the result; compares it with the program before if there is a
    /// seed.
    pub fn judge(
        &mut self,
        place: &mut Place,
        edits: Result<SourceEdits, String>,
        seed: Option<u64>,
    ) -> Verdict {
        let edits = match edits {
            Ok(edits) => edits,
            // Some errors are only found when the rewrite is chosen, which says so.
            // They are those of the result, and of definitions that use it.
            Err(reason) if reason.contains(" would have an error: ") => {
                return Verdict::Skipped("it is refused when it is chosen".to_owned());
            }
            Err(reason) => return Verdict::Wrong(format!("refused: {reason}")),
        };
        let program = self.item(place).map(|item| self.db.linked(item));
        let before = place.text.clone();
        place.text = applied(&before, &edits);
        self.set(place.source, &place.text);
        if place.text == before {
            return Verdict::Wrong("it changes nothing".to_owned());
        }
        let text = self.text(place);
        let after = || format!("\nafter:\n{text}");
        let item = self.item(place);
        if let Some(wrong) = self.wrong(item) {
            return Verdict::Wrong(format!("it has mistakes: {wrong}{}", after()));
        }
        let Some(seed) = seed else {
            return Verdict::Skipped("the action is unsafe".to_owned());
        };
        let program = match program {
            Some(Ok(program)) => program,
            Some(Err(error)) => return Verdict::Skipped(format!("{error:?}")),
            None => return Verdict::Wrong("the definition is gone".to_owned()),
        };
        let taken = |program: &Program<Primitive>| program.signature().params.len();
        let new = item.map(|item| self.db.linked(item));
        if new.is_some_and(|new| new.is_ok_and(|new| taken(&new) != taken(&program))) {
            return Verdict::Skipped("it has got another parameter".to_owned());
        }
        let name = program.name.to_string();
        let source = place.source;
        let mut link = |side: Side, call: &Call| {
            let text = match side {
                Side::Before => &before,
                Side::After => &place.text,
            };
            self.link(
                source,
                &format!("{text}\n{}", call.definition(CALL, &name, "")),
            )
        };
        let found = agreement::agree(&program, SIZES, RUNS, seed, &mut link);
        self.set(place.source, &place.text);
        match found {
            Ok(found) if found.agreed > 0 => Verdict::Agrees,
            Ok(_) => {
                Verdict::Skipped("no small sizes meet the conditions of the program".to_owned())
            }
            Err(reason) if reason.starts_with(NOT_CALLED) => Verdict::Skipped(reason),
            Err(reason) if reason.starts_with(TOO_SLOW) => Verdict::Skipped(reason),
            Err(reason) => Verdict::Wrong(format!("{reason}{}", after())),
        }
    }

    /// Returns the program of the last definition of a text.
    fn link(&mut self, source: usize, text: &str) -> Result<Program<Primitive>, String> {
        self.set(source, text);
        let items = self.db.items(self.files[source].file);
        let last = items.last().copied();
        let linked = last.map(|item| self.db.linked(item));
        match linked {
            Some(Ok(program)) => Ok((*program).clone()),
            _ => Err(format!("the call has mistakes: {:?}", self.wrong(last))),
        }
    }

    /// Returns the first error in a definition.
    fn wrong(&self, item: Option<ItemId>) -> Option<String> {
        let inference = self.db.inference(item?);
        let mut diagnostics = inference.diagnostics.iter();
        let wrong = diagnostics.find(|found| found.severity == Severity::Error)?;
        Some(wrong.message.clone())
    }

    /// Restores the original text.
    pub fn restore(&mut self, place: &Place) {
        let text = self.files[place.source].text.clone();
        self.set(place.source, &text);
    }

    fn set(&mut self, source: usize, text: &str) {
        let path = self.files[source].path.clone();
        self.db.set_file(path, text.to_owned());
    }
}

/// The prefix of the error for programs without generated calls.
const NOT_CALLED: &str = "no `";
/// The prefix of the error if the interpreter exceeds the time limit.
const TOO_SLOW: &str = "the program did not finish in time";

fn applied(text: &str, edits: &SourceEdits) -> String {
    let mut text = text.to_owned();
    for edit in edits.files.iter().flat_map(|(_, edits)| edits.iter().rev()) {
        text.replace_range(std::ops::Range::from(edit.span), &edit.text);
    }
    text
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let ends = |wanted: &str| path.extension().is_some_and(|end| end == wanted);
        if path.is_dir() {
            collect(&path, found)?;
        } else if ends("rise") || ends("elevate") {
            found.push(path);
        }
    }
    Ok(())
}
