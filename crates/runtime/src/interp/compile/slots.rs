//! Allocates slots for variables, and compiles sizes and the layouts of arrays.

use std::sync::Arc;

use nat::{Nat, Var};
use rise::DataFun;
use rise::core::Origin;
use rise::types::{Arg, Ty, Type};

use super::super::block::{Operand, Step, VarSlots};
use super::super::buffer::ElementRepr;
use super::super::error::{BoxedError, ErrorKind, InterpResult};
use super::super::frame::{Frame, NatCode};
use super::super::kind::Kind;
use super::super::scalar::Scalar;
use super::super::val::Layout;
use super::Compiler;

/// Code that computes the layout of arrays with elements of a type, whose sizes may only be known
/// at run time.
pub(crate) enum LayoutCode {
    Leaf(ElementRepr, Vec<NatCode>),
    Pair(Box<LayoutCode>, Box<LayoutCode>),
}

impl LayoutCode {
    pub fn eval(&self, frame: &Frame<'_>, origin: Origin) -> InterpResult<Layout> {
        Ok(match self {
            LayoutCode::Leaf(cells, lens) => {
                let lens: InterpResult<_> = lens.iter().map(|len| len.len(frame, origin)).collect();
                Layout::Leaf(*cells, lens?)
            }
            LayoutCode::Pair(a, b) => Layout::Pair(
                Box::new(a.eval(frame, origin)?),
                Box::new(b.eval(frame, origin)?),
            ),
        })
    }
}

impl Compiler {
    pub fn word_slot(&mut self) -> usize {
        self.words += 1;
        self.words - 1
    }

    pub fn val_slot(&mut self) -> usize {
        self.vals += 1;
        self.vals - 1
    }

    /// Allocates a slot for a size that is only known at run time, and returns it with the variable
    /// that stands for the size.
    pub fn nat_slot(&mut self) -> (usize, Var) {
        let slot = self.nats;
        self.nats += 1;
        (slot, Var(self.first_nat + slot as u32))
    }

    /// Allocates the slots of a value of this type. `guarded` is true if the computation of its
    /// scalars may fail.
    pub fn slots_for(&mut self, ty: &Ty, guarded: bool) -> InterpResult<VarSlots> {
        Ok(match &**ty {
            Type::Scalar(scalar) => VarSlots::Word(Kind::of(*scalar), self.word_slot(), guarded),
            Type::Index(_) => VarSlots::Word(Kind::I32, self.word_slot(), guarded),
            Type::Pair(a, b) => VarSlots::Pair(
                Box::new(self.slots_for(a, guarded)?),
                Box::new(self.slots_for(b, guarded)?),
            ),
            Type::Array(_, element) => self.columns_for(element)?,
            Type::Vector(..) | Type::DepArray(..) | Type::DepPair(_) => {
                VarSlots::Val(self.val_slot())
            }
            _ => return Err(self.no_data(ty)),
        })
    }

    /// Allocates the slots of an array: one for each component of its elements that is a scalar, a
    /// vector, a dependent array or a dependent pair.
    fn columns_for(&mut self, element: &Ty) -> InterpResult<VarSlots> {
        Ok(match &**element {
            Type::Pair(a, b) => VarSlots::Pair(
                Box::new(self.columns_for(a)?),
                Box::new(self.columns_for(b)?),
            ),
            Type::Array(_, inner) => self.columns_for(inner)?,
            _ => VarSlots::Val(self.val_slot()),
        })
    }

