//! Patterns: what matching walks over.

mod build;

use nat::{Nat, Var};
use rise::Primitive;
use rise::subst::{rename, rename_arg, rename_prop};
use rise::types::{Arg, Ty};
use rustc_hash::FxHashMap;
use syntax::ast::{Kind, Literal};
use syntax::{GlobalId, Span};

use crate::term::Child;
pub(super) use build::Builder;

/// A node of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Pat {
    /// A metavariable: binds at its first place, must be equal at all others.
    Value {
        slot: u16,
        first: bool,
        /// Whether its type is the next key.
        typed: bool,
    },
    /// A variable that the pattern binds.
    Local(u16),
    /// A number or truth value. The type is the next key.
    Literal(Literal),
    /// A size as a value; it is the next key.
    Nat,
    /// `fun(x => body)`
    Lambda(u16, u32),
    /// `depFun(x: kind => body)`; the variable is the next key.
    DepLambda(Kind, u32),
    /// `f(x)`
    Apply(u32, u32),
    /// `f(x)` where `f` is the first stage of a composition, a metavariable, and `x` what goes into
    /// it: `f` may be several stages.
    First(u32, u32),
    /// `f(n)`; the argument is the next key.
    DepApply(u32),
    /// A primitive; its arguments are the next key.
    Primitive(Primitive),
    /// A definition; its arguments are the next key.
    Global(GlobalId),
    /// What no term matches (a C function on its own).
    Never,
}

/// What is known of the sizes and types at a place that the first phase saw. All variables are
/// numbers of the pattern's own ([`Levels`]).
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Key {
    /// Arguments of a primitive: each with whether it is written in the pattern, and so must be
    /// compared. With the flag, one argument more may stand behind them.
    Args(Box<[(Arg, bool)]>, bool),
    /// The type of a term.
    Ty(Ty, bool),
    /// An argument.
    Arg(Arg),
    /// The variable of a `depFun`.
    Var(Var, Kind),
}

/// A pattern.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pattern {
    /// The nodes; each stands before its parts, the root first.
    pub nodes: Box<[Pat]>,
    /// Where each node stands in the text.
    pub spans: Box<[Span]>,
    /// How to get from the root to each node.
    pub paths: Box<[Box<[Child]>]>,
    /// What the first phase collects, in its order; the node that it belongs to.
    pub keys: Box<[(Key, u32)]>,
    /// How many metavariables for terms there are, parameters first.
    pub values: u16,
    /// How many variables the pattern binds.
    pub locals: u16,
    /// Those of compositions, which have no name: no metavariable may mention them.
    pub nameless: Box<[u16]>,
    /// How many variables for sizes and types there are, and which parameter gives each of the
    /// first ones its value.
    pub levels: u16,
    pub params: Box<[Option<Given>]>,
    /// The types of parameters that are terms, by the number of the parameter.
    pub given_types: Box<[(u16, Ty)]>,
    /// Whether types are written in it, so that all of them must be compared.
    pub strict: bool,
    /// Whether it is a function, which is looked for in front of further arguments too.
    pub function: bool,
    pub depth: u32,
    pub head: Head,
    /// Whether it names definitions, which may stand for their right sides.
    pub has_globals: bool,
    /// What holds of sizes wherever the pattern matches.
    pub facts: Box<[nat::Prop]>,
}

/// What a parameter gives a value to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given {
    Value(u16),
    Level(u16),
}

/// What can be told of a term that matches by its outermost function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Head {
    /// A primitive at exactly so many values, or at least so many of a function.
    Primitive(Primitive, u32),
    Global(GlobalId, u32),
    Lambda,
    DepLambda,
    /// Anything applied to at least so many values.
    Any(u32),
    Leaf,
}

/// The numbers of variables for sizes and types in one rule.
#[derive(Debug, Default)]
pub(super) struct Levels {
    numbers: FxHashMap<Var, Var>,
    pub bound: u16,
    next_inner: u32,
}

/// Variables that are only bound inside types are numbered from here on.
pub(super) const INNER: u32 = 3 << 28;

impl Levels {
    /// The number of a variable, which gets one if it has none.
    pub fn number(&mut self, var: Var) -> Var {
        let next = Var(u32::from(self.bound));
        let number = *self.numbers.entry(var).or_insert(next);
        if number == next {
            self.bound += 1;
        }
        number
    }

    pub fn get(&self, var: Var) -> Option<Var> {
        self.numbers.get(&var).copied()
    }

    /// A number for a variable that is bound on the right side, whatever it had in types.
    pub fn fresh(&mut self, var: Var) -> Var {
        let number = Var(u32::from(self.bound));
        self.bound += 1;
        self.numbers.insert(var, number);
        number
    }

    /// Free variables get numbers of the rule's own, bound ones numbers that nothing else has.
    fn own(&mut self, arg: &Arg) -> impl Fn(Var) -> Var + use<'_> {
        let mut inner: Vec<(Var, Var)> = Vec::new();
        super::vars::vars_of_arg(arg, &mut |var, bound| {
            if !bound {
                self.number(var);
            } else if inner.iter().all(|(known, _)| *known != var) {
                self.next_inner += 1;
                inner.push((var, Var(INNER + self.next_inner)));
            }
        });
        let numbers = &self.numbers;
        move |var| {
            let bound = inner.iter().find(|(known, _)| *known == var);
            bound.map_or_else(
                || numbers.get(&var).copied().unwrap_or(var),
                |(_, own)| *own,
            )
        }
    }

    pub fn ty(&mut self, ty: &Ty) -> Ty {
        let own = self.own(&Arg::Type(ty.clone()));
        rename(ty, &own)
    }

    pub fn arg(&mut self, arg: &Arg) -> Arg {
        let own = self.own(arg);
        rename_arg(arg, &own)
    }

    pub fn nat(&mut self, nat: &Nat) -> Nat {
        match self.arg(&Arg::Nat(nat.clone())) {
            Arg::Nat(nat) => nat,
            _ => nat.clone(),
        }
    }

    pub fn prop(&mut self, prop: &nat::Prop) -> nat::Prop {
        prop.for_each_var(&mut |var| {
            self.number(var);
        });
        rename_prop(prop, &|v| self.get(v).unwrap_or(v))
    }
}

