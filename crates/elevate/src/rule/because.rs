//! Why a condition does not hold, as data: most rules fail at most places, and nobody asks why.

use std::borrow::Cow;

use nat::{Nat, Prop, Var};
use rise::types::{Arg, Ty};

use super::miss::short;
use crate::term::{Local, Store, Term, arg_text, print};

/// Why a condition does not hold, or is not known to hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Because {
    /// In words.
    Said(Cow<'static, str>),
    /// The type is not of the sort that is wanted, in words.
    Type(Ty, &'static str),
    /// A strategy does not succeed on this term.
    Fails(Term),
    /// The variable occurs in the term.
    Occurs(Local, Term),
    /// The sizes say the opposite.
    Wrong(Prop),
    /// The sizes do not tell; it is wrong for these, if there are any.
    Open(Prop, Vec<(Var, i64)>),
    /// Each of several.
    All(Vec<Because>),
}

impl Because {
    /// In words.
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

/// Says that a condition on numbers alone does not hold.
fn numbers(prop: &Prop) -> Option<String> {
    let (a, b, differs) = match prop {
        Prop::AtLeast(a, b) => (a, b, "is less than"),
        Prop::Equal(a, b) => (a, b, "is not"),
        _ => return None,
    };
    Some(format!("{} {differs} {}", a.as_const()?, b.as_const()?))
}

impl Because {
    /// What would have to be known of sizes, as a program says it.
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