    /// Makes an expression trivial: adds a step that computes it once, unless it is trivial
    /// already.
    pub fn bound(&mut self, out: Operand, ty: &Ty, steps: &mut Vec<Step>) -> InterpResult<Operand> {
        match out {
            Operand::Word(kind, scalar) => {
                if scalar.is_trivial() {
                    return Ok(Operand::Word(kind, scalar));
                }
                let (slot, guarded) = (self.word_slot(), scalar.may_fail());
                steps.push(Step::Word {
                    kind,
                    slot,
                    code: scalar.code(),
                    value: scalar,
                });
                Ok(Operand::Word(kind, Scalar::Slot(slot, guarded)))
            }
            Operand::Slot(slot) => Ok(Operand::Slot(slot)),
            Operand::Pair(a, b) => {
                let (first, second) = halves(ty).ok_or_else(|| self.no_data(ty))?;
                Ok(Operand::Pair(
                    Box::new(self.bound(*a, &first, steps)?),
                    Box::new(self.bound(*b, &second, steps)?),
                ))
            }
            Operand::Elem(..) | Operand::Val(_) => {
                let bind = self.slots_for(ty, true)?;
                steps.push(Step::Bind(bind.clone(), out.code()));
                Ok(bind.out())
            }
        }
    }

    /// Compiles a size.
    pub fn nat(&self, nat: &Nat) -> NatCode {
        if let Some(value) = nat.as_const().or_else(|| nat.eval(&|_| None, &|_, _| None)) {
            return NatCode::Const(value);
        }
        NatCode::Open {
            nat: nat.clone(),
            first: self.first_nat,
            text: rise::print::nat_text(nat, &self.names).to_string().into(),
        }
    }

    /// Returns the layout of arrays with elements of this type.
    pub(super) fn layout(&self, ty: &Ty) -> InterpResult<LayoutCode> {
        self.layout_under(ty, &mut Vec::new())
    }

    fn layout_under(&self, ty: &Ty, lens: &mut Vec<NatCode>) -> InterpResult<LayoutCode> {
        let leaf = |cells, lens: &Vec<NatCode>| Ok(LayoutCode::Leaf(cells, lens.clone()));
        match &**ty {
            Type::Scalar(scalar) => leaf(ElementRepr::Scalar(Kind::of(*scalar)), lens),
            Type::Index(_) => leaf(ElementRepr::Scalar(Kind::I32), lens),
            Type::DepArray(..) | Type::DepPair(_) => leaf(ElementRepr::Boxed, lens),
            Type::Array(n, inner) | Type::Vector(n, inner) => {
                lens.push(self.nat(n));
                let layout = self.layout_under(inner, lens);
                lens.pop();
                layout
            }
            Type::Pair(a, b) => Ok(LayoutCode::Pair(
                Box::new(self.layout_under(a, lens)?),
                Box::new(self.layout_under(b, lens)?),
            )),
            _ => Err(self.no_data(ty)),
        }
    }

    pub fn no_data(&self, ty: &Ty) -> BoxedError {
        let text = rise::print::type_text(ty, &self.names).to_string();
        let error = match &**ty {
            Type::Var(_) | Type::Apply(..) => crate::ShapeError::Polymorphic(text),
            _ => crate::ShapeError::NotData(text),
        };
        ErrorKind::Shape(error).nowhere()
    }

    /// Returns the type of the element at index `k` of a dependent array, or of the value of a
    /// dependent pair with the size `k`.
    pub fn at(&self, fun: &DataFun, k: Var) -> Ty {
        match fun {
            DataFun::Lambda(param, body) => {
                rise::subst::subst(body, &|v| (v == *param).then(|| Arg::Nat(Nat::var(k))))
            }
            DataFun::Var(var) => Arc::new(Type::Apply(*var, Nat::var(k))),
        }
    }
}

pub(crate) fn scalar_kind(ty: &Type) -> Option<Kind> {
    match ty {
        Type::Scalar(scalar) => Some(Kind::of(*scalar)),
        Type::Index(_) => Some(Kind::I32),
        _ => None,
    }
}

/// Returns the component types of a pair, or the types of the two arrays that represent an array of
/// pairs; `None` for other types.
pub(super) fn halves(ty: &Ty) -> Option<(Ty, Ty)> {
    match &**ty {
        Type::Pair(a, b) => Some((a.clone(), b.clone())),
        Type::Array(n, element) => {
            let (a, b) = halves(element)?;
            let array = |t| Arc::new(Type::Array(n.clone(), t));
            Some((array(a), array(b)))
        }
        _ => None,
    }
}
