//! Beta-reduction, which inlines functions where they are applied.

use std::sync::Arc;

use rise::core::{Expr, Form, Local, Mapper, Node, Origin, Param, walk};
use rise::subst::{subst, subst_arg, subst_nat};
use rise::types::contains_array;
use rise::{Access, Arg, Ty, Type};
use rustc_hash::FxHashMap;
use syntax::ast::Kind;

use super::Translation;
use super::error::{Reason, Result, fail};
use super::purity::{is_atomic, uses};
use crate::phrase::{Phrase, PhraseProgram, prim};
use crate::prim::Prim;

/// A copy of a function's body with arguments substituted for parameters. Its binders are renamed,
/// because a body may be copied more than once.
struct Copy<'a> {
    program: &'a mut PhraseProgram,
    values: FxHashMap<Local, Phrase>,
    renamed: FxHashMap<Local, Local>,
    sizes: FxHashMap<nat::Var, Arg>,
    done: FxHashMap<*const Node<Prim>, Phrase>,
}

impl Copy<'_> {
    fn lookup(&self) -> impl Fn(nat::Var) -> Option<Arg> + '_ {
        |var| self.sizes.get(&var).cloned()
    }
}

impl Mapper<Prim> for Copy<'_> {
    fn local(&mut self, local: &Local, ty: &Ty, origin: Origin) -> Option<Phrase> {
        if let Some(value) = self.values.get(local) {
            return Some(value.clone());
        }
        let renamed = self.renamed.get(local)?;
        Some(Node::new(Form::Var(renamed.clone()), ty.clone(), origin))
    }

    fn param(&mut self, param: &Param) -> Param {
        let local = self.program.fresh_local(param.local.name.clone());
        self.renamed.insert(param.local.clone(), local.clone());
        let ty = self.ty(&param.ty);
        Param { local, ty }
    }

    fn keeps_types(&self) -> bool {
        self.sizes.is_empty()
    }

    fn ty(&mut self, ty: &Ty) -> Ty {
        if self.sizes.is_empty() {
            return ty.clone();
        }
        subst(ty, &self.lookup())
    }

    fn arg(&mut self, arg: &Arg) -> Arg {
        subst_arg(arg, &self.lookup())
    }

    fn nat(&mut self, nat: &nat::Nat) -> nat::Nat {
        subst_nat(nat, &self.lookup())
    }

    fn expr(&mut self, expr: &Expr<Prim>) -> Expr<Prim> {
        let address = Arc::as_ptr(expr);
        if let Some(done) = self.done.get(&address) {
            return done.clone();
        }
        let copy = match &expr.form {
            // The functions that primitives take are functions of sizes.
            Form::DepLambda(var, Kind::Nat, body) => {
                let fresh = self.program.fresh_var(self.program.name_of(*var));
                self.sizes.insert(*var, Arg::Nat(fresh.into()));
                super::build::nat_fun(fresh, self.expr(body))
            }
            _ => walk(self, expr),
        };
        self.done.insert(address, copy.clone());
        copy
    }
}

impl Translation {
    /// Copies a phrase and substitutes values and at most one type-level argument for variables.
    pub fn copy(
        &mut self,
        body: &Phrase,
        values: &[(Local, Phrase)],
        size: Option<(nat::Var, Arg)>,
    ) -> Phrase {
        Copy {
            program: &mut self.program,
            values: values.iter().cloned().collect(),
            renamed: FxHashMap::default(),
            sizes: size.into_iter().collect(),
            done: FxHashMap::default(),
        }
        .expr(body)
    }

    /// Beta-reduces the head of a phrase. A value that would be computed twice becomes a `let`.
    pub fn head(&mut self, phrase: &Phrase) -> Result<Phrase> {
        match &phrase.form {
            Form::Apply(f, x) => {
                let f = self.head(f)?;
                if let Form::Lambda(param, body) = &f.form
                    && let (Some(s), Some((t, a))) = (shared(param, body, x), result(body))
                {
                    let types = vec![Arg::Type(s), Arg::Type(t), Arg::Access(a)];
                    return Ok(prim(Prim::Let, types, vec![x.clone(), f], phrase.origin));
                }
                let applied = self.substitute(&f, x.clone(), phrase.origin)?;
                self.head(&applied)
            }
            Form::DepApply(f, arg) => {
                let f = self.head(f)?;
                let applied = self.at_size(&f, arg.clone())?;
                self.head(&applied)
            }
            Form::Global(..) => fail(Reason::NotLinked, phrase.origin),
            _ => Ok(phrase.clone()),
        }
    }

    /// Beta-reduces `f(x)`, even if `x` would be computed twice; a C function gets `x` as its next
    /// argument.
    pub fn substitute(&mut self, f: &Phrase, x: Phrase, origin: Origin) -> Result<Phrase> {
        let f = self.head(f)?;
        match &f.form {
            Form::Lambda(param, body) => Ok(self.copy(body, &[(param.local.clone(), x)], None)),
            Form::Foreign(..) => Ok(rise::core::apply(&f, x, origin)),
            _ => fail(Reason::NoFunction, f.origin),
        }
    }

    /// Beta-reduces `f(arg)` for a function with a type-level parameter.
    pub fn at_size(&mut self, f: &Phrase, arg: Arg) -> Result<Phrase> {
        let f = self.head(f)?;
        match &f.form {
            Form::DepLambda(var, _, body) => Ok(self.copy(body, &[], Some((*var, arg)))),
            _ => fail(Reason::NoFunction, f.origin),
        }
    }

    /// Beta-reduces `f(xs…)` for values; the commands that reading a value requires are emitted
    /// once, before.
    pub fn call(&mut self, f: &Phrase, args: impl IntoIterator<Item = Phrase>) -> Result<Phrase> {
        let mut f = f.clone();
        let mut values = Vec::new();
        for arg in args {
            let value = self.read(&arg)?;
            // Nested functions are entered at once.
            if let Form::Lambda(param, body) = &f.form {
                values.push((param.local.clone(), value));
                f = body.clone();
                continue;
            }
            let origin = f.origin;
            let callee = self.enter(&f, &mut values);
            f = self.substitute(&callee, value, origin)?;
        }
        let body = self.enter(&f, &mut values);
        self.head(&body)
    }

    /// Substitutes the collected values in a body and clears their list.
    fn enter(&mut self, body: &Phrase, values: &mut Vec<(Local, Phrase)>) -> Phrase {
        match values.is_empty() {
            true => body.clone(),
            false => self.copy(body, &std::mem::take(values), None),
        }
    }
}

/// Returns the type of the argument `x` if it must be bound because the body reads it more than
/// once; `None` if it can be substituted.
fn shared(param: &Param, body: &Phrase, x: &Phrase) -> Option<Ty> {
    let Type::Exp(data, Access::Rd) = &*x.ty else {
        return None;
    };
    let once = contains_array(data) || is_atomic(x) || uses(param, body) < 2;
    (!once).then(|| data.clone())
}

fn result(body: &Phrase) -> Option<(Ty, Access)> {
    match &*body.ty {
        Type::Exp(data, access) => Some((data.clone(), *access)),
        _ => None,
    }
}
