//! The reference interpreter, which defines the semantics of every primitive of RISE.
//!
//! It runs high-level and low-level programs, and compiled code is compared with it. So it makes no
//! choice that the language leaves open: integers wrap around at their own width, `div` and `mod`
//! truncate, floats are rounded to their own type after each operation, casts of floats to integers
//! saturate, and all reductions combine the elements from the first to the last and use the initial
//! value once.
//!
//! # Evaluation order
//!
//! Values are computed once, in the order of the program. An operation without a value (an integer
//! division by zero, a read of an element that was never written, an index out of range) is an
//! error where compiled code would execute it:
//!
//! - at once in primitives that determine how they are computed: `mapSeq` and its variants,
//!   reductions and scans;
//! - when the value is used, in expressions that are computed where they are read: arguments of
//!   functions, `let`, and elements of `map` and `generate`. An element of `map` that is never read
//!   may divide by zero;
//! - never in the branch of `select`, `&&` and `||` that is not taken.
//!
//! Reading an element of an array uses its value, also to pass it to a function of scalars.
//! Elements that are never written (`padEmpty`, `scatter`) may be part of the result, in which they
//! are marked. If `scatter` writes several elements to one index, the last one is kept; if they
//! come from a parallel map and differ, this is an error.
//!
//! # Implementation
//!
//! A program is compiled once to closures: functions are inlined, and arrays are strided views of
//! flat buffers, so that most rearrangements cost nothing. `compile` has the meaning of each
//! primitive: code that computes one value. `optimized` adds variants of that code, for example for
//! many iterations of a loop at once, unless [`Options::optimize`] is false.

mod block;
mod buffer;
mod compile;
mod error;
mod frame;
mod io;
mod kind;
mod math;
mod optimized;
mod scalar;
mod strided;
mod trace;
mod val;

use std::rc::Rc;
use std::time::Duration;

use rise::Primitive;
use rise::core::{Foreign, Form, Origin, Program};
use rise::subst::subst_prop;
use rise::types::{Address, Arg, SizeFun};
use syntax::ast::{AddressSpace, Kind};

use self::block::VarSlots;
use self::buffer::MemoryMeter;
use self::compile::{Compiler, Env};
use self::error::{BoxedError, InterpResult};
use self::frame::{CancellationToken, Frame};
use self::val::Val;
use crate::process::Cancel;
use crate::{Bindings, Value};

pub use self::error::{ErrorKind, InterpError};

/// The stack size of the thread of a run in bytes. Programs are not nested more deeply than
/// `rise::core::MAX_HEIGHT`.
const STACK_SIZE: usize = 512 << 20;

/// An implementation of calls of C functions.
pub trait ForeignCall: Sync {
    /// Calls the function, and returns its result or an error message.
    fn call(&self, function: &Foreign, args: &[Value]) -> Result<Value, String>;

    /// Calls the function `count` times, and returns the results in order, or the error message of
    /// one call. `args` contains the bytes of the arguments of each call consecutively, without
    /// padding, and the results have the same format.
    fn call_batch(&self, function: &Foreign, args: &[u8], count: usize) -> Result<Vec<u8>, String>;
}

/// The options of a run.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// The largest number of bytes of all arrays at one time.
    pub memory_limit: u64,
    /// The time limit.
    pub time_limit: Option<Duration>,
    /// The largest number of steps; each application of a function to an element is about one step.
    pub step_limit: Option<u64>,
    /// The cancellation flag.
    pub cancel: Option<&'a Cancel>,
    /// The implementation of C functions. Those of `<math.h>` are built in.
    pub foreign: Option<&'a dyn ForeignCall>,
    /// The limits for recording the values of expressions; `None` records nothing. Recording
    /// disables optimised evaluation, which does not compute all of them.
    pub trace: Option<TraceLimits>,
    /// True for optimised evaluation, which has the same results.
    pub optimize: bool,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            memory_limit: 4 << 30,
            time_limit: None,
            step_limit: None,
            cancel: None,
            foreign: None,
            trace: None,
            optimize: true,
        }
    }
}

/// The limits of a trace.
#[derive(Clone, Copy, Debug)]
pub struct TraceLimits {
    /// The largest number of values that are recorded.
    pub values: usize,
    /// The largest number of scalars of a value. Larger values are not recorded.
    pub elements: u64,
}

/// The outcome of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The result. Elements that are never written are marked.
    pub value: Value,
    /// With [`Options::trace`], the first value of each expression that is data, if it is within
    /// the limits. The values are in the order of their computation.
    pub trace: Vec<(Origin, Value)>,
}

/// Runs a program with these values of its size and type parameters, and these arguments in the
/// order of its parameters.
///
/// The program runs on a thread of its own with a large stack.
pub fn run(
    program: &Program<Primitive>,
    bindings: &Bindings,
    args: &[Value],
    options: &Options<'_>,
) -> Result<Outcome, InterpError> {
    let (value, trace) = run_traced(program, bindings, args, options);
    value.map(|value| Outcome { value, trace })
}

/// Runs a program like [`run`], and also returns the recorded values if the program fails.
pub fn run_traced(
    program: &Program<Primitive>,
    bindings: &Bindings,
    args: &[Value],
    options: &Options<'_>,
) -> (Result<Value, InterpError>, Vec<(Origin, Value)>) {
    let work = || {
        let mut run = Run::new(program, bindings, options);
        let value = run.value(args).map_err(|error| *error);
        (value, run.trace())
    };
    on_large_stack(work).unwrap_or_else(|error| (Err(*error), Vec::new()))
}

