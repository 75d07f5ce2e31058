//! Semantic tokens, for syntax highlighting.

mod strategy_files;

use db::{Binding, Database, FileId, ItemId};
use ropey::Rope;
use rustc_hash::FxHashMap;
use syntax::ast::{AddressSpace, Head};
use syntax::lexer::{TokenKind, lex_in};
use syntax::{Dialect, Span};

use crate::item_view::{Occurrence, SIZE_FUNCTIONS, Symbol, View};
use crate::{SymbolKind, goto};

/// The type of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TokenType {
    /// A keyword, such as `def` or `fun`.
    Keyword,
    /// A comment.
    Comment,
    /// A string, or a C body.
    String,
    /// A number.
    Number,
    /// An operator.
    Operator,
    /// The name of a function, a primitive, a function of sizes such as `log2`, a rule, a strategy
    /// or a predicate.
    Function,
    /// A parameter of a `fun` or a foreign function, or a name bound in a definition of a strategy
    /// file.
    Parameter,
    /// A `let` name, a definition of data, or a tuning parameter.
    Variable,
    /// A type-level parameter, such as a size or a type, or the index of a `sum`.
    TypeParameter,
    /// A scalar type, type constructor or kind, or a type of ELEVATE.
    Type,
    /// An address space or an access.
    EnumMember,
    /// A member of a pair: `_1` or `_2`.
    Property,
    /// The name of an annotation or attribute with its `@`, such as `@run`.
    Decorator,
}

impl TokenType {
    /// All token types; the index of each is its number in the protocol.
    pub const ALL: [TokenType; 13] = [
        TokenType::Keyword,
        TokenType::Comment,
        TokenType::String,
        TokenType::Number,
        TokenType::Operator,
        TokenType::Function,
        TokenType::Parameter,
        TokenType::Variable,
        TokenType::TypeParameter,
        TokenType::Type,
        TokenType::EnumMember,
        TokenType::Property,
        TokenType::Decorator,
    ];

    /// Returns the name in the protocol.
    pub const fn as_str(self) -> &'static str {
        match self {
            TokenType::Keyword => "keyword",
            TokenType::Comment => "comment",
            TokenType::String => "string",
            TokenType::Number => "number",
            TokenType::Operator => "operator",
            TokenType::Function => "function",
            TokenType::Parameter => "parameter",
            TokenType::Variable => "variable",
            TokenType::TypeParameter => "typeParameter",
            TokenType::Type => "type",
            TokenType::EnumMember => "enumMember",
            TokenType::Property => "property",
            TokenType::Decorator => "decorator",
        }
    }
}

/// A set of modifiers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Modifiers(pub u32);

impl Modifiers {
    /// A name that is defined or bound here.
    pub const DECLARATION: Modifiers = Modifiers(1 << 0);
    /// A name of the language, such as a primitive or a scalar type, or a definition of the
    /// standard library or the strategy library.
    pub const DEFAULT_LIBRARY: Modifiers = Modifiers(1 << 1);
    /// A doc comment.
    pub const DOCUMENTATION: Modifiers = Modifiers(1 << 2);
    /// The address space `Global`.
    pub const GLOBAL: Modifiers = Modifiers(1 << 3);
    /// The address space `Local`.
    pub const LOCAL: Modifiers = Modifiers(1 << 4);
    /// The address space `Private`.
    pub const PRIVATE: Modifiers = Modifiers(1 << 5);
    /// The address space `Constant`.
    pub const CONSTANT: Modifiers = Modifiers(1 << 6);

    /// The names of the bits, from bit 0 on.
    pub const NAMES: [&'static str; 7] = [
        "declaration",
        "defaultLibrary",
        "documentation",
        "global",
        "local",
        "private",
        "constant",
    ];

    /// Returns the union of two sets.
    #[must_use]
    pub const fn with(self, other: Modifiers) -> Modifiers {
        Modifiers(self.0 | other.0)
    }
}

/// A range of text with its classification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Token {
    /// The range; comments, strings and C bodies may extend over several lines.
    pub span: Span,
    /// The type.
    pub ty: TokenType,
    /// The modifiers.
    pub modifiers: Modifiers,
}

