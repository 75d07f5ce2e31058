//! The acceptor translation, which emits the commands that write an expression to an acceptor.

use rise::Arg;
use rise::Pattern;
use rise::core::{Form, Origin};
use rise::pattern::RepeatLoop;

use super::Translation;
use super::build::{branch, half_acc, has_array, part_acc};
use super::error::{Reason, Result, fail};
use super::loops::Buffers;
use crate::phrase::{Phrase, prim};
use crate::prim::{PhraseClass, Prim};

impl Translation {
    /// Returns the command that writes `phrase` to `output`.
    pub fn acc(&mut self, phrase: &Phrase, output: Phrase) -> Result<Phrase> {
        self.block(phrase.origin, |this| this.write(phrase, &output))
    }

    /// Emits the commands that write `phrase` to `output`.
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

    /// Mirrors a view of arrays, as [`Translation::mirror`] does. Returns `None` for values without
    /// arrays, which are assigned as a whole.
    fn mirrored(&mut self, phrase: &Phrase, output: &Phrase) -> Result<Option<(Phrase, Phrase)>> {
        if has_array(phrase)? {
            self.mirror(phrase, output)
        } else {
            Ok(None)
        }
    }

    /// Emits the commands that write a primitive to `output`, by the primitive's own rule. Returns
    /// false and emits nothing if it has none, as for views and primitives that are read.
    fn write_primitive(
        &mut self,
        which: Prim,
        types: &[Arg],
        args: &[Phrase],
        phrase: &Phrase,
        output: &Phrase,
    ) -> Result<bool> {
        let origin = phrase.origin;
        let PhraseClass::Expression(pattern) = which.class() else {
            return Ok(false);
        };
        match (pattern, types, args) {
            (Pattern::Pair, _, [a, b]) if has_array(phrase)? => {
                self.write_halves(a, b, output, origin)?;
            }
            (Pattern::Zip, [n, s @ Arg::Type(_), t, ..], [a, b]) => {
                for (e, place) in [(a, Prim::ZipAcc1), (b, Prim::ZipAcc2)] {
                    let types = vec![n.clone(), s.clone(), t.clone()];
                    let place = prim(place, types, vec![output.clone()], origin);
                    let command = self.acc(e, place)?;
                    self.emit(command);
                }
            }
            (Pattern::Concat, [Arg::Nat(n), ..], [a, b]) => {
                for (e, part) in [(a, Prim::TakeAcc), (b, Prim::DropAcc)] {
                    let place = part_acc(part, n, output, origin)?;
                    let command = self.acc(e, place)?;
                    self.emit(command);
                }
            }
            (Pattern::Let, _, [value, f]) => {
                let body = self.bind_in(value, f, origin)?;
                self.write(&body, output)?;
            }
            (Pattern::Select, _, [condition, a, b])
                if has_array(phrase)? || !(self.is_pure(a) && self.is_pure(b)) =>
            {
                let condition = self.read(condition)?;
                let a = self.acc(a, output.clone())?;
                let b = self.acc(b, output.clone())?;
                self.emit(branch(condition, a, b, origin));
            }
            (Pattern::Memory, _, [e]) if which == Prim::InPlace => {
                self.write_in_place(e, output)?;
            }
            (Pattern::DepMatch, [of, ..], [pair, f]) => {
                let body = self.matched(pair, of, f, phrase)?;
                self.write(&body, output)?;
            }
            (Pattern::DepPair, [of, _, Arg::Nat(n)], [e]) => {
                let types = vec![of.clone(), Arg::Nat(n.clone())];
                let out = vec![output.clone()];
                self.emit(prim(Prim::DepPairFst, types.clone(), out.clone(), origin));
                let place = prim(Prim::DepPairSndAcc, types, out, origin);
                self.write(e, &place)?;
            }
            (Pattern::Kernel, [_, sizes @ ..], [e]) => {
                let command = self.acc(e, output.clone())?;
                let args = vec![command];
                self.emit(prim(Prim::OclRunCommand, sizes.to_vec(), args, origin));
            }
            (Pattern::Map(map), _, [f, xs]) => {
                return self.write_map(map, types, f, xs, output, origin);
            }
            (Pattern::DepMap(map), _, [f, xs]) => {
                self.write_dep_map(map, types, f, xs, output, origin)?;
            }
            (Pattern::Scan, types, [f, init, xs]) => {
                self.write_scan(types, [f, init, xs], phrase, output)?;
            }
            (Pattern::Iterate, [Arg::Nat(n), Arg::Nat(m), t, Arg::Nat(k), space @ ..], [f, xs]) => {
                let buffers = Buffers { n, m, t, k, space };
                self.write_iterate(&buffers, f, xs, output, origin)?;
            }
            (
                Pattern::Repeat(RepeatLoop::InPlace),
                [Arg::Type(t), Arg::Nat(k), space @ ..],
                [f, init],
            ) => {
                self.write_repeat_in_place((k, t, space), f, init, output, origin)?;
            }
            (
                Pattern::Repeat(RepeatLoop::Buffers),
                [Arg::Type(t), Arg::Nat(k), space @ ..],
                [f, init],
            ) => {
                self.write_repeat((k, t, space), f, init, output, origin)?;
            }
            // These are read, or views of what is written.
            (Pattern::Scalar | Pattern::Connective | Pattern::Select | Pattern::Element, ..)
            | (Pattern::Half(_) | Pattern::Pair | Pattern::MapHalf(_), ..)
            | (Pattern::Generate | Pattern::Literal | Pattern::View(_) | Pattern::Zip, ..)
            | (Pattern::Reduce(_) | Pattern::Repeat(RepeatLoop::While), ..)
            | (Pattern::Stream(_) | Pattern::Memory, ..) => return Ok(false),
            (Pattern::Concat | Pattern::Let | Pattern::DepMatch | Pattern::DepPair, ..)
            | (Pattern::Kernel | Pattern::Map(_) | Pattern::DepMap(_) | Pattern::Scan, ..)
            | (Pattern::Iterate | Pattern::Repeat(_), ..) => {
                return fail(Reason::Arguments(which), origin);
            }
        }
        Ok(true)
    }

