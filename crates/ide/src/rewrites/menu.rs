//! The entries of the rewrite menu: the definitions of the library that have a title, with
//! arguments to offer and an order; and the kinds of all code actions.
//!
//! All data of an entry are attributes of the definition: `@title`, `@kind` and `@menu`.

use std::sync::{LazyLock, OnceLock};

use elevate::engine::Strategy;
use elevate::lang::library;
use elevate::term::{Child, Head, Heads, Store, Term};
use nat::{Facts, Nat, Prop};
use rise::{Primitive, Type};
use syntax::ast::{AnnotationValue, Literal, Name, TermId, TermKind};
use syntax::elevate::ast::{Item, ItemKind, ParamList, TypeKind};

/// Declares the kinds in the order of the menu: the kind of code action in the protocol and, for
/// kinds of entries of the library, the word in `@kind(…)`.
macro_rules! assist_kinds {
    ($($(#[$doc:meta])* $kind:ident = $code:literal $(, $word:literal)?;)+) => {
        /// The category of a code action.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum AssistKind {
            $($(#[$doc])* $kind,)+
        }

        impl AssistKind {
            /// All kinds, in the order of the menu.
            pub const ALL: &'static [AssistKind] = &[$(AssistKind::$kind,)+];

            /// The kinds of entries of the library.
            pub(crate) const OF_LIBRARY: &'static [AssistKind] = &[$($({
                const _: &str = $word;
                AssistKind::$kind
            },)?)+];

            /// The words in `@kind(…)`.
            pub(crate) const WORDS: &'static [&'static str] = &[$($($word,)?)+];

            fn from_word(word: &str) -> Option<AssistKind> {
                match word {
                    $($($word => Some(AssistKind::$kind),)?)+
                    _ => None,
                }
            }

            /// Returns the code action kind of the protocol.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(AssistKind::$kind => $code,)+
                }
            }
        }
    };
}

assist_kinds! {
    /// Fixes a diagnostic.
    QuickFix = "quickfix";
    /// Removes code without effect.
    Simplify = "refactor.rewrite.rise.simplify", "simplify";
    /// Fuses two patterns, or separates one into two.
    Fuse = "refactor.rewrite.rise.fuse", "fuse";
    /// Lowers a pattern to a loop.
    Lower = "refactor.rewrite.rise.lower", "lower";
    /// Lowers a pattern to a loop with parallel iterations.
    Parallel = "refactor.rewrite.rise.parallel", "parallel";
    /// Splits an array into chunks.
    Split = "refactor.rewrite.rise.split", "split";
    /// Interchanges loops.
    Tile = "refactor.rewrite.rise.tile", "tile";
    /// Computes several elements at once with vectors.
    Vectorize = "refactor.rewrite.rise.vectorize", "vectorize";
    /// Moves a stage earlier or later in a pipeline.
    Move = "refactor.rewrite.rise.move", "move";
    /// Stores a value in memory.
    Extract = "refactor.extract.rise.mem", "extract";
    /// Rewrites image-processing patterns.
    Image = "refactor.rewrite.rise.image", "image";
    /// Inlines definitions and functions.
    Inline = "refactor.inline.rise", "inline";
    /// Extracts a part into a definition of its own.
    ExtractDefinition = "refactor.extract.rise.definition";
    /// Applies a rule of the user's own files.
    Own = "refactor.rewrite.rise.own";
    /// Undoes a rewrite.
    Undo = "refactor.rewrite.rise.undo";
    /// Converts a whole definition to a normal form.
    Normalize = "source.rise.normalize", "normalize";
    /// Lowers a whole definition for a target.
    Lowering = "source.rise.lower", "lowering";
    /// Changes a whole definition in another way.
    Source = "source.rise.strategy", "source";
    /// Changes a whole file, without a preview of the changes.
    FixAll = "source.fixAll.rise", "fixAll";
}

impl AssistKind {
    /// Returns true if it changes a whole definition or a whole file.
    pub fn is_source(self) -> bool {
        self.as_str().starts_with("source.")
    }
}

