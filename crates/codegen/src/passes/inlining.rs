//! Variables are declared where they get their first value, or not at all if that is used once,
//! right away; what nothing reads is not computed.

use nat::Nat;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Expr, ExprKind, Function, Home, Id, Place, Stmt, StmtKind};

use super::uses::{Mention, Uses};
use super::walk::{self, Change};

/// Parts up to which an expression is put in the place of a variable.
const MAX_INLINED: usize = 40;

/// Whether a variable is the function's own, and no other work-item's.
pub(crate) fn is_local(function: &Function, id: Id) -> bool {
    function.variables[id.0 as usize].is_private()
}

// ----- declarations where they are needed -----

/// Moves declarations to the first use, with the first value if that is known.
pub(crate) fn sink(function: &mut Function) {
    let uses = Uses::of(function);
    let mut body = std::mem::take(&mut function.body);
    sink_block(&mut body, &uses, function);
    function.body = body;
}

/// The same in a block.
pub(crate) fn sink_block(body: &mut Vec<Stmt>, uses: &Uses, function: &Function) {
    for stmt in body.iter_mut() {
        walk::each_block(stmt, &mut |inner| sink_block(inner, uses, function));
    }
    if !body
        .iter()
        .any(|stmt| matches!(stmt.kind, StmtKind::Declare(_, None)))
    {
        return;
    }
    let mut mentioned: Vec<FxHashSet<Id>> =
        body.iter().map(|stmt| uses.mentioned_in(stmt)).collect();
    // From the end, so that what stood behind has its place already.
    for at in (0..body.len()).rev() {
        let Some(id) = movable(&body[at], function) else {
            continue;
        };
        let declaration = body.remove(at);
        let own = mentioned.remove(at);
        let first = (at..body.len()).find(|next| mentioned[*next].contains(&id));
        let Some(first) = first else {
            continue;
        };
        let is_plain = function.variables[id.0 as usize].count.is_none();
        let is_last = !mentioned[first + 1..].iter().any(|ids| ids.contains(&id));
        if let StmtKind::For { body: inner, .. } = &mut body[first].kind
            && is_plain
            && is_last
            && starts_anew(inner, id, uses)
        {
            inner.insert(0, declaration);
            sink_block(inner, uses, function);
            continue;
        }
        match &mut body[first].kind {
            StmtKind::Assign(place, value)
                if is_plain && *place == Place::plain(id) && !reads(uses, value, id) =>
            {
                let value = value.clone();
                body[first].kind = StmtKind::Declare(id, Some(value));
            }
            _ => {
                let at = before_pointer(body, first);
                body.insert(at, declaration);
                mentioned.insert(at, own);
            }
        }
    }
}

/// The variable that is declared, where that may stand elsewhere: what work-items share is declared
/// where the kernel starts.
fn movable(stmt: &Stmt, function: &Function) -> Option<Id> {
    match stmt.kind {
        StmtKind::Declare(id, None) => Some(id),
        _ => None,
    }
    .filter(|id| !function.variables[id.0 as usize].is_shared())
}

/// Whether each run of a loop's body gives a variable its value before it reads it.
fn starts_anew(body: &[Stmt], id: Id, uses: &Uses) -> bool {
    let first = body.iter().find(|stmt| uses.mentions(stmt, id));
    first.is_some_and(|stmt| match &stmt.kind {
        StmtKind::Assign(place, value) => *place == Place::plain(id) && !reads(uses, value, id),
        _ => false,
    })
}

/// Not between the declaration of a pointer and what sets it.
fn before_pointer(body: &[Stmt], at: usize) -> usize {
    match (
        at.checked_sub(1).and_then(|before| body.get(before)),
        body.get(at),
    ) {
        (Some(before), Some(here)) => match (&before.kind, &here.kind) {
            (StmtKind::Declare(id, None), StmtKind::Point(set, _)) if id == set => at - 1,
            _ => at,
        },
        _ => at,
    }
}

fn reads(uses: &Uses, value: &Expr, id: Id) -> bool {
    let mut found = false;
    uses.expr(value, &mut |this, _| found |= this == id);
    found
}

// ----- variables that are used once -----

