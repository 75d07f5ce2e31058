//! Total lowering: chooses an implementation for every pattern of a program.
//!
//! One traversal, directed by access as the translation of DPIA is (*RISE & Shine*, section 5): each
//! expression is *read* or *written*. A `map` that is written becomes a loop. One that is read stays
//! as it is, and its elements are computed where they are read, unless that would repeat more work
//! than storing them costs ([`demand`]). An array that is written, and that no loop computes, is
//! copied by a loop. An expression that is stored, and does not depend on a loop around it, is moved
//! out of the loop (loop-invariant code motion).
//!
//! Patterns that determine how they are computed stay as they are. The conditions that only a
//! target can check, such as those on address spaces, are left to it.

mod demand;
mod loop_order;
mod strides;

use std::sync::Arc;

use nat::Nat;
use rise::Primitive;
use rise::pattern::{MapLoop, Pattern, ReduceLoop};
use rise::types::{Address, Arg, DataFun, Ty, Type};
use rustc_hash::FxHashMap;
use syntax::ast::{AddressSpace, Half, Kind};

use crate::term::{ArgsId, Local, MAX_SIZE, Node, Store, Term};
use strides::{Index, Meaning, Step};

use demand::{
    Demand, Reads, Work, contains_array, is_traversed_once, last_parameter, repeats_its_function,
    spine, view_factor,
};

/// The parallelism that a lowered program uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parallelism {
    /// All loops are sequential.
    None,
    /// The outermost loops are distributed over threads.
    Threads,
    /// The outermost loops are distributed over work-items.
    WorkItems,
}

/// The reason why a program cannot be lowered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoweringError {
    /// The term becomes too large or too deep.
    TooLarge,
    /// A part of the term has no type that its pattern admits.
    IllTyped,
    /// An array would be stored again at each read of the view that contains it. The view itself is
    /// stored instead.
    StoredInView,
}

/// Lowers a program, a function of its parameters.
///
/// # Errors
/// The term becomes too large or too deep.
pub(crate) fn lower(
    store: &mut Store,
    program: Term,
    parallelism: Parallelism,
) -> Result<Term, LoweringError> {
    let mut lowering = Lowering {
        store,
        parallelism,
        scopes: Vec::new(),
        work: Work::default(),
        view: None,
        meanings: Vec::new(),
        dimension: None,
        depth: 0,
    };
    lowering.definition(program)
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

/// A region of the program with the variables that are bound at its start.
#[derive(Debug, Default)]
struct Scope {
    locals: Vec<Local>,
    sizes: Vec<nat::Var>,
    repetition: Repetition,
    /// The values that are computed at the start of the region.
    hoisted: Vec<(Local, Term)>,
}

/// The number of evaluations of a region for each one of the enclosing region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Repetition {
    /// Once.
    #[default]
    Once,
    /// Once for each element of an array.
    Loop,
    /// Once for each step of an iteration, whose loops may be distributed over threads.
    Step,
    /// Once, by a single thread or work-item.
    Single,
}

impl Repetition {
    fn repeats(self) -> bool {
        match self {
            Repetition::Loop | Repetition::Step => true,
            Repetition::Once | Repetition::Single => false,
        }
    }
}

struct Lowering<'s> {
    store: &'s mut Store,
    parallelism: Parallelism,
    /// The enclosing regions, outermost first.
    scopes: Vec<Scope>,
    work: Work,
    /// The index of the outermost region that is evaluated at each read of a view; `None` outside of
    /// views.
    view: Option<usize>,
    /// The arrays of whose elements the parameters of the enclosing loops are.
    meanings: Vec<(Local, Meaning)>,
    /// The dimension of work-items for the loop that computes the result of the expression, inside
    /// a loop over work-items.
    dimension: Option<i64>,
    depth: u32,
}

