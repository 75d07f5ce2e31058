//! What the other items can see of an item before anything is inferred.

use syntax::ast::{Annotation, AnnotationValue, Item, ItemKind, Name, TermKind};
use syntax::{Span, elevate};

use crate::mentions::mentions;
use crate::strategies;
use crate::trees::Tree;

/// What other items can see of an item without its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// What it declares.
    pub declares: Declares,
    /// Where: the name, or the import's string. In the item.
    pub span: Span,
    /// The names of its own language that nothing in the item binds, sorted.
    pub mentions: Box<[Name]>,
    /// The names of programs that strategies may speak of, sorted; of an item of ELEVATE only.
    pub programs: Box<[Name]>,
    /// The strategy that lowers it, if it names one.
    pub strategy: Option<Box<StrategyName>>,
    /// The declaration of a foreign function, without blanks and comments.
    pub foreign: Option<Box<str>>,
    /// The names that it would define by words that do not define in RISE.
    pub synonyms: Box<[Name]>,
}

/// `@strategy("file.elevate", name)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrategyName {
    /// The file's path as it is written, and where, in the item.
    pub file: Option<(Box<str>, Span)>,
    /// The strategy.
    pub name: Name,
    /// Where the name stands, in the item.
    pub span: Span,
}

/// What an item declares.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Declares {
    /// A definition of this name.
    Def(Name),
    /// An import of this path.
    Import(Box<str>),
    /// An import that does not say of what.
    BrokenImport,
    /// Nothing, because something is missing.
    Nothing,
}

impl Header {
    /// Whether the item speaks of something of this name that it does not bind itself.
    pub fn names(&self, name: &str) -> bool {
        let among = |names: &[Name]| {
            names
                .binary_search_by(|known| known.as_str().cmp(name))
                .is_ok()
        };
        let lowers = |strategy: &StrategyName| strategy.name == name;
        among(&self.mentions)
            || among(&self.programs)
            || self.strategy.as_deref().is_some_and(lowers)
    }

    /// The header of the item with this text, which is that of the tree.
    pub(crate) fn of(tree: &Tree, text: &str) -> Header {
        match tree {
            Tree::Program(parsed) => Header::of_program(&parsed.item, text),
            Tree::Strategy(parsed) => Header::of_strategy(&parsed.item),
        }
    }

    fn of_strategy(item: &elevate::ast::Item) -> Header {
        let (declares, span) = match (&item.kind, item.name()) {
            (
                elevate::ast::ItemKind::Import {
                    path: Some((path, span)),
                },
                _,
            ) => (Declares::Import(path.clone()), *span),
            (elevate::ast::ItemKind::Import { path: None }, _) => {
                (Declares::BrokenImport, Span::default())
            }
            (_, Some(name)) if !name.name.is_empty() => {
                (Declares::Def(name.name.clone()), name.span)
            }
            _ => (Declares::Nothing, Span::default()),
        };
        Header {
            declares,
            span,
            mentions: strategies::mentions::strategies(item),
            programs: strategies::mentions::programs(item),
            strategy: None,
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
            ) => (Declares::Import(path.clone()), *span),
            (ItemKind::Import { path: None }, _) => (Declares::BrokenImport, Span::default()),
            (_, Some(name)) if !name.name.is_empty() => {
                (Declares::Def(name.name.clone()), name.span)
            }
            _ => (Declares::Nothing, Span::default()),
        };
        Header {
            declares,
            span,
            mentions: mentions(item),
            programs: Box::default(),
            strategy: strategy_name(item).map(Box::new),
            foreign: matches!(item.kind, ItemKind::Foreign { .. }).then(|| tokens(text)),
            synonyms: item.synonyms.clone(),
        }
    }
}

/// The tokens of a text with a blank between them, comments left out.
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

/// The strategy that the definition names; the first, of several.
fn strategy_name(item: &Item) -> Option<StrategyName> {
    let is_strategy = |annotation: &&Annotation| {
        annotation
            .name
            .as_ref()
            .is_some_and(|name| name.name == "strategy")
    };
    let annotation = item.annotations.iter().find(is_strategy)?;
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
