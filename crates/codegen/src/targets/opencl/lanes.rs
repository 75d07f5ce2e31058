//! Prints what OpenCL C has in another form than C: vectors in memory and their lanes, indices with
//! constant strides, and tables of constants.

use crate::targets::CDialect;
use std::cmp::Reverse;

use nat::{Nat, Part, Prop, Summand};
use syntax::ast::AddressSpace;

use crate::ir::{Expr, ExprKind, Home, Place};

use crate::error::Result;
use crate::ir::types::CType;
use crate::targets::clike::place::Use;
use crate::targets::clike::{Prec, Printer};

impl Printer<'_> {
    /// Writes adjacent scalars of an array as one vector: as a value at a vector pointer if they
    /// are known to be aligned to the vector, otherwise by `vload`.
    pub(in crate::targets) fn device_lanes(
        &mut self,
        place: &Place,
        ty: &CType,
        how: Use,
    ) -> Result<Prec> {
        if self.is_aligned(place, ty) {
            self.aligned_lanes(place, ty, how)?;
            return Ok(Prec::Unary);
        }
        let CType::Vector(lanes, _) = ty else {
            return Ok(Prec::Postfix);
        };
        self.write(&format!("vload{lanes}(0, "));
        self.address(place)?;
        self.write(")");
        Ok(Prec::Postfix)
    }

    /// Writes a store of a vector to adjacent scalars by `vstore`; returns false and writes nothing
    /// if the scalars are known to be aligned, so that the vector can be assigned, or if its type
    /// is not native.
    pub(in crate::targets) fn vector_store(
        &mut self,
        place: &Place,
        ty: &CType,
        value: &Expr,
    ) -> Result<bool> {
        if !ty.is_native(self.target) || self.is_aligned(place, ty) {
            return Ok(false);
        }
        let CType::Vector(lanes, _) = ty else {
            return Ok(false);
        };
        self.write(&format!("vstore{lanes}("));
        self.expr(value, Prec::Conditional)?;
        self.write(", 0, ");
        self.address(place)?;
        self.write(");");
        Ok(true)
    }

    /// Writes aligned adjacent scalars as a vector: `*(global const float4 *)&xs[i]`.
    fn aligned_lanes(&mut self, place: &Place, ty: &CType, how: Use) -> Result<()> {
        let space = self.space(place.id);
        let constness = match (how, self.variable(place.id).home) {
            (Use::Read, Home::Input) => "const ",
            _ => "",
        };
        let name = ty.name(self.target);
        self.write(&format!("*({space}{constness}{name} *)"));
        self.address(place)
    }

    /// Returns true if adjacent scalars are known to be aligned to their vector: their index is a
    /// multiple of its number of lanes, in an array that starts at an aligned address, which is a
    /// parameter, in global memory, or declared with an alignment for vectors.
    fn is_aligned(&self, place: &Place, ty: &CType) -> bool {
        let CType::Vector(lanes, _) = ty else {
            return false;
        };
        let variable = self.variable(place.id);
        let starts_aligned = match variable.home {
            Home::Input | Home::Output | Home::InOut => true,
            Home::Local(space) => {
                matches!(space, Some(AddressSpace::Global)) || {
                    self.function.aligned.contains_key(&place.id)
                }
            }
            Home::Pointer { .. } => false,
        };
        let Some(index) = &place.index else {
            return false;
        };
        let lanes = Nat::constant(i64::from(*lanes));
        starts_aligned
            && place.members.is_empty()
            && (self.facts.normalize(&Nat::rem(index, &lanes)).is_zero()
                || self.facts.proves(&Prop::Divides(lanes, index.clone())))
    }

    /// Writes an index with constant strides, in OpenCL C, as a sum with the constant at its end: a
    /// compiler for a device makes the constant a part of the address, and computes the rest once
    /// for adjacent elements. Returns false and writes nothing for other indices, and on other
    /// targets.
    pub(in crate::targets) fn linear(&mut self, index: &Nat) -> Result<bool> {
        let mut summands = index.summands();
        let plain = |summand: &Summand<'_>| match summand.factors.as_slice() {
            [] => true,
            [(Part::Var(_), 1)] => summand.coeff > 0,
            _ => false,
        };
        let constant = summands.iter().any(|summand| summand.factors.is_empty());
        let terms = summands.len() - usize::from(constant);
        let fits = self.target.dialect() == CDialect::OpenCl && summands.iter().all(plain);
        if !fits || terms < 2 {
            return Ok(false);
        }
        let is_constant = |summand: &Summand<'_>| summand.factors.is_empty();
        summands.sort_by_key(|summand| (is_constant(summand), Reverse(summand.coeff)));
        for (at, summand) in summands.iter().enumerate() {
            let sign = match (at, summand.coeff < 0) {
                (0, _) => "",
                (_, true) => " - ",
                (_, false) => " + ",
            };
            self.write(sign);
            match summand.factors.as_slice() {
                [(Part::Var(var), _)] => {
                    if summand.coeff != 1 {
                        self.write(&format!("{} * ", summand.coeff));
                    }
                    self.at_least(Prec::Unary, |this| this.var(*var))?;
                }
                _ => self.write(&summand.coeff.unsigned_abs().to_string()),
            }
        }
        Ok(true)
    }

    /// Returns the name of the helper function that selects a lane of a vector of this type by a
    /// computed number.
    pub(in crate::targets) fn lane_helper(&mut self, ty: &CType) -> String {
        let CType::Vector(lanes, scalar) = ty else {
            return String::new();
        };
        let (vector, scalar) = (ty.name(self.target), self.target.scalar_name(*scalar));
        self.helpers.other(format!("lane_{}", ty.short()), |name| {
            format!(
                "static inline {scalar} {name}({vector} value, int lane) {{\n    \
                 {scalar} all[{lanes}];\n    vstore{lanes}(value, 0, all);\n    \
                 return all[lane];\n}}\n"
            )
        })
    }

    /// Writes an element of a list of literals, which becomes a table in constant memory; returns
    /// `None` and writes nothing for other lists, and on targets other than OpenCL.
    pub(in crate::targets) fn table(&mut self, all: &[Expr], at: &Nat) -> Result<Option<Prec>> {
        let literals = |expr: &Expr| matches!(expr.kind, ExprKind::Literal(_));
        if self.target.dialect() != CDialect::OpenCl || !all.iter().all(literals) {
            return Ok(None);
        }
        let Some(first) = all.first() else {
            return Ok(None);
        };
        let ty = self.type_of(first)?.name(self.target);
        let (start, map) = (self.out.len(), self.map.len());
        self.list(all, |this, expr| this.expr(expr, Prec::Conditional))?;
        let values = self.out.split_off(start);
        self.map.truncate(map);
        let name = self.helpers.table(&ty, all.len(), &values);
        self.write(&format!("{name}["));
        self.nat(at, Prec::Conditional)?;
        self.write("]");
        Ok(Some(Prec::Postfix))
    }
}
