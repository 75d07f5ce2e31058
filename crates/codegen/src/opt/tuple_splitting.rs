//! Splits tuples: a private tuple, or array of tuples, that is only accessed by its halves becomes
//! two variables (scalar replacement of aggregates, for structs).

use rise::Type;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Pass, Run};
use crate::analysis::uses::{Mention, Uses};
use crate::ir::trace::Changes;
use crate::ir::walk::{self, Change};
use crate::ir::{ExprKind, Function, Id, Place, Stmt, StmtKind, Variable};

pub(crate) const PASS: Pass = Pass {
    name: "tuple-splitting",
    run: Run::Always(split_tuples),
    changes: Changes {
        moved: "moved to another block",
        repeated: "each half of a tuple is a variable",
        rewritten: "halves of a tuple are variables",
    },
};

/// Replaces each private variable of tuple type that is only accessed by its halves by two
/// variables, unless it is declared with a value of which each half would compute the whole.
fn split_tuples(function: &mut Function) {
    while split_once(function) {}
}

fn split_once(function: &mut Function) -> bool {
    let uses = Uses::of(function);
    let mut kept = FxHashSet::default();
    uses.all(&function.body, &mut |id, mention| {
        let by_halves = match mention {
            Mention::Declared => true,
            Mention::Read(place) | Mention::Written(place) => !place.members.is_empty(),
            Mention::Index | Mention::Pointed | Mention::Reduced => false,
        };
        if !by_halves {
            kept.insert(id);
        }
    });
    for (_, value) in &function.opaque {
        uses.expr(value, &mut |id, _| {
            kept.insert(id);
        });
    }
    note_computed(&function.body, &mut kept);
    let mut halves = FxHashMap::default();
    for at in 0..function.variables.len() {
        let variable = &function.variables[at];
        let id = Id(u32::try_from(at).unwrap_or(u32::MAX));
        let Type::Pair(a, b) = &*variable.elem.clone() else {
            continue;
        };
        if !variable.is_private() || kept.contains(&id) {
            continue;
        }
        let new = [(a, 1), (b, 2)].map(|(elem, number)| {
            let variable = &function.variables[at];
            let half = Variable {
                name: format!("{}{number}", variable.name).into(),
                elem: elem.clone(),
                ..variable.clone()
            };
            function.fresh_variable(half)
        });
        halves.insert(id, new);
    }
    let mut body = std::mem::take(&mut function.body);
    let changed = declare_halves(&mut body, &halves);
    walk::change_all(&mut body, &mut Halves(&halves));
    function.body = body;
    changed
}

/// Adds to `kept` the variables that are declared with a value of which each half would compute the
/// whole: neither a pair nor a read.
fn note_computed(body: &[Stmt], kept: &mut FxHashSet<Id>) {
    walk::each_stmt(body, &mut |stmt| {
        if let StmtKind::Declare(id, Some(value)) = &stmt.kind
            && !matches!(value.kind, ExprKind::Pair(..) | ExprKind::Load(_))
        {
            kept.insert(*id);
        }
    });
}

/// Replaces the declarations of tuples by those of their halves; returns true if there were any.
fn declare_halves(body: &mut Vec<Stmt>, halves: &FxHashMap<Id, [Id; 2]>) -> bool {
    let mut changed = false;
    for mut stmt in std::mem::take(body) {
        walk::each_block(&mut stmt, &mut |inner| {
            changed |= declare_halves(inner, halves)
        });
        match &stmt.kind {
            StmtKind::Declare(id, value) if halves.contains_key(id) => {
                changed = true;
                for (number, half) in halves[id].iter().enumerate() {
                    let value = value.as_ref().map(|value| value.half(number == 1));
                    let kind = StmtKind::Declare(*half, value);
                    body.push(Stmt { kind, ..stmt });
                }
            }
            _ => body.push(stmt),
        }
    }
    changed
}

struct Halves<'m>(&'m FxHashMap<Id, [Id; 2]>);

impl Change for Halves<'_> {
    fn place(&mut self, place: &mut Place) {
        if let Some(halves) = self.0.get(&place.id)
            && !place.members.is_empty()
        {
            place.id = halves[usize::from(place.members.remove(0))];
        }
    }
}