/// Returns the tokens of `file` that touch `range`, or all of them if it is `None`, in the order of
/// the text and without overlap. Tokens without a type, such as brackets, are left out.
pub fn semantic_tokens(db: &Database, file: FileId, range: Option<Span>) -> Vec<Token> {
    let rope = db.text(file);
    let dialect = db.dialect(file);
    let end = rope.len_bytes() as u32;
    let range = range.unwrap_or(Span::new(0, end));
    let items = db.items(file);
    let first = items.partition_point(|item| db.item_span(*item).end < range.start);
    let count = items[first..].partition_point(|item| db.item_span(*item).start <= range.end);
    // A gap is lexed from the end of the item before it, because lexing cannot start inside a
    // comment.
    let mut done = first
        .checked_sub(1)
        .map_or(0, |before| db.item_span(items[before]).end);
    let mut tokens = Vec::new();
    let kinds = kinds(db, &items[first..first + count]);
    for id in &items[first..first + count] {
        let span = db.item_span(*id);
        comments(
            &rope,
            dialect,
            Span::new(done, span.start.max(done)),
            &mut tokens,
        );
        item_tokens(&View::new(db, *id), &kinds, &mut tokens);
        done = span.end.max(done);
    }
    let next = items
        .get(first + count)
        .map_or(end, |item| db.item_span(*item).start);
    comments(&rope, dialect, Span::new(done, next.max(done)), &mut tokens);
    tokens.retain(|token| token.span.start <= range.end && range.start <= token.span.end);
    tokens
}

type Kinds = FxHashMap<ItemId, SymbolKind>;

/// Returns the kinds of these items and of the definitions of their language that they use.
fn kinds(db: &Database, items: &[ItemId]) -> Kinds {
    let mut defs: Vec<ItemId> = items.to_vec();
    for item in items {
        defs.extend(
            db.bindings(*item)
                .iter()
                .filter_map(|(_, found)| match found {
                    Binding::Def(def) => Some(*def),
                    Binding::Ambiguous(_) | Binding::Broken | Binding::Unknown => None,
                }),
        );
    }
    defs.sort_unstable();
    defs.dedup();
    let schemes = db.schemes(defs.iter().copied());
    defs.into_iter()
        .zip(schemes)
        .map(|(item, scheme)| (item, goto::def_kind(db, item, scheme.as_deref())))
        .collect()
}

/// Adds the comments in a gap between two items.
fn comments(rope: &Rope, dialect: Dialect, gap: Span, out: &mut Vec<Token>) {
    let text = rope.byte_slice(std::ops::Range::from(gap)).to_string();
    let comments = lex_in(&text, dialect).filter(|token| token.kind.is_comment());
    out.extend(comments.map(|token| comment(token.kind, token.span.shifted(gap.start))));
}

fn comment(kind: TokenKind, span: Span) -> Token {
    let modifiers = match kind {
        TokenKind::DocComment => Modifiers::DOCUMENTATION,
        _ => Modifiers::default(),
    };
    Token {
        span,
        ty: TokenType::Comment,
        modifiers,
    }
}

type Class = (TokenType, Modifiers);

/// A token of an item, with the way in which it is classified.
struct Word {
    token: syntax::Token,
    kind: WordKind,
}

enum WordKind {
    Comment,
    /// The `@` of an annotation or attribute.
    Sign,
    /// A token that may be a name; in a strategy file, each that is of no other kind.
    Name,
    /// A half of a pair: `_1` or `_2`.
    Half,
    Other,
}

/// A function that returns the class of a token independently of its context.
type PlainClass = fn(TokenKind, &str) -> Option<Class>;

fn item_tokens(view: &View<'_>, kinds: &Kinds, out: &mut Vec<Token>) {
    let mut names: FxHashMap<u32, Class> = view
        .occurrences()
        .into_iter()
        .map(|found| (found.span.start, name_class(view, found, kinds)))
        .collect();
    let params = view.item().head().into_iter().flat_map(Head::params);
    let marks = params.filter_map(|param| param.inout);
    names.extend(marks.map(|mark| (mark.start, (TokenType::Keyword, Modifiers::default()))));
    let text = view.db.item_text(view.id);
    match view.is_strategy() {
        true => {
            let words = strategy_files::words(&text);
            word_tokens(view, (&text, words), &names, strategy_files::plain, out);
        }
        false => {
            let words = words(&text, view.dialect());
            word_tokens(view, (&text, words), &names, word_class, out);
        }
    }
}

fn word_tokens(
    view: &View<'_>,
    (text, words): (&str, impl Iterator<Item = Word>),
    names: &FxHashMap<u32, Class>,
    plain: PlainClass,
    out: &mut Vec<Token>,
) {
    let mut sign: Option<Span> = None;
    for Word { token, kind } in words {
        let span = token.span;
        let plain = || plain(token.kind, &text[std::ops::Range::from(span)]);
        let (span, class) = match (kind, sign.take()) {
            (WordKind::Comment, before) => {
                out.push(comment(token.kind, view.absolute(span)));
                sign = before;
                continue;
            }
            (WordKind::Sign, _) => {
                sign = Some(span);
                continue;
            }
            (WordKind::Name, Some(sign)) => {
                let decorator = (TokenType::Decorator, Modifiers::default());
                (sign.cover(span), Some(decorator))
            }
            (WordKind::Name, None) => (span, names.get(&span.start).copied().or_else(plain)),
            (WordKind::Half, _) => (span, Some((TokenType::Property, Modifiers::default()))),
            (WordKind::Other, _) => (span, plain()),
        };
        if let Some((ty, modifiers)) = class {
            out.push(Token {
                span: view.absolute(span),
                ty,
                modifiers,
            });
        }
    }
}

