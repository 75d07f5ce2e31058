//! What is offered: the definitions of the library that have a title, with the sizes to offer them
//! at, and in which order.
//!
//! Titles and kinds are data of the library's own texts (`@title`, `@kind`); here stands what they
//! cannot say: which values of parameters are worth a line of a menu, what a line says of what it
//! saves, and what comes first. After "Reference: ELEVATE" section 10.

use std::sync::{LazyLock, OnceLock};

use elevate::engine::Strategy;
use elevate::lang::library;
use elevate::term::{Child, Head, Heads, Store, Term};
use nat::{Facts, Nat, Prop};
use rise::Type;
use syntax::ast::{AnnotationValue, Name, TermKind};
use syntax::elevate::ast::{Item, ItemKind, ParamList, TypeKind};

/// How a line of the menu is filed with the editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RewriteKind {
    /// What does nothing is taken away.
    Simplify,
    /// Two things become one, or one two.
    Fuse,
    /// A pattern becomes a loop.
    Lower,
    /// A pattern becomes a loop whose rounds run at once.
    Parallel,
    /// An array is taken in chunks.
    Split,
    /// Loops change places.
    Tile,
    /// Several elements are computed at once.
    Vectorize,
    /// A stage is done earlier or later.
    Move,
    /// Something is kept in memory.
    Extract,
    /// Rules for images.
    Image,
    /// Definitions and functions are put in their places.
    Inline,
    /// Rules of the user's own files.
    Own,
    /// A rewrite is taken back.
    Undo,
    /// A whole definition in another form.
    Normalize,
    /// A whole definition for a target.
    Lowering,
    /// A whole definition, otherwise.
    Source,
    /// A whole file, without a look at what changes.
    FixAll,
}

impl RewriteKind {
    fn from_word(word: &str) -> Option<RewriteKind> {
        Some(match word {
            "simplify" => RewriteKind::Simplify,
            "fuse" => RewriteKind::Fuse,
            "lower" => RewriteKind::Lower,
            "parallel" => RewriteKind::Parallel,
            "split" => RewriteKind::Split,
            "tile" => RewriteKind::Tile,
            "vectorize" => RewriteKind::Vectorize,
            "move" => RewriteKind::Move,
            "extract" => RewriteKind::Extract,
            "image" => RewriteKind::Image,
            "inline" => RewriteKind::Inline,
            "normalize" => RewriteKind::Normalize,
            "lowering" => RewriteKind::Lowering,
            "source" => RewriteKind::Source,
            _ => return None,
        })
    }

    /// The protocol's kind.
    pub fn as_str(self) -> &'static str {
        match self {
            RewriteKind::Simplify => "refactor.rewrite.rise.simplify",
            RewriteKind::Fuse => "refactor.rewrite.rise.fuse",
            RewriteKind::Lower => "refactor.rewrite.rise.lower",
            RewriteKind::Parallel => "refactor.rewrite.rise.parallel",
            RewriteKind::Split => "refactor.rewrite.rise.split",
            RewriteKind::Tile => "refactor.rewrite.rise.tile",
            RewriteKind::Vectorize => "refactor.rewrite.rise.vectorize",
            RewriteKind::Move => "refactor.rewrite.rise.move",
            RewriteKind::Extract => "refactor.extract.rise.mem",
            RewriteKind::Image => "refactor.rewrite.rise.image",
            RewriteKind::Inline => "refactor.inline.rise",
            RewriteKind::Own => "refactor.rewrite.rise.own",
            RewriteKind::Undo => "refactor.rewrite.rise.undo",
            RewriteKind::Normalize => "source.rise.normalize",
            RewriteKind::Lowering => "source.rise.lower",
            RewriteKind::Source => "source.rise.strategy",
            RewriteKind::FixAll => "source.fixAll.rise",
        }
    }

    /// Whether it is about a definition or file as a whole.
    pub fn is_source(self) -> bool {
        self.as_str().starts_with("source.")
    }

    /// All of them, in the order of the menu.
    pub const ALL: [RewriteKind; 17] = [
        RewriteKind::Simplify,
        RewriteKind::Fuse,
        RewriteKind::Lower,
        RewriteKind::Parallel,
        RewriteKind::Split,
        RewriteKind::Tile,
        RewriteKind::Vectorize,
        RewriteKind::Move,
        RewriteKind::Extract,
        RewriteKind::Image,
        RewriteKind::Inline,
        RewriteKind::Own,
        RewriteKind::Undo,
        RewriteKind::Normalize,
        RewriteKind::Lowering,
        RewriteKind::Source,
        RewriteKind::FixAll,
    ];
}

