//! Prints places in memory, and determines which pointers are written through.

use nat::Nat;
use rustc_hash::FxHashSet;

use crate::ir::walk;
use crate::ir::{Function, Home, Id, Place, StmtKind};

use super::{Prec, Printer};
use crate::error::{self, Result};
use crate::ir::types::CType;
use crate::targets::CDialect;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::targets) enum Use {
    Read,
    Write,
}

impl Printer<'_> {
    pub(in crate::targets) fn place(&mut self, place: &Place, how: Use) -> Result<Prec> {
        if let Some(lanes) = &place.lanes {
            if let Some(lane) = &place.lane {
                let single = Place {
                    index: Some(place.index.as_ref().unwrap_or(&Nat::ZERO) + lane),
                    lane: None,
                    lanes: None,
                    ..place.clone()
                };
                return self.place(&single, how);
            }
            return self.lanes(place, lanes, how);
        }
        let name = self.id_name(place.id);
        self.write(&name);
        self.index(place)?;
        let mut ty = self.elem(place.id)?;
        for &second in &place.members {
            self.write(if second { "._2" } else { "._1" });
            if let CType::Pair(a, b) = ty {
                ty = if second { *b } else { *a };
            }
        }
        if let Some(lane) = &place.lane {
            self.lane(&ty, lane)?;
        }
        Ok(Prec::Postfix)
    }

    fn index(&mut self, place: &Place) -> Result<()> {
        match &place.index {
            Some(index) if self.is_array(place.id) => {
                self.write("[");
                let function = self.function;
                let variable = &function.variables[place.id.0 as usize];
                let outer = std::mem::replace(
                    &mut self.in_index,
                    self.target.dialect() == CDialect::OpenCl,
                );
                if !self.linear(index)? {
                    self.by_rows(index, &variable.extents)?;
                }
                self.in_index = outer;
                self.write("]");
            }
            None if self.variable(place.id).home.is_result() => self.write("[0]"),
            _ => {}
        }
        Ok(())
    }

    /// Writes the selection of a lane of the preceding vector of type `ty`. Fails for a computed
    /// lane of a native vector in OpenCL C.
    pub(in crate::targets) fn lane(&mut self, ty: &CType, lane: &Nat) -> Result<()> {
        if self.target.dialect() == CDialect::OpenCl && ty.is_native(self.target) {
            let number = lane.as_const().and_then(|lane| u32::try_from(lane).ok());
            let digit = number.and_then(|lane| char::from_digit(lane, 16));
            let digit = digit.ok_or_else(|| error::lane(self.origin))?;
            self.write(&format!(".s{digit}"));
            return Ok(());
        }
        self.write(if ty.is_native(self.target) {
            "["
        } else {
            ".data["
        });
        self.nat(lane, Prec::Conditional)?;
        self.write("]");
        Ok(())
    }

    /// Returns the vector type of this number of adjacent scalars of an array, and declares it if
    /// necessary.
    pub(in crate::targets) fn lanes_type(&mut self, place: &Place, lanes: &Nat) -> Result<CType> {
        let scalar = self.elem(place.id)?.scalar();
        if let Some(ty) = self.register_of(lanes) {
            return Ok(ty);
        }
        let number = lanes.as_const().and_then(|n| u32::try_from(n).ok());
        match (scalar, number) {
            (Some(scalar), Some(number)) => {
                let ty = CType::Vector(number, scalar);
                self.need_type(&ty);
                Ok(ty)
            }
            _ => Err(error::lanes(
                &rise::print::nat_text(lanes, &self.shown),
                self.origin,
            )),
        }
    }

    fn lanes(&mut self, place: &Place, lanes: &Nat, how: Use) -> Result<Prec> {
        let ty = self.lanes_type(place, lanes)?;
        if !ty.is_native(self.target) {
            let name = self.load_helper(place, &ty);
            self.write(&name);
            self.write("(");
            self.address(place)?;
            self.write(")");
            return Ok(Prec::Postfix);
        }
        if self.target.dialect() == CDialect::OpenCl {
            return self.device_lanes(place, &ty, how);
        }
        let name = self.need_unaligned(&ty);
        let constness = if how == Use::Read { "const " } else { "" };
        self.write(&format!("*({constness}{name} *)"));
        self.address(place)?;
        Ok(Prec::Unary)
    }

    /// Writes a pointer to the element of a place: `xs`, `&xs[4 * i]`.
    pub(in crate::targets) fn address(&mut self, place: &Place) -> Result<()> {
        let is_first = place.index.as_ref().is_none_or(Nat::is_zero);
        if is_first && place.members.is_empty() && self.is_array(place.id) {
            let name = self.id_name(place.id);
            self.write(&name);
            return Ok(());
        }
        self.write("&");
        let element = Place {
            lane: None,
            lanes: None,
            ..place.clone()
        };
        self.place(&element, Use::Read).map(drop)
    }

    /// Returns the name of the helper function that loads a vector without a native type from the
    /// memory of a place.
    fn load_helper(&mut self, place: &Place, ty: &CType) -> String {
        let CType::Vector(lanes, scalar) = ty else {
            return String::new();
        };
        let (vector, scalar) = (ty.name(self.target), self.target.scalar_name(*scalar));
        let space = self.space(place.id);
        let name = format!("load_{}{vector}", space.replace(' ', "_"));
        self.helpers.other(name, |name| {
            format!(
                "static inline {vector} {name}({space}const {scalar} *from) {{\n    {vector} value;\n    \
                 for (int l = 0; l < {lanes}; l++) {{\n        value.data[l] = from[l];\n    }}\n    \
                 return value;\n}}\n"
            )
        })
    }

    /// Returns the name of the helper function that stores a vector without a native type to the
    /// memory of a place.
    pub(in crate::targets) fn store_helper(&mut self, place: &Place, ty: &CType) -> String {
        let CType::Vector(lanes, scalar) = ty else {
            return String::new();
        };
        let (vector, scalar) = (ty.name(self.target), self.target.scalar_name(*scalar));
        let space = self.space(place.id);
        let name = format!("store_{}{vector}", space.replace(' ', "_"));
        self.helpers.other(name, |name| {
            format!(
                "static inline void {name}({space}{scalar} *to, {vector} value) {{\n    \
                 for (int l = 0; l < {lanes}; l++) {{\n        to[l] = value.data[l];\n    }}\n}}\n"
            )
        })
    }
}

/// Returns the pointers through which memory may be written: those that are marked as writable, and
/// those with which they are exchanged.
pub(in crate::targets) fn writable_pointers(function: &Function) -> FxHashSet<Id> {
    let mut out = FxHashSet::default();
    for (at, variable) in function.variables.iter().enumerate() {
        if matches!(variable.home, Home::Pointer { writable: true, .. }) {
            out.extend(u32::try_from(at).map(Id));
        }
    }
    let mut swaps = Vec::new();
    walk::each_stmt(&function.body, &mut |stmt| {
        if let StmtKind::Swap(a, b) = stmt.kind {
            swaps.push((a, b));
        }
    });
    loop {
        let before = out.len();
        for (a, b) in &swaps {
            if out.contains(a) || out.contains(b) {
                out.extend([*a, *b]);
            }
        }
        if out.len() == before {
            return out;
        }
    }
}
