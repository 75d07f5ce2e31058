//! Sinks declarations: moves them down to the first use, or into the loop that contains all uses,
//! as LLVM's `Sink` pass does with computations. If the first use is an assignment, it is merged
//! with the declaration. Declarations of unused variables are removed.

use rustc_hash::FxHashSet;

use crate::ir::{Function, Home, Id, Loop, Place, Stmt, StmtKind};

use super::{Pass, Run};
use crate::analysis::uses::Uses;
use crate::ir::trace::Changes;
use crate::ir::walk;

pub(crate) const PASS: Pass = Pass {
    name: "sinking",
    run: Run::Always(run),
    changes: Changes {
        moved: "declared where it is first used",
        repeated: "merged with the statement that computes its value",
        rewritten: "a variable is declared with its value",
    },
};

/// Sinks the declarations without a value in a function.
fn run(function: &mut Function) {
    let uses = Uses::of(function);
    let mut body = std::mem::take(&mut function.body);
    sink_block(&mut body, &uses, function);
    function.body = body;
}

/// Sinks the declarations without a value in a block, and in the blocks in it.
pub(crate) fn sink_block(body: &mut Vec<Stmt>, uses: &Uses, function: &Function) {
    for stmt in body.iter_mut() {
        walk::each_block(stmt, &mut |inner| sink_block(inner, uses, function));
    }
    if !body
        .iter()
        .any(|stmt| matches!(stmt.kind, StmtKind::Declare(_, None)))
    {
        return;
    }
    let mut mentioned: Vec<FxHashSet<Id>> =
        body.iter().map(|stmt| uses.mentioned_in(stmt)).collect();
    // Backwards, so that later declarations are already in their positions.
    for at in (0..body.len()).rev() {
        let Some(id) = movable_declaration(&body[at], function) else {
            continue;
        };
        let declaration = body.remove(at);
        let own = mentioned.remove(at);
        let first = (at..body.len()).find(|next| mentioned[*next].contains(&id));
        let Some(first) = first else {
            continue;
        };
        let is_plain = function.variables[id.0 as usize].count.is_none();
        let is_last = !mentioned[first + 1..].iter().any(|ids| ids.contains(&id));
        if let StmtKind::For(Loop { body: inner, .. }) = &mut body[first].kind
            && is_plain
            && is_last
            && assigns_before_reading(inner, id, uses)
        {
            inner.insert(0, declaration);
            sink_block(inner, uses, function);
            continue;
        }
        match &mut body[first].kind {
            StmtKind::Assign(place, value)
                if is_plain && *place == Place::plain(id) && !uses.reads(value, id) =>
            {
                let value = value.clone();
                body[first].kind = StmtKind::Declare(id, Some(value));
            }
            _ => {
                let at = before_pointer(body, first);
                // Arrays keep the order of their declarations.
                let is_array = |stmt: &Stmt| is_declaration_of_array(stmt, function);
                let at = match is_array(&declaration) {
                    true => body[..at].iter().rposition(|stmt| !is_array(stmt)),
                    false => at.checked_sub(1),
                };
                let at = at.map_or(0, |last| last + 1);
                body.insert(at, declaration);
                mentioned.insert(at, own);
            }
        }
    }
}

/// Returns the variable of a declaration that can be moved: one without a value, and not of a
/// variable in local or global memory, which is declared at the start of the kernel. Returns `None`
/// for other statements.
fn movable_declaration(stmt: &Stmt, function: &Function) -> Option<Id> {
    match stmt.kind {
        StmtKind::Declare(id, None) => Some(id),
        _ => None,
    }
    .filter(|id| !function.variables[id.0 as usize].is_shared())
}

/// Returns true if a statement declares an array without a value.
fn is_declaration_of_array(stmt: &Stmt, function: &Function) -> bool {
    matches!(stmt.kind, StmtKind::Declare(id, None) if {
        let variable = &function.variables[id.0 as usize];
        variable.count.is_some() && !matches!(variable.home, Home::Pointer { .. })
    })
}

/// Returns true if the first statement of a loop's body that uses a variable assigns it and does
/// not read it, so that the variable may be declared in the body.
fn assigns_before_reading(body: &[Stmt], id: Id, uses: &Uses) -> bool {
    let first = body.iter().find(|stmt| uses.mentions(stmt, id));
    first.is_some_and(|stmt| match &stmt.kind {
        StmtKind::Assign(place, value) => *place == Place::plain(id) && !uses.reads(value, id),
        _ => false,
    })
}

/// Returns the position at which to insert a declaration before the statement at `at`: one further
/// up if the insertion would separate the declaration of a pointer from its assignment.
fn before_pointer(body: &[Stmt], at: usize) -> usize {
    match (
        at.checked_sub(1).and_then(|before| body.get(before)),
        body.get(at),
    ) {
        (Some(before), Some(here)) => match (&before.kind, &here.kind) {
            (StmtKind::Declare(id, None), StmtKind::Point(set, _)) if id == set => at - 1,
            _ => at,
        },
        _ => at,
    }
}
