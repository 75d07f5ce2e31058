//! Patterns: from explicit terms of RISE to what matching walks over.

use std::sync::Arc;

use nat::{Nat, Var};
use rise::Primitive;
use rise::core::{Expr, Form, Site};
use rise::primitive::OptionalArgument;
use rise::subst::{rename, rename_arg, rename_prop};
use rise::types::{Arg, Ty};
use rustc_hash::FxHashMap;
use syntax::ast::{Kind, Literal};
use syntax::{GlobalId, Span};

use crate::term::Child;

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

/// Builds the pattern of one term.
pub(super) struct Builder<'a> {
    pub levels: &'a mut Levels,
    /// Metavariables by the number of their local.
    pub values: &'a FxHashMap<u32, u16>,
    /// Variables that the pattern binds, by the number of their local.
    pub locals: FxHashMap<u32, u16>,
    /// Variables of `depFun`s that the pattern binds.
    pub vars: Vec<Var>,
    pub sites: &'a [Site],
    /// Whether a predicate takes a primitive with an address space where none is written.
    pub loose: bool,
    nodes: Vec<Pat>,
    spans: Vec<Span>,
    paths: Vec<Box<[Child]>>,
    keys: Vec<(Key, u32)>,
    seen: Vec<bool>,
    path: Vec<Child>,
    depth: u32,
    /// The types of metavariables, asked for at the end.
    pub types: Vec<(u32, Ty)>,
}

impl<'a> Builder<'a> {
    pub fn new(
        levels: &'a mut Levels,
        values: &'a FxHashMap<u32, u16>,
        sites: &'a [Site],
        loose: bool,
        given: &[u16],
    ) -> Self {
        let mut seen = vec![false; values.len()];
        for &slot in given {
            seen[usize::from(slot)] = true;
        }
        Builder {
            levels,
            values,
            locals: FxHashMap::default(),
            vars: Vec::new(),
            sites,
            loose,
            nodes: Vec::new(),
            spans: Vec::new(),
            paths: Vec::new(),
            keys: Vec::new(),
            seen,
            path: Vec::new(),
            depth: 0,
            types: Vec::new(),
        }
    }

    fn push(&mut self, pat: Pat, expr: &Expr<Primitive>) -> u32 {
        let id = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        self.nodes.push(pat);
        let site = self.sites.get(expr.origin.0 as usize);
        self.spans
            .push(site.map_or(Span::default(), |site| site.span));
        self.paths.push(self.path.clone().into());
        self.depth = self.depth.max(self.path.len() as u32 + 1);
        id
    }

    fn under(&mut self, child: Child, expr: &Expr<Primitive>) -> u32 {
        self.path.push(child);
        let id = self.term(expr);
        self.path.pop();
        id
    }

    /// The pattern of a term; its number.
    pub fn term(&mut self, expr: &Expr<Primitive>) -> u32 {
        match &expr.form {
            Form::Var(local) => match self.values.get(&local.id) {
                Some(&slot) => {
                    let first = !std::mem::replace(&mut self.seen[usize::from(slot)], true);
                    let id = self.push(
                        Pat::Value {
                            slot,
                            first,
                            typed: false,
                        },
                        expr,
                    );
                    if first {
                        self.types.push((id, expr.ty.clone()));
                    }
                    id
                }
                None => match self.locals.get(&local.id) {
                    Some(&local) => self.push(Pat::Local(local), expr),
                    None => self.push(Pat::Never, expr),
                },
            },
            Form::Literal(literal) => {
                let id = self.push(Pat::Literal(literal.clone()), expr);
                let ty = self.levels.ty(&expr.ty);
                self.keys.push((Key::Ty(ty, true), id));
                id
            }
            Form::Nat(nat) => {
                let id = self.push(Pat::Nat, expr);
                let nat = self.levels.nat(nat);
                self.keys.push((Key::Arg(Arg::Nat(nat)), id));
                id
            }
            Form::Lambda(param, body) => {
                let local = u16::try_from(self.locals.len()).unwrap_or(u16::MAX);
                self.locals.insert(param.local.id, local);
                let id = self.push(Pat::Lambda(local, 0), expr);
                let body = self.under(Child::Body, body);
                self.nodes[id as usize] = Pat::Lambda(local, body);
                id
            }
            Form::DepLambda(var, kind, body) => {
                let id = self.push(Pat::DepLambda(*kind, 0), expr);
                let number = self.levels.number(*var);
                self.vars.push(*var);
                self.keys.push((Key::Var(number, *kind), id));
                let body = self.under(Child::Body, body);
                self.nodes[id as usize] = Pat::DepLambda(*kind, body);
                id
            }
            Form::Apply(f, x) => {
                let id = self.push(Pat::Apply(0, 0), expr);
                let f = self.under(Child::Function, f);
                let x = self.under(Child::Argument, x);
                self.nodes[id as usize] = Pat::Apply(f, x);
                id
            }
            Form::DepApply(f, arg) => {
                let id = self.push(Pat::DepApply(0), expr);
                let f = self.under(Child::Function, f);
                self.nodes[id as usize] = Pat::DepApply(f);
                let arg = self.levels.arg(arg);
                self.keys.push((Key::Arg(arg), id));
                id
            }
            Form::Primitive(primitive, args, values) => {
                self.primitive(*primitive, args, values, expr)
            }
            Form::Global(id, args) => {
                let node = self.push(Pat::Global(*id), expr);
                let args = args
                    .iter()
                    .map(|arg| (self.levels.arg(arg), false))
                    .collect();
                self.keys.push((Key::Args(args, false), node));
                node
            }
            Form::Foreign(..) => self.push(Pat::Never, expr),
        }
    }

