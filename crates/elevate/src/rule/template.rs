//! Builds right sides: compiles elaborated RISE terms to templates, and instantiates them.

use nat::{Facts, Nat, Var};
use rise::Primitive;
use rise::core::{Expr, Form};
use rise::types::{Arg, Ty, var_arg};
use rustc_hash::FxHashMap;
use syntax::GlobalId;
use syntax::ast::{Kind, Literal, Name};

use super::mismatch::{MismatchDetail, MismatchReason};
use super::pattern::TypeVarNumbering;
use super::type_matching::{TypeSubstitution, simplified};
use crate::term::{ArgId, Local, Node, Store, Term};

/// A node of a template. Nodes are in post-order, so the root is the last one.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TemplateNode {
    /// The value of a metavariable.
    Value(u16),
    /// The value of a metavariable under binders that correspond to binders of the pattern: pairs
    /// of a binder of this side and the corresponding variable of the pattern, for which it is
    /// substituted.
    Captured(u16, Box<[(u16, u16)]>),
    /// A variable that this side binds.
    Local(u16),
    /// A leaf, which depends on sizes and types only.
    Leaf(u16),
    /// An abstraction, `fun(x => body)`.
    Lambda(u16, u32),
    /// An abstraction, `depFun(x: kind => body)`, with the number of its variable.
    DepLambda(Var, Kind, bool, u32),
    /// An application, `f(x)`.
    Apply(u32, u32),
    /// An application `f(x)` where `f` is the value of a metavariable, or such an application. It
    /// is built by [`apply`], so it may be β-reduced at once.
    Reduce(u32, u32),
    /// An application to a type-level argument, `f(n)`.
    DepApply(u32, u16),
}

/// A leaf of a template, which depends on sizes and types only.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Leaf {
    Primitive(Primitive, Box<[Arg]>),
    Literal(Literal, Ty),
    Nat(Nat),
    Global(GlobalId, Box<[Arg]>, Ty),
}

/// A variable that the right side binds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Binder {
    name: Name,
    ty: Ty,
    /// The variable of the pattern to which it corresponds.
    joined: Option<u16>,
    /// The slots of the metavariables in its scope whose values must not contain the variable.
    others: Box<[u16]>,
}

/// A template: the compiled right side of a rule.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Template {
    pub nodes: Box<[TemplateNode]>,
    leaves: Box<[Leaf]>,
    binders: Box<[Binder]>,
    args: Box<[Arg]>,
    /// The variables of `depFun`s that only this side binds, each with its kind and name.
    vars: Box<[(Var, Kind, Name)]>,
}

/// A metavariable that is defined by another one: `let fv = vectorized(k, f)`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct VectorizedFunction {
    /// The slot of the metavariable.
    pub slot: u16,
    /// The slot of the metavariable `f`.
    pub from: u16,
    /// The number of lanes `k`.
    pub lanes: Nat,
}

/// The terms of the leaves of a template, the variables of its binders, and its type-level
/// arguments, for one substitution of type-level variables.
#[derive(Debug, Default)]
pub(super) struct Leaves {
    terms: Vec<Term>,
    locals: Vec<Local>,
    args: Vec<ArgId>,
}

/// The scopes of metavariables, as templates need them.
pub(super) struct Captures<'a> {
    /// For each binder of the right side, by the number of its local, the corresponding binders of
    /// the pattern.
    pub joined: &'a FxHashMap<u32, Vec<u32>>,
    /// For each metavariable, the binders of the pattern that its value may contain.
    pub captured: &'a [Vec<u32>],
    /// The pattern's numbers of its binders.
    pub locals: &'a FxHashMap<u32, u16>,
}

pub(super) struct Builder<'a> {
    pub levels: &'a mut TypeVarNumbering,
    pub values: &'a FxHashMap<u32, u16>,
    pub captures: Captures<'a>,
    nodes: Vec<TemplateNode>,
    leaves: Vec<Leaf>,
    binders: Vec<Binder>,
    args: Vec<Arg>,
    vars: Vec<(Var, Kind, Name)>,
    /// The enclosing binders, with the numbers of their locals.
    scope: Vec<(u32, u16)>,
    names: &'a rise::Names,
}

