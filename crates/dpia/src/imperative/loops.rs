//! The acceptor translation of patterns that are loops.

use nat::Nat;
use rise::Arg;
use rise::core::{Node, Origin};
use rise::pattern::{DepLoop, Level, MapLoop};

use super::Translation;
use super::build::{
    array_of, branch, comm, compare, data_of, dep_idx, dep_idx_acc, fun2, idx, idx_acc, lane,
    nat_fun, part_acc, skip, take,
};
use super::error::{Reason, Result, fail};
use crate::phrase::{self, Phrase, prim};
use crate::prim::Prim;

impl Translation {
    /// Writes the result of a map over an array. Returns false and writes nothing for
    /// `MapLoop::Computed`, which is no loop.
    pub fn write_map(
        &mut self,
        map: MapLoop,
        types: &[Arg],
        f: &Phrase,
        xs: &Phrase,
        output: &Phrase,
        origin: Origin,
    ) -> Result<bool> {
        let [Arg::Nat(n), _, t, dimension @ ..] = types else {
            return fail(Reason::NoArray, origin);
        };
        let into = |dimension: &[Arg]| {
            let types = [Arg::Nat(n.clone()), t.clone()];
            types.into_iter().chain(dimension.iter().cloned()).collect()
        };
        match map {
            MapLoop::Computed => return Ok(false),
            MapLoop::Sequential | MapLoop::Unrolled => {
                let xs = self.read(xs)?;
                let each = match map {
                    MapLoop::Unrolled => Prim::ForUnroll,
                    _ => Prim::For,
                };
                self.repeat(each, n, origin, |this, i| {
                    let x = idx(i.clone(), &xs, origin)?;
                    let place = idx_acc(i, output, origin)?;
                    this.write_call(f, [x], &place)
                })?;
            }
            MapLoop::Parallel(level) => {
                let xs = self.read(xs)?;
                let (each, names) = parallel(level);
                self.repeat_into(
                    each,
                    into(dimension),
                    output,
                    names,
                    origin,
                    |this, i, place| {
                        let x = idx(i, &xs, origin)?;
                        this.write_call(f, [x], &place)
                    },
                )?;
            }
            MapLoop::Lanes => {
                let v = self.read(xs)?;
                let names = ("", "lane");
                let each = |this: &mut Self, i, place| {
                    let x = lane(i, &v, origin)?;
                    this.write_call(f, [x], &place)
                };
                self.repeat_into(Prim::ForVec, into(&[]), output, names, origin, each)?;
            }
            MapLoop::Stream => self.write_stream(n, f, xs, output, origin)?,
        }
        Ok(true)
    }

    /// Writes the result of a map over a dependent array.
    pub fn write_dep_map(
        &mut self,
        map: DepLoop,
        types: &[Arg],
        f: &Phrase,
        xs: &Phrase,
        output: &Phrase,
        origin: Origin,
    ) -> Result<()> {
        let [Arg::Nat(n), _, Arg::DataFun(results), ..] = types else {
            return fail(Reason::NoArray, origin);
        };
        let xs = self.read(xs)?;
        let element = |this: &mut Self, i: &Nat, place: &Phrase| {
            let f = this.at_size(f, Arg::Nat(i.clone()))?;
            let x = dep_idx(i, &xs, origin)?;
            this.write_call(&f, [x], place)
        };
        match map {
            DepLoop::Sequential => self.repeat_nat(n, origin, |this, i| {
                let place = dep_idx_acc(&i, output, origin)?;
                element(this, &i, &place)
            }),
            DepLoop::Threads => {
                let counter = self.counter();
                let var = self.program.fresh_var(counter);
                let data = phrase::data_at(results, &Nat::var(var));
                let place = self.place_within(output, "out", &data);
                let out = Node::var(&place, origin);
                let body = self.nested(origin, |this| element(this, &Nat::var(var), &out))?;
                let args = vec![output.clone(), nat_fun(var, phrase::fun(place, body))];
                let types = vec![Arg::Nat(n.clone()), Arg::DataFun(results.clone())];
                self.emit(prim(Prim::ParForNat, types, args, origin));
                Ok(())
            }
        }
    }

    fn write_stream(
        &mut self,
        n: &Nat,
        f: &Phrase,
        xs: &Phrase,
        output: &Phrase,
        origin: Origin,
    ) -> Result<()> {
        let stream = self.stream(xs)?;
        self.repeat(Prim::For, n, origin, |this, i| {
            let x = this.next(&stream, &i)?;
            let place = idx_acc(i, output, origin)?;
            let command = this.acc_call(f, [x], &place)?;
            this.emit(command);
            this.after(&stream)
        })
    }

