//! Allocates the arrays of a function on a CPU: small ones on the stack; others on the heap,
//! outside of loops, or for each thread around parallel loops. Arrays whose live ranges are
//! disjoint share memory.

use nat::{Facts, Nat, Prop};
use rise::Ty;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::memory::Keeping;
use crate::ir::types::CType;
use crate::ir::{Function, Home, Id, Loop, LoopMode, Stmt, StmtKind};

use super::{Pass, Run};
use crate::analysis::uses::{Mention, Uses};
use crate::ir::trace::Changes;
use crate::ir::walk::{self, Renamed};

pub(crate) const PASS: Pass = Pass {
    name: "allocation",
    run: Run::Always(run),
    changes: Changes {
        moved: "allocated outside of the loop that uses it",
        repeated: "each thread has its own copy",
        rewritten: "shares memory with a buffer that is not needed at the same time",
    },
};

/// The maximal size in bytes of all arrays of a function together that are on the stack.
const MAX_STACK: u64 = 64 * 1024;

/// Returns the arrays that are allocated on the heap: those that are not small or have no constant
/// size, and those for which [`MAX_STACK`] leaves no space on the stack.
fn on_heap(function: &Function) -> FxHashSet<Id> {
    let names = rise::Names(function.names.as_slice().into());
    let mut heap = FxHashSet::default();
    let mut total = 0;
    for (at, variable) in function.variables.iter().enumerate() {
        let Some(count) = &variable.count else {
            continue;
        };
        if !matches!(variable.home, Home::Local(_)) {
            continue;
        }
        let elem = CType::of(&variable.elem, &names, variable.origin);
        let count = count.as_const().and_then(|n| u64::try_from(n).ok());
        let bytes = count
            .zip(elem.ok())
            .and_then(|(n, e)| n.checked_mul(e.size()));
        match bytes {
            Some(bytes)
                if Keeping::of_array(Some(bytes)) == Keeping::Stack
                    && total + bytes <= MAX_STACK =>
            {
                total += bytes;
            }
            _ => heap.extend(u32::try_from(at).map(Id)),
        }
    }
    heap
}

/// Decides which arrays are on the heap, moves their declarations out of loops, and lets arrays
/// share memory.
fn run(function: &mut Function) {
    function.heap = on_heap(function);
    let facts = function.known();
    let uses = Uses::of(function);
    let mut pointed = FxHashSet::default();
    uses.all(&function.body, &mut |id, mention| {
        if mention == Mention::Pointed {
            pointed.insert(id);
        }
    });
    let mut body = std::mem::take(&mut function.body);
    let mut pass = Memory {
        function,
        uses,
        pointed,
        facts,
        renamed: FxHashMap::default(),
    };
    pass.block(&mut body, Around::Nothing);
    let renamed = std::mem::take(&mut pass.renamed);
    let mut change = Renamed { ids: &renamed };
    for (_, value) in &mut function.opaque {
        walk::change_expr(value, &mut change);
    }
    function.body = body;
}

/// The kind of the loops around a block, as far as it matters for allocations.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Nothing,
    /// A loop that one thread executes: its iterations can use the same memory in sequence.
    Loop,
    /// A parallel loop that threads execute, or a loop within one: each thread needs memory of its
    /// own.
    Thread,
}

struct Memory<'a> {
    function: &'a mut Function,
    uses: Uses,
    /// The pointers and the variables that they point to, not all of whose uses are known.
    pointed: FxHashSet<Id>,
    facts: Facts,
    /// Maps each array that was replaced to the array whose memory it uses.
    renamed: FxHashMap<Id, Id>,
}

