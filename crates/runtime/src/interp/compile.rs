//! Compiles core RISE to closures.
//!
//! All functions are known at compile time, since they cannot be stored: each is inlined where it
//! is applied, and only data remains at run time. The result is one closure for each operation on
//! arrays, which loops over compiled blocks, and one for each operation on scalars.
//!
//! These closures define the semantics of the primitives. [`optimized`](super::optimized) adds
//! variants to them.

pub(super) mod arrays;
mod call;
mod dependent;
mod env;
mod foreign;
pub(super) mod maps;
pub(super) mod numbers;
mod parallel;
pub(super) mod reductions;
mod slots;

use std::rc::Rc;

use nat::Var;
use rise::Primitive;
use rise::core::{Expr, Form, Local, Node, Origin, Param, Program, subterms};
use rise::types::{Arg, Ty, Type};
use rustc_hash::FxHashMap;
use syntax::ast::Literal;

pub(crate) use self::env::Env;
pub(super) use self::slots::scalar_kind;
use self::slots::{LayoutCode, halves};
use super::block::{Block, Code, Operand, Step, VarSlots};
use super::error::{ErrorKind, InterpResult};
use super::frame::{CancellationToken, Frame, NatCode};
use super::kind::{Elem, Kind};
use super::scalar::{Scalar, WordCode};

/// The number of compiled expressions at which the compilation fails. Each use of a function
/// compiles the expressions of the function again.
const MAX_COMPILED_EXPRS: usize = 2_000_000;
/// The number of expressions between two checks for cancellation.
const EXPRS_PER_CHECK: usize = 1 << 12;
/// The largest nesting depth of expressions after inlining, which fits on the stack.
const MAX_DEPTH: usize = 20_000;

pub(super) type Term = Expr<Primitive>;

/// Compiles one program with fixed sizes.
pub(crate) struct Compiler {
    words: usize,
    vals: usize,
    nats: usize,
    /// The first variable for a size whose value is only computed at run time.
    first_nat: u32,
    names: rise::Names,
    remaining: usize,
    /// The nesting depth of the current term.
    depth: usize,
    cancellation: CancellationToken,
    /// True if values are recorded.
    trace: bool,
    /// True if code gets optimised variants.
    optimize: bool,
    /// True if there is a `scatter`, which has to detect collisions of parallel writes.
    scatters: bool,
    /// The dimensions along which the values in slots are written in parallel.
    parallel: FxHashMap<usize, parallel::Dims>,
}

/// The compile-time value of a term: data, or a function.
#[derive(Clone)]
pub(super) enum StaticValue {
    Data(Operand),
    Function(Rc<Function>),
}

/// A function at compile time.
pub(super) enum Function {
    Lambda(Param, Term, Env),
    DepLambda(Var, Term, Env),
    /// A primitive or C function that lacks arguments. The arguments that it has are trivial
    /// expressions.
    Primitive(Rc<Partial>),
}

/// A partial application of a primitive or C function.
#[derive(Clone)]
pub(super) struct Partial {
    pub head: Head,
    pub types: Rc<[Arg]>,
    pub args: Vec<StaticValue>,
    /// The number of missing arguments.
    pub missing: usize,
    pub origin: Origin,
}

#[derive(Clone)]
pub(super) enum Head {
    Primitive(Primitive),
    Foreign(std::sync::Arc<rise::core::Foreign>),
}

pub(super) enum Thunk {
    /// A term that is not compiled yet.
    Term(Term, Env),
    Ready(StaticValue),
}

impl Thunk {
    /// Clones the argument.
    fn again(&self) -> Thunk {
        match self {
            Thunk::Term(term, env) => Thunk::Term(term.clone(), env.clone()),
            Thunk::Ready(meaning) => Thunk::Ready(meaning.clone()),
        }
    }
}

/// A primitive with all of its arguments.
pub(super) struct Call {
    pub primitive: Primitive,
    pub types: Rc<[Arg]>,
    pub args: Vec<Thunk>,
    pub origin: Origin,
}

impl Call {
    /// Returns the size with index `at` among the type-level arguments that are sizes.
    pub fn nat(&self, at: usize) -> InterpResult<&nat::Nat> {
        let mut nats = self.types.iter().filter_map(|arg| match arg {
            Arg::Nat(nat) => Some(nat),
            _ => None,
        });
        nats.nth(at)
            .ok_or_else(|| malformed("a size is missing", self.origin))
    }

    /// Returns the type with index `at` among the type-level arguments that are types.
    pub fn ty(&self, at: usize) -> InterpResult<&Ty> {
        let mut types = self.types.iter().filter_map(|arg| match arg {
            Arg::Type(ty) => Some(ty),
            _ => None,
        });
        types
            .nth(at)
            .ok_or_else(|| malformed("a type is missing", self.origin))
    }

