//! Simplifies loops: loops that do not run are removed, loops that run once are replaced by their
//! bodies, loops that run at most once become conditions, marked loops are unrolled, and innermost
//! loops with conditions may be unswitched and peeled. Conditions that are known are removed, and
//! sizes are normalised with the ranges of all enclosing counters.

mod boundaries;
mod folding;
mod guards;
pub(crate) mod peeling;
mod unswitching;

use nat::{Facts, Nat, Prop, Var};
use rise::Type;
use rise::core::Origin;
use syntax::ast::Literal;

use crate::error::{CompileError, Result};
use crate::ir::{
    Binary, CONTROL_FLOW_SIMPLIFICATION, Expr, ExprKind, Function, INDEX_SIMPLIFICATION, Loop,
    LoopMode, Maker, ParallelReduce, Place, Stmt, StmtKind, Unary,
};

use super::{Pass, Run};
use crate::analysis::conditions::{assume, assume_counter, less, proposition, truth};
use crate::ir::renaming::Renaming;
use crate::ir::trace::Changes;
use crate::ir::walk;
use folding::{nothing, part};

pub(crate) const PASS: Pass = Pass {
    name: "loops",
    run: Run::Fallible(run),
    changes: Changes {
        moved: "an enclosing loop that runs once, or a condition that always holds, is removed",
        repeated: "copied for each iteration of an unrolled loop, for each part of a peeled loop, or for each value of a condition in front of the loop",
        rewritten: "a loop counter has a single value, or a condition is known",
    },
};

/// The maximal number of statements that the unrolling of loops may copy in a function, in total.
const MAX_UNROLLED: usize = dpia::target::MAX_STATEMENTS;

fn run(function: &mut Function) -> Result<()> {
    let facts = function.known();
    let body = std::mem::take(&mut function.body);
    let without = std::mem::take(&mut function.without);
    let mut pass = Loops {
        simplifies_indices: !without.contains(INDEX_SIMPLIFICATION),
        simplifies_control_flow: !without.contains(CONTROL_FLOW_SIMPLIFICATION),
        function,
        facts,
        written: 0,
        in_partition: false,
        is_unswitched: false,
    };
    let mut out = Vec::new();
    pass.statements(body, &mut out)?;
    function.body = out;
    function.without = without;
    Ok(())
}

pub(crate) struct Loops<'f> {
    pub(crate) function: &'f mut Function,
    pub(crate) facts: Facts,
    simplifies_indices: bool,
    simplifies_control_flow: bool,
    /// The number of statements that unrolling has copied so far.
    written: usize,
    /// True within a part of a peeled loop, which is not peeled again.
    pub(crate) in_partition: bool,
    /// True within a loop for one value of its invariant condition, which is not unswitched again.
    is_unswitched: bool,
}

