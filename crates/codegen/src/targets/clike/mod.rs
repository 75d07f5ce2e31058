//! Prints the loop language as C99, with pragmas of OpenMP for that target, and what the text of
//! OpenCL C has in common with it.

pub(in crate::targets) mod assemble;
pub(in crate::targets) mod check;
pub(in crate::targets) mod expr;
pub(in crate::targets) mod foreign;
pub(in crate::targets) mod helpers;
mod large;
pub(in crate::targets) mod literal;
pub(in crate::targets) mod names;
pub(in crate::targets) mod operator;
pub(in crate::targets) mod place;
mod real;
pub mod reserved;
pub(in crate::targets) mod rounding;
mod rows;
pub(in crate::targets) mod size;
pub(in crate::targets) mod size_text;
pub(in crate::targets) mod stmt;
mod sums;
pub(in crate::targets) mod types;
pub(in crate::targets) mod wrap;

use std::sync::Arc;

use nat::{Facts, Nat, Var};
use rise::Names;
use rise::core::{Foreign, Origin};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Function, Home, Id, Maker, Mapping, Stmt, Variable};
use crate::module::{BarrierText, Plain};
use crate::targets::{CDialect, Target};
use syntax::ast::AddressSpace;

use crate::analysis::address_spaces;
use crate::error::Result;
use crate::ir::types::CType;
pub(crate) use assemble::print;
pub use foreign::ForeignNames;
pub(crate) use size_text::SizeText;

use helpers::Helpers;
use names::Scopes;
use rounding::{alternates_signs, calls_fma};

/// The precedence of an expression in C, from the loosest to the tightest: parentheses go around
/// one that binds less tightly than its context requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::targets) enum Prec {
    Conditional,
    Or,
    And,
    Equality,
    Relation,
    Sum,
    Product,
    Unary,
    Postfix,
}

pub(in crate::targets) struct Printer<'a> {
    pub(in crate::targets) function: &'a Function,
    pub(in crate::targets) target: Target,
    pub(in crate::targets) names: Scopes,
    /// The names of size variables in messages, of the generated code and of the compiler.
    pub(in crate::targets) shown: Names,
    pub(in crate::targets) out: String,
    pub(in crate::targets) map: Vec<Mapping>,
    /// The parts of the text that come from no phrase.
    pub(in crate::targets) plain: Vec<Plain>,
    pub(in crate::targets) indent: usize,
    /// The phrase that is being written.
    pub(in crate::targets) origin: Origin,
    pub(in crate::targets) helpers: Helpers,
    /// The C functions of the program that the text declares, each with its name in the text.
    pub(in crate::targets) foreign: Vec<(Arc<Foreign>, String)>,
    /// The types of vectors and tuples to be declared, each after those that it contains.
    pub(in crate::targets) types: Vec<CType>,
    /// The vector types of which a variant for memory that is not aligned to them is to be
    /// declared.
    pub(in crate::targets) unaligned: Vec<CType>,
    /// The facts about sizes and counters that hold at the current place of the text.
    pub(in crate::targets) facts: Facts,
    /// The size variables that vary, in the order in which they are to be written: in kernels the
    /// results of work-item queries, then the enclosing counters, outermost first.
    pub(in crate::targets) counters: Vec<Var>,
    /// The names of the indices of the enclosing sums without a closed form, outermost first.
    pub(in crate::targets) indices: Vec<String>,
    pub(in crate::targets) used_ids: FxHashSet<Id>,
    pub(in crate::targets) used_vars: FxHashSet<Var>,
    /// The pointers through which memory may be written.
    pub(in crate::targets) writable: FxHashSet<Id>,
    pub(in crate::targets) region: Region,
    pub(in crate::targets) pointer_spaces: FxHashMap<Id, AddressSpace>,
    /// True while an index of OpenCL C is written; such an index is assumed to fit, like everything
    /// from which it is computed.
    pub(in crate::targets) in_index: bool,
    /// True while a size is written as a `double`, because it may not fit into an index: see
    /// [`real`].
    pub(in crate::targets) in_real: bool,
    /// True if floats are negated by their sign bits, because the program uses `fma`: GCC fuses a
    /// multiply-add and the `-` of its result to one instruction, which gives a zero another sign.
    pub(in crate::targets) flips_signs: bool,
    /// True if products of floats are written such that GCC 12 does not fuse them with sums and
    /// differences, see [`rounding::ROUNDED_PRODUCT`].
    pub(in crate::targets) rounds_products: bool,
    /// True in an innermost loop with one assignment. Sums and differences do not alternate there, so that
    /// the products in branches, which a compiler would not compute unconditionally otherwise, need no
    /// macro.
    pub(in crate::targets) assigns_once: bool,
    /// The barriers that have been written.
    pub(in crate::targets) barriers: Vec<BarrierText>,
}

