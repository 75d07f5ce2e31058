//! The stream translation: arrays whose elements come one after the other, each once.
//!
//! A stream asks for its elements in order. What has to happen after an element was used (moving
//! a window along) stands at the end of the iteration.

use nat::Nat;
use rise::Arg;
use rise::core::{Form, Origin};

use super::Translation;
use super::build::{arithmetic, array_of, element, element_acc, idx, index, pair, position};
use super::error::{Reason, Result, fail};
use crate::phrase::{self, Phrase};
use crate::prim::Prim;

/// A stream, its memory allocated and its first elements loaded.
pub enum Stream {
    /// The elements of an array.
    Array(Phrase),
    /// A function of each element.
    Map(Phrase, Box<Stream>),
    /// Two streams side by side.
    Zip(Box<Stream>, Box<Stream>, Origin),
    /// Windows in memory.
    Windows(Box<Windows>),
}

/// Windows of `size` elements of a stream, in memory.
pub struct Windows {
    input: Stream,
    /// How many elements the input has.
    count: Nat,
    /// What is applied to an element on its way into memory.
    load: Phrase,
    acc: Phrase,
    read: Phrase,
    size: Nat,
    /// How many elements there is memory for, if they are written around in a ring; else they
    /// move.
    ring: Option<Nat>,
    origin: Origin,
}

impl Translation {
    /// Adds the commands with which a stream begins.
    pub fn stream(&mut self, phrase: &Phrase) -> Result<Stream> {
        let phrase = &self.head(phrase)?;
        let origin = phrase.origin;
        let Form::Primitive(which, types, args) = &phrase.form else {
            return Ok(Stream::Array(self.read(phrase)?));
        };
        match (which, &types[..], &args[..]) {
            (Prim::MapStream, _, [f, xs]) => {
                let xs = self.stream(xs)?;
                Ok(Stream::Map(f.clone(), Box::new(xs)))
            }
            (Prim::ZipStream, _, [a, b]) => {
                let a = self.stream(a)?;
                Ok(Stream::Zip(Box::new(a), Box::new(self.stream(b)?), origin))
            }
            (
                Prim::CircularBuffer,
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
            (Prim::RotateValues, [_, Arg::Type(_), _, Arg::Nat(sz), space @ ..], [f, xs]) => {
                self.windows(phrase, (sz, None), space, f, xs)
            }
            (Prim::Let, _, [value, f]) => {
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

    /// Adds the command that puts element `from` of the input at a place.
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

    /// Adds the commands after which element `i` can be read, and returns what reads it.
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

    /// Adds the commands that stand after the last use of an element: those that move a window
    /// along. What is in it has been through the function already, and moves as it is.
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
