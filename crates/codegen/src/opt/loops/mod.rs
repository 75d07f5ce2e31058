//! Simplifies loops: loops that do not run are removed, loops that run once become blocks, loops
//! that run at most once become conditions, and marked loops are unrolled. Sizes are normalised
//! with the ranges of all enclosing counters.

mod folding;
pub(crate) mod peeling;

use nat::{Facts, Nat, Prop, Var};
use rise::Type;
use rise::core::Origin;
use rustc_hash::FxHashMap;
use syntax::ast::Literal;

use crate::error::{CompileError, Result};
use crate::ir::{
    Binary, CONTROL_FLOW_SIMPLIFICATION, Expr, ExprKind, Function, INDEX_SIMPLIFICATION, Id, Loop,
    LoopMode, Maker, ParallelReduce, Place, Stmt, StmtKind, Unary,
};

use super::{Pass, Run};
use crate::analysis::conditions::{assume, assume_counter, less, proposition, truth};
use crate::ir::trace::Changes;
use crate::ir::walk::{self, Change};
use folding::{nothing, part};

pub(crate) const PASS: Pass = Pass {
    name: "loops",
    run: Run::Fallible(run),
    changes: Changes {
        moved: "an enclosing loop that runs once, or a condition that always holds, is removed",
        repeated: "copied for each iteration of an unrolled loop, or for each part of a peeled loop",
        rewritten: "a loop counter has a single value, or a condition is known",
    },
};

/// The maximal total number of statements that unrolling copies in a function.
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

    /// Returns the statements that run if a condition has this value; none if it is known not to
    /// have it.
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
        let whole = Loop {
            counter,
            from,
            to,
            step,
            mode,
            body: inner,
        };
        stmt.kind = StmtKind::For(whole);
        if !self.simplifies_control_flow || !self.peel(&stmt, out)? {
            out.push(stmt);
        }
        Ok(())
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

    /// Substitutes a value for a counter in statements; with `copied` their variables are renamed.
    fn with(&mut self, mut body: Vec<Stmt>, counter: Var, value: &Nat, copied: bool) -> Vec<Stmt> {
        let mut ids = FxHashMap::default();
        let mut vars = FxHashMap::from_iter([(counter, value.clone())]);
        if copied {
            self.fresh(&body, &mut ids, &mut vars);
        }
        self.fresh_opaque(&ids, &mut vars);
        let mut change = Copied {
            ids: &ids,
            vars: &vars,
        };
        walk::change_all(&mut body, &mut change);
        if copied {
            rename_counters(&mut body, &vars);
        }
        body
    }

    /// Copies a statement, with new variables and counters.
    pub(crate) fn copy(&mut self, stmt: Stmt) -> Stmt {
        let mut copied = [stmt];
        let (mut ids, mut vars) = (FxHashMap::default(), FxHashMap::default());
        self.fresh(&copied, &mut ids, &mut vars);
        self.fresh_opaque(&ids, &mut vars);
        let mut change = Copied {
            ids: &ids,
            vars: &vars,
        };
        walk::change_all(&mut copied, &mut change);
        rename_counters(&mut copied, &vars);
        let [stmt] = copied;
        stmt
    }

    /// Creates new variables and counters for those that statements declare.
    fn fresh(
        &mut self,
        body: &[Stmt],
        ids: &mut FxHashMap<Id, Id>,
        vars: &mut FxHashMap<Var, Nat>,
    ) {
        walk::each_stmt(body, &mut |stmt| match &stmt.kind {
            StmtKind::Declare(id, _) => self.fresh_id(*id, ids),
            StmtKind::For(this) => self.fresh_var(this.counter, vars),
            StmtKind::Reduce(reduce) => {
                self.fresh_var(reduce.counter, vars);
                for id in [reduce.left, reduce.right, reduce.element] {
                    self.fresh_id(id, ids);
                }
            }
            StmtKind::Block(_)
            | StmtKind::If { .. }
            | StmtKind::Kernel(_)
            | StmtKind::Assign(..)
            | StmtKind::Point(..)
            | StmtKind::Swap(..)
            | StmtKind::Barrier(_) => {}
        });
    }

    fn fresh_id(&mut self, id: Id, ids: &mut FxHashMap<Id, Id>) {
        let variables = &mut self.function.variables;
        let new = Id(u32::try_from(variables.len()).unwrap_or(u32::MAX));
        if ids.contains_key(&id) {
            return;
        }
        if let Some(variable) = variables.get(id.0 as usize).cloned() {
            variables.push(variable);
            ids.insert(id, new);
        }
    }

    fn fresh_var(&mut self, var: Var, vars: &mut FxHashMap<Var, Nat>) {
        let name = self.function.names.get(var.0 as usize).cloned();
        let new = self.function.fresh_size(&name.unwrap_or_default());
        vars.insert(var, Nat::var(new));
    }

    /// Creates new opaque sizes for those that depend on renamed variables.
    fn fresh_opaque(&mut self, ids: &FxHashMap<Id, Id>, vars: &mut FxHashMap<Var, Nat>) {
        let mut at = 0;
        while let Some((var, value)) = self.function.opaque.get(at).cloned() {
            at += 1;
            if vars.contains_key(&var) || !depends(&value, ids, vars) {
                continue;
            }
            let mut copy = value;
            walk::change_expr(&mut copy, &mut Copied { ids, vars });
            self.fresh_var(var, vars);
            if let Some(new) = vars.get(&var).and_then(Nat::as_var) {
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
                    if a == b {
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

    /// Simplifies comparisons of sizes and operations on Booleans if their values are known.
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

/// Returns `if (from < to) { … }`.
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

struct Copied<'m> {
    ids: &'m FxHashMap<Id, Id>,
    vars: &'m FxHashMap<Var, Nat>,
}

impl Change for Copied<'_> {
    fn place(&mut self, place: &mut Place) {
        self.id(&mut place.id);
    }
    fn nat(&mut self, nat: &mut Nat) {
        if nat.any_var(&|var| self.vars.contains_key(&var)) {
            *nat = nat.subst(&|var| self.vars.get(&var).cloned());
        }
    }
    fn id(&mut self, id: &mut Id) {
        if let Some(new) = self.ids.get(id) {
            *id = *new;
        }
    }
}

fn rename_counters(body: &mut [Stmt], vars: &FxHashMap<Var, Nat>) {
    let renamed = |var: &mut Var| {
        if let Some(new) = vars.get(var).and_then(Nat::as_var) {
            *var = new;
        }
    };
    for stmt in body {
        match &mut stmt.kind {
            StmtKind::For(this) => renamed(&mut this.counter),
            StmtKind::Reduce(reduce) => renamed(&mut reduce.counter),
            _ => {}
        }
        walk::each_block(stmt, &mut |body| rename_counters(body, vars));
    }
}

/// Returns true if an expression reads one of the variables `ids`, or contains one of the size
/// variables `vars`.
pub(crate) fn depends(expr: &Expr, ids: &FxHashMap<Id, Id>, vars: &FxHashMap<Var, Nat>) -> bool {
    let changes = |nat: &Nat| nat.any_var(&|var| vars.contains_key(&var));
    let mut found = false;
    walk::sub_exprs(expr, &mut |part| {
        found |= match &part.kind {
            ExprKind::Load(place) => {
                ids.contains_key(&place.id)
                    || [&place.index, &place.lane]
                        .into_iter()
                        .flatten()
                        .any(&changes)
            }
            ExprKind::Nat(nat) | ExprKind::Lane(_, nat) | ExprKind::Element(_, nat) => changes(nat),
            _ => false,
        };
    });
    found
}
