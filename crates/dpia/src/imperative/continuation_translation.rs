//! The continuation translation, which emits the commands after which an expression can be read.

use nat::Nat;
use rise::core::{Form, Node, Origin};
use rise::pattern::{MapLoop, Pattern, ReduceLoop, RepeatLoop, View};
use rise::{Arg, Type};
use syntax::ast::{Half, Literal, ScalarType};

use super::Translation;
use super::build::{data_of, half, has_array, idx, pair};
use super::error::{Reason, Result, fail};
use crate::phrase::{self, Phrase, exp, fun, prim};
use crate::prim::{PhraseClass, Prim};
use rise::Access;
use std::sync::Arc;

impl Translation {
    /// Emits the commands after which `phrase` can be read, and returns the expression that reads
    /// it: a pure one, or views of arrays of which only single elements need commands.
    pub fn read(&mut self, phrase: &Phrase) -> Result<Phrase> {
        if self.is_pure(phrase) {
            return Ok(phrase.clone());
        }
        let phrase = &self.head(phrase)?;
        match &phrase.form {
            Form::Primitive(which, types, args) => self.read_primitive(*which, types, args, phrase),
            Form::Foreign(function, args) => {
                let args = self.read_all(args)?;
                let form = Form::Foreign(function.clone(), args.into());
                let call = Node::new(form, phrase.ty.clone(), phrase.origin);
                if self.is_pure(&call) {
                    return Ok(call);
                }
                let (acc, read) = self.allocate(&data_of(&call)?, None, "tmp", phrase.origin);
                self.assign(&acc, &call, phrase.origin)?;
                Ok(read)
            }
            Form::Var(_) | Form::Literal(_) | Form::Nat(_) => Ok(phrase.clone()),
            Form::Lambda(..) | Form::DepLambda(..) | Form::Apply(..) | Form::DepApply(..) => {
                fail(Reason::NoValue, phrase.origin)
            }
            Form::Global(..) => fail(Reason::NotLinked, phrase.origin),
        }
    }

    fn read_all(&mut self, args: &[Phrase]) -> Result<Vec<Phrase>> {
        args.iter().map(|arg| self.read(arg)).collect()
    }

    /// Translates the arguments and applies the same primitive to the results.
    fn read_args(
        &mut self,
        which: Prim,
        types: &[Arg],
        args: &[Phrase],
        phrase: &Phrase,
    ) -> Result<Phrase> {
        let args = self.read_all(args)?;
        Ok(prim(which, types.to_vec(), args, phrase.origin))
    }

    fn read_primitive(
        &mut self,
        which: Prim,
        types: &[Arg],
        args: &[Phrase],
        phrase: &Phrase,
    ) -> Result<Phrase> {
        let origin = phrase.origin;
        let PhraseClass::Expression(pattern) = which.class() else {
            return fail(Reason::Imperative(which), origin);
        };
        match (pattern, types, args) {
            (Pattern::Scalar | Pattern::Literal | Pattern::Zip | Pattern::Pair, ..) => {
                self.read_args(which, types, args, phrase)
            }
            (Pattern::View(View::Scatter | View::PadEmpty), ..) => self.store(phrase, None, "tmp"),
            (Pattern::View(_) | Pattern::DepPair, ..) => self.read_args(which, types, args, phrase),
            // A vector is no array, so that nothing can be moved inwards.
            (Pattern::Element, ..) if which == Prim::IdxVec => {
                self.read_args(which, types, args, phrase)
            }
            (Pattern::Element | Pattern::Half(_), ..) => {
                let part = self.read_args(which, types, args, phrase)?;
                self.read_part(&part)
            }
            // The right operand is computed only if it is needed.
            (Pattern::Connective, _, [a, b]) if !self.is_pure(b) => match which {
                Prim::And => self.choose(a, b, &truth(false, phrase), origin),
                _ => self.choose(a, &truth(true, phrase), b, origin),
            },
            (Pattern::Connective, ..) => self.read_args(which, types, args, phrase),
            (Pattern::Select, _, [condition, a, b]) => self.choose(condition, a, b, origin),
            (Pattern::Generate, ..) => Ok(phrase.clone()),
            (Pattern::Map(MapLoop::Computed), _, [f, xs]) => {
                let args = vec![f.clone(), self.read(xs)?];
                Ok(prim(which, types.to_vec(), args, origin))
            }
            (Pattern::MapHalf(half), types, [f, p]) => {
                self.read_half_map(which, half, types, f, p, origin)
            }
            (Pattern::Let, _, [value, f]) => {
                let body = self.bind_in(value, f, origin)?;
                self.read(&body)
            }
            (Pattern::Memory, [_, space @ ..], [e]) => {
                let (e, name) = (self.head(e)?, "tmp");
                self.store(&e, space.first().cloned(), name)
            }
            (Pattern::DepMatch, [of, ..], [pair, f]) => {
                let body = self.matched(pair, of, f, phrase)?;
                self.read(&body)
            }
            (Pattern::Reduce(ReduceLoop::Threads), types, [f, init, xs]) => {
                self.read_parallel_reduction(types, f, init, xs, phrase)
            }
            (Pattern::Reduce(reduce), types, [f, init, xs]) => {
                self.read_reduction((which, reduce), types, [f, init, xs], phrase)
            }
            // The result is written to memory before it is read.
            (Pattern::Concat | Pattern::Map(_) | Pattern::DepMap(_) | Pattern::Scan, ..)
            | (Pattern::Iterate | Pattern::Kernel, ..) => self.store(phrase, None, "tmp"),
            (Pattern::Repeat(RepeatLoop::InPlace | RepeatLoop::Buffers), ..) => {
                self.store(phrase, None, "tmp")
            }
            (Pattern::Repeat(RepeatLoop::While), types, [condition, f, init]) => {
                self.read_repeat_while(types, [condition, f, init], phrase)
            }
            (Pattern::Stream(_), ..) => fail(Reason::StreamAsArray, origin),
            (Pattern::Select | Pattern::MapHalf(_) | Pattern::Let | Pattern::Memory, ..)
            | (Pattern::DepMatch | Pattern::Reduce(_) | Pattern::Repeat(_), ..) => {
                fail(Reason::Arguments(which), origin)
            }
        }
    }

