//! Lowers double buffering: an iteration reads one buffer and writes the other one, and then the
//! two are exchanged (*RISE & Shine*, section VI, listings 12 to 14).
//!
//! A few small iterations are unrolled, so that each names its buffers. Otherwise a loop exchanges
//! pointers, or copies a small state (`small_state`).

use std::rc::Rc;

use dpia::{Phrase, Prim};
use nat::Nat;
use rise::core::{Form, Local, Origin, subst_vars, subterms};
use rise::types::contains_array;
use rise::{Arg, Ty, Type};
use rustc_hash::FxHashMap;
use syntax::ast::AddressSpace;

use super::buffers::{declare, leaf, space, two_params};
use super::command::items;
use super::env::{Bound, Env, Path, Step};
use super::iterate::{BufferNames, IterateLoop};
use super::read::{load, nat_arg};
use super::store::{Part, Store, lost};
use super::{Lower, stmt};
use crate::error::Result;
use crate::ir::walk::{Renamed, change_all, each_stmt, has_kernel};
use crate::ir::{ExprKind, Home, Id, Level, Loop, LoopMode, Place, Stmt, StmtKind, Variable};

/// The maximal number of iterations that are unrolled for OpenCL if the buffers are in memory that
/// work-items share: a loop needs one barrier in its body, unrolled iterations need one each.
const MAX_UNROLLED_SHARED: i64 = 2;

/// The parts of `newDoubleBuffer(n, t, input, output, fun(acc, exp, swap, done => body))` or of
/// `newBuffers(n, t, input, fun(acc, exp, swap => body))`.
pub(super) struct DoubleBuffer<'p> {
    input: &'p Phrase,
    /// The destination of the result and the command that redirects writes to it; `None` if the
    /// body reads the result.
    redirection: Option<(&'p Phrase, Local)>,
    pub(super) acc: Local,
    pub(super) exp: Local,
    pub(super) swap: Local,
    pub(super) body: Phrase,
    /// The number of elements of the result.
    pub(super) result_count: Nat,
    /// The number of elements of the input.
    pub(super) input_count: Nat,
    pub(super) elem: Ty,
    pub(super) home: Home,
    /// The dimensions of the `mapLocal` loops in the body, each once, those of outer loops first.
    dimensions: Vec<u8>,
    pub(super) origin: Origin,
}

