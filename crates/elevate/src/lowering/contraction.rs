//! Contracts sums of products: a reduction that adds products of floats to its accumulator adds
//! them by fused multiply-add instead, `fma(a)(b)(acc)` for `acc + a * b`.
//!
//! Contraction (the term of the C standard, `FP_CONTRACT`) rounds each sum of a product once instead
//! of twice. It is the only step of the default schedules that changes rounding.
//!
//! Products are recognised in the operator of a reduction and in the map or `generate` that computes
//! its array. Such a map computes the pairs of factors afterwards, unless the operator can take its
//! arguments. Reductions whose implementation is chosen already are left as they are.
//!
//! Decisions of the lowering do not depend on contraction: a reduction is contracted when its
//! implementation has been decided. [`contract_sums`] contracts the same reductions in a program
//! that is not lowered. Its result defines the values that the lowered program computes, bit for
//! bit.

use rise::Primitive;
use rise::pattern::{MapLoop, Parallelism, Pattern, ReduceLoop};
use rise::types::{Type, contains_array};
use syntax::ast::ScalarType;

use super::demand::{Demand, Reads};
use super::{Lowered, Lowering, LoweringError, Schedule};
use crate::term::{Local, Node, Store, Term};

/// Contracts the sums of products in a program without names of definitions. Contracted reductions
/// become `reduceSeq`, which can have an operator on pairs of factors. Returns the program as it is
/// if there are no sums of products.
///
/// # Errors
/// The term becomes too large or too deep, or a part has no type that its pattern admits.
pub(crate) fn contract_sums(store: &mut Store, program: Term) -> Lowered {
    let mut schedule = Schedule::default();
    let mut contraction = Contraction {
        lowering: Lowering::new(store, Parallelism::Sequential, true, &mut schedule),
        is_changed: false,
    };
    let contracted = contraction.term(program)?;
    Ok(match contraction.is_changed {
        true => contracted,
        false => program,
    })
}

/// The state of [`contract_sums`].
struct Contraction<'s> {
    lowering: Lowering<'s>,
    /// True if a sum of products has been contracted.
    is_changed: bool,
}

impl Contraction<'_> {
    fn term(&mut self, term: Term) -> Lowered {
        self.lowering.enter()?;
        let result = self.contracted(term);
        self.lowering.depth -= 1;
        result
    }

    /// Contracts the sums of products in a term. Applications of abstractions are reduced and
    /// variables are substituted as the lowering does it, so that the maps before a reduction are
    /// found.
    fn contracted(&mut self, term: Term) -> Lowered {
        let term = self.lowering.head_form(term)?;
        match self.lowering.store.node(term) {
            Node::Lambda(param, body) => {
                let body = self.term(body)?;
                return Ok(self.lowering.store.lambda(param, body));
            }
            Node::DepLambda(var, kind, implicit, body) => {
                let body = self.term(body)?;
                return Ok(self.lowering.store.dep_lambda(var, kind, implicit, body));
            }
            _ => {}
        }
        let (head, mut args) = self.lowering.store.spine(term);
        let mut head = head;
        if let Node::Primitive(primitive, _) = self.lowering.store.node(head) {
            match (primitive.pattern(), &mut args[..]) {
                (Pattern::Let, &mut [value, f]) => return self.binding(value, f),
                (Pattern::Reduce(ReduceLoop::Undetermined), [f, initial, array]) => {
                    if let Some(contracted) = self.lowering.contracted_reduction(*f, *array)? {
                        self.is_changed = true;
                        (*f, *array) = contracted;
                        let (length, operand) = self.lowering.parts_of_array(*array)?;
                        let types = [length, operand, self.lowering.type_arg(*initial)];
                        head = self.lowering.primitive_term(Primitive::ReduceSeq, &types)?;
                    }
                }
                _ => {}
            }
        }
        for arg in &mut args {
            *arg = self.term(*arg)?;
        }
        Ok(self.lowering.store.apply_all(head, args))
    }

    fn binding(&mut self, value: Term, f: Term) -> Lowered {
        let (param, body) = self.lowering.parts_of_function(f, "x");
        let value = self.lowering.head_form(value)?;
        let body = match contains_array(self.lowering.store.type_of(value)) {
            true => self.lowering.array_form(body)?,
            false => body,
        };
        if self.lowering.is_substituted(value, param, body) {
            let body = self.lowering.substitute(body, param, value);
            return self.term(body);
        }
        if let Some(components) = self.lowering.components(value) {
            let body = self.lowering.bound_components(components, param, body)?;
            return self.term(body);
        }
        let value = self.term(value)?;
        let body = self.term(body)?;
        self.lowering.let_in(value, param, body)
    }
}

