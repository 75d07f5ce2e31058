//! A type checker for core terms, for tests and debug assertions: computes the types of a program
//! anew and compares them with those of its nodes.

use std::sync::Arc;

use nat::{Facts, Nat, Prop, Var, Verdict};
use rustc_hash::FxHashMap;
use syntax::Dialect;
use syntax::ast::{Kind, Literal, ScalarType};

use super::{Expr, Form, Language, Param, Program, dep_apply};
use crate::print::{arg_text, type_text};
use crate::types::{Access, Arg, DataFun, Names, Ty, Type, var_arg};

/// The error of a term that is not well typed: a node whose type does not follow from its parts, a
/// name that is bound twice or not at all, or a use of a definition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct IllTyped(String);

/// Checks that every node has the type that follows from its parts, that every local is bound, and
/// that every binder of a term has a unique number.
///
/// Types are compared up to alpha-equivalence, and sizes under the program's conditions: two sizes
/// count as equal unless their equality can be refuted. The accesses `Rd` and `Wr` also count as
/// equal for scalars, indices, vectors and pairs of these.
///
/// # Errors
/// Describes the first node whose type is wrong, the first name that is bound twice or not at all,
/// or the first use of a definition that is not inlined.
pub fn check<P: Language>(program: &Program<P>) -> Result<(), IllTyped> {
    let mut facts = Facts::new();
    for prop in program.obligations.iter().chain(&program.facts) {
        facts.assume(prop);
    }
    let mut checker = Checker {
        facts,
        names: Names(program.names.iter().cloned().collect()),
        locals: FxHashMap::default(),
        vars: FxHashMap::default(),
    };
    checker.expr(&program.body)
}

struct Checker {
    facts: Facts,
    names: Names,
    /// Maps the number of each local to its type, and to true if the local is in scope at the
    /// current node.
    locals: FxHashMap<u32, (Ty, bool)>,
    vars: FxHashMap<Var, Kind>,
}

impl Checker {
    fn expr<P: Language>(&mut self, expr: &Expr<P>) -> Result<(), IllTyped> {
        match &expr.form {
            Form::Var(local) => match self.locals.get(&local.id).cloned() {
                Some((ty, true)) => self.same(expr, &ty, "a variable"),
                _ => self.wrong(expr, &format!("`{}` is not in scope", local.name)),
            },
            Form::Literal(literal) => self.literal(expr, literal),
            Form::Nat(_) => match expr.ty.data().unwrap_or(&expr.ty) {
                ty if **ty == Type::Scalar(ScalarType::NatType) => Ok(()),
                _ => self.wrong(expr, "a size is a natType"),
            },
            Form::Lambda(param, body) => self.lambda(expr, param, body),
            Form::DepLambda(var, kind, body) => self.dep_lambda(expr, *var, *kind, body),
            Form::Apply(f, x) => {
                self.expr(f)?;
                let rest = self.given(expr, f.ty.clone(), std::slice::from_ref(x), None)?;
                self.same(expr, &rest, "an application")
            }
            Form::DepApply(f, arg) => {
                self.expr(f)?;
                let applied = dep_apply(f, arg.clone(), expr.origin);
                self.same(expr, &applied.ty, "an application")
            }
            Form::Primitive(primitive, types, args) => {
                let Some(ty) = primitive.ty(types) else {
                    return self.wrong(expr, &format!("{primitive:?} has too few arguments"));
                };
                let counted = primitive.counted(types, args);
                let rest = self.given(expr, ty, args, counted.as_ref())?;
                let shown: Vec<String> = types.iter().map(|t| arg_text(t, &self.names)).collect();
                let what = format!("{primitive:?} at {}", shown.join(", "));
                self.same(expr, &rest, &what)
            }
            Form::Foreign(function, args) => {
                let value = |data: &Ty| match P::DIALECT {
                    Dialect::Rise => data.clone(),
                    Dialect::Dpia => Arc::new(Type::Exp(data.clone(), Access::Rd)),
                };
                let params = function.params.iter().map(|(_, param)| value(param));
                let ty = Type::function(params, value(&function.result));
                let rest = self.given(expr, ty, args, None)?;
                self.same(expr, &rest, "a foreign function")
            }
            Form::Global(..) => self.wrong(expr, "a definition is not in its place"),
        }
    }

