//! The translation of streams: arrays whose elements are available one after the other, each once.
//!
//! The elements of a stream are read in order. The commands after the use of an element (shifting a
//! window) are at the end of the iteration.

use nat::Nat;
use rise::core::{Form, Origin};
use rise::pattern::Stream as Kind;
use rise::{Arg, Pattern};

use super::Translation;
use super::build::{arithmetic, array_of, element, element_acc, idx, index, pair, position};
use super::error::{Reason, Result, fail};
use crate::phrase::{self, Phrase};
use crate::prim::Prim;

/// A stream whose memory is allocated and whose first elements are loaded.
pub enum Stream {
    /// The elements of an array.
    Array(Phrase),
    /// A function that is applied to each element.
    Map(Phrase, Box<Stream>),
    /// Two streams in parallel.
    Zip(Box<Stream>, Box<Stream>, Origin),
    /// Windows of a stream, in memory.
    Windows(Box<Windows>),
}

/// Windows of `size` elements of a stream, in memory.
pub struct Windows {
    input: Stream,
    /// The number of elements of the input.
    count: Nat,
    /// The function that is applied to an element before it is stored.
    load: Phrase,
    acc: Phrase,
    read: Phrase,
    size: Nat,
    /// The number of elements of the memory if it is a ring buffer; otherwise the elements are
    /// shifted.
    ring: Option<Nat>,
    origin: Origin,
}

impl Translation {
    /// Emits the commands that initialise a stream, and returns the stream; an expression that
    /// makes no stream is read as an array.
    pub fn stream(&mut self, phrase: &Phrase) -> Result<Stream> {
        let phrase = &self.head(phrase)?;
        let origin = phrase.origin;
        let Form::Primitive(which, types, args) = &phrase.form else {
            return Ok(Stream::Array(self.read(phrase)?));
        };
        match (which.pattern(), &types[..], &args[..]) {
            (Some(Pattern::Stream(Kind::Map)), _, [f, xs]) => {
                let xs = self.stream(xs)?;
                Ok(Stream::Map(f.clone(), Box::new(xs)))
            }
            (Some(Pattern::Stream(Kind::Zip)), _, [a, b]) => {
                let a = self.stream(a)?;
                Ok(Stream::Zip(Box::new(a), Box::new(self.stream(b)?), origin))
            }
            (
                Some(Pattern::Stream(Kind::Ring)),
                [
                    _,
                    _,
                    Arg::Type(_),
                    _,
                    Arg::Nat(alloc),
                    Arg::Nat(sz),
                    space @ ..,
                ],
                [f, xs],
            ) => self.windows(phrase, (sz, Some(alloc)), space, f, xs),
            (
                Some(Pattern::Stream(Kind::Window)),
                [_, Arg::Type(_), _, Arg::Nat(sz), space @ ..],
                [f, xs],
            ) => self.windows(phrase, (sz, None), space, f, xs),
            (Some(Pattern::Let), _, [value, f]) => {
                let body = self.bind_in(value, f, origin)?;
                self.stream(&body)
            }
            _ => Ok(Stream::Array(self.read(phrase)?)),
        }
    }

    fn windows(
        &mut self,
        phrase: &Phrase,
        (size, ring): (&Nat, Option<&Nat>),
        space: &[Arg],
        load: &Phrase,
        xs: &Phrase,
    ) -> Result<Stream> {
        let origin = phrase.origin;
        let (count, _) = array_of(xs)?;
        let (_, window) = array_of(phrase)?;
        let rise::Type::Array(_, element) = &*window else {
            return fail(Reason::NoArray, origin);
        };
        let input = self.stream(xs)?;
        let room = ring.unwrap_or(size);
        let data = std::sync::Arc::new(rise::Type::Array(room.clone(), element.clone()));
        let name = if ring.is_some() { "ring" } else { "window" };
        let (acc, read) = self.allocate(&data, space.first().cloned(), name, origin);
        let windows = Windows {
            input,
            count,
            load: load.clone(),
            acc,
            read,
            size: size.clone(),
            ring: ring.cloned(),
            origin,
        };
        let before = size - 1;
        let each = if ring.is_some() {
            Prim::For
        } else {
            Prim::ForUnroll
        };
        self.repeat(each, &before, origin, |this, j| {
            let at = position(&j)?;
            this.load(&windows, at.clone(), at)
        })?;
        Ok(Stream::Windows(Box::new(windows)))
    }

    /// Emits the command that loads element `from` of the input to a position.
    fn load(&mut self, windows: &Windows, from: Phrase, to: Phrase) -> Result<()> {
        let origin = windows.origin;
        let place = element_acc(to, &windows.acc, origin)?;
        let command = self.block(origin, |this| {
            let from = index(&windows.count, from);
            let x = this.next(&windows.input, &from)?;
            let command = this.acc_call(&windows.load, [x], &place)?;
            this.emit(command);
            this.after(&windows.input)
        })?;
        self.emit(command);
        Ok(())
    }

    /// Emits the commands after which element `i` can be read, and returns the expression that
    /// reads it.
    pub fn next(&mut self, stream: &Stream, i: &Phrase) -> Result<Phrase> {
        match stream {
            Stream::Array(xs) => {
                let x = idx(i.clone(), xs, i.origin)?;
                self.read(&x)
            }
            Stream::Map(f, xs) => {
                let x = self.next(xs, i)?;
                let body = self.call(f, [x])?;
                self.read(&body)
            }
            Stream::Zip(a, b, origin) => {
                let a = self.next(a, i)?;
                let b = self.next(b, i)?;
                pair(a, b, *origin)
            }
            Stream::Windows(windows) => self.next_window(windows, i),
        }
    }

    fn next_window(&mut self, windows: &Windows, i: &Phrase) -> Result<Phrase> {
        let origin = windows.origin;
        let math = |op, a: Phrase, b: Phrase| arithmetic(op, a, b, origin);
        let last = phrase::nat(&windows.size - 1, origin);
        let from = math(Prim::Add, position(i)?, last.clone());
        let Some(room) = &windows.ring else {
            self.load(windows, from, last)?;
            return Ok(windows.read.clone());
        };
        let size = phrase::nat(room.clone(), origin);
        let to = math(Prim::Mod, from.clone(), size.clone());
        self.load(windows, from, to)?;
        let i = position(i)?;
        self.each(&windows.size, origin, |_, j| {
            let at = math(Prim::Add, i, position(&j)?);
            element(math(Prim::Mod, at, size), &windows.read, origin)
        })
    }

    /// Emits the commands after the last use of an element, which shift the windows. Their elements
    /// have been through the function already and are copied.
    pub fn after(&mut self, stream: &Stream) -> Result<()> {
        match stream {
            Stream::Array(_) => Ok(()),
            Stream::Map(_, xs) => self.after(xs),
            Stream::Zip(a, b, _) => {
                self.after(a)?;
                self.after(b)
            }
            Stream::Windows(windows) if windows.ring.is_some() => Ok(()),
            Stream::Windows(windows) => {
                let origin = windows.origin;
                let before = &windows.size - 1;
                self.repeat(Prim::ForUnroll, &before, origin, |this, j| {
                    let at = position(&j)?;
                    let next = arithmetic(
                        Prim::Add,
                        at.clone(),
                        phrase::nat(Nat::constant(1), origin),
                        origin,
                    );
                    let x = element(next, &windows.read, origin)?;
                    let place = element_acc(at, &windows.acc, origin)?;
                    this.copy_to(&place, &x, origin)
                })
            }
        }
    }
}
