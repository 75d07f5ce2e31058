//! The completion list: collects candidates, ranks them and renders the best ones.

use std::sync::Arc;

use codegen::Target;
use db::{Binding, Database, ItemId, Origin};
use rise::{BinderInfo, ExpectedFunction, Primitive, Scheme, TermInfo, Ty, Type};
use rustc_hash::FxHashSet;
use syntax::ast::{
    AddressSpace, Annotation, AnnotationValue, Kind, Name, ReadWrite, ScalarType, TermId, TermKind,
};
use syntax::{Dialect, GlobalId, Span};

use super::cursor_context::Place;
use super::{COMPLETION_LIMIT, Completion, CompletionKind, CompletionSource};
use crate::builtin::Builtin;
use crate::signature_help::{self, Wanted};
use crate::{fuzzy, imports, item_view, offered_strategies, snippet};

/// The candidates that match the prefix.
pub(super) struct List<'p, 'd> {
    place: Option<&'p Place<'d>>,
    prefix: &'p str,
    replace: Span,
    found: Vec<Candidate>,
}

impl<'p, 'd> List<'p, 'd> {
    pub(super) fn new(place: &'p Place<'d>) -> List<'p, 'd> {
        List {
            place: Some(place),
            prefix: &place.prefix,
            replace: place.view.absolute(place.replace),
            found: Vec::new(),
        }
    }

    pub(super) fn bare(replace: Span) -> List<'static, 'static> {
        List {
            place: None,
            prefix: "",
            replace,
            found: Vec::new(),
        }
    }

    /// Renders the best candidates, at most [`COMPLETION_LIMIT`]. Ranks them first, and computes
    /// the types only of those that are shown, unless the rank depends on the types: the scope of a
    /// file may contain thousands of names.
    pub(super) fn finish(mut self) -> Vec<Completion> {
        let called = self.place.is_some_and(|place| place.called);
        let dialect = self.dialect();
        let mut written = Vec::new();
        while written.len() < COMPLETION_LIMIT && !self.found.is_empty() {
            let batch = take_best(&mut self.found, COMPLETION_LIMIT - written.len());
            let schemes = match self.place {
                Some(place) => schemes(place.view.db, batch.iter().map(|found| &found.entry)),
                None => batch.iter().map(|_| None).collect(),
            };
            written.extend(
                batch
                    .into_iter()
                    .zip(schemes)
                    .filter_map(|(found, scheme)| {
                        found.write(scheme, dialect, self.replace, called)
                    }),
            );
        }
        written
    }

    fn dialect(&self) -> Dialect {
        self.place
            .map_or(Dialect::Rise, |place| place.view.dialect())
    }

    fn push(&mut self, entry: Entry) {
        if let Some(score) = fuzzy::score(self.prefix, &entry.label) {
            let rarity = entry.rarity();
            self.found.push(Candidate {
                entry,
                score,
                rarity,
            });
        }
    }

    pub(super) fn word(&mut self, label: &str, kind: CompletionKind, insert: &str, tier: u8) {
        let what = What::Plain {
            detail: None,
            insert: Some(insert.to_owned()),
        };
        self.push(Entry {
            what,
            ..Entry::new(label, kind, tier)
        });
    }

    pub(super) fn items(&mut self) {
        self.word("def", CompletionKind::Keyword, "def ${1:name} = $0", 0);
        self.word("import", CompletionKind::Keyword, "import \"$0\"", 1);
        let foreign = "foreign def ${1:name}(${2:x}: ${3:f32}): ${4:f32}";
        self.word("foreign", CompletionKind::Keyword, foreign, 2);
    }

    pub(super) fn after_expression(&mut self) {
        let Some(place) = self.place else { return };
        if place.new_line {
            self.items();
        }
        let lets = |term: &syntax::ast::Term| {
            matches!(term.kind, TermKind::Let { .. } | TermKind::LetSize { .. })
                && term.span.start < place.offset
        };
        if place.view.item().terms.iter().any(lets) {
            self.word("in", CompletionKind::Keyword, "in ", 1);
        }
    }

