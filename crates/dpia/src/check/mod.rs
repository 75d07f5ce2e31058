//! The types of phrases, computed again from those of the primitives.
//!
//! What inference and translation make has a type on each node; here they are held against
//! `primitives.dpia`. Sizes are compared under what the program assumes and under the ranges of
//! the sizes that loops count.

mod same;

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

/// A phrase whose type is not what its parts make it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct CheckError {
    /// What is wrong.
    pub reason: CheckReason,
    /// The phrase that it is wrong with.
    pub origin: Origin,
}

/// What is wrong with the type of a phrase.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckReason {
    /// Another type than what is around asks for.
    #[error("this has the type `{found}`, but `{expected}` is expected")]
    Type {
        /// What is wanted.
        expected: String,
        /// What it is.
        found: String,
    },
    /// A variable that nothing binds.
    #[error("nothing binds `{0}`")]
    Unbound(String),
    /// A primitive with too few or too many arguments, or of the wrong kinds.
    #[error("`{}` does not have the arguments that its type says", .0.name())]
    Arguments(Prim),
    /// An application of something else than a function.
    #[error("this is applied, but has the type `{0}`")]
    NoFunction(String),
    /// A constant of a type that has none.
    #[error("there are no constants of the type `{0}`")]
    Literal(String),
    /// A definition that has not been put in its place.
    #[error("this definition has not been linked")]
    NotLinked,
}

type Result<T> = std::result::Result<T, CheckError>;

/// Checks that each phrase of a program has the type that it says.
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
    /// Phrases that stand in more than one place are checked once.
    done: FxHashSet<*const Node<Prim>>,
    /// How many binders of types are compared at the moment.
    binders: u32,
}

impl Checker {
    fn error<T>(&self, reason: CheckReason, origin: Origin) -> Result<T> {
        Err(CheckError { reason, origin })
    }

    fn text(&self, ty: &Type) -> String {
        type_text(ty, &self.names)
    }

    /// The type of a phrase, which is the one on its node.
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
            // Of a type that is a parameter it is one of each type of numbers; of a vector, in every lane.
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
        let counted = prim.counted(types);
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

    /// As many values as the type says.
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

    /// Runs `f` knowing the range of a variable.
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

/// Whether a primitive takes these type-level arguments: those of its type, and one more where it
/// takes an address space or dimension.
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

/// Whether a type is data of a sub-kind.
fn is_of_kind(ty: &Type, kind: Kind) -> bool {
    use ScalarType::{Bool, F16, F32, F64, NatType};
    let float = matches!(ty, Type::Scalar(F16 | F32 | F64));
    let number = matches!(ty, Type::Scalar(scalar) if *scalar != Bool);
    match kind {
        Kind::DataType => !matches!(
            ty,
            Type::Error | Type::Fun(..) | Type::Pi(_) | Type::Exp(..) | Type::Acc(_) | Type::Comm
        ),
        // Its own kind says what a variable stands for.
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
