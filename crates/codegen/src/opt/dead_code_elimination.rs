//! Eliminates dead code: removes private variables that nothing reads, with the assignments to
//! them, assignments of a place to itself, and statements that become empty, until nothing changes.

use rustc_hash::FxHashSet;

use crate::ir::{ExprKind, Function, Id, Loop, Stmt, StmtKind};

use super::{Pass, Run};
use crate::analysis::uses::{Mention, Uses};
use crate::ir::trace::Changes;

pub(crate) const PASS: Pass = Pass {
    name: "dead-code-elimination",
    run: Run::Always(run),
    changes: Changes {
        moved: "moved to another block",
        repeated: "unused values are removed",
        rewritten: "unused values are removed",
    },
};

/// Removes dead variables and statements until nothing changes. Expressions have no effects: C
/// functions are assumed to be pure.
fn run(function: &mut Function) {
    let uses = Uses::of(function);
    let mut body = std::mem::take(&mut function.body);
    loop {
        let mut live = FxHashSet::default();
        collect_live(&body, &uses, &mut live);
        let is_dead = |id: Id| function.is_private(id) && !live.contains(&id);
        if !remove_dead(&mut body, &is_dead) {
            break;
        }
    }
    function.body = body;
}

/// Adds to `live` the variables that statements use other than to declare them, to write them, or
/// to compute their own next value.
fn collect_live(body: &[Stmt], uses: &Uses, live: &mut FxHashSet<Id>) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::For(Loop { body, .. }) | StmtKind::Block(body) => {
                collect_live(body, uses, live)
            }
            StmtKind::If {
                then, otherwise, ..
            } => {
                collect_live(then, uses, live);
                collect_live(otherwise, uses, live);
            }
            _ => {}
        }
        let own = match &stmt.kind {
            StmtKind::Assign(place, _) => Some(place.id),
            _ => None,
        };
        let without_bodies = without_bodies(stmt);
        uses.stmt(&without_bodies, &mut |id, mention| {
            if !matches!(mention, Mention::Declared | Mention::Written(_)) && own != Some(id) {
                live.insert(id);
            }
        });
    }
}

/// Returns a loop, branch or block without its nested statements; other statements are returned
/// whole.
fn without_bodies(stmt: &Stmt) -> Stmt {
    let kind = match &stmt.kind {
        StmtKind::For(Loop {
            counter,
            from,
            to,
            step,
            mode,
            ..
        }) => StmtKind::For(Loop {
            counter: *counter,
            from: from.clone(),
            to: to.clone(),
            step: step.clone(),
            mode: *mode,
            body: Vec::new(),
        }),
        StmtKind::If { condition, .. } => StmtKind::If {
            condition: condition.clone(),
            then: Vec::new(),
            otherwise: Vec::new(),
        },
        StmtKind::Block(_) => StmtKind::Block(Vec::new()),
        other => other.clone(),
    };
    Stmt { kind, ..*stmt }
}

/// Removes declarations of dead variables, assignments to them, assignments of a place to itself,
/// and statements that are then empty; returns true if there were any.
fn remove_dead(body: &mut Vec<Stmt>, is_dead: &dyn Fn(Id) -> bool) -> bool {
    let before = body.len();
    let mut changed = false;
    body.retain_mut(|stmt| match &mut stmt.kind {
        StmtKind::Declare(id, _) => !is_dead(*id),
        StmtKind::Assign(place, value) => {
            let to_itself = matches!(&value.kind, ExprKind::Load(from) if from == place);
            !is_dead(place.id) && !to_itself
        }
        StmtKind::For(Loop { body, .. }) | StmtKind::Block(body) => {
            changed |= remove_dead(body, is_dead);
            !body.is_empty()
        }
        StmtKind::If {
            then, otherwise, ..
        } => {
            changed |= remove_dead(then, is_dead);
            changed |= remove_dead(otherwise, is_dead);
            if then.is_empty() && !otherwise.is_empty() {
                return true;
            }
            !then.is_empty() || !otherwise.is_empty()
        }
        StmtKind::Reduce(reduce) => {
            changed |= remove_dead(&mut reduce.element_body, is_dead);
            true
        }
        StmtKind::Kernel(kernel) => {
            changed |= remove_dead(&mut kernel.body, is_dead);
            true
        }
        StmtKind::Point(..) | StmtKind::Swap(..) | StmtKind::Barrier(_) => true,
    });
    changed || body.len() != before
}
