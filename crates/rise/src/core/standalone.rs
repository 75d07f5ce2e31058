//! The construction of programs from texts and the standard library without the database, for
//! tests, examples and small tools.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use rustc_hash::{FxHashMap, FxHashSet};
use syntax::ast::{Item, Name, TermKind};
use syntax::{Diagnostic, GlobalId, Severity};

use super::{Def, LinkError, Program, elaborate, link};
use crate::{Env, Primitive, Resolution, Scheme};

/// The reason why a text does not define a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// Neither the text nor the standard library defines the name.
    #[error("there is no definition of `{0}`")]
    Missing(Name),
    /// A definition has errors; the spans of its diagnostics are in bytes from the definition's
    /// first byte.
    #[error("`{name}` has errors: {}", first_message(.diagnostics))]
    Wrong {
        /// The name of the definition.
        name: Name,
        /// The definition's diagnostics, errors and others.
        diagnostics: Vec<Diagnostic>,
    },
    /// The definitions cannot be linked.
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

/// Returns the program that `name` defines in `text`, or in the standard library. Imports are not
/// read.
///
/// ```
/// let text = "def twice = fun(x: f32 => x + x)";
/// let program = rise::core::program_of(text, "twice")?;
/// assert!(program.runnable().is_ok());
/// # Ok::<(), rise::core::SourceError>(())
/// ```
///
/// # Errors
/// Fails if nothing has the name, if a definition has errors, or if the definitions cannot be
/// linked.
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

#[derive(Clone)]
struct Definition {
    name: Name,
    item: Arc<Item>,
    scheme: Option<Arc<Scheme>>,
    def: Option<Arc<Def<Primitive>>>,
    diagnostics: Vec<Diagnostic>,
}

impl Definition {
    fn is_wrong(&self) -> bool {
        let wrong = |d: &Diagnostic| d.severity == Severity::Error;
        self.diagnostics.iter().any(wrong)
    }
}

/// The definitions of a text and the library, which are in each other's scope.
#[derive(Clone, Default)]
struct File {
    entries: Vec<Definition>,
    by_name: FxHashMap<Name, usize>,
    /// The number of the library's definitions, which are the first ones in `entries`.
    library: usize,
    visited: VisitedDefs,
}

/// The numbers of the definitions that have been visited.
#[derive(Clone, Debug, Default)]
pub struct VisitedDefs(FxHashSet<usize>);

impl VisitedDefs {
    /// Visits a definition and those that it depends on, and returns the ones not visited before in
    /// post-order: dependencies come first, except in cycles. The work list is explicit, because
    /// chains of definitions may be too long for recursion.
    pub fn post_order(&mut self, root: usize, uses: &dyn Fn(usize) -> Vec<usize>) -> Vec<usize> {
        let (mut order, mut open) = (Vec::new(), vec![(root, false)]);
        while let Some((at, is_ready)) = open.pop() {
            if is_ready {
                order.push(at);
            } else if self.0.insert(at) {
                open.push((at, true));
                open.extend(uses(at).into_iter().map(|used| (used, false)));
            }
        }
        order
    }
}

/// Returns the numbers in `by_name` of the names that occur in an item, once for each occurrence.
pub fn named(item: &Item, by_name: &FxHashMap<Name, usize>) -> Vec<usize> {
    let terms = item.terms.iter();
    let names = terms.filter_map(|term| match &term.kind {
        TermKind::Name(name) => by_name.get(name).copied(),
        _ => None,
    });
    names.collect()
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

    /// Adds the definitions of a text, which replace those of earlier texts with the same name. Of
    /// several definitions of one name in this text, the first one is used.
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
            self.entries.push(Definition {
                name,
                item: Arc::new(parsed.item),
                scheme: None,
                def: None,
                diagnostics: parsed.diagnostics,
            });
        }
    }

    /// Checks a definition after its dependencies.
    fn check(&mut self, root: usize) {
        let (entries, by_name) = (&self.entries, &self.by_name);
        let uses = |at: usize| named(&entries[at].item, by_name);
        for at in self.visited.post_order(root, &uses) {
            self.infer(at);
        }
    }

    fn infer(&mut self, at: usize) {
        let item = self.entries[at].item.clone();
        let inference = crate::infer(&item, self);
        let entry = &mut self.entries[at];
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
            // The definition depends on itself.
            None => Resolution::Broken(Some(id)),
        }
    }

    fn names(&self) -> Vec<Name> {
        self.by_name.keys().cloned().collect()
    }
}
