//! Finds loops that compute the same values again, and arrays that are stored although each element
//! is read once.

use std::borrow::Cow;

use nat::{Nat, Var};
use rise::core::Origin;
use rustc_hash::FxHashSet;
use syntax::ast::Name;

use super::nest::{self, Values, evaluate};
use super::time::NestTime;
use super::{Analysis, iterations};
use crate::analysis::{math, vectorization};
use crate::ir::walk::{self, Change, Look};
use crate::ir::{Expr, ExprKind, Function, Home, Id, Loop, Place, Stmt, StmtKind};

impl Analysis<'_> {
    /// Returns true if a loop in the loop `around` has the same results in all iterations of that.
    /// `between` is `around` itself, or a loop in it around `inner`. Compilers do not move loops out of
    /// other loops, except for those that they unroll.
    ///
    /// A statement of the body of `between` has the same results if it does not mention the counter
    /// of `around`, accesses no variable that a statement with other results writes, and if what it
    /// writes gets its first value in the same iteration.
    pub(super) fn is_invariant(&self, around: &Loop, between: &Loop, inner: &Loop) -> bool {
        if vectorization::is_short(inner)
            || iterations_of(around, self.values).is_none_or(|count| count < 2.0)
        {
            return false;
        }
        let parts: Vec<Part<'_>> = (between.body.iter())
            .map(|stmt| Part::of(self.function, stmt, around.counter))
            .collect();
        let has_first_value = |at: usize, id: &Id| {
            let first = parts.iter().find(|part| part.accesses(*id));
            parts[at].declared.contains(id) || first.is_some_and(|part| !part.read.contains(id))
        };
        let mut is_same: Vec<bool> = (0..parts.len())
            .map(|at| {
                let part = &parts[at];
                part.is_plain && part.written.iter().all(|id| has_first_value(at, id))
            })
            .collect();
        let own = nest::assigned(&between.body);
        let mut elsewhere = nest::assigned(&around.body);
        elsewhere.retain(|id| !own.contains(id));
        loop {
            let others: FxHashSet<Id> = (parts.iter().zip(&is_same))
                .filter(|(_, is_same)| !**is_same)
                .flat_map(|(part, _)| part.written.iter().copied())
                .chain(elsewhere.iter().copied())
                .collect();
            let changed = (0..parts.len())
                .find(|at| is_same[*at] && others.iter().any(|id| parts[*at].accesses(*id)));
            match changed {
                Some(at) => is_same[at] = false,
                None => break,
            }
        }
        let contains = |stmt: &Stmt| {
            let mut found = false;
            walk::each_stmt(std::slice::from_ref(stmt), &mut |stmt| {
                found |= matches!(&stmt.kind, StmtKind::For(this) if std::ptr::eq(this, inner));
            });
            found
        };
        let at = between.body.iter().position(contains);
        at.is_some_and(|at| is_same[at] && !parts[at].written.is_empty())
    }

    /// Returns the name of a function that a loop calls with the same values in all iterations of
    /// the loop `outer`, and the loop without these calls.
    pub(super) fn repeated_call(&self, outer: &Loop, inner: &Loop) -> Option<(Name, Vec<Stmt>)> {
        if walk::has_loop(&inner.body)
            || iterations_of(outer, self.values).is_none_or(|count| count < 2.0)
        {
            return None;
        }
        let mut dependence = Dependence::of(self.function, outer);
        CallRemoval::of(inner, &mut |call| dependence.allows(call))
    }

    /// Returns the name of a function that a loop with a number calls with single elements of an array,
    /// each of which it reads several times; the array; and the loop without these calls.
    pub(super) fn call_for_elements(
        &self,
        number: usize,
        inner: &Loop,
    ) -> Option<(Name, Id, Vec<Stmt>)> {
        /// The smallest number of calls for each element.
        const MIN_CALLS: f64 = 2.0;
        if walk::has_loop(&inner.body) {
            return None;
        }
        let loops = self.loops_around(number);
        // The elements of a temporary array may have other values in each iteration of a loop.
        let calls = |array: Id| {
            let counts = loops
                .iter()
                .take_while(|this| !nest::assigned(&this.body).contains(&array));
            let counts: Option<Vec<f64>> = counts
                .map(|this| iterations_of(this, self.values))
                .collect();
            Some(counts?.iter().product::<f64>())
        };
        let mut repeated = None;
        let (name, body) = CallRemoval::of(inner, &mut |call| {
            let array = array_of_element(call, inner.counter);
            let count = array.and_then(|array| {
                let count = self.function.variables[array.0 as usize].count.as_ref()?;
                Some(calls(array)? / evaluate(count, self.values)? as f64)
            });
            let is_repeated = count.is_some_and(|count| count >= MIN_CALLS);
            if is_repeated {
                repeated = array;
            }
            is_repeated
        })?;
        Some((name, repeated?, body))
    }

    /// Returns the name of a function that a loop with a number calls with the same values as a loop in
    /// front of it with the same range, and the loop without these calls.
    pub(super) fn call_of_sibling(&self, outer: &Loop, inner: &Loop) -> Option<(Name, Vec<Stmt>)> {
        let before = outer.body.iter().map_while(|stmt| match &stmt.kind {
            StmtKind::For(this) if std::ptr::eq(this, inner) => None,
            kind => Some(kind),
        });
        let siblings = before.filter_map(|kind| match kind {
            StmtKind::For(this) if (&this.from, &this.to) == (&inner.from, &inner.to) => Some(this),
            _ => None,
        });
        let mut calls = Vec::new();
        for sibling in siblings {
            let mut written = nest::assigned(&sibling.body);
            written.extend(nest::assigned(&inner.body));
            walk::for_each_expr(&sibling.body, &mut |expr| {
                walk::sub_exprs(expr, &mut |part| {
                    if matches!(part.kind, ExprKind::Call(..)) && !reads_any(part, &written) {
                        calls.push(anonymous(part, sibling.counter, inner.counter));
                    }
                });
            });
        }
        CallRemoval::of(inner, &mut |call| {
            calls.contains(&anonymous(call, inner.counter, inner.counter))
        })
    }

    /// Returns a temporary array that a loop writes, whose elements are read at most `reads` times
    /// each.
    pub(super) fn stored_for_reads(&self, inner: &Loop, reads: f64) -> Option<Id> {
        let mut arrays = FxHashSet::default();
        let mut declared = FxHashSet::default();
        let mut is_map = !walk::has_loop(&inner.body);
        walk::each_stmt(&inner.body, &mut |stmt| match &stmt.kind {
            StmtKind::Declare(id, _) => _ = declared.insert(*id),
            StmtKind::Assign(place, _) => match place.index {
                Some(_) => _ = arrays.insert(place.id),
                None => is_map &= declared.contains(&place.id),
            },
            _ => is_map = false,
        });
        let mut arrays = arrays.into_iter();
        let array = arrays
            .next()
            .filter(|_| is_map && arrays.next().is_none())?;
        let mut own = AccessCounts::default();
        own.block(&inner.body, array, 1.0, self.values)?;
        if own.reads > 0.0 {
            return None;
        }
        let variable = &self.function.variables[array.0 as usize];
        if !matches!(variable.home, Home::Local(_)) || variable.count.is_none() {
            return None;
        }
        let mut accesses = AccessCounts::default();
        accesses.block(&self.function.body, array, 1.0, self.values)?;
        (accesses.reads > 0.0 && accesses.reads <= reads * accesses.writes).then_some(array)
    }

    /// Returns the time of the function if an array needed no memory.
    pub(super) fn seconds_without_memory(&self, array: Id) -> f64 {
        let mut function = self.function.clone();
        function.heap.retain(|id| *id != array);
        walk::change_all(&mut function.body, &mut Contraction(array));
        let registers = self.machine.register_bytes;
        let mut builder =
            nest::NestBuilder::new(&function, self.values, &self.vectorization, registers);
        let nodes = builder.nodes(&function.body);
        // A loop that stores the array and one that reads it are one loop without it.
        let nests = nodes.iter().enumerate().map(|(at, node)| {
            match self.nodes.get(at).is_some_and(|node| node.accesses(array)) {
                true => NestTime::together(node, &self.machine),
                false => NestTime::of(node, &self.machine),
            }
        });
        let changed = Analysis {
            function: &function,
            values: self.values,
            machine: self.machine.clone(),
            vectorization: self.vectorization.clone(),
            nests: nests.collect(),
            nodes: Vec::new(),
        };
        changed.seconds()
    }
}

