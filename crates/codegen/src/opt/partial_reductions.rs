//! Partial reductions: splits a parallel reduction that selects one of the elements, as the search
//! for the position of the least one does, into [`PARTS`] parts. Threads reduce the parts, each in
//! its order, and the results are then reduced in the order of the parts.
//!
//! The operator must be *selective*: `f(a, b)` is `b` if a component of `b` is less than the same
//! component of `a`, and `a` otherwise; or if it is greater. Then every part can start from the
//! initial value, also for floats with NaN, and the result is that of the reduction in order: the
//! first of the least elements. (A reduction that OpenMP declares combines the parts in any order,
//! which may give another one of several equal elements.)

use nat::Nat;
use rise::core::Origin;
use rise::{Ty, Type};
use rustc_hash::FxHashMap;

use super::reductions::declare_element;
use super::{Pass, Run};
use crate::ir::renaming::Renaming;
use crate::ir::trace::Changes;
use crate::ir::walk;
use crate::ir::{
    Binary, Expr, ExprKind, Function, Id, Loop, LoopMode, Maker, ParallelReduce, Place, Stmt,
    StmtKind, Variable,
};

pub(crate) const PASS: Pass = Pass {
    name: "partial-reductions",
    run: Run::Always(run),
    changes: Changes::all("reduced in parts, whose results are reduced in their order"),
};

/// The number of parts, which is a multiple of usual numbers of threads.
const PARTS: i64 = 256;

fn run(function: &mut Function) {
    if function.features.has_threads() {
        let mut body = std::mem::take(&mut function.body);
        block(&mut body, function);
        function.body = body;
    }
}

/// Splits the reductions in statements that one thread executes.
fn block(body: &mut Vec<Stmt>, function: &mut Function) {
    for mut stmt in std::mem::take(body) {
        match &mut stmt.kind {
            StmtKind::Reduce(reduce) => {
                if let Some(parts) = in_parts(reduce, stmt.origin, function) {
                    body.extend(parts);
                    continue;
                }
            }
            StmtKind::For(this) if this.mode == LoopMode::Parallel => {}
            _ => walk::each_block(&mut stmt, &mut |inner| block(inner, function)),
        }
        body.push(stmt);
    }
}

/// The comparison by which a selective operator decides.
struct Selection {
    condition: Expr,
    /// The component of both operands that it compares.
    compared: Vec<bool>,
}

impl Selection {
    /// Returns the comparison of the operator of a reduction; `None` if it is not selective, or
    /// compares whole operands: scalars are left to the reductions of OpenMP.
    fn of(reduce: &ParallelReduce) -> Option<Selection> {
        let [stmt] = reduce.combine.as_slice() else {
            return None;
        };
        let StmtKind::Assign(place, value) = &stmt.kind else {
            return None;
        };
        let ExprKind::Select(condition, chosen, kept) = &value.kind else {
            return None;
        };
        let ExprKind::Binary(Binary::Lt | Binary::Gt, a, b) = &condition.kind else {
            return None;
        };
        let [chosen, kept, a, b] = [chosen, kept, a, b].map(|part| match &part.kind {
            ExprKind::Load(place) => Some(place),
            _ => None,
        });
        let (a, b) = (a?, b?);
        let operands = [Place::plain(reduce.left), Place::plain(reduce.right)];
        let compared = operands.clone().map(|place| Place {
            members: a.members.clone(),
            ..place
        });
        let is_selective = *place == operands[0]
            && *kept? == operands[0]
            && *chosen? == operands[1]
            && !a.members.is_empty()
            && ([a, b] == compared.each_ref() || [b, a] == compared.each_ref());
        is_selective.then(|| Selection {
            condition: (**condition).clone(),
            compared: a.members.clone(),
        })
    }

    /// Returns the statements that select one of two tuples of this type, and store it in `left`:
    /// one for each component, the last one for the component that the condition reads.
    fn assignments(&self, reduce: &ParallelReduce, left: Id, right: Id, ty: &Ty) -> Vec<StmtKind> {
        let ids = FxHashMap::from_iter([(reduce.left, left), (reduce.right, right)]);
        let mut condition = self.condition.clone();
        walk::change_expr(&mut condition, &mut walk::Renamed { ids: &ids });
        let origin = condition.origin;
        let mut components = components(ty);
        components.sort_by_key(|(members, _)| *members == self.compared);
        let assignment = |(members, ty): (Vec<bool>, Ty)| {
            let place = |id| Place {
                members: members.clone(),
                ..Place::plain(id)
            };
            let load = |id| Expr::new(ExprKind::Load(place(id)), ty.clone(), origin);
            let select = ExprKind::Select(
                condition.clone().into(),
                load(right).into(),
                load(left).into(),
            );
            StmtKind::Assign(place(left), Expr::new(select, ty.clone(), origin))
        };
        components.into_iter().map(assignment).collect()
    }
}

