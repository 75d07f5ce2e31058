//! Why a rule does not apply.

use std::sync::Arc;

use rise::types::{Arg, Ty};
use syntax::Span;

use super::because::Because;
use super::pattern::Pattern;
use super::{Predicate, Rule};
use crate::term::{Path, Store, Term, arg_text, print};

/// Why a rule does not apply to a term: of all alternatives, and of all functions in front of
/// arguments, what came nearest.
#[derive(Clone, Debug, PartialEq)]
pub struct Miss {
    /// The alternative that came nearest.
    pub alt: u32,
    /// The node of its pattern that did not fit, if it is about one.
    pub(crate) node: Option<u32>,
    /// What stood there.
    pub found: Option<Term>,
    /// How many nodes of the pattern fitted.
    pub progress: u32,
    /// What is wrong.
    pub why: Why,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq)]
pub enum Why {
    /// Another form of term: not this primitive, no function, ….
    Shape,
    /// A metavariable that stands for something else already.
    NotEqual,
    /// What has a story of its own.
    Detail(Arc<Detail>),
    /// There is no alternative whose outermost function is the term's.
    Head,
}

/// What is wrong, where there is more to say of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Detail {
    /// Another size or type as an argument. `expected` is not known where it would have to be
    /// computed from several unknowns.
    Argument {
        /// What is wanted.
        expected: Option<Arg>,
        /// What is there.
        found: Arg,
    },
    /// An address space where none is wanted, or none where one is.
    Optional,
    /// Another type.
    Type {
        /// What is wanted.
        expected: Option<Ty>,
        /// What is there.
        found: Ty,
    },
    /// A condition does not hold, or is not known to hold.
    Condition {
        /// Where it is written.
        span: Span,
        /// Whether it is certain that it does not hold.
        refuted: bool,
        /// Why.
        reason: Because,
    },
    /// A size or type of the right side that nothing determines.
    Undetermined,
    /// What `let` is to make cannot be made.
    NotMade(Box<str>),
    /// A number that is given is none of the type of its place.
    NotOf {
        /// The type.
        found: Ty,
    },
    /// What comes out has another type than what was there.
    OtherType {
        /// What was there.
        expected: Ty,
        /// What came out.
        found: Ty,
    },
    /// What comes out would nest too deeply.
    TooDeep,
}

impl From<Detail> for Why {
    fn from(detail: Detail) -> Why {
        Why::Detail(Arc::new(detail))
    }
}

/// A [`Miss`] in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    /// The part of the pattern, or the condition, in its item.
    pub pattern: Option<Span>,
    /// What stood in its place.
    pub found: Option<Term>,
    /// Where that is, from the term that the rule was tried on.
    pub path: Path,
    /// What was expected and what was found.
    pub message: String,
}

impl Miss {
    pub(super) fn new(why: Why) -> Miss {
        Miss {
            alt: 0,
            node: None,
            found: None,
            progress: 0,
            why,
        }
    }

    /// The nearer one of two.
    pub(super) fn nearer(self, other: Option<Miss>) -> Miss {
        match other {
            Some(other) if other.progress >= self.progress => other,
            _ => self,
        }
    }

    /// In words, for a rule whose item's text is `text`.
    pub fn explain(&self, rule: &Rule, store: &Store, text: &str) -> Explained {
        let pattern = rule.alts.get(self.alt as usize).map(|alt| &alt.pattern);
        self.explained(pattern, store, text)
    }

    /// The same for a predicate.
    pub fn explain_predicate(&self, predicate: &Predicate, store: &Store, text: &str) -> Explained {
        let matcher = predicate.patterns.get(self.alt as usize);
        self.explained(matcher.map(|matcher| &matcher.pattern), store, text)
    }

    fn explained(&self, pattern: Option<&Pattern>, store: &Store, text: &str) -> Explained {
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
            Why::Shape => format!("expected {wanted}, found {here}"),
            Why::NotEqual => format!("{wanted} stands for something else already than {here}"),
            Why::Head => "no pattern of the rule begins like this term".to_owned(),
            Why::Detail(detail) => match &**detail {
                Detail::Argument {
                    expected: Some(expected),
                    found,
                } => {
                    let (expected, found) = (argument(expected), argument(found));
                    format!("expected `{expected}` in {wanted}, found `{found}`")
                }
                Detail::Argument {
                    expected: None,
                    found,
                } => format!("no size makes {wanted} equal to `{}`", argument(found)),
                Detail::Optional => {
                    format!("{wanted} has no address space, or another one, than {here}")
                }
                Detail::Type {
                    expected: Some(expected),
                    found,
                } => {
                    let (expected, found) = (ty(expected), ty(found));
                    format!("expected the type `{expected}`, found `{found}`")
                }
                Detail::Type {
                    expected: None,
                    found,
                } => format!("{wanted} has the type `{}`", ty(found)),
                Detail::Condition {
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
                Detail::Undetermined => {
                    "nothing determines a size or type of the right side".to_owned()
                }
                Detail::NotMade(reason) => reason.to_string(),
                Detail::NotOf { found } => {
                    format!(
                        "a number that is given stands where the type is `{}`",
                        ty(found)
                    )
                }
                Detail::OtherType { expected, found } => {
                    let (expected, found) = (ty(expected), ty(found));
                    format!("the result has the type `{found}`, and `{expected}` is wanted")
                }
                Detail::TooDeep => "the result nests too deeply".to_owned(),
            },
        };
        let pattern = match &self.why {
            Why::Detail(detail) => match **detail {
                Detail::Condition { span, .. } => Some(span),
                _ => span,
            },
            _ => span,
        };
        Explained {
            pattern,
            found: self.found,
            path: Path(path.unwrap_or_default()),
            message,
        }
    }
}

/// A text for a message, in one line.
pub(super) fn short(text: &str) -> String {
    const LENGTH: usize = 60;
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(LENGTH) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