/// A statement of the body of a loop.
struct Part<'s> {
    function: &'s Function,
    counter: Var,
    written: FxHashSet<Id>,
    read: FxHashSet<Id>,
    declared: FxHashSet<Id>,
    /// True if it only assigns values that depend neither on the counter nor on data in an index, and
    /// writes no output.
    is_plain: bool,
}

impl<'s> Part<'s> {
    fn of(function: &'s Function, stmt: &Stmt, counter: Var) -> Part<'s> {
        let mut part = Part {
            function,
            counter,
            written: FxHashSet::default(),
            read: FxHashSet::default(),
            declared: FxHashSet::default(),
            is_plain: true,
        };
        let stmts = std::slice::from_ref(stmt);
        walk::each_stmt(stmts, &mut |stmt| match &stmt.kind {
            StmtKind::Declare(id, _) => {
                part.declared.insert(*id);
                part.written.insert(*id);
            }
            StmtKind::Assign(place, _) => {
                part.written.insert(place.id);
                part.is_plain &= !function.variables[place.id.0 as usize].home.is_result();
            }
            StmtKind::For(_) | StmtKind::If { .. } | StmtKind::Block(_) => {}
            _ => part.is_plain = false,
        });
        walk::for_each_expr(stmts, &mut |expr| {
            walk::sub_exprs(expr, &mut |value| {
                if let ExprKind::Load(place) = &value.kind {
                    part.read.insert(place.id);
                }
            });
        });
        walk::look(stmts, &mut part);
        part
    }

    fn accesses(&self, id: Id) -> bool {
        self.written.contains(&id) || self.read.contains(&id)
    }
}

impl Look for Part<'_> {
    fn nat(&mut self, nat: &Nat) {
        let mut opaque = self.function.opaque.iter();
        self.is_plain &= !nat.mentions(self.counter) && !opaque.any(|(var, _)| nat.mentions(*var));
    }
}

