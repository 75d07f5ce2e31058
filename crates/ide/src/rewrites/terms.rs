//! Decomposition, reduction and comparison of core terms for the update of their text.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use nat::{Facts, Prop, Var};
use rise::core::{
    Expr, Form, Language, Local, Mapper, Node, Origin, Param, apply, lambda, subterms, walk,
};
use rise::{Arg, Primitive, Ty, Type};
use rustc_hash::{FxHashMap, FxHasher};
use syntax::ast::{Literal, Name, ScalarType};

/// A core term of RISE.
pub(crate) type Core = Expr<Primitive>;

/// The number of nodes that a [`Reducer`] may visit and create. After that, it keeps β-redexes as
/// they are, and terms are compared without further reduction of these.
const NODES: usize = 100_000;

/// Splits the application `f(x)` of a function to a value into `f` and `x`; returns `None` for
/// another term.
pub(crate) fn strip(term: &Core) -> Option<(Core, Core)> {
    let without = |args: &[Core]| -> Option<(Arc<[Core]>, Core)> {
        let (last, first) = args.split_last()?;
        Some((first.into(), last.clone()))
    };
    let function = |form, x: &Core| {
        let ty = Arc::new(Type::Fun(x.ty.clone(), term.ty.clone()));
        Node::new(form, ty, term.origin)
    };
    match &term.form {
        Form::Apply(f, x) => Some((f.clone(), x.clone())),
        Form::Primitive(p, types, args) => {
            let (first, last) = without(args)?;
            let form = Form::Primitive(*p, types.clone(), first);
            Some((function(form, &last), last))
        }
        Form::Foreign(foreign, args) => {
            let (first, last) = without(args)?;
            let form = Form::Foreign(foreign.clone(), first);
            Some((function(form, &last), last))
        }
        _ => None,
    }
}

/// Returns `new` with the names of the value parameters of `old`, which has the same type, η-expanded
/// if necessary: `fun(x => f(x))` for `f`. Other parameters stay as they are.
pub(crate) fn with_params(old: &Core, new: &Core) -> Core {
    match (&old.form, &new.form) {
        (Form::DepLambda(_, _, old), Form::DepLambda(var, kind, inner)) => {
            let form = Form::DepLambda(*var, *kind, with_params(old, inner));
            Node::new(form, new.ty.clone(), new.origin)
        }
        (Form::Lambda(known, old), Form::Lambda(param, inner)) => {
            let mut param = param.clone();
            param.local.name = known.local.name.clone();
            lambda(param, with_params(old, inner))
        }
        (Form::Lambda(param, old), _) => {
            let Type::Fun(from, _) = &*new.ty else {
                return new.clone();
            };
            let param = Param {
                local: param.local.clone(),
                ty: from.clone(),
            };
            let body = apply(new, Node::var(&param, new.origin), new.origin);
            lambda(param, with_params(old, &body))
        }
        _ => new.clone(),
    }
}

/// Returns the head of an application without its arguments, and the number of value arguments.
pub(crate) fn head(term: &Core) -> (Core, usize) {
    let (mut head, mut values) = (term.clone(), 0);
    loop {
        if let Some((f, _)) = strip(&head) {
            head = f;
            values += 1;
        } else if let Form::DepApply(f, _) = &head.form {
            head = f.clone();
        } else {
            return (head, values);
        }
    }
}

pub(crate) fn is_function(ty: &Type) -> bool {
    matches!(ty, Type::Fun(..) | Type::Pi(_))
}

pub(crate) fn uses(term: &Core, local: &Local) -> usize {
    let mut count = 0;
    rise::core::for_each_local(term, &mut |found| count += usize::from(found == local));
    count
}

/// Calls `each` for every use of a free variable of a term.
pub(crate) fn for_each_free(term: &Core, each: &mut dyn FnMut(&Local)) {
    fn visit(term: &Core, bound: &mut Vec<u32>, each: &mut dyn FnMut(&Local)) {
        match &term.form {
            Form::Var(local) => {
                if !bound.contains(&local.id) {
                    each(local);
                }
            }
            Form::Lambda(param, body) => {
                bound.push(param.local.id);
                visit(body, bound, each);
                bound.pop();
            }
            form => form.children().for_each(|part| visit(part, bound, each)),
        }
    }
    visit(term, &mut Vec::new(), each);
}

