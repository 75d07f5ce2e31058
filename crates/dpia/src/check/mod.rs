//! A type checker for phrases: computes their types again from those of the primitives.
//!
//! Inference and translation put a type on each node; the checker compares these types with those
//! that follow from the types of the primitives. Sizes are compared under the program's conditions
//! and the ranges of loop counters.

mod type_equality;

use std::sync::Arc;

use nat::{Facts, Nat, Var};
use rise::core::{Foreign, Form, Language, Node, Origin, Param};
use rise::primitive::OptionalArgument;
use rise::print::type_text;
use rise::types::Names;
use rise::{Access, Arg, Pi, Ty, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::ast::{Kind, ScalarType};

use crate::phrase::{Phrase, PhraseProgram, exp, instantiate};
use crate::prim::Prim;

/// The error of a phrase whose type does not follow from its parts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct CheckError {
    /// The reason why the type is wrong.
    pub reason: CheckReason,
    /// The origin of the wrong phrase.
    pub origin: Origin,
}

/// The reason why the type of a phrase is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckReason {
    /// The phrase has another type than its context expects.
    #[error("this has the type `{found}`, but `{expected}` is expected")]
    Type {
        /// The expected type.
        expected: String,
        /// The type of the phrase.
        found: String,
    },
    /// A variable is not bound.
    #[error("nothing binds `{0}`")]
    Unbound(String),
    /// A primitive has too few or too many arguments, or arguments of wrong kinds.
    #[error("the arguments of `{}` are not those that its type requires", .0.name())]
    Arguments(Prim),
    /// A phrase that is no function is applied.
    #[error("this is applied, but has the type `{0}`")]
    NoFunction(String),
    /// A constant has a type that has no constants.
    #[error("there are no constants of the type `{0}`")]
    Literal(String),
    /// A definition has not been inlined by linking.
    #[error("this definition has not been linked")]
    NotLinked,
}

type Result<T> = std::result::Result<T, CheckError>;

/// Checks that the type of each phrase of a program, computed from its parts, is a subtype of the
/// type on its node.
///
/// # Errors
/// Returns the error of the first phrase that has another type, or of which no type can be
/// computed.
pub fn check(program: &PhraseProgram) -> Result<()> {
    let mut facts = Facts::new();
    for prop in program.obligations.iter().chain(&program.facts) {
        facts.assume(prop);
    }
    let mut checker = Checker {
        names: Names(program.names.iter().cloned().collect()),
        facts,
        locals: FxHashMap::default(),
        done: FxHashSet::default(),
        binders: 0,
    };
    checker.infer(&program.body).map(|_| ())
}

struct Checker {
    names: Names,
    facts: Facts,
    locals: FxHashMap<u32, Ty>,
    /// Phrases that are already checked, because shared phrases are checked once.
    done: FxHashSet<*const Node<Prim>>,
    /// The number of enclosing binders of the types that are being compared.
    binders: u32,
}

impl Checker {
    fn error<T>(&self, reason: CheckReason, origin: Origin) -> Result<T> {
        Err(CheckError { reason, origin })
    }

    fn text(&self, ty: &Type) -> String {
        type_text(ty, &self.names)
    }

    /// Computes the type of a phrase, checks that it is a subtype of the one on its node, and
    /// returns the latter.
    fn infer(&mut self, phrase: &Phrase) -> Result<Ty> {
        if self.done.contains(&Arc::as_ptr(phrase)) {
            return Ok(phrase.ty.clone());
        }
        let ty = self.compute(phrase)?;
        self.expect(&ty, &phrase.ty, phrase.origin)?;
        self.done.insert(Arc::as_ptr(phrase));
        Ok(phrase.ty.clone())
    }

    fn expect(&mut self, found: &Ty, expected: &Ty, origin: Origin) -> Result<()> {
        if self.is_subtype(found, expected) {
            return Ok(());
        }
        let reason = CheckReason::Type {
            expected: self.text(expected),
            found: self.text(found),
        };
        self.error(reason, origin)
    }

