//! Copies of statements, with new variables and counters in place of those that they declare.

use nat::{Nat, Var};
use rustc_hash::FxHashMap;

use super::walk::{self, Change};
use super::{Expr, ExprKind, Function, Id, Place, Stmt, StmtKind};

/// A substitution of variables, and of sizes for size variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Renaming {
    /// Maps variables to those in their place.
    pub ids: FxHashMap<Id, Id>,
    /// Maps size variables to the sizes in their place.
    pub vars: FxHashMap<Var, Nat>,
}

impl Renaming {
    /// Creates new variables and counters in place of those that statements declare.
    pub fn of_declared(function: &mut Function, body: &[Stmt]) -> Renaming {
        let mut renaming = Renaming::default();
        renaming.add_declared(function, body);
        renaming
    }

    /// Adds new variables and counters in place of those that statements declare.
    pub fn add_declared(&mut self, function: &mut Function, body: &[Stmt]) {
        self.add_variables(function, body);
        walk::each_stmt(body, &mut |stmt| match &stmt.kind {
            StmtKind::For(this) => self.add_var(function, this.counter),
            StmtKind::Reduce(reduce) => self.add_var(function, reduce.counter),
            _ => {}
        });
    }

    /// Adds new variables in place of those that statements declare, and keeps the counters.
    pub fn add_variables(&mut self, function: &mut Function, body: &[Stmt]) {
        walk::each_stmt(body, &mut |stmt| match &stmt.kind {
            StmtKind::Declare(id, _) => self.add_id(function, *id),
            StmtKind::Reduce(reduce) => {
                for id in [reduce.left, reduce.right, reduce.element] {
                    self.add_id(function, id);
                }
            }
            _ => {}
        });
    }

    fn add_id(&mut self, function: &mut Function, id: Id) {
        if self.ids.contains_key(&id) {
            return;
        }
        if let Some(variable) = function.variables.get(id.0 as usize).cloned() {
            self.ids.insert(id, function.fresh_variable(variable));
        }
    }

    /// Adds a new size variable of the same name in place of `var`.
    pub fn add_var(&mut self, function: &mut Function, var: Var) {
        let name = function.names.get(var.0 as usize).cloned();
        let new = function.fresh_size(&name.unwrap_or_default());
        self.vars.insert(var, Nat::var(new));
    }

    /// Applies the substitution to statements, their counters included.
    pub fn apply(&self, body: &mut [Stmt]) {
        walk::change_all(body, &mut Substitution(self));
        self.apply_to_counters(body);
    }

    /// Applies the substitution to an expression.
    pub fn apply_to_expr(&self, expr: &mut Expr) {
        walk::change_expr(expr, &mut Substitution(self));
    }

    fn apply_to_counters(&self, body: &mut [Stmt]) {
        let renamed = |var: &mut Var| {
            if let Some(new) = self.vars.get(var).and_then(Nat::as_var) {
                *var = new;
            }
        };
        for stmt in body {
            match &mut stmt.kind {
                StmtKind::For(this) => renamed(&mut this.counter),
                StmtKind::Reduce(reduce) => renamed(&mut reduce.counter),
                _ => {}
            }
            walk::each_block(stmt, &mut |body| self.apply_to_counters(body));
        }
    }

    /// Returns true if an expression reads a variable that is replaced, or contains a size variable
    /// that is.
    pub fn changes(&self, expr: &Expr) -> bool {
        let changes = |nat: &Nat| nat.any_var(&|var| self.vars.contains_key(&var));
        let mut found = false;
        walk::sub_exprs(expr, &mut |part| {
            found |= match &part.kind {
                ExprKind::Load(place) => {
                    let mut sizes = [&place.index, &place.lane].into_iter().flatten();
                    self.ids.contains_key(&place.id) || sizes.any(&changes)
                }
                ExprKind::Nat(nat) | ExprKind::Lane(_, nat) | ExprKind::Element(_, nat) => {
                    changes(nat)
                }
                _ => false,
            };
        });
        found
    }
}

struct Substitution<'r>(&'r Renaming);

impl Change for Substitution<'_> {
    fn place(&mut self, place: &mut Place) {
        self.id(&mut place.id);
    }
    fn nat(&mut self, nat: &mut Nat) {
        let vars = &self.0.vars;
        if nat.any_var(&|var| vars.contains_key(&var)) {
            *nat = nat.subst(&|var| vars.get(&var).cloned());
        }
    }
    fn id(&mut self, id: &mut Id) {
        if let Some(new) = self.0.ids.get(id) {
            *id = *new;
        }
    }
}
