//! Converts terms back to core terms and definitions.

use std::sync::Arc;

use nat::{Prop, Var};
use rise::Primitive;
use rise::core::{Def, Expr, Form, Launch, Node as Core, Origin, Param, Site, apply, dep_apply};
use rise::core::{dep_lambda, lambda};
use rise::subst::{rename, rename_arg, rename_prop, subst};
use rise::types::{Arg, Names, Ty, Type, var_arg};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::ast::{Kind, Name};
use syntax::{GlobalId, Span};

use super::import::Imported;
use super::store::{ArgsId, Local, Node, Store, Term};
use super::types::TyId;

/// Returns the definition `of` with `root` in the place of its right side.
///
/// Variables are renumbered. A subterm of `root` that is also in the original keeps the origin of
/// its first occurrence there; all others get one that covers all sites of the original.
///
/// # Errors
/// The term is larger or higher than a program may be.
pub fn export(store: &Store, root: Term, of: &Imported) -> Result<Def<Primitive>, super::TooLarge> {
    let mut sites = of.sites.to_vec();
    let whole = sites.iter().fold(None, |whole: Option<Span>, site| {
        Some(whole.map_or(site.span, |span| span.cover(site.span)))
    });
    let whole = whole.unwrap_or(Span::new(0, 0));
    sites.push(Site {
        span: whole,
        head: whole,
    });
    let mut exporter = Exporter::new(store);
    exporter.other = Origin(u32::try_from(sites.len() - 1).unwrap_or(0));
    of.visit_origins(store, &mut |term, origin| {
        exporter.origins.entry(term).or_insert(origin);
    });
    for &var in &of.vars {
        exporter.var(var);
    }
    let implicit = (of.implicit.iter()).map(|(var, kind)| (exporter.binder(*var), *kind));
    let implicit: Box<[(Var, Kind)]> = implicit.collect();
    let ty = exporter.ty(of.ty);
    let body = typed(exporter.whole(root)?, &ty);
    let obligations = of.obligations.iter().map(|p| exporter.prop(p)).collect();
    let of_rounds = of.of_rounds.iter().map(|p| exporter.prop(p)).collect();
    let launch = exporter.launch(&of.launch);
    Ok(Def {
        name: of.name.clone(),
        implicit,
        body,
        sites: sites.into(),
        uses: exporter.uses.into(),
        obligations,
        of_rounds,
        names: Names(exporter.names.into()),
        locals: exporter.locals,
        launch,
        inout: of.inout.clone(),
    })
}

impl Imported {
    fn visit_origins(&self, store: &Store, visit: &mut dyn FnMut(Term, Origin)) {
        let mut next = vec![self.root];
        for origin in &self.origins {
            let Some(term) = next.pop() else {
                return;
            };
            visit(term, *origin);
            let at = next.len();
            next.extend(store.children(term).map(|(_, child)| child));
            next[at..].reverse();
        }
    }
}

pub(super) struct Exporter<'s> {
    store: &'s Store,
    /// The numbers in the definition of the type-level variables of the store. `names` contains the
    /// name for each number.
    vars: FxHashMap<Var, Var>,
    pub names: Vec<Name>,
    /// The type-level variables for which a binder was converted. A further binder of such a
    /// variable gets another number.
    bound: FxHashSet<Var>,
    /// For each variable for values its core variables that are in scope, that of the innermost
    /// binder last.
    scope: FxHashMap<Local, Vec<rise::core::Local>>,
    locals: u32,
    types: FxHashMap<TyId, Ty>,
    origins: FxHashMap<Term, Origin>,
    other: Origin,
    pub uses: Vec<(GlobalId, Name)>,
}

impl<'s> Exporter<'s> {
    pub fn new(store: &'s Store) -> Self {
        Exporter {
            store,
            vars: FxHashMap::default(),
            names: Vec::new(),
            bound: FxHashSet::default(),
            scope: FxHashMap::default(),
            locals: 0,
            types: FxHashMap::default(),
            origins: FxHashMap::default(),
            other: Origin(0),
            uses: Vec::new(),
        }
    }

