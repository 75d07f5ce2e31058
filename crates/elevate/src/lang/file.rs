//! Reads an `.elevate` file without a database, for tests, examples and small tools.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;
use syntax::ast::{Name, TermKind};
use syntax::elevate::ast::{ExprKind, Item};
use syntax::{Diagnostic, GlobalId, Span};

use super::check::{Checked, Env, Resolution, Signature, check, header_signature};
use super::definition::{Definition, Definitions};
use super::library::{Library, library};
use super::programs::Programs;

/// The items of a text, with the RISE definitions that they can use. Imports are not read.
pub struct File {
    entries: Vec<FileEntry>,
    by_name: FxHashMap<Name, usize>,
    programs: Programs,
}

struct FileEntry {
    span: Span,
    text: Arc<str>,
    item: Arc<Item>,
    syntax: Box<[Diagnostic]>,
    definition: OnceLock<Arc<Definition>>,
}

impl File {
    /// Parses and checks a text.
    pub fn new(text: &str, programs: Programs) -> File {
        let mut file = File {
            entries: Vec::new(),
            by_name: FxHashMap::default(),
            programs,
        };
        for span in syntax::elevate::split(text) {
            let text = &text[Range::from(span)];
            let parsed = syntax::elevate::parse(text);
            if let Some(name) = parsed.item.name() {
                let at = file.entries.len();
                file.by_name.entry(name.name.clone()).or_insert(at);
            }
            file.entries.push(FileEntry {
                span,
                text: text.into(),
                item: Arc::new(parsed.item),
                syntax: parsed.diagnostics.into(),
                definition: OnceLock::new(),
            });
        }
        (0..file.entries.len()).for_each(|at| file.check(at));
        file
    }

    /// Checks an item and the items that it uses that are not checked yet, in post-order. In a
    /// cycle, the signature from the header of an item is used.
    fn check(&self, root: usize) {
        let mut opened = vec![false; self.entries.len()];
        let mut waiting = vec![root];
        while let Some(&at) = waiting.last() {
            let entry = &self.entries[at];
            if entry.definition.get().is_some() {
                waiting.pop();
            } else if opened[at] {
                waiting.pop();
                let checked = self.checked(entry);
                let _ = entry.definition.set(Arc::new(Definition {
                    id: GlobalId(at as u64),
                    text: entry.text.clone(),
                    item: entry.item.clone(),
                    checked: Arc::new(checked),
                }));
            } else {
                opened[at] = true;
                for name in mentions(&entry.item) {
                    if let Some(&used) = self.by_name.get(name)
                        && !opened[used]
                    {
                        waiting.push(used);
                    }
                }
            }
        }
    }

    fn checked(&self, entry: &FileEntry) -> Checked {
        let mut checked = check(&entry.item, &entry.text, self);
        checked
            .diagnostics
            .splice(0..0, entry.syntax.iter().cloned());
        checked
    }

    /// Returns the checked items, in source order.
    pub fn items(&self) -> impl Iterator<Item = &Arc<Definition>> {
        self.entries
            .iter()
            .filter_map(|entry| entry.definition.get())
    }

    /// Returns the first definition of this name.
    pub fn named(&self, name: &str) -> Option<&Arc<Definition>> {
        self.entries[*self.by_name.get(name)?].definition.get()
    }

    /// Returns the diagnostics of all items. Their spans are in the text, apart from those of related
    /// places in other items, which stay relative to these items.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let mut all = Vec::new();
        for entry in &self.entries {
            let checked = entry.definition.get();
            let found = checked.iter().flat_map(|d| &d.checked.diagnostics);
            all.extend(found.map(|diagnostic| diagnostic.clone().shifted(entry.span.start)));
        }
        all
    }

    /// Returns all items of the file, and the RISE definitions without errors that they can use.
    pub fn definitions(&self) -> Definitions {
        let strategies = self.items();
        let strategies = strategies.map(|definition| (definition.id, definition.clone()));
        let mut definitions = Definitions {
            strategies: strategies.collect(),
            programs: FxHashMap::default(),
        };
        for name in rise::Env::names(&self.programs) {
            if let Some(id) = self.programs.named(&name)
                && let Some(def) = self.programs.definition(id)
            {
                definitions.programs.insert(id, def);
            }
        }
        definitions
    }

    /// Returns the RISE definitions that the items can use.
    pub fn programs(&self) -> &Programs {
        &self.programs
    }
}

/// Returns the names in the expressions and RISE terms of an item, which may refer to definitions.
fn mentions(item: &Item) -> impl Iterator<Item = &Name> {
    let exprs = item.exprs.iter().filter_map(|expr| match &expr.kind {
        ExprKind::Name(name) => Some(name),
        ExprKind::Member { name, .. } => name.as_ref().map(|name| &name.name),
        _ => None,
    });
    let terms = item.rise.terms.iter().filter_map(|term| match &term.kind {
        TermKind::Name(name) => Some(name),
        _ => None,
    });
    exprs.chain(terms)
}

impl Env for File {
    fn resolve(&self, name: &str) -> Resolution {
        let Some(&at) = self.by_name.get(name) else {
            return library().resolve(name);
        };
        let entry = &self.entries[at];
        let signature: Arc<Signature> = match entry.definition.get() {
            Some(definition) => definition.checked.signature.clone(),
            None => Arc::new(header_signature(&entry.item)),
        };
        Resolution::Item(GlobalId(at as u64), signature)
    }

    fn names(&self) -> Vec<Name> {
        let own = self.by_name.keys();
        own.chain(library().names()).cloned().collect()
    }

    fn rise(&self) -> &dyn rise::Env {
        &self.programs
    }

    fn is_library(&self, id: GlobalId) -> bool {
        Library::contains(id)
    }
}
