//! What could be written at the cursor.

use std::sync::Arc;

use db::{Binding, Database, Origin};
use rise::{BinderInfo, Primitive, Scheme, TermInfo, Ty, Type};
use syntax::ast::{
    AddressSpace, Annotation, BinaryOp, BinderId, ItemKind, Kind, Name, ScalarType, TermId,
    TermKind,
};
use syntax::lexer::TokenKind;
use syntax::{GlobalId, Span};

use crate::context::{self, Context};
use crate::view::{self, View};
use crate::{FilePosition, fuzzy, markdown, snippet, token, tree};

/// What a completion is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompletionKind {
    /// A function: definition, primitive or library.
    Function,
    /// A value: parameter, `let` name, definition of data.
    Value,
    /// A size, type or other type-level name.
    TypeParameter,
    /// A scalar type or type constructor.
    Type,
    /// A kind.
    Kind,
    /// One of the four address spaces.
    AddressSpace,
    /// A reserved word.
    Keyword,
    /// `_1`, `_2`
    Field,
    /// `@run` and the like.
    Annotation,
}

/// What documentation belongs to a completion; see [`resolve_completion`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompletionSource {
    /// It has no documentation of its own.
    None,
    /// A definition.
    Global(GlobalId),
    /// A primitive.
    Primitive(Primitive),
}

/// Something that could be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// What the list shows and filters by.
    pub label: String,
    /// What it is.
    pub kind: CompletionKind,
    /// Its type.
    pub detail: Option<String>,
    /// What it replaces: the identifier under the cursor.
    pub replace: Span,
    /// What is inserted.
    pub insert: String,
    /// Whether `insert` has `${1:placeholders}` (and `$`, `}` and `\` escaped).
    pub snippet: bool,
    /// Ranks the list when compared as text.
    pub sort: String,
    /// Where its documentation comes from.
    pub source: CompletionSource,
}

/// The most completions in a list; one that is so long may lack some, and is to be asked for again
/// when more is typed.
pub const COMPLETION_LIMIT: usize = 256;

/// What could be written at `at`, best first, at most [`COMPLETION_LIMIT`].
pub fn completions(db: &Database, at: FilePosition) -> Vec<Completion> {
    let Some(place) = Place::at(db, at) else {
        return before_items(db, at);
    };
    let mut list = List::new(&place);
    match place.context {
        Context::Item => list.items(),
        Context::ForeignDef => list.word("def", CompletionKind::Keyword, "def ", 0),
        Context::Expression { argument } => {
            list.names(None);
            list.expression_words(argument);
        }
        Context::Stage { pipe } => {
            let piped = place.piped_type(pipe);
            list.names(Some(piped.as_ref()));
            list.word("fun", CompletionKind::Keyword, "fun(${1:x} => $0)", 6);
        }
        Context::Dot { dot } => list.after_dot(dot),
        Context::Type => list.types(),
        Context::TypeAfterDot => list.types(),
        Context::Kind => list.kinds(),
        Context::Annotation => list.annotations(),
        Context::AnnotationArgument => list.annotation_arguments(),
        Context::AfterExpression => list.after_expression(),
        Context::Nothing => {}
    }
    list.finish()
}

/// Before the first item: what can begin one.
fn before_items(db: &Database, at: FilePosition) -> Vec<Completion> {
    if view::in_gap_comment(db, at) {
        return Vec::new();
    }
    let mut list = List::bare(Span::empty(at.offset));
    list.items();
    list.finish()
}

/// The documentation of a completion, as Markdown.
pub fn resolve_completion(db: &Database, source: CompletionSource) -> Option<String> {
    match source {
        CompletionSource::None => None,
        CompletionSource::Primitive(primitive) => Some(markdown::primitive(primitive)),
        CompletionSource::Global(global) => {
            let item = db.item_of(global);
            let name = view::def_name(db, item)?;
            let head = match db.scheme(item) {
                Some(scheme) => markdown::signature(&name, &scheme),
                None => name,
            };
            Some(markdown::paragraphs([
                markdown::code(&head),
                markdown::def_docs(db, item),
            ]))
        }
    }
}

/// The cursor, and what stands before it.
struct Place<'d> {
    view: View<'d>,
    context: Context,
    /// The cursor, in the item.
    offset: u32,
    /// The end of the last token before the word that is being typed.
    before: u32,
    /// The word that is being typed, up to the cursor.
    prefix: String,
    /// The whole word under the cursor.
    replace: Span,
    /// Whether an opening parenthesis follows.
    called: bool,
    /// Whether the word stands on another line than the token before it.
    new_line: bool,
}