    fn primitive(
        &mut self,
        primitive: Primitive,
        args: &Arc<[Arg]>,
        values: &Arc<[Expr<Primitive>]>,
        expr: &Expr<Primitive>,
    ) -> u32 {
        // One node for each application, the outermost first.
        let mut nodes = Vec::with_capacity(values.len());
        for _ in values.iter() {
            nodes.push(self.push(Pat::Apply(0, 0), expr));
            self.path.push(Child::Function);
        }
        let head = self.push(Pat::Primitive(primitive), expr);
        let explicit = explicit(primitive);
        let numbered = args
            .iter()
            .enumerate()
            .map(|(at, arg)| {
                (
                    self.levels.arg(arg),
                    explicit.get(at).copied().unwrap_or(true),
                )
            })
            .collect();
        let address = primitive.optional_argument() == Some(OptionalArgument::AddressSpace);
        let more = self.loose && address && args.len() == explicit.len();
        self.keys.push((Key::Args(numbered, more), head));
        let mut below = head;
        for (value, node) in values.iter().zip(nodes.into_iter().rev()) {
            self.path.pop();
            let value = self.under(Child::Argument, value);
            self.nodes[node as usize] = Pat::Apply(below, value);
            below = node;
        }
        below
    }

    /// The whole pattern, once [`Builder::term`] was called for its root. `strict` has the types of
    /// all metavariables compared, else only those from which something is learnt.
    pub fn finish(mut self, function: bool, strict: bool, params: Box<[Option<Given>]>) -> Pattern {
        let mut known = vec![false; usize::from(u16::MAX)];
        for given in params.iter().flatten() {
            if let Given::Level(level) = given {
                known[usize::from(*level)] = true;
            }
        }
        for (key, _) in &self.keys {
            each_plain(key, &mut |var| known[var.0 as usize] = true);
        }
        for (node, ty) in std::mem::take(&mut self.types) {
            let ty = self.levels.ty(&ty);
            let mut news = false;
            super::vars::vars_of_ty(&ty, &mut |var| {
                news |= var.0 < INNER && !std::mem::replace(&mut known[var.0 as usize], true);
            });
            if news || strict {
                self.keys.push((Key::Ty(ty, strict), node));
                if let Pat::Value { typed, .. } = &mut self.nodes[node as usize] {
                    *typed = true;
                }
            }
        }
        // The first phase sees the nodes in order.
        self.keys.sort_by_key(|(_, node)| *node);
        let head = self.head();
        Pattern {
            head,
            nodes: self.nodes.into(),
            spans: self.spans.into(),
            paths: self.paths.into(),
            keys: self.keys.into(),
            values: u16::try_from(self.values.len()).unwrap_or(u16::MAX),
            locals: u16::try_from(self.locals.len()).unwrap_or(u16::MAX),
            levels: self.levels.bound,
            params,
            given_types: [].into(),
            strict,
            function,
            depth: self.depth,
            facts: [].into(),
        }
    }

    fn head(&self) -> Head {
        let (mut at, mut count) = (0, 0);
        loop {
            match &self.nodes[at] {
                Pat::Apply(f, _) => {
                    count += 1;
                    at = *f as usize;
                }
                Pat::Primitive(primitive) => return Head::Primitive(*primitive, count),
                Pat::Global(id) => return Head::Global(*id, count),
                Pat::Lambda(..) if count == 0 => return Head::Lambda,
                Pat::DepLambda(..) if count == 0 => return Head::DepLambda,
                Pat::Literal(_) | Pat::Nat => return Head::Leaf,
                _ => return Head::Any(count),
            }
        }
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
            levels: 0,
            params,
            given_types: [].into(),
            strict: false,
            function: false,
            depth: 0,
            head: Head::Leaf,
            facts: [].into(),
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
            (Pat::Apply(f, x), Pat::Apply(g, y)) => {
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

/// The variables that an argument gives a value to by itself.
fn each_plain(key: &Key, found: &mut dyn FnMut(Var)) {
    let mut arg = |arg: &Arg| match arg {
        Arg::Nat(nat) => {
            if let Some(var) = nat.as_var() {
                found(var);
            }
        }
        // All sizes in a type are compared, and the types hold a variable alone somewhere.
        Arg::Type(ty) => super::vars::plain_vars(ty, found),
        other => super::vars::vars_of_arg(other, &mut |var, bound| {
            if !bound {
                found(var);
            }
        }),
    };
    match key {
        Key::Args(args, _) => args.iter().for_each(|(a, _)| arg(a)),
        Key::Ty(ty, _) => arg(&Arg::Type(ty.clone())),
        Key::Arg(a) => arg(a),
        Key::Var(var, _) => found(*var),
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
