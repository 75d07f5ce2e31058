//! Holds the library of strategies, which is written in ELEVATE, embedded in the binary, and always
//! in scope.

use std::ops::Range;
use std::sync::{Arc, LazyLock, OnceLock};

use rustc_hash::FxHashMap;
use syntax::ast::Name;
use syntax::elevate::ast::{Item, ItemKind};
use syntax::{Diagnostic, GlobalId, Span};

use super::check::{Checked, Env, Resolution, Signature, check, header_signature};
use super::definition::Definition;
use super::programs::Programs;

/// The files of the library, each with its name and its text.
pub const LIBRARY: &[(&str, &str)] = &[
    (
        "combinators.elevate",
        include_str!("../library/combinators.elevate"),
    ),
    (
        "results.elevate",
        include_str!("../library/results.elevate"),
    ),
    ("lists.elevate", include_str!("../library/lists.elevate")),
    (
        "traversals.elevate",
        include_str!("../library/traversals.elevate"),
    ),
    (
        "predicates.elevate",
        include_str!("../library/predicates.elevate"),
    ),
    ("lambda.elevate", include_str!("../library/lambda.elevate")),
    (
        "normal_forms.elevate",
        include_str!("../library/normal_forms.elevate"),
    ),
    (
        "algorithmic.elevate",
        include_str!("../library/algorithmic.elevate"),
    ),
    (
        "movement.elevate",
        include_str!("../library/movement.elevate"),
    ),
    (
        "lowering.elevate",
        include_str!("../library/lowering.elevate"),
    ),
    ("opencl.elevate", include_str!("../library/opencl.elevate")),
    (
        "vectorize.elevate",
        include_str!("../library/vectorize.elevate"),
    ),
    (
        "stencil.elevate",
        include_str!("../library/stencil.elevate"),
    ),
    ("zips.elevate", include_str!("../library/zips.elevate")),
    ("tiling.elevate", include_str!("../library/tiling.elevate")),
    (
        "reorder.elevate",
        include_str!("../library/reorder.elevate"),
    ),
    (
        "packing.elevate",
        include_str!("../library/packing.elevate"),
    ),
    ("blocks.elevate", include_str!("../library/blocks.elevate")),
    ("lift.elevate", include_str!("../library/lift.elevate")),
    ("image.elevate", include_str!("../library/image.elevate")),
    (
        "aliases.elevate",
        include_str!("../library/aliases.elevate"),
    ),
];

/// The number of the first item of the library. Numbers of other definitions must be less.
pub const FIRST_LIBRARY_ID: u64 = 1 << 63;

/// The library of strategies. Each item is checked once, on first use.
pub struct Library {
    entries: Vec<LibraryEntry>,
    by_name: FxHashMap<Name, usize>,
}

struct LibraryEntry {
    file: usize,
    span: Span,
    item: Arc<Item>,
    syntax: Box<[Diagnostic]>,
    header: OnceLock<Arc<Signature>>,
    definition: OnceLock<Arc<Definition>>,
}

/// The place of an item of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LibraryLocation {
    /// The file, as an index into [`LIBRARY`].
    pub file: usize,
    /// The span of the item, in bytes from the start of the file.
    pub item: Span,
    /// The span of the name, in bytes from the start of the file; empty, at the start of the item,
    /// if it has no name.
    pub name: Span,
}

/// Returns the library, which is parsed on first use.
pub fn library() -> &'static Library {
    static SHARED: LazyLock<Library> = LazyLock::new(Library::read);
    &SHARED
}

impl Library {
    fn read() -> Library {
        let mut library = Library {
            entries: Vec::new(),
            by_name: FxHashMap::default(),
        };
        for (file, (_, text)) in LIBRARY.iter().enumerate() {
            for span in syntax::elevate::split(text) {
                let parsed = syntax::elevate::parse(&text[Range::from(span)]);
                if let Some(name) = parsed.item.name() {
                    let at = library.entries.len();
                    library.by_name.entry(name.name.clone()).or_insert(at);
                }
                library.entries.push(LibraryEntry {
                    file,
                    span,
                    item: Arc::new(parsed.item),
                    syntax: parsed.diagnostics.into(),
                    header: OnceLock::new(),
                    definition: OnceLock::new(),
                });
            }
        }
        library
    }

    fn number(at: usize) -> GlobalId {
        GlobalId(FIRST_LIBRARY_ID + at as u64)
    }

    fn entry(&self, id: GlobalId) -> Option<&LibraryEntry> {
        let at = id.0.checked_sub(FIRST_LIBRARY_ID)?;
        self.entries.get(usize::try_from(at).ok()?)
    }

