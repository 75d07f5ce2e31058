//! Defines functions and visitors that traverse statements, expressions, places and sizes.

use nat::{Nat, Var};
use rustc_hash::FxHashMap;

use crate::ir::{Expr, ExprKind, Id, Loop, Place, Stmt, StmtKind};

/// Calls `visit` with each statement, including nested ones, and with each before its nested ones.
pub(crate) fn each_stmt<'s>(body: &'s [Stmt], visit: &mut dyn FnMut(&'s Stmt)) {
    for stmt in body {
        visit(stmt);
        blocks(stmt, &mut |body| each_stmt(body, visit));
    }
}

/// Calls `visit` with each initial value, assigned value and condition of the statements and their
/// nested statements, but not with the subexpressions of these.
pub(crate) fn for_each_expr<'s>(body: &'s [Stmt], visit: &mut dyn FnMut(&'s Expr)) {
    each_stmt(body, &mut |stmt| each_expr(stmt, visit));
}

/// Returns true if statements contain a loop.
pub(crate) fn has_loop(body: &[Stmt]) -> bool {
    let mut found = false;
    each_stmt(body, &mut |stmt| {
        found |= matches!(stmt.kind, StmtKind::For(_))
    });
    found
}

/// Returns true if a kernel is among the statements.
pub(crate) fn has_kernel(body: &[Stmt]) -> bool {
    let mut found = false;
    each_stmt(body, &mut |stmt| {
        found |= matches!(stmt.kind, StmtKind::Kernel(_));
    });
    found
}

/// Calls `visit` with each expression that is a direct part of a statement, but not with its
/// subexpressions.
pub(crate) fn each_expr<'s>(stmt: &'s Stmt, visit: &mut dyn FnMut(&'s Expr)) {
    match &stmt.kind {
        StmtKind::Declare(_, value) => value.iter().for_each(&mut *visit),
        StmtKind::Assign(_, value) => visit(value),
        StmtKind::If { condition, .. } => visit(condition),
        StmtKind::For(_)
        | StmtKind::Block(_)
        | StmtKind::Point(..)
        | StmtKind::Swap(..)
        | StmtKind::Reduce(_)
        | StmtKind::Barrier(_)
        | StmtKind::Kernel(_) => {}
    }
}

/// Calls `visit` with each list of statements that is directly nested in a statement.
pub(crate) fn blocks<'s>(stmt: &'s Stmt, visit: &mut dyn FnMut(&'s [Stmt])) {
    match &stmt.kind {
        StmtKind::For(Loop { body, .. }) | StmtKind::Block(body) => visit(body),
        StmtKind::If {
            then, otherwise, ..
        } => {
            visit(then);
            visit(otherwise);
        }
        StmtKind::Reduce(reduce) => {
            visit(&reduce.element_body);
            visit(&reduce.combine);
        }
        StmtKind::Kernel(kernel) => visit(&kernel.body),
        StmtKind::Declare(..)
        | StmtKind::Assign(..)
        | StmtKind::Point(..)
        | StmtKind::Swap(..)
        | StmtKind::Barrier(_) => {}
    }
}

/// Calls `visit` with each list of statements that is directly nested in a statement, which it may
/// change.
pub(crate) fn each_block(stmt: &mut Stmt, visit: &mut dyn FnMut(&mut Vec<Stmt>)) {
    match &mut stmt.kind {
        StmtKind::For(Loop { body, .. }) | StmtKind::Block(body) => visit(body),
        StmtKind::If {
            then, otherwise, ..
        } => {
            visit(then);
            visit(otherwise);
        }
        StmtKind::Reduce(reduce) => {
            visit(&mut reduce.element_body);
            visit(&mut reduce.combine);
        }
        StmtKind::Kernel(kernel) => visit(&mut kernel.body),
        StmtKind::Declare(..)
        | StmtKind::Assign(..)
        | StmtKind::Point(..)
        | StmtKind::Swap(..)
        | StmtKind::Barrier(_) => {}
    }
}

/// Calls `visit` with an expression and all of its subexpressions, each before its own.
pub(crate) fn sub_exprs<'e>(expr: &'e Expr, visit: &mut dyn FnMut(&'e Expr)) {
    visit(expr);
    each_part(expr, &mut |part| sub_exprs(part, visit));
}

