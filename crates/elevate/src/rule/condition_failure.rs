//! Represents the reasons why conditions fail as data. Most rules fail at most places, so texts are
//! made only for those that are reported.

use std::borrow::Cow;

use nat::{Nat, Prop, Var};
use rise::types::{Arg, Ty};

use super::mismatch::short;
use crate::term::{Local, Store, Term, arg_text, print};

/// The reason why a condition does not hold, or is not known to hold.
#[derive(Clone, Debug, PartialEq)]
pub enum ConditionFailure {
    /// A reason in words.
    Text(Cow<'static, str>),
    /// The type is not of the required sort, which is given in words.
    Type(Ty, &'static str),
    /// The strategy or predicate of `holds` fails on this term.
    Fails(Term),
    /// The variable occurs in the term.
    Occurs(Local, Term),
    /// The facts about sizes refute the condition.
    Refuted(Prop),
    /// The facts about sizes do not decide the condition. The sizes are a counterexample, if one is
    /// found.
    Undecided(Prop, Vec<(Var, i64)>),
    /// All of several reasons.
    All(Vec<ConditionFailure>),
}

impl ConditionFailure {
    /// Returns the reason in words.
    pub fn text(&self, store: &Store) -> String {
        let condition = |prop: &Prop| prop.display(&|var| store.var_name(var)).to_string();
        let term = |term: Term| short(&print(store, term));
        match self {
            ConditionFailure::Text(text) => text.to_string(),
            ConditionFailure::Type(ty, wanted) => {
                let ty = arg_text(store, &Arg::Type(ty.clone()));
                format!("`{ty}` is not {wanted}")
            }
            ConditionFailure::Fails(found) => {
                format!("the condition does not hold for `{}`", term(*found))
            }
            ConditionFailure::Occurs(local, found) => {
                format!(
                    "`{}` occurs in `{}`",
                    store.local_name(*local),
                    term(*found)
                )
            }
            ConditionFailure::Refuted(Prop::Divides(divisor, size)) => {
                let nat = |nat: &Nat| nat.display(&|var| store.var_name(var)).to_string();
                format!("{} does not divide {}", nat(divisor), nat(size))
            }
            ConditionFailure::Refuted(prop) => {
                numbers(prop).unwrap_or_else(|| format!("{} does not hold", condition(prop)))
            }
            ConditionFailure::Undecided(prop, sizes) if sizes.is_empty() => {
                format!("{} is not known to hold", condition(prop))
            }
            ConditionFailure::Undecided(prop, sizes) => {
                let sizes: Vec<String> = sizes
                    .iter()
                    .map(|(var, value)| format!("{} = {value}", store.var_name(*var)))
                    .collect();
                let (prop, sizes) = (condition(prop), sizes.join(", "));
                format!("{prop} is not known to hold, and does not hold for {sizes}")
            }
            ConditionFailure::All(all) => {
                let all: Vec<String> = all.iter().map(|one| one.text(store)).collect();
                all.join(", ")
            }
        }
    }
}

/// Returns the reason why a comparison of two constants is wrong, in words; `None` for other
/// propositions.
fn numbers(prop: &Prop) -> Option<String> {
    let (a, b, differs) = match prop {
        Prop::AtLeast(a, b) => (a, b, "is less than"),
        Prop::Equal(a, b) => (a, b, "is not"),
        _ => return None,
    };
    Some(format!("{} {differs} {}", a.as_const()?, b.as_const()?))
}

impl ConditionFailure {
    /// Returns the fact about sizes that would prove an undecided condition, as a program writes
    /// it; `None` for other reasons.
    pub fn needed(&self, store: &Store) -> Option<String> {
        let ConditionFailure::Undecided(prop, _) = self else {
            return None;
        };
        let names = rise::Names(store.var_names().into());
        Some(rise::print::prop_text(prop, &names))
    }
}

impl From<&'static str> for ConditionFailure {
    fn from(text: &'static str) -> ConditionFailure {
        ConditionFailure::Text(text.into())
    }
}

impl From<String> for ConditionFailure {
    fn from(text: String) -> ConditionFailure {
        ConditionFailure::Text(text.into())
    }
}