/// How often each variable is mentioned.
#[derive(Default)]
struct Counts {
    reads: FxHashMap<Id, usize>,
    /// Those with other values than the first, and those that an index of data reads.
    kept: FxHashSet<Id>,
    /// Those that an index of data reads.
    opaque: FxHashSet<Id>,
}

impl Counts {
    fn of(body: &[Stmt], uses: &Uses) -> Counts {
        let mut counts = Counts::default();
        uses.all(body, &mut |id, mention| match mention {
            Mention::Read(_) => *counts.reads.entry(id).or_default() += 1,
            Mention::Declared => {}
            Mention::Index => {
                counts.kept.insert(id);
                counts.opaque.insert(id);
            }
            Mention::Written(_) | Mention::Pointed | Mention::Reduced => {
                counts.kept.insert(id);
            }
        });
        counts
    }

    fn is_used_once(&self, id: Id) -> bool {
        self.reads.get(&id) == Some(&1) && !self.kept.contains(&id)
    }
}

/// Puts values in the places of variables that are read once, before what they are made of changes.
pub(crate) fn inline(function: &mut Function) {
    let uses = Uses::of(function);
    let mut body = std::mem::take(&mut function.body);
    inline_all(&mut body, &uses, function);
    function.body = body;
}

/// The same for statements of a function.
pub(crate) fn inline_all(body: &mut Vec<Stmt>, uses: &Uses, function: &Function) {
    let context = Context {
        uses,
        counts: Counts::of(body, uses),
        function,
    };
    inline_block(body, &context);
}

struct Context<'a> {
    uses: &'a Uses,
    counts: Counts,
    function: &'a Function,
}

impl Context<'_> {
    /// Whether a statement does not change what a value reads.
    fn leaves(&self, stmt: &Stmt, value: &Expr) -> bool {
        let written = match &stmt.kind {
            StmtKind::Declare(..) => return true,
            StmtKind::Assign(place, _) => place.id,
            _ => return false,
        };
        let variable = |id: Id| &self.function.variables[id.0 as usize];
        // What pointers point to is not known here.
        let through_pointers =
            variable(written).count.is_some() || variable(written).home == Home::Output;
        let is_pointer = |id: Id| matches!(variable(id).home, Home::Pointer { .. });
        let mut leaves = true;
        self.uses.expr(value, &mut |id, _| {
            let pointers = is_pointer(id) || is_pointer(written);
            leaves &= id != written && !(pointers && through_pointers);
        });
        leaves
    }
}

fn inline_block(body: &mut Vec<Stmt>, context: &Context<'_>) {
    let mut at = 0;
    while at < body.len() {
        match &mut body[at].kind {
            StmtKind::For { body, .. } | StmtKind::Block(body) => inline_block(body, context),
            StmtKind::If {
                then, otherwise, ..
            } => {
                inline_block(then, context);
                inline_block(otherwise, context);
            }
            StmtKind::Reduce(reduce) => inline_block(&mut reduce.element_body, context),
            _ => {}
        }
        if inline_at(body, at, context) || merge_at(body, at, context) {
            // What stands before may be used by the new value.
            at = at.saturating_sub(1);
        } else {
            at += 1;
        }
    }
}

/// Whether the declaration at this place went into the statement that reads it.
fn inline_at(body: &mut Vec<Stmt>, at: usize, context: &Context<'_>) -> bool {
    let Context { uses, counts, .. } = context;
    let StmtKind::Declare(id, Some(value)) = &body[at].kind else {
        return false;
    };
    let id = *id;
    if !counts.is_used_once(id) {
        return false;
    }
    let mut next = at + 1;
    while let Some(stmt) = body.get(next)
        && !uses.mentions(stmt, id)
        && context.leaves(stmt, value)
    {
        next += 1;
    }
    let mut size = 0;
    walk::sub_exprs(value, &mut |_| size += 1);
    let value = value.clone();
    let Some(target) = body.get_mut(next) else {
        return false;
    };
    let target = match &mut target.kind {
        StmtKind::Declare(_, Some(target)) | StmtKind::Assign(_, target) => target,
        StmtKind::If { condition, .. } => condition,
        _ => return false,
    };
    let mut target_size = 0;
    walk::sub_exprs(target, &mut |_| target_size += 1);
    if size + target_size > MAX_INLINED {
        return false;
    }
    let mut put = Put {
        id,
        value: &value,
        done: false,
    };
    walk::change_expr(target, &mut put);
    if put.done {
        body.remove(at);
    }
    put.done
}

