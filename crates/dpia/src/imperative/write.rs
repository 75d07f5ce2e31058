//! The acceptor translation.

use nat::Nat;
use rise::Arg;
use rise::core::{Form, Origin};

use super::Translation;
use super::build::{
    branch, compare, data_of, dep_idx, dep_idx_acc, half_acc, has_array, idx, idx_acc, lane,
    part_acc,
};
use super::error::{Reason, Result, fail};
use crate::phrase::{self, Phrase, prim};
use crate::prim::Prim;

impl Translation {
    /// The command that writes `phrase` to `output`.
    pub fn acc(&mut self, phrase: &Phrase, output: Phrase) -> Result<Phrase> {
        self.block(phrase.origin, |this| this.write(phrase, &output))
    }

    /// Adds the commands that write `phrase` to `output`.
    pub fn write(&mut self, phrase: &Phrase, output: &Phrase) -> Result<()> {
        let phrase = &self.head(phrase)?;
        if let Form::Primitive(which, types, args) = &phrase.form
            && self.write_primitive(*which, types, args, phrase, output)?
        {
            return Ok(());
        }
        if let Some((inner, place)) = self.mirrored(phrase, output)? {
            return self.write(&inner, &place);
        }
        if has_array(phrase)? {
            return fail(reason_unwritten(phrase), phrase.origin);
        }
        let value = self.read(phrase)?;
        self.assign(output, &value, phrase.origin)
    }

    /// The mirror of a view of arrays; values without arrays are assigned whole.
    fn mirrored(&mut self, phrase: &Phrase, output: &Phrase) -> Result<Option<(Phrase, Phrase)>> {
        if has_array(phrase)? {
            self.mirror(phrase, output)
        } else {
            Ok(None)
        }
    }

    /// The rules of primitives that do more than view. Whether there is one.
    fn write_primitive(
        &mut self,
        which: Prim,
        types: &[Arg],
        args: &[Phrase],
        phrase: &Phrase,
        output: &Phrase,
    ) -> Result<bool> {
        let origin = phrase.origin;
        match (which, types, args) {
            (Prim::MakePair, _, [a, b]) if has_array(phrase)? => {
                self.write_halves(a, b, output, origin)?;
            }
            (Prim::Zip, [n, s, t, ..], [a, b]) => {
                for (e, place) in [(a, Prim::ZipAcc1), (b, Prim::ZipAcc2)] {
                    let types = vec![n.clone(), s.clone(), t.clone()];
                    let place = prim(place, types, vec![output.clone()], origin);
                    let command = self.acc(e, place)?;
                    self.emit(command);
                }
            }
            (Prim::Concat, [Arg::Nat(n), ..], [a, b]) => {
                for (e, part) in [(a, Prim::TakeAcc), (b, Prim::DropAcc)] {
                    let place = part_acc(part, n, output, origin)?;
                    let command = self.acc(e, place)?;
                    self.emit(command);
                }
            }
            (Prim::Let, _, [value, f]) => {
                let body = self.bind_in(value, f, origin)?;
                self.write(&body, output)?;
            }
            (Prim::Select, _, [condition, a, b])
                if !(has_array(phrase)? || self.is_pure(a) && self.is_pure(b)) =>
            {
                let condition = self.read(condition)?;
                let a = self.acc(a, output.clone())?;
                let b = self.acc(b, output.clone())?;
                self.emit(branch(condition, a, b, origin));
            }
            (Prim::Dmatch, [of, ..], [pair, f]) => {
                let body = self.matched(pair, of, f, phrase)?;
                self.write(&body, output)?;
            }
            (Prim::MakeDepPair, [of, _, Arg::Nat(n)], [e]) => {
                let types = vec![of.clone(), Arg::Nat(n.clone())];
                let out = vec![output.clone()];
                self.emit(prim(Prim::DepPairFst, types.clone(), out.clone(), origin));
                let place = prim(Prim::DepPairSndAcc, types, out, origin);
                self.write(e, &place)?;
            }
            (Prim::OclRun, [_, sizes @ ..], [e]) => {
                let command = self.acc(e, output.clone())?;
                let args = vec![command];
                self.emit(prim(Prim::OclRunCommand, sizes.to_vec(), args, origin));
            }
            _ => return self.write_loop(which, types, args, phrase, output),
        }
        Ok(true)
    }

