//! Records the changes of each pass to the statements, which a hover on a generated line shows.
//!
//! Passes do not report their changes: the statements before and after each pass are compared, and
//! a difference is recorded for the phrase and form of the statement. So a pass cannot forget to
//! report.

use std::hash::{Hash, Hasher};
use std::mem::discriminant;
use std::sync::Arc;

use rise::core::Origin;
use rustc_hash::{FxHashMap, FxHasher};

use super::{Expr, ExprKind, Function, Loop, Place, Stmt, StmtKind};

use super::walk;

/// The descriptions of a pass's changes to a statement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Changes {
    /// The description for a statement whose enclosing loops or branches have changed, and for each
    /// change that the other two do not describe.
    pub moved: &'static str,
    /// The description for a statement of which there are more copies than before.
    pub repeated: &'static str,
    /// The description for a statement whose operators, accessed variables or mode have changed, or
    /// whose phrase had no statement of its form before.
    pub rewritten: &'static str,
}

impl Changes {
    /// Returns changes that all have the same description.
    pub(crate) const fn all(text: &'static str) -> Changes {
        Changes {
            moved: text,
            repeated: text,
            rewritten: text,
        }
    }
}

/// The key by which statements before and after a pass are compared: their phrase and form.
type Key = (Origin, std::mem::Discriminant<StmtKind>);

/// The number of the statements with one key, and hashes of what encloses them and of their
/// contents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Look {
    count: u32,
    around: u64,
    content: u64,
}

/// The recorded changes of the passes to the statements. Statements of one phrase and form have one
/// record.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    looks: FxHashMap<Key, Look>,
    changes: Arc<FxHashMap<Key, Vec<String>>>,
}

impl Trace {
    /// Creates a record without changes, from the statements before the first pass.
    pub(crate) fn start(function: &Function) -> Trace {
        Trace {
            looks: looks(function),
            changes: Arc::default(),
        }
    }

    /// Records the changes of a pass, given the function after it. Removed statements are not
    /// recorded.
    pub(crate) fn after(&mut self, pass: &str, changes: &Changes, function: &Function) {
        let looks = looks(function);
        for (key, now) in &looks {
            let text = match self.looks.get(key) {
                Some(before) if before == now => continue,
                Some(before) if now.count > before.count => changes.repeated,
                Some(before) if now.content != before.content => changes.rewritten,
                Some(_) => changes.moved,
                // Another form of the phrase was replaced.
                None => changes.rewritten,
            };
            let text = format!("{}: {text}", pass.replace('-', " "));
            let known = Arc::make_mut(&mut self.changes).entry(*key).or_default();
            if !known.contains(&text) {
                known.push(text);
            }
        }
        self.looks = looks;
    }

    /// Discards the state of the statements, which is needed only until the last pass.
    pub(crate) fn end(&mut self) {
        self.looks = FxHashMap::default();
    }

    /// Returns the descriptions of the changes to a statement, each with the name of its pass, in
    /// order.
    pub(crate) fn of(&self, stmt: &Stmt) -> &[String] {
        let key = (stmt.origin, discriminant(&stmt.kind));
        self.changes.get(&key).map_or(&[], Vec::as_slice)
    }
}

fn looks(function: &Function) -> FxHashMap<Key, Look> {
    let mut all = FxHashMap::default();
    block(&function.body, 0, &mut all);
    all
}

fn block(body: &[Stmt], around: u64, all: &mut FxHashMap<Key, Look>) {
    for stmt in body {
        let look: &mut Look = all
            .entry((stmt.origin, discriminant(&stmt.kind)))
            .or_default();
        look.count += 1;
        look.around = mixed((look.around, around));
        look.content = mixed((look.content, content(stmt)));
        match &stmt.kind {
            StmtKind::For(Loop { counter, body, .. }) => block(body, mixed((around, counter)), all),
            StmtKind::Block(body) => block(body, around, all),
            StmtKind::If {
                then, otherwise, ..
            } => {
                block(then, mixed((around, 1)), all);
                block(otherwise, mixed((around, 2)), all);
            }
            StmtKind::Reduce(reduce) => {
                block(&reduce.element_body, mixed((around, 3)), all);
                block(&reduce.combine, mixed((around, 4)), all);
            }
            StmtKind::Kernel(kernel) => block(&kernel.body, around, all),
            StmtKind::Declare(..)
            | StmtKind::Assign(..)
            | StmtKind::Point(..)
            | StmtKind::Swap(..)
            | StmtKind::Barrier(_) => {}
        }
    }
}

fn mixed(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Returns a hash of a statement without its nested statements and without sizes, which passes
/// constantly simplify.
fn content(stmt: &Stmt) -> u64 {
    let mut hasher = FxHasher::default();
    match &stmt.kind {
        StmtKind::Declare(id, value) => {
            id.hash(&mut hasher);
            value.iter().for_each(|value| expr(value, &mut hasher));
        }
        StmtKind::Assign(to, value) => {
            place(to, &mut hasher);
            expr(value, &mut hasher);
        }
        StmtKind::For(Loop { mode, .. }) => discriminant(mode).hash(&mut hasher),
        StmtKind::If { condition, .. } => expr(condition, &mut hasher),
        StmtKind::Point(id, to) => {
            id.hash(&mut hasher);
            place(to, &mut hasher);
        }
        StmtKind::Swap(a, b) => [a, b].hash(&mut hasher),
        StmtKind::Block(_) | StmtKind::Reduce(_) | StmtKind::Barrier(_) | StmtKind::Kernel(_) => {}
    }
    hasher.finish()
}

fn place(place: &Place, hasher: &mut FxHasher) {
    place.id.hash(hasher);
    place.members.hash(hasher);
    place.lanes.is_some().hash(hasher);
}

fn expr(whole: &Expr, hasher: &mut FxHasher) {
    walk::sub_exprs(whole, &mut |expr| {
        discriminant(&expr.kind).hash(hasher);
        match &expr.kind {
            ExprKind::Load(from) => place(from, hasher),
            ExprKind::Unary(op, _) => discriminant(op).hash(hasher),
            ExprKind::Binary(op, ..) => discriminant(op).hash(hasher),
            _ => {}
        }
    });
}
