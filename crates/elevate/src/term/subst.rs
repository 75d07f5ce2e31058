//! Implements capture-avoiding substitution of values and of type-level arguments.

use nat::Var;
use rise::subst::{rename, subst, subst_arg};
use rise::types::{Arg, var_arg};
use rustc_hash::FxHashMap;
use syntax::ast::Kind;

use super::store::{ArgId, Local, Node, Store, Term};
use super::types::{TyId, bit, bits_of_arg, bound_vars};

impl Store {
    /// Substitutes a value for the free occurrences of a variable. Binders that would capture a
    /// free variable of `value` are renamed.
    pub fn substitute(&mut self, term: Term, local: Local, value: Term) -> Term {
        self.substitute_all(term, &[(local, value)])
    }

    /// Substitutes values for the free occurrences of variables, simultaneously. Binders that would
    /// capture a free variable of a value are renamed.
    pub fn substitute_all(&mut self, term: Term, values: &[(Local, Term)]) -> Term {
        if values.iter().all(|(local, _)| !self.has_free(term, *local)) {
            return term;
        }
        let memo = std::mem::take(&mut self.memo);
        let mut substitution = Locals {
            store: self,
            values,
            memo,
        };
        let result = substitution.go(term);
        let mut memo = substitution.memo;
        // Clearing a map takes time proportional to its capacity.
        match memo.capacity() {
            0..=256 => memo.clear(),
            _ => memo = FxHashMap::default(),
        }
        self.memo = memo;
        result
    }

    /// Substitutes type-level arguments for type-level variables, simultaneously, also in types.
    /// Bound variables for values whose types change are replaced by fresh ones; those that are
    /// free in `term` stay.
    pub fn substitute_vars(&mut self, term: Term, values: &[(Var, Arg)]) -> Term {
        let locals = self.free(term).iter().map(|l| (*l, *l)).collect();
        let mut substitution = Vars {
            bits: values.iter().fold(0, |bits, (var, _)| bits | bit(*var)),
            put_in: values
                .iter()
                .fold(0, |bits, (_, arg)| bits | bits_of_arg(arg)),
            store: self,
            values,
            locals,
            types: FxHashMap::default(),
            memo: FxHashMap::default(),
        };
        substitution.go(term)
    }

    fn subst_ty(&mut self, ty: TyId, values: &[(Var, Arg)], bits: u64, put_in: u64) -> TyId {
        if self.types.vars(ty) & bits == 0 {
            return ty;
        }
        let mut old = self.types.get(ty).clone();
        if self.types.binds(ty) && self.types.vars(ty) & put_in != 0 {
            let mut others = FxHashMap::default();
            for var in bound_vars(&old) {
                let name = self.var_name(var);
                others.insert(var, self.fresh_var(name));
            }
            old = rename(&old, &|v| others.get(&v).copied().unwrap_or(v));
        }
        let new = subst(&old, &|v| value_of(values, v));
        self.types.intern(&new)
    }
}

fn value_of(values: &[(Var, Arg)], var: Var) -> Option<Arg> {
    let found = values.iter().find(|(v, _)| *v == var);
    found.map(|(_, arg)| arg.clone())
}

struct Locals<'a> {
    store: &'a mut Store,
    values: &'a [(Local, Term)],
    /// The memoised results for terms of more than 8 nodes in which one of the variables is free.
    memo: FxHashMap<Term, Term>,
}

impl Locals<'_> {
    fn go(&mut self, term: Term) -> Term {
        let store = &mut *self.store;
        let node = store.node(term);
        if let Node::Var(local) = node {
            let found = self.values.iter().find(|(l, _)| *l == local);
            return found.map_or(term, |(_, value)| *value);
        }
        let free = |(local, _): &(Local, Term)| store.has_free(term, *local);
        if !self.values.iter().any(free) {
            return term;
        }
        // Small terms are not memoised, as a look-up costs more than the substitution.
        let remember = store.size(term) > 8;
        if remember && let Some(&known) = self.memo.get(&term) {
            return known;
        }
        let result = match node {
            Node::Apply(f, x) => {
                let (f, x) = (self.go(f), self.go(x));
                self.store.apply(f, x)
            }
            Node::DepApply(f, arg) => {
                let f = self.go(f);
                self.store.dep_apply(f, arg)
            }
            Node::Lambda(param, body) => {
                let (param, body) = self.uncaptured(term, param, body);
                let body = self.go(body);
                self.store.lambda(param, body)
            }
            Node::DepLambda(var, kind, implicit, body) => {
                let (var, body) = self.uncaptured_var(term, var, kind, body);
                let body = self.go(body);
                self.store.dep_lambda(var, kind, implicit, body)
            }
            // These nodes have no free variables.
            Node::Var(_)
            | Node::Literal(_)
            | Node::Nat(_)
            | Node::Primitive(..)
            | Node::Foreign(_)
            | Node::Global(..) => term,
        };
        if remember {
            self.memo.insert(term, result);
        }
        result
    }

    /// Renames the parameter of the abstraction `whole` if it would capture a free variable, or is
    /// itself one of the variables that are substituted. Returns the parameter and the body.
    fn uncaptured(&mut self, whole: Term, param: Local, body: Term) -> (Local, Term) {
        let store = &mut *self.store;
        let clashes = |(local, value): &(Local, Term)| {
            *local == param || (store.has_free(whole, *local) && store.has_free(*value, param))
        };
        if !self.values.iter().any(clashes) {
            return (param, body);
        }
        let other = store.fresh_copy(param);
        let var = store.var(other);
        (other, store.substitute(body, param, var))
    }

    fn uncaptured_var(&mut self, whole: Term, var: Var, kind: Kind, body: Term) -> (Var, Term) {
        let store = &mut *self.store;
        let clashes = |(local, value): &(Local, Term)| {
            store.has_free(whole, *local) && store.may_mention(*value, var)
        };
        if !self.values.iter().any(clashes) {
            return (var, body);
        }
        let other = store.fresh_var(store.var_name(var));
        let arg = var_arg(other, kind);
        (other, store.substitute_vars(body, &[(var, arg)]))
    }
}

