//! Places local and global arrays in memory, decides which local arrays share memory, and inserts
//! barriers.
//!
//! Local arrays are declared at the top of a kernel, or are parameters of it if their size is known
//! only at launch; global arrays are always parameters. An array that is declared in a loop that is
//! distributed over work-items has a copy for each of them, in global memory also one for each
//! group; the iterations of one work-item use the same copy.

mod barriers;
mod reuse;

use nat::{Nat, Prop, Var};
use rise::Type;
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::ast::AddressSpace;

use super::{Pass, Run};
use crate::analysis::dependence_test::MemoryAliases;
use crate::analysis::flow::{Around, Flow, Path};
use crate::analysis::groups;
use crate::error::{CompileError, Result};
use crate::ir::kernel::KernelFunction;
use crate::ir::kernel::{self, KernelState, Temporary};
use crate::ir::trace::Changes;
use crate::ir::walk::{self, Change};
use crate::ir::{Function, Home, Id, Level, Loop, Place, Stmt, StmtKind};

pub(crate) const PASS: Pass<KernelFunction> = Pass {
    name: "kernel-memory",
    run: Run::Fallible(|kernel| run(&mut kernel.function, &mut kernel.work)),
    changes: Changes {
        moved: "declared at the start of the kernel",
        repeated: "each work-item or group has its own copy",
        rewritten: "stored in the memory of its work-item, or in that of an array that is not needed at the same time",
    },
};

/// Allocates the local and global arrays of a kernel, and orders the accesses of its work-items by
/// barriers.
///
/// # Errors
/// Fails for memory that several work-items write at one place, or that one group writes and
/// another reads, for distributed loops that are nested in a wrong way, for barriers that not all
/// work-items of a group reach, and for sizes and types that are not supported.
pub(crate) fn run(function: &mut Function, work: &mut KernelState) -> Result<()> {
    let body = std::mem::take(&mut function.body);
    groups::check(function, work, &body)?;
    let arrays = arrays(function, work, &body)?;
    let shared = reuse::choose(function, work, &body, &arrays)?;
    let ordered = barriers::order(function, work, body, &shared)?;
    for prop in ordered.requires {
        function.facts.push(prop.clone());
        work.requires.push(prop);
    }
    function.body = ordered.body;
    place(function, work, arrays, &shared)
}

/// A variable or array in local or global memory.
#[derive(Clone, Debug)]
pub(crate) struct Array {
    pub id: Id,
    pub space: AddressSpace,
    /// The number of elements of one copy; `None` for a variable that is not an array.
    pub count: Option<Nat>,
    /// The copies that the loops around the declaration require, those of outer loops first.
    pub copies: Vec<Copies>,
}

impl Array {
    /// Returns the number of elements of all copies together.
    pub fn all(&self) -> Nat {
        let one = self.count.clone().unwrap_or(Nat::ONE);
        self.copies.iter().fold(one, |all, of| &all * &of.number)
    }

    /// Returns the index of the first element of the copy that an iteration of the loops uses.
    fn offset(&self) -> Nat {
        let mut number = Nat::ZERO;
        for copies in &self.copies {
            number = &(&number * &copies.number) + &copies.which;
        }
        number * &self.count.clone().unwrap_or(Nat::ONE)
    }
}

/// The copies of an array for the work-items or groups over which a loop is distributed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Copies {
    pub level: Level,
    pub dimension: u8,
    pub number: Nat,
    /// The number of the copy that an iteration of the loop uses, counted from 0.
    which: Nat,
}

impl Copies {
    /// Returns true if both have the same number of copies, for loops of the same level and
    /// dimension.
    pub fn alike(&self, other: &Copies) -> bool {
        let key = |of: &Copies| (of.level, of.dimension, of.number.clone());
        key(self) == key(other)
    }
}

/// Returns the variables and arrays in local or global memory that a kernel declares. Fails if the
/// size of one of these arrays has no bound, or if that of an array in private memory is not
/// constant.
fn arrays(function: &Function, work: &KernelState, body: &[Stmt]) -> Result<Vec<Array>> {
    let flow = Flow::of(function, work, body);
    let mut arrays = Vec::new();
    collect(&flow, body, &Path::start(), &mut arrays)?;
    Ok(arrays)
}