impl<'d> Place<'d> {
    fn at(db: &'d Database, at: FilePosition) -> Option<Place<'d>> {
        let (view, offset) = View::at_or_before(db, at)?;
        let text = db.item_text(view.id);
        let (tokens, typed) = token::before(&text, offset);
        let word = typed.filter(|token| token::is_word(token.kind));
        if typed.is_some() && word.is_none() {
            // Inside a comment, a string, or a symbol.
            return Some(Place::nowhere(view, offset));
        }
        if word.is_some_and(|word| matches!(word.kind, TokenKind::Int | TokenKind::Float)) {
            return Some(Place::nowhere(view, offset));
        }
        let beyond = offset > text.len() as u32;
        let (context, _) = context::read(&tokens);
        let before = tokens.last().map_or(0, |token| token.span.end);
        let replace = word.map_or(Span::empty(offset), |word| word.span);
        let prefix = text
            .get(replace.start as usize..offset.min(replace.end) as usize)
            .unwrap_or("");
        let rest = text.get(replace.end as usize..).unwrap_or("");
        let gap = match beyond {
            true => view::gap_before(db, at),
            false => text
                .get(before as usize..replace.start as usize)
                .unwrap_or("")
                .to_owned(),
        };
        let new_line = gap.contains('\n');
        Some(Place {
            context,
            offset,
            before,
            prefix: prefix.to_owned(),
            replace,
            called: rest.starts_with('('),
            new_line,
            view,
        })
    }

    fn nowhere(view: View<'d>, offset: u32) -> Place<'d> {
        Place {
            view,
            context: Context::Nothing,
            offset,
            before: 0,
            prefix: String::new(),
            replace: Span::empty(offset),
            called: false,
            new_line: false,
        }
    }

    /// What flows into this `|>`.
    fn piped_type(&self, pipe: Span) -> Option<Ty> {
        self.view
            .item()
            .terms
            .iter()
            .find_map(|term| match &term.kind {
                TermKind::Binary {
                    op: BinaryOp::Pipe,
                    op_span,
                    lhs,
                    ..
                } if *op_span == pipe => self.view.type_of(*lhs).cloned(),
                _ => None,
            })
    }

    /// The binders that can be used at the cursor, innermost first, each name once.
    fn binders(&self) -> Vec<BinderId> {
        let item = self.view.item();
        let mut holders: Vec<(u32, BinderId)> = Vec::new();
        for term in (0..item.terms.len() as u32).map(TermId) {
            if self.sees_binders_of(term) {
                let mut bound = Vec::new();
                tree::bound_in_body(item, term, &mut bound);
                holders.extend(
                    bound
                        .into_iter()
                        .map(|binder| (self.view.span(term).len(), binder)),
                );
            }
        }
        holders.sort_by_key(|(length, _)| *length);
        let mut binders: Vec<BinderId> = holders.into_iter().map(|(_, binder)| binder).collect();
        if let ItemKind::Def { ty: Some(ty), .. } = &item.kind
            && self.before > self.view.span(*ty).end
        {
            tree::type_binders(item, *ty, &mut binders);
        }
        let mut names: Vec<&str> = Vec::new();
        binders.retain(|id| {
            let name = item.binder(*id).name.as_str();
            let new = !name.is_empty() && !names.contains(&name);
            names.push(name);
            new
        });
        binders
    }

    /// Whether the cursor stands in the part of `term` where its binders are in scope.
    fn sees_binders_of(&self, term: TermId) -> bool {
        let item = self.view.item();
        let span = self.view.span(term);
        let Some(body) = tree::scope_body(item, term) else {
            return false;
        };
        let closed = self.view.span(body).end < span.end;
        let end = if closed {
            self.offset < span.end
        } else {
            self.before <= span.end
        };
        end && tree::params_end(item, term) < self.before
    }
}

/// Candidates that match the prefix.
struct List<'p, 'd> {
    place: Option<&'p Place<'d>>,
    prefix: &'p str,
    replace: Span,
    found: Vec<Candidate>,
}

impl<'p, 'd> List<'p, 'd> {
    fn new(place: &'p Place<'d>) -> List<'p, 'd> {
        List {
            place: Some(place),
            prefix: &place.prefix,
            replace: place.view.absolute(place.replace),
            found: Vec::new(),
        }
    }

    fn bare(replace: Span) -> List<'static, 'static> {
        List {
            place: None,
            prefix: "",
            replace,
            found: Vec::new(),
        }
    }

    /// Ranks first, and writes out only what is shown: a file may see thousands of names.
    fn finish(mut self) -> Vec<Completion> {
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

    fn word(&mut self, label: &str, kind: CompletionKind, insert: &str, tier: u8) {
        let what = What::Plain {
            detail: None,
            insert: Some(insert.to_owned()),
        };
        self.push(Entry {
            what,
            ..Entry::new(label, kind, tier)
        });
    }

    fn items(&mut self) {
        self.word("def", CompletionKind::Keyword, "def ${1:name} = $0", 0);
        self.word("import", CompletionKind::Keyword, "import \"$0\"", 1);
        let foreign = "foreign def ${1:name}(${2:x}: ${3:f32}): ${4:f32}";
        self.word("foreign", CompletionKind::Keyword, foreign, 2);
    }

    fn after_expression(&mut self) {
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

    fn expression_words(&mut self, argument: bool) {
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

    fn types(&mut self) {
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

    fn kinds(&mut self) {
        for (tier, kind) in (0..).zip(Kind::ALL) {
            self.word(kind.as_str(), CompletionKind::Kind, kind.as_str(), tier);
        }
    }

    fn annotations(&mut self) {
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

    fn annotation_arguments(&mut self) {
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
    fn after_dot(&mut self, dot: Span) {
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
    fn names(&mut self, piped: Option<Option<&Ty>>) {
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
    fn new(label: &str, kind: CompletionKind, tier: u8) -> Entry {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;
    use expect_test::{Expect, expect};

    fn at_cursor(text: &str) -> (Fixture, Vec<Completion>) {
        let fixture = Fixture::new(text);
        let found = completions(&fixture.db, fixture.cursors[0]);
        (fixture, found)
    }

    /// The first completions, one a line.
    fn check(text: &str, count: usize, expected: Expect) {
        let (_, found) = at_cursor(text);
        let shown: Vec<String> = found
            .iter()
            .take(count)
            .map(|found| {
                let detail = found
                    .detail
                    .as_ref()
                    .map(|ty| format!(" : {ty}"))
                    .unwrap_or_default();
                let insert = match found.insert == found.label {
                    true => String::new(),
                    false => format!("    => {}", found.insert),
                };
                format!("{:?} {}{detail}{insert}\n", found.kind, found.label)
            })
            .collect();
        expected.assert_eq(&shown.concat());
    }

    fn labels(text: &str) -> Vec<String> {
        at_cursor(text)
            .1
            .into_iter()
            .map(|found| found.label)
            .collect()
    }

    #[test]
    fn after_a_pipe_what_accepts_the_value_comes_first() {
        check(
            "def norm = fun(xs => xs)\ndef f = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 => xs |> $0\n",
            14,
            expect![[r#"
            Function norm : {t: DataType} -> t -> t
            Function assume : (m: Nat) -> {n: Nat} -> {t: DataType} -> n.t -> m.t where m = n    => assume(${1:m})
            Function circularBuffer : {n: Nat} -> (alloc: Nat) -> (sz: Nat) -> {s: DataType} -> {t: DataType} -> (s -> t) -> (n+sz-1).s -> n.sz.t where alloc >= sz, sz >= 1    => circularBuffer(${1:alloc})(${2:sz})(${3:f})
            Function concat : {n: Nat} -> {m: Nat} -> {t: DataType} -> n.t -> m.t -> (n+m).t
            Function drop : (n: Nat) -> {m: Nat} -> {t: DataType} -> (n+m).t -> m.t    => drop(${1:n})
            Function gather : {n: Nat} -> {m: Nat} -> {t: DataType} -> m.Idx[n] -> n.t -> m.t
            Function idx : {n: Nat} -> {t: DataType} -> Idx[n] -> n.t -> t
            Function iterate : {n: Nat} -> {m: Nat} -> (k: Nat) -> {t: DataType} -> ((l: Nat) -> (n*l).t -> l.t) -> (m*n^k).t -> m.t    => iterate(${1:k})(${2:f})
            Function iterateStream : {n: Nat} -> {s: DataType} -> {t: DataType} -> (s -> t) -> n.s -> n.t    => iterateStream(${1:f})
            Function join : {n: Nat} -> {m: Nat} -> {t: DataType} -> n.m.t -> (n*m).t
            Function makeDepPair : {f: Nat2Data} -> (n: Nat) -> f(n) -> DepPair[k => f(k)]    => makeDepPair(${1:n})
            Function map : {n: Nat} -> {s: DataType} -> {t: DataType} -> (s -> t) -> n.s -> n.t    => map(${1:f})
            Function mapGlobal : {n: Nat} -> {s: DataType} -> {t: DataType} -> (s -> t) -> n.s -> n.t    => mapGlobal(${1:f})
            Function mapLocal : {n: Nat} -> {s: DataType} -> {t: DataType} -> (s -> t) -> n.s -> n.t    => mapLocal(${1:f})
        "#]],
        );
        check(
            "def f = fun(x: f32 => x |> $0\n",
            4,
            expect![[r#"
            Function add : {t: Num} -> t -> t -> t
            Function cast : {s: Scalar} -> {t: Scalar} -> s -> t
            Function div : {t: Num} -> t -> t -> t
            Function equal : {t: Scalar} -> t -> t -> bool
        "#]],
        );
    }

    #[test]
    fn after_a_pipe_the_prefix_filters() {
        check(
            "def f = depFun(n: Nat => fun(xs: n.f32 => xs |> ma$0))\n",
            6,
            expect![[r#"
            Function makeDepPair : {f: Nat2Data} -> (n: Nat) -> f(n) -> DepPair[k => f(k)]    => makeDepPair(${1:n})
            Function map : {n: Nat} -> {s: DataType} -> {t: DataType} -> (s -> t) -> n.s -> n.t    => map(${1:f})
            Function mapGlobal : {n: Nat} -> {s: DataType} -> {t: DataType} -> (s -> t) -> n.s -> n.t    => mapGlobal(${1:f})
            Function mapLocal : {n: Nat} -> {s: DataType} -> {t: DataType} -> (s -> t) -> n.s -> n.t    => mapLocal(${1:f})
            Function mapPar : {n: Nat} -> {s: DataType} -> {t: DataType} -> (s -> t) -> n.s -> n.t    => mapPar(${1:f})
            Function mapSeq : {n: Nat} -> {s: DataType} -> {t: DataType} -> (s -> t) -> n.s -> n.t    => mapSeq(${1:f})
        "#]],
        );
    }

    #[test]
    fn locals_come_first_in_expressions() {
        check(
            "def scale = fun(x => x * 2.0f)\ndef f = depFun(n: Nat => fun((xs: n.f32, y: f32) => zip($0",
            6,
            expect![[r#"
                TypeParameter n : Nat
                Value xs : n.f32
                Value y : f32
                Function scale : f32 -> f32
                Function add : {t: Num} -> t -> t -> t    => add(${1:x})(${2:y})
                Function and : bool -> bool -> bool    => and(${1:x})(${2:y})
            "#]],
        );
    }

    #[test]
    fn only_what_is_in_scope() {
        let found =
            labels("def f = fun(outer => (fun(inner => inner))(ou$0)) + fun(later => later)\n");
        assert!(found.contains(&"outer".to_owned()));
        let found =
            labels("def f = fun(outer => (fun(inner => inner))($0)) + fun(later => later)\n");
        assert!(!found.contains(&"inner".to_owned()) && !found.contains(&"later".to_owned()));
        assert!(found.contains(&"outer".to_owned()));
        let found = labels(
            "def f : (n: Nat) -> n.f32 -> f32 = depFun(k: Nat => fun(xs => $0\n\ndef g = 1\n",
        );
        for name in ["n", "k", "xs", "g"] {
            assert!(found.contains(&name.to_owned()), "{name} in {found:?}");
        }
        let found = labels("def f = let a = 1.0f in let b = a$0 in b\n");
        assert!(found.contains(&"a".to_owned()) && !found.contains(&"b".to_owned()));
    }

    #[test]
    fn types_kinds_and_annotations() {
        check(
            "def f = depFun((n: Nat, t: Num) => fun(x: $0\n",
            6,
            expect![[r#"
            TypeParameter n : Nat
            TypeParameter t : Num
            Type bool
            Type f16
            Type f32
            Type f64
        "#]],
        );
        check(
            "def f = depFun((n: Nat, t: Num) => fun(x: n.$0\n",
            3,
            expect![[r#"
            TypeParameter n : Nat
            TypeParameter t : Num
            Type bool
        "#]],
        );
        check(
            "def f = depFun(n: $0\n",
            10,
            expect![[r#"
            Kind Nat
            Kind DataType
            Kind Scalar
            Kind Num
            Kind Int
            Kind Float
            Kind AddrSp
            Kind Nat2Nat
            Kind Nat2Data
        "#]],
        );
        check(
            "@$0\ndef f = 1\n",
            10,
            expect![[r#"
            Annotation assume    => assume($1)
            Annotation opencl    => opencl(local = [$1], global = [$2])
            Annotation run    => run($1)
            Annotation strategy    => strategy($1)
            Annotation target    => target(${1|c,openmp,opencl|})
        "#]],
        );
        check(
            "@target($0)\ndef f = 1\n",
            10,
            expect![[r#"
            Annotation c
            Annotation opencl
            Annotation openmp
        "#]],
        );
        check(
            "@run($0)\ndef f = depFun((n: Nat, m: Nat) => fun(x: n.f32 => x))\n",
            10,
            expect![[r#"
            TypeParameter m
            TypeParameter n
        "#]],
        );
    }

    #[test]
    fn halves_of_a_pair() {
        check(
            "def f = fun(p: (f32, 4.i32) => p.$0)\n",
            9,
            expect![[r#"
            Field _1 : f32
            Field _2 : 4.i32
        "#]],
        );
        check("def f = fun(x: f32 => x.$0)\n", 9, expect![[""]]);
    }

    #[test]
    fn items_begin_on_their_own_lines() {
        check(
            "$0",
            9,
            expect![[r#"
            Keyword def    => def ${1:name} = $0
            Keyword import    => import "$0"
            Keyword foreign    => foreign def ${1:name}(${2:x}: ${3:f32}): ${4:f32}
        "#]],
        );
        check(
            "def f = 1\n\nde$0\n",
            9,
            expect![[r#"
            Keyword def    => def ${1:name} = $0
        "#]],
        );
        check(
            "def f = 1\n\n$0\n",
            9,
            expect![[r#"
            Keyword def    => def ${1:name} = $0
            Keyword import    => import "$0"
            Keyword foreign    => foreign def ${1:name}(${2:x}: ${3:f32}): ${4:f32}
        "#]],
        );
        assert_eq!(labels("def f = let x = 1 $0"), ["in"]);
        assert_eq!(labels("foreign $0"), ["def"]);
    }

    #[test]
    fn nothing_where_a_name_is_new_or_in_comments() {
        for text in [
            "def $0",
            "def f = fun($0",
            "def f = fun(x, y$0 => x)",
            "def f = let $0",
            "// com$0ment",
            "def f = 1 // com$0ment\n",
            "def f = 1\n// com$0ment\n",
            "import \"li$0b\"",
            "def f = 1$02",
        ] {
            assert_eq!(labels(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn a_word_is_replaced_as_a_whole() {
        let (fixture, found) = at_cursor("def f = fun(xs => xs |> ma$0pSeq(id))\n");
        let map = found.iter().find(|found| found.label == "map");
        let map = map.map(|map| {
            (
                fixture.slice(fixture.files[0], map.replace),
                map.insert.clone(),
            )
        });
        // The call is there already, so no arguments are inserted.
        assert_eq!(map, Some(("mapSeq".to_owned(), "map".to_owned())));
    }

    #[test]
    fn what_a_binder_hides_is_offered_once() {
        let found = labels("def f = fun(map => ma$0)\n");
        assert_eq!(found.iter().filter(|label| *label == "map").count(), 1);
    }

    #[test]
    fn documentation_on_request() {
        let (fixture, found) =
            at_cursor("/// Doubles.\ndef twice = fun(x => x + x)\ndef f = tw$0\n");
        let docs = resolve_completion(&fixture.db, found[0].source);
        expect![[r#"
            ```rise
            twice : {t: Num} -> t -> t
            ```

            Doubles."#]]
        .assert_eq(&docs.unwrap_or_default());
        let (fixture, found) = at_cursor("def f = fun(xs => xs |> transp$0\n");
        assert_eq!(found[0].label, "transpose");
        let docs = resolve_completion(&fixture.db, found[0].source).unwrap_or_default();
        assert!(docs.contains("transpose : "), "{docs}");
    }

    #[test]
    fn everywhere_in_a_program_without_panic() {
        let text = crate::fixture::LISTING_4;
        let mut fixture = Fixture::new(text);
        let file = fixture.files[0];
        for end in 0..=text.len() as u32 {
            completions(&fixture.db, FilePosition { file, offset: end });
        }
        for end in (0..text.len()).step_by(3) {
            fixture
                .db
                .set_file(db::FilePath::disk("/main.rise"), &text[..end]);
            completions(
                &fixture.db,
                FilePosition {
                    file,
                    offset: end as u32,
                },
            );
        }
    }
}
