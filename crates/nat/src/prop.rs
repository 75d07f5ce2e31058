//! What can be said of sizes.

use crate::repr::{Nat, Var};
use crate::visit::NatFun;
use smol_str::SmolStr;
use std::fmt::{self, Display};

/// A condition on sizes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Prop {
    /// `a` divides `b`, which includes `a >= 1`.
    Divides(Nat, Nat),
    /// `a >= b`
    AtLeast(Nat, Nat),
    /// `a = b`
    Equal(Nat, Nat),
    /// `prop` for every `var` with `from <= var < to`.
    ForAll {
        /// The variable.
        var: Var,
        /// Its smallest value.
        from: Nat,
        /// One more than its largest value.
        to: Nat,
        /// What holds of it.
        prop: Box<Prop>,
    },
}

/// What [`Prop::display`] gives.
pub struct DisplayProp<'a> {
    prop: &'a Prop,
    names: &'a dyn Fn(Var) -> SmolStr,
}

impl Prop {
    /// `prop` for every `var` with `from <= var < to`; just `prop` if `var` does not occur in it.
    pub fn for_all(var: Var, from: Nat, to: Nat, prop: Prop) -> Prop {
        Prop::ForAll {
            var,
            from,
            to,
            prop: Box::new(prop),
        }
    }

    /// Calls `visit` with each free variable, once for each place where it occurs.
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

    /// Whether `var` occurs free.
    pub fn mentions(&self, var: Var) -> bool {
        let mut found = false;
        self.for_each_var(&mut |v| found |= v == var);
        found
    }

    /// With other sizes for variables. What is put in must not mention a variable that is bound
    /// here; binders have numbers of their own.
    pub fn subst(&self, map: &dyn Fn(Var) -> Option<Nat>) -> Prop {
        self.map(&|nat, bound| nat.subst(&|v| if bound.contains(&v) { None } else { map(v) }))
    }

    /// With functions for variables that stand for functions.
    pub fn subst_fun(&self, map: &dyn Fn(Var) -> Option<NatFun>) -> Prop {
        self.map(&|nat, _| nat.subst_fun(map))
    }

    /// With other sizes throughout; `map` also gets the variables bound around each.
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

    /// Whether this holds for values of the variables; `None` if that cannot be computed. A
    /// division by zero in it counts as such.
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

    /// As text: `4 divides n`, `n >= 1`, `n*m = k`, `for all 0 <= i < n: …`.
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
