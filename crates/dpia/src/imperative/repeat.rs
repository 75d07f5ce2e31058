//! The translation of `repeat`, `repeatInPlace` and `repeatWhile`.
//!
//! A value of any data type is kept in one buffer pair for each array in it: arrays of arrays are
//! joined, and arrays of tuples that contain arrays are unzipped, so that every pair of buffers has
//! one dimension and is exchanged by its pointers. A part without arrays, and one of another type (a
//! dependent array), is kept in a variable, to which each round copies its result at the end.

use nat::Nat;
use rise::core::{Form, Node, Origin, Param, subterms};
use rise::pattern::{Level, MapLoop, Pattern};
use rise::types::contains_array;
use rise::{Access, Arg, Ty, Type};

use super::Translation;
use super::block::BlockStatement;
use super::build::{
    self, branch, comm, compare, data_of, fun2, half, half_acc, pair, part_acc, seq, skip,
};
use super::error::{Reason, Result, fail};
use crate::phrase::{self, Phrase, acc, exp, prim};
use crate::prim::Prim;

/// The type-level arguments of `repeat`: the number of rounds, the type of the value, and the
/// address space, if it is given.
pub type RepeatArgs<'a> = (&'a Nat, &'a Ty, &'a [Arg]);

/// The memory of a part of the repeated value.
enum BufferedPart {
    /// Two buffers of one dimension, which are exchanged after each round.
    Exchanged(Box<ExchangedBuffers>),
    /// A variable, and one of each round, which is copied to it at the end of the round.
    Copied(Box<CopiedVariable>),
}

/// Two buffers of `count` elements, with the names that the body of their allocation binds.
struct ExchangedBuffers {
    count: Nat,
    element: Ty,
    input: Phrase,
    output: Option<Phrase>,
    acceptor: Param,
    value: Param,
    swap: Param,
    done: Param,
}

/// A variable with the names of the variable of a round.
struct CopiedVariable {
    data: Ty,
    /// The acceptor and the expression of the current value.
    current: (Phrase, Phrase),
    next: (Param, Param),
    input: Phrase,
    output: Option<Phrase>,
}

impl Translation {
    /// Writes the value of `repeatInPlace`: the initial value, and then the result of each round, in
    /// one memory. That is the output if an expression reads it and only it has the value, otherwise
    /// memory that is copied to the output at the end.
    pub fn write_repeat_in_place(
        &mut self,
        (k, t, space): RepeatArgs<'_>,
        f: &Phrase,
        init: &Phrase,
        output: &Phrase,
        origin: Origin,
    ) -> Result<()> {
        let init = self.head(init)?;
        if let Form::Primitive(Prim::InPlace, _, start) = &init.form
            && let [value] = &start[..]
        {
            let value = self.read(value)?;
            return match self.reads_from(&value, output) {
                true => self.rounds_in_place(k, f, &value, output, origin),
                false => fail(Reason::NotInPlace, origin),
            };
        }
        if let Some(value) = self.reader_of(output)
            && !self.reads_from(&init, output)
            && !self.reads_from(f, output)
        {
            self.write(&init, output)?;
            return self.rounds_in_place(k, f, &value, output, origin);
        }
        let name = self.accumulator_name(f, 0);
        let (place, value) = self.allocate(t, space.first().cloned(), &name, origin);
        let command = self.acc(&init, place.clone())?;
        self.emit(command);
        self.rounds_in_place(k, f, &value, &place, origin)?;
        let dimensions = distributed_dimensions(&[f, &init]);
        self.distributed_copy(output, &value, &dimensions, origin)
    }

    /// Emits the loops that copy a value, the outer ones of which are distributed over the
    /// work-items of a group in these dimensions.
    fn distributed_copy(
        &mut self,
        output: &Phrase,
        value: &Phrase,
        dimensions: &[Option<Arg>],
        origin: Origin,
    ) -> Result<()> {
        let (Type::Array(n, t), [dimension, inner @ ..]) = (&*data_of(output)?, dimensions) else {
            return self.copy_to(output, value, origin);
        };
        let types = [Arg::Nat(n.clone()), Arg::Type(t.clone())].into_iter();
        let types = types.chain(dimension.clone()).collect();
        let names = ("lId", "lOut");
        self.repeat_into(
            Prim::ParForLocal,
            types,
            output,
            names,
            origin,
            |this, i, place| {
                let element = build::idx(i, value, origin)?;
                this.distributed_copy(&place, &element, inner, origin)
            },
        )
    }