impl Lowering<'_> {
    // ----- regions -----

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

    /// Lowers a region, and binds the values that are computed at its start.
    fn region(&mut self, scope: Scope, lower: impl FnOnce(&mut Self) -> Lowered) -> Lowered {
        self.scopes.push(scope);
        let result = lower(self);
        let scope = self.scopes.pop().unwrap_or_default();
        let hoisted = scope.hoisted.into_iter().rev();
        let mut result = result?;
        for (local, value) in hoisted {
            result = self.let_in(value, local, result)?;
        }
        Ok(result)
    }

    /// Lowers an expression whose loops no other threads or work-items share.
    fn by_one_thread(&mut self, lower: impl FnOnce(&mut Self) -> Lowered) -> Lowered {
        let scope = Scope {
            repetition: Repetition::Single,
            ..Scope::default()
        };
        self.region(scope, lower)
    }

    /// Returns the index of the innermost region on whose variables a term depends.
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

    /// Returns true if a loop is between a term and the region on which it depends.
    fn is_invariant(&self, term: Term) -> bool {
        let inner = self.scopes.iter().skip(self.level(term) + 1);
        inner.into_iter().any(|scope| scope.repetition.repeats())
    }

    /// Returns true if the loops of the region may be distributed.
    fn is_outermost(&self) -> bool {
        self.scopes.iter().all(|scope| match scope.repetition {
            Repetition::Once => true,
            Repetition::Loop | Repetition::Single => false,
            Repetition::Step => self.parallelism == Parallelism::Threads,
        })
    }

    /// Lowers a term in the region on which it depends, and binds the result there if there is a
    /// loop between that region and the term.
    fn hoist(&mut self, term: Term, lower: impl FnOnce(&mut Self) -> Lowered) -> Lowered {
        if !self.is_invariant(term) {
            return lower(self);
        }
        let inner = self.scopes.split_off(self.level(term) + 1);
        let dimension = self.dimension.take();
        let lowered = lower(self).and_then(|value| self.in_device_memory(value));
        self.dimension = dimension;
        let ty = self.store.ty(term);
        let local = self.store.fresh_local("t", ty);
        if let (Ok(value), Some(scope)) = (lowered, self.scopes.last_mut()) {
            scope.hoisted.push((local, value));
            scope.locals.push(local);
        }
        self.scopes.extend(inner);
        lowered.map(|_| self.store.var(local))
    }

    // ----- expressions -----

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
        let (head, args) = spine(self.store, term);
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
            (Pattern::Generate, &[f]) if self.computes_arrays(f) => {
                let indices = self.indices(types)?;
                self.written_map(f, indices)
            }
            (Pattern::Let, &[value, f]) => self.binding(value, f, &Access::Write),
            (Pattern::Reduce(_), _) => self.by_one_thread(|this| this.copy(term)),
            // The copy writes the elements of a view in their order.
            (Pattern::View(_), &[.., array]) if !self.has_writer(array)? => self.copy(term),
            (_, _) if result_access(primitive) == 'R' => self.copy(term),
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
        let (head, args) = spine(self.store, term);
        let Node::Primitive(primitive, _) = self.store.node(head) else {
            return self.call(head, &args);
        };
        let access = Access::Read(demand.clone());
        match (primitive.pattern(), &args[..]) {
            (Pattern::Map(MapLoop::Computed), &[f, array]) => {
                self.readable_map(term, f, array, demand)
            }
            (Pattern::Generate, &[f]) if self.should_store(term, f, demand) => self.store(term),
            (Pattern::Reduce(ReduceLoop::Undetermined), &[f, initial, array]) => {
                self.hoist(term, |this| this.reduction(f, initial, array))
            }
            (Pattern::Reduce(_), _) => {
                self.hoist(term, |this| this.primitive(head, &args, &access))
            }
            (Pattern::Let, &[value, f]) => self.binding(value, f, &access),
            (Pattern::Memory, _) => self.hoist(term, |this| this.primitive(head, &args, &access)),
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
            _ if result_access(primitive) == 'W' && contains_array(self.store.type_of(term)) => {
                self.store(term)
            }
            _ => {
                let access = match view_factor(self.store, head) {
                    Some(factor) => {
                        Access::Read(Demand::of(demand.reads(self.store).times(factor)))
                    }
                    None => access,
                };
                self.primitive(head, &args, &access)
            }
        }
    }

    /// Lowers the arguments of a variable, a foreign function, or a definition.
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

    /// Lowers the arguments of a primitive by its accesses. `access` is that of its result.
    fn primitive(&mut self, head: Term, args: &[Term], access: &Access) -> Lowered {
        let Node::Primitive(primitive, _) = self.store.node(head) else {
            return self.call(head, args);
        };
        let repetition = match primitive.pattern() {
            Pattern::Iterate => Repetition::Step,
            pattern if repeats_its_function(pattern) => Repetition::Loop,
            _ => Repetition::Once,
        };
        let user = match repetition {
            Repetition::Once | Repetition::Single => None,
            Repetition::Loop | Repetition::Step => args
                .iter()
                .find(|arg| self.store.is_function(**arg))
                .and_then(|f| last_parameter(self.store, *f)),
        };
        let mut letters = primitive.entry().accesses().chars();
        let mut result = head;
        for &arg in args {
            let ty = self.store.type_of(arg).clone();
            let arity = value_parameters(&ty);
            let letter = letters.by_ref().nth(arity).unwrap_or('R');
            let access = match letter {
                'W' => Access::Write,
                'a' if result_access(primitive) == 'a' => access.clone(),
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
            let arg = match self.store.is_function(arg) {
                true => self.function(arg, repetition, &access)?,
                false => self.by(&access, arg)?,
            };
            result = self.store.apply(result, arg);
        }
        Ok(result)
    }

    /// Lowers a function. `access` is that of its result.
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
        let mut result = self.region(scope, |this| this.by(access, body))?;
        self.dimension = dimension;
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

    // ----- patterns -----

    /// Lowers a map that is written, as a loop.
    fn written_map(&mut self, f: Term, array: Term) -> Lowered {
        let (param, body, array) = self.fused(f, array)?;
        self.loop_over(param, body, array)
    }

    /// Writes what a body computes from each element of an array, by a loop.
    fn loop_over(&mut self, param: Local, body: Term, array: Term) -> Lowered {
        let is_outermost = self.is_outermost();
        let by_rows = match self.parallelism {
            Parallelism::None => true,
            Parallelism::Threads => !is_outermost,
            // A work-item has no memory for a row.
            Parallelism::WorkItems => false,
        };
        if by_rows && let Some(program) = self.accumulated_rows(param, body, array)? {
            return self.write(program);
        }
        let inner_dimension = self.dimension.take();
        let has_items = self.parallelism == Parallelism::WorkItems;
        let is_nest = is_outermost && has_items && self.is_written_by_loop(body)?;
        let input = self.read(array, &Demand::of_function(Reads::ONCE, param, body))?;
        self.dimension = is_nest.then_some(0);
        let mut lowered = self.iteration(&[], (param, array), |this| this.write(body))?;
        self.dimension = None;
        // Every work-item of the inner dimension would write what the outer loop stores.
        let is_nest = is_nest && !self.stores_outside_of_inner_loop(lowered);
        if has_items && is_outermost && !is_nest {
            lowered = self.iteration(&[], (param, array), |this| this.write(body))?;
        }
        let f = self.store.lambda(param, lowered);
        let (primitive, dimension) = match (self.parallelism, is_outermost, inner_dimension) {
            (Parallelism::Threads, true, _) => (Primitive::MapPar, None),
            (Parallelism::WorkItems, true, _) => (Primitive::MapGlobal, Some(i64::from(is_nest))),
            (Parallelism::WorkItems, false, Some(inner)) => (Primitive::MapGlobal, Some(inner)),
            _ => (Primitive::MapSeq, None),
        };
        self.map(primitive, dimension, f, input)
    }

    /// Returns true if an expression stores something outside of the functions of loops over
    /// work-items.
    fn stores_outside_of_inner_loop(&self, term: Term) -> bool {
        let (head, args) = spine(self.store, term);
        match self.store.node(head) {
            Node::Primitive(Primitive::ToMem, _) => return true,
            Node::Primitive(Primitive::MapGlobal, _) => {
                return args[1..]
                    .iter()
                    .any(|arg| self.stores_outside_of_inner_loop(*arg));
            }
            Node::Lambda(_, body) if self.stores_outside_of_inner_loop(body) => return true,
            _ => {}
        }
        args.iter()
            .any(|arg| self.stores_outside_of_inner_loop(*arg))
    }

    /// Lowers the body of a loop over an array, whose elements its last parameter is.
    fn iteration(
        &mut self,
        others: &[Local],
        (param, array): (Local, Term),
        lower: impl FnOnce(&mut Self) -> Lowered,
    ) -> Lowered {
        let scope = Scope {
            locals: others.iter().copied().chain([param]).collect(),
            repetition: Repetition::Loop,
            ..Scope::default()
        };
        let element = Meaning::Part(array, vec![Step::Element(Index::CONSTANT)]);
        self.meanings.push((param, element));
        let body = self.region(scope, lower);
        self.meanings.pop();
        body
    }

    /// Returns true if the result of a function is its argument with the elements in another order,
    /// so that it can be written through the function. The identity does not: a map of it is a copy.
    fn rearranges(&mut self, f: Term) -> Result<bool, LoweringError> {
        let (param, body) = self.parts_of_function(f, "x");
        let mut here = self.head_form(body)?;
        if self.store.node(here) == Node::Var(param) {
            return Ok(false);
        }
        loop {
            let (head, args) = spine(self.store, here);
            let Node::Primitive(primitive, _) = self.store.node(head) else {
                return Ok(self.store.node(here) == Node::Var(param));
            };
            here = match (primitive.pattern(), &args[..]) {
                (Pattern::View(_), &[.., array]) if result_access(primitive) == 'a' => array,
                (Pattern::Map(MapLoop::Computed), &[f, array]) if self.rearranges(f)? => array,
                _ => return Ok(false),
            };
            here = self.head_form(here)?;
        }
    }

    /// Returns true if a pattern other than a copy writes the elements of an array, perhaps
    /// rearranged.
    fn has_writer(&mut self, array: Term) -> Result<bool, LoweringError> {
        let array = self.head_form(array)?;
        let (head, args) = spine(self.store, array);
        let Node::Primitive(primitive, _) = self.store.node(head) else {
            return Ok(false);
        };
        match (primitive.pattern(), &args[..]) {
            (Pattern::Generate, _) => Ok(true),
            (Pattern::View(_), &[.., array]) if result_access(primitive) == 'a' => {
                self.has_writer(array)
            }
            (Pattern::Map(MapLoop::Computed), &[f, array]) if self.rearranges(f)? => {
                self.has_writer(array)
            }
            _ => Ok(result_access(primitive) != 'R'),
        }
    }

    /// Returns true if a loop writes the result of a body, perhaps rearranged.
    fn is_written_by_loop(&mut self, body: Term) -> Result<bool, LoweringError> {
        let body = self.head_form(body)?;
        let is_array = matches!(**self.store.type_of(body), Type::Array(..));
        let (head, args) = spine(self.store, body);
        let Node::Primitive(primitive, _) = self.store.node(head) else {
            return Ok(is_array);
        };
        Ok(match (primitive.pattern(), args.last()) {
            (Pattern::Map(MapLoop::Computed) | Pattern::Generate, _) => true,
            (Pattern::View(_), Some(&array)) if result_access(primitive) == 'a' => {
                self.is_written_by_loop(array)?
            }
            (Pattern::Reduce(_), _) => false,
            _ => is_array && result_access(primitive) == 'R',
        })
    }

    /// Lowers a map that is read: a view if its elements are cheap or read once.
    fn readable_map(&mut self, term: Term, f: Term, array: Term, demand: &Demand) -> Lowered {
        if self.should_store(term, f, demand) {
            return self.store(term);
        }
        // A map that only rearranges stays on its own, so that what is before it can be stored.
        let (param, body, array) = match self.work.of(self.store, f) {
            0 => {
                let (param, body) = self.parts_of_function(f, "x");
                (param, body, array)
            }
            _ => self.fused(f, array)?,
        };
        let reads = demand.reads(self.store);
        let input = self.read(array, &Demand::of_function(reads, param, body))?;
        let element = (param, array);
        let outermost = self.view;
        self.view = outermost.or(Some(self.scopes.len()));
        let body = self.iteration(&[], element, |this| this.read(body, &Demand::of(reads)));
        self.view = outermost;
        match body {
            Err(LoweringError::StoredInView) if outermost.is_none() => self.store(term),
            body => {
                let f = self.store.lambda(param, body?);
                self.map(Primitive::Map, None, f, input)
            }
        }
    }

    /// Returns true if the elements of an array, which a function computes, are stored rather than
    /// computed where they are read.
    fn should_store(&mut self, term: Term, f: Term, demand: &Demand) -> bool {
        let work = self.work.of(self.store, f);
        let reads = match self.is_invariant(term) {
            true => Reads::MANY,
            false => demand.reads(self.store),
        };
        reads.repay_storing(work)
    }

    /// Returns true if a loop around reads the same element of an array repeatedly.
    fn rereads(&self, index: Term, array: Term) -> bool {
        let inner = self.scopes.iter().skip(self.level(array) + 1);
        let mut loops = inner.filter(|scope| scope.repetition.repeats());
        loops.any(|scope| !scope.locals.iter().any(|l| self.store.has_free(index, *l)))
    }

    /// Stores an expression in memory.
    fn store(&mut self, term: Term) -> Lowered {
        if self.view.is_some_and(|view| self.level(term) >= view) {
            return Err(LoweringError::StoredInView);
        }
        self.hoist(term, |this| {
            let dimension = this.dimension.take();
            let view = this.view.take();
            let written = this.write(term);
            this.view = view;
            let written = written?;
            this.dimension = dimension;
            if let Some(stored) = this.global_memory(written)? {
                return Ok(stored);
            }
            let ty = Arg::Type(this.store.type_of(written).clone());
            let memory = this.primitive_term(Primitive::ToMem, &[ty])?;
            Ok(this.store.apply(memory, written))
        })
    }

    /// Returns a value that kernels use in the memory of the device.
    fn in_device_memory(&mut self, value: Term) -> Lowered {
        let (head, _) = spine(self.store, value);
        let is_stored = matches!(self.store.node(head), Node::Primitive(Primitive::ToMem, _));
        match is_stored {
            true => Ok(value),
            false => Ok(self.global_memory(value)?.unwrap_or(value)),
        }
    }

    /// Returns a value in the memory of the device if it is computed outside of kernels.
    fn global_memory(&mut self, value: Term) -> Result<Option<Term>, LoweringError> {
        if self.parallelism != Parallelism::WorkItems || !self.is_outermost() {
            return Ok(None);
        }
        let ty = Arg::Type(self.store.type_of(value).clone());
        let global = Arg::Address(Address::Space(AddressSpace::Global));
        let memory = self.primitive_term(Primitive::ToMem, &[ty, global])?;
        Ok(Some(self.store.apply(memory, value)))
    }

    /// Lowers a reduction whose implementation is open. A map before it becomes part of it.
    fn reduction(&mut self, f: Term, initial: Term, array: Term) -> Lowered {
        let (accumulator, combine) = self.parts_of_function(f, "acc");
        let (element, combined) = self.parts_of_function(combine, "x");
        let basic = !contains_array(self.store.type_of(initial));
        let combine = self.store.lambda(element, combined);
        let (element, combined, array) = self.fused(combine, array)?;
        let initial = match basic {
            true => self.read(initial, &Demand::of(Reads::ONCE))?,
            false => self.by_one_thread(|this| this.write(initial))?,
        };
        let demand = Demand::of_function(Reads::ONCE, element, combined);
        let input = self.read(array, &demand)?;
        let body = self.iteration(&[accumulator], (element, array), |this| {
            this.write(combined)
        })?;
        let f = self.store.lambda(element, body);
        let f = self.store.lambda(accumulator, f);
        let (length, operand) = self.parts_of_array(input)?;
        let result = Arg::Type(self.store.type_of(initial).clone());
        let primitive = match basic && self.is_short(input) {
            true => Primitive::ReduceSeqUnroll,
            false => Primitive::ReduceSeq,
        };
        let reduce = self.primitive_term(primitive, &[length, operand, result])?;
        Ok(self.store.apply_all(reduce, [f, initial, input]))
    }

    /// Lowers the binding of a value to the parameter of a function.
    fn binding(&mut self, value: Term, f: Term, access: &Access) -> Lowered {
        let (param, body) = self.parts_of_function(f, "x");
        let value = self.head_form(value)?;
        if self.is_substituted(value, param, body) {
            let body = self.substitute(body, param, value);
            return self.by(access, body);
        }
        if let Some(components) = self.components(value) {
            return self.binding_of_pair(components, param, body, access);
        }
        let is_array = contains_array(self.store.type_of(value));
        let lowered = match is_array {
            true => self.stored(value)?,
            false => {
                let value = self.read(value, &Demand::of(Reads::ONCE))?;
                self.in_device_memory(value)?
            }
        };
        let scope = Scope {
            locals: vec![param],
            ..Scope::default()
        };
        let body = self.region(scope, |this| this.by(access, body))?;
        self.let_in(lowered, param, body)
    }

    /// Lowers the binding of a pair of two values, each of which is bound on its own.
    fn binding_of_pair(
        &mut self,
        components: [Term; 2],
        param: Local,
        body: Term,
        access: &Access,
    ) -> Lowered {
        let types = components.map(|value| Arg::Type(self.store.type_of(value).clone()));
        let locals = components.map(|value| {
            let ty = self.store.ty(value);
            self.store.fresh_local("x", ty)
        });
        let variables = locals.map(|local| self.store.var(local));
        let make = self.primitive_term(Primitive::MakePair, &types)?;
        let pair = self.store.apply_all(make, variables);
        let body = self.substitute(body, param, pair);
        let [first, second] = components;
        let inner = self.let_in(second, locals[1], body)?;
        let f = self.store.lambda(locals[0], inner);
        self.binding(first, f, access)
    }

    /// Returns the value of a binding in memory.
    fn stored(&mut self, value: Term) -> Lowered {
        let (head, _) = spine(self.store, value);
        match self.store.node(head) {
            Node::Primitive(primitive, _) if primitive.pattern() == Pattern::Memory => {
                self.read(value, &Demand::of(Reads::MANY))
            }
            Node::Primitive(primitive, _) if matches!(primitive.pattern(), Pattern::Reduce(_)) => {
                self.read(value, &Demand::of(Reads::MANY))
            }
            _ => self.store(value),
        }
    }

    /// Returns true if the value of a binding takes the place of the variable: it is read once, or
    /// costs nothing.
    fn is_substituted(&mut self, value: Term, param: Local, body: Term) -> bool {
        if self.store.is_function(value) {
            return true;
        }
        let (head, _) = spine(self.store, value);
        let in_memory = match self.store.node(head) {
            Node::Primitive(primitive, _) => {
                matches!(primitive.pattern(), Pattern::Memory | Pattern::Kernel)
            }
            _ => false,
        };
        if in_memory {
            return false;
        }
        let work = self.work.of(self.store, value);
        if work > 0 && self.components(value).is_some() {
            return false;
        }
        let reads = Demand::of_function(Reads::ONCE, param, body).reads(self.store);
        // A number that is computed on the host would need a kernel of its own.
        let is_cheap = work < Work::LOOP && !contains_array(self.store.type_of(value));
        let in_kernels = self.parallelism == Parallelism::WorkItems && self.is_outermost();
        let is_array = contains_array(self.store.type_of(value));
        work == 0
            || reads <= Reads::ONCE
            || is_array && is_traversed_once(self.store, body, param)
            || is_array && !reads.repay_storing(work)
            || is_cheap && in_kernels
            || !self.is_storable(value)
    }

    /// Returns true if values of the term's type can be in memory.
    fn is_storable(&self, term: Term) -> bool {
        fn pair_of_arrays(ty: &Type) -> bool {
            match ty {
                Type::Pair(a, b) => contains_array(a) || contains_array(b),
                Type::Array(_, element) => pair_of_arrays(element),
                Type::DepPair(_) => true,
                _ => false,
            }
        }
        !pair_of_arrays(self.store.type_of(term))
    }

    /// Copies an array that is read.
    fn copy(&mut self, term: Term) -> Lowered {
        let ty = self.store.type_of(term).clone();
        match &*ty {
            Type::Array(_, element) => {
                let ty = self.store.intern_ty(element);
                let param = self.store.fresh_local("x", ty);
                let body = self.store.var(param);
                self.loop_over(param, body, term)
            }
            Type::DepArray(length, elements) => {
                let args = [
                    Arg::Nat(length.clone()),
                    Arg::DataFun(elements.clone()),
                    Arg::DataFun(elements.clone()),
                ];
                let primitive =
                    match self.parallelism == Parallelism::Threads && self.is_outermost() {
                        true => Primitive::DepMapPar,
                        false => Primitive::DepMapSeq,
                    };
                let head = self.primitive_term(primitive, &args)?;
                let f = self.identity_of_rows(elements);
                let f = f.ok_or(LoweringError::IllTyped)?;
                let f = self.function(f, Repetition::Loop, &Access::Write)?;
                let array = self.read(term, &Demand::of(Reads::ONCE))?;
                Ok(self.store.apply_all(head, [f, array]))
            }
            Type::Pair(a, b) => {
                let types = [Arg::Type(a.clone()), Arg::Type(b.clone())];
                let mut halves = Vec::new();
                for primitive in [Primitive::Fst, Primitive::Snd] {
                    let half = self.primitive_term(primitive, &types)?;
                    let half = self.store.apply(half, term);
                    halves.push(self.write(half)?);
                }
                let pair = self.primitive_term(Primitive::MakePair, &types)?;
                Ok(self.store.apply_all(pair, halves))
            }
            _ => self.read(term, &Demand::of(Reads::ONCE)),
        }
    }

    // ----- terms -----

    /// Reduces an application of an abstraction at the head of a term. An argument that is worth
    /// sharing is bound by `let`.
    fn head_form(&mut self, term: Term) -> Lowered {
        let mut term = term;
        loop {
            self.check_size(term)?;
            let (head, args) = spine(self.store, term);
            term = match (self.store.node(head), args.split_first()) {
                (Node::Lambda(param, body), Some((&value, rest))) => {
                    let value = match self.store.is_function(value) {
                        true => value,
                        false => self.head_form(value)?,
                    };
                    let copy = self.store.fresh_copy(param);
                    let variable = self.store.var(copy);
                    let body = self.store.substitute(body, param, variable);
                    let body = self.store.apply_all(body, rest.iter().copied());
                    if !self.is_substituted(value, copy, body) {
                        return self.let_in(value, copy, body);
                    }
                    self.substitute(body, copy, value)
                }
                (Node::Primitive(primitive, _), Some((&pair, [])))
                    if let Pattern::Half(half) = primitive.pattern() =>
                {
                    let pair = self.head_form(pair)?;
                    match self.components(pair) {
                        Some(components) => components[half as usize],
                        None => return Ok(self.store.apply(head, pair)),
                    }
                }
                (Node::DepApply(f, arg), _) => {
                    let f = self.head_form(f)?;
                    let Node::DepLambda(var, _, _, body) = self.store.node(f) else {
                        let head = self.store.dep_apply(f, arg);
                        return Ok(self.store.apply_all(head, args));
                    };
                    let arg = self.store.arg(arg).clone();
                    let body = self.store.substitute_vars(body, &[(var, arg)]);
                    self.store.apply_all(body, args)
                }
                _ => return Ok(term),
            };
        }
    }

    /// Substitutes a value for a variable. The components of a pair that is made of two values are
    /// these values.
    fn substitute(&mut self, body: Term, param: Local, value: Term) -> Term {
        let Some(components) = self.components(value) else {
            return self.store.substitute(body, param, value);
        };
        let locals = components.map(|component| {
            let ty = self.store.ty(component);
            self.store.fresh_local("x", ty)
        });
        let variables = locals.map(|local| self.store.var(local));
        let body = self.projected(body, param, variables, &mut FxHashMap::default());
        let [first, second] = components;
        let values = [(locals[0], first), (locals[1], second), (param, value)];
        self.store.substitute_all(body, &values)
    }

    /// Replaces the components of a variable. The recursion is as deep as the term, at most
    /// [`crate::term::MAX_HEIGHT`].
    fn projected(
        &mut self,
        term: Term,
        param: Local,
        components: [Term; 2],
        known: &mut FxHashMap<Term, Term>,
    ) -> Term {
        if !self.store.has_free(term, param) {
            return term;
        }
        if let Some(&new) = known.get(&term) {
            return new;
        }
        let new = match self.store.node(term) {
            Node::Apply(f, x) => match (self.store.node(f), self.store.node(x)) {
                (Node::Primitive(primitive, _), Node::Var(local))
                    if local == param
                        && let Pattern::Half(half) = primitive.pattern() =>
                {
                    components[half as usize]
                }
                _ => {
                    let f = self.projected(f, param, components, known);
                    let x = self.projected(x, param, components, known);
                    self.store.apply(f, x)
                }
            },
            Node::Lambda(local, inside) => {
                let inside = self.projected(inside, param, components, known);
                self.store.lambda(local, inside)
            }
            Node::DepLambda(var, kind, implicit, inside) => {
                let inside = self.projected(inside, param, components, known);
                self.store.dep_lambda(var, kind, implicit, inside)
            }
            Node::DepApply(f, arg) => {
                let f = self.projected(f, param, components, known);
                self.store.dep_apply(f, arg)
            }
            _ => term,
        };
        known.insert(term, new);
        new
    }

    /// Returns the components of a pair that is made of two values.
    fn components(&self, pair: Term) -> Option<[Term; 2]> {
        let (head, args) = spine(self.store, pair);
        match (self.store.node(head), &args[..]) {
            (Node::Primitive(Primitive::MakePair, _), &[first, second]) => Some([first, second]),
            _ => None,
        }
    }

    fn check_size(&self, term: Term) -> Result<(), LoweringError> {
        match u64::from(self.store.size(term)) > MAX_SIZE || self.store.is_too_deep() {
            true => Err(LoweringError::TooLarge),
            false => Ok(()),
        }
    }

    /// Fuses the maps before a function of each element with it. Returns the parameter and the body
    /// of the fused function, and its array.
    fn fused(&mut self, f: Term, array: Term) -> Result<(Local, Term, Term), LoweringError> {
        let (mut param, mut body) = self.parts_of_function(f, "x");
        let mut array = self.head_form(array)?;
        while let Some((g, inner)) = self.element_function(array)? {
            let f = self.store.lambda(param, body);
            (param, body) = self.parts_of_function(g, "x");
            body = self.store.apply(f, body);
            array = self.head_form(inner)?;
        }
        Ok((param, body, array))
    }

    /// Returns the function that computes the elements of an array, and the array of its arguments.
    fn element_function(&mut self, array: Term) -> Result<Option<(Term, Term)>, LoweringError> {
        let (head, args) = spine(self.store, array);
        let Node::Primitive(primitive, types) = self.store.node(head) else {
            return Ok(None);
        };
        Ok(match (primitive.pattern(), &args[..]) {
            (Pattern::Map(MapLoop::Computed), &[f, array]) => Some((f, array)),
            (Pattern::Generate, &[f]) if self.computes_arrays(f) => Some((f, self.indices(types)?)),
            (Pattern::Zip, &[first, second]) => self.function_of_pairs(first, second)?,
            _ => None,
        })
    }

    /// Returns the function that computes the pairs of the elements of two arrays of which at least
    /// one is computed by a map, and the array of its arguments.
    fn function_of_pairs(
        &mut self,
        first: Term,
        second: Term,
    ) -> Result<Option<(Term, Term)>, LoweringError> {
        let mut functions = [None, None];
        let mut arrays = [first, second];
        for (function, array) in functions.iter_mut().zip(&mut arrays) {
            *array = self.head_form(*array)?;
            let (head, args) = spine(self.store, *array);
            if let (Node::Primitive(Primitive::Map, _), &[f, inner]) =
                (self.store.node(head), &args[..])
                && self.work.of(self.store, *array) > 0
            {
                *function = Some(f);
                *array = inner;
            }
        }
        if functions == [None, None] {
            return Ok(None);
        }
        let (_, a) = self.parts_of_array(arrays[0])?;
        let (_, b) = self.parts_of_array(arrays[1])?;
        let (pair, halves) = self.fresh_pair("p", &a, &b)?;
        let mut computed = halves;
        for (function, half) in functions.into_iter().zip(&mut computed) {
            if let Some(f) = function {
                *half = self.store.apply(f, *half);
            }
        }
        let types = computed.map(|half| Arg::Type(self.store.type_of(half).clone()));
        let make = self.primitive_term(Primitive::MakePair, &types)?;
        let body = self.store.apply_all(make, computed);
        let f = self.store.lambda(pair, body);
        Ok(Some((f, self.zipped(arrays[0], arrays[1])?)))
    }

    fn computes_arrays(&self, f: Term) -> bool {
        let parts = self.store.fun_parts(self.store.ty(f));
        parts.is_some_and(|(_, result)| contains_array(self.store.ty_of(result)))
    }

    /// Returns the array of the indices of the array that a `generate` with these type-level
    /// arguments computes.
    fn indices(&mut self, types: ArgsId) -> Lowered {
        let Some(Arg::Nat(length)) = self.store.args(types).first().cloned() else {
            return Err(LoweringError::IllTyped);
        };
        let index = Arc::new(Type::Index(length.clone()));
        let ty = self.store.intern_ty(&index);
        let param = self.store.fresh_local("i", ty);
        let variable = self.store.var(param);
        let identity = self.store.lambda(param, variable);
        let generate =
            self.primitive_term(Primitive::Generate, &[Arg::Nat(length), Arg::Type(index)])?;
        Ok(self.store.apply(generate, identity))
    }

    /// Returns the parameter of a function and its body, after η-expansion if it is no abstraction.
    fn parts_of_function(&mut self, f: Term, name: &str) -> (Local, Term) {
        if let Node::Lambda(param, body) = self.store.node(f) {
            let copy = self.store.fresh_copy(param);
            let variable = self.store.var(copy);
            return (copy, self.store.substitute(body, param, variable));
        }
        let parameter = self.store.fun_parts(self.store.ty(f));
        let parameter = parameter.map_or_else(|| self.store.ty(f), |(parameter, _)| parameter);
        let param = self.store.fresh_local(name, parameter);
        let variable = self.store.var(param);
        (param, self.store.apply(f, variable))
    }

    /// Returns `fun(k => fun(row => row))` for the rows of a dependent array.
    fn identity_of_rows(&mut self, rows: &DataFun) -> Option<Term> {
        let DataFun::Lambda(var, row) = rows else {
            return None;
        };
        let name = self.store.var_name(*var);
        let size = self.store.fresh_var(name);
        let row = rise::subst::subst(row, &|v| (v == *var).then(|| Arg::Nat(Nat::var(size))));
        let ty = self.store.intern_ty(&row);
        let param = self.store.fresh_local("row", ty);
        let variable = self.store.var(param);
        let f = self.store.lambda(param, variable);
        Some(self.store.dep_lambda(size, Kind::Nat, false, f))
    }

    /// Returns `let local = value in body`.
    fn let_in(&mut self, value: Term, local: Local, body: Term) -> Lowered {
        let types = [value, body].map(|term| Arg::Type(self.store.type_of(term).clone()));
        let binding = self.primitive_term(Primitive::Let, &types)?;
        let f = self.store.lambda(local, body);
        Ok(self.store.apply_all(binding, [value, f]))
    }

    /// Returns a map of a function over an array.
    fn map(
        &mut self,
        primitive: Primitive,
        dimension: Option<i64>,
        f: Term,
        array: Term,
    ) -> Lowered {
        let (length, element) = self.parts_of_array(array)?;
        let Some((_, result)) = self.store.fun_parts(self.store.ty(f)) else {
            return Err(LoweringError::IllTyped);
        };
        let result = Arg::Type(self.store.ty_of(result).clone());
        let mut types = vec![length, element, result];
        types.extend(dimension.map(|dimension| Arg::Nat(Nat::constant(dimension))));
        let map = self.primitive_term(primitive, &types)?;
        Ok(self.store.apply_all(map, [f, array]))
    }

    /// Returns the length of an array and the type of its elements.
    fn parts_of_array(&self, array: Term) -> Result<(Arg, Arg), LoweringError> {
        match &**self.store.type_of(array) {
            Type::Array(length, element) => {
                Ok((Arg::Nat(length.clone()), Arg::Type(element.clone())))
            }
            _ => Err(LoweringError::IllTyped),
        }
    }

    /// Returns true if an array has so few elements that a loop over them is unrolled.
    fn is_short(&self, array: Term) -> bool {
        const MAX_UNROLLED: i64 = 16;
        match &**self.store.type_of(array) {
            Type::Array(length, _) => length.as_const().is_some_and(|n| n <= MAX_UNROLLED),
            _ => false,
        }
    }

    /// Returns the type of an array.
    fn array_type(&self, length: &Arg, element: &Arg) -> Result<Ty, LoweringError> {
        match (length, element) {
            (Arg::Nat(length), Arg::Type(element)) => {
                Ok(Arc::new(Type::Array(length.clone(), element.clone())))
            }
            _ => Err(LoweringError::IllTyped),
        }
    }

    /// Returns a variable for pairs of these types, and its components.
    fn fresh_pair(
        &mut self,
        name: &str,
        first: &Arg,
        second: &Arg,
    ) -> Result<(Local, [Term; 2]), LoweringError> {
        let (Arg::Type(a), Arg::Type(b)) = (first, second) else {
            return Err(LoweringError::IllTyped);
        };
        let ty = Arc::new(Type::Pair(a.clone(), b.clone()));
        let ty = self.store.intern_ty(&ty);
        let pair = self.store.fresh_local(name, ty);
        let variable = self.store.var(pair);
        let types = [first.clone(), second.clone()];
        let fst = self.primitive_term(Primitive::Fst, &types)?;
        let snd = self.primitive_term(Primitive::Snd, &types)?;
        let halves = [fst, snd].map(|half| self.store.apply(half, variable));
        Ok((pair, halves))
    }

    /// Returns two arrays as an array of pairs.
    fn zipped(&mut self, first: Term, second: Term) -> Lowered {
        let (length, a) = self.parts_of_array(first)?;
        let (_, b) = self.parts_of_array(second)?;
        let zip = self.primitive_term(Primitive::Zip, &[length, a, b])?;
        Ok(self.store.apply_all(zip, [first, second]))
    }

    /// Returns an array of copies of a value.
    fn repeated(&mut self, value: Term, length: &Arg) -> Lowered {
        let Arg::Nat(size) = length else {
            return Err(LoweringError::IllTyped);
        };
        let index = Arc::new(Type::Index(size.clone()));
        let index = self.store.intern_ty(&index);
        let param = self.store.fresh_local("i", index);
        let f = self.store.lambda(param, value);
        let element = Arg::Type(self.store.type_of(value).clone());
        let generate = self.primitive_term(Primitive::Generate, &[length.clone(), element])?;
        Ok(self.store.apply(generate, f))
    }

    fn primitive_term(&mut self, primitive: Primitive, types: &[Arg]) -> Lowered {
        let term = self.store.primitive(primitive, types);
        term.ok_or(LoweringError::IllTyped)
    }
}

/// A parameter of a function.
enum Binder {
    Value(Local),
    Size(nat::Var, Kind, bool),
}

/// Returns the access of a primitive's result, as `primitives.rise` writes it.
fn result_access(primitive: Primitive) -> char {
    primitive.entry().accesses().chars().last().unwrap_or('R')
}

/// Returns the number of values that a function takes; 0 for data.
fn value_parameters(ty: &Type) -> usize {
    match ty {
        Type::Fun(_, result) => 1 + value_parameters(result),
        Type::Pi(pi) => value_parameters(&pi.body),
        _ => 0,
    }
}
