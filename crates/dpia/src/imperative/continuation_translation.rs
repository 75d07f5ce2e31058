//! The continuation translation.

use rise::core::{Form, Node, Origin};
use rise::{Arg, Type};
use syntax::ast::{Literal, ScalarType};

use super::Translation;
use super::build::{data_of, half, has_array, idx, pair};
use super::error::{Reason, Result, fail};
use super::loops::sequential;
use crate::phrase::{self, Phrase, exp, fun, prim};
use crate::prim::Prim;
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
        use Prim::*;
        match which {
            Add | Sub | Mul | Div | Neg | Mod | Fma | Gt | Lt | Ge | Le | Equal | NotEqual
            | Not | Cast | IndexAsNat | NatAsIndex | VectorFromScalar | IdxVec | MakeArray
            | Take | Drop | Split | Join | Transpose | Slide | Assume | Gather | Reorder
            | PadCst | PadClamp | Zip | Unzip | MakePair | AsScalar | AsVector
            | AsVectorAligned | DepZip | DepJoin | Partition | MakeDepPair => {
                self.read_args(which, types, args, phrase)
            }
            Idx | DepIdx | Fst | Snd => {
                let part = self.read_args(which, types, args, phrase)?;
                self.read_part(&part)
            }
            And | Or | Select | Generate | Map | MapFst | MapSnd | Let | ToMem | Dmatch
            | ReduceSeq | ReduceSeqUnroll | ReducePar => {
                self.read_special(which, types, args, phrase)
            }
            // The result is written to memory before it is read.
            Concat | Scatter | PadEmpty | MapVec | MapSeq | MapSeqUnroll | MapPar | MapGlobal
            | MapWorkGroup | MapLocal | IterateStream | ScanSeq | Iterate | OclRun | DepMapSeq => {
                self.store(phrase, None, "tmp")
            }
            MapStream | CircularBuffer | RotateValues | ZipStream => {
                fail(Reason::StreamAsArray, phrase.origin)
            }
            Assign | Seq | Skip | If | New | NewDoubleBuffer | For | ForUnroll | ForVec
            | ForNat | ParFor | ParForGlobal | ParForWorkGroup | ParForLocal | ParForNat
            | ParReduce | Barrier | DmatchCommand | OclRunCommand | DepPairFst | IdxAcc
            | JoinAcc | SplitAcc | TransposeAcc | ZipAcc1 | ZipAcc2 | UnzipAcc | PairAcc
            | PairAcc1 | PairAcc2 | TakeAcc | DropAcc | ReorderAcc | ScatterAcc | AsScalarAcc
            | AsVectorAcc | IdxVecAcc | MapAcc | MapFstAcc | MapSndAcc | DepIdxAcc | DepJoinAcc
            | DepPairSndAcc => fail(Reason::Imperative(which), phrase.origin),
        }
    }

    /// Reads a part of a pair or array whose arguments have been translated.
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

    fn read_special(
        &mut self,
        which: Prim,
        types: &[Arg],
        args: &[Phrase],
        phrase: &Phrase,
    ) -> Result<Phrase> {
        let origin = phrase.origin;
        match (which, types, args) {
            // The right operand is computed only if it is needed.
            (Prim::And, _, [a, b]) if !self.is_pure(b) => {
                self.choose(a, b, &truth(false, phrase), origin)
            }
            (Prim::Or, _, [a, b]) if !self.is_pure(b) => {
                self.choose(a, &truth(true, phrase), b, origin)
            }
            (Prim::And | Prim::Or, ..) => self.read_args(which, types, args, phrase),
            (Prim::Select, _, [condition, a, b]) => self.choose(condition, a, b, origin),
            (Prim::Generate, ..) => Ok(phrase.clone()),
            (Prim::Map, _, [f, xs]) => {
                let args = vec![f.clone(), self.read(xs)?];
                Ok(prim(which, types.to_vec(), args, origin))
            }
            (Prim::MapFst | Prim::MapSnd, types, [f, p]) => {
                self.read_half_map(which, types, f, p, origin)
            }
            (Prim::Let, _, [value, f]) => {
                let body = self.bind_in(value, f, origin)?;
                self.read(&body)
            }
            (Prim::ToMem, [_, space @ ..], [e]) => {
                let (e, name) = (self.head(e)?, "tmp");
                self.store(&e, space.first().cloned(), name)
            }
            (Prim::Dmatch, [of, ..], [pair, f]) => {
                let body = self.matched(pair, of, f, phrase)?;
                self.read(&body)
            }
            (Prim::ReduceSeq | Prim::ReduceSeqUnroll, types, [f, init, xs]) => {
                self.read_reduction(which, types, [f, init, xs], phrase)
            }
            (Prim::ReducePar, types, [f, init, xs]) => {
                self.read_parallel_reduction(types, f, init, xs, phrase)
            }
            _ => fail(Reason::Arguments(which), origin),
        }
    }

    /// Translates `mapFst` or `mapSnd`; commands in the function run once for both halves.
    fn read_half_map(
        &mut self,
        which: Prim,
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
        let changed = if which == Prim::MapFst {
            &mut a
        } else {
            &mut b
        };
        *changed = self.call(f, [changed.clone()])?;
        let (a, b) = (self.read(&a)?, self.read(&b)?);
        pair(a, b, origin)
    }

    fn read_reduction(
        &mut self,
        which: Prim,
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
        self.repeat(sequential(which), n, origin, |this, i| {
            let x = idx(i, &xs, origin)?;
            this.write_call(f, [value.clone(), x], &acc)
        })?;
        Ok(value)
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
