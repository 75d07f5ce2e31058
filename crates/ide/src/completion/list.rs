//! What can be offered: collected, ranked, and written out.

use std::sync::Arc;

use db::{Binding, Origin};
use rise::{BinderInfo, Primitive, Scheme, TermInfo, Ty, Type};
use syntax::Span;
use syntax::ast::{AddressSpace, Annotation, Kind, Name, ScalarType, TermId, TermKind};

use super::place::Place;
use super::{COMPLETION_LIMIT, Completion, CompletionKind, CompletionSource};
use crate::view;
use crate::{fuzzy, snippet};

/// Candidates that match the prefix.
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

    /// Ranks first, and writes out only what is shown: a file may see thousands of names.
    pub(super) fn finish(mut self) -> Vec<Completion> {
        self.found.sort_by(|a, b| a.rank().cmp(&b.rank()));
        self.found.truncate(COMPLETION_LIMIT);
        let called = self.place.is_some_and(|place| place.called);
        let replace = self.replace;
        self.found
            .into_iter()
            .map(|found| found.write(replace, called))
            .collect()
    }

    fn push(&mut self, entry: Entry) {
        if let Some(score) = fuzzy::score(self.prefix, &entry.label) {
            self.found.push(Candidate { entry, score });
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
            matches!(term.kind, TermKind::Let { .. }) && term.span.start < place.offset
        };
        if place.view.item().terms.iter().any(lets) {
            self.word("in", CompletionKind::Keyword, "in ", 1);
        }
    }

    pub(super) fn expression_words(&mut self, argument: bool) {
        let words = [
            ("fun", "fun(${1:x} => $0)"),
            ("depFun", "depFun(${1:n}: ${2:Nat} => $0)"),
            ("let", "let ${1:x} = ${2:value} in $0"),
            ("true", "true"),
            ("false", "false"),
        ];
        for (label, insert) in words {
            self.word(label, CompletionKind::Keyword, insert, 6);
        }
        if argument {
            self.word("natFun", CompletionKind::Keyword, "natFun(${1:i} => $0)", 7);
            self.word(
                "dataFun",
                CompletionKind::Keyword,
                "dataFun(${1:i} => $0)",
                7,
            );
            for space in AddressSpace::ALL {
                self.word(
                    space.as_str(),
                    CompletionKind::AddressSpace,
                    space.as_str(),
                    7,
                );
            }
            for scalar in ScalarType::ALL {
                self.word(scalar.as_str(), CompletionKind::Type, scalar.as_str(), 8);
            }
        }
    }

    pub(super) fn types(&mut self) {
        self.locals(true);
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

    pub(super) fn kinds(&mut self) {
        for (tier, kind) in (0..).zip(Kind::ALL) {
            self.word(kind.as_str(), CompletionKind::Kind, kind.as_str(), tier);
        }
    }

    pub(super) fn annotations(&mut self) {
        let annotations = [
            ("target", "target(${1|c,openmp,opencl|})"),
            ("opencl", "opencl(local = [$1], global = [$2])"),
            ("run", "run($1)"),
            ("assume", "assume($1)"),
            ("strategy", "strategy($1)"),
        ];
        for (label, insert) in annotations {
            self.word(label, CompletionKind::Annotation, insert, 0);
        }
    }

    pub(super) fn annotation_arguments(&mut self) {
        let Some(place) = self.place else { return };
        let inside = |annotation: &&Annotation| annotation.span.touches(place.before);
        let name = place.view.item().annotations.iter().find(inside);
        let name = name
            .and_then(|annotation| annotation.name.as_ref())
            .map(|name| name.name.as_str());
        let words: &[&str] = match name {
            Some("target") => &["c", "openmp", "opencl"],
            Some("opencl") => &["local", "global"],
            _ => &[],
        };
        for word in words {
            self.word(word, CompletionKind::Annotation, word, 0);
        }
        if matches!(name, Some("opencl" | "run" | "assume")) {
            let item = place.view.item();
            for id in view::params(item) {
                if matches!(place.view.binder_info(id), BinderInfo::TypeLevel(..)) {
                    let name = &item.binder(id).name;
                    self.push(Entry::new(name, CompletionKind::TypeParameter, 1));
                }
            }
        }
    }

    /// The halves of a pair; behind a size, types.
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

    /// Everything that has a name; `piped` is what flows into it, if it is a stage.
    pub(super) fn names(&mut self, piped: Option<Option<&Ty>>) {
        if piped.is_none() {
            self.locals(false);
        }
        let Some(place) = self.place else { return };
        let db = place.view.db;
        let scope = db.scope(place.view.file);
        let hidden: Vec<&Name> = place
            .binders()
            .iter()
            .map(|id| &place.view.item().binder(*id).name)
            .collect();
        for (name, item, origin) in scope.names() {
            if fuzzy::score(self.prefix, name).is_none()
                || item == place.view.id
                || hidden.contains(&name)
            {
                continue;
            }
            let Some(scheme) = db.scheme(item) else {
                continue;
            };
            let tier = match origin {
                Origin::Own => OWN,
                Origin::Imported => 3,
                Origin::Library => 5,
            };
            self.function(
                name,
                &scheme,
                piped,
                tier,
                CompletionSource::Global(db.global(item)),
            );
        }
        for primitive in Primitive::ALL.iter().copied() {
            let name = primitive.name();
            if fuzzy::score(self.prefix, name).is_none()
                || hidden.iter().any(|bound| *bound == name)
                || !matches!(scope.resolve(name), Binding::Unknown)
            {
                continue;
            }
            let source = CompletionSource::Primitive(primitive);
            self.function(name, rise::library_scheme(primitive), piped, 4, source);
        }
    }

    fn function(
        &mut self,
        name: &str,
        scheme: &Arc<Scheme>,
        piped: Option<Option<&Ty>>,
        tier: u8,
        source: CompletionSource,
    ) {
        let tier = match piped {
            Some(Some(ty)) if rise::accepts(scheme, ty) => match takes_anything(scheme, ty) {
                true if tier > OWN => tier + GENERIC,
                _ => tier,
            },
            Some(_) => tier + UNFIT,
            None => tier,
        };
        let function = is_function(scheme);
        if piped.is_some() && !function {
            return;
        }
        let kind = if function {
            CompletionKind::Function
        } else {
            CompletionKind::Value
        };
        let what = What::Defined {
            scheme: scheme.clone(),
            piped: piped.is_some(),
        };
        self.push(Entry {
            what,
            source,
            ..Entry::new(name, kind, tier)
        });
    }

    /// Binders in scope: all of them, or those that can stand in a type.
    fn locals(&mut self, types: bool) {
        let Some(place) = self.place else { return };
        let item = place.view.item();
        for id in place.binders() {
            let name = &item.binder(id).name;
            let names = &place.view.inference().names;
            let (kind, detail) = match place.view.binder_info(id) {
                BinderInfo::Value(_) if types => continue,
                BinderInfo::Value(ty) if view::is_error(ty) => (CompletionKind::Value, None),
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
            self.push(Entry {
                what,
                ..Entry::new(name, kind, 1)
            });
        }
    }
}

/// The rank of the file's own definitions.
const OWN: u8 = 2;
/// Functions that accept every value say little about a given one.
const GENERIC: u8 = 10;
/// Functions that do not accept the piped value.
const UNFIT: u8 = 20;

/// Whether the last parameter is a type variable, so that fitting an array means nothing.
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
    last.is_some_and(|param| matches!(**param, Type::Var(_))) && !matches!(**ty, Type::Scalar(_))
}

