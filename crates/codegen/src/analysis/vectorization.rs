//! Predicts whether C compilers vectorise a loop, as GCC 12 does with `-O3` and without
//! `-ffast-math`.
//!
//! The prediction is conservative on both sides: loops for which it depends on the compiler's own
//! cost model, such as those with strided accesses, are [`Vectorization::Unknown`].

use nat::Nat;
use rise::Type;
use rustc_hash::FxHashSet;
use syntax::ast::{Literal, Name, ScalarType};

use crate::analysis::dependence_test::{each_division, has_unit_stride, linear_form};
use crate::analysis::math;
use crate::ir::walk;
use crate::ir::{
    Binary, Expr, ExprKind, Function, Id, Loop, LoopMode, Place, Stmt, StmtKind, Unary,
};

/// The number of iterations of nested loops over a window up to which C compilers unroll them.
pub(crate) const MAX_UNROLLED_BY_COMPILERS: i64 = 48;

/// The prediction for the instructions of a loop.
#[derive(Clone, Debug, PartialEq)]
pub enum Vectorization {
    /// The loop contains other loops.
    Outer,
    /// Vector instructions.
    Vector,
    /// Operations on values of vector types, which the program or a register tile contains.
    Explicit,
    /// Vector instructions, each lane of which computes the reduction of another iteration of the
    /// loop around it.
    Lanes,
    /// A call of a library function that fills or copies memory.
    LibraryCall,
    /// Additions one after another: compilers may use vector instructions for the operands, but
    /// must not change the order of additions of floating-point numbers.
    OrderedSum,
    /// Scalar instructions.
    Scalar(Obstacle),
    /// The prediction depends on the compiler.
    Unknown,
}

