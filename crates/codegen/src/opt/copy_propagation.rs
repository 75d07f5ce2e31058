//! Removes variables that only hold copies of other values: halves of tuples, copies of a variable,
//! and arrays that are copied to their destination at the end.

use nat::{Nat, Var};
use rise::Type;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{ExprKind, Function, Home, Id, Place, Stmt, StmtKind, Variable};

use crate::analysis::uses::{Mention, Uses};
use crate::ir::walk::{self, Change, Renamed};

/// Splits a tuple variable into two variables if only its halves are used. A tuple that is declared
/// with a value is split only if the halves of the value together cost no more than the whole.
pub(crate) fn split_tuples(function: &mut Function) {
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
            let id = Id(u32::try_from(function.variables.len()).unwrap_or(u32::MAX));
            function.variables.push(half);
            id
        });
        halves.insert(id, new);
    }
    let mut body = std::mem::take(&mut function.body);
    let changed = declare_halves(&mut body, &halves);
    walk::change_all(&mut body, &mut Halves(&halves));
    function.body = body;
    changed
}

/// Collects the tuples that are declared with a value of which each half would compute the whole.
fn note_computed(body: &[Stmt], kept: &mut FxHashSet<Id>) {
    for stmt in body {
        if let StmtKind::Declare(id, Some(value)) = &stmt.kind
            && !matches!(value.kind, ExprKind::Pair(..) | ExprKind::Load(_))
        {
            kept.insert(*id);
        }
        walk::blocks(stmt, &mut |inner| note_computed(inner, kept));
    }
}

/// Returns true if a tuple was declared.
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

/// Coalesces `x` and `y` after `y = x` if `x` is not used while `y` is, other than to be assigned
/// the value of `y` at the end (copy coalescing).
pub(crate) fn join_variables(function: &mut Function) {
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

/// Returns `(y, x)` if the statement is `y = x` and the two variables can be coalesced.
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
    // The older variable must have at least the scope of the younger one, or be assigned its value
    // at the end.
    let declared = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Declare(id, _) if *id == old);
    let is_own = body[..at].iter().any(declared);
    let last = (at + 1..body.len())
        .rev()
        .find(|next| uses.mentions(&body[*next], new))?;
    // A later read of the older variable reads its own value, not that of the younger one.
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

/// Returns true for an assignment `to = from`.
fn is_copy(stmt: &Stmt, to: Id, from: Id) -> bool {
    let StmtKind::Assign(place, value) = &stmt.kind else {
        return false;
    };
    *place == Place::plain(to)
        && matches!(&value.kind, ExprKind::Load(read) if *read == Place::plain(from))
}

/// Replaces an array that is finally copied to another place as a whole by that place.
pub(crate) fn write_through(function: &mut Function) {
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

/// Returns the array that is declared here, the loop that copies it, the destination, and the
/// offset of its indices.
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
    // Within a kernel, access to a private array is fastest.
    let is_memory = into.is_private() || into.home == Home::Output && !is_kernel(function);
    let is_memory = is_memory && !pointed.contains(&copy.target);
    if !is_memory || into.elem != variable.elem || !copy.is_whole(count) {
        return None;
    }
    // In between, no other statement may use the target, and the array may only be used by
    // elements.
    let mut apart = true;
    for stmt in &body[at + 1..last] {
        // The initial value of the array is already in the target.
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
    // The offset must have the same value in both places: it may depend only on sizes and enclosing
    // counters.
    let declared_between = body[at + 1..last]
        .iter()
        .any(|stmt| matches!(stmt.kind, StmtKind::Declare(id, _) if id == copy.target));
    let plain = !uses.is_data(&copy.offset);
    (apart && plain && !declared_between).then_some((array, last, copy.target, copy.offset))
}

/// A loop nest around `target[offset + index] = array[index]`.
struct CopyLoop {
    target: Id,
    offset: Nat,
    index: Nat,
    /// The counters with their ends, outermost first.
    counters: Vec<(Var, Nat)>,
}

impl CopyLoop {
    fn of(stmt: &Stmt, array: Id) -> Option<CopyLoop> {
        let mut counters = Vec::new();
        let mut stmt = stmt;
        loop {
            match &stmt.kind {
                StmtKind::For {
                    counter,
                    from,
                    to,
                    step,
                    body,
                    ..
                } if from.is_zero() && step.is_one() && body.len() == 1 => {
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

    /// Returns true if all `count` elements are copied: the index is row-major in the counters.
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

/// Returns true if a function is executed by many work-items.
fn is_kernel(function: &Function) -> bool {
    !function.items.is_empty()
}
