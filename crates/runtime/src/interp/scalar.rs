//! Scalar expressions, and their compilation to closures.

use std::rc::Rc;

use rise::core::Origin;

use super::block::Step;
use super::error::{ErrorKind, InterpResult};
use super::frame::{Frame, NatCode};
use super::kind::{
    Arith, Compare, Elem, Kind, Num, Unary, Word, greater, lesser, reads, with_kind, with_number,
    writes,
};
use super::math::Math;
use super::optimized::Variants;
use super::strided::StridedArray;
use super::val::Val;

/// Code that computes a scalar.
pub(crate) type WordCode = Rc<dyn for<'a> Fn(&mut Frame<'a>) -> InterpResult<Word>>;

#[derive(Clone)]
pub(crate) enum Scalar {
    Const(Word),
    /// A variable; the flag is true if its computation may have failed.
    Slot(usize, bool),
    Nat(NatCode, Origin),
    Unary(Unary, Kind, Box<Scalar>),
    Not(Box<Scalar>),
    Arith(Arith, Kind, Box<Scalar>, Box<Scalar>, Origin),
    Compare(Compare, Kind, Box<Scalar>, Box<Scalar>),
    /// The second operand if the first one is true, else the third.
    Select(Kind, Box<Scalar>, Box<Branch>, Box<Branch>),
    Cast(Kind, Kind, Box<Scalar>),
    /// A number that is checked to be an index below a bound.
    Index(Box<Scalar>, NatCode, Origin),
    /// The element at these indices of the array in a slot.
    Load(usize, Vec<Scalar>, Origin),
    /// A call of a function of `<math.h>`.
    Math(Math, Kind, Vec<Scalar>),
    /// Another computation.
    Opaque(WordCode, Variants),
}

/// An expression that is only evaluated if it is used, with the steps before it.
#[derive(Clone)]
pub(crate) struct Branch {
    pub steps: Vec<Step>,
    pub value: Scalar,
}

impl Branch {
    pub fn constant(word: Word) -> Branch {
        Branch {
            steps: Vec::new(),
            value: Scalar::Const(word),
        }
    }

    fn code(&self) -> WordCode {
        let value = self.value.code();
        if self.steps.is_empty() {
            return value;
        }
        let steps = self.steps.clone();
        Rc::new(move |frame| {
            for step in &steps {
                step.run(frame)?;
            }
            value(frame)
        })
    }
}

impl Scalar {
    /// Returns true if evaluating the expression several times costs no more than reading a
    /// variable.
    pub fn is_trivial(&self) -> bool {
        matches!(
            self,
            Scalar::Const(_) | Scalar::Slot(..) | Scalar::Nat(NatCode::Const(_), _)
        )
    }

    /// Returns true if the evaluation may fail.
    pub fn may_fail(&self) -> bool {
        match self {
            Scalar::Const(_) | Scalar::Nat(NatCode::Const(_), _) => false,
            Scalar::Slot(_, guarded) => *guarded,
            Scalar::Unary(_, _, a) | Scalar::Not(a) | Scalar::Cast(_, _, a) => a.may_fail(),
            Scalar::Arith(op, kind, a, b, _) => {
                let divides = matches!(op, Arith::Div | Arith::Mod) && !kind.is_float();
                divides || a.may_fail() || b.may_fail()
            }
            Scalar::Compare(_, _, a, b) => a.may_fail() || b.may_fail(),
            Scalar::Select(_, c, a, b) => {
                let branch = |b: &Branch| !b.steps.is_empty() || b.value.may_fail();
                c.may_fail() || branch(a) || branch(b)
            }
            Scalar::Math(_, _, args) => args.iter().any(Scalar::may_fail),
            Scalar::Nat(..) | Scalar::Index(..) | Scalar::Load(..) | Scalar::Opaque(..) => true,
        }
    }