    fn compute(&mut self, phrase: &Phrase) -> Result<Ty> {
        let origin = phrase.origin;
        match &phrase.form {
            Form::Var(local) => match self.locals.get(&local.id) {
                Some(ty) => Ok(ty.clone()),
                None => self.error(CheckReason::Unbound(local.name.to_string()), origin),
            },
            Form::Literal(_) => self.literal(phrase),
            Form::Nat(_) => Ok(exp(
                &Arc::new(Type::Scalar(ScalarType::NatType)),
                Access::Rd,
            )),
            Form::Lambda(param, body) => self.lambda(param, body),
            Form::DepLambda(var, kind, body) => {
                let body = self.infer(body)?;
                Ok(Arc::new(Type::Pi(Pi::new(*var, *kind, false, body))))
            }
            Form::Apply(f, x) => {
                let f = self.infer(f)?;
                let x_ty = self.infer(x)?;
                self.applied(&f, &x_ty, x.origin)
            }
            Form::DepApply(f, arg) => {
                let f = self.infer(f)?;
                match &*f {
                    Type::Pi(pi) => Ok(rise::subst::subst(&pi.body, &|v| {
                        (v == pi.var).then(|| arg.clone())
                    })),
                    _ => self.error(CheckReason::NoFunction(self.text(&f)), origin),
                }
            }
            Form::Primitive(prim, types, args) => self.primitive(*prim, types, args, origin),
            Form::Foreign(function, args) => self.foreign(function, args),
            Form::Global(..) => self.error(CheckReason::NotLinked, origin),
        }
    }

    fn literal(&self, phrase: &Phrase) -> Result<Ty> {
        match &*phrase.ty {
            // A constant whose type is a parameter is a literal of every number type; a vector
            // constant has it in every lane.
            Type::Exp(data, Access::Rd)
                if matches!(
                    **data,
                    Type::Scalar(_) | Type::Index(_) | Type::Vector(..) | Type::Var(_)
                ) =>
            {
                Ok(phrase.ty.clone())
            }
            other => self.error(CheckReason::Literal(self.text(other)), phrase.origin),
        }
    }

    fn lambda(&mut self, param: &Param, body: &Phrase) -> Result<Ty> {
        let outer = self.locals.insert(param.local.id, param.ty.clone());
        let body = self.infer(body);
        match outer {
            Some(ty) => self.locals.insert(param.local.id, ty),
            None => self.locals.remove(&param.local.id),
        };
        Ok(Arc::new(Type::Fun(param.ty.clone(), body?)))
    }

    fn foreign(&mut self, function: &Foreign, args: &[Phrase]) -> Result<Ty> {
        let read = |ty: &Ty| exp(ty, Access::Rd);
        let mut ty = read(&function.result);
        for (_, param) in function.params.iter().rev() {
            ty = Arc::new(Type::Fun(read(param), ty));
        }
        for arg in args {
            let found = self.infer(arg)?;
            ty = self.applied(&ty, &found, arg.origin)?;
        }
        Ok(ty)
    }

    fn applied(&mut self, f: &Ty, x: &Ty, origin: Origin) -> Result<Ty> {
        match &**f {
            Type::Fun(param, result) => {
                self.expect(x, param, origin)?;
                Ok(result.clone())
            }
            _ => self.error(CheckReason::NoFunction(self.text(f)), origin),
        }
    }

    fn primitive(
        &mut self,
        prim: Prim,
        types: &[Arg],
        args: &[Phrase],
        origin: Origin,
    ) -> Result<Ty> {
        let wrong = CheckReason::Arguments(prim);
        if !takes(prim, types) {
            return self.error(wrong, origin);
        }
        let mut ty = instantiate(prim, types);
        if prim == Prim::MakeArray {
            return self.make_array(&ty, args, origin);
        }
        let counted = prim.counted(types, args);
        for arg in args {
            let range = match (&arg.form, &counted) {
                (Form::DepLambda(var, Kind::Nat, _), Some(n)) => Some((*var, n.clone())),
                _ => None,
            };
            let found = self.in_range(range, |this| this.infer(arg))?;
            ty = match &*ty {
                Type::Fun(..) => self.applied(&ty, &found, arg.origin)?,
                _ => return self.error(wrong, origin),
            };
        }
        match &*ty {
            Type::Fun(..) | Type::Pi(_) => self.error(wrong, origin),
            _ => Ok(ty),
        }
    }