    fn rounds_in_place(
        &mut self,
        k: &Nat,
        f: &Phrase,
        value: &Phrase,
        place: &Phrase,
        origin: Origin,
    ) -> Result<()> {
        self.repeat(Prim::For, k, origin, |this, _| {
            this.write_call(f, [value.clone()], place)
        })
    }

    /// Returns the expression that reads the whole memory of an acceptor, if the acceptor is that of
    /// an allocation.
    fn reader_of(&self, output: &Phrase) -> Option<Phrase> {
        let Form::Var(local) = &output.form else {
            return None;
        };
        let reader = self.readers.get(&local.id)?;
        Some(Node::var(reader, output.origin))
    }

    /// Writes the value of `repeat`: round `i` of `k` reads one buffer of each part and writes the
    /// other one, and the last round writes the output.
    pub fn write_repeat(
        &mut self,
        (k, t, space): RepeatArgs<'_>,
        f: &Phrase,
        init: &Phrase,
        output: &Phrase,
        origin: Origin,
    ) -> Result<()> {
        if !contains_array(t) {
            // The result of a round is assigned after it is computed.
            let place = (k, t, space);
            return self.write_repeat_in_place(place, f, init, output, origin);
        }
        let init = self.read_plain(init)?;
        let name = self.accumulator_name(f, 0);
        let mut parts = Vec::new();
        let body = self.block(origin, |this| {
            let output = Some(output.clone());
            let (place, value) = this.buffers(t, &name, init, output, &mut parts, origin)?;
            this.start(&parts, origin)?;
            this.repeat_nat(k, origin, |this, i| {
                let last = Nat::sub(k, &Nat::constant(1));
                let finish = commands(&parts, |buffers| &buffers.done, origin);
                if let Some(finish) = finish {
                    let (i, last) = (phrase::nat(i, origin), phrase::nat(last, origin));
                    let is_last = compare(Prim::Equal, i, last, origin);
                    this.emit(branch(is_last, finish, skip(origin), origin));
                }
                this.round(f, &place, &value, &parts, origin)
            })?;
            for part in &parts {
                if let BufferedPart::Copied(part) = part
                    && let Some(output) = &part.output
                {
                    this.copy_to(output, &part.current.1, origin)?;
                }
            }
            Ok(())
        })?;
        let space = self.buffer_space(space);
        let whole = parts.into_iter().rev().fold(body, |body, part| match part {
            BufferedPart::Exchanged(buffers) => buffers.allocation(&space, body, origin),
            BufferedPart::Copied(_) => body,
        });
        self.emit(whole);
        Ok(())
    }