    /// The rules of primitives that are loops. Whether there is one.
    fn write_loop(
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
                let types = vec![n.clone(), t.clone()];
                let names = ("", "lane");
                self.repeat_into(
                    Prim::ForVec,
                    types,
                    output,
                    names,
                    origin,
                    |this, i, place| {
                        let x = lane(i, &v, origin)?;
                        this.write_call(f, [x], &place)
                    },
                )?;
            }
            (Prim::DepMapSeq, [Arg::Nat(n), ..], [f, xs]) => {
                let xs = self.read(xs)?;
                self.repeat_nat(n, origin, |this, i| {
                    let f = this.at_size(f, Arg::Nat(i.clone()))?;
                    let x = dep_idx(&i, &xs, origin)?;
                    let place = dep_idx_acc(&i, output, origin)?;
                    this.write_call(&f, [x], &place)
                })?;
            }
            (Prim::ScanSeq, [Arg::Nat(n), _, Arg::Type(t), space @ ..], [f, init, xs]) => {
                let xs = self.read(xs)?;
                let name = self.accumulator_name(f, 1);
                let (acc, value) = self.allocate(t, space.first().cloned(), &name, origin);
                let command = self.acc(init, acc.clone())?;
                self.emit(command);
                self.repeat(Prim::For, n, origin, |this, i| {
                    let x = idx(i.clone(), &xs, origin)?;
                    this.write_call(f, [x, value.clone()], &acc)?;
                    this.copy_to(&idx_acc(i, output, origin)?, &value, origin)
                })?;
            }
            (Prim::Iterate, [Arg::Nat(n), Arg::Nat(m), t, Arg::Nat(k), space @ ..], [f, xs]) => {
                let buffer = Buffers { n, m, t, k, space };
                self.write_iterate(&buffer, f, xs, output, origin)?;
            }
            (Prim::IterateStream, [Arg::Nat(n), ..], [f, xs]) => {
                let stream = self.stream(xs)?;
                self.repeat(Prim::For, n, origin, |this, i| {
                    let x = this.next(&stream, &i)?;
                    let place = idx_acc(i.clone(), output, origin)?;
                    let command = this.acc_call(f, [x], &place)?;
                    this.emit(command);
                    this.after(&stream, &i)
                })?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Adds the commands that write `f(args…)`.
    pub fn write_call<const N: usize>(
        &mut self,
        f: &Phrase,
        args: [Phrase; N],
        output: &Phrase,
    ) -> Result<()> {
        let body = self.call(f, args)?;
        self.write(&body, output)
    }

    /// The same as one command.
    pub fn acc_call<const N: usize>(
        &mut self,
        f: &Phrase,
        args: [Phrase; N],
        output: &Phrase,
    ) -> Result<Phrase> {
        self.block(f.origin, |this| this.write_call(f, args, output))
    }

    /// A pair with arrays is written half by half. If they read what is overwritten, a half
    /// without arrays is computed before the other is written, and put in its place afterwards.
    fn write_halves(
        &mut self,
        a: &Phrase,
        b: &Phrase,
        output: &Phrase,
        origin: Origin,
    ) -> Result<()> {
        let mut halves = [(a.clone(), Prim::PairAcc1), (b.clone(), Prim::PairAcc2)];
        if self.reads_from(a, output) || self.reads_from(b, output) {
            for (half, _) in &mut halves {
                if !has_array(half)? {
                    let value = self.read(half)?;
                    *half = self.kept(value, "tmp", origin)?;
                }
            }
            if !has_array(a)? {
                halves.reverse();
            }
        }
        for (half, place) in halves {
            self.write_half(&half, place, output, origin)?;
        }
        Ok(())
    }

    fn write_half(
        &mut self,
        value: &Phrase,
        which: Prim,
        output: &Phrase,
        origin: Origin,
    ) -> Result<()> {
        let place = half_acc(which, output, origin)?;
        let command = self.acc(value, place)?;
        self.emit(command);
        Ok(())
    }

    /// Iteration `i` of `k` makes `n^(k-1-i)*m` elements of `n` times as many. Before the last one
    /// the buffer to write to becomes the output.
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
        let (all, _) = super::build::array_of(&xs)?;
        let (acc, value) = self.memory("buffer", &data);
        let [swap, done] = ["swap", "done"].map(|name| self.param(name, super::build::comm()));
        let (place, read) = (
            rise::core::Node::var(&acc, origin),
            rise::core::Node::var(&value, origin),
        );
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
                let finish = rise::core::Node::var(&done, origin);
                this.emit(branch(is_last, finish, super::build::skip(origin), origin));
                let f = this.at_size(f, Arg::Nat(l.clone()))?;
                let input = super::build::take(&Nat::mul(&l, n), &read, origin)?;
                let place = part_acc(Prim::TakeAcc, &l, &place, origin)?;
                let command = this.acc_call(&f, [input], &place)?;
                this.emit(command);
                this.emit(rise::core::Node::var(&swap, origin));
                Ok(())
            })
        })?;
        let body = super::build::fun2(acc, value, super::build::fun2(swap, done, body));
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

/// The loop of a sequential pattern.
pub fn sequential(which: Prim) -> Prim {
    match which {
        Prim::MapSeqUnroll | Prim::ReduceSeqUnroll => Prim::ForUnroll,
        _ => Prim::For,
    }
}

/// The loop of a parallel pattern, and what its counter and places are called.
fn parallel(which: Prim) -> (Prim, (&'static str, &'static str)) {
    match which {
        Prim::MapGlobal => (Prim::ParForGlobal, ("gId", "gOut")),
        Prim::MapWorkGroup => (Prim::ParForWorkGroup, ("wgId", "wgOut")),
        Prim::MapLocal => (Prim::ParForLocal, ("lId", "lOut")),
        _ => (Prim::ParFor, ("", "out")),
    }
}

/// What is wrong with an array for which there is no rule.
fn reason_unwritten(phrase: &Phrase) -> Reason {
    match &phrase.form {
        Form::Primitive(
            Prim::MapStream | Prim::CircularBuffer | Prim::RotateValues | Prim::ZipStream,
            ..,
        ) => Reason::StreamAsArray,
        Form::Primitive(Prim::MakePair | Prim::Zip, ..) => Reason::NoPair,
        _ => Reason::NotWritten,
    }
}