    pub fn arg(&self, at: usize) -> InterpResult<&Thunk> {
        (self.args.get(at)).ok_or_else(|| malformed("an argument is missing", self.origin))
    }
}

pub(super) fn malformed(what: &'static str, origin: Origin) -> super::error::BoxedError {
    ErrorKind::Malformed(what).at(origin)
}

/// Sets the origin of an error that has none.
pub(super) fn here<T>(origin: Origin, result: InterpResult<T>) -> InterpResult<T> {
    result.map_err(|mut error| {
        error.origin.get_or_insert(origin);
        error
    })
}

/// The numbers of slots that a compiled program needs.
pub(crate) struct SlotCounts {
    pub words: usize,
    pub vals: usize,
    pub nats: usize,
}

impl Compiler {
    pub fn new(program: &Program<Primitive>, frame: &Frame<'_>, optimize: bool) -> Compiler {
        let trace = frame.trace.is_some();
        Compiler {
            words: 0,
            vals: 0,
            nats: 0,
            first_nat: u32::try_from(program.names.len()).unwrap_or(u32::MAX / 4),
            names: rise::Names(program.names.clone().into()),
            remaining: MAX_COMPILED_EXPRS,
            depth: 0,
            cancellation: frame.cancellation().clone(),
            trace,
            optimize: optimize && !trace,
            scatters: has_scatter(&program.body),
            parallel: FxHashMap::default(),
        }
    }

    pub fn slots(&self) -> SlotCounts {
        SlotCounts {
            words: self.words,
            vals: self.vals,
            nats: self.nats,
        }
    }

    /// Returns true if code gets optimised variants.
    pub fn optimizes(&self) -> bool {
        self.optimize
    }

    /// Returns the result of `variants` if evaluation is optimised, and otherwise the default,
    /// which has no variants.
    fn optimized<T: Default>(&self, variants: impl FnOnce() -> T) -> T {
        if self.optimize {
            variants()
        } else {
            T::default()
        }
    }

    // ----- terms -----

    pub fn term(
        &mut self,
        term: &Term,
        env: &Env,
        steps: &mut Vec<Step>,
    ) -> InterpResult<StaticValue> {
        self.remaining -= 1;
        if self.remaining == 0 || self.depth == MAX_DEPTH {
            return Err(ErrorKind::TooLarge.nowhere());
        }
        if self.remaining.is_multiple_of(EXPRS_PER_CHECK) {
            self.cancellation.check()?;
        }
        self.depth += 1;
        let meaning = self.meaning(term, env, steps);
        self.depth -= 1;
        let meaning = meaning?;
        match meaning {
            StaticValue::Data(out) if self.trace && !matches!(term.form, Form::Literal(_)) => {
                let out = self.traced(out, &env.ty(&term.ty), term.origin, steps)?;
                Ok(StaticValue::Data(out))
            }
            other => Ok(other),
        }
    }

    fn meaning(
        &mut self,
        term: &Term,
        env: &Env,
        steps: &mut Vec<Step>,
    ) -> InterpResult<StaticValue> {
        let origin = term.origin;
        match &term.form {
            Form::Var(local) => {
                (env.local(local)).ok_or_else(|| malformed("a variable is not bound", origin))
            }
            Form::Literal(literal) => self.literal(literal, &env.ty(&term.ty), origin),
            Form::Nat(nat) => {
                let scalar = match self.nat(&env.nat(nat)) {
                    NatCode::Const(value) => Scalar::Const((value as i32).word()),
                    open => Scalar::Nat(open, origin),
                };
                Ok(StaticValue::Data(Operand::Word(Kind::I32, scalar)))
            }
            Form::Lambda(param, body) => Ok(StaticValue::Function(Rc::new(Function::Lambda(
                param.clone(),
                body.clone(),
                env.clone(),
            )))),
            Form::DepLambda(var, _, body) => Ok(StaticValue::Function(Rc::new(
                Function::DepLambda(*var, body.clone(), env.clone()),
            ))),
            Form::Apply(f, x) => {
                let f = self.function(f, env, steps)?;
                let x = self.argument(x, env, steps)?;
                self.apply(&f, x, steps)
            }
            Form::DepApply(f, arg) => {
                let f = self.function(f, env, steps)?;
                self.dep_apply(&f, env.arg(arg), origin, steps)
            }
            Form::Primitive(p, types, args) => {
                let types = types.iter().map(|arg| env.arg(arg)).collect();
                self.applied(Head::Primitive(*p), types, args, term, env, steps)
            }
            Form::Foreign(function, args) => {
                let head = Head::Foreign(function.clone());
                self.applied(head, Rc::new([]), args, term, env, steps)
            }
            Form::Global(..) => Err(malformed("a definition is not linked", origin)),
        }
    }