    /// Reads the projection of a pair or array (`idx`, `depIdx`, `fst` or `snd`) whose arguments
    /// have been translated.
    fn read_part(&mut self, part: &Phrase) -> Result<Phrase> {
        if self.is_pure(part) {
            return Ok(part.clone());
        }
        match self.push_projection_inwards(part)? {
            Some(inner) => self.read(&inner),
            None if has_array(part)? => Ok(part.clone()),
            None => fail(Reason::NoElement, part.origin),
        }
    }

    /// Translates `mapFst` or `mapSnd`; commands in the function run once for both halves.
    fn read_half_map(
        &mut self,
        which: Prim,
        mapped: Half,
        types: &[Arg],
        f: &Phrase,
        p: &Phrase,
        origin: Origin,
    ) -> Result<Phrase> {
        let p = self.read(p)?;
        if self.is_pure(f) {
            return Ok(prim(which, types.to_vec(), vec![f.clone(), p], origin));
        }
        let (mut a, mut b) = (half(Prim::Fst, &p, origin)?, half(Prim::Snd, &p, origin)?);
        let changed = match mapped {
            Half::First => &mut a,
            Half::Second => &mut b,
        };
        *changed = self.call(f, [changed.clone()])?;
        let (a, b) = (self.read(&a)?, self.read(&b)?);
        pair(a, b, origin)
    }

    fn read_reduction(
        &mut self,
        (which, reduce): (Prim, ReduceLoop),
        types: &[Arg],
        [f, init, xs]: [&Phrase; 3],
        phrase: &Phrase,
    ) -> Result<Phrase> {
        let origin = phrase.origin;
        let [Arg::Nat(n), _, Arg::Type(t), space @ ..] = types else {
            return fail(Reason::Arguments(which), origin);
        };
        let xs = self.read(xs)?;
        let name = self.accumulator_name(f, 0);
        let (acc, value) = self.allocate(t, space.first().cloned(), &name, origin);
        let command = self.acc(init, acc.clone())?;
        self.emit(command);
        self.accumulate(reduce, n, f, (&value, &acc), &xs, origin)?;
        Ok(value)
    }

    /// Emits the loop of a reduction, which updates an accumulator, given by the expression that
    /// reads it and its acceptor.
    pub fn accumulate(
        &mut self,
        reduce: ReduceLoop,
        n: &Nat,
        f: &Phrase,
        (value, acc): (&Phrase, &Phrase),
        xs: &Phrase,
        origin: Origin,
    ) -> Result<()> {
        let each = match reduce {
            ReduceLoop::Unrolled => Prim::ForUnroll,
            ReduceLoop::Undetermined | ReduceLoop::Sequential | ReduceLoop::Threads => Prim::For,
        };
        self.repeat(each, n, origin, |this, i| {
            let x = idx(i, xs, origin)?;
            this.write_call(f, [value.clone(), x], acc)
        })
    }

    fn read_parallel_reduction(
        &mut self,
        types: &[Arg],
        f: &Phrase,
        init: &Phrase,
        xs: &Phrase,
        phrase: &Phrase,
    ) -> Result<Phrase> {
        let origin = phrase.origin;
        let [Arg::Nat(n), Arg::Type(t)] = types else {
            return fail(Reason::Arguments(Prim::ReducePar), origin);
        };
        let xs = self.read(xs)?;
        let name = self.accumulator_name(f, 0);
        let (acc, value) = self.allocate(t, None, &name, origin);
        let command = self.acc(init, acc.clone())?;
        self.emit(command);
        let (place, acc_ty, exp_ty) = ("out", phrase::acc(t), exp(t, Access::Rd));
        let out = self.param(place, acc_ty.clone());
        let [x, y] = ["x", "y"].map(|name| self.param(name, exp_ty.clone()));
        // The result overwrites the left operand.
        self.twins.insert(out.local.id, x.local.id);
        let args = [Node::var(&x, origin), Node::var(&y, origin)];
        let combine = self.acc_call(f, args, &Node::var(&out, origin))?;
        let combine = fun(out, super::build::fun2(x, y, combine));
        let element_out = self.param(place, acc_ty);
        let index = self.param(&self.counter(), super::build::index_type(n));
        let target = Node::var(&element_out, origin);
        let element = self.nested(origin, |this| {
            let x = idx(Node::var(&index, origin), &xs, origin)?;
            this.copy_to(&target, &x, origin)
        })?;
        let element = super::build::fun2(index, element_out, element);
        let types = vec![Arg::Type(t.clone()), Arg::Nat(n.clone())];
        let args = vec![acc, value.clone(), combine, element];
        self.emit(prim(Prim::ParReduce, types, args, origin));
        Ok(value)
    }
}

/// Makes the constant `true` or `false`.
fn truth(value: bool, at: &Phrase) -> Phrase {
    let data = Arc::new(Type::Scalar(ScalarType::Bool));
    phrase::literal(Literal::Bool(value), &data, at.origin)
}
