//! Joins consecutive branches that have the same condition on sizes and no `else`.

use nat::Prop;

use super::{Pass, Run};
use crate::analysis::conditions::proposition;
use crate::analysis::uses::Uses;
use crate::ir::trace::Changes;
use crate::ir::walk;
use crate::ir::{Function, Stmt, StmtKind};

pub(crate) const PASS: Pass = Pass {
    name: "branch-fusion",
    run: Run::Always(join),
    changes: Changes::all("merged with a branch of the same condition"),
};

/// Joins consecutive branches without `else` whose conditions are the same comparison of sizes,
/// which reads no variables.
fn join(function: &mut Function) {
    let uses = Uses::of(function);
    let mut body = std::mem::take(&mut function.body);
    block(&mut body, &uses);
    function.body = body;
}

fn block(body: &mut Vec<Stmt>, uses: &Uses) {
    let mut joined: Vec<Stmt> = Vec::with_capacity(body.len());
    for mut stmt in std::mem::take(body) {
        if let Some(last) = joined.last_mut()
            && let (Some(before), Some(here)) = (asked(last, uses), asked(&stmt, uses))
            && before == here
            && let (StmtKind::If { then, .. }, StmtKind::If { then: more, .. }) =
                (&mut last.kind, &mut stmt.kind)
        {
            then.append(more);
            continue;
        }
        joined.push(stmt);
    }
    for stmt in &mut joined {
        walk::each_block(stmt, &mut |inner| block(inner, uses));
    }
    *body = joined;
}

/// Returns the condition of a branch without `else` as a proposition about sizes; `None` for other
/// statements, and if the condition is another one or reads variables.
fn asked(stmt: &Stmt, uses: &Uses) -> Option<Prop> {
    let StmtKind::If {
        condition,
        otherwise,
        ..
    } = &stmt.kind
    else {
        return None;
    };
    let mut reads = false;
    uses.expr(condition, &mut |_, _| reads = true);
    proposition(condition, true).filter(|_| otherwise.is_empty() && !reads)
}