struct Vars<'a> {
    store: &'a mut Store,
    values: &'a [(Var, Arg)],
    /// The bit set of the variables that are replaced, by number modulo 64.
    bits: u64,
    /// The bit set of the variables that occur in the values, by number modulo 64.
    put_in: u64,
    /// The variables for values that were visited or are free in the whole term, each with its
    /// replacement. A variable is its own replacement if it is free or its type does not change.
    locals: FxHashMap<Local, Local>,
    types: FxHashMap<TyId, TyId>,
    memo: FxHashMap<Term, Term>,
}

impl Vars<'_> {
    fn go(&mut self, term: Term) -> Term {
        if self.store.vars(term) & self.bits == 0 {
            return term;
        }
        if let Some(&known) = self.memo.get(&term) {
            return known;
        }
        let result = match self.store.node(term) {
            Node::Var(local) => {
                let local = self.local(local);
                self.store.var(local)
            }
            Node::Literal(literal) => {
                let ty = self.ty(self.store.ty(term));
                let literal = self.store.literal_of(literal).clone();
                self.store.literal(&literal, ty)
            }
            Node::Nat(arg) => match self.arg(arg) {
                Arg::Nat(nat) => self.store.nat(&nat),
                _ => term,
            },
            Node::Lambda(param, body) => {
                let param = self.local(param);
                let body = self.go(body);
                self.store.lambda(param, body)
            }
            Node::DepLambda(var, kind, implicit, body) => {
                let (var, body) = self.uncaptured(var, kind, body);
                let body = self.go(body);
                self.store.dep_lambda(var, kind, implicit, body)
            }
            Node::Apply(f, x) => {
                let (f, x) = (self.go(f), self.go(x));
                self.store.apply(f, x)
            }
            Node::DepApply(f, arg) => {
                let f = self.go(f);
                let arg = self.arg(arg);
                let arg = self.store.intern_arg(&arg);
                self.store.dep_apply(f, arg)
            }
            Node::Primitive(primitive, args) => {
                let args = self.args(&self.store.args(args).clone());
                self.store.primitive(primitive, &args).unwrap_or(term)
            }
            Node::Global(id, args) => {
                let args = self.args(&self.store.args(args).clone());
                let ty = self.ty(self.store.ty(term));
                self.store.global(id, &args, ty)
            }
            Node::Foreign(_) => term,
        };
        self.memo.insert(term, result);
        result
    }

    fn arg(&self, arg: ArgId) -> Arg {
        subst_arg(self.store.arg(arg), &|v| value_of(self.values, v))
    }

    fn args(&self, args: &[Arg]) -> Vec<Arg> {
        let put = |v| value_of(self.values, v);
        args.iter().map(|arg| subst_arg(arg, &put)).collect()
    }

    fn ty(&mut self, ty: TyId) -> TyId {
        if let Some(&known) = self.types.get(&ty) {
            return known;
        }
        let new = (self.store).subst_ty(ty, self.values, self.bits, self.put_in);
        self.types.insert(ty, new);
        new
    }

    fn local(&mut self, local: Local) -> Local {
        if let Some(&known) = self.locals.get(&local) {
            return known;
        }
        let old = self.store.local_ty(local);
        let ty = self.ty(old);
        let other = match ty == old {
            true => local,
            false => {
                let name = self.store.local_name(local).clone();
                self.store.fresh_local(name, ty)
            }
        };
        self.locals.insert(local, other);
        other
    }

    /// Renames a type-level binder in `body` if it may be one of the variables that are
    /// substituted, or may capture a variable of the values; the bit sets decide this
    /// approximately. Returns the binder and the body.
    fn uncaptured(&mut self, var: Var, kind: Kind, body: Term) -> (Var, Term) {
        if (self.bits | self.put_in) & bit(var) == 0 {
            return (var, body);
        }
        let other = self.store.fresh_var(self.store.var_name(var));
        let arg = var_arg(other, kind);
        (other, self.store.substitute_vars(body, &[(var, arg)]))
    }
}