impl<'a> Builder<'a> {
    pub fn new(
        levels: &'a mut TypeVarNumbering,
        values: &'a FxHashMap<u32, u16>,
        captures: Captures<'a>,
        names: &'a rise::Names,
    ) -> Self {
        Builder {
            levels,
            values,
            captures,
            nodes: Vec::new(),
            leaves: Vec::new(),
            binders: Vec::new(),
            args: Vec::new(),
            vars: Vec::new(),
            scope: Vec::new(),
            names,
        }
    }

    fn push(&mut self, tm: TemplateNode) -> u32 {
        self.nodes.push(tm);
        u32::try_from(self.nodes.len() - 1).unwrap_or(u32::MAX)
    }

    fn leaf(&mut self, leaf: Leaf) -> u32 {
        let at = self.leaves.iter().position(|other| *other == leaf);
        let at = at.unwrap_or_else(|| {
            self.leaves.push(leaf);
            self.leaves.len() - 1
        });
        self.push(TemplateNode::Leaf(u16::try_from(at).unwrap_or(u16::MAX)))
    }

    fn all(&mut self, args: &[Arg]) -> Box<[Arg]> {
        args.iter().map(|arg| self.levels.arg(arg)).collect()
    }

    /// Adds the nodes of a term, and returns the index of its root; `None` if it contains a
    /// variable that is not bound, or a foreign function.
    pub fn term(&mut self, expr: &Expr<Primitive>) -> Option<u32> {
        Some(match &expr.form {
            Form::Var(local) => {
                if let Some(&(_, binder)) = self.scope.iter().rev().find(|(id, _)| *id == local.id)
                {
                    return Some(self.push(TemplateNode::Local(binder)));
                }
                let slot = *self.values.get(&local.id)?;
                self.value(slot)
            }
            Form::Literal(literal) => {
                let ty = self.levels.ty(&expr.ty);
                self.leaf(Leaf::Literal(literal.clone(), ty))
            }
            Form::Nat(nat) => {
                let nat = self.levels.nat(nat);
                self.leaf(Leaf::Nat(nat))
            }
            Form::Lambda(param, body) => {
                let binder = u16::try_from(self.binders.len()).ok()?;
                let joined = self.captures.joined.get(&param.local.id);
                let joined = joined
                    .and_then(|all| self.captures.locals.get(all.first()?))
                    .copied();
                let ty = self.levels.ty(&param.ty);
                self.binders.push(Binder {
                    name: param.local.name.clone(),
                    ty,
                    joined,
                    others: [].into(),
                });
                self.scope.push((param.local.id, binder));
                let from = self.nodes.len();
                let body = self.term(body);
                self.scope.pop();
                let body = body?;
                self.binders[usize::from(binder)].others = self.others(from, binder);
                self.push(TemplateNode::Lambda(binder, body))
            }
            Form::DepLambda(var, kind, body) => {
                let implicit = matches!(&*expr.ty, rise::Type::Pi(pi) if pi.implicit);
                let number = match self.levels.get(*var) {
                    Some(number) if number.0 < super::pattern::FIRST_INNER_VAR => number,
                    _ => {
                        let number = self.levels.fresh(*var);
                        self.vars.push((number, *kind, self.names.get(*var)));
                        number
                    }
                };
                let body = self.term(body)?;
                self.push(TemplateNode::DepLambda(number, *kind, implicit, body))
            }
            Form::Apply(f, x) => {
                let f = self.term(f)?;
                let x = self.term(x)?;
                self.push(self.applied_to(f, x))
            }
            Form::DepApply(f, arg) => {
                let f = self.term(f)?;
                let arg = self.levels.arg(arg);
                self.args.push(arg);
                let at = u16::try_from(self.args.len() - 1).ok()?;
                self.push(TemplateNode::DepApply(f, at))
            }
            Form::Primitive(primitive, args, values) => {
                let args = self.all(args);
                let head = self.leaf(Leaf::Primitive(*primitive, args));
                self.applied(head, values)?
            }
            Form::Global(id, args) => {
                let args = self.all(args);
                let ty = self.levels.ty(&expr.ty);
                self.leaf(Leaf::Global(*id, args, ty))
            }
            Form::Foreign(..) => return None,
        })
    }

