//! Builds patterns from elaborated RISE terms.

use std::sync::Arc;

use nat::Var;
use rise::Primitive;
use rise::core::{Expr, Form, Site, is_composition};
use rise::primitive::OptionalArgument;
use rise::types::{Arg, Ty};
use rustc_hash::FxHashMap;
use syntax::Span;

use super::{
    FIRST_INNER_VAR, ParamSlot, Pattern, PatternHead, PatternNode, TypePattern, TypeVarNumbering,
    explicit,
};
use crate::rule::vars::{plain_vars, vars_of_arg, vars_of_ty};
use crate::term::Child;

pub struct Builder<'a> {
    pub levels: &'a mut TypeVarNumbering,
    /// The slots of metavariables and parameters for terms, by the number of their local.
    pub values: &'a FxHashMap<u32, u16>,
    /// The variables that the pattern binds, by the number of their local.
    pub locals: FxHashMap<u32, u16>,
    /// The variables of `depFun`s that the pattern binds.
    pub vars: Vec<Var>,
    /// The variables of compositions.
    nameless: Vec<u16>,
    pub sites: &'a [Site],
    /// True if a primitive that is written without its optional address space also matches one with
    /// it.
    pub loose: bool,
    nodes: Vec<PatternNode>,
    spans: Vec<Span>,
    paths: Vec<Box<[Child]>>,
    keys: Vec<(TypePattern, u32)>,
    seen: Vec<bool>,
    path: Vec<Child>,
    depth: u32,
    /// The first node and the type of each metavariable, from which `finish` makes keys.
    pub types: Vec<(u32, Ty)>,
}