fn words(text: &str, dialect: Dialect) -> impl Iterator<Item = Word> {
    let tokens = lex_in(text, dialect).filter(|token| token.kind != TokenKind::Whitespace);
    let mut before = TokenKind::End;
    tokens.map(move |token| {
        let before = std::mem::replace(&mut before, token.kind);
        let kind = match token.kind {
            TokenKind::At => WordKind::Sign,
            TokenKind::Ident
                if before == TokenKind::Dot
                    && matches!(&text[std::ops::Range::from(token.span)], "_1" | "_2") =>
            {
                WordKind::Half
            }
            TokenKind::Ident | TokenKind::Let => WordKind::Name,
            kind if kind.is_comment() => WordKind::Comment,
            _ => WordKind::Other,
        };
        Word { token, kind }
    })
}

/// Returns the class of a name, which depends on what it refers to.
fn name_class(view: &View<'_>, found: Occurrence, kinds: &Kinds) -> Class {
    let (kind, library) = match found.symbol {
        Symbol::Binder(_, binder) => (goto::binder_kind(view, binder), false),
        Symbol::SumIndex(..) => (SymbolKind::TypeParameter, false),
        Symbol::Place(..) => (SymbolKind::Parameter, false),
        Symbol::Library(_) => (SymbolKind::Strategy, true),
        Symbol::Primitive(_) => (SymbolKind::Primitive, true),
        Symbol::Def(item) => {
            let kind = kinds.get(&item).copied().unwrap_or(SymbolKind::Function);
            (kind, view.db.is_library(view.db.file_of(item)))
        }
    };
    let ty = match kind {
        SymbolKind::Function
        | SymbolKind::Foreign
        | SymbolKind::Primitive
        | SymbolKind::Rule
        | SymbolKind::Strategy
        | SymbolKind::Predicate => TokenType::Function,
        SymbolKind::Value | SymbolKind::Variable | SymbolKind::Tunable | SymbolKind::File => {
            TokenType::Variable
        }
        SymbolKind::Parameter => TokenType::Parameter,
        SymbolKind::TypeParameter => TokenType::TypeParameter,
    };
    let mut modifiers = Modifiers::default();
    if found.declaration {
        modifiers = modifiers.with(Modifiers::DECLARATION);
    }
    if library {
        modifiers = modifiers.with(Modifiers::DEFAULT_LIBRARY);
    }
    (ty, modifiers)
}

/// Returns the class of a token of a program independently of its context; brackets and most names
/// have none.
fn word_class(kind: TokenKind, word: &str) -> Option<Class> {
    use TokenKind::*;
    let plain = |ty| Some((ty, Modifiers::default()));
    match kind {
        Ident if SIZE_FUNCTIONS.contains(&word) => {
            Some((TokenType::Function, Modifiers::DEFAULT_LIBRARY))
        }
        Import | Def | Foreign | Let | In | Fun | DepFun | NatFun | DataFun | True | False | If
        | Else | Skip => plain(TokenType::Keyword),
        Scalar | Kind | Constructor | Phrase => Some((TokenType::Type, Modifiers::DEFAULT_LIBRARY)),
        Address => Some((TokenType::EnumMember, address_modifier(word))),
        Access => plain(TokenType::EnumMember),
        Int | Float => plain(TokenType::Number),
        String | OpenString | RawString | OpenRawString => plain(TokenType::String),
        Equals | FatArrow | Arrow | Pipe | ApplyLeft | Then | After | Or | And | EqEq | NotEq
        | Less | LessEq | Greater | GreaterEq | Plus | Minus | Star | Slash | Percent | Caret
        | Bang | Bar | Semicolon => plain(TokenType::Operator),
        _ => None,
    }
}

