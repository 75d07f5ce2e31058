//! Two buffers that take turns: what a round wrote is what the next one reads.

use std::rc::Rc;

use dpia::{Phrase, Prim, Target};
use nat::Nat;
use rise::core::{Form, Local, Origin, subst_vars, subterms};
use rise::{Arg, Ty, Type};
use rustc_hash::FxHashMap;
use syntax::ast::AddressSpace;

use super::buffers::{declare, leaf, space, two_params};
use super::command::items;
use super::env::{Bound, Env, Path, Step};
use super::read::{load, nat_arg};
use super::rounds::{Names, Rounds};
use super::store::{Part, Store, lost};
use super::{Lower, stmt};
use crate::error::CompileError;
use crate::ir::{ExprKind, Home, Id, Level, LoopMode, Place, Stmt, StmtKind, Variable};
use crate::passes::walk::{Renamed, change_all};

/// Rounds up to which each is written out in memory that the work-items of a device share: a loop
/// over rounds has one barrier.
const MAX_SHARED: i64 = 2;

/// `newDoubleBuffer(n, t, input, output, fun(acc, exp, swap, done => body))`
struct Turns<'p> {
    input: &'p Phrase,
    output: &'p Phrase,
    acc: Local,
    exp: Local,
    swap: Local,
    done: Local,
    body: Phrase,
    /// How many elements the result has.
    result: Nat,
    /// How many elements are read at first.
    all: Nat,
    elem: Ty,
    home: Home,
    /// The dimensions in which work-items of a group share the rounds, outer loops first.
    dimensions: Vec<u8>,
    origin: Origin,
}