/// The type of a parameter's argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParamSort {
    Size,
    /// A dimension of OpenCL: 0, 1 or 2.
    Dimension,
    Address,
    /// An argument that a menu cannot offer.
    Other,
}

/// A rule or strategy that menus offer: one of the library, or a rule of the user's own files.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) name: Name,
    /// The title, with `{n}` for the parameter `n`.
    pub(crate) title: String,
    pub(crate) kind: AssistKind,
    pub(crate) params: Vec<(Name, ParamSort)>,
    /// True if it is a rule, so that matching alone decides if it applies.
    pub(crate) is_rule: bool,
    /// True if it is an unsafe rule, which may change the values that a program computes.
    pub(crate) is_unsafe: bool,
    pub(crate) options: MenuOptions,
    /// For a rule, the possible heads of the terms that it matches, once it was tried.
    heads: OnceLock<Heads>,
}

/// The arguments of `@menu`.
#[derive(Clone, Debug, Default)]
pub(crate) struct MenuOptions {
    /// The position within the kind; entries without one follow in the order of the library.
    rank: Option<i64>,
    /// The detail that the title shows.
    pub(crate) detail: Option<Detail>,
    /// The arguments to offer for sizes, instead of those that are chosen by the length of the
    /// array.
    presets: Vec<i64>,
    /// The largest number of elements, which must then be constant: for loops that are unrolled.
    max_length: Option<i64>,
    /// The smallest depth of the nest of maps that the term must be.
    pub(crate) nest: Option<i64>,
    /// The primitives of which one must be the head of the term.
    pub(crate) heads: Vec<Primitive>,
    /// The primitives of which one must be the head of the term's argument.
    pub(crate) inputs: Vec<Primitive>,
    /// The condition on the use of a device by the definition, if there is one.
    device: Option<Device>,
    /// True if it copies all elements of an array, also those that are never written.
    pub(crate) copies: bool,
    /// The form of the terms that already have what the rewrite adds, so that it is not offered for
    /// them.
    pub(crate) unless: Option<Unless>,
    /// The conditions on the parallel maps around and inside the term, which explain why a line is
    /// disabled.
    pub(crate) nesting: Nesting,
    /// The name of the target for which a whole definition is lowered.
    pub(crate) target: Option<Name>,
}

/// The detail of a rewrite that its title shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// The shape of the array that is no longer needed.
    Saved,
    /// The length of the array, with the number of the chunks and their length.
    Chunks,
    /// The memory that the stored value takes.
    Stored,
}

/// A condition on the use of a device by a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Device {
    /// The definition may run on a device.
    Possible,
    /// The definition has maps over work-items.
    Used,
}

/// The form of a term that already has what a rewrite adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unless {
    /// The result is copied.
    Copied,
    /// The value of the `let` is stored in memory.
    Stored,
}

/// The conditions on the parallel maps around and inside a map that becomes parallel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nesting {
    pub(crate) inside: Option<Nested>,
    pub(crate) not_inside: Vec<Nested>,
    pub(crate) not_around: Vec<Nested>,
    /// A map that the function must contain; this is the only condition left if the others hold.
    pub(crate) around: Option<Nested>,
}

/// A map, in the dimension of the rule's argument or in any dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Nested {
    pub(crate) primitive: Primitive,
    pub(crate) same_dimension: bool,
}