    /// Emits the loop of `repeatWhile` with its buffers, and returns the number of rounds and the
    /// last value.
    ///
    /// A round that finds the condition to be false changes nothing, so that all later ones find
    /// the same: code generation ends the loop there.
    pub fn read_repeat_while(
        &mut self,
        types: &[Arg],
        [condition, f, init]: [&Phrase; 3],
        phrase: &Phrase,
    ) -> Result<Phrase> {
        let origin = phrase.origin;
        let [Arg::Type(t), Arg::Nat(limit), space @ ..] = types else {
            return fail(Reason::Arguments(Prim::RepeatWhile), origin);
        };
        let init = self.read_plain(init)?;
        let name = self.accumulator_name(f, 0);
        let mut parts = Vec::new();
        // The buffers are allocated for the rest of the block, before what is in `inner`.
        self.blocks.push(Vec::new());
        let allocated = match contains_array(t) {
            true => self.buffers(t, &name, init, None, &mut parts, origin),
            // The result of a round is assigned after it is computed.
            false => {
                let memory = self.allocate(t, None, &name, origin);
                self.assign(&memory.0, &init, origin).map(|()| memory)
            }
        };
        let inner = self.blocks.pop().unwrap_or_default();
        let (place, value) = allocated?;
        let space = self.buffer_space(space);
        for part in &parts {
            if let BufferedPart::Exchanged(buffers) = part {
                self.push_statement(BlockStatement::Buffers {
                    types: buffers.types(&space),
                    input: buffers.input.clone(),
                    acceptor: buffers.acceptor.clone(),
                    value: buffers.value.clone(),
                    swap: buffers.swap.clone(),
                    origin,
                });
            }
        }
        inner.into_iter().for_each(|step| self.push_statement(step));
        self.start(&parts, origin)?;
        let after = Nat::add(limit, &Nat::ONE);
        let counted = |rounds: Nat| build::index(&after, phrase::nat(rounds, origin));
        let count_type = std::sync::Arc::new(Type::Index(after.clone()));
        let (count, rounds) = self.allocate(&count_type, None, "rounds", origin);
        self.assign(&count, &counted(Nat::ZERO), origin)?;
        let holds = self.call(condition, [value.clone()])?;
        let (flag, holds) = match self.is_pure(&holds) {
            true => (None, holds),
            false => {
                let (flag, read) = self.allocate(&data_of(&holds)?, None, "continues", origin);
                let command = self.acc_call(condition, [value.clone()], &flag)?;
                self.emit(command);
                (Some(flag), read)
            }
        };
        self.repeat_nat(limit, origin, |this, i| {
            let round = this.block(origin, |this| {
                this.round(f, &place, &value, &parts, origin)?;
                this.assign(&count, &counted(Nat::add(&i, &Nat::ONE)), origin)?;
                if let Some(flag) = &flag {
                    let command = this.acc_call(condition, [value.clone()], flag)?;
                    this.emit(command);
                }
                Ok(())
            })?;
            this.emit(branch(holds, round, skip(origin), origin));
            Ok(())
        })?;
        pair(rounds, value, origin)
    }

    /// Emits one round: the function writes all parts, and then each part is exchanged or copied.
    fn round(
        &mut self,
        f: &Phrase,
        place: &Phrase,
        value: &Phrase,
        parts: &[BufferedPart],
        origin: Origin,
    ) -> Result<()> {
        for part in parts {
            if let BufferedPart::Copied(part) = part {
                let (acceptor, value) = part.next.clone();
                self.push_statement(BlockStatement::New {
                    data: part.data.clone(),
                    space: self.default_space(),
                    acceptor,
                    value,
                    origin,
                });
            }
        }
        let command = self.acc_call(f, [value.clone()], place)?;
        self.emit(command);
        for part in parts {
            if let BufferedPart::Copied(part) = part {
                let next = Node::var(&part.next.1, origin);
                self.copy_to(&part.current.0, &next, origin)?;
            }
        }
        if let Some(exchange) = commands(parts, |buffers| &buffers.swap, origin) {
            self.emit(exchange);
        }
        Ok(())
    }

    /// Emits the commands that give the parts in variables their initial values.
    fn start(&mut self, parts: &[BufferedPart], origin: Origin) -> Result<()> {
        for part in parts {
            if let BufferedPart::Copied(part) = part {
                self.copy_to(&part.current.0, &part.input, origin)?;
            }
        }
        Ok(())
    }

