//! The parameters of the function whose call is being written.

use crate::FilePosition;
use db::Database;
use syntax::Span;

/// A function with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Name and type, as in `zip : n.s -> n.t -> n.(s, t)`.
    pub label: String,
    /// The parameters, as byte spans of `label`.
    pub parameters: Vec<Span>,
    /// Documentation, as Markdown.
    pub docs: Option<String>,
}

/// What to show while arguments are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureHelp {
    /// The function.
    pub signature: Signature,
    /// The parameter under the cursor; `None` behind the last one.
    pub active: Option<usize>,
}

/// The call around `at`.
pub fn signature_help(db: &Database, at: FilePosition) -> Option<SignatureHelp> {
    let _ = (db, at);
    None
}