impl MenuOptions {
    /// Reads the arguments of `@menu`; `None` if one of them is not known.
    fn of(item: &Item) -> Option<MenuOptions> {
        let mut options = MenuOptions::default();
        let Some(menu) = item.attribute("menu") else {
            return Some(options);
        };
        for arg in &menu.args {
            let key = &arg.key.as_ref()?.name;
            let terms = match &arg.value {
                AnnotationValue::Term(term) => std::slice::from_ref(term),
                AnnotationValue::List(terms, _) => &terms[..],
                AnnotationValue::String(..) => return None,
            };
            let one = || terms.first().copied();
            let name = || name_of(item, one()?);
            let nested = || -> Option<Vec<Nested>> {
                terms.iter().map(|term| nested(item, *term)).collect()
            };
            let primitives = || -> Option<Vec<Primitive>> {
                let names = terms.iter().map(|term| name_of(item, *term));
                names.map(|name| Primitive::from_name(name?)).collect()
            };
            match key.as_str() {
                "rank" => options.rank = Some(number(item, one()?)?),
                "presets" => {
                    let numbers = terms.iter().map(|term| number(item, *term));
                    options.presets = numbers.collect::<Option<_>>()?;
                }
                "maxLength" => options.max_length = Some(number(item, one()?)?),
                "nest" => options.nest = Some(number(item, one()?)?),
                "head" => options.heads = primitives()?,
                "input" => options.inputs = primitives()?,
                "target" => options.target = Some(name()?.clone()),
                "copies" => options.copies = name()? == "elements",
                "inside" => options.nesting.inside = Some(self::nested(item, one()?)?),
                "around" => options.nesting.around = Some(self::nested(item, one()?)?),
                "notInside" => options.nesting.not_inside = nested()?,
                "notAround" => options.nesting.not_around = nested()?,
                "detail" => {
                    options.detail = Some(match name()?.as_str() {
                        "saved" => Detail::Saved,
                        "chunks" => Detail::Chunks,
                        "stored" => Detail::Stored,
                        _ => return None,
                    });
                }
                "device" => {
                    options.device = Some(match name()?.as_str() {
                        "possible" => Device::Possible,
                        "used" => Device::Used,
                        _ => return None,
                    });
                }
                "unless" => {
                    options.unless = Some(match name()?.as_str() {
                        "copied" => Unless::Copied,
                        "stored" => Unless::Stored,
                        _ => return None,
                    });
                }
                _ => return None,
            }
        }
        Some(options)
    }
}

fn name_of(item: &Item, term: TermId) -> Option<&Name> {
    match &item.rise.term(term).kind {
        TermKind::Name(name) => Some(name),
        _ => None,
    }
}

fn number(item: &Item, term: TermId) -> Option<i64> {
    match item.rise.term(term).kind {
        TermKind::Literal(Literal::Int { value, .. }) => value.try_into().ok(),
        _ => None,
    }
}

/// Reads `mapLocal`, or `mapLocal(d)` for the same dimension.
fn nested(item: &Item, term: TermId) -> Option<Nested> {
    let (map, same_dimension) = match &item.rise.term(term).kind {
        TermKind::Apply { callee, .. } => (*callee, true),
        _ => (term, false),
    };
    Some(Nested {
        primitive: Primitive::from_name(name_of(item, map)?)?,
        same_dimension,
    })
}

/// Returns all entries in the order of the menu.
pub(crate) fn entries() -> &'static [Entry] {
    static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
        let library = library();
        let items = library.items().filter_map(|id| library.item(id));
        let mut entries: Vec<Entry> = items.filter_map(|item| entry(item, None)).collect();
        let rank = |entry: &Entry| entry.options.rank.unwrap_or(i64::MAX);
        entries.sort_by_key(|entry| (entry.kind, rank(entry)));
        entries
    });
    &ENTRIES
}

/// Returns the entry of a rule, strategy or normal form with a title; its kind is `usual` if it has
/// no `@kind`. Returns `None` for a definition that menus do not offer: one that is hidden, has no
/// title or no kind, is looping, or has attributes with unknown arguments.
pub(crate) fn entry(item: &Item, usual: Option<AssistKind>) -> Option<Entry> {
    let (name, params, is_rule, is_unsafe) = match &item.kind {
        ItemKind::Rule {
            name,
            params,
            unsafe_word,
            ..
        } => (name, params, true, unsafe_word.is_some()),
        ItemKind::Strategy { name, params, .. } | ItemKind::NormalForm { name, params, .. } => {
            (name, params, false, false)
        }
        _ => return None,
    };
    let name = name.as_ref()?.name.clone();
    if item.attribute("hidden").is_some() {
        return None;
    }
    let title = match &item.attribute("title")?.args.first()?.value {
        AnnotationValue::String(text, _) => text.to_string(),
        _ => return None,
    };
    let kind = match item.attribute("kind") {
        Some(kind) => AssistKind::from_word(word(item, &kind.args.first()?.value)?)?,
        None => usual?,
    };
    // A rule that matches its own result needs a strategy that bounds its repetition. A copy in
    // memory is useful once, so it is offered.
    if item.attribute("looping").is_some() && kind != AssistKind::Extract {
        return None;
    }
    Some(Entry {
        params: params_of(item, params, kind),
        name,
        title,
        kind,
        is_rule,
        is_unsafe,
        options: MenuOptions::of(item)?,
        heads: OnceLock::new(),
    })
}

