//! The names of variables at a place in the source text, and the choice of new names.

use rise::core::Local;
use rise::{Primitive, Type};
use syntax::ast::Name;

/// The local variables for values that are in scope, with their names, innermost last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    bound: Vec<(u32, Name)>,
}

impl Names {
    /// Brings a variable into scope under a name, until [`Names::leave`].
    pub(crate) fn enter(&mut self, local: &Local, name: Name) {
        self.bound.push((local.id, name));
    }

    /// Removes the given number of innermost names.
    pub(crate) fn leave(&mut self, count: usize) {
        self.bound.truncate(self.bound.len().saturating_sub(count));
    }

    pub(crate) fn get(&self, local: &Local) -> Option<&Name> {
        let found = self.bound.iter().rev().find(|(id, _)| *id == local.id);
        found.map(|(_, name)| name)
    }

    /// Returns true if a name refers to this variable here.
    pub(crate) fn means(&self, name: &str, local: &Local) -> bool {
        let found = self.bound.iter().rev().find(|(_, bound)| bound == name);
        found.is_some_and(|(id, _)| *id == local.id)
    }

    /// Returns true if a name refers to some local variable here.
    pub(crate) fn is_bound(&self, name: &str) -> bool {
        self.bound.iter().any(|(_, bound)| bound == name)
    }
}

/// Returns the wanted name, if `taken` is false for it and no primitive has it. Otherwise its
/// trailing digits are replaced by the smallest number with which both hold.
pub(crate) fn free(wanted: &str, taken: &dyn Fn(&str) -> bool) -> Name {
    let taken = |name: &str| taken(name) || Primitive::from_name(name).is_some();
    if !taken(wanted) {
        return wanted.into();
    }
    let base = wanted.trim_end_matches(|c: char| c.is_ascii_digit());
    (1..)
        .map(|number: u32| Name::from(format!("{base}{number}")))
        .find(|name| !taken(name))
        .unwrap_or_default()
}

/// Returns the default name of a variable of a type.
pub(crate) fn name_for(ty: &Type) -> &'static str {
    match ty {
        Type::Array(_, elem) if matches!(**elem, Type::Array(..)) => "xss",
        Type::Array(..) | Type::DepArray(..) => "xs",
        Type::Fun(..) | Type::Pi(_) => "f",
        _ => "x",
    }
}
