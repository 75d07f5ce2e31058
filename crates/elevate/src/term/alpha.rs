//! Decides α-equivalence of terms, types, type-level arguments and literals.

use nat::Var;
use rise::subst::{rename, rename_arg};
use rise::types::{Arg, DataFun, SizeFun, Type, var_arg};
use rustc_hash::FxHashMap;
use syntax::ast::{Kind, Literal};

use super::store::{ArgsId, Local, Node, Store, Term};
use super::types::{TyId, bound_vars};

/// The first number to which type-level binders are renamed while types are compared.
const COMPARED: u32 = 1 << 29;

impl Store {
    /// Returns true if two terms are α-equivalent, with their types: equal up to the names of bound
    /// variables. Free variables are equal only to themselves. Literals are compared by type and by
    /// value, so `0` and `0.0` of type `f32` are equal. Where the type of a literal or of a
    /// parameter is [`Type::Error`], it is equal to every type.
    pub fn alpha_eq(&mut self, a: Term, b: Term) -> bool {
        Compare {
            store: self,
            bound: Vec::new(),
            typed: true,
        }
        .terms(a, b)
    }

    /// Returns true if two terms are α-equivalent when neither the types of literals and parameters
    /// are compared, nor the type-level arguments that [`Node::Primitive`] and [`Node::Global`]
    /// contain. Arguments of [`Node::DepApply`] are compared.
    pub fn alpha_eq_untyped(&mut self, a: Term, b: Term) -> bool {
        Compare {
            store: self,
            bound: Vec::new(),
            typed: false,
        }
        .terms(a, b)
    }

    /// Returns true if two types are α-equivalent.
    pub fn same_type(&self, a: TyId, b: TyId) -> bool {
        if a == b {
            return true;
        }
        if !self.types.binds(a) || !self.types.binds(b) {
            return false;
        }
        let [a, b] = [a, b].map(|ty| {
            let ty = self.types.get(ty);
            rename(ty, &numbered(&bound_vars(ty)))
        });
        a == b
    }

    /// Returns true if two type-level arguments are α-equivalent.
    pub fn same_arg(&self, a: &Arg, b: &Arg) -> bool {
        let numbered = |arg: &Arg| match arg {
            Arg::Type(ty) => rename_arg(arg, &numbered(&bound_vars(ty))),
            Arg::DataFun(DataFun::Lambda(var, body)) => {
                let mut bound = vec![*var];
                bound.extend(bound_vars(body));
                rename_arg(arg, &self::numbered(&bound))
            }
            Arg::SizeFun(SizeFun::Lambda(fun)) => rename_arg(arg, &self::numbered(&[fun.param])),
            _ => arg.clone(),
        };
        a == b || numbered(a) == numbered(b)
    }

    fn same_args(&self, a: ArgsId, b: ArgsId) -> bool {
        let (x, y) = (self.args(a), self.args(b));
        a == b || (x.len() == y.len() && x.iter().zip(y.iter()).all(|(a, b)| self.same_arg(a, b)))
    }
}

/// Returns the renaming of each variable in `bound` to [`COMPARED`] plus the position of its first
/// occurrence in this list. All other variables stay.
fn numbered(bound: &[Var]) -> impl Fn(Var) -> Var {
    let mut places = FxHashMap::default();
    for (at, var) in (COMPARED..).zip(bound) {
        places.entry(*var).or_insert(Var(at));
    }
    move |var| places.get(&var).copied().unwrap_or(var)
}

/// Returns true if two literals of the same type have the same value, such as `0` and `0.0` where
/// both are `f32`. An integer literal outside of `0..=65535` is equal to no floating-point literal.
/// `0.0` and `-0.0` differ.
pub(crate) fn same_literal(a: &Literal, b: &Literal) -> bool {
    match (a, b) {
        (Literal::Int { value: a, .. }, Literal::Int { value: b, .. }) => a == b,
        (Literal::Float { text: a, .. }, Literal::Float { text: b, .. }) => {
            a == b || value(a).is_some_and(|a| value(b) == Some(a))
        }
        (Literal::Int { value: int, .. }, Literal::Float { text, .. })
        | (Literal::Float { text, .. }, Literal::Int { value: int, .. }) => {
            // The integer must be exact in floating-point numbers of every size.
            let int = u16::try_from(*int).map(|int| f64::from(int).to_bits());
            int.is_ok_and(|int| value(text) == Some(int))
        }
        (Literal::Bool(a), Literal::Bool(b)) => a == b,
        _ => false,
    }
}

