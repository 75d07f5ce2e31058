//! Headers: the part of an item that other items depend on, apart from its type.

mod free_names;
mod strategy_names;

use syntax::ast::{AnnotationValue, Item, ItemKind, Name, TermKind};
use syntax::{Span, elevate};

use crate::trees::Tree;
use free_names::free_names;

/// The part of an item that other items depend on, apart from its type. It is computed from the
/// text of the item alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The declaration of the item.
    pub declares: Declaration,
    /// The range in the item of the declared name, or of the import's string; empty if there is
    /// neither.
    pub span: Span,
    /// The free names in the item that may refer to definitions of the item's own language, sorted.
    pub free_names: Box<[Name]>,
    /// The names in an item of ELEVATE that may refer to definitions of programs, sorted. They
    /// include names that the item binds itself. Empty for an item of a program.
    pub programs: Box<[Name]>,
    /// The strategy that the item names in its first `@strategy`; `None` if it has none, or one
    /// with other arguments than a name, or a file and a name.
    pub strategy: Option<Box<StrategyName>>,
    /// True if the item has the annotation `@exact`.
    pub is_exact: bool,
    /// The tokens of the declaration of a foreign function, without comments, separated by spaces;
    /// `None` for other items.
    pub foreign: Option<Box<str>>,
    /// The names that invalid definitions such as `type t = …` would define.
    pub synonyms: Box<[Name]>,
}

/// The strategy of an annotation `@strategy(name)` or `@strategy("file.elevate", name)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrategyName {
    /// The file's path as it is written, and its range in the item; `None` if only a name is given.
    pub file: Option<(Box<str>, Span)>,
    /// The name of the strategy.
    pub name: Name,
    /// The range of the name, in the item.
    pub span: Span,
}

/// The declaration of an item.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Declaration {
    /// A definition or a foreign function of this name.
    Def(Name),
    /// An import of this path.
    Import(Box<str>),
    /// An import without a path.
    BrokenImport,
    /// No declaration: the item has no name, because it needs none or because a part of it is
    /// missing.
    Nothing,
}

impl Header {
    /// Returns true if the item may refer to a definition with this name. In an item of ELEVATE,
    /// this includes some names that the item binds itself.
    pub fn names(&self, name: &str) -> bool {
        let among = |names: &[Name]| {
            names
                .binary_search_by(|known| known.as_str().cmp(name))
                .is_ok()
        };
        let lowers = |strategy: &StrategyName| strategy.name == name;
        among(&self.free_names)
            || among(&self.programs)
            || self.strategy.as_deref().is_some_and(lowers)
    }

    /// Computes the header of the item with this text and tree.
    pub(crate) fn of(tree: &Tree, text: &str) -> Header {
        match tree {
            Tree::Program(parsed) => Header::of_program(&parsed.item, text),
            Tree::Strategy(parsed) => Header::of_strategy(&parsed.item),
        }
    }

    pub(crate) fn of_strategy(item: &elevate::ast::Item) -> Header {
        let (declares, span) = match (&item.kind, item.name()) {
            (
                elevate::ast::ItemKind::Import {
                    path: Some((path, span)),
                },
                _,
            ) => (Declaration::Import(path.clone()), *span),
            (elevate::ast::ItemKind::Import { path: None }, _) => {
                (Declaration::BrokenImport, Span::default())
            }
            (_, Some(name)) if !name.name.is_empty() => {
                (Declaration::Def(name.name.clone()), name.span)
            }
            _ => (Declaration::Nothing, Span::default()),
        };
        Header {
            declares,
            span,
            free_names: strategy_names::strategies(item),
            programs: strategy_names::programs(item),
            strategy: None,
            is_exact: false,
            foreign: None,
            synonyms: Box::default(),
        }
    }

    fn of_program(item: &Item, text: &str) -> Header {
        let (declares, span) = match (&item.kind, item.name()) {
            (
                ItemKind::Import {
                    path: Some((path, span)),
                },
                _,
            ) => (Declaration::Import(path.clone()), *span),
            (ItemKind::Import { path: None }, _) => (Declaration::BrokenImport, Span::default()),
            (_, Some(name)) if !name.name.is_empty() => {
                (Declaration::Def(name.name.clone()), name.span)
            }
            _ => (Declaration::Nothing, Span::default()),
        };
        Header {
            declares,
            span,
            free_names: free_names(item),
            programs: Box::default(),
            strategy: strategy_name(item).map(Box::new),
            is_exact: item.annotations("exact").next().is_some(),
            foreign: matches!(item.kind, ItemKind::Foreign { .. }).then(|| tokens(text)),
            synonyms: item.synonyms.clone(),
        }
    }
}

/// Joins the tokens of a text with spaces, without comments.
fn tokens(text: &str) -> Box<str> {
    use syntax::TokenKind::{BlockComment, DocComment, LineComment, Whitespace};
    let tokens = syntax::lex(text).filter(|token| {
        !matches!(
            token.kind,
            Whitespace | LineComment | DocComment | BlockComment
        )
    });
    let words: Vec<&str> = tokens
        .map(|token| &text[std::ops::Range::from(token.span)])
        .collect();
    words.join(" ").into()
}

/// Returns the strategy of the definition's first `@strategy` annotation; `None` if there is none,
/// or its arguments are not a name, or a file and a name.
pub(crate) fn strategy_name(item: &Item) -> Option<StrategyName> {
    let annotation = item.annotations("strategy").next()?;
    let (file, name) = match &*annotation.args {
        [name] => (None, &name.value),
        [file, name] => match &file.value {
            AnnotationValue::String(path, span) => (Some((path.clone(), *span)), &name.value),
            _ => return None,
        },
        _ => return None,
    };
    let AnnotationValue::Term(term) = name else {
        return None;
    };
    let TermKind::Name(name) = &item.term(*term).kind else {
        return None;
    };
    Some(StrategyName {
        file,
        name: name.clone(),
        span: item.term(*term).span,
    })
}