/// The threads of OpenMP that execute a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::targets) enum Region {
    /// The thread of the caller.
    Sequential,
    /// Each thread of a parallel region, for its share of the iterations of a loop.
    Parallel,
    /// Each thread of a parallel region, in a replicated loop.
    Replicated,
}

impl<'a> Printer<'a> {
    pub(in crate::targets) fn new(function: &'a Function, target: Target) -> Printer<'a> {
        let facts = function.known();
        Printer {
            function,
            target,
            names: Scopes::new(target),
            shown: Names(function.names.as_slice().into()),
            out: String::new(),
            map: Vec::new(),
            plain: Vec::new(),
            indent: 0,
            origin: Origin(0),
            helpers: Helpers::new(target),
            foreign: Vec::new(),
            types: Vec::new(),
            unaligned: Vec::new(),
            facts,
            counters: Vec::new(),
            indices: Vec::new(),
            used_ids: FxHashSet::default(),
            used_vars: FxHashSet::default(),
            writable: place::writable_pointers(function),
            region: Region::Sequential,
            pointer_spaces: address_spaces::pointer_spaces(function),
            in_index: false,
            in_real: false,
            flips_signs: target.dialect() != CDialect::OpenCl && calls_fma(function),
            assigns_once: false,
            rounds_products: target.dialect() != CDialect::OpenCl && alternates_signs(function),
            barriers: Vec::new(),
        }
    }

    pub(in crate::targets) fn write(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Writes the indentation at the start of a line.
    pub(in crate::targets) fn line(&mut self) {
        self.out.extend((0..self.indent).map(|_| "    "));
    }

    pub(in crate::targets) fn variable(&self, id: Id) -> &'a Variable {
        &self.function.variables[id.0 as usize]
    }

    /// Returns the C type of a variable's elements, and declares the type if necessary.
    pub(in crate::targets) fn elem(&mut self, id: Id) -> Result<CType> {
        let variable = self.variable(id);
        if let rise::Type::Vector(lanes, _) = &*variable.elem
            && let Some(ty) = self.register_of(lanes)
        {
            return Ok(ty);
        }
        let ty = CType::of_target(
            &variable.elem,
            &self.shown,
            variable.origin,
            self.function.features,
        )?;
        self.need_type(&ty);
        Ok(ty)
    }

    /// Returns the type of vectors with this number of lanes if that is the size variable for the
    /// lanes of a register, and declares the type; otherwise `None`.
    pub(in crate::targets) fn register_of(&mut self, lanes: &Nat) -> Option<CType> {
        let mut known = self.function.registers.iter();
        let (_, scalar) = known.find(|(var, _)| *lanes == Nat::var(*var))?;
        let ty = CType::Register(*scalar);
        self.need_type(&ty);
        Some(ty)
    }

    pub(in crate::targets) fn need_type(&mut self, ty: &CType) {
        if let CType::Pair(a, b) = ty {
            self.need_type(a);
            self.need_type(b);
        }
        if !matches!(ty, CType::Scalar(_)) && !self.types.contains(ty) {
            self.types.push(ty.clone());
        }
    }

    /// Returns the name of the variant of a vector type for memory that is not aligned to it, and
    /// declares the type and the variant.
    pub(in crate::targets) fn need_unaligned(&mut self, ty: &CType) -> String {
        self.need_type(ty);
        if !self.unaligned.contains(ty) {
            self.unaligned.push(ty.clone());
        }
        format!("{}u", ty.short())
    }

    /// Returns the name of the type of an array's elements as the target of a pointer: for native
    /// vectors in C, the variant for memory that is not aligned, as that of the caller may be.
    pub(in crate::targets) fn pointee(&mut self, id: Id) -> Result<String> {
        let ty = self.elem(id)?;
        if ty.is_native(self.target) && self.target.dialect() != CDialect::OpenCl {
            return Ok(self.need_unaligned(&ty));
        }
        Ok(ty.name(self.target))
    }

    pub(in crate::targets) fn id_name(&mut self, id: Id) -> String {
        self.used_ids.insert(id);
        match self.names.id(id) {
            Some(name) => name.to_owned(),
            // Lowering declares all variables that it uses; a violation is detected as a C error.
            None => names::identifier(&self.variable(id).name),
        }
    }

    /// Calls `write`, and maps the text that it writes to a phrase.
    pub(in crate::targets) fn mapped<T>(
        &mut self,
        origin: Origin,
        made_by: Option<Maker>,
        write: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let outer = std::mem::replace(&mut self.origin, origin);
        let at = self.map.len();
        let start = self.out.len();
        self.map.push(Mapping {
            range: start..start,
            origin,
            made_by,
            passes: Box::default(),
            views: Box::default(),
        });
        let result = write(self);
        let end = self.out.len();
        self.map[at].range.end = end;
        self.origin = outer;
        result
    }

    /// Calls `write`, and maps the text that it writes to the phrase of a statement, with the
    /// changes of the statement by passes.
    pub(in crate::targets) fn mapped_statement<T>(
        &mut self,
        stmt: &Stmt,
        write: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let at = self.map.len();
        let result = self.mapped(stmt.origin, stmt.made_by, write);
        if let Some(mapping) = self.map.get_mut(at) {
            mapping.passes = self.function.trace.of(stmt).into();
        }
        result
    }

    /// Puts the text from the byte `start` on in parentheses; `at` is the number of mappings before
    /// that text.
    pub(in crate::targets) fn parenthesize(&mut self, start: usize, at: usize) {
        self.out.insert(start, '(');
        for mapping in &mut self.map[at..] {
            mapping.range.start += 1;
            mapping.range.end += 1;
        }
        self.out.push(')');
    }

    /// Calls `write`, which writes an expression and returns its precedence, and puts the
    /// expression in parentheses if its precedence is below `least`.
    pub(in crate::targets) fn at_least(
        &mut self,
        least: Prec,
        write: impl FnOnce(&mut Self) -> Result<Prec>,
    ) -> Result<()> {
        let (start, at) = (self.out.len(), self.map.len());
        if write(self)? < least {
            self.parenthesize(start, at);
        }
        Ok(())
    }

    /// Calls `write` for each item, and writes commas between them.
    pub(in crate::targets) fn list<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T) -> Result<()>,
    ) -> Result<()> {
        for (at, item) in items.into_iter().enumerate() {
            if at > 0 {
                self.write(", ");
            }
            write(self, item)?;
        }
        Ok(())
    }

    pub(in crate::targets) fn is_nonneg(&self, nat: &Nat) -> bool {
        (self.facts).proves(&nat::Prop::AtLeast(nat.clone(), Nat::ZERO))
    }

    pub(in crate::targets) fn is_array(&self, id: Id) -> bool {
        let variable = self.variable(id);
        variable.count.is_some()
            || variable.home.is_result()
            || matches!(variable.home, Home::Pointer { .. })
    }
}