/// The reason why a loop is not vectorised.
#[derive(Clone, Debug, PartialEq)]
pub enum Obstacle {
    /// A reduction of floating-point numbers by an operator other than the addition, whose order
    /// compilers do not change.
    OrderedReduction(&'static str),
    /// The function has no vector version.
    Call(Name),
    /// Each iteration needs a variable that the previous one computes.
    Recurrence(Name),
    /// Each iteration reads an element of an array that an earlier one writes, or may write as the
    /// indices depend on data.
    Dependence(Name),
    /// Integers are divided by a value that is not a constant.
    IntegerDivision,
}

/// Predicts which loops of a function are vectorised, in the order of the text.
pub(crate) fn of(function: &Function) -> Vec<Vectorization> {
    fn visit(
        function: &Function,
        body: &[Stmt],
        outer: Option<&Loop>,
        all: &mut Vec<Vectorization>,
    ) {
        for stmt in body {
            let mut around = outer;
            match &stmt.kind {
                StmtKind::For(this) => {
                    all.push(of_loop(function, this, outer));
                    // Compilers unroll short loops.
                    if outer.is_none() || !is_short(this) {
                        around = Some(this);
                    }
                }
                StmtKind::Reduce(_) => {
                    all.push(Vectorization::Unknown);
                    around = None;
                }
                _ => {}
            }
            walk::blocks(stmt, &mut |inner| visit(function, inner, around, all));
        }
    }
    let mut all = Vec::new();
    visit(function, &function.body, None, &mut all);
    all
}

fn of_loop(function: &Function, this: &Loop, outer: Option<&Loop>) -> Vectorization {
    let found = innermost(function, this);
    let is_reduction = matches!(
        found,
        Vectorization::OrderedSum | Vectorization::Scalar(Obstacle::OrderedReduction(_))
    );
    match outer {
        Some(outer) if is_reduction && is_vectorized_outside(function, outer, this) => {
            Vectorization::Lanes
        }
        _ => found,
    }
}

/// Returns true if compilers compute several results of the loop around a reduction at the same
/// time: it contains only this loop, perhaps in short ones, which has the same length each time, and
/// whose reads of arrays depend on one of both counters, or are windows of constant length. Other
/// reads would be gathers, which cost more than they save.
fn is_vectorized_outside(function: &Function, outer: &Loop, this: &Loop) -> bool {
    let mut is_plain = true;
    walk::each_stmt(&outer.body, &mut |stmt| {
        is_plain &= match &stmt.kind {
            StmtKind::For(inner) => inner.counter == this.counter || is_short(inner),
            StmtKind::Declare(..) | StmtKind::Assign(..) => true,
            _ => false,
        };
    });
    let is_constant = Nat::sub(&this.to, &this.from).as_const().is_some();
    let mut iterations: i64 = 1;
    let mut loops = 0;
    walk::each_stmt(&outer.body, &mut |stmt| {
        if let StmtKind::For(inner) = &stmt.kind {
            let length = Nat::sub(&inner.to, &inner.from).as_const();
            iterations = iterations.saturating_mul(length.unwrap_or(1));
            loops += 1;
        }
    });
    is_plain &= loops < 2 || iterations <= MAX_UNROLLED_BY_COMPILERS;
    let mut reads_apart = true;
    walk::for_each_expr(&this.body, &mut |expr| {
        walk::sub_exprs(expr, &mut |part| {
            if let ExprKind::Load(place) = &part.kind
                && let Some(index) = &place.index
                && index.mentions(outer.counter)
            {
                reads_apart &= !function.is_opaque(index)
                    && has_unit_stride(index, outer.counter)
                    && (is_constant || !index.mentions(this.counter));
            }
        });
    });
    let bounds = [&this.from, &this.to];
    // Others are the few iterations that are left of another loop.
    let is_whole = outer.from.as_const().is_some();
    is_plain
        && is_whole
        && reads_apart
        && outer.step.as_const() == Some(1)
        && !bounds.iter().any(|bound| bound.mentions(outer.counter))
}

/// Predicts how a loop is executed, without regard to the loops around it.
pub(crate) fn innermost(function: &Function, this: &Loop) -> Vectorization {
    if this.mode == LoopMode::Vector {
        return Vectorization::Vector;
    }
    let mut has_loop = false;
    walk::each_stmt(&this.body, &mut |stmt| {
        has_loop |= matches!(stmt.kind, StmtKind::For(_) | StmtKind::Reduce(_));
    });
    if has_loop {
        return Vectorization::Outer;
    }
    if is_library_call(this) {
        return Vectorization::LibraryCall;
    }
    if has_vectors(&this.body) {
        return Vectorization::Explicit;
    }
    let mut body = Body {
        function,
        this,
        declared: FxHashSet::default(),
        loads: Vec::new(),
        stores: Vec::new(),
        scalars: Vec::new(),
        obstacle: None,
        is_unknown: this.step.as_const() != Some(1) || is_short(this),
    };
    body.block(&this.body);
    body.verdict()
}

/// Returns true if an expression reads elements of arrays.
fn loads_elements(expr: &Expr) -> bool {
    let mut found = false;
    walk::sub_exprs(expr, &mut |part| {
        found |= matches!(&part.kind, ExprKind::Load(place) if place.index.is_some());
    });
    found
}

/// Returns true if an expression is one of the assigned variables.
fn is_one_of(value: &Expr, assigned: &[(Id, &Expr)]) -> bool {
    let is = |id: Id| value.kind == ExprKind::Load(Place::plain(id));
    assigned.iter().any(|(id, _)| is(*id))
}

/// Returns true if statements compute with values of vector types.
fn has_vectors(body: &[Stmt]) -> bool {
    let mut found = false;
    walk::for_each_expr(body, &mut |expr| {
        walk::sub_exprs(expr, &mut |part| {
            found |= matches!(&*part.ty, Type::Vector(..))
        });
    });
    found
}

/// Returns true for a loop with a small constant number of iterations, which compilers unroll.
pub(crate) fn is_short(this: &Loop) -> bool {
    let length = Nat::sub(&this.to, &this.from).as_const();
    length.is_some_and(|length| length <= 16)
}

/// Returns true for a loop with a constant number of iterations that compilers unroll after they
/// vectorised it.
pub(crate) fn is_of_lanes(this: &Loop) -> bool {
    let length = Nat::sub(&this.to, &this.from).as_const();
    length.is_some_and(|length| length <= 64)
}

/// The accesses and assignments in the body of an innermost loop.
struct Body<'a> {
    function: &'a Function,
    this: &'a Loop,
    /// The variables that are declared in the loop.
    declared: FxHashSet<Id>,
    loads: Vec<&'a Place>,
    stores: Vec<&'a Place>,
    /// The assignments to variables that are declared outside of the loop.
    scalars: Vec<(Id, &'a Expr)>,
    obstacle: Option<Obstacle>,
    is_unknown: bool,
}

impl<'a> Body<'a> {
    fn block(&mut self, body: &'a [Stmt]) {
        for stmt in body {
            match &stmt.kind {
                StmtKind::Declare(id, value) => {
                    self.declared.insert(*id);
                    let variable = &self.function.variables[id.0 as usize];
                    let is_bool = matches!(&*variable.elem, Type::Scalar(ScalarType::Bool));
                    self.is_unknown |= variable.count.is_some() || is_bool;
                    if let Some(value) = value {
                        self.expr(value);
                    }
                }
                StmtKind::Assign(place, value) => {
                    self.expr(value);
                    self.store(place, value);
                }
                StmtKind::Block(body) => self.block(body),
                // Guarded stores become masked stores on some processors.
                StmtKind::If { condition, .. } => {
                    self.is_unknown = true;
                    self.expr(condition);
                    walk::blocks(stmt, &mut |body| self.block(body));
                }
                StmtKind::For(_)
                | StmtKind::Point(..)
                | StmtKind::Swap(..)
                | StmtKind::Reduce(_)
                | StmtKind::Barrier(_)
                | StmtKind::Kernel(_) => self.is_unknown = true,
            }
        }
    }

