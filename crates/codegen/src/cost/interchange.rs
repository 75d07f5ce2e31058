//! Loop interchange for estimates: the program in which a reduction is the outer loop, and the map
//! around it accumulates all of its results together.
//!
//! The loops are only compared, and never emitted; but the transformed program is correct, so that
//! no hint asks for something that is impossible.

use nat::{Nat, Var};
use rustc_hash::{FxHashMap, FxHashSet};

use super::nest::{is_loop, is_selected};
use crate::analysis::conditions;
use crate::analysis::dependence_test::linear_form;
use crate::ir::walk::{self, Change};
use crate::ir::{ExprKind, Function, Home, Id, Loop, LoopMode, Place, Stmt, StmtKind};

/// Returns true if no iteration of a loop reads what another one writes, and each writes elements of its
/// own.
pub(super) fn has_independent_iterations(function: &Function, this: &Loop) -> bool {
    is_map(function, this, &private_variables(function, this))
}

/// Returns the function with the loop of the number `inner` around the loop of the number `outer`,
/// which is directly around it now; `None` if they cannot be interchanged.
pub(super) fn interchanged(function: &Function, outer: usize, inner: usize) -> Option<Function> {
    let mut result = function.clone();
    let mut number = 0;
    let body = std::mem::take(&mut result.body);
    result.body = replaced(body, outer, &mut number, &mut |stmt| {
        interchange(function, stmt, inner - outer)
    })?;
    let StmtKind::For(this) = &loop_with_number(&function.body, outer)?.kind else {
        return None;
    };
    let length = Nat::sub(&this.to, &this.from);
    for (id, count) in private_variables(function, this) {
        let variable = &mut result.variables[id.0 as usize];
        variable.count = Some(&length * &count);
        variable.home = Home::Local(None);
    }
    Some(result)
}

/// Returns the function with the only statement of the loop with a number, a loop, around that loop;
/// `None` if they cannot be interchanged.
pub(super) fn with_inner_loop_outside(function: &Function, outer: usize) -> Option<Function> {
    let mut result = function.clone();
    let body = std::mem::take(&mut result.body);
    result.body = replaced(body, outer, &mut 0, &mut |stmt| {
        let StmtKind::For(outer) = &stmt.kind else {
            return None;
        };
        let [only] = &outer.body[..] else { return None };
        let StmtKind::For(inner) = &only.kind else {
            return None;
        };
        let sizes = [&inner.from, &inner.to, &inner.step];
        let is_sequential = matches!(outer.mode, LoopMode::Sequential);
        if !is_sequential || sizes.iter().any(|nat| nat.mentions(outer.counter)) {
            return None;
        }
        let steps = StmtKind::For(Loop {
            body: inner.body.clone(),
            ..outer.clone()
        });
        let result = Loop {
            body: vec![Stmt::new(steps, stmt.origin, stmt.made_by)],
            ..inner.clone()
        };
        let is_permuted = is_map(function, &result, &FxHashMap::default());
        let result = Stmt::new(StmtKind::For(result), only.origin, only.made_by);
        is_permuted.then(|| vec![result])
    })?;
    Some(result)
}

/// Returns the loop with a number.
pub(super) fn loop_with_number(body: &[Stmt], number: usize) -> Option<&Stmt> {
    let mut loops = Vec::new();
    walk::each_stmt(body, &mut |stmt| {
        if is_loop(stmt) {
            loops.push(stmt);
        }
    });
    loops.get(number).copied()
}

/// Replaces the loop with a number in statements, where `number` counts the loops before.
pub(super) fn replaced(
    body: Vec<Stmt>,
    wanted: usize,
    number: &mut usize,
    replace: &mut dyn FnMut(&Stmt) -> Option<Vec<Stmt>>,
) -> Option<Vec<Stmt>> {
    let mut result = Vec::new();
    for mut stmt in body {
        if is_loop(&stmt) {
            if *number == wanted {
                *number += 1;
                result.extend(replace(&stmt)?);
                continue;
            }
            *number += 1;
        }
        let mut failed = false;
        walk::each_block(&mut stmt, &mut |inner| match replaced(
            std::mem::take(inner),
            wanted,
            number,
            replace,
        ) {
            Some(body) => *inner = body,
            None => failed = true,
        });
        if failed {
            return None;
        }
        result.push(stmt);
    }
    Some(result)
}