    pub(super) fn expression_words(&mut self, argument: bool) {
        // The keywords that begin expressions come before the names of the library.
        let words = [
            ("fun", "fun(${1:x} => $0)", 3),
            ("depFun", "depFun(${1:n}: ${2:Nat} => $0)", 3),
            ("let", "let ${1:x} = ${2:value} in $0", 3),
            ("true", "true", 6),
            ("false", "false", 6),
        ];
        for (label, insert, tier) in words {
            self.word(label, CompletionKind::Keyword, insert, tier);
        }
        if self.dialect() == Dialect::Dpia {
            let branches = "if (${1:condition}) {\n  ${2:skip}\n} else {\n  ${3:skip}\n}";
            self.word("if", CompletionKind::Keyword, branches, 6);
            self.word("skip", CompletionKind::Keyword, "skip", 6);
        }
        if argument {
            self.word("natFun", CompletionKind::Keyword, "natFun(${1:i} => $0)", 7);
            self.word(
                "dataFun",
                CompletionKind::Keyword,
                "dataFun(${1:i} => $0)",
                7,
            );
            let is_wanted = self.wanted(argument) == Some(Wanted::TypeLevel(Kind::AddrSp));
            for space in AddressSpace::ALL {
                let word = space.as_str();
                let tier = if is_wanted { 0 } else { 7 };
                self.word(word, CompletionKind::AddressSpace, word, tier);
            }
            for scalar in ScalarType::ALL {
                self.word(scalar.as_str(), CompletionKind::Type, scalar.as_str(), 8);
            }
            if self.dialect() == Dialect::Dpia {
                self.access_words(8);
            }
        }
    }

    pub(super) fn types(&mut self) {
        self.locals(Locals::InTypes);
        if self.dialect() == Dialect::Dpia {
            self.phrase_types();
        }
        for scalar in ScalarType::ALL {
            self.word(scalar.as_str(), CompletionKind::Type, scalar.as_str(), 2);
        }
        let constructors = [
            ("Array", "Array[${1:n}, ${2:t}]"),
            ("Vec", "Vec[${1:n}, ${2:t}]"),
            ("Tuple", "Tuple[${1:s}, ${2:t}]"),
            ("Idx", "Idx[${1:n}]"),
            ("DepPair", "DepPair[${1:k} => $0]"),
        ];
        for (label, insert) in constructors {
            self.word(label, CompletionKind::Type, insert, 3);
        }
    }

    /// Adds the keyword `where`, which begins the conditions on sizes after a type of RISE.
    pub(super) fn conditions(&mut self) {
        if self.dialect() == Dialect::Rise {
            self.word("where", CompletionKind::Keyword, "where $0", 0);
        }
    }

    /// Adds the local names that may occur in a size.
    pub(super) fn sizes(&mut self) {
        self.locals(Locals::InTypes);
    }

    fn phrase_types(&mut self) {
        let phrases = [
            ("Exp", "Exp[${1:f32}, ${2|Rd,Wr,St|}]"),
            ("Acc", "Acc[${1:f32}]"),
            ("Comm", "Comm"),
        ];
        for (label, insert) in phrases {
            self.word(label, CompletionKind::Type, insert, 1);
        }
    }

    /// Adds the accesses, and the local names that may refer to one.
    pub(super) fn accesses(&mut self) {
        self.locals(Locals::InTypes);
        self.access_words(0);
    }

    fn access_words(&mut self, tier: u8) {
        for access in ReadWrite::ALL {
            let word = access.as_str();
            self.word(word, CompletionKind::Kind, word, tier);
        }
    }

    pub(super) fn kinds(&mut self) {
        let dpia = self.dialect() == Dialect::Dpia;
        let here = |kind: &&Kind| dpia || **kind != Kind::ReadWrite;
        let kinds = Kind::ALL.iter().filter(here);
        for (tier, kind) in (0..).zip(kinds) {
            self.word(kind.as_str(), CompletionKind::Kind, kind.as_str(), tier);
        }
    }

    pub(super) fn annotations(&mut self) {
        let targets: Vec<&str> = Target::all().map(Target::as_str).collect();
        for name in rise::ANNOTATIONS {
            let insert = match *name {
                "target" => format!("target(${{1|{}|}})", targets.join(",")),
                rise::LAUNCH_ANNOTATION => format!("{name}(local = [$1], global = [$2])"),
                "exact" => (*name).to_owned(),
                _ => format!("{name}($1)"),
            };
            self.word(name, CompletionKind::Annotation, &insert, 0);
        }
    }

