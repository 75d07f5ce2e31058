//! A record of the changes of each pass to each statement, which a hover on the generated line
//! shows.
//!
//! Passes do not report changes: the statements before and after each of them are compared, and a
//! difference is recorded for the phrase of the statement. So a pass cannot forget to report, and a
//! new pass only needs an entry in the table below.

use std::hash::{Hash, Hasher};
use std::mem::discriminant;

use rise::core::Origin;
use rustc_hash::{FxHashMap, FxHasher};

use crate::ir::{Expr, ExprKind, Function, Place, Stmt, StmtKind};

use crate::ir::walk;

/// A pass with the descriptions of its changes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pass {
    /// The name of the pass.
    pub name: &'static str,
    /// The description for a statement whose enclosing loop, branch or block was removed or added.
    pub moved: &'static str,
    /// The description for a statement that occurs more often than before.
    pub repeated: &'static str,
    /// The description for a statement with other computations, reads or writes.
    pub rewritten: &'static str,
}

impl Pass {
    pub const PRIVATIZATION: Pass = Pass {
        name: "memory",
        moved: "declared where the kernel starts",
        repeated: "each work-item, or group, has its own",
        rewritten: "holds a work-item's share, or shares memory with an array that is not needed at \
                    the same time",
    };
    pub const WORK_ITEM_MAPPING: Pass = Pass {
        name: "work-items",
        moved: "done by one of the work-items",
        repeated: "done by one of the work-items",
        rewritten: "each work-item does its share of the iterations",
    };
    pub const LOOPS: Pass = Pass {
        name: "loops",
        moved: "a loop around it that runs once, or a branch that is always taken, is gone",
        repeated: "written out: for each round of an unrolled loop, or each side of a border",
        rewritten: "a counter has the only value that it takes, or a condition is decided",
    };
    pub const SCALAR_REPLACEMENT: Pass = Pass {
        name: "elements",
        moved: "stands elsewhere",
        repeated: "an array of few elements became a variable for each",
        rewritten: "elements of a small array became variables",
    };
    pub const TUPLES: Pass = Pass {
        name: "tuples",
        moved: "stands elsewhere",
        repeated: "a tuple became a variable for each half",
        rewritten: "halves of a tuple became variables",
    };
    pub const COPIES: Pass = Pass {
        name: "copies",
        moved: "stands where its value is ready",
        repeated: "written to each place that wants it",
        rewritten: "written straight to where it is wanted, without a copy in between",
    };
    pub const MEMORY: Pass = Pass {
        name: "memory",
        moved: "allocated outside of the loop that uses it",
        repeated: "each thread has its own",
        rewritten: "shares memory with a buffer that is not needed at the same time",
    };
    pub const VECTOR_LEGALIZATION: Pass = Pass {
        name: "wide vectors",
        moved: "computed in pieces as wide as a register",
        repeated: "computed in pieces as wide as a register",
        rewritten: "computed in pieces as wide as a register",
    };
    pub const LIVE_RANGE_SPLITTING: Pass = Pass {
        name: "ranges",
        moved: "stands elsewhere",
        repeated: "a variable for each purpose of one",
        rewritten: "a variable with several purposes became several",
    };
    pub const SCALAR_CLEANUP: Pass = Pass {
        name: "scalars",
        moved: "declared where it is used first",
        repeated: "joined with the statement that gives it its value",
        rewritten: "a variable has its value from the start, or a value that is used once stands \
                    where it is used",
    };
    pub const STRENGTH_REDUCTION: Pass = Pass {
        name: "strides",
        moved: "in a loop that counts in the steps of its data",
        repeated: "in a loop that counts in the steps of its data",
        rewritten: "counts in the steps of the data, instead of one by one",
    };
    pub const ADDRESS_HOISTING: Pass = Pass {
        name: "rows",
        moved: "stands behind the name or the pointer of a row",
        repeated: "a pointer to the row of each array",
        rewritten: "reads through a pointer to the row, or by a name for what all of the row share",
    };
}

/// The key of corresponding statements: their phrase and form.
type Key = (Origin, std::mem::Discriminant<StmtKind>);

/// A digest of the statements with one key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Look {
    count: u32,
    around: u64,
    content: u64,
}

/// The recorded changes of the passes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace {
    looks: FxHashMap<Key, Look>,
    changes: FxHashMap<Key, Vec<String>>,
}

impl Trace {
    /// Starts a record without changes.
    pub fn start(function: &Function) -> Trace {
        Trace {
            looks: looks(function),
            changes: FxHashMap::default(),
        }
    }

    /// Records the changes of a pass.
    pub fn after(&mut self, pass: Pass, function: &Function) {
        let looks = looks(function);
        for (key, now) in &looks {
            let text = match self.looks.get(key) {
                Some(before) if before == now => continue,
                Some(before) if now.count > before.count => pass.repeated,
                Some(before) if now.content != before.content => pass.rewritten,
                Some(_) => pass.moved,
                // Another form of the phrase was replaced.
                None => pass.rewritten,
            };
            let text = format!("{}: {text}", pass.name);
            let known = self.changes.entry(*key).or_default();
            if !known.contains(&text) {
                known.push(text);
            }
        }
        self.looks = looks;
    }

    /// Returns the changes to a statement, in order.
    pub fn of(&self, stmt: &Stmt) -> &[String] {
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
            StmtKind::For { counter, body, .. } => block(body, mixed((around, counter)), all),
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

/// Hashes a statement without its nested statements and without sizes, which passes constantly
/// simplify.
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
        StmtKind::For { mode, .. } => discriminant(mode).hash(&mut hasher),
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
