//! Implements type variables, unification and subtyping.

use std::cell::Cell;
use std::sync::Arc;

use syntax::ast::Name;

use crate::lang::types::{Flavour, Param, Scheme, Ty, Type};

/// The substitution of the type variables of an item.
#[derive(Default)]
pub(in crate::lang::check) struct UnificationTable {
    open: Vec<State>,
    /// The number of type nodes that the current operation may still visit.
    left: Cell<u32>,
    too_large: Cell<bool>,
}

/// The maximal number of type nodes that an operation visits, which bounds the size of types: a
/// tuple of a value with itself doubles its type.
const LARGE: u32 = 1_000;

#[derive(Clone)]
enum State {
    /// An unconstrained variable.
    Any,
    /// The type of a number literal: `Nat` or `Int`.
    Number,
    /// A solved variable.
    Is(Ty),
}

impl UnificationTable {
    pub(in crate::lang::check) fn open(&mut self) -> Ty {
        self.add(State::Any)
    }

    /// Returns a fresh variable for the type of a number literal.
    pub(in crate::lang::check) fn number(&mut self) -> Ty {
        self.add(State::Number)
    }

    fn add(&mut self, state: State) -> Ty {
        self.open.push(state);
        Arc::new(Type::Open(self.open.len() as u32 - 1))
    }

    /// Returns the type with the variable at its root replaced by its solution.
    pub(in crate::lang::check) fn shallow(&self, ty: &Ty) -> Ty {
        let mut ty = ty;
        while let Type::Open(var) = **ty
            && let State::Is(found) = &self.open[var as usize]
        {
            ty = found;
        }
        ty.clone()
    }

    /// Resets the count of visited nodes.
    fn begin(&self) {
        self.left.set(LARGE);
    }

    /// Counts a visited node. Returns false if there are too many, and records that the types are
    /// too large.
    fn count(&self) -> bool {
        let left = self.left.get().checked_sub(1);
        self.left.set(left.unwrap_or(0));
        self.too_large.set(self.too_large.get() || left.is_none());
        left.is_some()
    }

    /// Records whether the type is too large, for [`Self::take_too_large`].
    pub(in crate::lang::check) fn measure(&self, ty: &Ty) {
        self.begin();
        self.any(ty, &|_| false);
    }

    /// Returns true if a type that was visited since the last call was too large, and resets this
    /// state.
    pub(in crate::lang::check) fn take_too_large(&self) -> bool {
        self.too_large.take()
    }

    /// Returns true if `test` holds for the type or a part of it, as far as the limit allows to
    /// visit them.
    fn any(&self, ty: &Ty, test: &dyn Fn(&Type) -> bool) -> bool {
        let ty = self.shallow(ty);
        let mut found = test(&ty);
        if !found && self.count() {
            ty.map(&mut |part| {
                found = found || self.any(part, test);
                part.clone()
            });
        }
        found
    }

    /// Returns the type with all solved variables replaced; parts beyond the limit are errors.
    pub(in crate::lang::check) fn resolve(&self, ty: &Ty) -> Ty {
        self.begin();
        self.read(ty, &|ty| ty)
    }

    /// Returns the resolved type for messages, in which open numbers are `Int`.
    pub(in crate::lang::check) fn shown(&self, ty: &Ty) -> Ty {
        self.begin();
        self.read(ty, &|ty| match self.is_number(&ty) {
            true => Arc::new(Type::Int),
            false => ty,
        })
    }

    fn read(&self, ty: &Ty, root: &dyn Fn(Ty) -> Ty) -> Ty {
        if !self.count() {
            return Arc::new(Type::Error);
        }
        root(self.shallow(ty)).map(&mut |part| self.read(part, root))
    }

    /// Returns true for an unsolved type of a number literal.
    pub(in crate::lang::check) fn is_number(&self, ty: &Ty) -> bool {
        match *self.shallow(ty) {
            Type::Open(var) => matches!(self.open[var as usize], State::Number),
            _ => false,
        }
    }

    /// Instantiates a type scheme with fresh variables.
    pub(in crate::lang::check) fn instantiate(&mut self, scheme: &Scheme) -> Ty {
        if scheme.params.is_empty() {
            return scheme.ty.clone();
        }
        let fresh: Vec<Ty> = scheme.params.iter().map(|_| self.open()).collect();
        replace(&scheme.ty, &fresh)
    }