    /// Converts a term; fails if it has more than [`MAX_SIZE`](super::MAX_SIZE) nodes or is higher
    /// than [`MAX_HEIGHT`](super::MAX_HEIGHT).
    pub fn whole(&mut self, root: Term) -> Result<Expr<Primitive>, super::TooLarge> {
        let too_large = u64::from(self.store.size(root)) > super::MAX_SIZE;
        if too_large || self.store.height(root) > super::MAX_HEIGHT {
            return Err(super::TooLarge);
        }
        Ok(self.expr(root))
    }

    fn expr(&mut self, term: Term) -> Expr<Primitive> {
        let origin = self.origins.get(&term).copied().unwrap_or(self.other);
        match self.store.node(term) {
            Node::Var(local) => {
                let ty = self.ty(self.store.ty(term));
                let local = match self.scope.get(&local).and_then(|all| all.last()) {
                    Some(known) => known.clone(),
                    None => self.open(local),
                };
                Core::new(Form::Var(local), ty, origin)
            }
            Node::Literal(literal) => {
                let ty = self.ty(self.store.ty(term));
                let literal = self.store.literal_of(literal).clone();
                Core::new(Form::Literal(literal), ty, origin)
            }
            Node::Nat(arg) => {
                let ty = self.ty(self.store.ty(term));
                match self.arg(&self.store.arg(arg).clone()) {
                    Arg::Nat(nat) => Core::new(Form::Nat(nat), ty, origin),
                    _ => Core::new(Form::Nat(nat::Nat::ZERO), ty, origin),
                }
            }
            Node::Lambda(local, body) => {
                let ty = self.ty(self.store.local_ty(local));
                let param = self.bind(local);
                self.scope.entry(local).or_default().push(param.clone());
                let body = self.expr(body);
                if let Some(all) = self.scope.get_mut(&local) {
                    all.pop();
                }
                at(lambda(Param { local: param, ty }, body), origin)
            }
            Node::DepLambda(var, kind, implicit, body) => {
                let outer = self.vars.get(&var).copied();
                let var_here = self.binder(var);
                let body = self.expr(body);
                if let Some(outer) = outer
                    && outer != var_here
                {
                    self.rebind(var, outer);
                }
                at(dep_lambda(var_here, kind, implicit, body), origin)
            }
            Node::Apply(f, x) => {
                let (f, x) = (self.expr(f), self.expr(x));
                apply(&f, x, origin)
            }
            Node::DepApply(f, arg) => {
                let f = self.expr(f);
                let arg = self.arg(&self.store.arg(arg).clone());
                dep_apply(&f, arg, origin)
            }
            Node::Primitive(primitive, args) => {
                let ty = self.ty(self.store.ty(term));
                let form = Form::Primitive(primitive, self.args(args), Arc::new([]));
                Core::new(form, ty, origin)
            }
            Node::Foreign(foreign) => {
                let ty = self.ty(self.store.ty(term));
                let function = self.store.foreign_of(foreign).clone();
                Core::new(Form::Foreign(function, Arc::new([])), ty, origin)
            }
            Node::Global(id, args) => {
                let ty = self.ty(self.store.ty(term));
                if !self.uses.iter().any(|(known, _)| *known == id) {
                    let name = self.store.global_name(id).cloned().unwrap_or_default();
                    self.uses.push((id, name));
                }
                Core::new(Form::Global(id, self.args(args)), ty, origin)
            }
        }
    }

    fn bind(&mut self, local: Local) -> rise::core::Local {
        let id = self.locals;
        self.locals += 1;
        let name = self.store.local_name(local).clone();
        rise::core::Local { id, name }
    }