    fn applied(&mut self, head: u32, values: &[Expr<Primitive>]) -> Option<u32> {
        let mut whole = head;
        for value in values {
            let value = self.term(value)?;
            whole = self.push(TemplateNode::Apply(whole, value));
        }
        Some(whole)
    }

    /// Adds the node of a metavariable, with the corresponding binders in scope.
    fn value(&mut self, slot: u16) -> u32 {
        let mut pairs = Vec::new();
        let captured = self.captures.captured.get(usize::from(slot));
        for binder in captured.into_iter().flatten() {
            let here = self.scope.iter().rev().find(|(id, _)| {
                let joined = self.captures.joined.get(id);
                joined.is_some_and(|all| all.contains(binder))
            });
            if let (Some(&(_, here)), Some(&there)) = (here, self.captures.locals.get(binder)) {
                pairs.push((here, there));
            }
        }
        match pairs.is_empty() {
            true => self.push(TemplateNode::Value(slot)),
            false => self.push(TemplateNode::Captured(slot, pairs.into())),
        }
    }

    /// Returns the metavariables in the nodes from `from` on whose values must not contain the
    /// variable of `binder`, because no variable of the pattern corresponds to it.
    fn others(&self, from: usize, binder: u16) -> Box<[u16]> {
        let mut others = Vec::new();
        for node in &self.nodes[from..] {
            let slot = match node {
                TemplateNode::Value(slot) => *slot,
                TemplateNode::Captured(slot, pairs)
                    if pairs.iter().all(|(here, _)| *here != binder) =>
                {
                    *slot
                }
                _ => continue,
            };
            if !others.contains(&slot) {
                others.push(slot);
            }
        }
        others.into()
    }

    /// Returns the template, whose root is the last node.
    pub fn finish(self) -> Template {
        Template {
            nodes: self.nodes.into(),
            leaves: self.leaves.into(),
            binders: self.binders.into(),
            args: self.args.into(),
            vars: self.vars.into(),
        }
    }

    /// Adds the application of the node `function` to a metavariable as the root.
    pub fn apply_to(&mut self, function: u32, slot: u16) {
        let x = self.push(TemplateNode::Value(slot));
        self.push(TemplateNode::Reduce(function, x));
    }

    fn applied_to(&self, f: u32, x: u32) -> TemplateNode {
        match self.nodes[f as usize] {
            TemplateNode::Value(_) | TemplateNode::Captured(..) | TemplateNode::Reduce(..) => {
                TemplateNode::Reduce(f, x)
            }
            _ => TemplateNode::Apply(f, x),
        }
    }
}

impl Template {
    /// Returns the literal, if the template is a number literal whose type is a variable.
    pub fn open_literal(&self) -> Option<&Literal> {
        match (&self.nodes[..], &self.leaves[..]) {
            ([_], [Leaf::Literal(literal, ty)]) if matches!(**ty, rise::Type::Var(_)) => {
                Some(literal)
            }
            _ => None,
        }
    }