impl<'a> Builder<'a> {
    pub fn new(
        levels: &'a mut TypeVarNumbering,
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
            nameless: Vec::new(),
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

    fn push(&mut self, pat: PatternNode, expr: &Expr<Primitive>) -> u32 {
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

    /// Adds the nodes of a term, and returns the index of its root.
    pub fn term(&mut self, expr: &Expr<Primitive>) -> u32 {
        match &expr.form {
            Form::Var(local) => match self.values.get(&local.id) {
                Some(&slot) => {
                    let first = !std::mem::replace(&mut self.seen[usize::from(slot)], true);
                    let id = self.push(
                        PatternNode::Value {
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
                    Some(&local) => self.push(PatternNode::Local(local), expr),
                    None => self.push(PatternNode::Never, expr),
                },
            },
            Form::Literal(literal) => {
                let id = self.push(PatternNode::Literal(literal.clone()), expr);
                let ty = self.levels.ty(&expr.ty);
                self.keys.push((TypePattern::Ty(ty, true), id));
                id
            }
            Form::Nat(nat) => {
                let id = self.push(PatternNode::Nat, expr);
                let nat = self.levels.nat(nat);
                self.keys.push((TypePattern::Arg(Arg::Nat(nat)), id));
                id
            }
            Form::Lambda(param, body) => {
                let local = u16::try_from(self.locals.len()).unwrap_or(u16::MAX);
                self.locals.insert(param.local.id, local);
                if is_composition(expr) {
                    self.nameless.push(local);
                }
                let id = self.push(PatternNode::Lambda(local, 0), expr);
                let body = self.under(Child::Body, body);
                self.nodes[id as usize] = PatternNode::Lambda(local, body);
                id
            }
            Form::DepLambda(var, kind, body) => {
                let id = self.push(PatternNode::DepLambda(*kind, 0), expr);
                let number = self.levels.number(*var);
                self.vars.push(*var);
                self.keys.push((TypePattern::Var(number, *kind), id));
                let body = self.under(Child::Body, body);
                self.nodes[id as usize] = PatternNode::DepLambda(*kind, body);
                id
            }
            Form::Apply(f, x) => {
                let id = self.push(PatternNode::Apply(0, 0), expr);
                let is_first = self.is_first_stage(f, x);
                let f = self.under(Child::Function, f);
                let x = self.under(Child::Argument, x);
                self.nodes[id as usize] = match is_first {
                    true => PatternNode::First(f, x),
                    false => PatternNode::Apply(f, x),
                };
                id
            }
            Form::DepApply(f, arg) => {
                let id = self.push(PatternNode::DepApply(0), expr);
                let f = self.under(Child::Function, f);
                self.nodes[id as usize] = PatternNode::DepApply(f);
                let arg = self.levels.arg(arg);
                self.keys.push((TypePattern::Arg(arg), id));
                id
            }
            Form::Primitive(primitive, args, values) => {
                self.primitive(*primitive, args, values, expr)
            }
            Form::Global(id, args) => {
                let node = self.push(PatternNode::Global(*id), expr);
                let args = args
                    .iter()
                    .map(|arg| (self.levels.arg(arg), false))
                    .collect();
                self.keys.push((TypePattern::Args(args, false), node));
                node
            }
            Form::Foreign(..) => self.push(PatternNode::Never, expr),
        }
    }

    /// Returns true if `f(x)` is the first stage of a composition, and `f` the first occurrence of
    /// a metavariable.
    fn is_first_stage(&self, f: &Expr<Primitive>, x: &Expr<Primitive>) -> bool {
        let (Form::Var(f), Form::Var(x)) = (&f.form, &x.form) else {
            return false;
        };
        let is_nameless = |local: &u16| self.nameless.contains(local);
        self.locals.get(&x.id).is_some_and(is_nameless)
            && (self.values.get(&f.id)).is_some_and(|slot| !self.seen[usize::from(*slot)])
    }

    fn primitive(
        &mut self,
        primitive: Primitive,
        args: &Arc<[Arg]>,
        values: &Arc<[Expr<Primitive>]>,
        expr: &Expr<Primitive>,
    ) -> u32 {
        // There is one node for each application, outermost first.
        let mut nodes = Vec::with_capacity(values.len());
        for _ in values.iter() {
            nodes.push(self.push(PatternNode::Apply(0, 0), expr));
            self.path.push(Child::Function);
        }
        let head = self.push(PatternNode::Primitive(primitive), expr);
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
        self.keys.push((TypePattern::Args(numbered, more), head));
        let mut below = head;
        for (value, node) in values.iter().zip(nodes.into_iter().rev()) {
            self.path.pop();
            let value = self.under(Child::Argument, value);
            self.nodes[node as usize] = PatternNode::Apply(below, value);
            below = node;
        }
        below
    }

    /// Returns the pattern, after [`Builder::term`] is called for its root. If `strict` is set, the
    /// types of all metavariables are compared. Otherwise the type of a metavariable is only read
    /// if it determines a type-level variable.
    pub fn finish(
        mut self,
        function: bool,
        strict: bool,
        params: Box<[Option<ParamSlot>]>,
    ) -> Pattern {
        let mut known = vec![false; usize::from(u16::MAX)];
        for given in params.iter().flatten() {
            if let ParamSlot::TypeLevel(level) = given {
                known[usize::from(*level)] = true;
            }
        }
        for (key, _) in &self.keys {
            each_plain(key, &mut |var| known[var.0 as usize] = true);
        }
        for (node, ty) in std::mem::take(&mut self.types) {
            let ty = self.levels.ty(&ty);
            let mut news = false;
            vars_of_ty(&ty, &mut |var| {
                news |=
                    var.0 < FIRST_INNER_VAR && !std::mem::replace(&mut known[var.0 as usize], true);
            });
            if news || strict {
                self.keys.push((TypePattern::Ty(ty, strict), node));
                if let PatternNode::Value { typed, .. } = &mut self.nodes[node as usize] {
                    *typed = true;
                }
            }
        }
        // The first phase visits the nodes in order.
        self.keys.sort_by_key(|(_, node)| *node);
        let head = self.head();
        Pattern {
            head,
            has_globals: self
                .nodes
                .iter()
                .any(|pat| matches!(pat, PatternNode::Global(_))),
            nodes: self.nodes.into(),
            spans: self.spans.into(),
            paths: self.paths.into(),
            keys: self.keys.into(),
            values: u16::try_from(self.values.len()).unwrap_or(u16::MAX),
            locals: u16::try_from(self.locals.len()).unwrap_or(u16::MAX),
            nameless: self.nameless.into(),
            levels: self.levels.bound,
            params,
            given_types: [].into(),
            strict,
            function,
            depth: self.depth,
            facts: [].into(),
        }
    }

    fn head(&self) -> PatternHead {
        let (mut at, mut count) = (0, 0);
        loop {
            match &self.nodes[at] {
                PatternNode::Apply(f, _) | PatternNode::First(f, _) => {
                    count += 1;
                    at = *f as usize;
                }
                PatternNode::Primitive(primitive) => {
                    return PatternHead::Primitive(*primitive, count);
                }
                PatternNode::Global(id) => return PatternHead::Global(*id, count),
                PatternNode::Lambda(..) if count == 0 => return PatternHead::Lambda,
                PatternNode::DepLambda(..) if count == 0 => return PatternHead::DepLambda,
                PatternNode::Literal(_) | PatternNode::Nat => return PatternHead::Leaf,
                _ => return PatternHead::Any(count),
            }
        }
    }
}

/// Visits the variables that a key determines by itself, without solving an equation.
fn each_plain(key: &TypePattern, found: &mut dyn FnMut(Var)) {
    let mut arg = |arg: &Arg| match arg {
        Arg::Nat(nat) => {
            if let Some(var) = nat.as_var() {
                found(var);
            }
        }
        // Sizes in types are compared, and the variables that are a whole size are determined.
        Arg::Type(ty) => plain_vars(ty, found),
        other => vars_of_arg(other, &mut |var, bound| {
            if !bound {
                found(var);
            }
        }),
    };
    match key {
        TypePattern::Args(args, _) => args.iter().for_each(|(a, _)| arg(a)),
        TypePattern::Ty(ty, _) => arg(&Arg::Type(ty.clone())),
        TypePattern::Arg(a) => arg(a),
        TypePattern::Var(var, _) => found(*var),
    }
}
