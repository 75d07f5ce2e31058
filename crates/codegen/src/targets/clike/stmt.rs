//! Prints statements, and the declarations and releases of the memory that they use.

use nat::{Nat, Part};

use crate::analysis::conditions::{assume, assume_counter};
use crate::ir::walk;
use crate::ir::{
    Binary, Expr, ExprKind, Function, Home, Id, Loop, LoopMode, Maker, Place, Stmt, StmtKind,
};
use crate::targets::CDialect;
use syntax::ast::ScalarType;

use super::helpers::Helper;
use super::names::is_mere_counter;
use super::operator::sign;
use super::place::Use;
use super::{Prec, Printer};
use crate::error::Result;
use crate::ir::types::CType;
use crate::ir::types::Int;

/// The alignment in bytes that the printed code expects of memory from `malloc`.
const MALLOC_ALIGNMENT: u64 = 16;

impl Printer<'_> {
    /// Writes statements in braces; arrays that they allocate on the heap are freed at the end.
    pub(in crate::targets) fn block(&mut self, body: &[Stmt]) -> Result<()> {
        self.braces(|this| this.statements(body))
    }

    /// Writes braces, and between them what `inside` writes, in a scope of its own.
    pub(in crate::targets) fn braces(
        &mut self,
        inside: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        self.write("{\n");
        self.indent += 1;
        self.names.push();
        inside(self)?;
        self.names.pop();
        self.indent -= 1;
        self.line();
        self.write("}");
        Ok(())
    }

    pub(in crate::targets) fn statements(&mut self, body: &[Stmt]) -> Result<()> {
        let mut heap = Vec::new();
        let mut rest = body;
        while let [stmt, others @ ..] = rest {
            rest = others;
            if let StmtKind::Declare(id, _) = &stmt.kind
                && self.function.heap.contains(id)
            {
                heap.push(*id);
            }
            // A pointer is declared at its first assignment.
            if let (StmtKind::Declare(id, None), [next, after @ ..]) = (&stmt.kind, others)
                && let StmtKind::Point(target, place) = &next.kind
                && target == id
            {
                rest = after;
                self.line();
                self.mapped_statement(next, |this| {
                    this.pointer_type(*id)?;
                    this.point(*id, place)
                })?;
                self.write("\n");
                continue;
            }
            self.line();
            self.mapped_statement(stmt, |this| this.statement(stmt))?;
            self.write("\n");
        }
        for id in heap.into_iter().rev() {
            self.free(id)?;
        }
        Ok(())
    }

    /// Returns the alignment in bytes of an array that the function allocates.
    fn alignment(&mut self, id: Id) -> Result<u64> {
        let wanted = self.function.aligned.get(&id).copied().unwrap_or(1);
        Ok(self.elem(id)?.align().max(wanted))
    }

    pub(in crate::targets) fn free(&mut self, id: Id) -> Result<()> {
        let release = if self.alignment(id)? > MALLOC_ALIGNMENT {
            "release"
        } else {
            "free"
        };
        let name = self.id_name(id);
        self.line();
        // The phrase that requires the memory is also the origin of its release.
        let origin = self.variable(id).origin;
        let at = self.map.len();
        self.mapped(origin, Some(Maker::Pass("memory")), |this| {
            this.write(&format!("{release}({name});"));
            Ok(())
        })?;
        if let Some(mapping) = self.map.get_mut(at) {
            mapping.passes = ["memory: freed at the end of its block".to_owned()].into();
        }
        self.write("\n");
        Ok(())
    }

    fn statement(&mut self, stmt: &Stmt) -> Result<()> {
        match &stmt.kind {
            StmtKind::Declare(id, value) => self.declare(*id, value.as_ref()),
            StmtKind::Assign(place, value) => self.assign(place, value),
            StmtKind::For(this) => self.any_loop(this),
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => self.branch(condition, then, otherwise),
            StmtKind::Block(body) => self.block(body),
            StmtKind::Point(id, place) => self.point(*id, place),
            StmtKind::Swap(a, b) => self.swap(*a, *b),
            StmtKind::Reduce(reduce) => self.partials(reduce),
            StmtKind::Barrier(barrier) => {
                self.barrier(barrier);
                Ok(())
            }
            StmtKind::Kernel(kernel) => self.block(&kernel.body),
        }
    }

    pub(in crate::targets) fn declare(&mut self, id: Id, value: Option<&Expr>) -> Result<()> {
        let variable = self.variable(id);
        if matches!(variable.home, Home::Pointer { .. }) {
            self.pointer_type(id)?;
            let name = self.id_name(id);
            self.write(&format!("{name};"));
            return Ok(());
        }
        let ty = self.elem(id)?;
        let on_heap = self.function.heap.contains(&id);
        // The value is written before the name is reserved: it cannot refer to the variable.
        let constant = if self.function.constants.contains(&id) {
            "const "
        } else {
            ""
        };
        let name = self.names.fresh(&variable.name);
        self.names.bind(id, name.clone());
        match &variable.count {
            Some(count) if on_heap => {
                let pointee = self.pointee(id)?;
                let align = self.alignment(id)?;
                let helper = match align > MALLOC_ALIGNMENT {
                    true => Helper::AllocateAligned,
                    false => Helper::Allocate,
                };
                let allocate = self.helpers.need(helper);
                self.write(&format!("{pointee} *{name} = {allocate}("));
                let count = self.facts.normalize(count);
                self.wide_nat(&count)?;
                self.write(&format!(", sizeof({})", ty.name(self.target)));
                if align > MALLOC_ALIGNMENT {
                    self.write(&format!(", {align}"));
                }
                self.write(");");
            }
            Some(count) => self.declare_array(id, count, &name, &ty)?,
            None => {
                let ty = match ty {
                    // A value of `natType` is a size, or an index into an array.
                    CType::Scalar(ScalarType::NatType) => self.size_type().to_owned(),
                    ty => self.plain_type(&ty),
                };
                self.write(&format!("{constant}{ty} {name}"));
                if let Some(value) = value {
                    self.write(" = ");
                    match &value.kind {
                        ExprKind::Nat(size) if self.is_size(id) => {
                            self.nat(size, Prec::Conditional)?;
                        }
                        _ => self.expr(value, Prec::Conditional)?,
                    }
                }
                self.write(";");
            }
        }
        Ok(())
    }

    /// Returns true for a variable that is a part of sizes and indices, which have all bits of these;
    /// other values of `natType` wrap around at 32 bits.
    fn is_size(&self, id: Id) -> bool {
        let is_variable =
            |expr: &Expr| matches!(&expr.kind, ExprKind::Load(place) if *place == Place::plain(id));
        (self.function.opaque.iter()).any(|(_, value)| is_variable(value))
    }

    /// Writes the declaration of an array that is not on the heap. Fails for one in private memory
    /// of OpenCL whose size is not a constant.
    fn declare_array(&mut self, id: Id, count: &Nat, name: &str, ty: &CType) -> Result<()> {
        let variable = self.variable(id);
        let on_device = self.target.dialect() == CDialect::OpenCl;
        if on_device && variable.is_private() && count.as_const().is_none() {
            let size = rise::print::nat_text(count, &self.shown);
            return Err(crate::error::private_size(&size, variable.origin));
        }
        let space = self.space(id);
        self.write(&format!("{space}{} {name}[", ty.name(self.target)));
        self.nat(count, Prec::Conditional)?;
        self.write("]");
        if let Some(bytes) = self.function.aligned.get(&id) {
            self.write(&format!(" __attribute__((aligned({bytes})))"));
        }
        self.write(";");
        Ok(())
    }

    /// Writes the type of a pointer, such as `const float *`, and chooses a name for the pointer.
    fn pointer_type(&mut self, id: Id) -> Result<()> {
        let pointee = self.pointee(id)?;
        let constness = self.constness(id);
        let name = self.names.fresh(&self.variable(id).name);
        self.names.bind(id, name);
        let alone = match self.variable(id).home {
            Home::Pointer { alone: true, .. } => "restrict ",
            _ => "",
        };
        let space = self.space(id);
        self.write(&format!("{space}{constness}{pointee} *{alone}"));
        Ok(())
    }

    fn is_const(&self, id: Id) -> bool {
        match self.variable(id).home {
            Home::Input => true,
            Home::Pointer { .. } => !self.writable.contains(&id),
            Home::Output | Home::InOut | Home::Local(_) => false,
        }
    }

    /// Returns the qualifier, with a space, of the elements of an array or those that a pointer
    /// points to.
    fn constness(&self, id: Id) -> &'static str {
        if self.is_const(id) { "const " } else { "" }
    }

    fn point(&mut self, id: Id, place: &Place) -> Result<()> {
        let name = self.id_name(id);
        if let (true, Some(by)) = (place.id == id, &place.index) {
            self.write(&format!("{name} += "));
            self.nat(by, Prec::Conditional)?;
            self.write(";");
            return Ok(());
        }
        self.write(&format!("{name} = "));
        let ty = self.elem(id)?;
        let on_stack = matches!(self.variable(place.id).home, Home::Local(_))
            && !self.function.heap.contains(&place.id);
        let casts = self.is_const(place.id) && !self.is_const(id)
            || ty.is_native(self.target) && on_stack && self.target.dialect() != CDialect::OpenCl;
        if casts {
            let constness = self.constness(id);
            let pointee = self.pointee(id)?;
            let space = self.space(id);
            self.write(&format!("({space}{constness}{pointee} *)"));
        }
        self.address(place)?;
        self.write(";");
        Ok(())
    }

    fn swap(&mut self, a: Id, b: Id) -> Result<()> {
        let pointee = self.pointee(a)?;
        let constness = self.constness(a);
        let (left, right) = (self.id_name(a), self.id_name(b));
        let kept = self.names.fresh("kept");
        let space = self.space(a);
        self.write(&format!("{space}{constness}{pointee} *{kept} = {left};\n"));
        self.line();
        self.write(&format!("{left} = {right};\n"));
        self.line();
        self.write(&format!("{right} = {kept};"));
        Ok(())
    }

    pub(in crate::targets) fn assign(&mut self, place: &Place, value: &Expr) -> Result<()> {
        if let (Some(lanes), None) = (&place.lanes, &place.lane) {
            let ty = self.lanes_type(place, lanes)?;
            if self.target.dialect() == CDialect::OpenCl && self.vector_store(place, &ty, value)? {
                return Ok(());
            }
            if !ty.is_native(self.target) {
                let name = self.store_helper(place, &ty);
                self.write(&format!("{name}("));
                self.address(place)?;
                self.write(", ");
                self.expr(value, Prec::Conditional)?;
                self.write(");");
                return Ok(());
            }
        }
        if let Some(by) = self.step_of(place, value) {
            self.place(place, Use::Write)?;
            self.write(" += ");
            self.nat(&by, Prec::Conditional)?;
            self.write(";");
            return Ok(());
        }
        self.place(place, Use::Write)?;
        match self.update(place, value)? {
            Some((op, operand)) => {
                self.write(&format!(" {}= ", sign(op).trim()));
                self.expr(operand, Prec::Conditional)?;
            }
            None => {
                self.write(" = ");
                self.expr(value, Prec::Conditional)?;
            }
        }
        self.write(";");
        Ok(())
    }

    /// Returns the increment of a place if the value that is assigned to it is the sum of its own
    /// value and a size, otherwise `None`.
    fn step_of(&self, place: &Place, value: &Expr) -> Option<Nat> {
        let ExprKind::Nat(next) = &value.kind else {
            return None;
        };
        let stands_for = |e: &Expr| matches!(&e.kind, ExprKind::Load(from) if from == place);
        let mut opaque = self.function.opaque.iter();
        let (var, _) = opaque.find(|(var, e)| next.mentions(*var) && stands_for(e))?;
        let step = Nat::sub(next, &Nat::var(*var));
        (!step.mentions(*var)).then_some(step)
    }

    /// Returns `(op, b)` if `place = value` can be written as `place op= b`, otherwise `None`.
    fn update<'e>(&mut self, place: &Place, value: &'e Expr) -> Result<Option<(Binary, &'e Expr)>> {
        let ExprKind::Binary(op, a, b) = &value.kind else {
            return Ok(None);
        };
        let ty = self.type_of(value)?;
        let int = ty.scalar().and_then(Int::of);
        // For other types the operation is written with casts.
        let plain = match int {
            Some(int) => !int.signed && int.bits >= 32 && !matches!(ty, CType::Vector(..)),
            None => matches!(ty, CType::Scalar(_)) || ty.is_native(self.target),
        };
        let reads = |e: &Expr| matches!(&e.kind, ExprKind::Load(from) if from == place);
        Ok(match op {
            Binary::Add | Binary::Mul if plain && !reads(a) && reads(b) => Some((*op, &**a)),
            Binary::Add | Binary::Sub | Binary::Mul | Binary::Div if plain && reads(a) => {
                Some((*op, &**b))
            }
            _ => None,
        })
    }

    fn branch(&mut self, condition: &Expr, then: &[Stmt], otherwise: &[Stmt]) -> Result<()> {
        self.write("if (");
        self.expr(condition, Prec::Conditional)?;
        self.write(") ");
        let facts = self.facts.clone();
        assume(&mut self.facts, condition, true);
        self.block(then)?;
        self.facts = facts.clone();
        assume(&mut self.facts, condition, false);
        let result = self.otherwise(otherwise);
        self.facts = facts;
        result
    }

    fn otherwise(&mut self, otherwise: &[Stmt]) -> Result<()> {
        match otherwise {
            [] => Ok(()),
            [
                stmt @ Stmt {
                    kind: StmtKind::If { .. },
                    ..
                },
            ] => {
                self.write(" else ");
                self.mapped_statement(stmt, |this| this.statement(stmt))
            }
            _ => {
                self.write(" else ");
                self.block(otherwise)
            }
        }
    }

    fn any_loop(&mut self, this: &Loop) -> Result<()> {
        if let Some(result) = self.target.backend().annotated_loop(self, this) {
            return result;
        }
        match self.function.per_thread.get(&this.counter) {
            Some(own) if !own.is_empty() => {
                self.braces(|printer| printer.with_own(own, |printer| printer.plain_loop(this)))
            }
            _ => match exit_condition(self.function, this) {
                Some((condition, then)) => self.loop_with(this, Some(condition), |printer| {
                    assume(&mut printer.facts, condition, true);
                    printer.statements(then)
                }),
                None => self.plain_loop(this),
            },
        }
    }

    /// Returns true if statements write a place whose index depends on data. Such indices may
    /// repeat, so that the iterations of the enclosing loop may depend on each other.
    pub(in crate::targets) fn writes_where_data_says(&self, body: &[Stmt]) -> bool {
        let mut found = false;
        walk::each_stmt(body, &mut |stmt| {
            if let StmtKind::Assign(place, _) = &stmt.kind
                && let Some(index) = &place.index
            {
                found |= self.function.is_opaque(index);
            }
        });
        found
    }

    /// Writes the declarations of variables, then what `inside` writes, then the releases of those
    /// that are on the heap.
    pub(in crate::targets) fn with_own(
        &mut self,
        own: &[Id],
        inside: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        for &id in own {
            self.line();
            let origin = self.variable(id).origin;
            self.mapped(origin, None, |this| this.declare(id, None))?;
            self.write("\n");
        }
        self.line();
        inside(self)?;
        self.write("\n");
        for &id in own.iter().rev() {
            if self.function.heap.contains(&id) {
                self.free(id)?;
            }
        }
        Ok(())
    }

    /// Writes a pragma, and the indentation of the next line.
    pub(in crate::targets) fn pragma(&mut self, text: &str) {
        self.write("#pragma ");
        self.write(text);
        self.write("\n");
        self.line();
    }

    /// Writes the loop `for (…) { … }` without annotations.
    pub(in crate::targets) fn plain_loop(&mut self, this: &Loop) -> Result<()> {
        self.loop_with(this, None, |printer| printer.statements(&this.body))
    }

    /// Writes a loop, which ends early where the condition `exit`, if there is one, does not hold.
    pub(in crate::targets) fn loop_with(
        &mut self,
        this: &Loop,
        exit: Option<&Expr>,
        body: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let Loop {
            counter,
            from,
            to,
            step,
            mode,
            ..
        } = this;
        self.names.push();
        let shown = self.shown.get(*counter);
        let name = if is_mere_counter(&shown) {
            self.names.counter(self.counters.len())
        } else {
            self.names.fresh(&shown)
        };
        let keyword = self.target.backend().loop_keyword();
        self.write(&format!("{keyword} ({} {name} = ", self.size_type()));
        self.nat(from, Prec::Conditional)?;
        // OpenMP requires the end of the loop in the comparison.
        if *mode == LoopMode::Sequential && is_costly(to) {
            let end = self.names.fresh("end");
            self.write(&format!(", {end} = "));
            self.nat(to, Prec::Conditional)?;
            self.write(&format!("; {name} < {end}"));
        } else {
            self.write(&format!("; {name} < "));
            self.nat(to, Prec::Sum)?;
        }
        if let Some(exit) = exit {
            self.write(" && ");
            self.expr(exit, Prec::And)?;
        }
        self.write(&format!("; {name}"));
        if step.is_one() {
            self.write("++) ");
        } else {
            self.write(" += ");
            self.nat(step, Prec::Conditional)?;
            self.write(") ");
        }
        let facts = self.facts.clone();
        assume_counter(&mut self.facts, *counter, from, to, step);
        self.names.bind_var(*counter, name);
        self.counters.push(*counter);
        let assigned_once = std::mem::replace(&mut self.assigns_once, assigns_once(&this.body));
        self.braces(body)?;
        self.assigns_once = assigned_once;
        self.counters.pop();
        self.facts = facts;
        self.names.pop();
        Ok(())
    }
}

