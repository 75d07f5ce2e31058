//! Coalesces copies: makes one variable of a variable and its copy where their values are not
//! needed at the same time.

use rustc_hash::FxHashMap;

use super::{Pass, Run};
use crate::analysis::uses::{Mention, Uses};
use crate::ir::trace::Changes;
use crate::ir::walk::{self, Renamed};
use crate::ir::{ExprKind, Function, Id, Place, Stmt, StmtKind};

pub(crate) const PASS: Pass = Pass {
    name: "copy-coalescing",
    run: Run::Always(join_variables),
    changes: Changes {
        moved: "moved to where its value is used",
        repeated: "merged with the statement that computes its value",
        rewritten: "a variable and its copy are merged",
    },
};

/// Makes one variable of `x` and `y` after the declaration `y = x` if `x` is not used from there to
/// the last use of `y`, and later only if that last use is `x = y`. Both have to be private
/// variables that are not arrays.
fn join_variables(function: &mut Function) {
    let uses = Uses::of(function);
    let mut body = std::mem::take(&mut function.body);
    join_block(&mut body, &uses, function);
    function.body = body;
}

fn join_block(body: &mut Vec<Stmt>, uses: &Uses, function: &Function) {
    for stmt in body.iter_mut() {
        walk::each_block(stmt, &mut |inner| join_block(inner, uses, function));
    }
    let mut at = 0;
    while at < body.len() {
        match copied(body, at, uses, function) {
            Some((new, old)) => {
                body.remove(at);
                let map = FxHashMap::from_iter([(new, old)]);
                walk::change_all(body, &mut Renamed { ids: &map });
                body.retain(|stmt| !is_copy(stmt, old, old));
            }
            None => at += 1,
        }
    }
}

/// Returns `(y, x)` if the statement at `at` declares `y` with the value of `x` and one variable
/// can take the place of both, otherwise `None`.
fn copied(body: &[Stmt], at: usize, uses: &Uses, function: &Function) -> Option<(Id, Id)> {
    let StmtKind::Declare(new, Some(value)) = &body[at].kind else {
        return None;
    };
    let ExprKind::Load(place) = &value.kind else {
        return None;
    };
    let (new, old) = (*new, place.id);
    let variable = |id: Id| &function.variables[id.0 as usize];
    let is_plain = |id: Id| variable(id).count.is_none() && variable(id).is_private();
    if *place != Place::plain(old)
        || !is_plain(old)
        || variable(old).elem != variable(new).elem
        || !is_plain(new)
    {
        return None;
    }
    // The older one has to live as long as the younger one, or to be given its value at the end.
    let declared = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Declare(id, _) if *id == old);
    let is_own = body[..at].iter().any(declared);
    let last = (at + 1..body.len())
        .rev()
        .find(|next| uses.mentions(&body[*next], new))?;
    // What reads the older one afterwards wants its own value, not the younger one's.
    let mut later = body[last + 1..].iter();
    if !is_copy(&body[last], old, new) && later.any(|stmt| uses.mentions(stmt, old)) {
        return None;
    }
    for (position, stmt) in body.iter().enumerate().take(last + 1).skip(at + 1) {
        let back = position == last && is_copy(stmt, old, new);
        if position == last && !back && !is_own {
            return None;
        }
        if !back && uses.mentions(stmt, old) {
            return None;
        }
        let mut by_index = false;
        uses.stmt(stmt, &mut |id, mention| {
            by_index |= id == new && mention == Mention::Index;
        });
        if by_index {
            return None;
        }
    }
    Some((new, old))
}

/// Returns true for the statement `to = from`.
fn is_copy(stmt: &Stmt, to: Id, from: Id) -> bool {
    let StmtKind::Assign(place, value) = &stmt.kind else {
        return false;
    };
    *place == Place::plain(to)
        && matches!(&value.kind, ExprKind::Load(read) if *read == Place::plain(from))
}
