//! Why a rule does not apply.

use rise::types::{Arg, Ty};
use syntax::Span;

use super::{Predicate, Rule};
use super::pattern::Pattern;
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
        reason: Box<str>,
    },
    /// A size or type of the right side that nothing determines.
    Undetermined,
    /// What comes out has another type than what was there.
    OtherType {
        /// What was there.
        expected: Ty,
        /// What came out.
        found: Ty,
    },
    /// What comes out would nest too deeply.
    TooDeep,
    /// There is no alternative whose outermost function is the term's.
    Head,
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
        let wanted = wanted.map_or_else(|| "the pattern".to_owned(), |text| format!("`{}`", short(text)));
        let here = found.map_or_else(|| "this term".to_owned(), |text| format!("`{text}`"));
        let message = match &self.why {
            Why::Shape => format!("expected {wanted}, found {here}"),
            Why::NotEqual => format!("{wanted} stands for something else already than {here}"),
            Why::Argument { expected: Some(expected), found } => {
                format!("expected `{}` in {wanted}, found `{}`", argument(expected), argument(found))
            }
            Why::Argument { expected: None, found } => {
                format!("no size makes {wanted} equal to `{}`", argument(found))
            }
            Why::Optional => format!("{wanted} has no address space, or another one, than {here}"),
            Why::Type { expected: Some(expected), found } => {
                format!("expected the type `{}`, found `{}`", ty(expected), ty(found))
            }
            Why::Type { expected: None, found } => format!("{wanted} has the type `{}`", ty(found)),
            Why::Condition { span, refuted, reason } => {
                let said = short(names(*span));
                let verdict = if *refuted { "does not hold" } else { "cannot be proved" };
                format!("`{said}` {verdict}: {reason}")
            }
            Why::Undetermined => "nothing determines a size or type of the right side".to_owned(),
            Why::OtherType { expected, found } => format!(
                "the result has the type `{}`, and `{}` is wanted",
                ty(found),
                ty(expected)
            ),
            Why::TooDeep => "the result nests too deeply".to_owned(),
            Why::Head => "no pattern of the rule begins like this term".to_owned(),
        };
        let pattern = match &self.why {
            Why::Condition { span, .. } => Some(*span),
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
fn short(text: &str) -> String {
    const LENGTH: usize = 60;
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(LENGTH) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
