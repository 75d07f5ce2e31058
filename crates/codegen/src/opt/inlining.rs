//! Inlines variables that are read once (forward substitution): the value moves into the statement
//! that reads it, if no statement in between changes what the value reads. Also joins consecutive
//! assignments to a variable.

use nat::Nat;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Expr, ExprKind, Function, Home, Id, Loop, Place, Stmt, StmtKind};

use super::{Pass, Run};
use crate::analysis::uses::{Mention, Uses};
use crate::ir::trace::Changes;
use crate::ir::walk::{self, Change};

pub(crate) const PASS: Pass = Pass {
    name: "inlining",
    run: Run::Always(run),
    changes: Changes {
        moved: "moved to where its value is used",
        repeated: "merged with the statement that uses its value",
        rewritten: "a value that is used once is inlined",
    },
};

/// The maximal number of subexpressions that an expression and the value inlined into it have
/// together.
const MAX_INLINED_SIZE: usize = 40;

#[derive(Default)]
struct UseCounts {
    reads: FxHashMap<Id, usize>,
    /// The variables that are assigned after their declaration, that pointers or parallel
    /// reductions use, and those of `opaque`: these are not inlined.
    kept: FxHashSet<Id>,
    /// The variables that opaque sizes read.
    opaque: FxHashSet<Id>,
}

impl UseCounts {
    fn of(body: &[Stmt], uses: &Uses) -> UseCounts {
        let mut counts = UseCounts::default();
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

/// Inlines the variables of a function that are read once, and joins consecutive assignments to a
/// variable.
fn run(function: &mut Function) {
    let uses = Uses::of(function);
    let mut body = std::mem::take(&mut function.body);
    // What is merged the first time may be used once then.
    for _ in 0..2 {
        inline_statements(&mut body, &uses, function);
    }
    function.body = body;
}

/// Inlines variables and joins assignments in some statements of a function; uses outside of them
/// are not counted.
pub(crate) fn inline_statements(body: &mut Vec<Stmt>, uses: &Uses, function: &Function) {
    let context = Context {
        uses,
        counts: UseCounts::of(body, uses),
        function,
    };
    inline_block(body, &context);
}

struct Context<'a> {
    uses: &'a Uses,
    counts: UseCounts,
    function: &'a Function,
}

impl Context<'_> {
    /// Returns true if a statement is known not to change what a value reads.
    fn preserves(&self, stmt: &Stmt, value: &Expr) -> bool {
        let written = match &stmt.kind {
            StmtKind::Declare(..) => return true,
            StmtKind::Assign(place, _) => place.id,
            _ => return false,
        };
        let variable = |id: Id| &self.function.variables[id.0 as usize];
        // The targets of pointers are not known here.
        let through_pointers =
            variable(written).count.is_some() || variable(written).home.is_result();
        let is_pointer = |id: Id| matches!(variable(id).home, Home::Pointer { .. });
        let mut preserves = true;
        self.uses.expr(value, &mut |id, _| {
            let pointers = is_pointer(id) || is_pointer(written);
            preserves &= id != written && !(pointers && through_pointers);
        });
        preserves
    }
}

fn inline_block(body: &mut Vec<Stmt>, context: &Context<'_>) {
    let mut at = 0;
    while at < body.len() {
        match &mut body[at].kind {
            StmtKind::For(Loop { body, .. }) | StmtKind::Block(body) => inline_block(body, context),
            StmtKind::If {
                then, otherwise, ..
            } => {
                inline_block(then, context);
                inline_block(otherwise, context);
            }
            StmtKind::Reduce(reduce) => inline_block(&mut reduce.element_body, context),
            _ => {}
        }
        if inline_declaration(body, at, context) || merge_assignments(body, at, context) {
            // The new value may use the preceding declaration.
            at = at.saturating_sub(1);
        } else {
            at += 1;
        }
    }
}

/// Moves the value of the declaration at `at` into the statement that reads the variable, and
/// removes the declaration; returns false if that is not possible.
fn inline_declaration(body: &mut Vec<Stmt>, at: usize, context: &Context<'_>) -> bool {
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
        && context.preserves(stmt, value)
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
    if size + target_size > MAX_INLINED_SIZE {
        return false;
    }
    let mut put = Substitution {
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

/// Joins `x = v; x = f(x)` at `at` to `x = f(v)` if `x` is read once in `f(x)`; the first statement
/// may be a declaration. Returns false if that is not possible.
fn merge_assignments(body: &mut Vec<Stmt>, at: usize, context: &Context<'_>) -> bool {
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
    if reads != 1 || size > MAX_INLINED_SIZE {
        return false;
    }
    let (value, mut next) = (value.clone(), next.clone());
    let mut put = Substitution {
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

struct Substitution<'e> {
    id: Id,
    value: &'e Expr,
    done: bool,
}

impl Change for Substitution<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        if let ExprKind::Pair(a, b) = &expr.kind
            && let Some(whole) = whole_tuple(a, b)
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
        let Some(value) = component(self.value, &place.members, place.lane.as_ref(), expr) else {
            return;
        };
        *expr = value;
        self.done = true;
    }
}

/// Returns the place of the tuple whose two components `a` and `b` read; `None` if there is none.
fn whole_tuple(a: &Expr, b: &Expr) -> Option<Place> {
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

/// Returns the component of a value that tuple members select, or the lane of it if one is given;
/// `None` if a member is selected in what is not a tuple. The type of the lane is that of `whole`.
fn component(value: &Expr, members: &[bool], lane: Option<&Nat>, whole: &Expr) -> Option<Expr> {
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
