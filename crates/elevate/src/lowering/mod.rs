//! Total lowering: chooses an implementation for every pattern of a program whose implementation is
//! open.
//!
//! The traversal is directed by access as the translation of DPIA is (*RISE & Shine*, section 5):
//! each expression is *read* or *written*. A `map` that is written becomes a loop. One that is read
//! stays as it is, and its elements are computed where they are read, unless that would repeat more
//! work than storing them costs ([`demand`]). An array that is written, and that no loop computes,
//! is copied by a loop. A reduction or an expression that is stored is moved out of the loops
//! around it on which it does not depend (loop-invariant code motion), if its evaluation cannot
//! fail.
//!
//! On the way, applications of abstractions are reduced, consecutive maps are fused ([`fusion`]),
//! maps of reductions are reordered where this makes their reads contiguous ([`loop_order`]), and
//! sums of products are contracted ([`contraction`]).
//!
//! Patterns that determine how they are computed stay as they are. The conditions that only a
//! target can check, such as those on address spaces, are left to it.

mod contraction;
mod demand;
mod fusion;
mod loop_order;
mod loops;
mod memory;
mod place_numbers;
mod schedule;
mod strides;
mod terms;

use std::fmt;

use rise::Primitive;
use rise::pattern::{MapLoop, Parallelism, Pattern, ReduceLoop, RepeatLoop, View};
use rise::primitive::DataAccess;
use rise::types::{Type, contains_array};
use syntax::ast::{Half, Kind};

use crate::term::{Local, MAX_SIZE, Node, Store, Term};
pub(crate) use contraction::contract_sums;
use demand::{Demand, Failures, Reads, Work, last_parameter, repeats_its_function, view_factor};
use place_numbers::PlaceNumbers;
pub(crate) use schedule::{Choice, Schedule, ScheduleError};

/// The reason why a program, or a part of it in the present context, cannot be lowered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LoweringError {
    /// The term, its types, or the number of terms in the store exceed their limits.
    TooLarge,
    /// A part of the term has no type that its pattern admits.
    IllTyped,
    /// An array would be stored again at each read of the view that contains it. The outermost such
    /// view is stored instead, if that is possible.
    StoredInView,
    /// Every work-item of a further dimension would store or compute the same, or the parts of a
    /// result would be distributed over different numbers of dimensions. Fewer loops are
    /// distributed instead.
    NotDistributed,
    /// Work-items would store an array in an iteration of a loop that is executed in order, and read
    /// what others have stored. One work-item executes the loop instead.
    StoredByWorkItems,
    /// A choice of the schedule does not fit the program.
    Schedule(ScheduleError),
}

impl fmt::Display for LoweringError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LoweringError::Schedule(error) => return error.fmt(f),
            LoweringError::TooLarge => "the program becomes too large",
            LoweringError::IllTyped => {
                "a part of the program has no type that its pattern admits, such as a type variable \
                 in the place of an array: write this type out"
            }
            LoweringError::StoredInView => {
                "an array would be stored again at each read of the array that contains it: store \
                 one of the two before the loop that reads it, with `toMem`"
            }
            LoweringError::StoredByWorkItems => {
                "work-items would read what others store in the same iteration of a loop: store it \
                 before the loop, with `toMem`"
            }
            LoweringError::NotDistributed => {
                "every work-item of the inner loop would store or compute the same: store it before \
                 the outer loop, with `toMem`"
            }
        })
    }
}

impl From<ScheduleError> for LoweringError {
    fn from(error: ScheduleError) -> LoweringError {
        LoweringError::Schedule(error)
    }
}