    pub(super) fn annotation_arguments(&mut self) {
        let Some(place) = self.place else { return };
        let inside = |annotation: &&Annotation| annotation.span.touches(place.before);
        let annotation = place.view.item().annotations.iter().find(inside);
        let name = annotation
            .and_then(|annotation| annotation.name.as_ref())
            .map(|name| name.name.as_str());
        if let (Some("strategy"), Some(annotation)) = (name, annotation) {
            self.strategies(place, annotation);
        }
        let words: Vec<&str> = match name {
            Some("target") => Target::all().map(Target::as_str).collect(),
            Some(rise::LAUNCH_ANNOTATION) => vec!["local", "global"],
            _ => Vec::new(),
        };
        for word in words {
            self.word(word, CompletionKind::Annotation, word, 0);
        }
        if name.is_some_and(|name| rise::USING_PARAMETERS.contains(&name)) {
            let item = place.view.item();
            let takes_values = name == Some("inout");
            for id in place.view.params() {
                let kind = match place.view.binder_info(id) {
                    BinderInfo::TypeLevel(..) if !takes_values => CompletionKind::TypeParameter,
                    BinderInfo::Value(_) if takes_values => CompletionKind::Value,
                    _ => continue,
                };
                self.push(Entry::new(&item.binder(id).name, kind, 1));
            }
        }
    }

    /// Adds the strategies that `@strategy` can name: those of the file whose path is an argument
    /// of the annotation, or, without such an argument, those of the strategy library. Those with
    /// the kind `lowering` come first.
    fn strategies(&mut self, place: &Place<'_>, annotation: &Annotation) {
        let db = place.view.db;
        let path = annotation.args.iter().find_map(|arg| match &arg.value {
            AnnotationValue::String(path, _) => Some(path),
            _ => None,
        });
        let file = path.map(|path| imports::file_at(db, place.view.file, path));
        let offered = offered_strategies(db)
            .into_iter()
            .filter(|strategy| match file {
                Some(file) => file.is_some() && strategy.file == file,
                None => strategy.is_library,
            });
        for strategy in offered {
            if !strategy.is_nameable() {
                continue;
            }
            let tier = u8::from(strategy.kind.as_deref() != Some("lowering"));
            let what = What::Plain {
                detail: strategy.title,
                insert: None,
            };
            self.push(Entry {
                what,
                ..Entry::new(&strategy.name, CompletionKind::Function, tier)
            });
        }
    }

    /// Adds the members of a pair after a pair, the types that may follow a size after a size, and
    /// both if what precedes the dot is unknown.
    pub(super) fn after_dot(&mut self, dot: Span) {
        let Some(place) = self.place else { return };
        let item = place.view.item();
        let ends_here = |id: &TermId| place.view.span(*id).end == dot.start;
        let subject = (0..item.terms.len() as u32)
            .map(TermId)
            .filter(ends_here)
            .max_by_key(|id| place.view.span(*id).len());
        let info = subject.map_or(&TermInfo::Unknown, |id| place.view.info(id));
        let halves = match info {
            TermInfo::Expr(ty) => match &**ty {
                Type::Pair(a, b) => Some([Some(a.clone()), Some(b.clone())]),
                Type::Error => Some([None, None]),
                _ => None,
            },
            TermInfo::Unknown => Some([None, None]),
            TermInfo::Arg(_) | TermInfo::Type(_) => None,
        };
        if let Some(halves) = halves {
            for (label, ty) in ["_1", "_2"].into_iter().zip(halves) {
                let detail =
                    ty.map(|ty| rise::print::type_text(&ty, &place.view.inference().names));
                let what = What::Plain {
                    detail,
                    insert: None,
                };
                self.push(Entry {
                    what,
                    ..Entry::new(label, CompletionKind::Field, 0)
                });
            }
        }
        if matches!(info, TermInfo::Arg(_) | TermInfo::Unknown) {
            self.types();
        }
    }

    /// Returns what is expected at the cursor, if that can be determined; `argument` is true if the
    /// cursor is in an argument of a call.
    fn wanted(&self, argument: bool) -> Option<Wanted> {
        match (argument, self.place?.call) {
            (true, Some(call)) => signature_help::wanted(&self.place?.view, call),
            _ => Some(Wanted::Value),
        }
    }