/// Returns the loops that take the place of a loop, where `inner` is the number of the other loop
/// counted from it.
fn interchange(function: &Function, stmt: &Stmt, inner: usize) -> Option<Vec<Stmt>> {
    let StmtKind::For(outer) = &stmt.kind else {
        return None;
    };
    // The loop among the statements of the body.
    let mut number = 0;
    let at = outer.body.iter().position(|part| {
        let mut loops = 0;
        walk::each_stmt(std::slice::from_ref(part), &mut |stmt| {
            loops += usize::from(is_loop(stmt));
        });
        number += loops;
        loops > 0 && number >= inner
    })?;
    let StmtKind::For(reduction) = &outer.body[at].kind else {
        return None;
    };
    let unit = [outer, reduction].map(|this| this.step.as_const() == Some(1));
    if unit != [true, true] {
        return None;
    }
    let private = private_variables(function, outer);
    if !is_map(function, outer, &private) {
        return None;
    }
    let length = Nat::sub(&outer.to, &outer.from);
    let index = Nat::sub(&Nat::var(outer.counter), &outer.from);
    let mut body = outer.body.clone();
    for part in &mut body {
        let declared = match &part.kind {
            StmtKind::Declare(id, value) if private.contains_key(id) => Some((*id, value.clone())),
            _ => None,
        };
        if let Some((id, value)) = declared {
            part.kind = match value {
                Some(value) => StmtKind::Assign(Place::plain(id), value),
                None => StmtKind::Block(Vec::new()),
            };
        }
        let mut expansion = Expansion {
            variables: &private,
            length: &length,
            index: &index,
        };
        walk::change_stmt(part, &mut expansion);
    }
    let over = |body: Vec<Stmt>| {
        let this = Loop {
            body,
            ..Loop::clone(outer)
        };
        Stmt::new(StmtKind::For(this), stmt.origin, stmt.made_by)
    };
    let mut after = body.split_off(at);
    let mut middle = after.remove(0);
    if let StmtKind::For(reduction) = &mut middle.kind {
        let mut steps = std::mem::take(&mut reduction.body);
        let counter = Nat::var(reduction.counter);
        let (from, to) = (reduction.from.clone(), reduction.to.clone());
        let starts = conditions::less(&from, &(&counter + 1), middle.origin);
        let ends = conditions::less(&counter, &to, middle.origin);
        for (bound, is_end, holds) in [
            (&mut reduction.from, false, starts),
            (&mut reduction.to, true, ends),
        ] {
            if bound.mentions(outer.counter) {
                *bound = extreme_of(bound, is_end, outer)?;
                let guarded = StmtKind::If {
                    condition: holds,
                    then: steps,
                    otherwise: Vec::new(),
                };
                steps = vec![Stmt::new(guarded, middle.origin, middle.made_by)];
            }
        }
        reduction.body = vec![over(steps)];
    }
    let parts = [
        (!body.is_empty()).then(|| over(body)),
        Some(middle),
        (!after.is_empty()).then(|| over(after)),
    ];
    Some(parts.into_iter().flatten().collect())
}

/// Returns the smallest or `largest` value that the bound of a loop has in the loop around it; `None` if
/// it is not linear in the counter.
fn extreme_of(bound: &Nat, largest: bool, outer: &Loop) -> Option<Nat> {
    let (slope, _) = linear_form(bound, outer.counter)?;
    let at = match (slope.as_const()? > 0) == largest {
        true => Nat::sub(&outer.to, &Nat::ONE),
        false => outer.from.clone(),
    };
    Some(bound.subst(&|var| (var == outer.counter).then(|| at.clone())))
}

/// Returns the variables and arrays of which each iteration of a loop has its own, with their numbers
/// of elements: scalar variables that the body declares directly, and temporary arrays of a fixed
/// length that nothing outside the loop accesses. Together, the iterations need an array of them.
fn private_variables(function: &Function, outer: &Loop) -> FxHashMap<Id, Nat> {
    let mut private = FxHashMap::default();
    for stmt in &outer.body {
        if let StmtKind::Declare(id, _) = &stmt.kind
            && function.variables[id.0 as usize].count.is_none()
        {
            private.insert(*id, Nat::constant(1));
        }
    }
    let inside = Accesses::within(&outer.body, outer.counter);
    let all = Accesses::within(&function.body, outer.counter);
    for (id, count) in inside.counts {
        let variable = &function.variables[id.0 as usize];
        if let (Home::Local(_), Some(elements)) = (&variable.home, &variable.count)
            && !elements.mentions(outer.counter)
            && !inside.of_iteration.contains(&id)
            && all.counts.get(&id) == Some(&count)
        {
            private.insert(id, elements.clone());
        }
    }
    private
}

/// The accesses to variables in statements.
struct Accesses {
    counter: Var,
    counts: FxHashMap<Id, usize>,
    /// The variables with an index that contains the counter.
    of_iteration: FxHashSet<Id>,
}

impl Accesses {
    fn within(body: &[Stmt], counter: Var) -> Accesses {
        let mut accesses = Accesses {
            counter,
            counts: FxHashMap::default(),
            of_iteration: FxHashSet::default(),
        };
        walk::look(body, &mut accesses);
        accesses
    }
}