    /// Instantiates the leaves for values of the type-level variables, and adds fresh variables for
    /// the `depFun`s that only this side binds. Fails if a value is missing.
    pub fn leaves(
        &self,
        store: &mut Store,
        facts: &Facts,
        values: &mut TypeSubstitution,
    ) -> Result<Leaves, MismatchReason> {
        for (var, kind, name) in &self.vars {
            let fresh = store.fresh_var(name.clone());
            values.0[var.0 as usize] = Some(var_arg(fresh, *kind));
        }
        let open = || MismatchReason::from(MismatchDetail::Undetermined);
        let arg = |values: &TypeSubstitution, arg: &Arg| {
            let arg = values.arg(arg).ok_or_else(open)?;
            Ok::<Arg, MismatchReason>(simplified(arg, facts))
        };
        let all = |values: &TypeSubstitution, args: &[Arg]| {
            args.iter()
                .map(|a| arg(values, a))
                .collect::<Result<Vec<Arg>, MismatchReason>>()
        };
        let mut leaves = Leaves::default();
        for leaf in &self.leaves {
            let term = match leaf {
                Leaf::Primitive(primitive, args) => {
                    let args = all(values, args)?;
                    store.primitive(*primitive, &args).ok_or_else(open)?
                }
                Leaf::Literal(literal, ty) => {
                    let ty = values.ty(ty).ok_or_else(open)?;
                    let ty = store.intern_ty(&ty);
                    store.literal(literal, ty)
                }
                Leaf::Nat(nat) => {
                    let nat = facts.normalize(&values.nat(nat).ok_or_else(open)?);
                    store.nat(&nat)
                }
                Leaf::Global(id, args, ty) => {
                    let args = all(values, args)?;
                    let ty = values.ty(ty).ok_or_else(open)?;
                    let ty = store.intern_ty(&ty);
                    store.global(*id, &args, ty)
                }
            };
            leaves.terms.push(term);
        }
        for binder in &self.binders {
            let ty = arg(values, &Arg::Type(binder.ty.clone()))?;
            let Arg::Type(ty) = ty else {
                return Err(open());
            };
            let ty = store.intern_ty(&ty);
            leaves
                .locals
                .push(store.fresh_local(binder.name.clone(), ty));
        }
        for a in &self.args {
            let a = arg(values, a)?;
            leaves.args.push(store.intern_arg(&a));
        }
        Ok(leaves)
    }

    /// Instantiates the template for values of the metavariables. `locals` are the variables that
    /// the pattern bound; the last parameter contains two buffers. `None` if the value of a
    /// variable is missing.
    pub fn build(
        &self,
        store: &mut Store,
        leaves: &Leaves,
        levels: &TypeSubstitution,
        slots: &[Term],
        locals: &[Local],
        (own, built): (&mut Vec<Local>, &mut Vec<Term>),
    ) -> Option<Term> {
        self.own_locals(store, leaves, slots, locals, own);
        built.clear();
        for tm in &self.nodes {
            let term = match tm {
                TemplateNode::Value(slot) => *slots.get(usize::from(*slot))?,
                TemplateNode::Captured(slot, pairs) => {
                    let mut changes = Vec::new();
                    for (here, there) in pairs {
                        let (old, new) = (locals[usize::from(*there)], own[usize::from(*here)]);
                        if old != new {
                            changes.push((old, store.var(new)));
                        }
                    }
                    store.substitute_all(slots[usize::from(*slot)], &changes)
                }
                TemplateNode::Local(binder) => store.var(own[usize::from(*binder)]),
                TemplateNode::Leaf(leaf) => leaves.terms[usize::from(*leaf)],
                TemplateNode::Lambda(binder, body) => {
                    store.lambda(own[usize::from(*binder)], built[*body as usize])
                }
                TemplateNode::DepLambda(var, kind, implicit, body) => {
                    let var = match levels.get(*var)? {
                        Arg::Nat(nat) => nat.as_var()?,
                        other => variable(&other)?,
                    };
                    store.dep_lambda(var, *kind, *implicit, built[*body as usize])
                }
                TemplateNode::Apply(f, x) => store.apply(built[*f as usize], built[*x as usize]),
                TemplateNode::Reduce(f, x) => apply(store, built[*f as usize], built[*x as usize]),
                TemplateNode::DepApply(f, arg) => {
                    let f = built[*f as usize];
                    let arg = leaves.args[usize::from(*arg)];
                    match store.node(f) {
                        Node::DepLambda(var, _, _, body) => {
                            let value = store.arg(arg).clone();
                            store.substitute_vars(body, &[(var, value)])
                        }
                        _ => store.dep_apply(f, arg),
                    }
                }
            };
            built.push(term);
        }
        built.last().copied()
    }