/// Returns the components of a type that are no tuples, with their types.
fn components(ty: &Ty) -> Vec<(Vec<bool>, Ty)> {
    let Type::Pair(a, b) = &**ty else {
        return vec![(Vec::new(), ty.clone())];
    };
    let half = |of: &Ty, second: bool| {
        let inside = components(of).into_iter();
        inside.map(move |(members, ty)| ([vec![second], members].concat(), ty))
    };
    half(a, false).chain(half(b, true)).collect()
}

/// Returns the statements that copy a tuple of this type, one for each component.
fn copies(to: &Place, from: &Place, ty: &Ty, origin: Origin) -> Vec<StmtKind> {
    let copy = |(members, ty): (Vec<bool>, Ty)| {
        let place = |place: &Place| Place {
            members: members.clone(),
            ..place.clone()
        };
        StmtKind::Assign(
            place(to),
            Expr::new(ExprKind::Load(place(from)), ty, origin),
        )
    };
    components(ty).into_iter().map(copy).collect()
}

/// Returns the statements that reduce in parts; `None` if the operator of a reduction is not
/// selective, or the reduction is known to have no more elements than there are parts.
fn in_parts(
    reduce: &mut ParallelReduce,
    origin: Origin,
    function: &mut Function,
) -> Option<Vec<Stmt>> {
    let is_long = reduce.count.as_const().is_none_or(|count| count > PARTS);
    let selection = Selection::of(reduce).filter(|_| is_long)?;
    declare_element(reduce, origin);
    let made = |kind| Stmt::new(kind, origin, Some(Maker::Pass(PASS.name)));
    let ty = function.variables[reduce.into.0 as usize].elem.clone();
    let variable = |name: &str| Variable::scalar(name.into(), ty.clone(), origin);
    let parts = function.fresh_variable(Variable {
        count: Some(Nat::constant(PARTS)),
        ..variable("parts")
    });
    let part = function.fresh_variable(variable("part"));
    let result = function.fresh_variable(variable("result"));
    let [number, of_result] = [(); 2].map(|()| function.fresh_size("part"));
    let place_of = |number| Place::element(parts, Nat::var(number));
    let copies = |to: &Place, from: &Place| copies(to, from, &ty, origin);

    let (first, length) = range_of_part(&Nat::var(number), &reduce.count);
    let mut elements = std::mem::take(&mut reduce.element_body);
    let selections = selection.assignments(reduce, part, reduce.element, &ty);
    elements.extend(selections.into_iter().map(made));
    let mut at = Renaming::default();
    let index = first + &Nat::var(reduce.counter);
    at.vars.insert(reduce.counter, index);
    at.apply(&mut elements);
    let over = |counter, to, mode, body: Vec<Stmt>| {
        StmtKind::For(Loop {
            counter,
            from: Nat::ZERO,
            to,
            step: Nat::ONE,
            mode,
            body,
        })
    };
    let elements = over(reduce.counter, length, LoopMode::Sequential, elements);
    let of_part = std::iter::once(StmtKind::Declare(part, None))
        .chain(copies(&Place::plain(part), &Place::plain(reduce.into)))
        .chain([elements])
        .chain(copies(&place_of(number), &Place::plain(part)));
    let of_all = std::iter::once(StmtKind::Declare(result, None))
        .chain(copies(&Place::plain(result), &place_of(of_result)))
        .chain(selection.assignments(reduce, reduce.into, result, &ty));
    let all = Nat::constant(PARTS);
    let of_part = of_part.map(made).collect();
    let of_all = of_all.map(made).collect();
    Some(vec![
        made(StmtKind::Declare(parts, None)),
        made(over(number, all.clone(), LoopMode::Parallel, of_part)),
        made(over(of_result, all, LoopMode::Sequential, of_all)),
    ])
}

/// Returns the number of elements before a part, and the number of its elements. The first parts have
/// one element more than the last ones, and no intermediate result is greater than the number of all
/// elements.
fn range_of_part(number: &Nat, count: &Nat) -> (Nat, Nat) {
    let parts = Nat::constant(PARTS);
    let (least, more) = (Nat::div(count, &parts), Nat::rem(count, &parts));
    let first = Nat::mul(number, &least) + &Nat::min(number, &more);
    let is_longer = Nat::div(&Nat::sub(&(more + (PARTS - 1)), number), &parts);
    (first, least + &is_longer)
}