/// What a parameter is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParamSort {
    /// A size.
    Size,
    /// A dimension of OpenCL: 0, 1 or 2.
    Dimension,
    /// An address space.
    Address,
    /// Something that a menu cannot ask for.
    Other,
}

/// A definition that menus offer.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// Its name.
    pub(crate) name: Name,
    /// The line, with `{n}` for the parameter `n`.
    pub(crate) title: String,
    /// Where it is filed.
    pub(crate) kind: RewriteKind,
    /// Its parameters.
    pub(crate) params: Vec<(Name, ParamSort)>,
    /// Whether it is a rule: whether it applies is known by matching alone.
    pub(crate) is_rule: bool,
    /// Whether the meaning may change.
    pub(crate) is_unsafe: bool,
    /// Of a rule, what may stand at the head of a term that it applies to, once it was tried.
    heads: OnceLock<Heads>,
}

/// Everything that is offered, what comes first in a menu first.
pub(crate) fn entries() -> &'static [Entry] {
    static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
        let library = library();
        let items = library.items().filter_map(|id| library.item(id));
        let mut entries: Vec<Entry> = items.filter_map(|item| entry(item, None)).collect();
        entries.sort_by_key(|entry| (entry.kind, rank(&entry.name)));
        entries
    });
    &ENTRIES
}

/// A definition that has a title, and a kind: `usual` if none is written.
pub(super) fn entry(item: &Item, usual: Option<RewriteKind>) -> Option<Entry> {
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
    if attribute(item, "hidden").is_some() {
        return None;
    }
    let title = match attribute(item, "title")?.first()? {
        AnnotationValue::String(text, _) => text.to_string(),
        _ => return None,
    };
    let kind = match (attribute(item, "kind"), usual) {
        (Some(words), _) => RewriteKind::from_word(&word(item, words.first()?)?)?,
        (None, usual) => usual?,
    };
    // What applies to its own results is for strategies that say how often; but a copy in memory
    // is what somebody may want here.
    if attribute(item, "looping").is_some() && kind != RewriteKind::Extract {
        return None;
    }
    Some(Entry {
        params: params_of(item, params, kind),
        name,
        title,
        kind,
        is_rule,
        is_unsafe,
        heads: OnceLock::new(),
    })
}

fn attribute<'i>(item: &'i Item, name: &str) -> Option<Vec<&'i AnnotationValue>> {
    let found = item
        .attributes
        .iter()
        .find(|attribute| attribute.name.as_ref().is_some_and(|n| n.name == name))?;
    Some(found.args.iter().map(|arg| &arg.value).collect())
}

/// The word or text that an attribute is given.
fn word(item: &Item, value: &AnnotationValue) -> Option<String> {
    match value {
        AnnotationValue::Term(term) => match &item.rise.term(*term).kind {
            TermKind::Name(word) => Some(word.to_string()),
            _ => None,
        },
        AnnotationValue::String(word, _) => Some(word.to_string()),
        AnnotationValue::List(..) => None,
    }
}