    fn lambda<P: Language>(
        &mut self,
        expr: &Expr<P>,
        param: &Param,
        body: &Expr<P>,
    ) -> Result<(), IllTyped> {
        let bound = (param.ty.clone(), true);
        if self.locals.insert(param.local.id, bound).is_some() {
            return self.wrong(expr, &format!("`{}` is bound twice", param.local.name));
        }
        self.expr(body)?;
        if let Some((_, in_scope)) = self.locals.get_mut(&param.local.id) {
            *in_scope = false;
        }
        match &*expr.ty {
            Type::Fun(from, to) => {
                self.same_type(expr, from, &param.ty, "a parameter")?;
                self.same_type(expr, to, &body.ty, "a body")
            }
            _ => self.wrong(expr, "a function has a function type"),
        }
    }

    fn dep_lambda<P: Language>(
        &mut self,
        expr: &Expr<P>,
        var: Var,
        kind: Kind,
        body: &Expr<P>,
    ) -> Result<(), IllTyped> {
        if self.vars.insert(var, kind).is_some() {
            let name = self.names.get(var);
            return self.wrong(expr, &format!("`{name}` is bound twice"));
        }
        self.expr(body)?;
        match &*expr.ty {
            Type::Pi(pi) if pi.kind == kind => {
                let put = |v| (v == pi.var).then(|| var_arg(var, kind));
                let inner = crate::subst::subst(&pi.body, &put);
                self.same_type(expr, &inner, &body.ty, "a body")
            }
            _ => self.wrong(expr, "a dependent function has such a type"),
        }
    }

    /// Checks `args`, and computes the type that remains of a function type `ty` when it is applied
    /// to them. If `counted` is given, the size parameter of an argument `depFun(i: Nat => …)` is
    /// assumed to be below it.
    fn given<P: Language>(
        &mut self,
        expr: &Expr<P>,
        mut ty: Ty,
        args: &[Expr<P>],
        counted: Option<&Nat>,
    ) -> Result<Ty, IllTyped> {
        for arg in args {
            match (&arg.form, counted) {
                (Form::DepLambda(var, Kind::Nat, _), Some(to)) => {
                    let outer = self.facts.clone();
                    self.facts.range(*var, &Nat::ZERO, to);
                    let result = self.expr(arg);
                    self.facts = outer;
                    result?;
                }
                _ => self.expr(arg)?,
            }
            let Type::Fun(from, to) = &*ty else {
                return self
                    .wrong(expr, "there are too many arguments")
                    .map(|()| ty);
            };
            self.same(arg, from, "an argument")?;
            ty = to.clone();
        }
        Ok(ty)
    }

    fn literal<P: Language>(&self, expr: &Expr<P>, literal: &Literal) -> Result<(), IllTyped> {
        let ty = expr.ty.data().unwrap_or(&expr.ty);
        let fits = match (literal, &**ty) {
            (_, Type::Var(_)) => true,
            (Literal::Bool(_), ty) => *ty == Type::Scalar(ScalarType::Bool),
            (_, Type::Scalar(scalar)) => *scalar != ScalarType::Bool,
            (Literal::Int { .. }, Type::Index(_)) | (_, Type::Vector(..)) => true,
            _ => false,
        };
        if fits {
            Ok(())
        } else {
            self.wrong(expr, "a literal of another type")
        }
    }

    fn same<P: Language>(&self, expr: &Expr<P>, ty: &Ty, what: &str) -> Result<(), IllTyped> {
        self.same_type(expr, &expr.ty, ty, what)
    }

    fn same_type<P: Language>(
        &self,
        expr: &Expr<P>,
        a: &Ty,
        b: &Ty,
        what: &str,
    ) -> Result<(), IllTyped> {
        let fine = Compare {
            facts: &self.facts,
            bound: Vec::new(),
        }
        .types(a, b);
        if fine {
            return Ok(());
        }
        let text = |ty| type_text(ty, &self.names);
        self.wrong(expr, &format!("{what}: `{}` and `{}`", text(a), text(b)))
    }

    fn wrong<P: Language>(&self, expr: &Expr<P>, what: &str) -> Result<(), IllTyped> {
        let form = format!("{:?}", expr.form);
        let form: String = form.chars().take(120).collect();
        Err(IllTyped(format!("{what} (at {:?}, {form})", expr.origin)))
    }
}

impl Type {
    /// Returns the data type in the type of an expression or acceptor of DPIA; `None` for every
    /// other type.
    fn data(&self) -> Option<&Ty> {
        match self {
            Type::Exp(data, _) | Type::Acc(data) => Some(data),
            _ => None,
        }
    }
}

fn may_hold_array(data: &Type) -> bool {
    match data {
        Type::Pair(a, b) => may_hold_array(a) || may_hold_array(b),
        Type::Scalar(_) | Type::Index(_) | Type::Vector(..) => false,
        _ => true,
    }
}