    fn applied(
        &mut self,
        head: Head,
        types: Rc<[Arg]>,
        args: &[Term],
        term: &Term,
        env: &Env,
        steps: &mut Vec<Step>,
    ) -> InterpResult<StaticValue> {
        let mut missing = 0;
        let mut rest = &term.ty;
        while let Type::Fun(_, result) = &**rest {
            missing += 1;
            rest = result;
        }
        if missing == 0 {
            let args = args.iter().map(|arg| Thunk::Term(arg.clone(), env.clone()));
            let args = args.collect();
            let out = self.full(head, types, args, term.origin, steps)?;
            return Ok(StaticValue::Data(out));
        }
        let args: InterpResult<Vec<StaticValue>> = args
            .iter()
            .map(|arg| self.argument(arg, env, steps))
            .collect();
        Ok(StaticValue::Function(Rc::new(Function::Primitive(
            Rc::new(Partial {
                head,
                types,
                args: args?,
                missing,
                origin: term.origin,
            }),
        ))))
    }

    fn full(
        &mut self,
        head: Head,
        types: Rc<[Arg]>,
        args: Vec<Thunk>,
        origin: Origin,
        steps: &mut Vec<Step>,
    ) -> InterpResult<Operand> {
        match head {
            Head::Primitive(primitive) => {
                let call = Call {
                    primitive,
                    types,
                    args,
                    origin,
                };
                self.call(&call, steps)
            }
            Head::Foreign(function) => self.foreign(&function, &args, origin, steps),
        }
    }

    /// Compiles a term that is data.
    pub fn data(&mut self, term: &Term, env: &Env, steps: &mut Vec<Step>) -> InterpResult<Operand> {
        match self.term(term, env, steps)? {
            StaticValue::Data(out) => Ok(out),
            StaticValue::Function(_) => {
                Err(malformed("expected data, found a function", term.origin))
            }
        }
    }

    pub fn function(
        &mut self,
        term: &Term,
        env: &Env,
        steps: &mut Vec<Step>,
    ) -> InterpResult<Rc<Function>> {
        match self.term(term, env, steps)? {
            StaticValue::Function(function) => Ok(function),
            StaticValue::Data(_) => Err(malformed("expected a function, found data", term.origin)),
        }
    }

    /// Compiles an argument of a function, which is computed once, before the function.
    fn argument(
        &mut self,
        term: &Term,
        env: &Env,
        steps: &mut Vec<Step>,
    ) -> InterpResult<StaticValue> {
        match self.term(term, env, steps)? {
            StaticValue::Data(out) => {
                let out = self.bound(out, &env.ty(&term.ty), steps)?;
                self.keep_parallel(&out, term, env);
                Ok(StaticValue::Data(out))
            }
            function => Ok(function),
        }
    }

    /// Compiles the argument at index `at`, which is data.
    pub fn out(&mut self, call: &Call, at: usize, steps: &mut Vec<Step>) -> InterpResult<Operand> {
        match call.arg(at)? {
            Thunk::Term(term, env) => self.data(term, env, steps),
            Thunk::Ready(StaticValue::Data(out)) => Ok(out.clone()),
            Thunk::Ready(StaticValue::Function(_)) => {
                Err(malformed("expected data, found a function", call.origin))
            }
        }
    }

    /// Compiles all arguments, which are data.
    fn outs(&mut self, call: &Call, steps: &mut Vec<Step>) -> InterpResult<Vec<Operand>> {
        (0..call.args.len())
            .map(|at| self.out(call, at, steps))
            .collect()
    }

    /// Returns the code of all arguments, which are data.
    fn codes(&mut self, call: &Call, steps: &mut Vec<Step>) -> InterpResult<Vec<Code>> {
        Ok(self.outs(call, steps)?.iter().map(Operand::code).collect())
    }

    /// Returns the code of the argument at index `at`, which is data.
    pub fn code(&mut self, call: &Call, at: usize, steps: &mut Vec<Step>) -> InterpResult<Code> {
        Ok(self.out(call, at, steps)?.code())
    }

    /// Compiles the argument at index `at`, which is a function.
    pub fn fun(
        &mut self,
        call: &Call,
        at: usize,
        steps: &mut Vec<Step>,
    ) -> InterpResult<Rc<Function>> {
        match call.arg(at)? {
            Thunk::Term(term, env) => self.function(term, env, steps),
            Thunk::Ready(StaticValue::Function(function)) => Ok(function.clone()),
            Thunk::Ready(StaticValue::Data(_)) => {
                Err(malformed("expected a function, found data", call.origin))
            }
        }
    }

    // ----- functions -----