/// Returns the bits of the text as an `f64`, which distinguish the two zeros; `None` if the text is
/// not a finite number.
fn value(text: &str) -> Option<u64> {
    let number: f64 = text.parse().ok()?;
    number.is_finite().then_some(number.to_bits())
}

struct Compare<'s> {
    store: &'s mut Store,
    /// The pairs of corresponding bound variables of the first and the second term, innermost last.
    bound: Vec<(Local, Local)>,
    typed: bool,
}

impl Compare<'_> {
    fn terms(&mut self, a: Term, b: Term) -> bool {
        if a == b && self.is_unbound(a, b) {
            return true;
        }
        if self.store.size(a) != self.store.size(b) || self.store.height(a) != self.store.height(b)
        {
            return false;
        }
        let compound = self.store.height(a) > 1;
        if !(compound && self.typed && self.is_unbound(a, b)) {
            return self.nodes(a, b);
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.store.equal.get(&key) {
            return known;
        }
        let outer = std::mem::take(&mut self.bound);
        let equal = self.nodes(a, b);
        self.bound = outer;
        self.store.equal.insert(key, equal);
        equal
    }

    /// Returns true if `a` has no free variable among the bound variables of the first term, and
    /// `b` none among those of the second term.
    fn is_unbound(&self, a: Term, b: Term) -> bool {
        let free =
            |(x, y): &(Local, Local)| self.store.has_free(a, *x) || self.store.has_free(b, *y);
        !self.bound.iter().any(free)
    }

    fn nodes(&mut self, a: Term, b: Term) -> bool {
        match (self.store.node(a), self.store.node(b)) {
            (Node::Var(x), Node::Var(y)) => self.locals(x, y),
            (Node::Literal(x), Node::Literal(y)) => {
                let (x, y) = (self.store.literal_of(x), self.store.literal_of(y));
                same_literal(x, y) && self.types(self.store.ty(a), self.store.ty(b))
            }
            (Node::Nat(m), Node::Nat(n)) => m == n,
            (Node::Lambda(x, f), Node::Lambda(y, g)) => {
                if !self.types(self.store.local_ty(x), self.store.local_ty(y)) {
                    return false;
                }
                self.bound.push((x, y));
                let equal = self.terms(f, g);
                self.bound.pop();
                equal
            }
            (Node::DepLambda(v, k, i, f), Node::DepLambda(w, l, j, g)) => {
                k == l && i == j && self.dependent(v, w, k, f, g)
            }
            (Node::Apply(f, x), Node::Apply(g, y)) => self.terms(f, g) && self.terms(x, y),
            (Node::DepApply(f, x), Node::DepApply(g, y)) => {
                let same = x == y || self.store.same_arg(self.store.arg(x), self.store.arg(y));
                same && self.terms(f, g)
            }
            (Node::Primitive(p, x), Node::Primitive(q, y)) => {
                p == q && (!self.typed || self.store.same_args(x, y))
            }
            (Node::Foreign(f), Node::Foreign(g)) => f == g,
            (Node::Global(f, x), Node::Global(g, y)) => {
                f == g && (!self.typed || self.store.same_args(x, y))
            }
            _ => false,
        }
    }

    fn locals(&self, x: Local, y: Local) -> bool {
        let innermost = self.bound.iter().rev().find(|(a, b)| *a == x || *b == y);
        match innermost {
            Some(pair) => *pair == (x, y),
            None => x == y,
        }
    }

    fn dependent(&mut self, v: Var, w: Var, kind: Kind, f: Term, g: Term) -> bool {
        if v == w {
            return self.terms(f, g);
        }
        let name = self.store.var_name(v);
        let both = var_arg(self.store.fresh_var(name), kind);
        let f = self.store.substitute_vars(f, &[(v, both.clone())]);
        let g = self.store.substitute_vars(g, &[(w, both)]);
        self.terms(f, g)
    }

    fn types(&self, a: TyId, b: TyId) -> bool {
        if !self.typed || self.store.same_type(a, b) {
            return true;
        }
        // The type of an error is compatible with every type.
        let is_error = |ty| matches!(**self.store.ty_of(ty), Type::Error);
        is_error(a) || is_error(b)
    }
}