/// The free names in the text of a term: variables, definitions, primitives, and the names in
/// written sizes and types.
pub(crate) struct Mentions {
    /// The free variables.
    pub(crate) locals: Vec<Local>,
    /// The other names.
    pub(crate) names: Vec<Name>,
}

impl Mentions {
    pub(crate) fn of(
        term: &Core,
        vars: &rise::Names,
        globals: &FxHashMap<syntax::GlobalId, Name>,
    ) -> Mentions {
        let mut found = Mentions {
            locals: Vec::new(),
            names: Vec::new(),
        };
        for_each_free(term, &mut |local| {
            if !found.locals.contains(local) {
                found.locals.push(local.clone());
            }
        });
        let mut names = Vec::new();
        subterms(term).for_each(|node| match &node.form {
            Form::Global(id, _) => names.extend(globals.get(id).cloned()),
            Form::Foreign(foreign, _) => names.push(foreign.name.clone()),
            Form::Primitive(p, types, _) => {
                names.push(Name::new_static(p.name()));
                for arg in p.written(types).iter().flatten() {
                    arg_names(arg, vars, &mut names);
                }
            }
            Form::DepApply(_, arg) => arg_names(arg, vars, &mut names),
            Form::Nat(nat) => nat.for_each_var(&mut |var| names.push(vars.get(var))),
            _ => {}
        });
        names.sort_unstable();
        names.dedup();
        found.names = names;
        found
    }
}

fn arg_names(arg: &Arg, vars: &rise::Names, names: &mut Vec<Name>) {
    // Renaming visits every variable.
    let seen = std::cell::RefCell::new(Vec::new());
    rise::subst::rename_arg(arg, &|var| {
        seen.borrow_mut().push(vars.get(var));
        var
    });
    names.extend(seen.into_inner());
}

// ----- normal form -----

/// Reduces terms to a normal form without β-redexes of functions and without η-redexes. Each `let`
/// of data is kept.
#[derive(Default)]
pub(crate) struct Reducer {
    known: FxHashMap<*const Node<Primitive>, Core>,
    /// The terms whose addresses are keys of `known`, kept alive so that an address is not used
    /// again.
    kept: Vec<Core>,
    fresh: u32,
    made: usize,
}

impl Reducer {
    /// Creates a reducer whose new variables have numbers above `fresh`.
    pub(crate) fn new(fresh: u32) -> Reducer {
        Reducer {
            fresh,
            ..Reducer::default()
        }
    }

    pub(crate) fn fresh(&mut self, name: &Name) -> Local {
        self.fresh += 1;
        Local {
            id: self.fresh,
            name: name.clone(),
        }
    }

    /// Returns the normal form of a term; results are memoised.
    pub(crate) fn reduce(&mut self, term: &Core) -> Core {
        if let Some(known) = self.known.get(&Arc::as_ptr(term)) {
            return known.clone();
        }
        let reduced = self.visit(term);
        self.known.insert(Arc::as_ptr(term), reduced.clone());
        self.kept.push(term.clone());
        reduced
    }

    fn visit(&mut self, term: &Core) -> Core {
        self.made += 1;
        match &term.form {
            Form::Apply(f, x) => {
                let (f, x) = (self.reduce(f), self.reduce(x));
                self.applied(&f, x, term.origin)
            }
            Form::Lambda(param, body) => {
                let body = self.reduce(body);
                match contracted(param, &body) {
                    Some(f) => f,
                    None => lambda(param.clone(), body),
                }
            }
            Form::Primitive(p, types, args) => {
                let args = args.iter().map(|arg| self.reduce(arg)).collect();
                let form = Form::Primitive(*p, types.clone(), args);
                Node::new(form, term.ty.clone(), term.origin)
            }
            Form::Foreign(f, args) => {
                let args = args.iter().map(|arg| self.reduce(arg)).collect();
                Node::new(Form::Foreign(f.clone(), args), term.ty.clone(), term.origin)
            }
            Form::DepLambda(var, kind, body) => {
                let body = self.reduce(body);
                Node::new(
                    Form::DepLambda(*var, *kind, body),
                    term.ty.clone(),
                    term.origin,
                )
            }
            Form::DepApply(f, arg) => {
                let f = self.reduce(f);
                Node::new(Form::DepApply(f, arg.clone()), term.ty.clone(), term.origin)
            }
            Form::Var(_) | Form::Literal(_) | Form::Nat(_) | Form::Global(..) => term.clone(),
        }
    }

