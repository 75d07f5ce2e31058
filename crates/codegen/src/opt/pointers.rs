//! Introduces pointers as people write them and C compilers optimise best: one that is set once, to
//! the row that a loop accumulates, and one that advances, to the row that a loop reads.

use std::ops::Range;

use nat::{Nat, Var};
use rustc_hash::FxHashSet;

use crate::ir::{
    Expr, ExprKind, Function, Home, Id, Loop, LoopMode, Maker, Place, Stmt, StmtKind, Variable,
};

use super::{Pass, Run};
use crate::analysis::uses::{Mention, Uses};
use crate::ir::trace::Changes;
use crate::ir::walk::{self, Change};

pub(crate) const PASS: Pass = Pass {
    name: "pointers",
    run: Run::Always(run),
    changes: Changes {
        moved: "accesses a row through a pointer",
        repeated: "each array has a pointer to its row",
        rewritten: "reads or writes through a pointer to the row",
    },
};

/// Introduces pointers to rows before the loops of a function.
fn run(function: &mut Function) {
    let mut body = std::mem::take(&mut function.body);
    let mut counters = Vec::new();
    accumulated(&mut body, function, &mut counters);
    moving(&mut body, function);
    function.body = body;
}

fn pointer(function: &mut Function, array: Id, writable: bool) -> Option<Id> {
    let variable = function.variables.get(array.0 as usize)?;
    let variable = Variable {
        name: "row".into(),
        extents: Vec::new(),
        home: Home::Pointer {
            writable,
            alone: false,
        },
        ..variable.clone()
    };
    Some(function.fresh_variable(variable))
}

/// Returns the declaration of a pointer and its assignment to an element of an array.
fn set(id: Id, array: Id, index: Nat, like: &Stmt) -> [Stmt; 2] {
    let place = Place::element(array, index);
    [StmtKind::Declare(id, None), StmtKind::Point(id, place)]
        .map(|kind| Stmt::new(kind, like.origin, Some(Maker::Pass(PASS.name))))
}

/// Introduces `row = &acc[p * 32]` before `for (q) for (r) acc[p * 32 + r] += …`, and uses it in
/// the loop and in adjacent statements: C compilers keep a place with a fixed address in registers.
fn accumulated(body: &mut Vec<Stmt>, function: &mut Function, counters: &mut Vec<Var>) {
    let mut at = 0;
    while at < body.len() {
        if let Some((array, base)) = row_of(&body[at], function, counters)
            && let Some(row) = pointer(function, array, true)
        {
            let mut change = Moved {
                from: array,
                to: row,
                by: &base,
            };
            let range = around(body, at, (array, &base), function, counters);
            for stmt in &mut body[range.clone()] {
                walk::change_stmt(stmt, &mut change);
            }
            let set = set(row, array, base, &body[at]);
            body.splice(range.start..range.start, set);
            at += 2;
        }
        if let StmtKind::For(Loop { counter, body, .. }) = &mut body[at].kind {
            counters.push(*counter);
            accumulated(body, function, counters);
            counters.pop();
        } else {
            walk::each_block(&mut body[at], &mut |body| {
                accumulated(body, function, counters)
            });
        }
        at += 1;
    }
}

/// Returns the range of the statement at `at` and the adjacent statements that access the array,
/// and only in the row at `base`.
fn around(
    body: &[Stmt],
    at: usize,
    (array, base): (Id, &Nat),
    function: &Function,
    counters: &[Var],
) -> Range<usize> {
    let known = |var: Var| counters.contains(&var) || function.sizes.contains(&var);
    let uses = Uses::of(function);
    let is_in_row = |stmt: &Stmt| {
        let (mut some, mut all) = (false, true);
        uses.stmt(stmt, &mut |id, mention| {
            if id == array {
                some = true;
                all &= match mention {
                    Mention::Read(place) | Mention::Written(place) => {
                        let index = place.index.as_ref();
                        index.is_some_and(|index| fixed_part(index, &known) == *base)
                    }
                    _ => false,
                };
            }
        });
        some && all
    };
    let start = (0..at).rev().take_while(|at| is_in_row(&body[*at])).last();
    let end = (at + 1..body.len())
        .take_while(|at| is_in_row(&body[*at]))
        .last();
    start.unwrap_or(at)..end.unwrap_or(at) + 1
}

struct Moved<'n> {
    from: Id,
    to: Id,
    by: &'n Nat,
}

impl Change for Moved<'_> {
    fn place(&mut self, place: &mut Place) {
        if place.id == self.from {
            place.id = self.to;
            place.index = place.index.take().map(|index| Nat::sub(&index, self.by));
        }
    }
}