fn iterations_of(this: &Loop, values: &Values) -> Option<f64> {
    evaluate(&iterations(this), values).map(|count| count as f64)
}

/// The values on which an expression in a loop may depend without changing from iteration to
/// iteration.
struct Dependence<'f> {
    function: &'f Function,
    counter: Var,
    /// The variables that an iteration declares or writes.
    written: FxHashSet<Id>,
    is_found: bool,
}

impl<'f> Dependence<'f> {
    fn of(function: &'f Function, outer: &Loop) -> Dependence<'f> {
        Dependence {
            function,
            counter: outer.counter,
            written: nest::assigned(&outer.body),
            is_found: false,
        }
    }

    fn allows(&mut self, expr: &Expr) -> bool {
        self.is_found = false;
        walk::look_expr(expr, self);
        !self.is_found
    }
}

impl Look for Dependence<'_> {
    fn place(&mut self, place: &Place) {
        self.is_found |= self.written.contains(&place.id);
    }

    fn nat(&mut self, nat: &Nat) {
        let is_data = |var: Var| {
            self.function
                .opaque
                .iter()
                .any(|(opaque, _)| *opaque == var)
        };
        self.is_found |= nat.any_var(&|var| var == self.counter || is_data(var));
    }
}

/// Replaces calls of functions that take time by their first arguments, if they are repeated.
struct CallRemoval<'a> {
    is_repeated: &'a mut dyn FnMut(&Expr) -> bool,
    /// The name of the function that was called.
    name: Option<Name>,
}

impl CallRemoval<'_> {
    /// Returns the name of a function whose calls in the body of a loop are repeated, and the body
    /// without these.
    fn of(inner: &Loop, is_repeated: &mut dyn FnMut(&Expr) -> bool) -> Option<(Name, Vec<Stmt>)> {
        let mut removal = CallRemoval {
            is_repeated,
            name: None,
        };
        let mut body = inner.body.clone();
        walk::change_all(&mut body, &mut removal);
        removal.name.map(|name| (name, body))
    }
}

impl Change for CallRemoval<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        let ExprKind::Call(function, args) = &expr.kind else {
            return;
        };
        let name = math::plain_name(&function.name).filter(|name| !nest::is_instruction(name));
        let first = args.first().filter(|first| first.ty == expr.ty);
        if let (Some(name), Some(first)) = (name, first)
            && (self.is_repeated)(expr)
        {
            self.name = Some(name.into());
            *expr = first.clone();
        }
    }
}