impl Pattern {
    /// What has parameters, and no term to be compared with.
    pub fn nothing(params: Box<[Option<Given>]>, values: usize) -> Pattern {
        Pattern {
            nodes: [].into(),
            spans: [].into(),
            paths: [].into(),
            keys: [].into(),
            values: u16::try_from(values).unwrap_or(u16::MAX),
            locals: 0,
            nameless: [].into(),
            levels: 0,
            params,
            given_types: [].into(),
            strict: false,
            function: false,
            depth: 0,
            head: Head::Leaf,
            has_globals: false,
            facts: [].into(),
        }
    }

    /// The function that the pattern applies, for messages.
    pub fn outermost(&self) -> String {
        match &self.head {
            Head::Primitive(primitive, _) => format!("`{}`", primitive.name()),
            _ => "a function that matches".to_owned(),
        }
    }

    /// The definition that a node calls.
    pub fn definition_at(&self, node: u32) -> Option<GlobalId> {
        let mut at = node;
        loop {
            at = match &self.nodes[at as usize] {
                Pat::Apply(f, _) | Pat::DepApply(f) => *f,
                Pat::Global(id) => return Some(*id),
                _ => return None,
            };
        }
    }

    /// How many arguments a term may have behind what the pattern matches; `None` if that is not
    /// known.
    pub fn more_arguments(&self) -> Option<u32> {
        if !self.function {
            return Some(0);
        }
        match &self.head {
            Head::Primitive(primitive, count) => {
                let mut ty = &*rise::library_scheme(*primitive).ty;
                let mut values = 0;
                loop {
                    ty = match ty {
                        rise::Type::Pi(pi) => &pi.body,
                        rise::Type::Fun(_, rest) => {
                            values += 1;
                            rest
                        }
                        _ => break,
                    };
                }
                let many = *primitive == Primitive::MakeArray;
                (!many).then(|| u32::saturating_sub(values, *count))
            }
            Head::Lambda | Head::DepLambda | Head::Leaf => Some(0),
            Head::Global(..) | Head::Any(_) => None,
        }
    }

    /// Whether no metavariable stands in two places.
    pub fn is_linear(&self) -> bool {
        let again = |pat: &Pat| matches!(pat, Pat::Value { first: false, .. });
        !self.nodes.iter().any(again)
    }

    /// Whether every term that `other` matches is matched, too; `false` where that is not plain.
    pub fn covers(&self, other: &Pattern) -> bool {
        if self.strict || !self.is_linear() || self.function != other.function {
            return false;
        }
        // Written arguments other than variables alone are not compared here.
        let any = |arg: &Arg| match arg {
            Arg::Nat(nat) => nat.as_var().is_some(),
            Arg::Address(rise::Address::Var(_)) => true,
            _ => false,
        };
        let plain = |(key, _): &(Key, u32)| match key {
            Key::Args(args, _) => args.iter().all(|(arg, written)| !written || any(arg)),
            Key::Ty(_, compared) => !compared,
            Key::Arg(arg) => any(arg),
            Key::Var(..) => true,
        };
        self.keys.iter().all(plain) && self.covers_node(0, other, 0)
    }

    fn covers_node(&self, here: u32, other: &Pattern, there: u32) -> bool {
        match (&self.nodes[here as usize], &other.nodes[there as usize]) {
            (Pat::Value { .. }, _) => true,
            (Pat::Local(a), Pat::Local(b)) => a == b,
            (Pat::Literal(a), Pat::Literal(b)) => a == b,
            (Pat::Nat, Pat::Nat) => true,
            (Pat::Lambda(a, f), Pat::Lambda(b, g)) => a == b && self.covers_node(*f, other, *g),
            (Pat::DepLambda(a, f), Pat::DepLambda(b, g)) => {
                a == b && self.covers_node(*f, other, *g)
            }
            (Pat::First(f, x), Pat::First(g, y))
            | (Pat::Apply(f, x), Pat::Apply(g, y))
            | (Pat::First(f, x), Pat::Apply(g, y)) => {
                self.covers_node(*f, other, *g) && self.covers_node(*x, other, *y)
            }
            (Pat::DepApply(f), Pat::DepApply(g)) => self.covers_node(*f, other, *g),
            (Pat::Primitive(a), Pat::Primitive(b)) => {
                let optional = a.optional_argument().is_some();
                a == b && !optional
            }
            (Pat::Global(a), Pat::Global(b)) => a == b,
            _ => false,
        }
    }
}

/// Which of a primitive's type-level arguments are written.
pub(super) fn explicit(primitive: Primitive) -> Vec<bool> {
    let mut found = Vec::new();
    let mut ty = &*rise::library_scheme(primitive).ty;
    while let rise::Type::Pi(pi) = ty {
        found.push(!pi.implicit);
        ty = &pi.body;
    }
    if primitive == Primitive::MakeArray {
        found = vec![true, false];
    }
    found
}
