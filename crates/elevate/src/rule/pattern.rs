//! Defines compiled patterns, and the numbering of their type-level variables.

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

/// A node of a pattern. Its parts are indices of nodes; some nodes have an entry in
/// `Pattern::keys`, called the next key.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PatternNode {
    /// A metavariable. Its first occurrence binds it, and all others are compared.
    Value {
        slot: u16,
        first: bool,
        /// True if the type is the next key.
        typed: bool,
    },
    /// A variable that the pattern binds.
    Local(u16),
    /// A number or truth value. Its type is the next key.
    Literal(Literal),
    /// A size as a value, which is the next key.
    Nat,
    /// An abstraction, `fun(x => body)`.
    Lambda(u16, u32),
    /// An abstraction, `depFun(x: kind => body)`; the variable is the next key.
    DepLambda(Kind, u32),
    /// An application, `f(x)`.
    Apply(u32, u32),
    /// An application `f(x)` where the metavariable `f` is the first stage of a composition, and
    /// `x` its input: `f` may match several stages.
    First(u32, u32),
    /// An application `f(n)` to a type-level argument, which is the next key.
    DepApply(u32),
    /// A primitive. Its type-level arguments are the next key.
    Primitive(Primitive),
    /// A definition. Its implicit arguments are the next key.
    Global(GlobalId),
    /// A pattern that matches no term, for a foreign function, and for a variable that is neither
    /// bound by the pattern nor a metavariable.
    Never,
}

/// The pattern of the sizes and types at a node that the first phase matched. Its variables are
/// numbered by [`TypeVarNumbering`].
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TypePattern {
    /// The type-level arguments of a primitive or the implicit ones of a definition. An argument
    /// with true is explicit, so it must be compared. If the flag is true, the term may have one
    /// more argument.
    Args(Box<[(Arg, bool)]>, bool),
    /// The type of a term, and whether it must be compared.
    Ty(Ty, bool),
    /// A type-level argument.
    Arg(Arg),
    /// The variable of a `depFun`, with its kind.
    Var(Var, Kind),
}

/// A compiled pattern.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pattern {
    /// The nodes in pre-order.
    pub nodes: Box<[PatternNode]>,
    /// The span of each node in the text.
    pub spans: Box<[Span]>,
    /// The path from the root to each node.
    pub paths: Box<[Box<[Child]>]>,
    /// The patterns for the observations of the first phase, in order, each with its node.
    pub keys: Box<[(TypePattern, u32)]>,
    /// The number of slots of variables for terms: parameters, then metavariables, and `let`s.
    pub values: u16,
    /// The number of variables that the pattern binds.
    pub locals: u16,
    /// The variables of compositions, which have no name: the values of metavariables must not
    /// contain them.
    pub nameless: Box<[u16]>,
    /// The number of type-level variables.
    pub levels: u16,
    /// The slot or type-level variable of each parameter; `None` for parameters that terms cannot
    /// contain.
    pub params: Box<[Option<ParamSlot>]>,
    /// The types of the parameters that are terms, each with the index of the parameter.
    pub given_types: Box<[(u16, Ty)]>,
    /// True if all types must be compared, for example because the pattern contains a type
    /// annotation.
    pub strict: bool,
    /// True if the pattern has the type of a function. Then it may also match a function that the
    /// term applies.
    pub function: bool,
    pub depth: u32,
    pub head: PatternHead,
    /// True if the pattern refers to definitions, calls of which also match instances of their
    /// bodies.
    pub has_globals: bool,
    /// The propositions about sizes that follow from a match.
    pub facts: Box<[nat::Prop]>,
}

/// The slot or type-level variable of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ParamSlot {
    Value(u16),
    TypeLevel(u16),
}

/// A necessary condition on the head of the terms that match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PatternHead {
    /// A primitive that is applied to exactly this number of values; to at least this number if the
    /// pattern has the type of a function.
    Primitive(Primitive, u32),
    Global(GlobalId, u32),
    Lambda,
    DepLambda,
    /// Any head, applied to at least this number of values.
    Any(u32),
    Leaf,
}

/// The numbering of the type-level variables of one rule.
#[derive(Debug, Default)]
pub(super) struct TypeVarNumbering {
    numbers: FxHashMap<Var, Var>,
    pub bound: u16,
    next_inner: u32,
}

/// The first number of variables that are only bound inside types.
pub(super) const FIRST_INNER_VAR: u32 = 3 << 28;

impl TypeVarNumbering {
    /// Returns the number of a variable, and assigns one if it has none.
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

    /// Assigns a new number to a variable that the right side binds.
    pub fn fresh(&mut self, var: Var) -> Var {
        let number = Var(u32::from(self.bound));
        self.bound += 1;
        self.numbers.insert(var, number);
        number
    }

