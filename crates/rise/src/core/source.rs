//! A program from a text with the standard library, without a database: for tests, examples and
//! small tools.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashMap;
use syntax::ast::{Item, Name, TermKind};
use syntax::{Diagnostic, GlobalId, Severity};

use super::{Def, LinkError, Program, elaborate, link};
use crate::{Env, Primitive, Resolution, Scheme};

/// Why a text has no such program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// The text does not define it.
    #[error("there is no definition of `{0}`")]
    Missing(Name),
    /// A definition has errors; spans count from its first byte.
    #[error("`{name}` has errors: {}", first_message(.diagnostics))]
    Wrong {
        /// The definition.
        name: Name,
        /// What is wrong, and what else there is to say.
        diagnostics: Vec<Diagnostic>,
    },
    /// The definitions do not make a program.
    #[error(transparent)]
    Link(#[from] LinkError),
}

fn first_message(diagnostics: &[Diagnostic]) -> &str {
    let errors = |d: &&Diagnostic| d.severity == Severity::Error;
    diagnostics
        .iter()
        .find(errors)
        .map_or("unknown", |d| &d.message)
}

/// The program that `name` defines in `text`, or in the standard library. Imports are not read.
///
/// ```
/// let text = "def twice = fun(x: f32 => x + x)";
/// let program = rise::core::program_of(text, "twice")?;
/// assert!(program.runnable().is_ok());
/// # Ok::<(), rise::core::SourceError>(())
/// ```
pub fn program_of(text: &str, name: &str) -> Result<Program<Primitive>, SourceError> {
    let mut file = File::with_library();
    file.read(text);
    let missing = || SourceError::Missing(name.into());
    let root = *file.by_name.get(name).ok_or_else(missing)?;
    file.check(root);
    let lookup = |id: GlobalId| file.entries.get(usize::try_from(id.0).ok()?)?.def.clone();
    match link(GlobalId(root as u64), &lookup) {
        Err(error @ (LinkError::Broken | LinkError::BrokenUse { .. })) => {
            let own = [root].into_iter().chain(file.library..file.entries.len());
            let mut wrong = own.map(|at| &file.entries[at]).filter(|e| e.is_wrong());
            match wrong.next() {
                Some(entry) => Err(SourceError::Wrong {
                    name: entry.name.clone(),
                    diagnostics: entry.diagnostics.clone(),
                }),
                None => Err(error.into()),
            }
        }
        result => Ok(result?),
    }
}

/// A definition.
#[derive(Clone)]
struct Entry {
    name: Name,
    item: Arc<Item>,
    state: State,
    scheme: Option<Arc<Scheme>>,
    def: Option<Arc<Def<Primitive>>>,
    diagnostics: Vec<Diagnostic>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

impl Entry {
    fn is_wrong(&self) -> bool {
        let wrong = |d: &Diagnostic| d.severity == Severity::Error;
        self.diagnostics.iter().any(wrong)
    }
}

/// Definitions that see each other.
#[derive(Clone, Default)]
struct File {
    entries: Vec<Entry>,
    by_name: FxHashMap<Name, usize>,
    /// How many of them are the library's.
    library: usize,
}

impl File {
    fn with_library() -> File {
        static LIBRARY: LazyLock<File> = LazyLock::new(|| {
            let mut file = File::default();
            for (_, text) in crate::STD {
                file.read(text);
            }
            file.library = file.entries.len();
            for at in 0..file.library {
                file.check(at);
            }
            file
        });
        LIBRARY.clone()
    }

    /// Adds the definitions of a text; of several with one name, the first one counts.
    fn read(&mut self, text: &str) {
        let before = self.entries.len();
        for span in syntax::split(text) {
            let parsed = syntax::parse(&text[Range::from(span)]);
            let Some(name) = parsed.item.name().map(|ident| ident.name.clone()) else {
                continue;
            };
            let at = self.entries.len();
            let known = self.by_name.entry(name.clone()).or_insert(at);
            if *known < before {
                *known = at;
            }
            self.entries.push(Entry {
                name,
                item: Arc::new(parsed.item),
                state: State::New,
                scheme: None,
                def: None,
                diagnostics: parsed.diagnostics,
            });
        }
    }

    /// Checks a definition, those that it names first, on a stack of its own: chains of
    /// definitions may be long.
    fn check(&mut self, root: usize) {
        let mut steps = vec![root];
        while let Some(&at) = steps.last() {
            match self.entries[at].state {
                State::New => {
                    self.entries[at].state = State::Open;
                    let item = self.entries[at].item.clone();
                    for term in &item.terms {
                        if let TermKind::Name(name) = &term.kind
                            && let Some(&used) = self.by_name.get(name)
                            && self.entries[used].state == State::New
                        {
                            steps.push(used);
                        }
                    }
                }
                State::Open => {
                    steps.pop();
                    self.infer(at);
                }
                State::Done => {
                    steps.pop();
                }
            }
        }
    }

    fn infer(&mut self, at: usize) {
        let item = self.entries[at].item.clone();
        let inference = crate::infer(&item, self);
        let entry = &mut self.entries[at];
        entry.state = State::Done;
        entry.scheme = Some(inference.scheme.clone());
        if !entry.is_wrong() {
            entry.def = elaborate(&item, &inference).map(Arc::new);
        }
        entry.diagnostics.extend(inference.diagnostics);
    }
}

impl Env for File {
    fn resolve(&self, name: &str) -> Resolution {
        let Some(&at) = self.by_name.get(name) else {
            return Resolution::Unknown;
        };
        let id = GlobalId(at as u64);
        match &self.entries[at].scheme {
            Some(scheme) => Resolution::Def(id, scheme.clone()),
            // It uses itself.
            None => Resolution::Broken(Some(id)),
        }
    }

    fn names(&self) -> Vec<Name> {
        self.by_name.keys().cloned().collect()
    }
}