impl<'p> DoubleBuffer<'p> {
    fn of(phrase: &'p Phrase) -> Option<DoubleBuffer<'p>> {
        let Form::Primitive(prim, types, args) = &phrase.form else {
            return None;
        };
        let (input, output, f) = match (prim, &args[..]) {
            (Prim::NewDoubleBuffer, [input, output, f]) => (input, Some(output), f),
            (Prim::NewBuffers, [input, f]) => (input, None, f),
            _ => return None,
        };
        let (acc, exp, rest) = two_params(f)?;
        let (swap, redirection, body) = match output {
            Some(output) => {
                let (swap, done, body) = two_params(&rest)?;
                (swap, Some((output, done.local)), body)
            }
            None => match &rest.form {
                Form::Lambda(swap, body) => (swap.clone(), None, body.clone()),
                _ => return None,
            },
        };
        // The number of elements of the result comes first if there is a destination for them.
        let first = usize::from(redirection.is_some());
        let Some(Arg::Type(elem)) = types.get(first + 1) else {
            return None;
        };
        Some(DoubleBuffer {
            input,
            redirection,
            acc: acc.local,
            exp: exp.local,
            swap: swap.local,
            body,
            result_count: nat_arg(types, 0),
            input_count: nat_arg(types, first),
            elem: elem.clone(),
            home: Home::Local(space(types.get(first + 2))),
            dimensions: distributed_dimensions(f),
            origin: phrase.origin,
        })
    }

    /// Returns the environment of the body, in which it gets this meaning of the command that
    /// redirects writes to the output.
    pub(super) fn with_redirection(&self, env: Env, done: Bound) -> Env {
        match &self.redirection {
            Some((_, local)) => env.with(local, done),
            None => env,
        }
    }

    pub(super) fn array(&self, count: &Nat) -> Ty {
        Type::Array(count.clone(), self.elem.clone()).into()
    }
}

impl Lower<'_> {
    /// Lowers `newDoubleBuffer` or `newBuffers`.
    pub(super) fn double_buffer(
        &mut self,
        phrase: &Phrase,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        let buffers = DoubleBuffer::of(phrase).ok_or_else(|| lost(phrase.origin))?;
        let iterations = buffers.redirection.as_ref().and_then(|(_, done)| {
            let names = BufferNames {
                acc: &buffers.acc,
                swap: &buffers.swap,
                done,
            };
            IterateLoop::of(&buffers.body, names)
        });
        let mut in_memory = self.contiguous_source(buffers.input, env)?;
        let opencl = self.function.features.has_work_items();
        let is_private = matches!(
            buffers.home,
            Home::Local(None | Some(AddressSpace::Private))
        );
        if let Some(iterations) = &iterations
            && let Some(count) = iterations.unroll_count(opencl && is_private)
            && (!opencl || is_private || count <= MAX_UNROLLED_SHARED)
        {
            let reads_in_place = in_memory.is_some() || opencl;
            return self.unrolled_iterations(&buffers, iterations, count, reads_in_place, env, out);
        }
        if let Some(iterations) = &iterations
            && self.has_small_state(&buffers, iterations)
        {
            return self.iterations_over_small_state(&buffers, env, out);
        }
        in_memory = in_memory.filter(|place| self.may_point_to(place, buffers.home));
        self.iterations_in_loop(&buffers, iterations.as_ref(), in_memory, env, out)
    }

    /// Unrolls the iterations, each with the buffers that it reads and writes. The first one reads
    /// the input where it is if `in_memory` is true, otherwise from a buffer into which the input
    /// is copied.
    fn unrolled_iterations(
        &mut self,
        buffers: &DoubleBuffer<'_>,
        iterations: &IterateLoop,
        count: i64,
        in_memory: bool,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        let sizes = self.buffer_sizes(Some(iterations), &buffers.input_count);
        let mut stores = [None, None];
        let mut read = Bound::Phrase(buffers.input.clone(), Rc::new([]), env.clone());
        if !in_memory {
            let store = self.allocate_buffer("from", &buffers.input_count, buffers, out);
            self.copy_in(buffers, &store, env, out)?;
            read = Bound::Store(store);
        }
        let Some((output, _)) = buffers.redirection else {
            return Err(lost(buffers.origin));
        };
        let outer = std::mem::replace(&mut self.is_duplicated, true);
        for number in 0..count {
            let write = if number + 1 == count {
                Bound::Phrase(output.clone(), Rc::new([]), env.clone())
            } else {
                let (at, name, size) = match number % 2 {
                    0 => (0, "ping", &sizes.0),
                    _ => (1, "pong", &sizes.1),
                };
                let store = stores[at]
                    .get_or_insert_with(|| self.allocate_buffer(name, size, buffers, out));
                Bound::Store(store.clone())
            };
            let env = env
                .with(&buffers.acc, write.clone())
                .with(&buffers.exp, read);
            let number = Arg::Nat(Nat::constant(number));
            for command in &iterations.body {
                let command = subst_vars(command, &|var| {
                    (var == iterations.counter).then(|| number.clone())
                });
                self.command(&command, &env, out)?;
            }
            read = write;
        }
        self.is_duplicated = outer;
        Ok(())
    }

    /// Returns true if a pointer to memory like `home` can point to a place: in OpenCL both have to
    /// be in one address space.
    fn may_point_to(&self, place: &Place, home: Home) -> bool {
        if !self.function.features.has_work_items() {
            return true;
        }
        let space = |home| match home {
            Home::Output | Home::InOut | Home::Input => AddressSpace::Global,
            Home::Local(space) => space.unwrap_or(AddressSpace::Private),
            Home::Pointer { .. } => AddressSpace::Constant,
        };
        let found = match self.host_pointers.contains(&place.id) {
            true => AddressSpace::Global,
            false => space(self.function.variables[place.id.0 as usize].home),
        };
        found == space(home)
    }