/// Whether `x = v; x = f(x)` became `x = f(v)`.
fn merge_at(body: &mut Vec<Stmt>, at: usize, context: &Context<'_>) -> bool {
    let (id, value) = match &body[at].kind {
        StmtKind::Declare(id, Some(value)) => (*id, value),
        StmtKind::Assign(place, value) if *place == Place::plain(place.id) => (place.id, value),
        _ => return false,
    };
    let Some(StmtKind::Assign(place, next)) = body.get(at + 1).map(|stmt| &stmt.kind) else {
        return false;
    };
    if *place != Place::plain(id) || context.counts.opaque.contains(&id) {
        return false;
    }
    let mut size = 0;
    walk::sub_exprs(value, &mut |_| size += 1);
    walk::sub_exprs(next, &mut |_| size += 1);
    let mut reads = 0;
    context
        .uses
        .expr(next, &mut |this, _| reads += usize::from(this == id));
    if reads != 1 || size > MAX_INLINED {
        return false;
    }
    let (value, mut next) = (value.clone(), next.clone());
    let mut put = Put {
        id,
        value: &value,
        done: false,
    };
    walk::change_expr(&mut next, &mut put);
    if put.done {
        let made_by = body[at + 1].made_by;
        body.remove(at + 1);
        let stmt = &mut body[at];
        stmt.made_by = made_by.or(stmt.made_by);
        match &mut stmt.kind {
            StmtKind::Declare(_, Some(old)) | StmtKind::Assign(_, old) => *old = next,
            _ => {}
        }
    }
    put.done
}

struct Put<'e> {
    id: Id,
    value: &'e Expr,
    done: bool,
}

impl Change for Put<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        if let ExprKind::Pair(a, b) = &expr.kind
            && let Some(whole) = whole_variable(a, b)
        {
            expr.kind = ExprKind::Load(whole);
            return;
        }
        let ExprKind::Load(place) = &expr.kind else {
            return;
        };
        if place.id != self.id || place.lanes.is_some() || place.index.is_some() {
            return;
        }
        let Some(value) = part_of(self.value, &place.members, place.lane.as_ref(), expr) else {
            return;
        };
        *expr = value;
        self.done = true;
    }
}

/// Returns the tuple in a variable whose halves two expressions read.
fn whole_variable(a: &Expr, b: &Expr) -> Option<Place> {
    let (ExprKind::Load(a), ExprKind::Load(b)) = (&a.kind, &b.kind) else {
        return None;
    };
    let (false, members) = a.members.split_last()? else {
        return None;
    };
    let whole = Place {
        members: members.to_vec(),
        ..Place::plain(a.id)
    };
    let half = |second: bool| {
        let mut place = whole.clone();
        place.members.push(second);
        place
    };
    (*a == half(false) && *b == half(true)).then_some(whole)
}

/// The part of a value that a place reads.
fn part_of(value: &Expr, members: &[bool], lane: Option<&Nat>, whole: &Expr) -> Option<Expr> {
    let mut value = value.clone();
    for &second in members {
        let ty = match &*value.ty {
            rise::Type::Pair(a, b) => if second { b } else { a }.clone(),
            _ => return None,
        };
        value = match value.kind {
            ExprKind::Pair(a, b) => *if second { b } else { a },
            _ => Expr {
                origin: value.origin,
                kind: ExprKind::Half(second, Box::new(value)),
                ty,
            },
        };
    }
    if let Some(lane) = lane {
        value = Expr {
            origin: value.origin,
            kind: ExprKind::Lane(Box::new(value), lane.clone()),
            ty: whole.ty.clone(),
        };
    }
    Some(value)
}

// ----- what nothing reads -----

/// Leaves out variables that nothing reads, and what is written to them. Expressions have no
/// effects: C functions are taken to be pure.
pub(crate) fn drop_unused(function: &mut Function) {
    let uses = Uses::of(function);
    let mut body = std::mem::take(&mut function.body);
    loop {
        let mut used = FxHashSet::default();
        note_used(&body, &uses, &mut used);
        let dropped = |id: Id| is_local(function, id) && !used.contains(&id);
        if !retain(&mut body, &dropped) {
            break;
        }
    }
    function.body = body;
}

