//! Compiled blocks: the steps that run first, and the code of the result. Also the slots of
//! variables, and operands.

use std::rc::Rc;

use rise::core::Origin;

use super::error::{BoxedError, ErrorKind, InterpError, InterpResult};
use super::frame::Frame;
use super::kind::Kind;
use super::optimized::{self, Variants};
use super::scalar::{Scalar, WordCode};
use super::val::{Target, Val};

pub(crate) type ValCode = Rc<dyn for<'a> Fn(&mut Frame<'a>) -> InterpResult<Val>>;

/// Code that computes a value, with optimised variants.
#[derive(Clone)]
pub(crate) struct Code {
    pub one: ValCode,
    pub variants: Variants,
}

impl Code {
    /// Creates code without variants.
    pub fn one(code: impl for<'a> Fn(&mut Frame<'a>) -> InterpResult<Val> + 'static) -> Code {
        Code {
            one: Rc::new(code),
            variants: Variants::default(),
        }
    }

    /// Sets the optimised variants.
    pub fn with(mut self, variants: Variants) -> Code {
        self.variants = variants;
        self
    }
}

/// The slots of a variable, one for each part of its value.
#[derive(Clone, Debug)]
pub(crate) enum VarSlots {
    /// A scalar; the flag is true if its computation may have failed.
    Word(Kind, usize, bool),
    Val(usize),
    Pair(Box<VarSlots>, Box<VarSlots>),
}

/// The compiled form of an expression.
#[derive(Clone)]
pub(crate) enum Operand {
    Word(Kind, Scalar),
    /// A variable that is not a scalar.
    Slot(usize),
    /// The element at these indices of the array in a slot.
    Elem(usize, Vec<Scalar>, Origin),
    Val(Code),
    Pair(Box<Operand>, Box<Operand>),
}

/// A computation before the result of a block. An error that only concerns the computed value (see
/// [`ErrorKind::is_local`]) is stored, and raised when the value is used; other errors are raised
/// at once.
#[derive(Clone)]
pub(crate) enum Step {
    Word {
        kind: Kind,
        slot: usize,
        value: Scalar,
        code: WordCode,
    },
    Bind(VarSlots, Code),
}

#[derive(Clone)]
pub(crate) struct Block {
    pub steps: Vec<Step>,
    pub exec: BlockResult,
}

/// The code of the result of a block.
#[derive(Clone)]
pub(crate) enum BlockResult {
    Word(Kind, Scalar, WordCode),
    Val(Code),
    Pair(Box<BlockResult>, Box<BlockResult>),
}

fn broken() -> BoxedError {
    ErrorKind::Malformed("a value does not have the kind of its type").nowhere()
}

impl VarSlots {
    /// Returns the variable as an expression.
    pub fn out(&self) -> Operand {
        match self {
            VarSlots::Word(kind, slot, guarded) => {
                Operand::Word(*kind, Scalar::Slot(*slot, *guarded))
            }
            VarSlots::Val(slot) => Operand::Slot(*slot),
            VarSlots::Pair(a, b) => Operand::Pair(Box::new(a.out()), Box::new(b.out())),
        }
    }