    /// Returns true if the expression reads the scalar variable in `slot`, or may do so.
    pub fn mentions(&self, slot: usize) -> bool {
        match self {
            Scalar::Const(_) | Scalar::Nat(..) => false,
            Scalar::Slot(other, _) => *other == slot,
            Scalar::Unary(_, _, a)
            | Scalar::Not(a)
            | Scalar::Cast(_, _, a)
            | Scalar::Index(a, _, _) => a.mentions(slot),
            Scalar::Arith(_, _, a, b, _) | Scalar::Compare(_, _, a, b) => {
                a.mentions(slot) || b.mentions(slot)
            }
            Scalar::Select(_, c, a, b) => {
                let branch = |b: &Branch| {
                    b.value.mentions(slot) || b.steps.iter().any(|step| step.mentions(slot))
                };
                c.mentions(slot) || branch(a) || branch(b)
            }
            Scalar::Load(_, args, _) | Scalar::Math(_, _, args) => {
                args.iter().any(|arg| arg.mentions(slot))
            }
            Scalar::Opaque(..) => true,
        }
    }

    /// Compiles the expression to a closure.
    pub fn code(&self) -> WordCode {
        match self {
            Scalar::Const(word) => {
                let word = *word;
                Rc::new(move |_| Ok(word))
            }
            Scalar::Slot(slot, guarded) => slot_code(*slot, *guarded),
            Scalar::Nat(nat, origin) => {
                let (nat, origin) = (nat.clone(), *origin);
                Rc::new(move |frame| Ok((nat.eval(frame, origin)? as i32).word()))
            }
            Scalar::Unary(op, kind, a) => {
                let (op, a) = (*op, a.code());
                with_number!(*kind, T => Rc::new(move |frame| {
                    Ok(op.on(T::of(a(frame)?)).word())
                }), bool => a)
            }
            Scalar::Not(a) => {
                let a = a.code();
                Rc::new(move |frame| Ok(a(frame)? ^ 1))
            }
            Scalar::Arith(op, kind, a, b, origin) => {
                with_number!(*kind, T => arith::<T>(*op, a, b, *origin), bool => a.code())
            }
            Scalar::Compare(op, kind, a, b) => {
                let (a, b) = (a.code(), b.code());
                with_kind!(*kind, T => compare::<T>(*op, a, b))
            }
            Scalar::Select(_, c, a, b) => {
                let (c, a, b) = (c.code(), a.code(), b.code());
                Rc::new(move |frame| if c(frame)? != 0 { a(frame) } else { b(frame) })
            }
            Scalar::Cast(from, to, a) => {
                let (read, write, a) = (reads(*from), writes(*to), a.code());
                Rc::new(move |frame| Ok(write(read(a(frame)?))))
            }
            Scalar::Index(a, bound, origin) => index_code(a.code(), bound.clone(), *origin),
            Scalar::Load(slot, args, origin) => load_code(*slot, args, *origin),
            Scalar::Math(math, kind, args) => math_code(*math, *kind, args),
            Scalar::Opaque(code, _) => code.clone(),
        }
    }
}

fn slot_code(slot: usize, guarded: bool) -> WordCode {
    if guarded {
        return Rc::new(move |frame| match frame.failure(slot) {
            Some(error) => Err(error),
            None => Ok(frame.words[slot]),
        });
    }
    Rc::new(move |frame| Ok(frame.words[slot]))
}

fn arith<T: Num>(op: Arith, a: &Scalar, b: &Scalar, origin: Origin) -> WordCode {
    fn total<T: Num>(a: &Scalar, b: &Scalar, f: impl Fn(T, T) -> T + 'static) -> WordCode {
        // Variables are read in place, which avoids most of the calls.
        match (a, b) {
            (Scalar::Slot(a, false), Scalar::Slot(b, false)) => {
                let (a, b) = (*a, *b);
                Rc::new(move |frame| Ok(f(T::of(frame.words[a]), T::of(frame.words[b])).word()))
            }
            (a, b) => {
                let (a, b) = (a.code(), b.code());
                Rc::new(move |frame| Ok(f(T::of(a(frame)?), T::of(b(frame)?)).word()))
            }
        }
    }
    match op {
        Arith::Add => total::<T>(a, b, |a, b| a.add(b)),
        Arith::Sub => total::<T>(a, b, |a, b| a.sub(b)),
        Arith::Mul => total::<T>(a, b, |a, b| a.mul(b)),
        Arith::Min => total::<T>(a, b, lesser),
        Arith::Max => total::<T>(a, b, greater),
        Arith::Div | Arith::Mod => {
            let (a, b) = (a.code(), b.code());
            Rc::new(move |frame| {
                let (a, b) = (T::of(a(frame)?), T::of(b(frame)?));
                match op.on(a, b) {
                    Some(value) => Ok(value.word()),
                    None => Err(ErrorKind::DivisionByZero.at(origin)),
                }
            })
        }
    }
}