/// A product, with the bindings around it from the outermost to the innermost.
struct Product {
    bindings: Vec<(Local, Term)>,
    factors: [Term; 2],
}

/// The map or `generate` that computes an array: its function, as a parameter and a body, and the
/// array of a map.
struct Elements {
    param: Local,
    body: Term,
    source: Option<Term>,
}

/// The operator of a reduction without the parameter for the accumulator: the parameter for the
/// elements and the body; and the array.
type Operation = (Local, Term, Term);

impl Lowering<'_> {
    /// Returns the operator and the array of a reduction with its sums of products contracted;
    /// `None` if it has none, or if sums of products are not contracted.
    pub(super) fn contracted_reduction(
        &mut self,
        f: Term,
        array: Term,
    ) -> Result<Option<(Term, Term)>, LoweringError> {
        if !self.contracts {
            return Ok(None);
        }
        let (accumulator, combine) = self.parts_of_function(f, "acc");
        let (element, combined) = self.parts_of_function(combine, "x");
        let direct = self.accumulated(accumulator, combined)?;
        let operation = (element, direct.unwrap_or(combined), array);
        let with_elements = self.contracted_elements(accumulator, operation)?;
        let contracted = with_elements.or(direct.map(|_| operation));
        Ok(contracted.map(|(element, combined, array)| {
            let f = self.store.lambda(element, combined);
            (self.store.lambda(accumulator, f), array)
        }))
    }

    /// Contracts the sum of the accumulator and the elements of the array, if these are products;
    /// returns `None` if they are not.
    fn contracted_elements(
        &mut self,
        accumulator: Local,
        (element, combined, array): Operation,
    ) -> Result<Option<Operation>, LoweringError> {
        let type_of = |store: &Store, local| store.ty_of(store.local_ty(local)).clone();
        if !is_contracted_type(&type_of(self.store, element))
            || Demand::of_function(Reads::ONCE, element, combined).reads(self.store) != Reads::ONCE
        {
            return Ok(None);
        }
        let array = self.head_form(array)?;
        let Some(elements) = self.elements(array) else {
            return Ok(None);
        };
        let Elements {
            param,
            body,
            source,
        } = elements;
        let Some(product) = self.product(body)? else {
            return Ok(None);
        };
        let is_closed = |term: Term, store: &Store| store.free(term).iter().all(|l| *l == param);
        // The operator takes the arguments of the map, if it stays independent of its context: the
        // order of loops depends on that.
        if let Some(source) = source
            && is_closed(body, self.store)
            && !contains_array(&type_of(self.store, param))
        {
            let combined = self.store.substitute(combined, element, body);
            let contracted = self.accumulated(accumulator, combined)?;
            return Ok(contracted.map(|combined| (param, combined, source)));
        }
        let Product { bindings, factors } = product;
        let [a, b] = factors;
        let is_square = a == b;
        let (factors, value) = match is_square {
            true => {
                let ty = self.store.ty(a);
                let factor = self.store.fresh_local("x", ty);
                let variable = self.store.var(factor);
                ((factor, [variable; 2]), a)
            }
            false => {
                let types = [a, b].map(|factor| self.type_arg(factor));
                let pair = self.fresh_pair("p", &types[0], &types[1])?;
                let make = self.primitive_term(Primitive::MakePair, &types)?;
                (pair, self.store.apply_all(make, [a, b]))
            }
        };
        let (operand, [a, b]) = factors;
        let ty = self.type_arg(a);
        let multiply = self.primitive_term(Primitive::Mul, &[ty])?;
        let product = self.store.apply_all(multiply, [a, b]);
        let combined = self.store.substitute(combined, element, product);
        let Some(combined) = self.accumulated(accumulator, combined)? else {
            return Ok(None);
        };
        let value = self.bound(bindings, value)?;
        let f = self.store.lambda(param, value);
        let array = match source {
            Some(source) => self.map(Primitive::Map, None, f, source)?,
            None => {
                let (length, _) = self.parts_of_array(array)?;
                let ty = self.type_arg(value);
                let generate = self.primitive_term(Primitive::Generate, &[length, ty])?;
                self.store.apply(generate, f)
            }
        };
        Ok(Some((operand, combined, array)))
    }

    fn elements(&mut self, array: Term) -> Option<Elements> {
        let (head, args) = self.store.spine(array);
        let Node::Primitive(primitive, _) = self.store.node(head) else {
            return None;
        };
        let (f, source) = match (primitive.pattern(), &args[..]) {
            (Pattern::Map(MapLoop::Computed), &[f, source]) => (f, Some(source)),
            (Pattern::Generate, &[f]) => (f, None),
            _ => return None,
        };
        let (param, body) = self.parts_of_function(f, "x");
        Some(Elements {
            param,
            body,
            source,
        })
    }

    /// Contracts the sums of the accumulator and a product in the body of an operator. Returns
    /// `None` if there are none.
    fn accumulated(&mut self, acc: Local, body: Term) -> Result<Option<Term>, LoweringError> {
        let body = self.head_form(body)?;
        let (head, args) = self.store.spine(body);
        let Node::Primitive(primitive, _) = self.store.node(head) else {
            return Ok(None);
        };
        match (primitive, &args[..]) {
            (Primitive::Let, &[value, f]) => {
                let (param, inside) = self.parts_of_function(f, "x");
                let inside = self.accumulated(acc, inside)?;
                inside
                    .map(|inside| self.let_in(value, param, inside))
                    .transpose()
            }
            (Primitive::MakePair, &[..]) | (Primitive::Select, &[_, ..]) => {
                let mut parts = args.clone();
                let mut is_changed = false;
                let first = usize::from(primitive == Primitive::Select);
                for part in &mut parts[first..] {
                    if let Some(new) = self.accumulated(acc, *part)? {
                        *part = new;
                        is_changed = true;
                    }
                }
                Ok(is_changed.then(|| self.store.apply_all(head, parts)))
            }
            (Primitive::Add, &[a, b]) if is_contracted_type(self.store.type_of(body)) => {
                let (sum, other, is_left) = match (self.is_sum(acc, a)?, self.is_sum(acc, b)?) {
                    (true, false) => (a, b, true),
                    (false, true) => (b, a, false),
                    _ => return Ok(None),
                };
                let contracted = self.accumulated(acc, sum)?;
                let product = match self.store.has_free(other, acc) {
                    true => None,
                    false => self.product(other)?,
                };
                let sum = contracted.unwrap_or(sum);
                if let Some(Product { bindings, factors }) = product {
                    let ty = self.type_arg(body);
                    let fma = self.primitive_term(Primitive::Fma, &[ty])?;
                    let [a, b] = factors;
                    let fused = self.store.apply_all(fma, [a, b, sum]);
                    return self.bound(bindings, fused).map(Some);
                }
                let sides = if is_left { [sum, other] } else { [other, sum] };
                Ok(contracted.map(|_| self.store.apply_all(head, sides)))
            }
            _ => Ok(None),
        }
    }

    /// Returns true if a term is the accumulator, a component of it, or the sum of it and other
    /// values.
    fn is_sum(&mut self, acc: Local, term: Term) -> Result<bool, LoweringError> {
        if !self.store.has_free(term, acc) {
            return Ok(false);
        }
        let term = self.head_form(term)?;
        let (head, args) = self.store.spine(term);
        Ok(match (self.store.node(head), &args[..]) {
            (Node::Var(local), []) => local == acc,
            (Node::Primitive(Primitive::Fst | Primitive::Snd, _), &[pair]) => {
                self.is_sum(acc, pair)?
            }
            (Node::Primitive(Primitive::Add, _), &[a, b]) => {
                self.is_sum(acc, a)? != self.is_sum(acc, b)?
            }
            (Node::Primitive(Primitive::Fma, _), &[a, b, sum]) => {
                let is_free = |part| !self.store.has_free(part, acc);
                is_free(a) && is_free(b) && self.is_sum(acc, sum)?
            }
            _ => false,
        })
    }

    /// Returns the factors of a product; `None` for other terms.
    fn product(&mut self, term: Term) -> Result<Option<Product>, LoweringError> {
        let mut term = self.head_form(term)?;
        let mut bindings = Vec::new();
        loop {
            let (head, args) = self.store.spine(term);
            match (self.store.node(head), &args[..]) {
                (Node::Primitive(Primitive::Let, _), &[value, f]) => {
                    let (param, body) = self.parts_of_function(f, "x");
                    bindings.push((param, value));
                    term = self.head_form(body)?;
                }
                (Node::Primitive(Primitive::Mul, _), &[a, b]) => {
                    let factors = [a, b];
                    return Ok(Some(Product { bindings, factors }));
                }
                _ => return Ok(None),
            }
        }
    }

    fn bound(&mut self, bindings: Vec<(Local, Term)>, body: Term) -> Lowered {
        let mut bindings = bindings.into_iter().rev();
        bindings.try_fold(body, |body, (local, value)| self.let_in(value, local, body))
    }
}

/// Returns true for the types whose sums of products are contracted: `f32`, `f64` and vectors of
/// them.
fn is_contracted_type(ty: &Type) -> bool {
    match ty {
        Type::Scalar(scalar) => matches!(scalar, ScalarType::F32 | ScalarType::F64),
        Type::Vector(_, element) => is_contracted_type(element),
        _ => false,
    }
}
