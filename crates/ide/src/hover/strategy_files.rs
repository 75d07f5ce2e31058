//! Hovers in strategy files.

use db::{Database, ItemId};
use elevate::lang::{Checked, Signature, TYPES, Target, Type, type_text};
use syntax::ast::TermId;
use syntax::elevate::ast::{ExprId, Item, ItemKind, Op};
use syntax::elevate::{Word, lex};
use syntax::{GlobalId, Span};
use syntax::{Token, TokenKind};

use crate::item_view::{self, Occurrence, Symbol, View};
use crate::{glossary, markdown};

/// Returns the range of the token at an offset, and its description as a token that is no resolved
/// name; `None` in a comment.
pub(super) fn word(view: &View<'_>, offset: u32) -> Option<(Span, Option<String>)> {
    let token = token_at(view, offset)?;
    (!token.kind.is_comment()).then(|| (token.span, describe(view, token)))
}

/// Returns the token at the cursor: a name that touches it, or otherwise the last token that does.
fn token_at(view: &View<'_>, offset: u32) -> Option<Token> {
    let text = view.db.item_text(view.id);
    let touched = lex(&text)
        .skip_while(|token| token.span.end < offset)
        .take_while(|token| token.span.start <= offset)
        .filter(|token| !token.kind.is_trivia() || token.kind.is_comment());
    touched.max_by_key(|token| (is_name(token.kind), token.span.start))
}

fn is_name(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Ident | TokenKind::Quoted | TokenKind::Metavariable
    )
}

fn describe(view: &View<'_>, token: Token) -> Option<String> {
    if let Some(meaning) = attribute(view, token) {
        return Some(meaning.to_owned());
    }
    let word = super::text_of(view, token);
    match token.kind {
        TokenKind::Word(word) => Some(word_docs(word).to_owned()),
        TokenKind::Address => Some(super::address(view, token, "Addr")),
        TokenKind::Import => Some(
            "Brings the definitions of another file into scope: strategies, or programs of RISE."
                .to_owned(),
        ),
        TokenKind::Ident | TokenKind::Kind
            if let Some((_, meaning)) = TYPES.iter().find(|(name, _)| *name == word) =>
        {
            Some(format!("`{word}`: {meaning}."))
        }
        TokenKind::Combinator(combinator, _) => Some(operator_docs(combinator.into()).to_owned()),
        TokenKind::MapsTo => Some(
            "A term that matches the pattern on the left is replaced by the term on the right; \
             both sides have the same type."
                .to_owned(),
        ),
        _ => expression(view, token.span),
    }
}

/// Returns the meaning of the attribute whose name is at a place.
fn attribute(view: &View<'_>, token: Token) -> Option<&'static str> {
    let parsed = view.db.strategy_parsed(view.id);
    let mut attributes = parsed.item.attributes.iter();
    let found = attributes.find(|attribute| attribute.span.contains(token.span))?;
    let name = found.name.as_ref()?;
    (token.span.end <= name.span.end)
        .then(|| glossary::annotation(&name.name))
        .flatten()
}

/// Renders the type of the smallest expression around a range; `None` if it has an error.
fn expression(view: &View<'_>, span: Span) -> Option<String> {
    let parsed = view.db.strategy_parsed(view.id);
    let checked = view.db.strategy_checked(view.id);
    let id = smallest(&parsed.item, span)?;
    type_of(view, &checked, id)
}

fn smallest(item: &Item, span: Span) -> Option<ExprId> {
    let all = item
        .exprs
        .iter()
        .zip(0..)
        .map(|(expr, at)| (expr.span, ExprId(at)));
    let around = all.filter(|(own, _)| own.contains(span));
    around.min_by_key(|(own, _)| own.len()).map(|(_, id)| id)
}

fn type_of(view: &View<'_>, checked: &Checked, id: ExprId) -> Option<String> {
    let ty = checked.exprs.get(id.0 as usize)?;
    (**ty != Type::Error).then(|| view.code(&type_text(ty, &[])))
}

/// Describes a name that the item binds: a parameter, or a variable of a pattern.
pub(crate) fn local(view: &View<'_>, found: Occurrence, name: &str) -> String {
    let Symbol::Place(_, binder) = found.symbol else {
        return String::new();
    };
    let parsed = view.db.strategy_parsed(view.id);
    let checked = view.db.strategy_checked(view.id);
    let param = parsed
        .item
        .params
        .iter()
        .position(|param| param.span == binder);
    if let Some(ty) = param.and_then(|at| checked.params.get(at)) {
        return view.code(&format!("{name} : {}", type_text(ty, &[])));
    }
    match parsed.item.kind {
        ItemKind::Rule { .. } | ItemKind::Pred { .. } => markdown::paragraphs([
            view.code(name),
            "Metavariable: stands for any term at this place of the pattern.".to_owned(),
        ]),
        _ => match type_of_local(&parsed.item, &checked, binder) {
            Some(ty) => view.code(&format!("{name} : {ty}")),
            None => view.code(name),
        },
    }
}

/// Returns the type of a variable of a pattern, as its uses in expressions have it.
fn type_of_local(item: &Item, checked: &Checked, binder: Span) -> Option<String> {
    let uses = checked.uses.iter();
    let uses = uses.filter(|used| used.target == Target::Local(binder));
    let type_of = |used: Span| {
        let at = item.exprs.iter().position(|expr| expr.span == used)?;
        checked.exprs.get(at).filter(|ty| ***ty != Type::Error)
    };
    let ty = uses.map(|used| used.span).find_map(type_of)?;
    Some(type_text(ty, &[]))
}

/// Describes a definition of a strategy file: its keyword, its name and type, the sides of a rule,
/// and its documentation.
pub(crate) fn definition(db: &Database, item: ItemId, name: &str) -> String {
    let library = db.is_library(db.file_of(item));
    let signature = db.strategy_signature(item.global());
    shown(
        name,
        &db.strategy_parsed(item).item,
        &db.item_text(item),
        &signature,
        library,
    )
}

pub(crate) fn library_definition(id: GlobalId, name: &str) -> String {
    let library = elevate::lang::library();
    let (Some(item), Some(signature)) = (library.item(id), library.signature(id)) else {
        return name.to_owned();
    };
    let text = library_text(id).unwrap_or_default();
    shown(name, item, text, &signature, true)
}

fn library_text(id: GlobalId) -> Option<&'static str> {
    let place = elevate::lang::library().location(id)?;
    let (_, file) = elevate::lang::LIBRARY.get(place.file)?;
    file.get(std::ops::Range::from(place.item))
}