impl walk::Look for Accesses {
    fn place(&mut self, place: &Place) {
        *self.counts.entry(place.id).or_default() += 1;
        let index = place.index.as_ref();
        if index.is_some_and(|index| index.mentions(self.counter)) {
            self.of_iteration.insert(place.id);
        }
    }
}

/// Returns true if a sequential loop has the form of a map: it declares only private variables, and
/// assigns only these and elements of arrays, of which it reads and writes only those whose index
/// contains the counter. Whether different iterations access different elements is not checked, nor
/// whether an iteration writes the elements of private arrays before it reads them.
fn is_map(function: &Function, outer: &Loop, private: &FxHashMap<Id, Nat>) -> bool {
    if !matches!(outer.mode, LoopMode::Sequential) {
        return false;
    }
    let mut declared = FxHashSet::default();
    let mut written = FxHashSet::default();
    let mut is_map = true;
    walk::each_stmt(&outer.body, &mut |stmt| match &stmt.kind {
        StmtKind::Declare(id, _) => {
            declared.insert(*id);
            let is_scalar = function.variables[id.0 as usize].count.is_none();
            is_map &= is_scalar || private.contains_key(id);
        }
        StmtKind::Assign(place, _) => match &place.index {
            _ if private.contains_key(&place.id) => {}
            Some(index) => {
                written.insert(place.id);
                is_map &= index.mentions(outer.counter);
            }
            None => is_map &= declared.contains(&place.id),
        },
        StmtKind::For(_) | StmtKind::If { .. } | StmtKind::Block(_) => {}
        StmtKind::Point(..)
        | StmtKind::Swap(..)
        | StmtKind::Reduce(_)
        | StmtKind::Barrier(_)
        | StmtKind::Kernel(_) => is_map = false,
    });
    // What one iteration writes, another one must not read.
    let mut reads = Reads {
        written: &written,
        counter: outer.counter,
        is_apart: true,
    };
    walk::look(&outer.body, &mut reads);
    is_map && reads.is_apart
}

struct Reads<'a> {
    written: &'a FxHashSet<Id>,
    counter: Var,
    is_apart: bool,
}

impl walk::Look for Reads<'_> {
    fn place(&mut self, place: &Place) {
        if self.written.contains(&place.id) {
            let index = place.index.as_ref();
            self.is_apart &= index.is_some_and(|index| index.mentions(self.counter));
        }
    }
}

/// Gives each iteration of a loop its elements of an array in place of a private variable: those of
/// neighbouring iterations are next to each other.
struct Expansion<'a> {
    variables: &'a FxHashMap<Id, Nat>,
    length: &'a Nat,
    index: &'a Nat,
}

impl Change for Expansion<'_> {
    fn place(&mut self, place: &mut Place) {
        if self.variables.contains_key(&place.id) {
            place.index = Some(match &place.index {
                Some(element) => &(element * self.length) + self.index,
                None => self.index.clone(),
            });
        }
    }
}

/// A place that a loop accesses with a stride.
pub(super) struct StridedAccess<'l> {
    pub place: &'l Place,
    /// The distance in elements from one iteration to the next; `None` if data selects the elements.
    pub stride: Option<Nat>,
    pub is_written: bool,
}

/// Returns the accesses of a loop at places that skip elements as its counter changes.
pub(super) fn strided_accesses<'l>(function: &Function, this: &'l Loop) -> Vec<StridedAccess<'l>> {
    let mut found = Vec::new();
    let mut access = |place: &'l Place, is_written: bool| {
        if let Some(stride) = stride_of(function, place, this.counter) {
            found.push(StridedAccess {
                place,
                stride,
                is_written,
            });
        }
    };
    walk::for_each_expr(&this.body, &mut |expr| {
        walk::sub_exprs(expr, &mut |part| {
            if let ExprKind::Load(place) = &part.kind {
                access(place, false);
            }
        });
    });
    walk::each_stmt(&this.body, &mut |stmt| {
        if let StmtKind::Assign(place, _) = &stmt.kind {
            access(place, true);
        }
    });
    found
}

/// Returns the distance of the elements that a loop with this counter accesses, which is `None` if data
/// selects them; `None` if they are next to each other or the same.
fn stride_of(function: &Function, place: &Place, counter: Var) -> Option<Option<Nat>> {
    let index = place.index.as_ref()?;
    match linear_form(index, counter) {
        Some((stride, _)) => {
            let is_far = stride.as_const().is_none_or(|stride| stride.abs() > 1);
            is_far.then_some(Some(stride))
        }
        None => is_selected(function, index, counter).then_some(None),
    }
}
