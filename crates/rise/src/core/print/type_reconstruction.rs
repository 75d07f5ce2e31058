//! The analysis of which types inference can reconstruct from a printed text, so that the printer
//! need not write them.

use nat::{Nat, Var};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::ast::{Kind, Literal};

use crate::core::{Expr, Form, Language};
use crate::types::{DataFun, Pi, Ty, Type};

/// The state of the analysis of which types inference can reconstruct.
pub(super) struct Inferable<P> {
    /// A memo table: maps the address of a node to true if the type of the node follows from its
    /// parts.
    by_itself: FxHashMap<*const crate::core::Node<P>, bool>,
}

impl<P> Default for Inferable<P> {
    fn default() -> Self {
        Inferable {
            by_itself: FxHashMap::default(),
        }
    }
}

/// The parts of a primitive's application whose types inference can reconstruct.
pub(super) struct InferableArgs {
    /// For each argument, true if its type is known from the rest of the application.
    pub args: Vec<bool>,
    /// True if all type-level arguments of the primitive follow from its arguments and its result.
    pub whole: bool,
}

impl<P: Language> Inferable<P> {
    /// Analyses the application of a primitive; `wanted` is true if the type of its result is known
    /// from the context.
    pub(super) fn application(&mut self, p: &P, args: &[Expr<P>], wanted: bool) -> InferableArgs {
        let signature = Signature::of(p.signature(), args.len());
        let mut found = signature.explicit();
        signature.learn_result(wanted, &mut found);
        self.learn_args(&signature, args, &mut found);
        let known = signature
            .params
            .iter()
            .map(|param| param.map_or(wanted, |param| covers(result_of(param), &found)))
            .collect();
        // Arguments whose types are not known from the rest are printed with their types.
        for _ in 0..2 {
            for (param, arg) in signature.params.iter().zip(args) {
                learn_from(arg, *param, &mut found);
            }
        }
        InferableArgs {
            args: known,
            whole: signature.is_known(&found),
        }
    }

    /// Adds the variables that are determined by arguments whose types follow from themselves,
    /// until a fixpoint.
    fn learn_args(&mut self, signature: &Signature, args: &[Expr<P>], found: &mut FxHashSet<Var>) {
        let mut waiting: Vec<usize> = (0..args.len()).collect();
        loop {
            let before = found.len();
            waiting.retain(|&at| {
                let param = signature.params[at];
                if !self.by_itself(&args[at]) {
                    return true;
                }
                learn_from(&args[at], param, found);
                false
            });
            if found.len() == before {
                return;
            }
        }
    }

    /// Returns true if the type of an expression follows from its parts, given the types of its
    /// free variables. For a function expression, only the type of its result has to follow.
    fn by_itself(&mut self, expr: &Expr<P>) -> bool {
        let key = std::sync::Arc::as_ptr(expr);
        if let Some(&known) = self.by_itself.get(&key) {
            return known;
        }
        let known = match &expr.form {
            Form::Var(_) | Form::Global(..) | Form::Foreign(..) => true,
            Form::Nat(nat) => nat.as_const().is_none(),
            Form::Literal(literal) => literal_is_known(literal, &expr.ty),
            Form::Lambda(_, body) | Form::DepLambda(_, _, body) => self.by_itself(body),
            Form::Apply(f, _) | Form::DepApply(f, _) => self.by_itself(f),
            Form::Primitive(p, _, args) => {
                let signature = Signature::of(p.signature(), args.len());
                let mut found = signature.explicit();
                signature.learn_result(false, &mut found);
                self.learn_args(&signature, args, &mut found);
                signature.is_known(&found)
            }
        };
        self.by_itself.insert(key, known);
        known
    }
}

/// Returns true if the literal determines its type however it is printed; integers may be printed
/// without a suffix.
fn literal_is_known(literal: &Literal, ty: &Type) -> bool {
    match (literal, ty) {
        (Literal::Bool(_), _) => true,
        (_, Type::Exp(data, _)) => literal_is_known(literal, data),
        (_, Type::Scalar(scalar)) => scalar.is_float(),
        _ => false,
    }
}

