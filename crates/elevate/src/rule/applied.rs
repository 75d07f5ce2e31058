//! Rules with arguments, as the machine applies them.

use std::fmt;
use std::sync::Arc;

use super::miss::{Detail, Why};
use super::pattern::Pattern;
use super::{Alt, Definitions, Host, Rule, RuleArg, Test};
use crate::engine::{self, Context, Reach, Reason, Rewrite};
use crate::term::{Heads, Store, Term};

/// A rule with its arguments.
pub struct Applied {
    rule: Arc<Rule>,
    args: Box<[RuleArg]>,
    /// The arguments as they are written.
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
    /// The rule with a value for each of its parameters. `shown` is how the arguments are written,
    /// with the parentheses, and nothing if there are none; `text` is the text of the rule's item.
    /// `tests` has a strategy for each of [`Rule::holds`].
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

    /// The rule.
    pub fn rule(&self) -> &Rule {
        &self.rule
    }

    /// Its arguments.
    pub fn values(&self) -> &[RuleArg] {
        &self.args
    }

    fn host(&self) -> Host<'_> {
        Host {
            tests: &self.tests,
            definitions: &self.definitions,
        }
    }

    /// Whether it applies to a term: builds no right side.
    ///
    /// # Errors
    ///
    /// The nearest miss.
    pub fn matches(&self, cx: &mut Context<'_>, term: Term) -> Result<(), super::Miss> {
        super::matches_only(cx, &self.host(), &self.rule, &self.args, term)
    }

    /// What becomes of a term, with all that is known of it.
    ///
    /// # Errors
    ///
    /// The nearest miss.
    pub fn rewritten(
        &self,
        cx: &mut Context<'_>,
        term: Term,
    ) -> Result<super::Rewritten, super::Miss> {
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

    fn apply(&self, cx: &mut Context<'_>, term: Term) -> Result<engine::Rewritten, engine::Miss> {
        match self.rewritten(cx, term) {
            Ok(made) => Ok(engine::Rewritten {
                term: made.term,
                assumptions: made.assumptions.iter().map(assumption).collect(),
            }),
            Err(miss) => Err(engine::Miss {
                matched: match &miss.why {
                    // The whole pattern fits.
                    Why::Detail(detail)
                        if matches!(**detail, Detail::Condition { .. } | Detail::NotMade(_)) =>
                    {
                        engine::Miss::in_condition(miss.progress).matched
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
                Ok(_) => return Reason::Said("it applies".into()),
            },
        };
        let explained = miss.explain(&self.rule, cx.store, &self.text);
        let part = |span: Option<syntax::Span>| {
            let text = span.and_then(|span| self.text.get(std::ops::Range::from(span)));
            text.map_or_else(|| "the pattern".to_owned(), str::to_owned)
        };
        match &miss.why {
            Why::Head | Why::Shape | Why::NotEqual => Reason::Shape {
                expected: match miss.why {
                    Why::Head => self.first_pattern(),
                    _ => part(explained.pattern),
                },
                found: miss.found.unwrap_or(term),
            },
            Why::Detail(detail) => match &**detail {
                Detail::Condition {
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
                Detail::OtherType { .. } | Detail::Undetermined => Reason::Type(explained.message),
                Detail::TooDeep => Reason::TooLarge,
                _ => Reason::Said(explained.message),
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
    /// The pattern of the first alternative, as it is written.
    fn first_pattern(&self) -> String {
        let span = self.rule.alts.first().map(|alt| alt.lhs);
        let text = span.and_then(|span| self.text.get(std::ops::Range::from(span)));
        text.unwrap_or("another term").to_owned()
    }
}

/// A condition without the word of its clause.
fn without_word(clause: &str) -> &str {
    let words = ["where", "requires", "assuming"];
    let rest = words.iter().find_map(|word| clause.strip_prefix(word));
    rest.map_or(clause, str::trim_start)
}

fn assumption(assumption: &super::Assumption) -> engine::Assumption {
    match assumption {
        super::Assumption::Size(prop) => engine::Assumption::Size(prop.clone()),
        super::Assumption::Said(text) => engine::Assumption::Said(text.to_string()),
    }
}

/// How much of a term an alternative looks at.
fn reach_of(alt: &Alt) -> Reach {
    let known = |cond: &super::cond::Cond| cond.is_level() || cond.is_scope();
    if !alt.linear || !alt.clauses.iter().all(|clause| known(&clause.cond)) || !alt.made.is_empty()
    {
        return Reach::WHOLE;
    }
    let pattern: &Pattern = &alt.pattern;
    // How deep the right sides of definitions are is not known here.
    if pattern.has_globals {
        return Reach::WHOLE;
    }
    // In front of further arguments the pattern begins so many levels further in; a function that
    // only passes its parameter on is two levels more.
    let outside = pattern.more_arguments();
    match outside {
        Some(outside) => Reach::levels(pattern.depth * 3 + outside).and_free(),
        None => Reach::WHOLE,
    }
}

impl Rule {
    /// What may stand at the head of a term that it applies to.
    pub fn heads(&self) -> Heads {
        let all = self.alts.iter().map(|alt| alt.pattern.heads());
        all.fold(Heads::NONE, Heads::or)
    }

    /// What it is called in traces and messages.
    pub fn shown_name(&self) -> &str {
        match self.name.as_str() {
            "" => "rule { … }",
            name => name,
        }
    }

    /// Whether the outermost function of a term, or of a function in front of its last arguments,
    /// is one that the rule asks for: `false` is certain, and costs next to nothing.
    pub fn could_match(&self, store: &Store, term: Term) -> bool {
        self.alts
            .iter()
            .any(|alt| alt.pattern.could_match(store, term))
    }
}
