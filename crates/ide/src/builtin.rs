//! Primitives, of either language.

use std::sync::Arc;

use dpia::Prim;
use rise::{Primitive, Scheme};
use syntax::Dialect;

/// A primitive of one of the languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// One of RISE.
    Rise(Primitive),
    /// One of DPIA.
    Dpia(Prim),
}

impl Builtin {
    /// The one that is called so.
    pub fn from_name(name: &str, dialect: Dialect) -> Option<Builtin> {
        match dialect {
            Dialect::Rise => Primitive::from_name(name).map(Builtin::Rise),
            Dialect::Dpia => Prim::from_name(name).map(Builtin::Dpia),
        }
    }

    /// All of a language that are called by a name.
    pub fn all(dialect: Dialect) -> Vec<Builtin> {
        match dialect {
            Dialect::Rise => Primitive::ALL.iter().copied().map(Builtin::Rise).collect(),
            Dialect::Dpia => Prim::ALL
                .iter()
                .copied()
                .filter(|prim| !has_syntax(*prim))
                .map(Builtin::Dpia)
                .collect(),
        }
    }

    /// Its language.
    pub const fn dialect(self) -> Dialect {
        match self {
            Builtin::Rise(_) => Dialect::Rise,
            Builtin::Dpia(_) => Dialect::Dpia,
        }
    }

    /// As it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Builtin::Rise(primitive) => primitive.name(),
            Builtin::Dpia(prim) => prim.name(),
        }
    }

    /// Its type.
    pub fn scheme(self) -> &'static Arc<Scheme> {
        match self {
            Builtin::Rise(primitive) => rise::library_scheme(primitive),
            Builtin::Dpia(prim) => prim.scheme(),
        }
    }

    /// Its type as it is shown.
    pub fn signature_text(self) -> String {
        match self {
            Builtin::Rise(primitive) => primitive.signature_text().to_owned(),
            Builtin::Dpia(prim) => rise::print::scheme_text(prim.scheme()),
        }
    }

    /// Its documentation, in Markdown.
    pub fn docs(self) -> &'static str {
        match self {
            Builtin::Rise(primitive) => primitive.docs(),
            Builtin::Dpia(prim) => prim.docs(),
        }
    }
}

/// Whether a primitive is written with a word or symbol of its own.
fn has_syntax(prim: Prim) -> bool {
    matches!(
        prim,
        Prim::Assign | Prim::Seq | Prim::If | Prim::Skip | Prim::Let
    )
}