    /// Makes the memory of a value, whose parts it appends to `parts`. Returns the acceptor of the
    /// next value and the expression that reads the current one. `input` is the initial value,
    /// `output` the acceptor of the result, if it is written.
    fn buffers(
        &mut self,
        data: &Ty,
        name: &str,
        input: Phrase,
        output: Option<Phrase>,
        parts: &mut Vec<BufferedPart>,
        origin: Origin,
    ) -> Result<(Phrase, Phrase)> {
        match &**data {
            Type::Pair(a, b) if contains_array(data) => {
                let mut places = Vec::new();
                let mut values = Vec::new();
                for (ty, read, write) in [
                    (a, Prim::Fst, Prim::PairAcc1),
                    (b, Prim::Snd, Prim::PairAcc2),
                ] {
                    let input = projection(read, &input, origin)?;
                    let output = match &output {
                        Some(output) => Some(half_acc(write, output, origin)?),
                        None => None,
                    };
                    let (place, value) = self.buffers(ty, name, input, output, parts, origin)?;
                    places.push(place);
                    values.push(value);
                }
                let types = vec![Arg::Type(a.clone()), Arg::Type(b.clone())];
                let place = prim(Prim::PairAcc, types, places, origin);
                let types = [a, b].map(|ty| Arg::Type(ty.clone())).into_iter();
                let types = types.chain([Arg::Access(Access::Rd)]).collect();
                Ok((place, prim(Prim::MakePair, types, values, origin)))
            }
            Type::Array(n, row) => match &**row {
                Type::Array(m, element) => {
                    let (outer, inner, ty) = (
                        Arg::Nat(n.clone()),
                        Arg::Nat(m.clone()),
                        Arg::Type(element.clone()),
                    );
                    let rd = Arg::Access(Access::Rd);
                    let nested = vec![outer.clone(), inner.clone(), ty.clone()];
                    let joined = [nested.clone(), vec![rd.clone()]].concat();
                    let input = prim(Prim::Join, joined, vec![input], origin);
                    let output = output
                        .map(|output| prim(Prim::SplitAcc, nested.clone(), vec![output], origin));
                    let flat = Type::Array(Nat::mul(n, m), element.clone()).into();
                    let (place, value) = self.buffers(&flat, name, input, output, parts, origin)?;
                    let split = vec![outer, ty, rd, inner];
                    Ok((
                        prim(Prim::JoinAcc, nested, vec![place], origin),
                        prim(Prim::Split, split, vec![value], origin),
                    ))
                }
                Type::Pair(a, b) if contains_array(row) => {
                    let zipped = vec![
                        Arg::Nat(n.clone()),
                        Arg::Type(a.clone()),
                        Arg::Type(b.clone()),
                    ];
                    let read = [zipped.clone(), vec![Arg::Access(Access::Rd)]].concat();
                    let input = prim(Prim::Unzip, read.clone(), vec![input], origin);
                    let arrays =
                        [a, b].map(|ty| -> Ty { Type::Array(n.clone(), ty.clone()).into() });
                    let output = output.map(|output| {
                        let halves = [Prim::ZipAcc1, Prim::ZipAcc2]
                            .map(|half| prim(half, zipped.clone(), vec![output.clone()], origin));
                        let types = arrays.clone().map(Arg::Type).to_vec();
                        prim(Prim::PairAcc, types, halves.to_vec(), origin)
                    });
                    let [a, b] = arrays;
                    let both = Type::Pair(a, b).into();
                    let (place, value) = self.buffers(&both, name, input, output, parts, origin)?;
                    let value = match &value.form {
                        Form::Primitive(Prim::MakePair, _, halves) if halves.len() == 2 => {
                            prim(Prim::Zip, read, halves.to_vec(), origin)
                        }
                        _ => return fail(Reason::NoPair, origin),
                    };
                    Ok((prim(Prim::UnzipAcc, zipped, vec![place], origin), value))
                }
                _ if !contains_array(row) => {
                    let acceptor = self.param(&format!("{name}Acc"), acc(data));
                    let value = self.param(name, exp(data, Access::Rd));
                    let [swap, done] = ["swap", "done"].map(|name| self.param(name, comm()));
                    let place = Node::var(&acceptor, origin);
                    let written = part_acc(Prim::TakeAcc, n, &place, origin)?;
                    let read = Node::var(&value, origin);
                    parts.push(BufferedPart::Exchanged(Box::new(ExchangedBuffers {
                        count: n.clone(),
                        element: row.clone(),
                        input,
                        output,
                        acceptor,
                        value,
                        swap,
                        done,
                    })));
                    Ok((written, read))
                }
                _ => Ok(self.copied(data, name, input, output, parts, origin)),
            },
            _ => Ok(self.copied(data, name, input, output, parts, origin)),
        }
    }