/// Returns the word or string that the argument of an attribute is; `None` for a list and for other
/// terms.
pub(crate) fn word<'i>(item: &'i Item, value: &'i AnnotationValue) -> Option<&'i str> {
    match value {
        AnnotationValue::Term(term) => name_of(item, *term).map(Name::as_str),
        AnnotationValue::String(word, _) => Some(word),
        AnnotationValue::List(..) => None,
    }
}

fn params_of(item: &Item, lists: &[ParamList], kind: AssistKind) -> Vec<(Name, ParamSort)> {
    let params = lists.iter().flat_map(|list| list.params.iter());
    params
        .map(|id| {
            let param = &item.params[id.0 as usize];
            let ty = param.ty.map(|ty| &item.types[ty.0 as usize].kind);
            let sort = match ty {
                Some(TypeKind::Name(name)) => match name.as_str() {
                    "Nat" => ParamSort::Size,
                    "Int" if matches!(kind, AssistKind::Parallel | AssistKind::Extract) => {
                        ParamSort::Dimension
                    }
                    "Addr" => ParamSort::Address,
                    _ => ParamSort::Other,
                },
                _ => ParamSort::Other,
            };
            (param.name.clone(), sort)
        })
        .collect()
}

impl Entry {
    /// Returns true if all parameters are sizes and there is at least one.
    pub(crate) fn takes_sizes(&self) -> bool {
        let is_size = |(_, sort): &(Name, ParamSort)| *sort == ParamSort::Size;
        !self.params.is_empty() && self.params.iter().all(is_size)
    }