fn compare<T: Elem>(op: Compare, a: WordCode, b: WordCode) -> WordCode {
    Rc::new(move |frame| {
        let (a, b) = (T::of(a(frame)?), T::of(b(frame)?));
        Ok(Word::from(op.on(a, b)))
    })
}

fn index_code(a: WordCode, bound: NatCode, origin: Origin) -> WordCode {
    Rc::new(move |frame| {
        let word = a(frame)?;
        let index = i64::from(i32::of(word));
        let bound = bound.eval(frame, origin)?;
        if index < 0 || index >= bound {
            return Err(ErrorKind::OutOfRange { index, bound }.at(origin));
        }
        Ok(word)
    })
}

/// Converts an index, and checks that it is at least 0 and less than `len`.
#[inline]
pub(crate) fn checked_index(word: Word, len: usize, origin: Origin) -> InterpResult<usize> {
    let index = i32::of(word);
    match usize::try_from(index) {
        Ok(at) if at < len => Ok(at),
        _ => Err(ErrorKind::OutOfRange {
            index: i64::from(index),
            bound: len as i64,
        }
        .at(origin)),
    }
}

fn load_code(slot: usize, args: &[Scalar], origin: Origin) -> WordCode {
    fn read(
        frame: &Frame<'_>,
        slot: usize,
        indices: &[Word],
        origin: Origin,
    ) -> InterpResult<Word> {
        let col = slot_col(frame, slot, origin)?;
        let mut offset = col.offset;
        for (dim, word) in col.dims.iter().zip(indices) {
            offset += checked_index(*word, dim.len, origin)? * dim.stride;
        }
        col.word_at(offset, origin)
    }
    match args {
        [index] => {
            let index = index.code();
            Rc::new(move |frame| {
                let index = index(frame)?;
                read(frame, slot, &[index], origin)
            })
        }
        [outer, inner] => {
            let (outer, inner) = (outer.code(), inner.code());
            Rc::new(move |frame| {
                let indices = [outer(frame)?, inner(frame)?];
                read(frame, slot, &indices, origin)
            })
        }
        all => {
            let all: Vec<WordCode> = all.iter().map(Scalar::code).collect();
            Rc::new(move |frame| {
                let indices: InterpResult<Vec<Word>> = all.iter().map(|code| code(frame)).collect();
                read(frame, slot, &indices?, origin)
            })
        }
    }
}

/// Returns the array in a slot, or the error of its computation.
pub(crate) fn slot_col<'f>(
    frame: &'f Frame<'_>,
    slot: usize,
    origin: Origin,
) -> InterpResult<&'f StridedArray> {
    match &frame.vals[slot] {
        Val::Array(col) => Ok(col),
        Val::Failed(error) => Err(Box::new((**error).clone())),
        _ => Err(ErrorKind::Malformed("expected an array, found another value").at(origin)),
    }
}

fn math_code(math: Math, kind: Kind, args: &[Scalar]) -> WordCode {
    let args: Vec<WordCode> = args.iter().map(Scalar::code).collect();
    match args.as_slice() {
        [a] => {
            let a = a.clone();
            Rc::new(move |frame| Ok(math.call(kind, [a(frame)?, 0, 0])))
        }
        [a, b] => {
            let (a, b) = (a.clone(), b.clone());
            Rc::new(move |frame| Ok(math.call(kind, [a(frame)?, b(frame)?, 0])))
        }
        _ => Rc::new(move |frame| {
            let mut all = [0; 3];
            for (place, arg) in all.iter_mut().zip(&args) {
                *place = arg(frame)?;
            }
            Ok(math.call(kind, all))
        }),
    }
}