/// Compares types up to alpha-equivalence: `bound` has the pairs of variables that both sides bind.
struct Compare<'f> {
    facts: &'f Facts,
    bound: Vec<(Var, Var)>,
}

impl Compare<'_> {
    fn types(&mut self, a: &Ty, b: &Ty) -> bool {
        match (&**a, &**b) {
            (Type::Var(v), Type::Var(w)) => self.var(*v) == *w,
            (Type::Scalar(s), Type::Scalar(t)) => s == t,
            (Type::Comm, Type::Comm) => true,
            (Type::Index(m), Type::Index(n)) => self.sizes(m, n),
            (Type::Vector(m, s), Type::Vector(n, t)) | (Type::Array(m, s), Type::Array(n, t)) => {
                self.sizes(m, n) && self.types(s, t)
            }
            (Type::DepArray(m, f), Type::DepArray(n, g)) => self.sizes(m, n) && self.funs(f, g),
            (Type::DepPair(f), Type::DepPair(g)) => self.funs(f, g),
            (Type::Pair(s, t), Type::Pair(u, v)) | (Type::Fun(s, t), Type::Fun(u, v)) => {
                self.types(s, u) && self.types(t, v)
            }
            (Type::Apply(f, m), Type::Apply(g, n)) => self.var(*f) == *g && self.sizes(m, n),
            (Type::Pi(p), Type::Pi(q)) => {
                p.kind == q.kind && self.under(p.var, q.var, |this| this.types(&p.body, &q.body))
            }
            (Type::Exp(s, a), Type::Exp(t, b)) => {
                let access = |v| match v {
                    Access::Var(v) => Access::Var(self.var(v)),
                    other => other,
                };
                // An assignment writes an expression of access `Rd` where `Wr` is expected, if it
                // is no array.
                let assigned = |a, b| (a, b) == (Access::Rd, Access::Wr) && !may_hold_array(s);
                let fits = access(*a) == *b || assigned(*a, *b) || assigned(*b, *a);
                fits && self.types(s, t)
            }
            (Type::Acc(s), Type::Acc(t)) => self.types(s, t),
            _ => false,
        }
    }

    fn under(&mut self, a: Var, b: Var, f: impl FnOnce(&mut Self) -> bool) -> bool {
        self.bound.push((a, b));
        let same = f(self);
        self.bound.pop();
        same
    }

    fn var(&self, var: Var) -> Var {
        let bound = self.bound.iter().rev().find(|(a, _)| *a == var);
        bound.map_or(var, |(_, b)| *b)
    }

    fn sizes(&self, a: &Nat, b: &Nat) -> bool {
        // Facts about a bound size may be recorded under the name of either side.
        let here: Vec<_> = self.bound.iter().rev().copied().collect();
        let there: Vec<_> = here.iter().map(|(a, b)| (*b, *a)).collect();
        let may_be_equal = |a: Nat, b: &Nat| {
            a == *b
                || !matches!(
                    self.facts.prove(&Prop::Equal(a, b.clone())),
                    Verdict::Refuted(_)
                )
        };
        may_be_equal(renamed(a, &here), b) || may_be_equal(renamed(b, &there), a)
    }

    fn funs(&mut self, f: &DataFun, g: &DataFun) -> bool {
        match (f, g) {
            (DataFun::Var(v), DataFun::Var(w)) => self.var(*v) == *w,
            (DataFun::Lambda(v, a), DataFun::Lambda(w, b)) => {
                self.under(*v, *w, |this| this.types(a, b))
            }
            // Eta-equivalence: `f` and `dataFun(i => f(i))`.
            (DataFun::Var(v), DataFun::Lambda(i, b)) => match &**b {
                Type::Apply(w, n) => self.var(*v) == *w && n.as_var() == Some(*i),
                _ => false,
            },
            (DataFun::Lambda(i, a), DataFun::Var(w)) => match &**a {
                Type::Apply(v, n) => self.var(*v) == *w && n.as_var() == Some(*i),
                _ => false,
            },
        }
    }
}

/// Renames variables in a size: the first element of each pair becomes the second one. Of several
/// pairs for a variable the first one is used, so inner binders have to come first.
fn renamed(size: &Nat, names: &[(Var, Var)]) -> Nat {
    let of = |v: Var| names.iter().find(|(a, _)| *a == v).map(|(_, b)| *b);
    crate::subst::subst_nat(size, &|v| of(v).map(|b| Arg::Nat(Nat::var(b)))).rename_fun(&of)
}