fn collect(flow: &Flow<'_>, body: &[Stmt], path: &Path, out: &mut Vec<Array>) -> Result<()> {
    for stmt in body {
        match &stmt.kind {
            StmtKind::Declare(id, _) => {
                if let Some(array) = array(flow, *id, path)? {
                    out.push(array);
                }
            }
            StmtKind::For(Loop { counter, body, .. }) => {
                collect(flow, body, &path.within(*counter), out)?;
            }
            _ => {
                let mut result = Ok(());
                walk::blocks(stmt, &mut |body| {
                    if result.is_ok() {
                        result = collect(flow, body, path, out);
                    }
                });
                result?;
            }
        }
    }
    Ok(())
}

fn array(flow: &Flow<'_>, id: Id, path: &Path) -> Result<Option<Array>> {
    let variable = &flow.function.variables[id.0 as usize];
    if flow.is_private(id) {
        return match &variable.count {
            Some(count) if count.as_const().is_none() => Err(unknown_size(flow, id)),
            _ => Ok(None),
        };
    }
    let Home::Local(Some(space)) = variable.home else {
        return Ok(None);
    };
    let around: Vec<&Around> = flow.around(&path.around).collect();
    let mut copies = Vec::new();
    for (depth, around) in around.iter().enumerate() {
        copies.extend(self::copies(flow, around, &path.around[..depth], space));
    }
    let count = match &variable.count {
        Some(count) => Some(bound(flow, id, count, path)?),
        None => None,
    };
    Ok(Some(Array {
        id,
        space,
        count,
        copies,
    }))
}

/// Returns the copies of an array that a loop around its declaration requires; `None` if the loop
/// requires none. `outside` contains the counters of the loops around that loop.
fn copies(
    flow: &Flow<'_>,
    around: &Around,
    outside: &[Var],
    space: AddressSpace,
) -> Option<Copies> {
    let (level, dimension) = around.items()?;
    // Each group has its own local memory.
    let level = match (space, level) {
        (AddressSpace::Local, Level::WorkGroup) => return None,
        (AddressSpace::Local, Level::Global) => Level::Local,
        _ => level,
    };
    let who = flow.work.count(level, dimension);
    let counter = Nat::var(around.counter);
    let facts = flow.within(outside);
    let each_once = Prop::AtLeast(who.clone(), around.to.clone());
    let is_fixed = !around.to.any_var(&|var| flow.changes(var));
    if facts.proves(&each_once) {
        let number = if is_fixed { around.to.clone() } else { who };
        return Some(Copies {
            level,
            dimension,
            number,
            which: counter,
        });
    }
    Some(Copies {
        level,
        dimension,
        which: Nat::rem(&counter, &who),
        number: who,
    })
}

/// Returns an upper bound of the size of an array that does not depend on counters or data; fails
/// if none is found.
fn bound(flow: &Flow<'_>, id: Id, count: &Nat, path: &Path) -> Result<Nat> {
    let facts = flow.within(&path.around);
    let mut count = facts.normalize(count);
    for around in flow
        .around(&path.around)
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
    {
        if !count.mentions(around.counter) {
            continue;
        }
        let ends = [&around.to - 1, around.from.clone()];
        let bounds =
            ends.map(|end| count.subst(&|var| (var == around.counter).then(|| end.clone())));
        let holds = |bound: &Nat| facts.proves(&Prop::AtLeast(bound.clone(), count.clone()));
        match bounds.into_iter().find(holds) {
            Some(bound) => count = bound,
            None => return Err(unknown_size(flow, id)),
        }
    }
    match count.any_var(&|var| flow.changes(var)) {
        true => Err(unknown_size(flow, id)),
        false => Ok(count),
    }
}

fn unknown_size(flow: &Flow<'_>, id: Id) -> CompileError {
    let variable = &flow.function.variables[id.0 as usize];
    let names = rise::Names(flow.function.names.as_slice().into());
    let count = variable.count.clone().unwrap_or(Nat::ONE);
    let count = rise::print::nat_text(&count, &names);
    if flow.is_private(id) {
        let text = format!(
            "`{count}` elements are stored in Private memory here, where the number of elements must \
             be a constant"
        );
        return CompileError::new(variable.origin, text).with_help(
            "store them in Local or Global memory, or say with `@opencl` or `oclRun` how many \
             work-items share them",
        );
    }
    let text = format!(
        "`{count}` elements are stored here, and this number is not known when the kernel starts"
    );
    CompileError::new(variable.origin, text)
        .with_help("memory of a kernel is allocated before it runs: store a number of elements that depends on sizes only")
}