/// Returns an array that a sequential loop writes in an inner loop, and the part of its indices
/// that consists of size parameters and outer counters, which has to be the same for all accesses
/// in the loop and not a constant; `None` if there is no such array, or if an index contains the
/// counter of the loop.
fn row_of(stmt: &Stmt, function: &Function, counters: &[Var]) -> Option<(Id, Nat)> {
    let StmtKind::For(Loop {
        mode: LoopMode::Sequential,
        counter,
        body,
        ..
    }) = &stmt.kind
    else {
        return None;
    };
    let known = |var: Var| counters.contains(&var) || function.sizes.contains(&var);
    let mut found: Vec<(Id, Nat)> = Vec::new();
    let mut refused: FxHashSet<Id> = FxHashSet::default();
    let mut written: FxHashSet<Id> = FxHashSet::default();
    Uses::of(function).all(body, &mut |id, mention| {
        let place = match mention {
            Mention::Read(place) | Mention::Written(place) => place,
            _ => {
                refused.insert(id);
                return;
            }
        };
        let Some(index) = &place.index else {
            refused.insert(id);
            return;
        };
        let base = fixed_part(index, &known);
        let moves = *index != base;
        if matches!(mention, Mention::Written(_)) && moves {
            written.insert(id);
        }
        let differs = found.iter().any(|(other, at)| *other == id && *at != base);
        if differs || index.mentions(*counter) || base.as_const().is_some() {
            refused.insert(id);
        }
        found.push((id, base));
    });
    let is_row = |(id, _): &(Id, Nat)| {
        written.contains(id)
            && !refused.contains(id)
            && function.variables[id.0 as usize].count.is_some()
            && is_written_in_loop(body, *id)
    };
    found.into_iter().find(is_row)
}

/// Returns the sum of those summands of an index that are products of `known` variables, perhaps
/// with a coefficient. Constant summands are not among them.
fn fixed_part(index: &Nat, known: &dyn Fn(Var) -> bool) -> Nat {
    let varies = |var: Var| !known(var);
    let mut rest = index.clone();
    for summand in index.summands() {
        let mut term = Nat::constant(summand.coeff);
        let mut is_plain = !summand.factors.is_empty();
        for (part, exp) in &summand.factors {
            match part {
                nat::Part::Var(var) if !varies(*var) => {
                    for _ in 0..*exp {
                        term = &term * &Nat::var(*var);
                    }
                }
                _ => is_plain = false,
            }
        }
        if is_plain {
            rest = Nat::sub(&rest, &term);
        }
    }
    Nat::sub(index, &rest)
}

fn is_written_in_loop(body: &[Stmt], id: Id) -> bool {
    fn any(body: &[Stmt], id: Id, inside: bool) -> bool {
        body.iter().any(|stmt| match &stmt.kind {
            StmtKind::Assign(place, _) => inside && place.id == id,
            StmtKind::For(Loop { body, mode, .. }) => {
                *mode == LoopMode::Sequential && any(body, id, true)
            }
            StmtKind::Block(body) => any(body, id, inside),
            _ => false,
        })
    }
    any(body, id, false)
}

/// Replaces an accumulated offset into one array by a pointer that advances: `row += n` instead of
/// `offset += n`.
fn moving(body: &mut Vec<Stmt>, function: &mut Function) {
    let mut at = 0;
    while at < body.len() {
        walk::each_block(&mut body[at], &mut |body| moving(body, function));
        if let Some((offset, array)) = offset_at(&body[at..], function)
            && let Some(row) = pointer(function, array, false)
        {
            let mut change = Passing { offset, array, row };
            for stmt in &mut body[at + 1..] {
                change.stmt(stmt);
            }
            let data = function.opaque.iter_mut();
            for (_, value) in data.filter(|(var, _)| *var != offset.var) {
                walk::change_expr(value, &mut change);
            }
            let set = set(row, array, Nat::ZERO, &body[at]);
            body.splice(at..=at, set);
            at += 1;
        }
        at += 1;
    }
}

/// A variable that starts at 0, and the opaque size that stands for its value in indices.
#[derive(Clone, Copy)]
struct Offset {
    id: Id,
    var: Var,
}

/// Returns the variable that the first statement declares with 0, and an array, if the other
/// statements only increment the variable and add it to indices of this one array, which is a
/// parameter; otherwise `None`.
fn offset_at(body: &[Stmt], function: &Function) -> Option<(Offset, Id)> {
    let (first, rest) = body.split_first()?;
    let StmtKind::Declare(id, Some(value)) = &first.kind else {
        return None;
    };
    if !matches!(&value.kind, ExprKind::Nat(nat) if nat.is_zero()) {
        return None;
    }
    let is_it = |e: &Expr| matches!(&e.kind, ExprKind::Load(p) if *p == Place::plain(*id));
    let mut stand_ins = function.opaque.iter().filter(|(_, value)| {
        let mut found = false;
        walk::sub_exprs(value, &mut |part| found |= is_it(part));
        found
    });
    let (var, value) = stand_ins.next()?;
    if stand_ins.next().is_some() || !is_it(value) {
        return None;
    }
    let offset = Offset { id: *id, var: *var };
    let mut arrays = Vec::new();
    let mut data = function.opaque.iter().filter(|(var, _)| *var != offset.var);
    if !grows_only(rest, offset, &mut arrays)
        || !data.all(|(_, value)| indexes(value, offset, &mut arrays))
    {
        return None;
    }
    let [array] = arrays.as_slice() else {
        return None;
    };
    let is_read = matches!(function.variables[array.0 as usize].home, Home::Input);
    is_read.then_some((offset, *array))
}