    /// Translates a scan: in each iteration the accumulator is updated, and then copied to the
    /// element of the result.
    pub fn write_scan(
        &mut self,
        types: &[Arg],
        [f, init, xs]: [&Phrase; 3],
        phrase: &Phrase,
        output: &Phrase,
    ) -> Result<()> {
        let origin = phrase.origin;
        let [Arg::Nat(n), _, Arg::Type(t), space @ ..] = types else {
            return fail(Reason::Arguments(Prim::ScanSeq), origin);
        };
        let xs = self.read(xs)?;
        let name = self.accumulator_name(f, 1);
        let (acc, value) = self.allocate(t, space.first().cloned(), &name, origin);
        let command = self.acc(init, acc.clone())?;
        self.emit(command);
        self.repeat(Prim::For, n, origin, |this, i| {
            let x = idx(i.clone(), &xs, origin)?;
            let command = this.acc_call(f, [x, value.clone()], &acc)?;
            this.emit(command);
            this.copy_to(&idx_acc(i, output, origin)?, &value, origin)
        })
    }

    /// Translates `iterate` with a double buffer: iteration `i` of `k` computes an array of
    /// `n^(k-1-i)*m` elements from one of `n` times as many. Before the last iteration the buffer
    /// to write to is replaced by the output.
    pub fn write_iterate(
        &mut self,
        buffers: &Buffers<'_>,
        f: &Phrase,
        xs: &Phrase,
        output: &Phrase,
        origin: Origin,
    ) -> Result<()> {
        let Buffers { n, m, t, k, space } = *buffers;
        let Arg::Type(element) = t else {
            return fail(Reason::Arguments(Prim::Iterate), origin);
        };
        let xs = self.read_plain(xs)?;
        let data = data_of(&xs)?;
        let (all, _) = array_of(&xs)?;
        let (acc, value) = self.memory("buffer", &data);
        let [swap, done] = ["swap", "done"].map(|name| self.param(name, comm()));
        let (place, read) = (Node::var(&acc, origin), Node::var(&value, origin));
        let body = self.block(origin, |this| {
            this.repeat_nat(k, origin, |this, i| {
                let last = Nat::sub(k, &Nat::constant(1));
                let l = Nat::mul(&Nat::pow(n, &Nat::sub(&last, &i)), m);
                let is_last = compare(
                    Prim::Equal,
                    phrase::nat(i, origin),
                    phrase::nat(last, origin),
                    origin,
                );
                let finish = Node::var(&done, origin);
                this.emit(branch(is_last, finish, skip(origin), origin));
                let f = this.at_size(f, Arg::Nat(l.clone()))?;
                let input = take(&Nat::mul(&l, n), &read, origin)?;
                let place = part_acc(Prim::TakeAcc, &l, &place, origin)?;
                let command = this.acc_call(&f, [input], &place)?;
                this.emit(command);
                this.emit(Node::var(&swap, origin));
                Ok(())
            })
        })?;
        let body = fun2(acc, value, fun2(swap, done, body));
        let mut types = vec![
            Arg::Nat(m.clone()),
            Arg::Nat(all),
            Arg::Type(element.clone()),
        ];
        types.extend(space.iter().cloned().chain(match space {
            [] => self.default_space(),
            _ => None,
        }));
        let args = vec![xs, output.clone(), body];
        self.emit(prim(Prim::NewDoubleBuffer, types, args, origin));
        Ok(())
    }
}

/// The type-level arguments of `iterate`.
#[derive(Clone, Copy)]
pub struct Buffers<'a> {
    pub n: &'a Nat,
    pub m: &'a Nat,
    pub t: &'a Arg,
    pub k: &'a Nat,
    pub space: &'a [Arg],
}

/// Returns the loop of a parallel map, and the names of its counter and its acceptor.
const fn parallel(level: Level) -> (Prim, (&'static str, &'static str)) {
    match level {
        Level::Threads => (Prim::ParFor, ("", "out")),
        Level::Global => (Prim::ParForGlobal, ("gId", "gOut")),
        Level::WorkGroup => (Prim::ParForWorkGroup, ("wgId", "wgOut")),
        Level::Local => (Prim::ParForLocal, ("lId", "lOut")),
    }
}
