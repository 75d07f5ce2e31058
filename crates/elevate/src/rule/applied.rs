//! Applies rules with given arguments as strategies of the engine.

use std::fmt;
use std::sync::Arc;

use super::mismatch::{MismatchDetail, MismatchReason};
use super::pattern::Pattern;
use super::{Alt, Definitions, Host, Rule, RuleArg, Test};
use crate::engine::{self, Context, Reach, Reason, Rewrite};
use crate::term::{Heads, Store, Term};

/// A rule with its arguments.
pub struct Applied {
    rule: Arc<Rule>,
    args: Box<[RuleArg]>,
    /// The text of the arguments.
    shown: Box<str>,
    /// The text of the rule's item.
    text: Arc<str>,
    tests: Box<[Test]>,
    definitions: Definitions,
}

impl fmt::Debug for Applied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.rule.name, self.shown)
    }
}

impl Applied {
    /// Returns the rule with a value for each of its parameters. `shown` is the text of the
    /// arguments with the parentheses, empty if there are none; `text` is the text of the rule's
    /// item. `tests` contains a test for each of [`Rule::holds`].
    pub fn new(
        rule: Arc<Rule>,
        args: impl Into<Box<[RuleArg]>>,
        shown: impl Into<Box<str>>,
        text: Arc<str>,
        tests: impl Into<Box<[Test]>>,
        definitions: Definitions,
    ) -> Applied {
        Applied {
            rule,
            args: args.into(),
            shown: shown.into(),
            text,
            tests: tests.into(),
            definitions,
        }
    }

    /// Returns the rule.
    pub fn rule(&self) -> &Rule {
        &self.rule
    }

    /// Returns the arguments of the rule.
    pub fn values(&self) -> &[RuleArg] {
        &self.args
    }

    fn host(&self) -> Host<'_> {
        Host {
            tests: &self.tests,
            definitions: &self.definitions,
        }
    }

    /// Tests if an alternative of the rule matches a term, and its conditions hold. It builds only
    /// the parts of the right side that depend on sizes and types alone.
    ///
    /// # Errors
    ///
    /// The nearest mismatch.
    pub fn matches(&self, cx: &mut Context<'_>, term: Term) -> Result<(), super::Mismatch> {
        super::matches_only(cx, &self.host(), &self.rule, &self.args, term)
    }

    /// Applies the rule to a term, and also returns the alternative and the arguments that were
    /// left out.
    ///
    /// # Errors
    ///
    /// The nearest mismatch.
    pub fn rewritten(
        &self,
        cx: &mut Context<'_>,
        term: Term,
    ) -> Result<super::Rewritten, super::Mismatch> {
        super::apply(cx, &self.host(), &self.rule, &self.args, term)
    }
}

impl Rewrite for Applied {
    fn name(&self) -> &str {
        self.rule.shown_name()
    }

    fn args(&self) -> &str {
        &self.shown
    }

    fn apply(
        &self,
        cx: &mut Context<'_>,
        term: Term,
    ) -> Result<engine::Rewritten, engine::MismatchRank> {
        match self.rewritten(cx, term) {
            Ok(made) => Ok(engine::Rewritten {
                assumptions: made.assumptions.to_vec(),
                ..engine::Rewritten::plain(made.term)
            }),
            Err(miss) => Err(engine::MismatchRank {
                matched: match &miss.why {
                    // The whole pattern matches.
                    MismatchReason::Detail(detail)
                        if matches!(
                            **detail,
                            MismatchDetail::Condition { .. } | MismatchDetail::NotMade(_)
                        ) =>
                    {
                        engine::MismatchRank::in_condition(miss.progress).matched
                    }
                    _ => miss.progress,
                },
            }),
        }
    }

