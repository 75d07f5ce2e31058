//! Two buffers that take turns: what a round wrote is what the next one reads.

use dpia::Phrase;
use nat::Nat;
use rise::core::Origin;
use rise::{Arg, Ty, Type};
use rustc_hash::FxHashMap;

use super::buffers::{declare, leaf, space, two_params};
use super::env::{Bound, Env, Path, Step};
use super::read::{load, nat_arg};
use super::store::{Part, Store, lost};
use super::{Lower, stmt};
use crate::error::CompileError;
use crate::ir::{ExprKind, Home, Id, LoopMode, Place, Stmt, StmtKind, Variable};
use crate::passes::walk::{Renamed, change_all};

impl Lower<'_> {
    /// Two buffers, a pointer to read through and one to write through.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn double_buffer(
        &mut self,
        phrase: &Phrase,
        types: &[Arg],
        input: &Phrase,
        output: &Phrase,
        f: &Phrase,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<(), CompileError> {
        let origin = phrase.origin;
        let (Some(Arg::Type(elem)), Some((acc, exp, rest))) = (types.get(2), two_params(f)) else {
            return Err(lost(origin));
        };
        let Some((swap, done, body)) = two_params(&rest) else {
            return Err(lost(origin));
        };
        let n = nat_arg(types, 1);
        let ty: Ty = Type::Array(n.clone(), elem.clone()).into();
        let home = Home::Local(space(types.get(3)));
        let buffer = |lower: &mut Self, name: &str, home| {
            lower.allocate_whole(&name.into(), &ty, home, origin)
        };
        let (one, two) = (buffer(self, "ping", home), buffer(self, "pong", home));
        let pointer = |writable| Home::Pointer {
            writable,
            alone: false,
        };
        let (read, write, spare) = (
            buffer(self, "from", pointer(false)),
            buffer(self, "into", pointer(true)),
            buffer(self, "spare", pointer(true)),
        );
        for store in [&one, &two, &read, &write, &spare] {
            declare(store, origin, out);
        }
        let [one, two, from, into, free] =
            [&one, &two, &read, &write, &spare].map(|store| leaf(store, origin));
        let (one, two, from, into, free) = (one?, two?, from?, into?, free?);
        let start = match self.side_by_side(input, env)? {
            Some(place) => place,
            None => {
                self.copy_in(input, two, &ty, env, out)?;
                Place::start(two)
            }
        };
        for (pointer, place) in [
            (from, start),
            (into, Place::start(one)),
            (free, Place::start(two)),
        ] {
            out.push(stmt(StmtKind::Point(pointer, place), origin));
        }
        let target = self.acceptor_side_by_side(output, env)?;
        let inner = env
            .with(&acc.local, Bound::Store(write))
            .with(&exp.local, Bound::Store(read.clone()))
            .with(
                &swap.local,
                Bound::Swap {
                    read: from,
                    write: into,
                    spare: free,
                },
            )
            .with(
                &done.local,
                Bound::Redirect {
                    write: into,
                    to: target.clone(),
                },
            );
        let start = out.len();
        self.command(&body, &inner, out)?;
        for statement in &mut out[start..] {
            if let StmtKind::For { body, .. } = &mut statement.kind {
                self.apart(body, from, into, origin);
            }
        }
        match target {
            Some(_) => Ok(()),
            None => self.copy_out(&read, output, nat_arg(types, 0), elem, env, out),
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
            let var = self.fresh_size("i");
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
        from: &Phrase,
        into: Id,
        ty: &Ty,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<(), CompileError> {
        let store = Store::Leaf {
            id: into,
            ty: ty.clone(),
            start: Some(Nat::constant(0)),
        };
        let origin = from.origin;
        let body = &mut |lower: &mut Self, path: Path, out: &mut Vec<Stmt>| {
            let value = lower.read(from, path.clone(), env)?;
            let place = lower.part(&store, path, origin)?;
            lower.assign(place, value, origin, out)
        };
        self.each_element(ty, Path::new(), origin, body, out)
    }

    /// What was written last is copied to where it is wanted.
    fn copy_out(
        &mut self,
        from: &Store,
        into: &Phrase,
        count: Nat,
        elem: &Ty,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<(), CompileError> {
        let ty: Ty = Type::Array(count, elem.clone()).into();
        let origin = into.origin;
        let body = &mut |lower: &mut Self, path: Path, out: &mut Vec<Stmt>| {
            let value = load(lower.part(from, path.clone(), origin)?, origin);
            let place = lower.place(into, path, env)?;
            lower.assign(place, value, origin, out)
        };
        self.each_element(&ty, Path::new(), origin, body, out)
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
        let counter = self.fresh_size("");
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
