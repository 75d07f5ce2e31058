//! The acceptor translation of patterns that are loops.

use nat::Nat;
use rise::Arg;
use rise::core::{Node, Origin};

use super::Translation;
use super::build::{
    array_of, branch, comm, compare, data_of, dep_idx, dep_idx_acc, fun2, idx, idx_acc, lane,
    part_acc, skip, take,
};
use super::error::{Reason, Result, fail};
use crate::phrase::{self, Phrase, prim};
use crate::prim::Prim;

impl Translation {
    /// Applies the rule of a primitive that is a loop. Returns false if there is none.
    pub fn write_loop(
        &mut self,
        which: Prim,
        types: &[Arg],
        args: &[Phrase],
        phrase: &Phrase,
        output: &Phrase,
    ) -> Result<bool> {
        let origin = phrase.origin;
        match (which, types, args) {
            (Prim::MapSeq | Prim::MapSeqUnroll, [Arg::Nat(n), ..], [f, xs]) => {
                let xs = self.read(xs)?;
                self.repeat(sequential(which), n, origin, |this, i| {
                    let x = idx(i.clone(), &xs, origin)?;
                    let place = idx_acc(i, output, origin)?;
                    this.write_call(f, [x], &place)
                })?;
            }
            (
                Prim::MapPar | Prim::MapGlobal | Prim::MapWorkGroup | Prim::MapLocal,
                [n, _, t, dimension @ ..],
                [f, xs],
            ) => {
                let xs = self.read(xs)?;
                let (parallel, names) = parallel(which);
                let types = [n, t].into_iter().chain(dimension).cloned().collect();
                self.repeat_into(parallel, types, output, names, origin, |this, i, place| {
                    let x = idx(i, &xs, origin)?;
                    this.write_call(f, [x], &place)
                })?;
            }
            (Prim::MapVec, [n, _, t], [f, v]) => {
                let v = self.read(v)?;
                let (types, names) = (vec![n.clone(), t.clone()], ("", "lane"));
                let each = |this: &mut Self, i, place| {
                    let x = lane(i, &v, origin)?;
                    this.write_call(f, [x], &place)
                };
                self.repeat_into(Prim::ForVec, types, output, names, origin, each)?;
            }
            (Prim::DepMapSeq, [Arg::Nat(n), ..], [f, xs]) => {
                self.write_dependent(n, f, xs, output, origin)?;
            }
            (Prim::ScanSeq, types, [f, init, xs]) => {
                self.write_scan(types, [f, init, xs], phrase, output)?;
            }
            (Prim::Iterate, [Arg::Nat(n), Arg::Nat(m), t, Arg::Nat(k), space @ ..], [f, xs]) => {
                let buffers = Buffers { n, m, t, k, space };
                self.write_iterate(&buffers, f, xs, output, origin)?;
            }
            (Prim::IterateStream, [Arg::Nat(n), ..], [f, xs]) => {
                self.write_stream(n, f, xs, output, origin)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn write_dependent(
        &mut self,
        n: &Nat,
        f: &Phrase,
        xs: &Phrase,
        output: &Phrase,
        origin: Origin,
    ) -> Result<()> {
        let xs = self.read(xs)?;
        self.repeat_nat(n, origin, |this, i| {
            let f = this.at_size(f, Arg::Nat(i.clone()))?;
            let x = dep_idx(&i, &xs, origin)?;
            let place = dep_idx_acc(&i, output, origin)?;
            this.write_call(&f, [x], &place)
        })
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

    /// Translates a scan: the accumulator is updated, and then copied to the element.
    fn write_scan(
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
    fn write_iterate(
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
struct Buffers<'a> {
    n: &'a Nat,
    m: &'a Nat,
    t: &'a Arg,
    k: &'a Nat,
    space: &'a [Arg],
}

/// Returns the loop of a sequential pattern.
pub fn sequential(which: Prim) -> Prim {
    match which {
        Prim::MapSeqUnroll | Prim::ReduceSeqUnroll => Prim::ForUnroll,
        _ => Prim::For,
    }
}

/// Returns the loop of a parallel pattern, and the names of its counter and its acceptor.
fn parallel(which: Prim) -> (Prim, (&'static str, &'static str)) {
    match which {
        Prim::MapGlobal => (Prim::ParForGlobal, ("gId", "gOut")),
        Prim::MapWorkGroup => (Prim::ParForWorkGroup, ("wgId", "wgOut")),
        Prim::MapLocal => (Prim::ParForLocal, ("lId", "lOut")),
        _ => (Prim::ParFor, ("", "out")),
    }
}