/// The type of a primitive, split into its parameters and its result.
struct Signature<'s> {
    vars: Vec<&'s Pi>,
    /// The parameter type of each value that is given. Values beyond the last parameter have its
    /// type; `None` stands for the values of a primitive without parameters.
    params: Vec<Option<&'s Ty>>,
    result: &'s Type,
}

impl<'s> Signature<'s> {
    fn of(mut ty: &'s Type, args: usize) -> Signature<'s> {
        let mut vars = Vec::new();
        while let Type::Pi(pi) = ty {
            vars.push(pi);
            ty = &pi.body;
        }
        let mut params = Vec::new();
        while let (Type::Fun(from, to), true) = (ty, params.len() < args) {
            params.push(Some(from));
            ty = to;
        }
        // A variadic primitive has one parameter type for all of its values.
        let last = params.last().copied().flatten();
        params.resize(args, last);
        Signature {
            vars,
            params,
            result: ty,
        }
    }

    /// Adds the variables of the result's type if it is `wanted`. If the result is a function that
    /// still takes values, the types of these are known.
    fn learn_result(&self, wanted: bool, found: &mut FxHashSet<Var>) {
        let mut result = self.result;
        while let Type::Fun(from, to) = result {
            learn(from, found);
            result = to;
        }
        if wanted {
            learn(result, found);
        }
    }

    /// Returns true if all type-level parameters are determined.
    fn is_known(&self, found: &FxHashSet<Var>) -> bool {
        self.vars.iter().all(|pi| found.contains(&pi.var))
    }

    /// Returns the parameters whose arguments are written. Accesses count as written, because
    /// inference determines them last.
    fn explicit(&self) -> FxHashSet<Var> {
        let written = |pi: &&&Pi| !pi.implicit || pi.kind == Kind::ReadWrite;
        self.vars.iter().filter(written).map(|pi| pi.var).collect()
    }
}

/// Adds the variables that an argument of known type determines. Functions, primitives and
/// definitions determine only those in the type of their result.
fn learn_from<P>(arg: &Expr<P>, param: Option<&Ty>, found: &mut FxHashSet<Var>) {
    let Some(param) = param else { return };
    match &arg.form {
        Form::Lambda(..) | Form::DepLambda(..) | Form::Primitive(..) | Form::Global(..) => {
            learn(result_of(param), found);
        }
        _ => learn(param, found),
    }
}

/// Returns the result type of a function, or the type itself.
fn result_of(ty: &Type) -> &Type {
    match ty {
        Type::Fun(_, result) => result_of(result),
        Type::Pi(pi) => result_of(&pi.body),
        _ => ty,
    }
}

/// Adds the variables that a known type determines.
fn learn(ty: &Type, found: &mut FxHashSet<Var>) {
    match ty {
        Type::Var(var)
        | Type::Apply(var, _)
        | Type::DepArray(_, DataFun::Var(var))
        | Type::DepPair(DataFun::Var(var))
        | Type::Exp(_, crate::Access::Var(var)) => {
            found.insert(*var);
        }
        _ => found.extend(ty.binder()),
    }
    if let Some(size) = ty.size() {
        learn_size(size, found);
    }
    ty.components().for_each(|part| learn(part, found));
}

/// Adds the variable of a size if it is the only undetermined one: an equation determines one
/// variable if all others are known.
fn learn_size(nat: &Nat, found: &mut FxHashSet<Var>) {
    let mut open = Vec::new();
    nat.for_each_var(&mut |v| {
        if !found.contains(&v) && !open.contains(&v) {
            open.push(v);
        }
    });
    if let [one] = open[..] {
        found.insert(one);
    }
}

/// Returns true if all variables of the type are determined.
fn covers(ty: &Type, found: &FxHashSet<Var>) -> bool {
    let mut all = true;
    crate::infer::for_each_var(ty, &mut |v| all &= found.contains(&v));
    all
}