    /// Adds a variable that has no binder in the term to the scope, and returns its core variable.
    /// A part of a program can contain such variables.
    fn open(&mut self, local: Local) -> rise::core::Local {
        let free = self.bind(local);
        self.scope.entry(local).or_default().push(free.clone());
        free
    }

    /// Returns the number of a type-level variable. A variable without a number gets the next one.
    fn var(&mut self, var: Var) -> Var {
        if let Some(&known) = self.vars.get(&var) {
            return known;
        }
        let number = Var(u32::try_from(self.names.len()).unwrap_or(u32::MAX));
        self.names.push(self.store.var_name(var));
        self.vars.insert(var, number);
        number
    }

    /// Returns a number for a type-level binder. No other binder has this number.
    fn binder(&mut self, var: Var) -> Var {
        if self.bound.insert(var) {
            return self.var(var);
        }
        let number = Var(u32::try_from(self.names.len()).unwrap_or(u32::MAX));
        self.names.push(self.store.var_name(var));
        self.rebind(var, number);
        number
    }

    fn rebind(&mut self, var: Var, number: Var) {
        self.vars.insert(var, number);
        self.types.clear();
    }

    fn ty(&mut self, ty: TyId) -> Ty {
        if let Some(known) = self.types.get(&ty) {
            return known.clone();
        }
        let old = self.store.ty_of(ty).clone();
        let renamed = self.renamed(|map| rename(&old, map));
        self.types.insert(ty, renamed.clone());
        renamed
    }

    fn arg(&mut self, arg: &Arg) -> Arg {
        self.renamed(|map| rename_arg(arg, map))
    }

    fn prop(&mut self, prop: &Prop) -> Prop {
        self.renamed(|map| rename_prop(prop, map))
    }

    fn args(&mut self, args: ArgsId) -> Arc<[Arg]> {
        let args = self.store.args(args).clone();
        args.iter().map(|arg| self.arg(arg)).collect()
    }

    /// Calls `rename` with the function that maps type-level variables to their numbers.
    fn renamed<T>(&mut self, rename: impl Fn(&dyn Fn(Var) -> Var) -> T) -> T {
        let this = std::cell::RefCell::new(self);
        rename(&|var| this.borrow_mut().var(var))
    }

    fn launch(&mut self, launch: &Launch) -> Launch {
        let mut sizes = |sizes: &[Option<nat::Nat>; 3]| {
            sizes.each_ref().map(|n| {
                let arg = self.arg(&Arg::Nat(n.clone()?));
                match arg {
                    Arg::Nat(n) => Some(n),
                    _ => None,
                }
            })
        };
        Launch {
            local: sizes(&launch.local),
            global: sizes(&launch.global),
        }
    }
}

/// Returns the expression with the type `ty`, which must be provably equal to its own, and adapts
/// the types of its parameters. This restores the sizes as the author of the definition wrote them:
/// inference may return `(n / 8) * 8` for `n`.
fn typed(expr: Expr<Primitive>, ty: &Ty) -> Expr<Primitive> {
    let mut node = Arc::unwrap_or_clone(expr);
    match (node.form, &**ty) {
        (Form::Lambda(param, body), Type::Fun(from, to)) => {
            let param = Param {
                ty: from.clone(),
                ..param
            };
            node.form = Form::Lambda(param, typed(body, to));
            node.ty = ty.clone();
        }
        (Form::DepLambda(var, kind, body), Type::Pi(pi)) if pi.kind == kind => {
            let to = subst(&pi.body, &|v| (v == pi.var).then(|| var_arg(var, kind)));
            let origin = node.origin;
            return at(dep_lambda(var, kind, pi.implicit, typed(body, &to)), origin);
        }
        (form, _) => {
            node.form = form;
            node.ty = ty.clone();
        }
    }
    Arc::new(node)
}

/// Returns the node with another origin.
fn at(expr: Expr<Primitive>, origin: Origin) -> Expr<Primitive> {
    let mut node = Arc::unwrap_or_clone(expr);
    node.origin = origin;
    Arc::new(node)
}
