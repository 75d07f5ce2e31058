//! Compiled blocks: the steps that run first, and the code of the result.

use std::rc::Rc;

use rise::core::Origin;

use super::error::{ErrorKind, InterpError, Res, Stop};
use super::frame::Frame;
use super::kind::Kind;
use super::lanes;
use super::many::{self, Many, ManyCode};
use super::scalar::{Scalar, WordCode};
use super::stream::{self, StreamCode};
use super::val::{Target, Val};

pub(crate) type ValCode = Rc<dyn for<'a> Fn(&mut Frame<'a>) -> Res<Val>>;

/// Code that computes a value for one iteration, with optional variants that compute it for many
/// iterations at once, or compute an array part by part.
#[derive(Clone)]
pub(crate) struct Code {
    pub one: ValCode,
    pub many: Option<ManyCode>,
    pub stream: Option<StreamCode>,
}

impl Code {
    /// Creates code for one iteration at a time.
    pub fn one(code: impl for<'a> Fn(&mut Frame<'a>) -> Res<Val> + 'static) -> Code {
        Code {
            one: Rc::new(code),
            many: None,
            stream: None,
        }
    }

    /// Adds code for many iterations.
    pub fn with(mut self, many: Option<ManyCode>) -> Code {
        self.many = many;
        self
    }

    /// Adds code that computes the array part by part.
    pub fn streamed(mut self, stream: Option<StreamCode>) -> Code {
        self.stream = stream;
        self
    }
}

/// The slots of a variable, one for each part of its value.
#[derive(Clone, Debug)]
pub(crate) enum Bind {
    /// A scalar; the flag is true if its computation may have failed.
    Word(Kind, usize, bool),
    Val(usize),
    Pair(Box<Bind>, Box<Bind>),
}

/// The compiled form of an expression.
#[derive(Clone)]
pub(crate) enum Out {
    Word(Kind, Scalar),
    /// A variable that is not a scalar.
    Slot(usize),
    /// The element at these indices of the array in a slot.
    Elem(usize, Vec<Scalar>, Origin),
    Val(Code),
    Pair(Box<Out>, Box<Out>),
}

/// A computation before the result of a block. An error is stored, and raised when the value is
/// used.
#[derive(Clone)]
pub(crate) enum Step {
    Word {
        kind: Kind,
        slot: usize,
        value: Scalar,
        code: WordCode,
    },
    Bind(Bind, Code),
}

#[derive(Clone)]
pub(crate) struct Block {
    pub steps: Vec<Step>,
    pub exec: Exec,
}

/// The code of the result of a block.
#[derive(Clone)]
pub(crate) enum Exec {
    Word(Kind, Scalar, WordCode),
    Val(Code),
    Pair(Box<Exec>, Box<Exec>),
}

fn broken() -> Stop {
    ErrorKind::Malformed("a value of another kind than its type says").nowhere()
}

impl Bind {
    /// Returns the variable as an expression.
    pub fn out(&self) -> Out {
        match self {
            Bind::Word(kind, slot, guarded) => Out::Word(*kind, Scalar::Slot(*slot, *guarded)),
            Bind::Val(slot) => Out::Slot(*slot),
            Bind::Pair(a, b) => Out::Pair(Box::new(a.out()), Box::new(b.out())),
        }
    }

    pub fn set(&self, frame: &mut Frame<'_>, value: &Val) -> Res<()> {
        match (self, value) {
            (Bind::Word(_, slot, guarded), Val::Word(_, word)) => {
                frame.words[*slot] = *word;
                if *guarded {
                    frame.failed[*slot] = None;
                }
            }
            (Bind::Val(slot), value) => frame.vals[*slot] = value.clone(),
            (Bind::Pair(a, b), Val::Pair(pair)) => {
                a.set(frame, &pair.0)?;
                b.set(frame, &pair.1)?;
            }
            _ => return Err(broken()),
        }
        Ok(())
    }

    /// Sets the variable to the element at `index` of an array.
    pub fn set_element(
        &self,
        frame: &mut Frame<'_>,
        array: &Val,
        index: usize,
        origin: Origin,
    ) -> Res<()> {
        match (self, array) {
            (Bind::Word(_, slot, _), Val::Col(col)) => {
                frame.words[*slot] = col.word(index, origin)?;
            }
            (Bind::Pair(a, b), Val::Pair(pair)) => {
                a.set_element(frame, &pair.0, index, origin)?;
                b.set_element(frame, &pair.1, index, origin)?;
            }
            (Bind::Val(slot), array) => frame.vals[*slot] = array.element(index, origin)?,
            _ => {
                let element = array.element(index, origin)?;
                self.set(frame, &element)?;
            }
        }
        Ok(())
    }

    /// Stores that the computation of the value has failed.
    fn fail(&self, frame: &mut Frame<'_>, error: &Rc<InterpError>) {
        match self {
            Bind::Word(_, slot, _) => frame.failed[*slot] = Some(error.clone()),
            Bind::Val(slot) => frame.vals[*slot] = Val::Failed(error.clone()),
            Bind::Pair(a, b) => {
                a.fail(frame, error);
                b.fail(frame, error);
            }
        }
    }
}

