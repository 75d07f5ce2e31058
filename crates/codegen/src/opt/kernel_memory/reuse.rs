//! Lets local arrays whose live ranges are disjoint share memory, if that requires no additional
//! barrier, or if the kernel uses much local memory.

use nat::Nat;
use rustc_hash::FxHashMap;
use syntax::ast::AddressSpace;

use super::{Array, barriers};
use crate::analysis::dependence_test::MemoryAliases;
use crate::analysis::uses::{Mention, Uses};
use crate::error::Result;
use crate::ir::kernel::{self, KernelState};
use crate::ir::walk;
use crate::ir::{Function, Id, Stmt, StmtKind};

/// The size of local memory in bytes up to which a barrier costs more than memory: a third of that
/// of usual devices, so that several groups are resident at a time.
const ENOUGH: i64 = 16 * 1024;
/// The maximal number of local arrays of a kernel that may share memory; with more, none do.
const MAX_ARRAYS: usize = 16;

/// Returns the local arrays that are to use the memory of another one, with that one. Sharing may
/// cost additional barriers only if all local arrays together have more than [`ENOUGH`] bytes or an
/// unknown size.
///
/// # Errors
/// Fails for arrays whose elements have no type in OpenCL C.
pub(crate) fn choose(
    function: &Function,
    work: &KernelState,
    body: &[Stmt],
    arrays: &[Array],
) -> Result<MemoryAliases> {
    let lives = lives(function, body);
    let mut local: Vec<(&Array, Life)> = arrays
        .iter()
        .filter(|array| array.space == AddressSpace::Local && array.count.is_some())
        .filter_map(|array| lives.get(&array.id).map(|life| (array, *life)))
        .collect();
    local.sort_by_key(|(array, life)| (life.first, array.id));
    let mut chosen = MemoryAliases::default();
    if local.len() < 2 || local.len() > MAX_ARRAYS {
        return Ok(chosen);
    }
    let count = |shared: &MemoryAliases| {
        let ordered = barriers::order(function, work, body.to_vec(), shared);
        ordered.ok().map(|ordered| ordered.barriers)
    };
    let Some(without) = count(&chosen) else {
        return Ok(chosen);
    };
    let is_much = total(function, arrays)?.is_none_or(|bytes| bytes > ENOUGH);
    // The owner of each memory, and the end of its last live range.
    let mut memories: Vec<(&Array, usize)> = Vec::new();
    for (array, life) in local {
        let mut home = None;
        for (at, (owner, until)) in memories.iter().enumerate() {
            if *until >= life.first || !fits(function, owner, array) {
                continue;
            }
            let mut tried = chosen.clone();
            tried.insert(array.id, owner.id);
            let barriers = count(&tried);
            if barriers.is_some_and(|barriers| barriers <= without || is_much) {
                home = Some((at, tried));
                break;
            }
        }
        match home {
            Some((at, tried)) => {
                chosen = tried;
                memories[at].1 = life.last;
            }
            None => memories.push((array, life.last)),
        }
    }
    Ok(chosen)
}

/// Returns true if `array` can use the memory of `owner`: type, copies and sizes permit it.
fn fits(function: &Function, owner: &Array, array: &Array) -> bool {
    let elem = |array: &Array| &function.variables[array.id.0 as usize].elem;
    let constant = |array: &Array| array.all().as_const().is_some();
    let copies = owner.copies.len() == array.copies.len()
        && (owner.copies.iter())
            .zip(&array.copies)
            .all(|(a, b)| a.alike(b));
    // Copies of another size would have other offsets.
    let one_size = owner.count == array.count
        || (owner.copies.is_empty() && constant(owner) && constant(array));
    elem(owner) == elem(array) && copies && one_size
}

/// Returns the size in bytes of all copies of all local arrays; `None` if it is not a constant.
fn total(function: &Function, arrays: &[Array]) -> Result<Option<i64>> {
    let mut sum = Nat::ZERO;
    for array in arrays
        .iter()
        .filter(|array| array.space == AddressSpace::Local)
    {
        let bytes = kernel::bytes(function, array.id)?;
        let copies = array.copies.iter();
        sum = &sum + &copies.fold(bytes, |all, of| &all * &of.number);
    }
    Ok(sum.as_const())
}

/// The live range of an array: the numbers of the first and the last statement that may use it.
/// Statements are numbered in order, and nested statements follow the enclosing one; a statement in
/// the block of the array's declaration counts with all of its nested ones.
#[derive(Clone, Copy, Debug)]
struct Life {
    first: usize,
    last: usize,
}

fn lives(function: &Function, body: &[Stmt]) -> FxHashMap<Id, Life> {
    let uses = Uses::of(function);
    let mut lives = FxHashMap::default();
    live(body, &uses, &mut 0, &mut lives);
    // The targets of pointers are used wherever the pointers are.
    uses.all(body, &mut |id, mention| {
        if mention == Mention::Pointed {
            lives.remove(&id);
        }
    });
    lives
}

fn live(body: &[Stmt], uses: &Uses, next: &mut usize, lives: &mut FxHashMap<Id, Life>) {
    let mut own: Vec<Id> = Vec::new();
    let mut ranges = Vec::with_capacity(body.len());
    for stmt in body {
        let first = *next;
        *next += 1;
        walk::blocks(stmt, &mut |body| live(body, uses, next, lives));
        ranges.push((first, *next - 1));
        if let StmtKind::Declare(id, _) = stmt.kind {
            own.push(id);
        }
    }
    for (stmt, (first, last)) in body.iter().zip(ranges) {
        uses.stmt(stmt, &mut |id, mention| {
            if mention != Mention::Declared && own.contains(&id) {
                let life = lives.entry(id).or_insert(Life { first, last });
                life.last = last;
            }
        });
    }
}