    fn name(&self, id: Id) -> Name {
        self.function.variables[id.0 as usize].name.clone()
    }

    fn store(&mut self, place: &'a Place, value: &'a Expr) {
        if place.index.is_some() {
            self.place(place);
            self.stores.push(place);
        } else if !self.declared.contains(&place.id) {
            if !place.members.is_empty() {
                self.is_unknown = true;
            }
            self.scalars.push((place.id, value));
        }
    }

    /// Checks the divisions that compute a size in each iteration.
    fn size(&mut self, nat: &Nat) {
        each_division(nat, &mut |dividend, divisor| {
            if dividend.mentions(self.this.counter) || divisor.mentions(self.this.counter) {
                match divisor.as_const() {
                    Some(_) => self.is_unknown = true,
                    None => self.block_by(Obstacle::IntegerDivision),
                }
            }
        });
    }

    /// Checks an access to an array.
    fn place(&mut self, place: &Place) {
        if let Some(index) = &place.index {
            self.size(index);
        }
        let variable = &self.function.variables[place.id.0 as usize];
        let is_scalar = matches!(&*variable.elem, Type::Scalar(_) | Type::Index(_));
        let unit = match &place.index {
            Some(index) if index.mentions(self.this.counter) => {
                has_unit_stride(index, self.this.counter)
            }
            _ => true,
        };
        let is_part = !place.members.is_empty() || place.lane.is_some() || place.lanes.is_some();
        if !unit || is_part || !is_scalar || self.depends_on_data(place) {
            self.is_unknown = true;
        }
    }

    fn depends_on_data(&self, place: &Place) -> bool {
        let opaque = |nat: &Nat| (self.function.opaque.iter()).any(|(var, _)| nat.mentions(*var));
        place.index.as_ref().is_some_and(opaque)
    }

    fn block_by(&mut self, obstacle: Obstacle) {
        self.obstacle.get_or_insert(obstacle);
    }