    /// Adds all names in scope or, after `|>`, the functions among the definitions and primitives.
    /// `piped` is `Some` if the cursor is after `|>`, and contains the type of the piped value if
    /// it is known; `argument` is true if the cursor is in an argument of a call.
    pub(super) fn names(&mut self, piped: Option<Option<&Ty>>, argument: bool) {
        let Some(place) = self.place else { return };
        match piped {
            None => {
                self.locals(match self.wanted(argument) {
                    Some(Wanted::Value) => Locals::ValuesFirst,
                    Some(Wanted::TypeLevel(_)) => Locals::TypesFirst,
                    None => Locals::All,
                });
                let names = self.globals(place).into_iter();
                let entries: Vec<Entry> = names.map(Global::entry).collect();
                let function = match (argument, place.call) {
                    (true, Some(call)) => signature_help::wanted_function(&place.view, call),
                    _ => None,
                };
                match function {
                    Some(function) => self.functions(entries, &function),
                    None => entries.into_iter().for_each(|entry| self.push(entry)),
                }
            }
            Some(ty) => {
                let names = self.globals(place).into_iter();
                let entries: Vec<Entry> = names.map(Global::entry).collect();
                let schemes = schemes(place.view.db, entries.iter());
                for (entry, scheme) in entries.into_iter().zip(schemes) {
                    if let Some(scheme) = scheme.filter(|scheme| is_function(scheme)) {
                        self.push(entry.piped(scheme, ty));
                    }
                }
            }
        }
    }

    /// Adds names where a function is expected: those of functions of the expected type come first.
    fn functions(&mut self, entries: Vec<Entry>, wanted: &ExpectedFunction) {
        let Some(place) = self.place else { return };
        let schemes = schemes(place.view.db, entries.iter());
        for (entry, scheme) in entries.into_iter().zip(schemes) {
            let is_wanted = scheme.as_ref().is_some_and(|scheme| wanted.is(scheme));
            let tier = if is_wanted { 0 } else { entry.tier };
            self.push(Entry {
                scheme,
                tier,
                ..entry
            });
        }
    }

    /// Returns the definitions and primitives that match the prefix and that nothing shadows at the
    /// cursor, except for the definition that contains the cursor.
    fn globals(&self, place: &Place<'_>) -> Vec<Global> {
        let scope = place.view.db.scope(place.view.file);
        let hidden: FxHashSet<&str> = place
            .binders()
            .iter()
            .map(|id| place.view.item().binder(*id).name.as_str())
            .collect();
        let fits = |name: &str| fuzzy::score(self.prefix, name).is_some() && !hidden.contains(name);
        let defs = scope
            .names()
            .filter(|(name, item, _)| fits(name) && *item != place.view.id);
        let defs = defs.map(|(name, item, origin)| Global {
            name: name.clone(),
            what: What::Def(item, place.view.db.global(item)),
            tier: match origin {
                Origin::Own => OWN,
                Origin::Imported => 3,
                Origin::Library => 5,
            },
        });
        let primitives = Builtin::all(place.view.dialect());
        let primitives = primitives.into_iter().filter(|primitive| {
            fits(primitive.name()) && matches!(scope.resolve(primitive.name()), Binding::Unknown)
        });
        let primitives = primitives.map(|primitive| Global {
            name: Name::new(primitive.name()),
            what: What::Primitive(primitive),
            tier: 4,
        });
        defs.chain(primitives).collect()
    }

    fn locals(&mut self, which: Locals) {
        let Some(place) = self.place else { return };
        let item = place.view.item();
        for id in place.binders() {
            let name = &item.binder(id).name;
            let names = &place.view.inference().names;
            let (kind, detail) = match place.view.binder_info(id) {
                BinderInfo::Value(_) if which == Locals::InTypes => continue,
                BinderInfo::Value(ty) if item_view::is_error(ty) => (CompletionKind::Value, None),
                BinderInfo::Value(ty) => (
                    CompletionKind::Value,
                    Some(rise::print::type_text(ty, names)),
                ),
                BinderInfo::TypeLevel(_, kind) => {
                    (CompletionKind::TypeParameter, Some(kind.to_string()))
                }
                BinderInfo::Unknown => (CompletionKind::Value, None),
            };
            let what = What::Plain {
                detail,
                insert: None,
            };
            let later = match which {
                Locals::ValuesFirst => kind == CompletionKind::TypeParameter,
                Locals::TypesFirst => kind != CompletionKind::TypeParameter,
                Locals::All | Locals::InTypes => false,
            };
            self.push(Entry {
                what,
                ..Entry::new(name, kind, if later { UNWANTED } else { 1 })
            });
        }
    }
}