/// What is read, other than to compute its own next value.
fn note_used(body: &[Stmt], uses: &Uses, used: &mut FxHashSet<Id>) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::For { body, .. } | StmtKind::Block(body) => note_used(body, uses, used),
            StmtKind::If {
                then, otherwise, ..
            } => {
                note_used(then, uses, used);
                note_used(otherwise, uses, used);
            }
            _ => {}
        }
        let own = match &stmt.kind {
            StmtKind::Assign(place, _) => Some(place.id),
            _ => None,
        };
        let shallow = shallow(stmt);
        uses.stmt(&shallow, &mut |id, mention| {
            if !matches!(mention, Mention::Declared | Mention::Written(_)) && own != Some(id) {
                used.insert(id);
            }
        });
    }
}

/// A statement without the statements in it.
fn shallow(stmt: &Stmt) -> Stmt {
    let kind = match &stmt.kind {
        StmtKind::For {
            counter,
            from,
            to,
            step,
            mode,
            ..
        } => StmtKind::For {
            counter: *counter,
            from: from.clone(),
            to: to.clone(),
            step: step.clone(),
            mode: *mode,
            body: Vec::new(),
        },
        StmtKind::If { condition, .. } => StmtKind::If {
            condition: condition.clone(),
            then: Vec::new(),
            otherwise: Vec::new(),
        },
        StmtKind::Block(_) => StmtKind::Block(Vec::new()),
        other => other.clone(),
    };
    Stmt { kind, ..*stmt }
}

/// Whether something was left out.
fn retain(body: &mut Vec<Stmt>, dropped: &dyn Fn(Id) -> bool) -> bool {
    let before = body.len();
    let mut changed = false;
    body.retain_mut(|stmt| match &mut stmt.kind {
        StmtKind::Declare(id, _) => !dropped(*id),
        StmtKind::Assign(place, value) => {
            let to_itself = matches!(&value.kind, ExprKind::Load(from) if from == place);
            !dropped(place.id) && !to_itself
        }
        StmtKind::For { body, .. } | StmtKind::Block(body) => {
            changed |= retain(body, dropped);
            !body.is_empty()
        }
        StmtKind::If {
            then, otherwise, ..
        } => {
            changed |= retain(then, dropped);
            changed |= retain(otherwise, dropped);
            if then.is_empty() && !otherwise.is_empty() {
                return true;
            }
            !then.is_empty() || !otherwise.is_empty()
        }
        StmtKind::Reduce(reduce) => {
            changed |= retain(&mut reduce.element_body, dropped);
            true
        }
        StmtKind::Kernel(kernel) => {
            changed |= retain(&mut kernel.body, dropped);
            true
        }
        StmtKind::Point(..) | StmtKind::Swap(..) | StmtKind::Barrier(_) => true,
    });
    changed || body.len() != before
}

/// The plain variables that keep the value that they are declared with.
pub(crate) fn constants(function: &Function) -> FxHashSet<Id> {
    let uses = Uses::of(function);
    let mut written = FxHashSet::default();
    let mut with_value = FxHashSet::default();
    collect_initialised(&function.body, &mut with_value);
    uses.all(&function.body, &mut |id, mention| {
        if matches!(
            mention,
            Mention::Written(_) | Mention::Pointed | Mention::Reduced
        ) {
            written.insert(id);
        }
    });
    with_value.retain(|id| !written.contains(id));
    with_value
}

fn collect_initialised(body: &[Stmt], out: &mut FxHashSet<Id>) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::Declare(id, Some(_)) => {
                out.insert(*id);
            }
            StmtKind::For { body, .. } | StmtKind::Block(body) => collect_initialised(body, out),
            StmtKind::If {
                then, otherwise, ..
            } => {
                collect_initialised(then, out);
                collect_initialised(otherwise, out);
            }
            StmtKind::Reduce(reduce) => {
                collect_initialised(&reduce.element_body, out);
                collect_initialised(&reduce.combine, out);
            }
            _ => {}
        }
    }
}