    fn allocate_buffer(
        &mut self,
        name: &str,
        count: &Nat,
        buffers: &DoubleBuffer<'_>,
        out: &mut Vec<Stmt>,
    ) -> Store {
        let (name, ty) = (name.into(), buffers.array(count));
        // Each array in an element is a variable of its own.
        let store = match contains_array(&buffers.elem) {
            true => self.allocate(&name, &ty, buffers.home, buffers.origin),
            false => self.allocate_whole(&name, &ty, buffers.home, buffers.origin),
        };
        declare(&store, buffers.origin, out);
        store
    }

    /// Lowers the iterations to a loop: declares two buffers and pointers to the buffer that is
    /// read, the one that is written and the spare one, copies the input to the second buffer
    /// unless it is at the place `in_memory`, and lowers the loop that exchanges the pointers.
    fn iterations_in_loop(
        &mut self,
        buffers: &DoubleBuffer<'_>,
        iterations: Option<&IterateLoop>,
        in_memory: Option<Place>,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        let origin = buffers.origin;
        let (first, mut second) = self.buffer_sizes(iterations, &buffers.input_count);
        if in_memory.is_none() {
            second = buffers.input_count.clone();
        }
        let ty = buffers.array(&buffers.input_count);
        let is_on_host = launches_kernels(&buffers.body);
        let mut pointer = |name: &str, writable| {
            let home = Home::Pointer {
                writable,
                alone: false,
            };
            let store = self.allocate_whole(&name.into(), &ty, home, origin);
            declare(&store, origin, out);
            let id = leaf(&store, origin)?;
            if is_on_host {
                self.host_pointers.insert(id);
            }
            Ok((id, store))
        };
        let (from, read) = pointer("from", false)?;
        let (into, write) = pointer("into", true)?;
        let (spare, _) = pointer("spare", true)?;
        let one = self.allocate_buffer("ping", &first, buffers, out);
        let two = self.allocate_buffer("pong", &second, buffers, out);
        let (one, two, second) = (leaf(&one, origin)?, leaf(&two, origin)?, two);
        let start = match in_memory {
            Some(place) => place,
            None => {
                self.copy_in(buffers, &second, env, out)?;
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
        self.exchange_loop(buffers, [from, into, spare], read, write, env, out)
    }

    /// Lowers the loop, given the pointers to the buffer that is read, the one that is written, and
    /// the spare one. The result is copied to the output after the loop if the last iteration
    /// cannot write there.
    fn exchange_loop(
        &mut self,
        buffers: &DoubleBuffer<'_>,
        [from, into, spare]: [Id; 3],
        read: Store,
        write: Store,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        let target = match buffers.redirection {
            Some((output, _)) => self.contiguous_target(output, env)?,
            None => None,
        };
        let target = target.filter(|place| self.may_point_to(place, buffers.home));
        let swap = Bound::Swap {
            read: from,
            write: into,
            spare,
        };
        let done = target
            .clone()
            .map_or(Bound::Skip, |to| Bound::Redirect { write: into, to });
        let inner = env
            .with(&buffers.acc, Bound::Store(write))
            .with(&buffers.exp, Bound::Store(read.clone()))
            .with(&buffers.swap, swap);
        let inner = buffers.with_redirection(inner, done);
        let start = out.len();
        self.command(&buffers.body, &inner, out)?;
        for statement in &mut out[start..] {
            if let StmtKind::For(Loop { body, .. }) = &mut statement.kind
                && exchanges(body, spare)
            {
                // The body of a loop that ends early is in a branch.
                let body = match &mut body[..] {
                    [
                        Stmt {
                            kind: StmtKind::If { then, .. },
                            ..
                        },
                    ] => then,
                    _ => body,
                };
                self.add_unaliased_pointers(body, from, into, buffers.origin);
            }
        }
        match target {
            Some(_) => Ok(()),
            None => self.copy_out(&read, buffers, env, out),
        }
    }

    /// Makes the statements of an iteration, up to the exchange of its buffers, use copies of its
    /// two pointers that are `restrict` pointers, since the buffers do not overlap between two
    /// exchanges. Changes nothing if pointers are set in these statements, if indices that depend on
    /// data read a buffer, or for the host, where each kernel has parameters of its own.
    fn add_unaliased_pointers(
        &mut self,
        body: &mut Vec<Stmt>,
        read: Id,
        write: Id,
        origin: Origin,
    ) {
        let Some(first) = body.iter().position(|stmt| !is_pointer_update(stmt)) else {
            return;
        };
        let exchanged = body[first..].iter().position(is_pointer_update);
        let end = exchanged.map_or(body.len(), |at| first + at);
        let mut opaque = self.function.opaque.iter();
        if has_kernel(body)
            || exchanges(&body[first..end], read)
            || exchanges(&body[first..end], write)
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
        own.extend(body.drain(first..end));
        change_all(&mut own[inner..], &mut Renamed { ids: &ids });
        body.insert(first, stmt(StmtKind::Block(own), origin));
    }

    /// Returns the place of the first element of an array expression if its elements are adjacent
    /// in memory in their order, otherwise `None`.
    fn contiguous_source(&mut self, phrase: &Phrase, env: &Env) -> Result<Option<Place>> {
        self.contiguous_start(phrase, |lower, at| {
            Ok(match lower.read(phrase, at, env)?.kind {
                ExprKind::Load(place) => Some(place),
                _ => None,
            })
        })
    }

    fn contiguous_target(&mut self, phrase: &Phrase, env: &Env) -> Result<Option<Place>> {
        self.contiguous_start(phrase, |lower, at| {
            Ok(match lower.place(phrase, at, env)? {
                Part::Place(place, _) => Some(place),
                _ => None,
            })
        })
    }

    /// Returns the place of the first element of an array if the others follow it in memory in
    /// their order: if the index, less the row-major offset, depends on no index variable. Returns
    /// `None` for other arrays. `element` returns the place of the element at a path, if it is in
    /// memory.
    fn contiguous_start(
        &mut self,
        phrase: &Phrase,
        element: impl FnOnce(&mut Self, Path) -> Result<Option<Place>>,
    ) -> Result<Option<Place>> {
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

    /// Appends loops that compute the input into a buffer; they are distributed as
    /// [`Lower::distribute_copies`] says.
    pub(super) fn copy_in(
        &mut self,
        buffers: &DoubleBuffer<'_>,
        into: &Store,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        let ty = buffers.array(&buffers.input_count);
        let from = buffers.input;
        let origin = from.origin;
        let body = &mut |lower: &mut Self, path: Path, out: &mut Vec<Stmt>| {
            let value = lower.read(from, path.clone(), env)?;
            let place = lower.part(into, path, origin)?;
            lower.assign(place, value, origin, out)
        };
        let start = out.len();
        self.each_element(&ty, Path::new(), origin, body, out)?;
        self.distribute_copies(&mut out[start..], buffers);
        Ok(())
    }

    /// Distributes the loops of a copy to or from a buffer in local or global memory over the
    /// work-items of a group, in the dimensions of the `mapLocal` loops of the body: the outermost
    /// loop in the first one.
    fn distribute_copies(&self, copies: &mut [Stmt], buffers: &DoubleBuffer<'_>) {
        let of_group = matches!(
            buffers.home,
            Home::Local(Some(AddressSpace::Local | AddressSpace::Global))
        );
        if !self.function.features.has_work_items() || !of_group {
            return;
        }
        let mut copies = copies;
        for dimension in &buffers.dimensions {
            let [copy] = copies else { return };
            let StmtKind::For(Loop { mode, body, .. }) = &mut copy.kind else {
                return;
            };
            *mode = LoopMode::Items(Level::Local, *dimension);
            copies = body;
        }
    }

    /// Appends loops that copy the result of the last iteration to the output, if there is one; they
    /// are distributed as [`Lower::distribute_copies`] says.
    pub(super) fn copy_out(
        &mut self,
        from: &Store,
        buffers: &DoubleBuffer<'_>,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        let Some((output, _)) = buffers.redirection else {
            return Ok(());
        };
        let origin = output.origin;
        let body = &mut |lower: &mut Self, path: Path, out: &mut Vec<Stmt>| {
            let value = load(lower.part(from, path.clone(), origin)?, origin);
            let place = lower.place(output, path, env)?;
            lower.assign(place, value, origin, out)
        };
        let start = out.len();
        self.each_element(
            &buffers.array(&buffers.result_count),
            Path::new(),
            origin,
            body,
            out,
        )?;
        self.distribute_copies(&mut out[start..], buffers);
        Ok(())
    }

    /// Appends a loop nest over all elements of an array type, and of the arrays in its elements, in
    /// which `body` lowers the statements for the element at a path.
    #[allow(clippy::type_complexity)]
    pub(super) fn each_element(
        &mut self,
        ty: &Ty,
        path: Path,
        origin: Origin,
        body: &mut dyn FnMut(&mut Self, Path, &mut Vec<Stmt>) -> Result<()>,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        let (n, elem) = match &**ty {
            Type::Array(n, elem) => (n, elem),
            Type::Pair(first, second) if contains_array(ty) => {
                for (is_second, ty) in [(false, first), (true, second)] {
                    let path = path.clone().behind(Step::Member(is_second));
                    self.each_element(ty, path, origin, body, out)?;
                }
                return Ok(());
            }
            _ => return body(self, path, out),
        };
        let counter = self.function.fresh_size("");
        let zero = Nat::constant(0);
        let mut inner = Vec::new();
        let path = path.behind(Step::Index(Nat::var(counter)));
        self.within(counter, &zero, n, |lower| {
            lower.each_element(elem, path, origin, body, &mut inner)
        })?;
        let kind = StmtKind::For(Loop {
            counter,
            from: zero,
            to: n.clone(),
            step: Nat::constant(1),
            mode: LoopMode::Sequential,
            body: inner,
        });
        out.push(stmt(kind, origin));
        Ok(())
    }
}

/// Returns true if a command launches kernels, so that the host executes it.
fn launches_kernels(command: &Phrase) -> bool {
    subterms(command).any(|term| matches!(term.form, Form::Primitive(Prim::OclRunCommand, ..)))
}

/// Returns true if a statement assigns or exchanges pointers, or is a branch of which all
/// statements do.
fn is_pointer_update(stmt: &Stmt) -> bool {
    let point = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Point(..) | StmtKind::Swap(..));
    match &stmt.kind {
        StmtKind::If {
            then, otherwise, ..
        } => then.iter().chain(otherwise).all(point),
        _ => point(stmt),
    }
}

/// Returns true if statements set a pointer, or exchange it with another one.
fn exchanges(body: &[Stmt], pointer: Id) -> bool {
    let mut found = false;
    each_stmt(body, &mut |stmt| {
        found |= match stmt.kind {
            StmtKind::Point(id, _) => id == pointer,
            StmtKind::Swap(a, b) => a == pointer || b == pointer,
            _ => false,
        };
    });
    found
}

/// Returns the dimensions of the `mapLocal` loops in a phrase, each once, those of outer loops
/// first.
fn distributed_dimensions(phrase: &Phrase) -> Vec<u8> {
    let mut found = Vec::new();
    for term in subterms(phrase) {
        if let Form::Primitive(Prim::ParForLocal, types, _) = &term.form
            && let LoopMode::Items(_, dimension) = items(Level::Local, types)
            && !found.contains(&dimension)
        {
            found.push(dimension);
        }
    }
    found
}
