//! Variables that get a new value for a new purpose are several; the last values that nothing reads
//! are not written.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Expr, Function, Id, Place, Stmt, StmtKind};

use super::scalars::is_local;
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
    let mut at = 0;
    while at < body.len() {
        walk::each_block(&mut body[at], &mut |body| {
            split_in(body, uses, kept, function)
        });
        if let StmtKind::Declare(id, None) = body[at].kind
            && is_local(function, id)
            && function.variables[id.0 as usize].count.is_none()
            && !kept.contains(&id)
        {
            split_one(body, at, id, uses, function);
        }
        at += 1;
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

fn split_one(body: &mut Vec<Stmt>, at: usize, id: Id, uses: &Uses, function: &mut Function) {
    let mentioning: Vec<usize> = (at + 1..body.len())
        .filter(|next| uses.mentions(&body[*next], id))
        .collect();
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
    for range in ranges.into_iter().skip(1).rev() {
        let Ok(number) = u32::try_from(function.variables.len()) else {
            return;
        };
        let new = Id(number);
        let variable = function.variables[id.0 as usize].clone();
        function.variables.push(variable);
        let ids = FxHashMap::from_iter([(id, new)]);
        for next in &range {
            walk::change_stmt(&mut body[*next], &mut Renamed { ids: &ids });
        }
        let declaration = Stmt {
            kind: StmtKind::Declare(new, None),
            ..body[at].clone()
        };
        if let Some(first) = range.first() {
            body.insert(*first, declaration);
        }
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