/// Lowers a program, a function of its parameters. With `contracts`, sums of products are
/// [contracted](contraction), which changes rounding. Records all choices in the schedule, of which
/// those that it gives are made as given.
///
/// # Errors
/// The term becomes too large or too deep, a part has no type that its pattern admits, an array is
/// needed at each read of a view and cannot be stored, or a given choice does not fit the program.
pub(crate) fn lower(
    store: &mut Store,
    program: Term,
    parallelism: Parallelism,
    contracts: bool,
    schedule: &mut Schedule,
) -> Result<Term, LoweringError> {
    schedule.set_numbers(PlaceNumbers::of_program(store, program));
    let lowered = Lowering::new(store, parallelism, contracts, schedule).definition(program)?;
    schedule.check().map_err(|mut error| {
        if let ScheduleError::NoPlace { is_folded, .. } = &mut error {
            let mut parts = store.subterms(program);
            *is_folded = parts.any(|part| matches!(store.node(part), Node::Global(..)));
        }
        error
    })?;
    Ok(lowered)
}

type Lowered = Result<Term, LoweringError>;

/// The access to an expression by its context.
#[derive(Clone, Debug)]
enum Access {
    /// The expression is read.
    Read(Demand),
    /// The expression is written to memory that the context determines.
    Write,
}

/// A region of the program, such as the body of a function, with the variables that are bound at
/// its start.
#[derive(Debug, Default)]
struct Scope {
    locals: Vec<Local>,
    sizes: Vec<nat::Var>,
    repetition: Repetition,
    /// The variable for the elements of an array, and the array, if the region is evaluated for
    /// each element of it.
    element: Option<(Local, Term)>,
    /// The values that are computed at the start of the region.
    hoisted: Vec<Hoisted>,
}

/// A value that is computed outside of a loop that uses it.
#[derive(Clone, Copy, Debug)]
struct Hoisted {
    /// The term before it was lowered.
    term: Term,
    local: Local,
    value: Term,
}

/// The number of evaluations of a region for each one of the enclosing region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Repetition {
    /// Once.
    #[default]
    Once,
    /// Once for each element of an array.
    Loop,
    /// Once for each element of an array, in order, by all threads or work-items, over which the
    /// loops inside may be distributed.
    InOrder,
    /// Once for each read of an element of a view.
    View,
    /// Once for each step of an iteration, whose loops may be distributed over threads.
    Step,
    /// Once, by a single thread or work-item.
    Single,
}

impl Repetition {
    fn repeats(self) -> bool {
        match self {
            Repetition::Loop | Repetition::InOrder | Repetition::View | Repetition::Step => true,
            Repetition::Once | Repetition::Single => false,
        }
    }
}

struct Lowering<'s> {
    store: &'s mut Store,
    parallelism: Parallelism,
    /// True if sums of products are contracted.
    contracts: bool,
    schedule: &'s mut Schedule,
    /// The enclosing regions, outermost first.
    scopes: Vec<Scope>,
    work: Work,
    failures: Failures,
    /// The dimension of work-items over which the loop that computes the result of the expression
    /// is distributed, if the loop is inside another loop over work-items; `None` elsewhere.
    dimension: Option<i64>,
    /// The greatest number of loops over work-items inside another one, while the parts of a result
    /// are lowered; `None` elsewhere.
    inner_dimensions: Option<i64>,
    depth: u32,
}

impl<'s> Lowering<'s> {
    fn new(
        store: &'s mut Store,
        parallelism: Parallelism,
        contracts: bool,
        schedule: &'s mut Schedule,
    ) -> Lowering<'s> {
        Lowering {
            store,
            parallelism,
            contracts,
            schedule,
            scopes: Vec::new(),
            work: Work::default(),
            failures: Failures::default(),
            dimension: None,
            inner_dimensions: None,
            depth: 0,
        }
    }
}