    fn explain(&self, cx: &mut Context<'_>, term: Term) -> Reason {
        let miss = match self.matches(cx, term) {
            Err(miss) => miss,
            Ok(()) => match self.rewritten(cx, term) {
                Err(miss) => miss,
                Ok(_) => return Reason::Message("it applies".into()),
            },
        };
        let explained = miss.explain(&self.rule, cx.store, &self.text);
        let part = |span: Option<syntax::Span>| {
            let text = span.and_then(|span| self.text.get(std::ops::Range::from(span)));
            text.map_or_else(|| "the pattern".to_owned(), str::to_owned)
        };
        match &miss.why {
            MismatchReason::Head | MismatchReason::Shape | MismatchReason::NotEqual => {
                Reason::Shape {
                    expected: match miss.why {
                        MismatchReason::Head => self.first_pattern(),
                        _ => part(explained.pattern),
                    },
                    found: miss.found.unwrap_or(term),
                }
            }
            MismatchReason::Detail(detail) => match &**detail {
                MismatchDetail::Condition {
                    refuted, reason, ..
                } => {
                    let written = part(explained.pattern);
                    let condition = without_word(&written).to_owned();
                    let why = reason.text(cx.store);
                    let needed = reason.needed(cx.store);
                    match refuted {
                        true => Reason::Refuted { condition, why },
                        false => Reason::Undecided {
                            condition,
                            why,
                            needed,
                        },
                    }
                }
                MismatchDetail::OtherType { .. } | MismatchDetail::Undetermined => {
                    Reason::Type(explained.message)
                }
                MismatchDetail::TooDeep => Reason::TooLarge,
                _ => Reason::Message(explained.message),
            },
        }
    }

    fn reach(&self) -> Reach {
        let none = Reach::levels(1);
        self.rule
            .alts
            .iter()
            .fold(none, |reach, alt| reach.max(reach_of(alt)))
    }

    fn heads(&self) -> Heads {
        self.rule.heads()
    }
}

impl Applied {
    /// Returns the text of the left side of the first alternative; `another term` if it is unknown.
    fn first_pattern(&self) -> String {
        let span = self.rule.alts.first().map(|alt| alt.lhs);
        let text = span.and_then(|span| self.text.get(std::ops::Range::from(span)));
        text.unwrap_or("another term").to_owned()
    }
}

/// Returns the text of a condition without the keyword of its clause.
fn without_word(clause: &str) -> &str {
    let words = ["where", "requires", "assuming"];
    let rest = words.iter().find_map(|word| clause.strip_prefix(word));
    rest.map_or(clause, str::trim_start)
}

fn reach_of(alt: &Alt) -> Reach {
    let known = |cond: &super::cond::Cond| cond.is_type_level() || cond.is_scope();
    if !alt.linear || !alt.clauses.iter().all(|clause| known(&clause.cond)) || !alt.made.is_empty()
    {
        return Reach::WHOLE;
    }
    let pattern: &Pattern = &alt.pattern;
    // The depth of the bodies of definitions is unknown here.
    if pattern.has_globals {
        return Reach::WHOLE;
    }
    // If the pattern matches a function inside an application, it starts that many levels further
    // in. η-redexes in the term add at most two levels to each level of the pattern.
    let outside = pattern.more_arguments();
    match outside {
        Some(outside) => Reach::levels(pattern.depth * 3 + outside).and_free(),
        None => Reach::WHOLE,
    }
}

impl Rule {
    /// Returns the union of the heads of the patterns of all alternatives. Where failures are not
    /// reported, the engine tries the rule only on terms with these heads.
    pub fn heads(&self) -> Heads {
        let all = self.alts.iter().map(|alt| alt.pattern.heads());
        all.fold(Heads::NONE, Heads::or)
    }

    /// Returns the name of the rule in traces and messages; `rule { … }` for an inline rule.
    pub fn shown_name(&self) -> &str {
        match self.name.as_str() {
            "" => "rule { … }",
            name => name,
        }
    }

    /// Returns false if the head of a term, or of a function that it applies, certainly does not
    /// match the rule. This is a cheap test before matching.
    pub fn could_match(&self, store: &Store, term: Term) -> bool {
        self.alts
            .iter()
            .any(|alt| alt.pattern.could_match(store, term))
    }
}
