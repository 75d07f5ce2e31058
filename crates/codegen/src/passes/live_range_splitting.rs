//! Variables that get a new value for a new purpose are several; the last values that nothing reads
//! are not written.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Expr, Function, Id, Place, Stmt, StmtKind};

use super::inlining::is_local;
use super::uses::{Mention, Uses};
use super::walk::{self, Renamed};

/// Gives each range of statements that starts with a new value a variable of its own.
pub(crate) fn split_variables(function: &mut Function) {
    let uses = Uses::of(function);
    let mut kept = FxHashSet::default();
    uses.all(&function.body, &mut |id, mention| {
        if matches!(
            mention,
            Mention::Index | Mention::Pointed | Mention::Reduced
        ) {
            kept.insert(id);
        }
    });
    let mut body = std::mem::take(&mut function.body);
    split_in(&mut body, &uses, &kept, function);
    let mut pass = Trim {
        uses,
        kept,
        function,
    };
    pass.block(&mut body, &FxHashSet::default(), &mut FxHashSet::default());
    function.body = body;
}

fn split_in(body: &mut Vec<Stmt>, uses: &Uses, kept: &FxHashSet<Id>, function: &mut Function) {
    for stmt in body.iter_mut() {
        walk::each_block(stmt, &mut |body| split_in(body, uses, kept, function));
    }
    // Where each variable is declared, and which statements mention it.
    let mut mentions: FxHashMap<Id, (usize, Vec<usize>)> = FxHashMap::default();
    for (at, stmt) in body.iter().enumerate() {
        if let StmtKind::Declare(id, None) = stmt.kind
            && is_local(function, id)
            && function.variables[id.0 as usize].count.is_none()
            && !kept.contains(&id)
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
            split_one(body, (at, id), &all, uses, function, &mut new);
        }
    }
    new.sort_by_key(|(at, _)| *at);
    for (at, declaration) in new.into_iter().rev() {
        body.insert(at, declaration);
    }
}

/// How a statement starts with a variable.
#[derive(PartialEq)]
enum Start {
    /// It gives it a new value.
    Surely,
    /// It gives it a new value before it reads it, but may do neither.
    Perhaps,
    /// It may read it.
    No,
}

/// Gives the variable that is declared at a place one more for each further range; their
/// declarations are to be put in at the places noted in `new`.
fn split_one(
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
            behind.is_none_or(|behind| start(&body[*behind], id, uses) != Start::No)
        };
        let is_new = match start(&body[*next], id, uses) {
            Start::Surely => true,
            Start::Perhaps => alone(),
            Start::No => false,
        };
        match ranges.last_mut() {
            Some(range) if !is_new => range.push(*next),
            _ => ranges.push(vec![*next]),
        }
    }
    let starts = |range: &Vec<usize>| {
        let first = range.first().map(|first| start(&body[*first], id, uses));
        first.is_some_and(|start| start != Start::No)
    };
    if ranges.len() < 2 || !ranges.iter().all(starts) {
        return;
    }
    for range in ranges.into_iter().skip(1) {
        let Ok(number) = u32::try_from(function.variables.len()) else {
            return;
        };
        let part = Id(number);
        let variable = function.variables[id.0 as usize].clone();
        function.variables.push(variable);
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

fn start(stmt: &Stmt, id: Id, uses: &Uses) -> Start {
    let first_of = |body: &[Stmt]| {
        let first = body.iter().find(|stmt| uses.mentions(stmt, id));
        first.map_or(Start::Perhaps, |stmt| start(stmt, id, uses))
    };
    match &stmt.kind {
        StmtKind::Assign(place, value) if *place == Place::plain(id) && !reads(uses, value, id) => {
            Start::Surely
        }
        StmtKind::Block(body) => first_of(body),
        StmtKind::For { body, .. } if first_of(body) == Start::Surely => Start::Perhaps,
        StmtKind::If {
            condition,
            then,
            otherwise,
        } if !reads(uses, condition, id)
            && first_of(then) != Start::No
            && first_of(otherwise) != Start::No =>
        {
            Start::Perhaps
        }
        _ => Start::No,
    }
}

fn reads(uses: &Uses, value: &Expr, id: Id) -> bool {
    let mut found = false;
    uses.expr(value, &mut |this, _| found |= this == id);
    found
}

struct Trim<'f> {
    uses: Uses,
    kept: FxHashSet<Id>,
    function: &'f Function,
}

impl Trim<'_> {
    /// Leaves out assignments to variables that nothing mentions `later`. Those of `around` and of
    /// the block end where it ends, or later.
    fn block(&mut self, body: &mut Vec<Stmt>, around: &FxHashSet<Id>, later: &mut FxHashSet<Id>) {
        let mut own = around.clone();
        own.extend(body.iter().filter_map(|stmt| match stmt.kind {
            StmtKind::Declare(id, _) => Some(id),
            _ => None,
        }));
        for at in (0..body.len()).rev() {
            match &mut body[at].kind {
                StmtKind::Assign(place, _) => {
                    let id = place.id;
                    let is_last = own.contains(&id) && !later.contains(&id);
                    if is_last
                        && place.index.is_none()
                        && is_local(self.function, id)
                        && !self.kept.contains(&id)
                    {
                        body.remove(at);
                        continue;
                    }
                }
                StmtKind::If {
                    then, otherwise, ..
                } => {
                    self.block(then, &own, &mut later.clone());
                    self.block(otherwise, &own, &mut later.clone());
                }
                StmtKind::Block(body) => self.block(body, &own, &mut later.clone()),
                StmtKind::For { body, .. } => {
                    self.block(body, &FxHashSet::default(), &mut FxHashSet::default());
                }
                _ => {}
            }
            self.uses.stmt(&body[at], &mut |id, mention| {
                if mention != Mention::Declared {
                    later.insert(id);
                }
            });
        }
    }
}