    /// Applies one normal form to another and reduces the result.
    fn applied(&mut self, f: &Core, x: Core, origin: Origin) -> Core {
        match &f.form {
            Form::Lambda(param, body) if self.made < NODES => {
                let body = self.put(body, &param.local, &x);
                // The substitution may have created redexes.
                match is_function(&x.ty) {
                    true => self.reduce(&body),
                    false => body,
                }
            }
            _ => apply(f, x, origin),
        }
    }

    /// Substitutes `value` for a variable; the binders in all copies but the first are renamed.
    fn put(&mut self, body: &Core, local: &Local, value: &Core) -> Core {
        struct Put<'r> {
            reducer: &'r mut Reducer,
            local: &'r Local,
            value: &'r Core,
            used: bool,
        }
        impl Mapper<Primitive> for Put<'_> {
            fn keeps_types(&self) -> bool {
                true
            }
            fn local(&mut self, local: &Local, _: &Ty, _: Origin) -> Option<Core> {
                if local != self.local {
                    return None;
                }
                if !std::mem::replace(&mut self.used, true) {
                    return Some(self.value.clone());
                }
                Some(self.reducer.renamed(self.value))
            }
            fn expr(&mut self, expr: &Core) -> Core {
                self.reducer.made += 1;
                let expr = walk(self, expr);
                match &expr.form {
                    // A primitive node contains its arguments.
                    Form::Apply(f, x) if !matches!(f.form, Form::Lambda(..)) => {
                        apply(f, x.clone(), expr.origin)
                    }
                    _ => expr,
                }
            }
        }
        Put {
            reducer: self,
            local,
            value,
            used: false,
        }
        .expr(body)
    }

    /// Renames all binders of a term.
    fn renamed(&mut self, term: &Core) -> Core {
        struct Rename<'r>(&'r mut Reducer, FxHashMap<u32, Local>);
        impl Mapper<Primitive> for Rename<'_> {
            fn keeps_types(&self) -> bool {
                true
            }
            fn param(&mut self, param: &Param) -> Param {
                let local = self.0.fresh(&param.local.name);
                self.1.insert(param.local.id, local.clone());
                Param {
                    local,
                    ty: param.ty.clone(),
                }
            }
            fn local(&mut self, local: &Local, ty: &Ty, origin: Origin) -> Option<Core> {
                let new = self.1.get(&local.id)?;
                Some(Node::new(Form::Var(new.clone()), ty.clone(), origin))
            }
        }
        Rename(self, FxHashMap::default()).expr(term)
    }
}

/// Returns the η-contraction of the function with this parameter and body: `f` for
/// `fun(x => f(x))`, and `None` for another function.
fn contracted(param: &Param, body: &Core) -> Option<Core> {
    let (f, x) = strip(body)?;
    let is_param = matches!(&x.form, Form::Var(local) if *local == param.local);
    (is_param && uses(&f, &param.local) == 0).then_some(f)
}

// ----- equality -----

/// Hashes of terms that do not depend on the names of variables or on types.
#[derive(Default)]
pub(crate) struct Hashes {
    known: FxHashMap<*const Node<Primitive>, u64>,
    kept: Vec<Core>,
    flat: FxHashMap<*const Node<Primitive>, Core>,
}

impl Hashes {
    /// Returns the term with applied compositions converted to pipelines; the result is memoised,
    /// so that it has the same address each time.
    pub(crate) fn without_compositions(&mut self, term: &Core) -> Core {
        if let Some(known) = self.flat.get(&Arc::as_ptr(term)) {
            return known.clone();
        }
        let flat = rise::core::without_compositions(term);
        self.flat.insert(Arc::as_ptr(term), flat.clone());
        self.kept.push(term.clone());
        flat
    }