    /// Checks that `makeArray` has as many values as the size in the array type `ty`, and that each
    /// has the element type. Returns `ty`.
    fn make_array(&mut self, ty: &Ty, args: &[Phrase], origin: Origin) -> Result<Ty> {
        let Type::Exp(data, Access::Rd) = &**ty else {
            return self.error(CheckReason::Arguments(Prim::MakeArray), origin);
        };
        let Type::Array(k, element) = &**data else {
            return self.error(CheckReason::Arguments(Prim::MakeArray), origin);
        };
        if k.as_const() != i64::try_from(args.len()).ok() {
            return self.error(CheckReason::Arguments(Prim::MakeArray), origin);
        }
        let wanted = exp(element, Access::Rd);
        for arg in args {
            let found = self.infer(arg)?;
            self.expect(&found, &wanted, arg.origin)?;
        }
        Ok(ty.clone())
    }

    /// Runs `f` while the facts include `0 <= var < n` for the given variable and size; without
    /// them, only runs `f`.
    fn in_range<T>(&mut self, range: Option<(Var, Nat)>, f: impl FnOnce(&mut Self) -> T) -> T {
        let Some((var, to)) = range else {
            return f(self);
        };
        let outer = self.facts.clone();
        self.facts.range(var, &Nat::ZERO, &to);
        let result = f(self);
        self.facts = outer;
        result
    }
}

/// Returns true if a primitive takes these type-level arguments: those of its type, and an optional
/// address space or dimension.
fn takes(prim: Prim, types: &[Arg]) -> bool {
    let mut ty = &prim.scheme().ty;
    let mut rest = types.iter();
    while let Type::Pi(pi) = &**ty {
        if !rest.next().is_some_and(|arg| has_kind(arg, pi.kind)) {
            return false;
        }
        ty = &pi.body;
    }
    matches!(
        (prim.optional_argument(), rest.next(), rest.next()),
        (_, None, _)
            | (
                Some(OptionalArgument::AddressSpace),
                Some(Arg::Address(_)),
                None
            )
            | (Some(OptionalArgument::Dimension), Some(Arg::Nat(_)), None)
    )
}

fn has_kind(arg: &Arg, kind: Kind) -> bool {
    match arg {
        Arg::Nat(_) => kind == Kind::Nat,
        Arg::Address(_) => kind == Kind::AddrSp,
        Arg::SizeFun(_) => kind == Kind::Nat2Nat,
        Arg::DataFun(_) => kind == Kind::Nat2Data,
        Arg::Access(_) => kind == Kind::ReadWrite,
        Arg::Type(ty) => is_of_kind(ty, kind),
    }
}

/// Returns true if a type is a data type of this kind.
fn is_of_kind(ty: &Type, kind: Kind) -> bool {
    use ScalarType::{Bool, F16, F32, F64, NatType};
    let float = matches!(ty, Type::Scalar(F16 | F32 | F64));
    let number = matches!(ty, Type::Scalar(scalar) if *scalar != Bool);
    match kind {
        Kind::DataType => !matches!(
            ty,
            Type::Error | Type::Fun(..) | Type::Pi(_) | Type::Exp(..) | Type::Acc(_) | Type::Comm
        ),
        // A variable or an application of one is accepted, because its own kind was checked at its
        // binder.
        _ if matches!(ty, Type::Var(_) | Type::Apply(..)) => true,
        Kind::Scalar => matches!(ty, Type::Scalar(_) | Type::Index(_)),
        Kind::Int => number && !float,
        Kind::Float => float,
        Kind::Num => {
            number
                || matches!(ty, Type::Vector(_, t)
                    if matches!(&**t, Type::Scalar(s) if !matches!(s, Bool | NatType)))
        }
        _ => false,
    }
}