impl Step {
    pub fn run(&self, frame: &mut Frame<'_>) -> Res<()> {
        match self {
            Step::Word { slot, code, .. } => match code(frame) {
                Ok(word) => {
                    frame.words[*slot] = word;
                    frame.failed[*slot] = None;
                }
                Err(error) if error.kind.is_local() => frame.failed[*slot] = Some(Rc::from(error)),
                Err(error) => return Err(error),
            },
            Step::Bind(bind, code) => match (code.one)(frame) {
                Ok(value) => bind.set(frame, &value)?,
                Err(error) if error.kind.is_local() => bind.fail(frame, &Rc::from(error)),
                Err(error) => return Err(error),
            },
        }
        Ok(())
    }

    pub fn mentions(&self, slot: usize) -> bool {
        match self {
            Step::Word { value, .. } => value.mentions(slot),
            Step::Bind(..) => true,
        }
    }
}

impl Out {
    /// Returns code that computes the value.
    pub fn code(&self) -> Code {
        let many = many::of_exec;
        match self {
            Out::Word(kind, scalar) => {
                let (kind, code) = (*kind, scalar.code());
                Code::one(move |frame| Ok(Val::Word(kind, code(frame)?))).with(many(&self.exec()))
            }
            Out::Slot(slot) => {
                let slot = *slot;
                let one = Code::one(move |frame| match &frame.vals[slot] {
                    Val::Failed(error) => Err(Box::new((**error).clone())),
                    value => Ok(value.clone()),
                });
                one.with(Some(Rc::new(move |frame| many::val(frame, slot))))
            }
            Out::Elem(slot, indices, origin) => {
                let one = element_code(*slot, indices, *origin);
                one.with(element_many(*slot, indices))
            }
            Out::Val(code) => code.clone(),
            Out::Pair(a, b) => {
                let (a, b) = (a.code(), b.code());
                let stream = stream::zipped(&a, &b);
                let many = a.many.zip(b.many).map(|(a, b)| -> ManyCode {
                    Rc::new(move |frame| {
                        let first = a(frame)?;
                        Some(Many::pair(first, b(frame)?))
                    })
                });
                let (a, b) = (a.one, b.one);
                let one = Code::one(move |frame| {
                    let first = a(frame)?;
                    Ok(Val::pair(first, b(frame)?))
                });
                one.with(many).streamed(stream)
            }
        }
    }

    /// Converts the expression to the result of a block.
    pub fn exec(&self) -> Exec {
        match self {
            Out::Word(kind, scalar) => Exec::Word(*kind, scalar.clone(), scalar.code()),
            Out::Pair(a, b) => Exec::Pair(Box::new(a.exec()), Box::new(b.exec())),
            other => Exec::Val(other.code()),
        }
    }
}

fn element_many(slot: usize, indices: &[Scalar]) -> Option<ManyCode> {
    let indices: Option<Vec<_>> = indices.iter().map(lanes::code).collect();
    let indices = indices?;
    Some(Rc::new(move |frame| {
        let all: Option<Vec<_>> = indices.iter().map(|code| code(frame)).collect();
        many::elem(frame, slot, &all?)
    }))
}

fn element_code(slot: usize, indices: &[Scalar], origin: Origin) -> Code {
    let indices: Vec<WordCode> = indices.iter().map(Scalar::code).collect();
    Code::one(move |frame| {
        let mut value = match &frame.vals[slot] {
            Val::Failed(error) => return Err(Box::new((**error).clone())),
            value => value.clone(),
        };
        for code in &indices {
            let index = code(frame)?;
            let index = super::scalar::checked_index(index, value.len()?, origin)?;
            value = value.element(index, origin)?;
        }
        Ok(value)
    })
}

impl Exec {
    pub fn val(&self, frame: &mut Frame<'_>) -> Res<Val> {
        match self {
            Exec::Word(kind, _, code) => Ok(Val::Word(*kind, code(frame)?)),
            Exec::Val(code) => (code.one)(frame),
            Exec::Pair(a, b) => {
                let first = a.val(frame)?;
                Ok(Val::pair(first, b.val(frame)?))
            }
        }
    }

    fn put(&self, frame: &mut Frame<'_>, target: &mut Target, n: usize, at: usize) -> Res<()> {
        match self {
            Exec::Word(kind, _, code) => {
                let word = code(frame)?;
                target.put_word(n, at, *kind, word, &frame.meter)
            }
            Exec::Val(code) => {
                let value = (code.one)(frame)?;
                target.put(n, at, &value, &frame.meter)
            }
            Exec::Pair(a, b) => {
                let (first, second) = target.halves()?;
                a.put(frame, first, n, at)?;
                b.put(frame, second, n, at)
            }
        }
    }
}

impl Block {
    #[inline]
    fn prepare(&self, frame: &mut Frame<'_>) -> Res<()> {
        for step in &self.steps {
            step.run(frame)?;
        }
        Ok(())
    }

    pub fn val(&self, frame: &mut Frame<'_>) -> Res<Val> {
        self.prepare(frame)?;
        self.exec.val(frame)
    }

    /// Writes the value to the result as the element at `at` of `n`.
    pub fn put(&self, frame: &mut Frame<'_>, target: &mut Target, n: usize, at: usize) -> Res<()> {
        self.prepare(frame)?;
        self.exec.put(frame, target, n, at)
    }

    /// Runs the block, and sets a variable to its value.
    pub fn bind(&self, frame: &mut Frame<'_>, bind: &Bind) -> Res<()> {
        match (bind, &self.exec) {
            (Bind::Word(_, slot, _), Exec::Word(_, _, code)) => {
                self.prepare(frame)?;
                frame.words[*slot] = code(frame)?;
                Ok(())
            }
            _ => {
                let value = self.val(frame)?;
                bind.set(frame, &value)
            }
        }
    }
}