    fn expr(&mut self, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::Load(place) if place.index.is_some() => {
                self.place(place);
                self.loads.push(place);
            }
            ExprKind::Load(place) => self.is_unknown |= !place.members.is_empty(),
            ExprKind::Call(function, _) => match math::plain_name(&function.name) {
                Some("sqrt" | "fabs" | "fma") => {}
                Some("copysign" | "floor" | "ceil" | "trunc" | "rint" | "nearbyint")
                | Some("fmin" | "fmax" | "round" | "lrint" | "fdim") => self.is_unknown = true,
                Some(_) if function.body.is_none() => {
                    self.block_by(Obstacle::Call(function.name.clone()));
                }
                Some(_) | None => self.is_unknown = true,
            },
            ExprKind::Binary(Binary::Div | Binary::Mod, _, divisor) if !is_float(&expr.ty) => {
                match divisor.kind {
                    ExprKind::Literal(_) => self.is_unknown = true,
                    _ => self.block_by(Obstacle::IntegerDivision),
                }
            }
            ExprKind::Binary(operator, a, _) => {
                self.is_unknown |= matches!(operator, Binary::And | Binary::Or)
                    || (*operator == Binary::Mul && is_wide(&a.ty));
            }
            ExprKind::Unary(Unary::Not | Unary::Abs, _) | ExprKind::Cast(..) => {
                self.is_unknown |= !is_simple_cast(expr);
            }
            // Whether compilers mask such loads depends on the processor.
            ExprKind::Select(_, a, b) => {
                self.is_unknown |= [a, b].into_iter().any(|part| loads_elements(part));
            }
            ExprKind::Nat(nat) if nat.mentions(self.this.counter) => {
                self.size(nat);
                let is_linear = linear_form(nat, self.this.counter).is_some();
                self.is_unknown |= !is_linear;
            }
            ExprKind::Pair(..)
            | ExprKind::Half(..)
            | ExprKind::Broadcast(_)
            | ExprKind::Vector(_)
            | ExprKind::Lane(..)
            | ExprKind::Element(..) => self.is_unknown = true,
            ExprKind::Literal(_) | ExprKind::Nat(_) | ExprKind::Unary(..) => {}
        }
        walk::each_part(expr, &mut |part| self.expr(part));
    }

    fn verdict(mut self) -> Vectorization {
        self.check_arrays();
        let mut is_sum = false;
        let scalars = std::mem::take(&mut self.scalars);
        for (at, (id, value)) in scalars.iter().enumerate() {
            let id = *id;
            // GCC has vectors for the value of the previous iteration, not for the one before that.
            if is_one_of(value, &scalars[at + 1..]) {
                self.block_by(Obstacle::Recurrence(self.name(id)));
                continue;
            }
            match self.reduction(id, value) {
                Some(reduction) => match (reduction, is_float(&value.ty)) {
                    // No processor adds the lanes of a vector to a number in a fused operation.
                    (Binary::Add | Binary::Sub, true) if has_fma(value) => {
                        self.block_by(Obstacle::OrderedReduction("sum"));
                    }
                    (Binary::Add | Binary::Sub, true) => is_sum = true,
                    (Binary::Mul, true) => self.block_by(Obstacle::OrderedReduction("product")),
                    (Binary::Min, true) => self.block_by(Obstacle::OrderedReduction("minimum")),
                    (Binary::Max, true) => self.block_by(Obstacle::OrderedReduction("maximum")),
                    (Binary::Add | Binary::Sub | Binary::Min | Binary::Max, false)
                        if !is_wide(&value.ty) => {}
                    _ => self.is_unknown = true,
                },
                None if !self.reads(value, id) => self.is_unknown = true,
                // Without `-ffast-math`, compilers keep the order of comparisons of floats.
                None => match has_select(value) && !self.compares(value, id) {
                    true => self.is_unknown = true,
                    false => self.block_by(Obstacle::Recurrence(self.name(id))),
                },
            }
        }
        match self.obstacle {
            Some(obstacle) => Vectorization::Scalar(obstacle),
            None if is_sum => Vectorization::OrderedSum,
            None if self.is_unknown => Vectorization::Unknown,
            None => Vectorization::Vector,
        }
    }