    /// Returns true if a number is in the range of the items of the library.
    pub fn contains(id: GlobalId) -> bool {
        id.0 >= FIRST_LIBRARY_ID
    }

    /// Returns the number of the first definition of this name.
    pub fn named(&self, name: &str) -> Option<GlobalId> {
        Some(Library::number(*self.by_name.get(name)?))
    }

    /// Resolves a name in the library.
    pub fn resolve(&self, name: &str) -> Resolution {
        match self.by_name.get(name) {
            Some(&at) => Resolution::Item(Library::number(at), self.header(at)),
            None => Resolution::Unknown,
        }
    }

    /// Returns the signature that the header of an item states. Library definitions have written
    /// types, so their bodies are not needed.
    fn header(&self, at: usize) -> Arc<Signature> {
        let entry = &self.entries[at];
        let header = || Arc::new(header_signature(&entry.item));
        entry.header.get_or_init(header).clone()
    }

    /// Returns the signature that the header of an item states; `None` if there is no such item.
    pub fn signature(&self, id: GlobalId) -> Option<Arc<Signature>> {
        self.entry(id)?;
        Some(self.header(usize::try_from(id.0 - FIRST_LIBRARY_ID).ok()?))
    }

    /// Returns the names of all definitions.
    pub fn names(&self) -> impl Iterator<Item = &Name> {
        self.by_name.keys()
    }

    /// Returns the numbers of all items, including examples, in the order of the files.
    pub fn items(&self) -> impl Iterator<Item = GlobalId> {
        (0..self.entries.len()).map(Library::number)
    }

    /// Returns the syntax of an item.
    pub fn item(&self, id: GlobalId) -> Option<&Arc<Item>> {
        Some(&self.entry(id)?.item)
    }

    /// Returns an item with the result of its check, which is made on first use.
    pub fn definition(&self, id: GlobalId) -> Option<&Arc<Definition>> {
        let entry = self.entry(id)?;
        Some(entry.definition.get_or_init(|| {
            let text = &LIBRARY[entry.file].1[Range::from(entry.span)];
            let checked = self.check(entry, text);
            Arc::new(Definition {
                id,
                text: text.into(),
                item: entry.item.clone(),
                checked: Arc::new(checked),
            })
        }))
    }

    fn check(&self, entry: &LibraryEntry, text: &str) -> Checked {
        let mut checked = check(&entry.item, text, &LibraryEnv(self));
        checked
            .diagnostics
            .splice(0..0, entry.syntax.iter().cloned());
        checked
    }

    /// Returns the numbers of the `tune`s of the library without a value.
    pub(super) fn tunes(&self) -> impl Iterator<Item = GlobalId> {
        self.items().filter(|&id| {
            let item = self.item(id);
            item.is_some_and(|item| matches!(item.kind, ItemKind::Tune { value: None, .. }))
        })
    }

    /// Returns the compiled rule of this name; `None` if there is no rule of this name, or it is
    /// built in or has errors.
    pub fn rule(&self, name: &str) -> Option<&Arc<crate::rule::Rule>> {
        let definition = self.definition(self.named(name)?)?;
        let mut rules = definition.checked.compiled.rules.values();
        rules.find(|rule| rule.it.name == name).map(|rule| &rule.it)
    }

    /// Returns the left side of each alternative of a rule with the types of its metavariables;
    /// nothing for other definitions and for rules that are built in.
    pub fn outlines(&self, id: GlobalId) -> Vec<crate::rule::Outline> {
        let found = self.definition(id).map(|definition| {
            let (item, text) = (&definition.item, &definition.text);
            super::check::outlines(item, text, &LibraryEnv(self), &definition.checked)
        });
        found.unwrap_or_default()
    }

    /// Returns the place of an item; `None` if there is no such item.
    pub fn location(&self, id: GlobalId) -> Option<LibraryLocation> {
        let entry = self.entry(id)?;
        let name = entry.item.name().map_or(Span::new(0, 0), |name| name.span);
        let start = entry.span.start;
        Some(LibraryLocation {
            file: entry.file,
            item: entry.span,
            name: Span::new(start + name.start, start + name.end),
        })
    }
}

/// The environment of the items of the library.
struct LibraryEnv<'l>(&'l Library);

impl Env for LibraryEnv<'_> {
    fn resolve(&self, name: &str) -> Resolution {
        self.0.resolve(name)
    }

    fn names(&self) -> Vec<Name> {
        self.0.names().cloned().collect()
    }

    fn rise(&self) -> &dyn rise::Env {
        Programs::standard()
    }

    fn in_library(&self) -> bool {
        true
    }

    fn is_library(&self, id: GlobalId) -> bool {
        Library::contains(id)
    }
}