fn params_of(item: &Item, lists: &[ParamList], kind: RewriteKind) -> Vec<(Name, ParamSort)> {
    let params = lists.iter().flat_map(|list| list.params.iter());
    params
        .map(|id| {
            let param = &item.params[id.0 as usize];
            let ty = param.ty.map(|ty| &item.types[ty.0 as usize].kind);
            let sort = match ty {
                Some(TypeKind::Name(name)) => match name.as_str() {
                    "Nat" => ParamSort::Size,
                    "Int" if matches!(kind, RewriteKind::Parallel | RewriteKind::Extract) => {
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

/// What comes first within a kind: what more programs want.
fn rank(name: &str) -> usize {
    const FIRST: &[&str] = &[
        "gentleBeta",
        "mapFusion",
        "fuseReduceMap",
        "mapSeqFusion",
        "fuseReduceMapSeq",
        "mapFission",
        "toMapSeq",
        "sequentialReduce",
        "toReduceSeq",
        "toMapLocal",
        "toMapGlobal",
        "toMapWorkGroup",
        "toMapPar",
        "splitJoin",
        "splitReduce",
        "tile",
        "loopInterchange",
        "vectorize",
        "storeLocally",
    ];
    FIRST
        .iter()
        .position(|first| *first == name)
        .unwrap_or(FIRST.len())
}

impl Entry {
    /// Returns `true` if it takes sizes, and nothing else.
    pub(crate) fn takes_sizes(&self) -> bool {
        let is_size = |(_, sort): &(Name, ParamSort)| *sort == ParamSort::Size;
        !self.params.is_empty() && self.params.iter().all(is_size)
    }

    /// The arguments to offer it with at a term; one empty list if it takes none.
    pub(crate) fn presets(&self, store: &Store, facts: &Facts, term: Term) -> Vec<Vec<String>> {
        let words = |all: &[&str]| all.iter().map(|word| vec![(*word).to_owned()]).collect();
        if unrolls(&self.name) && !length(store, term).is_some_and(|n| is_small(&n)) {
            return Vec::new();
        }
        let sorts: Vec<ParamSort> = self.params.iter().map(|(_, sort)| *sort).collect();
        match &sorts[..] {
            [] => vec![Vec::new()],
            [ParamSort::Dimension] => words(&["0", "1"]),
            // The others are for programs that have work-groups.
            [ParamSort::Address] => words(&["Private"]),
            [ParamSort::Size] if self.kind == RewriteKind::Vectorize => {
                let lanes = [4, 8, 16].into_iter();
                let length = length(store, term);
                let mut lanes: Vec<i64> = lanes
                    .filter(|lanes| !refuted(facts, *lanes, length.as_ref()))
                    .collect();
                if lanes.is_empty() {
                    // It says why there is none.
                    lanes.push(4);
                }
                lanes
                    .into_iter()
                    .map(|lanes| vec![lanes.to_string()])
                    .collect()
            }
            [ParamSort::Size] => chunks(facts, length(store, term).as_ref())
                .into_iter()
                .map(|size| vec![size.to_string()])
                .collect(),
            [ParamSort::Size, rest @ ..] if rest.iter().all(|sort| *sort == ParamSort::Size) => {
                let sides: &[i64] = if sorts.len() == 2 {
                    &[32, 16, 8]
                } else {
                    &[8, 4]
                };
                sides
                    .iter()
                    .map(|side| vec![side.to_string(); sorts.len()])
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether a term with this head may be one that it applies to.
    pub(crate) fn may_stand_at(&self, head: Head) -> bool {
        self.heads.get().is_none_or(|heads| heads.contains(head))
    }

    /// Keeps at which terms it has no chance; its parameters make no difference.
    pub(crate) fn learn(&self, strategy: &Strategy) {
        if let Some(rule) = super::offer::rule_of(strategy) {
            self.heads.get_or_init(|| rule.heads());
        }
    }

    /// Whether it is about the work-items or the memories of a device.
    pub(crate) fn is_for_devices(&self) -> bool {
        let of_device =
            |sort: &ParamSort| matches!(sort, ParamSort::Dimension | ParamSort::Address);
        self.params.iter().any(|(_, sort)| of_device(sort))
            || matches!(
                self.name.as_str(),
                "toLocalAfter" | "toPrivateAfter" | "toGlobalAfter"
            )
    }

    /// Whether it is offered once for each dimension of a device.
    pub(crate) fn is_of_dimensions(&self) -> bool {
        matches!(self.params[..], [(_, ParamSort::Dimension)])
    }

    /// As a strategy is written: `splitJoin(32)`.
    pub(crate) fn strategy(&self, args: &[String]) -> String {
        match args {
            [] => self.name.to_string(),
            args => format!("{}({})", self.name, args.join(", ")),
        }
    }

    /// The line with its arguments.
    pub(crate) fn line(&self, args: &[String]) -> String {
        let mut line = self.title.clone();
        for ((name, _), arg) in self.params.iter().zip(args) {
            line = line.replace(&format!("{{{name}}}"), arg);
        }
        line
    }
}

/// Whether a definition writes a loop out.
fn unrolls(name: &str) -> bool {
    matches!(
        name,
        "toMapSeqUnroll"
            | "unrollMapSeq"
            | "unrolledReduce"
            | "unrollReduce"
            | "mapSeqUnrollWrite"
            | "toReduceSeqUnroll"
            | "unroll"
    )
}

/// Whether so many rounds are few enough to be written out.
fn is_small(rounds: &Nat) -> bool {
    rounds.as_const().is_some_and(|rounds| rounds <= 32)
}

/// How many elements the array has that goes into a term.
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

/// Whether a size is known not to divide a length.
fn refuted(facts: &Facts, size: i64, length: Option<&Nat>) -> bool {
    let Some(length) = length else { return false };
    let divides = Prop::Divides(Nat::constant(size), length.clone());
    match length.as_const() {
        Some(length) => length % size != 0 || length <= size,
        None => facts.excludes(&divides),
    }
}

/// Sizes of chunks to offer: divisors of a known length, powers of two near 32 for another one,
/// those first of which it is proved that they divide it.
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
            // It says why there is none.
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