    /// Compares the stores with all other accesses to the same array.
    fn check_arrays(&mut self) {
        let counter = self.this.counter;
        /// The maximal number of rows between two accesses.
        const ROWS: i64 = 8;
        let length = Nat::sub(&self.this.to, &self.this.from);
        // Accesses to rows that are as long as the loop, or longer if that is a constant.
        let is_apart = |a: &Nat, b: &Nat| {
            let distance = Nat::sub(a, b);
            match (distance.as_const(), length.as_const()) {
                (Some(distance), Some(length)) => distance.abs() >= length,
                _ => (1..=ROWS).any(|rows| {
                    let rows = Nat::mul(&length, &Nat::constant(rows));
                    distance == rows || Nat::sub(b, a) == rows
                }),
            }
        };
        for store in self.stores.clone() {
            let Some(written) = &store.index else {
                continue;
            };
            if self.depends_on_data(store) && self.loads.iter().any(|load| load.id == store.id) {
                self.block_by(Obstacle::Dependence(self.name(store.id)));
                continue;
            }
            if !written.mentions(counter) {
                self.is_unknown = true;
                continue;
            }
            for load in self
                .loads
                .clone()
                .into_iter()
                .filter(|load| load.id == store.id)
            {
                let Some(read) = &load.index else {
                    continue;
                };
                if read == written || is_apart(read, written) {
                    continue;
                }
                // The number of iterations between the write and the read.
                let distance = Nat::sub(written, read).as_const();
                match (distance, linear_form(written, counter)) {
                    (Some(distance), Some((stride, _))) if stride.as_const() == Some(1) => {
                        if distance == 1 {
                            self.block_by(Obstacle::Dependence(self.name(store.id)));
                        } else if distance > 1 {
                            self.is_unknown = true;
                        }
                    }
                    _ => self.is_unknown = true,
                }
            }
            let is_overlapping = |other: &&&Place| {
                let others = other.index.as_ref();
                other.id == store.id && others.is_none_or(|index| !is_apart(index, written))
            };
            self.is_unknown |= self.stores.iter().filter(is_overlapping).count() > 1;
        }
    }

    /// Returns the operator if the value combines the variable with other values, and no other part
    /// of the loop reads the variable.
    fn reduction(&self, id: Id, value: &Expr) -> Option<Binary> {
        let uses = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Declare(_, Some(value)) => self.reads(value, id),
            StmtKind::Assign(place, other) => {
                (place.id != id || place.index.is_some()) && self.reads(other, id)
            }
            StmtKind::If { condition, .. } => self.reads(condition, id),
            _ => false,
        };
        let mut elsewhere = 0;
        let mut assignments = 0;
        walk::each_stmt(&self.this.body, &mut |stmt| {
            elsewhere += u32::from(uses(stmt));
            let assigns = matches!(&stmt.kind, StmtKind::Assign(place, _) if place.id == id);
            assignments += u32::from(assigns);
        });
        if elsewhere > 0 || assignments != 1 {
            return None;
        }
        self.operator(id, value)
    }

    fn operator(&self, id: Id, value: &Expr) -> Option<Binary> {
        let is_variable = |expr: &Expr| matches!(&expr.kind, ExprKind::Load(place) if place.id == id && place.index.is_none());
        if let Some([a, b, sum]) = fma_operands(value) {
            let is_sum = is_variable(sum) || self.operator(id, sum) == Some(Binary::Add);
            let is_apart = !self.reads(a, id) && !self.reads(b, id);
            return (is_sum && is_apart).then_some(Binary::Add);
        }
        if let ExprKind::Select(condition, a, b) = &value.kind
            && let ExprKind::Binary(comparison, x, y) = &condition.kind
        {
            // `x > acc ? x : acc`
            let is_straight = (a, b) == (x, y);
            let chooses = is_straight || (a, b) == (y, x);
            let is_apart = match is_variable(x) {
                true => !self.reads(y, id),
                false => is_variable(y) && !self.reads(x, id),
            };
            return match (chooses && is_apart, comparison) {
                (true, Binary::Gt | Binary::Ge) if is_straight => Some(Binary::Max),
                (true, Binary::Gt | Binary::Ge) => Some(Binary::Min),
                (true, Binary::Lt | Binary::Le) if is_straight => Some(Binary::Min),
                (true, Binary::Lt | Binary::Le) => Some(Binary::Max),
                _ => None,
            };
        }
        let ExprKind::Binary(operator, a, b) = &value.kind else {
            return None;
        };
        match (self.reads(a, id), self.reads(b, id)) {
            (true, false) if is_variable(a) => Some(*operator),
            (false, true) if is_variable(b) && *operator != Binary::Sub => Some(*operator),
            // `(acc + a) + b`
            (true, false) if matches!(operator, Binary::Add | Binary::Sub) => {
                let inner = self.operator(id, a)?;
                matches!(inner, Binary::Add | Binary::Sub).then_some(inner)
            }
            _ => None,
        }
    }

    /// Returns true if a part of a value compares a variable with another float.
    fn compares(&self, value: &Expr, id: Id) -> bool {
        let mut found = false;
        walk::sub_exprs(value, &mut |part| {
            if let ExprKind::Binary(operator, a, b) = &part.kind {
                let is_comparison = matches!(
                    operator,
                    Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge | Binary::Eq | Binary::Ne
                );
                found |=
                    is_comparison && is_float(&a.ty) && (self.reads(a, id) || self.reads(b, id));
            }
        });
        found
    }

    fn reads(&self, value: &Expr, id: Id) -> bool {
        let mut found = false;
        walk::sub_exprs(value, &mut |expr| {
            found |= matches!(&expr.kind, ExprKind::Load(place) if place.id == id);
        });
        found
    }
}

