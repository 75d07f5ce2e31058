//! Represents the reasons why conditions fail as data. Most rules fail at most places, so texts are
//! made only for those that are reported.

use std::borrow::Cow;

use nat::{Nat, Prop, Var};
use rise::types::{Arg, Ty};

use super::miss::short;
use crate::term::{Local, Store, Term, arg_text, print};

/// The reason why a condition does not hold, or is not known to hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Because {
    /// A reason in words.
    Said(Cow<'static, str>),
    /// The type is not of the required sort, which is given in words.
    Type(Ty, &'static str),
    /// The strategy of `holds` fails on this term.
    Fails(Term),
    /// The variable occurs in the term.
    Occurs(Local, Term),
    /// The facts about sizes refute the condition.
    Wrong(Prop),
    /// The facts about sizes do not decide the condition. The sizes are a counterexample, if one is
    /// found.
    Open(Prop, Vec<(Var, i64)>),
    /// All of several reasons.
    All(Vec<Because>),
}

impl Because {
    /// Returns the reason in words.
    pub fn text(&self, store: &Store) -> String {
        let condition = |prop: &Prop| prop.display(&|var| store.var_name(var)).to_string();
        let term = |term: Term| short(&print(store, term));
        match self {
            Because::Said(text) => text.to_string(),
            Because::Type(ty, wanted) => {
                let ty = arg_text(store, &Arg::Type(ty.clone()));
                format!("`{ty}` is not {wanted}")
            }
            Because::Fails(found) => format!("it does not hold of `{}`", term(*found)),
            Because::Occurs(local, found) => {
                format!(
                    "`{}` occurs in `{}`",
                    store.local_name(*local),
                    term(*found)
                )
            }
            Because::Wrong(Prop::Divides(divisor, size)) => {
                let nat = |nat: &Nat| nat.display(&|var| store.var_name(var)).to_string();
                format!("{} does not divide {}", nat(divisor), nat(size))
            }
            Because::Wrong(prop) => {
                numbers(prop).unwrap_or_else(|| format!("{} is wrong", condition(prop)))
            }
            Because::Open(prop, sizes) if sizes.is_empty() => {
                format!("{} is not known", condition(prop))
            }
            Because::Open(prop, sizes) => {
                let sizes: Vec<String> = sizes
                    .iter()
                    .map(|(var, value)| format!("{} = {value}", store.var_name(*var)))
                    .collect();
                let (prop, sizes) = (condition(prop), sizes.join(", "));
                format!("{prop} is not known, and wrong for {sizes}")
            }
            Because::All(all) => {
                let all: Vec<String> = all.iter().map(|one| one.text(store)).collect();
                all.join(", ")
            }
        }
    }
}

/// Returns the reason for a comparison of two constants, in words.
fn numbers(prop: &Prop) -> Option<String> {
    let (a, b, differs) = match prop {
        Prop::AtLeast(a, b) => (a, b, "is less than"),
        Prop::Equal(a, b) => (a, b, "is not"),
        _ => return None,
    };
    Some(format!("{} {differs} {}", a.as_const()?, b.as_const()?))
}

impl Because {
    /// Returns the fact about sizes that would prove the condition, as a program writes it.
    pub fn needed(&self, store: &Store) -> Option<String> {
        let Because::Open(prop, _) = self else {
            return None;
        };
        let names = rise::Names(store.var_names().into());
        Some(rise::print::prop_text(prop, &names))
    }
}

impl From<&'static str> for Because {
    fn from(text: &'static str) -> Because {
        Because::Said(text.into())
    }
}

impl From<String> for Because {
    fn from(text: String) -> Because {
        Because::Said(text.into())
    }
}