/// Runs `work` on a thread with a large stack.
fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> InterpResult<T> {
    let failed = |message: String| ErrorKind::NoThread(message).nowhere();
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(STACK_SIZE);
        let thread = builder.name("interpreter".to_owned());
        let handle = thread.spawn_scoped(scope, work);
        let handle = handle.map_err(|error| failed(error.to_string()))?;
        match handle.join() {
            Ok(result) => Ok(result),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

struct Run<'r, 'a> {
    program: &'r Program<Primitive>,
    bindings: &'r Bindings,
    meter: Rc<MemoryMeter>,
    frame: Frame<'a>,
    optimize: bool,
}

impl<'r, 'a> Run<'r, 'a> {
    fn new(
        program: &'r Program<Primitive>,
        bindings: &'r Bindings,
        options: &Options<'a>,
    ) -> Run<'r, 'a> {
        let meter = Rc::new(MemoryMeter::new(
            options.memory_limit,
            CancellationToken::new(options),
        ));
        Run {
            program,
            bindings,
            frame: Frame::new(options, meter.clone()),
            optimize: options.optimize,
            meter,
        }
    }

    fn trace(&mut self) -> Vec<(Origin, Value)> {
        let trace = self.frame.trace.take();
        trace.map(|trace| trace.values).unwrap_or_default()
    }

    fn value(&mut self, args: &[Value]) -> InterpResult<Value> {
        let mut compiler = Compiler::new(self.program, &self.frame, self.optimize);
        let mut env = Env::default();
        let mut body = &self.program.body;
        let mut inputs: Vec<(VarSlots, Val)> = Vec::new();
        loop {
            match &body.form {
                Form::DepLambda(var, kind, inner) => {
                    env = env.with_var(*var, self.parameter(*var, *kind)?);
                    body = inner;
                }
                Form::Lambda(param, inner) => {
                    let ty = env.ty(&param.ty);
                    let arg = args.get(inputs.len()).ok_or_else(|| self.count(args))?;
                    let value = self.input(&param.local.name, &ty, arg)?;
                    let bind = compiler.slots_for(&ty, false)?;
                    env = env.with_data(&param.local, bind.out());
                    inputs.push((bind, value));
                    body = inner;
                }
                _ => break,
            }
        }
        if inputs.len() != args.len() {
            return Err(self.count(args));
        }
        self.obligations(&env)?;
        let ty = env.ty(&body.ty);
        let block = compiler.block(|c, steps| c.data(body, &env, steps))?;
        self.frame.reserve(&compiler.slots());
        for (bind, value) in &inputs {
            bind.set(&mut self.frame, value)?;
        }
        drop(inputs);
        let value = block.val(&mut self.frame)?;
        let shape = io::shape(&ty, &value, &|_| None)?;
        io::to_value(&shape, &value, Some(body.origin))
    }

    /// Returns the error for a wrong number of arguments.
    fn count(&self, args: &[Value]) -> BoxedError {
        ErrorKind::ArgumentCount {
            expected: self.program.signature().values().count(),
            actual: args.len(),
        }
        .nowhere()
    }

    fn parameter(&self, var: nat::Var, kind: Kind) -> InterpResult<Arg> {
        let given = match kind {
            Kind::Nat => {
                let value = self.bindings.nats.get(&var);
                value.map(|value| Arg::Nat(nat::Nat::constant(*value)))
            }
            Kind::AddrSp => Some(Arg::Address(Address::Space(AddressSpace::Global))),
            Kind::Nat2Nat => {
                let fun = self.bindings.size_funs.get(&var);
                fun.map(|fun| Arg::SizeFun(SizeFun::Lambda(fun.clone())))
            }
            Kind::Nat2Data => self.bindings.data_funs.get(&var).cloned().map(Arg::DataFun),
            _ => self.bindings.types.get(&var).cloned().map(Arg::Type),
        };
        let name = || self.program.name_of(var).to_string();
        given.ok_or_else(|| ErrorKind::MissingParameter(name()).nowhere())
    }

    fn input(&self, name: &str, ty: &rise::Ty, arg: &Value) -> InterpResult<Val> {
        let value = io::from_value(arg.shape(), arg, &self.meter)?;
        let expected = io::shape(ty, &value, &|_| None);
        let wrong = |expected: String| {
            ErrorKind::ArgumentShape {
                name: name.to_owned(),
                expected,
                actual: arg.shape().to_string(),
            }
            .nowhere()
        };
        match expected {
            Ok(expected) if expected == *arg.shape() => Ok(value),
            Ok(expected) => Err(wrong(expected.to_string())),
            // If a size has no value, that is the error; otherwise the shape of the argument is.
            Err(error) => match error.kind {
                ErrorKind::NoLayout => Err(wrong(self.type_text(ty))),
                _ => Err(error),
            },
        }
    }

    fn type_text(&self, ty: &rise::Ty) -> String {
        let names = rise::Names(self.program.names.clone().into());
        rise::print::type_text(ty, &names).to_string()
    }

    fn obligations(&self, env: &Env) -> InterpResult<()> {
        let names = |var| self.program.name_of(var);
        for prop in &self.program.obligations {
            let known = subst_prop(prop, &|var| env.var(var));
            if known.eval(&|_| None, &|_, _| None) == Some(false) {
                let text = prop.display(&names).to_string();
                return Err(ErrorKind::Obligation(text).nowhere());
            }
        }
        Ok(())
    }
}