    fn copied(
        &mut self,
        data: &Ty,
        name: &str,
        input: Phrase,
        output: Option<Phrase>,
        parts: &mut Vec<BufferedPart>,
        origin: Origin,
    ) -> (Phrase, Phrase) {
        let current = self.allocate(data, None, name, origin);
        let next = self.memory("next", data);
        let place = Node::var(&next.0, origin);
        let value = current.1.clone();
        parts.push(BufferedPart::Copied(Box::new(CopiedVariable {
            data: data.clone(),
            current,
            next,
            input,
            output,
        })));
        (place, value)
    }

    fn buffer_space(&self, space: &[Arg]) -> Option<Arg> {
        space.first().cloned().or_else(|| self.default_space())
    }
}

impl ExchangedBuffers {
    /// Returns the type-level arguments of `newBuffers`.
    fn types(&self, space: &Option<Arg>) -> Vec<Arg> {
        let types = [
            Arg::Nat(self.count.clone()),
            Arg::Type(self.element.clone()),
        ];
        types.into_iter().chain(space.clone()).collect()
    }

    /// Makes the command that allocates the buffers for a body.
    fn allocation(self, space: &Option<Arg>, body: Phrase, origin: Origin) -> Phrase {
        let mut types = self.types(space);
        match self.output {
            Some(output) => {
                types.insert(0, Arg::Nat(self.count));
                let body = fun2(self.swap, self.done, body);
                let body = fun2(self.acceptor, self.value, body);
                let args = vec![self.input, output, body];
                prim(Prim::NewDoubleBuffer, types, args, origin)
            }
            None => buffers_command(
                types,
                self.input,
                [self.acceptor, self.value, self.swap],
                body,
            ),
        }
    }
}

/// Returns the dimensions of the loops in these phrases that are distributed over the work-items of a
/// group, each once, those of outer loops first; `None` is the first dimension.
fn distributed_dimensions(phrases: &[&Phrase]) -> Vec<Option<Arg>> {
    let mut found = Vec::new();
    for term in phrases.iter().flat_map(|phrase| subterms(phrase)) {
        if let Form::Primitive(prim, types, _) = &term.form
            && prim.pattern() == Some(Pattern::Map(MapLoop::Parallel(Level::Local)))
        {
            let dimension = types.get(3).cloned();
            let is_first = |arg: &Arg| matches!(arg, Arg::Nat(nat) if nat.as_const() == Some(0));
            let dimension = dimension.filter(|arg| !is_first(arg));
            if !found.contains(&dimension) {
                found.push(dimension);
            }
        }
    }
    found
}

/// Makes `newBuffers(types…, input, fun(acceptor, value, swap => body))`.
pub fn buffers_command(
    types: Vec<Arg>,
    input: Phrase,
    [acceptor, value, swap]: [Param; 3],
    body: Phrase,
) -> Phrase {
    let origin = body.origin;
    let body = fun2(acceptor, value, phrase::fun(swap, body));
    prim(Prim::NewBuffers, types, vec![input, body], origin)
}

/// Makes the sequence of one command of each pair of buffers; `None` if there are none.
fn commands(
    parts: &[BufferedPart],
    which: impl Fn(&ExchangedBuffers) -> &Param,
    origin: Origin,
) -> Option<Phrase> {
    let each = parts.iter().rev().filter_map(|part| match part {
        BufferedPart::Exchanged(buffers) => Some(Node::var(which(buffers), origin)),
        BufferedPart::Copied(_) => None,
    });
    each.reduce(|after, command| seq(command, after))
}

/// Makes the expression that reads a half of a pair, which is that of a `makePair`.
fn projection(which: Prim, value: &Phrase, origin: Origin) -> Result<Phrase> {
    match &value.form {
        Form::Primitive(Prim::MakePair, _, halves) if halves.len() == 2 => {
            Ok(halves[usize::from(which == Prim::Snd)].clone())
        }
        _ => half(which, value, origin),
    }
}