/// Returns true if an expression reads one of these variables.
fn reads_any(expr: &Expr, variables: &FxHashSet<Id>) -> bool {
    let mut found = false;
    walk::sub_exprs(expr, &mut |part| {
        found |= matches!(&part.kind, ExprKind::Load(place) if variables.contains(&place.id));
    });
    found
}

/// Returns an expression without origins, with another variable in place of a counter.
fn anonymous(expr: &Expr, counter: Var, other: Var) -> Expr {
    struct Anonymous(Var, Nat);
    impl Change for Anonymous {
        fn expr(&mut self, expr: &mut Expr) {
            expr.origin = Origin(0);
        }
        fn nat(&mut self, nat: &mut Nat) {
            *nat = nat.subst(&|var| (var == self.0).then(|| self.1.clone()));
        }
    }
    let mut expr = expr.clone();
    walk::change_expr(&mut expr, &mut Anonymous(counter, Nat::var(other)));
    expr
}

/// Returns the array of the only element that an expression depends on, if that is another one in each
/// iteration of the loop with the counter. Compilers move other calls out of the loop.
fn array_of_element(expr: &Expr, counter: Var) -> Option<Id> {
    let mut arrays = Vec::new();
    let mut is_apart = true;
    walk::sub_exprs(expr, &mut |part| match &part.kind {
        ExprKind::Load(place) => {
            let index = place.index.as_ref();
            is_apart &= index.is_some_and(|index| index.mentions(counter));
            arrays.push(place.id);
        }
        ExprKind::Literal(_)
        | ExprKind::Unary(..)
        | ExprKind::Binary(..)
        | ExprKind::Cast(..)
        | ExprKind::Call(..) => {}
        _ => is_apart = false,
    });
    match &arrays[..] {
        [array] if is_apart => Some(*array),
        _ => None,
    }
}

/// The numbers of writes and reads of an array.
#[derive(Default)]
struct AccessCounts {
    writes: f64,
    reads: f64,
}

impl AccessCounts {
    /// Adds the accesses of statements that are executed a number of times; returns `None` if a
    /// number of iterations depends on data.
    fn block(&mut self, body: &[Stmt], array: Id, times: f64, values: &Values) -> Option<()> {
        for stmt in body {
            if let StmtKind::Assign(place, _) = &stmt.kind
                && place.id == array
            {
                self.writes += times;
            }
            walk::each_expr(stmt, &mut |expr| {
                walk::sub_exprs(expr, &mut |part| {
                    if matches!(&part.kind, ExprKind::Load(place) if place.id == array) {
                        self.reads += times;
                    }
                });
            });
            let mut inner = Vec::new();
            walk::blocks(stmt, &mut |block| inner.push(block));
            let times = match &stmt.kind {
                StmtKind::For(this) if self.has(inner.as_slice(), array) => {
                    times * iterations_of(this, values)?
                }
                StmtKind::Swap(..) | StmtKind::Point(..) | StmtKind::Reduce(_) => return None,
                _ => times,
            };
            // The bounds of inner loops are those in an iteration in the middle.
            let mut of_iteration = Cow::Borrowed(values);
            if let StmtKind::For(this) = &stmt.kind
                && let (Some(from), Some(to)) =
                    (evaluate(&this.from, values), evaluate(&this.to, values))
            {
                let step = evaluate(&this.step, values)
                    .filter(|step| *step > 0)
                    .unwrap_or(1);
                let middle = from + (to - from).max(0) / step / 2 * step;
                of_iteration.to_mut().insert(this.counter, middle);
            }
            for block in inner {
                self.block(block, array, times, &of_iteration)?;
            }
        }
        Some(())
    }

    /// Returns true if blocks access an array.
    fn has(&self, blocks: &[&[Stmt]], array: Id) -> bool {
        struct Finder(Id, bool);
        impl Look for Finder {
            fn place(&mut self, place: &Place) {
                self.1 |= place.id == self.0;
            }
        }
        let mut finder = Finder(array, false);
        for block in blocks {
            walk::look(block, &mut finder);
        }
        finder.1
    }
}

/// Makes the accesses to an array accesses to a variable.
struct Contraction(Id);

impl Change for Contraction {
    fn place(&mut self, place: &mut Place) {
        if place.id == self.0 {
            *place = Place::plain(place.id);
        }
    }
}
