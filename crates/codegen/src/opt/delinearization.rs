//! Delinearisation: makes a loop over the elements of a joined array two loops, one in the other.
//!
//! `for i in 0..n*m { f(i / m, i % m) }` divides in each iteration. Afterwards it is
//! `for k in 0..n { for l in 0..m { f(k, l) } }`, with the iterations in the same order. This is the
//! inverse of loop coalescing (Polychronopoulos, "Loop Coalescing: A Compiler Transformation for
//! Parallel Machines", 1987).
//!
//! Sequential loops whose length is a multiple of the divisor are changed, if no quotient or
//! remainder of the counter is left in the new loops.

use nat::{Facts, Nat, Var};

use super::{Pass, Run};
use crate::analysis::conditions::{assume_counter, assume_loop};
use crate::analysis::dependence_test::{each_division, exact_quotient};
use crate::analysis::uses::Uses;
use crate::ir::trace::Changes;
use crate::ir::walk::{self, Change, Look};
use crate::ir::{Function, Loop, LoopMode, Maker, Stmt, StmtKind};

pub(crate) const PASS: Pass = Pass {
    name: "delinearization",
    run: Run::Always(run),
    changes: Changes::all("part of two loops in place of one over a joined array"),
};

fn run(function: &mut Function) {
    let uses = Uses::of(function);
    let mut body = std::mem::take(&mut function.body);
    let mut pass = Delinearization {
        uses,
        facts: function.known(),
        function,
    };
    pass.block(&mut body);
    function.body = body;
}

struct Delinearization<'f> {
    function: &'f mut Function,
    uses: Uses,
    facts: Facts,
}

impl Delinearization<'_> {
    fn block(&mut self, body: &mut [Stmt]) {
        for stmt in body {
            if let StmtKind::For(this) = &stmt.kind
                && let Some(outer) = self.delinearized(this, stmt)
            {
                stmt.kind = StmtKind::For(outer);
                stmt.made_by = stmt.made_by.or(Some(Maker::Pass(PASS.name)));
            }
            let facts = self.facts.clone();
            if let StmtKind::For(this) = &stmt.kind {
                assume_loop(&mut self.facts, this);
            }
            walk::each_block(stmt, &mut |inner| self.block(inner));
            self.facts = facts;
        }
    }

    /// Returns the outer one of two loops that take the place of a loop, if its counter is divided by
    /// one size.
    fn delinearized(&mut self, this: &Loop, stmt: &Stmt) -> Option<Loop> {
        let is_plain =
            this.mode == LoopMode::Sequential && this.step.is_one() && this.from == Nat::ZERO;
        is_plain.then_some(())?;
        let divisor = divisor_of(this)?;
        let count = exact_quotient(&this.to, &divisor)?;
        let [row, element] = ["row", "element"].map(|name| self.function.fresh_size(name));
        let mut facts = self.facts.clone();
        assume_counter(&mut facts, row, &Nat::ZERO, &count, &Nat::ONE);
        assume_counter(&mut facts, element, &Nat::ZERO, &divisor, &Nat::ONE);
        let mut body = this.body.clone();
        let mut substitution = Substitution {
            counter: this.counter,
            value: &(&divisor * &Nat::var(row)) + &Nat::var(element),
            parts: [row, element],
            facts: &facts,
            uses: &self.uses,
            is_window: this.to.as_const().is_some(),
            fails: false,
        };
        walk::change_all(&mut body, &mut substitution);
        if substitution.fails {
            return None;
        }
        let over = |counter: Var, to: Nat, body: Vec<Stmt>| Loop {
            counter,
            to,
            body,
            ..this.clone()
        };
        let elements = StmtKind::For(over(element, divisor, body));
        let made_by = stmt.made_by.or(Some(Maker::Pass(PASS.name)));
        let elements = Stmt::new(elements, stmt.origin, made_by);
        Some(over(row, count, vec![elements]))
    }
}

/// Returns a size by which the counter of a loop is divided: the largest one of several constants, as
/// the others divide it in arrays that are joined twice.
fn divisor_of(this: &Loop) -> Option<Nat> {
    struct Divisor {
        counter: Var,
        found: Option<Nat>,
    }
    impl Look for Divisor {
        fn nat(&mut self, nat: &Nat) {
            each_division(nat, &mut |dividend, divisor| {
                if dividend.mentions(self.counter) && !divisor.mentions(self.counter) {
                    let found = self.found.get_or_insert_with(|| divisor.clone());
                    if divisor.as_const() > found.as_const() {
                        *found = divisor.clone();
                    }
                }
            });
        }
    }
    let mut divisor = Divisor {
        counter: this.counter,
        found: None,
    };
    walk::look(&this.body, &mut divisor);
    divisor.found
}

/// Replaces a counter by the two counters that take its place.
struct Substitution<'f> {
    counter: Var,
    value: Nat,
    parts: [Var; 2],
    facts: &'f Facts,
    uses: &'f Uses,
    /// True if the length of the loop is a constant, so that all of it is a window.
    is_window: bool,
    /// True if a new counter is still divided, other than the inner one alone in a window, or if a
    /// size depends on data.
    fails: bool,
}

impl Change for Substitution<'_> {
    fn nat(&mut self, nat: &mut Nat) {
        self.fails |= self.uses.is_data(nat);
        if !nat.mentions(self.counter) {
            return;
        }
        let value = nat.subst(&|var| (var == self.counter).then(|| self.value.clone()));
        *nat = self.facts.normalize(&value);
        let parts = self.parts;
        each_division(nat, &mut |dividend, _| {
            self.fails |= dividend.any_var(&|var| parts.contains(&var))
                && !(self.is_window && dividend.as_var() == Some(parts[1]));
        });
    }
}