fn shown(name: &str, item: &Item, text: &str, signature: &Signature, library: bool) -> String {
    let keyword = item_view::strategy_files::keyword(&item.kind);
    let shown = match &*signature.scheme.ty {
        Type::Error => name.to_owned(),
        _ => format!("{name} : {}", signature.scheme.text()),
    };
    let library = match library {
        true => "Library of strategies.".to_owned(),
        false => String::new(),
    };
    let looping = match signature.looping {
        true => "Repeated without a test, it never ends: use it under a test.".to_owned(),
        false => String::new(),
    };
    markdown::paragraphs([
        markdown::strategy_code(&format!("{keyword} {shown}")),
        sides(item, text),
        signature
            .docs
            .as_ref()
            .map(|docs| docs.to_string())
            .unwrap_or_default(),
        looping,
        library,
    ])
}

/// The largest number of alternatives of a rule that are shown.
const SHOWN: usize = 4;

/// Renders the alternatives of a rule, at most `SHOWN`, each on one line; empty for another item.
fn sides(item: &Item, text: &str) -> String {
    let ItemKind::Rule { alts, .. } = &item.kind else {
        return String::new();
    };
    let term = |id: TermId| {
        let span = item.term(id).span;
        one_line(text.get(std::ops::Range::from(span)).unwrap_or_default())
    };
    let mut lines: Vec<String> = alts
        .iter()
        .take(SHOWN)
        .map(|alt| format!("{} |-> {}", term(alt.lhs), term(alt.rhs)))
        .collect();
    if lines.is_empty() {
        return String::new();
    }
    if alts.len() > SHOWN {
        lines.push(format!("// and {} more", alts.len() - SHOWN));
    }
    markdown::strategy_code(&lines.join("\n"))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn word_docs(word: Word) -> &'static str {
    match word {
        Word::Rule => "A rule: a term that matches the left side is replaced by the right side.",
        Word::Unsafe => {
            "The rule needs a law that cannot be checked: make sure that it holds where you use the rule."
        }
        Word::Strategy => "A strategy: a function from a program to another one, or to a failure.",
        Word::Val => "A name for a strategy or another value.",
        Word::Pred => "A test: succeeds with the program as it is, or fails.",
        Word::NormalForm => "A form in which no step of the strategy applies any more.",
        Word::Tune => "A size to be chosen. Without a value it becomes a parameter of the program.",
        Word::Example => "A program, a strategy, and the expected result; checked with the file.",
        Word::Language => "What the programs are written in.",
        Word::Traversal => "In which order traversals visit the children of an application.",
        Word::Match => {
            "Compares a value with patterns: the first case that matches gives the result."
        }
        Word::Case => "A pattern, and the result if the value matches it.",
        Word::If | Word::Then | Word::Else => {
            "`if c then a else b`: `a` if the boolean `c` is true, and `b` otherwise."
        }
        Word::With => "Sets the normal form that `;;` brings the program to.",
        Word::Where => "Decided when the rule is tried; if it does not hold, the rule fails.",
        Word::Requires => "Must be proved, or the rule does not apply.",
        Word::Assuming => {
            "Fails only if it is refuted; otherwise it becomes an obligation of the result."
        }
    }
}

fn operator_docs(op: Op) -> &'static str {
    match op {
        Op::Seq => "`a ; b`: first `a`, then `b`; fails if one of them fails.",
        Op::SeqNormal => "`a ;; b`: first `a`, then the normal form, then `b`.",
        Op::Choice => "`a <+ b`: `a`; if it fails, `b` on the program as it was.",
        Op::At => {
            "`s @ t` is `t(s)`: applies the strategy `s` at the place that the traversal `t` selects."
        }
        _ => "",
    }
}