fn address_modifier(word: &str) -> Modifiers {
    match AddressSpace::from_text(word) {
        Some(AddressSpace::Global) => Modifiers::GLOBAL,
        Some(AddressSpace::Local) => Modifiers::LOCAL,
        Some(AddressSpace::Private) => Modifiers::PRIVATE,
        Some(AddressSpace::Constant) => Modifiers::CONSTANT,
        None => Modifiers::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Fixture, LISTING_4};
    use expect_test::{Expect, expect};

    fn show(fixture: &Fixture, range: Option<Span>) -> String {
        let file = fixture.files[0];
        let tokens = semantic_tokens(&fixture.db, file, range);
        for pair in tokens.windows(2) {
            assert!(pair[0].span.end <= pair[1].span.start, "{pair:?}");
        }
        let line = |token: &Token| {
            let names: Vec<&str> = (0..)
                .zip(Modifiers::NAMES)
                .filter(|(bit, _)| token.modifiers.0 & (1 << bit) != 0)
                .map(|(_, name)| name)
                .collect();
            let names = if names.is_empty() {
                String::new()
            } else {
                format!(" {}", names.join(" "))
            };
            format!(
                "{} {}{names}\n",
                fixture.slice(file, token.span),
                token.ty.as_str()
            )
        };
        tokens.iter().map(line).collect()
    }

    fn check(text: &str, expected: Expect) {
        let fixture = Fixture::new(text);
        let range = fixture.ranges.first().map(|range| range.span);
        expected.assert_eq(&show(&fixture, range));
    }

    #[test]
    fn parameters_left_of_the_value() {
        check(
            "def f(n: Nat)(inout xs: n.t, inout){m: Nat}: t where 4 | n = xs\n",
            expect![[r#"
                def keyword
                f function declaration
                n typeParameter declaration
                Nat type defaultLibrary
                inout keyword
                xs parameter declaration
                n typeParameter
                t typeParameter declaration
                inout parameter declaration
                m typeParameter declaration
                Nat type defaultLibrary
                t typeParameter
                4 number
                | operator
                n typeParameter
                = operator
                xs parameter
            "#]],
        );
    }

    #[test]
    fn every_kind_of_token() {
        check(
            "// plain\n/// Documentation.\n@run(n = 4)\n\
             def f = depFun((n: Nat, t: Num) => fun(p: (n.t, f32) => let x = p._1 in /* b */ x |> toMem(Local)))\n\
             def one = 1.0f\ndef g = f(4, f32) >> dot(unknown)\n\
             foreign def h(x: f32): f32 = \"\"\"{ return x; }\"\"\"\n",
            expect![[r#"
                // plain comment
                /// Documentation. comment documentation
                @run decorator
                n typeParameter
                = operator
                4 number
                def keyword
                f function declaration
                = operator
                depFun keyword
                n typeParameter declaration
                Nat type defaultLibrary
                t typeParameter declaration
                Num type defaultLibrary
                => operator
                fun keyword
                p parameter declaration
                n typeParameter
                t typeParameter
                f32 type defaultLibrary
                => operator
                let keyword
                x variable declaration
                = operator
                p parameter
                _1 property
                in keyword
                /* b */ comment
                x variable
                |> operator
                toMem function defaultLibrary
                Local enumMember local
                def keyword
                one variable declaration
                = operator
                1.0f number
                def keyword
                g function declaration
                = operator
                f function
                4 number
                f32 type defaultLibrary
                >> operator
                dot function defaultLibrary
                foreign keyword
                def keyword
                h function declaration
                x parameter declaration
                f32 type defaultLibrary
                f32 type defaultLibrary
                = operator
                """{ return x; }""" string
            "#]],
        );
    }

    #[test]
    fn sizes_of_sums() {
        check(
            "def f : (n: Nat) -> (sum(i, 0, n, i)).f32 -> f32 = _\n",
            expect![[r#"
            def keyword
            f function declaration
            n typeParameter declaration
            Nat type defaultLibrary
            -> operator
            sum function defaultLibrary
            i typeParameter declaration
            0 number
            n typeParameter
            i typeParameter
            f32 type defaultLibrary
            -> operator
            f32 type defaultLibrary
            = operator
        "#]],
        );
    }

    #[test]
    fn a_range_has_its_own_tokens_only() {
        check(
            "// one\ndef f = 1\n// t<|>wo\ndef g = 2\n<|>// three\ndef h = 3\n",
            expect![[r#"
            // two comment
            def keyword
            g variable declaration
            = operator
            2 number
            // three comment
        "#]],
        );
    }

    #[test]
    fn ranges_agree_with_the_whole() {
        let fixture = Fixture::new(&format!(
            "// head\n{LISTING_4}\n/* tail */\n{LISTING_4}// end"
        ));
        let file = fixture.files[0];
        let whole = semantic_tokens(&fixture.db, file, None);
        let length = fixture.text(file).len() as u32;
        for start in (0..length).step_by(37) {
            let range = Span::new(start, (start + 90).min(length));
            let part = semantic_tokens(&fixture.db, file, Some(range));
            let touching =
                |token: &&Token| token.span.start <= range.end && range.start <= token.span.end;
            assert!(part.iter().eq(whole.iter().filter(touching)), "{range:?}");
        }
    }
}