    /// Chooses the variables that this side binds. A binder reuses the variable of the pattern to
    /// which it corresponds, unless that would capture a free variable of a value in its scope.
    fn own_locals(
        &self,
        store: &mut Store,
        leaves: &Leaves,
        slots: &[Term],
        locals: &[Local],
        own: &mut Vec<Local>,
    ) {
        own.clear();
        for (at, binder) in self.binders.iter().enumerate() {
            let local = match binder.joined {
                Some(joined) => locals[usize::from(joined)],
                None => leaves.locals[at],
            };
            let captures = |slot: &u16| store.has_free(slots[usize::from(*slot)], local);
            let clashes = binder.others.iter().any(captures);
            own.push(if clashes {
                store.fresh_copy(local)
            } else {
                local
            });
        }
    }
}

fn variable(arg: &Arg) -> Option<Var> {
    use rise::types::{Access, Address, DataFun, SizeFun, Type};
    match arg {
        Arg::Nat(nat) => nat.as_var(),
        Arg::Type(ty) => match **ty {
            Type::Var(var) => Some(var),
            _ => None,
        },
        Arg::Address(Address::Var(var))
        | Arg::Access(Access::Var(var))
        | Arg::SizeFun(SizeFun::Var(var))
        | Arg::DataFun(DataFun::Var(var)) => Some(*var),
        _ => None,
    }
}

/// Returns `f(x)`, β-reduced if `f` is an abstraction, and `x` is [cheap](is_cheap) or the
/// parameter occurs at most once in the body.
pub(super) fn apply(store: &mut Store, f: Term, x: Term) -> Term {
    match store.node(f) {
        Node::Lambda(local, body) if is_cheap(store, x, 8) || uses(store, body, local, 2) < 2 => {
            store.substitute(body, local, x)
        }
        _ => store.apply(f, x),
    }
}

/// Counts the free occurrences of a variable in a term, up to `limit`.
fn uses(store: &Store, term: Term, local: Local, limit: u32) -> u32 {
    let mut stack = vec![term];
    let mut count = 0;
    while let Some(term) = stack.pop() {
        if !store.has_free(term, local) {
            continue;
        }
        match store.node(term) {
            Node::Var(_) => {
                count += 1;
                if count == limit {
                    break;
                }
            }
            Node::Apply(f, x) => stack.extend([x, f]),
            Node::Lambda(_, body) | Node::DepLambda(_, _, _, body) | Node::DepApply(body, _) => {
                stack.push(body);
            }
            _ => {}
        }
    }
    count
}

/// Returns true for functions, variables, literals, sizes, and views of such terms, which can be
/// duplicated without repeating a computation. Views are applications of primitives that select,
/// arrange or convert data; they may nest to the given depth.
fn is_cheap(store: &Store, term: Term, depth: u32) -> bool {
    use Primitive::*;
    if store.is_function(term) {
        return true;
    }
    let (mut head, mut values) = (term, Vec::new());
    while let Node::Apply(f, x) = store.node(head) {
        values.push(x);
        head = f;
    }
    match store.node(head) {
        Node::Var(_) | Node::Literal(_) | Node::Nat(_) => values.is_empty(),
        Node::Primitive(
            Fst | Snd | MakePair | Transpose | Split | Join | Take | Drop | Idx | Zip | Unzip
            | Slide | Concat | PadCst | PadClamp | AsVector | AsVectorAligned | AsScalar | Gather
            | Reorder | VectorFromScalar | IndexAsNat,
            _,
        ) => {
            depth > 0
                && values
                    .iter()
                    .all(|&value| is_cheap(store, value, depth - 1))
        }
        _ => false,
    }
}