impl Lowering<'_> {
    /// Lowers a definition: its parameters are read, its result is written.
    fn definition(&mut self, term: Term) -> Lowered {
        match self.store.node(term) {
            Node::Lambda(param, body) => {
                let body = self.definition(body)?;
                return Ok(self.store.lambda(param, body));
            }
            Node::DepLambda(var, kind, implicit, body) => {
                let body = self.definition(body)?;
                return Ok(self.store.dep_lambda(var, kind, implicit, body));
            }
            _ => {}
        }
        match &**self.store.type_of(term) {
            Type::Fun(..) => {
                let (param, body) = self.parts_of_function(term, "x");
                let body = self.definition(body)?;
                Ok(self.store.lambda(param, body))
            }
            Type::Pi(pi) => {
                let (kind, implicit) = (pi.kind, pi.implicit);
                let name = self.store.var_name(pi.var);
                let var = self.store.fresh_var(name);
                let arg = rise::types::var_arg(var, kind);
                let arg = self.store.intern_arg(&arg);
                let body = self.store.dep_apply(term, arg);
                let body = self.definition(body)?;
                Ok(self.store.dep_lambda(var, kind, implicit, body))
            }
            _ => self.region(Scope::default(), |this| this.write(term)),
        }
    }

    /// Lowers a region, and binds the values that are hoisted to its start.
    fn region(&mut self, scope: Scope, lower: impl FnOnce(&mut Self) -> Lowered) -> Lowered {
        self.scopes.push(scope);
        let result = lower(self);
        let scope = self.scopes.pop().unwrap_or_default();
        let mut hoisted = scope.hoisted.into_iter().rev();
        hoisted.try_fold(result?, |result, Hoisted { local, value, .. }| {
            self.let_in(value, local, result)
        })
    }

    /// Lowers a term. If that fails, undoes what it changed in the enclosing regions, in `dimension`
    /// and in the schedule.
    fn attempt(&mut self, lower: impl FnOnce(&mut Self) -> Lowered) -> Lowered {
        let hoisted: Vec<usize> = self.scopes.iter().map(|s| s.hoisted.len()).collect();
        let dimension = self.dimension;
        let places = self.schedule.len();
        let result = lower(self);
        if result.is_err() {
            self.dimension = dimension;
            self.schedule.truncate(places);
            for (scope, count) in self.scopes.iter_mut().zip(hoisted) {
                let rejected = scope.hoisted.split_off(count);
                scope
                    .locals
                    .retain(|local| rejected.iter().all(|hoisted| hoisted.local != *local));
            }
        }
        result
    }

    /// Returns the index of the outermost region that is evaluated at each read of a view; `None`
    /// if there is none.
    fn outermost_view(&self) -> Option<usize> {
        let is_view = |scope: &Scope| scope.repetition == Repetition::View;
        self.scopes.iter().position(is_view)
    }

    /// Lowers an expression in a region of its own, whose loops are not distributed over threads or
    /// work-items.
    fn by_one_thread(&mut self, lower: impl FnOnce(&mut Self) -> Lowered) -> Lowered {
        let scope = Scope {
            repetition: Repetition::Single,
            ..Scope::default()
        };
        self.region(scope, lower)
    }

    /// Returns the index of the innermost region on whose variables a term may depend; 0 if there
    /// is none.
    fn level(&self, term: Term) -> usize {
        let of = |scope: &Scope| {
            scope.locals.iter().any(|l| self.store.has_free(term, *l))
                || scope
                    .sizes
                    .iter()
                    .any(|var| self.store.may_mention(term, *var))
        };
        self.scopes.iter().rposition(of).unwrap_or(0)
    }

    /// Returns true if a region between a term and the region on which it depends is repeated.
    fn is_invariant(&self, term: Term) -> bool {
        let inner = self.scopes.iter().skip(self.level(term) + 1);
        inner.into_iter().any(|scope| scope.repetition.repeats())
    }

    /// Returns true if the loops of the innermost region may be distributed over threads or
    /// work-items.
    fn is_outermost(&self) -> bool {
        self.scopes.iter().all(|scope| match scope.repetition {
            Repetition::Once | Repetition::InOrder => true,
            Repetition::Loop | Repetition::View | Repetition::Single => false,
            Repetition::Step => self.parallelism == Parallelism::Threads,
        })
    }

    /// Returns true if the innermost region is executed by the host of a device, so that each loop
    /// that is distributed over work-items becomes a kernel of its own.
    fn is_on_host(&self) -> bool {
        let is_once = |scope: &Scope| scope.repetition == Repetition::Once;
        self.parallelism == Parallelism::WorkItems && self.scopes.iter().all(is_once)
    }

    /// Returns true if a term is moved out of a loop around it: a region between the term and the
    /// region on which it depends is repeated, and the evaluation of the term cannot fail.
    fn is_hoisted(&mut self, term: Term) -> bool {
        self.is_invariant(term) && !self.failures.may_fail(self.store, term)
    }

    /// Lowers a term. If it [is hoisted](Self::is_hoisted), it is lowered in the region on which it
    /// depends, and bound there to a variable, which is returned.
    fn hoist(&mut self, term: Term, lower: impl FnOnce(&mut Self) -> Lowered) -> Lowered {
        if !self.is_hoisted(term) {
            return lower(self);
        }
        let inner = self.scopes.split_off(self.level(term) + 1);
        let dimension = self.dimension.take();
        let lowered = self.bound_here(term, lower);
        self.dimension = dimension;
        self.scopes.extend(inner);
        lowered
    }

    /// Binds a lowered term to a variable at the start of the innermost region, unless an enclosing
    /// region has bound it already. Returns the variable.
    fn bound_here(&mut self, term: Term, lower: impl FnOnce(&mut Self) -> Lowered) -> Lowered {
        let mut known = self.scopes.iter().flat_map(|scope| &scope.hoisted);
        if let Some(hoisted) = known.find(|hoisted| hoisted.term == term) {
            return Ok(self.store.var(hoisted.local));
        }
        let value = lower(self)?;
        let value = self.in_device_memory(value)?;
        let ty = self.store.ty(term);
        let local = self.store.fresh_local("t", ty);
        if let Some(scope) = self.scopes.last_mut() {
            scope.hoisted.push(Hoisted { term, local, value });
            scope.locals.push(local);
        }
        Ok(self.store.var(local))
    }

    fn enter(&mut self) -> Result<(), LoweringError> {
        let is_deep = self.depth > 2 * crate::term::MAX_HEIGHT || self.store.is_too_deep();
        if is_deep || self.store.len() as u64 > 8 * MAX_SIZE {
            return Err(LoweringError::TooLarge);
        }
        self.depth += 1;
        Ok(())
    }

    fn by(&mut self, access: &Access, term: Term) -> Lowered {
        match access {
            Access::Read(demand) => self.read(term, demand),
            Access::Write => self.write(term),
        }
    }

    /// Lowers an expression that is written.
    fn write(&mut self, term: Term) -> Lowered {
        self.enter()?;
        let result = self.written(term);
        self.depth -= 1;
        result
    }

    fn written(&mut self, term: Term) -> Lowered {
        let term = self.head_form(term)?;
        if !contains_array(self.store.type_of(term)) {
            return self.read(term, &Demand::of(Reads::ONCE));
        }
        let (head, args) = self.store.spine(term);
        let Node::Primitive(primitive, types) = self.store.node(head) else {
            return self.copy(term);
        };
        match (primitive.pattern(), &args[..]) {
            (Pattern::Map(MapLoop::Computed), &[f, array])
                if self.rearranges(f)? && self.has_writer(array)? =>
            {
                let array = self.write(array)?;
                Ok(self.store.apply_all(head, [f, array]))
            }
            (Pattern::Map(MapLoop::Computed), &[f, array]) => self.written_map(f, array),
            (Pattern::Generate, &[f])
                if self.computes_arrays(f) || self.work.of(self.store, f) >= Work::LOOP =>
            {
                let indices = self.indices(types)?;
                self.written_map(f, indices)
            }
            (Pattern::Let, &[value, f]) => self.binding(value, f, &Access::Write),
            (Pattern::Concat | Pattern::Pair, _) => {
                self.in_equal_dimensions(|this| this.primitive(head, &args, &Access::Write))
            }
            (Pattern::Reduce(_), _) => self.by_one_thread(|this| this.copy(term)),
            (Pattern::Repeat(RepeatLoop::While), _) => self.bound_copy(term),
            // Of several elements with the same index the last one is the result.
            (Pattern::View(View::Scatter), _) => {
                self.by_one_thread(|this| this.primitive(head, &args, &Access::Write))
            }
            // The copy writes the elements of a view in their order.
            (Pattern::View(_), &[.., array]) if !self.has_writer(array)? => self.copy(term),
            (_, _) if result_access(primitive) == DataAccess::Read => self.copy(term),
            _ => self.primitive(head, &args, &Access::Write),
        }
    }

    /// Lowers an expression that is read.
    fn read(&mut self, term: Term, demand: &Demand) -> Lowered {
        self.enter()?;
        let result = self.readable(term, demand);
        self.depth -= 1;
        result
    }

    fn readable(&mut self, term: Term, demand: &Demand) -> Lowered {
        let term = self.head_form(term)?;
        let (head, args) = self.store.spine(term);
        let Node::Primitive(primitive, _) = self.store.node(head) else {
            return self.call(head, &args);
        };
        let access = Access::Read(demand.clone());
        match (primitive.pattern(), &args[..]) {
            (Pattern::Map(MapLoop::Computed), &[f, array]) => {
                self.readable_map(term, f, array, demand)
            }
            (Pattern::Generate, &[f]) => match self.memory_of(term, f, demand).is_stored {
                true => self.store(term),
                false => self.primitive(head, &args, &access),
            },
            (Pattern::Reduce(ReduceLoop::Undetermined), &[f, initial, array]) => {
                self.hoist(term, |this| this.reduction(f, initial, array))
            }
            (Pattern::Reduce(_), _) => {
                self.hoist(term, |this| this.primitive(head, &args, &access))
            }
            (Pattern::Let, &[value, f]) => self.binding(value, f, &access),
            (Pattern::Memory, _) => self.hoist(term, |this| {
                this.check_stored(term)?;
                this.primitive(head, &args, &access)
            }),
            (Pattern::Element, &[index, array]) => {
                let is_repeated = self.rereads(index, array);
                let reads = if is_repeated {
                    Reads::MANY
                } else {
                    Reads::ONCE
                };
                let index = self.read(index, &Demand::of(Reads::ONCE))?;
                let array = self.read(array, &Demand::of(reads))?;
                Ok(self.store.apply_all(head, [index, array]))
            }
            (Pattern::Zip, &[first, second]) => {
                let first = self.read(first, &demand.half(Half::First))?;
                let second = self.read(second, &demand.half(Half::Second))?;
                Ok(self.store.apply_all(head, [first, second]))
            }
            (Pattern::Repeat(RepeatLoop::InPlace | RepeatLoop::Buffers), _)
                if !contains_array(self.store.type_of(term)) =>
            {
                self.hoist(term, |this| {
                    let written = this.primitive(head, &args, &Access::Write)?;
                    this.in_memory(written)
                })
            }
            _ if result_access(primitive) == DataAccess::Write
                && contains_array(self.store.type_of(term)) =>
            {
                self.store(term)
            }
            _ => self.primitive(head, &args, &access),
        }
    }

    /// Lowers the arguments of a variable, a foreign function, or a definition that are not
    /// functions. Returns the call.
    fn call(&mut self, head: Term, args: &[Term]) -> Lowered {
        let mut call = head;
        for &arg in args {
            let arg = match self.store.is_function(arg) {
                true => arg,
                false => self.read(arg, &Demand::of(Reads::MANY))?,
            };
            call = self.store.apply(call, arg);
        }
        Ok(call)
    }

    /// Lowers the arguments of a primitive by the accesses that its type states, and returns the
    /// application. `access` is the access of its result.
    fn primitive(&mut self, head: Term, args: &[Term], access: &Access) -> Lowered {
        let Node::Primitive(primitive, _) = self.store.node(head) else {
            return self.call(head, args);
        };
        let repetition = match primitive.pattern() {
            Pattern::Iterate | Pattern::Repeat(_) => Repetition::Step,
            pattern if repeats_its_function(pattern) => Repetition::Loop,
            _ => Repetition::Once,
        };
        let user = match repetition {
            Repetition::Once | Repetition::View | Repetition::Single => None,
            Repetition::InOrder | Repetition::Loop | Repetition::Step => args
                .iter()
                .find(|arg| self.store.is_function(**arg))
                .and_then(|f| last_parameter(self.store, *f)),
        };
        let mut accesses = primitive.entry().accesses.iter().copied();
        let mut parts = Parts::of(self);
        let mut result = head;
        for &arg in args {
            let ty = self.store.type_of(arg).clone();
            let arity = value_parameters(&ty);
            let access = match accesses.by_ref().nth(arity) {
                Some(DataAccess::Write) => Access::Write,
                Some(DataAccess::Shared) if result_access(primitive) == DataAccess::Shared => {
                    access.clone()
                }
                _ => Access::Read(match view_factor(self.store, head) {
                    Some(factor) => match access {
                        Access::Read(demand) => Demand::of(demand.reads(self.store).times(factor)),
                        Access::Write => Demand::of(factor),
                    },
                    None => match user {
                        Some((param, body)) => Demand::of_function(Reads::ONCE, param, body),
                        None => Demand::of(Reads::ONCE),
                    },
                }),
            };
            let arg = match (self.store.is_function(arg), &access) {
                (true, _) => self.function(arg, repetition, &access)?,
                (false, Access::Write) => parts.write(self, arg)?,
                (false, Access::Read(_)) => self.by(&access, arg)?,
            };
            result = self.store.apply(result, arg);
        }
        parts.end(self);
        Ok(result)
    }

    /// Lowers the body of a function as a region with this repetition. `access` is the access of
    /// its result.
    fn function(&mut self, f: Term, repetition: Repetition, access: &Access) -> Lowered {
        let mut scope = Scope {
            repetition,
            ..Scope::default()
        };
        let mut binders = Vec::new();
        let mut body = f;
        loop {
            match self.store.node(body) {
                Node::Lambda(param, inside) => {
                    binders.push(Binder::Value(param));
                    scope.locals.push(param);
                    body = inside;
                }
                Node::DepLambda(var, kind, implicit, inside) => {
                    binders.push(Binder::Size(var, kind, implicit));
                    scope.sizes.push(var);
                    body = inside;
                }
                _ if matches!(**self.store.type_of(body), Type::Fun(..)) => {
                    let (param, inside) = self.parts_of_function(body, "x");
                    binders.push(Binder::Value(param));
                    scope.locals.push(param);
                    body = inside;
                }
                _ => break,
            }
        }
        let dimension = self.dimension.take();
        let result = self.region(scope, |this| this.by(access, body));
        self.dimension = dimension;
        let mut result = result?;
        for binder in binders.into_iter().rev() {
            result = match binder {
                Binder::Value(param) => self.store.lambda(param, result),
                Binder::Size(var, kind, implicit) => {
                    self.store.dep_lambda(var, kind, implicit, result)
                }
            };
        }
        Ok(result)
    }
}

