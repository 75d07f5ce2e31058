//! Reduces applications of abstractions, and fuses consecutive maps into one.

use rise::Primitive;
use rise::pattern::{MapLoop, Pattern, ReduceLoop};
use rise::types::contains_array;
use rustc_hash::FxHashMap;

use super::{Lowered, Lowering, LoweringError};
use crate::term::{Local, MAX_SIZE, Node, Term};

impl Lowering<'_> {
    /// Reduces applications of abstractions and projections of pairs at the head of a term,
    /// repeatedly. An argument that is worth sharing is bound by `let`.
    pub(super) fn head_form(&mut self, term: Term) -> Lowered {
        let mut term = term;
        loop {
            self.check_size(term)?;
            let (head, args) = self.store.spine(term);
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

    /// Reduces the applications of abstractions at the head of a term, and of the arrays that maps,
    /// reductions, zips, views and bindings at its head use, so that it is seen how often it
    /// traverses each array.
    pub(super) fn array_form(&mut self, term: Term) -> Lowered {
        let term = self.head_form(term)?;
        let (head, args) = self.store.spine(term);
        let Node::Primitive(primitive, _) = self.store.node(head) else {
            return Ok(term);
        };
        match (primitive.pattern(), &args[..]) {
            (
                Pattern::Map(MapLoop::Computed)
                | Pattern::Pair
                | Pattern::Reduce(ReduceLoop::Undetermined)
                | Pattern::Zip
                | Pattern::View(_),
                _,
            ) => {
                let mut reduced = head;
                for arg in args {
                    let arg = match self.store.is_function(arg) {
                        true => arg,
                        false => self.array_form(arg)?,
                    };
                    reduced = self.store.apply(reduced, arg);
                }
                Ok(reduced)
            }
            (Pattern::Let, &[value, f]) => {
                let (param, body) = self.parts_of_function(f, "x");
                let value = self.array_form(value)?;
                if let Some(components) = self.components(value) {
                    let term = self.bound_components(components, param, body)?;
                    return self.array_form(term);
                }
                let body = self.array_form(body)?;
                self.let_in(value, param, body)
            }
            _ => Ok(term),
        }
    }

    /// Substitutes a value for a variable. If the value is a pair that is made of two values,
    /// projections of the variable become these values.
    pub(super) fn substitute(&mut self, body: Term, param: Local, value: Term) -> Term {
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

    /// Replaces the projections of the variable `param` by `components`. The recursion is as deep
    /// as the term, at most [`crate::term::MAX_HEIGHT`].
    pub(super) fn projected(
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

    /// Returns the components of a pair that is made of two values; `None` for other terms.
    pub(super) fn components(&self, pair: Term) -> Option<[Term; 2]> {
        let (head, args) = self.store.spine(pair);
        match (self.store.node(head), &args[..]) {
            (Node::Primitive(Primitive::MakePair, _), &[first, second]) => Some([first, second]),
            _ => None,
        }
    }

    /// Fuses the maps that compute an array with a function that is applied to each of its
    /// elements. Returns the parameter and the body of the fused function, and the array of its
    /// arguments.
    pub(super) fn fused(
        &mut self,
        f: Term,
        array: Term,
    ) -> Result<(Local, Term, Term), LoweringError> {
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

    /// Returns the function that computes the elements of an array, and the array of its arguments;
    /// `None` if the array is not computed by a function of each element.
    pub(super) fn element_function(
        &mut self,
        array: Term,
    ) -> Result<Option<(Term, Term)>, LoweringError> {
        let (head, args) = self.store.spine(array);
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

    /// Returns the function that computes the pairs of the elements of two arrays, and the array of
    /// its arguments; `None` if neither array is computed by a map that takes operations.
    pub(super) fn function_of_pairs(
        &mut self,
        first: Term,
        second: Term,
    ) -> Result<Option<(Term, Term)>, LoweringError> {
        let mut functions = [None, None];
        let mut arrays = [first, second];
        for (function, array) in functions.iter_mut().zip(&mut arrays) {
            *array = self.head_form(*array)?;
            if self.work.of(self.store, *array) == 0 {
                continue;
            }
            let (head, args) = self.store.spine(*array);
            let computed = match (self.store.node(head), &args[..]) {
                (Node::Primitive(Primitive::Map, _), &[f, inner]) => Some((f, inner)),
                (Node::Primitive(Primitive::Zip, _), &[first, second]) => {
                    self.function_of_pairs(first, second)?
                }
                _ => None,
            };
            if let Some((f, inner)) = computed {
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
        let types = computed.map(|half| self.type_arg(half));
        let make = self.primitive_term(Primitive::MakePair, &types)?;
        let body = self.store.apply_all(make, computed);
        let f = self.store.lambda(pair, body);
        Ok(Some((f, self.zipped(arrays[0], arrays[1])?)))
    }

    pub(super) fn computes_arrays(&self, f: Term) -> bool {
        let parts = self.store.fun_parts(self.store.ty(f));
        parts.is_some_and(|(_, result)| contains_array(self.store.ty_of(result)))
    }

    pub(super) fn check_size(&self, term: Term) -> Result<(), LoweringError> {
        match u64::from(self.store.size(term)) > MAX_SIZE || self.store.is_too_deep() {
            true => Err(LoweringError::TooLarge),
            false => Ok(()),
        }
    }
}