/// The choice and order of the binders in scope that are offered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Locals {
    All,
    /// All binders; sizes and types come after all values.
    ValuesFirst,
    /// All binders; values come after all sizes and types.
    TypesFirst,
    /// The binders that can occur in a type.
    InTypes,
}

/// The rank of the file's own definitions; a smaller rank comes first.
const OWN: u8 = 2;
/// The rank of sizes and types where a value is expected, and of values where a size or a type is.
const UNWANTED: u8 = 6;
/// The penalty, after `|>`, of functions that take any value, except for the file's own ones: they
/// are rarely meant for a given array; see [`takes_anything`].
const GENERIC: u8 = 10;
/// The penalty, after `|>`, of functions that do not accept the piped value, and of all functions
/// if its type is unknown.
const UNFIT: u8 = 20;

/// A name from outside of the item: a definition or a primitive.
struct Global {
    name: Name,
    what: What,
    tier: u8,
}

impl Global {
    fn entry(self) -> Entry {
        let Global { name, what, tier } = self;
        Entry {
            label: name,
            // Replaced when the type is computed.
            kind: CompletionKind::Function,
            what,
            scheme: None,
            piped: false,
            tier,
        }
    }
}

/// Returns the type of each entry, or `None` if it has none or it could not be inferred.
fn schemes<'e>(
    db: &Database,
    all: impl Iterator<Item = &'e Entry> + Clone,
) -> Vec<Option<Arc<Scheme>>> {
    let defs = all.clone().filter_map(|entry| match entry.what {
        What::Def(item, _) if entry.scheme.is_none() => Some(item),
        What::Def(..) | What::Primitive(_) | What::Plain { .. } => None,
    });
    let mut of_defs = db.schemes(defs).into_iter();
    all.map(|entry| match (&entry.scheme, &entry.what) {
        (Some(scheme), _) => Some(scheme.clone()),
        (None, What::Def(..)) => of_defs.next().flatten(),
        (None, What::Primitive(primitive)) => Some(primitive.scheme().clone()),
        (None, What::Plain { .. }) => None,
    })
    .collect()
}

/// Returns true if `ty` is no scalar type and the type of the last parameter is a type variable or
/// the application of one, so that the function accepts values of `ty` only as it accepts any.
fn takes_anything(scheme: &Scheme, ty: &Ty) -> bool {
    let mut rest = &scheme.ty;
    let mut last = None;
    loop {
        match &**rest {
            Type::Pi(pi) => rest = &pi.body,
            Type::Fun(param, result) => (last, rest) = (Some(param), result),
            _ => break,
        }
    }
    let anything = |param: &Ty| matches!(**param, Type::Var(_) | Type::Apply(..));
    last.is_some_and(anything) && !matches!(**ty, Type::Scalar(_))
}

/// Renders a type without what is inferred: leading implicit parameters and conditions.
pub(crate) fn brief(scheme: &Scheme) -> String {
    rise::print::type_text(explicit(&scheme.ty), &scheme.names)
}

/// Returns the type after its leading implicit parameters.
fn explicit(ty: &Ty) -> &Ty {
    let mut ty = ty;
    while let Type::Pi(pi) = &**ty
        && pi.implicit
    {
        ty = &pi.body;
    }
    ty
}

/// Returns true if the type has an explicit parameter, so that the definition is a function.
fn is_function(scheme: &Scheme) -> bool {
    let mut ty = &*scheme.ty;
    loop {
        match ty {
            Type::Pi(pi) if pi.implicit => ty = &pi.body,
            Type::Pi(_) | Type::Fun(..) => return true,
            _ => return false,
        }
    }
}

/// A candidate before it is matched with the prefix.
struct Entry {
    label: Name,
    kind: CompletionKind,
    what: What,
    /// The type, if it has been computed.
    scheme: Option<Arc<Scheme>>,
    /// True if the last argument is the piped value.
    piped: bool,
    /// The rank: smaller comes first.
    tier: u8,
}

/// The source of the text that a completion shows and inserts.
enum What {
    Plain {
        detail: Option<String>,
        insert: Option<String>,
    },
    Def(ItemId, GlobalId),
    Primitive(Builtin),
}

impl Entry {
    pub(super) fn new(label: &str, kind: CompletionKind, tier: u8) -> Entry {
        let what = What::Plain {
            detail: None,
            insert: None,
        };
        Entry {
            label: Name::new(label),
            kind,
            what,
            scheme: None,
            piped: false,
            tier,
        }
    }