/// Returns the factors and the summand of a fused multiplication and addition.
fn fma_operands(value: &Expr) -> Option<[&Expr; 3]> {
    match &value.kind {
        ExprKind::Call(function, operands) if math::plain_name(&function.name) == Some("fma") => {
            operands.iter().collect::<Vec<_>>().try_into().ok()
        }
        _ => None,
    }
}

fn has_fma(value: &Expr) -> bool {
    let mut found = false;
    walk::sub_exprs(value, &mut |part| found |= fma_operands(part).is_some());
    found
}

/// Returns true if a loop only fills contiguous parts of arrays with zeros, or copies them.
fn is_library_call(this: &Loop) -> bool {
    !this.body.is_empty() && this.body.iter().all(|stmt| is_fill_or_copy(stmt, this))
}

/// Returns true if a statement in a loop fills a contiguous part of an array with zeros, or copies one.
fn is_fill_or_copy(stmt: &Stmt, this: &Loop) -> bool {
    let StmtKind::Assign(place, value) = &stmt.kind else {
        return false;
    };
    let is_unit = |place: &Place| {
        let index = place.index.as_ref();
        index.is_some_and(|index| has_unit_stride(index, this.counter)) && place.members.is_empty()
    };
    let is_zero = match &value.kind {
        ExprKind::Literal(Literal::Int { value, .. }) => *value == 0,
        ExprKind::Literal(Literal::Float { text, .. }) => {
            (text.parse::<f64>()).is_ok_and(|value| value == 0.0 && value.is_sign_positive())
        }
        _ => false,
    };
    let copies =
        matches!(&value.kind, ExprKind::Load(from) if is_unit(from) && from.id != place.id);
    is_unit(place) && (copies || is_zero)
}

pub(crate) fn is_float(ty: &Type) -> bool {
    let scalar = match ty {
        Type::Vector(_, elem) => elem,
        other => other,
    };
    matches!(
        scalar,
        Type::Scalar(ScalarType::F16 | ScalarType::F32 | ScalarType::F64)
    )
}

/// Returns true for integers of 64 bits, which not all processors multiply and compare in vectors.
fn is_wide(ty: &Type) -> bool {
    matches!(ty, Type::Scalar(ScalarType::I64 | ScalarType::U64))
}

/// Returns true for a conversion between 32-bit numbers.
fn is_simple_cast(expr: &Expr) -> bool {
    let is_32 = |ty: &Type| {
        matches!(
            ty,
            Type::Scalar(ScalarType::I32 | ScalarType::F32 | ScalarType::NatType) | Type::Index(_)
        )
    };
    match &expr.kind {
        ExprKind::Cast(to, from) => {
            matches!(to, ScalarType::I32 | ScalarType::F32) && is_32(&from.ty)
        }
        _ => false,
    }
}

fn has_select(value: &Expr) -> bool {
    let mut found = false;
    walk::sub_exprs(value, &mut |expr| {
        let is_choice = matches!(
            expr.kind,
            ExprKind::Select(..)
                | ExprKind::Binary(
                    Binary::And | Binary::Or | Binary::Eq | Binary::Lt | Binary::Le,
                    ..
                )
        );
        found |= is_choice;
    });
    found
}