/// Moves the declarations of arrays to the start of the kernel, or makes the arrays parameters, and
/// changes the places of accesses to those in the copies and in shared memory. Records the arrays
/// in `work`.
fn place(
    function: &mut Function,
    work: &mut KernelState,
    mut arrays: Vec<Array>,
    shared: &MemoryAliases,
) -> Result<()> {
    let mut moves = Moves {
        offsets: FxHashMap::default(),
        arrays: FxHashSet::default(),
        vectors: FxHashMap::default(),
        shared,
    };
    for array in &mut arrays {
        let variable = &mut function.variables[array.id.0 as usize];
        if array.count.is_none() && (!array.copies.is_empty() || array.space != AddressSpace::Local)
        {
            array.count = Some(Nat::ONE);
            variable.extents = Vec::new();
        }
        if let Type::Vector(lanes, _) = &*variable.elem {
            moves.vectors.insert(array.id, lanes.clone());
        }
        if array.count.is_some() {
            moves.arrays.insert(array.id);
            moves.offsets.insert(array.id, array.offset());
        }
    }
    let mut body = std::mem::take(&mut function.body);
    remove(&mut body, &arrays);
    walk::change_all(&mut body, &mut moves);
    for (_, value) in &mut function.opaque {
        walk::change_expr(value, &mut moves);
    }
    let mut declared = Vec::new();
    for array in arrays
        .iter()
        .filter(|array| !shared.contains_key(&array.id))
    {
        grow(function, array, &arrays, shared);
        let bytes = kernel::bytes(function, array.id)?;
        if array.space == AddressSpace::Local && bytes.as_const().is_some() {
            work.local_bytes = &work.local_bytes + &bytes;
            declared.push(Stmt::new(
                StmtKind::Declare(array.id, None),
                function.variables[array.id.0 as usize].origin,
                None,
            ));
        } else {
            let id = array.id;
            work.temporaries.push(Temporary { id, bytes });
        }
    }
    body.splice(0..0, declared);
    function.body = body;
    Ok(())
}

/// Makes the variable of an array large enough for all copies of the array and of those that use
/// its memory.
fn grow(function: &mut Function, owner: &Array, arrays: &[Array], shared: &MemoryAliases) {
    let Some(count) = &owner.count else {
        return;
    };
    let others = arrays
        .iter()
        .filter(|array| shared.get(&array.id) == Some(&owner.id));
    let mut is_alone = true;
    let mut all = owner.all();
    for other in others {
        is_alone = false;
        all = Nat::max(&all, &other.all());
    }
    let variable = &mut function.variables[owner.id.0 as usize];
    let is_same = variable.count.as_ref() == Some(count);
    variable.extents = match is_alone && is_same && !variable.extents.is_empty() {
        true => {
            let copies = owner.copies.iter().map(|copies| copies.number.clone());
            copies.chain(variable.extents.drain(..)).collect()
        }
        false => Vec::new(),
    };
    variable.count = Some(all);
}

/// Removes the declarations of the arrays, also in nested statements.
fn remove(body: &mut Vec<Stmt>, arrays: &[Array]) {
    body.retain(|stmt| match &stmt.kind {
        StmtKind::Declare(id, _) => arrays.iter().all(|array| array.id != *id),
        _ => true,
    });
    for stmt in body {
        walk::each_block(stmt, &mut |body| remove(body, arrays));
    }
}

/// A visitor that changes places to those in the copies of arrays, and in arrays whose memory they
/// use.
struct Moves<'m> {
    arrays: FxHashSet<Id>,
    offsets: FxHashMap<Id, Nat>,
    /// The number of lanes of the elements of each array of vectors.
    vectors: FxHashMap<Id, Nat>,
    shared: &'m MemoryAliases,
}

impl Change for Moves<'_> {
    fn place(&mut self, place: &mut Place) {
        if self.arrays.contains(&place.id)
            && let Some(offset) = self.offsets.get(&place.id)
        {
            let offset = match (&place.lanes, self.vectors.get(&place.id)) {
                (Some(_), Some(lanes)) => offset * lanes,
                _ => offset.clone(),
            };
            let index = place.index.take().unwrap_or(Nat::ZERO);
            place.index = Some(index + &offset);
        }
        self.id(&mut place.id);
    }
    fn id(&mut self, id: &mut Id) {
        if let Some(owner) = self.shared.get(id) {
            *id = *owner;
        }
    }
}
