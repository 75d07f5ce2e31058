//! Finds the uses of variables in statements and expressions: declarations, reads and writes, also
//! reads through indices that depend on data.

use nat::{Nat, Var};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Expr, ExprKind, Function, Id, Loop, Place, Stmt, StmtKind};

use crate::ir::walk;

/// Finds the uses of variables. A size that contains an opaque size counts as a read of the
/// variables in the expression of that one.
#[derive(Default)]
pub(crate) struct Uses {
    /// Maps an opaque size to the variables that its expression reads, also through other opaque
    /// sizes.
    behind: FxHashMap<Var, Vec<Id>>,
}

/// A use of a variable in a statement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mention<'p> {
    /// Its declaration, with or without a value.
    Declared,
    /// A read at a place.
    Read(&'p Place),
    /// A write at a place.
    Written(&'p Place),
    /// A read by a size that contains an opaque size.
    Index,
    /// An assignment of its address to a pointer; or, if it is a pointer, an assignment to it or an
    /// exchange.
    Pointed,
    /// A use as the result, the element or an operand of a parallel reduction.
    Reduced,
}

impl Uses {
    /// Collects the variables that the opaque sizes of a function read.
    pub fn of(function: &Function) -> Uses {
        let mut uses = Uses::default();
        // An opaque size may depend on others, in any order.
        loop {
            let before: usize = uses.behind.values().map(Vec::len).sum();
            for (var, value) in &function.opaque {
                let mut ids = Vec::new();
                uses.expr(value, &mut |id, _| {
                    if !ids.contains(&id) {
                        ids.push(id);
                    }
                });
                uses.behind.insert(*var, ids);
            }
            if uses.behind.values().map(Vec::len).sum::<usize>() == before {
                return uses;
            }
        }
    }

    /// Replaces variables among those that opaque sizes are known to read; the function is not
    /// changed.
    pub fn rename(&mut self, map: &FxHashMap<Id, Id>) {
        for id in self.behind.values_mut().flatten() {
            *id = map.get(id).copied().unwrap_or(*id);
        }
    }

    /// Returns true if a size contains an opaque size, and so depends on data.
    pub fn is_data(&self, nat: &Nat) -> bool {
        nat.any_var(&|var| self.behind.contains_key(&var))
    }

    fn nat(&self, nat: &Nat, visit: &mut dyn FnMut(Id, Mention<'_>)) {
        if self.behind.is_empty() {
            return;
        }
        nat.for_each_var(&mut |var| {
            for id in self.behind.get(&var).into_iter().flatten() {
                visit(*id, Mention::Index);
            }
        });
    }

    fn place(&self, place: &Place, visit: &mut dyn FnMut(Id, Mention<'_>)) {
        for nat in [&place.index, &place.lane, &place.lanes]
            .into_iter()
            .flatten()
        {
            self.nat(nat, visit);
        }
    }

    /// Calls `visit` with each read of a variable in an expression.
    pub fn expr(&self, expr: &Expr, visit: &mut dyn FnMut(Id, Mention<'_>)) {
        match &expr.kind {
            ExprKind::Load(place) => {
                visit(place.id, Mention::Read(place));
                self.place(place, visit);
            }
            ExprKind::Nat(nat) | ExprKind::Lane(_, nat) | ExprKind::Element(_, nat) => {
                self.nat(nat, visit);
            }
            _ => {}
        }
        walk::each_part(expr, &mut |part| self.expr(part, visit));
    }

    /// Calls `visit` with each use of a variable in statements and their nested statements, in
    /// order.
    pub fn all(&self, body: &[Stmt], visit: &mut dyn FnMut(Id, Mention<'_>)) {
        for stmt in body {
            self.stmt(stmt, visit);
        }
    }

    /// Calls `visit` with each use of a variable in a statement and its nested statements, in
    /// order: reads before the write, and the variables of a parallel reduction itself after those
    /// in its statements.
    pub fn stmt(&self, stmt: &Stmt, visit: &mut dyn FnMut(Id, Mention<'_>)) {
        match &stmt.kind {
            StmtKind::Declare(id, value) => {
                if let Some(value) = value {
                    self.expr(value, visit);
                }
                visit(*id, Mention::Declared);
            }
            StmtKind::Assign(place, value) => {
                self.expr(value, visit);
                self.place(place, visit);
                visit(place.id, Mention::Written(place));
            }
            StmtKind::For(Loop {
                from,
                to,
                step,
                body,
                ..
            }) => {
                for nat in [from, to, step] {
                    self.nat(nat, visit);
                }
                self.all(body, visit);
            }
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.expr(condition, visit);
                self.all(then, visit);
                self.all(otherwise, visit);
            }
            StmtKind::Block(body) => self.all(body, visit),
            StmtKind::Point(id, place) => {
                self.place(place, visit);
                visit(place.id, Mention::Pointed);
                visit(*id, Mention::Pointed);
            }
            StmtKind::Barrier(_) => {}
            StmtKind::Kernel(kernel) => self.all(&kernel.body, visit),
            StmtKind::Swap(a, b) => {
                visit(*a, Mention::Pointed);
                visit(*b, Mention::Pointed);
            }
            StmtKind::Reduce(reduce) => {
                self.nat(&reduce.count, visit);
                self.all(&reduce.element_body, visit);
                self.all(&reduce.combine, visit);
                for id in [reduce.into, reduce.element, reduce.left, reduce.right] {
                    visit(id, Mention::Reduced);
                }
            }
        }
    }

    /// Returns the variables that a statement or its nested statements use.
    pub fn mentioned_in(&self, stmt: &Stmt) -> FxHashSet<Id> {
        let mut all = FxHashSet::default();
        self.stmt(stmt, &mut |id, _| {
            all.insert(id);
        });
        all
    }

    /// Returns true if a statement or one of its nested statements uses a variable.
    pub fn mentions(&self, stmt: &Stmt, id: Id) -> bool {
        let mut found = false;
        self.stmt(stmt, &mut |this, _| found |= this == id);
        found
    }
    /// Returns true if an expression reads a variable, also by an index that depends on data.
    pub fn reads(&self, expr: &Expr, id: Id) -> bool {
        let mut found = false;
        self.expr(expr, &mut |this, _| found |= this == id);
        found
    }

    /// Returns the variables that are used in another way than by a declaration, or by a read or
    /// write at a place: pointers and the variables that they point to, and the variables in opaque
    /// sizes and in parallel reductions.
    pub fn untracked(&self, body: &[Stmt]) -> FxHashSet<Id> {
        let mut found = FxHashSet::default();
        self.all(body, &mut |id, mention| {
            if matches!(
                mention,
                Mention::Index | Mention::Pointed | Mention::Reduced
            ) {
                found.insert(id);
            }
        });
        found
    }
}
