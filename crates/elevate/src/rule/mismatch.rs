//! Explains why a rule does not apply.

use std::sync::Arc;

use rise::types::{Arg, Ty};
use syntax::Span;

use super::Rule;
use super::condition_failure::ConditionFailure;
use crate::term::{Path, Store, Term, arg_text, print};

/// The reason why a rule, predicate or pattern does not apply to a term: the nearest mismatch among
/// all alternatives and all functions that the term applies.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// The index of the nearest alternative.
    pub alt: u32,
    /// The index of the node of its pattern that did not match, if the reason concerns one.
    pub(crate) node: Option<u32>,
    /// The subterm that the first phase of matching compared with this node.
    pub found: Option<Term>,
    /// The number of pattern nodes that matched; one more if both phases of matching succeeded, and
    /// a condition on terms or the construction of the result failed.
    pub progress: u32,
    /// The reason.
    pub why: MismatchReason,
}

/// The reason of a mismatch.
#[derive(Clone, Debug, PartialEq)]
pub enum MismatchReason {
    /// The form of the term differs, such as another primitive, or not a function.
    Shape,
    /// A repeated metavariable has another value already.
    NotEqual,
    /// A reason that has details: see [`MismatchDetail`].
    Detail(Arc<MismatchDetail>),
    /// No alternative has a pattern with the head of the term.
    Head,
}

/// A reason for a mismatch with details for its explanation.
#[derive(Clone, Debug, PartialEq)]
pub enum MismatchDetail {
    /// A type-level argument differs. `expected` is `None` if it is not determined.
    Argument {
        /// The expected argument.
        expected: Option<Arg>,
        /// The argument found.
        found: Arg,
    },
    /// The number of type-level arguments differs: an optional one, such as an address space, is
    /// present where the pattern has none, or absent where it has one.
    Optional,
    /// A type differs.
    Type {
        /// The expected type; `None` if it is not determined.
        expected: Option<Ty>,
        /// The type found.
        found: Ty,
    },
    /// A condition does not hold, or is not known to hold.
    Condition {
        /// The span of the clause.
        span: Span,
        /// True if the condition is refuted; false if it is undecided.
        refuted: bool,
        /// The reason why it does not hold or is undecided.
        reason: ConditionFailure,
    },
    /// A size or type of the right side, or an output of a pattern, is not determined.
    Undetermined,
    /// The term of a `let` cannot be constructed, for this reason.
    NotMade(Box<str>),
    /// A literal given as an argument is not a value of the type of its parameter.
    NotOf {
        /// The type of the parameter.
        found: Ty,
    },
    /// The type of the result is not provably equal to that of the original term.
    OtherType {
        /// The type of the original term.
        expected: Ty,
        /// The type of the result.
        found: Ty,
    },
    /// The result or one of its types is too deep or too large.
    TooDeep,
}

impl From<MismatchDetail> for MismatchReason {
    fn from(detail: MismatchDetail) -> MismatchReason {
        MismatchReason::Detail(Arc::new(detail))
    }
}

/// The explanation of a [`Mismatch`] for users.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MismatchExplanation {
    /// The span of the subpattern or condition in the item.
    pub pattern: Option<Span>,
    /// The subterm in the place of the subpattern.
    pub found: Option<Term>,
    /// The path of this subterm from the term to which the rule was applied.
    pub path: Path,
    /// A message with what was expected and what was found.
    pub message: String,
}

impl Mismatch {
    pub(super) fn new(why: MismatchReason) -> Mismatch {
        Mismatch {
            alt: 0,
            node: None,
            found: None,
            progress: 0,
            why,
        }
    }

    /// Returns the mismatch with more progress, `other` if they are equal.
    pub(super) fn nearer(self, other: Option<Mismatch>) -> Mismatch {
        match other {
            Some(other) if other.progress >= self.progress => other,
            _ => self,
        }
    }

    /// Explains the mismatch. `text` is the text of the item that contains the rule.
    pub fn explain(&self, rule: &Rule, store: &Store, text: &str) -> MismatchExplanation {
        let pattern = rule.alts.get(self.alt as usize).map(|alt| &alt.pattern);
        let node = self.node.map(|node| node as usize);
        let span = node.and_then(|node| Some(*pattern?.spans.get(node)?));
        let path = node.and_then(|node| Some(pattern?.paths.get(node)?.to_vec()));
        let wanted = span.and_then(|span| text.get(std::ops::Range::from(span)));
        let names = |span: Span| text.get(std::ops::Range::from(span)).unwrap_or_default();
        let found = self.found.map(|term| short(&print(store, term)));
        let argument = |arg: &Arg| arg_text(store, arg);
        let ty = |ty: &Ty| arg_text(store, &Arg::Type(ty.clone()));
        let wanted = wanted.map_or_else(
            || "the pattern".to_owned(),
            |text| format!("`{}`", short(text)),
        );
        let here = found.map_or_else(|| "this term".to_owned(), |text| format!("`{text}`"));
        let message = match &self.why {
            MismatchReason::Shape => format!("expected {wanted}, found {here}"),
            MismatchReason::NotEqual => {
                format!("{wanted} already matches another term than {here}")
            }
            MismatchReason::Head => "no pattern of the rule begins like this term".to_owned(),
            MismatchReason::Detail(detail) => match &**detail {
                MismatchDetail::Argument {
                    expected: Some(expected),
                    found,
                } => {
                    let (expected, found) = (argument(expected), argument(found));
                    format!("expected `{expected}` in {wanted}, found `{found}`")
                }
                MismatchDetail::Argument {
                    expected: None,
                    found,
                } => format!("no size makes {wanted} equal to `{}`", argument(found)),
                MismatchDetail::Optional => {
                    format!("the address space of {wanted} is not that of {here}")
                }
                MismatchDetail::Type {
                    expected: Some(expected),
                    found,
                } => {
                    let (expected, found) = (ty(expected), ty(found));
                    format!("expected the type `{expected}`, found `{found}`")
                }
                MismatchDetail::Type {
                    expected: None,
                    found,
                } => format!("{wanted} has the type `{}`", ty(found)),
                MismatchDetail::Condition {
                    span,
                    refuted,
                    reason,
                } => {
                    let said = short(names(*span));
                    let verdict = match refuted {
                        true => "does not hold",
                        false => "cannot be proved",
                    };
                    format!("`{said}` {verdict}: {}", reason.text(store))
                }
                MismatchDetail::Undetermined => {
                    "nothing determines a size or type of the right side".to_owned()
                }
                MismatchDetail::NotMade(reason) => reason.to_string(),
                MismatchDetail::NotOf { found } => {
                    format!("a number is given where the type is `{}`", ty(found))
                }
                MismatchDetail::OtherType { expected, found } => {
                    let (expected, found) = (ty(expected), ty(found));
                    format!("the result has the type `{found}`, and `{expected}` is expected")
                }
                MismatchDetail::TooDeep => "the result nests too deeply".to_owned(),
            },
        };
        let pattern = match &self.why {
            MismatchReason::Detail(detail) => match **detail {
                MismatchDetail::Condition { span, .. } => Some(span),
                _ => span,
            },
            _ => span,
        };
        MismatchExplanation {
            pattern,
            found: self.found,
            path: Path(path.unwrap_or_default()),
            message,
        }
    }
}

/// Returns a text on one line, with an ellipsis in the place of what follows 60 characters.
pub(super) fn short(text: &str) -> String {
    const LENGTH: usize = 60;
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(LENGTH) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