    pub(crate) fn of(&mut self, term: &Core) -> u64 {
        if let Some(&known) = self.known.get(&Arc::as_ptr(term)) {
            return known;
        }
        let mut hasher = FxHasher::default();
        std::mem::discriminant(&term.form).hash(&mut hasher);
        match &term.form {
            Form::Var(_) | Form::Nat(_) => {}
            Form::Literal(literal) => number(literal).to_bits().hash(&mut hasher),
            Form::Global(id, _) => id.hash(&mut hasher),
            Form::Lambda(_, body) | Form::DepLambda(_, _, body) | Form::DepApply(body, _) => {
                self.of(body).hash(&mut hasher);
            }
            Form::Apply(f, x) => {
                self.of(f).hash(&mut hasher);
                self.of(x).hash(&mut hasher);
            }
            Form::Primitive(p, _, args) => {
                p.hash(&mut hasher);
                args.iter().for_each(|arg| self.of(arg).hash(&mut hasher));
            }
            Form::Foreign(f, args) => {
                f.name.hash(&mut hasher);
                args.iter().for_each(|arg| self.of(arg).hash(&mut hasher));
            }
        }
        let hash = hasher.finish();
        self.known.insert(Arc::as_ptr(term), hash);
        self.kept.push(term.clone());
        hash
    }
}

/// Returns the value of a literal, written with or without a decimal point; 1 for `true` and 0 for
/// `false`.
fn number(literal: &Literal) -> f64 {
    match literal {
        Literal::Bool(value) => f64::from(*value),
        Literal::Int { value, .. } => *value as f64,
        Literal::Float { text, .. } => text.parse().unwrap_or_default(),
    }
}

fn same_number(a: &Literal, b: &Literal) -> bool {
    match (a, b) {
        (Literal::Int { value: a, .. }, Literal::Int { value: b, .. }) => a == b,
        _ => number(a) == number(b),
    }
}

fn is_float(ty: &Type) -> bool {
    use ScalarType::{F16, F32, F64};
    matches!(ty, Type::Scalar(F16 | F32 | F64))
}

/// The correspondence of the variables of two terms under alpha-equivalence.
#[derive(Clone, Debug, Default)]
pub(crate) struct Alpha {
    /// The pairs of variables that are bound around the current subterms, innermost last.
    bound: Vec<(u32, u32)>,
    /// The pairs of free variables, in order of first use.
    pub(crate) free: Vec<(Local, Local)>,
    /// The pairs of type-level variables that correspond to each other, innermost last.
    pub(crate) vars: Vec<(Var, Var)>,
    /// The parameters of the first term that have another type in the second one.
    pub(crate) retyped: Vec<u32>,
    /// The facts about the sizes of the first term, if sizes are compared modulo these.
    pub(crate) facts: Option<Facts>,
}