    /// Returns the entry with its type and its rank after `|>`, where a value of type `ty` is
    /// passed to it.
    fn piped(self, scheme: Arc<Scheme>, ty: Option<&Ty>) -> Entry {
        let tier = match ty {
            Some(ty) if !rise::accepts(&scheme, ty) => self.tier + UNFIT,
            Some(ty) if takes_anything(&scheme, ty) && self.tier > OWN => self.tier + GENERIC,
            Some(_) => self.tier,
            None => self.tier + UNFIT,
        };
        Entry {
            scheme: Some(scheme),
            piped: true,
            tier,
            ..self
        }
    }

    /// Returns the rank among candidates that fit equally well: the most common primitives come
    /// first, in the order of `COMMON`, functions of C's `<math.h>` last, and all others have one rank.
    fn rarity(&self) -> u8 {
        const COMMON: [Primitive; 14] = [
            Primitive::Map,
            Primitive::Reduce,
            Primitive::Zip,
            Primitive::Split,
            Primitive::Join,
            Primitive::Transpose,
            Primitive::Slide,
            Primitive::MapSeq,
            Primitive::ReduceSeq,
            Primitive::MapGlobal,
            Primitive::Fst,
            Primitive::Snd,
            Primitive::Add,
            Primitive::Mul,
        ];
        let What::Primitive(Builtin::Rise(own)) = &self.what else {
            return COMMON.len() as u8;
        };
        let common = COMMON.iter().position(|primitive| primitive == own);
        common.unwrap_or(COMMON.len() + usize::from(own.is_on_floats())) as u8
    }
}

/// An entry that matches the prefix, with its scores.
struct Candidate {
    entry: Entry,
    score: u32,
    rarity: u8,
}

/// Removes and returns the best candidates, at most `count`, best first.
fn take_best(found: &mut Vec<Candidate>, count: usize) -> Vec<Candidate> {
    let by_rank = |a: &Candidate, b: &Candidate| a.rank().cmp(&b.rank());
    let count = count.min(found.len());
    if count < found.len() {
        found.select_nth_unstable_by(count, by_rank);
    }
    let rest = found.split_off(count);
    let mut best = std::mem::replace(found, rest);
    best.sort_unstable_by(by_rank);
    best
}

impl Candidate {
    fn rank(&self) -> (u8, u32, u8, &str) {
        let Entry { tier, label, .. } = &self.entry;
        (*tier, self.score, self.rarity, label)
    }

    /// Renders the completion. Returns `None` for a definition whose type could not be inferred.
    fn write(
        self,
        scheme: Option<Arc<Scheme>>,
        dialect: Dialect,
        replace: Span,
        called: bool,
    ) -> Option<Completion> {
        let Candidate {
            entry,
            score,
            rarity,
        } = self;
        let Entry {
            label,
            kind,
            what,
            piped,
            tier,
            ..
        } = entry;
        let source = match &what {
            What::Plain { .. } => CompletionSource::None,
            What::Def(_, global) => CompletionSource::Global(*global),
            What::Primitive(primitive) => CompletionSource::Primitive(*primitive),
        };
        let (kind, detail, brief, insert) = match what {
            What::Plain { detail, insert } => (kind, detail.clone(), detail, insert),
            What::Def(..) | What::Primitive(_) => {
                let scheme = scheme?;
                let kind = match is_function(&scheme) {
                    true => CompletionKind::Function,
                    false => CompletionKind::Value,
                };
                let params = snippet::params(&scheme);
                let call = || match dialect {
                    Dialect::Rise => snippet::call(&label, &params, piped),
                    Dialect::Dpia => snippet::whole_call(&label, &params, piped),
                };
                let insert = (!called).then(call).flatten();
                let brief = brief(&scheme);
                let detail = rise::print::scheme_text(&scheme);
                (kind, Some(detail), Some(brief), insert)
            }
        };
        let insert = insert
            .filter(|_| !called)
            .unwrap_or_else(|| label.to_string());
        Some(Completion {
            kind,
            detail,
            brief,
            replace,
            snippet: insert.contains('$'),
            insert,
            sort: format!("{tier:02}{score:02}{rarity:02}{label}"),
            source,
            label: label.to_string(),
        })
    }
}