    /// Emits the commands that write `f(args…)` to `output`.
    pub fn write_call<const N: usize>(
        &mut self,
        f: &Phrase,
        args: [Phrase; N],
        output: &Phrase,
    ) -> Result<()> {
        let body = self.call(f, args)?;
        self.write(&body, output)
    }

    /// Returns the command that writes `f(args…)` to `output`.
    pub fn acc_call<const N: usize>(
        &mut self,
        f: &Phrase,
        args: [Phrase; N],
        output: &Phrase,
    ) -> Result<Phrase> {
        self.block(f.origin, |this| this.write_call(f, args, output))
    }

    /// Writes a pair with arrays by halves. If a half reads memory that the other one overwrites, a
    /// half without arrays is stored in a variable before the other one is written.
    fn write_halves(
        &mut self,
        a: &Phrase,
        b: &Phrase,
        output: &Phrase,
        origin: Origin,
    ) -> Result<()> {
        let mut halves = [(a.clone(), Prim::PairAcc1), (b.clone(), Prim::PairAcc2)];
        let first = half_acc(Prim::PairAcc1, output, origin)?;
        let second = half_acc(Prim::PairAcc2, output, origin)?;
        if self.reads_from(a, &second) || self.reads_from(b, &first) {
            for (half, _) in &mut halves {
                if !has_array(half)? {
                    let value = self.read(half)?;
                    *half = self.store_scalar(value, "tmp", origin)?;
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

    /// Emits the commands after which `output`, the memory of an accumulator, has the value of an
    /// expression: none for the accumulator, and the loop of a reduction that starts from it.
    fn write_in_place(&mut self, phrase: &Phrase, output: &Phrase) -> Result<()> {
        let phrase = self.head(phrase)?;
        let origin = phrase.origin;
        if let Form::Primitive(which, types, args) = &phrase.form
            && let Some(Pattern::Reduce(reduce)) = which.pattern()
            && let ([Arg::Nat(n), ..], [f, init, xs]) = (&types[..], &args[..])
            && let Form::Primitive(Prim::InPlace, _, start) = &init.form
            && let [value] = &start[..]
        {
            let (value, xs) = (self.read(value)?, self.read(xs)?);
            return self.accumulate(reduce, n, f, (&value, output), &xs, origin);
        }
        match self.reads_from(&phrase, output) {
            true => Ok(()),
            false => fail(Reason::NotInPlace, origin),
        }
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
}

/// Returns the reason of the error for an array that no rule writes.
fn reason_unwritten(phrase: &Phrase) -> Reason {
    match &phrase.form {
        Form::Primitive(prim, ..) if matches!(prim.pattern(), Some(Pattern::Stream(_))) => {
            Reason::StreamAsArray
        }
        _ => Reason::NotWritten,
    }
}