fn mentions(expr: &Expr, var: Var) -> bool {
    match &expr.kind {
        ExprKind::Nat(nat) | ExprKind::Lane(_, nat) | ExprKind::Element(_, nat) => {
            nat.mentions(var)
        }
        ExprKind::Load(place) => [&place.index, &place.lane, &place.lanes]
            .into_iter()
            .flatten()
            .any(|nat| nat.mentions(var)),
        _ => false,
    }
}

/// Returns true if statements only increment an offset, in no loops but sequential ones, and read
/// it as a summand of indices of arrays, which are added to `arrays`.
fn grows_only(body: &[Stmt], offset: Offset, arrays: &mut Vec<Id>) -> bool {
    let free = |nat: &Nat| !nat.mentions(offset.var);
    body.iter().all(|stmt| match &stmt.kind {
        StmtKind::Declare(_, value) => value
            .as_ref()
            .is_none_or(|value| indexes(value, offset, arrays)),
        StmtKind::Assign(place, value) if place.id == offset.id => step(value, offset).is_some(),
        StmtKind::Assign(place, value) => {
            place.index.as_ref().is_none_or(free) && indexes(value, offset, arrays)
        }
        StmtKind::For(Loop {
            from,
            to,
            step,
            body,
            mode,
            ..
        }) => {
            *mode == LoopMode::Sequential
                && [from, to, step].into_iter().all(free)
                && grows_only(body, offset, arrays)
        }
        StmtKind::Block(body) => grows_only(body, offset, arrays),
        StmtKind::If {
            condition,
            then,
            otherwise,
        } => {
            indexes(condition, offset, arrays)
                && grows_only(then, offset, arrays)
                && grows_only(otherwise, offset, arrays)
        }
        StmtKind::Point(_, place) => place.index.as_ref().is_none_or(free),
        StmtKind::Swap(..) | StmtKind::Barrier(_) => true,
        StmtKind::Reduce(_) | StmtKind::Kernel(_) => false,
    })
}

/// Returns the increment of an offset by an assignment of this value; `None` if the value is not a
/// sum of the offset and a size.
fn step(value: &Expr, offset: Offset) -> Option<Nat> {
    let ExprKind::Nat(next) = &value.kind else {
        return None;
    };
    let step = Nat::sub(next, &Nat::var(offset.var));
    (!step.mentions(offset.var)).then_some(step)
}

/// Returns true if an expression reads an offset nowhere but as a summand of indices of arrays,
/// which are added to `arrays`.
fn indexes(expr: &Expr, offset: Offset, arrays: &mut Vec<Id>) -> bool {
    let mut fine = true;
    walk::sub_exprs(expr, &mut |part| match &part.kind {
        ExprKind::Load(place) if place.id == offset.id => fine = false,
        ExprKind::Load(place) => {
            let Some(index) = &place.index else { return };
            if index.mentions(offset.var) {
                let rest = Nat::sub(index, &Nat::var(offset.var));
                fine &= !rest.mentions(offset.var) && place.lane.is_none();
                if !arrays.contains(&place.id) {
                    arrays.push(place.id);
                }
            }
        }
        _ => fine &= !mentions(part, offset.var),
    });
    fine
}

struct Passing {
    offset: Offset,
    array: Id,
    row: Id,
}

impl Passing {
    fn stmt(&mut self, stmt: &mut Stmt) {
        match &mut stmt.kind {
            StmtKind::Assign(place, value) if place.id == self.offset.id => {
                let by = step(value, self.offset).unwrap_or(Nat::ZERO);
                let next = Place::element(self.row, by);
                stmt.kind = StmtKind::Point(self.row, next);
            }
            StmtKind::For(_) | StmtKind::Block(_) | StmtKind::If { .. } => {
                if let StmtKind::If { condition, .. } = &mut stmt.kind {
                    walk::change_expr(condition, self);
                }
                walk::each_block(stmt, &mut |body| {
                    body.iter_mut().for_each(|stmt| self.stmt(stmt));
                });
            }
            _ => walk::change_stmt(stmt, self),
        }
    }
}

impl Change for Passing {
    fn place(&mut self, place: &mut Place) {
        let Some(index) = &place.index else { return };
        if place.id == self.array && index.mentions(self.offset.var) {
            place.index = Some(Nat::sub(index, &Nat::var(self.offset.var)));
            place.id = self.row;
        }
    }
}