/// Calls `visit` with each direct subexpression of an expression, in order.
pub(crate) fn each_part<'e>(expr: &'e Expr, visit: &mut dyn FnMut(&'e Expr)) {
    match &expr.kind {
        ExprKind::Literal(_) | ExprKind::Nat(_) | ExprKind::Load(_) => {}
        ExprKind::Unary(_, a)
        | ExprKind::Cast(_, a)
        | ExprKind::Half(_, a)
        | ExprKind::Broadcast(a)
        | ExprKind::Lane(a, _) => visit(a),
        ExprKind::Binary(_, a, b) | ExprKind::Pair(a, b) => {
            visit(a);
            visit(b);
        }
        ExprKind::Select(a, b, c) => [a, b, c].into_iter().for_each(|part| visit(part)),
        ExprKind::Call(_, all) | ExprKind::Vector(all) | ExprKind::Element(all, _) => {
            all.iter().for_each(visit);
        }
    }
}

/// Returns mutable references to the direct subexpressions of an expression, in order.
pub(crate) fn parts_mut(expr: &mut Expr) -> Vec<&mut Expr> {
    match &mut expr.kind {
        ExprKind::Literal(_) | ExprKind::Nat(_) | ExprKind::Load(_) => Vec::new(),
        ExprKind::Unary(_, a)
        | ExprKind::Cast(_, a)
        | ExprKind::Half(_, a)
        | ExprKind::Broadcast(a)
        | ExprKind::Lane(a, _) => vec![a],
        ExprKind::Binary(_, a, b) | ExprKind::Pair(a, b) => vec![a, b],
        ExprKind::Select(a, b, c) => vec![a, b, c],
        ExprKind::Call(_, all) | ExprKind::Vector(all) | ExprKind::Element(all, _) => {
            all.iter_mut().collect()
        }
    }
}

/// A visitor that changes places, sizes, expressions and variables; the default methods change
/// nothing.
pub(crate) trait Change {
    /// Changes a place, after its sizes.
    fn place(&mut self, _place: &mut Place) {}
    /// Changes a size, other than a counter.
    fn nat(&mut self, _nat: &mut Nat) {}
    /// Changes an expression, after its subexpressions.
    fn expr(&mut self, _expr: &mut Expr) {}
    /// Changes a variable that a statement mentions directly, not by a place: in a declaration, as
    /// the pointer of an assignment or exchange of pointers, or in a parallel reduction.
    fn id(&mut self, _id: &mut Id) {}
}

/// Applies `change` to all statements and their nested statements.
pub(crate) fn change_all(body: &mut [Stmt], change: &mut dyn Change) {
    for stmt in body {
        change_stmt(stmt, change);
    }
}

/// Applies `change` to a statement and its nested statements.
pub(crate) fn change_stmt(stmt: &mut Stmt, change: &mut dyn Change) {
    match &mut stmt.kind {
        StmtKind::Declare(id, value) => {
            change.id(id);
            if let Some(value) = value {
                change_expr(value, change);
            }
        }
        StmtKind::Assign(place, value) => {
            change_place(place, change);
            change_expr(value, change);
        }
        StmtKind::For(Loop {
            from,
            to,
            step,
            body,
            ..
        }) => {
            change.nat(from);
            change.nat(to);
            change.nat(step);
            change_all(body, change);
        }
        StmtKind::If {
            condition,
            then,
            otherwise,
        } => {
            change_expr(condition, change);
            change_all(then, change);
            change_all(otherwise, change);
        }
        StmtKind::Block(body) => change_all(body, change),
        StmtKind::Point(id, place) => {
            change.id(id);
            change_place(place, change);
        }
        StmtKind::Swap(a, b) => {
            change.id(a);
            change.id(b);
        }
        StmtKind::Reduce(reduce) => {
            change.nat(&mut reduce.count);
            for id in [
                &mut reduce.into,
                &mut reduce.element,
                &mut reduce.left,
                &mut reduce.right,
            ] {
                change.id(id);
            }
            change_all(&mut reduce.element_body, change);
            change_all(&mut reduce.combine, change);
        }
        StmtKind::Barrier(_) => {}
        StmtKind::Kernel(kernel) => change_all(&mut kernel.body, change),
    }
}

/// Applies `change` to the sizes in a place, and then to the place.
pub(crate) fn change_place(place: &mut Place, change: &mut dyn Change) {
    let sizes = [&mut place.index, &mut place.lane, &mut place.lanes];
    for nat in sizes.into_iter().flatten() {
        change.nat(nat);
    }
    change.place(place);
}

