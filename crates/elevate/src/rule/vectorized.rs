//! Vectorises functions: turns functions on scalars into functions on vectors.
//!
//! Source: Shine, `vectorizeScalarFun`; ELEVATE, section 5.4.

use std::sync::Arc;

use nat::Nat;
use rise::Primitive;
use rise::types::{Arg, Ty, Type};
use rustc_hash::FxHashMap;
use syntax::ast::ScalarType;

use crate::term::{Local, Node, Store, Term};

/// Returns `f` on vectors of `lanes` lanes. The scalars in its parameters and its result, including
/// those in pairs and arrays, become vectors. Lane `i` of the result is the result of `f` for lane
/// `i` of the arguments.
///
/// # Errors
///
/// The reason why a part of `f` cannot be vectorised.
pub(super) fn vectorized(store: &mut Store, f: Term, lanes: &Nat) -> Result<Term, String> {
    let mut lift = Lift {
        store,
        lanes,
        locals: FxHashMap::default(),
    };
    lift.term(f)
}

/// Returns the type of a vectorised term, in which every scalar and every type variable becomes a
/// vector, also in pairs, functions and arrays.
///
/// # Errors
///
/// The reason why there is no such vector type.
pub(super) fn vectorized_ty(ty: &Ty, lanes: &Nat) -> Result<Ty, String> {
    Ok(match &**ty {
        Type::Scalar(ScalarType::NatType) => {
            return Err("the lanes of a vector cannot have the type `natType`".into());
        }
        Type::Scalar(_) | Type::Var(_) => Arc::new(Type::Vector(lanes.clone(), ty.clone())),
        Type::Pair(a, b) => Arc::new(Type::Pair(
            vectorized_ty(a, lanes)?,
            vectorized_ty(b, lanes)?,
        )),
        Type::Fun(a, b) => Arc::new(Type::Fun(
            vectorized_ty(a, lanes)?,
            vectorized_ty(b, lanes)?,
        )),
        Type::Array(n, element) => Arc::new(Type::Array(n.clone(), vectorized_ty(element, lanes)?)),
        Type::Vector(..) => return Err("its type already contains a vector".into()),
        _ => {
            return Err(
                "its type contains other values than scalars, and pairs and arrays of scalars"
                    .into(),
            );
        }
    })
}

struct Lift<'s> {
    store: &'s mut Store,
    lanes: &'s Nat,
    /// The parameters of the vectorised functions, with the variables that replace them.
    locals: FxHashMap<Local, Local>,
}

