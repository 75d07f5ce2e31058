//! Measures the size of code, which limits what passes copy.

use crate::ir::{Expr, Stmt, StmtKind, walk};

/// Returns the number of subexpressions of statements, with 1 for each declaration without a value;
/// `None` if they contain others than declarations, assignments, blocks, branches and loops.
pub(crate) fn of_body(body: &[Stmt]) -> Option<usize> {
    body.iter().map(of_stmt).sum()
}

fn of_stmt(stmt: &Stmt) -> Option<usize> {
    Some(match &stmt.kind {
        StmtKind::Declare(_, None) => 1,
        StmtKind::Declare(_, Some(value)) | StmtKind::Assign(_, value) => of_expr(value),
        StmtKind::Block(body) => of_body(body)?,
        StmtKind::For(this) => of_body(&this.body)?,
        StmtKind::If {
            condition,
            then,
            otherwise,
        } => of_expr(condition) + of_body(then)? + of_body(otherwise)?,
        StmtKind::Reduce(_)
        | StmtKind::Point(..)
        | StmtKind::Swap(..)
        | StmtKind::Barrier(_)
        | StmtKind::Kernel(_) => return None,
    })
}

/// Returns the number of subexpressions of an expression, with itself.
pub(crate) fn of_expr(expr: &Expr) -> usize {
    let mut total = 0;
    walk::sub_exprs(expr, &mut |_| total += 1);
    total
}
