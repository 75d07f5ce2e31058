//! Constructs and takes apart terms for the lowering.

use std::sync::Arc;

use nat::Nat;
use rise::Primitive;
use rise::types::{Arg, DataFun, Ty, Type};
use syntax::ast::Kind;

use super::place_numbers::PlaceName;
use super::{Lowered, Lowering, LoweringError};
use crate::term::{ArgsId, Local, Node, Term};
use rustc_hash::FxHashMap;

impl Lowering<'_> {
    /// Returns the array of the indices of the array that a `generate` with these type-level
    /// arguments computes.
    pub(super) fn indices(&mut self, types: ArgsId) -> Lowered {
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

    /// Returns the name of the place of a function, which is that of its parameter; `x` if it is not
    /// an abstraction.
    pub(super) fn parameter_name(&self, f: Term) -> PlaceName {
        match self.store.node(f) {
            Node::Lambda(param, _) => self.place_name(param),
            _ => PlaceName {
                name: "x".into(),
                parameter: None,
            },
        }
    }

    /// Returns the name of the place of a function with this parameter.
    pub(super) fn place_name(&self, param: Local) -> PlaceName {
        PlaceName {
            name: self.store.local_name(param).clone(),
            parameter: Some(self.store.origin(param)),
        }
    }

    /// Returns a fresh parameter for a function, and its body with this parameter. A function that
    /// is not an abstraction is η-expanded, with `name` as the name of the parameter.
    pub(super) fn parts_of_function(&mut self, f: Term, name: &str) -> (Local, Term) {
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

    /// Returns `depFun(k => fun(row => row))` for the rows of a dependent array; `None` if their
    /// type is a variable.
    pub(super) fn identity_of_rows(&mut self, rows: &DataFun) -> Option<Term> {
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
    pub(super) fn let_in(&mut self, value: Term, local: Local, body: Term) -> Lowered {
        let types = [value, body].map(|term| self.type_arg(term));
        let binding = self.primitive_term(Primitive::Let, &types)?;
        let f = self.store.lambda(local, body);
        Ok(self.store.apply_all(binding, [value, f]))
    }

    /// Returns a value that is stored in memory.
    pub(super) fn in_memory(&mut self, value: Term) -> Lowered {
        let ty = self.type_arg(value);
        let memory = self.primitive_term(Primitive::ToMem, &[ty])?;
        Ok(self.store.apply(memory, value))
    }

    /// Replaces a part of a term, wherever it occurs, by another term of the same type. The recursion
    /// is as deep as the term, at most [`crate::term::MAX_HEIGHT`].
    pub(super) fn replaced(
        &mut self,
        term: Term,
        old: Term,
        new: Term,
        known: &mut FxHashMap<Term, Term>,
    ) -> Term {
        if term == old {
            return new;
        }
        if let Some(&changed) = known.get(&term) {
            return changed;
        }
        let changed = match self.store.node(term) {
            Node::Apply(f, x) => {
                let f = self.replaced(f, old, new, known);
                let x = self.replaced(x, old, new, known);
                self.store.apply(f, x)
            }
            Node::Lambda(local, body) => {
                let body = self.replaced(body, old, new, known);
                self.store.lambda(local, body)
            }
            Node::DepLambda(var, kind, implicit, body) => {
                let body = self.replaced(body, old, new, known);
                self.store.dep_lambda(var, kind, implicit, body)
            }
            Node::DepApply(f, arg) => {
                let f = self.replaced(f, old, new, known);
                self.store.dep_apply(f, arg)
            }
            _ => term,
        };
        known.insert(term, changed);
        changed
    }

    /// Returns an application of the map `primitive` to a function and an array. A `dimension` is
    /// its last type-level argument.
    pub(super) fn map(
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

    /// Returns the type of a term as a type-level argument.
    pub(super) fn type_arg(&self, term: Term) -> Arg {
        Arg::Type(self.store.type_of(term).clone())
    }

    /// Returns the length of an array and the type of its elements.
    pub(super) fn parts_of_array(&self, array: Term) -> Result<(Arg, Arg), LoweringError> {
        match &**self.store.type_of(array) {
            Type::Array(length, element) => {
                Ok((Arg::Nat(length.clone()), Arg::Type(element.clone())))
            }
            _ => Err(LoweringError::IllTyped),
        }
    }

    /// Returns the type of arrays with this length and this type of elements.
    pub(super) fn array_type(&self, length: &Arg, element: &Arg) -> Result<Ty, LoweringError> {
        match (length, element) {
            (Arg::Nat(length), Arg::Type(element)) => {
                Ok(Arc::new(Type::Array(length.clone(), element.clone())))
            }
            _ => Err(LoweringError::IllTyped),
        }
    }

    /// Returns a fresh variable for pairs of these types, and its projections.
    pub(super) fn fresh_pair(
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
    pub(super) fn zipped(&mut self, first: Term, second: Term) -> Lowered {
        let (length, a) = self.parts_of_array(first)?;
        let (_, b) = self.parts_of_array(second)?;
        let zip = self.primitive_term(Primitive::Zip, &[length, a, b])?;
        Ok(self.store.apply_all(zip, [first, second]))
    }

    /// Returns an array of this length whose elements are all the value.
    pub(super) fn repeated(&mut self, value: Term, length: &Arg) -> Lowered {
        let Arg::Nat(size) = length else {
            return Err(LoweringError::IllTyped);
        };
        let index = Arc::new(Type::Index(size.clone()));
        let index = self.store.intern_ty(&index);
        let param = self.store.fresh_local("i", index);
        let f = self.store.lambda(param, value);
        let element = self.type_arg(value);
        let generate = self.primitive_term(Primitive::Generate, &[length.clone(), element])?;
        Ok(self.store.apply(generate, f))
    }

    pub(super) fn primitive_term(&mut self, primitive: Primitive, types: &[Arg]) -> Lowered {
        let term = self.store.primitive(primitive, types);
        term.ok_or(LoweringError::IllTyped)
    }
}
