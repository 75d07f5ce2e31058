//! Reduces the strength of products of loop counters: a loop counts in the steps of its data. A
//! loop `for (k = 0; k < n / 64; k++)` with `64 * k` in its indices becomes `for (k = 0; k < n; k
//! += 64)` with `k` in its indices.
//!
//! The quotient is eliminated, and with it its effect on compilers for devices: NVIDIA's compiler
//! unrolls such a loop several times, or keeps a product for each array that is read. On an H200
//! the transposed matrix-vector product then takes 0.90 of the time, a step of n bodies 0.84 to
//! 0.96 of it, a tiled matrix product 0.98. C compilers reduce strength themselves: for CPUs the
//! pass is not run.
//!
//! The classical form (Aho, Lam, Sethi and Ullman, *Compilers*, section 9.1) adds a variable for
//! each product; here the counter itself takes its place, since all products have the same factor.

use nat::{Facts, Nat, Part, Var};
use rise::Type;

use crate::ir::{Function, Loop, LoopMode, Stmt, StmtKind};

use super::address_hoisting::has_division;
use super::{Pass, Run};
use crate::analysis::conditions::assume_counter;
use crate::ir::renaming::Renaming;
use crate::ir::trace::Changes;
use crate::ir::walk::{self, Change, Look};

pub(crate) const PASS: Pass = Pass {
    name: "strength-reduction",
    run: Run::Always(reduce_strength),
    changes: Changes {
        moved: "in a loop whose counter advances by the step of its data",
        repeated: "in a loop whose counter advances by the step of its data",
        rewritten: "the counter advances by the step of the data instead of by one",
    },
};

/// Scales the counters of the loops of a function whose ends are quotients by a constant and whose
/// uses of the counter are multiples of the divisor.
fn reduce_strength(function: &mut Function) {
    let mut body = std::mem::take(&mut function.body);
    block(&mut body, &function.known(), function);
    function.body = body;
}

fn block(body: &mut [Stmt], facts: &Facts, function: &Function) {
    for stmt in body {
        scale_counter(stmt, facts, function);
        let mut facts = facts.clone();
        if let StmtKind::For(Loop {
            counter,
            from,
            to,
            step,
            ..
        }) = &stmt.kind
        {
            assume_counter(&mut facts, *counter, from, to, step);
        }
        walk::each_block(stmt, &mut |inner| block(inner, &facts, function));
    }
}

/// Scales the counter of a sequential loop from 0 with step 1 by the constant divisor in the loop's
/// end, if the end then contains no division and each use of the counter is a multiple of the
/// divisor.
fn scale_counter(stmt: &mut Stmt, facts: &Facts, function: &Function) {
    let StmtKind::For(Loop {
        counter,
        from,
        to,
        step,
        mode: LoopMode::Sequential,
        body,
    }) = &mut stmt.kind
    else {
        return;
    };
    let Some(by) = divisor(to).filter(|_| from.is_zero() && step.is_one()) else {
        return;
    };
    let end = facts.normalize(&(&*to * &by));
    if has_division(&end) || has_fixed_uses(function, *counter) {
        return;
    }
    let mut steps = CounterScaling {
        counter: *counter,
        by: &by,
        any_use: false,
        all_scalable: true,
    };
    walk::look(body, &mut steps);
    if steps.any_use && steps.all_scalable {
        walk::change_all(body, &mut steps);
        (*to, *step) = (end, by);
    }
}

/// Returns true if an opaque size, or the size of an array, depends on a counter: these are not
/// rewritten.
fn has_fixed_uses(function: &Function, counter: Var) -> bool {
    let mut changes = Renaming::default();
    changes.vars.insert(counter, Nat::ZERO);
    let data = function.opaque.iter().any(|(_, data)| {
        let bounded = matches!(&*data.ty, Type::Index(n) if n.mentions(counter));
        bounded || changes.changes(data)
    });
    let mut shapes = function.variables.iter();
    data || shapes.any(|variable| {
        let mut sizes = variable.count.iter().chain(&variable.extents);
        sizes.any(|size| size.mentions(counter))
    })
}

/// A visitor that checks and rewrites the sizes that contain a counter that is to be scaled by
/// `by`.
struct CounterScaling<'n> {
    counter: Var,
    by: &'n Nat,
    /// True if a visited size contains the counter.
    any_use: bool,
    /// True if all visited sizes that contain the counter can be rewritten.
    all_scalable: bool,
}

impl CounterScaling<'_> {
    fn scaled(&self, nat: &Nat) -> Option<Nat> {
        let at = |value: Nat| nat.subst(&|var| (var == self.counter).then(|| value.clone()));
        let rest = at(Nat::ZERO);
        let factor = Nat::sub(&at(Nat::ONE), &rest);
        let linear = |factor: &Nat| Nat::var(self.counter) * factor + &rest;
        let quotient = factor.ratio(self.by)?;
        (linear(&factor) == *nat).then(|| linear(&quotient))
    }
}

impl Look for CounterScaling<'_> {
    fn nat(&mut self, nat: &Nat) {
        if nat.mentions(self.counter) {
            self.any_use = true;
            self.all_scalable &= self.scaled(nat).is_some();
        }
    }
}

impl Change for CounterScaling<'_> {
    fn nat(&mut self, nat: &mut Nat) {
        if nat.mentions(self.counter)
            && let Some(scaled) = self.scaled(nat)
        {
            *nat = scaled;
        }
    }
}

/// Returns the divisor of the first quotient by a constant above 1 among the factors in a size;
/// `None` if there is none.
fn divisor(nat: &Nat) -> Option<Nat> {
    let summands = nat.summands();
    let mut factors = summands.iter().flat_map(|summand| &summand.factors);
    factors.find_map(|(factor, _)| match factor {
        Part::Div(_, by) if by.as_const().is_some_and(|by| by > 1) => Some((*by).clone()),
        _ => None,
    })
}