impl Loops<'_> {
    fn statements(&mut self, body: Vec<Stmt>, out: &mut Vec<Stmt>) -> Result<()> {
        for stmt in body {
            self.statement(stmt, out)?;
        }
        Ok(())
    }

    pub(crate) fn statement(&mut self, mut stmt: Stmt, out: &mut Vec<Stmt>) -> Result<()> {
        match stmt.kind {
            StmtKind::For(_) => return self.repetition(stmt, out),
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                let condition = self.expr(condition);
                let known = truth(&condition).filter(|_| self.simplifies_control_flow);
                let yes = self.under(&condition, true, then, known)?;
                let no = self.under(&condition, false, otherwise, known)?;
                match known {
                    Some(true) => out.extend(yes),
                    Some(false) => out.extend(no),
                    None if yes.is_empty() && no.is_empty() => {}
                    None => {
                        stmt.kind = StmtKind::If {
                            condition,
                            then: yes,
                            otherwise: no,
                        };
                        out.push(stmt);
                    }
                }
                return Ok(());
            }
            StmtKind::Block(body) => {
                let mut inner = Vec::new();
                self.statements(body, &mut inner)?;
                stmt.kind = StmtKind::Block(inner);
            }
            StmtKind::Declare(id, value) => {
                let value = value.map(|value| self.expr(value));
                stmt.kind = StmtKind::Declare(id, value);
            }
            StmtKind::Assign(mut place, value) => {
                self.place(&mut place);
                stmt.kind = StmtKind::Assign(place, self.expr(value));
            }
            StmtKind::Point(id, mut place) => {
                self.place(&mut place);
                stmt.kind = StmtKind::Point(id, place);
            }
            StmtKind::Swap(..) | StmtKind::Barrier(_) | StmtKind::Kernel(_) => {}
            StmtKind::Reduce(reduce) => {
                stmt.kind = StmtKind::Reduce(Box::new(self.reduce(*reduce)?));
            }
        }
        out.push(stmt);
        Ok(())
    }

    fn reduce(&mut self, mut reduce: ParallelReduce) -> Result<ParallelReduce> {
        reduce.count = self.facts.normalize(&reduce.count);
        let facts = self.facts.clone();
        self.facts.range(reduce.counter, &Nat::ZERO, &reduce.count);
        let mut body = Vec::new();
        self.statements(reduce.element_body, &mut body)?;
        reduce.element_body = body;
        self.facts = facts;
        let mut combine = Vec::new();
        self.statements(reduce.combine, &mut combine)?;
        reduce.combine = combine;
        Ok(reduce)
    }

    /// Simplifies the statements that run if a condition has this value, and returns them; none if
    /// the condition is known to have the other value.
    fn under(
        &mut self,
        condition: &Expr,
        value: bool,
        body: Vec<Stmt>,
        known: Option<bool>,
    ) -> Result<Vec<Stmt>> {
        let mut out = Vec::new();
        if known == Some(!value) {
            return Ok(out);
        }
        let facts = self.facts.clone();
        assume(&mut self.facts, condition, value);
        self.statements(body, &mut out)?;
        self.facts = facts;
        Ok(out)
    }

    fn repetition(&mut self, mut stmt: Stmt, out: &mut Vec<Stmt>) -> Result<()> {
        let (origin, made_by) = (stmt.origin, stmt.made_by);
        let StmtKind::For(Loop {
            counter,
            from,
            to,
            step,
            mode,
            body,
        }) = stmt.kind
        else {
            return Ok(());
        };
        let [from, to, step] = [from, to, step].map(|nat| self.facts.normalize(&nat));
        let at_least = |a: &Nat, b: &Nat| Prop::AtLeast(a.clone(), b.clone());
        // The only iteration of a distributed loop is executed by one work-item.
        let is_shared = matches!(mode, LoopMode::Items(..));
        let simplifies = self.simplifies_control_flow || mode != LoopMode::Sequential;
        if simplifies && self.facts.proves(&at_least(&from, &to)) {
            return Ok(());
        }
        if simplifies && !is_shared && self.facts.proves(&at_least(&(&from + &step), &to)) {
            let body = self.with(body, counter, &from, false);
            if self.facts.proves(&at_least(&to, &(&from + 1))) {
                return self.statements(body, out);
            }
            let made_by = made_by.or(Some(Maker::Pass(PASS.name)));
            return self.statement(once(&from, &to, body, origin, made_by), out);
        }
        if mode == LoopMode::Unrolled {
            return self.unroll(counter, [&from, &to, &step], body, origin, out);
        }
        let facts = self.facts.clone();
        assume_counter(&mut self.facts, counter, &from, &to, &step);
        let mut inner = Vec::new();
        self.statements(body, &mut inner)?;
        self.facts = facts;
        if inner.is_empty() {
            return Ok(());
        }
        if self.simplifies_control_flow
            && mode == LoopMode::Sequential
            && step.is_one()
            && let Some(value) = guards::only_iteration(self.function, &inner, counter)
        {
            let facts = self.facts.clone();
            // The guard reads the index, so the index is in its range.
            for (var, known) in &self.function.opaque {
                if let Type::Index(n) = &*known.ty
                    && value.mentions(*var)
                {
                    self.facts.range(*var, &Nat::ZERO, n);
                }
            }
            let inner = guards::without_guards(inner);
            let body = self.with(inner, counter, &value, false);
            let body = self.if_within(&value, [&from, &to], body, (origin, made_by));
            self.statements(body, out)?;
            self.facts = facts;
            return Ok(());
        }
        let whole = Loop {
            counter,
            from,
            to,
            step,
            mode,
            body: inner,
        };
        stmt.kind = StmtKind::For(whole);
        if !self.simplifies_control_flow
            || !(self.unswitch(&stmt, out)? || self.peel(&stmt, out)?)
        {
            out.push(stmt);
        }
        Ok(())
    }

    /// Returns the statements under the condition that a value is in the range of a loop, as far as
    /// that is not known.
    fn if_within(
        &self,
        value: &Nat,
        [from, to]: [&Nat; 2],
        body: Vec<Stmt>,
        (origin, made_by): (Origin, Option<Maker>),
    ) -> Vec<Stmt> {
        let next = value + 1;
        let bounds = [(from, &next), (value, to)];
        let open = bounds.into_iter().filter(|(small, large)| {
            let holds = Prop::AtLeast(Nat::clone(large), *small + 1);
            !self.facts.proves(&holds)
        });
        let made_by = made_by.or(Some(Maker::Pass(PASS.name)));
        open.fold(body, |body, (small, large)| {
            vec![once(small, large, body, origin, made_by)]
        })
    }

    fn unroll(
        &mut self,
        counter: Var,
        [from, to, step]: [&Nat; 3],
        body: Vec<Stmt>,
        origin: Origin,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        let length = self
            .facts
            .normalize(&Nat::ceil_div(&Nat::sub(to, from), step));
        let Some(count) = length.as_const() else {
            let names = rise::Names(self.function.names.as_slice().into());
            let length = rise::print::nat_text(&length, &names);
            let text = format!("a loop to unroll runs `{length}` times, which is not a constant");
            return Err(CompileError::new(origin, text).with_help(
                "make the number of iterations a constant, or use the pattern without `Unroll`",
            ));
        };
        for number in 0..count {
            self.written += size(&body);
            if self.written > MAX_UNROLLED {
                let text = format!("unrolling the loops makes more than {MAX_UNROLLED} statements");
                return Err(CompileError::new(origin, text)
                    .with_help("use the pattern without `Unroll`, which makes a loop"));
            }
            let value = self.facts.normalize(&(from + step * number));
            // The last copy can be the original.
            let copy = self.with(body.clone(), counter, &value, number + 1 < count);
            self.statements(copy, out)?;
        }
        Ok(())
    }

    /// Replaces a counter in statements by a value; with `copied`, the variables and counters that
    /// the statements declare are renamed.
    fn with(&mut self, mut body: Vec<Stmt>, counter: Var, value: &Nat, copied: bool) -> Vec<Stmt> {
        let mut renaming = Renaming::default();
        renaming.vars.insert(counter, value.clone());
        if copied {
            renaming.add_declared(self.function, &body);
        }
        self.rename_opaque(&mut renaming);
        renaming.apply(&mut body);
        body
    }

    /// Returns a copy of a statement with new variables and counters for those that it declares.
    pub(crate) fn copy(&mut self, stmt: Stmt) -> Stmt {
        let mut copied = [stmt];
        let mut renaming = Renaming::of_declared(self.function, &copied);
        self.rename_opaque(&mut renaming);
        renaming.apply(&mut copied);
        let [stmt] = copied;
        stmt
    }

    /// Creates new opaque sizes for those that depend on replaced variables or size variables, and
    /// adds them to the renaming.
    fn rename_opaque(&mut self, renaming: &mut Renaming) {
        let mut at = 0;
        while let Some((var, value)) = self.function.opaque.get(at).cloned() {
            at += 1;
            if renaming.vars.contains_key(&var) || !renaming.changes(&value) {
                continue;
            }
            let mut copy = value;
            renaming.apply_to_expr(&mut copy);
            renaming.add_var(self.function, var);
            if let Some(new) = renaming.vars.get(&var).and_then(Nat::as_var) {
                if let Type::Index(n) = &*copy.ty {
                    self.facts.index(new, n);
                }
                self.function.opaque.push((new, copy));
            }
            // Other opaque sizes may depend on this one.
            at = 0;
        }
    }

    fn place(&self, place: &mut Place) {
        let sizes = [&mut place.index, &mut place.lane, &mut place.lanes];
        sizes.into_iter().flatten().for_each(|nat| self.nat(nat));
    }

    fn nat(&self, nat: &mut Nat) {
        if self.simplifies_indices {
            *nat = self.facts.normalize(nat);
        }
    }

    fn expr(&mut self, mut expr: Expr) -> Expr {
        if let ExprKind::Select(condition, a, b) = expr.kind {
            let condition = self.expr(*condition);
            let known = truth(&condition);
            let mut branch = |branch: Expr, value: bool| {
                let facts = self.facts.clone();
                assume(&mut self.facts, &condition, value);
                let branch = self.expr(branch);
                self.facts = facts;
                branch
            };
            return match known {
                Some(true) => branch(*a, true),
                Some(false) => branch(*b, false),
                None => {
                    let (a, b) = (branch(*a, true), branch(*b, false));
                    if a.kind == b.kind {
                        return a;
                    }
                    expr.kind = ExprKind::Select(Box::new(condition), Box::new(a), Box::new(b));
                    expr
                }
            };
        }
        for part in walk::parts_mut(&mut expr) {
            let whole = std::mem::replace(part, nothing());
            *part = self.expr(whole);
        }
        match &mut expr.kind {
            ExprKind::Nat(nat) | ExprKind::Lane(_, nat) | ExprKind::Element(_, nat) => {
                self.nat(nat)
            }
            ExprKind::Load(place) => self.place(place),
            _ => {}
        }
        self.decide(expr)
    }

    /// Simplifies an expression whose parts are simplified: projections of constructed values,
    /// comparisons of sizes that are decided, and operations on Booleans of which an operand is
    /// known.
    fn decide(&self, expr: Expr) -> Expr {
        let mut expr = part(expr);
        let known = match &expr.kind {
            ExprKind::Binary(op, a, b) => {
                let (x, y) = (truth(a), truth(b));
                match (op, x, y) {
                    (Binary::And, Some(true), _) | (Binary::Or, Some(false), _) => {
                        return (**b).clone();
                    }
                    (Binary::And, _, Some(true)) | (Binary::Or, _, Some(false)) => {
                        return (**a).clone();
                    }
                    (Binary::And, Some(false), _) | (Binary::And, _, Some(false)) => Some(false),
                    (Binary::Or, Some(true), _) | (Binary::Or, _, Some(true)) => Some(true),
                    _ => self.compare(&expr),
                }
            }
            ExprKind::Unary(Unary::Not, a) => truth(a).map(|value| !value),
            _ => None,
        };
        if let Some(value) = known {
            expr.kind = ExprKind::Literal(Literal::Bool(value));
        }
        expr
    }

    fn compare(&self, expr: &Expr) -> Option<bool> {
        let prop = proposition(expr, true)?;
        if self.facts.proves(&prop) {
            Some(true)
        } else if self.facts.excludes(&prop) {
            Some(false)
        } else {
            None
        }
    }
}

/// Returns the statement `if (from < to) { body }`.
fn once(from: &Nat, to: &Nat, body: Vec<Stmt>, origin: Origin, made_by: Option<Maker>) -> Stmt {
    let kind = StmtKind::If {
        condition: less(from, to, origin),
        then: body,
        otherwise: Vec::new(),
    };
    Stmt::new(kind, origin, made_by)
}

/// Returns the number of statements, including nested ones.
fn size(body: &[Stmt]) -> usize {
    let mut number = 0;
    walk::each_stmt(body, &mut |_| number += 1);
    number
}