/// The parts of a result, such as both arrays of a concatenation. Their loops are distributed over
/// the same dimension.
struct Parts {
    dimension: Option<i64>,
    /// The dimension, if the loops of a part are not distributed over it.
    left: Option<i64>,
}

impl Parts {
    fn of(lowering: &Lowering<'_>) -> Parts {
        Parts {
            dimension: lowering.dimension,
            left: None,
        }
    }

    fn write(&mut self, lowering: &mut Lowering<'_>, part: Term) -> Lowered {
        lowering.dimension = self.dimension;
        let lowered = lowering.write(part)?;
        self.left = self.left.or(lowering.dimension.take());
        Ok(lowered)
    }

    fn end(self, lowering: &mut Lowering<'_>) {
        lowering.dimension = lowering.dimension.or(self.left);
    }
}

/// A parameter of a function.
enum Binder {
    Value(Local),
    Size(nat::Var, Kind, bool),
}

/// Returns the access of the result in the type of a primitive.
fn result_access(primitive: Primitive) -> DataAccess {
    primitive.entry().result_access()
}

/// Returns the number of values that a function takes; 0 for data.
fn value_parameters(ty: &Type) -> usize {
    match ty {
        Type::Fun(_, result) => 1 + value_parameters(result),
        Type::Pi(pi) => value_parameters(&pi.body),
        _ => 0,
    }
}
