//! Decides which values are stored in memory, and which are computed where they are read.

use rise::Primitive;
use rise::pattern::{Parallelism, Pattern};
use rise::types::{Address, Arg, Ty, Type, contains_array, has_tuple_of_arrays};
use syntax::ast::AddressSpace;

use super::demand::{Demand, Reads, Work, is_traversed_once};
use super::schedule::{PlaceId, Question};
use super::{Access, Choice, Lowered, Lowering, LoweringError, Parts, Repetition, Scope};
use crate::term::{Local, Node, Term};

/// The choice between storing an array and computing its elements where they are read.
pub(super) struct MemoryChoice {
    place: PlaceId,
    pub is_stored: bool,
    is_given: bool,
}

impl Lowering<'_> {
    /// Lowers a map that is read. It stays a view if its elements are cheap or read once, and is
    /// stored otherwise.
    pub(super) fn readable_map(
        &mut self,
        term: Term,
        f: Term,
        array: Term,
        demand: &Demand,
    ) -> Lowered {
        let memory = self.memory_of(term, f, demand);
        if memory.is_stored {
            return self.store(term);
        }
        let is_free = self.work.of(self.store, f) == 0;
        // A map that only rearranges stays on its own, so that what is before it can be stored.
        let (param, body, array) = match is_free {
            true => {
                let (param, body) = self.parts_of_function(f, "x");
                (param, body, array)
            }
            false => self.fused(f, array)?,
        };
        let reads = demand.reads(self.store);
        let input = self.read(array, &Demand::of_function(reads, param, body))?;
        let scope = Scope {
            locals: vec![param],
            repetition: Repetition::View,
            element: Some((param, array)),
            ..Scope::default()
        };
        let is_outermost = self.outermost_view().is_none();
        let body =
            self.attempt(|this| this.region(scope, |this| this.read(body, &Demand::of(reads))));
        match body {
            Err(LoweringError::StoredInView) if is_outermost && memory.is_given => {
                Err(self.schedule.impossible(memory.place, Choice::Recomputed))?
            }
            Err(LoweringError::StoredInView) if is_outermost => {
                self.schedule.choose(memory.place, Choice::Stored);
                self.store(term)
            }
            body => {
                let f = self.store.lambda(param, body?);
                self.map(Primitive::Map, None, f, input)
            }
        }
    }

    /// Chooses if the elements of an array, which a function computes, are stored, or computed
    /// where they are read. A function without operations has no cost, so that is no choice.
    pub(super) fn memory_of(&mut self, term: Term, f: Term, demand: &Demand) -> MemoryChoice {
        let name = self.parameter_name(f);
        let (place, given) = self.schedule.visit(Question::Memory, name);
        let work = self.work.of(self.store, f);
        let choice = given.unwrap_or_else(|| {
            let reads = match self.is_invariant(term) {
                true => Reads::MANY,
                false => demand.reads(self.store),
            };
            match reads.repay_storing(work) {
                true => Choice::Stored,
                false => Choice::Recomputed,
            }
        });
        if given.is_some() || work > 0 {
            self.schedule.choose(place, choice);
        }
        MemoryChoice {
            place,
            is_stored: choice == Choice::Stored,
            is_given: given.is_some(),
        }
    }

    /// Returns true if a loop around `idx(index)(array)` reads the same element of the array in
    /// several iterations.
    pub(super) fn rereads(&self, index: Term, array: Term) -> bool {
        let inner = self.scopes.iter().skip(self.level(array) + 1);
        let mut loops = inner.filter(|scope| scope.repetition.repeats());
        loops.any(|scope| !scope.locals.iter().any(|l| self.store.has_free(index, *l)))
    }

    /// Stores an expression in memory, outside of the loops on which it does not depend. Fails if
    /// it would be stored at each read of a view.
    pub(super) fn store(&mut self, term: Term) -> Lowered {
        if let Some(view) = self.outermost_view()
            && (self.level(term) >= view || !self.is_hoisted(term))
        {
            return Err(LoweringError::StoredInView);
        }
        self.hoist(term, |this| {
            this.check_stored(term)?;
            let dimension = this.dimension.take();
            let written = this.write(term);
            this.dimension = dimension;
            let written = written?;
            if let Some(stored) = this.global_memory(written)? {
                return Ok(stored);
            }
            this.in_memory(written)
        })
    }

    /// Checks that work-items do not store parts of an array between the loops that are distributed
    /// over them in one kernel.
    pub(super) fn check_stored(&self, value: Term) -> Result<(), LoweringError> {
        let in_kernel = self.parallelism == Parallelism::WorkItems && !self.is_on_host();
        match in_kernel && self.is_outermost() && contains_array(self.store.type_of(value)) {
            true => Err(LoweringError::StoredByWorkItems),
            false => Ok(()),
        }
    }

    /// Returns a value that is computed outside of kernels in global memory, unless it is stored
    /// already; other values unchanged.
    pub(super) fn in_device_memory(&mut self, value: Term) -> Lowered {
        let (head, _) = self.store.spine(value);
        let is_stored = matches!(self.store.node(head), Node::Primitive(Primitive::ToMem, _));
        match is_stored {
            true => Ok(value),
            false => Ok(self.global_memory(value)?.unwrap_or(value)),
        }
    }

    /// Returns a value in global memory if it is computed outside of kernels; `None` if it is not,
    /// or the target has no kernels.
    pub(super) fn global_memory(&mut self, value: Term) -> Result<Option<Term>, LoweringError> {
        if !self.is_on_host() {
            return Ok(None);
        }
        let ty = self.type_arg(value);
        let global = Arg::Address(Address::Space(AddressSpace::Global));
        let memory = self.primitive_term(Primitive::ToMem, &[ty, global])?;
        Ok(Some(self.store.apply(memory, value)))
    }

    /// Lowers the binding of a value to the parameter of a function.
    pub(super) fn binding(&mut self, value: Term, f: Term, access: &Access) -> Lowered {
        let (param, body) = self.parts_of_function(f, "x");
        let value = self.head_form(value)?;
        let is_array = contains_array(self.store.type_of(value));
        let body = match is_array {
            true => self.array_form(body)?,
            false => body,
        };
        if self.is_substituted(value, param, body) {
            let body = self.substitute(body, param, value);
            return self.by(access, body);
        }
        if let Some(components) = self.components(value) {
            let body = self.bound_components(components, param, body)?;
            return self.by(access, body);
        }
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

    /// Returns a term with the components of a pair that is made of two values bound on their own, in
    /// place of a binding of the pair.
    pub(super) fn bound_components(
        &mut self,
        components: [Term; 2],
        param: Local,
        body: Term,
    ) -> Lowered {
        let types = components.map(|value| self.type_arg(value));
        let locals = components.map(|value| {
            let ty = self.store.ty(value);
            self.store.fresh_local("x", ty)
        });
        let variables = locals.map(|local| self.store.var(local));
        let make = self.primitive_term(Primitive::MakePair, &types)?;
        let pair = self.store.apply_all(make, variables);
        let body = self.substitute(body, param, pair);
        let mut bindings = components.into_iter().zip(locals).rev();
        bindings.try_fold(body, |body, (value, local)| match self.store.node(value) {
            Node::Var(_) => Ok(self.store.substitute(body, local, value)),
            _ => self.let_in(value, local, body),
        })
    }

    /// Lowers the value of a binding such that it is stored in memory.
    pub(super) fn stored(&mut self, value: Term) -> Lowered {
        let (head, _) = self.store.spine(value);
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

    /// Returns true if the value of a binding takes the place of the variable, for example because
    /// it is a function, costs no operations, is read once, or cannot be stored. A value that is in
    /// memory is always bound.
    pub(super) fn is_substituted(&mut self, value: Term, param: Local, body: Term) -> bool {
        if self.store.is_function(value) {
            return true;
        }
        let (head, _) = self.store.spine(value);
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
        let is_array = contains_array(self.store.type_of(value));
        work == 0
            || reads <= Reads::ONCE
            || is_array && is_traversed_once(self.store, body, param)
            || is_array && !reads.repay_storing(work)
            || is_cheap && self.is_on_host()
            || has_tuple_of_arrays(self.store.type_of(value))
    }

    /// Lowers an expression that is written by copying it: an array by a loop over its elements, a
    /// pair by its components. Other data is only read.
    pub(super) fn copy(&mut self, term: Term) -> Lowered {
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
            Type::Pair(a, b) => self.in_equal_dimensions(|this| this.copy_halves(term, a, b)),
            _ => self.read(term, &Demand::of(Reads::ONCE)),
        }
    }

    /// Copies a value that is computed once for all of its parts.
    pub(super) fn bound_copy(&mut self, term: Term) -> Lowered {
        let value = self.read(term, &Demand::of(Reads::ONCE))?;
        let ty = self.store.ty(term);
        let param = self.store.fresh_local("last", ty);
        let scope = Scope {
            locals: vec![param],
            ..Scope::default()
        };
        let result = self.store.var(param);
        let copy = self.region(scope, |this| this.copy(result))?;
        self.let_in(value, param, copy)
    }

    /// Writes both components of a pair, which have the types `a` and `b`.
    fn copy_halves(&mut self, term: Term, a: &Ty, b: &Ty) -> Lowered {
        let types = [Arg::Type(a.clone()), Arg::Type(b.clone())];
        let mut parts = Parts::of(self);
        let mut halves = Vec::new();
        for primitive in [Primitive::Fst, Primitive::Snd] {
            let half = self.primitive_term(primitive, &types)?;
            let half = self.store.apply(half, term);
            halves.push(parts.write(self, half)?);
        }
        parts.end(self);
        let pair = self.primitive_term(Primitive::MakePair, &types)?;
        Ok(self.store.apply_all(pair, halves))
    }
}