impl Memory<'_> {
    /// Processes a block, and returns the declarations of arrays on the heap that are to be moved
    /// before the innermost enclosing loop; none if there is no loop.
    fn block(&mut self, body: &mut Vec<Stmt>, around: Around) -> Vec<Stmt> {
        let mut out = Vec::new();
        let mut moved = Vec::new();
        for mut stmt in std::mem::take(body) {
            match &mut stmt.kind {
                StmtKind::For(_) => {
                    let mut own = self.repetition(&mut stmt, around);
                    out.append(&mut own);
                }
                StmtKind::Block(inner) => moved.extend(self.block(inner, around)),
                StmtKind::If {
                    then, otherwise, ..
                } => {
                    moved.extend(self.block(then, around));
                    moved.extend(self.block(otherwise, around));
                }
                _ => {}
            }
            out.push(stmt);
        }
        *body = out;
        self.share(body);
        if around != Around::Nothing {
            let is_moved = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Declare(id, None) if self.function.heap.contains(id));
            moved.extend(body.extract_if(.., |stmt| is_moved(stmt)));
        }
        moved
    }

    /// Processes a loop, and returns the declarations to be moved before it. Those of a loop that
    /// threads execute become memory of each thread instead.
    fn repetition(&mut self, stmt: &mut Stmt, around: Around) -> Vec<Stmt> {
        let StmtKind::For(Loop {
            counter,
            from,
            to,
            mode,
            body,
            ..
        }) = &mut stmt.kind
        else {
            return Vec::new();
        };
        let threads = *mode == LoopMode::Parallel
            && self.function.features.has_threads()
            && around != Around::Thread;
        let inner = if threads || around == Around::Thread {
            Around::Thread
        } else {
            Around::Loop
        };
        let facts = self.facts.clone();
        self.facts.range(*counter, from, to);
        let moved = self.block(body, inner);
        let (mut outside, mut inside) = (Vec::new(), Vec::new());
        for declaration in moved {
            match self.without(&declaration, *counter, from, to) {
                true => outside.push(declaration),
                false => inside.push(declaration),
            }
        }
        self.facts = facts;
        body.splice(0..0, inside);
        if !threads {
            return outside;
        }
        let ids = outside.iter().filter_map(|stmt| match stmt.kind {
            StmtKind::Declare(id, _) => Some(id),
            _ => None,
        });
        self.function.per_thread.insert(*counter, ids.collect());
        Vec::new()
    }

    /// Returns true if the size of a declared array depends neither on data nor on the counter of a
    /// loop. A size that depends on the counter is replaced by a bound that does not, if one is
    /// proved.
    fn without(&mut self, declaration: &Stmt, counter: nat::Var, from: &Nat, to: &Nat) -> bool {
        let StmtKind::Declare(id, _) = declaration.kind else {
            return false;
        };
        let Some(count) = self.function.variables[id.0 as usize].count.clone() else {
            return false;
        };
        if self.uses.is_data(&count) {
            return false;
        }
        if !count.mentions(counter) {
            return true;
        }
        for end in [to - 1, from.clone()] {
            let bound = count.subst(&|var| (var == counter).then(|| end.clone()));
            let is_bound = Prop::AtLeast(bound.clone(), count.clone());
            if self.facts.proves(&is_bound) {
                self.function.variables[id.0 as usize].count = Some(bound);
                return true;
            }
        }
        false
    }

    /// Lets arrays of one type, size and kind of memory that are declared in a block share memory
    /// if their live ranges are disjoint. A live range consists of whole statements of the block: a
    /// loop is one step.
    fn share(&mut self, body: &mut Vec<Stmt>) {
        let mut lives: FxHashMap<Id, (usize, usize)> = FxHashMap::default();
        let mut declared = Vec::new();
        for (at, stmt) in body.iter().enumerate() {
            if let StmtKind::Declare(id, None) = stmt.kind {
                declared.push(id);
                continue;
            }
            self.uses.stmt(stmt, &mut |id, _| {
                let life = lives.entry(id).or_insert((at, at));
                life.1 = at;
            });
        }
        declared.retain(|id| self.is_shareable(*id));
        declared.sort_by_key(|id| lives.get(id).map(|life| life.0));
        let mut buffers: Vec<(Id, usize)> = Vec::new();
        let mut map: FxHashMap<Id, Id> = FxHashMap::default();
        for id in declared {
            let Some(&(first, last)) = lives.get(&id) else {
                continue;
            };
            let kind = self.kind(id);
            let free = buffers
                .iter_mut()
                .find(|(buffer, until)| *until < first && self.kind(*buffer) == kind);
            match free {
                Some((buffer, until)) => {
                    map.insert(id, *buffer);
                    *until = last;
                }
                None => buffers.push((id, last)),
            }
        }
        if map.is_empty() {
            return;
        }
        body.retain(|stmt| !matches!(&stmt.kind, StmtKind::Declare(id, _) if map.contains_key(id)));
        walk::change_all(body, &mut Renamed { ids: &map });
        self.uses.rename(&map);
        for target in self.renamed.values_mut() {
            *target = map.get(target).copied().unwrap_or(*target);
        }
        self.renamed.extend(map);
    }

    fn is_shareable(&self, id: Id) -> bool {
        let variable = &self.function.variables[id.0 as usize];
        variable.count.is_some()
            && matches!(variable.home, Home::Local(_))
            && !self.pointed.contains(&id)
    }

    fn kind(&self, id: Id) -> (&Ty, Option<&Nat>, bool) {
        let variable = &self.function.variables[id.0 as usize];
        let on_heap = self.function.heap.contains(&id);
        (&variable.elem, variable.count.as_ref(), on_heap)
    }
}