    /// Returns the argument lists to offer at a term; a single empty list if there are no
    /// parameters. Returns none if the array of the term is longer than the entry allows, or if
    /// menus cannot offer arguments for the parameters.
    pub(crate) fn presets(&self, store: &Store, facts: &Facts, term: Term) -> Vec<Vec<String>> {
        let words = |all: &[&str]| all.iter().map(|word| vec![(*word).to_owned()]).collect();
        let length = length(store, term);
        let fits = |most: i64| {
            let known = length.as_ref().and_then(Nat::as_const);
            known.is_some_and(|length| length <= most)
        };
        if !self.options.max_length.is_none_or(fits) {
            return Vec::new();
        }
        let sorts: Vec<ParamSort> = self.params.iter().map(|(_, sort)| *sort).collect();
        match &sorts[..] {
            [] => vec![Vec::new()],
            [ParamSort::Dimension] => words(&["0", "1"]),
            // The other address spaces are for programs with work-groups.
            [ParamSort::Address] => words(&["Private"]),
            [ParamSort::Size] => {
                let mut sizes = match &self.options.presets[..] {
                    [] => chunks(facts, length.as_ref()),
                    presets => presets.to_vec(),
                };
                let first = sizes.first().copied();
                sizes.retain(|size| !refuted(facts, *size, length.as_ref()));
                if sizes.is_empty() {
                    // The disabled line then states the reason.
                    sizes.extend(first);
                }
                sizes.iter().map(|size| vec![size.to_string()]).collect()
            }
            [ParamSort::Size, ..] if self.takes_sizes() => {
                let sides: &[i64] = match &self.options.presets[..] {
                    [] => &[32, 16, 8],
                    presets => presets,
                };
                sides
                    .iter()
                    .map(|side| vec![side.to_string(); sorts.len()])
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns true if it may match a term with this head.
    pub(crate) fn may_stand_at(&self, head: Head) -> bool {
        self.heads.get().is_none_or(|heads| heads.contains(head))
    }

    /// Caches the heads of the terms that the rule can match; the arguments make no difference.
    pub(crate) fn learn(&self, strategy: &Strategy) {
        if let Some(rule) = super::offer::rule_of(strategy) {
            self.heads.get_or_init(|| rule.heads());
        }
    }

    /// Returns true if it is about the work-items or the memories of a device.
    pub(crate) fn is_for_devices(&self) -> bool {
        let of_device =
            |sort: &ParamSort| matches!(sort, ParamSort::Dimension | ParamSort::Address);
        self.options.device.is_some() || self.params.iter().any(|(_, sort)| of_device(sort))
    }

    /// Returns true if it is only for definitions with maps over work-items.
    pub(crate) fn needs_work_items(&self) -> bool {
        self.options.device == Some(Device::Used)
    }

    /// Returns true if it is offered once for each dimension of a device.
    pub(crate) fn is_of_dimensions(&self) -> bool {
        matches!(self.params[..], [(_, ParamSort::Dimension)])
    }

    /// Renders the strategy with its arguments: `splitJoin(32)`.
    pub(crate) fn strategy(&self, args: &[String]) -> String {
        match args {
            [] => self.name.to_string(),
            args => format!("{}({})", self.name, args.join(", ")),
        }
    }

    /// Renders the title with its arguments.
    pub(crate) fn line(&self, args: &[String]) -> String {
        let mut line = self.title.clone();
        for ((name, _), arg) in self.params.iter().zip(args) {
            line = line.replace(&format!("{{{name}}}"), arg);
        }
        line
    }
}

/// Returns the entry of a strategy of the library, given with its arguments.
pub(crate) fn entry_of(strategy: &str) -> Option<&'static Entry> {
    let name = strategy.split('(').next()?;
    entries().iter().find(|entry| entry.name == name)
}

/// Returns the length of the array that a term is applied to. If there is none, returns the length
/// of the array that the function `term` takes, or that the value `term` is.
pub(crate) fn length(store: &Store, term: Term) -> Option<Nat> {
    let array = |ty: &Type| match ty {
        Type::Array(n, _) => Some(n.clone()),
        _ => None,
    };
    if let Some(argument) = store.child(term, Child::Argument)
        && let Some(n) = array(store.type_of(argument))
    {
        return Some(n);
    }
    match &**store.type_of(term) {
        Type::Fun(from, _) => array(from),
        other => array(other),
    }
}

/// Returns true if a size is known not to divide a length, or, for a constant length, is no smaller
/// than it.
fn refuted(facts: &Facts, size: i64, length: Option<&Nat>) -> bool {
    let Some(length) = length else { return false };
    let divides = Prop::Divides(Nat::constant(size), length.clone());
    match length.as_const() {
        Some(length) => length % size != 0 || length <= size,
        None => facts.excludes(&divides),
    }
}

/// Returns at most three chunk sizes to offer: divisors of a constant length that are smaller than
/// it and than 4096, powers of two near 32 first, or 2 if it has none; for another length powers of
/// two near 32, with proved divisors first.
fn chunks(facts: &Facts, length: Option<&Nat>) -> Vec<i64> {
    const MOST: usize = 3;
    let distance = |size: &i64| (size.ilog2().abs_diff(5), -size);
    if let Some(known) = length.and_then(Nat::as_const) {
        let most = known.min(4096);
        let mut sizes: Vec<i64> = (2..most).filter(|size| known % size == 0).collect();
        // Powers of two first.
        sizes.sort_by_key(|size| (size.count_ones() > 1, distance(size)));
        sizes.truncate(MOST);
        if sizes.is_empty() {
            // The disabled line then states the reason.
            sizes.push(2);
        }
        return sizes;
    }
    let proved = |size: &i64| {
        length.is_some_and(|n| facts.proves(&Prop::Divides(Nat::constant(*size), n.clone())))
    };
    let mut sizes = vec![32, 64, 16, 8, 4, 128];
    sizes.retain(|size| !refuted(facts, *size, length));
    sizes.sort_by_key(|size| (!proved(size), distance(size)));
    sizes.truncate(MOST);
    sizes
}