impl Lift<'_> {
    /// Vectorises a term. Data that is the same in all lanes is repeated in every lane.
    fn term(&mut self, term: Term) -> Result<Term, String> {
        if !self.varies(term) && !self.store.is_function(term) {
            return self.in_every_lane(term);
        }
        let (head, args) = self.store.spine(term);
        match self.store.node(head) {
            Node::Var(local) if args.is_empty() => match self.locals.get(&local) {
                Some(&vector) => Ok(self.store.var(vector)),
                None => self.lane_by_lane(head, &args),
            },
            Node::Lambda(local, body) => {
                let ty = self.ty(&self.store.ty_of(self.store.local_ty(local)).clone())?;
                let ty = self.store.intern_ty(&ty);
                let name = self.store.local_name(local).clone();
                let vector = self.store.fresh_local(name, ty);
                self.locals.insert(local, vector);
                let body = self.term(body)?;
                let function = self.store.lambda(vector, body);
                self.apply(function, &args)
            }
            Node::Primitive(primitive, types) => {
                let types = self.store.args(types).clone();
                self.primitive(primitive, &types, head, &args)
            }
            _ => self.lane_by_lane(head, &args),
        }
    }

    /// Vectorises an application of a primitive: by the same primitive at vector types if it works
    /// lane by lane or is one of the polymorphic ones listed here, and by [`Self::lane_by_lane`]
    /// otherwise.
    fn primitive(
        &mut self,
        primitive: Primitive,
        types: &[Arg],
        head: Term,
        args: &[Term],
    ) -> Result<Term, String> {
        use Primitive as P;
        match primitive {
            _ if primitive.is_lane_wise() => {}
            P::Fst | P::Snd | P::MakePair | P::MapFst | P::MapSnd | P::Let => {}
            P::Zip | P::Unzip | P::Join | P::Split | P::Transpose => {}
            P::Slide | P::Take | P::Drop | P::Map | P::MapSeq | P::MapSeqUnroll => {}
            P::Reduce | P::ReduceSeq | P::ReduceSeqUnroll => {}
            P::Select if args.first().is_some_and(|c| !self.varies(*c)) => {}
            _ => return self.lane_by_lane(head, args),
        }
        let mut vectors = Vec::with_capacity(types.len());
        for ty in types {
            vectors.push(match ty {
                Arg::Type(ty) => Arg::Type(self.ty(ty)?),
                other => other.clone(),
            });
        }
        let Some(function) = self.store.primitive(primitive, &vectors) else {
            return self.lane_by_lane(head, args);
        };
        match (primitive, args) {
            (P::Select, [condition, values @ ..]) => {
                let function = self.store.apply(function, *condition);
                self.apply(function, values)
            }
            _ => self.apply(function, args),
        }
    }

    /// Vectorises an application by `mapVec` over the one argument that varies between lanes, or
    /// over the next argument if none varies. Fails if the head or several arguments vary.
    fn lane_by_lane(&mut self, head: Term, args: &[Term]) -> Result<Term, String> {
        if self.varies(head) {
            return Err(self.message(head));
        }
        let mut varying = (0..args.len()).filter(|&at| self.varies(args[at]));
        let at = match (varying.next(), varying.next()) {
            (Some(at), None) => at,
            (None, _) => {
                // The function is not applied to an argument that varies.
                let function = self.store.apply_all(head, args.iter().copied());
                return self.map_vec(function);
            }
            _ => return Err(self.message(head)),
        };
        let scalar = self.store.fresh_local("x", self.store.ty(args[at]));
        let var = self.store.var(scalar);
        let with = |i: usize| if i == at { var } else { args[i] };
        let result = self.store.apply_all(head, (0..args.len()).map(with));
        let function = self.store.lambda(scalar, result);
        let function = self.map_vec(function)?;
        self.apply(function, &args[at..=at])
    }

    /// Returns `mapVec(function)`; fails if the function is not one from scalars to scalars.
    fn map_vec(&mut self, function: Term) -> Result<Term, String> {
        let parts = self.store.fun_parts(self.store.ty(function));
        let scalar = |ty: &Ty| {
            matches!(&**ty, Type::Scalar(s) if *s != ScalarType::NatType)
                || matches!(**ty, Type::Var(_))
        };
        let parts = parts.map(|(from, to)| {
            let of = |ty| self.store.ty_of(ty).clone();
            (of(from), of(to))
        });
        let Some((from, to)) = parts.filter(|(from, to)| scalar(from) && scalar(to)) else {
            return Err(self.message(function));
        };
        let args = [Arg::Nat(self.lanes.clone()), Arg::Type(from), Arg::Type(to)];
        let map = self.store.primitive(Primitive::MapVec, &args);
        let map = map.ok_or_else(|| self.message(function))?;
        Ok(self.store.apply(map, function))
    }

    /// Returns the vector whose lanes all have the value of a term. For a pair or an array, this is
    /// a pair or an array of such vectors.
    fn in_every_lane(&mut self, term: Term) -> Result<Term, String> {
        let ty = self.store.type_of(term).clone();
        if let Type::Array(n, element) = &*ty {
            return self.elements_in_every_lane(term, n, element);
        }
        if let Type::Pair(a, b) = &*ty {
            let types = [Arg::Type(a.clone()), Arg::Type(b.clone())];
            let half = |store: &mut Store, primitive| {
                let function = store.primitive(primitive, &types)?;
                Some(store.apply(function, term))
            };
            let first = half(self.store, Primitive::Fst).ok_or_else(|| self.message(term))?;
            let second = half(self.store, Primitive::Snd).ok_or_else(|| self.message(term))?;
            let (first, second) = (self.in_every_lane(first)?, self.in_every_lane(second)?);
            let types = [Arg::Type(self.ty(a)?), Arg::Type(self.ty(b)?)];
            let pair = self.store.primitive(Primitive::MakePair, &types);
            let pair = pair.ok_or_else(|| self.message(term))?;
            return Ok(self.store.apply_all(pair, [first, second]));
        }
        self.ty(&ty)?;
        let args = [Arg::Nat(self.lanes.clone()), Arg::Type(ty)];
        let all = self.store.primitive(Primitive::VectorFromScalar, &args);
        let all = all.ok_or_else(|| self.message(term))?;
        Ok(self.store.apply(all, term))
    }

    /// Returns the array of vectors whose lanes all have the values of this array.
    fn elements_in_every_lane(
        &mut self,
        term: Term,
        n: &Nat,
        element: &Ty,
    ) -> Result<Term, String> {
        let types = [
            Arg::Nat(n.clone()),
            Arg::Type(element.clone()),
            Arg::Type(self.ty(element)?),
        ];
        let id = self.store.intern_ty(element);
        let one = self.store.fresh_local("x", id);
        let var = self.store.var(one);
        let all = self.in_every_lane(var)?;
        let function = self.store.lambda(one, all);
        let map = self.store.primitive(Primitive::Map, &types);
        let map = map.ok_or_else(|| self.message(term))?;
        Ok(self.store.apply_all(map, [function, term]))
    }

    fn apply(&mut self, function: Term, args: &[Term]) -> Result<Term, String> {
        let mut result = function;
        for &arg in args {
            let arg = self.term(arg)?;
            result = self.store.apply(result, arg);
        }
        Ok(result)
    }

    fn ty(&self, ty: &Ty) -> Result<Ty, String> {
        vectorized_ty(ty, self.lanes)
    }

    /// Returns true if the value of the term may differ between lanes, as it depends on a parameter
    /// that is vectorised.
    fn varies(&self, term: Term) -> bool {
        let free = self.store.free(term);
        free.iter().any(|local| self.locals.contains_key(local))
    }

    fn message(&self, term: Term) -> String {
        let text = crate::term::print(self.store, term);
        format!("`{text}` does not work on the lanes of vectors")
    }
}