/// Applies `change` to the subexpressions of an expression and the sizes and places in it, and then
/// to the expression.
pub(crate) fn change_expr(expr: &mut Expr, change: &mut dyn Change) {
    for part in parts_mut(expr) {
        change_expr(part, change);
    }
    match &mut expr.kind {
        ExprKind::Nat(nat) | ExprKind::Lane(_, nat) | ExprKind::Element(_, nat) => change.nat(nat),
        ExprKind::Load(place) => change_place(place, change),
        _ => {}
    }
    change.expr(expr);
}

/// A visitor of places and sizes; the default methods do nothing.
pub(crate) trait Look {
    /// Visits a place, before its sizes.
    fn place(&mut self, _place: &Place) {}
    /// Visits a size.
    fn nat(&mut self, _nat: &Nat) {}
}

/// Calls the visitor with all places and sizes in statements and their nested statements: those
/// that [`change_all`] changes.
pub(crate) fn look(body: &[Stmt], look: &mut dyn Look) {
    for stmt in body {
        look_stmt(stmt, look);
    }
}

fn look_stmt(stmt: &Stmt, to: &mut dyn Look) {
    match &stmt.kind {
        StmtKind::Declare(_, value) => value.iter().for_each(|value| look_expr(value, to)),
        StmtKind::Assign(place, value) => {
            look_place(place, to);
            look_expr(value, to);
        }
        StmtKind::For(Loop {
            from,
            to: end,
            step,
            ..
        }) => [from, end, step].into_iter().for_each(|nat| to.nat(nat)),
        StmtKind::If { condition, .. } => look_expr(condition, to),
        StmtKind::Point(_, place) => look_place(place, to),
        StmtKind::Reduce(reduce) => to.nat(&reduce.count),
        StmtKind::Block(_) | StmtKind::Swap(..) | StmtKind::Barrier(_) | StmtKind::Kernel(_) => {}
    }
    blocks(stmt, &mut |body| look(body, to));
}

fn look_place(place: &Place, to: &mut dyn Look) {
    to.place(place);
    let sizes = [&place.index, &place.lane, &place.lanes];
    sizes.into_iter().flatten().for_each(|nat| to.nat(nat));
}

/// Returns the sizes in statements, of loops and of indices.
pub(crate) fn sizes(body: &[Stmt]) -> Vec<Nat> {
    struct Sizes(Vec<Nat>);
    impl Look for Sizes {
        fn nat(&mut self, nat: &Nat) {
            self.0.push(nat.clone());
        }
    }
    let mut sizes = Sizes(Vec::new());
    look(body, &mut sizes);
    sizes.0
}

/// Calls the visitor with all places and sizes in an expression: those that [`change_expr`]
/// changes.
pub(crate) fn look_expr(expr: &Expr, to: &mut dyn Look) {
    match &expr.kind {
        ExprKind::Nat(nat) | ExprKind::Lane(_, nat) | ExprKind::Element(_, nat) => to.nat(nat),
        ExprKind::Load(place) => look_place(place, to),
        _ => {}
    }
    each_part(expr, &mut |part| look_expr(part, to));
}

/// A visitor that replaces variables, in places and elsewhere.
pub(crate) struct Renamed<'m> {
    /// Maps variables to their replacements.
    pub ids: &'m FxHashMap<Id, Id>,
}

impl Change for Renamed<'_> {
    fn place(&mut self, place: &mut Place) {
        self.id(&mut place.id);
    }
    fn id(&mut self, id: &mut Id) {
        if let Some(new) = self.ids.get(id) {
            *id = *new;
        }
    }
}

/// A visitor that replaces a size variable by a size, except where it is the counter of a loop or
/// reduction.
pub(crate) struct ReplaceSize {
    pub var: Var,
    pub value: Nat,
}

impl Change for ReplaceSize {
    fn nat(&mut self, nat: &mut Nat) {
        if nat.mentions(self.var) {
            *nat = nat.subst(&|var| (var == self.var).then(|| self.value.clone()));
        }
    }
}

/// A visitor that replaces a place by another one.
pub(crate) struct ReplacePlace<'p>(pub &'p Place, pub &'p Place);

impl Change for ReplacePlace<'_> {
    fn place(&mut self, place: &mut Place) {
        if place == self.0 {
            *place = self.1.clone();
        }
    }
}

/// Returns true if an expression contains a size that mentions a variable.
pub(crate) fn mentions(expr: &Expr, var: Var) -> bool {
    struct Mentions(Var, bool);
    impl Look for Mentions {
        fn nat(&mut self, nat: &Nat) {
            self.1 |= nat.mentions(self.0);
        }
    }
    let mut found = Mentions(var, false);
    look_expr(expr, &mut found);
    found.1
}