    /// Returns a renaming of the variables of an argument: of free variables to their numbers,
    /// which are assigned if necessary, and of bound ones to unique inner numbers.
    fn own(&mut self, arg: &Arg) -> impl Fn(Var) -> Var + use<'_> {
        let mut inner: Vec<(Var, Var)> = Vec::new();
        super::vars::vars_of_arg(arg, &mut |var, bound| {
            if !bound {
                self.number(var);
            } else if inner.iter().all(|(known, _)| *known != var) {
                self.next_inner += 1;
                inner.push((var, Var(FIRST_INNER_VAR + self.next_inner)));
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
    /// Returns the pattern of a quotation, which has parameters but no nodes.
    pub fn nothing(params: Box<[Option<ParamSlot>]>, values: usize) -> Pattern {
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
            head: PatternHead::Leaf,
            has_globals: false,
            facts: [].into(),
        }
    }

    /// Returns the name of the primitive at the head of the pattern, or `a function that matches`
    /// for other heads, for messages.
    pub fn outermost(&self) -> String {
        match &self.head {
            PatternHead::Primitive(primitive, _) => format!("`{}`", primitive.name()),
            _ => "a function that matches".to_owned(),
        }
    }

    /// Returns the definition that a node names or calls; `None` for other nodes.
    pub fn definition_at(&self, node: u32) -> Option<GlobalId> {
        let mut at = node;
        loop {
            at = match &self.nodes[at as usize] {
                PatternNode::Apply(f, _) | PatternNode::DepApply(f) => *f,
                PatternNode::Global(id) => return Some(*id),
                _ => return None,
            };
        }
    }

    /// Returns the maximal number of values to which a term may be applied beyond those of the
    /// pattern; `None` if it is unknown. For an abstraction or a literal it returns 0.
    pub fn more_arguments(&self) -> Option<u32> {
        if !self.function {
            return Some(0);
        }
        match &self.head {
            PatternHead::Primitive(primitive, count) => {
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
            PatternHead::Lambda | PatternHead::DepLambda | PatternHead::Leaf => Some(0),
            PatternHead::Global(..) | PatternHead::Any(_) => None,
        }
    }

    /// Returns true if no metavariable for terms occurs twice, and no parameter that is a term
    /// occurs.
    pub fn is_linear(&self) -> bool {
        let again = |pat: &PatternNode| matches!(pat, PatternNode::Value { first: false, .. });
        !self.nodes.iter().any(again)
    }

    /// Returns true if this pattern certainly matches every term that `other` matches.
    pub fn covers(&self, other: &Pattern) -> bool {
        if self.strict || !self.is_linear() || self.function != other.function {
            return false;
        }
        // An explicit argument that is not a variable alone is not compared here, so the result is
        // false.
        let any = |arg: &Arg| match arg {
            Arg::Nat(nat) => nat.as_var().is_some(),
            Arg::Address(rise::Address::Var(_)) => true,
            _ => false,
        };
        let plain = |(key, _): &(TypePattern, u32)| match key {
            TypePattern::Args(args, _) => args.iter().all(|(arg, written)| !written || any(arg)),
            TypePattern::Ty(_, compared) => !compared,
            TypePattern::Arg(arg) => any(arg),
            TypePattern::Var(..) => true,
        };
        self.keys.iter().all(plain) && self.covers_node(0, other, 0)
    }

    fn covers_node(&self, here: u32, other: &Pattern, there: u32) -> bool {
        match (&self.nodes[here as usize], &other.nodes[there as usize]) {
            (PatternNode::Value { .. }, _) => true,
            (PatternNode::Local(a), PatternNode::Local(b)) => a == b,
            (PatternNode::Literal(a), PatternNode::Literal(b)) => a == b,
            (PatternNode::Nat, PatternNode::Nat) => true,
            (PatternNode::Lambda(a, f), PatternNode::Lambda(b, g)) => {
                a == b && self.covers_node(*f, other, *g)
            }
            (PatternNode::DepLambda(a, f), PatternNode::DepLambda(b, g)) => {
                a == b && self.covers_node(*f, other, *g)
            }
            (PatternNode::First(f, x), PatternNode::First(g, y))
            | (PatternNode::Apply(f, x), PatternNode::Apply(g, y))
            | (PatternNode::First(f, x), PatternNode::Apply(g, y)) => {
                self.covers_node(*f, other, *g) && self.covers_node(*x, other, *y)
            }
            (PatternNode::DepApply(f), PatternNode::DepApply(g)) => self.covers_node(*f, other, *g),
            (PatternNode::Primitive(a), PatternNode::Primitive(b)) => {
                let optional = a.optional_argument().is_some();
                a == b && !optional
            }
            (PatternNode::Global(a), PatternNode::Global(b)) => a == b,
            _ => false,
        }
    }
}

/// Returns, for each type-level argument of a primitive, true if it is explicit.
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