/// Whether there is something to apply it to.
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

/// Something to offer.
struct Entry {
    label: Name,
    kind: CompletionKind,
    what: What,
    /// Smaller comes first.
    tier: u8,
    source: CompletionSource,
}

/// What a completion shows and inserts.
enum What {
    Plain {
        detail: Option<String>,
        insert: Option<String>,
    },
    Defined {
        scheme: Arc<Scheme>,
        piped: bool,
    },
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
            tier,
            source: CompletionSource::None,
        }
    }
}

/// Something to offer that matches what was typed.
struct Candidate {
    entry: Entry,
    score: u32,
}

impl Candidate {
    fn rank(&self) -> (u8, u32, &str) {
        (self.entry.tier, self.score, &self.entry.label)
    }

    fn write(self, replace: Span, called: bool) -> Completion {
        let Candidate {
            entry:
                Entry {
                    label,
                    kind,
                    what,
                    tier,
                    source,
                },
            score,
        } = self;
        let (detail, insert) = match what {
            What::Plain { detail, insert } => (detail, insert),
            What::Defined { scheme, piped } => {
                let insert = snippet::call(&label, &snippet::params(&scheme), piped);
                (Some(rise::print::scheme_text(&scheme)), insert)
            }
        };
        let insert = insert
            .filter(|_| !called)
            .unwrap_or_else(|| label.to_string());
        Completion {
            kind,
            detail,
            replace,
            snippet: insert.contains('$'),
            insert,
            sort: format!("{tier:02}{score:02}{label}"),
            source,
            label: label.to_string(),
        }
    }
}
