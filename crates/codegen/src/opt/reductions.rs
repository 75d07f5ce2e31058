//! Implements parallel reductions. Where the target has no threads, or the reduction is within a
//! loop that threads execute, it becomes a sequential loop that combines one element after the
//! other. For threads, it becomes a loop with a reduction clause if the operator is one that
//! combines in any order. Reductions by threads with other operators are left to the printer, which
//! combines parts in the order of the elements.

use nat::Nat;
use rise::Type;
use rise::core::Origin;

use super::{Pass, Run, inlining, sinking};
use crate::analysis::uses::Uses;
use crate::ir::trace::Changes;
use crate::ir::walk;
use crate::ir::{
    Binary, Expr, ExprKind, Function, Id, Loop, LoopMode, ParallelReduce, Place, ReductionOperator,
    Stmt, StmtKind,
};

pub(crate) const PASS: Pass = Pass {
    name: "reductions",
    run: Run::Always(run),
    changes: Changes::all("each thread combines its elements one after the other"),
};

fn run(function: &mut Function) {
    let uses = Uses::of(function);
    let mut body = std::mem::take(&mut function.body);
    block(&mut body, function.features.has_threads(), &uses, function);
    function.body = body;
}

/// Implements the reductions in a block; `threads` is true if the target has threads and the block
/// is not in a loop or reduction that is distributed over them.
fn block(body: &mut [Stmt], threads: bool, uses: &Uses, function: &Function) {
    for stmt in body {
        if let StmtKind::Reduce(reduce) = &mut stmt.kind {
            declare_element(reduce, stmt.origin);
            sinking::sink_block(&mut reduce.element_body, uses, function);
            let operator = known_operator(reduce, function);
            let mode = match operator {
                Some(operator) if threads => Some(LoopMode::Reduction(operator, reduce.into)),
                None if threads => None,
                _ => Some(LoopMode::Sequential),
            };
            if let Some(mode) = mode {
                stmt.kind = one_by_one(reduce, mode, uses, function);
            }
        }
        let threads = threads
            && !matches!(
                stmt.kind,
                StmtKind::Reduce(_)
                    | StmtKind::For(Loop {
                        mode: LoopMode::Parallel | LoopMode::Reduction(..),
                        ..
                    })
            );
        walk::each_block(stmt, &mut |inner| block(inner, threads, uses, function));
    }
}

/// Adds the declaration of the variable for an element before the statements that compute it,
/// unless they declare it.
pub(super) fn declare_element(reduce: &mut ParallelReduce, origin: Origin) {
    let declares =
        |stmt: &Stmt| matches!(stmt.kind, StmtKind::Declare(id, _) if id == reduce.element);
    if !reduce.element_body.iter().any(declares) {
        let declaration = Stmt::new(StmtKind::Declare(reduce.element, None), origin, None);
        reduce.element_body.insert(0, declaration);
    }
}

/// Returns the loop in this mode that combines each element as soon as it is computed.
fn one_by_one(
    reduce: &mut ParallelReduce,
    mode: LoopMode,
    uses: &Uses,
    function: &Function,
) -> StmtKind {
    let mut body = std::mem::take(&mut reduce.element_body);
    body.extend(reduce.combination(reduce.into, reduce.element));
    inlining::inline_statements(&mut body, uses, function);
    StmtKind::For(Loop {
        counter: reduce.counter,
        from: Nat::ZERO,
        to: reduce.count.clone(),
        step: Nat::ONE,
        mode,
        body,
    })
}

/// Returns the operator by which a reduction combines scalars or indices, if it is one whose
/// operands may be combined in any order; otherwise `None`.
fn known_operator(reduce: &ParallelReduce, function: &Function) -> Option<ReductionOperator> {
    let [
        Stmt {
            kind: StmtKind::Assign(place, value),
            ..
        },
    ] = reduce.combine.as_slice()
    else {
        return None;
    };
    let into = &function.variables[reduce.into.0 as usize];
    if !matches!(&*into.elem, Type::Scalar(_) | Type::Index(_)) || !is_plain(place, reduce.left) {
        return None;
    }
    let loads = |e: &Expr, id: Id| matches!(&e.kind, ExprKind::Load(p) if is_plain(p, id));
    let both = |a: &Expr, b: &Expr| {
        loads(a, reduce.left) && loads(b, reduce.right)
            || loads(a, reduce.right) && loads(b, reduce.left)
    };
    Some(match &value.kind {
        ExprKind::Binary(op, a, b) if both(a, b) => match op {
            Binary::Add => ReductionOperator::Add,
            Binary::Mul => ReductionOperator::Mul,
            Binary::And => ReductionOperator::And,
            Binary::Or => ReductionOperator::Or,
            Binary::Min => ReductionOperator::Min,
            Binary::Max => ReductionOperator::Max,
            _ => return None,
        },
        ExprKind::Select(condition, yes, no) if both(yes, no) => {
            let ExprKind::Binary(op, a, b) = &condition.kind else {
                return None;
            };
            if !both(a, b) {
                return None;
            }
            let picks_left = yes.kind == a.kind;
            match op {
                Binary::Lt | Binary::Le if picks_left => ReductionOperator::Min,
                Binary::Lt | Binary::Le => ReductionOperator::Max,
                Binary::Gt | Binary::Ge if picks_left => ReductionOperator::Max,
                Binary::Gt | Binary::Ge => ReductionOperator::Min,
                _ => return None,
            }
        }
        ExprKind::Call(function, args) => match (function.name.as_str(), args.as_slice()) {
            ("fmin" | "fminf", [a, b]) if both(a, b) && function.body.is_none() => {
                ReductionOperator::Min
            }
            ("fmax" | "fmaxf", [a, b]) if both(a, b) && function.body.is_none() => {
                ReductionOperator::Max
            }
            _ => return None,
        },
        _ => return None,
    })
}

fn is_plain(place: &Place, id: Id) -> bool {
    *place == Place::plain(id)
}