    pub fn set(&self, frame: &mut Frame<'_>, value: &Val) -> InterpResult<()> {
        match (self, value) {
            (VarSlots::Word(_, slot, guarded), Val::Word(_, word)) => {
                frame.words[*slot] = *word;
                if *guarded {
                    frame.failed[*slot] = None;
                }
            }
            (VarSlots::Val(slot), value) => frame.vals[*slot] = value.clone(),
            (VarSlots::Pair(a, b), Val::Pair(pair)) => {
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
    ) -> InterpResult<()> {
        match (self, array) {
            (VarSlots::Word(_, slot, _), Val::Array(col)) => {
                frame.words[*slot] = col.word(index, origin)?;
            }
            (VarSlots::Pair(a, b), Val::Pair(pair)) => {
                a.set_element(frame, &pair.0, index, origin)?;
                b.set_element(frame, &pair.1, index, origin)?;
            }
            (VarSlots::Val(slot), array) => frame.vals[*slot] = array.element(index, origin)?,
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
            VarSlots::Word(_, slot, _) => frame.failed[*slot] = Some(error.clone()),
            VarSlots::Val(slot) => frame.vals[*slot] = Val::Failed(error.clone()),
            VarSlots::Pair(a, b) => {
                a.fail(frame, error);
                b.fail(frame, error);
            }
        }
    }
}

impl Step {
    pub fn run(&self, frame: &mut Frame<'_>) -> InterpResult<()> {
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

impl Operand {
    /// Returns code that computes the value.
    pub fn code(&self) -> Code {
        match self {
            Operand::Word(kind, scalar) => {
                let (kind, code) = (*kind, scalar.code());
                Code::one(move |frame| Ok(Val::Word(kind, code(frame)?)))
                    .with(optimized::scalar(kind, scalar))
            }
            Operand::Slot(slot) => {
                let slot = *slot;
                Code::one(move |frame| slot_value(frame, slot)).with(optimized::variable(slot))
            }
            Operand::Elem(slot, indices, origin) => {
                element_code(*slot, indices, *origin).with(optimized::element(*slot, indices))
            }
            Operand::Val(code) => code.clone(),
            Operand::Pair(a, b) => {
                let (a, b) = (a.code(), b.code());
                let variants = optimized::pair(&a, &b);
                let (a, b) = (a.one, b.one);
                let one = Code::one(move |frame| {
                    let first = a(frame)?;
                    Ok(Val::pair(first, b(frame)?))
                });
                one.with(variants)
            }
        }
    }

    /// Converts the expression to the result of a block.
    pub fn exec(&self) -> BlockResult {
        match self {
            Operand::Word(kind, scalar) => BlockResult::Word(*kind, scalar.clone(), scalar.code()),
            Operand::Pair(a, b) => BlockResult::Pair(Box::new(a.exec()), Box::new(b.exec())),
            other => BlockResult::Val(other.code()),
        }
    }
}

/// Returns the value in a slot of a variable that is not a scalar, or the error in the computation
/// of the value.
fn slot_value(frame: &Frame<'_>, slot: usize) -> InterpResult<Val> {
    match &frame.vals[slot] {
        Val::Failed(error) => Err(Box::new((**error).clone())),
        value => Ok(value.clone()),
    }
}

fn element_code(slot: usize, indices: &[Scalar], origin: Origin) -> Code {
    let indices: Vec<WordCode> = indices.iter().map(Scalar::code).collect();
    Code::one(move |frame| {
        let mut value = slot_value(frame, slot)?;
        for code in &indices {
            let index = code(frame)?;
            let index = super::scalar::checked_index(index, value.len()?, origin)?;
            value = value.element(index, origin)?;
        }
        Ok(value)
    })
}

impl BlockResult {
    pub fn val(&self, frame: &mut Frame<'_>) -> InterpResult<Val> {
        match self {
            BlockResult::Word(kind, _, code) => Ok(Val::Word(*kind, code(frame)?)),
            BlockResult::Val(code) => (code.one)(frame),
            BlockResult::Pair(a, b) => {
                let first = a.val(frame)?;
                Ok(Val::pair(first, b.val(frame)?))
            }
        }
    }

    fn put(
        &self,
        frame: &mut Frame<'_>,
        target: &mut Target,
        n: usize,
        at: usize,
    ) -> InterpResult<()> {
        match self {
            BlockResult::Word(kind, _, code) => {
                let word = code(frame)?;
                target.put_word(n, at, *kind, word, &frame.meter)
            }
            BlockResult::Val(code) => {
                let value = (code.one)(frame)?;
                target.put(n, at, &value, &frame.meter)
            }
            BlockResult::Pair(a, b) => {
                let (first, second) = target.halves()?;
                a.put(frame, first, n, at)?;
                b.put(frame, second, n, at)
            }
        }
    }
}

impl Block {
    #[inline]
    fn prepare(&self, frame: &mut Frame<'_>) -> InterpResult<()> {
        for step in &self.steps {
            step.run(frame)?;
        }
        Ok(())
    }

    pub fn val(&self, frame: &mut Frame<'_>) -> InterpResult<Val> {
        self.prepare(frame)?;
        self.exec.val(frame)
    }

    /// Runs the block, and writes its value to `target` as the element at index `at` of `n`.
    pub fn put(
        &self,
        frame: &mut Frame<'_>,
        target: &mut Target,
        n: usize,
        at: usize,
    ) -> InterpResult<()> {
        self.prepare(frame)?;
        self.exec.put(frame, target, n, at)
    }

    /// Runs the block, and sets a variable to its value.
    pub fn bind(&self, frame: &mut Frame<'_>, bind: &VarSlots) -> InterpResult<()> {
        match (bind, &self.exec) {
            (VarSlots::Word(_, slot, _), BlockResult::Word(_, _, code)) => {
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