/// Returns the condition and the statements of a loop over `if (condition) { statements }` that may
/// end where the condition does not hold: what the condition reads is only changed by the
/// statements, and does not depend on the counter. So all later iterations would do nothing.
fn exit_condition<'l>(function: &Function, this: &'l Loop) -> Option<(&'l Expr, &'l [Stmt])> {
    struct Reads<'f> {
        function: &'f Function,
        counter: nat::Var,
        ids: Vec<Id>,
        varies: bool,
    }
    impl walk::Look for Reads<'_> {
        fn place(&mut self, place: &Place) {
            self.ids.push(place.id);
        }
        fn nat(&mut self, nat: &Nat) {
            self.varies |= nat.mentions(self.counter) || self.function.is_opaque(nat);
        }
    }
    let [stmt] = &this.body[..] else {
        return None;
    };
    let StmtKind::If {
        condition,
        then,
        otherwise,
    } = &stmt.kind
    else {
        return None;
    };
    if this.mode != LoopMode::Sequential || !otherwise.is_empty() {
        return None;
    }
    let mut reads = Reads {
        function,
        counter: this.counter,
        ids: Vec::new(),
        varies: false,
    };
    walk::look_expr(condition, &mut reads);
    // A condition that never changes is better tested before the loop.
    let mut changes = false;
    walk::each_stmt(then, &mut |stmt| {
        changes |= match &stmt.kind {
            StmtKind::Assign(place, _) => reads.ids.contains(&place.id),
            StmtKind::Point(id, _) => reads.ids.contains(id),
            StmtKind::Swap(a, b) => reads.ids.contains(a) || reads.ids.contains(b),
            _ => false,
        };
    });
    (changes && !reads.varies).then_some((condition, then))
}

/// Returns true if statements are declarations and one assignment.
fn assigns_once(body: &[Stmt]) -> bool {
    let is_assignment = |stmt: &&Stmt| matches!(stmt.kind, StmtKind::Assign(..));
    let is_declaration = |stmt: &&Stmt| matches!(stmt.kind, StmtKind::Declare(..));
    let assignments = body.iter().filter(is_assignment).count();
    assignments == 1 && body.iter().filter(is_declaration).count() + 1 == body.len()
}

/// Returns true if the printed code would compute a size by a loop.
fn is_costly(nat: &Nat) -> bool {
    let costly = |part: &Part<'_>| match part {
        Part::Pow(base, _) => base.as_const() != Some(2),
        Part::Sum { .. } | Part::Log2(_) => true,
        _ => false,
    };
    let summands = nat.summands();
    let mut factors = summands.iter().flat_map(|summand| &summand.factors);
    factors.any(|(part, exp)| *exp > 3 || costly(part))
}