    /// Generalises a type: its open variables become type parameters after those that are
    /// `written`, open numbers become `Int`, and `Expr -> Result` without a name of the parameter
    /// becomes `Strategy`.
    pub(in crate::lang::check) fn generalise(&mut self, ty: &Ty, written: &[Name]) -> Scheme {
        let mut names: Vec<Name> = written.to_vec();
        self.begin();
        let ty = self.close(ty, &mut names);
        Scheme {
            params: names.into(),
            ty,
        }
    }

    fn close(&mut self, ty: &Ty, names: &mut Vec<Name>) -> Ty {
        if !self.count() {
            return Arc::new(Type::Error);
        }
        let ty = self.shallow(ty);
        if let Type::Open(var) = *ty {
            let closed = match self.open[var as usize] {
                State::Number => Arc::new(Type::Int),
                _ => {
                    let name = (b'a'..=b'z').map(|letter| Name::from((letter as char).to_string()));
                    let name = name.into_iter().find(|name| !names.contains(name));
                    names.push(name.unwrap_or_else(|| format!("t{}", names.len()).into()));
                    Arc::new(Type::Param(names.len() as u32 - 1))
                }
            };
            self.open[var as usize] = State::Is(closed.clone());
            return closed;
        }
        let ty = ty.map(&mut |part| self.close(part, names));
        match ty.is_plain_strategy() {
            true => Type::strategy(),
            false => ty,
        }
    }

    /// Returns true if a value of type `found` is allowed where `expected` is required, and solves
    /// type variables. After a failure some variables may be solved although they need not be,
    /// which is harmless, as the error is reported only once.
    pub(in crate::lang::check) fn fits(&mut self, found: &Ty, expected: &Ty) -> bool {
        self.begin();
        self.fit(found, expected)
    }

    fn fit(&mut self, found: &Ty, expected: &Ty) -> bool {
        if !self.count() {
            return true;
        }
        let (found, expected) = (self.shallow(found), self.shallow(expected));
        match (&*found, &*expected) {
            (Type::Error, _) | (_, Type::Error) => true,
            (Type::Open(a), Type::Open(b)) if a == b => true,
            (Type::Open(var), _) => self.solve(*var, &expected),
            (_, Type::Open(var)) => self.solve(*var, &found),
            (Type::Strategy(found), Type::Strategy(expected)) => flavour_fits(*found, *expected),
            (Type::Int, Type::Nat) => true,
            (Type::Strategy(_), Type::Fun(params, result)) => {
                let (param, give) = (Arc::new(Type::Expr), Arc::new(Type::Result));
                matches!(&params[..], [only] if self.fit(&only.ty, &param))
                    && self.fit(&give, result)
            }
            (Type::Fun(params, result), Type::Strategy(_)) => {
                let (param, give) = (Arc::new(Type::Expr), Arc::new(Type::Result));
                matches!(&params[..], [only] if self.fit(&param, &only.ty))
                    && self.fit(result, &give)
            }
            (Type::List(found), Type::List(expected)) => self.fit(found, expected),
            (Type::Tuple(found), Type::Tuple(expected)) => {
                found.len() == expected.len()
                    && found
                        .iter()
                        .zip(expected.iter())
                        .all(|(a, b)| self.fit(a, b))
            }
            (Type::Fun(..), Type::Fun(..)) => self.functions_fit(&found, &expected),
            _ => found == expected,
        }
    }

    /// Compares two function types parameter by parameter, as `f(a, b)` is `f(a)(b)`; returns true
    /// if a function of type `found` is allowed.
    fn functions_fit(&mut self, found: &Ty, expected: &Ty) -> bool {
        let (Type::Fun(left, gives), Type::Fun(right, wanted)) = (&**found, &**expected) else {
            return false;
        };
        let common = left.len().min(right.len());
        let agree = left.iter().zip(right.iter());
        let mut agree = agree.map(|(left, right)| (left.ty.clone(), right.ty.clone()));
        if !agree.all(|(left, right)| self.fit(&right, &left)) {
            return false;
        }
        self.fit(
            &rest_of(&left[common..], gives),
            &rest_of(&right[common..], wanted),
        )
    }

    fn solve(&mut self, var: u32, ty: &Ty) -> bool {
        let ty = match self.open[var as usize] {
            State::Number => match **ty {
                Type::Nat | Type::Int => ty.clone(),
                Type::Open(other) => {
                    if let State::Any = self.open[other as usize] {
                        self.open[other as usize] = State::Number;
                    }
                    ty.clone()
                }
                _ => return false,
            },
            _ if self.occurs(var, ty) => return false,
            _ => widened(ty),
        };
        self.open[var as usize] = State::Is(ty);
        true
    }

