//! The primitives of RISE and of DPIA as one type.

use std::sync::Arc;

use dpia::Prim;
use rise::{Primitive, Scheme};
use syntax::Dialect;

/// A primitive of one of the languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// A primitive of RISE.
    Rise(Primitive),
    /// A primitive of DPIA.
    Dpia(Prim),
}

impl Builtin {
    /// Returns the primitive of a language with this name.
    pub fn from_name(name: &str, dialect: Dialect) -> Option<Builtin> {
        match dialect {
            Dialect::Rise => Primitive::from_name(name).map(Builtin::Rise),
            Dialect::Dpia => Prim::from_name(name).map(Builtin::Dpia),
        }
    }

    /// Returns all primitives of a language that programs refer to by name, so without those that
    /// have a notation of their own.
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

    /// Returns the language of the primitive.
    pub const fn dialect(self) -> Dialect {
        match self {
            Builtin::Rise(_) => Dialect::Rise,
            Builtin::Dpia(_) => Dialect::Dpia,
        }
    }

    /// Returns the name of the primitive.
    pub const fn name(self) -> &'static str {
        match self {
            Builtin::Rise(primitive) => primitive.name(),
            Builtin::Dpia(prim) => prim.name(),
        }
    }

    /// Returns the type scheme of the primitive.
    pub fn scheme(self) -> &'static Arc<Scheme> {
        match self {
            Builtin::Rise(primitive) => rise::library_scheme(primitive),
            Builtin::Dpia(prim) => prim.scheme(),
        }
    }

    /// Returns the type scheme as text.
    pub fn signature_text(self) -> String {
        match self {
            Builtin::Rise(primitive) => primitive.signature_text().to_owned(),
            Builtin::Dpia(prim) => rise::print::scheme_text(prim.scheme()),
        }
    }

    /// Returns the documentation of the primitive, in Markdown.
    pub fn docs(self) -> &'static str {
        match self {
            Builtin::Rise(primitive) => primitive.docs(),
            Builtin::Dpia(prim) => prim.docs(),
        }
    }
}

/// Returns true if a primitive has a notation of its own, such as a keyword or an operator.
fn has_syntax(prim: Prim) -> bool {
    matches!(
        prim,
        Prim::Assign | Prim::Seq | Prim::If | Prim::Skip | Prim::Let
    )
}