impl Alpha {
    /// Returns true if the terms are alpha-equivalent. Implicit arguments and types are ignored,
    /// except for casts and literals. Each free variable is paired with exactly one of the other
    /// term in [`Alpha::free`].
    pub(crate) fn same(&mut self, a: &Core, b: &Core) -> bool {
        if Arc::ptr_eq(a, b) && self.vars.is_empty() && self.bound.iter().all(|(x, y)| x == y) {
            let mut fits = true;
            let bound: Vec<u32> = self.bound.iter().map(|(x, _)| *x).collect();
            for_each_free(a, &mut |local| {
                if !bound.contains(&local.id) {
                    fits &= self.pair(local, local);
                }
            });
            return fits;
        }
        match (&a.form, &b.form) {
            (Form::Var(x), Form::Var(y)) => self.local(x, y),
            (Form::Literal(x), Form::Literal(y)) => {
                (x == y && is_float(&a.ty) == is_float(&b.ty))
                    || (a.ty == b.ty && same_number(x, y))
            }
            (Form::Nat(x), Form::Nat(y)) => self.arg(&Arg::Nat(x.clone()), &Arg::Nat(y.clone())),
            (Form::Lambda(p, x), Form::Lambda(q, y)) => {
                if p.ty != q.ty {
                    self.retyped.push(p.local.id);
                }
                self.bound.push((p.local.id, q.local.id));
                let same = self.same(x, y);
                self.bound.pop();
                same
            }
            (Form::DepLambda(v, k, x), Form::DepLambda(w, l, y)) => {
                self.vars.push((*v, *w));
                let same = k == l && self.same(x, y);
                self.vars.pop();
                same
            }
            (Form::Apply(f, x), Form::Apply(g, y)) => self.same(f, g) && self.same(x, y),
            (Form::DepApply(f, x), Form::DepApply(g, y)) => {
                // Implicit arguments do not occur in the text.
                let implicit = matches!(&*f.ty, Type::Pi(pi) if pi.implicit);
                self.same(f, g) && (implicit || self.arg(x, y))
            }
            (Form::Primitive(p, s, x), Form::Primitive(q, t, y)) => {
                // The type of a cast is only determined by its context.
                let same_types = *p != Primitive::Cast || self.args(s, t);
                p == q
                    && same_types
                    && self.args(&p.written(s).concat(), &q.written(t).concat())
                    && self.all(x, y)
            }
            (Form::Foreign(f, x), Form::Foreign(g, y)) => f.name == g.name && self.all(x, y),
            (Form::Global(f, _), Form::Global(g, _)) => f == g,
            (Form::Nat(_), _) | (_, Form::Nat(_)) => self.sizes(a, b),
            _ => false,
        }
    }

    /// Returns true if the facts prove that two terms of size arithmetic are equal: their form
    /// depends on the assumptions of the definition.
    fn sizes(&self, a: &Core, b: &Core) -> bool {
        let Some(facts) = &self.facts else {
            return false;
        };
        let own = |var| {
            let pair = self.vars.iter().rev().find(|(_, w)| *w == var);
            pair.map_or(var, |(v, _)| *v)
        };
        let a = rise::core::size_of_value(a, facts, &|var| var);
        let b = rise::core::size_of_value(b, facts, &own);
        match (a, b) {
            (Some(a), Some(b)) => a == b || facts.proves(&Prop::Equal(a, b)),
            _ => false,
        }
    }

    fn all(&mut self, a: &[Core], b: &[Core]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.same(a, b))
    }

    fn args(&self, a: &[Arg], b: &[Arg]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.arg(a, b))
    }

    /// Returns true if type-level arguments are equal up to the variables in [`Alpha::vars`], or if
    /// the facts prove that they are equal sizes.
    pub(crate) fn arg(&self, a: &Arg, b: &Arg) -> bool {
        if self.vars.is_empty() {
            return a == b || self.proves(a, b);
        }
        let other = |var| {
            let pair = self.vars.iter().rev().find(|(v, _)| *v == var);
            pair.map_or(var, |(_, w)| *w)
        };
        let back = |var| {
            let pair = self.vars.iter().rev().find(|(_, w)| *w == var);
            pair.map_or(var, |(v, _)| *v)
        };
        rise::subst::rename_arg(a, &other) == *b
            || (self.facts.is_some() && self.proves(a, &rise::subst::rename_arg(b, &back)))
    }

    fn proves(&self, a: &Arg, b: &Arg) -> bool {
        match (&self.facts, a, b) {
            (Some(facts), Arg::Nat(a), Arg::Nat(b)) => {
                facts.proves(&Prop::Equal(a.clone(), b.clone()))
            }
            _ => false,
        }
    }

    fn local(&mut self, a: &Local, b: &Local) -> bool {
        let found = |&&(x, y): &&(u32, u32)| x == a.id || y == b.id;
        match self.bound.iter().rev().find(found) {
            Some(&(x, y)) => x == a.id && y == b.id,
            None => self.pair(a, b),
        }
    }

    fn pair(&mut self, a: &Local, b: &Local) -> bool {
        match self.free.iter().find(|(x, y)| x == a || y == b) {
            Some((x, y)) => x == a && y == b,
            None => {
                self.free.push((a.clone(), b.clone()));
                true
            }
        }
    }
}
