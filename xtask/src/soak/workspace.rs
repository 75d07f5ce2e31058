//! The examples in a database, rewritten one at a time.

use std::fs;
use std::path::{Path, PathBuf};

use agreement::{Call, Side, Sizes};
use db::{Database, FileId, FilePath, ItemId, ReadError};
use ide::{FileRange, RewriteAction, SourceEdits};
use rise::Primitive;
use rise::core::{Expr, Form, Program};
use runtime::generate::Random;
use syntax::{Severity, Span};

/// Comparisons of each result.
const RUNS: u32 = 2;
const SIZES: Sizes = Sizes {
    unit: 1,
    largest: 6,
};
/// The definition that calls what is compared.
const CALL: &str = "callOfTheRewritten";

/// A file of the examples.
pub struct Source {
    /// Its path below `examples`.
    pub shown: String,
    file: FileId,
    path: FilePath,
    text: String,
}

/// The examples.
pub struct Workspace {
    pub db: Database,
    pub files: Vec<Source>,
}

/// A definition that is being rewritten.
pub struct Place {
    /// Number of its file.
    source: usize,
    /// Number of its item, which rewrites do not change.
    item: usize,
    /// The file's text as it is now.
    text: String,
}

/// What became of a rewrite.
pub enum Verdict {
    /// The result computes the same.
    Agrees,
    /// It has a type, but is not compared.
    Skipped(String),
    /// It cannot be made, has no type, or computes something else.
    Wrong(String),
}

impl Workspace {
    /// All files below a folder; those whose path contains `only` are rewritten.
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

    /// A random definition without mistakes.
    pub fn definition(&self, random: &mut Random) -> Option<Place> {
        let source = random.draw() as usize % self.files.len();
        let items = self.db.items(self.files[source].file);
        let right = |at: &usize| self.db.elaborated(items[*at]).is_some();
        let right: Vec<usize> = (0..items.len()).filter(right).collect();
        let item = *right.get(random.draw() as usize % right.len().max(1))?;
        Some(Place {
            source,
            item,
            text: self.files[source].text.clone(),
        })
    }

    /// The definition as it is now.
    pub fn item(&self, place: &Place) -> Option<ItemId> {
        let items = self.db.items(self.files[place.source].file);
        items.get(place.item).copied()
    }

    /// Its text as it is now.
    pub fn text(&self, place: &Place) -> String {
        let text = self.item(place).map(|item| self.db.item_text(item));
        text.map_or_else(String::new, |text| text.to_string())
    }

    /// `file:line:column` of a place as it is now.
    pub fn head(&self, place: &Place, span: Span) -> String {
        let before = &place.text[..span.start as usize];
        let line = before.matches('\n').count() + 1;
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1;
        format!("{}:{line}:{column}", self.files[place.source].shown)
    }

    /// What is offered at a place.
    pub fn offered(&self, place: &Place, span: Span) -> Vec<RewriteAction> {
        let file = self.files[place.source].file;
        ide::rewrites(&self.db, FileRange { file, span }, &|_| true)
    }

    /// Makes a rewrite, and looks at what comes out.
    pub fn make(&mut self, place: &mut Place, action: &RewriteAction, seed: u64) -> Verdict {
        let made = ide::apply_rewrite(&self.db, action.item, &action.strategy, &action.path);
        let made = match made {
            Ok(made) => made,
            Err(reason) => return Verdict::Wrong(format!("refused: {reason}")),
        };
        let program = self.item(place).map(|item| self.db.linked(item));
        let before = place.text.clone();
        place.text = applied(&before, &made.edits);
        self.set(place.source, &place.text);
        let after = || format!("\nafter:\n{}", made.text);
        let item = self.item(place);
        if let Some(wrong) = self.wrong(item) {
            return Verdict::Wrong(format!("it has mistakes: {wrong}{}", after()));
        }
        let program = match program {
            Some(Ok(program)) => program,
            Some(Err(error)) => return Verdict::Skipped(format!("{error:?}")),
            None => return Verdict::Wrong("the definition is gone".to_owned()),
        };
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
            Ok(_) => Verdict::Skipped("there are no small sizes for it".to_owned()),
            Err(reason) if reason.starts_with(NOT_CALLED) => Verdict::Skipped(reason),
            // That is no mistake of the copy: nobody looks at them.
            Err(reason) if reason.contains(NEVER_WRITTEN) && pads(&program) => {
                Verdict::Skipped("it copies elements that were never written".to_owned())
            }
            Err(reason) => Verdict::Wrong(format!("{reason}{}", after())),
        }
    }

    /// The program that the last definition of a text is.
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

    /// The first mistake in a definition.
    fn wrong(&self, item: Option<ItemId>) -> Option<String> {
        let inference = self.db.inference(item?);
        let mut diagnostics = inference.diagnostics.iter();
        let wrong = diagnostics.find(|found| found.severity == Severity::Error)?;
        Some(wrong.message.clone())
    }

    /// Everything as it was.
    pub fn restore(&mut self, place: &Place) {
        let text = self.files[place.source].text.clone();
        self.set(place.source, &text);
    }

    fn set(&mut self, source: usize, text: &str) {
        let path = self.files[source].path.clone();
        self.db.set_file(path, text.to_owned());
    }
}

/// How reasons begin for which there are no calls.
const NOT_CALLED: &str = "no `";
/// What the interpreter says of elements that only `padEmpty` makes.
const NEVER_WRITTEN: &str = "an element that was never written";

/// Whether a program makes elements that nobody writes.
fn pads(program: &Program<Primitive>) -> bool {
    fn holds(term: &Expr<Primitive>) -> bool {
        match &term.form {
            Form::Primitive(p, _, args) => *p == Primitive::PadEmpty || args.iter().any(holds),
            Form::Foreign(_, args) => args.iter().any(holds),
            Form::Lambda(_, body) | Form::DepLambda(_, _, body) | Form::DepApply(body, _) => {
                holds(body)
            }
            Form::Apply(f, x) => holds(f) || holds(x),
            Form::Var(_) | Form::Literal(_) | Form::Nat(_) | Form::Global(..) => false,
        }
    }
    holds(&program.body)
}

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
