//! Splits the live ranges of variables: a variable that is overwritten before it is read again has
//! several live ranges, and each becomes a variable of its own.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Function, Id, Loop, Place, Stmt, StmtKind};

use super::{Pass, Run};
use crate::analysis::uses::Uses;
use crate::ir::trace::Changes;
use crate::ir::walk::{self, Renamed};

pub(crate) const PASS: Pass = Pass {
    name: "live-range-splitting",
    run: Run::Always(run),
    changes: Changes {
        moved: "moved to another block",
        repeated: "each purpose of a reused variable has its own variable",
        rewritten: "a variable with several purposes is split into several",
    },
};

/// Splits the live ranges of the private variables of a function that are not arrays, are declared
/// without a value, and whose uses are all known.
fn run(function: &mut Function) {
    let uses = Uses::of(function);
    let excluded = uses.untracked(&function.body);
    let mut body = std::mem::take(&mut function.body);
    split_block(&mut body, &uses, &excluded, function);
    function.body = body;
}

fn split_block(
    body: &mut Vec<Stmt>,
    uses: &Uses,
    excluded: &FxHashSet<Id>,
    function: &mut Function,
) {
    for stmt in body.iter_mut() {
        walk::each_block(stmt, &mut |body| {
            split_block(body, uses, excluded, function)
        });
    }
    // The declaration of each variable, and the statements that use it.
    let mut mentions: FxHashMap<Id, (usize, Vec<usize>)> = FxHashMap::default();
    for (at, stmt) in body.iter().enumerate() {
        if let StmtKind::Declare(id, None) = stmt.kind
            && function.is_private(id)
            && function.variables[id.0 as usize].count.is_none()
            && !excluded.contains(&id)
        {
            mentions.insert(id, (at, Vec::new()));
        } else if !mentions.is_empty() {
            uses.stmt(stmt, &mut |id, _| {
                if let Some((_, all)) = mentions.get_mut(&id)
                    && all.last() != Some(&at)
                {
                    all.push(at);
                }
            });
        }
    }
    let mut declared: Vec<_> = mentions.into_iter().collect();
    declared.sort_unstable_by_key(|(_, (at, _))| *at);
    let mut new = Vec::new();
    for (id, (at, all)) in declared {
        if all.len() > 1 {
            split_variable(body, (at, id), &all, uses, function, &mut new);
        }
    }
    new.sort_by_key(|(at, _)| *at);
    for (at, declaration) in new.into_iter().rev() {
        body.insert(at, declaration);
    }
}

/// The first access to a variable on the paths through a statement.
#[derive(PartialEq)]
enum FirstAccess {
    /// Each path writes it before it reads it.
    Overwrites,
    /// No path reads it before it writes it, but some may not write it, or this is not known.
    MayOverwrite,
    /// Some path may read it first.
    MayRead,
}

/// Splits the live ranges of the variable that is declared at `at`, given the positions of the
/// statements that use it: renames it in all ranges but the first. Adds the declarations of the new
/// variables to `new`, with the positions at which to insert them.
fn split_variable(
    body: &mut [Stmt],
    (at, id): (usize, Id),
    mentioning: &[usize],
    uses: &Uses,
    function: &mut Function,
    new: &mut Vec<(usize, Stmt)>,
) {
    let mut ranges: Vec<Vec<usize>> = Vec::new();
    for (number, next) in mentioning.iter().enumerate() {
        let alone = || {
            let behind = mentioning.get(number + 1);
            behind
                .is_none_or(|behind| first_access(&body[*behind], id, uses) != FirstAccess::MayRead)
        };
        let is_new = match first_access(&body[*next], id, uses) {
            FirstAccess::Overwrites => true,
            FirstAccess::MayOverwrite => alone(),
            FirstAccess::MayRead => false,
        };
        match ranges.last_mut() {
            Some(range) if !is_new => range.push(*next),
            _ => ranges.push(vec![*next]),
        }
    }
    let starts = |range: &Vec<usize>| {
        let first = range
            .first()
            .map(|first| first_access(&body[*first], id, uses));
        first.is_some_and(|first_access| first_access != FirstAccess::MayRead)
    };
    if ranges.len() < 2 || !ranges.iter().all(starts) {
        return;
    }
    for range in ranges.into_iter().skip(1) {
        let variable = function.variables[id.0 as usize].clone();
        let part = function.fresh_variable(variable);
        let ids = FxHashMap::from_iter([(id, part)]);
        for next in &range {
            walk::change_stmt(&mut body[*next], &mut Renamed { ids: &ids });
        }
        let declaration = Stmt {
            kind: StmtKind::Declare(part, None),
            ..body[at].clone()
        };
        new.extend(range.first().map(|first| (*first, declaration)));
    }
}

fn first_access(stmt: &Stmt, id: Id, uses: &Uses) -> FirstAccess {
    let first_of = |body: &[Stmt]| {
        let first = body.iter().find(|stmt| uses.mentions(stmt, id));
        first.map_or(FirstAccess::MayOverwrite, |stmt| {
            first_access(stmt, id, uses)
        })
    };
    match &stmt.kind {
        StmtKind::Assign(place, value) if *place == Place::plain(id) && !uses.reads(value, id) => {
            FirstAccess::Overwrites
        }
        StmtKind::Block(body) => first_of(body),
        StmtKind::For(Loop { body, .. }) if first_of(body) == FirstAccess::Overwrites => {
            FirstAccess::MayOverwrite
        }
        StmtKind::If {
            condition,
            then,
            otherwise,
        } if !uses.reads(condition, id)
            && first_of(then) != FirstAccess::MayRead
            && first_of(otherwise) != FirstAccess::MayRead =>
        {
            FirstAccess::MayOverwrite
        }
        _ => FirstAccess::MayRead,
    }
}
