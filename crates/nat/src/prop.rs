//! Conditions on sizes.

use crate::binding::NatFun;
use crate::repr::{Nat, Var};
use smol_str::SmolStr;
use std::fmt::{self, Display};

/// A condition on sizes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Prop {
    /// `a` divides `b`, which includes `a >= 1`.
    Divides(Nat, Nat),
    /// The inequality `a >= b`.
    AtLeast(Nat, Nat),
    /// The equation `a = b`.
    Equal(Nat, Nat),
    /// The condition `prop` for every `var` with `from <= var < to`.
    ForAll {
        /// The bound variable.
        var: Var,
        /// The smallest value of the variable.
        from: Nat,
        /// The exclusive upper bound of the variable.
        to: Nat,
        /// The condition on the variable.
        prop: Box<Prop>,
    },
}

/// The result of [`Prop::display`], which implements `Display`.
pub struct DisplayProp<'a> {
    prop: &'a Prop,
    names: &'a dyn Fn(Var) -> SmolStr,
}

impl Prop {
    /// Makes the condition `prop` for every `var` with `from <= var < to`.
    pub fn for_all(var: Var, from: Nat, to: Nat, prop: Prop) -> Prop {
        Prop::ForAll {
            var,
            from,
            to,
            prop: Box::new(prop),
        }
    }

    /// Calls `visit` with each free variable, function variables included, once for each
    /// occurrence.
    pub fn for_each_var(&self, visit: &mut dyn FnMut(Var)) {
        match self {
            Prop::Divides(a, b) | Prop::AtLeast(a, b) | Prop::Equal(a, b) => {
                a.for_each_var(visit);
                b.for_each_var(visit);
            }
            Prop::ForAll {
                var,
                from,
                to,
                prop,
            } => {
                from.for_each_var(visit);
                to.for_each_var(visit);
                prop.for_each_var(&mut |v| {
                    if v != *var {
                        visit(v);
                    }
                });
            }
        }
    }

    /// Returns true if `var` occurs free, also as a function variable.
    pub fn mentions(&self, var: Var) -> bool {
        let mut found = false;
        self.for_each_var(&mut |v| found |= v == var);
        found
    }

    /// Replaces each free variable for which `map` returns a size by this size; function variables
    /// stay. The sizes must not mention a variable that is bound in the condition, or it would be
    /// captured.
    pub fn subst(&self, map: &dyn Fn(Var) -> Option<Nat>) -> Prop {
        self.map(&|nat, bound| nat.subst(&|v| if bound.contains(&v) { None } else { map(v) }))
    }

    /// Replaces each application of a function variable for which `map` returns a function by the
    /// result of this function.
    pub fn subst_fun(&self, map: &dyn Fn(Var) -> Option<NatFun>) -> Prop {
        self.map(&|nat, _| nat.subst_fun(map))
    }

    /// Replaces each size by the result of `map`, whose second argument is the bound variables of
    /// the enclosing `ForAll` conditions, outermost first.
    pub fn map(&self, map: &dyn Fn(&Nat, &[Var]) -> Nat) -> Prop {
        self.map_under(map, &mut Vec::new())
    }

    fn map_under(&self, map: &dyn Fn(&Nat, &[Var]) -> Nat, bound: &mut Vec<Var>) -> Prop {
        match self {
            Prop::Divides(a, b) => Prop::Divides(map(a, bound), map(b, bound)),
            Prop::AtLeast(a, b) => Prop::AtLeast(map(a, bound), map(b, bound)),
            Prop::Equal(a, b) => Prop::Equal(map(a, bound), map(b, bound)),
            Prop::ForAll {
                var,
                from,
                to,
                prop,
            } => {
                let (from, to) = (map(from, bound), map(to, bound));
                bound.push(*var);
                let prop = Box::new(prop.map_under(map, bound));
                bound.pop();
                Prop::ForAll {
                    var: *var,
                    from,
                    to,
                    prop,
                }
            }
        }
    }

    /// Evaluates the condition, with the values of variables from `vars` and those of size
    /// functions at arguments from `funs`. Returns `None` if a size cannot be evaluated, for
    /// example because of a division by zero, or if the range of a `ForAll` has more than 1000
    /// values. The values of a `ForAll` after the first for which its condition fails are not
    /// evaluated.
    pub fn eval(
        &self,
        vars: &dyn Fn(Var) -> Option<i64>,
        funs: &dyn Fn(Var, i64) -> Option<i64>,
    ) -> Option<bool> {
        let value = |nat: &Nat| nat.eval(vars, funs);
        match self {
            Prop::Divides(a, b) => {
                let (a, b) = (value(a)?, value(b)?);
                Some(a >= 1 && b % a == 0)
            }
            Prop::AtLeast(a, b) => Some(value(a)? >= value(b)?),
            Prop::Equal(a, b) => Some(value(a)? == value(b)?),
            Prop::ForAll {
                var,
                from,
                to,
                prop,
            } => {
                let (from, to) = (value(from)?, value(to)?);
                if to.saturating_sub(from) > 1_000 {
                    return None;
                }
                for index in from..to {
                    let vars = |v: Var| if v == *var { Some(index) } else { vars(v) };
                    if !prop.eval(&vars, funs)? {
                        return Some(false);
                    }
                }
                Some(true)
            }
        }
    }

    /// Returns a value that prints the condition, for example `4 divides n`, `n >= 1`, `n*m == k`
    /// or `for all 0 <= i < n: …`.
    pub fn display<'a>(&'a self, names: &'a dyn Fn(Var) -> SmolStr) -> DisplayProp<'a> {
        DisplayProp { prop: self, names }
    }
}

impl Display for DisplayProp<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.names;
        match self.prop {
            Prop::Divides(a, b) => write!(f, "{} divides {}", a.display(names), b.display(names)),
            Prop::AtLeast(a, b) => write!(f, "{} >= {}", a.display(names), b.display(names)),
            Prop::Equal(a, b) => write!(f, "{} == {}", a.display(names), b.display(names)),
            Prop::ForAll {
                var,
                from,
                to,
                prop,
            } => write!(
                f,
                "for all {} <= {} < {}: {}",
                from.display(names),
                names(*var),
                to.display(names),
                prop.display(names)
            ),
        }
    }
}