    /// Applies a function to a trivial argument, which may be used several times.
    pub fn apply(
        &mut self,
        f: &Function,
        x: StaticValue,
        steps: &mut Vec<Step>,
    ) -> InterpResult<StaticValue> {
        match f {
            Function::Lambda(param, body, env) => {
                let env = env.with_local(&param.local, x);
                self.term(body, &env, steps)
            }
            Function::Primitive(partial) => {
                let mut args = partial.args.clone();
                args.push(x);
                if partial.missing > 1 {
                    return Ok(StaticValue::Function(Rc::new(Function::Primitive(
                        Rc::new(Partial {
                            args,
                            missing: partial.missing - 1,
                            ..(**partial).clone()
                        }),
                    ))));
                }
                let args = args.into_iter().map(Thunk::Ready).collect();
                let (head, types) = (partial.head.clone(), partial.types.clone());
                let out = self.full(head, types, args, partial.origin, steps)?;
                Ok(StaticValue::Data(out))
            }
            Function::DepLambda(_, body, _) => {
                Err(malformed("expected a value, found a size", body.origin))
            }
        }
    }

    /// Applies a function to these arguments, with which its result is data.
    pub fn apply_data(
        &mut self,
        f: &Function,
        args: &[Operand],
        steps: &mut Vec<Step>,
    ) -> InterpResult<Operand> {
        let mut meaning: Option<StaticValue> = None;
        for arg in args {
            let arg = StaticValue::Data(arg.clone());
            meaning = Some(match &meaning {
                None => self.apply(f, arg, steps)?,
                Some(StaticValue::Function(f)) => self.apply(&f.clone(), arg, steps)?,
                Some(StaticValue::Data(_)) => break,
            });
        }
        match meaning {
            Some(StaticValue::Data(out)) => Ok(out),
            _ => Err(ErrorKind::Malformed("expected data, found a function").nowhere()),
        }
    }

    /// Applies a dependent function to a type-level argument.
    pub fn dep_apply(
        &mut self,
        f: &Function,
        arg: Arg,
        origin: Origin,
        steps: &mut Vec<Step>,
    ) -> InterpResult<StaticValue> {
        match f {
            Function::DepLambda(var, body, env) => self.term(body, &env.with_var(*var, arg), steps),
            _ => Err(malformed(
                "a size is given to a function that takes no size",
                origin,
            )),
        }
    }

    /// Compiles the body of a loop to a block.
    pub fn block(
        &mut self,
        body: impl FnOnce(&mut Compiler, &mut Vec<Step>) -> InterpResult<Operand>,
    ) -> InterpResult<Block> {
        let mut steps = Vec::new();
        let out = body(self, &mut steps)?;
        Ok(Block {
            steps,
            exec: out.exec(),
        })
    }

    /// Returns an expression of this type whose value the code computes.
    pub fn computed(&mut self, ty: &Ty, code: Code) -> Operand {
        match scalar_kind(ty) {
            Some(kind) => {
                let one = code.one;
                let word: WordCode = Rc::new(move |frame| one(frame)?.word());
                Operand::Word(kind, Scalar::Opaque(word, code.variants))
            }
            None => Operand::Val(code),
        }
    }

    fn literal(&mut self, literal: &Literal, ty: &Ty, origin: Origin) -> InterpResult<StaticValue> {
        if let Type::Vector(n, lane) = &**ty {
            let StaticValue::Data(out) = self.literal(literal, lane, origin)? else {
                return Err(malformed("unexpected literal", origin));
            };
            return Ok(StaticValue::Data(self.spread(out, self.nat(n), origin)));
        }
        let kind = scalar_kind(ty).ok_or_else(|| self.no_data(ty))?;
        let word = numbers::literal_word(literal, kind);
        let word = word.ok_or_else(|| malformed("unexpected literal", origin))?;
        Ok(StaticValue::Data(Operand::Word(kind, Scalar::Const(word))))
    }

    /// Adds a step that computes and records the value of the term at `origin`, and returns the
    /// variable with the value.
    fn traced(
        &mut self,
        out: Operand,
        ty: &Ty,
        origin: Origin,
        steps: &mut Vec<Step>,
    ) -> InterpResult<Operand> {
        let (code, ty, first) = (out.code().one, ty.clone(), self.first_nat);
        let kept = ty.clone();
        let recording = Code::one(move |frame| {
            let value = code(frame)?;
            super::trace::record(frame, origin, &kept, &value, first);
            Ok(value)
        });
        self.bound(Operand::Val(recording), &ty, steps)
    }
}

/// Returns the variable if a node is a variable; `None` for other nodes.
pub(super) fn local_of(node: &Node<Primitive>) -> Option<&Local> {
    match &node.form {
        Form::Var(local) => Some(local),
        _ => None,
    }
}

fn has_scatter(body: &Term) -> bool {
    subterms(body).any(|term| matches!(term.form, Form::Primitive(Primitive::Scatter, ..)))
}
