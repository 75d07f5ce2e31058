//! What the other items can see of an item before anything is inferred.

use syntax::Span;
use syntax::ast::{Item, ItemKind, Name};

use crate::mentions::mentions;

/// What other items can see of an item without its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// What it declares.
    pub declares: Declares,
    /// Where: the name, or the import's string. In the item.
    pub span: Span,
    /// The names that nothing in the item binds, sorted.
    pub mentions: Box<[Name]>,
}

/// What an item declares.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Declares {
    /// A definition of this name.
    Def(Name),
    /// An import of this path.
    Import(Box<str>),
    /// Nothing, because something is missing.
    Nothing,
}

impl Header {
    pub(crate) fn of(item: &Item) -> Header {
        let (declares, span) = match (&item.kind, item.name()) {
            (
                ItemKind::Import {
                    path: Some((path, span)),
                },
                _,
            ) => (Declares::Import(path.clone()), *span),
            (_, Some(name)) if !name.name.is_empty() => {
                (Declares::Def(name.name.clone()), name.span)
            }
            _ => (Declares::Nothing, Span::default()),
        };
        Header {
            declares,
            span,
            mentions: mentions(item),
        }
    }
}