    fn occurs(&self, var: u32, ty: &Ty) -> bool {
        self.any(ty, &|part| *part == Type::Open(var))
    }
}

/// Returns `left -> gives`, or `gives` if `left` is empty.
pub(in crate::lang::check) fn rest_of(left: &[Param], gives: &Ty) -> Ty {
    match left {
        [] => gives.clone(),
        _ => Arc::new(Type::Fun(left.into(), gives.clone())),
    }
}

/// Returns true if one flavour of strategies is allowed in the place of another. Predicates and
/// rules are strategies. A strategy is accepted as a predicate, as only running it shows if it
/// changes the program; a rule certainly does.
fn flavour_fits(found: Flavour, expected: Flavour) -> bool {
    match (found, expected) {
        (_, Flavour::Strategy) => true,
        (Flavour::Rule, Flavour::Pred) => false,
        (_, Flavour::Pred) => true,
        (found, Flavour::Rule) => found == Flavour::Rule,
    }
}

/// Returns the type that a variable is solved to: strategies, also those in lists, lose their
/// flavour, so that one use does not restrict the others.
fn widened(ty: &Ty) -> Ty {
    match &**ty {
        Type::Strategy(_) => Type::strategy(),
        Type::List(elem) => Arc::new(Type::List(widened(elem))),
        _ => ty.clone(),
    }
}

fn replace(ty: &Ty, by: &[Ty]) -> Ty {
    match **ty {
        Type::Param(index) => by.get(index as usize).unwrap_or(ty).clone(),
        _ => ty.map(&mut |part| replace(part, by)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pred() -> Ty {
        Arc::new(Type::Strategy(Flavour::Pred))
    }

    fn rule() -> Ty {
        Arc::new(Type::Strategy(Flavour::Rule))
    }

    #[test]
    fn rules_and_predicates_are_strategies() {
        let mut table = UnificationTable::default();
        assert!(table.fits(&pred(), &Type::strategy()));
        assert!(table.fits(&rule(), &Type::strategy()));
        assert!(table.fits(&Type::strategy(), &pred()));
        assert!(!table.fits(&rule(), &pred()));
        assert!(!table.fits(&pred(), &rule()));
    }

    #[test]
    fn a_predicate_is_no_traversal() {
        let mut table = UnificationTable::default();
        assert!(!table.fits(&pred(), &Type::traversal()));
        assert!(table.fits(&Type::fun([Type::strategy()], pred()), &Type::traversal()));
        // A traversal that requires a rule does not accept every strategy.
        assert!(!table.fits(&Type::fun([rule()], pred()), &Type::traversal()));
    }

    #[test]
    fn strategies_are_functions_of_programs() {
        let mut table = UnificationTable::default();
        let (a, b) = (table.open(), table.open());
        assert!(table.fits(&Type::strategy(), &Type::fun([a.clone()], b.clone())));
        assert_eq!(*table.resolve(&a), Type::Expr);
        assert_eq!(*table.resolve(&b), Type::Result);
    }

    #[test]
    fn curried_and_listed_parameters_are_one() {
        let mut table = UnificationTable::default();
        let (nat, int) = (Arc::new(Type::Nat), Arc::new(Type::Int));
        let listed = Type::fun([nat.clone(), int.clone()], Type::strategy());
        let curried = Type::fun([nat], Type::fun([int], Type::strategy()));
        assert!(table.fits(&listed, &curried));
        assert!(table.fits(&curried, &listed));
    }

    #[test]
    fn literals_are_ints_unless_sizes_are_wanted() {
        let mut table = UnificationTable::default();
        let (first, second) = (table.number(), table.number());
        assert!(table.fits(&first, &second));
        assert!(table.fits(&second, &Arc::new(Type::Nat)));
        assert_eq!(*table.resolve(&first), Type::Nat);
        let third = table.number();
        assert!(!table.fits(&third, &Type::strategy()));
        assert_eq!(*table.generalise(&third, &[]).ty, Type::Int);
    }

    #[test]
    fn no_type_contains_itself() {
        let mut table = UnificationTable::default();
        let open = table.open();
        let list = Arc::new(Type::List(open.clone()));
        assert!(!table.fits(&open, &list));
    }
}