impl<'p> Turns<'p> {
    fn of(phrase: &'p Phrase) -> Option<Turns<'p>> {
        let Form::Primitive(_, types, args) = &phrase.form else {
            return None;
        };
        let (Some(Arg::Type(elem)), [input, output, f]) = (types.get(2), &args[..]) else {
            return None;
        };
        let (acc, exp, rest) = two_params(f)?;
        let (swap, done, body) = two_params(&rest)?;
        Some(Turns {
            input,
            output,
            acc: acc.local,
            exp: exp.local,
            swap: swap.local,
            done: done.local,
            body,
            result: nat_arg(types, 0),
            all: nat_arg(types, 1),
            elem: elem.clone(),
            home: Home::Local(space(types.get(3))),
            dimensions: shared_dimensions(f),
            origin: phrase.origin,
        })
    }

    fn array(&self, count: &Nat) -> Ty {
        Type::Array(count.clone(), self.elem.clone()).into()
    }
}

impl Lower<'_> {
    /// Two buffers that take turns.
    pub(super) fn double_buffer(
        &mut self,
        phrase: &Phrase,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<(), CompileError> {
        let turns = Turns::of(phrase).ok_or_else(|| lost(phrase.origin))?;
        let names = Names {
            acc: &turns.acc,
            swap: &turns.swap,
            done: &turns.done,
        };
        let rounds = Rounds::of(&turns.body, names);
        let mut in_memory = self.side_by_side(turns.input, env)?;
        let opencl = self.target == Target::OpenCl;
        let is_private = matches!(turns.home, Home::Local(None | Some(AddressSpace::Private)));
        if let Some(rounds) = &rounds
            && let Some(count) = rounds.to_write_out(opencl && is_private)
            && (!opencl || is_private || count <= MAX_SHARED)
        {
            let as_it_is = in_memory.is_some() || opencl;
            return self.rounds_apart(&turns, rounds, count, as_it_is, env, out);
        }
        in_memory = in_memory.filter(|place| self.is_in(place, turns.home));
        self.rounds_in_a_loop(&turns, rounds.as_ref(), in_memory, env, out)
    }

    /// Round after round, each with the buffers that it reads and writes.
    fn rounds_apart(
        &mut self,
        turns: &Turns<'_>,
        rounds: &Rounds,
        count: i64,
        in_memory: bool,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<(), CompileError> {
        let sizes = self.buffer_sizes(Some(rounds), &turns.all);
        let mut buffers = [None, None];
        let mut read = Bound::Phrase(turns.input.clone(), Rc::new([]), env.clone());
        if !in_memory {
            let store = self.turn_buffer("from", &turns.all, turns, out);
            self.copy_in(turns, leaf(&store, turns.origin)?, env, out)?;
            read = Bound::Store(store);
        }
        let outer = std::mem::replace(&mut self.written_again, true);
        for number in 0..count {
            let write = if number + 1 == count {
                Bound::Phrase(turns.output.clone(), Rc::new([]), env.clone())
            } else {
                let (at, name, size) = match number % 2 {
                    0 => (0, "ping", &sizes.0),
                    _ => (1, "pong", &sizes.1),
                };
                let store =
                    buffers[at].get_or_insert_with(|| self.turn_buffer(name, size, turns, out));
                Bound::Store(store.clone())
            };
            let env = env.with(&turns.acc, write.clone()).with(&turns.exp, read);
            let number = Arg::Nat(Nat::constant(number));
            for command in &rounds.body {
                let command = subst_vars(command, &|var| {
                    (var == rounds.counter).then(|| number.clone())
                });
                self.command(&command, &env, out)?;
            }
            read = write;
        }
        self.written_again = outer;
        Ok(())
    }

    /// Whether a pointer to memory like this may point to a place: on a device it points to one
    /// address space.
    fn is_in(&self, place: &Place, home: Home) -> bool {
        if self.target != Target::OpenCl {
            return true;
        }
        let space = |home| match home {
            Home::Output | Home::Input => AddressSpace::Global,
            Home::Local(space) => space.unwrap_or(AddressSpace::Private),
            Home::Pointer { .. } => AddressSpace::Constant,
        };
        space(self.function.variables[place.id.0 as usize].home) == space(home)
    }

    fn turn_buffer(
        &mut self,
        name: &str,
        count: &Nat,
        turns: &Turns<'_>,
        out: &mut Vec<Stmt>,
    ) -> Store {
        let store =
            self.allocate_whole(&name.into(), &turns.array(count), turns.home, turns.origin);
        declare(&store, turns.origin, out);
        store
    }

    /// A pointer to read through and one to write through, which exchange what they point to.
    fn rounds_in_a_loop(
        &mut self,
        turns: &Turns<'_>,
        rounds: Option<&Rounds>,
        in_memory: Option<Place>,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<(), CompileError> {
        let origin = turns.origin;
        let (first, mut second) = self.buffer_sizes(rounds, &turns.all);
        if in_memory.is_none() {
            second = turns.all.clone();
        }
        let ty = turns.array(&turns.all);
        let mut pointer = |name: &str, writable| {
            let home = Home::Pointer {
                writable,
                alone: false,
            };
            let store = self.allocate_whole(&name.into(), &ty, home, origin);
            declare(&store, origin, out);
            Ok((leaf(&store, origin)?, store))
        };
        let (from, read) = pointer("from", false)?;
        let (into, write) = pointer("into", true)?;
        let (spare, _) = pointer("spare", true)?;
        let one = self.turn_buffer("ping", &first, turns, out);
        let two = self.turn_buffer("pong", &second, turns, out);
        let (one, two) = (leaf(&one, origin)?, leaf(&two, origin)?);
        let start = match in_memory {
            Some(place) => place,
            None => {
                self.copy_in(turns, two, env, out)?;
                Place::start(two)
            }
        };
        for (pointer, place) in [
            (from, start),
            (into, Place::start(one)),
            (spare, Place::start(two)),
        ] {
            out.push(stmt(StmtKind::Point(pointer, place), origin));
        }
        self.run_rounds(turns, [from, into, spare], read, write, env, out)
    }

    /// The rounds, with pointers to what is read, what is written and what is free.
    fn run_rounds(
        &mut self,
        turns: &Turns<'_>,
        [from, into, spare]: [Id; 3],
        read: Store,
        write: Store,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<(), CompileError> {
        let target = self.acceptor_side_by_side(turns.output, env)?;
        let target = target.filter(|place| self.is_in(place, turns.home));
        let swap = Bound::Swap {
            read: from,
            write: into,
            spare,
        };
        let done = Bound::Redirect {
            write: into,
            to: target.clone(),
        };
        let inner = env
            .with(&turns.acc, Bound::Store(write))
            .with(&turns.exp, Bound::Store(read.clone()))
            .with(&turns.swap, swap)
            .with(&turns.done, done);
        let start = out.len();
        self.command(&turns.body, &inner, out)?;
        for statement in &mut out[start..] {
            if let StmtKind::For { body, .. } = &mut statement.kind {
                self.apart(body, from, into, turns.origin);
            }
        }
        match target {
            Some(_) => Ok(()),
            None => self.copy_out(&read, turns, env, out),
        }
    }

    /// Between the exchanges of buffers, what is read and what is written do not overlap: each is
    /// reached through a pointer of its own, so that the C compiler knows.
    fn apart(&mut self, body: &mut Vec<Stmt>, read: Id, write: Id, origin: Origin) {
        let first = body.iter().position(|stmt| !turns(stmt));
        let last = body.iter().rposition(|stmt| !turns(stmt));
        let (Some(first), Some(last)) = (first, last) else {
            return;
        };
        let mut opaque = self.function.opaque.iter();
        if body[first..=last].iter().any(turns)
            || opaque.any(|(_, expr)| self.reads(expr, read) || self.reads(expr, write))
        {
            return;
        }
        let mut own = Vec::new();
        let mut ids = FxHashMap::default();
        for (name, of, writable) in [("now", read, false), ("next", write, true)] {
            let id = self.variable(Variable {
                name: name.into(),
                home: Home::Pointer {
                    writable,
                    alone: true,
                },
                ..self.function.variables[of.0 as usize].clone()
            });
            own.push(stmt(StmtKind::Declare(id, None), origin));
            own.push(stmt(StmtKind::Point(id, Place::start(of)), origin));
            ids.insert(of, id);
        }
        let inner = own.len();
        own.extend(body.drain(first..=last));
        change_all(&mut own[inner..], &mut Renamed { ids: &ids });
        body.insert(first, stmt(StmtKind::Block(own), origin));
    }

    /// Where an array expression lies in memory element after element, if it does.
    fn side_by_side(&mut self, phrase: &Phrase, env: &Env) -> Result<Option<Place>, CompileError> {
        self.run_of_elements(phrase, |lower, at| {
            Ok(match lower.read(phrase, at, env)?.kind {
                ExprKind::Load(place) => Some(place),
                _ => None,
            })
        })
    }

    fn acceptor_side_by_side(
        &mut self,
        phrase: &Phrase,
        env: &Env,
    ) -> Result<Option<Place>, CompileError> {
        self.run_of_elements(phrase, |lower, at| {
            Ok(match lower.place(phrase, at, env)? {
                Part::Place(place, _) => Some(place),
                _ => None,
            })
        })
    }

    /// The first element of an array, if the others follow it in memory in their order.
    fn run_of_elements(
        &mut self,
        phrase: &Phrase,
        element: impl FnOnce(&mut Self, Path) -> Result<Option<Place>, CompileError>,
    ) -> Result<Option<Place>, CompileError> {
        let Some(mut ty) = dpia::phrase::data(&phrase.ty).cloned() else {
            return Ok(None);
        };
        let known = self.facts.clone();
        let (mut steps, mut vars, mut offset) = (Vec::new(), Vec::new(), Nat::constant(0));
        while let Type::Array(n, elem) = &*ty.clone() {
            let var = self.function.fresh_size("i");
            self.facts.range(var, &Nat::constant(0), n);
            let index = Nat::var(var);
            offset = offset + &(index.clone() * &self.count(elem));
            steps.push(Step::Index(index));
            vars.push(var);
            ty = elem.clone();
        }
        let place = element(self, Path::new().push_all(&steps));
        let offset = self.simplify(&offset);
        let first = place.map(|place| {
            let place = place?;
            let index = place.index.as_ref()?;
            let first = self.simplify(&Nat::sub(index, &offset));
            let whole = place.members.is_empty() && place.lane.is_none() && place.lanes.is_none();
            let moves = vars.iter().any(|var| first.mentions(*var));
            (whole && !moves).then(|| Place {
                index: Some(first),
                ..place.clone()
            })
        });
        self.facts = known;
        first
    }

    /// What is to be read first is computed into a buffer.
    fn copy_in(
        &mut self,
        turns: &Turns<'_>,
        into: Id,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<(), CompileError> {
        let ty = turns.array(&turns.all);
        let store = Store::Leaf {
            id: into,
            ty: ty.clone(),
            start: Some(Nat::constant(0)),
        };
        let from = turns.input;
        let origin = from.origin;
        let body = &mut |lower: &mut Self, path: Path, out: &mut Vec<Stmt>| {
            let value = lower.read(from, path.clone(), env)?;
            let place = lower.part(&store, path, origin)?;
            lower.assign(place, value, origin, out)
        };
        let start = out.len();
        self.each_element(&ty, Path::new(), origin, body, out)?;
        self.share_copies(&mut out[start..], turns);
        Ok(())
    }

    /// Copies to or from memory of a group are shared by the work-items that share the rounds.
    fn share_copies(&self, copies: &mut [Stmt], turns: &Turns<'_>) {
        let of_group = matches!(
            turns.home,
            Home::Local(Some(AddressSpace::Local | AddressSpace::Global))
        );
        if self.target != Target::OpenCl || !of_group {
            return;
        }
        let mut copies = copies;
        for dimension in &turns.dimensions {
            let [copy] = copies else { return };
            let StmtKind::For { mode, body, .. } = &mut copy.kind else {
                return;
            };
            *mode = LoopMode::Items(Level::Local, *dimension);
            copies = body;
        }
    }

    /// What was written last is copied to where it is wanted.
    fn copy_out(
        &mut self,
        from: &Store,
        turns: &Turns<'_>,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<(), CompileError> {
        let origin = turns.output.origin;
        let body = &mut |lower: &mut Self, path: Path, out: &mut Vec<Stmt>| {
            let value = load(lower.part(from, path.clone(), origin)?, origin);
            let place = lower.place(turns.output, path, env)?;
            lower.assign(place, value, origin, out)
        };
        let start = out.len();
        self.each_element(&turns.array(&turns.result), Path::new(), origin, body, out)?;
        self.share_copies(&mut out[start..], turns);
        Ok(())
    }

    /// Loops over all elements of a type, the path to each.
    #[allow(clippy::type_complexity)]
    fn each_element(
        &mut self,
        ty: &Ty,
        path: Path,
        origin: Origin,
        body: &mut dyn FnMut(&mut Self, Path, &mut Vec<Stmt>) -> Result<(), CompileError>,
        out: &mut Vec<Stmt>,
    ) -> Result<(), CompileError> {
        let Type::Array(n, elem) = &**ty else {
            return body(self, path, out);
        };
        let counter = self.function.fresh_size("");
        let zero = Nat::constant(0);
        let mut inner = Vec::new();
        let path = path.behind(Step::Index(Nat::var(counter)));
        self.within(counter, &zero, n, |lower| {
            lower.each_element(elem, path, origin, body, &mut inner)
        })?;
        let kind = StmtKind::For {
            counter,
            from: zero,
            to: n.clone(),
            step: Nat::constant(1),
            mode: LoopMode::Sequential,
            body: inner,
        };
        out.push(stmt(kind, origin));
        Ok(())
    }
}

/// Whether a statement only says which buffer is which from now on.
fn turns(stmt: &Stmt) -> bool {
    let point = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Point(..) | StmtKind::Swap(..));
    match &stmt.kind {
        StmtKind::If {
            then, otherwise, ..
        } => then.iter().chain(otherwise).all(point),
        _ => point(stmt),
    }
}

/// The dimensions in which work-items of a group share loops in a phrase, each once, outer loops
/// first.
fn shared_dimensions(phrase: &Phrase) -> Vec<u8> {
    let mut found = Vec::new();
    for term in subterms(phrase) {
        if let Form::Primitive(prim @ Prim::ParForLocal, types, _) = &term.form
            && let LoopMode::Items(_, dimension) = items(*prim, types)
            && !found.contains(&dimension)
        {
            found.push(dimension);
        }
    }
    found
}
