//! Small arrays whose indices are all known become plain variables.

use nat::Nat;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Function, Id, Place, Stmt, StmtKind, Variable};

use super::inlining::is_local;
use super::uses::{Mention, Uses};
use super::walk::{self, Change};

/// Elements up to which an array becomes plain variables.
const MAX_SCALARS: i64 = 256;

/// Replaces arrays by a plain variable an element.
pub(crate) fn split_arrays(function: &mut Function) {
    let uses = Uses::of(function);
    let mut kept = FxHashSet::default();
    uses.all(&function.body, &mut |id, mention| {
        let known = match mention {
            Mention::Declared => true,
            Mention::Read(place) | Mention::Written(place) => {
                place.lanes.is_none() && place.index.as_ref().is_some_and(is_number)
            }
            Mention::Index | Mention::Pointed | Mention::Reduced => false,
        };
        if !known {
            kept.insert(id);
        }
    });
    for (_, value) in &function.opaque {
        uses.expr(value, &mut |id, _| {
            kept.insert(id);
        });
    }
    let mut parts: FxHashMap<Id, Vec<Id>> = FxHashMap::default();
    for at in 0..function.variables.len() {
        let id = Id(u32::try_from(at).unwrap_or(u32::MAX));
        let count = function.variables[at].count.as_ref();
        let count = count
            .and_then(Nat::as_const)
            .filter(|n| (1..=MAX_SCALARS).contains(n));
        if let Some(count) = count
            && is_local(function, id)
            && !kept.contains(&id)
        {
            let new = (0..count)
                .map(|k| element(function, at, k, count))
                .collect();
            parts.insert(id, new);
        }
    }
    if parts.is_empty() {
        return;
    }
    let mut body = std::mem::take(&mut function.body);
    declare_parts(&mut body, &parts);
    walk::change_all(&mut body, &mut Split { parts: &parts });
    function.body = body;
}

fn is_number(nat: &Nat) -> bool {
    nat.as_const().is_some()
}

/// A variable for an element.
fn element(function: &mut Function, array: usize, k: i64, count: i64) -> Id {
    let id = Id(u32::try_from(function.variables.len()).unwrap_or(u32::MAX));
    let variable = &function.variables[array];
    let name = match (count, variable.name.as_bytes().last()) {
        (1, _) => variable.name.clone(),
        (_, Some(b'0'..=b'9')) => format!("{}_{k}", variable.name).into(),
        _ => format!("{}{k}", variable.name).into(),
    };
    let variable = Variable {
        name,
        count: None,
        ..variable.clone()
    };
    function.variables.push(variable);
    id
}

fn declare_parts(body: &mut Vec<Stmt>, parts: &FxHashMap<Id, Vec<Id>>) {
    let old = std::mem::take(body);
    for mut stmt in old {
        match &mut stmt.kind {
            StmtKind::Declare(id, _) => {
                if let Some(new) = parts.get(id) {
                    body.extend(new.iter().map(|part| Stmt {
                        kind: StmtKind::Declare(*part, None),
                        ..stmt.clone()
                    }));
                    continue;
                }
            }
            StmtKind::For { body, .. } | StmtKind::Block(body) => declare_parts(body, parts),
            StmtKind::If {
                then, otherwise, ..
            } => {
                declare_parts(then, parts);
                declare_parts(otherwise, parts);
            }
            StmtKind::Reduce(reduce) => {
                declare_parts(&mut reduce.element_body, parts);
                declare_parts(&mut reduce.combine, parts);
            }
            _ => {}
        }
        body.push(stmt);
    }
}

struct Split<'m> {
    parts: &'m FxHashMap<Id, Vec<Id>>,
}

impl Change for Split<'_> {
    fn place(&mut self, place: &mut Place) {
        let index = place.index.as_ref().and_then(Nat::as_const);
        let part = self
            .parts
            .get(&place.id)
            .zip(index)
            .and_then(|(parts, index)| {
                // What is out of bounds never runs.
                let index = usize::try_from(index).unwrap_or(0).min(parts.len() - 1);
                parts.get(index)
            });
        if let Some(part) = part {
            place.id = *part;
            place.index = None;
        }
    }
}
