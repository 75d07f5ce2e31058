//! Elides copies: a private array that is copied as a whole to another place at its last use is
//! replaced by that place from the start.

use nat::{Nat, Var};
use rustc_hash::FxHashSet;

use super::{Pass, Run};
use crate::analysis::uses::{Mention, Uses};
use crate::ir::trace::Changes;
use crate::ir::walk::{self, Change};
use crate::ir::{ExprKind, Function, Id, Loop, Place, Stmt, StmtKind};

pub(crate) const PASS: Pass = Pass {
    name: "copy-elision",
    run: Run::Always(write_through),
    changes: Changes {
        moved: "moved to another block",
        repeated: "written to each place to which the array is copied",
        rewritten: "written directly to the place to which the array is copied",
    },
};

/// Replaces each private array whose last use copies it as a whole to another place by that place,
/// if the place is in a private array or, on a CPU, in the output, and nothing else uses it
/// meanwhile.
fn write_through(function: &mut Function) {
    let uses = Uses::of(function);
    let mut pointed = FxHashSet::default();
    uses.all(&function.body, &mut |id, mention| {
        if mention == Mention::Pointed {
            pointed.insert(id);
        }
    });
    let mut body = std::mem::take(&mut function.body);
    through_block(&mut body, &uses, &pointed, function);
    function.body = body;
}

fn through_block(body: &mut Vec<Stmt>, uses: &Uses, pointed: &FxHashSet<Id>, function: &Function) {
    for stmt in body.iter_mut() {
        walk::each_block(stmt, &mut |inner| {
            through_block(inner, uses, pointed, function)
        });
    }
    let mut at = 0;
    while at < body.len() {
        match target(body, at, uses, pointed, function) {
            Some((array, last, target, offset)) => {
                body.remove(last);
                body.remove(at);
                let mut change = Through {
                    array,
                    target,
                    offset,
                };
                walk::change_all(body, &mut change);
            }
            None => at += 1,
        }
    }
}

/// Returns the array that the statement at `at` declares, the position of the loop that copies it,
/// the variable to which it is copied, and the offset of the copy in that variable, if the array
/// can be replaced by the place of the copy; otherwise `None`.
fn target(
    body: &[Stmt],
    at: usize,
    uses: &Uses,
    pointed: &FxHashSet<Id>,
    function: &Function,
) -> Option<(Id, usize, Id, Nat)> {
    let StmtKind::Declare(array, None) = body[at].kind else {
        return None;
    };
    let variable = &function.variables[array.0 as usize];
    let count = variable.count.as_ref()?;
    if !variable.is_private() {
        return None;
    }
    let last = (at + 1..body.len())
        .rev()
        .find(|next| uses.mentions(&body[*next], array))?;
    let copy = CopyLoop::of(&body[last], array)?;
    let into = &function.variables[copy.target.0 as usize];
    // In a kernel a private array is where values are had fastest.
    let is_memory = into.is_private() || into.home.is_result() && !is_kernel(function);
    let is_memory = is_memory && !pointed.contains(&copy.target);
    if !is_memory || into.elem != variable.elem || !copy.is_whole(count) {
        return None;
    }
    // Nothing else may use the target meanwhile, nor the array in another way than by elements.
    let mut apart = true;
    for stmt in &body[at + 1..last] {
        // What the array starts with stands there already.
        let back = CopyLoop::of(stmt, copy.target);
        if back.is_some_and(|back| back.target == array && (&back.offset + &copy.offset).is_zero())
        {
            continue;
        }
        uses.stmt(stmt, &mut |id, mention| {
            let by_element = matches!(
                mention,
                Mention::Read(place) | Mention::Written(place) if place.index.is_some()
            );
            apart &= id != copy.target || mention == Mention::Declared;
            apart &= id != array || by_element;
        });
    }
    // The offset means there what it means at the end: it is made of sizes and of counters around.
    let declared_between = body[at + 1..last]
        .iter()
        .any(|stmt| matches!(stmt.kind, StmtKind::Declare(id, _) if id == copy.target));
    let plain = !uses.is_data(&copy.offset);
    (apart && plain && !declared_between).then_some((array, last, copy.target, copy.offset))
}

/// An assignment `target[offset + index] = array[index]`, perhaps in loops from 0 with step 1.
struct CopyLoop {
    target: Id,
    offset: Nat,
    index: Nat,
    /// The counters of the loops with the ends of their ranges, outermost first.
    counters: Vec<(Var, Nat)>,
}

impl CopyLoop {
    fn of(stmt: &Stmt, array: Id) -> Option<CopyLoop> {
        let mut counters = Vec::new();
        let mut stmt = stmt;
        loop {
            match &stmt.kind {
                StmtKind::For(Loop {
                    counter,
                    from,
                    to,
                    step,
                    body,
                    ..
                }) if from.is_zero() && step.is_one() && body.len() == 1 => {
                    counters.push((*counter, to.clone()));
                    stmt = &body[0];
                }
                StmtKind::Assign(place, value) => {
                    let ExprKind::Load(read) = &value.kind else {
                        return None;
                    };
                    let plain = |place: &Place| {
                        place.members.is_empty() && place.lane.is_none() && place.lanes.is_none()
                    };
                    if read.id != array || place.id == array || !plain(place) || !plain(read) {
                        return None;
                    }
                    let (to, index) = (place.index.as_ref()?, read.index.as_ref()?);
                    let offset = Nat::sub(to, index);
                    if counters
                        .iter()
                        .any(|(counter, _)| offset.mentions(*counter))
                    {
                        return None;
                    }
                    return Some(CopyLoop {
                        target: place.id,
                        offset,
                        index: index.clone(),
                        counters,
                    });
                }
                _ => return None,
            }
        }
    }

    /// Returns true if exactly the `count` elements of the array are copied: the index is row-major
    /// in the counters.
    fn is_whole(&self, count: &Nat) -> bool {
        let mut index = Nat::ZERO;
        let mut all = Nat::ONE;
        for (counter, to) in &self.counters {
            index = index * to + Nat::var(*counter);
            all = all * to;
        }
        !self.counters.is_empty() && index == self.index && all == *count
    }
}

struct Through {
    array: Id,
    target: Id,
    offset: Nat,
}

impl Change for Through {
    fn place(&mut self, place: &mut Place) {
        if place.id == self.array {
            place.id = self.target;
            place.index = place.index.as_ref().map(|index| index + &self.offset);
        }
    }
}

/// Returns true if a function contains work-item queries, and so is a kernel that many work-items
/// run.
fn is_kernel(function: &Function) -> bool {
    !function.items.is_empty()
}
